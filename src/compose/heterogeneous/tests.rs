use proptest::prelude::*;
use rug::{Float, Rational};

use super::*;
use crate::compose::Edges;
use crate::compose::reference::{assert_agrees, atoms, edged, inverse, profile, q, real, tradeoff};
use crate::pair::Pair;
use enclosure::refine;

fn parts(list: &[(Real, Real, u64)]) -> Heterogeneous {
    let parts: Vec<_> = list
        .iter()
        .map(|(epsilon, delta, times)| Part { epsilon: epsilon.clone(), delta: delta.clone(), times: *times })
        .collect();
    Heterogeneous::new(&parts, &Budget::default()).unwrap()
}

/// Between its edges.
fn between(curve: &Heterogeneous) -> Edges {
    let pure = |(epsilon, times): &(Real, u64)| (Pair::response(epsilon.clone(), Real::zero()).unwrap(), *times);
    let failures =
        curve.leak.parts().map(|(delta, times)| (Pair::response(Real::zero(), delta.clone()).unwrap(), times));
    edged(curve.clone(), curve.groups.iter().map(pure).chain(failures))
}

fn delta(curve: &Heterogeneous, epsilon: &Real, digits: u32) -> Number {
    let (budget, curve) = (Budget::default(), between(curve));
    refine(digits, &budget, |bits| curve.delta(epsilon, Direction::Worst, bits, &budget)).unwrap()
}

fn epsilon(curve: &Heterogeneous, delta: &Real, digits: u32) -> Number {
    let (budget, curve) = (Budget::default(), between(curve));
    refine(digits, &budget, |bits| match curve.epsilon(delta, Direction::Worst, bits, &budget)? {
        Value::Finite(number) => Ok(number),
        Value::Infinite => Err(Error::Undefined("infinite".into())),
    })
    .unwrap()
}

fn beta(curve: &Heterogeneous, alpha: &Real, digits: u32) -> Number {
    let (budget, curve) = (Budget::default(), between(curve));
    refine(digits, &budget, |bits| curve.beta(alpha, Direction::Worst, bits, &budget)).unwrap()
}

#[test]
fn printed_references() {
    let zero = || real("0");
    let three = parts(&[(real("0.1"), zero(), 1), (real("0.2"), zero(), 1), (real("0.3"), zero(), 1)]);
    assert!(matches!(three.engine, Engine::Lattice(_)));
    assert_agrees(&delta(&three, &real("0.4"), 45), "0.03005691359053809061603298316030081066613");
    let two = parts(&[(real("0.5"), real("0.01"), 1), (real("1"), real("0.02"), 1)]);
    assert_agrees(&delta(&two, &real("1"), 45), "0.2035142025181564455222300071815608324011");
    // The same through two sorted halves.
    let halves = |curve: &Heterogeneous| Heterogeneous {
        engine: Engine::MeetInTheMiddle(curve.groups[..1].to_vec(), curve.groups[1..].to_vec()),
        ..curve.clone()
    };
    assert_agrees(&delta(&halves(&three), &real("0.4"), 45), "0.03005691359053809061603298316030081066613");
    assert_agrees(&delta(&halves(&two), &real("1"), 45), "0.2035142025181564455222300071815608324011");
    assert_eq!(delta(&three, &real("0.6"), 20).exact(), Some(&Rational::new()));
}

#[test]
fn engines_agree() {
    // Ten different epsilons on a lattice, by convolution and by halves.
    let list: Vec<_> = (1..=10).map(|i| (Real::from(Rational::from((i, 20))), real("1/1000"), 1 + i % 3)).collect();
    let lattice = parts(&list);
    assert!(matches!(lattice.engine, Engine::Lattice(_)));
    let half = Heterogeneous {
        engine: Engine::MeetInTheMiddle(lattice.groups[..5].to_vec(), lattice.groups[5..].to_vec()),
        ..lattice.clone()
    };
    let bits = 150;
    for at in ["0", "0.25", "1", "-1.3", "4", "7.2"] {
        let (a, b) = (delta(&lattice, &real(at), 30), delta(&half, &real(at), 30));
        assert!(a.enclosure(bits).overlaps(&b.enclosure(bits)), "{at} {a:?} {b:?}");
    }
    for level in ["0.03", "0.1", "0.5", "0.021"] {
        let (a, b) = (epsilon(&lattice, &real(level), 25), epsilon(&half, &real(level), 25));
        assert!(a.enclosure(bits).overlaps(&b.enclosure(bits)), "{level} {a:?} {b:?}");
    }
    for alpha in ["0", "0.001", "0.2", "0.5", "0.9", "0.979"] {
        let (a, b) = (beta(&lattice, &real(alpha), 25), beta(&half, &real(alpha), 25));
        assert!(a.enclosure(bits).overlaps(&b.enclosure(bits)), "{alpha} {a:?} {b:?}");
    }
}

#[test]
fn equal_parts_are_the_homogeneous_theorem() {
    let one = parts(&[(real("0.3"), real("0.01"), 4), (real("0.3"), real("0.002"), 3), (real("0"), real("0.5"), 1)]);
    assert!(matches!(one.engine, Engine::Equal(_)));
    let kov = Kov::new(real("0.3"), real("0"), 7).unwrap();
    let budget = Budget::default();
    let kernel = kov.delta(&real("0.8"), Direction::Worst, 150, &budget).unwrap().enclosure(150);
    let kept = q("0.99").pow(4) * q("0.998").pow(3) / 2_u32;
    let by_hand = &Enclosure::one(150) - &(&Enclosure::rational(&kept, 150) * &(&Enclosure::one(150) - &kernel));
    assert!(delta(&one, &real("0.8"), 30).enclosure(150).overlaps(&by_hand));
    let back = epsilon(&one, &Real::from(by_hand.upper().to_rational().unwrap()), 30).enclosure(150);
    assert!(*back.lower() < q("0.8") && *back.upper() > q("0.799999"));
}

#[test]
fn too_many_sums_are_refused() {
    let list: Vec<_> =
        (2_u32..60).map(|i| (Real::from(Rational::from((i * i + 1, i))).ln().unwrap(), real("0"), 1)).collect();
    let all: Vec<_> = list
        .iter()
        .map(|(epsilon, delta, times)| Part { epsilon: epsilon.clone(), delta: delta.clone(), times: *times })
        .collect();
    assert!(matches!(Heterogeneous::new(&all, &Budget::default()), Err(Error::Undecided(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Rational x_i: the fractions of the definition, on a lattice or not.
    #[test]
    fn equals_direct_convolution(
        xs in prop::collection::vec((1_u32..5, 1_u32..5, 0_u32..3), 0..5), at in (1_u32..40, 1_u32..40),
            level in 0_u32..=24,
    ) {
        let pairs: Vec<_> =
            xs.iter().map(|(a, b, d)| (Rational::from((*a.max(b), *a.min(b))), Rational::from((*d, 10)))).collect();
        let list: Vec<_> = pairs.iter().map(|(x, d)| (Real::from(x.clone()).ln().unwrap(), Real::from(d.clone()), 1))
            .collect();
        let curve = parts(&list);
        let all = atoms(&pairs);
        let threshold = Rational::from(at);
        let value = delta(&curve, &Real::from(threshold.clone()).ln().unwrap(), 15);
        prop_assert_eq!(value.exact(), Some(&profile(&all, &threshold)));
        let level = Rational::from((level, 24));
        let value = beta(&curve, &Real::from(level.clone()), 15);
        prop_assert_eq!(value.exact(), Some(&tradeoff(&all, &level)));
        let budget = Budget::default();
        match (inverse(&all, &level),
            between(&curve).epsilon(&Real::from(level), Direction::Worst, 100, &budget).unwrap()) {
            (None, Value::Infinite) => {}
            (Some(x), Value::Finite(epsilon)) => {
                prop_assert!(epsilon.enclosure(200).overlaps(&Enclosure::rational(&x, 200).ln()), "{} {:?}", x,
                    epsilon);
            }
            (x, value) => prop_assert!(false, "{:?} {:?}", x, value),
        }
    }

    /// MeetInTheMiddle in fixed point against the definition, which is rational.
    #[test]
    fn halves_enclose_the_definition(
        xs in prop::collection::vec((1_u32..9, 1_u32..9), 2..6), at in (40_u32..400, 1_u32..40), level in 1_u32..=23,
    ) {
        let pairs: Vec<_> =
            xs.iter().map(|(a, b)| (Rational::from((*a.max(b) + 1, *a.min(b))), Rational::new())).collect();
        let groups: Vec<_> = pairs.iter().map(|(x, _)| (Real::from(x.clone()).ln().unwrap(), 1)).collect();
        let (first, second) = groups.split_at(groups.len() / 2);
        let budget = Budget::default();
        let build = |groups: &[(Real, u64)]| Heterogeneous::half(groups, 150, &budget).unwrap();
        let halves = [build(first), build(second)];
        let halves = MeetInTheMiddle::new(&halves, Enclosure::zero(200), (150, 150), &budget).unwrap();
        let all = atoms(&pairs);
        let threshold = Rational::from(at);
        let value = halves.profile(&Enclosure::rational(&threshold, 300).ln(), &budget).unwrap();
        prop_assert!(value.contains(&profile(&all, &threshold)));
        let level = Rational::from((level, 24));
        let set = Enclosure::rational(&level, 300);
        let value = halves.least_mass(&set, &budget).unwrap();
        let truth = tradeoff(&all, &Rational::from(1 - &level));
        prop_assert!(value.contains(&truth), "{:?} {}", value, truth.to_f64());
        prop_assert!(value.relative_bits().is_some_and(|bits| bits > 60), "{:?} {}", value, truth.to_f64());
        let value = halves.inverse(&set, 60, &budget).unwrap().enclosure(200);
        let truth = Enclosure::rational(&inverse(&all, &level).unwrap(), 300).ln();
        prop_assert!(value.overlaps(&truth), "{:?} {:?}", value, truth);
        prop_assert!(truth.upper() < &1e-9_f64 || value.relative_bits().is_some_and(|bits| bits > 40), "{:?} {:?}",
            value, truth);
    }
}

/// The profile is above the target below the epsilon and below it above, and no line of it is above the trade-off
/// function.
#[test]
fn forty_different_epsilons_are_inverted() {
    let list: Vec<_> = (0..40_u32)
        .map(|i| (Real::from(Rational::from((1000 + 7 * i * i + i, 983))).ln().unwrap(), real("0"), 1))
        .collect();
    let curve = parts(&list);
    let (target, at) = (q("1/1000"), |end: &Float| Real::from(end.to_rational().unwrap()));
    let found = epsilon(&curve, &real("0.001"), 20).enclosure(128);
    let (above, below) = (delta(&curve, &at(found.lower()), 30), delta(&curve, &at(found.upper()), 30));
    assert!(*above.enclosure(128).lower() > target, "{above:?}");
    assert!(*below.enclosure(128).upper() < target, "{below:?}");
    let beta = beta(&curve, &real("0.05"), 20).enclosure(128);
    for at in ["0", "1", "2", "3"] {
        let profile = delta(&curve, &real(at), 20);
        let line = &(&Number::one() - &profile) - &(&real(at).exp_number(128) * &real("0.05").number(128));
        assert!(*line.enclosure(128).upper() <= *beta.upper(), "{at}: {line:?} {beta:?}");
    }
}

/// Theorem 3.3 is about equal mechanisms: of equal epsilons with different deltas it says nothing.
#[test]
fn equal_mechanisms_cite_kairouz_oh_viswanath() {
    let part = |epsilon: &str, delta: &str, times: u64| Part { epsilon: real(epsilon), delta: real(delta), times };
    for (parts, equal) in [
        (vec![part("0.1", "0.01", 1)], true),
        (vec![part("0.1", "0.01", 10)], true),
        (vec![part("0.1", "0.01", 3), part("0.1", "0.01", 4)], true),
        (vec![part("0", "0.01", 3)], true),
        (vec![], true),
        (vec![part("0.1", "0.01", 3), part("0.1", "0", 4)], false),
        (vec![part("0.1", "0", 3), part("0.2", "0", 4)], false),
        (vec![part("0.1", "0", 3), part("1/3", "0", 4)], false),
    ] {
        let curve = Heterogeneous::new(&parts, &Budget::default()).unwrap();
        let cited = curve.statement().citation();
        assert_eq!(cited.contains("Kairouz, Oh, Viswanath, Theorem 3.3"), equal, "{parts:?}: {cited}");
        assert_eq!(cited.contains("Murtagh, Vadhan, Theorem 1.5"), !equal, "{parts:?}: {cited}");
    }
}
