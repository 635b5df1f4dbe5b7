//! Each case in exact fractions, from the definition: sums over all outcomes of the composition.

use rug::ops::Pow;
use rug::{Integer, Rational};

use super::*;
use crate::compose::{Method, curve};
use crate::mechanism::Composition;
use crate::pair::Pair;

/// An engine that must not be asked.
struct Nobody {
    symmetric: bool,
}

impl Curve for Nobody {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn delta(&self, epsilon: &Real, _: Direction, _: u32, _: &Budget) -> Result<Number, Error> {
        Err(Error::internal(format!("asked for the delta of {epsilon}")))
    }

    fn epsilon(&self, delta: &Real, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        Err(Error::internal(format!("asked for the epsilon of {delta}")))
    }

    fn beta(&self, alpha: &Real, _: Direction, _: u32, _: &Budget) -> Result<Number, Error> {
        Err(Error::internal(format!("asked for the beta of {alpha}")))
    }

    fn method(&self) -> &'static str {
        "nobody"
    }

    fn statement(&self) -> &'static Statement {
        &crate::statement::ANY_MECHANISM
    }
}

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

fn product(text: &str) -> Product {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Product::new(composition.pairs().expect("pairs"))
}

/// Edges with nothing inside, of which each direction is one of its own.
fn edges(text: &str) -> Edges {
    Edges::around(Box::new(Nobody { symmetric: false }), &product(text))
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn real(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fraction(text: &str) -> Rational {
    real(text).as_rational().expect("a fraction").clone()
}

fn delta(curve: &dyn Curve, at: &str, direction: Direction) -> Option<Rational> {
    curve.delta(&real(at), direction, 100, &Budget::default()).ok()?.exact().cloned()
}

fn beta(curve: &dyn Curve, at: &str, direction: Direction) -> Option<Rational> {
    curve.beta(&real(at), direction, 100, &Budget::default()).ok()?.exact().cloned()
}

fn epsilon(curve: &dyn Curve, at: &str, direction: Direction) -> Result<Value, Error> {
    curve.epsilon(&real(at), direction, 100, &Budget::default())
}

/// Is it this constant, to all bits?
fn is(value: Result<Value, Error>, constant: &str) -> bool {
    match value {
        Ok(Value::Finite(Number::Exact(value))) => real(constant).as_rational() == Some(&value),
        Ok(Value::Finite(Number::Enclosed(set))) => {
            real(constant).as_rational().is_none()
                && set.overlaps(&real(constant).enclosure(400))
                && set.relative_bits().is_some_and(|bits| bits >= 96)
        }
        Ok(Value::Infinite) => constant == "infinite",
        Err(_) => false,
    }
}

/// All outcomes of a composition of discrete pairs in fractions.
fn outcomes(text: &str) -> Vec<(Rational, Rational)> {
    let composition: Composition = text.parse().expect("a composition");
    let mut all = vec![(Rational::from(1), Rational::from(1))];
    for (pair, times) in composition.pairs().expect("pairs") {
        let Pair::Discrete(pair) = pair else { panic!("{text}") };
        let pair = pair.fractions().expect("masses").expect("fractions");
        for _ in 0..times {
            let with = |(p, q): &(Rational, Rational)| -> Vec<(Rational, Rational)> {
                pair.outcomes().map(|(r, s)| (Rational::from(p * r), Rational::from(q * s))).collect()
            };
            all = all.iter().flat_map(with).collect();
        }
    }
    all
}

fn reversed(all: &[(Rational, Rational)], direction: Direction) -> Vec<(Rational, Rational)> {
    let mut all = all.to_vec();
    if direction == Direction::Backward {
        all.iter_mut().for_each(|(p, q)| std::mem::swap(p, q));
    }
    all
}

/// The hockey-stick divergence, from its definition.
fn profile(all: &[(Rational, Rational)], x: &Rational) -> Rational {
    all.iter().map(|(p, q)| (p - Rational::from(q * x)).max(Rational::new())).sum()
}

/// By hand, with different masses at infinity on either side.
#[test]
fn edges_by_hand() {
    use Direction::{Backward, Forward};
    // A loss of ln 2 and one of 0; Q alone has a quarter.
    let left = edges("finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4])");
    for (at, direction, truth) in [
        ("ln(2)", Forward, "0"),
        ("5", Forward, "0"),
        ("0", Forward, "1/4"),
        ("-ln(2)", Forward, "5/8"),
        ("0", Backward, "1/4"),
        ("1/7", Backward, "1/4"),
        ("-ln(2)", Backward, "1/2"),
        ("-ln(4)", Backward, "3/4"),
    ] {
        assert_eq!(delta(&left, at, direction), Some(fraction(truth)), "{at} {direction:?}");
    }
    // Between them somebody is needed.
    for (at, direction) in [("ln(3/2)", Forward), ("-ln(3/2)", Backward)] {
        assert!(left.delta(&real(at), direction, 100, &Budget::default()).is_err_and(|error| error.is_alarm()));
    }
    for (at, direction, truth) in [
        ("0", Forward, "ln(2)"),
        ("1", Forward, "0"),
        ("1/4", Backward, "0"),
        ("1/4 - 1e-30", Backward, "infinite"),
        ("1/3", Backward, "0"),
        ("1", Backward, "0"),
    ] {
        assert!(is(epsilon(&left, at, direction), truth), "{at} {direction:?}: {:?}", epsilon(&left, at, direction));
    }
    assert!(epsilon(&left, "1e-30", Forward).is_err_and(|error| error.is_alarm()));
    for (at, direction, truth) in [
        ("0", Forward, "3/4"),
        ("1", Forward, "0"),
        ("0", Backward, "1"),
        ("3/4", Backward, "0"),
        ("4/5", Backward, "0"),
        ("1", Backward, "0"),
    ] {
        assert_eq!(beta(&left, at, direction), Some(fraction(truth)), "{at} {direction:?}");
    }
    for (at, direction) in [("1e-30", Forward), ("1 - 1e-30", Forward), ("3/4 - 1e-30", Backward)] {
        assert!(left.beta(&real(at), direction, 100, &Budget::default()).is_err_and(|error| error.is_alarm()), "{at}");
    }
}

/// A tenth fails, on either side.
#[test]
fn edges_of_approximate_dp() {
    let curve = edges("approx-dp(epsilon=1/2, delta=1/10)^2");
    for direction in BOTH {
        assert_eq!(delta(&curve, "1", direction), Some(fraction("19/100")));
        assert_eq!(delta(&curve, "17", direction), Some(fraction("19/100")));
        assert!(is(epsilon(&curve, "19/100", direction), "1"));
        assert!(is(epsilon(&curve, "19/100 - 1e-30", direction), "infinite"));
        assert!(is(epsilon(&curve, "0", direction), "infinite"));
        assert!(epsilon(&curve, "19/100 + 1e-30", direction).is_err_and(|error| error.is_alarm()));
        assert!(is(epsilon(&curve, "1", direction), "0"));
        assert_eq!(beta(&curve, "0", direction), Some(fraction("81/100")));
        assert_eq!(beta(&curve, "81/100", direction), Some(Rational::new()));
        assert_eq!(beta(&curve, "1", direction), Some(Rational::new()));
        assert!(curve.beta(&real("81/100 - 1e-30"), direction, 100, &Budget::default()).is_err());
    }
    // 1 - e^-7 (1 - 19/100), which is no fraction.
    let low = curve.delta(&real("-7"), Direction::Forward, 100, &Budget::default()).expect("a number").enclosure(100);
    assert!(low.overlaps(&real("1 - 81/100*exp(-7)").enclosure(300)) && low.relative_bits() >= Some(96));
}

/// All edges against sums over all outcomes, at each loss there is and beyond, and against the engines between.
#[test]
fn edges_are_those_of_the_sums() {
    for text in [
        "approx-dp(epsilon=ln(3/2), delta=1/10)",
        "approx-dp(epsilon=ln(3/2), delta=1/10)^2 * approx-dp(epsilon=0, delta=1/7)",
        "approx-dp(epsilon=0, delta=1/7)^3",
        "approx-dp(epsilon=ln(2), delta=1)",
        "finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4])",
        "finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4])^2",
        "finite(p=[1/4,1/2,1/4], q=[1/2,1/2,0])",
        "finite(p=[1/4,1/2,1/4,0], q=[1/5,2/5,0,2/5])",
        "finite(p=[1,0], q=[1/4,3/4])",
        "finite(p=[1/4,3/4], q=[1,0])^2",
        "finite(p=[1,0], q=[0,1])",
        "finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4]) * approx-dp(epsilon=ln(3), delta=1/9)",
        "poisson(rate=1/3, approx-dp(epsilon=ln(3/2), delta=1/10))",
        "poisson(rate=1/3, finite(p=[1/4,1/2,1/4,0], q=[1/5,2/5,0,2/5]))^2",
        "geometric(epsilon=ln(2), sensitivity=2)",
        "staircase(epsilon=ln(2), gamma=1/3) * approx-dp(epsilon=0, delta=1/10)",
    ] {
        let all = outcomes(text);
        let (edged, engine) =
            (edges(text), curve(&text.parse().expect("a composition"), Method::Auto, &Budget::default()));
        let engine = engine.expect("an engine");
        for direction in BOTH {
            let all = reversed(&all, direction);
            let both = all.iter().filter(|(p, q)| !p.is_zero() && !q.is_zero());
            let ratios: Vec<Rational> = both.map(|(p, q)| Rational::from(p / q)).collect();
            let (a, b): (Rational, Rational) = (
                all.iter().filter(|(_, q)| q.is_zero()).map(|(p, _)| p).sum(),
                all.iter().filter(|(p, _)| p.is_zero()).map(|(_, q)| q).sum(),
            );
            let (low, high) = (ratios.iter().min(), ratios.iter().max());
            let far = Integer::from(10).pow(30);
            let mut points: Vec<Rational> = vec![Rational::from(1), Rational::from((1, far.clone())), far.into()];
            for ratio in &ratios {
                for factor in ["1", "1 + 1e-30", "1 - 1e-30"] {
                    points.push(Rational::from(ratio * &fraction(factor)));
                }
            }
            for x in points {
                let truth = profile(&all, &x);
                let at = Real::from(x.clone()).ln().expect("a loss");
                let inside = low.is_some_and(|low| *low < x) && high.is_some_and(|high| x < *high);
                let found = edged.delta(&at, direction, 100, &Budget::default());
                if inside {
                    assert!(found.is_err_and(|error| error.is_alarm()), "{text} {direction:?} {x}");
                } else {
                    assert_eq!(found.expect("an edge").exact(), Some(&truth), "{text} {direction:?} {x}");
                }
                let asked = engine.delta(&at, direction, 100, &Budget::default()).expect("a number");
                assert_eq!(asked.exact(), Some(&truth), "{text} {direction:?} {x}");
            }
            let tiny = fraction("1e-30");
            for (level, truth) in [
                (Some(Rational::from(&a - &tiny)), "infinite".to_string()),
                (
                    Some(a.clone()),
                    high.map_or_else(|| "0".to_string(), |high| format!("ln({})", high.clone().max(1.into()))),
                ),
                (high.is_none_or(|high| *high <= 1).then(|| Rational::from(&a + &tiny)), "0".to_string()),
                (Some(Rational::from(1)), "0".to_string()),
            ] {
                let Some(level) = level.filter(|level| *level >= 0 && *level <= 1) else { continue };
                for curve in [&edged as &dyn Curve, engine.as_ref()] {
                    let found = epsilon(curve, &level.to_string(), direction);
                    assert!(is(found.clone(), &truth), "{text} {direction:?} {level}: {found:?} {truth}");
                }
            }
            for (alpha, truth) in [
                (Rational::new(), if a == 1 { Rational::new() } else { Rational::from(1 - &b) }),
                (Rational::from(1 - &a), Rational::new()),
                (Rational::from(1 - &a) + &tiny, Rational::new()),
                (Rational::from(1), Rational::new()),
            ] {
                if alpha > 1 {
                    continue;
                }
                for curve in [&edged as &dyn Curve, engine.as_ref()] {
                    assert_eq!(
                        beta(curve, &alpha.to_string(), direction).as_ref(),
                        Some(&truth),
                        "{text} {direction:?} {alpha}"
                    );
                }
            }
            // Next to the edges the engine is asked, and it says what the definition does.
            for alpha in [tiny.clone(), Rational::from(1 - &a) - &tiny] {
                if a == 1 || alpha <= 0 {
                    continue;
                }
                let mut sorted: Vec<_> = all.iter().filter(|(p, _)| !p.is_zero()).cloned().collect();
                sorted.sort_by(|(p, q), (r, s)| Rational::from(r * q).cmp(&Rational::from(p * s)));
                let (mut left, mut truth) = (Rational::from(1 - &alpha), Rational::new());
                for (p, q) in &sorted {
                    let taken = left.clone().min(p.clone());
                    truth += Rational::from(&taken * q) / p;
                    left -= taken;
                }
                let found =
                    engine.beta(&Real::from(alpha.clone()), direction, 100, &Budget::default()).expect("a number");
                assert!(found.enclosure(100).contains(&truth), "{text} {direction:?} {alpha}: {found:?} {truth}");
            }
        }
        // The worse of both.
        for at in ["0", "ln(2)", "-3", "5"] {
            let Some(worst) = delta(&edged, at, Direction::Worst) else { continue };
            let sides = BOTH.map(|direction| delta(&edged, at, direction).expect("a number"));
            assert_eq!(Some(&worst), sides.iter().max(), "{text} {at}");
        }
        for at in ["0", "1"] {
            let least = BOTH.map(|direction| beta(&edged, at, direction).expect("a number"));
            assert_eq!(beta(&edged, at, Direction::Worst), least.into_iter().min(), "{text} {at}");
        }
    }
}

/// What has no bound has no edge there, and a supremum that is no loss is one.
#[test]
fn losses_without_bound() {
    let normal = edges("gaussian(sigma=1) * approx-dp(epsilon=0, delta=1/10)");
    for direction in BOTH {
        assert!(normal.delta(&real("1e9"), direction, 100, &Budget::default()).is_err_and(|error| error.is_alarm()));
        assert!(normal.delta(&real("-1e9"), direction, 100, &Budget::default()).is_err_and(|error| error.is_alarm()));
        assert!(is(epsilon(&normal, "1/10", direction), "infinite"));
        assert!(is(epsilon(&normal, "1/10 - 1e-30", direction), "infinite"));
        assert_eq!(beta(&normal, "0", direction), Some(fraction("9/10")));
        assert_eq!(beta(&normal, "9/10", direction), Some(Rational::new()));
    }
    let sample = edges("poisson(rate=1/2, gaussian(sigma=1))");
    assert_eq!(delta(&sample, "-ln(2)", Direction::Forward), Some(fraction("1/2")));
    assert_eq!(delta(&sample, "ln(2)", Direction::Backward), Some(Rational::new()));
    assert!(is(epsilon(&sample, "0", Direction::Backward), "ln(2)"));
    assert!(is(epsilon(&sample, "0", Direction::Forward), "infinite"));
    assert!(sample.delta(&real("ln(2) - 1e-30"), Direction::Backward, 100, &Budget::default()).is_err());
}

/// Points outside of their domains, in the same words for all.
#[test]
fn what_is_no_probability_is_undefined() {
    for text in ["gaussian(sigma=1)", "approx-dp(epsilon=1, delta=1)", "finite(p=[1,0], q=[1/2,1/2])"] {
        let curve = edges(text);
        for at in ["-1e-30", "1 + 1e-30", "sqrt(2)", "-ln(2)"] {
            for direction in BOTH {
                assert!(matches!(epsilon(&curve, at, direction), Err(Error::Undefined(_))), "{text} {at}");
                let asked = curve.beta(&real(at), direction, 100, &Budget::default());
                assert!(matches!(asked, Err(Error::Undefined(_))), "{text} {at}: {asked:?}");
            }
        }
    }
}

/// Irrational masses: told from levels next to them, and known to be equal.
#[test]
fn irrational_masses_are_compared() {
    let curve = edges("approx-dp(epsilon=1, delta=sqrt(2)/10) * laplace(scale=1)");
    for direction in BOTH {
        assert!(is(epsilon(&curve, "sqrt(2)/10 - 1e-40", direction), "infinite"));
        assert!(epsilon(&curve, "sqrt(2)/10 + 1e-40", direction).is_err_and(|error| error.is_alarm()));
        assert_eq!(beta(&curve, "1 - sqrt(2)/10 + 1e-40", direction), Some(Rational::new()));
        assert!(curve.beta(&real("1 - sqrt(2)/10 - 1e-40"), direction, 100, &Budget::default()).is_err());
        let delta = curve.delta(&real("2"), direction, 100, &Budget::default()).expect("a number").enclosure(100);
        assert!(delta.overlaps(&real("sqrt(2)/10").enclosure(200)) && delta.relative_bits() >= Some(96));
    }
}
