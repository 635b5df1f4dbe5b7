//! Compositions of whatever losses there are, rounded to a common grid, with a proven bound on both sides.
//!
//! What no other engine composes: losses on lattices that share no unit that could be counted in, long lists of
//! incommensurable losses, samples of discrete Gaussians, a few samples of Gaussians of little noise, whatever
//! operators make of curves. Each part's loss is rounded to a grid of step h by splitting its mass between the two
//! neighbours so that its masses under P *and* under Q are kept:
//!
//! a loss l between g and g+h goes to g+h with weight `(1 - e^(-(l-g)))/(1 - e^(-h))`, to g with the rest.
//!
//! So `X' = e^(-L')` has the mean `X = e^(-L)` whatever X was: `E[X'|X] = X`, for each part and for the product. The
//! profile is `E_P (1 - e^eps X)_+`, convex in X, so the grid's is never below it (Jensen), whatever the step; and it
//! is above it by no more than what happens near the kink, which is of order `h^2`. See `bound` for how much, and
//! `proofs/paper/grid.md` for all of it.
//!
//! At a loss that has a large mass to itself, near the kink only, that is of order h.
//!
//! Rounding all losses up, the plain way, would shift the profile by h for each part: an error of order h, on one side.
//!
//! The grid is chosen from the precision that is asked for: twice the bits need the square of the points. What does not
//! fit is refused; what its grids prove until then is kept (`told`), for an answer is never nothing.
//!
//! Why the loops end: a pilot grid, one that is computed from it, and a bounded number of finer ones.

mod assemble;
mod bound;
mod curve;
mod law;
mod round;
mod told;
mod tradeoff;

use std::sync::Arc;

pub(super) use self::assemble::{is_by_profile, is_sought};
pub use self::law::{Atom, ByProfile, Commensurable, Counts, Finite, Gaussian, Laplace, LossLaw, Poisson, Sides};
use self::told::Told;
use super::lattice::Plain;
use crate::error::Error;
use enclosure::{Budget, Cache};

/// Independent parts, each so many times.
pub struct Grid {
    parts: Vec<(Arc<dyn LossLaw>, u64)>,
    symmetric: bool,
    /// Points whose proof is enough, whatever is asked for.
    content: Option<u32>,
    /// What was proven before, shared likewise.
    told: Arc<Told>,
    /// Shared with those that are content with more or fewer points.
    rounded: Arc<Cache<Step, Rounded>>,
}

/// Which grid: its step is `2^-fineness`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    fineness: i32,
    backward: bool,
    /// Losses whose masses add up to less than `2^-depth` are left out.
    depth: u32,
}

/// A composition on its grid.
struct Rounded {
    law: Plain,
    step: Step,
    /// How many losses were rounded, each by less than a step.
    roundings: u64,
}

/// Points of a grid that are computed without being asked for: for the bracket in a refusal.
const CHEAP: f64 = 65_536.0;
/// The depth at which the masses of a grid of so many points, whatever is asked, are cut off.
const SHALLOW: u32 = 160;
/// The same, at first, where each bit of a part's profile is paid for.
const PAID: u32 = 32;
/// Points of a profile with which a grid begins that is content with what it proves.
const FIRST: u32 = 64;
/// Points of a profile that tell how many digits there are to be had.
const TOLD: u32 = 256;
/// Points of a grid at most.
const MOST_POINTS: f64 = 8.4e6;

impl Grid {
    /// The composition of independent parts.
    ///
    /// # Errors
    /// [`Error::Input`] if there are none.
    pub fn new(parts: Vec<(Box<dyn LossLaw>, u64)>) -> Result<Self, Error> {
        let parts: Vec<(Arc<dyn LossLaw>, u64)> =
            parts.into_iter().filter(|(_, times)| *times > 0).map(|(law, times)| (Arc::from(law), times)).collect();
        if parts.is_empty() {
            return Err(Error::input("a composition on a grid requires at least one part"));
        }
        let symmetric = parts.iter().all(|(law, _)| law.symmetric());
        Ok(Grid { parts, symmetric, content: None, told: Arc::default(), rounded: Arc::new(Cache::new(6)) })
    }

    /// The same, content with what about so many points prove, if that is said: answers are enclosures all the same, of
    /// a few digits or none. Content with no points at all, it says what was proven before.
    #[must_use]
    pub(super) fn content_with(&self, content: Option<u32>) -> Self {
        let (parts, rounded, told) = (self.parts.clone(), Arc::clone(&self.rounded), Arc::clone(&self.told));
        Grid { parts, symmetric: self.symmetric, content, told, rounded }
    }

    /// The composition on a grid of step `2^-fineness`.
    fn rounded(&self, step: Step, budget: &Budget) -> Result<Arc<Rounded>, Error> {
        self.rounded.get(step, || round::round(&self.parts, step, budget))
    }
}

#[cfg(test)]
mod tests;
