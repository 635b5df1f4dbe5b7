//! `census pairs`: thousands of certified deltas, into a table.

use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;

use super::super::super::failure::Failure;
use super::super::super::progress;
use super::super::say;
use crate::census::Workload;
use crate::census::run::{Listener, run as compute};
use enclosure::Budget;

/// Says what is going on, on standard error.
struct Talk {
    bar: ProgressBar,
    values: u64,
    threads: usize,
}

impl Listener for Talk {
    fn begins(&self, workload: &Workload, finished: usize) {
        let pairs = workload.pairs().len() as u64;
        let before =
            if finished > 0 { format!("; resuming after {}", count(finished as u64, "pair")) } else { String::new() };
        let each = self.values;
        eprintln!(
            "dpcert: {} at {}: {}{before}",
            count(pairs, "pair"),
            count(each, "epsilon"),
            count(pairs * each, "value")
        );
        self.bar.set_length(pairs);
        self.bar.set_position(finished as u64);
    }

    fn first(&self, took: Duration, left: usize) {
        if left > 0 {
            let seconds = took.as_secs_f64();
            let all = seconds * left as f64 / self.threads as f64;
            let threads = count(self.threads as u64, "thread");
            eprintln!(
                "dpcert: the first pair took {seconds:.2} s; estimated time for the other {left}: {} on {threads}",
                span(all)
            );
        }
    }

    fn one_more(&self) {
        self.bar.inc(1);
    }
}

/// A count with its noun, plural if needed.
fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A length of time for people.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

/// `dpcert census pairs`.
pub fn run(
    workload: &Workload,
    out: &Path,
    threads: Option<u32>,
    budget: impl Fn() -> Budget + Sync,
) -> Result<(), Failure> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = threads {
        pool = pool.num_threads(threads as usize);
    }
    let pool = pool.build().map_err(|error| Failure::input(format!("cannot start threads: {error}")))?;
    let talk = Talk {
        bar: progress::bar(0, "pairs"),
        values: workload.levels().len() as u64,
        threads: pool.current_num_threads(),
    };
    let done = pool.install(|| compute(workload, out, &talk, |pair| workload.lines(pair, &budget())));
    talk.bar.finish_and_clear();
    done?;
    let values = count((workload.pairs().len() * workload.levels().len()) as u64, "value");
    say(&format!("{values} of {} digits written to {}", workload.digits(), out.display()))
}
