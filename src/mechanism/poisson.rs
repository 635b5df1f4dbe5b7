//! Poisson subsampling: each record is in the sample with probability `rate`, independently of all others, and the
//! mechanism inside is run on the sample.
//!
//! **Pair.** Neighbours differ by one record that is present or absent. With (P, Q) the pair of the mechanism inside, P
//! for a sample with the record and Q for one without it,
//!
//! `P' = (1-rate) Q + rate P`, `Q' = Q`:
//!
//! forward is the mixture against Q (the record may be present, and is removed), backward Q against the mixture (it is
//! added). Where the inner loss is `l`, the loss is `ln(1 - rate + rate e^l)`, never below `ln(1 - rate)`. The pair is
//! not symmetric. Most pairs inside are, up to a reflection that changes nothing: which of their two distributions has
//! the record matters for `finite` alone, and there it is `p`.
//!
//! At rate 1 the pair is that of the mechanism inside, at rate 0 both distributions are Q. A sample of a sample is a
//! sample: `(1-a) Q + a ((1-b) Q + b P) = (1-ab) Q + ab P`, so a poisson inside another is kept as one, with the
//! product of the rates.

use super::catalogue::Arguments;
use super::{Argument, Composition, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::Pair;

/// Another mechanism on a Poisson sample.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Poisson {
    rate: Real,
    /// Never a [`Poisson`] itself.
    inner: Box<Mechanism>,
}

impl Poisson {
    pub(super) const ENTRY: Entry = Entry {
        name: "poisson",
        aliases: &[],
        summary: "another mechanism on a sample that has each record with probability rate",
        pair: "P = (1-rate) Q0 + rate P0; Q = Q0, with P0 and Q0 of the mechanism inside",
        example: "poisson(rate=0.01, gaussian(sigma=1))^1000",
        parameters: &[
            Parameter {
                name: "rate",
                domain: Domain::Probability,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "the probability of a record to be in the sample, between 0 and 1",
            },
            Parameter {
                name: "sampling-rate",
                domain: Domain::Probability,
                presence: Presence::InsteadOf("rate"),
                loss: Trend::Grows,
                meaning: "the same, by the other name",
            },
            Parameter {
                name: "mechanism",
                domain: Domain::Mechanism,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "the mechanism inside, run once on the sample; needs no name",
            },
        ],
        build: Self::build,
    };

    /// `inner` on a Poisson sample. Domain: `rate`: between 0 and 1.
    ///
    /// # Errors
    /// [`Error::Input`] outside of the domain, where a product of nested rates is too long, and for a guarantee that
    /// has no pair.
    pub fn new(rate: Real, inner: impl Into<Mechanism>) -> Result<Self, Error> {
        check::unit("rate", &rate)?;
        match inner.into() {
            inner @ (Mechanism::Zcdp(_) | Mechanism::Rdp(_)) => {
                let name = inner.name();
                Err(Error::input(format!("{name} is a guarantee: what it means on a sample does not follow from it")))
            }
            Mechanism::Poisson(Poisson { rate: second, inner }) => Ok(Poisson { rate: rate.mul(&second)?, inner }),
            inner => Ok(Poisson { rate, inner: Box::new(inner) }),
        }
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let name = if given.has("sampling-rate") { "sampling-rate" } else { "rate" };
        let poisson = Poisson::new(given.real(name, 0)?, given.mechanism("mechanism")?);
        Ok(given.checked(name, poisson)?.into())
    }

    /// The probability of a record to be in the sample.
    pub fn rate(&self) -> &Real {
        &self.rate
    }

    /// The mechanism that is run on the sample.
    pub fn inner(&self) -> &Mechanism {
        &self.inner
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        self.inner.pair()?.sampled(&self.rate)
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("rate", Argument::Constant(self.rate.clone())),
            ("mechanism", Argument::Mechanism(Composition::from(Mechanism::clone(&self.inner)))),
        ]
    }
}
