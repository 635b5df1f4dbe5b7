//! Canonical noise and the best Gaussian guarantee, from their definitions.
//!
//! `F(y) = 1/2 + TV y` for `|y| <= 1/2` and `F(y + 1) = 1 - f(F(y))`, by the route of the trade-off function f; a
//! quantile by F at both of its ends. `G_mu` is convex, so that it is below a polygon exactly if it is at the vertices:
//! the least mu is the one at which it touches one of them.

use rug::Rational;

use super::operators::composed;
use super::poisson::Inside;
use super::{Claim, numbers, require};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::query::{Quantity, Query};
use crate::route::polygon::Polygon;
use enclosure::Real;

/// Bits behind the point of the values of a distribution function.
const BITS: u32 = 240;

/// More units than these are for the engine alone.
const MOST_UNITS: u32 = 64;

type Bounds = (Rational, Rational);

/// A trade-off function by a route.
enum Curve {
    Polygon(Polygon),
    Noise(Inside),
}

impl Curve {
    fn of(composition: &Composition) -> Result<Self, Error> {
        if let [(mechanism, 1)] = composition.factors()
            && let Some(inside) = Inside::of(mechanism)
        {
            return Ok(Curve::Noise(inside));
        }
        composed(composition).map(Curve::Polygon)
    }

    fn beta(&self, alpha: &Rational) -> Result<Bounds, Error> {
        match self {
            Curve::Noise(inside) => inside.beta(alpha),
            Curve::Polygon(polygon) => {
                let value = numbers::first(&polygon.at(&numbers::second(alpha)?))?;
                Ok((value.clone(), value))
            }
        }
    }

    fn variation(&self) -> Result<Bounds, Error> {
        match self {
            Curve::Noise(inside) => inside.delta(&Rational::from(1)),
            // The largest of 1 - alpha - beta is at a vertex.
            Curve::Polygon(polygon) => {
                let mut most = Rational::new();
                for vertex in polygon.vertices() {
                    let (alpha, beta) = numbers::first_both(vertex)?;
                    most = most.max(1 - alpha - beta);
                }
                Ok((most.clone(), most))
            }
        }
    }

    /// The distribution function.
    fn cdf(&self, y: &Rational) -> Result<Bounds, Error> {
        if *y < 0 {
            let (low, high) = self.cdf(&Rational::from(-y))?;
            return Ok((1 - high, 1 - low));
        }
        let units = y.clone().round();
        let steps = units.numer().to_u32().filter(|steps| *steps <= MOST_UNITS);
        let steps = steps.ok_or_else(|| Error::input("too many units"))?;
        let (low, high) = self.variation()?;
        let half = Rational::from((1, 2));
        let within = Rational::from(y - &units);
        let (first, second) = (Rational::from(&low * &within) + &half, Rational::from(&high * &within) + &half);
        let mut value = if within < 0 { (second, first) } else { (first, second) };
        for _ in 0..steps {
            let (least, most) = (self.beta(&value.1)?.0, self.beta(&value.0)?.1);
            value = (rounded(&(1 - most), false), rounded(&(1 - least), true));
        }
        Ok(value)
    }
}

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    match &query.quantity {
        Quantity::CanonicalCdf { x } => {
            claim.agrees_with(&Curve::of(&query.mechanism)?.cdf(numbers::rational(x, "x")?)?)
        }
        Quantity::CanonicalQuantile { p } => {
            let (curve, p) = (Curve::of(&query.mechanism)?, numbers::rational(p, "p")?);
            let (lower, upper) = claim.within()?;
            require(curve.cdf(lower)?.0 <= *p && curve.cdf(upper)?.1 >= *p, "the probability at both ends")
        }
        Quantity::GaussianFit => fit(&composed(&query.mechanism)?, claim),
        _ => Err(Error::input("no canonical noise, and no fit")),
    }
}

/// Is the claim the least mu with `G_mu` below the polygon?
fn fit(polygon: &Polygon, claim: &Claim) -> Result<(), Error> {
    let vertices: Vec<Bounds> = polygon.vertices().iter().map(numbers::first_both).collect::<Result<_, _>>()?;
    let certain = vertices.iter().any(|(alpha, beta)| alpha.is_zero() && *beta < 1)
        || vertices.iter().any(|(alpha, beta)| *alpha < 1 && beta.is_zero());
    let Claim::Within(lower, upper) = claim else {
        return require(certain, "no outcome tells the two data sets apart");
    };
    require(!certain, "an outcome that tells the two data sets apart")?;
    let gaussian = |mu: &Rational, alpha: &Rational| Inside::Gaussian(Real::from(mu.clone()).square()).beta(alpha);
    let inside = vertices.iter().filter(|(alpha, beta)| !alpha.is_zero() && !beta.is_zero());
    let mut touches = false;
    for (alpha, beta) in inside {
        require(gaussian(upper, alpha)?.0 <= *beta, "G_mu below the vertices at the upper end")?;
        touches |= gaussian(lower, alpha)?.1 >= *beta;
    }
    require(touches, "G_mu no lower than a vertex at the lower end")
}

/// To a multiple of `2^-240` in `[0, 1]`.
fn rounded(value: &Rational, up: bool) -> Rational {
    let units = Rational::from(value << BITS);
    let whole = if up { units.ceil() } else { units.floor() };
    Ord::clamp(whole >> BITS, Rational::new(), Rational::from(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::answer;
    use enclosure::Budget;

    /// What the engines say is confirmed, and something else is not.
    #[test]
    fn right_claims_are_confirmed_and_wrong_ones_are_not() {
        for (quantity, mechanism, at) in [
            ("canonical-cdf", "gdp(mu=1)", r#"{"x":"9/4"}"#),
            ("canonical-cdf", "randomized-response(epsilon=ln(3))^2", r#"{"x":"-3/2"}"#),
            ("canonical-quantile", "laplace(scale=1)", r#"{"p":"1/40"}"#),
            ("gdp-fit", "randomized-response(epsilon=ln(3))^3", "{}"),
        ] {
            let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at},"digits":36}}"#);
            let query: Query = serde_json::from_str(&line).expect("a query");
            let outcome = answer(&query, &Budget::default()).expect("an answer").outcome;
            let claim = Claim::of(&outcome).expect("a claim");
            confirm(&query, &claim).unwrap_or_else(|error| panic!("{line}: {error}"));
            let (lower, upper) = claim.within().expect("a number");
            for off in [1, -1] {
                let off = Rational::from((off, 1_000_000_000_000i64));
                let wrong = Claim::Within(Rational::from(lower + &off), Rational::from(upper + &off));
                assert!(confirm(&query, &wrong).is_err(), "{line}");
            }
            assert!(confirm(&query, &Claim::Infinite).is_err(), "{line}");
        }
        let line = r#"{"quantity":"gdp-fit","mechanism":"approx-dp(epsilon=ln(3), delta=1/10)"}"#;
        let query: Query = serde_json::from_str(line).expect("a query");
        confirm(&query, &Claim::Infinite).expect("no mu does");
        assert!(confirm(&query, &Claim::Within(Rational::from(5), Rational::from(6))).is_err());
    }
}
