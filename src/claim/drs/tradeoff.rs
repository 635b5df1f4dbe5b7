//! Section 2: trade-off functions, and the two faces of privacy.

use rug::Rational;

use super::super::algebra::Fraction;
use super::super::check::Check;
use super::super::finite::{Finite, Polyline, grid, pairs, q};
use super::super::record::{Claim, Paper};
use super::super::symbolic::{Composition, D, NAMES, X};
use super::super::tally::{Identities, Tally};
use super::super::verdict::Verdict;
use crate::error::Error;
use enclosure::Number;

const DRS: Claim = Claim::of(Paper::Drs);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DRS-2.1",
        place: "Section 2.1",
        says: "TV(P, Q) = 1 - min (alpha + T(P,Q)(alpha)).",
        domain: "pairs of three outcomes with masses in fifths",
        check: Check::Computed(total_variation),
        how: "half of the sum of |p - q| against the vertices of the trade-off function by all tests",
        ..DRS
    },
    Claim {
        id: "DRS-2.2",
        place: "Proposition 2.2",
        says: "A trade-off function is non-increasing and at most 1 - alpha. Every convex piecewise-linear function \
               with these properties is the trade-off function of a pair.",
        domain: "pairs of three outcomes with masses in fifths",
        check: Check::Computed(characterisation),
        how: "the pair read off the pieces of T(P,Q) has the same trade-off function by all tests",
        ..DRS
    },
    Claim {
        id: "DRS-2.4",
        place: "Proposition 2.4",
        says: "T(Q, P) is the inverse inf { t : T(P,Q)(t) <= alpha } of T(P, Q).",
        domain: "pairs of three outcomes with masses in fifths, 21 alphas",
        check: Check::Computed(inverse),
        how: "both trade-off functions by all tests, zero masses included",
        ..DRS
    },
    Claim {
        id: "DRS-2.5",
        place: "Proposition 2.5, equation (3)",
        says: "f_{epsilon,delta} = max(0, 1 - delta - x alpha, (1 - delta - alpha)/x) has the vertices (0, 1-delta), \
               (s, s) with s = (1-delta)/(1+x), (1-delta, 0) and (1, 0), and is the trade-off function of the worst \
               pair.",
        domain: "all x and delta",
        check: Check::Computed(worst_vertices),
        how: "vertices of the pair of four outcomes, as rational functions",
        ..DRS
    },
    Claim {
        id: "DRS-2.5-symmetric",
        place: "Proposition 2.5",
        says: "f_{epsilon,delta} is its own inverse.",
        domain: "all x and delta",
        check: Check::Identity { of: &["x", "d", "a"], left: "(1 - d - (1 - d - x*a))/x", right: "a" },
        how: "one line put into the other",
        ..DRS
    },
    Claim {
        id: "DRS-2.5-iff",
        place: "Proposition 2.5",
        says: "A pair is (epsilon, delta)-DP in both directions exactly if T(P,Q) >= f_{epsilon,delta} everywhere.",
        domain: "pairs of three outcomes with masses in quarters, x in {1, 3/2, 3}, delta in quarters",
        check: Check::Computed(if_and_only_if),
        how: "hockey-stick divergences by all sets against the order of the trade-off functions at all vertices",
        ..DRS
    },
    Claim {
        id: "DRS-2.12",
        place: "Proposition 2.12",
        says: "H_x(Q, P) = 1 + f*(-x) and H_x(P, Q) = 1 + x f*(-1/x), f = T(P, Q) (the paper has the first, for \
               symmetric f).",
        domain: "pairs of three outcomes with masses in fifths, x in {1/2, 1, 3/2, 4}",
        check: Check::Computed(duality),
        how: "hockey-stick divergences by all sets against the conjugate of the trade-off function",
        ..DRS
    },
    Claim {
        id: "DRS-2.12-back",
        place: "Propositions 2.11 and 2.12",
        says: "f(alpha) = sup over x of 1 - H_x(Q, P) - x alpha.",
        domain: "pairs of three outcomes with masses in fifths, 11 alphas",
        check: Check::Computed(duality_back),
        how: "the supremum over all slopes of the trade-off function, and 0",
        ..DRS
    },
    Claim {
        id: "DRS-2.13-laplace",
        place: "Section 2.3, the trade-off function of Laplace noise",
        says: "T(Lap(0,1), Lap(c,1)) is 1 - e^c alpha up to e^-c/2, e^-c/(4 alpha) up to 1/2, and e^-c (1 - alpha).",
        domain: "all c >= 0 and alpha; y = e^c, a = alpha",
        check: Check::All(&[
            Check::Identity { of: &["y", "a"], left: "1 - (2*a*y)/2", right: "1 - y*a" },
            Check::Identity { of: &["y", "a"], left: "1/(2*a)/y/2", right: "1/(4*a*y)" },
            Check::Identity { of: &["y", "a"], left: "2*(1-a)/y/2", right: "(1-a)/y" },
        ]),
        how: "the log-ratio |z| - |z - c| is nondecreasing, so the optimal tests reject beyond some z (Neyman and \
              Pearson): 1 - F(z) and F(z - c) on the pieces of both",
        ..DRS
    },
    Claim {
        id: "DRS-2.13-laplace-engine",
        place: "Section 2.3, the trade-off function of Laplace noise",
        says: "T(Lap(0,1), Lap(c,1)) is 1 - e^c alpha up to e^-c/2, e^-c/(4 alpha) up to 1/2, and e^-c (1 - alpha).",
        domain: "c in {1/2, 1, 3}, alpha in {1/100, 1/10, 3/10, 7/10}",
        check: Check::Computed(laplace),
        how: "the formula against the profile 1 - e^((epsilon-c)/2) and the computed values for Laplace noise",
        ..DRS
    },
];

fn total_variation() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let half: Rational = pair.p.iter().zip(&pair.q).map(|(p, q)| Rational::from(p - q).abs()).sum();
        let sums = pair.tradeoff().vertices.into_iter().map(|(alpha, beta)| alpha + beta);
        let least = sums.min().unwrap_or_default();
        tally.equal(|| pair.shown(), &(half / 2u32), &(1 - least));
    }
    tally.verdict()
}

fn characterisation() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let f = pair.tradeoff();
        for ends in f.vertices.windows(2) {
            tally.is(|| format!("it increases: {}", pair.shown()), ends[0].1 >= ends[1].1);
        }
        for (alpha, beta) in &f.vertices {
            let gap = Rational::from(1 - alpha) - beta;
            tally.not_negative(|| format!("alpha = {alpha}, {}", pair.shown()), &Number::Exact(gap));
        }
        // One outcome for each piece, and one that only Q has.
        let mut read = Finite { p: vec![Rational::new()], q: vec![Rational::from(1 - &f.vertices[0].1)] };
        for (run, slope) in f.pieces() {
            read.q.push(Rational::from(&run * &slope));
            read.p.push(run);
        }
        tally.is(|| format!("another pair: {}", pair.shown()), read.tradeoff() == f);
    }
    tally.verdict()
}

fn inverse() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let (f, g) = (pair.tradeoff(), pair.swapped().tradeoff());
        for alpha in grid(20) {
            let at = || format!("alpha = {alpha}, {}", pair.shown());
            tally.equal(at, &g.at(&alpha), &f.inverse_at(&alpha));
        }
    }
    tally.verdict()
}

fn worst_vertices() -> Result<Verdict, Error> {
    let (x, d) = (Fraction::variable(X), Fraction::variable(D));
    let one = Fraction::integer(1);
    let kept = one.sub(&d);
    let s = kept.div(&one.add(&x))?;
    let none = Fraction::integer(0);
    let printed = [(none.clone(), kept.clone()), (s.clone(), s), (kept, none.clone()), (one, none)];
    let mut all = Identities::default();
    let found = Composition::new(1).vertices()?;
    all.is(|| "another number of vertices".into(), found.len() == printed.len());
    for (i, (left, right)) in found.iter().zip(&printed).enumerate() {
        all.same(|| format!("vertex {i}"), &NAMES, &left.0, &right.0)?;
        all.same(|| format!("vertex {i}"), &NAMES, &left.1, &right.1)?;
    }
    all.verdict()
}

fn if_and_only_if() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for x in [q(1, 1), q(3, 2), q(3, 1)] {
        for delta in grid(4) {
            let worst = Finite::worst(&x, &delta).tradeoff();
            for pair in pairs(3, 4) {
                let private = pair.hockey_stick(&x) <= delta && pair.swapped().hockey_stick(&x) <= delta;
                let above = above(&pair.tradeoff(), &worst);
                tally.is(|| format!("x = {x}, delta = {delta}, {}", pair.shown()), private == above);
            }
        }
    }
    tally.verdict()
}

/// Is f >= g at the vertices of both, hence everywhere?
pub fn above(f: &Polyline, g: &Polyline) -> bool {
    f.vertices.iter().all(|(alpha, beta)| *beta >= g.at(alpha))
        && g.vertices.iter().all(|(alpha, beta)| f.at(alpha) >= *beta)
}

fn duality() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let f = pair.tradeoff();
        for x in [q(1, 2), q(1, 1), q(3, 2), q(4, 1)] {
            let at = || format!("x = {x}, {}", pair.shown());
            let backward = f.conjugate(&Rational::from(-&x)) + 1u32;
            tally.equal(at, &pair.swapped().hockey_stick(&x), &backward);
            let forward = f.conjugate(&-Rational::from(x.recip_ref())) * &x + 1u32;
            tally.equal(at, &pair.hockey_stick(&x), &forward);
        }
    }
    tally.verdict()
}

fn duality_back() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let f = pair.tradeoff();
        let slopes: Vec<Rational> = f.pieces().into_iter().map(|(_, slope)| slope).chain([Rational::new()]).collect();
        for alpha in grid(10) {
            let line = |x: &Rational| 1 - pair.swapped().hockey_stick(x) - Rational::from(x * &alpha);
            let best = slopes.iter().map(line).max().unwrap_or_default();
            tally.equal(|| format!("alpha = {alpha}, {}", pair.shown()), &f.at(&alpha), &best);
        }
    }
    tally.verdict()
}

fn laplace() -> Result<Verdict, Error> {
    use super::super::ask::{beta, delta};
    use super::super::check::formula_at;
    let mut tally = Tally::default();
    for c in ["1/2", "1", "3"] {
        let mechanism = format!("laplace(scale=1, sensitivity={c})");
        for alpha in ["1/100", "1/10", "3/10", "7/10"] {
            let point = [("c", c), ("a", alpha)];
            let (value, border) = (q(1, 2), formula_at("exp(0-c)/2 - a", &point)?);
            let piece = if super::super::ask::real(alpha)?.as_rational() > Some(&value) {
                "exp(0-c)*(1-a)"
            } else if border.sign() == Some(std::cmp::Ordering::Greater) {
                "1 - exp(c)*a"
            } else {
                "exp(0-c)/(4*a)"
            };
            let at = || format!("c = {c}, alpha = {alpha}");
            tally.meet(at, &beta(&mechanism, alpha)?, &formula_at(piece, &point)?);
        }
        let printed = formula_at("0-expm1((e-c)/2)", &[("c", c), ("e", "1/4")])?;
        tally.meet(|| format!("c = {c}, epsilon = 1/4"), &delta(&mechanism, "1/4")?, &printed);
    }
    tally.verdict()
}
