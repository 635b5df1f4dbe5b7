//! Real processes on one ledger: killed at any moment, and against each other.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Folder, text};

fn dpcert(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    dpcert(arguments).output().expect("dpcert runs")
}

/// The fields of the one line of JSON.
fn json(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {error}"))
}

fn entries(ledger: &Path) -> (u64, bool) {
    let output = run(&["filter", "status", text(ledger), "--json", "--delta", "1/2", "--digits", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let state = json(&output);
    assert_eq!(state["spent"], spent(state["entries"].as_u64().expect("a number")), "the sum of the entries");
    (state["entries"].as_u64().expect("a number"), state["torn"] == true)
}

/// So many hundredths, in lowest terms.
fn spent(hundredths: u64) -> String {
    rug::Rational::from((hundredths, 100u32)).to_string()
}

/// Asks for a hundredth.
fn ask(ledger: &Path) -> Command {
    dpcert(&["filter", "spend", text(ledger), "--rho", "1/100", "--json"])
}

/// Forever, until it is killed; says a line for each grant.
fn asking(ledger: &Path) -> Child {
    ask(ledger).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("dpcert starts")
}

/// `kill -9` after delays spread over a whole run and beyond: what was told to be granted is there, what was not told
/// is there at most once, and the ledger is never refused.
#[test]
fn killed_processes_leave_a_ledger_that_goes_on() {
    let folder = Folder::new("killed");
    let ledger = folder.join("study.ledger");
    assert!(run(&["filter", "open", text(&ledger), "--rho", "1000"]).status.success());
    let started = Instant::now();
    assert!(ask(&ledger).output().expect("dpcert runs").status.success());
    let whole = started.elapsed();
    let (mut told, mut untold, mut before) = (1, 0, 1);
    for step in 0..60u32 {
        let mut child = asking(&ledger);
        // From nothing to a run and a quarter.
        std::thread::sleep(whole * (step * 7 % 60) / 48);
        child.kill().expect("a child to kill");
        let output = child.wait_with_output().expect("an end");
        let granted = String::from_utf8_lossy(&output.stdout).contains("\"granted\":true");
        let (now, _) = entries(&ledger);
        assert!(now == before + 1 || (now == before && !granted), "{before} entries, then {now}, granted: {granted}");
        told += u64::from(granted);
        untold += now - before - u64::from(granted);
        before = now;
    }
    assert_eq!(before, told + untold);
    // Neither all of them were killed before they began nor none at all.
    assert!(told + untold > 1 && told < 61, "{told} told, {untold} untold");
    assert!(ask(&ledger).output().expect("dpcert runs").status.success());
    assert_eq!(entries(&ledger), (before + 1, false));
}

/// Two processes at a time ask for twice the budget: exactly the budget is granted.
#[test]
fn two_processes_cannot_overspend() {
    let folder = Folder::new("rivals");
    let ledger = folder.join("study.ledger");
    assert!(run(&["filter", "open", text(&ledger), "--rho", "1/5"]).status.success());
    let rival = || -> (u32, u32) {
        let (mut granted, mut refused) = (0, 0);
        for _ in 0..20 {
            let output = ask(&ledger).output().expect("dpcert runs");
            match (json(&output)["granted"].as_bool(), output.status.code()) {
                (Some(true), Some(0)) => granted += 1,
                (Some(false), Some(1)) => refused += 1,
                other => panic!("{other:?}"),
            }
        }
        (granted, refused)
    };
    let (one, two) = std::thread::scope(|scope| {
        let other = scope.spawn(rival);
        (rival(), other.join().expect("no panic"))
    });
    assert_eq!((one.0 + two.0, one.1 + two.1), (20, 20), "{one:?} {two:?}");
    assert_eq!(entries(&ledger), (20, false));
    // Both had their turns.
    assert!(one.0 > 0 && two.0 > 0, "{one:?} {two:?}");
}

/// A process that holds the lock and is killed lets go of it.
#[test]
fn locks_end_with_their_processes() {
    let folder = Folder::new("locked");
    let ledger = folder.join("study.ledger");
    assert!(run(&["filter", "open", text(&ledger), "--rho", "1"]).status.success());
    let file = std::fs::File::open(&ledger).expect("a file");
    file.lock().expect("the lock");
    let mut waiting = asking(&ledger);
    std::thread::sleep(Duration::from_millis(300));
    assert!(waiting.try_wait().expect("a state").is_none(), "it did not wait for the lock");
    drop(file);
    assert!(waiting.wait().expect("an end").success());
    assert_eq!(entries(&ledger), (1, false));
}
