//! Divergences: Renyi, Kullback-Leibler, total variation, chi-squared, max.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{
    Asymmetric, Cancellation, Edge, ExactRational, HugeEpsilon, Infinite, LargeNoise, Ordinary, SmallNoise, TinyEpsilon,
};
use super::Suite;

/// The suites.
pub fn suites() -> Vec<Suite> {
    let mut suites = vec![rr_renyi(), gaussian_renyi(), laplace_renyi(), finite_renyi()];
    suites.extend(pointless());
    suites
}

const ORDERS: [&str; 6] = ["f64:0x1.0001p0", "3/2", "2", "10", "64", "1000"];

fn rr_renyi() -> Suite {
    let mut suite = Suite::new(
        "randomized-response",
        QuantityName::Renyi,
        "Randomized response: Renyi divergence",
        "Orders near 1 and epsilons near 0, where logarithms of nearly 1 cancel; epsilons where cosh overflows.",
    );
    for epsilon in ["1/8", "1", "4"] {
        for order in ORDERS {
            suite.ask(&[Ordinary], "dyadic parameters", format!("randomized-response(epsilon={epsilon})"), order);
        }
    }
    for epsilon in ["1e-9", "1e-100", "1e-300", "f64:1e-9", "f64:1e-17"] {
        for order in ["3/2", "100"] {
            suite.ask(
                &[TinyEpsilon, Cancellation],
                "a tiny epsilon",
                format!("randomized-response(epsilon={epsilon})"),
                order,
            );
        }
    }
    for epsilon in ["700", "5000"] {
        for order in ["5/4", "30"] {
            suite.ask(&[HugeEpsilon], "cosh overflows", format!("randomized-response(epsilon={epsilon})"), order);
        }
    }
    for (epsilon, order) in [("1", "f64:0x1.0000000000001p0"), ("f64:0x1p-10", "f64:0x1.00000004p0")] {
        suite.ask(&[Cancellation], "an order just above 1", format!("randomized-response(epsilon={epsilon})"), order);
    }
    suite.ask(&[Ordinary], "additive under composition", "randomized-response(epsilon=1/2)^10", "7/3");
    suite
}

fn gaussian_renyi() -> Suite {
    let mut suite = Suite::new(
        "gaussian",
        QuantityName::Renyi,
        "Gaussian mechanism: Renyi divergence",
        "An exact fraction for every rational order.",
    );
    for sigma in ["1/16", "1", "7", "1e17"] {
        for order in ["f64:0x1.0001p0", "3/2", "2", "10", "50"] {
            suite.ask(&[ExactRational], "order / (2 sigma^2)", format!("gaussian(sigma={sigma})"), order);
        }
    }
    suite.ask(&[ExactRational], "additive under composition", "gaussian(sigma=3)^9*gdp(mu=1/2)", "5");
    suite
}

fn laplace_renyi() -> Suite {
    let mut suite = Suite::new(
        "laplace",
        QuantityName::Renyi,
        "Laplace mechanism: Renyi divergence",
        "Orders near 1 and very small or large noise, where the two exponentials cancel or overflow.",
    );
    for scale in ["1/4", "1", "8"] {
        for order in ORDERS {
            suite.ask(&[Ordinary], "dyadic parameters", format!("laplace(scale={scale})"), order);
        }
    }
    for scale in ["1e9", "1e100", "f64:0x1p30"] {
        for order in ["3/2", "100"] {
            suite.ask(&[LargeNoise, Cancellation], "much noise", format!("laplace(scale={scale})"), order);
        }
    }
    for order in ["2", "9"] {
        suite.ask(&[SmallNoise, HugeEpsilon], "little noise", "laplace(scale=1/1000)", order);
    }
    suite.ask(&[Ordinary], "additive under composition", "laplace(scale=1)^4*laplace(scale=3)", "2");
    suite
}

fn finite_renyi() -> Suite {
    let mut suite = Suite::new(
        "finite",
        QuantityName::Renyi,
        "Finite pairs of rational distributions: Renyi divergence",
        "Irrational orders of rational data, and answers that are infinite in one direction only.",
    );
    for order in ["3/2", "2", "5", "100"] {
        for direction in [Forward, Backward] {
            suite.ask_towards(
                direction,
                &[Ordinary, Asymmetric],
                "rational data",
                "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
                order,
            );
        }
    }
    suite.ask_towards(
        Forward,
        &[Infinite, Edge],
        "an outcome with probability 0 under Q",
        "finite(p=[1/2,1/4,1/4], q=[1/3,2/3,0])",
        "2",
    );
    suite.ask_towards(
        Backward,
        &[Edge],
        "an outcome with probability 0 under Q, reverse direction",
        "finite(p=[1/2,1/4,1/4], q=[1/3,2/3,0])",
        "2",
    );
    suite
}

/// The quantities that are taken at no point, each over the same mechanisms.
fn pointless() -> Vec<Suite> {
    [
        (QuantityName::Kl, "Kullback-Leibler divergences", "Small divergences as differences of nearly equal terms."),
        (QuantityName::Tv, "Total variation distances", "The profile at epsilon = 0, from nearly 0 to nearly 1."),
        (
            QuantityName::Chi2,
            "Chi-squared divergences",
            "Exponentials of large Renyi divergences, and tiny divergences.",
        ),
        (QuantityName::Max, "Max divergences", "Finite for bounded privacy losses, infinite otherwise."),
    ]
    .map(|(quantity, title, about)| {
        let mut suite = Suite::new("divergences", quantity, title, about);
        let unbounded = quantity == QuantityName::Max;
        for epsilon in ["1/8", "1", "4", "1e-9", "1e-100", "1e-300", "f64:1e-9", "f64:1e-17", "50", "400", "700"] {
            let flag = match epsilon {
                "50" | "400" | "700" => HugeEpsilon,
                "1/8" | "1" | "4" => Ordinary,
                _ => TinyEpsilon,
            };
            suite.ask(&[flag], "randomised response", format!("randomized-response(epsilon={epsilon})"), "");
        }
        for x in ["3/2", "7"] {
            suite.ask(&[Ordinary], "rational e^epsilon", format!("randomized-response(epsilon=ln({x}))"), "");
        }
        for sigma in ["1/8", "1", "1000", "1e17"] {
            let flags = if unbounded { &[Infinite][..] } else { &[Ordinary] };
            suite.ask(flags, "Gaussian", format!("gaussian(sigma={sigma})"), "");
        }
        for scale in ["1/8", "1", "1e6", "1e100", "f64:0x1p30"] {
            suite.ask(&[Ordinary], "Laplace", format!("laplace(scale={scale})"), "");
        }
        // Of the discrete Gaussian the other two are closed forms of its zCDP parameter.
        let lattice: &[&str] = match quantity {
            QuantityName::Tv | QuantityName::Max => &["1/4", "1", "100"],
            _ => &[],
        };
        for sigma2 in lattice {
            let flags = if unbounded { &[Infinite][..] } else { &[Ordinary] };
            suite.ask(flags, "discrete Gaussian", format!("discrete-gaussian(sigma2={sigma2})"), "");
        }
        for direction in [Forward, Backward] {
            for pair in ["p=[1/2,1/4,1/4], q=[1/3,1/3,1/3]", "p=[99/100,1/100], q=[1/2,1/2]"] {
                suite.ask_towards(direction, &[Asymmetric], "a finite pair", format!("finite({pair})"), "");
            }
        }
        suite.ask(&[Edge], "no privacy loss", "gdp(mu=0)", "");
        let infinite = quantity != QuantityName::Tv;
        suite.ask(
            if infinite { &[Edge, Infinite] } else { &[Edge] },
            "a failure probability",
            "approx-dp(epsilon=1, delta=1/8)",
            "",
        );
        suite
    })
    .into()
}
