//! The values at the nodes, kept so that one pass over them costs a few products a node
//! (`proofs/paper/node-values-and-progressions.md`).
//!
//! A pass computes `sum_k Re(V_k e^(-i u_k l))`, `k = 0` once and the others, which stand for their conjugates too,
//! twice. It is done in plain floats, and what it may be wrong by is counted beforehand, once for all passes.
//!
//! With `p` the precision, `e = 2^-p`: a rotation is restarted every [`RESTART`] nodes from a sine and cosine that are
//! checked to be right to `8e`, and from node to node multiplied by one step that is. Each component of a product is
//! rounded once, so the error of the `j`-th is below `(8 + 10 j) e` (step: `8e`; rounding: `2e`, with room; moduli stay
//! below 1.01). The sums are kept with 40 bits more. With `S = sum |V_k|` and `R` the sum of the radii, both with the
//! weights 1 and 2, the whole error is below `R + S e (8 + 10 RESTART + 4) + S N 2^-(p+38)`, and what [`underflow`]
//! says.

use rug::Float;
use rug::float::Round::Up;

use super::fixed_nodes::FixedNodes;
use super::vertical_contour::Turns;
use super::wide::WideNodes;
use enclosure::{Complex, Enclosure, products};

/// Nodes after which a rotation is computed afresh.
const RESTART: u64 = 100;
/// The constant of the header, with room.
const UNITS: u32 = 8 + 10 * RESTART as u32 + 64;

/// The values of one integrand.
pub(super) enum NodeValues {
    /// In floats.
    Floats(Floats),
    /// In integers, where few bits are asked for.
    Fixed(FixedNodes),
    /// In integers of 128 bits.
    Wide(WideNodes),
}

/// Those in floats.
pub(super) struct Floats {
    re: Vec<Float>,
    im: Vec<Float>,
    /// The bound of the header.
    error: Float,
}

impl NodeValues {
    /// Those in floats, see [`Floats::new`].
    pub(super) fn new(values: Vec<Complex>, work: u32) -> Self {
        NodeValues::Floats(Floats::new(values, work))
    }
}

impl Floats {
    /// From the values at node 0 and at the nodes kept, in order, and the precision of passes.
    fn new(values: Vec<Complex>, work: u32) -> Self {
        let up = |x: Float| Float::with_val_round(64, x, Up).0;
        let (mut size, mut radius) = (Float::new(64), Float::new(64));
        for (k, value) in values.iter().enumerate() {
            let weight = if k == 0 { 1u32 } else { 2 };
            size = Float::with_val_round(64, &size + up(value.modulus_upper() * weight), Up).0;
            radius = Float::with_val_round(64, &radius + up(value.radius() * weight), Up).0;
        }
        let unit = |bits: u32| Float::with_val(64, Float::i_exp(1, -i32::try_from(bits).unwrap_or(i32::MAX)));
        let rounding = Float::with_val_round(64, unit(work) * UNITS, Up).0;
        let adding = Float::with_val_round(64, unit(work.saturating_add(38)) * values.len(), Up).0;
        let relative = Float::with_val_round(64, rounding + adding, Up).0;
        let error = Float::with_val_round(64, &radius + Float::with_val_round(64, size * relative, Up).0, Up).0;
        // Some of the operations above round to nearest, by 2^-64 each: a thousandth covers all of them.
        let error = Float::with_val_round(64, &error * 1.001_f64, Up).0;
        let error = Float::with_val_round(64, error + underflow(values.len()), Up).0;
        let (re, im) = values.into_iter().map(|value| value.into_centre()).unzip();
        Floats { re, im, error }
    }

    /// The value at node 0.
    fn first(&self, bits: u32) -> Float {
        self.re.first().map_or(Float::new(bits), |re| Float::with_val(bits, re))
    }
}

/// What a pass over so many nodes may lose where products are too small for MPFR's exponents: each is then wrong by the
/// smallest positive number at most, instead of by a unit of its own; there are six a node, and the sum counts them
/// twice.
fn underflow(nodes: usize) -> Float {
    let count = 16 * (nodes as u64).saturating_add(1);
    Float::with_val_round(
        64,
        Float::with_val(64, count) * Float::with_val(64, Float::i_exp(1, rug::float::exp_min())),
        Up,
    )
    .0
}

/// The sums of several banks over the same nodes: `runs` of them, turned by `turns` a node.
pub(super) fn turned_sums<const N: usize>(
    banks: [&NodeValues; N],
    runs: &[(u64, u64)],
    turns: &Turns,
    work: u32,
) -> [Enclosure; N] {
    let floats: Vec<&Floats> = banks.iter().filter_map(|bank| floats(bank)).collect();
    match <[&Floats; N]>::try_from(floats) {
        Ok(floats) => sums_of_floats(floats, runs, turns, work),
        Err(_) => banks.map(|bank| match bank {
            NodeValues::Fixed(fixed) => fixed.turned_sum(runs, turns, work),
            NodeValues::Wide(wide) => wide.turned_sum(turns, work),
            NodeValues::Floats(floats) => sums_of_floats([floats], runs, turns, work)[0].clone(),
        }),
    }
}

fn floats(bank: &NodeValues) -> Option<&Floats> {
    match bank {
        NodeValues::Floats(floats) => Some(floats),
        NodeValues::Fixed(_) | NodeValues::Wide(_) => None,
    }
}

fn sums_of_floats<const N: usize>(
    banks: [&Floats; N],
    runs: &[(u64, u64)],
    turns: &Turns,
    work: u32,
) -> [Enclosure; N] {
    let wide = work.saturating_add(40);
    let mut sums = banks.map(|bank| bank.first(wide) >> 1u32);
    // A few bits more, so that the error of the enclosed angle is far below one unit; where it is not, nothing is
    // known.
    let unknown = || std::array::from_fn(|_| Enclosure::whole(work));
    let most = Float::with_val(64, Float::i_exp(1, 3 - i32::try_from(work).unwrap_or(i32::MAX)));
    let rotation_at = |k: u64| {
        let rotation = Complex::cis(&-turns.angle(k, work.saturating_add(8)), work);
        (rotation.radius() <= most).then(|| rotation.into_centre())
    };
    let Some((step_re, step_im)) = rotation_at(1) else { return unknown() };
    let (mut re, mut im, mut next) = (Float::new(work), Float::new(work), Float::new(work));
    let mut term = Float::new(work);
    let mut place = 0usize;
    for &(first, length) in runs {
        for offset in 0..length {
            place += 1;
            if offset % RESTART == 0 {
                let Some(rotation) = rotation_at(first + offset) else { return unknown() };
                (re, im) = rotation;
                re.set_prec(work);
                im.set_prec(work);
            } else {
                products::assign_difference(&mut next, (&re, &step_re), (&im, &step_im));
                products::assign_sum(&mut term, (&re, &step_im), (&im, &step_re));
                std::mem::swap(&mut re, &mut next);
                std::mem::swap(&mut im, &mut term);
            }
            for (bank, sum) in banks.iter().zip(&mut sums) {
                if let (Some(a), Some(b)) = (bank.re.get(place), bank.im.get(place)) {
                    products::assign_difference(&mut term, (a, &re), (b, &im));
                    *sum += &term;
                }
            }
        }
    }
    let mut all = banks.iter().zip(sums).map(|(bank, sum)| {
        let sum = sum << 1u32;
        if !sum.is_finite() || !bank.error.is_finite() {
            return Enclosure::whole(work);
        }
        Enclosure::new(sum.clone(), sum).widen(&bank.error).with_bits(work)
    });
    std::array::from_fn(|_| all.next().unwrap_or_else(|| Enclosure::whole(work)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::quadrature::vertical_contour::VerticalContour;
    use enclosure::Real;
    use proptest::prelude::*;
    use rug::Rational;

    proptest! {
        /// The same sums with discs, node by node: the passes in plain floats must meet them, and be nearly as narrow.
        #[test]
        fn passes_meet_sums_of_discs(
            runs in prop::collection::vec((1u64..1000, 1u64..260), 0..4), p in -999i64..999, q in 1i64..99,
                bits in 60u32..200,
        ) {
            let mut start = 0;
            let runs = runs.into_iter().map(|(gap, length)| {
                start += gap + length;
                (start - length, length)
            });
            let runs: Vec<_> = runs.collect();
            let nodes: Vec<u64> = runs.iter().flat_map(|&(first, length)| first..first + length).collect();
            let value = |k: u64| Complex::cis(&Enclosure::rational(&Rational::from((k * k % 1009, 100)), bits), bits);
            let values: Vec<Complex> = std::iter::once(0).chain(nodes.iter().copied()).map(value).collect();
            let line = VerticalContour::new(Rational::from(1), Real::from(7u64));
            let turns = line.turns(&Real::from(Rational::from((p, q))));
            let mut truth = values[0].re();
            for (k, value) in nodes.iter().zip(&values[1..]) {
                let rotation = Complex::cis(&-turns.angle(*k, bits), bits);
                truth = &truth + &(value * &rotation).re().shift(1);
            }
            let bank = NodeValues::new(values.clone(), bits);
            let [sum] = turned_sums([&bank], &runs, &turns, bits);
            prop_assert!(sum.overlaps(&truth), "{sum:?} {truth:?}");
            // Against a pass of many more bits as well.
            let fine = |k: u64| Complex::cis(&Enclosure::rational(&Rational::from((k * k % 1009, 100)), bits + 100),
                bits + 100);
            let mut truth = fine(0).re();
            for k in &nodes {
                let rotation = Complex::cis(&-turns.angle(*k, bits + 100), bits + 100);
                truth = &truth + &(&fine(*k) * &rotation).re().shift(1);
            }
            prop_assert!(*sum.lower() <= *truth.lower() && *truth.upper() <= *sum.upper());
        }
    }
}
