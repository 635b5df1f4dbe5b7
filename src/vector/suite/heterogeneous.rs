//! Composition of different (epsilon, delta) mechanisms: Murtagh and Vadhan's optimal formula.

use crate::query::QuantityName;

use super::Flag::{Cancellation, Edge, ExactRational, Heterogeneous, ManyCompositions, OnKnot, TinyDelta, TinyEpsilon};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Compositions by grouping, by a common lattice, and of pairwise incommensurable epsilons.
const ORDINARY: [&str; 7] = [
    "approx-dp(epsilon=0.1, delta=0)*approx-dp(epsilon=0.2, delta=0)*approx-dp(epsilon=0.3, delta=0)",
    "approx-dp(epsilon=1/2, delta=0.01)*approx-dp(epsilon=1, delta=0.02)",
    "approx-dp(epsilon=1/8, delta=1/1024)^12*approx-dp(epsilon=1/4, delta=0)^5",
    "approx-dp(epsilon=0.1, delta=1e-6)^20*approx-dp(epsilon=0.25, delta=0)^8*approx-dp(epsilon=1, delta=1e-9)",
    "approx-dp(epsilon=sqrt(2), delta=0)*approx-dp(epsilon=1, delta=0)^3",
    "approx-dp(epsilon=sqrt(2)/4, delta=0)^4*approx-dp(epsilon=sqrt(3)/4, delta=0)^3*approx-dp(epsilon=1/3, delta=0)^2",
    "approx-dp(epsilon=ln(2), delta=0)*approx-dp(epsilon=1/2, delta=0)^2*approx-dp(epsilon=ln(3), delta=1/100)",
];

fn delta() -> Suite {
    let mut suite = Suite::new(
        "heterogeneous",
        QuantityName::Delta,
        "Optimal composition of different (epsilon, delta) mechanisms: delta at an epsilon",
        "Sums of privacy losses that coincide or nearly coincide, commensurable or not, and exact fractions of many \
         factors.",
    );
    for mechanism in ORDINARY {
        for at in ["0", "1/8", "2/5", "1", "2", "-1/2"] {
            suite.ask(&[Heterogeneous], "different epsilons", mechanism, at);
        }
    }
    for (mechanism, knots) in [
        ("approx-dp(epsilon=ln(2), delta=0)*approx-dp(epsilon=ln(3), delta=0)", ["ln(6)", "ln(3/2)", "0"]),
        ("approx-dp(epsilon=ln(2), delta=1/10)^2*approx-dp(epsilon=ln(3/2), delta=0)^2", ["ln(9)", "ln(4)", "ln(9/4)"]),
        ("approx-dp(epsilon=ln(2), delta=0)^3*approx-dp(epsilon=ln(4), delta=0)^2", ["7*ln(2)", "ln(8)", "ln(2)"]),
    ] {
        for at in knots {
            suite.ask(&[Heterogeneous, ExactRational, OnKnot], "rational data, on a knot", mechanism, at);
        }
        for at in ["ln(5/4)", "ln(7/3)", "ln(5)"] {
            suite.ask(&[Heterogeneous, ExactRational], "rational data, between knots", mechanism, at);
        }
    }
    for times in [100u32, 300] {
        let mechanism = format!(
            "approx-dp(epsilon=1/64, delta=0)^{times}*approx-dp(epsilon=3/64, delta=0)^{times}*approx-dp(epsilon=1/16, \
             delta=f64:0x1p-30)^{times}"
        );
        for at in ["0", "1", "3", "6"] {
            suite.ask(&[Heterogeneous], "hundreds of each of three dyadic mechanisms", &*mechanism, at);
        }
    }
    let many = "approx-dp(epsilon=1/128, delta=0)^700*approx-dp(epsilon=1/64, delta=0)^500";
    for at in ["0", "1", "4", "10"] {
        suite.ask(&[Heterogeneous, ManyCompositions], "more than a thousand mechanisms", many, at);
    }
    for at in ["14", "15.46", "15.468"] {
        suite.ask(&[Heterogeneous, TinyDelta, Cancellation], "near the largest loss", many, at);
    }
    for tiny in ["1e-12", "1e-100"] {
        let mechanism = format!("approx-dp(epsilon={tiny}, delta=0)^3*approx-dp(epsilon=2*{tiny}, delta=0)^2");
        for share in ["0", "1", "5"] {
            suite.ask(
                &[Heterogeneous, TinyEpsilon, Cancellation],
                "tiny epsilons",
                &*mechanism,
                format!("{share}*{tiny}"),
            );
        }
    }
    // Twelve square roots of primes: no two sums of losses are commensurable.
    let primes = ["2", "3", "5", "7", "11", "13", "17", "19", "23", "29", "31", "37"];
    for count in [4usize, 8, 12] {
        let factors: Vec<String> =
            primes[..count].iter().map(|p| format!("approx-dp(epsilon=sqrt({p})/8, delta=0)")).collect();
        let mechanism = factors.join("*");
        for at in ["0", "1/3", "1", "2"] {
            suite.ask(&[Heterogeneous], "pairwise incommensurable epsilons", &*mechanism, at);
        }
        let near_end: Vec<String> = primes[..count].iter().map(|p| format!("sqrt({p})/8")).collect();
        suite.ask(
            &[Heterogeneous, TinyDelta, Cancellation],
            "just below the largest loss",
            &*mechanism,
            format!("{} - 1e-30", near_end.join(" + ")),
        );
    }
    for (mechanism, at) in [
        ("approx-dp(epsilon=1, delta=0)*approx-dp(epsilon=0, delta=1/8)", "1/2"),
        ("approx-dp(epsilon=1, delta=0)*approx-dp(epsilon=2, delta=0)", "3"),
        ("approx-dp(epsilon=1, delta=0)*approx-dp(epsilon=2, delta=1)", "1"),
        ("approx-dp(epsilon=1, delta=0)*approx-dp(epsilon=2, delta=0)^0", "1/2"),
    ] {
        suite.ask(&[Heterogeneous, Edge], "a boundary of the domain", mechanism, at);
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "heterogeneous",
        QuantityName::Epsilon,
        "Optimal composition of different (epsilon, delta) mechanisms: epsilon at a delta",
        "The inverse between unevenly spaced knots.",
    );
    for mechanism in ORDINARY {
        for delta in ["1/4", "1/16", "0.05"] {
            suite.ask(&[Heterogeneous], "different epsilons", mechanism, delta);
        }
    }
    for delta in ["1/1024", "1e-9", "1e-15", "1e-40"] {
        suite.ask(
            &[Heterogeneous, TinyDelta],
            "a small target",
            "approx-dp(epsilon=1/64, delta=0)^100*approx-dp(epsilon=3/64, delta=0)^100",
            delta,
        );
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "heterogeneous",
        QuantityName::Beta,
        "Optimal composition of different (epsilon, delta) mechanisms: trade-off function",
        "Vertices at unevenly spaced sums of privacy losses.",
    );
    for mechanism in ORDINARY {
        for alpha in ["1/1024", "1/10", "1/2", "9/10"] {
            suite.ask(&[Heterogeneous], "different epsilons", mechanism, alpha);
        }
    }
    for alpha in ["0", "1/12", "1/4", "1/2", "1"] {
        suite.ask(
            &[Heterogeneous, ExactRational],
            "rational data",
            "approx-dp(epsilon=ln(2), delta=0)*approx-dp(epsilon=ln(3), delta=0)",
            alpha,
        );
    }
    suite
}
