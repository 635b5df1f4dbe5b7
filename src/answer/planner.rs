//! The planner: in which order the engines are asked, for how many digits, and with which part of the work.
//!
//! A closed form, a short list or a short lattice answers first ([`at_hand`]), and a guarantee has separate bounds
//! ([`guaranteed`]). All other queries are answered here, in three steps:
//!
//! 1. [`Case`] holds what decides the order: the digits that are requested, and what the engines report before any
//!    costly step.
//! 2. [`plan`] is the table of attempts. It filters the rows by the case, so the whole order can be read in one place.
//! 3. [`answered`] makes the attempts until the requested digits are proven. It keeps every proven interval, and ends
//!    with bounds that need no engine.
//!
//! The work of an attempt is a part of what is left, so the order and the results are the same on every machine.
//!
//! The parts were measured on the queries of `benches/coverage`. A plan with equal parts for all engines answers fewer
//! of them: a method that needs half of all work never gets it.

use super::at_hand::at_hand;
use super::evaluate::{Attempt, Found};
use super::proven::Proven;
use super::{Answer, Outcome, by_steps, fits, general, guaranteed, noise};
use crate::alarm::declined;
use crate::compose::{Engines, Method, Rough};
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::pair::Pair;
use crate::query::{Quantity, Query};
use enclosure::{Budget, Reason, Work};

#[cfg(test)]
mod tests;

/// Work of the default search.
pub(super) const DEFAULT_WORK: Work = Work::seconds(8);

/// Additional work for all bounds that need no engine.
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
pub(super) const USUAL: u32 = 6;

/// Digits requested from engines that answer a separate query for each value of the mechanism inside.
const FEWEST: u32 = 3;

/// Digits computed from all nodes up to a limit.
const SWEPT: u32 = 10;

/// Largest number of digits far from the centre if the integrand never decays.
pub(super) const FAR: u32 = 16;

/// Requests for more digits than this start with few digits, which are cheap in comparison.
pub(super) const MANY: u32 = 200;

/// Digits that even fine grids rarely exceed. A default query does not wait for more.
const GRIDS_PROVE: u32 = 5;

/// Points of a coarse grid.
const COARSE: u32 = 1 << 12;

/// Properties of a query that are known before any engine runs.
#[derive(Clone, Copy)]
struct Case {
    /// The digits that are requested, and those that suffice.
    digits: u32,
    enough: u32,
    /// Whether the integrand of a contour never decays.
    lasting: bool,
    /// Whether more than a few digits are requested of such an integrand, and no more than are possible there.
    far: bool,
    /// Whether an engine between knots counts its work before it begins.
    counted: bool,
    /// Whether steps may be split into large and small ones, and whether that engine expects to be the best.
    large: bool,
    apt: bool,
    /// Whether the large losses of discrete noise are likely to prove more than any contour.
    jumps: bool,
    /// Whether a grid evaluates the profile of a mechanism at each point.
    profiles: bool,
    /// Whether the query selects grids as the method.
    grids: bool,
}

/// What an attempt asks.
#[derive(Clone, Copy)]
enum Ask {
    /// The engines for any number of digits, in turn.
    Engines(u32),
    /// The same, as a first attempt. Its reason for failing is not reported.
    First(u32),
    /// One engine for few digits, or for none.
    Rough(Rough),
    /// The same, if nothing was proven when the last attempt of all engines failed. The part of the work is twice as
    /// large if no engine stopped for lack of work.
    IfNothing(Rough),
}

/// An attempt, and its part of the work that is left.
type Row = (Ask, (u32, u32));

/// The attempts at a query, in order.
///
/// Each engine gives up early where it has little hope, so there are many short attempts. An engine that is expensive
/// once is expensive again: it is asked again soon only if fewer digits need fewer nodes.
fn plan(case: &Case) -> Vec<Row> {
    use Ask::{Engines, IfNothing, Rough as One};
    use Rough::{AlmostPeriodic, Grid, LargeLosses, LargeSteps, Majorized, Polygons, Swept};
    let Case { digits, enough, lasting, far, large, .. } = *case;
    let (by_default, few) = (enough < digits, enough.min(FEW));
    let many = !by_default && digits > FEW;
    let (flat, steep) = (!many && lasting, !many && !lasting);
    let rows = [
        // Engines that are likely to answer in their part, before any contour.
        (case.profiles && lasting, One(Majorized(few)), (1, 5)),
        (case.profiles, One(Polygons(few)), (1, 2)),
        (case.jumps, One(LargeLosses(few.min(USUAL))), (1, 2)),
        (case.jumps && enough > USUAL, One(LargeLosses(few)), (1, 2)),
        (case.apt, One(LargeSteps(digits)), (1, 2)),
        // All engines, for all digits or for the default number of them.
        (true, first(case).0, first(case).1),
        (large, One(LargeSteps(digits)), (2, 3)),
        (large && many && digits <= MANY, Engines(digits), (1, 1)),
        // 9 to 16 digits where the integrand never decays.
        (far, One(AlmostPeriodic(FEW)), (1, 8)),
        (far, One(Majorized(USUAL)), (1, 5)),
        (far, One(AlmostPeriodic(digits)), (7, 8)),
        (far, One(Swept(digits)), (3, 4)),
        // 9 to 16 digits elsewhere.
        (many && !far && digits <= FAR, One(Majorized(USUAL)), (1, 8)),
        (many && digits <= FAR, Engines(digits), (1, 1)),
        // At most 8 digits, or the default, where the integrand never decays.
        (flat, One(Majorized(few)), (1, 5)),
        (flat, One(Polygons(few)), (1, 2)),
        (flat, One(AlmostPeriodic(FEW)), (1, 10)),
        (flat, One(Grid(COARSE)), (1, 16)),
        (flat, One(Majorized(few)), (1, 2)),
        (flat, One(Swept(SWEPT)), (1, 2)),
        (flat, One(LargeLosses(few)), (1, 2)),
        (flat, One(AlmostPeriodic(FEW)), (1, 2)),
        // The same elsewhere.
        (steep, One(Polygons(few)), (3, 4)),
        (steep, One(Majorized(few)), (1, 8)),
        (steep, Engines(enough), (1, 3)),
        (steep && by_default && case.profiles, Engines(FEWEST), (1, 3)),
        (steep && by_default, IfNothing(Grid(1 << 16)), (1, 6)),
        (steep && by_default, IfNothing(Grid(1 << 18)), (1, 5)),
        (steep && by_default, IfNothing(Grid(1 << 20)), (1, 3)),
        (steep, One(Majorized(few)), (1, 3)),
        (steep, One(Grid(COARSE)), (1, 16)),
        // Few digits, where more were not proven.
        (many, One(Polygons(FEW)), (1, 2)),
        (true, One(Majorized(few)), (1, 2)),
        (many, One(Grid(COARSE)), (1, 2)),
        // Everything again, with more work.
        (by_default, Engines(digits), (1, 2)),
        (by_default, Engines(enough), (3, 4)),
        (!by_default && (!many || digits > MANY), Engines(digits), (1, 1)),
        (flat && by_default && case.profiles, Engines(FEWEST), (1, 3)),
        (true, One(Grid(1 << 14)), (1, 2)),
        (true, One(Grid(1 << 16)), (1, 2)),
        (true, One(Grid(1 << 18)), (1, 2)),
        (true, One(Grid(1 << 20)), (1, 2)),
        (true, One(Grid(1 << 22)), (1, 2)),
        // Grids refuse at once what is out of their reach; fewer digits are not.
        (case.grids && digits > 8, Engines(8), (1, 2)),
        (case.grids && digits > 6, Engines(6), (1, 2)),
        (case.grids && digits > 4, Engines(4), (1, 2)),
        (case.grids && digits > 2, Engines(2), (1, 2)),
    ];
    rows.into_iter().filter(|(applies, ..)| *applies).map(|(_, ask, part)| (ask, part)).collect()
}

/// The first attempt of all engines.
fn first(case: &Case) -> Row {
    let digits = case.digits;
    if case.enough < digits {
        // Where nothing decays, few digits are usually proven before all of them.
        (Ask::First(digits), (1, if case.lasting { 18 } else { 10 }))
    } else if case.counted {
        (Ask::First(digits), (3, 4))
    } else if case.far {
        // Lists and closed forms are usually evaluated within that part.
        (Ask::First(digits), (1, 4))
    } else if case.large || digits <= FAR {
        (Ask::First(digits), (1, 8))
    } else if digits > MANY {
        (Ask::First(Query::DEFAULT_DIGITS), (1, 4))
    } else {
        (Ask::Engines(digits), (1, 1))
    }
}

impl Case {
    fn of(engines: &Engines, query: &Query, budget: &Budget) -> Result<Self, Error> {
        let Query { digits, enough, .. } = *query;
        // A method by name, and what is no value of a curve, are computed by one engine.
        let curve = query.method == Method::Auto && query.quantity.of_curve();
        let rough =
            |how| if curve { Ok(declined(engines.rough(how, budget))?.flatten()) } else { Ok::<_, Error>(None) };
        // In the other direction the upper part may be exactly nothing.
        let is_apt = |curve: &dyn Curve| match &query.quantity {
            Quantity::Delta { epsilon } => query.direction != Direction::Backward && curve.is_apt(epsilon, budget),
            _ => false,
        };
        let large = rough(Rough::LargeSteps(digits))?;
        let lasting = rough(Rough::AlmostPeriodic(FEW))?.is_some();
        let far = lasting && enough == digits && digits > FEW && digits <= FAR;
        let jumping = matches!(query.quantity, Quantity::Delta { .. }) && lasting;
        let jumps = if jumping { rough(Rough::LargeLosses(enough.min(FEW)))? } else { None };
        Ok(Case {
            digits,
            enough,
            lasting,
            far,
            counted: far && engines.has_polynomials(budget),
            apt: large.as_deref().is_some_and(is_apt),
            large: large.is_some(),
            jumps: jumps.as_deref().is_some_and(is_apt),
            profiles: curve && engines.seeks_profiles(),
            grids: query.method == Method::Grid,
        })
    }
}

impl Ask {
    /// The name of the attempt, for notes.
    fn name(self, method: Method) -> String {
        match self {
            Ask::Engines(digits) | Ask::First(digits) if method != Method::Auto => {
                format!("method {} for {digits} digits", method.name())
            }
            Ask::Engines(digits) | Ask::First(digits) => format!("all methods for {digits} digits"),
            Ask::Rough(how) | Ask::IfNothing(how) => match how {
                Rough::Grid(points) => format!("grid of {points} points"),
                Rough::Told => "grid".to_string(),
                Rough::AlmostPeriodic(digits) => format!("contour far out for {digits} digits"),
                Rough::Swept(digits) => format!("all nodes of a contour for {digits} digits"),
                Rough::Majorized(digits) => format!("nodes in a row for {digits} digits"),
                Rough::Polygons(digits) => format!("polygons for {digits} digits"),
                Rough::LargeSteps(digits) => format!("large steps for {digits} digits"),
                Rough::LargeLosses(digits) => format!("large losses for {digits} digits"),
                Rough::Chernoff => "Chernoff's bound".to_string(),
            },
        }
    }
}

/// What the attempts so far failed for.
#[derive(Default)]
struct Failed {
    /// The first reason that is reported.
    reason: Option<Reason>,
    /// Whether nothing was proven when all engines failed the last time.
    nothing: bool,
    /// Whether an engine stopped then for lack of work or memory.
    lacks_work: bool,
}

/// The answer to a query by the engines of its composition.
pub(super) fn answered(engines: &Engines, query: &Query, budget: &Budget, proven: &Proven) -> Result<Answer, Error> {
    #[cfg(test)]
    assert!(query.id.as_deref() != Some(super::SLIP), "a slip, made for a test");
    if query.quantity.of_curve()
        && let Some(answer) = at_hand(engines, query, budget, proven)?
    {
        return Ok(answer);
    }
    let early = leaving_some(query, budget);
    let by_default = query.enough < query.digits;
    let patient = if by_default { early.by_default(DEFAULT_WORK) } else { early };
    if let Some(answer) = guaranteed::answered(engines, query, &patient, proven)? {
        return Ok(answer);
    }
    let attempt = |digits| Attempt { engines, query, digits, proven };
    declined(attempt(query.digits).bound(false, &patient))?;
    let case = Case::of(engines, query, &patient)?;
    let (mut failed, mut noted) = (Failed::default(), 0);
    for (count, (ask, part)) in plan(&case).into_iter().enumerate() {
        let spent = patient.spent();
        let found = attempted(&attempt, ask, part, (budget, &patient), &mut failed)?;
        let known = proven.digits(query)?;
        let work = patient.spent() - spent;
        // One attempt that answers is no more than the answer.
        if patient.takes_notes() && !work.is_none() && (found.is_none() || noted > 0) {
            noted += 1;
            let outcome = if found.is_some() { "the answer".to_string() } else { format!("{known} digits proven") };
            patient.note(
                &format!("attempt {noted}, {}", ask.name(query.method)),
                format_args!("{outcome}, {work} units of work"),
            );
        }
        if let Some(answer) = found {
            return Ok(answer);
        }
        // Large steps prove all digits, if any: a default query does not accept few digits before they are tried.
        let coming = count == 0 && case.large && !case.apt && by_default;
        if known >= if coming { query.digits.saturating_sub(NEARLY) } else { query.enough } {
            break;
        }
        if count == 0 {
            declined(attempt(query.digits).bound(true, &patient))?;
        }
    }
    let after = if by_default { afterwards(budget, &patient) } else { budget.clone() };
    if !by_default && query.digits > FEW {
        fewer(&attempt(USUAL), &after)?;
    }
    other_bounds(query, &after, proven)?;
    let answer = proven.answer(query, failed.reason.unwrap_or_else(|| "no method was tried".into()))?;
    fits::with_gap(answer, query, &after)
}

/// Record the bounds that need no engine, if digits are missing.
fn other_bounds(query: &Query, after: &Budget, proven: &Proven) -> Result<(), Error> {
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
    Ok(())
}

/// Make one attempt, and return the answer if it is one. Otherwise what it proved is recorded.
fn attempted<'a>(
    attempt: &impl Fn(u32) -> Attempt<'a>,
    ask: Ask,
    part: (u32, u32),
    (whole, budget): (&Budget, &Budget),
    failed: &mut Failed,
) -> Result<Option<Answer>, Error> {
    let Attempt { query, proven, .. } = attempt(0);
    let known = proven.digits(query)?;
    let bracket = |how, part| bracketed(&attempt(query.digits), how, &budget.share(part, None)).map(|()| None);
    let (digits, first) = match ask {
        Ask::Rough(how) => return bracket(how, part),
        Ask::IfNothing(_) if !failed.nothing => return Ok(None),
        Ask::IfNothing(how) if failed.lacks_work => return bracket(how, part),
        Ask::IfNothing(how) => return bracket(how, (2 * part.0, part.1)),
        // A few digits are known: the default number of them is requested next, not more.
        Ask::Engines(digits) if digits > query.enough && (1..query.enough).contains(&known) => return Ok(None),
        // A query is always asked once for its own digits, because an exact answer is better than a narrow interval.
        Ask::Engines(digits) if digits < query.enough && digits <= known => return Ok(None),
        Ask::Engines(digits) => (digits, false),
        Ask::First(digits) => (digits, true),
    };
    let ask_engines = |budget: &Budget| engines_asked(&attempt(digits), budget);
    let mut found = ask_engines(&budget.share(part, None));
    if let Ok(short) = &found
        && short.wants_time()
        && budget.check().is_ok()
    {
        // Once more with all the work that is left.
        match ask_engines(budget) {
            Err(Error::Undecided(_)) => {}
            again => found = again,
        }
    }
    match found {
        Ok(found) if digits >= query.enough || found.is_exact() => found.answer(query).map(Some),
        // Fewer digits than requested are recorded, and that is all.
        Ok(_) => Ok(None),
        Err(Error::Undefined(reason)) => Ok(Some(Answer::from(Outcome::Undefined(reason)))),
        Err(Error::Undecided(reason)) => {
            told(&attempt(query.digits), budget)?;
            if let Some((value, by)) = general::far_below_zero(query, whole)? {
                return Found::new(value, by).answer(query).map(Some);
            }
            if !first {
                failed.nothing = proven.digits(query)? == 0;
                failed.lacks_work = reason.limits().next().is_some();
                failed.reason.get_or_insert(reason);
            }
            Ok(None)
        }
        // Malformed queries, and bugs in dpcert.
        Err(other) => Err(other),
    }
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

/// The result of all engines in turn, or of the computation that the quantity has instead.
fn engines_asked(attempt: &Attempt, budget: &Budget) -> Result<Found, Error> {
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
