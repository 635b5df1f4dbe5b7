//! The curve of a composition on grids fine enough for what is asked.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::Float;
use rug::float::Round::Down;
use rug::float::Special;

use super::told::{Asked, Quantity};
use super::{ByProfile, CHEAP, FIRST, Grid, MOST_POINTS, PAID, Rounded, SHALLOW, Step, TOLD};
use crate::alarm::{self, declined};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::{Budget, Enclosure, Note, Number, Portable, Real};

/// The refinement loop asks for so many bits more than it needs at first; a grid pays for each of them.
const SPARE: u32 = 30;
/// Grids tried for one question.
const TRIES: u32 = 6;
/// Cells that one part without atoms may be put into.
const MOST_CELLS: f64 = 65_536.0;

/// Up to so many bits are had with the least depth.
const FEW_BITS: i64 = 24;
/// Bits by which what is within reach may be more than what a few points tell.
const SLACK: i64 = 6;

/// Halvings of the step beyond the finest that fits from which a refusal needs no other grid.
const FAR: f64 = 2.0;
/// More bits than this are many.
const MANY: i64 = 40;
/// More runs than this are many.
const MANY_RUNS: u64 = 16;

/// What grids enclose, to be told in an alarm.
pub(super) const GRIDS: &str = "value on two grids";

/// One question: what a grid proves of its answer.
type Question<'a> = &'a dyn Fn(&Rounded) -> Result<Enclosure, Error>;

impl Grid {
    /// A question, as it is kept.
    fn asked(&self, quantity: Quantity, at: &Real, direction: Direction) -> Asked {
        let backward = !self.symmetric && direction == Direction::Backward;
        Asked { quantity, at: at.clone(), backward }
    }

    /// What a grid of so many points proves: the same grid whatever is asked, where the masses of all parts are known.
    fn roughly(
        &self,
        points: u32,
        (backward, tiny): (bool, u32),
        budget: &Budget,
        question: Question,
    ) -> Result<Enclosure, Error> {
        if self.by_profile().next().is_some() {
            let depth = PAID.saturating_add(tiny);
            return self.step_by_step((backward, depth), budget, question, &|_, rounded| {
                Ok(rounded.points_at(rounded.step.fineness, depth) >= f64::from(points))
            });
        }
        let rounded = |fineness: i32| self.rounded(Step { fineness, backward, depth: SHALLOW }, budget);
        let pilot = rounded(4)?;
        let finer = (f64::from(points) / pilot.points_at(4, SHALLOW)).portable_log2().floor().clamp(-24.0, 60.0) as i32;
        question(rounded((4 + finer).min(self.finest()))?.as_ref())
    }

    /// What grids prove, where each point of a part's profile takes its time: from coarse to fine, each with the points
    /// of those before, until one is told to be the last or there is no more time. What one of them has proven is kept.
    fn step_by_step(
        &self,
        (backward, depth): (bool, u32),
        budget: &Budget,
        question: Question,
        is_last: &dyn Fn(&Enclosure, &Rounded) -> Result<bool, Error>,
    ) -> Result<Enclosure, Error> {
        let finest = self.fineness(|law| law.at_most(budget), budget).min(self.finest());
        let mut fineness = self.fineness(|_| FIRST, budget).min(finest);
        let (first_depth, mut depth, mut known) = (depth, depth, Enclosure::whole(64));
        loop {
            let proven = self.rounded(Step { fineness, backward, depth }, budget);
            let proven = proven.and_then(|rounded| Ok((question(&rounded)?, rounded)));
            let rounded = match proven {
                Ok((proven, rounded)) => {
                    known = alarm::meet(&known, &proven, GRIDS)?;
                    rounded
                }
                Err(error) if error.is_alarm() || !known.is_bounded() => return Err(error),
                Err(_) => return Ok(known),
            };
            budget.note("step of the grid", format_args!("2^{}", -fineness));
            // What is left out must be small against the value itself.
            let exponent = known.upper().get_exp().map_or(0, |e| e.min(0).unsigned_abs());
            if exponent > PAID / 2 && depth == first_depth {
                let deeper = depth.saturating_add(exponent).checked_next_multiple_of(PAID).unwrap_or(SHALLOW);
                depth = deeper.min(SHALLOW.max(depth));
            } else if is_last(&known, &rounded)? || fineness >= finest {
                return Ok(known);
            } else {
                fineness += 1;
            }
        }
    }

    /// So many bits, or the refusal as soon as a few points of the parts' profiles tell that no grid proves that many.
    fn prove_step_by_step(
        &self,
        goal: i64,
        (backward, tiny): (bool, u32),
        budget: &Budget,
        question: Question,
    ) -> Result<Enclosure, Error> {
        let least = PAID.saturating_add(tiny);
        let deep = u32::try_from(goal).unwrap_or(u32::MAX).saturating_add(8);
        let depth = if goal <= FEW_BITS { least } else { least.max(deep.saturating_add(tiny)) };
        let finest = self.fineness(|law| law.at_most(budget), budget).min(self.finest());
        let told = self.fineness(|_| TOLD, budget);
        let bits = |known: &Enclosure| known.relative_bits().unwrap_or(0);
        let refused = |bits: i64, finest: i32| {
            let digits = (bits / 10).saturating_mul(3).max(0);
            let why = "the profiles of its parts are evaluated on grids with steps of at least";
            Error::undecided(format!("{why} 2^{}, which prove about {digits} digits", -finest))
        };
        // Two bits for each halving of the step.
        let reachable = |known: &Enclosure, rounded: &Rounded| {
            let halvings = i64::from(finest) - i64::from(rounded.step.fineness);
            bits(known).max(0).saturating_add(2 * halvings.max(0))
        };
        let hopeless = |known: &Enclosure, rounded: &Rounded| {
            let told = rounded.step.fineness >= told && bits(known) > 0;
            told && reachable(known, rounded).saturating_add(SLACK) < goal
        };
        if goal > MANY {
            // Values to few bits tell that soonest, unless they are what keeps the digits few.
            self.step_by_step((backward, least), budget, question, &|known, rounded| {
                if bits(known) < FEW_BITS && hopeless(known, rounded) {
                    return Err(refused(reachable(known, rounded), finest));
                }
                Ok(rounded.step.fineness >= told)
            })?;
        }
        let known = self.step_by_step((backward, depth), budget, question, &|known, rounded| {
            if hopeless(known, rounded) {
                return Err(refused(reachable(known, rounded), finest));
            }
            Ok(bits(known) >= goal)
        })?;
        if bits(&known) >= goal { Ok(known) } else { Err(refused(bits(&known), finest)) }
    }

    /// The parts of which nothing but the profile is known.
    fn by_profile(&self) -> impl Iterator<Item = &ByProfile> {
        self.parts.iter().filter_map(|(law, _)| law.by_profile())
    }

    /// The finest grid with so many points of every profile.
    fn fineness(&self, points: impl Fn(&ByProfile) -> u32, budget: &Budget) -> i32 {
        self.by_profile().map(|law| law.fineness(points(law), budget)).min().unwrap_or_default()
    }

    /// Grids from coarse to fine until one proves enough.
    fn prove(&self, asked: &Asked, bits: u32, budget: &Budget, question: Question) -> Result<Enclosure, Error> {
        if self.content == Some(0) {
            return self.told.known(asked).ok_or_else(|| Error::undecided("no grid was computed before"));
        }
        let backward = asked.backward;
        // Whatever a grid proves on the way is kept, for when it is all that is known.
        let question: Question = &|rounded| {
            let proven = question(rounded)?;
            self.told.tell(asked, &proven)?;
            Ok(proven)
        };
        if let Some(points) = self.content {
            return self.roughly(points, (backward, asked.tiny()), budget, question);
        }
        let goal = i64::from(bits.saturating_sub(SPARE).max(8));
        // The excess falls with the square of the cells, of which there are not enough for that.
        if goal > MANY && self.parts.iter().any(|(law, _)| law.spread().is_some()) {
            let why = "a grid cannot prove that many digits for continuous privacy losses";
            return Err(Error::undecided(why));
        }
        if self.by_profile().next().is_some() {
            return self.prove_step_by_step(goal, (backward, asked.tiny()), budget, question);
        }
        let mut depth = u32::try_from(goal).unwrap_or(u32::MAX).saturating_add(24);
        let rounded = |fineness: i32, depth: u32| self.rounded(Step { fineness, backward, depth }, budget);
        // A pilot: some fifty steps to the deviation.
        let mut current = rounded(4, depth)?;
        for _ in 0..3 {
            let wanted = (48.0 / current.law.deviation().max(1e-12)).portable_log2().ceil().clamp(-20.0, 60.0) as i32;
            let wanted = wanted.min(self.finest());
            if (wanted - current.step.fineness).abs() <= 1 {
                break;
            }
            current = rounded(wanted, depth)?;
        }
        let mut known = Enclosure::whole(bits);
        for _ in 0..TRIES {
            budget.check()?;
            let proven = question(&current)?;
            known = alarm::meet(&known, &proven, GRIDS)?;
            budget.note("step of the grid", format_args!("2^{}", -current.step.fineness));
            let bits_known = known.relative_bits();
            if bits_known.is_some_and(|bits| bits >= goal) {
                return Ok(known);
            }
            // What is left out must be small against the value itself.
            let exponent = known.upper().get_exp().map_or(0, |e| e.min(0).unsigned_abs());
            let deeper = u32::try_from(goal).unwrap_or(u32::MAX).saturating_add(24).saturating_add(exponent);
            depth = depth.max(deeper);
            // The excess falls with the square of the step. As long as nothing is known, a few bits at a time.
            let bits_known = bits_known.unwrap_or(0).max(0);
            let finer =
                if bits_known == 0 { 3 } else { i32::try_from((goal - bits_known) / 2 + 1).unwrap_or(i32::MAX) };
            let wanted = current.step.fineness.saturating_add(finer);
            let points = current.points_at(wanted, depth);
            // A value that may be zero is not approached at any cost.
            if points > self.most_points(&current, depth) || (bits_known == 0 && points > CHEAP) {
                return self.too_fine(known, goal, wanted, &current, depth, question, budget);
            }
            current = rounded(wanted, depth)?;
        }
        Ok(known)
    }

    /// What a cheap grid proves, if that is enough; otherwise the refusal, which tells what is within reach.
    #[allow(clippy::too_many_arguments)]
    fn too_fine(
        &self,
        known: Enclosure,
        goal: i64,
        wanted: i32,
        current: &Arc<Rounded>,
        depth: u32,
        question: Question,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let mut known = known;
        let most = self.most_points(current, depth);
        let points = current.points_at(current.step.fineness, depth);
        let finest = f64::from(current.step.fineness) + (most / points).portable_log2().floor().clamp(-60.0, 60.0);
        let spare = (CHEAP.min(most) / points).portable_log2().floor();
        let mut fineness = current.step.fineness.saturating_add(spare.clamp(-60.0, 60.0) as i32);
        // Many digits of a law that many runs spread out, so far from what fits, are not nearer by another proof.
        // Others may be, where losses near the kink have their masses to themselves.
        let runs = self.parts.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
        let hopeless = goal > MANY && runs > MANY_RUNS && f64::from(wanted) > finest + FAR;
        if hopeless && known.relative_bits().is_some_and(|bits| bits > 0) {
            fineness = current.step.fineness;
        }
        let mut reachable = 0;
        if fineness > current.step.fineness {
            let step = Step { fineness, backward: current.step.backward, depth };
            if let Some(proven) = declined(self.rounded(step, budget).and_then(|rounded| question(&rounded)))? {
                known = alarm::meet(&known, &proven, GRIDS)?;
            }
        }
        let bits = known.relative_bits();
        if bits.is_some_and(|bits| bits >= goal) {
            return Ok(known);
        }
        if let Some(bits) = bits {
            // Two bits for each halving of the step; a digit takes 3.33 bits, and two are to spare.
            let further = (finest - f64::from(fineness)).max(0.0) as i64 * 2;
            reachable = ((bits.min(goal) + further) * 3 / 10 - 3).max(0);
        }
        if f64::from(wanted) > finest {
            // What is asked for is not, by the same rule.
            reachable = reachable.min((goal * 3 / 10 - 3).max(0));
        }
        let why = if f64::from(wanted) > finest {
            format!(
                "that many digits require a grid with steps of 2^{}, and the finest grid has steps of 2^{}",
                -wanted, -finest
            )
        } else {
            format!("a grid with steps of 2^{} does not separate the value from zero", -fineness)
        };
        let reach = match reachable {
            0 => "a grid proves no digits".to_string(),
            1 => "a grid proves about one digit".to_string(),
            more => format!("a grid proves about {more} digits"),
        };
        Err(Error::undecided(format!("{why}; {reach}")))
    }

    /// A lower and an upper bound of the inverse, at a level of the finite losses.
    pub(super) fn inverse(&self, rounded: &Rounded, delta: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        let work = rounded.law.bits();
        let infinite = rounded.law.infinite(work + 64)?.0;
        let level = (&delta.number(work + 64) - &infinite).enclosure(work + 64);
        let nothing = Enclosure::new(Float::new(work), Float::with_val(work, Special::Infinity));
        if level.sign() != Some(Ordering::Greater) {
            return Ok(nothing);
        }
        let Some(high) = rounded.law.inverse(&level, budget)? else { return Ok(nothing) };
        let high = high.positive_part();
        if *high.upper() == 0 {
            return Ok(Enclosure::zero(work));
        }
        // Below: a point where the profile, less the excess, is certainly above the level. The slope says how far.
        let top = Real::from(high.lower().to_rational().unwrap_or_default());
        let here = rounded.law.profile(&top, budget)?.positive_part();
        let excess = rounded.excess(&top, &here, budget)?;
        let slope = rounded.law.slope(&top, budget)?;
        let mut margin = (&excess / &slope).upper().to_f64() * 1.25;
        if !(margin > 0.0) {
            margin = rounded.step.size().to_f64();
        }
        for _ in 0..40 {
            budget.check()?;
            let at = Float::with_val_round(work, high.lower() - margin, Down).0;
            let Some(point) = at.to_rational().filter(|point| *point > 0).map(Real::from) else { break };
            let bracket = rounded.profile(&point, budget)?;
            if *bracket.lower() > *level.upper() {
                return Ok(Enclosure::new(at, high.upper().clone()));
            }
            margin *= 2.0;
        }
        Ok(Enclosure::new(Float::new(work), high.upper().clone()))
    }

    /// The finest grid whose cells of losses without atoms can be filled in reasonable time: each takes its masses from
    /// special functions.
    fn finest(&self) -> i32 {
        let mut finest = 60;
        for (law, _) in &self.parts {
            let Some(spread) = law.spread() else { continue };
            let (low, high) = spread.ends(64);
            let fits = (MOST_CELLS / (&high - &low).upper().to_f64().max(1e-18)).portable_log2().floor();
            finest = finest.min(fits.clamp(-60.0, 60.0) as i32);
        }
        finest
    }

    /// Points of the composition's grid at most.
    fn most_points(&self, current: &Rounded, depth: u32) -> f64 {
        MOST_POINTS.min(current.points_at(self.finest(), depth))
    }
}

impl Rounded {
    /// Points of the composition on a grid, about.
    fn points_at(&self, fineness: i32, depth: u32) -> f64 {
        let reach = 2.0 * (1.4 * f64::from(depth + 40)).sqrt() * self.law.deviation();
        reach * f64::from(fineness).portable_exp2()
    }

    /// A lower and an upper bound of the profile of the finite losses.
    pub(super) fn profile(&self, epsilon: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        let grid = self.law.profile(epsilon, budget)?.positive_part();
        let excess = self.excess(epsilon, &grid, budget)?;
        let lower = (&grid - &excess).positive_part();
        Ok(Enclosure::new(lower.lower().clone(), grid.upper().clone()))
    }
}

impl Curve for Grid {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// Between the grid's profile less its excess, and the grid's profile. See [`Edges`](crate::compose::Edges) for
    /// what is not asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let question = |rounded: &Rounded| {
            let finite = rounded.profile(epsilon, budget)?;
            let sum = &finite + &rounded.law.infinite(finite.bits() + 64)?.0.enclosure(finite.bits());
            Ok(sum.min(&Enclosure::one(64)))
        };
        self.prove(&self.asked(Quantity::Delta, epsilon, direction), bits, budget, &question).map(Number::Enclosed)
    }

    /// Between a point where the profile is certainly above the target and one where it is certainly not.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let question = |rounded: &Rounded| self.inverse(rounded, delta, budget);
        let set = self.prove(&self.asked(Quantity::Epsilon, delta, direction), bits, budget, &question)?;
        Ok(Value::Finite(if set.is_point() && *set.upper() == 0 { Number::zero() } else { Number::Enclosed(set) }))
    }

    /// Between the grid's trade-off function and a little more than it.
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let question = |rounded: &Rounded| rounded.least_mass(alpha, budget);
        self.prove(&self.asked(Quantity::Beta, alpha, direction), bits, budget, &question).map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        "losses rounded to a common grid"
    }

    fn statement(&self) -> &'static Statement {
        &statement::GRID
    }

    fn explain(&self) -> Vec<Note> {
        let count = self.parts.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
        let mut notes = vec![Note::new("privacy losses that are rounded", count)];
        if let [(law, times)] = self.parts.as_slice() {
            notes.push(Note::new("all of them", format_args!("{} of {}", times, law.name())));
        }
        notes
    }
}
