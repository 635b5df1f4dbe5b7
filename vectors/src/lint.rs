//! Checks of vector files beyond the grammar. The lint reports all findings.

mod answer;
pub(crate) mod domain;
mod order;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use crate::catalogue::Domain;
use crate::format::{Bound, Case, Factor, Limit, Quantity, Trend, VectorFile};
use crate::load::{LoadError, VectorSet, json_files, load_str, read_text, to_json};
use crate::number::quote;

pub use domain::expression;

/// The highest order of an Edgeworth expansion.
const HIGHEST_ORDER: u32 = 3;

/// An error in a file or in one of its cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The case id; `None` for the whole file.
    pub id: Option<String>,
    /// Description of the error.
    pub reason: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.id {
            Some(id) => write!(f, "{}: {}: {}", self.file, id, self.reason),
            None => write!(f, "{}: {}", self.file, self.reason),
        }
    }
}

/// Findings about one file.
struct Report<'a> {
    file: &'a str,
    findings: Vec<Finding>,
}

impl Report<'_> {
    fn file(&mut self, reason: impl Into<String>) {
        self.findings.push(Finding { file: self.file.to_owned(), id: None, reason: reason.into() });
    }

    fn case(&mut self, case: &Case, reason: impl Into<String>) {
        self.findings.push(Finding { file: self.file.to_owned(), id: Some(case.id.clone()), reason: reason.into() });
    }
}

/// The names of all known mechanisms.
pub fn mechanisms() -> impl Iterator<Item = &'static str> {
    domain::names()
}

/// All errors in a mechanism and its parameters.
pub fn lint_factor(factor: &Factor) -> Vec<String> {
    let mut found = Vec::new();
    domain::lint(&mut |reason| found.push(reason), factor);
    found
}

/// All errors in one file. `name` is its path or name; the last component must be `<family>-<quantity>.json`.
pub fn lint_file(name: &str, file: &VectorFile) -> Vec<Finding> {
    let mut report = Report { file: name, findings: Vec::new() };
    lint_header(&mut report, file);
    let mut seen = BTreeSet::new();
    for case in &file.cases {
        lint_id(&mut report, file, case);
        if !seen.insert(&case.id) {
            report.case(case, "duplicate id in this file");
        }
        lint_words(&mut report, file, case);
        lint_query(&mut report, file, case);
        answer::lint(&mut |reason| report.case(case, reason), file.quantity, &case.answer);
        order::lint(&mut |reason| report.case(case, reason), file.quantity, case);
    }
    report.findings
}

/// All errors in a set of files, including ids used in two files.
pub fn lint_set(set: &VectorSet) -> Vec<Finding> {
    let mut findings: Vec<Finding> = set.files.iter().flat_map(|(name, file)| lint_file(name, file)).collect();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, file) in &set.files {
        for id in file.cases.iter().map(|case| case.id.as_str()).collect::<BTreeSet<_>>() {
            if let Some(owner) = owners.insert(id, name) {
                findings.push(Finding {
                    file: name.clone(),
                    id: Some(id.to_owned()),
                    reason: format!("id is also used in {owner}"),
                });
            }
        }
    }
    findings
}

/// All errors in a stored vector file: the findings of [`lint_file`], and bytes that differ from the output of
/// [`to_json`].
pub fn lint_str(name: &str, text: &str) -> Result<Vec<Finding>, LoadError> {
    let file = load_str(name, text)?;
    let mut findings = lint_file(name, &file);
    findings.extend(lint_bytes(name, text, &file));
    Ok(findings)
}

/// Runs [`lint_str`] on every file of a folder and finds ids used in two files.
pub fn lint_dir(path: impl AsRef<Path>) -> Result<Vec<Finding>, LoadError> {
    let mut set = VectorSet::default();
    let mut findings = Vec::new();
    for path in json_files(path.as_ref())? {
        let text = read_text(&path)?;
        let file = load_str(&path.display().to_string(), &text)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        findings.extend(lint_bytes(&name, &text, &file));
        set.files.insert(name, file);
    }
    findings.extend(lint_set(&set));
    Ok(findings)
}

fn lint_bytes(name: &str, text: &str, file: &VectorFile) -> Option<Finding> {
    let canonical = to_json(file).unwrap_or_default();
    let differs = text.lines().zip(canonical.lines()).take_while(|(a, b)| a == b).count() + 1;
    (text != canonical).then(|| Finding {
        file: name.to_owned(),
        id: None,
        reason: format!("line {differs} differs from the generator's output"),
    })
}

fn lint_header(report: &mut Report, file: &VectorFile) {
    if !is_slug(&file.family) {
        report.file(format!("family {} is not a slug such as kov or discrete-gaussian", quote(&file.family)));
    }
    let expected = format!("{}-{}.json", file.family, file.quantity);
    if report.file.rsplit(['/', '\\']).next() != Some(expected.as_str()) {
        report.file(format!("file must be named {expected}"));
    }
    for (what, text) in [("title", &file.title), ("about", &file.about)] {
        if text.trim().is_empty() {
            report.file(format!("{what} is empty"));
        }
    }
    if file.cases.is_empty() {
        report.file("no cases");
    }
    for (flag, meaning) in &file.flags {
        if !is_flag(flag) {
            report.file(format!("flag {} must be upper case with underscores, such as TINY_DELTA", quote(flag)));
        }
        if meaning.trim().is_empty() {
            report.file(format!("flag {} has no explanation", quote(flag)));
        }
        if !file.cases.iter().any(|case| case.flags.contains(flag)) {
            report.file(format!("flag {} is not used by any case", quote(flag)));
        }
    }
    for (statement, meaning) in &file.statements {
        if meaning.trim().is_empty() {
            report.file(format!("statement {} has no explanation", quote(statement)));
        }
        if !file.cases.iter().any(|case| &case.statement == statement) {
            report.file(format!("statement {} is not used by any case", quote(statement)));
        }
    }
}

fn lint_id(report: &mut Report, file: &VectorFile, case: &Case) {
    let prefix = format!("{}-{}-", file.family, file.quantity);
    match case.id.strip_prefix(&prefix) {
        None => report.case(case, format!("id must begin with {prefix}")),
        Some(number) => {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            // 00017 beside 0017 would be two ids for one eye.
            if !digits || number.len() < 4 || (number.len() > 4 && number.starts_with('0')) {
                report.case(case, format!("id must end in a number such as 0017, not {}", quote(number)));
            }
        }
    }
}

/// The comment, the flags, the statement and the routes.
fn lint_words(report: &mut Report, file: &VectorFile, case: &Case) {
    if case.comment.trim().is_empty() {
        report.case(case, "comment is empty");
    }
    let mut seen = BTreeSet::new();
    for flag in &case.flags {
        if !file.flags.contains_key(flag) {
            report.case(case, format!("flag {} is not in the dictionary", quote(flag)));
        }
        if !seen.insert(flag) {
            report.case(case, format!("duplicate flag {}", quote(flag)));
        }
    }
    if !file.statements.contains_key(&case.statement) {
        report.case(case, format!("statement {} is not in the dictionary", quote(&case.statement)));
    }
    let routes: BTreeSet<&str> = case.routes.iter().map(|route| route.trim()).filter(|r| !r.is_empty()).collect();
    if routes.len() < 2 {
        report.case(case, "fewer than two distinct routes");
    }
    if routes.len() < case.routes.len() {
        report.case(case, "empty or duplicate route");
    }
}

/// The mechanism and the point.
fn lint_query(report: &mut Report, file: &VectorFile, case: &Case) {
    if case.parameters.is_empty() {
        report.case(case, "mechanism has no factors");
    }
    for factor in &case.parameters {
        domain::lint(&mut |reason| report.case(case, reason), factor);
    }
    lint_expression(&mut |reason| report.case(case, reason), &case.mechanism, &case.parameters);
    // What keeps a guarantee errs no less, and loses no more.
    let side = match file.quantity.with_loss() {
        Trend::Grows => Some(Bound::Upper),
        Trend::Falls => Some(Bound::Lower),
        Trend::Unknown => None,
    };
    if case.bound.is_some() && case.bound != side {
        report.case(case, format!("a guarantee gives no bound of {} on this side", file.quantity));
    }
    if case.limit.is_some() != file.quantity.is_limit() {
        let told = if file.quantity.is_limit() { "needs a limit theorem" } else { "takes no limit theorem" };
        report.case(case, format!("{} {told}", file.quantity));
    }
    if matches!(case.limit, Some(Limit::Edgeworth { order }) if order > HIGHEST_ORDER) {
        report.case(case, format!("order of an Edgeworth expansion must be 0 to {HIGHEST_ORDER}"));
    }
    for (asked, given, what) in [
        (Quantity::Theorem, case.theorem.is_some(), "a theorem"),
        (Quantity::Accuracy, case.game.is_some(), "a function of private bits"),
    ] {
        let wanted = file.quantity == asked;
        if wanted != given {
            let takes = if wanted { "needs" } else { "takes no" };
            let what = if wanted { what } else { what.trim_start_matches("a ") };
            report.case(case, format!("{} {takes} {what}", file.quantity));
        }
    }
    if let Some(game) = &case.game {
        for (name, list) in [("epsilon", &game.epsilon), ("delta", &game.delta)] {
            if list.len() != game.parties as usize {
                report.case(case, format!("{} parties, but {} values of {name}", game.parties, list.len()));
            }
        }
    }
    let unknowns = domain::unknowns(&case.parameters);
    let sought = usize::from(file.quantity == Quantity::Calibrate);
    if unknowns != sought {
        report.case(case, format!("{}: number of unknown parameters must be {sought}, not {unknowns}", file.quantity));
    }
    lint_point(report, file.quantity, case);
}

/// The coordinates that the quantity has, and values that they can take.
fn lint_point(report: &mut Report, quantity: Quantity, case: &Case) {
    let given: Vec<&str> = case.at.given().map(|(name, _)| name).collect();
    let sole: &[&str] = &quantity.coordinate().map_or(vec![], |name| vec![name]);
    // The first given coordinate selects the set.
    let several = quantity.points().iter().find(|names| given.iter().any(|name| names.contains(name)));
    let wanted = several.or(quantity.points().first()).copied().unwrap_or(sole);
    for (name, value) in case.at.given() {
        if !wanted.contains(&name) {
            report.case(case, format!("{quantity} takes no {name}"));
            continue;
        }
        let domain = match name {
            // A profile is defined at every real epsilon, a conjugate at every slope.
            "epsilon" | "slope" | "x" | "loss" => Domain::Real,
            "order" => Domain::Positive,
            _ => Domain::Probability,
        };
        if let Some(problem) = domain.problem(value) {
            report.case(case, format!("at {name}: {problem}"));
        }
    }
    for wanted in wanted.iter().filter(|wanted| !given.contains(wanted)) {
        report.case(case, format!("{quantity} needs a value of {wanted}"));
    }
}

/// Checks that `mechanism` and `parameters` describe the same composition.
fn lint_expression(report: &mut dyn FnMut(String), mechanism: &str, factors: &[Factor]) {
    if !factors.iter().all(domain::is_known) {
        return;
    }
    let expected = expression(factors);
    let without_spaces = |text: &str| text.split_whitespace().collect::<String>();
    if without_spaces(mechanism) != without_spaces(&expected) {
        report(format!("mechanism does not match parameters, which give {}", quote(&expected)));
    }
}

fn is_slug(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}

fn is_flag(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
