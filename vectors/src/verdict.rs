//! Judging somebody's claim about a quantity whose true value `t` is known to lie in `[lower, upper]`.
//!
//! The claim `u <= or >= t` is about `t`, and of `t` we know only the enclosure. So a claim is
//!
//! - **sound** when it is true for *every* `t` of the enclosure. For an upper bound: `u >= t` for all `t <= upper`,
//!   which is `u >= upper`;
//! - **unsound** when it is false for *every* `t` of the enclosure. For an upper bound: `u < t` for all `t >= lower`,
//!   which is `u < lower`;
//! - **undecided** otherwise, `lower <= u < upper`: it is true for `t = lower` and false for `t = upper`. Refine the
//!   enclosure and ask again.
//!
//! Lower bounds are mirrored: sound when `u <= lower`, unsound when `u > upper`. Every comparison is one of exact
//! rationals, so the verdict has no tolerance, and an exact answer (`lower = upper`) always decides.
//!
//! Infinities follow the same rule in the extended reals. `+inf` as an upper bound is sound whatever the truth is,
//! `-inf` as a lower bound too; when the truth is infinite, every finite upper bound is unsound and every lower bound
//! is sound. A NaN claims nothing and is **failed**.
//!
//! An **estimate** claims no side. Its relative error `|u - t| / t` is enclosed: `u/t - 1` is monotone in `t > 0`
//! (falling for `u > 0`, rising for `u < 0`), so on the enclosure its absolute value is largest at an end, and least at
//! an end unless `u` lies between the ends, where it is 0. The error is 0 when `u = t`, even for `t` zero or infinite,
//! and infinite when `t = 0 != u` or when just one of the two is infinite.
//!
//! Of **two compositions** a program may claim that the first is at least as private as the second, or that it is not,
//! and the same of at most. The vector says which of both holds, so that each of these is true or false.
//!
//! Ratios and errors are reported as the tightest enclosing doubles.

use std::cmp::Ordering;
use std::str::FromStr;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::answer::{Order, Truth};
use crate::number::{Dyadic, NumberError, Rational, compare, tightest_quotient};

/// The number that a program claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// A finite number, exactly.
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

/// Accepts hex floats, decimals and fractions, exactly, and `inf`, `-inf`, `nan` in any case.
///
/// Programs print numbers as their languages do, so what those read is read here: `.5`, `5.`, `+0.5`, `0x1.8` too.
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

/// Which side of the truth a claimed bound is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The claim is that the truth is not above it.
    Upper,
    /// The claim is that the truth is not below it.
    Lower,
}

/// The verdict on a claimed bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The claim is true.
    Sound,
    /// The claim is false.
    Unsound,
    /// The enclosure is too wide to tell.
    Undecided,
    /// There is no claim to judge: a NaN.
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

/// Judges a claimed bound. See the [module](self) for the rule and why it is right.
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

/// Judges what is claimed of two compositions: whether the first is at least as private as the second, and whether it
/// is at most as private, each if something is said of it. A claim with a false part is unsound; one that says nothing
/// has failed.
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

/// How loose a claim is: `claim / truth`. For a sound upper bound it is at least 1; for an unsound one it is below 1
/// and says what share of the truth was reported.
///
/// `None` where a ratio says nothing: for a NaN, a negative claim, an infinite truth, or zero over zero.
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

/// Encloses the relative error of an estimate of a quantity that is never negative; `None` for a NaN.
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
