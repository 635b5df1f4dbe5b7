//! Section 3.1: the tensor product.

use rug::Rational;

use super::super::algebra::Fraction;
use super::super::ask::epsilon;
use super::super::check::Check;
use super::super::finite::{Finite, distributions, pairs, q};
use super::super::record::{Claim, Paper, Scope};
use super::super::symbolic::{Composition, D, NAMES};
use super::super::tally::{Identities, Tally};
use super::super::verdict::Verdict;
use super::tradeoff::above;
use crate::error::Error;
use enclosure::Number;

const DRS: Claim = Claim::of(Paper::Drs);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DRS-3.1",
        place: "Definition 3.1",
        says: "f (x) g does not depend on the pairs that represent f and g.",
        domain: "pairs of two outcomes with masses in quarters, each with one outcome split into two",
        check: Check::Computed(well_defined),
        how: "trade-off functions of both products by all tests",
        ..DRS
    },
    Claim {
        id: "DRS-3.1-algebra",
        place: "Section 3.1",
        says: "The product is commutative, has the neutral element Id, and (f (x) g)^-1 = f^-1 (x) g^-1.",
        domain: "pairs of two outcomes with masses in quarters",
        check: Check::Computed(algebra),
        how: "trade-off functions of the products by all tests; the inverse read off the graph",
        ..DRS
    },
    Claim {
        id: "DRS-3.1-monotone",
        place: "Section 3.1",
        says: "g_1 >= g_2 gives f (x) g_1 >= f (x) g_2.",
        domain: "pairs of two outcomes with masses in thirds; g_1 of a post-processing of g_2's pair",
        check: Check::Computed(monotone),
        how: "trade-off functions of the products by all tests, at all vertices",
        ..DRS
    },
    Claim {
        id: "DRS-11",
        place: "Section 3.3, equation (11)",
        says: "f_{epsilon,delta}^(x) k is f_{epsilon,0}^(x) k scaled by (1-delta)^k in both coordinates, and 0 from \
               there.",
        domain: "all x and delta; k = 1 to 8",
        check: Check::Computed(splitting),
        how: "vertices of both products, formed outcome by outcome, as rational functions",
        ..DRS
    },
    Claim {
        id: "DRS-11-zero",
        place: "Section 3.3",
        says: "f_{0,d1} (x) f_{0,d2} = f_{0, 1 - (1-d1)(1-d2)}.",
        domain: "all d1, d2",
        check: Check::Identity { of: &["d1", "d2"], left: "d1*d2 + d1*(1-d2) + (1-d1)*d2", right: "1 - (1-d1)*(1-d2)" },
        how: "the mass of all outcomes of the product that have positive probability under P only",
        ..DRS
    },
    Claim {
        id: "DRS-3.1-scaling",
        place: "Section 3.3, the remark on f (x) f_{0,delta}",
        says: "(f (x) f_{0,delta})(alpha) = (1-delta) f(alpha/(1-delta)) up to 1-delta, and 0 beyond; for profiles: \
               1 - (1-delta)(1 - delta_f).",
        domain: "all f, delta < 1 and alpha; a test for f with the errors a and b, h its profile",
        check: Check::All(&[
            Check::Identity { of: &["a", "d"], left: "(1-d)*(a/(1-d))", right: "a" },
            Check::Identity { of: &["h", "d"], left: "d + (1-d)*h", right: "1 - (1-d)*(1-h)" },
        ]),
        how: "with probability delta the second pair identifies the distribution, otherwise it is uninformative: the \
              errors are (1-delta) a and (1-delta) b, and the profile is delta (mass at infinity) plus (1-delta) \
              times that of f",
        ..DRS
    },
    Claim {
        id: "DRS-3.1-scaling-finite",
        place: "Section 3.3, the remark on f (x) f_{0,delta}",
        says: "(f (x) f_{0,delta})(alpha) = (1-delta) f(alpha/(1-delta)) up to 1-delta, and 0 beyond; for profiles: \
               1 - (1-delta)(1 - delta_f).",
        domain: "pairs of three outcomes with masses in thirds, delta in {1/4, 1/3}, x in {1/2, 1, 3}",
        check: Check::Computed(scaling),
        how: "the product with (delta, 1-delta, 0), (0, 1-delta, delta) by all tests",
        ..DRS
    },
    Claim {
        id: "DRS-Fig5",
        place: "Figure 5, right",
        says: "Ten mechanisms of epsilon = 1/sqrt(10) are (2.89, 0.001)-DP.",
        domain: "n = 10",
        scope: Scope::Numbers,
        check: Check::Figures(&[Check::Computed(figure)]),
        how: "the exact smallest epsilon of the composition lies in the interval that rounds to 2.89",
        ..DRS
    },
    Claim {
        id: "DRS-3.2",
        place: "Theorem 3.2",
        says: "An adaptive composition is at least as private as f (x) g if the second step is at least as private as \
               g for every first output.",
        domain: "first steps with masses in thirds; second steps are one of two post-processings, chosen by the first \
                 output",
        check: Check::Computed(adaptive),
        how: "trade-off functions of the adaptive pair and of the product by all tests",
        ..DRS
    },
];

/// The pair with its first outcome split, a third to two thirds.
fn split(pair: &Finite) -> Finite {
    let cut = |masses: &[Rational]| {
        let third = Rational::from(&masses[0] / 3u32);
        let mut list = vec![third.clone(), third * 2u32];
        list.extend_from_slice(&masses[1..]);
        list
    };
    Finite { p: cut(&pair.p), q: cut(&pair.q) }
}

fn well_defined() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for f in pairs(2, 4) {
        for g in pairs(2, 4) {
            let same = f.times(&g).tradeoff() == split(&f).times(&split(&g)).tradeoff();
            tally.is(|| format!("{}; {}", f.shown(), g.shown()), same);
        }
    }
    tally.verdict()
}

fn algebra() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let neutral = Finite::new(&[(1, 2), (1, 2)], &[(1, 2), (1, 2)]);
    for f in pairs(2, 4) {
        tally.is(|| f.shown(), f.times(&neutral).tradeoff() == f.tradeoff());
        for g in pairs(2, 4) {
            let product = f.times(&g).tradeoff();
            tally.is(|| format!("{}; {}", f.shown(), g.shown()), product == g.times(&f).tradeoff());
            let swapped = f.swapped().times(&g.swapped()).tradeoff();
            for (alpha, beta) in &swapped.vertices {
                tally.equal(|| format!("{}; {}", f.shown(), g.shown()), beta, &product.inverse_at(alpha));
            }
        }
    }
    tally.verdict()
}

fn monotone() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let rows = distributions(2, 3);
    for f in pairs(2, 3) {
        for g in pairs(2, 3) {
            let product = f.times(&g).tradeoff();
            for first in &rows {
                for second in &rows {
                    let better = g.through(&[first.clone(), second.clone()]);
                    let holds = above(&f.times(&better).tradeoff(), &product);
                    tally.is(|| format!("{}; {}", f.shown(), g.shown()), holds);
                }
            }
        }
    }
    tally.verdict()
}

fn splitting() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    for k in 1..=8 {
        let scale = Fraction::integer(1).sub(&Fraction::variable(D)).power(k);
        let (with, without) = (Composition::new(k).vertices()?, Composition::pure(k).vertices()?);
        // Of the pure composition the first vertex is of the outcomes that only Q has, of mass 0, and the last doubled.
        for (i, ((alpha, beta), (a, b))) in with.iter().zip(&without).enumerate().take(k as usize + 2) {
            all.same(|| format!("k = {k}, vertex {i}"), &NAMES, alpha, &scale.mul(a))?;
            all.same(|| format!("k = {k}, vertex {i}"), &NAMES, beta, &scale.mul(b))?;
        }
    }
    all.verdict()
}

fn scaling() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for delta in [q(1, 4), q(1, 3)] {
        let kept = Rational::from(1 - &delta);
        let zero = Finite {
            p: vec![delta.clone(), kept.clone(), Rational::new()],
            q: vec![Rational::new(), kept.clone(), delta.clone()],
        };
        for pair in pairs(3, 3) {
            let (f, product) = (pair.tradeoff(), pair.times(&zero));
            let g = product.tradeoff();
            for alpha in super::super::finite::grid(6) {
                let scaled = Rational::from(&alpha / &kept);
                let printed = if scaled <= 1 { f.at(&scaled) * &kept } else { Rational::new() };
                tally.equal(|| format!("alpha = {alpha}, {}", pair.shown()), &g.at(&alpha), &printed);
            }
            for x in [q(1, 2), q(1, 1), q(3, 1)] {
                let printed = 1 - (1 - pair.hockey_stick(&x)) * &kept;
                // Sets by likelihood ratio are all that matter: the vertices of the trade-off function.
                let swapped = product.swapped().tradeoff();
                let direct = swapped.conjugate(&Rational::from(-&x)) + 1u32;
                tally.equal(|| format!("x = {x}, {}", pair.shown()), &direct, &printed);
            }
        }
    }
    tally.verdict()
}

fn figure() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let exact = epsilon("randomized-response(epsilon=1/sqrt(10))^10", "0.001")?;
    let ends = [q(2885, 1000), q(2895, 1000)].map(Number::Exact);
    tally.at_most(|| "from below".into(), &ends[0], &exact);
    tally.at_most(|| "from above".into(), &exact, &ends[1]);
    tally.verdict()
}

fn adaptive() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let rows = distributions(2, 2);
    let second = Finite::new(&[(2, 3), (1, 3)], &[(1, 3), (2, 3)]);
    for first in pairs(2, 3) {
        let product = first.times(&second).tradeoff();
        for a in &rows {
            for b in &rows {
                // After the first outcome the second step is post-processed by one channel, after the other by another.
                let one = second.through(&[a.clone(), b.clone()]);
                let other = second.through(&[b.clone(), rows[1].clone()]);
                let join = |m: &[Rational], n: &[Rational], first: &[Rational]| {
                    let part = |masses: &[Rational], by: &Rational| {
                        masses.iter().map(|mass| Rational::from(mass * by)).collect::<Vec<_>>()
                    };
                    [part(m, &first[0]), part(n, &first[1])].concat()
                };
                let pair = Finite { p: join(&one.p, &other.p, &first.p), q: join(&one.q, &other.q, &first.q) };
                tally.is(|| pair.shown(), above(&pair.tradeoff(), &product));
            }
        }
    }
    tally.verdict()
}
