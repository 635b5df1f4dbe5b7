//! Fuzzing of everything that reads text: mutations of a corpus, on stable Rust.
//!
//! Each parser has a corpus of texts that it takes and of tokens of its language. Texts are drawn from the corpus, torn
//! and put together ([`mutate`]), and read; one that is refused for a reason not seen before, or accepted in a new way,
//! joins the corpus, which is as near to coverage as a compiler without instrumentation gets. No text may make a parser
//! panic, take longer than a moment, or be read as something whose print is read as something else ([`parsers`]).
//!
//! `make fuzz FUZZ_SECONDS=600 FUZZ_SEED=7` goes on for so long in each parser. Without `FUZZ_SECONDS` a fixed number
//! of texts is read, always the same ones: that is how the tests run. The text that is being read lies in a file beside
//! the other scratch of the tests, for a stack that overflows leaves no other trace.

mod mutate;
mod parsers;

use std::collections::HashSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::support::Folder;
use mutate::Mutator;
use parsers::Parser;

/// Texts that each parser reads where nobody asks for a time.
const TEXTS: u64 = 2_000;

/// How long one text may take, on a machine that does ten other things.
const A_MOMENT: Duration = Duration::from_secs(20);

/// The corpus grows up to so many texts.
const MOST_KEPT: usize = 4_000;

/// What the environment asks for, as in `FUZZ_SECONDS=600`.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|error| panic!("{name} is `{text}`: {error}")))
}

/// What is wrong with how a text is read, if anything; otherwise how it was read.
fn read(parser: &Parser, text: &str) -> Result<String, String> {
    catch_unwind(AssertUnwindSafe(|| (parser.read)(text))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("a panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without words")))
    })
}

/// How a text was read, without what is of this text alone: numbers and quotations.
fn kind(how: &str) -> String {
    let mut kind = String::new();
    let mut quotation = false;
    for c in how.lines().next().unwrap_or_default().chars() {
        match c {
            '`' => quotation = !quotation,
            _ if quotation || c.is_ascii_digit() => {}
            _ => kind.push(c),
        }
    }
    kind
}

/// The shortest text found, by leaving out parts, that is still read wrongly.
fn shortest(parser: &Parser, text: &str) -> String {
    let mut text: Vec<char> = text.chars().collect();
    let mut part = text.len().div_ceil(2);
    while part > 0 {
        let mut at = 0;
        while at < text.len() {
            let shorter: String = text[..at].iter().chain(&text[text.len().min(at + part)..]).collect();
            if read(parser, &shorter).is_err() {
                text = shorter.chars().collect();
            } else {
                at += part;
            }
        }
        part /= 2;
    }
    text.into_iter().collect()
}

/// Read mutated texts until the time is up, and how many there were; or what is wrong.
fn attack(parser: &Parser, seed: u64, seconds: Option<u64>, now: &std::path::Path) -> Result<u64, String> {
    let mut mutator = Mutator::new(seed);
    let mut corpus = parser.corpus();
    let mut kinds = HashSet::new();
    for text in &corpus {
        let how = read(parser, text).map_err(|fault| format!("{fault}\n  in the corpus: {text:?}"))?;
        kinds.insert(kind(&how));
    }
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut count = 0;
    while end.map_or(count < TEXTS, |end| Instant::now() < end) {
        let text = mutator.text(&corpus, parser.tokens);
        fs::write(now, &text).expect("room for a text");
        match read(parser, &text) {
            Ok(how) if corpus.len() < MOST_KEPT && kinds.insert(kind(&how)) => corpus.push(text),
            Ok(_) => {}
            Err(fault) => {
                let short = shortest(parser, &text);
                return Err(format!("{fault}\n  text {count} of seed {seed}, in short: {short:?}"));
            }
        }
        count += 1;
    }
    Ok(count)
}

/// Attack one parser, from a thread that is watched.
fn fuzz(name: &str) {
    let (seconds, seed) = (asked("FUZZ_SECONDS"), asked("FUZZ_SEED").unwrap_or(1));
    let folder = Folder::new(&format!("fuzz-{name}"));
    let now = folder.join("text");
    let (sender, receiver) = sync_channel(1);
    let attacked = {
        let (name, now) = (name.to_string(), now.clone());
        std::thread::spawn(move || {
            let _ = sender.send(attack(&Parser::named(&name), seed, seconds, &now));
        })
    };
    let mut last = (String::new(), Instant::now());
    let outcome = loop {
        match receiver.recv_timeout(Duration::from_millis(200)) {
            Ok(outcome) => break outcome,
            Err(RecvTimeoutError::Disconnected) => break Err("the attack itself panicked".to_string()),
            Err(RecvTimeoutError::Timeout) => {
                let text = fs::read_to_string(&now).unwrap_or_default();
                if text != last.0 {
                    last = (text, Instant::now());
                } else if last.1.elapsed() > A_MOMENT {
                    break Err(format!("no end after {A_MOMENT:?}, reading {:?}", last.0));
                }
            }
        }
    };
    match outcome {
        Ok(count) => println!("{name}: {count} texts from seed {seed}"),
        Err(fault) => panic!("{name}: {fault}"),
    }
    attacked.join().expect("an end");
}

#[test]
fn expressions() {
    fuzz("expressions");
}

#[test]
fn templates() {
    fuzz("templates");
}

#[test]
fn calibrations() {
    fuzz("calibrations");
}

#[test]
fn numbers() {
    fuzz("numbers");
}

#[test]
fn queries() {
    fuzz("queries");
}

#[test]
fn compositions_in_files() {
    fuzz("compositions");
}

#[test]
fn ledgers() {
    let parser = Parser::named("ledgers");
    let how: Vec<String> = parser.corpus().iter().map(|text| read(&parser, text).expect("no fault")).collect();
    assert!(how[..3].iter().all(|how| how.starts_with("a ledger of ")), "{how:?}");
    fuzz("ledgers");
}

#[test]
fn allocations() {
    fuzz("allocations");
}

#[test]
fn paths() {
    fuzz("paths");
}

#[test]
fn vector_files() {
    fuzz("vectors");
}

#[test]
fn claims() {
    fuzz("claims");
}

/// The machinery: faults are found, told, and made short.
#[test]
fn faults_are_found_and_made_short() {
    let reads = |text: &str| -> Result<String, String> {
        assert!(!text.contains("sqrt("), "a root");
        Ok(text.len().to_string())
    };
    let parser = Parser { corpus: vec!["ln(3) + 2".to_string()], tokens: &["sqrt(", "+"], read: Box::new(reads) };
    let place = Folder::new("fuzz-faults");
    let told = attack(&parser, 1, None, &place.join("text")).expect_err("a fault");
    assert!(told.starts_with("a panic: a root") && told.ends_with("in short: \"sqrt(\""), "{told}");
    assert_eq!(kind("expected `abc`, found 12 at 7\nof this"), "expected , found  at ");
}
