//! What theorems say of numbers, from the formulas as they are printed, in malachite.
//!
//! A best order is where a derivative changes its sign: of `g(a) = (a-1)(a rho - epsilon) + (a-1) ln(a-1) - a ln a`,
//! the logarithm of what Corollary 13 of Canonne, Kamath and Steinke minimises, it is
//! `g'(a) = (2a-1) rho - epsilon + ln(1-1/a)`, and `g''(a) = 2 rho + 1/(a(a-1)) > 0`: g is convex. Where
//! `g'(l) <= 0 <= g'(u)` the least value is at most `g(l)`, and at least `g(l) + g'(l) (u-l)`, for the tangent at l is
//! below g. An epsilon is confirmed by the deltas a little before and behind it.

use malachite::Rational as Second;
use malachite::base::num::arithmetic::traits::Pow;
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
/// That of the theorem about two outcomes.
const OUTCOMES: &str = "malachite, two outcomes that keep the bound and a line of them that do not";
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
        let name = if stated.stored.name == "two-outcomes" { OUTCOMES } else { NAME };
        Ok(name.to_string())
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
            ("KOV-A", "delta") => self.trade_down()?,
            ("KOV-4.1", "delta") => div(&self.get("delta")?, &mul(&whole(2), &self.get("times")?)),
            ("KOV-4.1", "epsilon") => {
                let epsilon = self.get("epsilon")?;
                let four = mul(&mul(&whole(4), &self.get("times")?), &self.log()?);
                self.root(&div(&mul(&epsilon, &epsilon), &four))
            }
            ("KOV-4.2" | "KOV-4.3" | "KOV-B" | "classical-gaussian", "variance") => self.variance()?,
            ("two-outcomes", "epsilon") => return self.two_outcomes(claim),
            ("DR-3.2" | "DR-3.5" | "DR-RR" | "DR-C3.1" | "DR-4.1", _) => self.concentrated(says)?,
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

    /// `1 - (1-delta)(1+e^s)/(1+e^epsilon)`, or delta.
    fn trade_down(&self) -> Result<Bounds, Error> {
        let (delta, smaller, epsilon) = (self.get("delta")?, self.get("smaller")?, self.get("epsilon")?);
        if smaller.0 >= epsilon.1 {
            return Ok(delta);
        }
        require(smaller.1 < epsilon.0, "which epsilon is the smaller one")?;
        let more = |name| Ok::<_, Error>(add(&whole(1), &self.power(name)?));
        let ratio = div(&more("smaller")?, &more("epsilon")?);
        Ok(sub(&whole(1), &mul(&sub(&whole(1), &delta), &ratio)))
    }

    /// `ln(e + epsilon/delta)`.
    fn log(&self) -> Result<Bounds, Error> {
        Ok(self.ln(&add(&self.exp(&whole(1)), &div(&self.get("epsilon")?, &self.get("delta")?))))
    }

    /// The variance of noise that a rule names.
    fn variance(&self) -> Result<Bounds, Error> {
        let (epsilon, sensitivity) = (self.get("epsilon")?, self.get("sensitivity")?);
        let (square, name) = (mul(&sensitivity, &sensitivity), self.stored().name.as_str());
        let (factor, scale, log) = match name {
            "classical-gaussian" => (2, square, self.ln(&div(&whole(2), &self.get("delta")?))),
            "KOV-B" => (4, mul(&square, &self.get("times")?), self.log()?),
            _ => (8, mul(&square, &self.get("times")?), self.log()?),
        };
        let value = div(&mul(&mul(&whole(factor), &scale), &log), &mul(&epsilon, &epsilon));
        if name != "KOV-B" {
            return Ok(value);
        }
        let other = div(&scale, &mul(&whole(4), &epsilon));
        Ok((value.0.max(other.0), value.1.max(other.1)))
    }

    /// `epsilon (x-1)/(x+1)`.
    fn mean(&self) -> Result<Bounds, Error> {
        let (epsilon, x) = (self.get("epsilon")?, self.power("epsilon")?);
        Ok(mul(&epsilon, &div(&sub(&x, &whole(1)), &add(&x, &whole(1)))))
    }

    /// What Dwork and Rothblum's theorems say of mu, tau and epsilon.
    fn concentrated(&self, says: &str) -> Result<Bounds, Error> {
        Ok(match (self.stored().name.as_str(), says) {
            ("DR-3.2", says) => {
                let far = div(&mul(&self.get("group")?, &self.get("sensitivity")?), &self.get("sigma")?);
                if says == "tau" { far } else { div(&mul(&far, &far), &whole(2)) }
            }
            ("DR-3.5", "tau") => self.get("epsilon")?,
            ("DR-3.5", "printed mu") => {
                div(&mul(&self.get("epsilon")?, &sub(&self.power("epsilon")?, &whole(1))), &whole(2))
            }
            ("DR-RR", "tau") => self.root(&mul(&whole(2), &self.mean()?)),
            ("DR-3.5" | "DR-RR", "mu") => self.mean()?,
            ("DR-C3.1", "epsilon") => {
                let (times, tau) = (self.get("times")?, self.get("tau")?);
                let log = self.ln(&div(&whole(1), &self.get("delta")?));
                let spread = self.root(&mul(&mul(&whole(2), &times), &log));
                add(&mul(&times, &self.get("mu")?), &mul(&tau, &spread))
            }
            ("DR-4.1", says) => {
                let (mut mu, mut tau) = (self.get("mu")?, self.get("tau")?);
                let doublings = numbers::first(&self.get("doublings")?.0)?.numer().to_u32().unwrap_or(0);
                for _ in 0..doublings {
                    let square = mul(&tau, &tau);
                    let more = add(&mul(&whole(7), &mul(&square, &tau)), &mul(&whole(3), &mul(&square, &square)));
                    mu = self.shorter(&add(&add(&mul(&whole(2), &mu), &square), &div(&more, &whole(2))));
                    let rooted = mul(&tau, &self.root(&tau));
                    tau = self.shorter(&add(&mul(&whole(2), &tau), &mul(&whole(34), &rooted)));
                }
                if says == "tau" { tau } else { mu }
            }
            (name, says) => return Err(Error::input(format!("no second route for the {says} of {name}"))),
        })
    }

    /// The worst two outcomes: some keep the bound of an integer order a little before the epsilon, and none do a
    /// little behind it.
    ///
    /// With masses p and q of one outcome, `p - e^epsilon q = delta`, the bound is of
    /// `s(p) = p^a q^(1-a) + (1-p)^a (1-q)^(1-a)`, which is convex along that line: least where its slope changes its
    /// sign, and above its tangent there. The other direction is no hypothesis behind, and looked at before.
    fn two_outcomes(&self, claim: &Claim) -> Result<(), Error> {
        let Claim::Within(lower, upper) = claim else { return require(false, "an epsilon that is infinite") };
        let (order, delta) = (self.get("order")?.0, self.get("delta")?.0);
        let a = numbers::first(&order)?.numer().to_u64().unwrap_or(0);
        require(order == a && a > 1, "an order that is an integer")?;
        let most = self.exp(&mul(&point(order - Second::ONE), &self.get("epsilon")?));
        let little = Rational::from((1, rug::Integer::from(1) << BESIDE));
        let power = |epsilon: Rational| Ok::<_, Error>(self.exp(&point(numbers::second(&epsilon)?)));
        // In coarser fractions, to the safe side.
        let larger = -scaled_down(&-power(Rational::from(1 - &little) * lower)?.1, SHORT);
        let before = Pairs { a, delta: delta.clone(), x: larger };
        let behind = Pairs { a, delta, x: scaled_down(&power((1 + little) * upper)?.0, SHORT) };
        let (p, _) = before.least()?;
        require(before.sum(&p) <= most.0 && before.other_sum(&p) <= most.0, "outcomes that keep the bound")?;
        let (low, high) = behind.least()?;
        let under = behind.sum(&low) + behind.slope(&low, |x| x) * (high - low);
        require(under > most.1, "a bound that none keep")
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

/// Bits of the powers of e on lines of outcomes and of a search there, and how near the least value is found.
const SHORT: u64 = 240;
const PLACES: u64 = 128;

/// Two outcomes on a line `p - x q = delta`.
struct Pairs {
    a: u64,
    delta: Second,
    x: Second,
}

impl Pairs {
    fn q(&self, p: &Second) -> Second {
        (p - &self.delta) / &self.x
    }

    /// `p^a q^(1-a) + (1-p)^a (1-q)^(1-a)`.
    fn sum(&self, p: &Second) -> Second {
        self.of(p, &self.q(p))
    }

    /// The same of the other direction.
    fn other_sum(&self, p: &Second) -> Second {
        self.of(&self.q(p), p)
    }

    fn of(&self, p: &Second, q: &Second) -> Second {
        let one = |p: &Second, q: &Second| p * (p / q).pow(self.a - 1);
        one(p, q) + one(&(Second::ONE - p), &(Second::ONE - q))
    }

    /// Its slope in p, with numbers made shorter by `short` on the way.
    fn slope(&self, p: &Second, short: impl Fn(Second) -> Second) -> Second {
        let q = self.q(p);
        let (u, v) = (short(p / &q), short((Second::ONE - p) / (Second::ONE - q)));
        let power = |x: &Second| {
            let (mut product, mut square, mut left) = (Second::ONE, x.clone(), self.a - 1);
            while left > 0 {
                if left & 1 == 1 {
                    product = short(product * &square);
                }
                square = short(&square * &square);
                left >>= 1;
            }
            product
        };
        let (less, more) = (power(&u), power(&v));
        let rise = (&less - &more) * Second::from(self.a);
        rise - (less * u - more * v) * Second::from(self.a - 1) / &self.x
    }

    /// Where it is least, between two ends: its slope is not above 0 at the one and not below it at the other.
    fn least(&self) -> Result<(Second, Second), Error> {
        let near = |p: &Second| self.slope(p, |x| scaled_down(&x, SHORT));
        let (mut low, mut high) = (self.delta.clone(), Second::ONE);
        for _ in 0..PLACES {
            let middle = (&low + &high) >> 1u32;
            if near(&middle) < 0u32 { low = middle } else { high = middle }
        }
        let (p, mut away) = (scaled_down(&low, PLACES), Second::ONE >> (PLACES - 4));
        for _ in 0..PLACES {
            let ends = (&p - &away, &p + &away);
            if self.slope(&ends.0, |x| x) <= 0u32 && self.slope(&ends.1, |x| x) >= 0u32 {
                return Ok(ends);
            }
            away <<= 1u32;
        }
        require(false, "a least value between").map(|()| (p.clone(), p))
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
