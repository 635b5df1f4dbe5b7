//! Index of the papers' statements by the name and number that they have there: `proofs/statements.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::error::Error;

/// The file, as it was when the program was built.
const FILE: &str = include_str!("../../proofs/statements.toml");

/// A statement of a paper.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Short name of the paper and number, such as `KOV-3.3`.
    pub(crate) name: String,
    /// Where it stands in the paper.
    pub(crate) place: String,
    /// What it says, in one sentence.
    pub(crate) says: String,
    /// Other names and subjects.
    #[serde(default)]
    also: Vec<String>,
    /// Commands that answer the same question about your own numbers.
    #[serde(default)]
    pub(crate) ask: Vec<String>,
    /// Why there is no such command.
    #[serde(default)]
    pub(crate) unasked: Option<String>,
    /// Names of checked claims; `NAME*` stands for `NAME` and for all that begin with `NAME-`.
    claims: Vec<String>,
}

/// A difference between what a paper prints and what is true.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Erratum {
    /// Its name, such as `E-1`.
    pub(crate) name: String,
    /// The difference, in one sentence.
    pub(crate) says: String,
}

/// All statements and errata, in the order of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Index {
    #[serde(rename = "statement")]
    pub(crate) statements: Vec<Row>,
    #[serde(rename = "erratum")]
    pub(crate) errata: Vec<Erratum>,
}

/// A paper: its short name here, its authors, and other names.
struct Source {
    tag: &'static str,
    authors: &'static str,
    aliases: &'static [&'static str],
}

/// All papers of the index. An alias is in the form of [`plain`].
const SOURCES: [Source; 11] = [
    Source { tag: "kov", authors: "Kairouz, Oh, Viswanath", aliases: &["kairouz-oh-viswanath", "kairouz"] },
    Source { tag: "drs", authors: "Dong, Roth, Su", aliases: &["dong-roth-su", "dong"] },
    Source { tag: "dr", authors: "Dwork, Rothblum", aliases: &["dwork-rothblum", "dwork"] },
    Source { tag: "st", authors: "Smith, Thakurta", aliases: &["smith-thakurta", "smith"] },
    Source { tag: "su", authors: "Su", aliases: &[] },
    Source { tag: "mv", authors: "Murtagh, Vadhan", aliases: &["murtagh-vadhan", "murtagh"] },
    Source { tag: "bs", authors: "Bun, Steinke 2016", aliases: &["bun-steinke", "bun"] },
    Source { tag: "cks", authors: "Canonne, Kamath, Steinke 2020", aliases: &["canonne-kamath-steinke", "canonne"] },
    Source { tag: "av", authors: "Awan, Vadhan 2023", aliases: &["awan-vadhan", "awan"] },
    Source { tag: "gv", authors: "Geng, Viswanath", aliases: &["geng-viswanath", "geng"] },
    Source { tag: "mir", authors: "Mironov 2017", aliases: &["mironov"] },
];

/// Words for the kind of a statement: its number is its name without them.
const KINDS: [&str; 18] = [
    "theorem",
    "thm",
    "proposition",
    "prop",
    "lemma",
    "corollary",
    "cor",
    "definition",
    "def",
    "section",
    "sec",
    "equation",
    "eq",
    "remark",
    "fact",
    "claim",
    "appendix",
    "the",
];

/// Lower case, with `-` between words and the full names of papers shortened.
pub(crate) fn plain(text: &str) -> String {
    let spaced: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '^' | '+') { c } else { ' ' })
        .collect();
    let word = |word| match word {
        "fig" => "figure",
        "tab" => "table",
        word => word,
    };
    let words: Vec<&str> = spaced.split_whitespace().map(|text| word(text.trim_matches('.'))).collect();
    let words = words.join("-");
    for source in &SOURCES {
        for alias in source.aliases {
            match words.strip_prefix(alias) {
                Some("") => return source.tag.to_string(),
                Some(rest) if rest.starts_with('-') => return format!("{}{rest}", source.tag),
                _ => {}
            }
        }
    }
    words
}

/// [`plain`] without words for the kind of a statement, and without the letter of it, as in `DR-L3.9`.
fn key(text: &str) -> String {
    let plain = plain(text);
    let words = plain.split('-').filter(|word| !KINDS.contains(word));
    let numbers = words.map(|word| {
        let rest = word.trim_start_matches(['l', 'c', 'f', 'd']);
        if word.len() == rest.len() + 1 && rest.starts_with(|c: char| c.is_ascii_digit()) { rest } else { word }
    });
    numbers.collect::<Vec<_>>().join("-")
}

impl Row {
    /// Its paper.
    fn source(&self) -> Option<&'static Source> {
        let tag = self.name.split('-').next().unwrap_or_default().to_lowercase();
        SOURCES.iter().find(|source| source.tag == tag)
    }

    /// Authors and place.
    pub(crate) fn citation(&self) -> String {
        let authors = self.source().map_or("", |source| source.authors);
        format!("{authors}, {}", self.place)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        [self.name.as_str()].into_iter().chain(self.also.iter().map(String::as_str))
    }

    /// Is this claim about it?
    pub(crate) fn has(&self, claim: &str) -> bool {
        self.claims.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(stem) => claim.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
            None => pattern == claim,
        })
    }

    /// The patterns of claims that none of these has.
    #[cfg(test)]
    pub(crate) fn stale(&self, claims: &[&str]) -> Vec<&str> {
        let alone = |pattern: &str| Row { claims: vec![pattern.to_string()], ..Row::default() };
        let stale = |pattern: &&str| !claims.iter().any(|claim| alone(pattern).has(claim));
        self.claims.iter().map(String::as_str).filter(stale).collect()
    }

    /// Whether its text contains all of these words. More than half of a word is enough, as in `tail` for "tails".
    fn mentions(&self, words: &[&str]) -> bool {
        let text = plain(&format!("{} {} {}", self.also.join(" "), self.citation(), self.says));
        let is = |known: &str, word: &str| known.starts_with(word) && known.len() < 2 * word.len();
        words.iter().all(|word| text.split('-').any(|known| is(known, word)))
    }
}

impl Index {
    /// The index of the file.
    pub(crate) fn embedded() -> Result<&'static Index, Error> {
        static INDEX: LazyLock<Result<Index, String>> =
            LazyLock::new(|| toml::from_str(FILE).map_err(|error| error.to_string()));
        INDEX.as_ref().map_err(|error| Error::input(format!("proofs/statements.toml: {error}")))
    }

    /// The statements of this name or subject, else those of this number, else all of the paper of this name.
    pub(crate) fn named(&self, text: &str) -> Vec<&Row> {
        let (words, number) = (plain(text), key(text));
        if words.is_empty() || number.is_empty() {
            return Vec::new();
        }
        let of = |wanted: &dyn Fn(&Row) -> bool| self.statements.iter().filter(|row| wanted(row)).collect::<Vec<_>>();
        let exact = of(&|row| row.names().any(|name| plain(name) == words));
        if !exact.is_empty() {
            return exact;
        }
        let numbered = |name: &str| {
            let name = key(name);
            name == number || name.split_once('-').is_some_and(|(_, bare)| bare == number)
        };
        let found = of(&|row| row.names().any(numbered));
        if !found.is_empty() {
            return found;
        }
        of(&|row| row.source().is_some_and(|source| source.tag == words))
    }

    /// The statements in which all of these words stand. A number that is not found is not a subject.
    pub(crate) fn mentioning(&self, text: &str) -> Vec<&Row> {
        let words = plain(text);
        let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
        let subject = !words.is_empty() && words.iter().all(|word| word.chars().all(char::is_alphabetic));
        self.statements.iter().filter(|row| subject && row.mentions(&words)).collect()
    }
}

/// The commands that ask the same as this claim of your own numbers.
pub(crate) fn asked_by(claim: &str) -> &'static [String] {
    let row = Index::embedded().ok().and_then(|index| index.statements.iter().find(|row| row.has(claim)));
    row.map_or(&[], |row| row.ask.as_slice())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let index = Index::embedded().unwrap();
        index.named(text).into_iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn rows_are_well_formed() {
        let index = Index::embedded().unwrap();
        let names: BTreeSet<&str> = index.statements.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names.len(), index.statements.len(), "two statements have one name");
        for row in &index.statements {
            assert!(row.source().is_some(), "{}: no such paper", row.name);
            assert_eq!(row.ask.is_empty(), row.unasked.is_some(), "{}: commands, or the reason for none", row.name);
            assert!(row.says.ends_with('.') && !row.place.is_empty(), "{}", row.name);
            assert!(row.ask.iter().all(|command| command.starts_with("dpcert ")), "{}", row.name);
        }
        for (at, erratum) in index.errata.iter().enumerate() {
            assert_eq!(erratum.name, format!("E-{}", at + 1));
            assert!(erratum.says.ends_with('.'), "{}", erratum.name);
        }
    }

    #[test]
    fn finds_a_statement_by_each_of_its_names() {
        for text in ["KOV-3.3", "kov 3.3", "kov/theorem-3.3", "Kairouz, Oh, Viswanath, Theorem 3.3"] {
            assert_eq!(found(text), ["KOV-3.3"], "{text}");
        }
        for text in ["DR-L3.9", "DR-3.9", "Dwork-Rothblum Lemma 3.9"] {
            assert_eq!(found(text), ["DR-L3.9"], "{text}");
        }
        assert_eq!(found("DRS-3.4"), ["DRS-3.4"]);
        assert_eq!(found("Blackwell"), ["KOV-2.5"]);
        assert_eq!(found("drs theorem 2.10"), ["KOV-2.5"]);
    }

    #[test]
    fn a_bare_number_finds_the_statement_of_each_paper() {
        assert_eq!(found("Theorem 3.5"), ["KOV-3.5", "DRS-3.5", "DR-3.5"]);
        // Lemma 2.2 and Fact 2.2 have their own counters.
        assert_eq!(found("dr 2.2"), ["DR-2.2"]);
        assert_eq!(found("DR-F2.2"), ["DR-F2.2"]);
    }

    #[test]
    fn the_name_of_a_paper_finds_all_of_it() {
        let all = found("SU");
        assert!(all.len() > 10 && all.iter().all(|name| name.starts_with("SU-")), "{all:?}");
        assert_eq!(found("Dong, Roth, Su"), found("drs"));
    }

    #[test]
    fn words_find_the_statements_that_mention_them() {
        let index = Index::embedded().unwrap();
        let mentioning = |text: &str| index.mentioning(text).into_iter().map(|row| row.name.as_str()).collect();
        let found: Vec<&str> = mentioning("Feldman shuffled");
        assert_eq!(found, ["SU-4.3"]);
        let begun: Vec<&str> = mentioning("Feldman shuffl");
        assert_eq!(begun, found);
        for text in ["nothing like this", "", "--", "kov/figur-2", "foo", "foot"] {
            let found: Vec<&str> = mentioning(text);
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }
}
