use rug::Rational;

use super::*;
use crate::compose::reference::{edged, q};
use crate::compose::{DiscreteGaussian, Heterogeneous, LatticePair, Subsampled};
use crate::curve::{Curve, Direction, Value};
use crate::pair::{Discrete, FinitePair, Pair, Part};
use enclosure::{Number, Real};

fn real(text: &str) -> Real {
    text.parse().unwrap()
}

fn response(epsilon: Real, delta: Real) -> Finite {
    Finite(Discrete::response(epsilon, delta).unwrap())
}

// Points are chosen away from the atoms of coarse lattices: there the excess falls with the step, not with its square.

/// Two enclosures of one number, the second of which is narrow.
fn overlap(grid: &Number, truth: &Number, least: i64) {
    let (a, b) = (grid.enclosure(200), truth.enclosure(200));
    assert!(a.overlaps(&b), "{a:?} {b:?}");
    assert!(a.relative_bits().is_some_and(|bits| bits >= least), "{a:?} {:?}", a.relative_bits());
}

fn compare(grid: &dyn Curve, other: &dyn Curve, epsilons: &[&str], deltas: &[&str], alphas: &[&str]) {
    let budget = Budget::default();
    for direction in [Direction::Forward, Direction::Backward] {
        for at in epsilons {
            let delta = |c: &dyn Curve, bits| {
                c.delta(&real(at), direction, bits, &budget).unwrap_or_else(|e| panic!("delta at {at}: {e}"))
            };
            overlap(&delta(grid, 50), &delta(other, 100), 20);
        }
        for level in deltas {
            let epsilon = |c: &dyn Curve, bits| match c.epsilon(&real(level), direction, bits, &budget) {
                Ok(Value::Finite(number)) => number,
                other => panic!("epsilon at {level}: {other:?}"),
            };
            overlap(&epsilon(grid, 46), &epsilon(other, 100), 16);
        }
        for alpha in alphas {
            let beta = |c: &dyn Curve, bits| {
                c.beta(&real(alpha), direction, bits, &budget).unwrap_or_else(|e| panic!("beta at {alpha}: {e}"))
            };
            overlap(&beta(grid, 38), &beta(other, 100), 8);
        }
    }
}

#[test]
fn equal_discrete_gaussians() {
    for (sigma2, times) in [("120000/1729", 9), ("1/4", 3)] {
        let part = Commensurable::discrete_gaussian(q(sigma2), 1.into()).unwrap();
        let grid = Grid::new(vec![(Box::new(part), times)]).unwrap();
        let other = DiscreteGaussian::new(q(sigma2), 1.into(), times).unwrap();
        compare(&grid, &other, &["1", "1/3", "3", "-1/2"], &["1e-3", "1e-6", "0.1"], &["0.1", "0.9"]);
    }
}

#[test]
fn different_randomized_responses() {
    let budget = Budget::default();
    let parts = [("0.1", "0", 7), ("sqrt(2)/4", "0.001", 5), ("ln(3/2)", "0", 6)];
    let listed: Vec<Part> =
        parts.iter().map(|(e, d, times)| Part { epsilon: real(e), delta: real(d), times: *times }).collect();
    let responses = || listed.iter().map(|p| (Pair::response(p.epsilon.clone(), p.delta.clone()).unwrap(), p.times));
    let other = edged(Heterogeneous::new(&listed, &budget).unwrap(), responses());
    let laws = listed.iter().map(|part| {
        let law = response(part.epsilon.clone(), part.delta.clone());
        (Box::new(law) as Box<dyn LossLaw>, part.times)
    });
    let grid = edged(Grid::new(laws.collect()).unwrap(), responses());
    compare(&grid, &other, &["1", "0", "2.5", "3", "-1"], &["0.1", "0.01"], &["0.1", "0.6"]);
    // Infinitely much is lost with probability 1 - 0.999^5.
    assert!(matches!(grid.epsilon(&real("0.004"), Direction::Forward, 60, &budget), Ok(Value::Infinite)));
}

#[test]
fn laplace_noise() {
    let law = Laplace::new(real("1/3")).unwrap();
    let grid = Grid::new(vec![(Box::new(law), 4)]).unwrap();
    let other = crate::compose::Laplace::new(real("1/3"), 4).unwrap();
    compare(&grid, &other, &["1/2", "1/20", "1", "-1/5"], &["0.1", "0.01"], &["0.2", "0.7"]);
}

#[test]
fn one_sample() {
    let inner = edged(crate::compose::Laplace::new(real("2"), 1).unwrap(), [(Pair::laplace(real("2")), 1)]);
    let other = Subsampled::new(real("1/5"), Box::new(inner)).unwrap();
    let law = Poisson::new(real("1/5"), Laplace::new(real("2")).unwrap()).unwrap();
    // The largest backward loss is below 1/5.
    let pair = Pair::laplace(real("2")).sampled(&real("1/5")).unwrap();
    let grid = edged(Grid::new(vec![(Box::new(law), 1)]).unwrap(), [(pair, 1)]);
    compare(&grid, &other, &["1/10", "0", "1/5", "-1/10"], &["0.02", "0.1"], &["0.2", "0.7"]);
    let inner =
        edged(DiscreteGaussian::new(q("4/3"), 2.into(), 1).unwrap(), [(Pair::discrete_gaussian(q("4/3"), 2), 1)]);
    let other = Subsampled::new(real("1/3"), Box::new(inner)).unwrap();
    let law = Poisson::new(real("1/3"), Commensurable::discrete_gaussian(q("4/3"), 2.into()).unwrap()).unwrap();
    let grid = Grid::new(vec![(Box::new(law), 1)]).unwrap();
    compare(&grid, &other, &["1/10", "1/20", "1/4", "-1/10"], &["0.1"], &["0.2", "0.7"]);
}

/// A composition of finite pairs by listing everything: masses by falling likelihood ratio.
fn by_definition(pairs: &[(Vec<Rational>, Vec<Rational>)]) -> Vec<(Rational, Rational)> {
    let mut atoms = vec![(Rational::from(1), Rational::from(1))];
    for (p, q) in pairs {
        atoms = atoms
            .iter()
            .flat_map(|(a, b)| p.iter().zip(q).map(move |(p, q)| (Rational::from(a * p), Rational::from(b * q))))
            .collect();
    }
    atoms.sort_by(|a, b| Rational::from(&b.0 * &a.1).cmp(&Rational::from(&a.0 * &b.1)));
    atoms
}

fn profile(atoms: &[(Rational, Rational)], x: &Rational) -> Rational {
    let zero = Rational::new();
    atoms.iter().map(|(p, q)| (p - Rational::from(q * x)).max(zero.clone())).sum()
}

/// The least Q-mass of a test that accepts so much P-mass.
fn least_mass(atoms: &[(Rational, Rational)], mass: &Rational) -> Rational {
    let (mut left, mut accepted) = (mass.clone(), Rational::new());
    for (p, q) in atoms {
        if *p == 0 || left <= 0 {
            continue;
        }
        let share = Rational::from(&left / p).min(Rational::from(1));
        left -= Rational::from(p * &share);
        accepted += Rational::from(q * &share);
    }
    accepted
}

/// `e^(eps*)`, at least one, for a level above the mass at infinity.
fn inverse(atoms: &[(Rational, Rational)], level: &Rational) -> Rational {
    let (mut a, mut b, mut best) = (Rational::new(), Rational::new(), Rational::from(1));
    for (p, q) in atoms {
        a += p;
        b += q;
        if b > 0 {
            best = best.max(Rational::from(&a - level) / &b);
        }
    }
    best
}

/// On grids from very coarse to fine the true profile, its inverse and the trade-off function lie between the bounds.
#[test]
fn the_excess_is_bounded_on_coarse_grids() {
    let budget = Budget::default();
    let sampled = |rate: &str, p: [&str; 3], r: [&str; 3]| {
        let rate = q(rate);
        let mix = |p: &str, r: &str| (Rational::from(1) - &rate) * q(r) + rate.clone() * q(p);
        (p.iter().zip(&r).map(|(p, r)| mix(p, r)).collect::<Vec<_>>(), r.iter().map(|r| q(r)).collect::<Vec<_>>())
    };
    let pairs = [
        sampled("1/3", ["1/2", "1/3", "1/6"], ["1/5", "2/5", "2/5"]),
        sampled("1/2", ["7/10", "1/10", "1/5"], ["3/10", "3/10", "2/5"]),
        sampled("9/10", ["1/10", "1/10", "4/5"], ["1/3", "1/3", "1/3"]),
        sampled("1/7", ["1/2", "1/2", "0"], ["1/5", "2/5", "2/5"]),
    ];
    for times in [1_usize, 2] {
        let mut all = Vec::new();
        let mut laws: Vec<(Box<dyn LossLaw>, u64)> = Vec::new();
        for (p, r) in &pairs {
            laws.push((
                Box::new(Finite(Discrete::rational(FinitePair::new(p.to_vec(), r.to_vec()).unwrap()))),
                times as u64,
            ));
            all.extend(std::iter::repeat_n((p.clone(), r.clone()), times));
        }
        let grid = Grid::new(laws).unwrap();
        let atoms = by_definition(&all);
        for fineness in [-1, 0, 1, 2, 4, 7] {
            let rounded = grid.rounded(Step { fineness, backward: false, depth: 100 }, &budget).unwrap();
            let infinite = rounded.law.infinite(64).unwrap().0.exact().cloned().unwrap();
            for x in ["1", "4/3", "1/2", "2", "5", "1/10"] {
                let truth = profile(&atoms, &q(x)) - &infinite;
                let set = rounded.profile(&Real::from(q(x)).ln().unwrap(), &budget).unwrap();
                assert!(set.contains(&truth), "{times} {fineness} {x} {set:?} {truth}");
            }
            for alpha in ["1/100", "1/5", "1/2", "9/10"] {
                let truth = least_mass(&atoms, &(Rational::from(1) - q(alpha)));
                let set = rounded.least_mass(&real(alpha), &budget).unwrap();
                assert!(set.contains(&truth), "{times} {fineness} {alpha} {set:?} {truth}");
            }
            for level in ["1/3", "1/10", "1/100"] {
                if q(level) <= infinite {
                    continue;
                }
                let truth = Real::from(inverse(&atoms, &q(level))).ln().unwrap().enclosure(200);
                let set = grid.inverse(&rounded, &real(level), &budget).unwrap();
                assert!(set.overlaps(&truth), "{times} {fineness} {level} {set:?} {truth:?}");
            }
        }
    }
}

/// Several lattices at once, each composed exactly before it is rounded; the answer is that of the common lattice.
#[test]
fn lattices_that_have_a_common_one() {
    let budget = Budget::default();
    let pair = |sigma2: &str| LatticePair::discrete_gaussian(q(sigma2), 1.into()).unwrap();
    let groups =
        [vec![(pair("7"), 3), (pair("21/2"), 4)], vec![(pair("5"), 2)], vec![(pair("11/3"), 6), (pair("11"), 1)]];
    let whole = crate::compose::Lattice::new(groups.concat(), true).unwrap();
    let laws =
        groups.iter().map(|group| (Box::new(Commensurable::new(group.clone(), true).unwrap()) as Box<dyn LossLaw>, 1));
    let grid = Grid::new(laws.collect()).unwrap();
    compare(&grid, &whole, &["1", "4", "8", "0"], &["1e-5", "0.3"], &["0.1"]);
    // Grouped by the engine itself.
    let grouped = Commensurable::grouped(groups.concat(), true).unwrap();
    let laws = grouped.into_iter().map(|group| (Box::new(group) as Box<dyn LossLaw>, 1));
    let other = Grid::new(laws.collect()).unwrap();
    overlap(
        &other.delta(&real("4"), Direction::Forward, 50, &budget).unwrap(),
        &whole.delta(&real("4"), Direction::Forward, 100, &budget).unwrap(),
        20,
    );
    // A grid that would be too fine is refused, with how far it could go.
    let refused = grid.delta(&real("4"), Direction::Forward, 300, &budget);
    let Err(Error::Undecided(reason)) = refused else { panic!("{refused:?}") };
    assert!(reason.to_string().contains("a grid proves about"), "{reason}");
}

/// Forty-eight epsilons without a common unit: no other engine lists their sums. Two grids, of different steps,
/// overlap.
#[test]
fn epsilons_without_a_common_unit() {
    let budget = Budget::default();
    let laws = (1..=48).map(|n| {
        let law = response(real(&format!("sqrt({n})/20")), real("0"));
        (Box::new(law) as Box<dyn LossLaw>, 1)
    });
    let grid = Grid::new(laws.collect()).unwrap();
    for at in ["1", "5", "0"] {
        let coarse = grid.delta(&real(at), Direction::Forward, 42, &budget).unwrap();
        let fine = grid.delta(&real(at), Direction::Forward, 52, &budget).unwrap();
        overlap(&coarse, &fine, 12);
        overlap(&fine, &coarse, 22);
    }
}

/// Beyond the largest loss there is nothing but what is infinite, exactly; and zero is never approached by finer grids.
#[test]
fn beyond_the_largest_loss() {
    let budget = Budget::default();
    let sample = Poisson::new(real("1/5"), Laplace::new(real("2")).unwrap()).unwrap();
    let pair = Pair::laplace(real("2")).sampled(&real("1/5")).unwrap();
    let grid = edged(Grid::new(vec![(Box::new(sample), 1)]).unwrap(), [(pair, 1)]);
    // The largest backward loss is -ln(4/5 + e^-2/5), about 0.19.
    let nothing = grid.delta(&real("1/5"), Direction::Backward, 60, &budget).unwrap();
    assert_eq!(nothing.exact(), Some(&Rational::new()));
    let leaky = response(real("1"), real("1/100"));
    let grid = Grid::new(vec![(Box::new(leaky), 2), (Box::new(Laplace::new(real("1/2")).unwrap()), 3)]).unwrap();
    let pairs = [(Pair::response(real("1"), real("1/100")).unwrap(), 2), (Pair::laplace(real("1/2")), 3)];
    let grid = edged(grid, pairs);
    let infinite = grid.delta(&real("4"), Direction::Forward, 60, &budget).unwrap();
    assert_eq!(infinite.exact(), Some(&q("199/10000")));
}

/// A lattice pair with mass at infinity: its finite losses do not total one, on either side.
#[test]
fn lattice_pairs_with_mass_at_infinity() {
    let budget = Budget::default();
    let alone = |pair: LatticePair, times: u64, symmetric: bool| {
        let law = Commensurable::new(vec![(pair, times)], symmetric).unwrap();
        Grid::new(vec![(Box::new(law) as Box<dyn LossLaw>, 1)]).unwrap()
    };
    let finite = |p: &[Rational], r: &[Rational]| Discrete::rational(FinitePair::new(p.to_vec(), r.to_vec()).unwrap());
    let steps = |backward: bool| [2, 6, 10].map(|fineness| Step { fineness, backward, depth: 100 });
    // A likelihood ratio that is irrational.
    for (delta, times) in [("1/10", 1), ("1/10", 3), ("1/1000", 5)] {
        let pair = LatticePair::response(real("1/2"), real(delta), &Real::one()).unwrap();
        let truth = crate::compose::Kov::new(real("1/2"), real(delta), times).unwrap();
        let grid = alone(pair, times, true);
        for step in steps(false) {
            let rounded = grid.rounded(step, &budget).unwrap();
            let infinite = rounded.law.infinite(200).unwrap().0.enclosure(200);
            for at in ["0", "1/3", "-1/4", "7/5"] {
                let set = &rounded.profile(&real(at), &budget).unwrap() + &infinite;
                let truth = truth.delta(&real(at), Direction::Forward, 120, &budget).unwrap().enclosure(200);
                assert!(set.overlaps(&truth), "{delta} {times} {at}: {set:?} {truth:?}");
            }
            for alpha in ["1/20", "1/2"] {
                let set = rounded.least_mass(&real(alpha), &budget).unwrap();
                let truth = truth.beta(&real(alpha), Direction::Forward, 120, &budget).unwrap().enclosure(200);
                assert!(set.overlaps(&truth), "{delta} {times} {alpha}: {set:?} {truth:?}");
            }
        }
    }
    // More of it under P than under Q, and the other way round; both directions.
    let list = |masses: [&str; 4]| masses.map(q).to_vec();
    for (p, r) in [
        (list(["2/5", "1/5", "1/5", "1/5"]), list(["1/5", "2/5", "2/5", "0"])),
        (list(["3/5", "3/10", "0", "1/10"]), list(["3/10", "3/5", "1/10", "0"])),
    ] {
        let grid = alone(LatticePair::of(&finite(&p, &r)).unwrap().unwrap(), 2, false);
        let reversed: Vec<_> = by_definition(&[(r.clone(), p.clone()), (r.clone(), p.clone())]);
        let atoms = by_definition(&[(p.clone(), r.clone()), (p, r)]);
        for (backward, atoms) in [(false, &atoms), (true, &reversed)] {
            for step in steps(backward) {
                let rounded = grid.rounded(step, &budget).unwrap();
                let infinite = rounded.law.infinite(64).unwrap().0.exact().cloned().unwrap();
                for x in ["1", "4/3", "3/4", "3"] {
                    let set = rounded.profile(&Real::from(q(x)).ln().unwrap(), &budget).unwrap();
                    let truth = profile(atoms, &q(x)) - &infinite;
                    assert!(set.contains(&truth), "{backward} {x}: {set:?} {truth}");
                }
            }
        }
    }
}

/// Shuffled reports count by count: run once beside their sum, twice beside the list of all outcomes, on a sample
/// beside the curve of the sample.
#[test]
fn shuffled_reports() {
    let budget = Budget::default();
    let pair = |n: u64, epsilon: &str, categories| {
        crate::pair::Shuffled::new(n, real(epsilon), crate::pair::Clones::Response { categories })
    };
    let delta = |curve: &dyn Curve, at: &str, direction, bits| {
        curve.delta(&real(at), direction, bits, &budget).unwrap_or_else(|error| panic!("delta at {at}: {error}"))
    };
    for categories in [2, 4] {
        let reports = pair(60, "2", categories);
        let one = Grid::new(vec![(Box::new(Counts::new(reports.clone())), 1)]).unwrap();
        let other = crate::compose::Shuffle::new(reports.clone());
        let sample = Poisson::new(real("1/3"), Counts::new(reports.clone())).unwrap();
        let sample = Grid::new(vec![(Box::new(sample), 1)]).unwrap();
        let curve = Subsampled::new(real("1/3"), Box::new(crate::compose::Shuffle::new(reports))).unwrap();
        for at in ["1/7", "-1/5"] {
            for direction in [Direction::Forward, Direction::Backward] {
                overlap(&delta(&one, at, direction, 42), &delta(&other, at, direction, 100), 8);
                overlap(&delta(&sample, at, direction, 42), &delta(&curve, at, direction, 100), 8);
            }
        }
        let few = pair(9, "ln(3)", categories);
        let listed = Finite(Discrete::rational(few.fractions().unwrap().unwrap()));
        let twice = Grid::new(vec![(Box::new(Counts::new(few)), 2)]).unwrap();
        let truth = Grid::new(vec![(Box::new(listed), 2)]).unwrap();
        for at in ["1/7", "1"] {
            let (a, b) = (delta(&twice, at, Direction::Forward, 46), delta(&truth, at, Direction::Forward, 46));
            overlap(&a, &b, 12);
            overlap(&b, &a, 12);
        }
    }
}

/// Masses that are cut off are small against a tiny delta: its epsilon has digits, and the delta there is that one.
#[test]
fn epsilons_at_tiny_deltas_of_parts_known_by_their_profile() {
    let text = "laplace(scale=2) * subsample(rate=1/10, gaussian(sigma=2))^3";
    let composition: crate::Composition = text.parse().expect(text);
    let product = crate::pair::Product::new(composition.pairs().expect("pairs"));
    let Ok(grid) = Grid::of(&product) else { panic!("no grid") };
    let delta = real("1e-15");
    let found = grid.epsilon(&delta, Direction::Forward, 40, &Budget::default()).expect("an epsilon");
    let Value::Finite(found) = found else { panic!("{found:?}") };
    let found = found.enclosure(64);
    assert!(found.relative_bits() >= Some(8), "{found:?}");
    let at = |end: &rug::Float| {
        let end = Real::from(end.to_rational().expect("a number"));
        grid.delta(&end, Direction::Forward, 40, &Budget::default()).expect("a profile").enclosure(64)
    };
    let level = delta.enclosure(64);
    assert!(at(found.lower()).upper() >= level.lower() && at(found.upper()).lower() <= level.upper(), "{found:?}");
}
