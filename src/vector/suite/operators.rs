//! Operators on trade-off functions: groups, samples of fixed size, both orders, mixtures, and curves by their points.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{
    self, Asymmetric, Edge, ExactRational, Heterogeneous, Infinite, Mixed, Ordinary, Subsampled, TinyDelta,
};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// In fractions: polygons.
const POLYGONS: [(&str, &str); 30] = [
    ("group(k=2, randomized-response(epsilon=ln(3)))", "a group of two of randomised response: three losses, not two"),
    ("group(k=4, randomized-response(epsilon=ln(3/2)))", "more private than randomised response of four epsilons"),
    ("group(k=3, randomized-response(epsilon=ln(3/2))^2)", "groups and compositions do not commute"),
    ("group(k=3, randomized-response(epsilon=ln(3/2)))^2", "the same in the other arrangement"),
    ("group(k=2, approx-dp(epsilon=ln(2), delta=1/20))", "delta grows to more than twice as much"),
    ("group(k=5, approx-dp(epsilon=0, delta=1/10))", "only failures: 1 - (1-f)^(o k) is min(1, 5 delta) on the left"),
    ("group(k=3, finite(p=[1/2,1/3,1/6], q=[1/6,1/3,1/2]))", "a group of a pair with three outcomes"),
    (
        "group(k=3, finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3]))",
        "a group of an asymmetric pair, with links in both directions",
    ),
    ("group(k=2, group(k=2, geometric(epsilon=ln(2), sensitivity=2)))", "a group of a group is one of four"),
    ("subsample(rate=1/10, randomized-response(epsilon=ln(3)))", "the smallest sample of fixed size"),
    ("subsample(rate=1/10, randomized-response(epsilon=ln(3/2))^2)^3", "a composition in each of three samples"),
    ("subsample(rate=1/5, approx-dp(epsilon=ln(20), delta=1/10))", "with the factor 1 - delta omitted in print"),
    ("subsample(rate=1/100, geometric(epsilon=ln(3), sensitivity=2))^4", "a small sampling rate, four times"),
    ("subsample(rate=999/1000, randomized-response(epsilon=ln(2)))^2", "a sampling rate near 1"),
    ("subsample(rate=1/3, subsample(rate=1/2, randomized-response(epsilon=ln(5))))", "nested subsampling"),
    ("hull(finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3]))", "the less private of both directions, which is convex"),
    ("hull(poisson(rate=1/4, randomized-response(epsilon=ln(5))))", "the sample of fixed size, from Poisson sampling"),
    ("hull(finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4]))^2", "mass at infinity on one side becomes mass on both"),
    ("symmetrize(finite(p=[1/2,1/2], q=[1/5,4/5]))", "both directions cross"),
    (
        "symmetrize(poisson(rate=1/4, randomized-response(epsilon=ln(5))))^3",
        "the more private of both directions, three times",
    ),
    ("inverse(finite(p=[1/2,1/4,1/4], q=[1/3,2/3,0]))^2", "mass at infinity changes sides"),
    ("inverse(poisson(rate=1/3, staircase(epsilon=ln(4), gamma=1/3)))", "the reverse direction of a sample"),
    (
        "mixture(1/3: randomized-response(epsilon=ln(2)), 2/3: randomized-response(epsilon=ln(7)))",
        "one of two mechanisms, with the choice published",
    ),
    ("mixture(1/2: approx-dp(epsilon=0, delta=1/4), 1/2: randomized-response(epsilon=ln(3)))", "one part only fails"),
    ("mixture(9/10: finite(p=[1/2,1/2], q=[1/3,2/3]), 1/10: geometric(epsilon=ln(2), sensitivity=3))^2", "drawn twice"),
    ("trade-off(alpha=[0,1/4,1], beta=[1,1/4,0])^3", "a piecewise-linear function by its points, three times"),
    (
        "trade-off(alpha=[0,1/10,1/2,1], beta=[9/10,3/5,1/8,0])",
        "an asymmetric piecewise-linear function that begins below 1",
    ),
    (
        "profile(epsilon=[0,ln(2)], delta=[1/3,1/20])",
        "two guarantees at once: the larger of two piecewise-linear functions",
    ),
    ("profile(epsilon=[0,ln(3/2),ln(3)], delta=[1/4,1/10,1/100])^2", "three guarantees, composed twice"),
    (
        "group(k=2, subsample(rate=1/2, randomized-response(epsilon=ln(3)))) * symmetrize(finite(p=[1/2,1/2], \
         q=[1/4,3/4]))",
        "a composition of operators",
    ),
];

/// Not in fractions: run once, through the curve inside. Those of which both orders are asked come with `true`.
const CURVES: [(&str, bool, &str); 20] = [
    ("subsample(rate=7/20, gdp(mu=9/5))", false, "three pieces: a sample, a line, the sample's inverse"),
    ("subsample(rate=1/100, gaussian(sigma=1)^3)", false, "three releases of one small sample"),
    ("subsample(rate=1e-6, gdp(mu=2))", false, "a tiny sampling rate"),
    ("subsample(rate=99/100, gdp(mu=1/2))", false, "nearly all: two kinks next to each other"),
    ("subsample(rate=1/4, laplace(scale=1))", false, "Laplace noise, whose curve has a linear segment in the middle"),
    ("subsample(rate=1/20, discrete-gaussian(sigma2=4))", false, "discrete noise: many short segments"),
    ("hull(poisson(rate=7/20, gdp(mu=9/5)))", false, "the same as a sample of fixed size"),
    ("hull(poisson(rate=1/50, laplace(scale=1/2)))", false, "little noise, small rate"),
    ("symmetrize(poisson(rate=1/3, gdp(mu=2)))", false, "the more private of both directions"),
    ("symmetrize(poisson(rate=1/50, laplace(scale=1)))", false, "nearly the diagonal"),
    ("inverse(poisson(rate=1/10, gdp(mu=1)))", true, "the reverse direction of a sample"),
    ("inverse(poisson(rate=9/10, laplace(scale=2)))", true, "a large rate"),
    ("mixture(1/3: gdp(mu=1), 2/3: gdp(mu=3))", false, "one of two noises, with the choice published: not Gaussian"),
    ("mixture(1/2: laplace(scale=1), 1/2: gaussian(sigma=1))", false, "two kinds of noise"),
    ("mixture(999/1000: gdp(mu=1/10), 1/1000: gdp(mu=6))", false, "rare large privacy loss dominates the tail"),
    ("group(k=3, gaussian(sigma=2))", false, "noise with three times the shift, by iteration"),
    ("group(k=5, gdp(mu=1/20))", false, "a group of five with small privacy loss each"),
    ("group(k=4, laplace(scale=3))", false, "a group of Laplace noise, by iteration"),
    ("group(k=2, gaussian(sigma=1)^2 * gdp(mu=1))", false, "a group, of a composition"),
    ("group(k=2, group(k=3, gdp(mu=1/4)))", false, "a group of a group"),
];

fn regime(mechanism: &str) -> Vec<Flag> {
    let mut flags = Vec::new();
    if mechanism.contains("subsample") || mechanism.contains("poisson") {
        flags.push(Subsampled);
    }
    if mechanism.starts_with("mixture") {
        flags.push(Heterogeneous);
    }
    if mechanism.contains(" * ") {
        flags.push(Mixed);
    }
    flags
}

fn with(mechanism: &str, flag: Flag) -> Vec<Flag> {
    let mut flags = regime(mechanism);
    flags.push(flag);
    flags
}

/// The polygons of which both orders are asked.
fn lopsided(mechanism: &str) -> bool {
    let finite = ["1/4,1/4]", "[1/2,1/2], q=[1/3", "9/10,3/5"].iter().any(|part| mechanism.contains(part));
    (finite || mechanism.contains("poisson")) && !mechanism.starts_with("hull") && !mechanism.starts_with("symm")
}

/// Of the larger one of both orders no second route has the profile.
fn has_profile(mechanism: &str) -> bool {
    !mechanism.starts_with("symmetrize")
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "operators",
        QuantityName::Delta,
        "Operators on trade-off functions: delta at an epsilon",
        "The result of an operator is a whole curve: formulas for single (epsilon, delta) pairs are not tight.",
    );
    for (mechanism, why) in POLYGONS {
        for at in ["0", "ln(6/5)", "ln(2)", "1", "ln(10)"] {
            let exact = at.starts_with("ln") || at == "0";
            suite.ask(&with(mechanism, if exact { ExactRational } else { Ordinary }), why, mechanism, at);
        }
        if lopsided(mechanism) {
            for direction in [Forward, Backward] {
                let why = format!("one direction: {why}");
                suite.ask_towards(direction, &with(mechanism, Asymmetric), why, mechanism, "ln(4/3)");
            }
        }
    }
    for (mechanism, asymmetric, why) in CURVES.into_iter().filter(|(mechanism, ..)| has_profile(mechanism)) {
        for at in ["-1/2", "0", "1/10", "1", "4"] {
            if asymmetric {
                for direction in [Forward, Backward] {
                    suite.ask_towards(direction, &with(mechanism, Asymmetric), why, mechanism, at);
                }
            } else {
                suite.ask(&with(mechanism, Ordinary), why, mechanism, at);
            }
        }
    }
    suite.ask(&[Edge, ExactRational], "a group of size 0", "group(k=0, gdp(mu=1))", "1");
    suite.ask(&[Edge, ExactRational], "sampling rate 0", "subsample(rate=0, gdp(mu=1))", "0");
    suite.ask(&[Edge], "sampling rate 1", "subsample(rate=1, gdp(mu=1))", "1");
    suite.ask(&[Edge], "a group of size 1", "group(k=1, laplace(scale=2))", "1/4");
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "operators",
        QuantityName::Epsilon,
        "Operators on trade-off functions: epsilon at a delta",
        "The largest slope of a line below the curve; for a piecewise-linear function it is attained at a vertex.",
    );
    for (mechanism, why) in POLYGONS {
        let failing =
            ["approx-dp", "2/3,0]", "1/2,0]", "9/10,3/5", "profile"].iter().any(|part| mechanism.contains(part));
        for (level, flag) in [("1/3", Ordinary), ("1/10", Ordinary), ("1e-3", Ordinary), ("1e-20", TinyDelta)] {
            let flag = if failing && level.contains('e') { Infinite } else { flag };
            suite.ask(&with(mechanism, flag), why, mechanism, level);
        }
        if lopsided(mechanism) {
            for direction in [Forward, Backward] {
                let why = format!("one direction: {why}");
                suite.ask_towards(direction, &with(mechanism, Asymmetric), why, mechanism, "1/30");
            }
        }
    }
    for (mechanism, asymmetric, why) in CURVES.into_iter().filter(|(mechanism, ..)| has_profile(mechanism)) {
        for level in ["1/20", "1e-5", "1e-12"] {
            if asymmetric {
                for direction in [Forward, Backward] {
                    suite.ask_towards(direction, &with(mechanism, Asymmetric), why, mechanism, level);
                }
            } else {
                suite.ask(&with(mechanism, Ordinary), why, mechanism, level);
            }
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "operators",
        QuantityName::Beta,
        "Operators on trade-off functions: trade-off function",
        "Iterates, inverses and convex hulls, at vertices and between them.",
    );
    for (mechanism, why) in POLYGONS {
        for (alpha, flag) in [("0", Edge), ("1/20", ExactRational), ("1/4", ExactRational), ("7/10", ExactRational)] {
            if lopsided(mechanism) {
                for direction in [Forward, Backward] {
                    let why = format!("one direction: {why}");
                    suite.ask_towards(direction, &with(mechanism, flag), why, mechanism, alpha);
                }
            } else {
                suite.ask(&with(mechanism, flag), why, mechanism, alpha);
            }
        }
    }
    for (mechanism, asymmetric, why) in CURVES {
        // Of what is drawn and told no second route has the trade-off function.
        if mechanism.starts_with("mixture") {
            continue;
        }
        for alpha in ["1e-6", "1/20", "2/5", "9/10"] {
            if asymmetric {
                for direction in [Forward, Backward] {
                    suite.ask_towards(direction, &with(mechanism, Asymmetric), why, mechanism, alpha);
                }
            } else {
                suite.ask(&with(mechanism, Ordinary), why, mechanism, alpha);
            }
        }
    }
    for (mechanism, why) in [
        ("group-one-way(k=2, poisson(rate=1/4, gdp(mu=2)))", "two links in the same direction"),
        ("group-one-way(k=3, poisson(rate=1/10, laplace(scale=1)))", "three links in the same direction"),
    ] {
        for alpha in ["1e-3", "1/10", "1/2", "9/10"] {
            suite.ask_towards(Backward, &with(mechanism, Asymmetric), why, mechanism, alpha);
        }
    }
    suite
}
