//! The report on a terminal.

use super::summary::{Group, Row, worst};
use super::{Report, Summary};
use crate::audit::double::brief;
use crate::audit::gate::Gate;
use crate::audit::judgement::{DeltaAtClaim, Judgement, Reason, Size, TruthText, Verdict};
use crate::audit::question::Asked;

/// Maximum number of kinds of failures shown per API.
const GROUPS: usize = 5;

/// Maximum length of a message in a list, in characters.
const SAID: usize = 160;

/// One line for each API.
pub fn table(summary: &Summary) -> String {
    let headings =
        ["", "sound", "loose", "unsound", "rounding", "undec.", "failed", "unsup.", "worst", "peer", "dpcert", "ratio"];
    let mut lines: Vec<Vec<String>> = vec![headings.map(str::to_string).to_vec()];
    lines.extend(summary.rows.iter().map(cells));
    let mut text = in_columns(&lines, 1);
    for row in &summary.rows {
        text += &notes(row);
    }
    text
}

/// Aligns cells in columns: the first `left` columns to the left, the others to the right.
pub(super) fn in_columns(lines: &[Vec<String>], left: usize) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let gap = if column > 0 { "  " } else { "" };
            text += &if column < left { format!("{gap}{cell:width$}") } else { format!("{gap}{cell:>width$}") };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn cells(row: &Row) -> Vec<String> {
    let mut cells = vec![format!("{} {} {}", row.party.peer, row.party.version, row.party.api)];
    let count = |count: usize| if count == 0 { "-".to_string() } else { count.to_string() };
    for verdict in Verdict::ALL {
        match verdict {
            Verdict::Unsound => cells.extend([count(row.gravely()), count(row.barely())]),
            _ => cells.push(count(row.verdicts.get(&verdict).copied().unwrap_or(0))),
        }
    }
    let worst = row.worst.as_ref().and_then(|worst| worst.ratio.clone());
    cells.push(worst.unwrap_or_else(|| "-".to_string()));
    for seconds in [row.peer_seconds, row.dpcert_seconds] {
        cells.push(seconds.map_or_else(|| "-".to_string(), span));
    }
    cells.push(row.time_ratio.map_or_else(|| "-".to_string(), |ratio| brief(ratio, 2)));
    cells
}

/// Notes below a row.
fn notes(row: &Row) -> String {
    let mut notes = Vec::new();
    let barely =
        if row.unsound.contains_key(&Size::Negligible) { "false by a negligible amount" } else { "false by rounding" };
    for (name, counts) in [("unsound", true), (barely, false)] {
        let sizes = Size::ALL.iter().filter(|size| size.counts() == counts);
        let sizes = sizes.filter_map(|size| Some(format!("{} {}", row.unsound.get(size)?, size.name())));
        let sizes: Vec<String> = sizes.collect();
        if !sizes.is_empty() {
            notes.push(format!("{name}: {}", sizes.join(", ")));
        }
    }
    if !row.failed.is_empty() {
        let reasons = row.failed.iter().map(|(reason, count)| format!("{count} {}", reason.name()));
        notes.push(format!("failed: {}", reasons.collect::<Vec<_>>().join(", ")));
    }
    if row.restarts > 0 {
        notes.push(format!("restarted {} time{}", row.restarts, if row.restarts == 1 { "" } else { "s" }));
    }
    if let Some(why) = &row.gave_up {
        notes.push(format!("stopped: {why}"));
    }
    if notes.is_empty() {
        return String::new();
    }
    let mut text = format!("{} {}: {}\n", row.party.peer, row.party.api, notes.join("; "));
    for line in failures(row) {
        text += &format!("    {line}\n");
    }
    text
}

/// Failures, one line per message.
pub(super) fn failures(row: &Row) -> Vec<String> {
    let mut lines: Vec<String> = row.failures.iter().take(GROUPS).map(group_text).collect();
    if let Some(others) = row.failures.get(GROUPS..).filter(|others| !others.is_empty()) {
        let count: usize = others.iter().map(|group| group.count).sum();
        lines.push(format!("{count} other failures of {} kinds", others.len()));
    }
    lines
}

/// `1757 x raised: ValueError: too many values to unpack  [kov-delta-0001]`
fn group_text(group: &Group) -> String {
    let Group { reason, count, message, numbers_differ, id } = group;
    let often = format!("{count} x");
    let said = match (reason, message) {
        (Reason::NotAsked, _) => ": an earlier query of the same mechanism exceeded a limit".to_string(),
        (_, Some(message)) => {
            let mut said: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some((end, _)) = said.char_indices().nth(SAID) {
                said.truncate(end);
                said += "...";
            }
            format!(": {said}{}", if *numbers_differ { ", and similar messages with other numbers" } else { "" })
        }
        (_, None) => String::new(),
    };
    format!("{often} {}{said}  [{id}]", reason.name())
}

/// Which judgements the audit fails on, in a line; none where there is nothing to say.
pub fn gate_text(report: &Report, gate: &Gate) -> Option<String> {
    let fails = report.judgements.iter().filter(|judgement| gate.fails(judgement)).count();
    let known = report.judgements.iter().filter(|judgement| gate.forgives(judgement)).count();
    let all = report.judgements.len();
    match (&gate.baseline, fails) {
        (Some(_), _) => {
            let new = if fails == 0 { "none is new or worse".to_string() } else { format!("{fails} are new or worse") };
            Some(format!(
                "of {all} judgements, {known} are as bad as in the baseline and {new} (--fail-on {})",
                gate.fail_on
            ))
        }
        (None, 0) => None,
        (None, _) => Some(format!("the audit fails: {fails} of {all} judgements (--fail-on {})", gate.fail_on)),
    }
}

/// A time for people.
pub(super) fn span(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// The worst false claims of each API, each with what reproduces it; with a baseline those that are new or worse.
pub fn findings(report: &Report, most: usize, gate: &Gate) -> String {
    let mut text = String::new();
    for course in &report.courses {
        let of: Vec<&Judgement> =
            report.judgements.iter().filter(|judgement| judgement.party == course.party).collect();
        let news = |judgement: &&Judgement| gate.baseline.is_none() || gate.fails(judgement);
        for judgement in worst(&of).into_iter().filter(news).take(most) {
            text += &finding(judgement);
        }
    }
    text
}

/// Text of a true value.
pub(super) fn truth_text(truth: &TruthText) -> String {
    let end = |end: &Option<String>| end.clone().unwrap_or_else(|| "infinity".to_string());
    match truth.kind.as_str() {
        "exact" => end(&truth.lower),
        "infinite" => "infinity".to_string(),
        _ => format!("in [{}, {}]", end(&truth.lower), end(&truth.upper)),
    }
}

/// The true delta of claimed noise.
fn noise_text(judgement: &Judgement, delta: &DeltaAtClaim) -> String {
    let DeltaAtClaim { promised, true_lower, true_upper, multiple } = delta;
    let kept = match promised.as_str() {
        "0" => format!("true delta {true_upper}, target 0"),
        // Enough digits to distinguish it from the target, if available.
        _ if true_lower == true_upper => format!("true delta {true_upper}, {multiple} times the target {promised}"),
        _ => format!("true delta in [{true_lower}, {true_upper}], {multiple} times the target {promised}"),
    };
    let least = judgement.truth.as_ref().map(|truth| format!("; smallest sufficient value {}", truth_text(truth)));
    format!(", {kept}{}", least.unwrap_or_default())
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
    if judgement.quantity == Asked::Noise
        && let Some(delta) = &judgement.delta_at_claim
    {
        // The delta decides, not the smallest sufficient noise.
        text += &noise_text(judgement, delta);
    } else {
        text += &judgement.truth.as_ref().map(|truth| format!(", truth {}", truth_text(truth))).unwrap_or_default();
        if let Some(ratio) = &judgement.ratio {
            text += &format!(", ratio {ratio}");
        }
    }
    text.push('\n');
    if let Some(delta) = &judgement.delta_at_claim
        && judgement.quantity != Asked::Noise
    {
        text += &match delta.promised.as_str() {
            "0" => format!("  the true delta at this claim is {}, target 0\n", delta.true_upper),
            promised => {
                let DeltaAtClaim { true_upper, multiple, .. } = delta;
                format!("  the true delta at this claim is {true_upper}, {multiple} times the target {promised}\n")
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
