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
//!
//! Several mechanisms on one sample are the product of their pairs, sampled as a whole, which is not the composition of
//! their samples. Sampling asks a pair for nothing but the distribution of its likelihood ratio, so the product may be
//! any pair with the same one. For Gaussians that is one Gaussian, `mu^2` the sum of theirs (Dong, Roth and Su 2022,
//! Corollary 3.3); for pairs in fractions it is the finite pair that has the trade-off function of the product, P
//! first.
//! An empty product is a pair that reveals nothing. Any other product, and every product with a guarantee, is a mixture
//! of one part.

use super::catalogue::Arguments;
use super::{
    Argument, Composition, Domain, Entry, Finite, Gdp, Mechanism, Misfit, Mixture, Parameter, Presence, Real, Trend,
    check,
};
use crate::error::Error;
use crate::pair::Pair;

/// Poisson subsampling of another mechanism.
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
        summary: "Poisson subsampling: runs a mechanism on a sample that includes each record independently with \
                  probability rate; neighbours add or remove one record",
        pair: "P = (1-rate) Q0 + rate P0 (record present); Q = Q0 (record absent), with P0 and Q0 of the mechanism \
               inside",
        example: "poisson(rate=0.01, gaussian(sigma=1))^1000",
        answers: "Answers are exact if those of the mechanism inside are.",
        parameters: &[
            Parameter {
                name: "rate",
                domain: Domain::Probability,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "sampling probability of each record, between 0 and 1",
            },
            Parameter {
                name: "sampling-rate",
                domain: Domain::Probability,
                presence: Presence::InsteadOf("rate"),
                loss: Trend::Grows,
                meaning: "another name for rate",
            },
            Parameter {
                name: "mechanism",
                domain: Domain::Mechanism,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "mechanism or composition to run on the sample, written without `mechanism=`; gaussian(...) \
                          gives the subsampled Gaussian mechanism",
            },
        ],
        build: Self::build,
    };

    /// `inner` on a Poisson sample. Domain: `rate` in `[0, 1]`.
    ///
    /// # Errors
    /// [`Error::Input`] outside the domain, or if the product of nested rates is too long.
    pub fn new(rate: Real, inner: impl Into<Mechanism>) -> Result<Self, Error> {
        check::unit("rate", &rate)?;
        match inner.into() {
            Mechanism::Poisson(Poisson { rate: second, inner }) => Ok(Poisson { rate: rate.mul(&second)?, inner }),
            inner => Ok(Poisson { rate, inner: Box::new(inner) }),
        }
    }

    /// A composition on a sample.
    ///
    /// # Errors
    /// Those of [`Poisson::new`] and of the pairs inside.
    pub(crate) fn of_composition(rate: Real, inner: &Composition) -> Result<Self, Error> {
        Poisson::new(rate, in_one(inner)?)
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let name = if given.has("sampling-rate") { "sampling-rate" } else { "rate" };
        let inner = given.checked("mechanism", in_one(&given.composition("mechanism")?))?;
        let poisson = Poisson::new(given.real(name, 0)?, inner);
        Ok(given.checked(name, poisson)?.into())
    }

    /// Sampling probability of each record.
    pub fn rate(&self) -> &Real {
        &self.rate
    }

    /// The mechanism that is run on the sample.
    pub fn inner(&self) -> &Mechanism {
        &self.inner
    }

    /// The pair of output distributions.
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

/// Largest number of outcomes of a finite pair that replaces a composition, because answers print it.
const LONGEST: u32 = 256;

/// One mechanism that is equivalent on a sample to several.
fn in_one(inner: &Composition) -> Result<Mechanism, Error> {
    if let Some((mechanism, 1)) = inner.single() {
        return Ok(mechanism.clone());
    }
    // Answers about a guarantee are bounds, and are reported as such.
    if inner.has_guarantee() {
        return Ok(Mixture::new(vec![Real::one()], vec![inner.clone()])?.into());
    }
    let mut squares = Some(Real::zero());
    for (mechanism, times) in inner.factors() {
        let mu = match mechanism {
            Mechanism::Gaussian(_) | Mechanism::Gdp(_) => match mechanism.pair()? {
                Pair::Gaussian { mu } => Some(mu),
                // Without a distance it shows nothing.
                Pair::Equal => Some(Real::zero()),
                _ => None,
            },
            _ => None,
        };
        let square = mu.map(|mu| mu.square().mul_rational(&rug::Rational::from(*times)));
        squares = squares.zip(square).map(|(sum, square)| sum.add(&square));
    }
    if let Some(squares) = squares {
        return Ok(Gdp::new(squares.sqrt()?)?.into());
    }
    let short = Pair::several(inner.pairs()?).trade_off()?.filter(|polyline| polyline.size() <= LONGEST);
    // A mixture of one part is that part, and stands for any composition.
    let Some(polyline) = short else {
        return Ok(Mixture::new(vec![Real::one()], vec![inner.clone()])?.into());
    };
    let pair = polyline.representing_pair()?;
    Ok(Finite::new(pair.p().to_vec(), pair.q().to_vec())?.into())
}

#[cfg(test)]
mod tests {
    use super::super::Composition;

    fn read(text: &str) -> Composition {
        Composition::parse_closed(text).expect(text)
    }

    /// Several mechanisms on one sample are one, as they would be without the sample.
    #[test]
    fn several_on_one_sample_are_one() {
        for (several, one) in [
            ("gaussian(sigma=1)^4", "gdp(mu=2)"),
            ("gaussian(sigma=1/3) * gdp(mu=4)", "gdp(mu=5)"),
            ("gaussian(sigma=1)^2 * gdp(mu=0)^7", "gdp(mu=sqrt(2))"),
            ("gdp(mu=0)^2", "gdp(mu=0)"),
            ("laplace(scale=1)^0", "gdp(mu=0)"),
            ("finite(p=[1/2,1/2], q=[1/4,3/4])^2", "finite(p=[1/4,1/2,1/4], q=[9/16,3/8,1/16])"),
            ("randomized-response(epsilon=ln(3))^2", "finite(p=[1/16,3/8,9/16], q=[9/16,3/8,1/16])"),
        ] {
            let whole = read(&format!("poisson(rate=1/10, {several})^5"));
            assert_eq!(whole, read(&format!("poisson(rate=1/10, {one})^5")), "{several}");
        }
        // At rate 1 it is the composition itself.
        let all = read("poisson(rate=1, randomized-response(epsilon=ln(3)) * approx-dp(epsilon=ln(2), delta=1/9))");
        let same = read("randomized-response(epsilon=ln(3)) * approx-dp(epsilon=ln(2), delta=1/9)");
        let quantity = |composition: Composition| {
            let query = crate::Query::new(crate::Quantity::Delta { epsilon: super::Real::zero() }, composition);
            let answer = crate::answer(&query, &enclosure::Budget::default()).expect("an answer");
            answer.outcome.number().and_then(|number| number.exact().cloned())
        };
        assert_eq!(quantity(all), quantity(same));
    }

    /// What is no single mechanism is a mixture of one part, and has the profile `p H_y` with `y = (x - 1 + p)/p`.
    #[test]
    fn others_are_mixtures_of_one_part() {
        let quantity = |text: &str, epsilon: &str| {
            let quantity = crate::Quantity::Delta { epsilon: epsilon.parse().expect("an epsilon") };
            let query = crate::Query::new(quantity, read(text)).with_direction(crate::Direction::Forward);
            let answer = crate::answer(&query, &enclosure::Budget::default()).expect("an answer");
            answer.outcome.number().expect("a number").enclosure(128)
        };
        for inside in ["laplace(scale=1)^2", "gaussian(sigma=1) * laplace(scale=1)", "randomized-response(epsilon=1)^2"]
        {
            let text = format!("poisson(rate=1/2, {inside})");
            assert_eq!(read(&text).to_string(), format!("poisson(rate=1/2, mixture(1: {inside}))"));
            assert_eq!(read(&read(&text).to_string()), read(&text));
            // x = 3/2, y = 2
            let sampled = quantity(&text, "ln(3/2)");
            let inner = quantity(inside, "ln(2)").shift(-1);
            assert!(sampled.overlaps(&inner) && sampled.relative_bits() > Some(18), "{inside}: {sampled:?} {inner:?}");
        }
    }

    #[test]
    fn guarantees_stay_guarantees() {
        for inside in ["zcdp(rho=1)^2", "zcdp(rho=1) * laplace(scale=1)", "pure-dp(epsilon=ln(2))^2"] {
            let sample = read(&format!("poisson(rate=1/2, {inside})"));
            assert_eq!(sample.to_string(), format!("poisson(rate=1/2, mixture(1: {inside}))"));
            assert!(sample.has_guarantee());
        }
    }
}
