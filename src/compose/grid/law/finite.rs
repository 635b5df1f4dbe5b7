//! Finitely many losses.

use super::{Atom, Atoms, LossLaw, Sides};
use crate::error::Error;
use crate::pair::{Discrete, Law, Outcome, Outcomes};
use enclosure::{Budget, Enclosure};

/// A pair with finitely many losses.
#[derive(Clone, Debug)]
pub struct Finite(pub Discrete);

impl LossLaw for Finite {
    fn name(&self) -> String {
        match self.0.law() {
            Law::Response { epsilon, delta } => format!("approx-dp(epsilon={epsilon}, delta={delta})"),
            Law::Sample { .. } => "sample with finitely many losses".into(),
            Law::SymmetricLattice { .. } | Law::Rational(_) | Law::Listed(_) => self.0.kind().into(),
        }
    }

    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }

    fn atoms(&self, bits: u32, _depth: u32, _sides: Sides, budget: &Budget) -> Result<Atoms, Error> {
        budget.check()?;
        let none = Enclosure::zero(bits);
        let Outcomes { finite, infinite_p, infinite_q } = self.0.outcomes(bits)?;
        let atom = |Outcome { loss, p, q }| Atom { loss, p: p.enclosure(bits), q: q.enclosure(bits) };
        let list = finite.into_iter().map(atom).collect();
        Ok(Atoms { list, infinite_p, infinite_q, missing_p: none.clone(), missing_q: none })
    }
}
