//! Polynomials in one variable with integer coefficients, exactly.
//!
//! The variable prints as `x`. A polynomial is the list of its coefficients from the constant upward, with no zero at
//! the top; two polynomials are equal exactly if their lists are.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use rug::{Integer, Rational};

use super::Number;

/// A polynomial over the integers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Polynomial {
    /// From the constant upward; the last one is not zero.
    coefficients: Vec<Integer>,
}

impl Polynomial {
    /// The zero polynomial, which has no coefficients and no degree.
    pub fn zero() -> Self {
        Polynomial::default()
    }

    /// The constant 1.
    pub fn one() -> Self {
        Self::constant(Integer::from(1))
    }

    /// A constant.
    pub fn constant(value: Integer) -> Self {
        Self::new(vec![value])
    }

    /// `coefficient * x^degree`.
    pub fn monomial(coefficient: Integer, degree: usize) -> Self {
        let mut coefficients = vec![Integer::new(); degree];
        coefficients.push(coefficient);
        Self::new(coefficients)
    }

    /// `(1 + x)^n`.
    pub fn one_plus_x_pow(n: u32) -> Self {
        Self::new((0..=n).map(|l| Integer::from(n).binomial(l)).collect())
    }

    /// The polynomial with these coefficients, from the constant upward.
    pub fn new(mut coefficients: Vec<Integer>) -> Self {
        while coefficients.last().is_some_and(Integer::is_zero) {
            coefficients.pop();
        }
        Polynomial { coefficients }
    }

    /// The coefficients from the constant upward, with no zero at the top.
    pub fn coefficients(&self) -> &[Integer] {
        &self.coefficients
    }

    /// The degree; `None` for the zero polynomial.
    pub fn degree(&self) -> Option<usize> {
        self.coefficients.len().checked_sub(1)
    }

    /// Is it the zero polynomial?
    pub fn is_zero(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// The greatest common divisor of the coefficients, positive; 0 for the zero polynomial.
    pub fn content(&self) -> Integer {
        let mut content = Integer::new();
        for coefficient in &self.coefficients {
            content.gcd_mut(coefficient);
            if content == 1 {
                break;
            }
        }
        content
    }

    /// The largest `n` such that `x^n` divides; 0 for the zero polynomial.
    pub fn valuation(&self) -> usize {
        self.coefficients.iter().take_while(|c| c.is_zero()).count()
    }

    /// `self / x^n` if that is a polynomial.
    pub fn divide_by_x_pow(&self, n: usize) -> Option<Self> {
        match self.coefficients.get(..n) {
            _ if self.is_zero() => Some(Self::zero()),
            Some(low) if low.iter().all(Integer::is_zero) => Some(Self::new(self.coefficients[n..].to_vec())),
            _ => None,
        }
    }

    /// `self / (1 + x)` if that is a polynomial (synthetic division at -1).
    pub fn divide_by_one_plus_x(&self) -> Option<Self> {
        let mut quotient = Vec::with_capacity(self.coefficients.len());
        let mut carry = Integer::new();
        for coefficient in self.coefficients.iter().rev() {
            carry = Integer::from(coefficient - &carry);
            quotient.push(carry.clone());
        }
        // What is carried out of the constant term is the value at -1.
        if !carry.is_zero() {
            return None;
        }
        quotient.pop();
        quotient.reverse();
        Some(Self::new(quotient))
    }

    /// `self / n` if all coefficients are divisible by `n`, which is not zero.
    pub fn divide_by_integer(&self, n: &Integer) -> Option<Self> {
        if n.is_zero() || !self.coefficients.iter().all(|c| c.is_divisible(n)) {
            return None;
        }
        Some(Self::new(self.coefficients.iter().map(|c| Integer::from(c.div_exact_ref(n))).collect()))
    }

    /// `self / other` if that is a polynomial with integer coefficients; `other` is not zero.
    pub fn divide_exactly(&self, other: &Self) -> Option<Self> {
        let (last, degree) = (other.coefficients.last()?, other.coefficients.len() - 1);
        let mut rest = self.coefficients.clone();
        let mut quotient = vec![Integer::new(); (rest.len() + 1).saturating_sub(other.coefficients.len())];
        for place in (0..quotient.len()).rev() {
            let top = &rest[place + degree];
            if !top.is_divisible(last) {
                return None;
            }
            let factor = Integer::from(top.div_exact_ref(last));
            for (below, coefficient) in rest[place..].iter_mut().zip(&other.coefficients) {
                *below -= Integer::from(coefficient * &factor);
            }
            quotient[place] = factor;
        }
        rest.iter().all(Integer::is_zero).then(|| Self::new(quotient))
    }

    /// The greatest common divisor over the integers, with a positive leading coefficient; 0 for two zeros.
    ///
    /// By Euclid's algorithm with pseudo-remainders, each divided by its content (Gauss's lemma).
    pub fn gcd(&self, other: &Self) -> Self {
        let primitive = |p: &Self| p.divide_by_integer(&p.content()).unwrap_or_default();
        let content = self.content().gcd(&other.content());
        let (mut a, mut b) = (primitive(self), primitive(other));
        while !b.is_zero() {
            (a, b) = (b.clone(), primitive(&a.pseudo_remainder(&b)));
        }
        let sign = if a.coefficients.last().is_some_and(|last| last.cmp0().is_lt()) { -content } else { content };
        a.scale(&sign)
    }

    /// The remainder of `c^n self` divided by `other`, where c is the leading coefficient of `other` and n is large
    /// enough for integer coefficients.
    fn pseudo_remainder(&self, other: &Self) -> Self {
        let Some(last) = other.coefficients.last() else { return self.clone() };
        let mut rest = self.coefficients.clone();
        while rest.len() >= other.coefficients.len() {
            let Some(top) = rest.pop() else { break };
            let place = rest.len() + 1 - other.coefficients.len();
            for coefficient in &mut rest {
                *coefficient *= last;
            }
            for (below, coefficient) in rest[place..].iter_mut().zip(&other.coefficients) {
                *below -= Integer::from(coefficient * &top);
            }
        }
        Self::new(rest)
    }

    /// `self * n`.
    pub fn scale(&self, n: &Integer) -> Self {
        Self::new(self.coefficients.iter().map(|c| Integer::from(c * n)).collect())
    }

    /// `self * x^n`.
    pub fn shift(&self, n: usize) -> Self {
        if self.is_zero() {
            return Self::zero();
        }
        let mut coefficients = vec![Integer::new(); n];
        coefficients.extend_from_slice(&self.coefficients);
        Polynomial { coefficients }
    }

    /// `self^n`, with `p^0 = 1`.
    pub fn pow(&self, n: u32) -> Self {
        let mut result = Self::one();
        for bit in (0..u32::BITS - n.leading_zeros()).rev() {
            result = &result * &result;
            if n >> bit & 1 == 1 {
                result = &result * self;
            }
        }
        result
    }

    /// The value at `x`: exact at an exact `x`, an enclosure otherwise.
    pub fn evaluate(&self, x: &Number) -> Number {
        match x {
            Number::Exact(x) => Number::Exact(self.evaluate_rational(x)),
            Number::Enclosed(_) => self
                .coefficients
                .iter()
                .rev()
                .fold(Number::zero(), |sum, c| &(&sum * x) + &Number::Exact(Rational::from(c))),
        }
    }

    /// The value at a rational `x = a/b`, by Horner's rule on `b^n p(a/b)`: one division at the end.
    pub fn evaluate_rational(&self, x: &Rational) -> Rational {
        let (numer, denom) = (x.numer(), x.denom());
        let mut sum = Integer::new();
        let mut power = Integer::from(1);
        for (i, coefficient) in self.coefficients.iter().rev().enumerate() {
            if i > 0 {
                sum *= numer;
                power *= denom;
            }
            sum += Integer::from(coefficient * &power);
        }
        Rational::from((sum, power))
    }

    /// Has it at most one term, so that it needs no parentheses as a factor?
    pub fn is_monomial(&self) -> bool {
        self.valuation() + 1 >= self.coefficients.len()
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        let (long, short) =
            if self.coefficients.len() >= other.coefficients.len() { (self, other) } else { (other, self) };
        let mut sum = long.coefficients.clone();
        for (a, b) in sum.iter_mut().zip(&short.coefficients) {
            *a += b;
        }
        Polynomial::new(sum)
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;
    fn neg(self) -> Polynomial {
        Polynomial { coefficients: self.coefficients.iter().map(|c| Integer::from(-c)).collect() }
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        self + &-other
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial::zero();
        }
        let mut product = vec![Integer::new(); self.coefficients.len() + other.coefficients.len() - 1];
        for (i, a) in self.coefficients.iter().enumerate() {
            if !a.is_zero() {
                for (sum, b) in product[i..].iter_mut().zip(&other.coefficients) {
                    *sum += a * b;
                }
            }
        }
        Polynomial::new(product)
    }
}

impl fmt::Display for Polynomial {
    /// Highest power first, as people write it: `x^5 - 6*x^2 + 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        let mut first = true;
        for (degree, coefficient) in self.coefficients.iter().enumerate().rev() {
            let negative = match coefficient.cmp0() {
                Ordering::Equal => continue,
                order => order == Ordering::Less,
            };
            f.write_str(match (first, negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            })?;
            first = false;
            let size = Integer::from(coefficient.abs_ref());
            match (degree, size == 1) {
                (0, _) => write!(f, "{size}")?,
                (1, true) => f.write_str("x")?,
                (1, false) => write!(f, "{size}*x")?,
                (n, true) => write!(f, "x^{n}")?,
                (n, false) => write!(f, "{size}*x^{n}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Enclosure;

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|&c| Integer::from(c)).collect())
    }

    proptest! {
        /// A common factor divides the greatest common divisor, which divides both, and division undoes a product.
        #[test]
        fn common_divisors(
            a in prop::collection::vec(-9i64..9, 1..6),
            b in prop::collection::vec(-9i64..9, 1..6),
            c in prop::collection::vec(-9i64..9, 1..5),
        ) {
            let [a, b, c] = [&a, &b, &c].map(|coefficients| polynomial(coefficients));
            prop_assume!(!(c.is_zero() || a.is_zero() && b.is_zero()));
            let (first, second) = (&a * &c, &b * &c);
            prop_assert_eq!(first.divide_exactly(&c), Some(a));
            let common = first.gcd(&second);
            prop_assert!(common.coefficients().last().is_some_and(|last| *last > 0));
            prop_assert!(common.divide_exactly(&c).is_some(), "{} {}", common, c);
            let parts = [&first, &second].map(|whole| whole.divide_exactly(&common));
            let [Some(a), Some(b)] = parts else { return Err(TestCaseError::fail("no divisor")) };
            prop_assert_eq!(a.gcd(&b), Polynomial::one());
        }
    }

    /// By hand.
    #[test]
    fn divisors_by_hand() {
        let (a, b) = (polynomial(&[-1, 0, 1]), polynomial(&[2, 4, 2]));
        assert_eq!(a.gcd(&b), polynomial(&[1, 1]));
        assert_eq!(b.gcd(&polynomial(&[0, -4])), polynomial(&[2]));
        assert_eq!(a.divide_exactly(&polynomial(&[2])), None);
        assert_eq!(a.divide_exactly(&polynomial(&[1, 2])), None);
        assert_eq!(Polynomial::zero().divide_exactly(&a), Some(Polynomial::zero()));
        assert_eq!(Polynomial::zero().gcd(&-&a), a);
    }

    #[test]
    fn prints_as_people_write() {
        assert_eq!(polynomial(&[1, 0, -6, 0, 0, 1]).to_string(), "x^5 - 6*x^2 + 1");
        assert_eq!(polynomial(&[0, -1]).to_string(), "-x");
        assert_eq!(polynomial(&[0, 0]).to_string(), "0");
        assert_eq!(polynomial(&[-7, 2]).to_string(), "2*x - 7");
    }

    #[test]
    fn divides_exactly_or_not_at_all() {
        let p = &Polynomial::one_plus_x_pow(5) * &polynomial(&[3, -2]);
        let mut q = p.clone();
        for _ in 0..5 {
            q = q.divide_by_one_plus_x().unwrap();
        }
        assert_eq!(q, polynomial(&[3, -2]));
        assert_eq!(q.divide_by_one_plus_x(), None);
        assert_eq!(polynomial(&[0, 0, 4, 6]).divide_by_x_pow(2), Some(polynomial(&[4, 6])));
        assert_eq!(polynomial(&[0, 0, 4, 6]).divide_by_x_pow(3), None);
        assert_eq!(polynomial(&[4]).divide_by_x_pow(7), None);
        assert_eq!(polynomial(&[4, 6]).divide_by_integer(&Integer::from(2)), Some(polynomial(&[2, 3])));
        assert_eq!(polynomial(&[4, 6]).divide_by_integer(&Integer::from(4)), None);
        assert_eq!(polynomial(&[4, 6]).content(), 2);
    }

    proptest! {
        #[test]
        fn evaluation_is_a_ring_homomorphism(
            a in prop::collection::vec(-9i64..10, 0..6),
            b in prop::collection::vec(-9i64..10, 0..6),
            n in 0u32..5,
            numer in -20i64..20,
            denom in 1i64..20,
        ) {
            let (a, b) = (polynomial(&a), polynomial(&b));
            let x = Rational::from((numer, denom));
            let (at_a, at_b) = (a.evaluate_rational(&x), b.evaluate_rational(&x));
            prop_assert_eq!((&a + &b).evaluate_rational(&x), Rational::from(&at_a + &at_b));
            prop_assert_eq!((&a - &b).evaluate_rational(&x), Rational::from(&at_a - &at_b));
            prop_assert_eq!((&a * &b).evaluate_rational(&x), Rational::from(&at_a * &at_b));
            prop_assert_eq!(a.pow(n).evaluate_rational(&x), Rational::from(rug::ops::Pow::pow(&at_a, n)));
            let enclosed = a.evaluate(&Number::Enclosed(Enclosure::rational(&x, 20)));
            prop_assert!(enclosed.enclosure(20).contains(&at_a));
        }
    }
}
