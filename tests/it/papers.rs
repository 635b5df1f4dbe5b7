//! The tables and figures of papers: what is committed is what is computed. The slow ones are in `tests/slow`.

use std::fs;
use std::path::Path;
use std::process::Command;

use dpcert::internals::papers::{Folder, Item, Library, Report, evaluate, summary};

use crate::support;
use crate::support::papers::{committed, differences, regenerates};

#[test]
fn committed_items_regenerate() {
    let library = Library::embedded().expect("items");
    let quick: Vec<&Item> = library.items.iter().filter(|item| !item.data.slow).collect();
    assert!(quick.len() > 5, "{}", quick.len());
    quick.into_iter().for_each(regenerates);
}

/// What the tests of regeneration would say of a file that is not what is computed, or is missing.
#[test]
fn what_is_not_computed_is_named() {
    let library = Library::embedded().expect("items");
    let item = library.items.iter().find(|item| item.id == "kov/figure-1").expect("an item");
    let own = support::Folder::new("papers-differ");
    let folder = Folder::new(own.path());
    folder.write(&evaluate(item, &|| {}).expect("numbers")).expect("files");
    assert_eq!(differences(item, own.path()), [""; 0]);
    for ending in ["md", "svg", "pdf", "curves.csv", "tex", "csv", "json"] {
        let path = own.path().join(format!("kov/figure-1.{ending}"));
        let right = fs::read(&path).expect("a file");
        let mut wrong = right.clone();
        *wrong.last_mut().expect("a byte") ^= 1;
        for bytes in [Some(&wrong), None] {
            match bytes {
                Some(bytes) => fs::write(&path, bytes).expect("a file"),
                None => fs::remove_file(&path).expect("a file"),
            }
            assert_eq!(differences(item, own.path()), [path.to_string_lossy()]);
        }
        fs::write(&path, &right).expect("a file");
    }
    // Another print is another report, and another fingerprint.
    let mut other = item.clone();
    other.data.title.push('!');
    assert_eq!(differences(&other, own.path()).len(), 5);
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

/// A printed value on the safe side of the certified one is a valid bound, however far it is away.
#[test]
fn safe_prints_are_valid_bounds() {
    let mut bounds = 0;
    for paper in fs::read_dir("papers").expect("a folder").flatten().filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(paper.path()).expect("a folder").flatten() {
            let path = file.path();
            if path.extension().is_some_and(|ending| ending == "csv") {
                let table = text(&path);
                assert!(!table.contains("on the safe side") || table.contains("not on the safe side"), "{path:?}");
                bounds += table.matches("valid bound, not tight").count();
            }
        }
    }
    assert!(bounds >= 4, "{bounds}");
    let table = text(Path::new("papers/su/table-2-f-dp.md"));
    assert_eq!(table.matches("(valid bound, not tight)").count(), 4, "{table}");
    assert!(!table.contains('\u{2717}') && !table.contains("WRONG"), "{table}");
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
             printed = {{ a = \"0.383\" }}\n"
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
    assert!(right.contains("one,a,0.3829249225,0.3829249226,0.383,right"), "{right}");
    assert!(text(&two).contains("not on the safe side"), "{}", text(&two));
    assert!(text(&out.join("README.md")).contains("| **all** | | **1** | **0** | **0** | **1** | **0** | **0** |"));
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

/// The whole of a LaTeX table is of letters that its fonts have.
#[test]
fn latex_is_of_its_own_letters() {
    let library = Library::embedded().expect("items");
    for item in &library.items {
        let path = format!("papers/{}.tex", item.id);
        let Ok(table) = fs::read_to_string(&path) else { continue };
        for line in table.lines().filter(|line| !line.starts_with('%')) {
            // Latin letters with accents are there.
            let strange: String = line.chars().filter(|c| *c > '\u{17f}' || ('\u{80}'..'\u{c0}').contains(c)).collect();
            assert_eq!(strange, "", "{path}: {line}");
        }
    }
}

/// The example of the page on contributing is an item, and what it prints is right.
#[test]
fn the_example_for_contributors_is_an_item() {
    let page = text(Path::new("CONTRIBUTING.md"));
    let (_, from) = page.split_once("```toml\ntitle = ").expect("an example");
    let (example, _) = from.split_once("```").expect("its end");
    let own = support::Folder::new("papers-example");
    fs::create_dir_all(own.path().join("p")).expect("a folder");
    fs::write(own.path().join("p/one.toml"), format!("title = {example}")).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
    let output = command.args(["paper", "p/one", "--data"]).arg(own.path()).output().expect("dpcert runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("0.62 right"), "{said}");
}

fn refused(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_dpcert")).arg("paper").args(arguments).output().expect("dpcert runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{arguments:?}: {said}");
    said
}

/// What cannot be done is said in a line before anything is computed.
#[test]
fn what_cannot_be_done_is_said() {
    let own = support::Folder::new("papers-refused");
    let path = |name: &str| own.path().join(name).to_string_lossy().into_owned();
    assert!(refused(&["kov/figur-2"]).contains("did you mean kov/figure-2?"));
    assert!(refused(&["su/table-1", "--format", "svg"]).contains("a table and has no picture"));
    fs::create_dir_all(path("none/p")).expect("a folder");
    fs::write(path("none/p/one.toml"), "title = \"t\"\nsource = \"s\"\nnot-reproducible = \"why\"").expect("a file");
    for format in ["svg", "latex", "csv"] {
        let said = refused(&["p/one", "--data", &path("none"), "--format", format]);
        assert!(said.contains("p/one is not reproducible and has no "), "{said}");
    }
    fs::write(path("file"), "mine").expect("a file");
    assert!(refused(&["all", "--out", &path("file")]).contains("it is a file, not a folder"));
    assert!(refused(&["all", "--out", &path("file/below")]).contains("cannot write"));
    assert_eq!(text(&own.path().join("file")), "mine");
    if cfg!(target_os = "linux") {
        assert!(refused(&["all", "--out", "/proc/dpcert"]).contains("cannot write"));
    }
    assert!(refused(&["list", "--data", &path("nowhere")]).contains("cannot read"));
    fs::create_dir_all(path("data/v1.0")).expect("a folder");
    assert!(refused(&["list", "--data", &path("data")]).contains("contains no files PAPER/ITEM.toml"));
    fs::write(path("data/v1.0/one.toml"), "title = 3").expect("a file");
    let said = refused(&["list", "--data", &path("data")]);
    assert!(said.contains("v1.0/one.toml:1: ") && said.contains("expected a string"), "{said}");
    // The whole name of a folder is the paper's.
    let item = "title = \"t\"\nsource = \"s\"\n[table]\nrows = \"k\"\ncolumn = []\nrow = []\n";
    fs::write(path("data/v1.0/one.toml"), item).expect("a file");
    fs::create_dir_all(path("data/v1.1")).expect("a folder");
    fs::write(path("data/v1.1/one.toml"), item).expect("a file");
    assert!(refused(&["v1", "--data", &path("data")]).contains("did you mean v1."));
}

/// Who is interrupted keeps what was finished, and goes on from there.
#[cfg(unix)]
#[test]
fn interrupted_runs_go_on() {
    use std::time::{Duration, Instant};
    let own = support::Folder::new("papers-interrupted");
    let (data, out) = (own.path().join("data/p"), own.path().join("out"));
    fs::create_dir_all(&data).expect("a folder");
    let item = |mechanism: &str, digits: u32| {
        format!(
            "title = \"t\"\nsource = \"s\"\n[table]\nrows = \"k\"\n[[table.column]]\nname = \"a\"\ndigits = {digits}\n\
             value.query = {{ quantity = \"delta\", mechanism = \"{mechanism}\", at = {{ epsilon = \"1\" }} }}\n\
             [[table.row]]\nname = \"one\"\n"
        )
    };
    fs::write(data.join("a.toml"), item("gdp(mu=1)", 8)).expect("a file");
    fs::write(data.join("b.toml"), item("poisson(rate=0.1, laplace(scale=1))^100", 200)).expect("a file");
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
        command.args(["paper", "all", "--threads", "1", "--data"]).arg(own.path().join("data")).arg("--out").arg(&out);
        command
    };
    let mut child = command().spawn().expect("dpcert starts");
    let started = Instant::now();
    while !out.join("p/a.json").exists() {
        assert!(started.elapsed() < Duration::from_secs(120), "the first item takes two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(child.try_wait().expect("a state").is_none(), "it was done before it was interrupted");
    support::send(support::Signal::INT, &child);
    if support::interrupts_are_ignored() {
        support::send(support::Signal::TERM, &child);
    }
    assert!(!child.wait().expect("an end").success());
    assert!(!out.join("p/b.json").exists() && !out.join("README.md").exists());
    fs::write(out.join("p/a.csv"), "kept").expect("a file");
    fs::write(data.join("b.toml"), item("gdp(mu=2)", 8)).expect("a file");
    assert!(command().status().expect("dpcert runs").success());
    assert_eq!(text(&out.join("p/a.csv")), "kept");
    assert!(out.join("p/b.json").exists() && text(&out.join("README.md")).contains("[p/b](p/b.md)"));
}
