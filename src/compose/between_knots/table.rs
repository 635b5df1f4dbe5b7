//! phi between the knots of many runs, as polynomials in the place.
//!
//! After k runs the knots are `k h - j w`, h the largest loss, l the least and `w = h - l`. The cell j is between the
//! knots `j + 1` and j: at `t = k h - (j + 1) w + l(v) - l`, v in `[-c, c]`. With `A_j(v) = phi_k(t)` there, one more
//! run makes of the cells
//!
//! `A'_j = a_h A_j + a_l A_(j-1) + (what the kernel of h makes of A_j) + (what that of l makes of A_(j-1))`,
//!
//! `A_(-1) = 0`, and `A_k`, below all knots, is `e^(-t/2) - e^(t/2)` with `t = k l - h + l(v)`. So polynomials go to
//! polynomials, cell by cell.
//!
//! **What is certified.** Let E be the largest distance of a polynomial from its function on `[-c, c]`. The step is
//! linear with weights that are not negative and add up to `N(0) = int sqrt(dP dQ) <= 1`, so it makes of E at most E.
//! It adds what the [matrices](super::operator) tell, times `sum |a_i| rho^i` of both polynomials; for each coefficient
//! the units that entries are off, times `sum |a_i|` of both, and one unit for its shift. Of `A_k` the interpolants of
//! `w^(1/2)` and `w^(-1/2)` err by `4 M rho^-d/(rho - 1)`, M their size in the ellipse, and each coefficient is rounded
//! by less than a unit.

use rug::float::Round::{Down, Nearest, Up};
use rug::{Assign, Float, Integer};

use super::domain::{Domain, End, FEW, about};
use super::operator::{Cosines, Matrix, Plan, fixed};
use super::rules::Rules;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// The polynomials, from the largest loss down, and how far phi may be from them.
pub(super) struct Table {
    domain: Domain,
    times: u32,
    cells: Vec<Vec<Integer>>,
    fraction: u32,
    pub(super) error: Float,
}

/// What is below all knots: interpolants of `w^(1/2)` and of `w^(-1/2)`.
struct Below {
    up: Vec<Enclosure>,
    down: Vec<Enclosure>,
    /// What each errs by.
    error: [Enclosure; 2],
}

impl Below {
    fn new(domain: &Domain, plan: &Plan, cosines: &Cosines) -> Result<Self, Error> {
        let fraction = plan.fraction;
        let count = plan.degree + 1;
        let [mut up, mut down] = [Vec::with_capacity(count), Vec::with_capacity(count)];
        for m in 0..count {
            let root = domain.ratio(&(&domain.shift * &cosines.node(m)).exp()).sqrt();
            down.push(fixed(&root.recip(), fraction)?);
            up.push(fixed(&root, fraction)?);
        }
        let [least, most] = domain.ratios();
        // Values are off by less than a unit, so coefficients by less than 2 + 2 (largest value) + 2 of them.
        let coefficients = |values: &[Integer]| {
            let largest = values.iter().map(|value| value.clone() >> fraction).max().unwrap_or_default();
            let off = Enclosure::integer(&((largest + 4u32) * 2u32 * count as u64), FEW).shift(-(fraction as i32));
            let all = cosines.coefficients(values, fraction).into_iter();
            let exact = |x: Integer| Float::with_val(x.significant_bits().max(2), x) >> fraction;
            (all.map(exact).map(|x| Enclosure::new(x.clone(), x)).collect::<Vec<_>>(), off)
        };
        let ((up, up_off), (down, down_off)) = (coefficients(&up), coefficients(&down));
        let one = Enclosure::one(FEW);
        let falling = &domain.rho.recip().pow(plan.degree as u64) / &(&domain.rho - &one);
        let sizes = [(most.sqrt(), up_off), (least.sqrt().recip(), down_off)];
        let error = sizes.map(|(size, off)| &(&size * &falling).shift(2) + &off);
        Ok(Below { up, down, error })
    }

    /// Below the knots of so many runs, in units, and what it errs by.
    fn cell(&self, domain: &Domain, runs: u32, fraction: u32) -> Result<(Vec<Integer>, Enclosure), Error> {
        let half = (&domain.high - &domain.low.mul_u32(runs)).shift(-1).exp();
        let other = half.recip();
        let all = self.up.iter().zip(&self.down).map(|(up, down)| fixed(&(&(&half * down) - &(&other * up)), fraction));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        let error = &(&half.with_bits(FEW) * &self.error[1]) + &(&other.with_bits(FEW) * &self.error[0]);
        let units = Enclosure::integer(&self.up.len().into(), FEW).shift(-(fraction as i32));
        Ok((all, &error + &units))
    }
}

/// `sum |a_i|` and `sum |a_i| rho^i` of a polynomial, in units, rounded up.
struct Size {
    plain: Float,
    weighted: Float,
}

impl Size {
    fn of(cell: &[Integer], rho: &Float) -> Self {
        let mut plain = Integer::new();
        let mut weighted = Float::new(FEW);
        for coefficient in cell.iter().rev() {
            plain += &*coefficient.as_abs();
            rug::ops::MulAssignRound::mul_assign_round(&mut weighted, rho, Up);
            let here = Float::with_val_round(FEW, coefficient, if coefficient.is_negative() { Down } else { Up }).0;
            rug::ops::AddAssignRound::add_assign_round(&mut weighted, here.abs(), Up);
        }
        Size { plain: Float::with_val_round(FEW, &plain, Up).0, weighted }
    }

    fn none() -> Self {
        Size { plain: Float::new(FEW), weighted: Float::new(FEW) }
    }
}

impl Table {
    /// So many runs, with so many bits after the point.
    ///
    /// # Errors
    /// Those of the matrices, and of the budget.
    pub fn new(shift: &Real, rate: Option<&Real>, times: u32, bits: u32, budget: &Budget) -> Result<Self, Error> {
        let rough = Domain::new(shift, rate, FEW);
        let plan = Plan::new(&rough, bits);
        Self::planned(shift, rate, times, &plan, budget)
    }

    /// The same, as planned.
    pub(super) fn planned(
        shift: &Real,
        rate: Option<&Real>,
        times: u32,
        plan: &Plan,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let rough = Domain::new(shift, rate, FEW);
        let fraction = plan.fraction;
        // What is below all knots is so large.
        let growth = (&rough.high - &rough.low.mul_u32(times)).upper().to_f64() * std::f64::consts::LOG2_E;
        let narrow = -(&rough.high - &rough.low).lower().to_f64().log2();
        // Next to the end of the loss the kernel changes within `e^(-2c)`.
        let steep = 4.0 * about(&rough.shift) * std::f64::consts::LOG2_E;
        let more = growth.clamp(0.0, 1e6) + narrow.clamp(0.0, 1e6) + steep.clamp(0.0, 1e6);
        let bits = fraction.saturating_add(more as u32 + 72);
        let domain = Domain::new(shift, rate, bits);
        let cosines = Cosines::new(plan.degree + 1, fraction, bits)?;
        let below = Below::new(&domain, plan, &cosines)?;
        let mut rules = Rules::default();
        let mut high = Matrix::new(&domain, End::High, plan, &cosines, &mut rules, budget)?;
        let mut low = Matrix::new(&domain, End::Low, plan, &cosines, &mut rules, budget)?;
        let atoms = [
            fixed(&(&domain.high.shift(-1) - &domain.shift).exp().shift(-1), fraction)?,
            fixed(&domain.low.shift(-1).exp().shift(-1), fraction)?,
        ];
        for (matrix, atom) in [&mut high, &mut low].into_iter().zip(atoms) {
            matrix.unit += 1;
            for (i, row) in matrix.rows.iter_mut().enumerate() {
                row.iter_mut().skip(i).take(1).for_each(|entry| *entry += &atom);
            }
        }
        let mut table = Table { domain, times, cells: Vec::new(), fraction, error: Float::new(FEW) };
        for runs in 0..times {
            let (cell, error) = below.cell(&table.domain, runs, fraction)?;
            table.cells.push(cell);
            let before = table.error.clone().max(error.upper());
            let added = step(&mut table.cells, [&high, &low], table.domain.rho.upper(), fraction, budget)?;
            table.error = Float::with_val_round(FEW, &before + &added, Up).0;
        }
        Ok(table)
    }

    /// The least loss of all runs, and the largest.
    pub fn ends(&self) -> [Enclosure; 2] {
        [self.domain.low.mul_u32(self.times), self.domain.high.mul_u32(self.times)]
    }

    /// phi at t.
    pub fn value(&self, t: &Enclosure) -> Enclosure {
        let bits = self.domain.shift.bits();
        let width = &self.domain.high - &self.domain.low;
        let [_, high] = self.ends();
        // From the top in cells: which one, and where in it.
        let depth = &(&high - t) / &width;
        let cell = |x: &Float| x.is_finite().then(|| x.clone().floor().to_f64()).filter(|whole| whole.abs() < 1e9);
        let (first, last) = (cell(depth.lower()), cell(depth.upper()));
        let Some((first, last)) = first.zip(last).filter(|(first, last)| last - first <= 1.0) else {
            return Enclosure::whole(bits);
        };
        let mut all: Option<Enclosure> = None;
        for j in first as i64..=last as i64 {
            let value = match usize::try_from(j).map(|j| self.cells.get(j)) {
                // Above all knots, and below them.
                Err(_) => Enclosure::zero(bits),
                Ok(None) => &(-&t.shift(-1)).exp() - &t.shift(-1).exp(),
                Ok(Some(cell)) => {
                    let knot = &high - &(&width * &Enclosure::integer(&(j + 1).into(), bits));
                    let loss = &(t - &knot) + &self.domain.low;
                    let loss = loss.max(&self.domain.low).min(&self.domain.high);
                    self.polynomial(cell, &loss)
                }
            };
            all = Some(all.map_or(value.clone(), |all| all.hull(&value)));
        }
        all.unwrap_or_else(|| Enclosure::whole(bits)).positive_part()
    }

    /// A polynomial at the place of this loss, and its distance from phi.
    fn polynomial(&self, cell: &[Integer], loss: &Enclosure) -> Enclosure {
        let domain = &self.domain;
        let one = Enclosure::one(domain.shift.bits());
        // e^v = (e^l - q)/r.
        let place = (&loss.expm1() / &domain.rate).log1p();
        let u = (&place / &domain.shift).max(&-&one).min(&one);
        let middle = Float::with_val(self.fraction + 8, u.lower() << self.fraction);
        let Some((middle, _)) = middle.to_integer_round(Nearest) else {
            return Enclosure::whole(64);
        };
        let (sum, units) = clenshaw(cell, &middle, self.fraction);
        // The derivative of T_i is at most i^2.
        let mut slope = Integer::new();
        for (i, coefficient) in cell.iter().enumerate() {
            slope += coefficient.clone().abs() * (i as u64 * i as u64);
        }
        let unit = |x: Float| x >> self.fraction;
        let far = Enclosure::new(Float::with_val(u.bits(), &middle), Float::with_val(u.bits(), &middle));
        let far = (&u - &far.shift(-(self.fraction as i32))).abs();
        let slope = unit(Float::with_val_round(FEW, &slope, Up).0);
        let moved = Float::with_val_round(FEW, &slope * far.upper(), Up).0;
        let rounded = unit(Float::with_val(FEW, units));
        let wrong = Float::with_val_round(FEW, &self.error + &moved, Up).0;
        let wrong = Float::with_val_round(FEW, &wrong + &rounded, Up).0;
        let sum = unit(Float::with_val(sum.significant_bits().max(2), &sum));
        Enclosure::new(sum.clone(), sum).with_bits(domain.shift.bits()).widen(&wrong)
    }
}

/// `sum_i a_i T_i(u)` in units, and how many of them it may be off: a shift at step k counts at most `k + 1` times.
fn clenshaw(cell: &[Integer], u: &Integer, fraction: u32) -> (Integer, u64) {
    let (mut after, mut last) = (Integer::new(), Integer::new());
    let twice = u.clone() << 1;
    let mut next = Integer::new();
    for coefficient in cell.iter().skip(1).rev() {
        next.assign(&twice * &last);
        next >>= fraction;
        next -= &after;
        next += coefficient;
        std::mem::swap(&mut after, &mut last);
        std::mem::swap(&mut last, &mut next);
    }
    let first = cell.first().cloned().unwrap_or_default();
    let value = (Integer::from(u * &last) >> fraction) - after + first;
    let count = cell.len() as u64 + 1;
    (value, count * count)
}

/// One more run: the last cell is what is below all knots. What it adds to the error.
fn step(
    cells: &mut [Vec<Integer>],
    [high, low]: [&Matrix; 2],
    rho: &Float,
    fraction: u32,
    budget: &Budget,
) -> Result<Float, Error> {
    let mut most = Float::new(FEW);
    let mut here = cells.last().map_or_else(Size::none, |cell| Size::of(cell, rho));
    let unit = high.unit.max(low.unit);
    // From below, so that the cell above is still the old one.
    for j in (0..cells.len()).rev() {
        budget.check()?;
        let (above, rest) = cells.split_at_mut(j);
        let (Some(cell), above) = (rest.first_mut(), above.last()) else { continue };
        let new = (0..cell.len()).map(|k| {
            let mut sum = Integer::new();
            for (a, entry) in cell.iter().zip(&high.rows[k]) {
                sum += a * entry;
            }
            for (a, entry) in above.into_iter().flatten().zip(&low.rows[k]) {
                sum += a * entry;
            }
            sum >> fraction
        });
        let new: Vec<Integer> = new.collect();
        let over = above.map_or_else(Size::none, |above| Size::of(above, rho));
        let up = |x: &Float, y: &Float| Float::with_val_round(FEW, x + y, Up).0;
        let times = |x: &Enclosure, y: &Float| Float::with_val_round(FEW, x.upper() * y, Up).0;
        let plain = up(&here.plain, &over.plain);
        let plain = Float::with_val_round(FEW, &plain * unit, Up).0 >> fraction;
        let each = Float::with_val_round(FEW, &plain + 1u32, Up).0;
        let each = Float::with_val_round(FEW, &each * (cell.len() as u64), Up).0;
        let left_out = up(&times(&high.error, &here.weighted), &times(&low.error, &over.weighted));
        let added = up(&left_out, &each) >> fraction;
        most = most.max(&added);
        *cell = new;
        here = over;
    }
    Ok(most)
}
