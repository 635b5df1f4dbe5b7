//! Numbers that know what they do not know. This crate has heard nothing of privacy.
//!
//! | type | is |
//! |---|---|
//! | [`Enclosure`] | an interval with MPFR end points, rounded outward: the truth is inside |
//! | [`Complex`] | a disc of complex numbers: the truth is inside |
//! | [`Number`] | an exact rational, or an enclosure when the value is not (known to be) rational |
//! | [`Real`] | an exact constant, as the user wrote it |
//! | [`ParseError`] | what is wrong with a text, and where |
//! | [`Polynomial`], [`RationalFunction`] | exact formulas in one variable x, printed as x |
//! | [`Budget`], [`refine`] | the one loop that raises the precision until enough digits are proven |
//! | [`short`] | elementary functions of numbers of a few limbs, fast, with counted errors |
//! | [`Note`] | what a computation tells about itself, when somebody asks |
//!
//! Every function of this crate keeps one contract: *if each input encloses its true value, the output encloses the
//! true result*. Where a hypothesis fails (the logarithm of something that may be negative, a division by something
//! that may be zero) the output is unbounded, never wrong.

#![warn(missing_docs)]
#![forbid(unsafe_code)]
// A comparison that is false for NaN is meant so: what is not a number is never inside a bound.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod budget;
mod cache;
mod complex;
pub mod convolution;
pub mod decimal;
mod divisor;
mod enclosure;
mod error;
pub mod limbs;
mod magnitude;
mod maximum;
mod notes;
mod polynomial;
mod rational_function;
mod real;
mod reason;
pub mod root;
mod settle;
pub mod short;
pub mod signs;
pub mod special;
pub mod syntax;
mod value;

pub use budget::{Budget, Work, bits_of_digits, refine};
pub use cache::Cache;
pub use complex::Complex;
pub use divisor::{common_divisor, common_unit};
pub use enclosure::Enclosure;
pub use error::Error;
pub use maximum::concave_maximum;
pub use notes::{AtMost, Brief, Note};
pub use polynomial::Polynomial;
pub use rational_function::RationalFunction;
pub use real::{Meter, Real, constant, constant_atom};
pub use reason::{Hint, Limit, Reason};
pub use settle::settle;
pub use syntax::ParseError;
pub use value::Number;
