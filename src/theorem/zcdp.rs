//! From zero-concentrated differential privacy to (epsilon, delta): conversions that hold for *every* mechanism with
//! `rho`-zCDP, and so are upper bounds on the epsilon or delta of each; and from pure differential privacy to zCDP.
//!
//! Reports of the 2020 census use both conversions, and do not always name the one used. A comparison must name the
//! conversion. (`proofs/paper/census.md`)

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::hypothesis::{inside_unit, not_negative};
pub use super::pure::of_pure_sharp;
use super::renyi::{Best, Start, best_delta_from};
use crate::error::Error;
use enclosure::root::newton;
use enclosure::{Budget, Enclosure, Number, Portable, Real};

/// A guarantee of `rho`-zCDP: every Renyi divergence of order alpha is at most `rho alpha`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zcdp {
    rho: Real,
}

impl Zcdp {
    /// `rho`-zCDP, `rho >= 0`.
    pub fn new(rho: impl Into<Real>) -> Result<Self, Error> {
        let rho = rho.into();
        not_negative("rho", &rho)?;
        Ok(Zcdp { rho })
    }

    /// Bun and Steinke 2016, Proposition 1.3, for `0 < delta < 1`: `epsilon = rho + 2 sqrt(rho ln(1/delta))`, exactly.
    ///
    /// # Errors
    /// [`Error::Undefined`] for a delta outside (0, 1).
    pub fn bun_steinke(&self, delta: &Real) -> Result<Real, Error> {
        let root = log_inverse(delta)?.mul(&self.rho)?.sqrt()?;
        Ok(self.rho.add(&root.mul_rational(&Rational::from(2))))
    }

    /// Canonne, Kamath and Steinke 2020, Corollary 13, at its best order: the least delta at an epsilon, with that
    /// order.
    ///
    /// # Errors
    /// Those of [`best_delta_from`].
    pub fn delta_at_best(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Best, Error> {
        if self.rho.is_zero() {
            // Order a gives e^(-(a-1) epsilon) (1-1/a)^a/(a-1), which vanishes as a grows, for epsilon >= 0.
            return Ok(Best { value: Number::zero(), order: None });
        }
        let orders = |order: &Real, bits: u32| Ok(&self.rho.enclosure(bits) * &order.enclosure(bits));
        match best_delta_from(&orders, epsilon, Start::Usual, bits, budget) {
            Err(Error::Undecided(reason)) => self.next_to_one(epsilon, bits).ok_or(Error::Undecided(reason)),
            found => found,
        }
    }

    /// The least delta far below rho, whose order is too near to 1 to be looked for, without that order.
    ///
    /// With `u = e^(epsilon - rho)`: its logarithm is the least `h(t) = t (rho - epsilon + ln t) + rho t^2 -
    /// (1+t) ln(1+t)`. For `rho >= 1/2`, `(1+t) ln(1+t) <= t + t^2/2` leaves `h(t) >= t (rho - epsilon - 1 + ln t) >=
    /// -u`, which is that at `t = u`. There `h(u) = rho u^2 - (1+u) ln(1+u) <= rho u^2 - u`.
    fn next_to_one(&self, epsilon: &Real, bits: u32) -> Option<Best> {
        let below = epsilon.sub(&self.rho);
        // Then rho is above 1/2, for epsilon is not negative.
        if below.compare(&Real::from(Rational::from(-20))) != Some(Ordering::Less) || not_negative("", epsilon).is_err()
        {
            return None;
        }
        let u = below.enclosure(bits).exp();
        let most = (&(&self.rho.enclosure(bits) * &u.square()) - &u).exp().min(&Enclosure::one(bits));
        Some(Best { value: Number::Enclosed((-u).exp().hull(&most)), order: None })
    }

    /// At most 1, and what order `1 + (epsilon - rho)/(2 rho)` gives with Mironov's conversion, which is above that of
    /// Corollary 13 at each order: `e^(-(epsilon-rho)^2/(4 rho))` above rho.
    #[cfg(feature = "cli")]
    pub fn tail(&self, epsilon: &Real, bits: u32) -> Number {
        let above = epsilon.sub(&self.rho);
        if above.sign() != Some(Ordering::Greater) || self.rho.is_zero() {
            return Number::one();
        }
        let square = above.enclosure(bits).square();
        Number::Enclosed((-(square / self.rho.enclosure(bits).shift(2))).exp().min(&Enclosure::one(bits)))
    }

    /// Bun and Steinke 2016, Lemma 3.6, for `epsilon >= rho`: with `w = 1 + (epsilon-rho)/(2 rho)`,
    ///
    /// `delta = e^(-(epsilon-rho)^2/(4 rho)) min{ 1, sqrt(pi rho), 1/w, 2/(w + sqrt(w^2 + 4/(pi rho))) }`.
    ///
    /// # Errors
    /// [`Error::Undefined`] for an epsilon below rho.
    pub fn bun_steinke_delta(&self, epsilon: &Real, bits: u32) -> Result<Number, Error> {
        let above = epsilon.sub(&self.rho);
        not_negative("epsilon - rho", &above)?;
        if self.rho.is_zero() {
            return Ok(Number::zero());
        }
        let (rho, above) = (self.rho.enclosure(bits), above.enclosure(bits));
        let one = Enclosure::one(bits);
        let tail = (-(above.square() / rho.shift(2))).exp();
        let w = &one + &(&above / &rho.shift(1));
        let round = Enclosure::pi(bits) * &rho;
        let last = Enclosure::one(bits).shift(1) / (&w + &(w.square() + one.shift(2) / &round).sqrt());
        Ok(Number::Enclosed(tail * one.min(&round.sqrt()).min(&w.recip()).min(&last)))
    }

    /// The epsilon of [`epsilon_at_best`](Self::epsilon_at_best) alone.
    ///
    /// # Errors
    /// As there.
    pub fn canonne_kamath_steinke(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        Ok(self.epsilon_at_best(delta, bits, budget)?.value)
    }

    /// Canonne, Kamath and Steinke 2020, Corollary 13, at its best order, for `0 < delta < 1`: the least epsilon that
    ///
    /// ```text
    /// delta = inf over alpha > 1 of  e^{(alpha-1)(alpha rho - epsilon)}/(alpha-1) (1 - 1/alpha)^alpha
    /// ```
    ///
    /// gives, or 0 if that is negative. An enclosure of it to about `bits` bits, and one of the best order.
    ///
    /// **Why the optimum is enclosed.** Solved for epsilon, order alpha gives
    /// `epsilon(alpha) = alpha rho + ln(1-1/alpha) + ln(1/(alpha delta))/(alpha-1)`, with the derivative
    /// `rho - ln(1/(alpha delta))/(alpha-1)^2`. With `t = alpha - 1` its sign is that of
    /// `rho t^2 + ln(1+t) - ln(1/delta)`, which increases strictly from `-ln(1/delta) < 0` without bound: there is one
    /// stationary order, and it is the minimum. [`newton`] encloses it. Where the derivative vanishes,
    /// `epsilon = (2t+1) rho + ln(t/(1+t))`, which increases in t: the ends of the enclosure of t give those of
    /// epsilon.
    ///
    /// # Errors
    /// [`Error::Undefined`] for a delta outside (0, 1), [`Error::Undecided`] when the budget ends first.
    pub fn epsilon_at_best(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Best, Error> {
        let log = log_inverse(delta)?;
        if self.rho.is_zero() {
            // The stationary order is 1/delta, and epsilon is negative there.
            return Ok(Best { value: Number::zero(), order: None });
        }
        let (rho, target) = (self.rho.to_f64(), log.to_f64());
        let start = Float::with_val(64, stationary(rho, target));
        // What cancels between the two terms of epsilon is at most the size of the second, ln(1 + 1/t).
        let guard = 32 + start.get_exp().unwrap_or(0).unsigned_abs();
        let work = bits.saturating_add(guard);
        // The search may look below 0. There both go on with slope 1, as at 0, and the root stays the only one.
        let gap = |t: &Float, bits: u32| {
            let t = Enclosure::new(t.clone(), t.clone()).with_bits(bits);
            if *t.lower() < 0 {
                return Ok(log.enclosure(bits) - t);
            }
            let square = &t * &t;
            Ok(log.enclosure(bits) - self.rho.enclosure(bits) * square - t.log1p())
        };
        let slope = |t: &Enclosure, bits: u32| {
            let t = t.with_bits(bits).max(&Enclosure::zero(bits));
            let one = Enclosure::one(bits);
            Ok(self.rho.enclosure(bits) * t.shift(1) + &one / &(&one + &t))
        };
        let t = newton(&start, work, budget, gap, slope)?;
        let one = Enclosure::one(work);
        let epsilon = self.rho.enclosure(work) * (t.shift(1) + &one) - (&one / &t).log1p();
        // A bound on the divergence at a negative epsilon is one at 0, which is all that is wanted there.
        let value = match epsilon.sign() {
            Some(Ordering::Less | Ordering::Equal) => Number::zero(),
            _ => Number::Enclosed(epsilon.max(&Enclosure::zero(work)).with_bits(bits)),
        };
        Ok(Best { value, order: Some((&one + &t).with_bits(bits)) })
    }
}

/// `ln(1/delta)` for a delta in (0, 1).
fn log_inverse(delta: &Real) -> Result<Real, Error> {
    inside_unit("delta", delta)?;
    Ok(delta.ln()?.neg())
}

/// Bun and Steinke 2016, Proposition 1.4: epsilon-DP is `epsilon^2/2`-zCDP.
pub fn of_pure(epsilon: &Real) -> Result<Real, Error> {
    not_negative("epsilon", epsilon)?;
    Ok(epsilon.square().mul_rational(&Rational::from((1, 2))))
}

/// About the root of `rho t^2 + ln(1+t) = target`; where the certified search begins.
fn stationary(rho: f64, target: f64) -> f64 {
    // The function is increasing, so bisection in ln t cannot fail; 200 halvings exhaust a double.
    let (mut low, mut high) = (-700.0_f64, 700.0_f64);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        let t = middle.portable_exp();
        if rho * t * t + t.portable_ln_1p() < target { low = middle } else { high = middle }
    }
    low.portable_exp()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::ops::Pow;

    use super::*;

    fn zcdp(rho: &str) -> Zcdp {
        Zcdp::new(real(rho).as_rational().expect("a rational").clone()).expect("not negative")
    }

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn cks(rho: &str, delta: &str) -> Enclosure {
        let budget = Budget::default();
        zcdp(rho).canonne_kamath_steinke(&real(delta), 200, &budget).expect("a number").enclosure(200)
    }

    /// An interval of one unit of the last place around a decimal.
    fn printed(text: &str) -> Enclosure {
        let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let value = real(text).as_rational().expect("a decimal").clone();
        let unit = Float::with_val(64, Rational::from((1, rug::Integer::from(10).pow(places as u32))));
        Enclosure::rational(&value, 200).widen(&unit)
    }

    /// What the bureau and the papers printed.
    #[test]
    fn published_conversions() {
        let whole = zcdp("24811/5000").bun_steinke(&real("1e-10")).expect("a constant");
        assert!(whole.enclosure(200).overlaps(&printed("26.340588852722324353781974500154992685015224391761")));
        // The best order, by an independent program.
        assert!(cks("0.0949", "1e-11").overlaps(&printed("2.95650773751253610450575691288058831042")));
        assert!(cks("4.9622", "1e-10").overlaps(&printed("25.41928257654948476400980783337824070519")));
        // The bureau's own figures for the redistricting data are the best order's.
        assert!(cks("293764/114921", "1e-10").overlaps(&printed("17.14")));
        assert!(cks("11417641/152349649", "1e-10").overlaps(&printed("2.47")));
    }

    /// The optimum lies below every order's epsilon, and is reached to within the spacing of a fine search.
    #[test]
    fn the_best_order_is_the_best() {
        for (rho, delta) in [("0.0949", "1e-11"), ("4.9622", "1e-10"), ("1/1000000", "1/10"), ("500", "1e-300")] {
            let best = cks(rho, delta);
            let log = real(delta).ln().expect("positive").neg().enclosure(200);
            let rho = Enclosure::rational(real(rho).as_rational().expect("rational"), 200);
            let one = Enclosure::one(200);
            let mut least: Option<Enclosure> = None;
            for step in -2000..4000 {
                let t = Enclosure::double((f64::from(step) / 200.0).portable_exp(), 200);
                let alpha = &t + &one;
                let epsilon = &rho * &alpha + (&t / &alpha).ln() + (&log - &alpha.ln()) / &t;
                let epsilon = epsilon.max(&Enclosure::zero(200));
                assert!(best.lower() <= epsilon.upper(), "{rho:?}");
                least = Some(least.map_or(epsilon.clone(), |least| least.min(&epsilon)));
            }
            let least = least.expect("orders were tried");
            let near = Enclosure::double(1e-3, 200) * &least;
            assert!((&least - &near).lower() <= best.upper(), "{least:?} {best:?}");
        }
    }

    /// The derivative of epsilon in the order changes its sign between the ends of the best order, and so does that of
    /// the logarithm of delta; written as they stand, and not as the searches have them.
    #[test]
    fn the_best_order_is_where_the_derivative_changes_its_sign() {
        let budget = Budget::default();
        let one = Enclosure::one(200);
        for (rho, delta) in [("0.0949", "1e-11"), ("4.9622", "1e-10"), ("500", "1e-300"), ("7", "1/2")] {
            let best = zcdp(rho).epsilon_at_best(&real(delta), 200, &budget).expect("a number");
            let order = best.order.expect("an order");
            assert!(order.relative_bits() > Some(180), "{order:?}");
            let set = |end: &Float| Enclosure::new(end.clone(), end.clone()).with_bits(400);
            let slope = |alpha: &Enclosure| {
                let left = (alpha * &real(delta).enclosure(400)).ln();
                &real(rho).enclosure(400) + &(left / (alpha - &one).square())
            };
            let wide = Float::with_val(64, 1) >> 150u32;
            let wide = order.widen(&wide);
            assert_eq!(slope(&set(wide.lower())).sign(), Some(Ordering::Less), "{rho} {delta}");
            assert_eq!(slope(&set(wide.upper())).sign(), Some(Ordering::Greater), "{rho} {delta}");
            // Delta at that epsilon is the least at the same order.
            let epsilon = Real::from(best.value.enclosure(200).lower().to_rational().expect("finite"));
            let least = zcdp(rho).delta_at_best(&epsilon, 120, &budget).expect("a number");
            let other = least.order.expect("an order");
            assert!(other.overlaps(&order) && other.relative_bits() > Some(40), "{other:?} {order:?}");
            let slope = |alpha: &Enclosure| {
                let t = alpha - &one;
                let rho = real(rho).enclosure(400);
                &(&rho * &(alpha + &t)) - &(&epsilon.enclosure(400) + &t.recip().log1p())
            };
            assert_eq!(slope(&set(other.lower())).sign(), Some(Ordering::Less), "{rho} {delta}");
            assert_eq!(slope(&set(other.upper())).sign(), Some(Ordering::Greater), "{rho} {delta}");
        }
    }

    #[test]
    fn edges() {
        let budget = Budget::default();
        assert!(matches!(Zcdp::new(Rational::from((-1, 2))), Err(Error::Undefined(_))));
        for delta in ["0", "1", "-1", "2"] {
            assert!(matches!(zcdp("1").bun_steinke(&real(delta)), Err(Error::Undefined(_))), "{delta}");
            let best = zcdp("1").canonne_kamath_steinke(&real(delta), 100, &budget);
            assert!(matches!(best, Err(Error::Undefined(_))), "{delta}");
        }
        assert_eq!(zcdp("0").bun_steinke(&real("1/2")), Ok(Real::zero()));
        let best = |rho: &str, delta| zcdp(rho).canonne_kamath_steinke(&real(delta), 100, &budget);
        assert!(matches!(best("0", "1/2"), Ok(Number::Exact(zero)) if zero.is_zero()));
        // An epsilon far below rho is of an order next to 1: about `e^-(e^(epsilon - rho))`.
        let next = |rho: &str, epsilon: &str, bits| {
            zcdp(rho).delta_at_best(&real(epsilon), bits, &budget).expect("a number").value.enclosure(bits)
        };
        let far = next("1000", "3", 3000);
        let gap = (Enclosure::one(3000) - &far).ln();
        assert!(far.relative_bits() > Some(2800) && *far.upper() < 1, "{far:?}");
        assert!(*gap.lower() > -997.1 && *gap.upper() < -996.9, "{gap:?}");
        // Where a search comes there too both are the same.
        let searched = next("40", "10", 200);
        let formula = zcdp("40").next_to_one(&real("10"), 200).expect("a number").value.enclosure(200);
        assert!(searched.overlaps(&formula) && formula.relative_bits() > Some(75), "{searched:?} {formula:?}");
        assert!(zcdp("40").next_to_one(&real("30"), 200).is_none());
        // So little is spent that delta alone pays for it.
        assert!(matches!(best("1e-12", "1/10"), Ok(Number::Exact(zero)) if zero.is_zero()));
        assert!(best("1e12", "1e-1000").is_ok_and(|number| number.enclosure(100).relative_bits() > Some(90)));
    }

    proptest! {
        /// The conversion at the best order is never worse than Bun and Steinke's, and enclosures at different
        /// precisions overlap.
        #[test]
        fn the_better_conversion_is_better(numer in 1u32..100_000, exponent in 1u32..400) {
            let rho = Rational::from((numer, 1000));
            let delta = real(&format!("1e-{exponent}"));
            let zcdp = Zcdp::new(rho).expect("positive");
            let simple = zcdp.bun_steinke(&delta).expect("a constant").enclosure(200);
            let budget = Budget::default();
            let at = |bits| zcdp.canonne_kamath_steinke(&delta, bits, &budget).expect("a number").enclosure(bits);
            let (coarse, fine) = (at(80), at(200));
            prop_assert!(fine.upper() <= simple.lower());
            prop_assert!(coarse.overlaps(&fine));
            prop_assert!(fine.relative_bits() > Some(180));
        }
    }
}
