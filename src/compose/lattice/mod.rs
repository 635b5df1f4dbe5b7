//! Compositions of pairs whose losses lie on lattices with a common refinement.
//!
//! Randomised response, geometric and staircase noise, discrete Gaussians, finite pairs with commensurable likelihood
//! ratios: their losses are whole multiples of a unit, up to a shift, and so are the losses of their compositions,
//! whatever is mixed. A composition is a convolution of arrays of masses. What it is made of, from the bottom up:
//!
//! | file | does |
//! |---|---|
//! | `pair` | one pair: its unit, its shift, its masses |
//! | `tilt` | the law of one loss with an exponential weight, in fixed point |
//! | `array` | convolution of such arrays, with one bound on all that is lost |
//! | `plan`, `build` | which products in which order, what they take; powers on the pair's own coarse lattice first |
//! | `tails` | P- and Q-masses of tails of the composition, by discounted sums |
//! | `tail` | profile, its inverse, trade-off function from tails |
//! | `exact` | all of it in rationals, when everything is rational |
//!
//! What is certified: every result encloses the profile, its inverse or the trade-off function of the composition (an
//! exact rational where all data are); see `proofs/paper/lattice-convolution.md`. Only the array of P-masses is needed:
//! a Q-mass is `p e^(-loss)`. Why the loops end: powers by repeated squaring, arrays whose size is estimated before, a
//! bounded number of tries with more bits.

mod array;
mod build;
mod exact;
mod pair;
mod plain;
mod plan;
mod search;
mod tail;
mod tails;
mod tilt;

use std::sync::Arc;

use rug::Rational;

use self::build::Composed;
pub use self::pair::LatticePair;
pub(super) use self::pair::Listing;
pub(super) use self::plain::Plain;
use super::exact_atoms::ExactAtoms;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Brief, Budget, Cache, Enclosure, Note, Number, Real};

/// Lattice points of one product.
pub(super) const MOST_POINTS: u64 = 1 << 28;

/// Masses by place.
pub(super) struct Listed {
    /// Places and their masses: each encloses a number that is at most the true mass.
    pub list: Vec<(i64, Enclosure)>,
    /// What all these numbers may lack, in sum.
    pub missing: Enclosure,
}

/// A composition of lattice pairs.
#[derive(Clone)]
pub struct Lattice {
    composed: Arc<Composed>,
    symmetric: bool,
    convolved_exactly: Cache<(), Option<ExactAtoms>>,
}

impl Lattice {
    /// The composition of each pair so many times; their units must have rational ratios. `symmetric` promises
    /// `H(P||Q) = H(Q||P)` for the composition.
    ///
    /// # Errors
    /// [`Error::Undecided`] for units without a common refinement, or one too fine.
    pub fn new(parts: Vec<(LatticePair, u64)>, symmetric: bool) -> Result<Self, Error> {
        if parts.is_empty() {
            return Err(Error::input("a lattice composition requires at least one pair"));
        }
        Ok(Lattice { composed: Arc::new(Composed::new(parts)?), symmetric, convolved_exactly: Cache::new(1) })
    }

    /// The unit of all losses, which are whole multiples of it beyond a common shift.
    pub fn unit(&self) -> &Real {
        &self.composed.unit
    }

    /// The exact composition, if all masses and likelihood ratios are rational and all numerators together not too
    /// long.
    pub(super) fn exact(&self, budget: &Budget) -> Result<Arc<Option<ExactAtoms>>, Error> {
        let compose = || exact::compose_exactly(&self.composed.parts, &self.composed.strides, budget);
        self.convolved_exactly.get((), compose)
    }

    /// The loss that is zero units.
    pub(super) fn shift(&self) -> &Real {
        &self.composed.shift
    }

    /// Masses at plus infinity under P and at minus infinity under Q.
    pub(super) fn infinite_masses(&self, bits: u32) -> Result<(Number, Number), Error> {
        exact::infinite(&self.composed.parts, bits)
    }

    /// All masses by place, rounded down, with less than `2^-depth` left out in sum. Backwards: of minus the loss,
    /// under Q, by minus the place.
    pub(super) fn masses(&self, backward: bool, depth: u32, budget: &Budget) -> Result<Listed, Error> {
        let width = width_of(depth.saturating_add(self.composed.guard()));
        let key = build::Key { backward, tilt: Rational::new(), width, many: true };
        let tilting = self.composed.tilting(&key, budget)?;
        let listed = tilting.listed(budget)?;
        let (infinite, _) =
            exact::infinite(&self.composed.parts, 64).map(|(p, q)| if backward { (q, p) } else { (p, q) })?;
        if infinite.exact().is_some_and(Rational::is_zero) {
            return Ok(listed);
        }
        // What is stored totals one, whatever the mass of the finite losses is: each mass is a share of that.
        let finite = tilting.scale(0);
        let list = listed.list.into_iter().map(|(place, share)| (place, &share * &finite)).collect();
        Ok(Listed { list, missing: &listed.missing * &finite })
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    fn turned(atoms: &ExactAtoms, backward: bool) -> ExactAtoms {
        if backward { atoms.reversed() } else { atoms.clone() }
    }

    /// Mass at plus infinity under the first distribution and the mass that it lacks of the second.
    fn infinite(&self, backward: bool, bits: u32) -> Result<(Number, Number), Error> {
        let (p, q) = exact::infinite(&self.composed.parts, bits)?;
        Ok(if backward { (q, p) } else { (p, q) })
    }

    /// The profile of the finite losses alone: `sum (p - e^eps q)_+`.
    pub(super) fn profile(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        tail::profile(&self.composed, epsilon, false, bits, budget)
    }

    /// The least `eps >= 0` at which the profile of the finite losses is at most a level.
    pub(super) fn inverse(
        &self,
        level: &dyn Fn(u32) -> Enclosure,
        bits: u32,
        budget: &Budget,
    ) -> Result<Number, Error> {
        tail::inverse(&self.composed, level, false, bits, budget)
    }

    /// The trade-off function at an alpha strictly between 0 and 1, `rest = 1 - alpha`.
    pub(super) fn tradeoff(&self, alpha: &Number, rest: &Number, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let point = |bits: u32| (alpha.enclosure(bits), rest.enclosure(bits));
        tail::tradeoff(&self.composed, &point, false, bits, budget)
    }
}

/// Words for so many bits: at least one, and so few that their bits are a number of 32 bits.
fn width_of(bits: u32) -> usize {
    (bits.min(1 << 29) as usize).div_ceil(64).max(1)
}

/// Bits that `e^t` is above one.
pub(super) fn threshold_bits(threshold: &Real) -> u32 {
    let bits = threshold.to_f64() * std::f64::consts::LOG2_E;
    if bits > 0.0 { bits.min(1e9) as u32 + 1 } else { 0 }
}

impl Curve for Lattice {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// `sum (p - e^eps q)_+` over the lattice and the atom at infinity. See [`Edges`](super::Edges) for what is not
    /// asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        if let Some(x) = epsilon.exp_rational()
            && let Some(atoms) = self.exact(budget)?.as_ref()
        {
            return Ok(Number::Exact(Self::turned(atoms, backward).profile(&x)));
        }
        let (infinite, _) = self.infinite(backward, bits.saturating_add(16))?;
        Ok(&infinite + &tail::profile(&self.composed, epsilon, backward, bits.saturating_add(4), budget)?)
    }

    /// The least `eps >= 0` whose delta is at most the target, which is above the mass of the atom at infinity.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let backward = self.backward(direction);
        if let (Some(level), Some(atoms)) = (delta.as_rational(), self.exact(budget)?.as_ref()) {
            let wide = bits.saturating_add(32);
            return Ok(match Self::turned(atoms, backward).inverse(level) {
                None => Value::Infinite,
                Some(x) => Value::Finite(ln_of(&x, wide)),
            });
        }
        let level = |bits: u32| match self.infinite(backward, bits) {
            Ok((infinite, _)) => (&delta.number(bits) - &infinite).enclosure(bits),
            Err(_) => Enclosure::whole(bits),
        };
        tail::inverse(&self.composed, &level, backward, bits, budget).map(Value::Finite)
    }

    /// `T(P,Q)(alpha)`: the least Q-mass of a test that accepts P-mass `1 - alpha`.
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        if let (Some(alpha), Some(atoms)) = (alpha.as_rational(), self.exact(budget)?.as_ref()) {
            return Ok(Number::Exact(Self::turned(atoms, backward).least_mass(&Rational::from(1 - alpha))));
        }
        // The P-mass that is left for finite losses.
        let point = |bits: u32| {
            let alpha = alpha.number(bits);
            let infinite =
                self.infinite(backward, bits).map_or_else(|_| Number::Enclosed(Enclosure::whole(bits)), |x| x.0);
            let rest = &(&Number::one() - &alpha) - &infinite;
            (alpha.enclosure(bits), rest.enclosure(bits))
        };
        tail::tradeoff(&self.composed, &point, backward, bits, budget)
    }

    fn method(&self) -> &'static str {
        "lattice convolution"
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("unit of the privacy losses", Brief(&self.composed.unit))]
    }

    fn statement(&self) -> &'static Statement {
        &statement::LATTICE
    }
}

/// `ln x` of an exact fraction, `x >= 1`, with full relative accuracy also next to 1.
pub(super) fn ln_of(x: &Rational, bits: u32) -> Number {
    if *x == 1 {
        return Number::zero();
    }
    Number::Enclosed(Enclosure::rational(&Rational::from(x - 1_u32), bits).log1p())
}

#[cfg(test)]
mod tests;
