//! Certified privacy arithmetic: what is the privacy of this mechanism, *exactly*?
//!
//! **The promise.** [`answer`] returns the exact value of a privacy quantity, or an enclosure `lower <= truth <= upper`
//! with as many agreeing digits as were asked for, or says why there is neither. It never returns a wrong number.
//!
//! # One noun, one verb
//!
//! A [`Query`] is a [`Composition`] of mechanisms, a [`Quantity`] and a point. [`answer`] takes it and a [`Budget`],
//! and gives an [`Answer`], whose [`Outcome`] is the number.
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
//! // What may be promised is rounded up.
//! assert!(answer.outcome.upper_f64() <= Some(0.00261242057862693));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With losses that are logarithms of fractions, answers are fractions:
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
//! # Where to go from here
//!
//! | to | take |
//! |---|---|
//! | say what was run | [`Composition`], as an expression or built in code, with exact numbers ([`Real`]) |
//! | ask for a delta, an epsilon, a type II error or a divergence | [`Quantity`] |
//! | ask for what an attacker achieves, for canonical noise or another number of a trade-off function | [`Quantity`], [`Functional`] |
//! | ask for more digits, one direction, one kind of engine | [`Query`], [`Direction`], [`Method`] |
//! | read the number | [`Outcome`], with a [`Fraction`] or an [`Interval`], or the [`Reason`] why there is none |
//! | see what it rests on | [`Answer::statement`], a [`Statement`] with citation and page of proof |
//! | ask much of one composition | [`Session`] |
//! | know which of two compositions is the more private | [`order`], with an [`Order`] and its [`Witness`] at a [`Place`] |
//! | have the randomised map that makes the one of the other | [`channel`], a [`Channel`] in fractions |
//! | calculate with trade-off functions: inverse, conjugate, products, groups, samples, vertices | [`TradeOff`] |
//! | find the noise or the number of steps that keeps a promise | [`calibrate`], a [`Calibration`] of a [`Template`] |
//! | know what a theorem of composition or a conversion says of numbers | [`Theorem`], with its source and its hypotheses |
//! | set the accounts of one composition side by side | [`compare`], with an [`Account`] each and its [`Standing`] |
//! | know what a limit theorem says of a long composition, and what is so | [`approximate`], by a [`Limit`] |
//! | know how well a function of private bits is computed | [`accuracy`], of an [`Observer`] over [`Bits`] |
//! | know the corners of a region of optimal composition, in numbers or in formulas | [`region`], [`symbolic`] |
//! | bound the divergence of a finite pair by an antipodal one | [`antipodal`] |
//! | keep a budget for mechanisms that are chosen as one goes | [`Filter`], [`Odometer`], in a [`Notion`] |
//! | keep it in a file, for any number of processes | [`Ledger`], with its [`Balance`] |
//! | simulate an adaptive interaction from one Gaussian draw | [`Simulator`] |
//! | tell a bound that follows from a guarantee | [`Answer::bound`], a [`Bound`] |
//! | limit time, memory and precision | [`Budget`] |
//! | tell a malformed question from a mistake of ours | [`Error`] |
//!
//! `examples/` has a question, a session, a curve and a composition built in code, each on one page.
//!
//! # Features
//!
//! `cli`, on by default, is the program `dpcert`: its commands, its pictures, the golden vectors inside of it, and the
//! audits of other accountants; and what papers say beside what is so: [`Theorem`], [`compare`], [`approximate`],
//! [`accuracy`], [`region`], [`symbolic`], [`antipodal`]. The rest of the library needs none of it:
//! `default-features = false`. `generate` is what makes the golden vectors: a second computation of each, in other
//! arithmetic.

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

/// The README's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// And that of the site.
#[cfg(doctest)]
#[doc = include_str!("../docs/pages/how-to/vectors.md")]
struct Site;

/// And that of its page about trade-off functions.
#[cfg(doctest)]
#[doc = include_str!("../docs/pages/how-to/trade-off-functions.md")]
struct TradeOffFunctions;
