//! The last iterate of noisy cyclic gradient descent (Bok, Su and Altschuler 2024, by shifted interpolation).
//!
//! **Mechanism.** `l = batches` batches in a fixed order, E epochs, each step a map that shrinks distances by the
//! factor `c = contraction` at least (of a strongly convex and smooth loss with rate eta `c = 1 - eta lambda`), and
//! Gaussian noise; `ratio` is the sensitivity of a step to one record divided by the standard deviation of its noise.
//! One record is in one batch of each epoch, and only the last iterate is released.
//!
//! **Pair.** `N(0, 1)`, `N(mu, 1)` with
//!
//! `mu^2 = ratio^2 (1 + c^(2l-2) (1-c^2)/(1-c^l)^2 (1 - c^(l(E-1)))/(1 + c^(l(E-1))))`,
//!
//! for `c = 1` its limit `ratio^2 (1 + (E-1)/l)`:
//! by the theorem the last iterate is mu-GDP, so answers are upper bounds for it.
//! (`proofs/paper/noisy-cgd.md`)

use rug::{Integer, Rational};

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Rational powers are formed up to this many bits.
const EXACT_BITS: u64 = 1 << 12;

/// Last iterate of noisy cyclic gradient descent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoisyCgd {
    epochs: u64,
    batches: u64,
    ratio: Real,
    contraction: Real,
}

impl NoisyCgd {
    pub(super) const ENTRY: Entry = Entry {
        name: "noisy-cgd",
        aliases: &[],
        summary: "last iterate of noisy cyclic gradient descent (batches in a fixed order) with contractive steps, \
                  bounded by a Gaussian pair",
        pair: "P = N(0, 1); Q = N(mu, 1), mu^2 = ratio^2 (1 + c^(2l-2) (1-c^2)/(1-c^l)^2 \
               (1-c^(l(E-1)))/(1+c^(l(E-1)))), l = batches, E = epochs, c = contraction",
        example: "noisy-cgd(epochs=50, batches=40, ratio=2/3, contraction=0.9999)",
        answers: "Answers are upper bounds, by shifted interpolation (Bok, Su, Altschuler 2024).",
        parameters: &[
            Parameter {
                name: "epochs",
                domain: Domain::Integer { least: 1 },
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "number of passes over the data, an integer of at least 1",
            },
            Parameter {
                name: "batches",
                domain: Domain::Integer { least: 1 },
                presence: Presence::Required,
                loss: Trend::Falls,
                meaning: "number of batches in an epoch, an integer of at least 1",
            },
            Parameter {
                name: "ratio",
                domain: Domain::NonNegative,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "sensitivity of a step to one record divided by the standard deviation of its noise, at \
                          least 0",
            },
            Parameter {
                name: "contraction",
                domain: Domain::Probability,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "contraction factor c (Lipschitz constant) of a step, from 0 to 1",
            },
        ],
        build: Self::build,
    };

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let count = |name: &str| -> Result<u64, Misfit> {
            let value = check::count(name, &given.real(name, 0)?);
            let least = |value| match value {
                0 => Err(Error::input(format!("{name} must be at least 1, not 0"))),
                value => Ok(value),
            };
            given.checked(name, value.and_then(least))
        };
        let (epochs, batches) = (count("epochs")?, count("batches")?);
        let (ratio, contraction) = (given.real("ratio", 0)?, given.real("contraction", 0)?);
        given.checked("ratio", check::nonnegative("ratio", &ratio))?;
        given.checked("contraction", check::unit("contraction", &contraction))?;
        Ok(NoisyCgd { epochs, batches, ratio, contraction }.into())
    }

    fn power(&self, n: &Integer) -> Result<Real, Error> {
        power(&self.contraction, n)
    }

    /// `c^(2l-2)`, `1 - c^2`, `1 - c^l` and `c^(l(E-1))`; `None` for `c = 1`.
    fn factors(&self) -> Result<Option<[Real; 4]>, Error> {
        let one = Real::one();
        if self.contraction == one {
            return Ok(None);
        }
        let l = Integer::from(self.batches);
        let whole = Integer::from(&l * (self.epochs - 1));
        let before = self.power(&(Integer::from(self.batches - 1) * 2u32))?;
        let last = if whole == 0 { one.clone() } else { self.power(&whole)? };
        Ok(Some([before, one.sub(&self.contraction.square()), one.sub(&self.power(&l)?), last]))
    }

    /// `mu^2`.
    pub(crate) fn mu_squared(&self) -> Result<Real, Error> {
        let one = Real::one();
        let more = match self.factors()? {
            None => Real::from(Rational::from((self.epochs - 1, self.batches))),
            Some([before, falls, whole, last]) => {
                let share = one.sub(&last).div(&one.add(&last))?;
                before.mul(&falls)?.div(&whole.square())?.mul(&share)?
            }
        };
        self.ratio.square().mul(&one.add(&more))
    }

    /// The rho of its Renyi divergences, at most `rho alpha` of order alpha (Altschuler and Talwar's shifted
    /// divergences with the same choice of shifts): `(ratio^2/2)(1 + c^(l-2) (1-c^2)/(1-c^l)^2 (1 - c^(l(E-1))))`.
    #[cfg(feature = "cli")]
    pub(crate) fn rho(&self) -> Result<Real, Error> {
        let one = Real::one();
        let more = match self.factors()? {
            None => Real::from(Rational::from((self.epochs - 1, self.batches))),
            Some([_, falls, whole, last]) => {
                let before = match self.batches.cmp(&2) {
                    std::cmp::Ordering::Less => one.div(&self.contraction)?,
                    _ => self.power(&Integer::from(self.batches - 2))?,
                };
                before.mul(&falls)?.div(&whole.square())?.mul(&one.sub(&last))?
            }
        };
        Ok(self.ratio.square().mul(&one.add(&more))?.mul_rational(&Rational::from((1, 2))))
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::gaussian(self.mu_squared()?.sqrt()?))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("epochs", Argument::Constant(Real::from(self.epochs))),
            ("batches", Argument::Constant(Real::from(self.batches))),
            ("ratio", Argument::Constant(self.ratio.clone())),
            ("contraction", Argument::Constant(self.contraction.clone())),
        ]
    }
}

/// `c^n` of a c between 0 and 1: formed where it is short.
pub(super) fn power(c: &Real, n: &Integer) -> Result<Real, Error> {
    let bits = c.as_rational().map(|c| u64::from(c.denom().significant_bits()));
    let short = match (bits, n.to_u64()) {
        (Some(bits), Some(n)) => bits.saturating_mul(n) <= EXACT_BITS,
        _ => false,
    };
    if c.is_zero() && *n > 0 {
        return Ok(Real::zero());
    }
    let exponent = Rational::from(n.clone());
    if short { c.pow(&Real::from(exponent)) } else { c.ln()?.mul_rational(&exponent).exp() }
}
