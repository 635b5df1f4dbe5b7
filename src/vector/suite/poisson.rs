//! Mechanisms on a Poisson sample: one step through the curve of what is inside, many steps by quadrature.

use dpcert_vectors::Direction::{Backward, Forward};

use super::Flag::{
    self, AlphaNearOne, Asymmetric, Edge, ManyCompositions, Ordinary, SmallAlpha, SmallNoise, SmallRate, TinyDelta,
};
use super::Suite;
use super::curve::ALPHAS;
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![gaussian_delta(), gaussian_epsilon(), gaussian_beta(), other_delta(), other_epsilon(), other_beta()]
}

/// Subsampled Gaussians, and the epsilons at which they are asked: below the centre of the loss, at it, and up its tail.
struct Sampled {
    rate: &'static str,
    sigma: &'static str,
    times: u64,
    forward: &'static [&'static str],
    backward: &'static [&'static str],
}

const SAMPLED: [Sampled; 41] = [
    Sampled {
        rate: "1/4",
        sigma: "2",
        times: 2,
        forward: &["-0.26", "0", "0.018", "0.49", "1.1", "3"],
        backward: &["-0.17", "0.14", "0.39"],
    },
    Sampled {
        rate: "1/2",
        sigma: "2",
        times: 2,
        forward: &["-0.49", "0", "0.071", "1", "2.3", "6.1"],
        backward: &["-0.31", "0.3", "0.82"],
    },
    Sampled {
        rate: "9/10",
        sigma: "1",
        times: 3,
        forward: &["-1.1", "0", "1.5", "5.8", "12", "29"],
        backward: &["-0.23", "2", "5"],
    },
    Sampled {
        rate: "1/10",
        sigma: "10",
        times: 2,
        forward: &["-0.021", "0", "0.0001", "0.036", "0.085", "0.23"],
        backward: &["-0.014", "0.01", "0.028", "0.099"],
    },
    Sampled {
        rate: "1/10",
        sigma: "1",
        times: 10,
        forward: &["-0.54", "0", "0.086", "1.1", "2.6", "6.7"],
        backward: &["-0.33", "0.33", "0.91"],
    },
    Sampled {
        rate: "1/2",
        sigma: "1",
        times: 10,
        forward: &["-0.96", "0", "2.1", "7.3", "15", "35"],
        backward: &["0.075", "2.5", "6.3"],
    },
    Sampled {
        rate: "99/100",
        sigma: "3",
        times: 10,
        forward: &["-1", "0", "0.56", "3.2", "6.9", "17"],
        backward: &["-0.5", "1", "2.7", "7.9"],
    },
    Sampled {
        rate: "1/4",
        sigma: "1",
        times: 10,
        forward: &["-1", "0", "0.54", "3.1", "6.8", "17"],
        backward: &["-0.5", "0.99", "2.6"],
    },
    Sampled {
        rate: "1/10",
        sigma: "100",
        times: 10,
        forward: &["-0.0047", "0", "5e-6", "0.0079", "0.019", "0.051"],
        backward: &["-0.0032", "0.0022", "0.0063", "0.022"],
    },
    Sampled {
        rate: "1/20",
        sigma: "1",
        times: 100,
        forward: &["-0.77", "0", "0.21", "1.9", "4.1", "11"],
        backward: &["-0.44", "0.57", "1.5", "4.8"],
    },
    Sampled {
        rate: "1/100",
        sigma: "4/5",
        times: 100,
        forward: &["-0.27", "0", "0.019", "0.5", "1.2", "3.1"],
        backward: &["-0.18", "0.15", "0.41"],
    },
    Sampled {
        rate: "1/4",
        sigma: "4",
        times: 100,
        forward: &["-0.75", "0", "0.2", "1.8", "4", "10"],
        backward: &["-0.43", "0.55", "1.5", "4.6"],
    },
    Sampled {
        rate: "1/2",
        sigma: "10",
        times: 100,
        forward: &["-0.63", "0", "0.13", "1.4", "3.1", "8.1"],
        backward: &["-0.38", "0.41", "1.1", "3.6"],
    },
    Sampled {
        rate: "1/10",
        sigma: "1",
        times: 100,
        forward: &["-1.1", "0", "0.86", "4.1", "8.7", "22"],
        backward: &["-0.45", "1.3", "3.5"],
    },
    Sampled {
        rate: "1/20",
        sigma: "1/2",
        times: 200,
        forward: &["5.6", "0", "13", "26", "44", "96"],
        backward: &["8.2"],
    },
    Sampled {
        rate: "999/1000",
        sigma: "20",
        times: 100,
        forward: &["-0.62", "0", "0.12", "1.4", "3.1", "8.1"],
        backward: &["-0.37", "0.41", "1.1", "3.6"],
    },
    Sampled {
        rate: "1/100",
        sigma: "1",
        times: 1000,
        forward: &["-0.54", "0", "0.086", "1.1", "2.6", "6.7"],
        backward: &["-0.33", "0.33", "0.91", "3"],
    },
    Sampled {
        rate: "1/1000",
        sigma: "7/10",
        times: 1000,
        forward: &["-0.12", "0", "0.0033", "0.21", "0.49", "1.3"],
        backward: &["-0.078", "0.059", "0.17", "0.58"],
    },
    Sampled {
        rate: "1/10",
        sigma: "5",
        times: 1000,
        forward: &["-0.75", "0", "0.2", "1.8", "4", "10"],
        backward: &["-0.43", "0.55", "1.5", "4.7"],
    },
    Sampled {
        rate: "1/200",
        sigma: "1/2",
        times: 1000,
        forward: &["-1.1", "0", "0.67", "3.6", "7.6", "19"],
        backward: &["-0.49", "1.1", "3"],
    },
    Sampled {
        rate: "1/2",
        sigma: "30",
        times: 1000,
        forward: &["-0.65", "0", "0.14", "1.5", "3.3", "8.6"],
        backward: &["-0.39", "0.44", "1.2", "3.8"],
    },
    Sampled {
        rate: "1/50",
        sigma: "2",
        times: 1000,
        forward: &["-0.45", "0", "0.057", "0.9", "2.1", "5.4"],
        backward: &["-0.28", "0.26", "0.73", "2.4"],
    },
    Sampled {
        rate: "1/4",
        sigma: "100",
        times: 1000,
        forward: &["-0.12", "0", "0.0031", "0.2", "0.48", "1.3"],
        backward: &["-0.076", "0.057", "0.16", "0.56"],
    },
    Sampled {
        rate: "1/100",
        sigma: "10",
        times: 1000,
        forward: &["-0.047", "0", "0.0005", "0.08", "0.19", "0.51"],
        backward: &["-0.031", "0.022", "0.064", "0.22"],
    },
    Sampled {
        rate: "13/1000",
        sigma: "13/10",
        times: 3515,
        forward: &["-0.8", "0", "0.24", "2", "4.4", "11"],
        backward: &["-0.45", "0.6", "1.6", "5.1"],
    },
    Sampled {
        rate: "32/7500",
        sigma: "11/10",
        times: 14063,
        forward: &["-0.7", "0", "0.16", "1.6", "3.6", "9.3"],
        backward: &["-0.41", "0.48", "1.3", "4.2"],
    },
    Sampled {
        rate: "32/7500",
        sigma: "7/10",
        times: 14063,
        forward: &["-1.1", "0", "0.86", "4.1", "8.7", "22"],
        backward: &["-0.45", "1.3", "3.5", "10"],
    },
    Sampled {
        rate: "1/100",
        sigma: "1",
        times: 10000,
        forward: &["-1.1", "0", "0.86", "4.1", "8.7", "22"],
        backward: &["-0.45", "1.3", "3.5", "10"],
    },
    Sampled {
        rate: "1/1000",
        sigma: "1",
        times: 10000,
        forward: &["-0.19", "0", "0.0086", "0.34", "0.8", "2.1"],
        backward: &["-0.12", "0.096", "0.27", "0.93"],
    },
    Sampled {
        rate: "1/50",
        sigma: "4",
        times: 10000,
        forward: &["-0.63", "0", "0.13", "1.4", "3.2", "8.3"],
        backward: &["-0.38", "0.42", "1.1", "3.7"],
    },
    Sampled {
        rate: "1/10000",
        sigma: "3/5",
        times: 10000,
        forward: &["-0.058", "0", "0.00075", "0.098", "0.23", "0.62"],
        backward: &["-0.038", "0.028", "0.078", "0.27"],
    },
    Sampled {
        rate: "1/10",
        sigma: "20",
        times: 10000,
        forward: &["-0.63", "0", "0.13", "1.4", "3.1", "8.1"],
        backward: &["-0.38", "0.41", "1.1", "3.6"],
    },
    Sampled {
        rate: "1/1000",
        sigma: "1",
        times: 100000,
        forward: &["-0.54", "0", "0.086", "1.1", "2.6", "6.7"],
        backward: &["-0.33", "0.33", "0.91", "3"],
    },
    Sampled {
        rate: "1/10000",
        sigma: "1",
        times: 100000,
        forward: &["-0.061", "0", "0.00086", "0.1", "0.25", "0.66"],
        backward: &["-0.041", "0.029", "0.084", "0.29"],
    },
    Sampled {
        rate: "1/100",
        sigma: "10",
        times: 100000,
        forward: &["-0.43", "0", "0.05", "0.84", "2", "5.1"],
        backward: &["-0.27", "0.25", "0.68", "2.3"],
    },
    Sampled {
        rate: "1/2",
        sigma: "100",
        times: 100000,
        forward: &["-1.1", "0", "1.3", "5.2", "11", "27"],
        backward: &["-0.33", "1.7", "4.4", "12"],
    },
    Sampled {
        rate: "1/1000",
        sigma: "1",
        times: 1000000,
        forward: &["-1.1", "0", "0.86", "4.1", "8.7", "22"],
        backward: &["-0.45", "1.3", "3.5", "10"],
    },
    Sampled {
        rate: "1/10000",
        sigma: "1",
        times: 1000000,
        forward: &["-0.19", "0", "0.0086", "0.34", "0.8", "2.1"],
        backward: &["-0.12", "0.096", "0.27", "0.93"],
    },
    Sampled {
        rate: "1/100000",
        sigma: "4/5",
        times: 1000000,
        forward: &["-0.029", "0", "0.00019", "0.049", "0.12", "0.31"],
        backward: &["-0.019", "0.014", "0.039", "0.14"],
    },
    Sampled {
        rate: "1/100",
        sigma: "50",
        times: 1000000,
        forward: &["-0.28", "0", "0.02", "0.52", "1.2", "3.2"],
        backward: &["-0.18", "0.15", "0.42", "1.4"],
    },
    Sampled {
        rate: "1/100000",
        sigma: "1/2",
        times: 1000000,
        forward: &["-0.11", "0", "0.0027", "0.19", "0.44", "1.2"],
        backward: &["-0.071", "0.053", "0.15", "0.52"],
    },
];

impl Sampled {
    fn mechanism(&self) -> String {
        format!("poisson(rate={}, gaussian(sigma={}))^{}", self.rate, self.sigma, self.times)
    }

    fn flags(&self, more: Option<Flag>) -> Vec<Flag> {
        let mut flags = vec![Asymmetric];
        flags.extend(more);
        if self.times >= 1000 {
            flags.push(ManyCompositions);
        }
        if small(self.rate) {
            flags.push(SmallRate);
        }
        if ["3/10", "1/2"].contains(&self.sigma) {
            flags.push(SmallNoise);
        }
        flags
    }
}

/// At most a thousandth.
fn small(rate: &str) -> bool {
    rate.starts_with("1e-") || rate.starts_with("1/1000")
}

/// Rates for one step.
const RATES: [&str; 8] = ["1e-9", "1e-6", "1/1000", "1/100", "1/10", "1/2", "9/10", "1 - 1e-9"];

fn one_step_flags(rate: &str) -> Vec<Flag> {
    if small(rate) { vec![Asymmetric, SmallRate] } else { vec![Asymmetric] }
}

/// One step at epsilons where the likelihood ratio inside is a short fraction: 5/2 forward, 2 backward.
fn one_step(suite: &mut Suite, rate: &str, inside: &str) {
    let mechanism = format!("poisson(rate={rate}, {inside})");
    let mut flags = one_step_flags(rate);
    let forward = format!("ln(1 + 3/2*({rate}))");
    suite.ask_towards(Forward, &flags, "one step, removing a record", mechanism.clone(), forward);
    let backward = format!("-ln(1 - ({rate})/2)");
    suite.ask_towards(Backward, &flags, "one step, adding a record", mechanism.clone(), backward);
    suite.ask_towards(Forward, &flags, "one step, below zero", mechanism.clone(), format!("ln(1 - ({rate})/3)"));
    flags.push(Edge);
    suite.ask_towards(
        Backward,
        &flags,
        "one step at the largest loss of adding a record: exactly 0",
        mechanism,
        format!("-ln(1 - ({rate}))"),
    );
}

fn gaussian_delta() -> Suite {
    let mut suite = Suite::new(
        "poisson-gaussian",
        QuantityName::Delta,
        "Subsampled Gaussian mechanism (private gradient descent): delta at an epsilon",
        "The directions differ, rates cancel in 1 - p + p e^x, and accountants that round losses to a grid lose their digits \
         in the sum of a million steps.",
    );
    for rate in RATES {
        for sigma in ["3/10", "1", "4", "100"] {
            one_step(&mut suite, rate, &format!("gaussian(sigma={sigma})"));
        }
        let mechanism = format!("poisson(rate={rate}, gaussian(sigma=1))");
        for at in ["0", "1/10", "3"] {
            suite.ask(&one_step_flags(rate), "one step, the worst direction", mechanism.clone(), at);
        }
    }
    for one in &SAMPLED {
        for (index, at) in one.forward.iter().enumerate() {
            let flags = one.flags((index >= 4).then_some(TinyDelta));
            suite.ask_towards(Forward, &flags, "removing a record", one.mechanism(), *at);
        }
        for at in one.backward {
            suite.ask_towards(Backward, &one.flags(None), "adding a record", one.mechanism(), *at);
        }
    }
    suite
}

fn gaussian_epsilon() -> Suite {
    let mut suite = Suite::new(
        "poisson-gaussian",
        QuantityName::Epsilon,
        "Subsampled Gaussian mechanism (private gradient descent): epsilon for a delta",
        "The number that is printed in every paper on private learning, here proven.",
    );
    for rate in RATES {
        for sigma in ["3/10", "1", "4"] {
            let mechanism = format!("poisson(rate={rate}, gaussian(sigma={sigma}))");
            let target = format!("({rate})/100");
            suite.ask_towards(Forward, &one_step_flags(rate), "one step", mechanism.clone(), target.clone());
            suite.ask_towards(Backward, &one_step_flags(rate), "one step", mechanism, target);
        }
    }
    for one in &SAMPLED {
        for (delta, flag) in [("1e-3", Ordinary), ("1e-6", Ordinary), ("1e-15", TinyDelta)] {
            suite.ask_towards(Forward, &one.flags(Some(flag)), "removing a record", one.mechanism(), delta);
        }
        suite.ask_towards(Backward, &one.flags(None), "adding a record", one.mechanism(), "1e-5");
    }
    suite
}

fn gaussian_beta() -> Suite {
    let mut suite = Suite::new(
        "poisson-gaussian",
        QuantityName::Beta,
        "Subsampled Gaussian mechanism (private gradient descent): the trade-off function",
        "An asymmetric curve that the central limit theorem does not give.",
    );
    for rate in ["1e-6", "1/100", "1/2", "9/10"] {
        let mechanism = format!("poisson(rate={rate}, gaussian(sigma=1))");
        for alpha in ["1/1000", "1/10", "1/2", "99/100"] {
            suite.ask_towards(Forward, &one_step_flags(rate), "one step", mechanism.clone(), alpha);
            suite.ask_towards(Backward, &one_step_flags(rate), "one step", mechanism.clone(), alpha);
        }
    }
    for one in &SAMPLED {
        for (alpha, flag) in [("1e-6", SmallAlpha), ("1/20", Ordinary), ("1/2", Ordinary), ("99/100", AlphaNearOne)] {
            suite.ask_towards(Forward, &one.flags(Some(flag)), "removing a record", one.mechanism(), alpha);
        }
        suite.ask_towards(Backward, &one.flags(None), "adding a record", one.mechanism(), "1/20");
    }
    for mechanism in
        ["poisson(rate=1/100, gaussian(sigma=1))^1000", "poisson(rate=32/7500, gaussian(sigma=11/10))^14063"]
    {
        for direction in [Forward, Backward] {
            for (alpha, flag) in ALPHAS {
                let flags = [Asymmetric, ManyCompositions, flag.unwrap_or(Asymmetric)];
                suite.ask_towards(direction, &flags, "a whole curve", mechanism, alpha);
            }
        }
    }
    suite
}

/// What else is run on samples.
const INSIDE: [&str; 6] = [
    "laplace(scale=1)",
    "laplace(scale=1/5)",
    "laplace(scale=20)",
    "discrete-gaussian(sigma2=1)",
    "discrete-gaussian(sigma2=1/4)",
    "discrete-gaussian(sigma2=25, sensitivity=2)",
];

/// Samples with finitely many losses, which compose exactly.
const FINITE: [(&str, &[&str]); 6] = [
    ("poisson(rate=1/3, randomized-response(epsilon=ln(3)))^12", &["-1/2", "0", "ln(5/3)", "2", "5"]),
    ("poisson(rate=1/100, randomized-response(epsilon=ln(9)))^20", &["0", "1/100", "1/2", "1"]),
    ("poisson(rate=1/2, approx-dp(epsilon=ln(2), delta=1/1000))^8", &["0", "1/2", "ln(3)", "2"]),
    ("poisson(rate=1/10, geometric(epsilon=ln(2), sensitivity=2))^6", &["-1/10", "0", "1/5", "1/2"]),
    ("poisson(rate=1/4, finite(p=[1/2,1/3,1/6], q=[1/6,1/3,1/2]))^6", &["-1/4", "0", "1/4", "1"]),
    ("poisson(rate=1/5, staircase(epsilon=ln(3/2), gamma=1/2))^5", &["0", "1/10", "1/4"]),
];

fn other_delta() -> Suite {
    let mut suite = Suite::new(
        "poisson",
        QuantityName::Delta,
        "Other mechanisms on Poisson samples: delta at an epsilon",
        "Amplification by sampling, exactly and in both directions: a bound for one direction is no bound for the other.",
    );
    for rate in RATES {
        for inside in INSIDE {
            one_step(&mut suite, rate, inside);
        }
    }
    for (mechanism, points) in FINITE {
        for at in points {
            suite.ask_towards(Forward, &[Asymmetric], "a finite sample", mechanism, *at);
            suite.ask_towards(Backward, &[Asymmetric], "a finite sample", mechanism, *at);
        }
    }
    suite
}

fn other_epsilon() -> Suite {
    let mut suite = Suite::new(
        "poisson",
        QuantityName::Epsilon,
        "Other mechanisms on Poisson samples: epsilon for a delta",
        "The inverse is closed in one direction and a root in the other.",
    );
    for inside in INSIDE {
        for rate in ["1e-6", "1/100", "1/2"] {
            let mechanism = format!("poisson(rate={rate}, {inside})");
            let target = format!("{rate}/50");
            suite.ask_towards(Forward, &one_step_flags(rate), "one step", mechanism.clone(), target.clone());
            suite.ask_towards(Backward, &one_step_flags(rate), "one step", mechanism, target);
        }
    }
    for (mechanism, _) in FINITE {
        for delta in ["1/10", "1/100"] {
            suite.ask_towards(Forward, &[Asymmetric], "a finite sample", mechanism, delta);
            suite.ask_towards(Backward, &[Asymmetric], "a finite sample", mechanism, delta);
        }
    }
    suite
}

fn other_beta() -> Suite {
    let mut suite = Suite::new(
        "poisson",
        QuantityName::Beta,
        "Other mechanisms on Poisson samples: the trade-off function",
        "A mixture of two curves in one direction, its inverse in the other.",
    );
    for inside in INSIDE {
        for rate in ["1/100", "1/2"] {
            let mechanism = format!("poisson(rate={rate}, {inside})");
            for alpha in ["1/100", "1/3", "9/10"] {
                suite.ask_towards(Forward, &one_step_flags(rate), "one step", mechanism.clone(), alpha);
                suite.ask_towards(Backward, &one_step_flags(rate), "one step", mechanism.clone(), alpha);
            }
        }
    }
    for (mechanism, _) in FINITE {
        for alpha in ["1/20", "1/2", "9/10"] {
            suite.ask_towards(Forward, &[Asymmetric], "a finite sample", mechanism, alpha);
            suite.ask_towards(Backward, &[Asymmetric], "a finite sample", mechanism, alpha);
        }
    }
    suite
}
