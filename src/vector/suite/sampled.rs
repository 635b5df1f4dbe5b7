//! Mechanisms other than the Gaussian one on Poisson samples: one step through the curve of what is inside, finitely
//! many losses composed exactly, all others beside a Gaussian mechanism by quadrature.

use dpcert_vectors::Direction::{Backward, Forward};

use super::Flag::{
    self, Asymmetric, AtomsAndDensity, ExactRational, Heterogeneous, ManyCompositions, Mixed, Subsampled, TinyDelta,
};
use super::Suite;
use super::sampled_gaussian::{RATES, one_step, rate_flags};
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// What else is run on samples.
const INSIDE: [&str; 6] = [
    "laplace(scale=1)",
    "laplace(scale=1/5)",
    "laplace(scale=20)",
    "discrete-gaussian(sigma2=1)",
    "discrete-gaussian(sigma2=1/4)",
    "discrete-gaussian(sigma2=25, sensitivity=2)",
];

/// Samples with finitely many losses, which compose exactly, and epsilons between and on their knots.
const FINITE: [(&str, &[&str], &str); 12] = [
    (
        "poisson(rate=1/3, randomized-response(epsilon=ln(3)))^12",
        &["-1/2", "0", "ln(5/3)", "2", "5"],
        "losses ln(5/3) and ln(2/3), which are no multiples of each other",
    ),
    (
        "poisson(rate=1/100, randomized-response(epsilon=ln(9)))^20",
        &["0", "1/100", "1/2", "1"],
        "a small rate: the composed loss stays far below 20 ln(9)",
    ),
    (
        "poisson(rate=1/2, approx-dp(epsilon=ln(2), delta=1/1000))^8",
        &["0", "1/2", "ln(3)", "2"],
        "failure on sampled records only: infinite privacy losses in one direction, bounded in the other",
    ),
    (
        "poisson(rate=1/10, geometric(epsilon=ln(2), sensitivity=2))^6",
        &["-1/10", "0", "1/5", "1/2"],
        "three losses inside, none of them equally spaced after sampling",
    ),
    (
        "poisson(rate=1/4, finite(p=[1/2,1/3,1/6], q=[1/6,1/3,1/2]))^6",
        &["-1/4", "0", "1/4", "1"],
        "an inner pair that is symmetric before sampling but not after",
    ),
    (
        "poisson(rate=1/5, staircase(epsilon=ln(3/2), gamma=1/2))^5",
        &["0", "1/10", "1/4"],
        "steps of two widths, each mixed with its mirror image",
    ),
    (
        "poisson(rate=1/50, randomized-response(epsilon=ln(2)))^1000",
        &["-1/4", "0", "1/2", "2", "9"],
        "1000 subsampled steps, to the last digit of a fraction of 10000 digits",
    ),
    (
        "poisson(rate=99/100, randomized-response(epsilon=ln(3/2)))^100",
        &["-1", "0", "2", "10", "36"],
        "sampling rate near 1: close to plain randomised response",
    ),
    (
        "poisson(rate=1/1000000, randomized-response(epsilon=ln(4)))^30",
        &["0", "1/1000000", "ln(1000003/1000000)", "1/10000"],
        "a rate of a millionth, where e^epsilon - 1 has lost ten digits",
    ),
    (
        "poisson(rate=1/20, finite(p=[1/2,1/3,1/6], q=[1/6,1/3,1/2]))^100",
        &["-1/2", "0", "1/2", "2", "5"],
        "three outcomes, a hundred times: five thousand losses without a lattice",
    ),
    (
        "poisson(rate=1/8, randomized-response(epsilon=ln(3)))^40 * randomized-response(epsilon=ln(2))^10",
        &["-1", "0", "ln(2)", "3", "7", "10"],
        "sampled and unsampled steps: two incommensurable lattices",
    ),
    (
        "poisson(rate=1/10, randomized-response(epsilon=ln(5)))^30 * poisson(rate=1/2, geometric(epsilon=ln(3/2)))^20",
        &["-1", "0", "1", "4", "8"],
        "samples at two rates, which no single amplified epsilon describes",
    ),
];

/// Samples beside a Gaussian mechanism: the losses have no lattice, and the density makes the composition smooth.
const BESIDE: [(&str, &[&str], &str); 8] = [
    (
        "gaussian(sigma=4) * poisson(rate=1/50, laplace(scale=1))^200",
        &["-1/2", "0", "1/2", "1", "2", "6"],
        "sampled Laplace losses: a density, and atoms at both ends",
    ),
    (
        "gaussian(sigma=10) * poisson(rate=1/10, laplace(scale=2))^30",
        &["-1/2", "0", "1/2", "1", "3"],
        "few steps at a rate at which the atoms keep much mass",
    ),
    (
        "gaussian(sigma=5) * poisson(rate=1/1000, laplace(scale=1))^10000",
        &["-1/4", "0", "1/4", "1", "2"],
        "ten thousand steps at a small rate",
    ),
    (
        "gaussian(sigma=5) * poisson(rate=1/2, laplace(scale=10))^50",
        &["-1/2", "0", "1/2", "2", "5"],
        "half of all records, with so much noise that both directions nearly agree",
    ),
    (
        "gaussian(sigma=3) * poisson(rate=1/100, laplace(scale=1/2))^100",
        &["0", "1", "3", "8"],
        "little noise: one step can cause the whole privacy loss",
    ),
    (
        "gdp(mu=1) * laplace(scale=3)^2 * poisson(rate=1/50, laplace(scale=1))^100",
        &["-1", "0", "1", "3", "7"],
        "sampled and plain Laplace losses beside each other",
    ),
    (
        "poisson(rate=1/100, gaussian(sigma=1))^500 * poisson(rate=1/100, laplace(scale=1))^500",
        &["0", "1/2", "1", "3"],
        "two kinds of noise at the same rate: a schedule that changes half way",
    ),
    (
        "gaussian(sigma=2) * poisson(rate=9/10, laplace(scale=4))^3",
        &["-1", "0", "1", "3"],
        "a high rate: adding a record is bounded by three times ln(10)",
    ),
];

fn finite_flags(mechanism: &str) -> Vec<Flag> {
    let mut flags = vec![Asymmetric, Subsampled];
    if mechanism.contains("^1000") {
        flags.push(ManyCompositions);
    }
    if mechanism.contains("1/1000000") {
        flags.extend([Flag::SmallRate, Flag::TinyRate]);
    }
    if mechanism.contains(" * ") {
        flags.push(Heterogeneous);
    }
    flags
}

fn beside_flags(mechanism: &str) -> Vec<Flag> {
    let mut flags = finite_flags(mechanism);
    flags.extend([Mixed, AtomsAndDensity]);
    if mechanism.contains("^10000") {
        flags.push(ManyCompositions);
    }
    flags
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "poisson",
        QuantityName::Delta,
        "Poisson subsampling of other mechanisms: delta at an epsilon",
        "Exact amplification by sampling in both directions: a bound for one direction is not a bound for the other.",
    );
    for rate in RATES {
        for inside in INSIDE {
            one_step(&mut suite, rate, inside);
        }
    }
    for (mechanism, points, why) in FINITE {
        for at in points {
            let mut flags = finite_flags(mechanism);
            if *at == "0" || at.starts_with("ln") {
                flags.push(ExactRational);
            }
            suite.ask_towards(Forward, &flags, format!("removing a record: {why}"), mechanism, *at);
            suite.ask_towards(Backward, &flags, format!("adding a record: {why}"), mechanism, *at);
        }
    }
    for (mechanism, points, why) in BESIDE {
        for at in points {
            let flags = beside_flags(mechanism);
            suite.ask_towards(Forward, &flags, format!("removing a record: {why}"), mechanism, *at);
            suite.ask_towards(Backward, &flags, format!("adding a record: {why}"), mechanism, *at);
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "poisson",
        QuantityName::Epsilon,
        "Poisson subsampling of other mechanisms: epsilon at a delta",
        "The inverse has a closed form in one direction and is a root in the other.",
    );
    for inside in INSIDE {
        for rate in ["1e-6", "1/100", "1/2"] {
            let mechanism = format!("poisson(rate={rate}, {inside})");
            let target = format!("{rate}/50");
            let why = "one step, removing a record: ln(1 + rate (e^epsilon - 1)), where epsilon itself may be small";
            suite.ask_towards(Forward, &rate_flags(rate), why, mechanism.clone(), target.clone());
            let why = "one step, adding a record: a root, for delta itself depends on epsilon there";
            suite.ask_towards(Backward, &rate_flags(rate), why, mechanism, target);
        }
    }
    for (mechanism, _, why) in FINITE {
        for delta in ["1/10", "1/100", "1e-9"] {
            let flags = finite_flags(mechanism);
            suite.ask_towards(Forward, &flags, format!("removing a record: {why}"), mechanism, delta);
            suite.ask_towards(Backward, &flags, format!("adding a record: {why}"), mechanism, delta);
        }
    }
    for (mechanism, _, why) in BESIDE {
        for (delta, tiny) in [("1e-2", false), ("1e-6", false), ("1e-30", true), ("1e-300", true)] {
            let mut flags = beside_flags(mechanism);
            if tiny {
                flags.push(TinyDelta);
            }
            suite.ask_towards(Forward, &flags, format!("removing a record: {why}"), mechanism, delta);
            suite.ask_towards(Backward, &flags, format!("adding a record: {why}"), mechanism, delta);
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "poisson",
        QuantityName::Beta,
        "Poisson subsampling of other mechanisms: trade-off function",
        "A mixture of two curves in one direction, and its inverse in the other.",
    );
    for inside in INSIDE {
        for rate in ["1/100", "1/2"] {
            let mechanism = format!("poisson(rate={rate}, {inside})");
            for alpha in ["1/100", "1/3", "9/10"] {
                let why = "one step, removing a record: the inverse of a mixture";
                suite.ask_towards(Forward, &rate_flags(rate), why, mechanism.clone(), alpha);
                let why = "one step, adding a record: a mixture with the diagonal";
                suite.ask_towards(Backward, &rate_flags(rate), why, mechanism.clone(), alpha);
            }
        }
    }
    for (mechanism, _, why) in FINITE {
        for alpha in ["1/20", "1/2", "9/10"] {
            let mut flags = finite_flags(mechanism);
            flags.push(ExactRational);
            suite.ask_towards(Forward, &flags, format!("removing a record: {why}"), mechanism, alpha);
            suite.ask_towards(Backward, &flags, format!("adding a record: {why}"), mechanism, alpha);
        }
    }
    for (mechanism, _, why) in BESIDE {
        for alpha in ["1/10", "1/2"] {
            let flags = beside_flags(mechanism);
            suite.ask_towards(Forward, &flags, format!("removing a record: {why}"), mechanism, alpha);
            suite.ask_towards(Backward, &flags, format!("adding a record: {why}"), mechanism, alpha);
        }
    }
    suite
}
