//! Listed losses with the geometric means of their masses, for noise that is known beside `e^(-loss/2)`.
//!
//! For noise let R have `dR = e^(-l/2) dP` at its loss l, and `phi(t) = int 2 sinh((l - t)/2)_+ dR(l)`, so that its
//! profile is `e^(t/2) phi(t)`. Of a listed outcome a let `q_a = p_a e^(-l_a)` and `r_a = p_a e^(-l_a/2)`. With b and h
//! the least and the largest loss of the noise, the profile is 0 from h on and `1 - e^t` up to b, so
//!
//! `sum_a p_a g(eps - l_a) = P(eps - l_a <= b) - e^eps Q(eps - l_a <= b) + e^(eps/2) sum_(between) r_a phi(eps - l_a)`.

use std::sync::Arc;

use rug::Float;

use super::listing::Listings;
use crate::error::Error;
use enclosure::{Budget, Cache, Enclosure};

/// An outcome.
struct Outcome {
    loss: Enclosure,
    p: Enclosure,
    root: Enclosure,
    q: Enclosure,
}

/// The likeliest outcomes, and a bound of the mass of all others.
struct Likeliest {
    outcomes: Vec<Outcome>,
    rest: Enclosure,
}

/// Outcomes of listed laws with their roots.
pub(in crate::compose) struct Roots {
    listings: Listings,
    kept: Cache<(bool, u32, u32), Likeliest>,
}

/// What is known of the sum without the noise between its ends.
pub(in crate::compose) struct Known {
    /// `P - e^eps Q` of the losses beyond, and from 0 to the mass that is left out.
    pub beyond: Enclosure,
    /// `eps - l_a` and `r_a` of the others.
    pub between: Vec<(Enclosure, Enclosure)>,
    /// `e^(eps/2)`.
    pub scale: Enclosure,
}

impl Roots {
    /// Of these.
    pub fn of(listings: Listings) -> Self {
        Roots { listings, kept: Cache::new(4) }
    }

    /// The lists.
    pub fn listings(&self) -> &Listings {
        &self.listings
    }

    fn likeliest(
        &self,
        (backward, fraction): (bool, u32),
        bits: u32,
        budget: &Budget,
    ) -> Result<Arc<Likeliest>, Error> {
        self.kept.get((backward, fraction, bits), || {
            let list = self.listings.at(backward, fraction, bits, budget)?;
            let least = Float::with_val(64, 1u32) >> fraction;
            let most = list.rest.iter().position(|rest| *rest.upper() <= least).unwrap_or(list.atoms.len());
            let mut outcomes = Vec::with_capacity(most);
            for (loss, mass) in list.atoms.iter().take(most) {
                budget.check()?;
                let half = (-&loss.shift(-1)).exp();
                let root = mass * &half;
                let q = &root * &half;
                outcomes.push(Outcome { loss: loss.clone(), p: mass.clone(), root, q });
            }
            let rest = list.rest.get(most).unwrap_or(&list.missing).clone();
            Ok(Likeliest { outcomes, rest })
        })
    }

    /// Beside noise with these ends, at this epsilon, to its precision; so many bits after the point matter.
    pub fn around(
        &self,
        at: &Enclosure,
        [low, high]: &[Enclosure; 2],
        (backward, fraction): (bool, u32),
        budget: &Budget,
    ) -> Result<Known, Error> {
        let list = self.likeliest((backward, fraction), at.bits(), budget)?;
        let zero = Enclosure::zero(at.bits());
        let (mut p, mut q) = (zero.clone(), zero.clone());
        let mut between = Vec::new();
        for outcome in &list.outcomes {
            let t = at - &outcome.loss;
            if t.lower() >= high.upper() {
                continue;
            }
            if t.upper() <= low.lower() {
                p = &p + &outcome.p;
                q = &q + &outcome.q;
            } else {
                between.push((t, outcome.root.clone()));
            }
        }
        let rest = list.rest.hull(&Enclosure::zero(64)).with_bits(at.bits());
        let beyond = &(&p - &(&at.exp() * &q)) + &rest;
        Ok(Known { beyond, between, scale: at.shift(-1).exp() })
    }
}
