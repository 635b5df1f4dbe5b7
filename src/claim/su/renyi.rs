//! Section 2: what Renyi divergences do not see.

use super::super::check::{Check, formula_at};
use super::super::record::{Claim, Paper, Scope};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::error::Error;

const SU: Claim = Claim::of(Paper::Su);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "SU-2.2-renyi",
        place: "Proposition 2.2, first part",
        says: "For every g > 1 the Renyi divergence g epsilon^2/2 of N(0,1) and N(epsilon,1) is not below that of \
               Bernoulli x/(1+x) and 1/(1+x), ln(cosh((2g-1) epsilon/2)/cosh(epsilon/2))/(g-1).",
        domain: "all epsilon >= 0, g > 1",
        check: Check::All(&[
            // With y from epsilon/2 to (2g-1) epsilon/2: ln cosh y - y^2/2 falls, for its derivative is tanh y - y.
            Check::OnBox { of: &[("y", "0", "inf")], left: "tanh(y)", right: "y" },
            Check::Identity { of: &["g", "e"], left: "((2*g-1)*e/2)^2/2 - (e/2)^2/2", right: "(g-1)*(g*e^2/2)" },
            // The sum p^g q^(1-g) over both outcomes, in y = e^(epsilon/2) and w = e^((2g-1) epsilon/2).
            Check::Identity { of: &["y", "w"], left: "(w*y + y/w)/(1+y^2)", right: "((w+1/w)/2)/((y+1/y)/2)" },
        ]),
        how: "ln cosh y - y^2/2 falls, by branch and bound on its derivative, which vanishes at 0; the difference of \
              its values at both ends is (g-1) times that of the divergences",
        ..SU
    },
    Claim {
        id: "SU-2.2-renyi-engine",
        place: "Proposition 2.2, first part",
        says: "The Renyi divergence of randomised response is ln(cosh((2g-1) epsilon/2)/cosh(epsilon/2))/(g-1).",
        domain: "epsilon in {1/2, 1, 3}, g in {3/2, 2, 10}",
        check: Check::Computed(renyi),
        how: "the formula against the computed divergences",
        ..SU
    },
    Claim {
        id: "SU-2.2-tv",
        place: "Proposition 2.2, second part",
        says: "The total variation 2 Phi(epsilon/2) - 1 of the Gaussian pair is at most tanh(epsilon/2), that of the \
               Bernoulli pair.",
        domain: "0 <= epsilon <= 4.8113",
        check: Check::OnBox { of: &[("e", "0", "48113/10000")], left: "2*Phi(e/2) - 1", right: "tanh(e/2)" },
        how: "branch and bound; both sides touch at 0, where the first derivative decides",
        ..SU
    },
    Claim {
        id: "SU-2.2-range",
        place: "Proposition 2.2, second part",
        says: "The total variation of the Gaussian pair is at least that of the Bernoulli pair (E-12).",
        domain: "4.8114 <= epsilon <= 12",
        check: Check::OnBox { of: &[("e", "48114/10000", "12")], left: "tanh(e/2)", right: "2*Phi(e/2) - 1" },
        how: "branch and bound",
        ..SU
    },
    Claim {
        id: "SU-2.2-root",
        place: "Proposition 2.2, second part",
        says: "Both total variations are equal at some epsilon between 4.811388139035112964931476 and \
               4.811388139035112964931477 (E-12).",
        domain: "both ends",
        scope: Scope::Numbers,
        check: Check::Figures(&[
            Check::AtPoints {
                of: &["e"],
                at: &[&["4.811388139035112964931476"]],
                left: "2*Phi(e/2) - 1",
                right: "tanh(e/2)",
            },
            Check::AtPoints {
                of: &["e"],
                at: &[&["4.811388139035112964931477"]],
                left: "tanh(e/2)",
                right: "2*Phi(e/2) - 1",
            },
        ]),
        how: "both numbers at both ends, and continuity",
        ..SU
    },
    Claim {
        id: "SU-2.2-one",
        place: "Proposition 2.2, second part",
        says: "epsilon = 1 suffices: 0.38292... < 0.46211...",
        domain: "epsilon = 1",
        scope: Scope::Numbers,
        check: Check::Figures(&[
            Check::AtPoints { of: &[], at: &[&[]], left: "2*Phi(1/2) - 1", right: "0.38293" },
            Check::AtPoints { of: &[], at: &[&[]], left: "0.46211", right: "tanh(1/2)" },
        ]),
        how: "both numbers, certified",
        ..SU
    },
];

fn renyi() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for epsilon in ["1/2", "1", "3"] {
        for order in ["3/2", "2", "10"] {
            let printed = formula_at("ln(cosh((2*g-1)*e/2)/cosh(e/2))/(g-1)", &[("e", epsilon), ("g", order)])?;
            let engine = super::super::ask::renyi(&format!("randomized-response(epsilon={epsilon})"), order)?;
            tally.meet(|| format!("epsilon = {epsilon}, g = {order}"), &printed, &engine);
        }
    }
    tally.verdict()
}
