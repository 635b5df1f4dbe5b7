//! Suprema of (epsilon, delta), noise with log-concave density, and values at ends.

use rug::Rational;

use super::super::ask::{beta, real};
use super::super::check::{Check, formula_at};
use super::super::finite::{Finite, grid, pairs, q};
use super::super::record::{Claim, Paper, Scope};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use super::tradeoff::above;
use crate::error::Error;
use crate::pair::TradeOff;

const DRS: Claim = Claim::of(Paper::Drs);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DRS-2.8",
        place: "Proposition 2.11",
        says: "(epsilon_i, delta_i)-DP for all i is f-DP with f = sup f_{epsilon_i,delta_i}, a symmetric trade-off \
               function.",
        domain: "the levels e^epsilon in {1, 3/2, 4} with three choices of delta each; pairs of three outcomes with \
                 masses in fifths, 61 alphas",
        check: Check::Computed(supremum),
        how: "the largest of the three functions against the trade-off function of a pair by all tests; privacy by all \
              sets against that function",
        ..DRS
    },
    Claim {
        id: "DRS-2.6-fixed-point",
        place: "Section 2.2, equation (6)",
        says: "The fixed point of G_mu is Phi(-mu/2).",
        domain: "all mu; alpha = Phi(-z) has G_mu(alpha) = Phi(z - mu)",
        check: Check::Identity { of: &["m"], left: "m/2 - m", right: "0 - m/2" },
        how: "z - mu is -z at z = mu/2",
        ..DRS
    },
    Claim {
        id: "DRS-A.3",
        place: "Proposition A.3",
        says: "For noise with a log-concave density T(xi, t + xi)(alpha) = F(F^-1(1-alpha) - t).",
        domain: "Laplace noise, all t >= 0 and alpha; y = e^t, a = alpha",
        scope: Scope::Class("Laplace noise"),
        // 1 - F(z) = a at z = -ln(2a) for a <= 1/2, and F(z) = 1 - a at z = ln(2(1-a)) beyond.
        check: Check::All(&[
            Check::Identity { of: &["y", "a"], left: "1 - (2*a*y)/2", right: "1 - y*a" },
            Check::Identity { of: &["y", "a"], left: "1/(2*a)/y/2", right: "1/(4*a*y)" },
            Check::Identity { of: &["y", "a"], left: "2*(1-a)/y/2", right: "(1-a)/y" },
        ]),
        how: "F(z - t) on the three pieces of F and F^-1 against the three pieces of the trade-off function",
        ..DRS
    },
    Claim {
        id: "DRS-A.3-engine",
        place: "Proposition A.3",
        says: "For noise with a log-concave density T(xi, t + xi)(alpha) = F(F^-1(1-alpha) - t).",
        domain: "Laplace noise, t in {1/2, 1, 3}, alpha in {1/100, 1/5, 2/5, 3/4}",
        check: Check::Computed(log_concave),
        how: "the computed trade-off function of Laplace noise against the formula",
        ..DRS
    },
    Claim {
        id: "DRS-4-edge",
        place: "Section 4.1, the value at alpha = 0",
        says: "C_p(f)(0) = 1 - p (1 - f(0)).",
        domain: "all p and f(0)",
        check: Check::Identity { of: &["p", "f"], left: "p*f + (1-p)*1", right: "1 - p*(1-f)" },
        how: "p f + (1-p) Id at 0",
        ..DRS
    },
    Claim {
        id: "LAP-profile",
        place: "Section 3.2, Laplace noise of shift c",
        says: "The profile is 1 - e^((epsilon-c)/2) for 0 <= epsilon <= c: it is touched where alpha = \
               e^(-(c+epsilon)/2)/2.",
        domain: "all c and epsilon; r = e^(-c/2), w = e^(epsilon/2)",
        check: Check::All(&[
            // On the middle piece e^-c/(4 alpha), whose slope there is -e^epsilon.
            Check::Identity { of: &["r", "w"], left: "1 - w^2*(r/(2*w)) - r^2/(4*(r/(2*w)))", right: "1 - r*w" },
            Check::Identity { of: &["r", "w"], left: "r^2/(4*(r/(2*w))^2)", right: "w^2" },
        ]),
        how: "1 - x alpha - T(alpha) at that alpha, and the slope of T there",
        ..DRS
    },
    Claim {
        id: "LAP-pieces",
        place: "Section 3.2, Laplace noise of shift c",
        says: "1 - e^c alpha, e^-c/(4 alpha) and e^-c (1-alpha) meet at e^-c/2 and at 1/2, with the same slopes.",
        domain: "all c; y = e^c",
        check: Check::All(&[
            Check::Identity { of: &["y"], left: "1 - y*(1/(2*y))", right: "1/(4*y*(1/(2*y)))" },
            Check::Identity { of: &["y"], left: "1/(4*y*(1/(2*y))^2)", right: "y" },
            Check::Identity { of: &["y"], left: "1/(4*y*(1/2))", right: "(1 - 1/2)/y" },
            Check::Identity { of: &["y"], left: "1/(4*y*(1/2)^2)", right: "1/y" },
        ]),
        how: "values and slopes of the pieces at both joints",
        ..DRS
    },
];

fn supremum() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let x = [q(1, 1), q(3, 2), q(4, 1)];
    for deltas in [[q(1, 2), q(1, 5), q(0, 1)], [q(2, 5), q(3, 10), q(1, 10)], [q(1, 3), q(1, 3), q(1, 4)]] {
        let levels: Vec<(Rational, Rational)> = x.iter().cloned().zip(deltas).collect();
        let single: Vec<_> = levels.iter().map(|(x, delta)| Finite::worst(x, delta).tradeoff()).collect();
        let joint = TradeOff::from_profile(&levels)?;
        let pair = joint.representing_pair()?;
        let f = Finite { p: pair.p().to_vec(), q: pair.q().to_vec() }.tradeoff();
        for alpha in grid(60) {
            let largest = single.iter().map(|one| one.at(&alpha)).max().unwrap_or_default();
            tally.equal(|| format!("alpha = {alpha}"), &f.at(&alpha), &largest);
            tally.equal(|| format!("the inverse at alpha = {alpha}"), &f.inverse_at(&alpha), &largest);
        }
        for pair in pairs(3, 5) {
            let each = |(x, delta): &(Rational, Rational)| {
                pair.hockey_stick(x) <= *delta && pair.swapped().hockey_stick(x) <= *delta
            };
            let private = levels.iter().all(each);
            tally.is(|| pair.shown(), private == above(&pair.tradeoff(), &f));
        }
    }
    tally.verdict()
}

fn log_concave() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for t in ["1/2", "1", "3"] {
        for (alpha, upper) in [("1/100", true), ("1/5", true), ("2/5", true), ("3/4", false)] {
            let z = if upper { "0 - ln(2*a)" } else { "ln(2*(1-a))" };
            let at = [("t", t), ("a", alpha)];
            let place = formula_at(&format!("{z} - t"), &at)?;
            let text = if place.sign().is_some_and(|sign| sign.is_lt()) {
                format!("exp({z} - t)/2")
            } else {
                format!("1 - exp(t - ({z}))/2")
            };
            let engine = beta(&format!("laplace(scale=1, sensitivity={})", real(t)?), alpha)?;
            tally.meet(|| format!("t = {t}, alpha = {alpha}"), &engine, &formula_at(&text, &at)?);
        }
    }
    tally.verdict()
}
