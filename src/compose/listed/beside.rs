//! A list of losses, all but a bounded mass of them, beside one closed form.

use std::sync::Arc;

use rug::float::Round::{Down, Up};
use rug::{Float, Rational};

use super::laws::{Laws, List};
use crate::alarm;
use crate::compose::Method;
use crate::compose::by_profile::ByProfile;
use crate::compose::choose::{Refusal, curve_of};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Real, Work};

/// Losses that are listed at most: each takes a value of the curve beside.
const MOST_LOSSES: u64 = 1 << 12;
/// Runs of Laplace noise whose formula is short.
const MOST_LAPLACE: u64 = 64;
/// Bits of sums and of what a search for them takes.
const GUARD: u32 = 32;
/// The least precision of a list.
const ROUGH: u32 = 64;
/// Times that more of the losses is listed.
const TRIES: u32 = 5;

/// What encloses the profile more than once, to be told in an alarm.
const PROFILE: &str = "profile of listed losses beside a closed form";

/// Listed losses beside one closed form.
pub struct Beside {
    laws: Laws,
    inner: Box<dyn Curve>,
    symmetric: bool,
    kept: Cache<(bool, u32), Listing>,
}

/// Losses of all laws together, the likeliest first.
struct Listing {
    atoms: Vec<(Enclosure, Enclosure)>,
    /// Upper bounds of the mass of each atom and all after it, and of what is not listed.
    rest: Vec<Enclosure>,
    missing: Enclosure,
}

/// A product in two, what has no atoms and what is listed; `None` if the first is not one closed form.
fn divided(product: &Product) -> Option<(Product, Product)> {
    let mut rest = product.clone();
    rest.failures = Vec::new();
    let mut continuous = Vec::new();
    let smooth = |pair: &Pair| match pair {
        Pair::Sample { inner, .. } => matches!(&**inner, Pair::Gaussian { .. } | Pair::Laplace { .. }),
        _ => false,
    };
    for (pair, times) in product.sampled.iter().filter(|(pair, _)| smooth(pair)) {
        if *times > 1 {
            return None;
        }
        continuous.push(Product { sampled: vec![(pair.clone(), 1)], ..Product::default() });
    }
    rest.sampled.retain(|(pair, _)| !smooth(pair));
    if !product.mu_squared.is_zero() {
        continuous.push(Product { mu_squared: std::mem::take(&mut rest.mu_squared), ..Product::default() });
    }
    let runs = product.laplace.iter().fold(0, |sum: u64, (_, times)| sum.saturating_add(*times));
    if runs > 0 {
        continuous.push(Product { laplace: std::mem::take(&mut rest.laplace), ..Product::default() });
    }
    match (continuous.pop(), continuous.is_empty()) {
        (Some(beside), true) if runs <= MOST_LAPLACE && !rest.families().is_empty() => Some((beside, rest)),
        _ => None,
    }
}

impl Beside {
    /// The curve of this product, failures left aside: of discrete losses beside Gaussian noise, Laplace noise, or one
    /// sample of either.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] for other products; what says so for more losses than are listed.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        let (beside, rest) = divided(product).ok_or(Refusal::OtherKind)?;
        let laws = Laws::of(&rest, budget)?;
        let inner = curve_of(&beside, Method::Auto, budget)?;
        let new = Beside { laws, inner, symmetric: product.symmetric(), kept: Cache::new(6) };
        // Few enough at the least precision?
        new.listing(false, ROUGH, budget)?;
        Ok(new)
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    /// Losses under the first distribution, or backwards minus the losses under the second.
    fn listing(&self, backward: bool, bits: u32, budget: &Budget) -> Result<Arc<Listing>, Error> {
        // Few precisions, so that lists serve many questions.
        let bits = bits.max(ROUGH).div_ceil(64).saturating_mul(64);
        self.kept.get((backward, bits), || {
            let depth = bits.saturating_add(GUARD);
            let mut lists = Vec::new();
            let mut count = 1.0_f64;
            for list in self.laws.lists(bits, depth, budget)? {
                let kinds = list.atoms.len() as f64;
                let sets = (0..list.times.min(MOST_LOSSES)).fold(1.0, |n, i| n * (kinds + i as f64) / (i as f64 + 1.0));
                count *= sets.max(list.times as f64);
                lists.push(list);
            }
            budget.afford(&Work {
                what: "different losses beside a closed form",
                count: count.min(1e18) as u64,
                most: MOST_LOSSES,
                bytes: 0,
                relax: "fewer compositions would do",
            })?;
            let mut missing = Enclosure::zero(64);
            let mut atoms = vec![(Enclosure::zero(bits), Enclosure::one(bits))];
            for list in &lists {
                let [under_p, under_q] = &list.missing;
                let once = if backward { under_q } else { under_p };
                missing = &missing + &(&once.with_bits(64) * &Enclosure::integer(&list.times.into(), 64));
                atoms = together(atoms, &power(list, backward, bits.saturating_add(GUARD), budget)?, budget)?;
            }
            atoms.retain(|(_, mass)| *mass.upper() > 0);
            atoms.sort_by(|(_, a), (_, b)| b.upper().total_cmp(a.upper()));
            let mut rest = Vec::with_capacity(atoms.len());
            let mut sum = missing.clone();
            for (_, mass) in atoms.iter().rev() {
                sum = &sum + &mass.with_bits(64);
                rest.push(sum.clone());
            }
            rest.reverse();
            Ok(Listing { atoms, rest, missing })
        })
    }

    /// `sum_a p_a g(eps - l_a)` at one precision.
    ///
    /// The curve beside is asked at the lower end w of what encloses `eps - l_a`, a rational. Its profile does not
    /// rise, and falls by at most the distance: `g(w) - g(w') <= w' - w`, for its derivative is `-e^t Q(L > t)`, at
    /// least `-P(L > t)`.
    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let list = self.listing(backward, bits, budget)?;
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let inside = budget.under("the curve beside");
        let (work, one) = (bits.saturating_add(GUARD), Enclosure::one(bits));
        let at = epsilon.enclosure(work);
        let mut sum = Enclosure::zero(work);
        for (evaluated, ((loss, mass), rest)) in list.atoms.iter().zip(&list.rest).enumerate() {
            budget.check()?;
            if *rest.upper() <= Float::with_val_round(64, sum.lower() >> work, Down).0 {
                budget.note("losses that matter", evaluated);
                return Ok(&sum + &rest.hull(&Enclosure::zero(64)).with_bits(work));
            }
            let (low, high) = (&at - loss).into_bounds();
            let distance = Float::with_val_round(64, &high - &low, Up).0;
            let Some(point) = low.to_rational() else {
                return Err(Error::undecided("a loss is beyond the range of the arithmetic"));
            };
            let value = self.inner.delta(&Real::from(point), direction, bits, &inside)?.enclosure(bits);
            let lowest = &value - &Enclosure::new(distance.clone(), distance);
            let value = value.hull(&lowest).positive_part().min(&one);
            sum = &sum + &(mass * &value);
        }
        budget.note("losses that matter", list.atoms.len());
        Ok(&sum + &list.missing.hull(&Enclosure::zero(64)).with_bits(work))
    }

    /// The same with so many bits relative to what comes out, or what a few more precisions tell.
    fn finite(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let mut known = Enclosure::zero(2).hull(&Enclosure::one(2));
        let mut work = bits.saturating_add(8);
        for _ in 0..TRIES {
            known = alarm::meet(&known, &self.sum(epsilon, backward, work, budget)?, PROFILE)?;
            let reached = known.relative_bits().unwrap_or(0);
            if reached >= i64::from(bits) || known.upper().is_zero() || work >= budget.max_bits() {
                break;
            }
            // Absolute errors of losses: as many more bits as the sum is small, which is known about by now.
            let small = known.upper().get_exp().map_or(0, |exponent| exponent.min(0).unsigned_abs());
            work = work.saturating_add(small.clamp(32, work)).min(budget.max_bits());
        }
        Ok(known)
    }

    /// What follows from the profile in this direction and in the other.
    fn by_profile<T>(
        &self,
        direction: Direction,
        budget: &Budget,
        question: impl FnOnce(&ByProfile) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let side = |reversed: bool| !self.symmetric && self.backward(direction) != reversed;
        let finite = |at: &Real, reversed: bool, bits: u32| self.finite(at, side(reversed), bits, budget);
        let infinite = |reversed: bool, bits: u32| self.infinite(side(reversed), bits);
        question(&ByProfile { finite: &finite, infinite: &infinite })
    }

    fn infinite(&self, backward: bool, bits: u32) -> Number {
        self.laws.infinite(backward).both(bits, 0).0
    }
}

/// All sums of one loss of either list.
fn together(
    a: Vec<(Enclosure, Enclosure)>,
    b: &[(Enclosure, Enclosure)],
    budget: &Budget,
) -> Result<Vec<(Enclosure, Enclosure)>, Error> {
    let mut all = Vec::with_capacity(a.len() * b.len());
    for (loss, mass) in &a {
        budget.check()?;
        all.extend(b.iter().map(|(other, factor)| (loss + other, mass * factor)));
    }
    Ok(all)
}

/// So many draws from one list, by multisets: `n!/(i_1! ... i_k!) m_1^(i_1) ... m_k^(i_k)`.
fn power(list: &List, backward: bool, bits: u32, budget: &Budget) -> Result<Vec<(Enclosure, Enclosure)>, Error> {
    let mut all = vec![(Enclosure::zero(bits), Enclosure::one(bits), list.times)];
    let last = list.atoms.len().saturating_sub(1);
    for (place, atom) in list.atoms.iter().enumerate() {
        budget.check()?;
        let (loss, mass) = if backward { (-&atom.loss, &atom.q) } else { (atom.loss.clone(), &atom.p) };
        let mut next = Vec::with_capacity(all.len());
        for (mut sum, mut weight, left) in all {
            for i in 0..=left {
                if place < last || i == left {
                    next.push((sum.clone(), weight.clone(), left - i));
                }
                if i < left {
                    sum = &sum + &loss;
                    // C(left, i+1) from C(left, i).
                    weight = &(&weight * mass) * &Enclosure::rational(&Rational::from((left - i, i + 1)), bits);
                }
            }
        }
        all = next;
    }
    Ok(all.into_iter().map(|(loss, mass, _)| (loss, mass)).collect())
}

impl Curve for Beside {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The header's sum, at any real epsilon. See [`Edges`](crate::compose::Edges) for what is not asked, here and
    /// below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        let finite = self.finite(epsilon, backward, bits.saturating_add(4), budget)?;
        Ok(&self.infinite(backward, bits.saturating_add(16)) + &Number::Enclosed(finite))
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.by_profile(direction, budget, |profile| profile.epsilon(delta, bits, budget)).map(Value::Finite)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.by_profile(direction, budget, |profile| profile.beta(alpha, bits, budget)).map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        "listed losses beside a closed form"
    }

    fn statement(&self) -> &'static Statement {
        &statement::LISTED
    }

    fn explain(&self) -> Vec<Note> {
        let mut notes = vec![
            Note::new("laws that are listed", self.laws.count()),
            Note::new("the curve beside", self.inner.method()),
        ];
        notes.extend(self.inner.explain());
        notes
    }
}
