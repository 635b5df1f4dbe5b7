//! The two series of the error function, in fixed point, with every error counted.
//!
//! Both are evaluated from their last term backwards with integers scaled by `2^F`. A product or quotient by a machine
//! word costs one pass over the digits, so the work is arranged to have as few full multiplications as possible:
//! none when the argument is a fraction of machine words (a group of terms is one word product and one word quotient),
//! the square root of the number of terms otherwise (rectangular splitting, Paterson and Stockmeyer 1973, Smith 1989),
//! and binary splitting when the argument is a fraction and thousands of digits are asked for.

use rug::float::Round::{Down, Up};
use rug::{Assign, Float, Integer, Rational};

use crate::Error;
use crate::{Budget, Enclosure, Number, work};

/// Binary splitting begins to pay here.
const SPLITTING_BITS: u32 = 3000;

/// More terms than this are refused: the argument is then far outside of what callers choose the series for.
const MAX_TERMS: u64 = 1 << 28;

/// `f(y) = sum_{n>=0} y^n / (1*3*5*...*(2n+1))` for `y >= 0`, to about `bits` bits of relative accuracy.
///
/// **Claim.** The result holds `f(y)` for every point `y >= 0` of the argument.
/// Errors: (1) cut after N terms with `2N+3 >= 2y` the rest is at most twice the first term left out; (2) all terms
/// are positive and all roundings are down, which costs at most `8(N+m+8) 2^-F f`; (3) `0 <= f' <= f/2`, so a `y`
/// known up to `d <= 1` gives f up to the factor `1 + d`.
///
/// # Errors
/// [`Error::Undecided`] if the argument is not bounded, or needs more than 2^28 terms, or the time is up.
pub fn kummer(y: &Number, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let bits = bits.max(8);
    let top = match y {
        Number::Exact(value) => Float::with_val_round(53, value, Up).0,
        Number::Enclosed(value) => Float::with_val_round(53, value.upper(), Up).0,
    };
    // An upper bound on y, and never so small that the quotients below would underflow.
    let top = top.to_f64_round(Up).max(1e-60);
    let goal = i64::from(bits) + 3;
    let terms = kummer_terms(top, goal, budget)?;
    // 2^tail bounds twice the first term left out.
    let (count, tail) = (terms.count, terms.last.saturating_add(1));

    if let Number::Exact(value) = y {
        if let (Some(a), Some(b)) = (value.numer().to_u32(), value.denom().to_u32()) {
            let per_term = u64::from(32 - a.leading_zeros().min(31)).max(u64::from(32 - b.leading_zeros()))
                + u64::from(64 - count.leading_zeros());
            let small = count.saturating_mul(per_term) < 3 * u64::from(bits);
            if bits >= SPLITTING_BITS && small {
                let sum = kummer_splitting(value, count, bits + 4, budget)?;
                return Ok(one_sided(sum, bits + 4, 1, tail, &Float::new(32), bits));
            }
            let sum = kummer_words(a, b, count, bits + 4, budget)?;
            return Ok(one_sided(sum, bits + 4, 2, tail, &Float::new(32), bits));
        }
        let height = u64::from(value.numer().significant_bits().max(value.denom().significant_bits()));
        if bits >= SPLITTING_BITS && count.saturating_mul(height + 16) < 3 * u64::from(bits) {
            let sum = kummer_splitting(value, count, bits + 4, budget)?;
            return Ok(one_sided(sum, bits + 4, 1, tail, &Float::new(32), bits));
        }
    }

    let side = count.isqrt().clamp(1, 256);
    let slack = 8 * (count + side + 8);
    let fraction = bits.saturating_add(67 - slack.leading_zeros());
    let (below, above) = match y {
        Number::Exact(value) => {
            let scaled = floor_scaled(value, fraction);
            (scaled, Float::with_val(32, 1) >> fraction)
        }
        Number::Enclosed(value) => {
            let lower = if value.lower().is_sign_negative() { Float::new(2) } else { value.lower().clone() };
            let scaled = floor_float(&lower, fraction).ok_or_else(unbounded_argument)?;
            let width = Float::with_val_round(32, value.upper() - &lower, Up).0;
            // The floor took less than 2^-F away.
            (scaled, Float::with_val_round(32, width + (Float::with_val(32, 1) >> fraction), Up).0)
        }
    };
    let sum = kummer_rectangular(&below, count, side, fraction, budget)?;
    Ok(one_sided(sum, fraction, slack, tail, &above, bits))
}

/// How many terms, and what is left.
struct Terms {
    count: u64,
    /// The first term left out is at most `2^last`.
    last: i64,
}

/// The least `N` with `2N+3 >= 2y` whose term `y^N/(1*3*...*(2N+1))` is below `2^-goal`.
///
/// Doubles can answer here, because IEEE products and quotients err by a factor within `1 +- 2^-53` each, which over
/// at most `2^28` terms is far less than the factor 2 that is added at the end; the exponent is kept apart.
fn kummer_terms(y: f64, goal: i64, budget: &Budget) -> Result<Terms, Error> {
    if !(y.is_finite() && y < 1e8) {
        return Err(unbounded_argument());
    }
    let (mut term, mut exponent, mut n) = (1.0f64, 0i64, 0u64);
    loop {
        let size = exponent.saturating_add(log2_above(term)).saturating_add(1);
        let odd = (2 * n + 3) as f64;
        if size <= -goal && odd >= 2.0 * y {
            return Ok(Terms { count: n.max(1), last: size });
        }
        term *= y / odd;
        n += 1;
        if !(1e-100..=1e100).contains(&term) {
            let shift = log2_above(term);
            // Powers of two of this size are exact, and so is the product.
            term *= 2f64.powi(-i32::try_from(shift).unwrap_or(0));
            exponent += shift;
        }
        if n.is_multiple_of(65536) {
            budget.check()?;
            if n > MAX_TERMS {
                return Err(Error::Undecided("a series of the error function needs more than 2^28 terms".into()));
            }
        }
    }
}

/// An integer `k` with `x < 2^k`, for a normal positive double.
fn log2_above(x: f64) -> i64 {
    // The biased exponent of the IEEE format.
    i64::try_from(x.to_bits() >> 52).unwrap_or(0) - 1022
}

/// The first `count` terms for `y = a/b` of machine words, scaled by `2^fraction`: at most one unit of relative
/// `2^-fraction` too small.
///
/// Backwards, `h_n = 1 + y/(2n+3) h_{n+1}`; as many steps as fit into words are joined into
/// `h_i = (num + power h_n) / denom`. A rounding at step `i` reaches the sum with the factor
/// `y^i/(1*3*...*(2i+1))`, and all those factors add up to no more than the sum itself.
fn kummer_words(a: u32, b: u32, count: u64, fraction: u32, budget: &Budget) -> Result<Integer, Error> {
    let (a, b) = (u64::from(a), u64::from(b));
    let mut h = Integer::from(1) << fraction;
    let mut num_scaled = Integer::new();
    let mut n = count - 1;
    let mut groups = 0u32;
    while n > 0 {
        let (mut power, mut denom, mut num) = (1u64, 1u64, 0u64);
        while n > 0 {
            // count <= 2^28 and b < 2^32: no overflow.
            let step = b * (2 * n + 1);
            let next = denom.checked_mul(step).and_then(|denom| {
                let num = num.checked_mul(a)?.checked_add(denom)?;
                Some((power.checked_mul(a)?, denom, num))
            });
            let Some(next) = next else { break };
            (power, denom, num) = next;
            n -= 1;
        }
        work::spend_linear(fraction);
        h *= power;
        num_scaled.assign(num);
        num_scaled <<= fraction;
        h += &num_scaled;
        h /= denom;
        groups = groups.wrapping_add(1);
        if groups.is_multiple_of(1024) {
            budget.check()?;
        }
    }
    Ok(h)
}

/// The first `count` terms for a rational `y`, scaled by `2^fraction` and rounded down, by binary splitting: exact
/// fractions until one last quotient.
fn kummer_splitting(y: &Rational, count: u64, fraction: u32, budget: &Budget) -> Result<Integer, Error> {
    let (_, denom, total) = split(y.numer(), y.denom(), 0, count, budget)?;
    // total/denom is the sum of the terms divided by the first ratio; see `split`.
    Ok(((total + &denom) << fraction) / denom)
}

/// `(P, Q, T)` of the ratios `r_k = a / (b (2k+1))`, `k` in `(from, to)`: `P/Q = prod r_k` and
/// `T/Q = sum_j prod_{k<=j} r_k`. The range `(0, count)` holds `k = 1 .. count-1`.
fn split(a: &Integer, b: &Integer, from: u64, to: u64, budget: &Budget) -> Result<(Integer, Integer, Integer), Error> {
    if to - from <= 1 {
        return Ok((Integer::from(1), Integer::from(1), Integer::new()));
    }
    if to - from <= 12 {
        work::spend(500);
        let (mut p, mut q, mut t) = (Integer::from(1), Integer::from(1), Integer::new());
        for k in from + 1..to {
            let step = Integer::from(b * (2 * k + 1));
            p *= a;
            q *= &step;
            t *= step;
            t += &p;
        }
        return Ok((p, q, t));
    }
    if to - from > 4096 {
        budget.check()?;
    }
    // Both halves must meet without a gap: (from, middle+1) ends with k = middle.
    let middle = from + (to - from) / 2;
    let (p1, q1, t1) = split(a, b, from, middle + 1, budget)?;
    let (p2, q2, t2) = split(a, b, middle, to, budget)?;
    for _ in 0..4 {
        work::spend_product(q2.significant_bits());
    }
    let t = t1 * &q2 + &p1 * t2;
    Ok((p1 * p2, q1 * q2, t))
}

/// The first `count` terms for any `y = scaled / 2^fraction`, scaled likewise, at most `8(count+side+8)` units of
/// relative `2^-fraction` too small, by rectangular splitting with blocks of `side` terms.
///
/// The coefficients `1/(2n+1)!!` are never formed: going down, a word `c` collects the odd numbers passed, and when it
/// is full the sum is divided by it.
fn kummer_rectangular(y: &Integer, count: u64, side: u64, fraction: u32, budget: &Budget) -> Result<Integer, Error> {
    let powers = powers(y, side, fraction);
    let (Some(giant), Some(_)) = (powers.last(), powers.first()) else { return Err(unbounded_argument()) };
    let mut sum = Integer::new();
    let mut c = 1u64;
    let mut place = (count - 1) % side;
    for n in (0..count).rev() {
        if let Some(power) = usize::try_from(place).ok().and_then(|j| powers.get(j)) {
            work::spend_linear(fraction);
            sum += power * c;
        }
        if n == 0 {
            break;
        }
        if place == 0 {
            work::spend_product(fraction);
            sum *= giant;
            sum >>= fraction;
            place = side;
            budget.check()?;
        }
        place -= 1;
        c = c.checked_mul(2 * n + 1).unwrap_or_else(|| {
            sum /= c;
            2 * n + 1
        });
    }
    sum /= c;
    Ok(sum)
}

/// `y^0 .. y^side`, each scaled by `2^fraction` and rounded down.
fn powers(y: &Integer, side: u64, fraction: u32) -> Vec<Integer> {
    let mut powers = vec![Integer::from(1) << fraction, y.clone()];
    for _ in 2..=side {
        let k = powers.len();
        work::spend_product(fraction);
        // Squares where possible: they are cheaper.
        let mut next = if k % 2 == 0 {
            Integer::from(powers[k / 2].square_ref())
        } else {
            Integer::from(&powers[k / 2] * &powers[k / 2 + 1])
        };
        next >>= fraction;
        powers.push(next);
    }
    powers
}

/// `sum / 2^fraction` is below the truth; the truth is below it times
/// `1 + 2 slack 2^-fraction + 2 2^tail + 2 width`. (Each error is far below 1, so twice it covers the reciprocal and
/// the products of errors.)
fn one_sided(sum: Integer, fraction: u32, slack: u64, tail: i64, width: &Float, bits: u32) -> Enclosure {
    let exponent = i32::try_from(fraction).unwrap_or(i32::MAX);
    let lower = Float::with_val_round(bits + 4, &sum, Down).0 >> exponent;
    let mut error = Float::with_val_round(32, width, Up).0;
    if error.is_nan() || error > 0.125 {
        return Enclosure::new(lower, Float::with_val(2, rug::float::Special::Infinity));
    }
    error += Float::with_val_round(32, slack, Up).0 >> exponent;
    error += Float::with_val(32, Float::u_exp(1, i32::try_from(tail).unwrap_or(0)));
    // The three sums above were rounded to nearest; doubling leaves room for that as well.
    error <<= 1u32;
    error *= 1.001f32;
    let upper = Float::with_val_round(bits + 4, &sum, Up).0 >> exponent;
    let add = Float::with_val_round(32, &upper * &error, Up).0;
    Enclosure::new(lower, Float::with_val_round(bits + 4, &upper + &add, Up).0)
}

/// `A(w) = sum_n (-1)^n (1*3*...*(2n-1)) w^n`, the asymptotic series with `x R(x) ~ A(1/x^2)`, R being Mills' ratio:
/// an enclosure of `x R(x)` at `w = 1/x^2`, to about `bits` bits if the series gets that far.
///
/// **Claim.** The result holds `x R(x)` for every `x > 0` with `1/x^2` in the argument.
/// Errors: (1) the series envelops: cut after N terms it is off by less than the first term left out, in its
/// direction (Abramowitz and Stegun 7.1.24); terms are taken while they fall and are above the accuracy;
/// (2) as long as the terms fall each Horner step `h_n = 1 - (2n+1) w h_{n+1}` has a factor at most 1, so N
/// roundings cost at most `2N+2` units; (3) `xR = E[1/(1+wZ^2)]` with Z standard
/// normal, so `-1 <= d(xR)/dw <= 0`, and a `w` known up to d gives the value up to d.
///
/// # Errors
/// [`Error::Undecided`] for `w > 1/8` (callers use Kummer's series there).
pub fn asymptotic(w: &Number, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let bits = bits.max(8);
    let top = w.enclosure(53).upper().to_f64_round(Up).max(1e-200);
    if top.is_nan() || top > 0.125 {
        return Err(unbounded_argument());
    }
    let goal = i64::from(bits) + 3;
    // As above, doubles with the exponent kept apart bound the terms.
    let (mut term, mut exponent, mut n) = (1.0f64, 0i64, 0u64);
    let size = loop {
        let size = exponent.saturating_add(log2_above(term)).saturating_add(1);
        let ratio = (2 * n + 1) as f64 * top;
        if (size <= -goal && n > 0) || ratio > 0.999 {
            break size;
        }
        term *= ratio;
        n += 1;
        if term < 1e-100 {
            let shift = log2_above(term);
            term *= 2f64.powi(-i32::try_from(shift).unwrap_or(0));
            exponent += shift;
        }
        if n.is_multiple_of(65536) {
            budget.check()?;
            if n > MAX_TERMS {
                return Err(Error::Undecided("an asymptotic series needs more than 2^28 terms".into()));
            }
        }
    };
    let fraction = bits + 4 + (64 - n.leading_zeros());
    let words = w.exact().and_then(|w| Some((w.numer().to_u32()?, w.denom().to_u32()?)));
    let (sum, inexact) = match words {
        Some((a, b)) => (asymptotic_words(a, b, n, fraction, budget)?, Float::new(32)),
        None => {
            let (scaled, inexact) = match w {
                Number::Exact(value) => (floor_scaled(value, fraction), Float::with_val(32, 1) >> fraction),
                Number::Enclosed(value) => {
                    let lower = if value.lower().is_sign_negative() { Float::new(2) } else { value.lower().clone() };
                    let scaled = floor_float(&lower, fraction).ok_or_else(unbounded_argument)?;
                    let width = Float::with_val_round(32, value.upper() - &lower, Up).0;
                    (scaled, Float::with_val_round(32, width + (Float::with_val(32, 1) >> fraction), Up).0)
                }
            };
            (asymptotic_horner(&scaled, n, fraction, budget)?, inexact)
        }
    };
    let exponent = i32::try_from(fraction).unwrap_or(i32::MAX);
    let middle = Enclosure::integer(&sum, bits + 4).shift(-exponent);
    let mut error = inexact;
    error += Float::with_val_round(32, 2 * n + 2, Up).0 >> exponent;
    error += Float::with_val(32, Float::u_exp(1, i32::try_from(size).unwrap_or(0)));
    error *= 1.001f32;
    ratio(&middle, &error, bits)
}

/// `x R(x)` near `middle`, off by `error` at most: it lies in `[0, 1]`, so that a sum further off proves that it is
/// none.
fn ratio(middle: &Enclosure, error: &Float, bits: u32) -> Result<Enclosure, Error> {
    let unit = Enclosure::new(Float::new(bits), Float::with_val(bits, 1));
    Ok(middle.widen(error).within(&unit, "ratio of Mills by its asymptotic series")?)
}

/// The first `count` terms of `A(a/b)`, scaled by `2^fraction`.
fn asymptotic_words(a: u32, b: u32, count: u64, fraction: u32, budget: &Budget) -> Result<Integer, Error> {
    let (a, b) = (u64::from(a), u64::from(b));
    let mut h = Integer::from(1) << fraction;
    let mut n = count - 1;
    let mut groups = 0u32;
    while n > 0 {
        // h_i = (num + power h_n) / denom, power and num signed.
        let (mut power, mut denom, mut num) = (1i64, 1i64, 0i64);
        while n > 0 {
            let next = i64::try_from(b).ok().and_then(|b| {
                // The first step of a group always fits: a < 2^32 and n <= 2^28.
                let step = -i64::try_from(a.checked_mul(2 * n - 1)?).ok()?;
                let denom = denom.checked_mul(b)?;
                let num = num.checked_mul(step)?.checked_add(denom)?;
                Some((power.checked_mul(step)?, denom, num))
            });
            let Some(next) = next else { break };
            (power, denom, num) = next;
            n -= 1;
        }
        work::spend_linear(fraction);
        h *= power;
        h += Integer::from(num) << fraction;
        h /= denom;
        groups = groups.wrapping_add(1);
        if groups.is_multiple_of(1024) {
            budget.check()?;
        }
    }
    Ok(h)
}

/// The first `count` terms of `A(w)` at `w = scaled / 2^fraction`, scaled likewise.
fn asymptotic_horner(w: &Integer, count: u64, fraction: u32, budget: &Budget) -> Result<Integer, Error> {
    let one = Integer::from(1) << fraction;
    let mut h = one.clone();
    for n in (1..count).rev() {
        work::spend_product(fraction);
        h *= w;
        h *= 2 * n - 1;
        h >>= fraction;
        h = Integer::from(&one - &h);
        if n.is_multiple_of(256) {
            budget.check()?;
        }
    }
    Ok(h)
}

/// `floor(value 2^fraction)`.
fn floor_scaled(value: &Rational, fraction: u32) -> Integer {
    (Integer::from(value.numer() << fraction)).div_rem_floor(value.denom().clone()).0
}

/// `floor(value 2^fraction)` of a finite number that is not astronomically large.
fn floor_float(value: &Float, fraction: u32) -> Option<Integer> {
    if value.is_zero() {
        return Some(Integer::new());
    }
    let exponent = value.get_exp()?;
    if exponent > 1 << 20 {
        return None;
    }
    if i64::from(exponent) < -i64::from(fraction) {
        return Some(Integer::new());
    }
    let shifted = Float::with_val(value.prec(), value << i32::try_from(fraction).ok()?);
    shifted.to_integer_round(Down).map(|(integer, _)| integer)
}

fn unbounded_argument() -> Error {
    Error::Undecided("an argument of the error function needs more precision".into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The first `count` terms, exactly.
    fn kummer_exact(y: &Rational, count: u64) -> Rational {
        let (mut term, mut sum) = (Rational::from(1), Rational::new());
        for n in 0..count {
            sum += &term;
            term *= y;
            term /= 2 * n + 3;
        }
        sum
    }

    /// A sum that is no ratio of Mills at all is an alarm, one that is off by its error is not.
    #[test]
    fn sums_beyond_the_range_are_alarms() {
        let (error, at) = (Float::with_val(32, 0.125), |x: f64| Enclosure::double(x, 64));
        assert!(ratio(&at(1.0625), &error, 64).is_ok_and(|set| *set.upper() == 1 && *set.lower() == 0.9375));
        for wrong in [-0.25, 1.25] {
            assert!(ratio(&at(wrong), &error, 64).is_err_and(|error| error.is_alarm()));
        }
    }

    /// The claim of each evaluation, against exact fractions: below, and by no more than the counted units.
    fn check(y: &Rational, count: u64, fraction: u32) {
        let truth = kummer_exact(y, count) << fraction;
        let units = |sum: &Integer, slack: u64| {
            let gap = Rational::from(&truth - sum);
            assert!(gap >= 0, "above the truth");
            assert!((gap << fraction) <= Rational::from(&truth * slack), "too far below");
        };
        let budget = Budget::default();
        if let (Some(a), Some(b)) = (y.numer().to_u32(), y.denom().to_u32()) {
            units(&kummer_words(a, b, count, fraction, &budget).unwrap(), 1);
        }
        units(&kummer_splitting(y, count, fraction, &budget).unwrap(), 1);
        for side in [1, 2, 3, count.isqrt().max(1), count + 3] {
            let scaled = floor_scaled(y, fraction);
            let dyadic = Rational::from(&scaled) >> fraction;
            let truth = kummer_exact(&dyadic, count) << fraction;
            let gap = Rational::from(&truth - kummer_rectangular(&scaled, count, side, fraction, &budget).unwrap());
            assert!(gap >= 0 && (gap << fraction) <= truth * (8 * (count + side + 8)));
        }
    }

    proptest! {
        #[test]
        fn partial_sums_err_as_counted(a in 0u32..5000, b in 1u32..3000, count in 1u64..90, fraction in 20u32..400) {
            check(&Rational::from((a, b)), count, fraction);
        }

        #[test]
        fn more_bits_stay_inside(a in 0u64..u64::MAX, b in 1u64..1 << 60, bits in 8u32..200) {
            let y = Rational::from((a % (b.saturating_mul(300)), b));
            let budget = Budget::default();
            for coarse in [Number::Exact(y.clone()), Number::Enclosed(Enclosure::rational(&y, bits + 30))] {
                let coarse = kummer(&coarse, bits, &budget).unwrap();
                let fine = kummer(&Number::Exact(y.clone()), 2 * bits + 90, &budget).unwrap();
                prop_assert!(coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper());
                prop_assert!(coarse.relative_bits().unwrap() >= i64::from(bits) - 3);
            }
        }

        #[test]
        fn asymptotic_overlaps_kummer(a in 8u64..3000, b in 1u64..40, bits in 8u32..200) {
            // x R(x) = x (sqrt(pi/2) e^{x^2/2} - x f(x^2)) from Kummer's series, against the asymptotic one.
            let y = Rational::from((a.max(8 * b), b));
            let budget = Budget::default();
            let many = bits + 4 * u32::try_from(a / b).unwrap() + 100;
            let x = Enclosure::rational(&y, many).sqrt();
            let f = kummer(&Number::Exact(y.clone()), many, &budget).unwrap();
            let peak = Enclosure::rational(&y, many).shift(-1).exp();
            let full = (Enclosure::pi(many).shift(-1).sqrt() * peak - &x * f) * &x;
            let w = Rational::from(y.recip_ref());
            for w in [Number::Exact(w.clone()), Number::Enclosed(Enclosure::rational(&w, bits + 20))] {
                let series = asymptotic(&w, bits, &budget).unwrap();
                prop_assert!(series.lower() <= full.lower() && full.upper() <= series.upper());
            }
        }
    }

    proptest! {
        /// Each of the errors alone, made large enough to be seen: few terms, few bits, a loose argument.
        #[test]
        fn every_error_is_added(
            a in 1u32..900, b in 1u32..60, goal in 3i64..90, fraction in 14u32..90, loose in 4u32..90, side in 1u64..9,
        ) {
            let y = Rational::from((a, b));
            let budget = Budget::default();
            let truth = kummer(&Number::Exact(y.clone()), 300, &budget).unwrap();
            let terms = kummer_terms(y.to_f64() * 1.0001, goal, &budget).unwrap();
            let slack = 8 * (terms.count + side + 8);
            let below = floor_scaled(&y, loose.min(fraction)) << (fraction - loose.min(fraction));
            let width = Float::with_val(32, 1) >> loose.min(fraction);
            let sum = kummer_rectangular(&below, terms.count, side, fraction, &budget).unwrap();
            let set = one_sided(sum, fraction, slack, terms.last + 1, &width, 200);
            prop_assert!(set.lower() <= truth.lower() && truth.upper() <= set.upper());
        }

        #[test]
        fn rounding_is_added(a in 1u32..90000, shift in 0u32..12, fraction in 14u32..60, side in 1u64..9) {
            // A dyadic argument is exact in fixed point, and enough terms leave nothing over: roundings alone remain.
            let y = Rational::from(a) >> shift;
            prop_assume!(y < 300);
            let budget = Budget::default();
            let truth = kummer(&Number::Exact(y.clone()), 300, &budget).unwrap();
            let terms = kummer_terms(y.to_f64(), 200, &budget).unwrap();
            let slack = 8 * (terms.count + side + 8);
            let sum = kummer_rectangular(&floor_scaled(&y, fraction), terms.count, side, fraction, &budget).unwrap();
            let set = one_sided(sum, fraction, slack, terms.last + 1, &Float::new(32), 200);
            prop_assert!(set.lower() <= truth.lower() && truth.upper() <= set.upper());
        }

        #[test]
        fn term_bounds_hold(a in 1u32..900, b in 1u32..60, goal in 3i64..90) {
            let y = Rational::from((a, b));
            let terms = kummer_terms(y.to_f64() * 1.0001, goal, &Budget::default()).unwrap();
            let next = kummer_exact(&y, terms.count + 1) - kummer_exact(&y, terms.count);
            prop_assert!(terms.last <= -goal && (next << u32::try_from(-terms.last).unwrap()) <= 1);
            prop_assert!(y * 2u32 <= 2 * terms.count + 3);
        }
    }

    #[test]
    fn long_sums_agree() {
        let budget = Budget::default();
        for y in
            [Rational::from((9, 4)), Rational::from((1, 4)), Rational::from((12345, 77)), Rational::from((1, 1 << 20))]
        {
            let split = kummer(&Number::Exact(y.clone()), 9000, &budget).unwrap();
            let wide = kummer(&Number::Enclosed(Enclosure::rational(&y, 9300)), 9000, &budget).unwrap();
            assert!(split.overlaps(&wide));
            assert!(split.relative_bits().unwrap() > 8990 && wide.relative_bits().unwrap() > 8990);
        }
    }
}
