use rug::Rational;

use super::super::{Calibrated, calibrate};
use super::*;
use crate::answer::Outcome;
use enclosure::{Enclosure, Number, Real};

fn real(text: &str) -> Real {
    text.parse().expect(text)
}

fn profile(epsilon: &str, delta: &str) -> Target {
    Target::Profile { epsilon: real(epsilon), delta: real(delta) }
}

fn tradeoff(beta: &str, alpha: &str) -> Target {
    Target::Tradeoff { beta: real(beta), alpha: real(alpha) }
}

fn question(template: &str, target: Target) -> Calibration {
    Calibration::new(template.parse().expect(template), target)
}

fn solved(question: &Calibration) -> Calibrated {
    calibrate(question, &Budget::default()).expect("an answer")
}

fn set(outcome: &Outcome) -> Enclosure {
    outcome.number().expect("a number").enclosure(400)
}

/// Is the first certainly less?
fn below(one: &Enclosure, other: &Enclosure) -> bool {
    one.upper() < other.lower()
}

/// The delta or beta of a composition, to many digits.
fn truth(target: &Target, composition: &str, direction: Direction) -> Number {
    let composition: Composition = composition.parse().expect(composition);
    let query = Query::new(target.quantity(), composition).with_digits(60).with_direction(direction);
    answer(&query, &Budget::default()).expect("an answer").outcome.number().expect("a number")
}

fn undefined(question: &Calibration) -> String {
    match solved(question).outcome {
        Outcome::Undefined(reason) => reason,
        other => panic!("{other:?}"),
    }
}

/// A mixture that is run once has a delta that is linear in the weight: the weight is a quotient of differences.
#[test]
fn of_one_run_the_weight_is_a_quotient() {
    for (fixed, weight, a, b, epsilon, delta) in [
        ("", "1", "gaussian(sigma=1)", "gaussian(sigma=2)", "1", "1/20"),
        ("", "1", "gaussian(sigma=3)", "gaussian(sigma=1)", "1/2", "1/10"),
        ("", "1", "laplace(scale=1)^2", "gdp(mu=3)", "1", "2/5"),
        // Parts that are not comparable.
        ("", "1", "gaussian(sigma=1)", "laplace(scale=1)", "1/2", "23/100"),
        ("", "1", "laplace(scale=1)", "gaussian(sigma=1)", "1/2", "23/100"),
        ("1/3: gdp(mu=1), ", "2/3", "laplace(scale=3)", "laplace(scale=1)", "1/2", "1/7"),
        ("1/3: gdp(mu=1), ", "2/3", "gdp(mu=0)", "approx-dp(epsilon=0, delta=1)", "1/2", "1/2"),
        ("1/2: laplace(scale=9), ", "1/2", "poisson(rate=1/2, gdp(mu=1))", "gdp(mu=1)", "1/4", "1/8"),
    ] {
        let text = format!("mixture({fixed}?: {a}, rest: {b})");
        for direction in [Direction::Forward, Direction::Backward, Direction::Worst] {
            if direction == Direction::Worst && text.contains("poisson") {
                continue;
            }
            let asked = question(&text, profile(epsilon, delta)).with_direction(direction).with_digits(30);
            let found = solved(&asked);
            assert_eq!(found.parameter, "weight");
            assert!(std::ptr::eq(found.order, &LINEAR), "{text}");
            let of = |text: &str| truth(&asked.target, text, direction).enclosure(400);
            let (a, b) = (of(a), of(b));
            // The delta of all with the weight on the second part alone.
            let none = of(&text.replace('?', "0"));
            let weight = &(&real(delta).enclosure(400) - &none) / &(&a - &b);
            let set = set(&found.outcome);
            assert!(set.overlaps(&weight) && found.outcome.digits() >= Some(30), "{text}: {set:?} {weight:?}");
            let (safe, fails) = (found.safe.expect("a value").value, found.fails.expect("a value").value);
            let up = below(&a, &b);
            assert_eq!(safe > fails, up, "{text}");
        }
        assert_eq!(
            question(&text, profile("0", "0")).template.weighed().expect("a weight").left,
            *real(weight).as_rational().expect("a fraction")
        );
    }
}

/// Weights that are asked by themselves keep the promise on one side of the number, and break it on the other.
#[test]
fn other_weights_are_on_their_sides() {
    for (text, target, way) in [
        ("mixture(?: gaussian(sigma=1), rest: gaussian(sigma=2))^4", profile("1", "1/5"), Trend::Grows),
        ("mixture(?: gaussian(sigma=2), rest: gaussian(sigma=1))^4", tradeoff("2/5", "1/10"), Trend::Falls),
        (
            "mixture(1/3: laplace(scale=4), rest: gaussian(sigma=3), ?: gaussian(sigma=1))^3",
            profile("1", "1/10"),
            Trend::Grows,
        ),
        ("mixture(?: randomized-response(epsilon=2), rest: laplace(scale=1))^3", profile("1", "2/5"), Trend::Grows),
        ("gdp(mu=1/2) * mixture(?: gdp(mu=1/3), rest: gdp(mu=2))^2", profile("1", "1/5"), Trend::Falls),
        // Below operators.
        ("poisson(rate=1/4, mixture(?: gdp(mu=2), rest: gdp(mu=1)))", profile("1/2", "1/20"), Trend::Grows),
        (
            "poisson(rate=1/4, mixture(?: randomized-response(epsilon=2), rest: randomized-response(epsilon=1))^2)",
            profile("1/2", "1/7"),
            Trend::Grows,
        ),
        ("group(k=2, mixture(?: gdp(mu=2), rest: gdp(mu=1)))", tradeoff("1/5", "1/10"), Trend::Grows),
        ("subsample(rate=1/3, mixture(?: gdp(mu=2), rest: gdp(mu=1)))", profile("1/2", "1/10"), Trend::Grows),
        (
            "symmetrize(mixture(?: poisson(rate=1/4, randomized-response(epsilon=2)), rest: poisson(rate=1/2, \
             randomized-response(epsilon=2))))",
            profile("1/4", "1/10"),
            Trend::Falls,
        ),
        (
            "hull(mixture(?: poisson(rate=1/4, randomized-response(epsilon=2)), rest: poisson(rate=1/2, \
             randomized-response(epsilon=2))))",
            profile("1/4", "1/5"),
            Trend::Falls,
        ),
        ("mixture(1/4: gdp(mu=1), 3/4: mixture(?: gdp(mu=2), rest: gdp(mu=1/2))^2)", profile("1", "1/5"), Trend::Grows),
        (
            "inverse(mixture(?: poisson(rate=1/4, gdp(mu=2)), rest: poisson(rate=1/2, gdp(mu=2))))",
            tradeoff("3/5", "1/10"),
            Trend::Falls,
        ),
    ] {
        for direction in [Direction::Worst, Direction::Forward, Direction::Backward] {
            let asked = question(text, target.clone()).with_direction(direction);
            let found = solved(&asked);
            assert!(std::ptr::eq(found.order, &WEIGHED), "{text}");
            // One direction alone may keep the promise with every weight.
            if direction != Direction::Worst && matches!(found.outcome, Outcome::Undefined(_)) {
                continue;
            }
            let (Some(safe), Some(fails)) = (&found.safe, &found.fails) else { panic!("{text}: {:?}", found.outcome) };
            let (safe, fails) = (safe.value.value().clone(), fails.value.value().clone());
            assert_eq!(fails > safe, way == Trend::Grows, "{text}");
            let left = asked.template.weighed().expect("a weight").left.clone();
            let level = target.level().number(400);
            let breaks = if matches!(target, Target::Tradeoff { .. }) { Ordering::Less } else { Ordering::Greater };
            let mut last: Option<Enclosure> = None;
            for part in 0..=5_u32 {
                let weight = &left * Rational::from((part, 5));
                let filled = asked.template.with(Real::from(weight.clone())).expect(text).to_string();
                let there = truth(&target, &filled, direction);
                let broken = there.compare(&level) == Some(breaks);
                assert_eq!(broken, if fails > safe { weight >= fails } else { weight <= fails }, "{text} {weight}");
                let there = there.enclosure(400);
                if let Some(last) = &last {
                    let loss_grows = (way == Trend::Grows) == matches!(target, Target::Profile { .. });
                    assert!(!(if loss_grows { below(&there, last) } else { below(last, &there) }));
                }
                last = Some(there);
            }
        }
    }
}

/// The greatest weight may be no double, and the number next to it.
#[test]
fn the_end_may_be_no_double() {
    let two_thirds = Rational::from((2, 3));
    let below = Rational::from_f64(2.0 / 3.0).expect("a double");
    assert!(below < two_thirds);
    for (a, b, grows) in [("gdp(mu=2)", "gdp(mu=1)", true), ("gdp(mu=1)", "gdp(mu=2)", false)] {
        let text = format!("mixture(1/3: gdp(mu=1), ?: {a}, rest: {b})^2");
        // A promise between those of the end and of the double below it.
        let near = &two_thirds - Rational::from((1, 1_u64 << 60));
        let filled = text.replace('?', &near.to_string());
        let delta = enclosure::decimal::decimal(
            &truth(&profile("1", "0"), &filled, Direction::Worst),
            40,
            enclosure::decimal::Side::Upper,
        );
        let found = solved(&question(&text, profile("1", &delta)));
        let (safe, fails) = (found.safe.expect("a value"), found.fails.expect("a value"));
        let (end, other) = if grows { (fails, safe) } else { (safe, fails) };
        assert_eq!((end.value.value(), other.value.value()), (&two_thirds, &below), "{text}");
        assert!(!end.is_double && other.is_double);
        assert!(found.outcome.digits() >= Some(15));
    }
}

/// All weights, no weight, and parts that are equally private.
#[test]
fn every_weight_or_none() {
    for (text, target, told) in [
        ("mixture(?: gdp(mu=1), rest: gdp(mu=2))^2", profile("1", "1/1000"), "no weight meets the target: even at 1, "),
        ("mixture(?: gdp(mu=2), rest: gdp(mu=1))^2", profile("1", "1/1000"), "no weight meets the target: even at 0, "),
        (
            "mixture(1/2: gdp(mu=1), ?: gdp(mu=1), rest: gdp(mu=2))^2",
            profile("1", "9/10"),
            "every weight meets the target: even at 0, ",
        ),
        (
            "mixture(1/2: gdp(mu=1), ?: gdp(mu=2), rest: gdp(mu=1))^2",
            tradeoff("1/100", "1/10"),
            "every weight meets the target: even at 1/2, ",
        ),
        (
            "mixture(?: gdp(mu=1), rest: gaussian(sigma=1))^2",
            profile("1", "1/1000"),
            "no weight meets the target: for every weight alike, ",
        ),
        (
            "mixture(?: laplace(scale=1), rest: laplace(scale=1))^2",
            profile("1", "9/10"),
            "every weight meets the target: for every weight alike, ",
        ),
        // Neither loses more than that.
        (
            "mixture(?: randomized-response(epsilon=1), rest: laplace(scale=1))",
            profile("1", "1/9"),
            "every weight meets the target: for every weight alike, ",
        ),
        (
            "mixture(?: gdp(mu=1), rest: gdp(mu=2))",
            profile("1", "1"),
            "every weight meets the target: no delta is above 1",
        ),
    ] {
        let reason = undefined(&question(text, target));
        assert!(reason.starts_with(told), "{text}: {reason}");
    }
}

/// Where no order is known there is a reason, and of parts that are not comparable a witness for each.
#[test]
fn what_has_no_direction_is_refused() {
    for (text, told) in [
        ("mixture(?: gaussian(sigma=1), rest: laplace(scale=1))^2", "neither is at least as private as the other"),
        (
            "inverse(mixture(?: gaussian(sigma=1), rest: laplace(scale=1)))",
            "neither is at least as private as the other",
        ),
        (
            "mixture(?: poisson(rate=1/2, gdp(mu=1)), rest: inverse(poisson(rate=1/2, gdp(mu=1))))^2",
            "neither is at least",
        ),
        ("mixture(?: zcdp(rho=1), rest: gdp(mu=1))", "cannot calibrate the weight: zcdp is a guarantee"),
        (
            "mixture(1/3: zcdp(rho=1), ?: gdp(mu=2), rest: gdp(mu=1))^2",
            "cannot calibrate the weight: zcdp is a guarantee",
        ),
    ] {
        let reason = undefined(&question(text, profile("1/2", "1/10")));
        assert!(reason.contains(told), "{text}: {reason}");
        if told.starts_with("neither") {
            assert_eq!(reason.matches("at alpha = ").count(), 2, "{reason}");
        }
    }
    // Once and alone, in both directions at once: the larger of both goes down, and up again.
    let text = "mixture(?: poisson(rate=1/2, gdp(mu=1)), rest: inverse(poisson(rate=1/2, gdp(mu=1))))";
    assert!(undefined(&question(text, profile("1/2", "1/10"))).contains("neither is at least"));
    let one_way = solved(&question(text, profile("1/2", "1/10")).with_direction(Direction::Forward));
    assert!(!matches!(one_way.outcome, Outcome::Undefined(ref why) if why.contains("neither")));
    // No type II error is linear.
    let text = "mixture(?: gaussian(sigma=1), rest: laplace(scale=1))";
    assert!(undefined(&question(text, tradeoff("1/2", "1/10"))).contains("neither is at least"));
}

/// Without time nothing is known, and that is said.
#[test]
fn no_time_is_no_order() {
    let text = "mixture(?: poisson(rate=1/10, laplace(scale=1))^30, rest: poisson(rate=1/9, gdp(mu=1))^40)^2";
    let budget = Budget::new(1 << 20, Some(std::time::Duration::ZERO));
    let found = calibrate(&question(text, profile("1", "1/10")), &budget).expect("an answer");
    assert!(matches!(found.outcome, Outcome::Undecided(_)), "{:?}", found.outcome);
}

/// Beside a guarantee the bound goes as the divergences do.
#[test]
fn a_guarantee_may_stand_beside() {
    let asked = question("zcdp(rho=1/100) * mixture(?: gdp(mu=1), rest: gdp(mu=1/20))", profile("1", "1e-2"));
    let found = solved(&asked);
    assert!(found.bound.is_some() && found.outcome.digits() >= Some(6), "{:?}", found.outcome);
}
