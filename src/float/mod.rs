//! The formulas in plain doubles.
//!
//! This is what an accountant does without certified arithmetic, written twice. A `textbook` form is the formula as it
//! is printed, with its cancellations and overflows; the golden vectors exist to catch such code. A `careful` form
//! states an error bound, the same for all parameters, and gives the argument for it; golden vectors and property
//! tests judge that claim with enclosures.
//!
//! The bounds are relative to the exact value at the *given doubles*. All careful forms follow one plan: rewrite the
//! quantity as a sum of positive terms, evaluate these in double-double, keep the exponent of what would underflow
//! apart, and round once.
//!
//! Nothing here uses the rest of the crate, and only `+ - * /`, `sqrt` and `fma` reach the leading digits of a careful
//! form, so that it gives the same bits on every IEEE 754 machine.
//!
//! | file | holds |
//! |---|---|
//! | `bound` | the contract of a careful form |
//! | `registry` | all implementations as a list |
//! | `gaussian` | profile, its inverse, trade-off function of N(0, 1) and N(mu, 1) |
//! | `kov` | profile of the k-fold composition of (epsilon0, delta0), and its inverse |
//! | `randomized_response` | KL, total variation, chi-squared and Renyi divergence |
//! | `laplace` | profile, trade-off function, KL and Renyi divergence |
//! | `discrete_gaussian` | profile of n draws, shifted by one each |
//! | `double_double`, `special`, `profile`, `lattice` | the tools |

// What an accountant in plain doubles calls.
#![allow(clippy::disallowed_methods)]

pub mod bound;
pub mod discrete_gaussian;
mod double_double;
pub mod gaussian;
pub mod kov;
pub mod laplace;
mod lattice;
mod profile;
pub mod randomized_response;
pub mod registry;
mod special;
#[cfg(test)]
mod tests;
