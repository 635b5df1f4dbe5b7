//! Functionals of the privacy loss from their definitions: sums over outcomes of intervals for both masses, and for
//! Laplace noise the loss's own law, whose moments are power series.
//!
//! The engine averages functions of the loss; here the F-divergences are sums of both masses, cumulants come from raw
//! moments by their recursion, and everything is in malachite's rationals.

use malachite::Integer;
use malachite::base::num::arithmetic::traits::{IsPowerOf2, Pow};
use malachite::base::num::basic::traits::{One, Two, Zero};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::rational::Rational;

use super::elementary::{Bounds, below_one, exp_bounds, ln_bounds, pi_bounds, scaled_down, scaled_up, sqrt_bounds};
use super::limits;

/// The masses of P and Q of one outcome, each by its bounds.
pub type Outcome = (Bounds, Bounds);

/// A loss with finitely many values or of Laplace or Gaussian noise.
pub enum Law {
    /// By the outcomes.
    Finite(Vec<Outcome>),
    /// By the shift, above 0.
    Laplace(Rational),
    /// By the square of mu.
    Gaussian(Rational),
}

impl Law {
    /// `E L^j` for j = 1, ..., count; `None` where an outcome of P is none of Q.
    pub fn moments(&self, count: u32, bits: u64) -> Option<Vec<Bounds>> {
        match self {
            Law::Finite(outcomes) => {
                let losses = losses(outcomes, bits)?;
                let moment = |j| sum(losses.iter().map(|(p, loss)| mul(p, &power(loss, j))));
                Some((1..=count).map(moment).collect())
            }
            Law::Laplace(c) => Some((1..=count).map(|j| laplace(c, j, j % 2 == 1, bits)).collect()),
            // L is normal, of mean m/2 and variance m: E L^(j+1) = (m/2) E L^j + j m E L^(j-1).
            Law::Gaussian(square) => {
                let mut all = vec![Rational::ONE, square / Rational::TWO];
                for j in 1..u64::from(count) {
                    let last = all.len() - 1;
                    let next = &all[1] * &all[last] + Rational::from(j) * square * &all[last - 1];
                    all.push(next);
                }
                Some(all.drain(1..).take(count as usize).map(point).collect())
            }
        }
    }

    /// The cumulant of an order, from raw moments.
    pub fn cumulant(&self, order: u32, bits: u64) -> Option<Bounds> {
        cumulants(&self.moments(order, bits)?).pop()
    }

    /// `sum sqrt(p q)`.
    pub fn affinity(&self, bits: u64) -> Bounds {
        match self {
            Law::Finite(outcomes) => sum(outcomes.iter().map(|(p, q)| {
                let (low, high) = mul(p, q);
                (sqrt(&low, bits).0, sqrt(&high, bits).1)
            })),
            // int sqrt(p q) over the two tails, c/2 from the shift each, and the piece between.
            Law::Laplace(c) => {
                let half = c / Rational::TWO;
                mul(&exp_bounds(&-&half, bits), &point(Rational::ONE + half))
            }
            Law::Gaussian(square) => exp_bounds(&-(square / Rational::from(8)), bits),
        }
    }
}

/// The cumulants that belong to raw moments, as many: `k_n = m_n - sum_j C(n-1, j-1) k_j m_(n-j)`.
pub fn cumulants(moments: &[Bounds]) -> Vec<Bounds> {
    let mut cumulants: Vec<Bounds> = Vec::new();
    for n in 1..=moments.len() {
        let mut value = moments[n - 1].clone();
        let mut binomial = 1u64;
        for j in 1..n {
            let term = mul(&cumulants[j - 1], &moments[n - j - 1]);
            value = sub(&value, &mul(&term, &point(Rational::from(binomial))));
            binomial = binomial * (n - j) as u64 / j as u64;
        }
        cumulants.push(value);
    }
    cumulants
}

/// `sum p |L - centre|^3`; with no centre `sum p |L|^3`.
pub fn absolute_cube(outcomes: &[Outcome], centred: bool, bits: u64) -> Option<Bounds> {
    let losses = losses(outcomes, bits)?;
    let mean = sum(losses.iter().map(|(p, loss)| mul(p, loss)));
    let centre = if centred { mean } else { point(Rational::ZERO) };
    Some(sum(losses.iter().map(|(p, loss)| mul(p, &power(&absolute(&sub(loss, &centre)), 3)))))
}

/// The same beside a normal loss of mean m/2 and variance m: of `Y ~ N(d, m)`,
/// `E |Y|^3 = (d^3 + 3 d m)(1 - 2 P(Z > d/s)) + 2 (d^2 + 2 m) s phi(d/s)`, `s = sqrt m`.
pub fn absolute_cube_beside(outcomes: &[Outcome], square: &Rational, centred: bool, bits: u64) -> Option<Bounds> {
    let losses = losses(outcomes, bits)?;
    let half = point(square / Rational::TWO);
    let mean = add(&sum(losses.iter().map(|(p, loss)| mul(p, loss))), &half);
    let centre = if centred { mean } else { point(Rational::ZERO) };
    let deviation = sqrt(square, bits);
    let times = |n: i64, x: &Bounds| mul(&point(Rational::from(n)), x);
    Some(sum(losses.iter().map(|(p, loss)| {
        let off = sub(&add(loss, &half), &centre);
        let z = div(&off, &deviation);
        let tail = limits::tail(&z, bits);
        let sign = (Rational::ONE - &tail.1 * Rational::TWO, Rational::ONE - &tail.0 * Rational::TWO);
        let variance = point(square.clone());
        let first = add(&power(&off, 3), &times(3, &mul(&off, &variance)));
        let second = mul(&add(&power(&off, 2), &times(2, &variance)), &deviation);
        mul(p, &add(&mul(&first, &sign), &times(2, &mul(&second, &limits::density(&z, bits)))))
    })))
}

/// The most outcomes of a composition.
const MOST: usize = 1 << 14;

/// The outcomes of several laws together: of one T times, counts c with `T!/prod c_i! prod p_i^(c_i)`. `None` where
/// they are too many.
pub fn composed(factors: &[(&[Outcome], u64)], bits: u64) -> Option<Vec<Outcome>> {
    let one = point(Rational::ONE);
    let rounded = &|(low, high): Bounds| {
        let digits = 2 * bits + if low > 0u32 { below_one(&low) } else { 0 };
        (scaled_down(&low, digits), scaled_up(&high, digits))
    };
    let mut all = vec![(one.clone(), one.clone())];
    for (outcomes, times) in factors {
        if outcomes.len() > 1 && *times >= MOST as u64 {
            return None;
        }
        // How many runs are left, and the masses of those that are placed.
        let mut placed = vec![(*times, one.clone(), one.clone())];
        for (place, (p, q)) in outcomes.iter().enumerate() {
            let last = place + 1 == outcomes.len();
            let mut next = Vec::new();
            let most = placed.iter().map(|(left, ..)| *left).max().unwrap_or(0);
            let powers = powers(p, most, rounded).into_iter().zip(powers(q, most, rounded)).collect::<Vec<_>>();
            for (left, first, second) in placed {
                let mut ways = Rational::ONE;
                // All that are left are of the last kind, in one way.
                for count in if last { left } else { 0 }..=left {
                    let (own, other) = usize::try_from(count).ok().and_then(|count| powers.get(count))?;
                    let many = point(ways.clone());
                    let first = rounded(mul(&first, &mul(&many, own)));
                    next.push((left - count, first, rounded(mul(&second, &mul(&many, other)))));
                    if next.len() > MOST {
                        return None;
                    }
                    ways = ways * Rational::from(left - count) / Rational::from(count + 1);
                }
            }
            placed = next;
        }
        if all.len() * placed.len() > MOST {
            return None;
        }
        let joined = |(p, q): &Outcome| -> Vec<Outcome> {
            placed.iter().map(|(_, own, other)| (rounded(mul(p, own)), rounded(mul(q, other)))).collect()
        };
        all = all.iter().flat_map(joined).collect();
    }
    all.retain(|(p, q)| p.1 != 0u32 || q.1 != 0u32);
    Some(all)
}

/// The powers of a mass up to some, each rounded.
fn powers(mass: &Bounds, most: u64, rounded: &dyn Fn(Bounds) -> Bounds) -> Vec<Bounds> {
    let mut power = point(Rational::ONE);
    let next = |_| {
        let next = rounded(mul(&power, mass));
        std::mem::replace(&mut power, next)
    };
    (0..=most).map(next).collect()
}

/// `E |L|^3` of Laplace noise moved by c.
pub fn laplace_cube(c: &Rational, bits: u64) -> Bounds {
    laplace(c, 3, false, bits)
}

/// `E |L - m|^3` of Laplace noise moved by c, m the mean of L: with `t = y - m` in the integral of [`laplace`],
/// `e^(m/2) (int_0^(c-m) t^3 e^(t/2) dt + int_0^(c+m) t^3 e^(-t/2) dt)`, both by partial integration.
pub fn laplace_centred_cube(c: &Rational, bits: u64) -> Bounds {
    let mean = laplace(c, 1, true, bits);
    let whole = point(c.clone());
    let (above, below) = (sub(&whole, &mean), add(&whole, &mean));
    let exp = |x: &Bounds| (exp_bounds(&x.0, bits).0, exp_bounds(&x.1, bits).1);
    // e^(st/2) (2 s t^3 - 12 t^2 + 48 s t - 96) has the derivative t^3 e^(st/2), for s = 1 and s = -1.
    let integral = |t: &Bounds, falls: bool| {
        let of = |n: i64| point(Rational::from(if falls { -n } else { n }));
        let odd = add(&mul(&power(t, 3), &of(2)), &mul(t, &of(48)));
        let even = add(&mul(&power(t, 2), &point(Rational::from(12))), &point(Rational::from(96)));
        let rate = if falls { (-&t.1, -&t.0) } else { t.clone() };
        add(&mul(&exp(&half(&rate)), &sub(&odd, &even)), &point(Rational::from(96)))
    };
    let between = mul(&exp(&half(&mean)), &add(&integral(&above, false), &integral(&below, true)));
    let weight = exp_bounds(&-(c / Rational::TWO), bits);
    let bottom = mul(&exp_bounds(&-c, bits), &power(&below, 3));
    add(
        &half(&add(&power(&above, 3), &bottom)),
        &mul(&mul(&weight, &between), &point(Rational::ONE / Rational::from(4))),
    )
}

/// `E |L - m|^3` of a normal loss: `sqrt(8/pi) mu^3`, from the square of mu.
pub fn gaussian_centred_cube(square: &Rational, bits: u64) -> Bounds {
    let sixth = point(square.pow(3u64) * Rational::from(8));
    let ratio = div(&sixth, &pi_bounds(bits));
    (sqrt(&ratio.0, bits).0, sqrt(&ratio.1, bits).1)
}

/// `sum p (q/p - 1)_+^2 = sum (q - p)_+^2/p`, of outcomes that both have.
pub fn positive_chi_squared(outcomes: &[Outcome]) -> Bounds {
    sum(outcomes.iter().map(|(p, q)| {
        let (low, high) = sub(q, p);
        let gap = (low.max(Rational::ZERO), high.max(Rational::ZERO));
        div(&power(&gap, 2), p)
    }))
}

/// `(1/2) sum (p ln(2p/(p+q)) + q ln(2q/(p+q)))`.
pub fn jensen_shannon(outcomes: &[Outcome], bits: u64) -> Bounds {
    let side = |mass: &Bounds, both: &Bounds| {
        if mass.1 == 0u32 {
            return point(Rational::ZERO);
        }
        let (low, high) = div(&twice(mass), both);
        mul(mass, &(ln_bounds(&low, bits).0, ln_bounds(&high, bits).1))
    };
    let all = sum(outcomes.iter().map(|(p, q)| {
        let both = add(p, q);
        add(&side(p, &both), &side(q, &both))
    }));
    half(&all)
}

/// `(1/2) sum (p-q)^2/(p+q)`.
pub fn le_cam(outcomes: &[Outcome]) -> Bounds {
    half(&sum(outcomes.iter().map(|(p, q)| div(&power(&absolute(&sub(p, q)), 2), &add(p, q)))))
}

/// `KL(M||N)` of the antipodal replacement of Dwork and Rothblum, from its masses: an outcome (p, q) becomes
/// `n = |p-q|/(X-1)` and `m = X n`, in the order of p and q, and what is left of both is equal. `None` where an outcome
/// has mass on one side alone, so that X is infinite; no bounds where X is not told from 1 at this precision.
pub fn antipodal(outcomes: &[Outcome], bits: u64) -> Option<Option<Bounds>> {
    let mut largest = point(Rational::ONE);
    for (p, q) in outcomes {
        if p.1 == 0u32 || q.1 == 0u32 {
            return None;
        }
        for (low, high) in [div(p, q), div(q, p)] {
            largest = (largest.0.max(low), largest.1.max(high));
        }
    }
    if largest.1 == 1u32 {
        return Some(Some(point(Rational::ZERO)));
    }
    let excess = sub(&largest, &point(Rational::ONE));
    if excess.0 <= 0u32 {
        return Some(None);
    }
    let log = (ln_bounds(&largest.0, bits).0, ln_bounds(&largest.1, bits).1);
    // With p above q the term is m ln X = X n ln X, and else it is n ln(1/X).
    let terms = outcomes.iter().map(|(p, q)| {
        let gap = sub(p, q);
        let small = div(&absolute(&gap), &excess);
        let above = mul(&mul(&small, &largest), &log);
        let below = mul(&small, &log);
        let below = (-below.1, -below.0);
        if gap.0 >= 0u32 {
            above
        } else if gap.1 <= 0u32 {
            below
        } else {
            (below.0, above.1)
        }
    });
    Some(Some(sum(terms)))
}

/// `c (1 - e^(-c/2))`: the same of Laplace noise moved by c, whose losses lie between -c and c.
pub fn laplace_antipodal(c: &Rational, bits: u64) -> Bounds {
    let (low, high) = exp_bounds(&-(c / Rational::TWO), bits);
    mul(&point(c.clone()), &(Rational::ONE - high, Rational::ONE - low))
}

/// The outcomes that P has, with their losses; `None` where Q lacks one.
fn losses(outcomes: &[Outcome], bits: u64) -> Option<Vec<(Bounds, Bounds)>> {
    let mut all = Vec::new();
    for (p, q) in outcomes {
        if p.1 == 0u32 {
            continue;
        }
        if q.1 == 0u32 {
            return None;
        }
        let (low, high) = div(p, q);
        all.push((p.clone(), (ln_bounds(&low, bits).0, ln_bounds(&high, bits).1)));
    }
    Some(all)
}

/// `E f(L) = f(c)/2 + e^-c f(-c)/2 + (e^(-c/2)/4) int_(-c)^c f(y) e^(y/2) dy` of
/// `f(y) = y^j`, or of `|y|^j`: the integral is `2 sum_m (1/2)^m c^(j+m+1)/(m! (j+m+1))`, over odd m if f is odd, and
/// over even m else.
fn laplace(c: &Rational, j: u32, odd: bool, bits: u64) -> Bounds {
    let top = c.pow(u64::from(j)) / Rational::TWO;
    let bottom = mul(&exp_bounds(&-c, bits), &point(if odd { -&top } else { top.clone() }));
    let weight = exp_bounds(&-(c / Rational::TWO), bits);
    let digits = 4 * bits;
    let (first, start) =
        if odd { (c.pow(u64::from(j) + 2), 1u64) } else { (c.pow(u64::from(j) + 1) * Rational::TWO, 0) };
    let (mut low, mut high, mut term, mut m) = (Rational::ZERO, Rational::ZERO, point(first), start);
    loop {
        let divisor = Rational::from(u64::from(j) + m + 1);
        low += &term.0 / &divisor;
        high += &term.1 / &divisor;
        let ratio = c * c / Rational::from(4 * (m + 1) * (m + 2));
        term = (scaled_down(&(&term.0 * &ratio), digits), scaled_up(&(&term.1 * &ratio), digits));
        m += 2;
        // The rest is at most twice the next term.
        if ratio < Rational::ONE / Rational::TWO && (&term.1 << bits) <= high {
            high += &term.1 * Rational::TWO;
            break;
        }
    }
    let between = mul(&weight, &(low / Rational::from(4), high / Rational::from(4)));
    add(&add(&point(top), &bottom), &between)
}

pub fn point(x: Rational) -> Bounds {
    (x.clone(), x)
}

pub fn add(a: &Bounds, b: &Bounds) -> Bounds {
    (plus(&a.0, &b.0), plus(&a.1, &b.1))
}

pub fn sub(a: &Bounds, b: &Bounds) -> Bounds {
    (plus(&a.0, &-&b.1), plus(&a.1, &-&b.0))
}

pub fn sum(all: impl Iterator<Item = Bounds>) -> Bounds {
    all.fold(point(Rational::ZERO), |sum, one| add(&sum, &one))
}

pub fn mul(a: &Bounds, b: &Bounds) -> Bounds {
    if a.0 >= 0u32 && b.0 >= 0u32 {
        let low = times(&a.0, &b.0);
        let exact = a.0 == a.1 && b.0 == b.1;
        let high = if exact { low.clone() } else { times(&a.1, &b.1) };
        return (low, high);
    }
    let corners = [times(&a.0, &b.0), times(&a.0, &b.1), times(&a.1, &b.0), times(&a.1, &b.1)];
    let low = corners.iter().min().cloned().unwrap_or_default();
    (low, corners.into_iter().max().unwrap_or_default())
}

/// The numerator of a fraction, and the exponent of its denominator if that is a power of two: such fractions need no
/// common divisor.
fn dyadic(x: &Rational) -> Option<(Integer, u64)> {
    let denominator = x.denominator_ref();
    let numerator = || Integer::from_sign_and_abs_ref(*x >= 0u32, x.numerator_ref());
    denominator.is_power_of_2().then(|| (numerator(), denominator.significant_bits() - 1))
}

fn times(a: &Rational, b: &Rational) -> Rational {
    match (dyadic(a), dyadic(b)) {
        (Some((a, i)), Some((b, j))) => Rational::from(a * b) >> (i + j),
        _ => a * b,
    }
}

fn plus(a: &Rational, b: &Rational) -> Rational {
    match (dyadic(a), dyadic(b)) {
        (Some((a, i)), Some((b, j))) => {
            let most = i.max(j);
            Rational::from((a << (most - i)) + (b << (most - j))) >> most
        }
        _ => a + b,
    }
}

/// Numerators of more bits are long: they are roundings of something.
const LONG: u64 = 128;
/// Bits of their inverses, at least.
const INVERSE: u64 = 1024;

/// `1/x` of a positive x from both sides: exactly, or for a long numerator over a power of two to more bits than that
/// has.
fn inverse(x: &Rational) -> Bounds {
    let inverse = Rational::ONE / x;
    match dyadic(x).map(|(numerator, _)| numerator.significant_bits()) {
        Some(bits) if bits > LONG => {
            let digits = INVERSE.max(2 * bits) + below_one(&inverse);
            (scaled_down(&inverse, digits), scaled_up(&inverse, digits))
        }
        _ => point(inverse),
    }
}

/// `a/b` for positive b.
pub fn div(a: &Bounds, b: &Bounds) -> Bounds {
    mul(a, &(inverse(&b.1).0, inverse(&b.0).1))
}

/// A power, by products: of what may change its sign the odd ones only are sharp.
pub fn power(a: &Bounds, exponent: u32) -> Bounds {
    if exponent % 2 == 1 {
        return ((&a.0).pow(u64::from(exponent)), (&a.1).pow(u64::from(exponent)));
    }
    let a = absolute(a);
    (a.0.pow(u64::from(exponent)), a.1.pow(u64::from(exponent)))
}

fn absolute(a: &Bounds) -> Bounds {
    if a.0 >= 0u32 {
        a.clone()
    } else if a.1 <= 0u32 {
        (-&a.1, -&a.0)
    } else {
        (Rational::ZERO, (-&a.0).max(a.1.clone()))
    }
}

fn twice(a: &Bounds) -> Bounds {
    (&a.0 * Rational::TWO, &a.1 * Rational::TWO)
}

fn half(a: &Bounds) -> Bounds {
    (&a.0 / Rational::TWO, &a.1 / Rational::TWO)
}

fn sqrt(x: &Rational, bits: u64) -> Bounds {
    if *x == 0u32 { point(Rational::ZERO) } else { sqrt_bounds(x, bits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(bounds: &Bounds, value: &Rational) {
        assert!(bounds.0 <= *value && *value <= bounds.1, "{bounds:?} {value}");
        assert!((&bounds.1 - &bounds.0) << 100 <= Rational::ONE, "{bounds:?} is wide");
    }

    /// A loss that is `ln 2` or 0 with probability 1/2 each, so that everything is known by hand.
    #[test]
    fn two_losses_by_hand() {
        let of = |p: i64, q: i64, of: i64| {
            let mass = |n: i64| point(Rational::from(n) / Rational::from(of));
            (mass(p), mass(q))
        };
        let outcomes = vec![of(2, 1, 4), of(2, 2, 4), of(0, 1, 4)];
        let law = Law::Finite(outcomes.clone());
        let ln2 = ln_bounds(&Rational::TWO, 400);
        let cumulants = [(1, Rational::TWO), (2, Rational::from(4)), (3, Rational::ZERO), (4, -Rational::from(8))];
        for (order, divisor) in cumulants {
            // Of a fair coin: 1/2, 1/4, 0, -1/8.
            let value = law.cumulant(order, 400).expect("a number");
            let expected = if divisor == 0u32 {
                point(Rational::ZERO)
            } else {
                mul(&power(&ln2, order), &point(Rational::ONE / divisor))
            };
            assert!(value.0 <= expected.1 && expected.0 <= value.1, "{order}");
        }
        holds(&le_cam(&outcomes), &(Rational::ONE / Rational::from(6)));
        let reversed: Vec<Outcome> = outcomes.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
        assert!(Law::Finite(reversed).moments(1, 100).is_none(), "an outcome that tells");
    }

    /// Three coins of 1/3 and 1/2 beside one of 1/4 and 3/4: the counts have the masses of the binomial law.
    #[test]
    fn compositions_are_counted() {
        let of = |n: i64, d: i64| point(Rational::from(n) / Rational::from(d));
        let coin = [(of(1, 3), of(1, 2)), (of(2, 3), of(1, 2))];
        let other = [(of(1, 4), of(3, 4)), (of(3, 4), of(1, 4))];
        let all = composed(&[(&coin, 3), (&other, 1)], 300).expect("few");
        assert_eq!(all.len(), 8);
        let expected: Vec<(i64, i64, i64, i64)> = (0..=3)
            .flat_map(|ones: u32| {
                let ways = [1, 3, 3, 1][ones as usize];
                [(1, 3), (3, 1)].map(|(p, q)| (ways * 2_i64.pow(3 - ones) * p, 108, ways * q, 32))
            })
            .collect();
        for (p, of_p, q, of_q) in expected {
            let (p, q) = (of(p, of_p).0, of(q, of_q).0);
            let found =
                all.iter().any(|(first, second)| first.0 <= p && p <= first.1 && second.0 <= q && q <= second.1);
            assert!(found, "{p} {q}");
        }
        assert!(composed(&[(&coin, 1 << 20)], 40).is_none());
        // With no outcome but one the cube is that of a normal loss, and the mean is where it is.
        let nothing = [(of(1, 1), of(1, 1))];
        let found = absolute_cube_beside(&nothing, &Rational::TWO, true, 300).expect("finite");
        let expected = gaussian_centred_cube(&Rational::TWO, 300);
        assert!(found.0 <= expected.1 && expected.0 <= found.1, "{found:?} {expected:?}");
    }

    /// Laplace noise of a tiny shift c: `E L = c^2/2 - c^3/6 + ...`, and `E L^2 = c^2 - c^3/3 + ...`.
    #[test]
    fn moments_of_laplace_noise_begin_as_their_series() {
        let c = Rational::ONE / Rational::from(1_000_000);
        let law = Law::Laplace(c.clone());
        let moments = law.moments(2, 400).expect("numbers");
        let cube = (&c).pow(3u64);
        for (moment, first, second) in [(&moments[0], 2, 6), (&moments[1], 1, 3)] {
            let series = &c * &c / Rational::from(first) - &cube / Rational::from(second);
            let off = (&moment.0 - &series).max(&series - &moment.1);
            assert!(off <= &cube * &c && &moment.1 - &moment.0 <= &cube * &c * &c, "{series}");
        }
    }
}
