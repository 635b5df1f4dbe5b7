//! The numbers of the papers, to all the digits that are known of them.
//!
//! `tests/data/references.toml` has a query and its value on each entry. Asked for more digits than the value has, the
//! library's enclosure has to overlap the value give or take a unit of its last digit; an exact value has to be met.

use dpcert::{Budget, Outcome, Query, answer};
use enclosure::Number;
use enclosure::decimal::rational_bounds;
use rug::ops::Pow;
use rug::{Integer, Rational};
use serde::Deserialize;

/// More than any reference has.
const DIGITS: u32 = 50;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct References {
    reference: Vec<Reference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    source: String,
    query: String,
    value: Option<String>,
    exact: Option<String>,
}

/// A printed decimal, and a unit of its last digit.
fn printed(text: &str) -> (Rational, Rational) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let places = fraction.len() as i32 - exponent.parse::<i32>().expect("an exponent");
    let unit = Rational::from(10).pow(-places);
    let digits: Integer = format!("{whole}{fraction}").parse().expect("digits");
    (Rational::from(digits) * &unit, unit)
}

/// What is wrong with the answer to this reference, if anything.
fn fault(reference: &Reference) -> Option<String> {
    let query: Query = serde_json::from_str(&reference.query).expect("a query");
    let outcome = answer(&query.with_digits(DIGITS), &Budget::default()).expect("a well-formed query").outcome;
    let number = match &outcome {
        Outcome::Exact(value) => Number::from(value),
        Outcome::Enclosure(set) => Number::from(set),
        other => return Some(format!("{other:?}")),
    };
    let (lower, upper) = match &number {
        Number::Exact(value) => (value.clone(), value.clone()),
        Number::Enclosed(set) => rational_bounds(set).unwrap_or_else(|| panic!("unbounded: {}", reference.query)),
    };
    match (&reference.exact, &reference.value) {
        (Some(exact), None) => {
            let exact: Rational = exact.parse().expect("a rational");
            (number.exact() != Some(&exact)).then(|| format!("{outcome:?}"))
        }
        (None, Some(value)) => {
            let (value, unit) = printed(value);
            let overlap = lower <= Rational::from(&value + &unit) && upper >= value - unit;
            (!overlap).then(|| format!("{outcome:?}"))
        }
        _ => panic!("an entry has either a value or an exact one: {}", reference.query),
    }
}

#[test]
fn printed_values_are_met() {
    let references: References = toml::from_str(include_str!("../data/references.toml")).expect("the references");
    assert!(references.reference.len() >= 80, "references are only ever added");
    let faults: Vec<String> = references
        .reference
        .iter()
        .filter_map(|reference| {
            fault(reference).map(|what| format!("{}\n  {}\n  found {what}", reference.source, reference.query))
        })
        .collect();
    assert!(faults.is_empty(), "{} of the printed values are not met:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_digit_that_is_wrong_is_seen() {
    let reference = |value: &str| Reference {
        source: String::new(),
        query: r#"{"quantity":"kl","mechanism":"gdp(mu=1/3)"}"#.to_string(),
        value: Some(value.to_string()),
        exact: None,
    };
    assert_eq!(fault(&reference("0.0555555555555556")), None);
    assert_eq!(fault(&reference("5.555e-2")), None);
    assert!(fault(&reference("0.0555555555555558")).is_some());
    assert!(fault(&reference("0.0555555555555553")).is_some());
}

/// The table of models on the page about directions: the adversary orders the pair of each step in no way, beforehand,
/// or when the outputs so far are known.
#[test]
fn models_of_orders_are_those_of_the_page() {
    let page = std::fs::read_to_string("docs/pages/explanation/directions.md").expect("the page");
    let q = |n: i64, d: i64| Rational::from((n, d));
    let orders = [vec![(q(1, 2), q(1, 5)), (q(1, 2), q(4, 5))], vec![(q(1, 5), q(1, 2)), (q(4, 5), q(1, 2))]];
    // The profile at x of a word of orders, and of the best choice at each step: V(x) = max over orders of
    // sum p V'(x q/p).
    fn value(orders: &[Vec<(Rational, Rational)>], word: Option<&[usize]>, n: usize, x: &Rational) -> Rational {
        if n == 0 {
            return Rational::from(1 - x).max(Rational::new());
        }
        let all = orders.iter().enumerate().filter(|(at, _)| word.is_none_or(|word| word[n - 1] == *at));
        let one = |outcomes: &Vec<(Rational, Rational)>| {
            let part = |(p, q): &(Rational, Rational)| value(orders, word, n - 1, &(Rational::from(q / p) * x)) * p;
            outcomes.iter().map(part).fold(Rational::new(), |sum, part| sum + part)
        };
        all.map(|(_, outcomes)| one(outcomes)).max().expect("an order")
    }
    // Four digits at both ends of an enclosure of e^epsilon.
    let shown = |of: &dyn Fn(&Rational) -> Rational, ends: [Rational; 2]| {
        let [low, high] = ends.map(|x| format!("{:.4}", of(&x).to_f64()));
        assert_eq!(low, high);
        low
    };
    let two = || [q(16_487_212_707, 10_000_000_000), q(16_487_212_708, 10_000_000_000)];
    let three = || [q(27_182_818_284, 10_000_000_000), q(27_182_818_285, 10_000_000_000)];
    let best = |words: &[&[usize]], n: usize, x: &Rational| {
        words.iter().map(|word| value(&orders, Some(word), n, x)).max().expect("a word")
    };
    let row = |fixed: bool| {
        let (words2, words3): (&[&[usize]], &[&[usize]]) = if fixed {
            (&[&[0, 0], &[1, 1]], &[&[0, 0, 0], &[1, 1, 1]])
        } else {
            (&[&[0, 0], &[0, 1], &[1, 1]], &[&[0, 0, 0], &[0, 0, 1], &[0, 1, 1], &[1, 1, 1]])
        };
        [shown(&|x| best(words2, 2, x), two()), shown(&|x| best(words3, 3, x), three())]
    };
    let adaptive = [shown(&|x| value(&orders, None, 2, x), two()), shown(&|x| value(&orders, None, 3, x), three())];
    for [two, three] in [row(true), row(false), adaptive] {
        assert!(page.contains(&format!("| {two} | {three} |")), "{two} {three}");
    }
}
