use std::sync::Arc;

use super::*;
use crate::compose::{Lattice, reference};

/// The same noise, run so often: by the formula, and by the list of all losses.
fn both(noise: &str, times: u64) -> (Staircases, Lattice) {
    let composition: crate::mechanism::Composition = noise.parse().unwrap();
    let crate::pair::Pair::Discrete(pair) = composition.pairs().unwrap()[0].0.clone() else { panic!("{noise}") };
    let curve = match (pair.as_geometric(), pair.as_staircase()) {
        (Some((rate, shift)), _) => {
            let unit = rate.clone();
            Staircases::new(rate.clone(), shift, times, move |bits| unit.neg().exp_number(bits).enclosure(bits))
        }
        (_, Some((epsilon, gamma, narrow, shift))) => {
            let (unit, at) = (epsilon.clone(), gamma.clone());
            let odds = move |bits| super::super::staircase::odds(&unit, &at, narrow, bits);
            Staircases::new(epsilon.clone(), shift, times, odds)
        }
        _ => panic!("{noise}"),
    };
    (curve.unwrap(), Lattice::new(vec![(reference::on_lattice(noise), times)], true).unwrap())
}

/// What is asked at a point, to many digits.
type Asked = Arc<dyn Fn(&dyn Curve) -> Enclosure>;

fn questions(points: &[&str], levels: &[&str]) -> Vec<(String, Asked)> {
    const BITS: u32 = 200;
    let mut all: Vec<(String, Asked)> = Vec::new();
    for point in points {
        let t: Real = point.parse().unwrap();
        let ask = move |curve: &dyn Curve| {
            curve.delta(&t, Direction::Forward, BITS, &Budget::default()).unwrap().enclosure(BITS)
        };
        all.push((format!("delta at {point}"), Arc::new(ask)));
    }
    for level in levels {
        let at: Real = level.parse().unwrap();
        let again = at.clone();
        let epsilon = move |curve: &dyn Curve| {
            let value = curve.epsilon(&at, Direction::Forward, BITS, &Budget::default()).unwrap();
            let Value::Finite(value) = value else { panic!("infinite") };
            value.enclosure(BITS)
        };
        let beta = move |curve: &dyn Curve| {
            curve.beta(&again, Direction::Forward, BITS, &Budget::default()).unwrap().enclosure(BITS)
        };
        all.push((format!("epsilon at {level}"), Arc::new(epsilon)));
        all.push((format!("beta at {level}"), Arc::new(beta)));
    }
    all
}

const NOISES: [&str; 9] = [
    "geometric(epsilon=1/3, sensitivity=2)",
    "geometric(epsilon=ln(2), sensitivity=3)",
    "geometric(epsilon=1/50, sensitivity=40)",
    "geometric(epsilon=3, sensitivity=7)",
    "staircase(epsilon=1/3, gamma=1/3)",
    "staircase(epsilon=1/7, gamma=3/4, sensitivity=5)",
    "staircase(epsilon=2, gamma=0, sensitivity=3)",
    "staircase(epsilon=1/9, gamma=1, sensitivity=4)",
    "staircase(epsilon=1/20, gamma=1/2, sensitivity=30)",
];

/// The list of all losses has the same numbers.
#[test]
fn the_lattice_agrees() {
    let questions = questions(
        &["0", "1/100", "1/3", "2/3", "1", "5/2", "-1/2", "ln(2)", "1/7"],
        &["1e-12", "1/1000", "1/20", "1/3", "9/10"],
    );
    for noise in NOISES {
        for times in [1, 2, 3, 7] {
            let (formula, lattice) = both(noise, times);
            for (name, ask) in &questions {
                let reach = formula.loss(&Integer::new());
                // Between the edges alone.
                let outside = name.strip_prefix("delta at ").is_some_and(|point| {
                    let t: Real = point.parse().unwrap();
                    [t.clone(), t.neg()].iter().any(|t| t.compare(&reach) != Some(Ordering::Less))
                });
                if outside {
                    continue;
                }
                let (one, other) = (ask(&formula), ask(&lattice));
                assert!(one.overlaps(&other), "{noise}^{times} {name}: {one:?} {other:?}");
                let sharp = one.relative_bits().is_some_and(|bits| bits > 150) || *one.upper() < 1e-40;
                assert!(sharp, "{noise}^{times} {name}: {one:?}");
            }
        }
    }
}

/// Masses up to each place are sums over the list of the masses of one run, convolved; a place more or less is not.
#[test]
fn masses_are_those_of_the_list() {
    let budget = Budget::default();
    for noise in NOISES {
        let (formula, _) = both(noise, 3);
        let composition: crate::mechanism::Composition = noise.parse().unwrap();
        let crate::pair::Pair::Discrete(pair) = composition.pairs().unwrap()[0].0.clone() else { panic!() };
        // From the least loss up under P, which is from the largest down under Q.
        let one: Vec<Enclosure> = pair.masses(200).unwrap().p.iter().map(|mass| mass.enclosure(200)).collect();
        // Only places with mass are listed: those of geometric noise are two apart.
        let step = if pair.as_geometric().is_some() { 2 } else { 1 };
        let mut spread = vec![Enclosure::zero(200); step * (one.len() - 1) + 1];
        if spread.len() as u64 != formula.last.to_u64().unwrap() / 3 + 1 {
            continue;
        }
        for (i, mass) in one.iter().enumerate() {
            spread[step * i] = mass.clone();
        }
        let mut all = vec![Enclosure::one(200)];
        for _ in 0..3 {
            let mut next = vec![Enclosure::zero(200); all.len() + spread.len() - 1];
            for (i, a) in all.iter().enumerate() {
                for (j, b) in spread.iter().enumerate() {
                    next[i + j] = &next[i + j] + &(a * b);
                }
            }
            all = next;
        }
        let mut sum = Enclosure::zero(200);
        for (n, mass) in all.iter().enumerate() {
            let before = sum.clone();
            sum = &sum + mass;
            let found = formula.second(&Integer::from(n), 150, &budget).unwrap();
            assert!(found.overlaps(&sum), "{noise} {n}");
            assert!(mass.lower().is_zero() || !found.overlaps(&before), "{noise} {n}");
        }
    }
}

/// Deltas that the profile has at a loss, where the place is one of two neighbours.
#[test]
fn levels_at_places_are_found() {
    let budget = Budget::default();
    let (formula, _) = both("geometric(epsilon=ln(2), sensitivity=3)", 2);
    // The largest loss, 6 ln 2, has the masses 4/9 and 1/144, and the next one is 4 ln 2.
    let level: Real = "1/3".parse().unwrap();
    let Value::Finite(found) = formula.epsilon(&level, Direction::Forward, 200, &budget).unwrap() else { panic!() };
    assert!(found.enclosure(200).overlaps(&"4*ln(2)".parse::<Real>().unwrap().enclosure(200)), "{found:?}");
    // The trade-off function has a vertex there.
    let beta = formula.beta(&"1/144".parse().unwrap(), Direction::Forward, 200, &budget).unwrap();
    assert!(beta.enclosure(200).contains(&Rational::from((5, 9))), "{beta:?}");
}

/// Any shift will do, and any number of runs up to the most.
#[test]
fn large_shifts_have_all_digits() {
    let budget = Budget::default();
    for (noise, times, at) in [
        ("geometric(epsilon=1e-6, sensitivity=1000000)", 2, (1, 2)),
        ("geometric(epsilon=1e-6, sensitivity=1000000)", 64, (25, 1)),
        ("staircase(epsilon=1e-6, gamma=1/3, sensitivity=1000000)", 9, (3, 1)),
        ("staircase(epsilon=1e-18, gamma=2/3, sensitivity=9000000000000000000)", 3, (20, 1)),
        ("geometric(epsilon=1, sensitivity=5000)", 5, (49_983, 2)),
    ] {
        let composition: crate::mechanism::Composition = format!("{noise}^{times}").parse().unwrap();
        let curve = crate::compose::curve(&composition, crate::compose::Method::Auto, &budget).unwrap();
        assert!(curve.statement().citation().ends_with("staircases.md"));
        let at = Rational::from(at);
        let delta = curve.delta(&Real::from(at.clone()), Direction::Forward, 100, &budget).unwrap().enclosure(100);
        assert!(delta.relative_bits().is_some_and(|bits| bits > 90), "{noise}^{times} {delta:?}");
        let level = Real::from(delta.with_bits(60).lower().to_rational().unwrap());
        let Value::Finite(epsilon) = curve.epsilon(&level, Direction::Forward, 100, &budget).unwrap() else { panic!() };
        let little = Rational::from((1, 1_000_000));
        let epsilon = epsilon.enclosure(100);
        assert!(
            *epsilon.lower() > at.clone() - &little && *epsilon.upper() < at + little,
            "{noise}^{times} {epsilon:?}"
        );
    }
}

/// Where hardly anything is lacking of 1 places are told apart all the same.
#[test]
fn levels_next_to_one_have_an_epsilon() {
    let budget = Budget::default();
    for (noise, level) in [
        ("staircase(epsilon=1, gamma=1/3, sensitivity=1000000)^3", "1-1e-30"),
        ("geometric(epsilon=1/2, sensitivity=2049)^4", "1-1e-90"),
    ] {
        let composition: crate::mechanism::Composition = noise.parse().unwrap();
        let curve = crate::compose::curve(&composition, crate::compose::Method::Auto, &budget).unwrap();
        let level: Real = level.parse().unwrap();
        let Value::Finite(epsilon) = curve.epsilon(&level, Direction::Forward, 60, &budget).unwrap() else { panic!() };
        let [low, high] = [epsilon.enclosure(80).lower(), epsilon.enclosure(80).upper()]
            .map(|end| Real::from(end.to_rational().unwrap()));
        let delta = |at: &Real| curve.delta(at, Direction::Forward, 500, &budget).unwrap().enclosure(500);
        let level = level.enclosure(500);
        assert!(delta(&low).upper() >= level.lower() && delta(&high).lower() <= level.upper(), "{noise}");
        assert!(delta(&low.sub(&"1/10".parse().unwrap())).lower() > level.upper(), "{noise}");
    }
}
