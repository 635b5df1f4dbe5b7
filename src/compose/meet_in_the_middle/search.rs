//! Where a profile comes down to a level, and the least mass of a test: searches, whose results are proven.
//!
//! Why the loops end: a fixed number of search steps; what they miss stays in the enclosure.

use std::cmp::Ordering;

use rug::float::Round::{Down, Up};
use rug::{Float, Integer};

use super::{MeetInTheMiddle, TYPE_II, Tail};
use crate::alarm;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number};

impl MeetInTheMiddle {
    /// The least `eps >= 0` with profile at most the level, which is above the infinite atom's mass.
    ///
    /// Search by Newton's method on the logarithm of the profile, kept inside a bracket. Prove: the last tail S gives
    /// the lower bound `ln((P(S) - D)/Q(S))`, and the profile a little further up is certainly below the level.
    pub(in crate::compose) fn inverse(&self, level: &Enclosure, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let zero = Enclosure::zero(bits);
        let at_zero = self.profile(&zero, budget)?;
        if matches!(at_zero.compare(level), Some(Ordering::Less | Ordering::Equal)) {
            return Ok(Number::zero());
        }
        let work = self.bits();
        let top = self.largest();
        let (mut low, mut high) = (Float::with_val(work, 0), top.upper().clone());
        let mut at = Float::with_val(work, 0);
        let goal = level.ln();
        let mut lower = zero.clone();
        for _ in 0..80 {
            budget.check()?;
            let point = Enclosure::new(at.clone(), at.clone());
            let tail = self.tail_near(&point, budget)?;
            let shown = &tail.p - &(&point.exp() * &tail.q);
            let candidate = (&(&tail.p - level) / &tail.q).ln();
            if candidate.is_bounded() && candidate.lower() > lower.lower() {
                lower = candidate.clone();
            }
            if *shown.lower() > *level.lower() {
                low = at.clone()
            } else {
                high = at.clone()
            }
            let step = if candidate.is_bounded() { candidate.lower().clone() } else { Float::new(work) };
            let close = Float::with_val(work, &step - &at).abs();
            if candidate.is_bounded() && close <= Float::with_val(64, 1) >> (bits + 8) {
                break;
            }
            // Far from the root, on the logarithm; near it, on the profile itself, which is piecewise linear in e^t.
            let excess = &shown.positive_part().ln() - &goal;
            let slope = &shown / &(&point.exp() * &tail.q);
            let log_step = &excess * &slope;
            let far = excess.is_bounded() && Float::with_val(64, excess.lower().abs_ref()) > 0.25;
            let next = if far && log_step.is_bounded() { Float::with_val(work, &at + log_step.lower()) } else { step };
            at = if next > low && next < high { next } else { Float::with_val(work, &low + &high) / 2_u32 };
        }
        let lower = lower.positive_part();
        for more in [0_u32, 16, bits / 2] {
            let wide = lower.lower().get_exp().unwrap_or(0);
            let gap = Float::with_val(64, 1) << (wide - i32::try_from(bits.saturating_sub(more)).unwrap_or(0));
            let above = Float::with_val_round(work, lower.upper() + &gap, Up).0;
            let proven = self.profile(&Enclosure::new(above.clone(), above.clone()), budget)?;
            if matches!(proven.compare(level), Some(Ordering::Less | Ordering::Equal)) {
                return Ok(Number::Enclosed(Enclosure::new(lower.lower().clone(), above)));
            }
        }
        if self.frame.open {
            // Losses that are not listed may be larger.
            let unbounded = Enclosure::new(lower.lower().clone(), Float::with_val(work, rug::float::Special::Infinity));
            return Ok(Number::Enclosed(unbounded));
        }
        let set = alarm::bracket(&lower, &top, "epsilon of a sum over two halves")?;
        Ok(Number::Enclosed(set.positive_part()))
    }

    /// The least Q-mass of a test that accepts P-mass `mass`, `0 < mass <= 1 - (mass of P that Q lacks)`.
    ///
    /// Above: a mixture of two tails accepts that much. Below, for every slope `Y`: `Y (mass - profile(1/Y))`.
    /// The search takes the slope of the chord of two tails; it is over when no tail lies below the chord.
    pub(in crate::compose) fn least_mass(&self, mass: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        let work = self.bits();
        let mut low_t = Float::with_val_round(work, self.least().lower() - 1_u32, Down).0;
        let mut high_t = Float::with_val_round(work, self.largest().upper() + 1_u32, Up).0;
        // Below the least key; what was left out for want of mass is taken in, too.
        let below = Integer::from(&self.frame.ends.0 - 1_u32);
        let everything = self.tail_above(&below, budget)?;
        let mut less = Tail { p: self.infinite.clone(), q: Enclosure::zero(work) };
        let mut more = everything;
        let mut lower = Enclosure::zero(work);
        for round in 0..96 {
            budget.check()?;
            let chord = &(&more.q - &less.q) / &(&more.p - &less.p);
            let slope_t = (-&chord.ln()).clone();
            let use_chord = round >= 10 && slope_t.is_bounded();
            let at = if use_chord {
                Float::with_val(work, slope_t.lower())
            } else {
                Float::with_val(work, &low_t + &high_t) / 2_u32
            };
            let point = Enclosure::new(at.clone(), at.clone());
            let (tail, slack) = self.tail(&point, budget)?;
            let y = (-&point).exp();
            // Y (mass - P(S) - slack) + Q(S)
            let value = &(&y * &(&(mass - &tail.p) - &slack)) + &tail.q;
            let value = Enclosure::new(value.lower().clone(), value.lower().clone());
            lower = lower.max(&value);
            let same = |a: &Tail| a.p.lower() == tail.p.lower();
            let done = use_chord && (same(&less) || same(&more));
            if *tail.p.upper() <= *mass.lower() {
                less = tail;
                high_t = at;
            } else if *tail.p.lower() >= *mass.upper() {
                more = tail;
                low_t = at;
            } else {
                // The tail itself has that mass, as far as can be told: what may be missing is taken from the larger
                // one.
                let share = (&(mass - &tail.p) / &(&more.p - &tail.p)).positive_part();
                let upper = &tail.q + &(&share * &(&more.q - &tail.q).positive_part());
                return alarm::bracket(&lower, if upper.is_bounded() { &upper } else { &more.q }, TYPE_II);
            }
            if done {
                break;
            }
        }
        let share = &(mass - &less.p) / &(&more.p - &less.p);
        let upper = &less.q + &(&share * &(&more.q - &less.q));
        alarm::bracket(&lower, if upper.is_bounded() { &upper } else { &more.q }, TYPE_II)
    }
}
