//! Calibration: with which values of its open parameter does a composition keep (epsilon, delta)?
//!
//! **A claim** is decided by the true delta at the claimed value, certified: at most the delta asked for, or not. Nothing
//! is assumed of other values.
//!
//! **The least value that would do** is what a claim is compared with to say how loose it is. It is bracketed: at the lower
//! end of the bracket the delta is certainly too large, at the upper end it is kept. The search halves the bracket in the
//! logarithm and ends at a relative width of 1e-9. For noise whose delta falls as the noise grows, as it does for
//! Gaussian and Laplace noise (more of it is less of it with noise added, or mixed in), there is one such place.

use std::cmp::Ordering;

use dpcert_vectors::{Truth, number::compare};
use rug::Rational;

use super::{Known, ask, coordinate, rational};
use crate::audit::question::Question;
use crate::error::Error;
use crate::number::Budget;
use crate::query::Quantity;

/// The relative width of a bracket of the least value.
const WIDTH: f64 = 1e-9;

/// Digits at which a value is compared, one after the other.
const DIGITS: [u32; 3] = [8, 20, 60];

/// How often the bracket is doubled in search of both ends.
const DOUBLINGS: u32 = 200;

/// The true delta with this value for the open parameter.
pub fn delta(question: &Question, value: &Rational, digits: u32, budget: &Budget) -> Result<Truth, Error> {
    let quantity = Quantity::Delta { epsilon: coordinate(question, "epsilon")? };
    ask(question.filled(value)?, quantity, question.direction, digits, budget)
}

/// Is a true delta at most the one that is promised? `None` if the enclosure is too wide to tell.
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
    Rational::from_f64(value).ok_or_else(|| Error::Undecided("the search left the doubles".to_string()))
}

/// A bracket of the least value that keeps (epsilon, delta).
pub fn least(question: &Question, budget: &Budget) -> Result<Known, Error> {
    let promised = question.at.delta.map_or(0.0, |delta| delta.0);
    let enough = |value: f64| -> Result<bool, Error> {
        for digits in DIGITS {
            budget.check()?;
            if let Some(kept) = keeps(&delta(question, &exactly(value)?, digits, budget)?, promised) {
                return Ok(kept);
            }
        }
        Err(Error::Undecided(format!("delta at {value:e} cannot be told from the one promised")))
    };
    let (mut low, mut high) = (1.0_f64, 1.0_f64);
    if enough(1.0)? {
        let mut doublings = 0;
        while enough(low)? {
            (high, low) = (low, low / 2.0);
            doublings += 1;
            if doublings > DOUBLINGS {
                return Err(Error::Undecided("any noise seems to do".to_string()));
            }
        }
    } else {
        let mut doublings = 0;
        while !enough(high)? {
            (low, high) = (high, high * 2.0);
            doublings += 1;
            if doublings > DOUBLINGS {
                return Err(Error::Undecided("no noise seems to do".to_string()));
            }
        }
    }
    while high > low * (1.0 + WIDTH) {
        let middle = (low * high).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if enough(middle)? { high = middle } else { low = middle }
    }
    Ok(Known { truth: Truth::Within { lower: rational(low)?, upper: rational(high)? }, refinable: false })
}

#[cfg(test)]
mod tests {
    use dpcert_vectors::{Claim, Double, ratio};

    use super::*;
    use crate::audit::question::{Asked, At, Step};

    fn calibration(step: Step, epsilon: f64, delta: f64) -> Question {
        let at = At { epsilon: Some(Double(epsilon)), delta: Some(Double(delta)), ..At::default() };
        Question::new("q", Asked::Noise, vec![step], at)
    }

    /// The analytic Gaussian mechanism at epsilon 1 and delta 1e-5 (Balle and Wang) needs sigma 3.730631634816464.
    #[test]
    fn the_least_sigma_is_bracketed() {
        let question = calibration(Step::new("gaussian", &[]).open("sigma"), 1.0, 1e-5);
        let known = least(&question, &Budget::default()).expect("a bracket");
        let ratio = ratio(&Claim::from(3.730_631_634_816_464), &known.truth).expect("a ratio");
        assert!(ratio.at_least > 1.0 - 1e-8 && ratio.at_most < 1.0 + 1e-8, "{ratio:?}");
    }

    /// Laplace noise of scale b keeps (epsilon, 0) exactly from b = 1/epsilon on: at the end itself delta is exactly 0.
    #[test]
    fn pure_noise_is_decided_at_its_end() {
        let question = calibration(Step::new("laplace", &[]).open("scale"), 0.5, 0.0);
        let budget = Budget::default();
        assert_eq!(keeps(&delta(&question, &Rational::from(2), 8, &budget).expect("a delta"), 0.0), Some(true));
        let below = f64::from_bits(2.0f64.to_bits() - 1);
        assert_eq!(
            keeps(&delta(&question, &exactly(below).expect("finite"), 8, &budget).expect("a delta"), 0.0),
            Some(false)
        );
    }
}
