//! Lines whose period is so short that the aliases are as large as what is asked: whatever the plan, what is known of
//! them is subtracted and what is not is in the error. A dropped alias, or one of the wrong sign, misses the truth.

use std::sync::Arc;

use rug::{Integer, Rational};

use super::{engine, near, real};
use crate::compose::quadrature::contour::{Contour, Effort};
use crate::compose::quadrature::factor::{Atoms, Factor, GaussianFactor, LatticeSpan, PoissonGaussian, Reversed};
use crate::compose::quadrature::plan::{End, Plan, PoleSide, Rare};
use crate::compose::{Method, Quadrature};
use crate::curve::{Curve, Direction, Value};
use crate::mechanism::Composition;
use crate::pair::{Discrete, FinitePair, Product};
use enclosure::{Budget, Enclosure, Real};

/// A tilt on each side of the poles.
const LINES: [(PoleSide, f64); 3] = [(PoleSide::Right, 0.7), (PoleSide::Middle, -0.4), (PoleSide::Left, -1.6)];

/// A line for errors of `e^-60`, but for the aliases.
fn line(
    factor: &Arc<dyn Factor>,
    times: u64,
    span: Option<&LatticeSpan>,
    (pole_side, tilt): (PoleSide, f64),
    period: f64,
) -> Contour {
    let plan =
        Plan { pole_side, tilt, alias_tilts: [-3.0, 2.0], rare: None, period, target: -60.0, log_peak: 0.0, cost: 1.0 };
    let line =
        Contour::new(&[(Arc::clone(factor), times)], span, (&plan, Effort::Full, false), &Budget::default(), |_| ());
    line.unwrap_or_else(|error| panic!("{pole_side:?}: {error}"))
}

/// Is so much left open that the aliases decide?
fn is_wide(value: &Enclosure) -> bool {
    value.relative_bits().is_none_or(|bits| bits < 60)
}

/// `L ~ N(1/2, 1)`, against the formula: R, 1 - R and `R - 1 + e^eps`.
#[test]
fn gaussian_lines_of_a_short_period_hold_the_truth() {
    let factor: Arc<dyn Factor> = Arc::new(GaussianFactor::new(Real::one()).expect("a positive square"));
    let formula = engine("gdp(mu=1)", Method::ClosedForm);
    for pole_side in LINES {
        let line = line(&factor, 1, None, pole_side, 6.0);
        for epsilon in ["-4", "-3", "-2", "-1/3", "0", "1/7", "1", "2", "3", "4", "5"] {
            let epsilon = real(epsilon);
            let delta = formula.delta(&epsilon, Direction::Forward, 160, &Budget::default()).expect("a formula");
            let delta = delta.enclosure(200);
            let truth = match pole_side.0 {
                PoleSide::Right => delta,
                PoleSide::Middle => -(&delta - &Enclosure::one(200)),
                PoleSide::Left => &delta + &epsilon.enclosure(200).expm1(),
            };
            let value = line.value(&epsilon).unwrap_or_else(|error| panic!("{pole_side:?} {epsilon}: {error}"));
            assert!(value.overlaps(&truth), "{pole_side:?} at {epsilon}: {value:?} {truth:?}");
            assert!(
                is_wide(&value),
                "{pole_side:?} at {epsilon}: a period of 6 tells nothing about aliases, {value:?}"
            );
        }
    }
}

/// Samples and the same the other way round, with rare large losses apart: cuts so low that what is rare decides, and
/// so high that what is usual does, at periods that tell nothing of the aliases.
#[test]
fn lines_with_rare_losses_apart_hold_the_truth() {
    let times = 10;
    let cuts = [(2.0, 60.0), (3.0, 20.0), (5.0, 8.0), (7.0, 4.0)];
    let rate = Rational::from((1, 10 * times));
    let engine = engine(&format!("poisson(rate={rate}, gaussian(sigma=1))^{times}"), Method::Quadrature);
    let inner: Arc<dyn Factor> =
        Arc::new(PoissonGaussian::new(Real::from(rate), Real::one()).expect("a sample of Gaussian noise"));
    let reversed: Arc<dyn Factor> = Arc::new(Reversed(Arc::clone(&inner)));
    for (factor, direction) in [(inner, Direction::Forward), (reversed, Direction::Backward)] {
        let factors = [(factor, times)];
        for ((cut, alias), place) in cuts.iter().flat_map(|cut| LINES.map(|place| (*cut, place))) {
            // Large losses are above, or the other way round below. All losses of the other end are within a tenth
            // of zero: there is no alias there.
            let (end, tilt, alias_tilts) = match direction {
                Direction::Backward => (End::Lower, -3.0, [-alias, 300.0]),
                _ => (End::Upper, 2.0, [-300.0, alias]),
            };
            let line = with_rare(&factors, place, alias_tilts, Rare { end, factor: 0, cut, tilt });
            for epsilon in ["-1/3", "-1/20", "1/50", "1/10", "1/2", "1"] {
                let epsilon = real(epsilon);
                let delta = engine.delta(&epsilon, direction, 160, &Budget::default()).expect("a profile");
                let delta = delta.enclosure(200);
                let truth = match place.0 {
                    PoleSide::Right => delta,
                    PoleSide::Middle => -(&delta - &Enclosure::one(200)),
                    PoleSide::Left => &delta + &epsilon.enclosure(200).expm1(),
                };
                let value = line.value(&epsilon).unwrap_or_else(|error| panic!("{place:?} {cut}: {error}"));
                assert!(value.overlaps(&truth), "{place:?} {cut} {direction:?} at {epsilon}: {value:?} {truth:?}");
                assert!(is_wide(&value), "{place:?} {cut} at {epsilon}: {value:?}");
            }
        }
    }
}

/// A line for errors of `e^-60`, but for the aliases of a period of a half.
fn with_rare(
    factors: &[(Arc<dyn Factor>, u64)],
    (pole_side, tilt): (PoleSide, f64),
    alias_tilts: [f64; 2],
    rare: Rare,
) -> Contour {
    let (target, log_peak, cost) = (-60.0, 0.0, 1.0);
    let plan = Plan { pole_side, tilt, alias_tilts, rare: Some(rare), period: 0.5, target, log_peak, cost };
    let line = Contour::new(factors, None, (&plan, Effort::Full, false), &Budget::default(), |_| ());
    line.unwrap_or_else(|error| panic!("{pole_side:?} {rare:?}: {error}"))
}

/// Rates so small that rare large losses are apart by themselves: few nodes, and the digits that thousands of nodes
/// gave before they were; so do lines elsewhere.
#[test]
fn rare_losses_are_apart_where_they_are_rare() {
    let composition: Composition = "poisson(rate=1e-6, gaussian(sigma=2))^1000000".parse().expect("a composition");
    let product = Product::new(composition.pairs().expect("pairs"));
    let budget = Budget::default().taking_notes();
    for second in [false, true] {
        let Ok(curve) = Quadrature::of(&product) else { panic!("samples have contours") };
        let curve = if second { curve.on_second_contours() } else { curve };
        let epsilon = curve.epsilon(&real("1e-6"), Direction::Forward, 90, &budget).expect("an epsilon");
        let Value::Finite(epsilon) = epsilon else { panic!("it is finite") };
        let epsilon = epsilon.enclosure(120);
        assert!(epsilon.overlaps(&near("0.00134487678212239")), "{epsilon:?}");
        assert!(epsilon.relative_bits() >= Some(55), "{epsilon:?}");
    }
    let nodes = budget.notes().into_iter().filter(|note| note.label == "nodes evaluated").map(|note| note.value);
    let nodes: Vec<u64> = nodes.filter_map(|count| count.parse().ok()).collect();
    assert!(!nodes.is_empty() && nodes.iter().all(|count| *count < 2000), "{nodes:?}");
}

/// A finite pair of two finite losses, run so often: all of it in rationals.
struct Binomial {
    p: Vec<Rational>,
    q: Vec<Rational>,
    times: u32,
}

impl Binomial {
    /// P- and Q-masses of the finite losses.
    fn masses(&self) -> Vec<(Rational, Rational)> {
        let finite = self.p.iter().zip(&self.q).filter(|(p, q)| !p.is_zero() && !q.is_zero());
        let [(pa, qa), (pb, qb)] = finite.collect::<Vec<_>>()[..] else { panic!("two finite losses") };
        let power = |x: &Rational, n: u32| Rational::from(rug::ops::Pow::pow(x, n));
        let mass = |a: &Rational, b: &Rational, j: u32| {
            power(a, j) * power(b, self.times - j) * Integer::from(self.times).binomial(j)
        };
        (0..=self.times).map(|j| (mass(pa, pb, j), mass(qa, qb, j))).collect()
    }

    fn sum(&self, term: impl Fn(&Rational, &Rational) -> Rational) -> Rational {
        self.masses().iter().map(|(p, q)| term(p, q)).sum()
    }
}

/// Randomised response with failures, and a pair in which only Q has what P never has: `M(0)` and `M(-1)` are told
/// apart.
#[test]
fn lattice_lines_of_a_short_period_hold_the_truth() {
    let fractions = |masses: &[(i32, i32)]| masses.iter().map(|x| Rational::from(*x)).collect::<Vec<_>>();
    let zero = Rational::new();
    for (p, q) in [
        (fractions(&[(3, 4), (1, 4)]), fractions(&[(1, 4), (3, 4)])),
        (fractions(&[(27, 40), (9, 40), (1, 10), (0, 1)]), fractions(&[(9, 40), (27, 40), (0, 1), (1, 10)])),
        (fractions(&[(1, 2), (1, 2), (0, 1)]), fractions(&[(1, 4), (1, 2), (1, 4)])),
    ] {
        let binomial = Binomial { p, q, times: 20 };
        let pair = Discrete::rational(FinitePair::new(binomial.p.clone(), binomial.q.clone()).expect("a pair"));
        let losses = pair.losses().expect("losses");
        let atoms = Atoms::new("two losses", losses, move |bits| pair.masses(bits)).expect("atoms");
        let LatticeSpan { unit, offset } = atoms.span().expect("two losses are on a lattice");
        let span = LatticeSpan { unit, offset: offset.mul_rational(&Rational::from(binomial.times)) };
        let factor: Arc<dyn Factor> = Arc::new(atoms);
        for pole_side in LINES {
            let line = line(&factor, u64::from(binomial.times), Some(&span), pole_side, 6.0);
            // Losses themselves, and points between them.
            for x in
                [(1, 1000), (1, 81), (1, 8), (1, 2), (1, 1), (5, 4), (3, 1), (9, 1), (16, 1), (700, 1), (1 << 20, 1)]
            {
                let x = Rational::from(x);
                let epsilon = Real::from(x.clone()).ln().expect("positive");
                let truth = binomial.sum(|p, q| {
                    let shifted = Rational::from(&x * q);
                    match pole_side.0 {
                        PoleSide::Right => Rational::from(p - &shifted).max(zero.clone()),
                        PoleSide::Middle => shifted.min(p.clone()),
                        PoleSide::Left => (shifted - p).max(zero.clone()),
                    }
                });
                let value = line.value(&epsilon).unwrap_or_else(|error| panic!("{pole_side:?} {x}: {error}"));
                assert!(value.contains(&truth), "{pole_side:?} at ln {x} of {:?}: {value:?} {truth}", binomial.q);
            }
            for (p, q) in binomial.masses() {
                let x = p / q;
                let truth = binomial.sum(|p, q| {
                    let above = *p >= Rational::from(&x * q);
                    if above == (pole_side.0 == PoleSide::Right) { p.clone() } else { zero.clone() }
                });
                let loss = Real::from(x).ln().expect("positive");
                let value = line.tail(&loss).unwrap_or_else(|error| panic!("{pole_side:?} {loss}: {error}"));
                assert!(value.contains(&truth), "tail {pole_side:?} at {loss} of {:?}: {value:?} {truth}", binomial.q);
            }
        }
    }
}
