//! Upper bounds on compositions that have a closed form: Kairouz, Oh and Viswanath ("KOV"), Dwork, Rothblum and Vadhan,
//! Dwork and Rothblum.
//!
//! Every function evaluates one printed expression with certified numbers; none is the exact composition (that is KOV's
//! Theorem 3.3, see `compose`). A hypothesis that fails is [`Error::Undefined`]. The order that always holds:
//! simplified (third branch) `<=` refined `<=` advanced, because `tanh(e/2) <= (x-1)/2 <= x-1`, `x = e^epsilon`; see
//! `proofs/paper/composition-bounds.md`.

use std::cmp::Ordering;

use rug::Rational;

use crate::curve::Value;
use crate::error::Error;
use enclosure::{Enclosure, Number, Real};

/// What a theorem promises: the composition is `(epsilon, delta)`-DP.
#[derive(Clone, Debug)]
pub struct Guarantee {
    /// Infinite if the theorem promises nothing.
    pub epsilon: Value,
    /// At most 1.
    pub delta: Number,
}

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

/// KOV Theorem 3.1, basic composition: `(k epsilon, k delta)`. Printed for `epsilon > 0`; true at 0 as well. The second
/// parameter is capped at 1.
pub fn basic(part: &Part, bits: u32) -> Result<Guarantee, Error> {
    part.check()?;
    Ok(Guarantee { epsilon: Value::Finite(part.linear(bits)), delta: part.summed_delta(&Number::zero(), bits) })
}

/// KOV Theorem 3.2 (Dwork, Rothblum and Vadhan 2010), advanced composition, for `epsilon > 0`, `0 < d <= 1`:
/// `( k epsilon (x-1) + epsilon sqrt(2k ln(1/d)), k delta + d )`.
pub fn advanced(part: &Part, slack: &Real, bits: u32) -> Result<Guarantee, Error> {
    part.check_positive()?;
    positive_slack(slack)?;
    let epsilon = &part.drift(bits) + &deviation(&part.variance(bits), &log_reciprocal(slack, bits), bits);
    Ok(Guarantee { epsilon: Value::Finite(epsilon), delta: part.summed_delta(&slack.number(bits), bits) })
}

/// Dwork and Rothblum, Theorem 1.1, refined advanced composition, for `epsilon >= 0`, `0 <= d <= 1`:
/// `( sqrt(2k ln(1/d)) epsilon + k epsilon (x-1)/2, k delta + d )`; infinite at `d = 0`.
pub fn refined(part: &Part, slack: &Real, bits: u32) -> Result<Guarantee, Error> {
    part.check()?;
    unit_interval(slack, "the slack d")?;
    let delta = part.summed_delta(&slack.number(bits), bits);
    if part.times == 0 || part.epsilon.sign() == Some(Ordering::Equal) {
        return Ok(Guarantee { epsilon: Value::Finite(Number::zero()), delta });
    }
    if slack.sign() == Some(Ordering::Equal) {
        return Ok(Guarantee { epsilon: Value::Infinite, delta });
    }
    let drift = &part.drift(bits) / &Number::Exact(2.into());
    let epsilon = &drift + &deviation(&part.variance(bits), &log_reciprocal(slack, bits), bits);
    Ok(Guarantee { epsilon: Value::Finite(epsilon), delta })
}

/// KOV Theorem 3.4, simplified optimal composition, for `epsilon >= 0`, `0 <= d <= 1`, with `t = (x-1)/(x+1)`: the
/// least of `k epsilon`, `k epsilon t + epsilon sqrt(2k ln(e + sqrt(k epsilon^2)/d))` and `k epsilon t + epsilon sqrt(2k ln(1/d))`, with
/// `delta = 1 - (1-delta)^k (1-d)`.
pub fn simplified(part: &Part, slack: &Real, bits: u32) -> Result<Guarantee, Error> {
    part.check()?;
    let branches = simplified_branches(part, slack, bits)?;
    let delta = part.total_delta(&slack.number(bits), bits);
    Ok(Guarantee { epsilon: Value::Finite(least(branches)), delta })
}

/// The three branches of [`simplified`] in the order printed; only the first at `d = 0`.
pub fn simplified_branches(part: &Part, slack: &Real, bits: u32) -> Result<Vec<Number>, Error> {
    branches(part.linear(bits), part.sharp_drift(bits), part.variance(bits), slack, bits)
}

/// KOV equation (8), the high-privacy form of [`simplified`] with `k epsilon^2` for `k epsilon t`. Printed for `epsilon <= 0.9`; no
/// such condition is needed, since `t <= epsilon/2` for all `epsilon >= 0`, and none is imposed.
pub fn high_privacy(part: &Part, slack: &Real, bits: u32) -> Result<Guarantee, Error> {
    part.check()?;
    let branches = branches(part.linear(bits), part.variance(bits), part.variance(bits), slack, bits)?;
    let delta = part.total_delta(&slack.number(bits), bits);
    Ok(Guarantee { epsilon: Value::Finite(least(branches)), delta })
}

/// KOV Theorem 3.5, heterogeneous composition, for `epsilon_l > 0`, `0 <= d <= 1`: the three branches of [`simplified`] with
/// `sum epsilon_l`, `sum epsilon_l t_l` and `sum epsilon_l^2`, and `delta = 1 - (1-d) prod (1-delta_l)`.
pub fn heterogeneous(parts: &[Part], slack: &Real, bits: u32) -> Result<Guarantee, Error> {
    let branches = heterogeneous_branches(parts, slack, bits)?;
    let delta = parts.iter().fold(slack.number(bits), |delta, part| part.total_delta(&delta, bits));
    Ok(Guarantee { epsilon: Value::Finite(least(branches)), delta })
}

/// The three branches of [`heterogeneous`]; only the first at `d = 0`.
pub fn heterogeneous_branches(parts: &[Part], slack: &Real, bits: u32) -> Result<Vec<Number>, Error> {
    let (mut linear, mut drift, mut variance) = (Number::zero(), Number::zero(), Number::zero());
    for part in parts {
        part.check_positive()?;
        linear = &linear + &part.linear(bits);
        drift = &drift + &part.sharp_drift(bits);
        variance = &variance + &part.variance(bits);
    }
    branches(linear, drift, variance, slack, bits)
}

/// The least total delta that [`basic`] promises at `target`; `None` if it promises nothing there.
pub fn basic_delta(part: &Part, target: &Real, bits: u32) -> Result<Option<Number>, Error> {
    part.check()?;
    Ok(match part.compare_linear(target, bits) {
        Some(Ordering::Less) => None,
        Some(_) => Some(part.summed_delta(&Number::zero(), bits)),
        None => return Err(close_call(target)),
    })
}

/// The least total delta that [`advanced`] promises at `target`: `k delta + exp(-((target - k epsilon (x-1))/epsilon)^2/(2k))`, at
/// most 1; `None` below `k epsilon (x-1)`.
pub fn advanced_delta(part: &Part, target: &Real, bits: u32) -> Result<Option<Number>, Error> {
    part.check_positive()?;
    let Some(slack) = tail(part, &part.drift(bits), target, bits) else { return Ok(None) };
    Ok(Some(part.summed_delta(&Number::Enclosed(slack), bits)))
}

/// The least total delta that [`simplified`] promises at `target`, over its three branches; `None` if none reaches it.
///
/// With `y = exp(((target - k epsilon t)/epsilon)^2/(2k))` the third branch needs `d >= 1/y`, the second `d >= sqrt(k) epsilon/(y - e)` if that is
/// positive.
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

/// `exp(-((target - drift)/epsilon)^2/(2k))`; `None` if the target is certainly below the drift, or nothing is composed.
fn tail(part: &Part, drift: &Number, target: &Real, bits: u32) -> Option<Enclosure> {
    let gap = &target.number(bits) - drift;
    if gap.sign() == Some(Ordering::Less) || part.times == 0 {
        return None;
    }
    let scaled = gap.positive_part().pow(2).enclosure(bits) / part.variance(bits).enclosure(bits);
    Some((-scaled.shift(-1)).exp())
}

/// The three branches, from `sum epsilon`, the drift and `sum epsilon^2`.
fn branches(linear: Number, drift: Number, variance: Number, slack: &Real, bits: u32) -> Result<Vec<Number>, Error> {
    unit_interval(slack, "the slack d")?;
    let mut branches = vec![linear];
    if slack.sign() == Some(Ordering::Greater) {
        let spread = variance.sqrt(bits).enclosure(bits);
        let inside = &Enclosure::one(bits).exp() + &(&spread / &slack.enclosure(bits));
        branches.push(&drift + &deviation(&variance, &Number::Enclosed(inside.ln()), bits));
        branches.push(&drift + &deviation(&variance, &log_reciprocal(slack, bits), bits));
    }
    Ok(branches)
}

/// `sqrt(2 variance logarithm)`.
fn deviation(variance: &Number, logarithm: &Number, bits: u32) -> Number {
    (&(&Number::Exact(2.into()) * variance) * logarithm).sqrt(bits)
}

/// `ln(1/d)` for `0 < d <= 1`.
fn log_reciprocal(slack: &Real, bits: u32) -> Number {
    -slack.number(bits).ln(bits)
}

fn least(branches: Vec<Number>) -> Number {
    let mut branches = branches.into_iter();
    let first = branches.next().unwrap_or_else(Number::zero);
    branches.fold(first, |least, branch| least.min(&branch))
}

fn unit_interval(value: &Real, name: &str) -> Result<(), Error> {
    let above = value.number(256).compare(&Number::one());
    if value.sign() == Some(Ordering::Less) || above == Some(Ordering::Greater) {
        return Err(Error::Undefined(format!("{name} = {value} is outside [0, 1]")));
    }
    Ok(())
}

fn positive_slack(slack: &Real) -> Result<(), Error> {
    unit_interval(slack, "the slack d")?;
    match slack.sign() {
        Some(Ordering::Greater) => Ok(()),
        _ => Err(Error::Undefined(format!("the theorem needs a slack d > 0, not {slack}"))),
    }
}

fn close_call(target: &Real) -> Error {
    Error::undecided(format!("cannot tell whether epsilon = {target} is below k epsilon (change it a little)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::float::Round;
    use rug::{Float, Integer};

    /// A decimal reference, right to one unit of its last digit.
    fn decimal(text: &str) -> Enclosure {
        let digits = text.split('.').nth(1).map_or(0, str::len) as u32;
        let scale = Integer::from(Integer::u_pow_u(10, digits));
        let value: Integer = text.replace('.', "").parse().unwrap();
        let end =
            |d: i32, round| Float::with_val_round(400, Rational::from((value.clone() + d, scale.clone())), round).0;
        Enclosure::new(end(-1, Round::Down), end(1, Round::Up))
    }

    fn overlaps(value: &Number, reference: &str) {
        let value = value.enclosure(300);
        let narrow = value.relative_bits().is_some_and(|bits| bits > 200);
        assert!(narrow && value.overlaps(&decimal(reference)), "{value:?} against {reference}");
    }

    fn real(text: &str) -> Real {
        match text.strip_prefix("ln ") {
            Some(inner) => Real::from(inner.parse::<Rational>().unwrap()).ln().unwrap(),
            None => Real::from(text.parse::<Rational>().unwrap()),
        }
    }

    fn part(epsilon: &str, delta: &str, times: u64) -> Part {
        Part { epsilon: real(epsilon), delta: real(delta), times }
    }

    fn finite(guarantee: Guarantee) -> Number {
        match guarantee.epsilon {
            Value::Finite(value) => value,
            Value::Infinite => panic!("infinite"),
        }
    }

    #[test]
    fn bounds_overlap_the_references() {
        for (epsilon, times, slack, values) in [
            (
                "1/10",
                30,
                "1/1000",
                [
                    "2.351354881551476413800050522327616922802",
                    "2.193598504438004976582488782592246920465",
                    "2.095750683572682008066196560473079420746",
                    "2.185717252198173455960086138481729877057",
                    "2.245875558699042091471037464848226461818",
                ],
            ),
            (
                "1/100",
                1000,
                "1/1000000",
                [
                    "1.762759807110790500460748976525213739514",
                    "1.712508971689950212749921692010913570477",
                    "1.641491123207706517084176447088423786873",
                    "1.712257719606609882876823128918464609522",
                    "1.691491539870206559246447725666572578790",
                ],
            ),
            (
                "1/10",
                100,
                "3/10",
                [
                    "2.603464834411996842446044175212018592070",
                    "2.077610244033758718387505042760785250948",
                    "2.397121736183652441687941197185396122842",
                    "2.051339403234320316312829562392395106253",
                    "2.551755653655520594328965910309551909825",
                ],
            ),
        ] {
            let (part, slack) = (part(epsilon, "0", times), real(slack));
            let [drv, dr, second, third, high] = values;
            overlaps(&finite(advanced(&part, &slack, 300).unwrap()), drv);
            overlaps(&finite(refined(&part, &slack, 300).unwrap()), dr);
            let branches = simplified_branches(&part, &slack, 300).unwrap();
            overlaps(&branches[1], second);
            overlaps(&branches[2], third);
            let least = if second < third { second } else { third };
            overlaps(&finite(simplified(&part, &slack, 300).unwrap()), least);
            overlaps(&finite(high_privacy(&part, &slack, 300).unwrap()), high);
        }
        let parts = ["1/10", "1/5", "3/10"].map(|epsilon| part(epsilon, "0", 1));
        let branches = heterogeneous_branches(&parts, &real("1/100"), 300).unwrap();
        overlaps(&branches[1], "1.086368593546622954964901834238077194310");
        overlaps(&branches[2], "1.205133432018796580421962144120471109530");
        let whole = heterogeneous(&parts, &real("1/100"), 300).unwrap();
        assert_eq!(whole.delta.exact(), Some(&Rational::from((1, 100))));
        assert_eq!(finite(whole).exact(), Some(&Rational::from((3, 5))));
    }

    #[test]
    fn figure_of_thirty_fold_composition() {
        let whole = basic(&part("1/10", "1/1000", 30), 100).unwrap();
        assert_eq!(whole.delta.exact(), Some(&Rational::from((3, 100))));
        assert_eq!(finite(whole).exact(), Some(&Rational::from(3)));
    }

    #[test]
    fn inverses_give_the_slack_back() {
        let (a, slack) = (part("1/10", "1/1000000", 30), real("1/1000"));
        for bits in [64, 300] {
            let inside = |guarantee: Guarantee, inverse: fn(&Part, &Real, u32) -> Result<Option<Number>, Error>| {
                // At the two ends of the enclosure of epsilon the inverse must hold delta between.
                let delta = guarantee.delta.clone();
                let epsilon = finite(guarantee).enclosure(bits);
                let at = |end: &Float| {
                    let target = Real::from(end.to_rational().unwrap());
                    inverse(&a, &target, bits).unwrap().unwrap().enclosure(bits)
                };
                let both = at(epsilon.lower()).hull(&at(epsilon.upper()));
                assert!(both.overlaps(&delta.enclosure(bits)), "{both:?} {delta:?}");
            };
            inside(advanced(&a, &slack, bits).unwrap(), advanced_delta);
            inside(simplified(&a, &slack, bits).unwrap(), simplified_delta);
        }
        assert!(basic_delta(&a, &real("29/10"), 64).unwrap().is_none());
        assert!(advanced_delta(&a, &real("1/10"), 64).unwrap().is_none());
        assert!(simplified_delta(&a, &real("1/100"), 64).unwrap().is_none());
        let b = part("ln 3/2", "0", 3);
        assert_eq!(simplified_delta(&b, &real("ln 27/8"), 64).unwrap().unwrap().exact(), Some(&Rational::new()));
    }

    #[test]
    fn hypotheses_are_checked() {
        let slack = real("1/10");
        assert!(matches!(advanced(&part("0", "0", 3), &slack, 64), Err(Error::Undefined(_))));
        assert!(matches!(advanced(&part("1", "0", 3), &real("0"), 64), Err(Error::Undefined(_))));
        assert!(matches!(basic(&part("-1", "0", 3), 64), Err(Error::Undefined(_))));
        assert!(matches!(simplified(&part("1", "2", 3), &slack, 64), Err(Error::Undefined(_))));
        assert!(matches!(simplified(&part("1", "0", 3), &real("11/10"), 64), Err(Error::Undefined(_))));
        assert!(matches!(refined(&part("1", "0", 3), &real("0"), 64).unwrap().epsilon, Value::Infinite));
        assert_eq!(finite(simplified(&part("1", "0", 3), &real("0"), 64).unwrap()).exact(), Some(&Rational::from(3)));
    }
}
