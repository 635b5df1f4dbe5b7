//! Series at the ends against integrals, closed forms and the grid, and with errors large enough to be seen.

use proptest::prelude::*;
use rug::{Float, Rational};

use super::*;
use crate::compose::by_sum::BySum;
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

fn end_points(text: &str) -> BySum<EndPoints> {
    BySum(EndPoints::of(&product(text), &Budget::default()).unwrap_or_else(|why| panic!("{text}: {why:?}")))
}

fn delta(curve: &dyn Curve, at: &Real, side: Direction, bits: u32) -> Enclosure {
    let number = curve.delta(at, side, bits, &Budget::default());
    number.unwrap_or_else(|why| panic!("{at} {side:?} {}: {why}", curve.method())).enclosure(200)
}

/// One sample has a formula, and two have an integral, each in other arithmetic: at many points, at knots and far out.
#[test]
fn engines_without_a_contour_agree() {
    for text in [
        "poisson(rate=1/3, laplace(scale=1))",
        "poisson(rate=1/1000, laplace(scale=2)) * randomized-response(epsilon=1/2)^3",
        "poisson(rate=9/10, laplace(scale=3)) * finite(p=[1/2,1/3,1/6], q=[1/7,39/70,3/10])",
        "poisson(rate=1/3, laplace(scale=1)) * laplace(scale=2)",
        "poisson(rate=1/3, laplace(scale=5)) * poisson(rate=2/3, laplace(scale=2))",
        "poisson(rate=99/100, laplace(scale=1)) * poisson(rate=1/5, laplace(scale=3))",
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let (truth, found) =
            (curve(&composition, Method::Auto, &Budget::default()).expect("an engine"), end_points(text));
        assert_ne!(truth.method(), found.method(), "{text}");
        for side in BOTH {
            for at in ["-3", "-1/3", "0", "1/100", "ln(4/3)", "1/2", "1", "2"] {
                let [a, b] = [truth.as_ref(), &found as &dyn Curve].map(|curve| delta(curve, &real(at), side, 80));
                assert!(a.overlaps(&b), "{text} {side:?} {at}: {a:?} {b:?}");
                assert!(b.relative_bits() >= Some(70) || *b.upper() <= 1e-30, "{text} {side:?} {at}: {b:?}");
            }
            // The inverse and the trade-off function take dozens of values: so not of all.
            if text.contains("finite") || text.contains("response") || text.contains("rate=99") {
                continue;
            }
            let level = real("1/500");
            let [a, b] = [truth.as_ref(), &found as &dyn Curve].map(|curve| {
                let beta = curve.beta(&real("1/5"), side, 60, &Budget::default()).expect("a number").enclosure(200);
                let Ok(Value::Finite(epsilon)) = curve.epsilon(&level, side, 60, &Budget::default()) else {
                    panic!("{text} {side:?}")
                };
                (beta, epsilon.enclosure(200))
            });
            assert!(a.0.overlaps(&b.0) && b.0.relative_bits() >= Some(24), "{text} {side:?}: {a:?} {b:?}");
            assert!(a.1.overlaps(&b.1), "{text} {side:?}: {a:?} {b:?}");
        }
    }
}

/// A line that is too short, with a period and a tilt that leave much to the aliases: what is wrong is told, and is not
/// far less.
#[test]
fn errors_are_told() {
    let noise = |text: &str, times: u64| Noise::of(&product(text).sampled[0].0, times).expect("a sample");
    let laplace = Noise::of(&Pair::Laplace { shift: real("1/3") }, 2).expect("noise");
    let mut noises = vec![noise("poisson(rate=1/3, laplace(scale=1))", 2)];
    for more in [None, Some(laplace)] {
        noises.extend(more);
        for backward in [false, true] {
            let high = noises.iter().fold(Enclosure::zero(600), |high, noise| {
                let count = Enclosure::integer(&noise.times.into(), 600);
                &high + &(&noise.ends(backward, 1, 600).high.loss * &count)
            });
            let good = Plan::new(&noises, backward, 1.0, 120, &Budget::default()).expect("a plan");
            let truth = Functions::new(&noises, backward, 1.0, &good, &Budget::default()).expect("functions");
            let value = |functions: &Functions, gap: &str| {
                let t = &high - &real(gap).enclosure(600);
                let outcome = [(t.clone(), Enclosure::one(600))];
                let rest = functions.contour.value(&outcome, 120, &Budget::default()).expect("a number");
                &rest + &functions.knots.value(&t)
            };
            for (tilt, aside, period, nodes) in
                [(4.0, 2.0, 1.25, 600_u64), (9.0, 3.0, 2.0, 600), (12.0, 4.0, 6.0, 3), (20.0, 4.0, 6.0, 12)]
            {
                for terms in [2, 5] {
                    let plan = Plan { terms, tilt, aside, period, nodes, bits: 300 };
                    let rough = Functions::new(&noises, backward, 1.0, &plan, &Budget::default()).expect("functions");
                    let mut largest = Float::new(64);
                    for gap in ["1", "4/5", "1/2", "1/10", "1/1000"] {
                        let (a, b) = (value(&truth, gap), value(&rough, gap));
                        let distance = Float::with_val(64, (&a - &b).abs().lower());
                        let case = format!("{plan:?} {gap} {backward}: {a:?} {b:?} {:?}", rough.contour.error);
                        assert!(distance <= rough.contour.error, "{case}");
                        assert!(b.widen(&rough.contour.error).overlaps(&a), "{case}");
                        largest = largest.max(&distance);
                    }
                    assert!(largest > 0 && rough.contour.error < Float::with_val(64, &largest << 40), "{plan:?}");
                }
            }
        }
    }
}

/// What is left after the last power is told.
#[test]
fn knots_tell_what_they_leave_out() {
    let noises = [Noise::of(&product("poisson(rate=1/3, laplace(scale=1/4))").sampled[0].0, 2).expect("a sample")];
    let kinds: Vec<_> = noises.iter().map(|noise| (noise.ends(false, 4, 300), noise.times)).collect();
    let top = &kinds[0].0.high.loss.shift(1);
    let many = Knots::new(&kinds, Enclosure::double(6.0, 64), 200, 300);
    for fraction in [0, 2, 5, 20] {
        let few = Knots::new(&kinds, Enclosure::double(6.0, 64), fraction, 300);
        for gap in ["6", "5", "2", "1/10"] {
            let t = top - &real(gap).enclosure(300);
            let (a, b) = (many.value(&t), few.value(&t));
            assert!(a.overlaps(&b), "{fraction} {gap}: {a:?} {b:?}");
        }
        assert!(few.value(&(top - &Enclosure::double(7.0, 64))).relative_bits().is_none_or(|bits| bits <= 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Anything that is asked of anything, against the grid.
    #[test]
    fn the_grid_agrees(
        (rate, scale, times) in (1u32..999, 2u32..60, 1u64..4),
        (other, second) in (1u32..99, 2u32..40),
        beside in 0usize..5,
        at in -20i32..40,
        backward in any::<bool>(),
    ) {
        let beside = [
            String::new(),
            format!(" * laplace(scale={second}/10)^2"),
            format!(" * poisson(rate={other}/100, laplace(scale={second}/10))"),
            " * geometric(epsilon=1/2)^3 * discrete-gaussian(sigma2=7)".to_string(),
            format!(" * poisson(rate={other}/100, discrete-gaussian(sigma2=9)) * laplace(scale={second}/7)"),
        ][beside].clone();
        let text = format!("poisson(rate={rate}/1000, laplace(scale={scale}/10))^{times}{beside}");
        let side = if backward { Direction::Backward } else { Direction::Forward };
        let at = Real::from(Rational::from((at, 20)));
        let Ok(found) = EndPoints::of(&product(&text), &Budget::default()) else { return Ok(()) };
        let Ok(found) = BySum(found).delta(&at, side, 60, &Budget::default()) else { return Ok(()) };
        let found = found.enclosure(200);
        let grid = Grid::of(&product(&text)).expect("a grid").content_with(Some(1 << 12));
        let truth = delta(&grid, &at, side, 40);
        prop_assert!(truth.overlaps(&found), "{} {}: {:?} {:?}", text, at, truth, found);
        prop_assert!(found.relative_bits() >= Some(50) || *found.upper() < 1e-20, "{} {}: {:?}", text, at, found);
    }
}
