//! Chebyshev polynomials in fixed point: sums over many points for all degrees, and series at one point.
//!
//! **Contract.** Places are integers in units of `2^-G`, from -1 to 1.
//! * [`sums`] are off by less than 3 times the number of places times the square of the number of sums, each in units
//!   of its own, if weights are right.
//! * A [`Series`] of n coefficients is off by less than `(n + 1)^2` units.
//!
//! *Proof* (in full in `proofs/paper/between-knots.md`, section *Chebyshev sums in fixed point*). A number has N limbs,
//! a place u is cut off to units of `2^-(64 N - 2)`, and x is at most `2^(64 N - 4) + 2^50` in its own units. Then
//! `2 u x` is off by less than 2 units: less than 1 for rounding, less than `1/2 + 2^-11` for the place, and less than
//! `2^-58` for the columns that are left out.
//!
//! *Sums.* `W_(i+1) = 2 u W_i - W_(i-1)` from `W_0 = w` and `W_(-1) = w u`. An error e of a step counts
//! `|e U_j(u)| <= (j + 1) |e|` j steps later. So `W_i` is off by less than i for `W_(-1)`, `i (i + 1)` for the
//! products, and `(i + 1)^2` for changes of the unit: each rounds both last numbers down, which counts `(j + 1) + j` j
//! steps later. Together that is less than `2 (i + 1)^2`. The size of `W_i` is at most that and w: if all errors
//! together are below `2^50`, and there is room for the sum of all at first, there is in the limbs that are left.
//!
//! *Series.* `b_k = a_k + 2 u b_(k+1) - b_(k+2)` is at most `sum_(i >= k) (i - k + 1) (|a_i| + 3)` with its error,
//! which determines the number of limbs: the last coefficients are small. An error at k is one of `a_k`, so it counts
//! `|T_k(u)| <= 1` times: less than 2n in all.

use rug::{Assign, Integer};

use crate::limbs::{Carry, from_integer, multiply, shorten, to_integer};
use crate::work;

/// Numbers of more limbs than this are left to GMP.
const WIDEST: usize = 8;
/// The most bits after the point of a place that has room.
const PLACE: u32 = 64 * WIDEST as u32 - 2;

/// A number, from the lowest limb on.
type Wide = [u64; WIDEST];

/// The lowest limbs of a number.
#[inline(always)]
fn low<const N: usize>(x: &Wide) -> [u64; N] {
    let mut limbs = [0; N];
    limbs.copy_from_slice(&x[..N]);
    limbs
}

/// The number with these limbs and this sign.
#[inline(always)]
fn extended<const N: usize>(x: &[u64; N]) -> Wide {
    let mut limbs = [if x[N - 1] >> 63 == 1 { u64::MAX } else { 0 }; WIDEST];
    limbs[..N].copy_from_slice(x);
    limbs
}

/// A place in units of `2^-(64 N - 2)`, given in those of [`PLACE`].
#[inline(always)]
fn place<const N: usize>(u: &Wide) -> [u64; N] {
    let mut limbs = [0; N];
    limbs.copy_from_slice(&u[WIDEST - N..]);
    limbs
}

/// `2 u x - y`.
#[inline(always)]
fn next<const N: usize>(u: &[u64; N], x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    let mut limbs = shorten::<N, 3>(&multiply(u, x));
    let mut borrow = false;
    for (limb, y) in limbs.iter_mut().zip(y) {
        (*limb, borrow) = limb.minus(*y, borrow);
    }
    limbs
}

/// `x += y`.
#[inline(always)]
fn add<const N: usize>(x: &mut [u64], y: &[u64; N]) {
    let mut carry = false;
    for (x, y) in x.iter_mut().zip(y) {
        (*x, carry) = x.plus(*y, carry);
    }
}

/// `f` with as many limbs.
macro_rules! with_limbs {
    ($limbs:expr, $f:ident($($argument:expr),*)) => {
        match $limbs {
            1 => $f::<1>($($argument),*),
            2 => $f::<2>($($argument),*),
            3 => $f::<3>($($argument),*),
            4 => $f::<4>($($argument),*),
            5 => $f::<5>($($argument),*),
            6 => $f::<6>($($argument),*),
            7 => $f::<7>($($argument),*),
            _ => $f::<WIDEST>($($argument),*),
        }
    };
}

/// Units of work of a term.
const TERM: u64 = 15;

/// `sum w T_i(u)` over all these u and w, for all i below a number of sums.
///
/// Places and weights are in units of `2^-G`; the sum i counts in units of `2^(64 s - G)`, s the number of those of
/// `coarser`, which rise, that are at most i.
pub fn sums(points: &[(Integer, Integer)], count: usize, fraction: u32, coarser: &[usize]) -> Vec<Integer> {
    let off = Integer::from(3) * count * count * points.len();
    work::spend((points.len() as u64).saturating_mul(count as u64).saturating_mul(TERM));
    let most = points.iter().fold(off.clone(), |sum, (_, weight)| sum + Integer::from(weight.abs_ref()));
    let limbs = (most.significant_bits() as usize + 4).div_ceil(64);
    if fraction > PLACE || limbs > WIDEST || off.significant_bits() > 50 {
        return long_sums(points, count, fraction, coarser);
    }
    // One limb is always left.
    let coarse = coarser.len().min(limbs - 1);
    let mut all = vec![[0; WIDEST]; count];
    for (u, weight) in points {
        // The next one, and that before it.
        let mut pair = [from_integer(weight), from_integer(&(Integer::from(u * weight) >> fraction))];
        let place: Wide = from_integer(&Integer::from(u << (PLACE - fraction)));
        let ends = coarser[..coarse].iter().map(|end| (*end).min(count)).chain([count]);
        let mut from = 0;
        for (dropped, end) in ends.enumerate() {
            let end = end.max(from);
            with_limbs!(limbs - dropped, section(&place, &mut pair, &mut all[from..end]));
            from = end;
            for x in &mut pair {
                x.copy_within(1.., 0);
            }
        }
    }
    let dropped = |i: usize| coarser[..coarse].iter().filter(|from| **from <= i).count();
    let rest = |i: usize| 64 * coarser[coarse..].iter().filter(|from| **from <= i).count() as u32;
    all.iter().enumerate().map(|(i, sum)| to_integer(&sum[..limbs - dropped(i)]) >> rest(i)).collect()
}

/// The next of the polynomials at a place are added to their sums, given the first of them and the one before it.
fn section<const N: usize>(u: &Wide, pair: &mut [Wide; 2], sums: &mut [Wide]) {
    let u = place::<N>(u);
    let [mut here, mut before] = pair.map(|x| low::<N>(&x));
    for sum in sums {
        add(sum, &here);
        (here, before) = (next(&u, &here, &before), here);
    }
    *pair = [extended(&here), extended(&before)];
}

/// [`sums`] in integers of any length.
fn long_sums(points: &[(Integer, Integer)], count: usize, fraction: u32, coarser: &[usize]) -> Vec<Integer> {
    let mut all = vec![Integer::new(); count];
    let mut scratch = Integer::new();
    for (u, weight) in points {
        let twice = Integer::from(u << 1);
        let (mut here, mut before) = (weight.clone(), Integer::from(u * weight) >> fraction);
        for sum in &mut all {
            *sum += &here;
            scratch.assign(&twice * &here);
            scratch >>= fraction;
            scratch -= &before;
            std::mem::swap(&mut before, &mut here);
            std::mem::swap(&mut here, &mut scratch);
        }
    }
    let shift = |i: usize| 64 * coarser.iter().filter(|from| **from <= i).count() as u32;
    all.into_iter().enumerate().map(|(i, sum)| sum >> shift(i)).collect()
}

/// `sum_i a_i T_i`, the coefficients in units of `2^-G`.
pub struct Series {
    coefficients: Vec<Integer>,
    fraction: u32,
    /// The same in limbs, from the last down, and how many of them have this many limbs; none for longer ones.
    short: Option<(Vec<Wide>, [usize; WIDEST])>,
}

impl Series {
    /// The series with these coefficients.
    pub fn new(coefficients: Vec<Integer>, fraction: u32) -> Self {
        let (mut moduli, mut most) = (Integer::new(), Integer::new());
        let mut counts = [0; WIDEST];
        let mut fits = fraction <= PLACE;
        for coefficient in coefficients.iter().rev() {
            moduli += Integer::from(coefficient.abs_ref()) + 3u32;
            most += &moduli;
            match counts.get_mut((most.significant_bits() as usize + 4) / 64) {
                Some(count) => *count += 1,
                None => fits = false,
            }
        }
        let short = fits.then(|| (coefficients.iter().rev().map(from_integer).collect(), counts));
        Series { coefficients, fraction, short }
    }

    /// The coefficients, from the first on.
    pub fn coefficients(&self) -> &[Integer] {
        &self.coefficients
    }

    /// The value at a point, and its error bound, in units.
    pub fn at(&self, u: &Integer) -> (Integer, u64) {
        let count = self.coefficients.len() as u64 + 1;
        work::spend(count * TERM);
        let value = match &self.short {
            Some((limbs, counts)) => {
                let u: Wide = from_integer(&Integer::from(u << (PLACE - self.fraction)));
                let mut pair = [[0; WIDEST]; 2];
                let mut rest = &limbs[..];
                for (width, count) in (1..).zip(counts) {
                    let (here, others) = rest.split_at(*count);
                    rest = others;
                    with_limbs!(width, clenshaw(&u, &mut pair, here, rest.is_empty()));
                }
                to_integer(&pair[0])
            }
            None => self.long(u),
        };
        (value, count * count)
    }

    /// Clenshaw's recurrence in integers of any length.
    fn long(&self, u: &Integer) -> Integer {
        let (mut after, mut last) = (Integer::new(), Integer::new());
        let twice = u.clone() << 1;
        let mut next = Integer::new();
        for coefficient in self.coefficients.iter().skip(1).rev() {
            next.assign(&twice * &last);
            next >>= self.fraction;
            next -= &after;
            next += coefficient;
            std::mem::swap(&mut after, &mut last);
            std::mem::swap(&mut last, &mut next);
        }
        let first = self.coefficients.first().cloned().unwrap_or_default();
        (Integer::from(u * &last) >> self.fraction) - after + first
    }
}

/// Clenshaw's recurrence on with the next coefficients, given its last two numbers, of which the first is the newer;
/// at the end the first coefficient, at which `2 u` is u.
fn clenshaw<const N: usize>(u: &Wide, pair: &mut [Wide; 2], coefficients: &[Wide], ends: bool) {
    let Some((first, others)) = coefficients.split_last() else { return };
    let u = place::<N>(u);
    let [mut last, mut after] = pair.map(|x| low::<N>(&x));
    for coefficient in others {
        let mut new = next(&u, &last, &after);
        add(&mut new, &low::<N>(coefficient));
        (last, after) = (new, last);
    }
    let mut new = next(&u, &last, &after);
    if ends {
        new = shorten::<N, 2>(&multiply(&u, &last));
        let mut borrow = false;
        for (limb, y) in new.iter_mut().zip(&after) {
            (*limb, borrow) = limb.minus(*y, borrow);
        }
    }
    add(&mut new, &low::<N>(first));
    *pair = [extended(&new), extended(&last)];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::Rational;

    use super::*;

    /// `T_0, T_1, ...` at a place, exactly.
    fn polynomials(u: &Rational, count: usize) -> Vec<Rational> {
        let mut all = vec![Rational::from(1), u.clone()];
        for i in 2..count {
            all.push(Rational::from(u * &all[i - 1]) * 2u32 - &all[i - 2]);
        }
        all.truncate(count);
        all
    }

    /// So many bits, and both ends.
    fn units(fraction: u32) -> impl Strategy<Value = Integer> {
        let limbs = proptest::collection::vec(any::<u64>(), 9);
        (limbs, 0..=fraction, any::<bool>(), 0..12u32).prop_map(move |(limbs, bits, negative, end)| {
            let value = Integer::from_digits(&limbs, rug::integer::Order::Lsf).keep_bits(bits);
            let value = if end == 0 { Integer::from(1) << fraction } else { value };
            if negative { -value } else { value }
        })
    }

    fn rational(x: &Integer, fraction: u32) -> Rational {
        Rational::from(x) >> fraction
    }

    /// Sums in limbs and in integers of any length are within what they may be off.
    fn sums_hold(points: &[(Integer, Integer)], count: usize, fraction: u32, coarser: &[usize]) {
        let mut truth = vec![Rational::new(); count];
        for (u, weight) in points {
            for (sum, value) in truth.iter_mut().zip(polynomials(&rational(u, fraction), count)) {
                *sum += value * weight;
            }
        }
        let most = 3 * count * count * points.len();
        for found in [sums(points, count, fraction, coarser), long_sums(points, count, fraction, coarser)] {
            for (i, (sum, truth)) in found.iter().zip(&truth).enumerate() {
                let shift = 64 * coarser.iter().filter(|from| **from <= i).count() as u32;
                let off = (Rational::from(sum) - Rational::from(truth >> shift)).abs();
                assert!(off < most, "{i} of {count} is off by {off}");
            }
        }
    }

    proptest! {
        #[test]
        fn sums_are_within_their_bound(
            points in proptest::sample::select(vec![100u32, 240, 500]).prop_flat_map(|bits| {
                (Just(bits), proptest::collection::vec((units(bits), units(bits + 9)), 1..4))
            }),
            count in 1usize..24,
            mut coarser in proptest::collection::vec(0usize..24, 0..5),
        ) {
            coarser.sort_unstable();
            sums_hold(&points.1, count, points.0, &coarser);
        }

        #[test]
        fn series_are_within_their_bound(
            place in proptest::sample::select(vec![100u32, 240, 500]).prop_flat_map(|bits| (Just(bits), units(bits))),
            coefficients in proptest::collection::vec(units(260), 0..24),
            falls in 0u32..24,
        ) {
            let (fraction, u) = place;
            let fall = |(i, x): (usize, &Integer)| Integer::from(x >> (falls * i as u32));
            let coefficients: Vec<Integer> = coefficients.iter().enumerate().map(fall).collect();
            let all = polynomials(&rational(&u, fraction), coefficients.len());
            let truth = all.iter().zip(&coefficients).fold(Rational::new(), |sum, (value, a)| sum + value.clone() * a);
            let series = Series::new(coefficients, fraction);
            let (value, most) = series.at(&u);
            for value in [value, series.long(&u)] {
                prop_assert!((Rational::from(value) - &truth).abs() < most);
            }
        }
    }
}
