//! Loss distributions with many atoms, asked through their tails.
//!
//! A finite pair is a list of atoms (loss, P-mass, Q-mass). Sums over the pairs of two lists, sorted by loss, need only
//! one walk along both: with two lists of 2^20 atoms that stands for 2^40 outcomes.
//!
//! What is certified: masses are whole multiples of `2^-F`, rounded down, and what all of them miss together is
//! counted; losses are whole multiples of `2^-K`, so that near a threshold the tail set may be chosen wrongly, by atoms
//! whose loss is within `kappa` of it. That costs the profile at most `2 kappa` times their mass, because for
//! `|L - t| <= kappa <= 1/2` `|p - e^t q| = p |1 - e^(t-L)| <= 2 kappa p`. And it never costs a bound its truth: for
//! *every* set S, `P(S) - X Q(S)` is a lower bound of the profile, and `(P(S) - D)/Q(S)` of the inverse at the level D.
//!
//! | file | does |
//! |---|---|
//! | `list` | atoms by falling loss |
//! | `sequences` | few draws of many kinds, as one list |
//! | `half` | all draws of one half, as one list |
//! | `walk` | the sums over all pairs of two lists |
//! | `asked` | what a curve asks of two halves, with as many bits as it takes |
//! | `search` | where a profile comes down to a level, and the least mass of a test |

pub(super) mod asked;
mod half;
mod list;
mod search;
mod sequences;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

use rug::float::Round::{Down, Up};
use rug::{Float, Integer};

use self::half::Frame;
use self::walk::Walk;
use crate::alarm;
use crate::error::Error;
use enclosure::{AdaptivePrecision, AtMost, Budget, Enclosure, Need, Number};

pub(super) use self::half::{Draws, Keyed, Way};
pub(super) use self::sequences::{GUARD as SEQUENCE_GUARD, MOST as MOST_DRAWN};

/// What has two bounds, to be told in an alarm.
const TYPE_II: &str = "type II error of a sum over two halves";

/// A value in fixed point, rounded down: at most two units too small. `None` if the enclosure is too wide for that.
pub(super) fn fixed(value: &Enclosure, fraction: u32) -> Option<Integer> {
    let scaled = |x: &Float, round| {
        Float::with_val_round(value.bits() + 1, x << fraction, round).0.to_integer_round(round).map(|(n, _)| n)
    };
    let (low, high) = (scaled(value.lower(), Down)?, scaled(value.upper(), Up)?);
    (Integer::from(&high - &low) <= 2).then_some(low)
}

/// The same for data of the composition, for which only an exponent beyond the arithmetic is too wide.
pub(super) fn fixed_or_refuse(value: &Enclosure, fraction: u32) -> Result<Integer, Error> {
    fixed(value, fraction).ok_or_else(|| Error::Undecided("a privacy loss exceeds the range of the arithmetic".into()))
}

/// `n 2^-fraction`, as a set of one point or the nearest two numbers around it.
fn unfixed(n: &Integer, fraction: u32, bits: u32) -> Enclosure {
    let scale = |round| Float::with_val_round(bits, n, round).0 >> fraction;
    Enclosure::new(scale(Down), scale(Up))
}

/// Two lists, whose pairs of atoms are the outcomes; and what is beside them.
pub(super) struct MeetInTheMiddle {
    pairs: Arc<dyn Walk>,
    /// What is known of both lists together.
    frame: Frame,
    /// The P-mass where Q has none.
    infinite: Enclosure,
    /// Fraction bits of masses and of losses.
    fraction: u32,
    key_fraction: u32,
}

/// A set of outcomes with its masses.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    pub p: Enclosure,
    pub q: Enclosure,
}

impl MeetInTheMiddle {
    /// The draws of both halves, whose masses are in units of `2^-fraction` and keys in units of `2^-key_fraction`.
    ///
    /// # Errors
    /// Those of the budget; [`Error::Undecided`] for numbers beyond the arithmetic.
    pub(super) fn new(
        halves: &[Vec<Draws>; 2],
        infinite: Enclosure,
        (fraction, key_fraction): (u32, u32),
        budget: &Budget,
    ) -> Result<Self, Error> {
        Ok(Self::of(walk::pairs(halves, fraction, budget)?, infinite, (fraction, key_fraction)))
    }

    fn of(pairs: Arc<dyn Walk>, infinite: Enclosure, (fraction, key_fraction): (u32, u32)) -> Self {
        let [first, second] = pairs.frames();
        MeetInTheMiddle { pairs, frame: first.beside(&second), infinite, fraction, key_fraction }
    }

    /// The same with P and Q exchanged; beside it what Q has where P has nothing.
    ///
    /// # Errors
    /// [`Error::Undecided`] for numbers beyond the arithmetic.
    pub(super) fn reversed(&self, infinite: Enclosure) -> Result<Self, Error> {
        Ok(Self::of(self.pairs.reversed()?, infinite, (self.fraction, self.key_fraction)))
    }

    /// What is claimed if nothing is said of the masses that are missing.
    #[cfg(test)]
    pub(super) fn without_missing(self) -> Self {
        MeetInTheMiddle { frame: Frame { missing: Integer::new(), ..self.frame }, ..self }
    }

    /// Note what these masses are worth.
    pub(super) fn explain(&self, budget: &Budget) {
        let [first, second] = self.pairs.lens();
        if first > 1 {
            budget.note("privacy losses in the first half", first);
            budget.note("privacy losses in the second half", second);
        } else {
            budget.note("privacy losses in the list", second);
        }
        let Frame { key_error, missing, .. } = &self.frame;
        budget.note("mass lost to rounding", format_args!("at most {missing} units of 2^-{}", self.fraction));
        budget
            .note("error of each privacy loss", format_args!("at most {key_error} units of 2^-{}", self.key_fraction));
    }

    /// Bits beyond which nothing is known of a mass.
    fn bits(&self) -> u32 {
        self.fraction + 32
    }

    /// The outcomes whose loss, as far as the keys tell, exceeds a threshold in units of `2^-K`.
    fn tail_above(&self, key: &Integer, budget: &Budget) -> Result<Tail, Error> {
        let [p, q] = self.pairs.above(key, budget)?;
        // Lower approximations, of which each list misses so much: see [`Half`](half).
        let error = Integer::from(&self.frame.missing << self.fraction);
        let bounds = |n: &Integer| {
            let low = unfixed(n, 2 * self.fraction, self.bits());
            low.hull(&unfixed(&Integer::from(n + &error), 2 * self.fraction, self.bits()))
        };
        Ok(Tail { p: &bounds(&p) + &self.infinite, q: bounds(&q) })
    }

    /// A threshold in units, rounded down, and how wide it is with the errors of keys.
    fn units(&self, threshold: &Enclosure, budget: &Budget) -> Result<(Integer, Integer), Error> {
        let scaled = |x: &Float, round| {
            let scaled = Float::with_val_round(threshold.bits() + 1, x << self.key_fraction, round).0;
            scaled.to_integer_round(round).map(|(n, _)| n).ok_or_else(|| budget.out_of_bits())
        };
        let key = scaled(threshold.lower(), Down)?;
        let width = scaled(threshold.upper(), Up)? - &key;
        Ok((key, width + &self.frame.key_error + 2_u32))
    }

    /// A tail near a threshold.
    fn tail_near(&self, threshold: &Enclosure, budget: &Budget) -> Result<Tail, Error> {
        self.tail_above(&self.units(threshold, budget)?.0, budget)
    }

    /// A tail near a threshold, and how much the profile may exceed what it shows.
    pub(super) fn tail(&self, threshold: &Enclosure, budget: &Budget) -> Result<(Tail, Enclosure), Error> {
        let (key, units) = self.units(threshold, budget)?;
        let tail = self.tail_above(&key, budget)?;
        let wider = self.tail_above(&Integer::from(&key - &units), budget)?;
        let kappa = unfixed(&units, self.key_fraction, 64);
        if *kappa.upper() > 0.5 {
            // Too coarse for the estimate; still, the profile is at most 1.
            return Ok((tail, Enclosure::one(64).shift(1).hull(&Enclosure::whole(64)).positive_part()));
        }
        Ok((tail, (&kappa.shift(1) * &wider.p).positive_part()))
    }

    /// The profile at `e^t`.
    pub(super) fn profile(&self, threshold: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        let (tail, slack) = self.tail(threshold, budget)?;
        let shown = &tail.p - &(&threshold.exp() * &tail.q);
        budget.note("privacy losses too close to the threshold to compare", AtMost(slack.upper()));
        alarm::not_negative(&shown.hull(&(&shown + &slack)), "profile of a sum over two halves")
    }

    /// The largest of the losses, up to the width of the enclosure.
    pub(super) fn largest(&self) -> Enclosure {
        self.loss(&self.frame.ends.1)
    }

    /// The least of them.
    fn least(&self) -> Enclosure {
        self.loss(&self.frame.ends.0)
    }

    /// The losses that have this key.
    fn loss(&self, key: &Integer) -> Enclosure {
        let high = Integer::from(key + &self.frame.key_error);
        unfixed(key, self.key_fraction, self.bits()).hull(&unfixed(&high, self.key_fraction, self.bits()))
    }
}

/// Try with growing fixed point until `bits` relative bits are proven, five times at most; then what there is.
pub(super) fn adaptive(
    bits: u32,
    extra: u32,
    budget: &Budget,
    mut value: impl FnMut(u32) -> Result<Number, Error>,
) -> Result<Number, Error> {
    budget.afford(&Need {
        what: "bits of an exponential of losses",
        count: u64::from(extra),
        most: u64::MAX,
        // Some tens of such numbers, whatever else there is.
        bytes: u64::from(bits.saturating_add(extra)) * 8,
        relax: "try smaller epsilons",
    })?;
    let attempts = AdaptivePrecision::new(bits, extra.saturating_add(48), budget).fixed_point().attempts(5);
    attempts.run(|fraction| value(fraction).map(Some))
}
