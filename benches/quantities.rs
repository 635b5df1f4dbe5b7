//! Criterion benchmarks: the workloads, and the cost of the Gaussian profile against the number of digits.

mod workloads;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn quantities(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("answer");
    group.sample_size(10);
    for workload in &workloads::WORKLOADS {
        let query = workload.query();
        group.bench_function(workload.name, |bencher| bencher.iter(|| workloads::run(&query)));
    }
    group.finish();
}

fn digits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gaussian-digits");
    group.sample_size(10);
    for digits in [15u32, 100, 1000, 10_000] {
        let query = workloads::WORKLOADS[4].query().with_digits(digits);
        group.bench_function(BenchmarkId::from_parameter(digits), |bencher| bencher.iter(|| workloads::run(&query)));
    }
    group.finish();
}

criterion_group!(benches, quantities, digits);
criterion_main!(benches);
