//! The work that is measured, written once for criterion and for the comparison with other programs.

use dpcert::{Budget, Query, answer};

/// One piece of work: its name and the query it answers.
pub struct Workload {
    /// As it stands in the table of ratios.
    pub name: &'static str,
    /// The question, as a JSON line.
    json: &'static str,
}

/// Everything that is measured.
pub const WORKLOADS: [Workload; 14] = [
    Workload {
        name: "kov-delta-1000",
        json: r#"{"quantity":"delta","mechanism":"approx-dp(epsilon=0.1,delta=0)^1000","at":{"epsilon":"15"},"digits":50}"#,
    },
    Workload {
        name: "kov-delta-million",
        json: r#"{"quantity":"delta","mechanism":"approx-dp(epsilon=0.1,delta=0)^1000000","at":{"epsilon":"15"},"digits":120}"#,
    },
    Workload {
        name: "kov-delta-million-middle",
        json: r#"{"quantity":"delta","mechanism":"approx-dp(epsilon=0.1,delta=0)^1000000","at":{"epsilon":"5500"},"digits":120}"#,
    },
    Workload {
        name: "kov-epsilon-1000",
        json: r#"{"quantity":"epsilon","mechanism":"approx-dp(epsilon=0.1,delta=0)^1000","at":{"delta":"1e-6"},"digits":65}"#,
    },
    Workload {
        name: "gaussian-delta",
        json: r#"{"quantity":"delta","mechanism":"gdp(mu=1)","at":{"epsilon":"1"},"digits":50}"#,
    },
    Workload {
        name: "gaussian-delta-irrational",
        json: r#"{"quantity":"delta","mechanism":"gdp(mu=sqrt(2))","at":{"epsilon":"ln(3)"},"digits":50}"#,
    },
    Workload {
        name: "gaussian-epsilon",
        json: r#"{"quantity":"epsilon","mechanism":"gdp(mu=1)","at":{"delta":"1e-5"},"digits":50}"#,
    },
    Workload {
        name: "discrete-gaussian-72",
        json: r#"{"quantity":"delta","mechanism":"discrete-gaussian(sigma2=100)^72","at":{"epsilon":"2"},"digits":30}"#,
    },
    Workload {
        name: "laplace-10",
        json: r#"{"quantity":"delta","mechanism":"laplace(scale=1)^10","at":{"epsilon":"2"},"digits":30}"#,
    },
    Workload {
        name: "poisson-gaussian-1000",
        json: r#"{"quantity":"delta","mechanism":"poisson(rate=0.01,gaussian(sigma=1))^1000","at":{"epsilon":"1"},"digits":30}"#,
    },
    Workload {
        name: "poisson-gaussian-1000-epsilon",
        json: r#"{"quantity":"epsilon","mechanism":"poisson(rate=0.01,gaussian(sigma=1))^1000","at":{"delta":"1e-5"},"digits":15}"#,
    },
    Workload {
        name: "poisson-gaussian-million",
        json: r#"{"quantity":"delta","mechanism":"poisson(rate=0.01,gaussian(sigma=1))^1000000","at":{"epsilon":"1"},"digits":30}"#,
    },
    // Seven levels of a census release, each with its own noise.
    Workload {
        name: "discrete-gaussian-mixed",
        json: r#"{"quantity":"delta","mechanism":"discrete-gaussian(sigma2=10000/73)^18 * discrete-gaussian(sigma2=2500/73)^2 * discrete-gaussian(sigma2=10000/999)^18 * discrete-gaussian(sigma2=1000/31)^16 * discrete-gaussian(sigma2=5000/239)^36 * discrete-gaussian(sigma2=1000/43)^20 * discrete-gaussian(sigma2=10000/11)^20","at":{"epsilon":"20"},"digits":30}"#,
    },
    Workload {
        name: "kov-heterogeneous-1000",
        json: r#"{"quantity":"delta","mechanism":"approx-dp(epsilon=1/100,delta=0)^200 * approx-dp(epsilon=7/100,delta=0)^200 * approx-dp(epsilon=11/100,delta=0)^200 * approx-dp(epsilon=16/100,delta=0)^200 * approx-dp(epsilon=20/100,delta=0)^200","at":{"epsilon":"5"},"digits":30}"#,
    },
];

impl Workload {
    /// The question.
    ///
    /// # Panics
    /// If the constant above is malformed.
    pub fn query(&self) -> Query {
        serde_json::from_str(self.json).expect("a well-formed query")
    }
}

/// Answer a query once.
///
/// # Panics
/// If it cannot be answered: there is then nothing to measure.
pub fn run(query: &Query) {
    let answer = answer(query, &Budget::default()).expect("a well-formed query");
    assert!(
        matches!(answer.outcome, dpcert::Outcome::Exact(_) | dpcert::Outcome::Enclosure(_)),
        "{:?} is no number",
        answer.outcome
    );
    std::hint::black_box(answer);
}
