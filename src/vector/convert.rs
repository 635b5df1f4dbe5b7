//! Between the numbers and questions of this crate and those of the vector files.

use std::collections::BTreeMap;

#[cfg(feature = "generate")]
use dpcert_vectors::{Answer, Dyadic, NumberError};
use dpcert_vectors::{At, Exact, Factor, Parameter, Truth, Weight};
use num_bigint::BigInt;
use num_rational::BigRational;
#[cfg(feature = "generate")]
use rug::Float;
use rug::Rational;

#[cfg(feature = "generate")]
use crate::answer::Bound;
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::{Argument, Composition, Domain, Place, Template};
#[cfg(feature = "generate")]
use enclosure::Enclosure;
use enclosure::Real;
use enclosure::decimal::rational_bounds;

#[cfg(feature = "generate")]
/// The precision at which enclosures are stored: a few digits more than the decimals beside them.
const STORED_BITS: u32 = 144;

#[cfg(feature = "generate")]
/// Fractions longer than this are stored as enclosures: a file is for reading too.
const LONGEST_FRACTION: usize = 400;

#[cfg(feature = "generate")]
/// Whether its text form is short. Numbers with too many bits are not formatted.
fn is_short(value: &Rational) -> bool {
    let bits = u64::from(value.numer().significant_bits()) + u64::from(value.denom().significant_bits());
    bits <= 4 * LONGEST_FRACTION as u64 && value.to_string().len() <= LONGEST_FRACTION
}

#[cfg(feature = "generate")]
/// The stored form of an outcome; `None` for one that is not an answer.
pub fn answer(outcome: &Outcome) -> Option<Result<Answer, NumberError>> {
    match outcome {
        Outcome::Exact(value) if is_short(value.value()) => {
            Some(Answer::exact(big_rational(value.value()), STORED_BITS))
        }
        Outcome::Exact(value) => Some(enclosure(&Enclosure::rational(value.value(), STORED_BITS))),
        Outcome::Enclosure(set) => Some(enclosure(set.set())),
        Outcome::Infinite => Some(Ok(Answer::infinite())),
        Outcome::Undefined(_) | Outcome::Short { .. } | Outcome::Undecided(_) => None,
    }
}

/// The stored word for a bound.
#[cfg(feature = "generate")]
pub fn bound(bound: Bound) -> dpcert_vectors::Bound {
    match bound {
        Bound::Upper => dpcert_vectors::Bound::Upper,
        Bound::Lower => dpcert_vectors::Bound::Lower,
    }
}

#[cfg(feature = "generate")]
fn enclosure(set: &Enclosure) -> Result<Answer, NumberError> {
    let stored = stored(set);
    Answer::enclosure(dyadic(stored.lower())?, dyadic(stored.upper())?)
}

#[cfg(feature = "generate")]
/// An enclosure as it is stored, rounded outward: what a second route has to confirm.
pub fn stored(set: &Enclosure) -> Enclosure {
    set.with_bits(STORED_BITS)
}

#[cfg(feature = "generate")]
/// A finite float is a dyadic rational, exactly.
fn dyadic(value: &Float) -> Result<Dyadic, NumberError> {
    let (mantissa, exponent) = value.to_integer_exp().unwrap_or_default();
    Dyadic::new(big_integer(&mantissa), i64::from(exponent))
}

fn big_integer(value: &rug::Integer) -> BigInt {
    use rug::integer::Order;
    let magnitude = BigInt::from_bytes_le(num_bigint::Sign::Plus, &value.to_digits::<u8>(Order::Lsf));
    if value.cmp0() == std::cmp::Ordering::Less { -magnitude } else { magnitude }
}

/// The same rational, in lowest terms as it was.
pub fn big_rational(value: &Rational) -> BigRational {
    BigRational::new_raw(big_integer(value.numer()), big_integer(value.denom()))
}

/// An outcome as the verdict rules take it, a few digits included: they often settle a verdict. `None` for one without
/// bounds.
pub fn truth(outcome: &Outcome) -> Option<Truth> {
    let (lower, upper) = match outcome {
        Outcome::Exact(value) => (value.value().clone(), value.value().clone()),
        Outcome::Enclosure(set) | Outcome::Short { proven: set, .. } => rational_bounds(set.set())?,
        Outcome::Infinite => return Some(Truth::Infinite),
        Outcome::Undefined(_) | Outcome::Undecided(_) => return None,
    };
    Some(Truth::Within { lower: big_rational(&lower), upper: big_rational(&upper) })
}

/// A stored rational as one of ours.
pub fn rational(value: &BigRational) -> Result<Rational, Error> {
    format!("{}/{}", value.numer(), value.denom())
        .parse()
        .map_err(|error| Error::input(format!("not a rational: {error}")))
}

/// The stored form of a constant: the forms that need no expression parser first.
pub fn exact(value: &Real) -> Result<Exact, Error> {
    if let Some(value) = value.as_rational() {
        return Ok(Exact::from(big_rational(value)));
    }
    let text = value.to_string();
    let inside = |function: &str| -> Option<BigRational> {
        text.strip_prefix(function)?.strip_prefix('(')?.strip_suffix(')')?.parse().ok()
    };
    Ok(match (inside("ln"), inside("sqrt")) {
        (Some(of), _) => Exact::Ln(of.into()),
        (_, Some(of)) => Exact::Sqrt(of.into()),
        _ => Exact::Expr(text),
    })
}

/// The stored form of a point: its coordinates by name.
pub fn at(point: &[(&str, Real)]) -> Result<At, Error> {
    let mut stored = At::default();
    for (name, value) in point {
        let place = stored.named(name).ok_or_else(|| Error::internal("unknown coordinate"))?;
        *place = Some(exact(value)?);
    }
    Ok(stored)
}

/// A number that stands for the one that is looked for, while a composition is taken apart. No question has it.
const STAND_IN: (u32, u32) = (1_000_003, 2_000_029);
/// The same where an integer has to be.
const INTEGER: u32 = 1_000_003;

/// The stored form of a composition with a `?` in the place of a parameter.
pub fn sought(template: &Template) -> Result<Vec<Factor>, Error> {
    let place = template.place();
    if let Some(weighed) = template.weighed() {
        return weight(template, &weighed.left);
    }
    let stand_in = match place.domain() {
        Domain::Integer { .. } => Rational::from(INTEGER),
        Domain::AboveOne => Rational::from(STAND_IN) + 1,
        _ => Rational::from(STAND_IN),
    };
    let mut factors = factors(&template.with(Real::from(stand_in.clone()))?)?;
    if place == Place::Repeats {
        // Of one factor: a product that is run so often has no form.
        let mut found = factors.iter_mut().filter(|factor| factor.times == u64::from(INTEGER));
        let (Some(factor), None) = (found.next(), found.next()) else {
            return Err(Error::input("the vector format cannot express repetitions of a product of mechanisms"));
        };
        (factor.times, factor.sought) = (1, true);
        return Ok(factors);
    }
    if unknown(&mut factors, place.name(), &Parameter::Number(exact(&Real::from(stand_in))?)) == 1 {
        return Ok(factors);
    }
    Err(Error::input(format!("{} is an alias of a parameter: mark that parameter with `?` instead", place.name())))
}

/// The stored form of a composition with a `?` in the place of a weight, where so much is left for it and the rest.
fn weight(template: &Template, left: &Rational) -> Result<Vec<Factor>, Error> {
    let weight = left * Rational::from(STAND_IN);
    let rest = Rational::from(left - &weight);
    let mut factors = factors(&template.with(Real::from(weight.clone()))?)?;
    let [weight, rest] = [weight, rest].map(|value| Exact::from(big_rational(&value)));
    if weights(&mut factors, &weight, &rest) == 1 {
        return Ok(factors);
    }
    Err(Error::input("the vector format cannot express this weight"))
}

/// Say of the weights that have both of these what they are; how many there were.
fn weights(factors: &mut [Factor], weight: &Exact, rest: &Exact) -> usize {
    let mut found = 0;
    for factor in factors {
        for parameter in factor.parameters.values_mut() {
            let Parameter::List(list) = parameter else { continue };
            if !(list.contains(weight) && list.contains(rest)) {
                continue;
            }
            let entry = |value: &Exact| match value {
                value if value == weight => Weight::Unknown,
                value if value == rest => Weight::Rest,
                value => Weight::Number(value.clone()),
            };
            *parameter = Parameter::Weights(list.iter().map(entry).collect());
            found += 1;
        }
        found += weights(&mut factor.of, weight, rest);
    }
    found
}

/// Say of each parameter of this name and value that it is looked for; how many there were.
fn unknown(factors: &mut [Factor], name: &str, stand_in: &Parameter) -> usize {
    let mut found = 0;
    for factor in factors {
        if let Some(value) = factor.parameters.get_mut(name).filter(|value| *value == stand_in) {
            *value = Parameter::Unknown;
            found += 1;
        }
        found += unknown(&mut factor.of, name, stand_in);
    }
    found
}

/// The stored form of a composition, for programs that parse no expressions.
pub fn factors(composition: &Composition) -> Result<Vec<Factor>, Error> {
    composition
        .factors()
        .iter()
        .map(|(mechanism, times)| {
            let mut stored = Factor {
                mechanism: mechanism.name().to_string(),
                parameters: BTreeMap::new(),
                of: Vec::new(),
                times: *times,
                sought: false,
            };
            for (name, argument) in mechanism.explicit_arguments() {
                let value = match argument {
                    Argument::Constant(value) => Parameter::Number(exact(&value)?),
                    Argument::List(values) => Parameter::List(values.iter().map(exact).collect::<Result<_, _>>()?),
                    Argument::Mechanism(inner) => {
                        stored.of = factors(&inner)?;
                        continue;
                    }
                    // One factor for each weight.
                    Argument::Mechanisms(all) => {
                        for part in &all {
                            let [factor] = &factors(part)?[..] else {
                                return Err(Error::input(format!(
                                    "the vector format cannot express a part such as {part}"
                                )));
                            };
                            stored.of.push(factor.clone());
                        }
                        continue;
                    }
                };
                stored.parameters.insert(name.to_string(), value);
            }
            Ok(stored)
        })
        .collect()
}
