//! Witnesses in words: as many digits as show what is proven apart.

use rug::Integer;

use super::{Place, Witness};
use crate::curve::Direction;
use crate::number::{Fraction, Interval};
use enclosure::Enclosure;

/// Digits of the values of a witness.
const DIGITS: u32 = 12;

/// Bits of a denominator from which on it is written as a power.
const LONG: u32 = 100;

/// A type I error, as a question takes it: a fraction, and where it is all but 0 or 1, in powers of 2.
pub(crate) fn alpha_text(alpha: &Fraction) -> String {
    let (numer, denom) = (alpha.value().numer(), alpha.value().denom());
    let power = denom.significant_bits().saturating_sub(1);
    if power < LONG || !denom.is_power_of_two() {
        return alpha.to_string();
    }
    let rest = Integer::from(denom - numer);
    if rest < *numer { format!("1-{rest}/2^{power}") } else { format!("{numer}/2^{power}") }
}

/// The direction of profiles, where there are two.
fn in_direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Worst => "",
        Direction::Forward => " in the forward direction",
        Direction::Backward => " in the backward direction",
    }
}

impl Witness {
    /// Number of digits at which two separated enclosures are also separated as decimals.
    pub(crate) fn digits(&self) -> u32 {
        let gap = &self.larger - &self.smaller;
        let exponents = self.larger.lower().get_exp().zip(gap.lower().get_exp());
        let zeros = exponents.map_or(0, |(all, gap)| all.saturating_sub(gap));
        DIGITS.max(u32::try_from(zeros).unwrap_or(0) / 3 + 2)
    }

    /// An upper bound of the smaller and a lower bound of the larger one, as they stand or by what they lack of 1.
    fn apart(&self) -> (String, String) {
        let digits = self.digits();
        if digits < 3 * DIGITS {
            return (self.smaller().upper(digits), self.larger().lower(digits));
        }
        let rest = |of: &Enclosure| Interval::from(&Enclosure::one(of.bits()) - of);
        let told = |rest: String| if rest == "0" { "1".to_string() } else { format!("1-{rest}") };
        (told(rest(&self.smaller).lower(DIGITS)), told(rest(&self.larger).upper(DIGITS)))
    }

    /// The witness in words: `at alpha = 1/10 the type II error is 1/2, and 3/5 for the other`.
    pub(crate) fn told(&self) -> String {
        let (smaller, larger) = self.apart();
        match (self.place(), self.fractions()) {
            (Place::Alpha(alpha), Some((smaller, larger))) => {
                let alpha = alpha_text(alpha);
                format!("at alpha = {alpha} the type II error is {smaller}, and {larger} for the other")
            }
            (Place::Alpha(alpha), None) => format!(
                "at alpha = {} the type II error is at most {smaller}, and at least {larger} for the other",
                alpha_text(alpha)
            ),
            (Place::Epsilon(epsilon, direction), _) => format!(
                "at epsilon = {epsilon}{} delta is at least {larger}, and at most {smaller} for the other",
                in_direction(*direction)
            ),
        }
    }

    /// Why no post-processing of `from` equals `to`.
    #[cfg(feature = "cli")]
    pub(crate) fn no_channel(&self, from: &str, to: &str) -> String {
        let (low, high) = self.apart();
        match (self.place(), self.fractions()) {
            (Place::Alpha(alpha), Some((smaller, larger))) => {
                format!("f({}) = {smaller} of the {to} < {larger} of the {from}", alpha_text(alpha))
            }
            (Place::Alpha(alpha), None) => {
                format!("f({}) <= {low} of the {to} < {high} <= that of the {from}", alpha_text(alpha))
            }
            (Place::Epsilon(epsilon, direction), _) => format!(
                "delta({epsilon}){} >= {high} of the {to} > {low} >= that of the {from}",
                in_direction(*direction)
            ),
        }
    }
}
