//! Compositions with parts of which the trade-off function is known point by point, and nothing that composes.
//!
//! A trade-off function f is convex: a polygon through points of it is nowhere below it, and one of lines that are
//! nearly tangents nowhere above. Both are trade-off functions of finite pairs with some hundreds or thousands of
//! outcomes, which other engines compose with whatever there is beside them. Composition keeps the order of trade-off
//! functions, for what has the larger one is a post-processing of what has the smaller one (Blackwell), beside whatever
//! else. So the composition of polygons above is at least as private as the true one, that of polygons below at most,
//! and the answers for both enclose the true answer. They come closer like `1/m^2` for m points, which are set where
//! the answer depends on them.
//!
//! What this is for: groups and symmetrisations of samples, whose profiles are greatest values that take a search each,
//! while a type II error is a few closed values; and discrete Gaussian noise under operators, of which all vertices are
//! known. Paper proof: `proofs/paper/polygons.md`.
//!
//! | file | does |
//! |---|---|
//! | `pairs` | the polygons of a pair, by points of its curve or from those of what is inside |
//! | `counted` | all vertices of discrete Gaussian noise |
//! | `round` | probabilities and polygons, rounded up and down |
//! | `points` | points of a curve, where the polygons through them are far apart |
//! | `shape` | both polygons of points |
//! | `aim` | what the answer depends on, in doubles |
//!
//! Why it ends: so many levels, each of four times as many points; what they prove is kept.

mod aim;
mod counted;
mod pairs;
mod points;
mod round;
mod shape;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use aim::Aim;
use pairs::Sampled;

use super::choose::{Refusal, Rough};
use super::derived::Hull;
use super::grid::is_by_profile;
use super::in_turn::Engines;
use super::quadrature::Quadrature;
use crate::alarm::{self, declined};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Real};

/// Points of each trade-off function at first, and at last.
const FIRST: usize = 128;
const LAST: usize = 1 << 14;
/// How many times as many from level to level.
const MORE: usize = 4;
/// The next level takes this many times the work of one, or more.
const PACE: u64 = 5;
/// Bits asked of the polygons' compositions beyond those of the digits.
const SPARE: u32 = 3;
/// Points of grids of polygons' compositions, where nothing else encloses them.
const GRID: u32 = 1 << 14;

/// What two levels enclose, to be told in an alarm.
const LEVELS: &str = "answer between polygons";

/// A composition between those of polygons.
pub struct Polygons {
    /// What is left as it is.
    rest: Product,
    /// What polygons stand for.
    parts: Vec<(Arc<Sampled>, u64)>,
    symmetric: bool,
    digits: u32,
    levels: Cache<Level, Both>,
}

/// Which polygons.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    points: usize,
    aim: Aim,
}

/// The compositions of both kinds of polygons.
struct Both {
    /// Of those above the trade-off functions: at least as private.
    above: Engines,
    /// Of those below.
    below: Engines,
}

/// A question to a curve, and the ends of what it says.
type Question<'a> = &'a dyn Fn(&dyn Curve, u32, &Budget) -> Result<Enclosure, Error>;

impl Polygons {
    /// The curve of a product in which something is known by its own curve alone, content with so many digits.
    pub(super) fn of(product: &Product, digits: u32) -> Result<Self, Refusal> {
        // What has a contour is answered by it, where that decays.
        if Quadrature::of(product).is_ok_and(|curve| curve.is_quick()) {
            return Err(Refusal::OtherKind);
        }
        // What fails outright is put around all engines.
        let mut rest = Product { sampled: Vec::new(), derived: Vec::new(), failures: Vec::new(), ..product.clone() };
        let mut parts = Vec::new();
        let derived = product.derived.iter().map(|(pair, times)| (Pair::Derived(pair.clone()), *times));
        for (pair, times) in product.sampled.iter().cloned().chain(derived) {
            if is_by_profile(&pair) {
                parts.push((Arc::new(Sampled::of(&pair)?), times));
            } else {
                rest.sampled.push((pair, times));
            }
        }
        // One of them by itself is answered by its own curve.
        if parts.is_empty() || (parts.len() == 1 && parts[0].1 == 1 && rest.families().is_empty()) {
            return Err(Refusal::OtherKind);
        }
        Ok(Polygons { rest, parts, symmetric: product.symmetric(), digits, levels: Cache::new(4) })
    }

    /// The compositions of polygons of so many points.
    fn level(&self, level: &Level, budget: &Budget) -> Result<Arc<Both>, Error> {
        self.levels.get(level.clone(), || {
            let [mut above, mut below] = [self.rest.clone(), self.rest.clone()];
            for (part, times) in &self.parts {
                let [upper, lower] = part.polygons(level.points, &level.aim, budget)?;
                above.finite.push((upper.representing_pair()?, *times));
                below.finite.push((lower.representing_pair()?, *times));
            }
            Ok(Both { above: Engines::inside(above), below: Engines::inside(below) })
        })
    }

    /// Both ends, from ever more points until the digits are there or no work is left; `rises` with privacy lost.
    ///
    /// A request for few bits gets a sketch.
    fn refined(
        &self,
        (bits, rises): (u32, bool),
        aim: &dyn Fn(&[aim::Part]) -> Aim,
        budget: &Budget,
        question: Question,
    ) -> Result<Enclosure, Error> {
        let wanted = bits.min((f64::from(self.digits) * std::f64::consts::LOG2_10) as u32 + 2);
        let mut known: Option<Enclosure> = None;
        // What is known as a whole gets no better by more points: few bits, and then all.
        let whole = self.parts.iter().all(|(part, _)| part.is_whole());
        let mut points = FIRST;
        let aim = if whole {
            Aim::everywhere()
        } else {
            let roughly = self.parts.iter().map(|(part, times)| part.roughly(*times, budget));
            aim(&roughly.collect::<Result<Vec<aim::Part>, Error>>()?)
        };
        loop {
            let begun = budget.spent();
            let level = Level { points: if whole { LAST } else { points }, aim: aim.clone() };
            let proven = self.level(&level, budget).and_then(|both| {
                let few = expected(points, known.as_ref()).min(wanted);
                let within = if whole && known.is_some() { wanted } else { few };
                let bits = within.saturating_add(SPARE);
                let [private, exposed] =
                    [asked(&both.above, bits, budget, question)?, asked(&both.below, bits, budget, question)?];
                let (low, high) = if rises { (private, exposed) } else { (exposed, private) };
                alarm::bracket(&low, &high, LEVELS)
            });
            let proven = match (proven, &known) {
                (Err(error), _) if error.is_alarm() => return Err(error),
                (Err(error), None) if points >= LAST || budget.check().is_err() => return Err(error),
                (Err(_), Some(known)) if points >= LAST || budget.check().is_err() => return Ok(known.clone()),
                (Err(_), _) => None,
                (Ok(proven), None) => Some(proven),
                (Ok(proven), Some(known)) => Some(alarm::meet(known, &proven, LEVELS)?),
            };
            known = proven.or(known);
            let took = budget.spent() - begun;
            let hopeless = budget.remaining().is_some_and(|left| left < took.saturating_mul(PACE));
            if let Some(known) = &known
                && (known.relative_bits() >= Some(i64::from(wanted)) || points >= LAST || hopeless)
            {
                return Ok(known.clone());
            }
            points = if whole { LAST } else { points * MORE };
        }
    }
}

/// About how many bits the polygons of so many points agree to, where those of fewer points agree to what is known.
fn expected(points: usize, known: Option<&Enclosure>) -> u32 {
    let known = known.and_then(Enclosure::relative_bits).and_then(|bits| u32::try_from(bits).ok());
    known.map_or((2 * points.ilog2()).saturating_sub(4), |bits| bits.saturating_add(2 * MORE.ilog2()))
}

/// What encloses the answer of the composition of polygons to about so many bits, or to as many as are known soon.
fn asked(engines: &Engines, bits: u32, budget: &Budget, question: Question) -> Result<Enclosure, Error> {
    let digits = (f64::from(bits) / std::f64::consts::LOG2_10) as u32;
    let mut known: Option<Enclosure> = None;
    let mut refusal = Error::undecided("no method composes the bounding polygons with the rest");
    for how in [Some(Rough::Majorized(digits)), None, Some(Rough::Grid(GRID))] {
        let found = match how {
            Some(how) => match declined(engines.rough(how, budget))?.flatten() {
                Some(curve) => question(curve.as_ref(), 128, budget),
                None => continue,
            },
            None => engines.ask(budget, |curve, budget| question(curve, bits.saturating_add(SPARE), budget)),
        };
        match found {
            Ok(found) => {
                known = Some(match known {
                    Some(known) => alarm::meet(&known, &found, LEVELS)?,
                    None => found,
                })
            }
            Err(error) if error.is_alarm() => return Err(error),
            Err(error) => refusal = error,
        }
        if let Some(known) = &known
            && known.relative_bits() >= Some(i64::from(bits.saturating_sub(SPARE)))
        {
            break;
        }
        budget.check()?;
    }
    known.ok_or(refusal)
}

impl Curve for Polygons {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let aim = |parts: &[aim::Part]| Aim::at_epsilon(parts, epsilon.to_f64(), direction);
        let delta = |curve: &dyn Curve, bits: u32, budget: &Budget| {
            Ok(curve.delta(epsilon, direction, bits, budget)?.enclosure(bits))
        };
        self.refined((bits, true), &aim, budget, &delta).map(Number::Enclosed)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let aim = |parts: &[aim::Part]| Aim::at_delta(parts, delta.to_f64(), direction);
        let epsilon =
            |curve: &dyn Curve, bits: u32, budget: &Budget| match curve.epsilon(delta, direction, bits, budget)? {
                Value::Finite(epsilon) => Ok(epsilon.enclosure(bits)),
                // Masses that are cut off are at infinity.
                Value::Infinite => Ok(Enclosure::whole(bits)),
            };
        self.refined((bits, true), &aim, budget, &epsilon).map(|epsilon| Value::Finite(Number::Enclosed(epsilon)))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let aim = |_: &[aim::Part]| Aim::everywhere();
        let beta = |curve: &dyn Curve, bits: u32, budget: &Budget| {
            Ok(curve.beta(alpha, direction, bits, budget)?.enclosure(bits))
        };
        self.refined((bits, false), &aim, budget, &beta).map(Number::Enclosed)
    }

    /// The larger one of two trade-off functions has the larger hull of both orders: that of the polygons encloses it.
    fn beta_of_both(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        let aim = |_: &[aim::Part]| Aim::everywhere();
        let beta = |curve: &dyn Curve, bits: u32, budget: &Budget| {
            Ok(Hull::new(curve).beta(alpha, Direction::Worst, bits, budget)?.enclosure(bits))
        };
        self.refined((bits, false), &aim, budget, &beta).map(|set| Some(Number::Enclosed(set)))
    }

    fn sketches(&self) -> bool {
        true
    }

    fn method(&self) -> &'static str {
        "polygons of trade-off functions, from both sides"
    }

    fn statement(&self) -> &'static Statement {
        &statement::POLYGONS
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("parts bounded by polygons", self.parts.len())]
    }
}
