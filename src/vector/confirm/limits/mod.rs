//! What limit theorems say, once more: moments of the losses from their definitions, curves of Gaussians by midpoints,
//! expansions from the formal series.
//!
//! A delta or a beta is computed; an epsilon is confirmed by the profile a little, `2^-85` of it, before and behind it,
//! which is above delta there and not above it here. Of amplification by shuffling it is the other way round: the
//! theorems print an epsilon. The hypotheses, and which mu belongs to which theorem, are the paper's: both routes share
//! them.

mod curve;
mod expansion;
mod normal;
mod parts;
mod shuffling;

use dpcert_vectors::Limit;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::Zero;
use rug::Rational;

use self::curve::Curve;
use self::expansion::Both;
pub use self::parts::Moments;
use super::{Claim, Routes, numbers, require, sharper};
use crate::answer::Outcome;
use crate::error::Error;
use crate::query::{Quantity, Query};
use crate::route::moments::{self, add, mul, point};
use enclosure::Real;

type Bounds = (Second, Second);

/// How far from an epsilon the profile is asked, relative to it: `2^-85`.
const BESIDE: u32 = 85;
/// Working precisions, one after the other.
const BITS: [u64; 4] = [160, 240, 480, 1600];
/// The name of the route.
const NAME: &str = "malachite, the theorem with moments from their definitions";

impl Routes {
    /// The name of the second route that agrees with what a theorem says.
    ///
    /// # Errors
    /// As [`Routes::confirm`] has them.
    pub fn confirm_limit(&self, limit: Limit, query: &Query, outcome: &Outcome) -> Result<String, Error> {
        let claim = Claim::of(outcome)?;
        sharper(&BITS, |&bits| once(limit, query, &claim, &self.moments, bits))?;
        let name = if matches!(limit, Limit::Clones | Limit::StrongerClones) { shuffling::NAME } else { NAME };
        Ok(name.to_string())
    }
}

fn once(limit: Limit, query: &Query, claim: &Claim, known: &Moments, bits: u64) -> Result<(), Error> {
    match limit {
        Limit::Clones => shuffling::confirm(shuffling::Form::Clones, query, claim, bits),
        Limit::StrongerClones => shuffling::confirm(shuffling::Form::Stronger, query, claim, bits),
        Limit::Clt { form } => {
            let (square, survival) = normal::clt(&query.mechanism, form, known, bits)?;
            Curve { square, survival, side: None, bits }.confirm(query, claim)
        }
        Limit::BerryEsseen { bound } => {
            let (square, gamma, survival) = normal::berry_esseen(&query.mechanism, known, bits)?;
            Curve { square, survival, side: Some((gamma, bound)), bits }.confirm(query, claim)
        }
        Limit::CltRate { bound } => {
            let (square, gamma, survival) = normal::rate(&query.mechanism, bits)?;
            Curve { square, survival, side: Some((gamma, bound)), bits }.confirm(query, claim)
        }
        Limit::Edgeworth { order } => {
            let side = |reversed| -> Result<_, Error> {
                let parts = parts::parts(&query.mechanism, reversed, bits)?;
                let mut sums = vec![point(Second::ZERO); order as usize + 2];
                for (raw, times) in &parts.raw(order + 2, known, bits)? {
                    for (sum, cumulant) in sums.iter_mut().zip(moments::cumulants(raw)) {
                        *sum = add(sum, &mul(&cumulant, &point(Second::from(*times))));
                    }
                }
                Ok((sums, parts.survival))
            };
            let ((forward, survival), (backward, _)) = (side(false)?, side(true)?);
            Both::new(&forward, &backward, survival, order as usize, bits)?.confirm(query, claim)
        }
    }
}

/// A profile and a trade-off function for an epsilon and an alpha.
trait Says {
    fn delta(&self, epsilon: &Real) -> Result<Bounds, Error>;
    fn beta(&self, alpha: &Rational) -> Result<Bounds, Error>;

    /// Is the claim what it says?
    fn confirm(&self, query: &Query, claim: &Claim) -> Result<(), Error> {
        match &query.quantity {
            Quantity::Delta { epsilon } => claim.agrees_with(&numbers::first_both(&self.delta(epsilon)?)?),
            Quantity::Beta { alpha } => {
                claim.agrees_with(&numbers::first_both(&self.beta(numbers::rational(alpha, "alpha")?)?)?)
            }
            Quantity::Epsilon { delta } => {
                let target = numbers::second(numbers::rational(delta, "delta")?)?;
                let Claim::Within(lower, upper) = claim else { return self.infinite(&target) };
                let little = Rational::from((1, rug::Integer::from(1) << BESIDE));
                let before = Rational::from(1 - &little) * lower;
                let behind: Rational = (1 + little) * upper;
                let left = upper.is_zero() || self.delta(&before.into())?.0 > target;
                require(left && self.delta(&behind.into())?.1 <= target, "the profile on both sides")
            }
            _ => Err(Error::input("not a curve")),
        }
    }

    /// Is no epsilon large enough?
    fn infinite(&self, _target: &Second) -> Result<(), Error> {
        require(false, "an infinite epsilon")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::question::Question;
    use crate::vector::sessions::Sessions;
    use dpcert_vectors::Quantity::{LimitBeta, LimitDelta, LimitEpsilon};
    use dpcert_vectors::{Bound, Direction, LimitForm};
    use enclosure::Budget;

    /// What a theorem says is confirmed; something else, and what another one says, is not.
    #[test]
    fn right_claims_are_confirmed_and_wrong_ones_are_not() {
        let shuffled = "shuffle(n=10000, epsilon0=2)";
        let (upper, lower) = (Limit::BerryEsseen { bound: Bound::Upper }, Limit::BerryEsseen { bound: Bound::Lower });
        let clt = |form| Limit::Clt { form };
        let response = "randomized-response(epsilon=1/10)^400";
        for (limit, mechanism, quantity, name, at) in [
            (Limit::Clones, shuffled, LimitEpsilon, "delta", "1e-6"),
            (Limit::Clones, shuffled, LimitDelta, "epsilon", "6/10"),
            (Limit::StrongerClones, shuffled, LimitEpsilon, "delta", "1e-6"),
            (Limit::StrongerClones, shuffled, LimitDelta, "epsilon", "5/10"),
            (clt(LimitForm::Centred), response, LimitDelta, "epsilon", "1"),
            (upper, response, LimitDelta, "epsilon", "1"),
            (lower, response, LimitBeta, "alpha", "1/2"),
            (Limit::Edgeworth { order: 3 }, response, LimitEpsilon, "delta", "1/100"),
            (Limit::Edgeworth { order: 2 }, "poisson(rate=1/10, gaussian(sigma=1))^99", LimitDelta, "epsilon", "1"),
            (Limit::Edgeworth { order: 2 }, "finite(p=[1/2,3/10,1/5], q=[1/3,1/3,1/3])^40", LimitBeta, "alpha", "1/9"),
        ] {
            let at = [(name, at.parse().expect("a constant"))];
            let question = Question::new(quantity, mechanism, &at, Direction::Worst, Some(limit), 40);
            let question = question.expect("a question");
            let Question::Limit(_, asked) = &question else { panic!("of no theorem") };
            let outcome = question.answer(&Sessions::default(), &Budget::default()).expect("an answer").outcome;
            let routes = Routes::default();
            routes.confirm_limit(limit, &asked.query, &outcome).expect("it is so");
            let set = outcome.number().expect("a number").enclosure(200);
            let off = enclosure::Enclosure::rational(&Rational::from((1, 1_000_000_000_000u64)), 200);
            let wrong = Outcome::of(enclosure::Number::Enclosed(set + off));
            assert!(routes.confirm_limit(limit, &asked.query, &wrong).is_err(), "{mechanism}");
            let other = match limit {
                Limit::Clones => Limit::StrongerClones,
                Limit::StrongerClones => Limit::Clones,
                _ => Limit::Edgeworth { order: 1 },
            };
            assert!(routes.confirm_limit(other, &asked.query, &outcome).is_err(), "{mechanism}");
        }
    }
}
