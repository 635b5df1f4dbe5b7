//! One of two compositions that are compared: its profile and its trade-off function, as precise as they are needed.
//!
//! If no engine computes the profile to any number of digits, a grid has low precision, and none for small values;
//! close to the end of the privacy losses there may be no method at all. There, bounds take over: one from above, by
//! Renyi divergences, and two from below, by Poisson samples in place of samples of a fixed share, and by runs that all
//! reveal equally much ([`alike`]). They are sufficient for tails that differ by powers of ten. Values close to each
//! other are computed more precisely, with nodes in a row.
//!
//! [`alike`]: super::alike

use std::cell::Cell;
use std::sync::Arc;

use rug::Rational;

use super::alike::Alike;
use super::steep::steep;
use super::whole::BITS;
use crate::alarm::{self, declined};
use crate::answer::profile_bound;
use crate::compose::{Engines, Method, Rough};
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism, Poisson};
use crate::pair::{Ends, Factors, LossBound, Pair, TradeOff};
use enclosure::{Budget, Enclosure, Real};

/// Points of a grid where nothing precise is to be had, and the bits that are asked of it.
const GRID: u32 = 1 << 14;
const GRID_BITS: u32 = 40;
/// Digits of what lies between polygons.
const POLYGONS: u32 = 4;
/// Digits that are sought where a grid shows too few.
const CLOSER: u32 = 9;
/// A value of no more bits is met with the bounds that are known otherwise.
const FEW: i64 = 3;

/// How values are computed.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Way {
    Precise,
    /// All engines have refused what is precise: a grid of few points will do.
    Grid,
    /// The grid does not separate the two: use nodes in a row, if all precise methods refuse.
    Majorized,
}

/// One of both.
#[derive(Clone)]
pub(super) struct Side<'a> {
    pub(super) engines: &'a Engines,
    ends: Ends,
    pub(super) symmetric: bool,
    pub(super) polyline: Option<TradeOff>,
    pub(super) factors: Factors,
    /// Forwards, and backwards.
    ways: [Cell<Way>; 2],
    /// K, where `e^-K H(eps + K)` stands for the profile H.
    moved: Rational,
    /// A composition that is at least as private and has a profile to any number of digits, if there is one.
    more: Option<Arc<Engines>>,
    /// One of many equal runs, if it is that.
    alike: Option<Alike>,
}

impl<'a> Side<'a> {
    /// Of this composition, with its engines.
    ///
    /// # Errors
    /// Those of the ends of the pairs.
    pub(super) fn new(engines: &'a Engines, factors: &Factors) -> Result<Self, Error> {
        let pair = Pair::several(factors.clone());
        let more = samples_alone(engines.mechanism())?;
        Ok(Side {
            engines,
            ends: pair.ends()?,
            symmetric: pair.symmetric(),
            polyline: pair.trade_off()?,
            factors: factors.clone(),
            ways: [(); 2].map(|()| Cell::new(Way::Precise)),
            moved: Rational::new(),
            more: more.map(|more| Arc::new(Engines::new(more, Method::Auto))),
            alike: Alike::of(engines.mechanism())?,
        })
    }

    /// The same with the profile `e^-K H(eps + K)` in place of H.
    #[must_use]
    pub(super) fn moved(self, moved: Rational) -> Self {
        Side { moved, ..self }
    }

    /// The largest loss and the mass beyond, in a direction.
    pub(super) fn end(&self, direction: Direction) -> (LossBound, &Real) {
        let Ends { losses, infinite_p, infinite_q } = &self.ends;
        let none = || LossBound::At(Real::zero());
        match direction {
            Direction::Backward => {
                (losses.as_ref().map_or_else(none, |(least, _)| least.clone().reversed()), infinite_q)
            }
            _ => (losses.as_ref().map_or_else(none, |(_, largest)| largest.clone()), infinite_p),
        }
    }

    /// The mass of the largest loss under the second distribution: where all is in fractions, the width of the first
    /// segment.
    ///
    /// # Errors
    /// Those of the masses.
    pub(super) fn tip(&self, direction: Direction) -> Result<Option<Enclosure>, Error> {
        if let Some(f) = &self.polyline {
            let f = if direction == Direction::Backward { f.clone() } else { f.inverse() };
            return Ok(f.vertices().get(1).map(|(alpha, _)| Enclosure::rational(alpha, BITS)));
        }
        steep(&Pair::several(self.factors.clone()), direction, BITS)
    }

    fn way(&self, direction: Direction) -> &Cell<Way> {
        let [forward, backward] = &self.ways;
        if direction == Direction::Backward { backward } else { forward }
    }

    /// Have values been had that are not precise?
    pub(super) fn is_coarse(&self) -> bool {
        self.ways.iter().any(|way| way.get() != Way::Precise)
    }

    /// From now on values are asked more closely, where they have been coarse; have any been?
    pub(super) fn look_closer(&self) -> bool {
        let mut any = false;
        for way in self.ways.iter().filter(|way| way.get() != Way::Precise) {
            way.set(Way::Majorized);
            any = true;
        }
        any
    }

    /// The profile.
    ///
    /// # Errors
    /// Those of the engines.
    pub(super) fn delta(&self, epsilon: &Rational, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
        if self.moved.is_zero() {
            return self.own_delta(epsilon, direction, budget);
        }
        let own = self.own_delta(&Rational::from(epsilon + &self.moved), direction, budget)?;
        Ok(&own * &(-Enclosure::rational(&self.moved, BITS)).exp())
    }

    fn own_delta(&self, epsilon: &Rational, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
        let at = Real::from(epsilon.clone());
        let way = self.way(direction);
        self.spare(budget)?;
        // What was refused at one epsilon need not be so at another.
        if way.get() != Way::Grid {
            match self.engines.ask(budget, |curve, budget| curve.delta(&at, direction, BITS, budget)) {
                Err(Error::Undecided(_)) if budget.check().is_ok() => {
                    if way.get() == Way::Precise {
                        way.set(Way::Grid);
                    }
                }
                value => return self.bounded(&at, direction, value?.enclosure(BITS), budget),
            }
        }
        let closer = || match self.polygons(CLOSER, budget)? {
            Some(curve) => Ok(Some(curve)),
            None => self.engines.rough(Rough::Majorized(CLOSER), budget),
        };
        if way.get() == Way::Majorized
            && let Some(curve) = closer()?
            && let Some(value) = declined(curve.delta(&at, direction, BITS, budget))?
        {
            return Ok(value.enclosure(BITS));
        }
        match self.coarse(budget)? {
            Some(curve) => {
                let told = curve.delta(&at, direction, GRID_BITS, budget)?.enclosure(BITS);
                self.bounded(&at, direction, told, budget)
            }
            None => Err(Error::undecided(
                "no method computes the privacy profile of one of the compositions to any \
                                          digits",
            )),
        }
    }

    /// Bounds between polygons, if a grid would search the profile of some part point by point. If that profile has a
    /// formula, one grid answers all queries faster than polygons, which are new for each query.
    fn polygons(&self, digits: u32, budget: &Budget) -> Result<Option<Arc<dyn Curve>>, Error> {
        if self.engines.seeks_profiles() { self.engines.rough(Rough::Polygons(digits), budget) } else { Ok(None) }
    }

    /// Where there are polygons the engines have grids only, which take long to refuse: they are not asked.
    fn spare(&self, budget: &Budget) -> Result<(), Error> {
        let precise = self.ways.iter().filter(|way| way.get() == Way::Precise);
        for way in precise {
            if self.polygons(POLYGONS, budget)?.is_some() {
                way.set(Way::Grid);
            }
        }
        Ok(())
    }

    /// A curve of low precision.
    fn coarse(&self, budget: &Budget) -> Result<Option<Arc<dyn Curve>>, Error> {
        match self.polygons(POLYGONS, budget)? {
            Some(curve) => Ok(Some(curve)),
            None => self.engines.rough(Rough::Grid(GRID), budget),
        }
    }

    /// The computed value of the profile, intersected with other bounds if it has less than one digit.
    fn bounded(&self, at: &Real, direction: Direction, told: Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        if told.relative_bits().is_some_and(|bits| bits > FEW) {
            return Ok(told);
        }
        let mut known = told;
        if let Some(most) = declined(profile_bound(self.engines.mechanism(), at, direction, budget))?.flatten() {
            known = alarm::meet(&known, &Enclosure::zero(BITS).hull(&most), "a profile")?;
        }
        let at_least =
            |known: &Enclosure, least: &Enclosure| alarm::meet(known, &least.hull(&Enclosure::one(BITS)), "a profile");
        if let Some(alike) = &self.alike
            && let Some(least) = declined(alike.least(at, &self.end(direction).0, direction, budget))?.flatten()
        {
            known = at_least(&known, &least)?;
        }
        let Some(more) = &self.more else { return Ok(known) };
        // What is symmetric has one profile, which is no less than either of those of Poisson samples.
        let both = [Direction::Forward, Direction::Backward];
        for side in if self.symmetric { both.as_slice() } else { std::slice::from_ref(&direction) } {
            let least = declined(more.ask(budget, |curve, budget| curve.delta(at, *side, GRID_BITS, budget)))?;
            if let Some(least) = least {
                known = at_least(&known, &least.enclosure(BITS))?;
            }
        }
        Ok(known)
    }

    /// The trade-off function.
    ///
    /// # Errors
    /// Those of the engines.
    pub(super) fn beta(&self, alpha: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let at = Real::from(alpha.clone());
        self.spare(budget)?;
        let closer = self.ways.iter().any(|way| way.get() == Way::Majorized);
        if closer
            && let Some(curve) = self.polygons(CLOSER, budget)?
            && let Some(value) = declined(curve.beta(&at, Direction::Forward, BITS, budget))?
        {
            return Ok(value.enclosure(bits));
        }
        // What is refused of the profile in either direction is so of this mostly.
        if self.is_coarse()
            && let Some(curve) = self.coarse(budget)?
        {
            return Ok(curve.beta(&at, Direction::Forward, GRID_BITS, budget)?.enclosure(bits));
        }
        match self.engines.ask(budget, |curve, budget| curve.beta(&at, Direction::Forward, bits, budget)) {
            // A grid may show as much as is needed.
            Err(Error::Undecided(reason)) if budget.check().is_ok() => match self.coarse(budget)? {
                Some(curve) => Ok(curve.beta(&at, Direction::Forward, GRID_BITS, budget)?.enclosure(bits)),
                None => Err(Error::Undecided(reason)),
            },
            value => Ok(value?.enclosure(bits)),
        }
    }
}

/// The same with Poisson samples in place of samples of a fixed share, if there are any. It is at least as private,
/// because `C_p(f)` is the largest convex function below `f_p` and its inverse. It has a profile to any number of
/// digits.
pub(super) fn samples_alone(composition: &Composition) -> Result<Option<Composition>, Error> {
    let mut factors = Vec::new();
    let mut some = false;
    for (mechanism, times) in composition.factors() {
        let sample = match mechanism {
            Mechanism::Subsample(sample) => Some(Poisson::of_composition(sample.rate().clone(), sample.inner())?),
            _ => None,
        };
        some |= sample.is_some();
        factors.push((sample.map_or_else(|| mechanism.clone(), Mechanism::from), *times));
    }
    if some { Ok(Some(Composition::new(factors)?)) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(engines: &Engines, way: Way) -> Side<'_> {
        let factors = engines.mechanism().pairs().expect("pairs");
        let side = Side::new(engines, &factors).expect("ends");
        side.ways.iter().for_each(|each| each.set(way));
        side
    }

    fn engines(mechanism: &str) -> Engines {
        Engines::new(mechanism.parse().expect(mechanism), Method::Auto)
    }

    /// Far out a grid tells nothing, and what is known otherwise tells more: Poisson samples have
    /// 2.6316e-23 there, in the direction in which they have any.
    #[test]
    fn far_out_there_are_bounds() {
        let engines = engines("subsample(rate=1/20, gaussian(sigma=1/2))^10");
        let side = side(&engines, Way::Grid);
        let number = |text: &str| text.parse::<Real>().expect("a constant").enclosure(BITS);
        for direction in [Direction::Forward, Direction::Backward] {
            let found = side.delta(&Rational::from(36), direction, &Budget::default()).expect("a profile");
            assert!(found.lower() > number("2.631e-23").lower(), "{found:?}");
            assert!(found.upper() < number("1e-19").lower(), "{found:?}");
        }
        assert!(side.look_closer());
    }

    /// What nodes in a row say is within what a grid says, and has more digits.
    #[test]
    fn closer_values_are_within() {
        let engines = engines("poisson(rate=1/10, discrete-gaussian(sigma2=4))^20");
        let ask = |way: Way| {
            let side = side(&engines, way);
            side.delta(&Rational::from((1, 2)), Direction::Backward, &Budget::default()).expect("a profile")
        };
        let (grid, closer) = (ask(Way::Grid), ask(Way::Majorized));
        assert!(grid.lower() <= closer.lower() && closer.upper() <= grid.upper(), "{grid:?} {closer:?}");
        let bits = |set: &Enclosure| set.relative_bits().expect("bits");
        assert!(bits(&closer) > 24 && bits(&grid) < 16, "{grid:?} {closer:?}");
    }
}
