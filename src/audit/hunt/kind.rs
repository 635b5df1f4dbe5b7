//! A kind of query: a quantity of a family of mechanisms.
//!
//! A package supports some kinds. Two easy probes per kind find out which; a kind that is `unsupported` in both is not
//! queried again.

use dpcert_vectors::Double;

use crate::audit::question::{Asked, At, Question, Step};

/// A family of mechanisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Gaussians.
    Gaussian,
    /// Gaussians of different noise.
    Gaussians,
    /// Laplace noise.
    Laplace,
    /// Discrete Laplace noise.
    Geometric,
    /// Discrete Gaussian noise.
    DiscreteGaussian,
    /// Randomised response.
    Response,
    /// The worst mechanism of an (epsilon, delta).
    Approx,
    /// Two different such.
    Approxes,
    /// A Gaussian on samples.
    Sampled,
    /// Gaussians on samples of different rates.
    Sampleds,
    /// Anything with a zCDP bound.
    Zcdp,
    /// Anything with a bound on one Renyi divergence.
    Rdp,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 12] = [
        Family::Gaussian,
        Family::Gaussians,
        Family::Laplace,
        Family::Geometric,
        Family::DiscreteGaussian,
        Family::Response,
        Family::Approx,
        Family::Approxes,
        Family::Sampled,
        Family::Sampleds,
        Family::Zcdp,
        Family::Rdp,
    ];

    /// Is it a bound on mechanisms rather than one?
    pub fn is_bound(self) -> bool {
        matches!(self, Family::Zcdp | Family::Rdp)
    }

    /// The family that a question belongs to, whatever is simplified in it.
    pub fn of(question: &Question) -> Option<Self> {
        let several = question.steps.len() > 1;
        let step = question.steps.first()?;
        Some(match step.mechanism.as_str() {
            "gaussian" if several => Family::Gaussians,
            "gaussian" => Family::Gaussian,
            "laplace" => Family::Laplace,
            "geometric" => Family::Geometric,
            "discrete-gaussian" => Family::DiscreteGaussian,
            "randomized-response" => Family::Response,
            "approx-dp" if several => Family::Approxes,
            "approx-dp" => Family::Approx,
            "poisson" if several => Family::Sampleds,
            "poisson" => Family::Sampled,
            "zcdp" => Family::Zcdp,
            "rdp" => Family::Rdp,
            _ => return None,
        })
    }

    /// The parameter that a calibration leaves open.
    pub fn noise(self) -> Option<&'static str> {
        match self {
            Family::Gaussian | Family::Sampled => Some("sigma"),
            Family::Laplace => Some("scale"),
            Family::DiscreteGaussian => Some("sigma2"),
            _ => None,
        }
    }
}

/// A quantity of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind {
    /// The quantity.
    pub asked: Asked,
    /// Of what.
    pub family: Family,
}

impl Kind {
    /// All that makes sense.
    pub fn all() -> Vec<Kind> {
        let mut all = Vec::new();
        for family in Family::ALL {
            for asked in Asked::ALL {
                let sensible = match asked {
                    Asked::Noise => family.noise().is_some(),
                    Asked::Beta | Asked::Renyi => !family.is_bound(),
                    Asked::Delta | Asked::Epsilon => true,
                };
                if sensible {
                    all.push(Kind { asked, family });
                }
            }
        }
        all
    }

    /// Easy questions of this kind: run once, and run ten times.
    pub fn probes(self) -> Vec<Question> {
        let gaussian = |sigma: f64| Step::new("gaussian", &[("sigma", sigma)]);
        let approx = |epsilon: f64| Step::new("approx-dp", &[("epsilon", epsilon), ("delta", 1.0 / 1024.0)]);
        let base = match self.family {
            Family::Gaussian => vec![gaussian(2.0)],
            Family::Gaussians => vec![gaussian(2.0), gaussian(4.0)],
            Family::Laplace => vec![Step::new("laplace", &[("scale", 2.0)])],
            Family::Geometric => vec![Step::new("geometric", &[("epsilon", 0.5)])],
            Family::DiscreteGaussian => vec![Step::new("discrete-gaussian", &[("sigma2", 4.0)])],
            Family::Response => vec![Step::new("randomized-response", &[("epsilon", 0.5)])],
            Family::Approx => vec![approx(0.5)],
            Family::Approxes => vec![approx(0.5), approx(0.25)],
            Family::Sampled => vec![gaussian(2.0).sampled(0.25)],
            Family::Sampleds => vec![gaussian(2.0).sampled(0.25), gaussian(2.0).sampled(0.125)],
            Family::Zcdp => vec![Step::new("zcdp", &[("rho", 0.5)])],
            Family::Rdp => vec![Step::new("rdp", &[("order", 4.0), ("epsilon", 0.5)])],
        };
        let base: Vec<Step> = match (self.asked, self.family.noise()) {
            (Asked::Noise, Some(parameter)) => base
                .into_iter()
                .map(|mut step| {
                    match step.of.first_mut() {
                        Some(inner) => *inner = inner.clone().open(parameter),
                        None => step = step.open(parameter),
                    }
                    step
                })
                .collect(),
            _ => base,
        };
        let at = match self.asked {
            Asked::Delta => At { epsilon: Some(Double(0.5)), ..At::default() },
            Asked::Epsilon => At { delta: Some(Double(1.0 / 1024.0)), ..At::default() },
            Asked::Beta => At { alpha: Some(Double(0.125)), ..At::default() },
            Asked::Renyi => At { order: Some(Double(2.0)), ..At::default() },
            Asked::Noise => At { epsilon: Some(Double(1.0)), delta: Some(Double(1.0 / 1024.0)), ..At::default() },
        };
        let often: &[u64] = if self.family.is_bound() { &[1] } else { &[1, 10] };
        often
            .iter()
            .map(|&times| {
                let steps = base.iter().map(|step| step.clone().times(times)).collect();
                Question {
                    comment: "probe: is this query supported?".to_string(),
                    ..Question::new("", self.asked, steps, at.clone())
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Entry;

    /// The hunt has mechanisms and parameters of the catalogue, and none that is not in it.
    #[test]
    fn families_are_of_mechanisms_that_there_are() {
        for kind in Kind::all().into_iter().filter(|kind| !kind.family.is_bound()) {
            for mut step in kind.probes().into_iter().flat_map(|probe| probe.steps) {
                loop {
                    let entry = Entry::find(&step.mechanism).expect("a mechanism of the catalogue");
                    assert_eq!(entry.name, step.mechanism);
                    for name in step.parameters.keys() {
                        assert!(entry.parameter(name).is_some(), "{} has no {name}", entry.name);
                    }
                    let Some(inner) = step.of.pop() else { break };
                    step = inner;
                }
            }
        }
    }

    #[test]
    fn every_kind_has_probes_that_make_sense() {
        for kind in Kind::all() {
            let probes = kind.probes();
            assert!(!probes.is_empty());
            for probe in probes {
                assert_eq!(Family::of(&probe), Some(kind.family), "{}", probe.mechanism());
                probe.subject().unwrap_or_else(|error| panic!("{}: {error}", probe.mechanism()));
                assert_eq!(kind.asked == Asked::Noise, probe.steps.iter().any(|step| step.unknown().is_some()));
            }
        }
    }
}
