//! phi between the knots of many runs, as polynomials in the place.
//!
//! With `A_j(v) = phi_k(t)` in the cell j of k runs, one more run is a [step](super::runs) with `A_(-1) = 0`, and A_k,
//! below all knots, is `e^(-t/2) - e^(t/2)` with `t = k l - h + l(v)`.
//!
//! **What is certified.** What the steps tell. Of A_k the interpolants of `w^(1/2)` and `w^(-1/2)` err as interpolants
//! do, and each coefficient is rounded by less than a unit.

use rug::float::Round::Up;
use rug::{Float, Integer};

use super::domain::{Domain, FEW};
use super::operator::{Plan, fixed};
use super::polynomial::Polynomial;
use super::runs::{Interpolant, Runs};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// The polynomials, from the largest loss down, and how far phi may be from them.
pub(super) struct Table {
    pub domain: Domain,
    pub times: u32,
    pub cells: Vec<Polynomial>,
    pub error: Float,
}

/// What is below all knots: interpolants of `w^(1/2)` and of `w^(-1/2)`.
struct Below {
    up: Interpolant,
    down: Interpolant,
}

impl Below {
    fn new(runs: &Runs) -> Result<Self, Error> {
        let [least, most] = runs.domain.ratios();
        let root = |exp: &Enclosure| runs.domain.ratio(exp).sqrt();
        Ok(Below {
            up: runs.interpolant(&most.sqrt(), root)?,
            down: runs.interpolant(&least.sqrt().recip(), |exp| root(exp).recip())?,
        })
    }

    /// Below the knots of so many runs, in units, and what it errs by.
    fn cell(&self, runs: &Runs, before: u32) -> Result<(Vec<Integer>, Enclosure), Error> {
        let half = (&runs.domain.high - &runs.domain.low.mul_u32(before)).shift(-1).exp();
        let other = half.recip();
        let both = self.up.coefficients.iter().zip(&self.down.coefficients);
        let all = both.map(|(up, down)| fixed(&(&(&half * down) - &(&other * up)), runs.fraction));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        let error = &(&half.with_bits(FEW) * &self.down.error) + &(&other.with_bits(FEW) * &self.up.error);
        Ok((all, &error + &runs.units()))
    }
}

impl Table {
    /// So many runs, with so many bits after the point.
    ///
    /// # Errors
    /// Those of the matrices, and of the budget.
    pub fn new(shift: &Real, rate: Option<&Real>, times: u32, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let plan = Plan::new(&Domain::new(shift, rate, FEW), bits);
        Self::of(Runs::new(shift, rate, times, &plan, budget)?, times, budget)
    }

    /// So many of these runs.
    ///
    /// # Errors
    /// As above.
    pub fn of(runs: Runs, times: u32, budget: &Budget) -> Result<Self, Error> {
        let below = Below::new(&runs)?;
        let (mut cells, mut error) = (Vec::new(), Float::new(FEW));
        for before in 0..times {
            let (cell, off) = below.cell(&runs, before)?;
            cells.push(cell);
            let known = error.max(off.upper());
            error = Float::with_val_round(FEW, &known + &runs.step(&mut cells, budget)?, Up).0;
        }
        let cells = cells.into_iter().map(|cell| Polynomial::new(cell, runs.fraction)).collect();
        Ok(Table { domain: runs.domain, times, cells, error })
    }

    /// The least loss of all runs, and the largest.
    pub fn ends(&self) -> [Enclosure; 2] {
        self.domain.ends(self.times)
    }

    /// phi at t.
    pub fn value(&self, t: &Enclosure) -> Enclosure {
        let bits = self.domain.shift.bits();
        let width = &self.domain.high - &self.domain.low;
        let [_, high] = self.ends();
        // From the top in cells: which one, and where in it.
        let depth = &(&high - t) / &width;
        let Some((first, last)) = neighbours(&depth).filter(|(first, last)| last - first <= 1) else {
            return Enclosure::whole(bits);
        };
        let mut all: Option<Enclosure> = None;
        for j in first..=last {
            let value = match usize::try_from(j).map(|j| self.cells.get(j)) {
                // Above all knots, and below them.
                Err(_) => Enclosure::zero(bits),
                Ok(None) => &(-&t.shift(-1)).exp() - &t.shift(-1).exp(),
                Ok(Some(cell)) => {
                    let knot = &high - &(&width * &Enclosure::integer(&(j + 1).into(), bits));
                    let loss = &(t - &knot) + &self.domain.low;
                    cell.at(&self.domain.unit_place(&loss)).widen(&self.error)
                }
            };
            all = Some(all.map_or(value.clone(), |all| all.hull(&value)));
        }
        all.unwrap_or_else(|| Enclosure::whole(bits)).positive_part()
    }
}

/// The whole numbers that a depth may lie above, the least and the largest.
pub(super) fn neighbours(depth: &Enclosure) -> Option<(i64, i64)> {
    let whole = |x: &Float| x.is_finite().then(|| x.clone().floor().to_f64()).filter(|whole| whole.abs() < 1e9);
    whole(depth.lower()).zip(whole(depth.upper())).map(|(first, last)| (first as i64, last as i64))
}
