//! Section 3: trade-off functions and the functions that link them to other kinds of privacy.

use rug::Rational;

use super::super::algebra::Fraction;
use super::super::check::Check;
use super::super::finite::{Finite, pairs, q};
use super::super::record::{Claim, Fault, FaultKind, Paper, Scope};
use super::super::tally::{Identities, Tally};
use super::super::verdict::Verdict;
use crate::error::Error;
use enclosure::Number;

const SU: Claim = Claim::of(Paper::Su);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "SU-tv-printed",
        place: "Section 2.3, link functions",
        says: "The total variation of f is (1/2) int |1 + f'|.",
        domain: "pairs of three outcomes with masses in fifths",
        check: Check::Computed(|| variation(false)),
        how: "the integral over the pieces against half of the sum of |p - q|",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-9: it is too small by (1 - f(0))/2 where f(0) < 1",
            corrected: "SU-tv",
        }),
        ..SU
    },
    Claim {
        id: "SU-tv",
        place: "Section 2.3, link functions",
        says: "The total variation of f is (1/2) int |1 + f'| + (1 - f(0))/2.",
        domain: "all pairs of finitely many outcomes; one of masses p and q on a piece of width p and slope -q/p",
        check: Check::All(&[
            Check::Identity { of: &["p", "q"], left: "p*(1 - q/p)", right: "p - q" },
            Check::Identity { of: &["p", "q"], left: "p*(q/p - 1)", right: "q - p" },
        ]),
        how: "half of |p - q| is half of the integral over the piece, of either sign; those with p = 0 have the mass \
              1 - f(0) in all",
        ..SU
    },
    Claim {
        id: "SU-tv-finite",
        place: "Section 2.3, link functions",
        says: "The total variation of f is (1/2) int |1 + f'| + (1 - f(0))/2.",
        domain: "pairs of three outcomes with masses in fifths",
        check: Check::Computed(|| variation(true)),
        how: "the integral over the pieces against half of the sum of |p - q|",
        ..SU
    },
    Claim {
        id: "SU-tv-worst",
        place: "Section 2.3, link functions",
        says: "For f_{epsilon,delta} the corrected integral is 1 - 2 (1-delta)/(1+x).",
        domain: "all x and delta",
        with: &[("s", "(1-d)/(1+x)")],
        check: Check::Identity {
            of: &["x", "d"],
            left: "(s*(x-1) + (1-d-s)*(1-1/x) + d*1)/2 + d/2",
            right: "1 - 2*(1-d)/(1+x)",
        },
        how: "the three pieces of f_{epsilon,delta}, of slopes -x, -1/x and 0",
        ..SU
    },
    Claim {
        id: "SU-renyi",
        place: "Section 2.3, link functions",
        says: "D_g = ln(int |f'|^(1-g))/(g-1) for f = T(P, Q).",
        domain: "all pairs of finitely many outcomes of positive mass, all g; y = (p/q)^g on a piece of width p and \
                 slope -q/p",
        check: Check::Identity { of: &["p", "q", "y"], left: "p*(q/p)*y", right: "q*y" },
        how: "p (q/p)^(1-g) = p (q/p) y is q y = p^g q^(1-g), outcome by outcome",
        ..SU
    },
    Claim {
        id: "SU-renyi-finite",
        place: "Section 2.3, link functions",
        says: "D_g = ln(int |f'|^(1-g))/(g-1) for f = T(P, Q).",
        domain: "pairs of three outcomes with positive masses in sixths, g in {2, 3, 5}",
        check: Check::Computed(renyi),
        how: "the integral over the pieces against the sum of p^g q^(1-g), exactly",
        ..SU
    },
    Claim {
        id: "SU-max",
        place: "Section 2.3, link functions",
        says: "D_inf = -ln |f'(1-)|.",
        domain: "pairs of three outcomes with masses in fifths, P without mass where Q has none",
        check: Check::Computed(max_divergence),
        how: "the slope of the last piece against the largest ratio",
        ..SU
    },
    Claim {
        id: "SU-2.4",
        place: "Equation (2.4)",
        says: "f*(-e^-eps) + e^-eps (1-delta) = 0 says H_{e^eps}(P, Q) = delta.",
        domain: "pairs of three outcomes with masses in fifths, x in {1, 3/2, 4}",
        check: Check::Computed(equation),
        how: "x f*(-1/x) + 1 against the hockey-stick divergence by all sets",
        ..SU
    },
    Claim {
        id: "SU-2.4-root-printed",
        place: "Equation (2.4)",
        says: "The equation has a unique root, and where it has none epsilon is infinite.",
        domain: "0 < delta <= 1, all f",
        check: Check::Computed(|| root(false)),
        how: "f = Id and delta = 1/10, where no epsilon is a root and (0, 0) holds",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-10: for delta above the total variation there is no root and epsilon is 0",
            corrected: "SU-2.4-root",
        }),
        ..SU
    },
    Claim {
        id: "SU-2.4-root",
        place: "Equation (2.4)",
        says: "The least epsilon >= 0 with 1 + e^eps f*(-e^-eps) <= delta is the least with H_{e^eps}(P, Q) <= delta.",
        domain: "pairs of three outcomes with masses in fifths, delta in {0, 1/10, 1/2}, e^eps in quarters from 1 to 5",
        check: Check::Computed(|| root(true)),
        how: "both conditions at every e^eps, by the conjugate and by all sets",
        ..SU
    },
    Claim {
        id: "SU-5-printed",
        place: "Theorem 5",
        says: "If f gives (epsilon, delta)-DP by (2.4) then f >= f_{epsilon,delta}, for every f.",
        domain: "all trade-off functions",
        check: Check::Computed(|| theorem(false)),
        how: "P = (99/100, 1/100), Q = (1/2, 1/2), x = 3/2: delta by all sets, and both functions at all \
              their vertices and at 1/20",
        fault: Some(Fault { kind: FaultKind::False, what: "E-11: f has to be symmetric", corrected: "SU-5" }),
        ..SU
    },
    Claim {
        id: "SU-5",
        place: "Theorem 5",
        says: "If f is symmetric and gives (epsilon, delta)-DP by (2.4) then f >= f_{epsilon,delta}.",
        domain: "products of pairs of two outcomes with masses in quarters and of the same pairs swapped, x in {1, \
                 3/2, 3}",
        check: Check::Computed(|| theorem(true)),
        how: "delta by all sets, and both functions at all vertices",
        ..SU
    },
    Claim {
        id: "SU-3.1-printed",
        place: "Section 3.2, item 2",
        says: "T(Z, Z+1)(alpha) = F(F^-1(alpha) - 1) for canonical noise.",
        domain: "normal noise, alpha = Phi(-z), z in {0, 1, 2}",
        check: Check::SameAtPoints {
            of: &["z"],
            at: &[&["0"], &["1"], &["2"]],
            left: "Phi(0 - z - 1)",
            right: "Phi(z - 1)",
        },
        how: "F(F^-1(alpha) - 1) = Phi(-z-1) against G_1(alpha) = Phi(z-1)",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-8: it is F(F^-1(1-alpha) - 1), for the right side as printed increases",
            corrected: "SU-3.1",
        }),
        ..SU
    },
    Claim {
        id: "SU-3.1",
        place: "Section 3.2, item 2",
        says: "T(Z, Z+1)(alpha) = F(F^-1(1-alpha) - 1) for canonical noise: for Tulap noise it is f_{epsilon,0}.",
        domain: "all x; alpha on both pieces; F between -1/2 and 1/2 and one step on both sides",
        scope: Scope::Class("Tulap noise"),
        check: Check::Computed(tulap_step),
        how: "the printed law of Tulap, linear on each unit, one unit apart, against the lines of f_{epsilon,0}",
        ..SU
    },
];

fn variation(right: bool) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let f = pair.tradeoff();
        let integral: Rational =
            f.pieces().iter().map(|(run, slope)| Rational::from(1 - slope).abs() * run).sum::<Rational>() / 2u32;
        let missing = Rational::from(1 - &f.vertices[0].1) / 2u32;
        let claimed = if right { integral + missing } else { integral };
        let half: Rational = pair.p.iter().zip(&pair.q).map(|(p, q)| Rational::from(p - q).abs()).sum();
        tally.equal(|| pair.shown(), &claimed, &(half / 2u32));
    }
    tally.verdict()
}

fn power(base: &Rational, n: i32) -> Rational {
    Rational::from(rug::ops::Pow::pow(base, n))
}

fn renyi() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let positive = pairs(3, 6).into_iter();
    for pair in positive.filter(|pair| pair.p.iter().chain(&pair.q).all(|mass| !mass.is_zero())) {
        let pieces = pair.tradeoff().pieces();
        for g in [2, 3, 5] {
            let integral: Rational = pieces.iter().map(|(run, slope)| power(slope, 1 - g) * run).sum();
            let sum: Rational = pair.p.iter().zip(&pair.q).map(|(p, q)| power(p, g) * power(q, 1 - g)).sum();
            tally.equal(|| format!("g = {g}, {}", pair.shown()), &integral, &sum);
        }
    }
    tally.verdict()
}

fn max_divergence() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let both = || pair.p.iter().zip(&pair.q);
        if both().any(|(p, q)| q.is_zero() && !p.is_zero()) {
            continue;
        }
        let ratios = both().filter(|(p, _)| !p.is_zero()).map(|(p, q)| Rational::from(p / q));
        let largest = ratios.max().unwrap_or_default();
        let last = pair.tradeoff().pieces().pop().map(|(_, slope)| slope).unwrap_or_default();
        tally.equal(|| pair.shown(), &last.recip(), &largest);
    }
    tally.verdict()
}

fn equation() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let f = pair.tradeoff();
        for x in [q(1, 1), q(3, 2), q(4, 1)] {
            let down = Rational::from(x.recip_ref());
            let delta = pair.hockey_stick(&x);
            // The left side of the equation, with the delta that is claimed to solve it.
            let left = f.conjugate(&Rational::from(-&down)) + (1 - delta) * &down;
            tally.equal(|| format!("x = {x}, {}", pair.shown()), &left, &Rational::new());
        }
    }
    tally.verdict()
}

fn root(right: bool) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    if !right {
        let pair = Finite::new(&[(1, 2), (1, 2)], &[(1, 2), (1, 2)]);
        let f = pair.tradeoff();
        let delta = q(1, 10);
        // f*(-y) = -y for f = Id and y <= 1: the left side is -delta y.
        let solved = (1..=40).any(|n| {
            let y = q(1, n);
            (f.conjugate(&Rational::from(-&y)) + Rational::from(1 - &delta) * &y).is_zero()
        });
        let infinite = pair.hockey_stick(&q(1, 1)) > delta;
        // At every epsilon 1 + e^eps f*(-e^-eps) = 0, which is the total variation: by so much the equation misses
        // delta.
        let missed = if solved || infinite { Rational::new() } else { &delta - pair.hockey_stick(&q(1, 1)) };
        tally.equal(|| "f = Id, delta = 1/10".to_string(), &missed, &Rational::new());
        return tally.verdict();
    }
    for pair in pairs(3, 5) {
        let f = pair.tradeoff();
        for delta in [q(0, 1), q(1, 10), q(1, 2)] {
            for n in 4..=20 {
                let x = q(n, 4);
                let profile = f.conjugate(&-Rational::from(x.recip_ref())) * &x + 1u32;
                let by_link = profile <= delta;
                let by_sets = pair.hockey_stick(&x) <= delta;
                tally.is(|| format!("delta = {delta}, e^eps = {x}, {}", pair.shown()), by_link == by_sets);
            }
        }
    }
    tally.verdict()
}

fn theorem(symmetric: bool) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let cases = if symmetric {
        pairs(2, 4).into_iter().map(|pair| pair.times(&pair.swapped())).collect()
    } else {
        vec![Finite::new(&[(99, 100), (1, 100)], &[(1, 2), (1, 2)])]
    };
    let levels = if symmetric { vec![q(1, 1), q(3, 2), q(3, 1)] } else { vec![q(3, 2)] };
    for pair in cases {
        let f = pair.tradeoff();
        for x in &levels {
            let delta = pair.hockey_stick(x);
            let worst = Finite::worst(x, &delta).tradeoff();
            let corners = [q(1, 20)];
            let places = f.vertices.iter().chain(&worst.vertices).map(|(alpha, _)| alpha).chain(&corners);
            for alpha in places {
                let gap = f.at(alpha) - worst.at(alpha);
                let at = || format!("x = {x}, delta = {delta}, alpha = {alpha}, {}", pair.shown());
                tally.not_negative(at, &Number::Exact(gap));
            }
        }
    }
    tally.verdict()
}

/// The law of Tulap noise of `b = 1/x` at `r + v`, `-1/2 <= v <= 1/2`, for `r <= 0`: `b^-r (b + (v + 1/2)(1-b))/(1+b)`,
/// and for `r = 1` what symmetry gives.
fn tulap_step() -> Result<Verdict, Error> {
    let one = Fraction::integer(1);
    let (x, v) = (Fraction::variable(0), Fraction::variable(1));
    let b = one.div(&x)?;
    let half = one.div(&Fraction::integer(2))?;
    let law = |r: u32, v: &Fraction| -> Result<Fraction, Error> {
        let inside = b.add(&v.add(&half).mul(&one.sub(&b)));
        b.power(r).mul(&inside).div(&one.add(&b))
    };
    let mut all = Identities::default();
    let names = ["x", "v"];
    // F at -r + v, from the middle down: alpha = 1 - F(y), beta = F(y - 1).
    for r in 0..4 {
        let (here, below) = (law(r, &v)?, law(r + 1, &v)?);
        // 1 - alpha = F(y): the second line of f is (1 - alpha)/x.
        all.same(|| format!("second line, unit {r}"), &names, &below, &here.div(&x)?)?;
    }
    // Above the middle F(y) = 1 - F(-y): y = 1 + v has -y = -1 - v.
    let mirrored = one.sub(&law(1, &Fraction::integer(0).sub(&v))?);
    let (alpha, beta) = (one.sub(&mirrored), law(0, &v)?);
    all.same(|| "first line".into(), &names, &beta, &one.sub(&x.mul(&alpha)))?;
    all.verdict()
}
