//! Homogeneous composition of (epsilon, delta) mechanisms: the optimal region of Kairouz, Oh and Viswanath.

use crate::query::QuantityName;

use super::Flag::{
    AlphaNearOne, BesideKnot, Cancellation, DeltaNearOne, Edge, ExactRational, HugeEpsilon, Infinite, ManyCompositions,
    OnKnot, Ordinary, Published, SmallAlpha, TinyDelta, TinyEpsilon, Underflow,
};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

fn approx_dp(epsilon: &str, delta: &str, times: u64) -> String {
    format!("approx-dp(epsilon={epsilon}, delta={delta})^{times}")
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "kov",
        QuantityName::Delta,
        "Optimal homogeneous composition of (epsilon, delta) mechanisms: delta at an epsilon",
        "Deltas below any absolute tolerance, epsilons on and next to the knots of the region, binomials that \
         overflow, and exact fractions.",
    );
    delta_inside(&mut suite);
    delta_at_knots(&mut suite);
    delta_at_extremes(&mut suite);
    delta_of_many(&mut suite);
    delta_at_edges(&mut suite);
    suite
}

/// Across the region, from its middle to its end.
fn delta_inside(suite: &mut Suite) {
    // Rational x = e^epsilon: the answer is a fraction.
    for (x, deltas) in [("3/2", &["0", "1/10"][..]), ("2", &["0", "1/1000"]), ("11/10", &["0"]), ("5", &["0"])] {
        for times in [1u32, 2, 3, 4, 7, 12] {
            for delta in deltas {
                for steps in (0..=times).rev().step_by(2).take(4) {
                    suite.ask(
                        &[ExactRational, OnKnot],
                        "the delta of one of the regions whose intersection is the composition",
                        approx_dp(&format!("ln({x})"), delta, times.into()),
                        format!("{steps}*ln({x})"),
                    );
                }
            }
        }
    }
    // Ordinary epsilons across k, from the middle of the region to its end.
    for epsilon in ["1/8", "1/2", "1", "2"] {
        for times in [1u32, 2, 5, 30, 100] {
            for share in ["0", "1/16", "1/4", "5/8"] {
                suite.ask(
                    &[Ordinary],
                    "dyadic parameters, epsilon a share of the basic composition bound",
                    approx_dp(epsilon, "1/1024", times.into()),
                    format!("{times}*{epsilon}*{share}"),
                );
            }
        }
    }
    // Figure 3 of the paper.
    for i in 0..=15u32 {
        suite.ask(
            &[Published, OnKnot],
            format!("KOV figure 3: region {i} of the 30-fold composition"),
            approx_dp("0.1", "0.001", 30),
            format!("{}*0.1", 30 - 2 * i),
        );
    }
}

/// Points on knots and closer to knots than double precision resolves.
fn delta_at_knots(suite: &mut Suite) {
    // Points on knots and closer to knots than double precision resolves.
    for (epsilon, times) in [("0.1", 10u32), ("1", 7), ("1/3", 100)] {
        for steps in [times, times - 2, times / 2 + times % 2] {
            suite.ask(&[OnKnot], "on a knot", approx_dp(epsilon, "1e-6", times.into()), format!("{steps}*{epsilon}"));
            for offset in ["1e-9", "1e-17", "1e-60"] {
                for side in ["-", "+"] {
                    suite.ask(
                        &[BesideKnot],
                        "just beside a knot",
                        approx_dp(epsilon, "0", times.into()),
                        format!("{steps}*{epsilon} {side} {offset}"),
                    );
                }
            }
        }
    }
}

/// Deltas near 0 and epsilons beyond the exponents of doubles.
fn delta_at_extremes(suite: &mut Suite) {
    // Tiny deltas: near the end of the region.
    for (epsilon, times, at, flag) in [
        ("1/64", 1000u64, "15.5", TinyDelta),
        ("1/64", 1000, "15.609375", TinyDelta),
        ("1/64", 1000, "15.624", TinyDelta),
        ("1/32", 1200, "37.4", Underflow),
        ("1/8", 1100, "137", Underflow),
        ("1/16", 1000, "40", TinyDelta),
        ("1/16", 1000, "60", TinyDelta),
        ("1", 1000, "700", TinyDelta),
        ("1", 1000, "995", Underflow),
        ("4", 200, "799", Underflow),
        ("0.1", 1000, "15", TinyDelta),
        ("0.1", 1000, "30", TinyDelta),
    ] {
        suite.ask(
            &[flag, Cancellation],
            "far tail: a difference of nearly equal sums",
            approx_dp(epsilon, "0", times),
            at,
        );
    }
    // Huge and tiny epsilons.
    for (epsilon, times, at) in [
        ("50", 2u64, "1"),
        ("50", 3, "49"),
        ("400", 2, "799"),
        ("710", 1, "709"),
        ("800", 3, "1"),
        ("1000", 10, "9000"),
        ("3000", 4, "6001"),
    ] {
        suite.ask(&[HugeEpsilon], "e^epsilon overflows a double or dominates 1", approx_dp(epsilon, "0", times), at);
    }
    for (epsilon, times, at) in [
        ("1e-9", 2u64, "0"),
        ("1e-9", 100, "2e-9"),
        ("1e-18", 50, "0"),
        ("1e-18", 50, "3e-18"),
        ("1e-100", 10, "0"),
        ("1e-100", 10, "9e-100"),
        ("1e-300", 1, "0"),
        ("1e-300", 5, "1e-300"),
        ("f64:0x1p-1074", 3, "0"),
        ("f64:0x1p-60", 1001, "0"),
    ] {
        suite.ask(&[TinyEpsilon, Cancellation], "e^epsilon rounds to 1", approx_dp(epsilon, "0", times), at);
    }
}

/// Many compositions, and where accountants' doubles overflow, cancel or vanish.
fn delta_of_many(suite: &mut Suite) {
    // Many compositions, at doubles.
    for (epsilon, times, points) in [
        ("f64:0x1p-7", 10_000u64, ["0", "1/2", "1", "2", "4", "8"]),
        ("f64:0x1p-10", 10_000, ["0", "1/32", "1/8", "1/4", "1/2", "1"]),
        ("f64:0x1p-10", 100_000, ["0", "1/16", "1/4", "1/2", "1", "2"]),
    ] {
        for at in points {
            suite.ask(
                &[ManyCompositions],
                "many compositions at double parameters",
                approx_dp(epsilon, "0", times),
                at,
            );
        }
    }
    for at in ["0", "1/4", "1/2", "1", "2", "3", "5", "8"] {
        suite.ask(
            &[ManyCompositions],
            "a million compositions",
            approx_dp("f64:0x1p-10", "f64:0x1p-40", 1_000_000),
            at,
        );
    }
    // Where accountants' doubles overflow, cancel or vanish, at doubles.
    for (epsilon, delta, times, at) in [
        ("f64:0.1", "0", 1100u64, "10"),
        ("f64:0.1", "0", 1020, "10"),
        ("f64:0.01", "0", 1029, "1/2"),
        ("f64:0.1", "f64:1e-20", 30, "4"),
        ("f64:1e-9", "0", 10, "f64:5e-9"),
        ("f64:0.1", "0", 30, "f64:2.9"),
        ("800", "0", 1, "1"),
        ("1", "0", 1000, "100"),
    ] {
        suite.ask(&[Cancellation], "binomials overflow, or terms cancel", approx_dp(epsilon, delta, times), at);
    }
}

/// Deltas near 1, negative epsilons, and the boundary of the domain.
fn delta_at_edges(suite: &mut Suite) {
    // Delta near 1.
    for (epsilon, delta, times, at) in [
        ("1", "1/2", 40u64, "1"),
        ("1", "0.999999", 3, "0"),
        ("20", "0", 3, "0"),
        ("20", "0", 5, "1"),
        ("3", "0", 200, "10"),
        ("1/4", "1/100", 2000, "5"),
        ("5", "1e-20", 30, "0"),
        ("1", "0", 1000, "0"),
    ] {
        suite.ask(&[DeltaNearOne], "the complement of delta must be accurate", approx_dp(epsilon, delta, times), at);
    }
    // Below zero the profile tends to 1 - e^epsilon.
    for at in ["-1/4", "-1", "-3", "-40"] {
        suite.ask(&[Ordinary], "a negative epsilon", approx_dp("1/2", "1/1024", 6), at);
    }
    // Edges.
    for (mechanism, at) in [
        (approx_dp("0", "1/8", 3), "0"),
        (approx_dp("0", "0", 5), "0"),
        (approx_dp("2", "1", 2), "5"),
        (approx_dp("1", "0", 3), "3"),
        (approx_dp("1", "0", 3), "4"),
        (approx_dp("1", "1/8", 3), "3"),
        (approx_dp("1", "1/8", 3), "1000"),
    ] {
        suite.ask(&[Edge], "a boundary of the domain", mechanism, at);
    }
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "kov",
        QuantityName::Epsilon,
        "Optimal homogeneous composition of (epsilon, delta) mechanisms: epsilon at a delta",
        "The inverse across its knots, for deltas far below the range of doubles, and where no epsilon suffices.",
    );
    epsilon_inside(&mut suite);
    epsilon_at_extremes(&mut suite);
    suite
}

/// Ordinary parameters, and many compositions.
fn epsilon_inside(suite: &mut Suite) {
    suite.ask(
        &[Published],
        "Dong, Roth and Su, figure 5: the epsilon of 10 compositions at delta 0.001",
        approx_dp("1/sqrt(10)", "0", 10),
        "0.001",
    );
    for epsilon in ["1/8", "1/2", "1"] {
        for times in [1u32, 2, 10, 30, 100] {
            for delta in ["1/4", "1/1024", "1/1048576"] {
                suite.ask(&[Ordinary], "dyadic parameters", approx_dp(epsilon, "0", times.into()), delta);
            }
        }
    }
    for (epsilon, times) in [("f64:0x1p-7", 10_000u64), ("f64:0x1p-10", 100_000)] {
        for delta in ["f64:0x1p-1", "f64:0x1p-20", "f64:0x1p-40", "f64:0x1p-100"] {
            suite.ask(
                &[ManyCompositions],
                "many compositions at double parameters",
                approx_dp(epsilon, "0", times),
                delta,
            );
        }
    }
    for delta in ["1e-3", "1e-6", "1e-9"] {
        suite.ask(
            &[ManyCompositions],
            "a million compositions",
            approx_dp("f64:0x1p-10", "f64:0x1p-40", 1_000_000),
            delta,
        );
    }
}

/// Small targets, tiny and huge epsilons, and the boundary of the domain.
fn epsilon_at_extremes(suite: &mut Suite) {
    for delta in ["1e-9", "1e-12", "1e-16", "1e-30", "1e-100", "1e-300", "1e-400"] {
        suite.ask(&[TinyDelta], "a small target", approx_dp("0.1", "0", 1000), delta);
        suite.ask(&[TinyDelta], "a small target", approx_dp("1", "0", 40), delta);
    }
    for (x, times) in [("3/2", 4u64), ("2", 7), ("11/10", 12)] {
        for delta in ["1/100", "1/10", "1/5", "1/2"] {
            suite.ask(
                &[Ordinary],
                "e^epsilon of the answer is rational",
                approx_dp(&format!("ln({x})"), "1/1000", times),
                delta,
            );
        }
    }
    for (epsilon, times, delta) in [("f64:0.1", 1100u64, "f64:1e-6"), ("f64:0x1p-10", 100, "f64:1e-12")] {
        suite.ask(
            &[ManyCompositions],
            "binomials overflow, or a bracket is too coarse",
            approx_dp(epsilon, "0", times),
            delta,
        );
    }
    for (epsilon, times) in [("1e-9", 100u64), ("1e-100", 10), ("1e-18", 3)] {
        for share in ["1/2", "1/10"] {
            suite.ask(
                &[TinyEpsilon, Cancellation],
                "a target in proportion to a tiny epsilon",
                approx_dp(epsilon, "0", times),
                format!("{share}*{epsilon}"),
            );
        }
    }
    for (epsilon, times, delta) in [("50", 2u64, "1/2"), ("800", 3, "1/1000"), ("3000", 4, "1e-20")] {
        suite.ask(&[HugeEpsilon], "e^epsilon overflows a double", approx_dp(epsilon, "0", times), delta);
    }
    for (mechanism, delta, flags) in [
        (approx_dp("1", "1/8", 3), "1/8", &[Edge, Infinite][..]),
        (approx_dp("1", "1/8", 3), "170/512", &[Edge]),
        (approx_dp("1", "0", 3), "0", &[Edge]),
        (approx_dp("1", "0", 3), "1", &[Edge]),
        (approx_dp("1", "0", 3), "0.999999", &[Edge]),
        (approx_dp("2", "1", 1), "0.999999999999999999", &[Edge, Infinite]),
    ] {
        suite.ask(flags, "a boundary of the domain", mechanism, delta);
    }
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "kov",
        QuantityName::Beta,
        "Optimal homogeneous composition of (epsilon, delta) mechanisms: trade-off function",
        "Points exactly at vertices of the composed region, and type I errors near 0 and 1.",
    );
    for (x, times) in [("3/2", 2u64), ("2", 5), ("11/10", 9)] {
        for alpha in ["0", "1/32", "1/10", "1/4", "1/3", "1/2", "7/10", "9/10", "1"] {
            suite.ask(
                &[ExactRational],
                "rational data, hence a rational type II error",
                approx_dp(&format!("ln({x})"), "1/100", times),
                alpha,
            );
        }
    }
    for (alpha, comment) in [("1/3", "on a vertex"), ("1/9", "on a vertex"), ("5/9", "on a vertex")] {
        suite.ask(&[OnKnot, ExactRational], comment, approx_dp("ln(2)", "0", 2), alpha);
    }
    for epsilon in ["1/8", "1/2", "1"] {
        for times in [1u32, 5, 30, 100] {
            for alpha in ["1/1024", "1/16", "1/4", "3/4"] {
                suite.ask(&[Ordinary], "dyadic parameters", approx_dp(epsilon, "1/1024", times.into()), alpha);
            }
        }
    }
    for alpha in ["1e-9", "1e-30", "1e-300", "1e-400"] {
        suite.ask(&[SmallAlpha], "a small type I error", approx_dp("0.1", "0", 100), alpha);
        suite.ask(&[AlphaNearOne], "a type I error near 1", approx_dp("0.1", "0", 100), format!("1 - {alpha}"));
        suite.ask(
            &[AlphaNearOne, SmallAlpha],
            "deep in the last segment",
            approx_dp("1", "0", 20),
            format!("1 - {alpha}"),
        );
    }
    for times in [10_000u64, 100_000] {
        for alpha in ["1/1024", "1/2", "1023/1024"] {
            suite.ask(
                &[ManyCompositions],
                "many compositions at double parameters",
                approx_dp("f64:0x1p-10", "0", times),
                alpha,
            );
        }
    }
    for (mechanism, alpha) in [
        (approx_dp("1", "1/8", 3), "0"),
        (approx_dp("1", "1/8", 3), "1"),
        (approx_dp("1", "1/8", 3), "343/512"),
        (approx_dp("0", "0", 3), "1/3"),
        (approx_dp("1", "1", 2), "1/3"),
    ] {
        suite.ask(&[Edge], "a boundary of the domain", mechanism, alpha);
    }
    suite
}
