//! Expectations under shuffled reports: sums over the counts of both kinds.
//!
//! Under Q a count of the greater loss l ([`Shuffled::counts`]) has the mass q and the likelihood ratio `e^l`, its
//! mirror image the mass p and the ratio `e^-l`; what has no loss has `w = 1`, where every integrand is 0. No integrand
//! is negative, and each is convex in w with its least value at 1: as no loss is above epsilon0, it is nowhere above
//! the larger one of its values there and at the least loss, and a sum is too small by at most that times the masses
//! that are left out. Paper proof: `proofs/paper/shuffling.md`.

use super::Integrand;
use crate::error::Error;
use crate::pair::Shuffled;
use enclosure::{Budget, Enclosure, Real};

/// Bits that sums lose.
const GUARD: u32 = 64;

/// The expectation of an integrand, to about `bits` bits after the binary point.
pub(super) fn expectation(
    pair: &Shuffled,
    rate: &Real,
    integrand: &Integrand,
    bits: u32,
    budget: &Budget,
) -> Result<Enclosure, Error> {
    if !pair.is_countable(bits) {
        return Err(Error::undecided("the shuffled reports are too many for the sum over their counts"));
    }
    let end = pair.epsilon().enclosure(64);
    let most = value(rate, integrand, &end).max(&value(rate, integrand, &-&end));
    let large = most.upper().get_exp().unwrap_or(0).max(0).unsigned_abs();
    let wide = bits.saturating_add(large).saturating_add(GUARD);
    let small = bits.saturating_add(large).saturating_add(16);
    let mut sum = Enclosure::zero(wide);
    let mut add = |p: &Enclosure, q: &Enclosure, loss: &Enclosure| {
        let both = &(q * &value(rate, integrand, loss)) + &(p * &value(rate, integrand, &-loss));
        sum = &sum + &both;
    };
    let left = if pair.is_short(wide) {
        let counts = pair.listed(wide, small, budget)?;
        for [p, q, loss] in &counts.list {
            budget.check()?;
            add(&p.with_bits(wide), &q.with_bits(wide), &loss.with_bits(wide));
        }
        counts.rest.left.clone()
    } else {
        pair.counts(wide, small, budget, &mut add)?.left
    };
    Ok(sum.hull(&(&sum + &(&most * &left).with_bits(wide))))
}

/// The integrand where the pair inside has this loss.
fn value(rate: &Real, integrand: &Integrand, loss: &Enclosure) -> Enclosure {
    let excess = &rate.enclosure(loss.bits()) * &loss.expm1();
    let log = excess.log1p();
    let value = match integrand {
        Integrand::Power(z) => {
            let z = z.enclosure(loss.bits());
            &(&z * &log).expm1() - &(&z * &excess)
        }
        Integrand::Forward => &(&(&excess + &Enclosure::one(loss.bits())) * &log) - &excess,
        Integrand::Backward => &excess - &log,
    };
    value.positive_part()
}
