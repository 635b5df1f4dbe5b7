//! The integral over one half by the rule of Gauss and Legendre on panels, with all its errors.
//!
//! With `c + iu = s`, both integrands are `w^r e^(+-iu ln w) g`, g the density of y and r one of `1 + c` and `-c`.
//!
//! **The rule.** [`Rule::error`] takes a bound in the ellipse around a panel of half-length d, of which the smaller
//! semi-axis is `v = d (rho - 1/rho)/2 < 1`. It lies in the rectangle of that height, which is cut into pieces with
//! real parts in `[x_0, x_1]`. There `|w| <= w(x_1)`, `|w| >= Re w >= q + p e^(x_0) cos v > 0`, and `|arg w| <= A`,
//! with
//!
//! `A = v min(1, p e^(x_1)/(w(x_1) cos v))`,
//!
//! for w lies between the directions 0 and v, and along a vertical line `arg w` moves by `Re (p e^y/w)`, which is at
//! most `p e^x/(w(x) cos v)`, rising with x. So `|w^r e^(+-iu ln w)| <= |w|^r e^(|u| A)`. The density of Gaussian noise
//! is `e^(-(y + mu^2/2)^2/(2 mu^2))/(mu sqrt(2 pi))`, of modulus at most `e^((v^2 - n^2)/(2 mu^2))/(mu sqrt(2 pi))`, n
//! the distance of `[x_0, x_1]` from `-mu^2/2`; that of Laplace noise has the modulus `e^(-(x + l)/2)/4`.
//!
//! **Panels left out.** Their ellipses hold them; on the axis there is no `e^(|u| A)`.
//!
//! **The tail.** Beyond Y, in units of the noise `X = (Y + mu^2/2)/mu`, `w <= (p + q e^-Y) e^y`, so that for `r >= 0`
//! and `X >= r mu` the integral is at most
//! `(p + q e^-Y)^r e^(r(r-1) mu^2/2) (1-Phi)(X - r mu) <= w(Y)^r e^(-X^2/2)/2`, by `(1-Phi)(x) <=
//! e^(-x^2/2)/2`; and for `r < 0` it is that, too, for there `w^r <= w(Y)^r` and `X >= 0`. Left of Y, `X <= 0`, w is
//! between q and `w(Y)`, and the integral at most `max(q^r, w(Y)^r) e^(-X^2/2)/2`.

use rug::float::Round::Up;
use rug::{Float, Rational};

use super::search::Layout;
use super::{Half, Mirrored, Noise, Parts, bits_of};
use crate::compose::gauss_legendre::Rule;
use crate::error::Error;
use enclosure::special::{exp_thin, recip_sqrt_two_pi};
use enclosure::{Budget, Complex, Enclosure};

/// The precision of bounds.
const COARSE: u32 = 64;
/// Pieces of a rectangle.
const PIECES: u32 = 4;

/// A node with its weight and the density in it, on the line through c.
pub(super) struct Node {
    /// Times `w^(1+c)`, and times `w^(-c)`.
    pub moduli: [Enclosure; 2],
    /// `ln w`.
    pub log: Enclosure,
}

/// What the integral comes to.
pub(super) struct Nodes {
    pub list: Vec<Node>,
    /// What their sum is off by at most.
    pub error: Float,
}

/// Bounds about one panel.
struct Bound {
    /// In the ellipse, for all ordinates.
    around: Enclosure,
    /// On the axis.
    on: Enclosure,
}

fn point(x: &Float, bits: u32) -> Enclosure {
    Enclosure::new(x.clone(), x.clone()).with_bits(bits)
}

fn refused() -> Error {
    Error::undecided("the panels of the integral for a sample of fixed size are too wide".to_string())
}

/// Half of `rho + 1/rho` and of `rho - 1/rho`.
fn axes(rho: &Enclosure) -> (Enclosure, Enclosure) {
    let inverse = rho.recip();
    ((rho + &inverse).shift(-1), (rho - &inverse).shift(-1))
}

impl Mirrored {
    /// The nodes on the line through c, each to about `bits` bits of `M(c)`, for ordinates up to `most`, which is
    /// about `reach`.
    pub(super) fn nodes(
        &self,
        layout: &Layout,
        c: &Rational,
        (bits, reach): (u32, f64),
        most: &Enclosure,
        budget: &Budget,
    ) -> Result<Nodes, Error> {
        let surplus = self.surplus(c.to_f64(), reach, layout.outer);
        let coarse = self.parts(COARSE.saturating_add(surplus), budget)?;
        let fine = self.parts(bits.saturating_add(surplus), budget)?;
        let (start, end) = self.ends(&fine, layout).ok_or_else(refused)?;
        let (first, last) = self.ends(&coarse, layout).ok_or_else(refused)?;
        let (near, far) = (&end - &start, &last - &first);
        let rho = Enclosure::double(layout.rho, coarse.bits);
        // A place that is off is off by as much more as the integrand is larger in the ellipse. The same bits serve
        // neighbouring questions.
        let key = (layout.nodes, fine.bits.max(layout.bits).next_multiple_of(64));
        let rule = Rule::kept(key.0, key.1)?;
        let share = rule.error(&rho).ok_or_else(refused)?;
        let panels = |parts: &Parts, number: u32| parts.rational(&Rational::from((number, 2 * layout.panels)));
        let (half, wide) = (&near * &panels(&fine, 1), &far * &panels(&coarse, 1));
        let small = Float::with_val(COARSE, layout.small).exp();
        let (powers, fine_powers) = (coarse.powers(c), fine.powers(c));
        let scale = self.scale(&fine);
        let mut list = Vec::new();
        let mut error = match self.noise {
            Noise::Gaussian(_) => self.tail(&coarse, if self.half == Half::Right { &last } else { &first }, &powers)?,
            Noise::Laplace(_) => Enclosure::zero(COARSE),
        };
        for panel in 0..layout.panels {
            budget.check()?;
            let centre = &first + &(&far * &panels(&coarse, 2 * panel + 1));
            let bound = self.bound(&coarse, (&centre, &wide), &rho, &powers, most).ok_or_else(refused)?;
            if *bound.on.upper() < small {
                error = &error + &(&bound.on * &wide.shift(1));
                continue;
            }
            error = &error + &(&(&bound.around * &wide) * &share);
            let middle = &start + &(&near * &panels(&fine, 2 * panel + 1));
            for (x, weight) in &rule.points {
                let y = &middle + &(&half * &point(x, fine.bits));
                let mass = &self.density(&fine, &y, &scale) * &(weight * &half);
                let log = fine.log_ratio(&y);
                let moduli = fine_powers.each_ref().map(|power| &mass * &exp_thin(&(power * &log), fine.bits));
                list.push(Node { moduli, log });
            }
        }
        if !error.is_bounded() {
            return Err(refused());
        }
        Ok(Nodes { list, error: Float::with_val_round(COARSE, error.upper(), Up).0 })
    }

    /// What g is an exponential times.
    pub(super) fn scale(&self, parts: &Parts) -> Enclosure {
        match self.noise {
            Noise::Gaussian(_) => &recip_sqrt_two_pi(parts.bits) / &parts.size,
            Noise::Laplace(_) => Enclosure::one(parts.bits).shift(-2),
        }
    }

    /// g, enclosed.
    pub(super) fn density(&self, parts: &Parts, y: &Enclosure, scale: &Enclosure) -> Enclosure {
        let exponent = match self.noise {
            Noise::Gaussian(_) => (&(y / &parts.size) + &parts.size.shift(-1)).square().shift(-1),
            Noise::Laplace(_) => (y + &parts.size).shift(-1),
        };
        &exp_thin(&-exponent, parts.bits) * scale
    }

    /// Bounds about a panel; `None` where the argument does not go through.
    fn bound(
        &self,
        parts: &Parts,
        (centre, half): (&Enclosure, &Enclosure),
        rho: &Enclosure,
        powers: &[Enclosure; 2],
        most: &Enclosure,
    ) -> Option<Bound> {
        let (long, short) = axes(rho);
        let (long, v) = (half * &long, half * &short);
        if !(*v.upper() < 1) {
            return None;
        }
        let cos = Complex::cis(&v, parts.bits).re();
        let place = |piece: u32| centre + &(&long * &parts.rational(&(Rational::from((2 * piece, PIECES)) - 1u32)));
        let scale = match self.noise {
            Noise::Gaussian(_) => &recip_sqrt_two_pi(COARSE) / &parts.size,
            Noise::Laplace(_) => Enclosure::one(COARSE).shift(-2),
        };
        let (mut around, mut on) = (Enclosure::zero(COARSE), Enclosure::zero(COARSE));
        for piece in 0..PIECES {
            let (low, high) = (place(piece), place(piece + 1));
            let log = parts.log_ratio(&high);
            let least = (&parts.q + &(&(&parts.p * &exp_thin(&low, parts.bits)) * &cos)).ln();
            let density = match self.noise {
                Noise::Gaussian(_) => {
                    let lean = parts.size.square().shift(-1);
                    let [from, to] = [&low, &high].map(|end| end + &lean);
                    let near = from.positive_part().max(&(-to).positive_part());
                    &(&v.square() - &near.square()) / &parts.size.square().shift(1)
                }
                Noise::Laplace(_) => -(&low + &parts.size).shift(-1),
            };
            let mut size = Enclosure::zero(COARSE);
            for power in powers {
                let exponent = power * if *power.lower() >= 0 { &log } else { &least };
                size = &size + &exp_thin(&(&exponent + &density), COARSE);
            }
            let size = &size * &scale;
            let turned = &(&parts.p * &exp_thin(&(&high - &log), parts.bits)) / &cos;
            let turned = &v * &turned.min(&Enclosure::one(parts.bits));
            around = around.max(&(&size * &exp_thin(&(most * &turned), COARSE)));
            on = on.max(&size);
        }
        Some(Bound { around, on })
    }

    /// What is beyond the last panel, of Gaussian noise.
    fn tail(&self, parts: &Parts, outer: &Enclosure, powers: &[Enclosure; 2]) -> Result<Enclosure, Error> {
        let place = &(outer / &parts.size) + &parts.size.shift(-1);
        let log = parts.log_ratio(outer);
        if self.half == Half::Left {
            if *place.upper() > 0 {
                return Err(refused());
            }
            let least = parts.q.ln();
            return Ok(powers.iter().fold(Enclosure::zero(COARSE), |sum, power| {
                let most = (power * &log).max(&(power * &least));
                &sum + &exp_thin(&(&most - &place.square().shift(-1)), COARSE).shift(-1)
            }));
        }
        let mut sum = Enclosure::zero(COARSE);
        for power in powers {
            let fall = &place - &(power * &parts.size);
            if *fall.lower() < 0 {
                return Err(refused());
            }
            sum = &sum + &exp_thin(&(&(power * &log) - &place.square().shift(-1)), COARSE).shift(-1);
        }
        Ok(sum)
    }

    /// Bits of so many nodes.
    pub(super) fn bits_of_sums(layout: &Layout) -> u32 {
        bits_of(f64::from(layout.panels) * f64::from(layout.nodes) * 2.0 + 3.0)
    }
}
