//! The rate of the central limit theorem: bounds on both sides of long compositions of one mechanism.

use dpcert_vectors::{Bound, Limit};

use crate::query::QuantityName;

use super::Flag::{AlphaNearOne, ManyCompositions, Ordinary, SmallAlpha};
use super::{Flag, Suite};

const COMPOSED: [(&str, &[Flag], &str); 2] = [
    ("randomized-response(epsilon=1/10)^100", &[Ordinary], "a hundred small responses"),
    ("approx-dp(epsilon=1/20, delta=1/1000000)^1600", &[ManyCompositions], "failure probabilities are separate"),
];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let hint = "The constant c is proven but not printed in the paper; c/n enters delta with factor 1 + e^epsilon.";
    let of = |quantity, title, places: &[(&str, &[Flag])]| {
        let mut suite = Suite::new("clt-rate", quantity, title, hint);
        for bound in [Bound::Lower, Bound::Upper] {
            for (mechanism, flags, comment) in COMPOSED {
                for (at, more) in places {
                    let flags = [flags, more].concat();
                    suite.ask_limit(Limit::CltRate { bound }, &flags, comment, mechanism, *at);
                }
            }
        }
        suite
    };
    vec![
        of(
            QuantityName::LimitDelta,
            "Rate of the central limit theorem: bounds of delta at an epsilon",
            &[("0", &[]), ("1/2", &[]), ("2", &[])],
        ),
        of(
            QuantityName::LimitEpsilon,
            "Rate of the central limit theorem: bounds of epsilon at a delta",
            &[("1/10", &[]), ("3/10", &[])],
        ),
        of(
            QuantityName::LimitBeta,
            "Rate of the central limit theorem: bounds of the trade-off function",
            &[("1/2", &[]), ("1/100", &[SmallAlpha]), ("19/20", &[AlphaNearOne])],
        ),
    ]
}
