//! Ctrl-C leaves nothing behind: files appear whole or not at all, and a question keeps what was proven.
#![cfg(unix)]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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

/// Wait until a process has a handler for interrupts, as the kernel tells it.
#[cfg(target_os = "linux")]
fn catches_interrupts(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(120) {
        let text = fs::read_to_string(&status).expect("a process");
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask").trim();
        if u64::from_str_radix(caught, 16).expect("a mask") & (1 << (2 - 1)) != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no handler after two minutes");
}

/// Who interrupts a question that would take hours gets what was proven until then, with the exit code of short
/// answers.
#[cfg(target_os = "linux")]
#[test]
fn questions_keep_what_was_proven() {
    let question = ["delta", "poisson(rate=0.01, gaussian(sigma=1))^1000", "--epsilon", "1"];
    let child = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(question)
        .args(["--digits", "20000", "--timeout", "3600", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("dpcert starts");
    catches_interrupts(&child);
    std::thread::sleep(Duration::from_millis(1500));
    send(Signal::INT, &child);
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(3));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    let end = |name: &str| line[name].as_str().expect("an end").parse::<f64>().expect("a number");
    // Some digits come at once: the truth is 0.00261242057862692...
    assert!(end("lower") <= 0.002612420578627 && 0.002612420578626 <= end("upper"), "{line}");
    assert!(line.to_string().contains("interrupted"), "{line}");
}

/// Other commands that compute for long end with what they know then, too.
#[cfg(target_os = "linux")]
#[test]
fn comparisons_say_that_they_were_interrupted() {
    let noise = "poisson(rate=1/10, gaussian(sigma=1))^100";
    let near = "poisson(rate=1/10, gaussian(sigma=1.0000001))^100 * laplace(scale=1000)";
    let child = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(["order", noise, near, "--direction", "forward", "--timeout", "3600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("dpcert starts");
    catches_interrupts(&child);
    std::thread::sleep(Duration::from_millis(500));
    send(Signal::INT, &child);
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(told.contains("interrupted"), "{told}");
}

/// What is told, and the exit code, of a command that is interrupted after a while.
#[cfg(target_os = "linux")]
fn told(arguments: &[&str]) -> (Option<i32>, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(arguments)
        .args(["--timeout", "3600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("dpcert starts");
    catches_interrupts(&child);
    std::thread::sleep(Duration::from_millis(2500));
    send(Signal::INT, &child);
    let output = child.wait_with_output().expect("an end");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout) + &text(output.stderr))
}

/// Whatever computes has some digits soon, and tells them.
#[cfg(target_os = "linux")]
#[test]
fn all_commands_keep_what_was_proven() {
    let noise = "poisson(rate=1/10, gaussian(sigma=1))^100";
    for (arguments, known) in [
        (vec!["risk", noise, "--fpr", "1e-3", "--digits", "100000"], "membership advantage"),
        (vec!["theorem", "KOV-3.4", "epsilon=1/10", "times=30", "slack=1e-3", "--digits", "1000000"], "delta"),
        (
            vec!["approximate", "edgeworth", "laplace(scale=5)^30", "--delta", "1e-5", "--digits", "100000"],
            "approximation",
        ),
        (vec!["compare", noise, "--delta", "1e-5", "--digits", "20000"], "basic composition"),
        (vec!["fit", "discrete-gaussian(sigma2=2)^3", "--digits", "100000"], "1.23"),
        (vec!["region", "approx-dp(epsilon=0.1, delta=0.001)^300000", "--digits", "1000"], "i =  0"),
    ] {
        let (code, text) = told(&arguments);
        assert_eq!(code, Some(3), "{arguments:?}: {text}");
        assert!(text.contains(known) && text.contains("interrupted"), "{arguments:?}: {text}");
    }
}
