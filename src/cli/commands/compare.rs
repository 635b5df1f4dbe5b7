//! `compare`: what the accounts say of one composition, side by side.

use super::super::args::Contest;
use super::super::failure::{Failure, Status};
use super::super::interrupt::until;
use super::super::points::Scale;
use super::{budget, points, say, say_json, told_mechanism};
use crate::compare::{Comparison, Goal, Missing, Row, Standing};
use crate::curve::Value;
use crate::mechanism::{Cause, Composition, check};
use crate::number::Interval;
use crate::print::{RATIO_DIGITS, account_line, number_text, ratio, ratio_ends, without};
use crate::query::{Quantity, Query};
use crate::table::field;
use crate::theorem::guarantee::Nearby;
use enclosure::decimal::{Side, decimal};
use enclosure::{Brief, Number, Real, bits_of_digits};

/// `dpcert compare`.
pub fn run(contest: &Contest) -> Result<Status, Failure> {
    let composition = told_mechanism(&contest.mechanism)?;
    let goals: Vec<Goal> = match (&contest.delta, &contest.epsilon) {
        (Some(delta), _) => {
            let all = points("delta", delta, Scale::Logarithmic)?;
            all.iter().try_for_each(|delta| check::unit("delta", delta))?;
            all.into_iter().map(|delta| Goal::Epsilon { delta }).collect()
        }
        (None, Some(epsilon)) => {
            let all = points("epsilon", epsilon, Scale::Linear)?;
            all.into_iter().map(|epsilon| Goal::Delta { epsilon }).collect()
        }
        (None, None) => return Err(Failure::input("give --delta or --epsilon")),
    };
    // None is answered where one makes no sense.
    for goal in &goals {
        Query::new(asked(goal).0, composition.clone()).with_digits(contest.digits).checked()?;
    }
    let mut worst = Status::Fine;
    let many = goals.len() > 1;
    for (index, goal) in until(goals.into_iter().enumerate()) {
        if index > 0 && !contest.json && !contest.csv {
            say("")?;
        }
        worst = worst.and(one(contest, &composition, goal, (index == 0, many))?);
    }
    Ok(worst)
}

/// The number that is asked for, and where.
fn asked(goal: &Goal) -> (Quantity, String) {
    match goal {
        Goal::Epsilon { delta } => (Quantity::Epsilon { delta: delta.clone() }, delta.to_string()),
        Goal::Delta { epsilon } => (Quantity::Delta { epsilon: epsilon.clone() }, epsilon.to_string()),
    }
}

/// The accounting methods at one point. The first point prints the table heading; with several points each row names
/// its point.
fn one(
    contest: &Contest,
    composition: &Composition,
    goal: Goal,
    (first, many): (bool, bool),
) -> Result<Status, Failure> {
    let (quantity, at) = asked(&goal);
    let digits = contest.digits;
    let whole = budget(contest.limits);
    let rows = Comparison { composition: composition.clone(), goal, digits, nearby: Nearby::default() }.rows(&whole)?;
    let exact = rows.last().and_then(|row| row.value.clone().ok());
    let text = composition.to_string();
    if contest.json {
        for row in &rows {
            say_json(&account_line(row, &quantity, &text, exact.as_ref(), digits))?;
        }
    } else if contest.csv {
        if first {
            let at = if many { "at," } else { "" };
            say(&format!(
                "{at}account,source,standing,lower,upper,times_exact_lower,times_exact_upper,reason,\
                 order_lower,order_upper"
            ))?;
        }
        for row in &rows {
            let at = if many { format!("{},", field(&at)) } else { String::new() };
            say(&format!("{at}{}", csv(row, exact.as_ref(), digits)))?;
        }
    } else {
        print(&rows, &quantity, &format!("{composition:#}"), exact.as_ref(), digits)?;
    }
    Ok(match rows.last().map(|row| &row.value) {
        Some(Err(Missing::Undefined(_))) => Status::BadInput,
        Some(Ok(value)) if !whole.is_unwanted() && has_digits(value, digits) => Status::Fine,
        _ => Status::Undecided,
    })
}

/// Whether the value is proven to this many digits.
fn has_digits(value: &Value, digits: u32) -> bool {
    match value {
        Value::Finite(number) => {
            let set = number.enclosure(bits_of_digits(digits).saturating_add(64));
            number.exact().is_some() || Interval::from(set).digits() >= digits
        }
        Value::Infinite => true,
    }
}

/// To the nearest of four digits, so that equal numbers are 1 time each other; both ends where that is not known.
fn times(ratio: &Number) -> String {
    let set = ratio.enclosure(64);
    let nearest = |end: f64| {
        let rounded = format!("{end:.*e}", RATIO_DIGITS as usize - 1).parse::<Real>().ok();
        rounded.map_or_else(String::new, |rounded| decimal(&rounded.number(64), RATIO_DIGITS, Side::Upper))
    };
    let [low, high] = [set.lower(), set.upper()].map(|end| nearest(end.to_f64()));
    if low == high { low } else { format!("{low} to {high}") }
}

/// A number for people: rounded up, or both ends where fewer digits are proven.
fn shown(number: &Number, digits: u32) -> String {
    let set = number.enclosure(bits_of_digits(digits).saturating_add(64));
    // A value that may be zero has no proven digits.
    let proven = set.relative_bits().is_some_and(|bits| bits >= i64::from(bits_of_digits(digits.saturating_sub(1))));
    let upper = decimal(number, digits, Side::Upper);
    if proven || set.is_point() { upper } else { format!("[{}, {upper}]", decimal(number, digits, Side::Lower)) }
}

fn csv(row: &Row, exact: Option<&Value>, digits: u32) -> String {
    let [lower, upper] = match &row.value {
        Ok(Value::Finite(number)) => [Side::Lower, Side::Upper].map(|side| decimal(number, digits + 1, side)),
        Ok(Value::Infinite) => ["inf", "inf"].map(str::to_string),
        Err(_) => Default::default(),
    };
    let [low, high] = ratio_ends(row, exact).unwrap_or_default();
    let reason = row.value.as_ref().err().map(|reason| field(&without(reason)).to_string()).unwrap_or_default();
    let standing = standing(row.standing);
    let order = row.order.as_ref().map(|order| Number::Enclosed(order.clone()));
    let end = |side| order.as_ref().map(|order| decimal(order, digits + 1, side)).unwrap_or_default();
    let [least, most] = [Side::Lower, Side::Upper].map(end);
    format!(
        "{},{},{standing},{lower},{upper},{low},{high},{reason},{least},{most}",
        field(row.account),
        field(row.source)
    )
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Bound => "bound",
        Standing::Approximation => "approximation",
        Standing::Exact => "exact",
    }
}

/// The table for people; what has no number stands below it, with the reason.
fn print(
    rows: &[Row],
    quantity: &Quantity,
    mechanism: &str,
    exact: Option<&Value>,
    digits: u32,
) -> Result<(), Failure> {
    let (name, at) = match quantity {
        Quantity::Epsilon { delta } => ("epsilon", format!("delta = {}", Brief(delta))),
        Quantity::Delta { epsilon } => ("delta", format!("epsilon = {}", Brief(epsilon))),
        _ => ("number", String::new()),
    };
    // Of a guarantee nothing is exact: the last row is the bound that follows from it.
    let exactly = rows.iter().any(|row| matches!(row.standing, Standing::Exact));
    let last = if exactly { "the exact value" } else { "the last row" };
    say(&format!("{name} at {at} of {mechanism}, rounded up; ratio to {last}, rounded to nearest"))?;
    if let Some(share) = rows.iter().find_map(|row| row.step_delta.as_ref()) {
        say(&format!("  a step with unbounded privacy loss counts with its epsilon at delta = {}", Brief(share)))?;
    }
    let width = rows.iter().map(|row| row.account.len()).max().unwrap_or(0);
    let widest = rows.iter().filter_map(|row| match &row.value {
        Ok(Value::Finite(value)) => Some(shown(value, digits).len()),
        _ => None,
    });
    let number = widest.max().unwrap_or(0).max(digits as usize + 8).max(name.len());
    say(&format!("  {:width$}  {name:number$}  {:11}  {:13}  source", "method", "ratio", "status"))?;
    for row in rows {
        let value = match &row.value {
            Ok(Value::Finite(value)) => shown(value, digits),
            Ok(Value::Infinite) => "infinite".to_string(),
            Err(_) => continue,
        };
        let times = ratio(row, exact).map(|ratio| times(&ratio)).unwrap_or_default();
        let is = standing(row.standing);
        say(&format!("  {:width$}  {value:number$}  {times:11}  {is:13}  {}", row.account, row.source))?;
    }
    for row in rows {
        let Some(order) = &row.order else { continue };
        let order = number_text(&Number::Enclosed(order.clone()), digits, false);
        say(&format!("  {}: order {order}", row.account))?;
    }
    for row in rows {
        let Some(cause) = row.cause.filter(|cause| row.value.is_ok() && *cause != Cause::Guarantee) else { continue };
        say(&format!("  {}: {}", row.account, cause.reason()))?;
    }
    // Methods that do not apply for the same reason share one line.
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in rows {
        let Err(reason) = &row.value else { continue };
        let reason = without(reason);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, accounts)) => accounts.push(row.account),
            None => reasons.push((reason, vec![row.account])),
        }
    }
    for (reason, accounts) in reasons {
        say(&format!("  no value from {}: {reason}", accounts.join("; ")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Enclosure;

    /// A number with fewer digits than were asked for is not all that was asked for.
    #[test]
    fn digits_are_counted() {
        let of = |low: &str, high: &str| {
            let [low, high] = [low, high].map(|end| end.parse::<Real>().expect("a number").enclosure(200));
            Value::Finite(Number::Enclosed(low.hull(&high)))
        };
        assert!(has_digits(&of("1.23456", "1.23457"), 5) && !has_digits(&of("1.23456", "1.23457"), 6));
        assert!(has_digits(&of("0", "0"), 6) && !has_digits(&of("0", "1e-9"), 1));
        assert!(has_digits(&Value::Infinite, 6));
    }

    /// What may be zero is shown with both ends, never as the upper one alone.
    #[test]
    fn what_may_be_zero_has_both_ends() {
        let of = |low: &str, high: &str| {
            let [low, high] = [low, high].map(|end| end.parse::<Real>().expect("a number").enclosure(200));
            shown(&Number::Enclosed(low.hull(&high)), 6)
        };
        assert_eq!(of("0", "1/1024"), "[0, 0.000976563]");
        assert_eq!(of("1/3", "1/3"), "0.333334");
        assert_eq!(of("1/3", "1/2"), "[0.333333, 0.5]");
        assert_eq!(shown(&Number::Enclosed(Enclosure::zero(64)), 6), "0");
    }
}
