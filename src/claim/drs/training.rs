//! Section 5 and what it takes of Section 4: gradients clipped, steps on samples, and their functionals.

use rug::Rational;

use super::super::ask::{ask, beta, divergence};
use super::super::check::{Check, formula_at};
use super::super::finite::{Finite, Polyline, distributions, q};
use super::super::record::{Claim, Paper, Scope};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use super::subsampling::subsampled;
use crate::curve::Direction;
use crate::error::Error;
use crate::query::Quantity;
use crate::theorem::functional::Functional;
use enclosure::Number;
use enclosure::decimal::{Side, decimal};

const DRS: Claim = Claim::of(Paper::Drs);

/// `chi^2_+(G_m)`.
const CHI: &str = "(exp(m^2)*Phi(3*m/2) + 3*Phi(0-m/2) - 2)";

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DRS-4-order",
        place: "Section 4.1",
        says: "Sampling never harms: C_p(f) >= f.",
        domain: "all symmetric f and all p = 1/(1+v); f(alpha) = 1 - alpha - u",
        check: Check::Always {
            where_: &[("p", "1/(1+v)"), ("f", "1-a-u")],
            free: &["u", "v", "a"],
            left: "f",
            right: "p*f + (1-p)*(1-a)",
        },
        how: "f_p >= f as f <= Id, so f_p^-1 >= f^-1 = f; and f, which is convex, is below the convex hull of both",
        ..DRS
    },
    Claim {
        id: "DRS-4-pieces-gauss",
        place: "Section 4.1",
        says: "C_p(f) is f_p up to the fixed point a* of f, the line a* + f_p(a*) - alpha from there to f_p(a*), and \
               f_p^-1 beyond.",
        domain: "f = G_mu, mu in {1, 9/5}, p in {1/10, 7/20}; two alphas on each piece",
        check: Check::Computed(three_pieces),
        how: "the formulas with a* = Phi(-mu/2) against the computed values for subsampling; the last one on both \
              sides of f_p(alpha)",
        ..DRS
    },
    Claim {
        id: "DRS-5-clip",
        place: "Section 5.1, the algorithm",
        says: "A gradient g over max(1, |g|/C) has norm at most C, and averages of m of them that differ in one are at \
               most 2C/m apart.",
        domain: "all C > 0, m and norms: |g| = C - u or C + u; of two clipped ones C/(1+u) and C/(1+v)",
        check: Check::All(&[
            Check::Always { where_: &[("C", "g+u")], free: &["g", "u"], left: "g/1", right: "C" },
            Check::Identity { of: &["C", "u"], left: "(C+u)/((C+u)/C)", right: "C" },
            Check::Always {
                where_: &[("a", "C/(1+u)"), ("b", "C/(1+v)")],
                free: &["u", "v", "C", "m"],
                left: "(a+b)/m",
                right: "2*C/m",
            },
            Check::Identity { of: &["C", "m"], left: "(C - (0-C))/m", right: "2*C/m" },
        ]),
        how: "both cases of the maximum, the triangle inequality, and two opposite gradients of norm C, which attain \
              it",
        ..DRS
    },
    Claim {
        id: "DRS-5.1",
        place: "Theorem 5.1, two steps",
        says: "T steps, each f-DP with symmetric f on an independent random sample, are C_p(f)^(x) T-DP.",
        domain: "all triples of distributions on two outcomes with masses in quarters, as in DRS-4.2; p = 1/2, T = 2",
        check: Check::Computed(two_steps),
        how: "the pair of both steps by all tests, against the product of the hulls, piece by piece in the order of \
              their slopes",
        ..DRS
    },
    Claim {
        id: "DRS-5-functionals",
        place: "Section 5.2, behind Theorem 5.2",
        says: "kl(C_p(f)) <= p^2 chi^2_+(f) and kappa_2(C_p(f)) <= 2 p^2 chi^2_+(f).",
        domain: "all symmetric f with f(0) = 1 and all p; y = p (|f'| - 1) up to the fixed point of f, l = ln(1+y)",
        check: Check::All(&[
            // Where C_p(f) has the slope -(1+y) over da, its mirror image has -1/(1+y) over (1+y) da.
            Check::Identity { of: &["y", "l"], left: "(1+y)*l - l", right: "y*l" },
            Check::Identity { of: &["y", "l"], left: "l^2 + (1+y)*(0-l)^2", right: "(2+y)*l^2" },
            Check::OnBox { of: &[("y", "0", "inf")], left: "log1p(y)", right: "y" },
            // ln(1+y) <= y/sqrt(1+y), with 1 + y = e^(2s).
            Check::OnBox { of: &[("s", "0", "inf")], left: "s", right: "sinh(s)" },
            Check::Always { where_: &[], free: &["y"], left: "(2+y)*y^2/(1+y)", right: "2*y^2" },
        ]),
        how: "the integrals over the first and the last piece, with ln(1+y) <= y and ln(1+y) <= y/sqrt(1+y)",
        ..DRS
    },
    Claim {
        id: "DRS-5-functionals-gauss",
        place: "Section 5.2, behind Theorem 5.2",
        says: "kl(C_p(f)) <= p^2 chi^2_+(f) and kappa_2(C_p(f)) <= 2 p^2 chi^2_+(f), and both are close for small p.",
        domain: "f = G_1; p in {1/10, 1/100}, where they are above 3/4 and above 19/20 of the bounds",
        scope: Scope::Class("samples of G_1"),
        check: Check::Computed(functionals),
        how: "certified divergences and second moments of samples against the formula for chi^2_+",
        ..DRS
    },
];

/// Digits of the points on both sides of one that is no fraction.
const BESIDE: u32 = 12;

fn three_pieces() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let fixed = "Phi(0-m/2)";
    let line = format!("{fixed} + p*{fixed} + (1-p)*(1-{fixed}) - a");
    for mu in ["1", "9/5"] {
        for (p, rate) in [("1/10", q(1, 10)), ("7/20", q(7, 20))] {
            let mechanism = format!("subsample(rate={p}, gdp(mu={mu}))");
            // Between a*, at most 0.31, and f_p(a*), at least 0.59.
            for alpha in ["2/5", "1/2"] {
                let printed = formula_at(&line, &[("p", p), ("m", mu), ("a", alpha)])?;
                tally.meet(|| format!("mu = {mu}, p = {p}, alpha = {alpha}"), &beta(&mechanism, alpha)?, &printed);
            }
            // Below a*, at least 0.18.
            for (alpha, a) in [("1/20", q(1, 20)), ("1/10", q(1, 10))] {
                let rest = Rational::from(1 - &rate) * Rational::from(1 - &a);
                let f = beta(&format!("gdp(mu={mu})"), alpha)?;
                let printed = &(&f * &Number::Exact(rate.clone())) + &Number::Exact(rest);
                tally.meet(|| format!("mu = {mu}, p = {p}, alpha = {alpha}"), &beta(&mechanism, alpha)?, &printed);
                // The inverse is alpha at this value: not below it before, and not above it behind.
                let a = Number::Exact(a);
                let at = || format!("mu = {mu}, p = {p}, at the value of alpha = {alpha}");
                tally.at_most(at, &a, &beta(&mechanism, &decimal(&printed, BESIDE, Side::Lower))?);
                tally.at_most(at, &beta(&mechanism, &decimal(&printed, BESIDE, Side::Upper))?, &a);
            }
        }
    }
    tally.verdict()
}

/// A pair that has this trade-off function: an outcome for each piece, and one for what P never gives.
fn pair_of(curve: &Polyline) -> Finite {
    let start = curve.vertices.first().map(|(_, beta)| beta.clone()).unwrap_or_default();
    let (mut p, mut q) = (vec![Rational::new()], vec![1 - start]);
    for (run, slope) in curve.pieces() {
        q.push(slope * &run);
        p.push(run);
    }
    Finite { p, q }
}

/// The trade-off function of a pair by the tests that reject the outcomes of the largest ratios (Neyman, Pearson).
fn by_ratios(pair: &Finite) -> Polyline {
    // An outcome of no mass has no ratio.
    let given = |(p, q): &(&Rational, &Rational)| !(p.is_zero() && q.is_zero());
    let mut outcomes: Vec<(&Rational, &Rational)> = pair.p.iter().zip(&pair.q).filter(given).collect();
    // The larger q/p first, by cross multiplication.
    outcomes.sort_by(|(p, q), (r, s)| Rational::from(*s * *p).cmp(&Rational::from(*q * *r)));
    let (mut alpha, mut beta) = (Rational::new(), Rational::from(1));
    let mut vertices = vec![(alpha.clone(), beta.clone())];
    for (p, q) in outcomes {
        alpha += p;
        beta -= q;
        vertices.push((alpha.clone(), beta.clone()));
    }
    Polyline::below(vertices)
}

fn two_steps() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let (all, half) = (distributions(2, 4), q(1, 2));
    let mean = |a: &[Rational], b: &[Rational]| -> Vec<Rational> {
        a.iter().zip(b).map(|(a, b)| Rational::from(a + b) / 2u32).collect()
    };
    for common in &all {
        for left in &all {
            for right in &all {
                let records = [common, left, right];
                let ordered = records.iter().flat_map(|p| records.iter().map(move |q| (p, q)));
                let points = ordered.flat_map(|(p, q)| Finite { p: p.to_vec(), q: q.to_vec() }.tradeoff().vertices);
                let step = pair_of(&subsampled(&Polyline::below(points.collect()), &half));
                let promised = by_ratios(&step.times(&step));
                let pair = Finite { p: mean(common, left), q: mean(common, right) };
                let exact = pair.times(&pair).tradeoff();
                for (alpha, _) in exact.vertices.iter().chain(&promised.vertices) {
                    let gap = exact.at(alpha) - promised.at(alpha);
                    tally.not_negative(|| format!("alpha = {alpha}, {}", pair.shown()), &Number::Exact(gap));
                }
            }
        }
    }
    tally.verdict()
}

fn functionals() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for (p, part) in [("1/10", "3/4"), ("1/100", "19/20")] {
        let mechanism = format!("subsample(rate={p}, gdp(mu=1))");
        let kl = divergence(Quantity::Kl, &mechanism)?;
        let kappa2 = ask(Quantity::Functional(Functional::Kappa2), &mechanism, Direction::Forward)?;
        for (what, value, times) in [("kl", kl, "1"), ("kappa_2", kappa2, "2")] {
            let bound =
                |part: &str| formula_at(&format!("c*k*p^2*{CHI}"), &[("c", part), ("k", times), ("p", p), ("m", "1")]);
            tally.at_most(|| format!("{what}, p = {p}"), &value, &bound("1")?);
            tally.at_most(|| format!("{what}, p = {p}, from below"), &bound(part)?, &value);
        }
    }
    tally.verdict()
}
