//! Upper bounds on compositions that have a closed form: Kairouz, Oh and Viswanath ("KOV"), Dwork, Rothblum and Vadhan.
//!
//! Each theorem promises an epsilon for a slack d; here is the least total delta that it promises at an epsilon, with
//! certified numbers. None is the exact composition (that is KOV's Theorem 3.3, see `compose`). A hypothesis that fails
//! is [`Error::Undefined`]. `x = e^epsilon`; see `proofs/paper/composition-bounds.md`.

use std::cmp::Ordering;

use rug::Rational;

use crate::error::Error;
use enclosure::{Enclosure, Number, Real};

/// `times` mechanisms that are `(epsilon, delta)`-DP.
#[derive(Clone, Debug)]
pub struct Part {
    /// `epsilon >= 0`.
    pub epsilon: Real,
    /// `0 <= delta <= 1`.
    pub delta: Real,
    /// How many of them.
    pub times: u64,
}

impl Part {
    fn check(&self) -> Result<(), Error> {
        if self.epsilon.sign() == Some(Ordering::Less) {
            return Err(Error::Undefined(format!("epsilon = {} is negative", self.epsilon)));
        }
        unit_interval(&self.delta, "delta")
    }

    fn check_positive(&self) -> Result<(), Error> {
        self.check()?;
        match self.epsilon.sign() {
            Some(Ordering::Greater) => Ok(()),
            _ => Err(Error::Undefined(format!("the theorem needs epsilon > 0, not {}", self.epsilon))),
        }
    }

    /// `k`.
    fn count(&self) -> Number {
        Number::Exact(Rational::from(self.times))
    }

    /// `k epsilon`.
    fn linear(&self, bits: u32) -> Number {
        &self.count() * &self.epsilon.number(bits)
    }

    /// The order of `target` and `k epsilon`: exact wherever the two constants can be compared exactly.
    fn compare_linear(&self, target: &Real, bits: u32) -> Option<Ordering> {
        let near = target.number(bits).compare(&self.linear(bits));
        near.or_else(|| target.compare(&self.epsilon.mul_rational(&Rational::from(self.times))))
    }

    /// `k epsilon (x - 1)`.
    fn drift(&self, bits: u32) -> Number {
        let rise = match self.epsilon.exp_rational() {
            Some(x) => Number::Exact(x - 1),
            None => Number::Enclosed(self.epsilon.enclosure(bits).expm1()),
        };
        &self.linear(bits) * &rise
    }

    /// `k epsilon (x-1)/(x+1)`.
    fn sharp_drift(&self, bits: u32) -> Number {
        let tanh = match self.epsilon.exp_rational() {
            Some(x) => Number::Exact((x.clone() - 1) / (x + 1)),
            None => Number::Enclosed(self.epsilon.enclosure(bits).shift(-1).tanh()),
        };
        &self.linear(bits) * &tanh
    }

    /// `k epsilon^2`.
    fn variance(&self, bits: u32) -> Number {
        &self.linear(bits) * &self.epsilon.number(bits)
    }

    /// `1 - (1-delta)^k (1-d)`, as `(1 - (1-delta)^k) + (1-delta)^k d`, which keeps the digits of small parts.
    fn total_delta(&self, slack: &Number, bits: u32) -> Number {
        if let Some(delta) = self.delta.as_rational() {
            let base = Rational::from(1 - delta);
            // An exact power only where it stays small.
            let size = u64::from(base.denom().significant_bits()).saturating_mul(self.times);
            if base.is_zero() || base == 1 || size < 1 << 22 {
                let pass = Number::Exact(base).pow(self.times);
                return &(&Number::one() - &pass) + &(&pass * slack);
            }
        }
        let log = (-self.delta.enclosure(bits)).log1p() * Enclosure::integer(&self.times.into(), bits);
        &Number::Enclosed(-log.expm1()) + &(&Number::Enclosed(log.exp()) * slack)
    }

    /// `min(1, k delta + d)`.
    fn summed_delta(&self, slack: &Number, bits: u32) -> Number {
        (&(&self.count() * &self.delta.number(bits)) + slack).min(&Number::one())
    }
}

/// The least total delta that KOV Theorem 3.1, basic composition, promises at `target`: `k delta`, at most 1; `None` if
/// it promises nothing there.
pub fn basic_delta(part: &Part, target: &Real, bits: u32) -> Result<Option<Number>, Error> {
    part.check()?;
    Ok(match part.compare_linear(target, bits) {
        Some(Ordering::Less) => None,
        Some(_) => Some(part.summed_delta(&Number::zero(), bits)),
        None => return Err(close_call(target)),
    })
}

/// The least total delta that KOV Theorem 3.2 (Dwork, Rothblum and Vadhan 2010), advanced composition, promises at
/// `target`: `k delta + exp(-((target - k epsilon (x-1))/epsilon)^2/(2k))`, at most 1; `None` below `k epsilon (x-1)`.
pub fn advanced_delta(part: &Part, target: &Real, bits: u32) -> Result<Option<Number>, Error> {
    part.check_positive()?;
    let Some(slack) = tail(part, &part.drift(bits), target, bits) else { return Ok(None) };
    Ok(Some(part.summed_delta(&Number::Enclosed(slack), bits)))
}

/// The least total delta that KOV Theorem 3.4, simplified optimal composition, promises at `target`, over its three
/// branches; `None` if none reaches it.
///
/// With `y = exp(((target - k epsilon t)/epsilon)^2/(2k))` the third branch needs `d >= 1/y`, the second
/// `d >= sqrt(k) epsilon/(y - e)` if that is positive.
pub fn simplified_delta(part: &Part, target: &Real, bits: u32) -> Result<Option<Number>, Error> {
    part.check_positive()?;
    match part.compare_linear(target, bits) {
        Some(Ordering::Less) => {}
        Some(_) => return Ok(Some(part.total_delta(&Number::zero(), bits))),
        None => return Err(close_call(target)),
    }
    let Some(third) = tail(part, &part.sharp_drift(bits), target, bits) else { return Ok(None) };
    let spread = part.variance(bits).sqrt(bits).enclosure(bits);
    let room = &third.recip() - &Enclosure::one(bits).exp();
    let one = Enclosure::one(bits);
    let second = match room.sign() {
        Some(Ordering::Greater) => &spread / &room,
        Some(_) => one,
        // Any slack may be what the second branch needs.
        None => Enclosure::zero(bits).hull(&one),
    };
    Ok(Some(part.total_delta(&Number::Enclosed(third.min(&second)), bits)))
}

/// `exp(-((target - drift)/epsilon)^2/(2k))`; `None` if the target is certainly below the drift, or nothing is
/// composed.
fn tail(part: &Part, drift: &Number, target: &Real, bits: u32) -> Option<Enclosure> {
    let gap = &target.number(bits) - drift;
    if gap.sign() == Some(Ordering::Less) || part.times == 0 {
        return None;
    }
    let scaled = gap.positive_part().pow(2).enclosure(bits) / part.variance(bits).enclosure(bits);
    Some((-scaled.shift(-1)).exp())
}

fn unit_interval(value: &Real, name: &str) -> Result<(), Error> {
    let above = value.number(256).compare(&Number::one());
    if value.sign() == Some(Ordering::Less) || above == Some(Ordering::Greater) {
        return Err(Error::Undefined(format!("{name} = {value} is outside [0, 1]")));
    }
    Ok(())
}

fn close_call(target: &Real) -> Error {
    Error::undecided(format!("cannot tell whether epsilon = {target} is below k epsilon (change it a little)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fraction or a decimal.
    fn real(text: &str) -> Real {
        text.parse().unwrap()
    }

    fn part(epsilon: &str, delta: &str, times: u64) -> Part {
        Part { epsilon: real(epsilon), delta: real(delta), times }
    }

    /// What a theorem promises for a slack, to forty digits, needs that slack.
    #[test]
    fn slacks_of_the_references_come_back() {
        for (epsilon, times, slack, advanced, simplified) in [
            (
                "1/10",
                30,
                "1/1000",
                "2.351354881551476413800050522327616922802",
                "2.095750683572682008066196560473079420746",
            ),
            (
                "1/100",
                1000,
                "1/1000000",
                "1.762759807110790500460748976525213739514",
                "1.641491123207706517084176447088423786873",
            ),
            (
                "1/10",
                100,
                "3/10",
                "2.603464834411996842446044175212018592070",
                "2.051339403234320316312829562392395106253",
            ),
        ] {
            let (part, slack) = (part(epsilon, "0", times), real(slack).enclosure(300));
            let near = |found: Option<Number>| {
                let off = (&found.unwrap().enclosure(300) / &slack) - Enclosure::one(300);
                assert!(off.abs().upper().to_f64() < 1e-35, "{epsilon}: {off:?}");
            };
            near(advanced_delta(&part, &real(advanced), 300).unwrap());
            near(simplified_delta(&part, &real(simplified), 300).unwrap());
        }
    }

    #[test]
    fn what_is_promised_begins_at_the_drift() {
        let a = part("1/10", "1/1000000", 30);
        assert_eq!(basic_delta(&a, &real("3"), 64).unwrap().unwrap().exact(), Some(&Rational::from((3, 100_000))));
        assert!(basic_delta(&a, &real("29/10"), 64).unwrap().is_none());
        assert!(advanced_delta(&a, &real("1/10"), 64).unwrap().is_none());
        assert!(simplified_delta(&a, &real("1/100"), 64).unwrap().is_none());
        let b = part("ln(3/2)", "0", 3);
        assert_eq!(simplified_delta(&b, &real("ln(27/8)"), 64).unwrap().unwrap().exact(), Some(&Rational::new()));
    }

    #[test]
    fn hypotheses_are_checked() {
        let one = real("1");
        assert!(matches!(advanced_delta(&part("0", "0", 3), &one, 64), Err(Error::Undefined(_))));
        assert!(matches!(basic_delta(&part("-1", "0", 3), &one, 64), Err(Error::Undefined(_))));
        assert!(matches!(simplified_delta(&part("1", "2", 3), &one, 64), Err(Error::Undefined(_))));
    }
}
