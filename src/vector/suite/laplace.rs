//! The Laplace mechanism and its compositions.

use crate::query::QuantityName;

use super::Flag::{
    AlphaNearOne, BesideKnot, Cancellation, Edge, ExactRational, HugeEpsilon, Infinite, LargeNoise, OnKnot, Ordinary,
    SmallAlpha, SmallNoise, TinyDelta, TinyEpsilon,
};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "laplace",
        QuantityName::Delta,
        "Laplace mechanism: delta at an epsilon",
        "The privacy loss has atoms at both ends, which grids and rounding move. Compositions are finite sums with \
         cancellation.",
    );
    for scale in ["1/8", "1/2", "1", "2", "16"] {
        for share in ["0", "1/4", "1/2", "3/4", "63/64", "1"] {
            suite.ask(
                &[Ordinary],
                "a share of the pure epsilon",
                format!("laplace(scale={scale})"),
                format!("{share}/({scale})"),
            );
        }
    }
    for c in ["ln(9/4)", "2*ln(3)", "ln(25)"] {
        for x in ["1", "9/4", "25/16"] {
            suite.ask(
                &[ExactRational],
                "rational exponentials, hence a rational delta",
                format!("laplace(scale=1, sensitivity={c})"),
                format!("ln({x})"),
            );
        }
    }
    for (scale, at) in [
        ("1", "1 - 1e-12"),
        ("1", "1 - 1e-30"),
        ("1", "1 + 1e-30"),
        ("1/4", "4 - 1e-300"),
        ("f64:0x1p-3", "f64:0x1.fffffffffffffp2"),
    ] {
        suite.ask(&[BesideKnot, TinyDelta], "beside the largest loss", format!("laplace(scale={scale})"), at);
    }
    for (c, at) in [("1", "f64:0x1.fffffffffffffp-1"), ("f64:1e-17", "0"), ("1", "-3/2"), ("f64:1e-16", "f64:1e-17")] {
        suite.ask(
            &[Cancellation],
            "an exponent that is nearly 0, or a formula outside its domain",
            format!("laplace(scale=1, sensitivity={c})"),
            at,
        );
    }
    for (scale, at) in
        [("1e10", "0"), ("1e10", "5e-11"), ("1e100", "0"), ("1e300", "1e-301"), ("f64:0x1p60", "f64:0x1p-61")]
    {
        suite.ask(&[LargeNoise, TinyEpsilon], "much noise", format!("laplace(scale={scale})"), at);
    }
    for (scale, at) in [("1/1000", "1"), ("1/1000", "999"), ("1/64", "0"), ("1/2000", "1999.5")] {
        suite.ask(&[SmallNoise, HugeEpsilon], "little noise", format!("laplace(scale={scale})"), at);
    }
    for at in ["-1/2", "-1", "-2"] {
        suite.ask(&[Ordinary], "a negative epsilon", "laplace(scale=1)", at);
    }
    for (times, points) in
        [(2u64, ["0", "1/2", "1", "7/4"]), (3, ["0", "1", "2", "11/4"]), (4, ["1/3", "2", "3", "31/8"])]
    {
        for at in points {
            suite.ask(
                &[Ordinary],
                "a composition: atoms and densities of piecewise polynomials times exponentials",
                format!("laplace(scale=1)^{times}"),
                at,
            );
        }
    }
    for (scale, times, at) in [("2", 4u64, "1"), ("4", 5, "1/2"), ("1/2", 3, "4"), ("8", 6, "1/4"), ("1/4", 2, "7.5")] {
        suite.ask(&[Ordinary], "compositions at other scales", format!("laplace(scale={scale})^{times}"), at);
    }
    for (times, at) in [(2u64, "2"), (3, "1"), (3, "3"), (4, "0"), (4, "2")] {
        suite.ask(&[OnKnot], "exactly where atoms and pieces meet", format!("laplace(scale=1)^{times}"), at);
    }
    for (mechanism, at) in [("laplace(scale=1, sensitivity=0)", "0"), ("laplace(scale=1)", "2")] {
        suite.ask(&[Edge], "delta is 0 at this epsilon", mechanism, at);
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "laplace",
        QuantityName::Epsilon,
        "Laplace mechanism: epsilon at a delta",
        "The inverse reaches the largest privacy loss, an atom, where searches stop too early.",
    );
    for scale in ["1/2", "1", "2", "16"] {
        for delta in ["0", "1/1024", "f64:0x1p-30", "1/64"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("laplace(scale={scale})"), delta);
        }
    }
    for delta in ["1e-20", "1e-100", "1e-300", "1e-400"] {
        suite.ask(&[TinyDelta], "a target below the resolution of the loss", "laplace(scale=1)", delta);
    }
    for (times, delta) in [(2u64, "1/1024"), (2, "1e-9"), (3, "1/1024"), (3, "1/16"), (4, "1e-6"), (5, "1/100")] {
        suite.ask(&[Ordinary], "a composition", format!("laplace(scale=2)^{times}"), delta);
    }
    for (mechanism, delta, flags) in [
        ("laplace(scale=1)", "1", &[Edge][..]),
        ("laplace(scale=1)", "1/2", &[Edge]),
        ("laplace(scale=1)^3", "0", &[Edge]),
        ("laplace(scale=1)*approx-dp(epsilon=0, delta=1/8)", "1/16", &[Edge, Infinite]),
    ] {
        suite.ask(flags, "a boundary of the domain", mechanism, delta);
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "laplace",
        QuantityName::Beta,
        "Laplace mechanism: trade-off function",
        "Three pieces with exact junctions; compositions with atoms in the privacy loss.",
    );
    for (alpha, comment) in [("0.1", "first piece"), ("0.3", "second piece"), ("0.7", "third piece")] {
        suite.ask(&[Ordinary], comment, "laplace(scale=1)", alpha);
    }
    for scale in ["1/4", "1", "8"] {
        for alpha in ["1/1024", "1/8", "1/2", "7/8"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("laplace(scale={scale})"), alpha);
        }
    }
    for alpha in ["1/8", "2/9", "1/2", "3/4"] {
        suite.ask(
            &[ExactRational, OnKnot],
            "rational data; 2/9 and 1/2 are where pieces meet",
            "laplace(scale=1, sensitivity=ln(9/4))",
            alpha,
        );
    }
    for (c, alpha) in [("720", "f64:1e-320"), ("500", "f64:0x1p-1000")] {
        suite.ask(
            &[HugeEpsilon, SmallAlpha],
            "e^c overflows a double",
            format!("laplace(scale=1, sensitivity={c})"),
            alpha,
        );
    }
    for alpha in ["1e-9", "1e-300", "1e-400"] {
        suite.ask(&[SmallAlpha], "a small type I error", "laplace(scale=1)", alpha);
    }
    for alpha in ["1e-9", "1e-17"] {
        suite.ask(&[AlphaNearOne], "a type I error near 1", "laplace(scale=1)", format!("1 - {alpha}"));
    }
    for (times, alphas) in [(2u64, ["1/64", "1/4", "1/2", "7/8"]), (3, ["1/100", "1/5", "1/2", "9/10"])] {
        for alpha in alphas {
            suite.ask(&[Ordinary], "a composition", format!("laplace(scale=1)^{times}"), alpha);
        }
    }
    for (mechanism, alpha) in
        [("laplace(scale=1)", "0"), ("laplace(scale=1)", "1"), ("laplace(scale=1, sensitivity=0)", "1/3")]
    {
        suite.ask(&[Edge], "a boundary of the domain", mechanism, alpha);
    }
    suite
}
