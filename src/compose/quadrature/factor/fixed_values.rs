//! Sums of turning losses in integers, where no more than some 50 bits are asked for: some nanoseconds for each loss
//! and node, a hundredth of what discs take.
//!
//! `M(s_k)/2^e = sum_j w_j e^(i k a_j)`, with `e` such that the sum of the weights is at most one. Every number is a
//! fraction of `2^62`. With `k = first + 1024 b + 32 h + l` a rotation is the product of three, each known to within
//! `2^-61`: that of the block times the weight, that of h, that of l. The last product is added up with all its bits.
//!
//! **Errors**, for one loss of weight w, moduli of rotations being below `1 + 2^-58`: each of the three rotations is
//! off by at most `sqrt 2 2^-61` (both parts), the first two products are cut off by `sqrt 2 2^-62` each. Together less
//! than `3 w sqrt 2 2^-61 + 2 sqrt 2 2^-62`, with room `(8 w + 4) 2^-61`. The weight itself is below the true one by at
//! most the width of its enclosure and `2^-62`. The sum of J losses, rounded to 64 bits in each part, is off by at most
//!
//! `(12 + 5 J) 2^-61 + (the sum of the widths)`, times `2^e`.
//!
//! No sum overflows: weights are cut off, so that they add up to at most one, and parts of the products of the
//! rotations are below `2^124 (1 + 2^-57)` times them.

use rug::Float;
use rug::float::Round::{Down, Up};

use super::super::vertical_contour::Turns;
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure};

/// Fractional bits.
const BITS: u32 = 62;
/// Nodes whose rotations are kept, and how many of these make a block.
const LOW: usize = 32;
const HIGH: usize = 32;
/// Precision of what is rounded to fractions.
const WIDE: u32 = 96;
/// More losses than this are not known to enough bits.
const MOST_LOSSES: usize = 512;

/// A point of the plane, or of the unit circle.
#[derive(Clone, Copy)]
struct Point {
    re: i64,
    im: i64,
}

/// A loss that weighs so much.
struct Loss {
    weight: i64,
    turns: Turns,
    low: [Point; LOW],
    high: [Point; HIGH],
}

/// The sums along a line.
pub(super) struct FixedValues {
    losses: Vec<Loss>,
    exponent: i32,
    /// The bound of the header.
    error: Float,
}

impl FixedValues {
    /// Of these turning losses and their weights; `None` where that is not known to `bits` bits, relative to the sum of
    /// the weights.
    pub(super) fn new(turns: &[Turns], weights: &[Enclosure], bits: u32) -> Option<Self> {
        if turns.is_empty() || turns.len() > MOST_LOSSES || turns.len() != weights.len() {
            return None;
        }
        let up = |a: &Float, b: &Float| Float::with_val_round(64, a + b, Up).0;
        let total = weights.iter().fold(Float::new(64), |sum, weight| up(&sum, weight.upper()));
        let exponent = total.get_exp().filter(|exponent| exponent.unsigned_abs() < 1 << 24)?;
        let ulp = |units: u64| Float::with_val(64, units) >> (BITS - 1);
        let mut error = ulp(12 + 5 * turns.len() as u64);
        let mut losses = Vec::with_capacity(turns.len());
        for (turns, weight) in turns.iter().zip(weights) {
            if *weight.lower() < 0 || !weight.upper().is_finite() {
                return None;
            }
            let width = Float::with_val_round(64, weight.upper() - weight.lower(), Up).0 >> exponent;
            error = up(&error, &width);
            // Cut off, below one: it fits.
            let scaled = Float::with_val_round(64, weight.lower(), Down).0 << (BITS as i32 - exponent);
            let weight = scaled.to_integer_round(Down)?.0.to_i64()?;
            let mut low = [Point { re: 0, im: 0 }; LOW];
            let mut high = low;
            for (k, place) in low.iter_mut().enumerate() {
                *place = rotation(turns, k as u64)?;
            }
            for (k, place) in high.iter_mut().enumerate() {
                *place = rotation(turns, (k * LOW) as u64)?;
            }
            losses.push(Loss { weight, turns: turns.clone(), low, high });
        }
        // The sum of the weights is at least half of 2^exponent, or lost in the widths.
        let enough = Float::with_val(64, Float::i_exp(1, -i32::try_from(bits).ok()? - 1));
        (error <= enough).then_some(FixedValues { losses, exponent, error })
    }

    /// The sums at the nodes from `first` on; `None` if a rotation is not known well enough.
    pub(super) fn run(&self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Complex>>, Error> {
        let mut sums = vec![(0i128, 0i128); count];
        for loss in &self.losses {
            budget.check()?;
            for (block, sums) in sums.chunks_mut(LOW * HIGH).enumerate() {
                let Some(start) = rotation(&loss.turns, first + (block * LOW * HIGH) as u64) else { return Ok(None) };
                let start = Point { re: cut(wide(loss.weight, start.re)), im: cut(wide(loss.weight, start.im)) };
                for (high, sums) in loss.high.iter().zip(sums.chunks_mut(LOW)) {
                    let (re, im) = product(start, *high);
                    let point = Point { re: cut(re), im: cut(im) };
                    for (low, sum) in loss.low.iter().zip(sums) {
                        let (re, im) = product(point, *low);
                        sum.0 += re;
                        sum.1 += im;
                    }
                }
            }
        }
        let shift = self.exponent - 2 * BITS as i32;
        let radius = Float::with_val(64, &self.error << self.exponent);
        let float = |sum: i128| Float::with_val(64, sum) << shift;
        Ok(Some(sums.into_iter().map(|(re, im)| Complex::disc(float(re), float(im), &radius)).collect()))
    }
}

/// `e^(i k a)`, both parts to within `2^-61`.
fn rotation(turns: &Turns, k: u64) -> Option<Point> {
    let point = Complex::cis(&turns.angle(k, WIDE), WIDE);
    if point.radius() > Float::with_val(64, Float::i_exp(1, -64)) {
        return None;
    }
    let (re, im) = point.centre();
    let fixed = |x: &Float| Float::with_val(WIDE, x << BITS).to_integer()?.to_i64();
    Some(Point { re: fixed(re)?, im: fixed(im)? })
}

fn wide(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// Back to fractions of `2^62`, rounded down.
fn cut(x: i128) -> i64 {
    // Of products of numbers of modulus about one: no bits are lost above.
    (x >> BITS) as i64
}

fn product(a: Point, b: Point) -> (i128, i128) {
    (wide(a.re, b.re) - wide(a.im, b.im), wide(a.re, b.im) + wide(a.im, b.re))
}

#[cfg(test)]
mod tests {
    use super::super::super::vertical_contour::VerticalContour;
    use super::*;
    use enclosure::Real;
    use proptest::prelude::*;
    use rug::Rational;

    /// The sum in discs of many bits.
    fn truth(turns: &[Turns], weights: &[Enclosure], k: u64) -> Complex {
        let bits = 200;
        turns.iter().zip(weights).fold(Complex::zero(bits), |sum, (turns, weight)| {
            &sum + &(&Complex::real(weight, bits) * &Complex::cis(&turns.angle(k, bits), bits))
        })
    }

    fn meet(a: &Complex, b: &Complex) -> bool {
        a.re().overlaps(&b.re()) && a.im().overlaps(&b.im())
    }

    proptest! {
        /// Every value holds the truth, by far more than chance: the radius is about `2^-50` of the whole.
        #[test]
        fn values_hold_the_truth(
            listed in prop::collection::vec((1u64..1_000_000, -1000i64..1000), 1..40), first in 0u64..1 << 40,
                scale in -200i32..200,
        ) {
            let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
            let turn = |n: i64| line.turns(&Real::from(Rational::from((n, 101))));
            let turns: Vec<Turns> = listed.iter().map(|(_, n)| turn(*n)).collect();
            let weights: Vec<Enclosure> =
                listed.iter().map(|(w, _)| Enclosure::rational(&Rational::from((*w, 977)), 100).shift(scale)).collect();
            let values = FixedValues::new(&turns, &weights, 44).expect("some forty losses are known to 44 bits");
            let found = values.run(first, 2100, &Budget::default()).expect("time").expect("rotations");
            for k in [0usize, 1, 31, 32, 33, 1023, 1024, 1025, 2047, 2048, 2099] {
                let truth = truth(&turns, &weights, first + k as u64);
                prop_assert!(meet(&found[k], &truth), "{k}: {:?} {truth:?}", found[k]);
            }
        }
    }

    /// The worst error of a long sum stays below the bound, and comes to a hundredth of it: the bound is no fiction.
    #[test]
    fn the_bound_is_about_what_happens() {
        let line = VerticalContour::new(Rational::from(1), Real::from(3u64).ln().expect("positive"));
        let losses = 100u64;
        let turns: Vec<Turns> = (1..=losses).map(|n| line.turns(&Real::from(n + 1).ln().expect("positive"))).collect();
        let weights: Vec<Enclosure> = (1..=losses).map(|n| Enclosure::rational(&Rational::from((1, n)), 200)).collect();
        let values = FixedValues::new(&turns, &weights, 40).expect("bits");
        let found = values.run(5, 1500, &Budget::default()).expect("time").expect("rotations");
        let mut worst = Float::new(64);
        for (k, value) in found.iter().enumerate() {
            let truth = truth(&turns, &weights, 5 + k as u64);
            let (re, im) = (Float::with_val(64, value.centre().0 - truth.centre().0), truth.centre().1);
            let distance = re.hypot(&Float::with_val(64, value.centre().1 - im));
            worst = worst.max(&distance);
        }
        let bound = found[0].radius();
        assert!(worst <= bound, "{worst} {bound}");
        assert!(worst * 100u32 >= bound, "{bound}");
    }

    /// More bits than integers hold, weights that are known badly, and too many losses are left to discs.
    #[test]
    fn what_is_not_known_well_enough_is_refused() {
        let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
        let turns = vec![line.turns(&Real::one()); 3];
        let weight = Enclosure::rational(&Rational::from((1, 3)), 100);
        let weights = vec![weight.clone(); 3];
        assert!(FixedValues::new(&turns, &weights, 40).is_some());
        assert!(FixedValues::new(&turns, &weights, 60).is_none());
        let bad = vec![weight.widen(&Float::with_val(64, 1e-9)); 3];
        assert!(FixedValues::new(&turns, &bad, 40).is_none());
        let many = MOST_LOSSES + 1;
        assert!(FixedValues::new(&vec![turns[0].clone(); many], &vec![weights[0].clone(); many], 20).is_none());
    }
}
