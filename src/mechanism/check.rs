//! Domain checks, decided exactly; a constant whose check cannot be decided is refused.

use std::cmp::Ordering;

use rug::Rational;

use super::Real;
use super::catalogue::shortened;
use crate::error::Error;

/// A repeat or an integer parameter may be this large.
pub(super) const MAX_COUNT: u64 = 1 << 63;

/// Error text for missing parameters: all of them, and the usage line.
pub(crate) fn missing(names: &[&str], usage: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{} {} missing: {usage}", names.join(", "), if names.len() == 1 { "is" } else { "are" })
}

fn sign(name: &str, value: &Real) -> Result<Ordering, Error> {
    value.sign().ok_or_else(|| {
        Error::undecided(format!("cannot decide the sign of {name} with {} bits; it may be zero", Real::SIGN_BITS))
    })
}

fn shown(value: &Real) -> String {
    shortened(&value.to_string())
}

/// `value >= 0`.
pub(crate) fn nonnegative(name: &str, value: &Real) -> Result<(), Error> {
    match sign(name, value)? {
        Ordering::Less => Err(Error::input(format!("{name} must be at least 0, not {}", shown(value)))),
        _ => Ok(()),
    }
}

/// `value > 0`.
pub(super) fn positive(name: &str, value: &Real) -> Result<(), Error> {
    match sign(name, value)? {
        Ordering::Greater => Ok(()),
        _ => Err(Error::input(format!("{name} must be greater than 0, not {}", shown(value)))),
    }
}

/// `value > 0`, for a parameter that increases with the noise. The error for 0 names the mechanism without noise.
pub(super) fn noise(name: &str, value: &Real) -> Result<(), Error> {
    let advice = "a mechanism without noise reveals everything: write `approx-dp(epsilon=0, delta=1)`";
    positive_or(name, value, advice)
}

/// `value > 0`, for a parameter that decreases with the noise. The error for 0 names a mechanism that reveals nothing.
pub(super) fn loss(name: &str, value: &Real) -> Result<(), Error> {
    positive_or(name, value, "a mechanism that reveals nothing is `gdp(mu=0)`")
}

/// `value > 0`, where the error for 0 ends with an advice.
fn positive_or(name: &str, value: &Real, advice: &str) -> Result<(), Error> {
    match positive(name, value) {
        Err(Error::Input(message)) if value.is_zero() => Err(Error::input(format!("{message}; {advice}"))),
        other => other,
    }
}

/// `0 <= value <= 1`.
pub(crate) fn unit(name: &str, value: &Real) -> Result<(), Error> {
    let outside = || Error::input(format!("{name} must be between 0 and 1, not {}", shown(value)));
    if sign(name, value)? == Ordering::Less || sign(name, &Real::one().sub(value))? == Ordering::Less {
        return Err(outside());
    }
    Ok(())
}

/// `0 < value < 1`.
pub(crate) fn inside_unit(name: &str, value: &Real) -> Result<(), Error> {
    let inside = |value: &Real| Ok::<bool, Error>(sign(name, value)? == Ordering::Greater);
    if inside(value)? && inside(&Real::one().sub(value))? {
        return Ok(());
    }
    Err(Error::input(format!("{name} must be strictly between 0 and 1, not {}", shown(value))))
}

/// `1/answers <= value < 1`, for the probability that randomized response reports the true one of these answers.
pub(super) fn truth(name: &str, value: &Real, answers: u64) -> Result<(), Error> {
    let least = Real::from(Rational::from((1, answers)));
    let outside = |why: &str| {
        Err(Error::input(format!("{name} must be at least {least} and less than 1, not {}{why}", shown(value))))
    };
    let below = sign(name, &value.sub(&least))? == Ordering::Less;
    match sign(name, &Real::one().sub(value))? {
        Ordering::Less => outside(""),
        Ordering::Equal => outside("; a true report reveals everything: write `approx-dp(epsilon=0, delta=1)`"),
        Ordering::Greater if below && sign(name, value)? != Ordering::Less => {
            outside(&format!("; below {least} each other answer is more likely than the true one"))
        }
        Ordering::Greater if below => outside(""),
        Ordering::Greater => Ok(()),
    }
}

/// `value > 1`.
pub(crate) fn above_one(name: &str, value: &Real) -> Result<(), Error> {
    let one = Real::one();
    // The sign of the difference names the parameter where it cannot be decided.
    let order = value.compare(&one).map_or_else(|| sign(name, &value.sub(&one)), Ok)?;
    match order {
        Ordering::Greater => Ok(()),
        _ => Err(Error::input(format!("{name} must be greater than 1, not {}", shown(value)))),
    }
}

/// An integer from 0 to 2^63.
pub(super) fn count(name: &str, value: &Real) -> Result<u64, Error> {
    nonnegative(name, value)?;
    let integer = value.as_rational().filter(|value| value.is_integer());
    let Some(integer) = integer else {
        return Err(Error::input(format!("{name} must be an integer, not {}", shown(value))));
    };
    match integer.numer().to_u64() {
        Some(count) if count <= MAX_COUNT => Ok(count),
        _ => Err(Error::input(format!("{name} must be at most 2^63, not {}", shown(value)))),
    }
}
