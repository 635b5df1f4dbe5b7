//! Ctrl-C leaves nothing behind: files appear whole or not at all.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// Start a command that takes minutes, interrupt it after a while, and list what it left in its folder.
fn interrupted(name: &str, arguments: &[&str], after: Duration) -> Vec<String> {
    let folder = folder(name);
    let mut child = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(arguments)
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("dpcert starts");
    std::thread::sleep(after);
    assert!(child.try_wait().expect("a state").is_none(), "dpcert {arguments:?} was done before it was interrupted");
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
    };
    signal("-INT");
    // Whoever is started in the background by a shell script ignores Ctrl-C, and so do these children.
    if interrupts_are_ignored() {
        signal("-TERM");
    }
    assert!(!child.wait().expect("an end").success());
    let left = fs::read_dir(&folder).expect("the folder").flatten();
    left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Was this process started so that it, and all it starts, ignores Ctrl-C?
fn interrupts_are_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
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
