//! Certified real arithmetic on MPFR.
//!
//! **Contract.** *If each input encloses its true value, the output encloses the true result.* Every function of this
//! crate satisfies it. If a hypothesis fails (the logarithm of a value that may be negative, a division by a value that
//! may be zero), the output is unbounded, and therefore still correct.
//!
//! Is `e^(pi sqrt 163)` an integer? Its first thirty digits suggest it:
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
//! // Proven: it is not an integer, but misses one by less than 1e-12.
//! let next = Enclosure::integer(&Integer::from(262_537_412_640_768_744_u64), 64);
//! assert_eq!(value.compare(&Number::Enclosed(next)), Some(std::cmp::Ordering::Less));
//! assert_eq!(decimal(&value, 35, Side::Lower), "262537412640768743.99999999999925007");
//! assert_eq!(decimal(&value, 35, Side::Upper), "262537412640768743.99999999999925008");
//! # Ok::<(), enclosure::Error>(())
//! ```
//!
//! # Overview
//!
//! | item | description |
//! |---|---|
//! | [`Enclosure`] | interval with MPFR end points, rounded outward, that contains the true value |
//! | [`Contradiction`] | error: two enclosures of one number do not meet, which proves a bug |
//! | [`Complex`] | disc of complex numbers that contains the true value |
//! | [`Number`] | exact rational, or an enclosure if the value is not known to be rational |
//! | [`Real`] | exact real constant, such as `2.56 + 2*sqrt(2.56*ln(1e11))` |
//! | [`Exponentials`], [`Quotient`] | rational functions of exponentials, with certified signs |
//! | [`ParseError`] | parse error with its position |
//! | [`Polynomial`], [`RationalFunction`] | exact formulas in one variable, printed as x |
//! | [`special`] | the error function and its family, quantiles, binomial coefficients |
//! | [`products`] | sums of two products, rounded once |
//! | [`progression`] | sums of geometric progressions in fixed point, with counted errors |
//! | [`chebyshev`] | sums and series of Chebyshev polynomials in fixed point |
//! | [`words`] | integers of a few limbs without allocation, for long lists |
//! | [`short`] | fast elementary functions of numbers of a few limbs, with counted errors |
//! | [`doubles`] | exponential and logarithm of doubles, with proven error bounds |
//! | [`taylor`] | Taylor polynomials with certified coefficients, and certified integrals |
//! | [`convolution`] | exact products of long sequences of natural numbers |
//! | [`root`] | certified roots of decreasing functions, by Newton's method or from signs alone |
//! | [`concave_maximum`] | certified maximum of a concave function, from values alone |
//! | [`peak`] | approximate maximum of a function in doubles, without proof |
//! | [`signs`] | certified signs of integer combinations of constants |
//! | [`common_divisor`], [`common_unit`] | common divisor of rationals, and of constants with rational ratios |
//! | [`refine`], [`AdaptivePrecision`], [`adaptive_precision`] | increasing precision until digits or bits are proven |
//! | [`Budget`], [`Need`], [`Work`] | limits on work, time, precision and memory |
//! | [`Error`], [`Reason`], [`Limit`] | why there is no number, and which limit was reached |
//! | [`Cache`] | intermediate results that later computations can reuse |
//! | [`Note`] | note on how a result was computed |
//! | [`decimal`] | decimals and doubles, rounded outward |
//!
//! # Assumptions
//!
//! MPFR rounds the elementary operations correctly in the requested direction, and GMP's integers and rationals are
//! exact. Both are used through [`rug`], whose types are part of this interface. Everything else counts its own
//! rounding errors: centres of [`Complex`] discs and results of [`short`] are rounded to nearest and their errors
//! added; radii of discs are doubles that are rounded up after each operation.

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
mod portable;
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
pub mod work;

pub use adaptive_precision::{AdaptivePrecision, adaptive_precision};
pub use budget::{Budget, Need, bits_of_digits, refine};
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
pub use portable::Portable;
pub use rational_function::RationalFunction;
#[cfg(feature = "serde")]
pub use real::decimal_of;
pub use real::{Meter, Real, constant, constant_atom};
pub use reason::{Hint, Limit, Reason};
pub use syntax::ParseError;
pub use value::Number;
pub use work::Work;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
