//! Lists the files that the program carries: the adapters, what is said of them, and the tables of papers.
//!
//! `OUT_DIR/files.rs` has a list of names and texts for each; what else lies in those folders stays outside.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_CLI").is_none() {
        return Ok(());
    }
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let root = variable("CARGO_MANIFEST_DIR");
    let mut lists = String::new();
    let folders = |of: &str| subfolders(&root.join(of));
    list(
        &mut lists,
        "ADAPTERS",
        &root.join("adapters"),
        &["", "requirements", "examples"],
        &["toml", "py", "md", "txt"],
    )?;
    let papers = folders("papers")?;
    list(
        &mut lists,
        "PAPERS",
        &root.join("papers"),
        &papers.iter().map(String::as_str).collect::<Vec<_>>(),
        &["toml"],
    )?;
    fs::write(variable("OUT_DIR").join("files.rs"), lists)
}

/// The names of the folders in a folder.
fn subfolders(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

/// A list of the files with one of these endings in some folders below one, by their paths from there.
fn list(lists: &mut String, name: &str, root: &Path, folders: &[&str], endings: &[&str]) -> io::Result<()> {
    let mut files = Vec::new();
    println!("cargo:rerun-if-changed={}", root.display());
    for folder in folders {
        println!("cargo:rerun-if-changed={}", root.join(folder).display());
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            let ends = |ending: &&str| path.extension().is_some_and(|other| other == *ending);
            if path.is_file() && endings.iter().any(ends) {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let slash = if folder.is_empty() { "" } else { "/" };
                files.push((format!("{folder}{slash}{name}"), path));
            }
        }
    }
    files.sort();
    let _ = writeln!(lists, "pub const {name}: &[(&str, &str)] = &[");
    for (name, path) in files {
        let _ = writeln!(lists, "    ({name:?}, include_str!({:?})),", path.to_string_lossy());
    }
    let _ = writeln!(lists, "];");
    Ok(())
}
