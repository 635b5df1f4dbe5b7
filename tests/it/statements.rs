//! The index of the papers' statements: each command in it runs and answers, and each name is found by the four
//! commands that look names up.

use std::process::{Command, Output};

use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    name: String,
    #[serde(default)]
    ask: Vec<String>,
}

#[derive(Deserialize)]
struct Index {
    statement: Vec<Row>,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/proofs/statements.toml"));
    let index: Index = toml::from_str(&text.expect("the index")).expect("TOML");
    assert!(index.statement.len() > 80);
    index.statement
}

fn dpcert(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(words).output().expect("dpcert starts")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// The words of a line with single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(str::to_string));
        }
    }
    words
}

#[test]
fn each_command_of_the_index_answers() {
    for row in rows() {
        for line in &row.ask {
            let words = words(line);
            let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            let output = dpcert(&words);
            let said = (text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{}: {line}: {said:?}", row.name);
            assert!(!said.0.trim().is_empty(), "{}: {line}", row.name);
        }
    }
}

#[test]
fn each_statement_is_found_by_its_name() {
    for row in rows() {
        let output = dpcert(&["help", &row.name]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}: {}", row.name, text(&output.stderr));
        assert!(said.contains(&format!("{} (", row.name)), "{}: {said}", row.name);
        assert!(row.ask.iter().all(|command| said.contains(command)), "{}: {said}", row.name);
    }
}

#[test]
fn names_of_the_papers_are_found_everywhere() {
    for name in ["KOV-4.4", "DRS theorem 2.10", "Blackwell", "SU", "su/table-2", "DRS figure 1", "Hoeffding"] {
        for command in ["help", "theorem", "claim", "paper"] {
            // All claims of a paper and whole tables are long: their lists are enough here.
            let quick = name != "su/table-2" && name != "DRS figure 1" && name != "SU" || command != "paper";
            if quick {
                let output = dpcert(&[command, name]);
                assert_eq!(output.status.code(), Some(0), "{command} {name}: {}", text(&output.stderr));
                assert!(!output.stdout.is_empty(), "{command} {name}");
            }
        }
    }
}

#[test]
fn unknown_names_are_refused_by_each_command() {
    for command in ["help", "theorem", "claim", "paper"] {
        for name in ["zebra-17", "KOV-99.9", "E-99", "-", "\u{7}"] {
            let output = dpcert(&[command, "--", name]);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {name:?}: {}", text(&output.stdout));
            assert_eq!(said.lines().count(), 1, "{command} {name:?}: {said}");
        }
    }
}

#[test]
fn a_statement_of_another_command_takes_no_numbers() {
    let output = dpcert(&["theorem", "KOV-3.3", "epsilon=1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("dpcert region"), "{}", text(&output.stderr));
}
