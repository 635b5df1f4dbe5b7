//! The 2020 census of the United States on its real budgets: every level and every release, and the pairs of paths of
//! the optimised geography.
//!
//! Nothing here computes privacy: [`mechanism::Allocation`](crate::mechanism::Allocation) says what a file of budgets
//! means, `compose` computes, [`theorem::zcdp`](crate::theorem::zcdp) converts. This module organises computations that
//! take minutes and comparisons with published numbers:
//!
//! * [`levels`](mod@levels): the epsilon of each level and of the whole by both usual conversions and exactly, side by
//!   side, for a comparison that does not name its conversion compares nothing;
//! * [`Workload`], [`run`](mod@run), [`Journal`]: the profile of many pairs of paths at many epsilons, in parallel, in
//!   a file that is the same whether the run was interrupted or not;
//! * [`compare`](mod@compare): published values against certified enclosures;
//! * [`tradeoff`]: the trade-off function of one pair at evenly spaced thresholds of the likelihood ratio.

pub mod compare;
mod journal;
pub mod levels;
mod results;
pub mod run;
pub mod tradeoff;
mod workload;

pub use journal::Journal;
pub use results::read_results;
pub use workload::{Level, Workload};
