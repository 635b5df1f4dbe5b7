//! Rational functions of `x` whose denominators are products of `x`, `1 + x` and an integer.
//!
//! Masses of sums of k independent trials with odds `x` to 1 have this form: polynomials in `x` over `(1+x)^k`. The
//! ring is `Q[x, 1/x, 1/(1+x)]`. Since `x` and `1+x` are prime, dividing them out of the numerator gives a normal form
//! without polynomial gcds: equal functions are equal values.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use rug::{Integer, Rational};

use super::{Number, Polynomial};

/// `numerator / (scale * x^a * (1+x)^b)` in lowest terms.
///
/// *Normal form:* `scale > 0` is coprime to the content of the numerator; `x` divides the numerator only if `a = 0`,
/// and `1+x` only if `b = 0`; zero is `0/1`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RationalFunction {
    numerator: Polynomial,
    scale: Integer,
    x_power: u32,
    one_plus_x_power: u32,
}

impl RationalFunction {
    /// `numerator / (x^a (1+x)^b)`.
    pub fn new(numerator: Polynomial, x_power: u32, one_plus_x_power: u32) -> Self {
        Self::normal(numerator, Integer::from(1), x_power, one_plus_x_power)
    }

    /// A constant.
    pub fn constant(value: &Rational) -> Self {
        Self::normal(Polynomial::constant(value.numer().clone()), value.denom().clone(), 0, 0)
    }

    /// The constant 0.
    pub fn zero() -> Self {
        Self::constant(&Rational::new())
    }

    /// The constant 1.
    pub fn one() -> Self {
        Self::constant(&Rational::from(1))
    }

    /// The variable itself.
    pub fn x() -> Self {
        Self::new(Polynomial::monomial(Integer::from(1), 1), 0, 0)
    }

    /// `1/(1+x)^n`.
    pub fn one_over_one_plus_x_pow(n: u32) -> Self {
        Self::new(Polynomial::one(), 0, n)
    }

    /// The numerator of the lowest terms.
    pub fn numerator(&self) -> &Polynomial {
        &self.numerator
    }

    /// The integer factor of the denominator, positive.
    pub fn scale(&self) -> &Integer {
        &self.scale
    }

    /// The power of `x` in the denominator.
    pub fn x_power(&self) -> u32 {
        self.x_power
    }

    /// The power of `1 + x` in the denominator.
    pub fn one_plus_x_power(&self) -> u32 {
        self.one_plus_x_power
    }

    /// The denominator, multiplied out.
    pub fn denominator(&self) -> Polynomial {
        Polynomial::one_plus_x_pow(self.one_plus_x_power).scale(&self.scale).shift(self.x_power as usize)
    }

    /// `self^n`, with `f^0 = 1`.
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

    /// `self * value`.
    pub fn mul_rational(&self, value: &Rational) -> Self {
        self * &Self::constant(value)
    }

    /// The value at `x`: exact at an exact `x` that is not a pole, an enclosure otherwise.
    pub fn evaluate(&self, x: &Number) -> Number {
        let denominator = &(&Number::from(self.scale.clone()) * &x.pow(u64::from(self.x_power)))
            * &(&Number::one() + x).pow(u64::from(self.one_plus_x_power));
        &self.numerator.evaluate(x) / &denominator
    }

    /// The text with the denominator kept in factors: `(x^5 - 6*x^2 + 1)/(1+x)^5`.
    pub fn factored(&self) -> String {
        let mut factors = Vec::new();
        if self.scale != 1 {
            factors.push(self.scale.to_string());
        }
        match self.x_power {
            0 => {}
            1 => factors.push("x".to_owned()),
            n => factors.push(format!("x^{n}")),
        }
        match self.one_plus_x_power {
            0 => {}
            1 => factors.push("(1+x)".to_owned()),
            n => factors.push(format!("(1+x)^{n}")),
        }
        let denominator =
            if factors.len() > 1 { format!("({})", factors.join("*")) } else { factors.pop().unwrap_or_default() };
        self.fraction(&denominator)
    }

    /// The text with the denominator multiplied out: `x^2/(x^2 + 2*x + 1)`.
    pub fn expanded(&self) -> String {
        let denominator = self.denominator();
        if denominator == Polynomial::one() {
            return self.numerator.to_string();
        }
        let text = denominator.to_string();
        // `a/2*x` would mean `(a/2)*x`.
        let bare = denominator.is_monomial() && (denominator.degree() == Some(0) || self.scale == 1);
        self.fraction(&if bare { text } else { format!("({text})") })
    }

    fn fraction(&self, denominator: &str) -> String {
        match (denominator.is_empty(), self.numerator.is_monomial()) {
            (true, _) => self.numerator.to_string(),
            (false, true) => format!("{}/{denominator}", self.numerator),
            (false, false) => format!("({})/{denominator}", self.numerator),
        }
    }

    /// The normal form.
    fn normal(numerator: Polynomial, scale: Integer, x_power: u32, one_plus_x_power: u32) -> Self {
        if numerator.is_zero() {
            return RationalFunction { numerator, scale: Integer::from(1), x_power: 0, one_plus_x_power: 0 };
        }
        let mut result = RationalFunction { numerator, scale, x_power, one_plus_x_power };
        let common = result.numerator.content().gcd(&result.scale);
        if common != 1
            && let Some(quotient) = result.numerator.divide_by_integer(&common)
        {
            result.numerator = quotient;
            result.scale.div_exact_mut(&common);
        }
        let shared = u32::try_from(result.numerator.valuation()).unwrap_or(u32::MAX).min(result.x_power);
        if let (1.., Some(quotient)) = (shared, result.numerator.divide_by_x_pow(shared as usize)) {
            result.numerator = quotient;
            result.x_power -= shared;
        }
        while result.one_plus_x_power > 0 {
            let Some(quotient) = result.numerator.divide_by_one_plus_x() else { break };
            result.numerator = quotient;
            result.one_plus_x_power -= 1;
        }
        result
    }

    /// The numerator over the larger denominator `scale * x^a * (1+x)^b`, which the own denominator divides.
    fn numerator_over(&self, scale: &Integer, x_power: u32, one_plus_x_power: u32) -> Polynomial {
        let factor = Integer::from(scale / &self.scale);
        let lifted = self.numerator.scale(&factor).shift((x_power - self.x_power) as usize);
        &lifted * &Polynomial::one_plus_x_pow(one_plus_x_power - self.one_plus_x_power)
    }
}

impl Add for &RationalFunction {
    type Output = RationalFunction;
    fn add(self, other: &RationalFunction) -> RationalFunction {
        let scale = self.scale.clone().lcm(&other.scale);
        let a = self.x_power.max(other.x_power);
        let b = self.one_plus_x_power.max(other.one_plus_x_power);
        let sum = &self.numerator_over(&scale, a, b) + &other.numerator_over(&scale, a, b);
        RationalFunction::normal(sum, scale, a, b)
    }
}

impl Neg for &RationalFunction {
    type Output = RationalFunction;
    fn neg(self) -> RationalFunction {
        RationalFunction { numerator: -&self.numerator, ..self.clone() }
    }
}

impl Sub for &RationalFunction {
    type Output = RationalFunction;
    fn sub(self, other: &RationalFunction) -> RationalFunction {
        self + &-other
    }
}

impl Mul for &RationalFunction {
    type Output = RationalFunction;
    fn mul(self, other: &RationalFunction) -> RationalFunction {
        RationalFunction::normal(
            &self.numerator * &other.numerator,
            Integer::from(&self.scale * &other.scale),
            self.x_power + other.x_power,
            self.one_plus_x_power + other.one_plus_x_power,
        )
    }
}

impl fmt::Display for RationalFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.factored())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for RationalFunction {
    /// For people and for programs: the text, and the coefficients from the constant upward as decimal strings.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let numerator: Vec<String> = self.numerator.coefficients().iter().map(Integer::to_string).collect();
        let mut fields = serializer.serialize_struct("RationalFunction", 5)?;
        fields.serialize_field("text", &self.factored())?;
        fields.serialize_field("numerator", &numerator)?;
        fields.serialize_field("scale", &self.scale.to_string())?;
        fields.serialize_field("x_power", &self.x_power)?;
        fields.serialize_field("one_plus_x_power", &self.one_plus_x_power)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn function(numerator: &[i64], scale: i64, a: u32, b: u32) -> RationalFunction {
        let numerator = Polynomial::new(numerator.iter().map(|&c| Integer::from(c)).collect());
        RationalFunction::new(numerator, a, b).mul_rational(&Rational::from((1, scale)))
    }

    fn exact(value: &Number) -> Rational {
        value.exact().unwrap().clone()
    }

    #[test]
    fn prints_both_ways() {
        let f = function(&[1, 0, -6, 0, 0, 1], 1, 0, 5);
        assert_eq!(f.to_string(), "(x^5 - 6*x^2 + 1)/(1+x)^5");
        let g = function(&[0, 0, 1], 1, 0, 2);
        assert_eq!((g.factored(), g.expanded()), ("x^2/(1+x)^2".into(), "x^2/(x^2 + 2*x + 1)".into()));
        let h = function(&[3, 1], 2, 1, 0);
        assert_eq!((h.factored(), h.expanded()), ("(x + 3)/(2*x)".into(), "(x + 3)/(2*x)".into()));
        assert_eq!(function(&[0, 4], 6, 1, 0).to_string(), "2/3");
        assert_eq!(function(&[0, 4], 6, 1, 0).expanded(), "2/3");
        assert_eq!(RationalFunction::zero().to_string(), "0");
        assert_eq!(RationalFunction::zero().expanded(), "0");
    }

    #[test]
    fn lowest_terms() {
        // (1+x)^2 x / (2 x^3 (1+x)) = (1+x)/(2 x^2)
        assert_eq!(function(&[0, 1, 2, 1], 2, 3, 1), function(&[1, 1], 2, 2, 0));
        assert_eq!(&function(&[1], 1, 0, 1) + &function(&[0, 1], 1, 0, 1), RationalFunction::one());
    }

    #[test]
    fn a_pole_has_no_value() {
        let f = RationalFunction::one_over_one_plus_x_pow(1);
        assert!(f.evaluate(&Number::Exact(Rational::from(-1))).exact().is_none());
    }

    proptest! {
        #[test]
        fn evaluation_is_a_ring_homomorphism(
            a in (prop::collection::vec(-9i64..10, 0..5), 1i64..8, 0u32..3, 0u32..3),
            b in (prop::collection::vec(-9i64..10, 0..5), 1i64..8, 0u32..3, 0u32..3),
            n in 0u32..4,
            numer in 1i64..20,
            denom in 1i64..20,
        ) {
            let f = function(&a.0, a.1, a.2, a.3);
            let g = function(&b.0, b.1, b.2, b.3);
            let x = Number::Exact(Rational::from((numer, denom)));
            let (at_f, at_g) = (f.evaluate(&x), g.evaluate(&x));
            prop_assert_eq!(exact(&(&f + &g).evaluate(&x)), exact(&(&at_f + &at_g)));
            prop_assert_eq!(exact(&(&f - &g).evaluate(&x)), exact(&(&at_f - &at_g)));
            prop_assert_eq!(exact(&(&f * &g).evaluate(&x)), exact(&(&at_f * &at_g)));
            prop_assert_eq!(exact(&f.pow(n).evaluate(&x)), exact(&at_f.pow(u64::from(n))));
            prop_assert_eq!(&(&f + &g) - &g, f.clone());
        }
    }
}
