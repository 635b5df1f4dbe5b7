//! The committed vectors: they regenerate byte for byte, they are clean, and they are enough.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dpcert::internals::verify::{AccuracyQuestion, Approximation, OrderQuestion, Question, TheoremQuestion};
use dpcert::internals::{catalogue, generate, suite};
use dpcert::{Calibration, Composition, Query};
use dpcert_vectors::{lint_dir, load_dir};

use crate::support::Folder;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// Generating asks both routes again: a change in either that moves a digit shows here.
#[test]
fn they_regenerate_byte_for_byte() {
    let files = generate::generate(&suite::all(), "", &|_| {}).expect("every case is answered and confirmed");
    let mut names = BTreeSet::new();
    for (name, text) in &files {
        let stored = std::fs::read_to_string(folder().join("data").join(name)).expect("the file is committed");
        // Not assert_eq: a difference would print two megabytes.
        assert!(stored == *text, "{name} is not what `make vectors` writes");
        names.insert(name.clone());
    }
    let stored: BTreeSet<String> =
        load_dir(folder().join("data")).expect("the shipped vectors").files.into_keys().collect();
    assert_eq!(stored, names, "files without a suite, or suites without a file");
    let schema = std::fs::read_to_string(folder().join("schema.json")).expect("the schema is committed");
    assert_eq!(schema, generate::schema().expect("a schema"));
    let stored = std::fs::read_to_string(folder().join("catalogue.json")).expect("the catalogue is committed");
    assert_eq!(stored, catalogue().expect("a catalogue"));
}

#[test]
fn they_are_clean() {
    let findings = lint_dir(folder().join("data")).expect("readable files");
    assert!(findings.is_empty(), "{}", findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}

#[test]
fn there_are_enough_of_them() {
    let set = load_dir(folder().join("data")).expect("the shipped vectors");
    assert!(set.files.len() >= 40, "{} files", set.files.len());
    assert!(set.cases().count() >= 5500, "{} cases", set.cases().count());
}

/// No question is asked twice: a duplicate adds a line and catches nothing.
#[test]
fn no_question_is_asked_twice() {
    let set = load_dir(folder().join("data")).expect("the shipped vectors");
    let mut seen = BTreeSet::new();
    for (file, case) in set.cases() {
        let said = (case.limit, case.bound, &case.theorem, &case.game);
        let beside = case.other.as_ref().map(|other| &other.mechanism);
        let asked = format!("{:?} {said:?} {} {beside:?}", file.quantity, case.mechanism);
        let question = format!("{asked} {:?} {:?}", case.at, case.direction);
        assert!(seen.insert(question), "{} asks again what an earlier case asks", case.id);
    }
}

/// A stored case is a question: its fields, piped back as JSON, ask what it answers.
#[test]
fn stored_cases_read_as_queries() {
    let set = load_dir(folder().join("data")).expect("the shipped vectors");
    for (file, case) in set.cases() {
        let mut json = serde_json::json!({
            "id": case.id,
            "quantity": file.quantity,
            "mechanism": case.parameters,
            "at": case.at,
            "direction": case.direction,
        });
        match dpcert::internals::verify::question(file, case).expect("a stored question") {
            Question::Query(stored) | Question::Few(stored, _) => {
                let query: Query = serde_json::from_value(json).unwrap_or_else(|error| panic!("{}: {error}", case.id));
                assert_eq!(query.mechanism.to_string(), case.mechanism, "{}", case.id);
                assert_eq!(query.quantity, stored.quantity, "{}", case.id);
            }
            Question::Calibration(stored) => {
                let read = serde_json::from_value(json);
                let asked: Calibration = read.unwrap_or_else(|error| panic!("{}: {error}", case.id));
                assert_eq!(asked.target, stored.target, "{}", case.id);
                // With a number in the place of the `?`: 2 where 1 makes no sense, and a half beside other weights.
                let filled = |question: &Calibration| -> Option<Composition> {
                    let text = question.template.to_string();
                    ["1", "2", "1/2"].iter().find_map(|number| text.replace('?', number).parse().ok())
                };
                let stored = filled(&stored).unwrap_or_else(|| panic!("{}: no number will do", case.id));
                assert_eq!(filled(&asked), Some(stored), "{}", case.id);
            }
            Question::Order(stored) => {
                let asked = json.as_object_mut().expect("a question");
                asked.remove("at");
                asked.insert(
                    "other".into(),
                    serde_json::to_value(&case.other.as_ref().expect("another").parameters).unwrap(),
                );
                let read: OrderQuestion =
                    serde_json::from_value(json).unwrap_or_else(|error| panic!("{}: {error}", case.id));
                let (first, second) = read.compositions();
                assert_eq!([first, second], [&stored.first, &stored.second], "{}", case.id);
            }
            // These two are asked by names and numbers alone.
            Question::Theorem(_) => {
                let stored = case.theorem.as_ref().expect("a theorem");
                let json = serde_json::json!({
                    "quantity": "theorem",
                    "theorem": stored.name,
                    "given": stored.given,
                });
                let read = serde_json::from_value(json);
                let _: TheoremQuestion = read.unwrap_or_else(|error| panic!("{}: {error}", case.id));
            }
            Question::Accuracy(_) => {
                let mut json = serde_json::to_value(&case.game).expect("JSON");
                json.as_object_mut().expect("a question").insert("quantity".into(), "accuracy".into());
                let read = serde_json::from_value(json);
                let _: AccuracyQuestion = read.unwrap_or_else(|error| panic!("{}: {error}", case.id));
            }
            // What of the theorem is meant stands beside the question: of two bounds a question is about both.
            Question::Limit(_, stored) => {
                let mut limit = serde_json::to_value(case.limit).expect("JSON");
                limit.as_object_mut().expect("a theorem").remove("bound");
                let asked = json.as_object_mut().expect("a question");
                asked.append(limit.as_object_mut().expect("a theorem"));
                asked["quantity"] = file.quantity.name().trim_start_matches("limit-").into();
                let read = serde_json::from_value(json);
                let asked: Approximation = read.unwrap_or_else(|error| panic!("{}: {error}", case.id));
                assert_eq!(asked.query.mechanism.to_string(), case.mechanism, "{}", case.id);
                assert_eq!(asked.query.quantity, stored.query.quantity, "{}", case.id);
                assert_eq!((asked.theorem, asked.order), (stored.theorem, stored.order), "{}", case.id);
                assert_eq!(asked.form, stored.form, "{}", case.id);
            }
        }
    }
}

/// `dpcert vectors verify --grid` over the files of a family: exit code and what it says.
fn on_grids(more: &[&str]) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dpcert"));
    let output = command.args(["vectors", "verify", "--grid"]).args(more).output().expect("dpcert runs");
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

/// What two contours of the same code say lies in what a grid proves, which shares neither; and a value that does not
/// is told.
#[test]
fn contours_agree_with_grids() {
    for (family, least) in [("poisson-beta", 12), ("poisson-delta", 16)] {
        let (code, told) = on_grids(&["--only", family]);
        let digits =
            told.split("at least one digit of ").nth(1).and_then(|rest| rest.split(',').next()?.parse::<usize>().ok());
        assert!(code == Some(0) && told.contains("; 0 disagree"), "{told}");
        assert!(digits.is_some_and(|digits| digits >= least), "{told}");
    }
    // The answers of two questions, exchanged.
    let text = std::fs::read_to_string(folder().join("data/poisson-beta.json")).expect("the file is committed");
    let mut file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cases = file["cases"].as_array_mut().expect("cases");
    let place = |id: &str, cases: &[serde_json::Value]| cases.iter().position(|case| case["id"] == id).expect("a case");
    let (a, b) = (place("poisson-beta-0145", cases), place("poisson-beta-0147", cases));
    let first = cases[a]["answer"].take();
    cases[a]["answer"] = std::mem::replace(&mut cases[b]["answer"], first);
    let beside = Folder::new("exchanged");
    std::fs::write(beside.join("poisson-beta.json"), file.to_string()).expect("a file to write");
    let (code, told) = on_grids(&["--data", beside.text()]);
    assert!(code == Some(1) && told.contains("; 2 disagree") && told.contains("poisson-beta-0145"), "{told}");
}
