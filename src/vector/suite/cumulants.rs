//! Cumulants of the privacy loss: what Edgeworth expansions are made of.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{
    Asymmetric, Cancellation, Edge, Heterogeneous, HugeEpsilon, Infinite, LargeNoise, ManyCompositions, Ordinary,
    SmallNoise, SmallRate, Subsampled, TinyEpsilon,
};
use super::{Flag, Suite};

/// The orders that an expansion of order 3 takes.
const ORDERS: [&str; 5] = ["1", "2", "3", "4", "5"];

/// Compositions whose two directions agree.
const SYMMETRIC: [(&str, &[Flag], &str); 15] = [
    ("randomized-response(epsilon=1)", &[Ordinary], "two losses"),
    ("randomized-response(epsilon=ln(3))^100", &[Ordinary], "cumulants add up"),
    ("randomized-response(epsilon=1e-6)", &[TinyEpsilon, Cancellation], "a tiny epsilon: raw moments cancel"),
    ("randomized-response(epsilon=30)", &[HugeEpsilon], "a large epsilon: almost all mass on one privacy loss"),
    ("geometric(epsilon=ln(2), sensitivity=3)", &[Ordinary], "geometric noise"),
    ("k-randomized-response(epsilon=ln(3), categories=4)", &[Ordinary], "three losses, one of them 0"),
    ("laplace(scale=1)", &[Ordinary], "Laplace noise"),
    ("laplace(scale=1/20)", &[SmallNoise], "little noise"),
    ("laplace(scale=1000)^30", &[LargeNoise, Cancellation], "much noise: raw moments cancel"),
    ("gaussian(sigma=2)^9", &[Ordinary], "a normal privacy loss has no cumulants beyond the second"),
    (
        "laplace(scale=5)^30 * gaussian(sigma=10)",
        &[Heterogeneous],
        "the Gaussian contributes to the first two cumulants only",
    ),
    (
        "randomized-response(epsilon=1/10)^1000 * laplace(scale=20)^1000",
        &[Heterogeneous, ManyCompositions],
        "different mechanisms",
    ),
    ("subsample(rate=1/2, randomized-response(epsilon=ln(3)))", &[Subsampled], "a sample of a fixed size"),
    ("approx-dp(epsilon=1, delta=1/1000)", &[Infinite, Edge], "a failure probability gives infinite privacy loss"),
    ("gdp(mu=0)", &[Edge], "no privacy loss"),
];

/// And others.
const ASYMMETRIC: [(&str, &[Flag], &str); 4] = [
    ("finite(p=[1/2,3/8,1/8], q=[1/3,1/3,1/3])^10", &[Asymmetric], "a finite pair"),
    ("finite(p=[99/100,1/100], q=[2/5,3/5])", &[Asymmetric], "a rare loss far from the others"),
    (
        "poisson(rate=1/100, randomized-response(epsilon=ln(3)))^1000",
        &[Asymmetric, Subsampled, SmallRate, ManyCompositions],
        "a sample",
    ),
    ("poisson(rate=1/10, geometric(epsilon=ln(2), sensitivity=2))", &[Asymmetric, Subsampled], "a sample"),
];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let mut suite = Suite::new(
        "functionals",
        QuantityName::Cumulant,
        "Functionals of trade-off functions: cumulants of the privacy loss",
        "Cumulants are additive over compositions. From the third order on they are small differences of large raw \
         moments.",
    );
    for order in ORDERS {
        for (mechanism, flags, comment) in SYMMETRIC {
            suite.ask(flags, comment, mechanism, order);
        }
        for (mechanism, flags, comment) in ASYMMETRIC {
            for direction in [Forward, Backward] {
                suite.ask_towards(direction, flags, comment, mechanism, order);
            }
        }
    }
    vec![suite]
}
