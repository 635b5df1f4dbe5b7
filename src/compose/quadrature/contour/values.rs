//! The integrand at the nodes: the factors' product, times the kernel.

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::Factors;
use crate::compose::Method;
use crate::compose::quadrature::branch_and_bound::SelectedNodes;
use crate::compose::quadrature::factor::{LatticeSpan, Moments};
use crate::compose::quadrature::plan::PoleSide;
use crate::compose::quadrature::vertical_contour::VerticalContour;
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Hint, Limit, Reason, Work};

/// Nodes that are evaluated at once.
pub(super) const RUN: u64 = 4096;

/// After so much work the pace of the nodes is known.
const SETTLED: Work = Work::milliseconds(60);

/// The product of all factors, each to its power, at node 0 and at the nodes selected.
pub(in crate::compose::quadrature) fn products(
    factors: &Factors,
    line: &VerticalContour,
    selected: &SelectedNodes,
    work: u32,
    budget: &Budget,
) -> Result<Vec<Complex>, Error> {
    let mut products = vec![Complex::one(work); selected.nodes as usize + 1];
    let pieces = pieces(selected, work);
    for (factor, times) in factors {
        let mut place = 0usize;
        let before = budget.spent();
        let mut on: Vec<(u32, Box<dyn Moments + '_>)> = Vec::new();
        for &(first, count, bits) in &pieces {
            let known = on.iter().position(|(of, _)| *of == bits);
            let known = match known {
                Some(known) => known,
                None => {
                    on.push((bits, factor.on(line, bits, budget)?));
                    on.len() - 1
                }
            };
            let Some((_, moments)) = on.get_mut(known) else { continue };
            let mut from = first;
            while from < first + count {
                budget.check()?;
                in_time(before, place, products.len(), budget)?;
                let length = RUN.min(first + count - from);
                for value in moments.run(from, length as usize, budget)? {
                    if let Some(product) = products.get_mut(place) {
                        *product = &*product * &value.pow(*times);
                    }
                    place += 1;
                }
                from += length;
            }
        }
        if place != products.len() {
            return Err(Error::undecided(format!(
                "{} gave {place} values for {} nodes",
                factor.name(),
                products.len()
            )));
        }
    }
    Ok(products)
}

/// Node 0 and the nodes selected, as `(first, count, bits)`: where the integrand is small, so many bits less are asked
/// of the factors, in steps of a limb. (Any choice is sound: the discs tell what was reached.)
fn pieces(selected: &SelectedNodes, work: u32) -> Vec<(u64, u64, u32)> {
    const STEP: f64 = 64.0;
    const SPARE: f64 = 32.0;
    let bits = |below: f64| {
        let less = ((-below / std::f64::consts::LN_2 - SPARE) / STEP).floor().clamp(0.0, 1e6) * STEP;
        work.saturating_sub(less as u32).max(work.min(STEP as u32))
    };
    let mut pieces = vec![(0u64, 1u64, work)];
    for &(first, count, below) in &selected.pieces {
        let bits = bits(below);
        match pieces.last_mut() {
            Some((start, length, same)) if *start + *length == first && *same == bits => *length += count,
            _ => pieces.push((first, count, bits)),
        }
    }
    pieces
}

/// At the pace so far, will all nodes be evaluated in time? A refusal at once leaves time for another engine.
pub(super) fn in_time(before: Work, done: usize, all: usize, budget: &Budget) -> Result<(), Error> {
    let (Some(left), elapsed) = (budget.remaining(), budget.spent() - before) else { return Ok(()) };
    if elapsed < SETTLED || done == 0 {
        return Ok(());
    }
    let needed = Work::units((elapsed.count() as f64 * (all - done.min(all)) as f64 / done as f64) as u64);
    if needed.in_seconds() < 1.5 * left.in_seconds() {
        return Ok(());
    }
    let reason = Reason::from(format!(
        "the {all} nodes of the quadrature need about {needed} units of work more, but {left} are left ("
    ));
    let reason = reason.hint(Hint::More(Limit::Work)).then("try fewer digits or ");
    Err(Error::Undecided(reason.hint(Hint::Method(Method::Grid.name())).then(")")))
}

/// The nodes in the order of the values.
pub(in crate::compose::quadrature) fn nodes(selected: &SelectedNodes) -> impl Iterator<Item = u64> + '_ {
    std::iter::once(0).chain(selected.runs.iter().flat_map(|&(first, count)| first..first + count))
}

/// `M kappa`, `kappa(s) = 1/(s(s+1))`, of the other sign between the poles; and the same times `s + 1`, if there are to
/// be tails.
pub(super) fn smooth(
    products: Vec<Complex>,
    line: &VerticalContour,
    selected: &SelectedNodes,
    (pole_side, tails): (PoleSide, bool),
    work: u32,
) -> (Vec<Complex>, Option<Vec<Complex>>) {
    let poles = Poles::new(line, work);
    let next = Enclosure::rational(&Rational::from(line.tilt() + 1u32), work);
    let mut of_tails = tails.then(|| Vec::with_capacity(products.len()));
    let values = nodes(selected).zip(products).map(|(k, product)| {
        let value = &product * &poles.at(k).recip();
        let value = if pole_side == PoleSide::Middle { -&value } else { value };
        if let Some(tails) = &mut of_tails {
            tails.push(&value * &Complex::from_parts(&next, &line.ordinate(k, work), work));
        }
        value
    });
    (values.collect(), of_tails)
}

/// `s (s + 1) = c (c + 1) - u^2 + i (2c + 1) u` along a line, by few operations a node.
///
/// With p bits and `e = 2^-p` let the first ordinate be known relatively to r, `t = r + 2e`. Then u is off by t of it,
/// its square, rounded, by 4t, and as `u^2` and `|c (c + 1)|` are at most `|s (s + 1)|` both parts together by 9t of
/// that: by less than 12t of the modulus of what is computed, for `t <= 1/128`.
struct Poles {
    work: u32,
    /// The first ordinate, `c (c + 1)` and `2c + 1`.
    each: Float,
    real: Float,
    slope: Float,
    /// `12 t`.
    off: Float,
}

impl Poles {
    fn new(line: &VerticalContour, work: u32) -> Self {
        let each = line.ordinate(1, work.saturating_add(8));
        let width = Float::with_val_round(64, each.upper() - each.lower(), Up).0;
        let relative = Float::with_val_round(64, &width / each.lower(), Up).0;
        let unit = Float::with_val(64, Float::i_exp(1, 1 - i32::try_from(work).unwrap_or(i32::MAX)));
        let t = Float::with_val_round(64, &relative + &unit, Up).0;
        let known = t <= 1.0 / 128.0;
        let off = if known { Float::with_val_round(64, &t * 12u32, Up).0 } else { Float::with_val(64, f64::INFINITY) };
        let c = line.tilt();
        let real = Float::with_val(work, c * Rational::from(c + 1u32));
        let slope = Float::with_val(work, Rational::from(c << 1u32) + 1u32);
        Poles { work, each: each.into_bounds().0, real, slope, off }
    }

    fn at(&self, k: u64) -> Complex {
        let u = Float::with_val(self.work, &self.each * k);
        let square = Float::with_val(self.work, u.square_ref());
        let (re, im) = (Float::with_val(self.work, &self.real - &square), u * &self.slope);
        let point = Complex::disc(re, im, &Float::new(64));
        let radius = Float::with_val_round(64, &point.modulus_upper() * &self.off, Up).0;
        point.widen(&radius)
    }
}

/// `unit M/(1 - e^(-s unit))` and `unit M/(1 - e^(-(s+1) unit))`.
pub(super) fn on_lattice(
    products: Vec<Complex>,
    line: &VerticalContour,
    selected: &SelectedNodes,
    span: &LatticeSpan,
    work: u32,
) -> (Vec<Complex>, Vec<Complex>) {
    let unit = span.unit.enclosure(work);
    let turns = line.turns(&span.unit);
    let fall = |c: &Rational| Complex::real(&(-(&Enclosure::rational(c, work) * &unit)).exp(), work);
    let falls = [fall(line.tilt()), fall(&Rational::from(line.tilt() + 1u32))];
    let scale = Complex::real(&unit, work);
    let one = Complex::one(work);
    let step = Complex::cis(&-turns.angle(1, work), work);
    let (mut turn, mut before) = (one.clone(), 0u64);
    nodes(selected)
        .zip(products)
        .map(|(k, product)| {
            // By multiplication within a run, afresh now and then.
            turn =
                if k == before + 1 && k % 64 != 0 { &turn * &step } else { Complex::cis(&-turns.angle(k, work), work) };
            before = k;
            let scaled = &product * &scale;
            let [p, q] = falls.each_ref().map(|fall| &scaled * &(&one - &(fall * &turn)).recip());
            (p, q)
        })
        .unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Real;

    /// The product of both factors is in the disc, which is narrow.
    #[test]
    fn poles_are_where_they_are() {
        for (tilt, period) in [((13, 8), "7"), ((-5, 16), "22/7"), ((-9, 4), "ln(1000)")] {
            let line = VerticalContour::new(Rational::from(tilt), Real::parse(period).expect("a constant"));
            let poles = Poles::new(&line, 120);
            for k in [0, 1, 7, 1000, 1 << 40] {
                let wide =
                    |c: Rational| Complex::from_parts(&Enclosure::rational(&c, 300), &line.ordinate(k, 300), 300);
                let truth = &wide(line.tilt().clone()) * &wide(Rational::from(line.tilt() + 1u32));
                let found = poles.at(k);
                let off = &found - &truth;
                let distance = off.centre().0.clone().hypot(off.centre().1);
                assert!(distance <= found.radius(), "{tilt:?} {k}");
                assert!(found.radius() <= found.modulus_upper() >> 113u32, "{tilt:?} {k}");
            }
        }
    }
}
