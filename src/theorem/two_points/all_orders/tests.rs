//! All orders at once against single orders, closed forms, and pairs that keep the bounds.

use enclosure::Portable;
use rug::float::Round;

use super::super::Bound;
use super::*;
use crate::theorem::pure::of_pure_sharp;

fn real(text: &str) -> Real {
    text.parse().unwrap()
}

fn line(start: &str, slope: &str) -> Line {
    Line { start: real(start), slope: real(slope) }
}

fn single<T>(line: &Line, t: f64, ask: impl FnOnce(&Bound) -> T) -> T {
    let t = Real::from(Rational::from_f64(t).unwrap());
    let bound = |bits: u32| Ok(&line.start.enclosure(bits) + &(&line.slope.enclosure(bits) * &t.enclosure(bits)));
    ask(&Bound { order: t.add(&Real::one()), divergence: &bound })
}

/// No single order says less than all at once, and the best of many is hardly more.
#[test]
fn all_orders_say_no_more_than_the_best_one() {
    let budget = Budget::default();
    for (start, slope, at) in [
        ("1/2", "1/2", "1/2"),
        ("1/2", "1/2", "3"),
        ("1/10", "1/10", "1"),
        ("13.8", "13.8", "20"),
        ("1/2", "1/8", "1"),
        ("1/8", "2", "5"),
        ("1/1000", "1/1000", "1/10"),
        ("1/1000", "1/1000", "1"),
    ] {
        let (line, epsilon) = (line(start, slope), real(at));
        let joint = line.delta(&epsilon, 80, &budget).unwrap();
        assert!(joint.relative_bits() > Some(50), "{start} {slope} {at}: {joint:?}");
        let mut least = f64::INFINITY;
        for step in -20..3 {
            let t = line.good(epsilon.to_f64()) * (f64::from(step) / 4.0).portable_exp();
            let Ok(one) = single(&line, t, |bound| bound.delta(&epsilon, 60, &budget)) else { continue };
            assert!(joint.lower() <= one.upper(), "{start} {slope} {at}, {t}: {joint:?} {one:?}");
            least = least.min(one.upper().to_f64());
        }
        let ratio = least / joint.upper().to_f64();
        assert!(ratio < 1.02, "{start} {slope} {at}: {ratio}");
    }
}

/// f is the largest of the f of single orders.
#[test]
fn errors_are_the_largest_of_all_orders() {
    let budget = Budget::default();
    for (start, slope, alpha) in [
        ("1/2", "1/2", "1/20"),
        // `1 - alpha` is a double, where both distributions are the same.
        ("1/8", "1/8", "1/8"),
        ("1/2", "1/2", "1e-6"),
        ("1/10", "1/10", "1/3"),
        ("2", "1/4", "9/10"),
        ("5", "5", "1/100"),
    ] {
        let (line, alpha) = (line(start, slope), real(alpha));
        let joint = line.beta(&alpha, 120, &budget).unwrap();
        assert!(joint.relative_bits() > Some(100), "{joint:?}");
        let mut most = 0.0_f64;
        for step in -28..20 {
            let t = (f64::from(step) / 4.0).portable_exp();
            let one = single(&line, t, |bound| bound.beta(&|bits| alpha.enclosure(bits), 60, &budget)).unwrap();
            assert!(one.lower() <= joint.upper(), "{start} {slope}, {t}: {joint:?} {one:?}");
            most = most.max(one.lower().to_f64());
        }
        let ratio = most / joint.lower().to_f64_round(Round::Down);
        assert!(ratio > 0.95, "{start} {slope}: {ratio}");
    }
}

/// The total variation distance of `e tanh(e/2)`-zCDP is that of randomised response of e, where the Kullback-Leibler
/// divergence alone counts: of no two outcomes of equal errors does it allow more.
#[test]
fn the_distance_is_that_of_randomised_response() {
    let budget = Budget::default();
    for epsilon in ["1/10", "1", "5/2"] {
        let rho = of_pure_sharp(&real(epsilon)).unwrap();
        let line = Line { start: rho.clone(), slope: rho };
        let distance = line.delta(&Real::zero(), 90, &budget).unwrap();
        let truth = real(epsilon).enclosure(120).shift(-1).tanh();
        assert!(distance.overlaps(&truth), "{epsilon}: {distance:?} {truth:?}");
        assert!(distance.relative_bits() > Some(70), "{distance:?}");
    }
}

/// What keeps the bounds is inside: randomised response, with all that it has.
#[test]
fn two_outcomes_that_keep_the_bounds_are_inside() {
    let budget = Budget::default();
    for epsilon in ["1/2", "1", "3"] {
        let epsilon = real(epsilon);
        let rho = of_pure_sharp(&epsilon).unwrap();
        let line = Line { start: rho.clone(), slope: rho };
        for part in ["1/4", "1/2", "9/10"] {
            let at = epsilon.mul(&real(part)).unwrap();
            let bound = line.delta(&at, 64, &budget).unwrap();
            // (x - e^at)/(1 + x)
            let x = epsilon.enclosure(128).exp();
            let truth = &(&x - &at.enclosure(128).exp()) / &(&Enclosure::one(128) + &x);
            assert!(bound.upper() >= truth.lower(), "{epsilon} {part}: {bound:?} {truth:?}");
        }
    }
}

/// Epsilon at delta is the inverse of delta at epsilon.
#[test]
fn epsilon_and_delta_are_inverse() {
    let budget = Budget::default();
    for (rho, delta) in
        [("1/2", "1/10"), ("1/2", "1e-6"), ("1/10", "1e-10"), ("13.8", "1e-10"), ("400", "1e-100"), ("1/1000", "1e-3")]
    {
        let line = line(rho, rho);
        let epsilon = line.epsilon(&real(delta), 80, &budget).unwrap().enclosure(80);
        assert!(epsilon.relative_bits() > Some(50), "{rho} {delta}: {epsilon:?}");
        let at = Real::from(epsilon.upper().to_rational().unwrap());
        let back = line.delta(&at, 80, &budget).unwrap();
        let ratio = &back / &real(delta).enclosure(80);
        assert!(*ratio.lower() <= 1 && *ratio.upper() > 0.999_999, "{rho} {delta}: {ratio:?}");
    }
}
