//! Bounds that hold whatever the mechanism is, or of whatever has Renyi divergences: for answers that no engine gives.

use std::cmp::Ordering;

use super::proven::{By, Proven};
use super::sides::refine_value;
use super::{bounded, concentrated};
use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::divergence::{self, Kind};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{Pair, symmetric};
use crate::query::{Quantity, Query};
use crate::statement;
use crate::theorem::functional::Functional;
use enclosure::{Budget, Enclosure, Number, Real, bits_of_digits};

/// Precision of bounds.
const BITS: u32 = 64;

/// By what holds for any mechanism.
const ANY: By = ("bounds that hold for any mechanism", &statement::ANY_MECHANISM);

/// By moments of the parts.
const CUBES: By = ("moments of the parts", &statement::CUBES_OF_PARTS);

/// By Renyi divergences.
const RENYI: By = ("Renyi divergences, converted", &statement::RENYI_CONVERSION);

/// Orders of Renyi divergences less 1, in eighths: the least bound of these is within some per cent of the least.
const ORDERS: [u32; 24] =
    [1, 2, 4, 6, 8, 12, 16, 24, 32, 40, 56, 72, 96, 128, 176, 240, 336, 480, 720, 1100, 2000, 4000, 16_000, 200_000];

/// What holds for any mechanism, where that is enough: `1 - e^eps <= delta(eps) <= 1`, whose ends agree for eps far
/// below zero.
pub(super) fn far_below_zero(query: &Query, budget: &Budget) -> Result<Option<(Value, By)>, Error> {
    let Quantity::Delta { epsilon } = &query.quantity else { return Ok(None) };
    let value = declined(refine_value(query.digits, budget, |bits| {
        let least = -epsilon.enclosure(bits).expm1();
        // Not worth refining: the width does not depend on the precision.
        let far = least.lower().to_f64() > 0.5 && epsilon.to_f64() < -f64::from(bits_of_digits(query.digits));
        if !far {
            return Err(Error::Undecided("epsilon is not far enough below zero".into()));
        }
        Ok(Value::Finite(Number::Enclosed(least.hull(&Enclosure::one(bits)))))
    }))?;
    Ok(value.map(|value| (value, ANY)))
}

/// Record what holds for any mechanism, where there is an upper bound: `0 <= delta <= 1`,
/// `0 <= beta(alpha) <= 1 - alpha`, and the ranges of bounded divergences. It takes no time.
///
/// Canonical noise is symmetric about 0, so its distribution function is at least 1/2 to the right of 0, and at most
/// 1/2 to the left. It exists if the composition is symmetric and reveals anything.
pub(super) fn certain(query: &Query, proven: &Proven) -> Result<(), Error> {
    if let Quantity::CanonicalCdf { x } = &query.quantity {
        let pairs = declined(query.mechanism.pairs())?.unwrap_or_default();
        let shown = pairs.iter().any(|(pair, _)| !matches!(pair, Pair::Equal));
        let half = Enclosure::one(BITS).shift(-1);
        let Some(end) = x.sign().filter(|_| shown && symmetric(&pairs)).map(|sign| match sign {
            Ordering::Less => Enclosure::zero(BITS),
            Ordering::Equal => half.clone(),
            Ordering::Greater => Enclosure::one(BITS),
        }) else {
            return Ok(());
        };
        let bounds = Value::Finite(Number::Enclosed(half.hull(&end)));
        return proven.record(&query.quantity, Direction::Worst, &bounds, ANY);
    }
    let upper = match &query.quantity {
        Quantity::Delta { .. } | Quantity::Tv => Enclosure::one(BITS),
        // Each distribution has at most twice the mass of the midpoint; `(p-q)^2 <= (p+q)^2`.
        Quantity::Functional(Functional::JensenShannon) => Enclosure::ln_2(BITS),
        Quantity::Functional(Functional::Hellinger | Functional::LeCam) => Enclosure::one(BITS),
        Quantity::Beta { alpha } => (&Enclosure::one(BITS) - &alpha.enclosure(BITS)).positive_part(),
        _ => return Ok(()),
    };
    let bounds = Value::Finite(Number::Enclosed(Enclosure::zero(BITS).hull(&upper)));
    proven.record(&query.quantity, Direction::Worst, &bounds, ANY)
}

/// Record what closed forms say of bounded losses and of bounded divergences. It takes next to no time, and the clock
/// is not asked.
pub(super) fn closed(query: &Query, proven: &Proven) -> Result<(), Error> {
    bounded::record(query, proven)?;
    concentrated::record(query, proven)
}

/// Record bounds of what is asked that need no engine: what is [`certain`], in closed form, and from Renyi divergences.
///
/// With `D` the Renyi divergence of order `a`, `P` against `Q`, and L the loss under P: `E e^((a-1) L) = e^((a-1) D)`,
/// and `(1 - e^(eps - l))_+ <= e^((a-1)(l - eps)) (1 - 1/a)^(a-1)/a` for every l (the right side touches the left at
/// its tangent point), so
///
/// `delta(eps) <= e^((a-1)(D - eps)) (1 - 1/a)^(a-1)/a` and
/// `eps(delta) <= D + ln(1 - 1/a) - ln(a delta)/(a-1)`, at least 0
///
/// (Canonne, Kamath and Steinke 2020, Proposition 12).
pub(super) fn record(query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    certain(query, proven)?;
    closed(query, proven)?;
    let quantity = &query.quantity;
    let (Quantity::Delta { .. } | Quantity::Epsilon { .. }) = quantity else { return Ok(()) };
    for side in [Direction::Forward, Direction::Backward] {
        if query.direction != Direction::Worst && query.direction != side {
            continue;
        }
        if let Some(upper) = best_order(query, side, budget)? {
            let bounds = Value::Finite(Number::Enclosed(Enclosure::zero(BITS).hull(&upper)));
            proven.record(quantity, side, &bounds, RENYI)?;
        }
    }
    Ok(())
}

/// Record bounds of an absolute third moment by the moments of the parts.
pub(super) fn cubes(query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    let Quantity::Functional(functional) = query.quantity else { return Ok(()) };
    if !functional.is_cube() {
        return Ok(());
    }
    let alike = declined(query.mechanism.pairs())?.is_some_and(|pairs| symmetric(&pairs));
    let sides = if alike { vec![Direction::Worst] } else { vec![Direction::Forward, Direction::Backward] };
    for side in sides {
        if side != Direction::Worst && query.direction != Direction::Worst && query.direction != side {
            continue;
        }
        let share = budget.share((1, if query.direction == side { 1 } else { 2 }), None);
        let one = if side == Direction::Worst { Direction::Forward } else { side };
        if let Some(bounds) = declined(functional.by_parts(&query.mechanism, one, &share))?.flatten() {
            proven.record(&query.quantity, side, &Value::Finite(Number::Enclosed(bounds)), CUBES)?;
        }
    }
    Ok(())
}

/// An upper bound of a privacy profile at any epsilon, by Renyi divergences of some orders; `None` if none is finite.
///
/// # Errors
/// Alarms.
pub(crate) fn profile_bound(
    mechanism: &Composition,
    epsilon: &Real,
    side: Direction,
    budget: &Budget,
) -> Result<Option<Enclosure>, Error> {
    let query = Query::new(Quantity::Delta { epsilon: epsilon.clone() }, mechanism.clone());
    best_order(&query, side, budget)
}

/// The least of the bounds of some orders, about.
fn best_order(query: &Query, side: Direction, budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let mut best: Option<Enclosure> = None;
    for eighths in ORDERS {
        let Some(bound) = declined(renyi_bound(query, eighths, side, budget))?.flatten() else { continue };
        // Beyond the best order the bounds grow.
        let worse = best.as_ref().is_some_and(|best| bound.compare(best) == Some(Ordering::Greater));
        if worse {
            break;
        }
        best = Some(best.map_or(bound.clone(), |best| best.min(&bound)));
    }
    Ok(best)
}

/// The bound of a profile or its inverse from the divergence of order `1 + eighths/8`; `None` where that is infinite.
fn renyi_bound(query: &Query, eighths: u32, side: Direction, budget: &Budget) -> Result<Option<Enclosure>, Error> {
    budget.check()?;
    let less = Real::from(rug::Rational::from((eighths, 8)));
    let order = Real::one().add(&less);
    let sum = divergence::composed(Kind::Renyi(order.clone()), &query.mechanism)?;
    let Value::Finite(divergence) = sum.value(side, BITS, budget)? else { return Ok(None) };
    let (d, less, order) = (divergence.enclosure(BITS), less.enclosure(BITS), order.enclosure(BITS));
    // ln(1 - 1/a) = -ln(1 + 1/(a-1)).
    let shrink = -less.recip().log1p();
    Ok(match &query.quantity {
        Quantity::Delta { epsilon } => {
            let exponent = &(&less * &(&d - &epsilon.enclosure(BITS))) + &(&less * &shrink);
            Some(&exponent.exp() / &order)
        }
        Quantity::Epsilon { delta } => {
            let level = &order * &delta.enclosure(BITS);
            if level.sign() != Some(Ordering::Greater) {
                return Ok(None);
            }
            Some((&(&d + &shrink) - &(&level.ln() / &less)).positive_part())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};

    fn query(line: &str) -> Query {
        serde_json::from_str(line).expect("a query")
    }

    /// A loss that is certain, `ln 2`: at order 2 the bound touches the truth at epsilon 0, where delta is 1/2. It is
    /// narrow, so that another formula would miss it.
    #[test]
    fn the_bound_is_sharp() {
        let certain = r#""mechanism":"finite(p=[1, 0], q=[1/2, 1/2])""#;
        for (line, truth) in [
            (format!(r#"{{"quantity":"delta",{certain},"at":{{"epsilon":"0"}}}}"#), (1, 2)),
            (format!(r#"{{"quantity":"epsilon",{certain},"at":{{"delta":"1/2"}}}}"#), (0, 1)),
        ] {
            let bound = renyi_bound(&query(&line), 8, Direction::Forward, &Budget::default());
            let bound = bound.expect("no error").expect("a finite divergence");
            let width = rug::Float::with_val(64, bound.upper() - bound.lower());
            assert!(bound.contains(&rug::Rational::from(truth)), "{line}: {bound:?}");
            assert!(width < rug::Float::with_val(64, rug::Float::i_exp(1, -50)), "{line}: {bound:?}");
        }
    }

    /// Divergences that are bounded have a bound where no time is left, and no truth is beyond it.
    #[test]
    fn bounded_divergences_have_a_bound() {
        for (name, at_most) in [("jensen-shannon", 0.7), ("hellinger", 1.0), ("le-cam", 1.0)] {
            let line = format!(r#"{{"quantity":"{name}","mechanism":"finite(p=[1,0],q=[0,1])"}}"#);
            let proven = Proven::default();
            certain(&query(&line), &proven).expect("bounds");
            let known = proven.answer(&query(&line), "no time".into()).expect("an answer").outcome;
            let truth = answer(&query(&line), &Budget::default()).expect("an answer").outcome;
            let upper = known.upper_f64().expect("an upper end");
            assert!(truth.upper_f64().is_some_and(|truth| truth <= upper) && upper <= at_most, "{name}: {known:?}");
        }
    }

    /// Canonical noise is symmetric: one half is on either side, and nothing is said where there is none.
    #[test]
    fn canonical_noise_is_on_both_sides() {
        let known = |mechanism: &str, x: &str| {
            let at = format!(r#""at":{{"x":"{x}"}}"#);
            let query = query(&format!(r#"{{"quantity":"canonical-cdf","mechanism":"{mechanism}",{at}}}"#));
            let proven = Proven::default();
            certain(&query, &proven).expect("bounds");
            proven.best(&query).expect("no alarm").map(|(set, _)| (set.lower_f64(), set.upper_f64()))
        };
        let both = "symmetrize(poisson(rate=1/10, gaussian(sigma=1)))^3";
        assert_eq!([known(both, "5"), known(both, "-5")], [Some((0.5, 1.0)), Some((0.0, 0.5))]);
        let none = ["poisson(rate=1/10, gaussian(sigma=1))", "gaussian(sigma=1, sensitivity=0)"];
        assert_eq!(none.map(|mechanism| known(mechanism, "5")), [None, None]);
    }

    /// In both directions, and at all orders, no bound is below the truth.
    #[test]
    fn no_bound_misses_the_truth() {
        // Divergences of samples of broken orders are integrals: some orders will do.
        for (mechanism, every) in
            [("gdp(mu=1)^2", 1), ("laplace(scale=2)^3", 1), ("poisson(rate=1/4, gaussian(sigma=1))", 5)]
        {
            let mut bounds = 0;
            for (quantity, at) in [
                ("delta", r#"{"epsilon":"1/2"}"#),
                ("delta", r#"{"epsilon":"-1/2"}"#),
                ("delta", r#"{"epsilon":"1"}"#),
                ("epsilon", r#"{"delta":"1/100"}"#),
                ("epsilon", r#"{"delta":"1/20"}"#),
            ] {
                for side in [Direction::Forward, Direction::Backward] {
                    let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at}}}"#);
                    let query = query(&line).with_direction(side);
                    let truth = answer(&query, &Budget::default()).expect("an answer").outcome;
                    let truth = match &truth {
                        Outcome::Enclosure(truth) => Number::from(truth).enclosure(BITS),
                        Outcome::Exact(truth) => Number::from(truth).enclosure(BITS),
                        other => panic!("{line}: {other:?}"),
                    };
                    for eighths in ORDERS.into_iter().step_by(every) {
                        let bound = declined(renyi_bound(&query, eighths, side, &Budget::default()));
                        if let Some(bound) = bound.expect("no fault").flatten() {
                            assert!(bound.upper() >= truth.lower(), "{line} {eighths}");
                            bounds += 1;
                        }
                    }
                }
            }
            assert!(bounds >= 20, "{mechanism}: {bounds} bounds");
        }
    }
}
