//! The tables and figures of papers: what is committed is what is computed. The slow ones are in `tests/slow`.

use std::fs;
use std::path::Path;
use std::process::Command;

use dpcert::internals::papers::{Folder, Item, Library, Report, summary};

use crate::support;
use crate::support::papers::{committed, regenerates};

#[test]
fn committed_items_regenerate() {
    let library = Library::embedded().expect("items");
    let quick: Vec<&Item> = library.items.iter().filter(|item| !item.data.slow).collect();
    assert!(quick.len() > 5, "{}", quick.len());
    quick.into_iter().for_each(regenerates);
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The summary is made of the reports; each is of the data that are there now, slow ones too.
#[test]
fn the_summary_is_of_all_items() {
    let library = Library::embedded().expect("items");
    let papers = Folder::new(Path::new("papers"));
    let reports: Vec<Report> = library
        .items
        .iter()
        .map(|item| {
            papers.finished(item).unwrap_or_else(|| panic!("`dpcert paper all --out papers` wants {}", item.id))
        })
        .collect();
    assert_eq!(text(Path::new("papers/README.md")), summary(&reports));
}

/// Nothing lies about that no item has written.
#[test]
fn each_file_is_of_an_item() {
    let library = Library::embedded().expect("items");
    for paper in fs::read_dir("papers").expect("a folder").flatten().filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(paper.path()).expect("a folder").flatten() {
            let path = file.path();
            let known = library.items.iter().any(|item| committed(item).contains(&path));
            assert!(known, "{} is of no item", path.display());
        }
    }
}

/// A run goes on where another ended: what is finished stays, what is missing or of other data is made.
#[test]
fn runs_go_on() {
    let folder = support::Folder::new("papers");
    let (data, out) = (folder.path().join("data"), folder.path().join("out"));
    let item = |mu: &str| {
        format!(
            "title = \"t\"\nsource = \"s\"\n[table]\nrows = \"k\"\n[[table.column]]\nname = \"a\"\n\
             value.query = {{ quantity = \"tv\", mechanism = \"gdp(mu={mu})\" }}\n[[table.row]]\nname = \"one\"\n\
             printed = {{ a = \"0.3829\" }}\n"
        )
    };
    fs::create_dir_all(data.join("p")).expect("a folder");
    fs::write(data.join("p/one.toml"), item("1")).expect("a file");
    fs::write(data.join("p/two.toml"), item("2")).expect("a file");
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
        command.args(["paper", "all"]).arg("--data").arg(&data).arg("--out").arg(&out).args(more);
        let output = command.output().expect("dpcert runs");
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&[]);
    let (one, two) = (out.join("p/one.csv"), out.join("p/two.csv"));
    let right = text(&one);
    assert!(right.contains("one,a,0.3829249225,0.3829249226,0.3829,right"), "{right}");
    assert!(text(&two).contains("not on the safe side"), "{}", text(&two));
    assert!(text(&out.join("README.md")).contains("| **all** | | **1** | **0** | **1** | **0** | **0** |"));
    // What is finished is not even looked at.
    fs::write(&one, "kept").expect("a file");
    fs::remove_file(&two).expect("a file");
    run(&[]);
    assert_eq!(text(&one), "kept");
    assert!(text(&two).contains("not on the safe side"));
    run(&["--again"]);
    assert_eq!(text(&one), right);
    fs::write(data.join("p/one.toml"), item("3")).expect("a file");
    run(&[]);
    assert_ne!(text(&one), right);
}
