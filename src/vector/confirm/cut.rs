//! A few runs of pairs of which all outcomes but a few are cut off: between two pairs in fractions.
//!
//! What a mechanism means is read from its documentation again, operators are applied to polygons by their definitions,
//! and the counts of outcomes of both pairs are listed. That neither knows transforms nor the ways in which the engines
//! round and cut.

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use rug::Rational;

use super::{Claim, enumeration, numbers, operators, require};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::cut::{Between, discrete_gaussian};
use crate::route::finite::Tuples;
use crate::route::polygon::Polygon;

/// The digits that it has, where an engine has few.
const DIGITS: u32 = 10;
/// Bits of the masses, beyond the size of a delta.
const BITS: u64 = 64;
/// Those of `e^epsilon`.
const POWER_BITS: u64 = 300;

/// The pairs around a composition, by counts of outcomes.
struct Around {
    below: Tuples,
    above: Tuples,
}

/// The trade-off functions around a mechanism.
fn between(mechanism: &Mechanism, bits: u64) -> Result<Between, Error> {
    let inside = |side: fn(Between) -> Polygon| {
        operators::polygon(mechanism, &|part: &Composition| match part.factors() {
            [(mechanism, 1)] => Ok(side(between(mechanism, bits)?)),
            _ => Err(Error::input("no second route for compositions inside operators")),
        })
    };
    let whole = match mechanism {
        Mechanism::DiscreteGaussian(m) => {
            Between::of_draw(&discrete_gaussian(&numbers::second(m.sigma2())?, m.sensitivity(), bits))
        }
        // `P' = (1-rate) Q + rate P` against Q: the other way round it is `rate f + (1-rate) Id`.
        Mechanism::Poisson(m) => {
            let rate = numbers::second(numbers::rational(m.rate(), "rate")?)?;
            between(m.inner(), bits)?.each(|f| f.inverse().sampled(&rate).inverse())
        }
        operator if operators::is_one(operator) => {
            Between { below: inside(|between| between.below)?, above: inside(|between| between.above)? }
        }
        finite => Between::of_draw(&enumeration::outcomes(finite)?),
    };
    // Fractions of operators are long.
    Ok(whole.rounded(bits))
}

impl Around {
    fn of(composition: &Composition, bits: u64) -> Result<Self, Error> {
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for (mechanism, times) in composition.factors() {
            let times = u32::try_from(*times).map_err(|_| Error::input("too many outcomes to enumerate"))?;
            let between = between(mechanism, bits)?;
            for (factors, polygon) in [(&mut below, between.below), (&mut above, between.above)] {
                let (p, q) = polygon.outcomes().iter().map(|(p, q)| (p.to_string(), q.to_string())).unzip();
                factors.push((p, q, times));
            }
        }
        Ok(Around { below: Tuples::counted(&below)?, above: Tuples::counted(&above)? })
    }

    fn towards(self, direction: Direction) -> Result<Self, Error> {
        match direction {
            Direction::Forward => Ok(self),
            Direction::Backward => Ok(Around { below: self.below.swapped(), above: self.above.swapped() }),
            Direction::Worst => Err(Error::input("the second route takes one direction")),
        }
    }

    /// Bounds of the profile at a power between these.
    fn delta(&self, (low, high): &(Second, Second)) -> (Second, Second) {
        (self.above.delta(high), self.below.delta(low))
    }
}

/// Does it agree?
///
/// # Errors
/// Where it does not, or is no narrower than [`DIGITS`]; where a mechanism has no route, or too many outcomes.
pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let (lower, _) = claim.within()?;
    // A delta is a sum of such masses.
    let size = match &query.quantity {
        Quantity::Epsilon { delta } => numbers::rational(delta, "delta")?.clone(),
        _ => lower.clone(),
    };
    let tiny = u64::from(size.denom().significant_bits().saturating_sub(size.numer().significant_bits()));
    let around = Around::of(&query.mechanism, tiny + BITS)?.towards(query.direction)?;
    match &query.quantity {
        Quantity::Delta { epsilon } => {
            let found = around.delta(&numbers::exp_bounds(epsilon, POWER_BITS)?);
            claim.agrees_to(&numbers::first_both(&found)?, DIGITS)
        }
        Quantity::Beta { alpha } => {
            let alpha = numbers::second(numbers::rational(alpha, "alpha")?)?;
            let found = (around.below.beta(&alpha), around.above.beta(&alpha));
            claim.agrees_to(&numbers::first_both(&found)?, DIGITS)
        }
        Quantity::Epsilon { delta } => {
            let target = numbers::second(numbers::rational(delta, "delta")?)?;
            let (lower, upper) = claim.within()?;
            let at =
                |end: &Rational| Ok::<_, Error>(around.delta(&numbers::exp_bounds(&end.clone().into(), POWER_BITS)?));
            let left = lower.is_zero() || at(lower)?.0 >= target;
            require(left && at(upper)?.1 <= target, "the delta at both ends")
        }
        _ => Err(Error::input("not a curve")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::confirm::Routes;
    use crate::vector::few::{self, Second};
    use crate::vector::suite::all;

    /// What engines of few digits say is confirmed, and what is beside it is not: of each mechanism that is asked.
    #[test]
    fn right_claims_are_confirmed_and_wrong_ones_are_not() {
        let mut seen = std::collections::HashSet::new();
        for suite in all().iter().filter(|suite| suite.family == "few-digits") {
            for case in &suite.cases {
                let Some(ways) = case.ways.filter(|ways| ways.second == Second::Outcomes) else { continue };
                if !seen.insert((case.mechanism.clone(), suite.quantity)) {
                    continue;
                }
                let question = case.question(suite.quantity, 40).expect("a question");
                let query = question.query().expect("a query");
                let told = few::told(query, ways.engine).expect("digits");
                let claim = Claim::of(&crate::answer::Outcome::Enclosure(told.set)).expect("a claim");
                confirm(query, &claim).expect("it is so");
                let (lower, upper) = claim.within().expect("a number");
                // An engine may have more digits than the route.
                let near = upper * Rational::from((1, 1_000_000_000u64));
                let width = (Rational::from(upper - lower) * 2u32).max(near);
                for wrong in [
                    Claim::Within(Rational::from(lower - &width), Rational::from(upper - &width)),
                    Claim::Within(Rational::from(lower + &width), Rational::from(upper + &width)),
                ] {
                    assert!(confirm(query, &wrong).is_err(), "{} at {}", case.mechanism, case.at);
                }
            }
        }
        assert!(seen.len() > 12, "{seen:?}");
        assert!(Routes::default().confirm_few(&worst(), &exact(), Second::Outcomes).is_err());
    }

    /// Of both directions, where the route takes one.
    fn worst() -> Query {
        let line = r#"{"quantity":"delta","mechanism":"discrete-gaussian(sigma2=1)","at":{"epsilon":"1"}}"#;
        serde_json::from_str(line).expect("a query")
    }

    fn exact() -> crate::answer::Outcome {
        crate::answer::Outcome::of(enclosure::Number::Exact(Rational::from((1, 10))))
    }
}
