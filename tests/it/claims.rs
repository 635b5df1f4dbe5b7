//! The ledger of claims: what is committed is what is computed, on however many threads.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::Folder;

#[test]
fn the_ledger_regenerates_byte_for_byte() {
    let folder = Folder::new("claims");
    // Another number of threads than whoever wrote it had.
    let output = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(["claim", "all", "--out"])
        .arg(folder.path())
        .env("RAYON_NUM_THREADS", "3")
        .output()
        .expect("dpcert runs");
    // No verdict is other than the records say.
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["claims.md", "claims.json"] {
        let fresh = fs::read_to_string(folder.path().join(name)).expect("it was written");
        let stored = fs::read_to_string(Path::new("proofs").join(name)).expect("it is committed");
        assert!(fresh == stored, "`dpcert claim all --out proofs` writes another {name}");
    }
    let claims: serde_json::Value =
        serde_json::from_str(&fs::read_to_string("proofs/claims.json").expect("it is committed")).expect("JSON");
    let claims = claims.as_array().expect("a list");
    // What is not checkable says why, and is no claim.
    let (unchecked, claims): (Vec<_>, Vec<_>) = claims.iter().partition(|claim| claim["verdict"] == "not checkable");
    assert!(unchecked.iter().all(|claim| claim["because"].as_str().is_some_and(|why| !why.is_empty())));
    // What fails says by how much.
    let fails = claims.iter().filter(|claim| claim["verdict"] == "fails");
    assert!(fails.clone().count() > 0 && fails.clone().all(|claim| claim["margin"].as_str().is_some()));
    // Proven for a class, or of single numbers, is another verdict.
    let proven = claims.iter().filter(|claim| claim["verdict"] == "proven").count();
    assert!(claims.len() >= 120 && 2 * proven >= claims.len(), "{proven} of {} are proven", claims.len());
}
