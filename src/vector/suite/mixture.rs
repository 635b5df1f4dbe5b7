//! Mechanisms of different kinds, composed with each other.

use dpcert_vectors::Direction::Backward;

use super::Flag::{
    self, Asymmetric, AtomsAndDensity, Heterogeneous, LargeNoise, ManyCompositions, Mixed, Ordinary, SmallAlpha,
    SmallNoise, Subsampled, TinyDelta, Underflow, WholeCurve,
};
use super::Suite;
use super::curve::ALPHAS;
use crate::query::QuantityName;

/// The suites.
pub fn suites() -> Vec<Suite> {
    vec![delta(), epsilon(), beta()]
}

/// Losses of any size: only a moment generating function knows them all.
const CONTINUOUS: [(&str, &[&str], &str); 14] = [
    (
        "gaussian(sigma=2) * laplace(scale=1)",
        &["-1", "0", "1/2", "1", "2", "4", "8"],
        "a density beside atoms at both ends: the smallest such mixture",
    ),
    (
        "gaussian(sigma=5)^10 * laplace(scale=4)^10",
        &["-1", "0", "1", "2", "4", "9"],
        "ten of each: Laplace losses leave kinks that a normal limit smooths",
    ),
    (
        "gaussian(sigma=1) * randomized-response(epsilon=1)^5",
        &["-2", "0", "1", "3", "6", "12"],
        "a normal mixture of six components, one per number of false responses",
    ),
    (
        "gaussian(sigma=3) * approx-dp(epsilon=1/2, delta=1/1000)^8",
        &["0", "1", "2", "4", "10"],
        "failure probabilities with a density: delta is at least 1 - (1-1/1000)^8",
    ),
    (
        "gdp(mu=1/2) * geometric(epsilon=1/2, sensitivity=3)^4",
        &["-1", "0", "1", "3", "6"],
        "a lattice with unequal masses at its ends, smeared by a density",
    ),
    (
        "gaussian(sigma=4)^16 * discrete-gaussian(sigma2=9)^4",
        &["-1", "0", "1", "3", "8", "20"],
        "continuous and discrete Gaussians, which do not add up to a Gaussian",
    ),
    (
        "gaussian(sigma=2) * staircase(epsilon=1, gamma=1/3)^3",
        &["-1/2", "0", "1", "3", "7"],
        "an atom at loss zero that depends on gamma, smeared by a density",
    ),
    (
        "gaussian(sigma=2) * finite(p=[1/2,1/3,1/6], q=[1/6,1/3,1/2])^4",
        &["-1", "0", "1", "4"],
        "a finite pair with a density, in both directions",
    ),
    (
        "gaussian(sigma=10) * laplace(scale=7)^3 * laplace(scale=11)^5",
        &["-1/4", "0", "1/4", "1", "2"],
        "two incommensurable scales",
    ),
    (
        "gaussian(sigma=10)^100 * laplace(scale=10)^100 * randomized-response(epsilon=1/10)^100",
        &["0", "2", "5", "12"],
        "three hundred mechanisms of three kinds",
    ),
    (
        "gdp(mu=3) * laplace(scale=1/2)^2 * approx-dp(epsilon=0, delta=1/100)",
        &["-3", "0", "3", "9", "20"],
        "large privacy loss and failure probability 1/100: delta is at least 1/100",
    ),
    (
        "gaussian(sigma=1/4) * laplace(scale=3)^2",
        &["-4", "0", "8", "20", "60"],
        "one mechanism contributes nearly all privacy loss",
    ),
    (
        "gaussian(sigma=1000)^50 * laplace(scale=2000)^20",
        &["0", "1/1000", "1/50", "1/10"],
        "noise so large that every delta is a small difference",
    ),
    (
        "gaussian(sigma=sqrt(2)) * laplace(scale=ln(3)) * randomized-response(epsilon=ln(2))^3",
        &["-1", "0", "1", "ln(8)", "5"],
        "irrational parameters, which must be used exactly",
    ),
];

/// The same with subsampled Gaussians.
const SAMPLED: [(&str, &[&str], &str); 8] = [
    (
        "gaussian(sigma=5) * poisson(rate=1/100, gaussian(sigma=1))^1000",
        &["-1", "0", "1", "3", "6"],
        "a release and private training: the symmetric part hides the skew of the other",
    ),
    (
        "gaussian(sigma=2) * poisson(rate=1/10, gaussian(sigma=2))^20",
        &["-1", "0", "1", "3", "6"],
        "the same noise with and without a sample",
    ),
    (
        "laplace(scale=2)^3 * poisson(rate=1/20, gaussian(sigma=1))^200",
        &["0", "1", "4", "8"],
        "Laplace counts and private training",
    ),
    (
        "poisson(rate=1/100, gaussian(sigma=1))^500 * poisson(rate=1/50, gaussian(sigma=2))^500",
        &["-1", "0", "1", "4"],
        "rate and noise change half way: no average is equivalent",
    ),
    (
        "randomized-response(epsilon=1/2)^6 * poisson(rate=1/50, gaussian(sigma=1))^400",
        &["0", "2", "5"],
        "atoms beside the skewed loss of samples",
    ),
    (
        "discrete-gaussian(sigma2=16)^8 * poisson(rate=1/50, gaussian(sigma=1))^400",
        &["-1", "0", "2", "6"],
        "a lattice beside the skewed loss of samples",
    ),
    (
        "gaussian(sigma=10) * poisson(rate=1/2, gaussian(sigma=5))^10",
        &["-1/2", "0", "1/2", "2"],
        "a high rate, where the directions differ by little",
    ),
    (
        "approx-dp(epsilon=0, delta=1/1000000) * poisson(rate=1/100, gaussian(sigma=1))^1000",
        &["0", "2", "8"],
        "a failure of a millionth, which bounds delta from below",
    ),
];

/// Losses on a common lattice.
const LATTICE: [(&str, &[&str], &str); 14] = [
    (
        "discrete-gaussian(sigma2=4)^3 * discrete-gaussian(sigma2=6)^2",
        &["-1", "0", "1", "3", "9", "20"],
        "two variances: a lattice of twelfths",
    ),
    (
        "discrete-gaussian(sigma2=2) * discrete-gaussian(sigma2=3)^2 * discrete-gaussian(sigma2=5)^3",
        &["0", "1", "4", "12"],
        "three variances: a lattice of sixtieths",
    ),
    (
        "discrete-gaussian(sigma2=10, sensitivity=2)^2 * discrete-gaussian(sigma2=15, sensitivity=3)^3",
        &["0", "1", "3", "10"],
        "sensitivities that change the offset of the lattice",
    ),
    (
        "discrete-gaussian(sigma2=8)^10 * randomized-response(epsilon=1/4)^10",
        &["-1", "0", "1", "4", "12"],
        "a Gaussian tail beside bounded losses on the same lattice",
    ),
    (
        "discrete-gaussian(sigma2=2)^3 * approx-dp(epsilon=1/2, delta=1/1000)^5",
        &["0", "1", "4", "10"],
        "failure probabilities on a lattice: delta is at least 1 - (1-1/1000)^5",
    ),
    (
        "staircase(epsilon=1/2, gamma=1/3)^3 * geometric(epsilon=1/4, sensitivity=2)^4 * discrete-gaussian(sigma2=4)^2",
        &["-1", "0", "1", "3", "5"],
        "three kinds of lattice noise, of units 1/2, 1/4 and 1/8",
    ),
    (
        "staircase(epsilon=ln(2), gamma=1/4, sensitivity=2)^4 * geometric(epsilon=ln(4), sensitivity=3)^2",
        &["-1", "0", "ln(8)", "2", "6"],
        "rational masses throughout: exact fractions at logarithms",
    ),
    (
        "geometric(epsilon=1/10, sensitivity=5)^20 * randomized-response(epsilon=1/5)^30",
        &["0", "1", "3", "8"],
        "bounded losses only: epsilon ends at 16, and delta 0 begins",
    ),
    (
        "discrete-gaussian(sigma2=1/2)^2 * geometric(epsilon=1, sensitivity=2)^2",
        &["0", "1", "4", "9", "30"],
        "little noise: every privacy loss is a visible knot",
    ),
    (
        "discrete-gaussian(sigma2=100)^50 * discrete-gaussian(sigma2=80)^30 * discrete-gaussian(sigma2=40)^20",
        &["-1", "0", "2", "6", "15"],
        "a hundred queries of three variances on a lattice of eight hundredths",
    ),
    (
        "discrete-gaussian(sigma2=1000)^500 * discrete-gaussian(sigma2=600)^500",
        &["0", "1", "4", "10", "25"],
        "a thousand queries of two variances",
    ),
    (
        "discrete-gaussian(sigma2=7/2)^4 * discrete-gaussian(sigma2=21/4)^4 * discrete-gaussian(sigma2=14/3)^4",
        &["0", "2", "8", "25"],
        "fractional variances: the common unit is easily missed",
    ),
    (
        "discrete-gaussian(sigma2=1/3) * discrete-gaussian(sigma2=1/6)",
        &["0", "3", "9", "30"],
        "very little noise: distant knots, a coarse piecewise-linear curve",
    ),
    (
        "discrete-gaussian(sigma2=16)^8 * staircase(epsilon=1/8, gamma=1/2)^8 * approx-dp(epsilon=0, delta=1e-9)",
        &["0", "1", "3", "20"],
        "a failure of 1e-9 beside lattices of units 1/16 and 1/8",
    ),
];

fn regime(mechanism: &str) -> Vec<Flag> {
    let mut flags = vec![Heterogeneous];
    let discrete = LATTICE.iter().any(|(other, ..)| *other == mechanism);
    if !(discrete && mechanism.split(" * ").all(|factor| factor.starts_with("discrete"))) {
        flags.push(Mixed);
    }
    let atoms = ["randomized", "geometric", "staircase", "finite", "laplace", "discrete"];
    if !discrete && atoms.iter().any(|name| mechanism.contains(name)) {
        flags.push(AtomsAndDensity);
    }
    if mechanism.contains("finite") || mechanism.contains("poisson") {
        flags.push(Asymmetric);
    }
    if mechanism.contains("poisson") {
        flags.push(Subsampled);
    }
    if mechanism.contains("^1000") || mechanism.contains("^500") {
        flags.push(ManyCompositions);
    }
    if mechanism.contains("sigma=1/4") || mechanism.contains("sigma2=1/3") {
        flags.push(SmallNoise);
    }
    if mechanism.contains("sigma=1000") {
        flags.push(LargeNoise);
    }
    flags
}

fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str], &'static str)> {
    CONTINUOUS.into_iter().chain(SAMPLED).chain(LATTICE)
}

fn delta() -> Suite {
    let mut suite = Suite::new(
        "mixture",
        QuantityName::Delta,
        "Compositions of different kinds of mechanisms: delta at an epsilon",
        "Densities with atoms, different lattices, symmetric and asymmetric privacy losses: no single formula applies.",
    );
    for (mechanism, points, why) in all() {
        for at in points {
            suite.ask(&regime(mechanism), why, mechanism, *at);
        }
        if regime(mechanism).contains(&Asymmetric) {
            for at in points.iter().take(3) {
                suite.ask_towards(Backward, &regime(mechanism), format!("the other direction: {why}"), mechanism, *at);
            }
        }
    }
    for (mechanism, at) in [
        ("gaussian(sigma=2) * laplace(scale=1)", "19/2"),
        ("gaussian(sigma=5)^10 * laplace(scale=4)^10", "20"),
        ("gaussian(sigma=1) * randomized-response(epsilon=1)^5", "30"),
        ("gaussian(sigma=5) * poisson(rate=1/100, gaussian(sigma=1))^1000", "20"),
        ("discrete-gaussian(sigma2=4)^3 * discrete-gaussian(sigma2=6)^2", "30"),
        ("discrete-gaussian(sigma2=8)^10 * randomized-response(epsilon=1/4)^10", "24"),
    ] {
        let mut flags = regime(mechanism);
        flags.push(TinyDelta);
        suite.ask(&flags, "deep in the tail, dominated by one kind of mechanism", mechanism, at);
    }
    for (mechanism, at) in [
        ("gaussian(sigma=2) * laplace(scale=1)", "25"),
        ("discrete-gaussian(sigma2=4)^3 * discrete-gaussian(sigma2=6)^2", "60"),
    ] {
        let mut flags = regime(mechanism);
        flags.push(Underflow);
        suite.ask(&flags, "below the smallest double", mechanism, at);
    }
    suite
}

fn epsilon() -> Suite {
    let mut suite = Suite::new(
        "mixture",
        QuantityName::Epsilon,
        "Compositions of different kinds of mechanisms: epsilon at a delta",
        "The inverse of a profile without a closed form.",
    );
    for (mechanism, _, why) in all() {
        for (delta, flag) in [("1/10", Ordinary), ("1e-5", Ordinary), ("1e-12", Ordinary), ("1e-40", TinyDelta)] {
            let failing = mechanism.contains("approx-dp");
            // Where one loss, the largest or the only one near, has all mass of the size of delta.
            let coarse = mechanism.contains("sigma2=1/2)") || mechanism.contains("sigma2=1/3)");
            let at_the_end = coarse || mechanism.starts_with("geometric(epsilon=1/10");
            if (!failing || delta == "1/10") && !(at_the_end && delta == "1e-40") {
                let mut flags = regime(mechanism);
                flags.push(flag);
                suite.ask(&flags, why, mechanism, delta);
            }
        }
    }
    suite
}

fn beta() -> Suite {
    let mut suite = Suite::new(
        "mixture",
        QuantityName::Beta,
        "Compositions of different kinds of mechanisms: trade-off function",
        "Smooth arcs, linear segments and mixtures of both; symmetric or not.",
    );
    for (mechanism, _, why) in all() {
        for (alpha, flag) in [("1e-6", SmallAlpha), ("1/10", Ordinary), ("1/2", Ordinary), ("19/20", Ordinary)] {
            // Beside atoms the far end of a sample takes minutes.
            let far = alpha == "1e-6" && regime(mechanism).contains(&Subsampled);
            if !(far && regime(mechanism).contains(&AtomsAndDensity)) {
                let mut flags = regime(mechanism);
                flags.push(flag);
                suite.ask(&flags, why, mechanism, alpha);
            }
        }
    }
    for mechanism in [
        "gaussian(sigma=2) * laplace(scale=1)",
        "gaussian(sigma=1) * randomized-response(epsilon=1)^5",
        "discrete-gaussian(sigma2=8)^10 * randomized-response(epsilon=1/4)^10",
    ] {
        for (alpha, flag) in ALPHAS {
            let mut flags = regime(mechanism);
            flags.push(WholeCurve);
            flags.extend(flag);
            suite.ask(&flags, "a point of a whole curve: convex, and its own mirror image", mechanism, alpha);
        }
    }
    suite
}
