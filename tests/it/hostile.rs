//! Input made to hurt: nesting, length and size far beyond reason, through every door.
//!
//! Each has to end soon, within an address space that holds no copy of the attack blown up, with the exit code of a
//! refusal and one line. The watchdog is generous: it is there to end a hang, not to measure.

#![cfg(unix)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{Folder, text};

/// Seconds of processor time that no attack may take.
const WATCHDOG: u32 = 60;

/// Address space in KiB: a gigabyte, several times what the program maps for its thread pool and libraries.
const MEMORY: u64 = 1 << 20;

/// The longest line a refusal may be, however long the text it refuses.
const LONGEST_REFUSAL: usize = 1000;

/// What is fed on standard input.
enum Input<'a> {
    Nothing,
    File(&'a Path),
}

/// Run dpcert within the limits of memory and time.
fn run(arguments: &[&str], input: Input) -> Output {
    run_within(arguments, input, WATCHDOG, MEMORY)
}

/// Run dpcert within so many seconds of processor time, and so many KiB of address space.
fn run_within(arguments: &[&str], input: Input, seconds: u32, memory: u64) -> Output {
    run_without("", arguments, input, seconds, memory)
}

/// The same without some engines.
fn run_without(engines: &str, arguments: &[&str], input: Input, seconds: u32, memory: u64) -> Output {
    let stdin = match input {
        Input::Nothing => Stdio::null(),
        Input::File(path) => Stdio::from(File::open(path).expect("the input")),
    };
    let limits = format!("ulimit -v {memory}; ulimit -t {seconds}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &limits, env!("CARGO_BIN_EXE_dpcert")])
        .args(arguments)
        .stdin(stdin)
        .env("DPCERT_WITHOUT", engines);
    let output = shell.output().expect("dpcert starts");
    assert!(output.status.code().is_some(), "{}: {}", shown(arguments), output.status);
    output
}

/// A command line, however long.
fn shown(arguments: &[&str]) -> String {
    arguments.iter().map(|argument| format!("{argument:.60}")).collect::<Vec<_>>().join(" ")
}

fn assert_one_short_line(text: &[u8], what: &str) {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().next().unwrap_or_default();
    assert!(!line.is_empty() && line.len() <= LONGEST_REFUSAL, "{what}: {} bytes: {line:.200}", line.len());
    assert!(!text.contains("panicked") && !text.contains("overflow"), "{what}: {line:.200}");
    // What points at the place stands on two more lines.
    assert!(text.lines().count() <= 3, "{what}: {text:.400}");
}

fn assert_refused(arguments: &[&str]) {
    let what = shown(arguments);
    let output = run(arguments, Input::Nothing);
    assert_eq!(output.status.code(), Some(2), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty(), "{what}");
    assert_one_short_line(&output.stderr, &what);
}

/// A file of one test alone, gone with the value.
struct Scratch(PathBuf, #[expect(dead_code, reason = "it goes with the value")] Folder);

impl Scratch {
    fn new(name: &str, write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>) -> Self {
        let folder = Folder::new("hostile");
        let path = folder.join(name);
        let mut file = BufWriter::new(File::create(&path).expect("a scratch file"));
        write(&mut file).and_then(|()| file.flush()).expect("room for a scratch file");
        Scratch(path, folder)
    }

    fn path(&self) -> &str {
        text(&self.0)
    }
}

/// The bytes of `unit`, `times` over.
fn repeat(file: &mut impl Write, unit: &str, times: usize) -> std::io::Result<()> {
    (0..times).try_for_each(|_| file.write_all(unit.as_bytes()))
}

/// One argument of a command line may have 128 KiB; what is longer comes by file or by standard input.
const LONG_ARGUMENT: usize = 120_000;

#[test]
fn deep_and_long_expressions_on_the_command_line() {
    let deep = |open: &str, close: &str| open.repeat(LONG_ARGUMENT / 2) + &close.repeat(LONG_ARGUMENT / 2);
    let long = |unit: &str| unit.repeat(LONG_ARGUMENT / unit.len());
    for text in [
        deep("(", ")"),
        deep("[", "]"),
        long("("),
        long("(["),
        long("^"),
        long("-"),
        long("gdp(mu=1"),
        long("a"),
        long("\u{1f512}"),
        long("\u{7}"),
        format!("gdp(mu={})", deep("(", ")")),
        format!("gdp(mu={}1)", long("sqrt(")),
        format!("gdp(mu=1{})", long("+1")),
        format!("gdp(mu=1{})", long("/3")),
        format!("gdp(mu=2{})", long("^2")),
        format!("gdp(mu={}1)", long("-")) + "^(1/2)",
        format!("gdp({})", long("mu=1,")),
        format!("finite(p=[{}], q=[1])", long("1,")),
        format!("{}(mu=1)", long("gdp")),
    ] {
        assert_refused(&["delta", &text, "--epsilon", "1"]);
    }
    for text in [deep("(", ")"), long("ln("), long("1+"), long("2^"), long("e"), long("\u{2212}")] {
        assert_refused(&["delta", "gdp(mu=1)", "--epsilon", &text]);
        assert_refused(&["epsilon", "gdp(mu=1)", "--delta", &text]);
    }
    for text in [long("?"), format!("gdp(mu=?{})", long("^?")), format!("gdp(mu={})", long("?")), deep("(", ")") + "^?"]
    {
        assert_refused(&["calibrate", &text, "--epsilon", "1", "--delta", "0.1"]);
    }
    for text in [long("9"), "1e999999999999999999999".to_string(), long("nan")] {
        assert_refused(&["delta", "gdp(mu=1)", "--epsilon", "1", "--digits", &text]);
        assert_refused(&["delta", "gdp(mu=1)", "--epsilon", "1", "--max-bits", &text]);
        assert_refused(&["symbolic", "randomized-response(epsilon=1)", "--k", &text]);
    }
    assert_refused(&["delta", "gdp(mu=1)", "--epsilon", "1", "--timeout", &long("nan")]);
    assert_refused(&[&long("delta")]);
    assert_refused(&["delta", "gdp(mu=1)", &format!("--{}", long("x"))]);
    assert_refused(&["delta", &format!("@{}", long("x")), "--epsilon", "1"]);
}

#[test]
fn numbers_beyond_reason() {
    for number in [
        "1e9999999999999999999",
        "1e-9999999999999999999",
        "10^10^10",
        "2^(2^63)",
        "2^-(2^63)",
        "(1/3)^(10^9)",
        "exp(1e18)",
        "exp(exp(exp(100)))",
        "sqrt(2)^(10^9)",
        "ln(1e-99999999999)",
        "f64:1e999999999",
        "f64:0x1p99999999999",
        "(1+1e-999999)^(10^6)",
    ] {
        assert_refused(&["delta", "gdp(mu=1)", "--epsilon", number]);
        assert_refused(&["delta", &format!("gdp(mu={number})"), "--epsilon", "1"]);
    }
}

/// Inverse problems beyond reason: any outcome is right that comes in time and is not a crash.
#[test]
fn extreme_calibrations_are_answered_or_declined() {
    let long = format!("({}gdp(mu=1))^?", "gdp(mu=1/7)^3 * ".repeat(5000));
    for (mechanism, epsilon, delta) in [
        ("gaussian(sigma=?)", "1e100", "1e-1000"),
        ("gaussian(sigma=?)", "1e-1000", "1e-1000"),
        ("gaussian(sigma=?)", "0", "1-1e-1000"),
        ("gaussian(sigma=?, sensitivity=1e1000)", "1", "1e-5"),
        ("gdp(mu=?)^9223372036854775808", "1", "1e-5"),
        ("gdp(mu=1e-1000)^?", "1", "1e-5"),
        ("laplace(scale=?)^1000000000000", "1", "1e-5"),
        ("laplace(scale=?)^5", "1", "0"),
        ("poisson(rate=?, gaussian(sigma=1e-6))^2", "1", "1e-300"),
        ("poisson(rate=1e-9, laplace(scale=1))^?", "1", "1e-9"),
        ("geometric(epsilon=1, sensitivity=?)^10", "1e18", "1e-5"),
        ("discrete-gaussian(sigma2=1, sensitivity=?)", "1e12", "1e-5"),
        ("k-randomized-response(epsilon=1, categories=?)^100", "1", "1e-15"),
        ("randomized-response(epsilon=?)^1000000000", "1", "1e-5"),
        ("approx-dp(epsilon=1/3, delta=?)^9223372036854775808", "1", "1e-5"),
        ("finite(p=[1/2,1/3,1/6], q=[1/7,2/7,4/7])^?", "1e6", "1e-5"),
        (&long, "1e9", "1e-5"),
    ] {
        let question = ["calibrate", mechanism, "--epsilon", epsilon, "--delta", delta, "--timeout", "2", "--json"];
        let output = run(&question, Input::Nothing);
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{mechanism:.80}: {:?}: {talk}", output.status);
        assert!(!talk.contains("panicked"), "{mechanism:.80}: {talk}");
    }
}

/// The first grid of a law has a number of cells that grows with the width of the law: the memory of all their
/// masses at once is not there, and the masses are not computed at once.
#[test]
fn grids_of_wide_laws_keep_within_the_memory() {
    let others = "closed,contour,integral,large-losses,large-steps,majorized,optimal";
    for mu in ["800", "1000"] {
        let mechanism = format!("gdp(mu={mu}) * gdp(mu=1)");
        let question = ["delta", &mechanism, "--epsilon", "600000", "--timeout", "2", "--json"];
        let output = run_without(others, &question, Input::Nothing, WATCHDOG, MEMORY);
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{mechanism}: {talk}");
    }
}

/// Extreme but meaningful: any outcome is right that comes in time and is not a crash.
#[test]
fn extreme_questions_are_answered_or_declined() {
    for (mechanism, epsilon) in [
        ("gaussian(sigma=1e-1000)", "1"),
        ("gaussian(sigma=1e1000)", "1e-2000"),
        ("gaussian(sigma=1)^9223372036854775808", "1"),
        ("gaussian(sigma=1)", "1e100"),
        ("gaussian(sigma=1)", "-1e100"),
        ("gaussian(sigma=1e300)^9223372036854775808", "0"),
        ("laplace(scale=1e-300)^5", "1"),
        ("laplace(scale=1)^1000000000000", "1"),
        ("approx-dp(epsilon=1e-300, delta=1e-300)^9223372036854775808", "1"),
        ("approx-dp(epsilon=1, delta=1/1000)^9223372036854775808", "1"),
        ("approx-dp(epsilon=1e300, delta=0)^10", "1"),
        ("randomized-response(epsilon=1)^1000000000", "1"),
        ("randomized-response(epsilon=ln(3/2))^1000000000", "1"),
        ("geometric(epsilon=1, sensitivity=9223372036854775808)", "1"),
        ("geometric(epsilon=1e-300, sensitivity=1000)^1000", "1"),
        ("staircase(epsilon=1, gamma=1e-300, sensitivity=1000000)^1000000", "1"),
        ("discrete-gaussian(sigma2=1e300)", "1e-200"),
        ("discrete-gaussian(sigma2=1e-300)", "1"),
        ("discrete-gaussian(sigma2=1)^9223372036854775808", "1"),
        ("discrete-gaussian(sigma2=1, sensitivity=9223372036854775808)", "1"),
        ("finite(p=[1e-300, 1-1e-300], q=[1/2,1/2])^1000000", "1"),
        ("finite(p=[1/2,1/3,1/6], q=[1/7,2/7,4/7])^1000000000", "1"),
        ("approx-dp(epsilon=1, delta=0)^1000000 * approx-dp(epsilon=sqrt(2), delta=0)^1000000", "1"),
        ("poisson(rate=1e-20, gaussian(sigma=7/3))^2", "253955/610367"),
        ("poisson(rate=1e-9, gaussian(sigma=1))^2", "0.0083"),
        ("poisson(rate=1/2, gaussian(sigma=1e-6))^2", "1"),
        ("poisson(rate=1e-12, laplace(scale=1e-3))^3", "1"),
        ("approx-dp(epsilon=1e17, delta=1/1000)^9 * approx-dp(epsilon=1/3, delta=1/10)", "1e17"),
        ("approx-dp(epsilon=1e17, delta=1/1000)^10", "9e17"),
    ] {
        let question = ["delta", mechanism, "--epsilon", epsilon, "--timeout", "2", "--json"];
        let output = run(&question, Input::Nothing);
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 2 | 3)),
            "{mechanism} at {epsilon}: {:?}: {talk}",
            output.status
        );
        assert!(!talk.contains("panicked"), "{mechanism} at {epsilon}: {talk}");
    }
}

/// The exit code within a budget of time, asked of a question that takes minutes without one. The watchdog is many
/// times the budget, and a small part of those minutes.
fn assert_given_up(question: &[&str]) {
    let output = run_within(&[question, &["--timeout", "2"]].concat(), Input::Nothing, 20, MEMORY);
    let (told, talk) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{}: {told:.300} {talk:.300}", shown(question));
    assert!(format!("{told}{talk}").contains("the time budget of 2 s"), "{told:.300} {talk:.300}");
}

/// One operation on numbers of a million digits takes minutes, and cannot be asked for the time.
#[test]
fn a_budget_of_time_is_kept_whatever_is_computed() {
    let million = ["--digits", "1000000"];
    let ask = |question: &[&str]| assert_given_up(&[question, &million].concat());
    ask(&["delta", "discrete-gaussian(sigma2=2)^3", "--epsilon", "1/3"]);
    ask(&["beta", "randomized-response(epsilon=1)^5", "--alpha", "0.1"]);
    ask(&["curve", "discrete-gaussian(sigma2=2)^3", "--kind", "profile", "--points", "3"]);
    assert_given_up(&["divergence", "chi2", "gdp(mu=39000)"]);
}

/// A region of a million million pairs streams until its time is over, and what was streamed is whole lines.
#[test]
fn a_stream_without_an_end_ends_in_time() {
    let question = ["region", "randomized-response(epsilon=1)^1000000000000", "--timeout", "1", "--json"];
    let output = run_within(&question, Input::Nothing, 20, MEMORY);
    assert_eq!(output.status.code(), Some(3));
    assert_one_short_line(&output.stderr, "region");
    assert!(output.stdout.is_empty() || output.stdout.ends_with(b"}\n"));
}

/// What an exact list of losses would take is known before it is made. The address space is a gigabyte; the list would
/// have taken hundreds.
#[test]
fn a_budget_of_memory_is_kept_by_long_lists() {
    for (mechanism, method) in [
        ("geometric(epsilon=ln(2), sensitivity=500000)", "lattice"),
        ("geometric(epsilon=ln(2), sensitivity=250000)^2", "lattice"),
        ("staircase(epsilon=ln(2), gamma=1/3, sensitivity=500000)", "lattice"),
        ("discrete-gaussian(sigma2=1e11)^2", "lattice"),
    ] {
        let question =
            ["delta", mechanism, "--epsilon", "1", "--method", method, "--max-memory", "100", "--digits", "12"];
        // Whatever else the machine does, it is not the time that ends these.
        let output = run(&[&question[..], &["--timeout", "1000"]].concat(), Input::Nothing);
        let told = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{mechanism}: {told} {}", String::from_utf8_lossy(&output.stderr));
        assert!(told.contains("the memory budget is 100 MB"), "{mechanism}: {told}");
    }
    // One of them alone needs no list. (With steps as they are for gamma = 0 the largest loss has the mass 1/2 too.)
    for (mechanism, delta) in [
        ("geometric(epsilon=ln(2), sensitivity=1000000)", "= 1/3"),
        ("staircase(epsilon=ln(2), gamma=0, sensitivity=1000000)", "= 1/4"),
    ] {
        let question = ["delta", mechanism, "--epsilon", "ln(2)*999999"];
        let output = run_within(&question, Input::Nothing, 20, MEMORY);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains(delta), "{mechanism}: {told}");
    }
}

/// The nodes of a line are counted before they are evaluated: these, of a hundred thousand digits, would take
/// gigabytes.
#[test]
fn a_budget_of_memory_is_kept_by_long_numbers() {
    let pair = "finite(p=[3e-2, 1-3e-2], q=[1/2, 1/2])^122513";
    let limits = ["--digits", "100000", "--max-memory", "150", "--method", "quadrature"];
    let output = run(&[&["beta", pair, "--alpha", "1/2"][..], &limits].concat(), Input::Nothing);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("nodes of the quadrature") && told.contains("the memory budget is 150 MB"), "{told}");
}

/// What cannot be told from zero by any precision is given up at once, and is no malformed question.
#[test]
fn numbers_below_the_smallest_are_undecided() {
    let tiny = "exp(-4294967296)";
    for question in [
        ["beta", "geometric(epsilon=1, sensitivity=3)", "--alpha", tiny],
        ["epsilon", "gdp(mu=1)", "--delta", tiny],
        ["beta", "geometric(epsilon=1, sensitivity=800000000)", "--alpha", "1/4"],
        ["beta", "gdp(mu=1000000)", "--alpha", "1/4"],
    ] {
        let output = run(&[&question[..], &["--max-memory", "100"]].concat(), Input::Nothing);
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert_eq!(output.status.code(), Some(3), "{question:?}: {told}");
        assert!(told.contains("undecided: ") || told.contains("no digit proven: "), "{question:?}: {told}");
    }
}

/// MPFR's sum of two products has a corner in which these ended in a panic. Now any outcome but that is right.
#[test]
fn products_beyond_the_exponents_end_nothing() {
    let wide = "discrete-gaussian(sigma2=1e32)";
    for (mechanism, more) in [
        (format!("{wide}*discrete-gaussian(sigma2=2e32)"), ["--epsilon", "0", "--digits", "3", "--method", "auto"]),
        (format!("{wide}^2"), ["--epsilon", "1e-18", "--digits", "8", "--method", "quadrature"]),
    ] {
        let output = run(&[&["delta", &mechanism][..], &more].concat(), Input::Nothing);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_million_parentheses_on_standard_input() {
    let nested = Scratch::new("nested.jsonl", |file| {
        // JSON that is too deep, a mechanism that is too deep, and a question that is none the worse for them.
        repeat(file, "[", 1_000_000)?;
        repeat(file, "]", 1_000_000)?;
        file.write_all(b"\n{\"id\":\"deep\",\"quantity\":\"kl\",\"mechanism\":\"")?;
        repeat(file, "(", 1_000_000)?;
        repeat(file, ")", 1_000_000)?;
        file.write_all(b"\"}\n{\"a\":")?;
        repeat(file, "{\"a\":", 1_000_000)?;
        file.write_all(b"\n{\"id\":\"well\",\"quantity\":\"kl\",\"mechanism\":\"gdp(mu=1)\"}\n")
    });
    let output = run(&["answer"], Input::File(&nested.0));
    assert_eq!(output.status.code(), Some(2));
    let replies = String::from_utf8(output.stdout).expect("UTF-8");
    let replies: Vec<&str> = replies.lines().collect();
    assert_eq!(replies.len(), 4, "{replies:.200?}");
    for (at, reply) in replies.iter().take(3).enumerate() {
        assert!(reply.contains(&format!("\"line\":{}", at + 1)) && reply.contains("\"error\""), "{reply:.300}");
        assert_one_short_line(reply.as_bytes(), "answer");
    }
    assert!(replies[3].contains("\"exact\":\"1/2\""), "{}", replies[3]);
}

#[test]
fn a_hundred_megabytes_on_one_line() {
    let long = Scratch::new("long.jsonl", |file| {
        repeat(file, "x", 100 << 20)?;
        file.write_all(b"\n{\"quantity\":\"kl\",\"mechanism\":\"gdp(mu=1)\"}\n{\"id\":\"")?;
        // Within the length of a line, and of nothing else.
        repeat(file, "y", 10 << 20)?;
        file.write_all(b"\",\"quantity\":\"kl\",\"mechanism\":\"")?;
        repeat(file, "z", 2 << 20)?;
        file.write_all(b"\"}\n{\"")?;
        repeat(file, "field", 2 << 20)?;
        file.write_all(b"\":1}\n")?;
        repeat(file, "\0", 20 << 20)
    });
    let output = run(&["answer"], Input::File(&long.0));
    assert_eq!(output.status.code(), Some(2));
    let replies = String::from_utf8(output.stdout).expect("UTF-8");
    let replies: Vec<&str> = replies.lines().collect();
    assert_eq!(replies.len(), 5);
    assert_one_short_line(replies[0].as_bytes(), "a line of 100 MB");
    assert!(replies[1].contains("\"exact\":\"1/2\""), "{}", replies[1]);
    assert!(replies[2].contains("\"error\""));
    assert_one_short_line(replies[3].as_bytes(), "an unknown field");
    assert_one_short_line(replies[4].as_bytes(), "a line of zeros without an end");
}

#[test]
fn a_hundred_thousand_questions() {
    let question = "{\"quantity\":\"kl\",\"mechanism\":\"gdp(mu=1)\"}\n";
    let many = Scratch::new("many.jsonl", |file| repeat(file, question, 100_000));
    let output = run(&["answer"], Input::File(&many.0));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 100_000);
}

#[test]
fn files_of_a_hundred_megabytes() {
    type Fill = fn(&mut BufWriter<File>) -> std::io::Result<()>;
    let attacks: [(&str, Fill); 6] = [
        ("long.toml", |file| repeat(file, "#################", 100 << 20 >> 4)),
        ("deep.toml", |file| file.write_all(b"x = ").and_then(|()| repeat(file, "[", 1_000_000))),
        ("tables.toml", |file| repeat(file, "[[mechanism]]\n", 1_000_000)),
        ("dotted.toml", |file| repeat(file, "a.", 1_000_000).and_then(|()| file.write_all(b"a = 1"))),
        ("digits.toml", |file| {
            file.write_all(b"[[mechanism]]\nname = \"gdp\"\nmu = ")?;
            repeat(file, "1234567890", 1_000_000)
        }),
        ("zeros.toml", |file| repeat(file, "\0", 1_000_000)),
    ];
    for (name, fill) in attacks {
        let file = Scratch::new(name, fill);
        assert_refused(&["delta", &format!("@\"{}\"", file.path()), "--epsilon", "1"]);
    }
    let attacks: [(&str, Fill); 3] = [
        ("long.json", |file| repeat(file, "                ", 100 << 20 >> 4)),
        ("deep.json", |file| repeat(file, "[", 1_000_000)),
        ("string.json", |file| file.write_all(b"{\"format\":\"").and_then(|()| repeat(file, "x", 20 << 20))),
    ];
    for (name, fill) in attacks {
        let file = Scratch::new(name, fill);
        assert_refused(&["vectors", "lint", file.path()]);
    }
}

/// Devices that never end, and pipes that nobody reads.
#[test]
fn streams_without_an_end() {
    assert_refused(&["delta", "@/dev/zero", "--epsilon", "1"]);
    let output = Command::new("sh")
        .args(["-c", "yes '{\"quantity\":\"kl\",\"mechanism\":\"gdp(mu=1)\"}' | \"$0\" answer | head -n 3"])
        .arg(env!("CARGO_BIN_EXE_dpcert"))
        .output()
        .expect("a pipe");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 3);
}
