//! What a grid asks of the loss of one part.

mod by_profile;
mod commensurable;
mod finite;
mod gaussian;
mod laplace;
mod poisson;
mod shuffled;

pub use by_profile::{ByProfile, Dots, Spacing};
pub use commensurable::Commensurable;
pub use finite::Finite;
pub use gaussian::Gaussian;
pub use laplace::Laplace;
pub use poisson::Poisson;
pub use shuffled::Counts;

use crate::error::Error;
use enclosure::{Budget, Enclosure, Number};

/// One loss, or several so near to each other that one enclosure holds them, with its masses.
#[derive(Clone, Debug)]
pub struct Atom {
    /// `ln(p/q)`.
    pub loss: Enclosure,
    /// The P-mass.
    pub p: Enclosure,
    /// The Q-mass.
    pub q: Enclosure,
}

/// The atoms of a loss, but for some whose masses are bounded.
#[derive(Clone, Debug)]
pub struct Atoms {
    /// Finite losses, in any order.
    pub list: Vec<Atom>,
    /// The P-mass where Q has none.
    pub infinite_p: Number,
    /// The Q-mass where P has none.
    pub infinite_q: Number,
    /// A bound on the P-mass that is not listed.
    pub missing_p: Enclosure,
    /// A bound on the Q-mass that is not listed.
    pub missing_q: Enclosure,
}

/// Which masses are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Those under P.
    First,
    /// Those under Q.
    Second,
    /// All.
    Both,
}

/// The law of the privacy loss `ln(dP/dQ)` of one part, under P and under Q.
pub trait LossLaw: Send + Sync {
    /// What it is, for people.
    fn name(&self) -> String;

    /// Is the law of the loss under P that of minus the loss under Q?
    fn symmetric(&self) -> bool;

    /// The atoms, with about `bits` bits each; what is left out has less than `2^-depth` of P and of Q, about. Masses
    /// that are not asked for may be anything.
    fn atoms(&self, bits: u32, depth: u32, sides: Sides, budget: &Budget) -> Result<Atoms, Error>;

    /// What has no atoms, if there is such a part.
    fn spread(&self) -> Option<&dyn Spread> {
        None
    }

    /// Itself, if nothing but its profile is known.
    fn by_profile(&self) -> Option<&ByProfile> {
        None
    }
}

/// The part of a loss that has no atoms, on a bounded interval.
pub trait Spread: Send + Sync {
    /// The ends of the interval.
    fn ends(&self, bits: u32) -> (Enclosure, Enclosure);

    /// The masses under P and Q of losses between two points, clipped to the interval, with about `bits` bits relative
    /// to those of the larger one of the two cumulative masses.
    fn between(&self, low: &Enclosure, high: &Enclosure, bits: u32) -> (Enclosure, Enclosure);
}
