//! The discrete Gaussian mechanism, alone and composed with itself.

use crate::query::QuantityName;

use super::Flag::{
    AlphaNearOne, Edge, HugeEpsilon, Infinite, LargeNoise, ManyCompositions, OnKnot, Ordinary, Published, SmallAlpha,
    SmallNoise, TinyDelta, TinyEpsilon, Underflow,
};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "discrete-gaussian",
        QuantityName::Delta,
        "Discrete Gaussian mechanism: delta at an epsilon",
        "The discrete mechanism is not dominated by the continuous one: a bound for the latter is unsound here.",
    );
    delta_of_people(&mut suite);
    delta_at_knots(&mut suite);
    delta_at_extremes(&mut suite);
    delta_of_compositions(&mut suite);
    suite
}

/// Published values, and ordinary parameters.
fn delta_of_people(suite: &mut Suite) {
    for at in ["2.32", "2.63", "1", "0"] {
        suite.ask(
            &[Published],
            "the US level of the 2020 census, 2022-03-16 allocation",
            "discrete-gaussian(sigma2=120000/1729)^9",
            at,
        );
    }
    for (sigma2, at) in [("1", "1"), ("4", "1/2"), ("1/4", "1")] {
        suite.ask(
            &[Published],
            "the continuous Gaussian underestimates here",
            format!("discrete-gaussian(sigma2={sigma2})"),
            at,
        );
    }
    for sigma2 in ["1/4", "1/2", "1", "2", "4", "16", "100"] {
        for at in ["0", "1/8", "1/2", "1", "2", "4"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("discrete-gaussian(sigma2={sigma2})"), at);
        }
    }
}

/// Knots of the profile, and larger sensitivities.
fn delta_at_knots(suite: &mut Suite) {
    // The threshold epsilon sigma^2 - 1/2 is an integer.
    for (sigma2, at) in [("1", "1/2"), ("1", "3/2"), ("4", "5/8"), ("16", "33/32"), ("2", "1/4"), ("1/4", "2")] {
        suite.ask(&[OnKnot], "on a knot of the profile", format!("discrete-gaussian(sigma2={sigma2})"), at);
        suite.ask(
            &[OnKnot],
            "closer to a knot than double precision resolves",
            format!("discrete-gaussian(sigma2={sigma2})"),
            format!("{at} + 1e-25"),
        );
    }
    for (sigma2, sensitivity, at) in
        [("4", 2u32, "1"), ("4", 3, "1/2"), ("9", 5, "3"), ("1", 2, "3"), ("100", 7, "1"), ("1/2", 3, "8")]
    {
        suite.ask(
            &[Ordinary],
            "a query of larger sensitivity",
            format!("discrete-gaussian(sigma2={sigma2}, sensitivity={sensitivity})"),
            at,
        );
    }
}

/// Deep tails, little noise and much.
fn delta_at_extremes(suite: &mut Suite) {
    for (sigma2, at, flag) in [
        ("1", "f64:12.5", TinyDelta),
        ("1", "14", TinyDelta),
        ("1/4", "80", TinyDelta),
        ("100", "f64:1.25", TinyDelta),
        ("1048576", "f64:0.0125", TinyDelta),
        ("1", "8", TinyDelta),
        ("1", "20", TinyDelta),
        ("1", "36.5", TinyDelta),
        ("1", "40", Underflow),
        ("16", "4", TinyDelta),
        ("16", "9", TinyDelta),
        ("100", "3", TinyDelta),
        ("100", "4", Underflow),
        ("1/4", "60", TinyDelta),
    ] {
        suite.ask(&[flag], "deep in the tail", format!("discrete-gaussian(sigma2={sigma2})"), at);
    }
    for (sigma2, at) in [
        ("1e-6", "0"),
        ("1e-6", "10"),
        ("1/400", "199"),
        ("1/400", "201"),
        ("1/100", "1"),
        ("1/100", "49"),
        ("1/100", "51"),
        ("1/16", "8"),
        ("1/16", "9"),
    ] {
        suite.ask(
            &[SmallNoise, HugeEpsilon],
            "noise so small that nearly all mass is on one point",
            format!("discrete-gaussian(sigma2={sigma2})"),
            at,
        );
    }
    for (sigma2, at) in [
        ("1e6", "0"),
        ("1e6", "1/1000"),
        ("1e6", "1/100"),
        ("1e10", "1e-5"),
        ("1e10", "5e-5"),
        ("1e20", "0"),
        ("1e20", "1e-10"),
        ("1e34", "0"),
        ("1e34", "1e-17"),
        ("1e34", "1e-16"),
    ] {
        suite.ask(&[LargeNoise, TinyEpsilon], "much noise", format!("discrete-gaussian(sigma2={sigma2})"), at);
    }
}

/// Compositions, negative epsilons, and the boundary of the domain.
fn delta_of_compositions(suite: &mut Suite) {
    for (sigma2, times) in [("1", 2u64), ("2", 5), ("100", 72), ("4", 20), ("25/4", 10), ("1/2", 3)] {
        for at in ["0", "1/2", "2", "5"] {
            suite.ask(&[Ordinary], "a composition", format!("discrete-gaussian(sigma2={sigma2})^{times}"), at);
        }
    }
    for (sigma2, times, at) in [("100", 200u64, "1"), ("100", 200, "4"), ("9", 1000, "60"), ("9", 1000, "70")] {
        suite.ask(&[ManyCompositions], "many compositions", format!("discrete-gaussian(sigma2={sigma2})^{times}"), at);
    }
    for (sigma2, times, at) in [("100", 72u64, "8"), ("100", 72, "16"), ("4", 20, "60"), ("1", 9, "80")] {
        suite.ask(&[TinyDelta], "the tail of a composition", format!("discrete-gaussian(sigma2={sigma2})^{times}"), at);
    }
    for at in ["-1/2", "-2"] {
        suite.ask(&[Ordinary], "a negative epsilon", "discrete-gaussian(sigma2=1)", at);
    }
    for (mechanism, at) in [
        ("discrete-gaussian(sigma2=1, sensitivity=0)", "0"),
        ("discrete-gaussian(sigma2=1)*approx-dp(epsilon=0, delta=1/1000)", "1"),
    ] {
        suite.ask(&[Edge], "a boundary of the domain", mechanism, at);
    }
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "discrete-gaussian",
        QuantityName::Epsilon,
        "Discrete Gaussian mechanism: epsilon at a delta",
        "The query of the 2020 census, and targets at which accountants fall back on the continuous Gaussian.",
    );
    suite.ask(
        &[Published],
        "the US level of the 2020 census, 2022-03-16 allocation: 2.63 by zCDP, 2.32 exactly",
        "discrete-gaussian(sigma2=120000/1729)^9",
        "1e-11",
    );
    for sigma2 in ["1/4", "1", "4", "16", "100"] {
        for delta in ["1/64", "1/1024", "f64:0x1p-30", "f64:0x1p-53"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("discrete-gaussian(sigma2={sigma2})"), delta);
        }
    }
    for delta in ["1e-20", "1e-100", "1e-300", "1e-320"] {
        suite.ask(&[TinyDelta], "a small target", "discrete-gaussian(sigma2=4)", delta);
    }
    for delta in ["1e-20", "1e-40"] {
        suite.ask(&[TinyDelta], "a small target for a composition", "discrete-gaussian(sigma2=25)^20", delta);
    }
    for (sigma2, times, delta) in
        [("2", 5u64, "1e-5"), ("100", 72, "1e-5"), ("4", 20, "1e-6"), ("9", 200, "1e-9"), ("1", 2, "1/10")]
    {
        suite.ask(&[Ordinary], "a composition", format!("discrete-gaussian(sigma2={sigma2})^{times}"), delta);
    }
    for (sigma2, delta) in [("1/100", "1e-5"), ("1/400", "1e-9"), ("1/100", "1/2")] {
        suite.ask(&[SmallNoise], "little noise", format!("discrete-gaussian(sigma2={sigma2})"), delta);
    }
    for (sigma2, delta) in [("1e10", "1e-6"), ("1e20", "1e-12"), ("1e34", "1e-18")] {
        suite.ask(&[LargeNoise], "much noise", format!("discrete-gaussian(sigma2={sigma2})"), delta);
    }
    for (mechanism, delta, flags) in [
        ("discrete-gaussian(sigma2=1)", "1", &[Edge][..]),
        ("discrete-gaussian(sigma2=1)", "1/2", &[Edge]),
        ("discrete-gaussian(sigma2=1)", "0", &[Edge, Infinite]),
        ("discrete-gaussian(sigma2=1, sensitivity=0)", "0", &[Edge]),
    ] {
        suite.ask(flags, "a boundary of the domain", mechanism, delta);
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "discrete-gaussian",
        QuantityName::Beta,
        "Discrete Gaussian mechanism: trade-off function",
        "Infinitely many vertices, accumulating at both ends.",
    );
    for sigma2 in ["1/4", "1", "4", "100"] {
        for alpha in ["1/1024", "1/16", "1/4", "1/2", "15/16"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("discrete-gaussian(sigma2={sigma2})"), alpha);
        }
    }
    for alpha in ["1e-9", "1e-30"] {
        suite.ask(&[SmallAlpha], "a small type I error", "discrete-gaussian(sigma2=1)", alpha);
        suite.ask(&[AlphaNearOne], "a type I error near 1", "discrete-gaussian(sigma2=1)", format!("1 - {alpha}"));
    }
    for (sigma2, times) in [("4", 9u64), ("100", 72), ("120000/1729", 9)] {
        for alpha in ["1/100", "1/4", "3/4"] {
            suite.ask(&[Ordinary], "a composition", format!("discrete-gaussian(sigma2={sigma2})^{times}"), alpha);
        }
    }
    for alpha in ["0", "1"] {
        suite.ask(&[Edge], "a boundary of the domain", "discrete-gaussian(sigma2=1)", alpha);
    }
    suite
}
