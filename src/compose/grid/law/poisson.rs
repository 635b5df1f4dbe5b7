//! A part on a Poisson sample: the mixture against the second distribution.

use std::cmp::Ordering;

use super::{Atom, Atoms, LossLaw, Sides, Spread};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// `P' = (1-r) Q + r P` and `Q' = Q`, of a part with (P, Q): the loss l becomes `ln(1 + r (e^l - 1))`.
///
/// The P-mass where Q has none is revealed with probability r; the Q-mass where P has none has the loss `ln(1-r)`.
pub struct Poisson {
    rate: Real,
    inner: Box<dyn LossLaw>,
    sampled: Sampled,
}

/// The part without atoms on the sample.
struct Sampled {
    rate: Real,
    inner: Option<Box<dyn LossLaw>>,
}

impl Poisson {
    /// For a rate strictly between 0 and 1. `again` gives the same law as `inner`.
    pub fn new(rate: Real, inner: impl LossLaw + Clone + 'static) -> Result<Self, Error> {
        let inside = [&rate, &Real::one().sub(&rate)].iter().all(|part| part.sign() == Some(Ordering::Greater));
        if !inside {
            return Err(Error::input(format!(
                "the sampling rate must be strictly between 0 and 1 on a grid, not {rate}"
            )));
        }
        let spread = inner.spread().is_some().then(|| Box::new(inner.clone()) as Box<dyn LossLaw>);
        Ok(Poisson { rate: rate.clone(), inner: Box::new(inner), sampled: Sampled { rate, inner: spread } })
    }
}

impl LossLaw for Poisson {
    fn name(&self) -> String {
        format!("poisson(rate={}, {})", self.rate, self.inner.name())
    }

    fn symmetric(&self) -> bool {
        false
    }

    fn atoms(&self, bits: u32, depth: u32, _sides: Sides, budget: &Budget) -> Result<Atoms, Error> {
        let inner = self.inner.atoms(bits, depth, Sides::Both, budget)?;
        let rate = self.rate.number(bits);
        let set = rate.enclosure(bits);
        let rest = Real::one().sub(&self.rate).enclosure(bits);
        let mix = |p: &Enclosure, q: &Enclosure| &(&rest * q) + &(&set * p);
        let sampled = |atom: &Atom| Atom {
            loss: (&set * &atom.loss.expm1()).log1p(),
            p: mix(&atom.p, &atom.q),
            q: atom.q.clone(),
        };
        let mut list: Vec<Atom> = inner.list.iter().map(sampled).collect();
        if inner.infinite_q.sign() != Some(Ordering::Equal) {
            let q = inner.infinite_q.enclosure(bits);
            list.push(Atom { loss: (-&set).log1p(), p: &rest * &q, q });
        }
        Ok(Atoms {
            list,
            infinite_p: &rate * &inner.infinite_p,
            infinite_q: Number::zero(),
            missing_p: mix(&inner.missing_p, &inner.missing_q),
            missing_q: inner.missing_q,
        })
    }

    fn spread(&self) -> Option<&dyn Spread> {
        self.sampled.inner.as_ref().map(|_| &self.sampled as &dyn Spread)
    }
}

impl Sampled {
    fn spread(&self) -> Option<&dyn Spread> {
        self.inner.as_ref().and_then(|inner| inner.spread())
    }
}

impl Spread for Sampled {
    fn ends(&self, bits: u32) -> (Enclosure, Enclosure) {
        let Some(inner) = self.spread() else { return (Enclosure::zero(bits), Enclosure::zero(bits)) };
        let (low, high) = inner.ends(bits);
        let rate = self.rate.enclosure(bits);
        let outer = |loss: &Enclosure| (&rate * &loss.expm1()).log1p();
        (outer(&low), outer(&high))
    }

    /// The loss grows with that inside, so what lies between is what lies between there: `l = ln(1 + (e^y - 1)/r)`.
    fn between(&self, low: &Enclosure, high: &Enclosure, bits: u32) -> (Enclosure, Enclosure) {
        let Some(inner) = self.spread() else { return (Enclosure::zero(bits), Enclosure::zero(bits)) };
        let rate = self.rate.enclosure(bits);
        let (first, last) = self.ends(bits);
        let (inner_first, inner_last) = inner.ends(bits);
        let inside = |y: &Enclosure| {
            // Clipped first: below ln(1-r) there is no inner loss.
            if *y.upper() <= *first.lower() {
                return inner_first.clone();
            }
            if *y.lower() >= *last.upper() {
                return inner_last.clone();
            }
            let inner = (&y.expm1() / &rate).log1p();
            inner.max(&inner_first).min(&inner_last)
        };
        let (p, q) = inner.between(&inside(low), &inside(high), bits);
        let rest = Real::one().sub(&self.rate).enclosure(bits);
        (&(&rest * &q) + &(&rate * &p), q)
    }
}
