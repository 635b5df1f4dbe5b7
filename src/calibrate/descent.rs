//! From a value from which on all are safe down to one that fails: by whole intervals; see
//! `proofs/paper/calibration.md`.
//!
//! For discrete Gaussian noise alone, run any number of times, the quantity of the target can be bounded on a whole
//! interval of parameters, because the tails that it consists of are monotone in the same direction
//! ([`DiscreteGaussian::largest_delta`]). So if all values from one on are safe, all values from a smaller one on are
//! safe if the interval between them is. The bound on a short interval is close to the values at its ends. Steps in
//! proportion to the remaining distance therefore prove a number of digits that grows with the number of steps.
//!
//! Termination: a step that is not proven is halved, down to a fixed fraction of the remaining distance. A value found
//! to fail becomes the new end below.

use rug::float::Round;
use rug::{Float, Rational};

use super::oracle::{FEW, Verdict};
use super::question::{Calibration, Target};
use super::scale::Scale;
use super::search::Search;
use crate::compose::{DiscreteGaussian, Tails};
use crate::error::Error;
use crate::pair::Pair;
use enclosure::{Budget, Enclosure, Portable, Real, Reason, bits_of_digits};

/// The first step, as a part of what is left.
const FIRST: f64 = 0.25;
/// The greatest.
const GREATEST: f64 = 0.5;
/// No step is smaller.
const LEAST: f64 = 1e-9;
/// Number of unproven steps after which a value in between is evaluated itself.
const PATIENCE: u32 = 3;
/// Factor by which a value that is evaluated itself is farther than the failed step.
const FARTHER: f64 = 8.0;
/// Bits of bounds on a long interval: of a delta, and where one less the bound is what counts.
const LEAST_BITS: u32 = 48;
const LEAST_BITS_BESIDE_ONE: u32 = 96;
/// How much finer steps are than the scale of the values.
const FINER: u32 = 48;

/// Down from `top`, from which on all values are safe.
pub(super) struct Descent<'a> {
    question: &'a Calibration,
    budget: &'a Budget,
    pub top: Rational,
    bits: u32,
    /// The end above is that of the interval before.
    tails: Tails,
}

impl<'a> Descent<'a> {
    /// `None` where the composition is not discrete Gaussian noise alone.
    pub fn new(question: &'a Calibration, top: &Rational, budget: &'a Budget) -> Result<Option<Self>, Error> {
        let Some(rest) = question.template.without()?.filter(|rest| !rest.has_guarantee()) else { return Ok(None) };
        for (mechanism, _) in rest.factors() {
            if !matches!(mechanism.pair()?, Pair::Equal) {
                return Ok(None);
            }
        }
        let descent = Descent { question, budget, top: top.clone(), bits: 2 * FINER, tails: Tails::default() };
        Ok(descent.noise(top)?.map(|_| descent))
    }

    /// The noise with this value of the parameter.
    fn noise(&self, at: &Rational) -> Result<Option<DiscreteGaussian>, Error> {
        let composition = self.question.template.with(Real::from(at.clone()))?;
        let [(mechanism, times)] = composition.factors() else { return Ok(None) };
        let Pair::DiscreteGaussian { sigma2, sensitivity } = mechanism.pair()? else { return Ok(None) };
        Ok(Some(DiscreteGaussian::new(sigma2, sensitivity.into(), *times)?))
    }

    /// Is each value between this one and the top proven to be safe?
    fn keeps(&mut self, low: &Rational) -> Result<bool, Error> {
        let high = &self.top;
        // What is left to the level is about in proportion to the interval, relatively.
        let part = (Rational::from(high - low) / high).to_f64();
        let least = match self.question.target {
            Target::Tradeoff { .. } => LEAST_BITS_BESIDE_ONE,
            _ => LEAST_BITS,
        };
        let bits = self.bits.min(least.saturating_add((-part.portable_log2()).clamp(0.0, 1e6) as u32));
        let (Some(low), Some(high)) = (self.noise(low)?, self.noise(high)?) else { return Ok(false) };
        let (tails, budget) = (&mut self.tails, self.budget);
        let mut bound = |epsilon: &Real| low.largest_delta(&high, epsilon, bits, tails, budget);
        let level = self.question.target.level().enclosure(self.bits);
        match &self.question.target {
            Target::Profile { epsilon, .. } => Ok(bound(epsilon)?.upper() <= level.lower()),
            Target::Tradeoff { alpha, .. } => {
                // Any line below the trade-off function will do: that of the segment at one end.
                let epsilon = Real::from(low.line_at(alpha, self.budget)?);
                let weight = epsilon.exp_number(self.bits).enclosure(self.bits);
                let errs = &Enclosure::one(self.bits) - &(&weight * &alpha.enclosure(self.bits));
                Ok((&errs - &bound(&epsilon)?).lower() >= level.upper())
            }
            Target::Gdp { .. } | Target::Zcdp { .. } | Target::Renyi { .. } => Ok(false),
        }
    }

    /// Down to the value that is safe next to the one that fails; where a value between turns out to fail, to the one
    /// next to that. A reason where it stops short: then the safe end is the last one from which on all are safe.
    pub fn down(&mut self, search: &mut Search, scale: Scale, goal: u32) -> Result<Option<Reason>, Error> {
        let (mut part, mut misses, mut asked) = (FIRST, 0, false);
        self.bits = bits_of_digits(goal) + 2 * FINER;
        loop {
            self.budget.check()?;
            let (Some(safe), Some(fails)) = (&search.safe, &search.fails) else { return Ok(None) };
            let (safe, fails) = (safe.at.clone(), fails.at.clone());
            if fails >= self.top {
                let top = &self.top;
                return Err(Error::internal(format!(
                    "{fails} fails, and intervals prove all from {top} on to be safe"
                )));
            }
            if self.top <= safe {
                return Ok(None);
            }
            search.oracle.tell(&format!("every value from {} on meets the target", super::told(&self.top)));
            let next = self.next(&fails, part, scale).max(safe.clone());
            if next < self.top && self.keeps(&next)? {
                self.top = next;
                // Misses are kept: next to teeth that fail, steps that go well and misses take turns.
                part = (part * 1.2).min(GREATEST);
                continue;
            }
            (part, misses) = (part / 2.0, misses + 1);
            let above = scale.at_least(&self.top);
            let neighbours = scale.step(&safe, &above) == above;
            if part < LEAST && (asked || neighbours) {
                search.look(&above, FEW)?;
                let name = self.question.template.place().name();
                let reason = format!("the values of {name} next to the failing one could not be decided");
                return Ok((!neighbours).then(|| reason.into()));
            }
            if (misses % PATIENCE == 0 || part < LEAST) && !neighbours {
                asked = part < LEAST;
                // Where the bound of an interval falls short its near end is often safe, and one farther on is not.
                let farther = self.next(&fails, (part * FARTHER).min(GREATEST), scale).max(safe.clone());
                let between = scale.between(&farther, &safe, &above);
                let (point, verdict) = search.oracle.look(&between, goal)?;
                if matches!(verdict, Verdict::Fails) {
                    search.fails = Some(point);
                    search.look(&above, FEW)?;
                    search.narrow(scale, goal)?;
                    (part, misses, asked) = (FIRST, 0, false);
                }
            }
        }
    }

    /// A value below the top by a part of what is left to the one that fails.
    fn next(&self, fails: &Rational, part: f64, scale: Scale) -> Rational {
        let left = Rational::from(&self.top - fails);
        let next = Rational::from_f64(part).map_or_else(|| fails.clone(), |part| &self.top - left * part);
        let Scale::Binary(bits) = scale else { return next };
        Float::with_val_round(bits + FINER, &next, Round::Nearest).0.to_rational().unwrap_or(next)
    }
}
