//! Samples of discrete Gaussian noise whose losses are small, but for a few: the sum over the large ones.
//!
//! Most draws of a small sample are without the record and tell nearly nothing; a sum is large because of one draw, or
//! of a few. No tilt then brings the law near to such a sum: half of it stays where nothing is told, half is far
//! beyond, and a line on which both are summed cancels all of it.
//!
//! The outcomes m of one run are cut: A is the measure of those before the cut, and those from it on are in bands, of
//! measures `B_b`. With k runs, R the law of everything else, the profile of finite losses is
//!
//! `sum_j sum_b w(b) v(A^(k-j) B_(b_1) .. B_(b_j) R)`, `v(N) = E[(1 - e^(eps-L))_+]` under N,
//!
//! over the multisets `b = (b_1 <= .. <= b_j)` of bands, w the ways to choose their runs. Each term's law has one
//! scale: it lies between a [minorant and a majorant](super::Majorized). Terms that do not matter are between 0 and
//! `w min(mass, A(c)^(k-j) B(c).. R(c) e^(-c eps))`, `c >= 0`, by Chernoff; all terms of at least j large losses
//! together have at most `C(k,j) B(c)^j (A(c) + B(c))^(k-j) R(c) e^(-c eps)`, as all runs of one of the choices of j
//! have large losses; and what has an outcome beyond the last one that is listed has at most its mass.
//!
//! | file | does |
//! |---|---|
//! | `inverse` | the smallest epsilon of a delta, from brackets of the profile |
//! | `search` | where the cut is, and which terms matter: in doubles |
//! | `sum` | the terms |
//!
//! Paper proof: `proofs/paper/large-losses.md`. **Why it ends.** Terms are counted.

mod inverse;
mod search;
mod sum;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

use self::search::Search;
use self::sum::Sum;
use super::choose::Refusal;
use super::large_steps::law::LogRest;
use super::majorized::Majorized;
use super::quadrature::factor::{Atoms, PoissonDiscreteGaussian};
use super::quadrature::{self, Factors, Quadrature};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Masses, Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Portable, Real};

/// Precision of what comes out.
const BITS: u32 = 96;
/// No more digits than this come from doubles.
const MOST_DIGITS: u32 = 8;
/// Nats that Chernoff's bound of the whole has to be above those of the parts, all together.
const CANCELLED: f64 = 8.0;
/// Small losses, tilted by what counts most, differ by so many nats at most: tried in turn.
const SMALL: [f64; 3] = [8.0, 4.0, 2.0];
/// The search for an epsilon begins here, halves so often, and gives up there.
const NEAR_ZERO: f64 = 1.0 / 16.0;
const STEPS: u32 = 8;
const FAR: f64 = 1e4;
/// What is known of the profile in two ways, to be told in an alarm.
const PROFILE: &str = "profile by large losses";
/// Fewer bits than this are asked for to see which direction is the worse, by so many digits.
const SKETCH: u32 = 32;
const SKETCHED: u32 = 2;

/// The cut, how many runs have small losses, and the bands of the others.
type Beside = (i64, u64, Vec<RangeInclusive<i64>>);

/// Compositions that are kept.
const KEPT: usize = 256;

/// A sample of discrete Gaussian noise run some times, beside whatever has a moment generating function.
pub struct LargeLosses {
    step: Arc<PoissonDiscreteGaussian>,
    runs: u64,
    rest: Factors,
    whole: Quadrature,
    /// All of it in a row, for the direction without large losses.
    row: Majorized,
    digits: u32,
    beside: Cache<Beside, Majorized>,
}

impl LargeLosses {
    /// Content with so many digits.
    pub(super) fn of(product: &Product, digits: u32) -> Result<Self, Refusal> {
        let discrete = |pair: &Pair| match pair {
            Pair::Sample { inner, .. } => matches!(**inner, Pair::DiscreteGaussian { .. }),
            _ => false,
        };
        if product.symmetric() {
            return Err(Refusal::OtherKind);
        }
        let places = (0..product.sampled.len()).filter(|&i| discrete(&product.sampled[i].0));
        let Some(place) = places.max_by_key(|&i| product.sampled[i].1) else { return Err(Refusal::OtherKind) };
        let digits = digits.min(MOST_DIGITS);
        let mut rest = product.clone();
        let (pair, runs) = rest.sampled.remove(place);
        let Pair::Sample { rate, inner } = pair else { return Err(Refusal::OtherKind) };
        let Pair::DiscreteGaussian { sigma2, sensitivity } = *inner else { return Err(Refusal::OtherKind) };
        let step = Arc::new(PoissonDiscreteGaussian::new(rate, sigma2, sensitivity)?);
        let rest = quadrature::factors(&rest)?;
        let whole = Quadrature::of(product)?;
        let row = Majorized::of(product, digits)?;
        Ok(LargeLosses { step, runs, rest, whole, row, digits, beside: Cache::new(KEPT) })
    }

    /// So many runs without a large loss and one with a loss in each of these bands, beside the rest.
    fn beside(&self, cut: i64, runs: u64, bands: Vec<RangeInclusive<i64>>) -> Result<Arc<Majorized>, Error> {
        self.beside.get((cut, runs, bands.clone()), || {
            let mut factors: Factors = vec![(Arc::new(self.step.before(cut)), runs)];
            for band in bands {
                factors.push((Arc::new(self.band(&band)?), 1));
            }
            factors.extend(self.rest.iter().cloned());
            Majorized::of_finite_losses(factors, MOST_DIGITS).map_err(|refusal| match refusal {
                Refusal::OtherKind => Error::undecided("the small privacy losses are not spread out"),
                Refusal::Unable(error) => error,
            })
        })
    }

    /// One run, if its outcome is in this band: what is left of the noise alone is a mass at infinity.
    fn band(&self, band: &RangeInclusive<i64>) -> Result<Atoms, Error> {
        let losses = band.clone().map(|m| self.step.loss(m)).collect::<Result<Vec<_>, _>>()?;
        let (step, band) = (Arc::clone(&self.step), band.clone());
        let masses = move |bits: u32| {
            let [p, q] = [1, 0].map(|e| step.masses(band.clone(), e, bits.saturating_add(16)));
            let (p, q) = (p?, q?);
            let sum = |masses: &[Enclosure]| masses.iter().fold(Enclosure::zero(bits), |sum, mass| &sum + mass);
            let all = sum(&p);
            let infinite_q = Number::Enclosed(&Enclosure::one(bits) - &(&sum(&q) / &all));
            let p = p.iter().map(|mass| Number::Enclosed(mass / &all)).collect();
            Ok(Masses { p, infinite_p: Number::zero(), infinite_q })
        };
        Atoms::new("large losses of a discrete Gaussian on a Poisson sample", losses, masses)
    }

    fn searching<T>(&self, epsilon: f64, ask: impl FnOnce(&Search) -> Option<T>) -> Option<T> {
        let rest = LogRest::new(&self.rest);
        ask(&Search::new(&self.step, self.runs, &rest, epsilon)?)
    }

    /// The profile in the direction of large losses.
    ///
    /// Where small losses are too large for the digits, fewer losses are small.
    fn profile(&self, epsilon: &Real, digits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let infinite = quadrature::infinite(&self.rest, BITS, |factor, bits| factor.infinite_p(bits)).enclosure(BITS);
        let wanted = (f64::from(digits) * std::f64::consts::LOG2_10) as i64;
        let value = self.searching(epsilon.to_f64(), |search| {
            let mut best: Option<Enclosure> = None;
            for small in SMALL {
                if let Err(error) = budget.check() {
                    return Some(best.ok_or(error));
                }
                let plan = search.plan(small)?;
                let next = Sum::new(self, &plan, epsilon, budget).and_then(|mut sum| sum.value(search, digits));
                best = Some(match (best, next) {
                    (Some(best), Err(Error::Undecided(_))) => return Some(Ok(best)),
                    (_, Err(error)) => return Some(Err(error)),
                    (None, Ok(next)) => next,
                    (Some(best), Ok(next)) => match alarm::meet(&best, &next, PROFILE) {
                        Ok(both) => both,
                        alarm => return Some(alarm),
                    },
                });
                if best.as_ref().and_then(Enclosure::relative_bits).is_some_and(|bits| bits >= wanted) {
                    break;
                }
            }
            best.map(Ok)
        });
        let value = value.ok_or_else(|| Error::undecided("cannot separate large privacy losses from small ones"))??;
        Ok(&infinite + &value)
    }

    /// About the epsilon of a delta, or somewhat more, by the bounds of all parts.
    fn start(&self, delta: &Real, budget: &Budget) -> Result<f64, Error> {
        let log_delta = delta.enclosure(BITS).ln().lower().to_f64();
        let above = |epsilon: f64| {
            self.searching(epsilon, |search| search.plan(SMALL[0])).is_some_and(|plan| plan.log_parts > log_delta)
        };
        let mut high = NEAR_ZERO;
        while above(high) && high < FAR {
            budget.check()?;
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..STEPS {
            budget.check()?;
            let middle = f64::midpoint(low, high);
            *(if above(middle) { &mut low } else { &mut high }) = middle;
        }
        Ok(high)
    }
}

impl Curve for LargeLosses {
    fn symmetric(&self) -> bool {
        false
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if direction == Direction::Backward {
            return self.row.delta(epsilon, direction, bits, budget);
        }
        let digits = if bits < SKETCH { SKETCHED } else { self.digits };
        self.profile(epsilon, digits, budget).map(Number::Enclosed)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if direction == Direction::Backward {
            return self.row.epsilon(delta, direction, bits, budget);
        }
        let profile = |epsilon: &Real, width: f64| self.profile(epsilon, digits_of(width), budget);
        let set = inverse::epsilon((delta, self.start(delta, budget)?), width_of(self.digits), budget, profile)?;
        Ok(Value::Finite(Number::Enclosed(set)))
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.row.beta(alpha, direction, bits, budget)
    }

    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        self.whole.is_at_most(epsilon, direction, level, budget)
    }

    /// Where contours would lose most digits.
    fn is_apt(&self, epsilon: &Real, _budget: &Budget) -> bool {
        let plan = self.searching(epsilon.to_f64(), |search| search.plan(SMALL[0]));
        plan.is_some_and(|plan| plan.log_parts < plan.log_whole - CANCELLED)
    }

    fn sketches(&self) -> bool {
        true
    }

    fn method(&self) -> &'static str {
        "sum over large losses, each beside small ones between a minorant and a majorant"
    }

    fn statement(&self) -> &'static Statement {
        &statement::LARGE_LOSSES
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("runs that may have large privacy losses", self.runs)]
    }
}

/// The relative width of so many digits.
fn width_of(digits: u32) -> f64 {
    0.25 * 10f64.powi(-(digits as i32))
}

/// The digits of a relative width, or a quarter of one more.
fn digits_of(width: f64) -> u32 {
    (-width.portable_log10()).floor().clamp(1.0, f64::from(MOST_DIGITS)) as u32
}
