//! The discrete Fourier transform of doubles, with a bound of what rounding does to it.
//!
//! `X_k = sum_n x_n e^(2 pi i k n/N)` for a power of two N, by decimation in time. **Errors**: a rotation is known to
//! `2^-52` (to `2^-57` in integers, each part then rounded once), a product of complex doubles is off by at most
//! `sqrt 5 u` of itself, a sum by u, `u = 2^-53`; together one of the `t = log2 N` stages changes what each `x_n`
//! brings to any result by a factor within `2^-50` of one. So, by induction over the stages, every `X_k` is off by at
//! most `((1 + 2^-50)^t - 1) sum |x_n|`: not more than [`ERROR`] t times that sum. (What underflows is off by
//! `2^-1074`, `N t` times.)

use rug::Rational;

use super::super::fixed::{Point, Rotations};
use super::super::vertical_contour::Turns;
use crate::error::Error;
use enclosure::{Budget, work};

/// What a stage brings to the error, as a part of `sum |x_n|`, with room for powers.
pub const ERROR: f64 = 1.1 / (1u64 << 50) as f64;

/// A complex double.
pub type Double = [f64; 2];

/// Blocks that fit into a cache are done whole.
const BLOCK: usize = 1 << 12;
/// After longer ones somebody looks at the time.
const LONG: usize = 1 << 15;

/// The transform in place; `None` where the rotations are not known, or the length is no power of two.
///
/// # Errors
/// [`Error::Undecided`] where the time runs out: then the values are neither what they were nor transformed.
pub fn transform(values: &mut [Double], budget: &Budget) -> Result<Option<()>, Error> {
    let count = values.len();
    if !count.is_power_of_two() || !(2..=1 << 30).contains(&count) {
        return Ok(None);
    }
    let Some(rotations) = rotations(count) else { return Ok(None) };
    let shift = usize::BITS - count.trailing_zeros();
    work::spend(10 * count as u64);
    for place in 0..count {
        let other = place.reverse_bits() >> shift;
        if place < other {
            values.swap(place, other);
        }
    }
    stages(values, &rotations, budget)?;
    Ok(Some(()))
}

/// `e^(2 pi i j/N)` for `j < N/2`.
fn rotations(count: usize) -> Option<Vec<Double>> {
    let turns = Turns::Exact(Rational::from((1, count as u64)));
    let points = Rotations::new(&turns)?.run(0, count / 2)?;
    let unit = 1.0 / Point::ONE.re as f64;
    Some(points.into_iter().map(|Point { re, im }| [re as f64 * unit, im as f64 * unit]).collect())
}

/// All stages of a block whose values are in bit-reversed order.
fn stages(values: &mut [Double], rotations: &[Double], budget: &Budget) -> Result<(), Error> {
    let count = values.len();
    if count > BLOCK {
        let (first, second) = values.split_at_mut(count / 2);
        stages(first, rotations, budget)?;
        stages(second, rotations, budget)?;
        if count > LONG {
            budget.check()?;
        }
        stage(values, rotations);
        return Ok(());
    }
    let mut length = 2;
    while length <= count {
        for part in values.chunks_exact_mut(length) {
            stage(part, rotations);
        }
        length *= 2;
    }
    Ok(())
}

/// Two transforms of half the length become one.
fn stage(values: &mut [Double], rotations: &[Double]) {
    let half = values.len() / 2;
    work::spend(10 * half as u64);
    let step = rotations.len() / half;
    let (first, second) = values.split_at_mut(half);
    for ((a, b), rotation) in first.iter_mut().zip(second).zip(rotations.iter().step_by(step)) {
        let [re, im] = [b[0] * rotation[0] - b[1] * rotation[1], b[0] * rotation[1] + b[1] * rotation[0]];
        *b = [a[0] - re, a[1] - im];
        *a = [a[0] + re, a[1] + im];
    }
}

#[cfg(test)]
mod tests {
    use enclosure::Portable;
    use enclosure::{Complex, Enclosure};
    use rug::Float;

    use super::*;

    /// Against sums in discs, within the error that is told, which is no thousand times what happens.
    #[test]
    fn transforms_are_within_their_error() {
        for log in [1u32, 3, 7, 13] {
            let count = 1u64 << log;
            let mut state = 0x9E37_79B9_7F4A_7C15u64;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            let values: Vec<Double> = (0..count).map(|_| [random(), random() - 0.5]).collect();
            let size: f64 = values.iter().map(|[re, im]| re.portable_hypot(*im)).sum();
            let mut found = values.clone();
            transform(&mut found, &Budget::default()).expect("time").expect("a power of two");
            let turn = &Enclosure::pi(200).shift(1);
            let mut worst = 0.0f64;
            for k in [0, 1, count / 3, count / 2, count - 1] {
                let truth = values.iter().zip(0..).fold(Complex::zero(200), |sum, (value, n)| {
                    let part = Enclosure::rational(&Rational::from((k * n % count, count)), 200);
                    let value =
                        Complex::from_parts(&Enclosure::double(value[0], 200), &Enclosure::double(value[1], 200), 200);
                    &sum + &(&value * &Complex::cis(&(turn * &part), 200))
                });
                let apart = |x: f64, truth: &Float| Float::with_val(200, x - truth).to_f64();
                let (re, im) = truth.centre();
                let error = apart(found[k as usize][0], re).portable_hypot(apart(found[k as usize][1], im));
                assert!(error <= f64::from(log) * ERROR * size, "{log} {k}: {error}");
                worst = worst.max(error);
            }
            assert!(log < 3 || worst * 1e4 > f64::from(log) * ERROR * size, "{log}: {worst}");
        }
    }

    #[test]
    fn lengths_are_powers_of_two() {
        let found = |values: &mut [Double]| transform(values, &Budget::default()).expect("time");
        assert!(found(&mut []).is_none() && found(&mut [[1.0, 0.0]; 3]).is_none());
    }

    /// A long one ends with the time.
    #[test]
    fn long_transforms_end_with_the_time() {
        let over = Budget::new(64, Some(std::time::Duration::ZERO));
        let mut values = vec![[1.0, 0.0]; 2 * LONG];
        assert!(matches!(transform(&mut values, &over), Err(Error::Undecided(_))));
        assert!(transform(&mut values[..LONG], &over).is_ok());
    }
}
