//! The order of attempts at an answer, and what each may take.
//!
//! A closed form, a short list or a short lattice is evaluated first, before any other engine is prepared. The rest of
//! this module handles the queries that these leave open.
//!
//! If the profile is tiny, Chernoff's bound is recorded, which costs next to nothing. Then the engines run.
//!
//! With a requested number of digits, the engines get a part of the work; then methods that are likely to prove the
//! default digits, so that a short budget still returns these; then the engines get all the rest.
//!
//! With default digits, the engines first try the default number briefly. Then the methods that are likely to prove few
//! digits quickly are tried in turn, each for a small part of the work. If these digits are proven, that is the answer.
//! Otherwise everything is tried again with more work; if nothing is proven yet, after grids.
//!
//! All bounds proven on the way are recorded. If nothing is proven, grids of more points and bounds that need no engine
//! enclose the answer.

use std::collections::VecDeque;

use super::evaluate::{Attempt, Found};
use super::proven::Proven;
use super::weighted::{self, Weighted};
use super::{Answer, Outcome, by_steps, fits, general, guarantee, noise};
use crate::alarm::{self, declined};
use crate::compose::{Engines, Method, Rough};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::number::{Fraction, Interval};
use crate::pair::Pair;
use crate::query::{Quantity, Query};
use crate::theorem::guarantee::Guarantee;
use enclosure::{Budget, Number, Reason, Work};

#[cfg(test)]
mod tests;

/// Work of the default search.
const PATIENCE: Work = Work::seconds(8);

/// Additional work for all bounds together.
const AFTER: Work = Work::seconds(1);

/// Work of bounds by the parts. Bounds by Renyi divergences, which are computed if nothing else is known, get
/// half of it.
const LAST: Work = Work::seconds(2);

/// Work of bounds by the moments of the parts, which need some values of each trade-off function.
const CUBES: Work = Work::seconds(8);

/// A result short of the default by at most this number of digits counts as nearly complete.
const NEARLY: u32 = 2;

/// Largest number of digits that brackets are used for.
const FEW: u32 = 8;

/// Digits that are usually cheap; returned even when more were requested.
const USUAL: u32 = 6;

/// Digits requested from engines that answer a separate query for each value of the mechanism inside.
const FEWEST: u32 = 3;

/// Digits computed from all nodes up to a limit.
const SWEPT: u32 = 10;

/// Largest number of digits far from the centre if the integrand never decays.
const FAR: u32 = 16;

/// Requests for more digits than this start with few digits, which are cheap in comparison.
const MANY: u32 = 200;

/// Digits that even fine grids rarely exceed. A default query does not wait for more.
const GRIDS_PROVE: u32 = 5;

/// Digits tried in turn if grids are selected as the method and refuse more.
const GRIDS_ALONE: [u32; 4] = [8, 6, 4, 2];

/// Numbers of grid points, as powers of two, if the engines prove nothing at first. Also the part of the work for each
/// grid: if no engine lacked work or memory, and if one did, which may do better with more.
const FALL_BACK: [u32; 3] = [16, 18, 20];
const REFUSED: [(u32, u32); 3] = [(1, 3), (1, 2), (3, 4)];
const IN_WANT: [(u32, u32); 3] = [(1, 6), (1, 6), (1, 4)];

/// From this many digits on the default number is proven first, in a small part of the work.
const LONG: u32 = 1000;

/// The most digits, and the most different mechanisms, of a question that is answered on the calling thread.
const LIGHT_DIGITS: u32 = 300;
const LIGHT_FACTORS: usize = 4;

/// The most bits of working precision on the calling thread.
const LIGHT_BITS: u32 = 4096;

/// Why a fit has fewer digits than requested.
const TAILS: &str = "the known bounds on the trade-off function near 0 and 1 prove no more digits of the fit";

/// A method to try.
#[derive(Clone, Copy)]
enum Means {
    /// The engines, for this number of digits, before anything else. Their reason for failing is not reported.
    Glance(u32),
    /// The engines, for this number of digits.
    Engines(u32),
    /// What encloses the answer, with few digits or with none.
    Bracket(Rough),
}

/// An attempt, and the part of the work that is left for it.
type Step = (Means, (u32, u32));

/// The first attempt at a question; most of the work is its own where that of an engine is `counted`.
fn first(query: &Query, (far, large, lasting): (bool, bool, bool), counted: bool) -> Step {
    let digits = query.digits;
    if query.enough < digits {
        // Where nothing decays few digits are there sooner than all of them, mostly.
        (Means::Glance(digits), (1, if lasting { 18 } else { 10 }))
    } else if counted {
        (Means::Glance(digits), (3, 4))
    } else if far {
        // Lists and closed forms mostly are there within that, if they are.
        (Means::Glance(digits), (1, 4))
    } else if large || digits <= FAR {
        (Means::Glance(digits), (1, 8))
    } else if digits > MANY {
        (Means::Glance(Query::DEFAULT_DIGITS), (1, 4))
    } else {
        (Means::Engines(digits), (1, 1))
    }
}

/// The others; `lasting` where the integrand of a contour never decays, `large` where steps may be large or small.
///
/// Each gives up early where it has little hope, which is why the short attempts are many. What costs the engines much
/// once costs them much again: they are asked anew soon only if their integrand decays, so that fewer digits are fewer
/// nodes.
fn others(query: &Query, (far, large, lasting): (bool, bool, bool)) -> Vec<Step> {
    let (digits, few) = (query.digits, query.enough.min(FEW));
    let by_default = query.enough < digits;
    let many = !by_default && digits > FEW;
    let bracket = |how, part| (Means::Bracket(how), part);
    let mut steps = Vec::new();
    if large {
        steps.push(bracket(Rough::LargeSteps(digits), (2, 3)));
    }
    if large && many && digits <= MANY {
        steps.push((Means::Engines(digits), (1, 1)));
    }
    if far {
        // What looks at all nodes soon knows whether it has any hope, and reaches farther than what evaluates them. Few
        // digits are there soon, if they are.
        steps.extend([bracket(Rough::AlmostPeriodic(FEW), (1, 8)), bracket(Rough::Majorized(USUAL), (1, 5))]);
        steps.push(bracket(Rough::AlmostPeriodic(digits), (7, 8)));
        steps.extend([bracket(Rough::Swept(digits), (3, 4)), (Means::Engines(digits), (1, 1))]);
    } else if many && digits <= FAR {
        steps.extend([bracket(Rough::Majorized(USUAL), (1, 8)), (Means::Engines(digits), (1, 1))]);
    } else if many {
        // The engines had their part, or have what the others leave of it.
    } else if lasting {
        steps.extend([
            bracket(Rough::Majorized(few), (1, 5)),
            bracket(Rough::Polygons(few), (1, 2)),
            bracket(Rough::AlmostPeriodic(FEW), (1, 10)),
            bracket(Rough::Grid(1 << 12), (1, 16)),
            bracket(Rough::Majorized(few), (1, 2)),
            bracket(Rough::Swept(SWEPT), (1, 2)),
            bracket(Rough::LargeLosses(few), (1, 2)),
            bracket(Rough::AlmostPeriodic(FEW), (1, 2)),
        ]);
    } else {
        steps.extend([
            bracket(Rough::Polygons(few), (3, 4)),
            bracket(Rough::Majorized(few), (1, 8)),
            (Means::Engines(query.enough), (1, 3)),
            bracket(Rough::Majorized(few), (1, 3)),
            bracket(Rough::Grid(1 << 12), (1, 16)),
        ]);
    }
    if many {
        steps.extend([
            bracket(Rough::Polygons(FEW), (1, 2)),
            bracket(Rough::Majorized(FEW), (1, 2)),
            bracket(Rough::Grid(1 << 12), (1, 2)),
        ]);
    } else {
        steps.push(bracket(Rough::Majorized(few), (1, 2)));
    }
    if by_default {
        steps.extend([(Means::Engines(digits), (1, 2)), (Means::Engines(query.enough), (3, 4))]);
    } else if !many || digits > MANY {
        steps.push((Means::Engines(digits), (1, 1)));
    }
    steps.extend([14, 16, 18, 20, 22].map(|points| bracket(Rough::Grid(1 << points), (1, 2))));
    if query.method == Method::Grid {
        // Grids refuse at once what is out of their reach; fewer digits are not.
        let fewer = GRIDS_ALONE.into_iter().filter(|fewer| *fewer < digits);
        steps.extend(fewer.map(|fewer| (Means::Engines(fewer), (1, 2))));
    }
    steps
}

/// The answer to a question of the composition of these engines.
pub(super) fn evaluated(engines: &Engines, query: &Query, budget: &Budget, proven: &Proven) -> Result<Answer, Error> {
    #[cfg(test)]
    assert!(query.id.as_deref() != Some(super::SLIP), "a slip, made for a test");
    if query.quantity.of_curve()
        && let Some(answer) = at_hand(engines, query, budget, proven)?
    {
        return Ok(answer);
    }
    let early = leaving_some(query, budget);
    let by_default = query.enough < query.digits;
    let patient = if by_default { early.by_default(PATIENCE) } else { early };
    let weighted = if query.quantity.of_curve() { weighted::weighted(engines.mechanism()) } else { Ok(None) };
    match weighted.and_then(|weighted| match weighted {
        Some(curve) => Ok(Some(Promise::Weighted(curve))),
        None => Ok(Guarantee::of(engines.mechanism())?.map(Promise::Whole)),
    }) {
        Ok(None) => {}
        Ok(Some(_)) | Err(Error::Undefined(_)) if query.quantity == Quantity::GaussianFit => {
            return match fits::enough(query, &patient, proven) {
                Ok(found) => decided(query, found),
                Err(Error::Undefined(reason)) => Ok(Answer::from(Outcome::Undefined(reason))),
                Err(Error::Undecided(reason)) => proven.answer(query, reason),
                Err(other) => Err(other),
            };
        }
        Ok(Some(found)) => return promised(engines, &found, query, &patient, proven),
        Err(Error::Undefined(reason)) => return Ok(Answer::from(Outcome::Undefined(reason))),
        Err(Error::Undecided(reason)) => return proven.answer(query, reason),
        Err(other) => return Err(other),
    }
    let attempt = |digits| Attempt { engines, query, digits, proven };
    declined(attempt(query.digits).bound(false, &patient))?;
    let far = is_far(engines, query, &patient)?;
    let mut reason: Option<Reason> = None;
    let large = if query.method == Method::Auto && query.quantity.of_curve() {
        declined(engines.rough(Rough::LargeSteps(query.digits), &patient))?.flatten()
    } else {
        None
    };
    let apt = |curve: &dyn Curve| match &query.quantity {
        // The other way round what is above may be nothing, exactly.
        Quantity::Delta { epsilon } => query.direction != Direction::Backward && curve.is_apt(epsilon, &patient),
        _ => false,
    };
    let apt = large.as_deref().is_some_and(apt);
    let large = large.is_some();
    let lasting = far || is_lasting(engines, query, &patient)?;
    let counted = far && engines.has_polynomials(&patient);
    let mut steps = VecDeque::from([first(query, (far, large, lasting), counted)]);
    if apt {
        steps.push_front((Means::Bracket(Rough::LargeSteps(query.digits)), (1, 2)));
    }
    if lasting && far_jumps(engines, query, &patient)? {
        if query.enough > USUAL {
            steps.push_front((Means::Bracket(Rough::LargeLosses(query.enough.min(FEW))), (1, 2)));
        }
        steps.push_front((Means::Bracket(Rough::LargeLosses(query.enough.min(USUAL))), (1, 2)));
    }
    // Grids, all that the engines have there but contours of many nodes, take long for no digits.
    if query.method == Method::Auto && query.quantity.of_curve() && engines.seeks_profiles() {
        let few = query.enough.min(FEW);
        steps.push_front((Means::Bracket(Rough::Polygons(few)), (1, 2)));
        if lasting {
            steps.push_front((Means::Bracket(Rough::Majorized(few)), (1, 5)));
        }
    }
    let (mut begun, mut fresh) = (false, true);
    let mut kept: Option<Found> = None;
    while let Some((means, part)) = steps.pop_front() {
        let share = patient.share(part, None);
        let known = proven.digits(query)?;
        match means {
            Means::Bracket(how) => bracketed(&attempt(query.digits), how, &share)?,
            // Some digits are known: the others are sought, and no more than these.
            Means::Engines(digits) if digits > query.enough && (1..query.enough).contains(&known) => {}
            // As many digits are known.
            Means::Engines(digits) if query.method == Method::Grid && digits <= known => {}
            Means::Glance(digits) | Means::Engines(digits) => match attempted(&attempt(digits), &share) {
                // Once more with all the work that is left.
                Ok(found) if found.wants_time() && kept.is_none() && patient.check().is_ok() => {
                    kept = Some(found);
                    steps.push_front((Means::Engines(digits), (1, 1)));
                    continue;
                }
                Ok(found) if digits >= query.enough || found.is_exact() => return decided(query, found),
                // Few digits, to have something.
                Ok(_) => {}
                Err(Error::Undefined(reason)) => return Ok(Answer::from(Outcome::Undefined(reason))),
                Err(Error::Undecided(_)) if kept.is_some() => break,
                Err(Error::Undecided(why)) => {
                    told(&attempt(query.digits), &patient)?;
                    if let Some((value, by)) = general::far_below_zero(query, budget)? {
                        return decided(query, Found::new(value, by));
                    }
                    if let Means::Engines(digits) = means {
                        let few = by_default && digits <= query.enough;
                        if few && std::mem::take(&mut fresh) && proven.digits(query)? == 0 {
                            let parts = if why.limits().next().is_none() { REFUSED } else { IN_WANT };
                            for (points, part) in FALL_BACK.into_iter().zip(parts).rev() {
                                steps.push_front((Means::Bracket(Rough::Grid(1 << points)), part));
                            }
                            if engines.seeks_profiles() {
                                steps.push_front((Means::Engines(FEWEST), (1, 3)));
                            }
                        }
                        reason.get_or_insert(why);
                    }
                }
                // Malformed questions, and mistakes of ours.
                Err(other) => return Err(other),
            },
        }
        let known = proven.digits(query)?;
        // Large steps have all digits, if any: nobody who asked for none is content with few before they are tried.
        let coming = large && !apt && !begun && by_default;
        if known >= if coming { query.digits.saturating_sub(NEARLY) } else { query.enough } {
            break;
        }
        if !begun {
            begun = true;
            declined(attempt(query.digits).bound(true, &patient))?;
            steps.extend(others(query, (far, large, lasting)));
        }
    }
    if let Some(found) = kept {
        return decided(query, found);
    }
    let after = if by_default { afterwards(budget, &patient) } else { budget.clone() };
    if !by_default && query.digits > FEW {
        fewer(&attempt(USUAL), &after)?;
    }
    if query.method == Method::Auto && proven.digits(query)? == 0 {
        general::cubes(query, &after.patient(CUBES), proven)?;
        general::record(query, &after.patient(LAST).share((1, 2), None), proven)?;
        by_steps::record(query, &after.patient(LAST), proven)?;
    }
    if proven.digits(query)? < query.enough {
        fits::record(query, &after.patient(LAST), proven)?;
        fits::by_distance(query, &after.patient(LAST), proven)?;
        noise::record(query, &after.patient(LAST), proven)?;
    }
    let answer = proven.answer(query, reason.unwrap_or_else(|| "no method was tried".into()))?;
    fits::with_gap(answer, query, &after)
}

/// The budget of all final bounds together, with default digits: the rest of the default work, and a little more.
fn afterwards(budget: &Budget, patient: &Budget) -> Budget {
    budget.patient(patient.remaining().unwrap_or_default() + AFTER)
}

/// Record the digits of the default, so that a query for more digits returns at least these if there is work left.
fn fewer(attempt: &Attempt, budget: &Budget) -> Result<(), Error> {
    let query = attempt.query;
    if query.method != Method::Auto || !query.quantity.of_curve() {
        return Ok(());
    }
    bracketed(attempt, Rough::Majorized(attempt.digits), &budget.share((2, 3), None))?;
    if attempt.proven.digits(query)? < attempt.digits && budget.check().is_ok() {
        declined(attempt.engines(&budget.share((2, 3), None)))?;
    }
    Ok(())
}

/// The answer by a closed form, a short list or a short lattice: nothing is prepared for another engine before.
/// `None` if there is none of these, or if it does not decide the question in its share of the work.
///
/// More digits than [`LONG`] may take longer than the budget allows: the default number is recorded first.
fn at_hand(engines: &Engines, query: &Query, budget: &Budget, proven: &Proven) -> Result<Option<Answer>, Error> {
    #[cfg(test)]
    assert!(query.id.as_deref() != Some(super::SLIP), "a slip, made for a test");
    if query.method != Method::Auto || query.mechanism.has_guarantee() {
        return Ok(None);
    }
    // If this fails, it is tried again with more work, after the bounds.
    let share = if query.enough < query.digits {
        budget.by_default(PATIENCE).share((1, 10), None)
    } else {
        budget.share(if query.digits > MANY { (1, 2) } else { (1, 8) }, None)
    };
    let attempt = |digits| Attempt { engines, query, digits, proven }.at_hand(&share);
    let found = if query.digits > LONG && query.quantity.of_curve() {
        match attempt(Query::DEFAULT_DIGITS) {
            Ok(Some(few)) if !few.is_exact() => attempt(query.digits),
            found => found,
        }
    } else {
        attempt(query.digits)
    };
    match found {
        Ok(Some(found)) => decided(query, found).map(Some),
        Ok(None) => Ok(None),
        Err(Error::Undefined(reason)) => Ok(Some(Answer::from(Outcome::Undefined(reason)))),
        Err(other) => Err(other),
    }
}

/// The answer of the engine at hand on the calling thread, which cannot be interrupted; `None` where the work might be
/// more than some milliseconds.
///
/// The parameters and the point are short constants, the digits are at most [`LIGHT_DIGITS`] and the precision at most
/// [`LIGHT_BITS`], and the engine evaluates a formula or a few terms.
pub(super) fn light(
    engines: &Engines,
    query: &Query,
    budget: &Budget,
    proven: &Proven,
) -> Result<Option<Answer>, Error> {
    if !is_light(engines, query) {
        return Ok(None);
    }
    at_hand(engines, query, &budget.clone().with_max_bits(LIGHT_BITS), proven)
}

/// Is the work of the engine at hand small, whatever the parameters are?
fn is_light(engines: &Engines, query: &Query) -> bool {
    let point = match &query.quantity {
        Quantity::Delta { epsilon } => epsilon.is_short(),
        Quantity::Epsilon { delta } => delta.is_short(),
        Quantity::Beta { alpha } => alpha.is_short(),
        Quantity::Renyi { order } => order.is_short(),
        Quantity::Tv | Quantity::Kl | Quantity::Chi2 | Quantity::Max => true,
        _ => false,
    };
    let short = point && query.digits <= LIGHT_DIGITS && query.mechanism.is_short(LIGHT_FACTORS);
    short && engines.is_light()
}

/// The budget without what the bounds want that are sought last, where there are such.
fn leaving_some(query: &Query, budget: &Budget) -> Budget {
    let curve = query.method == Method::Auto && query.quantity.of_curve();
    let sought = curve || query.quantity == Quantity::GaussianFit;
    let most = match query.quantity {
        Quantity::Functional(cube) if cube.is_cube() && query.mechanism.pairs().is_ok_and(is_hard) => CUBES,
        _ if sought => LAST,
        _ => return budget.clone(),
    };
    match budget.remaining() {
        Some(left) if !left.is_none() => budget.share((1, 1), Some(left - most.min(left / 4))),
        _ => budget.clone(),
    }
}

/// Is it a composition with parts that may be known by values of their trade-off functions alone?
fn is_hard(pairs: Vec<(Pair, u64)>) -> bool {
    let several = pairs.iter().map(|(_, times)| *times).fold(0, u64::saturating_add) > 1;
    several && pairs.iter().any(|(pair, _)| matches!(pair, Pair::Derived(_) | Pair::Shuffled(_)))
}

/// Whether the query requests more than a few digits, but no more than are possible far from the centre, for a
/// composition whose integrand never decays.
fn is_far(engines: &Engines, query: &Query, budget: &Budget) -> Result<bool, Error> {
    let asked = query.enough == query.digits && query.digits > FEW && query.digits <= FAR;
    Ok(asked && is_lasting(engines, query, budget)?)
}

/// Is there a contour for it, along which the integrand never decays?
fn is_lasting(engines: &Engines, query: &Query, budget: &Budget) -> Result<bool, Error> {
    if query.method != Method::Auto || !query.quantity.of_curve() {
        return Ok(false);
    }
    Ok(declined(engines.rough(Rough::AlmostPeriodic(FEW), budget))?.flatten().is_some())
}

/// Are there samples of discrete noise whose large losses, one by one, say more than any contour?
fn far_jumps(engines: &Engines, query: &Query, budget: &Budget) -> Result<bool, Error> {
    let Quantity::Delta { epsilon } = &query.quantity else { return Ok(false) };
    if query.method != Method::Auto || query.direction == Direction::Backward {
        return Ok(false);
    }
    let curve = declined(engines.rough(Rough::LargeLosses(query.enough.min(FEW)), budget))?.flatten();
    Ok(curve.is_some_and(|curve| curve.is_apt(epsilon, budget)))
}

/// The form of the bounds for a composition that contains guarantees.
enum Promise {
    /// One guarantee of all of it.
    Whole(Guarantee),
    /// A mixture, by its parts.
    Weighted(Weighted),
}

/// Of parts of which no bound of all orders is known there is none of the whole.
fn no_whole(error: Error) -> Result<Option<Guarantee>, Error> {
    match error {
        Error::Undefined(_) => Ok(None),
        other => Err(other),
    }
}

/// The answer about a guarantee; if that is none, what is true of all bounds.
fn promised(
    engines: &Engines,
    found: &Promise,
    query: &Query,
    budget: &Budget,
    proven: &Proven,
) -> Result<Answer, Error> {
    if query.method != Method::Auto {
        return Err(Error::input("a guarantee supports only the default method; omit the method"));
    }
    let mut reason: Option<Reason> = None;
    let whole = match found {
        Promise::Whole(_) => None,
        // What follows from the worst part is a bound as well, where the parts together are not bounded.
        Promise::Weighted(_) => declined(Guarantee::of(engines.mechanism()).or_else(no_whole))?.flatten(),
    };
    let fewer = (query.enough < query.digits).then_some((query.enough, (1, 1)));
    let all = (query.digits, if fewer.is_some() { (1, 2) } else { (1, 1) });
    // Beside many digits a few cost nothing, and are there if those are not.
    let first = (query.enough > FAR).then_some((USUAL, (1, 4)));
    for (digits, part) in first.into_iter().chain([all]).chain(fewer) {
        let share = budget.share(if whole.is_some() { (1, 2) } else { part }, None);
        let answered = match found {
            Promise::Whole(guarantee) => guarantee::answered(guarantee, query, digits, &share),
            Promise::Weighted(curve) => {
                let attempt = Attempt { engines, query, digits, proven };
                let value = attempt.curve(curve, &share);
                value.map(|value| Found::new(value, (curve.method(), curve.statement())))
            }
        };
        match answered {
            Ok(found) if digits < query.enough && !found.is_exact() => {
                proven.record(&query.quantity, query.direction, &found.value, found.by)?;
            }
            Ok(found) => return decided(query, found),
            Err(Error::Undefined(reason)) => return Ok(Answer::from(Outcome::Undefined(reason))),
            Err(Error::Undecided(why)) => _ = reason.get_or_insert(why),
            Err(other) => return Err(other),
        }
    }
    if let Some(guarantee) = &whole {
        match guarantee::answered(guarantee, query, query.enough, budget) {
            Ok(found) => return decided(query, found),
            Err(Error::Undecided(_) | Error::Undefined(_)) => {}
            Err(other) => return Err(other),
        }
    }
    general::certain(query, proven)?;
    let guarantee = if let Promise::Whole(guarantee) = found { Some(guarantee) } else { whole.as_ref() };
    if let Some(guarantee) = guarantee {
        guarantee::record(guarantee, query, budget, proven)?;
    }
    proven.answer(query, reason.unwrap_or_else(|| "no method was tried".into()))
}

/// One attempt.
fn attempted(attempt: &Attempt, budget: &Budget) -> Result<Found, Error> {
    if let Some(found) = attempt.divergence(budget)? {
        return Ok(found);
    }
    match attempt.apart(budget)? {
        Some(found) => Ok(found),
        None => attempt.engines(budget),
    }
}

/// Record what this proves, while digits are wanted and there is work left.
fn bracketed(attempt: &Attempt, how: Rough, budget: &Budget) -> Result<(), Error> {
    let query = attempt.query;
    let wanted = match how {
        Rough::Grid(_) if query.enough < query.digits => GRIDS_PROVE.min(query.enough),
        Rough::Grid(_) => query.enough,
        Rough::LargeSteps(digits) => digits,
        // Far out whatever is asked for is sought.
        Rough::AlmostPeriodic(digits) | Rough::Swept(digits) => query.enough.min(digits),
        Rough::Majorized(digits) | Rough::LargeLosses(digits) => query.enough.min(digits),
        _ => query.enough.min(FEW),
    };
    let known = attempt.proven.digits(query)?;
    // By a method by name there is nothing but what that proves.
    if query.method != Method::Auto || !query.quantity.of_curve() || known >= wanted || budget.check().is_err() {
        return Ok(());
    }
    if let Some(curve) = declined(attempt.engines.rough(how, budget))?.flatten() {
        declined(attempt.once(curve.as_ref(), budget))?;
    }
    Ok(())
}

/// Record what grids proved before they refused to go on: it costs nothing, and there need not be work left for more.
fn told(attempt: &Attempt, budget: &Budget) -> Result<(), Error> {
    let query = attempt.query;
    if query.quantity.of_curve()
        && matches!(query.method, Method::Auto | Method::Grid)
        && let Some(curve) = declined(attempt.engines.rough(Rough::Told, budget))?.flatten()
    {
        declined(attempt.once(curve.as_ref(), budget))?;
    }
    Ok(())
}

/// The answer that a value is.
fn decided(query: &Query, Found { value, by: (method, statement), notes, fit }: Found) -> Result<Answer, Error> {
    let outcome = match value {
        Value::Infinite => Outcome::Infinite,
        Value::Finite(Number::Exact(value)) => Outcome::Exact(Fraction::new(value)),
        Value::Finite(Number::Enclosed(set)) if query.quantity.is_probability() => {
            Outcome::Enclosure(alarm::probability(&set, "probability that was asked for")?.into())
        }
        Value::Finite(Number::Enclosed(set)) => {
            let set = Interval::from(set);
            // A fit ends where its tails do, whatever is asked for.
            if fit.is_some() && set.digits() < query.enough {
                Outcome::Short { proven: set, reason: TAILS.into() }
            } else {
                Outcome::Enclosure(set)
            }
        }
    };
    Ok(Answer { method: method.to_string(), statement: Some(statement), notes, fit, ..Answer::from(outcome) })
}
