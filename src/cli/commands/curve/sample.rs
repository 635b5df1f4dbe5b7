//! Sample points of a picture.
//!
//! Trade-off functions are convex, and profiles are convex in `u = e^epsilon`; both fall. So between neighbouring
//! points the curve is below their chord and the height of the left one, and above what is left of the lines through
//! the two points before, the two points after, and the height of the right one. That is certain of the enclosures, not
//! of their middles: an upper line goes through upper ends, and a lower one is as steep as both enclosures allow. How
//! far the drawn line, straight on the paper, is from both bounds is what it may be wrong by. Where that can be seen,
//! the middle is asked for. Nothing is taken for smooth, and what is straight takes few points.
//!
//! Bounds that follow from guarantees need not be convex, nor tails of the privacy loss: for them the same rule chooses
//! points and promises nothing.

use rug::Rational;

use super::super::super::args::CurveKind;
use super::super::super::failure::Failure;
use super::parallel::in_parallel;
use crate::picture::Axis;
use enclosure::decimal::{Side, double};
use enclosure::{Portable, Real};

/// Digits of a point: a picture shows four.
pub const DIGITS: u32 = 8;

/// The most points of a curve.
pub const MOST: usize = 400;

/// Pieces to begin with.
const PIECES: u32 = 16;

/// The height and the width of the inside of a picture, in points, about.
const SIZE: f64 = 400.0;

/// Invisible distance, in points.
const FINE: f64 = 0.1;

/// Visible distance, in points.
const SEEN: f64 = 0.5;

/// Pieces narrower than this are not looked into, in points.
const NARROW: f64 = 0.02;

/// Places between neighbours where both bounds are compared with the line.
const LOOKS: u32 = 8;

/// One point of a curve.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Where it is, about.
    pub place: f64,
    /// The value is at least that.
    pub lower: f64,
    /// And at most that.
    pub upper: f64,
}

impl Spot {
    /// The drawn value: the middle of the enclosure.
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.lower, self.upper)
    }
}

/// The double next to a constant.
pub fn place(x: &Real) -> f64 {
    let number = x.number(64);
    f64::midpoint(double(&number, Side::Lower), double(&number, Side::Upper))
}

/// The axes, and what is drawn.
pub struct Frame<'a> {
    pub x: &'a Axis,
    pub y: &'a Axis,
    pub kind: CurveKind,
}

impl Frame<'_> {
    /// How high a value is, in points; what is far outside is a little outside.
    fn height(&self, y: f64) -> f64 {
        let (low, high) = self.y.ends();
        SIZE * ((self.y.place(y) - low) / (high - low)).clamp(-0.1, 1.1)
    }

    fn across(&self, x: f64) -> f64 {
        let (low, high) = self.x.ends();
        SIZE * (x - low) / (high - low)
    }

    /// Where the curve is convex: `alpha`, or `e^epsilon` in units of that of another point.
    fn convex(&self, x: f64, unit: f64) -> f64 {
        match self.kind {
            CurveKind::Tradeoff | CurveKind::Loss => x,
            CurveKind::Profile => (x - unit).portable_exp(),
        }
    }
}

/// Function that evaluates a curve at a point.
pub type Ask<'a> = dyn Fn(&Real) -> Result<Spot, Failure> + Sync + 'a;

/// The points of a curve between two, and how far the line through them may be from the curve, in points.
pub fn sample(
    start: Spot,
    end: Spot,
    knots: Vec<Real>,
    ask: &Ask<'_>,
    frame: &Frame<'_>,
) -> Result<(Vec<Spot>, f64), Failure> {
    let (from, to) = (start.place, end.place);
    let even = (1..PIECES).filter_map(|i| Rational::from_f64(from + f64::from(i) / f64::from(PIECES) * (to - from)));
    let mut wanted: Vec<Real> = even.map(Real::from).chain(knots).collect();
    let mut spots = vec![start, end];
    loop {
        let count = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
        spots.extend(in_parallel(count, "points", |i| wanted.get(i as usize).map_or(Err(nothing()), ask))?);
        spots.sort_by(|a, b| a.place.total_cmp(&b.place));
        spots.dedup_by(|a, b| a.place == b.place);
        let errors: Vec<f64> = (0..spots.len().saturating_sub(1)).map(|i| error(&spots, i, frame)).collect();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        let pieces = spots.windows(2).zip(&errors);
        let open = pieces.filter(|(pair, error)| {
            **error > FINE && frame.across(pair[1].place) - frame.across(pair[0].place) > NARROW
        });
        let middles = open.filter_map(|(pair, _)| Rational::from_f64(f64::midpoint(pair[0].place, pair[1].place)));
        wanted = middles.map(Real::from).take(MOST.saturating_sub(spots.len())).collect();
        if wanted.is_empty() {
            return Ok((spots, worst));
        }
    }
}

fn nothing() -> Failure {
    Failure::input("no point to evaluate")
}

/// How far the line from this point to the next may be from the curve, in points.
fn error(spots: &[Spot], index: usize, frame: &Frame<'_>) -> f64 {
    let (Some(a), Some(b)) = (spots.get(index), spots.get(index + 1)) else { return 0.0 };
    let before = index.checked_sub(1).and_then(|i| spots.get(i));
    let after = spots.get(index + 2);
    let unit = a.place;
    let u = |x: f64| frame.convex(x, unit);
    let (ha, hb) = (frame.height(a.middle()), frame.height(b.middle()));
    // A vertical distance is less visible where the line is steep.
    let slope = (hb - ha) / (frame.across(b.place) - frame.across(a.place));
    let seen = 1.0 / slope.portable_hypot(1.0);
    let mut worst = 0.0_f64;
    for look in 1..LOOKS {
        let share = f64::from(look) / f64::from(LOOKS);
        let x = a.place + share * (b.place - a.place);
        let upper = line((u(a.place), a.upper), (u(b.place), b.upper), u(x)).min(a.upper);
        let mut lower = b.lower;
        if let Some(before) = before {
            lower = lower.max(line((u(before.place), before.upper), (u(a.place), a.lower), u(x)));
        }
        if let Some(after) = after {
            lower = lower.max(line((u(after.place), after.upper), (u(b.place), b.lower), u(x)));
        }
        let (mut upper, mut lower) = (upper, lower);
        if frame.kind == CurveKind::Loss {
            // It falls, and is taken to bend no more than the lines beside it do, to either side.
            let chord = line((a.place, a.middle()), (b.place, b.middle()), x);
            let before = before.map(|before| line((before.place, before.middle()), (a.place, a.middle()), x));
            let after = after.map(|after| line((after.place, after.middle()), (b.place, b.middle()), x));
            let beside = || [before, after].into_iter().flatten();
            upper = beside().fold(chord, f64::max).min(a.upper);
            lower = beside().fold(chord, f64::min).max(b.lower);
        }
        let drawn = ha + share * (hb - ha);
        // The enclosures themselves are drawn as a band: it is the rest that points can mend.
        let band = (frame.height(a.upper) - frame.height(a.lower)).max(frame.height(b.upper) - frame.height(b.lower));
        let off = (frame.height(upper) - drawn).max(drawn - frame.height(lower.min(upper))) - band;
        worst = worst.max(off * seen);
    }
    worst
}

/// The line through two points, at a place.
fn line((x0, y0): (f64, f64), (x1, y1): (f64, f64), x: f64) -> f64 {
    if x0 == x1 { y1 } else { y0 + (x - x0) / (x1 - x0) * (y1 - y0) }
}

/// The outline of what is between lower and upper ends, if anybody can see it.
pub fn band(spots: &[Spot], frame: &Frame<'_>) -> Option<Vec<(f64, f64)>> {
    let seen = spots.iter().any(|spot| frame.height(spot.upper) - frame.height(spot.lower) > SEEN);
    let there = spots.iter().map(|spot| (spot.place, spot.upper));
    let back = spots.iter().rev().map(|spot| (spot.place, spot.lower));
    seen.then(|| there.chain(back).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(from: f64, to: f64, logarithmic: bool) -> Axis {
        Axis { label: String::new(), from, to, logarithmic }
    }

    fn spot(x: &Real, value: f64) -> Spot {
        Spot { place: place(x), lower: value, upper: value }
    }

    /// Between the points that were chosen, the line is as near as it says, where the curve is known.
    #[test]
    fn lines_are_as_near_as_they_say() {
        let root = |x: f64| (1.0 - x.sqrt()).powi(2);
        let bent = |x: f64| (1.0 - 3.0 * x).max((1.0 - x) / 3.0);
        for (curve, most) in [(&root as &(dyn Fn(f64) -> f64 + Sync), 150), (&bent, 60)] {
            let (x, y) = (axis(0.0, 1.0, false), axis(0.0, 1.0, false));
            let frame = Frame { x: &x, y: &y, kind: CurveKind::Tradeoff };
            let ask = |x: &Real| Ok(spot(x, curve(place(x))));
            let ends = [Real::zero(), Real::one()].map(|x| spot(&x, curve(place(&x))));
            let [start, end] = ends;
            let (spots, worst) = sample(start, end, Vec::new(), &ask, &frame).expect("points");
            assert!(worst <= FINE && spots.len() < most, "{worst} with {}", spots.len());
            for pair in spots.windows(2) {
                let x = f64::midpoint(pair[0].place, pair[1].place);
                let drawn = f64::midpoint(pair[0].middle(), pair[1].middle());
                let steep = (pair[1].middle() - pair[0].middle()) / (pair[1].place - pair[0].place);
                assert!(SIZE * (drawn - curve(x)).abs() / steep.portable_hypot(1.0) <= 2.0 * FINE, "at {x}");
            }
        }
    }

    /// A profile that is straight in `e^epsilon` is bent on paper: points are where it bends.
    #[test]
    fn profiles_bend_between_their_points() {
        let profile = |epsilon: f64| (1.0 - (epsilon - 3.0).portable_exp()).max(0.0);
        let (x, y) = (axis(0.0, 5.0, false), axis(0.0, 1.0, false));
        let frame = Frame { x: &x, y: &y, kind: CurveKind::Profile };
        let ask = |x: &Real| Ok(spot(x, profile(place(x))));
        let (start, end) = (spot(&Real::zero(), profile(0.0)), spot(&Real::from(5), 0.0));
        let (spots, worst) = sample(start, end, vec![Real::from(3)], &ask, &frame).expect("points");
        assert!(worst <= FINE, "{worst}");
        let beyond = spots.iter().filter(|spot| spot.place > 3.0).count();
        assert!(beyond < spots.len() / 2 && spots.iter().any(|spot| spot.place == 3.0), "{beyond} of {}", spots.len());
        assert!(band(&spots, &frame).is_none());
        let wide: Vec<Spot> = spots.iter().map(|spot| Spot { upper: spot.upper + 0.01, ..spot.clone() }).collect();
        assert_eq!(band(&wide, &frame).map(|points| points.len()), Some(2 * wide.len()));
    }
}
