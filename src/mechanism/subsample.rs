//! Subsampling without replacement: a composition on a uniform sample of fixed size.
//!
//! **Pair.** Neighbours differ by the replacement of one record, and the sample has `m` of `n` records, `rate = m/n`.
//! With f the trade-off function of the composition inside, which must be symmetric, the trade-off function of the
//! sample is
//!
//! `C_rate(f) = min(f_rate, f_rate^-1)**`, `f_rate = rate f + (1-rate) Id`
//!
//! (Dong, Roth, Su, Theorem 4.2), which is tight; in (epsilon, delta): `ln(1 + rate (e^epsilon - 1))` and
//! `rate delta(epsilon)` for each `epsilon >= 0`. For (epsilon, delta)-DP the curve is the larger of that of these two
//! and the line `1 - rate delta - rate (1-delta) (e^epsilon - 1)/(e^epsilon + 1) - alpha`; some prints of the line lack
//! the factor `1 - delta`, which leaves a bound that is not tight.
//!
//! `poisson` is the other kind of sample, with neighbours of which one lacks the record; its pair is not symmetric, and
//! the smallest trade-off function of both its orders, `hull(poisson(...))`, is this one.
//!
//! A composition inside is run on one sample; `subsample(...)^T` draws T times.

use super::catalogue::Arguments;
use super::{Argument, Composition, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::{Pair, not_symmetric};

/// Subsampling without replacement: a composition on a sample of fixed size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subsample {
    rate: Real,
    inner: Composition,
}

impl Subsample {
    pub(super) const ENTRY: Entry = Entry {
        name: "subsample",
        aliases: &[],
        summary: "subsampling without replacement: runs a symmetric composition on a uniform sample of fixed size; \
                  neighbours replace one record",
        pair: "P and Q with trade-off function C_rate(f) = min(f_rate, f_rate^-1)**, f_rate = rate f + \
               (1-rate) Id, with f of the composition inside",
        example: "subsample(rate=1/10, gaussian(sigma=1))",
        answers: "Answers are exact in the worst direction for delta, epsilon, beta and mu of one sample, if those of \
                  the composition inside are (Dong, Roth, Su, Theorem 4.2). For other divergences, products and \
                  single directions they are upper bounds, because the curve covers both directions.",
        parameters: &[
            Parameter {
                name: "rate",
                domain: Domain::Probability,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "sample size divided by the number of records, between 0 and 1",
            },
            super::COMPOSITION_INSIDE,
        ],
        build: Self::build,
    };

    /// A composition on a sample. Domain: `rate` in `[0, 1]`.
    ///
    /// # Errors
    /// [`Error::Input`] outside the domain.
    pub fn new(rate: Real, inner: Composition) -> Result<Self, Error> {
        check::unit("rate", &rate)?;
        Ok(Subsample { rate, inner })
    }

    /// Share of the records that is drawn.
    pub(crate) fn rate(&self) -> &Real {
        &self.rate
    }

    /// The composition on the sample.
    pub(crate) fn inner(&self) -> &Composition {
        &self.inner
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let subsample = Subsample::new(given.real("rate", 0)?, given.composition("mechanism")?);
        Ok(given.checked("rate", subsample)?.into())
    }

    /// The pair of output distributions.
    ///
    /// # Errors
    /// [`Error::Undefined`] if the trade-off function inside is not known to be symmetric.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        let pair = Pair::several(self.inner.pairs()?);
        let symmetric = pair.symmetric();
        match pair.subsampled(&self.rate) {
            Err(Error::Undefined(reason)) if !symmetric => Err(match self.inner.asymmetric()? {
                Some(factor) => not_symmetric(&format!("that of {factor}"), &factor.pair()?.asymmetry()?),
                None => Error::Undefined(reason),
            }),
            result => result,
        }
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("rate", Argument::Constant(self.rate.clone())), ("mechanism", Argument::Mechanism(self.inner.clone()))]
    }
}
