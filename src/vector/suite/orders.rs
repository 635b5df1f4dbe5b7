//! Orders of two compositions: a case for each way of deciding them, for both verdicts and for incomparable
//! compositions.

use dpcert_vectors::Direction::{Forward, Worst};

use super::Flag::{
    self, Asymmetric, Edge, ExactRational, Heterogeneous, ManyCompositions, Mixed, Ordinary, Published, SmallNoise,
    SmallRate, Subsampled,
};
use super::Suite;
use crate::query::QuantityName;

type Row = (&'static [Flag], &'static str, &'static str, &'static str);

/// The suite.
pub fn suites() -> Vec<Suite> {
    let mut suite = Suite::new(
        "compared",
        QuantityName::Order,
        "Order of two compositions: at least as private at every point",
        "Comparing epsilons at one delta, or deltas at one epsilon, is not enough: curves that cross are incomparable.",
    );
    for (flags, why, first, second) in ONE_ORDER {
        suite.ask_order(Forward, flags, why, [first, second]);
    }
    for (flags, why, first, second) in BOTH_ORDERS {
        suite.ask_order(Worst, flags, why, [first, second]);
    }
    vec![suite]
}

/// `T(P,Q)` of both.
const ONE_ORDER: &[Row] = &[
    // Polylines in fractions.
    (
        &[ExactRational],
        "the first epsilon is smaller",
        "randomized-response(epsilon=ln(2))",
        "randomized-response(epsilon=ln(3))",
    ),
    (
        &[ExactRational],
        "a smaller epsilon does not help: failures show at every epsilon",
        "approx-dp(epsilon=ln(2), delta=1/10)",
        "randomized-response(epsilon=ln(4))",
    ),
    (
        &[ExactRational],
        "two halves are less than the whole",
        "randomized-response(epsilon=ln(2))^2",
        "randomized-response(epsilon=ln(4))",
    ),
    (
        &[ExactRational],
        "composed optimally, and by adding up",
        "approx-dp(epsilon=ln(2), delta=1/100)^3",
        "approx-dp(epsilon=ln(8), delta=3/100)",
    ),
    (
        &[ExactRational, Asymmetric],
        "finite distributions that cross",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
        "finite(p=[9/20,1/10,9/20], q=[1/2,0,1/2])",
    ),
    (
        &[ExactRational, Asymmetric],
        "three outcomes, two of them with equal likelihood ratios",
        "finite(p=[1/2,1/4,1/4], q=[1/4,3/8,3/8])",
        "finite(p=[1/2,1/2], q=[1/4,3/4])",
    ),
    (
        &[ExactRational, Asymmetric],
        "merging outcomes loses information",
        "finite(p=[1/2,1/2], q=[1/5,4/5])",
        "finite(p=[1/2,3/8,1/8], q=[1/5,3/10,1/2])",
    ),
    (
        &[ExactRational],
        "a curve given by its points, and one above it",
        "trade-off(alpha=[0,1/2,1], beta=[1,2/5,0])",
        "trade-off(alpha=[0,1/4,1], beta=[1,1/2,0])",
    ),
    (
        &[ExactRational, Edge],
        "an uninformative mechanism",
        "approx-dp(epsilon=0, delta=0)",
        "randomized-response(epsilon=ln(2))",
    ),
    (
        &[ExactRational, Edge],
        "the same mechanism written in two ways",
        "approx-dp(epsilon=ln(3), delta=0)",
        "randomized-response(epsilon=ln(3))",
    ),
    (
        &[ExactRational, Subsampled],
        "a tenth of the records",
        "poisson(rate=1/10, randomized-response(epsilon=ln(3)))",
        "poisson(rate=1/5, randomized-response(epsilon=ln(3)))",
    ),
    (
        &[ExactRational, Subsampled],
        "a sample, and randomised response with its amplified epsilon",
        "poisson(rate=1/10, randomized-response(epsilon=ln(3)))",
        "randomized-response(epsilon=ln(6/5))",
    ),
    (
        &[ExactRational, Subsampled, Asymmetric],
        "one direction of a sample is at least as private as the other",
        "poisson(rate=1/4, randomized-response(epsilon=ln(5)))",
        "inverse(poisson(rate=1/4, randomized-response(epsilon=ln(5))))",
    ),
    (
        &[ExactRational],
        "geometric noise of twice the range",
        "geometric(epsilon=ln(2), sensitivity=2)",
        "geometric(epsilon=ln(2), sensitivity=3)",
    ),
    (
        &[ExactRational],
        "geometric noise is a group of randomised responses",
        "geometric(epsilon=ln(3/2), sensitivity=3)",
        "group(k=3, randomized-response(epsilon=ln(3/2)))",
    ),
    (
        &[ExactRational],
        "geometric noise and the response of its largest loss",
        "geometric(epsilon=ln(2), sensitivity=3)",
        "randomized-response(epsilon=ln(8))",
    ),
    (
        &[ExactRational],
        "one of three answers and one of five",
        "k-randomized-response(epsilon=ln(3), categories=5)",
        "k-randomized-response(epsilon=ln(3), categories=3)",
    ),
    (
        &[ExactRational],
        "a mixture with published choice, and its parts",
        "mixture(1/2: randomized-response(epsilon=ln(2)), 1/2: randomized-response(epsilon=ln(3)))",
        "randomized-response(epsilon=ln(3))",
    ),
    (
        &[ExactRational],
        "a mixture between its parts",
        "mixture(1/2: randomized-response(epsilon=ln(2)), 1/2: randomized-response(epsilon=ln(4)))",
        "randomized-response(epsilon=ln(3))",
    ),
    // Polylines over exponentials.
    (
        &[Ordinary],
        "epsilons that are not logarithms of rationals",
        "randomized-response(epsilon=1)",
        "randomized-response(epsilon=2)",
    ),
    (
        &[Ordinary],
        "two randomised responses and one with the summed epsilon",
        "randomized-response(epsilon=1)^2",
        "randomized-response(epsilon=2)",
    ),
    (
        &[Ordinary],
        "three randomised responses cross one of twice the epsilon",
        "randomized-response(epsilon=1)^3",
        "randomized-response(epsilon=2)",
    ),
    (
        &[Heterogeneous],
        "the same sum of epsilons, spread evenly",
        "randomized-response(epsilon=1)^2",
        "randomized-response(epsilon=1/2) * randomized-response(epsilon=3/2)",
    ),
    (
        &[Subsampled, Asymmetric],
        "rates against epsilons",
        "poisson(rate=1/10, randomized-response(epsilon=1))",
        "poisson(rate=1/20, randomized-response(epsilon=2))",
    ),
    (
        &[Ordinary],
        "staircase noise of two widths",
        "staircase(epsilon=ln(3), gamma=1/3)",
        "staircase(epsilon=ln(3), gamma=1/2)",
    ),
    (
        &[Ordinary],
        "staircase noise and a response",
        "staircase(epsilon=ln(3), gamma=1/3)",
        "randomized-response(epsilon=ln(3))",
    ),
    (
        &[Ordinary],
        "k-ary answers twice",
        "k-randomized-response(epsilon=ln(3), categories=4)^2",
        "k-randomized-response(epsilon=ln(9), categories=4)",
    ),
    // Gaussian noise.
    (&[Ordinary], "more noise", "gaussian(sigma=2)", "gaussian(sigma=1)"),
    (&[Edge], "the same noise by two names", "gaussian(sigma=2)", "gdp(mu=1/2)"),
    (&[Edge], "squares add up", "gdp(mu=3) * gdp(mu=4)", "gdp(mu=5)"),
    (&[Ordinary], "squares add up to less", "gdp(mu=1)^3", "gdp(mu=2)"),
    (&[ManyCompositions], "a thousand releases", "gaussian(sigma=100)^1000", "gdp(mu=1/3)"),
    // Noise of different kinds.
    (&[Mixed], "Laplace noise has bounded losses, Gaussian noise has not", "laplace(scale=1)", "gdp(mu=1)"),
    (&[Mixed], "less Gaussian noise", "laplace(scale=2)", "gdp(mu=1)"),
    (&[Mixed, SmallNoise], "little Gaussian noise", "laplace(scale=1/2)", "gdp(mu=1)"),
    (&[Mixed], "the other way round", "gdp(mu=1/4)", "laplace(scale=1)"),
    (&[Mixed], "Laplace noise and the response of its epsilon", "laplace(scale=1)", "randomized-response(epsilon=1)"),
    (&[Mixed], "and of a smaller one", "laplace(scale=1)", "randomized-response(epsilon=1/2)"),
    (&[Mixed], "Laplace and geometric noise", "laplace(scale=1)", "geometric(epsilon=1/4, sensitivity=4)"),
    (&[Mixed], "Gaussian noise and a response", "gdp(mu=1)", "randomized-response(epsilon=1)"),
    (&[Mixed], "staircase and Laplace noise", "staircase(epsilon=ln(3), gamma=1/3)", "laplace(scale=1)"),
    (&[Ordinary], "Laplace noise of two scales", "laplace(scale=3)", "laplace(scale=2)"),
    (&[Ordinary], "twice the noise, twice", "laplace(scale=2)^2", "laplace(scale=1)"),
    (&[Ordinary], "and with less noise", "laplace(scale=3/2)^2", "laplace(scale=1)"),
    (&[Mixed], "many Laplace releases and their limit", "laplace(scale=10)^20", "gdp(mu=1/2)"),
    // Discrete Gaussian noise.
    (
        &[Ordinary],
        "the same noise, moved less",
        "discrete-gaussian(sigma2=4)",
        "discrete-gaussian(sigma2=4, sensitivity=2)",
    ),
    (&[Ordinary], "discrete noise of two scales", "discrete-gaussian(sigma2=5)", "discrete-gaussian(sigma2=4)"),
    (
        &[Ordinary],
        "scales and sensitivities",
        "discrete-gaussian(sigma2=30, sensitivity=3)",
        "discrete-gaussian(sigma2=3)",
    ),
    (
        &[SmallNoise],
        "little noise: the curve of less noise is not below",
        "discrete-gaussian(sigma2=1/4)",
        "discrete-gaussian(sigma2=1/5)",
    ),
    (&[Mixed], "discrete and continuous noise of one variance", "discrete-gaussian(sigma2=4)", "gaussian(sigma=2)"),
    (&[Mixed], "and of more", "discrete-gaussian(sigma2=4)", "gdp(mu=1)"),
    (&[Mixed], "and of less", "gdp(mu=1/4)", "discrete-gaussian(sigma2=4)"),
    (&[Mixed], "discrete noise of a large variance", "discrete-gaussian(sigma2=100)", "gaussian(sigma=9)"),
    (&[Ordinary], "once and twice", "discrete-gaussian(sigma2=9)", "discrete-gaussian(sigma2=16)^2"),
    (
        &[Ordinary],
        "runs compared with runs of the other",
        "discrete-gaussian(sigma2=5)^2",
        "discrete-gaussian(sigma2=4)^3",
    ),
    (&[Mixed], "discrete noise and a response", "discrete-gaussian(sigma2=4)", "randomized-response(epsilon=1)"),
    // Samples.
    (
        &[Subsampled, Asymmetric],
        "fewer records",
        "poisson(rate=1/10, gaussian(sigma=1))",
        "poisson(rate=1/5, gaussian(sigma=1))",
    ),
    (
        &[Subsampled, Asymmetric],
        "fewer records and less noise",
        "poisson(rate=1/10, gaussian(sigma=1))",
        "poisson(rate=1/5, gaussian(sigma=2))",
    ),
    (
        &[Subsampled, Asymmetric],
        "a sample is at least as private as all",
        "poisson(rate=1/2, gaussian(sigma=1))",
        "gaussian(sigma=1)",
    ),
    (&[Subsampled, Asymmetric], "a sample and Gaussian noise", "poisson(rate=1/10, gaussian(sigma=1))", "gdp(mu=1/2)"),
    (
        &[Subsampled, Asymmetric],
        "one order of a sample beside the other",
        "poisson(rate=1/10, gaussian(sigma=1))",
        "inverse(poisson(rate=1/10, gaussian(sigma=1)))",
    ),
    (
        &[Subsampled, Asymmetric],
        "samples of Laplace noise",
        "poisson(rate=1/10, laplace(scale=1))",
        "poisson(rate=1/10, laplace(scale=1/2))",
    ),
    (
        &[Subsampled, Asymmetric],
        "a sample of Laplace noise and more of it",
        "poisson(rate=1/10, laplace(scale=1))",
        "laplace(scale=5)",
    ),
    (
        &[Subsampled, Asymmetric, Mixed],
        "samples of two kinds of noise",
        "poisson(rate=1/10, laplace(scale=1))",
        "poisson(rate=1/10, gaussian(sigma=1))",
    ),
    (
        &[Subsampled],
        "fixed-size subsampling",
        "subsample(rate=1/10, gaussian(sigma=1))",
        "subsample(rate=1/5, gaussian(sigma=1))",
    ),
    (
        &[Subsampled],
        "mechanism and sampling rate",
        "subsample(rate=1/10, gaussian(sigma=1))",
        "subsample(rate=1/5, gaussian(sigma=2))",
    ),
    (
        &[Subsampled, Edge],
        "the hull of a Poisson sample is a sample of a fixed share",
        "hull(poisson(rate=1/10, gaussian(sigma=1)))",
        "subsample(rate=1/10, gaussian(sigma=1))",
    ),
    (
        &[Subsampled, Asymmetric],
        "samples of discrete noise",
        "poisson(rate=1/10, discrete-gaussian(sigma2=4))",
        "poisson(rate=1/8, discrete-gaussian(sigma2=4))",
    ),
    // Runs of training.
    (
        &[Subsampled, SmallRate, Asymmetric],
        "fewer steps",
        "poisson(rate=1/100, gaussian(sigma=1))^100",
        "poisson(rate=1/100, gaussian(sigma=1))^200",
    ),
    (
        &[Subsampled, SmallRate, ManyCompositions, Asymmetric],
        "smaller batches and more noise",
        "poisson(rate=1/100, gaussian(sigma=2))^1000",
        "poisson(rate=1/50, gaussian(sigma=1))^1000",
    ),
    (
        &[Subsampled, SmallRate, Asymmetric],
        "a run and its limit",
        "poisson(rate=1/100, gaussian(sigma=1))^100",
        "gdp(mu=1)",
    ),
    (
        &[Subsampled, SmallRate, Asymmetric, Mixed],
        "a release in addition to the training run",
        "poisson(rate=1/100, gaussian(sigma=1))^100 * laplace(scale=2)",
        "poisson(rate=1/100, gaussian(sigma=1))^100 * laplace(scale=1)",
    ),
    (
        &[Subsampled, Asymmetric, Heterogeneous],
        "two phases and the worse of them",
        "poisson(rate=1/10, gaussian(sigma=1))^5 * poisson(rate=1/10, gaussian(sigma=2))^5",
        "poisson(rate=1/10, gaussian(sigma=1))^10",
    ),
    // Compositions.
    (
        &[Mixed],
        "common factors cancel",
        "gdp(mu=1) * randomized-response(epsilon=ln(2))^2",
        "gdp(mu=1) * randomized-response(epsilon=ln(4))",
    ),
    (&[Mixed], "each factor is smaller", "gdp(mu=1) * laplace(scale=2)", "gdp(mu=2) * laplace(scale=1)"),
    (
        &[Mixed],
        "one factor is smaller, the other larger",
        "gdp(mu=1) * laplace(scale=1)",
        "gdp(mu=2) * laplace(scale=4)",
    ),
    (&[Mixed], "more is released", "gdp(mu=1)", "gdp(mu=1) * laplace(scale=1)"),
    (
        &[Mixed],
        "discrete noise beside continuous noise",
        "discrete-gaussian(sigma2=25)^10 * gaussian(sigma=5)",
        "gdp(mu=1)",
    ),
    (
        &[Mixed],
        "a response beside noise",
        "randomized-response(epsilon=1/2) * gaussian(sigma=2)",
        "randomized-response(epsilon=1) * gaussian(sigma=2)",
    ),
    (
        &[Mixed],
        "failure probabilities dominate the tail",
        "approx-dp(epsilon=0, delta=1/1000) * gdp(mu=1/2)",
        "gdp(mu=1)",
    ),
    // Groups.
    (&[Edge], "a group of Gaussian noise is Gaussian noise", "group(k=3, gdp(mu=1/3))", "gdp(mu=1)"),
    (&[Edge], "a group of Laplace noise is Laplace noise", "group(k=2, laplace(scale=2))", "laplace(scale=1)"),
    (&[Ordinary], "three persons and two", "group(k=2, gdp(mu=1))", "group(k=3, gdp(mu=1))"),
    (
        &[Published],
        "Laplace noise above groups of responses that tend to it",
        "laplace(scale=1)",
        "group(k=4, randomized-response(epsilon=1/4))",
    ),
    (
        &[ExactRational],
        "a group of responses, and one response of the sum",
        "group(k=2, randomized-response(epsilon=ln(2)))",
        "randomized-response(epsilon=ln(4))",
    ),
    (
        &[ExactRational],
        "a group against a composition",
        "group(k=2, randomized-response(epsilon=ln(2)))",
        "randomized-response(epsilon=ln(2))^2",
    ),
    (
        &[ExactRational],
        "groups of mechanisms with a failure probability",
        "group(k=2, approx-dp(epsilon=ln(2), delta=1/100))",
        "approx-dp(epsilon=ln(4), delta=3/100)",
    ),
    // Inverse, maximum, hull.
    (
        &[Subsampled, Asymmetric],
        "the maximum of both orders",
        "symmetrize(poisson(rate=1/10, randomized-response(epsilon=ln(3))))",
        "poisson(rate=1/10, randomized-response(epsilon=ln(3)))",
    ),
    (
        &[Subsampled, Asymmetric],
        "the hull of both orders",
        "poisson(rate=1/10, gaussian(sigma=1))",
        "hull(poisson(rate=1/10, gaussian(sigma=1)))",
    ),
    (
        &[Subsampled, Edge],
        "both orders of a Poisson sample are a sample of a fixed share",
        "hull(poisson(rate=1/4, randomized-response(epsilon=ln(5))))",
        "subsample(rate=1/4, randomized-response(epsilon=ln(5)))",
    ),
    (
        &[ExactRational, Asymmetric],
        "the inverse of a finite pair",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
        "inverse(finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3]))",
    ),
    (&[Edge], "a symmetric mechanism is its own inverse", "inverse(gdp(mu=1))", "gdp(mu=1)"),
    // Mixtures.
    (&[Mixed], "a mixture of noises below its worst part", "mixture(1/2: gdp(mu=1), 1/2: gdp(mu=2))", "gdp(mu=2)"),
    (&[Mixed], "and above its best", "mixture(1/2: gdp(mu=1), 1/2: gdp(mu=2))", "gdp(mu=1)"),
    // Shuffles.
    (&[Ordinary], "one more person", "shuffle(n=21, epsilon0=1)", "shuffle(n=20, epsilon0=1)"),
    (&[Ordinary], "reports of a smaller epsilon", "shuffle(n=20, epsilon0=1)", "shuffle(n=20, epsilon0=2)"),
    (&[Ordinary], "more persons against a smaller epsilon", "shuffle(n=100, epsilon0=2)", "shuffle(n=20, epsilon0=1)"),
    (&[Ordinary], "clones of two kinds", "shuffle(n=20, epsilon0=1)", "shuffle-clones(n=20, epsilon0=1)"),
    (
        &[Ordinary],
        "three kinds of answers",
        "shuffle(n=20, epsilon0=1, categories=3)",
        "shuffle(n=20, epsilon0=2, categories=3)",
    ),
    (&[Mixed], "shuffled reports and Gaussian noise", "shuffle(n=100, epsilon0=1)", "gdp(mu=1/2)"),
];

/// What holds for both orders of the neighbours.
const BOTH_ORDERS: &[Row] = &[
    (
        &[Subsampled],
        "both orders of a sample and of its inverse",
        "poisson(rate=1/10, gdp(mu=1))",
        "inverse(poisson(rate=1/10, gdp(mu=1)))",
    ),
    (
        &[Subsampled],
        "both orders of a sample and their hull",
        "poisson(rate=1/10, gdp(mu=1))",
        "hull(poisson(rate=1/10, gdp(mu=1)))",
    ),
    (&[Subsampled], "fewer records", "poisson(rate=1/10, gaussian(sigma=1))", "poisson(rate=1/5, gaussian(sigma=1))"),
    (
        &[Subsampled],
        "samples of Laplace noise",
        "poisson(rate=1/5, laplace(scale=1))",
        "poisson(rate=1/5, laplace(scale=2))",
    ),
    (
        &[Subsampled],
        "a sample, and a randomised response with its amplified epsilon",
        "poisson(rate=1/10, randomized-response(epsilon=ln(3)))",
        "randomized-response(epsilon=ln(6/5))",
    ),
    (
        &[ExactRational, Asymmetric],
        "a finite pair and its inverse",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
        "inverse(finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3]))",
    ),
    (
        &[ExactRational, Asymmetric],
        "finite pairs that cross",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
        "finite(p=[9/20,1/10,9/20], q=[1/2,0,1/2])",
    ),
    (&[Ordinary], "a symmetric mechanism is compared directly", "gdp(mu=1)", "gdp(mu=2)"),
    (&[Subsampled, SmallRate], "a run and its limit", "poisson(rate=1/100, gaussian(sigma=1))^100", "gdp(mu=1)"),
];
