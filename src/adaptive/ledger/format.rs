//! File format of a ledger: lines of JSON, each with a checksum that covers the lines before it.
//!
//! ```text
//! {"dpcert-ledger":1,"committed":"000000000002","last":"....","check":"...."}     rewritten in place
//! {"cost":"mu^2","budget":"1","levels":[],"check":"...."}                         what was opened
//! {"entry":1,"spend":"1/4","check":"...."}                                        appended, one for each mechanism
//! {"entry":2,"spend":"1/9","label":"histogram","check":"...."}
//! ```
//!
//! **Killed processes.** An entry is appended and synced, then the first line is rewritten with its number and synced,
//! and only then is the mechanism granted. So after the committed entries there is nothing, or the beginning of one
//! entry, which is dropped, or one whole entry, which counts: it was not granted, but counting it is safe. Any other
//! text is damage. A missing or unfinished entry *within* the committed ones means a truncated file, which is damage
//! too; without the first line it would look like an older ledger.
//!
//! The first line has always the same length and lies within the first 512 bytes: it is replaced by one write inside of
//! one page, which a signal does not interrupt, and inside of one sector. Were it torn all the same, its checksum would
//! not hold, and the ledger would be refused.

use rug::Rational;
use serde::Deserialize;

use crate::adaptive::Notion;
use crate::error::Error;

/// How the first line begins.
const MARK: &str = "{\"dpcert-ledger\":";

/// The format that is written and read.
const VERSION: u32 = 1;

/// Digits of the number of committed entries.
const PLACES: usize = 12;

/// One mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its cost.
    pub cost: Rational,
    /// Purpose of the mechanism.
    pub label: Option<String>,
}

/// State of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Notion of privacy.
    pub notion: Notion,
    /// Largest cost that may be spent; `None` for an odometer.
    pub budget: Option<Rational>,
    /// Levels, in order.
    pub levels: Vec<Rational>,
    /// The granted mechanisms.
    pub entries: Vec<Entry>,
    /// Is the last line incomplete? It was never granted, and is dropped.
    pub torn: bool,
    /// Number of entries in the first line: all, or all but the last.
    pub(super) committed: usize,
    /// The length of all whole lines.
    pub(super) end: u64,
    /// The checksum of the last whole line.
    pub(super) chain: u32,
}

impl State {
    /// The sum of all costs.
    pub fn spent(&self) -> Rational {
        self.entries.iter().map(|entry| &entry.cost).sum()
    }
}

/// The polynomial of CRC-32 (IEEE 802.3), its bits reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The checksum of a line: the CRC-32 of the one before it and of its own text.
fn checksum(chain: u32, content: &str) -> u32 {
    let bytes = chain.to_le_bytes().into_iter().chain(content.bytes());
    !bytes.fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 })
    })
}

/// A line, and its checksum.
fn sealed(chain: u32, content: &str) -> (String, u32) {
    let sum = checksum(chain, content);
    (format!("{content},\"check\":\"{sum:08x}\"}}\n"), sum)
}

/// The first line.
pub(super) fn head(committed: usize, last: u32) -> String {
    let content = format!("{MARK}{VERSION},\"committed\":\"{committed:0PLACES$}\",\"last\":\"{last:08x}\"");
    sealed(0, &content).0
}

/// A new ledger.
pub(super) fn opened(notion: Notion, budget: Option<&Rational>, levels: &[Rational]) -> String {
    let budget = budget.map_or("null".to_string(), |budget| format!("\"{budget}\""));
    let levels: Vec<String> = levels.iter().map(|level| format!("\"{level}\"")).collect();
    let cost = notion.cost_name();
    let content = format!("{{\"cost\":\"{cost}\",\"budget\":{budget},\"levels\":[{}]", levels.join(","));
    let (line, chain) = sealed(0, &content);
    head(0, chain) + &line
}

/// The line of the next entry, the first line that commits it, and its checksum.
pub(super) fn appended(state: &State, entry: &Entry) -> (String, String, u32) {
    let number = state.entries.len() + 1;
    let label = match &entry.label {
        // A string of JSON, which a string of Rust is not.
        Some(label) => format!(",\"label\":{}", serde_json::Value::from(label.as_str())),
        None => String::new(),
    };
    let (line, chain) = sealed(state.chain, &format!("{}{}\"{label}", begun(number), entry.cost));
    (line, head(number, chain), chain)
}

/// A ledger that says all that this state says, with every entry committed.
#[cfg(feature = "cli")]
pub fn written(state: &State) -> String {
    let opened = opened(state.notion, state.budget.as_ref(), &state.levels);
    let second = opened.split_inclusive('\n').nth(1).unwrap_or_default();
    let mut lines = second.to_string();
    let chain = checksum(0, second.rsplit_once(",\"check\"").map_or("", |(content, _)| content));
    let mut now = State { entries: Vec::new(), chain, ..state.clone() };
    for entry in &state.entries {
        let (line, _, chain) = appended(&now, entry);
        lines += &line;
        now.chain = chain;
        now.entries.push(entry.clone());
    }
    head(state.entries.len(), now.chain) + &lines
}

/// How an entry begins.
fn begun(number: usize) -> String {
    format!("{{\"entry\":{number},\"spend\":\"")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[serde(rename = "dpcert-ledger")]
    version: u32,
    committed: String,
    last: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opened {
    cost: String,
    budget: Option<String>,
    levels: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spend {
    entry: usize,
    spend: String,
    label: Option<String>,
}

/// A line without its checksum, if that holds.
fn unsealed(line: &[u8], chain: u32) -> Option<(String, u32)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix("\"}\n")?;
    let (content, check) = line.rsplit_once(",\"check\":\"")?;
    let sum = checksum(chain, content);
    (check == format!("{sum:08x}")).then(|| (format!("{content}}}"), sum))
}

/// A fraction that is not negative.
fn fraction(text: &str) -> Option<Rational> {
    text.parse::<Rational>().ok().filter(|value| *value >= 0)
}

/// Read a ledger.
///
/// # Errors
/// [`Error::Input`] for a file that is not a ledger, and for a damaged ledger, with the line number.
pub fn parse(bytes: &[u8], name: &str) -> Result<State, Error> {
    let refuse = |why: String| Err(Error::input(format!("'{name}' {why}; nothing was changed")));
    let damaged = |line: usize, why: &str| refuse(format!("is damaged: line {line} {why}"));
    if bytes.is_empty() {
        return refuse("is empty, not a ledger".into());
    }
    if !bytes.starts_with(MARK.as_bytes()) {
        return refuse("is not a ledger of dpcert".into());
    }
    // Another format may have other checksums.
    let version: String =
        bytes[MARK.len()..].iter().map(|byte| char::from(*byte)).take_while(char::is_ascii_digit).take(9).collect();
    if version.parse().is_ok_and(|version: u32| version != VERSION) {
        return refuse(format!("has ledger format {version}; this version of dpcert reads format {VERSION}"));
    }
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut end = 0;
    let mut next = || {
        let line = lines.next();
        end += line.map_or(0, |line| line.len() as u64);
        (line, end)
    };
    // The first line.
    let Some((text, _)) = next().0.and_then(|line| unsealed(line, 0)) else {
        return damaged(1, "does not match its checksum");
    };
    let Ok(Head { version, committed, last }) = serde_json::from_str(&text) else {
        return damaged(1, "is not a valid ledger header");
    };
    if version != VERSION {
        return damaged(1, "is not a valid ledger header");
    }
    let (Ok(committed), Ok(last)) = (committed.parse::<usize>(), u32::from_str_radix(&last, 16)) else {
        return damaged(1, "is not a valid ledger header");
    };
    // Notion, budget and levels.
    let (line, mut whole) = next();
    let Some((text, mut chain)) = line.and_then(|line| unsealed(line, 0)) else {
        return damaged(2, "does not match its checksum");
    };
    let opened = serde_json::from_str(&text).ok().and_then(|Opened { cost, budget, levels }| {
        let notion = Notion::ALL.into_iter().find(|notion| notion.cost_name() == cost)?;
        let budget = match budget {
            Some(budget) => Some(fraction(&budget)?),
            None => None,
        };
        Some((notion, budget, levels.iter().map(|level| fraction(level)).collect::<Option<Vec<_>>>()?))
    });
    let Some((notion, budget, levels)) = opened else { return damaged(2, "is not a valid ledger header") };
    // Entries.
    let mut entries: Vec<Entry> = Vec::new();
    let (mut torn, mut sum) = (false, Rational::new());
    loop {
        let number = entries.len() + 1;
        if number == committed + 1 && chain != last {
            return damaged(number + 1, "is not the last entry recorded in line 1");
        }
        let (Some(line), here) = next() else { break };
        let place = number + 2;
        if !line.ends_with(b"\n") {
            if number <= committed {
                return damaged(place, &format!("is truncated, but {committed} entries were granted"));
            }
            let beginning = begun(number).into_bytes();
            let shared = beginning.len().min(line.len());
            if line[..shared] != beginning[..shared] {
                return damaged(place, "is not the beginning of an entry");
            }
            torn = true;
            break;
        }
        if number > committed + 1 {
            return damaged(place, &format!("is unexpected: only {committed} entries were granted"));
        }
        let Some((text, sealed)) = unsealed(line, chain) else {
            return damaged(place, "does not match its checksum");
        };
        let read = serde_json::from_str(&text).ok().filter(|spend: &Spend| spend.entry == number);
        let Some((cost, label)) = read.and_then(|spend| Some((fraction(&spend.spend)?, spend.label))) else {
            return damaged(place, "is not a valid entry");
        };
        sum += &cost;
        if budget.as_ref().is_some_and(|budget| sum > *budget) {
            return damaged(place, "spends more than the budget");
        }
        entries.push(Entry { cost, label });
        (whole, chain) = (here, sealed);
    }
    if entries.len() < committed {
        return refuse(format!("is truncated: it has {} of {committed} granted entries", entries.len()));
    }
    Ok(State { notion, budget, levels, entries, torn, committed, end: whole, chain })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They are those of another implementation.
    #[test]
    fn checksums_are_those_of_crc_32() {
        for (chain, line) in [(0, "123456789"), (0x0123_4567, ""), (u32::MAX, "{\"entry\":1,\"spend\":\"1/4\"}")] {
            let mut crc = flate2::Crc::new();
            crc.update(&chain.to_le_bytes());
            crc.update(line.as_bytes());
            assert_eq!(checksum(chain, line), crc.sum(), "{line}");
        }
    }
}
