//! Samples of Gaussian noise whose steps are small, but for a few: the sum by the number of its large steps.
//!
//! Most draws of a small sample are without the record and tell nearly nothing; a sum is large because of one draw, or
//! of a few. Then the moment generating function does not fall along vertical lines before what tells nothing does, or
//! its saddle is between two ways to reach the same sum, at neither of them, and nearly all of the integral cancels.
//!
//! One step is split by a smooth weight into two positive measures, with transforms A of small steps and B of large
//! ones. With k steps, and R the transform of everything else,
//!
//! `(A + B)^k R = A^k R + sum_(j >= 1) C(k,j) A^(k-j) B^j R`,
//!
//! and the profile is the sum of what each of these measures gives:
//!
//! * of *no large step*, either next to nothing at eps, or all but next to nothing on the right of it, where the
//!   profile is `p - e^eps q` of the masses; which, and how much is left, Chernoff's bound tells;
//! * of *some large step*: on a vertical line, where B falls with the width of the weight and with it all terms.
//!
//! | file | does |
//! |---|---|
//! | `law` | the law of the sum, and Chernoff's bounds of its parts |
//! | `plan` | where steps are cut and where the line goes: a search in doubles |
//! | `line` | the terms with some large step, on one line |
//! | `inverse` | the epsilon of a delta, by secants |
//! | `quadrature/factor/poisson_gaussian/split.rs` | A and B |
//!
//! Paper proof: `proofs/paper/large-steps.md`. **Why it ends.** Questions are planned so many times each.

pub(super) mod inverse;
pub(super) mod law;
mod line;
mod plan;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rug::{Float, Rational};

use self::inverse::Inverse;
use self::law::{BOUND_BITS, Law, LogRest, fall, rest_moment, up_to};
use self::line::Line;
pub(super) use self::line::short;
use self::plan::{NoneLarge, Plan, Search};
use super::by_profile::ByProfile;
use super::choose::Refusal;
use super::quadrature::factor::{Factor, PoissonGaussian, Reversed};
use super::quadrature::{self};
use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::{Pair, Product};
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Number, Portable, Real, bits_of_digits};

/// Lines that are remembered.
const MOST_LINES: usize = 24;
/// Lines to a question.
const TRIES: u32 = 3;
/// Bits of those that are asked for that are not lost on the way.
const SPARE: u32 = 20;
/// Bits beyond the digits that it is content with.
const GUARD: u32 = 6;
/// Bits that a line has to spare for the points around its own.
const AROUND: u32 = 12;
/// No fewer than these are asked for.
const LEAST_BITS: u32 = 8;
/// Tilts that are tried for Chernoff's bound, as powers of the root of two, and by how much of a logarithm one is
/// clearly good enough.
const TILTS: std::ops::Range<i32> = -48..26;
const CLEARLY: f64 = 2.0;
/// The logarithm below which a profile is tiny.
const TINY: f64 = -46.0;
/// What a contour may lose to cancellation before large steps are tried first.
const CANCELLED: f64 = 12.0;
/// So many times as far out as of a normal loss there may be two ways to a sum.
const FARTHER: f64 = 1.2;
/// A line is tried for what is so near to its point, as a part of it.
const NEAR: f64 = 0.5;
/// A second answer is by cuts between those of the first.
#[cfg(any(feature = "generate", test))]
const MOVED: f64 = 0.45;
/// The engine, for people.
pub const METHOD: &str = "steps by whether they are large, and a contour for sums with large ones";
/// What two lines say, to be told in an alarm.
const PROFILE: &str = "profile by large steps";

/// A sampled Gaussian run many times, beside whatever has a moment generating function.
pub struct LargeSteps {
    steps: u64,
    factor: PoissonGaussian,
    sides: [Vec<(Arc<dyn Factor>, u64)>; 2],
    symmetric: bool,
    /// The relative bits that it is content with.
    content: u32,
    /// See [`Search`].
    moved: f64,
    prepared: [Mutex<Vec<Arc<Prepared>>>; 2],
    /// About the logarithm of the profile at the last epsilon that was planned for, for each direction.
    known: [Mutex<Option<(f64, f64)>>; 2],
}

/// Products in a second, about.
const PACE: f64 = 5e7;
/// Those of a line that is dear, and how many times another one's are too many for the bits that it spares.
const DEAR: f64 = 2e7;
const MUCH: f64 = 1.5;

/// Is there work left for a plan?
fn in_time(plan: &Plan, budget: &Budget) -> Result<(), Error> {
    budget.check()?;
    match budget.remaining() {
        Some(left) if plan.cost > PACE * left.in_seconds() => {
            Err(Error::undecided("the method for large steps needs more work than is left"))
        }
        _ => Ok(()),
    }
}

/// One plan, evaluated.
struct Prepared {
    epsilon: f64,
    /// The relative bits it was planned for.
    bits: u32,
    none_large: NoLargeStep,
    /// A tilt, and the transform there of the sums with huge steps, if those are apart.
    huge: Option<(Rational, Float)>,
    line: Line,
}

/// The term of no large step.
struct NoLargeStep {
    /// The masses under both distributions, where the profile is all but their difference.
    masses: Option<[Enclosure; 2]>,
    /// A tilt, and `A^k R` there.
    tilt: Rational,
    bound: Float,
}

impl NoLargeStep {
    fn new(law: &Law, plan: &Plan, budget: &Budget) -> Result<Self, Error> {
        let tilt = short(plan.none_large.tilt())?;
        let linear = matches!(plan.none_large, NoneLarge::Linear(_));
        if !(linear && tilt <= -1 || !linear && tilt >= 0) {
            return Err(Error::undecided("the search for a bound of small steps diverged"));
        }
        let bound = law.none_large(&tilt, BOUND_BITS, budget)?.upper().clone();
        let mass = |c: i32| law.none_large(&Rational::from(c), plan.work, budget);
        let masses = if linear { Some([mass(0)?, mass(-1)?]) } else { None };
        Ok(NoLargeStep { masses, tilt, bound })
    }

    /// `v(epsilon)` of no large step.
    fn value(&self, epsilon: &Real) -> Enclosure {
        let bits = self.masses.as_ref().map_or(BOUND_BITS, |[p, _]| p.bits());
        let at = epsilon.enclosure(bits.saturating_add(64));
        // (1 - e^-x)_+ <= e^(ax) for a >= 0, and (e^-x - 1)_+ <= e^(ax) for a <= -1.
        let rest = up_to((&up_to(&self.bound) * &fall(&self.tilt, &at, BOUND_BITS)).upper());
        match &self.masses {
            Some([p, q]) => &(p - &(&at.exp().with_bits(bits) * q)) + &rest,
            None => rest,
        }
    }
}

impl Prepared {
    fn value(&self, epsilon: &Real) -> Enclosure {
        let mut value = &self.none_large.value(epsilon) + &self.line.value(epsilon);
        if let Some((tilt, bound)) = &self.huge {
            let at = epsilon.enclosure(2 * BOUND_BITS);
            value = &value + &up_to((&up_to(bound) * &fall(tilt, &at, BOUND_BITS)).upper());
        }
        value.positive_part()
    }
}

impl LargeSteps {
    /// For products in which one kind of Gaussian sample stands beside whatever has moments; content with so many
    /// digits.
    pub(super) fn of(product: &Product, digits: u32) -> Result<Self, Refusal> {
        let gaussian =
            |pair: &Pair| matches!(pair, Pair::Sample { inner, .. } if matches!(**inner, Pair::Gaussian { .. }));
        // Of several kinds the one that is run most.
        let of = (0..product.sampled.len()).filter(|&i| gaussian(&product.sampled[i].0));
        let Some(place) = of.max_by_key(|&i| product.sampled[i].1) else { return Err(Refusal::OtherKind) };
        let mut rest = product.clone();
        let (pair, steps) = rest.sampled.remove(place);
        let Pair::Sample { rate, inner } = pair else { return Err(Refusal::OtherKind) };
        let Pair::Gaussian { mu } = *inner else { return Err(Refusal::OtherKind) };
        let factor = PoissonGaussian::new(rate, mu)?;
        let forward = quadrature::factors(&rest)?;
        let reversed = forward.iter().map(|(factor, times)| {
            let reversed: Arc<dyn Factor> = Arc::new(Reversed(Arc::clone(factor)));
            (reversed, *times)
        });
        let backward = reversed.collect();
        let symmetric = product.symmetric();
        let prepared = Default::default();
        let content = bits_of_digits(digits).saturating_add(GUARD);
        Ok(LargeSteps {
            steps,
            factor,
            sides: [forward, backward],
            symmetric,
            content,
            moved: 0.0,
            prepared,
            known: Default::default(),
        })
    }

    /// The same by other cuts of steps, on other lines: what both say must overlap.
    #[cfg(any(feature = "generate", test))]
    pub(super) fn moved(self) -> Self {
        LargeSteps { moved: MOVED, prepared: Default::default(), known: Default::default(), ..self }
    }

    /// The bits to aim at.
    fn goal(&self, bits: u32) -> u32 {
        bits.saturating_sub(SPARE).min(self.content).max(LEAST_BITS)
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    /// The mass at infinity.
    fn infinite(&self, backward: bool, bits: u32) -> Number {
        let rest = &self.sides[usize::from(backward)];
        quadrature::infinite(rest, bits.saturating_add(72), |factor, bits| factor.infinite_p(bits))
    }

    /// With the search of plans for one direction, while there is time: what it says later is nothing.
    fn searching<T>(&self, backward: bool, budget: &Budget, ask: impl FnOnce(&Search) -> T) -> T {
        let rest = LogRest::new(&self.sides[usize::from(backward)]);
        let infinite = self.infinite(backward, 64).enclosure(64).upper().to_f64();
        let (factor, steps, moved) = (&self.factor, self.steps, self.moved);
        ask(&Search { factor, backward, steps, rest: &rest, infinite, moved, budget })
    }

    /// The plan for an epsilon.
    fn plan(&self, epsilon: f64, backward: bool, bits: u32, budget: &Budget) -> Result<Plan, Error> {
        let plan = self.searching(backward, budget, |search| {
            search.plan(epsilon, self.log_value(epsilon, backward, search), f64::from(bits))
        });
        budget.check()?;
        plan.ok_or_else(|| Error::undecided("cannot separate large steps from small ones"))
    }

    /// The plan for an epsilon and the points around it, or, where that is dear, for it alone.
    fn ample(&self, epsilon: f64, backward: bool, bits: u32, budget: &Budget) -> Result<Plan, Error> {
        let ample = self.plan(epsilon, backward, bits.saturating_add(AROUND), budget);
        if ample.as_ref().is_ok_and(|plan| plan.cost < DEAR) {
            return ample;
        }
        match (ample, self.plan(epsilon, backward, bits, budget)) {
            (Ok(ample), Ok(lean)) if ample.cost < MUCH * lean.cost => Ok(ample),
            (_, lean) => lean,
        }
    }

    /// The line planned for an epsilon.
    fn prepared(&self, epsilon: f64, backward: bool, bits: u32, budget: &Budget) -> Result<Arc<Prepared>, Error> {
        budget.check()?;
        let plan = self.ample(epsilon, backward, bits, budget)?;
        in_time(&plan, budget)?;
        if plan.work > budget.max_bits() {
            return Err(budget.out_of_bits());
        }
        let law = Law { split: plan.split.clone(), steps: self.steps, rest: &self.sides[usize::from(backward)] };
        let none_large = NoLargeStep::new(&law, &plan, budget)?;
        let huge = if law.split.has_huge() {
            let tilt = short(plan.huge)?;
            Some((tilt.clone(), law.some_huge(&tilt, budget)?))
        } else {
            None
        };
        if huge.as_ref().is_some_and(|(tilt, _)| *tilt < 0) {
            return Err(Error::undecided("the search for a bound of huge steps diverged"));
        }
        let line = Line::new(&law, &plan, budget)?;
        budget.note("nodes on the contour of large steps", line.nodes());
        let prepared = Arc::new(Prepared { epsilon, bits, none_large, huge, line });
        let mut kept = self.kept(backward);
        if kept.len() >= MOST_LINES {
            kept.remove(0);
        }
        kept.push(Arc::clone(&prepared));
        Ok(prepared)
    }

    fn kept(&self, backward: bool) -> MutexGuard<'_, Vec<Arc<Prepared>>> {
        self.prepared[usize::from(backward)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line of enough bits that was planned for the nearest point.
    fn nearest(&self, epsilon: f64, backward: bool, bits: u32) -> Option<Arc<Prepared>> {
        let distance = |line: &Prepared| (line.epsilon - epsilon).abs();
        let kept = self.kept(backward);
        let enough = kept.iter().filter(|line| line.bits >= bits && distance(line) <= NEAR * epsilon.abs().max(0.1));
        // Of lines for one point the sharpest: another one was not as sharp as planned.
        enough.min_by(|x, y| distance(x).total_cmp(&distance(y)).then(y.bits.cmp(&x.bits))).cloned()
    }

    /// The profile without the mass at infinity, to about so many bits.
    fn finite(&self, epsilon: &Real, backward: bool, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let at = epsilon.to_f64();
        let mut best: Option<Enclosure> = None;
        let mut asked = bits;
        let mut line = self.nearest(at, backward, bits);
        for _ in 0..=TRIES {
            budget.check()?;
            let prepared = match line.take() {
                Some(line) => line,
                None => match self.prepared(at, backward, asked, budget) {
                    // What another line proved is told.
                    Err(Error::Undecided(_)) if best.is_some() => break,
                    prepared => prepared?,
                },
            };
            let value = prepared.value(epsilon);
            let value = match best {
                Some(before) => alarm::meet(&before, &value, PROFILE)?,
                None => value,
            };
            let proven = value.relative_bits();
            best = Some(value);
            let own = prepared.epsilon == at;
            match proven {
                Some(proven) if proven >= i64::from(bits) => break,
                Some(proven) if own => {
                    asked = asked.saturating_add(u32::try_from(i64::from(bits) - proven + 8).unwrap_or(64));
                }
                None if own => asked = asked.saturating_mul(2),
                _ => {}
            }
        }
        best.ok_or_else(|| Error::undecided("found no contour for large steps"))
    }

    /// About the logarithm of Chernoff's bound of the profile without the mass at infinity, `M(a)^k R(a) e^(-a eps)`,
    /// and its tilt: the first one at which it is clearly below the target, for moments at large tilts are dear, or
    /// else the best.
    fn tilt(&self, epsilon: f64, backward: bool, target: f64) -> (f64, f64) {
        let rest = LogRest::new(&self.sides[usize::from(backward)]);
        let order = |a: f64| if backward { -1.0 - a } else { a };
        let log = |a: f64| self.steps as f64 * self.factor.log_moment(order(a)) + rest.at(a) - a * epsilon;
        let tilts = || {
            TILTS.map(|i| (f64::from(i) / 2.0).portable_exp2()).map(|a| (log(a), a)).filter(|(log, _)| log.is_finite())
        };
        let clear = tilts().find(|(log, _)| *log < target - CLEARLY);
        clear.or_else(|| tilts().min_by(|x, y| x.0.total_cmp(&y.0))).unwrap_or((f64::INFINITY, 0.0))
    }

    /// Is an epsilon farther out than that of a normal loss with about this logarithm of the bound? Where it is not,
    /// there is one way to the sum, by steps of all sizes.
    fn is_beyond_normal(&self, epsilon: f64, bound: f64) -> bool {
        let rest = LogRest::new(&self.sides[0]);
        let log = |c: f64| self.steps as f64 * self.factor.log_moment(c) + rest.at(c);
        let variance = 16.0 * (log(-0.25) + log(-0.75) - 2.0 * log(-0.5));
        // Also where nothing is known of it.
        !(epsilon - variance / 2.0 < FARTHER * (-2.0 * bound * variance).sqrt())
    }

    /// That bound.
    fn chernoff(&self, epsilon: &Real, backward: bool, tilt: &Rational, budget: &Budget) -> Result<Enclosure, Error> {
        let rest = &self.sides[usize::from(backward)];
        let of_step = if backward { -Rational::from(tilt + 1u32) } else { tilt.clone() };
        let moment = self.factor.moment(&of_step, BOUND_BITS, budget)?.pow(self.steps);
        let bound = &moment * &rest_moment(rest, tilt, BOUND_BITS, budget)?;
        Ok(up_to((&bound * &fall(tilt, &epsilon.enclosure(2 * BOUND_BITS), BOUND_BITS)).upper()))
    }

    /// About the logarithm of the profile, where it is so small that Chernoff's bound may be far from it.
    fn log_value(&self, epsilon: f64, backward: bool, search: &Search) -> f64 {
        let mut known = self.known[usize::from(backward)].lock().unwrap_or_else(PoisonError::into_inner);
        match *known {
            Some((at, value)) if at == epsilon => value,
            _ if self.tilt(epsilon, backward, f64::NEG_INFINITY).0 > TINY => f64::INFINITY,
            _ => {
                let value = search.log_value(epsilon);
                // What was cut short is not kept.
                if search.budget.check().is_ok() { known.insert((epsilon, value)).1 } else { value }
            }
        }
    }

    /// About the epsilon of a delta, or somewhat more: by Chernoff's bound, in doubles.
    fn start(&self, delta: &Real, backward: bool) -> f64 {
        let log_rest = LogRest::new(&self.sides[usize::from(backward)]);
        let left = (&delta.enclosure(64) - &self.infinite(backward, 64).enclosure(64)).ln().lower().to_f64();
        let at = |a: f64| {
            let order = if backward { -1.0 - a } else { a };
            (self.steps as f64 * self.factor.log_moment(order) + log_rest.at(a) - left) / a
        };
        let tilts = TILTS.map(|i| at((f64::from(i) / 2.0).portable_exp2()));
        tilts.filter(|epsilon| epsilon.is_finite()).fold(f64::INFINITY, f64::min).max(0.0)
    }

    fn by_profile<T>(&self, backward: bool, budget: &Budget, ask: impl FnOnce(&ByProfile) -> T) -> T {
        let finite = |at: &Real, turned: bool, bits: u32| self.finite(at, backward != turned, bits, budget);
        let infinite = |turned: bool, bits: u32| self.infinite(backward != turned, bits);
        ask(&ByProfile { finite: &finite, infinite: &infinite })
    }
}

impl Curve for LargeSteps {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The header's sum. See [`Edges`](super::Edges) for what is not asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        let finite = self.finite(epsilon, backward, self.goal(bits), budget)?;
        let whole = &self.infinite(backward, bits) + &Number::Enclosed(finite);
        Ok(Number::Enclosed(whole.enclosure(bits)))
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let backward = self.backward(direction);
        let profile = |epsilon: &Real, bits: u32| {
            let finite = self.finite(epsilon, backward, bits, budget)?;
            Ok(&self.infinite(backward, bits).enclosure(bits.saturating_add(32)) + &finite)
        };
        let inverse = Inverse { profile: &profile, delta, bits: self.goal(bits), budget };
        inverse.epsilon(self.start(delta, backward)).map(|set| Value::Finite(Number::Enclosed(set)))
    }

    /// By Chernoff's bound: the other way round large steps are losses far below zero, and there is mostly next to
    /// nothing above.
    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        let backward = self.backward(direction);
        let left = level - &self.infinite(backward, BOUND_BITS).enclosure(BOUND_BITS);
        if !(*left.lower() > 0) {
            return Ok(false);
        }
        let target = left.ln().lower().to_f64();
        let (log, tilt) = self.tilt(epsilon.to_f64(), backward, target);
        Ok(log < target && self.chernoff(epsilon, backward, &short(tilt)?, budget)?.upper() <= left.lower())
    }

    /// Forward, where contours would lose most digits: their integrand at its saddle is Chernoff's bound, about.
    fn is_apt(&self, epsilon: &Real, budget: &Budget) -> bool {
        let at = epsilon.to_f64();
        let bound = self.tilt(at, false, f64::NEG_INFINITY).0;
        // One step has a closed form.
        self.steps > 1
            && bound < TINY
            && self.is_beyond_normal(at, bound)
            && self.searching(false, budget, |search| self.log_value(at, false, search)) < bound - CANCELLED
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let backward = self.backward(direction);
        let bits = self.goal(bits).saturating_add(12);
        self.by_profile(backward, budget, |profile| profile.beta(alpha, bits, budget)).map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        METHOD
    }

    fn statement(&self) -> &'static Statement {
        &statement::LARGE_STEPS
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("split steps", self.steps)]
    }
}
