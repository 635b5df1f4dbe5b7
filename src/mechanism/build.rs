//! Constructors of compositions: one function for each mechanism, under its name.

use rug::Rational;

use super::{
    ApproxDp, Composition, DiscreteGaussian, Finite, Gaussian, Gdp, Geometric, KRandomizedResponse, Laplace, Mechanism,
    Poisson, RandomizedResponse, Staircase,
};
use crate::error::Error;
use enclosure::Real;

/// Constructors of one mechanism, run once. Parameters outside their domains return [`Error::Input`].
impl Composition {
    /// Worst-case (epsilon, delta)-DP mechanism. Domain: `epsilon` at least 0, `delta` in `[0, 1]`.
    pub fn approx_dp(epsilon: impl Into<Real>, delta: impl Into<Real>) -> Result<Self, Error> {
        Ok(once(ApproxDp::new(epsilon.into(), delta.into())?))
    }

    /// Randomized response on one bit. Domain: `epsilon` at least 0.
    pub fn randomized_response(epsilon: impl Into<Real>) -> Result<Self, Error> {
        Ok(once(RandomizedResponse::new(epsilon.into())?))
    }

    /// k-ary randomized response with this number of categories. Domain: `epsilon` at least 0, `categories` at least 2.
    pub fn k_randomized_response(epsilon: impl Into<Real>, categories: u64) -> Result<Self, Error> {
        Ok(once(KRandomizedResponse::new(epsilon.into(), categories)?))
    }

    /// Gaussian mechanism with noise of standard deviation `sigma`. Domain: `sigma` above 0, `sensitivity` at least 0.
    pub fn gaussian(sigma: impl Into<Real>, sensitivity: impl Into<Real>) -> Result<Self, Error> {
        Ok(once(Gaussian::new(sigma.into(), sensitivity.into())?))
    }

    /// Worst-case mu-GDP mechanism (Gaussian differential privacy). Domain: `mu` at least 0.
    pub fn gdp(mu: impl Into<Real>) -> Result<Self, Error> {
        Ok(once(Gdp::new(mu.into())?))
    }

    /// Laplace mechanism. Domain: `scale` above 0, `sensitivity` at least 0.
    pub fn laplace(scale: impl Into<Real>, sensitivity: impl Into<Real>) -> Result<Self, Error> {
        Ok(once(Laplace::new(scale.into(), sensitivity.into())?))
    }

    /// Geometric mechanism (discrete Laplace), epsilon-DP at sensitivity 1. Domain: `epsilon` above 0.
    pub fn geometric(epsilon: impl Into<Real>, sensitivity: u64) -> Result<Self, Error> {
        Ok(once(Geometric::new(epsilon.into(), sensitivity)?))
    }

    /// Staircase mechanism. Domain: `epsilon` above 0, `gamma` in `[0, 1]`.
    pub fn staircase(epsilon: impl Into<Real>, gamma: impl Into<Real>, sensitivity: u64) -> Result<Self, Error> {
        Ok(once(Staircase::new(epsilon.into(), gamma.into(), sensitivity)?))
    }

    /// Discrete Gaussian mechanism. Domain: `sigma2` rational and above 0.
    pub fn discrete_gaussian(sigma2: impl Into<Real>, sensitivity: u64) -> Result<Self, Error> {
        Ok(once(DiscreteGaussian::new(rational("sigma2", &sigma2.into())?, sensitivity)?))
    }

    /// Custom pair of distributions on the same outcomes. Domain: non-negative fractions with sum 1.
    pub fn finite<R: Into<Real>>(
        p: impl IntoIterator<Item = R>,
        q: impl IntoIterator<Item = R>,
    ) -> Result<Self, Error> {
        let p = p.into_iter().map(|mass| rational("p", &mass.into())).collect::<Result<_, _>>()?;
        let q = q.into_iter().map(|mass| rational("q", &mass.into())).collect::<Result<_, _>>()?;
        Ok(once(Finite::new(p, q)?))
    }

    /// Poisson subsampling: `inner` on a sample that includes each record independently with probability `rate`.
    /// Domain: `rate` in `[0, 1]`, `inner` one mechanism, run once.
    pub fn poisson(rate: impl Into<Real>, inner: &Composition) -> Result<Self, Error> {
        let Some((mechanism, 1)) = inner.single() else {
            return Err(Error::input(format!("poisson needs one mechanism that is run once, not {inner}")));
        };
        Ok(once(Poisson::new(rate.into(), mechanism.clone())?).bounding(inner.only()))
    }
}

fn once(mechanism: impl Into<Mechanism>) -> Composition {
    Composition::from(mechanism.into())
}

fn rational(name: &str, value: &Real) -> Result<Rational, Error> {
    value.as_rational().cloned().ok_or_else(|| Error::input(format!("{name} must be rational, not {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    /// What is built is what is read.
    #[test]
    fn compositions_are_built_as_they_are_read() {
        let half = || [real("1/2"), real("1/2")];
        for (built, text) in [
            (Composition::approx_dp(real("ln(2)"), real("1/10")), "approx-dp(epsilon=ln(2), delta=1/10)"),
            (Composition::randomized_response(1), "randomized-response(epsilon=1)"),
            (Composition::k_randomized_response(1, 3), "k-randomized-response(epsilon=1, categories=3)"),
            (Composition::gaussian(2, 1), "gaussian(sigma=2)"),
            (Composition::gdp(real("sqrt(2)")), "gdp(mu=sqrt(2))"),
            (Composition::laplace(2, 3), "laplace(scale=2, sensitivity=3)"),
            (Composition::geometric(1, 2), "geometric(epsilon=1, sensitivity=2)"),
            (Composition::staircase(1, real("1/2"), 1), "staircase(epsilon=1, gamma=1/2)"),
            (Composition::discrete_gaussian(4, 1), "discrete-gaussian(sigma2=4)"),
            (Composition::finite(half(), half()), "finite(p=[1/2, 1/2], q=[1/2, 1/2])"),
            (
                Composition::gaussian(1, 1).and_then(|inner| Composition::poisson(real("1/100"), &inner)),
                "poisson(rate=1/100, gaussian(sigma=1))",
            ),
        ] {
            assert_eq!(built.expect(text), text.parse().expect(text));
        }
        let twice = Composition::gaussian(1, 1).and_then(|inner| inner.repeat(2)).expect("two");
        let both = twice.and(&Composition::gdp(0).expect("a mechanism")).expect("both");
        assert_eq!(both.to_string(), "gaussian(sigma=1)^2 * gdp(mu=0)");
        assert!(Composition::poisson(real("1/2"), &twice).is_err() && Composition::gaussian(0, 1).is_err());
        assert!(Composition::discrete_gaussian(real("sqrt(2)"), 1).is_err() && Composition::default().is_empty());
        let inside = |text: &str| text.parse::<Composition>().expect(text).pairs().is_ok();
        assert!(
            inside("inverse(laplace(scale=1)^(2^32))^(2^31)") && !inside("inverse(laplace(scale=1)^(2^32))^(2^32)")
        );
        let group = "group(k=2, poisson(rate=1/2, laplace(scale=1))^(2^40))";
        assert!(inside(&format!("{group}^(2^23)")) && !inside(&format!("{group}^(2^23+1)")));
        assert!(twice.repeat(1 << 63).is_err() && both.and(&twice).expect("in normal form").single().is_none());
    }
}
