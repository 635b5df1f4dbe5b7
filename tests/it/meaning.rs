//! What an answer says about the mechanism: every entry of the catalogue, every operator, every command.

use std::process::Command;

use dpcert::internals::{Mechanism, Shown, abbreviations, answer_line, answer_text};
use dpcert::{Answer, Bound, Budget, Composition, Direction, Functional, Meaning, Quantity, Query, Under, answer};

const LAST: &str = "noisy-cgd(epochs=2, batches=1, ratio=1, contraction=0)";

fn asked(quantity: Quantity, mechanism: &str) -> (Query, Answer) {
    let mechanism: Composition = mechanism.parse().expect(mechanism);
    let query = Query::new(quantity, mechanism).with_digits(4);
    let found = answer(&query, &Budget::default()).expect("an answer");
    (query, found)
}

fn meaning(quantity: Quantity, mechanism: &str) -> Option<Meaning> {
    asked(quantity, mechanism).1.meaning
}

fn delta(mechanism: &str) -> Option<Meaning> {
    meaning(Quantity::Delta { epsilon: "1/2".parse().expect("a constant") }, mechanism)
}

fn beta(mechanism: &str) -> Option<Meaning> {
    meaning(Quantity::Beta { alpha: "1/8".parse().expect("a constant") }, mechanism)
}

/// Each entry states in words what its answers are, and its example is answered with that meaning.
#[test]
fn every_entry_states_the_meaning_of_its_example() {
    for entry in Mechanism::catalogue().iter().chain(abbreviations()) {
        assert!(entry.answers.starts_with("Answers are ") && entry.answers.ends_with('.'), "{}", entry.name);
        let bound = entry.answers.starts_with("Answers are upper bounds");
        let found = beta(entry.example);
        let expected = if bound { Meaning::LowerBound } else { Meaning::Exact };
        assert_eq!(found, Some(expected), "{}", entry.example);
    }
}

/// What is made of a pair that only dominates dominates, too.
#[test]
fn operators_carry_bounds() {
    for inside in [LAST, "shuffle-clones(n=10, epsilon0=1)", "group(k=2, randomized-response(epsilon=1/2))"] {
        for whole in [
            format!("poisson(rate=1/10, {inside})"),
            format!("poisson(rate=1/10, {inside} * {inside})"),
            format!("subsample(rate=1/10, {inside})"),
            format!("mixture(1/3: gdp(mu=1), 2/3: {inside})"),
            format!("hull({inside})"),
            format!("inverse({inside})"),
            format!("symmetrize({inside})"),
            format!("group(k=1, {inside})"),
            format!("group(k=3, {inside})"),
            format!("{inside}^2"),
            format!("{inside} * gdp(mu=1/2)"),
        ] {
            assert_eq!(delta(&whole), Some(Meaning::UpperBound), "{whole}");
        }
    }
    for inside in ["gaussian(sigma=1)", "laplace(scale=1)", "randomized-response(epsilon=1)"] {
        for whole in [
            format!("poisson(rate=1/10, {inside})"),
            format!("mixture(1/3: gdp(mu=1), 2/3: {inside})"),
            format!("hull({inside})"),
            format!("inverse({inside})"),
            format!("symmetrize({inside})"),
            format!("group(k=1, {inside})"),
            format!("{inside}^2"),
            format!("{inside} * gdp(mu=1/2)"),
        ] {
            assert_eq!(delta(&whole), Some(Meaning::Exact), "{whole}");
            assert_eq!(beta(&whole), Some(Meaning::Exact), "{whole}");
        }
    }
}

/// A group is the same noise moved farther where there is one query with additive noise, or Gaussian noise alone.
#[test]
fn groups_are_exact_for_noise_that_moves() {
    for exact in [
        "gaussian(sigma=3)",
        "gaussian(sigma=3)^4 * gdp(mu=1/4)",
        "group(k=2, gaussian(sigma=9))",
        "laplace(scale=5)",
        "geometric(epsilon=1/4)",
        "discrete-gaussian(sigma2=9)",
        "staircase(epsilon=1/4, gamma=1/3)",
    ] {
        assert_eq!(delta(&format!("group(k=3, {exact})")), Some(Meaning::Exact), "{exact}");
    }
    for bounded in [
        "laplace(scale=5)^2",
        "gaussian(sigma=3) * laplace(scale=5)",
        "geometric(epsilon=1/4)^2",
        "randomized-response(epsilon=1/4)",
        "approx-dp(epsilon=1/4, delta=1/100)",
        "poisson(rate=1/10, gaussian(sigma=3))",
        "finite(p=[1/2,1/2], q=[1/4,3/4])",
    ] {
        assert_eq!(delta(&format!("group(k=3, {bounded})")), Some(Meaning::UpperBound), "{bounded}");
    }
}

/// The staircase of the group is the group of the staircase, and so for the other noise: the numbers are the same.
#[test]
fn groups_of_noise_have_the_numbers_of_noise_that_moved() {
    for (group, moved) in [
        ("group(k=3, staircase(epsilon=1/4, gamma=1/3))", "staircase(epsilon=1/4, gamma=1/3, sensitivity=3)"),
        ("group(k=3, geometric(epsilon=1/4))", "geometric(epsilon=1/4, sensitivity=3)"),
        ("group(k=3, discrete-gaussian(sigma2=9))", "discrete-gaussian(sigma2=9, sensitivity=3)"),
        ("group(k=3, laplace(scale=5))", "laplace(scale=5, sensitivity=3)"),
    ] {
        for alpha in ["1/100", "1/8", "1/3", "2/3"] {
            let number = |mechanism: &str| {
                let found = asked(Quantity::Beta { alpha: alpha.parse().expect("a constant") }, mechanism).1.outcome;
                (found.lower_f64().expect("a number"), found.upper_f64().expect("a number"))
            };
            let ((a, b), (c, d)) = (number(group), number(moved));
            assert!(a <= d && c <= b, "{group} at {alpha}: [{a}, {b}] and [{c}, {d}]");
        }
    }
}

/// The curve of both orders is exact in the worst direction; other divergences, products and single orders are bounds.
#[test]
fn curves_of_both_orders_are_exact_in_the_worst_direction() {
    let sample = "poisson(rate=1/10, gaussian(sigma=1))";
    for one in [format!("hull({sample})"), "subsample(rate=1/10, gaussian(sigma=1))".to_string()] {
        assert_eq!(delta(&one), Some(Meaning::Exact), "{one}");
        assert_eq!(meaning(Quantity::Max, &one), Some(Meaning::Exact), "{one}");
        assert_eq!(beta(&one), Some(Meaning::Exact), "{one}");
        for (direction, quantity, expected) in [
            (Direction::Forward, Quantity::Tv, Meaning::UpperBound),
            (Direction::Backward, Quantity::Beta { alpha: "1/8".parse().expect("a constant") }, Meaning::LowerBound),
        ] {
            let query = Query::new(quantity, one.parse().expect("a mechanism")).with_direction(direction);
            let found = answer(&query, &Budget::default()).expect("an answer");
            assert_eq!(found.meaning, Some(expected), "{one} {direction:?}");
        }
        assert_eq!(meaning(Quantity::Kl, &one), Some(Meaning::UpperBound), "{one}");
        assert_eq!(delta(&format!("{one}^2")), Some(Meaning::UpperBound), "{one}");
        assert_eq!(delta(&format!("group(k=1, {one})^2")), Some(Meaning::UpperBound), "{one}");
    }
    assert_eq!(delta(&format!("symmetrize({sample})")), Some(Meaning::UpperBound));
}

/// A bound is one on the side on which the quantity goes with privacy, and no bound where it does not go.
#[test]
fn sides_go_with_the_quantity() {
    let rate: dpcert::Real = "1/10".parse().expect("a constant");
    for (quantity, expected) in [
        (Quantity::Tv, Meaning::UpperBound),
        (Quantity::Kl, Meaning::UpperBound),
        (Quantity::Advantage, Meaning::UpperBound),
        (Quantity::GaussianFit, Meaning::UpperBound),
        (Quantity::Max, Meaning::UpperBound),
        (Quantity::TruePositiveRate { rate: rate.clone() }, Meaning::UpperBound),
        (Quantity::Conjugate { slope: "-2".parse().expect("a constant") }, Meaning::UpperBound),
        (Quantity::BayesRisk { prior: rate.clone() }, Meaning::LowerBound),
        (Quantity::Beta { alpha: rate.clone() }, Meaning::LowerBound),
        (Quantity::Functional(Functional::Hellinger), Meaning::UpperBound),
        (Quantity::Functional(Functional::Variance), Meaning::OfThePair),
        (Quantity::LossUpTo { threshold: rate.clone(), under: Under::Q }, Meaning::OfThePair),
        (Quantity::CanonicalCdf { x: rate }, Meaning::OfThePair),
    ] {
        let (query, found) = asked(quantity.clone(), LAST);
        assert_eq!(found.meaning, Some(expected), "{quantity:?}");
        assert_eq!(found.bound, expected.bound(), "{quantity:?}");
        let line = serde_json::to_value(answer_line(&query, &found)).expect("JSON");
        assert_eq!(line["meaning"], expected.name(), "{quantity:?}");
        assert!(line["because"].as_str().is_some_and(|why| why.contains("Bok, Su, Altschuler 2024")), "{line}");
    }
}

/// A word that stands for a composition keeps its meaning wherever its text stands.
#[test]
fn the_last_iterate_of_samples_is_bounded_everywhere() {
    let word = "noisy-sgd(steps=4, rate=1/10, ratio=1, contraction=1/2, sampled=2)";
    for whole in [
        word.to_string(),
        format!("{word} * gdp(mu=1)"),
        format!("mixture(1/2: {word}, 1/2: gdp(mu=1))"),
        format!("poisson(rate=1/10, {word})"),
        format!("hull({word})"),
        format!("({word})^2"),
    ] {
        assert_eq!(delta(&whole), Some(Meaning::UpperBound), "{whole}");
    }
    let line = format!(r#"{{"quantity":"delta","mechanism":"{word}","at":{{"epsilon":"1"}}}}"#);
    let query: Query = serde_json::from_str(&line).expect("a query");
    let found = answer(&query, &Budget::default()).expect("an answer");
    assert_eq!((found.meaning, found.bound), (Some(Meaning::UpperBound), Some(Bound::Upper)));
    // What it stands for is a composition like any other.
    assert_eq!(delta(&query.mechanism.to_string()), Some(Meaning::Exact));
}

/// Text and JSON say it, and `compare` calls no bound exact.
#[test]
fn no_command_calls_a_bound_exact() {
    let (query, found) = asked(Quantity::Epsilon { delta: "1e-5".parse().expect("a constant") }, LAST);
    let text = answer_text(&query, &found, Shown::default());
    assert!(text.contains("\n  an upper bound: the last iterate is at least as private as this pair"), "{text}");
    let run = |arguments: &[&str]| {
        let told = Command::new(env!("CARGO_BIN_EXE_dpcert")).args(arguments).output().expect("the program");
        String::from_utf8(told.stdout).expect("text")
    };
    let compared = run(&["compare", LAST, "--delta", "1e-5"]);
    assert!(compared.contains("bound by a dominating pair") && !compared.contains(" exact "), "{compared}");
    let accounts = run(&["compare", LAST, "--delta", "1e-5", "--json"]);
    let last = accounts.lines().last().expect("accounts");
    assert!(last.contains(r#""standing":"bound","meaning":"upper_bound""#), "{last}");
    let rows = run(&["curve", LAST, "--points", "3", "--json"]);
    assert!(rows.lines().all(|row| row.contains(r#""meaning":"upper_bound""#)), "{rows}");
    let ordered = run(&["order", LAST, "gdp(mu=1)", "--json"]);
    assert!(ordered.contains(r#""dominating":[{"side":"first","because":"the last iterate"#), "{ordered}");
    let least = run(&[
        "calibrate",
        "noisy-cgd(epochs=2, batches=1, ratio=?, contraction=0)",
        "--epsilon",
        "1",
        "--delta",
        "1e-5",
        "--json",
    ]);
    assert!(least.contains(r#""meaning":"upper_bound""#), "{least}");
    let exact = run(&["delta", "gdp(mu=1)", "--epsilon", "1", "--json"]);
    assert!(exact.contains(r#""meaning":"exact""#) && !exact.contains("because"), "{exact}");
}
