//! Guarantees through the front door: bounds are above what keeps them, and agree with each other.

use super::*;
use crate::answer::{Answer, Bound as Kept, Outcome, Session};
use crate::query::Query;

/// By bounds of divergences alone, whatever promises say.
fn ask(line: &str) -> Answer {
    let query: Query = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let session = Session::by_divergences(query.mechanism.clone(), query.method);
    session.answer(&query, &Budget::default()).unwrap_or_else(|error| panic!("{line}: {error}"))
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
    let line = r#"{"quantity":"delta","at":{"epsilon":"1"},
                   "mechanism":"zcdp(rho=1) * poisson(rate=1/2, approx-dp(epsilon=1, delta=1/9))"}"#;
    let Outcome::Undefined(reason) = ask(line).outcome else { panic!() };
    assert!(reason.contains("approx-dp(epsilon=1, delta=1/9)), whose Renyi divergences are infinite"), "{reason}");
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

/// A weaker guarantee is answered by no smaller bound: what is `rho a` at every order is so at one.
#[test]
fn all_orders_are_not_worse_than_one() {
    for (order, epsilon) in [("5/2", "5/4"), ("101/100", "101/200"), ("8", "4")] {
        for (quantity, at) in POINTS.into_iter().filter(|(name, _)| !matches!(*name, "renyi" | "kl")) {
            let all = number(quantity, "zcdp(rho=1/2)", at, "worst").0.enclosure(64);
            let one = number(quantity, &format!("rdp(order={order}, epsilon={epsilon})"), at, "worst").0.enclosure(64);
            let worse = if quantity == "beta" { one.lower() > all.upper() } else { one.upper() < all.lower() };
            assert!(!worse, "{quantity} {at}: {all:?}, order {order} {one:?}");
        }
    }
}

/// What fails outright is taken out: `1 - (1-d)(1-delta)`, and of approx-dp randomised response is left.
#[test]
fn failures_are_taken_out() {
    for (guarantee, beside, rest, survival) in [
        ("zcdp(rho=1/2)", "approx-dp(epsilon=1, delta=1/100)", "randomized-response(epsilon=1)", (99, 100)),
        ("zcdp(rho=1/2)", "approx-dp(epsilon=0, delta=1/10)^2", "gdp(mu=0)", (81, 100)),
        ("rdp(order=4, epsilon=1)", "approx-dp(epsilon=1/2, delta=1/4)", "pure-dp(epsilon=1/2)", (3, 4)),
        // The worse of both sides fails; what is left is a pair of its own.
        ("zcdp(rho=1/2)", "finite(p=[1/2,1/4,1/4], q=[1/3,2/3,0])", "finite(p=[2/3,1/3], q=[1/3,2/3])", (3, 4)),
    ] {
        let kept = Enclosure::rational(&Rational::from(survival), 64);
        let one = Enclosure::one(64);
        for at in ["1/2", "2"] {
            let at = format!(r#"{{"epsilon":"{at}"}}"#);
            let whole = number("delta", &format!("{guarantee} * {beside}"), &at, "worst").0.enclosure(64);
            let inner = number("delta", &format!("{guarantee} * {rest}"), &at, "worst").0.enclosure(64);
            assert!(whole.overlaps(&(&one - &(&kept * &(&one - &inner)))), "{guarantee} {beside} {at}: {whole:?}");
        }
        for alpha in ["1/20", "1/2"] {
            let scaled = alpha.parse::<Rational>().unwrap() / Rational::from(survival);
            let whole =
                number("beta", &format!("{guarantee} * {beside}"), &format!(r#"{{"alpha":"{alpha}"}}"#), "worst");
            let inner =
                number("beta", &format!("{guarantee} * {rest}"), &format!(r#"{{"alpha":"{scaled}"}}"#), "worst");
            assert!(whole.0.enclosure(64).overlaps(&(&kept * &inner.0.enclosure(64))), "{guarantee} {beside} {alpha}");
        }
    }
    let line = |delta: &str| {
        format!(
            r#"{{"quantity":"epsilon","mechanism":"zcdp(rho=1)*approx-dp(epsilon=1,delta=1/100)",
                "at":{{"delta":"{delta}"}},"digits":6}}"#
        )
    };
    assert!(matches!(ask(&line("1/100")).outcome, Outcome::Infinite));
    assert!(matches!(ask(&line("1/50")).outcome, Outcome::Enclosure(_)));
}

/// `k^2 rho`, `k H_k (mu - tau^2/2) + k^2 a tau^2/2`, Mironov's powers of 3; of divergences the worst part of a
/// mixture.
#[test]
fn groups_and_mixtures_are_guarantees() {
    for (one, other) in [
        ("group(k=3, zcdp(rho=1/10))", "zcdp(rho=9/10)"),
        ("group(k=3, zcdp(rho=1/20)^2 * gdp(mu=1/5))", "zcdp(rho=9/10) * gdp(mu=3/5)"),
        // Laplace noise is (1/2)-DP, of which `D_a <= (a/2) tanh(1/4)` is known.
        ("group(k=2, zcdp(rho=1/10) * laplace(scale=2))", "zcdp(rho=4*(1/10 + (exp(1/2) - 1)/(exp(1/2) + 1)/2))"),
        ("group(k=4, rdp(order=16, epsilon=1/100))", "rdp(order=4, epsilon=9/100)"),
        // x = 1/4 and c = 1/2: mu = 2 (3/2) (1/4) + 4/2, tau^2 = 4.
        ("group(k=2, cdp(mu=3/4, tau=1))", "cdp(mu=11/4, tau=2)"),
        ("group(k=2, cdp(mu=1/4, tau=1))", "zcdp(rho=2)"),
        ("cdp(mu=1/2, tau=1)", "zcdp(rho=1/2)"),
        ("cdp(mu=1/4, tau=1/2)^4", "cdp(mu=1, tau=1)"),
        ("inverse(zcdp(rho=1/3))", "zcdp(rho=1/3)"),
        ("hull(zcdp(rho=1/3)^2)", "zcdp(rho=2/3)"),
        ("mixture(1/2: zcdp(rho=1/3), 1/2: gdp(mu=1))", "zcdp(rho=1/2)"),
        ("mixture(1/4: rdp(order=3, epsilon=1/2), 3/4: rdp(order=2, epsilon=1/3))", "rdp(order=2, epsilon=1/2)"),
    ] {
        // The profile of a mixture has a better bound than that of its worst part.
        let of_curve = if one.starts_with("mixture") { &[][..] } else { &[POINTS[0], POINTS[4], POINTS[6]] };
        for (quantity, at) in of_curve.iter().copied().chain([POINTS[7], POINTS[8]]) {
            let (first, kept) = number(quantity, one, at, "worst");
            let second = number(quantity, other, at, "worst").0;
            assert!(kept.is_some(), "{one}");
            assert!(
                first.enclosure(64).overlaps(&second.enclosure(64)),
                "{quantity} {at}: {one} {first:?}, {other} {second:?}"
            );
        }
    }
    for (mechanism, reason) in [
        ("group(k=4, rdp(order=7, epsilon=1))", "an order of at least 8"),
        ("group(k=2, rdp(order=7, epsilon=1) * zcdp(rho=1))", "no other guarantee"),
        (
            "group(k=2, zcdp(rho=1/10) * approx-dp(epsilon=1/2, delta=1/10))",
            "group privacy applies to the whole composition",
        ),
        ("group(k=2, zcdp(rho=1) * poisson(rate=1/2, gdp(mu=1)))", "group privacy applies to the whole composition"),
        ("subsample(rate=1/2, zcdp(rho=1))", "sampling requires a dominating pair"),
        ("hull(zcdp(rho=1) * laplace(scale=1))^2", "not together with laplace(scale=1)"),
    ] {
        let line = format!(r#"{{"quantity":"delta","mechanism":"{mechanism}","at":{{"epsilon":"1"}}}}"#);
        let Outcome::Undefined(told) = ask(&line).outcome else { panic!("{mechanism}") };
        assert!(told.contains(reason), "{mechanism}: {told}");
    }
}

/// A chain of neighbours of the whole: what keeps the guarantee in its place, beside the same, shows no more than is
/// told of a group. (By the groups of each alone it did: of Gaussian noise beside responses, for one.)
#[test]
fn groups_are_of_the_whole() {
    for (bound, kept) in [
        (
            "group(k=2, zcdp(rho=1/10) * randomized-response(epsilon=1/2))",
            "gdp(mu=sqrt(1/5)) * randomized-response(epsilon=1/2)",
        ),
        ("group(k=3, zcdp(rho=1/1000) * laplace(scale=1))", "gdp(mu=sqrt(1/500)) * laplace(scale=1)"),
        ("group(k=4, zcdp(rho=1/50)^2 * gdp(mu=1/9))", "gdp(mu=1/5)^2 * gdp(mu=1/9)"),
    ] {
        let k = &bound[..bound.find(',').expect("a comma")];
        let kept = format!("{k}, {kept})");
        for at in ["0", "1/2", "1", "2"] {
            let at = format!(r#"{{"epsilon":"{at}"}}"#);
            let (upper, told) = number("delta", bound, &at, "worst");
            let exact = number("delta", &kept, &at, "worst").0;
            assert!(told.is_some() && exact.enclosure(64).lower() <= upper.enclosure(64).upper(), "{bound} {at}");
        }
    }
}

/// Of nobody nothing is shown.
#[test]
fn a_group_of_nobody_shows_nothing() {
    for (quantity, at, value) in [
        ("delta", r#"{"epsilon":"0"}"#, (0, 1)),
        ("epsilon", r#"{"delta":"1/9"}"#, (0, 1)),
        ("beta", r#"{"alpha":"1/4"}"#, (3, 4)),
    ] {
        let found = number(quantity, "group(k=0, zcdp(rho=1))", at, "worst").0;
        assert!(found.enclosure(64).contains(&Rational::from(value)), "{quantity}: {found:?}");
    }
}

/// Good orders of bounded losses are large, where exponentials of `(a - 1) D_a` are no doubles: the tangent's is found
/// there, too, between the truth and what Markov's inequality says.
#[cfg(feature = "cli")]
#[test]
fn tangents_have_good_orders_beyond_doubles() {
    use crate::mechanism::Composition;

    let delta = Real::from(Rational::from((1, 100_000)));
    let bits = 64;
    for mechanism in ["randomized-response(epsilon=1)", "laplace(scale=1)^10", "geometric(epsilon=1/2)^5"] {
        let composition = Composition::parse_closed(mechanism).expect("a composition");
        let bounds = Guarantee::bounds(&composition).expect("bounds");
        let at = |how| {
            let found = bounds.converted_at_best(At::Delta(&delta), how, bits, &Budget::default()).expect("a bound");
            match found.value {
                Value::Finite(number) => number.enclosure(bits),
                Value::Infinite => panic!("{mechanism}: infinite"),
            }
        };
        let (tangent, markov) = (at(Conversion::Asoodeh), at(Conversion::Mironov));
        let (exact, _) = number("epsilon", mechanism, r#"{"delta":"1/100000"}"#, "forward");
        assert!(tangent.lower() > exact.enclosure(bits).upper(), "{mechanism}: {tangent:?} {exact:?}");
        assert!(tangent.upper() < markov.lower(), "{mechanism}: {tangent:?} {markov:?}");
    }
}
