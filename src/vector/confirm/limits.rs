//! What limit theorems say, once more: moments of the losses from their definitions, curves of Gaussians by midpoints,
//! expansions from the formal series.
//!
//! A delta or a beta is computed; an epsilon is confirmed by the profile a little, `2^-85` of it, before and behind it,
//! which is above delta there and not above it here. The hypotheses, and which mu belongs to which theorem, are the
//! paper's: both routes share them.

use dpcert_vectors::{Bound, Direction, Limit, LimitForm};
use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Two, Zero};
use rug::Rational;

use super::{Claim, Routes, functional, numbers, poisson, require, sharper};
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use crate::route::elementary::{exp_bounds, scaled_down, scaled_up, sqrt_bounds};
use crate::route::limits::{self, Expansion};
use crate::route::moments::{self, Law, add, div, mul, point, power, sub};
use crate::route::{divergence, gaussian, sampled};
use enclosure::{Cache, Real};

type Bounds = (Second, Second);

/// Digits of the curves of Gaussians.
const DIGITS: u32 = 48;
/// How far from an epsilon the profile is asked, relative to it: `2^-85`.
const BESIDE: u32 = 85;
/// Moments that an expansion of order 3 takes.
const MOST_MOMENTS: u32 = 5;
/// So many samples are kept.
const KEPT: usize = 16;
/// Working precisions, one after the other.
const BITS: [u64; 3] = [240, 480, 1600];
/// The name of the route.
const NAME: &str = "malachite, the theorem with moments from their definitions";

/// Moments of samples by rate, mu, order of the two distributions and bits: several questions are about each.
pub struct Moments(Cache<(Second, Second, bool, u64), Vec<Bounds>>);

impl Default for Moments {
    fn default() -> Self {
        Moments(Cache::new(KEPT))
    }
}

impl Routes {
    /// The name of the second route that agrees with what a theorem says.
    ///
    /// # Errors
    /// As [`Routes::confirm`] has them.
    pub fn confirm_limit(&self, limit: Limit, query: &Query, outcome: &Outcome) -> Result<String, Error> {
        let claim = Claim::of(outcome)?;
        sharper(&BITS, |bits| once(limit, query, &claim, &self.moments, bits))?;
        Ok(NAME.to_string())
    }
}

fn once(limit: Limit, query: &Query, claim: &Claim, known: &Moments, bits: u64) -> Result<(), Error> {
    match limit {
        Limit::Clt { form } => {
            let (square, survival) = clt(&query.mechanism, form, known, bits)?;
            Curve { square, survival, side: None, bits }.confirm(query, claim)
        }
        Limit::BerryEsseen { bound } => {
            let (square, gamma, survival) = berry_esseen(&query.mechanism, known, bits)?;
            Curve { square, survival, side: Some((gamma, bound)), bits }.confirm(query, claim)
        }
        Limit::Edgeworth { order } => {
            let side = |reversed| -> Result<_, Error> {
                let parts = parts(&query.mechanism, reversed, bits)?;
                let mut sums = vec![point(Second::ZERO); order as usize + 2];
                for (raw, times) in &parts.raw(order + 2, known, bits)? {
                    for (sum, cumulant) in sums.iter_mut().zip(moments::cumulants(raw)) {
                        *sum = add(sum, &mul(&cumulant, &point(Second::from(*times))));
                    }
                }
                Ok((sums, parts.survival))
            };
            let ((forward, survival), (backward, _)) = (side(false)?, side(true)?);
            Both::new(&forward, &backward, survival, order as usize, bits)?.confirm(query, claim)
        }
    }
}

/// The losses that leak, each so many times, and the probability that nothing fails outright.
struct Parts {
    leaking: Vec<(Part, u64)>,
    survival: Bounds,
}

enum Part {
    Law(Law),
    /// Moments of a sample of Gaussian noise, of any number: the rate, mu, and whether it is the second distribution.
    Sampled(Second, Second, bool),
}

impl Parts {
    /// The raw moments of each.
    fn raw(&self, count: u32, known: &Moments, bits: u64) -> Result<Vec<(Vec<Bounds>, u64)>, Error> {
        let one = |(part, times): &(Part, u64)| {
            let found = match part {
                Part::Law(law) => law.moments(count, bits),
                Part::Sampled(rate, mu, reversed) => {
                    let all = known.0.get((rate.clone(), mu.clone(), *reversed, bits), || -> Result<_, Error> {
                        Ok(sampled::moments(rate, mu, *reversed, MOST_MOMENTS, bits))
                    })?;
                    Some(all.iter().take(count as usize).cloned().collect())
                }
            };
            Ok((found.ok_or_else(|| Error::input("an infinite loss"))?, *times))
        };
        self.leaking.iter().map(one).collect()
    }
}

fn parts(composition: &Composition, reversed: bool, bits: u64) -> Result<Parts, Error> {
    let mut parts = Parts { leaking: Vec::new(), survival: point(Second::ONE) };
    for (mechanism, times) in composition.factors() {
        let law = match mechanism {
            Mechanism::ApproxDp(m) => {
                let kept = Second::ONE - numbers::second(numbers::rational(m.delta(), "delta")?)?;
                let kept = point(kept);
                parts.survival = mul(&parts.survival, &power(&kept, u32::try_from(*times).unwrap_or(u32::MAX)));
                functional::response(m.epsilon(), bits)?
            }
            Mechanism::Poisson(m) if let Some(sample) = poisson::Sample::of(m) => {
                let poisson::Inside::Gaussian(square) = &sample.inside else {
                    return Err(Error::input("no second route for moments of this sample"));
                };
                let mu = square.sqrt()?;
                let mu = numbers::second(numbers::rational(&mu, "mu")?)?;
                parts.leaking.push((Part::Sampled(numbers::second(&sample.rate)?, mu, reversed), *times));
                continue;
            }
            other => functional::law(other, reversed, bits)?,
        };
        parts.leaking.extend(law.map(|law| (Part::Law(law), *times)));
    }
    Ok(parts)
}

/// `mu^2` and the probability that nothing fails.
fn clt(composition: &Composition, form: LimitForm, known: &Moments, bits: u64) -> Result<(Bounds, Bounds), Error> {
    let mut square = point(Second::ZERO);
    match form {
        LimitForm::Worst => {
            let mut failure = Second::ZERO;
            for (mechanism, times) in composition.factors() {
                let (epsilon, delta) = match mechanism {
                    Mechanism::ApproxDp(m) => (m.epsilon(), numbers::second(numbers::rational(m.delta(), "delta")?)?),
                    Mechanism::RandomizedResponse(m) => (m.epsilon(), Second::ZERO),
                    _ => return Err(Error::input("not an (epsilon, delta) mechanism")),
                };
                let times = Second::from(*times);
                failure += delta * &times;
                square = add(&square, &mul(&power(&numbers::bounds(epsilon, bits)?, 2), &point(times)));
            }
            Ok((square, exp_bounds(&-failure, bits)))
        }
        LimitForm::Poisson | LimitForm::Uniform => {
            for (mechanism, times) in composition.factors() {
                let Mechanism::Poisson(m) = mechanism else { return Err(Error::input("not a sample")) };
                let rate = numbers::second(numbers::rational(m.rate(), "rate")?)?;
                let law = functional::law(m.inner(), false, bits)?.ok_or_else(|| Error::input("nothing leaks"))?;
                let uniform = form == LimitForm::Uniform;
                let divergence = match &law {
                    Law::Finite(outcomes) if uniform => moments::positive_chi_squared(outcomes),
                    Law::Finite(outcomes) => divergence::finite(outcomes, &Second::TWO, bits).chi_squared,
                    Law::Gaussian(square) if uniform => limits::gaussian_positive_chi_squared(square, bits),
                    Law::Gaussian(square) => sub(&exp_bounds(square, bits), &point(Second::ONE)),
                    Law::Laplace(c) if !uniform => divergence::laplace(c, &Second::TWO, bits)?.chi_squared,
                    Law::Laplace(_) => return Err(Error::input("no second route for chi^2_+ of Laplace noise")),
                };
                let weight = &rate * &rate * Second::from(*times) * Second::from(if uniform { 2 } else { 1 });
                square = add(&square, &mul(&divergence, &point(weight)));
            }
            Ok((square, point(Second::ONE)))
        }
        LimitForm::Centred | LimitForm::Printed => {
            let parts = parts(composition, false, bits)?;
            let (mut kl, mut below) = (point(Second::ZERO), point(Second::ZERO));
            for (raw, times) in &parts.raw(2, known, bits)? {
                let times = point(Second::from(*times));
                kl = add(&kl, &mul(&raw[0], &times));
                let one = if form == LimitForm::Printed { raw[1].clone() } else { sub(&raw[1], &power(&raw[0], 2)) };
                below = add(&below, &mul(&one, &times));
            }
            require(below.0 > 0u32, "a loss that varies")?;
            Ok((div(&power(&add(&kl, &kl), 2), &below), parts.survival))
        }
    }
}

/// `mu^2`, gamma and the probability that nothing fails.
fn berry_esseen(composition: &Composition, known: &Moments, bits: u64) -> Result<(Bounds, Bounds, Bounds), Error> {
    let parts = parts(composition, false, bits)?;
    let (mut kl, mut variance, mut cube) = (point(Second::ZERO), point(Second::ZERO), point(Second::ZERO));
    for ((part, times), (raw, _)) in parts.leaking.iter().zip(&parts.raw(2, known, bits)?) {
        let absolute = match part {
            Part::Law(Law::Finite(outcomes)) => moments::absolute_cube(outcomes, true, bits),
            Part::Law(Law::Laplace(c)) => Some(moments::laplace_centred_cube(c, bits)),
            Part::Law(Law::Gaussian(square)) => Some(moments::gaussian_centred_cube(square, bits)),
            Part::Sampled(..) => None,
        };
        let absolute = absolute.ok_or_else(|| Error::input("no second route for kappa_3-bar"))?;
        let times = point(Second::from(*times));
        kl = add(&kl, &mul(&raw[0], &times));
        variance = add(&variance, &mul(&sub(&raw[1], &power(&raw[0], 2)), &times));
        cube = add(&cube, &mul(&absolute, &times));
    }
    require(variance.0 > 0u32, "a loss that varies")?;
    let root = (sqrt_bounds(&variance.0, bits).0, sqrt_bounds(&variance.1, bits).1);
    let constant = point(Second::from(56) / Second::from(100));
    let gamma = div(&mul(&cube, &constant), &mul(&variance, &root));
    require(gamma.1 < Second::ONE / Second::TWO, "gamma below 1/2")?;
    Ok((div(&power(&add(&kl, &kl), 2), &variance), gamma, parts.survival))
}

/// A profile and a trade-off function for an epsilon and an alpha.
trait Says {
    fn delta(&self, epsilon: &Real) -> Result<Bounds, Error>;
    fn beta(&self, alpha: &Rational) -> Result<Bounds, Error>;

    /// Is the claim what it says?
    fn confirm(&self, query: &Query, claim: &Claim) -> Result<(), Error> {
        match &query.quantity {
            Quantity::Delta { epsilon } => claim.agrees_with(&numbers::first_both(&self.delta(epsilon)?)?),
            Quantity::Beta { alpha } => {
                claim.agrees_with(&numbers::first_both(&self.beta(numbers::rational(alpha, "alpha")?)?)?)
            }
            Quantity::Epsilon { delta } => {
                let target = numbers::second(numbers::rational(delta, "delta")?)?;
                let Claim::Within(lower, upper) = claim else { return self.infinite(&target) };
                let little = Rational::from((1, rug::Integer::from(1) << BESIDE));
                let before = Rational::from(1 - &little) * lower;
                let behind: Rational = (1 + little) * upper;
                let left = upper.is_zero() || self.delta(&before.into())?.0 > target;
                require(left && self.delta(&behind.into())?.1 <= target, "the profile on both sides")
            }
            _ => Err(Error::input("not a curve")),
        }
    }

    /// Is no epsilon large enough?
    fn infinite(&self, _target: &Second) -> Result<(), Error> {
        require(false, "an infinite epsilon")
    }
}

/// `G_mu`, or a bound beside it, and what fails.
struct Curve {
    square: Bounds,
    survival: Bounds,
    side: Option<(Bounds, Bound)>,
    bits: u64,
}

impl Curve {
    /// `mu^2` at both ends, as fractions that are not too long.
    fn squares(&self) -> Result<[Real; 2], Error> {
        let w = 2 * self.bits;
        let ends = [scaled_down(&self.square.0, w), scaled_up(&self.square.1, w)];
        Ok([Real::from(numbers::first(&ends[0])?), Real::from(numbers::first(&ends[1])?)])
    }

    /// Of `G_mu` alone: its profile rises with mu.
    fn smooth(&self, epsilon: &Real) -> Result<Bounds, Error> {
        let [low, high] = self.squares()?;
        let low = gaussian::delta(&low, epsilon, DIGITS)?.0;
        Ok((numbers::second(&low)?, numbers::second(&gaussian::delta(&high, epsilon, DIGITS)?.1)?))
    }

    /// `G_mu`, continued by 1 below 0 and by 0 above 1; it falls with alpha and with mu.
    fn curve(&self, alpha: &Bounds) -> Result<Bounds, Error> {
        let [low, high] = self.squares()?;
        let at = |square: &Real, alpha: &Second, up: bool| -> Result<Second, Error> {
            let alpha = if up { scaled_down(alpha, self.bits) } else { scaled_up(alpha, self.bits) };
            if alpha <= 0u32 || alpha >= 1u32 {
                return Ok(if alpha <= 0u32 { Second::ONE } else { Second::ZERO });
            }
            let (low, high) = gaussian::beta(square, &numbers::first(&alpha)?, DIGITS)?;
            numbers::second(&if up { high } else { low })
        };
        Ok((at(&high, &alpha.1, false)?, at(&low, &alpha.0, true)?))
    }

    /// `1 + gamma - G_mu(gamma)`: above it no delta of the upper bound lies, and with large epsilons none is below.
    fn edge(&self, gamma: &Bounds) -> Result<Bounds, Error> {
        Ok(sub(&add(&point(Second::ONE), gamma), &self.curve(gamma)?))
    }

    /// The bound of what does not fail, at an epsilon.
    fn bounded(&self, gamma: &Bounds, bound: Bound, epsilon: &Real) -> Result<Bounds, Error> {
        let x = numbers::exp_bounds(epsilon, self.bits)?;
        let cost = mul(gamma, &add(&point(Second::ONE), &x));
        if bound == Bound::Lower {
            let (low, high) = sub(&self.smooth(epsilon)?, &cost);
            return Ok((low.max(Second::ZERO), high.max(Second::ZERO)));
        }
        // Where the slope of G is -x the type I error is P(Z > epsilon/mu + mu/2).
        let mu = (sqrt_bounds(&self.square.0, self.bits).0, sqrt_bounds(&self.square.1, self.bits).1);
        let place = add(&div(&numbers::bounds(epsilon, self.bits)?, &mu), &mul(&mu, &half()));
        let touch = limits::tail(&place, self.bits);
        let (low, high) = if touch.0 >= gamma.1 {
            add(&self.smooth(epsilon)?, &cost)
        } else {
            require(touch.1 < gamma.0, "on which side of gamma the top lies")?;
            self.edge(gamma)?
        };
        Ok((low.min(Second::ONE), high.min(Second::ONE)))
    }

    /// `(1-s) + s inner`.
    fn whole(&self, inner: &Bounds) -> Bounds {
        let rest = |inner: &Second| Second::ONE - inner;
        let kept = mul(&self.survival, &(rest(&inner.1), rest(&inner.0)));
        (Second::ONE - kept.1, Second::ONE - kept.0)
    }
}

impl Says for Curve {
    fn delta(&self, epsilon: &Real) -> Result<Bounds, Error> {
        let inner = match &self.side {
            None => self.smooth(epsilon)?,
            Some((gamma, bound)) => self.bounded(gamma, *bound, epsilon)?,
        };
        Ok(self.whole(&inner))
    }

    fn beta(&self, alpha: &Rational) -> Result<Bounds, Error> {
        let alpha = div(&point(numbers::second(alpha)?), &self.survival);
        require(alpha.1 < 1u32, "an alpha below what does not fail")?;
        let inner = match &self.side {
            None => self.curve(&alpha)?,
            Some((gamma, Bound::Lower)) => {
                let (low, high) = sub(&self.curve(&add(&alpha, gamma))?, gamma);
                (low.max(Second::ZERO), high.max(Second::ZERO))
            }
            Some((gamma, Bound::Upper)) => {
                let (low, high) = add(&self.curve(&sub(&alpha, gamma))?, gamma);
                (low.min(Second::ONE - &alpha.1), high.min(Second::ONE - &alpha.0))
            }
        };
        Ok(mul(&inner, &self.survival))
    }

    fn infinite(&self, target: &Second) -> Result<(), Error> {
        let never = match &self.side {
            Some((gamma, Bound::Upper)) => self.whole(&self.edge(gamma)?).0 > *target,
            _ => self.whole(&point(Second::ZERO)).0 > *target,
        };
        require(never, "an infinite epsilon")
    }
}

fn half() -> Bounds {
    point(Second::ONE / Second::TWO)
}

/// An expansion in both directions: each under its first and under its second distribution.
struct Both {
    sides: [[Expansion; 2]; 2],
    survival: Bounds,
    direction: Direction,
    bits: u64,
}

impl Both {
    fn new(forward: &[Bounds], backward: &[Bounds], survival: Bounds, order: usize, bits: u64) -> Result<Self, Error> {
        let expansion = |sums: &[Bounds]| {
            Expansion::new(sums, order, bits).ok_or_else(|| Error::input("a loss that does not vary"))
        };
        // Under the second distribution the loss is minus that of the other direction.
        let minus = |sums: &[Bounds]| -> Vec<Bounds> {
            let sign =
                |(j, (low, high)): (u32, &Bounds)| if j % 2 == 1 { (-high, -low) } else { (low.clone(), high.clone()) };
            (1..).zip(sums).map(sign).collect()
        };
        let one_way = |own: &[Bounds], other: &[Bounds]| -> Result<[Expansion; 2], Error> {
            Ok([expansion(own)?, expansion(&minus(other))?])
        };
        let sides = [one_way(forward, backward)?, one_way(backward, forward)?];
        Ok(Both { sides, survival, direction: Direction::Worst, bits })
    }

    fn confirm(mut self, query: &Query, claim: &Claim) -> Result<(), Error> {
        self.direction = query.direction;
        Says::confirm(&self, query, claim)
    }

    fn asked(&self) -> &[[Expansion; 2]] {
        match self.direction {
            Direction::Worst => &self.sides,
            Direction::Forward => &self.sides[..1],
            Direction::Backward => &self.sides[1..],
        }
    }
}

impl Says for Both {
    fn delta(&self, epsilon: &Real) -> Result<Bounds, Error> {
        let (x, at) = (numbers::exp_bounds(epsilon, self.bits)?, numbers::bounds(epsilon, self.bits)?);
        let all = self.asked().iter().map(|[first, second]| sub(&first.tail(&at), &mul(&x, &second.tail(&at))));
        let inner = all.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).ok_or_else(|| Error::internal("no direction"))?;
        Ok(add(&sub(&point(Second::ONE), &self.survival), &mul(&self.survival, &inner)))
    }

    fn beta(&self, _alpha: &Rational) -> Result<Bounds, Error> {
        Err(Error::input("no second route for the trade-off function of an expansion"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::question::Question;
    use crate::vector::sessions::Sessions;
    use dpcert_vectors::Quantity::{LimitBeta, LimitDelta, LimitEpsilon};
    use enclosure::Budget;

    /// What a theorem says is confirmed; something else, and what another one says, is not.
    #[test]
    fn right_claims_are_confirmed_and_wrong_ones_are_not() {
        let (upper, lower) = (Limit::BerryEsseen { bound: Bound::Upper }, Limit::BerryEsseen { bound: Bound::Lower });
        let clt = |form| Limit::Clt { form };
        let response = "randomized-response(epsilon=1/10)^400";
        for (limit, mechanism, quantity, name, at) in [
            (clt(LimitForm::Centred), response, LimitDelta, "epsilon", "1"),
            (upper, response, LimitDelta, "epsilon", "1"),
            (lower, response, LimitBeta, "alpha", "1/2"),
            (Limit::Edgeworth { order: 3 }, response, LimitEpsilon, "delta", "1/100"),
            (Limit::Edgeworth { order: 2 }, "poisson(rate=1/10, gaussian(sigma=1))^99", LimitDelta, "epsilon", "1"),
        ] {
            let at = [(name, at.parse().expect("a constant"))];
            let question = Question::new(quantity, mechanism, &at, Direction::Worst, Some(limit), 40);
            let question = question.expect("a question");
            let Question::Limit(_, asked) = &question else { panic!("of no theorem") };
            let outcome = question.answer(&Sessions::default(), &Budget::default()).expect("an answer").outcome;
            let routes = Routes::default();
            routes.confirm_limit(limit, &asked.query, &outcome).expect("it is so");
            let set = outcome.number().expect("a number").enclosure(200);
            let off = enclosure::Enclosure::rational(&Rational::from((1, 1_000_000_000_000u64)), 200);
            let wrong = Outcome::of(enclosure::Number::Enclosed(set + off));
            assert!(routes.confirm_limit(limit, &asked.query, &wrong).is_err(), "{mechanism}");
            let other = Limit::Edgeworth { order: 1 };
            assert!(routes.confirm_limit(other, &asked.query, &outcome).is_err(), "{mechanism}");
        }
    }
}
