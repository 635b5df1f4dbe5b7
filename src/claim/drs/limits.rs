//! Section 3.2: functionals, the Berry-Esseen bound, and its closed forms.

use super::super::ask::{beta, real};
use super::super::check::Check;
use super::super::record::{Claim, Paper, Scope};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use super::berry_esseen;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::theorem::rate;
use enclosure::{Budget, Number};

/// Working bits of the bounds.
const BITS: u32 = 120;

const DRS: Claim = Claim::of(Paper::Drs);

/// `tanh(eps/2)` in x.
const T: (&str, &str) = ("t", "(x-1)/(x+1)");

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DRS-func-kl",
        place: "Section 3.2, functionals of f_{epsilon,0}",
        says: "kl(f_{epsilon,0}) = epsilon tanh(epsilon/2).",
        domain: "all epsilon",
        with: &[T],
        check: Check::Identity { of: &["x", "e"], left: "e*x/(1+x) - e/(1+x)", right: "e*t" },
        how: "the mean of the two losses",
        ..DRS
    },
    Claim {
        id: "DRS-func-kappa",
        place: "Section 3.2, functionals of f_{epsilon,0}",
        says: "kappa_2(f_{epsilon,0}) = epsilon^2 and kappa_3(f_{epsilon,0}) = epsilon^3.",
        domain: "all epsilon",
        check: Check::All(&[
            Check::Identity { of: &["x", "e"], left: "e^2*x/(1+x) + (0-e)^2/(1+x)", right: "e^2" },
            Check::Identity { of: &["x", "e"], left: "e^3*x/(1+x) - (0-e)^3/(1+x)", right: "e^3" },
        ]),
        how: "moments of the two losses",
        ..DRS
    },
    Claim {
        id: "DRS-func-kappa3bar",
        place: "Section 3.2, functionals of f_{epsilon,0}",
        says: "The centred third absolute moment of f_{epsilon,0} is epsilon^3 (1 - tanh^4(epsilon/2)).",
        domain: "all epsilon",
        with: &[T],
        check: Check::Identity {
            of: &["x", "e"],
            left: "(e - e*t)^3*x/(1+x) + (e + e*t)^3/(1+x)",
            right: "e^3*(1 - t^4)",
        },
        how: "the two losses less their mean, whose signs are known",
        ..DRS
    },
    Claim {
        id: "DRS-func-gauss",
        place: "Section 3.2, functionals of G_mu",
        says: "kl(G_mu) = mu^2/2 and kappa_2(G_mu) = mu^2 + mu^4/4.",
        domain: "all mu; Z2 = E Z^2 = 1",
        check: Check::All(&[
            Check::Identity { of: &["mu", "z"], left: "mu*z - mu^2/2 + mu^2", right: "mu*z + mu^2/2" },
            Check::Identity { of: &["mu"], left: "(mu^2/2)^2 + mu^2*1", right: "mu^2 + mu^4/4" },
        ]),
        how: "the log-ratio at z + mu is mu z + mu^2/2; its moments under a standard normal z",
        ..DRS
    },
    Claim {
        id: "DRS-func-gauss3",
        place: "Section 3.2, functionals of G_mu",
        says: "The centred third absolute moment of G_mu is mu^3 sqrt(8/pi).",
        domain: "all mu",
        check: Check::All(&[
            // The derivative over phi, and the square of 4/sqrt(2 pi).
            Check::Identity { of: &["z"], left: "(z^2+2)*z - 2*z", right: "z^3" },
            Check::Identity { of: &["pi"], left: "4^2/(2*pi)", right: "8/pi" },
        ]),
        how: "-(z^2+2) phi(z) has the derivative z^3 phi(z), so E|Z|^3 = 4 phi(0) = 4/sqrt(2 pi) = sqrt(8/pi)",
        ..DRS
    },
    Claim {
        id: "DRS-func-laplace-kl",
        place: "Section 3.2, functionals of Laplace noise",
        says: "kl of Laplace noise of shift c is c + e^-c - 1.",
        domain: "all c > 0",
        // The integral of e^-t (c - 2t) over [0, c] is c (1-y) - 2 (1 - (1+c) y), y = e^-c.
        check: Check::Identity {
            of: &["c", "y"],
            left: "c/2 + (c*(1-y) - 2*(1 - (1+c)*y))/2 - c*y/2",
            right: "c + y - 1",
        },
        how: "the mean loss as the sum of two atoms and an integral, y = e^-c",
        ..DRS
    },
    Claim {
        id: "DRS-func-laplace-kl-engine",
        place: "Section 3.2, functionals of Laplace noise",
        says: "kl of Laplace noise of shift c is c + e^-c - 1.",
        domain: "c in {1/2, 1, 3}",
        check: Check::Computed(laplace_kl),
        how: "the formula against the computed divergences",
        ..DRS
    },
    Claim {
        id: "DRS-3.4-mu",
        place: "Theorem 3.4 for f_{epsilon,0}",
        says: "mu = 2 ||kl||_1/sqrt(V) is 2 sqrt(n) sinh(epsilon/2).",
        domain: "all epsilon and n",
        with: &[T],
        check: Check::Identity {
            of: &["x", "e", "n"],
            left: "(2*n*e*t)^2/(n*(e^2 - (e*t)^2))",
            right: "4*n*(x-1)^2/(4*x)",
        },
        how: "squares, with 4 sinh^2(epsilon/2) = (x-1)^2/x",
        ..DRS
    },
    Claim {
        id: "DRS-3.4-gamma",
        place: "Theorem 3.4 for f_{epsilon,0}",
        says: "gamma = 0.56 ||kappa3bar||_1/V^(3/2) is 0.56 cosh(epsilon)/(sqrt(n) cosh(epsilon/2)).",
        domain: "all epsilon and n",
        with: &[T],
        check: Check::Identity {
            of: &["x", "e", "n"],
            left: "0.56^2*(n*e^3*(1-t^4))^2/(n*(e^2 - (e*t)^2))^3",
            right: "0.56^2*((x^2+1)/(2*x))^2/(n*(x+1)^2/(4*x))",
        },
        how: "squares, with cosh(epsilon) = (x^2+1)/(2x) and cosh^2(epsilon/2) = (x+1)^2/(4x)",
        ..DRS
    },
    Claim {
        id: "DRS-3.4-never-at-one",
        place: "Theorem 3.4",
        says: "For n = 1 the hypothesis gamma < 1/2 never holds: gamma >= 0.56 (E-23).",
        domain: "f_{epsilon,0}, all epsilon; y = e^(epsilon/2)",
        scope: Scope::Class("f_{epsilon,0}"),
        check: Check::Always { where_: &[("y", "1+u")], free: &["u"], left: "(y + 1/y)/2", right: "(y^2 + 1/y^2)/2" },
        how: "cosh(epsilon/2) <= cosh(epsilon), by signs of coefficients",
        ..DRS
    },
    Claim {
        id: "DRS-3.4",
        place: "Theorem 3.4",
        says: "G_mu(alpha + gamma) - gamma <= f_{epsilon,0}^(x) n (alpha) <= G_mu(alpha - gamma) + gamma.",
        domain: "(epsilon, n) in {(1/10, 100), (1/2, 64), (1, 100), (2, 400)}, all alpha",
        scope: Scope::Class("f_{epsilon,0}, four compositions"),
        check: Check::Computed(berry_esseen::everywhere),
        how: "exact values of the composition and of G_mu moved by gamma, at both ends of parts on which all are \
              monotone",
        ..DRS
    },
    Claim {
        id: "DRS-3.4-informal",
        place: "Theorem 3.4, against the review's mu = 2 sum kl/sqrt(sum kappa_2)",
        says: "Omitting the square of kl makes mu smaller: 2 sqrt(n) tanh(epsilon/2) <= 2 sqrt(n) sinh(epsilon/2).",
        domain: "all epsilon >= 0; y = e^(epsilon/2)",
        check: Check::Always { where_: &[("y", "1+u")], free: &["u"], left: "(y^2-1)/(y^2+1)", right: "(y^2-1)/(2*y)" },
        how: "both functions in y, by signs of coefficients",
        ..DRS
    },
    Claim {
        id: "DRS-3.6",
        place: "Theorem 3.6",
        says: "G_mu (x) f_{0,1-e^-delta} at alpha is e^-delta G_mu(e^delta alpha).",
        domain: "all mu, delta and alpha; y = e^delta",
        check: Check::All(&[
            Check::Identity { of: &["y"], left: "1 - (1 - 1/y)", right: "1/y" },
            Check::Identity { of: &["y", "a"], left: "a/(1 - (1 - 1/y))", right: "y*a" },
        ]),
        how: "(1-d) f(alpha/(1-d)) with d = 1 - e^-delta, by DRS-3.1-scaling",
        ..DRS
    },
    Claim {
        id: "DRS-3.6-engine",
        place: "Theorem 3.6",
        says: "G_mu (x) f_{0,1-e^-delta} at alpha is e^-delta G_mu(e^delta alpha).",
        domain: "mu = 1, delta in {1/10, 1}, alpha = e^-delta/2 and e^-delta/10",
        check: Check::Computed(limit_curve),
        how: "the composition of gdp and (0, delta) against Gaussian trade-off functions",
        ..DRS
    },
    Claim {
        id: "DRS-3.7",
        place: "Theorem 3.7",
        says: "With epsilon = mu/sqrt(n): G_mu(alpha + c/n) - c/n <= f_{epsilon,0}^(x) n (alpha) <= G_mu(alpha - c/n) \
               + c/n, with c below 1 from n = 10 on at mu = 1, where the distance itself is below 0.13/n.",
        domain: "mu = 1, n in {10, 40, 160}, alpha in {1/20, 1/4, 1/2, 3/4}",
        check: Check::Computed(near),
        how: "exact values of the composition between the bounds with the c of proofs/paper/limit-theorems.md, and \
              beside those of G_1",
        ..DRS
    },
];

fn laplace_kl() -> Result<Verdict, Error> {
    use super::super::ask::divergence;
    use super::super::check::formula_at;
    use crate::query::Quantity;
    let mut tally = Tally::default();
    for c in ["1/2", "1", "3"] {
        let engine = divergence(Quantity::Kl, &format!("laplace(scale=1, sensitivity={c})"))?;
        tally.meet(|| format!("c = {c}"), &engine, &formula_at("c + expm1(0-c)", &[("c", c)])?);
    }
    tally.verdict()
}

fn limit_curve() -> Result<Verdict, Error> {
    use super::super::check::formula_at;
    let mut tally = Tally::default();
    for delta in ["1/10", "1"] {
        let mechanism = format!("gaussian(sigma=1) * approx-dp(epsilon=0, delta=1-exp(-{delta}))");
        for share in ["2", "10"] {
            let composed = beta(&mechanism, &format!("exp(-{delta})/{share}"))?;
            let scale = formula_at("exp(0-d)", &[("d", delta)])?;
            let printed = &scale * &beta("gaussian(sigma=1)", &format!("1/{share}"))?;
            tally.meet(|| format!("delta = {delta}, alpha = e^-delta/{share}"), &composed, &printed);
        }
    }
    tally.verdict()
}

fn near() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let budget = Budget::default();
    for n in [10_u32, 40, 160] {
        let most = Number::Exact(rug::Rational::from((13, 100 * n)));
        let mechanism = format!("randomized-response(epsilon=1/sqrt({n}))^{n}");
        let (bounds, c) = rate::bounds(&Composition::parse(&mechanism)?, BITS)?;
        tally.at_most(|| format!("c at n = {n}"), &Number::Enclosed(c), &Number::one());
        for alpha in ["1/20", "1/4", "1/2", "3/4"] {
            let exact = beta(&mechanism, alpha)?;
            let [low, high] = bounds.beta(&real(alpha)?, BITS, &budget)?.map(Number::Enclosed);
            tally.at_most(|| format!("from below, n = {n}, alpha = {alpha}"), &low, &exact);
            tally.at_most(|| format!("from above, n = {n}, alpha = {alpha}"), &exact, &high);
            let off = exact - beta("gaussian(sigma=1)", alpha)?;
            tally.at_most(|| format!("n = {n}, alpha = {alpha}"), &off, &most);
            tally.at_most(|| format!("n = {n}, alpha = {alpha}"), &-&off, &most);
        }
    }
    tally.verdict()
}
