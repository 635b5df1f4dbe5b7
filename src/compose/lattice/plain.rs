//! A composition in plain fixed point, without exponential weights: for masses of which no more is known than is
//! stored.

use std::sync::Arc;

use rug::Rational;

use super::build::{Composed, Key, Tilting};
use super::pair::LatticePair;
use super::tail::least_mass;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// A composition, at one precision.
pub(in crate::compose) struct Plain {
    composed: Composed,
    /// The composition, and its mirror image under the other distribution.
    tilting: Arc<Tilting>,
}

impl Plain {
    /// Masses of so many words.
    pub fn new(parts: Vec<(LatticePair, u64)>, width: usize, budget: &Budget) -> Result<Self, Error> {
        let composed = Composed::new(parts)?;
        let key = Key { backward: false, tilt: Rational::new(), width, many: false };
        let tilting = composed.tilting(&key, budget)?;
        Ok(Plain { composed, tilting })
    }

    /// Bits of the masses.
    pub fn bits(&self) -> u32 {
        self.tilting.bits()
    }

    /// Masses at infinity.
    pub fn infinite(&self, bits: u32) -> Result<(Number, Number), Error> {
        super::exact::infinite(&self.composed.parts, bits)
    }

    /// The standard deviation of the loss, about.
    pub fn deviation(&self) -> f64 {
        self.composed.sketches().cumulants(0.0).variance.sqrt()
    }

    /// The profile of the finite losses.
    pub fn profile(&self, epsilon: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        self.tilting.profile(epsilon, budget)
    }

    /// Minus the slope of that profile.
    pub fn slope(&self, epsilon: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        self.tilting.slope(epsilon, budget)
    }

    /// The P-mass of finite losses between two points.
    pub fn window(&self, low: &Real, high: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        self.tilting.window(low, high, budget)
    }

    /// The zero of the profile less a level, where it is above zero.
    pub fn inverse(&self, level: &Enclosure, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let sketches = self.composed.sketches();
        let c = sketches.tilt_for_delta(level.with_bits(64).ln().upper().to_f64());
        self.tilting.inverse(level, sketches.cumulants(c).mean, budget)
    }

    /// The least Q-mass of finite losses of a test that accepts so much of their P-mass, and the loss at which it
    /// changes its mind.
    pub fn least_mass(&self, rest: &Enclosure, budget: &Budget) -> Result<Option<(Enclosure, Real)>, Error> {
        let sketches = self.composed.sketches();
        let log = rest.with_bits(64).ln().upper().to_f64();
        let guess = sketches.cumulants(sketches.tilt_for_tail(log, true)).mean;
        let found = least_mass(&self.tilting, None, (rest, rest), guess, budget)?;
        Ok(found.map(|(value, place)| (value, self.tilting.loss(place))))
    }
}
