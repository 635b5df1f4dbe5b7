//! Bounds for a mixture of compositions of which some contain a guarantee, and for its operators on both directions.
//!
//! On disjoint outcomes profiles are additive: `H_x(P,Q) = sum_i w_i H_x(P_i,Q_i)`. Each is at most the best bound that
//! follows from the guarantee of its part. Each part may be the worst one that satisfies its guarantee, independently
//! of the others, so no bound at one epsilon is better. The smallest epsilon and the trade-off function follow from the
//! bound on the profile.
//!
//! For `inverse(..)` of such a composition the bounds are those of the other direction, as is its profile. The profile
//! of `hull(..)` is the larger one of both directions, so the larger of both bounds is a bound, and at alpha 0 the
//! smaller of both lower bounds. This holds for any composition, including a guarantee composed with pairs. The
//! trade-off function of `symmetrize(..)` is at least f and at least `f^-1`: its profile is at most the smaller of both
//! bounds, and it is at least the larger of both lower bounds.

use std::cmp::Ordering;

use crate::compose::{Hull, Revealed, Reversed, by_any};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism, Mixture};
use crate::pair::Pair;
use crate::statement::{self, Statement};
use crate::theorem::guarantee::Guarantee;
use enclosure::{Budget, Number, Real};

const METHOD: &str = "the bounds of all parts, weighted";

/// The bounds for a composition that is one such mixture, or one of both orders of what has such bounds.
///
/// # Errors
/// Those of the parts.
pub(super) fn weighted(composition: &Composition) -> Result<Option<Weighted>, Error> {
    let [(mechanism, 1)] = composition.factors() else { return Ok(None) };
    if !composition.has_guarantee() {
        return Ok(None);
    }
    Ok(match mechanism {
        Mechanism::Mixture(mixture) => of_parts(mixture)?,
        Mechanism::Inverse(other) => weighted(other.inner())?.map(Weighted::turned),
        Mechanism::Symmetrize(both) => weighted(both.inner())?.map(Weighted::larger),
        Mechanism::Hull(both) => match weighted(both.inner())? {
            Some(inside) => Some(inside.hull()),
            // Of guarantees alone the whole is one.
            None if matches!(Guarantee::of(composition), Err(Error::Undefined(_))) => {
                Guarantee::of(both.inner())?.map(|inside| Weighted::promised(inside).hull())
            }
            None => None,
        },
        _ => None,
    })
}

/// The bounds of one mixture, if any of its parts is known by a guarantee.
fn of_parts(mixture: &Mixture) -> Result<Option<Weighted>, Error> {
    let mut parts: Vec<(Real, Box<dyn Curve>)> = Vec::new();
    let mut any = false;
    let mut infinite = [Real::zero(), Real::zero()];
    let mut add = |weight: &Real, masses: [&Real; 2]| -> Result<(), Error> {
        for (sum, mass) in infinite.iter_mut().zip(masses) {
            *sum = sum.add(&weight.mul(mass)?);
        }
        Ok(())
    };
    for (weight, part) in mixture.parts() {
        if weight.is_zero() {
            any |= !matches!(Guarantee::of(part), Ok(None));
            continue;
        }
        let curve: Box<dyn Curve> = match weighted(part)? {
            Some(inside) => {
                any = true;
                add(weight, inside.infinite.each_ref())?;
                Box::new(inside)
            }
            None => match Guarantee::of(part)? {
                Some(guarantee) => {
                    any = true;
                    let failure = guarantee.failure();
                    add(weight, [&failure, &failure])?;
                    Box::new(Promised(guarantee))
                }
                None => {
                    let pairs = part.pairs()?;
                    let ends = Pair::several(pairs.clone()).ends()?;
                    add(weight, [&ends.infinite_p, &ends.infinite_q])?;
                    by_any(pairs)
                }
            },
        };
        parts.push((weight.clone(), curve));
    }
    Ok(any.then(|| Weighted { bounds: Box::new(Revealed::new(parts, false)), infinite, method: METHOD }))
}

/// Bounds of a mixture, or of what is made of both its orders.
pub(super) struct Weighted {
    bounds: Box<dyn Curve>,
    /// Masses at infinity, forward and backward: those of the parts that have pairs, and what fails outright beside
    /// guarantees.
    infinite: [Real; 2],
    method: &'static str,
}

impl Weighted {
    /// Of one guarantee.
    fn promised(guarantee: Guarantee) -> Self {
        let failure = guarantee.failure();
        Weighted { bounds: Box::new(Promised(guarantee)), infinite: [failure.clone(), failure], method: METHOD }
    }

    /// Of the inverse.
    fn turned(self) -> Self {
        let [forward, backward] = self.infinite;
        Weighted { bounds: Box::new(Reversed::new(self.bounds)), infinite: [backward, forward], ..self }
    }

    /// Of the hull of both orders.
    fn hull(self) -> Self {
        let mass = self.mass(Ordering::Greater);
        let bounds = Box::new(Hull::new(Box::new(self)));
        Weighted { bounds, infinite: [mass.clone(), mass], method: "the larger one of the bounds of both orders" }
    }

    /// Of the larger trade-off function of both orders.
    fn larger(self) -> Self {
        let mass = self.mass(Ordering::Less);
        let bounds = Box::new(Lesser(Box::new(self)));
        Weighted { bounds, infinite: [mass.clone(), mass], method: "the smaller one of the bounds of both orders" }
    }

    /// The larger or the smaller one of both masses at infinity; where that is not told, either.
    fn mass(&self, which: Ordering) -> Real {
        let [forward, backward] = &self.infinite;
        if backward.compare(forward) == Some(which) { backward.clone() } else { forward.clone() }
    }
}

/// The smaller one of the bounds of both directions: of what is at least as private as either.
struct Lesser(Box<Weighted>);

impl Curve for Lesser {
    fn symmetric(&self) -> bool {
        true
    }

    fn delta(&self, epsilon: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let forward = self.0.delta(epsilon, Direction::Forward, bits, budget)?;
        Ok(forward.min(&self.0.delta(epsilon, Direction::Backward, bits, budget)?))
    }

    fn epsilon(&self, delta: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let forward = self.0.epsilon(delta, Direction::Forward, bits, budget)?;
        Ok(forward.min(&self.0.epsilon(delta, Direction::Backward, bits, budget)?))
    }

    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let forward = self.0.beta(alpha, Direction::Forward, bits, budget)?;
        Ok(forward.max(&self.0.beta(alpha, Direction::Backward, bits, budget)?))
    }

    fn method(&self) -> &'static str {
        self.0.method
    }

    fn statement(&self) -> &'static Statement {
        &statement::OPERATORS
    }
}

/// The bounds that follow from a guarantee, as a part of a mixture.
struct Promised(Guarantee);

impl Curve for Promised {
    fn symmetric(&self) -> bool {
        false
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.0.delta(epsilon, direction, bits, budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.0.epsilon(delta, direction, bits, budget)
    }

    fn beta(&self, alpha: &Real, _direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.0.beta(alpha, bits, budget)
    }

    fn method(&self) -> &'static str {
        METHOD
    }

    fn statement(&self) -> &'static Statement {
        &statement::GOOD_ORDER
    }
}

impl Curve for Weighted {
    fn symmetric(&self) -> bool {
        self.bounds.symmetric()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.bounds.delta(epsilon, direction, bits, budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        // No epsilon is enough where losses are infinite.
        let [forward, backward] = &self.infinite;
        let mass = if direction == Direction::Backward { backward } else { forward };
        if delta.compare(mass) == Some(Ordering::Less) {
            return Ok(Value::Infinite);
        }
        self.bounds.epsilon(delta, direction, bits, budget)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.bounds.beta(alpha, direction, bits, budget)
    }

    fn beta_of_both(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        let curve: &dyn Curve = self;
        Hull::new(curve).by_lines(alpha, bits, budget).map(Some)
    }

    fn method(&self) -> &'static str {
        self.method
    }

    fn statement(&self) -> &'static Statement {
        self.bounds.statement()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Outcome, answer};
    use crate::query::Query;
    use enclosure::Enclosure;

    fn asked(quantity: &str, mechanism: &str, at: &str) -> Answer {
        let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at},"digits":12}}"#);
        let query: Query = serde_json::from_str(&line).expect("a query");
        answer(&query, &Budget::default()).expect("an answer")
    }

    fn number(quantity: &str, mechanism: &str, at: &str) -> Enclosure {
        let outcome = asked(quantity, mechanism, at).outcome;
        outcome.number().unwrap_or_else(|| panic!("{mechanism}: {outcome:?}")).enclosure(100)
    }

    const MIXED: &str = "mixture(1/4: zcdp(rho=1/10), 3/4: gdp(mu=1))";

    /// Each part has its weight, and inside of another mixture as well.
    #[test]
    fn profiles_are_added() {
        let at = r#"{"epsilon":"1"}"#;
        let [zcdp, gdp] = ["zcdp(rho=1/10)", "gdp(mu=1)"].map(|part| number("delta", part, at));
        let sum = |a: u32, b: u32| &zcdp.mul_u32(a).shift(-3) + &gdp.mul_u32(b).shift(-3);
        assert!(number("delta", MIXED, at).overlaps(&sum(2, 6)));
        assert!(number("delta", &format!("mixture(1/2: {MIXED}, 1/2: gdp(mu=1))"), at).overlaps(&sum(1, 7)));
        // What has no bound of its divergences has a profile all the same.
        let sample = "poisson(rate=1/2, gdp(mu=1))";
        let mixed = format!("mixture(1/2: zcdp(rho=1/10), 1/2: {sample})");
        let both = &zcdp.shift(-1) + &number("delta", sample, at).shift(-1);
        assert!(number("delta", &mixed, at).overlaps(&both));
        assert!(matches!(asked("renyi", &mixed, r#"{"order":"2"}"#).outcome, Outcome::Undefined(_)));
    }

    /// The epsilon of a delta has that delta, and a mixture of one part is that part.
    #[test]
    fn epsilons_and_betas_follow() {
        let epsilon = number("epsilon", MIXED, r#"{"delta":"1/20"}"#);
        let truth = Enclosure::rational(&rug::Rational::from((1, 20)), 100);
        let ends = [epsilon.lower(), epsilon.upper()].map(|end| {
            let exact = end.to_rational().expect("a number");
            number("delta", MIXED, &format!(r#"{{"epsilon":"{exact}"}}"#))
        });
        let [left, right] = &ends;
        assert!(left.upper() >= truth.lower() && right.lower() <= truth.upper(), "{epsilon:?} {ends:?}");
        for (quantity, at) in [("beta", r#"{"alpha":"1/10"}"#), ("epsilon", r#"{"delta":"1/1000"}"#)] {
            let alone = number(quantity, "mixture(1: zcdp(rho=1/10))", at);
            assert!(alone.overlaps(&number(quantity, "zcdp(rho=1/10)", at)), "{quantity}: {alone:?}");
        }
    }

    /// Gaussian noise keeps the promise: it has no larger profile, and no smaller trade-off function.
    #[test]
    fn what_keeps_the_promise_is_within() {
        let kept = "mixture(1/4: gdp(mu=sqrt(1/5)), 3/4: gdp(mu=1))";
        for (quantity, at) in [("delta", r#"{"epsilon":"1/2"}"#), ("epsilon", r#"{"delta":"1/1000"}"#)] {
            assert!(number(quantity, kept, at).upper() < number(quantity, MIXED, at).lower(), "{quantity}");
        }
        let at = r#"{"alpha":"1/10"}"#;
        assert!(number("beta", kept, at).lower() > number("beta", MIXED, at).upper());
    }

    #[test]
    fn masses_at_infinity_leave_no_epsilon() {
        let mixed = "mixture(1/2: zcdp(rho=1/10), 1/2: approx-dp(epsilon=1, delta=1/10))";
        assert!(matches!(asked("epsilon", mixed, r#"{"delta":"1/25"}"#).outcome, Outcome::Infinite));
        assert!(*number("epsilon", mixed, r#"{"delta":"6/100"}"#).lower() > 0);
        let beside = "mixture(1/2: zcdp(rho=1/10) * approx-dp(epsilon=1, delta=1/10), 1/2: gdp(mu=1))";
        assert!(matches!(asked("epsilon", beside, r#"{"delta":"1/25"}"#).outcome, Outcome::Infinite));
        for unbounded in [MIXED, "mixture(1/4: zcdp(rho=1/10), 3/4: randomized-response(epsilon=1))"] {
            assert!(matches!(asked("epsilon", unbounded, r#"{"delta":"0"}"#).outcome, Outcome::Infinite));
        }
    }

    /// At alpha 0 each part has its own, and what has no weight is not there.
    #[test]
    fn ends_are_closed() {
        let at = r#"{"alpha":"0"}"#;
        assert!(number("beta", MIXED, at).contains(&rug::Rational::from(1)));
        let failing = "mixture(1/4: zcdp(rho=1/10), 3/4: approx-dp(epsilon=1, delta=1/10))";
        let found = number("beta", failing, at);
        assert!(found.contains(&rug::Rational::from((37, 40))) && found.relative_bits() >= Some(30), "{found:?}");
        let one = r#"{"epsilon":"1"}"#;
        let nothing = number("delta", "mixture(0: zcdp(rho=1/10), 1: gdp(mu=1))", one);
        assert!(nothing.overlaps(&number("delta", "gdp(mu=1)", one)));
    }

    /// What follows for both orders: of the inverse in the other direction, of the hull the larger one, and of the
    /// larger trade-off function the smaller one. What keeps the promise is within.
    #[test]
    fn both_orders_have_bounds() {
        let sample = "poisson(rate=1/2, gdp(mu=1))";
        let [mixed, kept] =
            ["zcdp(rho=1/10)", "gdp(mu=sqrt(1/5))"].map(|own| format!("mixture(1/2: {own}, 1/2: {sample})"));
        let [beside, own] = ["zcdp(rho=1/10)", "gdp(mu=sqrt(1/5))"].map(|own| format!("{own} * {sample}"));
        let of = |quantity: &str, mechanism: &str, direction: &str| {
            let (at, digits) = match quantity {
                "delta" => (r#"{"epsilon":"1"}"#, 8),
                "epsilon" => (r#"{"delta":"1/1000"}"#, 4),
                _ => (r#"{"alpha":"1/20"}"#, 2),
            };
            let asked = format!(r#""mechanism":"{mechanism}","at":{at},"direction":"{direction}""#);
            let line = format!(r#"{{"quantity":"{quantity}",{asked},"digits":{digits}}}"#);
            let query: Query = serde_json::from_str(&line).expect("a query");
            let outcome = answer(&query, &Budget::default()).expect("an answer").outcome;
            outcome.number().unwrap_or_else(|| panic!("{mechanism}: {outcome:?}")).enclosure(100)
        };
        for quantity in ["delta", "epsilon", "beta"] {
            let sides = ["forward", "backward"].map(|direction| of(quantity, &mixed, direction));
            assert!(!sides[0].overlaps(&sides[1]), "{quantity}");
            let [least, most] = [sides[0].min(&sides[1]), sides[0].max(&sides[1])];
            let grows = quantity != "beta";
            let [better, worse] = if grows { [least, most] } else { [most, least] };
            let [hull, larger] = ["hull", "symmetrize"].map(|both| of(quantity, &format!("{both}({mixed})"), "worst"));
            assert!(hull.overlaps(&worse) && larger.overlaps(&better), "{quantity}: {hull:?} {larger:?} {sides:?}");
        }
        let [forward, backward] = ["forward", "backward"].map(|direction| of("delta", &mixed, direction));
        let inverse = format!("inverse({mixed})");
        assert!(of("delta", &inverse, "forward").overlaps(&backward));
        assert!(of("delta", &inverse, "backward").overlaps(&forward));
        for both in ["inverse", "hull", "symmetrize"] {
            for (promise, own) in [(&mixed, &kept), (&beside, &own)] {
                let [promise, own] = [promise, own].map(|inside| of("delta", &format!("{both}({inside})"), "worst"));
                assert!(own.upper() < promise.lower(), "{both}: {own:?} {promise:?}");
            }
        }
    }

    /// Masses at infinity of one order are those of the hull, and of the larger trade-off function where both have any.
    #[test]
    fn both_orders_have_masses_at_infinity() {
        let failing = "mixture(1/4: zcdp(rho=1/10), 3/4: poisson(rate=1/2, approx-dp(epsilon=1, delta=1/10)))";
        let [hull, larger] = ["hull", "symmetrize"].map(|both| format!("{both}({failing})"));
        let (zero, below) = (r#"{"alpha":"0"}"#, r#"{"delta":"1/30"}"#);
        assert!(number("beta", &hull, zero).contains(&rug::Rational::from((77, 80))));
        assert!(number("beta", &larger, zero).contains(&rug::Rational::from(1)));
        assert!(matches!(asked("epsilon", &hull, below).outcome, Outcome::Infinite));
        assert!(*number("epsilon", &larger, below).lower() > 0);
    }

    /// Where the parts together take too long there is the bound of the worst one.
    #[test]
    fn the_worst_part_is_a_bound() {
        let mixed = "mixture(1/1000000: zcdp(rho=100000), 999999/1000000: gdp(mu=1))";
        let found = number("epsilon", mixed, r#"{"delta":"1/1000000"}"#);
        assert!(found.is_bounded() && *found.upper() > 1, "{found:?}");
    }
}
