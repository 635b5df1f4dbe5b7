//! Laplace noise of several scales: products of a few kinds, whose knots share no unit.

use crate::query::QuantityName;

use super::Flag::{self, Heterogeneous, LargeNoise, OnKnot, Ordinary, SmallAlpha, SmallNoise, TinyDelta};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Compositions, epsilons between knots, those on one, and why.
const COMPOSITIONS: [(&str, &[&str], &[&str], &str); 18] = [
    ("laplace(scale=1) * laplace(scale=2)", &["-1", "0", "1", "5/4"], &["1/2"], "two scales: knots at 1/2 and 3/2"),
    ("laplace(scale=10)^5 * laplace(scale=7)^3", &["0", "1/10", "1/2", "9/10"], &[], "eight releases of two kinds"),
    ("laplace(scale=10)^12 * laplace(scale=7)^8", &["1/2", "2"], &["0", "1"], "twenty releases"),
    ("laplace(scale=1/2)^2 * laplace(scale=3)^2", &["-2", "2"], &["0", "14/3"], "the largest loss is the last epsilon"),
    ("laplace(scale=1/100) * laplace(scale=5)", &["0", "1", "100"], &["499/5"], "little noise and much noise"),
    ("laplace(scale=1000)^3 * laplace(scale=999)^3", &["0", "1/1000", "1/250"], &[], "scales that nearly agree"),
    ("laplace(scale=2) * laplace(scale=3) * laplace(scale=5)", &["0", "1/2", "1"], &["1/30"], "three kinds, once each"),
    ("laplace(scale=2)^3 * laplace(scale=3)^2 * laplace(scale=5)^2", &["0", "1", "2"], &["1/2"], "three kinds"),
    (
        "laplace(scale=1, sensitivity=2) * laplace(scale=3)",
        &["0", "1", "2"],
        &["5/3"],
        "a sensitivity of two is half of the scale",
    ),
    ("laplace(scale=4)^2 * laplace(scale=4, sensitivity=3)", &["0", "1"], &["1/4"], "one scale, two sensitivities"),
    ("laplace(scale=1e6) * laplace(scale=1e-3)", &["0", "999", "1000"], &[], "nine orders of magnitude apart"),
    (
        "laplace(scale=6)^4 * approx-dp(epsilon=0, delta=1/50) * laplace(scale=5)",
        &["0", "4/5"],
        &["1/5"],
        "with a failure probability",
    ),
    ("laplace(scale=1/3)^3 * laplace(scale=1/2)^2", &["-4", "2", "6"], &["1"], "little noise of two kinds"),
    (
        "laplace(scale=3)^6 * laplace(scale=4)^6 * laplace(scale=5)^2",
        &["1/7", "9/4"],
        &["0", "2"],
        "three kinds, fourteen releases, 147 knots",
    ),
    ("laplace(scale=100)^30 * laplace(scale=20)", &["0", "1/10"], &["1/4"], "thirty small scales and a large one"),
    ("laplace(scale=50)^10 * laplace(scale=49)^10", &["1/10", "1/3"], &["0"], "knots in clusters"),
    (
        "laplace(scale=5/2) * laplace(scale=7/3) * laplace(scale=11/4) * laplace(scale=13/5)",
        &["-1/2", "0", "1/2", "3/2"],
        &[],
        "four kinds, once each",
    ),
    ("laplace(scale=0.3)^2 * laplace(scale=0.7)^2 * laplace(scale=1.1)^2", &["1", "4", "10"], &["0"], "decimals"),
];

fn regime(mechanism: &str, flag: Flag) -> Vec<Flag> {
    let mut flags = vec![Heterogeneous, flag];
    if mechanism.contains("1/100") || mechanism.contains("1e-3") {
        flags.push(SmallNoise);
    }
    if mechanism.contains("1000") || mechanism.contains("1e6") {
        flags.push(LargeNoise);
    }
    flags
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "laplace-scales",
        QuantityName::Delta,
        "Laplace noise of several scales: delta at an epsilon",
        "Sums of truncated powers between incommensurable knots, which a grid displaces.",
    );
    for (mechanism, between, knots, why) in COMPOSITIONS {
        for (points, flag) in [(between, Ordinary), (knots, OnKnot)] {
            for at in points {
                suite.ask(&regime(mechanism, flag), why, mechanism, *at);
            }
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "laplace-scales",
        QuantityName::Epsilon,
        "Laplace noise of several scales: epsilon at a delta",
        "The privacy losses are bounded and their density vanishes at the end like a power: epsilon is always finite.",
    );
    for (mechanism, .., why) in COMPOSITIONS {
        let failing = mechanism.contains("approx-dp");
        let levels = [("1/10", Ordinary), ("1e-3", Ordinary), ("1e-6", Ordinary), ("1e-25", TinyDelta)];
        for (level, flag) in levels.into_iter().filter(|(level, _)| !failing || *level == "1/10") {
            suite.ask(&regime(mechanism, flag), why, mechanism, level);
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "laplace-scales",
        QuantityName::Beta,
        "Laplace noise of several scales: trade-off function",
        "Two nested computations: the threshold of the test, and the error at it.",
    );
    for (mechanism, .., why) in COMPOSITIONS {
        for (alpha, flag) in [("1e-5", SmallAlpha), ("1/20", Ordinary), ("1/2", Ordinary), ("19/20", Ordinary)] {
            suite.ask(&regime(mechanism, flag), why, mechanism, alpha);
        }
    }
    suite
}
