//! Calibrations of integers: the largest number of runs, sensitivity or group, or the smallest number of categories,
//! that meets a target.

use super::Flag::{self, Edge, HugeEpsilon, LargeNoise, ManyCompositions, Mixed, Ordinary, Subsampled, TinyDelta};
use super::Suite;
use crate::query::QuantityName;

/// The suite.
pub fn suites() -> Vec<Suite> {
    let mut suite = Suite::new(
        "counts",
        QuantityName::Calibrate,
        "Calibration of integers: last value of the parameter marked `?` that meets a target",
        "Off-by-one errors from rounding the solution of an inequality or closing the wrong side of a bisection. The \
         answer meets the target and its neighbour does not.",
    );
    for (flags, why, mechanism, promises) in ROWS {
        for promise in promises {
            suite.ask(flags, why, mechanism, *promise);
        }
    }
    vec![suite]
}

type Row = (&'static [Flag], &'static str, &'static str, &'static [&'static str]);

const ROWS: [Row; 20] = [
    (
        &[Ordinary],
        "how many releases",
        "gaussian(sigma=20)^?",
        &["epsilon=1, delta=1e-5", "epsilon=1/2, delta=1e-6", "alpha=1/20, beta=1/2"],
    ),
    (&[ManyCompositions], "a million releases, about", "gaussian(sigma=5000)^?", &["epsilon=1, delta=1e-6"]),
    (
        &[Ordinary],
        "how many responses",
        "randomized-response(epsilon=ln(11/10))^?",
        &["epsilon=1, delta=1e-5", "epsilon=2, delta=1/1000"],
    ),
    (
        &[Ordinary],
        "how many mechanisms with a failure probability",
        "approx-dp(epsilon=ln(21/20), delta=1e-8)^?",
        &["epsilon=1, delta=1e-5"],
    ),
    (&[Ordinary], "how many queries", "laplace(scale=20)^?", &["epsilon=1, delta=1e-5"]),
    (&[Ordinary], "how many counts", "discrete-gaussian(sigma2=200)^?", &["epsilon=1, delta=1e-6"]),
    (
        &[Subsampled],
        "how many steps of training",
        "poisson(rate=1/100, gaussian(sigma=1))^?",
        &["epsilon=1, delta=1e-4"],
    ),
    (
        &[Mixed],
        "how many releases remain next to another one",
        "laplace(scale=4) * gaussian(sigma=20)^?",
        &["epsilon=1, delta=1e-5"],
    ),
    (
        &[Ordinary],
        "the largest sensitivity of one release",
        "discrete-gaussian(sigma2=100, sensitivity=?)",
        &["epsilon=1, delta=1e-5", "epsilon=2, delta=1/100", "alpha=1/20, beta=1/2"],
    ),
    (
        &[TinyDelta],
        "a delta far below double precision next to 1",
        "discrete-gaussian(sigma2=500, sensitivity=?)",
        &["epsilon=1, delta=1e-25"],
    ),
    (
        &[Ordinary],
        "the largest sensitivity of four releases",
        "discrete-gaussian(sigma2=1000, sensitivity=?)^4",
        &["epsilon=1, delta=1e-5"],
    ),
    (
        &[Ordinary],
        "geometric noise",
        "geometric(epsilon=ln(21/20), sensitivity=?)",
        &["epsilon=1, delta=1/1000", "epsilon=1/2, delta=1/10", "alpha=1/10, beta=1/2"],
    ),
    (&[Ordinary], "three releases", "geometric(epsilon=ln(51/50), sensitivity=?)^3", &["epsilon=1, delta=1/100"]),
    (
        &[Ordinary],
        "staircase noise of two releases",
        "staircase(epsilon=ln(11/10), gamma=1/3, sensitivity=?)^2",
        &["epsilon=1, delta=1/100"],
    ),
    (
        &[Ordinary],
        "the fewest answers",
        "k-randomized-response(epsilon=ln(20), categories=?)",
        &["epsilon=1, delta=1/100", "epsilon=2, delta=1e-4"],
    ),
    (
        &[LargeNoise],
        "the largest group of a Gaussian guarantee",
        "group(k=?, gdp(mu=1/20))",
        &["epsilon=1, delta=1e-5", "alpha=1/20, beta=1/2"],
    ),
    (&[Edge], "the largest group of Laplace noise", "group(k=?, laplace(scale=20))", &["epsilon=1, delta=1/100"]),
    (
        &[Ordinary],
        "the largest group of a randomised response",
        "group(k=?, randomized-response(epsilon=ln(11/10)))",
        &["epsilon=1, delta=1/20"],
    ),
    (&[HugeEpsilon], "a large epsilon", "discrete-gaussian(sigma2=10, sensitivity=?)", &["epsilon=50, delta=1e-9"]),
    (
        &[Mixed, ManyCompositions],
        "remaining budget next to 1000 releases",
        "gaussian(sigma=100)^1000 * discrete-gaussian(sigma2=400, sensitivity=?)",
        &["epsilon=2, delta=1e-4"],
    ),
];
