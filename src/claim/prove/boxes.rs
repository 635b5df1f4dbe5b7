//! Branch and bound: an inequality on a whole box of parameters, not on a grid.
//!
//! **What is certified.** `g >= 0` at every point of the box. On each part one of these holds:
//!
//! * the enclosure of g on the part is not negative;
//! * the mean value form is not: `g(c) + sum g_i (x_i - c_i)` with the enclosed gradient, around any point c of the
//!   part;
//! * the part lies at an edge where g vanishes to the order m, and the m-th derivative is not negative
//!   ([`super::edges`]).
//!
//! Where g is monotone in a variable, only the end that makes it least is looked at. Parts without a proof are halved.
//! **A counterexample** is a rational point of the box with g certainly negative.
//!
//! **Why it ends.** There is a largest number of parts. It counts work, not time, so that a verdict does not depend on
//! the machine.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::edges::{Edge, touching};
use super::numbers::Numbers;
use super::taylor::Taylor;
use crate::claim::formula::Formula;
use crate::error::Error;
use enclosure::{Enclosure, Number, Portable};

/// Bits of the search; the counterexample is confirmed with more.
const BITS: u32 = 80;

/// Bits that confirm a counterexample.
const FINE_BITS: u32 = 256;

/// One variable's range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// From here.
    pub lower: Rational,
    /// To here; without end if there is none.
    pub upper: Option<Rational>,
}

/// Bounds on the smallest value.
#[derive(Clone, Debug)]
pub struct Bound {
    /// No value is below.
    pub least: Number,
    /// Parts that were looked at.
    pub parts: usize,
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Search {
    /// It holds on the whole box.
    Proven(Bound),
    /// It fails at this point, where it has this value.
    Fails {
        /// The point.
        point: Vec<Rational>,
        /// The value there, certainly negative.
        value: Number,
    },
    /// The number of parts was not enough; this part was left.
    Undecided(String),
}

type Part = Vec<Enclosure>;

struct Prover<'a> {
    formula: &'a Formula,
    ranges: &'a [Range],
    edges: Vec<Edge>,
    numbers: Numbers,
}

/// Is a formula at least 0 on the box of these ranges? At most `most` parts are looked at.
pub fn nowhere_negative(formula: &Formula, ranges: &[Range], most: usize) -> Result<Search, Error> {
    let edges = touching(formula, ranges);
    let prover = Prover { formula, ranges, edges, numbers: Numbers { bits: BITS } };
    let mut open = vec![prover.whole()];
    let mut least: Option<Float> = None;
    let mut parts = 0;
    while let Some(part) = open.pop() {
        parts += 1;
        if parts > most {
            return Ok(Search::Undecided(format!("{most} parts were not enough; {} is undecided", shown(&part))));
        }
        match prover.look(part)? {
            Look::Holds(value) => {
                if least.as_ref().is_none_or(|least| value < *least) {
                    least = Some(value);
                }
            }
            Look::Fails(point) => {
                let point = prover.smaller(point)?;
                let value = prover.fine(&point)?;
                return Ok(Search::Fails { point, value });
            }
            // The half with the smaller values of the variable is looked at first.
            Look::Halves(low, high) => open.extend([high, low]),
        }
    }
    let least = least.filter(|value| *value > 0).map_or(Number::zero(), |value| Number::Enclosed(point(&value)));
    Ok(Search::Proven(Bound { least, parts }))
}

/// What a look at one part shows.
enum Look {
    /// Not negative; no value is below this.
    Holds(Float),
    /// Negative at this point.
    Fails(Vec<Rational>),
    /// Not yet.
    Halves(Part, Part),
}

impl Prover<'_> {
    fn whole(&self) -> Part {
        let end = |value: &Rational| Enclosure::rational(value, BITS);
        let part = |range: &Range| {
            let lower = end(&range.lower);
            let upper = range.upper.as_ref().map_or_else(
                || Enclosure::new(lower.upper().clone(), Float::with_val(BITS, rug::float::Special::Infinity)),
                end,
            );
            lower.hull(&upper)
        };
        self.ranges.iter().map(part).collect()
    }

    fn look(&self, mut part: Part) -> Result<Look, Error> {
        let value = self.value(&part)?;
        if *value.lower() >= 0 {
            return Ok(Look::Holds(value.lower().clone()));
        }
        if let Some(point) = self.negative(&centre(&part))? {
            return Ok(Look::Fails(point));
        }
        let mut slopes = self.gradient(&part)?;
        // Where it is monotone only the end counts that makes it least.
        let mut narrowed = false;
        for (i, slope) in slopes.iter_mut().enumerate() {
            let end = match slope.sign() {
                _ if part[i].is_point() => continue,
                Some(Ordering::Less) => part[i].upper(),
                Some(_) => part[i].lower(),
                None => continue,
            };
            if end.is_finite() {
                part[i] = point(end);
                *slope = Enclosure::zero(BITS);
                narrowed = true;
            }
        }
        if narrowed {
            let value = self.value(&part)?;
            if *value.lower() >= 0 {
                return Ok(Look::Holds(value.lower().clone()));
            }
            if let Some(point) = self.negative(&centre(&part))? {
                return Ok(Look::Fails(point));
            }
        }
        if let Some(least) = self.mean_value(&part, &slopes)? {
            return Ok(Look::Holds(least));
        }
        for edge in &self.edges {
            if self.holds_at(edge, &part)? {
                return Ok(Look::Holds(Float::new(BITS)));
            }
        }
        Ok(halves(&part, &slopes))
    }

    fn value(&self, part: &Part) -> Result<Enclosure, Error> {
        let variables: Vec<Number> = part.iter().map(|side| Number::Enclosed(side.clone())).collect();
        Ok(self.formula.evaluate(&self.numbers, &variables)?.enclosure(BITS))
    }

    /// The derivative in each direction, everywhere on the part.
    fn gradient(&self, part: &Part) -> Result<Vec<Enclosure>, Error> {
        let taylor = Taylor { base: &self.numbers, order: 1 };
        (0..part.len())
            .map(|moving| {
                if part[moving].is_point() {
                    return Ok(Enclosure::zero(BITS));
                }
                let series = self.series(&taylor, part, moving)?;
                Ok(series[1].enclosure(BITS))
            })
            .collect()
    }

    fn series(&self, taylor: &Taylor<Numbers>, part: &Part, moving: usize) -> Result<Vec<Number>, Error> {
        let variable = |(i, side): (usize, &Enclosure)| taylor.variable(&Number::Enclosed(side.clone()), i == moving);
        let variables: Vec<_> = part.iter().enumerate().map(variable).collect();
        self.formula.evaluate(taylor, &variables)
    }

    /// A lower bound from the mean value form, if it is not negative.
    fn mean_value(&self, part: &Part, slopes: &[Enclosure]) -> Result<Option<Float>, Error> {
        if part.iter().chain(slopes).any(|side| !side.is_bounded()) {
            return Ok(None);
        }
        let middle: Part = part.iter().map(|side| point(&middle(side))).collect();
        let mut value = self.value(&middle)?;
        for ((side, centre), slope) in part.iter().zip(&middle).zip(slopes) {
            value = value + slope * &(side - centre);
        }
        Ok((*value.lower() >= 0).then(|| value.lower().clone()))
    }

    /// Does the first derivative that does not vanish at an edge have the right sign on the part?
    fn holds_at(&self, edge: &Edge, part: &Part) -> Result<bool, Error> {
        let range = &self.ranges[edge.variable];
        let Some(end) = (if edge.lower { Some(&range.lower) } else { range.upper.as_ref() }) else { return Ok(false) };
        let side = &part[edge.variable];
        if !side.contains(end) || !side.is_bounded() {
            return Ok(false);
        }
        let taylor = Taylor { base: &self.numbers, order: edge.order };
        let series = self.series(&taylor, part, edge.variable)?;
        let last = series[edge.order].enclosure(BITS);
        // Above an upper end t is negative.
        let even = edge.lower || edge.order.is_multiple_of(2);
        Ok(if even { *last.lower() >= 0 } else { *last.upper() <= 0 })
    }

    /// The point, as a rational of the box, if the value there is certainly negative.
    fn negative(&self, point: &[Option<Rational>]) -> Result<Option<Vec<Rational>>, Error> {
        let Some(point) = point.iter().cloned().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let inside = point
            .iter()
            .zip(self.ranges)
            .all(|(value, range)| *value >= range.lower && range.upper.as_ref().is_none_or(|upper| value <= upper));
        if !inside {
            return Ok(None);
        }
        Ok((self.fine(&point)?.sign() == Some(Ordering::Less)).then_some(point))
    }

    fn fine(&self, point: &[Rational]) -> Result<Number, Error> {
        let variables: Vec<Number> = point.iter().map(|value| Number::Exact(value.clone())).collect();
        self.formula.evaluate(&Numbers { bits: FINE_BITS }, &variables)
    }

    /// A counterexample near a given one with a smaller first coordinate and short numbers, by halving the way down.
    fn smaller(&self, found: Vec<Rational>) -> Result<Vec<Rational>, Error> {
        let mut best = found;
        let fails = |point: &[Rational]| {
            let point: Vec<_> = point.iter().cloned().map(Some).collect();
            self.negative(&point)
        };
        // Short numbers first: those after the first coordinate, then it, as few digits as do.
        for i in (0..best.len()).rev() {
            for digits in 1..12 {
                let mut shorter = best.clone();
                shorter[i] = rounded(&best[i], digits);
                if fails(&shorter)?.is_some() {
                    best = shorter;
                    break;
                }
            }
        }
        let Some(first) = best.first().cloned() else { return Ok(best) };
        let (mut low, mut high) = (self.ranges[0].lower.clone(), first);
        for _ in 0..16 {
            let mut trial = best.clone();
            trial[0] = Rational::from(&low + &high) / 2u32;
            if fails(&trial)?.is_some() { high = trial[0].clone() } else { low = trial[0].clone() }
        }
        for digits in 1..12 {
            let mut trial = best.clone();
            trial[0] = rounded_up(&high, digits);
            if trial[0] <= best[0] && fails(&trial)?.is_some() {
                return Ok(trial);
            }
        }
        Ok(best)
    }
}

/// The two halves of a part, across the variable that matters most.
fn halves(part: &Part, slopes: &[Enclosure]) -> Look {
    let weight = |(side, slope): (&Enclosure, &Enclosure)| -> f64 {
        if side.is_point() {
            return -1.0;
        }
        let width = Float::with_val(53, side.upper() - side.lower()).to_f64();
        let steep = slope.abs().upper().to_f64();
        match (width.is_finite(), steep.is_finite()) {
            (false, _) => f64::INFINITY,
            // Nothing is known of the slope: the longest side first, before those that are known.
            (true, false) => 1e200 * (1.0 + width),
            (true, true) => width * steep,
        }
    };
    let widest = part.iter().zip(slopes).map(weight).enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    let i = widest.map_or(0, |(i, _)| i);
    let cut = cut(&part[i]);
    let (mut low, mut high) = (part.clone(), part.clone());
    low[i] = Enclosure::new(part[i].lower().clone(), cut.clone());
    high[i] = Enclosure::new(cut, part[i].upper().clone());
    Look::Halves(low, high)
}

/// Where a side is cut: in the middle, or where it is long, so that both parts are of a size of their own.
fn cut(side: &Enclosure) -> Float {
    let (low, high) = (side.lower(), side.upper());
    if high.is_infinite() {
        let twice = Float::with_val(BITS, low * 2u32);
        return if twice > 1 { twice } else { Float::with_val(BITS, 1) };
    }
    if *low > 0 && Float::with_val(BITS, low * 8u32) < *high {
        return Float::with_val(BITS, low * high).sqrt();
    }
    middle(side)
}

fn middle(side: &Enclosure) -> Float {
    if side.is_point() {
        return side.lower().clone();
    }
    Float::with_val(BITS, side.lower() + side.upper()) / 2u32
}

fn point(value: &Float) -> Enclosure {
    Enclosure::new(value.clone(), value.clone())
}

/// The point in the middle, where all sides are bounded.
fn centre(part: &Part) -> Vec<Option<Rational>> {
    part.iter().map(|side| cut(side).to_rational()).collect()
}

/// Rounds to `digits` significant decimal digits, to nearest.
fn rounded(value: &Rational, digits: u32) -> Rational {
    let scale = scale(value, digits);
    let scaled = Rational::from(value * &scale) + Rational::from((1, 2));
    scaled.floor() / scale
}

/// The same, upward.
fn rounded_up(value: &Rational, digits: u32) -> Rational {
    let scale = scale(value, digits);
    Rational::from(value * &scale).ceil() / scale
}

/// The power of ten that moves `digits` digits before the point.
fn scale(value: &Rational, digits: u32) -> Rational {
    let size = value.to_f64().abs().portable_log10().floor();
    let places = if size.is_finite() { f64::from(digits) - 1.0 - size } else { 0.0 };
    let power = |n: f64| Rational::from(rug::ops::Pow::pow(rug::Integer::from(10), n.clamp(0.0, 400.0) as u32));
    if places >= 0.0 { power(places) } else { power(-places).recip() }
}

fn shown(part: &Part) -> String {
    let sides = part.iter().map(|side| format!("[{:.6}, {:.6}]", side.lower().to_f64(), side.upper().to_f64()));
    sides.collect::<Vec<_>>().join(" x ")
}
