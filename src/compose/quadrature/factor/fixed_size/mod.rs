//! Gaussian or Laplace noise on a sample of a fixed size: `C_p(f) = min(f_p, f_p^-1)**` (Dong, Roth, Su, Theorem 4.2).
//!
//! With y the loss of the noise, `w = q + p e^y` and `q = 1 - p`: a place of the noise with `y > 0`, of mass dQ under
//! the distribution for which y is the loss of the other one, is two outcomes, one of mass dQ with the loss `-ln w` and
//! one of mass `w dQ` with the loss `ln w`. What is left, `q tv` with the total variation tv of the noise, has the loss
//! 0. So
//!
//! `M(s) = q tv + int_(y > 0) [w^(1+s) + w^(-s)] dQ`,
//!
//! which is its own mirror image, `M(-1-s) = M(s)`, and `M(0) = M(-1) = 1`. Of Gaussian noise y is normal under Q, with
//! the mean `-mu^2/2` and the variance `mu^2`; of Laplace noise it has the density `e^(-(y + l)/2)/4` up to l, and the
//! mass `e^(-l)/2` there. The integral is the rule of Gauss and Legendre on panels ([`rule`]); as a function on a line
//! each node's terms are geometric progressions ([`values`]). Far out there is little but the atoms ([`fall`]).
//! Paper proof: `proofs/paper/fixed-size-samples.md`.

mod fall;
mod rule;
mod search;
#[cfg(test)]
mod tests;
mod values;

use std::collections::HashMap;
use std::sync::Mutex;

use rug::Rational;

use self::fall::Fall;
use self::values::Values;
use super::super::nonuniform::{Inside, Part, SampledLaw, Transformed};
use super::{COARSE_BITS, Decay, Factor, FixedMoments, LossBound, Moments, VerticalContour, log_ratio, positive_rate};
use crate::error::Error;
use crate::pair::Pair;
use enclosure::special::{exp_thin, ln_thin, normal_central};
use enclosure::{Budget, Cache, Enclosure, Real};

/// One draw of the mechanism.
pub struct FixedSize {
    rate: Real,
    rest: Real,
    noise: Noise,
    /// Do its atoms come to nothing, as often as it is run?
    vanishes: bool,
    p: f64,
    q: f64,
    /// `mu`, or l.
    size: f64,
    moments: Cache<(Rational, u32), Enclosure>,
    /// About the logarithms of moments, by the bits of their orders: searches ask for the same tilts again and again.
    searched: Mutex<HashMap<u64, f64>>,
}

/// The noise inside.
enum Noise {
    /// Of this `mu = sensitivity/sigma`.
    Gaussian(Real),
    /// Of this `l = sensitivity/scale`.
    Laplace(Real),
}

/// Moments that are kept: a line asks for some of them more than once.
const MOMENTS: usize = 16;
/// So many of their logarithms are.
const SEARCHED: usize = 1 << 14;
/// So small a power of the atoms, as a logarithm, is nothing to the usual digits.
const NOTHING: f64 = -45.0;

impl FixedSize {
    /// Sampling rate `0 < rate < 1`, Gaussian or Laplace noise, to be run so often; `None` for other noise.
    ///
    /// # Errors
    /// For parameters out of reach.
    pub fn new(rate: &Real, noise: &Pair, times: u64) -> Result<Option<Self>, Error> {
        let noise = match noise {
            Pair::Gaussian { mu } => Noise::Gaussian(mu.clone()),
            Pair::Laplace { shift } => Noise::Laplace(shift.clone()),
            _ => return Ok(None),
        };
        let rest = positive_rate(rate, noise.size(), "sensitivity/scale")?;
        let (p, q, size) = (rate.to_f64(), rest.to_f64(), noise.size().to_f64());
        if !(size > 1e-12 && size < 1e4 && p > 1e-30 && q > 1e-30) {
            return Err(Error::Undecided(
                "the moments of a sample of a fixed size are computed for 1e-12 < sensitivity/scale < 1e4 and rates \
                 from 1e-30 to 1 - 1e-30"
                    .into(),
            ));
        }
        let (moments, searched) = (Cache::new(MOMENTS), Mutex::default());
        let mut factor = FixedSize { rate: rate.clone(), rest, noise, vanishes: false, p, q, size, moments, searched };
        let half = Rational::from((-1, 2));
        let atoms: f64 =
            factor.atoms(&half, 64, &Budget::default())?.iter().map(|(mass, _)| mass.upper().to_f64()).sum();
        factor.vanishes = times as f64 * (atoms.ln() - factor.log_moment(-0.5)) < NOTHING;
        Ok(Some(factor))
    }

    /// The parameters at one precision.
    fn parts(&self, bits: u32) -> Parts {
        let size = self.noise.size().enclosure(bits);
        Parts { bits, p: self.rate.enclosure(bits), q: self.rest.enclosure(bits), size }
    }

    /// Bits that exponents of powers up to r and ordinates up to u need beyond those of the results, for `y <= top`.
    fn surplus(&self, r: f64, u: f64, top: f64) -> u32 {
        let reach = log_ratio(self.p, self.q, top).abs() + 1.0;
        bits_of((r.abs() + u.abs() + 2.0) * reach + self.steep(top) * top) + 8
    }

    /// `(mass, ln w)` of the outer atoms on the line through c, and of that at 0: of those with `ln w > 0` the masses
    /// for both signs.
    fn atoms(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Vec<(Enclosure, Outside)>, Error> {
        let parts = self.parts(bits.saturating_add(self.surplus(c.to_f64() + 1.0, 0.0, self.size)));
        let (middle, outer) = match &self.noise {
            Noise::Gaussian(_) => (normal_central(&parts.size.shift(-1), parts.bits, budget)?.shift(1), Vec::new()),
            Noise::Laplace(_) => {
                let log = parts.log_ratio(&parts.size);
                let mass = exp_thin(&-&parts.size, parts.bits).shift(-1);
                let [above, below] = parts.powers(c).map(|power| &mass * &exp_thin(&(&power * &log), parts.bits));
                (-(-parts.size.shift(-1)).expm1(), vec![(above, Outside::Above), (below, Outside::Below)])
            }
        };
        Ok(std::iter::once((&parts.q * &middle, Outside::Middle)).chain(outer).collect())
    }

    /// `M(c)` to about `bits` bits.
    fn moment_at(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        if c.is_zero() || *c == -1 {
            return Ok(Enclosure::one(bits));
        }
        let layout = self.layout(c.to_f64(), search::nats(bits), 0.0)?;
        let work = bits.saturating_add(24);
        let mut sum = Enclosure::zero(work);
        for (mass, _) in self.atoms(c, work, budget)? {
            sum = &sum + &mass.with_bits(work);
        }
        let nodes = self.nodes(&layout, c, (work, 0.0), &Enclosure::zero(64), budget)?;
        for node in nodes.list {
            for modulus in node.moduli {
                sum = &sum + &modulus.with_bits(work);
            }
        }
        Ok(sum.widen(&nodes.error).with_bits(bits))
    }
}

/// Where an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outside {
    /// At the loss 0.
    Middle,
    /// At the largest loss.
    Above,
    /// At the least.
    Below,
}

impl Noise {
    fn size(&self) -> &Real {
        match self {
            Noise::Gaussian(size) | Noise::Laplace(size) => size,
        }
    }
}

/// The parameters at one precision.
struct Parts {
    bits: u32,
    p: Enclosure,
    q: Enclosure,
    size: Enclosure,
}

impl Parts {
    fn rational(&self, value: &Rational) -> Enclosure {
        Enclosure::rational(value, self.bits)
    }

    fn log_ratio(&self, y: &Enclosure) -> Enclosure {
        ln_thin(&(&self.q + &(&self.p * &exp_thin(y, self.bits))), self.bits)
    }

    /// `1 + c` and `-c`.
    fn powers(&self, c: &Rational) -> [Enclosure; 2] {
        [Rational::from(c + 1u32), Rational::from(-c)].map(|power| self.rational(&power))
    }
}

fn bits_of(x: f64) -> u32 {
    x.abs().max(1.0).log2().ceil().min(1e6) as u32
}

impl Factor for FixedSize {
    fn name(&self) -> String {
        let (kind, size) = match &self.noise {
            Noise::Gaussian(mu) => ("Gaussian", mu),
            Noise::Laplace(shift) => ("Laplace", shift),
        };
        format!("{kind} noise on a sample of a fixed size (rate {}, sensitivity/scale {size})", self.rate)
    }

    fn decays(&self) -> bool {
        self.vanishes
    }

    fn range(&self) -> (LossBound, LossBound) {
        match &self.noise {
            Noise::Gaussian(_) => (LossBound::Unbounded, LossBound::Unbounded),
            Noise::Laplace(shift) => {
                let ratio = shift.exp().and_then(|power| self.rate.mul(&power));
                let largest: LossBound = ratio.and_then(|ratio| self.rest.add(&ratio).ln()).ok().into();
                (largest.clone().reversed(), largest)
            }
        }
    }

    fn log_moment(&self, c: f64) -> f64 {
        self.searched_moment(c)
    }

    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let value = self.moments.get((c.clone(), bits), || self.moment_at(c, bits, budget))?;
        Ok(Enclosure::clone(&value))
    }

    fn on(&self, line: &VerticalContour, bits: u32, _budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(Values::new(self, line, bits)?))
    }

    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let moment = self.moment(line.tilt(), COARSE_BITS, budget)?;
        let inside: (_, fn(f64) -> Inside) = match &self.noise {
            Noise::Gaussian(mu) => (mu, Inside::Gaussian),
            Noise::Laplace(shift) => (shift, Inside::Laplace),
        };
        let Some(law) = SampledLaw::new(&self.rate, inside, &moment) else { return Ok(None) };
        let atoms = self.atoms(line.tilt(), COARSE_BITS, budget)?;
        let Some((atom, Outside::Middle)) = atoms.first() else { return Ok(None) };
        let law = law.of_part(Part::Right(atom / &moment));
        Ok(Some(Box::new(Transformed::new(law, line))))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        Ok(Box::new(Fall::new(self, line, budget)?))
    }
}
