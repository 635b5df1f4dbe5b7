use proptest::prelude::*;

use super::*;
use crate::compose::reference::edged;
use crate::compose::{Edges, Method, curve};
use crate::mechanism::Composition;
use enclosure::refine;

fn budget() -> Budget {
    Budget::default()
}

fn constant(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn of(text: &str) -> Box<dyn Curve> {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    curve(&composition, Method::Auto, &budget()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The same through the general law, even where there is a simpler form.
fn generic(rate: &str, inner: &str) -> Edges {
    let curve = Subsampled::new(constant(rate), of(inner)).expect("a rate");
    let inner: Composition = inner.parse().expect("a composition");
    let pairs = inner.pairs().expect("a pair").into_iter();
    edged(curve, pairs.map(|(pair, times)| (pair.sampled(&constant(rate)).expect("a sample"), times)))
}

fn delta(curve: &dyn Curve, epsilon: &str, direction: Direction, digits: u32) -> Number {
    let at = constant(epsilon);
    refine(digits, &budget(), |bits| curve.delta(&at, direction, bits, &budget())).expect("a delta")
}

fn beta(curve: &dyn Curve, alpha: &Real, direction: Direction, digits: u32) -> Number {
    refine(digits, &budget(), |bits| curve.beta(alpha, direction, bits, &budget())).expect("a beta")
}

fn epsilon(curve: &dyn Curve, delta: &Real, direction: Direction, digits: u32) -> Option<Number> {
    let mut infinite = false;
    let value = refine(digits, &budget(), |bits| {
        Ok(match curve.epsilon(delta, direction, bits, &budget())? {
            Value::Finite(value) => value,
            Value::Infinite => {
                infinite = true;
                Number::zero()
            }
        })
    });
    let value = value.unwrap_or_else(|error| panic!("epsilon at {delta}: {error}"));
    (!infinite).then_some(value)
}

/// A decimal of 40 digits, right to one unit of its last.
fn overlaps(value: &Number, digits: &str) {
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
    let places = mantissa.split('.').nth(1).map_or(0, str::len) as i32;
    let unit = constant(&format!("10^({exponent} - {places})"));
    let reference = constant(digits);
    let low = reference.sub(&unit).enclosure(400);
    let set = low.hull(&reference.add(&unit).enclosure(400));
    assert!(value.enclosure(400).overlaps(&set), "{value:?} against {digits}");
}

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// Published values: Poisson subsampled Gaussian, p = 1/10, mu = 1.
#[test]
fn one_step_of_dp_sgd() {
    let curve = of("poisson(rate=1/10, gdp(mu=1))");
    let at = |epsilon, direction| delta(curve.as_ref(), epsilon, direction, 45);
    for direction in BOTH {
        overlaps(&at("0", direction), "0.03829249225480262072754092212166754797673");
    }
    overlaps(&at("1/10", Direction::Forward), "0.01847193068806207537421905556423232030966");
    overlaps(&at("1/10", Direction::Backward), "0.000007526745010056601826145313861243096021308");
    overlaps(&at("1", Direction::Forward), "0.0002071214860213921137553426420185857458348");
    assert_eq!(at("1", Direction::Backward).exact(), Some(&Rational::new()));
}

/// The loss ends at -ln(1-p) backward and begins at ln(1-p) forward, exactly.
#[test]
fn ends_of_the_loss() {
    for inner in
        ["gaussian(sigma=2)", "laplace(scale=1/3)", "discrete-gaussian(sigma2=3)", "approx-dp(epsilon=1, delta=1/9)"]
    {
        for (rate, end) in [("1/10", "ln(10/9)"), ("1-exp(-1)", "1"), ("1-1/sqrt(2)", "ln(2)/2")] {
            let curve = generic(rate, inner);
            for beyond in ["", "+1e-30", "+1", "+1e9"] {
                let zero = curve.delta(&constant(&format!("{end}{beyond}")), Direction::Backward, 100, &budget());
                assert_eq!(zero.expect("a delta").exact(), Some(&Rational::new()), "{inner} {rate} {beyond}");
                let below = constant(&format!("-({end}{beyond})"));
                let whole = curve.delta(&below, Direction::Forward, 100, &budget()).expect("a delta");
                let expected = Real::one().sub(&below.exp().expect("small")).number(100);
                assert!(whole.enclosure(100).overlaps(&expected.enclosure(100)), "{inner} {rate} {beyond}");
            }
        }
    }
    let exact = generic("1/10", "gaussian(sigma=2)");
    let value = exact.delta(&constant("ln(1/2)"), Direction::Forward, 100, &budget()).expect("a delta");
    assert_eq!(value.exact(), Some(&Rational::from((1, 2))));
}

/// Through the general law and through the exact finite pair, at rational and at other points.
#[test]
fn the_general_law_agrees_with_finite_pairs() {
    let points =
        ["0", "ln(9/8)", "ln(10/9)", "ln(5/4)", "1/20", "1/3", "-ln(9/8)", "-1/20", "ln(3/2)", "2", "-2", "-ln(10/9)"];
    let levels = ["0", "1/1000", "1/100", "1/20", "1/11", "1/10", "1/3", "9/10", "99/100", "1"];
    for inner in [
        "randomized-response(epsilon=ln(3))",
        "approx-dp(epsilon=ln(3/2), delta=1/7)",
        "approx-dp(epsilon=0, delta=1/7)",
        "geometric(epsilon=ln(2), sensitivity=3)",
        "staircase(epsilon=ln(2), gamma=1/3, sensitivity=2)",
        "finite(p=[1/2, 1/4, 1/4, 0], q=[1/3, 0, 1/3, 1/3])",
        "finite(p=[9/10, 1/10], q=[1/10, 9/10])",
    ] {
        for rate in ["1/10", "1/2", "99/100"] {
            let (general, exact) = (generic(rate, inner), of(&format!("poisson(rate={rate}, {inner})")));
            for direction in BOTH {
                for point in points {
                    let at = constant(point);
                    let both = [&general as &dyn Curve, exact.as_ref()]
                        .map(|curve| curve.delta(&at, direction, 150, &budget()).expect("a delta"));
                    if let [Number::Exact(a), Number::Exact(b)] = &both {
                        assert_eq!(a, b, "{inner} {rate} {point} {direction:?}");
                    } else {
                        assert!(both[0].enclosure(150).overlaps(&both[1].enclosure(150)), "{inner} {rate} {point}");
                    }
                    if at.exp_rational().is_some() {
                        assert!(both[0].exact().is_some(), "{inner} {rate} {point} {direction:?}: {both:?}");
                    }
                }
                for level in levels {
                    let at = constant(level);
                    let (a, b) = (epsilon(&general, &at, direction, 25), epsilon(exact.as_ref(), &at, direction, 25));
                    match (a, b) {
                        (None, None) => {}
                        (Some(a), Some(b)) => {
                            assert!(a.enclosure(150).overlaps(&b.enclosure(150)), "{inner} {rate} {level} {a:?} {b:?}");
                        }
                        both => panic!("{inner} {rate} {level} {direction:?}: {both:?}"),
                    }
                    let (a, b) = (beta(&general, &at, direction, 25), beta(exact.as_ref(), &at, direction, 25));
                    assert!(
                        a.enclosure(150).overlaps(&b.enclosure(150)),
                        "{inner} {rate} {level} {direction:?}: {a:?} {b:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn simple_forms() {
    for (text, expected) in [
        ("poisson(rate=0, gaussian(sigma=1))", "gdp(mu=0)"),
        ("poisson(rate=1/2, gaussian(sigma=1, sensitivity=0))^7", "gdp(mu=0)"),
        ("poisson(rate=1, gaussian(sigma=2))^4", "gdp(mu=1)"),
        ("poisson(rate=1, laplace(scale=2))", "laplace(scale=2)"),
        ("poisson(rate=1/2, finite(p=[1,0],q=[0,1]))^2", "finite(p=[1/2,1/2],q=[0,1])^2"),
    ] {
        for epsilon in ["0", "1/2", "-1/3"] {
            for direction in BOTH {
                let (a, b) = (
                    delta(of(text).as_ref(), epsilon, direction, 30),
                    delta(of(expected).as_ref(), epsilon, direction, 30),
                );
                assert!(a.enclosure(100).overlaps(&b.enclosure(100)), "{text}");
            }
        }
    }
}

/// Each question undoes the other, far out as well.
#[test]
fn inverses() {
    for inner in
        ["gaussian(sigma=1)", "laplace(scale=1/2)", "discrete-gaussian(sigma2=2)", "approx-dp(epsilon=2, delta=1e-3)"]
    {
        for rate in ["1e-9", "1/100", "1/2", "1-1e-9"] {
            let curve = generic(rate, inner);
            for direction in BOTH {
                for share in ["0.9", "1e-3", "1e-12", "1e-60"] {
                    let at = constant(rate).mul(&constant(share)).expect("a delta");
                    let Some(value) = epsilon(&curve, &at, direction, 30) else { continue };
                    let Number::Enclosed(set) = value else { continue };
                    assert!(set.relative_bits().is_some_and(|bits| bits > 100), "{inner} {rate} {share}");
                    let profile = |end: &Float| {
                        let at = Real::from(end.to_rational().expect("finite"));
                        curve.delta(&at, direction, 600, &budget()).expect("a delta")
                    };
                    let (below, above) = (profile(set.lower()), profile(set.upper()));
                    let target = at.number(600);
                    assert!(below.compare(&target).is_none_or(Ordering::is_ge), "{inner} {rate} {share}");
                    assert!(above.compare(&target).is_none_or(Ordering::is_le), "{inner} {rate} {share}");
                }
                for alpha in ["1e-30", "1/1000", "1/2", "999/1000", "1-1e-30"] {
                    let at = constant(alpha);
                    let value = beta(&curve, &at, direction, 30).enclosure(200);
                    if *value.lower() <= 0 || value.is_point() {
                        continue;
                    }
                    let back = |end: &Float| {
                        let other =
                            if direction == Direction::Forward { Direction::Backward } else { Direction::Forward };
                        let at = Real::from(end.to_rational().expect("finite"));
                        curve.beta(&at, other, 300, &budget()).expect("a beta").enclosure(300)
                    };
                    let image = back(value.lower()).hull(&back(value.upper()));
                    assert!(image.overlaps(&at.enclosure(300)), "{inner} {rate} {alpha} {direction:?}: {image:?}");
                }
            }
        }
    }
}

#[test]
fn tiny_answers_keep_their_digits() {
    let curve = generic("1e-9", "gaussian(sigma=2)");
    for (epsilon, direction) in [
        ("1", Direction::Forward),
        ("40", Direction::Forward),
        ("1e-10", Direction::Forward),
        ("1e-10", Direction::Backward),
        ("9.99e-10", Direction::Backward),
        ("1e-300", Direction::Backward),
    ] {
        let value = delta(&curve, epsilon, direction, 30).enclosure(64);
        assert!(*value.lower() > 0 && *value.upper() < 1e-9, "{epsilon} {value:?}");
    }
    for (delta, direction) in
        [("1e-300", Direction::Forward), ("1e-11", Direction::Backward), ("1e-300", Direction::Backward)]
    {
        let value = epsilon(&curve, &constant(delta), direction, 30).expect("finite").enclosure(64);
        assert!(*value.lower() > 0, "{delta} {value:?}");
        assert!(direction == Direction::Forward || *value.upper() < 1.1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// `H_x(P', Q) = 1 - x + x H_(1/x)(Q, P')`.
    #[test]
    fn the_two_directions_are_dual(rate in 1u32..1000, e in -3000i32..3000, mu in 1u32..40, which in 0usize..3) {
        let inner = [format!("gdp(mu={mu}/10)"), format!("laplace(scale={mu}/10)"),
            format!("discrete-gaussian(sigma2={mu}/10)")];
        let curve = generic(&format!("{rate}/1000"), &inner[which]);
        let at = Real::from(Rational::from((e, 1000)));
        let x = at.exp_number(200);
        for direction in BOTH {
            let other = if direction == Direction::Forward { Direction::Backward } else { Direction::Forward };
            let here = curve.delta(&at, direction, 200, &budget()).unwrap();
            let there = curve.delta(&at.neg(), other, 200, &budget()).unwrap();
            let dual = &(&Number::one() - &x) + &(&x * &there);
            prop_assert!(here.enclosure(200).overlaps(&dual.enclosure(200)), "{:?} {:?}", here, dual);
        }
    }

    /// The trade-off function is the supremum of the lines `1 - delta(eps) - e^eps alpha` of the other direction's
    /// profile.
    #[test]
    fn lines_support_the_trade_off_function(rate in 1u32..1000, e in -3000i32..3000, a in 1u32..1000, mu in 1u32..40) {
        let curve = generic(&format!("{rate}/1000"), &format!("gdp(mu={mu}/10)"));
        let at = Real::from(Rational::from((e, 1000)));
        let alpha = Real::from(Rational::from((a, 1000)));
        for (direction, other) in [(Direction::Forward, Direction::Backward),
            (Direction::Backward, Direction::Forward)] {
            let beta = curve.beta(&alpha, direction, 100, &budget()).unwrap();
            let profile = curve.delta(&at, other, 100, &budget()).unwrap();
            let line = &(&Number::one() - &profile) - &(&at.exp_number(100) * &alpha.number(100));
            prop_assert!(beta.compare(&line) != Some(Ordering::Less), "{:?} {:?}", beta, line);
        }
    }
}
