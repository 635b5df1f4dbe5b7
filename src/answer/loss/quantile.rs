//! Quantiles of the privacy loss: the smallest t with `F(t) = P[L <= t] >= u`.
//!
//! F does not fall, so a bracket `F(a) < u <= F(b)` proves that the quantile lies in `(a, b]`. Of a list it is the loss
//! at which the cumulated mass reaches u. On a lattice, a search over whole multiples of the unit ends at one loss.
//! Elsewhere the bracketing root finder narrows the bracket; each sign it uses is proven by an enclosure of F.

use std::cell::RefCell;
use std::cmp::Ordering;

use rug::{Float, Integer, Rational};

use super::list::Quantile;
use super::{BITS, Context, Found, Value, atoms, closed, list};
use crate::alarm::declined;
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::LossBound;
use crate::query::Under;
use crate::statement;
use enclosure::root::bracketed_with;
use enclosure::{Budget, Enclosure, Number, Real, Reason, bits_of_digits, refine};

/// Digits of F that usually decide on which side of u it is.
const FEW: u32 = 4;

/// Digits of F that are tried at most to decide it.
const MOST: u32 = 60;

/// Largest exponent of 2 that is tried as a bound of the quantile.
const FAR: u32 = 64;

/// Largest number of atoms in a bracket that are tried.
const MOST_ATOMS: usize = 4;

/// Bits of a value of F beyond those of the quantile at first.
const SPARE: u32 = 8;

impl Context<'_> {
    /// The quantile at u; `None` if it is infinite.
    pub(super) fn quantile(
        &self,
        side: Direction,
        u: &Real,
        under: Under,
        budget: &Budget,
    ) -> Result<Option<Found>, Error> {
        let digits = self.query.digits;
        let minus_infinity = || {
            Error::Undefined(format!(
                "the quantile is minus infinity: outcomes with privacy loss minus infinity have probability at least \
                 {u}"
            ))
        };
        if let Some(known) = &self.list {
            match list::quantile(known, side, u, under) {
                Quantile::At(loss) => {
                    let value = refine(digits, budget, |bits| Ok(loss.number(bits)))?;
                    return Ok(Some(Found::exact(value, list::METHOD, &statement::LOSS_DISTRIBUTION)));
                }
                Quantile::Infinite => return Ok(None),
                Quantile::MinusInfinity => return Err(minus_infinity()),
                Quantile::Open => {}
            }
        }
        if self.query.method == crate::compose::Method::Auto
            && let Some(found) = closed::quantile(&self.product, u, under, digits, budget)?
        {
            return Ok(Some(found));
        }
        // Masses at infinity.
        let level = u.number(BITS);
        let open = || Error::undecided(format!("cannot decide whether the mass at infinity reaches {u}"));
        let infinite = self.infinite(side, under)?;
        match under {
            Under::P => {
                let kept = &Number::one() - &infinite;
                match kept.compare(&level).ok_or_else(open)? {
                    Ordering::Less => return Ok(None),
                    // No loss but the supremum has it.
                    Ordering::Equal => return self.supremum(side, digits, budget),
                    Ordering::Greater => {}
                }
            }
            Under::Q => {
                if infinite.compare(&level).ok_or_else(open)? != Ordering::Less {
                    return Err(minus_infinity());
                }
            }
        }
        if let Some((unit, shift)) = &self.lattice {
            let shift = if side == Direction::Backward { shift.neg() } else { shift.clone() };
            return self.on_lattice_of(side, (unit, &shift), u, under, budget).map(Some);
        }
        self.between(side, u, under, budget).map(Some)
    }

    /// The mass at plus infinity under the first distribution, or at minus infinity under the second one.
    fn infinite(&self, side: Direction, under: Under) -> Result<Number, Error> {
        let of_p = (side == Direction::Backward) != (under == Under::P);
        let mut kept = Number::one();
        for (ends, times) in self.product.ends()? {
            let mass = if of_p { &ends.infinite_p } else { &ends.infinite_q };
            if !mass.is_zero() {
                kept = &kept * &(&Number::one() - &mass.number(BITS)).pow(times);
            }
        }
        Ok(&Number::one() - &kept)
    }

    /// The supremum of the losses; `None` if they are unbounded.
    fn supremum(&self, side: Direction, digits: u32, budget: &Budget) -> Result<Option<Found>, Error> {
        match self.range.as_ref().map(|range| range.side(side).largest) {
            Some(LossBound::At(loss)) => {
                let value = refine(digits, budget, |bits| Ok(loss.number(bits)))?;
                Ok(Some(Found::exact(value, "range of the losses", &statement::LOSS_DISTRIBUTION)))
            }
            Some(LossBound::Unbounded) => Ok(None),
            _ => Err(Error::undecided("the largest privacy loss is unknown")),
        }
    }

    /// The order of a value and u.
    fn order(&self, value: &Value, u: &Real, budget: &Budget) -> Result<Side, Error> {
        let mut digits = FEW;
        loop {
            let level = u.number(BITS.max(bits_of_digits(digits).saturating_add(64)));
            let found = self.probability(value, digits, Some(&level), budget)?;
            if let Some(order) = found.value.compare(&level) {
                return Ok(Side { order, method: found.method });
            }
            if digits >= MOST || found.reason.is_some() {
                let reason = found.reason.unwrap_or_else(|| {
                    Reason::from(format!("{MOST} digits do not separate the distribution function from {u}"))
                });
                return Err(Error::Undecided(reason));
            }
            digits = digits.saturating_mul(2).min(MOST);
        }
    }

    /// Whole numbers a < b of steps with `F(a) < u <= F(b)` for the losses that they mean.
    fn steps(
        &self,
        loss: &dyn Fn(&Integer) -> Real,
        decided: &dyn Fn(&Real) -> Result<Side, Error>,
    ) -> Result<(Integer, Integer), Error> {
        let reaches = |step: &Integer| Ok::<bool, Error>(decided(&loss(step))?.order != Ordering::Less);
        let zero = Integer::new();
        let up = !reaches(&zero)?;
        let mut last = zero;
        for exponent in 0..FAR {
            let power = Integer::from(Integer::u_pow_u(2, exponent));
            let next = if up { power } else { -power };
            if reaches(&next)? == up {
                return Ok(if up { (last, next) } else { (next, last) });
            }
            last = next;
        }
        Err(Error::undecided(format!("the absolute value of the quantile exceeds 2^{}", FAR - 1)))
    }

    /// The quantile on a lattice of losses: one of them.
    fn on_lattice_of(
        &self,
        side: Direction,
        (unit, shift): (&Real, &Real),
        u: &Real,
        under: Under,
        budget: &Budget,
    ) -> Result<Found, Error> {
        let loss = |step: &Integer| shift.add(&unit.mul_rational(&Rational::from(step)));
        let method = RefCell::new(String::new());
        let decided = |t: &Real| {
            let found = self.order(&Value::up_to(side, t, under), u, budget)?;
            method.replace(found.method.clone());
            Ok(found)
        };
        let (mut low, mut high) = self.steps(&loss, &decided)?;
        while Integer::from(&high - &low) > 1 {
            let middle = Integer::from(&low + &high) / 2u32;
            // Of a difference that is not even, the division truncates toward 0, and may be an end.
            let middle = if middle <= low || middle >= high { Integer::from(&low + 1u32) } else { middle };
            match decided(&loss(&middle)) {
                Ok(found) if found.order == Ordering::Less => low = middle,
                Ok(_) => high = middle,
                Err(Error::Undecided(reason)) => {
                    let set = |step: &Integer| loss(step).enclosure(BITS);
                    let value = Number::Enclosed(set(&low).hull(&set(&high)));
                    let statement = &statement::LOSS_DISTRIBUTION;
                    return Ok(Found { value, method: method.into_inner(), statement, reason: Some(reason) });
                }
                Err(other) => return Err(other),
            }
        }
        let quantile = loss(&high);
        let value = refine(self.query.digits, budget, |bits| Ok(quantile.number(bits)))?;
        Ok(Found { value, method: method.into_inner(), statement: &statement::LOSS_DISTRIBUTION, reason: None })
    }

    /// The quantile where losses may be anywhere: a bracket.
    fn between(&self, side: Direction, u: &Real, under: Under, budget: &Budget) -> Result<Found, Error> {
        let method = RefCell::new(String::new());
        let decided = |t: &Real| {
            let found = self.order(&Value::up_to(side, t, under), u, budget)?;
            method.replace(found.method.clone());
            Ok(found)
        };
        let (low, high) = self.steps(&|step| Real::from(Rational::from(step)), &decided)?;
        // The best bracket so far, for an answer where the search does not end.
        let best = RefCell::new((Rational::from(&low), Rational::from(&high)));
        let mut reason = None;
        let mut bits = bits_of_digits(self.query.digits).saturating_add(SPARE);
        for _ in 0..3 {
            let (from, to) = best.borrow().clone();
            let width = Float::with_val_round(64, Rational::from(&to - &from), rug::float::Round::Up).0;
            let value = |x: &Rational, bits: u32| -> Result<Number, Error> {
                let t = Rational::from(&from + x);
                let level = u.number(bits.max(BITS));
                let asked = Value::up_to(side, &Real::from(t.clone()), under);
                let digits = (f64::from(bits) * std::f64::consts::LOG10_2).ceil() as u32;
                let most = MOST.saturating_add(self.query.digits);
                let found = self.probability(&asked, digits.clamp(FEW, most), Some(&level), budget)?;
                let difference = &level - &found.value;
                match difference.sign() {
                    Some(Ordering::Greater) => learn(&best, &t, true),
                    Some(_) => learn(&best, &t, false),
                    None if found.reason.is_some() || digits > most => {
                        return Err(Error::Undecided(found.reason.unwrap_or_else(|| {
                            "the distribution function is \
                                                                                    proven to no more digits"
                                .into()
                        })));
                    }
                    None => {}
                }
                method.replace(found.method);
                Ok(difference)
            };
            match bracketed_with(&width, true, bits, SPARE, budget, value) {
                Ok(_) => {}
                Err(Error::Undecided(why)) => {
                    reason = Some(why);
                    break;
                }
                Err(other) => return Err(other),
            }
            let proven = bracket(&best);
            if proven.relative_bits() >= Some(i64::from(bits_of_digits(self.query.digits))) {
                break;
            }
            bits = bits.saturating_add(32);
        }
        if let Some(found) = self.at_atom(side, &best.borrow(), u, under, budget)? {
            return Ok(found);
        }
        let value = Number::Enclosed(bracket(&best));
        Ok(Found { value, method: method.into_inner(), statement: &statement::LOSS_DISTRIBUTION, reason })
    }
}

impl Context<'_> {
    /// The quantile, if it is an atom in a bracket: a loss t with `P[L < t] < u <= P[L <= t]`.
    fn at_atom(
        &self,
        side: Direction,
        (low, high): &(Rational, Rational),
        u: &Real,
        under: Under,
        budget: &Budget,
    ) -> Result<Option<Found>, Error> {
        let ends = (&Real::from(low.clone()), &Real::from(high.clone()));
        let all = atoms::between(&self.product, side, ends, budget)?;
        for atom in all.iter().take(MOST_ATOMS) {
            let Some(up_to) = declined(self.order(&Value::up_to(side, atom, under), u, budget))? else { continue };
            if up_to.order == Ordering::Less {
                continue;
            }
            let below = declined(self.order(&Value::below(side, atom, under), u, budget))?;
            if below.is_some_and(|below| below.order == Ordering::Less) {
                let value = refine(self.query.digits, budget, |bits| Ok(atom.number(bits)))?;
                let statement = &statement::LOSS_DISTRIBUTION;
                return Ok(Some(Found { value, method: up_to.method, statement, reason: None }));
            }
        }
        Ok(None)
    }
}

/// The order of a value of the distribution function and a level.
struct Side {
    order: Ordering,
    method: String,
}

/// Narrow a bracket by a point at which F is below u, or is not.
fn learn(best: &RefCell<(Rational, Rational)>, t: &Rational, below: bool) {
    let mut best = best.borrow_mut();
    if below && *t > best.0 {
        best.0.clone_from(t);
    } else if !below && *t < best.1 {
        best.1.clone_from(t);
    }
}

fn bracket(best: &RefCell<(Rational, Rational)>) -> Enclosure {
    let best = best.borrow();
    let bits = BITS.max(best.0.denom().significant_bits().max(best.1.denom().significant_bits()) + 64);
    Enclosure::rational(&best.0, bits).hull(&Enclosure::rational(&best.1, bits))
}
