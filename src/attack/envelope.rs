//! The polygon of tangents below a trade-off function, and the mu of its corners.
//!
//! For every real e, `f(alpha) >= 1 - d(e) - e^e alpha` with `d(e) = H_{e^e}(Q||P)`: a tangent of slope `-e^e`. Each is
//! a [`Node`]; two neighbours meet in a corner. `G_mu` is convex, so it is below the polygon exactly if it is at the
//! corners: the largest `mu(alpha, beta) = z(alpha) + z(beta)` of the corners (z the upper normal quantile) is *above*
//! the least mu with `G_mu <= f`. And `G_mu <= f` needs `delta_mu(e) >= d(e)` for every e: the mu with equality is
//! *below* it.

use std::cmp::Ordering;

use rug::{Float, Rational};

use crate::compose::gaussian::Gaussian;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use enclosure::root::newton;
use enclosure::special::{normal_density, tail_quantile};
use enclosure::{Budget, Enclosure, Number, Portable, Real};

/// A tangent.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// e.
    pub at: Real,
    /// `e^e`.
    pub slope: Number,
    /// `d(e)`: the tangent at alpha = 0 is 1 minus this.
    pub forward: Number,
    /// `H_{e^-e}(P||Q)`: at beta = 0 its alpha is 1 minus this.
    pub backward: Number,
    /// Bounds on the mu of a Gaussian with this tangent. `None` at the ends of bounded privacy losses, which give no
    /// bound, and where the profile is too small for the search.
    pub mu: Option<Enclosure>,
}

/// A point of the square.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    pub alpha: Number,
    pub beta: Number,
    /// `1 - alpha` and `1 - beta`, which a subtraction cannot compute accurately close to 1.
    pub rest: (Number, Number),
}

impl Corner {
    /// With both errors exchanged.
    pub fn mirrored(&self) -> Corner {
        let (rest, other) = self.rest.clone();
        Corner { alpha: self.beta.clone(), beta: self.alpha.clone(), rest: (other, rest) }
    }
}

/// A profile, and what is proven of it at an epsilon that is not negative.
pub(super) type Profile<'a> = &'a dyn Fn(&Real, Direction) -> Result<Number, Error>;

/// How numbers are computed.
pub(super) struct Tangents<'a> {
    pub profile: Profile<'a>,
    pub bits: u32,
    pub budget: &'a Budget,
}

impl Tangents<'_> {
    /// The tangent of slope `-e^e`, within the losses. Its mu is computed where it may be above the one that is proven
    /// already: it is not where the Gaussian of that one has a profile that is not below, for `delta_mu` rises with mu.
    pub fn node(&self, at: &Rational, proven: Option<&Float>) -> Result<Node, Error> {
        self.budget.check()?;
        let e = Real::from(at.clone());
        let slope = e.exp_number(self.bits);
        let one = Number::one();
        // The one of the two profiles that is small has its digits; the other follows from it.
        let positive = at.cmp0() != Ordering::Less;
        let (point, side) = if positive { (e.clone(), Direction::Backward) } else { (e.neg(), Direction::Forward) };
        let known = (self.profile)(&point, side)?;
        let (forward, backward) = if positive {
            let backward = &(&(&known - &one) + &slope) / &slope;
            (known.clone(), backward)
        } else {
            (&(&one - &slope) + &(&slope * &known), known.clone())
        };
        let seen = known.enclosure(self.bits).lower().to_f64() > LEAST;
        let mu = match proven {
            _ if !seen => None,
            Some(proven) if self.is_enough(proven, &point, &known)? => {
                Some(Enclosure::zero(self.bits).hull(&Enclosure::new(proven.clone(), proven.clone())))
            }
            _ => Some(self.mu_of(&point, &known)?),
        };
        Ok(Node { at: e, slope, forward, backward, mu })
    }

    /// The tangent at an end of bounded losses: through (0, 1) or through (1, 0), known beforehand.
    pub fn end(&self, at: &Real, largest: bool) -> Node {
        let slope = at.exp_number(self.bits);
        let one = Number::one();
        let (forward, backward) =
            if largest { (Number::zero(), &one - &(&one / &slope)) } else { (&one - &slope, Number::zero()) };
        Node { at: at.clone(), slope, forward, backward, mu: None }
    }

    /// The tangent of slope `-e^-e` of a trade-off function that is its own inverse.
    pub fn mirrored(&self, node: &Node) -> Node {
        Node {
            at: node.at.neg(),
            slope: &Number::one() / &node.slope,
            forward: node.backward.clone(),
            backward: node.forward.clone(),
            mu: node.mu.clone(),
        }
    }

    /// Is `delta_mu(e)` certainly d at least?
    fn is_enough(&self, mu: &Float, e: &Real, d: &Number) -> Result<bool, Error> {
        let Some(mu) = mu.to_rational().filter(|mu| *mu > 0) else { return Ok(false) };
        let gaussian = Gaussian::new(Real::from(mu).square())?;
        let delta = gaussian.delta(e, Direction::Forward, self.bits, self.budget)?;
        Ok(delta.compare(d).is_some_and(Ordering::is_ge))
    }

    /// The mu with `delta_mu(e) = d`, for `e >= 0`: it increases in mu, by `phi(e/mu - mu/2)`.
    fn mu_of(&self, e: &Real, d: &Number) -> Result<Enclosure, Error> {
        let start = Float::with_val(64, start(e.to_f64(), d.enclosure(64).lower().to_f64()));
        let value = |mu: &Float, bits: u32| {
            // Newton's steps may leave the numbers above zero, where there is no Gaussian.
            let Some(mu) = mu.to_rational().filter(|mu| *mu > 0) else { return Ok(d.enclosure(bits)) };
            let gaussian = Gaussian::new(Real::from(mu).square())?;
            let delta = gaussian.delta(e, Direction::Forward, bits.saturating_add(8), self.budget)?;
            Ok(d.enclosure(bits) - delta.enclosure(bits))
        };
        let slope = |mu: &Enclosure, bits: u32| {
            let e = e.enclosure(bits);
            Ok(normal_density(&(&e / mu - mu.shift(-1)), bits))
        };
        newton(&start, self.bits, self.budget, value, slope)
    }

    /// Where two tangents meet, the first of them the flatter one.
    pub fn corner(&self, flat: &Node, steep: &Node) -> Corner {
        let one = Number::one();
        let alpha = &(&flat.forward - &steep.forward) / &(&steep.slope - &flat.slope);
        let rise = &(&one / &flat.slope) - &(&one / &steep.slope);
        let beta = &(&steep.backward - &flat.backward) / &rise;
        // Along the flatter and along the steeper tangent: sums of what is not negative.
        let rest = (&flat.backward + &(&beta / &flat.slope), &steep.forward + &(&steep.slope * &alpha));
        Corner { alpha, beta, rest }
    }

    /// `z(alpha) + z(beta)`; `None` where it is not known that both are probabilities.
    pub fn mu_at(&self, corner: &Corner) -> Result<Option<Enclosure>, Error> {
        let Some(alpha) = self.either(&corner.alpha, &corner.rest.0)? else { return Ok(None) };
        let Some(beta) = self.either(&corner.beta, &corner.rest.1)? else { return Ok(None) };
        Ok(Some(alpha + beta))
    }

    /// The upper quantile of a probability p, from p or from `1 - p`.
    fn either(&self, p: &Number, rest: &Number) -> Result<Option<Enclosure>, Error> {
        // From p itself, as long as its digits tell how far it is from 1.
        let near = |p: &Number| {
            let gap = (&Enclosure::one(self.bits) - &p.enclosure(self.bits)).relative_bits();
            gap.is_none_or(|bits| bits < ENOUGH)
        };
        if near(p) { Ok(self.quantile(rest)?.map(|z| -z)) } else { self.quantile(p) }
    }

    /// The upper quantile of a probability: it falls, so the ends of an enclosure give those of the quantile.
    pub fn quantile(&self, p: &Number) -> Result<Option<Enclosure>, Error> {
        let set = p.enclosure(self.bits);
        if !(*set.lower() > 0 && *set.upper() < 1) {
            return Ok(None);
        }
        let end = |end: &Float| -> Result<Option<Enclosure>, Error> {
            let Some(end) = end.to_rational() else { return Ok(None) };
            Ok(Some(tail_quantile(&Number::Exact(end), self.bits, self.budget)?.enclosure(self.bits)))
        };
        let (Some(low), Some(high)) = (end(set.upper())?, end(set.lower())?) else { return Ok(None) };
        Ok(Some(low.hull(&high)))
    }
}

/// Bits of `1 - p` that are sufficient for the quantile of p.
const ENOUGH: i64 = 32;

/// A profile below this is not inverted: the search for where to begin is in doubles.
const LEAST: f64 = 1e-300;

/// About the mass of a normal distribution above x.
pub(super) fn upper_tail(x: f64) -> f64 {
    0.5 * Float::with_val(53, x / std::f64::consts::SQRT_2).erfc().to_f64()
}

/// About the mu with `delta_mu(e) = d`: a search in doubles, which the certified one begins with.
fn start(e: f64, d: f64) -> f64 {
    let upper = upper_tail;
    let delta = |mu: f64| upper(e / mu - mu / 2.0) - (e + upper(e / mu + mu / 2.0).portable_ln()).portable_exp();
    let (mut low, mut high) = (-40.0_f64, 12.0_f64);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        let value = delta(middle.portable_exp2());
        if !(value >= d) { low = middle } else { high = middle }
    }
    high.portable_exp2()
}
