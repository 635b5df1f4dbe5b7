//! What lies beyond the nodes, by the mass that there is near the kink.
//!
//! Let mu be the law of the loss tilted to the line, `theta = 2 pi (L - eps)/period`, n even and `m = n/2`. The sum
//! over all nodes is, up to a factor, `sum_k kappa(s_k) E e^(ik theta)`. With weights `t_k` that are 1 up to m and fall
//! to 0 on a line from m to n, what is left of it is `E R(theta)`, `R(theta) = sum_k a_k e^(ik theta)`,
//! `a_k = (1 - t_k) kappa(s_k)`. With `C = (period/2 pi)^2`, `|kappa(s_k)| <= C/k^2`, and so on for its derivatives,
//!
//! `|R| <= sum |a_k| <= 1.4 C/m`, and, summed by parts twice,
//! `|R| <= sum |a_(k+1) - 2 a_k + a_(k-1)|/(4 sin^2(theta/2)) <= 7 C/(4 m^3 sin^2(theta/2))`.
//!
//! Two kernels of Fejer beside each other have no zero in common: with `a = pi/(2n)`
//!
//! `H(theta) = F_n(theta - a) + F_n(theta + a) >= 1/(n (|sin(theta/2)| + pi/(4n))^2)`,
//!
//! so that `|R| <= 6.4 C/m^2 H`, and `E H = 2 sum_(|k| < n) (1 - |k|/n) cos(ka) E e^(ik theta)` is a sum over the nodes
//! that there are: about the density of mu near eps, however uneven mu is elsewhere. See `proofs/paper/swept.md`.

use rug::Rational;

use super::wide::pieces;
use crate::compose::quadrature::branch_and_bound::SelectedNodes;
use crate::compose::quadrature::vertical_contour::{Turns, VerticalContour};
use crate::compose::quadrature::wide::{Piece, Rotations, WideNodes};
use crate::error::Error;
use enclosure::wide::{BITS, CUT, Point};
use enclosure::{Budget, Enclosure, Real};

/// Precision of bounds.
const BOUND_BITS: u32 = 64;
/// What weighing a point may add to its error: six cuts of a cosine, one each for three products, and products of
/// these.
const WEIGHED: f64 = 16.0 * CUT;
/// Fewer nodes are not worth it, and the constants want 38.
const FEWEST: u64 = 1 << 10;

/// How weights fall from node `n/2` to node n.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taper {
    m: u64,
}

impl Taper {
    /// For nodes before n; `None` where that is no power of two, or too small a one.
    pub fn new(n: u64) -> Option<Self> {
        (n.is_power_of_two() && (FEWEST..1 << 24).contains(&n)).then_some(Taper { m: n / 2 })
    }

    /// `1 - t_k`, exactly; `None` where it is zero.
    pub fn lost(self, k: u64) -> Option<Point> {
        (k > self.m).then(|| part(k - self.m, self.m))
    }
}

/// `a/b`, exactly, for b a power of two below `2^24`.
fn part(a: u64, b: u64) -> Point {
    Point { re: i128::from(a) << (BITS - b.trailing_zeros()), im: 0 }
}

/// The sums of a line for one loss.
pub(super) struct Window {
    /// `(1 - k/n) cos(ka) M(s_k)/M(c)`.
    local: WideNodes,
    /// `(1 - t_k) M kappa`.
    lost: WideNodes,
    /// `6.4 C/m^2`.
    factor: Enclosure,
}

impl Window {
    /// From the points of `M(s_k)/M(c)` at the nodes before n, what they are off by, and what a taper takes from the
    /// profile; `None` where a rotation is not known.
    pub fn new(
        line: &VerticalContour,
        selected: &SelectedNodes,
        (points, error): (&[Point], f64),
        (taper, lost): (Taper, WideNodes),
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let n = 2 * taper.m;
        if points.len() as u64 != n {
            return Ok(None);
        }
        let Some(quarter) = Rotations::new(&Turns::Exact(Rational::from((1, 4 * n)))) else { return Ok(None) };
        let mut local = WideNodes::new(Enclosure::one(BOUND_BITS));
        let mut rest = points;
        for (first, count) in pieces(selected) {
            budget.check()?;
            let Some((points, after)) = rest.split_at_checked(count) else { return Ok(None) };
            rest = after;
            let mut cosines = Vec::with_capacity(count);
            let known = quarter.stretches(first, count, &mut |_, start, low| {
                let start = start.split();
                cosines.extend(low.iter().map(|low| start.times(low).re));
            });
            let weighed = (first..).zip(points).zip(&cosines).map(|((k, point), cosine)| {
                let weight = part(n - k, n).times(Point { re: *cosine, im: 0 }).re;
                (point.times(Point { re: weight, im: 0 }), error + WEIGHED)
            });
            if known.is_none() || local.push(Piece { first, count, doubled: 0 }, weighed).is_none() {
                return Ok(None);
            }
        }
        let turns = &line.period().enclosure(BOUND_BITS) / &Enclosure::pi(BOUND_BITS).shift(1);
        let front = Rational::from((64, 10 * u128::from(taper.m) * u128::from(taper.m)));
        let factor = &turns.square() * &Enclosure::rational(&front, BOUND_BITS);
        Ok(Some(Window { local, lost, factor }))
    }

    /// The sum over all nodes, times the period and over `e^(-c eps)`, from that over the nodes that there are;
    /// `moment` is that of the composition at the tilt.
    pub fn sum(&self, known: &Enclosure, (line, loss): (&VerticalContour, &Real), moment: &Enclosure) -> Enclosure {
        let turns = line.turns(loss);
        let near = self.local.turned_sum(&turns, BOUND_BITS).positive_part().shift(1);
        let beyond = &(&near * &self.factor) * &moment.with_bits(BOUND_BITS);
        (known - &self.lost.turned_sum(&turns, known.bits())).widen(beyond.upper())
    }
}

#[cfg(test)]
mod tests;
