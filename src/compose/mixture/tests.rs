//! The engine against digits from direct integration, against fractions, against the grid, and against itself in other
//! words.

use proptest::prelude::*;
use rug::{Float, Rational};

use crate::compose::{Method, curve};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::{Budget, Enclosure, Number, Real};

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];
/// Both sides have outcomes that the other never has: 1/6 and 3/10.
const LOPSIDED: &str = "finite(p=[1/2, 1/3, 1/6, 0], q=[1/7, 39/70, 0, 3/10]) * laplace(scale=3)";
const SAMPLED: &str = "randomized-response(epsilon=1)^2 * poisson(rate=1/10, laplace(scale=1))";

fn engine(text: &str, method: Method) -> Result<Box<dyn Curve>, Error> {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    curve(&composition, method, &Budget::default())
}

fn mixture(text: &str) -> Box<dyn Curve> {
    let engine = engine(text, Method::ClosedForm).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(engine.method(), "finitely many losses beside a closed form", "{text}");
    engine
}

fn real(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn delta(engine: &dyn Curve, epsilon: &str, direction: Direction) -> Number {
    engine
        .delta(&real(epsilon), direction, 160, &Budget::default())
        .unwrap_or_else(|error| panic!("{epsilon}: {error}"))
}

fn epsilon(engine: &dyn Curve, delta: &str, direction: Direction) -> Value {
    engine.epsilon(&real(delta), direction, 160, &Budget::default()).unwrap_or_else(|error| panic!("{delta}: {error}"))
}

fn beta(engine: &dyn Curve, alpha: &str, direction: Direction) -> Number {
    engine.beta(&real(alpha), direction, 160, &Budget::default()).unwrap_or_else(|error| panic!("{alpha}: {error}"))
}

fn rational(text: &str) -> Rational {
    real(text).as_rational().cloned().expect("a fraction")
}

/// Forty decimal places that were rounded: the truth is within one unit of the last.
fn near(digits: &str) -> Enclosure {
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    let unit = Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, places as u32))));
    let value = rational(digits);
    let end = |x: Rational| Enclosure::rational(&x, 300);
    end(Rational::from(&value - &unit)).hull(&end(value + unit))
}

fn golden(found: &Number, digits: &str) {
    let set = found.enclosure(200);
    assert!(set.overlaps(&near(digits)) && set.relative_bits() > Some(120), "{digits}: {set:?}");
}

/// From the definition, by numerical integration of `(dP - x dQ)_+` over the noise for each outcome of the other part.
#[test]
fn digits_of_direct_integration() {
    use Direction::{Backward, Forward};
    let plain = mixture("randomized-response(epsilon=1) * laplace(scale=1)");
    let lopsided = mixture(LOPSIDED);
    let sampled = mixture(SAMPLED);
    for (engine, at, direction, digits) in [
        (&plain, "1", Forward, "0.2876491366449679249217103429301319930981"),
        (&plain, "-1/3", Backward, "0.5796410526223727782111098457745780605606"),
        (&plain, "0", Forward, "0.4621171572600097585023184836436725487303"),
        (&lopsided, "1/2", Forward, "0.4311350565666483599740022684075004421447"),
        (&lopsided, "1/2", Backward, "0.3887461179927248106959313977543375246023"),
        (&sampled, "1/2", Forward, "0.4151954798121907974504305703801164336440"),
    ] {
        golden(&delta(engine.as_ref(), at, direction), digits);
    }
    for (engine, level, direction, digits) in [
        (&plain, "1/1000", Forward, "1.9972623683154516270156837370797576409200"),
        (&lopsided, "2/5", Backward, "0.4513605394218907023288229082222364720449"),
        (&sampled, "1/1000", Backward, "2.0616312560553894247240085945727593734217"),
    ] {
        let found = epsilon(engine.as_ref(), level, direction);
        golden(found.finite().expect("finite"), digits);
    }
    for (engine, alpha, direction, digits) in [
        (&plain, "1/10", Forward, "0.4497651416912782912773808196588004756663"),
        // A kink, at threshold 0: 1 - alpha less the total variation e/(1+e) (1 - 1/e).
        (&plain, "1/3", Backward, "0.2045495094066569081643481830229941179364"),
        // A kink again.
        (&lopsided, "1/3", Backward, "0.1742891823263715636891025276806168846042"),
    ] {
        golden(&beta(engine.as_ref(), alpha, direction), digits);
    }
}

/// A gap between losses: half of P is told at the cost of a seventh of Q, no loss is near, and every threshold in the
/// gap is best. More bits sharpen what a flat top leaves open.
#[test]
fn flat_tops() {
    let lopsided = mixture(LOPSIDED);
    for bits in [60, 160, 400] {
        let found = lopsided.beta(&real("1/3"), Direction::Forward, bits, &Budget::default());
        let found = found.expect("a number").enclosure(bits);
        assert!(found.contains(&rational("1/7")), "{bits}: {found:?}");
        assert!(found.relative_bits() > Some(i64::from(bits) / 4), "{bits}: {found:?}");
    }
}

/// `4/5 (1 - 1/6) + 1/5 (1 - 2/3)`, all of it rational.
#[test]
fn rational_data_give_fractions() {
    let engine = mixture("randomized-response(epsilon=ln(4)) * laplace(scale=1, sensitivity=ln(9))");
    for direction in BOTH {
        assert_eq!(delta(engine.as_ref(), "0", direction).exact(), Some(&rational("11/15")));
    }
    // Beside a failure: d + (1-d) delta.
    let failing = mixture("approx-dp(epsilon=ln(4), delta=1/10) * laplace(scale=1, sensitivity=ln(9))");
    assert_eq!(delta(failing.as_ref(), "0", Direction::Forward).exact(), Some(&rational("1/10 + 9/10*11/15")));
    let failing = mixture(
        "approx-dp(epsilon=0, delta=1/10) * randomized-response(epsilon=ln(4)) * laplace(scale=1, sensitivity=ln(9))",
    );
    assert_eq!(delta(failing.as_ref(), "0", Direction::Backward).exact(), Some(&rational("1/10 + 9/10*11/15")));
}

/// Beyond the largest loss only what is told outright is left, and it is found exactly.
#[test]
fn ends_are_exact() {
    let plain = mixture("randomized-response(epsilon=1/2)^3 * laplace(scale=2)^4");
    for at in ["7/2", "4", "100"] {
        assert_eq!(delta(plain.as_ref(), at, Direction::Forward).exact(), Some(&Rational::new()), "{at}");
    }
    assert!(delta(plain.as_ref(), "7/2 - 1e-30", Direction::Forward).sign() == Some(std::cmp::Ordering::Greater));
    let largest = epsilon(plain.as_ref(), "0", Direction::Forward);
    assert!(largest.finite().expect("bounded").enclosure(100).contains(&rational("7/2")));
    // Below the least loss nothing is gained: 1 - e^eps.
    let whole = delta(plain.as_ref(), "-7/2", Direction::Forward).enclosure(200);
    assert!(whole.overlaps(&-real("-7/2").enclosure(200).expm1()));
    for alpha in ["0", "1"] {
        let found = beta(plain.as_ref(), alpha, Direction::Forward);
        assert_eq!(found.exact(), Some(&(1 - rational(alpha))), "{alpha}");
    }

    let lopsided = mixture(LOPSIDED);
    for (direction, told, rest, largest) in
        [(Direction::Forward, "1/6", "3/10", "ln(7/2) + 1/3"), (Direction::Backward, "3/10", "1/6", "ln(117/70) + 1/3")]
    {
        assert_eq!(delta(lopsided.as_ref(), "9", direction).exact(), Some(&rational(told)));
        assert!(matches!(epsilon(lopsided.as_ref(), &format!("{told} - 1e-40"), direction), Value::Infinite));
        let found = epsilon(lopsided.as_ref(), told, direction);
        assert!(found.finite().expect("finite").enclosure(200).overlaps(&real(largest).enclosure(200)), "{largest}");
        let above = epsilon(lopsided.as_ref(), &format!("{told} + 1e-30"), direction);
        let above = above.finite().expect("finite").enclosure(200);
        assert!(above.upper() < real(largest).enclosure(200).lower() && *above.lower() > 0.5);
        assert_eq!(
            epsilon(lopsided.as_ref(), "99/100", direction).finite().and_then(Number::exact),
            Some(&Rational::new())
        );
        // Q has nothing where P has this much.
        assert_eq!(beta(lopsided.as_ref(), &format!("1 - {told}"), direction).exact(), Some(&Rational::new()));
        assert_eq!(beta(lopsided.as_ref(), "0", direction).exact(), Some(&(1 - rational(rest))));
        let less = beta(lopsided.as_ref(), &format!("1 - {told} - 1e-30"), direction).enclosure(200);
        assert!(*less.lower() > 0 && *less.upper() < 1e-29, "{less:?}");
    }
}

/// The pieces at the ends: rational where the likelihood ratios are, and right at any scale.
#[test]
fn end_pieces() {
    let engine = mixture("randomized-response(epsilon=ln(4)) * laplace(scale=1, sensitivity=ln(9))");
    // The largest loss ln 36 has P-mass 4/5 1/2 and Q-mass 1/90, the least the reverse.
    for (alpha, expected) in [("1/1000", "1 - 36/1000"), ("1/90", "3/5"), ("3/5", "1/90"), ("1 - 1e-400", "1e-400/36")]
    {
        for direction in BOTH {
            assert_eq!(beta(engine.as_ref(), alpha, direction).exact(), Some(&rational(expected)), "{alpha}");
        }
    }
    // Where they begin, formulas and search meet.
    let sampled =
        mixture("finite(p=[1/2, 1/3, 1/6, 0], q=[1/7, 39/70, 0, 3/10]) * poisson(rate=1/3, laplace(scale=2))");
    for engine in [sampled, mixture(LOPSIDED)] {
        for direction in BOTH {
            for alpha in ["0.01", "0.7"] {
                let mut last: Option<Enclosure> = None;
                // Convex and falling: steps get smaller.
                for i in 0..24 {
                    let found = beta(engine.as_ref(), &format!("{alpha} + {i}/200"), direction).enclosure(160);
                    if let Some(last) = &last {
                        assert!(found.upper() < last.lower() || *found.upper() <= 0);
                    }
                    last = Some(found);
                }
            }
        }
    }
}

/// The same mechanisms in other words, with other lists.
#[test]
fn the_same_in_other_words() {
    let words = [
        "randomized-response(epsilon=ln(3/2))^3 * laplace(scale=2)^2",
        "geometric(epsilon=ln(3/2))^3 * laplace(scale=2) * laplace(scale=4, sensitivity=2)",
        "finite(p=[3/5, 2/5], q=[2/5, 3/5])^2 * randomized-response(epsilon=ln(3/2)) * laplace(scale=2)^2",
        "finite(p=[3/5, 1/5, 1/5], q=[2/5, 3/10, 3/10])^3 * laplace(scale=2)^2",
    ];
    let engines = words.map(mixture);
    let same = |values: Vec<Number>, what: &str| {
        for pair in values.windows(2) {
            assert!(pair[0].enclosure(200).overlaps(&pair[1].enclosure(200)), "{what}: {pair:?}");
        }
    };
    for direction in BOTH {
        for at in ["-1", "0", "ln(3/2)", "1", "ln(27/8) + 1/2", "2"] {
            same(engines.iter().map(|engine| delta(engine.as_ref(), at, direction)).collect(), at);
        }
        for level in ["1/3", "1/20", "1/100000"] {
            same(engines.iter().map(|engine| beta(engine.as_ref(), level, direction)).collect(), level);
            let found = engines.iter().map(|engine| epsilon(engine.as_ref(), level, direction));
            same(found.map(|value| value.finite().cloned().expect("finite")).collect(), level);
        }
    }
}

/// What rounded losses can tell, where there is no other engine.
#[test]
fn the_grid_overlaps() {
    let budget = Budget::default();
    for text in [
        "randomized-response(epsilon=1) * laplace(scale=1)",
        "randomized-response(epsilon=sqrt(2)/3)^5 * staircase(epsilon=1/2, gamma=1/3, sensitivity=2)^3 * \
         laplace(scale=3)^2",
        "approx-dp(epsilon=1/2, delta=1/50)^2 * geometric(epsilon=1/4, sensitivity=3)^2 * laplace(scale=2)",
        "poisson(rate=1/5, randomized-response(epsilon=2))^4 * laplace(scale=2)",
        "randomized-response(epsilon=1/3)^4 * laplace(scale=2)^2 * laplace(scale=7)",
        "poisson(rate=1/3, geometric(epsilon=1, sensitivity=2))^2 * approx-dp(epsilon=0, delta=1/20) * \
         laplace(scale=5)",
        LOPSIDED,
        SAMPLED,
    ] {
        let (engine, grid) = (mixture(text), engine(text, Method::Grid).unwrap());
        for direction in BOTH {
            for at in ["-1/2", "0", "1/3", "1"] {
                let rounded = grid.delta(&real(at), direction, 10, &budget).unwrap().enclosure(64);
                let found = delta(engine.as_ref(), at, direction).enclosure(64);
                assert!(
                    found.overlaps(&rounded) && rounded.relative_bits() > Some(3),
                    "{text} {at}: {found:?} {rounded:?}"
                );
            }
            for level in ["1/2", "1/5", "1/10"] {
                let rounded = grid.beta(&real(level), direction, 10, &budget).unwrap().enclosure(64);
                let found = beta(engine.as_ref(), level, direction).enclosure(64);
                assert!(found.overlaps(&rounded), "{text} {level}: {found:?} {rounded:?}");
                match (epsilon(engine.as_ref(), level, direction), grid.epsilon(&real(level), direction, 10, &budget)) {
                    (Value::Finite(found), Ok(Value::Finite(rounded))) => {
                        let (found, rounded) = (found.enclosure(64), rounded.enclosure(64));
                        assert!(found.overlaps(&rounded), "{text} {level}: {found:?} {rounded:?}");
                    }
                    (Value::Infinite, Ok(Value::Infinite)) => {}
                    (found, rounded) => panic!("{text} {level}: {found:?} {rounded:?}"),
                }
            }
        }
    }
}

#[test]
fn losses_are_counted() {
    let count = |text: &str| {
        let notes = mixture(text).explain();
        notes.into_iter().find(|note| note.label.contains("losses")).expect("a note").value
    };
    assert_eq!(count("randomized-response(epsilon=1)^1000 * laplace(scale=1)"), "1001");
    // Losses 50, 48, ... and 10, 9, ...: on one lattice.
    assert_eq!(
        count("randomized-response(epsilon=1)^50 * geometric(epsilon=1/2, sensitivity=2)^10 * laplace(scale=3)"),
        "121"
    );
    assert_eq!(
        count("randomized-response(epsilon=1)^50 * randomized-response(epsilon=sqrt(2))^9 * laplace(scale=3)"),
        "510"
    );
    assert_eq!(count("finite(p=[1/2, 1/3, 1/6], q=[1/7, 1/5, 23/35])^20 * laplace(scale=1)"), "231");
    assert_eq!(count("randomized-response(epsilon=1)^9 * laplace(scale=1)^2 * laplace(scale=3)"), "10");
    for (text, reason) in [
        (
            "randomized-response(epsilon=1)^70000 * laplace(scale=1)",
            "70001 different privacy losses, but the limit is 65536",
        ),
        (
            "randomized-response(epsilon=1)^300 * randomized-response(epsilon=sqrt(2))^300 * laplace(scale=1)",
            "90601 different privacy losses, but the limit is 65536",
        ),
        ("geometric(epsilon=1, sensitivity=2)^20000 * laplace(scale=1)", "products of masses"),
        ("randomized-response(epsilon=1)^50 * laplace(scale=1)^1500", "products in the sums of Laplace noise"),
        (
            "randomized-response(epsilon=1) * laplace(scale=1) * poisson(rate=1/2, laplace(scale=2))",
            "method closed-form requires",
        ),
        ("randomized-response(epsilon=1) * gaussian(sigma=1)", "method closed-form requires"),
    ] {
        let refused = engine(text, Method::ClosedForm).map(|_| ()).expect_err(text).to_string();
        assert!(refused.contains(reason), "{text}: {refused}");
    }
}

/// Multisets and squares give the same masses; a list of many losses sums up to one.
#[test]
fn long_lists_have_all_mass() {
    for text in [
        "geometric(epsilon=1/9, sensitivity=3)^40 * laplace(scale=1/1000)",
        "finite(p=[1/2, 1/4, 1/8, 1/8], q=[1/7, 1/5, 1/9, 172/315])^30 * laplace(scale=1/1000)",
        "randomized-response(epsilon=1/30)^2000 * laplace(scale=1/1000)",
    ] {
        // Noise that hides nothing: delta at an epsilon between both is P's whole mass.
        let engine = mixture(text);
        for direction in BOTH {
            let found = delta(engine.as_ref(), "0", direction).enclosure(160);
            assert!(found.contains(&Rational::from(1)) || *found.upper() < 1, "{found:?}");
            assert!(*found.lower() > 0.999_999 && *found.upper() < 1.000_000_1, "{text}: {found:?}");
        }
    }
}

fn composition() -> impl Strategy<Value = String> {
    let finite = prop_oneof![
        (1..=20u32, 1..=4u32).prop_map(|(e, n)| format!("randomized-response(epsilon={e}/10)^{n}")),
        (1..=9u32, 1..=9u32).prop_map(|(e, d)| format!("approx-dp(epsilon=ln({e}/3 + 1), delta={d}/50)^2")),
        (1..=9u32, 2..=3u32).prop_map(|(e, s)| format!("geometric(epsilon={e}/7, sensitivity={s})")),
        (1..=9u32, 1..=5u32).prop_map(|(a, b)| format!(
            "finite(p=[{a}/20, 1/4, {}/20], q=[{b}/10, {}/10, 0])^2",
            15 - a,
            10 - b
        )),
        (1..=9u32).prop_map(|r| format!("poisson(rate={r}/10, randomized-response(epsilon=1))^2")),
    ];
    let beside = prop_oneof![
        (1..=9u32, 1..=4u32).prop_map(|(s, n)| format!("laplace(scale={s}/3)^{n}")),
        (1..=9u32, 1..=9u32).prop_map(|(r, s)| format!("poisson(rate={r}/10, laplace(scale={s}/3))")),
    ];
    (finite, beside).prop_map(|(finite, beside)| format!("{finite} * {beside}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// `1 - alpha - x beta(alpha) <= H_x` for all alpha and x, with equality somewhere: a bound on each from the other.
    #[test]
    fn the_two_faces_fit(text in composition(), at in -20..=20i32, alpha in 1..=19u32) {
        let engine = mixture(&text);
        for direction in BOTH {
            let (at, alpha) = (format!("{at}/8"), format!("{alpha}/20"));
            let profile = delta(engine.as_ref(), &at, direction).enclosure(160);
            let error = beta(engine.as_ref(), &alpha, direction).enclosure(160);
            let x = real(&at).enclosure(160).exp();
            let rest = Enclosure::rational(&(1 - rational(&alpha)), 160);
            let shown = &rest - &(&x * &error);
            prop_assert!(shown.lower() <= profile.upper(), "{text} {at} {alpha}: {shown:?} {profile:?}");
            // Convex, across the pieces at the ends.
            let near = |alpha: &str, shift: i32| {
                beta(engine.as_ref(), &format!("({alpha}) + {shift}/400"), direction).enclosure(160)
            };
            let middle = &near(&alpha, -1) + &near(&alpha, 1);
            prop_assert!(error.shift(1).lower() <= middle.upper(), "{text} {alpha}: {error:?} {middle:?}");
            // The trade-off function goes back and forth: T(Q,P) is the inverse of T(P,Q).
            let other = if direction == Direction::Forward { Direction::Backward } else { Direction::Forward };
            let back = |end: &Float| {
                let point = Real::from(end.to_rational().expect("finite"));
                engine.beta(&point, other, 100, &Budget::default()).expect("a number").enclosure(160)
            };
            if *error.lower() > 0 {
                let both = back(error.lower()).hull(&back(error.upper()));
                prop_assert!(both.contains(&rational(&alpha)), "{text} {alpha} {direction:?}: {both:?}");
            }
        }
    }

    #[test]
    fn epsilon_inverts_delta(text in composition(), level in 1..=30u32) {
        let engine = mixture(&text);
        let level = Rational::from((1, rug::Integer::from(1) << level));
        for direction in BOTH {
            let found = engine.epsilon(&Real::from(level.clone()), direction, 160, &Budget::default()).unwrap();
            let Value::Finite(found) = found else { continue };
            let found = found.enclosure(160);
            let at = |end: &Float| {
                let point = Real::from(end.to_rational().expect("finite"));
                engine.delta(&point, direction, 160, &Budget::default()).expect("a number").enclosure(160)
            };
            let (before, after) = (at(found.lower()), at(found.upper()));
            prop_assert!(*after.lower() <= level, "{text} {level}: {found:?} {after:?}");
            prop_assert!(*before.upper() >= level || found.lower().is_zero(), "{text} {level}: {found:?} {before:?}");
        }
    }
}

/// Close to a kink on one side a guess may look much better than it is: all of these are found.
#[test]
fn maxima_near_kinks_are_found() {
    for text in [
        "randomized-response(epsilon=1)^6 * laplace(scale=3)",
        "geometric(epsilon=1/2, sensitivity=2)^2 * laplace(scale=3)",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^5 * laplace(scale=3)^2",
    ] {
        let curve = mixture(text);
        for i in 1..24u32 {
            let alpha = Real::from(Rational::from((i, 24)));
            let beta = curve.beta(&alpha, Direction::Forward, 120, &Budget::default()).expect("a number");
            let beta = beta.enclosure(160);
            assert!(beta.relative_bits() >= Some(90), "{text} beta({i}/24): {beta:?}");
        }
    }
}
