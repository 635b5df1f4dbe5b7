//! Appendix B: divergences of a pair by its trade-off function.

use rug::Rational;

use super::super::check::Check;
use super::super::finite::{Finite, Polyline, pairs, q};
use super::super::record::{Claim, Paper};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::error::Error;

const DRS: Claim = Claim::of(Paper::Drs);

/// The statement.
const SAYS: &str = "D_F(P||Q) = int over [0, z_f] of |f'| F(1/|f'|) + F(0) (1 - f(0)) + (1 - z_f) lim F(u)/u for f = \
                    T(P, Q), z_f where f becomes 0.";

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DRS-B.4",
        place: "Proposition B.4",
        says: SAYS,
        domain: "all F and all pairs of finitely many outcomes; one of masses p and q, both positive, on a piece of \
                 width p and slope -q/p; y = F(p/q)",
        check: Check::Identity { of: &["p", "q", "y"], left: "p*(q/p)*y", right: "q*y" },
        how: "over a piece the integral is q F(p/q), outcome by outcome; those with p = 0 have the mass 1 - f(0) under \
              Q, and those with q = 0 the mass 1 - z_f under P",
        ..DRS
    },
    Claim {
        id: "DRS-B.4-finite",
        place: "Proposition B.4",
        says: SAYS,
        domain: "pairs of three outcomes with masses in fifths; F(u) = |u-1|/2, (u-1)^2, (u-1)^2/(2u+2), (u-3/2)_+, \
                 u^3 - 1",
        check: Check::Computed(f_divergences),
        how: "the integral over the pieces against the sum over outcomes, both of them infinite at once",
        ..DRS
    },
];

/// A convex function with `F(1) = 0`, but for the hockey stick, and its values at the ends.
struct Convex {
    name: &'static str,
    at: fn(&Rational) -> Rational,
    at_zero: Rational,
    /// `lim F(u)/u`; `None` where that is infinite.
    slope: Option<Rational>,
}

fn convex() -> [Convex; 5] {
    [
        Convex {
            name: "|u-1|/2",
            at: |u| Rational::from(u - 1u32).abs() / 2u32,
            at_zero: q(1, 2),
            slope: Some(q(1, 2)),
        },
        Convex { name: "(u-1)^2", at: |u| Rational::from(u - 1u32).square(), at_zero: q(1, 1), slope: None },
        Convex {
            name: "(u-1)^2/(2u+2)",
            at: |u| Rational::from(u - 1u32).square() / Rational::from(u + 1u32) / 2u32,
            at_zero: q(1, 2),
            slope: Some(q(1, 2)),
        },
        Convex {
            name: "(u-3/2)_+",
            at: |u| (u - q(3, 2)).max(Rational::new()),
            at_zero: q(0, 1),
            slope: Some(q(1, 1)),
        },
        Convex { name: "u^3-1", at: |u| Rational::from(u.square_ref()) * u - 1u32, at_zero: q(-1, 1), slope: None },
    ]
}

/// Some share of what goes to infinity: none of it is none, and infinite is `None`.
fn share(mass: &Rational, slope: Option<&Rational>) -> Option<Rational> {
    if mass.is_zero() { Some(Rational::new()) } else { slope.map(|slope| Rational::from(mass * slope)) }
}

/// The sum over outcomes.
fn by_outcomes(pair: &Finite, f: &Convex) -> Option<Rational> {
    pair.p.iter().zip(&pair.q).try_fold(Rational::new(), |sum, (p, q)| {
        let term = if q.is_zero() {
            share(p, f.slope.as_ref())?
        } else {
            let value = if p.is_zero() { f.at_zero.clone() } else { (f.at)(&Rational::from(p / q)) };
            value * q
        };
        Some(sum + term)
    })
}

/// The formula as printed.
fn printed(curve: &Polyline, f: &Convex) -> Option<Rational> {
    let start = curve.vertices.first().map(|(_, beta)| beta.clone()).unwrap_or_default();
    let (mut sum, mut end) = ((1 - start) * &f.at_zero, Rational::new());
    for (run, slope) in curve.pieces().into_iter().filter(|(_, slope)| !slope.is_zero()) {
        end += &run;
        sum += (f.at)(&Rational::from(slope.recip_ref())) * slope * run;
    }
    Some(sum + share(&(1 - end), f.slope.as_ref())?)
}

fn f_divergences() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in pairs(3, 5) {
        let curve = pair.tradeoff();
        for f in convex() {
            let at = || format!("F = {}, {}", f.name, pair.shown());
            match (printed(&curve, &f), by_outcomes(&pair, &f)) {
                (Some(printed), Some(sum)) => tally.equal(at, &printed, &sum),
                (printed, sum) => tally.is(at, printed.is_none() && sum.is_none()),
            }
        }
    }
    tally.verdict()
}
