//! Probabilities and polygons, rounded up and down to few bits.

use rug::{Float, Integer, Rational};

use crate::error::Error;
use crate::pair::{TradeOff, Vertex};

/// Bits behind the point of what is rounded.
pub const BITS: u32 = 192;

/// The polygon through vertices of a trade-off function, or points nowhere below them, and the corners of the unit
/// square; rounded up.
pub fn raised(vertices: &[Vertex]) -> Result<TradeOff, Error> {
    let up = |x: &Rational| (-rounded(&Rational::from(-x))).min(Rational::from(1));
    TradeOff::below(&vertices.iter().map(|(alpha, beta)| (up(alpha), up(beta))).collect::<Vec<_>>())
}

/// A polygon nowhere above the trade-off function f that has these vertices, the largest type I error last, or some of
/// them in the middle and others on both sides, or points that are nowhere above them: rounded down.
///
/// Each vertex v of f has a point w here with no larger coordinates: itself rounded; for those left of the first one
/// `(0, beta_1)`, which is there; for those right of the last one `(alpha_n, 0)`. A point of f is a mean of two
/// vertices, and the same mean of their points w has no larger coordinates; the lower hull of these is nowhere above
/// it, and falls, so that it is nowhere above f.
pub fn lowered(vertices: &[Vertex]) -> Result<TradeOff, Error> {
    let down = |x: &Rational| rounded(x).max(Rational::new());
    let mut points: Vec<Vertex> = vertices.iter().map(|(alpha, beta)| (down(alpha), down(beta))).collect();
    if let Some((_, beta)) = points.first().cloned() {
        points.push((Rational::new(), beta));
    }
    if let Some((alpha, _)) = vertices.last() {
        points.push((down(alpha), Rational::new()));
    }
    TradeOff::below(&points)
}

/// A probability as a fraction of few bits: what is smaller than any that is rounded is 0, or the least of these.
pub fn fraction(end: &Float, upper: bool) -> Result<Rational, Error> {
    let least = Float::with_val(BITS, Float::i_exp(1, -(BITS as i32)));
    if *end < least {
        return Ok(if upper && *end > 0 { Rational::from(1) >> BITS } else { Rational::new() });
    }
    end.to_rational().ok_or_else(|| Error::undecided("a probability out of range"))
}

/// To so many bits, down.
pub fn rounded(value: &Rational) -> Rational {
    let scaled = Rational::from(value << BITS).floor();
    Rational::from((scaled.numer().clone(), Integer::from(1) << BITS))
}
