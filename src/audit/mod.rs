//! Sends the queries of the vectors to other programs and judges their claims.
//!
//! **The contract.** A verdict `sound` or `unsound` is proven: it compares the claimed number, exactly, with a
//! certified enclosure of the truth at exactly the doubles that were sent ([`judge`]). A program's behaviour never
//! changes verdicts on other programs and never ends the audit ([`process`]).
//!
//! | module | holds |
//! |---|---|
//! | [`question`] | what is asked: doubles only |
//! | [`questions`] | which questions: the stored vectors, and suites of the audit's own |
//! | [`protocol`] | lines that go out, lines that come in |
//! | [`process`] | the audited process, its limits and its deaths |
//! | [`truth`] | what is certainly true |
//! | [`judge`], [`judgement`] | the verdict, and how it is kept |
//! | [`gate`] | which judgements an audit fails on |
//! | [`peer`] | the packages `dpcert` has adapters for, and where they are installed |
//! | [`run`], [`journal`] | one audit, and what is kept of it when it is interrupted |
//! | [`report`] | all judgements, summed up |
//! | [`hunt`] | questions nobody wrote down, and the simplest that still fail |

pub mod double;
pub mod gate;
pub mod hunt;
pub mod journal;
pub mod judge;
pub mod judgement;
pub mod peer;
pub mod process;
pub mod protocol;
pub mod question;
pub mod questions;
pub mod report;
pub mod run;
pub mod truth;
