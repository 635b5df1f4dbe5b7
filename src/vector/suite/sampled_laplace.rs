//! Samples of Laplace noise run some times, alone, beside randomised response and beside other Laplace noise.

use dpcert_vectors::Direction::{Backward, Forward};

use super::Flag::{
    self, Asymmetric, AtomsAndDensity, Heterogeneous, LargeNoise, Mixed, RateNearOne, SmallRate, Subsampled,
};
use super::Suite;
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta()]
}

/// Mechanisms, epsilons within the losses of both directions, and why.
const MECHANISMS: [(&str, [&str; 3], &[Flag], &str); 14] = [
    ("poisson(rate=1/10, laplace(scale=1))^4", ["0", "1/10", "1/4"], &[], "four runs: five knots"),
    (
        "poisson(rate=1/1000, laplace(scale=2))^6",
        ["0", "1/1000", "1/500"],
        &[SmallRate],
        "a small rate: all losses are within a hundredth, and the cells as narrow",
    ),
    (
        "poisson(rate=1/2, laplace(scale=20))^8",
        ["0", "1/10", "19/100"],
        &[LargeNoise],
        "much noise: half of the mass of a run is in its atoms",
    ),
    (
        "poisson(rate=9/10, laplace(scale=5))^5",
        ["0", "1/2", "4/5"],
        &[],
        "sampling rate near 1: close to plain Laplace noise",
    ),
    (
        "poisson(rate=1/100, laplace(scale=4/5))^3",
        ["0", "1/100", "1/50"],
        &[],
        "little noise on few records: one run makes up nearly all of the loss",
    ),
    (
        "poisson(rate=1/10, laplace(scale=1))^3 * randomized-response(epsilon=ln(2))^2",
        ["0", "ln(2)", "3/2"],
        &[Mixed],
        "with three additional privacy losses",
    ),
    (
        "poisson(rate=1/50, laplace(scale=3))^5 * randomized-response(epsilon=1/5)^4",
        ["0", "1/2", "4/5"],
        &[Mixed],
        "with widely spaced privacy losses, mostly larger than the noise",
    ),
    (
        "poisson(rate=1/10, laplace(scale=1))^3 * laplace(scale=7)",
        ["0", "1/10", "3/10"],
        &[Heterogeneous],
        "one query without sampling and with much noise, and subsampled steps",
    ),
    (
        "poisson(rate=1/20, laplace(scale=2))^4 * laplace(scale=5)^2",
        ["0", "1/5", "9/20"],
        &[Heterogeneous],
        "two scales, some records sampled and some not",
    ),
    (
        "poisson(rate=1/100, laplace(scale=3))^3 * poisson(rate=1/5, laplace(scale=4/5))^2",
        ["0", "1/10", "3/10"],
        &[Heterogeneous],
        "two scales and two rates: cells of one are much wider than of the other",
    ),
    (
        "poisson(rate=1/10, laplace(scale=1))^2 * poisson(rate=1/3, laplace(scale=1))^2",
        ["0", "1/5", "1/2"],
        &[Heterogeneous],
        "one scale and two rates: no cell of the one is a cell of the other",
    ),
    (
        "poisson(rate=1/4, laplace(scale=3/2))^2 * laplace(scale=4) * randomized-response(epsilon=ln(3/2))^2",
        ["0", "1/2", "1"],
        &[Heterogeneous, Mixed],
        "samples, noise and responses together",
    ),
    (
        "poisson(rate=1/3, laplace(scale=2))^2 * laplace(scale=2)^2",
        ["0", "1/2", "1"],
        &[Heterogeneous],
        "the same noise, on samples and on all records",
    ),
    (
        "poisson(rate=999/1000, laplace(scale=4))^3 * poisson(rate=1/1000, laplace(scale=1))^2",
        ["0", "1/5", "7/10"],
        &[Heterogeneous, RateNearOne, SmallRate],
        "sampling rates near 1 and near 0",
    ),
];

fn flags(more: &[Flag]) -> Vec<Flag> {
    [Asymmetric, Subsampled, AtomsAndDensity].into_iter().chain(more.iter().copied()).collect()
}

fn both(suite: &mut Suite, flags: &[Flag], why: &str, mechanism: &str, at: &str) {
    suite.ask_towards(Forward, flags, format!("removing a record: {why}"), mechanism, at);
    suite.ask_towards(Backward, flags, format!("adding a record: {why}"), mechanism, at);
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "sampled-laplace",
        QuantityName::Delta,
        "Poisson subsampling of Laplace noise, composed: delta at an epsilon",
        "Atoms at the knots and a density between them, which a grid cannot separate.",
    );
    for (mechanism, points, more, why) in MECHANISMS {
        for at in points {
            both(&mut suite, &flags(more), why, mechanism, at);
        }
    }
    suite
}
