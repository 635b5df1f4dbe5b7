use proptest::prelude::*;
use rug::ops::Pow;

use super::*;
use crate::pair::{Ends, FinitePair, LossBound};

fn q(numer: i64, denom: i64) -> Rational {
    Rational::from((numer, denom))
}

fn distribution(weights: &[u32]) -> Vec<Rational> {
    let total: u32 = weights.iter().sum();
    weights.iter().map(|&w| Rational::from((w, total))).collect()
}

/// Pairs with zero masses on either side and equal ratios, all likely.
fn pairs(outcomes: std::ops::Range<usize>) -> impl Strategy<Value = FinitePair> {
    prop::collection::vec((0u32..5, 0u32..5), outcomes).prop_filter_map("no mass", |weights| {
        let (p, q): (Vec<u32>, Vec<u32>) = weights.into_iter().unzip();
        let mass = |w: &[u32]| w.iter().any(|&w| w > 0);
        (mass(&p) && mass(&q)).then(|| FinitePair::new(distribution(&p), distribution(&q)).unwrap())
    })
}

fn levels() -> impl Iterator<Item = Rational> {
    (0..=60).map(|i| q(i, 60)).chain([q(1, 1000), q(999, 1000), q(1, 7)])
}

/// The factors of one finite pair, once; none where it shows nothing.
fn alone(pair: &FinitePair) -> Factors {
    Pair::finite(pair.clone()).into_factors()
}

fn shown(end: &LossBound) -> Option<String> {
    match end {
        LossBound::At(loss) => Some(loss.to_string()),
        LossBound::Unbounded => Some("unbounded".into()),
        LossBound::Unknown => None,
    }
}

/// What is known of one has to be what is known of the other.
fn same_ends(found: &Ends, truth: &Ends) {
    assert_eq!(found.infinite_p.to_string(), truth.infinite_p.to_string());
    assert_eq!(found.infinite_q.to_string(), truth.infinite_q.to_string());
    let (Some((low, high)), Some((least, largest))) = (&found.losses, &truth.losses) else {
        assert_eq!(found.losses.is_none(), truth.losses.is_none());
        return;
    };
    for (found, truth) in [(low, least), (high, largest)] {
        let told = shown(found);
        assert!(told.is_none() || told == shown(truth), "{found:?} {truth:?}");
    }
}

proptest! {
    /// Iterates, value by value.
    #[test]
    fn groups_are_iterates(a in pairs(1..6), b in pairs(1..6), size in 0u64..6) {
        let (f, g) = (TradeOff::from_pair(&a), TradeOff::from_pair(&b));
        let after = f.after(&g);
        let group = f.group(size, 1 << 12).unwrap();
        for alpha in levels() {
            let power = 1 - g.evaluate(&alpha).unwrap();
            prop_assert_eq!(after.evaluate(&alpha), f.evaluate(&power));
            let last = (0..size).fold(alpha.clone(), |level, _| 1 - f.evaluate(&level).unwrap());
            prop_assert_eq!(group.evaluate(&alpha), Ok(1 - last));
        }
        // It is a trade-off function, with the other order of all in its inverse.
        prop_assert_eq!(TradeOff::new(group.vertices().to_vec()), Ok(group.clone()));
        prop_assert_eq!(group.inverse(), f.inverse().group(size, 1 << 12).unwrap());
    }

    /// The lemma of group privacy on triples: whatever P, Q, R are, `T(P,R) >= T(Q,R) o (1 - T(P,Q))`.
    #[test]
    fn chains_of_neighbours(weights in prop::collection::vec((0u32..5, 0u32..5, 0u32..5), 1..6)) {
        let lists = [0, 1, 2].map(|k| {
            weights.iter().map(|&(a, b, c)| [a, b, c][k]).collect::<Vec<u32>>()
        });
        prop_assume!(lists.iter().all(|list| list.iter().any(|&w| w > 0)));
        let [p, middle, r] = lists.map(|list| distribution(&list));
        let between = |a: &[Rational], b: &[Rational]| {
            TradeOff::from_pair(&FinitePair::new(a.to_vec(), b.to_vec()).unwrap())
        };
        let whole = between(&p, &r);
        prop_assert_eq!(whole.falls_below(&between(&middle, &r).after(&between(&p, &middle))), None);
    }

    /// Chains of any distributions, with f below each link in one order or the other: the group of f is below the ends,
    /// in both orders. A chain whose links are all in the order of f is above the one-way group.
    #[test]
    fn groups_are_below_every_chain(
        weights in prop::collection::vec(prop::collection::vec(0u32..5, 5), 1..5),
        size in 2usize..5,
        word in 0u32..16,
    ) {
        let lists: Vec<Vec<u32>> =
            (0..=size).map(|k| weights.iter().map(|masses| masses[k]).collect()).collect();
        prop_assume!(lists.iter().all(|list| list.iter().any(|&w| w > 0)));
        let chain: Vec<Vec<Rational>> = lists.iter().map(|list| distribution(list)).collect();
        let between = |a: &[Rational], b: &[Rational]| {
            TradeOff::from_pair(&FinitePair::new(a.to_vec(), b.to_vec()).unwrap())
        };
        let group = |link: &TradeOff, one_way: bool| {
            let (pair, size) = (Pair::finite(link.representing_pair().unwrap()), size as u64);
            let group = if one_way { pair.group_one_way(size) } else { pair.group(size) };
            group.unwrap().trade_off().unwrap().expect("a polyline")
        };
        let links: Vec<TradeOff> = chain.windows(2).map(|ends| between(&ends[0], &ends[1])).collect();
        let below = |word: u32| {
            let letters = links.iter().enumerate();
            let letters = letters.map(|(i, link)| if word >> i & 1 == 1 { link.inverse() } else { link.clone() });
            letters.fold(TradeOff::identity(), |f, link| f.convex_min(&link))
        };
        let ends = between(&chain[0], &chain[size]);
        let either_way = group(&below(word), false);
        prop_assert_eq!(ends.falls_below(&either_way), None);
        prop_assert_eq!(ends.inverse().falls_below(&either_way), None);
        prop_assert!(either_way.is_symmetric());
        prop_assert_eq!(ends.falls_below(&group(&below(0), true)), None);
    }

    /// The bound of each word over f and its inverse, and of its chain the other way round, is above the group.
    #[test]
    fn groups_are_below_every_word(a in pairs(1..5), size in 2u64..5, word in 0u32..16) {
        let f = TradeOff::from_pair(&a);
        let letter = |i: u64| if word >> i & 1 == 1 { f.inverse() } else { f.clone() };
        let whole = (0..size).fold(TradeOff::identity(), |chain, i| letter(i).after(&chain));
        let group = Pair::finite(a.clone()).group(size).unwrap().trade_off().unwrap().expect("a polyline");
        prop_assert_eq!(whole.falls_below(&group), None);
        prop_assert_eq!(whole.inverse().falls_below(&group), None);
        if f.is_symmetric() {
            prop_assert_eq!(group, f.group(size, 1 << 12).unwrap());
        }
    }

    /// Outcomes side by side, with their weights, are the mixture.
    #[test]
    fn mixtures_are_outcomes_side_by_side(a in pairs(1..6), b in pairs(1..6), parts in 0u32..=4) {
        let weight = Rational::from((parts, 4));
        let rest = Rational::from(1 - &weight);
        let join = |x: &[Rational], y: &[Rational]| -> Vec<Rational> {
            let scaled = x.iter().map(|m| Rational::from(m * &weight));
            scaled.chain(y.iter().map(|m| Rational::from(m * &rest))).collect()
        };
        let both = FinitePair::new(join(a.p(), b.p()), join(a.q(), b.q())).unwrap();
        let (f, g) = (TradeOff::from_pair(&a), TradeOff::from_pair(&b));
        prop_assert_eq!(TradeOff::revealed_mixture(&[(weight, f), (rest, g)]), TradeOff::from_pair(&both));
    }

    /// The ends of operators as they stand are those of the finite pairs that they come to.
    #[test]
    fn ends_are_those_of_what_it_comes_to(a in pairs(1..5), b in pairs(1..5), size in 2u64..4) {
        let (one, other) = (Pair::finite(a.clone()), Pair::finite(b.clone()));
        let both: Factors = alone(&a).into_iter().chain(alone(&b)).collect();
        let whole = Pair::several(both.clone());
        let weights = [q(1, 3), q(2, 3)].map(Real::from);
        let mixture = vec![(weights[0].clone(), one), (weights[1].clone(), other)];
        let mut cases = vec![
            (Derived::of(Operator::Inverse, vec![both.clone()]).unwrap(), whole.clone().inverse().unwrap()),
            (
                Derived::of(Operator::Mixture(weights.to_vec()), vec![alone(&a), alone(&b)]).unwrap(),
                Pair::mixture(mixture).unwrap(),
            ),
        ];
        // Symmetric pairs are left as they are, for the operators change nothing.
        let (larger, hull) = (whole.clone().symmetrized().unwrap(), whole.clone().hull().unwrap());
        if !whole.symmetric() {
            cases.push((Derived::of(Operator::Larger, vec![both.clone()]).unwrap(), larger.clone()));
            cases.push((Derived::of(Operator::Hull, vec![both.clone()]).unwrap(), hull));
        }
        let rate = Real::from(q(1, 4));
        let sampled = larger.clone().subsampled(&rate).unwrap();
        cases.push((Derived::of(Operator::Subsample(rate), vec![larger.into_factors()]).unwrap(), sampled));
        if whole.ends().unwrap().infinite_p.is_zero() && whole.ends().unwrap().infinite_q.is_zero() {
            cases.push((Derived::of(Operator::Group(size), vec![both]).unwrap(), whole.group_one_way(size).unwrap()));
        }
        for (derived, exact) in cases {
            if matches!(exact, Pair::Several(_)) {
                continue;
            }
            same_ends(&derived.ends().unwrap(), &exact.ends().unwrap());
        }
    }

    /// A sample of fixed size of an (epsilon, delta)-DP mechanism: the larger one of the curve of
    /// `ln(1 + p (e^epsilon - 1))` and `p delta`, and the line of slope -1, with its factor `1 - delta`.
    #[test]
    fn samples_of_promises(x in 2i64..9, delta in 0i64..4, parts in 1i64..6) {
        let (x, delta, rate) = (q(x, 2), q(delta, 10), q(parts, 6));
        prop_assume!(x >= 1);
        let f = TradeOff::approximate_dp(&x, &delta).unwrap();
        let sampled = f.subsampled(&rate).unwrap();
        let y = 1 + &rate * Rational::from(&x - 1);
        let promised = TradeOff::approximate_dp(&y, &Rational::from(&rate * &delta)).unwrap();
        let variation = Rational::from(&x - 1) / Rational::from(&x + 1) * Rational::from(1 - &delta) + &delta;
        for alpha in levels() {
            let line = 1 - Rational::from(&rate * &variation) - &alpha;
            let promised = promised.evaluate(&alpha).unwrap();
            prop_assert_eq!(sampled.evaluate(&alpha), Ok(promised.max(line)));
        }
    }
}

/// Classical group privacy is what is left of the iterate at alpha = 0 (the textbook form is looser).
#[test]
fn the_classical_bound_of_groups() {
    for (x, delta) in [(q(3, 2), q(1, 10)), (q(2, 1), q(1, 100)), (q(1, 1), q(1, 20))] {
        let f = TradeOff::approximate_dp(&x, &delta).unwrap();
        for size in 1u64..6 {
            let power = x.clone().pow(size as i32);
            let sum: Rational = (0..size).map(|i| x.clone().pow(i as i32)).sum();
            // Beyond 1 it says nothing.
            let total = Rational::from(&delta * &sum).min(Rational::from(1));
            let classical = TradeOff::approximate_dp(&power, &total).unwrap();
            let group = f.group(size, 1 << 10).unwrap();
            assert_eq!(group.falls_below(&classical), None);
            // While the levels of the chain stay where f is steepest, which is left of its fixed point.
            let last = &delta * (0..size - 1).map(|i| x.clone().pow(i as i32)).sum::<Rational>();
            let fixed = (1 - f.delta(&q(1, 1), dpcert_vectors::Direction::Forward).unwrap()) / 2u32;
            assert_eq!(f.evaluate(&fixed).unwrap(), fixed);
            if last <= fixed {
                assert_eq!(group.evaluate(&Rational::new()), classical.evaluate(&Rational::new()));
            }
            assert!(size == 1 || x == 1 || classical.falls_below(&group).is_some());
        }
    }
}

/// The polyline of a mechanism.
fn polyline(text: &str) -> TradeOff {
    let composition: crate::mechanism::Composition = text.parse().expect(text);
    Pair::several(composition.pairs().expect(text)).trade_off().expect(text).expect("a polyline")
}

/// Removing one record and adding another: TV 3/5 and beta 6/25 at 19/100 are reached, which one-way chains do not.
#[test]
fn group_holds_for_a_chain_that_removes_and_adds() {
    let forward = dpcert_vectors::Direction::Forward;
    let m = "finite(p=[1/2,1/2], q=[1/5,4/5])";
    let f = polyline(m);
    let chain = [[q(1, 5), q(4, 5)], [q(1, 2), q(1, 2)], [q(4, 5), q(1, 5)]];
    let between =
        |a: &[Rational; 2], b: &[Rational; 2]| TradeOff::from_pair(&FinitePair::new(a.to_vec(), b.to_vec()).unwrap());
    assert_eq!(between(&chain[0], &chain[1]), f.inverse());
    assert_eq!(between(&chain[1], &chain[2]), f);
    let ends = between(&chain[0], &chain[2]);
    assert_eq!(ends.delta(&q(1, 1), forward), Ok(q(3, 5)));
    let mixed = f.after(&f.inverse());
    assert_eq!(mixed.evaluate(&q(19, 100)), Ok(q(6, 25)));
    let group = polyline(&format!("group(k=2, {m})"));
    assert_eq!(group.delta(&q(1, 1), forward), Ok(q(3, 5)));
    assert_eq!(group.evaluate(&q(19, 100)), Ok(q(9, 40)));
    assert!(ends.falls_below(&group).is_none() && mixed.falls_below(&group).is_none());
    let one_way = polyline(&format!("group-one-way(k=2, {m})"));
    assert_eq!(one_way.delta(&q(1, 1), forward), Ok(q(39, 80)));
    let worst = one_way.evaluate(&q(19, 100)).unwrap().min(one_way.inverse().evaluate(&q(19, 100)).unwrap());
    assert_eq!(worst, q(21, 64));
    assert!(ends.falls_below(&one_way).is_some());
}

/// Groups of groups are merged only where both are about the same chains, in fractions and by structure.
#[test]
fn groups_of_groups() {
    let composed = |text: &str| -> Pair {
        let composition: crate::mechanism::Composition = text.parse().expect(text);
        Pair::several(composition.pairs().expect(text))
    };
    for m in ["finite(p=[1/2,1/2], q=[1/5,4/5])", "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2"] {
        let of = |text: &str| polyline(&text.replace('M', m));
        assert_eq!(of("group(k=2, group(k=3, M))"), of("group(k=6, M)"));
        assert_eq!(of("group-one-way(k=2, group(k=3, M))"), of("group(k=6, M)"));
        assert_eq!(of("group-one-way(k=2, group-one-way(k=3, M))"), of("group-one-way(k=6, M)"));
        assert_eq!(of("group(k=2, group-one-way(k=3, M))"), of("group-one-way(k=2, hull(group-one-way(k=3, M)))"));
        assert_eq!(of("group(k=2, hull(M))"), of("group(k=2, M)"));
        assert_eq!(of("group(k=2, inverse(M))"), of("group(k=2, M)"));
        assert_eq!(of("group(k=2, group(k=1, M))"), of("group(k=2, M)"));
        assert_eq!(of("group-one-way(k=1, M)"), of("M"));
        assert_eq!(of("group(k=1, M)"), of("M"));
        assert_eq!(of("group(k=0, M)"), TradeOff::identity());
        assert_ne!(of("group-one-way(k=2, M)"), of("group(k=2, M)"));
        assert_ne!(of("group(k=2, group-one-way(k=3, M))"), of("group(k=6, M)"));
    }
    let m = "poisson(rate=1/10, laplace(scale=1))";
    let shape = |text: &str| -> Vec<String> {
        let (mut names, mut pair) = (Vec::new(), composed(&text.replace('M', m)));
        while let Pair::Derived(derived) = pair {
            names.push(format!("{:?}", derived.operator()));
            pair = Pair::several(derived.parts()[0].clone());
        }
        assert!(matches!(pair, Pair::Sample { .. }), "{text}");
        names
    };
    for (text, wanted) in [
        ("group(k=2, M)", &["Group(2)", "Hull"][..]),
        ("group(k=2, inverse(M))", &["Group(2)", "Hull"]),
        ("group(k=2, group(k=3, M))", &["Group(6)", "Hull"]),
        ("group-one-way(k=2, group(k=3, M))", &["Group(6)", "Hull"]),
        ("group-one-way(k=2, M)", &["Group(2)"]),
        ("group-one-way(k=2, group-one-way(k=3, M))", &["Group(6)"]),
        ("group(k=2, group-one-way(k=3, M))", &["Group(2)", "Hull", "Group(3)"]),
        ("group(k=1, M)", &[]),
    ] {
        assert_eq!(shape(text), wanted, "{text}");
    }
}

/// The hypotheses, and what is simple.
#[test]
fn trivial_cases() {
    let pair = |text: &str| -> Result<Pair, Error> {
        let composition: crate::mechanism::Composition = text.parse().expect(text);
        Ok(Pair::several(composition.pairs()?))
    };
    let is = |text: &str, what: fn(&Pair) -> bool| assert!(what(&pair(text).expect(text)), "{text}");
    for text in [
        "group(k=0, gdp(mu=1))",
        "group(k=3, gdp(mu=0))",
        "subsample(rate=0, gdp(mu=1))",
        "subsample(rate=1/2, gdp(mu=0)^0)",
        "mixture(1/2: gdp(mu=0), 1/2: gaussian(sigma=1, sensitivity=0))",
        "inverse(gdp(mu=0))",
    ] {
        is(text, |pair| matches!(pair, Pair::Equal));
    }
    for text in [
        "group(k=3, gaussian(sigma=1)^4)",
        "subsample(rate=1, gdp(mu=6))",
        "group(k=2, group(k=3, gdp(mu=1)))",
        "hull(symmetrize(inverse(gdp(mu=6))))",
        "mixture(0: laplace(scale=1), 1: gdp(mu=6))",
    ] {
        is(text, |pair| matches!(pair, Pair::Gaussian { mu } if *mu == Real::from(6)));
    }
    is("group(k=3, laplace(scale=1/2))", |pair| matches!(pair, Pair::Laplace { shift } if *shift == Real::from(6)));
    is("inverse(poisson(rate=1/2, gdp(mu=1)))^2", |pair| matches!(pair, Pair::Several(all) if all[0].1 == 2));
    is("inverse(inverse(poisson(rate=1/2, gdp(mu=1))))", |pair| matches!(pair, Pair::Sample { .. }));
    is("subsample(rate=1/3, randomized-response(epsilon=ln(2))^3)", |pair| matches!(pair, Pair::Discrete(_)));
    for text in [
        "subsample(rate=1/2, poisson(rate=1/2, gdp(mu=1)))",
        "subsample(rate=0, poisson(rate=1/2, gdp(mu=1)))",
        "subsample(rate=1/2, finite(p=[1/2,1/2], q=[1/5,4/5]))",
    ] {
        assert!(matches!(pair(text), Err(Error::Undefined(reason)) if reason.contains("symmetric")), "{text}");
    }
    assert!(pair("subsample(rate=1/2, finite(p=[1/5,4/5], q=[4/5,1/5]))").is_ok());
}
