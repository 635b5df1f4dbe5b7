//! A parameter with which the loss goes both ways, but below a bound that goes one way; see
//! `proofs/paper/calibration.md`.
//!
//! The delta of discrete Gaussian noise at an epsilon is no monotone function of `sigma2`. Its Renyi divergences are at
//! most `a rho` at every order a, `rho = sensitivity^2/(2 sigma2)` (Canonne, Kamath and Steinke 2020, Proposition 5),
//! and that falls. So there is a value from which on all are safe, and a value below it that fails encloses the least
//! value with that property from the other side.
//!
//! Two computations search for the value: one by Renyi divergences of the whole composition, and one with the guarantee
//! `zcdp(rho)` in place of the noise. The second also works inside samples and other operators. If a guarantee meets
//! the target, so does all noise that satisfies it, with this value and with every larger one.

use std::cmp::Ordering;

use rug::float::Round;
use rug::{Float, Integer, Rational};

use super::calibrate_telling;
use super::descent::Descent;
use super::oracle::FEW;
use super::question::{Calibration, Target};
use super::scale::{GREATEST, power_of_two};
use super::search::Search;
use crate::alarm::declined;
use crate::compose::Method;
use crate::curve::{Direction, Value};
use crate::divergence::{Kind, composed};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism, Place, Template};
use crate::statement::{IMPLIED, RENYI_CONVERSION, Statement};
use crate::theorem::functional::rhos_add_up;
use crate::theorem::guarantee::Guarantee;
use enclosure::decimal::rational_bounds;
use enclosure::{Budget, Enclosure, Portable, Real};

/// Precision of the bound.
const BITS: u32 = 128;

/// Orders that are tried: `1 + 2^(k/4)`.
const ORDERS: std::ops::Range<i32> = -16..80;

/// Lines below a trade-off function that are tried.
const LINES: u32 = 12;

/// The noise, as the language has it.
const NOISE: &str = "discrete-gaussian";
/// Its parameter, and the square root of that.
const VARIANCE: &str = "sigma2";
const DEVIATION: &str = "sigma";
/// A value so close to 1 that no input has it.
const MARK: i32 = 77;
/// Digits of a guarantee's parameter.
const DIGITS: u32 = 3;

/// The mechanism with the `?`, how often it is run, and everything else; `None` where it is inside of another one or
/// nothing is known of its divergences.
fn parts(question: &Calibration, at: &Rational) -> Result<Option<(Rational, u64, Composition)>, Error> {
    let Some(rest) = question.template.without()? else { return Ok(None) };
    let all = question.template.with(Real::from(at.clone()))?;
    let count = |composition: &Composition, mechanism: &Mechanism| {
        composition.factors().iter().find(|(other, _)| other == mechanism).map_or(0, |(_, times)| *times)
    };
    let open = all.factors().iter().find(|(mechanism, times)| *times > count(&rest, mechanism));
    let Some((mechanism, times)) = open else { return Ok(None) };
    Ok(mechanism.concentration().map(|rho| (rho, times - count(&rest, mechanism), rest)))
}

/// A value that is safe together with all above it, and by what that is proven.
pub(super) struct Above {
    pub at: Rational,
    pub by: &'static Statement,
}

/// The least value that is proven to be safe together with all above it: a double.
pub(super) fn all_above(
    question: &Calibration,
    budget: &Budget,
    told: &mut dyn FnMut(&str),
) -> Result<Option<Above>, Error> {
    let converted = by_divergences(question, &budget.share((1, 4), None))?;
    let above = |by| move |at| Above { at, by };
    let mut best = converted.map(above(&RENYI_CONVERSION));
    // Intervals go on from there, wherever it is.
    if best.is_some() && Descent::new(question, &Rational::from(1), budget)?.is_some() {
        return Ok(best);
    }
    if let Some(at) = declined(by_guarantee(question, &budget.share((1, 3), None), told))?.flatten()
        && best.as_ref().is_none_or(|best| at < best.at)
    {
        best = Some(above(&IMPLIED)(at));
    }
    Ok(best)
}

/// The same with a guarantee in the place of the noise: of the greatest rho that is found to be safe.
fn by_guarantee(
    question: &Calibration,
    budget: &Budget,
    told: &mut dyn FnMut(&str),
) -> Result<Option<Rational>, Error> {
    let place = question.template.place();
    let Some((template, sensitivity)) = guaranteed(&question.template)? else { return Ok(None) };
    if question.method != Method::Auto {
        return Ok(None);
    }
    let asked = Calibration { template, digits: DIGITS, enough: DIGITS, ..question.clone() };
    let safe = calibrate_telling(&asked, budget, told)?.safe;
    let Some(rho) = safe.map(|safe| safe.value.value().clone()).filter(|rho| *rho > 0) else { return Ok(None) };
    Ok(noise_of(&rho, sensitivity, place.name() == DEVIATION))
}

/// A double that is at least the least `sigma2`, or `sigma`, of noise that keeps `rho`-zCDP.
fn noise_of(rho: &Rational, sensitivity: u64, deviation: bool) -> Option<Rational> {
    let least = Rational::from(Integer::from(sensitivity) * sensitivity) / Rational::from(rho * 2u32);
    let mut double = Float::with_val_round(f64::MANTISSA_DIGITS, &least, Round::Up).0;
    if deviation {
        double.sqrt_round(Round::Up);
    }
    double.to_rational()
}

/// The question for the rho of a guarantee in the place of the noise whose `sigma2` or `sigma` is open, and the
/// sensitivity of that; `None` where something else is open.
fn guaranteed(template: &Template) -> Result<Option<(Template, u64)>, Error> {
    let known = |name| name == VARIANCE || name == DEVIATION;
    if !matches!(template.place(), Place::Parameter(entry, one) if entry.name == NOISE && known(one.name)) {
        return Ok(None);
    }
    // No other noise has this one, so that it is found in what is written.
    let mut mark = Rational::from(1) + power_of_two(-MARK);
    let marked = template.with(Real::from(mark.clone()))?;
    // Beside a guarantee values are asked by another bound than this, which may not show what this does.
    if marked.has_guarantee() {
        return Ok(None);
    }
    let text = marked.to_string();
    if template.place().name() == DEVIATION {
        mark.square_mut();
    }
    let Some((before, rest)) = text.split_once(&format!("{NOISE}({VARIANCE}={mark}")) else { return Ok(None) };
    let Some((arguments, after)) = rest.split_once(')') else { return Ok(None) };
    let sensitivity = arguments.trim_start_matches(", sensitivity=");
    let sensitivity = if sensitivity.is_empty() { 1 } else { sensitivity.parse().unwrap_or(0) };
    if sensitivity == 0 {
        return Ok(None);
    }
    let template = declined(format!("{before}zcdp(rho=?){after}").parse::<Template>())?;
    Ok(template.map(|template| (template, sensitivity)))
}

/// Is a rho promised of discrete Gaussian noise beside what has rhos that add up? The rho of the noise falls with its
/// `sigma2`: it is `sensitivity^2/(2 sigma2)`.
pub(super) fn rho_falls(question: &Calibration) -> Result<bool, Error> {
    let place = question.template.place();
    let (Target::Zcdp { .. }, Place::Parameter(entry, _), Some(inside)) = (&question.target, place, place.inside())
    else {
        return Ok(false);
    };
    let composition = question.template.with(Real::from(inside))?;
    Ok(entry.name == NOISE
        && [VARIANCE, DEVIATION].contains(&place.name())
        && rhos_add_up(&composition.pairs()?, question.direction))
}

/// By Renyi divergences.
///
/// A target on the type II error at alpha follows from a profile: at every epsilon, beta is at least
/// `1 - delta - e^epsilon alpha`.
fn by_divergences(question: &Calibration, budget: &Budget) -> Result<Option<Rational>, Error> {
    let Some(inside) = question.template.place().inside() else { return Ok(None) };
    let Some((_, times, rest)) = parts(question, &inside)? else { return Ok(None) };
    let promises = match &question.target {
        Target::Profile { epsilon, delta } => vec![(epsilon.clone(), delta.enclosure(BITS))],
        Target::Tradeoff { alpha, beta } => {
            let (alpha, beta) = (alpha.enclosure(BITS), beta.enclosure(BITS));
            let errs = &Enclosure::one(BITS) - &beta;
            let most = (&errs / &alpha).lower().to_f64();
            // Below 0 the bounds say nothing: also from 0 on, if the most is hardly above 1.
            let parts = (0..=LINES).map(|part| f64::from(part) / f64::from(LINES + 1));
            let slopes = parts.flat_map(|part| [most * part, 1.0 + (most - 1.0).max(0.0) * part]);
            let lines = slopes.filter_map(|slope| {
                let epsilon = Real::from(Rational::from_f64(slope.portable_ln())?);
                let delta = &errs - &(&epsilon.exp_number(BITS).enclosure(BITS) * &alpha);
                Some((epsilon, delta))
            });
            lines.collect()
        }
        Target::Gdp { .. } | Target::Zcdp { .. } | Target::Renyi { .. } => return Ok(None),
    };
    let mut most: Option<Rational> = None;
    for (epsilon, delta) in &promises {
        if let Some(rho) = greatest_rho(question, epsilon, delta, &rest, budget)?
            && most.as_ref().is_none_or(|most| rho > *most)
        {
            most = Some(rho);
        }
    }
    let Some(most) = most else { return Ok(None) };
    // rho falls with the value: bisection on the bits of positive doubles, which are in their order.
    let keeps = |bits: u64| -> Result<bool, Error> {
        budget.check()?;
        let Some(at) = Rational::from_f64(f64::from_bits(bits)) else { return Ok(false) };
        Ok(parts(question, &at)?.is_some_and(|(rho, _, _)| rho * times <= most))
    };
    let (mut fails, mut safe) = (f64::MIN_POSITIVE.to_bits(), f64::MAX.to_bits());
    if !keeps(safe)? || keeps(fails)? {
        return Ok(None);
    }
    while safe - fails > 1 {
        let middle = fails + (safe - fails) / 2;
        if keeps(middle)? { safe = middle } else { fails = middle }
    }
    Ok(Rational::from_f64(f64::from_bits(safe)))
}

/// A `rho`, as great as one is found, such that delta is kept by whatever has the divergences of the rest and, beside
/// them, at most `a rho` at each order a.
///
/// At order `a = 1 + t`, a Renyi divergence of D bounds the profile by `e^(t (D - epsilon)) (1 - 1/a)^a / t` (Canonne,
/// Kamath and Steinke 2020, Proposition 12), so D may be `epsilon + (ln(delta t) + a ln(a/t))/t`. Any order will do.
fn greatest_rho(
    question: &Calibration,
    epsilon: &Real,
    level: &Enclosure,
    rest: &Composition,
    budget: &Budget,
) -> Result<Option<Rational>, Error> {
    if level.sign() != Some(Ordering::Greater) {
        return Ok(None);
    }
    let guarantee = if rest.has_guarantee() { Guarantee::of(rest)? } else { None };
    let mut best: Option<Rational> = None;
    // The lines below a trade-off function are those of the other direction.
    let both = matches!(question.target, Target::Tradeoff { .. });
    let sides: &[Direction] = match question.direction {
        _ if both => &[Direction::Forward, Direction::Backward],
        Direction::Worst => &[Direction::Forward, Direction::Backward],
        Direction::Forward => &[Direction::Forward],
        Direction::Backward => &[Direction::Backward],
    };
    for k in ORDERS {
        budget.check()?;
        let Some(less) = Rational::from_f64((f64::from(k) / 4.0).portable_exp2()) else { continue };
        let order = Rational::from(&less + 1u32);
        let at = Real::from(order.clone());
        let known = match &guarantee {
            Some(guarantee) => {
                let one = |side: &Direction| guarantee.divergence(Some(&at), *side, BITS, budget);
                sides.iter().map(one).collect::<Result<Vec<_>, _>>()?
            }
            None => {
                let divergence = composed(Kind::Renyi(at), rest)?;
                sides.iter().map(|side| divergence.value(*side, BITS, budget)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let known = known.into_iter().reduce(|one, other| one.max(&other));
        let Some(Value::Finite(known)) = known else { continue };
        let (t, a) = (Enclosure::rational(&less, BITS), Enclosure::rational(&order, BITS));
        let log = &(level * &t).ln() + &(&a * &(&a / &t).ln());
        let room = &(&epsilon.enclosure(BITS) + &(&log / &t)) - &known.enclosure(BITS);
        let Some((rho, _)) = rational_bounds(&(&room / &a)) else { continue };
        if rho > 0 && best.as_ref().is_none_or(|best| rho > *best) {
            best = Some(rho);
        }
    }
    Ok(best)
}

/// Look, below a value from which on all are safe, for one that fails. False where none is found.
pub(super) fn fails_below(search: &mut Search, safe: &Rational, budget: &Budget) -> Result<bool, Error> {
    let least = power_of_two(-GREATEST);
    let mut at = safe.clone();
    while at > least && search.fails.is_none() {
        budget.check()?;
        at /= 2u32;
        if search.look(&at, FEW)?.is_some() {
            break;
        }
    }
    Ok(search.fails.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The noise keeps the guarantee, and is the double next to what just does, or the one after it.
    #[test]
    fn noise_keeps_the_guarantee() {
        for rho in [(1, 3), (1, 7), (5, 11), (1234, 999)] {
            let rho = Rational::from(rho);
            for sensitivity in [1, 3] {
                let most = Rational::from((sensitivity * sensitivity, 2)) / &rho;
                for deviation in [false, true] {
                    let at = noise_of(&rho, sensitivity, deviation).expect("a number");
                    let sigma2 = |at: &Rational| if deviation { at.clone().square() } else { at.clone() };
                    assert!(sigma2(&at) >= most, "{rho} {sensitivity}");
                    let below = at.to_f64().next_down().next_down();
                    assert!(sigma2(&Rational::from_f64(below).expect("a number")) < most, "{rho} {sensitivity}");
                }
            }
        }
    }

    /// The guarantee stands where the noise stood, with everything else as it was.
    #[test]
    fn a_guarantee_takes_the_place_of_the_noise() {
        for (text, expected) in [
            (
                "poisson(rate=1/10, discrete-gaussian(sigma2=?))^7 * laplace(scale=2)",
                Some(("poisson(rate=1/10, mechanism=zcdp(rho=?))^7 * laplace(scale=2)", 1)),
            ),
            (
                "discrete-gaussian(sigma2=1) * group(k=2, discrete-gaussian(sigma=?, sensitivity=3)^2)",
                Some(("discrete-gaussian(sigma2=1) * group(k=2, mechanism=zcdp(rho=?)^2)", 3)),
            ),
            ("zcdp(rho=1) * discrete-gaussian(sigma2=?)", None),
            ("discrete-gaussian(sigma2=1, sensitivity=?)", None),
            ("staircase(epsilon=1, gamma=?)", None),
        ] {
            let template: Template = text.parse().expect("a template");
            let found = guaranteed(&template).expect("no error");
            let shown =
                |template: &Template| template.with(Real::from(Rational::from((1, 3)))).expect("one").to_string();
            let expected = expected
                .map(|(text, sensitivity)| (shown(&text.parse::<Template>().expect("a template")), sensitivity));
            assert_eq!(found.map(|(template, sensitivity)| (shown(&template), sensitivity)), expected, "{text}");
        }
    }
}
