//! Against contours, grids, and sums that are spoiled.

use proptest::prelude::*;
use rug::{Integer, Rational};

use super::*;
use crate::compose::{Grid, Method, curve};
use crate::mechanism::Composition;

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

fn product(text: &str) -> Product {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Product::new(composition.pairs().expect("pairs"))
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn engine(text: &str) -> TwoSamples {
    TwoSamples::of(&product(text)).unwrap_or_else(|why| panic!("{text}: {why:?}"))
}

fn delta(curve: &dyn Curve, at: &Real, side: Direction, bits: u32) -> Enclosure {
    curve.delta(at, side, bits, &Budget::default()).expect("a number").enclosure(200)
}

/// Do they meet?
fn meet(a: &Enclosure, b: &Enclosure) -> bool {
    a.lower() <= b.upper() && b.lower() <= a.upper()
}

/// Where contours are short they say the same, of all quantities.
#[test]
fn contours_agree() {
    for text in [
        "poisson(rate=1/3, gaussian(sigma=1))^2",
        "poisson(rate=9/10, gaussian(sigma=2))^2",
        "poisson(rate=1/2, gaussian(sigma=1)) * poisson(rate=1/5, gaussian(sigma=4/3))",
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, Method::Quadrature, &Budget::default()).expect("an engine");
        let found = engine(text);
        for side in BOTH {
            for at in ["-1/2", "0", "1/5", "1", "4"] {
                let [a, b] = [truth.as_ref(), &found as &dyn Curve].map(|curve| delta(curve, &real(at), side, 90));
                assert!(meet(&a, &b), "{text} {side:?} {at}: {a:?} {b:?}");
                assert!(b.relative_bits() >= Some(60) || b.upper().is_zero(), "{text} {side:?} {at}: {b:?}");
            }
            for level in ["1/100", "1/4", "9/10"] {
                let level = real(level);
                let [a, b] = [truth.as_ref(), &found as &dyn Curve].map(|curve| {
                    let beta = curve.beta(&level, side, 80, &Budget::default()).expect("a number").enclosure(200);
                    let Ok(Value::Finite(epsilon)) = curve.epsilon(&level, side, 80, &Budget::default()) else {
                        panic!("{text} {side:?} {level}")
                    };
                    [beta, epsilon.enclosure(200)]
                });
                assert!(meet(&a[0], &b[0]) && meet(&a[1], &b[1]), "{text} {side:?} {level}: {a:?} {b:?}");
                assert!(b[0].relative_bits() >= Some(50), "{text} {side:?} {level}: {b:?}");
                assert!(b[1].relative_bits() >= Some(50) || b[1].upper().is_zero(), "{text} {side:?} {level}: {b:?}");
            }
        }
    }
}

/// Whichever sample comes first, and at any precision.
#[test]
fn coordinates_may_be_exchanged() {
    let [a, b] = ["poisson(rate=1/10, gaussian(sigma=1/2))", "poisson(rate=3/4, gaussian(sigma=1/6))"];
    let pairs = |text: &str| product(text).sampled[0].clone();
    let of = |pairs: [(Pair, u64); 2]| Product { sampled: pairs.to_vec(), ..Product::default() };
    let found =
        [of([pairs(a), pairs(b)]), of([pairs(b), pairs(a)])].map(|product| TwoSamples::of(&product).expect("two"));
    for side in BOTH {
        for at in ["-1/4", "1/10", "3", "40"] {
            let values: Vec<Enclosure> = [40, 100, 200]
                .iter()
                .flat_map(|bits| found.each_ref().map(|found| delta(found, &real(at), side, *bits)))
                .collect();
            for x in &values {
                assert!(values.iter().all(|y| meet(x, y)), "{side:?} {at}: {values:?}");
            }
        }
    }
}

/// Below all losses the profile is `1 - e^eps`, or backwards nothing is above them; next to that the values are known
/// all the same.
#[test]
fn no_loss_is_smaller_than_the_least() {
    let found = engine("poisson(rate=1/2, gaussian(sigma=1/3))^2");
    let least = real("-ln(4)");
    for (at, known) in [("-3/2", true), ("-1386/1000", false), ("-13863/10000", true)] {
        let forward = delta(&found, &real(at), Direction::Forward, 80);
        let base = -&real(at).enclosure(200).expm1();
        assert!(*forward.upper() >= *base.lower() && (!known || meet(&forward, &base)), "{at}: {forward:?}");
        let backward = delta(&found, &real(at).neg(), Direction::Backward, 80);
        assert!(if known { backward.upper().is_zero() } else { *backward.upper() < 1e-5 }, "{at}: {backward:?}");
    }
    let value = delta(&found, &least, Direction::Forward, 80);
    assert!(value.contains(&Rational::from((3, 4))), "{value:?}");
}

fn at<'a>(engine: &TwoSamples, epsilon: &str, backward: bool, bits: u32, budget: &'a Budget) -> Boundary<'a> {
    engine.boundary(&real(epsilon), backward, bits, budget)
}

/// The sum from a corner that is next to the curve or far below it.
fn from_corner(engine: &TwoSamples, epsilon: &str, backward: bool, below: f64) -> [Enclosure; 2] {
    let budget = Budget::default();
    let (fine, coarse) = (at(engine, epsilon, backward, 120, &budget), at(engine, epsilon, backward, COARSE, &budget));
    let x = Enclosure::double(TwoSamples::corner(&coarse).expect("a corner"), 120);
    let y = Float::with_val(120, fine.beside(0, &x).lower() - below);
    let corner = [x, Enclosure::new(y.clone(), y)];
    let size = TwoSamples::size(&coarse, &corner.each_ref().map(|set| set.with_bits(COARSE)), COARSE).expect("sizes");
    let needs = Aim { bits: 60, of: Of::Sum }.needs(size);
    engine.around([&fine, &coarse], &corner, &needs).expect("a sum")
}

/// A corner below the curve leaves out a rectangle, or has it too much: less than what is said, but not nothing.
#[test]
fn corners_may_be_off() {
    for text in ["poisson(rate=1/3, gaussian(sigma=1/2))^2", "poisson(rate=1/2, gaussian(sigma=2))^2"] {
        let engine = engine(text);
        for backward in [false, true] {
            let truth = from_corner(&engine, "1/10", backward, 0.0);
            let off = from_corner(&engine, "1/10", backward, 1.0 / 64.0);
            for (truth, off) in truth.iter().zip(&off) {
                assert!(truth.relative_bits() > Some(55) && meet(truth, off), "{text} {backward}: {truth:?} {off:?}");
                let middle = Float::with_val(120, off.lower() + off.upper()) / 2u32;
                assert!(!meet(truth, &Enclosure::new(middle.clone(), middle)), "{text} {backward}");
            }
        }
    }
}

/// The integral of what a strip has, by panels of many nodes.
fn integral(boundary: &Boundary, side: usize, from: f64, to: f64) -> [Enclosure; 2] {
    let rule = Rule::new(40, 120).expect("a rule");
    let pieces = ((to - from) * 8.0).ceil() as u32;
    let step = (to - from) / f64::from(pieces);
    let mut sum = [Enclosure::zero(120), Enclosure::zero(120)];
    for piece in 0..pieces {
        let middle = Enclosure::double(from + (f64::from(piece) + 0.5) * step, 120);
        let half = Enclosure::double(step / 2.0, 120);
        for (point, weight) in &rule.points {
            let x = &middle + &(&half * &Enclosure::new(point.clone(), point.clone()));
            let strip = boundary.strip(side, &x, 120).expect("a strip");
            sum = [0, 1].map(|i: usize| &sum[i] + &(&(weight * &half) * &strip[i]));
        }
    }
    sum
}

/// Rules of few nodes are off by less than is said, for both sums, on panels of any length.
#[test]
fn panels_are_off_by_less_than_is_said() {
    let budget = Budget::default();
    let mut close = 0;
    for (text, epsilon) in [
        ("poisson(rate=1/3, gaussian(sigma=1/2))^2", "1/2"),
        ("poisson(rate=1/2, gaussian(sigma=1/5))^2", "1/10"),
        ("poisson(rate=1/10, gaussian(sigma=2)) * poisson(rate=1/2, gaussian(sigma=1/3))", "1/10"),
    ] {
        let engine = engine(text);
        for backward in [false, true] {
            let (fine, coarse) =
                (at(&engine, epsilon, backward, 120, &budget), at(&engine, epsilon, backward, COARSE, &budget));
            let corner = TwoSamples::corner(&coarse).expect("a corner");
            for (count, share) in [(2, 0.5), (4, 0.25), (4, 0.5), (8, 0.25), (8, 0.7)] {
                let rule = Rule::new(count, 120).expect("a rule");
                for (away, length) in [(0.0, 0.25), (0.0, 0.5), (0.5, 0.5), (1.0, 1.0), (0.5, 2.0), (2.0, 4.0)] {
                    let (low, high) = (corner - away - length, corner - away);
                    let [low, high] = [low, high].map(|x| Float::with_val(COARSE, x));
                    let panel = Panel { boundary: &coarse, side: 0, low, high, height: length * share };
                    let Some(error) = panel.error(&rule) else { continue };
                    let (half, middle) = panel.half(120);
                    let truth = integral(&fine, 0, corner - away - length, corner - away);
                    let mut sum = [Enclosure::zero(120), Enclosure::zero(120)];
                    for (point, weight) in &rule.points {
                        let x = &middle + &(&half * &Enclosure::new(point.clone(), point.clone()));
                        let strip = fine.strip(0, &x, 120).expect("a strip");
                        sum = [0, 1].map(|i: usize| &sum[i] + &(&(weight * &half) * &strip[i]));
                    }
                    for (sum, truth) in sum.iter().zip(&truth) {
                        let off = (sum - truth).abs();
                        assert!(off.lower() <= error.upper(), "{text} {backward} {count} {away} {length}");
                        close += u32::from(*off.lower() > Float::with_val(64, error.upper() >> 12));
                    }
                }
            }
        }
    }
    assert!(close > 20, "{close}");
}

/// What is left out far away is no more than is said, and not nothing.
#[test]
fn strips_far_away_are_less_than_is_said() {
    let budget = Budget::default();
    for text in ["poisson(rate=1/3, gaussian(sigma=1/2))^2", "poisson(rate=1/2, gaussian(sigma=2))^2"] {
        let engine = engine(text);
        for backward in [false, true] {
            let (fine, coarse) =
                (at(&engine, "1/10", backward, 120, &budget), at(&engine, "1/10", backward, COARSE, &budget));
            let corner = TwoSamples::corner(&coarse).expect("a corner");
            for away in [0.0, 1.0, 3.0] {
                let end = corner - away;
                let bound = coarse.rest(0, &Enclosure::double(end, COARSE)).expect("a bound");
                for part in integral(&fine, 0, end - 12.0, end) {
                    assert!(part.lower() <= bound.upper(), "{text} {backward} {away}");
                    let least = Float::with_val(64, bound.upper() >> 8);
                    assert!(away > 0.0 || *part.lower() > least, "{text} {backward} {away}: {part:?} {bound:?}");
                }
            }
        }
    }
}

/// With little noise the losses are in lumps far apart: type I errors on a plateau, next to one and at its edge have
/// the type II errors that lines through the profile find, and those that lumps without width have.
#[test]
fn plateaus_of_the_trade_off_function_are_known() {
    let budget = Budget::default();
    let found = engine("poisson(rate=2/5, gaussian(sigma=1/20))^2");
    let beta =
        |alpha: &str, side: Direction| found.beta(&real(alpha), side, 90, &budget).expect("a number").enclosure(200);
    // The first lump has the mass 9/25 of the samples and all of the noise, the next one 12/25.
    for alpha in ["1/10", "9/25", "36000001/10^8", "1/2", "21/25"] {
        let forward = beta(alpha, Direction::Forward);
        assert!(forward.relative_bits() >= Some(50), "{alpha}: {forward:?}");
        if !["1/2", "36000001/10^8"].contains(&alpha) {
            continue;
        }
        let lines = found.by_profile(false, &budget, |profile| profile.beta(&real(alpha), 90, &budget));
        if let Some(lines) = declined(lines).expect("no alarm") {
            assert!(meet(&forward, &lines), "{alpha}: {forward:?} {lines:?}");
        }
    }
    let lump = |value: &Enclosure, text: &str| {
        let gap = (value - &real(text).enclosure(200)).abs();
        assert!(*gap.upper() < 1e-15, "{text}: {value:?}");
    };
    lump(&beta("1/10", Direction::Forward), "13/18");
    for (alpha, text) in [("1/10^6", "9/25*999999/10^6"), ("1/2", "9/50"), ("9/10", "9/250")] {
        let backward = beta(alpha, Direction::Backward);
        assert!(backward.relative_bits() >= Some(50), "{alpha}: {backward:?}");
        lump(&backward, text);
        // What is on a plateau is not exact: the other lumps have a share in it.
        assert!(!backward.is_point());
    }
}

/// Next to the least loss the profile falls by many bits, and is known all the same.
#[test]
fn next_to_the_least_loss_values_are_known() {
    let found = engine("poisson(rate=1/2, gaussian(sigma=1/40))^2");
    let mut last: Option<Enclosure> = None;
    for power in [20, 60, 100, 300] {
        let at = real("ln(4)").sub(&Real::from(Rational::from((1, Integer::from(1) << power))));
        let value = delta(&found, &at, Direction::Backward, 80);
        assert!(value.relative_bits() >= Some(60), "{power}: {value:?}");
        // At most `Q(S') (1 - (1-r)^2/E)`, which is less than `2^-power`, and most of that: nearly all of Q is below.
        let most = Enclosure::one(200).shift(-power);
        assert!(value.lower() < most.upper() && value.upper() > most.shift(-4).lower(), "{power}: {value:?}");
        assert!(last.is_none_or(|last| value.upper() < last.lower()));
        last = Some(value);
    }
}

#[test]
fn others_are_refused() {
    for text in [
        "poisson(rate=1/3, gaussian(sigma=1))",
        "poisson(rate=1/3, gaussian(sigma=1))^3",
        "gaussian(sigma=1) * poisson(rate=1/3, gaussian(sigma=1))",
        "poisson(rate=1/3, gaussian(sigma=1)) * poisson(rate=1/3, laplace(scale=1))",
        "poisson(rate=1/3, gaussian(sigma=1))^2 * randomized-response(epsilon=1)",
        "poisson(rate=1/3, laplace(scale=1))^2",
    ] {
        assert!(matches!(TwoSamples::of(&product(text)), Err(Refusal::OtherKind)), "{text}");
    }
}

fn composition() -> impl Strategy<Value = String> {
    let sample = || (1..=19u32, 2..=20u32).prop_map(|(r, s)| format!("poisson(rate={r}/20, gaussian(sigma={s}/10))"));
    prop_oneof![
        sample().prop_map(|one| format!("{one}^2")),
        (sample(), sample()).prop_map(|(one, other)| format!("{one} * {other}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Against losses rounded to a grid.
    #[test]
    fn random_compositions_agree_with_the_grid(text in composition(), at in -16..=24i32) {
        let Ok(grid) = Grid::of(&product(&text)) else { panic!("{text} has a grid") };
        let (grid, found) = (grid.content_with(Some(1 << 12)), engine(&text));
        let at = Real::from(Rational::from((at, 8)));
        for side in BOTH {
            let [a, b] = [&grid as &dyn Curve, &found].map(|curve| delta(curve, &at, side, 64));
            prop_assert!(meet(&a, &b), "{} {:?} {}: {:?} {:?}", text, side, at, a, b);
            prop_assert!(b.relative_bits() >= Some(40) || *b.upper() <= 1e-40, "{} {:?}: {:?}", text, side, b);
        }
    }
}
