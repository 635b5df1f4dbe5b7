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
//! * Entries are integers, off by at most `unit` units of their column ([`Matrix::unit`]). The unit of the column i is
//!   `2^(64 s - G)`, at most `2^-G 2^-16 rho^i` for s above 0 ([`Columns`]), so that together they make at most
//!   `unit 2^-G (S + 2^-16 N)` of f: what is known of its last coefficients is that they are small.

use rug::Integer;
use rug::ops::DivRounding;

use super::domain::{Domain, End, FEW, about};
use super::panels::Panel;
use super::rules::Rules;
use crate::compose::units::in_units;
use crate::error::Error;
use enclosure::chebyshev;
use enclosure::special::exp_thin;
use enclosure::{Budget, Complex, Enclosure, Portable, work};

/// Numbers of nodes are multiples of this.
const MANY_TWOS: usize = 8;
/// Bits that the units of columns are smaller than what they may be, but for the first ones.
pub(super) const FINER: u32 = 16;

/// The columns from which on the unit is `2^64` times as coarse, rising.
pub(super) struct Columns(Vec<usize>);

impl Columns {
    /// Of so many.
    pub fn new(domain: &Domain, count: usize) -> Self {
        let per = about(&domain.rho).portable_log2();
        let mut coarser = Vec::new();
        for bits in (1..).map(|s| 64 * s + FINER) {
            // The double finds where, and the power proves it.
            let found = (f64::from(bits) / per) as usize;
            let proven = |i: &usize| {
                let power = domain.rho.pow(*i as u64);
                power.lower().get_exp().is_some_and(|exponent| i64::from(exponent) > i64::from(bits))
            };
            let Some(from) = (found..count).find(proven) else { break };
            coarser.push(from);
        }
        Columns(coarser)
    }

    /// An integer of the first unit in that of the column i, rounded down.
    pub fn unit(&self, i: usize, x: &Integer) -> Integer {
        Integer::from(x >> (64 * self.0.iter().filter(|from| **from <= i).count() as u32))
    }

    /// `sum += (sum over all columns of a cell's coefficient and an entry)`, in products of first units.
    pub fn add(&self, sum: &mut Integer, cell: &[Integer], row: &[Integer]) {
        let (mut end, mut all) = (cell.len(), Integer::new());
        work::spend_products(cell.len(), cell.first().map_or(0, Integer::significant_bits));
        for from in self.0.iter().rev() {
            for (a, entry) in cell[*from..end].iter().zip(&row[*from..end]) {
                all += a * entry;
            }
            (all, end) = (all << 64, *from);
        }
        *sum += all;
        for (a, entry) in cell[..end].iter().zip(row) {
            *sum += a * entry;
        }
    }
}

/// What one run makes of a cell, for one end.
pub(super) struct Matrix {
    /// Row by row: what the coefficient k becomes.
    pub rows: Vec<Vec<Integer>>,
    /// Units of its column that each entry may be off.
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
    let refused = || Error::undecided("the cells of samples of Laplace noise exceed the range of the arithmetic");
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
    ///
    /// `cos(k (2m + 1) pi/(2n))` is that at the node `n - 1 - m` for an even k, and the other sign of it for an odd
    /// one: of odd k the differences of both values are summed up, and of even ones the sums are the values at half as
    /// many nodes.
    pub fn coefficients(&self, values: &[Integer], fraction: u32) -> Vec<Integer> {
        let n = self.count;
        let mut sums = vec![Integer::new(); n];
        let (mut values, mut step) = (values.to_vec(), 1);
        while values.len() > 1 && values.len() % 2 == 0 {
            let half = values.len() / 2;
            let other = values.split_off(half);
            let differences: Vec<Integer> =
                values.iter().zip(other.iter().rev()).map(|(a, b)| (a - b).into()).collect();
            self.transform(&mut sums, &differences, (step, 2 * step));
            for (value, other) in values.iter_mut().zip(other.iter().rev()) {
                *value += other;
            }
            step *= 2;
        }
        self.transform(&mut sums, &values, (0, step));
        let entry = |(k, sum): (usize, Integer)| {
            let sum = if k > 0 { sum << 1 } else { sum };
            DivRounding::div_floor(sum, n as u64) >> fraction
        };
        sums.into_iter().enumerate().map(entry).collect()
    }

    /// The sums of these k, from the first on: of each value with `cos(k (2m + 1) pi/(2n))`.
    fn transform(&self, sums: &mut [Integer], values: &[Integer], (first, step): (usize, usize)) {
        let bits = values.first().map_or(0, Integer::significant_bits);
        for (k, sum) in sums.iter_mut().enumerate().skip(first).step_by(step) {
            work::spend_products(values.len(), bits);
            for (m, value) in values.iter().enumerate() {
                let (i, other) = self.place(k * (2 * m + 1));
                if other {
                    *sum -= value * &self.fixed[i];
                } else {
                    *sum += value * &self.fixed[i];
                }
            }
        }
    }
}

impl Plan {
    /// For entries with so many bits that matter.
    pub fn new(domain: &Domain, bits: u32) -> Self {
        let (c, rho, alpha) = (about(&domain.shift), about(&domain.rho), about(&domain.alpha));
        let largest = [End::High, End::Low].map(|end| about(&domain.largest(end)));
        let size = ((alpha + c) * largest[0].max(largest[1])).max(1.0).portable_log2().min(1e6);
        let degree = ((f64::from(bits) + size + 8.0) / rho.portable_log2()).ceil().clamp(2.0, 1e6);
        let fraction = bits.saturating_add(2 * (degree.portable_log2() as u32) + 32);
        // A few times two nodes, for the sake of the transform.
        let degree = (degree as usize + 1).next_multiple_of(MANY_TWOS) - 1;
        Plan { degree, fraction, wanted: f64::from(bits) + size + 24.0 }
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
        (cosines, places): (&Cosines, &Columns),
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
            let each = row.points.iter().map(|(u, weight)| Ok((fixed(u, fraction)?, fixed(weight, fraction)?)));
            let each = each.collect::<Result<Vec<_>, Error>>()?;
            let all = each.iter().fold(Integer::new(), |sum, (_, weight)| sum + weight);
            points = points.max(row.points.len() as u64);
            worst = worst.max(&row.error);
            if all > mass {
                mass = all;
            }
            for (column, sum) in columns.iter_mut().zip(chebyshev::sums(&each, count, fraction, &places.0)) {
                column.push(sum);
            }
        }
        let mut rows = vec![Vec::with_capacity(count); count];
        for column in &columns {
            budget.check()?;
            for (row, entry) in rows.iter_mut().zip(cosines.coefficients(column, fraction)) {
                row.push(entry);
            }
        }
        // With u off by less than one unit, `T_i(u)` moves by less than `i^2` of them (Markov). Weights are off by one
        // each, and sums by what they tell.
        let square = (count as u64).saturating_mul(count as u64);
        let mass = (mass >> fraction).to_u64().unwrap_or(u64::MAX / 4).saturating_add(2);
        let each = square.saturating_mul(3).saturating_add(1);
        let value = square.saturating_mul(mass).saturating_add(points.saturating_mul(each));
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
            Some(sign) if sign.is_gt() => about(&beyond).portable_ln_1p() + about(&at_end) - about(&range[1]),
            _ => f64::INFINITY,
        };
        let mut row = Row { points: Vec::new(), error: Enclosure::zero(FEW) };
        let one = Enclosure::one(place.bits());
        let least = -&one;
        let beside = &domain.ratio(e) * &exp;
        for panel in Panel::cover(domain, &range, gap, plan)? {
            let error = panel.error(domain, end, &exp, &front);
            let error = error.ok_or_else(|| Error::undecided("a panel of a sample of Laplace noise is too wide"))?;
            row.error = &row.error + &error;
            let front = &panel.half * &front;
            let (middle, half) = (&panel.middle / &domain.shift, &panel.half / &domain.shift);
            for (x, weight) in rules.of(panel.nodes, place.bits())? {
                let y = &panel.middle + &(&panel.half * x);
                let exp_y = exp_thin(&y, y.bits());
                // B, in two parts that are small together.
                let bracket = &(&domain.rest * &(e - &exp_y)) + &beside;
                let kernel = &(&front * &exp_y) / &(&domain.ratio(&exp_y) * &(&bracket * &bracket.sqrt()));
                let u = &middle + &(&half * x);
                row.points.push((u.max(&least).min(&one), weight * &kernel));
            }
        }
        Ok(row)
    }
}
