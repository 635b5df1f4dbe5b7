//! Against the formulas, and against exact polylines.

use super::*;
use crate::curve::Value;
use crate::divergence::moments::averages as formulas;
use crate::divergence::{Kind, composed};
use crate::mechanism::Composition;

fn pair(text: &str) -> Pair {
    Pair::several(text.parse::<Composition>().expect(text).pairs().expect(text))
}

fn all() -> Vec<Average> {
    let centre = Enclosure::rational(&Rational::from((1, 3)), 200);
    let mut all: Vec<Average> = (1..=5).map(Average::Power).collect();
    all.extend([Average::Cube(centre), Average::Affinity, Average::Midpoint, Average::Triangle]);
    all
}

/// What has formulas is inside of the bounds, in both directions: listed losses to many digits, for they are found out,
/// and others to some.
#[test]
fn formulas_are_within_the_bounds() {
    let budget = Budget::default();
    for (text, bits) in [
        ("randomized-response(epsilon=1)", 28),
        ("approx-dp(epsilon=1, delta=1/10)", 28),
        ("finite(p=[1/2,1/3,1/6], q=[1/6,1/6,2/3])", 28),
        ("finite(p=[1/2,1/2,0], q=[1/4,1/4,1/2])", 28),
        ("geometric(epsilon=1/2, sensitivity=3)", 28),
        ("poisson(rate=1/3, randomized-response(epsilon=2))", 28),
        ("discrete-gaussian(sigma2=1/2)", 3),
        ("laplace(scale=1)", 3),
        ("gaussian(sigma=2)", 3),
        ("poisson(rate=1/4, gaussian(sigma=1))", 3),
    ] {
        let pair = pair(text);
        for direction in [Direction::Forward, Direction::Backward] {
            let bounds = averages(&pair, &all(), direction, 120, &budget).expect(text);
            let known = formulas(&pair, &all(), direction, 100, &budget).expect(text);
            for ((bound, known), of) in bounds.values.iter().zip(&known.values).zip(all()) {
                assert!(bound.overlaps(known), "{of:?} of {text}, {direction:?}: {bound:?} {known:?}");
                let narrow = bound.relative_bits() >= Some(bits) || bound.abs().upper() < &1e-3;
                assert!(narrow, "{of:?} of {text}, {direction:?}: {bound:?}");
            }
        }
    }
}

fn value(kind: Kind, text: &str, direction: Direction) -> Option<Enclosure> {
    let sum = composed(kind, &text.parse().expect(text)).expect(text);
    match sum.value(direction, 60, &Budget::default()).expect(text) {
        Value::Finite(number) => Some(number.enclosure(200)),
        Value::Infinite => None,
    }
}

/// Operators on what is nearly in fractions, by values, and on what is, by exact polylines.
#[test]
fn operators_agree_with_exact_polylines() {
    for text in [
        "group(k=3, X^2)",
        "group(k=2, X * finite(p=[1/2,1/2], q=[1/5,4/5]))",
        "group-one-way(k=2, X * finite(p=[1/2,1/2], q=[1/5,4/5]))",
        "symmetrize(poisson(rate=1/4, X))",
        "hull(X * finite(p=[1/2,1/2], q=[1/5,4/5]))",
        "subsample(rate=1/3, X^2)",
    ] {
        let exact = text.replace('X', "randomized-response(epsilon=ln(3))");
        let near = text.replace('X', "randomized-response(epsilon=ln(3)+1e-40*sqrt(2))");
        for direction in [Direction::Forward, Direction::Backward] {
            let order: Real = "5/2".parse().expect("an order");
            for kind in [Kind::KullbackLeibler, Kind::ChiSquared, Kind::Renyi(order)] {
                let exact = value(kind.clone(), &exact, direction).expect("finite");
                let near = value(kind.clone(), &near, direction).expect("finite");
                let wide = exact.widen(&Float::with_val(64, 1e-30));
                assert!(wide.overlaps(&near), "{kind:?} of {text}: {exact:?} {near:?}");
                assert!(near.relative_bits() >= Some(24), "{kind:?} of {text}: {near:?}");
            }
        }
    }
}

/// What is at infinity makes some infinite, and some not.
#[test]
fn failures_are_told() {
    let near = "approx-dp(epsilon=ln(3)+1e-40*sqrt(2), delta=1/10)";
    let text = format!("subsample(rate=1/3, {near}^2)");
    assert!(value(Kind::KullbackLeibler, &text, Direction::Forward).is_none());
}
