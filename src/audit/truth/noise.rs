//! Calibration: for which values of the parameter marked `?` does a composition meet a target (epsilon, delta)?
//!
//! **A claim** is decided by the true delta at the claimed value, certified: at most the delta asked for, or not.
//! Nothing is assumed of other values.
//!
//! **The smallest sufficient value** determines how loose a claim is. It is bracketed: at the lower end the delta is
//! proven too large, at the upper end the target is met, and the relative width is 1e-9. For noise whose delta falls as
//! the noise grows, as it does for Gaussian and Laplace noise (more of it is less of it with noise added, or mixed in),
//! there is one such place (`proofs/paper/conversion.md`).

use std::cmp::Ordering;

use dpcert_vectors::{Truth, number::compare};
use rug::Rational;

use super::{Known, LEAST_TOLD, ask_down_to, coordinate, rational};
use crate::audit::question::{Question, Step};
use crate::error::Error;
use crate::query::Quantity;
use crate::vector::sessions::Sessions;
use enclosure::{Budget, Portable};

/// The relative width of a bracket of the least value.
const WIDTH: f64 = 1e-9;

/// Digits at which a value is compared, one after the other.
const DIGITS: [u32; 3] = [8, 20, 60];

/// How often the bracket is doubled in search of both ends.
const DOUBLINGS: u32 = 200;

/// The true delta with this value for the open parameter.
pub fn delta(
    question: &Question,
    value: &Rational,
    digits: u32,
    open: &Sessions,
    budget: &Budget,
) -> Result<Truth, Error> {
    let quantity = Quantity::Delta { epsilon: coordinate(question, "epsilon")? };
    ask_down_to(LEAST_TOLD, open, question.filled(value)?, quantity, question.direction, digits, budget)
}

/// Whether a true delta is at most the target; `None` if the enclosure is too wide to decide.
pub fn keeps(delta: &Truth, promised: f64) -> Option<bool> {
    let promised = rational(promised).ok()?;
    match delta {
        Truth::Infinite => Some(false),
        Truth::Within { upper, .. } if compare(upper, &promised) != Ordering::Greater => Some(true),
        Truth::Within { lower, .. } if compare(lower, &promised) == Ordering::Greater => Some(false),
        Truth::Within { .. } => None,
    }
}

/// A double, exactly.
fn exactly(value: f64) -> Result<Rational, Error> {
    Rational::from_f64(value).ok_or_else(|| Error::undecided("the search left the range of doubles".to_string()))
}

/// Result at one value.
#[derive(Clone, Copy, Debug)]
struct Tried {
    value: f64,
    kept: bool,
    /// About the logarithm of delta over the delta promised; for the search alone.
    excess: f64,
}

/// A bracket of the least value that keeps (epsilon, delta).
///
/// Noise of which more may mean more delta has no such place, and is refused.
///
/// The search interpolates the logarithm of delta, and halves where that helps little; what it may answer is decided by
/// certified deltas at both ends.
pub fn least(question: &Question, open: &Sessions, budget: &Budget) -> Result<Known, Error> {
    if question.steps.iter().any(wavers) {
        let why =
            "the delta of discrete Gaussian noise is not monotone in sigma2, so there is no smallest sufficient value";
        return Err(Error::undecided(why.to_string()));
    }
    let promised = question.at.delta.map_or(0.0, |delta| delta.0);
    let tried = |value: f64| -> Result<Tried, Error> {
        for digits in DIGITS {
            budget.check()?;
            let delta = delta(question, &exactly(value)?, digits, open, budget)?;
            if let Some(kept) = keeps(&delta, promised) {
                let excess = match &delta {
                    Truth::Within { lower, .. } => (dpcert_vectors::tightest_f64(lower).0 / promised).portable_ln(),
                    Truth::Infinite => f64::INFINITY,
                };
                return Ok(Tried { value, kept, excess });
            }
        }
        Err(Error::undecided(format!("delta at {value:e} could not be separated from the target")))
    };
    let (mut low, mut high) = bracket(tried(1.0)?, &tried)?;
    let mut last_kept = true;
    for round in 0_u32.. {
        if high.value <= low.value * (1.0 + WIDTH) {
            break;
        }
        let guess = guess(low, high, round, last_kept);
        if guess <= low.value || guess >= high.value {
            break;
        }
        let found = tried(guess)?;
        last_kept = found.kept;
        if found.kept { high = found } else { low = found }
    }
    Ok(Known { truth: Truth::Within { lower: rational(low.value)?, upper: rational(high.value)? }, refinable: false })
}

/// Is the open parameter that of discrete Gaussian noise? Its losses lie on a lattice that moves as the noise grows: at
/// epsilon 8, delta is 9.9e-11 with sigma2 0.5625 and 3.2e-10 with 0.6.
fn wavers(step: &Step) -> bool {
    (step.mechanism == "discrete-gaussian" && step.unknown().is_some()) || step.of.iter().any(wavers)
}

/// Doubles or halves until one end meets the target and the other does not.
fn bracket(start: Tried, tried: &impl Fn(f64) -> Result<Tried, Error>) -> Result<(Tried, Tried), Error> {
    let mut near = start;
    let factor = if start.kept { 0.5 } else { 2.0 };
    for _ in 0..DOUBLINGS {
        let next = tried(near.value * factor)?;
        match (near.kept, next.kept) {
            (true, false) => return Ok((next, near)),
            (false, true) => return Ok((near, next)),
            _ => near = next,
        }
    }
    Err(Error::undecided(
        if start.kept { "every noise tried meets the target" } else { "no noise tried meets the target" }.to_string(),
    ))
}

/// Where to look next. Two of three times at the place where the line through both ends meets zero, a little beyond it
/// on the side that was not met last: once that place is known to a part of the width, both ends close in on it.
fn guess(low: Tried, high: Tried, round: u32, last_kept: bool) -> f64 {
    let halved = low.value.sqrt() * high.value.sqrt();
    let share = low.excess / (low.excess - high.excess);
    if round % 3 == 2 || !(share > 0.0 && share < 1.0) {
        return halved;
    }
    let met = low.value * (high.value / low.value).portable_powf(share);
    let beyond = if last_kept { 1.0 - WIDTH / 4.0 } else { 1.0 + WIDTH / 4.0 };
    let guess = met * beyond;
    if guess > low.value && guess < high.value { guess } else { halved }
}

#[cfg(test)]
mod tests {
    use dpcert_vectors::{Claim, Double, ratio};

    use super::*;
    use crate::audit::question::{Asked, At};

    fn calibration(step: Step, epsilon: f64, delta: f64) -> Question {
        let at = At { epsilon: Some(Double(epsilon)), delta: Some(Double(delta)), ..At::default() };
        Question::new("q", Asked::Noise, vec![step], at)
    }

    /// The analytic Gaussian mechanism at epsilon 1 and delta 1e-5 (Balle and Wang) needs sigma 3.730631634816464.
    #[test]
    fn the_least_sigma_is_bracketed() {
        let question = calibration(Step::new("gaussian", &[]).open("sigma"), 1.0, 1e-5);
        let known = least(&question, &Sessions::default(), &Budget::default()).expect("a bracket");
        let ratio = ratio(&Claim::from(3.730_631_634_816_464), &known.truth).expect("a ratio");
        assert!(ratio.at_least > 1.0 - 1e-8 && ratio.at_most < 1.0 + 1e-8, "{ratio:?}");
    }

    /// Laplace noise of scale b keeps (epsilon, 0) exactly from b = 1/epsilon on: at the end itself delta is exactly 0.
    #[test]
    fn pure_noise_is_decided_at_its_end() {
        let question = calibration(Step::new("laplace", &[]).open("scale"), 0.5, 0.0);
        let (open, budget) = (Sessions::default(), Budget::default());
        assert_eq!(keeps(&delta(&question, &Rational::from(2), 8, &open, &budget).expect("a delta"), 0.0), Some(true));
        let below = f64::from_bits(2.0f64.to_bits() - 1);
        assert_eq!(
            keeps(&delta(&question, &exactly(below).expect("finite"), 8, &open, &budget).expect("a delta"), 0.0),
            Some(false)
        );
    }

    /// More discrete Gaussian noise may keep less, so nothing is called the least.
    #[test]
    fn discrete_noise_has_no_least() {
        let question = calibration(Step::new("discrete-gaussian", &[]).open("sigma2"), 8.0, 1e-10);
        let (open, budget) = (Sessions::default(), Budget::default());
        let kept = |value: f64| {
            let delta = delta(&question, &exactly(value).expect("finite"), 8, &open, &budget).expect("a delta");
            keeps(&delta, 1e-10)
        };
        assert_eq!([0.5625, 0.6, 0.687].map(kept), [Some(true), Some(false), Some(true)]);
        assert!(matches!(least(&question, &Sessions::default(), &budget), Err(Error::Undecided(_))));
    }
}
