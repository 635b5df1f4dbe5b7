//! Many equal runs that all show as much: a lower bound of their profile, for where nothing else is known.
//!
//! Let L be the loss of one run under the first distribution P, Q the second one, and H the profile of one run. If each
//! of T runs has a loss of at least l, with `T l >= eps + c`, the sum is at least `eps + c`, so that
//!
//! `H_T(eps) = E (1 - e^(eps - L_1 - ... - L_T))_+ >= P(L > l)^T (1 - e^-c)`.
//!
//! And `P(L > l) >= e^l Q(L > l)`, where `-Q(L > l)` is the slope of H in `x = e^eps` at l on the right, so that by
//! convexity, for h > 0,
//!
//! `P(L > l) >= (H(l) - H(l + h))/(e^h - 1)`; it is also at least `H(l)`.
//!
//! Near to the largest loss of all runs together there is hardly another way for the sum to come near to it.

use std::sync::Arc;

use rug::Rational;

use super::whole::BITS;
use crate::compose::{Engines, Method};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::LossBound;
use enclosure::{Budget, Enclosure, Real};

/// One of many equal runs, and how many there are.
#[derive(Clone)]
pub(super) struct Alike {
    one: Arc<Engines>,
    times: u64,
}

impl Alike {
    /// Of a composition of one mechanism that is run more than once.
    ///
    /// # Errors
    /// Those of [`Composition::new`].
    pub(super) fn of(composition: &Composition) -> Result<Option<Self>, Error> {
        let [(mechanism, times)] = composition.factors() else { return Ok(None) };
        if *times < 2 {
            return Ok(None);
        }
        let one = Engines::new(Composition::new([(mechanism.clone(), 1)])?, Method::Auto);
        Ok(Some(Alike { one: Arc::new(one), times: *times }))
    }

    /// A lower bound of the profile of all runs at an epsilon, below the largest loss of all, if it is known that they
    /// have one.
    ///
    /// # Errors
    /// Those of the profile of one run.
    pub(super) fn least(
        &self,
        epsilon: &Real,
        largest: &LossBound,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<Enclosure>, Error> {
        let LossBound::At(largest) = largest else { return Ok(None) };
        // What is left to the largest loss, about: any c and h will do.
        let left = largest.sub(epsilon).enclosure(BITS).lower().to_rational().filter(|left| *left > 0);
        let Some(left) = left else { return Ok(None) };
        let (c, h) = (Rational::from(&left / 16u32), left / 2u32 / self.times);
        let each = epsilon.add(&Real::from(c.clone())).mul_rational(&Rational::from((1, self.times)));
        let profile = |at: &Real| self.one.ask(budget, |curve, budget| curve.delta(at, direction, BITS, budget));
        let here = profile(&each)?.enclosure(BITS);
        let there = profile(&each.add(&Real::from(h.clone())))?.enclosure(BITS);
        let set = |value: &Rational| Enclosure::rational(value, BITS);
        let slope = (&here - &there) / set(&h).expm1();
        let mass = here.max(&slope).positive_part();
        Ok(Some(mass.pow(self.times) * -(-set(&c)).expm1()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Composition;
    use crate::pair::Pair;

    /// It is below the profile, and near to where the losses end not far below.
    #[test]
    fn it_is_below_the_profile() {
        for (mechanism, direction, at, most) in [
            ("laplace(scale=1)^3", Direction::Forward, "29/10", 20.0),
            ("laplace(scale=1)^3", Direction::Forward, "2", 200.0),
            ("randomized-response(epsilon=1)^4", Direction::Forward, "39/10", 20.0),
            ("poisson(rate=1/2, gaussian(sigma=1))^5", Direction::Backward, "17/5", 1e6),
            ("poisson(rate=1/100, gaussian(sigma=1))^50", Direction::Backward, "1/2", 1e70),
        ] {
            let composition: Composition = mechanism.parse().expect(mechanism);
            let ends = Pair::several(composition.pairs().expect("pairs")).ends().expect("ends");
            let (least, largest) = ends.losses.expect("losses");
            let end = if direction == Direction::Backward { least.reversed() } else { largest };
            let at = at.parse::<Real>().expect("a number");
            let budget = Budget::default();
            let alike = Alike::of(&composition).expect("runs").expect("many");
            let bound = alike.least(&at, &end, direction, &budget).expect("a bound").expect("an end");
            let engines = Engines::new(composition, Method::Auto);
            let value =
                engines.ask(&budget, |curve, budget| curve.delta(&at, direction, BITS, budget)).expect("a value");
            let value = value.enclosure(BITS);
            assert!(*bound.lower() > 0 && bound.upper() <= value.lower(), "{mechanism}: {bound:?} {value:?}");
            let factor = (&value / &bound).upper().to_f64();
            assert!(factor < most, "{mechanism}: {factor}");
            // Where no loss is beyond, there is none.
            assert!(alike.least(&at, &LossBound::At(at.clone()), direction, &budget).expect("none").is_none());
        }
    }
}
