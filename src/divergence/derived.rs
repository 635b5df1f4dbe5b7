//! Divergences of what operators make of pairs, where they follow from those inside.
//!
//! * Of independent pairs Renyi, Kullback-Leibler and max divergences add, and `1 + chi^2` multiplies.
//! * The inverse has the other direction's.
//! * A mixture that reveals its part has `E_P ln(dP/dQ) = sum w_i KL_i`, `chi^2 = sum w_i chi^2_i`,
//!   `e^((g-1) D) = sum w_i e^((g-1) D_i)`, and the largest of the max divergences.
//!
//! Divergences without a formula are enclosed by values of the trade-off function (`between`), to the precision of
//! these.
//!
//! The max divergence of any pair is its largest privacy loss, or infinite if the first distribution has mass where the
//! second has none.

use std::sync::{Mutex, PoisonError};

use rug::Rational;

use super::moments::folded::{Folded, Generator};
use super::moments::{self, Average};
use super::{Divergence, between, compose, order_above_one};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::pair::{Ends, LossBound, Pair};
use enclosure::{Budget, Enclosure, Number, Portable, Real, adaptive_precision};

/// Independent pairs, each with its number of runs.
pub struct Several(pub Vec<(Box<dyn Divergence>, u64)>);

/// The other direction.
pub struct Turned(pub Several);

/// One of several, drawn with these probabilities and told.
pub struct Told(pub Vec<(Real, Several)>);

/// A curve that is folded at the diagonal: integrals, each as narrow as it has to be.
pub struct Fold(pub Folded, pub ByEnds);

/// A pair that is known by its trade-off function: averages between bounds, as near as they come.
pub struct ByValues {
    pair: Pair,
    ends: ByEnds,
    /// Cached values, by order and direction. More bits would not improve them.
    found: Mutex<Vec<(Option<Real>, Direction, Value)>>,
}

/// A pair of which only the ends are known, and why not more.
pub struct ByEnds(pub Ends, pub &'static str);

impl Several {
    fn all(&self, mut value: impl FnMut(&dyn Divergence) -> Result<Value, Error>) -> Result<Vec<(Value, u64)>, Error> {
        self.0.iter().map(|(pair, times)| Ok((value(pair.as_ref())?, *times))).collect()
    }
}

impl Divergence for Several {
    fn symmetric(&self) -> bool {
        self.0.iter().all(|(pair, _)| pair.symmetric())
    }

    fn closed(&self) -> bool {
        self.0.iter().all(|(pair, _)| pair.closed())
    }

    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        Ok(compose::sum(&self.all(|pair| pair.renyi(order, direction, bits, budget))?, bits))
    }

    #[cfg(feature = "cli")]
    fn renyi_sketch(&self, order: f64, direction: Direction) -> Option<f64> {
        sketched(&self.0, order, direction)
    }

    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        Ok(compose::sum(&self.all(|pair| pair.kullback_leibler(direction, bits, budget))?, bits))
    }

    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        Ok(compose::chi_squared(&self.all(|pair| pair.chi_squared(direction, bits, budget))?, bits))
    }

    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        Ok(compose::sum(&self.all(|pair| pair.max(direction, bits, budget))?, bits))
    }
}

/// The sum of sketches, if there are all.
#[cfg(feature = "cli")]
pub fn sketched(parts: &[(Box<dyn Divergence>, u64)], order: f64, direction: Direction) -> Option<f64> {
    parts.iter().map(|(pair, times)| Some(pair.renyi_sketch(order, direction)? * *times as f64)).sum()
}

fn other(direction: Direction) -> Direction {
    match direction {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
        Direction::Worst => Direction::Worst,
    }
}

impl Divergence for Turned {
    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }

    fn closed(&self) -> bool {
        self.0.closed()
    }

    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.0.renyi(order, other(direction), bits, budget)
    }

    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.0.kullback_leibler(other(direction), bits, budget)
    }

    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.0.chi_squared(other(direction), bits, budget)
    }

    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.0.max(other(direction), bits, budget)
    }
}

impl Told {
    /// `sum w_i v_i`; infinite if any part with a weight is.
    fn mean(&self, bits: u32, mut value: impl FnMut(&Several) -> Result<Value, Error>) -> Result<Value, Error> {
        let mut sum = Number::zero();
        for (weight, part) in &self.0 {
            if weight.is_zero() {
                continue;
            }
            match value(part)? {
                Value::Infinite => return Ok(Value::Infinite),
                Value::Finite(value) => sum = &sum + &(&weight.number(bits) * &value),
            }
        }
        Ok(Value::Finite(sum))
    }
}

impl Divergence for Told {
    fn symmetric(&self) -> bool {
        self.0.iter().all(|(_, part)| part.symmetric())
    }

    fn closed(&self) -> bool {
        self.0.iter().all(|(_, part)| part.closed())
    }

    /// `ln(1 + sum w_i (e^((g-1) D_i) - 1))/(g-1)`, no term of which is negative.
    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(16);
        let above = order_above_one(order, wide)?.1.enclosure(wide);
        let mean = self.mean(wide, |part| {
            Ok(match part.renyi(order, direction, wide, budget)? {
                Value::Infinite => Value::Infinite,
                Value::Finite(value) if value.exact().is_some_and(Rational::is_zero) => Value::Finite(Number::zero()),
                Value::Finite(value) => Value::Finite(Number::Enclosed((&above * &value.enclosure(wide)).expm1())),
            })
        })?;
        Ok(match mean {
            Value::Infinite => Value::Infinite,
            Value::Finite(mean) if mean.exact().is_some_and(Rational::is_zero) => Value::Finite(Number::zero()),
            Value::Finite(mean) => Value::Finite(Number::Enclosed(&mean.enclosure(wide).log1p() / &above)),
        })
    }

    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.mean(bits, |part| part.kullback_leibler(direction, bits, budget))
    }

    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.mean(bits, |part| part.chi_squared(direction, bits, budget))
    }

    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let mut greatest = Value::Finite(Number::zero());
        for (weight, part) in &self.0 {
            if !weight.is_zero() {
                greatest = greatest.max(&part.max(direction, bits, budget)?);
            }
        }
        Ok(greatest)
    }
}

impl Fold {
    fn of(&self, generator: &Generator, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        // Near a rate of 0 the integral is of the order of its square; a sketch of it tells how many bits that takes.
        let guard = match generator {
            Generator::Power(order) => {
                let order = order.to_f64();
                let power = ((order - 1.0) * self.0.sketch(order)).portable_exp_m1();
                if power > 0.0 { 6.0 + (-power.portable_log2()).clamp(0.0, 64.0) } else { 32.0 }
            }
            Generator::Entropy => 32.0,
        };
        adaptive_precision(bits, guard as u32, budget, |working| self.0.divergence(generator, working, budget))
    }
}

impl Divergence for Fold {
    fn symmetric(&self) -> bool {
        true
    }

    fn closed(&self) -> bool {
        false
    }

    fn renyi(&self, order: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(16);
        let above = order_above_one(order, wide)?.1.enclosure(wide);
        let power = self.of(&Generator::Power(order.clone()), wide, budget)?;
        Ok(Value::Finite(Number::Enclosed(&power.log1p() / &above)))
    }

    #[cfg(feature = "cli")]
    fn renyi_sketch(&self, order: f64, _: Direction) -> Option<f64> {
        Some(self.0.sketch(order))
    }

    fn kullback_leibler(&self, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        Ok(Value::Finite(Number::Enclosed(self.of(&Generator::Entropy, bits, budget)?)))
    }

    fn chi_squared(&self, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let two = Generator::Power(Real::from(2));
        Ok(Value::Finite(Number::Enclosed(self.of(&two, bits, budget)?)))
    }

    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.1.max(direction, bits, budget)
    }
}

impl ByValues {
    /// Of this pair.
    ///
    /// # Errors
    /// Those of its ends.
    pub fn new(pair: Pair) -> Result<Self, Error> {
        let ends = ByEnds(pair.ends()?, "dpcert has no formula for this divergence");
        Ok(ByValues { pair, ends, found: Mutex::default() })
    }

    /// `E e^((a-1) L)` of an order a, or the mean loss without one.
    fn average(&self, order: Option<&Real>, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let known = found.iter().find(|(known, way, _)| known.as_ref() == order && *way == direction);
        if let Some((_, _, value)) = known {
            return Ok(value.clone());
        }
        let value = match order {
            Some(order) => {
                let wide = bits.saturating_add(128);
                let above = order_above_one(order, wide)?.1.enclosure(wide);
                between::power(&self.pair, &above, direction, bits.saturating_add(32), budget)?
            }
            None if let Some(mean) = moments::mean_in_closed_form(&self.pair, bits, budget)? => Some(mean),
            None => {
                let mut mean =
                    between::averages(&self.pair, &[Average::Power(1)], direction, bits.saturating_add(32), budget)?;
                if mean.finite()? { mean.values.pop().map(|mean| mean.positive_part()) } else { None }
            }
        };
        let value = value.map_or(Value::Infinite, |value| Value::Finite(Number::Enclosed(value)));
        found.push((order.cloned(), direction, value.clone()));
        Ok(value)
    }
}

impl Divergence for ByValues {
    fn symmetric(&self) -> bool {
        self.pair.symmetric()
    }

    fn closed(&self) -> bool {
        false
    }

    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(64);
        let above = order_above_one(order, wide)?.1.enclosure(wide);
        Ok(match self.average(Some(order), direction, bits, budget)? {
            Value::Finite(power) => {
                let excess = (power.enclosure(wide) - Enclosure::one(wide)).positive_part();
                Value::Finite(Number::Enclosed(excess.log1p() / above))
            }
            Value::Infinite => Value::Infinite,
        })
    }

    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.average(None, direction, bits, budget)
    }

    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let wide = bits.saturating_add(64);
        Ok(match self.average(Some(&Real::from(2)), direction, bits, budget)? {
            Value::Finite(power) => {
                let excess = (power.enclosure(wide) - Enclosure::one(wide)).positive_part();
                Value::Finite(Number::Enclosed(excess))
            }
            Value::Infinite => Value::Infinite,
        })
    }

    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.ends.max(direction, bits, budget)
    }
}

impl ByEnds {
    fn none<T>(&self) -> Result<T, Error> {
        Err(Error::undecided(self.1))
    }
}

impl Divergence for ByEnds {
    fn symmetric(&self) -> bool {
        false
    }

    fn renyi(&self, _: &Real, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        self.none()
    }

    fn kullback_leibler(&self, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        self.none()
    }

    fn chi_squared(&self, _: Direction, _: u32, _: &Budget) -> Result<Value, Error> {
        self.none()
    }

    fn max(&self, direction: Direction, bits: u32, _: &Budget) -> Result<Value, Error> {
        let Ends { losses, infinite_p, infinite_q } = &self.0;
        let backward = direction == Direction::Backward;
        if !(if backward { infinite_q } else { infinite_p }).is_zero() {
            return Ok(Value::Infinite);
        }
        let largest =
            losses.as_ref().map(|(least, largest)| if backward { least.clone().reversed() } else { largest.clone() });
        match largest {
            Some(LossBound::Unbounded) => Ok(Value::Infinite),
            Some(LossBound::At(loss)) => Ok(Value::Finite(loss.number(bits).positive_part())),
            _ => Err(Error::undecided("the largest privacy loss is unknown")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, composed};
    use super::*;
    use crate::mechanism::Composition;

    fn value(kind: Kind, text: &str, direction: Direction) -> Option<Enclosure> {
        let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let budget = Budget::default();
        let divergence = composed(kind, &composition).unwrap_or_else(|error| panic!("{text}: {error}"));
        match divergence.value(direction, 100, &budget).unwrap_or_else(|error| panic!("{text}: {error}")) {
            Value::Finite(number) => Some(number.enclosure(200)),
            Value::Infinite => None,
        }
    }

    fn kinds() -> [Kind; 4] {
        let order = "5/2".parse().expect("an order");
        [Kind::Renyi(order), Kind::KullbackLeibler, Kind::ChiSquared, Kind::Max]
    }

    fn same(first: &str, second: &str, directions: [Direction; 2]) {
        for kind in kinds() {
            let (a, b) = (value(kind.clone(), first, directions[0]), value(kind.clone(), second, directions[1]));
            match (&a, &b) {
                (Some(a), Some(b)) => {
                    assert!(a.overlaps(b), "{kind:?} of {first}, {second}: {a:?} {b:?}");
                    assert!(a.relative_bits() > Some(60), "{kind:?} of {first}: {a:?}");
                }
                (None, None) => {}
                _ => panic!("{kind:?} of {first}, {second}: {a:?} {b:?}"),
            }
        }
    }

    /// A mixture of pairs in fractions is a finite pair, unless an epsilon is not known to be the logarithm of one: the
    /// listed pair and the formulas.
    #[test]
    fn mixtures_of_what_is_nearly_in_fractions() {
        let near = "randomized-response(epsilon=ln(3)+1e-40*sqrt(2))";
        for direction in [Direction::Forward, Direction::Backward] {
            let exact = "mixture(1/4: finite(p=[1/2,1/2], q=[1/5,4/5]), 3/4: randomized-response(epsilon=ln(3)))";
            let close = format!("mixture(1/4: finite(p=[1/2,1/2], q=[1/5,4/5]), 3/4: {near})");
            for kind in kinds() {
                let (a, b) = (value(kind.clone(), exact, direction), value(kind.clone(), &close, direction));
                let (Some(a), Some(b)) = (a, b) else { panic!("{kind:?}") };
                let wide = a.widen(&rug::Float::with_val(64, 1e-36));
                assert!(wide.overlaps(&b) && b.relative_bits() > Some(60), "{kind:?}: {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn directions_and_products() {
        let (forward, backward) = (Direction::Forward, Direction::Backward);
        let sample = "poisson(rate=1/3, laplace(scale=1))";
        same(&format!("inverse({sample})"), sample, [forward, backward]);
        same(&format!("inverse({sample})^2 * gdp(mu=1)"), &format!("{sample}^2 * gdp(mu=1)"), [backward, forward]);
        same("mixture(1: laplace(scale=1) * gdp(mu=1))", "laplace(scale=1) * gdp(mu=1)", [forward, forward]);
        same("mixture(1/2: laplace(scale=1), 1/2: laplace(scale=1))", "laplace(scale=1)", [forward, forward]);
    }

    /// Largest losses are known of all, and nothing else is made up.
    #[test]
    fn largest_losses() {
        let max = |text: &str| value(Kind::Max, text, Direction::Forward);
        let group = max("group(k=3, laplace(scale=2)^2)").expect("finite");
        assert!(group.contains(&Rational::from(3)), "{group:?}");
        assert!(max("symmetrize(poisson(rate=1/2, gdp(mu=1)))").is_some_and(|loss| *loss.upper() < 0.7));
        assert!(max("hull(poisson(rate=1/2, gdp(mu=1)))").is_none());
    }
}
