//! The command line as its users meet it: each file of `tests/cli` is a transcript, recorded and read by a person.
//!
//! `TRYCMD=overwrite cargo test --release --test it cli` records anew; what it writes has to be read like code.
//!
//! the transcripts called `wrong-*` hold refusals only. For them a second test asks what a recording cannot show: the
//! exit code is 2, standard output stays empty, and standard error is one line, but for the two lines that point at a
//! place.

use std::path::Path;
use std::process::Command;

/// A transcript in which every command is to be refused.
const REFUSALS: &str = "wrong-";

#[test]
fn transcripts_hold() {
    trycmd::TestCases::new().case("tests/cli/*.trycmd").case("tests/cli/*.toml");
}

#[test]
fn refusals_are_one_clear_line() {
    let mut refused = 0;
    for entry in std::fs::read_dir("tests/cli").expect("the transcripts").flatten() {
        let path = entry.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with(REFUSALS) || !name.ends_with(".trycmd") {
            continue;
        }
        let transcript = std::fs::read_to_string(&path).expect("a transcript");
        for line in transcript.lines().filter_map(|line| line.strip_prefix("$ dpcert")) {
            assert_refused(&path, &words(line));
            refused += 1;
        }
    }
    assert!(refused > 100, "only {refused} refusals were found");
}

fn assert_refused(transcript: &Path, arguments: &[String]) {
    // A transcript with files of its own runs among them.
    let folder = transcript.with_extension("in");
    let folder = if folder.is_dir() { folder } else { Path::new(".").to_path_buf() };
    let output =
        Command::new(env!("CARGO_BIN_EXE_dpcert")).args(arguments).current_dir(folder).output().expect("dpcert runs");
    let talk = String::from_utf8(output.stderr).expect("UTF-8");
    let what = format!("{}: dpcert {arguments:?} said {talk:?}", transcript.display());
    assert_eq!(output.status.code(), Some(2), "{what}");
    assert!(output.stdout.is_empty(), "{what}");
    let lines: Vec<&str> = talk.lines().collect();
    assert!(lines.first().is_some_and(|line| line.starts_with("dpcert: ") && line.len() > 20), "{what}");
    let pointed = match lines.as_slice() {
        [_] => true,
        [_, text, caret] => text.starts_with("  ") && caret.trim() == "^",
        _ => false,
    };
    assert!(pointed, "{what}");
    assert!(!talk.contains("panicked") && !talk.contains("RUST_BACKTRACE"), "{what}");
}

/// A command line in words: quotation marks group, nothing else is special.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(mark), _) if c == mark => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Engines, and queries that each answers unless it is off.
const SWITCHED: [(&str, &str); 9] = [
    ("closed", "gdp(mu=1)"),
    ("optimal", "approx-dp(epsilon=1, delta=1/10)^3"),
    ("contour", "poisson(rate=1/10, gaussian(sigma=1))^10"),
    ("lattice", "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^9"),
    ("sums", "discrete-gaussian(sigma2=4)^3"),
    ("enumeration", "finite(p=[1/2,1/2], q=[1/3,2/3])^3 * staircase(epsilon=sqrt(2), gamma=1/3)"),
    ("two-samples", "poisson(rate=1/10, gaussian(sigma=1/2)) * poisson(rate=1/5, gaussian(sigma=1/2))"),
    ("beside", "subsample(rate=1/10, gaussian(sigma=1)) * randomized-response(epsilon=1)"),
    ("large-steps", "poisson(rate=1e-6, gaussian(sigma=2))^2"),
];

/// Without an engine another one answers, and its enclosure overlaps that of the first.
#[test]
fn engines_have_switches() {
    let answer = |without: &str, mechanism: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_dpcert"))
            .args(["delta", mechanism, "--epsilon", "1", "--json"])
            .env("DPCERT_WITHOUT", without)
            .output()
            .expect("dpcert runs");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an answer");
        let end = |name: &str| answer[name].as_str().and_then(|end| end.parse::<f64>().ok()).expect("an end");
        (answer["method"].to_string(), end("lower"), end("upper"))
    };
    for (engine, mechanism) in SWITCHED {
        let (by, lower, upper) = answer("", mechanism);
        let (other, least, most) = answer(engine, mechanism);
        assert_ne!(by, other, "{engine}");
        assert!(lower <= most && least <= upper, "{engine}: [{lower}, {upper}] and [{least}, {most}]");
    }
}

#[test]
fn unknown_engines_are_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(["delta", "gdp(mu=1)", "--epsilon", "1"])
        .env("DPCERT_WITHOUT", "closed,slice")
        .output()
        .expect("dpcert runs");
    let talk = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true), "{talk}");
    assert!(talk.starts_with("dpcert: DPCERT_WITHOUT contains the unknown engine `slice` (known: "), "{talk}");
}
