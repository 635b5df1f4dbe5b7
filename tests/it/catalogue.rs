//! Mechanisms and quantities are listed once, in the program: other lists are written from it, or held against it here.
//!
//! What is written (`vectors/catalogue.json`, and tables in pages) is written again with `TRYCMD=overwrite`, as
//! transcripts are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dpcert::internals::{Asked, Domain, Entry, Mechanism, Presence, catalogue};
use dpcert_vectors::Quantity;
use serde_json::Value;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The file has this text; or it gets it, if that is asked for.
fn is_or_becomes(name: &str, wanted: &str) {
    let found = fs::read_to_string(path(name)).unwrap_or_default();
    if found != wanted && std::env::var("TRYCMD").is_ok_and(|how| how == "overwrite") {
        fs::write(path(name), wanted).expect("a file to write");
        return;
    }
    assert!(found == wanted, "{name} is not as the catalogue has it: TRYCMD=overwrite writes it");
}

/// The page with the lines of a table, those after `head` and its rule, replaced.
fn with_rows(page: &str, head: &str, rows: impl FnOnce(Vec<&str>) -> Vec<String>) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let first = lines.iter().position(|line| *line == head).expect("the head of the table") + 2;
    let length = lines[first..].iter().take_while(|line| line.starts_with('|')).count();
    let rows = rows(lines[first..first + length].to_vec());
    let mut all: Vec<String> = lines[..first].iter().map(ToString::to_string).collect();
    all.extend(rows);
    all.extend(lines[first + length..].iter().map(ToString::to_string));
    all.join("\n") + "\n"
}

/// The name in the first cell of a row.
fn named(row: &str) -> &str {
    row.trim_start_matches("| `").split('`').next().unwrap_or_default()
}

#[test]
fn the_loader_has_it() {
    is_or_becomes("vectors/catalogue.json", &catalogue().expect("a catalogue"));
}

fn row(entry: &Entry) -> String {
    let parameters = entry.parameters.iter().filter_map(|parameter| match (parameter.presence, parameter.domain) {
        (Presence::InsteadOf(_), _) => None,
        (_, Domain::Mechanism | Domain::Mechanisms) => Some("`of`".to_string()),
        (Presence::Default(value), _) => Some(format!("`{}` ({value})", parameter.name)),
        (Presence::Optional, _) => Some(format!("`{}` (chosen)", parameter.name)),
        (Presence::Required, _) => Some(format!("`{}`", parameter.name)),
    });
    let parameters: Vec<String> = parameters.collect();
    format!("| `{}` | {} | {} |", entry.name, parameters.join(", "), entry.summary.replace('|', "\\|"))
}

#[test]
fn the_protocol_has_it() {
    let page = with_rows(&text("adapters/README.md"), "| mechanism | parameters | is |", |_| {
        Mechanism::catalogue().iter().map(row).collect()
    });
    is_or_becomes("adapters/README.md", &page);
    let mut quantities = Vec::new();
    with_rows(&page, "| quantity | `at` | the answer is |", |rows| {
        quantities = rows.iter().map(|row| named(row).to_string()).collect();
        Vec::new()
    });
    assert_eq!(quantities, Asked::ALL.map(Asked::name));
}

#[test]
fn the_page_of_the_python_package_has_it() {
    let names: Vec<String> = Mechanism::catalogue().iter().map(|entry| format!("`{}`", entry.name)).collect();
    let wanted = format!("| `mechanism` | {} |", names.join(", "));
    let page = text("vectors/python/README.md");
    let stale = page.lines().find(|line| line.starts_with("| `mechanism` | `") && line.contains("`, `"));
    is_or_becomes("vectors/python/README.md", &page.replace(stale.expect("a row of mechanisms"), &wanted));
}

/// How Python calls it.
fn python(name: &str) -> String {
    let name = name.replace('-', "_");
    match name.as_str() {
        "mechanism" => "inner".into(),
        "lambda" | "in" | "is" | "from" => name + "_",
        _ => name,
    }
}

/// The function of Python that makes a mechanism.
fn function(entry: &Entry) -> String {
    let instead = |name: &str| {
        entry.parameters.iter().any(|other| matches!(other.presence, Presence::InsteadOf(other) if other == name))
    };
    let (mut taken, mut told, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in entry.parameters {
        let name = python(parameter.name);
        let kind = match parameter.domain {
            Domain::Mechanism => "MechanismLike",
            Domain::Mechanisms => "Iterable[MechanismLike]",
            Domain::Distribution | Domain::Constants => "Numbers",
            _ => "Number",
        };
        taken.push(match parameter.presence {
            Presence::Required if !instead(parameter.name) => format!("{name}: {kind}"),
            _ => format!("{name}: {kind} | None = None"),
        });
        let default = match parameter.presence {
            Presence::Default(value) => format!("; default {value}"),
            _ => String::new(),
        };
        told.push(format!("        {name}: {}{default}.\n", parameter.meaning));
        given.push(format!("(\"{}\", {name})", parameter.name));
    }
    let mut lines = String::new();
    for line in entry.pair.split("; ") {
        lines += &format!("    {line}\n");
    }
    let (taken, told, given) = (taken.join(", "), told.concat(), given.join(", "));
    let Entry { name, summary, example, .. } = entry;
    let head = format!("def {}(*, {taken}) -> Mechanism:\n    r\"\"\"{summary}.\n\n{lines}\n", python(name));
    let body = format!("    Example: ``{example}``\n\n    Args:\n{told}    \"\"\"\n");
    format!("\n\n{head}{body}    return built(\"{name}\", [{given}])\n")
}

/// Each mechanism is a function of the Python package.
#[test]
fn python_has_it() {
    let names: Vec<String> =
        Mechanism::catalogue().iter().map(|entry| format!("    \"{}\",\n", python(entry.name))).collect();
    let functions: String = Mechanism::catalogue().iter().map(function).collect();
    let wanted = format!(
        "\"\"\"The mechanisms, one function each. Written from the catalogue of the program by its tests: do not edit.\
         \"\"\"\n\n\
         from __future__ import annotations\n\nfrom collections.abc import Iterable\n\n\
         from ._mechanism import Mechanism, MechanismLike, built\n\
         from ._types import Number, Numbers\n\n\
         __all__ = [\n{}]\n{functions}",
        names.concat()
    );
    is_or_becomes("python/dpcert/mechanisms.py", &wanted);
}

/// What adapters compare the name of a step with is a mechanism, and what they take for left out is a default.
#[test]
fn adapters_know_no_other_mechanisms() {
    let known: BTreeSet<&str> = Mechanism::catalogue().iter().map(|entry| entry.name).collect();
    let mut seen = BTreeSet::new();
    for file in fs::read_dir(path("adapters")).expect("a folder").flatten() {
        let name = file.path();
        if name.extension().is_none_or(|extension| extension != "py") {
            continue;
        }
        let source = fs::read_to_string(&name).expect("an adapter");
        for place in ["query.single(", "query.each(", "query.once(", ".name == ", ".name in (", ".name not in ("] {
            for after in source.split(place).skip(1) {
                let stretch = after.split([')', '\n', ':']).next().unwrap_or_default();
                let most = if place.ends_with("== ") { 1 } else { usize::MAX };
                for word in stretch.split('"').skip(1).step_by(2).take(most) {
                    // A class of the package.
                    if word.starts_with(char::is_uppercase) {
                        continue;
                    }
                    assert!(known.contains(word), "{}: {word} is no mechanism", name.display());
                    seen.insert(word.to_string());
                }
            }
        }
    }
    assert!(seen.len() > 8, "only {seen:?}");
    let defaults = Mechanism::catalogue().iter().flat_map(|entry| entry.parameters);
    for parameter in defaults {
        if let Presence::Default(value) = parameter.presence {
            let line = format!("\"{}\": {value}.0", parameter.name);
            assert!(text("adapters/protocol.py").contains(&line), "protocol.py has another default than {line}");
        }
    }
}

/// The schema has all quantities, asks for each where it has to be asked for, and lets every mechanism pass.
#[test]
fn the_schema_has_it() {
    let schema: Value = serde_json::from_str(&text("vectors/schema.json")).expect("JSON");
    let quantities = schema.pointer("/$defs/Quantity/oneOf").and_then(Value::as_array).expect("a list");
    let quantities: Vec<&str> = quantities.iter().filter_map(|one| one["const"].as_str()).collect();
    assert_eq!(quantities, Quantity::ALL.map(Quantity::name));
    let one = Quantity::ALL.into_iter().filter_map(Quantity::coordinate);
    let several = Quantity::ALL.into_iter().flat_map(Quantity::points).copied().flatten().copied();
    let coordinates: BTreeSet<&str> = one.chain(several).collect();
    let at = schema.pointer("/$defs/At/properties").and_then(Value::as_object).expect("an object");
    assert_eq!(at.keys().map(String::as_str).collect::<BTreeSet<_>>(), coordinates);
    assert!(schema.pointer("/$defs/Factor/properties/mechanism/enum").is_none(), "then it has to be this list");
}
