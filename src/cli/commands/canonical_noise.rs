//! `canonical-noise`: noise that is exactly as private as it has to be.

use super::super::args::CanonicalNoise;
use super::super::failure::Failure;
use super::super::interrupt::until;
use super::super::points::Scale;
use super::super::talk;
use super::{budget, points, say, say_json, told_mechanism};
use crate::answer::Session;
use crate::print::{Status, Table, answer_line, ends, outcome_text, shortfall};
use crate::query::{Quantity, Query};
use crate::statement::CANONICAL_NOISE;
use enclosure::Brief;

/// Name of the quantity, name of the coordinate, and the coordinate.
fn named(quantity: &Quantity) -> (&'static str, &'static str, String) {
    match quantity {
        Quantity::CanonicalCdf { x } => ("distribution function", "x", Brief(x).to_string()),
        Quantity::CanonicalQuantile { p } => ("quantile", "p", Brief(p).to_string()),
        _ => ("", "", String::new()),
    }
}

/// `dpcert canonical-noise`.
pub fn run(typed: &CanonicalNoise) -> Result<Status, Failure> {
    let CanonicalNoise { question, engine, at, quantile } = typed;
    let places: Vec<Quantity> = match (at, quantile) {
        (Some(at), _) => points("at", at, Scale::Linear)?.into_iter().map(|x| Quantity::CanonicalCdf { x }).collect(),
        (None, Some(quantile)) => {
            let all = points("quantile", quantile, Scale::Logarithmic)?;
            all.into_iter().map(|p| Quantity::CanonicalQuantile { p }).collect()
        }
        (None, None) => return Err(Failure::input("give --at or --quantile")),
    };
    let composition = told_mechanism(&question.mechanism)?;
    let session = Session::new(composition.clone(), engine.method);
    let digits = question.digits();
    let mut table = places.first().filter(|_| places.len() > 1).map(|first| {
        let (what, coordinate, _) = named(first);
        Table::new(format!("canonical noise for {composition:#}, {what}"), &[coordinate, "lower", "upper"])
    });
    let mut worst = Status::Fine;
    let asked = |place| Query::new(place, composition.clone()).with_method(engine.method).with_digits(digits).checked();
    // None is answered where one makes no sense.
    let queries = places.into_iter().map(asked).collect::<Result<Vec<_>, _>>()?;
    for query in until(queries) {
        let answer = session.answer(&query, &budget(question.limits))?;
        worst = worst.and(Status::from(&answer.outcome));
        let (what, coordinate, shown) = named(&query.quantity);
        if question.json {
            say_json(&answer_line(&query, &answer))?;
        } else if let Some(table) = &mut table {
            if let Some(why) = shortfall(&answer.outcome, digits, question.exact) {
                table.remark(format!("at {coordinate} = {shown}: {why}"));
            }
            let [lower, upper] = ends(&answer.outcome, digits);
            table.row([shown, lower, upper]);
        } else {
            say(&format!("canonical noise for {composition:#}, {what} at {shown}"))?;
            say(&format!("  {}", outcome_text(&answer.outcome, digits, digits, question.exact)))?;
            if talk::is_verbose() {
                say(&format!("  by {CANONICAL_NOISE}"))?;
            }
        }
    }
    if let Some(mut table) = table.filter(|_| !question.json) {
        if talk::is_verbose() {
            table.source(format!("by {CANONICAL_NOISE}"));
        }
        say(&table.text())?;
    }
    Ok(worst)
}
