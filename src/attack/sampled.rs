//! Pairs that are made of Gaussian noise on samples, whose least mu is that of the noise without sampling.
//!
//! Let `f_i` be trade-off functions of Poisson samples of Gaussian noise of `mu_i`, all in one order (P with the
//! record, or all the other way round), beside Gaussian noise. Then `f_i >= G_{mu_i}`, and no mu below
//! `sqrt(sum mu_i^2)` has `G_mu <= f_1 (x) ... (x) f_n` (`proofs/paper/attack.md`). The same holds where some of them
//! are replaced by
//!
//! * `hull`, `h_i = min(f_i, f_i^-1)**`: `G_{mu_i}` is symmetric, so it is below `f_i^-1` as well, and convex, so it is
//!   below the greatest convex function below both; and `h_i <= f_i`, so that no mu does that did not before;
//! * samples of a fixed size, `C_p(G)`, which are the hull of `p G + (1-p) Id`.
//! * mixtures of these, with the largest mu of their parts: no other is needed (`bounds`), and none that is less will
//!   do, for with a probability w, the same for P and Q, the part with the largest mu is drawn by each mixture, and a
//!   test that looks at nothing else has `w` times the masses, whose quantiles are the same in the limit. The order is
//!   that of this part.
//!
//! Of a group of k of one of these the mu is k times that (`group`).
//!
//! Hulls are below both orders, and stand beside either. Samples of both orders in one product are another matter: the
//! mixtures are on different sides then, and the limit is not that of the noise without sampling.

use std::cmp::Ordering;

use rug::Rational;

use crate::pair::{Operator, Pair};
use enclosure::Real;

/// Which order the samples of a pair are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// P has the record.
    Forward,
    /// Q has it.
    Backward,
    /// Both orders are above it.
    Either,
}

impl Order {
    fn turned(self) -> Self {
        match self {
            Order::Forward => Order::Backward,
            Order::Backward => Order::Forward,
            Order::Either => Order::Either,
        }
    }

    /// The order of a product; `None` where both orders are in it.
    pub fn beside(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Order::Either, order) | (order, Order::Either) => Some(order),
            (one, other) => (one == other).then_some(one),
        }
    }
}

/// The square of the mu without sampling, and the order; `None` for anything else.
pub(super) fn square(pair: &Pair) -> Option<(Real, Order)> {
    match pair {
        Pair::Gaussian { mu } => Some((mu.square(), Order::Either)),
        Pair::Several(factors) => all(factors),
        Pair::Sample { inner, .. } => gaussian(inner).map(|square| (square, Order::Forward)),
        Pair::Derived(derived) if matches!(derived.operator(), Operator::Mixture(_)) => {
            let mut parts = derived.parts().iter().map(|part| all(part));
            let first = parts.next()??;
            parts.try_fold(first, |largest, part| {
                let part = part?;
                Some(if part.0.compare(&largest.0)? == Ordering::Greater { part } else { largest })
            })
        }
        Pair::Derived(derived) => {
            let [part] = derived.parts() else { return None };
            match derived.operator() {
                Operator::Inverse => all(part).map(|(square, order)| (square, order.turned())),
                Operator::Hull => all(part).map(|(square, _)| (square, Order::Either)),
                Operator::Subsample(_) => all_gaussian(part).map(|square| (square, Order::Either)),
                Operator::Larger | Operator::Group(_) | Operator::Mixture(_) => None,
            }
        }
        _ => None,
    }
}

/// The mu of a group of one of these. With `z(f(alpha)) = mu(alpha) - z(alpha)`, z the upper normal quantile, each step
/// of `1 - (1-f)^(o k)` goes from alpha to `1 - f(alpha)`, whose quantile is `z(alpha) - mu(alpha)`; with `mu(alpha)`
/// between 0 and mu, these go to infinity, or minus infinity, as the first one does, and where `mu(alpha)` tends to mu,
/// the quantiles of the ends add up to a number that tends to `k mu`. More is not needed (`bounds`).
pub(super) fn group(pair: &Pair) -> Option<Real> {
    let Pair::Derived(derived) = pair else { return None };
    let (Operator::Group(size), [part]) = (derived.operator(), derived.parts()) else { return None };
    let (square, _) = all(part)?;
    Some(square.sqrt().ok()?.mul_rational(&Rational::from(*size)))
}

fn times_square(square: Real, times: u64) -> Real {
    square.mul_rational(&Rational::from(times))
}

/// The same for independent pairs, each with its number of runs.
pub(super) fn all(factors: &[(Pair, u64)]) -> Option<(Real, Order)> {
    factors.iter().try_fold((Real::zero(), Order::Either), |(sum, order), (pair, times)| {
        let (square, own) = square(pair)?;
        Some((sum.add(&times_square(square, *times)), order.beside(own)?))
    })
}

/// The square of the mu of what is Gaussian noise and nothing else, or a mixture whose parts all are that with one mu.
pub(super) fn gaussian(pair: &Pair) -> Option<Real> {
    match pair {
        Pair::Gaussian { mu } => Some(mu.square()),
        Pair::Several(factors) => all_gaussian(factors),
        Pair::Derived(derived) if matches!(derived.operator(), Operator::Mixture(_)) => {
            let mut parts = derived.parts().iter().map(|part| all_gaussian(part));
            let first = parts.next()??;
            parts.all(|part| part.is_some_and(|part| part.compare(&first) == Some(Ordering::Equal))).then_some(first)
        }
        _ => None,
    }
}

/// Of independent pairs.
fn all_gaussian(factors: &[(Pair, u64)]) -> Option<Real> {
    factors.iter().try_fold(Real::zero(), |sum, (pair, times)| Some(sum.add(&times_square(gaussian(pair)?, *times))))
}
