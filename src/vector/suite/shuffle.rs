//! Shuffled reports: the pairs of counts of clones, of two reductions.

use crate::query::QuantityName;

use super::Flag::{self, Edge, HugeEpsilon, Ordinary, SmallAlpha, TinyDelta, TinyEpsilon};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

const MECHANISMS: [(&str, &[&str], &str); 14] = [
    ("shuffle(n=1, epsilon0=ln(3))", &["0", "1/2"], "no other reports: randomised response"),
    ("shuffle(n=2, epsilon0=ln(2))", &["0", "1/4", "1/2"], "one other report"),
    ("shuffle(n=5, epsilon0=ln(2))", &["0", "ln(5/4)", "1/2"], "few reports: short fractions"),
    ("shuffle(n=5, epsilon0=ln(2))^2", &["0", "ln(5/4)", "1"], "two collections of five reports"),
    ("shuffle(n=13, epsilon0=ln(3))", &["0", "1/10", "1/2"], "more outcomes than are enumerated"),
    ("shuffle(n=40, epsilon0=1)", &["0", "1/10", "1/2", "9/10"], "an irrational e^epsilon0"),
    ("shuffle(n=40, epsilon0=5)", &["0", "1", "4"], "large epsilon0: almost no clones"),
    ("shuffle(n=80, epsilon0=1/10)", &["0", "1/100", "1/20"], "nearly all are clones"),
    ("shuffle(n=30, epsilon0=ln(4), categories=3)", &["0", "1/5", "1"], "three answers"),
    ("shuffle(n=40, epsilon0=2, categories=10)", &["0", "1/5", "3/2"], "ten answers: the exact pair"),
    ("shuffle(n=20, epsilon0=1e-6)", &["0", "1e-8", "1e-7"], "tiny epsilon0"),
    ("shuffle-clones(n=2, epsilon0=ln(2))", &["0", "1/4"], "the clones of 2022: one other report"),
    ("shuffle-clones(n=40, epsilon0=1)", &["0", "1/10", "1/2", "9/10"], "fewer clones than those of 2023"),
    ("shuffle-clones(n=60, epsilon0=ln(10))", &["0", "1/2", "2"], "one report in ten is a clone"),
];

fn flag(mechanism: &str) -> Flag {
    match mechanism {
        text if text.contains("n=1,") => Edge,
        text if text.contains("1e-6") => TinyEpsilon,
        text if text.contains("epsilon0=5") => HugeEpsilon,
        _ => Ordinary,
    }
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "shuffle",
        QuantityName::Delta,
        "Shuffled reports: delta at an epsilon",
        "The exact pair of clone counts: closed-form bounds are far above, and Monte Carlo estimates below.",
    );
    for (mechanism, points, why) in MECHANISMS {
        for at in points {
            suite.ask(&[flag(mechanism)], why, mechanism, *at);
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "shuffle",
        QuantityName::Epsilon,
        "Shuffled reports: epsilon at a delta",
        "At most the epsilon of one report, for every delta.",
    );
    for (mechanism, _, why) in MECHANISMS {
        for (level, tiny) in [("1/50", false), ("1e-3", false), ("1e-6", false), ("1e-25", true)] {
            suite.ask(&[if tiny { TinyDelta } else { flag(mechanism) }], why, mechanism, level);
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "shuffle",
        QuantityName::Beta,
        "Shuffled reports: trade-off function",
        "The optimal test has one threshold per number of clones and randomizes at one count.",
    );
    for (mechanism, _, why) in MECHANISMS {
        for (alpha, small) in [("1e-4", true), ("1/20", false), ("1/2", false)] {
            suite.ask(&[if small { SmallAlpha } else { flag(mechanism) }], why, mechanism, alpha);
        }
    }
    suite
}
