//! Ctrl-C leaves nothing behind: files appear whole or not at all.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, Signal, interrupts_are_ignored, send};

/// Start a command that takes minutes, interrupt it after a while, and list what it left in its folder.
fn interrupted(name: &str, arguments: &[&str], after: Duration) -> Vec<String> {
    let folder = Folder::new(name);
    let mut child = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("dpcert starts");
    std::thread::sleep(after);
    assert!(child.try_wait().expect("a state").is_none(), "dpcert {arguments:?} was done before it was interrupted");
    send(Signal::INT, &child);
    // Who ignores Ctrl-C has children that do.
    if interrupts_are_ignored() {
        send(Signal::TERM, &child);
    }
    assert!(!child.wait().expect("an end").success());
    let left = fs::read_dir(folder.path()).expect("the folder").flatten();
    left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn curves_leave_no_half_written_file() {
    let long = "laplace(scale=30)^1900";
    let arguments = ["curve", long, "--kind", "profile", "--csv", "curve.csv", "--svg", "curve.svg"];
    assert_eq!(interrupted("curve", &arguments, Duration::from_millis(700)), [""; 0]);
}

#[test]
fn vectors_leave_no_half_written_file() {
    let arguments = ["vectors", "generate", "--out", "."];
    let left = interrupted("vectors", &arguments, Duration::from_millis(700));
    assert_eq!(left, [""; 0]);
}
