//! Trade-off functions, privacy profiles, and the maps between them.
//!
//! A mechanism and a pair of neighbours give two distributions, P (the first, as documented in `mechanism/`) and Q. All
//! quantities come from one object in two forms:
//!
//! * the **privacy profile** (hockey-stick divergence) `H_x(P,Q) = sup_S [P(S) - x Q(S)]` at `x = e^epsilon`,
//! * the **trade-off function** `T(P,Q)(alpha)`, the smallest type II error of a test of P against Q at type I
//!   error alpha.

mod divergence;
#[cfg(feature = "cli")]
mod symbolic;

#[cfg(feature = "cli")]
pub use divergence::total_variation;
pub use divergence::{chi_squared, finite_kl, max_divergence, renyi};
#[cfg(feature = "cli")]
pub use symbolic::SymbolicComposition;
// Queries and vectors share these names.
pub use dpcert_vectors::Direction;

mod value;
pub use value::Value;

use crate::error::Error;
use crate::statement::Statement;
use enclosure::{Budget, Enclosure, Note, Number, Real};

/// An engine for one (composed) pair of distributions.
///
/// Each method returns an enclosure of the same real number for every working precision `bits`, and the width tends to
/// zero as `bits` grows; [`refine`](enclosure::refine) chooses the precision. `direction` is never [`Direction::Worst`]
/// if [`symmetric`](Curve::symmetric) is false: the caller evaluates both directions.
pub trait Curve: Send + Sync {
    /// Are `H(P||Q)` and `H(Q||P)` the same function, so that directions do not matter?
    fn symmetric(&self) -> bool;

    /// The privacy profile: the hockey-stick divergence at `e^epsilon`, for any real epsilon.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error>;

    /// The inverse of the profile: the smallest `epsilon >= 0` with profile at most `delta`, or infinity.
    ///
    /// Forward, it is of `f = T(P,Q)` the least with `1 + e^epsilon f*(-e^-epsilon) <= delta`.
    /// Su 2024, equation (2.4), prints it as the unique root of that with `=`, and infinity where there is none. There
    /// is none, too, for a delta above the total variation distance, as for `f = Id` and every `delta > 0`, where
    /// epsilon is 0; and at `delta = 0` every epsilon beyond the largest loss is a root.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error>;

    /// The trade-off function at `alpha` in `[0, 1]`.
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error>;

    /// The trade-off function of both orders, `min(f, f^-1)**`, at `alpha`, if this engine has it without evaluating
    /// each order. `None` from all others.
    fn beta_of_both(&self, _alpha: &Real, _bits: u32, _budget: &Budget) -> Result<Option<Number>, Error> {
        Ok(None)
    }

    /// `P(L < loss)` over finite losses `L = ln dP/dQ` under P, for a `loss` on the lattice that they stand on, if this
    /// engine has it without going through the profile. `None` from all others.
    #[cfg(feature = "cli")]
    fn below(
        &self,
        _loss: &Real,
        _direction: Direction,
        _bits: u32,
        _budget: &Budget,
    ) -> Result<Option<Number>, Error> {
        Ok(None)
    }

    /// Does a cheap bound prove that the profile is at most this? `false` proves nothing.
    fn is_at_most(
        &self,
        _epsilon: &Real,
        _direction: Direction,
        _level: &Enclosure,
        _budget: &Budget,
    ) -> Result<bool, Error> {
        Ok(false)
    }

    /// Is this engine, judged by doubles, especially suited to the profile at epsilon? Then it is tried first. The
    /// check may take some hundredths of a second if the answer is yes, and must be fast otherwise.
    fn is_apt(&self, _epsilon: &Real, _budget: &Budget) -> bool {
        false
    }

    /// Are few bits much cheaper than many? Then they first decide which direction is the worst.
    fn sketches(&self) -> bool {
        false
    }

    /// Name of the engine.
    fn method(&self) -> &'static str;

    /// The theorem behind the engine.
    fn statement(&self) -> &'static Statement;

    /// Notes on the engine that hold for every evaluation. Notes on a single evaluation go to [`Budget::note`].
    fn explain(&self) -> Vec<Note> {
        Vec::new()
    }
}
