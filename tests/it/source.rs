//! What no compiler asks of the source: its width, its oldest Rust, and that no test is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// As in `rustfmt.toml`, which holds code to it and neither comments nor strings.
const COLUMNS: usize = 120;

/// All files of Rust below a folder of the checkout.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// No line is wider than a screen, but for text that cannot be broken: raw strings, and tables in comments.
#[test]
fn lines_are_not_too_wide() {
    let mut wide = Vec::new();
    let mut lines = 0;
    for path in FOLDERS.iter().flat_map(|folder| files(folder)) {
        let text = fs::read_to_string(&path).expect("a file of Rust");
        for (at, line) in text.lines().enumerate() {
            lines += 1;
            let unbreakable = line.contains("r#\"") || line.trim_start_matches([' ', '/', '!']).starts_with('|');
            if line.chars().count() > COLUMNS && !unbreakable {
                wide.push(format!("{}:{}: {line}", path.display(), at + 1));
            }
        }
    }
    assert!(lines > 3_000, "only {lines} lines were found");
    assert!(wide.is_empty(), "`scripts/wrap_comments.py` mends comments and strings:\n{}", wide.join("\n"));
}

/// Where lines are held to the width.
const FOLDERS: [&str; 7] = ["src", "enclosure", "tests", "benches", "examples", "python", "vectors"];

/// The library of the loader is built without a harness of its own, so tests in it would never run.
#[test]
fn the_loader_has_its_tests_beside_it() {
    for path in files("vectors/src") {
        let text = fs::read_to_string(&path).expect("a file of Rust");
        assert!(
            !text.contains("#[test]") && !text.contains("cfg(test)"),
            "{}: move it to vectors/tests",
            path.display()
        );
    }
}

/// What a command prints.
fn said(program: &str, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("it starts");
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// `1.88` and `1.88.0` alike.
fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|part| part.parse().expect("a number"));
    (numbers.next().expect("a version"), numbers.next().unwrap_or(0))
}

/// Cargo refuses to build with a Rust that is older than any dependency names: a package that promises to build with an
/// older one promises too much.
#[test]
fn no_dependency_wants_a_newer_rust() {
    let host = said("rustc", &["-vV"]);
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_string());
    let metadata =
        said(&cargo, &["metadata", "--format-version=1", "--locked", "--all-features", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let packages: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
    let needs: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| (text(&node["id"]), list(&node["dependencies"]).iter().map(text).collect()))
        .collect();
    let members = list(&metadata["workspace_members"]);
    assert!(members.len() >= 2);
    for member in members.iter().map(text) {
        let promised = packages[&member]["rust_version"].as_str().expect("a promise");
        let (mut seen, mut next) = (BTreeSet::new(), vec![member.clone()]);
        while let Some(id) = next.pop() {
            if seen.insert(id.clone()) {
                next.extend(needs[&id].clone());
                if let Some(wanted) = packages[&id]["rust_version"].as_str() {
                    assert!(version(wanted) <= version(promised), "{member} promises {promised}, {id} wants {wanted}");
                }
            }
        }
        assert!(seen.len() > 10, "{member} needs only {seen:?}");
    }
}
