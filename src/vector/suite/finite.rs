//! Finite pairs of rational distributions: everything is an exact fraction.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{Asymmetric, DeltaNearOne, Edge, ExactRational, Infinite, OnKnot, Ordinary, TinyDelta};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Pairs with ties, zeros on either side, extreme ratios and many outcomes.
const PAIRS: [(&str, &str); 8] = [
    ("1/2,1/4,1/4", "1/3,1/3,1/3"),
    ("99/100,1/100", "1/2,1/2"),
    ("1/2,1/3,1/6", "1/6,1/3,1/2"),
    ("1/2,1/2,0", "0,1/2,1/2"),
    ("1/8,3/8,1/2", "1/4,3/4,0"),
    ("1/1000000,999999/1000000", "1/2,1/2"),
    ("1/10,2/10,3/10,4/10", "4/10,3/10,2/10,1/10"),
    ("1/16,1/16,1/8,1/4,1/2", "1/5,1/5,1/5,1/5,1/5"),
];

fn finite((p, q): (&str, &str), times: u32) -> String {
    format!("finite(p=[{p}], q=[{q}])^{times}")
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "finite",
        QuantityName::Delta,
        "Finite pairs of rational distributions: delta at an epsilon",
        "Ties and zeros in the likelihood ratio, directions that differ, and exact fractions.",
    );
    for pair in PAIRS {
        for times in [1u32, 2, 4] {
            for x in ["1", "3/2", "4"] {
                for direction in [Forward, Backward] {
                    suite.ask_towards(
                        direction,
                        &[ExactRational, Asymmetric],
                        "rational data, one direction",
                        finite(pair, times),
                        format!("ln({x})"),
                    );
                }
            }
        }
    }
    for pair in PAIRS {
        for at in ["1/2", "1", "3", "-1"] {
            suite.ask(&[Ordinary], "an epsilon whose exponential is irrational", finite(pair, 3), at);
        }
    }
    for (x, comment) in [("3/2", "the largest ratio"), ("9/4", "the largest ratio of two"), ("2/3", "below 1")] {
        suite.ask(&[OnKnot, ExactRational], comment, finite(PAIRS[0], 2), format!("ln({x})"));
    }
    for at in ["6", "12", "18"] {
        suite.ask(
            &[TinyDelta],
            "rare outcomes dominate",
            "finite(p=[1/1000000,999999/1000000], q=[1/1000000000,999999999/1000000000])^3",
            at,
        );
    }
    for (pair, times) in [(PAIRS[5], 6u32), (PAIRS[3], 8)] {
        suite.ask(&[DeltaNearOne, ExactRational], "nearly disjoint", finite(pair, times), "0");
    }
    for (mechanism, at) in
        [("finite(p=[1/2,1/2], q=[1/2,1/2])^5", "0"), ("finite(p=[1,0], q=[0,1])", "3"), ("finite(p=[1], q=[1])", "0")]
    {
        suite.ask(&[Edge], "a boundary of the domain", mechanism, at);
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "finite",
        QuantityName::Epsilon,
        "Finite pairs of rational distributions: epsilon at a delta",
        "Infinite answers where the supports differ, and logarithms of fractions elsewhere.",
    );
    for pair in PAIRS {
        for delta in ["1/100", "1/10", "2/5"] {
            for direction in [Forward, Backward] {
                suite.ask_towards(
                    direction,
                    &[Ordinary, Asymmetric],
                    "rational data, one direction",
                    finite(pair, 2),
                    delta,
                );
            }
        }
    }
    for (pair, flags) in [(PAIRS[0], &[Edge][..]), (PAIRS[3], &[Edge, Infinite])] {
        suite.ask(flags, "pure differential privacy", finite(pair, 1), "0");
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "finite",
        QuantityName::Beta,
        "Finite pairs of rational distributions: trade-off function",
        "Vertices and flat segments of piecewise-linear functions, in both directions.",
    );
    for pair in PAIRS {
        for times in [1u32, 3] {
            for alpha in ["0", "1/16", "1/2"] {
                for direction in [Forward, Backward] {
                    suite.ask_towards(
                        direction,
                        &[ExactRational, Asymmetric],
                        "rational data, one direction",
                        finite(pair, times),
                        alpha,
                    );
                }
            }
        }
    }
    suite
}
