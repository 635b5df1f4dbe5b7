//! Mechanisms whose losses are multiples of one epsilon: geometric noise and the staircase.

use crate::query::QuantityName;

use super::Flag::{Edge, ExactRational, HugeEpsilon, OnKnot, Ordinary, TinyEpsilon};
use super::Suite;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![geometric(), staircase()]
}

fn geometric() -> Suite {
    let mut suite = Suite::new(
        "geometric",
        QuantityName::Delta,
        "Geometric (discrete Laplace) mechanism: delta at an epsilon",
        "Sensitivities above 1, where the privacy loss takes more than two values.",
    );
    for x in ["3/2", "2", "11/10"] {
        for (sensitivity, times) in [(1u32, 1u32), (1, 5), (2, 1), (2, 3), (3, 2), (5, 1)] {
            for at in ["0".to_string(), format!("ln({x})"), format!("{}*ln({x})", sensitivity * times)] {
                suite.ask(
                    &[ExactRational, OnKnot],
                    "rational e^epsilon, on a knot",
                    format!("geometric(epsilon=ln({x}), sensitivity={sensitivity})^{times}"),
                    at,
                );
            }
        }
    }
    for epsilon in ["ln(9/8)", "ln(5/3)", "ln(7)"] {
        for (sensitivity, times) in [(1u32, 1u32), (1, 10), (2, 1), (2, 4), (4, 2)] {
            for share in ["0", "3/8"] {
                suite.ask(
                    &[Ordinary],
                    "a share of the largest loss",
                    format!("geometric(epsilon={epsilon}, sensitivity={sensitivity})^{times}"),
                    format!("{share}*{epsilon}*{}", sensitivity * times),
                );
            }
        }
    }
    for (epsilon, at) in [("ln(1 + 1e-9)", "0"), ("ln(1 + 1e-50)", "1e-50"), ("ln(1 + 1e-18)", "2e-18")] {
        suite.ask(&[TinyEpsilon], "a tiny epsilon", format!("geometric(epsilon={epsilon}, sensitivity=3)"), at);
    }
    for (epsilon, at) in [("ln(1e40)", "150"), ("ln(1e400)", "1"), ("ln(1e400)", "1842")] {
        suite.ask(&[HugeEpsilon], "a huge epsilon", format!("geometric(epsilon={epsilon}, sensitivity=2)"), at);
    }
    suite.ask(&[Edge], "no privacy loss", "geometric(epsilon=1, sensitivity=0)", "0");
    suite
}

fn staircase() -> Suite {
    let mut suite = Suite::new(
        "staircase",
        QuantityName::Delta,
        "Staircase mechanism: delta at an epsilon",
        "The privacy loss is zero with a probability that depends on gamma.",
    );
    for x in ["3/2", "2", "5"] {
        for gamma in ["0", "1/4", "1/2", "2/3", "1"] {
            for (times, steps) in [(1u32, 0u32), (2, 1), (3, 0), (3, 2)] {
                suite.ask(
                    &[ExactRational, OnKnot],
                    "rational e^epsilon, on a knot",
                    format!("staircase(epsilon=ln({x}), gamma={gamma})^{times}"),
                    format!("{steps}*ln({x})"),
                );
            }
        }
    }
    for epsilon in ["ln(5/4)", "ln(11/4)", "ln(20)"] {
        for gamma in ["1/8", "0.41673743492888243"] {
            for times in [1u32, 4] {
                suite.ask(
                    &[Ordinary],
                    "between knots",
                    format!("staircase(epsilon={epsilon}, gamma={gamma})^{times}"),
                    format!("{epsilon}/3"),
                );
            }
        }
    }
    for at in ["0", "3/4*ln(2)"] {
        suite.ask(
            &[Ordinary],
            "sensitivity 2: losses of up to two steps",
            "staircase(epsilon=ln(2), gamma=1/3, sensitivity=2)",
            at,
        );
    }
    suite
}
