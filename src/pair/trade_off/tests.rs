use proptest::prelude::*;

use super::*;

const LIMIT: usize = 100_000;

fn q(numer: i64, denom: i64) -> Rational {
    Rational::from((numer, denom))
}

/// Masses proportional to these weights.
fn distribution(weights: &[u32]) -> Vec<Rational> {
    let total: u32 = weights.iter().sum();
    weights.iter().map(|&w| Rational::from((w, total))).collect()
}

/// Pairs with zero masses on either side, on both, and equal ratios, all likely.
fn pairs(outcomes: std::ops::Range<usize>) -> impl Strategy<Value = FinitePair> {
    prop::collection::vec((0u32..5, 0u32..5), outcomes).prop_filter_map("no mass", |weights| {
        let (p, q): (Vec<u32>, Vec<u32>) = weights.into_iter().unzip();
        let mass = |w: &[u32]| w.iter().any(|&w| w > 0);
        (mass(&p) && mass(&q)).then(|| FinitePair::new(distribution(&p), distribution(&q)).unwrap())
    })
}

fn product(a: &FinitePair, b: &FinitePair) -> FinitePair {
    let times = |a: &[Rational], b: &[Rational]| -> Vec<Rational> {
        a.iter().flat_map(|x| b.iter().map(move |y| Rational::from(x * y))).collect()
    };
    FinitePair::new(times(a.p(), b.p()), times(a.q(), b.q())).unwrap()
}

/// The definition: all pairs of errors of deterministic tests; T is the lower hull of them.
fn by_rejection_sets(pair: &FinitePair) -> TradeOff {
    let n = pair.p().len();
    let mut points: Vec<Vertex> = (0..1u32 << n)
        .map(|set| {
            let rejected = |i: &usize| set >> i & 1 == 1;
            let alpha: Rational = (0..n).filter(rejected).map(|i| &pair.p()[i]).sum();
            let power: Rational = (0..n).filter(rejected).map(|i| &pair.q()[i]).sum();
            (alpha, (1 - power))
        })
        .collect();
    points.sort();
    points.dedup_by(|later, earlier| later.0 == earlier.0);
    lower_hull(points)
}

/// The definition: the sum of the positive parts.
fn hockey_stick(pair: &FinitePair, x: &Rational) -> Rational {
    pair.outcomes().map(|(p, q)| (p - Rational::from(x * q)).max(Rational::new())).sum()
}

#[test]
fn what_is_a_trade_off_function() {
    assert_eq!(
        TradeOff::new(vec![(q(0, 1), q(1, 1)), (q(1, 2), q(1, 2)), (q(1, 1), q(0, 1))]),
        Ok(TradeOff::identity())
    );
    for bad in [
        vec![],
        vec![(q(0, 1), q(1, 1))],
        vec![(q(0, 1), q(1, 1)), (q(1, 2), q(0, 1))],
        vec![(q(0, 1), q(1, 1)), (q(1, 2), q(3, 4)), (q(1, 1), q(0, 1))],
        vec![(q(0, 1), q(1, 2)), (q(1, 2), q(3, 8)), (q(1, 1), q(0, 1))],
        vec![(q(0, 1), q(1, 2)), (q(1, 4), q(0, 1)), (q(1, 2), q(1, 8)), (q(1, 1), q(0, 1))],
        vec![(q(0, 1), q(1, 2)), (q(1, 2), q(0, 1)), (q(1, 2), q(0, 1)), (q(1, 1), q(0, 1))],
        vec![(q(0, 1), q(-1, 2)), (q(1, 1), q(0, 1))],
        vec![(q(0, 1), q(1, 2)), (q(1, 1), q(1, 8))],
    ] {
        assert!(matches!(TradeOff::new(bad), Err(Error::Input(_))));
    }
}

#[test]
fn epsilon_delta_curve() {
    let (x, delta) = (q(3, 1), q(1, 10));
    let f = TradeOff::approximate_dp(&x, &delta).unwrap();
    let expected = vec![(q(0, 1), q(9, 10)), (q(9, 40), q(9, 40)), (q(9, 10), q(0, 1)), (q(1, 1), q(0, 1))];
    assert_eq!(f.vertices(), expected);
    assert!(f.is_symmetric());
    assert_eq!(f.delta(&q(1, 1), Direction::Forward), Ok(q(11, 20)));
    assert_eq!(TradeOff::approximate_dp(&q(1, 1), &q(0, 1)), Ok(TradeOff::identity()));
    assert_eq!(TradeOff::approximate_dp(&q(1, 1), &q(1, 1)), Ok(TradeOff::nothing()));
    assert_eq!(TradeOff::approximate_dp(&q(7, 2), &q(1, 1)), Ok(TradeOff::nothing()));
    let free = TradeOff::approximate_dp(&x, &q(0, 1)).unwrap();
    assert_eq!(free.vertices(), [(q(0, 1), q(1, 1)), (q(1, 4), q(1, 4)), (q(1, 1), q(0, 1))]);
    assert!(TradeOff::approximate_dp(&q(1, 2), &delta).is_err());
    assert!(TradeOff::approximate_dp(&x, &q(2, 1)).is_err());
    // f_{eps,delta} = f_{eps,0} (x) f_{0,delta}
    let split = free.tensor(&TradeOff::approximate_dp(&q(1, 1), &delta).unwrap(), LIMIT, &Budget::default());
    assert_eq!(split, Ok(f));
}

/// Printed with 40 decimals.
fn near(decimals: &str) -> (Rational, Rational) {
    let scale = <rug::Integer as From<_>>::from(rug::Integer::u_pow_u(10, 40));
    let value: rug::Integer = decimals.parse().unwrap();
    let end = |by: i32| Rational::from((rug::Integer::from(&value + by), scale.clone()));
    (end(-1), end(1))
}

#[test]
fn epsilon_one_between_rational_neighbours() {
    // All of these decrease in x, or increase: the values at rationals around e bracket the one at e.
    let e = enclosure::Enclosure::one(300).exp();
    let ends = [e.lower(), e.upper()].map(|end| end.to_rational().unwrap());
    let bracket = |value: &dyn Fn(&TradeOff) -> Rational, delta: &Rational| {
        let [a, b] = ends.clone().map(|x| value(&TradeOff::approximate_dp(&x, delta).unwrap()));
        if a <= b { (a, b) } else { (b, a) }
    };
    let overlap = |(a, b): (Rational, Rational), (c, d): (Rational, Rational)| a <= d && c <= b;
    let none = q(0, 1);
    let at = |alpha: Rational| move |f: &TradeOff| f.evaluate(&alpha).unwrap();
    type Quantity = Box<dyn Fn(&TradeOff) -> Rational>;
    let variation = |f: &TradeOff| f.delta(&q(1, 1), Direction::Forward).unwrap();
    let cases: [(Quantity, &Rational, &str); 4] = [
        (Box::new(at(q(1, 10))), &none, "7281718171540954764639712528647337502243"),
        (Box::new(at(q(1, 2))), &none, "1839397205857211607977618850807304337229"),
        (Box::new(variation), &none, "4621171572600097585023184836436725487303"),
        (Box::new(variation), &q(1, 10), "5159054415340087826520866352793052938573"),
    ];
    for (value, delta, decimals) in cases {
        assert!(overlap(bracket(&value, delta), near(decimals)), "{decimals}");
    }
}

#[test]
fn edges() {
    let disjoint = FinitePair::new(vec![q(1, 1), q(0, 1)], vec![q(0, 1), q(1, 1)]).unwrap();
    assert_eq!(TradeOff::from_pair(&disjoint), TradeOff::nothing());
    assert_eq!(TradeOff::nothing().inverse(), TradeOff::nothing());
    assert_eq!(TradeOff::identity().inverse(), TradeOff::identity());
    assert_eq!(TradeOff::from_profile(&[]), Ok(TradeOff::nothing()));
    assert!(TradeOff::identity().evaluate(&q(-1, 9)).is_err());
    assert!(TradeOff::identity().evaluate(&q(10, 9)).is_err());
}

#[test]
fn too_large_a_product_is_undecided() {
    let f = TradeOff::from_pair(
        &FinitePair::new(vec![q(1, 2), q(1, 3), q(1, 6)], vec![q(1, 7), q(2, 7), q(4, 7)]).unwrap(),
    );
    assert!(matches!(f.power(20, 50, &Budget::default()), Err(Error::Undecided(_))));
}

#[test]
fn optimal_composition_is_the_envelope_of_its_region() {
    // Kairouz, Oh, Viswanath, Theorem 3.3 with x = 3/2, k = 4: delta_1 = 9/125, delta_2 = 37/125.
    let f = TradeOff::approximate_dp(&q(3, 2), &q(0, 1)).unwrap();
    let composed = f.power(4, LIMIT, &Budget::default()).unwrap();
    assert_eq!(composed.delta(&q(9, 4), Direction::Worst), Ok(q(9, 125)));
    assert_eq!(composed.delta(&q(1, 1), Direction::Worst), Ok(q(37, 125)));
    let region = [(q(81, 16), q(0, 1)), (q(9, 4), q(9, 125)), (q(1, 1), q(37, 125))];
    assert_eq!(TradeOff::from_profile(&region), Ok(composed));
    let with_delta =
        TradeOff::approximate_dp(&q(3, 2), &q(1, 10)).unwrap().power(4, LIMIT, &Budget::default()).unwrap();
    assert_eq!(with_delta.delta(&q(1, 1), Direction::Forward), Ok(q(84079, 156250)));
}

#[test]
fn subsampled_epsilon_delta() {
    // Against max{f_{eps',delta'}, 1 - p delta - p (1-delta)(x-1)/(x+1) - a}, eps' = ln(1+p(x-1)), delta' = p delta.
    for x in [q(3, 2), q(3, 1), q(20, 1)] {
        for delta in [q(0, 1), q(1, 10), q(1, 2)] {
            for p in [q(0, 1), q(1, 5), q(1, 2), q(9, 10), q(1, 1)] {
                let sampled = TradeOff::approximate_dp(&x, &delta).unwrap().subsampled(&p).unwrap();
                let x_less = Rational::from(&x - 1u32) * &p + 1u32;
                let advantage = Rational::from(1 - &delta) * Rational::from(&x - 1u32) / Rational::from(&x + 1u32);
                let middle = Rational::from(&advantage + &delta) * &p;
                let region = [(x_less, Rational::from(&p * &delta)), (q(1, 1), middle)];
                assert_eq!(Ok(sampled), TradeOff::from_profile(&region));
            }
        }
    }
}

proptest! {
    #[test]
    fn a_pair_gives_the_hull_of_its_tests(pair in pairs(1..6)) {
        let f = TradeOff::from_pair(&pair);
        prop_assert_eq!(&f, &by_rejection_sets(&pair));
        prop_assert_eq!(&TradeOff::new(f.vertices().to_vec()).unwrap(), &f);
        prop_assert_eq!(&TradeOff::from_pair(&f.representing_pair().unwrap()), &f);
    }

    #[test]
    fn the_inverse_swaps_the_hypotheses(pair in pairs(1..7), numer in 0i64..=60) {
        let f = TradeOff::from_pair(&pair);
        let inverse = f.inverse();
        prop_assert_eq!(&inverse, &TradeOff::from_pair(&pair.swapped()));
        prop_assert_eq!(&inverse.inverse(), &f);
        // The definition: t = f^{-1}(a) satisfies f(t) <= a, and no smaller t does.
        let a = q(numer, 60);
        let t = inverse.evaluate(&a).unwrap();
        prop_assert!(f.evaluate(&t).unwrap() <= a);
        if !t.is_zero() {
            let before = &t * q(999_999, 1_000_000) ;
            prop_assert!(f.evaluate(&before).unwrap() > a);
        }
    }

    #[test]
    fn products(a in pairs(1..5), b in pairs(1..5), c in pairs(1..4)) {
        let budget = Budget::default();
        let tensor = |f: &TradeOff, g: &TradeOff| f.tensor(g, LIMIT, &budget).unwrap();
        let (f, g, h) = (TradeOff::from_pair(&a), TradeOff::from_pair(&b), TradeOff::from_pair(&c));
        let fg = tensor(&f, &g);
        prop_assert_eq!(&fg, &TradeOff::from_pair(&product(&a, &b)));
        prop_assert_eq!(&fg, &tensor(&g, &f));
        prop_assert_eq!(tensor(&fg, &h), tensor(&f, &tensor(&g, &h)));
        prop_assert_eq!(&tensor(&f, &TradeOff::identity()), &f);
        prop_assert_eq!(fg.inverse(), tensor(&f.inverse(), &g.inverse()));
        prop_assert_eq!(f.power(3, LIMIT, &budget).unwrap(), tensor(&f, &tensor(&f, &f)));
        prop_assert_eq!(f.power(0, LIMIT, &budget).unwrap(), TradeOff::identity());
        prop_assert_eq!(f.falls_below(&fg), None);
    }

    #[test]
    fn processing_never_hurts(pair in pairs(2..7), map in prop::collection::vec(0usize..3, 7)) {
        let (mut p, mut q) = (vec![Rational::new(); 3], vec![Rational::new(); 3]);
        for (i, (mass_p, mass_q)) in pair.outcomes().enumerate() {
            p[map[i]] += mass_p;
            q[map[i]] += mass_q;
        }
        let processed = TradeOff::from_pair(&FinitePair::new(p, q).unwrap());
        prop_assert_eq!(processed.falls_below(&TradeOff::from_pair(&pair)), None);
    }

    #[test]
    fn profile_by_duality(pair in pairs(1..7), numer in 1i64..40, denom in 1i64..12) {
        let f = TradeOff::from_pair(&pair);
        let x = q(numer, denom);
        prop_assert_eq!(f.delta(&x, Direction::Forward), Ok(hockey_stick(&pair, &x)));
        prop_assert_eq!(f.delta(&x, Direction::Backward), Ok(hockey_stick(&pair.swapped(), &x)));
    }

    #[test]
    fn the_profile_determines_a_symmetric_curve(pair in pairs(1..7)) {
        let f = TradeOff::from_pair(&pair);
        for symmetric in [f.symmetrized_max(), f.symmetrized_min()] {
            prop_assert!(symmetric.is_symmetric());
            // The likelihood ratios >= 1 are all knots there are; 1 itself makes the empty list impossible.
            let mut knots: Vec<Rational> = symmetric
                .segments()
                .iter()
                .filter(|(p, q)| p > q && !q.is_zero())
                .map(|(p, q)| Rational::from(p / q))
                .collect();
            knots.push(Rational::from(1));
            let profile: Vec<_> = knots
                .into_iter()
                .map(|x| (x.clone(), symmetric.delta(&x, Direction::Worst).unwrap()))
                .collect();
            prop_assert_eq!(&TradeOff::from_profile(&profile).unwrap(), &symmetric);
        }
    }

    #[test]
    fn symmetrizations(pair in pairs(1..7), numer in 0i64..=60) {
        let f = TradeOff::from_pair(&pair);
        let (alpha, inverse) = (q(numer, 60), f.inverse());
        let (at_f, at_inverse) = (f.evaluate(&alpha).unwrap(), inverse.evaluate(&alpha).unwrap());
        prop_assert_eq!(f.symmetrized_max().evaluate(&alpha).unwrap(), at_f.clone().max(at_inverse.clone()));
        let low = f.symmetrized_min();
        prop_assert!(low.evaluate(&alpha).unwrap() <= at_f.min(at_inverse));
        prop_assert_eq!((f.falls_below(&low), inverse.falls_below(&low)), (None, None));
        prop_assert!(TradeOff::new(low.vertices().to_vec()).is_ok());
        // Conjugation turns the minimum into a maximum, so the hull is the greatest convex function below.
        for y in [q(-5, 1), q(-3, 2), q(-1, 1), q(-1, 3), q(-1, 7)] {
            prop_assert_eq!(low.conjugate(&y), f.conjugate(&y).max(inverse.conjugate(&y)));
        }
    }

    #[test]
    fn poisson_mixture(pair in pairs(1..7), rate in 0i64..=8) {
        let rate = q(rate, 8);
        let rest = Rational::from(1 - &rate);
        let mixed = pair
            .outcomes()
            .map(|(p, q)| Rational::from(p * &rest) + Rational::from(q * &rate))
            .collect();
        let direct = TradeOff::from_pair(&FinitePair::new(pair.p().to_vec(), mixed).unwrap());
        prop_assert_eq!(TradeOff::from_pair(&pair).mixed_with_identity(&rate).unwrap(), direct);
    }
}
