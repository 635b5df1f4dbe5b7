//! Quotients of sums of exponentials: exact numbers that are equal if their forms are, with signs from enclosures.
//!
//! With constants `u_1, ..., u_m` that stay fixed ([`Exponentials`]), a [`Quotient`] is
//!
//! ```text
//! (sum_j c_j e^(<k_j, u>)) / (s f_1^(n_1) ... f_l^(n_l))
//! ```
//!
//! with integers `c_j`, vectors of integers `k_j`, an integer `s > 0` and sums of the same kind `f_i`, each of which is
//! certainly positive. So it is a rational function of `x_i = e^(u_i)`, and identities of rational functions hold for
//! its value.
//!
//! **Zero** is proven by the form alone: a sum without terms is zero, whatever the `x_i` are. Conversely, where the
//! `u_i` are algebraic and linearly independent over the rationals, a sum with terms is not zero (Lindemann and
//! Weierstrass), so zero is always recognised; otherwise a value that is zero with a nonzero form stays undecided.
//! **Signs** are those of enclosures of the numerator, at increasing precision. (`proofs/paper/constants.md`)
//!
//! A form is not a normal form: factors of a numerator are cancelled only in products, and only if they occur in the
//! denominator. Forms that grow too long give `None`.

mod sum;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use rug::{Integer, Rational};

use self::sum::{Exponents, Sum, UNITS};
use crate::real::Term;
use crate::work::{self, Kept};
use crate::{Enclosure, Real, common_unit};

/// The constants whose integer multiples are the exponents.
#[derive(Debug)]
pub struct Exponentials {
    units: Vec<Real>,
    powers: Mutex<HashMap<(u32, Exponents), (Enclosure, u64)>>,
}

/// A rational function of exponentials.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quotient {
    numerator: Sum,
    /// Positive.
    scale: Integer,
    /// Positive sums, in their order, and their powers.
    factors: Vec<(Sum, u32)>,
}

/// A scale and factors.
type Denominator<'a> = (&'a Integer, &'a [(Sum, u32)]);

/// Precisions at which a sign is searched.
const SIGN_BITS: [u32; 5] = [128, 512, 2048, 8192, 32768];

impl Exponentials {
    /// The constants that these are rational functions of the exponentials of; `None` if one of them is written in
    /// another way, or if it takes too many.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a Real>) -> Option<Self> {
        let mut exponents = Vec::new();
        for value in values {
            gather(value, &mut exponents)?;
        }
        let mut groups: Vec<Vec<Real>> = Vec::new();
        for exponent in exponents {
            let like = |group: &&mut Vec<Real>| group.first().is_some_and(|first| exponent.ratio(first).is_some());
            match groups.iter_mut().find(like) {
                Some(group) if group.contains(&exponent) => {}
                Some(group) => group.push(exponent),
                None => groups.push(vec![exponent]),
            }
        }
        if groups.len() > UNITS {
            return None;
        }
        let units = groups.iter().map(|group| common_unit(group).map(|(unit, _)| unit)).collect::<Option<_>>()?;
        Some(Exponentials { units, powers: Mutex::default() })
    }

    /// Of how many exponentials.
    pub fn dimension(&self) -> usize {
        self.units.len()
    }

    /// This constant, which was among those that the units were taken from, or is made of them.
    pub fn quotient(&self, value: &Real) -> Option<Quotient> {
        let (rational, terms) = value.opaque_terms()?;
        let mut all = Quotient::from(rational);
        for (term, factor) in terms {
            let term = match term {
                Term::Exp(exponent) => self.exponential(&exponent)?,
                Term::Product(bases) => {
                    let mut product = Quotient::one();
                    for (base, power) in bases {
                        let base = self.quotient(&base)?;
                        let base = if power < 0 { self.recip(&base)? } else { base };
                        product = product.mul(&base.pow(power.unsigned_abs())?)?;
                    }
                    product
                }
                Term::Other => return None,
            };
            all = all.add(&term.mul(&Quotient::from(factor))?)?;
        }
        Some(all)
    }

    /// `e^exponent`.
    fn exponential(&self, exponent: &Real) -> Option<Quotient> {
        let mut key = Exponents::default();
        let (unit, slot) = self.units.iter().zip(&mut key).find(|(unit, _)| exponent.ratio(unit).is_some())?;
        let times = exponent.ratio(unit)?;
        *slot = if times.is_integer() { times.numer().to_i32()? } else { return None };
        Some(Quotient { numerator: Sum::monomial(key, Integer::from(1)), scale: 1.into(), factors: Vec::new() })
    }

    /// `e^(<key, u>)`, to about this many bits.
    fn power(&self, key: Exponents, bits: u32) -> Enclosure {
        let mut powers = self.powers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((power, units)) = powers.get(&(bits, key)) {
            work::recall(Kept::ForOne, *units);
            return power.clone();
        }
        let (power, units) = work::learn(Kept::ForOne, || {
            let parts = self.units.iter().zip(key).map(|(unit, times)| unit.mul_rational(&Rational::from(times)));
            let exponent = Real::sum(&parts.collect::<Vec<_>>());
            // A relative error of the power is an absolute one of the exponent.
            exponent.enclosure(bits.saturating_add(64)).exp().with_bits(bits)
        });
        powers.insert((bits, key), (power.clone(), units));
        power
    }

    fn value(&self, sum: &Sum, bits: u32) -> Enclosure {
        let term = |(key, factor): &(Exponents, Integer)| Enclosure::integer(factor, bits) * self.power(*key, bits);
        sum.terms().iter().map(term).fold(Enclosure::zero(bits), |all, term| all + term)
    }

    fn sign_of_sum(&self, sum: &Sum) -> Option<Ordering> {
        if let Some(sign) = sum.certain_sign() {
            return Some(sign);
        }
        SIGN_BITS.into_iter().find_map(|bits| self.value(sum, bits).sign())
    }

    /// The sign; `None` if it is undecided.
    pub fn sign(&self, value: &Quotient) -> Option<Ordering> {
        self.sign_of_sum(&value.numerator)
    }

    /// The order of two quotients.
    pub fn compare(&self, a: &Quotient, b: &Quotient) -> Option<Ordering> {
        self.sign(&a.sub(b)?)
    }

    /// `1/x`; `None` unless x is certainly not 0.
    pub fn recip(&self, value: &Quotient) -> Option<Quotient> {
        let (key, mut content, primitive) = value.numerator.primitive()?;
        let (mut primitive, mut factors) = (primitive, Vec::new());
        if primitive.terms().len() > 1 {
            match self.sign_of_sum(&primitive)? {
                Ordering::Greater => {}
                Ordering::Less => {
                    primitive = primitive.scale(&Integer::from(-1));
                    content = -content;
                }
                Ordering::Equal => return None,
            }
            factors.push((primitive, 1));
        }
        let negative = content.cmp0() == Ordering::Less;
        let top = if negative { -value.scale.clone() } else { value.scale.clone() };
        let mut numerator = Sum::monomial(Exponents::default(), top).shift(key, -1)?;
        for (factor, power) in &value.factors {
            numerator = numerator.mul(&factor.pow(*power)?)?;
        }
        Quotient { numerator, scale: content.abs(), factors }.reduced()
    }

    /// `a/b`.
    pub fn div(&self, a: &Quotient, b: &Quotient) -> Option<Quotient> {
        a.mul(&self.recip(b)?)
    }

    /// The quotient as a constant; `None` if it has too many terms or the constant is too long.
    pub fn real(&self, value: &Quotient, most_terms: usize) -> Option<Real> {
        let Quotient { numerator, scale, factors } = value;
        let terms = numerator.terms().len() + factors.iter().map(|(factor, _)| factor.terms().len()).sum::<usize>();
        if terms > most_terms {
            return None;
        }
        let mut below = Real::from(scale.clone());
        for (factor, power) in factors {
            let factor = self.real_of_sum(factor)?;
            for _ in 0..*power {
                below = below.mul(&factor).ok()?;
            }
        }
        self.real_of_sum(numerator)?.div(&below).ok()
    }

    fn real_of_sum(&self, sum: &Sum) -> Option<Real> {
        let term = |(key, factor): &(Exponents, Integer)| {
            let parts = self.units.iter().zip(*key).map(|(unit, times)| unit.mul_rational(&Rational::from(times)));
            let exponent = Real::sum(&parts.collect::<Vec<_>>());
            Some(exponent.exp().ok()?.mul_rational(&Rational::from(factor)))
        };
        let terms = sum.terms().iter().map(term).collect::<Option<Vec<_>>>()?;
        Some(Real::sum(&terms))
    }

    /// An enclosure with about `bits` relative bits, unless the terms cancel by thousands of bits.
    pub fn enclosure(&self, value: &Quotient, bits: u32) -> Enclosure {
        let mut wide = bits.saturating_add(32);
        let mut numerator = self.value(&value.numerator, wide);
        let narrow = |set: &Enclosure| set.relative_bits().is_some_and(|proven| proven >= i64::from(bits));
        while !narrow(&numerator) && wide <= 1 << 15 && !value.is_zero() {
            wide *= 2;
            numerator = self.value(&value.numerator, wide);
        }
        let scale = Enclosure::integer(&value.scale, wide);
        let below = value
            .factors
            .iter()
            .fold(scale, |all, (factor, power)| all * self.value(factor, wide).pow(u64::from(*power)));
        (numerator / below).with_bits(bits)
    }
}

/// The exponents in a constant.
fn gather(value: &Real, exponents: &mut Vec<Real>) -> Option<()> {
    for (term, _) in value.opaque_terms()?.1 {
        match term {
            Term::Exp(exponent) => exponents.push(exponent),
            Term::Product(bases) => bases.iter().try_for_each(|(base, _)| gather(base, exponents))?,
            Term::Other => return None,
        }
    }
    Some(())
}

impl From<Rational> for Quotient {
    fn from(value: Rational) -> Self {
        let (numer, scale) = value.into_numer_denom();
        Quotient { numerator: Sum::monomial(Exponents::default(), numer), scale, factors: Vec::new() }
    }
}

impl Quotient {
    /// 0.
    pub fn zero() -> Self {
        Quotient::from(Rational::new())
    }

    /// 1.
    pub fn one() -> Self {
        Quotient::from(Rational::from(1))
    }

    /// Is it 0 by its form?
    pub fn is_zero(&self) -> bool {
        self.numerator.terms().is_empty()
    }

    /// `x + y`.
    pub fn add(&self, other: &Self) -> Option<Self> {
        if self.is_zero() {
            return Some(other.clone());
        }
        if other.is_zero() {
            return Some(self.clone());
        }
        if self.scale == other.scale && self.factors == other.factors {
            let numerator = self.numerator.add(&other.numerator);
            return numerator.is_short().then(|| Quotient { numerator, ..self.clone() });
        }
        let factors = merged(&self.factors, &other.factors, u32::max);
        let scale = Integer::from(self.scale.lcm_ref(&other.scale));
        let (a, b) = (self.over(&scale, &factors)?, other.over(&scale, &factors)?);
        Quotient { numerator: a.add(&b), scale, factors }.reduced()
    }

    /// `-x`.
    #[must_use]
    pub fn neg(&self) -> Self {
        Quotient { numerator: self.numerator.scale(&Integer::from(-1)), ..self.clone() }
    }

    /// `x - y`.
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add(&other.neg())
    }

    /// `x y`.
    pub fn mul(&self, other: &Self) -> Option<Self> {
        let factors = merged(&self.factors, &other.factors, |a, b| a + b);
        let scale = Integer::from(&self.scale * &other.scale);
        Quotient { numerator: self.numerator.mul(&other.numerator)?, scale, factors }.reduced()
    }

    fn pow(&self, power: u64) -> Option<Self> {
        let mut result = Self::one();
        for bit in (0..u64::BITS - power.leading_zeros()).rev() {
            result = result.mul(&result)?;
            if power >> bit & 1 == 1 {
                result = result.mul(self)?;
            }
        }
        Some(result)
    }

    /// The numerator over a common denominator, which this scale and these factors divide.
    fn over(&self, scale: &Integer, factors: &[(Sum, u32)]) -> Option<Sum> {
        let mut numerator = self.numerator.scale(&Integer::from(scale / &self.scale));
        for (factor, power) in factors {
            let own = self.factors.iter().find(|(known, _)| known == factor).map_or(0, |(_, own)| *own);
            numerator = numerator.mul(&factor.pow(power.saturating_sub(own))?)?;
        }
        Some(numerator)
    }

    /// The same numbers, written over one denominator: then sums of them take no products.
    pub fn aligned(values: &[Self]) -> Option<Vec<Self>> {
        let (mut factors, mut scale) = (Vec::new(), Integer::from(1));
        for value in values {
            factors = merged(&factors, &value.factors, u32::max);
            scale.lcm_mut(&value.scale);
        }
        let mut multipliers: HashMap<Denominator<'_>, Sum> = HashMap::new();
        let mut all = Vec::with_capacity(values.len());
        for value in values {
            let key = (&value.scale, value.factors.as_slice());
            let multiplier = match multipliers.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let one = Quotient { numerator: Sum::monomial(Exponents::default(), 1.into()), ..value.clone() };
                    place.insert(one.over(&scale, &factors)?)
                }
            };
            let numerator = value.numerator.mul(multiplier)?;
            all.push(Quotient { numerator, scale: scale.clone(), factors: factors.clone() });
        }
        Some(all)
    }

    /// Without what numerator and denominator certainly share.
    fn reduced(mut self) -> Option<Self> {
        if self.is_zero() {
            return Some(Self::zero());
        }
        for (factor, power) in &mut self.factors {
            while *power > 0
                && let Some(quotient) = self.numerator.divided_by(factor)
            {
                self.numerator = quotient;
                *power -= 1;
            }
        }
        self.factors.retain(|(_, power)| *power > 0);
        if self.scale != 1 {
            let common = self.numerator.content().gcd(&self.scale);
            self.numerator = self.numerator.without(&common);
            self.scale.div_exact_mut(&common);
        }
        self.numerator.is_short().then_some(self)
    }
}

/// Both lists of powers in one.
fn merged(a: &[(Sum, u32)], b: &[(Sum, u32)], together: impl Fn(u32, u32) -> u32) -> Vec<(Sum, u32)> {
    let mut all = a.to_vec();
    for (factor, power) in b {
        match all.binary_search_by(|(known, _)| known.cmp(factor)) {
            Ok(at) => all[at].1 = together(all[at].1, *power),
            Err(at) => all.insert(at, (factor.clone(), *power)),
        }
    }
    all
}
