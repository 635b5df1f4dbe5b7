//! The arguments of `mpc`.

use clap::Args;

use super::{Limits, integer};
use crate::query::Query;

pub const EXAMPLES: &str = "Examples:
  dpcert mpc xor --parties 3 --epsilon 'ln(3)'
  dpcert mpc majority --parties 5 --epsilon 1 --observer 1
  dpcert mpc 0001 --epsilon 1,2 --delta 1/100
  dpcert mpc and --parties 2 --epsilon 'ln(3)' --worst-case
  dpcert mpc majority --parties 3 --epsilon 'ln(3)' --rule
  dpcert mpc and --parties 2 --epsilon 'ln(3)' --score '1,0;0,5'

--score takes a matrix with a row for each value of the function and a column for each guess, both in increasing order.
A semicolon ends a row and must be quoted in a shell. Entries are rational. With `1,0;0,5` a correct 1 is worth five
times a correct 0; with `0,-1;-9,0` a missed 1 costs nine times a false one. The answer is then the largest expected
score. The default score, 1 for the true value and 0 for any other, is the accuracy.

--rule lists the best guess after each transcript. It shows each party's published answer as 0 or 1; 0! or 1! is a
published bit known to be the true one, and [0] or [1] is the observer's own bit. Parties with equal epsilon and delta
that the function treats alike share a row. Several guesses in a row are all optimal. With --worst-case the best rule
is randomised: the probability of each guess is listed if e^epsilon and delta are rational.";

/// Arguments of `mpc`.
#[derive(Args, Debug)]
pub struct Multiparty {
    /// xor, and, or, majority (1 if more than half of the bits are 1), or the digits of its values at 00, 01, 10, 11
    pub function: String,
    /// Number of parties, each with one bit
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = integer(1, 12))]
    pub parties: Option<u32>,
    /// Epsilon of all parties, or one for each, as in 1,2,1/2
    #[arg(long, value_name = "E", allow_hyphen_values = true, required = true, value_delimiter = ',')]
    pub epsilon: Vec<String>,
    /// Delta of all parties, or one for each, as in 0,1e-6,0
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value = "0", value_delimiter = ',')]
    pub delta: Vec<String>,
    /// Observer who guesses: 0 knows only the transcript; party 1, 2, ... also knows its own bit
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value_t = 0, value_parser = integer(0, 12))]
    pub observer: u32,
    /// Compute the accuracy at the worst input bits instead of the average over all inputs
    #[arg(long)]
    pub worst_case: bool,
    /// Score each guess at each value: rows for values, columns for guesses, as in '1,0;0,5'
    #[arg(long, value_name = "MATRIX", allow_hyphen_values = true)]
    pub score: Option<String>,
    /// List the best guess after each transcript
    #[arg(long)]
    pub rule: bool,
    /// Prove at least N significant digits
    #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    #[command(flatten)]
    pub limits: Limits,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
