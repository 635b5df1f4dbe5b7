//! Information on a statement, table, figure or erratum of a paper, by its name.
//!
//! `help`, `theorem`, `claim` and `paper` show it for names that they do not handle themselves.

use serde::Serialize;

use super::failure::Failure;
use crate::claim;
use crate::paper::Library;
use crate::published::statements::{Erratum, Index, Row};
use crate::theorem::catalogue;

/// Largest number of statements shown in full; of more, each is shown by its sentence only.
const IN_FULL: usize = 6;

/// All entries with one name.
pub struct Card {
    rows: Vec<&'static Row>,
    theorem: Option<&'static catalogue::Entry>,
    erratum: Option<&'static Erratum>,
    /// Tables and figures: names and titles.
    items: Vec<(String, String)>,
}

/// A statement, as JSON.
#[derive(Serialize)]
pub struct Line<'a> {
    statement: &'a str,
    source: String,
    says: &'a str,
    ask: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    unasked: Option<&'a str>,
    claims: Vec<&'static str>,
}

/// A table or figure, as JSON.
#[derive(Serialize)]
pub struct ItemLine<'a> {
    paper: &'a str,
    title: &'a str,
}

/// The names of the claims, checked or not, that are about a statement.
fn claims_of(row: &Row) -> Vec<&'static str> {
    let checked = claim::all().into_iter().map(|claim| claim.id);
    checked.chain(claim::UNCHECKED.iter().map(|one| one.id)).filter(|id| row.has(id)).collect()
}

impl Card {
    /// The entries with this name, if there are any.
    pub fn find(name: &str) -> Result<Option<Card>, Failure> {
        let index = Index::embedded()?;
        let items = Library::embedded()?;
        let items: Vec<_> =
            items.named(name).into_iter().map(|item| (item.id.clone(), item.data.title.clone())).collect();
        let named = |known: &str| known.eq_ignore_ascii_case(name.trim());
        let theorem = catalogue::ALL.iter().find(|entry| named(entry.id));
        let erratum = index.errata.iter().find(|erratum| named(&erratum.name));
        let of_claim = |id: &'static str| index.statements.iter().filter(|row| row.has(id)).collect::<Vec<_>>();
        let claims = claim::all().into_iter().map(|claim| claim.id).chain(claim::UNCHECKED.iter().map(|one| one.id));
        let rows = match index.named(name) {
            rows if !rows.is_empty() => rows,
            _ => match claims.filter(|id| named(id)).map(of_claim).next() {
                Some(rows) => rows,
                None if theorem.is_some() || erratum.is_some() || !items.is_empty() => Vec::new(),
                None => index.mentioning(name),
            },
        };
        let card = Card { rows, theorem, erratum, items };
        let empty = card.rows.is_empty() && theorem.is_none() && erratum.is_none() && card.items.is_empty();
        Ok((!empty).then_some(card))
    }

    /// The claims about its statements, without repetition.
    pub fn claims(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        for id in self.rows.iter().flat_map(|row| claims_of(row)) {
            if !all.contains(&id) {
                all.push(id);
            }
        }
        all
    }

    /// A command that evaluates the statement.
    pub fn command(&self) -> Option<&str> {
        self.rows.iter().find_map(|row| row.ask.first()).map(String::as_str)
    }

    /// Its statements, as JSON.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.rows.iter().map(|row| Line {
            statement: &row.name,
            source: row.citation(),
            says: &row.says,
            ask: &row.ask,
            unasked: row.unasked.as_deref(),
            claims: claims_of(row),
        })
    }

    /// Its tables and figures, as JSON.
    pub fn item_lines(&self) -> impl Iterator<Item = ItemLine<'_>> {
        self.items.iter().map(|(paper, title)| ItemLine { paper, title })
    }

    /// Text for the terminal.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        if self.rows.len() > IN_FULL {
            let short = |row: &&Row| format!("{} ({})\n  {}", row.name, row.citation(), row.says);
            parts.push(self.rows.iter().map(short).collect::<Vec<_>>().join("\n"));
            parts.push("`dpcert help NAME` shows the commands and claims of a statement.".to_string());
        } else {
            parts.extend(self.rows.iter().map(|row| full(row)));
        }
        if let Some(entry) = self.theorem
            && self.rows.iter().all(|row| row.ask.iter().all(|command| !command.contains(entry.id)))
        {
            parts.push(format!("{}\n  {}\n  run      dpcert theorem {}", entry.source, entry.says, entry.usage()));
        }
        if let Some(Erratum { name, says }) = self.erratum {
            parts.push(format!("{name}: {says}\n  claims   dpcert claim {name}"));
        }
        if !self.items.is_empty() {
            let widest = self.items.iter().map(|(id, _)| id.len()).max().unwrap_or(0);
            let item = |(id, title): &(String, String)| format!("  dpcert paper {id:widest$}  {title}");
            let items = self.items.iter().map(item).collect::<Vec<_>>().join("\n");
            parts.push(format!("Tables and figures:\n{items}"));
        }
        parts.join("\n\n")
    }
}

/// A statement with its commands and claims.
fn full(row: &Row) -> String {
    let mut text = format!("{} ({})\n  states   {}", row.name, row.citation(), row.says);
    for (at, command) in row.ask.iter().enumerate() {
        text += &format!("\n  {:8} {command}", if at == 0 { "run" } else { "" });
    }
    if let Some(why) = &row.unasked {
        text += &format!("\n  run      no command: {why}");
    }
    match claims_of(row).as_slice() {
        [] => {}
        [one] => text += &format!("\n  claims   dpcert claim {one}"),
        many => text += &format!("\n  claims   {} (`dpcert claim NAME` checks one)", many.join(", ")),
    }
    text
}
