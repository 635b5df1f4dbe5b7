//! Functionals of trade-off functions, from their definitions.

use dpcert_vectors::Direction;
use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Zero};

use super::{Claim, SHARPER, finite, numbers, require, sharper};
use crate::error::Error;
use crate::mechanism::Mechanism;
use crate::query::{Quantity, Query};
use crate::route::moments::{self, Law, Outcome};
use crate::theorem::functional::Functional;
use enclosure::Real;

type Bounds = (Second, Second);

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    sharper(&SHARPER, |&bits| once(query, claim, bits))
}

fn once(query: &Query, claim: &Claim, bits: u64) -> Result<(), Error> {
    let Quantity::Functional(functional) = query.quantity else { return Err(Error::input("no functional")) };
    let ways: &[bool] = match query.direction {
        Direction::Worst => &[false, true],
        Direction::Forward => &[false],
        Direction::Backward => &[true],
    };
    let mut worst: Option<Bounds> = None;
    for reversed in ways {
        let Some(value) = value(functional, query, *reversed, bits)? else {
            return require(matches!(claim, Claim::Infinite), "the second route says infinity");
        };
        worst = Some(match worst {
            Some(other) => (value.0.max(other.0), value.1.max(other.1)),
            None => value,
        });
    }
    let worst = worst.ok_or_else(|| Error::internal("no direction"))?;
    claim.agrees_with(&numbers::first_both(&worst)?)
}

/// In one direction; `None` is infinity.
fn value(functional: Functional, query: &Query, reversed: bool, bits: u64) -> Result<Option<Bounds>, Error> {
    let mut laws = Vec::new();
    for (mechanism, times) in query.mechanism.factors() {
        if let Some(law) = law(mechanism, reversed, bits)? {
            laws.push((law, *times));
        }
    }
    let sum = |order: u32| -> Option<Bounds> {
        let mut sum = (Second::ZERO, Second::ZERO);
        for (law, times) in &laws {
            let (low, high) = law.cumulant(order, bits)?;
            let times = Second::from(*times);
            sum = (sum.0 + low * &times, sum.1 + high * times);
        }
        Some(sum)
    };
    Ok(match functional {
        Functional::Variance => sum(2),
        Functional::Cumulant(order) => sum(order),
        // The mean is a divergence, and none is negative.
        Functional::Kappa2 => sum(1).zip(sum(2)).map(|(mean, variance)| {
            let low = mean.0.max(Second::ZERO);
            (variance.0 + &low * &low, variance.1 + &mean.1 * &mean.1)
        }),
        Functional::Hellinger => {
            let mut affinity = (Second::ONE, Second::ONE);
            for (law, times) in &laws {
                let one = law.affinity(bits);
                for _ in 0..*times {
                    affinity = (affinity.0 * &one.0, affinity.1 * &one.1);
                }
            }
            Some((Second::ONE - affinity.1, Second::ONE - affinity.0))
        }
        _ => match &laws[..] {
            [] => Some((Second::ZERO, Second::ZERO)),
            [(law, 1)] => single(functional, law, bits)?,
            _ => several(functional, &laws, bits)?,
        },
    })
}

/// Of several: outcome by outcome, with all Gaussian noise as one.
fn several(functional: Functional, laws: &[(Law, u64)], bits: u64) -> Result<Option<Bounds>, Error> {
    let (mut finite, mut square) = (Vec::new(), Second::ZERO);
    for (law, times) in laws {
        match law {
            Law::Finite(outcomes) => finite.push((&outcomes[..], *times)),
            Law::Gaussian(own) => square += own * Second::from(*times),
            Law::Laplace(_) => {
                return Err(Error::input("no second route for this functional of compositions with Laplace noise"));
            }
        }
    }
    let outcomes = moments::composed(&finite, bits).ok_or_else(|| Error::input("too many outcomes to enumerate"))?;
    match functional {
        // The losses of Gaussian noise have no bound.
        Functional::Antipodal if square != 0u32 => Ok(None),
        _ if square == 0u32 => single(functional, &Law::Finite(outcomes), bits),
        Functional::Kappa3 => Ok(moments::absolute_cube_beside(&outcomes, &square, false, bits)),
        Functional::Kappa3Bar => Ok(moments::absolute_cube_beside(&outcomes, &square, true, bits)),
        _ => Err(Error::input("no second route for this functional of compositions with Gaussian noise")),
    }
}

/// Of one mechanism.
fn single(functional: Functional, law: &Law, bits: u64) -> Result<Option<Bounds>, Error> {
    let Law::Finite(outcomes) = law else {
        return match (functional, law) {
            (Functional::Kappa3, Law::Laplace(c)) => Ok(Some(moments::laplace_cube(c, bits))),
            (Functional::Antipodal, Law::Laplace(c)) => Ok(Some(moments::laplace_antipodal(c, bits))),
            (Functional::Antipodal, Law::Gaussian(_)) => Ok(None),
            _ => Err(Error::input("no second route for this functional of noise")),
        };
    };
    Ok(match functional {
        Functional::Kappa3 => moments::absolute_cube(outcomes, false, bits),
        Functional::Kappa3Bar => moments::absolute_cube(outcomes, true, bits),
        Functional::PositiveChiSquared => Some(moments::positive_chi_squared(outcomes)),
        Functional::JensenShannon => Some(moments::jensen_shannon(outcomes, bits)),
        Functional::LeCam => Some(moments::le_cam(outcomes)),
        Functional::Antipodal => match moments::antipodal(outcomes, bits) {
            None => None,
            Some(Some(bounds)) => Some(bounds),
            Some(None) => return Err(Error::input("the largest ratio cannot be separated from 1")),
        },
        _ => return Err(Error::internal("a functional of a composition")),
    })
}

/// The loss of a mechanism; `None` where nothing leaks.
pub(super) fn law(mechanism: &Mechanism, reversed: bool, bits: u64) -> Result<Option<Law>, Error> {
    let response = |epsilon| response(epsilon, bits);
    match mechanism {
        Mechanism::RandomizedResponse(m) => response(m.epsilon()),
        Mechanism::PureDp(m) => response(m.epsilon()),
        Mechanism::ApproxDp(m) if m.delta().is_zero() => response(m.epsilon()),
        Mechanism::Laplace(m) => {
            let shift = m.sensitivity().div(m.scale())?;
            let shift = numbers::second(numbers::rational(&shift, "shift")?)?;
            Ok((shift != 0u32).then_some(Law::Laplace(shift)))
        }
        Mechanism::Gaussian(m) => gaussian(&m.sensitivity().div(m.sigma())?),
        Mechanism::Gdp(m) => gaussian(m.mu()),
        Mechanism::ApproxDp(m) => {
            // Except for outcomes that identify the data set, the masses are those of randomised response.
            let failed = numbers::second(numbers::rational(m.delta(), "delta")?)?;
            let kept = Second::ONE - &failed;
            let zero = (Second::ZERO, Second::ZERO);
            let certain = (failed.clone(), failed);
            let mut outcomes = vec![(certain.clone(), zero.clone()), (zero, certain)];
            let inside = match response(m.epsilon())? {
                Some(Law::Finite(inside)) => inside,
                _ => vec![((Second::ONE, Second::ONE), (Second::ONE, Second::ONE))],
            };
            let scaled = |(low, high): Bounds| (low * &kept, high * &kept);
            outcomes.extend(inside.into_iter().map(|(p, q)| (scaled(p), scaled(q))));
            Ok(Some(Law::Finite(outcomes)))
        }
        other => {
            let (p, q) = finite::outcomes(other)?;
            let one = |(p, q): (&rug::Rational, &rug::Rational)| -> Result<Outcome, Error> {
                let both = (numbers::second(p)?, numbers::second(q)?);
                Ok(((both.0.clone(), both.0), (both.1.clone(), both.1)))
            };
            let outcomes: Vec<Outcome> = p.iter().zip(&q).map(one).collect::<Result<_, _>>()?;
            let outcomes = outcomes.into_iter().map(|(p, q)| if reversed { (q, p) } else { (p, q) });
            // What neither has is no outcome.
            Ok(Some(Law::Finite(outcomes.filter(|(p, q)| p.1 != 0u32 || q.1 != 0u32).collect())))
        }
    }
}

/// That of a randomised response; `None` where epsilon is 0.
pub(super) fn response(epsilon: &Real, bits: u64) -> Result<Option<Law>, Error> {
    if epsilon.is_zero() {
        return Ok(None);
    }
    // Masses e^epsilon/(1 + e^epsilon) and 1/(1 + e^epsilon).
    let power = numbers::exp_bounds(epsilon, bits)?;
    let least = (Second::ONE / (&power.1 + Second::ONE), Second::ONE / (&power.0 + Second::ONE));
    let most = (Second::ONE - &least.1, Second::ONE - &least.0);
    Ok(Some(Law::Finite(vec![(most.clone(), least.clone()), (least, most)])))
}

fn gaussian(mu: &Real) -> Result<Option<Law>, Error> {
    let square = mu.square();
    let square = numbers::second(numbers::rational(&square, "mu^2")?)?;
    Ok((square != 0u32).then_some(Law::Gaussian(square)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::answer;
    use enclosure::Budget;

    /// What the engines say is confirmed, and something else is not.
    #[test]
    fn right_claims_are_confirmed_and_wrong_ones_are_not() {
        for (quantity, mechanism) in [
            ("kappa2", "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2 * gaussian(sigma=2)"),
            ("variance", "laplace(scale=1/2)"),
            ("kappa3bar", "randomized-response(epsilon=1)"),
            ("jensen-shannon", "approx-dp(epsilon=1, delta=1/8)"),
            ("antipodal-kl", "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2"),
            ("antipodal-kl", "laplace(scale=1/2)"),
        ] {
            let line = format!(r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","digits":36}}"#);
            let query: Query = serde_json::from_str(&line).expect("a query");
            let outcome = answer(&query, &Budget::default()).expect("an answer").outcome;
            let claim = Claim::of(&outcome).expect("a claim");
            confirm(&query, &claim).expect("it is so");
            let (lower, upper) = claim.within().expect("a number");
            let off = rug::Rational::from((1, 1_000_000_000_000u64));
            let wrong = Claim::Within(rug::Rational::from(lower + &off), rug::Rational::from(upper + &off));
            assert!(confirm(&query, &wrong).is_err(), "{line}");
            assert!(confirm(&query, &Claim::Infinite).is_err(), "{line}");
        }
    }
}
