//! Certified maximum of a concave function from its values alone.
//!
//! **What is certified.** Let G be concave in `y = e^t > 0`. Its value at any point is at most the maximum. From above:
//! between two points with certainly smaller values than a third one that lies between, there is the maximum, and
//! everywhere else G is less than at the third point. In the gap between two neighbours G lies below every line
//! through two points that are both to the left of the gap or both to the right, as far as that line is extended over
//! the gap (the ends of the gap count as points). This needs nothing of G but concavity: kinks are allowed.
//!
//! **How it is found.** A golden section gives the neighbourhood. From there on four points at distance h around a
//! guess give two chords. Where the slope between them vanishes if it is linear, and where the two lines meet, G is
//! evaluated too: the first is the maximum up to `h^2` if G is smooth, the second if it has a kink there, and the lines
//! are above G by the order of `h^2`. So about half of the bits have to be found, each round doubles them, and G need
//! not be evaluated to more than its own bits, since slopes are multiplied by the distances that they were divided by.
//!
//! **Where it is.** The greatest value is taken between the nearest points on either side whose values are certainly
//! less than that of a point between them, and nowhere else: a concave function that has fallen goes on falling. What
//! is found on the way says where, of a smooth top to a quarter of the bits of the value or more.
//!
//! **Why it ends.** A fixed number of rounds; what they miss stays in the enclosure, and more bits may be asked for.

use std::cmp::Ordering;

use rug::{Float, Rational};

use crate::{Budget, Enclosure, Error};

/// Bits of the first search.
const COARSE_BITS: u32 = 96;
/// Steps of the first search.
const COARSE_STEPS: u32 = 300;
/// Rounds of four points.
const ROUNDS: u32 = 100;
/// Rounds that may gain nothing.
const IDLE: u32 = 8;
/// Points on one side of a gap that lines are drawn from.
const FAR: usize = 4;

/// A value.
#[derive(Clone)]
struct Point {
    t: Float,
    y: Enclosure,
    value: Enclosure,
    /// The precision at which it was evaluated.
    bits: u32,
}

impl Point {
    fn middle(&self) -> Float {
        middle(&self.value)
    }
}

fn middle(set: &Enclosure) -> Float {
    Float::with_val(set.bits(), set.lower() + set.upper()) / 2u32
}

/// Maximum of a concave function of `e^t`.
#[derive(Clone, Debug)]
pub struct Peak {
    /// The value.
    pub value: Enclosure,
    /// An enclosure of every t at which the maximum is attained; `None` if no lower points on both sides were found.
    pub place: Option<Enclosure>,
}

/// What is asked for values: one code for all functions, for the time is spent in them.
type Value<'a> = dyn Fn(&Rational, u32) -> Result<Enclosure, Error> + 'a;

/// The points so far, by place.
struct Search<'a> {
    value: &'a Value<'a>,
    budget: &'a Budget,
    points: Vec<Point>,
    /// The least precision of the stencils.
    least_bits: u32,
}

/// An enclosure, to about `bits` bits, of the maximum over all real t of a positive concave function of `e^t`. The
/// maximum must lie in the range; `value(t, bits)` encloses the function at the exact number t.
pub fn concave_maximum(
    range: (Float, Float),
    bits: u32,
    budget: &Budget,
    value: impl Fn(&Rational, u32) -> Result<Enclosure, Error>,
) -> Result<Enclosure, Error> {
    Ok(concave_peak(range, bits, budget, value)?.value)
}

/// Like [`concave_maximum`], with the place of the maximum.
///
/// # Errors
/// As above.
pub fn concave_peak(
    range: (Float, Float),
    bits: u32,
    budget: &Budget,
    value: impl Fn(&Rational, u32) -> Result<Enclosure, Error>,
) -> Result<Peak, Error> {
    let mut search = Search { value: &value, budget, points: Vec::new(), least_bits: COARSE_BITS };
    let (centre, step) = search.neighbourhood(range)?;
    let largest = step.clone();
    greatest(search, (centre, step, largest), bits)
}

/// Like [`concave_peak`], starting from a guess of the place with an approximate error. A wrong guess costs time, but
/// the result is still certified.
///
/// # Errors
/// As above.
pub fn concave_peak_about(
    (centre, off): (f64, f64),
    bits: u32,
    budget: &Budget,
    value: impl Fn(&Rational, u32) -> Result<Enclosure, Error>,
) -> Result<Peak, Error> {
    let search = Search { value: &value, budget, points: Vec::new(), least_bits: bits.saturating_add(16) };
    let float = |x: f64| Float::with_val(COARSE_BITS, x);
    greatest(search, (float(centre), float(off), float(off.max(0.25))), bits)
}

fn greatest(
    mut search: Search<'_>,
    (mut centre, mut step, largest): (Float, Float, Float),
    bits: u32,
) -> Result<Peak, Error> {
    let budget = search.budget;
    // The loop that asks allows for bits that are lost on the way.
    let goal = i64::from(bits - (bits / 4).min(20));
    let mut before: Option<Float> = None;
    let mut proven = Enclosure::whole(bits);
    let (mut idle, mut away, mut precise) = (0, 0u32, false);
    for round in 1..=ROUNDS {
        // The values differ by about the square of the step.
        let small = step.get_exp().map_or(0, |exponent| exponent.saturating_neg().max(0).unsigned_abs());
        let most = bits.saturating_add(48).max(COARSE_BITS);
        let working = small.saturating_mul(2).saturating_add(if search.least_bits < COARSE_BITS { 24 } else { 80 });
        let working = if precise { most } else { working.max(search.least_bits).min(most) };
        if precise {
            search.sharpen(most)?;
        }
        let stencil = search.stencil(&centre, &step, working)?;
        let best = stencil.iter().max_by(|a, b| a.value.lower().total_cmp(b.value.lower()));
        let Some(best) = best.map(|best| best.t.clone()) else { break };
        let known = proven.relative_bits();
        if let Some(bounds) = search.bounds(working) {
            proven = proven.meet(&bounds, "greatest value of a concave function")?;
        }
        let now = proven.relative_bits();
        if now.is_some_and(|now| now >= goal) {
            budget.note("rounds of four points", round);
            budget.note("points of the profile", search.points.len());
            break;
        }
        let outside = [stencil.first(), stencil.get(3)].iter().flatten().any(|end| end.t == best);
        idle = if now > known { 0 } else { idle + u32::from(!outside) };
        // Flat tops and lucky guesses: it is the values that are not known better.
        precise = idle > 0 || now.is_some_and(|now| now.saturating_add(32) >= i64::from(working));
        if idle > IDLE {
            break;
        }
        if outside {
            // The maximum is not between: go there, in growing steps, for a kink next to one of the points may have
            // made the last guess look much better than it was.
            away = (2 * away).clamp(1, 64);
            step = Float::with_val(64, &step << away).min(&largest);
            before = None;
        } else {
            away = 0;
            let moved = Float::with_val(64, &best - &centre).abs();
            let quarter = Float::with_val(64, &step >> 2u32);
            // The last guess was as far away as a multiple of the square of the last step.
            let mut next = match &before {
                Some(before) => {
                    let ratio = Float::with_val(64, &step / before).square();
                    Float::with_val(64, &moved * ratio) << 2u32
                }
                None => quarter.clone(),
            };
            let least = Float::with_val(64, step.square_ref()) / &largest;
            next = next.max(&(least >> 4u32));
            // No smaller than it need be: the bounds come together with the square of the step.
            if let Some(now) = now {
                let more = u32::try_from((goal - now + 6).max(0) / 2).unwrap_or(u32::MAX);
                next = next.max(&Float::with_val(64, &step >> more));
            }
            before = Some(step);
            step = next.min(&quarter);
        }
        centre = best;
    }
    Ok(Peak { value: proven, place: search.place() })
}

impl Search<'_> {
    /// Evaluate at t.
    fn point(&mut self, t: Float, bits: u32) -> Result<Point, Error> {
        self.budget.check()?;
        let at = t.to_rational().ok_or_else(|| Error::Undecided("a threshold is out of range".into()))?;
        let value = (self.value)(&at, bits)?;
        let wide = bits.max(t.prec());
        let y = Enclosure::new(t.clone(), t.clone()).with_bits(wide).exp();
        let point = Point { t, y, value, bits };
        let place = self.points.partition_point(|other| other.t < point.t);
        match self.points.get_mut(place) {
            Some(other) if other.t == point.t => *other = point.clone(),
            _ => self.points.insert(place, point.clone()),
        }
        Ok(point)
    }

    /// Evaluate again, at more bits, what may be the maximum: on a flat top many points may.
    fn sharpen(&mut self, bits: u32) -> Result<(), Error> {
        let Some(top) = self.points.iter().max_by(|a, b| a.value.lower().total_cmp(b.value.lower())) else {
            return Ok(());
        };
        let near = |point: &&Point| point.bits < bits && point.value.compare(&top.value) != Some(Ordering::Less);
        let again: Vec<Float> = self.points.iter().filter(near).map(|point| point.t.clone()).collect();
        for t in again {
            self.point(t, bits)?;
        }
        Ok(())
    }

    /// A point near the maximum, and how near.
    fn neighbourhood(&mut self, (low, high): (Float, Float)) -> Result<(Float, Float), Error> {
        let section = |from: &Float, to: &Float| {
            let part = Float::with_val(COARSE_BITS, to - from) * 0.381_966_011_250_105_f64;
            Float::with_val(COARSE_BITS, from + part)
        };
        // The function is linear beyond the range: a kink at an end of it has a point behind.
        let spare = Float::with_val(COARSE_BITS, &high - &low) / 16u32;
        let (low, high) = (Float::with_val(COARSE_BITS, &low - &spare), Float::with_val(COARSE_BITS, &high + &spare));
        for outer in [Float::with_val(COARSE_BITS, &low - &spare), Float::with_val(COARSE_BITS, &high + &spare)] {
            self.point(outer, COARSE_BITS)?;
        }
        let (inner_low, inner_high) = (section(&low, &high), section(&high, &low));
        let mut a = self.point(low, COARSE_BITS)?;
        let mut d = self.point(high, COARSE_BITS)?;
        let mut b = self.point(inner_low, COARSE_BITS)?;
        let mut c = self.point(inner_high, COARSE_BITS)?;
        for _ in 0..COARSE_STEPS {
            let left = b.middle() >= c.middle();
            let best = if left { b.middle() } else { c.middle() };
            let drop = Float::with_val(64, &best - a.middle().min(&d.middle()));
            if best > 0 && Float::with_val(64, &drop << 3u32) <= best {
                break;
            }
            if left {
                d = c;
                c = b;
                b = self.point(section(&a.t, &d.t), COARSE_BITS)?;
            } else {
                a = b;
                b = c;
                c = self.point(section(&d.t, &a.t), COARSE_BITS)?;
            }
        }
        let step = Float::with_val(64, &d.t - &a.t) / 4u32;
        Ok((if b.middle() >= c.middle() { b.t } else { c.t }, step))
    }

    /// Four points around a guess, in order, then the two guesses that they make.
    fn stencil(&mut self, centre: &Float, step: &Float, bits: u32) -> Result<Vec<Point>, Error> {
        let wide = bits.saturating_add(32);
        let mut points = Vec::new();
        for halves in [-3, -1, 1, 3] {
            let away = Float::with_val(wide, step * halves) / 2u32;
            points.push(self.point(Float::with_val(wide, centre + away), bits)?);
        }
        if let [a, b, c, d] = points.as_slice() {
            let [at_a, at_b, at_c, at_d] = [a, b, c, d].map(|point| middle(&point.y));
            let [value_a, value_b, value_c, value_d] = [a, b, c, d].map(Point::middle);
            let sub = |x: &Float, y: &Float| Float::with_val(wide, x - y);
            let rise = sub(&value_b, &value_a) / sub(&at_b, &at_a);
            let fall = sub(&value_d, &value_c) / sub(&at_d, &at_c);
            let bend = sub(&rise, &fall);
            let ends = (a.t.clone(), d.t.clone());
            let mut guesses = Vec::new();
            if bend > 0 {
                // Where the slope, taken as linear between the middles of both pairs, is zero.
                let from = Float::with_val(wide, &at_a + &at_b) / 2u32;
                let to = Float::with_val(wide, &at_c + &at_d) / 2u32;
                let part = Float::with_val(wide, &rise / &bend);
                guesses.push(Float::with_val(wide, &from + sub(&to, &from) * part));
                // Where the two lines meet.
                let left = Float::with_val(wide, &rise * &at_b);
                let right = Float::with_val(wide, &fall * &at_c);
                let meet = (sub(&value_c, &value_b) + sub(&left, &right)) / &bend;
                guesses.push(meet);
            }
            for guess in guesses {
                let t = guess.ln();
                if t.is_finite() && t > ends.0 && t < ends.1 {
                    points.push(self.point(t, bits)?);
                }
            }
        }
        Ok(points)
    }

    /// Where the greatest value is: between points that are certainly lower than one between them. (Bounds of any
    /// precision count here, for the values compared are whole intervals.)
    fn place(&self) -> Option<Enclosure> {
        let points = &self.points;
        let (best, top) =
            points.iter().enumerate().max_by(|(_, a), (_, b)| a.value.lower().total_cmp(b.value.lower()))?;
        let lower = |point: &Point| point.value.compare(&top.value) == Some(Ordering::Less);
        let before = points.get(..best)?.iter().rfind(|point| lower(point))?;
        let after = points.get(best..)?.iter().find(|point| lower(point))?;
        Some(Enclosure::new(before.t.clone(), after.t.clone()))
    }

    /// What the points prove; those that are known to fewer bits count only outside of the others, for a value near the
    /// maximum is no use if it is a coarse one.
    fn bounds(&self, bits: u32) -> Option<Enclosure> {
        let fine = |point: &Point| point.bits >= bits;
        let first = self.points.iter().position(fine)?;
        let last = self.points.iter().rposition(fine)?;
        let all = self.points.iter().enumerate();
        let points: Vec<&Point> =
            all.filter(|(i, point)| fine(point) || *i < first || *i > last).map(|(_, point)| point).collect();
        let (best, top) =
            points.iter().enumerate().max_by(|(_, a), (_, b)| a.value.lower().total_cmp(b.value.lower()))?;
        let top = &top.value;
        let smaller = |point: &&Point| point.value.compare(top) == Some(Ordering::Less);
        let before = points.get(..best)?.iter().rposition(smaller)?;
        let after = points.get(best..)?.iter().position(smaller)? + best;
        let mut upper = top.clone();
        for gap in before..after {
            upper = upper.max(&ceiling(&points, gap)?);
        }
        Some(Enclosure::new(top.lower().clone(), upper.upper().clone()))
    }
}

/// An upper bound in the gap after a point.
///
/// With slopes `r` of a line from the left and `s` of one from the right, both rising into the gap of width w, and the
/// values u and v at its ends: `G <= u + r x` and `G <= v + s (w - x)`, so `G <= u + max(r, 0) w`,
/// `G <= v + max(s, 0) w`, and, the sum weighted by `s` and `r`, `(r + s) G <= s u + r v + r s w` for positive r and s.
fn ceiling(points: &[&Point], gap: usize) -> Option<Enclosure> {
    let (left, right) = (points.get(gap)?, points.get(gap + 1)?);
    let width = &right.y - &left.y;
    let slope = |near: &Point, far: &Point| {
        let run = (&near.y - &far.y).abs();
        let slope = &(&near.value - &far.value) / &run;
        // Only the upper end is of use: as a point it makes no bound worse.
        Some(slope.upper().clone()).filter(|slope| slope.is_finite()).map(|s| Enclosure::new(s.clone(), s))
    };
    let least = |a: Enclosure, b: Enclosure| if a.lower() <= b.lower() { a } else { b };
    let others = points.get(..gap)?.iter().rev().take(FAR);
    let rise = others.filter_map(|far| slope(left, far)).reduce(least);
    let others = points.get(gap + 2..)?.iter().take(FAR);
    let fall = others.filter_map(|far| slope(right, far)).reduce(least);
    let mut bounds = Vec::new();
    if let Some(rise) = &rise {
        bounds.push(&left.value + &(&rise.positive_part() * &width));
    }
    if let Some(fall) = &fall {
        bounds.push(&right.value + &(&fall.positive_part() * &width));
    }
    if let (Some(r), Some(s)) = (&rise, &fall)
        && *r.lower() > 0
        && *s.lower() > 0
    {
        let sum = &(&(s * &left.value) + &(r * &right.value)) + &(&(r * s) * &width);
        bounds.push(&sum / &(r + s));
    }
    bounds.into_iter().reduce(|a, b| if a.upper() <= b.upper() { a } else { b })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a rational")
    }

    fn float(value: f64) -> Float {
        Float::with_val(53, value)
    }

    /// Values that are of another function at each precision: two bounds of one maximum that do not meet.
    #[test]
    fn bounds_that_do_not_meet_are_an_alarm() {
        let budget = Budget::default();
        let wrong = |t: &Rational, bits: u32| {
            let y = Enclosure::rational(t, bits).exp();
            let top = Enclosure::integer(&rug::Integer::from(u64::from(bits) * u64::from(bits)), bits);
            Ok(&top - &(&y - &Enclosure::rational(&rational("7/5"), bits)).square())
        };
        let found = concave_maximum((float(-3.0), float(2.0)), 300, &budget, wrong);
        assert!(found.is_err_and(|error| error.is_alarm()));
    }

    /// Smooth tops, kinks, tops that are flat, tops at an end of the range.
    #[test]
    fn greatest_values() {
        let budget = Budget::default();
        let number = |text: &str, bits: u32| Enclosure::rational(&rational(text), bits);
        type Case<'a> = (&'a str, Box<dyn Fn(&Enclosure, u32) -> Enclosure + 'a>, Enclosure);
        let cases: Vec<Case> = vec![
            (
                "parabola",
                Box::new(|y, bits| &number("1", bits) - &(y - &number("7/5", bits)).square()),
                number("1", 300),
            ),
            ("kink", Box::new(|y, bits| y.min(&(&number("4", bits) - &y.mul_u32(3)))), number("1", 300)),
            (
                "steep kink",
                Box::new(|y, bits| y.mul_u32(1000).min(&(&number("3", bits) - &y.div_u32(7)))),
                number("21000/7001", 300),
            ),
            (
                "flat",
                Box::new(|y, bits| y.min(&number("2/3", bits)).min(&(&number("5", bits) - y))),
                number("2/3", 300),
            ),
            ("entropy", Box::new(|y, _| -(y * &y.ln())), (-Enclosure::one(300)).exp()),
            (
                "kink of a curve",
                Box::new(|y, bits| {
                    let curve = &number("2", bits) - &(y - &number("1", bits)).square();
                    curve.min(&(&number("3", bits) - &(y + &y.square())))
                }),
                // They meet at y = 2/3.
                number("17/9", 300),
            ),
            ("end", Box::new(|y, bits| y.mul_u32(9).min(&(&number("10", bits) - y))), number("9", 300)),
        ];
        for (name, function, greatest) in cases {
            let (low, high) = if name == "end" { (0.0, 3.0) } else { (-8.0, 1.5) };
            for bits in [60, 160, 400] {
                let value = |t: &Rational, bits: u32| Ok(function(&Enclosure::rational(t, bits + 16).exp(), bits));
                let found = concave_maximum((float(low), float(high)), bits, &budget, value).unwrap();
                assert!(found.overlaps(&greatest), "{name} {bits}: {found:?}");
                assert!(found.relative_bits() >= Some(i64::from(bits) - 24), "{name} {bits}: {found:?}");
            }
        }
    }

    /// Every place of the greatest value is enclosed, a smooth top the closer the more bits are asked for; and from a
    /// guess as well.
    #[test]
    fn places_of_greatest_values() {
        let budget = Budget::default();
        let number = |text: &str, bits: u32| Enclosure::rational(&rational(text), bits);
        type Case<'a> = (&'a str, Box<dyn Fn(&Enclosure, u32) -> Enclosure + 'a>, [&'a str; 2]);
        let cases: Vec<Case> = vec![
            ("parabola", Box::new(|y, bits| &number("1", bits) - &(y - &number("7/5", bits)).square()), ["7/5", "7/5"]),
            ("kink", Box::new(|y, bits| y.min(&(&number("4", bits) - &y.mul_u32(3)))), ["1", "1"]),
            ("flat", Box::new(|y, bits| y.min(&number("2/3", bits)).min(&(&number("5", bits) - y))), ["2/3", "13/3"]),
        ];
        for (name, function, ends) in cases {
            for bits in [60, 160] {
                let value = |t: &Rational, bits: u32| Ok(function(&Enclosure::rational(t, bits + 16).exp(), bits));
                let whole = concave_peak((float(-8.0), float(1.5)), bits, &budget, value).unwrap();
                let near = concave_peak_about((0.3, 0.1), bits, &budget, value).unwrap();
                for found in [whole, near] {
                    // Within a flat top nothing is lower, and where it ends is not known.
                    let Some(place) = found.place else {
                        assert_eq!(name, "flat", "{bits}");
                        continue;
                    };
                    let place = place.exp();
                    assert!(ends.iter().all(|end| place.contains(&rational(end))), "{name} {bits}: {place:?}");
                    if name == "parabola" {
                        assert!(place.relative_bits() >= Some(i64::from(bits) / 4), "{name} {bits}: {place:?}");
                    }
                }
            }
        }
        // What rises on and on has no place.
        let line = |t: &Rational, bits: u32| Ok(Enclosure::rational(t, bits).exp());
        assert!(concave_peak((float(-1.0), float(1.0)), 60, &budget, line).unwrap().place.is_none());
    }

    /// Few bits of the values leave a wide answer, never a wrong one.
    #[test]
    fn greatest_values_of_noisy_functions() {
        let budget = Budget::default();
        for noise in [10, 20, 40] {
            let value = |t: &Rational, _: u32| {
                let y = Enclosure::rational(t, 200).exp();
                let exact = &Enclosure::one(200) - &(&y - &Enclosure::one(200)).square();
                // The truth is at one end of what is said.
                Ok(exact.hull(&(&exact + &Enclosure::one(200).shift(-noise))))
            };
            let found = concave_maximum((float(-3.0), float(2.0)), 100, &budget, value).unwrap();
            assert!(found.contains(&Rational::from(1)), "{noise}: {found:?}");
        }
    }
}
