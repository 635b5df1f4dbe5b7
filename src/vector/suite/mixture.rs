//! Mechanisms of different kinds, composed with each other.

use super::Flag::{
    Asymmetric, Heterogeneous, LargeNoise, ManyCompositions, Ordinary, SmallAlpha, SmallNoise, TinyDelta, Underflow,
};
use super::curve::ALPHAS;
use super::{Flag, Suite};
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Losses of any size: only a moment generating function knows them all.
const CONTINUOUS: [(&str, &[&str]); 14] = [
    ("gaussian(sigma=2) * laplace(scale=1)", &["-1", "0", "1/2", "1", "2", "4", "8"]),
    ("gaussian(sigma=5)^10 * laplace(scale=4)^10", &["-1", "0", "1", "2", "4", "9"]),
    ("gaussian(sigma=1) * randomized-response(epsilon=1)^5", &["-2", "0", "1", "3", "6", "12"]),
    ("gaussian(sigma=3) * approx-dp(epsilon=1/2, delta=1/1000)^8", &["0", "1", "2", "4", "10"]),
    ("gdp(mu=1/2) * geometric(epsilon=1/2, sensitivity=3)^4", &["-1", "0", "1", "3", "6"]),
    ("gaussian(sigma=4)^16 * discrete-gaussian(sigma2=9)^4", &["-1", "0", "1", "3", "8", "20"]),
    ("gaussian(sigma=2) * staircase(epsilon=1, gamma=1/3)^3", &["-1/2", "0", "1", "3", "7"]),
    ("gaussian(sigma=2) * finite(p=[1/2,1/3,1/6], q=[1/6,1/3,1/2])^4", &["-1", "0", "1", "4"]),
    ("gaussian(sigma=10) * laplace(scale=7)^3 * laplace(scale=11)^5", &["-1/4", "0", "1/4", "1", "2"]),
    ("gaussian(sigma=10)^100 * laplace(scale=10)^100 * randomized-response(epsilon=1/10)^100", &["0", "2", "5", "12"]),
    ("gdp(mu=3) * laplace(scale=1/2)^2 * approx-dp(epsilon=0, delta=1/100)", &["-3", "0", "3", "9", "20"]),
    ("gaussian(sigma=1/4) * laplace(scale=3)^2", &["-4", "0", "8", "20", "60"]),
    ("gaussian(sigma=1000)^50 * laplace(scale=2000)^20", &["0", "1/1000", "1/50", "1/10"]),
    (
        "gaussian(sigma=sqrt(2)) * laplace(scale=ln(3)) * randomized-response(epsilon=ln(2))^3",
        &["-1", "0", "1", "ln(8)", "5"],
    ),
];

/// The same with subsampled Gaussians.
const SAMPLED: [(&str, &[&str]); 8] = [
    ("gaussian(sigma=5) * poisson(rate=1/100, gaussian(sigma=1))^1000", &["-1", "0", "1", "3", "6"]),
    ("gaussian(sigma=2) * poisson(rate=1/10, gaussian(sigma=2))^20", &["-1", "0", "1", "3", "6"]),
    ("laplace(scale=2)^3 * poisson(rate=1/20, gaussian(sigma=1))^200", &["0", "1", "4", "8"]),
    ("poisson(rate=1/100, gaussian(sigma=1))^500 * poisson(rate=1/50, gaussian(sigma=2))^500", &["-1", "0", "1", "4"]),
    ("randomized-response(epsilon=1/2)^6 * poisson(rate=1/50, gaussian(sigma=1))^400", &["0", "2", "5"]),
    ("discrete-gaussian(sigma2=16)^8 * poisson(rate=1/50, gaussian(sigma=1))^400", &["-1", "0", "2", "6"]),
    ("gaussian(sigma=10) * poisson(rate=1/2, gaussian(sigma=5))^10", &["-1/2", "0", "1/2", "2"]),
    ("approx-dp(epsilon=0, delta=1/1000000) * poisson(rate=1/100, gaussian(sigma=1))^1000", &["0", "2", "8"]),
];

/// Losses on a common lattice.
const LATTICE: [(&str, &[&str]); 14] = [
    ("discrete-gaussian(sigma2=4)^3 * discrete-gaussian(sigma2=6)^2", &["-1", "0", "1", "3", "9", "20"]),
    (
        "discrete-gaussian(sigma2=2) * discrete-gaussian(sigma2=3)^2 * discrete-gaussian(sigma2=5)^3",
        &["0", "1", "4", "12"],
    ),
    (
        "discrete-gaussian(sigma2=10, sensitivity=2)^2 * discrete-gaussian(sigma2=15, sensitivity=3)^3",
        &["0", "1", "3", "10"],
    ),
    ("discrete-gaussian(sigma2=8)^10 * randomized-response(epsilon=1/4)^10", &["-1", "0", "1", "4", "12"]),
    ("discrete-gaussian(sigma2=2)^3 * approx-dp(epsilon=1/2, delta=1/1000)^5", &["0", "1", "4", "10"]),
    (
        "staircase(epsilon=1/2, gamma=1/3)^3 * geometric(epsilon=1/4, sensitivity=2)^4 * discrete-gaussian(sigma2=4)^2",
        &["-1", "0", "1", "3", "5"],
    ),
    (
        "staircase(epsilon=ln(2), gamma=1/4, sensitivity=2)^4 * geometric(epsilon=ln(4), sensitivity=3)^2",
        &["-1", "0", "ln(8)", "2", "6"],
    ),
    ("geometric(epsilon=1/10, sensitivity=5)^20 * randomized-response(epsilon=1/5)^30", &["0", "1", "3", "8"]),
    ("discrete-gaussian(sigma2=1/2)^2 * geometric(epsilon=1, sensitivity=2)^2", &["0", "1", "4", "9", "30"]),
    (
        "discrete-gaussian(sigma2=100)^50 * discrete-gaussian(sigma2=80)^30 * discrete-gaussian(sigma2=40)^20",
        &["-1", "0", "2", "6", "15"],
    ),
    ("discrete-gaussian(sigma2=1000)^500 * discrete-gaussian(sigma2=600)^500", &["0", "1", "4", "10", "25"]),
    (
        "discrete-gaussian(sigma2=7/2)^4 * discrete-gaussian(sigma2=21/4)^4 * discrete-gaussian(sigma2=14/3)^4",
        &["0", "2", "8", "25"],
    ),
    ("discrete-gaussian(sigma2=1/3) * discrete-gaussian(sigma2=1/6)", &["0", "3", "9", "30"]),
    (
        "discrete-gaussian(sigma2=16)^8 * staircase(epsilon=1/8, gamma=1/2)^8 * approx-dp(epsilon=0, delta=1e-9)",
        &["0", "1", "3", "20"],
    ),
];

fn regime(mechanism: &str) -> Vec<Flag> {
    let mut flags = vec![Heterogeneous];
    if mechanism.contains("finite") || mechanism.contains("poisson") {
        flags.push(Asymmetric);
    }
    if mechanism.contains("^1000") || mechanism.contains("^500") {
        flags.push(ManyCompositions);
    }
    if mechanism.contains("sigma=1/4") || mechanism.contains("sigma2=1/3") {
        flags.push(SmallNoise);
    }
    if mechanism.contains("sigma=1000") {
        flags.push(LargeNoise);
    }
    flags
}

fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    CONTINUOUS.into_iter().chain(SAMPLED).chain(LATTICE)
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "mixture",
        QuantityName::Delta,
        "Mechanisms of different kinds together: delta at an epsilon",
        "Densities beside atoms, lattices beside each other, symmetric losses beside others: no single formula serves.",
    );
    for (mechanism, points) in all() {
        for at in points {
            suite.ask(&regime(mechanism), "different kinds of noise", mechanism, *at);
        }
        if regime(mechanism).contains(&Asymmetric) {
            for at in points.iter().take(3) {
                suite.ask_towards(
                    dpcert_vectors::Direction::Backward,
                    &regime(mechanism),
                    "the other direction",
                    mechanism,
                    *at,
                );
            }
        }
    }
    for (mechanism, at) in [
        ("gaussian(sigma=2) * laplace(scale=1)", "19/2"),
        ("gaussian(sigma=5)^10 * laplace(scale=4)^10", "20"),
        ("gaussian(sigma=1) * randomized-response(epsilon=1)^5", "30"),
        ("gaussian(sigma=5) * poisson(rate=1/100, gaussian(sigma=1))^1000", "20"),
        ("discrete-gaussian(sigma2=4)^3 * discrete-gaussian(sigma2=6)^2", "30"),
        ("discrete-gaussian(sigma2=8)^10 * randomized-response(epsilon=1/4)^10", "24"),
    ] {
        suite.ask(&[Heterogeneous, TinyDelta], "deep in the tail", mechanism, at);
    }
    for (mechanism, at) in [
        ("gaussian(sigma=2) * laplace(scale=1)", "25"),
        ("discrete-gaussian(sigma2=4)^3 * discrete-gaussian(sigma2=6)^2", "60"),
    ] {
        suite.ask(&[Heterogeneous, Underflow], "below the smallest double", mechanism, at);
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "mixture",
        QuantityName::Epsilon,
        "Mechanisms of different kinds together: epsilon for a delta",
        "The inverse of a profile that is known by its values alone.",
    );
    for (mechanism, _) in all() {
        for (delta, flag) in [("1/10", Ordinary), ("1e-5", Ordinary), ("1e-12", Ordinary), ("1e-40", TinyDelta)] {
            let failing = mechanism.contains("approx-dp");
            if !failing || delta == "1/10" {
                let mut flags = regime(mechanism);
                flags.push(flag);
                suite.ask(&flags, "different kinds of noise", mechanism, delta);
            }
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "mixture",
        QuantityName::Beta,
        "Mechanisms of different kinds together: the trade-off function",
        "Smooth arcs, edges and their mixtures; symmetric or not.",
    );
    for (mechanism, _) in all() {
        for (alpha, flag) in [("1e-6", SmallAlpha), ("1/10", Ordinary), ("1/2", Ordinary), ("19/20", Ordinary)] {
            let mut flags = regime(mechanism);
            flags.push(flag);
            suite.ask(&flags, "different kinds of noise", mechanism, alpha);
        }
    }
    for mechanism in [
        "gaussian(sigma=2) * laplace(scale=1)",
        "gaussian(sigma=1) * randomized-response(epsilon=1)^5",
        "discrete-gaussian(sigma2=8)^10 * randomized-response(epsilon=1/4)^10",
    ] {
        for (alpha, flag) in ALPHAS {
            suite.ask(&[Heterogeneous, flag.unwrap_or(Heterogeneous)], "a whole curve", mechanism, alpha);
        }
    }
    suite
}
