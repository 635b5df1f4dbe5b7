//! Numbers of a trade-off function: functionals of the loss, canonical noise, and the best Gaussian guarantee.

use dpcert_vectors::Direction::{Backward, Forward};

use crate::query::QuantityName;

use super::Flag::{
    Asymmetric, Cancellation, Edge, ExactRational, Heterogeneous, HugeEpsilon, Infinite, LargeNoise, OnKnot, Ordinary,
    SmallNoise, TinyEpsilon,
};
use super::{Flag, Suite};

/// The suites.
pub fn suites() -> Vec<Suite> {
    let mut suites = functionals();
    suites.extend([antipodal(), cdf(), quantile(), fit()]);
    suites
}

/// What a functional is taken of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Any composition.
    Composition,
    /// One mechanism with finitely many losses.
    Finite,
    /// The same, symmetric and without failures.
    Symmetric,
}

const ONE: &str = "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])";
const TWO: &str = "finite(p=[99/100,1/100], q=[1/2,1/2])";
const CERTAIN: &str = "finite(p=[1/2,1/2,0], q=[0,1/8,7/8])";

fn functionals() -> Vec<Suite> {
    [
        (
            QuantityName::Kappa2,
            Of::Composition,
            "the mean square of the loss",
            "The mean square of the privacy loss, not its variance.",
        ),
        (
            QuantityName::Variance,
            Of::Composition,
            "the variance of the loss",
            "Additive over compositions, unlike the mean square.",
        ),
        (
            QuantityName::Hellinger,
            Of::Composition,
            "squared Hellinger distances",
            "Tiny distances are 1 minus an affinity close to 1; affinities multiply over compositions.",
        ),
        (
            QuantityName::Kappa3,
            Of::Finite,
            "mean cubes of the absolute loss",
            "A moment of the absolute value, not a cumulant.",
        ),
        (
            QuantityName::Kappa3bar,
            Of::Finite,
            "mean cubes of the absolute centred loss",
            "The constant of the Berry-Esseen theorem of composition.",
        ),
        (
            QuantityName::Chi2Plus,
            Of::Symmetric,
            "chi-squared above the diagonal",
            "Only privacy losses of one sign contribute.",
        ),
        (
            QuantityName::JensenShannon,
            Of::Finite,
            "Jensen-Shannon divergences",
            "Always finite: outcomes possible under one distribution only contribute ln 2 times their mass.",
        ),
        (QuantityName::LeCam, Of::Finite, "Vincze-Le Cam divergences", "Always finite, at most 1."),
    ]
    .map(|(quantity, of, what, about)| functional(quantity, of, what, about))
    .into()
}

fn functional(quantity: QuantityName, of: Of, what: &'static str, about: &'static str) -> Suite {
    let title = match quantity {
        QuantityName::Kappa2 => "Functionals of trade-off functions: kappa2",
        QuantityName::Variance => "Functionals of trade-off functions: variance",
        QuantityName::Hellinger => "Functionals of trade-off functions: squared Hellinger distance",
        QuantityName::Kappa3 => "Functionals of trade-off functions: kappa3",
        QuantityName::Kappa3bar => "Functionals of trade-off functions: kappa3-bar",
        QuantityName::Chi2Plus => "Functionals of trade-off functions: chi-squared plus",
        QuantityName::JensenShannon => "Functionals of trade-off functions: Jensen-Shannon divergence",
        _ => "Functionals of trade-off functions: Vincze-Le Cam divergence",
    };
    let mut suite = Suite::new("functionals", quantity, title, about);
    let loss = !matches!(quantity, QuantityName::Hellinger | QuantityName::JensenShannon | QuantityName::LeCam);
    for epsilon in ["1/8", "1", "4", "ln(3)"] {
        suite.ask(&[Ordinary], what, format!("randomized-response(epsilon={epsilon})"), "");
    }
    for epsilon in ["1e-9", "f64:1e-17"] {
        let mechanism = format!("randomized-response(epsilon={epsilon})");
        suite.ask(&[TinyEpsilon, Cancellation], "a tiny epsilon", mechanism, "");
    }
    suite.ask(&[HugeEpsilon], "a large epsilon", "randomized-response(epsilon=50)", "");
    suite.ask(&[Ordinary], "geometric noise", "geometric(epsilon=ln(2), sensitivity=3)", "");
    suite.ask(&[Edge], "no privacy loss", "gdp(mu=0)", "");
    // The F-divergences here are the same in both directions, unlike what is of the loss.
    let sided: &[Flag] = if loss { &[Asymmetric] } else { &[] };
    if of != Of::Symmetric {
        for direction in [Forward, Backward] {
            for pair in [ONE, TWO] {
                let flags = if loss { &[Asymmetric] } else { &[Ordinary] };
                suite.ask_towards(direction, flags, "a finite pair", pair, "");
            }
            let flags: &[Flag] = if loss { &[Infinite, Edge] } else { &[Edge] };
            suite.ask_towards(direction, flags, "outcomes that identify the data set", CERTAIN, "");
        }
        let flags: &[Flag] = if loss { &[Infinite, Edge] } else { &[Edge] };
        suite.ask(flags, "a failure probability", "approx-dp(epsilon=1, delta=1/8)", "");
    }
    if of == Of::Composition {
        for sigma in ["1/8", "1", "1000"] {
            suite.ask(&[Ordinary], "a normal privacy loss", format!("gaussian(sigma={sigma})"), "");
        }
        for scale in ["1/8", "1"] {
            suite.ask(&[Ordinary], "Laplace noise", format!("laplace(scale={scale})"), "");
        }
        suite.ask(&[LargeNoise, Cancellation], "much noise", "laplace(scale=1e6)", "");
        suite.ask(&[Ordinary], "a composition", "randomized-response(epsilon=1/2)^10", "");
        suite.ask(&[Heterogeneous], "different mechanisms", "laplace(scale=2)^3 * gaussian(sigma=3)", "");
        for direction in [Forward, Backward] {
            let mechanism = format!("{ONE}^5 * gaussian(sigma=2)^2");
            let flags = [&[Heterogeneous][..], sided].concat();
            suite.ask_towards(direction, &flags, "different mechanisms", mechanism, "");
        }
    }
    if quantity == QuantityName::Kappa3 {
        for scale in ["1/8", "1", "1000"] {
            suite.ask(&[Ordinary], "Laplace noise", format!("laplace(scale={scale})"), "");
        }
    }
    if of != Of::Composition {
        composed(&mut suite, quantity, of);
    }
    suite
}

/// Compositions of different mechanisms whose losses are in no list.
const SYMMETRIC_COMPOSITIONS: [(&str, &[Flag], &str); 6] = [
    ("randomized-response(epsilon=1)^3 * randomized-response(epsilon=1/2)^2", &[Heterogeneous], "losses on a lattice"),
    ("randomized-response(epsilon=1/10)^100 * randomized-response(epsilon=1)", &[Heterogeneous], "many steps"),
    (
        "randomized-response(epsilon=1)^2 * randomized-response(epsilon=ln(3))",
        &[Heterogeneous],
        "privacy losses not on a lattice",
    ),
    (
        "k-randomized-response(epsilon=ln(3), categories=4)^4 * randomized-response(epsilon=2)",
        &[Heterogeneous],
        "a loss of 0 among them",
    ),
    (
        "geometric(epsilon=ln(2), sensitivity=3)^2 * randomized-response(epsilon=1/3)",
        &[Heterogeneous],
        "geometric noise beside a response",
    ),
    (
        "randomized-response(epsilon=1e-3)^20 * randomized-response(epsilon=2e-3)",
        &[Heterogeneous, Cancellation, TinyEpsilon],
        "very little privacy loss",
    ),
];

fn composed(suite: &mut Suite, quantity: QuantityName, of: Of) {
    for (mechanism, flags, comment) in SYMMETRIC_COMPOSITIONS {
        suite.ask(flags, comment, mechanism, "");
    }
    if of == Of::Symmetric {
        return;
    }
    let sided = matches!(quantity, QuantityName::Kappa3 | QuantityName::Kappa3bar);
    let kind = if sided { Asymmetric } else { Heterogeneous };
    for direction in [Forward, Backward] {
        for (mechanism, comment) in [
            (format!("{ONE}^3 * randomized-response(epsilon=1)"), "a finite pair beside a response"),
            (format!("{TWO}^2 * randomized-response(epsilon=1/2)^3"), "a rare loss beside responses"),
            (
                "poisson(rate=1/4, randomized-response(epsilon=ln(3)))^5 * randomized-response(epsilon=1/4)".into(),
                "a sample beside a response",
            ),
        ] {
            suite.ask_towards(direction, &[kind], comment, mechanism, "");
        }
    }
    let failing: &[Flag] = if sided { &[Infinite, Edge] } else { &[Edge] };
    let mechanism = "approx-dp(epsilon=1, delta=1/8) * randomized-response(epsilon=1/2)";
    suite.ask(failing, "a failure probability beside a response", mechanism, "");
    if sided {
        for mechanism in [
            "gaussian(sigma=1) * randomized-response(epsilon=1)^2",
            "gaussian(sigma=3)^4 * randomized-response(epsilon=ln(3))^5",
        ] {
            suite.ask(&[Heterogeneous], "Gaussian noise beside responses", mechanism, "");
        }
        for direction in [Forward, Backward] {
            let mechanism = format!("{ONE}^2 * gaussian(sigma=2)");
            suite.ask_towards(direction, &[Asymmetric], "Gaussian noise beside a finite pair", mechanism, "");
        }
    }
}

/// Pairs whose log-ratios are not all alike, and what is special about each.
const FINITE_PAIRS: [(&str, &[Flag], &str); 14] = [
    ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])", &[ExactRational], "three outcomes"),
    ("finite(p=[99/100,1/100], q=[1/2,1/2])", &[ExactRational], "a rare outcome"),
    ("finite(p=[1/2,1/4,1/4], q=[1/4,1/2,1/4])", &[ExactRational], "antipodal as it is, with a loss of 0"),
    ("finite(p=[1/2,1/3,1/6], q=[1/6,1/3,1/2])", &[ExactRational], "antipodal and symmetric"),
    ("finite(p=[3/5,2/5], q=[2/5,3/5])", &[ExactRational], "randomised response in fractions"),
    ("finite(p=[1/2,1/2], q=[1/5,4/5])", &[ExactRational], "two ratios"),
    ("finite(p=[1/10,2/10,3/10,4/10], q=[4/10,3/10,2/10,1/10])", &[ExactRational], "four ratios"),
    (
        "finite(p=[1/1000000,999999/1000000], q=[1/2000000,1999999/2000000])",
        &[ExactRational, Cancellation],
        "little mass",
    ),
    ("finite(p=[500001/1000000,499999/1000000], q=[1/2,1/2])", &[TinyEpsilon, Cancellation], "ratios near 1"),
    ("finite(p=[1/3,1/3,1/3], q=[1/3,1/2,1/6])", &[ExactRational], "the largest ratio on the other side"),
    ("finite(p=[1/7,2/7,4/7], q=[4/7,2/7,1/7])", &[ExactRational], "powers of two"),
    ("finite(p=[1/2,1/2], q=[1/1000,999/1000])", &[ExactRational], "a large ratio in one direction"),
    ("finite(p=[1/4,1/4,1/4,1/4], q=[1/8,3/8,1/5,3/10])", &[ExactRational], "ratios with nothing in common"),
    ("k-randomized-response(epsilon=ln(3), categories=5)", &[ExactRational], "five categories"),
];

/// Compositions of finitely many losses, and what is special about each.
const COMPOSITIONS: [(&str, &[Flag], &str); 16] = [
    ("randomized-response(epsilon=1/2)^2", &[Ordinary], "two runs"),
    ("randomized-response(epsilon=1/2)^5", &[Ordinary], "five runs"),
    ("randomized-response(epsilon=1/10)^30", &[Ordinary], "thirty runs"),
    ("randomized-response(epsilon=ln(2))^10", &[ExactRational], "losses on the lattice of ln 2"),
    ("randomized-response(epsilon=1)^3 * randomized-response(epsilon=1/2)^2", &[Heterogeneous], "two kinds"),
    ("randomized-response(epsilon=1)^2 * randomized-response(epsilon=ln(3))", &[Heterogeneous], "on no lattice"),
    ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2", &[ExactRational], "a pair, run twice"),
    ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^6", &[ExactRational], "a pair, run six times"),
    ("finite(p=[99/100,1/100], q=[1/2,1/2])^4", &[ExactRational], "a rare outcome, run four times"),
    ("finite(p=[1/2,1/2], q=[1/5,4/5])^8", &[ExactRational], "two ratios, run eight times"),
    (
        "finite(p=[1/2,1/2], q=[1/5,4/5])^2 * randomized-response(epsilon=1)",
        &[Heterogeneous],
        "a pair beside a response",
    ),
    ("geometric(epsilon=ln(2), sensitivity=3)^2", &[ExactRational], "geometric noise"),
    ("k-randomized-response(epsilon=ln(3), categories=4)^4", &[ExactRational], "a loss of 0"),
    ("poisson(rate=1/4, randomized-response(epsilon=ln(3)))^5", &[ExactRational], "Poisson samples of responses"),
    ("poisson(rate=1/10, finite(p=[1/2,1/2], q=[1/5,4/5]))^3", &[ExactRational], "Poisson samples of a pair"),
    ("randomized-response(epsilon=1e-6)^20", &[TinyEpsilon, Cancellation], "twenty runs with little privacy loss"),
];

/// Dwork and Rothblum's antipodal pairs.
fn antipodal() -> Suite {
    let mut suite = Suite::new(
        "bounded",
        QuantityName::AntipodalKl,
        "KL divergence of the antipodal replacement",
        "The largest log-ratio over both directions is required, not that of one direction. Infinite if a ratio is.",
    );
    for epsilon in ["1/100", "1/8", "1/2", "1", "2", "4", "10", "ln(2)", "ln(3)", "ln(3/2)"] {
        suite.ask(
            &[Ordinary],
            "randomised response is antipodal",
            format!("randomized-response(epsilon={epsilon})"),
            "",
        );
    }
    for epsilon in ["1e-9", "f64:1e-17"] {
        let mechanism = format!("randomized-response(epsilon={epsilon})");
        suite.ask(&[TinyEpsilon, Cancellation], "a tiny epsilon", mechanism, "");
    }
    suite.ask(&[HugeEpsilon], "a large epsilon", "randomized-response(epsilon=50)", "");
    for scale in ["1/8", "1/2", "1", "2", "10", "1000"] {
        suite.ask(&[Ordinary], "Laplace noise", format!("laplace(scale={scale})"), "");
    }
    suite.ask(&[LargeNoise, Cancellation], "much noise", "laplace(scale=1e6)", "");
    for (sensitivity, epsilon) in [("1", "ln(3)"), ("2", "ln(3/2)"), ("3", "ln(2)")] {
        let mechanism = format!("geometric(epsilon={epsilon}, sensitivity={sensitivity})");
        suite.ask(&[Ordinary], "geometric noise", mechanism, "");
    }
    for (mechanism, flags, comment) in FINITE_PAIRS.iter().chain(&COMPOSITIONS) {
        suite.ask(flags, *comment, *mechanism, "");
    }
    suite.ask(&[Edge], "no privacy loss", "gdp(mu=0)", "");
    suite.ask(&[Edge], "both distributions are the same", "finite(p=[1/3,2/3], q=[1/3,2/3])", "");
    suite.ask(&[Infinite, Edge], "outcomes that identify the data set", CERTAIN, "");
    for (mechanism, comment) in [
        ("approx-dp(epsilon=1, delta=1/8)", "a failure probability"),
        ("gaussian(sigma=1)", "losses of any size"),
        ("gaussian(sigma=2)^3", "losses of any size"),
        ("gaussian(sigma=1) * randomized-response(epsilon=1)", "losses of any size beside a response"),
    ] {
        suite.ask(&[Infinite], comment, mechanism, "");
    }
    suite
}

/// Symmetric trade-off functions, and whether noise and its numbers are fractions.
const SYMMETRIC: [(&str, bool); 6] = [
    ("randomized-response(epsilon=ln(3))", true),
    ("approx-dp(epsilon=ln(3), delta=1/10)", true),
    ("randomized-response(epsilon=ln(2))^3", true),
    ("gdp(mu=1)", false),
    ("gaussian(sigma=4)", false),
    ("laplace(scale=1)", false),
];

fn cdf() -> Suite {
    let mut suite = Suite::new(
        "noise",
        QuantityName::CanonicalCdf,
        "Canonical noise: distribution function",
        "Linear within half a unit; each further unit applies the trade-off function once more.",
    );
    for (mechanism, exact) in SYMMETRIC {
        for x in ["0", "1/3", "-1/2", "1/2", "1", "3/2", "-9/4", "5"] {
            let knot = ["-1/2", "1/2", "3/2"].contains(&x);
            let kind = if exact { ExactRational } else { Ordinary };
            let flags = if knot { vec![kind, OnKnot] } else { vec![kind] };
            suite.ask(&flags, "noise that meets the trade-off function exactly", mechanism, x);
        }
    }
    suite.ask(&[Ordinary], "a lower tail", "gdp(mu=1/4)", "-20");
    suite
}

fn quantile() -> Suite {
    let mut suite = Suite::new(
        "noise",
        QuantityName::CanonicalQuantile,
        "Canonical noise: quantiles",
        "A quantile gives the width of a confidence interval around a noisy value.",
    );
    for (mechanism, exact) in SYMMETRIC {
        for p in ["1/40", "1/3", "9/10", "39/40", "999/1000"] {
            let kind = if exact { ExactRational } else { Ordinary };
            suite.ask(&[kind], "a limit of confidence", mechanism, p);
        }
    }
    suite
}

fn fit() -> Suite {
    let mut suite = Suite::new(
        "fit",
        QuantityName::GdpFit,
        "Smallest mu of a Gaussian guarantee (GDP fit)",
        "The smallest mu is attained where both curves touch, which is at a vertex.",
    );
    for x in ["3/2", "2", "3", "20"] {
        let mechanism = format!("randomized-response(epsilon=ln({x}))");
        suite.ask(&[Ordinary], "it touches at the vertex", mechanism.clone(), "");
        for times in [2, 5, 10] {
            suite.ask(&[Ordinary], "one of several vertices", format!("{mechanism}^{times}"), "");
        }
    }
    suite.ask(&[HugeEpsilon], "little noise", "randomized-response(epsilon=ln(1000000))", "");
    suite.ask(&[LargeNoise, Cancellation], "much noise", "randomized-response(epsilon=ln(1000001/1000000))", "");
    for mechanism in
        [ONE, TWO, "geometric(epsilon=ln(2), sensitivity=3)", "geometric(epsilon=ln(3/2), sensitivity=2)^2"]
    {
        suite.ask(&[Ordinary], "a polygon", mechanism, "");
    }
    suite.ask(
        &[Heterogeneous, SmallNoise],
        "different steps",
        format!("{ONE}^3 * randomized-response(epsilon=ln(9))"),
        "",
    );
    for mechanism in ["approx-dp(epsilon=ln(3), delta=1/10)", "approx-dp(epsilon=ln(3), delta=1/1000000)^2", CERTAIN] {
        suite.ask(&[Infinite, Edge], "outcomes that identify the data set", mechanism, "");
    }
    suite
}
