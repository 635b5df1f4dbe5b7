//! The sum over large losses, its terms narrow where they matter and bounded where they do not.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;

use rug::{Integer, Rational};

use super::search::{Plan, Search, Term, log_add};
use super::{LargeLosses, MOST_DIGITS, PROFILE};
use crate::alarm::{self, declined};
use crate::compose::large_steps::law::{BOUND_BITS, rest_moment, up_to};
use crate::compose::large_steps::short;
use crate::compose::quadrature::factor::{Factor, PoissonDiscreteGaussian};
use crate::curve::Direction;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Real};

/// Precision of masses, losses and sums.
const BITS: u32 = 96;
/// Terms that are bounded one by one, at most.
const LONGEST: u64 = 30_000;
/// Terms that are evaluated, at most.
const MOST: usize = 2_000;
/// What is left out in all is so many nats below what is wanted; and below all bounds, for a first look.
const SPARE: f64 = 1.6;
const FEW: f64 = 8.0;
/// And where that shows nothing.
const DEEPER: [f64; 2] = [20.0, 40.0];
/// What is known of a term in two ways, to be told in an alarm.
const TERM: &str = "profile beside large losses";

/// Moments at one tilt.
struct Moments {
    tilt: Enclosure,
    small: Enclosure,
    rest: Enclosure,
    bands: HashMap<usize, Enclosure>,
}

/// One plan at work.
pub(super) struct Sum<'a> {
    of: &'a LargeLosses,
    plan: &'a Plan,
    small: PoissonDiscreteGaussian,
    /// Of each band the mass, and the masses and losses in it.
    bands: Vec<(Enclosure, Vec<(Enclosure, Enclosure)>)>,
    /// `A(c)`, `R(c)` and those of bands over their masses, by the tilt.
    moments: HashMap<u64, Moments>,
    epsilon: &'a Real,
    budget: &'a Budget,
}

impl<'a> Sum<'a> {
    pub fn new(of: &'a LargeLosses, plan: &'a Plan, epsilon: &'a Real, budget: &'a Budget) -> Result<Self, Error> {
        let masses = of.step.masses(plan.cut()..=plan.last(), 1, BITS)?;
        let loss = |m: i64| of.step.loss(m).map(|loss| loss.enclosure(BITS));
        let losses = (plan.cut()..=plan.last()).map(loss).collect::<Result<Vec<_>, _>>()?;
        let mut outcomes = masses.into_iter().zip(losses);
        let band = |band: &RangeInclusive<i64>| {
            let inside: Vec<_> = outcomes.by_ref().take((band.end() - band.start() + 1) as usize).collect();
            let mass = inside.iter().fold(Enclosure::zero(BITS), |sum, (mass, _)| &sum + mass);
            (mass, inside)
        };
        let bands = plan.bands.iter().map(band).collect();
        let small = of.step.before(plan.cut());
        Ok(Sum { of, plan, small, bands, moments: HashMap::new(), epsilon, budget })
    }

    #[cfg(test)]
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The profile of finite losses, to about so many digits.
    ///
    /// Its size is known once few are.
    pub fn value(&mut self, search: &Search, digits: u32) -> Result<Enclosure, Error> {
        let parts = self.plan.log_parts;
        let mut rough = self.down_to(search, parts, parts - FEW)?;
        // What counts may be far below all bounds. What is known is not lost where the time is up.
        for deeper in DEEPER {
            if !rough.lower().is_zero() {
                break;
            }
            match declined(self.down_to(search, parts, parts - deeper))? {
                Some(next) => rough = alarm::meet(&rough, &next, PROFILE)?,
                None => return Ok(rough),
            }
        }
        let log = rough.lower().clone().ln().to_f64().min(parts);
        if !log.is_finite() {
            return Ok(rough);
        }
        let target = log - f64::from(digits) * std::f64::consts::LN_10 - SPARE;
        match declined(self.down_to(search, log, target))? {
            Some(value) => alarm::meet(&rough, &value, PROFILE),
            None => Ok(rough),
        }
    }

    /// The same to an error of about this logarithm: brackets of the terms that matter, and from 0 to the bounds of
    /// all others.
    pub fn down_to(&mut self, search: &Search, size: f64, target: f64) -> Result<Enclosure, Error> {
        let listed = search.listed(self.plan, target, LONGEST);
        let mut terms = search.terms(self.plan, listed);
        terms.sort_by(|x, y| x.log.total_cmp(&y.log));
        let mut left_out = &self.beyond()? + &self.many(search, listed + 1)?;
        let mut open = f64::NEG_INFINITY;
        let mut sum = Enclosure::zero(BITS);
        let mut evaluated = 0;
        for term in terms {
            self.budget.check()?;
            let (weight, bound) = self.bound(&term)?;
            open = log_add(open, term.log);
            if open < target {
                left_out = &left_out + &bound;
                continue;
            }
            evaluated += 1;
            if evaluated > MOST {
                return Err(Error::undecided("too many large privacy losses contribute"));
            }
            let digits =
                ((term.log.min(size) - target) / std::f64::consts::LN_10).ceil().clamp(1.0, f64::from(MOST_DIGITS));
            // Both hold; where no line is found there is the bound.
            sum = match declined(self.of_runs(&term, digits as u32))? {
                Some(value) => &sum + &alarm::meet(&(&weight * &value), &bound, TERM)?,
                None => &sum + &bound,
            };
        }
        self.budget.note("sums with large losses", evaluated as u64);
        Ok(&sum + &up_to(left_out.upper()))
    }

    /// At least the mass of all that has an outcome beyond the list.
    pub fn beyond(&self) -> Result<Enclosure, Error> {
        let one = self.of.step.mass_from(self.plan.last() + 1);
        let one = one.ok_or_else(|| Error::undecided("the masses of a discrete Gaussian do not fall fast enough"))?;
        Ok(&one * &Enclosure::integer(&self.of.runs.into(), BOUND_BITS))
    }

    /// The moments at a tilt.
    fn at(&mut self, tilt: f64) -> Result<&mut Moments, Error> {
        match self.moments.entry(tilt.to_bits()) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let c = short(tilt)?;
                let small = self.small.moment(&c, BITS, self.budget)?;
                let rest = rest_moment(&self.of.rest, &c, BITS, self.budget)?;
                let bands = HashMap::new();
                Ok(place.insert(Moments { tilt: Enclosure::rational(&c, BITS), small, rest, bands }))
            }
        }
    }

    /// At least what sums of so many large losses, or more, have in the profile:
    /// `C(k,j) B^j (A + B)^(k-j) R e^(-c eps)`.
    pub fn many(&mut self, search: &Search, large: u64) -> Result<Enclosure, Error> {
        let (_, tilt) = search.many(self.plan, large);
        if large > self.of.runs {
            return Ok(Enclosure::zero(BOUND_BITS));
        }
        let Moments { tilt, small, rest, .. } = self.at(tilt)?;
        let (at, small, rest) = (tilt.clone(), small.clone(), rest.clone());
        let outcomes = self.bands.iter().flat_map(|(_, outcomes)| outcomes);
        let of_large = outcomes.fold(Enclosure::zero(BITS), |sum, (mass, loss)| &sum + &(mass * &(&at * loss).exp()));
        let ways = Integer::from(self.of.runs).binomial(u32::try_from(large).unwrap_or(u32::MAX));
        let steps = &of_large.pow(large) * &(&small + &of_large).pow(self.of.runs - large);
        let all = &(&steps * &Enclosure::integer(&ways, BITS)) * &rest;
        Ok(&all * &(-(&at * &self.epsilon.enclosure(BITS))).exp())
    }

    /// The weight of a term, the ways to choose its runs times the masses of the bands; and that times the bound of the
    /// profile beside them, `min(1, A(c)^(k-j) R(c) prod B(c) e^(-c eps))` with B over its mass.
    pub fn bound(&mut self, term: &Term) -> Result<(Enclosure, Enclosure), Error> {
        let mut weight = Enclosure::one(BITS);
        let mut alike = 0u64;
        for (place, &band) in term.bands.iter().enumerate() {
            alike = if place > 0 && term.bands[place - 1] == band { alike + 1 } else { 1 };
            let ways = Rational::from((self.of.runs - place as u64, alike));
            weight = &(&weight * &self.bands[band].0) * &Enclosure::rational(&ways, BITS);
        }
        if term.tilt == 0.0 {
            return Ok((weight.clone(), up_to(weight.upper())));
        }
        let others = self.of.runs - term.bands.len() as u64;
        let (bands, epsilon) = (std::mem::take(&mut self.bands), self.epsilon.enclosure(BITS));
        let moments = self.at(term.tilt);
        let bound = moments.map(|Moments { tilt, small, rest, bands: known }| {
            let mut bound = &(&weight * &small.pow(others)) * &*rest;
            for &band in &term.bands {
                let moment = known.entry(band).or_insert_with(|| {
                    let (mass, outcomes) = &bands[band];
                    let tilted = outcomes.iter().map(|(mass, loss)| mass * &(&*tilt * loss).exp());
                    &tilted.fold(Enclosure::zero(BITS), |sum, next| &sum + &next) / mass
                });
                bound = &bound * &*moment;
            }
            &bound * &(-(&*tilt * &epsilon)).exp()
        });
        self.bands = bands;
        let most = bound?.upper().clone().min(weight.upper());
        Ok((weight, up_to(&most)))
    }

    /// The profile of the runs of this term beside the rest. A band of one outcome moves the loss that is asked for.
    pub fn of_runs(&self, term: &Term, digits: u32) -> Result<Enclosure, Error> {
        let bands = term.bands.iter().map(|band| &self.plan.bands[*band]);
        let (single, wide): (Vec<_>, Vec<_>) = bands.cloned().partition(|band| band.start() == band.end());
        let mut left = self.epsilon.clone();
        for band in &single {
            left = left.sub(&self.of.step.loss(*band.start())?);
        }
        let others = self.of.runs - term.bands.len() as u64;
        if others == 0 && wide.is_empty() && self.of.rest.is_empty() {
            return Ok((-left.enclosure(BITS).expm1()).positive_part());
        }
        let curve = self.of.beside(self.plan.cut(), others, wide)?;
        let value = curve.known(&left, (Direction::Forward, digits), self.budget)?;
        Ok(value.positive_part())
    }
}
