//! Exact products of long sequences of natural numbers, for convolutions of probability masses.
//!
//! A sequence is a flat array of 64-bit words, `width` words for each number, least significant first. The product of
//! two sequences (as polynomials, or cyclically) is computed modulo several word-sized primes by number-theoretic
//! transforms and combined by the Chinese remainder theorem. Everything is integer arithmetic, so the result is exact.
//! The primes are chosen so that their product exceeds every coefficient that the caller allows.
//!
//! Why not one huge integer with the coefficients as digits: the carries between digits are then computed by
//! transforms three times as long, of which nothing is kept. The exact engine still does that, and is what this one
//! is tested against.
//!
//! A sequence with gaps (every `s`-th coefficient) times one with other gaps (every `t`-th), `s` and `t` without common
//! divisor, is `s t` products of short sequences without gaps, for `s i + t j` with `i = i_0 + t i'` and
//! `j = j_0 + s j'` is `s i_0 + t j_0 + s t (i' + j')`: no zeros are multiplied, and each short sequence is transformed
//! only once.

mod prime;
mod residues;
mod transform;

use crate::Portable;
use std::sync::Arc;

use rayon::prelude::*;

use self::prime::{LONGEST, Prime, primes};
use self::residues::Remainders;
use self::transform::Transform;
use super::{Budget, work};
use crate::Error;

/// A sequence of natural numbers of `width` words each, at every `stride`-th place of its lattice.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// The numbers, one after the other, each with its least significant word first.
    pub words: &'a [u64],
    /// Words of a number.
    pub width: usize,
    /// The distance between neighbours, in places of the product.
    pub stride: usize,
}

impl Sequence<'_> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.words.len() / self.width.max(1)
    }

    /// Bits of the sum of all numbers, and of the largest of them.
    fn bits(&self) -> (u64, u64) {
        let length = |words: &[u64]| {
            let top = words.iter().rposition(|word| *word != 0);
            top.map_or(0, |top| 64 * (top as u64 + 1) - u64::from(words[top].leading_zeros()))
        };
        let (mut sum, mut largest) = (vec![0_u64; self.width.saturating_add(1)], 0);
        for number in self.words.chunks_exact(self.width.max(1)) {
            add_product(&mut sum, &[1], number);
            largest = largest.max(length(number));
        }
        (length(&sum), largest)
    }

    /// Is every coefficient of the product with another sequence certainly below `2^(64 (width + other.width))`? It is
    /// at most the sum of one sequence times the largest number of the other.
    fn fits_with(&self, other: &Sequence) -> bool {
        let (one, two) = (self.bits(), other.bits());
        (one.0 + two.1).min(one.1 + two.0) <= 64 * (self.width as u64 + other.width as u64)
    }

    /// Is the sequence empty?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Estimated cost of a product.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Total length of the short transforms.
    pub places: u64,
    /// Number of primes.
    pub primes: u64,
}

impl Cost {
    /// Cost of a product with `places` coefficients of at most `2 width` words.
    pub fn of(places: u64, width: usize) -> Self {
        Cost { places, primes: primes_for(width.saturating_mul(2)) as u64 }
    }

    /// Approximate peak memory, in bytes.
    pub fn bytes(&self) -> u64 {
        self.places.saturating_mul(self.primes.saturating_mul(8).saturating_add(96))
    }

    /// Approximate time on two cores in seconds, within a factor of two.
    pub fn seconds(&self) -> f64 {
        let depth = (self.places.max(2) as f64).portable_log2();
        self.places as f64 * self.primes as f64 * (2.0 + depth) * 2.0e-9
    }
}

/// The least size `2^n` or `3 2^n` that is at least `length`.
fn size_for(length: usize) -> usize {
    let power = length.max(1).next_power_of_two();
    let three = power / 4 * 3;
    if three >= length && three >= 12 { three } else { power }
}

/// Primes whose product exceeds `2^(64 words)`, with forty bits to spare.
fn primes_for(words: usize) -> usize {
    // Each prime is above 2^61.9.
    words.saturating_mul(64).saturating_add(40).saturating_mul(10) / 619 + 1
}

/// The product of two sequences: coefficient `k` is the sum of `a_i b_j` over `s i + t j = k`, and `drop` words of it,
/// the least significant ones, are left out (rounding it down to a multiple of `2^(64 drop)`).
///
/// With `cycle`, places are counted modulo at least that many: the length is the returned one, and coefficients whose
/// places agree modulo the length are added. Only for strides of one.
///
/// Every coefficient, after such additions, must be below `2^(64 (a.width + b.width))`. This holds if one sequence sums
/// to at most `2^(64 width)` and the numbers of the other are smaller. It is checked without a cycle; with a cycle the
/// caller must ensure it.
///
/// # Errors
/// [`Error::Input`] if the number of words is not a multiple of the width, or coefficients may be too large;
/// [`Error::Undecided`] for strides with a common divisor, sequences beyond the longest transform, or an exhausted
/// budget.
pub fn product(
    a: Sequence,
    b: Sequence,
    drop: usize,
    cycle: Option<usize>,
    budget: &Budget,
) -> Result<Vec<u64>, Error> {
    let width = a.width.saturating_add(b.width);
    let keep = width.saturating_sub(drop);
    if a.is_empty() || b.is_empty() || keep == 0 {
        return Ok(Vec::new());
    }
    if !(a.words.len().is_multiple_of(a.width) && b.words.len().is_multiple_of(b.width)) {
        return Err(Error::input("the length of the sequence is not a multiple of the words of one number"));
    }
    if cycle.is_none() && !a.fits_with(&b) {
        return Err(Error::input("the coefficients of the product may not fit into the words of a result"));
    }
    let (s, t) = (a.stride.max(1), b.stride.max(1));
    let too_long = || Error::Undecided("the product has too many entries to count".into());
    let spread = |of: &Sequence, stride: usize| (of.len() - 1).checked_mul(stride);
    let whole = spread(&a, s).zip(spread(&b, t)).and_then(|(x, y)| x.checked_add(y)?.checked_add(1));
    // All words of the result can be counted, and so can all that is added and multiplied below.
    let whole = whole.filter(|whole| whole.checked_mul(width).is_some()).ok_or_else(too_long)?;
    if rug::Integer::from(s).gcd(&rug::Integer::from(t)) != 1 {
        return Err(Error::Undecided("the sequences have a common gap; use the coarser lattice".into()));
    }
    if a.len().min(b.len()) <= 12 && cycle.is_none() {
        return schoolbook(a, b, whole, keep, budget);
    }
    // Class i_0 of a is i_0, i_0 + t, ...; class j_0 of b is j_0, j_0 + s, ...
    let longest = a.len().div_ceil(t) + b.len().div_ceil(s) - 1;
    let size = size_for(match cycle {
        Some(least) if s == 1 && t == 1 => longest.min(least),
        _ => longest,
    });
    if size as u64 > LONGEST {
        return Err(Error::undecided(format!("a product of {size} entries exceeds the longest transform")));
    }
    let cyclic = size < longest;
    let primes = primes(primes_for(width))?;
    let residues = class_products(a, b, &primes, size, budget)?;
    budget.check()?;
    let remainders = Remainders::new(&primes, width);
    let length = if cyclic { size } else { whole };
    if s == 1 && t == 1 {
        let mut out = vec![0_u64; length * keep];
        combine(&remainders, &residues, 0, drop, keep, &mut out);
        return Ok(out);
    }
    interleaved(a, b, size, length, (drop, keep), (&remainders, &residues), budget)
}

/// Units of work of a butterfly, and of a residue in a word of the product.
const BUTTERFLY: u64 = 2;
const RESIDUE: u64 = 2;

/// The number of classes of each sequence: as many as the other's stride, so that products of classes are whole.
fn classes(a: &Sequence, b: &Sequence) -> (usize, usize) {
    (b.stride.max(1).min(a.len()), a.stride.max(1).min(b.len()))
}

/// The products of all pairs of classes modulo each prime, one after the other.
fn class_products(
    a: Sequence,
    b: Sequence,
    primes: &[Arc<Prime>],
    size: usize,
    budget: &Budget,
) -> Result<Vec<Vec<u64>>, Error> {
    let (classes_a, classes_b) = classes(&a, &b);
    let same = std::ptr::eq(a.words, b.words) && a.stride.max(1) == 1 && b.stride.max(1) == 1;
    budget.map(primes, |prime, budget| {
        budget.check()?;
        let once = size as u64 * u64::from(size.max(2).ilog2()) * BUTTERFLY;
        let transform = Transform::new(prime, size);
        let spectra = |of: Sequence, classes: usize| -> Result<Vec<Vec<u64>>, Error> {
            (0..classes)
                .map(|class| {
                    budget.check()?;
                    work::spend(once);
                    let mut values = vec![0; size];
                    prime.reduce_into(of.words, of.width, class, classes, &mut values);
                    transform.forward(&mut values);
                    Ok(values)
                })
                .collect()
        };
        let mut first = spectra(a, classes_a)?;
        if same {
            // One class each: the square in place.
            work::spend(once);
            let mut only = first.pop().unwrap_or_default();
            transform.square(&mut only);
            transform.inverse(&mut only);
            return Ok(only);
        }
        let second = spectra(b, classes_b)?;
        if let ([one], [other]) = (first.as_mut_slice(), second.as_slice()) {
            work::spend(once);
            transform.multiply(one, other);
            transform.inverse(one);
            return Ok(std::mem::take(one));
        }
        let mut all = Vec::with_capacity(size * classes_a * classes_b);
        for one in &first {
            for other in &second {
                budget.check()?;
                work::spend(once);
                let mut values = one.clone();
                transform.multiply(&mut values, other);
                transform.inverse(&mut values);
                all.extend_from_slice(&values);
            }
        }
        Ok(all)
    })
}

/// Coefficients of the product from the products of the classes: place `k = s i_0 + t j_0 + s t m`.
fn interleaved(
    a: Sequence,
    b: Sequence,
    size: usize,
    length: usize,
    (drop, keep): (usize, usize),
    (remainders, residues): (&Remainders, &[Vec<u64>]),
    budget: &Budget,
) -> Result<Vec<u64>, Error> {
    let (s, t) = (a.stride.max(1), b.stride.max(1));
    let (da, db) = (a.len(), b.len());
    let (classes_a, classes_b) = classes(&a, &b);
    let mut out = vec![0_u64; length * keep];
    let mut one = vec![0_u64; size * keep];
    for i0 in 0..classes_a {
        for j0 in 0..classes_b {
            budget.check()?;
            let from = (i0 * classes_b + j0) * size;
            let count = (da - i0).div_ceil(t) + (db - j0).div_ceil(s) - 1;
            let one = &mut one[..count * keep];
            combine(remainders, residues, from, drop, keep, one);
            let first = s * i0 + t * j0;
            for (m, value) in one.chunks_exact(keep).enumerate() {
                let at = (first + s * t * m) * keep;
                out[at..at + keep].copy_from_slice(value);
            }
        }
    }
    Ok(out)
}

/// The coefficients from this place on, one slice of places after the other.
fn combine(remainders: &Remainders, residues: &[Vec<u64>], from: usize, drop: usize, keep: usize, out: &mut [u64]) {
    const CHUNK: usize = 1 << 12;
    let primes = residues.len() as u64;
    work::spend((out.len() as u64).saturating_mul(primes).saturating_mul(RESIDUE));
    out.par_chunks_mut(CHUNK * keep).enumerate().for_each(|(chunk, out)| {
        remainders.combine(residues, from + chunk * CHUNK, drop, keep, out);
    });
}

/// The product term by term, for a sequence of a few numbers.
fn schoolbook(a: Sequence, b: Sequence, whole: usize, keep: usize, budget: &Budget) -> Result<Vec<u64>, Error> {
    let width = a.width + b.width;
    let mut sums = vec![0_u64; whole * width];
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    for (i, x) in short.words.chunks_exact(short.width).enumerate() {
        budget.check()?;
        work::spend((long.words.len() as u64).saturating_mul(short.width as u64));
        for (j, y) in long.words.chunks_exact(long.width).enumerate() {
            let at = (i * short.stride.max(1) + j * long.stride.max(1)) * width;
            add_product(&mut sums[at..at + width], x, y);
        }
    }
    let drop = width - keep;
    Ok(sums.chunks_exact(width).flat_map(|sum| sum[drop..].iter().copied()).collect())
}

/// `sum += x y`, carries beyond the words of the sum lost.
pub fn add_product(sum: &mut [u64], x: &[u64], y: &[u64]) {
    for (i, &digit) in x.iter().enumerate() {
        let mut carry = 0_u64;
        let Some(places) = sum.get_mut(i..) else { return };
        let (low, high) = places.split_at_mut(y.len().min(places.len()));
        for (place, &other) in low.iter_mut().zip(y) {
            let term = u128::from(digit) * u128::from(other) + u128::from(*place) + u128::from(carry);
            *place = term as u64;
            carry = (term >> 64) as u64;
        }
        for place in high {
            if carry == 0 {
                break;
            }
            let (next, over) = place.overflowing_add(carry);
            *place = next;
            carry = u64::from(over);
        }
    }
}

#[cfg(test)]
mod tests;
