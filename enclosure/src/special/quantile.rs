//! Quantiles of the normal distribution.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::normal::{Tail, mills, normal_density};
use crate::Error;
use crate::root::newton;
use crate::{Budget, Enclosure, Number};

/// `z` with `1 - Phi(z) = p`: the upper quantile, for `0 < p < 1`, to about `bits` bits of relative accuracy.
///
/// A search in 64 bits, then [`newton`]. A `p` beyond 1/2 is taken through its complement, which is exact
/// when `p` is. Exactly 0 at `p = 1/2`.
///
/// # Errors
/// [`Error::Undefined`] outside `(0, 1)`, [`Error::Undecided`] if the enclosure of `p` does not decide that.
pub fn tail_quantile(p: &Number, bits: u32, budget: &Budget) -> Result<Number, Error> {
    let (half, one) = (Number::Exact(Rational::from((1, 2))), Number::one());
    match (p.sign(), p.compare(&one)) {
        (Some(Ordering::Greater), Some(Ordering::Less)) => {}
        (Some(Ordering::Less | Ordering::Equal), _) | (_, Some(Ordering::Greater | Ordering::Equal)) => {
            return Err(Error::Undefined("a quantile of the normal distribution needs 0 < p < 1".into()));
        }
        _ => return Err(Error::Undecided("cannot decide whether 0 < p < 1 at this precision".into())),
    }
    match p.compare(&half) {
        Some(Ordering::Equal) => Ok(Number::zero()),
        Some(Ordering::Greater) => Ok(-upper_half(&(&one - p), bits, budget)?),
        _ => upper_half(p, bits, budget),
    }
}

/// `z` with `Phi(z) = p`, for `0 < p < 1`; see [`tail_quantile`].
///
/// # Errors
/// As [`tail_quantile`].
pub fn normal_quantile(p: &Number, bits: u32, budget: &Budget) -> Result<Number, Error> {
    Ok(-tail_quantile(p, bits, budget)?)
}

/// The quantile for `p <= 1/2` or thereabouts.
fn upper_half(p: &Number, bits: u32, budget: &Budget) -> Result<Number, Error> {
    let below_half = &Number::Exact(Rational::from((1, 2))) - p;
    let central = matches!(p.compare(&Number::Exact(Rational::from((3, 8)))), Some(Ordering::Greater));
    let start = if central {
        // Phi(x) - 1/2 is about x/sqrt(2 pi).
        Float::with_val(64, below_half.enclosure(64).lower() * 2.5066282746310002)
    } else {
        search(&p.enclosure(64), budget)?
    };
    let value = |x: &Float, bits: u32| -> Result<Enclosure, Error> {
        let wide = x.prec().saturating_mul(2).saturating_add(4);
        let y = Float::with_val(wide, x.square_ref());
        let precision = bits.saturating_mul(2).saturating_add(200).max(x.prec());
        let (x, y) =
            (Enclosure::new(x.clone(), x.clone()).with_bits(precision), Number::Enclosed(Enclosure::new(y.clone(), y)));
        let point = Tail { x: &x, y: &y };
        Ok(if central {
            below_half.enclosure(bits + 8) - point.central(bits + 4, budget)?
        } else {
            point.tail(bits + 4, budget)? - p.enclosure(bits + 8)
        })
    };
    let root = newton(&start, bits.saturating_add(8), budget, value, |set, bits| Ok(normal_density(set, bits)))?;
    Ok(Number::Enclosed(root))
}

/// A number near the quantile of `p <= 3/8`, by Newton's method for `ln Q`, which is concave: started to the right of
/// the root (`Q(x) <= e^{-x^2/2}/2`), it comes down to it without overshooting.
fn search(p: &Enclosure, budget: &Budget) -> Result<Float, Error> {
    let goal = p.ln();
    let mut x = Float::with_val(64, (-(goal.clone() + Enclosure::ln_2(64)).shift(1)).sqrt().upper());
    let density = super::recip_sqrt_two_pi(64).ln();
    for _ in 0..60 {
        let point = Enclosure::new(x.clone(), x.clone());
        let ratio = mills(&point, 64, budget)?;
        let log = ratio.ln() + &density - point.square().shift(-1);
        let step = (log - &goal) * &ratio;
        let next = Float::with_val(64, &x + step.upper());
        let small = Float::with_val(64, &x - &next).abs() < Float::with_val(64, &x >> 44u32);
        x = next;
        if small {
            break;
        }
    }
    Ok(x)
}
