//! The risk of a mechanism: what the best attack on one record achieves. (`proofs/paper/attack.md`)
//!
//! The attacker sees the output and decides between P and Q. All three numbers are values of the profile or of the
//! trade-off function:
//!
//! ```text
//! advantage          max over tests of (true positive rate - false positive rate) = delta(0)
//! true positives     at a false positive rate a: 1 - beta(a)
//! Bayes risk         with prior p of Q: min over tests of (1-p) alpha + p beta = (1-p) (1 - delta(ln(p/(1-p))))
//! ```

use std::cmp::Ordering;

use super::{Answer, Bound, Outcome, Session};
use crate::error::Error;
use crate::number::Interval;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Enclosure, Number, Real, bits_of_digits};

/// Which risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Risk {
    /// The membership advantage.
    Advantage,
    /// The true positive rate at a false positive rate.
    Power {
        /// The false positive rate, in `[0, 1]`.
        rate: Real,
    },
    /// The least probability of error.
    Bayes {
        /// The prior probability of Q, in `[0, 1]`.
        prior: Real,
    },
}

/// So often more digits are asked for, where those of a small difference are lost.
const ATTEMPTS: u32 = 4;

impl Risk {
    /// The risk that is asked for, if it is one.
    pub fn of(quantity: &Quantity) -> Option<Self> {
        Some(match quantity {
            Quantity::Advantage => Risk::Advantage,
            Quantity::TruePositiveRate { rate } => Risk::Power { rate: rate.clone() },
            Quantity::BayesRisk { prior } => Risk::Bayes { prior: prior.clone() },
            _ => return None,
        })
    }

    /// The quantity that it is a function of; `None` where nothing has to be known.
    fn quantity(&self) -> Result<Option<Quantity>, Error> {
        Ok(Some(match self {
            Risk::Advantage => Quantity::Tv,
            Risk::Power { rate } => Quantity::Beta { alpha: rate.clone() },
            Risk::Bayes { prior } => {
                let other = Real::one().sub(prior);
                match (prior.sign(), other.sign()) {
                    (Some(Ordering::Equal), _) | (_, Some(Ordering::Equal)) => return Ok(None),
                    _ => Quantity::Delta { epsilon: prior.ln()?.sub(&other.ln()?) },
                }
            }
        }))
    }

    /// The risk from its quantity.
    fn value(&self, value: &Number, bits: u32) -> Number {
        let complement = &Number::one() - value;
        match self {
            Risk::Advantage => value.clone(),
            Risk::Power { .. } => complement,
            Risk::Bayes { prior } => &Real::one().sub(prior).number(bits) * &complement,
        }
    }

    /// Which bound it is, where its quantity is known by this one: 1 minus what is at most a number is at least 1 minus
    /// that number.
    fn bound(&self, known: Bound) -> Bound {
        match (self, known) {
            (Risk::Advantage, known) => known,
            (_, Bound::Upper) => Bound::Lower,
            (_, Bound::Lower) => Bound::Upper,
        }
    }

    /// The answer for the composition of a query, in its direction and by its method; its own quantity is not asked.
    ///
    /// In the worst direction it is the worst for whoever is attacked: the larger rate, the smaller risk of error.
    ///
    /// # Errors
    /// As [`Session::answer`].
    pub fn answer(&self, session: &Session, query: &Query, budget: &Budget) -> Result<Answer, Error> {
        let Some(quantity) = self.quantity()? else {
            return Ok(Answer::from(Outcome::of(Number::zero())));
        };
        let mut more = 2;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let asked = Query {
                quantity: quantity.clone(),
                digits: query.digits.saturating_add(more).min(Query::MAX_DIGITS),
                enough: query.enough.saturating_add(more).min(Query::MAX_DIGITS),
                ..query.clone()
            };
            let found = session.answer(&asked, budget)?;
            let bits = bits_of_digits(asked.digits).saturating_add(64);
            let (value, reason) = match &found.outcome {
                Outcome::Exact(value) => (Number::from(value), None),
                Outcome::Enclosure(set) => (Number::from(set), None),
                Outcome::Short { proven, reason } => (Number::from(proven), Some(reason.clone())),
                _ => return Ok(found),
            };
            let risk = self.value(&value, bits);
            let outcome = match (Outcome::of(risk.clone()), reason) {
                (Outcome::Enclosure(set), reason) => {
                    let set = Interval::from(Number::from(&set).enclosure(bits).max(&Enclosure::zero(bits)));
                    let enough = set.digits() >= query.enough;
                    match reason {
                        Some(reason) => Outcome::Short { proven: set, reason },
                        None if enough => Outcome::Enclosure(set),
                        None if attempts < ATTEMPTS => {
                            // What is lost in 1 - beta is lost again.
                            let lost = query.digits.saturating_sub(set.digits());
                            more =
                                more.saturating_add(lost.max(8)).saturating_mul(if set.digits() == 0 { 4 } else { 1 });
                            continue;
                        }
                        None => Outcome::Short {
                            proven: set,
                            reason: format!("1 minus a number that agrees with 1 to {} digits", asked.digits).into(),
                        },
                    }
                }
                (exact, _) => exact,
            };
            let bound = found.bound.map(|bound| self.bound(bound));
            return Ok(Answer { outcome, bound, ..found });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::answer;

    /// As a quantity.
    fn quantity(risk: &Risk) -> Quantity {
        match risk.clone() {
            Risk::Advantage => Quantity::Advantage,
            Risk::Power { rate } => Quantity::TruePositiveRate { rate },
            Risk::Bayes { prior } => Quantity::BayesRisk { prior },
        }
    }

    fn outcome(risk: &Risk, mechanism: &str, digits: u32) -> Result<Outcome, Error> {
        let query = Query::new(quantity(risk), mechanism.parse().expect("a mechanism")).with_digits(digits);
        Ok(answer(&query, &Budget::default())?.outcome)
    }

    fn set(risk: &Risk, mechanism: &str, digits: u32) -> Enclosure {
        outcome(risk, mechanism, digits).expect("an answer").number().expect("a number").enclosure(200)
    }

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn exact(risk: &Risk, mechanism: &str) -> String {
        match outcome(risk, mechanism, 15).expect("an answer") {
            Outcome::Exact(value) => value.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// By hand, for randomised response of epsilon ln 3: tests are the two answers and their mixtures.
    #[test]
    fn randomised_response_by_hand() {
        let rr = "randomized-response(epsilon=ln(3))";
        assert_eq!(exact(&Risk::Advantage, rr), "1/2");
        assert_eq!(exact(&Risk::Power { rate: real("1/8") }, rr), "3/8");
        // Masses 3/4, 1/4 against 1/4, 3/4: sum of min((1-p) P, p Q).
        for (prior, risk) in [("1/2", "1/4"), ("1/3", "1/4"), ("1/5", "1/5"), ("0", "0"), ("1", "0"), ("4/5", "1/5")] {
            assert_eq!(exact(&Risk::Bayes { prior: real(prior) }, rr), risk, "{prior}");
        }
        // Mass at infinity: who sees it knows.
        assert_eq!(exact(&Risk::Bayes { prior: real("1/2") }, "approx-dp(epsilon=0, delta=1/3)"), "1/3");
    }

    /// Against Gaussians: `Phi(z)` formulas by a route of their own, with the threshold test of prior p.
    #[test]
    fn gaussians_by_their_thresholds() {
        use enclosure::special::{normal_cdf, normal_quantile};
        let (budget, bits) = (Budget::default(), 160);
        let phi = |x: &Enclosure| normal_cdf(x, bits, &budget).expect("a number");
        let of = |text: &str| real(text).enclosure(bits);
        for (mu, prior, rate) in [("1/2", "1/3", "1e-9"), ("2", "9/10", "1/100"), ("1", "1/2", "1/2")] {
            let mechanism = format!("gdp(mu={mu})");
            let (m, p) = (of(mu), of(prior));
            let half = m.shift(-1);
            assert!(set(&Risk::Advantage, &mechanism, 15).overlaps(&(phi(&half) - phi(&-&half))));
            let z = normal_quantile(&real(rate).number(bits), bits, &budget).expect("a number").enclosure(bits);
            assert!(set(&Risk::Power { rate: real(rate) }, &mechanism, 15).overlaps(&phi(&(&z + &m))), "{mu}");
            // Decide for Q above t: error (1-p) Q(t) + p Phi(t - mu), at t = ln((1-p)/p)/mu + mu/2.
            let one = Enclosure::one(bits);
            let t = &(&(&one - &p) / &p).ln() / &m + half;
            let error = &(&one - &p) * &phi(&-&t) + &p * &phi(&(&t - &m));
            assert!(set(&Risk::Bayes { prior: real(prior) }, &mechanism, 15).overlaps(&error), "{mu}");
        }
    }

    /// What is known of a guarantee are bounds, of what is 1 minus another number the other ones.
    #[test]
    fn risks_of_a_guarantee_are_bounds() {
        for mechanism in ["zcdp(rho=1/8)", "pure-dp(epsilon=1)", "inverse(pure-dp(epsilon=1))"] {
            let bound = |risk: Risk| {
                let query = Query::new(quantity(&risk), mechanism.parse().expect("a mechanism")).with_digits(4);
                answer(&query, &Budget::default()).expect("an answer").bound
            };
            assert_eq!(bound(Risk::Advantage), Some(Bound::Upper), "{mechanism}");
            assert_eq!(bound(Risk::Power { rate: real("1/8") }), Some(Bound::Upper), "{mechanism}");
            assert_eq!(bound(Risk::Bayes { prior: real("1/3") }), Some(Bound::Lower), "{mechanism}");
        }
        // Gaussian noise of sigma = 2 is 1/8-zCDP.
        let (zcdp, noise) = ("zcdp(rho=1/8)", "gaussian(sigma=2)");
        for (risk, order) in [
            (Risk::Advantage, Ordering::Greater),
            (Risk::Power { rate: real("1/8") }, Ordering::Greater),
            (Risk::Bayes { prior: real("1/3") }, Ordering::Less),
        ] {
            assert_eq!(set(&risk, zcdp, 4).compare(&set(&risk, noise, 4)), Some(order), "{risk:?}");
        }
    }

    /// At a tiny false positive rate the true positive rate is tiny too, and has its digits all the same.
    #[test]
    fn small_rates_have_their_digits() {
        let power = set(&Risk::Power { rate: real("1e-40") }, "gaussian(sigma=2)", 20);
        assert!(power.relative_bits() > Some(66) && *power.lower() > 1e-40 && *power.upper() < 1e-30);
    }

    #[test]
    fn rates_and_priors_are_probabilities() {
        for risk in [Risk::Power { rate: real("2") }, Risk::Bayes { prior: real("-1/2") }] {
            assert!(matches!(outcome(&risk, "gdp(mu=1)", 6), Err(Error::Input(_))));
        }
    }
}
