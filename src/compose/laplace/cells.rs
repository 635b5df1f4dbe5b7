//! Laplace noise of one scale, run many times: the profile between neighbouring knots, as polynomials.
//!
//! With R and phi as in `compose/listed/roots`, one run with shift c adds to R an atom `e^(-c/2)/2` at c and at `-c`,
//! and the density `e^(-c/2)/4` between. So for `psi_k = e^(kc/2) phi_k`, k runs,
//!
//! `psi_(k+1)(t) = psi_k(t-c)/2 + psi_k(t+c)/2 + (1/4) int_(t-c)^(t+c) psi_k`,
//!
//! and `psi_k(t) = 0` from kc on, `e^(kc/2) 2 sinh(-t/2)` up to `-kc`. The knots of psi_k are `(k-2j)c`: between two of
//! them, at `t = (k-2j-2)c + 2c x`, it is a function `A_j(x)` on `[0, 1]`, and of the cells after one more run
//!
//! `A'_j(x) = (A_j(x) + A_(j-1)(x))/2 + (c/2) [int_0^1 A_j - int_0^x A_j + int_0^x A_(j-1)]`,
//!
//! where `A_(-1) = 0`, and A_k is what is below all knots: `e^((k+1)c) e^(-cx) - e^-c e^(cx)`. So polynomials go to
//! polynomials, cell by cell, and nothing cancels but what differs.
//!
//! **What is certified.** Coefficients are integers in units of `2^-F`, up to the power d. Let E be the largest
//! distance of a polynomial from its function on `[0, 1]`. A step is linear with weights that add up to `1 + c/2`, so
//! it makes of E at most `(1 + c/2) E`, and adds what it rounds: with constants off by less than `2^-G`, and S the
//! largest coefficient in units, less than `3/2 + 2 S 2^-G` units for each of the `d + 1` coefficients, and for the
//! first of them one more and `(d + 1) S 2^-G`; and it drops the coefficient of `x^(d+1)`. The cell below all knots has
//! a power series, whose rest is at most its next term times `e^c`. As `phi_k = e^(-kc/2) psi_k`, what was wrong after
//! i steps counts no more than `e^(-ic/2)` in the end.

use std::sync::Arc;

use rug::float::Round::Up;
use rug::{Assign, Float, Integer};

use crate::compose::units::in_units;
use crate::error::Error;
use enclosure::{Budget, Cache, Enclosure, Need, Portable, Real, work};

/// Coefficients of all steps together, at most.
const MOST: u64 = 60_000_000;
/// The highest power, at most.
const HIGHEST: usize = 400;

/// phi between knots.
pub struct Cells {
    shift: Real,
    times: u32,
    kept: Cache<u32, Table>,
}

/// The polynomials, from the largest loss down, and how far phi may be from them.
struct Table {
    cells: Vec<Vec<Enclosure>>,
    error: Float,
    shift: Enclosure,
}

impl Cells {
    /// So many runs with this shift, at least one.
    ///
    /// # Errors
    /// What says so for too many runs.
    pub fn new(shift: Real, times: u64) -> Result<Self, Error> {
        let runs = u32::try_from(times).unwrap_or(u32::MAX);
        let cells = Cells { shift, times: runs, kept: Cache::new(4) };
        Budget::default().afford(&cells.work(64))?;
        Ok(cells)
    }

    /// The highest power that matters, for so many bits after the point: `e^(kc) c^d/d!` is small from it on.
    fn degree(&self, fraction: u32) -> usize {
        let c = self.shift.to_f64();
        let mut log = f64::from(fraction + 8) * std::f64::consts::LN_2 + f64::from(self.times) * c;
        let mut degree = 0;
        while log > 0.0 && degree < HIGHEST {
            degree += 1;
            log -= (degree as f64 / c).portable_ln();
        }
        degree + 2
    }

    fn work(&self, fraction: u32) -> Need<'static> {
        let runs = u64::from(self.times);
        Need {
            what: "coefficients of the cells of Laplace noise",
            count: runs.saturating_mul(runs + 1) / 2 * (self.degree(fraction) as u64 + 1),
            most: MOST,
            bytes: 0,
            relax: "try fewer compositions",
        }
    }

    /// `-kc` and `kc`.
    pub fn ends(&self, bits: u32) -> [Enclosure; 2] {
        let high = self.shift.enclosure(bits).mul_u32(self.times);
        [-&high, high]
    }

    fn table(&self, fraction: u32, budget: &Budget) -> Result<Arc<Table>, Error> {
        self.kept.get(fraction, || {
            budget.afford(&self.work(fraction))?;
            self.compute(fraction, self.degree(fraction), budget)
        })
    }

    fn compute(&self, fraction: u32, degree: usize, budget: &Budget) -> Result<Table, Error> {
        let wide = fraction.saturating_add(64);
        let c = self.shift.enclosure(wide);
        let growth = f64::from(self.times + 1) * self.shift.to_f64() * std::f64::consts::LOG2_E;
        let constants = fraction.saturating_add(growth.clamp(0.0, 1e6) as u32 + 8);
        let bits = constants.saturating_add(64);
        let refused = || Error::undecided("the cells of Laplace noise exceed the range of the arithmetic");
        let fixed = |x: &Enclosure, fraction: u32| in_units(x, fraction).ok_or_else(refused);
        // c/(2r), r = 0 standing for none.
        let c_wide = self.shift.enclosure(bits);
        let mut rates = vec![Integer::new()];
        for r in 1..=degree as u32 + 1 {
            rates.push(fixed(&c_wide.shift(-1).div_u32(r), constants)?);
        }
        let mut cells: Vec<Vec<Integer>> = Vec::new();
        let mut error = Float::with_val(64, 0u32);
        let unit = Float::with_val(64, 1u32) >> fraction;
        let growing = (&Enclosure::one(64) + &c.with_bits(64).shift(-1)).into_bounds().1;
        // Powers of c over factorials, for what is below all knots.
        let mut powers = vec![Enclosure::one(bits)];
        for r in 1..=degree as u32 + 1 {
            let next = powers.last().map(|last| (last * &c_wide).div_u32(r));
            powers.extend(next);
        }
        let (up, down) = (c_wide.exp(), (-&c_wide).exp());
        let mut above = Enclosure::one(bits);
        let mut half = Integer::new();
        for _ in 0..self.times {
            budget.check()?;
            work::spend_products(cells.len() * degree, fraction);
            // e^((k+1)c) (-c)^r/r! - e^-c c^r/r!, each off by less than a unit.
            above = &above * &up;
            let mut below = Vec::with_capacity(degree + 1);
            for (r, power) in powers.iter().take(degree + 1).enumerate() {
                let first = if r % 2 == 1 { -&above } else { above.clone() };
                below.push(fixed(&(&(&first - &down) * power), fraction)?);
            }
            // What its series leaves out: the terms from d + 1 on fall faster than those of e^c.
            let left = &(&(&above + &down) * &powers[degree + 1]) * &up;
            cells.push(below);
            let (largest, mut dropped) = step(&mut cells, &rates, constants, &mut half);
            dropped += 1;
            // For each coefficient half a unit of the sum, one of the product and what its constant is off by, at most
            // twice the largest coefficient; for the first one more, and the constants of all.
            let size = Float::with_val_round(64, &largest >> constants, Up).0;
            let rounded = Float::with_val_round(64, size + 1u32, Up).0;
            let rounded = Float::with_val_round(64, &rounded * (3 * degree as u32 + 6), Up).0;
            let added = Float::with_val_round(64, &rounded + &dropped, Up).0 * &unit;
            // The cell below is off by what its series leaves out, and by a unit for each coefficient.
            let below =
                Float::with_val_round(64, left.upper() + Float::with_val(64, &unit * (degree as u32 + 1)), Up).0;
            let before = error.max(&below);
            error = Float::with_val_round(64, &before * &growing, Up).0;
            error = Float::with_val_round(64, &error + &added, Up).0;
        }
        let shrink = (-&c.mul_u32(self.times).shift(-1)).exp();
        let scaled = |x: &Integer| {
            let value = Float::with_val(x.significant_bits().max(2), x) >> fraction;
            (&Enclosure::new(value.clone(), value) * &shrink).with_bits(wide)
        };
        let cells = cells.iter().map(|cell| cell.iter().map(scaled).collect()).collect();
        let error = (&Enclosure::new(error.clone(), error) * &shrink.with_bits(64)).into_bounds().1;
        Ok(Table { cells, error, shift: c })
    }

    /// phi at t, with about so many bits after the point.
    pub fn value(&self, fraction: u32, budget: &Budget) -> Result<impl Fn(&Enclosure) -> Enclosure + use<>, Error> {
        let table = self.table(fraction, budget)?;
        let times = self.times;
        Ok(move |t: &Enclosure| table.value(t, times))
    }
}

/// One more run: the last cell is what is below all knots. The largest coefficient, and the largest that is dropped.
fn step(cells: &mut [Vec<Integer>], rates: &[Integer], constants: u32, product: &mut Integer) -> (Float, Float) {
    let mut largest = Integer::new();
    let mut dropped = Integer::new();
    let none = Integer::new();
    // From below, so that the cell above is still the old one.
    for j in (0..cells.len()).rev() {
        let (above, here) = cells.split_at_mut(j);
        let (Some(here), above) = (here.first_mut(), above.last()) else { continue };
        let upper = |r: usize| above.and_then(|above| above.get(r)).unwrap_or(&none);
        let mut whole = Integer::new();
        for (coefficient, rate) in here.iter().zip(rates.iter().skip(1)) {
            whole += coefficient * rate;
            if coefficient.cmp_abs(&largest).is_gt() {
                largest.assign(coefficient);
            }
        }
        whole >>= constants;
        let mut before = Integer::new();
        for (r, (coefficient, rate)) in here.iter_mut().zip(rates).enumerate() {
            // What is integrated to this power, from the old coefficients.
            product.assign(&before * rate);
            *product >>= constants;
            before.assign(upper(r) - &*coefficient);
            *coefficient += upper(r);
            *coefficient >>= 1;
            *coefficient += &*product;
        }
        if let (Some(first), Some(rate)) = (here.first_mut(), rates.last()) {
            *first += &whole;
            product.assign(&before * rate);
            *product >>= constants;
            product.abs_mut();
            if *product > dropped {
                dropped.assign(&*product);
            }
        }
    }
    (Float::with_val_round(64, &largest.abs(), Up).0, Float::with_val_round(64, &dropped, Up).0)
}

impl Table {
    fn value(&self, t: &Enclosure, times: u32) -> Enclosure {
        let bits = self.shift.bits();
        // From the top in cells: which one, and where in it.
        let depth = &(&self.shift.mul_u32(times) - t) / &self.shift.shift(1);
        let (first, last) = (cell(depth.lower()), cell(depth.upper()));
        let Some((first, last)) = first.zip(last).filter(|(first, last)| last - first <= 1) else {
            return Enclosure::whole(bits);
        };
        let mut all: Option<Enclosure> = None;
        for j in first..=last {
            let value = match usize::try_from(j).map(|j| self.cells.get(j)) {
                // Above all knots, and below them.
                Err(_) => Enclosure::zero(bits),
                Ok(None) => &(-&t.shift(-1)).exp() - &t.shift(-1).exp(),
                Ok(Some(cell)) => {
                    let place = &Enclosure::integer(&(j + 1).into(), bits) - &depth;
                    let place = place.positive_part().min(&Enclosure::one(bits));
                    let value = cell.iter().rev().fold(Enclosure::zero(bits), |sum, term| &(&sum * &place) + term);
                    value.widen(&self.error)
                }
            };
            all = Some(all.map_or(value.clone(), |all| all.hull(&value)));
        }
        all.unwrap_or_else(|| Enclosure::whole(bits))
    }
}

/// The whole part.
fn cell(x: &Float) -> Option<i64> {
    x.is_finite().then(|| x.clone().floor().to_f64()).filter(|whole| whole.abs() < 1e9).map(|whole| whole as i64)
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::compose::laplace::Laplace;
    use crate::curve::{Curve, Direction};

    /// The formula's profile is `e^(t/2) phi(t)`, at any precision: with few bits, what was rounded and dropped shows.
    #[test]
    fn the_formula_agrees() {
        for (numer, denom) in [(1u32, 250u32), (1, 3), (2, 1), (9, 1)] {
            let shift = Real::from(Rational::from((numer, denom)));
            for times in [1u64, 2, 5, 40] {
                let cells = Cells::new(shift.clone(), times).expect("cells");
                let formula = Laplace::new(shift.clone(), times).expect("a formula");
                for part in [-999i64, -700, -333, -1, 0, 1, 250, 500, 600, 900, 999] {
                    // Knots among them.
                    let t = shift.mul_rational(&(Rational::from((part, 1000)) * Rational::from(times)));
                    let truth = formula.delta(&t, Direction::Forward, 150, &Budget::default()).expect("a number");
                    let at = t.enclosure(300);
                    let truth = &truth.enclosure(300) * &(-&at.shift(-1)).exp();
                    for fraction in [4, 9, 16, 100] {
                        let value = cells.value(fraction, &Budget::default()).expect("a table")(&at);
                        assert!(
                            value.overlaps(&truth),
                            "{numer}/{denom} {times} {part} {fraction}: {value:?} {truth:?}"
                        );
                        let width = Float::with_val(64, value.upper() - value.lower());
                        let most = Float::with_val(64, 1u32) >> (fraction - 4);
                        let narrow = part < 0 || width <= most * (20 * times as u32 + 200);
                        assert!(narrow, "{numer}/{denom} {times} {part} {fraction}");
                    }
                }
                let beyond = &shift.enclosure(300).mul_u32(times as u32) + &Enclosure::one(300);
                let value = cells.value(64, &Budget::default()).expect("a table");
                assert!(*value(&beyond).upper() <= 0);
                let below = value(&-&beyond);
                assert!(below.overlaps(&(&beyond.shift(-1).exp() - &(-&beyond.shift(-1)).exp())));
            }
        }
    }

    /// With polynomials of too low a degree, what they drop is told.
    #[test]
    fn low_degrees_are_told() {
        for (shift, times) in [(real(1, 2), 30), (real(3, 1), 6), (real(1, 40), 200)] {
            let cells = Cells::new(shift.clone(), times).expect("cells");
            let good = cells.compute(150, cells.degree(150), &Budget::default()).expect("a table");
            for degree in [1, 2, 4, 7] {
                let table = cells.compute(120, degree, &Budget::default()).expect("a table");
                let mut largest = Float::new(64);
                for part in -99..100i64 {
                    let t = shift.mul_rational(&(Rational::from((part, 100)) * Rational::from(times)));
                    let at = t.enclosure(200);
                    let (a, b) = (good.value(&at, times as u32), table.value(&at, times as u32));
                    assert!(a.overlaps(&b), "{shift} {times} {degree} {part}: {a:?} {b:?}");
                    let middle = Float::with_val(64, b.lower() + b.upper()) / 2u32;
                    largest = largest.max(&Float::with_val(64, a.lower() - middle).abs());
                }
                assert!(table.error < Float::with_val(64, &largest << 14), "{shift} {times} {degree}: {largest}");
            }
        }
    }

    fn real(numer: u32, denom: u32) -> Real {
        Real::from(Rational::from((numer, denom)))
    }
}
