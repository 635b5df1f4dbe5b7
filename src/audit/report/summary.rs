//! Counts per API.

use std::collections::BTreeMap;

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
    /// Unsound claims per size.
    pub unsound: BTreeMap<Size, usize>,
    /// Failures per reason.
    pub failed: BTreeMap<Reason, usize>,
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
    /// All claims that were unsound.
    pub unsound: usize,
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
    let unsound = rows.iter().filter_map(|row| row.verdicts.get(&Verdict::Unsound)).sum();
    Summary { rows, unsound }
}

/// The unsound claims, the worst first.
pub fn worst<'a>(judgements: &[&'a Judgement]) -> Vec<&'a Judgement> {
    let mut unsound: Vec<&Judgement> =
        judgements.iter().copied().filter(|judgement| judgement.verdict == Verdict::Unsound).collect();
    unsound.sort_by(|a, b| b.severity().total_cmp(&a.severity()));
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

/// The middle one, to four digits: clocks tell no more.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.get(values.len() / 2)?;
    brief(*middle, 4).parse().ok()
}
