//! The Gaussian profile and trade-off function by quadrature.
//!
//! With `U(x) = sqrt(2 pi) Q(x)/phi(x)` for `x >= 0` there is the integral
//!
//! `U(x) = int e^{-w^2/2} x/(x^2 + w^2) dw` over the whole line,
//!
//! and the midpoint rule `T` of step h, nodes `w_k = (k+1/2) h`, is almost exact for it. By Poisson's formula
//! `T - U(x) = 2 sum_{n>=1} (-1)^n g(2 pi n/h)`, where the Fourier transform of the integrand is
//! `g(v) = pi e^{x^2/2} [e^{-xv} Phi(v-x) + e^{xv} Phi(-v-x)]`. As `e^{z^2/2} Q(z) <= 1/2` for `z >= 0`:
//!
//! * for `v >= x`: `|g(v) - pi e^{x^2/2 - xv}| <= (pi/2) e^{-v^2/2}`; summing the geometric series,
//!   `U(x) = T + 2 pi e^{x^2/2} / (e^{2 pi x/h} + 1) + error` for `x <= 2 pi/h`,
//! * for `v <= x`: `0 <= g(v) <= pi e^{-v^2/2}`, and `x^2/2 - xv <= -xv/2` where `v >= x`, so
//!   `U(x) = T + error` for `x >= 2 pi/h`,
//!
//! with `|error| <= 16 e^{-2 pi^2/h^2}` either way. Nodes beyond `w_K >= 1` contribute at most `2 e^{-w_K^2/2}`.
//! Nothing of this is used by the engine: no Taylor or asymptotic series of the error function, and no MPFR.

use malachite::Integer;
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::num::logic::traits::SignificantBits;
use rug::Rational;

use super::fixed::{Fixed, Span, rational};
use crate::error::Error;
use enclosure::{Portable, Real};

/// No more bits than this: the quadrature is meant for golden values, not for records.
const MAX_BITS: u64 = 1 << 15;

/// Lower and upper bound of `delta(eps)` for `N(0,1)` against `N(mu,1)`, `mu > 0`, agreeing to about `digits`
/// significant digits.
///
/// # Errors
/// [`Error::Undefined`] for `mu = 0`, [`Error::Undecided`] if some sign cannot be decided or `digits` needs too much.
pub fn delta(mu_squared: &Real, eps: &Real, digits: u32) -> Result<(Rational, Rational), Error> {
    refined(digits, |bits| {
        let fixed = Fixed::new(bits);
        let (m, e) = (fixed.real(mu_squared)?, fixed.real(eps)?);
        let mu = positive_sqrt(&fixed, &m)?;
        let half = m.over(2);
        let (a, b) = (e.sub(&half), e.add(&half));
        let (s, t) = (fixed.div(&a, &mu)?, fixed.div(&b, &mu)?);
        // s^2/2 from exact data where there is any, for it is large in the tails.
        let exponent = match (mu_squared.as_rational(), eps.as_rational()) {
            (Some(m), Some(e)) => {
                let a = e - Rational::from(m >> 1u32);
                fixed.rational(&((a.square() / m) >> 1u32))?
            }
            _ => fixed.mul(&s, &s).over(2),
        };
        let (decay, power) = fixed.exp(&exponent.neg())?;
        let density = fixed.div(&decay, &fixed.pi.times(2))?;
        if s.low >= 0 {
            let gap = fixed.mul(&density, &scaled_mills(&fixed, &s)?.sub(&scaled_mills(&fixed, &t)?));
            // Multiplied by 2^power, which no fixed point could hold.
            return bounds(&gap, i64::try_from(bits).unwrap_or(i64::MAX).saturating_sub(power));
        }
        if !s.is_negative() {
            return Err(undecided("the sign of eps - mu^2/2"));
        }
        let near = scaled_mills(&fixed, &s.neg())?;
        let value = if t.low >= 0 {
            fixed.integer(1).sub(&shifted(&fixed.mul(&density, &near.add(&scaled_mills(&fixed, &t)?)), power))
        } else if t.is_negative() {
            let gap = scaled_mills(&fixed, &t.neg())?.sub(&near);
            let (x, k) = fixed.exp(&e)?;
            fixed.integer(1).sub(&shifted(&x, k)).add(&shifted(&fixed.mul(&density, &gap), power))
        } else {
            return Err(undecided("the sign of eps + mu^2/2"));
        };
        bounds(&value, i64::try_from(bits).unwrap_or(i64::MAX))
    })
}

/// Do `lower` and `upper` bracket the least `eps >= 0` with `delta(eps) <= delta`? Proven through the profile, which
/// falls strictly: `delta(lower) >= delta` (or `lower = 0`) and `delta(upper) <= delta`. `false` means that the
/// opposite of one of them is proven.
///
/// # Errors
/// [`Error::Undecided`] if neither can be proven; those of [`delta`](self::delta).
pub fn brackets_epsilon(
    mu_squared: &Real,
    lower: &Rational,
    upper: &Rational,
    delta: &Rational,
) -> Result<bool, Error> {
    let compare = |eps: &Rational| {
        // Both ends are as near to each other as golden values are told.
        let mut digits = 40;
        loop {
            let (low, high) = self::delta(mu_squared, &Real::from(eps.clone()), digits)?;
            if low >= *delta {
                return Ok(true);
            }
            if high <= *delta {
                return Ok(false);
            }
            digits *= 2;
            if digits > 2000 {
                return Err(undecided("on which side of an epsilon the root lies"));
            }
        }
    };
    let below = *lower <= 0 || compare(lower)?;
    Ok(*lower <= *upper && *upper >= 0 && below && !compare(upper)?)
}

/// Lower and upper bound of the trade-off function `beta(alpha) = Q(mu - z)`, `Q(z) = alpha`, for `0 < alpha < 1` and
/// `mu > 0`. No quantile is trusted: z is between two numbers whose comparisons of `Q(z)` and `alpha` are proven.
///
/// # Errors
/// [`Error::Undefined`] outside of the domain; [`Error::Undecided`] if `digits` needs too much.
pub fn beta(mu_squared: &Real, alpha: &Rational, digits: u32) -> Result<(Rational, Rational), Error> {
    if !(*alpha > 0 && *alpha < 1) {
        return Err(Error::Undefined("the second route takes 0 < alpha < 1".into()));
    }
    // For alpha beyond 1/2, Q(-z) = 1 - alpha.
    let mirrored = *alpha > Rational::from((1, 2));
    let p = if mirrored { Rational::from(1 - alpha) } else { alpha.clone() };
    refined(digits, |bits| {
        let fixed = Fixed::new(bits);
        let mu = positive_sqrt(&fixed, &fixed.real(mu_squared)?)?;
        let falls_below = |z: &Integer| -> Result<Option<bool>, Error> {
            let point = Span { low: z.clone(), high: z.clone() };
            let (low, high) = tail(&fixed, &point)?;
            Ok(if high <= p {
                Some(true)
            } else if low >= p {
                Some(false)
            } else {
                None
            })
        };
        // Q(0) = 1/2.
        let (low, high) = if p == Rational::from((1, 2)) {
            (Integer::ZERO, Integer::ZERO)
        } else if let Some(ends) = around(&fixed, &p, &falls_below)? {
            ends
        } else {
            by_halves(&fixed, &falls_below)?
        };
        let z = if mirrored { Span { low: -high, high: -low } } else { Span { low, high } };
        let x = mu.sub(&z);
        if x.low >= 0 || x.high <= 0 {
            return tail(&fixed, &x);
        }
        // Q falls.
        let upper = tail(&fixed, &Span { low: x.low.clone(), high: x.low })?.1;
        let lower = tail(&fixed, &Span { low: x.high.clone(), high: x.high })?.0;
        Ok((lower, upper))
    })
}

/// Does Q fall below p at a number of units? `None` where that cannot be told.
type FallsBelow<'a> = &'a dyn Fn(&Integer) -> Result<Option<bool>, Error>;

/// Two numbers of units with the quantile of `p <= 1/2` between them, by halves.
fn by_halves(fixed: &Fixed, falls_below: FallsBelow) -> Result<(Integer, Integer), Error> {
    let (mut low, mut high) = (Integer::from(0), fixed.one.clone());
    while falls_below(&high)? != Some(true) {
        high <<= 1u64;
        if high.significant_bits() > fixed.bits + 24 {
            return Err(undecided("a quantile beyond 2^24"));
        }
    }
    while &high - &low > 4 {
        let middle = (&low + &high) >> 1u64;
        match falls_below(&middle)? {
            Some(true) => high = middle,
            Some(false) => low = middle,
            None => break,
        }
    }
    Ok((low, high))
}

/// The same by Newton's method, which proves nothing: both ends are told by `falls_below`. `None` where they are too
/// far from what the steps lead to, or the quantile is too near zero.
fn around(fixed: &Fixed, p: &Rational, falls_below: FallsBelow) -> Result<Option<(Integer, Integer)>, Error> {
    let Some(z) = newton(fixed, p)? else { return Ok(None) };
    // What cannot be told there can be told a little farther.
    for far in [12u64, 24] {
        let away = Integer::ONE << far;
        let (low, high) = (&z - &away, &z + &away);
        if low >= 0 && falls_below(&low)? == Some(false) && falls_below(&high)? == Some(true) {
            return Ok(Some((low, high)));
        }
    }
    Ok(None)
}

/// About where `Q(z) = p`, in units, by Newton's method from what half as many bits tell, and some more.
fn newton(fixed: &Fixed, p: &Rational) -> Result<Option<Integer>, Error> {
    let start = if fixed.bits > FEW_BITS {
        let coarse = Fixed::new(fixed.bits / 2 + MORE_BITS);
        newton(&coarse, p)?.map(|z| z << (fixed.bits - coarse.bits))
    } else {
        about(fixed, p)
    };
    let Some(mut z) = start else { return Ok(None) };
    for _ in 0..STEPS {
        let point = Span { low: z.clone(), high: z.clone() };
        let (decay, power) = fixed.exp(&fixed.mul(&point, &point).over(2).neg())?;
        let density = fixed.div(&decay, &fixed.pi.times(2))?;
        let mills = scaled_mills(fixed, &point)?;
        // Both without the power of two that makes them small.
        let shift = u32::try_from(power.unsigned_abs()).map_err(|_| undecided("so small a probability"))?;
        let target = fixed.rational(&if power >= 0 { p.clone() >> shift } else { p.clone() << shift })?;
        let off = fixed.mul(&density, &mills).sub(&target);
        // `phi(z)`: sqrt(2 pi) times what U is multiplied by.
        let slope = fixed.mul(&density, &fixed.sqrt(&fixed.pi.times(2))?);
        let step = fixed.div(&off, &slope)?.low;
        z += &step;
        if z <= 0 {
            return Ok(None);
        }
        // The next step would be of its square.
        if step.significant_bits() + CLOSE < fixed.bits / 2 {
            break;
        }
    }
    Ok(Some(z))
}

/// Newton's steps, of which each doubles the bits.
const STEPS: u32 = 12;
/// From so few bits on doubles are where they start.
const FEW_BITS: u64 = 128;
/// So many bits are known beyond half of them.
const MORE_BITS: u64 = 32;
/// So many bits are spared from a step to its square.
const CLOSE: u64 = 8;

/// About where `Q(z) = p`, in units, by doubles.
fn about(fixed: &Fixed, p: &Rational) -> Option<Integer> {
    let size = |n: &rug::Integer| i64::from(n.significant_bits());
    let power = i32::try_from(size(p.numer()) - size(p.denom())).ok()?;
    let scaled = if power >= 0 { p.clone() >> power.unsigned_abs() } else { p.clone() << power.unsigned_abs() };
    let log = scaled.to_f64().portable_ln() + f64::from(power) * std::f64::consts::LN_2;
    // `Q(z) = phi(z) 2/(z + sqrt(z^2 + 8/pi))` to some percent.
    let wide = |z: f64| z + (z * z + 8.0 / std::f64::consts::PI).sqrt();
    let falls = |z: f64| -z * z / 2.0 - (std::f64::consts::TAU.sqrt() * wide(z) / 2.0).portable_ln();
    let (mut low, mut high) = (0.0, 1e8);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if falls(middle) > log { low = middle } else { high = middle }
    }
    // In units of 2^-20.
    let z = (f64::midpoint(low, high) * 1_048_576.0) as i64;
    (z > 0).then(|| Integer::from(z) << (fixed.bits - 20))
}

/// Bounds of `Q(x)` on a span that has no numbers of both signs.
fn tail(fixed: &Fixed, x: &Span) -> Result<(Rational, Rational), Error> {
    let bits = i64::try_from(fixed.bits).unwrap_or(i64::MAX);
    let (decay, power) = fixed.exp(&fixed.mul(x, x).over(2).neg())?;
    let density = fixed.div(&decay, &fixed.pi.times(2))?;
    if x.low >= 0 {
        bounds(&fixed.mul(&density, &scaled_mills(fixed, x)?), bits.saturating_sub(power))
    } else {
        let other = fixed.mul(&density, &scaled_mills(fixed, &x.neg())?);
        bounds(&fixed.integer(1).sub(&shifted(&other, power)), bits)
    }
}

/// `U(x) = sqrt(2 pi) Q(x)/phi(x)`, for `x >= 0`, by the midpoint rule.
fn scaled_mills(fixed: &Fixed, x: &Span) -> Result<Span, Error> {
    // e^{-2 pi^2/h^2} <= 2^-bits as soon as h^2 <= 28/bits, for 2 pi^2 / 28 > ln 2.
    let limit = rug::Integer::from(28u64 * (1 << 20)) / fixed.bits;
    let mut step = u64::try_from(limit.sqrt()).unwrap_or(1).clamp(1, 1024);
    // h = step/1024. Not where it cannot be told on which side of 2 pi/h the point lies.
    let corrected = loop {
        let border = fixed.div(&fixed.pi.times(2 * 1024), &fixed.integer(i64::try_from(step).unwrap_or(1)))?;
        if x.high <= border.low {
            break true;
        }
        if x.low >= border.high {
            break false;
        }
        step = step.saturating_sub(1).max(1);
    };
    let h = fixed.fraction(&Integer::from(step), &Integer::from(1024));
    let squared = fixed.fraction(&Integer::from(step * step), &Integer::from(1u64 << 20));
    let value = |(mantissa, exponent): (Span, i64)| shifted(&mantissa, exponent);
    // e^{-w_0^2/2}, w_0 = h/2, and e^{-(w_{k+1}^2 - w_k^2)/2} = e^{-(k+1) h^2}.
    let mut weight = value(fixed.exp(&squared.over(8).neg())?);
    let fall = value(fixed.exp(&squared.neg())?);
    let mut ratio = fall.clone();
    let x_squared = fixed.mul(x, x);
    let mut sum = fixed.integer(0);
    let mut k = 0u64;
    loop {
        let odd = (2 * k + 1) * step;
        let far = odd > 2048;
        if far && weight.high <= 4 {
            break;
        }
        // A fraction with the denominator 2^22.
        let node_squared = Integer::from(odd * odd) << (fixed.bits - 22);
        let node_squared = Span { low: node_squared.clone(), high: node_squared };
        let kernel = fixed.div(x, &x_squared.add(&node_squared))?;
        sum = sum.add(&fixed.mul(&weight, &kernel));
        weight = fixed.mul(&weight, &ratio);
        ratio = fixed.mul(&ratio, &fall);
        k += 1;
    }
    let mut total = fixed.mul(&sum.times(2), &h);
    total.high += &weight.high << 1u64;
    if corrected {
        // 2 pi e^{x^2/2} / (e^{cx} + 1) = 2 pi e^{x^2/2 - cx} / (1 + e^{-cx}) with c = 2 pi/h.
        let cx = fixed.mul(x, &fixed.div(&fixed.pi.times(2), &h)?);
        let top = value(fixed.exp(&x_squared.over(2).sub(&cx))?);
        let bottom = fixed.integer(1).add(&value(fixed.exp(&cx.neg())?));
        total = total.add(&fixed.mul(&fixed.pi.times(2), &fixed.div(&top, &bottom)?));
    }
    // 16 e^{-2 pi^2/h^2} is at most 16 units.
    Ok(total.widen(&Integer::from(16)))
}

/// `x 2^power`.
fn shifted(x: &Span, power: i64) -> Span {
    let shift = power.unsigned_abs();
    if power >= 0 {
        Span { low: &x.low << shift, high: &x.high << shift }
    } else {
        Span { low: &x.low >> shift, high: (&x.high >> shift) + Integer::ONE }
    }
}

fn positive_sqrt(fixed: &Fixed, m: &Span) -> Result<Span, Error> {
    let mu = fixed.sqrt(m)?;
    if mu.is_positive() { Ok(mu) } else { Err(undecided("whether mu is positive")) }
}

fn bounds(x: &Span, shift: i64) -> Result<(Rational, Rational), Error> {
    Ok((rational(&x.low, shift)?, rational(&x.high, shift)?))
}

fn undecided(what: &str) -> Error {
    Error::undecided(format!("the second route cannot decide {what}"))
}

/// More bits until the two bounds agree to `digits`; a sign that is not decided also asks for more.
fn refined(
    digits: u32,
    value: impl Fn(u64) -> Result<(Rational, Rational), Error>,
) -> Result<(Rational, Rational), Error> {
    let goal = u64::from(digits) * 3322 / 1000 + 4;
    let mut bits = goal + 60;
    loop {
        let result = value(bits);
        if let Ok((low, high)) = &result {
            let width = Rational::from(high - low);
            let shift = u32::try_from(goal).unwrap_or(u32::MAX);
            if *low > 0 && (width << shift) <= *low {
                return result;
            }
        }
        if bits >= MAX_BITS {
            return Err(result.err().unwrap_or_else(|| undecided("so many digits")));
        }
        bits = (bits + bits / 2).min(MAX_BITS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::gaussian::Gaussian;
    use crate::curve::{Curve, Direction, Value};
    use enclosure::{Budget, refine};

    fn power_of_ten(exponent: i32) -> Rational {
        rug::ops::Pow::pow(Rational::from(10), exponent)
    }

    #[test]
    fn profile_overlaps_the_closed_form() {
        let budget = Budget::default();
        let mut points = Vec::new();
        for m in
            [Rational::from(1), Rational::from((1, 2)), Rational::from((9, 100)), power_of_ten(-34), power_of_ten(6)]
        {
            let mu = Rational::from_f64(m.to_f64().sqrt()).unwrap();
            // Standard deviations of the loss, from delta near 1 to 1e-4000 and below.
            for n in [-20, -3, -1, 0, 1, 2, 5, 17, 40, 136, 300] {
                let eps = Rational::from((n, 1)) * &mu + Rational::from(&m >> 1u32) + Rational::from(&mu / 3u32);
                points.push((m.clone(), Real::from(eps)));
            }
            points.push((m.clone(), Real::from(0u64)));
        }
        points.push((Rational::from((1, 2)), Real::from(Rational::from(3)).ln().unwrap()));
        points.push((Rational::from((1, 2)), Real::from(Rational::from((1, 1000))).ln().unwrap()));
        for (m, eps) in points {
            let gaussian = Gaussian::new(Real::from(m.clone())).unwrap();
            let (low, high) = delta(&Real::from(m.clone()), &eps, 45).unwrap();
            let set = refine(40, &budget, |bits| gaussian.delta(&eps, Direction::Forward, bits, &budget)).unwrap();
            let set = set.enclosure(200);
            assert!(low <= *set.upper() && high >= *set.lower(), "mu^2 = {m}, eps = {eps}");
        }
    }

    #[test]
    fn inverses_are_confirmed() {
        let budget = Budget::default();
        for m in [Rational::from(1), power_of_ten(-34), power_of_ten(6)] {
            let gaussian = Gaussian::new(Real::from(m.clone())).unwrap();
            let m = Real::from(m);
            let near = Rational::from(1) - power_of_ten(-50);
            for p in [power_of_ten(-20), power_of_ten(-300), power_of_ten(-4000), Rational::from((1, 3)), near] {
                let point = Real::from(p.clone());
                let set = refine(40, &budget, |bits| gaussian.beta(&point, Direction::Forward, bits, &budget)).unwrap();
                let set = set.enclosure(200);
                let (low, high) = beta(&m, &p, 42).unwrap();
                assert!(low <= *set.upper() && high >= *set.lower());
                let value =
                    refine(40, &budget, |bits| match gaussian.epsilon(&point, Direction::Forward, bits, &budget)? {
                        Value::Finite(value) => Ok(value),
                        Value::Infinite => unreachable!(),
                    });
                let (low, high) = value.unwrap().enclosure(200).into_bounds();
                let (low, high) = (low.to_rational().unwrap(), high.to_rational().unwrap());
                assert!(brackets_epsilon(&m, &low, &high, &p).unwrap());
                let wrong = (&high * Rational::from((11, 10))) + power_of_ten(-20);
                assert!(!brackets_epsilon(&m, &wrong, &(Rational::from(&wrong * 2u32)), &p).unwrap());
            }
        }
    }
}
