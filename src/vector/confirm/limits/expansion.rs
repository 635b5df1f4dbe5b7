//! The profile of an Edgeworth expansion.

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::One;
use rug::Rational;

use super::{Bounds, Says};
use crate::error::Error;
use crate::query::Query;
use crate::route::limits::Expansion;
use crate::route::moments::{add, mul, point, sub};
use crate::vector::confirm::{Claim, numbers};
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

    fn beta(&self, _alpha: &Rational) -> Result<Bounds, Error> {
        Err(Error::input("no second route for the trade-off function of an expansion"))
    }
}
