//! Laplace noise of one scale on Poisson samples, run some times, beside discrete losses: the profile between
//! neighbouring knots, as polynomials.
//!
//! With R, phi and the sum of `listed/roots`: one run adds to R two atoms and an analytic density between, so that phi
//! of n runs is analytic between neighbouring knots `j h + (n - j) l`, h and l the ends of the loss. In the variable v
//! of the loss `l(v) = ln(1 - r + r e^v)`, `-c <= v <= c`, it is so in a wide neighbourhood, whatever the rate, and a
//! short polynomial serves. One more run is the same linear operator for all cells.
//!
//! ```text
//! delta(eps) = P(l_a > eps - n l) - e^eps Q(l_a > eps - n l) + e^(eps/2) sum_a r_a phi(eps - l_a) + r
//! ```
//!
//! with the sum over those listed losses `l_a` that leave `eps - l_a` between the ends of the noise, `0 <= r <=` the
//! mass that is not listed. Backwards R is reflected, and as P and Q have mass 1,
//! `phi_back(t) = phi(-t) + e^(-t/2) - e^(t/2)`.
//!
//! | file | does |
//! |---|---|
//! | `domain` | where functions are analytic, and how large the kernels are |
//! | `panels`, `rules` | integrals by the rule of [Gauss and Legendre](super::gauss_legendre) |
//! | `operator` | one run as two matrices |
//! | `table` | the polynomials after all runs |
//!
//! **What is certified**: see each. Paper proof: `proofs/paper/between-knots.md`. **Why it ends.** All sums are finite,
//! and counted before they are begun.

mod domain;
mod operator;
mod panels;
mod rules;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::domain::{Domain, FEW};
use self::operator::Plan;
use self::table::Table;
use super::by_sum::Summed;
use super::choose::Refusal;
use super::listed::{Listings, Roots};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Real, Work};

/// Discrete losses that are listed at most.
const MOST_LOSSES: u64 = 1 << 17;
/// Products of coefficients, at most.
const MOST: u64 = 160_000_000;
/// Bits after the point for which an engine is offered.
const ROUGH: u32 = 80;

/// One sample of Laplace noise, run some times, beside discrete losses.
pub struct BetweenKnots {
    shift: Real,
    rate: Real,
    times: u32,
    roots: Roots,
    symmetric: bool,
    kept: Cache<u32, Table>,
}

impl BetweenKnots {
    /// The curve of this product, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] unless it has one kind of samples of Laplace noise, and beside it discrete losses; what
    /// says so for more runs or losses than are taken on.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        if !product.mu_squared.is_zero() || !product.derived.is_empty() || !product.laplace.is_empty() {
            return Err(Refusal::OtherKind);
        }
        let mut rest = Product { failures: Vec::new(), ..product.clone() };
        let mut kinds = Vec::new();
        rest.sampled.retain(|(pair, times)| match pair {
            Pair::Sample { rate, inner } => match &**inner {
                Pair::Laplace { shift } => {
                    kinds.push((shift.clone(), rate.clone(), *times));
                    false
                }
                _ => true,
            },
            _ => true,
        });
        let [(shift, rate, times)] = <[_; 1]>::try_from(kinds).map_err(|_| Refusal::OtherKind)?;
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        budget.afford(&work(&shift, &rate, times, ROUGH))?;
        let roots = Roots::of(Listings::of(&rest, MOST_LOSSES, budget)?);
        Ok(BetweenKnots { shift, rate, times, roots, symmetric: product.symmetric(), kept: Cache::new(4) })
    }

    fn table(&self, bits: u32, budget: &Budget) -> Result<Arc<Table>, Error> {
        self.kept.get(bits, || {
            budget.afford(&work(&self.shift, &self.rate, self.times, bits))?;
            budget.note("bits after the point of polynomials between knots", bits);
            Table::new(&self.shift, Some(&self.rate), self.times, bits, budget)
        })
    }

    /// The ends of the noise's loss.
    fn ends(&self, backward: bool, bits: u32) -> [Enclosure; 2] {
        let domain = Domain::new(&self.shift, Some(&self.rate), bits);
        let [low, high] = [domain.low, domain.high].map(|end| end.mul_u32(self.times));
        if backward { [-&high, -&low] } else { [low, high] }
    }
}

/// Products for matrices, and for all runs.
fn work(shift: &Real, rate: &Real, times: u32, bits: u32) -> Work<'static> {
    let domain = Domain::new(shift, Some(rate), FEW);
    let plan = Plan::new(&domain, bits);
    let count = plan.degree as f64 + 1.0;
    let points = plan.points(&domain);
    let runs = f64::from(times);
    let products = 2.0 * count * count * (2.0 * points + count) + runs * (runs + 1.0) * count * count;
    Work {
        what: "products of coefficients of the cells of samples of Laplace noise",
        count: products as u64,
        most: MOST,
        bytes: ((8.0 * count * (count + runs)) as u64).saturating_mul(u64::from(plan.fraction / 8)),
        relax: "fewer compositions or digits would do",
    }
}

impl Summed for BetweenKnots {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        // Few precisions, so that lists and tables serve many questions.
        let bits = bits.div_ceil(32).saturating_mul(32);
        let [low, high] = self.ends(backward, FEW);
        // The roots with e^(eps/2) are at most e^(t/2), and phi grows below.
        let more = (high.upper().to_f64().max(-low.lower().to_f64())).clamp(0.0, 1e6) * std::f64::consts::LOG2_E / 2.0;
        let narrow = -(&high - &low).lower().to_f64().log2();
        let wide = bits.saturating_add(narrow.clamp(0.0, 1e6) as u32 + more as u32 + 64);
        let at = epsilon.enclosure(wide);
        let ends = self.ends(backward, wide);
        let known = self.roots.around(&at, &ends, (backward, bits), budget)?;
        if known.between.is_empty() {
            return Ok(known.beyond.positive_part());
        }
        let table = self.table(bits.saturating_add(more as u32 + 8), budget)?;
        let mut sum = Enclosure::zero(wide);
        for (t, root) in &known.between {
            budget.check()?;
            let value = if backward {
                let back = &(-&t.shift(-1)).exp() - &t.shift(-1).exp();
                (&table.value(&-t) + &back).positive_part()
            } else {
                table.value(t)
            };
            sum = &sum + &(root * &value);
        }
        Ok((&known.beyond + &(&known.scale * &sum)).positive_part())
    }

    fn infinite(&self, backward: bool, bits: u32) -> Number {
        self.roots.listings().laws().infinite(backward).both(bits, 0).0
    }

    fn what(&self) -> &'static str {
        "profile between knots of samples of Laplace noise"
    }

    fn method(&self) -> &'static str {
        "polynomials between the knots of samples of Laplace noise"
    }

    fn statement(&self) -> &'static Statement {
        &statement::BETWEEN_KNOTS
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("laws that are listed", self.roots.listings().laws().count())]
    }
}
