//! Compositions outcome by outcome, as polynomials: for all epsilon and delta at once.
//!
//! The worst (epsilon, delta) pair of Kairouz, Oh and Viswanath, equation (25), has four outcomes, with losses "only
//! P", epsilon, -epsilon and "only Q". Its product is formed outcome by outcome, without a binomial coefficient; the
//! masses are polynomials in x and d over `(1+x)^k`.

use std::collections::BTreeMap;

use rug::Rational;

use super::algebra::{Fraction, Polynomial};
use crate::error::Error;

/// The variable `x = e^epsilon`.
pub const X: usize = 0;
/// The variable `d = delta`.
pub const D: usize = 1;
/// Their names.
pub const NAMES: [&str; 2] = ["x", "d"];

/// The loss of an outcome, in units of epsilon. Largest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Only Q gives it.
    OnlyQ,
    /// A multiple of epsilon.
    Times(i64),
    /// Only P gives it.
    OnlyP,
}

/// The masses under P and Q of all outcomes with the same loss, in multiples of `1/(1+x)^k`.
#[derive(Clone, Debug)]
pub struct Composition {
    /// How many mechanisms.
    pub k: u32,
    masses: BTreeMap<Loss, (Polynomial, Polynomial)>,
}

fn constant(value: i64) -> Polynomial {
    Polynomial::constant(&Rational::from(value))
}

/// `1 + x`.
fn one_plus_x() -> Polynomial {
    constant(1).add(&Polynomial::variable(X))
}

/// The four outcomes of one mechanism: loss, mass under P, mass under Q.
fn outcomes(delta: &Polynomial) -> [(Loss, Polynomial, Polynomial); 4] {
    let kept = constant(1).sub(delta);
    let more = kept.mul(&Polynomial::variable(X));
    let lost = delta.mul(&one_plus_x());
    [
        (Loss::OnlyP, lost.clone(), constant(0)),
        (Loss::Times(1), more.clone(), kept.clone()),
        (Loss::Times(-1), kept, more),
        (Loss::OnlyQ, constant(0), lost),
    ]
}

impl Composition {
    /// k mechanisms, each with a delta that is the variable d.
    pub fn new(k: u32) -> Self {
        Self::with_delta(k, &Polynomial::variable(D))
    }

    /// k mechanisms with delta 0.
    pub fn pure(k: u32) -> Self {
        Self::with_delta(k, &constant(0))
    }

    fn with_delta(k: u32, delta: &Polynomial) -> Self {
        let one = outcomes(delta);
        let mut masses = BTreeMap::from([(Loss::Times(0), (constant(1), constant(1)))]);
        for _ in 0..k {
            let mut next: BTreeMap<Loss, (Polynomial, Polynomial)> = BTreeMap::new();
            for (loss, (p, q)) in &masses {
                for (own, r, s) in &one {
                    let sum = match (loss, own) {
                        (Loss::Times(a), Loss::Times(b)) => Loss::Times(a + b),
                        // Neither distribution gives both.
                        (Loss::OnlyP, Loss::OnlyQ) | (Loss::OnlyQ, Loss::OnlyP) => continue,
                        (Loss::OnlyP, _) | (_, Loss::OnlyP) => Loss::OnlyP,
                        (Loss::OnlyQ, _) | (_, Loss::OnlyQ) => Loss::OnlyQ,
                    };
                    let mass = next.entry(sum).or_default();
                    *mass = (mass.0.add(&p.mul(r)), mass.1.add(&q.mul(s)));
                }
            }
            masses = next;
        }
        Composition { k, masses }
    }

    /// A polynomial over `(1+x)^k`.
    fn over(&self, numerator: &Polynomial) -> Result<Fraction, Error> {
        let denominator = Fraction::whole(one_plus_x()).power(self.k);
        Fraction::whole(numerator.clone()).div(&denominator)
    }

    /// The losses, from the largest, with their masses under P and Q.
    pub fn losses(&self) -> Result<Vec<(Loss, Fraction, Fraction)>, Error> {
        let all = self.masses.iter().rev();
        all.map(|(loss, (p, q))| Ok((*loss, self.over(p)?, self.over(q)?))).collect()
    }

    /// The profile at `c = x^n`, or at any c between `x^n` and `x^(n+1)`: `sum (p - c q)` over losses above n.
    pub fn profile(&self, n: i64, c: &Fraction) -> Result<Fraction, Error> {
        let above = self.losses()?.into_iter().filter(|(loss, _, _)| *loss > Loss::Times(n));
        Ok(above.fold(Fraction::integer(0), |sum, (_, p, q)| sum.add(&p.sub(&c.mul(&q)))))
    }

    /// The vertices of the trade-off function: what is rejected are the least losses, those of Q's outcomes first.
    pub fn vertices(&self) -> Result<Vec<(Fraction, Fraction)>, Error> {
        let (mut alpha, mut beta) = (Fraction::integer(0), Fraction::integer(1));
        let mut vertices = Vec::new();
        for (_, p, q) in self.losses()?.into_iter().rev() {
            (alpha, beta) = (alpha.add(&p), beta.sub(&q));
            vertices.push((alpha.clone(), beta.clone()));
        }
        Ok(vertices)
    }
}

/// `x^n`.
pub fn x_power(n: i64) -> Result<Fraction, Error> {
    let power = Fraction::variable(X).power(u32::try_from(n.unsigned_abs()).unwrap_or(u32::MAX));
    if n < 0 { Fraction::integer(1).div(&power) } else { Ok(power) }
}
