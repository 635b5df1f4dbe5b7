use rug::Rational;

use super::*;
use crate::compose::Kov;
use crate::compose::reference::{ln, q, real};

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
        let mut pairs = vec![LatticePair::randomized_response(epsilon.clone(), real(probability)).unwrap()];
        if probability == "0" {
            pairs.push(LatticePair::geometric(epsilon.clone(), 1).unwrap());
            pairs.push(LatticePair::staircase(epsilon.clone(), real("1/2"), 1).unwrap());
        }
        for pair in pairs {
            let lattice = curve(pair, 9);
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
    let geometric = LatticePair::geometric(ln("2"), 3).unwrap();
    let masses = (geometric.masses)(64).unwrap();
    let total: Rational = masses.p.iter().map(|p| p.exact().unwrap().clone()).sum();
    assert_eq!(total, 1);
    // P(0) = (2-1)/(2+1), loss 3 for j <= 0: 1/3 (1 + 1/2 + ...) = 2/3.
    assert_eq!(masses.p[6].exact(), Some(&q("2/3")));
    assert_eq!(masses.p[4].exact(), Some(&q("1/6")));
    for (gamma, zero) in [("1/4", "1/10"), ("3/4", "2/7"), ("0", "1/2"), ("1", "1/2")] {
        let masses = (LatticePair::staircase(ln("2"), real(gamma), 1).unwrap().masses)(64).unwrap();
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
            let masses = (LatticePair::staircase(ln("2"), real(gamma), d).unwrap().masses)(64).unwrap();
            let total: Rational = masses.p.iter().map(|p| p.exact().unwrap().clone()).sum();
            assert_eq!(total, 1);
            // Q-masses q = p e^-loss sum to one too, and mirror the P-masses.
            for (i, p) in masses.p.iter().enumerate() {
                let step = i as i32 - d as i32;
                let mirrored = masses.p[2 * d as usize - i].exact().unwrap();
                let q_mass = p.exact().unwrap() * rug::ops::Pow::pow(Rational::from(2), -step);
                assert_eq!(*mirrored, q_mass);
            }
        }
    }
}

#[test]
fn exact_and_fixed_point_agree() {
    let budget = Budget::default();
    let lattice = curve(LatticePair::staircase(ln("5/4"), real("1/3"), 3).unwrap(), 7);
    let atoms = lattice.exact(&budget).unwrap();
    let atoms = atoms.as_ref().as_ref().unwrap();
    for forward in [true, false] {
        let halves = lattice.halves(forward, 200, &budget).unwrap();
        for x in [q("1"), q("3/2"), q("1/7"), q("5/4"), q("20")] {
            let set = halves.profile(&Enclosure::rational(&x, 300).ln(), &budget).unwrap();
            assert!(set.contains(&atoms.profile(&x)), "{x} {set:?}");
        }
        for mass in [q("1/9"), q("1/2"), q("99/100")] {
            let set = halves.least_mass(&Enclosure::rational(&mass, 300), &budget).unwrap();
            assert!(set.contains(&atoms.least_mass(&mass)), "{mass} {set:?}");
            assert!(set.relative_bits().is_some_and(|bits| bits > 100), "{set:?}");
        }
    }
}
