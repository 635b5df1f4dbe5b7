//! A few parts cut into slices by their loss, beside the curve of the rest.
//!
//! Where one part has a closed form and the others are few, the profile is an integral over the others. Let (P, Q) be
//! the parts that are cut, L their loss, `X = e^-L`, a their mass at infinity, and g the profile of the rest as a
//! function of the likelihood ratio, `g(x) = H_x`. A test of the product is a test of the rest for each outcome of the
//! parts:
//!
//! `delta(eps) = a + E_P[g(e^eps X); L < infinity]`.
//!
//! g is convex and does not rise. Of a slice, a set of outcomes with P-mass p, Q-mass q and losses from l to h, nothing
//! else has to be known: with `m = q/p`, the mean of X,
//!
//! `p g(e^eps m) <= E_P[g(e^eps X); slice] <= p g(e^eps e^-l) + w (g(e^eps e^-h) - g(e^eps e^-l))`,
//! `w = (p - q e^l)/(1 - e^(l-h))`,
//!
//! by Jensen's inequality, and because a convex function is below its chord; w is the part of the mass that the chord
//! gives to the upper end. Both differ by the order of `(h - l)^2` where g is smooth, and by nothing where it is a
//! line.
//! The slice with the widest bracket is halved, until all brackets together are narrow enough. What is not listed of a
//! law has a bounded mass under P, and g is at most 1.
//!
//! This serves single samples of Gaussian or Laplace noise beside atoms or each other, few samples of discrete Gaussian
//! noise, and points so far out that noise to smooth with would hide what is there.
//!
//! | file | does |
//! |---|---|
//! | `parts` | which factors are cut, and which stay together beside them |
//! | `law` | the loss of a part: sorted atoms with sums of their masses, and what has no atoms |
//! | `cells` | the slices, halved where it pays |
//! | `inverse` | the least epsilon and the trade-off function from brackets of the profile |
//!
//! Paper proof: `proofs/paper/slices.md`. **Why it ends.** Slices are counted; what is left stays in the enclosure.

mod cells;
pub(super) mod inverse;
mod law;
mod parts;
#[cfg(test)]
mod tests;

use rug::Float;

use self::cells::Cells;
use self::law::Law;
use self::parts::Parts;
use super::choose::Refusal;
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::Product;
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Real};

/// Precision of sums and masses.
const BITS: u32 = 128;
/// What is not listed has less than two to the minus this, at first.
const DEPTH: u32 = 96;
/// At last.
const DEEPEST: u32 = 4096;
/// Times that more of the law is listed.
const TRIES: u32 = 7;

/// Fewer bits than this are asked for to see which direction is the worse.
const SKETCH: u32 = 32;
/// Digits of a sketch.
const SKETCHED: u32 = 2;

/// What slices of two fineness enclose, to be told in an alarm.
const PROFILE: &str = "profile by slices";

/// Parts in slices beside a curve.
pub struct Slices {
    parts: Parts,
    /// The rest; none where nothing is left.
    beside: Option<Box<dyn Curve>>,
    digits: u32,
    symmetric: bool,
    laws: Cache<(bool, u32), Law>,
}

impl Slices {
    /// Content with so many digits. Its precision is always the same: a budget of less is refused.
    pub(super) fn of(product: &Product, digits: u32, budget: &Budget) -> Result<Self, Refusal> {
        if budget.max_bits() < BITS {
            return Err(budget.out_of_bits().into());
        }
        let (parts, beside) = parts::divided(product, budget)?;
        Ok(Slices { parts, beside, digits, symmetric: product.symmetric(), laws: Cache::new(4) })
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    /// The relative width that is enough: a little less than the digits leave. Who asks for few bits wants a sketch.
    fn enough(&self, bits: u32) -> f64 {
        let digits = if bits < SKETCH { self.digits.min(SKETCHED) } else { self.digits };
        0.25 * 10f64.powi(-i32::try_from(digits).unwrap_or(15))
    }

    /// The profile from both sides, to about this relative width.
    ///
    /// More of the law is listed where what is not listed matters: by twice as many bits each time.
    fn profile(&self, epsilon: &Real, backward: bool, width: f64, budget: &Budget) -> Result<Enclosure, Error> {
        let mut depth = DEPTH;
        let mut known = Enclosure::zero(BITS).hull(&Enclosure::one(BITS));
        for _ in 0..TRIES {
            let finer = self.laws.get((backward, depth), || self.parts.law(backward, depth, budget)).and_then(|law| {
                let cells = Cells::new(&law, self.beside.as_deref(), epsilon, backward);
                cells.bracket(width, budget).map(|finite| (law, finite))
            });
            let (law, finite) = match finer {
                // What more of the law would say is out of reach: what less said holds.
                Err(error) if depth > DEPTH && !error.is_alarm() => break,
                finer => finer?,
            };
            let missing = law.missing().upper().clone();
            let lower = &finite + law.infinite();
            let upper = &lower + &Enclosure::new(missing.clone(), missing.clone());
            known = alarm::meet(&known, &Enclosure::new(lower.lower().clone(), upper.upper().clone()), PROFILE)?;
            let least = Float::with_val(64, lower.lower() * width);
            if missing <= least || missing.is_zero() || budget.check().is_err() {
                break;
            }
            let exponent = known.upper().get_exp().map_or(0, |exponent| exponent.min(0).unsigned_abs());
            depth = depth.saturating_mul(2).max(exponent.saturating_add(48));
            if depth > DEEPEST {
                break;
            }
        }
        Ok(known)
    }
}

impl Curve for Slices {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The header's sum. See [`Edges`](super::Edges) for what is not asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.profile(epsilon, self.backward(direction), self.enough(bits), budget).map(Number::Enclosed)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let backward = self.backward(direction);
        let profile = |epsilon: &Real, width: f64| self.profile(epsilon, backward, width, budget);
        let set = inverse::epsilon((delta, 0.0), self.enough(bits), budget, profile)?;
        Ok(Value::Finite(Number::Enclosed(set)))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        let profile = |epsilon: &Real, width: f64| self.profile(epsilon, backward, width, budget);
        inverse::beta(alpha, self.enough(bits), budget, profile).map(Number::Enclosed)
    }

    fn sketches(&self) -> bool {
        true
    }

    fn method(&self) -> &'static str {
        "slices of a few parts, beside the curve of the rest"
    }

    fn statement(&self) -> &'static Statement {
        &statement::SLICES
    }

    fn explain(&self) -> Vec<Note> {
        let beside = self.beside.as_ref().map_or("nothing", |curve| curve.method());
        vec![Note::new("parts in slices", self.parts.count()), Note::new("rest of the composition", beside)]
    }
}
