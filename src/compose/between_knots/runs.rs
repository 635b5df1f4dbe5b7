//! One more run of all cells, and functions of the place as polynomials.
//!
//! The knots of k runs are `k h - j w`, h the largest loss, l the least and `w = h - l`. The cell j is between the
//! knots `j + 1` and j: at `t = k h - (j + 1) w + l(v) - l`, v in `[-c, c]`. What R, or phi, is after one more run is
//! in the cell j
//!
//! `A'_j = a_h A_j + a_l A_(j-1) + (what the kernel of h makes of A_j) + (what that of l makes of A_(j-1))`,
//!
//! where `A_(-1)` and `A_k` are what is above and below all knots. So polynomials go to polynomials, cell by cell.
//!
//! **What is certified.** Let E be the largest distance of a polynomial from its function on `[-c, c]`. The step is
//! linear with weights that are not negative and add up to `int sqrt(dP dQ) <= 1`, so it makes of E at most E. It adds
//! what the [matrices](super::operator) tell, times `sum |a_i| rho^i` of both polynomials; for each coefficient the
//! units that entries are off, times `sum |a_i|` of both and `2^-16 sum |a_i| rho^i`, and one unit for its shift. An
//! interpolant errs by `4 M rho^-d/(rho - 1)`, M the size of the function in the ellipse, and by what its rounded
//! values and coefficients are off.

use rug::float::Round::Up;
use rug::{Float, Integer};

use super::domain::{Domain, End, FEW, about};
use super::operator::{Columns, Cosines, FINER, Matrix, Plan, fixed};
use super::polynomial::Size;
use super::rules::Rules;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real};

/// The matrices of both ends, and where they are from.
pub(super) struct Runs {
    pub domain: Domain,
    pub fraction: u32,
    cosines: Cosines,
    columns: Columns,
    degree: usize,
    high: Matrix,
    low: Matrix,
}

/// A polynomial next to a function: the coefficients, and what it errs by.
pub(super) struct Interpolant {
    pub coefficients: Vec<Enclosure>,
    pub error: Enclosure,
}

/// Bits that constants need for so many runs.
pub(super) fn precision(domain: &Domain, times: u32, plan: &Plan) -> u32 {
    // What is below all knots is so large.
    let growth = (&domain.high - &domain.low.mul_u32(times)).upper().to_f64() * std::f64::consts::LOG2_E;
    let narrow = -(&domain.high - &domain.low).lower().to_f64().portable_log2();
    // Next to the end of the loss the kernel changes within `e^(-2c)`. With a small rate B is as small as the loss is
    // narrow, and the kernel takes `B^(-3/2)`.
    let steep = 4.0 * about(&domain.shift) * std::f64::consts::LOG2_E;
    let more = growth.clamp(0.0, 1e6) + 2.5 * narrow.clamp(0.0, 1e6) + steep.clamp(0.0, 1e6);
    plan.fraction.saturating_add(more as u32 + 40)
}

impl Runs {
    /// Of noise of this shift, or a sample of it, for so many runs.
    ///
    /// # Errors
    /// Those of the matrices.
    pub fn new(shift: &Real, rate: Option<&Real>, times: u32, plan: &Plan, budget: &Budget) -> Result<Self, Error> {
        let bits = precision(&Domain::new(shift, rate, FEW), times, plan);
        let (fraction, degree) = (plan.fraction, plan.degree);
        let domain = Domain::new(shift, rate, bits);
        let cosines = Cosines::new(degree + 1, fraction, bits)?;
        let mut rules = Rules::default();
        let columns = Columns::new(&domain, degree + 1);
        let mut high = Matrix::new(&domain, End::High, plan, (&cosines, &columns), &mut rules, budget)?;
        let mut low = Matrix::new(&domain, End::Low, plan, (&cosines, &columns), &mut rules, budget)?;
        for (matrix, atom) in [&mut high, &mut low].into_iter().zip(domain.atoms()) {
            let atom = fixed(&atom, fraction)?;
            matrix.unit += 2;
            for (i, row) in matrix.rows.iter_mut().enumerate() {
                row.iter_mut().skip(i).take(1).for_each(|entry| *entry += columns.unit(i, &atom));
            }
        }
        Ok(Runs { domain, fraction, cosines, columns, degree, high, low })
    }

    /// Coefficients of a polynomial.
    pub fn count(&self) -> usize {
        self.degree + 1
    }

    /// A unit for each coefficient.
    pub fn units(&self) -> Enclosure {
        Enclosure::integer(&self.count().into(), FEW).shift(-(self.fraction as i32))
    }

    /// The interpolant of a function of `e^v`, which is not negative and so large in the ellipse.
    ///
    /// # Errors
    /// What says so for a function that is beyond the range of the arithmetic.
    pub fn interpolant(&self, size: &Enclosure, value: impl Fn(&Enclosure) -> Enclosure) -> Result<Interpolant, Error> {
        let (domain, fraction) = (&self.domain, self.fraction);
        let mut values = Vec::with_capacity(self.count());
        for m in 0..self.count() {
            values.push(fixed(&value(&(&domain.shift * &self.cosines.node(m)).exp()), fraction)?);
        }
        // Values are off by less than a unit, so coefficients by less than 2 + 2 (largest value) + 2 of them.
        let largest = values.iter().map(|value| value.clone() >> fraction).max().unwrap_or_default();
        let off = (largest + 4u32) * 2u32 * self.count() as u64;
        let off = Enclosure::integer(&off, FEW).shift(-(fraction as i32));
        let exact = |x: Integer| Float::with_val(x.significant_bits().max(2), x) >> fraction;
        let coefficients = self.cosines.coefficients(&values, fraction).into_iter().map(exact);
        let coefficients = coefficients.map(|x| Enclosure::new(x.clone(), x)).collect();
        let falling = &domain.rho.recip().pow(self.degree as u64) / &(&domain.rho - &Enclosure::one(FEW));
        Ok(Interpolant { coefficients, error: &(size * &falling).shift(2) + &off })
    }

    /// One more run: the last cell is what is below all knots. What it adds to the error.
    ///
    /// # Errors
    /// Those of the budget.
    pub fn step(&self, cells: &mut [Vec<Integer>], budget: &Budget) -> Result<Float, Error> {
        let (fraction, rho) = (self.fraction, self.domain.rho.upper());
        let mut most = Float::new(FEW);
        let mut here = cells.last().map_or_else(Size::none, |cell| Size::of(cell, rho));
        let unit = self.high.unit.max(self.low.unit);
        // From below, so that the cell above is still the old one.
        for j in (0..cells.len()).rev() {
            budget.check()?;
            let (above, rest) = cells.split_at_mut(j);
            let (Some(cell), above) = (rest.first_mut(), above.last()) else { continue };
            let new = (0..cell.len()).map(|k| {
                let mut sum = Integer::new();
                self.columns.add(&mut sum, cell, &self.high.rows[k]);
                if let Some(above) = above {
                    self.columns.add(&mut sum, above, &self.low.rows[k]);
                }
                sum >> fraction
            });
            let new: Vec<Integer> = new.collect();
            let over = above.map_or_else(Size::none, |above| Size::of(above, rho));
            let up = |x: &Float, y: &Float| Float::with_val_round(FEW, x + y, Up).0;
            let times = |x: &Enclosure, y: &Float| Float::with_val_round(FEW, x.upper() * y, Up).0;
            let (plain, weighted) = (up(&here.plain, &over.plain), up(&here.weighted, &over.weighted));
            let plain = up(&plain, &(weighted >> FINER));
            let plain = Float::with_val_round(FEW, &plain * unit, Up).0 >> fraction;
            let each = Float::with_val_round(FEW, &plain + 1u32, Up).0;
            let each = Float::with_val_round(FEW, &each * (cell.len() as u64), Up).0;
            let left_out = up(&times(&self.high.error, &here.weighted), &times(&self.low.error, &over.weighted));
            let added = up(&left_out, &each) >> fraction;
            most = most.max(&added);
            *cell = new;
            here = over;
        }
        Ok(most)
    }
}
