//! Points of the unit disc in integers, for integrands of which no more than some 40 bits are asked.
//!
//! A point is a pair of fractions of `2^62`. What a list of points may be off by is one number for all of them, known
//! beforehand, and follows from a few rules. With `|z|, |w| <= 1`, `|z~ - z| <= a`, `|w~ - w| <= b`:
//!
//! * a product is cut off by 62 bits, each part down by less than `2^-62`: `|z~ w~ - z w| <= a + b + a b`, and
//!   `sqrt 2 2^-62 < 2^-61` for the cut;
//! * so for a square with `b = a`;
//! * the kernel `c/(c + iu)`, of doubles: see [`Kernel`];
//! * rotations `e^(i k a)` along the nodes: see [`Rotations`].
//!
//! Nothing overflows while every error is below `2^-20`, which is checked: then moduli are below `1 + 2^-19`, parts of
//! products before they are cut below `2^125`. Errors are doubles: sums and products of some hundred non-negative ones,
//! each rounded by a factor within `1 +- 2^-53`, for which [`Errors`] are enlarged by `1 + 2^-40` now and then (axiom
//! A8). See `proofs/paper/points-in-integers.md`.

use std::sync::OnceLock;

use rug::float::Round::{Down, Up};
use rug::{Float, Integer, Rational};

use super::vertical_contour::Turns;
use enclosure::{Complex, Enclosure, work};

/// Fractional bits.
pub(super) const BITS: u32 = 62;
/// Precision of what is rounded to fractions.
const WIDE: u32 = 96;
/// A cut.
pub(super) const CUT: f64 = 1.0 / (1u64 << 61) as f64;
/// No error may be larger.
const MOST: f64 = 1.0 / (1u64 << 20) as f64;
/// The largest part of a point that is taken for one of the unit disc.
const INSIDE: i64 = (1 << BITS) + (1 << 40);
/// For what doubles round.
const ROOM: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;

/// A point near the unit disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub re: i64,
    pub im: i64,
}

impl Point {
    pub const ZERO: Point = Point { re: 0, im: 0 };
    pub const ONE: Point = Point { re: 1 << BITS, im: 0 };

    /// A point, and how far it is from any point of the disc; `None` if its parts are above one.
    ///
    /// *Error*: the radius, and [`CUT`], two units of `2^-62`. Each part of the centre is rounded to 64 bits, by at
    /// most 1/4 unit, and to an integer, by 1/2: `sqrt 2 3/4 < 2` units for both parts.
    pub fn of_disc(disc: &Complex) -> Option<(Self, f64)> {
        let (re, im) = disc.centre();
        let fixed = |x: &Float| Float::with_val(64, x << BITS).to_integer()?.to_i64().filter(|x| x.abs() <= INSIDE);
        let point = Point { re: fixed(re)?, im: fixed(im)? };
        let error = disc.radius().to_f64_round(Up) + CUT;
        Some((point, error * ROOM))
    }

    /// All bits of a product.
    pub fn whole_product(self, other: Self) -> (i128, i128) {
        let wide = |a: i64, b: i64| i128::from(a) * i128::from(b);
        (wide(self.re, other.re) - wide(self.im, other.im), wide(self.re, other.im) + wide(self.im, other.re))
    }

    /// The product, cut off.
    pub fn times(self, other: Self) -> Self {
        let (re, im) = self.whole_product(other);
        Point { re: cut(re), im: cut(im) }
    }

    /// The product with a fraction of `2^62`, cut off.
    pub fn weighed(self, weight: i64) -> Self {
        let cut_product = |a: i64| cut(i128::from(a) * i128::from(weight));
        Point { re: cut_product(self.re), im: cut_product(self.im) }
    }

    pub fn conjugate(self) -> Self {
        Point { im: -self.im, ..self }
    }

    /// After a quarter of a turn.
    fn turned(self) -> Self {
        Point { re: -self.im, im: self.re }
    }
}

/// Back to fractions of `2^62`, rounded down.
pub(super) fn cut(x: i128) -> i64 {
    // Of products of numbers of modulus about one: no bits are lost above.
    (x >> BITS) as i64
}

/// A nonnegative number of at most one as a fraction, and its error.
///
/// *Error*: the fraction is the lower end rounded down, less than a unit of `2^-62`. So it is below each point of the
/// enclosure by at most that unit and the width, and never above. Two units are counted.
pub(super) fn fraction(x: &Enclosure) -> Option<(i64, f64)> {
    if *x.lower() < 0 || !x.upper().is_finite() {
        return None;
    }
    let lower = (Float::with_val_round(64, x.lower(), Down).0 << BITS).to_integer_round(Down)?.0.to_i64()?;
    let width = Float::with_val_round(53, x.upper() - x.lower(), Up).0.to_f64_round(Up);
    (lower <= 1 << BITS).then_some((lower, (width + CUT) * ROOM))
}

/// What the points of lists may be off by.
pub(super) struct Errors;

impl Errors {
    /// Of products.
    pub fn product(a: f64, b: f64) -> Option<f64> {
        Self::small((a + b + a * b + CUT) * ROOM)
    }

    /// The error, if it is not too large for integers.
    pub fn small(error: f64) -> Option<f64> {
        (error <= MOST).then_some(error)
    }
}

/// Every point to a power of at least 1, and the error.
pub(super) fn power(points: &mut [Point], mut exponent: u64, error: f64) -> Option<f64> {
    work::spend(4 * points.len() as u64 * u64::from(exponent.max(1).ilog2() + 1));
    let mut results = vec![Point::ONE; if exponent.is_power_of_two() { 0 } else { points.len() }];
    let (mut of_results, mut of_squares, mut first) = (0.0, error, true);
    loop {
        let last = exponent <= 1;
        if exponent % 2 == 1 && !(last && first) {
            for (result, square) in results.iter_mut().zip(points.iter()) {
                *result = if first { *square } else { result.times(*square) };
            }
            of_results = if first { of_squares } else { Errors::product(of_results, of_squares)? };
            first = false;
        }
        if last {
            break;
        }
        exponent /= 2;
        points.iter_mut().for_each(|point| *point = point.times(*point));
        of_squares = Errors::product(of_squares, of_squares)?;
    }
    if first {
        return Some(of_squares);
    }
    points.copy_from_slice(&results);
    Some(of_results)
}

/// `c/(c + i u)` for ordinates u on a line, `c != 0`, by doubles.
///
/// *Error*: `2^-49` of the quotient, and `2^-60`.
///
/// * The double of c is off by at most `2^-52` of itself, that of u by at most `2^-50` (`Ordinates`). The
///   derivatives of the logarithm by `ln c` and `ln u` are at most one in modulus. So the quotient is off by at most
///   `2^-52 + 2^-50` of itself.
/// * Each part has at most five roundings of `2^-53`: the numerator, two squares, their sum and the quotient. All terms
///   of sums are nonnegative, so these are less than `2^-50.6` of each part.
/// * Each part is cut off by less than `2^-62`.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    c: f64,
    square: f64,
}

impl Kernel {
    /// What a point is off by, as a part of its modulus, and besides.
    pub const ERRORS: (f64, f64) = (1.0 / (1u64 << 49) as f64, 1.0 / (1u64 << 60) as f64);

    /// For a double of a modulus that squares can have.
    pub fn new(c: f64) -> Option<Self> {
        let size = c.abs();
        (size > 1e-100 && size < 1e100).then_some(Kernel { c, square: c * c })
    }

    /// The point, and at least its modulus.
    pub fn at(self, u: f64) -> (Point, f64) {
        let whole = self.square + u * u;
        let (re, im) = (self.square / whole, -(self.c * u) / whole);
        let scale = (1u64 << BITS) as f64;
        // Parts are at most one in modulus, or a little more: they fit.
        let point = Point { re: (re * scale) as i64, im: (im * scale) as i64 };
        (point, (re * re + im * im).sqrt() * ROOM + Self::ERRORS.1)
    }
}

/// The part of a turn that a rotation makes from node to node, in units of `2^-128`, off by less than four of them.
///
/// It is the lower end of an enclosure, rounded down. Both ends, rounded down, are at most two units apart: less than
/// three. The fourth unit pays for their rounding to 400 bits before.
#[derive(Clone, Copy)]
pub(super) struct Phase(u128);

/// Parts of the turn whose rotations are listed, as a power of two.
const LISTED: u32 = 10;

/// `2^60 pi`, to nearest: `2 pi 2^-10 2^7 2^62`, see [`Phase::rotation`].
const EIGHTH: u64 = 0x3243_F6A8_885A_308D;

/// `e^(2 pi i n/1024)`, to nearest: an eighth of a turn, and the others by reflection at the diagonal (the parts
/// change places) and by quarters of a turn, which rounding to nearest takes along.
fn listed() -> &'static [Point] {
    static LIST: OnceLock<Vec<Point>> = OnceLock::new();
    LIST.get_or_init(|| work::uncounted(list))
}

/// The same, computed.
fn list() -> Vec<Point> {
    let turn = Enclosure::pi(WIDE).shift(1);
    let point = |n: u32| {
        let part = Enclosure::rational(&Rational::from((n, 1u32 << LISTED)), WIDE);
        let (re, im) = Complex::cis(&(&turn * &part), WIDE).into_centre();
        let nearest = |x: Float| (x << BITS).to_integer().and_then(|x| x.to_i64()).unwrap_or_default();
        Point { re: nearest(re), im: nearest(im) }
    };
    let eighth: Vec<Point> = (0..=1 << (LISTED - 3)).map(point).collect();
    let mirrored = eighth.iter().skip(1).rev().map(|point| Point { re: point.im, im: point.re });
    let quarter: Vec<Point> = eighth.iter().copied().take(eighth.len() - 1).chain(mirrored).collect();
    let turned = |quarters: u32| move |point: &Point| (0..quarters).fold(*point, |point, _| point.turned());
    (0..4).flat_map(|quarters| quarter.iter().map(turned(quarters))).collect()
}

impl Phase {
    /// `None` if the turns are not known well enough.
    pub(super) fn new(turns: &Turns) -> Option<Self> {
        let (lower, upper) = turns.part(160)?;
        let units = |x: &Float| Float::with_val(400, x << 128).floor().to_integer();
        let (lower, upper) = (units(&lower)?, units(&upper)?);
        let near = Integer::from(&upper - &lower) < 3;
        near.then(|| Phase(lower.keep_bits(128).to_u128_wrapping()))
    }

    /// The rotation after k of these, for `k < 2^56`, off by at most `2^-59`.
    ///
    /// The phase is known to `2^-70` of a turn. Its first ten bits choose a rotation from the list, each part of which
    /// is rounded to nearest. The next 64 bits are the rest, an angle x below `2 pi/1024`. In units of `2^-62`:
    ///
    /// * `t = 2^7 x` is off by 1.5, and x by 0.04 with the error of the phase.
    /// * The series omit `x^8/40320` and `x^7/5040`, 0.3 at most.
    /// * Three terms of the cosine are cut off, by less than one each: 3.1 in all.
    /// * The sine is cut off once after the shift by 7 bits, before by less than 0.02: 1.5 in all.
    /// * Both parts together are off by 3.5, the listed rotation by 0.8, and the product is cut off by 1.42.
    pub(super) fn rotation(self, k: u64) -> Point {
        let phase = self.0.wrapping_mul(u128::from(k));
        let place = (phase >> (128 - LISTED)) as usize;
        let rest = ((phase << LISTED) >> 64) as u64;
        let times = |a: i64, b: i64| cut(i128::from(a) * i128::from(b));
        let t = ((u128::from(rest) * u128::from(EIGHTH)) >> 64) as i64;
        let square = times(t, t);
        let fourth = times(square, square);
        let one = 1i64 << BITS;
        let cosine = one - (square >> 15) + ((fourth / 24) >> 28) - ((times(fourth, square) / 720) >> 42);
        let sine = times(t, one - ((square / 6) >> 14) + ((fourth / 120) >> 28)) >> 7;
        let start = listed().get(place).copied().unwrap_or(Point::ZERO);
        start.times(Point { re: cosine, im: sine })
    }
}

/// Nodes whose rotations are kept, and how many of these make a block.
const LOW: usize = 32;
const HIGH: usize = 32;
/// Nodes beyond are left to discs.
const MOST_NODES: u64 = 1 << 56;

/// `e^(i k a)` along the nodes.
///
/// With `k = first + 1024 b + 32 h + l` a rotation is the product of three, each known to within `2^-59`: that of the
/// block, that of h, that of l. The first product is cut off; the second is the caller's.
pub(super) struct Rotations {
    phase: Phase,
    low: [Point; LOW],
    high: [Point; HIGH],
}

impl Rotations {
    /// What a product of the three, cut off, is off by: `3 2^-59`, two cuts, and products of these.
    pub const ERROR: f64 = 1.0 / (1u64 << 57) as f64;

    /// Of an angle from node to node; `None` if it is not known.
    pub fn new(turns: &Turns) -> Option<Self> {
        let phase = Phase::new(turns)?;
        let low = std::array::from_fn(|k| phase.rotation(k as u64));
        let high = std::array::from_fn(|k| phase.rotation((k * LOW) as u64));
        Some(Rotations { phase, low, high })
    }

    /// For each node from `first` on its place, and two points whose product is its rotation times a weight.
    #[inline]
    pub fn weighed(
        &self,
        weight: i64,
        first: u64,
        count: usize,
        mut with: impl FnMut(usize, Point, Point),
    ) -> Option<()> {
        let mut place = 0;
        work::spend(3 * count as u64);
        while place < count {
            let node = first + place as u64;
            if node + (LOW * HIGH) as u64 > MOST_NODES {
                return None;
            }
            let mut start = self.phase.rotation(node);
            if weight != Point::ONE.re {
                start = start.weighed(weight);
            }
            for high in &self.high {
                let point = start.times(*high);
                for low in &self.low[..LOW.min(count - place)] {
                    with(place, point, *low);
                    place += 1;
                }
                if place == count {
                    break;
                }
            }
        }
        Some(())
    }

    /// The rotations.
    pub fn run(&self, first: u64, count: usize) -> Option<Vec<Point>> {
        let mut points = Vec::with_capacity(count);
        self.weighed(Point::ONE.re, first, count, |_, point, low| points.push(point.times(low)))?;
        Some(points)
    }
}

#[cfg(test)]
mod tests {
    use super::super::vertical_contour::VerticalContour;
    use super::*;
    use enclosure::Portable;
    use enclosure::Real;
    use proptest::prelude::*;

    fn disc(point: Point) -> Complex {
        let part = |x: i64| Float::with_val(200, x) >> BITS;
        Complex::disc(part(point.re), part(point.im), &Float::new(64))
    }

    fn distance(a: &Complex, b: &Complex) -> f64 {
        let apart = |a: &Float, b: &Float| Float::with_val(200, a - b);
        apart(a.centre().0, b.centre().0).hypot(&apart(a.centre().1, b.centre().1)).to_f64()
    }

    /// A point of the unit disc with errors, and the true one.
    fn near(angle: u64, radius: f64) -> (Point, Complex) {
        let true_angle = Enclosure::rational(&Rational::from((angle, 1000)), 200);
        let size = Enclosure::double(radius, 200);
        let truth = &Complex::cis(&true_angle, 200) * &Complex::real(&size, 200);
        let (point, _) = Point::of_disc(&truth).expect("inside");
        (point, truth)
    }

    /// Of either sign and any size.
    fn size() -> impl Strategy<Value = f64> {
        (any::<bool>(), -90.0f64..90.0)
            .prop_map(|(sign, log)| if sign { 10f64.portable_powf(log) } else { -(10f64.portable_powf(log)) })
    }

    proptest! {
        /// Powers stay within the error that is told, which is not a hundred times what happens to the worst of them.
        #[test]
        fn powers_are_within_their_error(angles in prop::collection::vec(0u64..6283, 1..20), times in 1u64..5000) {
            let (mut points, truths): (Vec<Point>, Vec<Complex>) = angles.iter().map(|a| near(*a, 1.0)).unzip();
            let error = power(&mut points, times, CUT).expect("small");
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
            let (shift, _) = near(far, slip);
            let moved = Point { re: x.re + shift.re, im: x.im + shift.im };
            let error = Errors::product(slip + 2.0 * CUT, CUT).expect("small");
            prop_assert!(distance(&disc(moved.times(y)), &(&true_x * &true_y)) <= error);
            prop_assert!(Errors::product(1e-6, 1e-6).is_none());
        }

        /// The kernel against discs.
        #[test]
        fn kernels_are_within_their_error(c in size(), u in size()) {
            let (kernel, modulus) = Kernel::new(c).expect("of a size").at(u);
            let part = |x: f64| Enclosure::double(x, 1000);
            let s = Complex::from_parts(&part(c), &part(u), 1000);
            let truth = &Complex::real(&part(c), 1000) * &s.recip();
            let size = distance(&truth, &Complex::zero(200));
            prop_assert!(distance(&disc(kernel), &truth) <= size * Kernel::ERRORS.0 + Kernel::ERRORS.1);
            prop_assert!(size <= modulus);
        }
    }

    /// What reflections make of an eighth of a turn is what there is to nearest.
    #[test]
    fn the_list_is_to_nearest() {
        let turn = Enclosure::pi(200).shift(1);
        assert_eq!(listed().len(), 1 << LISTED);
        for (n, point) in (0u32..).zip(listed()) {
            let angle = &turn * &Enclosure::rational(&Rational::from((n, 1u32 << LISTED)), 200);
            let (re, im) = Complex::cis(&angle, 200).into_centre();
            let nearest = [re, im].map(|part| (part << BITS).to_integer().and_then(|part| part.to_i64()));
            assert_eq!(nearest, [Some(point.re), Some(point.im)], "{n}");
        }
    }

    /// Rotations at the seams of blocks, and far out.
    #[test]
    fn rotations_are_within_their_error() {
        let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
        let turns = line.turns(&Real::from(3u64).ln().expect("positive"));
        let rotations = Rotations::new(&turns).expect("an angle");
        for first in [0u64, 1, 1 << 40] {
            for count in [1usize, 33, 1024, 2100] {
                let points = rotations.run(first, count).expect("angles");
                assert_eq!(points.len(), count);
                for (k, point) in (first..).zip(&points) {
                    let truth = Complex::cis(&turns.angle(k, 200), 200);
                    assert!(distance(&disc(*point), &truth) <= Rotations::ERROR, "{k}");
                }
            }
        }
    }

    proptest! {
        /// Single rotations, from exact and inexact turns of both signs.
        #[test]
        fn a_rotation_is_within_its_error(p in -100_000i64..100_000, q in 1i64..1000, k in 0u64..1 << 56, exact: bool) {
            let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
            let loss = Real::from(Rational::from((p, q)));
            let log = Real::from(3u64).ln().expect("positive");
            let loss = if exact { loss } else { loss.mul(&log).expect("a product") };
            let turns = line.turns(&loss);
            let point = Phase::new(&turns).expect("an angle").rotation(k);
            let truth = Complex::cis(&turns.angle(k, 200), 200);
            prop_assert!(distance(&disc(point), &truth) <= 1.0 / (1u64 << 59) as f64);
        }
    }
}
