//! How far derived pairs go: ends from the ends of what is inside.
//!
//! With a and b the masses at infinity, of P where Q has none and the reverse, and m and M the infimum and the supremum
//! of the finite losses: `f(0) = 1 - b`, f leaves it with the slope `-e^-m`, and `f^-1(0) = 1 - a`, with `-e^M`.
//!
//! * `max(f, f^-1)` has the mass `min(a, b)` on both sides, and follows the function that is larger at 0; if they are
//!   equal there, the one that falls less steeply.
//! * `min(f, f^-1)**` has `max(a, b)`, and falls as steeply as the steeper of both where `a = b`. Where `a < b`, its
//!   profile is b from the epsilon on where both profiles are at most b: that is `-m` for `M <= -m`.
//! * `C_p(f)` has `p a`, and `ln(1 + p (e^M - 1))`, as the Poisson sample has; its slope of -1 is the loss 0.
//! * The group of k, without masses at infinity: `1 - f` is 0 at 0, with the slope `e^-m`, and so its iterate has the
//!   slope `e^(-k m)` there; at 1 the same with M.
//! * A mixture has the weighted masses, and the extreme losses of all parts.

use std::cmp::Ordering;

use super::{Derived, Factors, Operator};
use crate::error::Error;
use crate::pair::{Ends, LossBound};
use enclosure::Real;

impl Derived {
    /// How far it goes.
    ///
    /// # Errors
    /// For masses at infinity that cannot be compared, grow too large, or are unknown: those of groups of mechanisms
    /// with infinite losses, unless all parameters give fractions.
    pub fn ends(&self) -> Result<Ends, Error> {
        let all = self.parts.iter().map(Ends::of_all).collect::<Result<Vec<_>, _>>()?;
        if let Operator::Mixture(weights) = &self.operator {
            return mixed(weights, all);
        }
        let Some(inside) = all.into_iter().next() else { return Ok(Ends::within(&Real::zero())) };
        match &self.operator {
            Operator::Inverse => Ok(inside.reversed()),
            Operator::Group(size) => group(inside, *size),
            Operator::Subsample(rate) => {
                let zero = LossBound::At(Real::zero());
                let Ends { losses, infinite_p, .. } = inside.sampled(rate)?;
                Ok(symmetric(losses.map_or(zero.clone(), |(_, largest)| larger(zero, largest)), infinite_p))
            }
            Operator::Larger | Operator::Hull => {
                let Ends { losses, infinite_p: a, infinite_q: b } = inside;
                let order = a.compare(&b).ok_or_else(|| {
                    Error::undecided(format!("cannot decide whether the mass at infinity {a} is below {b}"))
                })?;
                let Some((least, largest)) = losses else {
                    // Only one of both is ever there: f is 0, and so is all that is made of it.
                    return Ok(Ends { losses: None, infinite_p: a, infinite_q: b });
                };
                let steep = least.reversed();
                let least_mass = if order.is_le() { a.clone() } else { b.clone() };
                let most_mass = if order.is_le() { b } else { a };
                Ok(match (&self.operator, order) {
                    (Operator::Larger, Ordering::Equal) => symmetric(smaller(steep, largest), least_mass),
                    (Operator::Larger, Ordering::Less) => symmetric(largest, least_mass),
                    (Operator::Larger, Ordering::Greater) => symmetric(steep, least_mass),
                    (_, Ordering::Equal) => symmetric(larger(steep, largest), most_mass),
                    (_, Ordering::Less) => symmetric(first_if_larger(steep, &largest), most_mass),
                    (_, Ordering::Greater) => symmetric(first_if_larger(largest, &steep), most_mass),
                })
            }
            Operator::Mixture(_) => mixed(&[], Vec::new()),
        }
    }
}

impl Ends {
    /// Ends of independent pairs with multiplicities: losses add up, and finite masses multiply.
    pub(in crate::pair) fn of_all(factors: &Factors) -> Result<Self, Error> {
        let mut all = Ends::within(&Real::zero());
        for (pair, times) in factors {
            let Ends { losses, infinite_p, infinite_q } = pair.ends()?;
            all.losses = match (all.losses, losses) {
                (Some((low, high)), Some((least, largest))) => {
                    Some((LossBound::sum([(low, 1), (least, *times)]), LossBound::sum([(high, 1), (largest, *times)])))
                }
                _ => None,
            };
            let kept = |all: &Real, one: &Real| -> Result<Real, Error> {
                if one.is_zero() {
                    return Ok(all.clone());
                }
                let rest = Real::one().sub(one).pow(&Real::from(*times))?;
                Ok(Real::one().sub(&Real::one().sub(all).mul(&rest)?))
            };
            all.infinite_p = kept(&all.infinite_p, &infinite_p)?;
            all.infinite_q = kept(&all.infinite_q, &infinite_q)?;
        }
        Ok(all)
    }

    /// Of the pair the other way round.
    fn reversed(self) -> Self {
        let Ends { losses, infinite_p, infinite_q } = self;
        let losses = losses.map(|(least, largest)| (largest.reversed(), least.reversed()));
        Ends { losses, infinite_p: infinite_q, infinite_q: infinite_p }
    }
}

/// With losses up to this one, and the mass at infinity on both sides.
fn symmetric(largest: LossBound, mass: Real) -> Ends {
    Ends { losses: Some((largest.clone().reversed(), largest)), infinite_p: mass.clone(), infinite_q: mass }
}

fn group(inside: Ends, size: u64) -> Result<Ends, Error> {
    if !inside.infinite_p.is_zero() || !inside.infinite_q.is_zero() {
        return Err(Error::undecided(
            "the range of the privacy loss of a group with infinite losses is known only if all parameters give \
             fractions, as in approx-dp with epsilon = ln(3/2); compute such a group alone"
                .to_string(),
        ));
    }
    let times = |end: LossBound| LossBound::sum([(end, size)]);
    Ok(Ends { losses: inside.losses.map(|(least, largest)| (times(least), times(largest))), ..inside })
}

fn mixed(weights: &[Real], parts: Vec<Ends>) -> Result<Ends, Error> {
    let mut all = Ends { losses: None, infinite_p: Real::zero(), infinite_q: Real::zero() };
    for (weight, part) in weights.iter().zip(parts) {
        all.losses = match (all.losses, part.losses) {
            (None, losses) | (losses, None) => losses,
            (Some((low, high)), Some((least, largest))) => {
                let lowest = larger(low.reversed(), least.reversed()).reversed();
                Some((lowest, larger(high, largest)))
            }
        };
        all.infinite_p = all.infinite_p.add(&weight.mul(&part.infinite_p)?);
        all.infinite_q = all.infinite_q.add(&weight.mul(&part.infinite_q)?);
    }
    Ok(all)
}

/// The larger of two suprema.
fn larger(a: LossBound, b: LossBound) -> LossBound {
    match (a, b) {
        (LossBound::Unbounded, _) | (_, LossBound::Unbounded) => LossBound::Unbounded,
        (LossBound::At(a), LossBound::At(b)) => match a.compare(&b) {
            Some(Ordering::Less) => LossBound::At(b),
            Some(_) => LossBound::At(a),
            None => LossBound::Unknown,
        },
        _ => LossBound::Unknown,
    }
}

/// The smaller of two suprema.
fn smaller(a: LossBound, b: LossBound) -> LossBound {
    match (a, b) {
        (LossBound::Unbounded, other) | (other, LossBound::Unbounded) => other,
        (LossBound::At(a), LossBound::At(b)) => match a.compare(&b) {
            Some(Ordering::Greater) => LossBound::At(b),
            Some(_) => LossBound::At(a),
            None => LossBound::Unknown,
        },
        _ => LossBound::Unknown,
    }
}

/// The first, where it is at least the second; otherwise nothing is known.
fn first_if_larger(a: LossBound, b: &LossBound) -> LossBound {
    match (&a, b) {
        (LossBound::Unbounded, _) => a,
        (LossBound::At(x), LossBound::At(y)) if x.compare(y).is_some_and(Ordering::is_ge) => a,
        _ => LossBound::Unknown,
    }
}
