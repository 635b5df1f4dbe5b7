//! Finitely many losses without a common lattice: samples of randomised responses, finite pairs beside constants.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{
    Asymmetric, BesideKnot, Edge, Heterogeneous, Infinite, ManyCompositions, Mixed, Ordinary, SmallAlpha, SmallRate,
    Subsampled, TinyDelta,
};
use super::{Flag, Suite};

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Compositions, epsilons and why.
const COMPOSITIONS: [(&str, &[&str], &str); 16] = [
    (
        "poisson(rate=0.3, randomized-response(epsilon=0.9))^2",
        &["-0.1", "0", "0.3", "0.7"],
        "the smallest composition without a lattice: three privacy losses",
    ),
    (
        "finite(p=[3/10,7/10], q=[8/14,6/14]) * randomized-response(epsilon=0.19)",
        &["-0.3", "0", "0.2", "0.8"],
        "logarithms of rationals and a rational: no ratio of privacy losses is rational",
    ),
    (
        "poisson(rate=0.14, randomized-response(epsilon=1.1))^500",
        &["0", "5", "20", "100"],
        "500 subsampled steps: tails of a skewed binomial",
    ),
    (
        "poisson(rate=1/1000, randomized-response(epsilon=3))^2000",
        &["0", "1", "4", "20"],
        "a small rate, many steps: one run in a thousand dominates",
    ),
    (
        "poisson(rate=0.1, randomized-response(epsilon=1))^20 * poisson(rate=0.05, randomized-response(epsilon=2))^20 \
         * poisson(rate=0.01, randomized-response(epsilon=3))^20",
        &["0", "1", "3", "8"],
        "three kinds of samples: 9261 losses, none of them on a lattice with another",
    ),
    (
        "k-randomized-response(epsilon=1.3, categories=7)^12 * finite(p=[3/10,7/10], q=[8/14,6/14])^10",
        &["-1", "0", "4", "12"],
        "uninformative outcomes and a finite pair",
    ),
    (
        "finite(p=[1/2,1/3,1/6,0], q=[1/7,39/70,0,3/10])^2 * randomized-response(epsilon=1/3)^3",
        &["0", "1/2", "2", "3"],
        "masses at infinity on both sides, and an irrational e^(1/3)",
    ),
    (
        "poisson(rate=1/10, approx-dp(epsilon=1, delta=1/100))^10",
        &["-0.5", "0", "0.4", "1"],
        "certain failure for sampled records: privacy losses ln(1-p) and infinity",
    ),
    (
        "poisson(rate=0.2, k-randomized-response(epsilon=2, categories=10))^30",
        &["0", "1", "4", "12"],
        "three losses of one sample, in no rational ratio",
    ),
    (
        "poisson(rate=0.25, geometric(epsilon=0.5, sensitivity=2))^15",
        &["-1", "0", "1.5", "4"],
        "three privacy losses that lie on a lattice before sampling",
    ),
    ("poisson(rate=sqrt(2)/3, randomized-response(epsilon=ln(5)))^40", &["0", "2", "9", "30"], "an irrational rate"),
    (
        "randomized-response(epsilon=ln(2))^3 * randomized-response(epsilon=1)^4 * poisson(rate=1/2, \
         randomized-response(epsilon=ln(3)))^5",
        &["-1", "0", "2", "7"],
        "a logarithm, a rational, and the sample of a third",
    ),
    (
        "poisson(rate=0.4, randomized-response(epsilon=1)) * poisson(rate=0.4, randomized-response(epsilon=1 + 1e-20))",
        &["0", "0.25", "0.5"],
        "privacy losses that differ in the twentieth digit, with nearly equal sums",
    ),
    (
        "poisson(rate=0.3, poisson(rate=0.5, randomized-response(epsilon=2)))^25",
        &["0", "1", "3", "7"],
        "nested subsampling",
    ),
    (
        "poisson(rate=0.999, randomized-response(epsilon=0.1))^300",
        &["0", "1", "4", "12"],
        "sampling rate near 1: nearly a lattice, but not one",
    ),
    (
        "poisson(rate=1e-6, randomized-response(epsilon=10))^4000 * finite(p=[1/2,1/2], q=[1/3,2/3])",
        &["0", "0.2", "1", "8"],
        "rare large and common small privacy losses",
    ),
];

fn regime(mechanism: &str) -> Vec<Flag> {
    let mut flags = vec![Asymmetric];
    if mechanism.contains("poisson") {
        flags.push(Subsampled);
    }
    if mechanism.contains(" * ") {
        flags.push(if mechanism.contains("finite") || mechanism.contains("k-rand") { Mixed } else { Heterogeneous });
    }
    if mechanism.contains("^2000") || mechanism.contains("^4000") {
        flags.push(ManyCompositions);
    }
    if mechanism.contains("1/1000") || mechanism.contains("1e-6") {
        flags.push(SmallRate);
    }
    if mechanism.contains("1e-20") {
        flags.push(BesideKnot);
    }
    flags
}

fn with(mechanism: &str, flag: Flag) -> Vec<Flag> {
    let mut flags = regime(mechanism);
    flags.push(flag);
    flags
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "enumeration",
        QuantityName::Delta,
        "Finitely many privacy losses without a lattice: delta at an epsilon",
        "Sums of privacy losses that lie on no grid: rounding to a grid loses digits. The two directions differ.",
    );
    for (mechanism, points, why) in COMPOSITIONS {
        for at in points {
            suite.ask(&with(mechanism, Ordinary), why, mechanism, *at);
        }
        for direction in [Forward, Backward] {
            for at in points.iter().take(2) {
                let why = format!("one direction: {why}");
                suite.ask_towards(direction, &with(mechanism, Ordinary), why, mechanism, *at);
            }
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "enumeration",
        QuantityName::Epsilon,
        "Finitely many privacy losses without a lattice: epsilon at a delta",
        "The inverse is the logarithm of a ratio of tails between two privacy losses that must be separated.",
    );
    for (mechanism, _, why) in COMPOSITIONS {
        let failing = mechanism.contains("approx-dp") || mechanism.contains("0,3/10]");
        for (level, flag) in [("1/10", Ordinary), ("1e-3", Ordinary), ("1e-6", Ordinary), ("1e-30", TinyDelta)] {
            let flag = if failing && level != "1/10" { Infinite } else { flag };
            suite.ask(&with(mechanism, flag), why, mechanism, level);
        }
        suite.ask_towards(Forward, &with(mechanism, Ordinary), format!("one direction: {why}"), mechanism, "1/20");
        suite.ask_towards(Backward, &with(mechanism, Ordinary), format!("one direction: {why}"), mechanism, "1/20");
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "enumeration",
        QuantityName::Beta,
        "Finitely many privacy losses without a lattice: trade-off function",
        "A piecewise-linear function with thousands of vertices: the optimal test randomizes at one privacy loss.",
    );
    for (mechanism, _, why) in COMPOSITIONS {
        for (alpha, flag) in [("1e-6", SmallAlpha), ("1/10", Ordinary), ("1/2", Ordinary), ("19/20", Ordinary)] {
            suite.ask(&with(mechanism, flag), why, mechanism, alpha);
        }
        suite.ask_towards(Forward, &with(mechanism, Ordinary), format!("one direction: {why}"), mechanism, "1/4");
        suite.ask_towards(Backward, &with(mechanism, Ordinary), format!("one direction: {why}"), mechanism, "1/4");
    }
    suite.ask(&with(COMPOSITIONS[6].0, Edge), "outcomes under P only do not contribute", COMPOSITIONS[6].0, "0");
    suite
}
