//! Blackwell's converse, regions by likelihood ratios, and what a protocol of another kind decides.

use rug::Rational;

use super::super::check::{Check, on_box};
use super::super::drs::above;
use super::super::finite::{Finite, grid, pairs, q};
use super::super::record::{Claim, Paper};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::error::Error;
use crate::order::Channel;
use crate::pair::FinitePair;
use enclosure::Number;

const KOV: Claim = Claim::of(Paper::Kov);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "KOV-2.5",
        place: "Theorem 2.5 (Blackwell), also Theorem 2.10 of Dong, Roth and Su",
        says: "If T(P, Q) <= T(P', Q'), some post-processing maps P to P' and Q to Q'.",
        domain: "(P, Q) of three outcomes with masses in quarters, (P', Q') of two with masses in fifths",
        check: Check::Computed(blackwell),
        how: "both trade-off functions by all tests; the stochastic matrix, multiplied with both distributions",
        ..KOV
    },
    Claim {
        id: "KOV-6.1",
        place: "Remark 6.1",
        says: "If P and Q are exchanged by a permutation of the outcomes, the region is the intersection of R(e, d(e)) \
               over the log-likelihood ratios e >= 0 that occur, d(e) = max over S of P(S) - x Q(S).",
        domain: "products of pairs of two outcomes with masses in sixths and of the same pairs swapped, 61 alphas",
        check: Check::Computed(by_ratios),
        how: "the trade-off function by all tests against the largest of the f_{e,d(e)}, d(e) by all sets",
        ..KOV
    },
    Claim {
        id: "KOV-3.5-second",
        place: "Theorem 3.5, second branch",
        says: "Two mechanisms that are (epsilon_1, 0)-DP and (epsilon_2, 0)-DP compose to (M + sqrt(2 S_2 ln(e + \
               sqrt(S_2)/d)), d)-DP, M = sum of epsilon_l (x_l-1)/(x_l+1), S_2 = sum of epsilon_l^2.",
        domain: "epsilon_2 <= epsilon_1 <= 40, all d > 0",
        check: Check::Computed(second_branch),
        how: "branch and bound over epsilon_1, r = epsilon_2/epsilon_1 and u = sqrt(2 ln(e + sqrt(S_2)/d)): with 1 - \
              e^-y <= y the exact delta is at most epsilon_1 times a sum that is at most d/epsilon_1",
        ..KOV
    },
    Claim {
        id: "KOV-5.1",
        place: "Theorem 5.1",
        says: "No protocol in which each party publishes an output with the required privacy computes any function of \
               the bits with a larger average accuracy than randomised responses.",
        domain: "two parties, all 16 functions of their bits; all (ln 2, 0)-DP and (ln 2, 1/3)-DP mechanisms of three \
                 outcomes with masses in thirds",
        check: Check::Computed(protocols),
        how: "maximum a posteriori over all bits and transcripts, exactly, for every pair of mechanisms",
        ..KOV
    },
];

fn blackwell() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let targets: Vec<_> = pairs(2, 5).into_iter().map(|pair| (pair.tradeoff(), pair)).collect();
    for from in pairs(3, 4) {
        let f = from.tradeoff();
        for (_, to) in targets.iter().filter(|(g, _)| above(g, &f)) {
            let finite = |pair: &Finite| FinitePair::new(pair.p.clone(), pair.q.clone());
            let (source, target) = (finite(&from)?, finite(to)?);
            let channel = Channel::between(&source, &target)?;
            // The matrix is for the outcomes as they were given.
            let image = Finite { p: source.p().to_vec(), q: source.q().to_vec() }.through(channel.rows());
            let wanted = Finite { p: target.p().to_vec(), q: target.q().to_vec() };
            tally.is(|| format!("{} to {}", from.shown(), to.shown()), image == wanted);
        }
    }
    tally.verdict()
}

fn by_ratios() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(2, 6) {
        let pair = pair.times(&pair.swapped());
        let f = pair.tradeoff();
        let masses = pair.p.iter().zip(&pair.q).filter(|(p, q)| **p >= **q && !q.is_zero());
        let ratios: Vec<Rational> = masses.map(|(p, q)| Rational::from(p / q)).collect();
        let levels: Vec<(Rational, Rational)> = ratios.into_iter().map(|x| (pair.hockey_stick(&x), x)).collect();
        for alpha in grid(60) {
            let line = |(delta, x): &(Rational, Rational)| {
                let steep = Rational::from(1 - delta) - Rational::from(x * &alpha);
                let flat = (Rational::from(1 - delta) - &alpha) / x;
                steep.max(flat).max(Rational::new())
            };
            // Of no ratio at all the region is that of delta = 1.
            let region = levels.iter().map(line).max().unwrap_or_default();
            tally.equal(|| format!("alpha = {alpha}, {}", pair.shown()), &f.at(&alpha), &region);
        }
    }
    tally.verdict()
}

fn second_branch() -> Result<Verdict, Error> {
    let with = [("p", "1/(1+exp(0-e))"), ("q", "1/(1+exp(0-e*r))"), ("a", "tanh(e/2) + r*tanh(e*r/2) + u*sqrt(1+r^2)")];
    let left = "(p*q*pos(1+r-a) + p*(1-q)*pos(1-r-a) + (1-p)*q*pos(r-1-a))*(exp(u^2/2) - exp(1))";
    // S_2/d^2 = (e^(u^2/2) - e)^2, so u goes from sqrt(2) on; from 1.4 on is more.
    on_box(&[("e", "0", "40"), ("r", "0", "1"), ("u", "14/10", "inf")], &with, left, "sqrt(1+r^2)")
}

/// The average accuracy of the best decision on f after one transcript of each of two parties, times 4.
fn accuracy(one: &Finite, two: &Finite, f: u32) -> Rational {
    let mut sum = Rational::new();
    for (p, q) in one.p.iter().zip(&one.q) {
        for (r, s) in two.p.iter().zip(&two.q) {
            let mut masses = [Rational::new(), Rational::new()];
            for (bits, (a, b)) in [(p, r), (p, s), (q, r), (q, s)].into_iter().enumerate() {
                masses[usize::from(f >> bits & 1 == 1)] += Rational::from(a * b);
            }
            let [zero, one] = masses;
            sum += zero.max(one);
        }
    }
    sum
}

fn protocols() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let x = q(2, 1);
    let levels = [q(0, 1), q(1, 3)];
    let private = |delta: &Rational| -> Vec<Finite> {
        let holds = |pair: &Finite| pair.hockey_stick(&x) <= *delta && pair.swapped().hockey_stick(&x) <= *delta;
        pairs(3, 3).into_iter().filter(holds).collect()
    };
    for first in &levels {
        for second in &levels {
            let best: Vec<Rational> =
                (0..16).map(|f| accuracy(&Finite::worst(&x, first), &Finite::worst(&x, second), f)).collect();
            for one in private(first) {
                for two in private(second) {
                    for (f, best) in (0..16).zip(&best) {
                        let gap = Number::Exact(best - accuracy(&one, &two, f));
                        tally.not_negative(|| format!("function {f}, {}; {}", one.shown(), two.shown()), &gap);
                    }
                }
            }
        }
    }
    tally.verdict()
}
