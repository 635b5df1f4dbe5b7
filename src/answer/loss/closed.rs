//! Loss distributions in closed form: Gaussian noise, run any number of times, and Laplace noise, run once.
//!
//! **Gaussian.** For `N(0, 1)` against `N(mu, 1)` the loss is `N(m/2, m)` under P and `N(-m/2, m)` under Q, `m = mu^2`
//! (Dong, Roth, Su, Section 2.2). Both orders have this loss.
//!
//! **Laplace.** For Laplace noise of scale 1 that moves by c, the loss is `|y - c| - |y|`, which falls from c to -c as
//! y grows. So `{L > t} = {y < (c - t)/2}` for `-c <= t < c`, of mass `1 - e^(-(c-t)/2)/2` under P and `e^(-(c+t)/2)/2`
//! under Q. There is no larger loss than c, and none smaller than -c. Both orders have this loss.

use std::cmp::Ordering;

use super::{Found, Value};
use crate::error::Error;
use crate::pair::{Family, Product};
use crate::query::Under;
use crate::statement;
use enclosure::special::{normal_quantile, normal_tail};
use enclosure::{Budget, Number, Real, refine};

const METHOD: &str = "closed form of the privacy loss";

/// The value in closed form, if there is one.
pub(super) fn probability(
    product: &Product,
    value: &Value,
    digits: u32,
    budget: &Budget,
) -> Result<Option<Found>, Error> {
    // As the mass of a tail, which has its digits however small it is.
    let Value { tail, under, .. } = if value.complement { value.other_way() } else { value.clone() };
    let sign = if under == Under::P { -1 } else { 1 };
    match product.families().as_slice() {
        // A single value of a loss has no mass.
        [Family::Gaussian] if product.failures.is_empty() => {
            let m = &product.mu_squared;
            let centre = tail.at.add(&m.mul_rational(&rug::Rational::from((sign, 2))));
            let found = refine(digits, budget, |bits| {
                let wide = bits.saturating_add(32);
                let x = &centre.enclosure(wide) / &m.enclosure(wide).sqrt();
                Ok(Number::Enclosed(normal_tail(&x, bits.saturating_add(8), budget)?))
            })?;
            Ok(Some(Found::exact(found, METHOD, &statement::LOSS_DISTRIBUTION)))
        }
        [Family::Laplace] if product.failures.is_empty() => {
            let [(c, 1)] = product.laplace.as_slice() else { return Ok(None) };
            let (Some(above), Some(below)) = (tail.at.compare(c), tail.at.compare(&c.neg())) else { return Ok(None) };
            let inside = |order: Ordering| order == Ordering::Less || order == Ordering::Equal && !tail.strict;
            let found = if !inside(above) {
                Number::zero()
            } else if inside(below) {
                Number::one()
            } else {
                // With `>=` in place of `>` only the atoms at both ends count: here no loss but c, whose mass is that
                // of all y below 0.
                let signed = if under == Under::P { tail.at.sub(c) } else { tail.at.add(c).neg() };
                let half = signed.mul_rational(&rug::Rational::from((1, 2)));
                refine(digits, budget, |bits| {
                    let small = half.exp_number(bits.saturating_add(16)).half();
                    Ok(if under == Under::P { &Number::one() - &small } else { small })
                })?
            };
            Ok(Some(Found::exact(found, METHOD, &statement::LOSS_DISTRIBUTION)))
        }
        _ => Ok(None),
    }
}

/// Half of a number.
trait Half {
    fn half(&self) -> Self;
}

impl Half for Number {
    fn half(&self) -> Self {
        self * &Number::Exact(rug::Rational::from((1, 2)))
    }
}

/// The smallest t with `P[L <= t] >= u`, if it has a closed form.
pub(super) fn quantile(
    product: &Product,
    u: &Real,
    under: Under,
    digits: u32,
    budget: &Budget,
) -> Result<Option<Found>, Error> {
    if !product.failures.is_empty() {
        return Ok(None);
    }
    let found = match product.families().as_slice() {
        [Family::Gaussian] => {
            let m = &product.mu_squared;
            refine(digits, budget, |bits| {
                let wide = bits.saturating_add(32);
                let mean = m.enclosure(wide).shift(-1);
                let mean = if under == Under::P { mean } else { -mean };
                let z = normal_quantile(&u.number(wide), wide, budget)?.enclosure(wide);
                Ok(Number::Enclosed(&mean + &(&m.enclosure(wide).sqrt() * &z)))
            })?
        }
        [Family::Laplace] => {
            let [(c, 1)] = product.laplace.as_slice() else { return Ok(None) };
            let Some(loss) = laplace(c, u, under)? else { return Ok(None) };
            refine(digits, budget, |bits| Ok(loss.number(bits)))?
        }
        _ => return Ok(None),
    };
    Ok(Some(Found::exact(found, METHOD, &statement::LOSS_DISTRIBUTION)))
}

/// The quantile of one run of Laplace noise. With `F(t) = e^((t-c)/2)/2` under P, and `1 - e^(-(c+t)/2)/2` under Q,
/// between the atoms at -c and c: F is at least u from -c on, from `c + 2 ln(2u)` or `-c - 2 ln(2(1-u))` on, or at c
/// alone.
fn laplace(c: &Real, u: &Real, under: Under) -> Result<Option<Real>, Error> {
    let two = rug::Rational::from(2);
    let low = match under {
        Under::P => c.add(&u.mul_rational(&two).ln()?.mul_rational(&two)),
        Under::Q => c.neg().sub(&Real::one().sub(u).mul_rational(&two).ln()?.mul_rational(&two)),
    };
    let (Some(above), Some(below)) = (low.compare(c), low.compare(&c.neg())) else { return Ok(None) };
    Ok(Some(if above == Ordering::Greater {
        c.clone()
    } else if below == Ordering::Less {
        c.neg()
    } else {
        low
    }))
}

/// The two atoms of one run of Laplace noise that moves by c, as `(loss, P-mass, Q-mass)`.
pub(super) fn laplace_atoms(c: &Real, bits: u32) -> [(Real, Number, Number); 2] {
    let half = Number::Exact(rug::Rational::from((1, 2)));
    let small = &half * &Number::Enclosed((-c.enclosure(bits)).exp());
    [(c.clone(), half.clone(), small.clone()), (c.neg(), small, half)]
}
