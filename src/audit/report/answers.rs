//! A table of all answers to each custom query.

use super::text::{in_columns, span, truth_text};
use super::{Course, Report};
use crate::audit::double::shortest;
use crate::audit::judgement::{Judgement, Party, Verdict};
use crate::audit::question::Asked;

/// So much of a message is shown in a table.
const SAID: usize = 70;

/// A longer number is cut in a table; a double has no more.
const WIDE: usize = 24;

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
        // Who could not be asked is in the table as well, in its place.
        let silent =
            |course: &&Course| course.gave_up.is_some() && of.iter().all(|judgement| judgement.party != course.party);
        let silent: Vec<&Party> = report.courses.iter().filter(silent).map(|course| &course.party).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text += &answer(&of, &silent);
    }
    text + &given_up(report)
}

/// Why some could not be asked: APIs for which the same was said, together.
fn given_up(report: &Report) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for course in &report.courses {
        let Some(why) = course.gave_up.as_deref() else { continue };
        let name = format!("{} {}", course.party.peer, course.party.api);
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    reasons.iter().map(|(why, names)| format!("{}: stopped: {why}\n", names.join(", "))).collect()
}

/// One question.
fn answer(judgements: &[&Judgement], silent: &[&Party]) -> String {
    let Some(first) = judgements.first() else { return String::new() };
    let at: Vec<String> = first.at.given().map(|(name, value)| format!("{name} = {}", shortest(value))).collect();
    let mut text = format!("{} of {} at {}\n", first.quantity.name(), first.mechanism, at.join(", "));
    let known = judgements.iter().find_map(|judgement| Some((judgement.truth.as_ref()?, judgement.seconds.dpcert)));
    if let Some((truth, seconds)) = known {
        let what = if first.quantity == Asked::Noise { "smallest sufficient value" } else { "truth" };
        let seconds = seconds.map(|seconds| format!("  (dpcert, {})", span(seconds))).unwrap_or_default();
        text += &format!("{what} {}{seconds}\n", truth_text(truth));
    }
    let (offered, others): (Vec<&Judgement>, Vec<&Judgement>) =
        judgements.iter().partition(|judgement| judgement.verdict != Verdict::Unsupported);
    if !offered.is_empty() || !silent.is_empty() {
        let headings = ["", "verdict", "claim", "claim / truth", "true delta", "time"];
        let mut lines = vec![headings.map(str::to_string).to_vec()];
        lines.extend(offered.iter().map(|judgement| cells(judgement)));
        lines.extend(silent.iter().map(|party| not_asked(party)));
        // Empty columns are omitted.
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
        text += &format!("not supported by {}\n", names.join(", "));
    }
    text
}

/// The row of somebody who could not be asked.
fn not_asked(party: &Party) -> Vec<String> {
    let name = format!("{} {} {}", party.peer, party.version, party.api);
    vec![name, "not queried".to_string(), "-".to_string(), String::new(), String::new(), String::new()]
}

/// A number with as many digits as a table has room for.
fn cut(number: &str) -> String {
    match number.char_indices().nth(WIDE) {
        Some((end, _)) => format!("{}...", &number[..end]),
        None => number.to_string(),
    }
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
        (Some(kind), Some(claim)) => format!("{} {}", kind.name(), cut(claim)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::question::{At, Question};

    fn party(peer: &str, api: &str) -> Party {
        Party { peer: peer.into(), version: "1".into(), api: api.into() }
    }

    fn course(party: &Party, gave_up: Option<&str>) -> Course {
        Course {
            party: party.clone(),
            documentation: String::new(),
            questions: 1,
            restarts: 0,
            talk: 0,
            gave_up: gave_up.map(str::to_string),
        }
    }

    /// A program that could not be queried has a row, and its reason is printed once.
    #[test]
    fn whoever_is_not_asked_is_in_the_table() {
        let (right, one, other) = (party("right", "a"), party("gone", "a"), party("gone", "b"));
        let question = Question::new("q", Asked::Delta, Vec::new(), At::default());
        let mut judgement = Judgement::of(&right, &question, Verdict::Sound);
        judgement.kind = Some(crate::audit::protocol::Kind::Upper);
        judgement.claim_decimal = Some("0.123456789012345678901234567890".into());
        let why = "gone 1 does not install: pip says no";
        let report = Report {
            courses: vec![course(&right, None), course(&one, Some(why)), course(&other, Some(why))],
            judgements: vec![judgement],
            ..Report::new()
        };
        let text = answers(&report);
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(rows.contains(&vec!["right", "1", "a", "sound", "upper", "0.1234567890123456789012..."]), "{text}");
        for api in ["a", "b"] {
            assert!(rows.contains(&vec!["gone", "1", api, "not", "queried", "-"]), "{text}");
        }
        assert_eq!(text.matches("does not install").count(), 1, "{text}");
        assert!(text.contains("gone a, gone b: stopped: "), "{text}");
    }
}
