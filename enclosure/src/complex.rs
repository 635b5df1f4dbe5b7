//! Complex enclosures: discs.
//!
//! **Contract.** For every operation `f` here and all complex `z_i` in the input discs, `f(z_1, z_2, ...)` lies in the
//! output disc. The centre is rounded to nearest. The radius, rounded up, covers the radii of the inputs and the two
//! rounding errors of the centre. See `proofs/paper/discs.md`.
//!
//! The crate uses discs, not boxes, because callers multiply by powers of a rotation. A box that is rotated by 45
//! degrees and boxed again grows by `sqrt 2` each time; a disc does not grow. So the error of the `m`-th power is `m`
//! roundings instead of `2^(m/2)`.

use std::ops::{Add, Mul, Neg, Sub};

use rug::Float;
use rug::float::Round::{Down, Up};

use super::magnitude::Magnitude;
use super::{Enclosure, products, work};

/// Precision of lower bounds of moduli.
const BOUND_BITS: u32 = 64;

/// Units of work of the radius of a product.
const DISC: u64 = 100;

/// The disc `{ z : |z - (re + i im)| <= radius }`.
#[derive(Clone, Debug)]
pub struct Complex {
    re: Float,
    im: Float,
    radius: Magnitude,
}

impl Complex {
    /// Exactly one.
    pub fn one(bits: u32) -> Self {
        Complex { re: Float::with_val(bits, 1), im: Float::new(bits), radius: Magnitude::ZERO }
    }

    /// Exactly zero.
    pub fn zero(bits: u32) -> Self {
        Complex { re: Float::new(bits), im: Float::new(bits), radius: Magnitude::ZERO }
    }

    /// The disc of this centre and radius; unbounded for a radius that is not a number `>= 0`.
    pub fn disc(re: Float, im: Float, radius: &Float) -> Self {
        let radius = if *radius >= 0 { Magnitude::of(radius) } else { Magnitude::INFINITE };
        Complex { re, im, radius }
    }

    /// The real and the imaginary part of the centre.
    pub fn centre(&self) -> (&Float, &Float) {
        (&self.re, &self.im)
    }

    /// The centre, by value.
    pub fn into_centre(self) -> (Float, Float) {
        (self.re, self.im)
    }

    /// The radius: the largest distance of a point from the centre.
    pub fn radius(&self) -> Float {
        self.radius.float()
    }

    /// A real enclosure, as a disc around a real centre; the imaginary part of the centre is exactly zero.
    pub fn real(value: &Enclosure, bits: u32) -> Self {
        let (re, radius) = middle(value, bits);
        Complex { re, im: Float::new(bits), radius }
    }

    /// `re + i im`, both parts enclosed.
    pub fn from_parts(re: &Enclosure, im: &Enclosure, bits: u32) -> Self {
        let ((re, mut radius), (im, other)) = (middle(re, bits), middle(im, bits));
        radius += other;
        Complex { re, im, radius }
    }

    /// `e^(i angle) = cos(angle) + i sin(angle)`.
    ///
    /// Around the middle `m` of the enclosure, `|e^(i angle) - e^(i m)| <= |angle - m|`.
    pub fn cis(angle: &Enclosure, bits: u32) -> Self {
        work::spend_function(angle.bits());
        let (middle, mut radius) = middle(angle, angle.bits());
        let (im, re) = middle.sin_cos(Float::new(bits));
        radius += Magnitude::rounding(&re) + Magnitude::rounding(&im);
        Complex { re, im, radius }
    }

    /// `e^z` for `z = re + i im`, both parts enclosed.
    pub fn exp(re: &Enclosure, im: &Enclosure, bits: u32) -> Self {
        &Self::real(&re.exp(), bits) * &Self::cis(im, bits)
    }

    /// An enclosure of the real parts of the points; the whole line if the disc is unbounded.
    pub fn re(&self) -> Enclosure {
        self.part(&self.re)
    }

    /// An enclosure of the imaginary parts of the points; the whole line if the disc is unbounded.
    pub fn im(&self) -> Enclosure {
        self.part(&self.im)
    }

    fn part(&self, centre: &Float) -> Enclosure {
        if !centre.is_finite() || !self.radius.is_finite() {
            return Enclosure::whole(centre.prec());
        }
        let point = Enclosure::new(centre.clone(), centre.clone());
        point.widen(&self.radius.float())
    }

    /// Upper bound on the modulus of all points of the disc.
    pub fn modulus_upper(&self) -> Float {
        (self.centre_modulus() + self.radius).float()
    }

    /// `|re + i im|`.
    fn centre_modulus(&self) -> Magnitude {
        Magnitude::of(&self.re).hypot(Magnitude::of(&self.im))
    }

    /// What the radii can do to a product: `|z w - c d| <= |c| s + |d| r + r s` for discs of centres `c`, `d` and radii
    /// `r`, `s`.
    fn product_radius(&self, other: &Self) -> Magnitude {
        let mut radius = Magnitude::ZERO;
        if !other.radius.is_zero() {
            radius += (self.centre_modulus() + self.radius) * other.radius;
        }
        if !self.radius.is_zero() {
            radius += other.centre_modulus() * self.radius;
        }
        radius
    }

    /// The real parts of `z w`, for half the work of the product.
    pub fn re_of_product(&self, other: &Self) -> Enclosure {
        let bits = self.re.prec().max(other.re.prec());
        let re = products::difference(bits, (&self.re, &other.re), (&self.im, &other.im));
        let radius = self.product_radius(other) + Magnitude::rounding(&re);
        if !radius.is_finite() || !re.is_finite() {
            return Enclosure::whole(bits);
        }
        Enclosure::new(re.clone(), re).widen(&radius.float())
    }

    /// The disc with its radius enlarged by `error >= 0`.
    pub fn widen(mut self, error: &Float) -> Self {
        self.radius += Magnitude::of(error);
        self
    }

    /// The complex conjugates.
    pub fn conjugate(&self) -> Self {
        Complex { re: self.re.clone(), im: Float::with_val(self.im.prec(), -&self.im), radius: self.radius }
    }

    /// `1/z`; unbounded if the disc may hold zero.
    ///
    /// With centre `c`, radius `r < |c|`: `|1/z - 1/c| = |z - c| / (|z| |c|) <= r / ((|c| - r) |c|)`.
    pub fn recip(&self) -> Self {
        let bits = self.re.prec();
        let wide = bits.saturating_add(8);
        let modulus = self.centre_at_least();
        let nearest = Float::with_val_round(BOUND_BITS, &modulus - &self.radius.float(), Down).0;
        if nearest.is_nan() || nearest <= 0 || !self.re.is_finite() || !self.im.is_finite() {
            return Complex { radius: Magnitude::INFINITE, ..Self::zero(bits) };
        }
        // |c|^2 has relative error at most 2^-wide, so has each quotient of it, up to second order: together with the
        // rounding of the quotient, below four units in the last of `bits` places by a wide margin.
        let square = products::sum(wide, (&self.re, &self.re), (&self.im, &self.im));
        // Not where the square left the range of exponents, or came near its end: then no error bound is relative.
        if square.get_exp().is_none_or(|exponent| exponent.unsigned_abs() >= 1 << 28) {
            return Complex { radius: Magnitude::INFINITE, ..Self::zero(bits) };
        }
        let re = Float::with_val(bits, &self.re / &square);
        let im = Float::with_val(bits, &self.im / &square);
        let per_area = Float::with_val_round(BOUND_BITS, &nearest * &modulus, Down).0;
        let per_area = Float::with_val_round(BOUND_BITS, 1 / &per_area, Up).0;
        let rounding = Magnitude::rounding(&re) + Magnitude::rounding(&im);
        let radius = self.radius * Magnitude::of(&per_area) + rounding + rounding;
        Complex { re, im: -im, radius }
    }

    /// A lower bound of the modulus of the centre.
    fn centre_at_least(&self) -> Float {
        let square = |x: &Float| {
            let mut x = Float::with_val_round(BOUND_BITS, x.abs_ref(), Down).0;
            x.square_round(Down);
            x
        };
        let mut modulus = Float::with_val_round(BOUND_BITS, &square(&self.re) + &square(&self.im), Down).0;
        modulus.sqrt_round(Down);
        modulus
    }

    /// `z^n` by repeated squaring, with `z^0 = 1`.
    pub fn pow(&self, mut exponent: u64) -> Self {
        if let Some(power) = self.power_of_centre(exponent) {
            return power;
        }
        let mut result = None;
        let mut square = self.clone();
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = Some(match &result {
                    Some(result) => result * &square,
                    None => square.clone(),
                });
            }
            exponent /= 2;
            if exponent > 0 {
                square = square.square();
            }
        }
        result.unwrap_or_else(|| Self::one(self.re.prec()))
    }

    /// The power of the centre with one bound of all that it may be off by; `None` where that is not small, or
    /// exponents are large.
    ///
    /// With p bits and `e = 2^-p` each component of a product of floats is rounded once, which is off by at most e
    /// times the modulus. A power by squaring has `n - 1` roundings of such products in it, each to its own
    /// multiplicity, so it is `c^n (1 + d)` with `|d| <= (1 + e)^(n-1) - 1`. With `h = r/|c|` the points of the disc
    /// are `c (1 + x)`, `|x| <= h`, and their powers are `c^n (1 + y)`, `|y| <= (1 + h)^n - 1`. For
    /// `t = n (h + 2e) <= 1/4` both together are below `1.5 t` times the modulus of what was computed.
    fn power_of_centre(&self, exponent: u64) -> Option<Self> {
        let bits = self.re.prec().max(self.im.prec());
        let near = |x: &Float| x.get_exp().map(|size| u64::from(size.unsigned_abs()) + 2);
        let far = near(&self.re)?.max(near(&self.im)?);
        // Nothing on the way, nor a unit of it, comes near to an end of the range of exponents.
        let range = rug::float::exp_max().min(rug::float::exp_min().saturating_neg()).unsigned_abs();
        let reach = far.saturating_mul(exponent).saturating_add(u64::from(bits));
        if exponent < 2 || bits < BOUND_BITS || reach >= u64::from(range / 4) {
            return None;
        }
        let modulus = self.centre_at_least();
        let spread = Float::with_val_round(BOUND_BITS, &self.radius.float() / &modulus, Up).0;
        let unit = Float::with_val(BOUND_BITS, Float::i_exp(1, 1 - i32::try_from(bits).ok()?));
        let spread = Float::with_val_round(BOUND_BITS, &spread + &unit, Up).0;
        let spread = Float::with_val_round(BOUND_BITS, &spread * exponent, Up).0;
        // Not where it is no number, either.
        if !(spread <= 0.25) {
            return None;
        }
        let (mut re, mut im) = (self.re.clone(), self.im.clone());
        for place in (0..exponent.ilog2()).rev() {
            let next = products::difference(bits, (&re, &re), (&im, &im));
            im = Float::with_val(bits, &re * &im) << 1u32;
            re = next;
            if exponent >> place & 1 == 1 {
                let next = products::difference(bits, (&re, &self.re), (&im, &self.im));
                im = products::sum(bits, (&re, &self.im), (&im, &self.re));
                re = next;
            }
        }
        let power = Complex { re, im, radius: Magnitude::ZERO };
        let spread = Float::with_val_round(BOUND_BITS, &spread * 1.5_f64, Up).0;
        let radius = power.centre_modulus() * Magnitude::of(&spread);
        Some(Complex { radius, ..power })
    }

    /// `z^2`: a product, with `2 re im` for the sum of two equal ones.
    fn square(&self) -> Self {
        if self.im.is_zero() {
            return self * self;
        }
        let bits = self.re.prec();
        let re = products::difference(bits, (&self.re, &self.re), (&self.im, &self.im));
        let im = Float::with_val(bits, &self.re * &self.im) << 1u32;
        let radius = self.product_radius(self) + Magnitude::rounding(&re) + Magnitude::rounding(&im);
        Complex { re, im, radius }
    }
}

/// A point of the enclosure near its middle, and how far the others are from it at most.
fn middle(value: &Enclosure, bits: u32) -> (Float, Magnitude) {
    work::spend_linear(bits);
    let unbounded = || (Float::new(bits), Magnitude::INFINITE);
    if !value.is_bounded() {
        return unbounded();
    }
    let mut middle = Float::with_val(bits, value.lower() + value.upper());
    middle >>= 1;
    if !middle.is_finite() {
        return unbounded();
    }
    // Whichever end is farther.
    let above = Float::with_val_round(BOUND_BITS, value.upper() - &middle, Up).0;
    let below = Float::with_val_round(BOUND_BITS, &middle - value.lower(), Up).0;
    let radius = Magnitude::of(if above > below { &above } else { &below });
    (middle, radius)
}

impl Add for &Complex {
    type Output = Complex;
    fn add(self, other: &Complex) -> Complex {
        work::spend(DISC);
        work::spend_linear(self.re.prec());
        let bits = self.re.prec().max(other.re.prec());
        let re = Float::with_val(bits, &self.re + &other.re);
        let im = Float::with_val(bits, &self.im + &other.im);
        // A sum with zero is exact.
        let mut radius = self.radius + other.radius;
        for (sum, a, b) in [(&re, &self.re, &other.re), (&im, &self.im, &other.im)] {
            if !(a.is_zero() || b.is_zero()) {
                radius += Magnitude::rounding(sum);
            }
        }
        Complex { re, im, radius }
    }
}

impl Sub for &Complex {
    type Output = Complex;
    fn sub(self, other: &Complex) -> Complex {
        self + &-other
    }
}

impl Neg for &Complex {
    type Output = Complex;
    fn neg(self) -> Complex {
        Complex {
            re: Float::with_val(self.re.prec(), -&self.re),
            im: Float::with_val(self.im.prec(), -&self.im),
            radius: self.radius,
        }
    }
}

impl Mul for &Complex {
    type Output = Complex;
    fn mul(self, other: &Complex) -> Complex {
        work::spend(DISC);
        let bits = self.re.prec().max(other.re.prec());
        let (re, im) = if other.im.is_zero() {
            (Float::with_val(bits, &self.re * &other.re), Float::with_val(bits, &self.im * &other.re))
        } else if self.im.is_zero() {
            (Float::with_val(bits, &self.re * &other.re), Float::with_val(bits, &self.re * &other.im))
        } else {
            (
                products::difference(bits, (&self.re, &other.re), (&self.im, &other.im)),
                products::sum(bits, (&self.re, &other.im), (&self.im, &other.re)),
            )
        };
        let mut radius = self.product_radius(other) + Magnitude::rounding(&re);
        // Both factors real: the imaginary part is zero, exactly.
        if !(im.is_zero() && self.im.is_zero() && other.im.is_zero()) {
            radius += Magnitude::rounding(&im);
        }
        Complex { re, im, radius }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rug::Rational;

    fn point(x: (i64, i64)) -> Complex {
        let re = Enclosure::rational(&Rational::from((x.0, 1000)), 100);
        let im = Enclosure::rational(&Rational::from((x.1, 1000)), 100);
        &Complex::real(&re, 100) + &(&Complex::real(&im, 100) * &Complex::cis(&half_pi(), 100))
    }

    fn half_pi() -> Enclosure {
        Enclosure::pi(120).shift(-1)
    }

    proptest! {
        #[test]
        fn products_and_quotients_of_points(a in -9999i64..9999, b in -9999i64..9999, c in -9999i64..9999,
            d in 1i64..9999) {
            let (z, w) = (point((a, b)), point((c, d)));
            let exact = |x: i64, scale: i64| Rational::from((x, scale));
            let product = &z * &w;
            prop_assert!(product.re().contains(&exact(a * c - b * d, 1_000_000)));
            prop_assert!(product.im().contains(&exact(a * d + b * c, 1_000_000)));
            let quotient = &z * &w.recip();
            let norm = c * c + d * d;
            prop_assert!(quotient.re().contains(&exact(a * c + b * d, norm)));
            prop_assert!(quotient.im().contains(&exact(b * c - a * d, norm)));
            let difference = &z - &w;
            prop_assert!(difference.re().contains(&exact(a - c, 1000)));
            prop_assert!(z.re_of_product(&w).contains(&exact(a * c - b * d, 1_000_000)));
            let parts = |x: i64| Enclosure::rational(&exact(x, 1000), 100);
            let sum = &Complex::from_parts(&parts(a), &parts(b), 100) - &z;
            prop_assert!(sum.re().contains(&Rational::new()) && sum.im().contains(&Rational::new()));
            let cube = w.pow(3);
            prop_assert!(cube.re().contains(&exact(c * c * c - 3 * c * d * d, 1_000_000_000)));
            prop_assert!(cube.im().contains(&exact(3 * c * c * d - d * d * d, 1_000_000_000)));
        }
    }

    #[test]
    fn a_full_turn_loses_no_more_than_its_steps() {
        let step = Enclosure::pi(200).mul_u32(2).div_u32(1000);
        let turn = Complex::cis(&step, 200);
        let mut power = Complex::one(200);
        for _ in 0..1000 {
            power = &power * &turn;
        }
        assert!(power.re().contains(&Rational::from(1)));
        assert!(power.im().contains(&Rational::new()));
        assert!(power.re().relative_bits().is_some_and(|bits| bits > 180));
    }

    /// Points at the rim of a disc have their powers in the power of the disc, which is not much wider than they are
    /// far.
    #[test]
    fn powers_hold_those_of_the_rim() {
        let exact = |n: i64, bits: u32| Enclosure::rational(&Rational::from((n, 1000)), bits);
        for (re, im) in [(600, 797), (-950, 20), (3, -999)] {
            let centre = Complex::from_parts(&exact(re, 120), &exact(im, 120), 120);
            let little = Float::with_val(64, Float::i_exp(1, -70));
            let disc = centre.clone().widen(&little);
            for exponent in [2, 3, 10, 1000, 1 << 20] {
                let power = disc.pow(exponent);
                assert!(
                    power.radius()
                        < centre.pow(exponent).modulus_upper() * Float::with_val(64, exponent) * &little * 2u32
                );
                for turn in 0..8 {
                    let angle = Enclosure::pi(400).mul_u32(turn).shift(-2);
                    let (x, y) = disc.centre();
                    let point = |x: &Float| Enclosure::new(x.clone(), x.clone()).with_bits(400);
                    let way = Enclosure::new(little.clone(), little.clone()).with_bits(400);
                    let at = &Complex::from_parts(&point(x), &point(y), 400)
                        + &(&Complex::cis(&angle, 400) * &Complex::real(&way, 400));
                    let mut product = Complex::one(400);
                    let mut square = at;
                    for place in 0..64 {
                        if exponent >> place & 1 == 1 {
                            product = &product * &square;
                        }
                        if exponent >> place <= 1 {
                            break;
                        }
                        square = &square * &square;
                    }
                    let off = &power - &product;
                    let distance = off.centre().0.clone().hypot(off.centre().1);
                    assert!(distance <= power.radius(), "{re} {im} {exponent} {turn}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_inverted_is_unbounded() {
        let near_zero = Complex::zero(64).widen(&Float::with_val(32, 1e-9));
        assert!(!near_zero.recip().re().is_bounded());
        assert!(!(&Complex::one(64) * &near_zero.recip()).re().is_bounded());
    }
}
