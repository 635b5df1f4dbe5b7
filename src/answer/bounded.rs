//! Bounds from how far the losses go: for answers that no engine gives, of whatever has bounded losses.
//!
//! Let no finite loss be above h forwards or above `-l` backwards, with the masses at infinity a and b. Then
//! `P(S) <= e^h Q(S) + a` for every set S, and `Q(S) <= e^(-l) P(S) + b`, so that
//!
//! * forwards `delta(eps) <= a` from h on, and the least epsilon for a delta of at least a is at most `max(0, h)`;
//! * with `L = max(0, h, -l)` and `m = max(a, b)` the pair is (L, m)-DP in both directions, which gives
//!   `delta(eps) <= 1 - (1-m)(1 + e^eps)/(1 + e^L)` for `0 <= eps <= L` (Kairouz, Oh, Viswanath, appendix A) and
//!   `beta(alpha) >= max(0, 1 - m - e^L alpha, e^-L (1 - m - alpha))` (Dong, Roth, Su, equation 3).
//!
//! Without mass at infinity the moments are of `|L| <= max(h, -l)`; about its mean no variance is above a quarter of
//! the square of `h - l` (Popoviciu 1935), and the mean of the cube of the distance is at most `h - l` times that.
//!
//! In the worst direction both bounds apply. Paper proof: `proofs/paper/answers.md`.

use std::cmp::Ordering;

use super::proven::{By, Proven};
use super::{Answer, Outcome};
use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{LossBound, Pair};
use crate::query::{Quantity, Query};
use crate::statement;
use crate::theorem::functional::Functional;
use enclosure::{Enclosure, Number, Real};

/// Precision of bounds.
const BITS: u32 = 64;

/// By how far losses go.
const ENDS: By = ("the largest privacy loss and the mass beyond", &statement::BOUNDED_LOSS);

/// How far the losses of a pair go.
struct Reach {
    /// The largest loss forwards, and backwards.
    largest: [Enclosure; 2],
    /// The masses at infinity, likewise.
    infinite: [Real; 2],
}

/// Record what follows from how far the losses go, if that is known. It takes next to no time.
pub(super) fn record(query: &Query, proven: &Proven) -> Result<(), Error> {
    let Some(reach) = declined(Reach::of(query))?.flatten() else { return Ok(()) };
    for (at, side) in [Direction::Forward, Direction::Backward].into_iter().enumerate() {
        if query.direction != Direction::Worst && query.direction != side {
            continue;
        }
        if let Some(bounds) = reach.bounds(&query.quantity, at) {
            proven.record(&query.quantity, side, &Value::Finite(Number::Enclosed(bounds)), ENDS)?;
        }
    }
    Ok(())
}

/// The answer, if the mass at infinity determines it: no epsilon has a delta below that mass, and no divergence of
/// order at least 1 is finite.
pub(super) fn infinite(query: &Query) -> Result<Option<Answer>, Error> {
    let Some(pairs) = declined(query.mechanism.pairs())? else { return Ok(None) };
    let Some(ends) = declined(Pair::several(pairs).ends())? else { return Ok(None) };
    let positive = |number: &Real| number.sign() == Some(Ordering::Greater);
    let above = |mass: &Real| match &query.quantity {
        Quantity::Epsilon { delta } => positive(&mass.sub(delta)),
        Quantity::Renyi { .. } | Quantity::Kl | Quantity::Chi2 | Quantity::Max => positive(mass),
        _ => false,
    };
    let sides = [(Direction::Forward, &ends.infinite_p), (Direction::Backward, &ends.infinite_q)];
    let asked = |side| query.direction == Direction::Worst || query.direction == side;
    let infinite = sides.into_iter().any(|(side, mass)| asked(side) && above(mass));
    let (method, statement) = ENDS;
    let answer =
        || Answer { method: method.to_string(), statement: Some(statement), ..Answer::from(Outcome::Infinite) };
    Ok(infinite.then(answer))
}

impl Reach {
    fn of(query: &Query) -> Result<Option<Self>, Error> {
        let ends = Pair::several(query.mechanism.pairs()?).ends()?;
        let largest = match ends.losses {
            Some((LossBound::At(least), LossBound::At(largest))) => {
                [largest.enclosure(BITS), -&least.enclosure(BITS)].map(|loss| loss.positive_part())
            }
            None => [Enclosure::zero(BITS), Enclosure::zero(BITS)],
            Some(_) => return Ok(None),
        };
        Ok(Some(Reach { largest, infinite: [ends.infinite_p, ends.infinite_q] }))
    }

    /// Of what is asked, forwards or backwards.
    fn bounds(&self, quantity: &Quantity, side: usize) -> Option<Enclosure> {
        let (zero, one) = (Enclosure::zero(BITS), Enclosure::one(BITS));
        let largest = self.largest.get(side)?;
        let mass = self.infinite.get(side)?.enclosure(BITS);
        let [both, most] = [&self.largest, &self.infinite.each_ref().map(|mass| mass.enclosure(BITS))]
            .map(|[forward, backward]| forward.max(backward));
        let kept = &one - &most;
        let profile = |epsilon: &Enclosure| {
            if epsilon.lower() >= largest.upper() {
                return Some(mass.clone());
            }
            // `(1 + e^eps)/(1 + e^L)`, in which nothing overflows.
            let share = &(&(-&both).exp() + &(epsilon - &both).exp()) / &(&one + &(-&both).exp());
            (*epsilon.lower() >= 0).then(|| &one - &(&kept * &share))
        };
        let up_to = |bound: Enclosure| zero.hull(&bound.positive_part().min(&one));
        match quantity {
            Quantity::Delta { epsilon } => profile(&epsilon.enclosure(BITS)).map(up_to),
            Quantity::Tv => profile(&zero).map(up_to),
            Quantity::Epsilon { delta } => {
                let above = delta.sub(self.infinite.get(side)?).sign();
                matches!(above, Some(Ordering::Equal | Ordering::Greater)).then(|| zero.hull(largest))
            }
            Quantity::Beta { alpha } => {
                let alpha = alpha.enclosure(BITS);
                let first = &kept - &(&both.exp() * &alpha);
                let second = &(&kept - &alpha) * &(-&both).exp();
                let least = first.max(&second).positive_part();
                Some(least.hull(&(&one - &alpha).positive_part()))
            }
            Quantity::Functional(functional) if mass.sign() == Some(Ordering::Equal) => {
                let power = match functional {
                    Functional::Kappa2 => both.square(),
                    Functional::Kappa3 => both.pow(3),
                    Functional::Variance => self.spread().square().shift(-2),
                    Functional::Kappa3Bar => self.spread().pow(3).shift(-2),
                    _ => return None,
                };
                Some(zero.hull(&power))
            }
            _ => None,
        }
    }

    /// How far the ends are apart, at most.
    fn spread(&self) -> Enclosure {
        let [forward, backward] = &self.largest;
        forward + backward
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::answer;
    use enclosure::Budget;

    fn query(quantity: &str, mechanism: &str, at: &str) -> Query {
        let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at}}}"#);
        serde_json::from_str(&line).expect("a query")
    }

    const QUESTIONS: [(&str, &str); 7] = [
        ("delta", r#"{"epsilon":"0"}"#),
        ("delta", r#"{"epsilon":"1/2"}"#),
        ("delta", r#"{"epsilon":"5"}"#),
        ("epsilon", r#"{"delta":"1/30"}"#),
        ("beta", r#"{"alpha":"1/100"}"#),
        ("beta", r#"{"alpha":"1/2"}"#),
        ("tv", "{}"),
    ];

    /// No bound is on the wrong side of the truth, in both directions.
    #[test]
    fn bounds_hold() {
        for mechanism in [
            "laplace(scale=2)^3",
            "poisson(rate=1/4, randomized-response(epsilon=2))^2",
            "finite(p=[1/50,1/2,12/25], q=[0,1/4,3/4])^2",
            "approx-dp(epsilon=1/2, delta=1/100)^2 * staircase(epsilon=1, gamma=1/3, sensitivity=2)",
            "randomized-response(epsilon=1)",
        ] {
            for (quantity, at) in QUESTIONS {
                for (side, direction) in [Direction::Forward, Direction::Backward].into_iter().enumerate() {
                    let query = query(quantity, mechanism, at).with_direction(direction);
                    let reach = Reach::of(&query).expect("ends").expect("bounded losses");
                    let Some(bounds) = reach.bounds(&query.quantity, side) else { continue };
                    match answer(&query, &Budget::default()).expect("an answer").outcome {
                        Outcome::Exact(truth) => assert!(bounds.overlaps(&Number::from(&truth).enclosure(BITS))),
                        Outcome::Enclosure(truth) | Outcome::Short { proven: truth, .. } => {
                            let truth = Number::from(&truth).enclosure(BITS);
                            assert!(bounds.overlaps(&truth), "{mechanism} {quantity} {at}: {bounds:?} {truth:?}");
                        }
                        other => panic!("{mechanism} {quantity} {at}: {other:?}"),
                    }
                }
            }
        }
    }

    /// Randomised response is the worst of its epsilon: there the bounds are the truth, so that lower ones would miss
    /// it.
    #[test]
    fn bounds_are_sharp() {
        let response = "approx-dp(epsilon=ln(3), delta=1/10)";
        for (quantity, at, truth) in [
            ("delta", r#"{"epsilon":"0"}"#, (11, 20)),
            ("delta", r#"{"epsilon":"ln(2)"}"#, (13, 40)),
            ("delta", r#"{"epsilon":"ln(3)"}"#, (1, 10)),
            ("tv", "{}", (11, 20)),
            ("beta", r#"{"alpha":"1/10"}"#, (3, 5)),
            ("beta", r#"{"alpha":"1/2"}"#, (2, 15)),
        ] {
            let query = query(quantity, response, at);
            let bounds = Reach::of(&query).expect("ends").expect("bounded").bounds(&query.quantity, 0).expect("bounds");
            let end = if quantity == "beta" { bounds.lower() } else { bounds.upper() };
            let near = Enclosure::rational(&truth.into(), 40);
            assert!(bounds.contains(&truth.into()) && near.lower() <= end && end <= near.upper(), "{quantity} {at}");
        }
    }

    /// What is infinite is so without any time, in either direction that is asked for; at the mass itself it is not.
    #[test]
    fn mass_at_infinity_needs_no_time() {
        let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(std::time::Duration::ZERO));
        let failing = "approx-dp(epsilon=1/10, delta=1/1000)";
        let open = "finite(p=[1/2, 1/2, 0], q=[1/2, 1/4, 1/4])";
        for (quantity, mechanism, at, direction, infinite) in [
            ("epsilon", failing, r#"{"delta":"1/1001"}"#, Direction::Worst, true),
            ("epsilon", failing, r#"{"delta":"1/1000"}"#, Direction::Worst, false),
            ("epsilon", open, r#"{"delta":"1/10"}"#, Direction::Forward, false),
            ("epsilon", open, r#"{"delta":"1/10"}"#, Direction::Backward, true),
            ("renyi", open, r#"{"order":"3"}"#, Direction::Forward, false),
            ("renyi", open, r#"{"order":"3"}"#, Direction::Backward, true),
            ("max", open, "{}", Direction::Backward, true),
            ("kl", failing, "{}", Direction::Worst, true),
        ] {
            let query = query(quantity, mechanism, at).with_direction(direction);
            let what = format!("{quantity} {mechanism} {direction:?}");
            let found = infinite_at_once(&query);
            assert_eq!(found, infinite, "{what}");
            let truth = answer(&query, &Budget::default()).expect("an answer").outcome;
            assert_eq!(matches!(truth, Outcome::Infinite), infinite, "{what}: {truth:?}");
            let hurried = answer(&query, &none).expect("an answer").outcome;
            assert!(!infinite || matches!(hurried, Outcome::Infinite), "{what}: {hurried:?}");
        }
    }

    fn infinite_at_once(query: &Query) -> bool {
        infinite(query).expect("no alarm").is_some_and(|answer| matches!(answer.outcome, Outcome::Infinite))
    }

    /// Where no engine has room for a list of losses there is an upper end.
    #[test]
    fn wide_staircases_have_an_epsilon() {
        let staircase = "staircase(epsilon=1/1000000, gamma=3/10, sensitivity=1000000) * \
                         staircase(epsilon=1/1000000, gamma=2/10, sensitivity=1000000)";
        let little = Budget::default().with_max_bytes(1 << 20);
        let found = answer(&query("epsilon", staircase, r#"{"delta":"1e-6"}"#), &little).expect("an answer");
        assert!(matches!(found.outcome, Outcome::Short { .. }), "{found:?}");
        let upper = found.outcome.upper_f64();
        assert!(found.outcome.lower_f64() == Some(0.0) && upper.is_some_and(|upper| upper <= 2.0), "{found:?}");
    }
}
