//! Few samples of Laplace noise, beside Laplace noise and discrete losses: what the ends of the losses make of the
//! profile in closed form, and what is left by a short contour.
//!
//! The transform of one sample's loss has two atoms, which never decay, and a density between, which decays like `1/z`:
//! no contour is long enough for many digits. But it is known what makes it decay so slowly: the values of the density
//! and of its derivatives at both ends. The series of either end, to so many terms, multiply with those of the others
//! to a sum of exponentials and powers of `1/z`, whose share of the profile is a function with knots in closed form;
//! and with it taken off, what is left decays faster by as many powers as there are terms.
//!
//! ```text
//! delta(eps) = P(l_a > eps - l) - e^eps Q(l_a > eps - l) + e^(eps/2) sum_a r_a [f(eps - l_a) + rest(eps - l_a)] + r
//! ```
//!
//! with `l_a` the discrete losses of masses `p_a, q_a`, `r_a = sqrt(p_a q_a) = p_a e^(-l_a/2)`, the sum over those with
//! `eps - l_a` between the least loss l of the others and their largest, and `0 <= r <=` the mass that is not listed.
//!
//! | file | does |
//! |---|---|
//! | `series` | both ends of a loss |
//! | `knots` | f |
//! | `contour` | the rest |
//! | `plan` | how many terms, and which line |
//!
//! **What is certified**: enclosures of coefficients, knots and nodes, and bounds of what series and contour leave out.
//! Paper proof: `proofs/paper/end-points.md`. **Why it ends.** All sums are finite, and counted before they are begun.

mod contour;
mod knots;
mod plan;
mod series;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rug::Float;

use self::contour::Contour;
use self::knots::Knots;
use self::plan::Plan;
use self::series::Noise;
use super::by_sum::Summed;
use super::choose::Refusal;
use super::listed::Listings;
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Real};

/// Discrete losses that are listed at most.
const MOST_LOSSES: u64 = 1 << 16;
/// Products of all losses that are listed with nodes, at most.
const MOST_PRODUCTS: u64 = 1 << 27;
/// Bits after the point of what is planned to see whether there is a plan.
const ROUGH: u32 = 64;
/// Parts of the range of losses that a contour serves one, two, ... of.
const PARTS: u32 = 8;

/// Samples of Laplace noise, beside noise itself and discrete losses.
pub struct EndPoints {
    noises: Vec<Noise>,
    listings: Listings,
    symmetric: bool,
    weights: Cache<(bool, u32), Weights>,
    functions: Cache<(bool, u32, u32), Functions>,
}

/// Discrete losses with their masses, and those of the other distribution: the likeliest first, those before the rest,
/// whose mass is told.
struct Weights {
    outcomes: Vec<Outcome>,
    rest: Enclosure,
}

struct Outcome {
    loss: Enclosure,
    p: Enclosure,
    /// `p e^(-loss/2)`.
    root: Enclosure,
    q: Enclosure,
}

/// Functions that serve the uppermost parts of the range.
struct Functions {
    knots: Knots,
    contour: Contour,
}

impl EndPoints {
    /// The curve of this product, failures left aside: of samples of Laplace noise beside Laplace noise and discrete
    /// losses.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] for other products; what says so where sums or contours are too long.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        if !product.mu_squared.is_zero() || !product.derived.is_empty() {
            return Err(Refusal::OtherKind);
        }
        let sample = |pair: &Pair| matches!(pair, Pair::Sample { .. });
        let mut rest = Product { failures: Vec::new(), ..product.clone() };
        let mut noises = Vec::new();
        rest.sampled.retain(|(pair, times)| match Noise::of(pair, *times) {
            Some(noise) if sample(pair) => {
                noises.push(noise);
                false
            }
            _ => true,
        });
        if noises.is_empty() {
            return Err(Refusal::OtherKind);
        }
        for (shift, times) in std::mem::take(&mut rest.laplace) {
            noises.extend(Noise::of(&Pair::Laplace { shift }, times));
        }
        let symmetric = product.symmetric();
        let listings = Listings::of(&rest, MOST_LOSSES, budget)?;
        let (weights, functions) = (Cache::new(4), Cache::new(24));
        let new = EndPoints { noises, listings, symmetric, weights, functions };
        // Is there a plan?
        let [low, high] = new.ends(false, 64);
        let range = (&high - &low).upper().to_f64();
        Plan::new(&new.noises, false, range, ROUGH)?;
        Ok(new)
    }

    /// The least loss of all noise, and the largest.
    fn ends(&self, backward: bool, bits: u32) -> [Enclosure; 2] {
        let mut all = [Enclosure::zero(bits), Enclosure::zero(bits)];
        for noise in &self.noises {
            let ends = noise.ends(backward, 1, bits);
            let times = Enclosure::integer(&noise.times.into(), bits);
            let [low, high] = all;
            all = [&low + &(&ends.low.loss * &times), &high + &(&ends.high.loss * &times)];
        }
        all
    }

    fn weights(&self, backward: bool, bits: u32, budget: &Budget) -> Result<Arc<Weights>, Error> {
        self.weights.get((backward, bits), || {
            let list = self.listings.at(backward, bits, budget)?;
            let least = Float::with_val(64, 1u32) >> bits;
            let most = list.rest.iter().position(|rest| *rest.upper() <= least).unwrap_or(list.atoms.len());
            let mut outcomes = Vec::with_capacity(most);
            for (loss, mass) in list.atoms.iter().take(most) {
                budget.check()?;
                let half = (-&loss.shift(-1)).exp();
                let root = mass * &half;
                let q = &root * &half;
                outcomes.push(Outcome { loss: loss.clone(), p: mass.clone(), root, q });
            }
            let rest = list.rest.get(most).unwrap_or(&list.missing).clone();
            Ok(Weights { outcomes, rest })
        })
    }

    /// For t in the uppermost so many parts of the range.
    fn functions(&self, backward: bool, fraction: u32, parts: u32, budget: &Budget) -> Result<Arc<Functions>, Error> {
        self.functions.get((backward, fraction, parts), || {
            let [low, high] = self.ends(backward, 64);
            let range = (&high - &low).upper().to_f64() * (1.0 + 1e-9);
            let reach = range * f64::from(parts) / f64::from(PARTS);
            let plan = Plan::new(&self.noises, backward, reach, fraction)?;
            budget.note("terms of the series of each end", plan.terms);
            budget.note("nodes beside them", plan.nodes);
            let ends = |noise: &Noise| (noise.ends(backward, plan.terms, plan.bits), noise.times);
            let kinds: Vec<_> = self.noises.iter().map(ends).collect();
            let reach = Enclosure::double(reach, 64);
            let knots = Knots::new(&kinds, reach.clone(), plan.bits, plan.bits);
            let contour = Contour::new(&self.noises, &kinds, backward, &plan, &reach, budget)?;
            Ok(Functions { knots, contour })
        })
    }
}

impl Summed for EndPoints {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The header's sum.
    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        // Few precisions, so that lists and contours serve many questions.
        let bits = bits.div_ceil(64).saturating_mul(64);
        let list = self.weights(backward, bits, budget)?;
        let wide = bits.saturating_add(64);
        let [low, high] = self.ends(backward, wide);
        let at = epsilon.enclosure(wide);
        let zero = Enclosure::zero(wide);
        let (mut p, mut q) = (zero.clone(), zero.clone());
        let mut between = Vec::new();
        let mut reach = zero.clone();
        let mut mass = Enclosure::zero(64);
        for outcome in &list.outcomes {
            let t = &at - &outcome.loss;
            if t.lower() >= high.upper() {
                continue;
            }
            if t.upper() <= low.lower() {
                p = &p + &outcome.p;
                q = &q + &outcome.q;
                continue;
            }
            reach = reach.max(&(&high - &t));
            mass = &mass + &outcome.root.with_bits(64);
            between.push((t, outcome.root.clone()));
        }
        let mut sum = &p - &(&at.exp() * &q);
        if !between.is_empty() {
            let share = reach.upper().to_f64() / (&high - &low).upper().to_f64();
            let parts = (f64::from(PARTS) * share).ceil().clamp(1.0, f64::from(PARTS) + 1.0) as u32;
            // The masses with e^(eps/2) are at most e^(t/2): so much larger may the sum be.
            let more = high.upper().to_f64().abs().clamp(0.0, 1e6);
            let fraction = bits.saturating_add(more as u32 + 8);
            let functions = self.functions(backward, fraction, parts, budget)?;
            budget.afford(&enclosure::Work {
                what: "products of losses and nodes",
                count: functions.contour.count().saturating_mul(between.len() as u64),
                most: MOST_PRODUCTS,
                bytes: 0,
                relax: "fewer digits would do",
            })?;
            let mut all = functions.contour.value(&between, fraction, budget)?;
            for (t, root) in &between {
                budget.check()?;
                all = &all + &(root * &functions.knots.value(t));
            }
            let wrong = (&mass * &Enclosure::new(functions.contour.error.clone(), functions.contour.error.clone()))
                .into_bounds()
                .1;
            sum = &sum + &(&at.shift(-1).exp() * &all.widen(&wrong));
        }
        Ok((&sum + &list.rest.hull(&Enclosure::zero(64)).with_bits(wide)).positive_part())
    }

    fn infinite(&self, backward: bool, bits: u32) -> Number {
        self.listings.laws().infinite(backward).both(bits, 0).0
    }

    fn what(&self) -> &'static str {
        "profile by the ends of losses"
    }

    fn method(&self) -> &'static str {
        "series at the ends of losses, and a contour for the rest"
    }

    fn statement(&self) -> &'static Statement {
        &statement::END_POINTS
    }

    fn explain(&self) -> Vec<Note> {
        vec![
            Note::new("kinds of Laplace noise and of samples of it", self.noises.len()),
            Note::new("laws that are listed", self.listings.laws().count()),
        ]
    }
}
