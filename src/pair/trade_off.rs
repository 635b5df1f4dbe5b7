//! Trade-off functions that are polylines with rational vertices, and the calculus on them, all exact.
//!
//! A finite pair of distributions has such a trade-off function, and each such function has a finite pair: segment
//! `(a, b) -- (a + p, b - q)` is an outcome of mass `p` under P and `q` under Q, and what the function misses of 1 at
//! alpha = 0 is an outcome that only Q has. So everything here goes both ways: convexity is the order of likelihood
//! ratios, the tensor product is the product of the pairs, the inverse is the swap of the hypotheses.
//!
//! Nothing is rounded and nothing is searched for; the only limit is the number of segments, which every operation
//! that multiplies them takes as an argument. Proofs are in `proofs/paper/piecewise-linear.md`.

use std::cmp::Ordering;

use dpcert_vectors::Direction;
use rug::Rational;

use super::{FinitePair, asymmetry};
use crate::error::Error;
use enclosure::Budget;

/// A point (alpha, beta) of a trade-off function: type I and type II error of a test.
pub type Vertex = (Rational, Rational);

/// A piecewise-linear trade-off function.
///
/// The vertices go from `(0, f(0))` to `(1, 0)` with alpha strictly increasing and slopes strictly increasing (convex,
/// no vertex inside a straight piece), so equal functions have equal vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeOff {
    vertices: Vec<Vertex>,
}

/// The error for subsampling an asymmetric trade-off function.
pub(crate) fn not_symmetric(which: &str, why: &str) -> Error {
    Error::Undefined(format!(
        "subsampling without replacement needs a symmetric trade-off function (f = f^-1), but {which} {why}; use \
         symmetrize(...) of it"
    ))
}

/// An outcome of the representing pair that P gives positive mass: its masses under P and under Q.
type Segment = (Rational, Rational);

impl TradeOff {
    /// `1 - alpha`: perfect privacy.
    pub fn identity() -> Self {
        TradeOff { vertices: vec![(Rational::new(), Rational::from(1)), (Rational::from(1), Rational::new())] }
    }

    /// The polyline through these points, if it is a trade-off function.
    ///
    /// *Domain:* what has no [`faults`](Self::faults), else [`Error::Input`] with the first of them. Points inside
    /// straight pieces are allowed, and dropped.
    pub fn new(points: Vec<Vertex>) -> Result<Self, Error> {
        match Self::faults(&points).into_iter().next() {
            Some(fault) => Err(Error::input(fault)),
            None => Ok(lower_hull(points)),
        }
    }

    /// Why these points are not those of a trade-off function; empty if they are.
    ///
    /// Alpha has to go from 0 to 1, strictly increasing; the last point is (1, 0); the polyline is convex,
    /// non-increasing, and between 0 and `1 - alpha` (Dong, Roth, Su, Proposition 2.2; a polyline is continuous).
    pub fn faults(points: &[Vertex]) -> Vec<String> {
        let mut faults = Vec::new();
        let ends = points.first().zip(points.last());
        if !ends.is_some_and(|(first, last)| first.0.is_zero() && last.0 == 1) {
            faults.push("alpha must go from 0 to 1".to_string());
        }
        for (alpha, beta) in points {
            if beta.cmp0().is_lt() || *beta > Rational::from(1 - alpha) {
                faults.push(format!("at alpha = {alpha}, beta = {beta} is not in [0, 1 - alpha]"));
            }
        }
        let mut in_order = true;
        for pair in points.windows(2) {
            let [a, b] = pair else { continue };
            if a.0 >= b.0 {
                in_order = false;
                faults.push(format!("alpha must increase, but {} is followed by {}", a.0, b.0));
            }
            if a.1 < b.1 {
                faults.push(format!("beta increases after alpha = {}", a.0));
            }
        }
        if in_order && !points.is_empty() {
            let hull = lower_hull(points.to_vec());
            let above = points.iter().filter(|point| hull.value(&point.0) < point.1);
            faults
                .extend(above.map(|point| format!("not convex: the point at alpha = {} lies above a chord", point.0)));
        }
        faults
    }

    /// The greatest trade-off function that is nowhere above these points: the lower hull of them, (0, 1) and (1, 0).
    ///
    /// *Domain:* alphas in [0, 1], in any order, and betas that are not negative, else [`Error::Input`].
    pub fn below(points: &[Vertex]) -> Result<Self, Error> {
        for (alpha, beta) in points {
            if alpha.cmp0().is_lt() || *alpha > 1 {
                return Err(Error::input(format!("alpha must be between 0 and 1, not {alpha}")));
            }
            if beta.cmp0().is_lt() {
                return Err(Error::input(format!("at alpha = {alpha} the type II error {beta} is negative")));
            }
        }
        let mut all = points.to_vec();
        all.extend(Self::identity().vertices);
        all.sort();
        all.dedup_by(|later, earlier| later.0 == earlier.0);
        Ok(lower_hull(all))
    }

    /// `T(P,Q)` of a finite pair.
    ///
    /// Outcomes with `p = q = 0` do not count; the others are rejected in the order of `q/p`, largest first, equal
    /// ratios together. Start at `(0, 1 - Q{p=0})`; each adds `(+p, -q)`. This is the Neyman-Pearson lemma.
    pub fn from_pair(pair: &FinitePair) -> Self {
        let segments = pair.outcomes().filter(|(p, _)| !p.is_zero()).map(|(p, q)| (p.clone(), q.clone())).collect();
        Self::from_segments(segments)
    }

    /// `f_{epsilon, delta}(a) = max(0, 1 - delta - x a, (1 - delta - a)/x)` with `x = e^epsilon`.
    ///
    /// *Domain:* `x >= 1`, `0 <= delta <= 1`, else [`Error::Undefined`]. Dong, Roth, Su, equation (3).
    pub fn approximate_dp(x: &Rational, delta: &Rational) -> Result<Self, Error> {
        Ok(Self::from_pair(&FinitePair::approximate_dp(x, delta)?))
    }

    /// The largest guarantee that follows from (epsilon_i, delta_i)-DP for all i: `max_i f_{epsilon_i, delta_i}`, from
    /// the list of `(e^epsilon_i, delta_i)`; of the empty list, what holds for every mechanism: 0.
    ///
    /// Dong, Roth, Su, Proposition 2.11.
    pub fn from_profile(points: &[(Rational, Rational)]) -> Result<Self, Error> {
        let mut curves =
            points.iter().map(|(x, delta)| Self::approximate_dp(x, delta)).collect::<Result<Vec<_>, _>>()?;
        // A tournament, so that every curve takes part in few envelopes.
        while curves.len() > 1 {
            curves = curves
                .chunks(2)
                .map(|pair| match pair {
                    [f, g] => f.max(g),
                    rest => rest.first().cloned().unwrap_or_else(Self::nothing),
                })
                .collect();
        }
        Ok(curves.pop().unwrap_or_else(Self::nothing))
    }

    /// The function 0: no privacy.
    pub fn nothing() -> Self {
        TradeOff { vertices: vec![(Rational::new(), Rational::new()), (Rational::from(1), Rational::new())] }
    }

    /// The bits of the largest denominator: what a number costs, about.
    pub fn size(&self) -> u32 {
        let bits = self.vertices.iter().flat_map(|(alpha, beta)| [alpha, beta]).map(|x| x.denom().significant_bits());
        bits.max().unwrap_or(1)
    }

    /// The vertices from `(0, f(0))` to `(1, 0)`.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// A finite pair with this trade-off function: one outcome for each segment, and first, if `f(0) < 1`, the outcome
    /// that only Q has.
    pub fn representing_pair(&self) -> Result<FinitePair, Error> {
        let (mut p, mut q): (Vec<_>, Vec<_>) = self.segments().into_iter().unzip();
        let missing = Rational::from(1 - self.at_zero());
        if !missing.is_zero() {
            p.insert(0, Rational::new());
            q.insert(0, missing);
        }
        FinitePair::new(p, q)
    }

    /// `f(alpha)` for alpha in [0, 1], else [`Error::Undefined`].
    pub fn evaluate(&self, alpha: &Rational) -> Result<Rational, Error> {
        if alpha.cmp0().is_lt() || *alpha > 1 {
            return Err(Error::Undefined(format!("alpha must be between 0 and 1, not {alpha}")));
        }
        Ok(self.value(alpha))
    }

    /// The function `f^{-1}(a) = inf { t in [0,1] : f(t) <= a }`, which is `T(Q,P)` for `f = T(P,Q)`.
    ///
    /// Dong, Roth, Su, Proposition 2.4. Read off the graph: mirrored at the diagonal, without the flat piece at 0
    /// (the infimum takes its left end), and continued by 0 from `f(0)` on.
    #[must_use]
    pub fn inverse(&self) -> Self {
        // The vertices before the last one, unless the last piece is not flat, have values > 0 or end the descent.
        let zero_from = self.vertices.partition_point(|(_, beta)| !beta.is_zero());
        let mut vertices: Vec<Vertex> =
            self.vertices.iter().take(zero_from + 1).rev().map(|(alpha, beta)| (beta.clone(), alpha.clone())).collect();
        if *self.at_zero() != 1 {
            vertices.push((Rational::from(1), Rational::new()));
        }
        TradeOff { vertices }
    }

    /// Is `f = f^{-1}`?
    pub fn is_symmetric(&self) -> bool {
        *self == self.inverse()
    }

    /// `max(f, f^{-1})`: what holds in both directions if f holds in one (Dong, Roth, Su, Proposition 2.4).
    #[must_use]
    pub fn symmetrized_max(&self) -> Self {
        self.max(&self.inverse())
    }

    /// `min(f, f^{-1})**`: the largest trade-off function that holds for both orders of a pair with `T(P,Q) = f`.
    #[must_use]
    pub fn symmetrized_min(&self) -> Self {
        self.convex_min(&self.inverse())
    }

    /// `max(f, g)`, a trade-off function.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        let mut alphas: Vec<Rational> =
            self.vertices.iter().chain(&other.vertices).map(|(alpha, _)| alpha.clone()).collect();
        alphas.sort();
        alphas.dedup();
        let mut points: Vec<Vertex> = Vec::with_capacity(alphas.len());
        let mut before: Option<(Rational, Rational)> = None;
        for alpha in alphas {
            let (f, g) = (self.value(&alpha), other.value(&alpha));
            let difference = Rational::from(&f - &g);
            if let (Some((last_alpha, last)), order) = (&before, difference.cmp0()) {
                // Both are straight in between; if they change places there, the crossing is a vertex of the maximum.
                if order != Ordering::Equal && last.cmp0() == order.reverse() {
                    let part = last / Rational::from(last - &difference);
                    let crossing = Rational::from(&alpha - last_alpha) * part + last_alpha;
                    let value = self.value(&crossing);
                    points.push((crossing, value));
                }
            }
            points.push((alpha.clone(), if difference.cmp0().is_lt() { g } else { f }));
            before = Some((alpha, difference));
        }
        // The maximum of convex functions is convex: the hull only removes points inside straight pieces.
        lower_hull(points)
    }

    /// `min(f, g)**`, the greatest convex function below both: the lower hull of both graphs.
    #[must_use]
    pub fn convex_min(&self, other: &Self) -> Self {
        let mut points: Vec<Vertex> = self.vertices.iter().chain(&other.vertices).cloned().collect();
        points.sort();
        points.dedup_by(|later, earlier| later.0 == earlier.0);
        lower_hull(points)
    }

    /// Where `f` falls farthest below `g`, with both values there; `None` if `f >= g` everywhere: then f is at least as
    /// private.
    ///
    /// `g - f` is straight between the vertices of both, and so largest at one of them.
    pub fn falls_below(&self, other: &Self) -> Option<(Rational, Rational, Rational)> {
        let alphas = self.vertices.iter().chain(&other.vertices).map(|(alpha, _)| alpha);
        let values = alphas.map(|alpha| (alpha.clone(), self.value(alpha), other.value(alpha)));
        let below = values.filter(|(_, f, g)| f < g);
        below.max_by_key(|(_, f, g)| Rational::from(g - f))
    }

    /// The convex conjugate `f*(y) = sup over 0 <= a <= 1 of (y a - f(a))`.
    pub fn conjugate(&self, y: &Rational) -> Rational {
        // A linear function minus a convex polyline is largest at a vertex; (1, 0) is always one of them.
        self.vertices.iter().map(|(alpha, beta)| Rational::from(y * alpha) - beta).fold(y.clone(), Ord::max)
    }

    /// The hockey-stick divergence at `x = e^epsilon > 0`: `H_x(Q||P) = 1 + f*(-x)` backward and
    /// `H_x(P||Q) = 1 + x f*(-1/x)` forward, where `f = T(P,Q)`; `Worst` is the larger of both.
    ///
    /// Dong, Roth, Su, Proposition 2.12, which has the backward form for symmetric f and epsilon >= 0; for every f it
    /// is in `proofs/paper/duality.md`.
    pub fn delta(&self, x: &Rational, direction: Direction) -> Result<Rational, Error> {
        if x.cmp0().is_le() {
            return Err(Error::Undefined(format!("e^epsilon must be positive, not {x}")));
        }
        let backward = || self.conjugate(&Rational::from(-x)) + 1u32;
        let forward = || self.conjugate(&-Rational::from(x.recip_ref())) * x + 1u32;
        Ok(match direction {
            Direction::Forward => forward(),
            Direction::Backward => backward(),
            Direction::Worst => forward().max(backward()),
        })
    }

    /// `f (x) g = T(P x P', Q x Q')`, exactly; fails with [`Error::Undecided`] if the product has more than
    /// `max_segments` pairs of segments.
    ///
    /// Dong, Roth, Su, Definition 3.1. Only the segments matter: an outcome that P or P' never has keeps that property
    /// in every product, and its mass under Q is what the result misses of 1 at alpha = 0.
    pub fn tensor(&self, other: &Self, max_segments: usize, budget: &Budget) -> Result<Self, Error> {
        let (left, right) = (self.segments(), other.segments());
        let count = left.len().saturating_mul(right.len());
        if count > max_segments {
            return Err(Error::undecided(format!(
                "the product of trade-off functions with {} and {} segments exceeds the limit of {max_segments} \
                 segments",
                left.len(),
                right.len()
            )));
        }
        let mut product = Vec::with_capacity(count);
        for (p, q) in &left {
            budget.check()?;
            product.extend(right.iter().map(|(r, s)| (Rational::from(p * r), Rational::from(q * s))));
        }
        Ok(Self::from_segments(product))
    }

    /// `f (x) f (x) ... (x) f` with n factors by repeated squaring; the identity for `n = 0`.
    pub fn power(&self, n: u64, max_segments: usize, budget: &Budget) -> Result<Self, Error> {
        let mut result = Self::identity();
        for bit in (0..u64::BITS - n.leading_zeros()).rev() {
            result = result.tensor(&result, max_segments, budget)?;
            if n >> bit & 1 == 1 {
                result = result.tensor(self, max_segments, budget)?;
            }
        }
        Ok(result)
    }

    /// `p f + (1-p) Id = T(P, (1-p) P + p Q)`: "absent against present" under Poisson subsampling with rate p.
    pub fn mixed_with_identity(&self, rate: &Rational) -> Result<Self, Error> {
        if rate.cmp0().is_lt() || *rate > 1 {
            return Err(Error::Undefined(format!("a sampling rate must be between 0 and 1, not {rate}")));
        }
        let rest = Rational::from(1 - rate);
        let points = self
            .vertices
            .iter()
            .map(|(alpha, beta)| {
                let identity = Rational::from(1 - alpha) * &rest;
                (alpha.clone(), Rational::from(rate * beta) + identity)
            })
            .collect();
        Ok(lower_hull(points))
    }

    /// `C_p(f) = min(f_p, f_p^{-1})**` with `f_p = p f + (1-p) Id`: a sample of a fixed share p of the records, drawn
    /// without replacement, then a mechanism that is f-DP, under replacement of one record.
    ///
    /// *Domain:* symmetric f, `0 <= p <= 1`, else [`Error::Undefined`]. Dong, Roth, Su, Theorem 4.2. Of
    /// `f_(epsilon,delta)` its middle piece is `1 - p delta - p (1-delta) (e^epsilon - 1)/(e^epsilon + 1) - alpha`; the
    /// line without the factor `1 - delta`, as it is printed in places, is below it, and not tight.
    pub fn subsampled(&self, rate: &Rational) -> Result<Self, Error> {
        if !self.is_symmetric() {
            let why = asymmetry::of_polyline(self).unwrap_or_default();
            return Err(not_symmetric("this one", &why));
        }
        Ok(self.mixed_with_identity(rate)?.symmetrized_min())
    }

    /// `f o (1 - g)`: where `T(P,Q) >= g` and `T(Q,R) >= f`, this is below `T(P,R)`, and cannot be improved (Dong,
    /// Roth, Su, the lemma of Theorem 2.14).
    ///
    /// `1 - g` is concave and increasing, f convex and non-increasing, so the result is convex. Its vertices are those
    /// of g, and the points where `1 - g` takes the alpha of a vertex of f.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        let power = |beta: &Rational| Rational::from(1 - beta);
        let mut alphas: Vec<Rational> = first.vertices.iter().map(|(alpha, _)| alpha.clone()).collect();
        for pair in first.vertices.windows(2) {
            let [a, b] = pair else { continue };
            let (low, high) = (power(&a.1), power(&b.1));
            let from = self.vertices.partition_point(|(alpha, _)| *alpha <= low);
            for (level, _) in self.vertices.iter().skip(from).take_while(|(alpha, _)| *alpha < high) {
                let part = Rational::from(level - &low) / Rational::from(&high - &low);
                alphas.push(Rational::from(&b.0 - &a.0) * part + &a.0);
            }
        }
        alphas.sort();
        alphas.dedup();
        let points = alphas.into_iter().map(|alpha| {
            let value = self.value(&power(&first.value(&alpha)));
            (alpha, value)
        });
        lower_hull(points.collect())
    }

    /// `1 - (1-f)^(o k)`: the bound for chains of k neighbours that are all bounded by f in the order of the chain, by
    /// repeated squaring, because the iterates of one function commute. For groups of size k of f-DP mechanisms that is
    /// Dong, Roth, Su, Theorem 2.14, where f is symmetric; take [`symmetrized_min`](Self::symmetrized_min) before
    /// where it is not. Fails with [`Error::Undecided`] beyond `max_segments` segments.
    pub fn group(&self, size: u64, max_segments: usize) -> Result<Self, Error> {
        let mut result = Self::identity();
        for bit in (0..u64::BITS - size.leading_zeros()).rev() {
            // Each segment of the one is cut at most once by each vertex of the other.
            if result.vertices.len().saturating_mul(2).saturating_add(self.vertices.len()) > max_segments {
                return Err(Error::undecided(format!(
                    "the trade-off function of a group of {size} exceeds the limit of {max_segments} segments"
                )));
            }
            result = result.after(&result);
            if size >> bit & 1 == 1 {
                result = result.after(self);
            }
        }
        Ok(result)
    }

    /// The pair of a mixture with a visible index: `P = sum_i w_i P_i` on disjoint outcomes, Q too. Its outcomes
    /// are all segments, each with its weight.
    ///
    /// *Domain:* weights that sum to 1, none negative.
    #[must_use]
    pub fn revealed_mixture(parts: &[(Rational, Self)]) -> Self {
        let scaled = parts
            .iter()
            .filter(|(weight, _)| !weight.is_zero())
            .flat_map(|(weight, f)| f.segments().into_iter().map(move |(p, q)| (weight * p, weight * q)));
        Self::from_segments(scaled.collect())
    }

    /// `f(0)`.
    fn at_zero(&self) -> &Rational {
        &self.vertices[0].1
    }

    /// `f(alpha)`, for alpha known to be in [0, 1].
    fn value(&self, alpha: &Rational) -> Rational {
        let after = self.vertices.partition_point(|vertex| vertex.0 < *alpha);
        let Some(right) = self.vertices.get(after) else { return Rational::new() };
        match after.checked_sub(1).and_then(|i| self.vertices.get(i)) {
            Some(left) if right.0 != *alpha => {
                let part = Rational::from(alpha - &left.0) / Rational::from(&right.0 - &left.0);
                Rational::from(&right.1 - &left.1) * part + &left.1
            }
            _ => right.1.clone(),
        }
    }

    /// The masses `(p, q)` of the outcomes with `p > 0`, largest `q/p` first.
    pub(super) fn segments(&self) -> Vec<Segment> {
        self.vertices
            .windows(2)
            .map(|ends| (Rational::from(&ends[1].0 - &ends[0].0), Rational::from(&ends[0].1 - &ends[1].1)))
            .collect()
    }

    /// The polyline of outcomes with `p > 0` in total P-mass 1; the Q-mass missing to 1 lies where P has none.
    fn from_segments(mut segments: Vec<Segment>) -> Self {
        segments.sort_by_cached_key(|(p, q)| std::cmp::Reverse(Rational::from(q / p)));
        let q_total: Rational = segments.iter().map(|(_, q)| q).sum();
        let mut vertices = vec![(Rational::new(), q_total)];
        let mut last_slope: Option<Rational> = None;
        for (p, q) in segments {
            let slope = Rational::from(&q / &p);
            let next = vertices.last().map(|(alpha, beta)| (Rational::from(alpha + &p), Rational::from(beta - &q)));
            if last_slope.as_ref() == Some(&slope) {
                vertices.pop();
            }
            vertices.extend(next);
            last_slope = Some(slope);
        }
        TradeOff { vertices }
    }
}

/// The lower convex hull of points with strictly increasing alpha from 0 to 1, by Andrew's chain; points on a straight
/// piece are dropped.
fn lower_hull(points: Vec<Vertex>) -> TradeOff {
    let mut hull: Vec<Vertex> = Vec::with_capacity(points.len());
    for point in points {
        while let [.., a, b] = hull.as_slice() {
            // b stays if it lies strictly below the chord from a to the new point.
            let slope_to_b = Rational::from(&b.1 - &a.1) * Rational::from(&point.0 - &a.0);
            let slope_to_point = Rational::from(&point.1 - &a.1) * Rational::from(&b.0 - &a.0);
            if slope_to_b < slope_to_point {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    TradeOff { vertices: hull }
}

#[cfg(test)]
mod tests;
