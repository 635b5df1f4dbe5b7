//! Finitely many losses beside one curve: the profile of the composition is a finite sum of the curve's own.
//!
//! Let (P, Q) be the product of a pair with finitely many losses `l_a`, masses `p_a` under P and `q_a = p_a e^(-l_a)`
//! under Q, and of another pair with profile `delta_C`. A test of the product is a test of the other pair for each
//! outcome of the first one, so the best is the best for each:
//!
//! ```text
//! forward    delta(eps) = p_inf + sum_a p_a delta_C(eps - l_a)
//! backward   delta(eps) = q_inf + sum_a q_a delta_C'(eps + l_a)
//! ```
//!
//! with `p_inf` the P-mass of outcomes that Q never has, `q_inf` the reverse, and `delta_C'` the profile of the other
//! pair backwards. What the other distribution alone has adds nothing. All terms are nonnegative: where the curve keeps
//! its relative accuracy, so does the sum. This serves compositions whose moment generating function decays too slowly
//! for the quadrature: Laplace noise, or one sample of it, beside anything with finitely many losses.
//!
//! | file | does |
//! |---|---|
//! | `losses` | the list of losses and masses |
//!
//! **What is certified.** The sum is an enclosure because its terms are; the inverse is a root enclosed by proven signs
//! ([`bracketed`]); the trade-off function is the greatest value of a concave function, between its value at some
//! point and chords that lie above it. Paper proof: `proofs/paper/mixture.md`. **Why it ends.** The losses are counted
//! before they are listed; see `losses`, [`bracketed`] and [`concave_maximum`] for their loops.

mod losses;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rug::float::Round::Up;
use rug::{Float, Rational};

use self::losses::Atom;
pub(super) use self::losses::Losses;
use super::choose::Refusal;
use super::{Edges, Laplace, Subsampled};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Need, Note, Number, Real, concave_maximum, root::bracketed, signs};

/// The work of one point of the profile: a trade-off function takes some 60 of them. Many compositions of Laplace noise
/// are faster by other engines.
const MOST_TERMS: u64 = 1 << 22;

/// The same where few of many losses are near a point, so that a trade-off function takes no more than before.
const FEW_TERMS: u64 = 1 << 18;

/// Losses that are listed to see how many of them lie together.
const MOST_COUNTED: u64 = 1 << 13;

/// About how many losses are at most as far apart as those of the curve beside: at other points its profile is what is
/// known without it (the [edges](Edges)).
fn within(losses: &Losses, tips: &[Tip; 2], budget: &Budget) -> Result<u64, Error> {
    let list = losses.listing(false, 64, budget)?;
    let mut places: Vec<f64> = list.atoms.iter().map(|atom| atom.loss.to_f64()).collect();
    places.sort_by(f64::total_cmp);
    let span: f64 = tips.iter().map(|tip| tip.loss.to_f64()).sum();
    let together = |(i, first): (usize, &f64)| places.partition_point(|place| *place - first <= span) - i;
    Ok(places.iter().enumerate().map(together).max().unwrap_or(0) as u64)
}

/// Finitely many losses beside one curve of bounded loss.
pub struct Mixture {
    losses: Losses,
    inner: Box<dyn Curve>,
    /// Of the curve beside, forward and backward.
    tips: [Tip; 2],
    /// Why so many points as a trade-off function takes are too many.
    many: Option<Error>,
    symmetric: bool,
}

/// The largest loss of the curve beside, and about the mass that it has.
struct Tip {
    /// From here on the profile is 0.
    loss: Real,
    /// The mass of this loss under the first distribution.
    mass: Mass,
}

enum Mass {
    /// `2^-k`.
    Halved(u64),
    /// A constant.
    Constant(Real),
}

impl Mass {
    fn number(&self, bits: u32) -> Number {
        match self {
            Mass::Halved(times) => Number::Exact(Rational::from((1, 2))).pow(*times),
            Mass::Constant(mass) => mass.number(bits),
        }
    }
}

/// The curve beside.
struct Beside {
    curve: Box<dyn Curve>,
    times: u64,
    /// The terms of its sums, each a polynomial of so many powers.
    terms: u64,
    tips: [Tip; 2],
}

impl Beside {
    /// The largest loss takes one of two halves of each noise; so does its opposite under the other distribution.
    fn laplace(kinds: &[(Real, u64)]) -> Result<Self, Error> {
        let times = kinds.iter().fold(0, |all: u64, (_, times)| all.saturating_add(*times));
        let terms = kinds.iter().fold(1, |terms: u64, (_, times)| terms.saturating_mul(times.saturating_add(1)));
        let reach = kinds
            .iter()
            .fold(Real::zero(), |reach, (shift, times)| reach.add(&shift.mul_rational(&Rational::from(*times))));
        let tip = || Tip { loss: reach.clone(), mass: Mass::Halved(times) };
        let alone = Product::new(kinds.iter().map(|(shift, times)| (Pair::laplace(shift.clone()), *times)));
        let curve = Edges::around(Box::new(Laplace::of_several(kinds.to_vec())?), &alone)?;
        Ok(Beside { curve: Box::new(curve), times, terms, tips: [tip(), tip()] })
    }

    /// With rate r: the noise is below 0 with probability 1/2 and `e^-c/2`, which makes the loss `ln(1 + r (e^c - 1))`
    /// with mass `(r + (1-r) e^-c)/2`, and above c with probability `e^-c/2` and 1/2, the latter without a sample.
    fn sample(rate: &Real, shift: &Real) -> Result<Self, Error> {
        let one = Real::one();
        let half = Rational::from((1, 2));
        let (up, down) = (shift.exp()?, shift.neg().exp()?);
        let ratio = |likelihood: &Real| -> Result<Real, Error> { Ok(one.add(&rate.mul(&likelihood.sub(&one))?)) };
        let low = rate.add(&one.sub(rate).mul(&down)?);
        let forward = Tip { loss: ratio(&up)?.ln()?, mass: Mass::Constant(low.mul_rational(&half)) };
        let backward = Tip { loss: ratio(&down)?.ln()?.neg(), mass: Mass::Constant(Real::from(half)) };
        let beside = Beside::laplace(&[(shift.clone(), 1)])?;
        let curve = Subsampled::new(rate.clone(), beside.curve)?;
        Ok(Beside { curve: Box::new(curve), times: 1, terms: beside.terms, tips: [forward, backward] })
    }
}

impl Mixture {
    /// The curve of this product, failures left aside: of pairs with finitely many losses beside Laplace noise, or
    /// one sample of it.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] for other products; what says so for more losses, or more work for each, than is taken
    /// on.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        if !product.mu_squared.is_zero() || !product.discrete_gaussian.is_empty() || !product.derived.is_empty() {
            return Err(Refusal::OtherKind);
        }
        let mut beside = Vec::new();
        if !product.laplace.is_empty() {
            beside.push(Beside::laplace(&product.laplace)?);
        }
        for (pair, times) in &product.sampled {
            match pair {
                Pair::Discrete(_) => {}
                Pair::Sample { rate, inner } => match (&**inner, times) {
                    (Pair::Laplace { shift }, 1) => beside.push(Beside::sample(rate, shift)?),
                    _ => return Err(Refusal::OtherKind),
                },
                _ => return Err(Refusal::OtherKind),
            }
        }
        let (Some(Beside { curve, times, terms, tips }), true) = (beside.pop(), beside.is_empty()) else {
            return Err(Refusal::OtherKind);
        };
        let losses = Losses::new(product.discrete()?, budget)?.ok_or(Refusal::OtherKind)?;
        // The sums of Laplace noise have about k^2/4 terms, of about k bits more than are asked for; more of several
        // scales.
        let terms = (times.saturating_mul(terms) / 4).saturating_add(8).saturating_mul(times / 64 + 2);
        let mut work = Need {
            what: "products in the sums of Laplace noise for each point of the profile",
            count: losses.count().saturating_mul(terms),
            most: MOST_TERMS,
            bytes: 0,
            relax: "try fewer compositions",
        };
        let mut many = None;
        if work.count > MOST_TERMS && losses.count() <= MOST_COUNTED {
            let count = within(&losses, &tips, budget)?.saturating_mul(terms);
            many = budget.afford(&work).err().filter(|_| count > FEW_TERMS);
            work.count = count;
        }
        budget.afford(&work)?;
        Ok(Mixture { losses, inner: curve, tips, many, symmetric: product.symmetric() })
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    /// Bits that sums over all losses may cost.
    fn guard(&self) -> u32 {
        72 - self.losses.count().leading_zeros()
    }

    /// The profile of the finite losses alone, `sum_a p_a delta_C(eps - l_a)`.
    ///
    /// The likeliest losses come first. As `0 <= delta_C <= 1`, what is left after some of them adds at most its mass;
    /// where that is too small to matter it is not evaluated but added as an interval.
    fn profile(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let bits = bits.saturating_add(self.guard());
        let list = self.losses.listing(backward, bits, budget)?;
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let inside = budget.under("rest of the composition");
        let mut sum = Number::zero();
        for (evaluated, (Atom { loss, mass }, rest)) in list.atoms.iter().zip(&list.rest).enumerate() {
            budget.check()?;
            if let (Number::Enclosed(sum), false) = (&sum, self.losses.exact())
                && *rest.upper() <= Float::with_val_round(64, sum.lower() >> bits, rug::float::Round::Down).0
            {
                budget.note("privacy losses that contribute", evaluated);
                return Ok(Number::Enclosed(sum + &rest.hull(&Enclosure::zero(64)).with_bits(bits)));
            }
            let value = self.inner.delta(&epsilon.sub(loss), direction, bits, &inside)?;
            sum = &sum + &(mass * &value);
        }
        Ok(sum)
    }

    fn tip(&self, backward: bool) -> &Tip {
        let [forward, other] = &self.tips;
        if backward { other } else { forward }
    }

    /// An upper bound of all finite losses, close to the largest; `None` if there are none.
    fn top(&self, backward: bool, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let list = self.losses.listing(backward, 64, budget)?;
        let largest = list.atoms.iter().map(|atom| atom.loss.enclosure(64)).reduce(|a, b| a.max(&b));
        let reach = self.tip(backward).loss.enclosure(64);
        Ok(largest.map(|largest| &largest + &reach))
    }

    /// The largest finite loss that has mass, with a lower bound of its mass under the first distribution: other losses
    /// of the list may be equal. `None` if there is no finite loss.
    fn largest(&self, backward: bool, bits: u32, budget: &Budget) -> Result<Option<(Real, Number)>, Error> {
        let list = self.losses.listing(backward, bits, budget)?;
        let mut largest: Option<&Atom> = None;
        for atom in &list.atoms {
            budget.check()?;
            let order = match largest {
                Some(largest) => signs::compare(&atom.loss, &largest.loss, budget)?,
                None => Some(Ordering::Greater),
            };
            match (order, atom.mass.sign()) {
                (Some(Ordering::Less | Ordering::Equal), _) => {}
                (Some(_), Some(Ordering::Greater)) => largest = Some(atom),
                _ => return Err(Error::Undecided("cannot decide which privacy loss is the largest".into())),
            }
        }
        let Tip { loss, mass } = self.tip(backward);
        Ok(largest.map(|atom| (atom.loss.add(loss), &atom.mass * &mass.number(bits))))
    }

    /// The pieces of the trade-off function at its ends, where the test splits the largest loss or the least: with y
    /// the likelihood ratio there, `(1 - alpha - p_inf)/y` while that P-mass is at most the loss's, and
    /// `1 - q_inf - y alpha` while alpha is.
    fn end_piece(
        &self,
        alpha: &Real,
        backward: bool,
        left: &Number,
        covered: &Number,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Number>, Error> {
        let within = |mass: &Number, most: &Number| mass.compare(most).is_some_and(Ordering::is_le);
        if let Some((loss, mass)) = self.largest(backward, bits, budget)?
            && within(left, &mass)
        {
            return Ok(Some(left / &loss.exp_number(bits)));
        }
        if let Some((loss, mass)) = self.largest(!self.symmetric && !backward, bits, budget)? {
            let (y, alpha) = (loss.exp_number(bits), alpha.number(bits));
            if within(&(&y * &alpha), &mass) {
                return Ok(Some(covered - &(&y * &alpha)));
            }
        }
        Ok(None)
    }
}

impl Curve for Mixture {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The header's sum, at any real epsilon. See [`Edges`] for what is not asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        let infinite = self.losses.infinite(backward, bits.saturating_add(16))?;
        Ok(&infinite + &self.profile(epsilon, backward, bits.saturating_add(4), budget)?)
    }

    /// The least `eps >= 0` with profile at most the target: 0 from the total variation on, and otherwise the root of a
    /// function that falls strictly, for as long as the profile is above the mass at infinity.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let backward = self.backward(direction);
        let level = |bits: u32| -> Result<Number, Error> {
            let bits = bits.saturating_add(16);
            Ok(&delta.number(bits) - &self.losses.infinite(backward, bits)?)
        };
        let mut order = None;
        for bits in [64, bits.max(64)] {
            if order.is_none() {
                order = level(bits)?.compare(&self.profile(&Real::zero(), backward, bits, budget)?);
            }
        }
        let top = self.top(backward, budget)?.map(|top| Float::with_val_round(32, top.upper(), Up).0);
        let Some(high) = top.filter(|top| *top > 0 && !order.is_some_and(Ordering::is_ge)) else {
            return Ok(Value::Finite(Number::zero()));
        };
        let value = |at: &Rational, bits: u32| -> Result<Number, Error> {
            Ok(&self.profile(&Real::from(at.clone()), backward, bits, budget)? - &level(bits)?)
        };
        let root = bracketed(&high, order.is_some(), bits.saturating_add(8), budget, value)?;
        Ok(Value::Finite(Number::Enclosed(root)))
    }

    /// `T(P,Q)(alpha) = sup_y [1 - y alpha - H_y(Q||P)]`, a concave function of `y = e^t`. For `t > 0` it is computed
    /// as it stands, `(1 - q_inf) - y alpha - sum_a q_a delta_C'(t + l_a)`; for `t <= 0` from
    /// `1 - H_y(Q||P) = y (1 - H_(1/y)(P||Q))` as `y (1 - alpha - p_inf - sum_a p_a delta_C(-t - l_a))`, which keeps
    /// its relative accuracy where all of it is small. Beyond the largest losses it is linear, so the maximum is
    /// between. The pieces at both ends are formulas ([`end_piece`](Self::end_piece)).
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        let other = !self.symmetric && !backward;
        let covered = |bits: u32| -> Result<Number, Error> { Ok(&Number::one() - &self.losses.infinite(other, bits)?) };
        let left = |bits: u32| -> Result<Number, Error> {
            let bits = bits.saturating_add(16);
            Ok(&Real::one().sub(alpha).number(bits) - &self.losses.infinite(backward, bits)?)
        };
        let working = bits.saturating_add(32);
        match self.end_piece(alpha, backward, &left(working)?, &covered(working)?, working, budget) {
            Ok(Some(beta)) => return Ok(beta),
            Ok(None) | Err(Error::Undecided(_)) => {}
            Err(error) => return Err(error),
        }
        if let Some(error) = &self.many {
            return Err(error.clone());
        }
        let (Some(down), Some(up)) = (self.top(backward, budget)?, self.top(other, budget)?) else {
            return Ok(Number::zero());
        };
        let value = |t: &Rational, bits: u32| -> Result<Enclosure, Error> {
            let point = Real::from(t.clone());
            let y = |bits: u32| point.exp_number(bits);
            let value = if t.cmp0() == Ordering::Greater {
                let profile = self.profile(&point, other, bits, budget)?;
                &(&covered(bits)? - &(&y(bits) * &alpha.number(bits))) - &profile
            } else {
                &y(bits) * &(&left(bits)? - &self.profile(&point.neg(), backward, bits, budget)?)
            };
            Ok(value.enclosure(bits))
        };
        let range = (-Float::with_val_round(64, down.upper(), Up).0, Float::with_val_round(64, up.upper(), Up).0);
        let greatest = concave_maximum(range, bits, budget, value)?;
        alarm::probability(&greatest, "type II error beside finitely many losses").map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        "finitely many losses beside a closed form"
    }

    fn statement(&self) -> &'static Statement {
        &statement::MIXTURE
    }

    fn explain(&self) -> Vec<Note> {
        let mut notes = vec![
            Note::new("listed privacy losses", self.losses.count()),
            Note::new("rest of the composition", self.inner.method()),
        ];
        notes.extend(self.inner.explain());
        notes
    }
}
