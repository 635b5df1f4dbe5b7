//! The report on a terminal.

use super::summary::{Row, worst};
use super::{Report, Summary};
use crate::audit::double::brief;
use crate::audit::judgement::{DeltaAtClaim, Judgement, Size, Verdict};

/// One line for each API.
pub fn table(summary: &Summary) -> String {
    let headings = ["", "sound", "loose", "unsound", "undec.", "failed", "unsup.", "worst", "peer", "dpcert", "ratio"];
    let mut lines: Vec<Vec<String>> = vec![headings.map(str::to_string).to_vec()];
    lines.extend(summary.rows.iter().map(cells));
    let widths: Vec<usize> = (0..headings.len())
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in &lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 => text += &format!("{cell:width$}"),
                _ => text += &format!("  {cell:>width$}"),
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    for row in &summary.rows {
        text += &notes(row);
    }
    text
}

fn cells(row: &Row) -> Vec<String> {
    let mut cells = vec![format!("{} {} {}", row.party.peer, row.party.version, row.party.api)];
    for verdict in Verdict::ALL {
        cells.push(match row.verdicts.get(&verdict) {
            None => "-".to_string(),
            Some(count) => count.to_string(),
        });
    }
    let worst = row.worst.as_ref().and_then(|worst| worst.ratio.clone());
    cells.push(worst.unwrap_or_else(|| "-".to_string()));
    for seconds in [row.peer_seconds, row.dpcert_seconds] {
        cells.push(seconds.map_or_else(|| "-".to_string(), span));
    }
    cells.push(row.time_ratio.map_or_else(|| "-".to_string(), |ratio| brief(ratio, 2)));
    cells
}

/// What the numbers of a row hide.
fn notes(row: &Row) -> String {
    let mut notes = Vec::new();
    if !row.unsound.is_empty() {
        let sizes = Size::ALL.iter().filter_map(|size| Some(format!("{} {}", row.unsound.get(size)?, size.name())));
        notes.push(format!("unsound: {}", sizes.collect::<Vec<_>>().join(", ")));
    }
    if !row.failed.is_empty() {
        let reasons = row.failed.iter().map(|(reason, count)| format!("{count} {}", reason.name()));
        notes.push(format!("failed: {}", reasons.collect::<Vec<_>>().join(", ")));
    }
    if row.restarts > 0 {
        notes.push(format!("started again {} time{}", row.restarts, if row.restarts == 1 { "" } else { "s" }));
    }
    if let Some(why) = &row.gave_up {
        notes.push(format!("given up: {why}"));
    }
    if notes.is_empty() {
        return String::new();
    }
    format!("{} {}: {}\n", row.party.peer, row.party.api, notes.join("; "))
}

fn span(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// The worst unsound claims of each API, each with what reproduces it.
pub fn findings(report: &Report, most: usize) -> String {
    let mut text = String::new();
    for course in &report.courses {
        let of: Vec<&Judgement> =
            report.judgements.iter().filter(|judgement| judgement.party == course.party).collect();
        for judgement in worst(&of).into_iter().take(most) {
            text += &finding(judgement);
        }
    }
    text
}

/// One claim, in full.
pub fn finding(judgement: &Judgement) -> String {
    let party = &judgement.party;
    let at: Vec<String> = judgement
        .at
        .given()
        .map(|(name, value)| format!("{name} = {}", crate::audit::double::shortest(value)))
        .collect();
    let mut text = format!(
        "\n{} {} {}: {} of {} at {}  [{}]\n",
        party.peer,
        party.version,
        party.api,
        judgement.quantity.name(),
        judgement.mechanism,
        at.join(", "),
        judgement.id
    );
    let claim = judgement.claim_decimal.as_deref().or(judgement.claim.as_deref()).unwrap_or("-");
    let kind = judgement.kind.map_or("claim", |kind| kind.name());
    let size = judgement.size.map(|size| format!(" ({})", size.name())).unwrap_or_default();
    let reason = judgement.reason.map(|reason| format!(" ({})", reason.name())).unwrap_or_default();
    text += &format!("  {}{size}{reason}: {kind} {claim}", judgement.verdict.name());
    if let Some(truth) = &judgement.truth {
        let end = |end: &Option<String>| end.clone().unwrap_or_else(|| "infinity".to_string());
        match truth.kind.as_str() {
            "exact" => text += &format!(", truth {}", end(&truth.lower)),
            "infinite" => text += ", truth infinity",
            _ => text += &format!(", truth in [{}, {}]", end(&truth.lower), end(&truth.upper)),
        }
    }
    if let Some(ratio) = &judgement.ratio {
        text += &format!(", ratio {ratio}");
    }
    text.push('\n');
    if let Some(delta) = &judgement.delta_at_claim {
        text += &match delta.promised.as_str() {
            "0" => format!("  the true delta at this claim is {}, where 0 was promised\n", delta.true_upper),
            promised => {
                let DeltaAtClaim { true_upper, multiple, .. } = delta;
                format!("  the true delta at this claim is {true_upper}, {multiple} times the {promised} promised\n")
            }
        };
    }
    if let Some(message) = &judgement.message {
        text += &format!("  {message}\n");
    }
    if let Some(says) = &judgement.says {
        text += &format!("  documented as: {says}\n");
    }
    if let Some(call) = &judgement.call {
        text += "  to reproduce:\n";
        for line in call.lines() {
            text += &format!("    {line}\n");
        }
    }
    text
}
