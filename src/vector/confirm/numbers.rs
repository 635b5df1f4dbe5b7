//! Between the rationals of two libraries, and exact constants as bounds in the second one.

use std::str::FromStr;

use malachite::Rational as Second;
use rug::Rational;

use crate::error::Error;
use crate::route::elementary;
use enclosure::Real;
use enclosure::decimal::{Side, decimal};

/// To malachite.
pub fn second(value: &Rational) -> Result<Second, Error> {
    Second::from_str(&value.to_string()).map_err(|()| Error::input("a rational that malachite does not read"))
}

/// From malachite.
pub fn first(value: &Second) -> Result<Rational, Error> {
    value.to_string().parse().map_err(|_| Error::input("a rational that GMP does not read"))
}

/// Bounds from malachite.
pub fn first_both(value: &(Second, Second)) -> Result<(Rational, Rational), Error> {
    Ok((first(&value.0)?, first(&value.1)?))
}

/// A constant that must be rational.
pub fn rational<'a>(value: &'a Real, what: &str) -> Result<&'a Rational, Error> {
    value.as_rational().ok_or_else(|| Error::input(format!("the second route needs a rational {what}, got {value}")))
}

/// Bounds of a constant: rationals, logarithms and square roots by malachite; of other expressions only the constant
/// itself, an input, comes from the first route's enclosure.
pub fn bounds(value: &Real, bits: u64) -> Result<(Second, Second), Error> {
    if let Some(value) = value.as_rational() {
        let exact = second(value)?;
        return Ok((exact.clone(), exact));
    }
    if let Some(power) = value.exp_rational() {
        return Ok(elementary::ln_bounds(&second(&power)?, bits));
    }
    if let Some(square) = value.square().as_rational() {
        let (low, high) = elementary::sqrt_bounds(&second(square)?, bits);
        return Ok(if value.sign() == Some(std::cmp::Ordering::Less) { (-high, -low) } else { (low, high) });
    }
    let precision = u32::try_from(bits).map_err(|_| Error::input("too many bits"))?.saturating_add(16);
    let set = value.enclosure(precision);
    let end = |end: &rug::Float| end.to_rational().ok_or_else(|| Error::input("an unbounded constant"));
    Ok((second(&end(set.lower())?)?, second(&end(set.upper())?)?))
}

/// Bounds of `e^x` for a constant; exact if it is rational.
pub fn exp_bounds(value: &Real, bits: u64) -> Result<(Second, Second), Error> {
    if let Some(power) = value.exp_rational() {
        let exact = second(&power)?;
        return Ok((exact.clone(), exact));
    }
    // The exponential needs as many more bits of its argument as that has before the point.
    let size = value.enclosure(64).upper().get_exp().unwrap_or(0).max(0).unsigned_abs();
    let (low, high) = bounds(value, bits + u64::from(size) + 8)?;
    Ok((elementary::exp_bounds(&low, bits).0, elementary::exp_bounds(&high, bits).1))
}

/// An interval for people.
pub fn show((low, high): &(Rational, Rational)) -> String {
    let end = |value: &Rational, side| decimal(&value.clone().into(), 50, side);
    format!("[{}, {}]", end(low, Side::Lower), end(high, Side::Upper))
}
