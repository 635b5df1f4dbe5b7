//! The arguments of `mpc`.

use clap::Args;

use super::{Limits, integer};
use crate::query::Query;

pub const EXAMPLES: &str = "Examples:
  dpcert mpc xor --parties 3 --epsilon 'ln(3)'
  dpcert mpc majority --parties 5 --epsilon 1 --observer 1
  dpcert mpc 0001 --epsilon 1,2 --delta 1/100
  dpcert mpc and --parties 2 --epsilon 'ln(3)' --worst-case";

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
