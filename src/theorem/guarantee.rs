//! Bounds that follow from a guarantee, that is from bounds on Renyi divergences, composed with mechanisms whose
//! divergences are known.
//!
//! Of the product of a thing that keeps a bound and mechanisms with pairs, the Renyi divergence of order a is at most
//! the bound's plus theirs. With the failures of the mechanisms beside taken out (`DRS` equation 11), what is known is
//! one of three:
//!
//! * *a line*, `D_(1+t) <= m + c t` at every order: of rho-zCDP and `(mu, tau)`-CDP, and of Gaussian noise beside.
//!   Delta, epsilon and beta are the best that follow from these bounds together: two outcomes that keep all of them
//!   (`two_points/all_orders.rs`).
//! * *one order*, `D_a <= r`, with what is beside added: the best that follow from the divergence of this order, by two
//!   outcomes. Of several bounds of one order the lowest order is known: divergences do not fall with it. (Of lower
//!   orders something else may be known from what is beside, and is not used.)
//! * *a line composed with other pairs*: two outcomes at one good order, which is a valid bound at any order. For delta
//!   and epsilon it is the smaller of that and the standard conversion at its certified best order; for some quantities
//!   Pinsker's inequality is used. This is a bound, not necessarily the best one.
//!
//! Every number is a bound: an upper bound on the quantity for all mechanisms that satisfy the guarantee, and a lower
//! bound for beta. The enclosure is one of the bound. See `proofs/paper/conversion.md`.

mod collect;
#[cfg(feature = "cli")]
mod conversion;
mod promises;
mod search;

use std::cell::RefCell;
use std::cmp::Ordering;

use rug::{Float, Rational};

use self::collect::Parts;
#[cfg(feature = "cli")]
pub use self::conversion::{At, AtOrder, Conversion};
pub use self::promises::{Detail, by_promises, helps};
#[cfg(feature = "cli")]
pub use self::search::Nearby;
use self::search::{good_order, ln_exp_m1};
use super::renyi::{OneOrder, best_delta, best_epsilon, pinsker, reflected};
use super::surviving::surviving;
use super::two_points::{Bound, Line, Region, kl_apart};
use crate::alarm::declined;
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, of_pairs};
use crate::error::Error;
use crate::pair::{Ends, FinitePair, Pair};
use enclosure::{Budget, Enclosure, Number, Portable, Real};

/// Orders that are listed: `1 + 2^(k/2)`.
const LISTED: std::ops::Range<i32> = -4..21;

/// The same.
fn listed_orders() -> impl Iterator<Item = Real> {
    let excess = LISTED.map(|place| (f64::from(place) / 2.0).portable_exp2());
    excess.filter_map(Rational::from_f64).map(|excess| Real::from(excess + 1u32))
}

/// Why there is no bound.
const TOO_LARGE: &str = "the bound is too large";

/// Precision of searches.
const SEARCH: u32 = 64;

/// A bound on Renyi divergences, and mechanisms beside.
#[derive(Clone, Debug)]
pub struct Guarantee {
    /// m and c of `D_(1+t) <= m + c t`: the sums of all lines, and of the Gaussian noise beside.
    line: (Real, Real),
    /// The lowest order of a bound of one order, and the sum of these bounds.
    one_order: Option<(Real, Real)>,
    /// What else has pairs, without what fails outright.
    rest: Vec<(Pair, u64)>,
    /// The probability that nothing fails outright.
    survival: Real,
    /// The mechanisms that have pairs.
    beside: Vec<(Pair, u64)>,
    /// The same for people.
    names: String,
    /// Where orders are looked for.
    #[cfg(feature = "cli")]
    nearby: Nearby,
}

/// The form of the known bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// A line, at all orders: the best that follows.
    Line,
    /// One order: the best that follows from the divergence of this order.
    OneOrder,
    /// A line beside other pairs: a good order.
    Sum,
}

/// What of a pair never fails outright, and a probability at least that of failing, under either distribution; `None`
/// if that is not known.
///
/// With masses at infinity a under P and b under Q, `P = a A + (1-a) P'` and `Q = b B + (1-b) Q'`. Distinguishing an
/// outcome of Q' with probability `a - b`, if that is positive, only reveals more. With `f = max(a, b)` both
/// distributions are `f` times a part that reveals everything, and `1 - f` times P' and Q'.
fn split(pair: Pair) -> Result<Option<(Pair, Real)>, Error> {
    let Ends { infinite_p, infinite_q, .. } = pair.ends()?;
    if infinite_p.is_zero() && infinite_q.is_zero() {
        return Ok(Some((pair, Real::zero())));
    }
    if let Some((epsilon, delta)) = pair.as_response() {
        return Ok(Some((Pair::response(epsilon, Real::zero())?, delta)));
    }
    let Pair::Discrete(discrete) = &pair else { return Ok(None) };
    let Some(finite) = discrete.fractions()? else { return Ok(None) };
    let kept: Vec<_> = finite.outcomes().filter(|(p, q)| **p > 0 && **q > 0).collect();
    let (p, q): (Rational, Rational) =
        (kept.iter().map(|(p, _)| (*p).clone()).sum(), kept.iter().map(|(_, q)| (*q).clone()).sum());
    if kept.is_empty() {
        return Ok(Some((Pair::Equal, Real::one())));
    }
    let failure = Rational::from(1) - p.clone().min(q.clone());
    let part = |one: &Rational, all: &Rational| Rational::from(one / all);
    let core = FinitePair::new(
        kept.iter().map(|(one, _)| part(one, &p)).collect(),
        kept.iter().map(|(_, one)| part(one, &q)).collect(),
    )?;
    Ok(Some((Pair::finite(core), Real::from(failure))))
}

impl Guarantee {
    fn from_parts(parts: Parts) -> Result<Self, Error> {
        let Parts { mut line, one_order, beside, names } = parts;
        let (mut rest, mut survival) = (Vec::new(), Real::one());
        for (pair, times) in &beside {
            let (core, failure) = split(pair.clone())?.unwrap_or_else(|| (pair.clone(), Real::zero()));
            if !failure.is_zero() {
                let kept = surviving(&failure, *times).map_err(|error| Error::undecided(error.to_string()))?;
                survival = survival.mul(&kept).map_err(|error| Error::undecided(error.to_string()))?;
            }
            match core {
                Pair::Equal => {}
                Pair::Gaussian { mu } => {
                    // Of Gaussian noise `D_a = a mu^2/2`, either way.
                    let more = mu.square().mul_rational(&(Rational::from(*times) / 2u32));
                    line = (line.0.add(&more), line.1.add(&more));
                }
                core => rest.push((core, *times)),
            }
        }
        Ok(Guarantee {
            line,
            one_order,
            rest,
            survival,
            beside,
            names: names.join(" * "),
            #[cfg(feature = "cli")]
            nearby: Nearby::default(),
        })
    }

    /// The form of the known bounds.
    pub fn known(&self) -> Known {
        match (self.rest.is_empty(), &self.one_order) {
            (true, None) => Known::Line,
            (_, Some(_)) => Known::OneOrder,
            (false, None) => Known::Sum,
        }
    }

    /// Whether only infinite privacy losses reveal anything. This holds for a group of size zero.
    fn is_nothing(&self) -> bool {
        self.known() == Known::Line && self.line.0.is_zero()
    }

    /// The line, where that is all.
    #[cfg(feature = "cli")]
    pub fn line(&self) -> Option<(&Real, &Real)> {
        (self.known() == Known::Line && self.failure().is_zero()).then_some((&self.line.0, &self.line.1))
    }

    /// The probability that something fails outright.
    pub fn failure(&self) -> Real {
        Real::one().sub(&self.survival)
    }

    /// The bound of the Renyi divergence of an order, or of the Kullback-Leibler divergence without one, of what does
    /// not fail outright.
    fn renyi(&self, order: Option<&Real>, side: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let kind = order.map_or(Kind::KullbackLeibler, |order| Kind::Renyi(order.clone()));
        let sum = of_pairs(kind, &self.rest)?;
        let of_rest = match side {
            Direction::Worst if sum.symmetric() => sum.value(Direction::Forward, bits, budget)?,
            Direction::Worst => {
                let forward = sum.value(Direction::Forward, bits, budget)?;
                forward.max(&sum.value(Direction::Backward, bits, budget)?)
            }
            one => sum.value(one, bits, budget)?,
        };
        let Value::Finite(of_rest) = of_rest else { return Ok(Value::Infinite) };
        let (start, slope) = &self.line;
        let own = match order {
            // `m + c (a - 1)`, which is exact for zCDP.
            Some(order) => &(&slope.number(bits) * &order.number(bits)) + &start.sub(slope).number(bits),
            None => start.number(bits),
        };
        let own = match &self.one_order {
            None => own,
            Some((known, bound)) => {
                let within = match order {
                    None => Some(Ordering::Less),
                    Some(order) => order.compare(known),
                };
                match within {
                    Some(Ordering::Greater) => return Ok(Value::Infinite),
                    Some(_) => &own + &bound.number(bits),
                    None => {
                        return Err(Error::undecided("cannot decide whether the order exceeds that of the guarantee"));
                    }
                }
            }
        };
        Ok(Value::Finite(&own + &of_rest))
    }

    /// The same, where it has to be finite.
    fn finite(&self, order: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        match self.renyi(Some(order), side, bits, budget)? {
            Value::Finite(value) => Ok(value.enclosure(bits)),
            Value::Infinite => Err(Error::Undefined(format!(
                "a bound on Renyi divergences implies nothing when composed with {}, whose Renyi divergences are \
                 infinite and whose finite part dpcert cannot separate",
                self.names
            ))),
        }
    }

    /// All errors that the bounds allow, or those that a good order does, the one whose value is about the least.
    fn region<T>(
        &self,
        value: &dyn Fn(f64, f64) -> f64,
        budget: &Budget,
        ask: impl FnOnce(&dyn Region) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let order = match (self.known(), &self.one_order) {
            (Known::Line, _) => {
                let (start, slope) = self.line.clone();
                return ask(&Line { start, slope });
            }
            (Known::OneOrder, Some((order, _))) => order.clone(),
            _ => good_order(&|order| {
                let r = self.finite(order, Direction::Worst, SEARCH, budget)?;
                Ok(value(order.sub(&Real::one()).to_f64(), r.upper().to_f64()))
            })?,
        };
        self.at(&order, budget, |bound| ask(bound))
    }

    /// Two outcomes at an order.
    fn at<T>(&self, order: &Real, budget: &Budget, ask: impl FnOnce(&Bound) -> Result<T, Error>) -> Result<T, Error> {
        let known: RefCell<Vec<(u32, Enclosure)>> = RefCell::default();
        let divergence = |bits: u32| {
            let found = known.borrow().iter().find(|(at, _)| *at == bits).map(|(_, set)| set.clone());
            if let Some(found) = found {
                return Ok(found);
            }
            let found = self.finite(order, Direction::Worst, bits, budget)?;
            known.borrow_mut().push((bits, found.clone()));
            Ok(found)
        };
        ask(&Bound { order: order.clone(), divergence: &divergence })
    }

    /// The bound of delta at an epsilon.
    pub fn delta(&self, epsilon: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if epsilon.sign() == Some(Ordering::Less) {
            let other = self.delta(&epsilon.neg(), opposite(side), bits, budget)?;
            return Ok(reflected(epsilon, &other, bits));
        }
        if self.survival.is_zero() {
            return Ok(Number::one());
        }
        let inner = self.kept_delta(epsilon, side, bits, budget)?;
        Ok(&self.failure().number(bits) + &(&self.survival.number(bits) * &inner))
    }

    /// The same of what does not fail.
    fn kept_delta(&self, epsilon: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if self.is_nothing() {
            return Ok(Number::zero());
        }
        let far = epsilon.to_f64();
        let value = |t: f64, r: f64| {
            let standard = t * (r - far) + t * t.portable_ln() - (1.0 + t) * t.portable_ln_1p();
            let tangent = ln_exp_m1(t * r) - (1.0 + t).portable_ln() - ln_exp_m1(t * far);
            if tangent.is_nan() { standard } else { standard.min(tangent) }
        };
        let best = Number::Enclosed(self.region(&value, budget, |region| region.delta(epsilon, bits, budget))?);
        if self.known() != Known::Sum {
            return Ok(best);
        }
        let orders = |order: &Real, bits: u32| self.finite(order, side, bits, budget);
        let other = declined(best_delta(&orders, epsilon, bits, budget))?;
        let best = other.map_or(best.clone(), |other| best.min(&other));
        Ok(match self.renyi(None, side, bits, budget)? {
            Value::Finite(kl) => best.min(&pinsker(&kl, bits)),
            Value::Infinite => best,
        })
    }

    /// The bound of delta at an epsilon by the standard conversion at the best of all orders, and by Pinsker's
    /// inequality.
    ///
    /// Both grow with the divergences, at each order and hence at the best: unlike what a good order says it goes as
    /// the guarantee does, and as all that stands beside it. It is not below [`delta`](Self::delta) where a good order
    /// says more.
    ///
    /// # Errors
    /// [`Error::Undefined`] where divergences are infinite; [`Error::Undecided`] where the best order is out of reach.
    pub fn standard_delta(&self, epsilon: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if epsilon.sign() == Some(Ordering::Less) {
            let other = self.standard_delta(&epsilon.neg(), opposite(side), bits, budget)?;
            return Ok(reflected(epsilon, &other, bits));
        }
        if self.survival.is_zero() {
            return Ok(Number::one());
        }
        let orders = |order: &Real, bits: u32| self.finite(order, side, bits, budget);
        let best = best_delta(&orders, epsilon, bits, budget)?;
        let inner = match self.renyi(None, side, bits, budget)? {
            Value::Finite(kl) => best.min(&pinsker(&kl, bits)),
            Value::Infinite => best,
        };
        Ok(&self.failure().number(bits) + &(&self.survival.number(bits) * &inner))
    }

    /// The bound of epsilon at a delta.
    pub fn epsilon(&self, delta: &Real, side: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        if *delta == Real::one() {
            return Ok(Value::Finite(Number::zero()));
        }
        let left = delta.sub(&self.failure());
        match left.sign() {
            Some(Ordering::Equal | Ordering::Greater) if self.is_nothing() => return Ok(Value::Finite(Number::zero())),
            // What keeps the guarantee may have losses of any size.
            Some(Ordering::Less | Ordering::Equal) => return Ok(Value::Infinite),
            Some(Ordering::Greater) => {}
            None => {
                return Err(Error::undecided(
                    "cannot decide whether delta equals the probability of an infinite \
                                                 privacy loss",
                ));
            }
        }
        let delta = left.div(&self.survival)?;
        let log = delta.enclosure(SEARCH).ln().upper().to_f64();
        let value = |t: f64, r: f64| {
            let standard = r - (1.0 / t).portable_ln_1p() - (t.portable_ln_1p() + log) / t;
            standard.min(((t * r).portable_exp_m1() / (1.0 + t) * (-log).portable_exp()).portable_ln_1p() / t)
        };
        // Where no epsilon is needed none is sought. No more than that is enough for Pinsker's inequality, and about
        // half of it is needed.
        let kl = self.renyi(None, side, SEARCH, budget)?;
        let enough = match kl {
            Value::Finite(kl)
                if self.known() != Known::OneOrder
                    && side == Direction::Worst
                    && kl.enclosure(SEARCH).upper() <= kl_apart(&delta, SEARCH).lower() =>
            {
                return Ok(Value::Finite(Number::zero()));
            }
            Value::Finite(kl) => delta.to_f64() > (kl.enclosure(SEARCH).upper().to_f64() / 8.0).sqrt().min(0.5),
            Value::Infinite => false,
        };
        if self.known() != Known::OneOrder && enough {
            let least = self.kept_delta(&Real::zero(), side, SEARCH, budget)?;
            if matches!(least.compare(&delta.number(SEARCH)), Some(Ordering::Less | Ordering::Equal)) {
                return Ok(Value::Finite(Number::zero()));
            }
        }
        let best = self.region(&value, budget, |region| region.epsilon(&delta, bits, budget))?;
        if self.known() != Known::Sum {
            return Ok(Value::Finite(best));
        }
        let orders = |order: &Real, bits: u32| self.finite(order, side, bits, budget);
        let other = declined(best_epsilon(&orders, &delta, bits, budget))?;
        Ok(Value::Finite(other.map_or(best.clone(), |other| best.min(&other))))
    }

    /// An upper bound on the best epsilon that follows at a delta, by conversions. For a bound of one order it is the
    /// smaller of two conversions in closed form; for a line, the standard conversion at its best order; with other
    /// mechanisms, the best of a list of orders. `None` if the guarantee reveals nothing.
    pub fn converted(&self, delta: &Real, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        let left = delta.sub(&self.failure());
        if left.sign() != Some(Ordering::Greater) || self.is_nothing() {
            return Ok(None);
        }
        let delta = left.div(&self.survival)?;
        let least = match (&self.one_order, self.known()) {
            (Some((order, _)), _) => {
                let one = self.one(order, budget)?;
                one.standard_epsilon(&delta, bits)?.min(&one.asoodeh(&delta, bits)?)
            }
            (None, Known::Line) => {
                // The time that was given is over, and these are closed forms: bits end it.
                let brief = Budget::new(1 << 12, None);
                let orders = |order: &Real, bits: u32| self.finite(order, Direction::Worst, bits, &brief);
                best_epsilon(&orders, &delta, bits, &brief)?
            }
            _ => {
                let mut best: Option<Number> = None;
                for order in listed_orders() {
                    let Some(bound) = declined(self.finite(&order, Direction::Worst, bits, budget))? else { continue };
                    let bound = Real::from(bound.upper().to_rational().ok_or_else(|| Error::undecided(TOO_LARGE))?);
                    let epsilon = OneOrder::new(order, bound)?.standard_epsilon(&delta, bits)?;
                    best = Some(best.map_or(epsilon.clone(), |best| best.min(&epsilon)));
                }
                return Ok(best.map(|best| best.enclosure(bits)));
            }
        };
        Ok(Some(least.enclosure(bits)))
    }

    /// A delta at least the best that follows at an epsilon that is not negative, however small it is: by the standard
    /// conversion at the order of the bound, or at some orders, with `D_a` the bound at order a. `None` for anything
    /// else.
    ///
    /// `delta <= e^((a-1)(D_a - eps)) (1 - 1/a)^(a-1)/a` of what does not fail (Canonne, Kamath and Steinke 2020,
    /// Proposition 12), whatever the order is. Of a line `D_a = m + c (a-1)` the exponent alone is least at
    /// `a - 1 = (eps - m)/(2 c)`.
    pub fn converted_delta(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        if !matches!(epsilon.sign(), Some(Ordering::Equal | Ordering::Greater)) || self.is_nothing() {
            return Ok(None);
        }
        let (start, slope) = (self.line.0.to_f64(), self.line.1.to_f64());
        let far = Some((epsilon.to_f64() - start) / (2.0 * slope)).filter(|far| far.is_finite() && *far > 0.0);
        let orders: Vec<Real> = match &self.one_order {
            Some((order, _)) => vec![order.clone()],
            None => {
                let far = far.and_then(Rational::from_f64).map(|above| Real::from(above + 1u32));
                listed_orders().chain(far).collect()
            }
        };
        let mut best: Option<Enclosure> = None;
        for order in &orders {
            let Some(bound) = declined(self.finite(order, Direction::Worst, bits, budget))? else { continue };
            let above = order.sub(&Real::one()).enclosure(bits);
            let shrink = above.recip().log1p();
            let exponent = &above * &(&(&bound - &epsilon.enclosure(bits)) - &shrink);
            let delta = &exponent.exp() / &order.enclosure(bits);
            best = Some(best.map_or(delta.clone(), |best| best.min(&delta)));
        }
        let (kept, failure) = (self.survival.enclosure(bits), self.failure().enclosure(bits));
        Ok(best.map(|best| &failure + &(&kept * &best)))
    }

    /// The bound of an order, rounded up.
    fn one(&self, order: &Real, budget: &Budget) -> Result<OneOrder, Error> {
        let sum = self.finite(order, Direction::Worst, SEARCH, budget)?;
        let bound = Real::from(sum.upper().to_rational().ok_or_else(|| Error::undecided(TOO_LARGE))?);
        OneOrder::new(order.clone(), bound)
    }

    /// The bound of beta at an alpha, in either direction.
    pub fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        if alpha.is_zero() {
            // What keeps the guarantee has no mass under one distribution only; what is beside it may.
            let Ends { infinite_p, infinite_q, .. } = Pair::several(self.beside.clone()).ends()?;
            let kept = |mass: &Real| Real::one().sub(mass).number(bits);
            return Ok(kept(&infinite_p).min(&kept(&infinite_q)));
        }
        // Beyond what survives the test may reject whenever nothing fails.
        match self.survival.sub(alpha).sign() {
            Some(Ordering::Less | Ordering::Equal) => return Ok(Number::zero()),
            Some(Ordering::Greater) => {}
            None => {
                return Err(Error::undecided(
                    "cannot decide whether alpha equals 1 minus the probability of an \
                                                 infinite privacy loss",
                ));
            }
        }
        let alpha = alpha.div(&self.survival)?;
        let at = |order: &Real, bits: u32| {
            self.at(order, budget, |bound| bound.beta(&|bits| alpha.enclosure(bits), bits, budget))
        };
        let found = match (self.known(), &self.one_order) {
            _ if self.is_nothing() => Real::one().sub(&alpha).enclosure(bits),
            (Known::Line, _) => {
                let (start, slope) = self.line.clone();
                Line { start, slope }.beta(&alpha, bits, budget)?
            }
            (Known::OneOrder, Some((order, _))) => at(order, bits)?,
            _ => {
                let order = good_order(&|order| Ok(-at(order, SEARCH)?.lower().to_f64()))?;
                at(&order, bits)?
            }
        };
        Ok(&self.survival.number(bits) * &Number::Enclosed(found))
    }

    /// The bound of beta at an alpha that is the best of those of listed orders, each by two outcomes.
    ///
    /// At each order it falls with the divergence, and so does the largest of them: unlike that of a good order it goes
    /// as the guarantee does. The orders do not depend on anything, and none of the list is left out unless its bound
    /// is certainly below that of another one.
    ///
    /// # Errors
    /// [`Error::Undefined`] where divergences are infinite.
    pub fn listed_beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let survives = self.survival.sub(alpha).sign() == Some(Ordering::Greater);
        if alpha.is_zero() || !survives {
            return self.beta(alpha, bits, budget);
        }
        let alpha = alpha.div(&self.survival)?;
        let at = |order: &Real, bits: u32| {
            self.at(order, budget, |bound| bound.beta(&|bits| alpha.enclosure(bits), bits, budget))
        };
        let (mut all, mut best, mut before) = (Vec::new(), None::<Float>, None::<Real>);
        for order in listed_orders() {
            budget.check()?;
            // Divergences do not fall with their order: with that of the last one the bound is no smaller.
            if let (Some(least), Some(before)) = (&best, &before) {
                let divergence = |bits: u32| self.finite(before, Direction::Worst, bits, budget);
                let most = Bound { order: order.clone(), divergence: &divergence };
                if most.beta(&|bits| alpha.enclosure(bits), SEARCH, budget)?.upper() < least {
                    continue;
                }
            }
            let rough = at(&order, SEARCH)?;
            if best.as_ref().is_none_or(|best| rough.lower() > best) {
                best = Some(rough.lower().clone());
            }
            before = Some(order.clone());
            all.push((rough, order));
        }
        let mut found: Option<Enclosure> = None;
        for (_, order) in all.iter().filter(|(rough, _)| best.as_ref().is_none_or(|best| rough.upper() >= best)) {
            let one = at(order, bits)?;
            found = Some(found.map_or(one.clone(), |found| found.max(&one)));
        }
        let found = found.ok_or_else(|| Error::undecided("no Renyi order that was tried gives a bound"))?;
        Ok(&self.survival.number(bits) * &Number::Enclosed(found))
    }

    /// The bound of the divergence of an order, of the Kullback-Leibler divergence without one.
    pub fn divergence(
        &self,
        order: Option<&Real>,
        side: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Value, Error> {
        if self.failure().is_zero() { self.renyi(order, side, bits, budget) } else { Ok(Value::Infinite) }
    }
}

fn lower(one: Real, other: &Real) -> Result<Real, Error> {
    match one.compare(other) {
        Some(Ordering::Greater) => Ok(other.clone()),
        Some(_) => Ok(one),
        None => Err(Error::undecided(format!("cannot decide which of the orders {one} and {other} is smaller"))),
    }
}

fn opposite(side: Direction) -> Direction {
    match side {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
        Direction::Worst => Direction::Worst,
    }
}

#[cfg(test)]
mod tests;
