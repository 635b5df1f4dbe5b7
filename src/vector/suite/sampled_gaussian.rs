//! Gaussian mechanisms on Poisson samples: one step through the curve of what is inside, many steps by quadrature.

use dpcert_vectors::Direction::{Backward, Forward};

use super::Flag::{
    self, AlphaNearOne, Asymmetric, Edge, ManyCompositions, Ordinary, RateNearOne, SmallAlpha, SmallNoise, SmallRate,
    Subsampled, TinyDelta, TinyRate, Underflow, WholeCurve,
};
use super::Suite;
use super::curve::ALPHAS;
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// A subsampled Gaussian, and the epsilons at which it is asked: below the centre of the loss, at it, and up its tail.
struct Sampled {
    rate: &'static str,
    sigma: &'static str,
    times: u64,
    forward: &'static [&'static str],
    backward: &'static [&'static str],
}

const SAMPLED: [Sampled; 36] = [
    Sampled::new("1/2", "2", 2, &["-0.49", "0", "0.071", "1", "2.3", "6.1"], &["-0.31", "0.3", "0.82"]),
    Sampled::new(
        "1/10",
        "10",
        2,
        &["-0.021", "0", "0.0001", "0.036", "0.085", "0.23"],
        &["-0.014", "0.01", "0.028", "0.099"],
    ),
    Sampled::new("1/2", "1", 10, &["-0.96", "0", "2.1", "7.3", "15", "35"], &["0.075", "2.5"]),
    Sampled::new("99/100", "3", 10, &["-1", "0", "0.56", "3.2", "6.9", "17"], &["-0.5", "1", "2.7", "7.9"]),
    Sampled::new(
        "1/10",
        "100",
        10,
        &["-0.0047", "0", "5e-6", "0.0079", "0.019", "0.051"],
        &["-0.0032", "0.0022", "0.0063", "0.022"],
    ),
    Sampled::new("1/20", "1", 100, &["-0.77", "0", "0.21", "1.9", "4.1", "11"], &["-0.44", "0.57", "1.5", "4.8"]),
    Sampled::new("1/4", "4", 100, &["-0.75", "0", "0.2", "1.8", "4", "10"], &["-0.43", "0.55", "1.5", "4.6"]),
    Sampled::new("1/2", "10", 100, &["-0.63", "0", "0.13", "1.4", "3.1", "8.1"], &["-0.38", "0.41", "1.1", "3.6"]),
    Sampled::new("1/10", "1", 100, &["-1.1", "0", "0.86", "4.1", "8.7", "22"], &["-0.45", "1.3", "3.5"]),
    Sampled::new("999/1000", "20", 100, &["-0.62", "0", "0.12", "1.4", "3.1", "8.1"], &["-0.37", "0.41", "1.1", "3.6"]),
    Sampled::new("1/100", "1", 1000, &["-0.54", "0", "0.086", "1.1", "2.6", "6.7"], &["-0.33", "0.33", "0.91", "3"]),
    Sampled::new("1/10", "5", 1000, &["-0.75", "0", "0.2", "1.8", "4", "10"], &["-0.43", "0.55", "1.5", "4.7"]),
    Sampled::new("1/2", "30", 1000, &["-0.65", "0", "0.14", "1.5", "3.3", "8.6"], &["-0.39", "0.44", "1.2", "3.8"]),
    Sampled::new("1/50", "2", 1000, &["-0.45", "0", "0.057", "0.9", "2.1", "5.4"], &["-0.28", "0.26", "0.73", "2.4"]),
    Sampled::new(
        "1/4",
        "100",
        1000,
        &["-0.12", "0", "0.0031", "0.2", "0.48", "1.3"],
        &["-0.076", "0.057", "0.16", "0.56"],
    ),
    Sampled::new(
        "1/100",
        "10",
        1000,
        &["-0.047", "0", "0.0005", "0.08", "0.19", "0.51"],
        &["-0.031", "0.022", "0.064", "0.22"],
    ),
    Sampled::new("13/1000", "13/10", 3515, &["-0.8", "0", "0.24", "2", "4.4", "11"], &["-0.45", "0.6", "1.6", "5.1"]),
    Sampled::new(
        "32/7500",
        "11/10",
        14063,
        &["-0.7", "0", "0.16", "1.6", "3.6", "9.3"],
        &["-0.41", "0.48", "1.3", "4.2"],
    ),
    Sampled::new("32/7500", "7/10", 14063, &["-1.1", "0", "0.86", "4.1", "8.7", "22"], &["-0.45", "1.3", "3.5", "10"]),
    Sampled::new("1/100", "1", 10000, &["-1.1", "0", "0.86", "4.1", "8.7", "22"], &["-0.45", "1.3", "3.5", "10"]),
    Sampled::new(
        "1/1000",
        "1",
        10000,
        &["-0.19", "0", "0.0086", "0.34", "0.8", "2.1"],
        &["-0.12", "0.096", "0.27", "0.93"],
    ),
    Sampled::new("1/50", "4", 10000, &["-0.63", "0", "0.13", "1.4", "3.2", "8.3"], &["-0.38", "0.42", "1.1", "3.7"]),
    Sampled::new("1/10", "20", 10000, &["-0.63", "0", "0.13", "1.4", "3.1", "8.1"], &["-0.38", "0.41", "1.1", "3.6"]),
    Sampled::new("1/1000", "1", 100000, &["-0.54", "0", "0.086", "1.1", "2.6", "6.7"], &["-0.33", "0.33", "0.91", "3"]),
    Sampled::new("1/100", "10", 100000, &["-0.43", "0", "0.05", "0.84", "2", "5.1"], &["-0.27", "0.25", "0.68", "2.3"]),
    Sampled::new("1/2", "100", 100000, &["-1.1", "0", "1.3", "5.2", "11", "27"], &["-0.33", "1.7", "4.4", "12"]),
    Sampled::new("1/1000", "1", 1000000, &["-1.1", "0", "0.86", "4.1", "8.7", "22"], &["-0.45", "1.3", "3.5", "10"]),
    Sampled::new(
        "1/10000",
        "1",
        1000000,
        &["-0.19", "0", "0.0086", "0.34", "0.8", "2.1"],
        &["-0.12", "0.096", "0.27", "0.93"],
    ),
    Sampled::new(
        "1/100",
        "50",
        1000000,
        &["-0.28", "0", "0.02", "0.52", "1.2", "3.2"],
        &["-0.18", "0.15", "0.42", "1.4"],
    ),
    Sampled::new("1/10", "2", 30, &["-0.4", "0", "0.05", "0.8", "2", "5"], &["-0.25", "0.2", "0.7", "2"]),
    Sampled::new("1/2", "4", 30, &["-0.7", "0", "0.2", "1.6", "4", "11"], &["-0.4", "0.5", "1.6", "5"]),
    Sampled::new("1 - 1e-9", "5", 30, &["-1", "0", "0.6", "3", "7", "18"], &["-0.5", "1", "3", "9"]),
    Sampled::new("1 - 1e-6", "10", 1000, &["-3", "0", "5", "12", "25", "60"], &["-1", "5", "14", "40"]),
    Sampled::new(
        "1/2",
        "1000000",
        10000,
        &["-5e-5", "0", "1e-9", "8e-5", "2e-4", "6e-4"],
        &["-3e-5", "4e-5", "1e-4", "3e-4"],
    ),
    Sampled::new(
        "1e-4",
        "1000",
        1000000,
        &["-1e-4", "0", "5e-9", "2e-4", "4e-4", "1e-3"],
        &["-7e-5", "8e-5", "2e-4", "7e-4"],
    ),
    Sampled::new(
        "99/100",
        "20",
        1000000,
        &["1000", "0", "1225", "1450", "1600", "2100"],
        &["1100", "1300", "1500", "1900"],
    ),
];

/// Little noise at small rates: the loss is a spike with a far tail, and takes a thousand times the nodes of others.
/// Each with an epsilon in the middle of the loss.
const SPIKES: [(&str, &str, u64, &str); 7] = [
    ("1/4", "2", 2, "0.49"),
    ("1/4", "1", 10, "0.54"),
    ("1/100", "4/5", 100, "0.5"),
    ("1/1000", "7/10", 1000, "0.21"),
    ("1/200", "1/2", 1000, "3.6"),
    ("1/10000", "3/5", 10000, "0.098"),
    ("1/10000", "1", 100000, "0.1"),
];

/// What each place in the list of epsilons catches, when a record is removed.
const REMOVED: [&str; 6] = [
    "removing a record, below zero: the mass on the other side is subtracted",
    "removing a record, at zero: a total variation",
    "removing a record, near the mean of the loss: a central limit is off by its skew",
    "removing a record, two deviations above the mean: typical budgets",
    "removing a record, far tail: the noise floor of a Fourier transform",
    "removing a record, deep in the tail, caused by one step of large privacy loss",
];

/// The same for adding one.
const ADDED: [&str; 4] = [
    "adding a record, below zero: the heavier tail is now the other one",
    "adding a record, above the mean of the loss",
    "adding a record, two deviations above the mean: the bound for removal is not tight",
    "adding a record, far tail, where each privacy loss is bounded by -ln(1-rate)",
];

impl Sampled {
    const fn new(
        rate: &'static str,
        sigma: &'static str,
        times: u64,
        forward: &'static [&'static str],
        backward: &'static [&'static str],
    ) -> Self {
        Sampled { rate, sigma, times, forward, backward }
    }

    /// Where many steps share the loss even at tiny deltas. Elsewhere one step makes it, and the line runs through the
    /// noise of that step alone.
    fn reaches_far(&self) -> bool {
        let rates = ["1/20", "1/10", "1/4", "1/2", "99/100", "999/1000", "1 - 1e-6", "1 - 1e-9"];
        self.times > 2 && (rates.contains(&self.rate) || ["50", "1000"].contains(&self.sigma))
    }

    fn mechanism(&self) -> String {
        steps(self.rate, self.sigma, self.times)
    }

    fn flags(&self, more: Option<Flag>) -> Vec<Flag> {
        regime(self.rate, self.sigma, self.times, more)
    }
}

fn steps(rate: &str, sigma: &str, times: u64) -> String {
    format!("poisson(rate={rate}, gaussian(sigma={sigma}))^{times}")
}

fn regime(rate: &str, sigma: &str, times: u64, more: Option<Flag>) -> Vec<Flag> {
    let mut flags = rate_flags(rate);
    flags.extend(more);
    if times >= 1000 {
        flags.push(ManyCompositions);
    }
    if ["3/10", "1/2", "3/5", "7/10"].contains(&sigma) {
        flags.push(SmallNoise);
    }
    flags
}

/// What the rate alone says.
pub fn rate_flags(rate: &str) -> Vec<Flag> {
    let mut flags = vec![Asymmetric, Subsampled];
    if ["1e-9", "1e-6", "1e-4"].contains(&rate) || rate.starts_with("1/1000") {
        flags.push(SmallRate);
    }
    if ["1e-9", "1e-6"].contains(&rate) {
        flags.push(TinyRate);
    }
    if rate.starts_with("1 - ") {
        flags.push(RateNearOne);
    }
    flags
}

/// Rates for one step.
pub const RATES: [&str; 8] = ["1e-9", "1e-6", "1/1000", "1/100", "1/10", "1/2", "9/10", "1 - 1e-9"];

/// One step at epsilons where the likelihood ratio inside is a short fraction: 5/2 forward, 2 backward.
pub fn one_step(suite: &mut Suite, rate: &str, inside: &str) {
    let mechanism = format!("poisson(rate={rate}, {inside})");
    let mut flags = rate_flags(rate);
    suite.ask_towards(
        Forward,
        &flags,
        "one step, removing a record: the ratio inside is 5/2, and e^epsilon - 1 is lost if epsilon is rounded first",
        mechanism.clone(),
        format!("ln(1 + 3/2*({rate}))"),
    );
    suite.ask_towards(
        Backward,
        &flags,
        "one step, adding a record: the ratio inside is 2, in the direction that amplification bounds forget",
        mechanism.clone(),
        format!("-ln(1 - ({rate})/2)"),
    );
    suite.ask_towards(
        Forward,
        &flags,
        "one step, below zero but above the least loss: part of the sample is subtracted",
        mechanism.clone(),
        format!("ln(1 - ({rate})/3)"),
    );
    flags.push(Edge);
    suite.ask_towards(
        Backward,
        &flags,
        "one step at the largest loss of adding a record: exactly 0",
        mechanism,
        format!("-ln(1 - ({rate}))"),
    );
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "poisson-gaussian",
        QuantityName::Delta,
        "Subsampled Gaussian mechanism (private gradient descent): delta at an epsilon",
        "The directions differ, terms cancel in 1 - p + p e^x, and accountants that round privacy losses to a grid \
         lose digits over a million steps.",
    );
    for rate in RATES {
        for sigma in ["3/10", "1", "4", "100"] {
            one_step(&mut suite, rate, &format!("gaussian(sigma={sigma})"));
        }
        let mechanism = format!("poisson(rate={rate}, gaussian(sigma=1))");
        for at in ["0", "1/10", "3"] {
            let why = "one step, the larger of both directions: which one that is depends on epsilon and rate";
            suite.ask(&rate_flags(rate), why, mechanism.clone(), at);
        }
    }
    for one in &SAMPLED {
        for (index, (at, why)) in one.forward.iter().zip(REMOVED).enumerate() {
            let flags = one.flags((index >= 4).then_some(TinyDelta));
            suite.ask_towards(Forward, &flags, why, one.mechanism(), *at);
        }
        for (at, why) in one.backward.iter().zip(ADDED) {
            suite.ask_towards(Backward, &one.flags(None), why, one.mechanism(), *at);
        }
    }
    for (rate, sigma, times, at) in SPIKES {
        let flags = regime(rate, sigma, times, None);
        let why = "little noise at a small rate: a spike at zero beside a far tail";
        suite.ask_towards(Forward, &flags, why, steps(rate, sigma, times), at);
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "poisson-gaussian",
        QuantityName::Epsilon,
        "Subsampled Gaussian mechanism (private gradient descent): epsilon at a delta",
        "The number reported in papers on private learning, here with a proof.",
    );
    for rate in RATES {
        for sigma in ["3/10", "1", "4"] {
            let mechanism = format!("poisson(rate={rate}, gaussian(sigma={sigma}))");
            let target = format!("({rate})/100");
            let why = "one step, removing a record, for a delta in proportion to the rate";
            suite.ask_towards(Forward, &rate_flags(rate), why, mechanism.clone(), target.clone());
            let why = "one step, adding a record: never above -ln(1-rate)";
            suite.ask_towards(Backward, &rate_flags(rate), why, mechanism, target);
        }
    }
    for one in &SAMPLED {
        for (delta, flag, why) in [
            ("1e-3", Ordinary, "removing a record, for a delta within reach of simulation"),
            ("1e-6", Ordinary, "removing a record, for a delta common in papers"),
            ("1e-15", TinyDelta, "removing a record, for a delta below the resolution of doubles near 1"),
            ("1e-100", TinyDelta, "removing a record, for a delta that Renyi bounds reach and grids do not"),
            ("1e-300", TinyDelta, "removing a record, for a delta at the end of the range of doubles"),
        ] {
            if one.reaches_far() || !["1e-100", "1e-300"].contains(&delta) {
                suite.ask_towards(Forward, &one.flags(Some(flag)), why, one.mechanism(), delta);
            }
        }
        let why = "adding a record: one-directional accountants are too large or too small";
        suite.ask_towards(Backward, &one.flags(None), why, one.mechanism(), "1e-5");
        let why = "adding a record, far tail: much smaller than for removal";
        suite.ask_towards(Backward, &one.flags(Some(TinyDelta)), why, one.mechanism(), "1e-50");
        let why = "the less private direction, as required for a guarantee";
        suite.ask(&one.flags(None), why, one.mechanism(), "1e-8");
    }
    for one in SAMPLED.iter().filter(|one| one.times <= 30 && one.reaches_far()) {
        let why = "a few steps for a delta below the smallest double";
        suite.ask_towards(Forward, &one.flags(Some(Underflow)), why, one.mechanism(), "1e-400");
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "poisson-gaussian",
        QuantityName::Beta,
        "Subsampled Gaussian mechanism (private gradient descent): trade-off function",
        "An asymmetric curve that the central limit theorem does not capture.",
    );
    for rate in ["1e-6", "1/100", "1/2", "9/10"] {
        let mechanism = format!("poisson(rate={rate}, gaussian(sigma=1))");
        for alpha in ["1/1000", "1/10", "1/2", "99/100"] {
            let why = "one step, removing a record: the inverse of a mixture of two curves";
            suite.ask_towards(Forward, &rate_flags(rate), why, mechanism.clone(), alpha);
            let why = "one step, adding a record: a mixture of G_mu and the diagonal";
            suite.ask_towards(Backward, &rate_flags(rate), why, mechanism.clone(), alpha);
        }
    }
    for one in &SAMPLED {
        for (alpha, flag, why) in [
            ("1e-6", SmallAlpha, "removing a record, few false positives: the steep end"),
            ("1/20", Ordinary, "removing a record, the level of a statistical test"),
            ("1/2", Ordinary, "removing a record, the middle, where a normal limit is closest but still inexact"),
            ("99/100", AlphaNearOne, "removing a record, the flat end: a small difference of large probabilities"),
        ] {
            // Few steps of little noise: the steep end is the tail of one of them.
            if !(alpha == "1e-6" && (one.times == 2 || (one.times <= 100 && ["1", "2"].contains(&one.sigma)))) {
                suite.ask_towards(Forward, &one.flags(Some(flag)), why, one.mechanism(), alpha);
            }
        }
        let why = "adding a record: the inverse function, not the same one";
        suite.ask_towards(Backward, &one.flags(None), why, one.mechanism(), "1/20");
    }
    for (rate, sigma, times) in [("1/100", "1", 1000), ("32/7500", "11/10", 14063), ("1/1000", "1", 1_000_000)] {
        for direction in [Forward, Backward] {
            for (alpha, flag) in ALPHAS {
                let mut flags = regime(rate, sigma, times, flag);
                flags.push(WholeCurve);
                let why = "a point of a whole curve: convex, and the mirror image of the other direction";
                suite.ask_towards(direction, &flags, why, steps(rate, sigma, times), alpha);
            }
        }
    }
    suite
}
