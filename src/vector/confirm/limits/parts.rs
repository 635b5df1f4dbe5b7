//! What a composition is made of, and the raw moments of each part from their definitions.

use malachite::Rational as Second;
use malachite::base::num::basic::traits::One;

use super::Bounds;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::route::moments::{Law, mul, point, power};
use crate::route::sampled;
use crate::vector::confirm::{functional, numbers, poisson};
use enclosure::Cache;

/// Moments that an expansion of order 3 takes.
const MOST_MOMENTS: u32 = 5;
/// Number of cached samples.
const KEPT: usize = 16;

/// Moments of samples by rate, mu, order of the two distributions and bits: several questions are about each.
pub struct Moments(Cache<(Second, Second, bool, u64), Vec<Bounds>>);

impl Default for Moments {
    fn default() -> Self {
        Moments(Cache::new(KEPT))
    }
}

/// The privacy losses with their multiplicities, and the probability that no failure occurs.
pub(super) struct Parts {
    pub(super) leaking: Vec<(Part, u64)>,
    pub(super) survival: Bounds,
}

pub(super) enum Part {
    Law(Law),
    /// Moments of a sample of Gaussian noise, of any number: the rate, mu, and whether it is the second distribution.
    Sampled(Second, Second, bool),
}

impl Parts {
    /// The raw moments of each.
    pub(super) fn raw(&self, count: u32, known: &Moments, bits: u64) -> Result<Vec<(Vec<Bounds>, u64)>, Error> {
        let one = |(part, times): &(Part, u64)| {
            let found = match part {
                Part::Law(law) => law.moments(count, bits),
                Part::Sampled(rate, mu, reversed) => {
                    let all = known.0.get((rate.clone(), mu.clone(), *reversed, bits), || -> Result<_, Error> {
                        Ok(sampled::moments(rate, mu, *reversed, MOST_MOMENTS, bits))
                    })?;
                    Some(all.iter().take(count as usize).cloned().collect())
                }
            };
            Ok((found.ok_or_else(|| Error::input("an infinite loss"))?, *times))
        };
        self.leaking.iter().map(one).collect()
    }
}

pub(super) fn parts(composition: &Composition, reversed: bool, bits: u64) -> Result<Parts, Error> {
    let mut parts = Parts { leaking: Vec::new(), survival: point(Second::ONE) };
    for (mechanism, times) in composition.factors() {
        let law = match mechanism {
            Mechanism::ApproxDp(m) => {
                let kept = Second::ONE - numbers::second(numbers::rational(m.delta(), "delta")?)?;
                let kept = point(kept);
                parts.survival = mul(&parts.survival, &power(&kept, u32::try_from(*times).unwrap_or(u32::MAX)));
                functional::response(m.epsilon(), bits)?
            }
            Mechanism::Poisson(m) if let Some(sample) = poisson::Sample::of(m) => {
                let poisson::Inside::Gaussian(square) = &sample.inside else {
                    return Err(Error::input("no second route for moments of this sample"));
                };
                let mu = square.sqrt()?;
                let mu = numbers::second(numbers::rational(&mu, "mu")?)?;
                parts.leaking.push((Part::Sampled(numbers::second(&sample.rate)?, mu, reversed), *times));
                continue;
            }
            other => functional::law(other, reversed, bits)?,
        };
        parts.leaking.extend(law.map(|law| (Part::Law(law), *times)));
    }
    Ok(parts)
}
