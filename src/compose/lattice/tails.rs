//! Tails of a composition from two arrays, without composing them.
//!
//! With the law of the loss tilted by `c >= 0` and places counted in units u of loss, everything asked of a composition
//! is made of two *discounted tails* of the tilted law t at a place J,
//!
//! `D_c(J) = sum_(k >= J) t_k e^(-c u (k - J))` and `D_(c+1)(J)`:
//!
//! `A_J = P(l_J <= L < infinity) = M(c) e^(-c l_J) D_c(J)` and `B_J = Q(L >= l_J) = M(c) e^(-(c+1) l_J) D_(c+1)(J)`.
//!
//! Their weights are at most one, so an array known up to e units in sum gives them up to e units. For t the
//! convolution of a and b they need no convolution: `D(J) = sum_i a_i S(J - s i)` with S the discounted tails of b
//! alone, one multiplication for each mass of a. That is what a few points are answered with. Many points are worth the
//! convolution, after which each is looked up.

use rug::integer::Order;
use rug::{Integer, Rational};

use super::Listed;
use super::array::{Array, gcd, in_units};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real, convolution, work};

/// What is asked at one place: `A_J` and `B_J` are multiples of these.
#[derive(Clone, Debug)]
pub(super) struct Discounted {
    /// `D_c(J)`.
    pub p: Enclosure,
    /// `D_(c+1)(J)`.
    pub q: Enclosure,
}

/// One rate of discount: fixed-point factors and the tails of the second array.
struct Rate {
    /// The rate itself, per unit of loss.
    rate: Rational,
    /// `floor(2^F e^(-rate u s))` for the stride of the first array; none for rate zero, where it is one.
    first: Option<Vec<u64>>,
    /// S at each place of the second array.
    tails: Vec<u64>,
}

/// A tilted composition, ready for its tails.
pub(super) struct Tails {
    width: usize,
    unit: Real,
    /// None once it is composed into the second.
    first: Option<Array>,
    second: Array,
    rates: [Rate; 2],
}

/// `floor(2^F e^(-rate u s))`, at most a few units too small.
fn factor(rate: &Rational, unit: &Real, stride: u64, width: usize) -> Result<Option<Vec<u64>>, Error> {
    if *rate == 0 {
        return Ok(None);
    }
    let bits = 64 * width as u32 + 64;
    let exponent = unit.mul_rational(&Rational::from(rate * Integer::from(stride)));
    let value = (-exponent.enclosure(bits)).exp();
    let fixed = super::super::meet_in_the_middle::fixed_or_refuse(&value, 64 * width as u32)?;
    let top = (Integer::from(1) << (64 * width as u32)) - 1_u32;
    let mut words = fixed.min(top).to_digits::<u64>(Order::Lsf);
    words.resize(width, 0);
    Ok(Some(words))
}

/// `out = mass + floor(factor before / 2^F)`.
fn discount(factor: &Option<Vec<u64>>, before: &[u64], mass: &[u64], scratch: &mut [u64], out: &mut [u64]) {
    let width = mass.len();
    work::spend(10 + (width * width) as u64);
    match factor {
        None => scratch[width..].copy_from_slice(before),
        Some(factor) => {
            scratch.fill(0);
            convolution::add_product(scratch, factor, before);
        }
    }
    let mut carry = false;
    for ((out, a), b) in out.iter_mut().zip(&scratch[width..]).zip(mass) {
        let (sum, one) = a.overflowing_add(*b);
        let (sum, two) = sum.overflowing_add(u64::from(carry));
        *out = sum;
        carry = one || two;
    }
}

/// Discounted tails at each place of an array.
fn suffixes(array: &Array, factor: &Option<Vec<u64>>, budget: &Budget) -> Result<Vec<u64>, Error> {
    let width = array.width;
    let mut tails = vec![0_u64; array.words.len()];
    let mut before = vec![0_u64; width];
    let mut scratch = vec![0_u64; 2 * width];
    for (i, (out, mass)) in tails.chunks_exact_mut(width).zip(array.words.chunks_exact(width)).rev().enumerate() {
        if i % 0x10000 == 0 {
            budget.check()?;
        }
        discount(factor, &before, mass, &mut scratch, out);
        before.copy_from_slice(out);
    }
    Ok(tails)
}

impl Tails {
    /// For the tilt `c >= 0`; the arrays share the width.
    pub fn new(tilt: &Rational, unit: &Real, a: Array, b: Array, budget: &Budget) -> Result<Self, Error> {
        // The one with the closer places is summed up: fewer classes of overshoot, and fewer walks.
        let width = a.width;
        let (first, second) = if a.stride < b.stride && b.len() > 1 { (b, a) } else { (a, b) };
        let (first, second) = if second.len() == 1 { (second, first) } else { (first, second) };
        let plus_one = Rational::from(tilt + 1_u32);
        let (low, high) = budget.join(
            |budget| Self::rate(tilt.clone(), unit, Some(&first), &second, budget),
            |budget| Self::rate(plus_one, unit, Some(&first), &second, budget),
        );
        Ok(Tails { width, unit: unit.clone(), first: Some(first), second, rates: [low?, high?] })
    }

    fn rate(
        rate: Rational,
        unit: &Real,
        first: Option<&Array>,
        second: &Array,
        budget: &Budget,
    ) -> Result<Rate, Error> {
        let width = second.width;
        let of_first = match first {
            Some(first) => factor(&rate, unit, first.stride, width)?,
            None => None,
        };
        let of_second = factor(&rate, unit, second.stride, width)?;
        let tails = suffixes(second, &of_second, budget)?;
        Ok(Rate { rate, first: of_first, tails })
    }

    /// How many places the composition of the two arrays has.
    pub fn places(&self) -> u64 {
        self.first.as_ref().map_or(self.second.len() as u64, |first| first.places_with(&self.second).0)
    }

    /// The same with the two arrays composed.
    pub fn composed(&self, budget: &Budget) -> Result<Self, Error> {
        let second = match &self.first {
            Some(first) => first.convolve(&self.second, budget)?,
            None => self.second.clone(),
        };
        let again = |rate: &Rate, budget: &Budget| Self::rate(rate.rate.clone(), &self.unit, None, &second, budget);
        let (low, high) = budget.join(|budget| again(&self.rates[0], budget), |budget| again(&self.rates[1], budget));
        Ok(Tails { width: self.width, unit: self.unit.clone(), first: None, rates: [low?, high?], second })
    }

    /// The first and the last place with mass.
    pub fn ends(&self) -> (i64, i64) {
        let mut ends = (0_i64, 0_i64);
        for array in self.first.iter().chain([&self.second]) {
            let span = (array.len() as u64 - 1).saturating_mul(array.stride);
            ends.0 = ends.0.saturating_add(array.start);
            ends.1 = ends.1.saturating_add(array.start).saturating_add(i64::try_from(span).unwrap_or(i64::MAX));
        }
        ends
    }

    /// All stored masses by place, once composed: of the law of the finite losses alone, which totals one.
    pub fn listed(&self) -> Listed {
        let (width, array) = (self.width, &self.second);
        let bits = 64 * width as u32;
        let list = array.words.chunks_exact(width).enumerate().map(|(i, words)| {
            let place = i64::try_from(i as u64 * array.stride).unwrap_or(i64::MAX);
            (array.start.saturating_add(place), scaled(words, width, bits))
        });
        Listed { list: list.collect(), missing: in_units(array.error, width) }
    }

    /// What the stored masses may be off by, in units, in sum.
    pub fn error(&self) -> u128 {
        self.first.as_ref().map_or(0, |first| first.error).saturating_add(self.second.error)
    }

    /// The discounted tails at a place.
    pub fn at(&self, place: i64, budget: &Budget) -> Result<Discounted, Error> {
        if self.first.is_none() {
            return Ok(Discounted {
                p: self.tail(&self.rates[0], place, budget)?,
                q: self.tail(&self.rates[1], place, budget)?,
            });
        }
        let [low, high] = &self.rates;
        let (p, q) = budget.join(|budget| self.tail(low, place, budget), |budget| self.tail(high, place, budget));
        Ok(Discounted { p: p?, q: q? })
    }

    /// `sum_i a_i S(place - i)`, and what it may be off by.
    fn tail(&self, rate: &Rate, place: i64, budget: &Budget) -> Result<Enclosure, Error> {
        let width = self.width;
        let bits = 64 * width as u32 + 32;
        let weight = |excess: u64| {
            if rate.rate == 0 || excess == 0 {
                return Enclosure::one(bits);
            }
            let exponent = self.unit.mul_rational(&Rational::from(&rate.rate * Integer::from(excess)));
            (-exponent.enclosure(bits + 64)).exp().with_bits(bits)
        };
        let (sum, mut error) = match &self.first {
            None => {
                // One lookup.
                let (index, excess) = first_at(&self.second, i128::from(place) - i128::from(self.second.start));
                let value = match rate.tails.get(index * width..(index + 1) * width) {
                    Some(words) => scaled(words, width, bits),
                    None => Enclosure::zero(bits),
                };
                (&value * &weight(excess), 0)
            }
            Some(first) => (self.walk(first, rate, place, &weight, budget)?, first.error),
        };
        // Each step of the sums rounds down once and uses a factor that is up to two units too small.
        let steps = self.first.as_ref().map_or(0, Array::len) + self.second.len();
        error = error.saturating_add(self.second.error).saturating_add(3 * steps as u128 + 3);
        Ok(sum.widen(in_units(error, width).upper()))
    }

    /// The sum over the masses of the first array.
    fn walk(
        &self,
        first: &Array,
        rate: &Rate,
        place: i64,
        weight: &(dyn Fn(u64) -> Enclosure + Sync),
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let width = self.width;
        let bits = 64 * width as u32 + 32;
        let (s, t) = (first.stride, self.second.stride);
        // Relative to the sum of the first places.
        let target = i128::from(place) - i128::from(first.start) - i128::from(self.second.start);
        // From here on the whole second array counts.
        let (whole, excess) = first_at(first, target);
        let mut total = Enclosure::zero(bits);
        if whole < first.len() {
            let mut before = vec![0_u64; width];
            let mut out = vec![0_u64; width];
            let mut scratch = vec![0_u64; 2 * width];
            for mass in first.words[whole * width..].chunks_exact(width).rev() {
                discount(&rate.first, &before, mass, &mut scratch, &mut out);
                std::mem::swap(&mut before, &mut out);
            }
            let rest = &scaled(&before, width, bits) * &weight(excess);
            total = &rest * &scaled(&rate.tails[..width], width, bits);
        }
        // Below, by classes of equal overshoot: s i + t j - target depends on i modulo t/gcd.
        let classes = usize::try_from(t / gcd(s, t)).unwrap_or(usize::MAX).min(whole.max(1));
        let class_sum = |class: usize, budget: &Budget| -> Result<Enclosure, Error> {
            if class >= whole {
                return Ok(Enclosure::zero(bits));
            }
            budget.check()?;
            let mut sum = vec![0_u64; 2 * width + 1];
            let mut excess = 0;
            work::spend(((whole - class) / classes) as u64 * (10 + (width * width) as u64));
            for i in (class..whole).step_by(classes) {
                // target > s i.
                let left = (target - i128::from(s) * i as i128) as u128;
                let index = left.div_ceil(u128::from(t));
                excess = (index * u128::from(t) - left) as u64;
                let Ok(index) = usize::try_from(index) else { continue };
                if index >= self.second.len() {
                    continue;
                }
                let mass = &first.words[i * width..(i + 1) * width];
                convolution::add_product(&mut sum, mass, &rate.tails[index * width..(index + 1) * width]);
            }
            Ok(&scaled(&sum, 2 * width, bits) * &weight(excess))
        };
        for sum in budget.map(0..classes, class_sum)? {
            total = &total + &sum;
        }
        Ok(total)
    }
}

/// The first place of an array at or beyond a target, counted from its start, and by how much it is beyond.
fn first_at(array: &Array, target: i128) -> (usize, u64) {
    if target <= 0 {
        return (0, u64::try_from(-target).unwrap_or(u64::MAX));
    }
    let target = target as u128;
    let index = target.div_ceil(u128::from(array.stride));
    let excess = index * u128::from(array.stride) - target;
    (usize::try_from(index).unwrap_or(usize::MAX / 2).min(array.len()), excess as u64)
}

/// A number of words as a fraction of `2^(64 places)`.
fn scaled(words: &[u64], places: usize, bits: u32) -> Enclosure {
    Enclosure::integer(&Integer::from_digits(words, Order::Lsf), bits).shift(-(64 * places as i32))
}
