//! The losses of several laws together, all but a bounded mass of them.

use std::sync::Arc;

use rug::Rational;

use super::laws::{Laws, List};
use crate::compose::choose::Refusal;
use crate::error::Error;
use crate::pair::Product;
use enclosure::{Budget, Cache, Enclosure, Need};

/// What sums and products take of the bits.
const GUARD: u32 = 32;
/// The least precision of a list.
const ROUGH: u32 = 64;

/// Independent laws, and what was listed of them.
pub(in crate::compose) struct Listings {
    laws: Laws,
    /// Losses that are listed at most.
    most: u64,
    kept: Cache<(bool, u32, u32), Listing>,
}

/// Losses of all laws together, the likeliest first, with their masses under the first distribution; or backwards minus
/// the losses, with the masses under the second.
pub(in crate::compose) struct Listing {
    pub atoms: Vec<(Enclosure, Enclosure)>,
    /// Upper bounds of the mass of each atom and all after it, and of what is not listed.
    pub rest: Vec<Enclosure>,
    pub missing: Enclosure,
}

impl Listings {
    /// Of what a product has of discrete losses, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] for anything without atoms; what says so for more losses than are listed, seen at the
    /// least precision.
    pub fn of(product: &Product, most: u64, budget: &Budget) -> Result<Self, Refusal> {
        let new = Listings { laws: Laws::of(product, budget)?, most, kept: Cache::new(6) };
        new.at(false, ROUGH, ROUGH, budget)?;
        Ok(new)
    }

    /// The laws.
    pub fn laws(&self) -> &Laws {
        &self.laws
    }

    /// Losses under the first distribution, or backwards minus the losses under the second, to so many bits; what is
    /// not listed has less than about two to the minus `fraction`.
    pub fn at(&self, backward: bool, fraction: u32, bits: u32, budget: &Budget) -> Result<Arc<Listing>, Error> {
        // Few precisions, so that lists serve many questions.
        let few = |bits: u32| bits.max(ROUGH).div_ceil(64).saturating_mul(64);
        let (fraction, bits) = (few(fraction), few(bits));
        self.kept.get((backward, fraction, bits), || {
            let depth = fraction.saturating_add(GUARD);
            let mut lists = Vec::new();
            let mut count = 1.0_f64;
            for list in self.laws.lists(bits, depth, budget)? {
                let kinds = list.atoms.len() as f64;
                let sets = (0..list.times.min(self.most)).fold(1.0, |n, i| n * (kinds + i as f64) / (i as f64 + 1.0));
                count *= sets.max(list.times as f64);
                lists.push(list);
            }
            budget.afford(&Need {
                what: "different privacy losses composed with other mechanisms",
                count: count.min(1e18) as u64,
                most: self.most,
                bytes: 0,
                relax: "try fewer compositions",
            })?;
            let mut missing = Enclosure::zero(64);
            let mut atoms = vec![(Enclosure::zero(bits), Enclosure::one(bits))];
            for list in &lists {
                let [under_p, under_q] = &list.missing;
                let once = if backward { under_q } else { under_p };
                missing = &missing + &(&once.with_bits(64) * &Enclosure::integer(&list.times.into(), 64));
                atoms = together(atoms, &power(list, backward, bits.saturating_add(GUARD), budget)?, budget)?;
            }
            atoms.retain(|(_, mass)| *mass.upper() > 0);
            atoms.sort_by(|(_, a), (_, b)| b.upper().total_cmp(a.upper()));
            let mut rest = Vec::with_capacity(atoms.len());
            let mut sum = missing.clone();
            for (_, mass) in atoms.iter().rev() {
                sum = &sum + &mass.with_bits(64);
                rest.push(sum.clone());
            }
            rest.reverse();
            Ok(Listing { atoms, rest, missing })
        })
    }
}

/// All sums of one loss of either list.
fn together(
    a: Vec<(Enclosure, Enclosure)>,
    b: &[(Enclosure, Enclosure)],
    budget: &Budget,
) -> Result<Vec<(Enclosure, Enclosure)>, Error> {
    let mut all = Vec::with_capacity(a.len() * b.len());
    for (loss, mass) in &a {
        budget.check()?;
        all.extend(b.iter().map(|(other, factor)| (loss + other, mass * factor)));
    }
    Ok(all)
}

/// So many draws from one list, by multisets: `n!/(i_1! ... i_k!) m_1^(i_1) ... m_k^(i_k)`.
fn power(list: &List, backward: bool, bits: u32, budget: &Budget) -> Result<Vec<(Enclosure, Enclosure)>, Error> {
    let mut all = Vec::new();
    // Those with draws left.
    let mut open = vec![(Enclosure::zero(bits), Enclosure::one(bits), list.times)];
    let last = list.atoms.len().saturating_sub(1);
    for (place, atom) in list.atoms.iter().enumerate() {
        budget.check()?;
        let (loss, mass) = if backward { (-&atom.loss, &atom.q) } else { (atom.loss.clone(), &atom.p) };
        let mut next = Vec::with_capacity(open.len());
        for (mut sum, mut weight, left) in open {
            for i in 0..=left {
                if i == left {
                    all.push((sum, weight));
                    break;
                }
                if place < last {
                    next.push((sum.clone(), weight.clone(), left - i));
                }
                sum = &sum + &loss;
                // C(left, i+1) from C(left, i).
                weight = &(&weight * mass) * &Enclosure::rational(&Rational::from((left - i, i + 1)), bits);
            }
        }
        open = next;
    }
    Ok(all)
}
