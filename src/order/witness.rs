//! Where a relation is seen to fail.

use rug::Rational;

use crate::curve::Direction;
use crate::number::{Fraction, Interval};
use enclosure::Enclosure;

/// Bits of fractions that are shown as intervals.
const EXACT_BITS: u32 = 256;

/// A place at which two trade-off functions, or their profiles, are proven to differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A type I error.
    Alpha(Fraction),
    /// An epsilon, and a direction of the profiles.
    Epsilon(Fraction, Direction),
}

/// A place at which one composition is less private than the other: a type I error at which it has the smaller type II
/// error, or an epsilon at which it has the larger delta. The profile is the maximum of `1 - f(alpha) - e^eps alpha`,
/// or that of the inverse, so a larger profile means that f is smaller somewhere.
#[derive(Clone, Debug)]
pub struct Witness {
    place: Place,
    pub(super) smaller: Enclosure,
    pub(super) larger: Enclosure,
    /// Both type II errors, where they are fractions.
    fractions: Option<(Rational, Rational)>,
}

impl Witness {
    pub(super) fn new(alpha: Rational, smaller: Enclosure, larger: Enclosure) -> Self {
        Witness { place: Place::Alpha(Fraction::new(alpha)), smaller, larger, fractions: None }
    }

    pub(super) fn exact(alpha: Rational, smaller: Rational, larger: Rational) -> Self {
        let set = |value: &Rational| Enclosure::rational(value, EXACT_BITS);
        let (low, high) = (set(&smaller), set(&larger));
        Witness { fractions: Some((smaller, larger)), ..Witness::new(alpha, low, high) }
    }

    /// By both profiles, if they are apart.
    pub(super) fn at_epsilon(
        epsilon: Rational,
        direction: Direction,
        smaller: Enclosure,
        larger: Enclosure,
    ) -> Option<Self> {
        let apart = smaller.upper() < larger.lower();
        let place = Place::Epsilon(Fraction::new(epsilon), direction);
        apart.then_some(Witness { place, smaller, larger, fractions: None })
    }

    /// The same of anything that is less private than what it was found of, at a type I error.
    pub(super) fn with_less(self) -> Self {
        Witness { smaller: Enclosure::zero(self.smaller.bits()).hull(&self.smaller), ..self }
    }

    /// The same, of the hulls of both orders: they have one profile, the larger of both directions.
    pub(super) fn of_both(self) -> Self {
        match self.place {
            Place::Epsilon(epsilon, _) => Witness { place: Place::Epsilon(epsilon, Direction::Worst), ..self },
            Place::Alpha(_) => self,
        }
    }

    /// The smaller and the larger type II error, if both are known exactly.
    pub fn fractions(&self) -> Option<(Fraction, Fraction)> {
        self.fractions.clone().map(|(smaller, larger)| (Fraction::new(smaller), Fraction::new(larger)))
    }

    /// The place.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The type I error, if the place is a type I error.
    pub fn alpha(&self) -> Option<&Fraction> {
        match &self.place {
            Place::Alpha(alpha) => Some(alpha),
            Place::Epsilon(..) => None,
        }
    }

    /// The smaller value: the type II error of the less private composition, or the delta of the other one.
    pub fn smaller(&self) -> Interval {
        self.smaller.clone().into()
    }

    /// The larger value, proven to exceed the smaller one: the type II error of the other composition, or the delta of
    /// the less private one.
    pub fn larger(&self) -> Interval {
        self.larger.clone().into()
    }
}
