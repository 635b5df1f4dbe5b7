//! Noise on samples of a fixed size, run many times and beside others.

use super::Flag::{
    AtomsAndDensity, DeltaNearOne, ManyCompositions, Mixed, SmallAlpha, SmallNoise, SmallRate, Subsampled, TinyDelta,
};
use super::{Flag, Suite};
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Compositions, their regimes, and the epsilons at which delta is asked.
const COMPOSITIONS: [(&str, &[Flag], &[&str], &str); 14] = [
    (
        "subsample(rate=1/100, gaussian(sigma=1))^1000",
        &[ManyCompositions],
        &["0", "1/2", "1", "2", "4"],
        "a training run of ten epochs",
    ),
    (
        "subsample(rate=1/1000, gaussian(sigma=1))^100000",
        &[ManyCompositions, SmallRate],
        &["1/2", "1", "3"],
        "small batches, many steps",
    ),
    (
        "subsample(rate=1/1000, gaussian(sigma=1/2))^10000",
        &[ManyCompositions, SmallRate, SmallNoise],
        &["1", "4"],
        "little noise: few steps dominate",
    ),
    (
        "subsample(rate=1/10, gaussian(sigma=1))^200",
        &[],
        &["-1", "0", "1/2", "1", "3", "8"],
        "both directions at any epsilon",
    ),
    ("subsample(rate=1/2, gaussian(sigma=2))^100", &[], &["-2", "0", "1", "3", "6"], "half of the records"),
    (
        "subsample(rate=1/2, gaussian(sigma=4))^100",
        &[],
        &["0", "1", "5"],
        "much noise: nearly all mass at privacy loss 0",
    ),
    (
        "subsample(rate=1/5, gaussian(sigma=3))^10000",
        &[ManyCompositions, DeltaNearOne],
        &["1", "100"],
        "almost no privacy",
    ),
    (
        "subsample(rate=1/20, gaussian(sigma=2) * gaussian(sigma=3))^300",
        &[],
        &["1/10", "1"],
        "two noises on one sample combine into one",
    ),
    (
        "subsample(rate=1/5, laplace(scale=2))^1000",
        &[AtomsAndDensity],
        &["0", "1", "3"],
        "Laplace noise on the sample: three atoms and a density",
    ),
    (
        "subsample(rate=1/100, laplace(scale=1))^10000",
        &[AtomsAndDensity, ManyCompositions],
        &["1/2", "2"],
        "the same with small batches",
    ),
    (
        "subsample(rate=1/10, gaussian(sigma=1))^3 * gaussian(sigma=2)",
        &[Mixed],
        &["0", "1", "2"],
        "few subsampled steps and one release without sampling",
    ),
    (
        "subsample(rate=1/20, gaussian(sigma=1))^100 * poisson(rate=1/20, gaussian(sigma=1))^100",
        &[Mixed],
        &["1/2", "2"],
        "both kinds of subsampling",
    ),
    (
        "subsample(rate=1/10, gaussian(sigma=1))^200 * laplace(scale=3)^2 * randomized-response(epsilon=1/3)^3",
        &[Mixed, AtomsAndDensity],
        &["1", "2"],
        "with atoms",
    ),
    (
        "subsample(rate=1/30, gaussian(sigma=1))^200 * approx-dp(epsilon=1/10, delta=1/1000)^2",
        &[Mixed, AtomsAndDensity],
        &["1", "2"],
        "with a failure probability",
    ),
];

fn flags(mechanism: &'static [Flag]) -> Vec<Flag> {
    std::iter::once(Subsampled).chain(mechanism.iter().copied()).collect()
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "fixed-size",
        QuantityName::Delta,
        "Fixed-size subsampling, composed: delta at an epsilon",
        "The curve of one sample is the convex hull of both directions of a Poisson sample. Composing one direction, \
         or taking the larger of two composed directions, underestimates; an atom at privacy loss 0 is easily missed.",
    );
    for (mechanism, regimes, epsilons, why) in COMPOSITIONS {
        for epsilon in epsilons {
            suite.ask(&flags(regimes), why, mechanism, *epsilon);
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "fixed-size",
        QuantityName::Epsilon,
        "Fixed-size subsampling, composed: epsilon at a delta",
        "The usual query for training with sampling without replacement.",
    );
    for (place, (mechanism, regimes, ..)) in COMPOSITIONS.into_iter().enumerate() {
        if place == 6 {
            continue;
        }
        let mut flags = flags(regimes);
        suite.ask(&flags, "a usual delta", mechanism, if place == 13 { "1/400" } else { "1e-5" });
        if place < 6 {
            flags.push(TinyDelta);
            suite.ask(&flags, "far tail", mechanism, "1e-12");
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "fixed-size",
        QuantityName::Beta,
        "Fixed-size subsampling, composed: trade-off function",
        "The trade-off function is symmetric and has no kink, although each of its factors has a linear segment.",
    );
    for place in [0, 3, 4, 8, 11] {
        let Some((mechanism, regimes, ..)) = COMPOSITIONS.get(place) else { continue };
        for alpha in ["1/20", "2/5"] {
            suite.ask(&flags(regimes), "on a separate line or by the profile", *mechanism, alpha);
        }
    }
    suite.ask(
        &[Subsampled, ManyCompositions, SmallAlpha],
        "few false positives",
        "subsample(rate=1/100, gaussian(sigma=1))^1000",
        "1e-6",
    );
    suite
}
