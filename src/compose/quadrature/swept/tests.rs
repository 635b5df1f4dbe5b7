use rug::{Float, Rational};

use super::*;
use crate::compose::quadrature::factor::PoissonDiscreteGaussian;
use crate::compose::{Method, Quadrature, curve};
use crate::curve::{Curve, Direction};
use crate::mechanism::Composition;
use crate::pair::Product;
use enclosure::Real;

fn sample(rate: &str, sigma2: (u32, u32)) -> Arc<dyn Factor> {
    let rate: Real = rate.parse().expect("a number");
    Arc::new(PoissonDiscreteGaussian::new(rate, Rational::from(sigma2), 1).expect("a factor"))
}

/// Factors, and how often each is run.
type Powers = Vec<(Arc<dyn Factor>, u64)>;

/// Products with even and odd powers, and a line for them.
fn examples() -> Vec<(Powers, VerticalContour)> {
    let (few, many) = (sample("0.1", (1, 2)), sample("0.02", (3, 1)));
    let line = |tilt: (i32, i32)| VerticalContour::new(Rational::from(tilt), Real::from(9u64));
    vec![
        (vec![(Arc::clone(&few), 6)], line((3, 1))),
        (vec![(Arc::clone(&few), 5), (Arc::clone(&many), 2)], line((7, 2))),
        (vec![(few, 1), (many, 3)], line((-1, 2))),
    ]
}

/// The product at some nodes as a part of that on the axis.
fn discs(factors: &Factors, line: &VerticalContour, (first, count): (u64, usize)) -> Vec<Complex> {
    let (budget, bits) = (Budget::default(), 200);
    let mut all = vec![Complex::one(bits); count];
    for (factor, times) in factors {
        let size = Complex::real(&factor.moment(line.tilt(), bits, &budget).expect("a moment").recip(), bits);
        let values = factor.on(line, bits, &budget).expect("values").run(first, count, &budget).expect("values");
        for (all, value) in all.iter_mut().zip(values) {
            *all = &*all * &(&value * &size).pow(*times);
        }
    }
    all
}

/// At most the modulus of any point of a disc.
fn least(disc: &Complex) -> f64 {
    let (re, im) = disc.centre();
    (re.clone().hypot(im) - disc.radius()).to_f64().next_down()
}

/// Points are as near the values as is told, and those beyond the last come to no more than the bound.
#[test]
fn what_lies_beyond_is_bounded() {
    let budget = Budget::default();
    for (factors, line) in examples() {
        let scale = 30.0;
        let swept = swept(&factors, &line, (scale, f64::INFINITY), &budget).expect("nodes");
        let n = swept.points.len();
        assert_eq!(n, FIRST);
        assert!(swept.error < 1e-30, "{}", swept.error);
        for (point, disc) in swept.points.iter().zip(discs(&factors, &line, (0, 300))) {
            let (near, off) = of_disc(&disc).expect("inside");
            let apart = Point { re: point.re - near.re, im: point.im - near.im };
            assert!(modulus(&apart) <= swept.error + off, "{point:?} {near:?}");
        }
        let weight = |k: usize| scale / (k as f64 * k as f64);
        let beyond = discs(&factors, &line, (n as u64, 4000));
        let sum: f64 = beyond.iter().zip(n..).map(|(disc, k)| least(disc) * weight(k)).sum();
        assert!(sum > 0.0 && sum <= swept.beyond, "{sum} above {}", swept.beyond);
    }
}

/// The bound is one for even powers only: that of an odd one takes one run less, and a single run says nothing.
#[test]
fn odd_runs_count_one_less() {
    let budget = Budget::default();
    let line = VerticalContour::new(Rational::from(3), Real::from(9u64));
    let beyond = |times: u64| {
        let factors = [(sample("0.1", (1, 2)), times)];
        swept(&factors, &line, (1.0, f64::INFINITY), &budget).expect("nodes").beyond
    };
    assert_eq!(beyond(7).to_bits(), beyond(6).to_bits());
    assert!(beyond(8) < beyond(6));
    let n = FIRST as f64;
    assert!(beyond(1) >= (2.0 * n - 1.0) / (n * n) * ZETA);
}

/// More nodes are taken until the bound is small enough.
#[test]
fn nodes_are_doubled() {
    let budget = Budget::default();
    let (factors, line) = examples().swap_remove(0);
    let of = |enough: f64| swept(&factors, &line, (1.0, enough), &budget).expect("nodes");
    let first = of(f64::INFINITY);
    let more = of(first.beyond / 3.0);
    assert!(more.points.len() >= 2 * first.points.len() && more.points.len().is_power_of_two());
    assert!(more.beyond <= first.beyond / 3.0);
}

/// Where all sums can be listed, both say the same; and so do lines of one digit and of many, whose nodes differ.
#[test]
fn sweeps_hold_what_is_listed() {
    let budget = Budget::default();
    for text in [
        "poisson(rate=1/10, discrete-gaussian(sigma2=1/2))^3",
        "poisson(rate=3/100, discrete-gaussian(sigma2=2/3))^2 * poisson(rate=1/50, discrete-gaussian(sigma2=3))",
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let product = Product::new(composition.pairs().expect("pairs"));
        let listed = curve(&composition, Method::Enumeration, &budget).expect("a list");
        for side in [Direction::Forward, Direction::Backward] {
            for epsilon in ["1/100", "1/20"] {
                let epsilon: Real = epsilon.parse().expect("a number");
                let truth = listed.delta(&epsilon, side, 64, &budget).expect("a number").enclosure(200);
                let mut widths = Vec::new();
                for digits in [1, 4] {
                    let curve = Quadrature::of(&product).expect("factors").swept(digits);
                    let found = curve.delta(&epsilon, side, 128, &budget).expect("a number").enclosure(200);
                    let inside = found.lower() <= truth.lower() && truth.upper() <= found.upper();
                    assert!(inside, "{text} {epsilon}: {found:?} {truth:?}");
                    widths.push(Float::with_val(64, found.upper() - found.lower()));
                }
                assert!(widths[1] < widths[0], "{text} {epsilon}: {widths:?}");
            }
        }
    }
}

/// The other quantities are those of the same curve: the epsilon of a delta, and the type II error of a type I error.
#[test]
fn all_quantities_meet_what_is_listed() {
    let budget = Budget::default();
    let composition: Composition =
        "poisson(rate=1/10, discrete-gaussian(sigma2=1/2))^3".parse().expect("a composition");
    let product = Product::new(composition.pairs().expect("pairs"));
    let listed = curve(&composition, Method::Enumeration, &budget).expect("a list");
    let swept = Quadrature::of(&product).expect("factors").swept(5);
    let side = Direction::Forward;
    let number = |value: crate::curve::Value| match value {
        crate::curve::Value::Finite(number) => number.enclosure(200),
        crate::curve::Value::Infinite => panic!("finite losses"),
    };
    let delta: Real = "1/50".parse().expect("a number");
    let found = number(swept.epsilon(&delta, side, 128, &budget).expect("a number"));
    let truth = number(listed.epsilon(&delta, side, 64, &budget).expect("a number"));
    assert!(found.overlaps(&truth), "{found:?} {truth:?}");
    let alpha: Real = "1/5".parse().expect("a number");
    let found = swept.beta(&alpha, side, 128, &budget).expect("a number").enclosure(200);
    let truth = listed.beta(&alpha, side, 64, &budget).expect("a number").enclosure(200);
    assert!(found.overlaps(&truth), "{found:?} {truth:?}");
}
