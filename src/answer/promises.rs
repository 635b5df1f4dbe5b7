//! Bounds by (epsilon, delta) promises: the composition is evaluated with a finite pair in place of each guarantee.
//!
//! The pair is the worst one that satisfies finitely many (epsilon, delta) bounds that follow from the guarantee. Every
//! mechanism that satisfies the guarantee is at least as private, also after any operator
//! (`theorem/guarantee/promises.rs`). So the upper end of an enclosure for the composition with this pair is an upper
//! bound on delta and epsilon, and the lower end is a lower bound on beta. Like any other bound it is a number, rounded
//! outward to a decimal, and exact as such.
//!
//! With default digits the computation has a part of the work, and the composition is evaluated like any other.
//! Otherwise only computations that do not depend on the clock are used: piecewise-linear functions exactly, and other
//! products on one grid of a fixed size, unless a profile would have to be searched point by point.
//!
//! The last bound has a small delta, below which nothing is known. As this delta decreases the result decreases, until
//! it is nearly constant. The number of rounds is fixed, so this terminates.

use rug::float::Round;
use rug::{Float, Integer, Rational};

use super::evaluate::Attempt;
use super::planner::answered;
use super::proven::{By, Proven};
use super::{Answer, Outcome, general};
use crate::alarm::declined;
use crate::compose::{Engines, Method, Rough};
use crate::curve::{Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::number::Fraction;
use crate::pair::{Pair, TradeOff};
use crate::query::{Quantity, Query};
use crate::statement;
use crate::theorem::guarantee::{Detail, by_promises, helps};
use enclosure::{Budget, Enclosure, Number, Portable, Real, Work};

pub(crate) const PROMISES: By = ("finitely many promises in the place of each guarantee", &statement::PROMISES);

/// The bound that is reported if there is no work left for this one.
const WHOLE: &str = "bounds of the whole composition";

/// Work limit of this computation at default digits.
const PATIENCE: Work = Work::milliseconds(2500);

/// Promises of one guarantee.
const COUNT: u32 = 48;

/// Number of rounds, and the factor by which the bits of the last delta grow in each.
const ROUNDS: u32 = 3;
const DEEPER: u32 = 3;

/// Bits of the last delta beyond those of the queried point.
const BEYOND: u32 = 12;

/// Smallest and largest number of bits of the last delta.
const LEAST_DEPTH: u32 = 36;
const MOST_DEPTH: u32 = 1 << 13;

/// Digits of the answers, and of the bound.
const DIGITS: u32 = 8;
const ENOUGH: u32 = 6;

/// Number of points of the grid that does not depend on the clock.
const POINTS: u32 = 1 << 13;

/// Precision of bounds, and of intermediate differences, in bits.
const BITS: u32 = 64;
const WIDE: u32 = 256;

/// The better of the present bound and the bound by promises.
///
/// # Errors
/// Alarms.
pub(super) fn better(present: Answer, query: &Query, budget: &Budget, board: &Proven) -> Result<Answer, Error> {
    let asked = query.quantity.of_curve() && query.method == Method::Auto && helps(&query.mechanism);
    let known = present.outcome.number().map(|number| number.enclosure(BITS));
    let nothing = matches!(present.outcome, Outcome::Undefined(_) | Outcome::Undecided(_));
    if !asked || known.is_none() && !nothing {
        return Ok(present);
    }
    if let (Some(known), Some(statement)) = (&known, present.statement) {
        let whatever = if falls(query) { Enclosure::one(BITS) } else { Enclosure::zero(BITS) };
        let bounds = Value::Finite(Number::Enclosed(whatever.hull(known)));
        board.record(&query.quantity, Direction::Worst, &bounds, (WHOLE, statement))?;
    }
    let budget = if query.enough < query.digits { &budget.share((1, 2), None).by_default(PATIENCE) } else { budget };
    let Some(found) = sought(query, known.as_ref(), budget)? else { return not_found(present, query, budget, board) };
    let (method, statement) = PROMISES;
    let answer = Answer {
        method: method.to_string(),
        statement: Some(statement),
        notes: present.notes.clone(),
        ..Answer::from(Outcome::Exact(Fraction::new(found.clone())))
    };
    Ok(match known {
        Some(known) if !is_better(query, &found, &known) => present,
        _ => answer,
    })
}

/// The answer where no promise says anything: what is not known of the whole is not undefined for that.
fn not_found(present: Answer, query: &Query, budget: &Budget, board: &Proven) -> Result<Answer, Error> {
    let defined = !matches!(&query.quantity, Quantity::Epsilon { delta } if delta.is_zero());
    match (present.outcome, budget.check()) {
        // Nothing is known of what was not looked at.
        (Outcome::Undefined(_), Err(Error::Undecided(late))) if defined => {
            general::certain(query, board)?;
            board.answer(query, late)
        }
        (outcome, _) => nothing(Answer { outcome, ..present }, query, board, defined),
    }
}

/// The same, if the work limit allowed it.
fn nothing(present: Answer, query: &Query, board: &Proven, defined: bool) -> Result<Answer, Error> {
    match present.outcome {
        Outcome::Undefined(reason) if defined => {
            general::certain(query, board)?;
            let more = if query.enough < query.digits { "" } else { "; a query with the default digits tries more" };
            let why = format!(
                "{reason}; replacing the guarantees by (epsilon, delta) bounds gives no result \
                               either{more}"
            );
            board.answer(query, why.into())
        }
        _ => Ok(present),
    }
}

/// Is beta asked for, of which bounds are below?
fn falls(query: &Query) -> bool {
    matches!(query.quantity, Quantity::Beta { .. })
}

/// Is this bound certainly the better one?
fn is_better(query: &Query, found: &Rational, known: &Enclosure) -> bool {
    if falls(query) { known.lower() < found } else { known.upper() > found }
}

/// The bound by promises, if one is found.
fn sought(query: &Query, known: Option<&Enclosure>, budget: &Budget) -> Result<Option<Rational>, Error> {
    let mut best: Option<Rational> = None;
    let mut depth = depth(query, known);
    for _ in 0..ROUNDS {
        if depth > MOST_DEPTH || budget.check().is_err() {
            break;
        }
        let Some(found) = declined(at_depth(query, depth, budget))? else { break };
        depth *= DEEPER;
        // What is at infinity may be more than is allowed, and less where the last delta is smaller.
        let Some(found) = found else { continue };
        let Some(known) = best.take() else {
            best = Some(found);
            continue;
        };
        let (least, most) = if found < known { (found, known) } else { (known, found) };
        let close = Rational::from(&most - &least) * 256u32 <= most;
        best = Some(if falls(query) { most } else { least });
        if close {
            break;
        }
    }
    Ok(best)
}

/// Bits of the last delta at first.
fn depth(query: &Query, known: Option<&Enclosure>) -> u32 {
    match &query.quantity {
        Quantity::Epsilon { delta: small } | Quantity::Beta { alpha: small } => beyond(small),
        Quantity::Delta { .. } => {
            let asked = known.map_or(0.0, |known| (-known.upper().to_f64().portable_log2()).clamp(0.0, 1e6));
            (asked as u32).saturating_add(BEYOND).max(LEAST_DEPTH)
        }
        _ => LEAST_DEPTH,
    }
}

/// Bits of a delta that is small beside this number.
fn beyond(small: &Real) -> u32 {
    if small.is_zero() {
        return LEAST_DEPTH;
    }
    let asked = (-small.enclosure(BITS).ln().lower().to_f64()).max(0.0) / std::f64::consts::LN_2;
    (asked as u32).saturating_add(BEYOND).max(LEAST_DEPTH)
}

/// The composition with promises in the place of each guarantee, the last one of a delta that is small beside this
/// number: what is safe of it is safe of whatever keeps the guarantees.
///
/// # Errors
/// [`Error::Undecided`] where no promise is found.
pub(crate) fn in_place(composition: &Composition, small: &Real, budget: &Budget) -> Result<Composition, Error> {
    let depth = beyond(small);
    if depth > MOST_DEPTH {
        return Err(Error::undecided("the delta is too small for a search for (epsilon, delta) bounds"));
    }
    by_promises(composition, Detail { count: COUNT, depth }, budget)
}

/// The bound by promises down to such a delta.
fn at_depth(query: &Query, depth: u32, budget: &Budget) -> Result<Option<Rational>, Error> {
    let mechanism = by_promises(&query.mechanism, Detail { count: COUNT, depth }, budget)?;
    let pairs = mechanism.pairs()?;
    if let [(pair @ Pair::Discrete(_), 1)] = pairs.as_slice()
        && let Some(f) = pair.trade_off()?
    {
        return Ok(of_polyline(&f, query).and_then(|set| outward(&set, query)));
    }
    let asked = Query { mechanism: mechanism.clone(), digits: DIGITS, enough: ENOUGH, id: None, ..query.clone() };
    let (engines, proven) = (Engines::new(mechanism, Method::Auto), Proven::default());
    let outcome = if query.enough < query.digits {
        answered(&engines, &asked, budget, &proven)?.outcome
    } else {
        if !pairs.iter().any(|(pair, _)| is_sought(pair))
            && let Some(curve) = declined(engines.rough(Rough::Grid(POINTS), budget))?.flatten()
        {
            let attempt = Attempt { engines: &engines, query: &asked, digits: asked.digits, proven: &proven };
            attempt.once(curve.as_ref(), budget)?;
        }
        proven.answer(&asked, "no other computation was tried".into())?.outcome
    };
    let number = outcome.number().map(|number| number.enclosure(BITS));
    Ok(number.filter(Enclosure::is_bounded).and_then(|set| outward(&set, query)))
}

/// What a polyline says, of delta, epsilon or beta: an enclosure; `None` for no epsilon.
///
/// With `f = T(P,Q)`, `H_x(Q,P)` is the largest `1 - beta - x alpha` over its vertices, and the least x for which that
/// is at most delta the largest `(1 - beta - delta)/alpha`, if `1 - f(0) <= delta`. Of the other direction it is the
/// same of `f^-1`.
fn of_polyline(f: &TradeOff, query: &Query) -> Option<Enclosure> {
    let sides = match query.direction {
        // f is the trade-off function of the one direction, and the profile of P beside Q that of the other one.
        Direction::Forward if falls(query) => vec![f.clone()],
        Direction::Backward if !falls(query) => vec![f.clone()],
        Direction::Forward | Direction::Backward => vec![f.inverse()],
        Direction::Worst if falls(query) => vec![f.symmetrized_min()],
        Direction::Worst => vec![f.clone(), f.inverse()],
    };
    let of = |f: &TradeOff| match &query.quantity {
        Quantity::Delta { epsilon } => Some(profile(f, &epsilon.enclosure(WIDE).exp())),
        Quantity::Tv => Some(profile(f, &Enclosure::one(WIDE))),
        Quantity::Epsilon { delta } => least_epsilon(f, delta),
        Quantity::Beta { alpha } => {
            // It falls.
            let alpha = alpha.enclosure(WIDE);
            let value = |end: &Float| f.evaluate(&end.to_rational()?.max(Rational::new()).min(Rational::from(1))).ok();
            let [low, high] = [alpha.upper(), alpha.lower()].map(value);
            Some(Enclosure::rational(&low?, WIDE).hull(&Enclosure::rational(&high?, WIDE)))
        }
        _ => None,
    };
    let both = sides.iter().map(of).collect::<Option<Vec<_>>>()?;
    both.into_iter().reduce(|one, other| one.max(&other))
}

/// The largest `1 - beta - x alpha`.
fn profile(f: &TradeOff, x: &Enclosure) -> Enclosure {
    let errors = |(alpha, beta): &(Rational, Rational)| {
        let detected = Enclosure::rational(&Rational::from(1 - beta), WIDE);
        &detected - &(x * &Enclosure::rational(alpha, WIDE))
    };
    f.vertices().iter().map(errors).fold(Enclosure::zero(WIDE), |most, one| most.max(&one))
}

/// The logarithm of the largest `(1 - beta - delta)/alpha`, or 0.
fn least_epsilon(f: &TradeOff, delta: &Real) -> Option<Enclosure> {
    let delta = delta.enclosure(WIDE);
    let mut most = Enclosure::one(WIDE);
    for (alpha, beta) in f.vertices() {
        let left = &Enclosure::rational(&Rational::from(1 - beta), WIDE) - &delta;
        if !alpha.is_zero() {
            most = most.max(&(&left / &Enclosure::rational(alpha, WIDE)));
        } else if *left.upper() > 0 {
            return None;
        }
    }
    Some(most.ln())
}

/// Would its profile be sought point by point?
fn is_sought(pair: &Pair) -> bool {
    match pair {
        Pair::Derived(_) | Pair::Shuffled(_) => true,
        Pair::Sample { inner, .. } => is_sought(inner),
        Pair::Several(factors) => factors.iter().any(|(pair, _)| is_sought(pair)),
        _ => false,
    }
}

/// The decimal of some digits next to the end that is a bound, outward.
fn outward(set: &Enclosure, query: &Query) -> Option<Rational> {
    let (end, round) = if falls(query) { (set.lower(), Round::Down) } else { (set.upper(), Round::Up) };
    let exact = end.to_rational()?;
    if exact.is_zero() {
        return Some(exact);
    }
    // So many places after the point that the first digit is not zero and there are some more.
    let places = i64::from(DIGITS) - (end.to_f64_exp().1 as f64 * std::f64::consts::LOG10_2).floor() as i64;
    let power = Rational::from(Integer::from(Integer::u_pow_u(10, u32::try_from(places.unsigned_abs()).ok()?)));
    let scaled = if places >= 0 { exact * &power } else { exact / &power };
    let whole = match round {
        Round::Down => scaled.floor(),
        _ => scaled.ceil(),
    };
    Some(if places >= 0 { whole / power } else { whole * power })
}

#[cfg(test)]
mod tests {
    use super::super::{Bound, Session, answer};
    use super::*;

    fn query(quantity: &str, mechanism: &str, at: &str, side: &str) -> Query {
        let line = format!(r#""quantity":"{quantity}","mechanism":"{mechanism}","at":{at},"direction":"{side}""#);
        serde_json::from_str(&format!(r#"{{{line},"digits":6}}"#)).expect("a query")
    }

    fn set(answer: &Answer) -> Enclosure {
        answer.outcome.number().unwrap_or_else(|| panic!("{answer:?}")).enclosure(BITS)
    }

    const POINTS: [(&str, &str); 4] = [
        ("delta", r#"{"epsilon":"1"}"#),
        ("epsilon", r#"{"delta":"1/1000"}"#),
        ("beta", r#"{"alpha":"1/20"}"#),
        ("tv", "{}"),
    ];

    const KEPT: [(&str, &str); 3] = [
        ("zcdp(rho=1/10)", "gdp(mu=sqrt(1/5))"),
        ("rdp(order=8, epsilon=1/4)", "finite(p=[28/10000, 9972/10000], q=[1/1000, 999/1000])"),
        ("zcdp(rho=1/8)", "randomized-response(epsilon=1/2)"),
    ];

    /// What is made of a mechanism is at least as private as is told of the same that is made of its guarantee.
    #[test]
    fn what_keeps_a_guarantee_is_within() {
        for (guarantee, kept) in KEPT {
            for (made, sides) in [
                ("group(k=3, _)", &["worst"][..]),
                ("group(k=2, _ * finite(p=[1/2, 1/2], q=[1/5, 4/5]))", &["forward", "backward"]),
                ("group-one-way(k=2, _ * finite(p=[1/2, 1/2], q=[1/5, 4/5]))", &["forward", "backward"]),
                ("_ * laplace(scale=1)", &["worst"]),
                ("_ * gdp(mu=1/2)", &["worst"]),
                ("poisson(rate=1/10, _)", &["forward", "backward"]),
                ("mixture(1/3: _ * gdp(mu=1), 2/3: gdp(mu=1/2))", &["worst"]),
                ("inverse(_ * finite(p=[1/2, 1/2], q=[1/5, 4/5]))", &["forward", "backward"]),
                ("symmetrize(_ * finite(p=[1/2, 1/2], q=[1/5, 4/5]))", &["worst"]),
                ("hull(poisson(rate=1/10, _))", &["worst"]),
            ] {
                for side in sides {
                    for (quantity, at) in POINTS {
                        let ask = |inside: &str| {
                            let query = query(quantity, &made.replace('_', inside), at, side);
                            answer(&query, &Budget::default()).expect("an answer")
                        };
                        let (bound, truth) = (ask(guarantee), ask(kept));
                        let what = format!("{quantity} {made} {side}: {guarantee} {bound:?}, {kept} {truth:?}");
                        let (told, exact) = (set(&bound), set(&truth));
                        if quantity == "beta" {
                            assert_eq!(bound.bound, Some(Bound::Lower));
                            assert!(told.lower() <= exact.upper(), "{what}");
                        } else {
                            assert_eq!(bound.bound, Some(Bound::Upper));
                            assert!(told.upper() >= exact.lower(), "{what}");
                        }
                    }
                }
            }
        }
        for (guarantee, kept) in KEPT {
            // These do keep it.
            let (order, most) = if guarantee.starts_with("rdp") { ("8", "1/4") } else { ("5/4", "1") };
            let found =
                answer(&query("renyi", kept, &format!(r#"{{"order":"{order}"}}"#), "worst"), &Budget::default());
            let most: Real = most.parse().expect("a constant");
            assert!(set(&found.expect("an answer")).upper() <= most.enclosure(BITS).lower(), "{guarantee} {kept}");
        }
    }

    /// The better one of both is told: never a worse one than without promises, and by which it is.
    #[test]
    fn the_better_bound_is_told() {
        for (mechanism, better) in [
            ("group(k=3, rdp(order=8, epsilon=1/4))", true),
            ("zcdp(rho=1/100) * gdp(mu=1)", true),
            ("zcdp(rho=1/10) * rdp(order=8, epsilon=1/4)", false),
            ("group(k=3, zcdp(rho=1/10))", false),
            ("zcdp(rho=1/10)^3", false),
        ] {
            let query = query("epsilon", mechanism, r#"{"delta":"1/100000"}"#, "worst");
            let session = Session::by_divergences(query.mechanism.clone(), query.method);
            let without = session.answer(&query, &Budget::default()).expect("an answer");
            let with = answer(&query, &Budget::default()).expect("an answer");
            assert_eq!(set(&with).upper() < set(&without).lower(), better, "{mechanism}: {with:?} {without:?}");
            assert_eq!(with.method == PROMISES.0, better, "{mechanism}");
            if !better {
                assert_eq!((with.outcome.lower_f64(), with.method), (without.outcome.lower_f64(), without.method));
            }
        }
    }

    /// Where no bound of all of it is known there are promises, and where they say nothing it is told why.
    #[test]
    fn what_was_not_known_is_bounded() {
        let ask = |quantity: &str, mechanism: &str, at: &str| {
            answer(&query(quantity, mechanism, at, "worst"), &Budget::default()).expect("an answer")
        };
        for mechanism in [
            "group(k=4, rdp(order=7, epsilon=1/10))",
            "poisson(rate=1/100, zcdp(rho=1/2))",
            "poisson(rate=1/100, rdp(order=8, epsilon=1/4))^20",
            "subsample(rate=1/2, zcdp(rho=1))",
        ] {
            for (quantity, at) in POINTS {
                let found = ask(quantity, mechanism, at);
                assert!(found.method == PROMISES.0 && found.bound.is_some(), "{quantity} {mechanism}: {found:?}");
            }
            assert!(matches!(ask("renyi", mechanism, r#"{"order":"2"}"#).outcome, Outcome::Undefined(_)));
            assert!(matches!(ask("epsilon", mechanism, r#"{"delta":"0"}"#).outcome, Outcome::Undefined(_)));
        }
    }

    /// Of a polyline by hand: corners (0, 9/10), (1/10, 1/2), (9/10, 0) and (1, 0), in both directions.
    #[test]
    fn polylines_by_hand() {
        let one = |a: i32, b: u32| Rational::from((a, b));
        let corners =
            [(one(0, 1), one(9, 10)), (one(1, 10), one(1, 2)), (one(9, 10), one(0, 1)), (one(1, 1), one(0, 1))];
        let f = TradeOff::new(corners.to_vec()).expect("a curve");
        for (quantity, at, side, truth) in [
            // 1 - 1/2 - 2/10 and 1 - 9/10; the other way round 1 - 1/10 - 2/2 and 1 - 9/10.
            ("delta", r#"{"epsilon":"ln(2)"}"#, "backward", one(3, 10)),
            ("delta", r#"{"epsilon":"ln(2)"}"#, "forward", one(1, 10)),
            ("delta", r#"{"epsilon":"ln(2)"}"#, "worst", one(3, 10)),
            ("tv", "{}", "worst", one(2, 5)),
            // (1 - 1/2 - 1/5)/(1/10) = 3, (1 - 1/10 - 1/5)/(1/2) = 7/5.
            ("beta", r#"{"alpha":"1/20"}"#, "forward", one(7, 10)),
            ("beta", r#"{"alpha":"1/20"}"#, "backward", one(41, 50)),
            ("beta", r#"{"alpha":"1/20"}"#, "worst", one(7, 10)),
        ] {
            let found = of_polyline(&f, &query(quantity, "gdp(mu=1)", at, side)).expect("a number");
            assert!(found.contains(&truth), "{quantity} {at} {side}: {found:?}");
        }
        for (side, x) in [("backward", "3"), ("forward", "7/5"), ("worst", "3")] {
            let found = of_polyline(&f, &query("epsilon", "gdp(mu=1)", r#"{"delta":"1/5"}"#, side)).expect("a number");
            assert!(found.overlaps(&format!("ln({x})").parse::<Real>().expect("a constant").enclosure(WIDE)), "{side}");
        }
        assert!(of_polyline(&f, &query("epsilon", "gdp(mu=1)", r#"{"delta":"1/20"}"#, "worst")).is_none());
    }

    /// Bounds are rounded away from what they bound, to a decimal of some digits.
    #[test]
    fn decimals_are_outward() {
        let third = Enclosure::rational(&Rational::from((1, 3)), 64);
        for (scale, up, down) in [(0, "0.333333334", "0.333333333"), (-30, "3.10440859e-10", "3.10440858e-10")] {
            let set = third.shift(scale);
            let exact = |text: &str| text.parse::<Real>().expect("a decimal").as_rational().cloned();
            let asked = query("delta", "gdp(mu=1)", r#"{"epsilon":"1"}"#, "worst");
            assert_eq!(outward(&set, &asked), exact(up), "{scale}");
            let asked = query("beta", "gdp(mu=1)", r#"{"alpha":"1/2"}"#, "worst");
            assert_eq!(outward(&set, &asked), exact(down), "{scale}");
        }
    }
}
