//! Edgeworth expansions of a composition (Wang, Gao, Zhang, Su and Shen 2022). **No bounds**: the cumulants are
//! certified and the expansion is evaluated in certified arithmetic, but nothing is known here of what it leaves out.
//!
//! With `L = ln(dP/dQ)`, `delta(epsilon) = P(L > epsilon) - e^epsilon Q(L > epsilon)`. Under P the sum of the losses
//! has the cumulants `K_j = sum kappa_j`, under Q those of minus the losses of the other direction. Let `s = sqrt K_2`,
//! `z = (x - K_1)/s` and `He_j` the Hermite polynomials; then `F(x) = Phi(z) - phi(z) sum_(o <= order) p_o(z)` with
//!
//! * `p_1 = K_3/(6 s^3) He_2`,
//! * `p_2 = K_4/(24 s^4) He_3 + K_3^2/(72 s^6) He_5`,
//! * `p_3 = K_5/(120 s^5) He_4 + K_3 K_4/(144 s^7) He_6 + K_3^3/(1296 s^9) He_8`.
//!
//! Order 0 is the normal approximation of both laws. Infinite privacy losses are separated. For privacy losses on a
//! lattice there are further terms of the order of the lattice, omitted as in the paper. Paper proof:
//! `proofs/paper/limit-theorems.md`.

use std::cmp::Ordering;

use rug::Float;

use super::factors::{Factors, crossing};
use crate::curve::{Direction, Value};
use crate::divergence::moments::cumulants;
use crate::error::Error;
use crate::mechanism::Composition;
use enclosure::special::{normal_density, normal_tail};
use enclosure::{Budget, Enclosure, Real};

/// The highest order.
pub const HIGHEST: u32 = 3;

/// The expansion of a composition, in both directions.
#[derive(Clone, Debug)]
pub struct Edgeworth {
    order: u32,
    /// The cumulants of `ln(dP/dQ)` under P and of `ln(dQ/dP)` under Q.
    forward: Vec<Enclosure>,
    backward: Vec<Enclosure>,
    survival: Real,
}

impl Edgeworth {
    /// The expansion up to an order from 0 to 3 (Wang, Gao, Zhang, Su and Shen 2022, which prints order 3).
    ///
    /// # Errors
    /// [`Error::Input`] for another order; [`Error::Undefined`] where nothing leaks or the losses have no moments;
    /// [`Error::Undecided`] for moments out of reach.
    pub fn of(composition: &Composition, order: u32, bits: u32, budget: &Budget) -> Result<Self, Error> {
        if order > HIGHEST {
            return Err(Error::input(format!(
                "the order of an Edgeworth expansion must be from 0 to {HIGHEST}, not {order}"
            )));
        }
        let factors = Factors::of(composition)?;
        let count = order + 2;
        let side = |direction| -> Result<Vec<Enclosure>, Error> {
            let mut sums = vec![Enclosure::zero(bits.saturating_add(32)); count as usize];
            for (pair, times) in &factors.pairs {
                let own = cumulants(pair, count, direction, bits, budget)?.ok_or_else(|| {
                    Error::Undefined(format!(
                        "an Edgeworth expansion requires finite moments of the privacy loss, but a factor of \
                         {composition} has infinite privacy loss with positive probability"
                    ))
                })?;
                for (sum, cumulant) in sums.iter_mut().zip(own) {
                    *sum = &*sum + &(&cumulant * &Enclosure::integer(&(*times).into(), sum.bits()));
                }
            }
            Ok(sums)
        };
        let (forward, backward) = (side(Direction::Forward)?, side(Direction::Backward)?);
        for sums in [&forward, &backward] {
            match sums[1].sign() {
                Some(Ordering::Greater) => {}
                Some(_) => {
                    return Err(Error::Undefined(
                        "an Edgeworth expansion requires a privacy loss of positive variance, but the composition \
                         reveals nothing"
                            .into(),
                    ));
                }
                None => {
                    return Err(Error::undecided(
                        "cannot decide whether the variance of the privacy loss is \
                                                     positive",
                    ));
                }
            }
        }
        Ok(Edgeworth { order, forward, backward, survival: factors.survival })
    }

    /// The same up to a lower order.
    pub fn up_to(&self, order: u32) -> Self {
        Edgeworth { order: order.min(self.order), ..self.clone() }
    }

    /// The summed cumulants, of `ln(dP/dQ)` under P or of `ln(dQ/dP)` under Q.
    pub fn cumulants(&self, direction: Direction) -> &[Enclosure] {
        if direction == Direction::Backward { &self.backward } else { &self.forward }
    }

    /// The approximate profile `P(L > epsilon) - e^epsilon Q(L > epsilon)` (Wang, Gao, Zhang, Su and Shen 2022, of the
    /// direction that removes a record), both tails by the expansion; the larger of both directions for the worst.
    ///
    /// # Errors
    /// [`Error::Undecided`] where the normal distribution is out of reach.
    pub fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let wide = bits.saturating_add(32);
        let x = epsilon.enclosure(wide);
        let one_way = |direction| -> Result<Enclosure, Error> {
            let own = self.tail(&x, direction, false, budget)?;
            let other = self.tail(&x, direction, true, budget)?;
            Ok(own - x.exp() * other)
        };
        let inner = match direction {
            Direction::Worst => one_way(Direction::Forward)?.max(&one_way(Direction::Backward)?),
            direction => one_way(direction)?,
        };
        let survival = self.survival.enclosure(wide);
        Ok(Real::one().sub(&self.survival).enclosure(wide) + survival * inner)
    }

    /// An epsilon where the approximate profile falls through delta; infinite, as that of the composition, for a delta
    /// below the probability of failing outright, which an expansion goes below by its own error alone. The source is
    /// that of [`delta`](Self::delta), which is inverted.
    ///
    /// # Errors
    /// As [`delta`](Self::delta).
    pub fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if delta.compare(&Real::one().sub(&self.survival)) == Some(Ordering::Less) {
            return Ok(Value::Infinite);
        }
        crossing(delta, bits, |epsilon| {
            budget.check()?;
            self.delta(epsilon, direction, bits.saturating_add(32), budget)
        })
    }

    /// The approximate type II error at a type I error in `(0, 1)`. The threshold t is the point where the tail of
    /// minus the privacy loss under P is alpha (the Neyman-Pearson test of the sum of the privacy losses; the expansion
    /// is that of [`delta`](Self::delta)). The worst direction is the smaller value of both directions.
    ///
    /// # Errors
    /// [`Error::Undefined`] at the ends 0 and 1; as [`delta`](Self::delta).
    pub fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let inside = |x: &Real| x.sign() == Some(Ordering::Greater);
        if !inside(alpha) || !inside(&Real::one().sub(alpha)) {
            return Err(Error::Undefined(format!(
                "an Edgeworth expansion requires 0 < alpha < 1, not alpha = {alpha}"
            )));
        }
        let wide = bits.saturating_add(32);
        // (1-d) f(alpha/(1-d)), 0 from alpha = 1-d on.
        let survival = &self.survival;
        if alpha.compare(survival) != Some(Ordering::Less) {
            return Ok(Enclosure::zero(wide));
        }
        let level = alpha.div(survival)?;
        let one_way = |direction: Direction| -> Result<Enclosure, Error> {
            // P is rejected where the loss is at most t: alpha = P(L <= t), beta = Q(L > t). A crossing is sought from
            // far below the mean upwards: 1 - alpha = P(L > t) falls through it.
            let own = self.cumulants(direction);
            let reach = Real::from(Float::with_val(53, far(own)).to_rational().unwrap_or_default());
            let level = Real::one().sub(&level);
            let found = crossing(&level, bits, |t| {
                budget.check()?;
                self.tail(&t.sub(&reach).enclosure(wide), direction, false, budget)
            })?;
            let Value::Finite(t) = found else {
                return Err(Error::undecided("the search for the threshold of the expansion did not converge"));
            };
            self.tail(&(t.enclosure(wide) - reach.enclosure(wide)), direction, true, budget)
        };
        let inner = match direction {
            Direction::Worst => one_way(Direction::Forward)?.min(&one_way(Direction::Backward)?),
            direction => one_way(direction)?,
        };
        Ok(inner * survival.enclosure(wide))
    }

    /// `1 - F(x)`: of the loss of a direction under its first distribution, or under its `second` one, where it is
    /// minus the loss of the other direction.
    fn tail(&self, x: &Enclosure, direction: Direction, second: bool, budget: &Budget) -> Result<Enclosure, Error> {
        let bits = x.bits();
        let backward = (direction == Direction::Backward) != second;
        let own = if backward { &self.backward } else { &self.forward };
        let all: Vec<Enclosure> =
            own.iter().zip(1_u32..).map(|(sum, j)| if second && j % 2 == 1 { -sum } else { sum.clone() }).collect();
        let k = |j: usize| &all[j - 1];
        let s = k(2).sqrt();
        let z = (x - k(1)) / &s;
        let over = |power: u64, factor: u32| s.pow(power).mul_u32(factor);
        let mut sum = Enclosure::zero(bits);
        if self.order >= 1 {
            sum = sum + k(3) / &over(3, 6) * hermite(2, &z);
        }
        if self.order >= 2 {
            sum = sum + k(4) / &over(4, 24) * hermite(3, &z) + k(3).square() / over(6, 72) * hermite(5, &z);
        }
        if self.order >= 3 {
            sum = sum
                + k(5) / &over(5, 120) * hermite(4, &z)
                + k(3) * k(4) / over(7, 144) * hermite(6, &z)
                + k(3).pow(3) / over(9, 1296) * hermite(8, &z);
        }
        Ok(normal_tail(&z, bits, budget)? + normal_density(&z, bits) * sum)
    }
}

/// Farther below 0 than a threshold that matters: forty standard deviations and the mean.
fn far(cumulants: &[Enclosure]) -> f64 {
    let (mean, variance) = (cumulants[0].upper().to_f64(), cumulants[1].upper().to_f64());
    mean.abs() + 40.0 * variance.max(0.0).sqrt()
}

/// The Hermite polynomial of this degree: `He_(n+1) = z He_n - n He_(n-1)`.
fn hermite(degree: u32, z: &Enclosure) -> Enclosure {
    let (mut before, mut here) = (Enclosure::zero(z.bits()), Enclosure::one(z.bits()));
    for n in 0..degree {
        let next = z * &here - before.mul_u32(n);
        before = here;
        here = next;
    }
    here
}

#[cfg(test)]
mod tests;
