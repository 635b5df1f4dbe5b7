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

/// The table of models on the page about directions: the orders of all steps are the same, chosen beforehand, chosen
/// when the outputs so far are known, or each step is the hull of both.
#[test]
fn models_of_orders_are_those_of_the_page() {
    type Outcomes = Vec<(Rational, Rational)>;
    /// The profile at x: V_n(x) is the largest `sum p V_(n-1)(x q/p)` of the pairs that the step may have.
    fn value(steps: &[Vec<&Outcomes>], x: &Rational) -> Rational {
        let Some((step, rest)) = steps.split_first() else { return Rational::from(1 - x).max(Rational::new()) };
        let one = |outcomes: &&Outcomes| {
            let part = |(p, q): &(Rational, Rational)| value(rest, &(Rational::from(q / p) * x)) * p;
            outcomes.iter().map(part).fold(Rational::new(), |sum, part| sum + part)
        };
        step.iter().map(one).max().expect("a pair")
    }
    let page = std::fs::read_to_string("docs/pages/explanation/directions.md").expect("the page");
    let pair = |masses: &[(u32, u32)]| -> Outcomes {
        masses.iter().map(|&(p, q)| (Rational::from((p, 10)), Rational::from((q, 10)))).collect()
    };
    let (forward, backward) = (pair(&[(5, 2), (5, 8)]), pair(&[(2, 5), (8, 5)]));
    let hull = pair(&[(2, 5), (3, 3), (5, 2)]);
    // Four digits at both ends of an enclosure of e^epsilon.
    let shown = |models: &[Vec<Vec<&Outcomes>>], ends: [u64; 2]| {
        let at = |end| {
            let x = Rational::from((end, 10_000_000_000_u64));
            let largest = models.iter().map(|steps| value(steps, &x)).max().expect("a model");
            format!("{:.4}", largest.to_f64())
        };
        let [low, high] = ends.map(at);
        assert_eq!(low, high);
        low
    };
    let row = |[two, three]: [Vec<Vec<Vec<&Outcomes>>>; 2]| {
        let two = shown(&two, [16_487_212_707, 16_487_212_708]);
        format!("| {two} | {} |", shown(&three, [27_182_818_284, 27_182_818_285]))
    };
    let word = |j: usize, n: usize| -> Vec<Vec<&Outcomes>> {
        (0..n).map(|i| vec![if i < j { &forward } else { &backward }]).collect()
    };
    let rows = [
        row([2, 3].map(|n| vec![word(0, n), word(n, n)])),
        row([2, 3].map(|n| (0..=n).map(|j| word(j, n)).collect())),
        row([2, 3].map(|n| vec![vec![vec![&forward, &backward]; n]])),
        row([2, 3].map(|n| vec![vec![vec![&hull]; n]])),
    ];
    for row in rows {
        assert!(page.contains(&row), "{row}");
    }
}
