//! Intervals with MPFR end points.
//!
//! **Contract.** For every operation `f` here and all reals `x_i` in the input enclosures, `f(x_1, x_2, ...)` lies in
//! the output. It rests on two facts: MPFR rounds each end point correctly in the direction asked for (see
//! `proofs/axioms.md`), and each operation is monotone in each argument on the pieces treated separately.
//! End points are never NaN; what cannot be bounded becomes an infinite end point.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use rug::float::Round::{Down, Up};
use rug::float::{Round, Special};
use rug::ops::{DivAssignRound, MulAssignRound, NegAssign};
use rug::{Float, Integer, Rational};

use super::{Contradiction, work};

/// A set `{ x : lower <= x <= upper }` of real numbers; either end may be infinite.
#[derive(Clone)]
pub struct Enclosure {
    lower: Float,
    upper: Float,
}

impl Enclosure {
    /// The interval between two end points. If an end is NaN or the ends are in the wrong order, it is the whole line.
    pub fn new(lower: Float, upper: Float) -> Self {
        work::spend_linear(lower.prec());
        if lower <= upper { Enclosure { lower, upper } } else { Self::whole(lower.prec().max(upper.prec())) }
    }

    /// The whole real line.
    pub fn whole(bits: u32) -> Self {
        Enclosure {
            lower: Float::with_val(bits, Special::NegInfinity),
            upper: Float::with_val(bits, Special::Infinity),
        }
    }

    /// Exactly zero.
    pub fn zero(bits: u32) -> Self {
        Enclosure { lower: Float::new(bits), upper: Float::new(bits) }
    }

    /// Exactly one.
    pub fn one(bits: u32) -> Self {
        Self::integer(&Integer::from(1), bits)
    }

    /// The tightest enclosure of an integer at this precision.
    pub fn integer(value: &Integer, bits: u32) -> Self {
        Self::rounded(|round| Float::with_val_round(bits, value, round).0)
    }

    /// The tightest enclosure of a rational at this precision.
    pub fn rational(value: &Rational, bits: u32) -> Self {
        Self::rounded(|round| Float::with_val_round(bits, value, round).0)
    }

    /// The double itself, exactly; NaN gives the whole line.
    pub fn double(value: f64, bits: u32) -> Self {
        let exact = Float::with_val(bits.max(53), value);
        Self::new(exact.clone(), exact)
    }

    /// pi.
    pub fn pi(bits: u32) -> Self {
        Self::rounded(|round| Float::with_val_round(bits, rug::float::Constant::Pi, round).0)
    }

    /// ln 2.
    pub fn ln_2(bits: u32) -> Self {
        Self::rounded(|round| Float::with_val_round(bits, rug::float::Constant::Log2, round).0)
    }

    /// Both ends of one correctly rounded value.
    fn rounded(value: impl Fn(Round) -> Float) -> Self {
        Self::new(value(Down), value(Up))
    }

    /// Lower end point.
    pub fn lower(&self) -> &Float {
        &self.lower
    }

    /// Upper end point.
    pub fn upper(&self) -> &Float {
        &self.upper
    }

    /// Both end points, by value.
    pub fn into_bounds(self) -> (Float, Float) {
        (self.lower, self.upper)
    }

    /// Precision of results, in bits.
    pub fn bits(&self) -> u32 {
        self.lower.prec().max(self.upper.prec())
    }

    /// The same set, or the smallest superset with end points of this precision.
    pub fn with_bits(&self, bits: u32) -> Self {
        Self::new(Float::with_val_round(bits, &self.lower, Down).0, Float::with_val_round(bits, &self.upper, Up).0)
    }

    /// Is the enclosure one point, hence exact?
    pub fn is_point(&self) -> bool {
        self.lower == self.upper && self.lower.is_finite()
    }

    /// Are both end points finite?
    pub fn is_bounded(&self) -> bool {
        self.lower.is_finite() && self.upper.is_finite()
    }

    /// The common sign of all points; `None` if points have different signs.
    pub fn sign(&self) -> Option<Ordering> {
        if self.lower > 0 {
            Some(Ordering::Greater)
        } else if self.upper < 0 {
            Some(Ordering::Less)
        } else if self.lower == 0 && self.upper == 0 {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    /// The order that holds between all points of the two sets; `None` if it depends on the points.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.upper < other.lower {
            Some(Ordering::Less)
        } else if self.lower > other.upper {
            Some(Ordering::Greater)
        } else if self.is_point() && other.is_point() && self.lower == other.lower {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    /// Does the set contain this rational?
    pub fn contains(&self, value: &Rational) -> bool {
        self.lower <= *value && *value <= self.upper
    }

    /// Do the two sets share a point? Two enclosures of the same number must.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.lower <= other.upper && other.lower <= self.upper
    }

    /// The intersection of two enclosures of the same number.
    ///
    /// # Errors
    /// [`Contradiction`] if it is empty: then one of the two is wrong. `what` names the number.
    pub fn meet(&self, other: &Self, what: &str) -> Result<Self, Contradiction> {
        let lower = if self.lower >= other.lower { &self.lower } else { &other.lower };
        let upper = if self.upper <= other.upper { &self.upper } else { &other.upper };
        if lower > upper {
            return Err(Contradiction::new(what, self, other));
        }
        Ok(Self::new(lower.clone(), upper.clone()))
    }

    /// The intersection of an enclosure with a range that is known to contain the number.
    ///
    /// # Errors
    /// [`Contradiction`] if it is empty: the range is proven, so the enclosure is wrong.
    pub fn within(&self, range: &Self, what: &str) -> Result<Self, Contradiction> {
        self.meet(range, what)
    }

    /// The interval from a lower bound of a number to an upper bound of it, each known as an enclosure.
    ///
    /// # Errors
    /// [`Contradiction`] if the bounds cross: then one of them is wrong.
    pub fn bracket(lower: &Self, upper: &Self, what: &str) -> Result<Self, Contradiction> {
        let above = Self::new(lower.lower.clone(), Float::with_val(2, Special::Infinity));
        let below = Self::new(Float::with_val(2, Special::NegInfinity), upper.upper.clone());
        above.meet(&below, what)
    }

    /// The smallest interval that contains both sets.
    pub fn hull(&self, other: &Self) -> Self {
        let lower = if self.lower <= other.lower { &self.lower } else { &other.lower };
        let upper = if self.upper >= other.upper { &self.upper } else { &other.upper };
        Self::new(lower.clone(), upper.clone())
    }

    /// `max(x, y)` of points of the two sets.
    pub fn max(&self, other: &Self) -> Self {
        let lower = if self.lower >= other.lower { &self.lower } else { &other.lower };
        let upper = if self.upper >= other.upper { &self.upper } else { &other.upper };
        Self::new(lower.clone(), upper.clone())
    }

    /// `min(x, y)` of points of the two sets.
    pub fn min(&self, other: &Self) -> Self {
        let lower = if self.lower <= other.lower { &self.lower } else { &other.lower };
        let upper = if self.upper <= other.upper { &self.upper } else { &other.upper };
        Self::new(lower.clone(), upper.clone())
    }

    /// The set widened by `error >= 0` on both sides: for a value known up to an absolute error.
    pub fn widen(&self, error: &Float) -> Self {
        let bits = self.bits();
        Self::new(
            Float::with_val_round(bits, &self.lower - error, Down).0,
            Float::with_val_round(bits, &self.upper + error, Up).0,
        )
    }

    /// Proven bits of relative accuracy: the largest `b` with `upper - lower <= 2^-b min(|lower|, |upper|)`,
    /// `i64::MAX` for a point, `None` if the set is unbounded or contains zero and other points.
    pub fn relative_bits(&self) -> Option<i64> {
        if self.is_point() {
            return Some(i64::MAX);
        }
        if !self.is_bounded() || !matches!(self.sign(), Some(Ordering::Less | Ordering::Greater)) {
            return None;
        }
        let nearest = if self.lower > 0 { &self.lower } else { &self.upper };
        // Exponents are enough: 2^(e-1) <= |x| < 2^e.
        let width = Float::with_val_round(53, &self.upper - &self.lower, Up).0;
        Some(i64::from(nearest.get_exp()?) - 1 - i64::from(width.get_exp()?))
    }

    /// `|x|`.
    pub fn abs(&self) -> Self {
        match self.sign() {
            Some(Ordering::Less) => -self,
            Some(_) => self.clone(),
            None => {
                let bits = self.bits();
                let low = Float::with_val(bits, self.lower.abs_ref());
                let upper = if low > self.upper { low } else { self.upper.clone() };
                Self::new(Float::new(bits), upper)
            }
        }
    }

    /// `max(x, 0)`.
    pub fn positive_part(&self) -> Self {
        self.max(&Self::zero(self.bits()))
    }

    /// `x^2`, never below zero.
    pub fn square(&self) -> Self {
        work::spend_product(self.bits());
        let magnitude = self.abs();
        let bits = self.bits();
        Self::new(
            Float::with_val_round(bits, magnitude.lower.square_ref(), Down).0,
            Float::with_val_round(bits, magnitude.upper.square_ref(), Up).0,
        )
    }

    /// `1/x`; the whole line if `x` may be zero.
    pub fn recip(&self) -> Self {
        &Self::one(self.bits()) / self
    }

    /// `x^n`, with `x^0 = 1` for every `x`.
    pub fn pow(&self, exponent: u64) -> Self {
        let bits = self.bits();
        match u32::try_from(exponent) {
            Ok(0) => Self::one(bits),
            Ok(n) if self.lower >= 0 || n % 2 == 1 => {
                work::spend_function(bits);
                self.monotone(|x, round| {
                    *x = Float::with_val_round(bits, rug::ops::Pow::pow(&*x, n), round).0;
                })
            }
            Ok(n) => self.abs().pow(u64::from(n)),
            Err(_) => {
                let half = self.pow(exponent / 2).square();
                if exponent % 2 == 1 { &half * self } else { half }
            }
        }
    }

    /// `x * 2^n`, exactly (outward should the exponent overflow).
    pub fn shift(&self, n: i32) -> Self {
        Self::new(
            Float::with_val_round(self.lower.prec(), &self.lower << n, Down).0,
            Float::with_val_round(self.upper.prec(), &self.upper << n, Up).0,
        )
    }

    /// `x * n` for an unsigned integer.
    pub fn mul_u32(&self, n: u32) -> Self {
        self.monotone(|x, round| {
            x.mul_assign_round(n, round);
        })
    }

    /// `x / n` for a positive integer; the whole line for `n = 0`.
    pub fn div_u32(&self, n: u32) -> Self {
        if n == 0 {
            return Self::whole(self.bits());
        }
        self.monotone(|x, round| {
            x.div_assign_round(n, round);
        })
    }

    /// Square root. Negative points are outside the domain and are ignored; if all points are negative, it is the whole
    /// line.
    pub fn sqrt(&self) -> Self {
        work::spend_product(self.bits());
        if self.upper < 0 {
            return Self::whole(self.bits());
        }
        self.positive_part().monotone(|x, round| {
            x.sqrt_round(round);
        })
    }

    /// Exponential.
    pub fn exp(&self) -> Self {
        work::spend_function(self.bits());
        self.monotone(|x, round| {
            x.exp_round(round);
        })
    }

    /// `e^x - 1`, accurate near zero.
    pub fn expm1(&self) -> Self {
        work::spend_function(self.bits());
        self.monotone(|x, round| {
            x.exp_m1_round(round);
        })
    }

    /// Natural logarithm. Points `<= 0`, outside the domain, pull the lower end to minus infinity.
    pub fn ln(&self) -> Self {
        work::spend_function(self.bits());
        if self.upper <= 0 {
            return Self::whole(self.bits());
        }
        self.positive_part().monotone(|x, round| {
            x.ln_round(round);
        })
    }

    /// `ln(1 + x)`, accurate near zero; the domain is treated as in [`ln`](Self::ln).
    pub fn log1p(&self) -> Self {
        work::spend_function(self.bits());
        if self.upper <= -1 {
            return Self::whole(self.bits());
        }
        let from_minus_one = self.max(&-Self::one(self.bits()));
        from_minus_one.monotone(|x, round| {
            x.ln_1p_round(round);
        })
    }

    /// Hyperbolic tangent.
    pub fn tanh(&self) -> Self {
        work::spend_function(self.bits());
        self.monotone(|x, round| {
            x.tanh_round(round);
        })
    }

    /// Arc tangent.
    pub fn atan(&self) -> Self {
        work::spend_function(self.bits());
        self.monotone(|x, round| {
            x.atan_round(round);
        })
    }

    /// Is everything in it at least 0, or everything at most 0?
    fn one_sign(&self) -> Option<bool> {
        if self.lower >= 0 {
            Some(true)
        } else if self.upper <= 0 {
            Some(false)
        } else {
            None
        }
    }

    /// Apply a nondecreasing function, computed with correct rounding, to both ends.
    fn monotone(&self, f: impl Fn(&mut Float, Round)) -> Self {
        let mut lower = self.lower.clone();
        let mut upper = self.upper.clone();
        f(&mut lower, Down);
        f(&mut upper, Up);
        Self::new(lower, upper)
    }
}

/// A product of end points; `0 * infinity` is 0, because an infinite end stands for arbitrarily large finite points.
fn product(a: &Float, b: &Float, bits: u32, round: Round) -> Float {
    if a.is_zero() || b.is_zero() {
        return Float::new(bits);
    }
    Float::with_val_round(bits, a * b, round).0
}

impl Add for &Enclosure {
    type Output = Enclosure;
    fn add(self, other: &Enclosure) -> Enclosure {
        let bits = self.bits().max(other.bits());
        Enclosure::new(
            Float::with_val_round(bits, &self.lower + &other.lower, Down).0,
            Float::with_val_round(bits, &self.upper + &other.upper, Up).0,
        )
    }
}

impl Sub for &Enclosure {
    type Output = Enclosure;
    fn sub(self, other: &Enclosure) -> Enclosure {
        let bits = self.bits().max(other.bits());
        Enclosure::new(
            Float::with_val_round(bits, &self.lower - &other.upper, Down).0,
            Float::with_val_round(bits, &self.upper - &other.lower, Up).0,
        )
    }
}

impl Mul for &Enclosure {
    type Output = Enclosure;
    fn mul(self, other: &Enclosure) -> Enclosure {
        let bits = self.bits().max(other.bits());
        work::spend_product(bits);
        // The ends of both factors that make the least product, then those of the greatest one: where one
        // factor has one sign, the other one's tells which they are.
        let [(a, b), (c, d)] = match (self.one_sign(), other.one_sign()) {
            (Some(true), Some(true)) => [(&self.lower, &other.lower), (&self.upper, &other.upper)],
            (Some(false), Some(false)) => [(&self.upper, &other.upper), (&self.lower, &other.lower)],
            (Some(true), Some(false)) => [(&self.upper, &other.lower), (&self.lower, &other.upper)],
            (Some(false), Some(true)) => [(&self.lower, &other.upper), (&self.upper, &other.lower)],
            (Some(true), None) => [(&self.upper, &other.lower), (&self.upper, &other.upper)],
            (Some(false), None) => [(&self.lower, &other.upper), (&self.lower, &other.lower)],
            (None, Some(true)) => [(&self.lower, &other.upper), (&self.upper, &other.upper)],
            (None, Some(false)) => [(&self.upper, &other.lower), (&self.lower, &other.lower)],
            (None, None) => {
                let least = product(&self.lower, &other.upper, bits, Down);
                let greatest = product(&self.lower, &other.lower, bits, Up);
                return Enclosure::new(
                    least.min(&product(&self.upper, &other.lower, bits, Down)),
                    greatest.max(&product(&self.upper, &other.upper, bits, Up)),
                );
            }
        };
        Enclosure::new(product(a, b, bits, Down), product(c, d, bits, Up))
    }
}

impl Div for &Enclosure {
    type Output = Enclosure;
    fn div(self, other: &Enclosure) -> Enclosure {
        let bits = self.bits().max(other.bits());
        work::spend_product(bits);
        if other.lower <= 0 && other.upper >= 0 {
            return Enclosure::whole(bits);
        }
        if !self.is_bounded() || !other.is_bounded() {
            // infinity / infinity is NaN for MPFR; through the reciprocal each end keeps its meaning.
            let recip = Enclosure::new(
                Float::with_val_round(bits, 1 / &other.upper, Down).0,
                Float::with_val_round(bits, 1 / &other.lower, Up).0,
            );
            return self * &recip;
        }
        let quotient = |a: &Float, b: &Float, round| Float::with_val_round(bits, a / b, round).0;
        if other.upper < 0 {
            return -&(self / &-other);
        }
        // The divisor is positive: each end of the numerator takes the divisor's end that moves it outward.
        let low_by = if self.lower >= 0 { &other.upper } else { &other.lower };
        let high_by = if self.upper >= 0 { &other.lower } else { &other.upper };
        Enclosure::new(quotient(&self.lower, low_by, Down), quotient(&self.upper, high_by, Up))
    }
}

impl Neg for &Enclosure {
    type Output = Enclosure;
    fn neg(self) -> Enclosure {
        let (mut lower, mut upper) = (self.upper.clone(), self.lower.clone());
        lower.neg_assign();
        upper.neg_assign();
        Enclosure { lower, upper }
    }
}

macro_rules! by_value {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Enclosure {
            type Output = Enclosure;
            fn $method(self, other: Enclosure) -> Enclosure { (&self).$method(&other) }
        }
        impl $trait<&Enclosure> for Enclosure {
            type Output = Enclosure;
            fn $method(self, other: &Enclosure) -> Enclosure { (&self).$method(other) }
        }
        impl $trait<Enclosure> for &Enclosure {
            type Output = Enclosure;
            fn $method(self, other: Enclosure) -> Enclosure { self.$method(&other) }
        }
    )*};
}
by_value!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Enclosure {
    type Output = Enclosure;
    fn neg(self) -> Enclosure {
        -&self
    }
}

impl fmt::Debug for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:.20e}, {:.20e}]", self.lower, self.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of all signs, zeros and infinite ends among them, a product is that of all four corners.
    #[test]
    fn products_hold_all_corners_and_no_more() {
        let ends = [f64::NEG_INFINITY, -3.0, -0.1, 0.0, 0.7, 5.0, f64::INFINITY];
        let sets = || ends.iter().enumerate().flat_map(|(i, low)| ends[i..].iter().map(move |high| (*low, *high)));
        let float = |x: f64| Float::with_val(53, x);
        for (a, b) in sets() {
            for (c, d) in sets() {
                let found = &Enclosure::new(float(a), float(b)) * &Enclosure::new(float(c), float(d));
                let corners = [(a, c), (a, d), (b, c), (b, d)]
                    .map(|(x, y)| [Down, Up].map(|side| product(&float(x), &float(y), 53, side)));
                let least = corners.iter().map(|[low, _]| low.clone()).reduce(|x, y| x.min(&y));
                let greatest = corners.iter().map(|[_, high]| high.clone()).reduce(|x, y| x.max(&y));
                assert_eq!((Some(found.lower), Some(found.upper)), (least, greatest), "[{a}, {b}] [{c}, {d}]");
            }
        }
    }
}
