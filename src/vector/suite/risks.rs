//! What an attacker achieves: advantage, true positive rates, Bayes risks.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{Asymmetric, Edge, Heterogeneous, LargeNoise, Ordinary, SmallAlpha, Subsampled};
use super::{Flag, Suite};

/// Mechanisms whose two directions agree.
const MECHANISMS: [(&str, &[Flag]); 13] = [
    ("randomized-response(epsilon=ln(3))", &[Ordinary]),
    ("randomized-response(epsilon=1)^5", &[Ordinary]),
    ("approx-dp(epsilon=1/2, delta=1/1000)^10", &[Ordinary]),
    ("gdp(mu=1)", &[Ordinary]),
    ("gaussian(sigma=2)^10", &[Ordinary]),
    ("gaussian(sigma=100)", &[LargeNoise]),
    ("laplace(scale=1)", &[Ordinary]),
    ("laplace(scale=2)^3", &[Ordinary]),
    ("geometric(epsilon=1)^4", &[Ordinary]),
    ("discrete-gaussian(sigma2=4)", &[Ordinary]),
    ("approx-dp(epsilon=ln(2), delta=1/10) * randomized-response(epsilon=ln(3))^2", &[Heterogeneous]),
    ("subsample(rate=1/10, gaussian(sigma=1))", &[Subsampled]),
    ("group(k=2, laplace(scale=3))", &[Ordinary]),
];

/// And others.
const ASYMMETRIC: [(&str, &[Flag]); 3] = [
    ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2", &[Asymmetric]),
    ("poisson(rate=1/10, gaussian(sigma=1))", &[Asymmetric, Subsampled]),
    ("poisson(rate=1/4, laplace(scale=1))", &[Asymmetric, Subsampled]),
];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let mut advantage = Suite::new(
        "risk",
        QuantityName::Advantage,
        "Membership advantage",
        "The largest difference of true and false positive rate over all attacks; it is not an epsilon.",
    );
    all(&mut advantage, &[("", Ordinary)], "the best attack");
    let mut power = Suite::new(
        "risk",
        QuantityName::TruePositiveRate,
        "True positive rate",
        "The largest true positive rate at a false positive rate; e^epsilon times that rate plus delta is a bound, \
         but not tight.",
    );
    let rates = [("1/2", Ordinary), ("1/20", Ordinary), ("1/1000", SmallAlpha), ("0", Edge)];
    all(&mut power, &rates, "the best attack at this false positive rate");
    let mut risk = Suite::new(
        "risk",
        QuantityName::BayesRisk,
        "Bayes risk",
        "The error probability of the best guess under a prior; at most the smaller prior probability.",
    );
    let priors = [("1/2", Ordinary), ("2/3", Ordinary), ("9/10", Ordinary), ("1/5", Ordinary)];
    all(&mut risk, &priors, "the best guess with this prior of the second data set");
    vec![advantage, power, risk]
}

fn all(suite: &mut Suite, places: &[(&str, Flag)], comment: &str) {
    for (at, flag) in places {
        for (mechanism, flags) in MECHANISMS {
            suite.ask(&[flags, &[*flag]].concat(), comment, mechanism, *at);
        }
        for (mechanism, flags) in ASYMMETRIC {
            for direction in [Forward, Backward] {
                let mut flags = [flags, &[*flag]].concat();
                // The advantage is the same in both directions.
                flags.retain(|flag| *flag != Asymmetric || suite.quantity != QuantityName::Advantage);
                suite.ask_towards(direction, &flags, comment, mechanism, *at);
            }
        }
    }
}
