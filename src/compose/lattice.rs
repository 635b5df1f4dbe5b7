//! Compositions of pairs whose losses are whole multiples of one unit.
//!
//! Randomised response, geometric noise and staircase noise all have losses on a lattice. Their compositions stay on
//! it, so that a composition is a convolution of arrays of masses: one product of two large integers, with the masses
//! as digits.
//!
//! What is certified: with rational masses the convolution is exact. Otherwise masses are multiples of `2^-F` rounded
//! down; a product of two sub-probabilities known to `e` and `e'` units is known to `e + e' + 1`. See `halves.rs` for what
//! follows from that. Why the loops end: powers by repeated squaring, arrays of a size that is checked before.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::integer::Order;
use rug::{Integer, Rational};

use super::halves::{ExactAtoms, Half, Halves, adaptive, fixed_or_refuse};
use super::kept::Kept;
use super::leak::check_probability;
use super::signs;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::number::{Brief, Budget, Enclosure, Note, Number, Real, Work};

/// Lattice points of a composition: memory stays below a few gigabytes at usual precisions.
const MOST_POINTS: u64 = 1 << 22;
/// Bits of all numerators of an exact composition together.
const EXACT_BITS: u64 = 1 << 26;

/// The masses of a lattice pair at one precision.
#[derive(Clone, Debug)]
pub struct Masses {
    /// P-masses of the losses `offset, offset + 1, ...` (times the unit).
    pub p: Vec<Number>,
    /// P-mass where Q has none (loss plus infinity).
    pub infinite_p: Number,
    /// Q-mass where P has none (loss minus infinity).
    pub infinite_q: Number,
}

type MassFunction = Arc<dyn Fn(u32) -> Result<Masses, Error> + Send + Sync>;

/// A pair of distributions whose finite losses are whole multiples of `unit`; Q-masses are `q = p e^(-loss)`.
#[derive(Clone)]
pub struct LatticePair {
    unit: Real,
    offset: i64,
    masses: MassFunction,
}

impl LatticePair {
    /// From a unit, the least loss in units, and the masses as a function of the precision: each call must enclose the same
    /// numbers, and give as many of them.
    pub fn new(
        unit: Real,
        offset: i64,
        masses: impl Fn(u32) -> Result<Masses, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        if unit.sign() != Some(Ordering::Greater) {
            return Err(Error::input(format!("the unit of a lattice must be positive, but it is {unit}")));
        }
        Ok(LatticePair { unit, offset, masses: Arc::new(masses) })
    }

    /// The worst (epsilon, delta)-DP pair: losses +-eps, and delta on either side at infinity.
    pub fn randomized_response(epsilon: Real, delta: Real) -> Result<Self, Error> {
        Self::two_points(epsilon, 1, delta)
    }

    /// The worst (steps * unit, delta)-DP pair.
    pub fn two_points(unit: Real, steps: u32, delta: Real) -> Result<Self, Error> {
        check_probability(&delta, "delta", &Budget::default())?;
        let exponent = unit.clone();
        Self::new(unit, -i64::from(steps), move |bits| {
            let delta = delta.number(bits);
            let kept = &Number::one() - &delta;
            let y = (&Number::one() / &exponent.exp_number(bits)).pow(u64::from(steps));
            let high = &kept / &(&Number::one() + &y);
            let mut p = vec![Number::zero(); 2 * steps as usize + 1];
            if let Some(last) = p.last_mut() {
                *last = high.clone();
            }
            if let Some(first) = p.first_mut() {
                // With no steps between them the two points are one.
                *first = &*first + &(&high * &y);
            }
            Ok(Masses { p, infinite_p: delta.clone(), infinite_q: delta })
        })
    }

    /// Geometric noise `p(j) = (x-1)/(x+1) x^-|j|` against itself shifted by the sensitivity D: losses `eps (D - 2j)`, `0 <= j
    /// <= D`; both tails of the noise collapse into the extreme losses.
    pub fn geometric(epsilon: Real, sensitivity: u32) -> Result<Self, Error> {
        let exponent = epsilon.clone();
        Self::new(epsilon, -i64::from(sensitivity), move |bits| {
            let y = &Number::one() / &exponent.exp_number(bits);
            let sum = &Number::one() + &y;
            let spread = &one_minus_exp_neg(&exponent, bits) / &sum;
            let mut p = vec![Number::zero(); 2 * sensitivity as usize + 1];
            for j in 0..=sensitivity {
                let mass = match j {
                    _ if sensitivity == 0 => Number::one(),
                    0 => &Number::one() / &sum,
                    j if j == sensitivity => &y.pow(u64::from(j)) / &sum,
                    j => &spread * &y.pow(u64::from(j)),
                };
                if let Some(slot) = p.get_mut(2 * (sensitivity - j) as usize) {
                    *slot = mass;
                }
            }
            Ok(Masses { p, infinite_p: Number::zero(), infinite_q: Number::zero() })
        })
    }

    /// Staircase noise of parameters epsilon and gamma (Geng, Viswanath), made for sensitivity 1, against itself shifted by D.
    ///
    /// The density is `a b^s(|y|)`, `b = e^-eps`, `s(y) = floor(y) + [y - floor(y) >= gamma]`, so the loss is `eps (s(|y-D|) -
    /// s(|y|))`: D below 0, -D above D, and constant on three cells of each unit between.
    pub fn staircase(epsilon: Real, gamma: Real, sensitivity: u32) -> Result<Self, Error> {
        let budget = Budget::default();
        check_probability(&gamma, "gamma", &budget)?;
        let half = Real::from(Rational::from((1, 2)));
        let narrow = signs::compare(&gamma, &half, &budget)?
            .ok_or_else(|| Error::Undecided(format!("the order of gamma = {gamma} and 1/2 is not decided")))?
            == Ordering::Less;
        let exponent = epsilon.clone();
        Self::new(epsilon, -i64::from(sensitivity), move |bits| {
            let one = Number::one();
            let b = &one / &exponent.exp_number(bits);
            let gamma = gamma.number(bits);
            let rest = &one - &gamma;
            let two = Number::from(Integer::from(2));
            let a = &one_minus_exp_neg(&exponent, bits) / &(&two * &(&gamma + &(&b * &rest)));
            let mut p = vec![Number::zero(); 2 * sensitivity as usize + 1];
            let mut add = |step: i64, mass: Number| {
                let slot = usize::try_from(step + i64::from(sensitivity)).ok();
                if let Some(slot) = slot.and_then(|slot| p.get_mut(slot)) {
                    *slot = &*slot + &mass;
                }
            };
            let d = i64::from(sensitivity);
            let share = Number::from(Rational::from((1, 2)));
            add(d, share.clone());
            add(-d, &share * &b.pow(u64::from(sensitivity)));
            let side = if narrow { gamma.clone() } else { rest };
            let centre = &one - &(&two * &side);
            for n in 0..sensitivity {
                let level = &a * &b.pow(u64::from(n));
                let next = &level * &b;
                let n = i64::from(n);
                add(d - 2 * n, &side * &level);
                add(d - 2 * n - 1, &centre * if narrow { &next } else { &level });
                add(d - 2 * n - 2, &side * &next);
            }
            Ok(Masses { p, infinite_p: Number::zero(), infinite_q: Number::zero() })
        })
    }

    /// The unit of the losses.
    pub fn unit(&self) -> &Real {
        &self.unit
    }

    /// The same pair on the finer lattice of a unit that `steps` times makes its own: the points between have no mass.
    pub fn refined(&self, unit: &Real, steps: u32) -> Result<Self, Error> {
        let (coarse, stride) = (Arc::clone(&self.masses), steps.max(1) as usize);
        Self::new(unit.clone(), self.offset.saturating_mul(i64::from(steps)), move |bits| {
            let Masses { p: masses, infinite_p, infinite_q } = coarse(bits)?;
            let mut p = vec![Number::zero(); masses.len().saturating_sub(1) * stride + 1];
            for (slot, mass) in p.iter_mut().step_by(stride).zip(masses) {
                *slot = mass;
            }
            Ok(Masses { p, infinite_p, infinite_q })
        })
    }

    /// The finite losses in units, with their masses under P; those of mass exactly zero are left out.
    pub fn losses(&self, bits: u32) -> Result<Vec<(i64, Number)>, Error> {
        let masses = (self.masses)(bits)?.p;
        let listed = (self.offset..).zip(masses);
        Ok(listed.filter(|(_, mass)| mass.sign() != Some(Ordering::Equal)).collect())
    }
}

/// `1 - e^-x`, relatively narrow for small x too; exact if `e^x` is rational.
fn one_minus_exp_neg(x: &Real, bits: u32) -> Number {
    match x.exp_rational() {
        Some(x) => Number::Exact(1 - x.recip()),
        None => Number::Enclosed(-(-x.enclosure(bits)).expm1()),
    }
}

/// A composition of lattice pairs over one unit.
#[derive(Clone)]
pub struct Lattice {
    unit: Real,
    parts: Vec<(LatticePair, u64)>,
    symmetric: bool,
    /// How many lattice points the composition has.
    points: u64,
    /// Convolutions by direction and fraction bits.
    convolved: Kept<(bool, u32), Halves>,
    convolved_exactly: Kept<(), Option<ExactAtoms>>,
}

/// What a convolution costs: two arrays, their powers, and for each product both factors and the result as digits.
fn work(points: u64, fraction: u32) -> Work<'static> {
    Work {
        what: "lattice points",
        count: points,
        most: MOST_POINTS,
        bytes: points.saturating_mul(u64::from(fraction / 8) * 10 + 320),
        relax: "a coarser unit, fewer compositions or fewer digits would do",
    }
}

/// An array of masses by rising loss, `offset` the first.
#[derive(Clone)]
struct Array {
    offset: i64,
    masses: Vec<Integer>,
    error: u64,
}

/// The product of two arrays as polynomials, by one product of integers: coefficients stand `limbs` words apart.
fn multiply(a: &[Integer], b: &[Integer], bits: u32) -> Vec<Integer> {
    let limbs = (bits as usize).div_ceil(64);
    let pack = |masses: &[Integer]| {
        let mut digits = vec![0_u64; masses.len() * limbs];
        for (mass, place) in masses.iter().zip(digits.chunks_mut(limbs)) {
            // The caller's `bits` cover every mass, so the words suffice.
            let words = mass.significant_digits::<u64>();
            if let Some(place) = place.get_mut(..words) {
                mass.write_digits(place, Order::Lsf);
            }
        }
        Integer::from_digits(&digits, Order::Lsf)
    };
    let product = if std::ptr::eq(a, b) { pack(a).square() } else { pack(a) * pack(b) };
    let mut digits = vec![0_u64; product.significant_digits::<u64>()];
    product.write_digits(&mut digits, Order::Lsf);
    let mut all: Vec<Integer> = digits.chunks(limbs).map(|words| Integer::from_digits(words, Order::Lsf)).collect();
    all.resize(a.len() + b.len() - 1, Integer::new());
    all
}

impl Array {
    /// The composition, masses cut to `fraction` bits (`None`: exactly).
    fn compose(&self, other: &Array, fraction: Option<u32>) -> Array {
        let top = |masses: &[Integer]| masses.iter().map(Integer::significant_bits).max().unwrap_or(0);
        let shorter = self.masses.len().min(other.masses.len()) as u64;
        let bits = top(&self.masses) + top(&other.masses) + (64 - shorter.leading_zeros());
        let mut masses = multiply(&self.masses, &other.masses, bits.max(1));
        if let Some(fraction) = fraction {
            masses.iter_mut().for_each(|mass| *mass >>= fraction);
        }
        let error = if fraction.is_some() { self.error + other.error + 1 } else { 0 };
        Array { offset: self.offset + other.offset, masses, error }
    }

    fn power(&self, mut times: u64, one: Array, fraction: Option<u32>, budget: &Budget) -> Result<Array, Error> {
        let (mut result, mut base) = (one, self.clone());
        while times > 0 {
            budget.check()?;
            if times % 2 == 1 {
                result = result.compose(&base, fraction);
            }
            times /= 2;
            if times > 0 {
                base = base.compose(&base.clone(), fraction);
            }
        }
        Ok(result)
    }
}

impl Lattice {
    /// The composition of each pair so many times. `symmetric` promises `H(P||Q) = H(Q||P)` for the composition.
    ///
    /// # Errors
    /// [`Error::Input`] for different units, [`Error::Undecided`] for too many lattice points.
    pub fn new(parts: Vec<(LatticePair, u64)>, symmetric: bool) -> Result<Self, Error> {
        let Some(unit) = parts.first().map(|(pair, _)| pair.unit.clone()) else {
            return Err(Error::input("a lattice composition needs at least one pair"));
        };
        let mut points = 1_u64;
        for (pair, times) in &parts {
            if pair.unit != unit {
                return Err(Error::input(format!("lattice units differ: {} and {unit}", pair.unit)));
            }
            let length = (pair.masses)(64)?.p.len() as u64;
            points = points.saturating_add(length.saturating_mul(*times));
        }
        Budget::default().afford(&work(points, 0))?;
        // Large ones are kept one at a time: they would fill the memory.
        let room = if points <= 1 << 16 { 8 } else { 1 };
        let (convolved, convolved_exactly) = (Kept::new(room), Kept::new(1));
        Ok(Lattice { unit, parts, symmetric, points, convolved, convolved_exactly })
    }

    /// The exact composition, if all masses and `e^unit` are rational and all numerators together are not too long.
    pub(super) fn exact(&self, budget: &Budget) -> Result<Arc<Option<ExactAtoms>>, Error> {
        self.convolved_exactly.get((), || self.convolve_exactly(budget))
    }

    fn convolve_exactly(&self, budget: &Budget) -> Result<Option<ExactAtoms>, Error> {
        let Some(x) = self.unit.exp_rational() else { return Ok(None) };
        let mut whole = Integer::from(1);
        let (mut size, mut points) = (0_u64, 1_u64);
        let mut pairs = Vec::new();
        for (pair, times) in &self.parts {
            let masses = (pair.masses)(64)?;
            let mut all = Vec::new();
            for (i, mass) in masses.p.iter().enumerate() {
                let Some(p) = mass.exact() else { return Ok(None) };
                let step = pair.offset.saturating_add(i as i64);
                let Ok(step) = i32::try_from(-step) else { return Ok(None) };
                all.push((p.clone(), (p * Rational::from(rug::ops::Pow::pow(&x, step)))));
            }
            let (Some(p), Some(q)) = (masses.infinite_p.exact(), masses.infinite_q.exact()) else { return Ok(None) };
            let mut common = p.denom().clone();
            common.lcm_mut(q.denom());
            for (p, q) in &all {
                common.lcm_mut(p.denom());
                common.lcm_mut(q.denom());
            }
            size = size.saturating_add(u64::from(common.significant_bits()).saturating_mul(*times));
            points = points.saturating_add((all.len() as u64).saturating_mul(*times));
            pairs.push((pair.offset, all, (p.clone(), q.clone()), common, *times));
        }
        if points > 1 << 16 || size.saturating_mul(points) > EXACT_BITS {
            return Ok(None);
        }
        let one = || Array { offset: 0, masses: vec![Integer::from(1)], error: 0 };
        let (mut p_array, mut q_array) = (one(), one());
        let (mut p_kept, mut q_kept) = (Integer::from(1), Integer::from(1));
        for (offset, all, (p_inf, q_inf), common, times) in pairs {
            let scaled = |value: &Rational| value.numer() * Integer::from(&common / value.denom());
            let p = Array { offset, masses: all.iter().map(|(p, _)| scaled(p)).collect(), error: 0 };
            let q = Array { offset, masses: all.iter().map(|(_, q)| scaled(q)).collect(), error: 0 };
            p_array = p_array.compose(&p.power(times, one(), None, budget)?, None);
            q_array = q_array.compose(&q.power(times, one(), None, budget)?, None);
            let times = u32::try_from(times).map_err(|_| budget.out_of_bits())?;
            let power = |value: Integer| Integer::from(rug::ops::Pow::pow(&value, times));
            whole *= power(common.clone());
            p_kept *= power(&common - scaled(&p_inf));
            q_kept *= power(&common - scaled(&q_inf));
        }
        let mut atoms: Vec<_> = p_array.masses.into_iter().zip(q_array.masses).collect();
        atoms.push((Integer::from(&whole - &p_kept), Integer::new()));
        atoms.push((Integer::new(), Integer::from(&whole - &q_kept)));
        Ok(Some(ExactAtoms::new(atoms, whole)))
    }

    /// Mass at plus infinity under P, `1 - prod (1 - m_i)`, and the same of Q.
    fn infinite(&self, bits: u32) -> Result<(Number, Number), Error> {
        let (mut p, mut q) = (Number::zero(), Number::zero());
        for (pair, times) in &self.parts {
            let masses = (pair.masses)(bits)?;
            for (sum, one) in [(&mut p, masses.infinite_p), (&mut q, masses.infinite_q)] {
                let several = match &one {
                    Number::Exact(m) if *m == 0 => Number::zero(),
                    Number::Exact(m) if u64::from(m.denom().significant_bits()).saturating_mul(*times) <= 4096 => {
                        &Number::one() - &(&Number::one() - &one).pow(*times)
                    }
                    _ => {
                        let wide = Enclosure::integer(&(*times).into(), bits.max(64));
                        Number::Enclosed(-(&(-one.enclosure(bits)).log1p() * &wide).expm1())
                    }
                };
                // a + b - ab = a + (1-a) b
                *sum = &*sum + &(&(&Number::one() - &*sum) * &several);
            }
        }
        Ok((p, q))
    }

    /// The composition in fixed point with `fraction` bits.
    pub(super) fn halves(&self, forward: bool, fraction: u32, budget: &Budget) -> Result<Arc<Halves>, Error> {
        let halves = self.convolved.get((forward, fraction), || self.convolve(forward, fraction, budget))?;
        halves.explain(budget);
        Ok(halves)
    }

    fn convolve(&self, forward: bool, fraction: u32, budget: &Budget) -> Result<Halves, Error> {
        budget.afford(&work(self.points, fraction))?;
        let one = || Array { offset: 0, masses: vec![Integer::from(1) << fraction], error: 0 };
        let (mut p_array, mut q_array) = (one(), one());
        let bits = fraction.saturating_add(64);
        for (pair, times) in &self.parts {
            let masses = (pair.masses)(bits)?;
            let (mut p, mut q) = (Vec::new(), Vec::new());
            for (i, mass) in masses.p.iter().enumerate() {
                let step = pair.offset.saturating_add(i as i64);
                let mass = mass.enclosure(bits);
                let loss = signs::combination(&[(Integer::from(-step), &pair.unit)], bits.saturating_add(64));
                q.push(fixed_or_refuse(&(&mass * &loss.exp()).positive_part(), fraction)?);
                p.push(fixed_or_refuse(&mass.positive_part(), fraction)?);
            }
            // Rounded down from a lower end that is less than a unit away: 2 units at most.
            let p = Array { offset: pair.offset, masses: p, error: 2 };
            let q = Array { offset: pair.offset, masses: q, error: 2 };
            p_array = p_array.compose(&p.power(*times, one(), Some(fraction), budget)?, Some(fraction));
            q_array = q_array.compose(&q.power(*times, one(), Some(fraction), budget)?, Some(fraction));
        }
        let (p_infinite, q_infinite) = self.infinite(bits)?;
        let error = p_array.error.max(q_array.error);
        let offset = p_array.offset;
        let unit = self.unit.enclosure(bits.saturating_add(64));
        let key = |step: i64| fixed_or_refuse(&(&unit * &Enclosure::integer(&step.into(), bits + 64)), fraction);
        let (mut keys, mut p, mut q) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (a, b)) in p_array.masses.into_iter().zip(q_array.masses).enumerate() {
            keys.push(key((offset + i as i64) * if forward { 1 } else { -1 })?);
            p.push(a);
            q.push(b);
        }
        if forward {
            keys.reverse();
            p.reverse();
            q.reverse();
        } else {
            std::mem::swap(&mut p, &mut q);
        }
        let infinite = if forward { p_infinite } else { q_infinite };
        let half = Half { keys, key_error: 2, p, q, error };
        Ok(Halves::new(Half::nothing(fraction), half, infinite.enclosure(bits), fraction, fraction))
    }

    /// The largest finite loss, where the profile meets the mass at infinity; at least zero.
    fn largest_loss(&self, forward: bool, bits: u32) -> Result<Number, Error> {
        let mut steps = Integer::new();
        for (pair, times) in &self.parts {
            let masses = (pair.masses)(bits)?.p;
            let positive = |(i, mass): (usize, &Number)| match mass.exact() {
                Some(mass) if *mass == 0 => None,
                _ => Some((i, mass.sign() == Some(Ordering::Greater))),
            };
            let mut all = masses.iter().enumerate();
            let end = if forward { all.rev().find_map(positive) } else { all.find_map(positive) };
            match end {
                Some((i, true)) => {
                    let step = Integer::from(pair.offset) + i;
                    steps += if forward { step } else { -step } * *times;
                }
                Some((_, false)) => {
                    return Err(Error::Undecided("whether the largest loss has positive mass is not decided".into()));
                }
                // No finite loss at all.
                None => return Ok(Number::zero()),
            }
        }
        if steps <= 0 {
            return Ok(Number::zero());
        }
        Ok(match self.unit.as_rational() {
            Some(unit) => Number::Exact(Rational::from(unit * steps)),
            None => Number::Enclosed(signs::combination(&[(steps, &self.unit)], bits)),
        })
    }

    fn forward(&self, direction: Direction) -> bool {
        self.symmetric || direction != Direction::Backward
    }

    fn turned(atoms: &ExactAtoms, forward: bool) -> ExactAtoms {
        if forward { atoms.clone() } else { atoms.reversed() }
    }
}

/// Bits that `e^t` is above one.
pub(super) fn threshold_bits(threshold: &Real) -> u32 {
    let bits = threshold.to_f64() * std::f64::consts::LOG2_E;
    if bits > 0.0 { bits.min(1e9) as u32 + 1 } else { 0 }
}

impl Curve for Lattice {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// `sum (p - e^eps q)_+` over the lattice and the atom at infinity.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let forward = self.forward(direction);
        if let Some(x) = epsilon.exp_rational()
            && let Some(atoms) = self.exact(budget)?.as_ref()
        {
            return Ok(Number::Exact(Self::turned(atoms, forward).profile(&x)));
        }
        // At or beyond the largest loss only infinity is left.
        let mut largest = vec![(Integer::from(-1), epsilon)];
        let mut steps = Integer::new();
        for (pair, times) in &self.parts {
            let length = (pair.masses)(64)?.p.len() as i64;
            let top = if forward { pair.offset + length - 1 } else { -pair.offset };
            steps += Integer::from(top) * *times;
        }
        largest.push((steps, &self.unit));
        if matches!(signs::sign(&largest, budget)?, Some(Ordering::Less | Ordering::Equal)) {
            let (p, q) = self.infinite(bits.saturating_add(16))?;
            return Ok(if forward { p } else { q });
        }
        adaptive(bits, threshold_bits(epsilon), budget, |fraction| {
            let halves = self.halves(forward, fraction, budget)?;
            Ok(Number::Enclosed(halves.profile(&epsilon.enclosure(fraction.saturating_add(64)), budget)?))
        })
    }

    /// The least `eps >= 0` whose delta is at most the target; infinite iff the atom at infinity exceeds it.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        check_probability(delta, "the target delta", budget)?;
        let forward = self.forward(direction);
        if let (Some(level), Some(atoms)) = (delta.as_rational(), self.exact(budget)?.as_ref()) {
            let wide = bits.saturating_add(32);
            return Ok(match Self::turned(atoms, forward).inverse(level) {
                None => Value::Infinite,
                Some(x) => Value::Finite(ln_of(&x, wide)),
            });
        }
        let (p, q) = self.infinite(bits.saturating_add(64))?;
        let infinite = if forward { p } else { q };
        match delta.number(bits.saturating_add(64)).compare(&infinite) {
            Some(Ordering::Less) => return Ok(Value::Infinite),
            Some(Ordering::Greater) => {}
            Some(Ordering::Equal) => return self.largest_loss(forward, bits).map(Value::Finite),
            None => {
                return Err(Error::Undecided(format!(
                    "whether delta = {delta} is below the mass at infinity is not decided"
                )));
            }
        }
        Ok(Value::Finite(adaptive(bits, 64, budget, |fraction| {
            let halves = self.halves(forward, fraction, budget)?;
            halves.inverse(&delta.enclosure(fraction.saturating_add(32)), bits.saturating_add(4), budget)
        })?))
    }

    /// `T(P,Q)(alpha)`: the least Q-mass of a test that accepts P-mass `1 - alpha`.
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        check_probability(alpha, "alpha", budget)?;
        let forward = self.forward(direction);
        if let (Some(alpha), Some(atoms)) = (alpha.as_rational(), self.exact(budget)?.as_ref()) {
            return Ok(Number::Exact(Self::turned(atoms, forward).least_mass(&Rational::from(1 - alpha))));
        }
        let (p, q) = self.infinite(bits.saturating_add(64))?;
        let (infinite, other) = if forward { (p, q) } else { (q, p) };
        if alpha.sign() == Some(Ordering::Equal) {
            return Ok(&Number::one() - &other);
        }
        let mass = &Number::one() - &alpha.number(bits.saturating_add(64));
        if matches!(mass.compare(&infinite), Some(Ordering::Less | Ordering::Equal)) {
            return Ok(Number::zero());
        }
        adaptive(bits, 64, budget, |fraction| {
            let halves = self.halves(forward, fraction, budget)?;
            let mass = &Enclosure::one(fraction + 64) - &alpha.enclosure(fraction.saturating_add(64));
            Ok(Number::Enclosed(halves.least_mass(&mass, budget)?))
        })
    }

    fn method(&self) -> &'static str {
        "lattice convolution"
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("unit of the losses", Brief(&self.unit)), Note::new("lattice points", self.points)]
    }

    fn statement(&self) -> &'static str {
        "Neyman-Pearson on the exact distribution of the composed loss"
    }
}

/// `ln x` of an exact fraction, `x >= 1`, with full relative accuracy also next to 1.
pub(super) fn ln_of(x: &Rational, bits: u32) -> Number {
    if *x == 1 {
        return Number::zero();
    }
    Number::Enclosed(Enclosure::rational(&Rational::from(x - 1_u32), bits).log1p())
}

#[cfg(test)]
mod tests;
