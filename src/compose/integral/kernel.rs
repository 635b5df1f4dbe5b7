//! The profile of one noise, or of one sample of it, as an analytic function between knots.

use rug::Float;

use crate::error::Error;
use crate::pair::Pair;
use enclosure::special::{normal_tail, recip_sqrt_two_pi};
use enclosure::taylor::Taylor;
use enclosure::{Budget, Enclosure, Real};

/// Noise whose profile has formulas.
#[derive(Clone)]
enum Noise {
    /// `N(0, 1)` against `N(mu, 1)`, by the square of mu.
    Gaussian(Real),
    /// `Lap(0, 1)` against `Lap(c, 1)`.
    Laplace(Real),
}

/// The profile of noise, or of a Poisson sample of it.
#[derive(Clone)]
pub(super) struct Kernel {
    noise: Noise,
    /// The rate; none for the noise itself.
    rate: Option<Real>,
}

/// Where the profile is what: it is `1 - e^E` and up to `extra` more below the first knot, and from 0 to `extra` above
/// the second; none at infinity.
pub(super) struct Knots {
    pub low: Option<Knot>,
    pub high: Option<Knot>,
}

/// One of them.
#[derive(Clone)]
pub(super) struct Knot {
    /// E.
    pub at: Enclosure,
    /// The inner u.
    pub inside: Enclosure,
    /// What is left out beyond it, at most.
    pub extra: Enclosure,
}

impl Kernel {
    /// Of a pair, run once; `None` if it is not of these.
    pub fn of(pair: &Pair) -> Option<Self> {
        let noise = |pair: &Pair| match pair {
            Pair::Gaussian { mu } => Some(Noise::Gaussian(mu.square())),
            Pair::Laplace { shift } => Some(Noise::Laplace(shift.clone())),
            _ => None,
        };
        match pair {
            Pair::Sample { rate, inner } => Some(Kernel { noise: noise(inner)?, rate: Some(rate.clone()) }),
            pair => Some(Kernel { noise: noise(pair)?, rate: None }),
        }
    }

    /// Of Gaussian noise, by the square of mu.
    pub fn gaussian(mu_squared: Real) -> Self {
        Kernel { noise: Noise::Gaussian(mu_squared), rate: None }
    }

    /// The knots, so far out that what is beyond them is less than about `2^-bits`.
    ///
    /// With the inner profile h at u: a sample has `p h(u)`, `e^E = 1 + p (e^u - 1)`, forwards, and `w h(u)`,
    /// `e^-E = 1 + p (e^-u - 1)`, backwards. As `h(u) = 1 - e^u + e^u h(-u)`, the former is `1 - e^E + p e^u h(-u)`;
    /// the latter is at most `h(u)`. Laplace noise has `h(u) = 0` from c on. Gaussian noise has
    /// `h(u) <= Q(u/mu - mu/2)`, and without a sample no knots: there u is E.
    pub fn knots(&self, backward: bool, bits: u32, budget: &Budget) -> Result<Knots, Error> {
        let outer = |u: &Enclosure| match &self.rate {
            None => u.clone(),
            Some(rate) if backward => -(&rate.enclosure(bits) * &(-u).expm1()).log1p(),
            Some(rate) => (&rate.enclosure(bits) * &u.expm1()).log1p(),
        };
        let knot =
            |inside: Enclosure, extra: &Enclosure| Some(Knot { at: outer(&inside), inside, extra: extra.clone() });
        let none = Enclosure::zero(bits);
        Ok(match &self.noise {
            Noise::Laplace(shift) => {
                let shift = shift.enclosure(bits);
                Knots { low: knot(-&shift, &none), high: knot(shift, &none) }
            }
            Noise::Gaussian(_) if self.rate.is_none() => Knots { low: None, high: None },
            Noise::Gaussian(mu_squared) => {
                let mu = mu_squared.enclosure(bits).sqrt();
                let far = Enclosure::double((2.0 * f64::from(bits) * std::f64::consts::LN_2).sqrt(), bits);
                // u/mu - mu/2 = far.
                let reach = &mu * &(&far + &mu.shift(-1));
                let left = normal_tail(&far, bits, budget)?.hull(&none);
                if backward {
                    Knots { low: None, high: knot(reach, &left) }
                } else {
                    Knots { low: knot(-&reach, &left), high: None }
                }
            }
        })
    }

    /// The inner u of a sample at E, not beyond the knots.
    pub fn inside(&self, epsilon: &Enclosure, knots: &Knots, backward: bool, bits: u32) -> Enclosure {
        let rate = self.rate.as_ref().map_or_else(|| Enclosure::one(bits), |rate| rate.enclosure(bits));
        let sign = |x: &Enclosure| if backward { -x } else { x.clone() };
        let (low, high) = (knots.low.as_ref().map(|knot| &knot.inside), knots.high.as_ref().map(|knot| &knot.inside));
        // Where the logarithm has no argument there is a knot before it.
        let least = if backward { high.map(|high| -high) } else { low.cloned() };
        let ratio = &sign(epsilon).expm1() / &rate;
        let ratio = least.map_or_else(|| ratio.clone(), |least| ratio.max(&least.expm1()));
        let mut inside = sign(&ratio.log1p());
        inside = low.map_or_else(|| inside.clone(), |low| inside.max(low));
        high.map_or_else(|| inside.clone(), |high| inside.min(high))
    }

    /// The rate, if it is a sample.
    pub fn rate(&self, bits: u32) -> Option<Enclosure> {
        self.rate.as_ref().map(|rate| rate.enclosure(bits))
    }

    /// Of a sample, E and the profile from the Taylor coefficients of u, and `dE/du = p e^(u-E)`, or backwards
    /// `p e^(E-u)`, which is w.
    pub fn by_inner_loss(
        &self,
        u: &Taylor,
        rate: &Enclosure,
        backward: bool,
        budget: &Budget,
    ) -> Result<(Taylor, Taylor, Taylor), Error> {
        let minus = Enclosure::integer(&(-1).into(), u.bits());
        let epsilon = if backward {
            u.times(&minus).expm1().times(rate).log1p().times(&minus)
        } else {
            u.expm1().times(rate).log1p()
        };
        let ahead = if backward { epsilon.add(&u.times(&minus)) } else { u.add(&epsilon.times(&minus)) };
        let slope = ahead.exp().times(rate);
        let inner = self.inner(u, budget)?;
        let profile = if backward { slope.mul(&inner) } else { inner.times(rate) };
        Ok((epsilon, profile, slope))
    }

    /// The profile of the noise: `Q(s) - e^u Q(t)`, `s = u/mu - mu/2`, `t = s + mu`, whose derivative is `-e^u Q(t)`,
    /// and Q has the derivative `-phi`; or `1 - e^((u-c)/2)`.
    pub fn inner(&self, u: &Taylor, budget: &Budget) -> Result<Taylor, Error> {
        let bits = u.bits();
        let minus = Enclosure::integer(&(-1).into(), bits);
        match &self.noise {
            Noise::Laplace(shift) => {
                let gap = u.plus(&-shift.enclosure(bits)).times(&Enclosure::one(bits).shift(-1));
                Ok(gap.expm1().times(&minus))
            }
            Noise::Gaussian(mu_squared) => {
                let mu = mu_squared.enclosure(bits).sqrt();
                let half = mu.shift(-1);
                let scaled = u.times(&mu.recip());
                let t = scaled.plus(&half);
                let s = scaled.value() - &half;
                let density = t.mul(&t).times(&-Enclosure::one(bits).shift(-1)).exp().times(&recip_sqrt_two_pi(bits));
                let tail = t.along(finite_tail(t.value(), bits, budget)?, &density.times(&minus));
                let slope = u.exp().mul(&tail).times(&minus);
                let value = &finite_tail(&s, bits, budget)? + slope.value();
                // It is a profile: between 0 and 1.
                let value = value.positive_part().min(&Enclosure::one(bits));
                Ok(u.along(value, &slope))
            }
        }
    }
}

/// `Q(x)`, between 0 and 1 where x is not known at all.
fn finite_tail(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let known = |end: &Float| !end.is_nan();
    if known(x.lower()) && known(x.upper()) {
        normal_tail(x, bits, budget)
    } else {
        Ok(Enclosure::zero(bits).hull(&Enclosure::one(bits)))
    }
}
