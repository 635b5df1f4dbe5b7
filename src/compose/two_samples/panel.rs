//! How wrong the rule of Gauss and Legendre is on one panel: by a bound of the strips on a rectangle in the complex
//! plane.
//!
//! `z = x + i h` with `0 <= mu_1 h < pi` and `R_1 = 1 - r_1 + r_1 e^(mu_1 z - mu_1^2/2)` on or above the real axis:
//! there R_1 is no negative number and not 0, and `D = E - (1-r_2) R_1` is on or below the axis, and not 0 if it is
//! positive at the right end. So the height of the boundary `Y = mu_2/2 + (ln D - ln(r_2 R_1))/mu_2` is analytic, and
//! with it what a strip adds. As `|Q(a + ib)| <= e^(b^2/2) Q(a)` and `Q(a) <= e^(-a^2/2)/2` for `a >= 0`, `Q <= 1`,
//! moduli of R_1 and D and their arguments bound it. The other half of the rectangle is the mirror image.
//!
//! Where `r_1 e^(mu_1 x - mu_1^2/2) < 1 - r_1`, and D is positive at the right end, both are in the right half plane
//! however high the rectangle is.

use rug::Float;

use super::boundary::{Boundary, COARSE};
use crate::compose::gauss_legendre::Rule;
use enclosure::{Complex, Enclosure, Portable};

/// Parts of the upper side of the rectangle, at least and at most.
const TOP: u32 = 4;
const MOST_TOP: u32 = 32;
/// Parts of each half of the sides.
const SIDE: u32 = 2;
/// A panel of one side of the corner.
pub(super) struct Panel<'a> {
    /// To few bits.
    pub boundary: &'a Boundary<'a>,
    pub side: usize,
    pub low: Float,
    pub high: Float,
    /// About the height of the rectangle.
    pub height: f64,
}

impl Panel<'_> {
    /// Half of its length, and its middle.
    pub fn half(&self, bits: u32) -> (Enclosure, Enclosure) {
        let end = |x: &Float| Enclosure::new(x.clone(), x.clone()).with_bits(bits);
        let (low, high) = (end(&self.low), end(&self.high));
        ((&high - &low).shift(-1), (&high + &low).shift(-1))
    }

    /// No less than the error of the rule ([`Rule::error`]); `None` where there is no bound.
    pub fn error(&self, rule: &Rule) -> Option<Enclosure> {
        let (half, _) = self.half(COARSE);
        let wide = half.upper().to_f64();
        let rho = Enclosure::double((self.height / wide).portable_asinh().portable_exp(), COARSE);
        if !(*rho.lower() > 1) || !rho.is_bounded() {
            return None;
        }
        let inverse = rho.recip();
        let (long, short) = ((&rho + &inverse).shift(-1), (&rho - &inverse).shift(-1));
        let gap = &long - &Enclosure::one(COARSE);
        let bound = self.bound(&(&half * &gap), &(&half * &short))?;
        let error = &(&half * &bound) * &rule.error(&rho)?;
        error.is_bounded().then(|| error.positive_part())
    }

    /// No less than the modulus of a strip in a rectangle so much longer than the panel at both ends, and so high.
    fn bound(&self, beyond: &Enclosure, height: &Enclosure) -> Option<Enclosure> {
        let point = |x: &Float| Enclosure::new(x.clone(), x.clone()).with_bits(COARSE);
        let low = point((&point(&self.low) - beyond).lower());
        let high = point((&point(&self.high) + beyond).upper());
        let height = point(height.upper());
        let [one, other] = [&self.boundary.samples[self.side], &self.boundary.samples[1 - self.side]];
        let turn = &one.mu * &height;
        // All the way round R_1 stays in the right half plane, and D where it is there at the right end.
        if turn.upper() >= Enclosure::pi(COARSE).lower() && !(*(&one.rest - &one.grown(&high)).lower() > 0) {
            return None;
        }
        if !(*(&self.boundary.level - &(&other.rest * &one.ratio(&high))).lower() > 0) {
            return None;
        }
        let between = |from: &Enclosure, to: &Enclosure, share: u32, of: u32| {
            from + &(&(to - from) * &Enclosure::integer(&share.into(), COARSE)).div_u32(of)
        };
        let zero = Enclosure::zero(COARSE);
        let mut most = zero.clone();
        // Far out, where densities are steep, more parts.
        let steep = (high.upper().to_f64() - low.lower().to_f64()) * high.upper().to_f64().abs();
        let top = (steep.ceil().min(f64::from(MOST_TOP)) as u32).max(TOP);
        for part in 0..top {
            let x = between(&low, &high, part, top).hull(&between(&low, &high, part + 1, top));
            most = most.max(&self.modulus(&x, &height)?);
        }
        for part in 0..SIDE {
            let h = between(&zero, &height, part, SIDE).hull(&between(&zero, &height, part + 1, SIDE));
            most = most.max(&self.modulus(&low, &h)?).max(&self.modulus(&high, &h)?);
        }
        most.is_bounded().then_some(most)
    }

    /// No less than the modulus of a strip, and of what is subtracted in it, at `x + ih`, for all points of both sets.
    fn modulus(&self, x: &Enclosure, h: &Enclosure) -> Option<Enclosure> {
        let boundary = self.boundary;
        let [one, other] = [&boundary.samples[self.side], &boundary.samples[1 - self.side]];
        let (cos, sin) = turned(&(&one.mu * h));
        let grown = &one.rate * &(&(&one.mu * x) - &one.half).exp();
        // R_1 and D, with the imaginary part of D mirrored.
        let ratio = (&one.rest + &(&grown * &cos), &grown * &sin);
        let d = (&boundary.level - &(&other.rest * &ratio.0), &other.rest * &ratio.1);
        let modulus = |z: &(Enclosure, Enclosure)| (&z.0.square() + &z.1.square()).sqrt();
        let (size, d_size) = (modulus(&ratio), modulus(&d));
        let s = &size * &other.rate;
        let argument = &above(&ratio)? + &above(&d)?;
        let im = &argument.min(&Enclosure::pi(COARSE)) / &other.mu;
        let re = &(&(&d_size / &s).ln() / &other.mu) + &other.mu.shift(-1);
        // ln |phi Q| without the ends of Q.
        let grows = &(&im.square() + &h.square()).shift(-1) - &x.square().shift(-1);
        let term = |weight: &Enclosure, a: &Enclosure| {
            let a = a.positive_part();
            let value = weight * &(&grows - &a.square().shift(-1)).exp();
            Enclosure::new(Float::new(COARSE), value.upper().clone())
        };
        let moved = &re - &other.mu;
        let (sum, less) = if boundary.backward {
            let near = term(&s, &-&moved);
            let less = &term(&(&other.rest * &size), &-&re) + &near;
            (&(&term(&d_size, &-&re) + &near) / &boundary.level, &less / &boundary.level)
        } else {
            (&term(&d_size, &re) + &term(&s, &moved), term(&boundary.level, &re))
        };
        let sum = sum.max(&less);
        // 1/sqrt(2 pi) < 1/2.
        let bound = sum.shift(-1);
        bound.is_bounded().then(|| Enclosure::new(Float::new(COARSE), bound.upper().clone()))
    }
}

/// The cosine and the modulus of the sine of angles from 0 on: between 0 and pi, or any.
fn turned(angle: &Enclosure) -> (Enclosure, Enclosure) {
    let unit = Enclosure::one(COARSE);
    if angle.upper() >= Enclosure::pi(COARSE).lower() {
        return ((-&unit).hull(&unit), Enclosure::zero(COARSE).hull(&unit));
    }
    let at = |end: &Float| Complex::cis(&Enclosure::new(end.clone(), end.clone()), COARSE);
    let (first, last) = (at(angle.lower()), at(angle.upper()));
    // The cosine falls; the sine is concave.
    let cos = first.re().hull(&last.re());
    let sin = first.im().hull(&last.im()).positive_part();
    let quarter = Enclosure::pi(COARSE).shift(-1);
    let sin = if angle.overlaps(&quarter) { sin.hull(&unit) } else { sin };
    (cos.min(&unit).max(&-&unit), sin.min(&unit))
}

/// From 0 to the largest argument of a set above the real axis; `None` if 0 may be in it.
fn above(z: &(Enclosure, Enclosure)) -> Option<Enclosure> {
    let (re, im) = z;
    let point = |x: &Float| Enclosure::new(x.clone(), x.clone());
    let zero = Enclosure::zero(COARSE);
    let most = if *re.lower() > 0 {
        (&point(im.upper()) / &point(re.lower())).atan()
    } else if *im.lower() > 0 {
        let slope = &point(re.lower()) / &point(im.lower());
        &Enclosure::pi(COARSE).shift(-1) - &slope.atan()
    } else if *re.upper() < 0 {
        Enclosure::pi(COARSE)
    } else {
        return None;
    };
    Some(zero.hull(&most))
}
