//! Counts per API.
//!
//! Of false claims those count as unsound that are off by more than a rounding and by more than what is negligible
//! ([`Judgement::is_unsound`]); the others are counted apart. Failures are grouped by message.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::Report;
use crate::audit::double::brief;
use crate::audit::judgement::{Judgement, Party, Reason, Size, Verdict};

/// One API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Who.
    #[serde(flatten)]
    pub party: Party,
    /// Claims per verdict.
    pub verdicts: BTreeMap<Verdict, usize>,
    /// False claims per size.
    pub unsound: BTreeMap<Size, usize>,
    /// Failures per reason.
    pub failed: BTreeMap<Reason, usize>,
    /// Failures by what was said, the most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Group>,
    /// The unsound claim that is furthest off.
    #[serde(default)]
    pub worst: Option<Worst>,
    /// The median time of the package for an answer, in seconds.
    pub peer_seconds: Option<f64>,
    /// The median time of `dpcert` for the same questions.
    pub dpcert_seconds: Option<f64>,
    /// The median of the quotients of both times, question by question: the package's over `dpcert`'s.
    pub time_ratio: Option<f64>,
    /// How often its process had to be started again.
    pub restarts: u32,
    /// Why not everything was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<String>,
}

impl Row {
    /// False claims that are off by more than a rounding, and by more than what is negligible.
    pub fn gravely(&self) -> usize {
        self.unsound.iter().filter(|(size, _)| size.counts()).map(|(_, count)| count).sum()
    }

    /// All other false claims.
    pub fn barely(&self) -> usize {
        self.unsound.iter().filter(|(size, _)| !size.counts()).map(|(_, count)| count).sum()
    }
}

/// Failures of which the same was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Why they failed.
    pub reason: Reason,
    /// How many.
    pub count: usize,
    /// Message of the first failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Do the messages differ in their numbers?
    #[serde(default, skip_serializing_if = "is_false")]
    pub numbers_differ: bool,
    /// The first.
    pub id: String,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

/// The worst of the unsound claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worst {
    /// Which question.
    pub id: String,
    /// Claim over truth.
    pub ratio: Option<String>,
    /// For claims of an epsilon or of noise: true delta over promised delta.
    pub delta_multiple: Option<String>,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// One row for each API, in the order in which they were asked.
    pub rows: Vec<Row>,
    /// All false claims that are off by more than a rounding, and by more than what is negligible.
    pub unsound: usize,
    /// All other false claims.
    #[serde(default)]
    pub rounding: usize,
    /// All answers that failed.
    #[serde(default)]
    pub failed: usize,
}

/// Count.
pub fn summary(report: &Report) -> Summary {
    let mut rows = Vec::new();
    for course in &report.courses {
        let of: Vec<&Judgement> =
            report.judgements.iter().filter(|judgement| judgement.party == course.party).collect();
        let mut row = Row {
            party: course.party.clone(),
            verdicts: BTreeMap::new(),
            unsound: BTreeMap::new(),
            failed: BTreeMap::new(),
            failures: failures(&of),
            worst: None,
            peer_seconds: None,
            dpcert_seconds: None,
            time_ratio: None,
            restarts: course.restarts,
            gave_up: course.gave_up.clone(),
        };
        for judgement in &of {
            *row.verdicts.entry(judgement.verdict).or_default() += 1;
            if let Some(size) = judgement.size {
                *row.unsound.entry(size).or_default() += 1;
            }
            if let Some(reason) = judgement.reason {
                *row.failed.entry(reason).or_default() += 1;
            }
        }
        row.worst = worst(&of).first().map(|worst| Worst {
            id: worst.id.clone(),
            ratio: worst.ratio.clone(),
            delta_multiple: worst.delta_at_claim.as_ref().map(|delta| delta.multiple.clone()),
        });
        times(&mut row, &of);
        rows.push(row);
    }
    let failed = rows.iter().filter_map(|row| row.verdicts.get(&Verdict::Failed)).sum();
    let (unsound, rounding) = (rows.iter().map(Row::gravely).sum(), rows.iter().map(Row::barely).sum());
    Summary { rows, unsound, rounding, failed }
}

/// What failed, by what was said.
fn failures(judgements: &[&Judgement]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<(Reason, String), usize> = HashMap::new();
    for judgement in judgements {
        let Some(key) = said(judgement) else { continue };
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => {
                group.count += 1;
                group.numbers_differ |= group.message != judgement.message;
            }
            None => groups.push(Group {
                reason: key.0,
                count: 1,
                message: judgement.message.clone(),
                numbers_differ: false,
                id: judgement.id.clone(),
            }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    groups
}

/// Reason and message of a failed judgement, without the numbers in it.
pub fn said(judgement: &Judgement) -> Option<(Reason, String)> {
    let reason = judgement.reason.filter(|_| judgement.verdict == Verdict::Failed)?;
    let message = judgement.message.as_deref().filter(|_| reason != Reason::NotAsked).unwrap_or_default();
    // What could not be read is quoted: it is another one each time.
    let message =
        if reason == Reason::Unreadable { message.split(['`', '\'']).next().unwrap_or_default() } else { message };
    Some((reason, without_numbers(message)))
}

/// A text with `#` for each number: digits, a point and an exponent.
fn without_numbers(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(sign) = rest.next() {
        if !sign.is_ascii_digit() {
            short.push(sign);
            continue;
        }
        short.push('#');
        while rest.next_if(|sign| sign.is_ascii_digit() || *sign == '.').is_some() {}
        let mut ahead = rest.clone();
        if ahead.next_if(|sign| matches!(sign, 'e' | 'E')).is_some() {
            let _ = ahead.next_if(|sign| matches!(sign, '+' | '-'));
            if ahead.peek().is_some_and(char::is_ascii_digit) {
                while ahead.next_if(char::is_ascii_digit).is_some() {}
                rest = ahead;
            }
        }
    }
    short
}

/// The false claims, the worst first.
pub fn worst<'a>(judgements: &[&'a Judgement]) -> Vec<&'a Judgement> {
    let mut unsound: Vec<&Judgement> =
        judgements.iter().copied().filter(|judgement| judgement.verdict == Verdict::Unsound).collect();
    // Sizes first: of what is negligible the relative error says nothing.
    unsound.sort_by(|a, b| b.size.cmp(&a.size).then(b.severity().total_cmp(&a.severity())));
    unsound
}

fn times(row: &mut Row, judgements: &[&Judgement]) {
    let both: Vec<(f64, f64)> = judgements
        .iter()
        .filter(|judgement| judgement.claim.is_some())
        .filter_map(|judgement| Some((judgement.seconds.peer?, judgement.seconds.dpcert?)))
        .collect();
    row.peer_seconds = median(both.iter().map(|(peer, _)| *peer).collect());
    row.dpcert_seconds = median(both.iter().map(|(_, ours)| *ours).collect());
    let quotients = both.iter().filter(|(_, ours)| *ours > 0.0).map(|(peer, ours)| peer / ours);
    row.time_ratio = median(quotients.collect());
}

/// The median, to four digits, the precision of the clocks.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.get(values.len() / 2)?;
    brief(*middle, 4).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::question::{Asked, At, Question};

    #[test]
    fn numbers_make_no_other_message() {
        for (text, short) in [
            ("too many values to unpack (expected 1)", "too many values to unpack (expected #)"),
            ("epsilon 1e-05 of 0.25 is out of range", "epsilon # of # is out of range"),
            ("2ebb 1.5E+10. 3e 7e-", "#ebb #. #e #e-"),
            ("", ""),
            ("kov-delta-0007", "kov-delta-#"),
        ] {
            assert_eq!(without_numbers(text), short);
        }
    }

    #[test]
    fn what_failed_is_told_by_what_was_said() {
        let party = Party { peer: "mine".into(), version: "1".into(), api: "-".into() };
        let failed = |id: &str, reason: Reason, message: &str| Judgement {
            reason: Some(reason),
            message: Some(message.to_string()),
            ..Judgement::of(&party, &Question::new(id, Asked::Delta, Vec::new(), At::default()), Verdict::Failed)
        };
        let all = [
            failed("a", Reason::Hang, "no answer within 5 s"),
            failed("b", Reason::Raised, "ValueError: sigma 1.5 is too small"),
            failed("c", Reason::Raised, "ValueError: sigma 1e-3 is too small"),
            failed("d", Reason::NotAsked, "not asked: kov-delta-0007, about the same mechanism, took longer"),
            failed("e", Reason::NotAsked, "not asked: poisson-0009, about the same mechanism, took longer"),
            failed("f", Reason::NotAsked, "not asked: poisson-0009, about the same mechanism, took longer"),
        ];
        let groups = failures(&all.iter().collect::<Vec<_>>());
        let told: Vec<_> = groups.iter().map(|group| (group.reason, group.count, group.id.as_str())).collect();
        assert_eq!(told, [(Reason::NotAsked, 3, "d"), (Reason::Raised, 2, "b"), (Reason::Hang, 1, "a")]);
        assert_eq!(groups.iter().map(|group| group.numbers_differ).collect::<Vec<_>>(), [true, true, false]);
    }
}
