//! Amplification by shuffling, noisy gradient descent, and roots of equation (2.4) where nothing fails.

use rug::Rational;

use super::super::ask::{delta, epsilon};
use super::super::check::Check;
use super::super::finite::{Finite, q};
use super::super::record::{Claim, Fault, FaultKind, Paper, Scope};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::error::Error;

const SU: Claim = Claim::of(Paper::Su);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "SU-2.4-unique-printed",
        place: "Equation (2.4)",
        says: "The equation has at most one root.",
        domain: "0 <= delta <= 1, all f",
        check: Check::Computed(two_roots),
        how: "f_{epsilon,0} with e^epsilon = 3/2 and delta = 0: the left side at e^eps = 3/2, 2 and 3, and the \
              distance of the roots",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-10: at delta = 0 with a bounded privacy loss, every epsilon from the largest privacy loss on is \
                   a root",
            corrected: "SU-2.4-root",
        }),
        ..SU
    },
    Claim {
        id: "SU-clones",
        place: "Section 4.3, shuffling (Feldman, McMillan and Talwar 2022, Theorem 3.1)",
        says: "n shuffled epsilon_0-DP reports are (ln(1 + (a-1)/(a+1) (8 sqrt(a ln(4/delta)/n) + 8a/n)), delta)-DP, a \
               = e^epsilon_0, for epsilon_0 <= ln(n/(16 ln(2/delta))).",
        domain: "the pair of the clones of 2022; n in {1000, 10000}, epsilon_0 in {1/2, 1}, delta in {1/1000, 1e-6}",
        check: Check::Computed(|| clones(false)),
        how: "the exact delta of the pair at the epsilon of the formula",
        ..SU
    },
    Claim {
        id: "SU-stronger-clones",
        place: "Section 4.3, shuffling (Feldman, McMillan and Talwar 2023, Theorem 1.1)",
        says: "n shuffled epsilon_0-DP reports are (ln(1 + (a-1) (4 sqrt(2 ln(4/delta)/((a+1) n)) + 4/n)), delta)-DP, \
               a = e^epsilon_0, for epsilon_0 <= ln(n/(8 ln(2/delta)) - 1).",
        domain: "the pair of the stronger clones, which bounds a class of local mechanisms by the erratum of the \
                 authors; n in {1000, 10000}, epsilon_0 in {1/2, 1, 2}, delta in {1/1000, 1e-6}",
        check: Check::Computed(|| clones(true)),
        how: "the exact delta of the pair at the epsilon of the formula",
        ..SU
    },
    Claim {
        id: "SU-cyclic",
        place: "Section 4.2, noisy cyclic gradient descent, Table 1",
        says: "Noisy cyclic gradient descent of 50, 100 and 200 epochs has the epsilons 4.34, 5.60 and 7.58 by f-DP, \
               and 30.51, 49.88 and 83.83 by composition.",
        domain: "40 batches, ratio 2/3, contraction 0.9999, delta = 1e-5",
        scope: Scope::Numbers,
        check: Check::Computed(cyclic),
        how: "the closed forms of shifted interpolation and of composition, against the intervals that round to the \
              printed values",
        ..SU
    },
];

fn two_roots() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let f = Finite::worst(&q(3, 2), &q(0, 1)).tradeoff();
    // The left side of the equation at e^-eps = y, with delta = 0.
    let left = |y: &Rational| f.conjugate(&Rational::from(-y)) + y;
    let is_root = |x: &Rational| left(&x.clone().recip()).is_zero();
    let roots: Vec<Rational> = [q(3, 2), q(2, 1), q(3, 1)].into_iter().filter(is_root).collect();
    let end = |root: Option<&Rational>| root.cloned().unwrap_or_default();
    let (least, most) = (end(roots.first()), end(roots.last()));
    tally.equal(|| format!("x = 3/2, delta = 0: e^eps = {least} and {most} are roots"), &least, &most);
    tally.verdict()
}

fn clones(stronger: bool) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let levels: &[&str] = if stronger { &["1/2", "1", "2"] } else { &["1/2", "1"] };
    for n in ["1000", "10000"] {
        for level in levels {
            for failure in ["1/1000", "1e-6"] {
                let (name, text) = if stronger {
                    ("shuffle", "1 + (exp({e})-1)*(4*sqrt(2*ln(4/({d}))/((exp({e})+1)*{n})) + 4/{n})")
                } else {
                    (
                        "shuffle-clones",
                        "1 + (exp({e})-1)/(exp({e})+1)*(8*sqrt(exp({e})*ln(4/({d}))/{n}) + 8*exp({e})/{n})",
                    )
                };
                let text = text.replace("{e}", level).replace("{d}", failure).replace("{n}", n);
                let exact = delta(&format!("{name}(n={n}, epsilon0={level})"), &format!("ln({text})"))?;
                let promised = super::super::ask::real(failure)?.number(128);
                tally.at_most(|| format!("n = {n}, epsilon_0 = {level}, delta = {failure}"), &exact, &promised);
            }
        }
    }
    tally.verdict()
}

fn cyclic() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for (epochs, composed, interpolated) in [("50", 3051, 434), ("100", 4988, 560), ("200", 8383, 758)] {
        let noisy = format!("noisy-cgd(epochs={epochs}, batches=40, ratio=2/3, contraction=0.9999)");
        for (mechanism, printed) in [(noisy, interpolated), (format!("gdp(mu=2/3)^{epochs}"), composed)] {
            let exact = epsilon(&mechanism, "1e-5")?;
            let (low, high) = (q(10 * printed - 5, 1000), q(10 * printed + 5, 1000));
            tally.at_most(|| format!("{mechanism}, from below"), &low.into(), &exact);
            tally.at_most(|| format!("{mechanism}, from above"), &exact, &high.into());
        }
    }
    Ok(tally.verdict()?.of_nothing_else("the numbers printed"))
}
