//! Convex conjugates of trade-off functions: of polylines in fractions, and of curves.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{Asymmetric, ExactRational, Heterogeneous, Ordinary, Subsampled};
use super::{Flag, Suite};

/// Mechanisms whose two directions agree.
const MECHANISMS: [(&str, &[Flag]); 8] = [
    ("randomized-response(epsilon=ln(3))", &[Ordinary, ExactRational]),
    ("approx-dp(epsilon=ln(2), delta=1/10)^3", &[Ordinary, ExactRational]),
    ("randomized-response(epsilon=1)^5", &[Ordinary]),
    ("gdp(mu=1)", &[Ordinary]),
    ("laplace(scale=2)^3", &[Ordinary]),
    ("discrete-gaussian(sigma2=4)", &[Ordinary]),
    ("subsample(rate=1/10, gaussian(sigma=1))", &[Subsampled]),
    ("geometric(epsilon=1)^2 * randomized-response(epsilon=1)", &[Heterogeneous]),
];

/// And others.
const ASYMMETRIC: [(&str, &[Flag]); 3] = [
    ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2", &[Asymmetric, ExactRational]),
    ("trade-off(alpha=[0,1/10,1/2,1], beta=[9/10,3/5,1/8,0])", &[Asymmetric, ExactRational]),
    ("poisson(rate=1/10, gaussian(sigma=1))", &[Asymmetric, Subsampled]),
];

/// The suite.
pub fn suites() -> Vec<Suite> {
    let mut suite = Suite::new(
        "algebra",
        QuantityName::Conjugate,
        "Convex conjugates of trade-off functions",
        "The conjugate at slope -x is delta - 1 of the reverse direction, both for x < 1 and for x > 1.",
    );
    for slope in ["-1", "-3/2", "-2/5", "-20"] {
        for (mechanism, flags) in MECHANISMS {
            suite.ask(flags, "the tangent of this slope", mechanism, slope);
        }
        for (mechanism, flags) in ASYMMETRIC {
            for direction in [Forward, Backward] {
                suite.ask_towards(direction, flags, "the tangent of this slope in one direction", mechanism, slope);
            }
        }
    }
    vec![suite]
}
