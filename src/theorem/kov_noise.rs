//! Kairouz, Oh and Viswanath, section 4 and appendices A and B: how much noise is enough, and what a guarantee means at
//! a smaller epsilon.
//!
//! Theorem 4.3 is stated for every epsilon, but is false for large ones; so are the second condition of appendix B and
//! the classical rule for one Gaussian. The composition of k Gaussian mechanisms is exactly one Gaussian with
//! `mu^2 = k D^2/sigma^2`, so each rule can be checked at the given point. It is refused if the exact delta of its
//! noise exceeds the target. Theorems 4.1 and 4.2 keep their stated condition `epsilon <= 9/10`. See
//! `proofs/paper/composition-bounds.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::hypothesis::{above, at_most, not_negative, unit};
use crate::compose::Gaussian;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use enclosure::decimal::{Side, decimal};
use enclosure::{Brief, Budget, Number, Real};

/// The bits by which noise and promise have to be told apart.
const MOST_BITS: u32 = 1 << 12;

/// A promise, and how much noise there has to be for it.
#[derive(Clone, Debug)]
pub struct Noise {
    /// `epsilon > 0`.
    pub epsilon: Real,
    /// `0 < delta <= 1`.
    pub delta: Real,
    /// How many queries.
    pub queries: Real,
    /// Their sensitivity D.
    pub sensitivity: Real,
}

/// Appendix A: an `(epsilon, delta)`-DP mechanism is, for `0 <= smaller <= epsilon`, also
/// `(smaller, 1 - (1-delta)(1+e^smaller)/(1+e^epsilon))`-DP, and no less for randomised response; beyond epsilon delta
/// stays.
pub fn trade_down(epsilon: &Real, delta: &Real, smaller: &Real, bits: u32) -> Result<Number, Error> {
    not_negative("epsilon", epsilon)?;
    not_negative("the smaller epsilon", smaller)?;
    unit("delta", delta)?;
    match smaller.compare(epsilon) {
        Some(Ordering::Less) => {}
        Some(_) => return Ok(delta.number(bits)),
        None => return Err(Error::undecided("cannot decide which epsilon is smaller")),
    }
    let one = Number::one();
    let rest = &one - &delta.number(bits);
    // With `e^(s-e)` nothing overflows: (1+e^s)/(1+e^e) = (e^-e + e^(s-e))/(1 + e^-e).
    let (least, ratio) = (epsilon.neg().exp_number(bits), smaller.sub(epsilon).exp_number(bits));
    Ok(&one - &(&(&rest * &(&least + &ratio)) / &(&one + &least)))
}

impl Noise {
    fn check(&self) -> Result<(), Error> {
        above("epsilon", &self.epsilon, &Real::zero())?;
        above("delta", &self.delta, &Real::zero())?;
        unit("delta", &self.delta)?;
        above("k", &self.queries, &Real::zero())?;
        not_negative("the sensitivity", &self.sensitivity)
    }

    /// `ln(e + epsilon/delta)`.
    fn log(&self) -> Result<Real, Error> {
        Real::one().exp()?.add(&self.epsilon.div(&self.delta)?).ln()
    }

    /// Theorem 4.1, for `0 < epsilon <= 9/10`, `0 < delta <= 1`: k queries, each
    /// `(epsilon/(2 sqrt(k ln(e + epsilon/delta))), delta/(2k))`-DP, are `(epsilon, delta)`-DP.
    pub fn split(&self) -> Result<(Real, Real), Error> {
        self.check()?;
        at_most("epsilon", &self.epsilon, &Real::from(Rational::from((9, 10))))?;
        let four = self.queries.mul(&self.log()?)?.mul_rational(&Rational::from(4));
        let each = self.epsilon.square().div(&four)?.sqrt()?;
        Ok((each, self.delta.div(&self.queries.mul_rational(&Rational::from(2)))?))
    }

    /// Theorem 4.2, for `0 < epsilon <= 9/10`: Laplace noise of variance `8 k D^2 ln(e + epsilon/delta)/epsilon^2`.
    pub fn laplace(&self) -> Result<Real, Error> {
        self.split()?;
        self.variance(8)
    }

    /// Theorem 4.3: Gaussian noise of the same variance, where that is true.
    pub fn gaussian(&self, budget: &Budget) -> Result<Real, Error> {
        self.check()?;
        let variance = self.variance(8)?;
        self.hold("KOV Theorem 4.3", &variance, budget)?;
        Ok(variance)
    }

    /// Appendix B, the second condition: a variance of `4 k D^2 ln(e + epsilon/delta)/epsilon^2`, and of at least
    /// `k D^2/(4 epsilon)`, where that is true.
    pub fn appendix(&self, budget: &Budget) -> Result<Real, Error> {
        self.check()?;
        let (one, other) = (self.variance(4)?, self.scale()?.div(&self.epsilon.mul_rational(&Rational::from(4)))?);
        let larger = match one.compare(&other) {
            Some(Ordering::Less) => other,
            _ => one,
        };
        self.hold("the second condition of KOV appendix B", &larger, budget)?;
        Ok(larger)
    }

    /// The classical rule for one Gaussian query: a variance of `2 D^2 ln(2/delta)/epsilon^2`, where that is true.
    pub fn classical(&self, budget: &Budget) -> Result<Real, Error> {
        self.check()?;
        let log = Real::from(2).div(&self.delta)?.ln()?.mul_rational(&Rational::from(2));
        let variance = self.scale()?.mul(&log)?.div(&self.epsilon.square())?;
        self.hold("the classical rule", &variance, budget)?;
        Ok(variance)
    }

    /// `k D^2`.
    fn scale(&self) -> Result<Real, Error> {
        self.queries.mul(&self.sensitivity.square())
    }

    /// `c k D^2 ln(e + epsilon/delta)/epsilon^2`.
    fn variance(&self, factor: u32) -> Result<Real, Error> {
        let top = self.scale()?.mul(&self.log()?)?.mul_rational(&Rational::from(factor));
        top.div(&self.epsilon.square())
    }

    /// Check that Gaussian noise of this variance meets the target.
    fn hold(&self, who: &str, variance: &Real, budget: &Budget) -> Result<(), Error> {
        // No delta is above 1, which is what is compared, and the exact one may be as good as 1.
        if variance.is_zero() || self.delta.compare(&Real::one()) == Some(Ordering::Equal) {
            return Ok(());
        }
        let noise = Gaussian::new(self.scale()?.div(variance)?)?;
        let mut bits = 64;
        while bits <= MOST_BITS {
            let exact = noise.delta(&self.epsilon, Direction::Forward, bits, budget)?;
            match exact.compare(&self.delta.number(bits)) {
                Some(Ordering::Greater) => {
                    let told = decimal(&exact, 6, Side::Lower);
                    return Err(Error::Undefined(format!(
                        "{who} is false at epsilon = {}, delta = {}: with this variance the exact delta is above \
                         {told}",
                        Brief(&self.epsilon),
                        Brief(&self.delta)
                    )));
                }
                Some(_) => return Ok(()),
                None => bits *= 4,
            }
        }
        Err(Error::undecided(format!("cannot decide whether {who} holds: the exact delta is too close to the target")))
    }
}

/// Appendix B, the first condition: k Gaussian queries with `mu^2 = k D^2/sigma^2` are `(epsilon, delta)`-DP with
/// `epsilon = mu^2/2 + mu sqrt(2 ln(e + mu/delta))`.
pub fn gaussian_epsilon(mu_squared: &Real, delta: &Real, bits: u32) -> Result<Number, Error> {
    not_negative("mu^2", mu_squared)?;
    above("delta", delta, &Real::zero())?;
    unit("delta", delta)?;
    let mu = mu_squared.number(bits).sqrt(bits);
    let inside = Real::one().exp()?.enclosure(bits) + (&mu / &delta.number(bits)).enclosure(bits);
    let spread = &mu * &Number::Enclosed(inside.ln().shift(1).sqrt());
    Ok(&(&mu_squared.number(bits) / &Number::Exact(2.into())) + &spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::reference::assert_agrees;

    fn real(text: &str) -> Real {
        text.parse().unwrap()
    }

    fn noise(epsilon: &str, delta: &str, queries: &str) -> Noise {
        Noise { epsilon: real(epsilon), delta: real(delta), queries: real(queries), sensitivity: Real::one() }
    }

    #[test]
    fn references() {
        let at = |delta: &str, smaller: &str| trade_down(&Real::one(), &real(delta), &real(smaller), 200).unwrap();
        assert_agrees(&at("0", "0"), "0.4621171572600097585023184836436725487303");
        assert_agrees(&at("0.1", "0"), "0.5159054415340087826520866352793052938573");
        assert_agrees(&at("0.1", "0.5"), "0.3588842229804711324295393086371187937883");
        assert_eq!(at("0.1", "2").exact(), Some(&Rational::from((1, 10))));
        let exact = trade_down(&real("ln(3)"), &real("1/10"), &real("ln(3/2)"), 64).unwrap();
        // 1 - 9/10 (5/2)/4.
        assert_eq!(exact.exact(), Some(&Rational::from((7, 16))));
        let (each, delta) = noise("0.5", "1e-5", "100").split().unwrap();
        assert_agrees(&each.number(200), "0.007600282530363225257221094893046013401851");
        assert_eq!(delta, real("1e-5/200"));
        let variance = noise("0.5", "1e-5", "100").laplace().unwrap();
        assert_agrees(&variance.number(200), "34623.46447542110281932565266615672953640");
        let gaussian = noise("0.5", "1e-5", "100").gaussian(&Budget::default()).unwrap();
        let mu = real("100").div(&gaussian).unwrap().sqrt().unwrap();
        assert_agrees(&mu.number(200), "0.05374211316153488863197750310206239172428");
    }

    /// Each rule holds just below the epsilon where it stops to be true, and is refused just above.
    #[test]
    fn what_is_false_is_refused() {
        type Rule = fn(&Noise, &Budget) -> Result<Real, Error>;
        let (gaussian, appendix, classical): (Rule, Rule, Rule) = (Noise::gaussian, Noise::appendix, Noise::classical);
        for (rule, delta, largest) in [
            (gaussian, "0.9", "90.70251288397684237836154"),
            (gaussian, "0.5", "83.04674632415668286113626"),
            (gaussian, "0.1", "91.32189237578127087497459"),
            (gaussian, "1e-3", "129.6917454202987476962789"),
            (gaussian, "1e-12", "305.3095835634704371448704"),
            (appendix, "0.1", "35.88875973964982645596028"),
            (appendix, "1e-8", "76.79260789855475002980671"),
            (classical, "0.9", "6.947700036557434079323332"),
            (classical, "1e-5", "9.391321462193539930521633"),
        ] {
            let unit = real("1e-20");
            let ask = |epsilon: Real| rule(&Noise { epsilon, ..noise("1", delta, "1") }, &Budget::default());
            assert!(ask(real(largest).sub(&unit)).is_ok(), "{delta} {largest}");
            let Err(Error::Undefined(message)) = ask(real(largest).add(&unit)) else { panic!("{delta} {largest}") };
            assert!(message.contains("is false at epsilon"), "{message}");
        }
        // A delta of 1 is promised by anything.
        for rule in [gaussian, appendix, classical] {
            assert!(rule(&noise("2000", "1", "1"), &Budget::default()).is_ok());
        }
        let Err(Error::Undefined(message)) = noise("100", "0.5", "7").gaussian(&Budget::default()) else { panic!() };
        assert!(message.contains("above 0.860787"), "{message}");
    }

    #[test]
    fn hypotheses_are_checked() {
        for (epsilon, delta, queries) in [("0", "1/2", "1"), ("1/2", "0", "1"), ("1/2", "2", "1"), ("1/2", "1", "0")] {
            assert!(matches!(noise(epsilon, delta, queries).split(), Err(Error::Undefined(_))));
        }
        let Err(Error::Undefined(message)) = noise("1", "1/2", "1").laplace() else { panic!() };
        assert!(message.contains("epsilon <= 9/10 is required, but epsilon = 1"), "{message}");
        assert!(trade_down(&Real::one(), &Real::zero(), &real("-1"), 64).is_err());
    }
}
