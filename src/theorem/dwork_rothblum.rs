//! Dwork and Rothblum, *Concentrated Differential Privacy*: `(mu, tau)`-CDP.
//!
//! A mechanism is `(mu, tau)`-CDP if its loss has a mean of at most mu and, less that mean, is tau-subgaussian, in both
//! directions: `E e^(l (L - E L)) <= e^(l^2 tau^2/2)` for every real l. (Theorem 1.1 of the paper, which is about
//! (epsilon, delta), is in `kov.rs` beside its like.) See `proofs/paper/concentrated.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::hypothesis::{at_most, inside_unit, not_negative};
use super::pure::tanh_half;
use crate::error::Error;
use enclosure::{Enclosure, Number, Real};

/// `(mu, tau)`-CDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cdp {
    mu: Real,
    tau_squared: Real,
}

impl Cdp {
    /// Nothing is revealed.
    pub fn nothing() -> Self {
        Cdp { mu: Real::zero(), tau_squared: Real::zero() }
    }

    /// Any two numbers that are not negative.
    pub fn new(mu: Real, tau: &Real) -> Result<Self, Error> {
        not_negative("mu", &mu)?;
        not_negative("tau", tau)?;
        Ok(Cdp { mu, tau_squared: tau.square() })
    }

    /// Theorem 3.2: Gaussian noise that moves by tau standard deviations is `(tau^2/2, tau)`-CDP; its loss is exactly
    /// `N(tau^2/2, tau^2)`.
    pub fn gaussian(tau_squared: &Real) -> Result<Self, Error> {
        not_negative("tau^2", tau_squared)?;
        Ok(Cdp { mu: tau_squared.mul_rational(&Rational::from((1, 2))), tau_squared: tau_squared.clone() })
    }

    /// Theorem 3.5, with the sharp mean: epsilon-DP is `(epsilon tanh(epsilon/2), epsilon)`-CDP. The paper prints the
    /// mean `epsilon (e^epsilon - 1)/2`.
    ///
    /// The losses lie in `[-epsilon, epsilon]`, so by Hoeffding's lemma they are epsilon-subgaussian.
    pub fn pure(epsilon: &Real) -> Result<Self, Error> {
        not_negative("epsilon", epsilon)?;
        Ok(Cdp { mu: epsilon.mul(&tanh_half(epsilon)?)?, tau_squared: epsilon.square() })
    }

    /// Randomised response: `(tau^2/2, tau)` with `tau^2 = 2 epsilon tanh(epsilon/2)`, both exactly.
    ///
    /// The loss is epsilon with probability `x/(1+x)` and `-epsilon` otherwise; tau is the subgaussian constant of two
    /// points (Kearns and Saul 1998).
    pub fn randomized_response(epsilon: &Real) -> Result<Self, Error> {
        not_negative("epsilon", epsilon)?;
        let mu = epsilon.mul(&tanh_half(epsilon)?)?;
        Ok(Cdp { tau_squared: mu.mul_rational(&Rational::from(2)), mu })
    }

    /// Theorem 3.4: composition with `other`, run `times` times. The means are additive, and so are the squares of tau.
    #[must_use]
    pub fn and(&self, other: &Self, times: u64) -> Self {
        let times = Rational::from(times);
        Cdp {
            mu: self.mu.add(&other.mu.mul_rational(&times)),
            tau_squared: self.tau_squared.add(&other.tau_squared.mul_rational(&times)),
        }
    }

    /// mu and tau.
    pub fn parameters(&self) -> Result<(Real, Real), Error> {
        Ok((self.mu.clone(), self.tau_squared.sqrt()?))
    }

    /// Corollary 3.1, `P[L >= mu + t tau] <= e^(-t^2/2)`: the epsilon `mu + tau sqrt(2 ln(1/delta))` for a delta in
    /// `(0, 1)`, since `delta(epsilon) <= P[L > epsilon]`.
    pub fn epsilon(&self, delta: &Real, bits: u32) -> Result<Number, Error> {
        inside_unit("delta", delta)?;
        let square = delta.ln()?.neg().enclosure(bits).shift(1) * self.tau_squared.enclosure(bits);
        Ok(&self.mu.number(bits) + &Number::Enclosed(square.sqrt()))
    }

    /// The same for a delta: `e^(-((epsilon - mu)/tau)^2/2)`, or 1 below mu.
    pub fn delta(&self, epsilon: &Real, bits: u32) -> Result<Number, Error> {
        let above = epsilon.sub(&self.mu);
        match above.sign() {
            Some(Ordering::Less | Ordering::Equal) => Ok(Number::one()),
            None => Err(Error::undecided("cannot decide whether epsilon is above mu")),
            Some(Ordering::Greater) if self.tau_squared.is_zero() => Ok(Number::zero()),
            Some(Ordering::Greater) => {
                let scaled = above.enclosure(bits).square() / self.tau_squared.enclosure(bits);
                Ok(Number::Enclosed((-scaled.shift(-1)).exp()))
            }
        }
    }

    /// The recursion behind Theorem 4.1, `(mu, tau)` for groups of `2^doublings`, as (mu, tau):
    ///
    /// `tau' = 2 tau + 34 tau^(3/2)`, `mu' = 2 mu + tau^2 + 3.5 tau^3 + 1.5 tau^4`, from `mu <= tau^2/2`,
    ///
    /// each step for `tau <= 1/4` (Lemmas 4.2 and 4.3). The theorem itself has no constants; these are what its proof
    /// uses. The copy of Lemma 4.2 that is about prints 2 for the coefficient of `tau_1^2 tau_2`; the recursion needs
    /// the 3 that follows from Lemma 2.3.
    ///
    /// # Errors
    /// [`Error::Undefined`] if a hypothesis fails for an intermediate group; the message names the group.
    pub fn group(&self, doublings: u32, bits: u32) -> Result<(Number, Number), Error> {
        let half = self.tau_squared.mul_rational(&Rational::from((1, 2)));
        at_most("mu - tau^2/2", &self.mu.sub(&half), &Real::zero())?;
        let (mut mu, mut tau) = (self.mu.number(bits), self.tau_squared.number(bits).sqrt(bits));
        let quarter = Number::Exact(Rational::from((1, 4)));
        let times = |factor: u32, value: &Number| &Number::Exact(factor.into()) * value;
        for step in 0..doublings {
            match tau.compare(&quarter) {
                Some(Ordering::Less | Ordering::Equal) => {}
                Some(Ordering::Greater) => {
                    let found = tau.enclosure(64).lower().to_f64();
                    return Err(Error::Undefined(format!(
                        "doubling a group of 2^{step} requires tau <= 1/4, but tau = {found:.6} there"
                    )));
                }
                None => return Err(Error::undecided("cannot decide whether tau is at most 1/4")),
            }
            let square = tau.pow(2);
            let more = &times(7, &(&square * &tau)) + &times(3, &square.pow(2));
            mu = &(&times(2, &mu) + &square) + &(&more / &Number::Exact(2.into()));
            let rooted = &tau * &tau.sqrt(bits);
            tau = &times(2, &tau) + &times(34, &rooted);
        }
        Ok((mu, tau))
    }
}

/// Lemma 3.7 and Theorem 3.8: with losses in `[-epsilon, epsilon]`, in both directions, the Kullback-Leibler divergence
/// is at most `epsilon (e^epsilon - 1)/2`. (As printed, with the loss bounded in one direction only, it is false.)
pub fn printed_mean(epsilon: &Real, bits: u32) -> Result<Number, Error> {
    not_negative("epsilon", epsilon)?;
    let rise = match epsilon.exp_rational() {
        Some(x) => Number::Exact(x - 1),
        None => Number::Enclosed(Enclosure::expm1(&epsilon.enclosure(bits))),
    };
    Ok(&(&epsilon.number(bits) * &rise) / &Number::Exact(2.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::reference::assert_agrees;

    fn real(text: &str) -> Real {
        text.parse().unwrap()
    }

    #[test]
    fn references() {
        for (epsilon, sharp, printed, tau) in [
            (
                "0.1",
                "0.004995837495787997219838636520828431964280",
                "0.005258545903782381240585391324512333411227",
                "0.09995836629105136810142721904810037713853",
            ),
            (
                "1",
                "0.4621171572600097585023184836436725487303",
                "0.8591409142295226176801437356763312488786",
                "0.9613710597474939161060650426089870952462",
            ),
            (
                "3",
                "2.715444760934599314726911089369486791683",
                "28.62830538478150161139279448187257684548",
                "2.330426896915927425130202224252335307404",
            ),
        ] {
            let epsilon = real(epsilon);
            let (mu, response_tau) = Cdp::randomized_response(&epsilon).unwrap().parameters().unwrap();
            assert_agrees(&mu.number(200), sharp);
            assert_agrees(&Cdp::pure(&epsilon).unwrap().mu.number(200), sharp);
            assert_agrees(&response_tau.number(200), tau);
            assert_agrees(&printed_mean(&epsilon, 200).unwrap(), printed);
        }
    }

    #[test]
    fn groups_by_the_recursion() {
        for (tau, doublings, mu, larger) in [
            ("1e-4", 3, "5.380837215851072625e-7", "0.001666295122054247697"),
            ("1e-6", 6, "2.7301886046421414613e-9", "0.000085888650870762777042"),
        ] {
            let found = Cdp::gaussian(&real(tau).square()).unwrap().group(doublings, 200).unwrap();
            assert_agrees(&found.0, mu);
            assert_agrees(&found.1, larger);
        }
        let far = Cdp::gaussian(&real("1/100")).unwrap().group(3, 100);
        let Err(Error::Undefined(message)) = far else { panic!("{far:?}") };
        assert!(message.contains("tau <= 1/4") && message.contains("2^1"), "{message}");
        // A mean above the line on which the recursion starts.
        assert!(matches!(Cdp::new(real("1"), &real("1/10")).unwrap().group(1, 100), Err(Error::Undefined(_))));
        assert!(Cdp::new(real("-1"), &real("1")).is_err());
    }

    /// The tail of the Gaussian, which is (tau^2/2, tau)-CDP, lies below what the corollary says.
    #[test]
    fn tails() {
        let ten = Cdp::nothing().and(&Cdp::gaussian(&real("1/10")).unwrap(), 10);
        assert_eq!(ten, Cdp::gaussian(&Real::one()).unwrap());
        let epsilon = ten.epsilon(&real("1e-5"), 200).unwrap();
        // 1/2 + sqrt(2 ln(10^5)).
        assert_agrees(&epsilon, "5.298525912188081207567368868904801527654");
        let back = ten.delta(&real("1/2 + sqrt(2*ln(10^5))"), 128).unwrap().enclosure(128);
        assert!(back.contains(&Rational::from((1, 100_000))));
        assert_eq!(ten.delta(&real("1/2"), 64).unwrap().exact(), Some(&Rational::from(1)));
        assert_eq!(Cdp::nothing().delta(&real("1/2"), 64).unwrap().exact(), Some(&Rational::new()));
    }
}
