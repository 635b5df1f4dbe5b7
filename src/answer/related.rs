//! Quantities that are simple functions of one value of the profile or of the trade-off function f: the success of the
//! best attack on one record (`proofs/paper/attack.md`), and the convex conjugate (`proofs/paper/duality.md`).
//!
//! The attacker sees the output and decides between P and Q.
//!
//! ```text
//! advantage          max over tests of (true positive rate - false positive rate) = delta(0)
//! true positives     at a false positive rate a: 1 - beta(a)
//! Bayes risk         with prior p of Q: min over tests of (1-p) alpha + p beta = (1-p) (1 - delta(ln(p/(1-p))))
//! conjugate          sup over alpha of y alpha - f(alpha) = delta(ln(-y)) - 1 of the other order for y < 0, else y
//! ```

use std::cmp::Ordering;

use super::{Answer, Outcome, Session};
use crate::curve::Direction;
use crate::error::Error;
use crate::number::Interval;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Enclosure, Number, Real, bits_of_digits};

/// Which function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Related {
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
    /// The conjugate `f*(y)`.
    Conjugate {
        /// The slope y.
        slope: Real,
        /// Is it negative? Otherwise the supremum is the value at alpha = 1, where f is 0.
        falls: bool,
    },
}

/// So often more digits are asked for, where those of a small difference are lost.
const ATTEMPTS: u32 = 4;

impl Related {
    /// The function that is asked for, if it is one.
    ///
    /// # Errors
    /// Undecided, if a slope cannot be told from 0.
    pub fn of(quantity: &Quantity) -> Result<Option<Self>, Error> {
        Ok(Some(match quantity {
            Quantity::Advantage => Related::Advantage,
            Quantity::TruePositiveRate { rate } => Related::Power { rate: rate.clone() },
            Quantity::BayesRisk { prior } => Related::Bayes { prior: prior.clone() },
            Quantity::Conjugate { slope } => {
                let sign = slope.sign().ok_or_else(|| {
                    Error::undecided(format!(
                        "cannot decide the sign of the slope \
                                                                                {slope}"
                    ))
                })?;
                Related::Conjugate { slope: slope.clone(), falls: sign == Ordering::Less }
            }
            _ => return Ok(None),
        }))
    }

    /// The quantity that it is a function of; `None` where nothing has to be known.
    fn quantity(&self) -> Result<Option<Quantity>, Error> {
        Ok(Some(match self {
            Related::Advantage => Quantity::Tv,
            Related::Power { rate } => Quantity::Beta { alpha: rate.clone() },
            Related::Bayes { prior } => {
                let other = Real::one().sub(prior);
                match (prior.sign(), other.sign()) {
                    (Some(Ordering::Equal), _) | (_, Some(Ordering::Equal)) => return Ok(None),
                    _ => Quantity::Delta { epsilon: prior.ln()?.sub(&other.ln()?) },
                }
            }
            Related::Conjugate { slope, falls: true } => Quantity::Delta { epsilon: slope.neg().ln()? },
            Related::Conjugate { falls: false, .. } => Quantity::Beta { alpha: Real::one() },
        }))
    }

    /// In which direction that is asked: `f*(-x) = H_x(Q||P) - 1` for `f = T(P,Q)`.
    fn direction(&self, direction: Direction) -> Direction {
        match (self, direction) {
            (Related::Conjugate { falls: true, .. }, Direction::Forward) => Direction::Backward,
            (Related::Conjugate { falls: true, .. }, Direction::Backward) => Direction::Forward,
            (_, direction) => direction,
        }
    }

    /// The function of its quantity.
    fn value(&self, value: &Number, bits: u32) -> Number {
        let complement = &Number::one() - value;
        match self {
            Related::Advantage => value.clone(),
            Related::Power { .. } => complement,
            Related::Bayes { prior } => &Real::one().sub(prior).number(bits) * &complement,
            Related::Conjugate { falls: true, .. } => value - &Number::one(),
            Related::Conjugate { slope, falls: false } => &slope.number(bits) - value,
        }
    }

    /// The enclosure, within the range of the quantity: `f >= 0` and `f(alpha) <= 1 - alpha` put a conjugate between -1
    /// and 0 for a negative slope, and the other quantities are not negative.
    fn within(&self, set: &Enclosure, bits: u32) -> Enclosure {
        match self {
            Related::Conjugate { falls: true, .. } => {
                set.min(&Enclosure::zero(bits)).max(&Enclosure::rational(&(-1).into(), bits))
            }
            _ => set.max(&Enclosure::zero(bits)),
        }
    }

    /// The answer for the composition of a query, in its direction and by its method.
    ///
    /// The worst direction is the worst for the person attacked: the larger rate, the smaller error probability.
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
                direction: self.direction(query.direction),
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
            let outcome = match (Outcome::of(self.value(&value, bits)), reason) {
                (Outcome::Enclosure(set), reason) => {
                    let set = Interval::from(self.within(&Number::from(&set).enclosure(bits), bits));
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
                            reason: format!(
                                "the result is 1 minus a number that agrees with 1 to {} digits",
                                asked.digits
                            )
                            .into(),
                        },
                    }
                }
                (exact, _) => exact,
            };
            return Ok(Answer { outcome, ..found });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Bound, answer};

    /// As a quantity.
    fn quantity(risk: &Related) -> Quantity {
        match risk.clone() {
            Related::Advantage => Quantity::Advantage,
            Related::Power { rate } => Quantity::TruePositiveRate { rate },
            Related::Bayes { prior } => Quantity::BayesRisk { prior },
            Related::Conjugate { slope, .. } => Quantity::Conjugate { slope },
        }
    }

    fn conjugate(slope: &str) -> Related {
        Related::of(&Quantity::Conjugate { slope: real(slope) }).expect("a sign").expect("a conjugate")
    }

    fn outcome(risk: &Related, mechanism: &str, digits: u32) -> Result<Outcome, Error> {
        let query = Query::new(quantity(risk), mechanism.parse().expect("a mechanism")).with_digits(digits);
        Ok(answer(&query, &Budget::default())?.outcome)
    }

    fn set(risk: &Related, mechanism: &str, digits: u32) -> Enclosure {
        outcome(risk, mechanism, digits).expect("an answer").number().expect("a number").enclosure(200)
    }

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn exact(risk: &Related, mechanism: &str) -> String {
        match outcome(risk, mechanism, 15).expect("an answer") {
            Outcome::Exact(value) => value.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// By hand, for randomised response of epsilon ln 3: tests are the two answers and their mixtures.
    #[test]
    fn randomised_response_by_hand() {
        let rr = "randomized-response(epsilon=ln(3))";
        assert_eq!(exact(&Related::Advantage, rr), "1/2");
        assert_eq!(exact(&Related::Power { rate: real("1/8") }, rr), "3/8");
        // Masses 3/4, 1/4 against 1/4, 3/4: sum of min((1-p) P, p Q).
        for (prior, risk) in [("1/2", "1/4"), ("1/3", "1/4"), ("1/5", "1/5"), ("0", "0"), ("1", "0"), ("4/5", "1/5")] {
            assert_eq!(exact(&Related::Bayes { prior: real(prior) }, rr), risk, "{prior}");
        }
        // Mass at infinity: who sees it knows.
        assert_eq!(exact(&Related::Bayes { prior: real("1/2") }, "approx-dp(epsilon=0, delta=1/3)"), "1/3");
    }

    /// By hand, over the vertices: (0, 1), (1/4, 1/4), (1, 0) of randomised response.
    #[test]
    fn conjugates_by_hand() {
        let rr = "randomized-response(epsilon=ln(3))";
        let known = [
            ("-10", "-1"),
            ("-3", "-1"),
            ("-2", "-3/4"),
            ("-1/5", "-1/5"),
            ("-1/3", "-1/3"),
            ("0", "0"),
            ("7/2", "7/2"),
        ];
        for (slope, value) in known {
            assert_eq!(exact(&conjugate(slope), rr), value, "{slope}");
        }
        // What begins below 1: (0, 2/3), (2/3, 0), (1, 0).
        for (slope, value) in [("-2", "-2/3"), ("-1/2", "-1/3"), ("-1/1000", "-1/1500")] {
            assert_eq!(exact(&conjugate(slope), "approx-dp(epsilon=0, delta=1/3)"), value, "{slope}");
        }
    }

    /// Of two orders: f has the corner (1/2, 1/5), its inverse (1/5, 1/2).
    #[test]
    fn each_order_has_its_conjugate() {
        let ask = |direction| {
            let query = Query::new(quantity(&conjugate("-3/2")), "finite(p=[1/2,1/2], q=[1/5,4/5])".parse()?);
            Ok::<_, Error>(match answer(&query.with_direction(direction), &Budget::default())?.outcome {
                Outcome::Exact(value) => value.to_string(),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(ask(Direction::Forward).expect("a number"), "-19/20");
        assert_eq!(ask(Direction::Backward).expect("a number"), "-4/5");
        assert_eq!(ask(Direction::Worst).expect("a number"), "-4/5");
    }

    /// Of polylines that operators make, against the vertices of the polyline itself.
    #[test]
    fn conjugates_of_polylines_are_taken_at_vertices() {
        for mechanism in [
            "group(k=3, finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3]))",
            "subsample(rate=1/10, randomized-response(epsilon=ln(3/2))^2)^3",
            "trade-off(alpha=[0,1/10,1/2,1], beta=[9/10,3/5,1/8,0])^2",
            "inverse(finite(p=[1/2,1/4,1/4], q=[1/3,2/3,0]))",
        ] {
            let composition: crate::mechanism::Composition = mechanism.parse().expect("a mechanism");
            let pair = crate::pair::Pair::several(composition.pairs().expect("pairs"));
            let f = pair.trade_off().expect("a curve").expect("a polyline");
            for slope in ["-5", "-3/2", "-1", "-2/3", "-1/7", "0", "2"] {
                let y = real(slope).as_rational().expect("a fraction").clone();
                for (direction, f) in [(Direction::Forward, f.clone()), (Direction::Backward, f.inverse())] {
                    let query = Query::new(quantity(&conjugate(slope)), composition.clone()).with_direction(direction);
                    let found = answer(&query, &Budget::default()).expect("an answer").outcome;
                    let Outcome::Exact(found) = found else { panic!("{mechanism} at {slope}: {found:?}") };
                    assert_eq!(found.to_string(), f.conjugate(&y).to_string(), "{mechanism} at {slope}, {direction:?}");
                }
            }
        }
    }

    /// The tangent of `G_mu` at the test with threshold t: `f*(y) = y Phi(-t) - Phi(t - mu)`, `y = -e^(mu t - mu^2/2)`.
    #[test]
    fn conjugates_of_gaussians_are_tangents() {
        use enclosure::special::normal_cdf;
        let (budget, bits) = (Budget::default(), 160);
        let phi = |x: &str| normal_cdf(&real(x).enclosure(bits), bits, &budget).expect("a number");
        for (mu, t) in [("1", "1/3"), ("2", "-1/2"), ("1/2", "4")] {
            let slope = format!("-exp({mu}*({t}) - ({mu})^2/2)");
            let tangent = &real(&slope).enclosure(bits) * &phi(&format!("-({t})")) - phi(&format!("{t} - {mu}"));
            assert!(set(&conjugate(&slope), &format!("gdp(mu={mu})"), 20).overlaps(&tangent), "{mu}, {t}");
        }
    }

    /// Near to 0 it is a small difference of delta and 1, and has its digits all the same.
    #[test]
    fn small_conjugates_have_their_digits() {
        let small = set(&conjugate("-1e-30"), "gdp(mu=1)", 20);
        assert!(small.relative_bits() > Some(66) && *small.upper() < -0.9e-30 && *small.lower() > -1.1e-30);
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
            assert!(set(&Related::Advantage, &mechanism, 15).overlaps(&(phi(&half) - phi(&-&half))));
            let z = normal_quantile(&real(rate).number(bits), bits, &budget).expect("a number").enclosure(bits);
            assert!(set(&Related::Power { rate: real(rate) }, &mechanism, 15).overlaps(&phi(&(&z + &m))), "{mu}");
            // Decide for Q above t: error (1-p) Q(t) + p Phi(t - mu), at t = ln((1-p)/p)/mu + mu/2.
            let one = Enclosure::one(bits);
            let t = &(&(&one - &p) / &p).ln() / &m + half;
            let error = &(&one - &p) * &phi(&-&t) + &p * &phi(&(&t - &m));
            assert!(set(&Related::Bayes { prior: real(prior) }, &mechanism, 15).overlaps(&error), "{mu}");
        }
    }

    /// What is known of a guarantee are bounds, of what is 1 minus another number the other ones.
    #[test]
    fn risks_of_a_guarantee_are_bounds() {
        for mechanism in ["zcdp(rho=1/8)", "pure-dp(epsilon=1)", "inverse(pure-dp(epsilon=1))"] {
            let bound = |risk: Related| {
                let query = Query::new(quantity(&risk), mechanism.parse().expect("a mechanism")).with_digits(4);
                answer(&query, &Budget::default()).expect("an answer").bound
            };
            assert_eq!(bound(Related::Advantage), Some(Bound::Upper), "{mechanism}");
            assert_eq!(bound(Related::Power { rate: real("1/8") }), Some(Bound::Upper), "{mechanism}");
            assert_eq!(bound(Related::Bayes { prior: real("1/3") }), Some(Bound::Lower), "{mechanism}");
            assert_eq!(bound(conjugate("-2")), Some(Bound::Upper), "{mechanism}");
        }
        // Gaussian noise of sigma = 2 is 1/8-zCDP.
        let (zcdp, noise) = ("zcdp(rho=1/8)", "gaussian(sigma=2)");
        for (risk, order) in [
            (Related::Advantage, Ordering::Greater),
            (Related::Power { rate: real("1/8") }, Ordering::Greater),
            (Related::Bayes { prior: real("1/3") }, Ordering::Less),
        ] {
            assert_eq!(set(&risk, zcdp, 4).compare(&set(&risk, noise, 4)), Some(order), "{risk:?}");
        }
    }

    /// At a tiny false positive rate the true positive rate is tiny too, and has its digits all the same.
    #[test]
    fn small_rates_have_their_digits() {
        let power = set(&Related::Power { rate: real("1e-40") }, "gaussian(sigma=2)", 20);
        assert!(power.relative_bits() > Some(66) && *power.lower() > 1e-40 && *power.upper() < 1e-30);
    }

    #[test]
    fn rates_and_priors_are_probabilities() {
        for risk in [Related::Power { rate: real("2") }, Related::Bayes { prior: real("-1/2") }] {
            assert!(matches!(outcome(&risk, "gdp(mu=1)", 6), Err(Error::Input(_))));
        }
    }
}
