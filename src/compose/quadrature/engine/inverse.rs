//! The least epsilon of a delta: secants find it, and two evaluations of the profile prove it.

use rug::Float;
use rug::float::Round::{Down, Up};

use super::Side;
use crate::compose::quadrature::contour::Effort;
use crate::compose::quadrature::plan::Search;
use crate::curve::Value;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real, root::Bracket};

/// The search for the epsilon of one delta, on one side.
pub(super) struct Inverse<'a> {
    side: &'a Side,
    /// The delta.
    goal: Enclosure,
    /// About the epsilon; all evaluations are from the line that serves it.
    guess: f64,
    /// Relative bits of the epsilon.
    bits: u32,
    /// The precision of the epsilons tried, and of the deltas.
    accuracy: u32,
    /// Relative bits asked of the deltas.
    asked: u32,
    budget: &'a Budget,
}

impl<'a> Inverse<'a> {
    pub(super) fn new(side: &'a Side, delta: &Real, bits: u32, budget: &'a Budget) -> Self {
        let wide = bits.saturating_add(64);
        let goal = delta.enclosure(wide);
        let left = (&goal - &side.infinite_p(bits).enclosure(wide)).with_bits(64).ln();
        let search = Search::new(&side.factors);
        let guess = search.epsilon_at(f64::midpoint(left.lower().to_f64(), left.upper().to_f64()));
        let largest = side.range().1.map_or(f64::INFINITY, |largest| largest.to_f64());
        let guess = guess.min(largest).max(0.0);
        let guard = 16 + (1.0 / guess.abs()).log2().clamp(0.0, 60.0) as u32;
        let accuracy = bits.saturating_add(guard);
        // Where each bit costs nodes, no more than the slope of the profile asks for.
        let asked = match side.effort {
            effort if effort.is_content() => bits,
            _ if side.is_quick() => accuracy,
            _ => accuracy.saturating_sub(12),
        };
        Inverse { side, goal, guess, bits, accuracy, asked, budget }
    }

    /// The epsilon, enclosed to about the bits asked for; exactly zero where that is proven.
    pub(super) fn epsilon(&self) -> Result<Value, Error> {
        if self.is_zero()? {
            return Ok(Value::Finite(Number::zero()));
        }
        // A root that is as good as zero has no leading digit: it is enclosed between zero and the floor.
        let floor = Float::with_val(self.accuracy, Float::i_exp(1, -i32::try_from(self.bits).unwrap_or(i32::MAX)));
        let mut root = self.secants(&floor)?;
        root.max_mut(&floor);
        self.proven(&root, root == floor)
    }

    /// The profile.
    fn at(&self, epsilon: &Float) -> Result<Enclosure, Error> {
        let exact = epsilon.to_rational().ok_or_else(|| Error::Undecided("the search for epsilon diverged".into()))?;
        let value = self.side.delta_from(self.guess, &Real::from(exact), self.asked, self.budget)?;
        Ok(value.enclosure(self.accuracy))
    }

    /// About `ln(delta(epsilon)/delta)`.
    fn log_excess(&self, epsilon: &Float) -> Result<Float, Error> {
        let ratio = (&self.at(epsilon)? / &self.goal).ln();
        Ok(Float::with_val(self.accuracy, ratio.lower() + ratio.upper()) / 2u32)
    }

    /// Is `delta(0)` certainly at most the delta? Asked only where the guess is poor: where the profile is large.
    fn is_zero(&self) -> Result<bool, Error> {
        if self.guess > 0.05 && *self.goal.upper() <= 0.01 {
            return Ok(false);
        }
        // A few bits tell it mostly.
        for bits in [16, self.asked] {
            let here = self.side.delta(&Real::zero(), bits, self.budget)?.enclosure(self.accuracy);
            if *here.upper() <= *self.goal.lower() {
                return Ok(true);
            }
            if *here.lower() > *self.goal.upper() {
                break;
            }
        }
        Ok(false)
    }

    /// About the epsilon, if it is not below `floor`: it proves nothing.
    ///
    /// Secants on ln delta, which falls: they are kept between the points known to lie on either side, since on a
    /// lattice it has kinks. The first slope is from a nearby point.
    fn secants(&self, floor: &Float) -> Result<Float, Error> {
        let accuracy = self.accuracy;
        let mut bracket = Bracket::new(self.side.range().1.map(|largest| Float::with_val(accuracy, largest.to_f64())));
        let mut x = Float::with_val(accuracy, self.guess.max(1e-9));
        let mut fx = self.log_excess(&x)?;
        bracket.learn(&x, &fx);
        let first = Float::with_val(accuracy, &x + &fx * Float::with_val(53, 0.3 / (1.0 + self.guess.abs())));
        let mut y = bracket.or_middle(first);
        let close = |x: &Float, step: &Float| {
            step.is_zero() || step.get_exp().unwrap_or(i32::MIN) < x.get_exp().unwrap_or(0) - self.bits as i32 - 6
        };
        for _ in 0..300 {
            self.budget.check()?;
            let fy = self.log_excess(&y)?;
            bracket.learn(&y, &fy);
            let slope = Float::with_val(accuracy, &fy - &fx);
            if slope.is_zero() {
                break;
            }
            let next = Float::with_val(accuracy, &y - Float::with_val(accuracy, &y - &x) * &fy / &slope);
            let next = bracket.or_middle(next);
            let step = Float::with_val(accuracy, &next - &y);
            (x, fx, y) = (y, fy, next);
            if close(&y, &step) || y < *floor {
                break;
            }
        }
        Ok(y)
    }

    /// From a point of which delta is certainly not below the goal to one where it is certainly not above: delta falls,
    /// so the epsilon is between them. They are sought ever further from a root; zero is below every epsilon.
    fn proven(&self, root: &Float, from_zero: bool) -> Result<Value, Error> {
        let exponent = root.get_exp().unwrap_or(0) - self.bits as i32 - 4;
        let mut width = Float::with_val(64, Float::i_exp(1, exponent));
        let (mut low, mut high) = (None, None);
        // Where digits are dear none is given away.
        let step = match self.side.effort {
            Effort::Content => 1,
            // Each evaluation is a pass over all nodes.
            Effort::Swept => 2,
            _ => 3,
        };
        for _ in 0..36 / step {
            self.budget.check()?;
            let below = Float::with_val_round(self.accuracy, root - &width, Down).0;
            let above = Float::with_val_round(self.accuracy, root + &width, Up).0;
            if low.is_none() {
                if below <= 0 || from_zero {
                    low = Some(Float::new(self.accuracy));
                } else if *self.at(&below)?.lower() >= *self.goal.upper() {
                    low = Some(below);
                }
            }
            if high.is_none() && *self.at(&above)?.upper() <= *self.goal.lower() {
                high = Some(above);
            }
            if let (Some(low), Some(high)) = (&low, &high) {
                return Ok(Value::Finite(Number::Enclosed(Enclosure::new(low.clone(), high.clone()))));
            }
            width <<= step;
        }
        Err(Error::Undecided("the epsilon of this delta was not separated".into()))
    }
}
