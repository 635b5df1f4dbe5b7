//! Hypotheses of theorems, decided exactly. One that fails is [`Error::Undefined`] with its value, one that cannot be
//! decided [`Error::Undecided`].

use std::cmp::Ordering;

use crate::error::Error;
use enclosure::{Brief, Real};

fn order(name: &str, value: &Real, bound: &Real) -> Result<Ordering, Error> {
    value
        .compare(bound)
        .ok_or_else(|| Error::undecided(format!("cannot decide which of {name} and {} is larger", Brief(bound))))
}

fn needed(what: &str, name: &str, value: &Real) -> Error {
    Error::Undefined(format!("{what} is required, but {name} = {}", Brief(value)))
}

/// `value >= 0`.
pub(super) fn not_negative(name: &str, value: &Real) -> Result<(), Error> {
    match order(name, value, &Real::zero())? {
        Ordering::Less => Err(Error::Undefined(format!("{name} = {} is negative", Brief(value)))),
        _ => Ok(()),
    }
}

/// `value > bound`.
pub(super) fn above(name: &str, value: &Real, bound: &Real) -> Result<(), Error> {
    match order(name, value, bound)? {
        Ordering::Greater => Ok(()),
        _ => Err(needed(&format!("{name} > {}", Brief(bound)), name, value)),
    }
}

/// `value <= bound`.
#[cfg(feature = "cli")]
pub(super) fn at_most(name: &str, value: &Real, bound: &Real) -> Result<(), Error> {
    match order(name, value, bound)? {
        Ordering::Greater => Err(needed(&format!("{name} <= {}", Brief(bound)), name, value)),
        _ => Ok(()),
    }
}

/// `0 <= value <= 1`.
#[cfg(feature = "cli")]
pub(super) fn unit(name: &str, value: &Real) -> Result<(), Error> {
    let inside =
        order(name, value, &Real::zero())? != Ordering::Less && order(name, value, &Real::one())? != Ordering::Greater;
    if inside { Ok(()) } else { Err(Error::Undefined(format!("{name} = {} is outside [0, 1]", Brief(value)))) }
}

/// `0 < value < 1`.
pub(super) fn inside_unit(name: &str, value: &Real) -> Result<(), Error> {
    let inside =
        order(name, value, &Real::zero())? == Ordering::Greater && order(name, value, &Real::one())? == Ordering::Less;
    if inside { Ok(()) } else { Err(needed(&format!("0 < {name} < 1"), name, value)) }
}
