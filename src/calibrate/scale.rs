//! The numbers that are tried: floating-point numbers of so many bits, or integers.

use std::cmp::Ordering;

use rug::float::Round;
use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use crate::error::Error;
use crate::mechanism::{Domain, Template};
use enclosure::{Budget, Real};

/// The exponent of the least double of 53 bits, above which all are searched.
const LEAST: i32 = -1022;
/// The greatest power of two among the doubles.
pub(super) const GREATEST: i32 = 1023;

/// Neighbours on it are as near as a value of the parameter is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Numbers `m 2^e` with so many bits in `m`.
    Binary(u32),
    Integers,
}

impl Scale {
    /// The neighbour of a number of the scale on the way to another one, which is none of its neighbours before.
    pub fn step(self, from: &Rational, to: &Rational) -> Rational {
        let up = to > from;
        match self {
            Scale::Integers if up => Rational::from(from + 1u32),
            Scale::Integers => Rational::from(from - 1u32),
            Scale::Binary(_) if up && from.is_zero() => power_of_two(LEAST),
            Scale::Binary(bits) => {
                let mut x = Float::with_val(bits, from);
                if up {
                    x.next_up()
                } else {
                    x.next_down()
                }
                let x = x.to_rational().unwrap_or_default();
                if x < power_of_two(LEAST) { Rational::new() } else { x }
            }
        }
    }

    /// The least number of the scale that is not below this one.
    pub fn at_least(self, x: &Rational) -> Rational {
        match self {
            Scale::Integers => Rational::from(x.ceil_ref()),
            Scale::Binary(bits) => Float::with_val_round(bits, x, Round::Up).0.to_rational().unwrap_or_default(),
        }
    }

    /// A number of the scale near this one, strictly between two that are no neighbours.
    pub fn between(self, x: &Rational, one: &Rational, other: &Rational) -> Rational {
        let near = match self {
            Scale::Integers => Rational::from(x.round_ref()),
            Scale::Binary(bits) => Float::with_val_round(bits, x, Round::Nearest).0.to_rational().unwrap_or_default(),
        };
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        near.max(self.step(low, high)).min(self.step(high, low))
    }
}

/// The values a parameter may have.
#[derive(Debug)]
pub(super) struct Axis {
    pub least: Rational,
    /// Is the least a value?
    pub closed: bool,
    /// The greatest value, if there is one.
    pub most: Option<Rational>,
    pub integers: bool,
}

impl Axis {
    pub fn of(template: &Template, budget: &Budget) -> Result<Self, Error> {
        let place = template.place();
        let half_line = |closed| Axis { least: Rational::new(), closed, most: None, integers: false };
        match place.domain() {
            Domain::NonNegative => Ok(half_line(true)),
            Domain::Positive => Ok(half_line(false)),
            Domain::AboveOne => Ok(Axis { least: Rational::from(1), ..half_line(false) }),
            Domain::Probability => Ok(Axis { most: Some(Rational::from(1)), ..half_line(true) }),
            Domain::Integer { least } => Ok(Axis {
                least: least.into(),
                closed: true,
                most: Some(most_integer(template, least, budget)?.into()),
                integers: true,
            }),
            Domain::Real | Domain::Distribution | Domain::Constants | Domain::Mechanism | Domain::Mechanisms => {
                Err(Error::Undefined(format!("{} takes values that are not searched", place.name())))
            }
        }
    }

    /// Where the search begins.
    pub fn start(&self) -> Rational {
        match &self.most {
            Some(_) if !self.integers => Rational::from((1, 2)),
            _ => self.least.clone().max(Rational::from(1)),
        }
    }

    /// The number that is `2^exponent` times the start, or the end of the axis on the way there.
    pub fn rung(&self, exponent: i32) -> Rational {
        let rung = self.start() * power_of_two(exponent.clamp(LEAST, GREATEST));
        let rung = self.most.iter().fold(rung, |rung, most| rung.min(most.clone()));
        if self.integers { rung.max(self.least.clone()) } else { rung.max(power_of_two(LEAST)) }
    }

    /// The scale on which a value is told.
    pub fn scale(&self) -> Scale {
        if self.integers { Scale::Integers } else { Scale::Binary(f64::MANTISSA_DIGITS) }
    }
}

/// The greatest integer that a template takes: it may be run so often that counts have no room for more.
fn most_integer(template: &Template, least: u64, budget: &Budget) -> Result<u64, Error> {
    let takes = |n: u64| template.with(Real::from(n)).is_ok();
    let (mut most, mut above) = (least.max(1), 1_u64 << 63);
    if takes(above) {
        return Ok(above);
    }
    template.with(Real::from(most))?;
    while above - most > 1 {
        budget.check()?;
        let middle = most + (above - most) / 2;
        if takes(middle) { most = middle } else { above = middle }
    }
    Ok(most)
}

pub(super) fn power_of_two(exponent: i32) -> Rational {
    let power = Rational::from(Integer::from(2).pow(exponent.unsigned_abs()));
    if exponent < 0 { power.recip() } else { power }
}

/// The middle of two numbers: of their logarithms where they are far apart.
pub(super) fn middle(one: &Rational, other: &Rational) -> Rational {
    let (low, high) = if one < other { (one, other) } else { (other, one) };
    if low.cmp0() == Ordering::Greater && *high > Rational::from(low * 4u32) {
        let logs = [low, high].map(|x| Float::with_val(64, x).log2().to_f64());
        let [low, high] = logs;
        return power_of_two(((low + high) / 2.0).round() as i32);
    }
    if low.is_zero() && *high < Rational::from((1, 4)) {
        let log = Float::with_val(64, high).log2().to_f64();
        return power_of_two(((log * 2.0 - 8.0) as i32).max(LEAST));
    }
    Rational::from(low + high) / 2u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(x: f64) -> Rational {
        Rational::from_f64(x).expect("a double")
    }

    #[test]
    fn neighbours_are_the_next_doubles() {
        let scale = Scale::Binary(53);
        for x in [1.0, 0.1, 3e-300, 1.0 - f64::EPSILON / 2.0, 1e308, 2.0] {
            assert_eq!(scale.step(&double(x), &double(f64::MAX)), double(x.next_up()), "{x}");
            assert_eq!(scale.step(&double(x), &Rational::new()), double(x.next_down()), "{x}");
        }
        let least = double(f64::MIN_POSITIVE);
        assert_eq!(scale.step(&Rational::new(), &least), least);
        assert_eq!(scale.step(&least, &Rational::new()), 0);
        assert_eq!(Scale::Integers.step(&Rational::from(7), &Rational::from(3)), 6);
        assert_eq!(Scale::Integers.step(&Rational::from(7), &Rational::from(9)), 8);
    }

    /// Never an end, so that each question narrows the bracket.
    #[test]
    fn what_is_tried_lies_between() {
        let (one, two) = (double(1.0), double(2.0));
        let scale = Scale::Binary(53);
        assert_eq!(scale.between(&Rational::from((4, 3)), &one, &two), double(4.0 / 3.0));
        assert_eq!(scale.between(&one, &two, &one), double(1.0 + f64::EPSILON));
        assert_eq!(scale.between(&two, &one, &two), double(2.0 - f64::EPSILON));
        let (three, nine) = (Rational::from(3), Rational::from(9));
        assert_eq!(Scale::Integers.between(&Rational::from((13, 2)), &nine, &three), 7);
        assert_eq!(Scale::Integers.between(&Rational::from(50), &nine, &three), 8);
        assert_eq!(middle(&double(2f64.powi(-40)), &double(1.0)), double(2f64.powi(-20)));
        assert_eq!(middle(&Rational::from(3), &Rational::from(2)), Rational::from((5, 2)));
        assert!(middle(&Rational::new(), &power_of_two(-1000)) >= power_of_two(LEAST));
    }
}
