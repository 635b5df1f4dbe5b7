//! Section 2 and Appendix A: hypothesis testing and privacy regions.

use super::super::algebra::Fraction;
use super::super::check::Check;
use super::super::finite::{distributions, grid, pairs, q};
use super::super::record::{Claim, Paper};
use super::super::symbolic::{D, NAMES, X};
use super::super::tally::{Identities, Tally};
use super::super::verdict::Verdict;
use crate::error::Error;
use enclosure::Number;
use rug::Rational;

const KOV: Claim = Claim::of(Paper::Kov);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "KOV-2.1",
        place: "Section 2.1, equation (25)",
        says: "The pair of four outcomes with masses d, (1-d)x/(1+x), (1-d)/(1+x), 0 and the same in reverse is \
               (epsilon, d)-DP: P_FA + x P_MD >= 1-d and x P_FA + P_MD >= 1-d for every rejection set.",
        domain: "x = e^epsilon >= 1, 0 <= d <= 1",
        check: Check::Computed(worst_pair_is_private),
        how: "all 16 rejection sets, as polynomials in x and d",
        ..KOV
    },
    Claim {
        id: "KOV-2.1-fixed-point",
        place: "Figure 1",
        says: "The vertex of R(epsilon, d) below the diagonal is at P_MD = P_FA = (1-d)/(1+x).",
        domain: "all x, d",
        with: &[("s", "(1-d)/(1+x)")],
        check: Check::Identity { of: &["x", "d"], left: "s + x*s", right: "1 - d" },
        how: "the point is on both lines",
        ..KOV
    },
    Claim {
        id: "KOV-2.2",
        place: "Section 2.1, Definition 2.1 and Remark 2.2",
        says: "A pair is (epsilon, delta)-DP exactly if its errors satisfy P_FA + x P_MD >= 1-delta and x P_FA + P_MD \
               >= 1-delta: the largest of P(S) - x Q(S) and Q(S) - x P(S) is 1 less the least of both sums.",
        domain: "pairs of three outcomes with masses in fifths, x in {1, 3/2, 2, 5}",
        check: Check::Computed(testing_form),
        how: "hockey-stick divergences by all sets against the least sums over the vertices of the trade-off function",
        ..KOV
    },
    Claim {
        id: "KOV-2.4",
        place: "Section 2.2, Theorem 2.4",
        says: "Post-processing shrinks the region: T(Proc P, Proc Q) >= T(P, Q).",
        domain: "pairs of three outcomes with masses in quarters, all channels to two outputs with masses in thirds",
        check: Check::Computed(data_processing),
        how: "both trade-off functions by all tests, at the vertices of both",
        ..KOV
    },
    Claim {
        id: "KOV-A",
        place: "Appendix A",
        says: "(epsilon, d)-DP implies (epsilon', d')-DP with d' = 1 - (1-d)(1+e^epsilon')/(1+e^epsilon) for \
               epsilon' <= epsilon, and no smaller d' does.",
        domain: "1 <= y = e^epsilon' <= x = e^epsilon, 0 <= d <= 1",
        check: Check::Computed(trade_down),
        how: "P(S) - y Q(S) of all 16 sets of the worst pair, as rational functions; one of them attains d'",
        ..KOV
    },
    Claim {
        id: "KOV-A-tv",
        place: "Appendix A",
        says: "The total variation of an (epsilon, d)-DP pair is at most d + (1-d)(x-1)/(x+1) = 1 - 2(1-d)/(1+x), \
               attained by the worst pair.",
        domain: "x >= 1, 0 <= d <= 1",
        check: Check::Computed(total_variation),
        how: "half of the sum of |p - q| over the four outcomes, and both printed forms",
        ..KOV
    },
];

/// The outcomes of the worst pair, as rational functions of x and d.
pub fn worst_pair(x: &Fraction, d: &Fraction) -> Result<[(Fraction, Fraction); 4], Error> {
    let one = Fraction::integer(1);
    let rest = one.sub(d).div(&one.add(x))?;
    let more = rest.mul(x);
    let none = Fraction::integer(0);
    Ok([(d.clone(), none.clone()), (more.clone(), rest.clone()), (rest, more), (none, d.clone())])
}

/// `(P(S), Q(S))` of all 16 sets.
fn sets(pair: &[(Fraction, Fraction); 4]) -> Vec<(Fraction, Fraction)> {
    let mut all = vec![(Fraction::integer(0), Fraction::integer(0))];
    for (p, q) in pair {
        let more: Vec<_> = all.iter().map(|(a, b)| (a.add(p), b.add(q))).collect();
        all.extend(more);
    }
    all
}

/// `1 + u` and `1/(1+v)`, for all `x >= 1` and `0 < d <= 1`.
fn free_x_d() -> Result<(Fraction, Fraction), Error> {
    let one = Fraction::integer(1);
    Ok((one.add(&Fraction::variable(0)), one.div(&one.add(&Fraction::variable(1)))?))
}

fn worst_pair_is_private() -> Result<Verdict, Error> {
    let (x, d) = free_x_d()?;
    let mut all = Identities::default();
    for (i, (alpha, power)) in sets(&worst_pair(&x, &d)?).iter().enumerate() {
        let one = Fraction::integer(1);
        let beta = one.sub(power);
        let least = one.sub(&d);
        all.not_negative(|| format!("set {i}"), &alpha.add(&x.mul(&beta)).sub(&least));
        all.not_negative(|| format!("set {i}"), &x.mul(alpha).add(&beta).sub(&least));
    }
    all.verdict()
}

fn trade_down() -> Result<Verdict, Error> {
    let one = Fraction::integer(1);
    // y = 1 + w and x = y + u.
    let (u, v, w) = (Fraction::variable(0), Fraction::variable(1), Fraction::variable(2));
    let y = one.add(&w);
    let x = y.add(&u);
    let d = one.div(&one.add(&v))?;
    let claimed = one.sub(&one.sub(&d).mul(&one.add(&y)).div(&one.add(&x))?);
    let mut all = Identities::default();
    let mut attained = false;
    for (i, (p, q)) in sets(&worst_pair(&x, &d)?).iter().enumerate() {
        let gap = claimed.sub(&p.sub(&y.mul(q)));
        attained |= gap.is_zero();
        all.not_negative(|| format!("set {i}"), &gap);
    }
    all.is(|| "no set attains it".to_string(), attained);
    all.verdict()
}

fn total_variation() -> Result<Verdict, Error> {
    let (x, d) = (Fraction::variable(X), Fraction::variable(D));
    let one = Fraction::integer(1);
    // The first two outcomes are those with p >= q.
    let more = worst_pair(&x, &d)?.iter().take(2).fold(Fraction::integer(0), |sum, (p, q)| sum.add(&p.sub(q)));
    let tanh = x.sub(&one).div(&x.add(&one))?;
    let mut all = Identities::default();
    all.same(|| "the first form".into(), &NAMES, &more, &d.add(&one.sub(&d).mul(&tanh)))?;
    let second = one.sub(&Fraction::integer(2).mul(&one.sub(&d)).div(&one.add(&x))?);
    all.same(|| "the second form".into(), &NAMES, &more, &second)?;
    all.verdict()
}

fn testing_form() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let f = pair.tradeoff();
        for x in [q(1, 1), q(3, 2), q(2, 1), q(5, 1)] {
            // At type I error 1 the type II error is 0, so no sum is above 1 + x.
            let (mut first, mut second) = (Rational::from(&x + 1u32), Rational::from(&x + 1u32));
            for (alpha, beta) in &f.vertices {
                first = first.min(Rational::from(&x * beta) + alpha);
                second = second.min(Rational::from(&x * alpha) + beta);
            }
            let at = || format!("x = {x}, {}", pair.shown());
            // A test that rejects on S has alpha = P(S) and beta = 1 - Q(S); one that rejects outside, the rest.
            tally.equal(at, &pair.swapped().hockey_stick(&x), &(1 - second));
            tally.equal(at, &pair.hockey_stick(&x), &(1 - first));
        }
    }
    tally.verdict()
}

fn data_processing() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let rows = distributions(2, 3);
    for pair in pairs(3, 4) {
        let f = pair.tradeoff();
        for a in &rows {
            for b in &rows {
                let channel = [a.clone(), b.clone(), rows[1].clone()];
                let g = pair.through(&channel).tradeoff();
                for alpha in grid(4) {
                    let gap = g.at(&alpha) - f.at(&alpha);
                    tally.not_negative(|| format!("alpha = {alpha}, {}", pair.shown()), &Number::Exact(gap));
                }
            }
        }
    }
    tally.verdict()
}
