//! A list of losses, all but a bounded mass of them, beside one curve.

use rug::Float;
use rug::float::Round::{Down, Up};

use super::listing::Listings;
use crate::compose::Method;
use crate::compose::by_profile::Precisions;
use crate::compose::by_sum::Summed;
use crate::compose::choose::{Refusal, curve_of};
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Number, Real};

/// Losses that are listed at most: each takes a value of the curve beside.
const MOST_LOSSES: u64 = 1 << 12;
/// Runs of Laplace noise whose formula is short.
const MOST_LAPLACE: u64 = 64;
/// Bits of sums.
const GUARD: u32 = 32;

/// Listed losses beside one closed form.
pub struct Beside {
    listings: Listings,
    inner: Box<dyn Curve>,
    symmetric: bool,
    /// Are values of the curve beside short formulas?
    short: bool,
}

/// Is it known by its curve alone, with neither moments nor losses that come cheaply?
pub(in crate::compose) fn is_curve(pair: &Pair) -> bool {
    match pair {
        Pair::Sample { inner, .. } => {
            !matches!(**inner, Pair::Gaussian { .. } | Pair::Laplace { .. } | Pair::DiscreteGaussian { .. })
        }
        other => matches!(other, Pair::Shuffled(_) | Pair::Derived(_)),
    }
}

/// Is it one sample of noise whose curve is a closed form?
fn is_closed(pair: &Pair) -> bool {
    match pair {
        Pair::Sample { inner, .. } => matches!(**inner, Pair::Gaussian { .. } | Pair::Laplace { .. }),
        _ => false,
    }
}

/// A product in two, what is known by its curve and what is listed; `None` if the first is not one mechanism, or noise
/// of one kind.
fn divided(product: &Product) -> Option<(Product, Product)> {
    let mut rest = product.clone();
    rest.failures = Vec::new();
    let mut continuous = Vec::new();
    let apart = |pair: &Pair| is_curve(pair) || is_closed(pair);
    for (pair, times) in product.sampled.iter().filter(|(pair, _)| apart(pair)) {
        if *times > 1 {
            return None;
        }
        continuous.push(Product { sampled: vec![(pair.clone(), 1)], ..Product::default() });
    }
    rest.sampled.retain(|(pair, _)| !apart(pair));
    for (pair, times) in std::mem::take(&mut rest.derived) {
        if times > 1 {
            return None;
        }
        continuous.push(Product { derived: vec![(pair, 1)], ..Product::default() });
    }
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
        let listings = Listings::of(&rest, MOST_LOSSES, budget)?;
        let inner = curve_of(&beside, Method::Auto, budget)?;
        let short = beside.derived.is_empty() && !beside.sampled.iter().any(|(pair, _)| is_curve(pair));
        Ok(Beside { listings, inner, symmetric: product.symmetric(), short })
    }
}

impl Summed for Beside {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// `sum_a p_a g(eps - l_a)` at one precision.
    ///
    /// The curve beside is asked at the lower end w of what encloses `eps - l_a`, a rational. Its profile does not
    /// rise, and falls by at most the distance: `g(w) - g(w') <= w' - w`, for its derivative is `-e^t Q(L > t)`, at
    /// least `-P(L > t)`.
    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let list = self.listings.at(backward, bits, bits, budget)?;
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let inside = budget.under("rest of the composition");
        let (work, one) = (bits.saturating_add(GUARD), Enclosure::one(bits));
        let at = epsilon.enclosure(work);
        let mut sum = Enclosure::zero(work);
        for (evaluated, ((loss, mass), rest)) in list.atoms.iter().zip(&list.rest).enumerate() {
            budget.check()?;
            if *rest.upper() <= Float::with_val_round(64, sum.lower() >> work, Down).0 {
                budget.note("privacy losses that contribute", evaluated);
                return Ok(&sum + &rest.hull(&Enclosure::zero(64)).with_bits(work));
            }
            let (low, high) = (&at - loss).into_bounds();
            let distance = Float::with_val_round(64, &high - &low, Up).0;
            let Some(point) = low.to_rational() else {
                return Err(Error::undecided("a privacy loss exceeds the range of the arithmetic"));
            };
            let value = self.inner.delta(&Real::from(point), direction, bits, &inside)?.enclosure(bits);
            let lowest = &value - &Enclosure::new(distance.clone(), distance);
            let value = value.hull(&lowest).positive_part().min(&one);
            sum = &sum + &(mass * &value);
        }
        budget.note("privacy losses that contribute", list.atoms.len());
        Ok(&sum + &list.missing.hull(&Enclosure::zero(64)).with_bits(work))
    }

    fn infinite(&self, backward: bool, bits: u32) -> Number {
        self.listings.laws().infinite(backward).both(bits, 0).0
    }

    fn precisions(&self) -> Precisions {
        if self.short { Precisions::Any } else { Precisions::Steps }
    }

    fn what(&self) -> &'static str {
        "profile of listed losses beside a curve"
    }

    fn method(&self) -> &'static str {
        if self.short { "listed losses beside a closed form" } else { "listed losses beside a curve" }
    }

    fn statement(&self) -> &'static Statement {
        &statement::LISTED
    }

    fn explain(&self) -> Vec<Note> {
        let mut notes = vec![
            Note::new("listed loss distributions", self.listings.laws().count()),
            Note::new("rest of the composition", self.inner.method()),
        ];
        notes.extend(self.inner.explain());
        notes
    }
}
