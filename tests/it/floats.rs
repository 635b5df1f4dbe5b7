//! The plain f64 implementations, judged by live enclosures at random exact parameters over all regimes, and by the
//! vectors: careful forms keep their documented bounds, textbook forms are caught, by case ids that are named.

use std::collections::BTreeMap;
use std::path::Path;

use dpcert::internals::registry::{Family, Form, IMPLEMENTATIONS, Implementation, Quantity as Computed};
use dpcert::internals::{convert, floats, verify};
use dpcert::{Budget, Composition, Error, Outcome, Quantity, Query, Real, answer};
use dpcert_vectors::{Truth, load_dir};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rug::Rational;

/// `2^e (1 + m)`: every binade of a range is as likely as any other.
fn binades(range: std::ops::Range<i32>) -> impl Strategy<Value = f64> + Clone {
    (range, 0u8..4, 0.0..1.0f64).prop_map(|(exponent, kind, fraction)| {
        let mantissa = if kind == 0 { 1.0 } else { 1.0 + fraction };
        mantissa * 2f64.powi(exponent)
    })
}

/// Probabilities near 0, near 1, and in between.
fn probabilities() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![binades(-900..-1), binades(-52..-1).prop_map(|x| 1.0 - x), 0.0..1.0f64]
}

fn real(value: f64) -> Real {
    Real::from(Rational::from_f64(value).expect("a finite double"))
}

/// Random queries of one kind.
fn queries(implementation: &Implementation) -> BoxedStrategy<Query> {
    let quantity = implementation.quantity;
    match implementation.family {
        Family::Gaussian => (binades(-57..11), -4.0..40.0f64, binades(-70..20), 0u8..2, probabilities())
            .prop_map(move |(mu, share, absolute, kind, probability)| {
                // The profile lives at epsilons of the size of mu, and of mu^2/2.
                // Far beyond, delta is below what the exponents of floats can hold, certified or not.
                let near = (mu * share + mu * mu / 2.0).max(0.0);
                let epsilon = if kind == 0 { near } else { absolute.min(mu * 16384.0) };
                at(quantity, Composition::gdp(real(mu)), 1, epsilon, probability, 0.0)
            })
            .boxed(),
        Family::ApproximateDp => {
            let delta0 = prop_oneof![Just(0.0), binades(-900..-1)];
            let times = prop_oneof![1u64..20, 20u64..2000, 2000u64..200_000];
            (binades(-30..4), delta0, times, 0.0..1.0f64, probabilities())
                .prop_map(move |(epsilon, delta, times, share, probability)| {
                    let mechanism = Composition::approx_dp(real(epsilon), real(delta));
                    at(quantity, mechanism, times, epsilon * times as f64 * share, probability, 0.0)
                })
                .boxed()
        }
        Family::RandomizedResponse => (binades(-900..9), binades(-30..12), 0u8..2, probabilities())
            .prop_map(move |(epsilon, excess, kind, delta)| {
                let mechanism = if kind == 0 || quantity != Computed::TotalVariation {
                    Composition::randomized_response(real(epsilon))
                } else {
                    Composition::approx_dp(real(epsilon), real(delta))
                };
                at(quantity, mechanism, 1, 0.0, 0.0, 1.0 + excess)
            })
            .boxed(),
        Family::Laplace => (binades(-900..9), 0.0..1.2f64, binades(-30..12), probabilities())
            .prop_map(move |(shift, share, excess, probability)| {
                let mechanism = Composition::laplace(1, real(shift));
                at(quantity, mechanism, 1, shift * share, probability, 1.0 + excess)
            })
            .boxed(),
        Family::DiscreteGaussian => (binades(-10..14), 1u64..40, 0.0..30.0f64, probabilities())
            .prop_map(move |(sigma2, times, share, probability)| {
                let mechanism = Composition::discrete_gaussian(real(sigma2), 1);
                let mu = (times as f64 / sigma2).sqrt();
                at(quantity, mechanism, times, mu * share, probability, 0.0)
            })
            .boxed(),
    }
}

fn at(
    computed: Computed,
    mechanism: Result<Composition, Error>,
    times: u64,
    epsilon: f64,
    probability: f64,
    order: f64,
) -> Query {
    let quantity = match computed {
        Computed::Delta => Quantity::Delta { epsilon: real(epsilon) },
        Computed::Epsilon => Quantity::Epsilon { delta: real(probability) },
        Computed::Beta => Quantity::Beta { alpha: real(probability) },
        Computed::Renyi => Quantity::Renyi { order: real(order) },
        Computed::KullbackLeibler => Quantity::Kl,
        Computed::TotalVariation => Quantity::Tv,
        Computed::ChiSquared => Quantity::Chi2,
    };
    let composition = mechanism.and_then(|mechanism| mechanism.repeat(times)).expect("in its domain");
    Query::new(quantity, composition).with_digits(25)
}

fn check(implementation: &Implementation, cases: u32) {
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let mut asked = 0u32;
    let asked_ref = std::cell::Cell::new(0u32);
    let result = runner.run(&queries(implementation), |query| {
        let Some(computed) = floats::ask(implementation, &query) else { return Ok(()) };
        let truth = answer(&query, &Budget::default()).expect("a well-formed query").outcome;
        if let Outcome::Undecided(_) | Outcome::Undefined(_) = truth {
            return Err(TestCaseError::fail(format!("{truth:?}: {query:?}")));
        }
        asked_ref.set(asked_ref.get() + 1);
        let judged = floats::judge(implementation, &query, &truth, computed, &Budget::default()).expect("judged");
        prop_assert!(!judged.fault, "{} at {}: {judged:?}, truth {truth:?}", implementation.name, query.mechanism);
        Ok(())
    });
    asked += asked_ref.get();
    if let Err(error) = result {
        panic!("{}: {error}", implementation.name);
    }
    // A strategy whose queries the implementation never answers would test nothing.
    assert!(asked >= cases / 2, "{}: only {asked} of {cases} queries were asked", implementation.name);
}

#[test]
fn careful_forms_keep_their_bounds_everywhere() {
    let careful: Vec<_> = IMPLEMENTATIONS.iter().filter(|implementation| floats::is_careful(implementation)).collect();
    assert!(careful.len() >= 10);
    std::thread::scope(|scope| {
        for half in careful.chunks(careful.len().div_ceil(2)) {
            scope.spawn(move || half.iter().for_each(|implementation| check(implementation, 100)));
        }
    });
}

fn vectors() -> dpcert_vectors::VectorSet {
    load_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/data")).expect("the shipped vectors")
}

/// Ids of the cases that an implementation is asked, and of those in which it is at fault.
fn asked_and_faulty(implementation: &Implementation, set: &dpcert_vectors::VectorSet) -> (usize, Vec<String>) {
    let mut asked = 0;
    let mut faulty = Vec::new();
    for (file, case) in set.cases() {
        let question = verify::question(file, case).expect("a stored question");
        let Some(query) = question.query() else { continue };
        let Some(computed) = floats::ask(implementation, query) else { continue };
        let truth = match case.answer.truth().expect("a consistent answer") {
            Truth::Infinite => Outcome::Infinite,
            Truth::Within { lower, upper } => {
                let end = |value| convert::rational(value).expect("a rational");
                let set = enclosure::Enclosure::rational(&end(&lower), 4096)
                    .hull(&enclosure::Enclosure::rational(&end(&upper), 4096));
                Outcome::Enclosure(set.into())
            }
        };
        asked += 1;
        let judged = floats::judge(implementation, query, &truth, computed, &Budget::default()).expect("judged");
        if judged.fault {
            faulty.push(case.id.clone());
        }
    }
    (asked, faulty)
}

#[test]
fn careful_forms_keep_their_bounds_on_the_vectors() {
    let set = vectors();
    for implementation in IMPLEMENTATIONS.iter().filter(|implementation| implementation.form == Form::Careful) {
        let (asked, faulty) = asked_and_faulty(implementation, &set);
        assert!(asked > 0, "{} is asked nothing", implementation.name);
        assert!(faulty.is_empty(), "{} breaks its bound in {faulty:?}", implementation.name);
    }
}

/// The vectors bite: each textbook form is caught in (at least) the cases named in `tests/data/caught.json`.
#[test]
fn textbook_forms_are_caught_by_name() {
    let set = vectors();
    let named: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("../data/caught.json")).expect("a map from implementations to ids");
    for implementation in IMPLEMENTATIONS.iter().filter(|implementation| implementation.form == Form::Textbook) {
        let (_, faulty) = asked_and_faulty(implementation, &set);
        let expected = named.get(implementation.name).unwrap_or_else(|| panic!("{} is not named", implementation.name));
        assert!(!expected.is_empty(), "{} has no case that catches it", implementation.name);
        for id in expected {
            assert!(faulty.contains(id), "{} is not caught by {id}; it is by {faulty:?}", implementation.name);
        }
    }
}
