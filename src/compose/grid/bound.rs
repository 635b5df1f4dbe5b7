//! How far a grid's profile can be above the true one.
//!
//! With N losses rounded on a grid of step h, X the likelihood ratio `e^(-L)` of the composition, X' that of the grid,
//! `E[X'|X] = X`, and the profile the mean of `phi(x) = (1 - e^eps x)_+`: for any distance `t` with `t >= N h^2/4`,
//!
//! `0 <= delta_grid(eps) - delta(eps) <= C P(|L - eps| <= t) + 2 eta`.
//!
//! *Near*, `|L - eps| <= t`: `phi` has its kink at `e^(-eps)`, and for W = X' - X of mean zero
//! `E phi(X + W) - phi(X) <= e^eps E|W|/2`. Each factor of X'/X has mean 1 and lies between two numbers of ratio `e^h`:
//! its variance is at most `sinh^2(h/2)`. So `E|W| <= X sqrt(cosh(h/2)^(2N) - 1)`, and
//! `C = e^t sqrt(cosh(h/2)^(2N) - 1)/2`.
//!
//! *Above*, `L > eps + t`: the difference is `E(e^(eps-L') - 1)_+`, at most `e^(-st) E e^(s(L-L'))` for `s >= 1`; the N
//! terms of `L - L'` have means at most zero and range h, so by Hoeffding's lemma that is at most
//! `exp(-st + N s^2 h^2/8)`, and with `s = 4t/(N h^2)` it is `exp(-2 t^2/(N h^2)) <= eta`.
//!
//! *Below*, `L < eps - t`: at most `P(L' - L > t)`; a rounding raises the loss by at most `m = h^2/5` in the mean
//! (`h <= 1`), so that this is at most `eta = exp(-2 (t - N m)^2/(N h^2))`. If `t >= N h` it is zero, for no rounding
//! moves a loss by more than h.
//!
//! The law of L is not known, that of L' is: `P(|L - eps| <= t) <= P(|L' - eps| <= 2t) + 2 eta`.

use rug::Rational;

use super::Rounded;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// Precision of bounds.
const BITS: u32 = 64;

/// A distance, and what goes with it.
struct Distance {
    t: Rational,
    eta: Enclosure,
}

impl Rounded {
    fn roundings(&self) -> Enclosure {
        Enclosure::integer(&self.roundings.into(), BITS)
    }

    /// A distance beyond which `2^-rest` at most is left.
    fn distance(&self, rest: f64) -> Distance {
        let h = self.step.size();
        let n = self.roundings as f64;
        let all = self.reach();
        let size = h.to_f64();
        let mean = n * size * size / 5.0;
        let near = mean + size * (n / 2.0 * rest.max(1.0) * std::f64::consts::LN_2).sqrt();
        // Every rounding at once; the few parts in a million are for losses that cannot be told from a grid point.
        if size > 1.0 || !(near * 1.01 < all.to_f64()) {
            return Distance { t: all, eta: Enclosure::zero(BITS) };
        }
        let t = Rational::from_f64(near * 1.001).unwrap_or(all);
        let exact_mean = Rational::from(h.square_ref()) * self.roundings / 5_u32;
        let free = Rational::from(&t - &exact_mean);
        // near >= mean + ..., so the difference is positive; and t >= N h^2/4 holds if it is at least N h^2/20.
        let exponent = Rational::from(free.square_ref()) * 2_u32 / (Rational::from(h.square_ref()) * self.roundings);
        let enough = Rational::from(&t * 4_u32) >= Rational::from(h.square_ref()) * self.roundings;
        if free <= 0 || !enough {
            let all = self.reach();
            return Distance { t: all, eta: Enclosure::zero(BITS) };
        }
        Distance { t, eta: (-Enclosure::rational(&exponent, BITS)).exp() }
    }

    /// `e^t sqrt(cosh(h/2)^(2N) - 1)/2`.
    fn coefficient(&self, t: &Rational) -> Enclosure {
        let half = Enclosure::rational(&self.step.size(), BITS).shift(-1);
        // cosh^2 - 1 = sinh^2, and (1 + s)^N - 1 = expm1(N log1p(s)).
        let e = half.exp();
        let sinh = (&half.expm1() * &(&Enclosure::one(BITS) + &e.recip())).shift(-1);
        let growth = (&sinh.square().log1p() * &self.roundings()).expm1();
        (&growth.sqrt() * &Enclosure::rational(t, BITS).exp()).shift(-1)
    }

    /// A bound on `delta_grid(eps) - delta(eps)`, for a profile that is about so large: what is improbable is made
    /// small against it.
    pub fn excess(&self, epsilon: &Real, profile: &Enclosure, budget: &Budget) -> Result<Enclosure, Error> {
        self.excess_between(epsilon, epsilon, profile, budget)
    }

    /// The same for all points of an interval.
    pub fn excess_between(
        &self,
        low: &Real,
        high: &Real,
        profile: &Enclosure,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let small = profile.lower().get_exp().map_or(0.0, |e| -f64::from(e.min(0)));
        let Distance { t, eta } = self.distance(small + f64::from(self.step.depth));
        let reach = Real::from(Rational::from(&t * 2_u32));
        let near = self.law.window(&low.sub(&reach), &high.add(&reach), budget)?.with_bits(BITS);
        let near = &near + &eta.shift(1);
        let bound = &(&self.coefficient(&t) * &near) + &eta.shift(1);
        Ok(Enclosure::new(rug::Float::new(BITS), bound.upper().clone()))
    }

    /// By how much all roundings together can move a loss.
    pub fn reach(&self) -> Rational {
        (self.step.size() * self.roundings) * Rational::from((1_048_577, 1_048_576))
    }
}
