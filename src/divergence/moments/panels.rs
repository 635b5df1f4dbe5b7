//! Divergences of a folded sample of Gaussian noise, on the half line, and moments of the loss of a Poisson sample of
//! it, on the line, by the rule of Gauss and Legendre on panels.
//!
//! With x standard normal, `t = mu x - mu^2/2` and `w = 1 - r + r e^t` the bracket of order a times the density is
//!
//! ```text
//! [w^(1-a) + w^a - w - 1] e^(-x^2/2)/sqrt(2 pi),     (w - 1) ln w e^(-x^2/2)/sqrt(2 pi)  of the entropy,
//! (ln w)^j w e^(-x^2/2)/sqrt(2 pi)  of a moment forward,     (-ln w)^j e^(-x^2/2)/sqrt(2 pi)  of one backward.
//! ```
//!
//! **How wrong the rule is**, [`Rule::error`] says from a bound in a rectangle about the panel. Let `z = u + iv` with
//! `mu |v| <= theta < sqrt 2`, and write `w(u)` for w on the real line and `c(u) = 1 - r + r (1 - theta^2/2) e^(t(u))`.
//! Then `|w(z)| <= w(u)` and `Re w(z) >= c(u) > 0`, so that the bracket is analytic, `|w^a| <= w(u)^a`,
//! `|w^(1-a)| <= c(u)^(1-a)`, `|ln w| <= max(ln w(u), -ln c(u)) + pi/2`, and `|e^(-z^2/2)| = e^((v^2-u^2)/2)`. Both w
//! and c grow with u: on each of some parts of the rectangle the ends bound all of it. The bound of `|ln w|` is above
//! 1, so that its highest power bounds all of them. A panel on which the bound is small enough is left out by it, for
//! the rectangle holds the panel. Paper proof: `proofs/paper/moments.md`.

use rug::Float;

use super::folded::Generator;
use crate::compose::gauss_legendre::Rule;
use crate::curve::Direction;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real};

/// The precision of bounds.
const COARSE: u32 = 64;
/// Parts of a rectangle.
const PARTS: u32 = 12;
/// More panels, or nodes on each, are not taken.
const MOST_PANELS: f64 = 2000.0;
const MOST_NODES: f64 = 1000.0;
/// `mu |v|`, at most.
const TURN: f64 = 1.0;
/// The largest logarithm by which `c(u)^(1-a)` may exceed `w(u)^(1-a)`, about.
const LOOSE: f64 = 10.0;

/// The sample.
pub(super) struct Panels<'a> {
    pub rate: &'a Real,
    pub mu: &'a Real,
    pub of: Bracket<'a>,
}

/// The function that is integrated with the density.
pub(super) enum Bracket<'a> {
    /// That of a divergence.
    Divergence(&'a Generator),
    /// All powers of the loss up to this one.
    Powers(u32, Direction),
}

impl Bracket<'_> {
    /// The order of a divergence; what grows like the square of w is as one of order 2.
    fn order(&self) -> Option<&Real> {
        if let Bracket::Divergence(Generator::Power(order)) = self { Some(order) } else { None }
    }

    /// The values for `w - 1` and `ln w`.
    fn values(&self, order: Option<&Enclosure>, excess: &Enclosure, loss: &Enclosure) -> Vec<Enclosure> {
        let ratio = || excess + &Enclosure::one(excess.bits());
        match (self, order) {
            (Bracket::Divergence(_), None) => vec![excess * loss],
            // w^a - w and w^(1-a) - 1, each without the cancellation at w = 1.
            (Bracket::Divergence(_), Some(order)) => {
                let above = &(order - &Enclosure::one(order.bits())) * loss;
                vec![&(&above.expm1() * &ratio()) + &(-above).expm1()]
            }
            (Bracket::Powers(highest, direction), _) => {
                let (mut power, by) = match direction {
                    Direction::Backward => (Enclosure::one(loss.bits()), -loss),
                    _ => (ratio(), loss.clone()),
                };
                let mut next = || {
                    power = &power * &by;
                    power.clone()
                };
                (0..*highest).map(|_| next()).collect()
            }
        }
    }

    /// No less than the modulus of any of them, where `w(u)` and `c(u)` have these logarithms at most and at least.
    fn size(&self, order: Option<&Enclosure>, largest: &Enclosure, least: &Enclosure) -> Enclosure {
        let one = Enclosure::one(COARSE);
        let turned = || &largest.max(&-least) + &Enclosure::pi(COARSE).shift(-1);
        match (self, order) {
            (Bracket::Divergence(_), None) => &(&largest.exp() + &one) * &turned(),
            (Bracket::Divergence(_), Some(order)) => {
                let below = &(&one - order) * least;
                &(&(order * largest).exp() + &below.exp()) + &(&largest.exp() + &one)
            }
            (Bracket::Powers(highest, direction), _) => {
                let power = turned().pow(u64::from(*highest));
                if *direction == Direction::Backward { power } else { &power * &largest.exp() }
            }
        }
    }
}

/// One panel, with a bound in the rectangle about it.
struct Panel {
    low: Float,
    high: Float,
    bound: Enclosure,
}

/// All constants at one precision.
struct Constants {
    rate: Enclosure,
    /// 1 less the rate.
    rest: Enclosure,
    mu: Enclosure,
    half_square: Enclosure,
    order: Option<Enclosure>,
}

fn point(x: &Float, bits: u32) -> Enclosure {
    Enclosure::new(x.clone(), x.clone()).with_bits(bits)
}

impl Panels<'_> {
    /// The integrals between two places, each off by about `2^(scale - bits)`; `None` where that takes too many nodes.
    ///
    /// # Errors
    /// Those of the budget.
    pub fn integral(
        &self,
        (low, high): (&Float, &Float),
        (bits, scale): (u32, i32),
        budget: &Budget,
    ) -> Result<Option<Vec<Enclosure>>, Error> {
        let (mu, rate) = (self.mu.to_f64(), self.rate.to_f64());
        let order = self.of.order().map_or(2.0, Real::to_f64);
        let turn = TURN.min((2.0 * LOOSE / (order * rate)).sqrt());
        let height = Float::with_val(30, (turn / mu).min(1.0));
        let length = Float::with_val(53, high - low);
        let count = (length.to_f64() / (2.0 * height.to_f64())).ceil().max(1.0);
        if !(count <= MOST_PANELS && height > 0) {
            return Ok(None);
        }
        let coarse = self.constants(COARSE);
        let count = count as u32;
        let width = length / count;
        // The sum of the semi-axes of the ellipse of which the smaller one is the height.
        let rho = Float::with_val(30, (2.0 * height.to_f64() / width.to_f64()).portable_asinh().portable_exp());
        let (long, short) = axes(&rho);
        let half = point(&width, COARSE).shift(-1);
        let (beyond, height) = (&half * &(&long - &Enclosure::one(COARSE)), &half * &short);
        // cos(y) >= 1 - y^2/2.
        let cos = &Enclosure::one(COARSE) - &(&coarse.mu * &height).square().shift(-1);
        if *cos.lower() <= 0 {
            return Ok(None);
        }
        // What is left out at most: a part of what the whole may be off by.
        let small = Float::with_val(COARSE, Float::i_exp(1, scale.saturating_sub_unsigned(bits.saturating_add(16))));
        let (mut panels, mut left_out, mut total) = (Vec::new(), Enclosure::zero(COARSE), Enclosure::zero(COARSE));
        let mut end = low.clone();
        for part in 1..=count {
            budget.check()?;
            let next = if part == count {
                high.clone()
            } else {
                Float::with_val(high.prec(), low + &width * Float::with_val(53, part))
            };
            let range = (&point(&end, COARSE) - &beyond, &point(&next, COARSE) + &beyond);
            let bound = self.bound(&coarse, &cos, &range, &height);
            let size = &bound * &(&point(&next, COARSE) - &point(&end, COARSE));
            if *size.upper() < small {
                left_out = &left_out + &size;
            } else {
                total = &total + &size;
                panels.push(Panel { low: end.clone(), high: next.clone(), bound });
            }
            end = next;
        }
        if !total.is_bounded() {
            return Ok(None);
        }
        // `8 rho^(-2n)` times the total is to be below the goal.
        let wanted = f64::from(bits) - f64::from(scale) + f64::from(total.upper().get_exp().unwrap_or(scale)) + 6.0;
        let nodes = (wanted.max(8.0) / (2.0 * rho.to_f64().portable_log2())).ceil();
        if !(nodes <= MOST_NODES) {
            return Ok(None);
        }
        let nodes = (nodes as u32).next_multiple_of(2);
        let wide = (wanted.max(8.0) as u32).saturating_add(32);
        let rule = Rule::new(nodes, wide)?;
        let Some(share) = rule.error(&point(&rho, COARSE)) else { return Ok(None) };
        let fine = self.constants(wide);
        let density = (Enclosure::pi(wide).shift(1)).sqrt();
        let mut sums: Vec<Enclosure> = Vec::new();
        let mut off = left_out;
        for panel in &panels {
            let (low, high) = (point(&panel.low, wide), point(&panel.high, wide));
            let (half, middle) = ((&high - &low).shift(-1), (&high + &low).shift(-1));
            for (x, weight) in &rule.points {
                budget.check()?;
                let x = &middle + &(&half * &point(x, wide));
                let weight = &(weight * &half) * &(-x.square().shift(-1)).exp();
                let values = self.values(&fine, &x);
                sums.resize(values.len(), Enclosure::zero(wide));
                for (sum, value) in sums.iter_mut().zip(&values) {
                    *sum = &*sum + &(value * &weight);
                }
            }
            off = &off + &(&(&half.with_bits(COARSE) * &panel.bound) * &share);
        }
        Ok(Some(sums.iter().map(|sum| (sum / &density).widen(off.upper())).collect()))
    }

    fn constants(&self, bits: u32) -> Constants {
        let mu = self.mu.enclosure(bits);
        let order = self.of.order().map(|order| order.enclosure(bits));
        let rest = Real::one().sub(self.rate).enclosure(bits);
        Constants { rate: self.rate.enclosure(bits), rest, half_square: mu.square().shift(-1), mu, order }
    }

    /// The brackets.
    fn values(&self, with: &Constants, x: &Enclosure) -> Vec<Enclosure> {
        let noise = &(&with.mu * x) - &with.half_square;
        let excess = &with.rate * &noise.expm1();
        // Near -1 it does not tell how large the ratio is.
        let loss =
            if *excess.lower() < -0.5 { (&(&with.rate * &noise.exp()) + &with.rest).ln() } else { excess.log1p() };
        self.of.values(with.order.as_ref(), &excess, &loss)
    }

    /// No less than the modulus of the bracket times the density in a rectangle; `cos` is no more than that of `mu`
    /// times its height.
    fn bound(
        &self,
        with: &Constants,
        cos: &Enclosure,
        (low, high): &(Enclosure, Enclosure),
        height: &Enclosure,
    ) -> Enclosure {
        let rest = &with.rest;
        let grown = |u: &Enclosure| &with.rate * &(&(&with.mu * u) - &with.half_square).exp();
        let upper = |x: &Enclosure| point(x.upper(), COARSE);
        let lower = |x: &Enclosure| point(x.lower(), COARSE);
        let (start, length) = (lower(low), &upper(high) - &lower(low));
        let place = |part: u32| &start + &length.mul_u32(part).div_u32(PARTS);
        let mut most = Enclosure::zero(COARSE);
        for part in 0..PARTS {
            let (from, to) = (lower(&place(part)), upper(&place(part + 1)));
            let largest = (rest + &grown(&to)).ln();
            let least = (rest + &(&grown(&from) * cos)).ln();
            let size = self.of.size(with.order.as_ref(), &largest, &least);
            let near = if *from.lower() > 0 {
                from.square()
            } else if *to.upper() < 0 {
                to.square()
            } else {
                Enclosure::zero(COARSE)
            };
            let power = (&height.square() - &near).shift(-1);
            most = most.max(&(&size * &power.exp()));
        }
        // 1/sqrt(2 pi) < 1/2.
        upper(&most.shift(-1))
    }
}

/// Half the sum and half the difference of rho and its inverse.
fn axes(rho: &Float) -> (Enclosure, Enclosure) {
    let rho = point(rho, COARSE);
    let inverse = rho.recip();
    ((&rho + &inverse).shift(-1), (&rho - &inverse).shift(-1))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Point = (f64, f64);

    fn times(a: Point, b: Point) -> Point {
        (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
    }

    fn exp(z: Point) -> Point {
        (z.0.portable_exp() * z.1.portable_cos(), z.0.portable_exp() * z.1.portable_sin())
    }

    /// The highest bracket times the density at a complex place, in doubles.
    fn at(rate: f64, mu: f64, of: &Bracket, z: Point) -> f64 {
        let grown = exp((mu * z.0 - mu * mu / 2.0, mu * z.1));
        let w = (1.0 - rate + rate * grown.0, rate * grown.1);
        let log = (w.0.portable_hypot(w.1).portable_ln(), w.1.portable_atan2(w.0));
        let power = |a: f64| exp((a * log.0, a * log.1));
        let bracket = match of {
            Bracket::Divergence(Generator::Entropy) => times((w.0 - 1.0, w.1), log),
            Bracket::Divergence(Generator::Power(a)) => {
                let (above, below) = (power(a.to_f64()), power(1.0 - a.to_f64()));
                (above.0 + below.0 - w.0 - 1.0, above.1 + below.1 - w.1)
            }
            Bracket::Powers(highest, direction) => {
                let first = if *direction == Direction::Backward { (1.0, 0.0) } else { w };
                (0..*highest).fold(first, |power, _| times(power, log))
            }
        };
        let square = times(z, z);
        let weight = exp((-square.0 / 2.0, -square.1 / 2.0));
        let value = times(bracket, weight);
        value.0.portable_hypot(value.1) / (2.0 * std::f64::consts::PI).sqrt()
    }

    /// What is said of a rectangle holds at its points, those of its upper side among them, and is not far above them.
    #[test]
    fn bounds_hold_in_their_rectangles() {
        let real = |x: f64| Real::from(rug::Rational::from_f64(x).expect("a double"));
        for (rate, mu) in [(0.01, 1.0), (0.5, 2.0), (1.0, 0.25)] {
            let [low, middle, high] = [1.5, 6.0, 30.0].map(|order| Generator::Power(real(order)));
            for of in [
                Bracket::Divergence(&Generator::Entropy),
                Bracket::Divergence(&low),
                Bracket::Divergence(&middle),
                Bracket::Divergence(&high),
                Bracket::Powers(1, Direction::Forward),
                Bracket::Powers(5, Direction::Forward),
                Bracket::Powers(2, Direction::Backward),
            ] {
                let (own_rate, own_mu) = (real(rate), real(mu));
                let order = of.order().map_or(2.0, Real::to_f64);
                let powers = matches!(of, Bracket::Powers(..));
                let panels = Panels { rate: &own_rate, mu: &own_mu, of };
                let coarse = panels.constants(COARSE);
                let turn = TURN.min((2.0 * LOOSE / (order * rate)).sqrt());
                let height = (turn / mu).min(1.0);
                for start in [-6.0, -1.0, 0.0, 1.0, 6.0] {
                    let set = |x: f64| Enclosure::double(x, COARSE);
                    let cos = set(1.0 - (mu * height).powi(2) / 2.0);
                    let range = (set(start), set(start + 2.0 * height));
                    let bound = panels.bound(&coarse, &cos, &range, &set(height)).upper().to_f64();
                    let mut most = 0.0_f64;
                    for i in 0..=40 {
                        for j in 0..=8 {
                            let z = (start + 2.0 * height * f64::from(i) / 40.0, height * f64::from(j) / 8.0);
                            most = most.max(at(rate, mu, &panels.of, z));
                        }
                    }
                    assert!(most < bound, "{rate} {mu} {order} {start}: {most} {bound}");
                    // Powers of what is nearly 0 are far below those of pi/2.
                    assert!(
                        powers || start < -1.0 || bound < 1e6 * most,
                        "{rate} {mu} {order} {start}: {most} {bound}"
                    );
                }
            }
        }
    }

    /// An integral is the sum of those of two parts, on other panels.
    #[test]
    fn integrals_add_up() {
        let (rate, mu) = ("1/7".parse::<Real>().expect("a rate"), "3/2".parse::<Real>().expect("a mu"));
        for generator in [Generator::Entropy, Generator::Power("9/4".parse().expect("an order"))] {
            let panels = Panels { rate: &rate, mu: &mu, of: Bracket::Divergence(&generator) };
            let float = |x: f64| Float::with_val(80, x);
            let part = |low: f64, high: f64| {
                let found = panels.integral((&float(low), &float(high)), (90, 0), &Budget::default()).expect("a rule");
                found.expect("few nodes").remove(0)
            };
            let (whole, parts) = (part(0.75, 16.0), &part(0.75, 2.5) + &part(2.5, 16.0));
            assert!(whole.overlaps(&parts), "{generator:?}: {whole:?} {parts:?}");
            assert!(whole.relative_bits() > Some(80), "{whole:?}");
        }
    }
}
