//! The curve of a composition on grids fine enough for what is asked.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::Float;
use rug::float::Round::{Down, Up};

use super::{CHEAP, Grid, MOST_POINTS, Rounded, Step};
use crate::compose::leak::check_probability;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::number::{Budget, Enclosure, Note, Number, Real};

/// The refinement loop asks for so many bits more than it needs at first; a grid pays for each of them.
const SPARE: u32 = 30;
/// Grids tried for one question.
const TRIES: u32 = 5;

/// What a grid proves of a value, and how much of the width is due to its step.
struct Proven {
    set: Enclosure,
}

impl Proven {
    fn bits(&self) -> i64 {
        self.set.relative_bits().unwrap_or(0).max(0)
    }
}

impl Grid {
    fn goal(bits: u32) -> i64 {
        i64::from(bits.saturating_sub(SPARE).max(8))
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    /// Points of the composition on a grid, about.
    fn points(rounded: &Rounded, fineness: i32, depth: u32) -> f64 {
        let reach = 2.0 * (1.4 * f64::from(depth + 40)).sqrt() * rounded.lattice.deviation();
        reach * f64::from(fineness).exp2()
    }

    /// Grids from coarse to fine until one proves enough.
    fn prove(
        &self,
        backward: bool,
        bits: u32,
        budget: &Budget,
        value: &dyn Fn(&Rounded) -> Result<Proven, Error>,
    ) -> Result<Enclosure, Error> {
        let goal = Self::goal(bits);
        let mut depth = bits.saturating_add(24);
        let rounded = |fineness: i32, depth: u32| self.rounded(Step { fineness, backward, depth }, budget);
        // A pilot: some fifty steps to the deviation.
        let mut fineness = 6;
        let mut pilot = rounded(fineness, depth)?;
        for _ in 0..3 {
            let deviation = pilot.lattice.deviation().max(1e-9);
            let wanted = (48.0 / deviation).log2().ceil().clamp(-20.0, 60.0) as i32;
            if (wanted - fineness).abs() <= 1 {
                break;
            }
            fineness = wanted;
            pilot = rounded(fineness, depth)?;
        }
        let mut best: Option<Enclosure> = None;
        let mut current = pilot;
        for _ in 0..TRIES {
            budget.check()?;
            let proven = value(&current)?;
            best = Some(match best {
                Some(known) => known.intersect(&proven.set).unwrap_or(proven.set.clone()),
                None => proven.set.clone(),
            });
            let Some(known) = &best else { break };
            budget.note("step of the grid", format_args!("2^-{}", current.step.fineness));
            if known.relative_bits().is_some_and(|proven| proven >= goal) {
                return Ok(known.clone());
            }
            // What is left out must be small against the value itself.
            if let Some(exponent) = known.upper().get_exp() {
                depth = depth.max(bits.saturating_add(24).saturating_add(exponent.min(0).unsigned_abs()));
            }
            // The excess falls with the square of the step.
            let missing = (goal - proven.bits()).max(1);
            let finer = i32::try_from(missing / 2 + 1).unwrap_or(i32::MAX).min(if proven.bits() == 0 { 4 } else { 64 });
            let wanted = current.step.fineness.saturating_add(finer);
            let points = Self::points(&current, wanted, depth);
            if points > MOST_POINTS {
                return Err(self.too_fine(known, points, wanted, &current, value, depth, budget));
            }
            current = rounded(wanted, depth)?;
        }
        best.ok_or_else(|| budget.out_of_bits())
    }

    /// The refusal, with what a cheap grid proves.
    #[allow(clippy::too_many_arguments)]
    fn too_fine(
        &self,
        known: &Enclosure,
        points: f64,
        wanted: i32,
        current: &Arc<Rounded>,
        value: &dyn Fn(&Rounded) -> Result<Proven, Error>,
        depth: u32,
        budget: &Budget,
    ) -> Error {
        let mut known = known.clone();
        // The finest grid that is still cheap.
        let spare = (CHEAP / Self::points(current, current.step.fineness, depth)).log2().floor();
        let fineness = current.step.fineness.saturating_add(spare.clamp(-60.0, 60.0) as i32).min(wanted);
        if fineness > current.step.fineness {
            let step = Step { fineness, backward: current.step.backward, depth };
            if let Ok(proven) = self.rounded(step, budget).and_then(|rounded| value(&rounded)) {
                known = known.intersect(&proven.set).unwrap_or(known);
            }
        }
        let digits = |x: &Float, round| {
            let text = x.to_string_radix_round(10, Some(5), round);
            text.parse::<f64>().map_or(text, |x| format!("{x}"))
        };
        Error::Undecided(format!(
            "that many digits take a grid of 2^-{wanted}, with about {points:.1e} points (at most {MOST_POINTS:.0e}); a cheap one proves \
             that the value lies between {} and {}; --digits {} or fewer would do",
            digits(known.lower(), Down),
            digits(known.upper(), Up),
            // A grid of the most points: half the bits for each.
            (known.relative_bits().unwrap_or(0).max(7) - 7) * 3 / 10
        ))
    }

    /// A lower and an upper bound of the profile.
    pub(super) fn profile(
        &self,
        rounded: &Rounded,
        epsilon: &Real,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let work = bits.saturating_add(8);
        let (infinite, _) = rounded.lattice.infinite_masses(work.saturating_add(64))?;
        let infinite = infinite.enclosure(work + 64);
        let grid = rounded.lattice.profile_of(epsilon, false, work, budget)?.enclosure(work).positive_part();
        let rest = f64::from(bits) + 16.0 - grid.lower().get_exp().map_or(0.0, f64::from);
        let excess = rounded.excess(epsilon, rest, budget)?;
        let upper = &(&grid + &rounded.missing) + &infinite;
        let lower = &(&grid - &excess).positive_part() + &infinite;
        let one = Float::with_val(work, 1);
        let top = if *upper.upper() > 1 { one } else { upper.upper().clone() };
        Ok(Enclosure::new(lower.lower().clone(), top))
    }

    /// A lower and an upper bound of the inverse at a level above the mass at infinity.
    fn inverse(&self, rounded: &Rounded, delta: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let work = bits.saturating_add(8);
        let level = |bits: u32| match rounded.lattice.infinite_masses(bits) {
            Ok((infinite, _)) => {
                let level = (&delta.number(bits) - &infinite).enclosure(bits);
                let level = &level - &rounded.missing;
                // The upper bound of the profile may be as large as that, and no larger.
                Enclosure::new(level.lower().clone(), level.lower().clone())
            }
            Err(_) => Enclosure::whole(bits),
        };
        if !matches!(level(work).sign(), Some(Ordering::Greater)) {
            return Ok(Enclosure::new(Float::new(work), Float::with_val(work, rug::float::Special::Infinity)));
        }
        let high = rounded.lattice.inverse_of(&level, false, work, budget)?.enclosure(work);
        let zero = Float::new(work);
        if *high.upper() == 0 {
            return Ok(Enclosure::zero(work));
        }
        // Below: a point where the profile, less the excess, is certainly above the level.
        let top = high.upper().to_f64();
        let target = delta.enclosure(work + 64);
        let mut margin = rounded.step.size().to_f64().powi(2) * 4.0;
        for _ in 0..60 {
            budget.check()?;
            let at = Float::with_val_round(work, high.lower() - margin, Down).0;
            if at <= 0 || !(margin < top + 1.0) {
                break;
            }
            let point = at.to_rational().map(Real::from).ok_or_else(|| budget.out_of_bits())?;
            let here = self.profile(rounded, &point, bits, budget)?;
            if *here.lower() > *target.upper() {
                return Ok(Enclosure::new(at, high.upper().clone()));
            }
            // How much further, by the slope of the logarithm; at least twice as far.
            margin *= 2.0;
        }
        Ok(Enclosure::new(zero, high.upper().clone()))
    }

    /// A lower and an upper bound of the trade-off function.
    ///
    /// The grid's profile is an upper bound, so its trade-off function is a lower one. And the true profile is at least the
    /// grid's at `eps + s`, s the most that all roundings can move a loss: so the true trade-off function is at most
    /// `e^s` times the grid's.
    fn least_mass(&self, rounded: &Rounded, alpha: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let work = bits.saturating_add(8);
        let point = |bits: u32, upper: bool| {
            let alpha = alpha.number(bits);
            let infinite = rounded
                .lattice
                .infinite_masses(bits)
                .map_or_else(|_| Number::Enclosed(Enclosure::whole(bits)), |x| x.0);
            let rest = &(&Number::one() - &alpha) - &infinite;
            let (alpha, rest) = (alpha.enclosure(bits), rest.enclosure(bits));
            let least = Enclosure::new(rounded.missing.upper().clone(), rounded.missing.upper().clone());
            if upper { (&alpha - &least, rest) } else { (alpha, &rest - &least) }
        };
        let positive =
            |set: &(Enclosure, Enclosure)| [&set.0, &set.1].iter().all(|set| set.sign() == Some(Ordering::Greater));
        let mut lower = Enclosure::zero(work);
        if positive(&point(work, false)) {
            lower = rounded.lattice.tradeoff_of(&|bits| point(bits, false), false, work, budget)?.enclosure(work);
        }
        let mut upper = (&Number::one() - &alpha.number(work)).enclosure(work);
        if positive(&point(work, true)) {
            let grid = rounded.lattice.tradeoff_of(&|bits| point(bits, true), false, work, budget)?.enclosure(work);
            upper = upper.min(&(&grid * &Enclosure::rational(&rounded.reach(), work).exp()));
        }
        Ok(Enclosure::new(lower.lower().clone(), upper.upper().clone()).positive_part())
    }
}

impl Curve for Grid {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// Between the grid's profile less its excess, and the grid's profile.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let value = |rounded: &Rounded| Ok(Proven { set: self.profile(rounded, epsilon, bits, budget)? });
        self.prove(self.backward(direction), bits, budget, &value).map(Number::Enclosed)
    }

    /// Between a point where the profile is certainly above the target and one where it is certainly not.
    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        check_probability(delta, "the target delta", budget)?;
        let backward = self.backward(direction);
        if delta.as_rational().is_some_and(|delta| *delta == 1) {
            return Ok(Value::Finite(Number::zero()));
        }
        let mut infinite = Number::zero();
        for (law, times) in &self.parts {
            let atoms = law.atoms(bits.saturating_add(64), 64, budget)?;
            let one = if backward { atoms.infinite_q } else { atoms.infinite_p };
            let several = &Number::one() - &(&Number::one() - &one).pow(*times);
            infinite = &infinite + &(&(&Number::one() - &infinite) * &several);
        }
        match delta.number(bits.saturating_add(64)).compare(&infinite) {
            Some(Ordering::Less) => return Ok(Value::Infinite),
            Some(Ordering::Greater) => {}
            _ => {
                return Err(Error::Undecided(format!(
                    "whether delta = {delta} is below the mass at infinity is not decided on a grid"
                )));
            }
        }
        let value = |rounded: &Rounded| Ok(Proven { set: self.inverse(rounded, delta, bits, budget)? });
        let set = self.prove(backward, bits, budget, &value)?;
        Ok(Value::Finite(if set.is_point() && *set.upper() == 0 { Number::zero() } else { Number::Enclosed(set) }))
    }

    /// Between the grid's trade-off function and a little more than it.
    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        check_probability(alpha, "alpha", budget)?;
        let value = |rounded: &Rounded| Ok(Proven { set: self.least_mass(rounded, alpha, bits, budget)? });
        self.prove(self.backward(direction), bits, budget, &value).map(Number::Enclosed)
    }

    fn method(&self) -> &'static str {
        "losses rounded to a common grid"
    }

    fn statement(&self) -> &'static str {
        "Jensen's inequality: rounding that keeps both masses never lowers a convex profile"
    }

    fn explain(&self) -> Vec<Note> {
        let count = self.parts.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
        let mut notes = vec![Note::new("losses that are rounded", count)];
        if let [(law, times)] = self.parts.as_slice() {
            notes.push(Note::new("all of them", format_args!("{} of {}", times, law.name())));
        }
        notes
    }
}
