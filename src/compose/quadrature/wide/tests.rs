use super::super::vertical_contour::VerticalContour;
use super::*;
use enclosure::{Portable, Real};
use proptest::prelude::*;
use rug::Rational;

fn disc(point: Point) -> Complex {
    let part = |x: i128| Float::with_val(300, x) >> BITS;
    Complex::disc(part(point.re), part(point.im), &Float::new(64))
}

/// Between centres.
fn distance(a: &Complex, b: &Complex) -> f64 {
    let apart = |a: &Float, b: &Float| Float::with_val(300, a - b);
    apart(a.centre().0, b.centre().0).hypot(&apart(a.centre().1, b.centre().1)).to_f64()
}

/// A point of the unit disc with errors, and the true one.
fn near(angle: u64, radius: f64) -> (Point, Complex) {
    let size = Enclosure::double(radius, 300);
    let turn = Complex::cis(&Enclosure::rational(&Rational::from((angle, 1000)), 300), 300);
    let truth = &turn * &Complex::real(&size, 300);
    let (point, _) = of_disc(&truth).expect("inside");
    (point, truth)
}

proptest! {
    /// Powers stay within the error that is told, which is not far from what it is for the worst of them.
    #[test]
    fn powers_are_within_their_error(angles in prop::collection::vec(0u64..6283, 1..20), times in 1u64..5000) {
        let (mut points, truths): (Vec<Point>, Vec<Complex>) = angles.iter().map(|a| near(*a, 1.0)).unzip();
        power(&mut points, times);
        let error = power_error(times, CUT).expect("small");
        for (point, truth) in points.iter().zip(&truths) {
            prop_assert!(distance(&disc(*point), &truth.pow(times)) <= error);
        }
        prop_assert!(error <= 3.0 * times as f64 * CUT * ROOM);
    }

    /// Products of points that are wrong by all they may be.
    #[test]
    fn products_are_within_their_error(a in 0u64..6283, b in 0u64..6283, far in 0u64..6283, r in 0.0f64..1.0) {
        let ((x, true_x), (y, true_y)) = (near(a, 1.0), near(b, r));
        let slip = 1e-9;
        let (off, _) = near(far, slip);
        let wrong = Point { re: x.re + off.re, im: x.im + off.im };
        let error = product(slip + CUT, CUT).expect("small");
        prop_assert!(distance(&disc(wrong.times(y)), &(&true_x * &true_y)) <= error);
    }

    /// Rotations at the seams of stretches and blocks.
    #[test]
    fn rotations_are_within_their_error(p in -9999i64..9999, q in 1i64..999, first in 0u64..1 << 50) {
        let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
        for loss in [Real::from(Rational::from((p, q))), Real::from(q as u64).sqrt().expect("positive")] {
            let turns = line.turns(&loss);
            let rotations = rotations::Rotations::new(&turns).expect("known");
            rotations.stretches(first, 1100, &mut |place, start, low| {
                for (l, low) in low.iter().enumerate().step_by(31) {
                    let truth = Complex::cis(&turns.angle(first + (place + l) as u64, 300), 300);
                    let found = disc(start.split().times(low));
                    assert!(distance(&found, &truth) <= rotations::Rotations::ERROR);
                }
            }).expect("known");
        }
    }

    /// Kernels of all sizes, and how much room they have.
    #[test]
    fn kernels_are_within_their_error(
        negative in any::<bool>(), size in -60.0f64..60.0, log in 0.0f64..55.0, less in 0i32..9,
    ) {
        let ordinate = Enclosure::double(10f64.portable_powf(size / 4.0), 300);
        let ordinate = &ordinate / &Enclosure::integer(&3.into(), 300);
        let c = Enclosure::integer(&if negative { -7 } else { 7 }.into(), 300);
        let kernel = Kernel::new(&(&ordinate / &c)).expect("known");
        let k = log.portable_exp2() as u64;
        let doubled = (kernel.room(k) - less).max(0);
        let (point, most) = kernel.at(k, doubled).expect("a guess");
        let u = &ordinate * &Enclosure::integer(&k.into(), 300);
        let truth = &Complex::real(&c, 300) * &Complex::from_parts(&c, &u, 300).recip();
        let truth = &truth * &Complex::real(&Enclosure::one(300).shift(doubled), 300);
        prop_assert!(distance(&disc(point), &truth) <= Kernel::ERROR);
        prop_assert!(truth.modulus_upper() <= most && most <= 1.01);
    }

    /// Every value is as near the truth as is told, which is no more than some hundred times the worst.
    #[test]
    fn listed_values_are_near_the_truth(
        listed in prop::collection::vec((1u64..1_000_000, -1000i64..1000), 1..40), first in 0u64..1 << 40,
    ) {
        let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
        let turns: Vec<_> = listed.iter().map(|(_, n)| line.turns(&Real::from(Rational::from((*n, 101))))).collect();
        let weights: Vec<Enclosure> =
            listed.iter().map(|(w, _)| Enclosure::rational(&Rational::from((*w, 977)), 200)).collect();
        let total = weights.iter().fold(Enclosure::zero(200), |sum, weight| &sum + weight);
        let mut values = Listed::new(turns.iter().cloned(), &weights, (&total, 0.0)).expect("weights are known");
        let (found, error) = values.run(first, 1100, &Budget::default()).expect("time").expect("rotations");
        let mut worst = 0.0f64;
        for k in [0usize, 1, 31, 32, 33, 1023, 1024, 1025, 1099] {
            let truth = turns.iter().zip(&weights).fold(Complex::zero(300), |sum, (turns, weight)| {
                let turn = Complex::cis(&turns.angle(first + k as u64, 300), 300);
                &sum + &(&Complex::real(&(weight / &total), 300) * &turn)
            });
            worst = worst.max(distance(&disc(found[k]), &truth));
        }
        prop_assert!(worst <= error && error < 1e-33, "{worst} {error}");
    }
}

/// What is not known is refused.
#[test]
fn what_is_not_known_is_refused() {
    let wide = Enclosure::one(200).widen(&Float::with_val(64, 1e-30));
    assert!(Kernel::new(&wide).is_none() && Kernel::new(&Enclosure::zero(200)).is_none());
    assert!(fraction(&-Enclosure::one(64)).is_none() && fraction(&Enclosure::whole(64)).is_none());
    assert!(small(f64::NAN).is_none() && small(1e-3).is_none());
    let kernel = Kernel::new(&Enclosure::one(200)).expect("known");
    assert!(kernel.at(1, 1).is_none(), "it would be above one");
}
