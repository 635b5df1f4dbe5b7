//! The edges of a curve, once around all engines: what needs no engine, as it follows from the ends of the pairs.
//! Paper proof: `proofs/paper/edges.md`.
//!
//! Let a and b be the masses at infinity, of the first distribution where the second has none and the reverse, and let
//! the finite losses go from m to M. With `x = e^eps`, p and q the masses of a finite loss l, `p = q e^l`:
//!
//! ```text
//! delta(eps) = a + sum (p - x q)_+,    which is    a               for eps >= M, where no term is positive,
//!                                                  1 - x (1 - b)   for eps <= m, where none is negative;
//! eps(delta) = 0 for delta = 1,  infinite for delta < a,  max(0, M) for delta = a,  0 for delta >= a if M <= 0;
//! beta(0)    = 1 - b,            beta(alpha) = 0 for alpha >= 1 - a,   1 - b - alpha if all losses are 0.
//! ```
//!
//! The inverse: the profile decreases strictly up to M, where it is a. So no point below M has the profile a or less,
//! and if `M <= 0` it is a at zero already. Type II errors: rejecting where only the second distribution has mass costs
//! nothing, and no other mass is rejected for free. Rejecting all but the mass of the first distribution alone is a
//! test of P-mass `1 - a` that the other never passes. None of this needs M to be a privacy loss; a supremum is enough.
//!
//! **Assumptions of the engine inside**: `m < eps < M` if these are known and the constants can be compared (otherwise
//! its formula has to hold beyond as well), `a < delta < 1` and `M > 0`, `0 < alpha < 1 - a`, and some privacy loss is
//! not zero. The order of delta and alpha against the masses is proven. If it cannot be decided, the result is
//! undecided, in the same way for all engines.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::derived::Hull;
use super::infinite_mass::{InfiniteMass, check_probability};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{LossBound, Product};
use crate::statement::Statement;
use enclosure::{Budget, Enclosure, Note, Number, Real, signs};

/// A curve, asked only between its edges.
pub struct Edges {
    inner: Box<dyn Curve>,
    /// Forward and backward.
    sides: [Side; 2],
}

/// One direction.
struct Side {
    /// The mass at infinity of the first distribution, `a`.
    infinite: InfiniteMass,
    /// That of the second, `b`.
    absent: InfiniteMass,
    least: End,
    largest: End,
}

/// The infimum of the finite losses of a composition, or their supremum: a sum.
enum End {
    At(Vec<(Integer, Real)>),
    Unbounded,
    Unknown,
}

impl End {
    /// Ends of independent losses add up, and an unbounded one leaves no bound to the sum.
    fn sum(parts: impl Iterator<Item = (LossBound, u64)>) -> Self {
        parts.fold(End::At(Vec::new()), |sum, (part, times)| match (sum, part) {
            (End::Unbounded, _) | (_, LossBound::Unbounded) => End::Unbounded,
            (End::Unknown, _) | (_, LossBound::Unknown) => End::Unknown,
            (End::At(mut terms), LossBound::At(loss)) => {
                if !loss.is_zero() {
                    terms.push((times.into(), loss));
                }
                End::At(terms)
            }
        })
    }

    /// Is it zero in normal form?
    fn is_zero(&self) -> bool {
        matches!(self, End::At(terms) if terms.is_empty())
    }

    /// The order of this end and a loss, where it is known.
    fn compare(&self, loss: &Real, budget: &Budget) -> Result<Option<Ordering>, Error> {
        let End::At(terms) = self else { return Ok(None) };
        if let [(times, one)] = terms.as_slice()
            && *times == 1
        {
            return signs::compare(one, loss, budget);
        }
        let minus = (Integer::from(-1), loss);
        let terms: Vec<_> = terms.iter().map(|(times, loss)| (times.clone(), loss)).chain([minus]).collect();
        signs::sign(&terms, budget)
    }

    /// Its positive part: exact where each loss is rational.
    fn positive_part(&self, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let terms = match self {
            End::At(terms) => terms,
            End::Unbounded => return Ok(Value::Infinite),
            End::Unknown => return Err(Error::Undecided("the largest privacy loss is unknown".into())),
        };
        if self.compare(&Real::zero(), budget)?.is_some_and(Ordering::is_le) {
            return Ok(Value::Finite(Number::zero()));
        }
        let exact: Option<Vec<Rational>> =
            terms.iter().map(|(times, loss)| Some(Rational::from(loss.as_rational()? * times))).collect();
        let sum = match exact {
            Some(exact) => Number::Exact(exact.iter().sum()),
            None => {
                let terms: Vec<_> = terms.iter().map(|(times, loss)| (times.clone(), loss)).collect();
                Number::Enclosed(signs::combination(&terms, bits.saturating_add(32))).positive_part()
            }
        };
        Ok(Value::Finite(sum))
    }
}

/// Outside of `[0, 1]` there is no such number.
pub(super) fn check(point: &Real, name: &str, budget: &Budget) -> Result<(), Error> {
    check_probability(point, name, budget).map_err(|error| match error {
        Error::Input(outside) => Error::Undefined(outside),
        other => other,
    })
}

impl Edges {
    /// Around the curve of a product, failures included.
    ///
    /// # Errors
    /// For masses at infinity that are not told from what is no probability.
    pub fn around(inner: Box<dyn Curve>, product: &Product) -> Result<Self, Error> {
        let all = product.ends()?;
        // Without any finite loss there is nothing between the edges.
        let losses = || all.iter().filter_map(|(ends, times)| Some((ends.losses.as_ref()?, *times)));
        let leak = |mass: fn(&crate::pair::Ends) -> &Real| {
            InfiniteMass::new(all.iter().map(|(ends, times)| (mass(ends), *times)))
        };
        let side = |backward: bool| -> Result<Side, Error> {
            let mass =
                |reversed: bool| if reversed { leak(|ends| &ends.infinite_q) } else { leak(|ends| &ends.infinite_p) };
            let low = losses().map(|((least, _), times)| (least.clone(), times));
            let high = losses().map(|((_, largest), times)| (largest.clone(), times));
            let reversed = |(end, times): (LossBound, u64)| (end.reversed(), times);
            let (least, largest) = if backward {
                (End::sum(high.map(reversed)), End::sum(low.map(reversed)))
            } else {
                (End::sum(low), End::sum(high))
            };
            Ok(Side { infinite: mass(backward)?, absent: mass(!backward)?, least, largest })
        };
        Ok(Edges { inner, sides: [side(false)?, side(true)?] })
    }

    fn side(&self, direction: Direction) -> &Side {
        let [forward, backward] = &self.sides;
        if direction == Direction::Backward && !self.inner.symmetric() { backward } else { forward }
    }

    /// Is it the worse of two directions that is asked for?
    fn both(&self, direction: Direction) -> bool {
        direction == Direction::Worst && !self.inner.symmetric()
    }
}

/// The order of a constant against a mass at infinity, or that the question it decides is open.
fn order(mass: &InfiniteMass, level: &Real, question: impl Fn() -> String, budget: &Budget) -> Result<Ordering, Error> {
    let order = mass.compare(level, budget)?;
    order.ok_or_else(|| Error::undecided(format!("cannot decide whether {}", question())))
}

impl Curve for Edges {
    fn symmetric(&self) -> bool {
        self.inner.symmetric()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if self.both(direction) {
            let backward = self.delta(epsilon, Direction::Backward, bits, budget)?;
            return Ok(self.delta(epsilon, Direction::Forward, bits, budget)?.max(&backward));
        }
        let Side { infinite, absent, least, largest } = self.side(direction);
        let (wide, size) = (bits.saturating_add(16), u64::from(budget.max_bits()));
        if infinite.is_certain() || largest.compare(epsilon, budget)?.is_some_and(Ordering::is_le) {
            return Ok(infinite.both(wide, size).0);
        }
        let flat = least.is_zero() && largest.is_zero();
        if flat || least.compare(epsilon, budget)?.is_some_and(Ordering::is_ge) {
            let beyond = match epsilon.exp_rational() {
                Some(x) => Number::Exact(1 - x),
                None => Number::Enclosed(-epsilon.enclosure(wide).expm1()),
            };
            // 1 - x (1-b), of which neither term is negative for x <= 1.
            let (given, kept) = absent.both(wide, size);
            let below = &given + &(&kept * &beyond);
            // A sign that is not told: on either side of zero it is the larger one.
            return Ok(if flat { below.max(&infinite.both(wide, size).0) } else { below });
        }
        self.inner.delta(epsilon, direction, bits, budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if self.both(direction) {
            let backward = self.epsilon(delta, Direction::Backward, bits, budget)?;
            return Ok(self.epsilon(delta, Direction::Forward, bits, budget)?.max(&backward));
        }
        check(delta, "the target delta", budget)?;
        if delta.compare(&Real::one()) == Some(Ordering::Equal) {
            return Ok(Value::Finite(Number::zero()));
        }
        let Side { infinite, largest, .. } = self.side(direction);
        match order(infinite, delta, || format!("delta = {delta} is below the mass at infinity"), budget)? {
            Ordering::Less => return Ok(Value::Infinite),
            Ordering::Equal => return largest.positive_part(bits, budget),
            Ordering::Greater => {}
        }
        if largest.compare(&Real::zero(), budget)?.is_some_and(Ordering::is_le) {
            return Ok(Value::Finite(Number::zero()));
        }
        self.inner.epsilon(delta, direction, bits, budget)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if self.both(direction) {
            let curve: &dyn Curve = self;
            return Hull::new(curve).beta(alpha, direction, bits, budget);
        }
        check(alpha, "alpha", budget)?;
        let Side { infinite, absent, least, largest } = self.side(direction);
        let (wide, size) = (bits.saturating_add(16), u64::from(budget.max_bits()));
        if infinite.is_certain() {
            return Ok(Number::zero());
        }
        if alpha.sign() == Some(Ordering::Equal) {
            return Ok(absent.both(wide, size).1);
        }
        let question = || format!("alpha = {alpha} is below 1 minus the mass at infinity");
        if order(infinite, &Real::one().sub(alpha), question, budget)?.is_le() {
            return Ok(Number::zero());
        }
        if least.is_zero() && largest.is_zero() {
            return Ok(&absent.both(wide, size).1 - &alpha.number(wide));
        }
        self.inner.beta(alpha, direction, bits, budget)
    }

    fn beta_of_both(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        self.inner.beta_of_both(alpha, bits, budget)
    }

    #[cfg(feature = "cli")]
    fn below(&self, loss: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        self.inner.below(loss, direction, bits, budget)
    }

    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        self.inner.is_at_most(epsilon, direction, level, budget)
    }

    /// Beyond the edges no engine does anything.
    fn is_apt(&self, epsilon: &Real, budget: &Budget) -> bool {
        let beyond = || {
            let order = self.sides[0].largest.compare(epsilon, &Budget::default());
            order.is_ok_and(|order| order.is_some_and(Ordering::is_le))
        };
        self.inner.is_apt(epsilon, budget) && !beyond()
    }

    fn sketches(&self) -> bool {
        self.inner.sketches()
    }

    fn method(&self) -> &'static str {
        self.inner.method()
    }

    fn statement(&self) -> &'static Statement {
        self.inner.statement()
    }

    fn explain(&self) -> Vec<Note> {
        self.inner.explain()
    }
}

#[cfg(test)]
mod tests;
