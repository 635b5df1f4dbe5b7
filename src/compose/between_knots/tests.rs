use rug::{Float, Rational};

use super::*;
use crate::compose::by_sum::BySum;
use crate::compose::{Laplace, Method};
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

/// Several runs, by series of the ends and a contour.
#[test]
fn several_runs_agree_with_the_ends_of_losses() {
    for (text, places) in [
        ("poisson(rate=1/10, laplace(scale=1))^3", [1u32, 100, 300, 470]),
        ("poisson(rate=1/200, laplace(scale=11/5))^4", [1, 2, 5, 9]),
        ("poisson(rate=1/4, laplace(scale=3/2))^2 * randomized-response(epsilon=3/10)^2", [1, 200, 600, 900]),
    ] {
        let ours = curve(text);
        let other = BySum(crate::compose::end_points::EndPoints::of(&product(text), &Budget::default()).expect("ends"));
        for place in places {
            for direction in [Direction::Forward, Direction::Backward] {
                let [a, b] = [&ours as &dyn Curve, &other].map(|curve| {
                    let delta = curve.delta(&real(place, 1000), direction, 40, &Budget::default());
                    delta.expect("a number").enclosure(200)
                });
                assert!(a.overlaps(&b), "{text} {place} {direction:?}: {a:?} {b:?}");
                assert!(width(&b) <= Float::with_val(64, b.upper() >> 30u32), "{text} {place} {direction:?}: {b:?}");
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
            let table = Table::planned(&shift, Some(&rate), times, plan, &Budget::default()).expect("a table");
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

/// Other products are others' to compose.
#[test]
fn other_products_are_refused() {
    for text in [
        "laplace(scale=1)^3",
        "poisson(rate=1/10, laplace(scale=1))^2 * gaussian(sigma=1)",
        "poisson(rate=1/10, laplace(scale=1))^2 * laplace(scale=2)",
        "poisson(rate=1/10, laplace(scale=1))^2 * poisson(rate=1/9, laplace(scale=1))",
    ] {
        let refusal = BetweenKnots::of(&product(text), &Budget::default()).err();
        assert!(matches!(refusal, Some(Refusal::OtherKind)), "{text}");
    }
    for text in ["poisson(rate=1/10, laplace(scale=1))^100000", "poisson(rate=1/10, laplace(scale=1/50))^3"] {
        let refusal = BetweenKnots::of(&product(text), &Budget::default()).err();
        assert!(matches!(refusal, Some(Refusal::Unable(_))), "{text}");
    }
}
