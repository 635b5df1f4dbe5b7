//! The Gaussian mechanism on a Poisson sample.
//!
//! In units of the noise, with `mu = sensitivity/sigma` and sampling rate `p`, `q = 1 - p`: `Q = N(0, 1)`,
//! `P = q N(0, 1) + p N(mu, 1)`, so
//!
//! `dP/dQ = w(t) = q + p e^(mu t - mu^2/2)`, `M(s) = E_P[w^s] = K(1 + s)`, `K(z) = int phi(t) w(t)^z dt`.
//!
//! `K` has no closed form but at integers, so it is itself computed by a trapezoid rule (the *inner* rule, while the
//! engine's own is the outer one). `ln w` is analytic in the strip `|Im t| < pi/mu`, `phi` everywhere: the rule's
//! error is exponentially small, and bounded by what `pair` says of the integrand on the edges of a narrower strip.
//! Paper proof: `proofs/paper/quadrature-poisson-gaussian.md`.

mod decay;
mod nodes;
mod pair;
mod real;
mod search;
pub mod split;
mod terms;
mod wide;

use rug::Rational;

use self::pair::Pair;
use self::search::Shape;
use self::split::Split;
use super::super::nonuniform::{Inside, SampledLaw, Transformed};
use super::{
    COARSE_BITS, Decay, Factor, FixedMoments, LossBound, Moments, VerticalContour, WideMoments, positive_rate,
};
use crate::error::Error;
use enclosure::{Budget, Cache, Enclosure, Portable, Real};

/// One draw of the mechanism; forward is (record present, record absent).
#[derive(Clone, Debug)]
pub struct PoissonGaussian {
    rate: Real,
    rest: Real,
    mu: Real,
    shape: Shape,
    moments: Cache<(Rational, u32), Enclosure>,
}

/// How steep the cut is beyond which draws are rare, in bounds alone.
const STEEP: f64 = 3.0;

/// Moments that are kept: a line asks for some of them more than once.
const MOMENTS: usize = 16;

impl PoissonGaussian {
    /// Sampling rate `0 < rate < 1`, `mu = sensitivity/sigma > 0`.
    pub fn new(rate: Real, mu: Real) -> Result<Self, Error> {
        let rest = positive_rate(&rate, &mu, "sensitivity/sigma")?;
        let shape = Shape::new(mu.to_f64(), rate.to_f64(), rest.to_f64());
        if !(shape.mu > 1e-12 && shape.mu < 1e4 && shape.p > 1e-30 && shape.q > 1e-30) {
            return Err(Error::Undecided(
                "the subsampled Gaussian requires 1e-12 < sensitivity/sigma < 1e4 and a rate from 1e-30 to 1 - 1e-30"
                    .into(),
            ));
        }
        Ok(PoissonGaussian { rate, rest, mu, shape, moments: Cache::by_point(MOMENTS) })
    }

    /// `K(r)` to about `bits` bits.
    fn kept_moment(&self, r: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let value = self.moments.get((r.clone(), bits), || self.power_mean(r, bits, budget))?;
        Ok(Enclosure::clone(&value))
    }

    /// `mu` and `ln(p/(1-p))`, about: for searches.
    pub fn in_doubles(&self) -> (f64, f64) {
        (self.shape.mu, self.shape.p.portable_ln() - self.shape.ln_q)
    }

    fn pair(&self, bits: u32) -> Pair {
        Pair::new(&self.mu, &self.rate, &self.rest, bits)
    }
}

impl Factor for PoissonGaussian {
    fn name(&self) -> String {
        format!("Poisson-subsampled Gaussian (rate {}, mu {})", self.rate, self.mu)
    }

    fn decays(&self) -> bool {
        true
    }

    /// Losses are above `ln q`, as near as one likes.
    fn range(&self) -> (LossBound, LossBound) {
        (self.rest.ln().ok().into(), LossBound::Unbounded)
    }

    fn log_moment(&self, c: f64) -> f64 {
        self.shape.log_moment(1.0 + c)
    }

    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        self.kept_moment(&Rational::from(c + 1u32), bits, budget)
    }

    fn apart(&self, cut: f64, reversed: bool) -> Option<Split> {
        Split::new(self, reversed, cut, STEEP)
    }

    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(nodes::Values::new(self, line, bits, budget)?))
    }

    fn wide(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn WideMoments + '_>>, Error> {
        let values = wide::WideValues::new(self, line, budget)?;
        Ok(values.map(|values| Box::new(values) as Box<dyn WideMoments>))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        Ok(Box::new(decay::Table::new(self, line, budget)?))
    }

    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let moment = self.moment(line.tilt(), COARSE_BITS, budget)?;
        let law = SampledLaw::new(&self.rate, (&self.mu, Inside::Gaussian), &moment);
        Ok(law.map(|law| Box::new(Transformed::new(law, line)) as Box<dyn FixedMoments>))
    }
}

#[cfg(test)]
mod tests;
