//! Sections 3.2 and 4: accounting, sampling, mixtures, the census.

use rug::Rational;

use super::super::ask::epsilon;
use super::super::check::{Check, formula_at};
use super::super::finite::{Finite, distributions, pairs, q};
use super::super::record::{Claim, Fault, FaultKind, Paper, Scope};
use super::super::symbolic::{Composition, Loss, NAMES, x_power};
use super::super::tally::{Identities, Tally};
use super::super::verdict::Verdict;
use crate::error::Error;
use enclosure::Number;

const SU: Claim = Claim::of(Paper::Su);

/// The constants of both kinds of sampling, squared and divided by the square of `m sqrt(T)/n`; `m = 1/sigma`.
const UNIFORM: (&str, &str) = ("uniform", "2*(exp(m^2)*Phi(3*m/2) + 3*Phi(0-m/2) - 2)");

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "SU-3.2",
        place: "Section 3.3, the Edgeworth accountant",
        says: "delta = 1 - F_Y(eps) - e^eps (1 - F_X(eps)), F_X and F_Y the distribution functions of the summed \
               log(dQ/dP) under P and under Q.",
        domain: "all x; compositions of 1 to 8 randomised responses at eps = n epsilon",
        scope: Scope::Class("randomised responses"),
        check: Check::Computed(accountant),
        how: "masses of the product formed outcome by outcome against the closed form of optimal composition",
        ..SU
    },
    Claim {
        id: "SU-3.2-finite",
        place: "Section 3.3, the Edgeworth accountant",
        says: "The same for any pair: outcomes that only Q has count as log(dQ/dP) = infinity, atoms at eps do not \
               matter.",
        domain: "products of two pairs of two outcomes with masses in quarters, e^eps in {1, 3/2, 2}",
        check: Check::Computed(finite_accountant),
        how: "sums over outcomes by their ratio against the hockey-stick divergence by all sets",
        ..SU
    },
    Claim {
        id: "SU-4.1-mixture",
        place: "Section 4.3, inequality (4.1)",
        says: "T(P,Q)(sum w_i alpha_i(r, c)) >= sum w_i T(P_i,Q_i)(alpha_i(r, c)) for mixtures P = sum w_i P_i, Q = \
               sum w_i Q_i and alpha_i(r, c) = P_i(q_i/p_i > r) + c P_i(q_i/p_i = r).",
        domain: "two pairs of three outcomes with masses in thirds, weights 1/3 and 2/3, r in {0, 1/2, 1, 2}, c in {0, \
                 1/2, 1}",
        check: Check::Computed(mixture),
        how: "trade-off functions by all tests",
        ..SU
    },
    Claim {
        id: "SU-4.1-sgd-printed",
        place: "Section 4.1, training with batches of a fixed size",
        says: "mu = (B/n) sqrt(T (e^(1/sigma^2) - 1)) is the limit for batches of a fixed size: its square is that of \
               uniform samples.",
        domain: "sigma in {1, 1.3}",
        with: &[UNIFORM],
        check: Check::SameAtPoints { of: &["m"], at: &[&["1"], &["1/1.3"]], left: "expm1(m^2)", right: "uniform" },
        how: "both constants",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-13: that is the constant of Poisson samples; the one of uniform samples is larger",
            corrected: "SU-4.1-sgd",
        }),
        ..SU
    },
    Claim {
        id: "SU-4.1-sgd",
        place: "Section 4.1, training with batches of a fixed size",
        says: "The constant of uniform samples, sqrt(2 (e^(1/sigma^2) Phi(3/(2 sigma)) + 3 Phi(-1/(2 sigma)) - 2)), \
               is larger: 1.7101 against 1.3108 at sigma = 1, 1.1254 against 0.8984 at sigma = 1.3.",
        domain: "sigma in {1, 1.3}",
        scope: Scope::Numbers,
        check: Check::Figures(&[Check::Computed(constants)]),
        how: "each constant lies in the interval that rounds to the figure",
        ..SU
    },
    Claim {
        id: "SU-4.1-ratio",
        place: "Section 4.1, training with batches of a fixed size",
        says: "The square of the constant of uniform samples is more than that of Poisson samples by a factor of at \
               most 2.",
        domain: "1/5 <= sigma <= 10; m = 1/sigma",
        check: Check::OnBox { of: &[("m", "1/10", "5")], left: "3*Phi(0-m/2) - 1", right: "exp(m^2)*Phi(0-3*m/2)" },
        how: "branch and bound on both sides less 2 e^(m^2), halved",
        ..SU
    },
    Claim {
        id: "SU-4.1-noise-printed",
        place: "Section 4.1, the algorithm",
        says: "Normal noise of scale sigma R, added to the average of B gradients that are clipped to R, makes a step \
               exactly G_{1/sigma}-DP for a record that is there or not.",
        domain: "all R > 0, sigma > 0 and B >= 1",
        check: Check::IdentityWithin { of: &["R", "s", "B"], within: &["B-1"], left: "(R/B)/(s*R)", right: "1/s" },
        how: "how far one record moves the average, over the standard deviation of the noise",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-13: noise of that scale is added to the sum, or of scale sigma R/B to the average",
            corrected: "SU-4.1-noise",
        }),
        ..SU
    },
    Claim {
        id: "SU-4.1-noise",
        place: "Section 4.1, the algorithm",
        says: "Normal noise of scale sigma R, added to the sum of gradients that are clipped to R, or of scale sigma \
               R/B, added to the average of B of them, makes a step exactly G_{1/sigma}-DP for a record that is there \
               or not.",
        domain: "all R, sigma and B",
        check: Check::All(&[
            Check::Identity { of: &["R", "s"], left: "R/(s*R)", right: "1/s" },
            Check::Identity { of: &["R", "s", "B"], left: "(R/B)/(s*R/B)", right: "1/s" },
        ]),
        how: "how far one record moves the sum and the average, over the standard deviation of the noise",
        ..SU
    },
    Claim {
        id: "SU-4.4-zcdp",
        place: "Section 4.4, the census, US level",
        says: "zCDP gives epsilon = 2.63 at delta = 10^-11 (E-24).",
        domain: "rho = 1.95% of 3.325, nine equal queries",
        scope: Scope::Numbers,
        check: Check::Figures(&[
            Check::AtPoints { of: &["rho", "d"], at: CENSUS, left: "2.625", right: "rho + 2*sqrt(rho*ln(1/d))" },
            Check::AtPoints { of: &["rho", "d"], at: CENSUS, left: "rho + 2*sqrt(rho*ln(1/d))", right: "2.635" },
        ]),
        how: "Bun and Steinke's conversion lies in the interval that rounds to 2.63",
        ..SU
    },
    Claim {
        id: "SU-4.4-exact",
        place: "Section 4.4, the census, US level",
        says: "f-DP gives epsilon = 2.32 at delta = 10^-11 (E-24).",
        domain: "nine discrete Gaussians of sigma^2 = 120000/1729",
        scope: Scope::Numbers,
        check: Check::Figures(&[Check::Computed(census)]),
        how: "the exact smallest epsilon of the composition lies in the interval that rounds to 2.32",
        ..SU
    },
];

/// `rho = 5187/80000`, `delta = 10^-11`.
const CENSUS: &[&[&str]] = &[&["5187/80000", "1e-11"]];

fn accountant() -> Result<Verdict, Error> {
    use super::super::algebra::Fraction;
    let mut all = Identities::default();
    let one = Fraction::integer(1);
    for k in 1..=8_i64 {
        let composition = Composition::pure(u32::try_from(k).map_err(|_| Error::internal("k"))?);
        let losses = composition.losses()?;
        for n in (k % 2..=k).step_by(2) {
            // log(dQ/dP) is less the loss.
            let below = |of_q: bool| {
                let part = losses.iter().filter(|(loss, _, _)| *loss >= Loss::Times(-n));
                part.fold(Fraction::integer(0), |sum, (_, p, q)| sum.add(if of_q { q } else { p }))
            };
            let c = x_power(n)?;
            let printed = one.sub(&below(true)).sub(&c.mul(&one.sub(&below(false))));
            all.same(|| format!("k = {k}, n = {n}"), &NAMES, &printed, &composition.profile(n, &c)?)?;
        }
    }
    all.verdict()
}

fn finite_accountant() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for first in pairs(2, 4) {
        for second in pairs(2, 4) {
            let pair = first.times(&second);
            for x in [q(1, 1), q(3, 2), q(2, 1)] {
                let above = |masses: &[Rational]| -> Rational {
                    let both = masses.iter().zip(pair.p.iter().zip(&pair.q));
                    // q/p > x, and all of it where p = 0.
                    both.filter(|(_, (p, q))| **q > Rational::from(&x * *p)).map(|(mass, _)| mass).sum()
                };
                let printed = above(&pair.q) - above(&pair.p) * &x;
                tally.equal(|| format!("x = {x}, {}", pair.shown()), &printed, &pair.swapped().hockey_stick(&x));
            }
        }
    }
    tally.verdict()
}

/// `P(q/p > r) + c P(q/p = r)`.
fn level(pair: &Finite, r: &Rational, c: &Rational) -> Rational {
    let mut sum = Rational::new();
    for (p, q) in pair.p.iter().zip(&pair.q) {
        match q.cmp(&Rational::from(r * p)) {
            std::cmp::Ordering::Greater => sum += p,
            std::cmp::Ordering::Equal => sum += Rational::from(c * p),
            std::cmp::Ordering::Less => {}
        }
    }
    sum
}

fn mixture() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let weights = [q(1, 3), q(2, 3)];
    let list = distributions(3, 3);
    // One pair runs over all; the other over those with the first distribution fixed.
    let others: Vec<Finite> = list.iter().map(|q| Finite { p: list[4].clone(), q: q.clone() }).collect();
    for first in pairs(3, 3) {
        for second in &others {
            let both = [&first, second];
            let mix = |of: fn(&Finite) -> &Vec<Rational>| -> Vec<Rational> {
                (0..3)
                    .map(|i| {
                        let parts = both.iter().zip(&weights).map(|(pair, w)| Rational::from(w * &of(pair)[i]));
                        parts.sum()
                    })
                    .collect()
            };
            let whole = Finite { p: mix(|pair| &pair.p), q: mix(|pair| &pair.q) }.tradeoff();
            let curves = [first.tradeoff(), second.tradeoff()];
            for r in [q(0, 1), q(1, 2), q(1, 1), q(2, 1)] {
                for c in [q(0, 1), q(1, 2), q(1, 1)] {
                    let (mut alpha, mut beta) = (Rational::new(), Rational::new());
                    for ((pair, weight), curve) in both.iter().zip(&weights).zip(&curves) {
                        let own = level(pair, &r, &c);
                        beta += curve.at(&own) * weight;
                        alpha += own * weight;
                    }
                    let gap = whole.at(&alpha) - beta;
                    let at = || format!("r = {r}, c = {c}, {} and {}", first.shown(), second.shown());
                    tally.not_negative(at, &Number::Exact(gap));
                }
            }
        }
    }
    tally.verdict()
}

fn constants() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let uniform = "sqrt(2*(exp(m^2)*Phi(3*m/2) + 3*Phi(0-m/2) - 2))";
    for (m, formula, printed) in [
        ("1", uniform, q(17101, 10000)),
        ("1/1.3", uniform, q(11254, 10000)),
        ("1", "sqrt(expm1(m^2))", q(13108, 10000)),
        ("1/1.3", "sqrt(expm1(m^2))", q(8984, 10000)),
    ] {
        let value = formula_at(formula, &[("m", m)])?;
        let unit = q(1, 20000);
        let (low, high) = (Rational::from(&printed - &unit), Rational::from(&printed + &unit));
        tally.at_most(|| format!("m = {m}, {printed}"), &Number::Exact(low), &value);
        tally.at_most(|| format!("m = {m}, {printed}"), &value, &Number::Exact(high));
    }
    tally.verdict()
}

fn census() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let exact = epsilon("discrete-gaussian(sigma2=120000/1729)^9", "1e-11")?;
    tally.at_most(|| "from below".into(), &Number::Exact(q(2315, 1000)), &exact);
    tally.at_most(|| "from above".into(), &exact, &Number::Exact(q(2325, 1000)));
    tally.verdict()
}
