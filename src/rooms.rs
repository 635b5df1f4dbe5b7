//! Tests of the module dependencies in `ARCHITECTURE.md`: each module uses only those before it in a list, and no
//! method depends on mechanisms by name.

use std::path::{Path, PathBuf};

/// Modules in order of dependency: each may use those before it.
const ORDER: [&str; 36] = [
    "error",
    "alarm",
    "statement",
    "supervise",
    "read",
    "table",
    "write",
    "picture",
    "number",
    "pair",
    "mechanism",
    "curve",
    "compose",
    "divergence",
    "theorem",
    "canonical",
    "attack",
    "query",
    "answer",
    "approximate",
    "adaptive",
    "order",
    "trade_off",
    "calibrate",
    "compare",
    "print",
    "published",
    "float",
    "route",
    "census",
    "vector",
    "audit",
    "paper",
    "claim",
    "serve",
    "cli",
];

/// Modules that take pairs and do not depend on mechanisms by name.
const OF_PAIRS: [&str; 4] = ["pair", "curve", "compose", "divergence"];

/// A source file, its module, and its lines that are neither comments nor tests.
struct Source {
    path: PathBuf,
    room: String,
    code: Vec<String>,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut all) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the source").flatten() {
            let path = entry.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name == "tests" || name == "reference" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Fonts and pages belong to no module.
            if path.extension().is_none_or(|kind| kind != "rs") {
                continue;
            }
            let inside = path.strip_prefix(&root).expect("below the root");
            let room = inside.iter().next().unwrap_or_default().to_string_lossy().replace(".rs", "");
            let text = std::fs::read_to_string(&path).expect("a source file");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
            let code = code.filter(|line| !line.trim_start().starts_with("//")).map(str::to_string).collect();
            all.push(Source { path, room, code });
        }
    }
    all
}

fn place(room: &str) -> Option<usize> {
    ORDER.iter().position(|other| *other == room)
}

#[test]
fn rooms_use_those_before_them() {
    let mut seen = 0;
    for Source { path, room, code } in sources() {
        let Some(here) = place(&room) else { continue };
        for line in &code {
            for used in line.split("crate::").skip(1) {
                let used: String = used.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let Some(there) = place(&used) else { continue };
                seen += 1;
                assert!(there <= here, "{}: {room} uses {used}: {line}", path.display());
            }
        }
    }
    assert!(seen > 500, "{seen} uses");
}

#[test]
fn engines_do_not_ask_which_mechanism_it_was() {
    for Source { path, room, code } in sources() {
        if OF_PAIRS.contains(&room.as_str()) {
            let names = code.iter().find(|line| line.contains("Mechanism::"));
            assert!(names.is_none(), "{}: {names:?}", path.display());
        }
    }
}
