//! Means of functions of the composed loss that no sum over the steps gives, each by the trapezoid rule on one line.
//!
//! | mean | line | file |
//! |---|---|---|
//! | of `1/cosh(L/2)` and of an entropy, under `sqrt(PQ)` | `Re s = -1/2` | `overlap` |
//! | `E (c - L)_+^3`, `E (e^(c-L) - 1)_+^2` | left of all poles | `one_sided` |
//!
//! The last two are sums, without a line, of Laplace noise alone and of few losses that are on no lattice.
//!
//! All that is asked of a composition is `M(s) = E_P[e^(sL); L < infinity]`, the product of the factors', and bounds of
//! it. Paper proof: `proofs/paper/functionals.md`.

mod one_sided;
mod overlap;
mod plan;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rug::Rational;

use self::one_sided::Line;
use super::assemble::{self, Factors};
use super::factor::{Factor, LatticeSpan, Reversed};
use crate::alarm::declined;
use crate::compose::Laplace;
use crate::compose::choose::Refusal;
use crate::compose::mixture::Losses;
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::Product;
use enclosure::{Budget, Enclosure, Real};

/// What is averaged under `sqrt(PQ)`, whose mass is the affinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// `1/cosh(l/2)`: `sum 2pq/(p+q)`.
    Harmonic,
    /// `2 cosh(l/2) ln(2 cosh(l/2)) - l sinh(l/2)`: `sum p ln((p+q)/p) + q ln((p+q)/q)`.
    Entropy,
}

/// What is averaged of the losses below c, with `t = c - l`.
#[derive(Clone, Debug)]
pub enum Below {
    /// `t^3`, given `E (c - L)^j` for j = 1, 2, 3.
    Cube([Enclosure; 3]),
    /// `(e^t - 1)^2`, of losses that are finite under both distributions.
    Square,
}

/// A composition as its means see it.
pub struct Means {
    factors: Factors,
    /// The probability that no step fails outright, of those that do nothing else.
    kept: Vec<(Real, u64)>,
    span: Option<LatticeSpan>,
    /// Laplace noise alone has sums.
    laplace: Option<Laplace>,
    /// Finitely many losses on no lattice, while they are few, and whether they are taken backward.
    list: Option<(Losses, bool)>,
}

impl Means {
    /// Of what has a moment generating function here, in one direction; `None` of what has none.
    ///
    /// # Errors
    /// [`Error::Undecided`] for lists that are too long.
    pub fn of(product: &Product, direction: Direction, budget: &Budget) -> Result<Option<Self>, Error> {
        let mut factors = match assemble::factors(product) {
            Ok(factors) => factors,
            Err(Refusal::OtherKind) => return Ok(None),
            Err(Refusal::Unable(error)) => return Err(error),
        };
        if direction == Direction::Backward {
            for (factor, _) in &mut factors {
                let reversed: Arc<dyn Factor> = Arc::new(Reversed(Arc::clone(factor)));
                *factor = reversed;
            }
        }
        let span = super::engine::common_span(&factors);
        let kept = product.failures.iter().map(|(delta, times)| (Real::one().sub(delta), *times)).collect();
        let alone = product.laplace.len() == factors.len() && !factors.is_empty();
        let laplace = if alone { declined(Laplace::of_several(product.laplace.clone()))? } else { None };
        let laplace = laplace.filter(Laplace::has_means);
        let finite = product.discrete()?;
        let list = if span.is_none() && finite.len() == factors.len() {
            declined(Losses::new(finite, budget))?.flatten()
        } else {
            None
        };
        let list = list.map(|list| (list, direction == Direction::Backward));
        Ok(Some(Means { factors, kept, span, laplace, list }))
    }

    /// The mean under `sqrt(PQ)`, which is the same in both directions; off by about `2^-bits`.
    ///
    /// # Errors
    /// Those of the factors' values.
    pub fn overlap(&self, of: Overlap, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let mean = overlap::mean(&self.factors, of, bits, budget)?;
        Ok(self.kept.iter().fold(mean, |mean, (kept, times)| {
            let wide = bits.saturating_add(64);
            mean * kept.enclosure(wide).pow(*times)
        }))
    }

    /// Does nothing fall but the kernel of a mean? Then each bit costs nodes, and there are few.
    pub fn is_lasting(&self) -> bool {
        self.laplace.is_none()
            && self.list.is_none()
            && self.span.is_none()
            && !self.factors.iter().any(|(factor, _)| factor.decays())
    }

    /// The mean under P over the losses below `centre`, all losses being finite under P; off by about `2^-bits` of
    /// `scale`, the logarithm of a number, or by more where that takes too many nodes.
    ///
    /// # Errors
    /// [`Error::Undecided`] where even a few bits do; those of the factors' values.
    pub fn below(
        &self,
        of: &Below,
        centre: &Rational,
        (scale, bits): (f64, u32),
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        if let Some(laplace) = &self.laplace
            && let Some(value) = laplace.below(of, centre, (scale, bits), budget)?
        {
            return Ok(value);
        }
        if let Some((list, backward)) = &self.list {
            return listed(list, *backward, of, centre, bits, budget);
        }
        // Who asks for many has had those that there are.
        let most = if bits > WANTED_BITS { ENOUGH_BITS } else { MOST_BITS };
        let mut bits = if self.is_lasting() { bits.min(most) } else { bits };
        loop {
            budget.check()?;
            let line = Line { factors: &self.factors, span: self.span.as_ref(), of, centre };
            match line.mean(scale, bits, budget) {
                Err(Error::Undecided(_)) if bits > FEWEST_BITS => bits = (bits * 3 / 4).max(FEWEST_BITS),
                mean => return mean,
            }
        }
    }
}

/// The sum over all losses below the centre, no term of which is negative.
fn listed(
    list: &Losses,
    backward: bool,
    of: &Below,
    centre: &Rational,
    bits: u32,
    budget: &Budget,
) -> Result<Enclosure, Error> {
    let wide = bits.saturating_add(64);
    let centre = Enclosure::rational(centre, wide);
    let listing = list.listing(backward, wide, budget)?;
    let mut sum = Enclosure::zero(wide);
    for (place, atom) in listing.atoms.iter().enumerate() {
        if place.is_multiple_of(256) {
            budget.check()?;
        }
        let below = (&centre - &atom.loss.enclosure(wide)).positive_part();
        let value = match of {
            Below::Cube(_) => below.pow(3),
            Below::Square => below.expm1().square(),
        };
        sum = sum + atom.mass.enclosure(wide) * value;
    }
    Ok(sum)
}

/// Of what does not decay so many bits are tried, while not more than these are wanted; and else so many.
const MOST_BITS: u32 = 64;
const WANTED_BITS: u32 = 80;
const ENOUGH_BITS: u32 = 32;
/// Fewer bits than this are not tried.
const FEWEST_BITS: u32 = 24;
