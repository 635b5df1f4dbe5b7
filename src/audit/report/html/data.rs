//! What the page is drawn from: the judgements, with what many of them share told once.
//!
//! An audit of all packages has a hundred thousand judgements about a few thousand questions, and most of them say in
//! the same words that something is not offered. Written out they are a file that browsers open slowly; so questions,
//! parties and texts are lists, and a judgement names its own by their places.

use std::collections::HashMap;

use dpcert_vectors::Direction;
use serde::Serialize;

use crate::audit::double::brief;
use crate::audit::judgement::{DeltaAtClaim, Judgement, Party, Reason, Seconds, Size, TruthText, Verdict};
use crate::audit::peer::{Catalogue, Peer};
use crate::audit::protocol::Kind;
use crate::audit::question::{Asked, At, Step, Sweep};
use crate::audit::report::summary::said;
use crate::audit::report::{Course, Report, Row};
use crate::error::Error;
use crate::vector::suite::Flag;

/// So much of a message stands in a list of failures.
const LONGEST_LABEL: usize = 200;

/// Everything.
#[derive(Serialize)]
pub struct Data<'a> {
    dpcert: &'a str,
    /// Whether no audited program is a package with a built-in adapter.
    own: bool,
    parties: Vec<Asker<'a>>,
    /// One row for each party, in the same order; `null` for one that occurs only in judgements.
    summary: Vec<Option<Row>>,
    /// The meaning of each flag in use.
    flags: serde_json::Map<String, serde_json::Value>,
    texts: Vec<&'a str>,
    /// Label of each group of failures.
    failures: Vec<String>,
    questions: Vec<Question<'a>>,
    judgements: Vec<Entry<'a>>,
}

/// One API.
#[derive(Serialize)]
struct Asker<'a> {
    #[serde(flatten)]
    party: &'a Party,
    /// Can it be named on the command line?
    catalogued: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<&'a str>,
    restarts: u32,
    talk: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gave_up: Option<&'a str>,
}

/// One question.
#[derive(Serialize)]
struct Question<'a> {
    id: &'a str,
    quantity: Asked,
    mechanism: &'a str,
    expression: &'a str,
    family: String,
    at: &'a At,
    direction: Direction,
    flags: &'a [String],
    comment: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep: Option<&'a Sweep>,
}

/// One judgement.
#[derive(Serialize)]
struct Entry<'a> {
    party: usize,
    question: usize,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim_decimal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<&'a TruthText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// How bad an unsound claim is, for sorting.
    #[serde(skip_serializing_if = "Option::is_none")]
    badness: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta_at_claim: Option<&'a DeltaAtClaim>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<usize>,
    /// Label of the failure group.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<Seconds>,
}

/// Things by their place in a list, each once, in the order of their first use.
struct Places<'a> {
    list: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    fn new() -> Self {
        Places { list: Vec::new(), places: HashMap::new() }
    }

    fn of(&mut self, text: &'a str) -> usize {
        *self.places.entry(text).or_insert_with(|| {
            self.list.push(text);
            self.list.len() - 1
        })
    }
}

impl Data<'_> {
    /// Whether no audited program is a package with a built-in adapter.
    pub fn is_own(&self) -> bool {
        self.own
    }
}

impl<'a> Data<'a> {
    /// What a report's page is drawn from.
    pub fn of(report: &'a Report) -> Result<Self, Error> {
        let catalogue = Catalogue::embedded()?;
        let mut parties: Vec<Asker> = Vec::new();
        let mut places: HashMap<&Party, usize> = HashMap::new();
        for (party, course) in everybody(report) {
            places.entry(party).or_insert_with(|| {
                parties.push(Asker::of(party, course, catalogue.peers.iter().find(|peer| peer.name == party.peer)));
                parties.len() - 1
            });
        }
        let rows = report.summary().rows;
        let row_of = |party: &Party| rows.iter().find(|row| row.party == *party).cloned();
        let summary = parties.iter().map(|asker| row_of(asker.party)).collect();

        let mut texts = Places::new();
        let mut questions = Vec::new();
        // An id alone is not enough: two programs may be hunted by different questions of the same name.
        let mut known: HashMap<(&str, Asked, &str, String), usize> = HashMap::new();
        let mut judgements = Vec::with_capacity(report.judgements.len());
        let mut failures: Vec<String> = Vec::new();
        let mut groups: HashMap<(Reason, String), usize> = HashMap::new();
        for judgement in &report.judgements {
            let at: Vec<String> = judgement
                .at
                .given()
                .map(|(name, value)| format!("{name}={}", dpcert_vectors::hex_of_f64(value)))
                .collect();
            let at = format!("{} {:?}", at.join(","), judgement.direction);
            let key = (judgement.id.as_str(), judgement.quantity, judgement.expression.as_str(), at);
            let question = *known.entry(key).or_insert_with(|| {
                questions.push(Question::of(judgement));
                questions.len() - 1
            });
            let party = places.get(&judgement.party).copied().unwrap_or_default();
            let failure = said(judgement).map(|key| {
                *groups.entry(key).or_insert_with_key(|(reason, _)| {
                    failures.push(label(*reason, judgement.message.as_deref()));
                    failures.len() - 1
                })
            });
            judgements.push(Entry { failure, ..Entry::of(judgement, party, question, &mut texts) });
        }
        let flags = meanings(&questions);
        let own = !parties.is_empty() && parties.iter().all(|party| !party.catalogued);
        Ok(Data {
            dpcert: &report.dpcert,
            own,
            parties,
            summary,
            flags,
            texts: texts.list,
            failures,
            questions,
            judgements,
        })
    }
}

/// All audited programs, then those that occur only in judgements (in hand-made files).
fn everybody(report: &Report) -> impl Iterator<Item = (&Party, Option<&Course>)> {
    let asked = report.courses.iter().map(|course| (&course.party, Some(course)));
    asked.chain(report.judgements.iter().map(|judgement| (&judgement.party, None)))
}

impl<'a> Asker<'a> {
    fn of(party: &'a Party, course: Option<&'a Course>, peer: Option<&Peer>) -> Self {
        let api = peer.and_then(|peer| peer.apis.iter().find(|api| api.name == party.api));
        Asker {
            party,
            catalogued: api.is_some(),
            about: api.map(|api| api.about.clone()),
            documentation: course.map(|course| course.documentation.as_str()).filter(|address| !address.is_empty()),
            restarts: course.map_or(0, |course| course.restarts),
            talk: course.map_or(0, |course| course.talk),
            gave_up: course.and_then(|course| course.gave_up.as_deref()),
        }
    }
}

impl<'a> Question<'a> {
    fn of(judgement: &'a Judgement) -> Self {
        Question {
            id: &judgement.id,
            quantity: judgement.quantity,
            mechanism: &judgement.mechanism,
            expression: &judgement.expression,
            family: family(&judgement.parameters),
            at: &judgement.at,
            direction: judgement.direction,
            flags: &judgement.flags,
            comment: &judgement.comment,
            sweep: judgement.sweep.as_ref(),
        }
    }
}

impl<'a> Entry<'a> {
    fn of(judgement: &'a Judgement, party: usize, question: usize, texts: &mut Places<'a>) -> Self {
        let mut text = |text: &'a Option<String>| text.as_deref().map(|text| texts.of(text));
        let seconds = judgement.seconds;
        Entry {
            party,
            question,
            verdict: judgement.verdict,
            kind: judgement.kind,
            claim: judgement.claim.as_deref(),
            claim_decimal: judgement.claim_decimal.as_deref(),
            truth: judgement.truth.as_ref(),
            reason: judgement.reason,
            size: judgement.size,
            ratio: judgement.ratio.as_deref(),
            error: judgement.error.as_deref(),
            badness: (judgement.verdict == Verdict::Unsound && judgement.severity().is_finite())
                .then(|| brief(judgement.severity(), 3)),
            delta_at_claim: judgement.delta_at_claim.as_ref(),
            call: text(&judgement.call),
            says: text(&judgement.says),
            message: text(&judgement.message),
            failure: None,
            seconds: (seconds.peer.is_some() || seconds.dpcert.is_some()).then_some(seconds),
        }
    }
}

/// The mechanisms in a composition by name, each once: `poisson(gaussian)`, `gaussian * laplace`.
fn family(steps: &[Step]) -> String {
    let mut names: Vec<String> = steps
        .iter()
        .map(|step| match step.of.as_slice() {
            [] => step.mechanism.clone(),
            inner => format!("{}({})", step.mechanism, family(inner)),
        })
        .collect();
    names.sort();
    names.dedup();
    names.join(" * ")
}

/// What a group of failures is called: why, and what was said of the first.
fn label(reason: Reason, message: Option<&str>) -> String {
    match message {
        Some(message) if reason != Reason::NotAsked => {
            let short: String = message.chars().take(LONGEST_LABEL).collect();
            format!("{}: {short}", reason.name())
        }
        _ => reason.name().to_string(),
    }
}

/// The meaning of each flag in use, in the order of names. Unknown flags are omitted.
fn meanings(questions: &[Question]) -> serde_json::Map<String, serde_json::Value> {
    let mut used: Vec<&str> = questions.iter().flat_map(|question| question.flags).map(String::as_str).collect();
    used.sort_unstable();
    used.dedup();
    used.into_iter().filter_map(|flag| Some((flag.to_string(), meaning(flag)?.into()))).collect()
}

fn meaning(name: &str) -> Option<&'static str> {
    match name {
        "ROUNDED" => {
            Some("A stored query with its parameters rounded to the nearest doubles and its answer recomputed there.")
        }
        "SWEEP" => Some("One point of a plot: queries that differ in one parameter only."),
        "CALIBRATION" => Some("The smallest noise that meets a target epsilon and delta."),
        "CONVERSION" => Some("The mechanism is given only by a bound on its Renyi divergences (zCDP or RDP)."),
        "HUNT" => Some("Found by a random search for failing queries, then simplified as far as possible."),
        _ => Flag::ALL.into_iter().find(|flag| flag.name() == name).map(Flag::meaning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_name_each_mechanism_once() {
        let gaussian = || Step::new("gaussian", &[("sigma", 1.0)]);
        let laplace = || Step::new("laplace", &[("scale", 1.0)]);
        assert_eq!(family(&[gaussian().times(9), gaussian()]), "gaussian");
        assert_eq!(family(&[laplace(), gaussian(), laplace()]), "gaussian * laplace");
        assert_eq!(family(&[gaussian().sampled(0.1).times(3)]), "poisson(gaussian)");
    }

    #[test]
    fn every_flag_is_explained() {
        for flag in Flag::ALL {
            assert_eq!(meaning(flag.name()), Some(flag.meaning()));
        }
        assert_eq!(meaning("NO_SUCH_FLAG"), None);
    }
}
