//! Transforms against sums at every node and against inner rules, within the errors that they tell.

use rug::{Float, Rational};

use super::*;
use crate::compose::quadrature::factor::{Factor, Half, Mirrored, PoissonGaussian, PoissonLaplace};
use crate::compose::quadrature::vertical_contour::Turns;
use crate::pair::Pair;
use enclosure::{Complex, Enclosure, Portable, Real};

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn distance(point: Point, truth: &Complex) -> f64 {
    let part = |x: i64, truth: &Float| Float::with_val(200, (Float::with_val(200, x) >> 62u32) - truth).to_f64();
    let (re, im) = truth.centre();
    part(point.re, re).portable_hypot(part(point.im, im)) - truth.radius().to_f64()
}

/// Lists of few and many losses, near each other and beyond a period.
#[test]
fn lists_are_within_their_error() {
    let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
    for (count, last) in [(1u64, 5u64), (40, 170), (300, 3000)] {
        let losses = (0..count).map(|n| real(&format!("ln({})-3", n * n % 97 + 1)));
        let turns: Vec<Turns> = losses.map(|loss| line.turns(&loss)).collect();
        let weights: Vec<Enclosure> = (1..=count).map(|n| Enclosure::rational(&Rational::from((1, n)), 200)).collect();
        let total = weights.iter().fold(Enclosure::zero(200), |sum, weight| &sum + weight);
        let law = FiniteLaw::new(turns.clone().into_iter(), &weights, (&total, 0.0)).expect("weights");
        let mut values = Transformed::new(law, &line);
        let points = values.run(0, last as usize + 1, &Budget::default()).expect("time").expect("values");
        let mut worst = 0.0f64;
        for k in [0, 1, 2, last / 3, last - 1, last] {
            let truth = turns.iter().zip(&weights).fold(Complex::zero(200), |sum, (turns, weight)| {
                &sum + &(&Complex::real(&(weight / &total), 200) * &Complex::cis(&turns.angle(k, 200), 200))
            });
            let distance = distance(points[k as usize], &truth);
            let error = values.error_before(k + 1);
            assert!(distance <= error, "{count} {k}: {distance} {error}");
            worst = worst.max(distance);
        }
        // No more than some thousand times what happens.
        assert!(values.error() < 1e-12 && worst > 1e-5 * values.error(), "{worst} {}", values.error());
    }
}

fn mirrored(half: Half, rate: &str, noise: &Pair) -> Box<dyn Factor> {
    Box::new(Mirrored::new(&real(rate), noise, half, 1).expect("a factor").expect("noise"))
}

/// What the sampled laws are at nodes near and far, by their own inner rules with many bits.
#[test]
fn sampled_laws_are_within_their_error() {
    let budget = Budget::default();
    let gaussian = |mu: &str| Pair::Gaussian { mu: real(mu) };
    let laplace = |shift: &str| Pair::Laplace { shift: real(shift) };
    let factors: [(&str, Box<dyn Factor>); 17] = [
        ("a third", Box::new(PoissonGaussian::new(real("1/3"), real("1")).expect("a factor"))),
        ("little noise", Box::new(PoissonGaussian::new(real("1/2"), real("5")).expect("a factor"))),
        ("a tiny rate", Box::new(PoissonGaussian::new(real("1/10000"), real("2")).expect("a factor"))),
        ("nearly all", Box::new(PoissonGaussian::new(real("99/100"), real("1/2")).expect("a factor"))),
        ("Laplace", Box::new(PoissonLaplace::new(real("1/10"), real("1")).expect("a factor"))),
        ("much Laplace", Box::new(PoissonLaplace::new(real("1/100"), real("6")).expect("a factor"))),
        ("little Laplace", Box::new(PoissonLaplace::new(real("9/10"), real("1/100")).expect("a factor"))),
        ("a fixed size", mirrored(Half::Right, "1/10", &gaussian("1"))),
        ("a fixed size, little noise", mirrored(Half::Right, "1/2", &gaussian("5"))),
        ("a fixed size, much noise", mirrored(Half::Right, "1/1000", &gaussian("1/10"))),
        ("a fixed size, Laplace", mirrored(Half::Right, "1/10", &laplace("1"))),
        ("a fixed size, much Laplace", mirrored(Half::Right, "3/4", &laplace("6"))),
        ("symmetrized", mirrored(Half::Left, "1/10", &gaussian("1"))),
        ("symmetrized, little noise", mirrored(Half::Left, "1/2", &gaussian("5"))),
        ("symmetrized, much noise", mirrored(Half::Left, "1/1000", &gaussian("1/10"))),
        ("symmetrized, Laplace", mirrored(Half::Left, "1/10", &laplace("1"))),
        ("symmetrized, much Laplace", mirrored(Half::Left, "3/4", &laplace("6"))),
    ];
    for (name, factor) in &factors {
        for tilt in [(3, 2), (20, 1), (-1, 2), (-7, 2)] {
            let line = VerticalContour::new(Rational::from(tilt), Real::from(30u64));
            let last = 3000u64;
            let mut values = factor.coarse(&line, &budget).expect("no error").expect("a list");
            values.reach(last);
            let points = values.run(0, last as usize + 1, &budget).expect("time").expect("values");
            let size = Complex::real(&factor.moment(line.tilt(), 150, &budget).expect("a moment").recip(), 150);
            let mut discs = factor.on(&line, 150, &budget).expect("values");
            let mut worst = 0.0f64;
            for k in [0, 1, 3, 77, 200, last] {
                let truth = &discs.run(k, 1, &budget).expect("time")[0] * &size;
                let distance = distance(points[k as usize], &truth);
                let error = values.error_before(k + 1);
                assert!(distance <= error, "{name} {tilt:?} {k}: {distance} {error}");
                worst = worst.max(distance);
            }
            assert!(
                values.error() < 1e-8 && worst > 1e-8 * values.error(),
                "{name} {tilt:?}: {worst} {}",
                values.error()
            );
        }
    }
}

/// A law whose moment is another one is an alarm.
#[test]
fn weights_that_do_not_add_up_are_an_alarm() {
    let (rate, mu) = (real("1/3"), real("1"));
    let line = VerticalContour::new(Rational::from(1), Real::from(30u64));
    let moment = PoissonGaussian::new(rate.clone(), mu.clone())
        .and_then(|factor| factor.moment(line.tilt(), 96, &Budget::default()))
        .expect("a moment");
    for (part, alarm) in [((1u32, 1u32), false), ((100_001, 100_000), true)] {
        let moment = &moment * &Enclosure::rational(&Rational::from(part), 96);
        let law = SampledLaw::new(&rate, (&mu, Inside::Gaussian), &moment).expect("a law");
        let found = Transformed::new(law, &line).run(0, 10, &Budget::default());
        assert_eq!(found.is_err_and(|error| error.is_alarm()), alarm);
    }
}

/// Arrays that are too long are left to others.
#[test]
fn there_is_an_end_to_arrays() {
    let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
    let law = FiniteLaw::new(std::iter::empty(), &[], (&Enclosure::one(64), 0.0)).expect("nothing");
    assert!(Transformed::new(law, &line).run(1 << 40, 1, &Budget::default()).is_ok_and(|none| none.is_none()));
}
