//! Staircase mechanism (Geng and Viswanath): staircase noise on a query of sensitivity 1.
//!
//! **Pair.** P has the symmetric density `a b^k` on `[k, k+gamma)` and `a b^{k+1}` on `[k+gamma, k+1)`, `k >= 0`, with
//! `b = e^{-epsilon}` and `a = (1-b)/(2(gamma + b(1-gamma)))`, in units of the step 1; Q the same shifted by
//! `sensitivity`, an integer number of steps. The loss of one step is `epsilon`, `0` or `-epsilon`. The pair is
//! symmetric.

use std::cmp::Ordering;

use rug::Rational;

use super::catalogue::Arguments;
use super::{Argument, Domain, Entry, Mechanism, Misfit, Parameter, Presence, Real, Trend, check};
use crate::error::Error;
use crate::pair::{Discrete, Noise, Pair, one_minus_exp_neg, step_down};
use enclosure::Number;

/// What geometric and staircase noise are called together.
pub(super) const KIND: &str = "staircase or geometric mechanism";

/// Staircase mechanism with steps of length 1; the density falls by `e^-epsilon` from one step to the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Staircase {
    epsilon: Real,
    gamma: Real,
    sensitivity: u64,
}

impl Staircase {
    pub(super) const ENTRY: Entry = Entry {
        name: "staircase",
        aliases: &[],
        summary: "staircase mechanism: adds noise whose piecewise constant density falls by the factor e^-epsilon once \
                  in each unit interval",
        pair: "P = staircase density, symmetric about 0; Q(y) = P(y - sensitivity)",
        example: "staircase(epsilon=1, gamma=1/2)",
        answers: "Answers are exact.",
        parameters: &[
            Parameter {
                name: "epsilon",
                domain: Domain::Positive,
                presence: Presence::Required,
                loss: Trend::Grows,
                meaning: "logarithm of the ratio of adjacent step heights, greater than 0",
            },
            Parameter {
                name: "gamma",
                domain: Domain::Probability,
                presence: Presence::Required,
                loss: Trend::Unknown,
                meaning: "position in the unit interval at which the density falls, between 0 and 1",
            },
            Parameter {
                name: "sensitivity",
                domain: Domain::Integer { least: 0 },
                presence: Presence::Default("1"),
                loss: Trend::Grows,
                meaning: "largest change of the query between neighbouring data sets in steps, an integer of \
                          at least 0",
            },
        ],
        build: Self::build,
    };

    /// The mechanism with these parameters. Domain: `epsilon > 0`, `gamma` in `[0, 1]`, `sensitivity <= 2^63`.
    pub fn new(epsilon: Real, gamma: Real, sensitivity: u64) -> Result<Self, Error> {
        check::positive("epsilon", &epsilon)?;
        check::unit("gamma", &gamma)?;
        check::count("sensitivity", &Real::from(sensitivity))?;
        Ok(Staircase { epsilon, gamma, sensitivity })
    }

    fn build(given: &Arguments) -> Result<Mechanism, Misfit> {
        let epsilon = given.real("epsilon", 0)?;
        given.checked("epsilon", check::positive("epsilon", &epsilon))?;
        let gamma = given.real("gamma", 0)?;
        given.checked("gamma", check::unit("gamma", &gamma))?;
        let sensitivity = given.checked("sensitivity", check::count("sensitivity", &given.real("sensitivity", 1)?))?;
        Ok(Staircase { epsilon, gamma, sensitivity }.into())
    }

    /// Logarithm of the ratio of adjacent step heights.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// Position in the unit interval at which the density falls.
    pub fn gamma(&self) -> &Real {
        &self.gamma
    }

    /// Largest change of the query between neighbouring data sets, in steps.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }

    /// The pair of output distributions.
    pub(super) fn pair(&self) -> Result<Pair, Error> {
        if self.sensitivity == 0 {
            return Ok(Pair::Equal);
        }
        let half = Real::from(Rational::from((1, 2)));
        let narrow =
            self.gamma.compare(&half).ok_or_else(|| {
                Error::undecided(format!("cannot decide whether gamma = {} is below 1/2", self.gamma))
            })? == Ordering::Less;
        let Staircase { epsilon, gamma, sensitivity } = self.clone();
        let noise = Noise::Staircase { gamma: gamma.clone(), narrow };
        let masses = move |bits| masses(&epsilon, &gamma, narrow, sensitivity, bits);
        let pair = Discrete::symmetric_lattice(KIND, self.epsilon.clone(), sensitivity, masses)?;
        let Staircase { epsilon, gamma, .. } = self.clone();
        let constants = move || constants(&epsilon, &gamma, narrow, sensitivity);
        Ok(Pair::Discrete(pair.known_as(noise).with_constants(constants)))
    }

    pub(super) fn arguments(&self) -> Vec<(&'static str, Argument)> {
        vec![
            ("epsilon", Argument::Constant(self.epsilon.clone())),
            ("gamma", Argument::Constant(self.gamma.clone())),
            ("sensitivity", Argument::Constant(Real::from(self.sensitivity))),
        ]
    }
}

/// P-masses of the losses `-D eps, ..., D eps`; `narrow` says that gamma is below 1/2.
///
/// The density is `a b^s(|y|)`, `b = e^-eps`, `s(y) = floor(y) + [y - floor(y) >= gamma]`, so the loss is `eps
/// (s(|y-D|) - s(|y|))`: D below 0, -D above D, and constant on three cells of each unit between.
fn masses(epsilon: &Real, gamma: &Real, narrow: bool, sensitivity: u64, bits: u32) -> Vec<Number> {
    let one = Number::one();
    let places = sensitivity.saturating_mul(2).saturating_add(1);
    let b = step_down(epsilon, places, bits);
    let gamma = gamma.number(bits);
    let rest = &one - &gamma;
    let two = Number::Exact(2.into());
    let a = &one_minus_exp_neg(epsilon, bits) / &(&two * &(&gamma + &(&b * &rest)));
    let mut p = vec![Number::zero(); places as usize];
    let d = sensitivity as i64;
    let mut add = |step: i64, mass: Number| {
        if let Some(slot) = usize::try_from(step + d).ok().and_then(|slot| p.get_mut(slot)) {
            *slot = &*slot + &mass;
        }
    };
    let share = Number::Exact(Rational::from((1, 2)));
    add(d, share.clone());
    add(-d, &share * &b.pow(sensitivity));
    let side = if narrow { gamma.clone() } else { rest };
    let centre = &one - &(&two * &side);
    for n in 0..sensitivity {
        let level = &a * &b.pow(n);
        let next = &level * &b;
        let n = n as i64;
        add(d - 2 * n, &side * &level);
        add(d - 2 * n - 1, &centre * if narrow { &next } else { &level });
        add(d - 2 * n - 2, &side * &next);
    }
    p
}

/// The same as constants.
fn constants(epsilon: &Real, gamma: &Real, narrow: bool, sensitivity: u64) -> Result<Vec<Real>, Error> {
    let one = Real::one();
    let power = |n: u64| epsilon.mul_rational(&-Rational::from(n)).exp();
    let b = power(1)?;
    let (half, rest) = (Rational::from((1, 2)), one.sub(gamma));
    let a = one.sub(&b).div(&gamma.add(&b.mul(&rest)?))?.mul_rational(&half);
    let mut p = vec![Real::zero(); sensitivity.saturating_mul(2).saturating_add(1) as usize];
    let d = sensitivity as i64;
    let mut add = |step: i64, mass: Real| {
        if let Some(slot) = usize::try_from(step + d).ok().and_then(|slot| p.get_mut(slot)) {
            *slot = slot.add(&mass);
        }
    };
    add(d, Real::from(half.clone()));
    add(-d, power(sensitivity)?.mul_rational(&half));
    let side = if narrow { gamma.clone() } else { rest };
    let centre = one.sub(&side.mul_rational(&2.into()));
    for n in 0..sensitivity {
        let (level, next) = (a.mul(&power(n)?)?, a.mul(&power(n + 1)?)?);
        let n = n as i64;
        add(d - 2 * n, side.mul(&level)?);
        add(d - 2 * n - 1, centre.mul(if narrow { &next } else { &level })?);
        add(d - 2 * n - 2, side.mul(&next)?);
    }
    Ok(p)
}
