//! Bounds of canonical noise by the total variation v of the composition alone: for answers that no engine gives.
//!
//! With the fixed point `c = (1 - v)/2` of the symmetric trade-off function f, and `Q(t)` the y with the mass t above
//! it, `0 < t <= 1/2`: for `c <= t <= 1 - c` it is `(1/2 - t)/v`, and for `t < c` it is `1 + Q(1 - f(t))`.
//!
//! * `alpha + f(alpha)` is least at c, so that `1 - f(t) <= t + v`: by induction over the units `Q(t) >= (1/2 - t)/v`,
//!   for `1 + (1/2 - t - v)/v` is that.
//! * `1 - f` is concave, not negative at 0, and `1 - c` at c, so that `1 - f(t) >= t (1-c)/c` for `t <= c`: after n
//!   units, or before, the mass is at least c where `t ((1-c)/c)^n >= c`, and then `Q(t) <= n + 1/2`.
//! * The distribution function does not decrease: for `y >= 0` it is at least `1/2 + v min(y, 1/2)`, and by the first
//!   of these at most `1/2 + v y`.
//!
//! The first and the last grow or fall with v as they are written, and `(1-c)/c = (1+v)/(1-v)` grows with v as c falls:
//! either end of what encloses v will do. Paper proof: `proofs/paper/canonical-noise.md`.

use std::cmp::Ordering;

use rug::Float;

use super::by_steps;
use super::proven::{By, Proven};
use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::symmetric;
use crate::query::{Quantity, Query};
use crate::statement;
use enclosure::{Budget, Enclosure, Number, Real};

/// Precision of bounds.
const BITS: u32 = 64;

const VARIATION: By = ("bounds by the total variation", &statement::CANONICAL_NOISE);

/// Record the bounds on canonical noise that follow from the total variation distance, if the query is about canonical
/// noise.
pub(super) fn record(query: &Query, budget: &Budget, proven: &Proven) -> Result<(), Error> {
    if !matches!(query.quantity, Quantity::CanonicalCdf { .. } | Quantity::CanonicalQuantile { .. }) {
        return Ok(());
    }
    // Of others there is no such noise, or it is not known to be there.
    if !declined(query.mechanism.pairs())?.is_some_and(|pairs| symmetric(&pairs)) {
        return Ok(());
    }
    let Some(variation) = by_steps::asked(&query.mechanism, &Quantity::Tv, budget)? else { return Ok(()) };
    if *variation.upper() <= 0 {
        return Ok(());
    }
    let bounds = match &query.quantity {
        Quantity::CanonicalQuantile { p } => quantile(p, &variation),
        Quantity::CanonicalCdf { x } => Some(cdf(x, &variation)),
        _ => None,
    };
    let Some(bounds) = bounds else { return Ok(()) };
    proven.record(&query.quantity, Direction::Worst, &Value::Finite(Number::Enclosed(bounds)), VARIATION)
}

fn point(end: &Float) -> Enclosure {
    Enclosure::new(end.clone(), end.clone())
}

fn half() -> Enclosure {
    Enclosure::one(BITS).shift(-1)
}

/// The quantile at p; `None` without an upper end.
fn quantile(p: &Real, variation: &Enclosure) -> Option<Enclosure> {
    let rest = Real::one().sub(p);
    let left = p.compare(&rest)? == Ordering::Less;
    let tail = (if left { p } else { &rest }).enclosure(BITS);
    let one = Enclosure::one(BITS);
    let least = point(variation.lower());
    let above = (&half() - &tail).positive_part();
    let most = (&one - &least).shift(-1);
    let upper = if *least.upper() <= 0 || *tail.lower() <= 0 {
        return None;
    } else if tail.lower() >= most.upper() {
        &above / &least
    } else {
        let ratio = &(&one + &least) / &(&one - &least);
        let units = (&(&most / &tail).ln() / &ratio.ln()).positive_part();
        let units = units.upper().clone().ceil();
        if !units.is_finite() {
            return None;
        }
        &point(&units) + &half()
    };
    let lower = &above / &point(variation.upper());
    let bounds = Enclosure::new(lower.lower().clone(), upper.upper().clone());
    Some(if left { -bounds } else { bounds })
}

/// The distribution function at x.
fn cdf(x: &Real, variation: &Enclosure) -> Enclosure {
    let x = x.enclosure(BITS);
    let [least, most] = [variation.lower(), variation.upper()].map(point);
    let one = Enclosure::one(BITS);
    // For y >= 0, what is added to one half.
    let more = |y: &Enclosure| {
        let inner = &least * &y.min(&half());
        Enclosure::new(inner.lower().clone(), (&most * y).min(&half()).upper().clone())
    };
    let right = &half() + &more(&x.positive_part());
    let left = &half() - &more(&(-&x).positive_part());
    match x.sign() {
        Some(Ordering::Less) => left,
        Some(_) => right,
        None => left.hull(&right),
    }
    .min(&one)
    .positive_part()
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::answer::{Outcome, answer};

    fn asked(mechanism: &str, quantity: Quantity) -> Query {
        Query::new(quantity, mechanism.parse().expect("a mechanism"))
    }

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn bounds(query: &Query) -> Enclosure {
        let proven = Proven::default();
        record(query, &Budget::default(), &proven).expect("no alarm");
        let (set, _) = proven.best(query).expect("no alarm").expect("bounds");
        Number::from(&set).enclosure(BITS)
    }

    /// On the middle piece the bounds are the truth, beyond it they hold: with equality where f is a polyline of two
    /// pieces, at the ends of units.
    #[test]
    fn bounds_hold() {
        let response = "randomized-response(epsilon=ln(3))";
        for mechanism in [response, "gdp(mu=1)", "laplace(scale=1/3)^2", "approx-dp(epsilon=1, delta=1/10)"] {
            for p in ["1/1000000000", "1/100", "1/4", "2/5", "1/2", "1/2 + 1/1000", "4/5", "99/100", "1 - 1e-12"] {
                let query = asked(mechanism, Quantity::CanonicalQuantile { p: real(p) });
                let truth = answer(&query, &Budget::default()).expect("an answer").outcome;
                let truth = truth.number().expect("a number").enclosure(BITS);
                let found = bounds(&query);
                assert!(found.lower() <= truth.upper() && truth.lower() <= found.upper(), "{mechanism} {p}: {found:?}");
            }
            for x in ["-7", "-1/2", "-1/5", "0", "1/3", "1/2", "3/4", "2", "20"] {
                let query = asked(mechanism, Quantity::CanonicalCdf { x: real(x) });
                let truth = answer(&query, &Budget::default()).expect("an answer").outcome;
                let truth = truth.number().expect("a number").enclosure(BITS);
                let found = bounds(&query);
                assert!(found.lower() <= truth.upper() && truth.lower() <= found.upper(), "{mechanism} {x}: {found:?}");
            }
        }
        // t = c/3^n of the Tulap law with v = 1/2 and c = 1/4 is at n + 1/2.
        let variation = Enclosure::rational(&Rational::from((1, 2)), BITS);
        for (p, end) in [("1 - 1/12", 1.5), ("1 - 1/36", 2.5), ("1/12", -1.5)] {
            let found = quantile(&real(p), &variation).expect("an upper end");
            let far = if end > 0.0 { found.upper() } else { found.lower() };
            // The logarithms may be rounded up to one more unit.
            assert!(
                (end..=end + 1.0).contains(&far.to_f64()) || (end - 1.0..=end).contains(&far.to_f64()),
                "{found:?}"
            );
        }
        // A unit after c there is at most v more.
        let found = quantile(&real("1 - 1/4"), &variation).expect("an upper end");
        assert!(*found.lower() <= 0.5 && *found.upper() >= 0.5 && found.relative_bits() > Some(50), "{found:?}");
    }

    /// What is asked for has a number where no engine has digits, and where there is no time.
    #[test]
    fn what_has_no_digits_has_bounds() {
        let sample = "poisson(rate=1/2, gdp(mu=1))";
        let whole = format!("laplace(scale=1)^3 * {sample} * inverse({sample})");
        for quantity in [Quantity::CanonicalQuantile { p: real("9/10") }, Quantity::CanonicalCdf { x: real("1") }] {
            let query = asked(&whole, quantity);
            let outcome = answer(&query, &Budget::default()).expect("an answer").outcome;
            let (Outcome::Short { .. } | Outcome::Enclosure(_)) = &outcome else { panic!("{outcome:?}") };
            let (lower, upper) = (outcome.lower_f64().expect("a number"), outcome.upper_f64().expect("a number"));
            assert!(lower > 0.5 && upper < 2.0, "{lower} {upper}");
        }
    }
}
