//! The formulas in plain doubles.
//!
//! This is what an accountant does without certified arithmetic, written twice. A `textbook` form is the formula as it is printed, with its
//! cancellations and overflows; the golden vectors exist to catch such code. A `careful` form states an error bound, the same for all
//! parameters, and gives the argument for it; golden vectors and property tests judge that claim with enclosures.
//!
//! The bounds are relative to the exact value at the *given doubles*. All careful forms follow one plan: rewrite the quantity as a
//! sum of positive terms, evaluate these in double-double, keep the exponent of what would underflow apart, and round once.
//!
//! Nothing here uses the rest of the crate, and only `+ - * /`, `sqrt` and `fma` reach the leading digits of a careful form, so that it
//! gives the same bits on every IEEE 754 machine.
//!
//! | file | holds |
//! |---|---|
//! | `bound` | the contract of a careful form |
//! | `gaussian` | profile, its inverse, trade-off function of N(0, 1) and N(mu, 1) |
//! | `double_double`, `special`, `profile` | the tools |

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
