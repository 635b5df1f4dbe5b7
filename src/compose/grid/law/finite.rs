//! Finitely many losses.

use std::cmp::Ordering;

use rug::Rational;

use super::{Atom, Atoms, LossLaw, Sides};
use crate::compose::subsampled::Outcomes;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// The worst (epsilon, delta)-DP pair.
#[derive(Clone, Debug)]
pub struct TwoPoints {
    epsilon: Real,
    delta: Real,
}

impl TwoPoints {
    /// For `epsilon >= 0` and delta a probability.
    pub fn new(epsilon: Real, delta: Real) -> Result<Self, Error> {
        if epsilon.sign() == Some(Ordering::Less) {
            return Err(Error::input(format!("epsilon must not be negative, but it is {epsilon}")));
        }
        crate::compose::leak::check_probability(&delta, "delta", &Budget::default())?;
        Ok(TwoPoints { epsilon, delta })
    }
}

impl LossLaw for TwoPoints {
    fn name(&self) -> String {
        format!("approx-dp(epsilon={}, delta={})", self.epsilon, self.delta)
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn largest(&self, _backward: bool, bits: u32) -> Result<Option<Enclosure>, Error> {
        Ok(Some(self.epsilon.enclosure(bits)))
    }

    fn atoms(&self, bits: u32, _depth: u32, _sides: Sides, _budget: &Budget) -> Result<Atoms, Error> {
        let delta = self.delta.number(bits);
        let kept = (&Number::one() - &delta).enclosure(bits);
        let loss = self.epsilon.enclosure(bits);
        // e^eps/(1 + e^eps) = 1/(1 + e^-eps)
        let one = Enclosure::one(bits);
        let down = (-&loss).exp();
        let high = &kept / &(&one + &down);
        let low = &high * &down;
        let list =
            vec![Atom { loss: loss.clone(), p: high.clone(), q: low.clone() }, Atom { loss: -loss, p: low, q: high }];
        let none = Enclosure::zero(bits);
        Ok(Atoms { list, infinite_p: delta.clone(), infinite_q: delta, missing_p: none.clone(), missing_q: none })
    }
}

/// A finite pair of rational distributions, or a sample of one.
#[derive(Clone)]
pub struct FinitePair {
    name: String,
    source: Source,
}

#[derive(Clone)]
enum Source {
    Masses(Vec<(Rational, Rational)>),
    Sample(crate::compose::subsampled::Discrete),
}

impl FinitePair {
    /// From masses outcome by outcome, which add up to one on either side.
    pub fn new(p: &[Rational], q: &[Rational]) -> Result<Self, Error> {
        let pair = crate::curve::FinitePair::new(p.to_vec(), q.to_vec())?;
        let masses = pair.p().iter().cloned().zip(pair.q().iter().cloned()).collect();
        Ok(FinitePair { name: "finite pair".into(), source: Source::Masses(masses) })
    }

    /// A sample of a mechanism with finitely many losses.
    pub fn sample(sample: crate::compose::subsampled::Discrete) -> Self {
        FinitePair { name: "sample with finitely many losses".into(), source: Source::Sample(sample) }
    }
}

impl LossLaw for FinitePair {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn symmetric(&self) -> bool {
        false
    }

    fn largest(&self, backward: bool, bits: u32) -> Result<Option<Enclosure>, Error> {
        let atoms = self.atoms(bits, bits, Sides::Both, &Budget::default())?;
        let losses = atoms.list.into_iter().map(|atom| if backward { -atom.loss } else { atom.loss });
        Ok(losses.reduce(|a, b| a.max(&b)))
    }

    fn atoms(&self, bits: u32, _depth: u32, _sides: Sides, budget: &Budget) -> Result<Atoms, Error> {
        let none = Enclosure::zero(bits);
        let mut atoms = Atoms {
            list: Vec::new(),
            infinite_p: Number::zero(),
            infinite_q: Number::zero(),
            missing_p: none.clone(),
            missing_q: none,
        };
        match &self.source {
            Source::Masses(masses) => {
                for (p, q) in masses {
                    budget.check()?;
                    match (p.is_zero(), q.is_zero()) {
                        (true, true) => {}
                        (false, true) => atoms.infinite_p = &atoms.infinite_p + &Number::Exact(p.clone()),
                        (true, false) => atoms.infinite_q = &atoms.infinite_q + &Number::Exact(q.clone()),
                        (false, false) => {
                            // Relative accuracy near loss zero too.
                            let excess = Rational::from(p / q) - 1_u32;
                            atoms.list.push(Atom {
                                loss: Enclosure::rational(&excess, bits).log1p(),
                                p: Enclosure::rational(p, bits),
                                q: Enclosure::rational(q, bits),
                            });
                        }
                    }
                }
            }
            Source::Sample(sample) => {
                let Outcomes { finite, infinite } = sample.outcomes(bits)?;
                atoms.infinite_p = infinite;
                let listed = finite.into_iter();
                atoms.list.extend(listed.map(|one| Atom {
                    loss: one.loss,
                    p: one.p.enclosure(bits),
                    q: one.q.enclosure(bits),
                }));
            }
        }
        Ok(atoms)
    }
}
