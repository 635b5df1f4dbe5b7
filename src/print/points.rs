//! Answers at many points as one table for people.

use super::{FEWEST, notes_text, proven_digits, shown_digits, with_flags};
use crate::answer::{Answer, Bound, Outcome};
use crate::curve::Direction;
use crate::query::{Quantity, Query};
use enclosure::Brief;
use enclosure::decimal::{Side, decimal};

/// The answers so far.
#[derive(Default)]
pub struct Table {
    title: String,
    columns: [String; 3],
    rows: Vec<[String; 3]>,
    /// What there is to say of single points, below.
    remarks: Vec<String>,
    /// By what, each once.
    sources: Vec<String>,
}

impl Table {
    /// One more answer, of the same quantity of the same composition.
    pub fn add(&mut self, query: &Query, answer: &Answer, full: bool) {
        let (coordinate, value, at) = named(&query.quantity);
        if self.rows.is_empty() {
            let direction = match query.direction {
                Direction::Worst => "",
                Direction::Forward => ", forward direction",
                Direction::Backward => ", backward direction",
            };
            self.title = format!("{value} of {}{direction}", query.mechanism);
            self.columns = [coordinate.to_string(), "lower".to_string(), "upper".to_string()];
        }
        let digits = proven_digits(query.digits, &answer.outcome);
        let ends = match &answer.outcome {
            Outcome::Infinite => ["infinity"; 2].map(str::to_string),
            Outcome::Undefined(_) => ["undefined"; 2].map(str::to_string),
            Outcome::Undecided(_) => ["undecided"; 2].map(str::to_string),
            outcome => {
                let digits = if matches!(outcome, Outcome::Short { .. }) { digits.max(FEWEST) } else { digits };
                let number = outcome.number();
                let end = |side| number.as_ref().map_or(String::new(), |n| decimal(n, shown_digits(digits), side));
                [end(Side::Lower), end(Side::Upper)]
            }
        };
        let [lower, upper] = ends;
        let mut remark = |text: String| self.remarks.push(format!("at {coordinate} = {at}: {text}"));
        match &answer.outcome {
            Outcome::Exact(value) if full => remark(format!("= {value}")),
            Outcome::Short { reason, .. } | Outcome::Undecided(reason) => {
                remark(format!("{digits} digits proven: {}", with_flags(reason)));
            }
            Outcome::Undefined(reason) => remark(format!("undefined: {reason}")),
            _ => {}
        }
        if !answer.notes.is_empty() {
            let summary = super::explained::explanation(query, answer);
            remark(format!("{summary}{}", notes_text(&answer.notes)));
        }
        self.rows.push([at, lower, upper]);
        let bound = match answer.bound {
            None => "",
            Some(Bound::Upper) => ", an upper bound",
            Some(Bound::Lower) => ", a lower bound",
        };
        let notes = query.mechanism.notes().iter().map(ToString::to_string);
        let source =
            (!answer.method.is_empty()).then(|| format!("by {} ({}){bound}", answer.method, answer.citation()));
        for line in source.into_iter().chain(notes) {
            if !self.sources.contains(&line) {
                self.sources.push(line);
            }
        }
    }

    /// All of it.
    pub fn text(&self) -> String {
        let width = |column: usize| {
            let all = self.rows.iter().chain([&self.columns]);
            all.filter_map(|row| row.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let (first, second) = (width(0), width(1));
        let mut lines = vec![self.title.clone()];
        for [at, lower, upper] in [&self.columns].into_iter().chain(&self.rows) {
            lines.push(format!("  {at:first$}  {lower:second$}  {upper}").trim_end().to_string());
        }
        lines.extend(self.sources.iter().chain(&self.remarks).map(|line| format!("  {line}")));
        lines.join("\n")
    }
}

/// The coordinate, the quantity, and the point.
fn named(quantity: &Quantity) -> (&'static str, &'static str, String) {
    let shown = |value| Brief(value).to_string();
    match quantity {
        Quantity::Delta { epsilon } => ("epsilon", "delta", shown(epsilon)),
        Quantity::Epsilon { delta } => ("delta", "epsilon", shown(delta)),
        Quantity::Beta { alpha } => ("alpha", "beta", shown(alpha)),
        Quantity::Renyi { order } => ("order", "Renyi divergence", shown(order)),
        Quantity::Kl | Quantity::Tv | Quantity::Chi2 | Quantity::Max => ("point", "divergence", String::new()),
    }
}
