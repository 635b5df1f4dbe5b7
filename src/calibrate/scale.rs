//! The grid of values that the search tries: floating-point numbers of a given precision, or integers.

use std::cmp::Ordering;

use rug::float::Round;
use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use crate::error::Error;
use crate::mechanism::{Domain, Place, Template};
use enclosure::{Budget, Real};

/// The exponent of the least double of 53 bits, above which all are searched.
const LEAST: i32 = -1022;
/// The greatest power of two among the doubles.
pub(super) const GREATEST: i32 = 1023;

/// The spacing of its neighbours is the precision of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Numbers `m 2^e` with this number of bits in `m`.
    Binary(u32),
    Integers,
}

impl Scale {
    /// The neighbour of a number in the direction of another one: the next number of the scale, or the other number if
    /// that is closer.
    pub fn step(self, from: &Rational, to: &Rational) -> Rational {
        let up = to > from;
        let next = match self {
            Scale::Integers if up => Rational::from(from + 1u32),
            Scale::Integers => Rational::from(from - 1u32),
            Scale::Binary(_) if up && from.is_zero() => power_of_two(LEAST),
            Scale::Binary(bits) => {
                let (mut x, rounded) = Float::with_val_round(bits, from, if up { Round::Up } else { Round::Down });
                // What is between two numbers of the scale is rounded to one of them.
                match (rounded, up) {
                    (Ordering::Equal, true) => x.next_up(),
                    (Ordering::Equal, false) => x.next_down(),
                    _ => {}
                }
                let x = x.to_rational().unwrap_or_default();
                if x < power_of_two(LEAST) { Rational::new() } else { x }
            }
        };
        if up { next.min(to.clone()) } else { next.max(to.clone()) }
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
            Domain::Positive => Ok(Axis { most: most_double(template, budget)?, ..half_line(false) }),
            Domain::AboveOne => Ok(Axis { least: Rational::from(1), ..half_line(false) }),
            Domain::Probability => {
                let most = template.weighed().map_or_else(|| Rational::from(1), |weighed| weighed.left.clone());
                if most < power_of_two(LEAST) {
                    return Err(Error::Undefined(format!("the values of {} are too small to search", place.name())));
                }
                Ok(Axis { most: Some(most), ..half_line(true) })
            }
            Domain::Integer { least } => {
                let [least, most] = integers(template, least, budget)?.map(Rational::from);
                Ok(Axis { least, closed: true, most: Some(most), integers: true })
            }
            Domain::Real | Domain::Distribution | Domain::Constants | Domain::Mechanism | Domain::Mechanisms => {
                Err(Error::Undefined(format!(
                    "calibrate cannot search for a value of {}; mark a number with `?`",
                    place.name()
                )))
            }
        }
    }

    /// Where the search begins.
    pub fn start(&self) -> Rational {
        match &self.most {
            Some(most) if !self.integers => {
                let half = Rational::from(most / 2u32).min(Rational::from((1, 2)));
                Float::with_val_round(f64::MANTISSA_DIGITS, &half, Round::Down).0.to_rational().unwrap_or_default()
            }
            _ if self.above() => Rational::from(&self.least + 1u32),
            _ => self.least.clone().max(Rational::from(1)),
        }
    }

    /// Are the values those above a positive number?
    fn above(&self) -> bool {
        !self.closed && !self.least.is_zero()
    }

    /// The start times `2^exponent`, or the end of the axis if that comes first. If the axis starts at a positive
    /// number, the distance from it is scaled instead.
    pub fn rung(&self, exponent: i32) -> Rational {
        if self.above() {
            // No double is nearer.
            let exponent = exponent.clamp(1 - f64::MANTISSA_DIGITS as i32, GREATEST);
            return &self.least + power_of_two(exponent);
        }
        let rung = self.start() * power_of_two(exponent.clamp(LEAST, GREATEST));
        let rung = self.most.iter().fold(rung, |rung, most| rung.min(most.clone()));
        if self.integers { rung.max(self.least.clone()) } else { rung.max(power_of_two(LEAST)) }
    }

    /// The scale of the result.
    pub fn scale(&self) -> Scale {
        if self.integers { Scale::Integers } else { Scale::Binary(f64::MANTISSA_DIGITS) }
    }
}

/// The least and the greatest integer that a template takes: it may be run so often that counts have no room for more,
/// or other numbers of a mechanism may leave room for some alone.
fn integers(template: &Template, least: u64, budget: &Budget) -> Result<[u64; 2], Error> {
    let inside = template.place().inside().and_then(|inside| inside.numer().to_u64());
    let inside = inside.unwrap_or(least).max(least).max(1);
    template.with(Real::from(inside))?;
    Ok([last(template, [inside, least], budget)?, last(template, [inside, 1 << 63], budget)?])
}

/// The last integer that a template accepts, going from an accepted one towards `end`, if all accepted integers are on
/// one side of it.
fn last(template: &Template, [from, end]: [u64; 2], budget: &Budget) -> Result<u64, Error> {
    // Of repeats there may be too many in all.
    let takes = |n: u64| match template.with(Real::from(n)) {
        Ok(filled) if matches!(template.place(), Place::Repeats) => !matches!(filled.pairs(), Err(Error::Input(_))),
        filled => filled.is_ok(),
    };
    if takes(end) {
        return Ok(end);
    }
    let (mut taken, mut not) = (from, end);
    while taken.abs_diff(not) > 1 {
        budget.check()?;
        let middle = taken.min(not) + taken.abs_diff(not) / 2;
        if takes(middle) { taken = middle } else { not = middle }
    }
    Ok(taken)
}

/// The greatest double that a template takes, where it does not take all of them: no batch has more than there are
/// examples.
fn most_double(template: &Template, budget: &Budget) -> Result<Option<Rational>, Error> {
    let takes = |x: f64| Rational::from_f64(x).filter(|x| template.with(Real::from(x.clone())).is_ok());
    if takes(f64::MAX).is_some() {
        return Ok(None);
    }
    // Positive doubles are in the order of their bits.
    let (mut taken, mut not) = (1f64.to_bits(), f64::MAX.to_bits());
    while not - taken > 1 {
        budget.check()?;
        let middle = taken + (not - taken) / 2;
        if takes(f64::from_bits(middle)).is_some() { taken = middle } else { not = middle }
    }
    Ok(takes(f64::from_bits(taken)))
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

    /// A batch has no more than there are examples, and examples are no fewer than in a batch; orders are above 1.
    #[test]
    fn values_are_those_that_the_rest_leaves_room_for() {
        let axis = |text: &str| Axis::of(&text.parse().expect(text), &Budget::default()).expect(text);
        let batch = axis("dp-sgd(examples=300, batch=?, noise-multiplier=1, steps=3)");
        assert_eq!((batch.least.to_string(), batch.most), ("0".into(), Some(Rational::from(300))));
        let examples = axis("dp-sgd(examples=?, batch=5/2, noise-multiplier=1, steps=3)");
        assert_eq!((examples.least, examples.most), (Rational::from(3), Some(Rational::from(1_u64 << 63))));
        let steps = axis("noisy-sgd(steps=?, rate=1/5, ratio=1, contraction=1/2, sampled=7)");
        assert_eq!((steps.least, steps.closed), (Rational::from(7), true));
        let order = axis("rdp(order=?, epsilon=1)");
        assert_eq!([order.start(), order.rung(-1), order.rung(3)], [2.0, 1.5, 9.0].map(double));
        assert_eq!(order.rung(-1000), double(1.0_f64.next_up()));
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
