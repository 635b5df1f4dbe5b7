//! Proof pages and code cite each other: no page that no code rests on, no citation of a page or a file that is not
//! there; and what is said of the routes of the golden vectors is counted in the vectors.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below some folders of the project that have an extension.
fn files(folders: &[&str], extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> =
        folders.iter().map(|folder| root().join(folder)).filter(|path| path.is_dir()).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The folders of all crates' sources.
fn sources() -> Vec<PathBuf> {
    let members = ["src", "vectors/src", "enclosure/src"];
    files(&members, "rs")
}

/// Names behind each occurrence of a prefix, as far as they are made of the letters of file names.
fn behind(text: &str, prefix: &str) -> Vec<String> {
    let letter = |c: &char| c.is_ascii_alphanumeric() || "-_./".contains(*c);
    text.match_indices(prefix)
        .map(|(at, _)| text[at + prefix.len()..].chars().take_while(letter).collect::<String>())
        .map(|name| name.trim_end_matches(['.', '/']).to_string())
        .collect()
}

#[test]
fn every_page_is_cited_and_every_cited_page_is_there() {
    let pages: BTreeSet<String> = files(&["proofs/paper"], "md")
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(pages.len() > 20);
    let mut cited = BTreeSet::new();
    let texts = sources().into_iter().chain(files(&["proofs", "vectors"], "md")).chain([root().join("README.md")]);
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        for name in behind(&text, "proofs/paper/").into_iter().filter(|name| !name.is_empty()) {
            assert!(pages.contains(&name), "{}: there is no page proofs/paper/{name}", path.display());
            if path.extension().is_some_and(|extension| extension == "rs") {
                cited.insert(name);
            }
        }
    }
    let idle: Vec<_> = pages.difference(&cited).collect();
    assert!(idle.is_empty(), "no code cites {idle:?}");
}

/// Pages name the code that they prove, in backquotes: a path from the root, or the name of a file that is somewhere.
#[test]
fn the_code_that_pages_name_is_there() {
    let sources = sources();
    let mut names = 0;
    for page in files(&["proofs"], "md") {
        let text = fs::read_to_string(&page).unwrap();
        for quoted in text.split('`').skip(1).step_by(2) {
            let plain = !quoted.contains(|c: char| !(c.is_ascii_alphanumeric() || "_-./{},".contains(c)));
            if !plain || !(quoted.starts_with("src/") || quoted.starts_with("enclosure/") || quoted.ends_with(".rs")) {
                continue;
            }
            for name in alternatives(quoted) {
                names += 1;
                let whole = root().join(&name);
                let known = whole.exists() || sources.iter().any(|source| source.ends_with(&name));
                assert!(known, "{}: there is no {name}", page.display());
            }
        }
        // Pages that stand beside each other.
        for other in text.split('`').skip(1).step_by(2).filter(|quoted| quoted.ends_with(".md")) {
            let near = page.parent().unwrap().join(other);
            assert!(near.exists() || root().join(other).exists(), "{}: there is no {other}", page.display());
        }
    }
    assert!(names > 50, "{names}");
}

/// `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn alternatives(quoted: &str) -> Vec<String> {
    let Some((before, rest)) = quoted.split_once('{') else { return vec![quoted.to_string()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![quoted.to_string()] };
    inside.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

/// How many golden values rest on which second computation, as README and the axioms say it.
#[test]
fn the_routes_of_golden_values_are_those_that_are_told() {
    let (mut other_arithmetic, mut other_engine, mut second_contour, mut orders) = (0, 0, 0, 0);
    for path in files(&["vectors/data"], "json") {
        let file: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for case in file["cases"].as_array().unwrap() {
            let routes: Vec<&str> = case["routes"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
            let [first, second] = routes[..] else { panic!("{}: {routes:?}", path.display()) };
            // A calibration is confirmed by values on both sides of it.
            let second = second.trim_end_matches(", on both sides");
            match second {
                // Values at witnesses, and at points beside a proof.
                _ if case.get("other").is_some() => orders += 1,
                _ if second.starts_with("malachite, ") => other_arithmetic += 1,
                "trapezoid rule on a second shifted contour" => second_contour += 1,
                _ => other_engine += 1,
            }
            assert_ne!(first, second);
        }
    }
    let grouped = |n: u32| if n < 1000 { n.to_string() } else { format!("{},{:03}", n / 1000, n % 1000) };
    let all = other_arithmetic + other_engine + second_contour + orders;
    for page in ["README.md", "proofs/axioms.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for count in [all, other_arithmetic, other_engine, second_contour, orders].map(grouped) {
            assert!(text.contains(&count), "{page} does not tell of {count} values");
        }
    }
}
