//! Lines of questions along one parameter, for plots of the claim beside the truth.

use super::{at_alpha, at_delta, at_epsilon, numbered};
use crate::audit::question::{Asked, At, Question, Step, Sweep};

/// A line of points.
struct Line {
    name: &'static str,
    parameter: &'static str,
    asked: Asked,
    comment: &'static str,
}

impl Line {
    fn over(&self, points: impl IntoIterator<Item = (f64, Vec<Step>, At)>) -> Vec<Question> {
        let questions = points.into_iter().map(|(x, steps, at)| Question {
            comment: self.comment.to_string(),
            flags: vec!["SWEEP".to_string()],
            sweep: Some(Sweep { name: self.name.to_string(), parameter: self.parameter.to_string(), x }),
            ..Question::new("", self.asked, steps, at)
        });
        numbered(self.name, questions)
    }
}

/// One step, along delta: `1e-2`, `1e-3` and so on, by their powers.
fn along_delta(powers: impl IntoIterator<Item = i32>, step: Step) -> impl Iterator<Item = (f64, Vec<Step>, At)> {
    powers.into_iter().map(move |power| {
        let delta = decimal(1, -power);
        (delta, vec![step.clone()], at_delta(delta))
    })
}

fn gaussian(sigma: f64) -> Step {
    Step::new("gaussian", &[("sigma", sigma)])
}

/// All lines.
pub fn questions() -> Vec<Question> {
    [gaussians(), samples(), others(), tradeoffs()].concat()
}

fn gaussians() -> Vec<Question> {
    let mut all = Line {
        name: "sweep-gaussian-delta",
        parameter: "epsilon",
        asked: Asked::Delta,
        comment: "100 Gaussians over a range of epsilon, down to deltas smaller than typical absolute errors",
    }
    .over((0..=24).map(|i| {
        let epsilon = f64::from(i) * 0.5;
        (epsilon, vec![gaussian(10.0).times(100)], at_epsilon(epsilon))
    }));
    all.extend(
        Line {
            name: "sweep-gaussian-times",
            parameter: "times",
            asked: Asked::Epsilon,
            comment: "Gaussians over the number of compositions",
        }
        .over((0..=6).flat_map(|power| {
            [1_u64, 3].into_iter().map(move |digit| {
                let times = digit * 10_u64.pow(power);
                (times as f64, vec![gaussian(50.0).times(times)], at_delta(1e-6))
            })
        })),
    );
    all.extend(
        Line {
            name: "sweep-gaussian-epsilon",
            parameter: "delta",
            asked: Asked::Epsilon,
            comment: "100 Gaussians, delta from 1e-2 to 1e-16",
        }
        .over(along_delta(2..=16, gaussian(10.0).times(100))),
    );
    all
}

fn samples() -> Vec<Question> {
    let rates = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.5, 0.9, 0.99];
    let mut all = Line {
        name: "sweep-rate-delta",
        parameter: "rate",
        asked: Asked::Delta,
        comment: "100 subsampled Gaussians over the sampling rate",
    }
    .over(rates.iter().map(|&rate| (rate, vec![gaussian(1.0).sampled(rate).times(100)], at_epsilon(1.0))));
    all.extend(
        Line {
            name: "sweep-rate-epsilon",
            parameter: "rate",
            asked: Asked::Epsilon,
            comment: "1000 subsampled Gaussians over the sampling rate",
        }
        .over(rates.iter().map(|&rate| (rate, vec![gaussian(1.0).sampled(rate).times(1000)], at_delta(1e-5)))),
    );
    all.extend(
        Line {
            name: "sweep-sample-epsilon",
            parameter: "delta",
            asked: Asked::Epsilon,
            comment: "training with Poisson sampling, delta from 1e-2 to 1e-16",
        }
        .over(along_delta(2..=16, gaussian(1.0).sampled(0.01).times(1000))),
    );
    all.extend(
        Line {
            name: "sweep-long-training-epsilon",
            parameter: "delta",
            asked: Asked::Epsilon,
            comment: "10000 training steps with large noise, over delta",
        }
        .over(along_delta(7..=14, gaussian(10.0).sampled(0.01).times(10_000))),
    );
    all.extend(
        Line {
            name: "sweep-sample-times",
            parameter: "times",
            asked: Asked::Epsilon,
            comment: "training with Poisson sampling, over the number of steps",
        }
        .over(
            [1_u64, 10, 100, 300, 1000, 3000, 10_000, 100_000]
                .into_iter()
                .map(|times| (times as f64, vec![gaussian(1.0).sampled(0.004).times(times)], at_delta(1e-6))),
        ),
    );
    all
}

fn others() -> Vec<Question> {
    let mut all = Line {
        name: "sweep-laplace-delta",
        parameter: "epsilon",
        asked: Asked::Delta,
        comment: "10 Laplace releases over epsilon",
    }
    .over((0..=12).map(|i| {
        let epsilon = f64::from(i) * 0.5;
        (epsilon, vec![Step::new("laplace", &[("scale", 2.0)]).times(10)], at_epsilon(epsilon))
    }));
    all.extend(
        Line {
            name: "sweep-response-epsilon",
            parameter: "times",
            asked: Asked::Epsilon,
            comment: "randomized responses over the number of compositions",
        }
        .over([1_u64, 2, 5, 10, 30, 100, 300, 1000, 3000, 10_000].into_iter().map(|times| {
            (times as f64, vec![Step::new("randomized-response", &[("epsilon", 0.1)]).times(times)], at_delta(1e-6))
        })),
    );
    all.extend(
        Line {
            name: "sweep-small-response-delta",
            parameter: "epsilon of each",
            asked: Asked::Delta,
            comment: "1000 randomized responses with privacy losses below the usual grid spacing",
        }
        .over([1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6].into_iter().map(|each| {
            let step = Step::new("randomized-response", &[("epsilon", each)]).times(1000);
            (each, vec![step], at_epsilon(each * 30.0))
        })),
    );
    all.extend(
        Line {
            name: "sweep-discrete-epsilon",
            parameter: "delta",
            asked: Asked::Epsilon,
            comment: "discrete Gaussians over delta",
        }
        .over(along_delta((2..=16).step_by(2), Step::new("discrete-gaussian", &[("sigma2", 100.0)]).times(100))),
    );
    all
}

/// Trade-off curves.
fn tradeoffs() -> Vec<Question> {
    let alphas = [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 0.999];
    let curves: [(&'static str, &'static str, Step); 5] = [
        ("tradeoff-gaussian", "trade-off function of 10 Gaussians", gaussian(5.0).times(10)),
        (
            "tradeoff-laplace",
            "trade-off function of 10 Laplace releases",
            Step::new("laplace", &[("scale", 4.0)]).times(10),
        ),
        (
            "tradeoff-response",
            "trade-off function of 10 randomized responses",
            Step::new("randomized-response", &[("epsilon", 0.3)]).times(10),
        ),
        (
            "tradeoff-approx",
            "trade-off function of an (epsilon, delta) guarantee",
            Step::new("approx-dp", &[("epsilon", 1.0), ("delta", 1e-5)]),
        ),
        (
            "tradeoff-sample",
            "trade-off function of training with Poisson sampling",
            gaussian(1.0).sampled(0.01).times(100),
        ),
    ];
    curves
        .into_iter()
        .flat_map(|(name, comment, step)| {
            Line { name, parameter: "alpha", asked: Asked::Beta, comment }
                .over(alphas.iter().map(|&alpha| (alpha, vec![step.clone()], at_alpha(alpha))))
        })
        .collect()
}

/// The double nearest to a decimal power: `1e-7` as people type it.
fn decimal(digit: u32, power: i32) -> f64 {
    format!("{digit}e{power}").parse().unwrap_or(0.0)
}
