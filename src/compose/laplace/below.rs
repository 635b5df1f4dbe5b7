//! Means over the losses below a point, in closed form: `E k(c - L)` over `L < c`, of `k(t) = t^3` and `(e^t - 1)^2`.
//!
//! M is even, so it is the integral of `k(c + l) e^(-l/2)` by M above `t = -c`. From a knot `v` on, with
//! `r = (v - t)/2`, the part of `u^m` is `e^(-t/2)` times the convolution of `h(r) = k(2r) e^-r` with `p^-m`, and
//!
//! | k | h | in p |
//! |---|---|---|
//! | `t^3` | `8 r^3 e^-r` | `48/(p+1)^4` |
//! | `(e^t - 1)^2` | `e^(3r) - 2 e^r + e^-r` | `8/((p-3)(p-1)(p+1))` |
//!
//! so that with `R_j = h(p) (p+1)^(k-j) (p-1)^j/p^k`, C the largest loss and the knots with `r_j > 0`,
//!
//! `E k(c - L) = 2^-k e^((c-C)/2) sum_j C(k,j) [R_j](r_j)`.
//!
//! `[R](r)` is the sum of the residues of `e^(zr) R(z)`. It vanishes at 0, for `R = O(z^-3)`, so that a knot that
//! cannot be told from the point may be counted or not. Sums cancel: they are done again with more bits until they have
//! those that are asked for. Paper proof: `proofs/paper/functionals.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::Laplace;
use crate::compose::Below;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// Of more mechanisms the sums are long, and cancel much.
const MOST: u64 = 160;
/// Knots in all.
const MOST_KNOTS: usize = 4000;
/// More rounds than this do not help.
const ROUNDS: u32 = 6;

/// A product of powers of linear factors: roots and exponents.
type Powers = [(i32, i64)];

impl Laplace {
    /// Are there few enough for sums?
    pub fn has_means(&self) -> bool {
        let all: usize = self.terms.iter().map(Vec::len).sum();
        self.times <= MOST && all <= MOST_KNOTS && !self.knots.is_empty()
    }

    /// The mean to about `bits` bits of `e^scale`; `None` where more bits do not help.
    pub fn below(
        &self,
        of: &Below,
        centre: &Rational,
        (scale, bits): (f64, u32),
        budget: &Budget,
    ) -> Result<Option<Enclosure>, Error> {
        let goal = scale / std::f64::consts::LN_2 - f64::from(bits);
        let mut working = bits.saturating_add(64).saturating_add(4 * self.times as u32);
        for _ in 0..ROUNDS {
            budget.check()?;
            let value = self.mean_below(of, centre, working, budget)?;
            let width = rug::Float::with_val(53, value.upper() - value.lower());
            if width.is_zero() || width.get_exp().is_some_and(|exponent| f64::from(exponent) < goal) {
                return Ok(Some(value.positive_part()));
            }
            working = working.saturating_mul(2);
        }
        Ok(None)
    }

    /// At one precision.
    pub(super) fn mean_below(
        &self,
        of: &Below,
        centre: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let centre = Real::from(centre.clone());
        let k = self.times as i64;
        let mut sum = Enclosure::zero(bits);
        for (j, terms) in (0_i64..).zip(&self.terms) {
            budget.check()?;
            let factors = match of {
                Below::Cube(_) => [(-1, k - j - 4), (1, j), (3, 0), (0, -k)],
                Below::Square => [(-1, k - j - 1), (1, j - 1), (3, -1), (0, -k)],
            };
            let series: Vec<Vec<Enclosure>> = factors.iter().map(|(root, _)| series(*root, &factors, bits)).collect();
            for (place, ways) in terms {
                let Some(knot) = self.knots.get(*place) else { continue };
                let gap = knot.add(&centre);
                if matches!(gap.sign(), Some(Ordering::Less | Ordering::Equal)) {
                    continue;
                }
                let r = gap.enclosure(bits).shift(-1).positive_part();
                let value = factors
                    .iter()
                    .zip(&series)
                    .fold(Enclosure::zero(bits), |value, ((root, _), series)| value + residue(*root, series, &r));
                sum = sum + value * Enclosure::integer(ways, bits);
            }
        }
        let constant = match of {
            Below::Cube(_) => 48,
            Below::Square => 8,
        };
        let reach = self.knots.first().map_or_else(|| Enclosure::zero(bits), |knot| knot.enclosure(bits));
        let fall = (centre.enclosure(bits) - reach).shift(-1).exp();
        Ok((sum * fall).mul_u32(constant).shift(-(self.times as i32)))
    }
}

/// The Taylor coefficients at a root of all factors but its own, as many as it is a pole's order; none where it is
/// none.
fn series(root: i32, factors: &Powers, bits: u32) -> Vec<Enclosure> {
    let order = factors.iter().find(|(other, _)| *other == root).map_or(0, |(_, exponent)| -exponent);
    let Some(order) = usize::try_from(order).ok().filter(|order| *order > 0) else { return Vec::new() };
    let mut product = vec![Enclosure::zero(bits); order];
    product[0] = Enclosure::one(bits);
    for (other, exponent) in factors.iter().filter(|(other, exponent)| *other != root && *exponent != 0) {
        let power = power(root - other, *exponent, order, bits);
        product = (0..order)
            .map(|n| (0..=n).fold(Enclosure::zero(bits), |sum, i| sum + &product[i] * &power[n - i]))
            .collect();
    }
    product
}

/// The coefficients of `(w + d)^m`: `d^m`, and each `(m - i)/((i+1) d)` times the one before.
fn power(d: i32, m: i64, count: usize, bits: u32) -> Vec<Enclosure> {
    let base = Enclosure::rational(&Rational::from(d), bits);
    let first = base.pow(m.unsigned_abs());
    let mut last = if m < 0 { first.recip() } else { first };
    let mut all = Vec::with_capacity(count);
    for i in 0..count as i64 {
        let next = &last * &Enclosure::rational(&Rational::from((m - i, (i + 1) * i64::from(d))), bits);
        all.push(std::mem::replace(&mut last, next));
    }
    all
}

/// `e^(root r) sum_i c_i r^(n-1-i)/(n-1-i)!`.
fn residue(root: i32, series: &[Enclosure], r: &Enclosure) -> Enclosure {
    let bits = r.bits();
    let (mut sum, mut term) = (Enclosure::zero(bits), Enclosure::one(bits));
    for (n, coefficient) in (1_u32..).zip(series.iter().rev()) {
        sum = sum + coefficient * &term;
        term = (&term * r).div_u32(n);
    }
    if root == 0 || series.is_empty() {
        return sum;
    }
    sum * (r * &Enclosure::rational(&Rational::from(root), bits)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(kinds: &[(u32, u32, u64)]) -> Laplace {
        let kinds = kinds.iter().map(|(n, d, times)| (Real::from(Rational::from((*n, *d))), *times)).collect();
        Laplace::of_several(kinds).expect("knots")
    }

    /// Of one mechanism, by hand: with the atom `-s` of mass `e^-s/2`, and `e^((l-s)/2)/4` below 0.
    #[test]
    fn one_mechanism_by_hand() {
        let bits = 200;
        let s = Enclosure::one(bits);
        let none = [Enclosure::zero(bits), Enclosure::zero(bits), Enclosure::zero(bits)];
        let law = law(&[(1, 1, 1)]);
        let ask = |of: &Below| law.mean_below(of, &Rational::new(), bits, &Budget::default()).expect("a mean");
        // int_0^1 t^3 e^(-t/2) dt = 96 - 158 e^(-1/2).
        let half = (-s.shift(-1)).exp();
        let integral = s.mul_u32(96) - half.mul_u32(158);
        let cube = (-&s).exp().shift(-1) + (&half * &integral).shift(-2);
        assert!(ask(&Below::Cube(none)).overlaps(&cube));
        // int_0^1 (e^(2t) - 2 e^t + 1) e^(-t/2) dt.
        let rises = (s.mul_u32(3).shift(-1)).expm1().mul_u32(2).div_u32(3) - s.shift(-1).expm1().shift(2);
        let integral = rises - (-s.shift(-1)).expm1().shift(1);
        let square = s.expm1().square() * (-&s).exp().shift(-1) + (&half * &integral).shift(-2);
        let found = ask(&Below::Square);
        assert!(found.overlaps(&square) && found.relative_bits() >= Some(150), "{found:?} {square:?}");
    }

    /// Far above all losses the mean is that of all of them: of the cube `(c - kl)^3 + 3 (c - kl) V - kappa_3`.
    #[test]
    fn points_above_all_losses_have_all_of_the_mean() {
        let bits = 200;
        let none = || [Enclosure::zero(bits), Enclosure::zero(bits), Enclosure::zero(bits)];
        for kinds in [&[(1, 1, 1)][..], &[(1, 2, 5)], &[(1, 1, 2), (1, 3, 7)]] {
            let law = law(kinds);
            let mut cumulants = vec![Enclosure::zero(bits); 3];
            for (n, d, times) in kinds {
                let pair = crate::pair::Pair::Laplace { shift: Real::from(Rational::from((*n, *d))) };
                let own = cumulants_of(&pair, bits);
                for (sum, own) in cumulants.iter_mut().zip(&own) {
                    *sum = &*sum + &own.mul_u32(*times as u32);
                }
            }
            let centre = Rational::from(20);
            let off = Enclosure::rational(&centre, bits) - &cumulants[0];
            let whole = off.pow(3) + (&off * &cumulants[1]).mul_u32(3) - &cumulants[2];
            let found = law.mean_below(&Below::Cube(none()), &centre, bits, &Budget::default()).expect("a mean");
            assert!(found.overlaps(&whole) && found.relative_bits() >= Some(80), "{kinds:?}: {found:?} {whole:?}");
        }
    }

    /// The first three cumulants of one mechanism, from its moments `s^j/2 + (-s)^j e^-s/2 + ...` by a sum of its own.
    fn cumulants_of(pair: &crate::pair::Pair, bits: u32) -> Vec<Enclosure> {
        let crate::pair::Pair::Laplace { shift } = pair else { panic!("Laplace") };
        let s = shift.enclosure(bits);
        let fall = (-&s).exp();
        // int_-s^s l^j e^((l-s)/2)/4 dl by the series of the exponential.
        let moment = |j: u32| {
            let ends = (s.pow(j.into()) + (-&s).pow(j.into()) * &fall).shift(-1);
            let (mut sum, mut factor) = (Enclosure::zero(bits), Enclosure::one(bits));
            for m in 0..200_u32 {
                if (j + m).is_multiple_of(2) {
                    sum = sum + (&factor * &s.pow((j + m + 1).into())).shift(1).div_u32(j + m + 1);
                }
                factor = factor.shift(-1).div_u32(m + 1);
            }
            ends + (sum * (-s.shift(-1)).exp()).shift(-2)
        };
        let (a, b, c) = (moment(1), moment(2), moment(3));
        let third = &c - &(&a * &b).mul_u32(3) + a.pow(3).shift(1);
        vec![a.clone(), &b - &a.square(), third]
    }
}
