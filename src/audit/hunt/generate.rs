//! Random questions where floating point and grids break.
//!
//! A question is drawn from the seed and its place in the sequence alone, so the sequence depends neither on time nor
//! on what came before. What is drawn is guided: how often (to a million times), how much each run leaks (often less
//! than the step of usual grids, 1e-4), how deep in the tail (deltas from 1e-2 to 1e-16, most of them below 1e-9),
//! sampling rates near 0 and near 1. Points lie where the answer is neither 0 nor 1: at the mean of the total loss and
//! some of its standard deviations, both guessed in doubles.

use dpcert_vectors::Double;
use enclosure::Portable;

use super::kind::{Family, Kind};
use super::random::{Random, three_digits};
use crate::audit::question::{Asked, At, Question, Step};

/// Losses add up: their mean, their variance, and the most they can be.
#[derive(Clone, Copy, Debug, Default)]
struct Loss {
    mean: f64,
    variance: f64,
    most: f64,
}

impl Loss {
    /// Of a mechanism whose loss is about normal, with this mu.
    fn normal(mu: f64) -> Self {
        Loss { mean: mu * mu / 2.0, variance: mu * mu, most: f64::INFINITY }
    }

    /// Of one whose loss is at most `epsilon`.
    fn bounded(epsilon: f64) -> Self {
        Loss { mean: epsilon * (epsilon / 2.0).portable_tanh(), variance: epsilon * epsilon, most: epsilon }
    }

    fn times(self, times: f64) -> Self {
        Loss { mean: self.mean * times, variance: self.variance * times, most: self.most * times }
    }

    fn plus(self, other: Self) -> Self {
        Loss { mean: self.mean + other.mean, variance: self.variance + other.variance, most: self.most + other.most }
    }
}

/// The question of this seed at this place, of one of these kinds.
pub fn question(seed: u64, place: u64, kinds: &[Kind]) -> Option<Question> {
    let mut random = Random::new(seed, place);
    if kinds.is_empty() {
        return None;
    }
    let kind = *random.choose(kinds);
    let (steps, loss) = steps(&mut random, kind.family);
    let (steps, loss) = match (kind.asked, kind.family.noise()) {
        (Asked::Noise, Some(parameter)) => (steps.into_iter().map(|step| opened(step, parameter)).collect(), loss),
        _ => (steps, loss),
    };
    let at = at(&mut random, kind.asked, loss);
    let mut question = Question::new(format!("hunt-{seed}-{place:06}"), kind.asked, steps, at);
    question.comment = "found by --hunt".to_string();
    question.flags = vec!["HUNT".to_string()];
    Some(question)
}

fn opened(mut step: Step, parameter: &str) -> Step {
    match step.of.first_mut() {
        Some(inner) => *inner = inner.clone().open(parameter),
        None => step = step.open(parameter),
    }
    step
}

/// How often something is run.
fn often(random: &mut Random) -> u64 {
    match random.unit() {
        u if u < 0.25 => 1,
        u if u < 0.5 => random.decades(2.0, 100.0).round() as u64,
        u if u < 0.85 => random.decades(100.0, 1e4).round() as u64,
        _ => random.decades(1e4, 1e6).round() as u64,
    }
}

/// How much everything leaks together, as the mu of a Gaussian.
fn total(random: &mut Random) -> f64 {
    match random.unit() {
        u if u < 0.6 => random.decades(0.05, 5.0),
        u if u < 0.8 => random.decades(1e-4, 0.05),
        _ => random.decades(5.0, 50.0),
    }
}

fn steps(random: &mut Random, family: Family) -> (Vec<Step>, Loss) {
    let once = |step, loss: Loss, times: u64| (Step::times(step, times), loss.times(times as f64));
    let gaussian = |random: &mut Random| {
        let (times, mu) = (often(random), total(random));
        let sigma = three_digits((times as f64).sqrt() / mu);
        once(Step::new("gaussian", &[("sigma", sigma)]), Loss::normal(1.0 / sigma), times)
    };
    let approx = |random: &mut Random| {
        let (times, mu) = (often(random), total(random).min(20.0));
        let epsilon = three_digits(mu / (times as f64).sqrt());
        let delta = if random.chance(0.5) { 0.0 } else { random.decades(1e-15, 1e-6) };
        once(Step::new("approx-dp", &[("epsilon", epsilon), ("delta", delta)]), Loss::bounded(epsilon), times)
    };
    let sampled = |random: &mut Random| {
        let rate = match random.unit() {
            u if u < 0.4 => random.decades(1e-4, 0.1),
            u if u < 0.6 => random.decades(1e-7, 1e-4),
            u if u < 0.8 => random.decades(0.1, 0.9),
            // Near 1, and never 1.
            _ => 1.0 - (random.decades(1e-6, 0.1) * 1e6).round() / 1e6,
        };
        let sigma = random.decades(0.5, 10.0);
        let times = often(random).min(100_000);
        let spread = rate * ((1.0 / (sigma * sigma)).min(50.0).portable_exp_m1()).sqrt();
        let step = Step::new("gaussian", &[("sigma", sigma)]).sampled(rate);
        once(step, Loss::normal(spread.min(1.0 / sigma)), times)
    };
    let one = |(step, loss)| (vec![step], loss);
    let two = |(first, loss): (Step, Loss), (second, more)| (vec![first, second], loss.plus(more));
    match family {
        Family::Gaussian => one(gaussian(random)),
        Family::Gaussians => {
            let first = gaussian(random);
            two(first, gaussian(random))
        }
        Family::Approx => one(approx(random)),
        Family::Approxes => {
            let first = approx(random);
            two(first, approx(random))
        }
        Family::Sampled => one(sampled(random)),
        Family::Sampleds => {
            let first = sampled(random);
            two(first, sampled(random))
        }
        Family::Laplace => {
            let (times, mu) = (often(random), total(random).min(20.0));
            let scale = three_digits((times as f64).sqrt() / mu);
            one(once(Step::new("laplace", &[("scale", scale)]), Loss::bounded(1.0 / scale), times))
        }
        Family::Geometric | Family::Response => {
            let (times, mu) = (often(random), total(random).min(20.0));
            let epsilon = three_digits(mu / (times as f64).sqrt());
            let name = if family == Family::Geometric { "geometric" } else { "randomized-response" };
            one(once(Step::new(name, &[("epsilon", epsilon)]), Loss::bounded(epsilon), times))
        }
        Family::DiscreteGaussian => {
            let (times, mu) = (often(random).min(10_000), total(random));
            let sigma2 = three_digits((times as f64 / (mu * mu)).clamp(0.05, 1e8));
            let mu = (1.0 / sigma2).sqrt();
            one(once(Step::new("discrete-gaussian", &[("sigma2", sigma2)]), Loss::normal(mu), times))
        }
        Family::Zcdp => {
            let rho = random.decades(1e-6, 100.0);
            one(once(Step::new("zcdp", &[("rho", rho)]), Loss::normal((2.0 * rho).sqrt()), 1))
        }
        Family::Rdp => {
            let order = three_digits(1.0 + random.decades(0.01, 500.0));
            let bound = random.decades(1e-4, 20.0);
            let step = Step::new("rdp", &[("order", order), ("epsilon", bound)]);
            one((step, Loss { mean: bound, variance: bound, most: f64::INFINITY }))
        }
    }
}

/// A small probability, as people put limits on failure: most of them far below what a grid resolves.
fn small(random: &mut Random) -> f64 {
    if random.chance(0.3) { random.decades(1e-9, 1e-2) } else { random.decades(1e-16, 1e-9) }
}

fn at(random: &mut Random, asked: Asked, loss: Loss) -> At {
    let epsilon = |random: &mut Random| {
        let deviations = if random.chance(0.5) { random.between(-0.5, 4.0) } else { random.between(4.0, 8.0) };
        let wanted = loss.mean + deviations * loss.variance.sqrt();
        let epsilon = if loss.most.is_finite() { wanted.min(loss.most * random.between(0.3, 1.0)) } else { wanted };
        three_digits(epsilon.max(0.0).max(loss.variance.sqrt() * 0.01))
    };
    match asked {
        Asked::Delta => At { epsilon: Some(Double(epsilon(random))), ..At::default() },
        Asked::Epsilon => At { delta: Some(Double(small(random))), ..At::default() },
        Asked::Beta => {
            let alpha = if random.chance(0.5) { random.between(0.001, 0.999) } else { small(random) };
            At { alpha: Some(Double(three_digits(alpha))), ..At::default() }
        }
        Asked::Renyi => At { order: Some(Double(three_digits(1.0 + random.decades(0.01, 200.0)))), ..At::default() },
        Asked::Noise => {
            let epsilon = match random.unit() {
                u if u < 0.6 => random.decades(0.05, 10.0),
                u if u < 0.8 => random.decades(1e-5, 0.05),
                _ => random.decades(10.0, 1000.0),
            };
            let delta = if random.chance(0.1) { random.decades(0.01, 0.9) } else { small(random) };
            At { epsilon: Some(Double(epsilon)), delta: Some(Double(delta)), ..At::default() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence belongs to its seed, its questions are in their domains, and it asks every kind.
    #[test]
    fn sequences_are_repeatable_and_in_their_domains() {
        let kinds = Kind::all();
        let mut met = std::collections::BTreeSet::new();
        for place in 0..2000 {
            let drawn = question(3, place, &kinds).expect("a question");
            assert_eq!(question(3, place, &kinds), Some(drawn.clone()));
            drawn.subject().unwrap_or_else(|error| panic!("{}: {error}", drawn.mechanism()));
            let family = Family::of(&drawn).expect("a family");
            met.insert(Kind { asked: drawn.asked, family });
            if drawn.asked == Asked::Noise {
                drawn.filled(&rug::Rational::from(1)).expect("a composition");
            }
        }
        assert_eq!(met.len(), kinds.len());
        assert_ne!(question(3, 0, &kinds), question(4, 0, &kinds));
        assert_eq!(question(3, 0, &[]), None);
    }
}
