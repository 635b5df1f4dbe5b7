//! Laplace noise against itself shifted: two atoms, and an exponential density between them.

use std::cmp::Ordering;

use super::{Atom, Atoms, LossLaw, Sides, Spread};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// Laplace noise, the shift in units of its scale: `c = sensitivity/scale`.
///
/// Under P the loss is c with mass 1/2, -c with mass `e^(-c)/2`, and has the density `e^((y-c)/2)/4` between; the law
/// of minus the loss under Q is the same.
#[derive(Clone, Debug)]
pub struct Laplace {
    shift: Real,
}

impl Laplace {
    /// For a positive shift.
    pub fn new(shift: Real) -> Result<Self, Error> {
        if shift.sign() != Some(Ordering::Greater) {
            return Err(Error::input(format!("the shift of Laplace noise must be positive, not {shift}")));
        }
        Ok(Laplace { shift })
    }
}

impl LossLaw for Laplace {
    fn name(&self) -> String {
        format!("laplace(scale=1, sensitivity={})", self.shift)
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn atoms(&self, bits: u32, _depth: u32, _sides: Sides, _budget: &Budget) -> Result<Atoms, Error> {
        let loss = self.shift.enclosure(bits);
        let half = Enclosure::one(bits).shift(-1);
        let low = (-&loss).exp().shift(-1);
        let list =
            vec![Atom { loss: loss.clone(), p: half.clone(), q: low.clone() }, Atom { loss: -loss, p: low, q: half }];
        let none = Enclosure::zero(bits);
        Ok(Atoms {
            list,
            infinite_p: Number::zero(),
            infinite_q: Number::zero(),
            missing_p: none.clone(),
            missing_q: none,
        })
    }

    fn spread(&self) -> Option<&dyn Spread> {
        Some(self)
    }
}

impl Spread for Laplace {
    fn ends(&self, bits: u32) -> (Enclosure, Enclosure) {
        let end = self.shift.enclosure(bits);
        (-&end, end)
    }

    /// `P = (e^((b-c)/2) - e^((a-c)/2))/2`, `Q = (e^(-(a+c)/2) - e^(-(b+c)/2))/2`.
    fn between(&self, low: &Enclosure, high: &Enclosure, bits: u32) -> (Enclosure, Enclosure) {
        let (first, last) = self.ends(bits);
        let (a, b) = (low.max(&first).min(&last), high.min(&last).max(&first));
        // e^x - e^y = e^y (e^(x-y) - 1)
        let width = (&b - &a).shift(-1);
        let p = (&(&a - &last).shift(-1).exp() * &width.expm1()).shift(-1);
        let q = (&(-(&a + &last)).shift(-1).exp() * &-(-&width).expm1()).shift(-1);
        (p.positive_part(), q.positive_part())
    }
}
