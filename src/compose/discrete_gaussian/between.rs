//! The largest delta of all variance parameters between two.
//!
//! Delta at an epsilon is `A_k - e^eps B_k`, k the first knot above epsilon, and is no monotone function of `sigma2`,
//! for k moves with it. But a sum S of draws has likelihood ratios that rise with `|S|` against the same sum with a
//! smaller `sigma2`. So for `k >= 1`, as `sigma2` grows, `A_k` and `B_k/A_k` do not fall, and `A_k(b)/A_k(a)` does not
//! fall with k. From a to b and for `eps >= 0`, with k the first knot above epsilon at b,
//!
//! `delta <= delta(a) max(1, A_k(b)/A_k(a))`.
//!
//! Paper proof: `proofs/paper/calibration.md`.

use std::cmp::Ordering;

use std::collections::VecDeque;

use rug::{Integer, Rational};

use super::DiscreteGaussian;
use super::tail::Law;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// So many tails are kept.
const KEPT: usize = 4;

/// The tails `A_k` that were computed last, the newest first: neighbouring intervals share an end, and what a delta is
/// made of is what it is compared by.
#[derive(Debug, Default)]
pub struct Tails(VecDeque<(Law, Integer, Enclosure)>);

impl Tails {
    /// `A_k`, with so many relative bits if there are as many.
    fn at(&mut self, law: Law, k: &Integer, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let known = self.0.iter().find(|(draws, index, tail)| {
            index == k && *draws == law && tail.relative_bits().is_some_and(|proven| proven >= i64::from(bits))
        });
        if let Some((.., tail)) = known {
            return Ok(tail.clone());
        }
        let tail = law.survival(k, bits, &budget.under("P(loss >= knot)"))?;
        self.0.push_front((law, k.clone(), tail.clone()));
        self.0.truncate(KEPT);
        Ok(tail)
    }
}

impl DiscreteGaussian {
    /// A number that no delta at epsilon exceeds, of draws of the same number and shift with a `sigma2` from that of
    /// these to the larger one of others, both included.
    ///
    /// For an epsilon below zero, by symmetry, `delta(eps) = 1 - e^eps + e^eps delta(-eps)`. Tails that are known are
    /// not computed again.
    ///
    /// # Errors
    /// Those of the tails.
    pub(crate) fn largest_delta(
        &self,
        larger: &Self,
        epsilon: &Real,
        bits: u32,
        tails: &mut Tails,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        debug_assert!(self.sigma2 <= larger.sigma2 && self.shift() == larger.shift());
        if epsilon.sign() == Some(Ordering::Less) {
            let far = self.largest_delta(larger, &epsilon.neg(), bits, tails, budget)?;
            let weight = epsilon.exp_number(bits).enclosure(bits);
            return Ok(&(&Enclosure::one(bits) - &weight) + &(&weight * &far));
        }
        let pair = |k: &Integer, work: u32| Ok((tails.at(self.law(), k, work, budget)?, self.second(k, work, budget)?));
        let delta = self.profile(epsilon, bits, budget, pair)?;
        // The position of epsilon among the knots does not fall as sigma2 grows.
        let (_, last) = larger.first_above(epsilon, bits)?;
        if last < 1 {
            return Ok(delta);
        }
        let [here, there] = [self, larger].map(|draws| tails.at(draws.law(), &last, bits, budget));
        Ok(&delta * &(&there? / &here?).max(&Enclosure::one(bits)))
    }

    /// An epsilon whose line is that of the trade-off function at alpha, as far as a search can tell.
    ///
    /// # Errors
    /// Those of the tails.
    pub(crate) fn line_at(&self, alpha: &Real, budget: &Budget) -> Result<Rational, Error> {
        Ok(-self.knot(&self.search_segment(alpha, 256, budget)?))
    }
}
