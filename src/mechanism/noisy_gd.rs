//! The last iterate of noisy gradient descent on all records, whose steps contract (Bok, Su and Altschuler 2024, by
//! shifted interpolation). It is a shorthand for the Gaussian pair that bounds it.
//!
//! **Mechanism.** T steps `X_(t+1) = phi(X_t) + Z_t`: a map that shrinks distances by the factor c at least, and that
//! one record moves by at most `ratio` standard deviations of the noise; and the noise, which is Gaussian. Only `X_T`
//! is released.
//!
//! **Expansion.** `gdp(mu)` with `mu^2 = ratio^2 (1 - c^T)/(1 + c^T) (1 + c)/(1 - c)`, for `c = 1` its limit
//! `ratio^2 T`. A mu of many digits is rounded up, to 60 of them. (`proofs/paper/noisy-cgd.md`)

use rug::{Integer, Rational};

use super::abbreviation::Meaning;
use super::catalogue::Arguments;
use super::noisy_cgd::power;
use super::noisy_sgd::{DIGITS, rounded_up};
use super::{Cause, Domain, Entry, Gdp, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;

/// The shorthand and its parameters.
pub(super) const ENTRY: Entry = Entry {
    name: "noisy-gd",
    aliases: &[],
    summary: "last iterate of full-batch noisy gradient descent with contractive steps; shorthand for the Gaussian \
              pair that bounds it",
    pair: "the pair of gdp(mu), mu^2 = ratio^2 (1-c^T)/(1+c^T) (1+c)/(1-c), T = steps, c = contraction; a long mu is \
           rounded up to 60 digits",
    example: "noisy-gd(steps=1000, ratio=1/5, contraction=0.9)",
    answers: "Answers are upper bounds, by shifted interpolation (Bok, Su, Altschuler 2024).",
    // mu grows with all three (proofs/paper/noisy-cgd.md).
    parameters: &[
        Parameter {
            name: "steps",
            domain: Domain::Integer { least: 1 },
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "number of steps, an integer of at least 1",
        },
        Parameter {
            name: "ratio",
            domain: Domain::NonNegative,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "sensitivity of a step to one record divided by the standard deviation of its noise, at least 0",
        },
        Parameter {
            name: "contraction",
            domain: Domain::Probability,
            presence: Presence::Required,
            loss: Trend::Grows,
            meaning: "contraction factor c (Lipschitz constant) of a step, from 0 to 1",
        },
    ],
    build: |_| Err(Misfit::new(None, "noisy-gd is a shorthand for another mechanism and cannot be used here")),
};

/// Expansion of arguments that fit the entry.
pub(super) fn training(given: &Arguments) -> Result<Meaning, Misfit> {
    let steps = given.checked("steps", check::count("steps", &given.real("steps", 0)?))?;
    if steps == 0 {
        return Err(given.misfit("steps", "steps must be at least 1, not 0"));
    }
    let (ratio, contraction) = (given.real("ratio", 0)?, given.real("contraction", 0)?);
    given.checked("ratio", check::nonnegative("ratio", &ratio))?;
    given.checked("contraction", check::unit("contraction", &contraction))?;
    let factor = given.checked("contraction", factor(steps, &contraction))?;
    let mu = given.checked("ratio", factor.sqrt().and_then(|root| root.mul(&ratio)))?;
    let (mu, rounded) = rounded_up(mu);
    let mut note = format!("noisy-gd: the last of {steps} steps is bounded by one Gaussian pair");
    if rounded {
        note += &format!(" (its mu rounded up to {DIGITS} digits)");
    }
    let factors = vec![(given.checked("ratio", Gdp::new(mu))?.into(), 1)];
    Ok(Meaning { factors, only: Some(Cause::ShiftedInterpolation), note })
}

/// `(1 - c^T)/(1 + c^T) (1 + c)/(1 - c)`.
fn factor(steps: u64, c: &Real) -> Result<Real, Error> {
    let one = Real::one();
    if *c == one {
        return Ok(Real::from(Rational::from(steps)));
    }
    let last = power(c, &Integer::from(steps))?;
    let falls = one.sub(&last).div(&one.add(&last))?;
    falls.mul(&one.add(c))?.div(&one.sub(c))
}

#[cfg(test)]
mod tests {
    use super::super::Composition;
    use super::*;

    fn read(text: &str) -> Composition {
        Composition::parse_closed(text).expect(text)
    }

    /// Of linear maps the last iterate is Gaussian noise moved by `sum c^j` over the root of `sum c^(2j)`, which
    /// attains the bound.
    #[test]
    fn linear_maps_attain_it() {
        for (steps, c) in [(1u32, (1, 2)), (2, (0, 1)), (2, (1, 3)), (7, (9, 10)), (5, (1, 1))] {
            let c = Rational::from(c);
            let (mut moved, mut noise, mut power) = (Rational::new(), Rational::new(), Rational::from(1));
            for _ in 0..steps {
                moved += &power;
                noise += power.clone().square();
                power *= &c;
            }
            let truth: Real = format!("3/2*sqrt({})", moved.square() / noise).parse().expect("a root");
            let found = read(&format!("noisy-gd(steps={steps}, ratio=3/2, contraction={c})"));
            assert_eq!(found.factors(), [(Gdp::new(truth).expect("a mu").into(), 1)], "{steps} {c}");
        }
    }

    /// Many steps that contract are as one number of them, which is rounded up; numbers out of range are refused.
    #[test]
    fn edges() {
        let composition = read("noisy-gd(steps=4611686018427387904, ratio=1/5, contraction=0.9)");
        // ratio sqrt((1+c)/(1-c)) is the limit.
        let limit: Real = "1/5*sqrt(19)".parse().expect("a root");
        let delta = |text: &str| {
            let curve = crate::compose::curve(&read(text), crate::compose::Method::Auto, &enclosure::Budget::default());
            let direction = crate::curve::Direction::Forward;
            curve.expect(text).delta(&Real::one(), direction, 60, &enclosure::Budget::default()).expect(text)
        };
        assert!(composition.to_string().len() < 200, "{composition}");
        let [found, truth] =
            [composition.to_string(), format!("gdp(mu={limit})")].map(|text| delta(&text).enclosure(60));
        assert!(found.overlaps(&truth), "{found:?} {truth:?}");
        for (arguments, told) in [
            ("steps=0, ratio=1, contraction=1/2", "steps must be at least 1, not 0"),
            ("steps=3/2, ratio=1, contraction=1/2", "steps"),
            ("steps=2, ratio=-1, contraction=1/2", "ratio must be at least 0, not -1"),
            ("steps=2, ratio=1, contraction=3/2", "contraction must be between 0 and 1, not 3/2"),
            ("steps=2, ratio=1", "`contraction` is missing"),
        ] {
            let error = Composition::parse_closed(&format!("noisy-gd({arguments})")).expect_err(arguments);
            assert!(error.message().contains(told), "{arguments}: {error}");
        }
    }
}
