//! Real numbers that know what they do not know: certified arithmetic on MPFR.
//!
//! **The contract.** *If each input encloses its true value, the output encloses the true result.* Every function
//! of this crate keeps it. Where a hypothesis fails (the logarithm of something that may be negative, a division by
//! something that may be zero) the output is unbounded, never wrong.
//!
//! Is `e^(pi sqrt 163)` an integer? Its first thirty digits look like one:
//!
//! ```
//! use enclosure::decimal::{Side, decimal};
//! use enclosure::{Budget, Enclosure, Number, refine};
//! use rug::Integer;
//!
//! let value = refine(35, &Budget::default(), |bits| {
//!     let root = Enclosure::integer(&Integer::from(163), bits).sqrt();
//!     Ok(Number::Enclosed((Enclosure::pi(bits) * root).exp()))
//! })?;
//! // Proven: it is not, by less than a millionth of a millionth.
//! let next = Enclosure::integer(&Integer::from(262_537_412_640_768_744_u64), 64);
//! assert_eq!(value.compare(&Number::Enclosed(next)), Some(std::cmp::Ordering::Less));
//! assert_eq!(decimal(&value, 35, Side::Lower), "262537412640768743.99999999999925007");
//! assert_eq!(decimal(&value, 35, Side::Upper), "262537412640768743.99999999999925008");
//! # Ok::<(), enclosure::Error>(())
//! ```
//!
//! # What there is
//!
//! | name | is |
//! |---|---|
//! | [`Enclosure`] | an interval with MPFR end points, rounded outward: the truth is inside |
//! | [`Contradiction`] | two enclosures of one number that do not meet: an alarm |
//! | [`Complex`] | a disc of complex numbers: the truth is inside |
//! | [`Number`] | an exact rational, or an enclosure when the value is not (known to be) rational |
//! | [`Real`] | an exact constant, as somebody wrote it: `2.56 + 2*sqrt(2.56*ln(1e11))` |
//! | [`Exponentials`], [`Quotient`] | rational functions of exponentials, equal where their forms are, with signs by value |
//! | [`ParseError`] | what is wrong with a text, and where |
//! | [`Polynomial`], [`RationalFunction`] | exact formulas in one variable, printed as x |
//! | [`special`] | the error function and its family, quantiles, binomial coefficients |
//! | [`products`] | two products and their sum, rounded once: the one door to a function of MPFR with a corner |
//! | [`progression`] | sums of geometric progressions in fixed point, with counted errors |
//! | [`chebyshev`] | Chebyshev's polynomials in fixed point: sums of them at many places, and series of them at one |
//! | [`words`] | whole numbers of a few limbs, in place, for long lists |
//! | [`short`] | elementary functions of numbers of a few limbs, fast, with counted errors |
//! | [`doubles`] | exponential and logarithm of doubles, with proven errors |
//! | [`taylor`] | Taylor polynomials with certified coefficients, and integrals from them |
//! | [`convolution`] | products of long sequences of natural numbers, exactly |
//! | [`root`] | roots of decreasing functions, by Newton's method or from signs alone |
//! | [`concave_maximum`] | the greatest value of a concave function, from values alone |
//! | [`peak`] | where a function is greatest, about, by doubles: a search that no proof rests on |
//! | [`signs`] | signs of integer combinations of constants, where branches are taken on proof |
//! | [`common_divisor`], [`common_unit`] | of rationals, and of constants whose ratios are rational |
//! | [`refine`], [`AdaptivePrecision`], [`adaptive_precision`] | adaptive precision: until digits of an answer, or bits of a part of it, are proven |
//! | [`Budget`], [`Work`] | the time, the precision and the memory that an answer may take |
//! | [`Error`], [`Reason`], [`Limit`] | why there is no number, and which budget ran out |
//! | [`Cache`] | what one question makes a computation find out, kept for the next |
//! | [`Note`] | what a computation tells about itself, when somebody asks |
//! | [`decimal`] | decimals and doubles, rounded outward |
//!
//! # What it rests on
//!
//! MPFR rounds the elementary operations correctly in the direction asked for, and GMP's integers and rationals are
//! exact; both through [`rug`], whose types are part of this interface. What is computed otherwise counts its own
//! roundings: centres of [`Complex`] discs and results of [`short`] are rounded to nearest and their errors added,
//! radii of discs are doubles that are stepped up after each operation.

#![forbid(unsafe_code)]

mod adaptive_precision;
mod budget;
mod cache;
pub mod chebyshev;
mod complex;
mod contradiction;
pub mod convolution;
pub mod decimal;
mod divisor;
pub mod doubles;
mod enclosure;
mod error;
mod exponentials;
pub mod limbs;
mod magnitude;
mod maximum;
mod notes;
pub mod peak;
mod polynomial;
pub mod products;
pub mod progression;
mod rational_function;
mod real;
mod reason;
pub mod root;
pub mod short;
pub mod signs;
pub mod special;
pub mod syntax;
pub mod taylor;
mod value;
pub mod wide;
pub mod words;

pub use adaptive_precision::{AdaptivePrecision, adaptive_precision};
pub use budget::{Budget, Work, bits_of_digits, refine};
pub use cache::Cache;
pub use complex::Complex;
pub use contradiction::Contradiction;
pub use divisor::{common_divisor, common_unit};
pub use enclosure::Enclosure;
pub use error::Error;
pub use exponentials::{Exponentials, Quotient};
pub use maximum::{Peak, concave_maximum, concave_peak, concave_peak_about};
pub use notes::{AtMost, Brief, Note};
pub use polynomial::Polynomial;
pub use rational_function::RationalFunction;
#[cfg(feature = "serde")]
pub use real::decimal_of;
pub use real::{Meter, Real, constant, constant_atom};
pub use reason::{Hint, Limit, Reason};
pub use syntax::ParseError;
pub use value::Number;

/// The README's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
