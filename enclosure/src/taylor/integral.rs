//! Integrals over a bounded interval.
//!
//! **What is certified.** With the Taylor polynomial of even degree n at a point m of `[a, b]`, and `C` an enclosure of
//! `f^(n)/n!` over all of `[a, b]`, Lagrange's remainder gives `f(x) in sum_(k<n) f_k (x-m)^k + C (x-m)^n`, and as
//! `(x-m)^n >= 0` the integral lies in `sum_(k<n) f_k I_k + C I_n`, `I_k = ((b-m)^(k+1) - (a-m)^(k+1))/(k+1)` (Corliss
//! and Rall 1987). The integral is additive over pieces.
//!
//! **Why it ends.** A piece whose remainder is too wide is halved, a limited number of times. A piece that is still too
//! wide is added as it is, which makes the result wider, not wrong.

use rug::Float;
use rug::float::Round::Up;

use super::Taylor;
use crate::{Budget, Enclosure, Error};

/// A piece is halved so often at most.
const DEEPEST: u32 = 40;

/// The precision of bounds over whole pieces.
const COARSE: u32 = 64;

/// Integrals of several functions from `low` to `high`, starting with `pieces` equal pieces. Each has an error of about
/// `2^-bits` if the coefficients decrease.
///
/// `functions` computes the Taylor coefficients of all functions from those of the variable, to its precision.
///
/// # Errors
/// Those of the functions; [`Error::Undecided`] if a function is unbounded even on short pieces, or the budget runs
/// out.
pub fn integrate(
    (low, high): (&Float, &Float),
    pieces: u32,
    bits: u32,
    budget: &Budget,
    functions: impl Fn(&Taylor) -> Result<Vec<Taylor>, Error>,
) -> Result<Vec<Enclosure>, Error> {
    let degree = 2 * (bits as usize / 6 + 5);
    let wide = bits.saturating_add(32);
    let whole = Float::with_val_round(COARSE, high - low, Up).0;
    let mut sums: Vec<Enclosure> = Vec::new();
    if whole <= 0 {
        let at = Enclosure::new(low.clone(), low.clone()).with_bits(wide);
        let none = functions(&Taylor::variable(&at, 0))?;
        return Ok(none.iter().map(|_| Enclosure::zero(wide)).collect());
    }
    let point = |share: u32| match share {
        0 => low.clone(),
        share if share == pieces => high.clone(),
        share => low + Float::with_val(COARSE, &whole * share) / pieces,
    };
    let mut left: Vec<(Float, Float, u32)> =
        (0..pieces).rev().map(|piece| (point(piece), point(piece + 1), 0)).collect();
    while let Some((a, b, depth)) = left.pop() {
        budget.check()?;
        let middle = Float::with_val(COARSE.max(a.prec()).max(b.prec()), &a + &b) / 2u32;
        let set = Enclosure::new(a.clone(), b.clone()).with_bits(COARSE);
        let bounds = functions(&Taylor::variable(&set, degree))?;
        let part = |end: &Float| Enclosure::new(end.clone(), end.clone()).with_bits(wide) - here(&middle, wide);
        let (before, after) = (part(&a), part(&b));
        let moment = |k: usize| {
            let exponent = k as u64 + 1;
            (after.pow(exponent) - before.pow(exponent)).div_u32(super::index(k + 1))
        };
        let last = moment(degree);
        let rests: Vec<Enclosure> = bounds.iter().map(|bound| &bound.coefficients()[degree] * &last).collect();
        // Its share of what may be wrong.
        let share = (Float::with_val_round(COARSE, &b - &a, Up).0 / &whole) >> bits;
        let good =
            |rest: &Enclosure| rest.is_bounded() && Float::with_val(COARSE, rest.upper() - rest.lower()) <= share;
        if !rests.iter().all(good) {
            let inside = a < middle && middle < b;
            if depth < DEEPEST && inside {
                left.push((middle.clone(), b, depth + 1));
                left.push((a, middle, depth + 1));
                continue;
            }
            if !rests.iter().all(Enclosure::is_bounded) {
                return Err(Error::undecided("an integrand may be unbounded"));
            }
        }
        let polynomials = functions(&Taylor::variable(&here(&middle, wide), degree - 1))?;
        let moments: Vec<Enclosure> = (0..degree).map(moment).collect();
        sums.resize(polynomials.len(), Enclosure::zero(wide));
        for (sum, (polynomial, rest)) in sums.iter_mut().zip(polynomials.iter().zip(rests)) {
            for (coefficient, moment) in polynomial.coefficients().iter().zip(&moments) {
                *sum = &*sum + &(coefficient * moment);
            }
            *sum = &*sum + &rest;
        }
    }
    Ok(sums)
}

/// A number as a set, without rounding, at a precision of at least so many bits.
fn here(x: &Float, bits: u32) -> Enclosure {
    let wide = bits.max(x.prec());
    Enclosure::new(Float::with_val(wide, x), Float::with_val(wide, x))
}
