//! The distribution of the privacy loss: tails, distribution function, quantiles.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{
    Asymmetric, AtomsAndDensity, Edge, ExactRational, Heterogeneous, Infinite, ManyCompositions, OnKnot, Ordinary,
    Subsampled,
};
use super::{Flag, Suite};

/// Mechanisms whose loss has the same law in both orders, with points and flags.
const SYMMETRIC: [(&str, &[&str], &[Flag]); 11] = [
    ("gdp(mu=1)", &["0", "1/2", "-3", "5"], &[Ordinary]),
    ("gaussian(sigma=2)^10", &["1", "-1/3"], &[Ordinary]),
    ("laplace(scale=1)", &["1/2", "-1", "1"], &[AtomsAndDensity]),
    ("laplace(scale=1)^2", &["0", "1/3", "-2"], &[AtomsAndDensity, OnKnot]),
    ("laplace(scale=2)^3", &["1/4", "1/2"], &[AtomsAndDensity]),
    ("randomized-response(epsilon=ln(3))^5", &["0", "ln(3)", "-ln(27)"], &[ExactRational, OnKnot]),
    ("randomized-response(epsilon=1)^20", &["1/3", "-7/2"], &[Ordinary]),
    ("randomized-response(epsilon=1/10)^1000", &["5/3", "-5/3"], &[ManyCompositions]),
    ("approx-dp(epsilon=ln(2), delta=1/10)^3", &["0", "ln(2)", "ln(8)"], &[ExactRational, OnKnot]),
    ("geometric(epsilon=1/2, sensitivity=3)^2", &["1/3", "-4/3"], &[Ordinary]),
    ("geometric(epsilon=1)^2 * randomized-response(epsilon=1)", &["1/3", "-3/2"], &[Heterogeneous]),
];

/// And others.
const OTHERS: [(&str, &[&str], &[Flag]); 5] = [
    ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2", &["0", "ln(3/2)", "-1/3"], &[Asymmetric, ExactRational]),
    ("finite(p=[1/2,1/2,0], q=[0,1/8,7/8])", &["0", "ln(4)", "-1"], &[Asymmetric, Edge, ExactRational]),
    ("finite(p=[99/100,1/100], q=[1/2,1/2])^12", &["1", "-2"], &[Asymmetric, ExactRational]),
    ("poisson(rate=1/10, gaussian(sigma=1))", &["1/10", "-1/20", "1"], &[Asymmetric, Subsampled]),
    ("poisson(rate=1/4, randomized-response(epsilon=1))^6", &["1/5", "-1/5"], &[Asymmetric, Subsampled]),
];

/// Probabilities of quantiles.
const PROBABILITIES: [&str; 3] = ["1/2", "1/100", "999/1000"];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let mut suites = vec![
        tails(
            QuantityName::LossAboveP,
            "Privacy loss distribution: P(L > t)",
            "Outcomes with positive probability under P only are included.",
        ),
        tails(QuantityName::LossAboveQ, "Privacy loss distribution: Q(L > t)", "Far tails under Q are tiny."),
        tails(
            QuantityName::LossUpToP,
            "Privacy loss distribution: P(L <= t)",
            "An atom at t is included here, but not in P(L > t).",
        ),
        tails(
            QuantityName::LossUpToQ,
            "Privacy loss distribution: Q(L <= t)",
            "Outcomes with positive probability under Q only are included.",
        ),
    ];
    suites.extend([
        quantiles(QuantityName::LossQuantileP, "Privacy loss distribution: quantiles under P"),
        quantiles(QuantityName::LossQuantileQ, "Privacy loss distribution: quantiles under Q"),
    ]);
    suites
}

fn tails(quantity: QuantityName, title: &'static str, about: &'static str) -> Suite {
    let mut suite = Suite::new("distribution", quantity, title, about);
    for (mechanism, points, flags) in SYMMETRIC {
        for at in points {
            suite.ask_towards(Forward, flags, "the same distribution in both directions", mechanism, *at);
        }
    }
    for (mechanism, points, flags) in OTHERS {
        for at in points {
            for direction in [Forward, Backward] {
                suite.ask_towards(direction, flags, "one of two directions", mechanism, *at);
            }
        }
    }
    suite
}

fn quantiles(quantity: QuantityName, title: &'static str) -> Suite {
    let about = "The smallest t: always an atom for a discrete distribution, never a point between atoms.";
    let mut suite = Suite::new("distribution", quantity, title, about);
    let infinite = ["approx-dp(epsilon=ln(2), delta=1/10)^3", "finite(p=[1/2,1/2,0], q=[0,1/8,7/8])"];
    for (mechanism, _, flags) in SYMMETRIC.into_iter().chain(OTHERS) {
        if infinite.contains(&mechanism) {
            continue;
        }
        for at in PROBABILITIES {
            suite.ask_towards(Forward, flags, "a quantile", mechanism, at);
        }
    }
    for at in ["1/3", "1/2"] {
        suite.ask_towards(Forward, &[ExactRational], "a loss of either sign", infinite[0], at);
    }
    if quantity == QuantityName::LossQuantileP {
        suite.ask_towards(Forward, &[Infinite, Edge], "outcomes possible under P only", infinite[0], "999/1000");
        suite.ask_towards(Forward, &[Infinite, Edge], "outcomes possible under P only", infinite[1], "3/4");
    }
    suite
}
