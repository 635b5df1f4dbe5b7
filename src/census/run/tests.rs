//! Interruption at any moment leaves nothing behind that shows in the results.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::census::Level;
use crate::mechanism::Paths;

/// Three paths of equal rows, which one engine composes quickly.
const PATHS: &str = "path,level,row,rho\n1,US,1,1/2\n1,US,2,1/2\n2,US,1,1/2\n2,State,1,1/2\n3,US,1,1/2\n";

fn workload(digits: u32) -> Workload {
    let levels = ["1e-3", "1e-6"].map(|text| Level::new(text).expect("a delta")).to_vec();
    Workload::new(Paths::parse(PATHS).expect("paths"), &[], levels, digits).expect("a workload")
}

/// A folder of this test, gone with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dpcert-census-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Scratch(path)
    }

    fn results(&self) -> PathBuf {
        self.0.join("results.csv")
    }

    fn journal(&self) -> PathBuf {
        self.0.join("results.csv.partial")
    }

    fn files(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.0).expect("the folder").flatten();
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Hears nothing but how many pairs an earlier run had finished.
#[derive(Default)]
struct Ear(AtomicUsize);

impl Listener for Ear {
    fn begins(&self, _: &Workload, finished: usize) {
        self.0.store(finished, Ordering::SeqCst);
    }
    fn first(&self, _: Duration, _: usize) {}
    fn one_more(&self) {}
}

/// Run; how many pairs an earlier run had finished.
fn go(workload: &Workload, scratch: &Scratch) -> Result<usize, Error> {
    let ear = Ear::default();
    run(workload, &scratch.results(), &ear, |pair| workload.lines(pair, &Default::default()))?;
    Ok(ear.0.into_inner())
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

/// The journal of a whole run, and its results.
fn uninterrupted(workload: &Workload, name: &str) -> (String, String) {
    let scratch = Scratch::new(name);
    let mut journal = Journal::open(&scratch.results(), workload).expect("a journal");
    for &pair in workload.pairs() {
        journal.add(pair, workload.lines(pair, &Default::default()).expect("a pair")).expect("written");
    }
    let written = read(&scratch.journal());
    assert_eq!(go(workload, &scratch), Ok(workload.pairs().len()));
    assert_eq!(scratch.files(), ["results.csv"]);
    (written, read(&scratch.results()))
}

#[test]
fn a_run_is_the_same_from_wherever_it_was_cut() {
    let workload = workload(12);
    let (journal, results) = uninterrupted(&workload, "whole");
    assert_eq!(results.lines().count(), 1 + 6 * 2);
    let scratch = Scratch::new("cut");
    assert_eq!(go(&workload, &scratch), Ok(0));
    assert_eq!(read(&scratch.results()), results);
    // Every byte is a place to be cut at; blocks are short, so a stride that meets all columns is enough.
    for cut in (0..journal.len()).filter(|cut| cut % 7 == 0 || journal.len() - cut < 40) {
        std::fs::remove_file(scratch.results()).expect("the last results");
        std::fs::write(scratch.journal(), &journal[..cut]).expect("a journal");
        let finished = journal[..cut].matches("# done ").count();
        let taken = go(&workload, &scratch).expect("a run");
        // A mark that is cut short is not one yet.
        assert!(taken == finished || taken + 1 == finished, "{cut}: {taken} of {finished}");
        assert_eq!(read(&scratch.results()), results, "{cut}");
        assert_eq!(scratch.files(), ["results.csv"], "{cut}");
    }
}

/// Pairs finish in any order, and what stands in the journal is taken over, not computed again.
#[test]
fn the_order_of_the_journal_does_not_show() {
    let workload = workload(12);
    let (_, results) = uninterrupted(&workload, "order-whole");
    let scratch = Scratch::new("order");
    let mut journal = Journal::open(&scratch.results(), &workload).expect("a journal");
    for &pair in workload.pairs().iter().rev().take(4) {
        journal.add(pair, workload.lines(pair, &Default::default()).expect("a pair")).expect("written");
    }
    drop(journal);
    let ear = Ear::default();
    let computed = std::sync::Mutex::new(RefCell::new(Vec::new()));
    let lines = |pair| {
        computed.lock().expect("the list").borrow_mut().push(pair);
        workload.lines(pair, &Default::default())
    };
    run(&workload, &scratch.results(), &ear, lines).expect("a run");
    let mut computed = computed.into_inner().expect("the list").into_inner();
    computed.sort_unstable();
    assert_eq!(computed, workload.pairs()[..2]);
    assert_eq!(read(&scratch.results()), results);
}

#[test]
fn what_no_interruption_leaves_is_refused() {
    let workload = workload(12);
    let (journal, _) = uninterrupted(&workload, "refused-whole");
    let scratch = Scratch::new("refused");
    let refused = |text: &str| {
        std::fs::write(scratch.journal(), text).expect("a journal");
        match go(&workload, &scratch) {
            Err(Error::Input(message)) => message,
            other => panic!("{other:?}"),
        }
    };
    let other = "belongs to a run with other paths, pairs, deltas or digits";
    for text in ["# something else\n", "p1,p2\n", &journal.replacen("pairs ", "pairs f", 1)] {
        assert!(refused(text).contains(other), "{text}");
    }
    assert!(refused(&journal.replacen("1e-3", "1e-4", 1)).contains(":4: the lines above do not belong to this pair"));
    assert!(refused(&journal.replacen("# done 1,2", "# done 1,9", 1)).contains(":7: this pair is not part of the run"));
    let block_end = journal.find("# done 1,1\n").expect("the first block") + "# done 1,1\n".len();
    let twice = format!("{}{}", journal, &journal[journal.find('\n').expect("a heading") + 1..block_end]);
    assert!(refused(&twice).contains(":22: duplicate pair"), "{}", refused(&twice));
    // Another number of digits is another workload.
    std::fs::write(scratch.journal(), &journal).expect("a journal");
    let other_digits = super::tests::workload(13);
    assert!(matches!(go(&other_digits, &scratch), Err(Error::Input(message)) if message.contains(other)));
}

/// A pair that cannot be done keeps the others, and there is no file of results with a hole in it.
#[test]
fn an_undecided_pair_keeps_the_others() {
    let workload = workload(12);
    let (_, results) = uninterrupted(&workload, "undecided-whole");
    let scratch = Scratch::new("undecided");
    let ear = Ear::default();
    let hard = |pair| match pair {
        (2, 3) => Err(Error::undecided("too hard".to_string())),
        _ => workload.lines(pair, &Default::default()),
    };
    let error = run(&workload, &scratch.results(), &ear, hard).expect_err("one pair is undecided");
    let Error::Undecided(reason) = error else { panic!("{error:?}") };
    assert!(
        reason.to_string().starts_with("1 of 6 pairs undecided; first 2,3: too hard; the others are saved in "),
        "{reason}"
    );
    assert_eq!(scratch.files(), ["results.csv.partial"]);
    assert_eq!(go(&workload, &scratch), Ok(5));
    assert_eq!(read(&scratch.results()), results);
    // If the very first cannot be done, nothing stays behind.
    let scratch = Scratch::new("first");
    let error = run(&workload, &scratch.results(), &ear, |_| Err(Error::undecided("no".to_string())));
    assert_eq!(error, Err(Error::undecided("pair 1,1: no".to_string())));
    assert!(scratch.files().is_empty());
}

#[test]
fn a_folder_is_no_place_for_results() {
    let scratch = Scratch::new("folder");
    let workload = workload(12);
    let error = run(&workload, &scratch.0, &Ear::default(), |_| Ok(String::new()));
    assert!(matches!(error, Err(Error::Input(message)) if message.ends_with("it is a folder")));
    assert!(scratch.files().is_empty());
}
