//! Variance and mean absolute error of discrete Gaussian noise.
//!
//! With `t = 1/(2 sigma2)` and `S_i(t) = sum_(j >= 1) j^i e^(-t j^2)` the normaliser is `1 + 2 S_0`, the variance
//! `2 S_2/(1 + 2 S_0)` and the mean absolute error `2 S_1/(1 + 2 S_0)`. These series are short for large t. For small
//! t:
//!
//! * Poisson summation, `1 + 2 S_0(t) = sqrt(pi/t) (1 + 2 S_0(t'))` with `t' = pi^2/t`, and by its derivative in t the
//!   variance is `sigma2 (1 - 4 pi^2 sigma2 2 S_2(t')/(1 + 2 S_0(t')))`;
//! * `S_1` by the Euler-Maclaurin formula, see [`euler_maclaurin`].

use rug::{Integer, Rational};

use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// `S_1` is summed term by term up to this `sigma2` a bit: some ten terms a bit.
const SHORT: u32 = 64;

/// Bits for the choice of the number of terms, and for error terms.
const BOUND_BITS: u32 = 64;

/// `t = 1/(2 sigma2)`, and `t' = pi^2/t` where that is the larger one of both.
struct Rates {
    t: Enclosure,
    dual: Option<Enclosure>,
}

impl Rates {
    fn new(sigma2: &Rational, bits: u32) -> Self {
        let t = Rational::from((1, 2)) / sigma2;
        let dual = (t < 3).then(|| {
            let twice = Enclosure::rational(&Rational::from(sigma2 * 2u32), bits);
            &Enclosure::pi(bits).square() * &twice
        });
        Rates { t: Enclosure::rational(&t, bits), dual }
    }

    /// `1 + 2 S_0(t)`.
    fn normaliser(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let sum = |t: &Enclosure| Ok::<_, Error>(&Enclosure::one(bits) + &series(0, t, bits, budget)?.shift(1));
        match &self.dual {
            None => sum(&self.t),
            Some(dual) => Ok(&(&Enclosure::pi(bits) / &self.t).sqrt() * &sum(dual)?),
        }
    }
}

/// The variance.
///
/// # Errors
/// Beyond the budget.
pub(super) fn variance(sigma2: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let bits = bits.saturating_add(64);
    let rates = Rates::new(sigma2, bits);
    let one = Enclosure::one(bits);
    let of = |t: &Enclosure| -> Result<Enclosure, Error> {
        let normaliser = &one + &series(0, t, bits, budget)?.shift(1);
        Ok(&series(2, t, bits, budget)?.shift(1) / &normaliser)
    };
    match &rates.dual {
        None => of(&rates.t),
        Some(dual) => {
            let sigma2 = Enclosure::rational(sigma2, bits);
            // 4 pi^2 sigma2 = 2 t'.
            Ok(&sigma2 * &(&one - &(&dual.shift(1) * &of(dual)?)))
        }
    }
}

/// `E|Z|`.
///
/// # Errors
/// Beyond the budget.
pub(super) fn mean_absolute(sigma2: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let bits = bits.saturating_add(64);
    let rates = Rates::new(sigma2, bits);
    let sum = if *sigma2 <= u64::from(SHORT) * u64::from(bits) {
        series(1, &rates.t, bits, budget)?
    } else {
        euler_maclaurin(sigma2, bits, budget)?
    };
    Ok(&sum.shift(1) / &rates.normaliser(bits, budget)?)
}

/// `S_i(t)` for `t > 0`, term by term.
///
/// The terms from `j + 1` on fall at least by `((j+2)/(j+1))^i e^(-t(2j+3))`, a factor that itself falls with j: where
/// it is below 1 the rest is at most that of a geometric series. What falls below `2^-bits` of the sum is added as an
/// interval. Each `e^(-t j^2)` is the one before times `e^(-t(2j-1))`, and that factor the one before times `e^(-2t)`.
fn series(power: u32, t: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let work = bits.saturating_add(64);
    let exponential = |times: i32| (-(&t.with_bits(work) * &Enclosure::integer(&times.into(), work))).exp();
    let (mut mass, mut fall, ratio) = (exponential(1), exponential(3), exponential(2));
    let one = Enclosure::one(BOUND_BITS);
    let mut sum = Enclosure::zero(work);
    for j in 1u64.. {
        if j % 1024 == 0 {
            budget.check()?;
        }
        let weight = |j: u64| Enclosure::integer(&Integer::from(j), work).pow(u64::from(power));
        sum = &sum + &(&mass * &weight(j));
        mass = &mass * &fall;
        fall = &fall * &ratio;
        let next = weight(j + 1);
        let falls = &fall.with_bits(BOUND_BITS) * &(&weight(j + 2) / &next).with_bits(BOUND_BITS);
        if *falls.upper() >= 1 {
            continue;
        }
        let rest = &(&mass * &next).with_bits(BOUND_BITS) / &(&one - &falls);
        // A sum that is not told from 0 stays so.
        if *sum.lower() <= 0 || *rest.upper() <= *sum.with_bits(BOUND_BITS).shift(-(bits.min(1 << 30) as i32)).lower() {
            return Ok((&sum + &Enclosure::zero(work).hull(&rest)).with_bits(bits));
        }
    }
    Err(Error::internal("a series without an end"))
}

/// `S_1(t)` for small t.
///
/// With `g(u) = u e^(-t u^2)`, whose integral is `1/(2t)`, `g(0) = 0` and
/// `g^(2m-1)(0) = (2m-1)! (-t)^(m-1)/(m-1)!`, and `B_2m/(2m) = (-1)^(m-1) T_m/(4^m (4^m - 1))` by the tangent numbers
/// T,
///
/// ```text
/// S_1 = 1/(2t) - sum_(m=1)^M T_m t^(m-1)/(4^m (4^m - 1) (m-1)!) + R,   |R| <= |B_2M|/(2M)! int_0^inf |g^(2M)|.
/// ```
///
/// `g = -(1/(2t)) d/du e^(-t u^2)`, and derivatives of `e^(-v^2)` are Hermite functions: by Cauchy-Schwarz
/// `int_0^inf |H_n(v)| e^(-v^2) dv <= sqrt(pi) sqrt(2^n n!)/2`. With `|B_2M|/(2M)! <= 4/(2 pi)^(2M)` and `n = 2M + 1`:
///
/// ```text
/// |R| <= sqrt(pi) t^(M-1) sqrt(2^(2M+1) (2M+1)!)/(2 pi)^(2M).
/// ```
fn euler_maclaurin(sigma2: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let t = Rational::from((1, 2)) / sigma2;
    let whole = Enclosure::rational(sigma2, bits);
    let (terms, error) = remainder(&t, &whole, bits, budget)?;
    let (t, mut power) = (Enclosure::rational(&t, bits), Enclosure::one(bits));
    let mut sum = whole;
    for (m, tangent) in (1u32..).zip(tangents(terms, budget)?) {
        let four = Integer::from(1) << (2 * m);
        let divisor = Integer::from(&four * &Integer::from(&four - 1u32));
        sum = &sum - &(&power * &Enclosure::rational(&Rational::from((tangent, divisor)), bits));
        power = (&power * &t).div_u32(m);
    }
    Ok(sum.widen(error.upper()))
}

/// How many terms there are, and the bound of the remainder: below `2^-bits` of the whole.
fn remainder(t: &Rational, whole: &Enclosure, bits: u32, budget: &Budget) -> Result<(u32, Enclosure), Error> {
    let t = Enclosure::rational(t, BOUND_BITS);
    let turn = Enclosure::pi(BOUND_BITS).shift(1).square();
    // For M = 1: sqrt(pi) sqrt(8 * 6)/(2 pi)^2.
    let mut bound = &(&Enclosure::pi(BOUND_BITS) * &Enclosure::integer(&48.into(), BOUND_BITS)).sqrt() / &turn;
    let goal = whole.with_bits(BOUND_BITS).shift(-(bits.min(1 << 30) as i32));
    // By the choice of sigma2 each step divides by more than a thousand.
    for m in 1..=bits {
        budget.check()?;
        if bound.upper() <= goal.lower() {
            return Ok((m, bound));
        }
        let more = Enclosure::integer(&Integer::from(4 * (2 * u64::from(m) + 2) * (2 * u64::from(m) + 3)), BOUND_BITS);
        bound = &(&(&bound * &t) * &more.sqrt()) / &turn;
    }
    Err(Error::internal("a remainder that does not fall"))
}

/// The tangent numbers `T_1 = 1, T_2 = 2, T_3 = 16, ...`, by the recurrence of Brent and Harvey.
fn tangents(count: u32, budget: &Budget) -> Result<Vec<Integer>, Error> {
    let mut all: Vec<Integer> = vec![Integer::from(1)];
    for k in 1..count as usize {
        let next = Integer::from(&all[k - 1] * k as u64);
        all.push(next);
    }
    for k in 1..all.len() {
        budget.check()?;
        for j in k..all.len() {
            let before = Integer::from(&all[j - 1] * (j - k) as u64);
            all[j] *= (j - k + 2) as u64;
            all[j] += before;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangent_numbers_are_those_of_the_table() {
        let all = tangents(6, &Budget::default()).expect("numbers");
        assert_eq!(all, [1, 2, 16, 272, 7936, 353_792]);
    }

    /// Both ways to `S_1`, and both to the normaliser and the variance, where each has digits.
    #[test]
    fn both_forms_agree() {
        let budget = Budget::default();
        for sigma2 in [40, 200, 5000] {
            let sigma2 = Rational::from((sigma2, 3));
            let rates = Rates::new(&sigma2, 200);
            let (direct, smooth) = (series(1, &rates.t, 64, &budget), euler_maclaurin(&sigma2, 48, &budget));
            let (direct, smooth) = (direct.expect("a sum"), smooth.expect("a sum"));
            assert!(direct.overlaps(&smooth) && smooth.relative_bits() > Some(40), "{sigma2}: {direct:?} {smooth:?}");
            let sum = &Enclosure::one(200) + &series(0, &rates.t, 200, &budget).expect("a sum").shift(1);
            let dual = rates.normaliser(200, &budget).expect("a sum");
            assert!(sum.overlaps(&dual) && dual.relative_bits() > Some(190), "{sigma2}");
            let second = &series(2, &rates.t, 200, &budget).expect("a sum").shift(1) / &sum;
            assert!(second.overlaps(&variance(&sigma2, 190, &budget).expect("a variance")), "{sigma2}");
        }
    }
}
