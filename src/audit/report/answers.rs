//! One question, and what everybody says: a table for each question that was asked of one's own accord.

use super::Report;
use super::text::{in_columns, span, truth_text};
use crate::audit::double::shortest;
use crate::audit::judgement::{Judgement, Verdict};
use crate::audit::question::Asked;

/// So much of a message is shown in a table.
const SAID: usize = 70;

/// A table for each question: who claims what, what is true, the verdict, and the time it took.
pub fn answers(report: &Report) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for judgement in &report.judgements {
        if !ids.contains(&judgement.id.as_str()) {
            ids.push(&judgement.id);
        }
    }
    let mut text = String::new();
    for id in ids {
        let of: Vec<&Judgement> = report.judgements.iter().filter(|judgement| judgement.id == id).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text += &answer(&of);
    }
    for course in &report.courses {
        if let Some(why) = &course.gave_up {
            text += &format!("{} {}: given up: {why}\n", course.party.peer, course.party.api);
        }
    }
    text
}

/// One question.
fn answer(judgements: &[&Judgement]) -> String {
    let Some(first) = judgements.first() else { return String::new() };
    let at: Vec<String> = first.at.given().map(|(name, value)| format!("{name} = {}", shortest(value))).collect();
    let mut text = format!("{} of {} at {}\n", first.quantity.name(), first.mechanism, at.join(", "));
    let known = judgements.iter().find_map(|judgement| Some((judgement.truth.as_ref()?, judgement.seconds.dpcert)));
    if let Some((truth, seconds)) = known {
        let what = if first.quantity == Asked::Noise { "the least that would do" } else { "truth" };
        let seconds = seconds.map(|seconds| format!("  (dpcert, {})", span(seconds))).unwrap_or_default();
        text += &format!("{what} {}{seconds}\n", truth_text(truth));
    }
    let (offered, others): (Vec<&Judgement>, Vec<&Judgement>) =
        judgements.iter().partition(|judgement| judgement.verdict != Verdict::Unsupported);
    if !offered.is_empty() {
        let headings = ["", "verdict", "claim", "claim / truth", "delta there", "time"];
        let mut lines = vec![headings.map(str::to_string).to_vec()];
        lines.extend(offered.iter().map(|judgement| cells(judgement)));
        // What nobody needs to know is left out.
        let empty = |column: usize| lines.iter().skip(1).all(|line| line[column].is_empty());
        let kept: Vec<usize> = (0..headings.len()).filter(|&column| column < 3 || !empty(column)).collect();
        let lines: Vec<Vec<String>> =
            lines.iter().map(|line| kept.iter().map(|&column| line[column].clone()).collect()).collect();
        text += &in_columns(&lines, 2);
        for judgement in offered.iter().filter(|judgement| judgement.message.is_some()) {
            let message: String = judgement
                .message
                .iter()
                .flat_map(|message| message.split_whitespace())
                .fold(String::new(), |text, word| if text.is_empty() { word.to_string() } else { text + " " + word });
            let cut = message.char_indices().nth(SAID).map(|(end, _)| format!("{}...", &message[..end]));
            text += &format!("{} {}: {}\n", judgement.party.peer, judgement.party.api, cut.unwrap_or(message));
        }
    }
    if !others.is_empty() {
        let names: Vec<String> =
            others.iter().map(|judgement| format!("{} {}", judgement.party.peer, judgement.party.api)).collect();
        text += &format!("not offered by {}\n", names.join(", "));
    }
    text
}

fn cells(judgement: &Judgement) -> Vec<String> {
    let party = &judgement.party;
    let detail = judgement.size.map(|size| size.name()).or_else(|| judgement.reason.map(|reason| reason.name()));
    let verdict = match detail {
        Some(detail) => format!("{} ({detail})", judgement.verdict.name()),
        None => judgement.verdict.name().to_string(),
    };
    let claim = judgement.claim_decimal.as_deref().or(judgement.claim.as_deref());
    let claim = match (judgement.kind, claim) {
        (Some(kind), Some(claim)) => format!("{} {claim}", kind.name()),
        _ => "-".to_string(),
    };
    let delta = judgement.delta_at_claim.as_ref().map(|delta| match delta.promised.as_str() {
        "0" => delta.true_upper.clone(),
        promised => format!("{} x {promised}", delta.multiple),
    });
    vec![
        format!("{} {} {}", party.peer, party.version, party.api),
        verdict,
        claim,
        judgement.ratio.clone().unwrap_or_default(),
        delta.unwrap_or_default(),
        judgement.seconds.peer.map(span).unwrap_or_default(),
    ]
}
