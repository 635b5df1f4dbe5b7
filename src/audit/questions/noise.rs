//! Calibration: the noise that keeps (epsilon, delta). Too little of it, and a promise to the public is broken.

use super::{at_both, numbered};
use crate::audit::question::{Asked, Question, Step};

/// The budgets: what people ask for, and what breaks approximations made for it.
const BUDGETS: [(f64, f64); 14] = [
    (1.0, 1e-5),
    (0.1, 1e-5),
    (0.5, 1e-6),
    (2.0, 1e-6),
    (4.0, 1e-8),
    (8.0, 1e-10),
    (1.0, 1e-12),
    (0.01, 1e-6),
    (1e-4, 1e-9),
    (20.0, 1e-5),
    (100.0, 1e-9),
    (0.5, 1e-15),
    (3.0, 0.1),
    (0.25, 0.4),
];

/// Budgets of compositions and samples.
const COMPOSED: [(f64, f64); 4] = [(1.0, 1e-5), (3.0, 1e-6), (8.0, 1e-9), (0.2, 1e-12)];

/// All of them.
pub fn questions() -> Vec<Question> {
    let ask = |name: &str, comment: &str, steps: Vec<Step>, budgets: &[(f64, f64)]| -> Vec<Question> {
        let questions = budgets.iter().map(|&(epsilon, delta)| Question {
            flags: vec!["CALIBRATION".to_string()],
            comment: comment.to_string(),
            ..Question::new("", Asked::Noise, steps.clone(), at_both(epsilon, delta))
        });
        numbered(name, questions)
    };
    let gaussian = || Step::new("gaussian", &[]).open("sigma");
    let mut all = ask("gaussian-noise", "smallest sigma for one release", vec![gaussian()], &BUDGETS);
    all.extend(ask(
        "gaussian-wide-noise",
        "smallest sigma for a query of sensitivity 2.5",
        vec![Step::new("gaussian", &[("sensitivity", 2.5)]).open("sigma")],
        &COMPOSED,
    ));
    for times in [10, 1000, 100_000] {
        let name = format!("gaussian-{times}-noise");
        all.extend(ask(&name, "smallest sigma for many releases", vec![gaussian().times(times)], &COMPOSED));
    }
    all.extend(ask(
        "laplace-noise",
        "smallest scale for one release",
        vec![Step::new("laplace", &[]).open("scale")],
        &[(1.0, 0.0), (0.1, 0.0), (0.7, 0.0), (1.0, 1e-5), (0.1, 0.01), (3.0, 0.1), (50.0, 0.0), (1e-3, 1e-6)],
    ));
    all.extend(ask(
        "laplace-100-noise",
        "smallest scale for 100 releases",
        vec![Step::new("laplace", &[]).open("scale").times(100)],
        &[(1.0, 1e-5), (5.0, 1e-8)],
    ));
    all.extend(ask(
        "discrete-gaussian-noise",
        "smallest sigma2 of the discrete Gaussian for one release",
        vec![Step::new("discrete-gaussian", &[]).open("sigma2")],
        &BUDGETS[..9],
    ));
    for (rate, times) in [(0.01, 1000), (0.1, 100), (0.001, 10_000), (0.5, 10)] {
        let name = format!("poisson-{times}-noise");
        all.extend(ask(
            &name,
            "smallest noise multiplier for training with Poisson sampling",
            vec![gaussian().sampled(rate).times(times)],
            &COMPOSED[..3],
        ));
    }
    all
}
