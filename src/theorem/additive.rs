//! How accurate an answer with additive noise is: variance, mean absolute error, tails and quantiles of the noise.
//!
//! A mechanism that adds noise Z to a query has the error `|Z|`, whatever the query and its sensitivity. For the
//! mechanisms of Kairouz, Oh and Viswanath, Section 4, with `b = e^-epsilon`:
//!
//! | noise | variance | `E|Z|` | `P[|Z| > T]`, `T >= 0` |
//! |---|---|---|---|
//! | Gaussian | `sigma^2` | `sigma sqrt(2/pi)` | `2 Q(T/sigma)`, Q the upper tail of N(0, 1) |
//! | Laplace | `2 scale^2` | `scale` | `e^(-T/scale)` |
//! | geometric | `2b/(1-b)^2` | `2b/(1-b^2)` | `2 b^(n+1)/(1+b)`, `n = floor(T)` |
//! | staircase | see [`Noise::variance`] | see [`Noise::mean_absolute`] | see [`Noise::tail`] |
//! | discrete Gaussian | theta series | Euler-Maclaurin sum | lattice sum of [`DiscreteGaussian`] |
//!
//! All are exact where they are rational. Paper proof: `proofs/paper/additive-noise.md`.

mod theta;

use std::cmp::Ordering;
use std::fmt;

use rug::float::Round;
use rug::{Float, Integer, Rational};

use super::hypothesis::inside_unit;
use crate::compose::DiscreteGaussian;
use crate::error::Error;
use crate::mechanism::{Argument, Composition, Mechanism};
use crate::pair::one_minus_exp_neg;
use enclosure::special::{Tail, tail_quantile};
use enclosure::{Brief, Budget, Enclosure, Number, Real};

/// Precision, in bits, up to which an integer part or a comparison is sought.
const MOST_BITS: u32 = 1 << 16;

/// The law of what is added to a query. It does not depend on the sensitivity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noise {
    /// `N(0, sigma^2)`.
    Gaussian {
        /// The standard deviation, greater than 0.
        sigma: Real,
    },
    /// The density `e^(-|z|/scale)/(2 scale)`.
    Laplace {
        /// Greater than 0.
        scale: Real,
    },
    /// Integers with `P(j) = (1-b)/(1+b) b^|j|`, `b = e^-epsilon`.
    Geometric {
        /// Greater than 0.
        epsilon: Real,
    },
    /// The symmetric density `a b^k` on `[k, k + gamma)` and `a b^(k+1)` on `[k + gamma, k + 1)`, `b = e^-epsilon`.
    Staircase {
        /// Greater than 0.
        epsilon: Real,
        /// Between 0 and 1.
        gamma: Real,
    },
    /// Integers with `P(j)` proportional to `e^(-j^2/(2 sigma2))`.
    DiscreteGaussian {
        /// Greater than 0.
        sigma2: Rational,
    },
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Noise::Gaussian { sigma } => write!(f, "gaussian(sigma={sigma})"),
            Noise::Laplace { scale } => write!(f, "laplace(scale={scale})"),
            Noise::Geometric { epsilon } => write!(f, "geometric(epsilon={epsilon})"),
            Noise::Staircase { epsilon, gamma } => write!(f, "staircase(epsilon={epsilon}, gamma={gamma})"),
            Noise::DiscreteGaussian { sigma2 } => write!(f, "discrete-gaussian(sigma2={sigma2})"),
        }
    }
}

impl Noise {
    /// The noise of each answer of a composition in which all answers have the same noise. An operator that acts on a
    /// mechanism, such as a Poisson sample, leaves its noise as it is.
    ///
    /// # Errors
    /// [`Error::Input`] for mechanisms that add no noise, and for several kinds of noise; [`Error::Undefined`] for
    /// geometric noise at epsilon 0.
    pub fn of(composition: &Composition) -> Result<Self, Error> {
        let mut all = composition.factors().iter().map(|(mechanism, _)| Self::of_mechanism(mechanism));
        let first = all.next().ok_or_else(|| Error::input("an empty composition adds no noise"))??;
        for other in all {
            let other = other?;
            if other != first {
                return Err(Error::input(format!(
                    "the composition adds two kinds of noise, {first} and {other}; query one of them alone"
                )));
            }
        }
        Ok(first)
    }

    fn of_mechanism(mechanism: &Mechanism) -> Result<Self, Error> {
        match mechanism {
            Mechanism::Gaussian(of) => Ok(Noise::Gaussian { sigma: of.sigma().clone() }),
            Mechanism::Laplace(of) => Ok(Noise::Laplace { scale: of.scale().clone() }),
            Mechanism::Geometric(of) if of.epsilon().is_zero() => {
                Err(Error::Undefined("geometric noise requires epsilon > 0".into()))
            }
            Mechanism::Geometric(of) => Ok(Noise::Geometric { epsilon: of.epsilon().clone() }),
            Mechanism::Staircase(of) => {
                Ok(Noise::Staircase { epsilon: of.epsilon().clone(), gamma: of.gamma().clone() })
            }
            Mechanism::DiscreteGaussian(of) => {
                // Refuses what is out of the range of the sums.
                DiscreteGaussian::new(of.sigma2().clone(), Integer::from(1), 1)?;
                Ok(Noise::DiscreteGaussian { sigma2: of.sigma2().clone() })
            }
            Mechanism::Gdp(of) => Err(Error::input(format!(
                "gdp(mu={0}) is a guarantee and adds no noise; use gaussian(sigma=1/({0})), which satisfies it at \
                 sensitivity 1",
                Brief(of.mu())
            ))),
            other => {
                let inside = other.arguments().into_iter().find_map(|(_, argument)| match argument {
                    Argument::Mechanism(inside) => Some(inside),
                    _ => None,
                });
                inside.map_or_else(|| Err(no_noise(other)), |inside| Self::of(&inside))
            }
        }
    }

    /// Is the noise an integer?
    fn is_discrete(&self) -> bool {
        matches!(self, Noise::Geometric { .. } | Noise::DiscreteGaussian { .. })
    }

    /// The variance of the noise.
    ///
    /// Staircase noise: `2a int y^2` over all steps, with `sum b^k = 1/(1-b)`, `sum k b^k = b/(1-b)^2` and
    /// `sum k^2 b^k = b(1+b)/(1-b)^3`, is `b(1+b)/(1-b)^2 + b m_2/((1-b) m_1) + m_3/(3 m_1)`,
    /// `m_i = gamma^i + b (1 - gamma^i)`; all terms are positive.
    ///
    /// # Errors
    /// Those of the theta series.
    pub fn variance(&self, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let bits = bits.saturating_add(16);
        Ok(match self {
            Noise::Gaussian { sigma } => sigma.square().number(bits),
            Noise::Laplace { scale } => scale.square().mul_rational(&2.into()).number(bits),
            Noise::Geometric { epsilon } => {
                let (b, rest) = step(epsilon, bits);
                &(&two() * &b) / &(&rest * &rest)
            }
            Noise::Staircase { epsilon, gamma } => {
                let (b, rest) = step(epsilon, bits);
                let [m1, m2, m3] = moments(gamma, &b, &rest, bits);
                let ratio = &b / &rest;
                let steps = &(&ratio * &(&Number::one() + &b)) / &rest;
                &(&steps + &(&(&ratio * &m2) / &m1)) + &(&m3 / &(&Number::Exact(3.into()) * &m1))
            }
            Noise::DiscreteGaussian { sigma2 } => Number::Enclosed(theta::variance(sigma2, bits, budget)?),
        })
    }

    /// The mean absolute error `E|Z|`.
    ///
    /// Staircase noise: with the sums of [`variance`](Self::variance), `b/(1-b) + m_2/(2 m_1)`.
    ///
    /// # Errors
    /// Those of the sums.
    pub fn mean_absolute(&self, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let bits = bits.saturating_add(16);
        Ok(match self {
            Noise::Gaussian { sigma } => {
                Number::Enclosed(&sigma.enclosure(bits) * &Enclosure::pi(bits).shift(-1).recip().sqrt())
            }
            Noise::Laplace { scale } => scale.number(bits),
            Noise::Geometric { epsilon } => {
                let (b, rest) = step(epsilon, bits);
                &(&two() * &b) / &(&rest * &(&Number::one() + &b))
            }
            Noise::Staircase { epsilon, gamma } => {
                let (b, rest) = step(epsilon, bits);
                let [m1, m2, _] = moments(gamma, &b, &rest, bits);
                &(&b / &rest) + &(&m2 / &(&two() * &m1))
            }
            Noise::DiscreteGaussian { sigma2 } => Number::Enclosed(theta::mean_absolute(sigma2, bits, budget)?),
        })
    }

    /// `P[|Z| > T]`, T strictly exceeded.
    ///
    /// Staircase noise, at `T = k + r` with an integer k: the density falls by b from one step to the next, so that
    /// `P[|Z| > k] = b^k`, and what of step k lies beyond T has the mass
    /// `2a b^k ((gamma - r)^+ + b (1 - max(r, gamma)))`, `2a = (1-b)/m_1`. Discrete Gaussian noise: where the sums have
    /// no digits there is Chernoff's bound `P(X >= k) <= e^(-k^2/(2 sigma2))`
    /// (`proofs/paper/discrete-gaussian.md`).
    ///
    /// # Errors
    /// [`Error::Undecided`] where the integer part of T is not found.
    pub fn tail(&self, threshold: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let bits = bits.saturating_add(16);
        let sign =
            threshold.sign().ok_or_else(|| Error::undecided("cannot decide whether the threshold is negative"))?;
        if sign == Ordering::Less || (sign == Ordering::Equal && !self.is_discrete()) {
            return Ok(Number::one());
        }
        let tail = match self {
            Noise::Gaussian { sigma } => {
                let ratio = threshold.div(sigma)?;
                let point = Tail { x: &ratio.enclosure(bits), y: &ratio.square().number(bits) };
                Number::Enclosed(point.tail(bits, budget)?.shift(1))
            }
            Noise::Laplace { scale } => threshold.div(scale)?.neg().exp_number(bits),
            Noise::Staircase { epsilon, gamma } => {
                let k = floor(threshold)?;
                let (b, rest) = step(epsilon, bits);
                let [m1, ..] = moments(gamma, &b, &rest, bits);
                let r = threshold.sub(&Real::from(k.clone()));
                let above = gamma.sub(&r).number(bits).positive_part();
                let beyond = (&Number::one() - &gamma.number(bits)).min(&Real::one().sub(&r).number(bits));
                let here = &(&rest * &(&above + &(&b * &beyond))) / &m1;
                &power(epsilon, &k, bits) * &(&here + &b)
            }
            _ => self.beyond(&floor(threshold)?, bits, budget)?,
        };
        Ok(tail.min(&Number::one()))
    }

    /// `P[|Z| > n]` for an integer `n >= 0` and noise that is an integer.
    fn beyond(&self, n: &Integer, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let next = Integer::from(n + 1u32);
        match self {
            Noise::Geometric { epsilon } => {
                let (b, _) = step(epsilon, bits);
                Ok(&(&two() * &power(epsilon, &next, bits)) / &(&Number::one() + &b))
            }
            Noise::DiscreteGaussian { sigma2 } => {
                let law = DiscreteGaussian::new(sigma2.clone(), Integer::from(1), 1)?;
                let one_side = match law.survival(&next, bits, budget) {
                    Err(Error::Undecided(_)) => {
                        let exponent = Rational::from(next.square_ref()) / sigma2 / 2u32;
                        let bound = (-Enclosure::rational(&exponent, bits)).exp();
                        Enclosure::zero(bits).hull(&bound)
                    }
                    found => found?,
                };
                Ok(Number::Enclosed(one_side.shift(1)))
            }
            _ => Err(Error::internal("an integer tail of noise that is no integer")),
        }
    }

    /// The smallest `T >= 0` with `P[|Z| <= T] >= u`, for `0 < u < 1`.
    ///
    /// With `p = 1 - u`: Gaussian `sigma z(p/2)`, Laplace `-scale ln p`. Staircase noise has `P[|Z| > k] = b^k`, so
    /// that T lies in the step `k = floor(ln(1/p)/epsilon)`, and `r = T - k` solves
    /// `(gamma - r)^+ + b (1 - max(r, gamma)) = z`, `z = (p/b^k - b) m_1/(1-b)`. The left side has the slope -1 up to
    /// gamma and -b from there, so that r is the larger one of `m_1 - z` and `1 - z/b`. An integer is found by
    /// bisection up to a T that Chernoff's bound suffices for.
    ///
    /// # Errors
    /// [`Error::Undefined`] for another u; [`Error::Undecided`] where a comparison is not decided.
    pub fn quantile(&self, u: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        inside_unit("U", u)?;
        let bits = bits.saturating_add(16);
        let p = Real::one().sub(u);
        match self {
            Noise::Gaussian { sigma } => {
                let z = tail_quantile(&p.mul_rational(&Rational::from((1, 2))).number(bits), bits, budget)?;
                Ok(&sigma.number(bits) * &z)
            }
            Noise::Laplace { scale } => Ok(p.ln()?.neg().mul(scale)?.number(bits)),
            Noise::Staircase { epsilon, gamma } => {
                let log = p.ln()?.neg();
                let k = match log.ratio(epsilon) {
                    Some(ratio) => ratio.floor().into_numer_denom().0,
                    None => floor(&log.div(epsilon)?)?,
                };
                let (b, rest) = step(epsilon, bits);
                let [m1, ..] = moments(gamma, &b, &rest, bits);
                // p/b^k - b has the sign of p - b^(k+1), which is positive.
                let z = &(&(&(&p.number(bits) / &power(epsilon, &k, bits)) - &b) * &m1) / &rest;
                let one = Number::one();
                let (first, second) = (&m1 - &z, &one - &(&z / &b));
                // Where b underflows the quotient says nothing, and mostly is not needed.
                let r = match z.compare(&(&b * &(&one - &gamma.number(bits)))) {
                    Some(Ordering::Greater) => first,
                    _ => first.max(&second),
                };
                Ok(&Number::Exact(Rational::from(k)) + &r)
            }
            _ => self.integer_quantile(&p, budget).map(|n| Number::Exact(Rational::from(n))),
        }
    }

    /// The smallest integer `n >= 0` with `P[|Z| > n] <= p`, of noise that is an integer.
    fn integer_quantile(&self, p: &Real, budget: &Budget) -> Result<Integer, Error> {
        let log = Enclosure::ln_2(64) - p.enclosure(64).ln();
        // P[|Z| > n] is at most 2 b^n and 2 e^(-n^2/(2 sigma2)).
        let enough = match self {
            Noise::Geometric { epsilon } => &log / &epsilon.enclosure(64),
            Noise::DiscreteGaussian { sigma2 } => (&log.shift(1) * &Enclosure::rational(sigma2, 64)).sqrt(),
            _ => return Err(Error::internal("an integer quantile of noise that is no integer")),
        };
        let enough = enough.upper().to_integer_round(Round::Up);
        let Some((mut high, _)) = enough else {
            return Err(Error::undecided("the quantile is too large to compute"));
        };
        let mut low = Integer::new();
        while low < high {
            budget.check()?;
            let middle = Integer::from(&low + &high) >> 1u32;
            if self.is_at_most(&middle, p, budget)? {
                high = middle;
            } else {
                low = middle + 1u32;
            }
        }
        Ok(low)
    }

    /// Is `P[|Z| > n] <= p`?
    fn is_at_most(&self, n: &Integer, p: &Real, budget: &Budget) -> Result<bool, Error> {
        let mut bits = 64;
        while bits <= MOST_BITS.min(budget.max_bits()) {
            budget.check()?;
            if let Some(order) = self.beyond(n, bits, budget)?.compare(&p.number(bits)) {
                return Ok(order != Ordering::Greater);
            }
            bits *= 4;
        }
        Err(Error::undecided("cannot separate a tail probability of the noise from the given probability"))
    }
}

fn no_noise(mechanism: &Mechanism) -> Error {
    Error::input(format!(
        "{} adds no noise; use gaussian, laplace, geometric, staircase or discrete-gaussian, alone \
         or inside poisson, subsample or group",
        mechanism.name()
    ))
}

fn two() -> Number {
    Number::Exact(2.into())
}

/// `b = e^-epsilon` and `1 - b`.
fn step(epsilon: &Real, bits: u32) -> (Number, Number) {
    (epsilon.neg().exp_number(bits), one_minus_exp_neg(epsilon, bits))
}

/// `b^n`.
fn power(epsilon: &Real, n: &Integer, bits: u32) -> Number {
    epsilon.mul_rational(&-Rational::from(n)).exp_number(bits)
}

/// `m_i = gamma^i + b (1 - gamma^i) = b + (1-b) gamma^i`, i from 1 to 3.
fn moments(gamma: &Real, b: &Number, rest: &Number, bits: u32) -> [Number; 3] {
    let gamma = gamma.number(bits);
    [1, 2, 3].map(|i| b + &(rest * &gamma.pow(i)))
}

/// The largest integer that is at most a constant.
fn floor(value: &Real) -> Result<Integer, Error> {
    if let Some(rational) = value.as_rational() {
        return Ok(rational.clone().floor().into_numer_denom().0);
    }
    let mut bits = 64;
    while bits <= MOST_BITS {
        let set = value.enclosure(bits);
        let down = |end: &Float| end.to_integer_round(Round::Down).map(|(whole, _)| whole);
        match (down(set.lower()), down(set.upper())) {
            (Some(low), Some(high)) if low == high => return Ok(low),
            _ => bits *= 4,
        }
    }
    Err(Error::undecided(format!("cannot compute the integer part of {}", Brief(value))))
}

#[cfg(test)]
mod tests;
