//! Laplace noise on Poisson samples, run some times, alone or beside Laplace noise or samples of it of another scale or
//! rate, and beside discrete losses: the profile between neighbouring knots, as polynomials.
//!
//! With R, phi and the sum of `listed/roots`: one run adds to R two atoms and an analytic density between, so that phi
//! of n runs is analytic between neighbouring knots `j h + (n - j) l`, h and l the ends of the loss. In the variable v
//! of the loss `l(v) = ln(1 - r + r e^v)`, `-c <= v <= c`, it is so in a wide neighbourhood, whatever the rate, and a
//! short polynomial serves. One more run is the same linear operator for all cells. The density of R is such a function
//! as well, and phi of two kinds an integral of the phi of the one against the R of the other.
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
//! | `runs`, `polynomial` | one more run of all cells; polynomials and their values |
//! | `table`, `law` | the polynomials after all runs, of phi and of R |
//! | `beside`, `pieces` | two kinds: the phi of the one against the R of the other, on panels of merged cells |
//!
//! **What is certified**: see each. Paper proof: `proofs/paper/between-knots.md`. **Why it ends.** All sums are finite,
//! and counted before they are begun.

mod beside;
mod domain;
mod law;
mod operator;
mod panels;
mod pieces;
mod polynomial;
mod rules;
mod runs;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::beside::{Both, Kind};
use self::domain::FEW;
use self::operator::Plan;
use self::table::Table;
use super::by_profile::Precisions;
use super::by_sum::Summed;
use super::choose::Refusal;
use super::listed::{Listings, Roots};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Need, Note, Number, Portable, Real};

/// Discrete losses that are listed at most.
const MOST_LOSSES: u64 = 1 << 17;
/// Products of coefficients, at most.
const MOST: u64 = 400_000_000;
/// Its name.
pub(super) const METHOD: &str = "polynomials between the knots of samples of Laplace noise";
/// Bits after the point for which an engine is offered.
const ROUGH: u32 = 80;

/// One sample of Laplace noise, run some times, beside discrete losses, and beside one more kind of Laplace noise.
pub struct BetweenKnots {
    kinds: Kinds,
    roots: Roots,
    symmetric: bool,
    kept: Cache<u32, Phi>,
}

/// One kind of noise, or two: that of which the profile is taken, and that of which the law is.
enum Kinds {
    One(Kind),
    Two(Box<[Kind; 2]>),
}

/// phi of all of them.
enum Phi {
    One(Box<Table>),
    Two(Box<Both>),
}

impl Kinds {
    fn of(mut kinds: Vec<Kind>) -> Option<Self> {
        // Polynomials in the place of the one are integrated over places of the other: where a place of the first moves
        // much with the loss, panels are short.
        kinds.sort_by(|a, b| a.shift.to_f64().total_cmp(&b.shift.to_f64()));
        match <[Kind; 1]>::try_from(kinds) {
            Ok([kind]) => Some(Kinds::One(kind)),
            Err(kinds) => <[Kind; 2]>::try_from(kinds).ok().map(|kinds| Kinds::Two(Box::new(kinds))),
        }
    }

    fn all(&self) -> &[Kind] {
        match self {
            Kinds::One(kind) => std::slice::from_ref(kind),
            Kinds::Two(kinds) => &kinds[..],
        }
    }

    fn phi(&self, bits: u32, budget: &Budget) -> Result<Phi, Error> {
        budget.afford(&self.work(bits))?;
        Ok(match self {
            Kinds::One(kind) => Phi::One(Box::new(kind.table(bits, budget)?)),
            Kinds::Two(kinds) => Phi::Two(Box::new(Both::new(kinds, bits, budget)?)),
        })
    }

    /// The ends of the losses of all.
    fn ends(&self, bits: u32) -> [Enclosure; 2] {
        let zero = [Enclosure::zero(bits), Enclosure::zero(bits)];
        let each = self.all().iter().map(|kind| kind.domain(bits).ends(kind.times));
        each.fold(zero, |[low, high], [lower, higher]| [&low + &lower, &high + &higher])
    }

    /// Products for matrices, and for all runs.
    fn work(&self, bits: u32) -> Need<'static> {
        let each = self.all().iter().map(|kind| kind.work(bits));
        let (count, bytes) = each.fold((0, 0), |(count, bytes): (u64, u64), (more, room)| {
            (count.saturating_add(more), bytes.saturating_add(room))
        });
        Need {
            what: "products of coefficients of the cells of samples of Laplace noise",
            count,
            most: MOST,
            bytes,
            relax: "try fewer compositions or digits",
        }
    }
}

impl Kind {
    /// Products, and bytes.
    fn work(&self, bits: u32) -> (u64, u64) {
        let domain = self.domain(FEW);
        let plan = Plan::new(&domain, bits);
        let count = plan.degree as f64 + 1.0;
        let points = plan.points(&domain);
        let runs = f64::from(self.times);
        let products = 2.0 * count * count * (2.0 * points + count) + runs * (runs + 1.0) * count * count;
        let bytes = ((8.0 * count * (count + runs)) as u64).saturating_mul(u64::from(plan.fraction / 8));
        (products as u64, bytes)
    }
}

impl Phi {
    fn value(&self, t: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        match self {
            Phi::One(table) => Ok(table.value(t)),
            Phi::Two(both) => both.value(t, budget),
        }
    }
}

impl BetweenKnots {
    /// The curve of this product, failures left aside.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] unless it has samples of Laplace noise, of one kind or beside one other kind of Laplace
    /// noise, and beside it discrete losses; what says so for more runs or losses than are taken on.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        if !product.mu_squared.is_zero() || !product.derived.is_empty() {
            return Err(Refusal::OtherKind);
        }
        let mut rest = Product { failures: Vec::new(), laplace: Vec::new(), ..product.clone() };
        let mut kinds = Vec::new();
        let mut kind = |shift: &Real, rate: Option<&Real>, times: u64| {
            let times = u32::try_from(times).unwrap_or(u32::MAX);
            kinds.push(Kind { shift: shift.clone(), rate: rate.cloned(), times });
        };
        rest.sampled.retain(|(pair, times)| match pair {
            Pair::Sample { rate, inner } => match &**inner {
                Pair::Laplace { shift } => {
                    kind(shift, Some(rate), *times);
                    false
                }
                _ => true,
            },
            _ => true,
        });
        // Without any sample there are formulas.
        if rest.sampled.len() == product.sampled.len() {
            return Err(Refusal::OtherKind);
        }
        for (shift, times) in &product.laplace {
            kind(shift, None, *times);
        }
        let kinds = Kinds::of(kinds).ok_or(Refusal::OtherKind)?;
        budget.afford(&kinds.work(ROUGH))?;
        let roots = Roots::of(Listings::of(&rest, MOST_LOSSES, budget)?);
        Ok(BetweenKnots { kinds, roots, symmetric: product.symmetric(), kept: Cache::new(4) })
    }

    fn phi(&self, bits: u32, budget: &Budget) -> Result<Arc<Phi>, Error> {
        self.kept.get(bits, || {
            budget.note("bits after the point of polynomials between knots", bits);
            self.kinds.phi(bits, budget)
        })
    }

    /// The ends of the noise's loss.
    fn ends(&self, backward: bool, bits: u32) -> [Enclosure; 2] {
        let [low, high] = self.kinds.ends(bits);
        if backward { [-&high, -&low] } else { [low, high] }
    }
}

impl Summed for BetweenKnots {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn sum(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        // Few precisions, so that lists and tables serve many questions.
        let bits = bits.div_ceil(16).saturating_mul(16);
        let [low, high] = self.ends(backward, FEW);
        // The roots with e^(eps/2) are at most e^(t/2), and phi grows below.
        let more = (high.upper().to_f64().max(-low.lower().to_f64())).clamp(0.0, 1e6) * std::f64::consts::LOG2_E / 2.0;
        let narrow = -(&high - &low).lower().to_f64().portable_log2();
        let wide = bits.saturating_add(narrow.clamp(0.0, 1e6) as u32 + more as u32 + 64);
        let at = epsilon.enclosure(wide);
        let ends = self.ends(backward, wide);
        let known = self.roots.around(&at, &ends, (backward, bits), budget)?;
        if known.between.is_empty() {
            return Ok(known.beyond.positive_part());
        }
        let phi = self.phi(bits.saturating_add(more as u32 + 8), budget)?;
        let mut sum = Enclosure::zero(wide);
        for (t, root) in &known.between {
            budget.check()?;
            let value = if backward {
                let back = &(-&t.shift(-1)).exp() - &t.shift(-1).exp();
                (&phi.value(&-t, budget)? + &back).positive_part()
            } else {
                phi.value(t, budget)?
            };
            sum = &sum + &(root * &value);
        }
        Ok((&known.beyond + &(&known.scale * &sum)).positive_part())
    }

    fn infinite(&self, backward: bool, bits: u32) -> Number {
        self.roots.listings().laws().infinite(backward).both(bits, 0).0
    }

    /// Each precision has a table of its own.
    fn precisions(&self) -> Precisions {
        Precisions::Two
    }

    fn what(&self) -> &'static str {
        "profile between knots of samples of Laplace noise"
    }

    fn method(&self) -> &'static str {
        METHOD
    }

    fn statement(&self) -> &'static Statement {
        &statement::BETWEEN_KNOTS
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("listed loss distributions", self.roots.listings().laws().count())]
    }
}
