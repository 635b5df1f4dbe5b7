//! Curves by their points: a trade-off function that is a polyline, and a list of (epsilon, delta).
//!
//! **Pairs.** `trade-off(alpha=[0, 1/4, 1], beta=[1, 1/4, 0])` is a finite pair with the polyline through these points
//! as its trade-off function: each segment `(a, b) -- (a + p, b - q)` is an outcome of mass p under P and q under Q,
//! and what is missing of 1 at alpha = 0 is an outcome that only Q has. Points that are on no trade-off function are
//! refused, with the first place where that is seen: it has to be convex, not to increase, and to lie between 0 and
//! `1 - alpha` (Dong, Roth, Su, Proposition 2.2; a polyline is continuous).
//!
//! `profile(epsilon=[0, ln(2)], delta=[1/3, 1/20])` has the largest trade-off function that follows from
//! (epsilon_i, delta_i)-privacy for all i, `max_i f_{epsilon_i, delta_i}` (Proposition 2.11): any mechanism with these
//! promises is at least as private, and some is no better. Here each `e^epsilon` has to be a fraction.

use rug::Rational;

use super::catalogue::{Arguments, shortened};
use super::finite::rationals;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::{Pair, TradeOff};

/// A trade-off function by its points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TradeOffPoints {
    alpha: Vec<Real>,
    beta: Vec<Real>,
}

/// A profile by its points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProfilePoints {
    epsilon: Vec<Real>,
    delta: Vec<Real>,
}

const fn list(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, domain: Domain::Constants, presence: Presence::Required, loss: Trend::Unknown, meaning }
}

impl TradeOffPoints {
    pub(super) const ENTRY: Entry = Entry {
        name: "trade-off",
        aliases: &["f"],
        summary: "the trade-off function that is the polyline through given points",
        pair: "an outcome for each segment, with its width under P and its height under Q",
        example: "trade-off(alpha=[0,1/4,1], beta=[1,1/4,0])",
        parameters: &[
            list("alpha", "type I errors from 0 to 1, fractions that increase"),
            list("beta", "the type II errors there, fractions, the last one 0"),
        ],
        build: Self::build,
    };

    /// The polyline through these points. Domain: fractions that are points of a trade-off function.
    ///
    /// # Errors
    /// [`Error::Input`] outside of the domain, with the first place where that shows.
    pub fn new(alpha: Vec<Real>, beta: Vec<Real>) -> Result<Self, Error> {
        same_length("alpha", &alpha, "beta", &beta)?;
        let points = TradeOffPoints { alpha, beta };
        points.polyline()?;
        Ok(points)
    }

    fn polyline(&self) -> Result<TradeOff, Error> {
        TradeOff::new(rationals("alpha", &self.alpha)?.into_iter().zip(rationals("beta", &self.beta)?).collect())
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let points = TradeOffPoints::new(given.list("alpha")?.to_vec(), given.list("beta")?.to_vec());
        Ok(given.checked("beta", points)?.into())
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::finite(self.polyline()?.representing_pair()?))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("alpha", Argument::List(self.alpha.clone())), ("beta", Argument::List(self.beta.clone()))]
    }
}

impl ProfilePoints {
    pub(super) const ENTRY: Entry = Entry {
        name: "profile",
        aliases: &[],
        summary: "the least private mechanism that keeps several promises (epsilon_i, delta_i) at once",
        pair: "that of the largest of the f_{epsilon_i, delta_i}",
        example: "profile(epsilon=[0,ln(2)], delta=[1/3,1/20])",
        parameters: &[
            list("epsilon", "each at least 0, with e^epsilon a fraction, as 0 or ln(3/2)"),
            list("delta", "a fraction between 0 and 1 for each of them"),
        ],
        build: Self::build,
    };

    /// These promises together. Domain: `e^epsilon` a fraction and at least 1, `delta` a fraction between 0 and 1.
    ///
    /// # Errors
    /// [`Error::Input`] outside of the domain.
    pub fn new(epsilon: Vec<Real>, delta: Vec<Real>) -> Result<Self, Error> {
        same_length("epsilon", &epsilon, "delta", &delta)?;
        for epsilon in &epsilon {
            check::nonnegative("epsilon", epsilon)?;
        }
        for delta in &delta {
            check::unit("delta", delta)?;
        }
        let points = ProfilePoints { epsilon, delta };
        points.pairs()?;
        Ok(points)
    }

    fn pairs(&self) -> Result<Vec<(Rational, Rational)>, Error> {
        let power = |epsilon: &Real| {
            epsilon.exp_rational().ok_or_else(|| {
                let shown = shortened(&epsilon.to_string());
                Error::input(format!("e^epsilon has to be a fraction, as with epsilon = ln(3/2), unlike {shown}"))
            })
        };
        let powers = self.epsilon.iter().map(power).collect::<Result<Vec<_>, _>>()?;
        Ok(powers.into_iter().zip(rationals("delta", &self.delta)?).collect())
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let points = ProfilePoints::new(given.list("epsilon")?.to_vec(), given.list("delta")?.to_vec());
        Ok(given.checked("epsilon", points)?.into())
    }

    /// What it means.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        Ok(Pair::finite(TradeOff::from_profile(&self.pairs()?)?.representing_pair()?))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![("epsilon", Argument::List(self.epsilon.clone())), ("delta", Argument::List(self.delta.clone()))]
    }
}

fn same_length(first: &str, a: &[Real], second: &str, b: &[Real]) -> Result<(), Error> {
    let (a, b) = (a.len(), b.len());
    if a != b {
        return Err(Error::input(format!("{first} has {a} entries and {second} has {b}: one each for every point")));
    }
    if a == 0 { Err(Error::input(format!("{first} has no entry: a curve has points"))) } else { Ok(()) }
}
