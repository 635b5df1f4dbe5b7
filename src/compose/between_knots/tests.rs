use rug::{Float, Rational};

use super::beside::Both;
use super::domain::Domain;
use super::runs::Runs;
use super::*;
use crate::compose::by_sum::BySum;
use crate::compose::integral::Integral;
use crate::compose::{Grid, Laplace, Method};
use crate::curve::{Curve, Direction};
use crate::mechanism::Composition;

fn real(numer: u32, denom: u32) -> Real {
    Real::from(Rational::from((numer, denom)))
}

fn product(text: &str) -> Product {
    let composition: Composition = text.parse().expect("a composition");
    Product::new(composition.pairs().expect("pairs"))
}

fn curve(text: &str) -> BySum<BetweenKnots> {
    BySum(BetweenKnots::of(&product(text), &Budget::default()).expect("an engine"))
}

fn width(x: &Enclosure) -> Float {
    Float::with_val(64, x.upper() - x.lower())
}

/// Without a rate it is the noise itself, whose profile `e^(t/2) phi(t)` has a formula.
#[test]
fn the_formula_of_noise_agrees() {
    for (numer, denom) in [(1u32, 250u32), (1, 3), (2, 1)] {
        let shift = real(numer, denom);
        for times in [1u32, 2, 5, 12] {
            let formula = Laplace::new(shift.clone(), times.into()).expect("a formula");
            let table = Table::new(&shift, None, times, 100, &Budget::default()).expect("a table");
            assert!(table.error < Float::with_val(64, 1u32) >> 80, "{numer}/{denom} {times}: {}", table.error);
            for part in [-999i64, -700, -333, -1, 0, 1, 250, 500, 600, 900, 999] {
                // Knots among them.
                let t = shift.mul_rational(&(Rational::from((part, 1000)) * Rational::from(times)));
                let truth = formula.delta(&t, Direction::Forward, 150, &Budget::default()).expect("a number");
                let at = t.enclosure(300);
                let truth = &truth.enclosure(300) * &(-&at.shift(-1)).exp();
                let value = table.value(&at);
                assert!(value.overlaps(&truth), "{numer}/{denom} {times} {part}: {value:?} {truth:?}");
                assert!(width(&value) < Float::with_val(64, 1u32) >> 75, "{numer}/{denom} {times} {part}");
            }
        }
    }
}

/// One run, by the curve of what is sampled; beside losses, by the engines that list them.
#[test]
fn one_run_is_the_sample() {
    for (text, places) in [
        ("poisson(rate=1/10, laplace(scale=1))", [1u32, 40, 90, 150]),
        ("poisson(rate=1/1000000, laplace(scale=1/2))", [1, 2, 3, 4]),
        ("poisson(rate=9/10, laplace(scale=5)) * finite(p=[3/10,7/10], q=[8/14,6/14])^3", [1, 100, 700, 1500]),
        ("poisson(rate=1/3, laplace(scale=2)) * poisson(rate=1/5, discrete-gaussian(sigma2=2))", [1, 100, 200, 250]),
    ] {
        let ours = curve(text);
        let other = crate::compose::curve(&text.parse().expect("a composition"), Method::Auto, &Budget::default());
        let other = other.expect("an engine");
        assert_ne!(other.method(), ours.method(), "{text}");
        for place in places {
            let epsilon = real(place, if text.contains("1000000") { 1_000_000 } else { 1000 });
            for direction in [Direction::Forward, Direction::Backward] {
                let [a, b] = [&ours as &dyn Curve, &*other].map(|curve| {
                    curve.delta(&epsilon, direction, 80, &Budget::default()).expect("a number").enclosure(200)
                });
                assert!(a.overlaps(&b), "{text} {place} {direction:?}: {a:?} {b:?}");
                assert!(width(&a) <= Float::with_val(64, a.upper() >> 60u32), "{text} {place} {direction:?}: {a:?}");
            }
        }
    }
}

/// A grid encloses several runs, too.
#[test]
fn several_runs_agree_with_a_grid() {
    for (text, places) in [
        ("poisson(rate=1/10, laplace(scale=1))^3", [1u32, 100, 300, 470]),
        ("poisson(rate=1/200, laplace(scale=11/5))^4", [1, 2, 5, 9]),
        ("poisson(rate=1/4, laplace(scale=3/2))^2 * randomized-response(epsilon=3/10)^2", [1, 200, 600, 900]),
    ] {
        let ours = curve(text);
        let other = Grid::of(&product(text)).expect("a grid").content_with(Some(1 << 18));
        for place in places {
            for direction in [Direction::Forward, Direction::Backward] {
                let [a, b] = [&ours as &dyn Curve, &other].map(|curve| {
                    let delta = curve.delta(&real(place, 1000), direction, 40, &Budget::default());
                    delta.expect("a number").enclosure(200)
                });
                assert!(a.overlaps(&b), "{text} {place} {direction:?}: {a:?} {b:?}");
                // Beyond all losses the profile is 0, which a grid does not prove.
                let sharp = a.upper().is_zero() || width(&b) <= Float::with_val(64, b.upper() >> 14u32);
                assert!(sharp, "{text} {place} {direction:?}: {a:?} {b:?}");
            }
        }
    }
}

/// With polynomials of too low a degree, or rules that are too short, what is left out is told, and it is not far more.
#[test]
fn what_is_left_out_is_told() {
    for (shift, rate, times) in
        [(real(1, 1), real(1, 10), 8), (real(1, 5), real(1, 2), 20), (real(2, 1), real(1, 50), 3)]
    {
        let good = Table::new(&shift, Some(&rate), times, 120, &Budget::default()).expect("a table");
        let rough = Domain::new(&shift, Some(&rate), FEW);
        let plans = [
            Plan { degree: 6, ..Plan::new(&rough, 80) },
            Plan { degree: 15, ..Plan::new(&rough, 80) },
            Plan { wanted: 20.0, ..Plan::new(&rough, 80) },
            Plan { fraction: 40, ..Plan::new(&rough, 80) },
        ];
        for (which, plan) in plans.iter().enumerate() {
            let runs = Runs::new(&shift, Some(&rate), times, plan, &Budget::default()).expect("runs");
            let table = Table::of(runs, times, &Budget::default()).expect("a table");
            let [low, high] = good.ends();
            let mut largest = Float::new(64);
            for part in 1..60u32 {
                let t = &low + &(&(&high - &low) * &real(part, 60).enclosure(300));
                let (a, b) = (good.value(&t), table.value(&t));
                assert!(a.overlaps(&b), "{shift} {rate} {which} {part}: {a:?} {b:?}");
                let middle = Float::with_val(64, b.lower() + b.upper()) / 2u32;
                largest = largest.max(&Float::with_val(64, a.lower() - middle).abs());
            }
            // Some error there is, so that one that is not told would be seen.
            assert!(largest > good.error, "{shift} {rate} {which}");
            assert!(table.error > good.error, "{shift} {rate} {which}");
        }
    }
}

/// The largest value of the kernel in the ellipse is at least what it is at places on the line.
#[test]
fn the_kernel_is_no_larger_than_is_told() {
    for (shift, rate) in [(real(1, 1), real(1, 10)), (real(1, 9), real(1, 1000)), (real(4, 1), real(9, 10))] {
        let domain = Domain::new(&shift, Some(&rate), 200);
        for end in [domain::End::High, domain::End::Low] {
            let largest = domain.largest(end);
            let e = domain.place(end);
            for i in -10..=10i32 {
                for part in 0..=10i32 {
                    let at = |n: i32| Enclosure::rational(&Rational::from((n, 10)), 200);
                    let v = &domain.shift * &at(i);
                    let y = &e + &(&(&v - &e) * &at(part));
                    let (v, y) = (v.exp(), y.exp());
                    let bracket = domain.bracket(end, &v, &y);
                    let kernel = &(&domain.front(end, &domain.ratio(&v)) * &y)
                        / &(&domain.ratio(&y) * &(&bracket * &bracket.sqrt()));
                    assert!(kernel.lower() <= largest.upper(), "{shift} {rate} {end:?} {i} {part}");
                }
            }
        }
    }
}

fn kind(numer: u32, denom: u32, rate: Option<(u32, u32)>, times: u32) -> Kind {
    Kind { shift: real(numer, denom), rate: rate.map(|(numer, denom)| real(numer, denom)), times }
}

/// So many parts of the way from the least loss of two kinds to the largest, and a bit beyond both.
fn between(kinds: &[Kind; 2], parts: i64) -> Vec<Enclosure> {
    let [low, high] = Kinds::Two(Box::new(kinds.clone())).ends(400);
    let part = |part: i64| &low + &(&(&high - &low) * &Enclosure::rational(&Rational::from((part, parts)), 400));
    (-1..=parts + 1).map(part).collect()
}

/// Noise of two scales without a rate has a formula.
#[test]
fn the_formula_of_two_scales_agrees() {
    for (kinds, parts) in [
        ([kind(1, 7, None, 1), kind(1, 1, None, 1)], 23),
        ([kind(1, 5, None, 3), kind(1, 2, None, 4)], 17),
        ([kind(1, 1, None, 6), kind(2, 1, None, 2)], 16),
    ] {
        let laplace = kinds.iter().map(|kind| (kind.shift.clone(), u64::from(kind.times))).collect();
        let formula = Laplace::of_several(laplace).expect("a formula");
        let both = Both::new(&kinds, 100, &Budget::default()).expect("both");
        let whole = |kind: &Kind| kind.shift.mul_rational(&Rational::from(kind.times));
        let range = whole(&kinds[0]).add(&whole(&kinds[1]));
        for part in -parts..=parts {
            // Knots among them.
            let t = range.mul_rational(&Rational::from((part, parts)));
            let truth = formula.delta(&t, Direction::Forward, 150, &Budget::default()).expect("a number");
            let at = t.enclosure(400);
            let truth = &truth.enclosure(300) * &(-&at.shift(-1)).exp();
            let value = both.value(&at, &Budget::default()).expect("a number");
            assert!(value.overlaps(&truth), "{kinds:?} {part}: {value:?} {truth:?}");
            assert!(width(&value) < Float::with_val(64, 1u32) >> 75, "{kinds:?} {part}: {value:?}");
        }
    }
}

/// Runs of one kind, cut in two, are as all of them: their knots meet at some places, and all of them at whole cells.
#[test]
fn two_parts_are_the_whole() {
    for (numer, denom, rate, [first, second]) in [
        (1, 1, (1, 10), [1, 1]),
        (1, 1, (1, 10), [2, 3]),
        (1, 3, (1, 100), [7, 2]),
        (9, 5, (1, 2), [1, 4]),
        (3, 1, (1, 1000), [2, 2]),
        (1, 50, (9, 10), [5, 9]),
    ] {
        let kinds = [first, second].map(|times| kind(numer, denom, Some(rate), times));
        let whole = kind(numer, denom, Some(rate), first + second);
        let whole = whole.table(110, &Budget::default()).expect("a table");
        let both = Both::new(&kinds, 100, &Budget::default()).expect("both");
        // Knots among them.
        for t in between(&kinds, i64::from(2 * (first + second))) {
            let (a, b) = (whole.value(&t), both.value(&t, &Budget::default()).expect("a number"));
            assert!(a.overlaps(&b), "{kinds:?} {t:?}: {a:?} {b:?}");
            assert!(width(&b) < Float::with_val(64, 1u32) >> 75, "{kinds:?} {t:?}: {b:?}");
        }
    }
}

/// It is all the same which of two kinds has the profile and which has the law.
#[test]
fn the_two_kinds_may_be_exchanged() {
    for kinds in [
        [kind(1, 7, None, 1), kind(1, 1, Some((1, 10)), 10)],
        [kind(1, 3, Some((1, 100)), 20), kind(5, 4, Some((1, 5)), 5)],
        [kind(2, 1, Some((1, 1000)), 3), kind(1, 2, Some((7, 8)), 2)],
        [kind(5, 2, Some((1, 50)), 2), kind(3, 2, None, 1)],
    ] {
        let other = [kinds[1].clone(), kinds[0].clone()];
        let [first, second] = [&kinds, &other].map(|kinds| Both::new(kinds, 90, &Budget::default()).expect("both"));
        for t in between(&kinds, 21) {
            let [a, b] = [&first, &second].map(|both| both.value(&t, &Budget::default()).expect("a number"));
            assert!(a.overlaps(&b), "{kinds:?} {t:?}: {a:?} {b:?}");
            assert!(width(&b) < Float::with_val(64, 1u32) >> 65, "{kinds:?} {t:?}: {b:?}");
        }
    }
}

/// Two kinds, by an integral over one of both losses where each is run once, and else by series of the ends of losses.
#[test]
fn two_kinds_agree_with_other_engines() {
    for (text, places) in [
        ("poisson(rate=1/10, laplace(scale=1)) * laplace(scale=3)", [1u32, 100, 300, 470]),
        ("poisson(rate=1/10, laplace(scale=1))^2 * laplace(scale=3)", [1, 100, 300, 600]),
        ("poisson(rate=1/100, laplace(scale=3))^2 * poisson(rate=1/5, laplace(scale=4/5))^2", [1, 50, 200, 600]),
        (
            "poisson(rate=1/4, laplace(scale=3/2))^2 * laplace(scale=4) * randomized-response(epsilon=3/10)",
            [1, 200, 600, 900],
        ),
    ] {
        let ours = curve(text);
        // Two single runs have an integral, with all digits; what is run more often a grid, with few.
        let (other, told): (Box<dyn Curve>, u32) = match Integral::of(&product(text), &Budget::default()) {
            Ok(integral) => (Box::new(BySum(integral)), 30),
            Err(_) => {
                let Ok(grid) = Grid::of(&product(text)) else { panic!("{text} has a grid") };
                (Box::new(grid.content_with(Some(1 << 12))), 5)
            }
        };
        for place in places {
            for direction in [Direction::Forward, Direction::Backward] {
                let [a, b] = [&ours as &dyn Curve, &*other].map(|curve| {
                    let delta = curve.delta(&real(place, 1000), direction, 40, &Budget::default());
                    delta.expect("a number").enclosure(200)
                });
                assert!(a.overlaps(&b), "{text} {place} {direction:?}: {a:?} {b:?}");
                let narrow = width(&b) <= Float::with_val(64, b.upper() >> told);
                // Beyond the largest loss there is nothing, and next to it little that a grid could tell.
                let little = *b.upper() <= Float::with_val(64, 1u32) >> if told < 30 { 12 } else { 100 };
                assert!(narrow || little, "{text} {place} {direction:?}: {b:?}");
            }
        }
    }
}

/// Of two kinds, too, what is left out is told, whichever of both is rough, or the rules on panels.
#[test]
fn what_is_left_out_of_two_kinds_is_told() {
    for kinds in [
        [kind(1, 1, Some((1, 10)), 5), kind(3, 2, Some((1, 4)), 3)],
        [kind(1, 4, None, 4), kind(1, 1, Some((1, 3)), 3)],
        [kind(1, 1, None, 3), kind(1, 2, Some((1, 50)), 4)],
    ] {
        let budget = Budget::default();
        let good = Both::new(&kinds, 120, &budget).expect("both");
        let plans = |bits: u32| kinds.each_ref().map(|kind| Plan::new(&kind.domain(FEW), bits));
        let rough = |change: &dyn Fn(&mut Plan)| {
            let mut plan = plans(90);
            plan.iter_mut().for_each(change);
            plan
        };
        let mut first = plans(90);
        first[0].degree = 7;
        let mut second = plans(90);
        second[1].degree = 7;
        let tries = [
            (first, 90),
            (second, 90),
            (rough(&|plan| plan.degree = 12), 90),
            (rough(&|plan| plan.wanted = 20.0), 90),
            (rough(&|plan| plan.fraction = 60), 40),
            (plans(90), 12),
            (plans(90), 30),
        ];
        for (which, (plan, bits)) in tries.iter().enumerate() {
            let both = Both::planned(&kinds, plan, *bits, &budget).expect("both");
            let (mut largest, mut told) = (Float::new(64), Float::new(64));
            for t in between(&kinds, 23) {
                let [a, b] = [&good, &both].map(|both| both.value(&t, &budget).expect("a number"));
                assert!(a.overlaps(&b), "{kinds:?} {which} {t:?}: {a:?} {b:?}");
                let middle = Float::with_val(64, b.lower() + b.upper()) / 2u32;
                largest = largest.max(&Float::with_val(64, a.lower() - middle).abs());
                told = told.max(&width(&a));
            }
            // Some error there is, so that one that is not told would be seen.
            assert!(largest > told, "{kinds:?} {which}: {largest} {told}");
        }
    }
}

/// Other products are others' to compose.
#[test]
fn other_products_are_refused() {
    for text in [
        "laplace(scale=1)^3",
        "poisson(rate=1/10, laplace(scale=1))^2 * gaussian(sigma=1)",
        "laplace(scale=1) * laplace(scale=2)",
        "poisson(rate=1/10, laplace(scale=1))^2 * laplace(scale=2) * laplace(scale=3)",
    ] {
        let refusal = BetweenKnots::of(&product(text), &Budget::default()).err();
        assert!(matches!(refusal, Some(Refusal::OtherKind)), "{text}");
    }
    for text in ["poisson(rate=1/10, laplace(scale=1))^100000", "poisson(rate=1/10, laplace(scale=1/50))^3"] {
        let refusal = BetweenKnots::of(&product(text), &Budget::default()).err();
        assert!(matches!(refusal, Some(Refusal::Unable(_))), "{text}");
    }
}
