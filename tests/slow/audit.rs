//! Audits of programs that answer well, badly, or not at all: each fault is told apart, and none ends the audit.
//!
//! The audited side is `tests/fixtures/adapters/fake.py`, whose argument says how it behaves; it knows delta of one
//! Gaussian, and all else is unsupported.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{self, Folder, Signal, mark, processes_with, quoted, send};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A script of this project as a command.
fn python(script: &str) -> String {
    format!("python3 {}", quoted(&Path::new(ROOT).join(script)))
}

fn fake(how: &str) -> String {
    format!("{} {how}", python("tests/fixtures/adapters/fake.py"))
}

fn dpcert(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpcert")).args(arguments).current_dir(ROOT).output().expect("dpcert runs")
}

/// What came of auditing a command with the first questions about Gaussians.
struct Audited {
    code: Option<i32>,
    judgements: Vec<Value>,
    row: Value,
    talk: String,
}

impl Audited {
    fn count(&self, verdict: &str) -> u64 {
        self.row["verdicts"][verdict].as_u64().unwrap_or(0)
    }

    fn failed(&self, reason: &str) -> u64 {
        self.row["failed"][reason].as_u64().unwrap_or(0)
    }

    /// The message of the first failure.
    fn message(&self) -> &str {
        let failure = self.judgements.iter().find(|judgement| judgement["verdict"] == "failed");
        failure.and_then(|failure| failure["message"].as_str()).unwrap_or("")
    }
}

fn audit(name: &str, command: &str, more: &[&str]) -> Audited {
    let cache = Folder::new(name);
    let mut arguments = vec!["audit", "--adapter", command, "--json", "--cache", cache.text()];
    arguments.extend(["--only", "gaussian-delta-000", "--only", "gaussian-delta-001"]);
    if !more.contains(&"--time-limit") {
        arguments.extend(["--time-limit", "10"]);
    }
    arguments.extend(more);
    let output = dpcert(&arguments);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let talk = String::from_utf8(output.stderr).expect("UTF-8");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let summary = lines.last().unwrap_or_else(|| panic!("a summary; {talk}"));
    assert_eq!(summary["type"], "summary");
    let row = summary["rows"][0].clone();
    let judgements = lines.into_iter().filter(|line| line["type"] == "judgement").collect();
    Audited { code: output.status.code(), judgements, row, talk }
}

fn faulty(how: &str) -> Audited {
    audit(how, &fake(how), &[])
}

#[test]
fn a_good_program_passes() {
    let audited = faulty("right");
    assert_eq!(audited.code, Some(0), "{}", audited.talk);
    assert_eq!((audited.count("unsound"), audited.count("failed"), audited.count("undecided")), (0, 0, 0));
    assert!(audited.count("sound") + audited.count("loose") > 10);
    assert!(audited.count("unsupported") > 10);
    assert_eq!(audited.row["restarts"], 0);
    assert_eq!(audited.row["peer"], "fake");
    // What a report needs is there.
    let sound = audited.judgements.iter().find(|judgement| judgement["verdict"] == "sound").expect("one");
    for field in ["id", "mechanism", "expression", "claim", "claim_decimal", "ratio", "call", "says"] {
        assert!(sound[field].is_string(), "{field}: {sound}");
    }
    assert!(sound["truth"]["lower"].is_string() && sound["seconds"]["dpcert"].is_f64());
}

#[test]
fn unsound_claims_are_found_and_sized() {
    let audited = faulty("low");
    assert_eq!(audited.code, Some(1));
    assert!(audited.row["unsound"]["gross"].as_u64() > Some(10));
    assert_eq!(audited.row["worst"]["ratio"], "0.5");
    // A rounding fails no audit, unless that is asked for.
    let audited = faulty("rounding");
    assert_eq!(audited.code, Some(0));
    let roundings = audited.row["unsound"]["rounding"].as_u64().unwrap_or(0);
    let negligible = audited.row["unsound"]["negligible"].as_u64().unwrap_or(0);
    assert!(roundings > 10 && roundings + negligible == audited.count("unsound"), "{}", audited.row);
    assert_eq!(audit("rounding-fails", &fake("rounding"), &["--fail-on", "rounding"]).code, Some(1));
    assert_eq!(audit("gross-only", &fake("low"), &["--fail-on", "gross"]).code, Some(1));
    assert_eq!(audit("nan-passes", &fake("nan"), &[]).code, Some(0));
    assert_eq!(audit("nan-fails", &fake("nan"), &["--fail-on", "failed"]).code, Some(1));
}

/// What was as bad before fails nothing; what is new or worse does.
#[test]
fn a_baseline_forgives_what_is_known() {
    let place = Folder::new("baseline");
    let text = |name: &str| support::text(&place.join(name)).to_string();
    for how in ["low", "rounding"] {
        let out = text(how);
        let audited = audit(&format!("baseline-{how}"), &fake(how), &["--out", &out, "--fail-on", "failed"]);
        assert_eq!(audited.code, Some(1), "{}", audited.talk);
    }
    let against = |how: &str, baseline: &str| {
        // The same program at another time.
        let command = format!("FAKE_API=mine {}", fake(how));
        audit(&format!("against-{how}-{baseline}"), &command, &["--fail-on", "rounding", "--baseline", &text(baseline)])
            .code
    };
    let named = |how: &str, out: &str| {
        let command = format!("FAKE_API=mine {}", fake(how));
        audit(&format!("named-{how}"), &command, &["--out", &text(out)])
    };
    named("low", "low-mine");
    named("rounding", "rounding-mine");
    assert_eq!(against("low", "low-mine"), Some(0));
    assert_eq!(against("rounding", "rounding-mine"), Some(0));
    assert_eq!(against("rounding", "low-mine"), Some(0), "it became better");
    assert_eq!(against("low", "rounding-mine"), Some(1), "it became worse");
    assert_eq!(against("low", "low"), Some(1), "that was another program");
}

/// One mistake of an adapter is one line, however often it is made; no truth is computed for it.
#[test]
fn failures_are_grouped_by_what_was_said() {
    let audited = audit("raising", &fake("raising"), &["--only", "kov-delta-00"]);
    let [group, ..] = audited.row["failures"].as_array().expect("groups").as_slice() else { panic!("{}", audited.row) };
    assert_eq!(group["reason"], "raised");
    assert_eq!((&group["numbers_differ"], group["count"].as_u64() > Some(50)), (&Value::Bool(true), true), "{group}");
    assert_eq!(group["count"].as_u64(), Some(audited.failed("raised")));
    let raised = audited.judgements.iter().filter(|judgement| judgement["reason"] == "raised");
    assert!(
        raised.clone().count() > 50 && raised.into_iter().all(|judgement| judgement["seconds"]["dpcert"].is_null())
    );
}

/// A program that dies of whatever it does not offer is hunted where it answers.
#[test]
fn hunts_go_on_where_probes_raised() {
    for how in ["strict", "raising"] {
        let (code, judgements) = hunted(how, how, "4s", "1");
        assert_eq!(code, Some(1), "{how}");
        let random = judgements.iter().filter(|judgement| judgement["verdict"] != "failed");
        assert!(random.count() > 10, "{how}: {} judgements", judgements.len());
    }
}

/// A question of one's own, asked of a program.
#[test]
fn questions_of_ones_own_are_asked() {
    let cache = Folder::new("ask");
    let ask = |how: &str, more: &[&str]| {
        let command = fake(how);
        let arguments =
            ["audit", "--adapter", &command, "--cache", cache.text(), "--json", "--ask", "gaussian(sigma=10/7)"];
        let output = dpcert(&[arguments.as_slice(), more].concat());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        (output.status.code(), lines.into_iter().filter(|line| line["type"] == "judgement").collect::<Vec<_>>())
    };
    let (code, judgements) = ask("low", &["--epsilon", "0.5,1,1/2"]);
    assert_eq!((code, judgements.len()), (Some(1), 2), "a point that is typed twice is asked once");
    for judgement in &judgements {
        assert_eq!((&judgement["size"], &judgement["ratio"]), (&Value::from("gross"), &Value::from("0.5")));
        // The nearest double, and the truth there.
        assert_eq!(judgement["expression"], "gaussian(sigma=f64:0x1.6db6db6db6db7p+0)");
    }
    assert_eq!(ask("right", &["--epsilon", "1"]).0, Some(0));
    let (code, judgements) = ask("right", &["--delta", "1e-5"]);
    assert_eq!((code, &judgements[0]["verdict"]), (Some(0), &Value::from("unsupported")));
}

#[test]
fn answers_out_of_order_are_told() {
    let audited = faulty("order");
    assert!(audited.failed("out-of-order") > 10);
    assert!(audited.count("sound") > 0, "those in their turn are judged");
    assert!(audited.message().contains("-delta-00") && audited.message().contains("which was sent earlier"));
}

#[test]
fn second_answers_are_told() {
    let audited = faulty("twice");
    assert!(audited.failed("twice") > 5);
    assert_eq!(audited.count("sound"), faulty("right").count("sound"), "the first answer counts");
    // However often: each question is told of once, and the rest is answered in other lives.
    let audited = faulty("echo");
    assert!((5..100).contains(&audited.failed("twice")), "{}", audited.row);
    assert_eq!(audited.count("sound"), faulty("right").count("sound"));
}

#[test]
fn unknown_ids_are_told() {
    let audited = faulty("unknown");
    assert!(audited.failed("wrong-id") > 5);
    assert!(audited.message().contains("somebody-else"));
    // One that comes beside the answer is told of, and the answer is judged, that of the last question too.
    for (how, reason) in [("stray", "wrong-id"), ("mutter", "unreadable")] {
        let audited = faulty(how);
        assert!(audited.failed(reason) > 5, "{how}: {}", audited.row);
        assert_eq!((audited.failed("twice"), audited.failed("out-of-order")), (0, 0), "{how}: {}", audited.row);
        assert_eq!(audited.count("failed"), audited.failed(reason), "{how}: {}", audited.row);
        let right = faulty("right");
        assert_eq!(audited.count("sound") + audited.count("loose"), right.count("sound") + right.count("loose"));
        assert_eq!(audited.count("unsupported"), right.count("unsupported"));
        assert_eq!(audited.row["restarts"], 0);
    }
}

#[test]
fn numbers_that_are_none_are_told() {
    for (how, reason) in [
        ("nan", "nan"),
        ("word", "unreadable"),
        ("negative", "negative"),
        ("above", "above-one"),
        ("infinite", "infinite"),
    ] {
        let audited = faulty(how);
        assert!(audited.failed(reason) >= 3, "{how}: {}", audited.row);
        assert_eq!(audited.failed(reason), audited.count("failed"), "{how}");
        assert!(audited.count("sound") > 5, "{how}");
    }
}

#[test]
fn ten_megabytes_in_a_line_are_cut_off() {
    let audited = faulty("novel");
    assert!(audited.failed("too-long") > 5);
    assert!(audited.message().starts_with("a line of 104857"), "{}", audited.message());
    assert!(audited.count("sound") > 5);
}

#[test]
fn ten_megabytes_of_talk_are_passed_over() {
    let audited = faulty("chatter");
    assert_eq!(audited.count("failed"), 0);
    assert_eq!(audited.count("sound"), faulty("right").count("sound"));
}

#[test]
fn rubbish_is_told() {
    let audited = faulty("rubbish");
    assert!(audited.failed("unreadable") > 5);
    assert!(audited.message().starts_with("not a JSON object"), "{}", audited.message());
    // A bare number is no claim either.
    let audited = faulty("shy");
    assert!(audited.failed("unreadable") > 5);
    assert_eq!(audited.message(), "unexpected output '0.1'");
}

/// Numbers as other languages print them, and an `error` that was left blank.
#[test]
fn numbers_are_read_as_languages_print_them() {
    for how in ["pointed", "blank-error"] {
        let audited = faulty(how);
        assert_eq!(audited.count("failed"), 0, "{how}: {}", audited.row);
        assert!(audited.count("sound") + audited.count("loose") > 10, "{how}: {}", audited.row);
    }
}

/// A double written as a JSON number is that double, whose decimal may lie on the other side of the truth.
#[test]
fn json_numbers_are_judged_as_doubles() {
    let verdicts = |how: &str| -> Vec<(Value, Value, Value)> {
        let of = |judgement: Value| (judgement["id"].clone(), judgement["claim"].clone(), judgement["verdict"].clone());
        faulty(how).judgements.into_iter().map(of).collect()
    };
    assert_eq!(verdicts("json"), verdicts("right"));
}

#[test]
fn keys_that_come_twice_are_told() {
    let audited = faulty("again");
    assert!(audited.failed("unreadable") >= 3, "{}", audited.row);
    assert!(audited.message().contains("duplicate key `upper`"), "{}", audited.message());
    assert_eq!(audited.count("unsound"), 0);
}

#[test]
fn byte_order_marks_and_blanks_are_passed_over() {
    let audited = faulty("marked");
    assert_eq!((audited.code, audited.count("failed")), (Some(0), 0), "{}", audited.row);
}

/// A program that has answered before is not given up for some questions that it does not survive.
#[test]
fn hard_questions_in_a_row_end_nothing() {
    for (how, reason) in [("shy-hang", "hang"), ("shy-death", "crash")] {
        let audited = audit(how, &fake(how), &["--time-limit", "0.5"]);
        assert!(audited.row["gave_up"].is_null(), "{}", audited.row);
        let least = if reason == "hang" { 8 } else { 12 };
        assert!(audited.failed(reason) >= least, "{how}: {}", audited.row);
        assert!(audited.count("sound") > 5, "{how}: {}", audited.row);
    }
    // One that does not answer any more what it has answered is.
    let place = Folder::new("silent-file");
    let how = format!("silent {}", quoted(&place.join("gone")));
    let audited = audit("silent", &fake(&how), &["--time-limit", "0.5"]);
    let why = audited.row["gave_up"].as_str().expect("a reason");
    assert!(why.contains("that it answered before") && why.contains("it does not come back"), "{why}");
    assert_eq!(audited.code, Some(2));
}

/// The time to load does not count twice, and not as the time for an answer.
#[test]
fn a_hang_costs_the_time_limit() {
    let started = Instant::now();
    let audited = audit("loading", &fake("loading"), &["--time-limit", "0.5", "--start-time", "20"]);
    let hangs = audited.failed("hang");
    assert!(hangs >= 8 && audited.count("sound") > 5, "{}", audited.row);
    // Each of them: half a second, and one and a half to load again.
    // A slow machine may take longer; if the time to start were part of the limit, it would be twenty seconds more.
    let bound = Duration::from_secs(15) * u32::try_from(hangs).expect("few");
    assert!(started.elapsed() < bound, "{:?}", started.elapsed());
}

/// One hang at a composition is enough; a calibration has a second chance.
#[test]
fn mechanisms_that_hang_are_not_asked_for_ever() {
    let audited = audit("same", &fake("same"), &["--time-limit", "0.5", "--only", "kov-delta-00"]);
    let told = |start: &str| {
        let all = audited.judgements.iter();
        all.filter(|judgement| judgement["message"].as_str().is_some_and(|message| message.starts_with(start))).count()
    };
    let (hung, unasked) = (told("no answer within"), told("skipped: "));
    assert!(unasked > 5, "{}", audited.row);
    assert_eq!(audited.row["restarts"].as_u64(), Some(hung as u64));
    assert_eq!((audited.failed("hang"), audited.failed("not-asked")), (hung as u64, unasked as u64));
    // Each composition once, and each that was not asked names the question that hung.
    let of = |reason: &str| -> Vec<&Value> {
        audited.judgements.iter().filter(|judgement| judgement["reason"] == reason).collect()
    };
    let hung: Vec<&str> = of("hang").iter().filter_map(|judgement| judgement["mechanism"].as_str()).collect();
    assert_eq!(hung.iter().collect::<std::collections::HashSet<_>>().len(), hung.len(), "{hung:?}");
    for judgement in of("not-asked") {
        let message = judgement["message"].as_str().unwrap_or_default();
        let first = of("hang").into_iter().find(|first| first["mechanism"] == judgement["mechanism"]).expect("a hang");
        let id = first["id"].as_str().expect("an id");
        assert_eq!(message, format!("skipped: {id}, of the same mechanism, exceeded the time limit"));
    }
    let audited = audit("same-noise", &fake("same"), &["--time-limit", "0.5", "--only", "gaussian-noise"]);
    let noise = |reason: &str| {
        let of = |judgement: &&Value| judgement["mechanism"] == "gaussian(sigma=?)" && judgement["reason"] == reason;
        audited.judgements.iter().filter(of).count()
    };
    assert_eq!(noise("hang"), 2, "{}", audited.row);
    assert!(noise("not-asked") >= 2, "{}", audited.row);
    let messages = audited.judgements.iter().filter_map(|judgement| judgement["message"].as_str());
    assert!(messages.into_iter().any(|message| message.contains(" and 1 more of the same mechanism")));
}

/// Talk does not stop the clock.
#[test]
fn endless_talk_is_a_hang() {
    let audited = audit("babble", &fake("babble"), &["--time-limit", "0.5"]);
    assert!(audited.failed("hang") > 3, "{}", audited.row);
    let message = audited.message();
    assert!(message.starts_with("no answer within 0.5 s; unexpected output 'and then there was'"), "{message}");
    assert!(audited.count("sound") > 0, "{}", audited.row);
}

/// Nothing is left behind, not even what has left the group of processes.
#[cfg(target_os = "linux")]
#[test]
fn daemons_do_not_outlive_the_audit() {
    let mark = mark();
    let audited = audit("daemon", &fake(&format!("daemon {mark}")), &[]);
    assert_eq!(audited.code, Some(0));
    assert_eq!(processes_with(&mark), 0, "a child was left behind");
}

#[test]
fn programs_that_hang_are_killed_and_started_again() {
    let started = Instant::now();
    let audited = audit("hang", &fake("hang"), &["--time-limit", "0.5"]);
    assert!(audited.failed("hang") > 3);
    let asked = audited.judgements.iter().filter(|judgement| judgement["message"] == "no answer within 0.5 s").count();
    assert_eq!(audited.row["restarts"].as_u64(), Some(asked as u64));
    assert!(audited.count("sound") > 5);
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn programs_that_die_are_started_again() {
    let audited = faulty("death");
    assert!(audited.failed("crash") > 3);
    assert!(audited.message().contains("with status 3; last output: terminate called"), "{}", audited.message());
    assert!(audited.count("sound") > 5);
    // One that dies of too many questions has answered them all in the end.
    let audited = faulty("weary");
    assert_eq!(audited.count("failed"), 0);
    assert!(audited.row["restarts"].as_u64() > Some(10));
    // One that leaves a child behind, which keeps its output open.
    let audited = faulty("orphan");
    assert!(audited.failed("crash") > 3, "{}", audited.row);
}

#[test]
fn memory_is_limited() {
    let audited = audit("memory", &fake("memory"), &["--memory", "500"]);
    assert!(audited.failed("memory") > 3, "{}", audited.row);
    assert!(audited.count("sound") > 5);
}

#[test]
fn programs_that_never_start_are_told() {
    let place = Folder::new("unexecutable");
    let script = place.join("adapter.sh");
    fs::write(&script, "#!/bin/sh\n").expect("a file");
    let audited = audit("unexecutable-cache", &quoted(&script), &[]);
    assert_eq!(audited.code, Some(2));
    let why = audited.row["gave_up"].as_str().expect("a reason");
    assert!(why.starts_with("it cannot be executed (exit status 126)"), "{why}");
    let audited = audit("nowhere", "/nowhere/adapter", &[]);
    assert_eq!(audited.code, Some(2));
    let why = audited.row["gave_up"].as_str().expect("a reason");
    assert!(why.starts_with("it was not found (exit status 127)"), "{why}");
    let audited = faulty("unborn");
    assert_eq!(audited.code, Some(2));
    let why = audited.row["gave_up"].as_str().expect("a reason");
    assert!(why.contains("3 starts") && why.contains("no module named accountant"), "{why}");
}

#[test]
fn programs_that_never_answer_are_told() {
    let audited = audit("mute", &fake("mute"), &["--time-limit", "0.3", "--start-time", "0.3"]);
    assert_eq!(audited.code, Some(2));
    assert!(audited.row["gave_up"].as_str().expect("a reason").starts_with("no answer in 3 starts"));
    assert_eq!(audited.failed("hang"), 3);
}

/// Ctrl-C keeps what was judged, leaves no process behind, and the same command goes on.
#[test]
fn interrupted_audits_go_on() {
    let place = Folder::new("interrupted");
    let journal = place.join("judged.jsonl");
    let mark = mark();
    let command = fake(&format!("slow {mark}"));
    let arguments = [
        "audit",
        "--adapter",
        &command,
        "--only",
        "gaussian-delta-000",
        "--only",
        "gaussian-delta-001",
        "--out",
        support::text(&journal),
        "--cache",
        place.text(),
    ];
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
        command
            .args(arguments)
            .current_dir(ROOT)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts")
    };
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let child = start();
    let until = Instant::now() + Duration::from_secs(60);
    while lines() < 6 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    send(Signal::INT, &child);
    let output = child.wait_with_output().expect("an end");
    let talk = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{talk}");
    assert!(talk.contains("run the same command to resume"), "{talk}");
    assert_eq!(processes_with(&mark), 0, "a process was left behind");
    let before = lines();
    // Cut off in the middle of a line.
    let mut text = fs::read_to_string(&journal).expect("the journal");
    text.push_str("{\"type\":\"judgement\",\"pe");
    fs::write(&journal, text).expect("written");
    let output = start().wait_with_output().expect("an end");
    let talk = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{talk}");
    assert!(talk.contains(&format!("{} of ", before - 1)), "{talk}");
    let text = fs::read_to_string(&journal).expect("the journal");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let mut ids: Vec<&str> = records.iter().filter_map(|record| record["id"].as_str()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "nothing is judged twice");
    assert_eq!(records.last().expect("a line")["type"], "summary");
    // Everything is there: asked again, nothing is started.
    let output = start().wait_with_output().expect("an end");
    assert!(String::from_utf8_lossy(&output.stderr).contains(&format!("{all} of {all} answers are already judged")));
    // Another audit does not write into this journal.
    let output = dpcert(&["audit", "--adapter", "true", "--out", support::text(&journal)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is the journal of another audit"));
}

/// A package that does not install is told with the last words of pip, and others are asked nevertheless.
#[cfg(unix)]
#[test]
fn packages_that_do_not_install_are_told() {
    use std::os::unix::fs::PermissionsExt;
    let place = Folder::new("pip");
    let bin = place.join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    let python = bin.join("python3");
    // A python whose venv is itself, and whose pip finds nothing.
    fs::write(
        &python,
        "#!/bin/sh\ncase \"$*\" in\n-m\\ venv*) mkdir -p \"$3/bin\"; cp \"$0\" \"$3/bin/python\";;\n\
         -m\\ pip*) echo 'Collecting scipy'; echo 'ERROR: No matching distribution found for scipy' >&2; exit 1;;\n\
         esac\n",
    )
    .expect("a file");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("executable");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let cache = place.join("cache");
    let output = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(["audit", "scipy:textbook", "--only", "gaussian-delta-0001", "--cache"])
        .arg(&cache)
        .env("PATH", path)
        .current_dir(ROOT)
        .output()
        .expect("dpcert runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("cannot install") && text.contains("pip failed:"), "{text}");
    assert!(text.contains("ERROR: No matching distribution found for scipy"), "{text}");
    let left: Vec<_> = fs::read_dir(cache.join("venv")).expect("the folder").flatten().collect();
    assert!(left.is_empty(), "half an environment is left: {left:?}");
}

fn hunted(name: &str, how: &str, seconds: &str, seed: &str) -> (Option<i32>, Vec<Value>) {
    let cache = Folder::new(name);
    let command = fake(how);
    let (hunt, cache) = (["--hunt", seconds, "--seed", seed], ["--cache", cache.text()]);
    let output = dpcert(&[["audit", "--adapter", &command, "--json"].as_slice(), &hunt, &cache].concat());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    (output.status.code(), lines.filter(|line| line["type"] == "judgement").collect())
}

/// A hunt finds what is wrong deep in the tail alone, and shows it at round numbers.
#[test]
fn hunts_find_and_simplify() {
    let (code, judgements) = hunted("hunt", "deep", "4s", "1");
    assert_eq!(code, Some(1));
    let simple: Vec<&Value> = judgements
        .iter()
        .filter(|judgement| judgement["id"].as_str().is_some_and(|id| id.contains("simpler")))
        .filter(|judgement| judgement["size"] == "gross")
        .collect();
    let [simple] = simple.as_slice() else { panic!("one kind of failure, not {simple:?}") };
    let truth: f64 = simple["truth"]["upper"].as_str().expect("a truth").parse().expect("a number");
    assert!((1e-16..1e-8).contains(&truth), "{simple}");
    let call = simple["call"].as_str().expect("a call");
    let (_, numbers) = call.split_once("print(delta(").expect("the numbers");
    // Two digits each at most: 20.0, 0.3 say.
    assert!(numbers.bytes().filter(|byte| (b'1'..=b'9').contains(byte)).count() <= 4, "{numbers}");
}

/// A hunt ends in its time and half as much again, though some questions never end.
#[test]
fn hunts_end() {
    let started = Instant::now();
    let cache = Folder::new("hunt-hang");
    let command = fake("hang");
    let (hunt, cache) = (["--hunt", "6s", "--time-limit", "1"], ["--cache", cache.text()]);
    let output = dpcert(&[["audit", "--adapter", &command, "--json"].as_slice(), &hunt, &cache].concat());
    // Nine seconds, if nothing else is done here; questions that never end would take minutes.
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("no answer within 1 s"), "{text}");
    // Where no bar is shown, lines say what it does.
    let talk = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(talk.contains("probing supported queries"), "{talk}");
}

/// The same seed asks the same questions; how many of them is a matter of time.
#[test]
fn hunts_are_repeatable() {
    let asked = |name: &str, seed: &str| -> Vec<(String, String)> {
        let (_, judgements) = hunted(name, "right", "2s", seed);
        let of = |judgement: &Value, field: &str| judgement[field].as_str().unwrap_or("").to_string();
        judgements.iter().map(|judgement| (of(judgement, "id"), of(judgement, "expression"))).collect()
    };
    let (first, second) = (asked("hunt-a", "7"), asked("hunt-b", "7"));
    let common = first.len().min(second.len());
    assert!(common > 20, "{common} questions");
    assert_eq!(first[..common], second[..common]);
    let other = asked("hunt-c", "8");
    assert!(first.iter().zip(&other).any(|(a, b)| a.1 != b.1));
}

/// `dpcert` with arguments, as a child that is not waited for.
fn started(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpcert"));
    command.args(arguments).current_dir(ROOT).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Wait until something is so, for a minute at most.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Killed in the middle of a question, `dpcert` can do nothing any more; its adapter, and what that has started, are
/// gone all the same.
#[cfg(target_os = "linux")]
#[test]
fn nothing_outlives_an_audit_that_is_killed() {
    // A shell stays between both in the second case, and a process in a session of its own is there as well.
    for (how, before, least) in [("hang", "", 2), ("daemon-hang", "cd . && ", 4)] {
        let place = Folder::new(&format!("killed-{how}"));
        let (mark, asked) = (mark(), place.join("asked"));
        let command = format!("{before}{}", fake(&format!("{how} {mark} {}", quoted(&asked))));
        let only = ["--only", "gaussian-delta-0004", "--time-limit", "600", "--cache", place.text()];
        let mut child = started(&[["audit", "--adapter", &command].as_slice(), &only].concat());
        until("the adapter is asked", || asked.exists());
        assert!(processes_with(&mark) >= least, "those that run are not seen");
        send(Signal::KILL, &child);
        child.wait().expect("an end");
        until("the adapter is gone", || processes_with(&mark) == 0);
        until("and who saw to it", || processes_with(&format!("--heir {}-", child.id())) == 0);
    }
}

/// A terminal that is closed is as good as Ctrl-C; a second Ctrl-C does not wait for anything.
#[test]
fn audits_end_by_other_signals() {
    let twice = [Signal::TERM, Signal::INT, Signal::TERM];
    for (how, signals, code) in [("slow", [Signal::HUP].as_slice(), 3), ("stubborn", &twice, 130)] {
        let place = Folder::new(&format!("signals-{how}"));
        let mark = mark();
        let journal = place.join("judged.jsonl");
        let (out, cache) = (support::text(&journal), place.text());
        let command = fake(&format!("{how} {mark}"));
        let only = ["--only", "gaussian-delta-000", "--only", "gaussian-delta-001"];
        let start = ["audit", "--adapter", &command, "--time-limit", "600", "--out", out, "--cache", cache];
        let child = started(&[start.as_slice(), &only].concat());
        until("an answer", || fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) > 3);
        let sent = Instant::now();
        for &signal in signals {
            send(signal, &child);
            if code == 130 {
                std::thread::sleep(Duration::from_millis(30));
            }
        }
        let output = child.wait_with_output().expect("an end");
        // The first signal may have done its work before the second comes.
        let talk = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) || (code == 130 && output.status.code() == Some(3)), "{talk}");
        // Not after the time limit of the question.
        assert!(sent.elapsed() < Duration::from_secs(300), "{:?}", sent.elapsed());
        until("the adapter is gone", || processes_with(&mark) == 0);
        let text = fs::read_to_string(&journal).expect("the journal");
        assert!(text.lines().count() > 3 && text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
}

/// What a hunt finds is in its file at once, and stays there whatever ends it.
#[test]
fn hunts_that_are_ended_keep_what_they_found() {
    for (signal, code) in [(Signal::INT, Some(3)), (Signal::KILL, None)] {
        let place = Folder::new("hunt-ended");
        let file = place.join("found.jsonl");
        let (out, cache) = (support::text(&file), place.text());
        let command = fake("low");
        let child = started(&["audit", "--adapter", &command, "--hunt", "10m", "--out", out, "--cache", cache]);
        let found = || -> Vec<Value> {
            let text = fs::read_to_string(&file).unwrap_or_default();
            // The last line may be on its way.
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            whole.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
        };
        until("something is found", || found().iter().filter(|line| line["verdict"] == "unsound").count() > 5);
        send(signal, &child);
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), code, "{output:?}");
        assert!(found().len() > 5);
        if code.is_some() {
            let (text, talk) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(text.contains("unsound (gross)") && text.contains("to reproduce:"), "{text}");
            assert!(talk.contains("findings so far are shown, and saved in"), "{talk}");
            // Its simplest examples, too.
            let shown = text.matches("to reproduce:").count();
            assert!(shown > 0 && found().len() > shown);
        }
    }
}

/// A hunt makes its own questions: choosing stored ones beside it is a mistake, told at once.
#[test]
fn hunts_take_no_stored_questions() {
    for more in [["--only", "gaussian"], ["--every", "3"], ["--data", "vectors"]] {
        let refused = dpcert(&[["audit", "--adapter", "true", "--hunt", "1s"].as_slice(), &more].concat());
        assert_eq!(refused.status.code(), Some(2), "{more:?}");
        let talk = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(talk.lines().count() == 1 && talk.contains("cannot be used with"), "{talk}");
    }
    assert_eq!(hunted("hunt-fine", "right", "2s", "3").0, Some(0));
}

/// The adapters that the documentation prints are those that are tested here.
#[test]
fn the_documentation_prints_the_examples() {
    let read = |path: &str| fs::read_to_string(Path::new(ROOT).join(path)).expect("a file");
    let page = read("adapters/README.md");
    assert!(page.contains(&read("adapters/examples/minimal.py")));
    let rust = read("examples/adapter.rs");
    let (_, code) = rust.split_once("\n\n").expect("a header");
    assert!(page.contains(code));
}

/// The adapters of the documentation are whole.
#[test]
fn the_examples_speak_the_protocol() {
    let audited = audit("minimal", &python("adapters/examples/minimal.py"), &[]);
    assert_ne!(audited.code, Some(2), "{}", audited.talk);
    assert!(audited.count("sound") > 5, "{}", audited.row);
    let built = Path::new(env!("CARGO_BIN_EXE_dpcert")).with_file_name("examples").join("adapter");
    let audited = audit("example", &quoted(&built), &[]);
    assert_ne!(audited.code, Some(2), "{}", audited.talk);
    assert!(audited.count("sound") > 5, "{}", audited.row);
}

/// Command lines as people write them for a shell, with settings of variables and changes of folder.
#[test]
fn command_lines_are_those_of_a_shell() {
    let (settings, cd) = (format!("AS=right {}", fake("right")), format!("cd . && {}", fake("right")));
    for (name, command) in [("shell-settings", settings), ("shell-cd", cd)] {
        let audited = audit(name, &command, &[]);
        assert!(audited.count("sound") + audited.count("loose") > 5, "{name}: {}", audited.talk);
    }
}

/// A program that was given up, and repaired, is asked again.
#[test]
fn what_was_given_up_is_asked_again() {
    let place = Folder::new("given-up");
    let (script, out) = (place.join("adapter.sh"), place.join("judged.jsonl"));
    let command = format!("sh {}", quoted(&script));
    let arguments = ["audit", "--adapter", &command, "--only", "gaussian-delta-000", "--out", support::text(&out)];
    fs::write(&script, "exit 3\n").expect("a script");
    let given_up = dpcert(&arguments);
    assert_eq!(given_up.status.code(), Some(2), "{given_up:?}");
    fs::write(&script, format!("exec {}\n", fake("right"))).expect("a script");
    let repaired = dpcert(&arguments);
    assert_eq!(repaired.status.code(), Some(0), "{repaired:?}");
}

/// Places where nothing can be kept are refused before anything is asked, in one line.
#[test]
fn places_that_are_no_files_are_refused() {
    let place = Folder::new("no-files");
    let taken = place.join("taken.jsonl");
    fs::write(&taken, "somebody's").expect("a file");
    let (folder, taken_text) = (place.text(), support::text(&taken));
    let command = fake("right");
    let cases: [&[&str]; 5] = [
        &["--out", "/dev/full"],
        &["--out", folder],
        &["--html", folder],
        &["--html", "/proc/nowhere/report.html"],
        &["--hunt", "1h", "--out", taken_text],
    ];
    for case in cases {
        let refused = dpcert(&[&["audit", "--adapter", &command], case].concat());
        assert_eq!(refused.status.code(), Some(2), "{case:?}");
        assert!(refused.stdout.is_empty(), "{case:?}");
        assert_eq!(String::from_utf8_lossy(&refused.stderr).lines().count(), 1, "{case:?}: {refused:?}");
    }
    assert_eq!(fs::read_to_string(taken).expect("a file"), "somebody's");
}
