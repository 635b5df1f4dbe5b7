//! Loader for golden vectors of differential privacy, with exact verdicts on claims.
//!
//! **The contract.** Each vector is a query with a proven answer: `lower <= truth <= upper` as exact numbers, confirmed
//! by at least two independent computations. The loader rounds nothing, no comparison uses a tolerance, and a file that
//! violates the format is refused. If [`verdict::judge`] returns *unsound*, the claim is false; if it returns *sound*,
//! the claim is true.
//!
//! ```
//! use dpcert_vectors::{Claim, Side, Verdict, judge, load_str};
//!
//! # let json = include_str!("../tests/fixtures/rr-delta.json");
//! let file = load_str("rr-delta.json", json)?; // or load_file, load_dir
//! for case in &file.cases {
//!     let truth = case.answer.truth().ok_or("inconsistent answer")?;
//!     let claimed = 1.0; // compute with your accountant from `case.parameters` and `case.at`
//!     assert_ne!(judge(Side::Upper, &Claim::from(claimed), &truth), Verdict::Unsound, "{}", case.id);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Modules, each of which uses only those before it: [`number`] (exact numbers and their spelling), [`exact`] (inputs),
//! [`answer`] (outputs), [`mod@format`] (the file), [`catalogue`] (mechanisms and quantities), [`load`], [`lint`],
//! [`verdict`]. The features `proptest` and `quickcheck` add `strategy` and `arbitrary`: random exact parameters and
//! random cases of a set. The feature `embedded` compiles the vectors into the program.

#![forbid(unsafe_code)]

pub mod number;

pub mod answer;
pub mod catalogue;
pub mod exact;
pub mod format;
pub mod lint;
pub mod load;
pub mod verdict;

#[cfg(feature = "quickcheck")]
pub mod arbitrary;
#[cfg(feature = "embedded")]
mod embedded;
#[cfg(any(feature = "proptest", feature = "quickcheck"))]
mod regime;
#[cfg(feature = "proptest")]
pub mod strategy;

pub use answer::{Answer, Kind, Order, Truth};
#[cfg(feature = "embedded")]
pub use embedded::embedded;
pub use exact::Exact;
#[cfg(feature = "schema")]
pub use format::schema;
pub use format::{
    At, Bits, Bound, Case, Direction, Factor, Format, Game, License, Limit, LimitForm, Other, Parameter, Quantity,
    Relation, Stated, VectorFile, Weight, Witness,
};
pub use lint::{Finding, expression, lint_dir, lint_factor, lint_file, lint_set, lint_str, mechanisms};
pub use load::{LoadError, VectorSet, load_dir, load_file, load_str, to_json};
pub use number::{Decimal, Double, Dyadic, NumberError, Rational, hex_of_f64, tightest_f64};
pub use verdict::{Claim, Range, Side, Verdict, judge, judge_order, ratio, relative_error};
