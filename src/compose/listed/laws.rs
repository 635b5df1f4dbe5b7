//! The laws of discrete losses, each listed but for a mass that is bounded.

use std::sync::Arc;

use crate::compose::LatticePair;
use crate::compose::choose::Refusal;
use crate::compose::grid::{Atom, Commensurable, Finite, LossLaw, Poisson, Sides};
use crate::compose::infinite_mass::InfiniteMass;
use crate::compose::mixture::Losses;
use crate::error::Error;
use crate::pair::{Pair, Product};
use enclosure::{Budget, Enclosure};

/// What a list takes of its bits: roundings of products and sums.
const GUARD: u32 = 32;

/// Independent laws.
pub(in crate::compose) struct Laws {
    /// All that has finitely many losses and is on no lattice, composed.
    losses: Option<Losses>,
    /// What is on lattices, composed where they are common, and samples of such noise, each so many times.
    listed: Vec<(Arc<dyn LossLaw>, u64)>,
    /// The P-mass where Q has none, and the reverse.
    infinite: [InfiniteMass; 2],
}

/// The losses of one law with both masses.
pub(in crate::compose) struct List {
    pub atoms: Vec<Atom>,
    /// How often it is drawn from.
    pub times: u64,
    /// Bounds of what one draw has that is not listed, under P and under Q.
    pub missing: [Enclosure; 2],
}

impl Laws {
    /// The laws of a product, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] for anything without atoms; what says so for more finite losses than are taken on.
    pub fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        if !product.mu_squared.is_zero() || !product.laplace.is_empty() || !product.derived.is_empty() {
            return Err(Refusal::OtherKind);
        }
        let mut listed: Vec<(Arc<dyn LossLaw>, u64)> = Vec::new();
        for (pair, times) in &product.sampled {
            match pair {
                Pair::Discrete(_) => {}
                Pair::Sample { rate, inner } => match &**inner {
                    Pair::DiscreteGaussian { sigma2, sensitivity } => {
                        let inner = Commensurable::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?;
                        listed.push((Arc::new(Poisson::new(rate.clone(), inner)?), *times));
                    }
                    _ => return Err(Refusal::OtherKind),
                },
                _ => return Err(Refusal::OtherKind),
            }
        }
        let mut pairs = Vec::new();
        for (pair, times) in &product.lattice {
            pairs.extend(LatticePair::of(pair)?.map(|pair| (pair, *times)));
        }
        for (sigma2, sensitivity, times) in &product.discrete_gaussian {
            pairs.push((LatticePair::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?, *times));
        }
        for group in Commensurable::grouped(pairs, true)? {
            listed.push((Arc::new(group), 1));
        }
        let finite = Product { lattice: Vec::new(), ..product.clone() };
        let losses = match Losses::new(finite.discrete()?, budget) {
            Ok(losses) => losses,
            Err(error) if error.is_alarm() => return Err(error.into()),
            // Too many together may be few by themselves.
            Err(_) => {
                let alone = finite.discrete()?.into_iter();
                listed.extend(alone.map(|(pair, times)| (Arc::new(Finite(pair)) as Arc<dyn LossLaw>, times)));
                None
            }
        };
        let ends = Product { failures: Vec::new(), ..product.clone() }.ends()?;
        let infinite = [
            InfiniteMass::new(ends.iter().map(|(ends, times)| (&ends.infinite_p, *times)))?,
            InfiniteMass::new(ends.iter().map(|(ends, times)| (&ends.infinite_q, *times)))?,
        ];
        Ok(Laws { losses, listed, infinite })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.listed.len() + usize::from(self.losses.is_some())
    }

    /// How many draws.
    pub fn runs(&self) -> u64 {
        self.listed.iter().fold(1, |runs: u64, (_, times)| runs.saturating_add(*times))
    }

    /// The mass of one distribution where the other has none.
    pub fn infinite(&self, backward: bool) -> &InfiniteMass {
        let [forward, reversed] = &self.infinite;
        if backward { reversed } else { forward }
    }

    /// All lists, losses and masses to about so many bits; what one draw does not list has less than `2^-depth`.
    pub fn lists(&self, bits: u32, depth: u32, budget: &Budget) -> Result<Vec<List>, Error> {
        let bits = bits.saturating_add(GUARD);
        let mut lists = Vec::new();
        if let Some(losses) = &self.losses {
            let listing = losses.listing(false, bits, budget)?;
            let mut atoms = Vec::with_capacity(listing.atoms.len());
            for atom in &listing.atoms {
                budget.check()?;
                let (loss, p) = (atom.loss.enclosure(bits), atom.mass.enclosure(bits));
                let q = &p * &(-&loss).exp();
                atoms.push(Atom { loss, p, q });
            }
            let none = Enclosure::zero(bits);
            lists.push(List { atoms, times: 1, missing: [none.clone(), none] });
        }
        for (law, times) in &self.listed {
            budget.check()?;
            let found = law.atoms(bits, depth, Sides::Both, budget)?;
            lists.push(List { atoms: found.list, times: *times, missing: [found.missing_p, found.missing_q] });
        }
        Ok(lists)
    }
}
