//! The normal distribution function and its relatives: erf, erfc, erfcx, Mills' ratio, and logarithms of tails.
//!
//! With `y = x^2`, `phi` the density and `Q(x) = 1 - Phi(x)`:
//!
//! * `Phi(x) - 1/2 = x phi(x) f(y)` keeps its relative accuracy near zero;
//! * `Q(x) = 1/2 - x phi(x) f(y)` loses `y/2 log2(e) + log2(x)` bits, which are added beforehand;
//! * `Q(x) = phi(x) A(1/y) / x` loses none; it is used once the asymptotic series reaches the accuracy asked for.
//!
//! Values outside of MPFR's exponents (`Q(1e9)` is about `2^-(7e17)`) come out as `[0, smallest number]`; the
//! logarithms have no such limit.

use crate::Portable;
use rug::Float;
use rug::float::Round::{Down, Up};

use super::elementary::exp_thin;
use super::series::{asymptotic, kummer};
use crate::Error;
use crate::{Budget, Enclosure, Number};

/// Does the asymptotic series reach `bits` bits at `x^2 = y`? Its least term is about `e^{-y/2}`. An estimate only: the
/// series reports the error it has.
pub fn prefers_asymptotic(y: f64, bits: f64) -> bool {
    // log2(e)/2 = 0.7213...
    y > 16.0 && y * 0.7213 > bits + 12.0
}

/// `1 / sqrt(2 pi)`.
pub fn recip_sqrt_two_pi(bits: u32) -> Enclosure {
    Enclosure::pi(bits).shift(1).sqrt().recip()
}

/// A point `x` of the normal distribution, given as `x` and `y = x^2` so that `y` can be exact where `x` is not.
pub struct Tail<'a> {
    /// `x`.
    pub x: &'a Enclosure,
    /// `x^2`.
    pub y: &'a Number,
}

impl Tail<'_> {
    /// A double near `y`, infinite when too large, for choices only.
    fn size(&self) -> f64 {
        self.y.enclosure(53).upper().to_f64()
    }

    /// Mills' ratio `R(x) = Q(x) / phi(x)`, with about `bits` bits of relative accuracy.
    ///
    /// Kummer's form `R = sqrt(pi/2) e^{y/2} - x f(y)` holds for every real x; the asymptotic form
    /// `R = A(1/y) / x` for `x > 0`.
    pub fn mills(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let size = self.size();
        if *self.x.lower() > 0 && prefers_asymptotic(size, f64::from(bits)) {
            let series = asymptotic(&reciprocal(self.y, bits + 8), bits + 4, budget)?;
            return Ok((series / self.x.with_bits(bits + 8)).with_bits(bits + 4));
        }
        let wide = widened(bits, if self.x.lower().is_sign_negative() { 0.0 } else { size })?;
        let half = self.y.enclosure(wide.saturating_add(bits_of(size))).shift(-1);
        let whole = Enclosure::pi(wide).shift(-1).sqrt() * exp_thin(&half, wide);
        Ok((whole - self.x.with_bits(wide) * kummer(self.y, wide, budget)?).with_bits(bits + 4))
    }

    /// `phi(x)`.
    pub fn density(&self, bits: u32) -> Enclosure {
        let half = self.y.enclosure((bits + 4).saturating_add(bits_of(self.size()))).shift(-1);
        exp_thin(&-&half, bits + 4) * recip_sqrt_two_pi(bits + 4)
    }

    /// `Phi(x) - 1/2 = x phi(x) f(y)`, with about `bits` bits of relative accuracy.
    pub fn central(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let size = self.size();
        if prefers_asymptotic(size, f64::from(bits)) {
            // Within 2^-bits of the limit: |Phi(x)| - 1/2 = 1/2 - Q(|x|), and 0 <= Q(|x|) <= e^{-y/2}/2.
            let limit = Enclosure::one(bits + 4).shift(-1);
            let low = &limit - &exp_thin(&-self.y.enclosure(bits + 64).shift(-1), 32).shift(-1);
            let value = low.hull(&limit);
            return Ok(if *self.x.lower() > 0 { value } else { -value });
        }
        let value = self.density(bits + 4) * kummer(self.y, bits + 4, budget)? * self.x.with_bits(bits + 8);
        Ok(value.with_bits(bits + 4))
    }

    /// `Q(x) = 1 - Phi(x)`, with about `bits` bits of relative accuracy.
    pub fn tail(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let size = self.size();
        if self.x.lower().is_sign_negative() && prefers_asymptotic(size, f64::from(bits)) {
            // Q(x) = 1 - Q(-x), and 0 <= Q(-x) <= e^{-y/2}/2.
            let tiny = exp_thin(&-self.y.enclosure(bits + 64).shift(-1), 32).shift(-1);
            let one = Enclosure::one(bits + 4);
            return Ok((&one - &tiny).hull(&one));
        }
        if *self.x.lower() > 0 && prefers_asymptotic(size, f64::from(bits)) {
            return Ok((self.density(bits + 4) * self.mills(bits + 4, budget)?).with_bits(bits + 4));
        }
        let wide = widened(bits, if self.x.lower().is_sign_negative() { 0.0 } else { size })?;
        Ok((Enclosure::one(wide).shift(-1) - self.central(wide, budget)?).with_bits(bits + 4))
    }

    /// `ln Q(x)`, also where `Q(x)` itself is out of range.
    pub fn ln_tail(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        if self.x.lower().is_sign_negative() {
            let other = Tail { x: &-self.x, y: self.y };
            return Ok((-other.tail(bits + 4, budget)?).log1p());
        }
        let wide = bits + 8;
        let half = self.y.enclosure(wide).shift(-1);
        let scale = (self.mills(wide, budget)? * recip_sqrt_two_pi(wide)).ln();
        // Near x = 0 the value is -ln 2, so nothing cancels anywhere.
        Ok((scale - half).with_bits(bits + 4))
    }
}

/// `1/y`, exact where y is.
fn reciprocal(y: &Number, bits: u32) -> Number {
    match y {
        Number::Exact(value) if !value.is_zero() => Number::Exact(rug::Rational::from(value.recip_ref())),
        _ => Number::Enclosed(y.enclosure(bits).with_bits(bits).recip()),
    }
}

/// The working precision of a difference of numbers near 1/2 (or `e^{y/2}`) whose value is near `e^{-y/2}/x` of it.
fn widened(bits: u32, y: f64) -> Result<u32, Error> {
    let extra = y * 0.7214 + y.max(1.0).portable_log2() + 12.0;
    if extra < 1e9 {
        Ok(bits.saturating_add(extra as u32))
    } else {
        Err(Error::Undecided("an argument of the normal distribution needs more precision".into()))
    }
}

/// Bits before the binary point, for choices of precision only.
fn bits_of(y: f64) -> u32 {
    if y > 1.0 { y.portable_log2().min(1100.0) as u32 + 2 } else { 2 }
}

/// Apply a nondecreasing (or nonincreasing) function of an exact point to both ends.
fn monotone(
    x: &Enclosure,
    bits: u32,
    increasing: bool,
    at: impl Fn(&Float) -> Result<Enclosure, Error>,
) -> Result<Enclosure, Error> {
    let low = at(x.lower())?;
    let high = if x.is_point() { low.clone() } else { at(x.upper())? };
    let (low, high) = if increasing { (low, high) } else { (high, low) };
    let (lower, upper) = (low.into_bounds().0, high.into_bounds().1);
    // Some bits above those asked for, so that this rounding does not cost the last of them.
    let wide = bits.saturating_add(8);
    Ok(Enclosure::new(Float::with_val_round(wide, lower, Down).0, Float::with_val_round(wide, upper, Up).0))
}

/// The point `x sqrt(scale)` for an exact `x`, with `y = scale x^2` exact: scale 1 for Phi, 2 for erf.
fn at_point<T>(x: &Float, scale: u32, bits: u32, f: impl FnOnce(&Tail) -> Result<T, Error>) -> Result<T, Error> {
    // The square of a number of p bits has 2p bits.
    let wide = x.prec().saturating_mul(2).saturating_add(4);
    let square = Float::with_val(wide, x.square_ref());
    let y = Number::Enclosed(Enclosure::new(
        Float::with_val_round(wide, &square * scale, Down).0,
        Float::with_val_round(wide, &square * scale, Up).0,
    ));
    // x may meet e^{y/2}-sized partners, but in Kummer's form only, where y/2 log2(e) is at most about `bits`.
    let precision = bits.saturating_mul(2).saturating_add(200).max(x.prec());
    let point = Enclosure::new(x.clone(), x.clone()).with_bits(precision);
    let root = if scale == 1 { point } else { point * Enclosure::integer(&scale.into(), precision).sqrt() };
    f(&Tail { x: &root, y: &y })
}

/// Values at infinity, which the series do not take.
fn at_infinity(x: &Float, low: u32, high: u32, bits: u32) -> Option<Enclosure> {
    x.is_infinite().then(|| Enclosure::integer(&if x.is_sign_negative() { low } else { high }.into(), bits))
}

/// `phi(x) = e^{-x^2/2} / sqrt(2 pi)`.
pub fn normal_density(x: &Enclosure, bits: u32) -> Enclosure {
    let size = x.upper().to_f64().abs().max(x.lower().to_f64().abs());
    let half = x.with_bits(x.bits().max(bits + 8).saturating_add(2 * bits_of(size))).square().shift(-1);
    (exp_thin(&-&half, bits + 4) * recip_sqrt_two_pi(bits + 4)).with_bits(bits)
}

/// `Phi(x)`, the standard normal distribution function, of full relative accuracy in the lower tail.
pub fn normal_cdf(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    normal_tail(&-x, bits, budget)
}

/// `Q(x) = 1 - Phi(x)`, of full relative accuracy in the upper tail.
pub fn normal_tail(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    monotone(x, bits, false, |x| match at_infinity(x, 1, 0, bits) {
        Some(value) => Ok(value),
        None => at_point(x, 1, bits, |point| point.tail(bits + 4, budget)),
    })
}

/// `Phi(x) - 1/2`, of full relative accuracy near zero.
pub fn normal_central(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    monotone(x, bits, true, |x| match x {
        x if x.is_infinite() => {
            let half = Enclosure::one(bits).shift(-1);
            Ok(if x.is_sign_negative() { -half } else { half })
        }
        x => at_point(x, 1, bits, |point| point.central(bits + 4, budget)),
    })
}

/// `ln Phi(x)`, for every finite x.
pub fn ln_normal_cdf(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    ln_normal_tail(&-x, bits, budget)
}

/// `ln(1 - Phi(x))`, for every finite x.
pub fn ln_normal_tail(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    monotone(x, bits, false, |x| {
        if x.is_infinite() {
            return Ok(if x.is_sign_negative() { Enclosure::zero(bits) } else { Enclosure::whole(bits) });
        }
        at_point(x, 1, bits, |point| point.ln_tail(bits + 4, budget))
    })
}

/// Mills' ratio `(1 - Phi(x)) / phi(x)`.
pub fn mills(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    monotone(x, bits, false, |x| {
        if x.is_infinite() {
            return Ok(if x.is_sign_negative() { Enclosure::whole(bits) } else { Enclosure::zero(bits) });
        }
        at_point(x, 1, bits, |point| mills_any(point, bits, budget))
    })
}

/// `erf(x) = 2 Phi(x sqrt 2) - 1`, of full relative accuracy near zero.
pub fn erf(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    monotone(x, bits, true, |x| {
        if x.is_infinite() {
            let one = Enclosure::one(bits);
            return Ok(if x.is_sign_negative() { -one } else { one });
        }
        at_point(x, 2, bits, |point| Ok(point.central(bits + 4, budget)?.shift(1)))
    })
}

/// `erfc(x) = 2 Q(x sqrt 2)`, of full relative accuracy in the upper tail.
pub fn erfc(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    monotone(x, bits, false, |x| match at_infinity(x, 2, 0, bits) {
        Some(value) => Ok(value),
        None => at_point(x, 2, bits, |point| Ok(point.tail(bits + 4, budget)?.shift(1))),
    })
}

/// The scaled complement `erfcx(x) = e^{x^2} erfc(x) = sqrt(2/pi) R(x sqrt 2)`.
pub fn erfcx(x: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    monotone(x, bits, false, |x| {
        if x.is_infinite() {
            return Ok(if x.is_sign_negative() { Enclosure::whole(bits) } else { Enclosure::zero(bits) });
        }
        let scale = (Enclosure::one(bits + 8).shift(1) / Enclosure::pi(bits + 8)).sqrt();
        at_point(x, 2, bits, |point| Ok(mills_any(point, bits + 4, budget)? * &scale))
    })
}

/// Mills' ratio for any finite point: far below zero `R(x) = e^{y/2} sqrt(2 pi) - R(-x)`, with
/// `0 < R(-x) < 5/4 + 1/100`.
fn mills_any(point: &Tail, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let size = point.size();
    if point.x.lower().is_sign_negative() && prefers_asymptotic(size, f64::from(bits)) {
        let half = point.y.enclosure((bits + 8).saturating_add(bits_of(size))).shift(-1);
        let whole = exp_thin(&half, bits + 8) * Enclosure::pi(bits + 8).shift(1).sqrt();
        let rest = Enclosure::new(Float::new(16), Float::with_val_round(16, 1.26, Up).0);
        return Ok(whole - rest);
    }
    point.mills(bits + 4, budget)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::Rational;
    use rug::float::Round;

    use super::*;
    use crate::special::{normal_quantile, tail_quantile};

    fn point(n: i64, d: i64, bits: u32) -> Enclosure {
        let x = Float::with_val(bits, &Rational::from((n, d)));
        Enclosure::new(x.clone(), x)
    }

    /// MPFR's value at a point, with so many bits that it serves as the truth.
    fn truth(x: &Enclosure, bits: u32, f: impl Fn(&mut Float, Round)) -> Enclosure {
        let wide = |round| {
            let mut value = Float::with_val(bits, x.lower());
            f(&mut value, round);
            value
        };
        Enclosure::new(wide(Down), wide(Up))
    }

    fn inside(value: &Enclosure, truth: &Enclosure, bits: u32) {
        assert!(value.lower() <= truth.lower() && truth.upper() <= value.upper(), "{value:?} misses {truth:?}");
        assert!(
            value.relative_bits().unwrap() >= i64::from(bits) - 3,
            "{value:?}: {:?} bits of {bits}",
            value.relative_bits()
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn erf_and_erfc_hold_mpfr(n in -4000i64..4000, d in 1i64..2000, bits in 8u32..250) {
            let budget = Budget::default();
            let x = point(n, d, 40);
            prop_assume!(n != 0);
            inside(&erf(&x, bits, &budget).unwrap(), &truth(&x, 3 * bits + 100, |x, r| { x.erf_round(r); }), bits);
            inside(&erfc(&x, bits, &budget).unwrap(), &truth(&x, 3 * bits + 100, |x, r| { x.erfc_round(r); }), bits);
        }

        #[test]
        fn relatives_agree(n in -4000i64..4000, d in 1i64..2000, bits in 8u32..250) {
            let budget = Budget::default();
            let x = point(n, d, 40);
            let tail = normal_tail(&x, bits, &budget).unwrap();
            let ratio = mills(&x, bits, &budget).unwrap();
            let density = normal_density(&x, bits);
            prop_assert!(tail.overlaps(&(&ratio * density)));
            prop_assert!(ratio.relative_bits().unwrap() >= i64::from(bits) - 3);
            let log = ln_normal_tail(&x, bits, &budget).unwrap();
            prop_assert!(log.overlaps(&tail.ln()));
            prop_assert!(log.relative_bits().unwrap() >= i64::from(bits) - 3);
            let one = tail + normal_cdf(&x, bits, &budget).unwrap();
            prop_assert!(one.contains(&Rational::from(1)));
            let central = normal_central(&x, bits, &budget).unwrap().mul_u32(2);
            let root = x.with_bits(bits + 60) / Enclosure::integer(&2.into(), bits + 60).sqrt();
            prop_assert!(central.overlaps(&erf(&root, bits, &budget).unwrap()));
            let scaled = erfcx(&root, bits, &budget).unwrap();
            let other = ratio * (Enclosure::one(bits + 8).shift(1) / Enclosure::pi(bits + 8)).sqrt();
            prop_assert!(scaled.overlaps(&other));
        }

        #[test]
        fn quantile_inverts(n in 1u64..u64::MAX, shift in 0u32..3000, bits in 20u32..250) {
            let budget = Budget::default();
            let p = Rational::from(n) / (Rational::from(1) << (64 + shift));
            for p in [p.clone(), 1 - p] {
                let z = match tail_quantile(&Number::Exact(p.clone()), bits, &budget).unwrap() {
                    Number::Exact(_) => continue,
                    Number::Enclosed(z) => z,
                };
                prop_assert!(z.relative_bits().unwrap() >= i64::from(bits) - 3);
                let at = |x: &Float| normal_tail(&Enclosure::new(x.clone(), x.clone()), bits + shift + 200, &budget)
                    .unwrap();
                prop_assert!(*at(z.lower()).upper() >= p && *at(z.upper()).lower() <= p);
                prop_assert!((-normal_quantile(&Number::Exact(p), bits, &budget).unwrap()).enclosure(bits)
                    .overlaps(&z));
            }
        }
    }

    #[test]
    fn far_arguments() {
        let budget = Budget::default();
        for exponent in [3u32, 5, 9, 30] {
            let x = Enclosure::integer(&rug::Integer::from(rug::Integer::u_pow_u(10, exponent)), 120);
            let log = ln_normal_tail(&x, 80, &budget).unwrap();
            assert!(log.relative_bits().unwrap() > 76);
            let tail = normal_tail(&x, 80, &budget).unwrap();
            assert!(*tail.upper() > 0 && *tail.upper() < 1e-300f64);
            assert!(*normal_cdf(&x, 80, &budget).unwrap().upper() == 1);
            let ratio = erfcx(&x, 80, &budget).unwrap();
            assert!(ratio.relative_bits().unwrap() > 76);
            assert_eq!(erf(&x, 80, &budget).unwrap().upper(), &1);
            assert_eq!(erf(&-&x, 80, &budget).unwrap().lower(), &-1);
            assert!(
                mills(&-&x, 80, &budget).is_ok()
                    && ln_normal_cdf(&x, 80, &budget).unwrap().relative_bits().is_some() == (exponent < 4)
            );
        }
    }

    #[test]
    fn wide_arguments_hold_their_points() {
        let budget = Budget::default();
        let wide = Enclosure::new(Float::with_val(30, -1.5), Float::with_val(30, 2.25));
        let value = normal_cdf(&wide, 60, &budget).unwrap();
        for n in -6..=9 {
            let inner = normal_cdf(&point(n, 4, 30), 100, &budget).unwrap();
            assert!(value.lower() <= inner.lower() && inner.upper() <= value.upper());
        }
    }
}
