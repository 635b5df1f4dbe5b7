//! Against all outcomes, one by one, in exact fractions; and against the same pair written as `finite`.

use rug::Rational;
use rug::ops::Pow;

use crate::answer::{Outcome, answer};
use crate::compose::Method;
use crate::compose::reference::{inverse, profile, q, tradeoff};
use crate::curve::Direction;
use crate::mechanism::Composition;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Enclosure, Real};

type Outcomes = Vec<(Rational, Rational)>;

/// P and Q on k answers, of which the first is P's own and the second is Q's.
fn answers(x: &Rational, k: usize) -> Outcomes {
    let all = Rational::from(x + (k as u64 - 1));
    let odds = |own: bool| if own { Rational::from(x / &all) } else { all.clone().recip() };
    (0..k).map(|answer| (odds(answer == 0), odds(answer == 1))).collect()
}

/// `(1-r) Q + r P` against Q.
fn sampled(pair: &Outcomes, rate: &Rational) -> Outcomes {
    pair.iter().map(|(p, r)| (Rational::from(p - r) * rate + r, r.clone())).collect()
}

fn power(pair: &Outcomes, times: usize) -> Outcomes {
    let one = vec![(Rational::from(1), Rational::from(1))];
    (0..times).fold(one, |all, _| {
        all.iter()
            .flat_map(|(p, r)| pair.iter().map(move |(a, b)| (Rational::from(p * a), Rational::from(r * b))))
            .collect()
    })
}

fn ask(mechanism: &str, quantity: Quantity, direction: Direction, method: Method, digits: u32) -> Outcome {
    let composition: Composition = mechanism.parse().unwrap_or_else(|error| panic!("{mechanism}: {error}"));
    let query = Query { direction, ..Query::new(quantity, composition).with_digits(digits).with_method(method) };
    answer(&query, &Budget::default()).unwrap_or_else(|error| panic!("{mechanism}: {error}")).outcome
}

/// Both ends of an answer.
fn set(outcome: &Outcome, about: &str) -> Enclosure {
    match outcome {
        Outcome::Exact(value) => Enclosure::rational(value.value(), 300),
        Outcome::Enclosure(set) => set.set().clone(),
        other => panic!("{about}: {other:?}"),
    }
}

fn holds(outcome: &Outcome, truth: &Rational, about: &str) {
    match outcome {
        Outcome::Exact(value) => assert_eq!(value.value(), truth, "{about}"),
        _ => assert!(set(outcome, about).contains(truth), "{about}: {outcome:?} {truth}"),
    }
}

fn real(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn ln(x: &Rational) -> Enclosure {
    Enclosure::rational(x, 300).ln()
}

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

fn swapped(pair: &Outcomes) -> Outcomes {
    pair.iter().map(|(p, r)| (r.clone(), p.clone())).collect()
}

/// Compositions whose outcomes can be listed, with all of them.
fn cases() -> Vec<(String, Outcomes)> {
    let mut cases = Vec::new();
    for (x, k, times) in [("3", 5_usize, 3_usize), ("3/2", 3, 4), ("7", 2, 3), ("21/20", 4, 1)] {
        let (one, name) = (answers(&q(x), k), format!("k-randomized-response(epsilon=ln({x}), categories={k})"));
        cases.push((format!("{name}^{times}"), power(&one, times)));
        let sample = sampled(&one, &q("1/4"));
        cases.push((format!("poisson(rate=1/4, {name})^{times}"), power(&sample, times)));
    }
    cases
}

#[test]
fn curves_are_those_of_all_outcomes() {
    for (name, forward) in cases() {
        for direction in BOTH {
            let pair = if direction == Direction::Forward { forward.clone() } else { swapped(&forward) };
            for x in ["1", "2", "9/4", "3", "1/2", "1000"] {
                let quantity = Quantity::Delta { epsilon: real(&format!("ln({x})")) };
                let truth = profile(&pair, &q(x));
                for (method, digits) in
                    [(Method::Auto, 20), (Method::Lattice, 20), (Method::Quadrature, 9), (Method::Grid, 5)]
                {
                    // The losses of a sample have no common unit: that takes a contour very many nodes.
                    let sample = name.starts_with("poisson");
                    if sample && method == Method::Quadrature {
                        continue;
                    }
                    let about = format!("{name} at {x}, {direction:?}, {method:?}");
                    let outcome = ask(&name, quantity.clone(), direction, method, digits);
                    match outcome {
                        // At a loss itself the grid has few digits, or none.
                        Outcome::Undecided(_) if method == Method::Grid => {}
                        Outcome::Short { ref proven, .. } if method == Method::Grid => {
                            assert!(proven.set().contains(&truth), "{about}: {proven:?} {truth}");
                        }
                        outcome => holds(&outcome, &truth, &about),
                    }
                }
            }
            for alpha in ["0", "1/100", "1/3", "9/10", "1"] {
                let outcome = ask(&name, Quantity::Beta { alpha: real(alpha) }, direction, Method::Auto, 20);
                holds(&outcome, &tradeoff(&pair, &q(alpha)), &format!("beta of {name} at {alpha}"));
            }
            for delta in ["0", "1/1000", "1/10", "9/10"] {
                let outcome = ask(&name, Quantity::Epsilon { delta: real(delta) }, direction, Method::Auto, 20);
                let truth = ln(&inverse(&pair, &q(delta)).expect("bounded losses"));
                assert!(set(&outcome, &name).overlaps(&truth), "epsilon of {name} at {delta}: {outcome:?} {truth:?}");
            }
        }
    }
}

#[test]
fn divergences_are_those_of_all_outcomes() {
    for (name, forward) in cases() {
        for direction in BOTH {
            let pair = if direction == Direction::Forward { forward.clone() } else { swapped(&forward) };
            let ask = |quantity| ask(&name, quantity, direction, Method::Auto, 20);
            let moment = |order: u32| -> Rational {
                pair.iter().map(|(p, r)| Rational::from(p.pow(order)) / Rational::from(r.pow(order - 1))).sum()
            };
            holds(&ask(Quantity::Chi2), &(moment(2) - 1_u32), &name);
            holds(&ask(Quantity::Tv), &profile(&pair, &q("1")), &name);
            for order in [2_u32, 3] {
                let truth = ln(&moment(order)) / Enclosure::integer(&(order - 1).into(), 300);
                let found = set(&ask(Quantity::Renyi { order: Real::from(u64::from(order)) }), &name);
                assert!(found.overlaps(&truth), "Renyi {order} of {name}: {found:?} {truth:?}");
            }
            let zero = Enclosure::zero(300);
            let mean = |(p, r): &(Rational, Rational)| &Enclosure::rational(p, 300) * &ln(&Rational::from(p / r));
            let kl = pair.iter().map(mean).fold(zero, |sum, term| &sum + &term);
            assert!(set(&ask(Quantity::Kl), &name).overlaps(&kl), "{name}");
            let largest = pair.iter().map(|(p, r)| Rational::from(p / r)).max().expect("outcomes");
            assert!(set(&ask(Quantity::Max), &name).overlaps(&ln(&largest)), "{name}");
        }
    }
}

/// Irrational odds, and beside noise of all kinds: two engines that share little say the same.
#[test]
fn engines_agree() {
    let one = "k-randomized-response(epsilon=1, categories=4)";
    for (mechanism, methods) in [
        (format!("{one}^3"), [Method::Lattice, Method::Quadrature]),
        (format!("{one}^3"), [Method::SecondContour, Method::Grid]),
        (format!("{one}^2 * laplace(scale=2)"), [Method::ClosedForm, Method::Grid]),
        (format!("{one}^2 * gaussian(sigma=2)"), [Method::Quadrature, Method::SecondContour]),
        (format!("{one}^2 * discrete-gaussian(sigma2=3)"), [Method::Lattice, Method::Quadrature]),
        (format!("{one} * approx-dp(epsilon=1/2, delta=1/10)"), [Method::Lattice, Method::Quadrature]),
        (format!("poisson(rate=1/4, {one})"), [Method::Auto, Method::Grid]),
        (format!("poisson(rate=1/4, {one})^2 * laplace(scale=2)"), [Method::ClosedForm, Method::Grid]),
    ] {
        for direction in BOTH {
            let at = |method| {
                let digits = if method == Method::Grid { 3 } else { 12 };
                let quantity = Quantity::Delta { epsilon: real("7/10") };
                set(&ask(&mechanism, quantity, direction, method, digits), &format!("{mechanism} by {method:?}"))
            };
            let [a, b] = methods.map(at);
            assert!(a.overlaps(&b), "{mechanism}, {methods:?}, {direction:?}: {a:?} {b:?}");
            assert!(a.relative_bits() > Some(8) && b.relative_bits() > Some(8), "{mechanism}: {a:?} {b:?}");
        }
    }
}

/// What the two categories of one bit are, and what none could tell apart.
#[test]
fn few_categories_and_many() {
    let delta = |mechanism: &str| {
        ask(mechanism, Quantity::Delta { epsilon: real("ln(2)") }, Direction::Worst, Method::Auto, 20)
    };
    let two = delta("k-randomized-response(epsilon=ln(3), categories=2)^4");
    let response = delta("randomized-response(epsilon=ln(3))^4");
    assert!(matches!((&two, &response), (Outcome::Exact(a), Outcome::Exact(b)) if a == b), "{two:?} {response:?}");
    let nothing = delta("k-randomized-response(epsilon=0, categories=7)^4");
    assert!(matches!(&nothing, Outcome::Exact(value) if value.value().is_zero()), "{nothing:?}");
    // (x - 2)/(x + k - 1) at x = 3.
    let many = delta("k-randomized-response(epsilon=ln(3), categories=9223372036854775808)");
    let k = Rational::from(1_u64 << 63);
    assert!(matches!(&many, Outcome::Exact(value) if *value.value() == (k + 2_u32).recip()), "{many:?}");
    let written = delta("finite(p=[3/7,1/7,1/7,1/7,1/7], q=[1/7,3/7,1/7,1/7,1/7])^3");
    let same = delta("k-randomized-response(epsilon=ln(3), categories=5)^3");
    assert!(matches!((&written, &same), (Outcome::Exact(a), Outcome::Exact(b)) if a == b), "{written:?} {same:?}");
    // The true answer has the probability 3/7.
    let same = delta("k-randomized-response(p=3/7, categories=5)^3");
    assert!(matches!((&written, &same), (Outcome::Exact(a), Outcome::Exact(b)) if a == b), "{written:?} {same:?}");
    for wrong in ["epsilon=1, categories=1", "epsilon=1, categories=5/2", "epsilon=-1, categories=3", "epsilon=1"] {
        assert!(format!("k-randomized-response({wrong})").parse::<Composition>().is_err(), "{wrong}");
    }
}
