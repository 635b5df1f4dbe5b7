//! Certified differential-privacy accounting in arbitrary-precision arithmetic.
//!
//! [`answer`] computes a privacy quantity (delta, epsilon, trade-off function, divergence, ...) of a composition of
//! mechanisms. It returns one of three results, and never a wrong number:
//!
//! * the exact value;
//! * a proven enclosure `lower <= truth <= upper` with the requested number of digits;
//! * the reason why there is no such number, with the digits that are proven if there are any.
//!
//! # Quick start
//!
//! A [`Query`] consists of a [`Composition`] of mechanisms and a [`Quantity`] at a point. [`answer`] takes a query and
//! a [`Budget`] and returns an [`Answer`], whose [`Outcome`] is the number.
//!
//! ```
//! use dpcert::{Budget, Composition, Outcome, Quantity, Query, answer};
//!
//! let training: Composition = "poisson(rate=1/100, gaussian(sigma=1))^1000".parse()?;
//! let query = Query::new(Quantity::Delta { epsilon: "1".parse()? }, training).with_digits(20);
//! let answer = answer(&query, &Budget::default())?;
//! let Outcome::Enclosure(delta) = &answer.outcome else { return Err("no enclosure".into()) };
//! assert_eq!(delta.lower(20), "0.0026124205786269238155");
//! assert_eq!(delta.upper(20), "0.0026124205786269238156");
//! // A double for use as an upper bound is rounded up.
//! assert!(answer.outcome.upper_f64() <= Some(0.00261242057862693));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If all privacy losses are logarithms of fractions, answers are exact fractions:
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
//! # Overview
//!
//! | task | item |
//! |---|---|
//! | describe the mechanisms that were run | [`Composition`], parsed or built in code, with exact numbers ([`Real`]) |
//! | compute a delta, an epsilon, a type II error or a divergence | [`Quantity`] |
//! | compute an attacker's success, canonical noise, other functionals of a curve | [`Quantity`], [`Functional`] |
//! | choose the digits, the direction, the method | [`Query`], [`Direction`], [`Method`] |
//! | read the result | [`Outcome`], with a [`Fraction`] or an [`Interval`], or the [`Reason`] why there is none |
//! | see the theorem behind a result | [`Answer::statement`], a [`Statement`] with citation and proof page |
//! | see whether a result is exact or a bound | [`Answer::meaning`], a [`Meaning`]; [`Answer::bound`], a [`Bound`] |
//! | run many queries on one composition | [`Session`] |
//! | decide which of two compositions is more private | [`order`], an [`Order`] with a [`Witness`] at a [`Place`] |
//! | compute the post-processing that maps one composition to another | [`channel`], a [`Channel`] in fractions |
//! | calculate with trade-off functions: inverse, conjugate, product, group, subsample, vertices | [`TradeOff`] |
//! | find the noise or the number of steps that meets a target | [`calibrate`], a [`Calibration`] of a [`Template`] |
//! | evaluate a published composition theorem or conversion | [`Theorem`], with its source and hypotheses |
//! | compare accounting methods (zCDP, RDP, ...) on one composition | [`compare`], [`Account`], [`Standing`] |
//! | compare a limit theorem with the exact value | [`approximate`], by a [`Limit`] |
//! | compute the best accuracy for a function of private bits | [`accuracy`], for an [`Observer`] and [`Bits`] |
//! | compute the vertices of the region of optimal composition, as numbers or formulas | [`region`], [`symbolic`] |
//! | bound the divergence of a finite pair by an antipodal pair | [`antipodal`] |
//! | enforce a budget for adaptively chosen mechanisms | [`Filter`], [`Odometer`], in a [`Notion`] |
//! | keep such a budget in a file shared by processes | [`Ledger`], with a [`Balance`] |
//! | simulate an adaptive interaction from one Gaussian draw | [`Simulator`] |
//! | limit time, memory and precision | [`Budget`] |
//! | distinguish malformed queries, undefined quantities, exhausted budgets and bugs | [`Error`] |
//!
//! The folder `examples/` has short programs: a query, a session, a curve, and a composition built in code.
//!
//! # Features
//!
//! * `cli` (default): the program `dpcert` with its commands, plots, embedded golden vectors and audits of other
//!   accountants; and the library functions about published results: [`Theorem`], [`compare`], [`approximate`],
//!   [`accuracy`], [`region`], [`symbolic`], [`antipodal`]. The rest of the library does not need it; disable it with
//!   `default-features = false`.
//! * `generate`: tools that generate the golden vectors and confirm each by an independent computation in other
//!   arithmetic.

#![forbid(unsafe_code)]

mod adaptive;
mod alarm;
mod answer;
#[cfg(feature = "cli")]
mod approximate;
mod attack;
#[cfg(feature = "cli")]
mod audit;
mod calibrate;
mod canonical;
#[cfg(feature = "cli")]
mod census;
#[cfg(feature = "cli")]
mod claim;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod compare;
mod compose;
mod curve;
mod divergence;
mod error;
#[cfg(feature = "cli")]
mod files;
#[cfg(feature = "cli")]
mod float;
#[doc(hidden)]
pub mod internals;
mod mechanism;
mod number;
mod order;
mod pair;
#[cfg(feature = "cli")]
mod paper;
#[cfg(feature = "cli")]
mod picture;
mod print;
#[cfg(feature = "cli")]
mod published;
mod query;
mod read;
#[cfg(test)]
mod rooms;
#[cfg(feature = "generate")]
mod route;
#[cfg(feature = "cli")]
mod serve;
mod statement;
mod supervise;
mod table;
mod theorem;
mod trade_off;
#[cfg(feature = "cli")]
mod vector;
#[cfg(feature = "cli")]
mod write;

#[cfg(feature = "cli")]
pub use self::published::{
    Account, Accuracy, Antipodal, Approximated, Formulas, Limit, Standing, Theorem, accuracy, antipodal, approximate,
    compare, region, symbolic,
};
pub use adaptive::{Balance, Decision, Filter, Ledger, Notion, Odometer, Simulator, SimulatorRow};
pub use answer::{Answer, Bound, Meaning, Outcome, Session, answer};
pub use calibrate::{Calibrated, Calibration, Target, Trial, calibrate};
pub use compose::Method;
pub use curve::Direction;
pub use enclosure::{Budget, Note, ParseError, Real, Reason};
pub use error::Error;
pub use mechanism::{Composition, Template};
pub use number::{Fraction, Interval};
pub use order::{Channel, Order, Place, Relation, Witness, channel, order, order_of_both};
#[cfg(feature = "cli")]
pub use print::Bits;
pub use query::{Quantity, Query, Under};
pub use statement::Statement;
pub use theorem::functional::Functional;
#[cfg(feature = "cli")]
pub use theorem::multiparty::Observer;
pub use trade_off::TradeOff;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles and runs the examples of the documentation page about vectors.
#[cfg(doctest)]
#[doc = include_str!("../docs/pages/how-to/vectors.md")]
struct Site;

/// Compiles and runs the examples of the documentation page about trade-off functions.
#[cfg(doctest)]
#[doc = include_str!("../docs/pages/how-to/trade-off-functions.md")]
struct TradeOffFunctions;
