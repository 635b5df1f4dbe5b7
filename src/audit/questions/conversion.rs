//! Conversions: epsilon and delta from nothing but a bound on Renyi divergences.

use super::{at_delta, at_epsilon, numbered};
use crate::audit::question::{Asked, Question, Step};

/// All of them.
pub fn questions() -> Vec<Question> {
    let ask = |asked, step: Step, at, comment: &str| Question {
        flags: vec!["CONVERSION".to_string()],
        comment: comment.to_string(),
        ..Question::new("", asked, vec![step], at)
    };
    let zcdp = |rho: f64| Step::new("zcdp", &[("rho", rho)]);
    let rdp = |order: f64, epsilon: f64| Step::new("rdp", &[("order", order), ("epsilon", epsilon)]);
    let mut epsilons = Vec::new();
    let mut deltas = Vec::new();
    for rho in [1e-8, 1e-4, 0.01, 0.1, 0.5, 1.0, 2.56, 10.0, 500.0] {
        for delta in [1e-3, 1e-5, 1e-10, 1e-15] {
            epsilons.push(ask(
                Asked::Epsilon,
                zcdp(rho),
                at_delta(delta),
                "epsilon of every mechanism with this zCDP guarantee",
            ));
        }
        let typical = rho + 2.0 * (rho * 10.0_f64).sqrt();
        for epsilon in [typical / 4.0, typical, 3.0 * typical] {
            deltas.push(ask(
                Asked::Delta,
                zcdp(rho),
                at_epsilon(epsilon),
                "delta of every mechanism with this zCDP guarantee",
            ));
        }
    }
    let mut all = numbered("zcdp-epsilon", epsilons);
    all.extend(numbered("zcdp-delta", deltas));
    let (mut epsilons, mut deltas) = (Vec::new(), Vec::new());
    for (order, bound) in
        [(1.5, 0.1), (2.0, 1.0), (4.0, 0.25), (8.0, 1.0), (32.0, 0.5), (64.0, 3.0), (256.0, 10.0), (1.01, 1e-3)]
    {
        for delta in [1e-2, 1e-5, 1e-10] {
            epsilons.push(ask(
                Asked::Epsilon,
                rdp(order, bound),
                at_delta(delta),
                "epsilon from a Renyi bound at one order",
            ));
        }
        for factor in [0.5, 1.5, 4.0] {
            deltas.push(ask(
                Asked::Delta,
                rdp(order, bound),
                at_epsilon(bound * factor),
                "delta from a Renyi bound at one order",
            ));
        }
    }
    all.extend(numbered("rdp-epsilon", epsilons));
    all.extend(numbered("rdp-delta", deltas));
    all
}
