//! Two samples of Gaussian noise.

use dpcert_vectors::Direction::{Backward, Forward};

use super::Flag::{Asymmetric, SmallNoise, SmallRate, Subsampled, TinyDelta, TinyRate};
use super::Suite;
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon()]
}

/// Two samples, and the epsilons at which they are asked.
const PAIRS: [(&str, &[&str], &str); 6] = [
    (
        "poisson(rate=1/2, gaussian(sigma=1))^2",
        &["0", "1/2", "1", "2", "3", "4", "6", "8", "9", "12"],
        "overlapping clusters with and without the record",
    ),
    (
        "poisson(rate=1/10, gaussian(sigma=1/2))^2",
        &["1", "2", "3", "5", "7", "10", "15", "20"],
        "the record in one or both samples: the distribution has a shoulder",
    ),
    (
        "poisson(rate=1/2, gaussian(sigma=1/5))^2",
        &["5", "8", "10", "12"],
        "three separated clusters of privacy losses; the second is nearest",
    ),
    ("poisson(rate=9/10, gaussian(sigma=1/3))^2", &["5", "7", "10"], "the record is nearly always sampled"),
    (
        "poisson(rate=1/4, gaussian(sigma=1/4))^2",
        &["5", "8", "10", "15", "20"],
        "between two clusters, and in the second",
    ),
    ("poisson(rate=1e-6, gaussian(sigma=3/10))^2", &["3"], "a rate of 1e-6: almost no mass is above"),
];

fn delta() -> Suite {
    let mut suite = Suite::new(
        "two-samples",
        QuantityName::Delta,
        "Two steps of the Poisson-subsampled Gaussian: delta at an epsilon",
        "With little noise, the contour integrand decays slowly because the privacy losses cluster, and grids miss \
         the edges of the clusters. The exact value is an integral along the boundary of the optimal test.",
    );
    for (mechanism, epsilons, why) in PAIRS {
        for epsilon in epsilons {
            let mut flags = vec![Subsampled, SmallNoise];
            if mechanism.contains("1e-6") {
                flags.extend([TinyRate, SmallRate, TinyDelta]);
            }
            suite.ask_towards(Forward, &flags, format!("removing a record: {why}"), mechanism, *epsilon);
        }
    }
    suite.ask_towards(
        Backward,
        &[Subsampled, Asymmetric],
        "adding a record, below the largest loss ln(4)",
        "poisson(rate=1/2, gaussian(sigma=1))^2",
        "1/2",
    );
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "two-samples",
        QuantityName::Epsilon,
        "Two steps of the Poisson-subsampled Gaussian: epsilon at a delta",
        "Large epsilons with little noise, where one or both samples contain the record.",
    );
    for delta in ["1e-3", "1e-4", "1e-5", "1e-6", "1e-8"] {
        let flags: &[super::Flag] = if delta == "1e-8" { &[Subsampled, TinyDelta] } else { &[Subsampled, SmallNoise] };
        suite.ask_towards(
            Forward,
            flags,
            "removing a record: the record in one or both samples",
            "poisson(rate=1/10, gaussian(sigma=1/2))^2",
            delta,
        );
    }
    suite
}
