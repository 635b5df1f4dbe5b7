//! Arrays of masses in fixed point, and their convolution.
//!
//! An array stands for a law on the integers (losses in units of a composition): masses are whole multiples of `2^-F`,
//! `F = 64 width`, rounded down. What is certified of it is one number: a bound on the sum of all differences between
//! the true masses and the stored ones, over all integers, in units of `2^-F`. For two laws with such bounds `e` and
//! `e'`, and stored masses that add up to less than 1, the stored convolution differs by at most `e + e'` in sum;
//! rounding n coefficients down adds n units, and coefficients cut off at the ends add what they are. A count that has
//! reached the largest number there is says nothing any more.
//!
//! First and last place are at most [`FARTHEST`] away from zero, so that places, their sums and their mirror images are
//! numbers of 64 bits.

use rug::float::Special;
use rug::{Float, Integer};

use crate::error::Error;
use enclosure::convolution::{self, Cost, Sequence};
use enclosure::{Budget, Enclosure, Need};

/// How far from zero a place may be.
const FARTHEST: u64 = 1 << 60;

/// An error of so many units of `2^(-64 width)`, as an interval that begins with zero.
pub(super) fn in_units(error: u128, width: usize) -> Enclosure {
    if error == u128::MAX {
        return Enclosure::new(Float::new(64), Float::with_val(64, Special::Infinity));
    }
    let size = Enclosure::integer(&Integer::from(error), 64).shift(-(64 * width as i32));
    Enclosure::zero(64).hull(&size)
}

/// A law on `start, start + stride, ...`.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub start: i64,
    pub stride: u64,
    pub width: usize,
    pub words: Vec<u64>,
    /// The sum of all differences from the true law is at most so many units.
    pub error: u128,
}

impl Array {
    /// How many places.
    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Drop the ends: zeros, and masses that add up to no more than there are places (as rounding does).
    fn trim(&mut self) {
        let (width, places) = (self.width, self.len());
        let allowed = places as u128;
        let small = |words: &mut dyn Iterator<Item = &[u64]>| {
            let (mut sum, mut count) = (0_u128, 0);
            for word in words {
                let (low, high) =
                    word.split_first().map_or((0, false), |(low, rest)| (*low, rest.iter().any(|x| *x != 0)));
                if high || sum + u128::from(low) > allowed {
                    break;
                }
                sum += u128::from(low);
                count += 1;
            }
            (sum, count)
        };
        let (below, first) = small(&mut self.words.chunks_exact(width));
        // Among what is left: where nearly all mass is elsewhere, either end could take it all.
        let (above, last) = small(&mut self.words.chunks_exact(width).skip(first).rev());
        self.error = self.error.saturating_add(below).saturating_add(above);
        if first + last == places {
            // Nothing is left: one zero, and all of it is error.
            self.words.truncate(width);
            self.words.fill(0);
            return;
        }
        self.words.truncate((places - last) * width);
        self.words.drain(..first * width);
        // Within the span of the array, which is short enough.
        self.start = self.start.saturating_add_unsigned((first as u64).saturating_mul(self.stride));
    }

    /// From masses by place, which all together lack at most so many units.
    ///
    /// # Errors
    /// [`Error::Undecided`] for places too far from zero.
    pub fn new(start: i64, stride: u64, width: usize, words: Vec<u64>, error: u128) -> Result<Self, Error> {
        let mut array = Array { start, stride: stride.max(1), width, words, error };
        array.check_places()?;
        array.below_one();
        array.trim();
        Ok(array)
    }

    /// Are first and last place near enough to zero?
    fn check_places(&self) -> Result<(), Error> {
        let span = (self.len() as u64).saturating_sub(1).checked_mul(self.gap());
        let last = span.and_then(|span| self.start.checked_add_unsigned(span));
        let near = |place: i64| place.unsigned_abs() <= FARTHEST;
        if near(self.start) && last.is_some_and(near) { Ok(()) } else { Err(too_long()) }
    }

    /// The law of what is certainly zero, a unit short.
    pub fn at_zero(width: usize) -> Self {
        Array { start: 0, stride: 1, width, words: vec![u64::MAX; width], error: 1 }
    }

    /// Stored masses must add up to less than one: a unit is taken from some mass if they do not.
    fn below_one(&mut self) {
        let mut sum = vec![0_u64; self.width + 1];
        for word in self.words.chunks_exact(self.width) {
            convolution::add_product(&mut sum, &[1], word);
        }
        if sum.last().is_some_and(|top| *top > 0)
            && let Some(word) =
                self.words.chunks_exact_mut(self.width).max_by(|a, b| a.iter().rev().cmp(b.iter().rev()))
        {
            for digit in word {
                let (next, borrow) = digit.overflowing_sub(1);
                *digit = next;
                if !borrow {
                    break;
                }
            }
            self.error = self.error.saturating_add(1);
        }
    }

    /// The reflection of the law at zero.
    pub fn reversed(mut self) -> Self {
        let span = (self.len() as u64).saturating_sub(1).saturating_mul(self.gap());
        self.start = self.start.saturating_add_unsigned(span).saturating_neg();
        self.words = self.words.chunks_exact(self.width).rev().flatten().copied().collect();
        self
    }

    /// The distance of neighbours; none if there is one place only.
    fn gap(&self) -> u64 {
        if self.len() > 1 { self.stride } else { 0 }
    }

    /// Places of the convolution with another array, and the stride they have.
    pub fn places_with(&self, other: &Array) -> (u64, u64) {
        let stride = gcd(self.gap(), other.gap()).max(1);
        let span = |array: &Array| (array.len() as u64 - 1).saturating_mul(array.gap() / stride);
        (span(self).saturating_add(span(other)).saturating_add(1), stride)
    }

    /// The law of the sum.
    pub fn convolve(&self, other: &Array, budget: &Budget) -> Result<Array, Error> {
        let (places, stride) = self.places_with(other);
        check_size(places, self.width, budget)?;
        let width = self.width;
        let sequence = |array: &'_ Array| -> Result<usize, Error> {
            // A single number has no gaps.
            usize::try_from((array.gap() / stride).max(1)).map_err(|_| too_long())
        };
        let a = Sequence { words: &self.words, width, stride: sequence(self)? };
        let b = Sequence { words: &other.words, width, stride: sequence(other)? };
        let words = convolution::product(a, b, width, None, budget)?;
        let start = self.start.checked_add(other.start).ok_or_else(too_long)?;
        let rounding = (words.len() / width) as u128;
        let error = self.error.saturating_add(other.error).saturating_add(rounding);
        let mut product = Array { start, stride, width, words, error };
        product.check_places()?;
        product.trim();
        Ok(product)
    }

    /// The law of the sum of so many independent copies, at least one.
    pub fn power(&self, times: u64, budget: &Budget) -> Result<Array, Error> {
        let mut result = self.clone();
        for place in (0..times.max(1).ilog2()).rev() {
            budget.check()?;
            result = result.convolve(&result, budget)?;
            if times >> place & 1 == 1 {
                result = result.convolve(self, budget)?;
            }
        }
        Ok(result)
    }
}

/// The greatest common divisor.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn too_long() -> Error {
    Error::Undecided("the privacy losses of the composition span too many lattice points".into())
}

/// Refuse a product that would not fit in memory, before it is begun.
pub(super) fn check_size(places: u64, width: usize, budget: &Budget) -> Result<(), Error> {
    budget.afford(&Need {
        what: "lattice points",
        count: places,
        most: super::MOST_POINTS,
        bytes: Cost::of(places, width).bytes(),
        relax: "try a coarser unit, fewer compositions or fewer digits",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masses that either end could take as rounding: they are dropped once, and counted once.
    #[test]
    fn ends_do_not_take_the_same_masses() {
        for (words, left, error) in [
            (vec![3, 0, 0, 3], 1, 6),
            (vec![4, 0, 0, 1], 1, 5),
            (vec![0, 2, 2, 0], 1, 4),
            (vec![1, 3, 3, 1], 1, 8),
            (vec![1, 4, 4, 1], 2, 2),
            (vec![9, 0, 0, 1], 1, 1),
        ] {
            let array = Array::new(0, 1, 1, words.clone(), 0).expect("places near zero");
            assert_eq!((array.len(), array.error), (left, error), "{words:?}");
            let kept = array.words.iter().map(|word| u128::from(*word)).sum::<u128>();
            assert_eq!(kept + array.error, words.iter().map(|word| u128::from(*word)).sum::<u128>(), "{words:?}");
        }
    }
}
