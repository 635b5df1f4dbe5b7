//! Far out a sample of Laplace noise is known at its two ends: a series in `1/z`, whatever the ordinate is.
//!
//! In the loss `l = ln w` the density between the atoms is a constant times `g(l) = e^(-y/2) dy/dl`, with `e^y = (e^l -
//! q)/p`: `g = sqrt(p) e^(-l/2) (1 - q e^-l)^(-3/2)`, a sum of exponentials `e^(-(k + 1/2) l)` with positive weights.
//! So all `(-1)^m g^(m)` are such sums, too, and by parts
//!
//! `int e^(zl) g dl = sum_(m < N) [e^(zl) (-1)^m g^(m)(l)]/z^(m+1) + z^-N int e^(zl) (-1)^N g^(N) dl`.
//!
//! **The rest.** `h = e^(rl) |g^(N)|` is a positive combination of exponentials: convex, so that its variation is at
//! most the sum of the values at both ends. By parts once more the last integral is at most twice that sum over u: the
//! rest is about twice the first terms left out. The series diverges; N is such that the rest is small, and where there
//! is none, near the axis, the inner rule serves.
//!
//! **Derivatives.** With `t = q/(e^l - q)`, `g' = -g (1 + 3t)/2` and `t' = -t(1 + t)`: `(-1)^m g^(m) = 2^-m g Q_m(t)`,
//! `Q_0 = 1`, and `Q_(m+1)` has the coefficients `(2j + 1)(a_j + a_(j-1))` where `Q_m` has `a_j`: positive integers. At
//! the ends `t = (q/p) e^(-y)`, `y = -+ loss`. See `proofs/paper/sampled-laplace.md`.

use std::f64::consts::LN_2;

use rug::{Float, Integer, Rational};

use super::VerticalContour;
use enclosure::{Complex, Enclosure, Portable};

/// Terms at most.
const MOST_TERMS: usize = 40;
/// Nodes after which a rotation is computed afresh.
const RESTART: u64 = 128;
/// Bits beyond those of the results: for the steps of a rotation and the terms.
const GUARD: u32 = 16;

/// One end of the law, tilted.
pub(super) struct End {
    /// The mass of its atom.
    pub atom: Enclosure,
    /// The density of the loss there.
    pub density: Enclosure,
    /// `(q/p) e^(-y)`.
    pub theta: Enclosure,
    /// The loss `ln w(y)`, with [`EXTRA`] bits more than the values.
    pub loss: Enclosure,
}

/// Bits that losses need more than values: for the whole turns at far nodes.
pub(super) const EXTRA: u32 = 96;

/// The series along a line.
pub(super) struct EndSeries {
    line: VerticalContour,
    r: Rational,
    work: u32,
    ends: [Terms; 2],
    /// The sums of the moduli of the terms of both ends, without powers of z, and their logarithms less that of what
    /// the rest may come to.
    sums: Vec<(Enclosure, f64)>,
    /// It serves from this node on.
    from: u64,
    state: Option<State>,
}

/// One end, ready for use.
struct Terms {
    atom: Complex,
    /// The density and its derivatives, of the sign of the end.
    terms: Vec<Complex>,
    /// The turns of the loss from node to node.
    turns: Enclosure,
    step: Complex,
}

/// Where the rotations are.
struct State {
    node: u64,
    steps: u64,
    rotations: [Complex; 2],
    /// Terms, and the rest.
    count: usize,
    rest: Float,
}

/// `2^-m Q_m(t)` for `m = 0, ..., MOST_TERMS`.
fn derivatives(theta: &Enclosure) -> Vec<Enclosure> {
    let bits = theta.bits();
    let mut coefficients = vec![Integer::from(1)];
    let mut values = Vec::with_capacity(MOST_TERMS + 1);
    for m in 0..=MOST_TERMS as i32 {
        let value = coefficients
            .iter()
            .rev()
            .fold(Enclosure::zero(bits), |sum, coefficient| &(&sum * theta) + &Enclosure::integer(coefficient, bits));
        values.push(value.shift(-m));
        let at = |j: usize| coefficients.get(j).cloned().unwrap_or_default();
        let next = (0..=coefficients.len()).map(|j| {
            let before = if j == 0 { Integer::new() } else { at(j - 1) };
            (at(j) + before) * (2 * j as u64 + 1)
        });
        coefficients = next.collect();
    }
    values
}

impl EndSeries {
    /// Of the lower and the upper end, for `r` the real part of z; the rest of a value may come to `2^unit`.
    pub(super) fn new(line: &VerticalContour, r: &Rational, ends: [End; 2], (unit, bits): (i32, u32)) -> Self {
        let work = bits.saturating_add(GUARD);
        let mut sums = vec![Enclosure::zero(64); MOST_TERMS + 1];
        let mut upper = false;
        let ends = ends.map(|end| {
            let sizes = derivatives(&end.theta).into_iter().map(|value| &value * &end.density);
            let terms = sizes.zip(&mut sums).map(|(size, sum)| {
                *sum = &*sum + &size.with_bits(64);
                let size = Complex::real(&size, work);
                if upper { size } else { -&size }
            });
            let terms = terms.collect();
            upper = true;
            let turns = &end.loss / &line.period().enclosure(end.loss.bits());
            let step = rotation(&turns, 1, work);
            Terms { atom: Complex::real(&end.atom, work), terms, turns, step }
        });
        let goal = f64::from(unit) * LN_2;
        let sums: Vec<_> = sums
            .into_iter()
            .map(|sum| {
                let log = sum.shift(1).ln().upper().to_f64() - goal;
                (sum, log)
            })
            .collect();
        let mut series = EndSeries { line: line.clone(), r: r.clone(), work, ends, sums, from: u64::MAX, state: None };
        // The rest is `e^log u^-(N+1)` of what it may be.
        let least = (1..).zip(series.sums.iter().skip(1)).map(|(count, (_, log))| log / f64::from(count + 1));
        let least = least.filter(|log| log.is_finite()).fold(f64::INFINITY, f64::min);
        let node = (least.portable_exp() / series.line.ordinates().at(1)).ceil() + 1.0;
        if node < 1e18 {
            series.from = node as u64;
        }
        series
    }

    /// Is the node far enough?
    pub(super) fn serves(&self, node: u64) -> bool {
        node >= self.from
    }

    /// Rotations, terms and the rest from a node on.
    fn begun(&self, node: u64) -> State {
        let log = self.line.ordinates().at(node).portable_ln();
        let mut counts = (1..=MOST_TERMS).zip(self.sums.iter().skip(1));
        let enough = counts.find(|(count, (_, sum))| *sum <= (*count as f64 + 1.0) * log);
        let count = enough.map_or(MOST_TERMS, |(count, _)| count);
        let rotations = self.ends.each_ref().map(|end| rotation(&end.turns, node, self.work));
        let u = self.line.ordinate(node, 64);
        let size = (&u.square() + &Enclosure::rational(&self.r, 64).square()).sqrt();
        let rest = match self.sums.get(count) {
            Some((sum, _)) => &sum.shift(1) / &(&u * &size.pow(count as u64)),
            None => Enclosure::whole(64),
        };
        State { node, steps: 0, rotations, count, rest: rest.into_bounds().1 }
    }

    /// The moment at a node that it serves.
    pub(super) fn value(&mut self, node: u64) -> Complex {
        let state = match self.state.take() {
            Some(state) if state.node == node && state.steps < RESTART => state,
            _ => self.begun(node),
        };
        let work = self.work;
        let real = Enclosure::rational(&self.r, work);
        let inverse = Complex::from_parts(&real, &self.line.ordinate(node, work), work).recip();
        let mut value = Complex::zero(work).widen(&state.rest);
        for (end, rotation) in self.ends.iter().zip(&state.rotations) {
            let terms = end.terms.iter().take(state.count).rev();
            let sum = terms.fold(Complex::zero(work), |sum, term| &(&sum + term) * &inverse);
            value = &value + &(&(&sum + &end.atom) * rotation);
        }
        let [low, high] = &self.ends;
        let [first, second] = &state.rotations;
        let rotations = [first * &low.step, second * &high.step];
        self.state = Some(State { node: node + 1, steps: state.steps + 1, rotations, ..state });
        value
    }
}

/// `e^(2 pi i k turns)`.
fn rotation(turns: &Enclosure, k: u64, bits: u32) -> Complex {
    let wide = turns.bits();
    let all = turns * &Enclosure::integer(&Integer::from(k), wide);
    let whole = all.lower().clone().round().to_integer().unwrap_or_default();
    let part = (&all - &Enclosure::integer(&whole, wide)).with_bits(bits + 8);
    Complex::cis(&(&part * &Enclosure::pi(bits + 8).shift(1)), bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against derivatives of the series of exponentials, term by term.
    #[test]
    fn derivatives_of_the_density() {
        // With x = q e^-l, t = x/(1 - x): here x = 1/4, t = 1/3.
        let bits = 300;
        let theta = Enclosure::rational(&Rational::from((1, 3)), bits);
        let found = derivatives(&theta);
        let start = Enclosure::rational(&Rational::from((3, 4)), bits);
        for m in [0u64, 1, 2, 7, 40] {
            // sum_k (3/2)_k/k! x^k (k + 1/2)^m over (1 - x)^(-3/2).
            let (mut sum, mut weight) = (Enclosure::zero(bits), Enclosure::one(bits));
            for k in 0u32..400 {
                let power = Enclosure::rational(&Rational::from((2 * k + 1, 2)), bits).pow(m);
                sum = &sum + &(&weight * &power);
                weight = &weight * &Enclosure::rational(&Rational::from((2 * k + 3, 8 * (k + 1))), bits);
            }
            // What follows the 400th term is less than one part in 2^300 of it.
            let truth = &sum * &(&start * &start.sqrt());
            let rest = Float::with_val(64, truth.upper() >> 280u32);
            assert!(truth.widen(&rest).overlaps(&found[m as usize]), "{m}");
        }
    }
}
