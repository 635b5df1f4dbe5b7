//! Bounds from what each part of a composition promises alone: for answers that no engine gives of the whole.
//!
//! For each part of a composition, let `e_i` be an upper bound on the epsilon at which its profile, in the worse
//! direction, is `d_i`. The part is `(e_i, d_i)`-DP, so its pair is a post-processing of the worst such mechanism
//! (Kairouz, Oh, Viswanath, Theorem 2.1 with Blackwell's theorem). The composition is then a post-processing of the
//! composition of these mechanisms, in either direction. So for all `e_i` and `d_i`,
//!
//! * the profile of the composition, and its inverse, are at most those of `prod approx-dp(e_i, d_i)`;
//! * its trade-off function is at least that one's.
//!
//! The parts are the factors, each with all its runs; of one factor alone, its runs. Their `d_i` are equal and add up
//! to a share of the delta that is asked at, or to one of some numbers that are tried, of which the best bound is kept.
//! With `e_i = 0` the `d_i` are the total variation distances of the parts: this is the union bound, the best one where
//! the parts hardly ever differ.
//! Paper proof: `proofs/paper/answers.md`.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::planner;
use super::proven::{By, Proven};
use crate::alarm::declined;
use crate::compose::{Engines, Method};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::query::{Quantity, Query};
use crate::statement;
use enclosure::{Budget, Enclosure, Number, Real};

/// Precision of bounds.
const BITS: u32 = 64;

/// Digits of what parts promise, and of what follows.
const DIGITS: u32 = 4;

/// Epsilons from `2^-4096` to `2^14` are fractions that anything can be done with: larger ones are of no use to
/// anybody, and their exponentials take as many bits.
const LEAST: i32 = -4096;
const LARGEST: i32 = 14;

/// Deltas of all parts together, in tenths to the power, where none is asked at.
const TRIED: [u32; 7] = [1, 2, 3, 5, 7, 10, 14];

/// By what parts promise.
const PARTS: By = ("the promises of its parts, composed", &statement::PARTS_COMPOSED);

/// Record what follows from the parts, if there are any.
pub(super) fn record(query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    // Of the worst mechanisms themselves nothing new would follow.
    if declined(query.mechanism.pairs())?.is_none_or(|pairs| pairs.iter().all(|(pair, _)| pair.as_response().is_some()))
    {
        return Ok(());
    }
    let parts = parts(&query.mechanism);
    if parts.iter().map(|(_, times)| *times).fold(0, u64::saturating_add) < 2 {
        return Ok(());
    }
    let bound = match &query.quantity {
        Quantity::Epsilon { delta } if delta.sign() == Some(Ordering::Greater) => {
            // Half of it is left for their composition.
            let all = delta.mul_rational(&Rational::from((1, 2)));
            let Some(worst) = worst(&parts, &all, budget)? else { return Ok(()) };
            asked(&worst, &query.quantity, budget)?.map(|bound| Enclosure::zero(BITS).hull(&bound))
        }
        Quantity::Delta { epsilon } if !usual(epsilon) => None,
        Quantity::Delta { .. } | Quantity::Beta { .. } | Quantity::Tv => tried(query, &parts, budget)?,
        _ => None,
    };
    let Some(bound) = bound else { return Ok(()) };
    proven.record(&query.quantity, Direction::Worst, &Value::Finite(Number::Enclosed(bound)), PARTS)
}

/// Is it no larger than what the worst mechanisms are asked for?
fn usual(epsilon: &Real) -> bool {
    epsilon.enclosure(BITS).upper().get_exp().is_none_or(|exponent| exponent <= LARGEST)
}

/// The factors, each with all its runs; or the single runs of the only factor.
fn parts(composition: &Composition) -> Vec<(Composition, u64)> {
    match composition.single() {
        Some((mechanism, times)) => vec![(mechanism.clone().into(), times)],
        None => composition.blocks().into_iter().map(|block| (block, 1)).collect(),
    }
}

/// The best of the bounds of a profile or of a trade-off function.
fn tried(query: &Query, parts: &[(Composition, u64)], budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let least = matches!(query.quantity, Quantity::Beta { .. });
    let better = |bound: &Enclosure, best: &Enclosure| match least {
        true => bound.lower() > best.lower(),
        false => bound.upper() < best.upper(),
    };
    let mut best: Option<Enclosure> = None;
    for (at, tenths) in TRIED.into_iter().enumerate() {
        let left = (TRIED.len() - at) as u32;
        let share = budget.share((1, left.min(3)), None);
        let all = Real::from(Rational::from((1, rug::Integer::u_pow_u(10, tenths))));
        let Some(worst) = worst(parts, &all, &share)? else { continue };
        let Some(bound) = asked(&worst, &query.quantity, &share)? else { continue };
        if best.as_ref().is_some_and(|best| !better(&bound, best)) {
            break;
        }
        best = Some(bound);
    }
    if let Some(apart) = apart(parts, budget)?
        && let Some(bound) = asked(&apart, &query.quantity, budget)?
        && best.as_ref().is_none_or(|best| better(&bound, best))
    {
        best = Some(bound);
    }
    let (zero, one) = (Enclosure::zero(BITS), Enclosure::one(BITS));
    Ok(best.map(|bound| match &query.quantity {
        Quantity::Beta { alpha } => bound.hull(&(&one - &alpha.enclosure(BITS)).positive_part()),
        _ => zero.hull(&bound),
    }))
}

/// The composition of the worst mechanisms that promise what the parts do, where each fails with an equal share of
/// this.
fn worst(parts: &[(Composition, u64)], all: &Real, budget: &Budget) -> Result<Option<Composition>, Error> {
    let count: rug::Integer = parts.iter().map(|(_, times)| rug::Integer::from(*times)).sum();
    let share = all.mul_rational(&Rational::from((1, count)));
    let mut worst = Composition::default();
    for (at, (part, times)) in parts.iter().enumerate() {
        let budget = budget.share((1, (parts.len() - at) as u32 + 1), None);
        let Some(bound) = asked(part, &Quantity::Epsilon { delta: share.clone() }, &budget)? else { return Ok(None) };
        let Some(epsilon) = fraction_above(bound.upper()) else { return Ok(None) };
        let one = Composition::approx_dp(Real::from(epsilon), share.clone())?;
        worst = worst.and(&one.repeat(*times)?)?;
    }
    Ok(Some(worst))
}

/// The composition of the worst mechanisms that fail with the total variation distance of each part, and leak nothing
/// else.
fn apart(parts: &[(Composition, u64)], budget: &Budget) -> Result<Option<Composition>, Error> {
    let mut apart = Composition::default();
    for (at, (part, times)) in parts.iter().enumerate() {
        let budget = budget.share((1, (parts.len() - at) as u32 + 1), None);
        let Some(distance) = asked(part, &Quantity::Tv, &budget)? else { return Ok(None) };
        let Some(delta) = fraction_above(distance.upper()) else { return Ok(None) };
        let one = Composition::approx_dp(Real::zero(), Real::from(delta.min(Rational::from(1))))?;
        apart = apart.and(&one.repeat(*times)?)?;
    }
    Ok(Some(apart))
}

/// A fraction that is not below this number, and not long; `None` for what is too large.
fn fraction_above(x: &Float) -> Option<Rational> {
    match x.get_exp() {
        Some(exponent) if exponent > LARGEST => None,
        Some(exponent) if exponent < LEAST => Some(Rational::from(1) >> LEAST.unsigned_abs()),
        _ => x.to_rational(),
    }
}

/// An upper bound on a quantity of a composition, in the worse direction; `None` if there is none.
pub(super) fn asked(
    composition: &Composition,
    quantity: &Quantity,
    budget: &Budget,
) -> Result<Option<Enclosure>, Error> {
    // What was found before stays.
    if budget.check().is_err() {
        return Ok(None);
    }
    let query = Query::new(quantity.clone(), composition.clone()).with_digits(DIGITS);
    let engines = Engines::new(composition.clone(), Method::Auto);
    let found = declined(planner::answered(&engines, &query, budget, &Proven::default()))?;
    Ok(found.and_then(|answer| answer.outcome.number()).map(|number| number.enclosure(BITS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};

    fn query(quantity: &str, mechanism: &str, at: &str) -> Query {
        let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at}}}"#);
        serde_json::from_str(&line).expect("a query")
    }

    /// What the parts alone say of the worse direction.
    fn bounds(query: &Query) -> Option<Enclosure> {
        let proven = Proven::default();
        record(query, &Budget::default(), &proven).expect("no alarm");
        proven.best(query).expect("no alarm").map(|(set, _)| Number::from(&set).enclosure(BITS))
    }

    /// No bound is on the wrong side of the truth, whichever direction is asked.
    #[test]
    fn bounds_hold() {
        for mechanism in [
            "gaussian(sigma=2)^3",
            "gaussian(sigma=2) * laplace(scale=3)^2",
            "poisson(rate=1/4, gaussian(sigma=1))^2 * randomized-response(epsilon=1/2)",
            "finite(p=[1/50,1/2,12/25], q=[0,1/4,3/4])^2",
        ] {
            for (quantity, at) in [
                ("delta", r#"{"epsilon":"0"}"#),
                ("delta", r#"{"epsilon":"1"}"#),
                ("epsilon", r#"{"delta":"1/10"}"#),
                ("epsilon", r#"{"delta":"1/1000"}"#),
                ("beta", r#"{"alpha":"1/100"}"#),
                ("beta", r#"{"alpha":"1/2"}"#),
                ("tv", "{}"),
            ] {
                let asked = query(quantity, mechanism, at);
                let truth = |direction| {
                    let query = asked.clone().with_direction(direction);
                    answer(&query, &Budget::default()).expect("an answer").outcome
                };
                let Some(bound) = bounds(&asked) else {
                    // What fails outright in one direction has no epsilon, and no promise.
                    assert!(matches!(truth(Direction::Worst), Outcome::Infinite), "{mechanism} {quantity} {at}");
                    continue;
                };
                for direction in [Direction::Worst, Direction::Forward, Direction::Backward] {
                    let truth = truth(direction).number().expect("a number").enclosure(BITS);
                    assert!(bound.overlaps(&truth), "{mechanism} {quantity} {at} {direction:?}: {bound:?}");
                }
            }
        }
    }

    /// Never below, and short.
    #[test]
    fn fractions_are_above() {
        let power = |exponent: i32| Float::with_val(64, Float::i_exp(1, exponent));
        for exponent in [-1_000_000_000, -5000, -4097, -10, 0, 13] {
            let (x, found) = (power(exponent), fraction_above(&power(exponent)).expect("a fraction"));
            assert!(found >= x && found.denom().significant_bits() <= 4100, "{exponent}");
        }
        assert_eq!(fraction_above(&Float::new(64)), Some(Rational::new()));
        assert!(fraction_above(&power(1_000_000_000)).is_none());
    }

    /// Randomised responses are the worst of their kind: of them the bound is all but the truth, so that one that
    /// forgets a run or a share of the failures would miss it.
    #[test]
    fn bounds_are_sharp() {
        let query =
            query("delta", "approx-dp(epsilon=1/2, delta=1/100)^2 * gdp(mu=1/1000000)", r#"{"epsilon":"9/10"}"#);
        let found = answer(&query, &Budget::default()).expect("an answer").outcome.number().expect("a number");
        let (truth, bound) = (found.enclosure(BITS), bounds(&query).expect("a bound"));
        assert!(truth.lower() <= bound.upper(), "{bound:?} {truth:?}");
        let twice = truth.mul_u32(2);
        assert!(bound.upper() < twice.lower(), "{bound:?} {truth:?}");
    }

    /// Of runs that hardly ever differ the union bound is best: a thousand billion samples at a rate of `1e-30` differ
    /// with probability `1e-18` at most.
    #[test]
    fn rare_differences_add_up() {
        let mechanism = "poisson(rate=1e-30, gaussian(sigma=1e-3))^1000000000000";
        for (quantity, at) in [("delta", r#"{"epsilon":"1"}"#), ("tv", "{}")] {
            let bound = bounds(&query(quantity, mechanism, at)).expect("a bound");
            assert!(*bound.lower() == 0 && *bound.upper() <= 1.000_001e-18, "{quantity}: {bound:?}");
        }
        let bound = bounds(&query("beta", mechanism, r#"{"alpha":"1/4"}"#)).expect("a bound");
        assert!(*bound.upper() <= 0.750_001 && *bound.lower() >= 0.749_999, "{bound:?}");
    }

    /// Compositions that no engine has an answer to, each with a bound of its own.
    #[test]
    fn what_no_engine_answers_has_an_epsilon() {
        for (mechanism, at_most) in [
            ("group(k=2, poisson(rate=1/10, gaussian(sigma=1)))^3", 20.0),
            ("gaussian(sigma=1) * shuffle(n=100, epsilon0=2)", 8.0),
        ] {
            let bound = bounds(&query("epsilon", mechanism, r#"{"delta":"1e-5"}"#)).expect("a bound");
            assert!(*bound.lower() == 0 && *bound.upper() <= at_most, "{mechanism}: {bound:?}");
        }
    }
}
