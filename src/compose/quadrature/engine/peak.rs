//! Where the support of the trade-off function is highest, from the profile alone.
//!
//! `h(x) = e^-x (1 - alpha - delta(x))` has its maximum, beta, at the slope of the trade-off function at alpha. Lines
//! planned for an end of the law know the tail there, and so where that is; where those are dear, the place is sought
//! by values of h. Nothing rests on what is found: the bracket around it is proven.

use rug::Float;

use super::Place;
use crate::error::Error;
use enclosure::{Portable, Real, peak};

/// Bits of the first values.
const FIRST: u32 = 40;
/// Bits of those that tell where to look.
const ROUGH: u32 = 24;
/// Bits by which the distance of the three points shrinks in a round, at most.
const ROUND: i32 = 12;
/// Bits by which it grows again where the maximum is farther away than so many times that distance.
const BACK: i32 = 5;
const FARTHEST: i32 = 4;
/// Rounds in all.
const MOST_ROUNDS: usize = 64;

impl Place<'_> {
    /// About the middle of an enclosure of h.
    fn height(&self, x: &Float, bits: u32) -> Result<Float, Error> {
        self.budget.check()?;
        let value = self.line(&Real::from(x.to_rational().unwrap_or_default()), bits)?;
        Ok(Float::with_val(value.bits(), value.lower() + value.upper()) / 2u32)
    }

    /// The place of the maximum, to about `bits` bits.
    pub(super) fn peak(&self, guess: f64, bits: u32) -> Result<Float, Error> {
        let deviation = if self.side.deviation > 0.0 { self.side.deviation } else { guess.abs().max(0.1) };
        let mut x = Float::with_val(64 + bits, self.roughly(guess, deviation)?);
        let first = (deviation / 64.0).portable_log2().floor() as i32;
        let last = 3 - i32::try_from(bits).unwrap_or(i32::MAX);
        let mut distance = first;
        for _ in 0..MOST_ROUNDS {
            let width = Float::with_val(64, Float::i_exp(1, distance));
            // Differences of values so near are of the size of the distance squared.
            let needed = FIRST.saturating_add(2 * distance.min(0).unsigned_abs());
            let at = |x: Float| self.height(&x, needed.min(self.bits.saturating_add(32)));
            let wide = x.prec();
            let (a, b) = (at(Float::with_val(wide, &x - &width))?, at(x.clone())?);
            let c = at(Float::with_val(wide, &x + &width))?;
            let bend = Float::with_val(wide, &a + &c) - &b - &b;
            if bend < 0 {
                let step = Float::with_val(wide, &a - &c) / bend / 2u32;
                let far = !(-FARTHEST..=FARTHEST).contains(&step);
                x += step.clamp(&-FARTHEST, &FARTHEST) * &width;
                // A parabola says little of what is that far away: again, from more of a distance.
                if far && distance < first {
                    distance = (distance + BACK).min(first);
                    continue;
                }
            }
            if distance <= last {
                break;
            }
            distance = (distance - ROUND).max(last);
        }
        Ok(x)
    }

    /// The same to a fraction of the deviation.
    fn roughly(&self, guess: f64, deviation: f64) -> Result<f64, Error> {
        let height = |x: f64| Ok(self.height(&Float::with_val(64, x), ROUGH)?.to_f64());
        peak::climbed(guess, 0.25 * deviation, 0.01 * deviation, height)
    }
}
