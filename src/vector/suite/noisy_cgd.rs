//! The last iterate of noisy cyclic gradient descent.

use crate::query::QuantityName;

use super::Flag::{self, Edge, LargeNoise, Mixed, Ordinary, SmallAlpha, SmallNoise, TinyDelta};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

const MECHANISMS: [(&str, Flag, &str); 9] = [
    ("noisy-cgd(epochs=1, batches=10, ratio=1/2, contraction=9/10)", Edge, "one epoch: one step of Gaussian noise"),
    ("noisy-cgd(epochs=5, batches=4, ratio=2/3, contraction=9/10)", Ordinary, "few contracting steps"),
    ("noisy-cgd(epochs=10, batches=20, ratio=2/3, contraction=99/100)", Ordinary, "two hundred steps"),
    ("noisy-cgd(epochs=50, batches=8, ratio=1, contraction=0.998)", Ordinary, "four hundred steps"),
    ("noisy-cgd(epochs=20, batches=10, ratio=1, contraction=1)", Edge, "no contraction: the limit of the formula"),
    ("noisy-cgd(epochs=20, batches=10, ratio=1, contraction=0)", Edge, "each step forgets all earlier steps"),
    ("noisy-cgd(epochs=6, batches=5, ratio=1/50, contraction=3/4)", LargeNoise, "much noise"),
    ("noisy-cgd(epochs=6, batches=5, ratio=8, contraction=3/4)", SmallNoise, "little noise"),
    (
        "noisy-cgd(epochs=4, batches=3, ratio=1/3, contraction=1/2)^3 * gaussian(sigma=2)",
        Mixed,
        "three trainings and one release",
    ),
];

fn delta() -> Suite {
    let mut suite = Suite::new(
        "noisy-cgd",
        QuantityName::Delta,
        "Last iterate of noisy cyclic gradient descent: delta at an epsilon",
        "Shifted interpolation gives less privacy loss than the composition of all steps.",
    );
    for (mechanism, flag, why) in MECHANISMS {
        for at in ["0", "1/2", "2"] {
            suite.ask(&[flag], why, mechanism, at);
        }
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "noisy-cgd",
        QuantityName::Epsilon,
        "Last iterate of noisy cyclic gradient descent: epsilon at a delta",
        "Twice the epochs add very little privacy loss where each step contracts.",
    );
    for (mechanism, flag, why) in MECHANISMS {
        for (level, tiny) in [("1e-2", false), ("1e-5", false), ("1e-40", true)] {
            suite.ask(&[if tiny { TinyDelta } else { flag }], why, mechanism, level);
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "noisy-cgd",
        QuantityName::Beta,
        "Last iterate of noisy cyclic gradient descent: trade-off function",
        "A Gaussian trade-off function with a mu given by a formula.",
    );
    for (mechanism, flag, why) in MECHANISMS {
        for (alpha, small) in [("1e-6", true), ("1/10", false)] {
            suite.ask(&[if small { SmallAlpha } else { flag }], why, mechanism, alpha);
        }
    }
    suite
}
