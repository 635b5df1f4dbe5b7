//! What theorems say of numbers, from the formulas as they are printed, in malachite.
//!
//! A best order is where a derivative changes its sign: of `g(a) = (a-1)(a rho - epsilon) + (a-1) ln(a-1) - a ln a`,
//! the logarithm of what Corollary 13 of Canonne, Kamath and Steinke minimises, it is
//! `g'(a) = (2a-1) rho - epsilon + ln(1-1/a)`, and `g''(a) = 2 rho + 1/(a(a-1)) > 0`: g is convex. Where
//! `g'(l) <= 0 <= g'(u)` the least value is at most `g(l)`, and at least `g(l) + g'(l) (u-l)`, for the tangent at l is
//! below g. An epsilon is confirmed by the deltas a little before and behind it.

use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Zero};
use rug::Rational;

use super::{Claim, Routes, numbers, require, sharper};
use crate::answer::Outcome;
use crate::error::Error;
use crate::route::elementary::{exp_bounds, ln_bounds, pi_bounds, scaled_down, sqrt_bounds};
use crate::route::moments::{add, div, mul, point, sub};
use crate::vector::stated::Stated;

type Bounds = (Second, Second);

/// The name of the route.
const NAME: &str = "malachite, the formula as printed";
/// Working precisions, one after the other.
const BITS: [u64; 3] = [280, 560, 1600];
/// How far from an epsilon deltas are asked, relative to it: `2^-110`.
const BESIDE: u32 = 110;
/// Halvings of the interval of an order, which begins at most `2^20` long.
const HALVINGS: u32 = 220;

impl Routes {
    /// The name of the second route that agrees with what a theorem says.
    ///
    /// # Errors
    /// As [`Routes::confirm`] has them.
    pub fn confirm_theorem(&self, stated: &Stated, outcome: &Outcome) -> Result<String, Error> {
        let claim = Claim::of(outcome)?;
        sharper(&BITS, |&bits| Printed { stated, bits }.confirm(&claim))?;
        Ok(NAME.to_string())
    }
}

/// A theorem at a precision.
struct Printed<'a> {
    stated: &'a Stated,
    bits: u64,
}

fn whole(value: u32) -> Bounds {
    point(Second::from(value))
}

fn least(a: Bounds, b: Bounds) -> Bounds {
    (a.0.min(b.0), a.1.min(b.1))
}

impl Printed<'_> {
    fn confirm(&self, claim: &Claim) -> Result<(), Error> {
        let says = self.stored().says.as_str();
        let value = match (self.stored().name.as_str(), says) {
            ("KOV-3.1" | "KOV-3.2" | "DR-1.1" | "KOV-3.4" | "KOV-8" | "KOV-3.5", "epsilon") => self.epsilon()?,
            ("KOV-3.1" | "KOV-3.2" | "DR-1.1", "delta") => self.sum_of_deltas()?,
            ("KOV-3.4" | "KOV-8" | "KOV-3.5", "delta") => self.product_of_deltas()?,
            ("BS-1.4", "printed rho") => {
                let epsilon = self.get("epsilon")?;
                div(&mul(&epsilon, &epsilon), &whole(2))
            }
            ("BS-1.4", "rho") => {
                let (epsilon, x) = (self.get("epsilon")?, self.power("epsilon")?);
                mul(&epsilon, &div(&sub(&x, &whole(1)), &add(&x, &whole(1))))
            }
            ("BS-1.3", "epsilon") => {
                let (rho, delta) = (self.get("rho")?, self.get("delta")?);
                let root = self.root(&mul(&rho, &self.ln(&div(&whole(1), &delta))));
                add(&rho, &mul(&whole(2), &root))
            }
            ("BS-3.6", "delta") => self.lemma()?,
            ("CKS-13-delta", "delta") => self.exp(&self.best(&self.get("epsilon")?)?.1),
            ("CKS-13-delta", "order") => self.best(&self.get("epsilon")?)?.0,
            ("CKS-13", "epsilon") => return self.beside(claim),
            ("MIR-3" | "CKS-12" | "ALCKS-1", "epsilon") => self.one_order()?,
            (name, says) => return Err(Error::input(format!("no second route for the {says} of {name}"))),
        };
        claim.agrees_with(&numbers::first_both(&value)?)
    }

    fn stored(&self) -> &dpcert_vectors::Stated {
        &self.stated.stored
    }

    fn constant(&self, name: &str) -> Result<&enclosure::Real, Error> {
        let given = self.stated.asked.given.0.iter().find(|(known, _)| *known == name);
        given.map(|(_, value)| value).ok_or_else(|| Error::input(format!("{name} is missing")))
    }

    fn get(&self, name: &str) -> Result<Bounds, Error> {
        numbers::bounds(self.constant(name)?, self.bits)
    }

    /// `e` to the power of a number.
    fn power(&self, name: &str) -> Result<Bounds, Error> {
        numbers::exp_bounds(self.constant(name)?, self.bits)
    }

    fn ln(&self, x: &Bounds) -> Bounds {
        (ln_bounds(&x.0, self.bits).0, ln_bounds(&x.1, self.bits).1)
    }

    fn exp(&self, x: &Bounds) -> Bounds {
        (exp_bounds(&x.0, self.bits).0, exp_bounds(&x.1, self.bits).1)
    }

    fn root(&self, x: &Bounds) -> Bounds {
        (sqrt_bounds(&x.0, self.bits).0, sqrt_bounds(&x.1, self.bits).1)
    }

    /// Epsilon, `e^epsilon`, delta and how many, of each kind of step.
    fn steps(&self) -> Result<Vec<[Bounds; 4]>, Error> {
        let mut all = vec![[self.get("epsilon")?, self.power("epsilon")?, self.get("delta")?, self.get("times")?]];
        if self.stored().name == "KOV-3.5" {
            all.push([self.get("epsilon2")?, self.power("epsilon2")?, self.get("delta2")?, self.get("times2")?]);
        }
        Ok(all)
    }

    /// The least of the branches.
    fn epsilon(&self) -> Result<Bounds, Error> {
        let name = self.stored().name.as_str();
        let (mut total, mut drift, mut squares) = (whole(0), whole(0), whole(0));
        for [epsilon, x, _, times] in self.steps()? {
            let rise = sub(&x, &whole(1));
            let factor = match name {
                "KOV-3.2" => rise,
                "DR-1.1" => div(&rise, &whole(2)),
                "KOV-8" => epsilon.clone(),
                _ => div(&rise, &add(&x, &whole(1))),
            };
            let sum = mul(&times, &epsilon);
            total = add(&total, &sum);
            drift = add(&drift, &mul(&sum, &factor));
            squares = add(&squares, &mul(&sum, &epsilon));
        }
        if name == "KOV-3.1" {
            return Ok(total);
        }
        let slack = self.get("slack")?;
        if slack.1 == 0u32 {
            return Ok(total);
        }
        let branch = |log: Bounds| add(&drift, &self.root(&mul(&mul(&whole(2), &squares), &log)));
        let plain = branch(self.ln(&div(&whole(1), &slack)));
        if matches!(name, "KOV-3.2" | "DR-1.1") {
            return Ok(plain);
        }
        let inside = add(&self.exp(&whole(1)), &div(&self.root(&squares), &slack));
        Ok(least(total, least(branch(self.ln(&inside)), plain)))
    }

    /// `min(1, k delta + slack)`.
    fn sum_of_deltas(&self) -> Result<Bounds, Error> {
        let mut sum = if self.stored().name == "KOV-3.1" { whole(0) } else { self.get("slack")? };
        for [_, _, delta, times] in self.steps()? {
            sum = add(&sum, &mul(&times, &delta));
        }
        Ok(least(sum, whole(1)))
    }

    /// `1 - (1-slack) prod (1-delta)^k`, the power by squares rounded outward.
    fn product_of_deltas(&self) -> Result<Bounds, Error> {
        let mut kept = sub(&whole(1), &self.get("slack")?);
        for [_, _, delta, times] in self.steps()? {
            let times = numbers::first(&times.0)?.numer().to_u64().unwrap_or(0);
            let mut base = sub(&whole(1), &delta);
            for place in 0..64 - times.leading_zeros() {
                if times >> place & 1 == 1 {
                    kept = self.shorter(&mul(&kept, &base));
                }
                base = self.shorter(&mul(&base, &base));
            }
        }
        Ok(sub(&whole(1), &kept))
    }

    /// Rounded outward to multiples of a power of two.
    fn shorter(&self, x: &Bounds) -> Bounds {
        let bits = 2 * self.bits;
        (scaled_down(&x.0, bits), -scaled_down(&-&x.1, bits))
    }

    /// Lemma 3.6 of Bun and Steinke.
    fn lemma(&self) -> Result<Bounds, Error> {
        let (rho, epsilon) = (self.get("rho")?, self.get("epsilon")?);
        let above = sub(&epsilon, &rho);
        let tail = self.exp(&sub(&whole(0), &div(&mul(&above, &above), &mul(&whole(4), &rho))));
        let round = mul(&pi_bounds(self.bits), &rho);
        let w = add(&whole(1), &div(&above, &mul(&whole(2), &rho)));
        let last = add(&w, &self.root(&add(&mul(&w, &w), &div(&whole(4), &round))));
        let all = least(self.root(&round), least(div(&whole(1), &w), div(&whole(2), &last)));
        Ok(mul(&tail, &least(whole(1), all)))
    }

    /// Conversions of a bound of one order.
    fn one_order(&self) -> Result<Bounds, Error> {
        let (a, r, delta) = (self.get("order")?, self.get("epsilon")?, self.get("delta")?);
        let t = sub(&a, &whole(1));
        Ok(match self.stored().name.as_str() {
            "MIR-3" => add(&r, &div(&self.ln(&div(&whole(1), &delta)), &t)),
            "CKS-12" => {
                let log = self.ln(&sub(&whole(1), &div(&whole(1), &a)));
                let value = add(&r, &sub(&log, &div(&self.ln(&mul(&a, &delta)), &t)));
                (value.0.max(Second::ZERO), value.1.max(Second::ZERO))
            }
            _ => {
                let rise = sub(&self.exp(&mul(&t, &r)), &whole(1));
                div(&self.ln(&add(&whole(1), &div(&rise, &mul(&a, &delta)))), &t)
            }
        })
    }

    /// An interval of the best order at an epsilon, and the logarithm of the delta there.
    fn best(&self, epsilon: &Bounds) -> Result<(Bounds, Bounds), Error> {
        let rho = self.get("rho")?;
        let slope = |a: &Second| {
            let log = ln_bounds(&((a - Second::ONE) / a), self.bits);
            let twice = point(a + a - Second::ONE);
            add(&sub(&mul(&twice, &rho), epsilon), &log)
        };
        let (mut low, mut high) = (Second::ONE, Second::from(1u32 << 20));
        require(slope(&high).0 > 0u32, "an order that is not too large")?;
        for _ in 0..HALVINGS {
            let middle = (&low + &high) / Second::from(2u32);
            let there = slope(&middle);
            if there.1 <= 0u32 {
                low = middle;
            } else if there.0 >= 0u32 {
                high = middle;
            } else {
                break;
            }
        }
        require(low > Second::ONE, "an order above 1")?;
        let (a, t) = (point(low.clone()), point(&low - Second::ONE));
        let exponent = mul(&t, &sub(&mul(&a, &rho), epsilon));
        let value = add(&exponent, &sub(&mul(&t, &self.ln(&t)), &mul(&a, &self.ln(&a))));
        let fall = mul(&slope(&low), &point(&high - &low));
        Ok(((low, high), (value.0 + fall.0, value.1)))
    }

    /// Is delta above the one that is asked for before the claim, and not above it behind?
    fn beside(&self, claim: &Claim) -> Result<(), Error> {
        let Claim::Within(lower, upper) = claim else { return require(false, "an epsilon that is infinite") };
        let target = self.get("delta")?;
        let little = Rational::from((1, rug::Integer::from(1) << BESIDE));
        let at = |epsilon: Rational| -> Result<Bounds, Error> {
            Ok(self.exp(&self.best(&point(numbers::second(&epsilon)?))?.1))
        };
        let before = at(Rational::from(1 - &little) * lower)?;
        let behind = at((1 + little) * upper)?;
        require(before.0 > target.1 && behind.1 <= target.0, "the deltas on both sides")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::suite;
    use enclosure::{Budget, Enclosure, Number};

    /// Each theorem is confirmed, and another number is not.
    #[test]
    fn right_numbers_are_confirmed_and_wrong_ones_are_not() {
        let suites = suite::all();
        let cases: Vec<_> =
            suites.iter().flat_map(|suite| &suite.cases).filter_map(|case| case.theorem.as_ref()).collect();
        for stored in cases.iter().step_by(3) {
            let stated = Stated::new(stored, 40).expect("a theorem");
            let outcome = stated.answer(&Budget::default()).expect("an answer").outcome;
            let routes = Routes::default();
            routes.confirm_theorem(&stated, &outcome).unwrap_or_else(|error| panic!("{stored:?}: {error}"));
            let set = outcome.number().expect("a number").enclosure(200);
            let off = Enclosure::rational(&Rational::from((1, 1_000_000_000_000u64)), 200);
            let wrong = Outcome::of(Number::Enclosed(&set + &(&set * &off)));
            assert!(routes.confirm_theorem(&stated, &wrong).is_err(), "{stored:?}");
        }
    }
}
