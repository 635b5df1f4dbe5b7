use super::*;
use crate::compose::large_losses::search::Term;
use crate::compose::{Method, curve};
use crate::mechanism::Composition;

fn composition(text: &str) -> Composition {
    text.parse().expect("a composition")
}

fn engine(text: &str) -> LargeLosses {
    let product = Product::new(composition(text).pairs().expect("pairs"));
    LargeLosses::of(&product, 6).unwrap_or_else(|_| panic!("{text} has samples of discrete noise"))
}

fn real(text: &str) -> Real {
    text.parse().expect("a number")
}

fn overlap(one: &Enclosure, other: &Enclosure) -> bool {
    one.lower() <= other.upper() && other.lower() <= one.upper()
}

/// Profiles far out, where other engines have all digits: grids, lists, and lines beside Gaussian noise.
const KNOWN: [(&str, &str, Method); 5] = [
    ("poisson(rate=0.00011, discrete-gaussian(sigma2=4.8))^8", "0.107", Method::Grid),
    ("poisson(rate=1/500, discrete-gaussian(sigma2=2))^3", "1", Method::Auto),
    (
        "poisson(rate=1/1000, discrete-gaussian(sigma2=3, sensitivity=2))^6 * gaussian(sigma=30)",
        "1/2",
        Method::Quadrature,
    ),
    ("poisson(rate=1/300, discrete-gaussian(sigma2=3))^4 * approx-dp(epsilon=1/10, delta=1e-9)^2", "2/3", Method::Auto),
    ("poisson(rate=1/1000, discrete-gaussian(sigma2=5/2))^4 * gaussian(sigma=50)", "1/3", Method::Quadrature),
];

#[test]
fn profiles_are_those_of_others() {
    let budget = Budget::default();
    for (text, epsilon, method) in KNOWN {
        let epsilon = real(epsilon);
        let other = curve(&composition(text), method, &budget).expect("a curve");
        for direction in [Direction::Forward, Direction::Backward] {
            let truth = other.delta(&epsilon, direction, 48, &budget).expect("a profile").enclosure(96);
            let found = engine(text).delta(&epsilon, direction, 64, &budget).expect("a profile").enclosure(96);
            assert!(overlap(&found, &truth), "{text} {direction:?}: {found:?} {truth:?}");
            let digits = found.relative_bits().map(|bits| bits as f64 / std::f64::consts::LOG2_10);
            assert!(direction == Direction::Backward || digits >= Some(5.9), "{text}: {found:?} {truth:?}");
        }
    }
}

#[test]
fn epsilons_are_where_profiles_say() {
    let budget = Budget::default();
    let text = "poisson(rate=1/1000, discrete-gaussian(sigma2=3, sensitivity=2))^6 * gaussian(sigma=30)";
    let other = curve(&composition(text), Method::Quadrature, &budget).expect("a curve");
    let delta = real("1e-8");
    let of = |curve: &dyn Curve, bits: u32| match curve.epsilon(&delta, Direction::Forward, bits, &budget) {
        Ok(Value::Finite(epsilon)) => epsilon.enclosure(96),
        other => panic!("{other:?}"),
    };
    let (truth, found) = (of(other.as_ref(), 64), of(&engine(text), 64));
    assert!(overlap(&found, &truth) && found.relative_bits() >= Some(19), "{found:?} {truth:?}");
}

/// Three runs, outcome by outcome: sums of all triples, by how many of them are large.
struct Triples {
    outcomes: Vec<(i64, Enclosure, Enclosure)>,
    epsilon: Enclosure,
}

impl Triples {
    const BITS: u32 = 128;
    const LAST: i64 = 24;

    fn new(step: &PoissonDiscreteGaussian, epsilon: &Real) -> Self {
        let all = -Self::LAST..=Self::LAST;
        let masses = step.masses(all.clone(), 1, Self::BITS).expect("masses");
        let loss = |m: i64| step.loss(m).expect("a loss").enclosure(Self::BITS);
        let outcomes = all.zip(masses).map(|(m, mass)| (m, mass, loss(m))).collect();
        Triples { outcomes, epsilon: epsilon.enclosure(Self::BITS) }
    }

    /// What triples have in the profile whose outcomes, sorted, are of this kind.
    fn sum(&self, of: impl Fn(&[i64; 3]) -> bool) -> Enclosure {
        let mut sum = Enclosure::zero(Self::BITS);
        for (i, (a, p, x)) in self.outcomes.iter().enumerate() {
            for (j, (b, q, y)) in self.outcomes[..=i].iter().enumerate() {
                for (c, r, z) in &self.outcomes[..=j] {
                    let ways = if a == b && b == c {
                        1
                    } else if a == b || b == c {
                        3
                    } else {
                        6
                    };
                    let loss = &(&(x + y) + z) - &self.epsilon;
                    if !of(&[*c, *b, *a]) || *loss.upper() <= 0 {
                        continue;
                    }
                    let height = -(-loss).expm1();
                    let mass = &(&(p * q) * r) * &Enclosure::integer(&ways.into(), Self::BITS);
                    sum = &sum + &(&mass * &height.positive_part());
                }
            }
        }
        sum
    }
}

/// Each part of the bound on its own, and all of it, against sums over all triples.
#[test]
fn every_part_is_bounded() {
    let budget = Budget::default();
    let engine = engine("poisson(rate=1/50, discrete-gaussian(sigma2=2))^3");
    let epsilon = real("1");
    let triples = Triples::new(&engine.step, &epsilon);
    let truth = triples.sum(|_| true);
    let ask = |small: f64, test: &dyn Fn(&Search, &mut Sum, &[i64])| {
        engine.searching(1.0, |search| {
            let plan = search.plan(small).expect("a plan");
            let edges: Vec<i64> = plan.bands.iter().map(|band| *band.start()).chain([plan.last() + 1]).collect();
            test(search, &mut Sum::new(&engine, &plan, &epsilon, &budget).expect("a sum"), &edges);
            Some(())
        })
    };
    for small in SMALL {
        ask(small, &|search, sum, edges| {
            let band = |m: i64| edges.iter().filter(|edge| **edge <= m).count();
            let (beyond, cut) = (edges.len(), edges[0]);
            for large in 1..=3 {
                let least = triples.sum(|[_, _, m]| band(*m) == beyond);
                let found = sum.beyond().expect("a bound");
                assert!(found.upper() >= least.lower(), "{found:?} {least:?}");
                let many = |[a, b, c]: &[i64; 3]| {
                    band(*c) < beyond && [a, b, c].iter().filter(|m| ***m >= cut).count() as u64 >= large
                };
                let least = triples.sum(many);
                let found = sum.many(search, large).expect("a bound");
                assert!(found.upper() >= least.lower(), "{large}: {found:?} {least:?}");
            }
            let terms: Vec<Term> = search.terms(sum.plan(), 3);
            for term in &terms {
                let own: Vec<usize> = term.bands.iter().map(|band| band + 1).collect();
                let alike = |outcomes: &[i64; 3]| {
                    let large: Vec<usize> = outcomes.iter().map(|m| band(*m)).filter(|band| *band > 0).collect();
                    large == own
                };
                let exact = triples.sum(alike);
                let (weight, bound) = sum.bound(term).expect("a bound");
                assert!(bound.upper() >= exact.lower(), "{own:?}: {bound:?} {exact:?}");
                // Beyond all of its losses there is no line.
                match sum.of_runs(term, 6).map(|value| &weight * &value) {
                    Ok(value) => assert!(overlap(&value, &exact), "{own:?}: {value:?} {exact:?}"),
                    Err(error) => assert!(!error.is_alarm() && exact.upper() < truth.lower(), "{own:?}: {error:?}"),
                }
            }
            // With nothing evaluated, with some terms, and with all that matter.
            for target in [f64::INFINITY, -12.0, -15.0, -20.0, -30.0] {
                let found = sum.down_to(search, 0.0, target).expect("a sum");
                assert!(overlap(&found, &truth), "{target}: {found:?} {truth:?}");
            }
        })
        .expect("a search");
    }
    let found = engine.delta(&epsilon, Direction::Forward, 64, &budget).expect("a profile").enclosure(96);
    assert!(overlap(&found, &truth) && found.relative_bits() >= Some(19), "{found:?} {truth:?}");
}

/// However often it is run, sums of few large losses are listed, and what has more of them is bounded.
#[test]
fn lists_are_short_however_many_runs() {
    let often = engine("poisson(rate=1/1000, discrete-gaussian(sigma2=3))^1000000000");
    let asked = often.searching(30.0, |search| {
        for small in SMALL {
            let plan = search.plan(small).expect("a plan");
            let listed = search.listed(&plan, -1e6, u64::MAX);
            assert!(listed <= search::MOST_LARGE, "{listed}");
        }
        Some(())
    });
    assert!(asked.is_some());
}

/// Where contours have the digits nobody asks for large losses.
#[test]
fn it_is_apt_far_out() {
    let far = engine("poisson(rate=0.00123, discrete-gaussian(sigma2=3))^41");
    assert!(far.is_apt(&real("0.16"), &Budget::default()) && !far.is_apt(&real("0.001"), &Budget::default()));
    assert!(!engine("poisson(rate=0.01, discrete-gaussian(sigma2=5))^1000").is_apt(&real("1"), &Budget::default()));
}
