//! The composed discrete Gaussian once more: by direct convolution, or by a smooth sum where the lattice is too long.
//!
//! All numbers are integers in units of `2^-p`, in pairs that enclose: products are rounded down and up. Exponentials
//! are Taylor series with repeated squaring. The law of the sum `S` of `n` draws is
//!
//! * **an array**, where it fits: the masses of one draw in a window, raised to the `n`-th convolution power by big
//!   integer products (Kronecker substitution), each rounded down; what a window leaves out is at most
//!   `2 e^(-Y^2/(2 m sigma^2))` for `m` draws (a discrete Gaussian is subgaussian with its variance parameter);
//! * **smooth**, for large `sigma`: `P(S = j)` differs from the normal density of variance `v = n sigma^2` by at most
//!   `12 n q`, `q = e^(-2 pi^2 sigma^2/(n+1))` (see `proofs/paper/discrete-gaussian.md`), and the sum of the density
//!   over `j >= k` is the Euler-Maclaurin sum, with the normal integral by its power series.

use std::sync::Arc;

use malachite::base::num::arithmetic::traits::{Abs, Ceiling, DivRound, Floor, FloorSqrt, Square, UnsignedAbs};
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::num::conversion::traits::{ExactFrom, RoundingFrom};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::base::rounding_modes::RoundingMode::{Ceiling as Up, Floor as Low, Nearest};
use malachite::{Integer, Natural, Rational};

use crate::error::Error;
use enclosure::{Cache, Portable};

/// The longest array, in entries times bits.
const MOST_ARRAY_BITS: f64 = 6e8;
/// Relative bits of the answers: some 45 digits.
const BITS: u64 = 150;
/// So many laws are kept, and so many bytes of them.
const KEPT: usize = 8;
const KEPT_BYTES: u64 = 64_000_000;

/// The pair: `times` draws of `N_Z(0, sigma2)` against `N_Z(sensitivity, sigma2)`; all positive.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The variance parameter of one draw.
    pub sigma2: Rational,
    /// The shift of one draw.
    pub sensitivity: Integer,
    /// The number of draws.
    pub times: u64,
}

/// Where a profile is asked.
#[derive(Clone, Debug)]
pub enum At {
    /// At a rational epsilon.
    Epsilon(Rational),
    /// At a rational `e^epsilon > 0`.
    Exp(Rational),
}

/// Integers `low <= x 2^p <= high`.
#[derive(Clone, Debug)]
struct Fixed {
    low: Integer,
    high: Integer,
}

fn ceil_shift(x: &Integer, bits: u64) -> Integer {
    -((-x) >> bits)
}

impl Fixed {
    fn rational(x: &Rational, p: u64) -> Self {
        let scaled = x << p;
        Fixed { low: (&scaled).floor(), high: scaled.ceiling() }
    }

    fn one(p: u64) -> Self {
        let one = Integer::ONE << p;
        Fixed { low: one.clone(), high: one }
    }

    fn add(&self, other: &Self) -> Self {
        Fixed { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    fn sub(&self, other: &Self) -> Self {
        Fixed { low: &self.low - &other.high, high: &self.high - &other.low }
    }

    /// A product; all four corners, since signs may differ.
    fn mul(&self, other: &Self, p: u64) -> Self {
        if self.low >= 0 && other.low >= 0 {
            return Fixed { low: (&self.low * &other.low) >> p, high: ceil_shift(&(&self.high * &other.high), p) };
        }
        let corners =
            [&self.low * &other.low, &self.low * &other.high, &self.high * &other.low, &self.high * &other.high];
        let low = corners.iter().min().map_or(Integer::ZERO, |x| x >> p);
        let high = corners.iter().max().map_or(Integer::ZERO, |x| ceil_shift(x, p));
        Fixed { low, high }
    }

    /// `1/x` for `x > 0`.
    fn recip(&self, p: u64) -> Result<Self, Error> {
        if self.low <= 0 {
            return Err(Error::Undecided("the second route divided by what may be zero".into()));
        }
        let one = Integer::ONE << (2 * p);
        Ok(Fixed { low: (&one).div_round(&self.high, Low).0, high: one.div_round(&self.low, Up).0 })
    }

    fn bounds(&self, p: u64) -> (Rational, Rational) {
        (Rational::from(self.low.clone()) >> p, Rational::from(self.high.clone()) >> p)
    }

    /// From precision `from` to the lower precision `p`.
    fn drop(&self, from: u64, p: u64) -> Self {
        Fixed { low: &self.low >> (from - p), high: ceil_shift(&self.high, from - p) }
    }
}

fn double(x: &Rational) -> f64 {
    f64::rounding_from(x, Nearest).0
}

/// `e^x` to about `2^-p` absolutely, or relatively when large.
fn exp(x: &Rational, p: u64) -> Result<Fixed, Error> {
    let size = double(x).abs();
    if size > 1e8 {
        return Err(Error::Undecided("an exponent of the second route is too large".into()));
    }
    // More halvings, fewer terms: about as many of either is best.
    let halvings = (size + 1.0).portable_log2().ceil() as u64 + 8 + (p as f64).sqrt() as u64 / 2;
    let work = p + halvings + if *x > 0 { (size * 1.45) as u64 } else { 0 } + 24;
    let y = Fixed::rational(&(x.abs() >> halvings), work);
    // Taylor; terms fall by more than 2^-7 each, so the rest is below the last term.
    let (mut sum, mut term, mut i) = (Fixed::one(work), Fixed::one(work), 0u64);
    while term.high > 1 {
        i += 1;
        term = term.mul(&y, work);
        let divisor = Integer::from(i);
        term = Fixed { low: term.low.div_round(&divisor, Low).0, high: term.high.div_round(&divisor, Up).0 };
        sum = sum.add(&term);
    }
    sum.high += Integer::from(2);
    if *x < 0 {
        sum = sum.recip(work)?;
    }
    for _ in 0..halvings {
        sum = sum.mul(&sum, work);
    }
    Ok(sum.drop(work, p))
}

/// pi, by Machin's formula with alternating series.
fn pi(p: u64) -> Fixed {
    let work = p + 16;
    let arctan = |n: u64| {
        let square = Integer::from(n * n);
        let mut power = (Integer::ONE << work).div_round(Integer::from(n), Low).0;
        let (mut sum, mut i, mut terms) = (Integer::ZERO, 0u64, 0i64);
        while power != 0 {
            let term = (&power).div_round(Integer::from(2 * i + 1), Low).0;
            if i % 2 == 0 {
                sum += term
            } else {
                sum -= term
            }
            power = power.div_round(&square, Low).0;
            i += 1;
            terms += 1;
        }
        // Each term is off by less than two units, and so is the alternating rest.
        let error = Integer::from(2 * terms + 2);
        Fixed { low: &sum - &error, high: sum + error }
    };
    let times = |x: Fixed, n: u64| Fixed { low: x.low * Integer::from(n), high: x.high * Integer::from(n) };
    times(arctan(5), 16).sub(&times(arctan(239), 4)).drop(work, p)
}

/// Square root of `x > 0`.
fn sqrt(x: &Fixed, p: u64) -> Fixed {
    let root = |x: &Integer| Integer::from((x << p).unsigned_abs().floor_sqrt());
    Fixed { low: root(&x.low), high: root(&x.high) + Integer::ONE }
}

/// The law of the sum, at precision `p`.
enum Law {
    /// Lower bounds of `P(S = j)`, `|j| <= reach`, each short by at most `error` units; one unit of mass lies outside.
    Array { low: Vec<Natural>, reach: u64, error: u64, p: u64 },
    /// The density of a normal law of variance `v`, off by at most a unit in any tail.
    Smooth { v: Rational, p: u64 },
}

/// Laws that were made, for many questions are asked of each: by the variance of a draw, the draws and the precision,
/// which are all that a law depends on.
pub struct Laws(Cache<(Rational, u64, u64), Law>);

impl Default for Laws {
    fn default() -> Self {
        Laws(Cache::new(KEPT))
    }
}

impl Laws {
    fn get(&self, pair: &Pair, p: u64) -> Result<Arc<Law>, Error> {
        let made = self.0.get((pair.sigma2.clone(), pair.times, p), || law(pair, p));
        self.0.shed(KEPT_BYTES, Law::bytes);
        made
    }
}

/// A window that leaves out at most `2^-(p+1)`: `2 e^(-Y^2/(2v)) <= 2^-(p+1)`.
fn reach(v: f64, p: u64) -> f64 {
    (2.0 * v * (p as f64 + 3.0) * 0.6932).sqrt().ceil() + 1.0
}

fn law(pair: &Pair, p: u64) -> Result<Law, Error> {
    let v = &pair.sigma2 * Rational::from(pair.times);
    let size = double(&v);
    // 2 pi^2 / ln 2 > 28: then 8 (v + 1) * 12 n q is below half a unit, and so are the tails beyond 8 v.
    let digits = 28.0 * double(&pair.sigma2) / (pair.times as f64 + 1.0);
    let wanted = p as f64 + (96.0 * (size + 2.0) * pair.times as f64).portable_log2() + 3.0;
    let entries = 2.0 * reach(size, p) + 1.0;
    let fits = entries * (2.0 * p as f64 + 64.0) * (pair.times as f64).portable_log2().max(1.0) < MOST_ARRAY_BITS;
    if digits > wanted && size > 1e3 && (size > 1e7 || !fits) {
        return Ok(Law::Smooth { v, p });
    }
    if !fits {
        return Err(Error::Undecided("too long an array for the second route".into()));
    }
    array(pair, p)
}

/// The masses of one draw, and their convolution power.
fn array(pair: &Pair, p: u64) -> Result<Law, Error> {
    let s2 = double(&pair.sigma2);
    let width = reach(s2, p) as u64;
    let work = p + 2 * width.significant_bits() + 16;
    // e^(-j^2/(2 s2)): ratios of neighbours are a geometric progression.
    let unit = (&pair.sigma2 * Rational::from(2)).clone();
    let mut ratio = exp(&-(Rational::ONE / &unit), work)?;
    let step = ratio.mul(&ratio, work);
    let mut weights = vec![Fixed::one(work)];
    let mut weight = Fixed::one(work);
    for _ in 0..width {
        weight = weight.mul(&ratio, work);
        ratio = ratio.mul(&step, work);
        weights.push(weight.clone());
    }
    let mut total = Fixed::one(work);
    for weight in &weights[1..] {
        total = total.add(weight).add(weight);
    }
    // Outside of the window: at most 2^-(p+1) of the total.
    total.high += (&total.high >> p) + Integer::ONE;
    let scale = total.recip(work)?;
    let one: Vec<Natural> = (0..=2 * width)
        .map(|i| {
            let mass = weights[usize::exact_from(i.abs_diff(width))].mul(&scale, work);
            (mass.low >> (work - p)).unsigned_abs()
        })
        .collect();
    // The enclosures are narrower than a unit; rounding down loses another, the total's upper bound a third.
    let mut base = (one, width, 4u64, 1u64);
    let mut result: Option<(Vec<Natural>, u64, u64, u64)> = None;
    let mut n = pair.times;
    while n > 0 {
        if n % 2 == 1 {
            result = Some(match result {
                None => base.clone(),
                Some(result) => convolve(&result, &base, s2, p)?,
            });
        }
        n /= 2;
        if n > 0 {
            base = convolve(&base, &base, s2, p)?;
        }
    }
    let (low, reach, error, _) = result.ok_or_else(|| Error::Undecided("nothing to compose".into()))?;
    Ok(Law::Array { low, reach, error, p })
}

type Masses = (Vec<Natural>, u64, u64, u64);

/// The law of a sum of independent sums, cut to its window.
///
/// True masses `a + x`, `b + y` with `0 <= x <= e`, `0 <= y <= f` inside the windows and at most a unit of mass
/// outside: their convolution exceeds that of `a` and `b` by at most `e + f + 2` units, because masses sum to at most
/// one; rounding down adds one.
fn convolve(a: &Masses, b: &Masses, s2: f64, p: u64) -> Result<Masses, Error> {
    let count = a.3 + b.3;
    let full = a.1 + b.1;
    let kept = full.min(reach(s2 * count as f64, p) as u64);
    let shorter = a.0.len().min(b.0.len()) as u64;
    let slot = usize::exact_from((2 * p + shorter.significant_bits() + 64) / 64);
    let pack = |masses: &[Natural]| {
        let mut limbs = vec![0u64; masses.len() * slot];
        for (mass, place) in masses.iter().zip(limbs.chunks_mut(slot)) {
            for (limb, place) in mass.limbs().zip(place) {
                *place = limb;
            }
        }
        Natural::from_owned_limbs_asc(limbs)
    };
    let (x, y) = (pack(&a.0), pack(&b.0));
    let mut limbs = (x * y).into_limbs_asc();
    limbs.resize(slot * usize::exact_from(2 * full + 1), 0);
    let low = limbs
        .chunks(slot)
        .skip(usize::exact_from(full - kept))
        .take(usize::exact_from(2 * kept + 1))
        .map(|limbs| Natural::from_limbs_asc(limbs) >> p)
        .collect();
    let error = a.2.checked_add(b.2).and_then(|sum| sum.checked_add(3));
    Ok((low, kept, error.ok_or_else(|| Error::Undecided("too many compositions".into()))?, count))
}

impl Law {
    /// `P(S >= k)` in units of `2^-p`.
    fn tail(&self, k: &Integer) -> Result<Fixed, Error> {
        if *k <= 0 {
            // By symmetry.
            let p = self.precision();
            return Ok(Fixed::one(p).sub(&self.tail(&(Integer::ONE - k))?));
        }
        match self {
            Law::Array { low, reach, error, .. } => {
                if *k > *reach {
                    return Ok(Fixed { low: Integer::ZERO, high: Integer::ONE });
                }
                let from = usize::exact_from(&(k + Integer::from(*reach)));
                let mut sum = Natural::ZERO;
                for mass in &low[from..] {
                    sum += mass;
                }
                let sum = Integer::from(sum);
                let slack = Integer::from(low.len() - from) * Integer::from(*error) + Integer::ONE;
                Ok(Fixed { low: sum.clone(), high: sum + slack })
            }
            Law::Smooth { v, p } => smooth_tail(v, k, *p),
        }
    }

    /// About as much memory as it takes.
    fn bytes(&self) -> u64 {
        match self {
            Law::Array { low, p, .. } => low.len() as u64 * (p / 8 + 32),
            Law::Smooth { .. } => 0,
        }
    }

    fn precision(&self) -> u64 {
        match self {
            Law::Array { p, .. } | Law::Smooth { p, .. } => *p,
        }
    }
}

/// `sum_(j >= k) f(j)` for the normal density `f` of variance `v`, by Euler and Maclaurin.
///
/// With `r` terms the rest is at most `|B_2r|/(2r)! int |f^(2r)|`; `|B_2r|/(2r)! <= 4/(2 pi)^(2r)`, and by Cramer's
/// inequality `|f^(2r)(x)| <= 1.09 v^-r sqrt((2r)!) e^(-x^2/(4v))/sqrt(2 pi v)`, of integral at most `1.09 v^-r
/// sqrt((2r)!)`. So it is below `5 sqrt((2r)!)/(36 v)^r`.
fn smooth_tail(v: &Rational, k: &Integer, p: u64) -> Result<Fixed, Error> {
    let square = Rational::from(k.square());
    let exponent = -(&square / (v * Rational::from(2)));
    let far = double(&exponent).abs() * 1.45;
    if far > 1e7 {
        return Err(Error::Undecided("the second route does not go that far out".into()));
    }
    let size = double(v);
    let work = p + far as u64 + (size.portable_log2() as u64) + 2 * k.significant_bits() + 64;
    let root = sqrt(&Fixed::rational(&(v * Rational::from(2)), work).mul(&pi(work), work), work);
    let density = exp(&exponent, work)?.mul(&root.recip(work)?, work);
    // int_0^k f = f(k) sum_i k^(2i+1)/(v^i (2i+1)!!).
    let ratio = Fixed::rational(&(&square / v), work);
    let mut term = Fixed::rational(&Rational::from(k.clone()), work);
    let (mut series, mut i) = (term.clone(), 0u64);
    let turning = 2.0 * far / 1.45 * 2.0 + 4.0;
    loop {
        i += 1;
        term = term.mul(&ratio, work);
        let divisor = Integer::from(2 * i + 1);
        term = Fixed { low: term.low.div_round(&divisor, Low).0, high: term.high.div_round(&divisor, Up).0 };
        series = series.add(&term);
        // Past 2i + 1 >= 2 k^2/v terms at least halve, and the rest is below the last one.
        if term.high <= 2 && (2 * i) as f64 > turning {
            break;
        }
    }
    series.high += Integer::from(4);
    let half = Fixed { low: Integer::ONE << (work - 1), high: Integer::ONE << (work - 1) };
    let integral = half.sub(&density.mul(&series, work));

    // f(k)/2 - sum B_2i/(2i)! f^(2i-1)(k), where f^(q+1) = -(k/v) f^(q) - (q/v) f^(q-1).
    let mut corrections = Rational::ONE >> 1u64;
    let mut before = Rational::ONE;
    let slope = -(Rational::from(k.clone()) / v);
    let mut here = slope.clone();
    let mut factorial = Rational::ONE;
    let bernoulli = bernoulli_numbers();
    let mut rest = None;
    for (index, number) in bernoulli.iter().enumerate() {
        let r = index as u64 + 1;
        factorial *= Rational::from((2 * r - 1) * (2 * r));
        corrections -= number * &here / &factorial;
        // 5 sqrt((2r)!)/(36 v)^r, in bits, with a bit to spare.
        let bits = r as f64 * (36.0 * size).portable_log2()
            - ((1..=2 * r).map(|i| (i as f64).portable_log2()).sum::<f64>() / 2.0)
            - 4.0;
        if bits > work as f64 {
            rest = Some(());
            break;
        }
        for q in [2 * r - 1, 2 * r] {
            let next = &slope * &here - Rational::from(q) / v * &before;
            before = std::mem::replace(&mut here, next);
        }
    }
    if rest.is_none() {
        return Err(Error::Undecided("the Euler-Maclaurin sum of the second route is too short".into()));
    }
    let mut sum = integral.add(&density.mul(&Fixed::rational(&corrections, work), work));
    sum.low -= Integer::ONE;
    sum.high += Integer::ONE;
    let mut tail = sum.drop(work, p);
    // What separates the law of S from the density.
    tail.low -= Integer::ONE;
    tail.high += Integer::ONE;
    Ok(tail)
}

/// `B_2, B_4, ..., B_120`, by the recurrence `sum_(j <= m) C(m+1, j) B_j = 0`.
fn bernoulli_numbers() -> Vec<Rational> {
    let mut all: Vec<Rational> = vec![Rational::ONE];
    for m in 1..=120u64 {
        let mut binomial = Rational::ONE;
        let mut sum = Rational::ZERO;
        for (j, number) in all.iter().enumerate() {
            sum += &binomial * number;
            binomial = binomial * Rational::from(m + 1 - j as u64) / Rational::from(j as u64 + 1);
        }
        all.push(-sum / Rational::from(m + 1));
    }
    all.into_iter().skip(2).step_by(2).collect()
}

impl Pair {
    fn shift(&self) -> Integer {
        &self.sensitivity * Integer::from(self.times)
    }

    /// The loss at `k`: `D (2k + nD)/(2 sigma^2)`.
    fn knot(&self, k: &Integer) -> Rational {
        let twice = (k << 1u64) + self.shift();
        Rational::from(twice * &self.sensitivity) / (&self.sigma2 * Rational::from(2))
    }

    /// The first `k` whose loss exceeds the point.
    fn first_above(&self, at: &At) -> Result<Integer, Error> {
        match at {
            At::Epsilon(epsilon) => {
                let t = epsilon * &self.sigma2 / Rational::from(self.sensitivity.clone())
                    - (Rational::from(self.shift()) >> 1u64);
                Ok(t.floor() + Integer::ONE)
            }
            At::Exp(x) => {
                // Bisection: is e^(l_k) > x? Equal only at l_k = 0, and there it does not matter.
                let above = |k: &Integer| -> Result<bool, Error> {
                    let knot = self.knot(k);
                    let mut p = 128;
                    loop {
                        let (low, high) = exp(&knot, p)?.bounds(p);
                        if low > *x {
                            return Ok(true);
                        }
                        if high < *x || knot == 0 {
                            return Ok(false);
                        }
                        p *= 2;
                    }
                };
                let centre = -(self.shift() >> 1u64);
                let mut step = Integer::ONE;
                let (mut low, mut high) = (&centre - Integer::ONE, &centre + Integer::ONE);
                while above(&low)? {
                    step <<= 1u64;
                    low -= &step;
                }
                while !above(&high)? {
                    step <<= 1u64;
                    high += &step;
                }
                while &high - &low > 1 {
                    let middle = (&high + &low) >> 1u64;
                    if above(&middle)? { high = middle } else { low = middle }
                }
                Ok(high)
            }
        }
    }
}

/// Bounds of the profile, with some 45 relative digits.
pub fn delta(laws: &Laws, pair: &Pair, at: &At) -> Result<(Rational, Rational), Error> {
    let k = pair.first_above(at)?;
    precise(|p| {
        let law = laws.get(pair, p)?;
        let a = law.tail(&k)?;
        let b = law.tail(&(&k + pair.shift()))?;
        let x = match at {
            At::Epsilon(epsilon) => exp(epsilon, p)?,
            At::Exp(x) => Fixed::rational(x, p),
        };
        Ok(a.sub(&x.mul(&b, p)).bounds(p))
    })
}

/// Bounds of the trade-off function, `0 < alpha < 1`.
///
/// Each line `B_(k+1) + e^(-l_k)(1 - alpha - A_(k+1))` bounds it from below, the one of alpha's segment equals it; the
/// segment is found by bisection, and where it cannot be told apart the neighbours join.
pub fn beta(laws: &Laws, pair: &Pair, alpha: &Rational) -> Result<(Rational, Rational), Error> {
    let rest = Rational::ONE - alpha;
    precise(|p| {
        let law = laws.get(pair, p)?;
        // The largest k with A_k >= 1 - alpha, by middles of the enclosures.
        let covers = |k: &Integer| -> Result<bool, Error> { Ok(law.tail(k)?.bounds(p).1 >= rest) };
        let mut step = Integer::ONE;
        let (mut low, mut high) = (Integer::ZERO, Integer::ONE);
        while !covers(&low)? {
            step <<= 1u64;
            low -= &step;
        }
        while covers(&high)? {
            step <<= 1u64;
            high += &step;
        }
        while &high - &low > 1 {
            let middle = (&high + &low) >> 1u64;
            if covers(&middle)? { low = middle } else { high = middle }
        }
        let line = |k: &Integer| -> Result<(Rational, Rational), Error> {
            let next = k + Integer::ONE;
            let gap = Fixed::rational(&rest, p).sub(&law.tail(&next)?);
            let fall = exp(&-pair.knot(k), p)?;
            Ok(law.tail(&(&next + pair.shift()))?.add(&fall.mul(&gap, p)).bounds(p))
        };
        let (mut lower, mut upper) = line(&low)?;
        // A_(low + 1) < 1 - alpha is certain; A_low >= 1 - alpha may not be.
        if law.tail(&low)?.bounds(p).0 < rest {
            let down = &low - Integer::ONE;
            if law.tail(&down)?.bounds(p).0 < rest {
                return Ok((Rational::ZERO, Rational::ONE));
            }
            let other = line(&down)?;
            lower = lower.max(other.0);
            upper = upper.max(other.1);
        }
        Ok((lower, upper))
    })
}

/// Raise the precision until the bounds agree to [`BITS`] relative bits.
fn precise(mut value: impl FnMut(u64) -> Result<(Rational, Rational), Error>) -> Result<(Rational, Rational), Error> {
    let mut p = BITS + 60;
    for _ in 0..12 {
        let (lower, upper) = value(p)?;
        if lower > 0 {
            if (&upper - &lower) << BITS <= lower {
                return Ok((lower, upper));
            }
            p += BITS + 20;
        } else {
            p *= 2;
        }
    }
    Err(Error::Undecided("the second route ran out of rounds".into()))
}

/// Does a claimed enclosure of delta share a point with the second route's?
#[cfg(test)]
pub fn confirms_delta(pair: &Pair, at: &At, lower: &Rational, upper: &Rational) -> Result<bool, Error> {
    let (low, high) = delta(&Laws::default(), pair, at)?;
    Ok(low <= *upper && *lower <= high)
}

/// Is a claimed enclosure of epsilon compatible with `delta(lower) >= delta >= delta(upper)`?
///
/// The profile falls strictly, so this fails unless the truth is in the enclosure, or closer to it than 45 digits of
/// the profile can tell. At `lower = 0` only the upper end is asked, because epsilon is clipped there.
pub fn confirms_epsilon(
    laws: &Laws,
    pair: &Pair,
    target: &Rational,
    lower: &Rational,
    upper: &Rational,
) -> Result<bool, Error> {
    let right = delta(laws, pair, &At::Epsilon(upper.clone()))?.0 <= *target;
    let left = *lower <= 0 || delta(laws, pair, &At::Epsilon(lower.clone()))?.1 >= *target;
    Ok(left && right)
}

/// Does a claimed enclosure of beta share a point with the second route's?
#[cfg(test)]
pub fn confirms_beta(pair: &Pair, alpha: &Rational, lower: &Rational, upper: &Rational) -> Result<bool, Error> {
    let (low, high) = beta(&Laws::default(), pair, alpha)?;
    Ok(low <= *upper && *lower <= high)
}
