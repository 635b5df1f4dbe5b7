//! The Gaussian mechanism and its compositions.

use crate::query::QuantityName;

use super::Flag::{
    AlphaNearOne, Cancellation, DeltaNearOne, Edge, HugeEpsilon, Infinite, LargeNoise, ManyCompositions, Ordinary,
    Published, SmallAlpha, SmallNoise, TinyDelta, TinyEpsilon, Underflow,
};
use super::Suite;

/// The three suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "gaussian",
        QuantityName::Delta,
        "Gaussian mechanism: delta at an epsilon",
        "Two normal tails that cancel, e^epsilon beyond the range of doubles, noise from 1e-3 to 1e17 times the \
         sensitivity.",
    );
    delta_of_people(&mut suite);
    delta_in_the_tail(&mut suite);
    delta_of_extreme_noise(&mut suite);
    delta_of_compositions(&mut suite);
    suite
}

/// Published values, and noise as people use it.
fn delta_of_people(suite: &mut Suite) {
    for (mu, at) in [("1", "0"), ("1", "1"), ("1/2", "1"), ("3", "2"), ("1", "5")] {
        suite.ask(&[Published], "Dong, Roth and Su, Corollary 2.13", format!("gdp(mu={mu})"), at);
    }
    for sigma in ["1/4", "1/2", "1", "2", "5", "16"] {
        for at in ["0", "1/8", "1/2", "1", "2", "4", "8"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("gaussian(sigma={sigma})"), at);
        }
    }
    for sigma in ["f64:0.7", "f64:1.1", "f64:4.530877117", "sqrt(3)", "0.35"] {
        for at in ["f64:0.1", "1", "3"] {
            suite.ask(&[Ordinary], "usual noise levels", format!("gaussian(sigma={sigma})"), at);
        }
    }
}

/// Where the two normal tails cancel.
fn delta_in_the_tail(suite: &mut Suite) {
    // Deep tails: mu = 1/sigma, epsilon far beyond mu^2/2.
    for (sigma, at, flag) in [
        ("1", "8", TinyDelta),
        ("1", "12", TinyDelta),
        ("1", "20", TinyDelta),
        ("1", "37", TinyDelta),
        ("1", "38.5", Underflow),
        ("1", "100", Underflow),
        ("2", "6", TinyDelta),
        ("2", "18", TinyDelta),
        ("8", "1", TinyDelta),
        ("8", "2", TinyDelta),
        ("8", "4.5", TinyDelta),
        ("64", "1/2", TinyDelta),
        ("64", "19/32", Underflow),
        ("1024", "1/64", TinyDelta),
        ("1024", "1/4", Underflow),
        ("1048576", "1/262144", TinyDelta),
        ("1048576", "1/8192", Underflow),
    ] {
        suite.ask(
            &[flag, Cancellation],
            "deep in the tail, where the two terms cancel",
            format!("gaussian(sigma={sigma})"),
            at,
        );
    }
    for (mu, at) in [
        ("1", "f64:7.853"),
        ("1/2", "f64:3.994"),
        ("2", "f64:14.731"),
        ("3", "f64:20.554"),
        ("1", "9"),
        ("10", "50"),
        ("30", "600"),
        ("40", "800"),
    ] {
        suite.ask(
            &[Cancellation],
            "the textbook formula gives a negative value, zero or an overflow",
            format!("gdp(mu={mu})"),
            at,
        );
    }
}

/// Noise from 1e-3 to 1e17 sensitivities.
fn delta_of_extreme_noise(suite: &mut Suite) {
    for (sigma, at) in [
        ("f64:0x1p-10", "0"),
        ("f64:0x1p-10", "1000"),
        ("f64:0x1p-10", "524288"),
        ("f64:0x1p-10", "530000"),
        ("1/1000", "500000"),
        ("1/1000", "480000"),
        ("1/32", "512"),
        ("1/32", "700"),
        ("1/32", "750"),
        ("1/16", "128"),
        ("1/16", "710"),
        ("1/64", "2048"),
    ] {
        suite.ask(
            &[SmallNoise, HugeEpsilon],
            "little noise, and e^epsilon beyond the range of doubles",
            format!("gaussian(sigma={sigma})"),
            at,
        );
    }
    for (sigma, at) in [
        ("f64:0x1p-4", "0"),
        ("f64:0x1p-5", "0"),
        ("f64:0x1p-5", "100"),
        ("f64:0x1p-6", "1024"),
        ("1/10", "1"),
        ("1/40", "3"),
        ("1/1000", "1"),
    ] {
        suite.ask(
            &[SmallNoise, DeltaNearOne],
            "noise so small that delta is nearly 1",
            format!("gaussian(sigma={sigma})"),
            at,
        );
    }
    for (sigma, at) in [
        ("1e17", "0"),
        ("1e17", "1e-18"),
        ("1e17", "1e-17"),
        ("1e17", "1e-16"),
        ("1e17", "1e-15"),
        ("f64:0x1p40", "0"),
        ("f64:0x1p40", "f64:0x1p-41"),
        ("f64:0x1p40", "f64:0x1p-38"),
        ("f64:0x1p20", "f64:0x1p-21"),
        ("f64:0x1p20", "f64:0x1p-18"),
        ("10000", "1e-4"),
        ("10000", "1e-3"),
        ("1e10", "3e-10"),
    ] {
        suite.ask(
            &[LargeNoise, TinyEpsilon, Cancellation],
            "much noise: both normal arguments are nearly the same",
            format!("gaussian(sigma={sigma})"),
            at,
        );
    }
}

/// Compositions, negative epsilons, and the boundary of the domain.
fn delta_of_compositions(suite: &mut Suite) {
    for (mechanism, at) in [
        ("gaussian(sigma=10)^100", "1"),
        ("gaussian(sigma=100)^10000", "1"),
        ("gaussian(sigma=1000)^1000000", "5"),
        ("gaussian(sigma=3)^2*gaussian(sigma=4)*gdp(mu=1/8)", "1/2"),
        ("gdp(mu=0.3)*gdp(mu=0.4)*gdp(mu=1.2)", "2"),
        ("gaussian(sigma=4, sensitivity=3)^7", "2"),
        ("gaussian(sigma=sqrt(2), sensitivity=sqrt(3))", "ln(3)"),
    ] {
        suite.ask(&[ManyCompositions], "compositions of Gaussians are Gaussian", mechanism, at);
    }
    for at in ["-1/4", "-1", "-5", "-40"] {
        suite.ask(&[Ordinary], "a negative epsilon", "gaussian(sigma=1)", at);
    }
    for (mechanism, at) in [("gdp(mu=0)", "0"), ("gdp(mu=0)", "1"), ("gaussian(sigma=1, sensitivity=0)", "1/2")] {
        suite.ask(&[Edge], "no privacy loss", mechanism, at);
    }
    suite.ask(
        &[Edge],
        "a failure probability with Gaussian noise",
        "gaussian(sigma=1)*approx-dp(epsilon=0, delta=1/1000)",
        "1",
    );
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "gaussian",
        QuantityName::Epsilon,
        "Gaussian mechanism: epsilon at a delta",
        "The inverse from deltas near 1 to far below the range of doubles, where brackets and bisections end too \
         early.",
    );
    for sigma in ["1/4", "1/2", "1", "2", "5", "16", "64"] {
        for delta in ["1/1024", "f64:0x1p-17", "f64:0x1p-30", "f64:0x1p-53"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("gaussian(sigma={sigma})"), delta);
        }
    }
    for sigma in ["0.7", "1.1", "3.5"] {
        for delta in ["1e-5", "1e-6", "1e-10"] {
            suite.ask(&[Ordinary], "usual parameters", format!("gaussian(sigma={sigma})"), delta);
        }
    }
    for delta in ["1e-20", "1e-50", "1e-100", "1e-200", "1e-300", "1e-320", "1e-1000"] {
        suite.ask(&[TinyDelta], "a small target", "gaussian(sigma=1)", delta);
        suite.ask(&[TinyDelta], "a small target with much noise", "gaussian(sigma=1024)", delta);
    }
    for delta in ["f64:1e-20", "f64:1e-50", "f64:1e-300"] {
        suite.ask(&[TinyDelta], "a small target, at a double", "gdp(mu=1)", delta);
    }
    suite.ask(&[HugeEpsilon], "little noise, at doubles", "gdp(mu=64)", "f64:0x1p-17");
    for (sigma, delta) in
        [("1/32", "1/2"), ("1/32", "1e-10"), ("1/1000", "1e-6"), ("1/1000", "0.999"), ("1/10", "1-1e-9")]
    {
        suite.ask(&[SmallNoise, HugeEpsilon], "little noise", format!("gaussian(sigma={sigma})"), delta);
    }
    for (sigma, delta) in
        [("1e17", "1e-18"), ("1e17", "1e-20"), ("1e17", "1e-40"), ("1e6", "1e-8"), ("f64:0x1p40", "f64:0x1p-50")]
    {
        suite.ask(&[LargeNoise, TinyEpsilon], "much noise", format!("gaussian(sigma={sigma})"), delta);
    }
    for (mu, delta) in [("1", "0.38292"), ("1", "0.382924"), ("1/2", "0.19741"), ("3", "0.8663")] {
        suite.ask(&[Cancellation], "just below the total variation: epsilon near 0", format!("gdp(mu={mu})"), delta);
    }
    for (mechanism, delta) in [("gaussian(sigma=100)^10000", "1e-5"), ("gaussian(sigma=1000)^1000000", "1e-9")] {
        suite.ask(&[ManyCompositions], "compositions of Gaussians are Gaussian", mechanism, delta);
    }
    for (mechanism, delta, flags) in [
        ("gdp(mu=1)", "1", &[Edge][..]),
        ("gdp(mu=1)", "0.383", &[Edge]),
        ("gdp(mu=0)", "0", &[Edge]),
        ("gdp(mu=1)", "0", &[Edge, Infinite]),
        ("gaussian(sigma=1)*approx-dp(epsilon=0, delta=1/1000)", "1/1000", &[Edge, Infinite]),
        ("gaussian(sigma=1)*approx-dp(epsilon=0, delta=1/1000)", "2/1000", &[Edge]),
    ] {
        suite.ask(flags, "a boundary of the domain", mechanism, delta);
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "gaussian",
        QuantityName::Beta,
        "Gaussian mechanism: trade-off function G_mu",
        "Quantiles at type I errors near 0 and 1, where 1 - alpha rounds to 1.",
    );
    for (mu, alpha) in [("1", "0.05"), ("1", "1/2"), ("1/2", "0.01")] {
        suite.ask(&[Published], "Dong, Roth and Su, definition 2.4", format!("gdp(mu={mu})"), alpha);
    }
    for mu in ["1/8", "1/2", "1", "2", "4"] {
        for alpha in ["1/1024", "1/16", "1/4", "1/2", "3/4", "1023/1024"] {
            suite.ask(&[Ordinary], "dyadic parameters", format!("gdp(mu={mu})"), alpha);
        }
    }
    for alpha in ["1e-9", "1e-17", "1e-40", "1e-300", "1e-400", "1e-4000"] {
        for mu in ["1", "6"] {
            suite.ask(&[SmallAlpha], "a small type I error", format!("gdp(mu={mu})"), alpha);
            suite.ask(&[AlphaNearOne], "a type I error near 1", format!("gdp(mu={mu})"), format!("1 - {alpha}"));
        }
    }
    for alpha in ["f64:0x1.fffffffffffffp-1", "f64:1e-300", "f64:0x1p-53"] {
        suite.ask(&[SmallAlpha], "an extreme type I error, at a double", "gdp(mu=1)", alpha);
    }
    for (mu, alpha) in [("20", "1/2"), ("40", "1/4"), ("100", "1/1024"), ("1000", "1/2")] {
        suite.ask(&[SmallNoise], "little noise", format!("gdp(mu={mu})"), alpha);
    }
    for (mu, alpha) in [("1e-9", "1/4"), ("1e-17", "1/2"), ("f64:0x1p-40", "1/16")] {
        suite.ask(&[LargeNoise], "much noise", format!("gdp(mu={mu})"), alpha);
    }
    for (mu, alpha) in [("1", "0"), ("1", "1"), ("0", "1/3")] {
        suite.ask(&[Edge], "a boundary of the domain", format!("gdp(mu={mu})"), alpha);
    }
    suite
}
