//! What the curves of operators have in common: numbers that are sought, and values at numbers that are enclosed.

use std::cmp::Ordering;

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real, concave_maximum, root::bracketed};

/// Farther than this no logarithm of a threshold is looked for.
const FARTHEST: u32 = 1 << 24;

/// `1 - x` for `x = e^eps`.
fn one_minus_power(epsilon: &Real, bits: u32) -> Number {
    match epsilon.exp_rational() {
        Some(x) => Number::Exact(1 - x),
        None => Number::Enclosed(-epsilon.enclosure(bits.saturating_add(8)).expm1()),
    }
}

/// The profile of a symmetric pair at any epsilon, from its profile at epsilons that are at least 0:
/// `H_x(P,Q) = 1 - x + x H_(1/x)(Q,P)`, for `(a)_+ = a + (-a)_+` under the sum that H is. Neither term is negative
/// for `x <= 1`.
pub(super) fn at_any_epsilon(
    epsilon: &Real,
    bits: u32,
    profile: impl FnOnce(&Real) -> Result<Number, Error>,
) -> Result<Number, Error> {
    match epsilon.sign() {
        Some(Ordering::Less) => {
            let mirrored = profile(&epsilon.neg())?;
            Ok(&one_minus_power(epsilon, bits) + &(&epsilon.exp_number(bits) * &mirrored))
        }
        Some(_) => profile(epsilon),
        None => Err(Error::undecided(format!("cannot decide the sign of epsilon = {epsilon}"))),
    }
}

/// The least `eps >= 0` with `profile(eps) <= delta`, of a profile that falls strictly as long as it is above its
/// limit, for a delta above that limit.
pub(super) fn inverse_profile(
    delta: &Real,
    bits: u32,
    budget: &Budget,
    profile: impl Fn(&Real, u32) -> Result<Number, Error>,
) -> Result<Value, Error> {
    let excess = |at: &Rational, bits: u32| -> Result<Number, Error> {
        Ok(&profile(&Real::from(at.clone()), bits)? - &delta.number(bits))
    };
    let mut order = None;
    for bits in [64, bits.max(64)] {
        if order.is_none() {
            order = excess(&Rational::new(), bits)?.sign();
        }
    }
    if order.is_some_and(Ordering::is_le) {
        return Ok(Value::Finite(Number::zero()));
    }
    let mut high = 1_u32;
    loop {
        budget.check()?;
        // Near the limit of the profile signs take more bits.
        let mut sign = None;
        for bits in [64, bits.saturating_add(64)] {
            sign = sign.or(excess(&Rational::from(high), bits)?.sign());
        }
        if sign == Some(Ordering::Less) {
            break;
        }
        high = high.saturating_mul(2);
        if high > FARTHEST {
            return Err(Error::Undecided("found no epsilon at which the privacy profile is below delta".into()));
        }
    }
    let root = bracketed(&Float::with_val(32, high), order.is_some(), bits.saturating_add(8), budget, excess)?;
    Ok(Value::Finite(Number::Enclosed(root)))
}

/// No farther than this a range is sought, below 0 and above.
#[derive(Clone, Copy)]
struct Reach {
    low: u32,
    high: u32,
}

/// A range of t that has the greatest value of a concave function of `e^t` in it, as far as values tell: nothing rests
/// on that.
fn range(
    most: Reach,
    bits: u32,
    budget: &Budget,
    value: impl Fn(&Rational, u32) -> Result<Enclosure, Error>,
) -> Result<(Float, Float), Error> {
    let at = |t: i64| -> Result<Float, Error> {
        budget.check()?;
        let set = value(&Rational::from(t), bits)?;
        Ok(Float::with_val(set.bits(), set.lower() + set.upper()) / 2u32)
    };
    let reach = |sign: i64, most: u32| -> Result<Float, Error> {
        let (mut last, mut far) = (at(0)?, 1_i64);
        while far < i64::from(most) {
            let next = at(sign * far)?;
            if !(next > last) {
                break;
            }
            last = next;
            far *= 2;
        }
        Ok(Float::with_val(64, sign * far.min(i64::from(most))))
    };
    Ok((reach(-1, most.low)?, reach(1, most.high)?))
}

/// `T(P,Q)(alpha) = sup_x [1 - H_x(Q,P) - x alpha]`, for `0 < alpha < 1`, from both profiles: a concave function of
/// `x = e^t`. For `t > 0` as it stands; for `t <= 0` from `1 - H_x(Q,P) = x (1 - H_(1/x)(P,Q))` as
/// `x (1 - alpha - H_(1/x)(P,Q))`, which keeps its accuracy where all of it is small.
pub(super) fn trade_off_of_profile(
    alpha: &Real,
    bits: u32,
    budget: &Budget,
    forward: impl Fn(&Real, u32) -> Result<Number, Error>,
    backward: impl Fn(&Real, u32) -> Result<Number, Error>,
) -> Result<Number, Error> {
    let rest = Real::one().sub(alpha);
    let value = |t: &Rational, working: u32| -> Result<Enclosure, Error> {
        let point = Real::from(t.clone());
        let wide = working.saturating_add(bits);
        let x = point.exp_number(wide);
        let value = if t.cmp0() == Ordering::Greater {
            &(&Number::one() - &(&x * &alpha.number(wide))) - &backward(&point, wide)?
        } else {
            &x * &(&rest.number(wide) - &forward(&point.neg(), wide)?)
        };
        Ok(value.enclosure(working))
    };
    let far = Reach { low: FARTHEST, high: FARTHEST };
    let greatest = concave_maximum(range(far, bits, budget, value)?, bits, budget, value)?;
    alarm::probability(&greatest, "type II error, sought on a profile").map(Number::Enclosed)
}

/// The height at alpha of the line `1 - H_x - x alpha`, from a profile that bounds those of both orders: it is below
/// the trade-off functions of both. For `x <= 1` it is `x (1 - alpha - H_(1/x))`, as in [`trade_off_of_profile`].
pub(super) fn line_below(
    x: &Rational,
    alpha: &Real,
    bits: u32,
    profile: impl Fn(&Real) -> Result<Number, Error>,
) -> Result<Number, Error> {
    let epsilon = Real::from(x.clone()).ln()?;
    let factor = Number::Exact(x.clone());
    if *x > 1 {
        return Ok(&(&Number::one() - &(&factor * &alpha.number(bits))) - &profile(&epsilon)?);
    }
    Ok(&factor * &(&Real::one().sub(alpha).number(bits) - &profile(&epsilon.neg())?))
}

/// `sup_a [p(a) - x a]` over `0 < a <= 1`, for a concave power `p(a)` of tests that increases to 1, and an epsilon that
/// is at least 0: the profile of the pair, backward. Beyond 1 the power is taken as 1.
///
/// `power` is asked with an enclosure of a, and encloses the powers at all of its points.
pub(super) fn profile_of_power(
    epsilon: &Real,
    bits: u32,
    budget: &Budget,
    power: impl Fn(&Enclosure, u32) -> Result<Enclosure, Error>,
) -> Result<Number, Error> {
    let value = |t: &Rational, working: u32| -> Result<Enclosure, Error> {
        // A power is known to an absolute accuracy: the more bits were asked for, the more are spent on that.
        let wide = working.saturating_add(bits);
        let alpha = Enclosure::rational(t, wide).exp();
        let gained = if t.cmp0() == Ordering::Greater { Enclosure::one(wide) } else { power(&alpha, wide)? };
        let paid = &epsilon.exp_number(wide).enclosure(wide) * &alpha;
        Ok((&gained - &paid).with_bits(working))
    };
    // Powers below the accuracy are not told from nothing.
    let far = Reach { low: bits.saturating_mul(2), high: 0 };
    let greatest = concave_maximum(range(far, bits, budget, value)?, bits, budget, value)?;
    alarm::probability(&greatest, "profile, sought on a trade-off function").map(Number::Enclosed)
}

/// The least `eps >= 0` with `sup_a [p(a) - e^eps a] <= delta`: `x = sup_a (p(a) - delta)/a`, which with `y = 1/a` is
/// the greatest value of `y p(1/y) - delta y`, the perspective of a concave function less a linear one, and so concave.
pub(super) fn inverse_of_power(
    delta: &Real,
    bits: u32,
    budget: &Budget,
    power: impl Fn(&Enclosure, u32) -> Result<Enclosure, Error>,
) -> Result<Value, Error> {
    let value = |t: &Rational, working: u32| -> Result<Enclosure, Error> {
        let wide = working.saturating_add(bits);
        let y = Enclosure::rational(t, wide).exp();
        let gained = if t.cmp0() == Ordering::Less { Enclosure::one(wide) } else { power(&y.recip(), wide)? };
        Ok((&y * &(&gained - &delta.enclosure(wide))).with_bits(working))
    };
    let far = Reach { low: 0, high: FARTHEST };
    let x = concave_maximum(range(far, bits, budget, value)?, bits, budget, value)?;
    if *x.upper() <= 1 {
        return Ok(Value::Finite(Number::zero()));
    }
    // At least one, or the least epsilon is 0.
    Ok(Value::Finite(Number::Enclosed(x.max(&Enclosure::one(x.bits())).ln())))
}

/// The type II errors at all points of an enclosure: the function falls.
pub(super) fn beta_on(
    curve: &dyn Curve,
    alpha: &Enclosure,
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Enclosure, Error> {
    let end = |end: &Float| -> Result<Enclosure, Error> {
        let at = end.to_rational().ok_or_else(|| Error::Undecided("a type I error out of range".into()))?;
        let at = Real::from(at.max(Rational::new()).min(Rational::from(1)));
        Ok(curve.beta(&at, direction, bits, budget)?.enclosure(bits))
    };
    let high = end(alpha.lower())?;
    if alpha.is_point() {
        return Ok(high);
    }
    let low = end(alpha.upper())?;
    let ends = (Float::with_val_round(bits, low.lower(), Down).0, Float::with_val_round(bits, high.upper(), Up).0);
    Ok(Enclosure::new(ends.0, ends.1))
}
