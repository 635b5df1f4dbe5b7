//! Means under `sqrt(PQ)`: what is averaged falls exponentially, and so does its Fourier transform.
//!
//! Let R be the measure `sqrt(PQ)` of the loss, `dP = e^(l/2) dR`, `dQ = e^(-l/2) dR`, and
//! `phi(u) = E_R e^(iuL) = M(-1/2 + iu)`, of modulus at most `phi(0) <= 1`. With `U = 1/4 + u^2`
//!
//! | k(l) | `K(u) = int k(l) e^(-iul) dl` | at most |
//! |---|---|---|
//! | `1/cosh(l/2)` | `2 pi/cosh(pi u)` | `2 e^(-\|l\|/2)` |
//! | `2 cosh(l/2) ln(2 cosh(l/2)) - l sinh(l/2)` | `pi/(U cosh(pi u))` | `(\|l\| + 2) e^(-\|l\|/2)` |
//!
//! and Poisson summation over nodes `u_j = 2 pi j/Lam` is
//!
//! `(1/Lam) sum_j K(u_j) phi(u_j) = sum_m E_R k(L + m Lam)`.
//!
//! **Aliases** are not negative. As `E_R e^(|L|/2) <= E_R (e^(L/2) + e^(-L/2)) <= 2`, those of m and -m are together at
//! most `8 x^m`, or `4 (m Lam + 2) x^m`, with `x = e^(-Lam/2)`. **Nodes left out**: `1/cosh(pi u) <= 2 e^(-pi u)`, and
//! `1/U <= 4`. Neither depends on what is composed. Paper proof: `proofs/paper/functionals.md`.

use rug::{Float, Rational};

use super::Overlap;
use crate::compose::quadrature::assemble::Factors;
use crate::compose::quadrature::branch_and_bound::SelectedNodes;
use crate::compose::quadrature::contour::products;
use crate::compose::quadrature::vertical_contour::VerticalContour;
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Need, Portable, Real};

/// Nodes of which as many bits are asked.
const PIECE: u64 = 32;

/// `E_R k(L)`.
pub(super) fn mean(factors: &Factors, of: Overlap, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let bits = bits.max(8);
    let nats = f64::from(bits) * std::f64::consts::LN_2;
    // Aliases of `2 e^-nats` or less: `Lam x` of 2 nats more for the logarithm of the period.
    let period = (2.0 * (nats + 4.0 + nats.portable_ln())).ceil() as u64;
    let line = VerticalContour::new(Rational::from((-1, 2)), Real::from(period));
    let step = 2.0 * std::f64::consts::PI.powi(2) / period as f64;
    let last = ((nats + 4.0) / step).ceil() as u64;
    let power_bits = factors.iter().map(|(_, times)| 64 - times.leading_zeros()).max().unwrap_or(0);
    let work = bits.saturating_add(power_bits).saturating_add(40);
    budget.afford(&Need {
        what: "nodes of a mean",
        count: last,
        most: 1 << 20,
        bytes: last.saturating_mul(u64::from(work)),
        relax: "try fewer digits",
    })?;
    // The kernel falls, so that far values need fewer bits.
    let pieces = (0..last.div_ceil(PIECE)).map(|piece| {
        let first = 1 + piece * PIECE;
        (first, PIECE.min(last + 1 - first), -(first as f64) * step)
    });
    let runs = vec![(1, last)];
    let selected = SelectedNodes { runs, pieces: pieces.collect(), nodes: last, bounds: 0, left_out: Float::new(53) };
    let values = products(factors, &line, &selected, work, budget)?;
    let sum = summed(&values, of, &line, work);
    let left_out = left_out(of, period, last);
    Ok((sum.widen(left_out.upper()) - aliases(of, period)).positive_part())
}

/// `(1/Lam) sum K(u_j) phi(u_j)` over the nodes that are kept.
fn summed(values: &[Complex], of: Overlap, line: &VerticalContour, work: u32) -> Enclosure {
    let (one, quarter) = (Enclosure::one(work), Enclosure::one(work).shift(-2));
    let pi = Enclosure::pi(work);
    // e^(-pi u_1), and e^(-pi u_j) as its powers.
    let fall = (-(&pi * &line.ordinate(1, work))).exp();
    let mut power = one.clone();
    let mut sum = Enclosure::zero(work);
    for (k, value) in values.iter().enumerate() {
        let secant = power.shift(1) / (&one + &power.square());
        let kernel = match of {
            Overlap::Harmonic => secant.shift(1),
            Overlap::Entropy => secant / (&quarter + &line.ordinate(k as u64, work).square()),
        };
        let term = kernel * value.re();
        sum = sum + if k == 0 { term } else { term.shift(1) };
        power = &power * &fall;
    }
    sum * pi / line.period().enclosure(work)
}

/// What the nodes beyond the last come to, `2/Lam sum_(j > n) K(u_j)`: `K <= 4 pi e^(-pi u)`, or `8 pi e^(-pi u)`.
fn left_out(of: Overlap, period: u64, last: u64) -> Enclosure {
    const BITS: u32 = 64;
    let (pi, one) = (Enclosure::pi(BITS), Enclosure::one(BITS));
    let period = Enclosure::integer(&period.into(), BITS);
    let ratio = (-(&pi.square().shift(1) / &period)).exp();
    let series = ratio.pow(last.saturating_add(1)) / (&one - &ratio);
    let most = if of == Overlap::Harmonic { pi.shift(2) } else { pi.shift(3) };
    most.shift(1) * series / period
}

/// All that the terms `m != 0` may be.
fn aliases(of: Overlap, period: u64) -> Enclosure {
    const BITS: u32 = 64;
    let one = Enclosure::one(BITS);
    let period = Enclosure::integer(&period.into(), BITS);
    let x = (-period.shift(-1)).exp();
    let rest = &one - &x;
    let bound = match of {
        Overlap::Harmonic => x.shift(3) / rest,
        // sum (m Lam + 2) x^m
        Overlap::Entropy => (&period * &x / rest.square() + x.shift(1) / rest).shift(2),
    };
    Enclosure::zero(BITS).hull(&bound)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The mean with a period and a last node of one's own, and without the errors that are asked to be forgotten.
    pub fn spoiled(
        factors: &Factors,
        of: Overlap,
        (period, last): (u64, u64),
        (with_aliases, with_rest): (bool, bool),
    ) -> Enclosure {
        let work = 200;
        let line = VerticalContour::new(Rational::from((-1, 2)), Real::from(period));
        let selected = SelectedNodes {
            runs: vec![(1, last)],
            pieces: vec![(1, last, 0.0)],
            nodes: last,
            bounds: 0,
            left_out: Float::new(53),
        };
        let values = products(factors, &line, &selected, work, &Budget::default()).expect("values");
        let mut sum = summed(&values, of, &line, work);
        if with_rest {
            sum = sum.widen(left_out(of, period, last).upper());
        }
        if with_aliases { sum - aliases(of, period) } else { sum }
    }
}
