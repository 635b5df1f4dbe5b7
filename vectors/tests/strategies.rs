//! What the strategies draw is in the domains, covers the regimes, and shrinks to simple numbers.
#![cfg(all(feature = "proptest", feature = "quickcheck"))]

use std::collections::BTreeSet;
use std::path::Path;

use dpcert_vectors::arbitrary::{self, Alpha, Delta, Epsilon, Order, Sigma, Times};
use dpcert_vectors::strategy::{self, FinitePair};
use dpcert_vectors::{Exact, VectorFile, VectorSet, expression, lint_file, load_dir, load_str};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quickcheck::{Arbitrary, Gen};

fn set() -> VectorSet {
    load_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")).unwrap()
}

fn power_of_ten(exponent: u32) -> BigRational {
    let power: BigInt = Pow::pow(BigInt::from(10), exponent);
    power.into()
}

fn in_unit(value: &BigRational) -> bool {
    !value.is_negative() && *value <= BigRational::one()
}

fn positive(value: &Exact) -> bool {
    match value {
        Exact::Rational(x) | Exact::Sqrt(x) => x.0.is_positive(),
        Exact::Ln(x) => x.0 > BigRational::one(),
        Exact::Expr(_) => false,
    }
}

fn not_negative(value: &Exact) -> bool {
    positive(value) || *value == Exact::from(0) || *value == Exact::Ln(1.into())
}

fn is_pair(pair: &FinitePair) -> bool {
    let sums_to_one = |list: &[BigRational]| {
        list.iter().all(in_unit) && list.iter().fold(BigRational::zero(), |sum, x| sum + x).is_one()
    };
    pair.p.len() == pair.q.len() && sums_to_one(&pair.p) && sums_to_one(&pair.q)
}

proptest! {
    #[test]
    fn proptest_values_are_in_their_domains(
        epsilon in strategy::epsilon(),
        delta in strategy::delta(),
        alpha in strategy::alpha(),
        order in strategy::order(),
        sigma in strategy::sigma(),
        times in strategy::times(),
        pair in strategy::finite_pair(),
    ) {
        prop_assert!(not_negative(&epsilon));
        prop_assert!(in_unit(&delta) && in_unit(&alpha));
        prop_assert!(order > BigRational::one());
        prop_assert!(positive(&sigma));
        prop_assert!((1..=1_000_000).contains(&times));
        prop_assert!(is_pair(&pair) && !pair.p.is_empty());
    }

    /// A random mechanism is one that a vector file may contain.
    #[test]
    fn factors_pass_the_lint_and_survive_the_file(factor in strategy::factor()) {
        let mut file: VectorFile = load_str("rr-delta.json", include_str!("fixtures/rr-delta.json")).unwrap();
        file.cases[0].mechanism = expression(std::slice::from_ref(&factor));
        file.cases[0].parameters = vec![factor];
        prop_assert_eq!(lint_file("rr-delta.json", &file), []);
        let text = dpcert_vectors::to_json(&file).unwrap();
        prop_assert_eq!(load_str("rr-delta.json", &text).unwrap(), file);
    }

    #[test]
    fn cases_come_from_the_set((quantity, case) in strategy::case_of(&set()).unwrap()) {
        let set = set();
        let (file, found) = set.case(&case.id).unwrap();
        prop_assert_eq!(file.quantity, quantity);
        prop_assert_eq!(found, &case);
    }
}

#[test]
fn there_is_no_case_in_an_empty_set() {
    assert!(strategy::case_of(&VectorSet::default()).is_none());
    assert!(arbitrary::choose_case(&mut Gen::new(10), &VectorSet::default()).is_none());
}

/// Shrinks as far as it goes.
fn simplest<S: Strategy>(strategy: S, fails: impl Fn(&S::Value) -> bool) -> S::Value {
    let mut runner = TestRunner::deterministic();
    let mut tree = loop {
        let tree = strategy.new_tree(&mut runner).unwrap();
        if fails(&tree.current()) {
            break tree;
        }
    };
    let mut best = tree.current();
    while tree.simplify() || tree.complicate() {
        if fails(&tree.current()) {
            best = tree.current();
        } else if !tree.complicate() {
            break;
        }
    }
    best
}

#[test]
fn proptest_shrinks_to_simple_numbers() {
    assert_eq!(simplest(strategy::epsilon(), |_| true), Exact::from(0));
    assert_eq!(simplest(strategy::sigma(), |_| true), Exact::from(1));
    assert_eq!(simplest(strategy::order(), |_| true), BigInt::from(2).into());
    assert_eq!(simplest(strategy::times(), |_| true), 1);
    assert_eq!(simplest(strategy::delta(), |_| true), BigRational::zero());
    let pair = simplest(strategy::finite_pair(), |_| true);
    assert_eq!((pair.p, pair.q), (vec![BigRational::one()], vec![BigRational::one()]));
}

/// Every regime turns up in a thousand draws.
#[test]
fn the_regimes_are_covered() {
    let mut runner = TestRunner::deterministic();
    let mut g = Gen::new(100);
    let mut seen = BTreeSet::new();
    let mut note =
        |from: &str, epsilon: &Exact, delta: &BigRational, sigma: &Exact, order: &BigRational, times: u64| {
            let one = BigRational::one();
            let smallest = BigRational::from_float(f64::from_bits(1)).unwrap();
            for (name, holds) in [
                ("epsilon ln", matches!(epsilon, Exact::Ln(_))),
                (
                    "epsilon tiny",
                    epsilon.as_rational().is_some_and(|x| x.is_positive() && *x < one.clone() / power_of_ten(100)),
                ),
                ("epsilon huge", epsilon.as_rational().is_some_and(|x| *x > power_of_ten(6))),
                ("delta below every double", delta.is_positive() && *delta < smallest),
                ("delta near 1", *delta < one && &one - delta < one.clone() / power_of_ten(100)),
                (
                    "delta ordinary",
                    *delta > one.clone() / BigInt::from(10)
                        && *delta < one.clone() * BigRational::new(9.into(), 10.into()),
                ),
                ("sigma sqrt", matches!(sigma, Exact::Sqrt(_))),
                ("sigma huge", sigma.as_rational().is_some_and(|x| *x > power_of_ten(6))),
                ("order near 1", order - &one < one.clone() / power_of_ten(100)),
                ("order huge", *order > power_of_ten(6)),
                ("times 1", times == 1),
                ("times huge", times > 100_000),
            ] {
                if holds {
                    seen.insert(format!("{from} {name}"));
                }
            }
        };
    let drawn = (strategy::epsilon(), strategy::delta(), strategy::sigma(), strategy::order(), strategy::times());
    for _ in 0..1000 {
        let (epsilon, delta, sigma, order, times) = drawn.new_tree(&mut runner).unwrap().current();
        note("proptest", &epsilon, &delta, &sigma, &order, times);
        let (epsilon, delta) = (Epsilon::arbitrary(&mut g), Delta::arbitrary(&mut g));
        let (sigma, order) = (Sigma::arbitrary(&mut g), Order::arbitrary(&mut g));
        note("quickcheck", &epsilon, &delta, &sigma, &order, *Times::arbitrary(&mut g));
    }
    assert_eq!(seen.len(), 24, "{seen:#?}");
}

#[test]
fn quickcheck_values_and_what_they_shrink_to_are_in_their_domains() {
    fn check<A: Arbitrary>(holds: fn(&A) -> bool) {
        let mut g = Gen::new(100);
        for _ in 0..200 {
            let value = A::arbitrary(&mut g);
            assert!(holds(&value));
            assert!(value.shrink().take(50).all(|smaller| holds(&smaller)));
        }
    }
    check::<Epsilon>(|epsilon| not_negative(epsilon));
    check::<Delta>(|delta| in_unit(delta));
    check::<Alpha>(|alpha| in_unit(alpha));
    check::<Order>(|order| **order > BigRational::one());
    check::<Sigma>(|sigma| positive(sigma));
    check::<Times>(|times| (1..=1_000_000).contains(&**times));
    check::<FinitePair>(|pair| is_pair(pair) && !pair.p.is_empty());
}

#[test]
fn quickcheck_shrinking_ends_at_simple_numbers() {
    fn simplest<A: Arbitrary>(mut value: A) -> A {
        while let Some(smaller) = value.shrink().next() {
            value = smaller;
        }
        value
    }
    let mut g = Gen::new(100);
    for _ in 0..50 {
        assert_eq!(*simplest(Epsilon::arbitrary(&mut g)), Exact::from(0));
        assert_eq!(*simplest(Sigma::arbitrary(&mut g)), Exact::from(1));
        assert_eq!(*simplest(Times::arbitrary(&mut g)), 1);
        assert_eq!(simplest(FinitePair::arbitrary(&mut g)).p, [BigRational::one()]);
    }
    assert_eq!(format!("{:?}", simplest(Epsilon::arbitrary(&mut g))), "Epsilon(0)");
}

#[test]
fn quickcheck_draws_cases_of_the_set() {
    let set = set();
    let mut g = Gen::new(100);
    let drawn: BTreeSet<&str> =
        (0..500).filter_map(|_| arbitrary::choose_case(&mut g, &set)).map(|(_, case)| case.id.as_str()).collect();
    assert_eq!(drawn, set.cases().map(|(_, case)| case.id.as_str()).collect());
}
