//! Two rational distributions on the same finite set of outcomes.

use rug::Rational;

use super::Discrete;
use crate::error::Error;
use enclosure::Real;

/// A pair (P, Q) of distributions on outcomes `0, 1, ..., n-1`, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinitePair {
    p: Vec<Rational>,
    q: Vec<Rational>,
}

impl FinitePair {
    /// The pair with these masses; fails unless both lists are distributions on the same outcomes.
    pub fn new(p: Vec<Rational>, q: Vec<Rational>) -> Result<Self, Error> {
        if p.len() != q.len() {
            return Err(Error::input(format!(
                "p has {} outcomes and q has {}; both need a mass for each outcome (0 where there is none)",
                p.len(),
                q.len()
            )));
        }
        for (name, masses) in [("p", &p), ("q", &q)] {
            if let Some((i, mass)) = masses.iter().enumerate().find(|(_, mass)| mass.cmp0().is_lt()) {
                return Err(Error::input(format!("{name}[{i}] = {mass} is negative; masses must be at least 0")));
            }
            let total: Rational = masses.iter().sum();
            if total != 1 {
                return Err(Error::input(format!("the masses of {name} sum to {total}, not to 1")));
            }
        }
        Ok(FinitePair { p, q })
    }

    /// The worst pair that (epsilon, delta)-DP allows, with `x = e^epsilon >= 1`: outcomes "it is P", two answers of a
    /// randomized response, "it is Q". Its trade-off function is exactly `f_{epsilon, delta}`.
    ///
    /// Kairouz, Oh, Viswanath, equation (25).
    pub fn approximate_dp(x: &Rational, delta: &Rational) -> Result<Self, Error> {
        if *x < 1 {
            return Err(Error::Undefined(format!("epsilon must be at least 0, but e^epsilon = {x} is below 1")));
        }
        if delta.cmp0().is_lt() || *delta > 1 {
            return Err(Error::Undefined(format!("delta must be between 0 and 1, not {delta}")));
        }
        let pair = Discrete::response(Real::from(x.clone()).ln()?, Real::from(delta.clone()))?.fractions()?;
        pair.ok_or_else(|| {
            Error::Undefined(format!("no worst-case pair in fractions at e^epsilon = {x}, delta = {delta}"))
        })
    }

    /// The masses of P.
    pub fn p(&self) -> &[Rational] {
        &self.p
    }

    /// The masses of Q.
    pub fn q(&self) -> &[Rational] {
        &self.q
    }

    /// The masses of both, outcome by outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (&Rational, &Rational)> {
        self.p.iter().zip(&self.q)
    }

    /// Is the likelihood ratio p/q finite and the same at all outcomes with `p > 0`? The privacy loss under P is a
    /// constant then.
    pub fn has_constant_loss(&self) -> bool {
        let mut possible = self.outcomes().filter(|(p, _)| !p.is_zero());
        let Some((p, q)) = possible.next() else { return false };
        !q.is_zero() && possible.all(|(other_p, other_q)| Rational::from(p * other_q) == Rational::from(other_p * q))
    }

    /// (Q, P).
    #[must_use]
    pub fn swapped(&self) -> Self {
        FinitePair { p: self.q.clone(), q: self.p.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_losses_are_recognised() {
        let constant = |p: &[(i64, i64)], q: &[(i64, i64)]| {
            FinitePair::new(list(p), list(q)).expect("distributions").has_constant_loss()
        };
        let (half, third, sixth) = ((1, 2), (1, 3), (1, 6));
        assert!(constant(&[half, half], &[half, half]));
        assert!(constant(&[half, half, (0, 1)], &[third, third, third]));
        assert!(!constant(&[half, half], &[third, (2, 3)]));
        // An infinite loss, alone or beside a finite one.
        assert!(!constant(&[(1, 1), (0, 1)], &[(0, 1), (1, 1)]));
        assert!(!constant(&[half, half, (0, 1)], &[third, (0, 1), (2, 3)]));
        assert!(!constant(&[half, third, sixth], &[half, sixth, third]));
    }

    fn list(masses: &[(i64, i64)]) -> Vec<Rational> {
        masses.iter().map(|&m| Rational::from(m)).collect()
    }

    #[test]
    fn only_distributions() {
        assert!(FinitePair::new(list(&[(1, 2), (1, 2)]), list(&[(1, 3), (2, 3)])).is_ok());
        assert!(FinitePair::new(list(&[(1, 2), (1, 2)]), list(&[(1, 1)])).is_err());
        assert!(FinitePair::new(list(&[(3, 2), (-1, 2)]), list(&[(1, 3), (2, 3)])).is_err());
        assert!(FinitePair::new(list(&[(1, 2), (1, 3)]), list(&[(1, 3), (2, 3)])).is_err());
        assert!(FinitePair::new(vec![], vec![]).is_err());
        assert!(FinitePair::new(list(&[(1, 2), (1, 3)]), list(&[(1, 2), (1, 2)])).is_err());
        assert!(FinitePair::new(list(&[(3, 2), (-1, 2)]), list(&[(1, 2), (1, 2)])).is_err());
        assert!(FinitePair::new(list(&[(1, 2), (1, 2)]), list(&[(1, 3), (1, 3), (1, 3)])).is_err());
    }
}
