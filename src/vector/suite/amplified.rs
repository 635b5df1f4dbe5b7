//! What closed forms say of shuffled reports: clones of 2022, and stronger ones of 2023.

use dpcert_vectors::Limit;

use crate::query::QuantityName;

use super::Flag::{Ordinary, TinyDelta};
use super::Suite;

/// How many reports, the epsilon of each, and epsilons at which the theorems have deltas of about `10^-6`.
const REPORTS: &[(u64, &str, [&str; 2])] = &[
    (1000, "1/10", ["0.0496", "0.0484"]),
    (1000, "1/2", ["0.267", "0.242"]),
    (1000, "ln(3)", ["0.612", "0.523"]),
    (10_000, "1/10", ["0.0159", "0.0155"]),
    (10_000, "1/2", ["0.0914", "0.0823"]),
    (10_000, "1", ["0.209", "0.176"]),
    (10_000, "ln(3)", ["0.235", "0.195"]),
    (10_000, "2", ["0.49", "0.39"]),
    (10_000, "3", ["0.809", "0.642"]),
    (1_000_000, "1/10", ["0.0016", "0.00156"]),
    (1_000_000, "1/2", ["0.0095", "0.00852"]),
    (1_000_000, "1", ["0.0229", "0.019"]),
    (1_000_000, "ln(3)", ["0.026", "0.0213"]),
    (1_000_000, "2", ["0.061", "0.0463"]),
    (1_000_000, "3", ["0.117", "0.0855"]),
    (1_000_000, "4", ["0.196", "0.144"]),
    (1_000_000, "5", ["0.312", "0.231"]),
    (1_000_000, "7", ["0.699", "0.539"]),
    (1_000_000_000, "1/10", ["5.04e-05", "4.92e-05"]),
    (1_000_000_000, "1", ["0.000731", "0.000605"]),
    (1_000_000_000, "2", ["0.00199", "0.0015"]),
    (1_000_000_000, "5", ["0.0115", "0.00815"]),
    (1_000_000_000, "10", ["0.134", "0.096"]),
];

const THEOREMS: [Limit; 2] = [Limit::Clones, Limit::StrongerClones];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let about =
        "The theorem requires epsilon0 below a bound in the number of reports and delta; otherwise it gives no result.";
    let new = |quantity, title| Suite::new("amplified", quantity, title, about);
    let mut deltas = new(QuantityName::LimitDelta, "Closed-form amplification by shuffling: delta at an epsilon");
    let mut epsilons = new(QuantityName::LimitEpsilon, "Closed-form amplification by shuffling: epsilon at a delta");
    for (n, epsilon0, at) in REPORTS {
        let mechanism = format!("shuffle(n={n}, epsilon0={epsilon0})");
        let comment = format!("{n} reports");
        for (limit, epsilon) in THEOREMS.into_iter().zip(at) {
            deltas.ask_limit(limit, &[Ordinary], comment.as_str(), mechanism.as_str(), *epsilon);
            for (delta, flags) in [("1e-5", &[Ordinary][..]), ("1e-8", &[TinyDelta])] {
                epsilons.ask_limit(limit, flags, comment.as_str(), mechanism.as_str(), delta);
            }
        }
    }
    vec![deltas, epsilons]
}
