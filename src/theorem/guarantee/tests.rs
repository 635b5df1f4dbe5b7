//! Guarantees through the front door: bounds are above what keeps them, and agree with each other.

use super::*;
use crate::answer::{Answer, Bound as Kept, Outcome, answer};
use crate::query::Query;

fn ask(line: &str) -> Answer {
    let query: Query = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    answer(&query, &Budget::default()).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn number(quantity: &str, mechanism: &str, at: &str, direction: &str) -> (Number, Option<Kept>) {
    let line = format!(
        r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at},"direction":"{direction}","digits":6}}"#
    );
    let answer = ask(&line);
    let number = match &answer.outcome {
        Outcome::Exact(value) => Number::from(value),
        Outcome::Enclosure(set) => Number::from(set),
        other => panic!("{line}: {other:?}"),
    };
    (number, answer.bound)
}

const POINTS: [(&str, &str); 9] = [
    ("delta", r#"{"epsilon":"1/2"}"#),
    ("delta", r#"{"epsilon":"-1/2"}"#),
    ("delta", r#"{"epsilon":"2"}"#),
    ("tv", "{}"),
    ("epsilon", r#"{"delta":"1/1000000"}"#),
    ("epsilon", r#"{"delta":"1/5"}"#),
    ("beta", r#"{"alpha":"1/20"}"#),
    ("renyi", r#"{"order":"3/2"}"#),
    ("kl", "{}"),
];

/// Each mechanism keeps each guarantee beside it: every bound is on the right side of the truth, in both directions.
#[test]
fn no_bound_misses_a_mechanism() {
    for (mechanism, guarantees) in [
        ("gaussian(sigma=2)", vec!["zcdp(rho=1/8)", "rdp(order=2, epsilon=1/4)", "rdp(order=9, epsilon=9/8)"]),
        ("gaussian(sigma=2)^2", vec!["zcdp(rho=1/8) * gaussian(sigma=2)", "rdp(order=4, epsilon=1/2)^2"]),
        ("randomized-response(epsilon=1)", vec!["pure-dp(epsilon=1)", "zcdp(rho=1/2)", "zcdp(rho=463/1000)"]),
        ("laplace(scale=2)", vec!["pure-dp(epsilon=1/2)", "zcdp(rho=1/8)", "zcdp(rho=1/16) * zcdp(rho=1/16)"]),
        (
            "poisson(rate=1/4, gaussian(sigma=1)) * gdp(mu=1/2)",
            vec!["poisson(rate=1/4, gaussian(sigma=1)) * zcdp(rho=1/8)"],
        ),
        ("poisson(rate=1/3, laplace(scale=2))", vec!["poisson(rate=1/3, pure-dp(epsilon=1/2))"]),
        ("finite(p=[1/2, 1/2], q=[1/3, 2/3])^2", vec!["pure-dp(epsilon=ln(3/2))^2"]),
    ] {
        for guarantee in guarantees {
            // Integrals are slow where nothing is optimised.
            let every = if mechanism.contains(" * ") { 3 } else { 1 };
            for (quantity, at) in POINTS.into_iter().step_by(every) {
                for direction in ["forward", "backward"] {
                    let (truth, none) = number(quantity, mechanism, at, direction);
                    let (bound, kept) = number(quantity, guarantee, at, direction);
                    assert_eq!(none, None);
                    let (wrong, side) = match quantity {
                        "beta" => (Ordering::Greater, Kept::Lower),
                        _ => (Ordering::Less, Kept::Upper),
                    };
                    assert_eq!(kept, Some(side));
                    let order = bound.compare(&truth);
                    assert_ne!(
                        order,
                        Some(wrong),
                        "{quantity} {at} {direction}: {guarantee} {bound:?}, {mechanism} {truth:?}"
                    );
                }
            }
        }
    }
}

/// Orders beyond the one that is known, and losses of any size.
#[test]
fn what_is_not_bounded() {
    for line in [
        r#"{"quantity":"renyi","mechanism":"rdp(order=2, epsilon=1)","at":{"order":"3"}}"#,
        r#"{"quantity":"chi2","mechanism":"rdp(order=3/2, epsilon=1)"}"#,
        r#"{"quantity":"max","mechanism":"zcdp(rho=1/9)"}"#,
        r#"{"quantity":"epsilon","mechanism":"zcdp(rho=1/9)","at":{"delta":"0"}}"#,
    ] {
        assert!(matches!(ask(line).outcome, Outcome::Infinite), "{line}");
    }
    let chi = number("chi2", "rdp(order=5/2, epsilon=ln(3))", "{}", "worst").0;
    assert!(chi.enclosure(64).contains(&Rational::from(2)));
    // Of two orders the lower one is known.
    let both = number("renyi", "rdp(order=3, epsilon=1) * rdp(order=2, epsilon=1/2)", r#"{"order":"2"}"#, "worst").0;
    assert_eq!(both.exact(), Some(&Rational::from((3, 2))));
    let line =
        r#"{"quantity":"delta","mechanism":"zcdp(rho=1) * approx-dp(epsilon=1, delta=1/9)","at":{"epsilon":"1"}}"#;
    let Outcome::Undefined(reason) = ask(line).outcome else { panic!() };
    assert!(reason.contains("approx-dp(epsilon=1, delta=1/9), whose own are infinite"), "{reason}");
    // What guarantees that nothing is revealed is left out.
    let alone = number("delta", "gdp(mu=1)", r#"{"epsilon":"1"}"#, "worst").0;
    let beside = number("delta", "gdp(mu=1) * zcdp(rho=0) * rdp(order=2, epsilon=0)", r#"{"epsilon":"1"}"#, "worst").0;
    assert!(alone.enclosure(64).overlaps(&beside.enclosure(64)));
}

/// Without a type I error, what is beside a guarantee may be told apart all the same.
#[test]
fn mass_at_infinity_beside_a_guarantee() {
    for (beside, kept) in [
        ("gdp(mu=1)", (1, 1)),
        ("approx-dp(epsilon=1, delta=1/3)", (2, 3)),
        ("approx-dp(epsilon=0, delta=1/3)^2", (4, 9)),
        // One direction alone has it, and the bound is of both.
        ("poisson(rate=1/2, approx-dp(epsilon=0, delta=1/3))", (5, 6)),
    ] {
        for guarantee in ["zcdp(rho=1)", "rdp(order=2, epsilon=1)"] {
            let bound = |alpha| number("beta", &format!("{guarantee} * {beside}"), alpha, "worst").0;
            assert_eq!(bound(r#"{"alpha":"0"}"#).exact(), Some(&Rational::from(kept)), "{guarantee} {beside}");
            assert_eq!(bound(r#"{"alpha":"1"}"#).exact(), Some(&Rational::new()), "{guarantee} {beside}");
        }
    }
}

/// A Gaussian beside zCDP is more zCDP.
#[test]
fn concentration_adds_up() {
    for (quantity, at) in POINTS {
        let one = number(quantity, "zcdp(rho=1/8) * gdp(mu=1/2)^3", at, "worst").0;
        let other = number(quantity, "zcdp(rho=1/2)", at, "worst").0;
        assert!(one.enclosure(64).overlaps(&other.enclosure(64)), "{quantity} {one:?} {other:?}");
    }
}
