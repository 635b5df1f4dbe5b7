//! Which factors are cut into slices, and which stay together beside them.

use std::sync::Arc;

use super::law::{Atom, Law, List, Part};
use super::{BITS, DEPTH};
use crate::compose::choose::{Refusal, curve_of};
use crate::compose::grid::{Commensurable, Gaussian, Laplace, LossLaw, Poisson, Sides};
use crate::compose::mixture::Losses;
use crate::compose::{LatticePair, Method};
use crate::curve::Curve;
use crate::error::Error;
use crate::pair::{Pair, Product};
use enclosure::{Budget, Enclosure, Need, Number};

/// Parts without atoms that are cut: slices are boxes, and their number grows with each.
const MOST_SPREADS: u64 = 2;
/// Runs of Laplace noise that a closed form serves in no time.
const MOST_LAPLACE: u64 = 64;
/// Different laws that are cut.
const MOST_LAWS: usize = 4;
/// Runs of one law that are parts by themselves where their sums are too many to be listed.
const MOST_BOXES: u64 = 3;
/// Atoms of one part.
const MOST_ATOMS: u64 = 1 << 15;

/// What is cut.
pub(super) struct Parts {
    /// Finitely many losses, composed.
    losses: Option<Losses>,
    /// Laws that are listed, each so many times.
    listed: Vec<(Arc<dyn LossLaw>, u64)>,
    /// Laws with a part that has no atoms.
    spreads: Vec<Arc<dyn LossLaw>>,
}

/// Is it a sample of noise without atoms?
fn is_spread(pair: &Pair) -> Option<bool> {
    match pair {
        Pair::Discrete(_) => Some(false),
        Pair::Sample { inner, .. } => match &**inner {
            Pair::Gaussian { .. } | Pair::Laplace { .. } => Some(true),
            Pair::DiscreteGaussian { .. } => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// How many parts without atoms a product has.
fn spreads(product: &Product) -> u64 {
    let sampled = product.sampled.iter().filter(|(pair, _)| is_spread(pair) == Some(true));
    let runs = sampled.map(|(_, times)| *times).chain(product.laplace.iter().map(|(_, times)| *times));
    runs.fold(u64::from(!product.mu_squared.is_zero()), u64::saturating_add)
}

/// A product in two: what stays together, and what is cut; of all ways those first that leave the fewest parts without
/// atoms to be cut. A single sample stays rather than many runs, whose formula is longer, and sums of discrete
/// Gaussians only where they are too long to be listed.
fn ways(product: &Product) -> Vec<(Product, Product)> {
    let nothing = || Product::default();
    let mut ways: Vec<(Product, Product)> = Vec::new();
    for (i, (pair, times)) in product.sampled.iter().enumerate() {
        if is_spread(pair) == Some(true) {
            let mut rest = product.clone();
            match rest.sampled.get_mut(i) {
                Some((_, runs)) if *times > 1 => *runs = times - 1,
                _ => _ = rest.sampled.remove(i),
            }
            ways.push((Product { sampled: vec![(pair.clone(), 1)], ..nothing() }, rest));
        }
    }
    if !product.mu_squared.is_zero() {
        let rest = Product { mu_squared: nothing().mu_squared, ..product.clone() };
        ways.push((Product { mu_squared: product.mu_squared.clone(), ..nothing() }, rest));
    }
    let runs = product.laplace.iter().fold(0, |sum: u64, (_, times)| sum.saturating_add(*times));
    if (1..=MOST_LAPLACE).contains(&runs) {
        let rest = Product { laplace: Vec::new(), ..product.clone() };
        ways.push((Product { laplace: product.laplace.clone(), ..nothing() }, rest));
    }
    ways.push((nothing(), product.clone()));
    if product.discrete_gaussian.len() == 1 {
        let rest = Product { discrete_gaussian: Vec::new(), ..product.clone() };
        ways.push((Product { discrete_gaussian: product.discrete_gaussian.clone(), ..nothing() }, rest));
    }
    ways.retain(|(_, rest)| spreads(rest) <= MOST_SPREADS);
    ways.sort_by_key(|(_, rest)| spreads(rest));
    ways
}

/// What is cut, and the curve of what is not.
pub(super) fn divided(product: &Product, budget: &Budget) -> Result<(Parts, Option<Box<dyn Curve>>), Refusal> {
    if !product.derived.is_empty() || product.sampled.iter().any(|(pair, _)| is_spread(pair).is_none()) {
        return Err(Refusal::OtherKind);
    }
    let mut refusal = Refusal::OtherKind;
    for (beside, rest) in ways(product) {
        // With nothing to cut the engines have said what there is to say.
        if rest.families().is_empty() {
            continue;
        }
        let made = Parts::new(&rest, budget).and_then(|parts| {
            let curve =
                if beside.families().is_empty() { None } else { Some(curve_of(&beside, Method::Auto, budget)?) };
            Ok((parts, curve))
        });
        match made {
            Ok(made) => return Ok(made),
            Err(error) if error.is_alarm() => return Err(error.into()),
            Err(error) => refusal = Refusal::Unable(error),
        }
    }
    Err(refusal)
}

impl Parts {
    fn new(product: &Product, budget: &Budget) -> Result<Self, Error> {
        let mut pairs = Vec::new();
        for (pair, times) in &product.lattice {
            pairs.extend(LatticePair::of(pair)?.map(|pair| (pair, *times)));
        }
        for (sigma2, sensitivity, times) in &product.discrete_gaussian {
            pairs.push((LatticePair::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?, *times));
        }
        let mut listed: Vec<(Arc<dyn LossLaw>, u64)> = Vec::new();
        for group in Commensurable::grouped(pairs, true)? {
            listed.push((Arc::new(group), 1));
        }
        let mut spreads: Vec<Arc<dyn LossLaw>> = Vec::new();
        if !product.mu_squared.is_zero() {
            spreads.push(Arc::new(Gaussian::new(product.mu_squared.clone())?));
        }
        for (shift, times) in &product.laplace {
            for _ in 0..*times {
                spreads.push(Arc::new(Laplace::new(shift.clone())?));
            }
        }
        for (pair, times) in &product.sampled {
            let Pair::Sample { rate, inner } = pair else { continue };
            match &**inner {
                Pair::DiscreteGaussian { sigma2, sensitivity } => {
                    let inner = Commensurable::discrete_gaussian(sigma2.clone(), (*sensitivity).into())?;
                    listed.push((Arc::new(Poisson::new(rate.clone(), inner)?), *times));
                }
                Pair::Laplace { shift } => {
                    for _ in 0..*times {
                        spreads.push(Arc::new(Poisson::new(rate.clone(), Laplace::new(shift.clone())?)?));
                    }
                }
                Pair::Gaussian { mu } => {
                    for _ in 0..*times {
                        spreads.push(Arc::new(Poisson::new(rate.clone(), Gaussian::new(mu.square())?)?));
                    }
                }
                _ => {}
            }
        }
        // What has a lattice is listed on it; all else with finitely many losses here.
        let finite = Product { lattice: Vec::new(), ..product.clone() };
        let losses = Losses::new(finite.discrete()?, budget)?;
        let parts = Parts { losses, listed, spreads };
        if parts.listed.len() + parts.spreads.len() > MOST_LAWS {
            return Err(Error::undecided("too many parts need to be divided into slices"));
        }
        // Is it a matter of few atoms?
        parts.law(false, DEPTH, budget)?;
        Ok(parts)
    }

    /// Parts that are cut.
    pub fn count(&self) -> u64 {
        self.listed.iter().map(|(_, times)| *times).sum::<u64>()
            + self.spreads.len() as u64
            + u64::from(self.losses.is_some())
    }

    /// Their law under the first distribution, or backwards that of minus the loss under the second. What is not
    /// listed has less than about `2^-depth`.
    pub fn law(&self, backward: bool, depth: u32, budget: &Budget) -> Result<Law, Error> {
        let mut sum = Sum::new();
        let mut lists: Vec<Vec<Atom>> = Vec::new();
        if let Some(losses) = &self.losses {
            let listing = losses.listing(backward, BITS, budget)?;
            lists.push(
                listing.atoms.iter().map(|atom| (atom.loss.enclosure(BITS), atom.mass.enclosure(BITS))).collect(),
            );
            sum.fail(&losses.infinite(backward, BITS)?, 1);
        }
        for (law, times) in &self.listed {
            let one = sum.listed(law.as_ref(), *times, (backward, depth), budget)?;
            let all = one.len() as f64;
            // Multisets of so many are counted before they are formed, as far as there may be; each takes all runs.
            let runs = 0..(*times).min(MOST_ATOMS);
            let sets = runs.fold(1.0, |count, i| count * (all + i as f64) / (i as f64 + 1.0)).max(*times as f64);
            if sets > MOST_ATOMS as f64 && *times <= MOST_BOXES {
                lists.extend((0..*times).map(|_| one.clone()));
                continue;
            }
            few(sets, budget)?;
            lists.push(power(&one, *times, budget)?);
        }
        lists.sort_by_key(Vec::len);
        let mut parts = Vec::new();
        let mut together: Vec<Atom> = vec![(Enclosure::zero(BITS), Enclosure::one(BITS))];
        for list in lists {
            if together.len() as u64 * list.len() as u64 > MOST_ATOMS {
                parts.push(Part::new(List::new(std::mem::take(&mut together), budget)?, None, backward));
                together = list;
            } else {
                together = product(&together, &list, budget)?;
            }
        }
        parts.push(Part::new(List::new(together, budget)?, None, backward));
        for law in &self.spreads {
            let list = sum.listed(law.as_ref(), 1, (backward, depth), budget)?;
            parts.push(Part::new(List::new(list, budget)?, Some(Arc::clone(law)), backward));
        }
        few(parts.iter().map(|part| part.len() as f64).fold(0.0, f64::max), budget)?;
        Ok(Law::new(parts, sum.infinite(), sum.missing))
    }
}

/// May so many atoms be listed?
fn few(count: f64, budget: &Budget) -> Result<(), Error> {
    budget.afford(&Need {
        what: "privacy losses of a part that is cut",
        count: count.min(1e18) as u64,
        most: MOST_ATOMS,
        bytes: 0,
        relax: "try fewer compositions",
    })
}

/// What all parts fail with, and what is not listed of them.
struct Sum {
    kept: Enclosure,
    fails: bool,
    missing: Enclosure,
}

impl Sum {
    fn new() -> Self {
        Sum { kept: Enclosure::zero(BITS), fails: false, missing: Enclosure::zero(BITS) }
    }

    /// `ln` of the mass that is not at infinity.
    fn fail(&mut self, infinite: &Number, times: u64) {
        if infinite.exact().is_some_and(|mass| mass.is_zero()) {
            return;
        }
        self.fails = true;
        let times = Enclosure::integer(&times.into(), BITS);
        self.kept = &self.kept + &(&(-infinite.enclosure(BITS)).log1p() * &times);
    }

    /// `1 - prod (1 - m_i)`.
    fn infinite(&self) -> Enclosure {
        if self.fails { -self.kept.expm1() } else { Enclosure::zero(BITS) }
    }

    /// The atoms of one run of a law; masses not listed add up over the runs.
    fn listed(
        &mut self,
        law: &dyn LossLaw,
        times: u64,
        (backward, depth): (bool, u32),
        budget: &Budget,
    ) -> Result<Vec<Atom>, Error> {
        let sides = if backward { Sides::Second } else { Sides::First };
        let atoms = law.atoms(BITS, depth.saturating_add(16), sides, budget)?;
        let (infinite, missing) =
            if backward { (&atoms.infinite_q, &atoms.missing_q) } else { (&atoms.infinite_p, &atoms.missing_p) };
        self.fail(infinite, times);
        let missing = &missing.with_bits(BITS) * &Enclosure::integer(&times.into(), BITS);
        self.missing = &self.missing + &missing;
        let turned = |atom: &crate::compose::grid::Atom| {
            if backward { (-&atom.loss, atom.q.clone()) } else { (atom.loss.clone(), atom.p.clone()) }
        };
        Ok(atoms.list.iter().map(turned).filter(|(_, mass)| *mass.upper() > 0).collect())
    }
}

/// All sums of one atom of either list.
fn product(a: &[Atom], b: &[Atom], budget: &Budget) -> Result<Vec<Atom>, Error> {
    let mut all = Vec::with_capacity(a.len() * b.len());
    for (loss, mass) in a {
        budget.check()?;
        all.extend(b.iter().map(|(other, factor)| (loss + other, mass * factor)));
    }
    Ok(all)
}

/// So many runs of one list, by multisets: `n!/(i_1! ... i_k!) m_1^(i_1) ... m_k^(i_k)`.
fn power(one: &[Atom], times: u64, budget: &Budget) -> Result<Vec<Atom>, Error> {
    let mut all: Vec<(Atom, u64)> = vec![((Enclosure::zero(BITS), Enclosure::one(BITS)), times)];
    let last = one.len().saturating_sub(1);
    for (place, (loss, mass)) in one.iter().enumerate() {
        budget.check()?;
        let mut next = Vec::with_capacity(all.len());
        for ((sum, weight), left) in all {
            let (mut loss_so_far, mut weight) = (sum, weight);
            for i in 0..=left {
                if place < last || i == left {
                    next.push(((loss_so_far.clone(), weight.clone()), left - i));
                }
                if i < left {
                    loss_so_far = &loss_so_far + loss;
                    // C(left, i+1) from C(left, i).
                    let count = Enclosure::rational(&rug::Rational::from((left - i, i + 1)), BITS);
                    weight = &(&weight * mass) * &count;
                }
            }
        }
        all = next;
    }
    Ok(all.into_iter().map(|(atom, _)| atom).collect())
}
