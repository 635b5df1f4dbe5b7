use rug::Rational;

use super::*;
use crate::compose::reference::{assert_agrees, edged, edged_kov, ln, on_lattice, q};
use crate::compose::{DiscreteGaussian, Heterogeneous, Kov};
use crate::pair::{Masses, Pair, Part};

fn real(text: &str) -> Real {
    text.parse().unwrap()
}

fn masses_of(pair: &LatticePair) -> Masses {
    match &pair.law {
        pair::Law::Finite { masses, .. } => masses(64).unwrap(),
        _ => panic!("not finitely many"),
    }
}

fn response(epsilon: Real, delta: Real) -> LatticePair {
    LatticePair::response(epsilon, delta, &Real::one()).unwrap()
}

fn curve(pair: LatticePair, times: u64) -> Lattice {
    Lattice::new(vec![(pair, times)], true).unwrap()
}

fn delta(curve: &dyn Curve, at: &Real) -> Number {
    let budget = Budget::default();
    curve.delta(at, Direction::Forward, 120, &budget).unwrap()
}

fn overlap(a: &Number, b: &Number) {
    match (a, b) {
        (Number::Exact(a), Number::Exact(b)) => assert_eq!(a, b),
        _ => {
            assert!(a.enclosure(200).overlaps(&b.enclosure(200)), "{a:?} {b:?}");
            for value in [a, b] {
                assert!(value.enclosure(200).relative_bits().is_some_and(|bits| bits > 70), "{value:?}");
            }
        }
    }
}

#[test]
fn randomized_response_and_geometric_noise_are_the_optimal_theorem() {
    let budget = Budget::default();
    for (epsilon, probability) in [(real("0.3"), "0.01"), (ln("3/2"), "0.01"), (real("0.3"), "0")] {
        let kov = Kov::new(epsilon.clone(), real(probability), 9).unwrap();
        let mut pairs = vec![response(epsilon.clone(), real(probability))];
        if probability == "0" {
            pairs.push(on_lattice(&format!("geometric(epsilon={epsilon})")));
            pairs.push(on_lattice(&format!("staircase(epsilon={epsilon}, gamma=1/2)")));
        }
        for pair in pairs {
            let response = || Pair::response(epsilon.clone(), real(probability)).unwrap();
            let (kov, lattice) = (edged_kov(&kov), edged(curve(pair, 9), [(response(), 9)]));
            for at in [real("0.3"), real("0"), real("-0.7"), real("1.11"), real("2.69"), ln("9/4"), ln("1/3")] {
                overlap(&delta(&lattice, &at), &delta(&kov, &at));
            }
            for alpha in ["0.01", "0.3", "0.5", "0.9"] {
                let beta = |c: &dyn Curve| c.beta(&real(alpha), Direction::Forward, 120, &budget).unwrap();
                overlap(&beta(&lattice), &beta(&kov));
            }
            for level in ["0.1", "0.2", "0.4", "0.99", "0.05"] {
                let value = |c: &dyn Curve| match c.epsilon(&real(level), Direction::Forward, 120, &budget).unwrap() {
                    Value::Finite(number) => Some(number),
                    Value::Infinite => None,
                };
                match (value(&lattice), value(&kov)) {
                    (Some(a), Some(b)) => overlap(&a, &b),
                    (a, b) => assert!(a.is_none() && b.is_none(), "{level} {a:?} {b:?}"),
                }
            }
        }
    }
}

#[test]
fn masses_are_those_of_the_densities() {
    // Geometric noise summed outcome by outcome, and staircase masses by the antipodal formula.
    let geometric = on_lattice("geometric(epsilon=ln(2), sensitivity=3)");
    let masses = masses_of(&geometric);
    let total: Rational = masses.p.iter().map(|p| p.exact().unwrap().clone()).sum();
    assert_eq!(total, 1);
    // P(0) = (2-1)/(2+1), loss 3 for j <= 0: 1/3 (1 + 1/2 + ...) = 2/3.
    assert_eq!(masses.p[6].exact(), Some(&q("2/3")));
    assert_eq!(masses.p[4].exact(), Some(&q("1/6")));
    for (gamma, zero) in [("1/4", "1/10"), ("3/4", "2/7"), ("0", "1/2"), ("1", "1/2")] {
        let masses = masses_of(&on_lattice(&format!("staircase(epsilon=ln(2), gamma={gamma})")));
        let zero = match gamma {
            // a b (1 - 2 gamma), a = (1-b)/(2(gamma + b(1-gamma)))
            "1/4" => q("1/4") / (q("5/4")) / 2_u32 / 1_u32,
            _ => {
                let g = q(gamma);
                let b = q("1/2");
                let a = (Rational::from(1) - &b) / (2 * (g.clone() + b.clone() * (1 - g.clone())));
                let _ = zero;
                if g < b { a * b * (1 - 2 * g) } else { a * (2 * g - Rational::from(1)) }
            }
        };
        assert_eq!(masses.p[1].exact(), Some(&zero), "{gamma}");
        let high = (Rational::from(1) - &zero) * 2_u32 / 3_u32;
        assert_eq!(masses.p[2].exact(), Some(&high), "{gamma}");
        for d in 1..5 {
            let masses = masses_of(&on_lattice(&format!("staircase(epsilon=ln(2), gamma={gamma}, sensitivity={d})")));
            let total: Rational = masses.p.iter().map(|p| p.exact().unwrap().clone()).sum();
            assert_eq!(total, 1);
            // Q-masses q = p e^-loss sum to one too, and mirror the P-masses.
            for (i, p) in masses.p.iter().enumerate() {
                let step = i as i32 - d;
                let reversed = masses.p[2 * d as usize - i].exact().unwrap();
                let q_mass = p.exact().unwrap() * rug::ops::Pow::pow(Rational::from(2), -step);
                assert_eq!(*reversed, q_mass);
            }
        }
    }
}

/// A tail by tilted arrays, forwards and backwards, against exact fractions.
#[test]
fn exact_and_fixed_point_agree() {
    let budget = Budget::default();
    let uneven = on_lattice("finite(p=[1/2, 1/3, 1/12, 1/24, 1/24], q=[1/8, 1/3, 1/6, 1/3, 1/24])");
    for (lattice, symmetric) in [
        (vec![(on_lattice("staircase(epsilon=ln(5/4), gamma=1/3, sensitivity=3)"), 7)], true),
        (vec![(uneven.clone(), 5)], false),
        (vec![(uneven, 4), (response(ln("4"), real("1/100")), 3)], false),
    ] {
        let lattice = Lattice::new(lattice, symmetric).unwrap();
        let exact = lattice.exact(&budget).unwrap();
        let exact = exact.as_ref().as_ref().unwrap();
        for backward in [false, true] {
            let atoms = Lattice::turned(exact, backward);
            let (infinite, _) = lattice.infinite(backward, 200).unwrap();
            for x in ["1", "3/2", "1/7", "5/4", "20", "1/300", "4", "2", "1/2", "16"] {
                let epsilon = ln(x);
                let set = tail::profile(&lattice.composed, &epsilon, backward, 120, &budget).unwrap();
                let expected = atoms.profile(&q(x)) - infinite.exact().unwrap();
                assert!(set.enclosure(200).contains(&expected), "{x} {set:?} {expected}");
                if expected > 0 {
                    assert!(set.enclosure(200).relative_bits().is_some_and(|bits| bits >= 120), "{x} {set:?}");
                }
            }
            for level in ["1/3", "1/1000", "1/100000000", "2/3"] {
                let finite = |bits: u32| Enclosure::rational(&(q(level) - infinite.exact().unwrap()), bits);
                if q(level) <= *infinite.exact().unwrap() {
                    continue;
                }
                let set = tail::inverse(&lattice.composed, &finite, backward, 120, &budget).unwrap();
                let expected = ln_of(&atoms.inverse(&q(level)).unwrap(), 300);
                assert!(set.enclosure(300).overlaps(&expected.enclosure(300)), "{level} {set:?} {expected:?}");
                let sharp = set.enclosure(300).relative_bits().is_none_or(|bits| bits >= 120);
                assert!(sharp, "{level} {set:?}");
            }
            for alpha in ["1/9", "1/2", "99/100", "1/100000000000000000000", "999999999/1000000000", "1/4"] {
                let alpha = q(alpha);
                let rest = Rational::from(1 - &alpha) - infinite.exact().unwrap();
                let point = |bits: u32| (Enclosure::rational(&alpha, bits), Enclosure::rational(&rest, bits));
                if rest <= 0 {
                    continue;
                }
                let set = tail::tradeoff(&lattice.composed, &point, backward, 120, &budget).unwrap();
                let expected = atoms.least_mass(&Rational::from(1 - &alpha));
                assert!(set.enclosure(300).contains(&expected), "{alpha} {backward} {set:?} {expected}");
                assert!(set.enclosure(300).relative_bits().is_some_and(|bits| bits >= 120), "{alpha} {set:?}");
            }
        }
    }
}

/// Equal discrete Gaussians: the engine on tilted contours.
#[test]
fn equal_discrete_gaussians_are_the_tilted_contours() {
    let budget = Budget::default();
    for (sigma2, sensitivity, times) in
        [("1/4", 1, 3), ("3/10", 2, 1), ("7/3", 3, 10), ("120000/1729", 1, 9), ("100", 7, 72)]
    {
        let other = DiscreteGaussian::new(q(sigma2), sensitivity.into(), times).unwrap();
        let pair = LatticePair::discrete_gaussian(q(sigma2), sensitivity.into()).unwrap();
        let lattice = curve(pair, times);
        for at in ["0", "-2", "1", "5/2", "20", "30"] {
            overlap(&delta(&lattice, &real(at)), &delta(&other, &real(at)));
        }
        for level in ["0.5", "1e-3", "1e-11", "1e-40", "1e-300"] {
            let value = |c: &dyn Curve| match c.epsilon(&real(level), Direction::Forward, 120, &budget).unwrap() {
                Value::Finite(number) => number,
                Value::Infinite => panic!("infinite"),
            };
            overlap(&value(&lattice), &value(&other));
        }
        for alpha in ["0.5", "1e-3", "1e-30", "0.999", "0.9999999999999"] {
            let value = |c: &dyn Curve| c.beta(&real(alpha), Direction::Forward, 120, &budget).unwrap();
            overlap(&value(&lattice), &value(&other));
        }
    }
}

/// Different epsilons beside each other: exact fractions by listing all sums.
#[test]
fn different_randomized_responses_are_the_optimal_theorem() {
    let budget = Budget::default();
    let parts = [("ln(2)", "0", 3), ("ln(4)", "1/50", 2), ("ln(8)", "0", 2)];
    let listed: Vec<Part> =
        parts.iter().map(|(e, d, times)| Part { epsilon: real(e), delta: real(d), times: *times }).collect();
    let all =
        || listed.iter().map(|part| (Pair::response(part.epsilon.clone(), part.delta.clone()).unwrap(), part.times));
    let optimal = edged(Heterogeneous::new(&listed, &budget).unwrap(), all());
    let pairs = listed.iter().map(|part| (response(part.epsilon.clone(), part.delta.clone()), part.times));
    let lattice = edged(Lattice::new(pairs.collect(), true).unwrap(), all());
    for at in ["0", "ln(3)", "1", "5", "ln(32)", "-1"] {
        overlap(&delta(&lattice, &real(at)), &delta(&optimal, &real(at)));
    }
}

/// The heterogeneous census composition that was computed before by ball arithmetic at 420 bits.
#[test]
fn the_census_composition_of_2022_august() {
    let budget = Budget::default();
    let pairs = [(20, 10), (274, 10), (85, 10), (131, 20), (238, 10), (118, 10), (3, 10)]
        .map(|(a, times)| (LatticePair::discrete_gaussian(q("5000") / (q("73/20") * a), 1.into()).unwrap(), times));
    let lattice = Lattice::new(pairs.to_vec(), true).unwrap();
    for (at, digits) in [
        ("20.838545", "2.89165695269062021324428529032646251432e-11"),
        ("21.97", "1.663389574401044135892647647916273222055e-12"),
        ("18", "1.771709658466493279005378931914680975822e-8"),
        ("10", "0.004567884368767843407245789127020428034211"),
    ] {
        assert_agrees(&lattice.delta(&real(at), Direction::Forward, 140, &budget).unwrap(), digits);
    }
    for (level, digits) in
        [("1e-10", "20.32468975078972628513583424534909329025"), ("1e-11", "21.26720183552864901365104586522627704328")]
    {
        let Value::Finite(value) = lattice.epsilon(&real(level), Direction::Forward, 140, &budget).unwrap() else {
            panic!("infinite")
        };
        assert_agrees(&value, digits);
    }
}

/// The table of a narrow width ends where masses are too small for it, far from the segment that is wanted: its ends
/// prove nothing about what lies beyond them.
#[test]
fn beta_beyond_the_ends_of_a_narrow_table() {
    let budget = Budget::default();
    let parts = [("5", "1/1000", 70, "1/6"), ("1", "1e-14", 1067, "1/2")];
    for (epsilon, delta, times, alpha) in parts {
        let real = |text: &str| text.parse::<Real>().unwrap();
        let pair = response(real(epsilon), real(delta));
        let lattice = Lattice::new(vec![(pair, times)], true).unwrap();
        let part = Part { epsilon: real(epsilon), delta: real(delta), times };
        let formula = crate::compose::Heterogeneous::new(&[part], &budget).unwrap();
        let [a, b] = [&lattice as &dyn Curve, &formula]
            .map(|curve| curve.beta(&real(alpha), Direction::Forward, 80, &budget).unwrap().enclosure(200));
        assert!(a.overlaps(&b) && *a.lower() > 0, "{a:?} {b:?}");
    }
}

/// A knot that is exactly the least number of 64 bits is too far, as its neighbours are.
#[test]
fn knots_too_far_out_are_refused() {
    let budget = Budget::default();
    let lattice = curve(on_lattice("geometric(epsilon=1, sensitivity=1)"), 2);
    for at in ["-9223372036854775808", "-9223372036854775809", "-9223372036854775807"] {
        let delta = lattice.delta(&real(at), Direction::Forward, 60, &budget);
        assert!(matches!(delta, Err(Error::Undecided(_))), "{at}: {delta:?}");
    }
}
