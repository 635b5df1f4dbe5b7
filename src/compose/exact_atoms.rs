//! A finite pair in exact fractions.

use rug::{Integer, Rational};

/// A finite pair in exact fractions: numerators over one denominator, by falling loss.
#[derive(Clone, Debug)]
pub(super) struct ExactAtoms {
    atoms: Vec<(Integer, Integer)>,
    whole: Integer,
}

impl ExactAtoms {
    /// From any order.
    pub(super) fn new(mut atoms: Vec<(Integer, Integer)>, whole: Integer) -> Self {
        atoms.retain(|(p, q)| *p != 0 || *q != 0);
        atoms.sort_by(|a, b| Integer::from(&b.0 * &a.1).cmp(&Integer::from(&a.0 * &b.1)));
        ExactAtoms { atoms, whole }
    }

    /// The same pair with P and Q exchanged.
    pub(super) fn reversed(&self) -> Self {
        let atoms = self.atoms.iter().rev().map(|(p, q)| (q.clone(), p.clone())).collect();
        ExactAtoms { atoms, whole: self.whole.clone() }
    }

    /// `sum (p - X q)_+`.
    pub(super) fn profile(&self, x: &Rational) -> Rational {
        let mut sum = Integer::new();
        for (p, q) in &self.atoms {
            let excess = Integer::from(p * x.denom()) - Integer::from(q * x.numer());
            if excess <= 0 {
                break;
            }
            sum += excess;
        }
        Rational::from((sum, Integer::from(&self.whole * x.denom())))
    }

    /// The least `X >= 1` with profile at most the level: the largest of all `(P(S) - D)/Q(S)`; `None` for infinity.
    pub(super) fn inverse(&self, level: &Rational) -> Option<Rational> {
        let (mut p_sum, mut q_sum) = (Integer::new(), Integer::new());
        let mut best = Rational::from(1);
        let target = Rational::from(level * &self.whole);
        for (p, q) in &self.atoms {
            p_sum += p;
            q_sum += q;
            if q_sum == 0 {
                if p_sum > target {
                    return None;
                }
                continue;
            }
            let candidate = Rational::from(&p_sum - &target) / &q_sum;
            if candidate > best {
                best = candidate;
            }
        }
        Some(best)
    }

    /// The least Q-mass of a test that accepts P-mass `mass`.
    pub(super) fn least_mass(&self, mass: &Rational) -> Rational {
        let mut left = Rational::from(mass * &self.whole);
        let mut accepted = Rational::new();
        for (p, q) in &self.atoms {
            if left <= 0 {
                break;
            }
            if *p == 0 {
                continue;
            }
            if left >= *p {
                left -= p;
                accepted += q;
            } else {
                accepted += Rational::from(&left * q) / p;
                left = Rational::new();
            }
        }
        accepted / &self.whole
    }
}
