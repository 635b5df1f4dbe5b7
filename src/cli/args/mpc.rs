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

A score is a matrix with a row for each value of the function and a column for each guess, both in increasing order.
Rows end with a semicolon, which a shell wants in quotes. Entries are any rational numbers: `1,0;0,5` makes a right 1
worth five times a right 0, and `0,-1;-9,0` makes a missed 1 cost nine times a false one. The answer is then the
largest average score. The default, 1 for the true value and 0 for any other, is the accuracy.

--rule lists the best guess after each transcript. Of each party it shows 0 or 1, its published answer; 0! or 1!, a
published bit that is known to be the true one; and [0] or [1], the observer's own bit. Parties of equal epsilon and
delta that the function treats alike share a row. Several guesses are a tie: all are best. With --worst-case the best
rule guesses at random, and the probability of each guess is listed, where e^epsilon and delta are rational.";

/// A function of private bits.
#[derive(Args, Debug)]
pub struct Multiparty {
    /// xor, and, or, majority (one if more than half of the bits are), or a table of digits: its values at 00, 01, 10,
    /// 11
    pub function: String,
    /// How many parties, each with one bit
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = integer(1, 12))]
    pub parties: Option<u32>,
    /// The epsilon of all parties, or one for each, as in 1,2,1/2
    #[arg(long, value_name = "E", allow_hyphen_values = true, required = true, value_delimiter = ',')]
    pub epsilon: Vec<String>,
    /// The delta of all parties, or one for each, as in 0,1e-6,0
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value = "0", value_delimiter = ',')]
    pub delta: Vec<String>,
    /// Who guesses: 0 has the transcript alone, party 1, 2, ... its own bit as well
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value_t = 0, value_parser = integer(0, 12))]
    pub observer: u32,
    /// The accuracy at the bits that are hardest to guess from, instead of the average over all
    #[arg(long)]
    pub worst_case: bool,
    /// The worth of each guess at each value, instead of 1 for the true one: rows for values, columns for guesses, as
    /// in '1,0;0,5'
    #[arg(long, value_name = "MATRIX", allow_hyphen_values = true)]
    pub score: Option<String>,
    /// List the best guess after each transcript
    #[arg(long)]
    pub rule: bool,
    /// How many significant digits must be proven
    #[arg(long, value_name = "N", default_value_t = Query::DEFAULT_DIGITS, allow_hyphen_values = true)]
    #[arg(value_parser = integer(1, Query::MAX_DIGITS))]
    pub digits: u32,
    #[command(flatten)]
    pub limits: Limits,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
