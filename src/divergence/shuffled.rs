//! Shuffled reports: sums over the counts of both kinds.
//!
//! With the masses p and q of the counts of the greater losses ([`Shuffled::counts`]) an average is the sum of
//! `p f(l) + q f(-l)`, and a divergence one of positive terms `p g(l)`,
//!
//! | divergence | is | `g(l)` |
//! |---|---|---|
//! | Kullback-Leibler | the sum | `l (1 - e^-l)` |
//! | chi-squared | the sum | `(e^l - 1)(1 - e^-2l)` |
//! | Renyi of order a | `ln(1 + sum)/(a-1)` | `(e^((a-1) l) - 1)(1 - e^-al)` |
//!
//! for `p e^((a-1) l) + q e^(-(a-1) l) - p - q = p g(l)`. Each g grows with l, and no loss is above epsilon0, so that a
//! sum is off by at most what is left out times the greatest value that g, or f, has on `[-epsilon0, epsilon0]`, where
//! the losses of a Poisson sample are as well. Paper
//! proof: `proofs/paper/shuffling.md`.

#[cfg(feature = "cli")]
use std::sync::OnceLock;

use super::derived::ByValues;
use super::moments::Average;
use super::{Divergence, order_above_one};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Shuffled};
#[cfg(feature = "cli")]
use enclosure::Portable;
use enclosure::{Budget, Enclosure, Number, Real, adaptive_precision};

/// Bits that sums of positive terms lose.
const GUARD: u32 = 48;

/// Precision of the masses in a sketch, and about how small those are that are left out.
#[cfg(feature = "cli")]
const SKETCH: (u32, u32) = (64, 40);
/// Losses in a sketch: those next to each other are one.
#[cfg(feature = "cli")]
const SKETCHED: usize = 1024;

/// Shuffled reports, and the same by values of their trade-off function where they are too many.
pub struct Counted {
    pair: Shuffled,
    values: ByValues,
    /// Losses with their masses, about.
    #[cfg(feature = "cli")]
    sketch: OnceLock<Vec<(f64, f64)>>,
}

/// Averages of functions of the loss, each off by about `2^-bits`; with a rate of that of a Poisson sample, in this
/// direction, which has `1 - r + r e^l` in the place of `e^l`.
pub(super) fn averages(
    pair: &Shuffled,
    sample: Option<(&Real, Direction)>,
    of: &[Average],
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Enclosure>, Error> {
    let reach = pair.epsilon().enclosure(64);
    let reach = reach.hull(&-&reach);
    let sizes: Vec<Enclosure> = of.iter().map(|average| average.at(&reach).abs()).collect();
    let exponent = |size: &Enclosure| size.upper().get_exp().unwrap_or(0).max(0).unsigned_abs();
    let large = sizes.iter().map(exponent).max().unwrap_or(0);
    let wide = bits.saturating_add(GUARD).saturating_add(large);
    let mut sums = vec![Enclosure::zero(wide); of.len()];
    let rate = sample.map(|(rate, direction)| (rate.enclosure(wide), direction));
    // Of masses under both distributions, the mass under the first one in this direction, and its loss.
    let outcome = |first: &Enclosure, second: &Enclosure, loss: Enclosure| match &rate {
        None => (first.clone(), loss),
        Some((rate, direction)) => {
            let own = (rate * &loss.expm1()).log1p();
            match direction {
                Direction::Backward => (second.clone(), -own),
                _ => (&(rate * first) + &(&(&Enclosure::one(wide) - rate) * second), own),
            }
        }
    };
    let rest = pair.counts(wide, bits.saturating_add(large).saturating_add(16), budget, &mut |p, q, loss| {
        for (mass, loss) in [outcome(p, q, loss.clone()), outcome(q, p, -loss)] {
            for (sum, average) in sums.iter_mut().zip(of) {
                *sum = &*sum + &(&mass * &average.at(&loss));
            }
        }
    })?;
    let zero = Enclosure::zero(wide);
    for ((sum, average), size) in sums.iter_mut().zip(of).zip(&sizes) {
        let left = size * &rest.left;
        *sum = (&*sum + &(&rest.zero * &average.at(&zero))).widen(left.upper());
    }
    Ok(sums)
}

impl Counted {
    /// Of this pair.
    ///
    /// # Errors
    /// Those of its ends.
    pub fn new(pair: Shuffled) -> Result<Self, Error> {
        Ok(Counted {
            values: ByValues::new(Pair::Shuffled(pair.clone()))?,
            pair,
            #[cfg(feature = "cli")]
            sketch: OnceLock::new(),
        })
    }

    /// Losses with their masses, each of all those next to it, in doubles; none where there are too many counts.
    #[cfg(feature = "cli")]
    fn sketched(&self) -> &[(f64, f64)] {
        self.sketch.get_or_init(|| {
            let (bits, small) = SKETCH;
            if !self.pair.is_countable(small) {
                return Vec::new();
            }
            let unit = self.pair.epsilon().to_f64() / SKETCHED as f64;
            let mut sums = vec![(0.0, 0.0); SKETCHED];
            let counted = self.pair.counts(bits, small, &Budget::default(), &mut |p, _, loss| {
                let (mass, loss) = (p.lower().to_f64(), loss.lower().to_f64());
                let place = ((loss / unit) as usize).min(SKETCHED - 1);
                if let Some((sum, all)) = sums.get_mut(place) {
                    *sum += mass * loss;
                    *all += mass;
                }
            });
            if counted.is_err() {
                return Vec::new();
            }
            sums.into_iter().filter(|(_, mass)| *mass > 0.0).map(|(sum, mass)| (sum / mass, mass)).collect()
        })
    }

    /// `sum p g(l)`, with `bits` relative bits.
    fn sum(&self, g: &dyn Fn(&Enclosure) -> Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        adaptive_precision(bits, 32, budget, |working| {
            let wide = working.saturating_add(GUARD);
            let mut sum = Enclosure::zero(wide);
            let mut left = g(&self.pair.epsilon().enclosure(64));
            if self.pair.is_short(wide) {
                let counts = self.pair.listed(wide, working, budget)?;
                for [p, _, loss] in &counts.list {
                    budget.check()?;
                    let [p, loss] = [p, loss].map(|set| set.with_bits(wide));
                    sum = &sum + &(&p * &g(&loss));
                }
                left = &left * &counts.rest.left;
            } else {
                let rest = self.pair.counts(wide, working, budget, &mut |p, _, loss| sum = &sum + &(p * &g(loss)))?;
                left = &left * &rest.left;
            }
            Ok(sum.hull(&(&sum + &left.with_bits(wide))))
        })
    }

    /// `sum p (e^((a-1) l) - 1)(1 - e^-al)`.
    fn power(&self, order: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let (order, above) = order_above_one(order, bits.saturating_add(2 * GUARD))?;
        let g = |loss: &Enclosure| {
            let [order, above] = [&order, &above].map(|number| number.enclosure(loss.bits()));
            (above * loss).expm1() * -(-(order * loss)).expm1()
        };
        self.sum(&g, bits, budget)
    }
}

impl Divergence for Counted {
    fn symmetric(&self) -> bool {
        true
    }

    fn closed(&self) -> bool {
        self.pair.is_countable(128)
    }

    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(16);
        if !self.pair.is_countable(wide) {
            return self.values.renyi(order, direction, bits, budget);
        }
        let above = order_above_one(order, wide)?.1.enclosure(wide);
        Ok(Value::Finite(Number::Enclosed(self.power(order, wide, budget)?.log1p() / above)))
    }

    #[cfg(feature = "cli")]
    fn renyi_sketch(&self, order: f64, _: Direction) -> Option<f64> {
        let all = self.sketched();
        let above = order - 1.0;
        let terms =
            all.iter().map(|(loss, mass)| mass * (above * loss).portable_exp_m1() * -(-order * loss).portable_exp_m1());
        (!all.is_empty()).then(|| terms.sum::<f64>().portable_ln_1p() / above)
    }

    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if !self.pair.is_countable(bits) {
            return self.values.kullback_leibler(direction, bits, budget);
        }
        let g = |loss: &Enclosure| loss * &-(-loss).expm1();
        Ok(Value::Finite(Number::Enclosed(self.sum(&g, bits, budget)?)))
    }

    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if !self.pair.is_countable(bits) {
            return self.values.chi_squared(direction, bits, budget);
        }
        Ok(Value::Finite(Number::Enclosed(self.power(&Real::from(2), bits, budget)?)))
    }

    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.values.max(direction, bits, budget)
    }
}

#[cfg(test)]
mod tests;
