//! The trade-off function of two mechanisms or more, where its optimal threshold lies inside the losses.

use std::cmp::Ordering;

use rug::Float;

use super::{Kernel, Laplace, Point, TYPE_II};
use crate::alarm;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// A type I error `alpha` whose optimal threshold t lies inside `(-kc, kc)`, `k >= 2`; of several scales between the
/// least and the largest loss.
struct Interior<'a> {
    law: &'a Laplace,
    /// The place of the least knot.
    last: usize,
    alpha: Enclosure,
    bits: u32,
    working: u32,
    budget: &'a Budget,
}

/// Where the optimal threshold may be, with about the supergradients at both ends.
struct Bracket {
    low: Float,
    high: Float,
    at_low: Option<Float>,
    at_high: Option<Float>,
}

impl Laplace {
    /// `beta(alpha)` where the optimal threshold lies inside `(-kc, kc)`, `k >= 2`.
    ///
    /// With `x = e^t`, `F(x) = 1 - delta(t) - x alpha` is concave with supergradient `g = Q(loss > t) - alpha`, and
    /// `beta = max F`. If the maximum lies in `[x_1, x_2]` then `F(x) <= beta <= F(x) + |g| (x_2 - x_1)` for every `x`
    /// inside. At an atom every number between `Q(loss > t) - alpha` and `Q(loss >= t) - alpha` is a supergradient; if
    /// 0 is one, the atom is the maximum.
    pub(super) fn interior_beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.affordable()?;
        let working = bits.saturating_add(32);
        let last = self.knots.len().saturating_sub(1);
        let interior = Interior { law: self, last, alpha: alpha.enclosure(working), bits, working, budget };
        // The threshold is strictly between the atoms i = above and i = below, which are not asked themselves yet.
        let (mut above, mut below) = (None, last + 1);
        loop {
            let next = above.map_or(0, |above| above + 1);
            if next >= below {
                break;
            }
            let i = next + (below - next) / 2;
            let (open, closed) = interior.tails_that_tell(i)?;
            if interior.alpha.compare(&closed) == Some(Ordering::Greater) {
                above = Some(i);
            } else if interior.alpha.compare(&open) == Some(Ordering::Less) {
                below = i;
            } else {
                return interior.at_atom(i, &open, &closed);
            }
        }
        interior.between_atoms(below.min(last), above.unwrap_or(0))
    }
}

impl Interior<'_> {
    /// `Q(loss > t)` and `Q(loss >= t)` at an atom.
    fn tails(&self, i: usize, bits: u32) -> Result<(Enclosure, Enclosure), Error> {
        let at = Point::Atom(i);
        let sum = |closed| self.law.precise_sum(Kernel::Second, &at, closed, bits, self.budget);
        let open = if i == 0 { Enclosure::zero(bits) } else { sum(false)? };
        let closed = if i == self.last { Enclosure::one(bits) } else { sum(true)? };
        Ok((open, closed))
    }

    /// The same: most atoms are told apart at once; only where the answer may be is the full precision needed.
    fn tails_that_tell(&self, i: usize) -> Result<(Enclosure, Enclosure), Error> {
        let (open, closed) = self.tails(i, 64)?;
        let outside =
            self.alpha.compare(&closed) == Some(Ordering::Greater) || self.alpha.compare(&open) == Some(Ordering::Less);
        if outside { Ok((open, closed)) } else { self.tails(i, self.working) }
    }

    /// The answer if an atom is the threshold, as far as its tails can be told from alpha.
    fn at_atom(&self, i: usize, open: &Enclosure, closed: &Enclosure) -> Result<Enclosure, Error> {
        let working = self.working;
        let exp_of = |i: usize| self.law.knot(i, working).enclosure(working).exp();
        let (exp, top) = (exp_of(i), exp_of(0));
        let value = if i == 0 {
            &Enclosure::one(working) - &(&exp * &self.alpha)
        } else {
            self.support(&Point::Atom(self.last - i), &(open - &self.alpha), &exp)?
        };
        // Not zero only if the two comparisons were too close to tell.
        let left = (&self.alpha - closed).positive_part() * &exp;
        let right = (open - &self.alpha).positive_part() * (&top - &exp).positive_part();
        alarm::not_negative(&value.hull(&(&value + &(left + right))), TYPE_II)
    }

    /// `1 - delta(t) - e^t alpha = Q(loss >= -t) + e^t (Q(loss > t) - alpha)`, a lower bound of `beta(alpha)` for every
    /// t, from the point `-t`, `excess = Q(loss > t) - alpha` and `e^t`.
    fn support(&self, opposite: &Point, excess: &Enclosure, exp: &Enclosure) -> Result<Enclosure, Error> {
        debug_assert!(!matches!(opposite, Point::Real { .. }));
        let rest = self.law.precise_sum(Kernel::Second, opposite, true, self.working, self.budget)?;
        Ok(&rest + &(exp * excess))
    }

    /// The answer if the threshold lies strictly between two neighbouring atoms.
    fn between_atoms(&self, low: usize, high: usize) -> Result<Enclosure, Error> {
        let atom = |i: usize| self.law.knot(i, self.working).enclosure(self.working);
        let (low, high) = (atom(low).lower().clone(), atom(high).upper().clone());
        let mut bracket = Bracket { low, high, at_low: None, at_high: None };
        let mut best: Option<Enclosure> = None;
        for round in 0..u64::from(self.bits).saturating_mul(2).saturating_add(200) {
            self.budget.check()?;
            let t = bracket.proposal(round, self.working);
            let Some(at) = t.to_rational() else { break };
            let opposite = Point::Rational(-at.clone());
            let tail = self.law.precise_sum(Kernel::Second, &Point::Rational(at), false, self.working, self.budget)?;
            let excess = &tail - &self.alpha;
            let value = self.support(&opposite, &excess, &exp(&t))?;
            let slack = excess.abs() * (&exp(&bracket.high) - &exp(&bracket.low)).positive_part();
            let here = value.hull(&(&value + &slack));
            let narrowed = match best {
                Some(best) => alarm::meet(&best, &here, TYPE_II)?,
                None => here,
            };
            let enough = narrowed.relative_bits().is_some_and(|proven| proven >= i64::from(self.bits));
            best = Some(narrowed);
            if enough || !bracket.learn(t, &excess, self.working) {
                break;
            }
        }
        best.map_or_else(|| Ok(Enclosure::whole(self.bits)), |best| alarm::not_negative(&best, TYPE_II))
    }
}

/// `e^t` of a double of many bits.
fn exp(t: &Float) -> Enclosure {
    Enclosure::new(t.clone(), t.clone()).exp()
}

impl Bracket {
    /// Where to look next: where the chord of the supergradients crosses zero, if it does, and now and then half way.
    fn proposal(&self, round: u64, working: u32) -> Float {
        let half = Float::with_val(working, &self.low + &self.high) / 2u32;
        let secant = match (&self.at_low, &self.at_high) {
            (Some(a), Some(b)) if round % 4 != 3 => {
                let part = Float::with_val(working, a / Float::with_val(working, a - b));
                Float::with_val(working, &self.low + part * Float::with_val(working, &self.high - &self.low))
            }
            _ => half.clone(),
        };
        if secant > self.low && secant < self.high { secant } else { half }
    }

    /// Whether the sign of a supergradient, which falls, tells on which side of t the maximum is.
    ///
    /// Illinois: an end that stays loses half its weight, so that it moves too.
    fn learn(&mut self, t: Float, excess: &Enclosure, working: u32) -> bool {
        let middle = Float::with_val(working, excess.lower() + excess.upper()) / 2u32;
        match excess.sign() {
            Some(Ordering::Greater) => {
                self.low = t;
                if self.at_low.is_some() {
                    self.at_high = self.at_high.take().map(|g| g / 2u32);
                }
                self.at_low = Some(middle);
            }
            Some(Ordering::Less) => {
                self.high = t;
                if self.at_high.is_some() {
                    self.at_low = self.at_low.take().map(|g| g / 2u32);
                }
                self.at_high = Some(middle);
            }
            _ => return false,
        }
        true
    }
}
