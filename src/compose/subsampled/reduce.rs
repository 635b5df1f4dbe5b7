//! Which samples are something simpler.

use super::Discrete;
use crate::curve::FinitePair;
use crate::error::Error;
use crate::mechanism::{Mechanism, Poisson};

/// What a mechanism on a Poisson sample comes to.
#[derive(Clone, Debug)]
pub enum Form {
    /// Both distributions are the same.
    Nothing,
    /// Every record is in the sample: the mechanism inside.
    Unsampled(Mechanism),
    /// A finite pair of rationals.
    Finite(FinitePair),
    /// None of these.
    Sampled,
}

/// The simplest form of a mechanism on a Poisson sample.
///
/// # Errors
/// Those of the masses of its finite pair.
pub fn reduce(poisson: &Poisson) -> Result<Form, Error> {
    if poisson.rate().is_zero() || reveals_nothing(poisson.inner()) {
        return Ok(Form::Nothing);
    }
    if poisson.rate().as_rational().is_some_and(|rate| *rate == 1) {
        return Ok(Form::Unsampled(poisson.inner().clone()));
    }
    let pair = match Discrete::of(poisson)? {
        Some(discrete) => discrete.rational()?,
        None => None,
    };
    Ok(pair.map_or(Form::Sampled, Form::Finite))
}

/// Are the two distributions of a mechanism the same?
fn reveals_nothing(mechanism: &Mechanism) -> bool {
    match mechanism {
        Mechanism::ApproxDp(m) => m.epsilon().is_zero() && m.delta().is_zero(),
        Mechanism::RandomizedResponse(m) => m.epsilon().is_zero(),
        Mechanism::Gaussian(m) => m.sensitivity().is_zero(),
        Mechanism::Gdp(m) => m.mu().is_zero(),
        Mechanism::Laplace(m) => m.sensitivity().is_zero(),
        Mechanism::Geometric(m) => m.epsilon().is_zero() || m.sensitivity() == 0,
        Mechanism::Staircase(m) => m.sensitivity() == 0,
        Mechanism::DiscreteGaussian(m) => m.sensitivity() == 0,
        Mechanism::Finite(m) => m.p() == m.q(),
        Mechanism::Poisson(m) => m.rate().is_zero() || reveals_nothing(m.inner()),
    }
}
