//! Upper bounds on compositions that have a closed form: Kairouz, Oh and Viswanath ("KOV"), Dwork, Rothblum and Vadhan,
//! Dwork and Rothblum.
//!
//! A theorem says that steps which are `(epsilon_l, delta_l)`-DP compose, for a slack d, to an (epsilon, delta). It is
//! asked in three ways, each with certified numbers: what it promises for a slack ([`promise`]), the least epsilon that
//! it promises at a delta ([`epsilon_at`]), and the least delta at an epsilon ([`delta_at`]). None is the exact
//! composition (that is KOV's Theorem 3.3, see `compose`). A hypothesis that fails is [`Error::Undefined`].
//!
//! With `x = e^epsilon`, `t = (x-1)/(x+1)`, `S = sum epsilon_l`, `V = sum epsilon_l^2`, every one of them has the form
//! `(min(branches), total)`, the branches made of a drift M:
//!
//! | theorem | drift M | branches | total delta |
//! |---|---|---|---|
//! | [`Basic`](Theorem::Basic) | - | `S` | `sum delta_l` |
//! | [`Advanced`](Theorem::Advanced) | `k epsilon (x-1)` | `M + sqrt(2V ln(1/d))` | `k delta + d` |
//! | [`Refined`](Theorem::Refined) | `k epsilon (x-1)/2` | the same | the same |
//! | [`Simplified`](Theorem::Simplified) | `k epsilon t` | `S`, `M + sqrt(2V ln(e + sqrt(V)/d))`, `M + sqrt(2V ln(1/d))` | `1 - (1-delta)^k (1-d)` |
//! | [`HighPrivacy`](Theorem::HighPrivacy) | `k epsilon^2` | the same | the same |
//! | [`Heterogeneous`](Theorem::Heterogeneous) | `sum epsilon_l t_l` | the same | `1 - (1-d) prod (1-delta_l)` |
//!
//! The third branch of Simplified is below Refined, and that is below Advanced, for `t <= (x-1)/2 <= x-1`; see
//! `proofs/paper/composition-bounds.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::hypothesis::{not_negative, unit};
use crate::curve::Value;
use crate::error::Error;
use crate::pair::Part;
use enclosure::{Brief, Enclosure, Number, Real};

/// Bits of a power of rationals that is still formed.
const EXACT_BITS: u64 = 1 << 22;

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theorem {
    /// KOV Theorem 3.1. Printed for `epsilon > 0`, and true at 0. The second parameter is capped at 1.
    Basic,
    /// KOV Theorem 3.2 (Dwork, Rothblum and Vadhan 2010), for `epsilon > 0`, `0 < d <= 1`.
    Advanced,
    /// Dwork and Rothblum, Theorem 1.1, for `epsilon >= 0`, `0 <= d <= 1`; infinite at `d = 0`.
    Refined,
    /// KOV Theorem 3.4, for `epsilon >= 0`, `0 <= d <= 1`.
    Simplified,
    /// KOV equation (8). Printed for `epsilon <= 0.9`; as `t <= epsilon/2` for all `epsilon >= 0` no such condition is
    /// needed, and none is imposed.
    HighPrivacy,
    /// KOV Theorem 3.5, for `epsilon_l > 0`, `0 <= d <= 1`.
    Heterogeneous,
}

/// What a theorem promises: the composition is `(epsilon, delta)`-DP.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Infinite if the theorem promises nothing.
    pub epsilon: Value,
    /// At most 1.
    pub delta: Number,
}

/// Steps, each (epsilon, delta)-DP.
#[derive(Clone, Debug)]
pub struct Steps {
    parts: Vec<Part>,
}

impl Steps {
    /// These steps, `epsilon >= 0` and `0 <= delta <= 1`.
    ///
    /// # Errors
    /// [`Error::Undefined`] outside of these.
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Result<Self, Error> {
        let mut parts: Vec<Part> = parts.into_iter().collect();
        for part in &parts {
            not_negative("epsilon", &part.epsilon)?;
            unit("delta", &part.delta)?;
        }
        // What is wrong with a step is wrong with none of it too.
        parts.retain(|part| part.times > 0);
        Ok(Steps { parts })
    }

    /// Are they all alike?
    fn equal(&self) -> bool {
        self.parts.windows(2).all(|two| two[0].epsilon == two[1].epsilon && two[0].delta == two[1].delta)
    }

    fn sum(&self, bits: u32, one: impl Fn(&Part, u32) -> Number) -> Number {
        self.parts.iter().fold(Number::zero(), |sum, part| &sum + &(&count(part) * &one(part, bits)))
    }

    /// `S`.
    fn linear(&self, bits: u32) -> Number {
        self.sum(bits, |part, bits| part.epsilon.number(bits))
    }

    /// `V`.
    fn variance(&self, bits: u32) -> Number {
        self.sum(bits, |part, bits| part.epsilon.number(bits).pow(2))
    }

    /// The order of `target` and `S`: exact wherever the two constants can be compared exactly.
    fn compare_linear(&self, target: &Real, bits: u32) -> Result<Ordering, Error> {
        let near = target.number(bits).compare(&self.linear(bits));
        let exact = || {
            let terms: Vec<Real> =
                self.parts.iter().map(|part| part.epsilon.mul_rational(&part.times.into())).collect();
            target.compare(&Real::sum(&terms))
        };
        near.or_else(exact).ok_or_else(|| {
            Error::undecided(format!("cannot decide whether epsilon = {target} is below the sum of all epsilons"))
        })
    }

    /// `prod (1-delta_l)`, and 1 less that, which keeps the digits of small parts.
    fn pass(&self, bits: u32) -> (Number, Number) {
        let mut exact = Some(Rational::from(1));
        let mut log = Enclosure::zero(bits);
        let mut room = EXACT_BITS;
        for part in &self.parts {
            let base = part.delta.as_rational().map(|delta| Rational::from(1 - delta));
            if base.as_ref().is_some_and(Rational::is_zero) || part.delta == Real::one() {
                return (Number::zero(), Number::one());
            }
            let size = base.as_ref().map(|base| u64::from(base.denom().significant_bits()).saturating_mul(part.times));
            exact = match (exact, base, size) {
                (Some(all), Some(base), _) if base == 1 => Some(all),
                (Some(all), Some(base), Some(size)) if size <= room => {
                    room -= size;
                    Number::Exact(base).pow(part.times).exact().map(|power| all * power)
                }
                _ => None,
            };
            log = log + (-part.delta.enclosure(bits)).log1p() * Enclosure::integer(&part.times.into(), bits);
        }
        match exact {
            Some(pass) => (Number::Exact(pass.clone()), Number::Exact(1 - pass)),
            None => (Number::Enclosed(log.exp()), Number::Enclosed(-log.expm1())),
        }
    }

    /// `sum delta_l`.
    fn deltas(&self, bits: u32) -> Number {
        self.sum(bits, |part, bits| part.delta.number(bits))
    }
}

fn count(part: &Part) -> Number {
    Number::Exact(Rational::from(part.times))
}

/// `x - 1`.
fn rise(part: &Part, bits: u32) -> Number {
    match part.epsilon.exp_rational() {
        Some(x) => Number::Exact(x - 1),
        None => Number::Enclosed(part.epsilon.enclosure(bits).expm1()),
    }
}

/// `(x-1)/(x+1)`.
fn tanh_half(epsilon: &Real, bits: u32) -> Number {
    match epsilon.exp_rational() {
        Some(x) => Number::Exact((x.clone() - 1) / (x + 1)),
        None => Number::Enclosed(epsilon.enclosure(bits).shift(-1).tanh()),
    }
}

impl Theorem {
    /// All, in the order of the paper.
    pub const ALL: [Theorem; 6] = [
        Theorem::Basic,
        Theorem::Advanced,
        Theorem::Refined,
        Theorem::Simplified,
        Theorem::HighPrivacy,
        Theorem::Heterogeneous,
    ];

    /// Its source.
    pub fn citation(self) -> &'static str {
        match self {
            Theorem::Basic => "KOV Theorem 3.1",
            Theorem::Advanced => "KOV Theorem 3.2 (Dwork, Rothblum, Vadhan 2010)",
            Theorem::Refined => "Dwork-Rothblum, Theorem 1.1",
            Theorem::Simplified => "KOV Theorem 3.4",
            Theorem::HighPrivacy => "KOV equation (8)",
            Theorem::Heterogeneous => "KOV Theorem 3.5",
        }
    }

    fn check(self, steps: &Steps) -> Result<(), Error> {
        let name = self.citation();
        let several = !matches!(self, Theorem::Basic | Theorem::Heterogeneous);
        if several && !steps.equal() {
            return Err(Error::Undefined(format!("{name} requires equal steps, but these steps differ")));
        }
        steps.parts.iter().try_for_each(|part| self.admits(&part.epsilon))
    }

    /// Its own hypothesis on the epsilon of a step, however often that is taken.
    ///
    /// # Errors
    /// [`Error::Undefined`] if it fails.
    pub fn admits(self, epsilon: &Real) -> Result<(), Error> {
        let positive = matches!(self, Theorem::Advanced | Theorem::Heterogeneous);
        if positive && epsilon.sign() != Some(Ordering::Greater) {
            let name = self.citation();
            return Err(Error::Undefined(format!("{name} requires epsilon > 0, not epsilon = {}", Brief(epsilon))));
        }
        Ok(())
    }

    /// Is `S` one of the branches, beside one that has e in its logarithm?
    fn has_branches(self) -> bool {
        matches!(self, Theorem::Simplified | Theorem::HighPrivacy | Theorem::Heterogeneous)
    }

    /// `M`.
    fn drift(self, steps: &Steps, bits: u32) -> Number {
        steps.sum(bits, |part, bits| {
            let factor = match self {
                Theorem::Basic => Number::one(),
                Theorem::Advanced => rise(part, bits),
                Theorem::Refined => &rise(part, bits) / &Number::Exact(2.into()),
                Theorem::Simplified | Theorem::Heterogeneous => tanh_half(&part.epsilon, bits),
                Theorem::HighPrivacy => part.epsilon.number(bits),
            };
            &part.epsilon.number(bits) * &factor
        })
    }

    /// The total delta for a slack.
    fn total(self, steps: &Steps, slack: &Number, bits: u32) -> Number {
        if self.has_branches() {
            let (pass, lost) = steps.pass(bits);
            // A fraction may be long, and fractions less than one that are subtracted from it have the same
            // denominator.
            if let (Number::Exact(pass), Number::Exact(slack)) = (&pass, slack) {
                return Number::Exact(1 - Rational::from(1 - slack) * pass);
            }
            &lost + &(&pass * slack)
        } else {
            (&steps.deltas(bits) + slack).min(&Number::one())
        }
    }

    /// The slack that a total delta leaves; `None` if it is not enough for the deltas of the steps.
    fn slack(self, steps: &Steps, delta: &Real, bits: u32) -> Result<Option<Number>, Error> {
        let delta = delta.number(bits);
        let slack = if self.has_branches() {
            let (pass, lost) = steps.pass(bits);
            if matches!(pass.sign(), Some(Ordering::Equal)) {
                // Some step may fail outright: 1 is all there is.
                return Ok((delta.compare(&Number::one()) == Some(Ordering::Equal)).then(Number::one));
            }
            &(&delta - &lost) / &pass
        } else {
            &delta - &steps.deltas(bits)
        };
        match slack.sign() {
            Some(Ordering::Less) => Ok(None),
            Some(_) => Ok(Some(slack)),
            None => Err(Error::undecided("cannot decide whether delta is at least the total delta of the steps")),
        }
    }

    /// The branches for a slack, in the order printed; none where the slack is 0 and each needs more.
    pub fn branches(self, steps: &Steps, slack: &Number, bits: u32) -> Vec<Number> {
        let mut branches = Vec::new();
        if self == Theorem::Basic || self.has_branches() {
            branches.push(steps.linear(bits));
        }
        let variance = steps.variance(bits);
        if variance.sign() == Some(Ordering::Equal) {
            return vec![Number::zero()];
        }
        if self == Theorem::Basic || slack.sign() != Some(Ordering::Greater) {
            return branches;
        }
        let drift = self.drift(steps, bits);
        let far = |logarithm: &Number| {
            &drift + &(&(&Number::Exact(2.into()) * &variance) * &logarithm.positive_part()).sqrt(bits)
        };
        if self.has_branches() {
            let spread = variance.sqrt(bits).enclosure(bits);
            let inside = &Enclosure::one(bits).exp() + &(&spread / &slack.enclosure(bits));
            branches.push(far(&Number::Enclosed(inside.ln())));
        }
        branches.push(far(&-slack.ln(bits)));
        branches
    }
}

/// What a theorem promises for a slack d.
///
/// # Errors
/// [`Error::Undefined`] if a hypothesis fails.
pub fn promise(theorem: Theorem, steps: &Steps, slack: &Real, bits: u32) -> Result<Promise, Error> {
    theorem.check(steps)?;
    unit("the slack d", slack)?;
    if theorem == Theorem::Advanced && slack.sign() != Some(Ordering::Greater) {
        return Err(Error::Undefined(format!(
            "{} requires a slack d > 0, not d = {}",
            theorem.citation(),
            Brief(slack)
        )));
    }
    let none = Number::zero();
    let slack = if theorem == Theorem::Basic { none } else { slack.number(bits) };
    let delta = theorem.total(steps, &slack, bits);
    Ok(Promise { epsilon: least(theorem.branches(steps, &slack, bits)), delta })
}

/// The least epsilon that a theorem promises at this delta; infinite if it promises none.
///
/// # Errors
/// [`Error::Undefined`] if a hypothesis fails.
pub fn epsilon_at(theorem: Theorem, steps: &Steps, delta: &Real, bits: u32) -> Result<Value, Error> {
    theorem.check(steps)?;
    unit("delta", delta)?;
    let Some(slack) = theorem.slack(steps, delta, bits)? else { return Ok(Value::Infinite) };
    Ok(least(theorem.branches(steps, &slack, bits)))
}

/// The least total delta that a theorem promises at an epsilon; `None` if it promises nothing there.
///
/// A drift M and a logarithm at most `(target - M)^2/(2V)` do: with y the exponential of that, the last branch needs
/// `d >= 1/y`, the one before it `d >= sqrt(V)/(y - e)` if that is positive.
///
/// # Errors
/// [`Error::Undefined`] if a hypothesis fails.
pub fn delta_at(theorem: Theorem, steps: &Steps, target: &Real, bits: u32) -> Result<Option<Number>, Error> {
    theorem.check(steps)?;
    let variance = steps.variance(bits);
    let trivial = variance.sign() == Some(Ordering::Equal);
    if (theorem == Theorem::Basic || theorem.has_branches() || trivial)
        && steps.compare_linear(target, bits)? != Ordering::Less
    {
        return Ok(Some(theorem.total(steps, &Number::zero(), bits)));
    }
    if theorem == Theorem::Basic || trivial {
        return Ok(None);
    }
    let gap = &target.number(bits) - &theorem.drift(steps, bits);
    if gap.sign() == Some(Ordering::Less) {
        return Ok(None);
    }
    let scaled = gap.positive_part().pow(2).enclosure(bits) / variance.enclosure(bits);
    let last = (-scaled.shift(-1)).exp();
    if !theorem.has_branches() {
        return Ok(Some(theorem.total(steps, &Number::Enclosed(last), bits)));
    }
    let room = &last.recip() - &Enclosure::one(bits).exp();
    let one = Enclosure::one(bits);
    let second = match room.sign() {
        Some(Ordering::Greater) => &variance.sqrt(bits).enclosure(bits) / &room,
        Some(_) => one,
        // Any slack may be what the second branch needs.
        None => Enclosure::zero(bits).hull(&one),
    };
    Ok(Some(theorem.total(steps, &Number::Enclosed(last.min(&second)), bits)))
}

fn least(branches: Vec<Number>) -> Value {
    branches.into_iter().reduce(|least, branch| least.min(&branch)).map_or(Value::Infinite, Value::Finite)
}

#[cfg(test)]
mod tests;
