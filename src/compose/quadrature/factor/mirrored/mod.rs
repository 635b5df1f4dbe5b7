//! Gaussian or Laplace noise on samples, as laws in two halves that are mirror images.
//!
//! With y the loss of the noise, `w = q + p e^y` and `q = 1 - p`, a place of the noise of mass dQ under the
//! distribution for which y is the loss of the other one is two outcomes: one of mass dQ with the loss `-ln w` and one
//! of mass `w dQ` with the loss `ln w`.
//!
//! * A sample of a fixed size, `C_p(f) = min(f_p, f_p^-1)**` (Dong, Roth, Su, Theorem 4.2), has those of the places
//!   with `y > 0`. What is left, `q tv` with the total variation tv of the noise, has the loss 0. So
//!   `M(s) = q tv + int_(y > 0) [w^(1+s) + w^(-s)] dQ`.
//! * The larger one of both orders of a Poisson sample, `max(f_p, f_p^-1)`, has those of the places with `y < y*`,
//!   where `f_p` meets the diagonal ([`fixed_point`]), and `w < 1`; these are all, so that
//!   `M(s) = int_(y < y*) [w^(1+s) + w^(-s)] dQ`.
//!
//! Each is its own mirror image, `M(-1-s) = M(s)`, and `M(0) = M(-1) = 1`. Of Gaussian noise y is normal under Q, with
//! the mean `-mu^2/2` and the variance `mu^2`; of Laplace noise it has the density `e^(-(y + l)/2)/4` between `-l` and
//! l, and the masses 1/2 and `e^(-l)/2` there. The integral is the rule of Gauss and Legendre on panels ([`rule`]); as
//! a function on a line each node's terms are geometric progressions ([`values`]). Far out there is little but the
//! atoms ([`fall`]). Paper proof: `proofs/paper/fixed-size-samples.md`.

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
use crate::compose::fixed_point;
use crate::error::Error;
use crate::pair::Pair;
use enclosure::special::{exp_thin, ln_thin, normal_central};
use enclosure::{Budget, Cache, Enclosure, Portable, Real};

/// One draw of the mechanism.
pub struct Mirrored {
    rate: Real,
    rest: Real,
    noise: Noise,
    half: Half,
    /// About the inner end of the losses of the noise.
    edge: f64,
    edges: Cache<u32, Enclosure>,
    /// Does it come to nothing soon, as often as it is run?
    vanishes: bool,
    p: f64,
    q: f64,
    /// `mu`, or l.
    size: f64,
    moments: Cache<(Rational, u32), Enclosure>,
    /// About the logarithms of moments, by the bits of their orders: searches ask for the same tilts again and again.
    searched: Mutex<HashMap<u64, (f64, u64)>>,
}

/// The noise inside.
enum Noise {
    /// Of this `mu = sensitivity/sigma`.
    Gaussian(Real),
    /// Of this `l = sensitivity/scale`.
    Laplace(Real),
}

/// Which places of the noise there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Those with `y > 0`, and an atom: a sample of a fixed size.
    Right,
    /// Those left of the fixed point: the larger one of both orders.
    Left,
}

/// Moments that are kept: a line asks for some of them more than once.
const MOMENTS: usize = 16;
/// And inner ends.
const EDGES: usize = 16;
/// So many of their logarithms are.
const SEARCHED: usize = 1 << 14;
/// What has no atoms falls like 1/u, and so many runs of it are soon nothing to the usual digits.
const FAST: u64 = 7;
/// So small a power of the atoms, as a logarithm, is nothing to the usual digits.
const NOTHING: f64 = -45.0;

impl Mirrored {
    /// Sampling rate `0 < rate < 1`, Gaussian or Laplace noise, to be run so often; `None` for other noise.
    ///
    /// # Errors
    /// For parameters out of reach.
    pub fn new(rate: &Real, noise: &Pair, half: Half, times: u64) -> Result<Option<Self>, Error> {
        let noise = match noise {
            Pair::Gaussian { mu } => Noise::Gaussian(mu.clone()),
            Pair::Laplace { shift } => Noise::Laplace(shift.clone()),
            _ => return Ok(None),
        };
        let rest = positive_rate(rate, noise.size(), "sensitivity/scale")?;
        let (p, q, size) = (rate.to_f64(), rest.to_f64(), noise.size().to_f64());
        if !(size > 1e-12 && size < 1e4 && p > 1e-30 && q > 1e-30) {
            return Err(Error::Undecided(
                "the moments of a sample require 1e-12 < sensitivity/scale < 1e4 and a rate from 1e-30 to 1 - 1e-30"
                    .into(),
            ));
        }
        let (moments, searched, edges) = (Cache::by_point(MOMENTS), Mutex::default(), Cache::new(EDGES));
        let rate = rate.clone();
        let (vanishes, edge) = (false, 0.0);
        let mut factor = Mirrored { rate, rest, noise, half, edge, edges, vanishes, p, q, size, moments, searched };
        let budget = Budget::default();
        factor.edge = factor.parts(64, &budget)?.edge.lower().to_f64();
        let atoms: f64 =
            factor.atoms(&Rational::from((-1, 2)), 64, &budget)?.iter().map(|(mass, _)| mass.upper().to_f64()).sum();
        factor.vanishes = times >= FAST && times as f64 * (atoms.portable_ln() - factor.log_moment(-0.5)) < NOTHING;
        Ok(Some(factor))
    }

    /// The parameters at one precision.
    fn parts(&self, bits: u32, budget: &Budget) -> Result<Parts, Error> {
        let size = self.noise.size().enclosure(bits);
        let edge = match self.half {
            Half::Right => Enclosure::zero(bits),
            Half::Left => self.fixed_point(bits, budget)?,
        };
        Ok(Parts { bits, p: self.rate.enclosure(bits), q: self.rest.enclosure(bits), size, edge })
    }

    /// `y*`.
    fn fixed_point(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let wide = bits.next_multiple_of(64);
        let place = self.edges.get(wide, || {
            let size = self.noise.size().enclosure(wide);
            match &self.noise {
                Noise::Gaussian(mu) => {
                    let z = fixed_point::of_gaussian(&self.rate, mu, wide, budget)?;
                    Ok(&(&z - &size.shift(-1)) * &size)
                }
                Noise::Laplace(shift) => Ok(&fixed_point::of_laplace(&self.rate, shift, wide) - &size),
            }
        })?;
        Ok(place.with_bits(bits))
    }

    /// Where the losses of Laplace noise end that are taken.
    fn laplace_end(&self) -> f64 {
        match self.half {
            Half::Right => self.size,
            Half::Left => -self.size,
        }
    }

    /// Bits that exponents of powers up to r and ordinates up to u need beyond those of the results, for losses up to
    /// the outer end.
    fn surplus(&self, r: f64, u: f64, outer: f64) -> u32 {
        let reach = log_ratio(self.p, self.q, outer).abs() + 1.0;
        bits_of((r.abs() + u.abs() + 2.0) * reach + self.steep(outer) * outer.abs()) + 8
    }

    /// `(mass, ln w)` of the outer atoms on the line through c, and of that at 0, each for both signs.
    fn atoms(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Vec<(Enclosure, Outside)>, Error> {
        let wide = bits.saturating_add(self.surplus(c.to_f64() + 1.0, 0.0, self.laplace_end()));
        let parts = self.parts(wide, budget)?;
        let mut atoms = Vec::new();
        if self.half == Half::Right {
            let middle = match &self.noise {
                Noise::Gaussian(_) => normal_central(&parts.size.shift(-1), wide, budget)?.shift(1),
                Noise::Laplace(_) => -(-parts.size.shift(-1)).expm1(),
            };
            atoms.push((&parts.q * &middle, Outside::Middle));
        }
        if matches!(self.noise, Noise::Laplace(_)) {
            let end = self.laplace_loss(&parts);
            let log = parts.log_ratio(&end);
            let mass = match self.half {
                Half::Right => exp_thin(&-&parts.size, wide),
                Half::Left => Enclosure::one(wide),
            };
            let [own, mirrored] = parts.powers(c).map(|power| &mass.shift(-1) * &exp_thin(&(&power * &log), wide));
            atoms.extend([(own, Outside::Own), (mirrored, Outside::Mirrored)]);
        }
        Ok(atoms)
    }

    /// Where the losses of Laplace noise end that are taken.
    fn laplace_loss(&self, parts: &Parts) -> Enclosure {
        match self.half {
            Half::Right => parts.size.clone(),
            Half::Left => -&parts.size,
        }
    }

    /// Between which losses of the noise panels lie.
    fn ends(&self, parts: &Parts, layout: &search::Layout) -> Option<(Enclosure, Enclosure)> {
        let outer = match self.noise {
            Noise::Gaussian(_) => parts.rational(&Rational::from_f64(layout.outer)?),
            Noise::Laplace(_) => self.laplace_loss(parts),
        };
        Some(match self.half {
            Half::Right => (parts.edge.clone(), outer),
            Half::Left => (outer, parts.edge.clone()),
        })
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
    /// At `ln w`, w that of the outer end.
    Own,
    /// At `-ln w`.
    Mirrored,
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
    /// The inner end of the losses of the noise.
    edge: Enclosure,
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
    x.abs().max(1.0).portable_log2().ceil().min(1e6) as u32
}

impl Factor for Mirrored {
    fn name(&self) -> String {
        let (kind, size) = match &self.noise {
            Noise::Gaussian(mu) => ("Gaussian", mu),
            Noise::Laplace(shift) => ("Laplace", shift),
        };
        let sample = match self.half {
            Half::Right => "a sample of a fixed size",
            Half::Left => "a symmetrized Poisson sample",
        };
        format!("{kind} noise on {sample} (rate {}, sensitivity/scale {size})", self.rate)
    }

    fn decays(&self) -> bool {
        self.vanishes
    }

    fn range(&self) -> (LossBound, LossBound) {
        let largest: LossBound = match (&self.noise, self.half) {
            (Noise::Gaussian(_), Half::Right) => return (LossBound::Unbounded, LossBound::Unbounded),
            // Losses are nearer to 0, as near to these as one likes.
            (Noise::Gaussian(_), Half::Left) => self.rest.ln().map(|least| least.neg()).ok().into(),
            (Noise::Laplace(shift), half) => {
                let end = if half == Half::Right { shift.clone() } else { shift.neg() };
                let ratio = end.exp().and_then(|power| self.rate.mul(&power));
                let log = ratio.and_then(|ratio| self.rest.add(&ratio).ln());
                log.map(|log| if half == Half::Right { log } else { log.neg() }).ok().into()
            }
        };
        (largest.clone().reversed(), largest)
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
        let part = match self.half {
            Half::Right => {
                let atoms = self.atoms(line.tilt(), COARSE_BITS, budget)?;
                let Some((atom, Outside::Middle)) = atoms.first() else { return Ok(None) };
                Part::Right(atom / &moment)
            }
            Half::Left => {
                let parts = self.parts(COARSE_BITS, budget)?;
                let place = match self.noise {
                    Noise::Gaussian(_) => &(&parts.edge / &parts.size) + &parts.size.shift(-1),
                    Noise::Laplace(_) => parts.edge,
                };
                Part::Left(place.lower().to_f64())
            }
        };
        let law = law.of_part(part);
        Ok(Some(Box::new(Transformed::new(law, line))))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        Ok(Box::new(Fall::new(self, line, budget)?))
    }
}
