//! Bounds from closed forms of the Renyi divergences of each factor at all orders, for queries that run out of time.
//!
//! Let `D_a <= c a` in both directions for every order `a >= 1`, order 1 being the Kullback-Leibler divergence (c-zCDP,
//! Bun and Steinke 2016). Of factors c adds up, and it is
//!
//! * `mu^2/2` of Gaussian noise, where `D_a = a mu^2/2`;
//! * at most `s^2/(2 sigma^2)` of discrete Gaussian noise that moves by s (Canonne, Kamath and Steinke 2020,
//!   Proposition 5);
//! * at most `L^2/2` where no loss is above L in either direction, and none infinite (Bun and Steinke,
//!   Proposition 3.3);
//! * of a Poisson sample at most that of the pair inside, for `e^((a-1) D_a)` is an f-divergence, and
//!   `D_f((1-r) Q + r P || Q) <= r D_f(P||Q)` by convexity, likewise backward, with `D_f(Q||Q)` the least there is.
//!
//! * for both directions of a composition, its inverse, and a sample of a fixed share, whose trade-off functions are no
//!   lower than a symmetric one of the composition: the same; for a mixture, the largest of its parts; for a group of
//!   k, `k^2` times (Bun and Steinke, Proposition 1.9).
//!
//! So `D_a <= c a`, `KL <= c`, `chi^2 = e^(D_2) - 1 <= e^(2c) - 1`, and `eps(delta) <= c + 2 sqrt(c ln(1/delta))`
//! (Bun and Steinke, Proposition 1.3). And for every `t > 0`, as `x^j <= (j/(e t))^j e^(t x)`,
//!
//! `E |L|^j <= (j/(e t))^j (E e^(tL) + E e^(-tL))`, `E e^(tL) <= e^(t (1+t) c)`, `E e^(-tL) <= e^(t (t-1) c)`, at most
//! 1 for `t <= 1`. Paper proof: `proofs/paper/answers.md`.

use std::cmp::Ordering;

use super::proven::{By, Proven};
use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Derived, LossBound, Operator, Pair};
use crate::query::{Quantity, Query};
use crate::statement;
use crate::theorem::functional::Functional;
use enclosure::{Enclosure, Number, Real};

/// Precision of bounds.
const BITS: u32 = 64;

/// By the bound of all orders.
const CONCENTRATED: By = ("a bound of the Renyi divergences at all orders", &statement::CONCENTRATED);

/// Record what follows, if c is known. It takes next to no time.
pub(super) fn record(query: &Query, proven: &Proven) -> Result<(), Error> {
    let of_orders = matches!(query.quantity, Quantity::Renyi { .. } | Quantity::Kl | Quantity::Chi2);
    if !of_orders && !matches!(query.quantity, Quantity::Epsilon { .. } | Quantity::Functional(_)) {
        return Ok(());
    }
    let Some(c) = declined(concentration(query))?.flatten() else { return Ok(()) };
    if let Some(upper) = bound(&query.quantity, &c) {
        let bounds = Value::Finite(Number::Enclosed(Enclosure::zero(BITS).hull(&upper)));
        proven.record(&query.quantity, Direction::Worst, &bounds, CONCENTRATED)?;
    }
    Ok(())
}

/// An upper bound of what is asked, by c.
fn bound(quantity: &Quantity, c: &Enclosure) -> Option<Enclosure> {
    match quantity {
        // Of lower orders it is no such bound.
        Quantity::Renyi { order } if order.compare(&Real::one()) == Some(Ordering::Greater) => {
            Some(c * &order.enclosure(BITS))
        }
        Quantity::Kl | Quantity::Functional(Functional::Zcdp) => Some(c.clone()),
        Quantity::Chi2 => Some(c.shift(1).expm1()),
        Quantity::Epsilon { delta } => {
            let delta = delta.enclosure(BITS);
            if delta.sign() != Some(Ordering::Greater) {
                return None;
            }
            let log = (-delta.ln()).positive_part();
            Some(c + &(c * &log).sqrt().shift(1))
        }
        Quantity::Functional(Functional::Kappa2 | Functional::Variance) => moment(2, c),
        Quantity::Functional(Functional::Kappa3) => moment(3, c),
        // `|L - m|^3 <= 4 (|L|^3 + |m|^3)`, and the mean of `|L|^3` is at least `|m|^3`.
        Quantity::Functional(Functional::Kappa3Bar) => moment(3, c).map(|cube| cube.shift(3)),
        _ => None,
    }
}

/// A bound of `E |L|^j`, at a t that is about the best of a normal loss.
fn moment(j: u32, c: &Enclosure) -> Option<Enclosure> {
    let t = (f64::from(j) / (2.0 * c.upper().to_f64())).sqrt().clamp(1e-100, 1e100);
    let t = Enclosure::double(t, BITS);
    let one = Enclosure::one(BITS);
    let power = (&one.mul_u32(j) / &(&one.exp() * &t)).pow(u64::from(j));
    let (above, below) = (&(&t * &(&t + &one)) * c, (&(&t * &(&t - &one)) * c).positive_part());
    let bound = &power * &(&above.exp() + &below.exp());
    bound.is_bounded().then_some(bound)
}

/// The sum of all c.
fn concentration(query: &Query) -> Result<Option<Enclosure>, Error> {
    of_all(&query.mechanism.pairs()?)
}

fn of_all(pairs: &[(Pair, u64)]) -> Result<Option<Enclosure>, Error> {
    let mut sum = Enclosure::zero(BITS);
    for (pair, times) in pairs {
        let Some(c) = of(pair)? else { return Ok(None) };
        sum = &sum + &(&c * &Enclosure::integer(&(*times).into(), BITS));
    }
    Ok(Some(sum))
}

/// The c of one pair, at most.
fn of(pair: &Pair) -> Result<Option<Enclosure>, Error> {
    match pair {
        Pair::Gaussian { mu } => return Ok(Some(mu.enclosure(BITS).square().shift(-1))),
        Pair::DiscreteGaussian { sigma2, sensitivity } => {
            let square = Enclosure::integer(&(*sensitivity).into(), BITS).square();
            return Ok(Some((&square / &Enclosure::rational(sigma2, BITS)).shift(-1)));
        }
        Pair::Several(factors) => return of_all(factors),
        _ => {}
    }
    let ends = pair.ends()?;
    let known = [&ends.infinite_p, &ends.infinite_q].into_iter().all(Real::is_zero);
    match (ends.losses, pair) {
        (Some((LossBound::At(least), LossBound::At(largest))), _) if known => {
            let largest = largest.enclosure(BITS).abs().max(&least.enclosure(BITS).abs());
            Ok(Some(largest.square().shift(-1)))
        }
        (_, Pair::Sample { inner, .. }) => of(inner),
        (_, Pair::Derived(derived)) => of_derived(derived),
        _ => Ok(None),
    }
}

/// The c of what an operator makes, by that of what is inside.
fn of_derived(derived: &Derived) -> Result<Option<Enclosure>, Error> {
    let mut most = Enclosure::zero(BITS);
    for part in derived.parts() {
        let Some(one) = of_all(part)? else { return Ok(None) };
        most = most.max(&one);
    }
    Ok(Some(match derived.operator() {
        Operator::Group(size) => &most * &Enclosure::integer(&(*size).into(), BITS).square(),
        _ => most,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};
    use enclosure::Budget;
    use std::time::Duration;

    fn query(quantity: &str, mechanism: &str, at: &str) -> Query {
        let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at}}}"#);
        serde_json::from_str(&line).expect("a query")
    }

    const MOMENTS: [(&str, &str); 4] = [("kappa2", "{}"), ("variance", "{}"), ("kappa3", "{}"), ("kappa3bar", "{}")];
    const QUESTIONS: [(&str, &str); 7] = [
        ("epsilon", r#"{"delta":"1e-5"}"#),
        ("epsilon", r#"{"delta":"1/10"}"#),
        ("renyi", r#"{"order":"11/10"}"#),
        ("renyi", r#"{"order":"2"}"#),
        ("renyi", r#"{"order":"20"}"#),
        ("kl", "{}"),
        ("chi2", "{}"),
    ];

    /// No bound is below the truth, in both directions.
    #[test]
    fn no_bound_misses_the_truth() {
        for mechanism in [
            "gaussian(sigma=1)^3",
            "discrete-gaussian(sigma2=2)^3",
            "discrete-gaussian(sigma2=1/4, sensitivity=2)",
            "laplace(scale=1/2)^2",
            "randomized-response(epsilon=3)",
            "finite(p=[1/50,49/50], q=[1/4,3/4])^2",
            "poisson(rate=9/10, gaussian(sigma=1/2))",
            "gaussian(sigma=2) * laplace(scale=3)",
            "hull(poisson(rate=9/10, gaussian(sigma=1)))",
        ] {
            for (quantity, at) in QUESTIONS.into_iter().chain(MOMENTS) {
                for direction in [Direction::Forward, Direction::Backward] {
                    let query = query(quantity, mechanism, at).with_direction(direction);
                    let c = concentration(&query).expect("pairs").expect("a bound");
                    let bound = bound(&query.quantity, &c).expect("a bound");
                    let truth = answer(&query, &Budget::default()).expect("an answer").outcome;
                    let truth = truth.number().expect("a number").enclosure(BITS);
                    assert!(bound.upper() >= truth.lower(), "{mechanism} {quantity} {at}: {bound:?} {truth:?}");
                }
            }
        }
    }

    /// Gaussian noise has these divergences: a lower bound would miss them.
    #[test]
    fn bounds_of_gaussian_noise_are_sharp() {
        for (quantity, at, truth) in
            [("renyi", r#"{"order":"5/2"}"#, "5"), ("kl", "{}", "2"), ("chi2", "{}", "exp(4)-1")]
        {
            let query = query(quantity, "gdp(mu=2)", at);
            let c = concentration(&query).expect("pairs").expect("a bound");
            let truth = truth.parse::<Real>().expect("a constant").enclosure(200);
            assert!(bound(&query.quantity, &c).expect("a bound").overlaps(&truth), "{quantity}");
        }
        // By hand: with c = 2 and delta = e^-8 it is 2 + 2 sqrt(16) = 10.
        let query = query("epsilon", "gdp(mu=2)", r#"{"delta":"exp(-8)"}"#);
        let found = bound(&query.quantity, &Enclosure::integer(&2.into(), BITS)).expect("a bound");
        assert!(found.contains(&10.into()), "{found:?}");
    }

    /// What fails outright has no such bound.
    #[test]
    fn masses_at_infinity_have_none() {
        for mechanism in ["approx-dp(epsilon=1, delta=1/10)", "finite(p=[1,0], q=[1/2,1/2])"] {
            assert!(concentration(&query("kl", mechanism, "{}")).expect("pairs").is_none(), "{mechanism}");
        }
    }

    /// No time at all leaves a number.
    #[test]
    fn without_time_there_are_bounds() {
        let none = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::ZERO));
        for mechanism in ["gaussian(sigma=1)^3", "discrete-gaussian(sigma2=2)^3", "zcdp(rho=1/2)"] {
            for (quantity, at) in QUESTIONS {
                let outcome = answer(&query(quantity, mechanism, at), &none).expect("an answer").outcome;
                assert!(matches!(outcome, Outcome::Short { .. }), "{mechanism} {quantity} {at}: {outcome:?}");
            }
        }
        for mechanism in
            ["hull(poisson(rate=1/10, gdp(mu=1)) * gdp(mu=1))^2", "group(k=2, poisson(rate=1/2, gdp(mu=1)))"]
        {
            for (quantity, at) in MOMENTS {
                let outcome = answer(&query(quantity, mechanism, at), &none).expect("an answer").outcome;
                assert!(matches!(outcome, Outcome::Short { .. }), "{mechanism} {quantity}: {outcome:?}");
            }
        }
    }
}
