//! Answers at many points as one table for people.

use super::{
    FEWEST, Shown, direction_text, meaning_text, notes_text, proven_digits, shortage, shown_digits, source_text,
};
use crate::answer::{Answer, Outcome};
use crate::query::{Quantity, Query, Under};
use crate::theorem::functional::Functional;
use enclosure::Brief;
use enclosure::decimal::{Side, decimal};

/// The answers so far.
#[derive(Default)]
pub struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// What there is to say of single points, below.
    remarks: Vec<String>,
    /// By what, each once.
    sources: Vec<String>,
}

impl Table {
    /// An empty one.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(ToString::to_string).collect();
        Table { title: title.into(), columns, ..Table::default() }
    }

    /// One more row: a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// What there is to say of one row.
    pub fn remark(&mut self, text: String) {
        self.remarks.push(text);
    }

    /// By what, or what was made of words: told once.
    pub fn source(&mut self, line: String) {
        if !self.sources.contains(&line) {
            self.sources.push(line);
        }
    }

    /// One more answer, of the same quantity of the same composition.
    pub fn add(&mut self, query: &Query, answer: &Answer, shown: Shown) {
        let (coordinate, value, at) = named(&query.quantity);
        if self.rows.is_empty() {
            self.title = format!("{value} of {:#}{}", query.mechanism, direction_text(query.direction));
            self.columns = [coordinate, "lower", "upper"].map(str::to_string).to_vec();
        }
        let [lower, upper] = ends(&answer.outcome, query.digits);
        let mut remark = |text: String| self.remarks.push(format!("at {coordinate} = {at}: {text}"));
        if let Some(text) = shortfall(&answer.outcome, query.digits, shown.fraction) {
            remark(text);
        }
        if !answer.notes.is_empty() {
            let summary = super::explained::explanation(query, answer);
            remark(format!("{summary}{}", notes_text(&answer.notes)));
        }
        self.row([at, lower, upper]);
        let why = meaning_text(answer.meaning, answer.cause);
        let notes = query.mechanism.notes().iter().map(ToString::to_string);
        let source = source_text(answer).filter(|_| shown.source || !answer.notes.is_empty());
        why.into_iter().chain(notes).chain(source).for_each(|line| self.source(line));
    }

    /// All of it.
    pub fn text(&self) -> String {
        let width = |column: usize| {
            let all = self.rows.iter().chain([&self.columns]);
            all.filter_map(|row| row.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut lines = vec![self.title.clone()];
        for row in [&self.columns].into_iter().chain(&self.rows) {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("  {cell:width$}"));
            lines.push(cells.collect::<String>().trim_end().to_string());
        }
        lines.extend(self.sources.iter().chain(&self.remarks).map(|line| format!("  {line}")));
        lines.join("\n")
    }
}

/// Both ends of an outcome to the requested number of digits, or a status word twice.
pub fn ends(outcome: &Outcome, asked: u32) -> [String; 2] {
    let digits = proven_digits(asked, outcome);
    match outcome {
        Outcome::Infinite => ["infinity"; 2].map(str::to_string),
        Outcome::Undefined(_) => ["undefined"; 2].map(str::to_string),
        Outcome::Undecided(_) => ["undecided"; 2].map(str::to_string),
        outcome => {
            let digits = if matches!(outcome, Outcome::Short { .. }) { digits.max(FEWEST) } else { digits };
            let number = outcome.number();
            [Side::Lower, Side::Upper]
                .map(|side| number.as_ref().map_or(String::new(), |n| decimal(n, shown_digits(digits), side)))
        }
    }
}

/// A remark beside both ends: a fraction in full if requested, or the reason for missing digits.
pub fn shortfall(outcome: &Outcome, asked: u32, full: bool) -> Option<String> {
    match outcome {
        Outcome::Exact(value) if full => Some(format!("= {value}")),
        Outcome::Short { reason, .. } => Some(shortage(proven_digits(asked, outcome), None, reason)),
        // No digit of an undecided outcome is proven.
        Outcome::Undecided(reason) => Some(shortage(0, None, reason)),
        Outcome::Undefined(reason) => Some(format!("undefined: {reason}")),
        _ => None,
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
        Quantity::TruePositiveRate { rate } => ("fpr", "true positive rate", shown(rate)),
        Quantity::BayesRisk { prior } => ("prior", "Bayes risk", shown(prior)),
        Quantity::Conjugate { slope } => ("slope", "conjugate", shown(slope)),
        Quantity::Functional(Functional::Cumulant(order)) => ("order", "cumulant", order.to_string()),
        Quantity::CanonicalCdf { x } => ("x", "distribution function of canonical noise", shown(x)),
        Quantity::CanonicalQuantile { p } => ("p", "quantile of canonical noise", shown(p)),
        Quantity::LossAbove { threshold, under: Under::P } => ("loss", "P[privacy loss > t]", shown(threshold)),
        Quantity::LossAbove { threshold, under: Under::Q } => ("loss", "Q[privacy loss > t]", shown(threshold)),
        Quantity::LossUpTo { threshold, under: Under::P } => ("loss", "P[privacy loss <= t]", shown(threshold)),
        Quantity::LossUpTo { threshold, under: Under::Q } => ("loss", "Q[privacy loss <= t]", shown(threshold)),
        Quantity::LossQuantile { probability, under: Under::P } => {
            ("u", "quantile of the privacy loss under P", shown(probability))
        }
        Quantity::LossQuantile { probability, under: Under::Q } => {
            ("u", "quantile of the privacy loss under Q", shown(probability))
        }
        // Divergences without a point are asked once, but where they are limits of others.
        Quantity::Kl => ("order", "Renyi divergence", "1".to_string()),
        Quantity::Max => ("order", "Renyi divergence", "inf".to_string()),
        Quantity::Tv | Quantity::Chi2 => ("point", "divergence", String::new()),
        other => ("point", other.name().name(), String::new()),
    }
}
