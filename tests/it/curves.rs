//! Pictures of `curve`: what stands beside a curve, and whose claims are marked.

use std::process::{Command, Output};

use crate::support::{Folder, quoted};

fn dpcert(folder: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
    command.args(arguments).current_dir(folder.path()).output().expect("dpcert starts")
}

/// The picture on standard output, and the exit code.
fn picture(folder: &Folder, arguments: &[&str]) -> (String, Option<i32>) {
    let output = dpcert(folder, &[&["curve"], arguments, &["--out", "-"]].concat());
    (String::from_utf8(output.stdout).expect("SVG"), output.status.code())
}

/// Red discs, the one in the legend among them.
fn discs(svg: &str) -> usize {
    svg.lines().filter(|line| line.contains("<circle") && line.contains("#c81e1e")).count()
}

#[test]
fn theorems_and_limits_stand_beside_a_curve() {
    let folder = Folder::new("overlays");
    let all = "gdp,clt,kov-3.1,advanced,kov-3.3,kov,kov-3.5,zcdp,rdp";
    let arguments = ["randomized-response(epsilon=1/2)^10", "--kind", "profile", "--to", "4", "--overlay", all];
    let (svg, code) = picture(&folder, &arguments);
    assert_eq!(code, Some(0));
    let theorems =
        ["KOV, Theorem 3.2", "KOV, Theorem 3.3", "KOV, Theorem 3.4", "KOV, Theorem 3.5", "basic composition"];
    let others =
        ["G_\u{3bc}, \u{3bc} = ", "central limit, \u{3bc} = ", "no bound", "zCDP, best order", "RDP, best order"];
    for label in theorems.into_iter().chain(others) {
        assert!(svg.contains(label), "{label}");
    }
    // A step of unbounded privacy loss has no finite epsilon, and the error states that.
    let output =
        dpcert(&folder, &["curve", "gaussian(sigma=1)", "--kind", "profile", "--overlay", "kov-3.3", "--out", "x.svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("unbounded privacy loss"));
    assert!(!folder.join("x.svg").exists());
}

#[test]
fn claims_of_a_table_are_judged() {
    let folder = Folder::new("claims of a table");
    let table = "epsilon,delta\n0,0.4\n1,0.1269\n2,0.021\n";
    std::fs::write(folder.join("claims.csv"), table).expect("a table");
    let (svg, code) =
        picture(&folder, &["gaussian(sigma=1)", "--kind", "profile", "--to", "3", "--claims", "claims.csv"]);
    assert_eq!((code, discs(&svg)), (Some(1), 2));
    assert!(svg.contains("unsound claims (1)") && svg.contains(">claims (2)<"), "{svg}");
}

/// What an audit has written is taken as it is: the journal and the JSON lines, peer by peer.
#[test]
fn claims_of_an_audit_are_marked() {
    let folder = Folder::new("claims of an audit");
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/adapters/fake.py");
    let mut both = String::new();
    for how in ["low", "right"] {
        let adapter = format!("python3 {} {how}", quoted(&fixture));
        let journal = format!("{how}.jsonl");
        let asked =
            ["--ask", "gaussian(sigma=10/7)", "--epsilon", "0..3", "--cache", "cache", "--out", &journal, "--json"];
        let output = dpcert(&folder, &[&["audit", "--adapter", &adapter], &asked[..]].concat());
        assert_eq!(output.status.code(), Some(i32::from(how == "low")), "{output:?}");
        both += &String::from_utf8(output.stdout).expect("JSON lines");
    }
    std::fs::write(folder.join("both.jsonl"), both).expect("a file");
    let drawn = |file: &str| picture(&folder, &["gaussian(sigma=10/7)", "--kind", "profile", "--claims", file]);
    let (svg, code) = drawn("low.jsonl");
    assert_eq!((code, discs(&svg)), (Some(1), 5));
    assert!(svg.contains("unsound claims (4)") && svg.contains("fake 1.0 low (4, 4 unsound)"), "{svg}");
    let (svg, code) = drawn("right.jsonl");
    assert_eq!((code, discs(&svg)), (Some(0), 0));
    assert!(svg.contains("fake 1.0 right (4)"), "{svg}");
    let (svg, code) = drawn("both.jsonl");
    assert_eq!((code, discs(&svg)), (Some(1), 5));
    assert!(svg.contains("fake 1.0 low (4, 4 unsound)") && svg.contains("fake 1.0 right (4)"), "{svg}");
    // Of another mechanism, or as a trade-off function, there is none, and what there is is told.
    for (mechanism, kind) in [("gaussian(sigma=2)", "profile"), ("gaussian(sigma=10/7)", "tradeoff")] {
        let arguments = ["curve", mechanism, "--kind", kind, "--claims", "low.jsonl", "--out", "no.svg"];
        let output = dpcert(&folder, &arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        let has = if kind == "profile" {
            "gaussian(sigma=1.4285714285714286)"
        } else {
            "no claim that can be drawn on this curve"
        };
        assert!(told.contains(has) && !folder.join("no.svg").exists(), "{told}");
    }
}
