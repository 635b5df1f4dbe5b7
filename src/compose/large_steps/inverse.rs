//! The least epsilon of a delta: secants find it, and two values of the profile prove it.

use rug::Float;
use rug::float::Round::{Down, Up};

use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// Steps of the search.
const STEPS: u32 = 40;
/// Times that secants point at where there is no line, before it gives up.
const POINTED: u32 = 2;
/// Steps of its last part.
const CLOSE_STEPS: u32 = 10;
/// Bits of the profile far from the root.
const ROUGH: u32 = 16;
/// So near to a step's end the search asks for all bits.
const CLOSE: f64 = 1e-3;
/// Bits of the profile beyond those of the epsilon.
const GUARD: u32 = 2;
/// Tries at a point that is proven to lie on the other side.
const TRIES: u32 = 8;

/// The profile, and what is sought of it.
pub(in crate::compose) struct Inverse<'a> {
    /// An enclosure of the profile, to about so many bits.
    pub profile: &'a dyn Fn(&Real, u32) -> Result<Enclosure, Error>,
    pub delta: &'a Real,
    /// Relative bits of the epsilon.
    pub bits: u32,
    pub budget: &'a Budget,
}

impl Inverse<'_> {
    fn at(&self, epsilon: &Float, bits: u32) -> Result<Enclosure, Error> {
        self.budget.check()?;
        let epsilon = epsilon.to_rational().ok_or_else(|| Error::undecided("the search for epsilon diverged"))?;
        (self.profile)(&Real::from(epsilon), bits)
    }

    /// The least epsilon, at least 0, from about where it is.
    ///
    /// The profile does not rise: where it is at most delta the epsilon is at most that, where it is above delta it is
    /// at least that. What the search proves nothing of is enclosed from 0 on.
    pub fn epsilon(&self, start: f64) -> Result<Enclosure, Error> {
        let wide = self.bits.saturating_add(32);
        let goal = self.delta.enclosure(wide.max(128));
        let height = |x: &Float, bits: u32| -> Result<Float, Error> {
            let ratio = &self.at(x, bits)? / &goal;
            // Between nothing and something there is no middle of logarithms.
            let end = if *ratio.lower() > 0 {
                Float::with_val(wide, ratio.lower() + ratio.upper()) / 2u32
            } else {
                ratio.upper().clone()
            };
            Ok(Float::with_val(wide, end.ln_ref()))
        };
        if !start.is_finite() {
            return Err(Error::undecided("the search for epsilon found no starting point"));
        }
        let zero = Float::new(wide);
        if start < 0.5 && *self.at(&zero, self.bits)?.upper() <= *goal.lower() {
            return Ok(Enclosure::zero(wide));
        }
        let (mut x, mut slope) = self.roughly(Float::with_val(wide, start.max(1e-6)), &height)?;
        // Secants through values of all bits.
        let mut before: Option<(Float, Float)> = None;
        for _ in 0..CLOSE_STEPS {
            let here = height(&x, self.bits.saturating_add(GUARD))?;
            if let Some((last, at_last)) = &before {
                let rise = Float::with_val(64, &here - at_last) / Float::with_val(64, &x - last);
                if rise.is_finite() && rise < 0 {
                    slope = rise;
                }
            }
            let moved = Float::with_val(64, &here / &slope);
            let next = Float::with_val(wide, &x - &moved);
            if !(next > 0 && next.is_finite()) {
                break;
            }
            let exponent = next.get_exp().unwrap_or(0) - self.bits as i32 - 4;
            before = Some((x, here));
            x = next;
            if moved.is_zero() || moved.get_exp().unwrap_or(0) < exponent {
                break;
            }
        }
        self.proven(&x, &goal)
    }

    /// The epsilon to a thousandth or so, by values of few bits, and about the slope of the logarithm there.
    fn roughly(
        &self,
        start: Float,
        height: &dyn Fn(&Float, u32) -> Result<Float, Error>,
    ) -> Result<(Float, Float), Error> {
        let wide = start.prec();
        // Between these it lies, as far as the search can tell.
        let (mut low, mut high): (Float, Option<Float>) = (Float::new(wide), None);
        // There is no line up to here, and so often the secants pointed there all the same.
        let (mut barred, mut pointed) = (Float::new(wide), 0);
        let (mut x, mut slope) = (start, Float::with_val(64, -1));
        let mut before: Option<(Float, Float)> = None;
        for step in 0..STEPS {
            let here = match (height(&x, ROUGH), &high) {
                // No line there: nearer to where there was one.
                (Err(Error::Undecided(_)), Some(high)) => {
                    barred.clone_from(&x);
                    x = Float::with_val(wide, &x + high) / 2u32;
                    continue;
                }
                (here, _) => here?,
            };
            if here > 0 {
                low.clone_from(&x);
            } else {
                high = Some(x.clone());
            }
            if let Some((last, at_last)) = &before {
                let rise = Float::with_val(64, &here - at_last) / Float::with_val(64, &x - last);
                if rise.is_finite() && rise < 0 {
                    slope = rise;
                }
            }
            let mut next = Float::with_val(wide, &x - Float::with_val(wide, &here / &slope));
            let inside = next > low && high.as_ref().is_none_or(|high| next < *high);
            if here < 0 && next < barred {
                pointed += 1;
                if pointed == POINTED {
                    return Err(Error::undecided("there is no contour for large steps at the epsilon of this delta"));
                }
            }
            let least = low.clone().max(&barred);
            if !inside || next <= barred || step % 5 == 4 {
                next = match &high {
                    Some(high) => Float::with_val(wide, &least + high) / 2u32,
                    None => Float::with_val(wide, &x * 2u32),
                };
            }
            let near = Float::with_val(64, &next - &x).abs() < Float::with_val(64, &x * CLOSE);
            before = Some((x, here));
            x = next;
            if near {
                break;
            }
        }
        Ok((x, slope))
    }

    /// From a point at which the profile is above the goal to one at which it is not.
    fn proven(&self, root: &Float, goal: &Enclosure) -> Result<Enclosure, Error> {
        let wide = root.prec();
        let mut width = Float::with_val(64, Float::i_exp(1, root.get_exp().unwrap_or(0) - self.bits as i32 - 3));
        let (mut low, mut high) = (None, None);
        for _ in 0..TRIES {
            let below = Float::with_val_round(wide, root - &width, Down).0;
            let above = Float::with_val_round(wide, root + &width, Up).0;
            let bits = self.bits.saturating_add(GUARD);
            if low.is_none() && (below <= 0 || *self.at(&below, bits)?.lower() > *goal.upper()) {
                low = Some(below.max(&Float::new(wide)));
            }
            if high.is_none() && *self.at(&above, bits)?.upper() <= *goal.lower() {
                high = Some(above);
            }
            if let (Some(low), Some(high)) = (&low, &high) {
                return Ok(Enclosure::new(low.clone(), high.clone()));
            }
            width <<= 3;
        }
        Err(Error::undecided("the search did not isolate the epsilon of this delta"))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// `delta(eps) = e^-eps`, of which there is no value up to a point.
    fn asked(barred: f64, delta: &str) -> (Result<Enclosure, Error>, u32) {
        let asked = Cell::new(0);
        let profile = |at: &Real, bits: u32| {
            asked.set(asked.get() + 1);
            if at.to_f64() < barred {
                return Err(Error::undecided("no line"));
            }
            Ok((-&at.enclosure(bits + 64)).exp())
        };
        let delta: Real = delta.parse().expect("a number");
        let inverse = Inverse { profile: &profile, delta: &delta, bits: 50, budget: &Budget::default() };
        let found = inverse.epsilon(8.0);
        (found, asked.get())
    }

    /// An epsilon next to where there is no line is found; one beyond is given up soon.
    #[test]
    fn what_is_beyond_the_lines_is_given_up_soon() {
        let (found, _) = asked(1.9, "exp(-2)");
        let truth = Enclosure::integer(&2.into(), 80);
        assert!(found.as_ref().is_ok_and(|found| found.overlaps(&truth)), "{found:?}");
        let (found, times) = asked(3.0, "exp(-2)");
        assert!(matches!(found, Err(Error::Undecided(_))), "{found:?}");
        assert!(times < 20, "{times}");
    }
}
