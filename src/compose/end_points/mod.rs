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

use self::contour::Contour;
use self::knots::Knots;
use self::plan::Plan;
use self::series::Noise;
use super::by_profile::Precisions;
use super::by_sum::Summed;
use super::choose::Refusal;
use super::listed::{Known, Listings, Roots};
use super::majorized::Majorized;
use crate::alarm::declined;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Need, Note, Number, Portable, Real};

/// Discrete losses that are listed at most.
const MOST_LOSSES: u64 = 1 << 18;
/// Products of all losses that are listed with nodes, at most.
const MOST_PRODUCTS: u64 = 1 << 27;
/// The part that a contour serves is no shorter than the widest loss of a sample over this.
const NARROWEST: f64 = 64.0;
/// Digits that tell where an epsilon is.
const SMOOTHED: u32 = 2;
/// Bits that are asked for them.
const FEW: u32 = 40;
/// Bits after the point of what is planned to see whether there is a plan.
const ROUGH: u32 = 64;
/// Bits of the values that say where to look.
const FEWEST: u32 = 64;
/// These are computed for parts of the range that are so many halvings apart.
const SHARED: u32 = 3;
/// A contour serves the uppermost part of the range of losses, halved so often at most.
const HALVED: u32 = 12;

/// Samples of Laplace noise, beside noise itself and discrete losses.
pub struct EndPoints {
    noises: Vec<Noise>,
    roots: Roots,
    symmetric: bool,
    functions: Cache<(bool, u32, u32), Functions>,
    /// The same between smoothed compositions, where contours for small losses are too long.
    smoothed: Option<Majorized>,
}

/// Functions that serve the uppermost parts of the range.
struct Functions {
    knots: Knots,
    contour: Contour,
}

impl Functions {
    /// As planned, for t from the largest loss down to so far below it.
    fn new(noises: &[Noise], backward: bool, reach: f64, plan: &Plan, budget: &Budget) -> Result<Self, Error> {
        let ends = |noise: &Noise| (noise.ends(backward, plan.terms, plan.bits), noise.times);
        let kinds: Vec<_> = noises.iter().map(ends).collect();
        let reach = Enclosure::double(reach, 64);
        let knots = Knots::new(&kinds, reach.clone(), plan.bits, plan.bits);
        let contour = Contour::new(noises, &kinds, backward, plan, &reach, budget)?;
        Ok(Functions { knots, contour })
    }
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
        let roots = Roots::of(Listings::of(&rest, MOST_LOSSES, budget)?);
        let mut new = EndPoints { noises, roots, symmetric, functions: Cache::new(24), smoothed: None };
        // Is there a plan for the largest losses?
        let [low, high] = new.ends(false, 64);
        let range = (&high - &low).upper().to_f64();
        Plan::new(&new.noises, false, range / f64::from(HALVED).portable_exp2(), ROUGH, budget)?;
        if Plan::new(&new.noises, false, range, ROUGH, budget).is_err() {
            let alone = Product { failures: Vec::new(), ..product.clone() };
            new.smoothed = Majorized::of(&alone, SMOOTHED).ok();
        }
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

    /// What is known without the functions, to a precision, and how far below the largest loss they are asked at most.
    fn around(
        &self,
        epsilon: &Real,
        (backward, fraction): (bool, u32),
        bits: u32,
        budget: &Budget,
    ) -> Result<(Known, Option<Enclosure>), Error> {
        let ends = self.ends(backward, bits);
        let known = self.roots.around(&epsilon.enclosure(bits), &ends, (backward, fraction), budget)?;
        let [_, high] = ends;
        let reach = known.between.iter().map(|(t, _)| &high - t).reduce(|a, b| a.max(&b));
        Ok((known, reach))
    }

    /// For t in the uppermost part of the range, halved so often.
    fn functions(&self, backward: bool, fraction: u32, halved: u32, budget: &Budget) -> Result<Arc<Functions>, Error> {
        self.functions.get((backward, fraction, halved), || {
            let [low, high] = self.ends(backward, 64);
            let range = (&high - &low).upper().to_f64() * (1.0 + 1e-9);
            // A tilt that is large for a sample alone takes too many nodes of its inner rule.
            let widest = self.noises.iter().filter(|noise| noise.rate.is_some()).map(|noise| {
                let ends = noise.ends(backward, 1, 64);
                (&ends.high.loss - &ends.low.loss).upper().to_f64()
            });
            let reach = (range / f64::from(halved).portable_exp2()).max(widest.fold(0.0, f64::max) / NARROWEST);
            let plan = Plan::new(&self.noises, backward, reach, fraction, budget)?;
            budget.note("terms of the series at each end", plan.terms);
            budget.note("nodes of the contour", plan.nodes);
            Functions::new(&self.noises, backward, reach, &plan, budget)
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
        let wide = bits.saturating_add(64);
        let (mut known, reach) = self.around(epsilon, (backward, bits), wide, budget)?;
        let Some(reach) = reach else { return Ok(known.beyond.positive_part()) };
        let [low, high] = self.ends(backward, 64);
        let share = reach.upper().to_f64() / (&high - &low).upper().to_f64();
        let halved = (-share.portable_log2()).floor().clamp(0.0, f64::from(HALVED)) as u32;
        // The roots with e^(eps/2) are at most e^(t/2): so much larger may the sum be.
        let more = high.upper().to_f64().abs().clamp(0.0, 1e6);
        let fraction = bits.saturating_add(more as u32 + 8);
        // Values of few bits say where to look: functions that serve more of the range serve more of them.
        let shared = halved - halved % SHARED;
        let functions = match bits {
            0..=FEWEST if shared < halved => declined(self.functions(backward, fraction, shared, budget))?,
            _ => None,
        };
        let functions = match functions {
            Some(functions) => functions,
            None => self.functions(backward, fraction, halved, budget)?,
        };
        // Where the functions are large t has to be known better.
        let least = functions.contour.bits().saturating_add(32);
        if least > wide {
            known = self.around(epsilon, (backward, bits), least, budget)?.0;
        }
        let Functions { knots, contour } = &*functions;
        let between = &known.between;
        budget.afford(&Need {
            what: "products of privacy losses and nodes",
            count: contour.count().saturating_mul(between.len() as u64),
            most: MOST_PRODUCTS,
            bytes: 0,
            relax: "try fewer digits",
        })?;
        let mut sum = contour.value(between, fraction, budget)?;
        let mut mass = Enclosure::zero(64);
        for (t, root) in between {
            budget.check()?;
            sum = &sum + &(root * &knots.value(t));
            mass = &mass + &root.with_bits(64);
        }
        let error = Enclosure::new(contour.error.clone(), contour.error.clone());
        let sum = sum.widen(&(&mass * &error).into_bounds().1);
        Ok((&known.beyond + &(&known.scale * &sum)).positive_part())
    }

    fn infinite(&self, backward: bool, bits: u32) -> Number {
        self.roots.listings().laws().infinite(backward).both(bits, 0).0
    }

    fn near(&self, delta: &Real, direction: Direction, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let Some(smoothed) = &self.smoothed else { return Ok(None) };
        match smoothed.epsilon(delta, direction, FEW, budget) {
            Ok(Value::Finite(near)) => {
                let near = near.enclosure(64);
                Ok((near.is_bounded() && *near.lower() > 0).then_some(near))
            }
            Err(error) if error.is_alarm() => Err(error),
            _ => Ok(None),
        }
    }

    fn precisions(&self) -> Precisions {
        Precisions::Steps
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
            Note::new("kinds of Laplace noise and of its samples", self.noises.len()),
            Note::new("listed loss distributions", self.roots.listings().laws().count()),
        ]
    }
}
