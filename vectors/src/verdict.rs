//! Verdicts on claims about a quantity whose true value `t` lies in `[lower, upper]`.
//!
//! A claim `u <= t` or `u >= t` concerns `t`, of which only the enclosure is known. A claim is
//!
//! - **sound** when it is true for *every* `t` of the enclosure. For an upper bound: `u >= t` for all `t <= upper`,
//!   which is `u >= upper`;
//! - **unsound** when it is false for *every* `t` of the enclosure. For an upper bound: `u < t` for all `t >= lower`,
//!   which is `u < lower`;
//! - **undecided** otherwise, `lower <= u < upper`: it is true for `t = lower` and false for `t = upper`. Refine the
//!   enclosure and judge again.
//!
//! Lower bounds are mirrored: sound when `u <= lower`, unsound when `u > upper`. Every comparison is one of exact
//! rationals, so the verdict has no tolerance, and an exact answer (`lower = upper`) always decides.
//!
//! Infinities follow the same rule in the extended reals. `+inf` as an upper bound is always sound, as is `-inf` as a
//! lower bound. If the true value is infinite, every finite upper bound is unsound and every lower bound is sound. A
//! NaN is no claim; its verdict is **failed**.
//!
//! An **estimate** is not a bound. Its relative error `|u - t| / t` is enclosed: `u/t - 1` is monotone in `t > 0`
//! (falling for `u > 0`, rising for `u < 0`), so on the enclosure its absolute value is largest at an end, and least at
//! an end unless `u` lies between the ends, where it is 0. The error is 0 when `u = t`, even for `t` zero or infinite,
//! and infinite when `t = 0 != u` or when just one of the two is infinite.
//!
//! For **two compositions** a program may claim that the first is, or is not, at least as private as the second, and
//! likewise at most. The vector decides both relations, so each such claim is true or false.
//!
//! Ratios and errors are reported as the tightest enclosing doubles.

use std::cmp::Ordering;
use std::str::FromStr;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::answer::{Order, Truth};
use crate::number::{Dyadic, NumberError, Rational, compare, tightest_quotient};

/// A claimed number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// An exact finite number.
    Finite(BigRational),
    /// Plus infinity.
    Infinite,
    /// Minus infinity.
    MinusInfinite,
    /// Not a number.
    Nan,
}

impl From<f64> for Claim {
    fn from(value: f64) -> Self {
        match Dyadic::from_f64(value) {
            Some(dyadic) => Self::Finite(dyadic.to_rational()),
            None if value.is_nan() => Self::Nan,
            None if value > 0.0 => Self::Infinite,
            None => Self::MinusInfinite,
        }
    }
}

/// Accepts exact hex floats, decimals and fractions, and `inf`, `-inf`, `nan` in any letter case.
///
/// The spellings of common programming languages are accepted: `.5`, `5.`, `+0.5`, `0x1.8`.
impl FromStr for Claim {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let full = in_full(text);
        match full.to_ascii_lowercase().as_str() {
            "nan" | "-nan" => Ok(Self::Nan),
            "inf" | "infinity" => Ok(Self::Infinite),
            "-inf" | "-infinity" => Ok(Self::MinusInfinite),
            lower if lower.contains("0x") => full.parse::<Dyadic>().map(|dyadic| Self::Finite(dyadic.to_rational())),
            _ => full.parse::<Rational>().map(|rational| Self::Finite(rational.0)),
        }
    }
}

/// The same number with a digit on both sides of its point, a hex float with its exponent, and no plus sign.
fn in_full(text: &str) -> String {
    let (sign, rest) = match text.as_bytes().first() {
        // One sign, not two.
        Some(b'+') if !text[1..].starts_with(['+', '-']) => ("", &text[1..]),
        Some(b'-') => text.split_at(1),
        _ => ("", text),
    };
    if rest.starts_with("0x") || rest.starts_with("0X") {
        let exponent = if rest.contains(['p', 'P']) { "" } else { "p+0" };
        return format!("{sign}{rest}{exponent}");
    }
    let (digits, exponent) = rest.split_at(rest.find(['e', 'E']).unwrap_or(rest.len()));
    match digits.split_once('.') {
        Some(("", "")) | None => format!("{sign}{rest}"),
        Some((whole, fraction)) => {
            let or_zero = |digits: &'_ str| if digits.is_empty() { "0".to_owned() } else { digits.to_owned() };
            format!("{sign}{}.{}{exponent}", or_zero(whole), or_zero(fraction))
        }
    }
}

/// The side of a claimed bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Upper bound: the true value is at most the claim.
    Upper,
    /// Lower bound: the true value is at least the claim.
    Lower,
}

/// The verdict on a claimed bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The claim is true.
    Sound,
    /// The claim is false.
    Unsound,
    /// The enclosure is too wide to decide.
    Undecided,
    /// No claim: a NaN.
    Failed,
}

/// A number between two doubles, `at_least <= number <= at_most`; the upper one may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end.
    pub at_least: f64,
    /// The upper end.
    pub at_most: f64,
}

impl Range {
    const ZERO: Self = Self { at_least: 0.0, at_most: 0.0 };
    const INFINITE: Self = Self { at_least: f64::INFINITY, at_most: f64::INFINITY };
}

/// Judges a claimed bound. See the [module](self) for the rule and its justification.
pub fn judge(side: Side, claim: &Claim, truth: &Truth) -> Verdict {
    let upper = side == Side::Upper;
    let always = |holds: bool| {
        if holds { Verdict::Sound } else { Verdict::Unsound }
    };
    match (claim, truth) {
        (Claim::Nan, _) => Verdict::Failed,
        (Claim::Infinite, Truth::Infinite) => Verdict::Sound,
        (Claim::Infinite, Truth::Within { .. }) => always(upper),
        (Claim::MinusInfinite, _) | (Claim::Finite(_), Truth::Infinite) => always(!upper),
        (Claim::Finite(u), Truth::Within { lower, upper: high }) => {
            let (sound, unsound) = match side {
                Side::Upper => (compare(u, high).is_ge(), compare(u, lower).is_lt()),
                Side::Lower => (compare(u, lower).is_le(), compare(u, high).is_gt()),
            };
            match (sound, unsound) {
                (true, _) => Verdict::Sound,
                (_, true) => Verdict::Unsound,
                _ => Verdict::Undecided,
            }
        }
    }
}

/// Judges a claim about two compositions: whether the first is at least, and at most, as private as the second; `None`
/// claims nothing. A claim with a false part is unsound; an empty claim is failed.
pub fn judge_order(at_least: Option<bool>, at_most: Option<bool>, truth: Order) -> Verdict {
    let said = [(at_least, truth.at_least()), (at_most, truth.at_most())];
    if said.iter().any(|(claim, holds)| claim.is_some_and(|claim| claim != *holds)) {
        Verdict::Unsound
    } else if said.iter().any(|(claim, _)| claim.is_some()) {
        Verdict::Sound
    } else {
        Verdict::Failed
    }
}

/// The ratio `claim / truth`. It is at least 1 for a sound upper bound and below 1 for an unsound one.
///
/// `None` for a NaN, a negative claim, an infinite true value, or zero over zero.
pub fn ratio(claim: &Claim, truth: &Truth) -> Option<Range> {
    let Truth::Within { lower, upper } = truth else {
        return None;
    };
    match claim {
        Claim::Infinite => Some(Range::INFINITE),
        Claim::Finite(u) if !u.is_negative() && !lower.is_negative() => {
            if u.is_zero() && lower.is_zero() {
                return None;
            }
            Some(Range { at_least: quotient(u, upper).at_least, at_most: quotient(u, lower).at_most })
        }
        _ => None,
    }
}

/// Encloses the relative error of an estimate of a nonnegative quantity; `None` for a NaN.
pub fn relative_error(claim: &Claim, truth: &Truth) -> Option<Range> {
    match (claim, truth) {
        (Claim::Nan, _) => None,
        (Claim::Infinite, Truth::Infinite) => Some(Range::ZERO),
        (Claim::Finite(u), Truth::Within { lower, upper }) => {
            let (at_lower, at_upper) = (error_at(u, lower), error_at(u, upper));
            let inside = compare(u, lower).is_ge() && compare(u, upper).is_le();
            Some(Range {
                at_least: if inside { 0.0 } else { at_lower.at_least.min(at_upper.at_least) },
                at_most: at_lower.at_most.max(at_upper.at_most),
            })
        }
        _ => Some(Range::INFINITE),
    }
}

/// `|u - t| / t`
fn error_at(u: &BigRational, t: &BigRational) -> Range {
    match compare(u, t) {
        Ordering::Equal => Range::ZERO,
        _ if t.is_zero() => Range::INFINITE,
        _ => {
            // Over the common denominator of u and t, which cancels.
            let (u_scaled, t_scaled) = (u.numer() * t.denom(), t.numer() * u.denom());
            enclose((u_scaled - &t_scaled).magnitude(), t_scaled.magnitude())
        }
    }
}

/// `u / t` for numbers that are not negative and not both zero
fn quotient(u: &BigRational, t: &BigRational) -> Range {
    if t.is_zero() {
        return Range::INFINITE;
    }
    enclose((u.numer() * t.denom()).magnitude(), (t.numer() * u.denom()).magnitude())
}

fn enclose(n: &BigUint, d: &BigUint) -> Range {
    let (at_least, at_most) = tightest_quotient(n, d);
    Range { at_least, at_most }
}
