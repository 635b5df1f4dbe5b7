use std::time::Duration;

use super::super::planner::answered;
use super::*;
use crate::answer::answer;

fn query(line: &str) -> Query {
    serde_json::from_str(line).expect("a query")
}

/// Questions with a closed form, a short list or a short lattice, and a method by name that answers them too.
const AT_HAND: [(&str, &str, &str, Method); 12] = [
    ("delta", "gdp(mu=1)", r#"{"epsilon":"1"}"#, Method::ClosedForm),
    ("delta", "gdp(mu=sqrt(2))^3", r#"{"epsilon":"ln(3)"}"#, Method::ClosedForm),
    ("epsilon", "gaussian(sigma=1) * approx-dp(epsilon=0, delta=1e-7)", r#"{"delta":"1e-5"}"#, Method::ClosedForm),
    ("beta", "gdp(mu=1)", r#"{"alpha":"1/20"}"#, Method::ClosedForm),
    ("delta", "laplace(scale=1)^4", r#"{"epsilon":"1/2"}"#, Method::ClosedForm),
    ("delta", "randomized-response(epsilon=ln(3))^100", r#"{"epsilon":"ln(27)"}"#, Method::Quadrature),
    ("delta", "approx-dp(epsilon=0.1, delta=0)^1000", r#"{"epsilon":"15"}"#, Method::ClosedForm),
    ("delta", "geometric(epsilon=1/10)^50", r#"{"epsilon":"1"}"#, Method::Quadrature),
    ("delta", "geometric(epsilon=1/2, sensitivity=3)^5", r#"{"epsilon":"1"}"#, Method::Lattice),
    ("delta", "discrete-gaussian(sigma2=4)^3", r#"{"epsilon":"1"}"#, Method::Lattice),
    ("beta", "finite(p=[1/2,1/3,1/6], q=[1/4,1/4,1/2])", r#"{"alpha":"1/5"}"#, Method::Lattice),
    ("delta", "poisson(rate=1/10, gaussian(sigma=1))", r#"{"epsilon":"1"}"#, Method::ClosedForm),
];

/// A query from the list above, with this number of digits.
fn at_hand_query((quantity, mechanism, at, _): (&str, &str, &str, Method), digits: u32) -> Query {
    query(&format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at},"digits":{digits}}}"#))
}

#[test]
fn closed_forms_are_answered_before_other_engines_are_prepared() {
    for case in AT_HAND {
        for digits in [15, 250] {
            let query = at_hand_query(case, digits);
            let engines = Engines::new(query.mechanism.clone(), query.method);
            let found = answered(&engines, &query, &Budget::default(), &Proven::default()).expect("an answer");
            assert!(matches!(found.outcome, Outcome::Exact(_) | Outcome::Enclosure(_)), "{query}: {found:?}");
            assert_eq!(engines.rough_count(), 0, "{query}");
        }
    }
}

#[test]
fn closed_forms_agree_with_methods_by_name() {
    for case in AT_HAND {
        let asked = at_hand_query(case, 15);
        let number = |query: &Query| {
            let found = answer(query, &Budget::default()).expect("an answer");
            found.outcome.number().unwrap_or_else(|| panic!("{query}: {found:?}")).enclosure(200)
        };
        assert!(number(&asked).overlaps(&number(&asked.clone().with_method(case.3))), "{asked}");
    }
}

/// Only what takes a bounded time is computed on the calling thread.
#[test]
fn long_questions_are_not_light() {
    let light = |query: &Query| is_light(&Engines::new(query.mechanism.clone(), query.method), query);
    for case in &AT_HAND[..10] {
        assert!(light(&at_hand_query(*case, 15)), "{case:?}");
        assert!(!light(&at_hand_query(*case, LIGHT_DIGITS + 1)), "{case:?}");
        assert!(!light(&at_hand_query(*case, 15).with_method(case.3)), "{case:?}");
    }
    for case in &AT_HAND[10..] {
        assert!(!light(&at_hand_query(*case, 15)), "{case:?}");
    }
    for (quantity, mechanism, at) in [
        ("delta", "gdp(mu=1)", r#"{"epsilon":"3^1000/2^1000"}"#),
        ("delta", "gdp(mu=exp(sqrt(2)))", r#"{"epsilon":"1"}"#),
        ("delta", "laplace(scale=1)^2000", r#"{"epsilon":"1"}"#),
        ("delta", "geometric(epsilon=1/1000, sensitivity=100000)^100", r#"{"epsilon":"1"}"#),
        ("renyi", "discrete-gaussian(sigma2=1e30)", r#"{"order":"3/2"}"#),
        ("kl", "shuffle(n=1000000, epsilon0=1)", "{}"),
        ("epsilon", "zcdp(rho=1/10)", r#"{"delta":"1e-5"}"#),
        ("delta", "poisson(rate=1/100, gaussian(sigma=1))^1000", r#"{"epsilon":"1"}"#),
    ] {
        let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at}}}"#);
        assert!(!light(&query(&line)), "{line}");
    }
}

/// Where the time is over before it begins, nothing is computed on the calling thread either.
#[test]
fn closed_forms_without_time_have_no_more_than_bounds() {
    for case in AT_HAND {
        let query = at_hand_query(case, 15);
        let over = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::ZERO));
        let (engines, proven) = (Engines::new(query.mechanism.clone(), query.method), Proven::default());
        assert!(at_hand(&engines, &query, &over, &proven).expect("no alarm").is_none(), "{query}");
    }
}
