mod references;

use crate::curve::{Direction, Value};
use crate::divergence::{Kind, composed};
use crate::mechanism::Composition;
use enclosure::{Budget, Enclosure, Number, Real, refine};

use self::references::REFERENCES;

fn constant(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn ask(kind: Kind, mechanism: &str, direction: Direction, digits: u32) -> Option<Number> {
    let budget = Budget::default();
    let composition: Composition = mechanism.parse().unwrap_or_else(|error| panic!("{mechanism}: {error}"));
    let sum = composed(kind, &composition).unwrap_or_else(|error| panic!("{mechanism}: {error}"));
    let mut infinite = false;
    let value = refine(digits, &budget, |bits| match sum.value(direction, bits, &budget)? {
        Value::Finite(value) => Ok(value),
        Value::Infinite => {
            infinite = true;
            Ok(Number::zero())
        }
    });
    let value = value.unwrap_or_else(|error| panic!("{mechanism}: {error}"));
    (!infinite).then_some(value)
}

fn renyi(order: &str, mechanism: &str, direction: Direction) -> Enclosure {
    ask(Kind::Renyi(constant(order)), mechanism, direction, 30).expect("finite").enclosure(200)
}

fn decimal(text: &str) -> Enclosure {
    let places = text.split(['e']).next().and_then(|m| m.split('.').nth(1)).map_or(0, str::len);
    let exponent = text.split('e').nth(1).unwrap_or("0");
    let unit = constant(&format!("10^({exponent} - {places})"));
    let value = constant(text);
    value.sub(&unit).enclosure(300).hull(&value.add(&unit).enclosure(300))
}

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// Values by mpmath's quadrature at 50 digits, from the definitions.
#[test]
fn references() {
    for (mechanism, kind, direction, text) in REFERENCES {
        let kind = match kind.split_once(' ') {
            Some((_, order)) => Kind::Renyi(constant(order)),
            None if *kind == "kl" => Kind::KullbackLeibler,
            None => Kind::ChiSquared,
        };
        let direction = if *direction == 'f' { Direction::Forward } else { Direction::Backward };
        let value = ask(kind, mechanism, direction, 32).expect("finite").enclosure(200);
        assert!(value.overlaps(&decimal(text)), "{mechanism} {direction:?}: {value:?} against {text}");
    }
}

/// An integral near an integer order holds the sum at the order between its neighbours, and tightly.
#[test]
fn integrals_and_sums_agree() {
    for inner in [
        "gdp(mu=1)",
        "gaussian(sigma=5)",
        "laplace(scale=1/3)",
        "discrete-gaussian(sigma2=2)",
        "discrete-gaussian(sigma2=1e7, sensitivity=900)",
    ] {
        for rate in ["1e-6", "1/10", "9/10"] {
            let mechanism = format!("poisson(rate={rate}, {inner})");
            for order in ["2", "3", "17"] {
                let at = renyi(order, &mechanism, Direction::Forward);
                let below = renyi(&format!("{order} - 1e-40"), &mechanism, Direction::Forward);
                let above = renyi(&format!("{order} + 1e-40"), &mechanism, Direction::Forward);
                // The divergence rises with the order, by far less than what is proven here.
                assert!(*below.lower() <= *at.upper() && *at.lower() <= *above.upper(), "{mechanism} {order}");
                assert!(at.overlaps(&below.hull(&above)), "{mechanism} {order}: {below:?} {at:?} {above:?}");
            }
            // Two ways to the same number.
            let chi = ask(Kind::ChiSquared, &mechanism, Direction::Backward, 30).expect("finite").enclosure(200);
            let two = renyi("2", &mechanism, Direction::Backward).expm1();
            assert!(chi.overlaps(&two), "{mechanism}: {chi:?} {two:?}");
        }
    }
}

/// Orders just above 1 approach the Kullback-Leibler divergence, from above.
#[test]
fn low_orders_approach_kullback_leibler() {
    for inner in ["gdp(mu=2)", "laplace(scale=1)", "discrete-gaussian(sigma2=1)"] {
        let mechanism = format!("poisson(rate=1/20, {inner})");
        for direction in BOTH {
            let limit = ask(Kind::KullbackLeibler, &mechanism, direction, 30).expect("finite").enclosure(200);
            let near = renyi("1 + 1e-12", &mechanism, direction);
            assert!(*near.lower() > *limit.upper(), "{mechanism} {direction:?}");
            assert!(
                *near.upper() < (limit * Enclosure::double(1.000_001, 200)).upper().clone(),
                "{mechanism} {direction:?}"
            );
        }
    }
}

/// A discrete Gaussian of large variance is close to the continuous one, and its step stands for nothing else.
#[test]
fn large_discrete_noise() {
    for direction in BOTH {
        for kind in [Kind::KullbackLeibler, Kind::ChiSquared, Kind::Renyi(constant("5/2"))] {
            let discrete = "poisson(rate=1/10, discrete-gaussian(sigma2=1e8, sensitivity=10000))";
            let a = ask(kind.clone(), discrete, direction, 30).expect("finite").enclosure(200);
            let b = ask(kind, "poisson(rate=1/10, gdp(mu=1))", direction, 30).expect("finite").enclosure(200);
            assert!(a.overlaps(&b), "{direction:?} {a:?} {b:?}");
        }
    }
}

/// Finite pairs with irrational data, against the rational pair next to them on both sides.
#[test]
fn irrational_finite_pairs() {
    let with = |epsilon: &str, kind: &Kind, direction| {
        let text = format!("poisson(rate=1/5, randomized-response(epsilon={epsilon}))");
        ask(kind.clone(), &text, direction, 25).expect("finite").enclosure(200)
    };
    for kind in [Kind::KullbackLeibler, Kind::ChiSquared, Kind::Max, Kind::Renyi(constant("7/3"))] {
        for direction in BOTH {
            let (low, here, high) =
                (with("ln(5/2)", &kind, direction), with("1", &kind, direction), with("ln(3)", &kind, direction));
            assert!(*low.upper() < *here.lower() && *here.upper() < *high.lower(), "{direction:?}");
            let near = with("ln(2.71828182845904523536)", &kind, direction);
            assert!(*near.upper() < *here.lower());
            assert!(*(&here / &near).upper() < 1.000_000_1);
        }
    }
    let leaking = "poisson(rate=1/5, approx-dp(epsilon=1, delta=1/sqrt(50)))";
    assert!(ask(Kind::KullbackLeibler, leaking, Direction::Forward, 20).is_none());
    assert!(ask(Kind::Max, leaking, Direction::Forward, 20).is_none());
    let end = ask(Kind::Max, leaking, Direction::Backward, 20).expect("finite").enclosure(200);
    assert!(end.overlaps(&constant("ln(5/4)").enclosure(200)));
}

#[test]
fn out_of_reach_is_undecided() {
    let budget = Budget::default();
    for (mechanism, order) in [
        ("poisson(rate=1/10, gdp(mu=1e7))", "5/2"),
        ("poisson(rate=1/10, gdp(mu=1))", "1e9+1/2"),
        ("poisson(rate=1/10, gdp(mu=1))", "1e5"),
        ("poisson(rate=1/10, laplace(scale=1e-9))", "5/2"),
        ("poisson(rate=1/10, laplace(scale=1))", "1e9+1/2"),
    ] {
        let composition: Composition = mechanism.parse().expect("a mechanism");
        for direction in BOTH {
            let sum = composed(Kind::Renyi(constant(order)), &composition).expect("a sum");
            let value = refine(15, &budget, |bits| match sum.value(direction, bits, &budget)? {
                Value::Finite(value) => Ok(value),
                Value::Infinite => panic!("{mechanism}"),
            });
            if let Err(error) = value {
                assert!(matches!(error, crate::Error::Undecided(_)), "{mechanism} {order}: {error}");
            }
        }
    }
}
