//! Certified privacy arithmetic.
//!
//! **The promise.** [`answer`] returns the exact value of a privacy quantity, or an enclosure `lower <= truth <= upper`
//! with as many agreeing digits as were asked for, or says why there is neither. It never returns a wrong number.
//!
//! ```
//! use dpcert::{Budget, Composition, Outcome, Quantity, Query, answer};
//!
//! let mechanism: Composition = "randomized-response(epsilon=ln(3/2))^4".parse()?;
//! let query = Query::new(Quantity::Delta { epsilon: "0".parse()? }, mechanism);
//! let Outcome::Exact(delta) = answer(&query, &Budget::default())?.outcome else { return Err("not exact".into()) };
//! assert_eq!(delta.to_string(), "37/125");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//!
//! A module uses the floors above it in this table, never one below.
//!
//! | floor | holds |
//! |---|---|
//! | [`error`] | why there is no number |
//! | [`enclosure`] | a crate of its own: exact constants, enclosures, special functions, one refinement loop |
//! | [`pair`] | pairs of distributions: what a mechanism means, Poisson samples, products |
//! | [`mechanism`] | what was run: one file per mechanism, and the expression language |
//! | [`statement`] | what a number rests on: citation, meaning, proof page |
//! | [`curve`] | trade-off functions and privacy profiles, and what every composed pair can be asked |
//! | [`compose`] | the engines that compose, and the choice among them |
//! | [`divergence`] | Renyi, Kullback-Leibler, chi-squared, max |
//! | [`theorem`] | bounds of papers that are not equalities, each with its hypotheses |
//! | [`query`], [`answer`](mod@answer) | the noun and the verb |
//! | `supervise` | work that is given up when its time is over |
//! | [`float`] | the formulas in plain `f64`; uses none of the others |
//! | [`route`] | second computations that confirm golden values, by other algorithms in other arithmetic |
//! | [`vector`] | which questions become golden vectors, and how |
//! | [`census`] | the budgets of the 2020 census, and what has been published about them |
//! | [`audit`] | other programs, asked the questions of the vectors and judged by the truth |
//! | [`cli`] | the command line |

#![forbid(unsafe_code)]

mod alarm;
mod answer;
#[cfg(feature = "cli")]
mod audit;
#[cfg(feature = "cli")]
mod census;
#[cfg(feature = "cli")]
mod cli;
mod compose;
mod curve;
mod divergence;
mod error;
#[cfg(feature = "cli")]
mod float;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod internals;
mod mechanism;
mod number;
mod pair;
mod query;
mod read;
#[cfg(test)]
mod rooms;
#[cfg(feature = "cli")]
mod route;
mod statement;
mod supervise;
mod table;
#[cfg(feature = "cli")]
mod theorem;
#[cfg(feature = "cli")]
mod vector;
#[cfg(feature = "cli")]
mod write;

pub use answer::{Answer, Outcome, Session, answer};
pub use compose::Method;
pub use curve::Direction;
pub use enclosure::{Budget, Note, ParseError, Real, Reason};
pub use error::Error;
pub use mechanism::Composition;
pub use number::{Fraction, Interval};
pub use query::{Quantity, Query};
pub use statement::Statement;

/// The README's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
