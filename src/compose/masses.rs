//! Pairs of distributions with finitely many finite losses: their masses, which engines share.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::Rational;

use crate::error::Error;
use enclosure::{Number, Real};

/// The masses of a pair at one precision.
#[derive(Clone, Debug)]
pub struct Masses {
    /// P-masses of the finite losses, in the order in which the losses are listed; on a lattice, from the least loss up.
    pub p: Vec<Number>,
    /// P-mass where Q has none (loss plus infinity).
    pub infinite_p: Number,
    /// Q-mass where P has none (loss minus infinity).
    pub infinite_q: Number,
}

impl Masses {
    /// Can these be the masses of two distributions, where the finite losses are these? Q has `p e^(-loss)`. Masses
    /// that are not exact are taken for what encloses them: only a certain no is one.
    pub(super) fn is_pair(&self, losses: &[Real], bits: u32) -> bool {
        let likelihood = |loss: &Real| (-loss.enclosure(bits.saturating_add(64))).exp().with_bits(bits);
        let q: Vec<Number> =
            self.p.iter().zip(losses).map(|(p, loss)| p * &Number::Enclosed(likelihood(loss))).collect();
        [(&self.p, &self.infinite_p), (&q, &self.infinite_q)].into_iter().all(|(masses, infinite)| {
            let total = masses.iter().fold(infinite.clone(), |sum, mass| &sum + mass);
            let one = match &total {
                Number::Exact(total) => *total == 1,
                Number::Enclosed(total) => total.contains(&Rational::from(1)),
            };
            one && masses.iter().chain([infinite]).all(|mass| mass.sign() != Some(Ordering::Less))
        })
    }
}

/// Masses by precision: each call encloses the same numbers.
pub(super) type MassFunction = Arc<dyn Fn(u32) -> Result<Masses, Error> + Send + Sync>;

/// A finite pair of rational distributions by its losses.
pub(super) struct FinitePair {
    /// The finite losses `ln(p/q)`, one for each outcome that both have.
    pub losses: Vec<Real>,
    /// Their P-masses.
    pub p: Vec<Rational>,
    /// P-mass where Q has none.
    pub infinite_p: Rational,
    /// Q-mass where P has none.
    pub infinite_q: Rational,
}

impl FinitePair {
    /// From the probabilities of the same outcomes.
    ///
    /// # Errors
    /// [`Error::Input`] unless both are distributions on as many outcomes.
    pub(super) fn new(p: &[Rational], q: &[Rational]) -> Result<Self, Error> {
        crate::curve::FinitePair::new(p.to_vec(), q.to_vec())?;
        let (mut losses, mut masses) = (Vec::new(), Vec::new());
        let (mut infinite_p, mut infinite_q) = (Rational::new(), Rational::new());
        for (p, q) in p.iter().zip(q) {
            match (p.cmp0(), q.cmp0()) {
                (Ordering::Greater, Ordering::Greater) => {
                    losses.push(Real::from(Rational::from(p / q)).ln()?);
                    masses.push(p.clone());
                }
                (Ordering::Greater, _) => infinite_p += p,
                (_, Ordering::Greater) => infinite_q += q,
                _ => {}
            }
        }
        Ok(FinitePair { losses, p: masses, infinite_p, infinite_q })
    }

    /// The losses, and their masses, which are the same at each precision.
    pub(super) fn into_parts(self) -> (Vec<Real>, Masses) {
        let FinitePair { losses, p, infinite_p, infinite_q } = self;
        let p = p.into_iter().map(Number::Exact).collect();
        (losses, Masses { p, infinite_p: Number::Exact(infinite_p), infinite_q: Number::Exact(infinite_q) })
    }
}
