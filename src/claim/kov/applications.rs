//! Section 4 and Appendix B: budgets for k queries, and where the printed conditions on noise hold.
//!
//! Gaussian noise of variance sigma^2 on k queries of sensitivity D is `mu`-GDP with `mu^2 = k D^2/sigma^2`, and its
//! exact delta at epsilon is `gauss(mu, eps)`: k and D cancel, and a condition on sigma is a statement on a box.

use super::super::ask::delta;
use super::super::check::Check;
use super::super::record::{Claim, Fault, FaultKind, Paper};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::error::Error;

const KOV: Claim = Claim::of(Paper::Kov);

/// `ln(e + eps/d)`.
const LOG: (&str, &str) = ("L", "ln(exp(1) + eps/d)");

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "KOV-4.1",
        place: "Theorem 4.1",
        says: "If each of k queries is (sqrt(epsilon^2/(4k ln(e + epsilon/delta))), delta/(2k))-DP, all of them are \
               (epsilon, delta)-DP.",
        domain: "0 <= epsilon <= 0.9, 0 < delta <= 1; k = 1 to 10",
        check: Check::All(&[
            // ln(e + (e^L - e)/sqrt(L)) <= L, with y = e^L - e and sqrt(L) = 1 + m.
            Check::Always { where_: &[("E", "e0")], free: &["e0", "y", "m"], left: "E + y/(1+m)", right: "E + y" },
            Check::OnBox { of: &[("eps", "0", "9/10"), ("L", "1", "inf")], left: "eps/(8*L) + sqrt(1/2)", right: "1" },
            // The slack delta/2 and the union of the k deltas, which is at most delta/2 (Bernoulli).
            Check::Always { where_: &[("d", "1/(1+v)")], free: &["v"], left: "1 - (1 - d/2)*(1 - d/2)", right: "d" },
        ]),
        how: "the second branch of Theorem 3.4 at the slack delta/2, divided by epsilon, in L = ln(e + \
              epsilon/delta) >= 1: epsilon/(8L) + sqrt(ln(e + (e^L - e)/sqrt(L))/(2L)) <= 1, whatever k is; for the \
              branch itself see KOV-3.4-second, which has these k",
        ..KOV
    },
    Claim {
        id: "KOV-4.2",
        place: "Theorem 4.2",
        says: "Laplace noise of variance 8 k D^2 ln(e + epsilon/delta)/epsilon^2 is that of Theorem 4.1.",
        domain: "all epsilon, k and D; L = ln(e + epsilon/delta)",
        check: Check::Identity { of: &["k", "D", "L", "eps"], left: "2*D^2/(eps^2/(4*k*L))", right: "8*k*D^2*L/eps^2" },
        how: "twice the square of the scale D/epsilon_0, with the epsilon_0 of Theorem 4.1",
        ..KOV
    },
    Claim {
        id: "KOV-4.2-exact",
        place: "Theorem 4.2",
        says: "Laplace noise of variance 8 k D^2 ln(e + epsilon/delta)/epsilon^2 on k queries is (epsilon, delta)-DP.",
        domain: "k in {1, 2, 5, 10}, epsilon in {1/10, 9/10}, delta in {1/10, 1/1000, 1e-6}",
        check: Check::Computed(laplace),
        how: "the exact delta of the composed Laplace mechanisms",
        ..KOV
    },
    Claim {
        id: "KOV-4.3-printed",
        place: "Theorem 4.3",
        says: "Gaussian noise of variance 8 k D^2 ln(e + epsilon/delta)/epsilon^2 on k queries is (epsilon, delta)-DP.",
        domain: "any epsilon > 0, 0 < delta <= 1",
        with: &[LOG],
        check: Check::AtPoints {
            of: &["eps", "d"],
            // At this delta it fails from the least epsilon on, 83.045365...
            at: &[&["1", "0.4934"], &["10", "0.4934"], &["83.04", "0.4934"], &["83.05", "0.4934"]],
            left: "gauss(eps/sqrt(8*L), eps)",
            right: "d",
        },
        how: "the exact Gaussian profile",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-1: it fails for large epsilon, at delta = 0.4934 from 83.0453... on",
            corrected: "KOV-4.3",
        }),
        ..KOV
    },
    Claim {
        id: "KOV-4.3",
        place: "Theorem 4.3",
        says: "Gaussian noise of variance 8 k D^2 ln(e + epsilon/delta)/epsilon^2 on k queries is (epsilon, delta)-DP.",
        domain: "1/1000 <= epsilon <= 50, 1/1000000 <= delta <= 1, all k",
        with: &[LOG],
        check: Check::OnBox {
            of: &[("eps", "1/1000", "50"), ("d", "1/1000000", "1")],
            left: "gauss(eps/sqrt(8*L), eps)/d",
            right: "1",
        },
        how: "branch and bound on the exact Gaussian profile",
        ..KOV
    },
    Claim {
        id: "KOV-4.3-83",
        place: "Theorem 4.3",
        says: "The theorem still holds at epsilon = 83.",
        domain: "twelve points with 60 <= epsilon <= 83, 0.01 <= delta <= 0.99",
        with: &[LOG],
        check: Check::AtPoints {
            of: &["eps", "d"],
            at: &[
                &["60", "0.49"],
                &["70", "0.49"],
                &["80", "0.49"],
                &["83", "0.01"],
                &["83", "0.1"],
                &["83", "0.3"],
                &["83", "0.45"],
                &["83", "0.4934"],
                &["83", "0.5"],
                &["83", "0.6"],
                &["83", "0.9"],
                &["83", "0.99"],
            ],
            left: "gauss(eps/sqrt(8*L), eps)",
            right: "d",
        },
        how: "the exact Gaussian profile",
        ..KOV
    },
    Claim {
        id: "KOV-B-printed",
        place: "Appendix B",
        says: "sigma^2 >= 4 k D^2 ln(e + epsilon/delta)/epsilon^2 and sigma^2 >= k D^2/(4 epsilon) give (epsilon, \
               delta)-DP.",
        domain: "any epsilon > 0, 0 < delta <= 1",
        with: &[LOG],
        check: Check::AtPoints {
            of: &["eps", "d"],
            // At this delta it fails from the least epsilon on, 34.662132...
            at: &[&["1", "0.2964"], &["10", "0.2964"], &["34.66", "0.2964"], &["34.67", "0.2964"]],
            left: "gauss(min(eps/sqrt(4*L), sqrt(4*eps)), eps)",
            right: "d",
        },
        how: "the exact Gaussian profile",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-2: it fails for large epsilon, at delta = 0.2964 from 34.6621... on",
            corrected: "KOV-B",
        }),
        ..KOV
    },
    Claim {
        id: "KOV-B",
        place: "Appendix B",
        says: "sigma^2 >= 4 k D^2 ln(e + epsilon/delta)/epsilon^2 and sigma^2 >= k D^2/(4 epsilon) give (epsilon, \
               delta)-DP.",
        domain: "1/1000 <= epsilon <= 20, 1/1000000 <= delta <= 1, all k",
        with: &[LOG],
        check: Check::OnBox {
            of: &[("eps", "1/1000", "20"), ("d", "1/1000000", "1")],
            left: "gauss(min(eps/sqrt(4*L), sqrt(4*eps)), eps)/d",
            right: "1",
        },
        how: "branch and bound on the exact Gaussian profile",
        ..KOV
    },
    Claim {
        id: "KOV-B-first",
        place: "Appendix B, the sufficient condition",
        says: "Gaussian noise with epsilon >= mu^2/2 + sqrt(2 mu^2 ln(e + mu/delta)), mu^2 = k D^2/sigma^2, is \
               (epsilon, delta)-DP.",
        domain: "1/100 <= mu <= 8, 1/10000 <= delta <= 1",
        check: Check::OnBox {
            of: &[("mu", "1/100", "8"), ("d", "1/10000", "1")],
            left: "gauss(mu, mu^2/2 + mu*sqrt(2*ln(exp(1) + mu/d)))/d",
            right: "1",
        },
        how: "branch and bound on the exact Gaussian profile",
        ..KOV
    },
    Claim {
        id: "KOV-4-classical-printed",
        place: "Section 4.1, the classical condition",
        says: "sigma^2 >= 2 D^2 ln(2/delta)/epsilon^2 gives (epsilon, delta)-DP.",
        domain: "any epsilon > 0, 0 < delta < 1",
        check: Check::AtPoints {
            of: &["eps", "d"],
            // At this delta it fails from the least epsilon on, 6.367674...
            at: &[&["1", "0.5999"], &["6", "0.5999"], &["6.367", "0.5999"], &["6.368", "0.5999"]],
            left: "gauss(eps/sqrt(2*ln(2/d)), eps)",
            right: "d",
        },
        how: "the exact Gaussian profile",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-3: it fails for large epsilon, at delta = 0.5999 from 6.3676... on",
            corrected: "KOV-4-classical",
        }),
        ..KOV
    },
    Claim {
        id: "KOV-4-classical",
        place: "Section 4.1, the classical condition",
        says: "sigma^2 >= 2 D^2 ln(2/delta)/epsilon^2 gives (epsilon, delta)-DP.",
        domain: "1/1000 <= epsilon <= 6, 1/1000000 <= delta <= 9/10",
        check: Check::OnBox {
            of: &[("eps", "1/1000", "6"), ("d", "1/1000000", "9/10")],
            left: "gauss(eps/sqrt(2*ln(2/d)), eps)/d",
            right: "1",
        },
        how: "branch and bound on the exact Gaussian profile",
        ..KOV
    },
];

fn laplace() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for k in [1, 2, 5, 10] {
        for eps in ["1/10", "9/10"] {
            for d in ["1/10", "1/1000", "1e-6"] {
                // The scale is D/epsilon_0 = 2 sqrt(k ln(e + epsilon/delta))/epsilon, with D = 1.
                let mechanism = format!("laplace(scale=2*sqrt({k}*ln(exp(1) + {eps}/({d})))/({eps}))^{k}");
                let exact = delta(&mechanism, eps)?;
                let promised = super::super::ask::real(d)?.number(128);
                tally.at_most(|| format!("k = {k}, epsilon = {eps}, delta = {d}"), &exact, &promised);
            }
        }
    }
    tally.verdict()
}
