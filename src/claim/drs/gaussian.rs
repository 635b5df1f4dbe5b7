//! Sections 2.2 and 3: Gaussian trade-off functions.

use super::super::ask::{beta, delta, delta_by};
use super::super::check::{Check, formula_at};
use super::super::record::{Claim, Paper, Scope};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::compose::Method;
use crate::error::Error;

const DRS: Claim = Claim::of(Paper::Drs);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DRS-2.13",
        place: "Corollary 2.13",
        says: "mu-GDP is (epsilon, Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2))-DP, exactly.",
        domain: "all mu > 0 and epsilon; y = epsilon/mu + mu/2",
        check: Check::All(&[
            Check::Identity { of: &["e", "m"], left: "(e/m+m/2)^2/2 - (e/m+m/2-m)^2/2", right: "e" },
            Check::Identity { of: &["e", "m"], left: "e/m + m/2 - m", right: "e/m - m/2" },
            Check::Identity { of: &["m", "y", "u"], left: "((y+u)^2 - (y+u-m)^2 - y^2 + (y-m)^2)/2", right: "m*u" },
        ]),
        how: "the log-ratio of N(mu,1) to N(0,1) grows by mu u over a distance u, and is epsilon at y: the best set \
              is all beyond y (Neyman and Pearson), where the masses are Phi(mu - y) and Phi(-y)",
        ..DRS
    },
    Claim {
        id: "DRS-2.13-engine",
        place: "Corollary 2.13",
        says: "mu-GDP is (epsilon, Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2))-DP, exactly.",
        domain: "mu in {1/2, 1, 3}, epsilon in {0, 1/2, 1, 5}",
        check: Check::Computed(profile),
        how: "the printed formula against a contour integral of the moment generating function",
        ..DRS
    },
    Claim {
        id: "DRS-2.13-optimal",
        place: "Corollary 2.13",
        says: "The test that gives the profile rejects from z = epsilon/mu + mu/2 on: there the likelihood ratio is \
               e^epsilon.",
        domain: "all mu and epsilon",
        check: Check::Identity { of: &["mu", "eps"], left: "mu*(eps/mu + mu/2) - mu^2/2", right: "eps" },
        how: "the logarithm of the ratio of both densities at z",
        ..DRS
    },
    Claim {
        id: "DRS-2.13-small",
        place: "Corollary 2.13",
        says: "The profile at epsilon = 0, 2 Phi(mu/2) - 1, is at most mu/sqrt(2 pi).",
        domain: "0 <= mu <= 50",
        check: Check::OnBox { of: &[("mu", "0", "50")], left: "2*Phi(mu/2) - 1", right: "mu*rtp()" },
        how: "branch and bound; both sides touch at 0, where the third derivative decides",
        ..DRS
    },
    Claim {
        id: "DRS-2.6",
        place: "Section 2.2, equation (6)",
        says: "G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu): with alpha = Phi(-z) it is Phi(z - mu).",
        domain: "all mu >= 0 and z",
        check: Check::Identity { of: &["m", "z", "u"], left: "((z+u)^2 - (z+u-m)^2 - z^2 + (z-m)^2)/2", right: "m*u" },
        how: "the log-ratio of N(mu,1) to N(0,1) grows by mu u over a distance u, so that the best tests reject \
              beyond some z (Neyman and Pearson): their errors are Phi(-z) and Phi(z - mu)",
        ..DRS
    },
    Claim {
        id: "DRS-2.6-engine",
        place: "Section 2.2, equation (6)",
        says: "G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu): with alpha = Phi(-z) it is Phi(z - mu).",
        domain: "mu in {1/2, 1, 3}, alpha = 1/2, where z = 0",
        check: Check::Computed(half),
        how: "the computed trade-off function of Gaussian noise against the formula",
        ..DRS
    },
    Claim {
        id: "DRS-Fig3",
        place: "Figure 3, right",
        says: "The fixed points of G_3 and G_6 are 0.07 and 0.001 (as rounded).",
        domain: "mu = 3 and mu = 6",
        scope: Scope::Numbers,
        check: Check::Figures(&[
            Check::AtPoints { of: &[], at: &[&[]], left: "0.065", right: "Phi(0-3/2)" },
            Check::AtPoints { of: &[], at: &[&[]], left: "Phi(0-3/2)", right: "0.075" },
            Check::AtPoints { of: &[], at: &[&[]], left: "0.0005", right: "Phi(0-3)" },
            Check::AtPoints { of: &[], at: &[&[]], left: "Phi(0-3)", right: "0.0015" },
        ]),
        how: "Phi(-mu/2) lies in the intervals that round to the printed values",
        ..DRS
    },
    Claim {
        id: "DRS-3.3",
        place: "Corollary 3.3",
        says: "G_{mu_1} (x) ... (x) G_{mu_n} = G_mu with mu = sqrt(mu_1^2 + ... + mu_n^2).",
        domain: "all mu_1 = a and mu_2 = b, as a = m (1-t^2)/(1+t^2) and b = 2 m t/(1+t^2); more of them one by one",
        with: &[("a", "m*(1-t^2)/(1+t^2)"), ("b", "2*m*t/(1+t^2)")],
        check: Check::All(&[
            Check::Identity { of: &["m", "t"], left: "a^2 + b^2", right: "m^2" },
            Check::Identity {
                of: &["m", "t", "y", "w"],
                left: "((a*y+b*w)/m)^2 + ((a*w-b*y)/m)^2",
                right: "y^2 + w^2",
            },
            Check::Identity {
                of: &["m", "t", "y", "w"],
                left: "((a*y+b*w)/m - m)^2 + ((a*w-b*y)/m)^2",
                right: "(y-a)^2 + (w-b)^2",
            },
        ]),
        how: "turned so that the shift lies along one axis, both densities of the product are those of N(0,1) and \
              N(m,1), times one that is the same",
        ..DRS
    },
    Claim {
        id: "DRS-3.3-engine",
        place: "Corollary 3.3",
        says: "G_{mu_1} (x) ... (x) G_{mu_n} = G_mu with mu = sqrt(mu_1^2 + ... + mu_n^2).",
        domain: "(0.3, 0.4, 1.2) -> 1.3 and (1, 2, 2) -> 3; epsilon in {0, 1, 3}",
        check: Check::Computed(composition),
        how: "a contour integral of the product of the three moment generating functions against the formula",
        ..DRS
    },
    Claim {
        id: "DRS-3.3-exponents",
        place: "Corollary 3.3",
        says: "Log-ratios of Gaussian pairs are normal with mean mu^2/2 and variance mu^2: both add.",
        domain: "all mu_1 and mu_2",
        check: Check::Identity {
            of: &["a", "b", "t"],
            left: "(t*a^2/2 + t^2*a^2/2) + (t*b^2/2 + t^2*b^2/2)",
            right: "t*(a^2+b^2)/2 + t^2*(a^2+b^2)/2",
        },
        how: "the logarithms of the moment generating functions, in t",
        ..DRS
    },
    Claim {
        id: "DRS-2.14-gdp",
        place: "Theorem 2.14 for Gaussian noise",
        says: "1 - (1 - G_mu)^(o k) = G_{k mu}.",
        domain: "all mu, k and alpha = Phi(-z)",
        check: Check::Identity { of: &["z", "m", "k"], left: "(z - k*m) - m", right: "z - (k+1)*m" },
        how: "one step 1 - G_mu takes Phi(-z) to Phi(mu - z) (DRS-2.6), and k of them to Phi(k mu - z), which is 1 - \
              G_{k mu}: by induction",
        ..DRS
    },
    Claim {
        id: "DRS-2.14-gdp-engine",
        place: "Theorem 2.14 for Gaussian noise",
        says: "1 - (1 - G_mu)^(o k) = G_{k mu}.",
        domain: "mu in {1/2, 1}, k in {2, 3}; alpha = 1/2, epsilon = 1",
        check: Check::Computed(groups),
        how: "k steps of 1 - G_mu map Phi(-z) to Phi(k mu - z); the computed values for Gaussian noise of sensitivity \
              k mu",
        ..DRS
    },
];

const PROFILE: &str = "Phi(mu/2 - e/mu) - exp(e)*Phi(0 - mu/2 - e/mu)";

fn profile() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for mu in ["1/2", "1", "3"] {
        for epsilon in ["0", "1/2", "1", "5"] {
            let printed = formula_at(PROFILE, &[("mu", mu), ("e", epsilon)])?;
            let contour = delta_by(Method::Quadrature, &format!("gdp(mu={mu})"), epsilon)?;
            tally.meet(|| format!("mu = {mu}, epsilon = {epsilon}"), &printed, &contour);
        }
    }
    tally.verdict()
}

fn half() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for mu in ["1/2", "1", "3"] {
        let printed = formula_at("Phi(0-mu)", &[("mu", mu)])?;
        tally.meet(|| format!("mu = {mu}"), &printed, &beta(&format!("gaussian(sigma=1, sensitivity={mu})"), "1/2")?);
    }
    tally.verdict()
}

fn composition() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for (parts, mu) in [(["0.3", "0.4", "1.2"], "1.3"), (["1", "2", "2"], "3")] {
        let all: Vec<String> = parts.iter().map(|part| format!("gdp(mu={part})")).collect();
        for epsilon in ["0", "1", "3"] {
            let printed = formula_at(PROFILE, &[("mu", mu), ("e", epsilon)])?;
            let contour = delta_by(Method::Quadrature, &all.join(" * "), epsilon)?;
            tally.meet(|| format!("mu = {mu}, epsilon = {epsilon}"), &printed, &contour);
        }
    }
    tally.verdict()
}

/// `1 - G_mu` takes `Phi(-z)` to `Phi(mu - z)`: k times, and 1 less that, is `Phi(z - k mu)`, which the engine has to
/// say of sensitivity k. The point z = 0 is the one with a rational alpha.
fn groups() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for mu in ["1/2", "1"] {
        for k in ["2", "3"] {
            let printed = formula_at("Phi(0 - k*mu)", &[("mu", mu), ("k", k)])?;
            let engine = beta(&format!("gaussian(sigma=1, sensitivity={k}*{mu})"), "1/2")?;
            tally.meet(|| format!("mu = {mu}, k = {k}"), &printed, &engine);
            let printed = formula_at("gauss(k*mu, 1)", &[("mu", mu), ("k", k)])?;
            let engine = delta(&format!("gaussian(sigma=1, sensitivity={k}*{mu})"), "1")?;
            tally.meet(|| format!("mu = {mu}, k = {k}, epsilon = 1"), &printed, &engine);
        }
    }
    tally.verdict()
}
