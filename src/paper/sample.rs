//! The points of a curve.
//!
//! Each is proven; what a picture draws between them is a straight line. A piecewise-linear trade-off function is taken
//! at its knots and nowhere else, so that this line is the function. Others are halved until the middle of each piece
//! is within a fraction of a point of the picture, which is a matter of looks and not of proof.

use rug::{Integer, Rational};

use super::data::{Curve, Names, Sampling, Scale, rational};
use super::source::{Asker, Source, Value};
use crate::compose::region;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::picture::Axis;
use crate::query::QuantityName;
use enclosure::decimal::{Side, double};
use enclosure::{Budget, Number, Portable, Real};

/// Digits of a point.
pub const DIGITS: u32 = 9;

/// Pieces to begin with, and how often each may be halved.
const PIECES: u32 = 24;
const HALVINGS: u32 = 7;

/// More lines than this are not joined to a picture.
const MOST_LINES: usize = 5000;

/// How far the middle of a piece may be from its chord, as a share of the picture.
const BEND: f64 = 3e-4;

/// One point.
#[derive(Clone, Debug)]
pub struct Point {
    /// To the right.
    pub x: Number,
    /// Upward.
    pub y: Number,
}

impl Point {
    /// Where it is drawn.
    pub fn place(&self) -> (f64, f64) {
        (middle(&self.x), middle(&self.y))
    }
}

fn middle(number: &Number) -> f64 {
    f64::midpoint(double(number, Side::Lower), double(number, Side::Upper))
}

/// Where a curve is drawn.
pub struct Frame<'a> {
    /// The axes.
    pub x: &'a Axis,
    /// The axes.
    pub y: &'a Axis,
    /// The ends of the curve.
    pub ends: (Rational, Rational),
}

/// The points of a curve, in order.
pub fn sample(curve: &Curve, frame: &Frame, asker: &Asker) -> Result<Vec<Point>, Error> {
    match &curve.sample {
        Sampling::Smooth => smooth(&curve.source, frame, asker),
        Sampling::Knots => knots(&curve.source),
        Sampling::Envelope(lines) => envelope(&curve.source, &spread(frame, *lines), asker),
        Sampling::Lines(epsilons) => {
            let epsilons = epsilons.iter().map(|text| text.get_ref().parse()).collect::<Result<Vec<_>, _>>()?;
            envelope(&curve.source, &epsilons, asker)
        }
        Sampling::Steps(step) => steps(&curve.source, &integers(frame, *step), asker),
        Sampling::At(places) => {
            let places = places.iter().map(rational).collect::<Result<Vec<_>, _>>()?;
            steps(&curve.source, &places, asker)
        }
    }
}

fn at(source: &Source, x: &dyn std::fmt::Display, asker: &Asker) -> Result<Option<Number>, Error> {
    let names = Names::from([("x".to_string(), x.to_string())]);
    match source.value(&names, DIGITS, asker, &|name, _| Err(Error::input(format!("there is no [{name}]"))))? {
        Value::Number(number) => Ok(Some(number)),
        // A gap in the curve.
        Value::Infinite | Value::Undefined(_) => Ok(None),
    }
}

fn smooth(source: &Source, frame: &Frame, asker: &Asker) -> Result<Vec<Point>, Error> {
    let (from, to) = &frame.ends;
    // A share of the way from end to end, as a place.
    let place = |numer: u64, denom: u64| -> Rational {
        let share = Rational::from((numer, denom));
        if numer == 0 {
            from.clone()
        } else if numer == denom {
            to.clone()
        } else if frame.x.logarithmic {
            let (a, b) = (from.to_f64().portable_ln(), to.to_f64().portable_ln());
            let value = (a + share.to_f64() * (b - a)).portable_exp();
            // Some decimal near it.
            super::printed::Printed::parse(&format!("{value:.6e}")).map_or_else(|_| from.clone(), |near| near.value)
        } else {
            from + share * Rational::from(to - from)
        }
    };
    let most = 1_u64 << HALVINGS;
    let whole = u64::from(PIECES) * most;
    let ask = |index: u64| -> Result<Option<(u64, Point)>, Error> {
        let x = place(index, whole);
        Ok(at(source, &x, asker)?.map(|y| (index, Point { x: Number::Exact(x), y })))
    };
    let share = |axis: &Axis, value: f64| {
        let (low, high) = axis.ends();
        ((axis.place(value) - low) / (high - low)).clamp(-0.1, 1.1)
    };
    let drawn = |point: &Point| {
        let (x, y) = point.place();
        (share(frame.x, x), share(frame.y, y))
    };
    let mut points: Vec<(u64, Point)> = Vec::new();
    let mut before: Option<(u64, Point)> = None;
    for piece in 0..=u64::from(PIECES) {
        let end = ask(piece * most)?;
        if let (Some(a), Some(b)) = (&before, &end) {
            // Halves that are still to be looked at, the leftmost last.
            let mut open = vec![(a.clone(), b.clone())];
            while let Some((a, b)) = open.pop() {
                let middle = if b.0 - a.0 > 1 { ask(a.0.midpoint(b.0))? } else { None };
                let straight = match &middle {
                    None => true,
                    Some((_, middle)) => bend(drawn(&a.1), drawn(middle), drawn(&b.1)) < BEND,
                };
                match middle {
                    Some(middle) if !straight => {
                        open.push((middle.clone(), b));
                        open.push((a, middle));
                    }
                    middle => {
                        points.push(a);
                        points.extend(middle);
                        points.push(b);
                    }
                }
            }
        } else if let Some(end) = &end {
            points.push(end.clone());
        }
        before = end;
    }
    points.dedup_by_key(|(index, _)| *index);
    Ok(points.into_iter().map(|(_, point)| point).collect())
}

/// How far the middle point is from the chord, in shares of the picture.
fn bend(a: (f64, f64), middle: (f64, f64), b: (f64, f64)) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx.portable_hypot(dy);
    if length == 0.0 {
        return (middle.0 - a.0).portable_hypot(middle.1 - a.1);
    }
    ((middle.0 - a.0) * dy - (middle.1 - a.1) * dx).abs() / length
}

/// Every `step`-th integer in the range.
fn integers(frame: &Frame, step: u32) -> Vec<Rational> {
    let first = Integer::from(frame.ends.0.ceil_ref());
    let next = |x: &Integer| Some(Integer::from(x + step));
    std::iter::successors(Some(first), next).map(Rational::from).take_while(|x| *x <= frame.ends.1).collect()
}

fn steps(source: &Source, places: &[Rational], asker: &Asker) -> Result<Vec<Point>, Error> {
    let mut points = Vec::new();
    for here in places {
        if let Some(y) = at(source, here, asker)? {
            points.push(Point { x: Number::Exact(here.clone()), y });
        }
    }
    Ok(points)
}

/// One of the lines `1 - delta - x alpha` that a trade-off function lies above.
pub struct Line {
    /// `x = e^epsilon >= 1`.
    slope: Number,
    /// `1 - delta`.
    intercept: Number,
}

fn knots(source: &Source) -> Result<Vec<Point>, Error> {
    match (source.quantity(), source.mechanism()) {
        (Some(QuantityName::Beta), Some(mechanism)) => {
            vertices(&Composition::parse_closed(mechanism)?, &Budget::default())
        }
        _ => Err(Error::input("knots are available only for the beta of a composition")),
    }
}

/// The corners of the trade-off function of a composition of (epsilon, delta) mechanisms, from alpha = 0 to 1.
///
/// Its region is the intersection of those of finitely many (epsilon_i, delta_i), of which each, at the least delta,
/// touches: so the corners are where neighbouring lines `1 - delta_i - e^epsilon_i alpha` meet, and their mirror
/// images.
pub fn vertices(composition: &Composition, budget: &Budget) -> Result<Vec<Point>, Error> {
    let bits = enclosure::bits_of_digits(2 * DIGITS) + 64;
    let mut lines = Vec::new();
    region::pairs(composition, 3 * DIGITS, budget, &mut |pair| {
        if lines.len() >= MOST_LINES {
            return Err(Error::undecided(format!("a picture shows at most {MOST_LINES} vertices")));
        }
        let slope = pair.epsilon.exp_number(bits);
        lines.push(Line { slope, intercept: &Number::one() - &pair.delta });
        Ok(())
    })?;
    Ok(polygon(&lines))
}

/// The corners of the upper envelope of lines of falling slope, their mirror images, and zero. Each line is taken to
/// touch the envelope.
fn polygon(lines: &[Line]) -> Vec<Point> {
    let Some(first) = lines.first() else { return Vec::new() };
    let mut left = vec![Point { x: Number::zero(), y: first.intercept.clone() }];
    let mut steepest = first;
    for line in lines.get(1..).unwrap_or_default() {
        let x = (&steepest.intercept - &line.intercept) / (&steepest.slope - &line.slope);
        let corner = Point { y: &steepest.intercept - &(&steepest.slope * &x), x };
        // Beyond the diagonal the mirror images are above.
        if middle(&corner.x) > middle(&corner.y) {
            break;
        }
        left.push(corner);
        steepest = line;
    }
    // On the diagonal, unless the last line is its own mirror image.
    let centre = (steepest.slope.exact() != Some(&Rational::from(1))).then(|| {
        let x = &steepest.intercept / &(&steepest.slope + &Number::one());
        Point { x: x.clone(), y: x }
    });
    let right: Vec<Point> = left.iter().rev().map(|point| Point { x: point.y.clone(), y: point.x.clone() }).collect();
    let end = Point { x: Number::one(), y: Number::zero() };
    left.into_iter().chain(centre).chain(right).chain([end]).collect()
}

/// `count` evenly spaced epsilons over the range.
fn spread(frame: &Frame, count: u32) -> Vec<Real> {
    let (from, to) = &frame.ends;
    let place = |index| from + Rational::from((index, count)) * Rational::from(to - from);
    (0..=count).map(|index| Real::from(place(index))).collect()
}

/// The envelope of the lines of a profile, which may be any bound of one: a line may lie below the others everywhere.
fn envelope(source: &Source, epsilons: &[Real], asker: &Asker) -> Result<Vec<Point>, Error> {
    let mut lines: Vec<Line> = Vec::new();
    for epsilon in epsilons.iter().rev() {
        let Some(delta) = at(source, epsilon, asker)? else { continue };
        let slope = epsilon.exp_number(enclosure::bits_of_digits(2 * DIGITS) + 64);
        let line = Line { slope, intercept: &Number::one() - &delta };
        // Lines come flatter and flatter: the one before is of no use where this one meets the last but one earlier.
        while let [.., a, b] = lines.as_slice() {
            let meet = |a: &Line, b: &Line| middle(&((&a.intercept - &b.intercept) / (&a.slope - &b.slope)));
            if meet(a, &line) < meet(a, b) {
                lines.pop()
            } else {
                break;
            };
        }
        lines.push(line);
        // One that is above the first at 0 already leaves nothing to it.
        while let [a, b] = lines.as_slice() {
            if middle(&b.intercept) >= middle(&a.intercept) { drop(lines.remove(0)) } else { break }
        }
    }
    Ok(polygon(&lines))
}

/// Both ends of a curve: its own, or those of the axis.
pub fn ends(curve: &Curve, x: &Scale) -> Result<(Rational, Rational), Error> {
    Ok((rational(curve.from.as_ref().unwrap_or(&x.from))?, rational(curve.to.as_ref().unwrap_or(&x.to))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};
    use crate::query::{Quantity, Query};

    /// The corners are on the function, and so is the middle between neighbours: there is no corner between them.
    #[test]
    fn vertices_are_the_knots_of_beta() {
        for mechanism in [
            "approx-dp(epsilon=ln(3/2), delta=1/10)^4",
            "randomized-response(epsilon=ln(2))^3",
            "approx-dp(epsilon=ln(3/2), delta=1/10) * randomized-response(epsilon=ln(3))^2",
        ] {
            let composition = Composition::parse_closed(mechanism).unwrap();
            let points = vertices(&composition, &Budget::default()).unwrap();
            let beta = |alpha: Rational| {
                let quantity = Quantity::Beta { alpha: Real::from(alpha) };
                match answer(&Query::new(quantity, composition.clone()), &Budget::default()).unwrap().outcome {
                    Outcome::Exact(value) => value.value().clone(),
                    other => panic!("{other:?}"),
                }
            };
            let exact: Vec<(Rational, Rational)> = points
                .iter()
                .map(|point| (point.x.exact().unwrap().clone(), point.y.exact().unwrap().clone()))
                .collect();
            assert!(exact.len() > 5, "{exact:?}");
            for (x, y) in &exact {
                assert_eq!(beta(x.clone()), *y, "{mechanism} at {x}");
            }
            for pair in exact.windows(2) {
                let half = |a: &Rational, b: &Rational| Rational::from(a + b) / 2u32;
                assert_eq!(beta(half(&pair[0].0, &pair[1].0)), half(&pair[0].1, &pair[1].1), "{mechanism}");
            }
        }
    }
}
