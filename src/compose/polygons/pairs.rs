//! The polygons of one pair: of its trade-off function, or made of those of what is inside.

use std::sync::{Mutex, PoisonError};

use rug::Rational;

use super::aim::{Aim, Part};
use super::counted::Counted;
use super::points::{self, Tangent};
use super::round::{lowered, raised};
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
    /// All of it.
    Exact(TradeOff),
    /// All of it, but for tails.
    Counted(Box<Counted>),
    /// The Poisson sample of one that is known as a whole.
    Poisson(Rational, Box<Sampled>),
    /// The sample of a fixed share of one that is known as a whole.
    Share(Rational, Box<Sampled>),
    /// The group of one that is known as a whole.
    Group(u64, Box<Sampled>),
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
        if let Some(whole) = Self::whole(pair)? {
            return Ok(whole);
        }
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
            [(pair, 1)] if matches!(pair, Pair::Derived(_) | Pair::Sample { .. } | Pair::DiscreteGaussian { .. }) => {
                Self::of(pair)
            }
            _ => Ok(Self::known(derived::by_any(factors.clone()))),
        }
    }

    /// Of a pair whose trade-off function has a vertex here and there, all of which are known, and no longer than
    /// others can compose.
    fn whole(pair: &Pair) -> Result<Option<Self>, Error> {
        if let Some(f) = pair.trade_off()? {
            return Ok((f.vertices().len() <= LONGEST).then_some(Sampled::Exact(f)));
        }
        let found = match pair {
            Pair::DiscreteGaussian { sigma2, sensitivity } => {
                Counted::of(sigma2, *sensitivity).map(|counted| Sampled::Counted(Box::new(counted)))
            }
            Pair::Sample { rate, inner } => match (rate.as_rational(), Self::whole(inner)?) {
                (Some(rate), Some(inner)) => Some(Sampled::Poisson(rate.clone(), Box::new(inner))),
                _ => None,
            },
            Pair::Derived(derived) => {
                let [part] = derived.parts() else { return Ok(None) };
                let [(inner, 1)] = part.as_slice() else { return Ok(None) };
                let Some(inner) = Self::whole(inner)?.map(Box::new) else { return Ok(None) };
                match derived.operator() {
                    Operator::Group(size) => Some(Sampled::Group(*size, inner)),
                    Operator::Subsample(rate) => rate.as_rational().map(|rate| Sampled::Share(rate.clone(), inner)),
                    Operator::Inverse => Some(Sampled::Inverse(inner)),
                    Operator::Larger => Some(Sampled::Larger(inner)),
                    Operator::Hull => Some(Sampled::Hull(inner)),
                    Operator::Mixture(_) => None,
                }
            }
            _ => None,
        };
        Ok(found.filter(|found| found.size() <= LONGEST))
    }

    /// About how many vertices its polygons have, where that does not depend on what is asked.
    fn size(&self) -> usize {
        match self {
            Sampled::Curve(_) | Sampled::Mixture(_) => usize::MAX,
            Sampled::Exact(f) => f.vertices().len(),
            Sampled::Counted(counted) => counted.size(),
            Sampled::Poisson(_, part) | Sampled::Inverse(part) => part.size(),
            Sampled::Group(times, part) => part.size().saturating_mul(usize::try_from(*times).unwrap_or(usize::MAX)),
            Sampled::Share(_, part) | Sampled::Larger(part) | Sampled::Hull(part) => part.size().saturating_mul(2),
        }
    }

    /// Are the polygons the same, however many points are asked for?
    pub fn is_whole(&self) -> bool {
        match self {
            Sampled::Mixture(parts) => parts.iter().all(|(_, part)| part.is_whole()),
            other => other.size() <= LONGEST,
        }
    }

    /// By points of its own curve.
    pub fn by_curve(pair: &Pair) -> Result<Self, Refusal> {
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
            Sampled::Exact(f) => Ok([f.clone(), f.clone()]),
            Sampled::Counted(counted) => counted.polygons(budget),
            // P has the record, and Q has not.
            Sampled::Poisson(rate, part) => {
                let [above, below] = part.polygons(points, aim, budget)?;
                let sample = |f: &TradeOff| Ok::<_, Error>(f.inverse().mixed_with_identity(rate)?.inverse());
                rounded([sample(&above)?, sample(&below)?])
            }
            Sampled::Share(rate, part) => {
                let [above, below] = part.polygons(points, aim, budget)?;
                let sample = |f: &TradeOff| Ok::<_, Error>(f.mixed_with_identity(rate)?.symmetrized_min());
                rounded([sample(&above)?, sample(&below)?])
            }
            Sampled::Group(size, part) => {
                let [above, below] = part.polygons(points, aim, budget)?;
                let most = self.size().saturating_mul(4);
                rounded([above.group(*size, most)?, below.group(*size, most)?])
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

/// The same, to as many bits as are needed.
fn rounded([above, below]: [TradeOff; 2]) -> Result<[TradeOff; 2], Error> {
    Ok([raised(above.vertices())?, lowered(below.vertices())?])
}

/// No more vertices than this.
const LONGEST: usize = 1 << 10;

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
