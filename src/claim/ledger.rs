//! The ledger: all claims with their verdicts, as a page and as JSON.

use std::fmt::Write;

use serde::Serialize;

use super::record::{Claim, FaultKind, Paper, Scope};
use super::unchecked::{UNCHECKED, Unchecked};
use super::verdict::Verdict;
use crate::published::statements::asked_by;

/// A general statement, proven for a class that the entry names.
const PROVEN_FOR_A_CLASS: &str = "proven for a class";
/// A statement about single numbers.
const PROVEN_NUMBERS: &str = "proven (numbers)";

/// A claim and its verdict, as they stand in the ledger.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The claim's name.
    pub id: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// Where in the paper.
    pub place: &'static str,
    /// The statement.
    pub says: &'static str,
    /// For which parameters.
    pub domain: &'static str,
    /// How it is checked.
    pub check: &'static str,
    /// Commands that compute the same for custom numbers.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub ask: &'static [String],
    /// The verdict in a word or a few.
    pub verdict: &'static str,
    /// The class that it is proven for, where that is not all that the statement is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// Evidence: the proof, the number of points, or the counterexample.
    pub evidence: String,
    /// The least difference of the sides, or by how much it fails; rounded down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<String>,
    /// Where it fails: is the statement false, or only misprinted?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<&'static str>,
    /// The known error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<&'static str>,
    /// The claim that says what is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected: Option<&'static str>,
    /// Is the verdict what the record says it is?
    #[serde(skip)]
    expected: bool,
    #[serde(skip)]
    source: Paper,
}

impl Entry {
    /// The entry of a claim.
    pub fn new(claim: &'static Claim, verdict: Verdict) -> Self {
        let expected = match verdict {
            Verdict::Proven { .. } | Verdict::Holds { .. } => claim.fault.is_none(),
            Verdict::Fails { .. } => claim.fault.is_some(),
            Verdict::Undecided { .. } => false,
        };
        Entry {
            id: claim.id,
            paper: claim.paper.title(),
            place: claim.place,
            says: claim.says,
            domain: claim.domain,
            check: claim.how,
            ask: asked_by(claim.id),
            verdict: match (&verdict, claim.scope) {
                (Verdict::Proven { .. }, Scope::Class(_)) => PROVEN_FOR_A_CLASS,
                (Verdict::Proven { .. }, Scope::Numbers) => PROVEN_NUMBERS,
                _ => verdict.word(),
            },
            class: match (&verdict, claim.scope) {
                (Verdict::Proven { .. }, Scope::Class(class)) => Some(class),
                _ => None,
            },
            evidence: verdict.evidence(),
            margin: verdict.margin(),
            fault: claim.fault.map(|fault| fault.kind.word()),
            what: claim.fault.map(|fault| fault.what),
            corrected: claim.fault.map(|fault| fault.corrected),
            expected,
            source: claim.paper,
        }
    }

    /// How it stands with what is known.
    pub fn status(&self) -> Standing {
        match (self.expected, self.verdict) {
            (true, _) => Standing::Expected,
            (false, "undecided") => Standing::Open,
            (false, _) => Standing::Surprise,
        }
    }

    /// Has it this verdict?
    fn is(&self, word: &str) -> bool {
        self.verdict == word
    }

    /// The lines that `claim ID` prints.
    pub fn lines(&self) -> String {
        let mut text = format!("{} ({}; {})\n", self.id, self.paper, self.place);
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "  {name:10} {value}");
        };
        line("statement", self.says);
        line("domain", self.domain);
        line("check", self.check);
        line("verdict", self.verdict);
        if let Some(class) = self.class {
            line("class", class);
        }
        line(if self.is("fails") { "at" } else { "evidence" }, &self.evidence);
        if let Some(margin) = &self.margin {
            line("margin", margin);
        }
        if let (Some(fault), Some(what), Some(corrected)) = (self.fault, self.what, self.corrected) {
            line("error", &format!("{fault}: {what}"));
            line("corrected", corrected);
        }
        for (at, command) in self.ask.iter().enumerate() {
            line(if at == 0 { "query" } else { "" }, command);
        }
        text.trim_end().to_string()
    }
}

/// A verdict, against what the record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A claim without a known fault holds; one with a fault fails.
    Expected,
    /// The other way round.
    Surprise,
    /// Undecided.
    Open,
}

/// A claim before it is checked.
#[derive(Serialize)]
pub struct Listed {
    id: &'static str,
    paper: &'static str,
    place: &'static str,
    says: &'static str,
    domain: &'static str,
    check: &'static str,
    ask: &'static [String],
}

impl Listed {
    /// The record.
    pub fn new(claim: &Claim) -> Self {
        let Claim { id, paper, place, says, domain, how, .. } = *claim;
        Listed { id, paper: paper.title(), place, says, domain, check: how, ask: asked_by(id) }
    }
}

/// How many have which verdict, in a sentence.
pub fn summary(entries: &[Entry]) -> String {
    let count = |word: &str| entries.iter().filter(|entry| entry.is(word)).count();
    let kind = |kind: FaultKind| entries.iter().filter(|entry| entry.fault == Some(kind.word())).count();
    let mut text = format!(
        "{} claims: {} proven for all parameters or on whole boxes, {} proven for a class, {} proven for single \
         numbers, {} hold at the points tried, {} fail as printed ({} false, {} misprinted)",
        entries.len(),
        count("proven"),
        count(PROVEN_FOR_A_CLASS),
        count(PROVEN_NUMBERS),
        count("holds at the points tried"),
        count("fails"),
        kind(FaultKind::False),
        kind(FaultKind::Misprint),
    );
    match count("undecided") {
        0 => {}
        open => {
            let _ = write!(text, ", {open} undecided");
        }
    }
    let _ = write!(text, ". {} statements are not checkable.", UNCHECKED.len());
    text
}

/// The page.
pub fn page(entries: &[Entry]) -> String {
    let mut text = String::from(
        "# Claims of the papers, checked\n\n\
         `dpcert claim all --out proofs` generates this page; `claims.json` holds the same as JSON.\n\n\
         * *Proven*: for all parameters of the domain, or on the whole box given as evidence.\n\
         * *Proven for a class*: a general statement, proven for the named class.\n\
         * *Proven (numbers)*: a statement about single numbers, proven.\n\
         * *Holds at the points tried*: evidence, not a proof.\n\
         * *Fails*: with a counterexample in the domain and the corrected claim.\n\
         * *Not checkable*: listed at the end, each with the reason.\n\n\
         The margin is the smallest difference between both sides, or the size of the failure, rounded\n\
         down. Identities and yes-no statements have none.\n\n",
    );
    let _ = writeln!(text, "{}", summary(entries));
    for paper in Paper::ALL {
        let own: Vec<&Entry> = entries.iter().filter(|entry| entry.source == paper).collect();
        let _ = write!(text, "\n## {}\n", paper.title());
        for entry in own {
            let _ = write!(text, "\n### {}: {}\n\n{}\n\n", entry.id, entry.verdict, entry.says);
            let mut line = |name: &str, value: &str| {
                let _ = writeln!(text, "* {name}: {value}");
            };
            line("source", entry.place);
            line("domain", entry.domain);
            line("check", entry.check);
            if let Some(class) = entry.class {
                line("class", class);
            }
            line(if entry.is("fails") { "fails at" } else { "evidence" }, &entry.evidence);
            if let Some(margin) = &entry.margin {
                line("margin", margin);
            }
            if let (Some(fault), Some(what), Some(corrected)) = (entry.fault, entry.what, entry.corrected) {
                line(fault, &format!("{what}; corrected: {corrected}"));
            }
            for command in entry.ask {
                line("query", &format!("`{command}`"));
            }
        }
    }
    text += "\n## Not checkable\n\nStatements of these papers without a check, each with the reason.\n";
    for Unchecked { id, place, says, because, .. } in UNCHECKED {
        let _ = write!(text, "\n### {id}: not checkable\n\n{says}\n\n* source: {place}\n* reason: {because}\n");
    }
    text
}

/// What stands in the JSON file.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Checked(&'a Entry),
    Unchecked(&'a Unchecked),
}

/// The JSON file: all claims, then what is not checkable.
pub fn json(entries: &[Entry]) -> String {
    let lines: Vec<Line> = entries.iter().map(Line::Checked).chain(UNCHECKED.iter().map(Line::Unchecked)).collect();
    // Strings and lists of them have a text.
    let mut text = serde_json::to_string_pretty(&lines).unwrap_or_default();
    text.push('\n');
    text
}
