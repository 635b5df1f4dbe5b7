//! Time each benchmark workload and print the minimum of several runs as JSON, in seconds.
//!
//! These are the times of `dpcert` in the comparison with other accountants.

#[path = "../benches/workloads.rs"]
mod workloads;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Minimum wall-clock time over repeated runs, in seconds. Repeats for about 0.3 seconds.
fn least_seconds(mut work: impl FnMut()) -> f64 {
    let started = Instant::now();
    let mut least = Duration::MAX;
    let mut runs = 0;
    while runs < 3 || (started.elapsed() < Duration::from_millis(300) && runs < 10_000) {
        let one = Instant::now();
        work();
        least = least.min(one.elapsed());
        runs += 1;
    }
    least.as_secs_f64()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut seconds = BTreeMap::new();
    for workload in &workloads::WORKLOADS {
        let query = workload.query();
        seconds.insert(workload.name.to_string(), least_seconds(|| workloads::run(&query)));
    }
    for name in ["gaussian-delta", "gaussian-delta-irrational"] {
        let query =
            workloads::WORKLOADS.iter().find(|workload| workload.name == name).ok_or("no such workload")?.query();
        for digits in [15u32, 50, 100, 300, 1000, 3000, 10_000] {
            let query = query.clone().with_digits(digits);
            seconds.insert(format!("{name}-digits-{digits}"), least_seconds(|| workloads::run(&query)));
        }
    }
    println!("{}", serde_json::to_string(&seconds)?);
    Ok(())
}
