//! Calibrations: the smallest noise, largest rate or largest epsilon that meets a target.

use dpcert_vectors::Direction::{Backward, Forward};

use super::Flag::{
    self, Asymmetric, Edge, Heterogeneous, HugeEpsilon, LargeNoise, ManyCompositions, Mixed, Ordinary, SmallAlpha,
    SmallNoise, Subsampled, TinyDelta, TinyEpsilon,
};
use super::Suite;
use crate::query::QuantityName;

/// The suite.
pub fn suites() -> Vec<Suite> {
    let mut suite = Suite::new(
        "calibration",
        QuantityName::Calibrate,
        "Calibration: threshold of the parameter marked `?` that meets a target",
        "Bisection in doubles ends on the wrong side of the threshold about half the time. The answer is the \
         threshold of the parameters that meet the target: a delta at an epsilon, or a type II error at a type I \
         error.",
    );
    for (flags, why, mechanism, promises) in PROFILES {
        for promise in promises {
            suite.ask(flags, why, mechanism, *promise);
        }
    }
    for (flags, why, mechanism, promise) in ONE_WAY {
        for direction in [Forward, Backward] {
            suite.ask_towards(direction, flags, why, mechanism, promise);
        }
    }
    for (flags, why, mechanism, promises) in TESTS {
        for promise in promises {
            suite.ask(flags, why, mechanism, *promise);
        }
    }
    for (flags, why, mechanism, promises) in BOTH_WAYS {
        for promise in promises {
            suite.ask(flags, why, mechanism, *promise);
        }
    }
    for (flags, why, mechanism, promises) in WEIGHTS {
        for promise in promises {
            suite.ask(flags, why, mechanism, *promise);
        }
    }
    for direction in [Forward, Backward] {
        let (flags, why, mechanism, promise) = WEIGHTS_ONE_WAY;
        suite.ask_towards(direction, flags, why, mechanism, promise);
    }
    vec![suite]
}

type Row = (&'static [Flag], &'static str, &'static str, &'static [&'static str]);

/// A delta at an epsilon.
const PROFILES: [Row; 27] = [
    (
        &[Ordinary],
        "the analytic Gaussian mechanism",
        "gaussian(sigma=?)",
        &[
            "epsilon=1, delta=1e-5",
            "epsilon=1/10, delta=1e-6",
            "epsilon=3, delta=1/100",
            "epsilon=0, delta=1/10",
            "epsilon=1, delta=1/1024",
        ],
    ),
    (
        &[TinyDelta],
        "deltas that vanish next to 1 in double precision",
        "gaussian(sigma=?)",
        &["epsilon=1, delta=1e-20", "epsilon=1/2, delta=1e-100", "epsilon=1/2, delta=f64:0x1p-60"],
    ),
    (&[HugeEpsilon, SmallNoise], "very little noise", "gaussian(sigma=?)", &["epsilon=200, delta=1e-9"]),
    (
        &[TinyEpsilon, LargeNoise],
        "noise scales in the thousands",
        "gaussian(sigma=?)",
        &["epsilon=1/10000, delta=1e-6"],
    ),
    (&[Ordinary], "ten releases", "gaussian(sigma=?)^10", &["epsilon=1, delta=1e-5", "epsilon=2, delta=1e-9"]),
    (&[ManyCompositions], "a million releases", "gaussian(sigma=?)^1000000", &["epsilon=1, delta=1e-6"]),
    (&[Ordinary], "the largest shift", "gaussian(sigma=2, sensitivity=?)", &["epsilon=1, delta=1e-5"]),
    (
        &[Heterogeneous],
        "remaining budget next to another release",
        "gaussian(sigma=20)^3 * gaussian(sigma=?)",
        &["epsilon=1, delta=1e-5", "epsilon=2, delta=1e-7"],
    ),
    (&[Ordinary], "the mu of a guarantee", "gdp(mu=?)^3", &["epsilon=1, delta=1e-5", "epsilon=1/2, delta=1/100"]),
    (
        &[Ordinary],
        "one release",
        "laplace(scale=?)",
        &["epsilon=1, delta=1/100", "epsilon=1/3, delta=1e-8", "epsilon=1, delta=1/1024"],
    ),
    (&[Edge], "pure DP: scale 1/epsilon", "laplace(scale=?)", &["epsilon=1, delta=0", "epsilon=1/3, delta=0"]),
    (
        &[Ordinary],
        "releases with a small failure probability",
        "laplace(scale=?)^5",
        &["epsilon=1, delta=1/1000", "epsilon=1, delta=1e-9", "epsilon=4, delta=1/20"],
    ),
    (&[Ordinary], "a sensitivity and a scale", "laplace(scale=4, sensitivity=?)^3", &["epsilon=1, delta=1e-4"]),
    (
        &[Heterogeneous],
        "two incommensurable scales",
        "laplace(scale=7)^2 * laplace(scale=?)^2",
        &["epsilon=1, delta=1e-4", "epsilon=2/3, delta=1e-6"],
    ),
    (
        &[Ordinary],
        "the optimal composition, solved for epsilon",
        "randomized-response(epsilon=?)^10",
        &["epsilon=1, delta=1e-3", "epsilon=1, delta=1e-6", "epsilon=5, delta=1e-9", "epsilon=2, delta=1/1048576"],
    ),
    (&[Edge], "pure DP of a composition, split equally", "randomized-response(epsilon=?)^8", &["epsilon=2, delta=0"]),
    (
        &[ManyCompositions],
        "1000 randomised responses",
        "randomized-response(epsilon=?)^1000",
        &["epsilon=1, delta=1e-6"],
    ),
    (
        &[Ordinary],
        "the largest failure probability of each",
        "approx-dp(epsilon=1/10, delta=?)^8",
        &["epsilon=1, delta=1/1000", "epsilon=1/2, delta=1/100"],
    ),
    (
        &[Ordinary],
        "the largest epsilon of each",
        "approx-dp(epsilon=?, delta=1e-8)^20",
        &["epsilon=1, delta=1e-6", "epsilon=3, delta=1e-5"],
    ),
    (
        &[Heterogeneous],
        "one more mechanism",
        "approx-dp(epsilon=1/8, delta=1e-7)^6 * approx-dp(epsilon=?, delta=1e-7)",
        &["epsilon=1, delta=1e-5"],
    ),
    (&[Ordinary], "integer noise", "geometric(epsilon=?)^4", &["epsilon=1, delta=1/1000", "epsilon=1, delta=0"]),
    (
        &[Ordinary],
        "randomised response with five categories",
        "k-randomized-response(epsilon=?, categories=5)^4",
        &["epsilon=2, delta=1e-4"],
    ),
    (
        &[Subsampled],
        "the largest batch",
        "poisson(rate=?, gaussian(sigma=1))",
        &["epsilon=1, delta=1/1000", "epsilon=1/10, delta=1e-3"],
    ),
    (
        &[Subsampled],
        "the noise of one step",
        "poisson(rate=1/100, gaussian(sigma=?))",
        &["epsilon=1, delta=1e-5", "epsilon=1/2, delta=1e-9"],
    ),
    (
        &[Subsampled],
        "the noise of a training run",
        "poisson(rate=1/100, gaussian(sigma=?))^100",
        &["epsilon=1, delta=1e-5", "epsilon=3, delta=1e-6", "epsilon=2, delta=1/1048576"],
    ),
    (
        &[Subsampled],
        "the largest batch of a training run",
        "poisson(rate=?, gaussian(sigma=2))^50",
        &["epsilon=1, delta=1e-5"],
    ),
    (
        &[Mixed],
        "two kinds of noise",
        "gaussian(sigma=3) * laplace(scale=?)",
        &["epsilon=1, delta=1/1000", "epsilon=2, delta=1e-6"],
    ),
];

/// A delta at an epsilon, of one of the two orders of the data sets.
const ONE_WAY: [(&[Flag], &str, &str, &str); 7] = [
    (
        &[Subsampled, Asymmetric],
        "one direction only",
        "poisson(rate=1/10, gaussian(sigma=?))",
        "epsilon=1/20, delta=1e-4",
    ),
    (&[Subsampled, Asymmetric], "one direction only", "poisson(rate=?, laplace(scale=1))", "epsilon=1/4, delta=1e-4"),
    (
        &[Subsampled, Asymmetric],
        "one direction only",
        "poisson(rate=1/20, laplace(scale=?))",
        "epsilon=1/40, delta=1e-6",
    ),
    (
        &[Subsampled, Asymmetric],
        "finitely many privacy losses, not on a lattice",
        "poisson(rate=1/4, randomized-response(epsilon=?))^6",
        "epsilon=1/2, delta=1e-3",
    ),
    (
        &[Subsampled, Asymmetric],
        "the largest sampling rate of a finite mechanism",
        "poisson(rate=?, randomized-response(epsilon=1))^10",
        "epsilon=1/2, delta=1e-4",
    ),
    (
        &[Subsampled, Asymmetric],
        "a test of one subsampled step",
        "poisson(rate=1/10, gaussian(sigma=?))",
        "alpha=1/20, beta=189/200",
    ),
    (
        &[Subsampled, Asymmetric],
        "the largest sampling rate that meets a bound on tests",
        "poisson(rate=?, gaussian(sigma=1/2))",
        "alpha=1/20, beta=9/10",
    ),
];

/// A type II error at a type I error.
const TESTS: [Row; 10] = [
    (&[Ordinary], "a test with bounded power", "gaussian(sigma=?)", &["alpha=1/20, beta=9/10", "alpha=1/4, beta=1/2"]),
    (&[SmallAlpha], "attacks at a small false positive rate", "gaussian(sigma=?)^4", &["alpha=1e-5, beta=0.999"]),
    (&[Ordinary], "the same for Laplace noise", "laplace(scale=?)", &["alpha=1/20, beta=9/10", "alpha=1/4, beta=1/3"]),
    (&[Ordinary], "ten releases", "laplace(scale=?)^10", &["alpha=1/20, beta=9/10"]),
    (&[SmallAlpha], "ten releases", "laplace(scale=?)^10", &["alpha=1e-6, beta=0.9999"]),
    (
        &[Ordinary],
        "a test of ten randomised responses",
        "randomized-response(epsilon=?)^10",
        &["alpha=1/20, beta=4/5", "alpha=1/100, beta=19/20"],
    ),
    (&[Ordinary], "with failure probabilities", "approx-dp(epsilon=1/4, delta=?)^4", &["alpha=1/20, beta=4/5"]),
    (&[Ordinary], "the mu of a guarantee", "gdp(mu=?)", &["alpha=1/2, beta=1/4", "alpha=1/100, beta=49/50"]),
    (&[Ordinary], "integer noise", "geometric(epsilon=?)^3", &["alpha=1/10, beta=7/10"]),
    (
        &[Heterogeneous],
        "remaining budget next to another release",
        "laplace(scale=5) * laplace(scale=?)",
        &["alpha=1/20, beta=4/5"],
    ),
];

/// A non-monotone parameter: the smallest value from which all larger ones meet the target.
const BOTH_WAYS: [Row; 4] = [
    (
        &[Ordinary],
        "the smallest discrete Gaussian variance from which all larger ones meet the target",
        "discrete-gaussian(sigma2=?)",
        &["epsilon=1, delta=1e-5", "epsilon=1/2, delta=1e-6", "alpha=1/20, beta=9/10"],
    ),
    (
        &[Edge, SmallNoise],
        "a smaller variance also meets the target, and some larger ones do not",
        "discrete-gaussian(sigma2=?)",
        &["epsilon=20, delta=1e-4", "epsilon=20, delta=1e-8", "epsilon=8, delta=1e-10"],
    ),
    (&[Ordinary], "ten discrete Gaussian releases", "discrete-gaussian(sigma2=?)^10", &["epsilon=1, delta=1e-5"]),
    (
        &[ManyCompositions],
        "1000 discrete Gaussian releases",
        "discrete-gaussian(sigma2=?, sensitivity=3)^1000",
        &["epsilon=1, delta=1e-6"],
    ),
];

/// The weight of a part of a mixture, of which another part has what the others leave.
const WEIGHTS: [Row; 6] = [
    (
        &[Ordinary],
        "the largest weight of the smaller noise: linear in the weight",
        "mixture(?: gaussian(sigma=1), rest: gaussian(sigma=2))",
        &["epsilon=1, delta=1/20", "epsilon=1/2, delta=1/10"],
    ),
    (
        &[Ordinary],
        "the largest weight of the smaller noise: linear in the weight",
        "mixture(?: laplace(scale=1), rest: laplace(scale=4))",
        &["epsilon=1/5, delta=1/8"],
    ),
    (
        &[Mixed],
        "the smallest weight of the larger noise, next to a fixed part",
        "mixture(1/3: gdp(mu=1), ?: laplace(scale=3), rest: laplace(scale=1))",
        &["epsilon=1/2, delta=1/7"],
    ),
    (
        &[Mixed],
        "incomparable parts, one with larger delta at this epsilon",
        "mixture(?: gaussian(sigma=1), rest: laplace(scale=1))",
        &["epsilon=1/2, delta=23/100"],
    ),
    (
        &[Ordinary],
        "drawn three times",
        "mixture(?: randomized-response(epsilon=2), rest: randomized-response(epsilon=1/2))^3",
        &["epsilon=1, delta=1/4", "alpha=1/10, beta=1/4"],
    ),
    (
        &[Heterogeneous],
        "drawn twice, next to a fixed failure probability",
        "mixture(1/4: approx-dp(epsilon=1, delta=1/100), ?: randomized-response(epsilon=1/2), rest: \
         randomized-response(epsilon=3))^2",
        &["epsilon=1, delta=1/5"],
    ),
];

/// The same, of one of the two orders of the data sets.
const WEIGHTS_ONE_WAY: (&[Flag], &str, &str, &str) = (
    &[Asymmetric],
    "parts ordered by their trade-off functions, in both arrangements",
    "mixture(?: finite(p=[1/2,1/2], q=[1/5,4/5]), rest: finite(p=[1/2,1/2], q=[1/3,2/3]))^3",
    "epsilon=1/3, delta=1/4",
);
