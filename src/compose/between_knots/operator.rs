//! One more run as two matrices, from coefficients in Chebyshev's polynomials of `v/c` to such coefficients.
//!
//! Of a function f of the place, one run makes `int_v^c K(v, y) f(y) dy` for the largest loss, and
//! `int_(-c)^v K(v, y) f(y) dy` for the least ([domain](super::domain)), beside what its atoms make. The columns of a
//! matrix are what becomes of the polynomials `T_i`: values at the `d + 1` roots of `T_(d+1)`, by a rule of Gauss and
//! Legendre on few [panels](super::panels), and of these the coefficients of the interpolant.
//!
//! **What is certified**, for `f = sum_i a_i T_i` with `S = sum |a_i|` and `N = sum |a_i| rho^i`: f is at most S on
//! `[-c, c]` and at most N in the ellipse, for `|T_i| <= rho^i` there.
//!
//! * A function that is at most M in an ellipse of parameter rho has coefficients of at most `2 M rho^-k`. So its
//!   interpolant at the roots of `T_(d+1)` errs by at most `2 sum_(k > d) 2 M rho^-k = 4 M rho^-d/(rho - 1)`; here
//!   `M <= (alpha + c) N` times the largest value of the kernel.
//! * A rule of n nodes is exact up to the degree `2n - 1`, and its weights are positive with sum 2: it errs by at most
//!   `4 sum_(k >= 2n) 2 M rho_1^-k` on `[-1, 1]`, rho_1 the parameter of the panel's ellipse. All panels together give
//!   `delta_m N` at the node m. Coefficients of an interpolant are at most twice its largest value, so that it moves by
//!   at most `2 (d + 1) max_m delta_m N`.
//! * Entries are integers in units of `2^-G`, off by at most `unit` of them ([`Matrix::unit`]).

use rug::ops::DivRounding;
use rug::{Assign, Integer};

use super::domain::{Domain, End, FEW, about};
use super::panels::Panel;
use super::rules::Rules;
use crate::compose::units::in_units;
use crate::error::Error;
use enclosure::special::exp_thin;
use enclosure::{Budget, Complex, Enclosure};

/// What one run makes of a cell, for one end.
pub(super) struct Matrix {
    /// Row by row: what the coefficient k becomes.
    pub rows: Vec<Vec<Integer>>,
    /// Units that each entry may be off.
    pub unit: u64,
    /// Times N, what the function may be off besides.
    pub error: Enclosure,
}

/// What all entries need.
pub(super) struct Plan {
    pub degree: usize,
    /// Bits after the point of entries.
    pub fraction: u32,
    /// Bits that the rules want.
    pub wanted: f64,
}

/// An integer that is off by less than one unit.
///
/// # Errors
/// What says so for a number that is not known well enough.
pub(super) fn fixed(x: &Enclosure, fraction: u32) -> Result<Integer, Error> {
    let refused = || Error::undecided("cells of samples of Laplace noise are beyond the range of the arithmetic");
    in_units(x, fraction).ok_or_else(refused)
}

/// `cos(i pi/(2n))` for all i below 4n, n = d + 1.
pub(super) struct Cosines {
    quarter: Vec<Enclosure>,
    fixed: Vec<Integer>,
    count: usize,
}

impl Cosines {
    /// Enclosures to a precision, and in units.
    ///
    /// # Errors
    /// What says so for too few bits.
    pub fn new(count: usize, fraction: u32, bits: u32) -> Result<Self, Error> {
        let unit = Enclosure::pi(bits).div_u32(2 * count as u32);
        let quarter: Vec<Enclosure> = (0..count)
            .map(|i| Complex::cis(&unit.mul_u32(i as u32), bits).re())
            .chain([Enclosure::zero(bits)])
            .collect();
        let rounded = quarter.iter().map(|x| fixed(x, fraction)).collect::<Result<_, _>>()?;
        Ok(Cosines { quarter, fixed: rounded, count })
    }

    /// The index into a quarter of the circle, and whether the sign is the other.
    fn place(&self, i: usize) -> (usize, bool) {
        let i = i % (4 * self.count);
        let i = i.min(4 * self.count - i);
        if i <= self.count { (i, false) } else { (2 * self.count - i, true) }
    }

    /// The root m of `T_n`.
    pub fn node(&self, m: usize) -> Enclosure {
        let (i, other) = self.place(2 * m + 1);
        if other { -&self.quarter[i] } else { self.quarter[i].clone() }
    }

    /// Coefficients of the interpolant of values at the nodes; off by less than `2 (error of a value) + 2 (largest
    /// value, rounded up) + 2` units.
    pub fn coefficients(&self, values: &[Integer], fraction: u32) -> Vec<Integer> {
        let n = self.count;
        let sum = |k: usize| {
            let mut sum = Integer::new();
            for (m, value) in values.iter().enumerate() {
                let (i, other) = self.place(k * (2 * m + 1));
                if other {
                    sum -= value * &self.fixed[i];
                } else {
                    sum += value * &self.fixed[i];
                }
            }
            if k > 0 {
                sum <<= 1;
            }
            DivRounding::div_floor(sum, n as u64) >> fraction
        };
        (0..n).map(sum).collect()
    }
}

impl Plan {
    /// For entries with so many bits that matter.
    pub fn new(domain: &Domain, bits: u32) -> Self {
        let (c, rho, alpha) = (about(&domain.shift), about(&domain.rho), about(&domain.alpha));
        let largest = [End::High, End::Low].map(|end| about(&domain.largest(end)));
        let size = ((alpha + c) * largest[0].max(largest[1])).max(1.0).log2().min(1e6);
        let degree = ((f64::from(bits) + size + 8.0) / rho.log2()).ceil().clamp(2.0, 1e6);
        let fraction = bits.saturating_add(2 * (degree.log2() as u32) + 32);
        Plan { degree: degree as usize, fraction, wanted: f64::from(bits) + size + 24.0 }
    }

    /// Points of one node, about.
    pub fn points(&self, domain: &Domain) -> f64 {
        self.wanted * (0.3 + 0.7 * about(&domain.shift))
    }
}

impl Matrix {
    /// For this end.
    ///
    /// # Errors
    /// What says so for too many panels, or for constants beyond the range of the arithmetic.
    pub fn new(
        domain: &Domain,
        end: End,
        plan: &Plan,
        cosines: &Cosines,
        rules: &mut Rules,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let Plan { degree, fraction, .. } = *plan;
        let count = degree + 1;
        let mut columns = vec![Vec::with_capacity(count); count];
        let (mut worst, mut mass, mut points) = (Enclosure::zero(FEW), Integer::new(), 0u64);
        for m in 0..count {
            budget.check()?;
            let place = &domain.shift * &cosines.node(m);
            let row = Row::new(domain, end, &place, plan, rules)?;
            let mut sums = vec![Integer::new(); count];
            let mut all = Integer::new();
            for (u, weight) in &row.points {
                let (u, weight) = (fixed(u, fraction)?, fixed(weight, fraction)?);
                all += &weight;
                polynomials(&mut sums, u, &weight, fraction);
            }
            points = points.max(row.points.len() as u64);
            worst = worst.max(&row.error);
            if all > mass {
                mass = all;
            }
            for (column, sum) in columns.iter_mut().zip(sums) {
                column.push(sum >> fraction);
            }
        }
        let mut rows = vec![Vec::with_capacity(count); count];
        for column in &columns {
            budget.check()?;
            for (row, entry) in rows.iter_mut().zip(cosines.coefficients(column, fraction)) {
                row.push(entry);
            }
        }
        // See `polynomials`: values of T_i are off by 2 (d + 1)^2 units, weights by one each, and the shift is one
        // more.
        let size = (count as u64).saturating_mul(count as u64).saturating_mul(2);
        let mass = (mass >> fraction).to_u64().unwrap_or(u64::MAX / 4).saturating_add(2);
        let value = size.saturating_mul(mass).saturating_add(2 * points).saturating_add(1);
        let unit = value.saturating_mul(2).saturating_add(mass.saturating_mul(2)).saturating_add(2);
        let far = &domain.alpha + &domain.shift.with_bits(FEW);
        let reach = &far * &domain.largest(end);
        let one = Enclosure::one(FEW);
        let left_out = &(&reach * &domain.rho.recip().pow(degree as u64)) / &(&domain.rho - &one);
        let error = &left_out.shift(2) + &worst.mul_u32(2 * count as u32);
        Ok(Matrix { rows, unit, error })
    }
}

/// What the rule sums for one node, and what it errs by, times N.
struct Row {
    points: Vec<(Enclosure, Enclosure)>,
    error: Enclosure,
}

impl Row {
    fn new(domain: &Domain, end: End, place: &Enclosure, plan: &Plan, rules: &mut Rules) -> Result<Self, Error> {
        let exp = place.exp();
        let front = domain.front(end, &domain.ratio(&exp));
        let at_end = domain.place(end);
        let range = match end {
            End::High => [place.clone(), at_end.clone()],
            End::Low => [at_end.clone(), place.clone()],
        };
        // B = q (e^root - e^y).
        let e = domain.exp(end);
        let beyond = &(&domain.ratio(e) * &exp) / &(&domain.rest * e);
        let gap = match domain.rest.sign() {
            Some(sign) if sign.is_gt() => about(&beyond).ln_1p() + about(&at_end) - about(&range[1]),
            _ => f64::INFINITY,
        };
        let mut row = Row { points: Vec::new(), error: Enclosure::zero(FEW) };
        let one = Enclosure::one(place.bits());
        for panel in Panel::cover(domain, &range, gap, plan)? {
            let error = panel.error(domain, end, &exp, &front);
            let error = error.ok_or_else(|| Error::undecided("a panel of a sample of Laplace noise is too wide"))?;
            row.error = &row.error + &error;
            for (x, weight) in rules.of(panel.nodes, place.bits())? {
                let y = &panel.middle + &(&panel.half * x);
                let exp_y = exp_thin(&y, y.bits());
                let bracket = domain.bracket(end, &exp, &exp_y);
                let kernel = &(&front * &exp_y) / &(&domain.ratio(&exp_y) * &(&bracket * &bracket.sqrt()));
                let u = &y / &domain.shift;
                row.points.push((u.max(&-&one).min(&one), &(&panel.half * weight) * &kernel));
            }
        }
        Ok(row)
    }
}

/// Adds `weight T_i(u)` to each sum, in units squared.
///
/// With u off by less than one unit, `T_i(u)` moves by less than `i^2` of them (Markov), and the recurrence, whose
/// values are shifted, adds less than `sum_(k <= i) k <= i^2`: for an error of one unit at the step k counts
/// `|U_(i-k)| <= i - k + 1` times in the end.
fn polynomials(sums: &mut [Integer], u: Integer, weight: &Integer, fraction: u32) {
    let (mut here, mut next) = (Integer::from(1) << fraction, u.clone());
    let twice = u << 1;
    let mut scratch = Integer::new();
    for sum in sums {
        *sum += weight * &here;
        scratch.assign(&twice * &next);
        scratch >>= fraction;
        scratch -= &here;
        std::mem::swap(&mut here, &mut next);
        std::mem::swap(&mut next, &mut scratch);
    }
}
