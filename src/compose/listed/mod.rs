//! Discrete losses without end: listed but for a mass that is bounded, alone or beside one closed form.
//!
//! Discrete Gaussian noise and samples of it have infinitely many losses, of which few matter: all others together have
//! a mass below any bound that is asked for. So what is done with finitely many losses is done with these, and what
//! is not listed is counted.
//!
//! ```text
//! beside   delta(eps) = p_inf + sum_a p_a g(eps - l_a) + r,    0 <= r <= the mass that is not listed,
//! ```
//!
//! with g the profile of what is known by that: Gaussian or Laplace noise, or one mechanism of any kind, such as a
//! sample, a shuffled mechanism, or what an operator makes of compositions; for `0 <= g <= 1`.
//! Alone, the sums of all losses are the pairs of two sorted halves, as in [`enumeration`](super::enumeration), whose
//! masses miss a little more than what was rounded.
//!
//! | file | does |
//! |---|---|
//! | `laws` | which laws are listed |
//! | `listing` | the losses of all laws together |
//! | `beside` | their losses together, beside one closed form |
//! | `halves` | their sums in two halves |
//! | `one_laplace` | these beside Laplace noise that is run once |
//! | `roots` | losses with the geometric means of their masses |
//! | `many_laplace` | these beside Laplace noise that is run many times |
//!
//! Losses need not be constants: an enclosure will do, for a profile does not rise in epsilon, and falls by at most as
//! much as epsilon rises. Paper proof: `proofs/paper/listed.md`. **Why it ends.** Losses are counted before they are
//! listed together, and the loops are those of the engines for finitely many.

mod beside;
mod halves;
mod laws;
mod listing;
mod many_laplace;
mod one_laplace;
mod roots;
#[cfg(test)]
mod tests;

use super::by_sum::BySum;
use super::choose::Refusal;
use crate::curve::Curve;
use crate::pair::Product;
use enclosure::Budget;

pub use self::beside::Beside;
pub(super) use self::beside::is_curve;
pub use self::halves::Halves;
pub(super) use self::listing::Listings;
use self::many_laplace::ManyLaplace;
pub use self::one_laplace::OneLaplace;
pub(super) use self::roots::Roots;

/// The curve of discrete losses, beside one closed form.
///
/// # Errors
/// [`Refusal::OtherKind`] where there is no closed form, more than one, or nothing beside it; what says so for too many
/// losses.
pub(super) fn beside(product: &Product, budget: &Budget) -> Result<Box<dyn Curve>, Refusal> {
    match OneLaplace::of(product, budget) {
        Ok(curve) => Ok(Box::new(curve)),
        Err(refusal) if refusal.is_alarm() => Err(refusal),
        Err(_) => Ok(Box::new(BySum(Beside::of(product, budget)?))),
    }
}

/// The curve of discrete losses beside Laplace noise of one scale, run many times.
///
/// # Errors
/// [`Refusal::OtherKind`] for anything else; what says so for too many losses or runs.
pub(super) fn beside_many(product: &Product, budget: &Budget) -> Result<Box<dyn Curve>, Refusal> {
    Ok(Box::new(BySum(ManyLaplace::of(product, budget)?)))
}

/// The curve of discrete losses alone.
///
/// # Errors
/// [`Refusal::OtherKind`] for anything else; what says so for too many losses.
pub(super) fn alone(product: &Product, budget: &Budget) -> Result<Box<dyn Curve>, Refusal> {
    Ok(Box::new(Halves::of(product, budget)?))
}
