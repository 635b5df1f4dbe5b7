use std::cmp::Ordering;
use std::sync::Arc;

use dpcert_vectors::Direction;
use proptest::prelude::*;
use rug::Rational;

use super::Polyline;
use crate::compose::{Method, curve};
use crate::mechanism::Composition;
use crate::pair::{FinitePair, Pair, TradeOff};
use enclosure::{Budget, Exponentials, Quotient, Real};

/// A polyline in fractions as one over exponentials, of which there are none.
fn lifted(f: &TradeOff) -> Polyline {
    let field = Arc::new(Exponentials::of([&Real::one()]).expect("no exponentials"));
    let missing = Rational::from(1 - &f.vertices()[0].1);
    let parts = f.segments().into_iter().map(|(p, q)| {
        let slope = Quotient::from(q / &p);
        (Quotient::from(p), slope)
    });
    Polyline::new(&field, missing.into(), parts.collect()).expect("short")
}

fn same(a: &Polyline, b: &Polyline) -> bool {
    let equal = |x: &Quotient, y: &Quotient| a.field.compare(x, y) == Some(Ordering::Equal);
    a.len() == b.len()
        && equal(&a.missing, &b.missing)
        && a.parts().zip(b.parts()).all(|((w, s), (v, t))| equal(w, v) && equal(s, t))
}

fn pairs() -> impl Strategy<Value = TradeOff> {
    prop::collection::vec((0u32..5, 0u32..5), 1..5).prop_filter_map("no mass", |weights| {
        let (p, q): (Vec<u32>, Vec<u32>) = weights.into_iter().unzip();
        let masses = |w: &[u32]| -> Option<Vec<Rational>> {
            let total: u32 = w.iter().sum();
            (total > 0).then(|| w.iter().map(|&w| Rational::from((w, total))).collect())
        };
        Some(TradeOff::from_pair(&FinitePair::new(masses(&p)?, masses(&q)?).expect("distributions")))
    })
}

proptest! {
    /// Where all is in fractions both calculi are the same, operation by operation.
    #[test]
    fn fractions_are_a_special_case(f in pairs(), g in pairs(), n in 0u32..5, size in 0u64..5) {
        let budget = Budget::default();
        let (a, b) = (lifted(&f), lifted(&g));
        let rate = Rational::from((n, 4));
        let weights = [(rate.clone(), f.clone()), (Rational::from(1 - &rate), g.clone())];
        let drawn = [(Quotient::from(rate.clone()), a.clone()), (Rational::from(1 - &rate).into(), b.clone())];
        for (name, found, exact) in [
            ("tensor", a.tensor(&b, &budget), f.tensor(&g, 1000, &budget)),
            ("power", a.power(size, &budget), f.power(size, 1000, &budget)),
            ("inverse", a.inverse(), Ok(f.inverse())),
            ("max", a.max(&b, &budget), Ok(f.max(&g))),
            ("hull", a.symmetrized_min(&budget), Ok(f.symmetrized_min())),
            ("mixed", a.mixed_with_identity(&rate.clone().into()), f.mixed_with_identity(&rate)),
            ("after", a.after(&b), Ok(f.after(&g))),
            ("group", a.group(size, &budget), f.group(size, 1000)),
            ("mixture", Polyline::revealed_mixture(&a.field, &drawn), Ok(TradeOff::revealed_mixture(&weights))),
        ] {
            let (found, exact) = (found.expect(name), exact.expect(name));
            prop_assert!(same(&found, &lifted(&exact)), "{name}: {found:?} {exact:?}");
        }
        let below = a.falls_below(&b, &budget).expect("signs");
        prop_assert_eq!(below.is_none(), f.falls_below(&g).is_none());
        if let Some((alpha, smaller, larger)) = below {
            let [one, other] = [&f, &g].map(|curve| curve.evaluate(&alpha).unwrap());
            prop_assert!(smaller.contains(&one) && larger.contains(&other));
            prop_assert!(smaller.upper() < larger.lower());
        }
    }
}

const IRRATIONAL: [&str; 14] = [
    "randomized-response(epsilon=1)^5 * randomized-response(epsilon=1/2)",
    "approx-dp(epsilon=1, delta=1/10)^3",
    "approx-dp(epsilon=0, delta=1/10) * pure-dp(epsilon=sqrt(2))",
    "geometric(epsilon=1/2, sensitivity=3)^3",
    "k-randomized-response(epsilon=1, categories=5)^3",
    "staircase(epsilon=1, gamma=1/3, sensitivity=2)^2",
    "staircase(epsilon=1, gamma=2/3, sensitivity=3)",
    "poisson(rate=1/3, randomized-response(epsilon=1))^4",
    "poisson(rate=1/3, approx-dp(epsilon=1, delta=1/5))^2 * finite(p=[1/2,1/2], q=[1/3,2/3])",
    "group(k=3, randomized-response(epsilon=1)^2)",
    "group(k=4, approx-dp(epsilon=1/4, delta=1/50))^2",
    "subsample(rate=1/5, k-randomized-response(epsilon=1, categories=4))^2",
    "subsample(rate=1/5, geometric(epsilon=1, sensitivity=3)^2)",
    "mixture(1/3: randomized-response(epsilon=1)^2, 2/3: poisson(rate=1/2, geometric(epsilon=1/2, sensitivity=2)))",
];

/// Values and masses by two routes: what the engines make of the pair, and the polyline. The masses total 1 by form.
#[test]
fn values_are_those_of_the_engines() {
    let budget = Budget::default();
    let operators = ["{}", "inverse({})", "symmetrize({})", "hull({})", "group(k=2, {})"];
    for (number, inside) in IRRATIONAL.into_iter().enumerate() {
        for operator in [operators[0], operators[1 + number % 4]] {
            let text = operator.replace("{}", inside);
            let composition: Composition = text.parse().expect(&text);
            let pair = Pair::several(composition.pairs().expect(&text));
            let Some([f]) = Polyline::of_pairs([&pair], &budget) else { panic!("{text}: no polyline") };
            let total = f.parts().try_fold(Quotient::zero(), |sum, (width, _)| sum.add(width)).expect("short");
            let high = f.parts().try_fold(f.missing.clone(), |sum, (w, s)| sum.add(&w.mul(s)?)).expect("short");
            for total in [total, high] {
                assert_eq!(f.field.compare(&total, &Quotient::one()), Some(Ordering::Equal), "{text}");
            }
            let curve = curve(&composition, Method::Auto, &budget).expect(&text);
            for n in 0..=8 {
                let alpha = Rational::from((n, 8));
                let exact = f.value(&alpha.clone().into()).expect("a value");
                let beta = curve.beta(&Real::from(alpha), Direction::Forward, 60, &budget).expect(&text).enclosure(100);
                assert!(beta.overlaps(&f.field.enclosure(&exact, 100)), "{text} at {n}/8: {beta:?}");
            }
        }
    }
}

/// What is no polyline over exponentials, or too long, is refused.
#[test]
fn what_is_refused() {
    for text in [
        "laplace(scale=1)",
        "randomized-response(epsilon=1) * gdp(mu=1)",
        "randomized-response(epsilon=1)^5000",
        "group(k=2, poisson(rate=1/2, laplace(scale=1)))",
        "randomized-response(epsilon=ln(2)/2)",
    ] {
        let pair = Pair::several(text.parse::<Composition>().expect(text).pairs().expect(text));
        assert!(Polyline::of_pairs([&pair], &Budget::default()).is_none(), "{text}");
    }
}
