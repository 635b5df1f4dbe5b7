//! The polygons of one pair: of its trade-off function, or made of those of what is inside.

use std::sync::{Mutex, PoisonError};

use rug::Rational;

use super::aim::{Aim, Part};
use super::points::{self, Tangent};
use super::shape;
use crate::compose::choose::Refusal;
use crate::compose::derived;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::pair::{Factors, Operator, Pair, TradeOff};
use enclosure::Budget;

/// A pair whose trade-off function is asked for at points.
pub enum Sampled {
    /// By its own curve.
    Curve(Box<Known>),
    /// `f^-1`.
    Inverse(Box<Sampled>),
    /// `max(f, f^-1)`.
    Larger(Box<Sampled>),
    /// `min(f, f^-1)**`.
    Hull(Box<Sampled>),
    /// One of several, told which.
    Mixture(Vec<(Rational, Sampled)>),
}

/// A curve, and the points of `f^-1` that were asked for first: type II errors of samples cost little backward.
pub struct Known {
    curve: Box<dyn Curve>,
    first: Mutex<Option<Vec<Tangent>>>,
}

impl Sampled {
    /// Of a pair.
    pub fn of(pair: &Pair) -> Result<Self, Refusal> {
        let Pair::Derived(derived) = pair else { return Self::by_curve(pair) };
        let only = || match derived.parts() {
            [part] => Self::of_factors(part).map(Box::new),
            _ => Err(Refusal::OtherKind),
        };
        Ok(match derived.operator() {
            Operator::Inverse => Sampled::Inverse(only()?),
            Operator::Larger => Sampled::Larger(only()?),
            Operator::Hull => Sampled::Hull(only()?),
            Operator::Mixture(weights) => {
                let Some(weights) =
                    weights.iter().map(|weight| weight.as_rational().cloned()).collect::<Option<Vec<_>>>()
                else {
                    return Err(Refusal::OtherKind);
                };
                let parts: Result<Vec<_>, _> = derived.parts().iter().map(Self::of_factors).collect();
                Sampled::Mixture(weights.into_iter().zip(parts?).collect())
            }
            Operator::Group(_) | Operator::Subsample(_) => Self::by_curve(pair)?,
        })
    }

    fn of_factors(factors: &Factors) -> Result<Self, Refusal> {
        match factors.as_slice() {
            [(pair @ (Pair::Derived(_) | Pair::Sample { .. }), 1)] => Self::of(pair),
            _ => Ok(Self::known(derived::by_any(factors.clone()))),
        }
    }

    fn by_curve(pair: &Pair) -> Result<Self, Refusal> {
        Ok(Self::known(derived::by_itself(pair)?))
    }

    fn known(curve: Box<dyn Curve>) -> Self {
        Sampled::Curve(Box::new(Known { curve, first: Mutex::new(None) }))
    }

    /// A polygon of few points, for where others should be.
    pub fn roughly(&self, times: u64, budget: &Budget) -> Result<Part, Error> {
        let [above, _] = self.polygons(ROUGHLY, &Aim::everywhere(), budget)?;
        Ok(Part::of(&above, times))
    }

    /// The polygons above and below, of about so many points of each curve.
    pub fn polygons(&self, points: usize, aim: &Aim, budget: &Budget) -> Result<[TradeOff; 2], Error> {
        match self {
            Sampled::Curve(known) => {
                // What is asked for is f^-1.
                let points = known.points(points, &aim.turned(), budget)?;
                Ok([shape::above(&points)?.inverse(), shape::below(&points)?.inverse()])
            }
            Sampled::Inverse(part) => Ok(part.polygons(points, &aim.turned(), budget)?.map(|f| f.inverse())),
            Sampled::Larger(part) => Ok(part.polygons(points, &aim.both(), budget)?.map(|f| f.symmetrized_max())),
            Sampled::Hull(part) => Ok(part.polygons(points, &aim.both(), budget)?.map(|f| f.symmetrized_min())),
            Sampled::Mixture(parts) => {
                let (mut above, mut below) = (Vec::new(), Vec::new());
                for (weight, part) in parts {
                    let [upper, lower] = part.polygons(points, aim, budget)?;
                    above.push((weight.clone(), upper));
                    below.push((weight.clone(), lower));
                }
                Ok([TradeOff::revealed_mixture(&above), TradeOff::revealed_mixture(&below)])
            }
        }
    }
}

/// Points that tell where others should be.
const ROUGHLY: usize = 64;

impl Known {
    fn points(&self, most: usize, aim: &Aim, budget: &Budget) -> Result<Vec<Tangent>, Error> {
        let direction = Direction::Backward;
        let kept = || self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let first = kept().clone();
        let first = match first {
            Some(first) => first,
            None => points::first(self.curve.as_ref(), direction, budget)?,
        };
        *kept() = Some(first.clone());
        points::refined(first, most, aim, (self.curve.as_ref(), direction), budget)
    }
}
