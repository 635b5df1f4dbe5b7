//! The search: from a value that is safe and one that fails to two that are neighbours.
//!
//! Floating-point interpolation proposes values, and the [`Oracle`] decides them. A value is safe or fails because its
//! answer is proven to lie on that side of the target. The answer is monotone in the parameter, so all values beyond it
//! are decided too. If two answers are proven to be in the wrong order, the search raises an alarm.
//!
//! Why it ends: each question narrows the bracket, at least by half in six, or is not decided, which ends the search
//! after a few more on either side; and the budget is asked before each.

use rug::{Complete, Float, Rational};

use super::oracle::{FEW, Oracle, Point, Verdict};
use super::scale::{Axis, Scale, middle};
use crate::alarm;
use crate::error::Error;
use enclosure::{Enclosure, Portable, Reason};

/// The exponents of the values that are tried in turn, from the start on.
const RUNGS: [i32; 24] =
    [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 48, 56, 63, 96, 128, 192, 256, 384, 512, 640, 768, 896, 1023];

/// Questions without the bracket being halved, before it is.
const PATIENCE: u32 = 5;

/// Values between one that is decided and one that is not.
const NEARER: u32 = 8;

/// The state of the search: the innermost safe and failing values.
pub(super) struct Search<'a> {
    pub oracle: Oracle<'a>,
    /// Is less of it safe?
    pub grows: bool,
    /// For type II errors more is safer.
    pub falls: bool,
    /// The value that is proven safe nearest to those that fail.
    pub safe: Option<Point>,
    /// The value that is proven to fail nearest to those that are safe.
    pub fails: Option<Point>,
    /// The last value that was one of the two.
    past: Option<Point>,
    /// Is the answer monotone in the parameter? Otherwise two values prove nothing of those beyond them.
    monotone: bool,
}

impl<'a> Search<'a> {
    pub fn new(oracle: Oracle<'a>, grows: bool, falls: bool) -> Self {
        Search { oracle, grows, falls, safe: None, fails: None, past: None, monotone: true }
    }

    /// The same where the answer is not monotone: what is found is one change of sides.
    pub fn both_ways(self) -> Self {
        Search { monotone: false, ..self }
    }

    /// Ask of a value; `Some` reason if it is not decided.
    pub fn look(&mut self, at: &Rational, digits: u32) -> Result<Option<Reason>, Error> {
        let (point, verdict) = self.oracle.look(at, digits)?;
        let end = match verdict {
            Verdict::Open(reason) => return Ok(Some(reason)),
            Verdict::Safe => &mut self.safe,
            Verdict::Fails => &mut self.fails,
        };
        self.past = end.replace(point.clone()).or(self.past.take());
        self.in_order()?;
        Ok(None)
    }

    /// The answers at the two ends are not proven to be in the wrong order.
    fn in_order(&self) -> Result<(), Error> {
        let (Some(safe), Some(fails)) = (&self.safe, &self.fails) else { return Ok(()) };
        let wrong = self.monotone && if self.grows { safe.at > fails.at } else { safe.at < fails.at };
        if wrong {
            return Err(Error::internal(format!(
                "the loss is not monotone: {} is safe and {} fails",
                safe.at, fails.at
            )));
        }
        Ok(())
    }

    /// The answer at a value in between lies between those at the ends, or none of them may be trusted.
    fn between_ends(&self, point: &Point) -> Result<(), Error> {
        const WHAT: &str = "answer between those of a smaller and a larger parameter";
        if !self.monotone {
            return Ok(());
        }
        let set = |point: &Point| point.answer.outcome.number().map(|number| number.enclosure(128));
        let (Some(here), Some(safe), Some(fails)) =
            (set(point), self.safe.as_ref().and_then(set), self.fails.as_ref().and_then(set))
        else {
            return Ok(());
        };
        let (low, high): (&Enclosure, &Enclosure) = if self.falls { (&fails, &safe) } else { (&safe, &fails) };
        alarm::bracket(low, &here, WHAT)?;
        alarm::bracket(&here, high, WHAT)?;
        Ok(())
    }

    /// Find a value that is safe and one that fails: from the start of the axis outward. A reason where one of them is
    /// not found.
    pub fn bracket(&mut self, axis: &Axis) -> Result<Option<Reason>, Error> {
        let start = axis.start();
        let mut open = if self.knows(&start) { None } else { self.look(&start, FEW)? };
        let at_start = |end: &Option<Point>| end.as_ref().is_some_and(|point| point.at == start);
        // Where nothing is known of the start, both ways are tried.
        let ways: &[bool] = match (at_start(&self.safe), at_start(&self.fails)) {
            (true, _) => &[self.grows],
            (_, true) => &[!self.grows],
            _ => &[self.grows, !self.grows],
        };
        for &up in ways {
            if let Some(reason) = self.climb(axis, up)? {
                open = Some(reason);
            }
            if self.safe.is_some() && self.fails.is_some() {
                return Ok(None);
            }
        }
        Ok(open)
    }

    /// Try larger and larger values, or smaller and smaller ones, until one lies on the other side.
    fn climb(&mut self, axis: &Axis, up: bool) -> Result<Option<Reason>, Error> {
        let scale = axis.scale();
        let mut last = axis.start();
        let mut skipped: Option<Reason> = None;
        for rung in RUNGS {
            let mut at = axis.rung(if up { rung } else { -rung });
            if self.found(axis) || at == last || self.knows(&at) {
                break;
            }
            self.oracle.tell(&format!("trying {}", super::told(&at)));
            let Some(open) = self.look(&at, FEW)? else {
                last = at;
                continue;
            };
            // A few runs may be harder than many: larger numbers are tried before it is given up.
            if axis.integers && skipped.is_none() {
                skipped = Some(open);
                continue;
            }
            // Nearer values may be decided where this one is not; they all lie on the way from what is known.
            for _ in 0..NEARER {
                if scale.step(&last, &at) == at {
                    break;
                }
                at = scale.between(&middle(&last, &at), &last, &at);
                if self.look(&at, FEW)?.is_none() {
                    break;
                }
            }
            return Ok((!self.found(axis)).then_some(open));
        }
        Ok(if self.found(axis) { None } else { skipped })
    }

    fn knows(&self, at: &Rational) -> bool {
        [&self.safe, &self.fails].into_iter().flatten().any(|point| point.at == *at)
    }

    /// Is there a bracket that is not made of an end of the axis?
    fn found(&self, axis: &Axis) -> bool {
        let inner = |point: &Option<Point>| {
            point
                .as_ref()
                .is_some_and(|point| axis.integers || (point.at != axis.least && Some(&point.at) != axis.most.as_ref()))
        };
        inner(&self.safe) && inner(&self.fails)
    }

    /// Narrow the bracket until its ends are neighbours on a scale; where that is not decided, the reason.
    pub fn narrow(&mut self, scale: Scale, goal: u32) -> Result<Option<Reason>, Error> {
        let mut slow = 0;
        let mut creep = 0;
        loop {
            let (Some(safe), Some(fails)) = (&self.safe, &self.fails) else { return Ok(None) };
            let (s, f) = (safe.at.clone(), fails.at.clone());
            if scale.step(&s, &f) == f {
                return Ok(None);
            }
            let width = width(&s, &f);
            self.oracle.tell(&format!("between {} and {}", super::told(&s), super::told(&f)));
            let guess = if slow < PATIENCE { self.estimate() } else { None };
            let guess = guess.unwrap_or_else(|| {
                slow = 0;
                middle(&s, &f)
            });
            let mut at = scale.between(&guess, &s, &f);
            // A guess that is stuck at an end moves away from it, further each time.
            let stuck = [(&s, &f), (&f, &s)].into_iter().find(|(end, other)| scale.step(end, other) == at);
            match stuck {
                Some((end, other)) if creep > 0 => {
                    let step = Rational::from(&at - end) << (4 * creep).min(4096);
                    at = scale.between(&(end + step), end, other);
                    creep += 1;
                }
                Some(_) => creep = 1,
                None => creep = 0,
            }
            // The answer may differ from the target by the square of the width, for the guess is that good.
            let digits = (4.0 - 2.0 * width.portable_log10()).clamp(4.0, f64::from(goal) + 4.0) as u32;
            let (point, verdict) = self.oracle.look(&at, digits)?;
            self.between_ends(&point)?;
            let end = match verdict {
                Verdict::Open(reason) => {
                    if self.around(&point, scale, digits)? {
                        return Ok(Some(reason));
                    }
                    continue;
                }
                Verdict::Safe => &mut self.safe,
                Verdict::Fails => &mut self.fails,
            };
            self.past = end.replace(point);
            let (Some(safe), Some(fails)) = (&self.safe, &self.fails) else { return Ok(None) };
            slow = if self::width(&safe.at, &fails.at) > width / 2.0 { slow + 1 } else { 0 };
        }
    }

    /// A value is not decided: what is decided next to it, on either side? False if it turned out to lie outside of the
    /// bracket.
    fn around(&mut self, open: &Point, scale: Scale, digits: u32) -> Result<bool, Error> {
        let blur = self.blur(open);
        for toward_safe in [true, false] {
            let mut reach = blur.clone().unwrap_or_default();
            loop {
                let (Some(safe), Some(fails)) = (&self.safe, &self.fails) else { return Ok(true) };
                let end = if toward_safe { safe.at.clone() } else { fails.at.clone() };
                if scale.step(&open.at, &end) == end {
                    break;
                }
                let next = scale.step(&open.at, &end);
                let least = Rational::from((&next - &open.at).complete().abs_ref());
                reach = reach.max(least);
                let far = if end > open.at { open.at.clone() + &reach } else { open.at.clone() - &reach };
                // What is as far away as the end is decided there.
                let beyond = if end > open.at { far >= end } else { far <= end };
                if beyond {
                    break;
                }
                let at = scale.between(&far, &open.at, &end);
                if self.look(&at, digits)?.is_none() {
                    break;
                }
                reach <<= 4;
            }
        }
        let (Some(safe), Some(fails)) = (&self.safe, &self.fails) else { return Ok(true) };
        let (low, high) = if self.grows { (safe, fails) } else { (fails, safe) };
        Ok(low.at < open.at && open.at < high.at)
    }

    /// Estimated distance from an undecided value to the next decidable one, from the width of its answer.
    fn blur(&self, open: &Point) -> Option<Rational> {
        let number = open.answer.outcome.number()?;
        let set = number.enclosure(128);
        let ends = [set.lower(), set.upper()].map(|end| {
            let end = enclosure::Number::Enclosed(Enclosure::new(end.clone(), end.clone()));
            self.oracle.gap(&end).map(f64::abs)
        });
        let [Some(a), Some(b)] = ends else { return None };
        let (safe, fails) = (self.safe.as_ref()?, self.fails.as_ref()?);
        let rise = (fails.gap? - safe.gap?).abs();
        let part = Rational::from_f64(1.5 * a.max(b) / rise)?;
        Some(Rational::from((&fails.at - &safe.at).complete().abs_ref()) * part)
    }

    /// Where the gap is zero, by interpolation in floating point.
    fn estimate(&self) -> Option<Rational> {
        let (safe, fails) = (self.safe.as_ref()?, self.fails.as_ref()?);
        let (gs, gf) = (safe.gap?, fails.gap?);
        let (s, f) = (&safe.at, &fails.at);
        let span = Rational::from(f - s);
        // Far apart in logarithms, else as a part of the bracket.
        let logs = !s.is_zero() && !f.is_zero() && width(s, f) > 0.3;
        let ln = |x: &Rational| Float::with_val(64, x).ln().to_f64();
        let place = |x: &Rational| {
            if logs { (ln(x) - ln(s)) / (ln(f) - ln(s)) } else { (Rational::from(x - s) / &span).to_f64() }
        };
        let secant = |(u, g): (f64, f64), (v, h): (f64, f64)| u - g * (v - u) / (h - g);
        let (near, far) = if gs.abs() < gf.abs() { ((0.0, gs), (1.0, gf)) } else { ((1.0, gf), (0.0, gs)) };
        let third = self.past.as_ref().and_then(|past| Some((place(&past.at), past.gap?)));
        let inside = |u: &f64| *u > 0.0 && *u < 1.0;
        let inverse = third.and_then(|third| inverse_quadratic([near, far, third])).filter(inside);
        let best = third.filter(|third| third.1.abs() < far.1.abs());
        let secants = [best.map(|third| secant(near, third)), Some(secant(near, far))];
        let u = inverse.or_else(|| secants.into_iter().flatten().find(inside))?;
        if logs {
            let x = (ln(s) + u * (ln(f) - ln(s))).portable_exp();
            return Rational::from_f64(x);
        }
        Some(s + span * Rational::from_f64(u)?)
    }
}

/// Where the parabola through three points, as a function of their heights, has the height zero.
fn inverse_quadratic(points: [(f64, f64); 3]) -> Option<f64> {
    let [(u, a), (v, b), (w, c)] = points;
    let sum = u * b * c / ((a - b) * (a - c)) + v * a * c / ((b - a) * (b - c)) + w * a * b / ((c - a) * (c - b));
    sum.is_finite().then_some(sum)
}

/// The width of a bracket, as a part of its larger end.
fn width(one: &Rational, other: &Rational) -> f64 {
    let high = one.max(other);
    if high.is_zero() {
        return 0.0;
    }
    (Rational::from((one - other).complete().abs_ref()) / high).to_f64().max(f64::MIN_POSITIVE)
}
