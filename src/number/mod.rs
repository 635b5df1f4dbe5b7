//! Numbers that know what they do not know. This floor has heard nothing of privacy.
//!
//! | type | is |
//! |---|---|
//! | [`Enclosure`] | an interval with MPFR end points, rounded outward: the truth is inside |
//! | [`Contradiction`] | two enclosures of one number that do not meet: an alarm |
//! | [`Complex`] | a disc of complex numbers: the truth is inside |
//! | [`Number`] | an exact rational, or an enclosure when the value is not (known to be) rational |
//! | [`Real`] | an exact constant, as the user wrote it |
//! | [`ParseError`] | what is wrong with a text, and where |
//! | [`Polynomial`], [`RationalFunction`] | exact formulas in one variable x, which is e^epsilon elsewhere |
//! | [`Budget`], [`refine`] | the one loop that raises the precision until enough digits are proven |
//! | [`short`] | elementary functions of numbers of a few limbs, fast, with counted errors |
//! | [`Note`] | what a computation tells about itself, when somebody asks |
//!
//! Every function of this floor keeps one contract: *if each input encloses its true value, the output encloses the
//! true result*. Where a hypothesis fails (the logarithm of something that may be negative, a division by something
//! that may be zero) the output is unbounded, never wrong.

mod budget;
mod complex;
mod contradiction;
pub mod convolution;
pub mod decimal;
mod enclosure;
pub mod limbs;
mod magnitude;
mod notes;
mod polynomial;
mod rational_function;
mod real;
mod settle;
pub mod short;
pub mod special;
pub(crate) mod syntax;
mod value;

pub use budget::{Budget, Work, bits_of_digits, refine};
pub use complex::Complex;
pub use contradiction::Contradiction;
pub use enclosure::Enclosure;
pub use notes::{AtMost, Brief, Note};
pub use polynomial::Polynomial;
pub use rational_function::RationalFunction;
pub use real::Real;
pub(crate) use real::{Meter, constant, constant_atom};
pub use settle::settle;
pub use syntax::ParseError;
pub use value::Number;
