//! The profile and the trade-off function of an Edgeworth expansion.

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::One;
use rug::Rational;

use super::{Bounds, Says};
use crate::error::Error;
use crate::query::Query;
use crate::route::elementary::scaled_down;
use crate::route::limits::Expansion;
use crate::route::moments::{add, div, mul, point, sub};
use crate::vector::confirm::{Claim, numbers, require};
use enclosure::Real;

/// An expansion in both directions: each under its first and under its second distribution.
pub(super) struct Both {
    sides: [[Expansion; 2]; 2],
    survival: Bounds,
    direction: Direction,
    bits: u64,
}

impl Both {
    pub(super) fn new(
        forward: &[Bounds],
        backward: &[Bounds],
        survival: Bounds,
        order: usize,
        bits: u64,
    ) -> Result<Self, Error> {
        let expansion = |sums: &[Bounds]| {
            Expansion::new(sums, order, bits).ok_or_else(|| Error::input("a loss that does not vary"))
        };
        // Under the second distribution the loss is minus that of the other direction.
        let minus = |sums: &[Bounds]| -> Vec<Bounds> {
            let sign =
                |(j, (low, high)): (u32, &Bounds)| if j % 2 == 1 { (-high, -low) } else { (low.clone(), high.clone()) };
            (1..).zip(sums).map(sign).collect()
        };
        let one_way = |own: &[Bounds], other: &[Bounds]| -> Result<[Expansion; 2], Error> {
            Ok([expansion(own)?, expansion(&minus(other))?])
        };
        let sides = [one_way(forward, backward)?, one_way(backward, forward)?];
        Ok(Both { sides, survival, direction: Direction::Worst, bits })
    }

    pub(super) fn confirm(mut self, query: &Query, claim: &Claim) -> Result<(), Error> {
        self.direction = query.direction;
        Says::confirm(&self, query, claim)
    }

    fn asked(&self) -> &[[Expansion; 2]] {
        match self.direction {
            Direction::Worst => &self.sides,
            Direction::Forward => &self.sides[..1],
            Direction::Backward => &self.sides[1..],
        }
    }
}

impl Says for Both {
    fn delta(&self, epsilon: &Real) -> Result<Bounds, Error> {
        let (x, at) = (numbers::exp_bounds(epsilon, self.bits)?, numbers::bounds(epsilon, self.bits)?);
        let all = self.asked().iter().map(|[first, second]| sub(&first.tail(&at), &mul(&x, &second.tail(&at))));
        let inner = all.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).ok_or_else(|| Error::internal("no direction"))?;
        Ok(add(&sub(&point(Second::ONE), &self.survival), &mul(&self.survival, &inner)))
    }

    fn beta(&self, alpha: &Rational) -> Result<Bounds, Error> {
        // P is rejected where the loss is at most t: alpha is what is not in the tail of P beyond t.
        let level = sub(&point(Second::ONE), &div(&point(numbers::second(alpha)?), &self.survival));
        let all = self.asked().iter().map(|[first, second]| {
            let t = threshold(&|t| first.tail(t), &level, self.bits)?;
            Ok::<_, Error>(second.tail(&t))
        });
        let all = all.collect::<Result<Vec<_>, _>>()?.into_iter();
        let inner = all.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1))).ok_or_else(|| Error::internal("no direction"))?;
        Ok(mul(&self.survival, &inner))
    }
}

/// Number of doublings of the first interval, of steps inside it, and of doublings of the last one.
const OUTWARD: u32 = 30;
const STEPS: u32 = 80;
const BESIDE: u32 = 60;

/// Where a tail, which falls, is at a level: by chords, with half the weight of an end that stays once more
/// (the Illinois method), and then between two points on both sides.
fn threshold(tail: &dyn Fn(&Bounds) -> Bounds, level: &Bounds, bits: u64) -> Result<Bounds, Error> {
    let two = Second::from(2);
    let above = |t: &Second| sub(&tail(&point(t.clone())), level);
    let (mut low, mut high) = (-Second::ONE, Second::ONE);
    for _ in 0..OUTWARD {
        match (above(&low).0 > 0u32, above(&high).1 < 0u32) {
            (true, true) => break,
            (false, _) => low *= &two,
            (true, false) => high *= &two,
        }
    }
    let middle = |(low, high): Bounds| (low + high) / &two;
    let (mut at_low, mut at_high) = (middle(above(&low)), middle(above(&high)));
    require(at_low > 0u32 && at_high < 0u32, "a threshold between two points")?;
    let (mut t, mut last) = (low.clone(), None);
    for _ in 0..STEPS {
        let next = scaled_down(&(&low + &at_low * (&high - &low) / (&at_low - &at_high)), bits);
        if next == t {
            break;
        }
        t = next;
        let here = middle(above(&t));
        let left = here > 0u32;
        if left {
            (low, at_low) = (t.clone(), here);
        } else {
            (high, at_high) = (t.clone(), here);
        }
        if last == Some(left) {
            let stays = if left { &mut at_high } else { &mut at_low };
            *stays /= &two;
        }
        last = Some(left);
    }
    let mut away = Second::ONE >> (bits - 8);
    for _ in 0..BESIDE {
        let (before, behind) = (&t - &away, &t + &away);
        if above(&before).0 > 0u32 && above(&behind).1 < 0u32 {
            return Ok((before, behind));
        }
        away *= &two;
    }
    require(false, "a threshold that is found").map(|()| (t.clone(), t))
}
