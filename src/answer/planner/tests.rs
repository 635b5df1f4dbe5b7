use std::time::Duration;

use enclosure::{Number, Real};
use rug::float::Round::Up;

use super::*;
use crate::answer::answer;
use crate::compose::reference::printed;

fn query(line: &str) -> Query {
    serde_json::from_str(line).expect("a query")
}

/// Where large steps come first, nothing above is still nothing.
#[test]
fn exact_zeros_are_exact() {
    for mechanism in ["poisson(rate=1e-6, gaussian(sigma=2))", "poisson(rate=1e-6, gaussian(sigma=2))^2"] {
        let line = format!(
            r#"{{"quantity":"delta","mechanism":"{mechanism}","at":{{"epsilon":"1/2"}},"direction":"backward"}}"#
        );
        let found = answer(&query(&line), &Budget::default()).expect("an answer");
        assert!(matches!(&found.outcome, Outcome::Exact(zero) if *zero.value() == 0), "{found:?}");
    }
}

/// Profiles far below all doubles: whatever digits are asked for, the answer has them, and fewer digits prove no
/// larger upper end.
#[test]
fn tiny_profiles_have_digits() {
    for (mechanism, epsilon, truth) in [
        // Trapezoid sums over the smaller of both steps, twice, in decimals of 60 digits.
        ("poisson(rate=1e-7, gaussian(sigma=3))^2", "2", "3.7734877651771597e-639"),
        // One large step integrated over, and the moments of all others up to the third.
        ("poisson(rate=1e-5, gaussian(sigma=5))^100", "1/2", "2.16797771313623e-672"),
        ("poisson(rate=1e-7, gaussian(sigma=1))^2 * approx-dp(epsilon=1/10, delta=1e-90)", "5", "1.00000000000426e-90"),
    ] {
        let line = format!(r#"{{"quantity":"delta","mechanism":"{mechanism}","at":{{"epsilon":"{epsilon}"}}}}"#);
        for query in [query(&line), query(&line).with_digits(6), query(&line).with_digits(15)] {
            let found = answer(&query, &Budget::default()).expect("an answer");
            assert!(matches!(found.outcome, Outcome::Enclosure(_)), "{found:?}");
            let set = found.outcome.number().expect("a number").enclosure(128);
            assert!(set.overlaps(&printed(truth)), "{found:?}");
        }
    }
}

/// What Chernoff's bound says of a tiny profile, or of the epsilon of a tiny delta, is known whatever else is.
#[test]
fn tiny_profiles_are_bounded_at_once() {
    let mechanism = "poisson(rate=1e-7, gaussian(sigma=3))^2 * laplace(scale=2)^3";
    for (line, most) in [
        (format!(r#"{{"quantity":"delta","mechanism":"{mechanism}","at":{{"epsilon":"3"}}}}"#), "1e-100"),
        (format!(r#"{{"quantity":"epsilon","mechanism":"{mechanism}","at":{{"delta":"1e-300"}}}}"#), "4"),
    ] {
        let query = query(&line);
        let (proven, engines) = (Proven::default(), Engines::new(query.mechanism.clone(), query.method));
        let attempt = Attempt { engines: &engines, query: &query, digits: query.digits, proven: &proven };
        attempt.bound(false, &Budget::default()).expect("a bound");
        let (set, (method, _)) = proven.best(&query).expect("no alarm").expect("a bound");
        let set = Number::from(&set).enclosure(64);
        let most: Real = most.parse().expect("a constant");
        assert!(set.lower().is_zero() && set.upper() <= most.enclosure(64).lower(), "{set:?}");
        assert_eq!(method, "Chernoff's bound");
    }
}

/// Where nothing follows from a guarantee in time, what is true of any bound does.
#[test]
fn a_bound_that_is_not_found_is_bounded() {
    for (line, upper) in [
        (r#"{"quantity":"delta","mechanism":"zcdp(rho=1)","at":{"epsilon":"-1/2"}}"#, 1.0),
        (r#"{"quantity":"beta","mechanism":"zcdp(rho=1)","at":{"alpha":"1/4"}}"#, 0.75),
    ] {
        let none = Budget::new(64, Some(Duration::ZERO));
        let answer = answer(&query(line), &none).expect("an answer");
        assert!(matches!(answer.outcome, Outcome::Short { .. }), "{answer:?}");
        assert_eq!((answer.outcome.lower_f64(), answer.outcome.upper_f64()), (Some(0.0), Some(upper)));
        assert!(answer.bound.is_some());
    }
}

/// An epsilon that follows from a guarantee and is not found in time is at most what a conversion promises: here
/// `1 + ln(1/2) - ln(2/1000)`.
#[test]
fn an_epsilon_that_is_not_found_is_converted() {
    let line = r#"{"quantity":"epsilon","mechanism":"rdp(order=2, epsilon=1)","at":{"delta":"1/1000"}}"#;
    let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::ZERO));
    let answer = answer(&query(line), &none).expect("an answer");
    assert!(matches!(answer.outcome, Outcome::Short { .. }), "{answer:?}");
    assert_eq!(answer.outcome.lower_f64(), Some(0.0));
    let promise: Real = "1+ln(1/2)-ln(2/1000)".parse().expect("a constant");
    assert_eq!(answer.outcome.upper_f64(), Some(promise.enclosure(128).upper().to_f64_round(Up)));
    assert!(answer.bound.is_some());
}

/// A delta likewise, at one order, `e^(1-3)/4`; beyond all exponents it is next to nothing, whatever is promised,
/// and of a mixture no more than of its worst part.
#[test]
fn a_delta_that_is_not_found_is_converted() {
    let line = |mechanism: &str, epsilon: &str| {
        query(&format!(r#"{{"quantity":"delta","mechanism":"{mechanism}","at":{{"epsilon":"{epsilon}"}}}}"#))
    };
    let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::ZERO));
    let found = answer(&line("rdp(order=2, epsilon=1)", "3"), &none).expect("an answer");
    let promise: Real = "exp(-2)/4".parse().expect("a constant");
    assert_eq!(found.outcome.upper_f64(), Some(promise.enclosure(128).upper().to_f64_round(Up)));
    assert_eq!(found.outcome.lower_f64(), Some(0.0));
    let delta = |mechanism: &str| {
        let outcome = answer(&line(mechanism, "1e9"), &none).expect("an answer").outcome;
        outcome.number().unwrap_or_else(|| panic!("{mechanism}: {outcome:?}")).enclosure(64)
    };
    // Nor is an epsilon beside mechanisms, or of a sample.
    for (mechanism, times) in [("zcdp(rho=1/8) * laplace(scale=3)", 2.0), ("poisson(rate=1/2, zcdp(rho=1/10))^2", 4.0)]
    {
        let line = format!(r#"{{"quantity":"epsilon","mechanism":"{mechanism}","at":{{"delta":"1e-4"}}}}"#);
        let [hurried, best] =
            [&none, &Budget::default()].map(|budget| answer(&query(&line), budget).expect("an answer").outcome);
        let (Some(hurried), Some(best)) = (hurried.upper_f64(), best.upper_f64()) else { panic!("{mechanism}") };
        assert!(hurried >= best && hurried < times * best, "{mechanism}: {hurried} {best}");
    }
    let next_to_nothing = rug::Float::with_val(64, rug::Float::i_exp(1, -1_000_000_000));
    for mechanism in [
        "zcdp(rho=1/2)",
        "rdp(order=2, epsilon=1/2)",
        "zcdp(rho=1/2) * laplace(scale=1)",
        "mixture(1/2: zcdp(rho=1/2), 1/2: gdp(mu=1))",
    ] {
        assert!(*delta(mechanism).upper() < next_to_nothing, "{mechanism}");
    }
    // The failure probability stays.
    let failing = delta("zcdp(rho=1/2) * approx-dp(epsilon=1, delta=1e-9)");
    assert!((1e-9..1.000_001e-9).contains(&failing.upper().to_f64()), "{failing:?}");
    // No bound that follows is above it, and what it is of is not far below.
    for (mechanism, epsilon) in
        [("zcdp(rho=1/10)", "1"), ("zcdp(rho=1/2) * laplace(scale=2)", "7"), ("cdp(mu=1/4, tau=1)", "9")]
    {
        let converted = answer(&line(mechanism, epsilon), &none).expect("an answer").outcome.upper_f64();
        let best = answer(&line(mechanism, epsilon), &Budget::default()).expect("an answer").outcome.upper_f64();
        let (Some(converted), Some(best)) = (converted, best) else { panic!("{mechanism}") };
        assert!(converted >= best && converted < 16.0 * best, "{mechanism}: {converted} {best}");
    }
}

/// Of all orders, too: at a rho of 10^30 the best two outcomes are out of reach, and the standard conversion is
/// not.
#[test]
fn an_epsilon_of_all_orders_that_is_not_found_is_converted() {
    let line = r#"{"quantity":"epsilon","mechanism":"zcdp(rho=1)","at":{"delta":"1/1000"}}"#;
    let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::ZERO));
    let answer = answer(&query(line), &none).expect("an answer");
    assert!(matches!(answer.outcome, Outcome::Short { .. }), "{answer:?}");
    // By Bun and Steinke it is `1 + 2 sqrt(ln 1000) = 6.25...`, and the best order has less.
    assert!(answer.outcome.upper_f64().is_some_and(|upper| (5.0..6.26).contains(&upper)), "{answer:?}");
}

/// A query for more digits than the work limit allows has no fewer digits than a query without: six of these are
/// cheap.
#[test]
fn too_many_digits_are_no_fewer() {
    let mechanism = "poisson(rate=171/1000, laplace(scale=59/100))^3 * laplace(scale=42)^640";
    let line = format!(r#"{{"quantity":"beta","mechanism":"{mechanism}","at":{{"alpha":"37/100"}}}}"#);
    let budget = Budget::default().with_work(Work::seconds(5));
    let answer = answer(&query(&line).with_digits(15), &budget).expect("an answer");
    assert!(answer.outcome.digits() >= Some(USUAL), "{answer:?}");
}

/// Far out all digits are sought that were asked for, whatever other contours prove.
#[test]
fn many_digits_are_sought_far_out() {
    let mechanism = "poisson(rate=3/250, discrete-gaussian(sigma2=63))^110";
    let line = format!(r#"{{"quantity":"delta","mechanism":"{mechanism}","at":{{"epsilon":"67/1000"}}}}"#);
    let minute = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_secs(60)));
    let answer = answer(&query(&line).with_digits(12), &minute).expect("an answer");
    assert!(matches!(answer.outcome, Outcome::Enclosure(_)), "{answer:?}");
    assert!(answer.method.ends_with("contour, far out"), "{}", answer.method);
}

/// Where bits run out, what is proven holds the truth, of which more bits prove all digits: the two meet.
#[test]
fn what_falls_short_holds_the_truth() {
    let [delta, epsilon, beta] = [r#"{"epsilon":"1/2"}"#, r#"{"delta":"1/1000"}"#, r#"{"alpha":"1/10"}"#];
    for (quantity, at, mechanism, direction) in [
        ("delta", delta, "gaussian(sigma=2)^3", "forward"),
        ("epsilon", epsilon, "laplace(scale=3)^4", "worst"),
        ("beta", beta, "gaussian(sigma=2)^3", "worst"),
        ("delta", delta, "poisson(rate=1/3, gaussian(sigma=1))^2", "forward"),
        ("epsilon", epsilon, "poisson(rate=1/3, gaussian(sigma=1))^2", "backward"),
    ] {
        let what = format!(r#""quantity":"{quantity}","mechanism":"{mechanism}","at":{at}"#);
        let line = format!(r#"{{{what},"direction":"{direction}","digits":20}}"#);
        let truth = answer(&query(&line), &Budget::default()).expect("an answer").outcome;
        let short = answer(&query(&line), &Budget::new(64, None)).expect("an answer").outcome;
        let Outcome::Short { proven, .. } = &short else { panic!("{line}: {short:?}") };
        let Outcome::Enclosure(truth) = &truth else { panic!("{line}: {truth:?}") };
        let wide = |interval| Number::from(interval).enclosure(200);
        let (proven, truth) = (wide(proven), wide(truth));
        let meet = proven.lower() <= truth.upper() && truth.lower() <= proven.upper();
        assert!(meet, "{line}: {truth:?} is not in {proven:?}");
        assert!(short.digits() >= Some(1), "{line}: {short:?}");
    }
}

/// Many digits are not asked for where few are exact.
#[test]
fn exact_answers_are_taken_from_few_digits() {
    let line = r#"{"quantity":"tv","mechanism":"randomized-response(epsilon=ln(2))^3","digits":100000}"#;
    assert!(matches!(answer(&query(line), &Budget::new(256, None)), Ok(Answer { outcome: Outcome::Exact(_), .. })));
}

/// A cumulant that is zero has no digit, and an enclosure all the same: here of two responses with `p` and `1 - p`.
#[test]
fn what_may_be_zero_is_enclosed() {
    let line = r#"{"quantity":"cumulant","at":{"order":"3"},"direction":"forward","digits":10,
                   "mechanism":"finite(p=[2/3, 1/3], q=[1/3, 2/3]) * finite(p=[1/3, 2/3], q=[1/9, 8/9])"}"#;
    let outcome = answer(&query(line), &Budget::new(2048, None)).expect("an answer").outcome;
    assert!(matches!(outcome, Outcome::Short { .. }), "{outcome:?}");
    let (lower, upper) = (outcome.lower_f64().expect("a number"), outcome.upper_f64().expect("a number"));
    assert!(lower <= 0.0 && upper >= 0.0 && upper - lower < 1e-100, "{outcome:?}");
}

/// The last bounds together get the rest of the default work and a second, and no more than the budget has.
#[test]
fn bounds_do_not_outlast_the_default_work() {
    let left = |budget: &Budget, patience| afterwards(budget, &budget.patient(patience)).remaining();
    let minute = Budget::new(64, Some(Duration::from_secs(60)));
    for budget in [&minute, &Budget::default()] {
        assert!(left(budget, Work::NONE).is_some_and(|left| left <= AFTER));
        assert!(left(budget, DEFAULT_WORK).is_some_and(|left| left > AFTER && left <= DEFAULT_WORK + AFTER));
    }
    assert_eq!(left(&Budget::new(64, Some(Duration::ZERO)), DEFAULT_WORK), Some(Work::NONE));
}

/// No time at all leaves what holds of any mechanism.
#[test]
fn without_time_there_are_bounds() {
    let line = r#"{"quantity":"beta","mechanism":"gdp(mu=1)","at":{"alpha":"1/4"}}"#;
    let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::ZERO));
    let outcome = answer(&query(line), &none).expect("an answer").outcome;
    assert_eq!((outcome.lower_f64(), outcome.upper_f64()), (Some(0.0), Some(0.75)));
    assert!(matches!(outcome, Outcome::Short { .. }));
}
