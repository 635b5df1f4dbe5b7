//! Finitely many promises in the place of a guarantee: a finite pair that is no more private than what keeps it.
//!
//! Whatever keeps a guarantee has `delta(epsilon_i) <= d_i`, in both directions (`tangent`). So its trade-off function
//! is nowhere below `max_i f_{epsilon_i, d_i}`, where `epsilon_i = ln x_i` (Dong, Roth, Su, Proposition 2.11). That is
//! a polyline in fractions if x_i and d_i are, and the trade-off function of a finite pair; whatever keeps the
//! guarantee is a post-processing of that pair (Blackwell; Dong, Roth, Su, Theorem 2.10).
//!
//! *What is done to it keeps the order.* Let `T(P,Q) >= f = T(F,G)`, so that one map carries F to P and G to Q. Then,
//! with f in its place,
//!
//! * *composition*: the map beside the identity carries the product of (F, G) and anything to that of (P, Q) and the
//!   same; adaptive choices are covered (Dong, Roth, Su, Theorem 3.2);
//! * *Poisson samples*: the same map carries `(1-r) G + r F` to `(1-r) Q + r P`;
//! * *samples of a fixed size*: `C_p(f)` rises with f (Dong, Roth, Su, Theorem 4.2), and f is symmetric;
//! * *groups*: `1 - (1-f)^(o k)` rises with f, for all of these functions fall (Dong, Roth, Su, Theorem 2.14), and so
//!   does that of the hull `min(f, f^-1)**`, which stands for f where links go either way;
//! * *mixtures* with the index seen: on each index its own map;
//! * *both orders*: `f^-1`, `max(f, f^-1)` and `min(f, f^-1)**` rise with f (Dong, Roth, Su, Proposition 2.4).
//!
//! Guarantees of the same kind in one product are added before: that says more than their promises one by one. Where
//! the bounds of a group are known as bounds of Renyi divergences the larger one of both polylines stands for it.
//!
//! Which promises are asked for is a search in doubles, and no part of what is certified: any are. The more there are,
//! the closer is the polyline to the largest trade-off function that follows from the guarantee, like `1/n^2`.

mod places;
mod tangent;

use std::cmp::Ordering::{Equal, Greater};

use rug::Rational;

use self::places::Bounds;
use super::Guarantee;
use super::collect::unpaired;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{
    Composition, Group, GroupOneWay, Hull, Inverse, Mechanism, Mixture, Poisson, Subsample, Symmetrize, TradeOffPoints,
};
use crate::pair::{Pair, TradeOff};
use enclosure::{Budget, Real};

/// Bits of the bounds of Renyi divergences.
const BITS: u32 = 256;

/// Bits of the least number of a polyline, and of the others as many and more.
const SHORT_BITS: u32 = 40;

/// Bits of the numbers of promises, beside twice those of the last delta, at most.
const LONG_BITS: u32 = 1 << 11;

/// Bounds smaller than this are searched like it, for doubles have no digits left there: what is found is promised by
/// the smaller bound, too.
const LEAST: f64 = 1e-14;

/// Groups are polylines while they have no more segments.
const MOST_SEGMENTS: usize = 1 << 12;

/// How many promises, and down to which delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Largest number of them.
    pub count: u32,
    /// The last one is of a delta of about `2^-depth`.
    pub depth: u32,
}

/// May promises in the place of the guarantees say more than bounds of all of it? Not where these are the best there
/// are: of guarantees of one kind alone, of both orders of them, and of mixtures of them and of pairs.
pub fn helps(composition: &Composition) -> bool {
    let (mut lines, mut orders, mut beside) = (false, Vec::new(), false);
    for (mechanism, _) in composition.factors() {
        match mechanism {
            one if !unpaired(one) => beside |= !matches!(one.pair(), Ok(Pair::Equal)),
            Mechanism::Zcdp(_) | Mechanism::Cdp(_) => lines = true,
            Mechanism::Rdp(rdp) => {
                if !orders.contains(&rdp.order()) {
                    orders.push(rdp.order());
                }
            }
            operator if composition.factors().len() == 1 => return inside_helps(operator, composition),
            _ => return true,
        }
    }
    let kinds = usize::from(lines) + orders.len();
    kinds > 1 || (kinds == 1 && beside)
}

/// The same of what is done to guarantees.
fn inside_helps(operator: &Mechanism, whole: &Composition) -> bool {
    let inside = match operator {
        _ if !matches!(whole.single(), Some((_, 1))) => return true,
        Mechanism::Inverse(both) => both.inner(),
        Mechanism::Symmetrize(both) => both.inner(),
        Mechanism::Hull(both) => both.inner(),
        Mechanism::Mixture(mixture) => return mixture.parts().any(|(_, part)| helps(part)),
        Mechanism::Group(group) if group.parts().0 == 0 => return false,
        Mechanism::Group(group) if group.parts().0 == 1 => group.parts().1,
        Mechanism::GroupOneWay(group) if group.parts().0 == 0 => return false,
        Mechanism::GroupOneWay(group) if group.parts().0 == 1 => group.parts().1,
        _ => return true,
    };
    helps(inside)
}

/// Guarantees of one kind: of all orders, or of the given order.
type Alike = (Option<Real>, Vec<(Mechanism, u64)>);

/// The composition with promises in the place of each guarantee: everything in it has a pair, and what keeps the
/// guarantees is at least as private.
///
/// # Errors
/// [`Error::Undecided`] where no promise is found.
pub fn by_promises(composition: &Composition, detail: Detail, budget: &Budget) -> Result<Composition, Error> {
    let mut factors: Vec<(Mechanism, u64)> = Vec::new();
    let mut kinds: Vec<Alike> = Vec::new();
    for (mechanism, times) in composition.factors() {
        let kind = match mechanism {
            one if !unpaired(one) => {
                factors.push((one.clone(), *times));
                continue;
            }
            Mechanism::Zcdp(_) | Mechanism::Cdp(_) => None,
            Mechanism::Rdp(rdp) => Some(rdp.order().clone()),
            operator => {
                factors.push((operated(operator, detail, budget)?, *times));
                continue;
            }
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => all.push((mechanism.clone(), *times)),
            None => kinds.push((kind, vec![(mechanism.clone(), *times)])),
        }
    }
    for (_, all) in kinds {
        let Some(guarantee) = Guarantee::of(&Composition::new(all)?)? else { continue };
        factors.push((points(&guarantee.polyline(detail, budget)?)?, 1));
    }
    Composition::new(factors)
}

/// The same of what is done to a composition.
fn operated(operator: &Mechanism, detail: Detail, budget: &Budget) -> Result<Mechanism, Error> {
    let inside = |composition: &Composition| by_promises(composition, detail, budget);
    Ok(match operator {
        Mechanism::Group(group) => {
            let (size, inner) = group.parts();
            // Links go either way; one link by itself has the direction that is asked.
            let link = if size < 2 { TradeOff::clone } else { TradeOff::symmetrized_min };
            let inner = inside(inner)?;
            match group_of(operator, size, &inner, link, detail, budget)? {
                Some(points) => points,
                None => Group::new(size, inner).into(),
            }
        }
        Mechanism::GroupOneWay(group) => {
            let (size, inner) = group.parts();
            let inner = inside(inner)?;
            match group_of(operator, size, &inner, TradeOff::clone, detail, budget)? {
                Some(points) => points,
                None => GroupOneWay::new(size, inner).into(),
            }
        }
        Mechanism::Poisson(poisson) => {
            let inner = inside(&Mechanism::clone(poisson.inner()).into())?;
            let Some((inner, 1)) = inner.single() else {
                return Err(Error::undecided(format!(
                    "found no (epsilon, delta) bounds that follow from {}",
                    poisson.inner()
                )));
            };
            Poisson::new(poisson.rate().clone(), inner.clone())?.into()
        }
        Mechanism::Subsample(sample) => Subsample::new(sample.rate().clone(), inside(sample.inner())?)?.into(),
        Mechanism::Inverse(both) => Inverse::new(inside(both.inner())?).into(),
        Mechanism::Symmetrize(both) => Symmetrize::new(inside(both.inner())?).into(),
        Mechanism::Hull(both) => Hull::new(inside(both.inner())?).into(),
        Mechanism::Mixture(mixture) => {
            let parts = mixture.parts().map(|(weight, part)| Ok((weight.clone(), inside(part)?)));
            let (weights, parts) = parts.collect::<Result<Vec<_>, Error>>()?.into_iter().unzip();
            Mixture::new(weights, parts)?.into()
        }
        other => return Err(Error::undecided(format!("found no (epsilon, delta) bounds that follow from {other}"))),
    })
}

/// A polyline below that of a group, with `link` of the polyline inside for each link; `None` where there is none, or
/// one of too many segments.
fn group_of(
    operator: &Mechanism,
    size: u64,
    inner: &Composition,
    link: fn(&TradeOff) -> TradeOff,
    detail: Detail,
    budget: &Budget,
) -> Result<Option<Mechanism>, Error> {
    let polyline = match Pair::several(inner.pairs()?).trade_off()? {
        Some(f) => grouped(&link(&f), size, budget)?,
        None => None,
    };
    // The larger one of both polylines, where the bounds of the whole are a guarantee and nothing else.
    let known = Guarantee::of(&operator.clone().into()).or_else(undefined)?;
    let alone = |known: &Guarantee| known.rest.is_empty() && known.failure().is_zero() && !known.is_nothing();
    match (known.filter(alone), polyline) {
        (Some(known), Some(f)) => points(&f.max(&known.polyline(detail, budget)?)).map(Some),
        (_, Some(f)) => points(&f).map(Some),
        (_, None) => Ok(None),
    }
}

/// Of what is done to a guarantee nothing need be known.
fn undefined(error: Error) -> Result<Option<Guarantee>, Error> {
    match error {
        Error::Undefined(_) => Ok(None),
        other => Err(other),
    }
}

/// A polyline as a mechanism.
fn points(f: &TradeOff) -> Result<Mechanism, Error> {
    let (alpha, beta) = f.vertices().iter().map(|(a, b)| (Real::from(a.clone()), Real::from(b.clone()))).unzip();
    Ok(TradeOffPoints::new(alpha, beta)?.into())
}

/// A piecewise-linear function nowhere above this one, with shorter numbers. Each vertex moves down and to the left,
/// and the lower hull of the moved vertices is below all of their means.
fn shortened(f: &TradeOff) -> Result<TradeOff, Error> {
    let coordinates = f.vertices().iter().flat_map(|(alpha, beta)| [alpha, beta]).filter(|x| !x.is_zero());
    let least = coordinates.map(|x| x.denom().significant_bits().saturating_sub(x.numer().significant_bits())).max();
    let bits = least.unwrap_or(0).saturating_add(SHORT_BITS);
    let down = |x: &Rational| Rational::from(x << bits).floor() >> bits;
    TradeOff::below(&f.vertices().iter().map(|(alpha, beta)| (down(alpha), down(beta))).collect::<Vec<_>>())
}

/// A function below `1 - (1-f)^(o k)`, by repeated squaring with short numbers; `None` if there are too many segments.
fn grouped(f: &TradeOff, size: u64, budget: &Budget) -> Result<Option<TradeOff>, Error> {
    let mut result = TradeOff::identity();
    for bit in (0..u64::BITS - size.leading_zeros()).rev() {
        budget.check()?;
        if result.vertices().len() > MOST_SEGMENTS {
            return Ok(None);
        }
        result = shortened(&result.after(&result))?;
        if size >> bit & 1 == 1 {
            result = shortened(&result.after(f))?;
        }
    }
    Ok(Some(result))
}

impl Guarantee {
    /// `max_i f_{ln x_i, d_i}`: nowhere above the trade-off function of anything that keeps this guarantee, where
    /// nothing is beside it but Gaussian noise.
    ///
    /// # Errors
    /// [`Error::Undecided`] where no promise is found.
    fn polyline(&self, detail: Detail, budget: &Budget) -> Result<TradeOff, Error> {
        let (start, slope) = (self.line.0.to_f64(), self.line.1.to_f64());
        let bounds = match &self.one_order {
            Some((order, r)) => {
                let t = order.sub(&Real::one());
                let own = self.line.0.add(&self.line.1.mul(&t)?).add(r);
                // What is known of one order is known of lower ones.
                let near = t.to_f64();
                let at_most = |near| matches!(t.compare(&Real::from(near)), Some(Equal | Greater));
                let below = if Rational::from_f64(near).is_some_and(at_most) { near } else { near.next_down() };
                Bounds { start: own.to_f64().max(LEAST), slope: 0.0, only: Some(below) }
            }
            None => Bounds { start, slope: slope.max(LEAST), only: None },
        };
        let mut promises = Vec::new();
        for epsilon in bounds.epsilons(detail) {
            budget.check()?;
            let bound = |order: &Real| self.finite(order, Direction::Worst, BITS, budget).ok();
            promises.extend(bounds.sketch(epsilon).and_then(|sketch| sketch.promise(bound)));
        }
        // Those far out, of numbers longer than who asks can use, would make all sums as long.
        let long = |x: &Rational| x.numer().significant_bits().max(x.denom().significant_bits());
        let most = detail.depth.saturating_mul(2).saturating_add(LONG_BITS);
        promises.retain(|(x, delta)| long(x).max(long(delta)) <= most);
        if promises.is_empty() {
            return Err(Error::undecided(format!("found no (epsilon, delta) bounds that follow from {}", self.names)));
        }
        shortened(&TradeOff::from_profile(&promises)?)
    }
}

#[cfg(test)]
mod tests;
