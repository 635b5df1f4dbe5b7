//! Sums `sum_j c_j x^(k_j)` of a few variables with integer coefficients and integer exponents of either sign.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use rug::{Integer, Rational};

/// Variables, at most.
pub(super) const UNITS: usize = 3;

/// The exponents of a term.
pub(super) type Exponents = [i32; UNITS];

/// The most terms, and the most bits of a coefficient.
const MOST_TERMS: usize = 1 << 12;
const MOST_BITS: u32 = 1 << 14;

/// Terms in the order of their exponents, none with the coefficient 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Sum {
    terms: Arc<Vec<(Exponents, Integer)>>,
}

fn plus(a: &Exponents, b: &Exponents, sign: i32) -> Option<Exponents> {
    let mut sum = *a;
    for (slot, more) in sum.iter_mut().zip(b) {
        *slot = slot.checked_add(more.checked_mul(sign)?)?;
    }
    Some(sum)
}

impl Sum {
    fn new(terms: impl IntoIterator<Item = (Exponents, Integer)>) -> Self {
        Sum { terms: Arc::new(terms.into_iter().filter(|(_, factor)| !factor.is_zero()).collect()) }
    }

    /// One term, or none.
    pub(super) fn monomial(key: Exponents, factor: Integer) -> Self {
        Sum::new([(key, factor)])
    }

    pub(super) fn terms(&self) -> &[(Exponents, Integer)] {
        &self.terms
    }

    /// Is it short enough to be worked with?
    pub(super) fn is_short(&self) -> bool {
        self.terms.len() <= MOST_TERMS && self.terms.iter().all(|(_, factor)| factor.significant_bits() <= MOST_BITS)
    }

    /// The sign of the value at all positive arguments, where the coefficients tell it.
    pub(super) fn certain_sign(&self) -> Option<Ordering> {
        let mut signs = self.terms.iter().map(|(_, factor)| factor.cmp0());
        let Some(first) = signs.next() else { return Some(Ordering::Equal) };
        signs.all(|sign| sign == first).then_some(first)
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        let mut all = Vec::with_capacity(self.terms.len() + other.terms.len());
        loop {
            let order = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let one = if order.is_le() { a.next() } else { None };
            let two = if order.is_ge() { b.next() } else { None };
            match (one, two) {
                (Some((key, x)), Some((_, y))) => all.push((*key, Integer::from(x + y))),
                (Some(term), None) | (None, Some(term)) => all.push(term.clone()),
                (None, None) => {}
            }
        }
        Sum::new(all)
    }

    pub(super) fn scale(&self, factor: &Integer) -> Self {
        Sum::new(self.terms.iter().map(|(key, own)| (*key, Integer::from(own * factor))))
    }

    /// Times `x^key`, or over it.
    pub(super) fn shift(&self, key: Exponents, sign: i32) -> Option<Self> {
        let moved = self.terms.iter().map(|(own, factor)| Some((plus(own, &key, sign)?, factor.clone())));
        Some(Sum { terms: Arc::new(moved.collect::<Option<_>>()?) })
    }

    /// The product; `None` where it is too long.
    pub(super) fn mul(&self, other: &Self) -> Option<Self> {
        let (few, many) = if self.terms.len() <= other.terms.len() { (self, other) } else { (other, self) };
        if let [(key, factor)] = few.terms() {
            let moved = if *key == Exponents::default() { many.clone() } else { many.shift(*key, 1)? };
            return Some(if *factor == 1 { moved } else { moved.scale(factor) });
        }
        if few.terms.len().saturating_mul(many.terms.len()) > MOST_TERMS * 16 {
            return None;
        }
        let mut all: BTreeMap<Exponents, Integer> = BTreeMap::new();
        for (key, factor) in few.terms() {
            for (other, own) in many.terms() {
                *all.entry(plus(key, other, 1)?).or_default() += factor * own;
            }
        }
        let product = Sum::new(all);
        product.is_short().then_some(product)
    }

    /// The n-th power.
    pub(super) fn pow(&self, n: u32) -> Option<Self> {
        let mut result = Sum::monomial(Exponents::default(), Integer::from(1));
        for bit in (0..u32::BITS - n.leading_zeros()).rev() {
            result = result.mul(&result)?;
            if n >> bit & 1 == 1 {
                result = result.mul(self)?;
            }
        }
        Some(result)
    }

    /// The greatest common divisor of the coefficients; 0 of nothing.
    pub(super) fn content(&self) -> Integer {
        let mut content = Integer::new();
        for (_, factor) in self.terms() {
            content.gcd_mut(factor);
            if content == 1 {
                break;
            }
        }
        content
    }

    /// Over a divisor of the content.
    pub(super) fn without(&self, divisor: &Integer) -> Self {
        Sum::new(self.terms.iter().map(|(key, factor)| (*key, Integer::from(factor.div_exact_ref(divisor)))))
    }

    /// As `content x^key` times a sum that begins with a positive constant, and whose coefficients have no divisor in
    /// common; `None` for 0.
    pub(super) fn primitive(&self) -> Option<(Exponents, Integer, Self)> {
        let (key, first) = self.terms.first()?;
        let content = if first.cmp0() == Ordering::Less { -self.content() } else { self.content() };
        Some((*key, content.clone(), self.shift(*key, -1)?.without(&content)))
    }

    /// The quotient, if it is a sum: of a divisor that begins with a constant and has the content 1, so that by Gauss's
    /// lemma it has integer coefficients. Terms are found from the least exponents up. In each variable the degrees of
    /// the quotient and the divisor add up to that of the sum, which ends it.
    pub(super) fn divided_by(&self, divisor: &Self) -> Option<Self> {
        let (_, lowest) = divisor.terms.first()?;
        let last = |sum: &Self| -> Exponents {
            std::array::from_fn(|i| sum.terms.iter().map(|(key, _)| key[i]).max().unwrap_or(0))
        };
        let most = plus(&last(self), &last(divisor), -1)?;
        let mut rest: BTreeMap<Exponents, Integer> = self.terms.iter().cloned().collect();
        let mut quotient = Vec::new();
        while let Some((key, factor)) = rest.pop_first() {
            if factor.is_zero() {
                continue;
            }
            if key.iter().zip(&most).any(|(k, most)| k > most) || quotient.len() > MOST_TERMS {
                return None;
            }
            let ratio = Rational::from((&factor, lowest));
            let share = if ratio.is_integer() { ratio.into_numer_denom().0 } else { return None };
            for (other, own) in divisor.terms.iter().skip(1) {
                *rest.entry(plus(&key, other, 1)?).or_default() -= &share * own;
            }
            quotient.push((key, share));
        }
        Some(Sum::new(quotient))
    }
}
