//! What the five papers rest on: heterogeneous composition, conversions from zCDP, canonical noise, geometric and
//! staircase noise.

use rug::Rational;

use super::algebra::Fraction;
use super::ask::{delta, divergence, renyi};
use super::check::{Check, formula_at};
use super::finite::{Finite, q};
use super::record::{Claim, Paper, Scope};
use super::tally::{Identities, Tally};
use super::verdict::Verdict;
use crate::error::Error;
use crate::query::Quantity;

const AUX: Claim = Claim::of(Paper::Auxiliary);

/// The corner of `f_{epsilon,0}`.
const CORNER: (&str, &str) = ("c", "1/(1+x)");

/// By section.
pub const CLAIMS: &[&[Claim]] = &[&[
    Claim {
        id: "MV-het",
        place: "Murtagh and Vadhan, Theorem 1.5",
        says: "Mechanisms with different (epsilon_l, delta_l) compose to delta_g = 1 - prod (1-delta_l) [1 - prod \
               1/(1+x_l) sum over S of (prod over S of x_l - e^epsilon_g prod over the others)_+].",
        domain: "x = (3/2, 2, 3), delta = (0, 1/10, 1/5); e^epsilon_g in {1/2, 1, 3/2, 2, 9/2, 10}",
        check: Check::Computed(heterogeneous),
        how: "the printed sum over subsets against the product outcome by outcome",
        ..AUX
    },
    Claim {
        id: "BS-gauss",
        place: "Bun and Steinke 2016, Lemma 2.4",
        says: "The Renyi divergence of Gaussian noise is rho g with rho = D^2/(2 sigma^2), for every order g.",
        domain: "all g, D, sigma",
        check: Check::Identity {
            of: &["g", "D", "s"],
            left: "((g-1)*(D^2/(2*s^2)) + (g-1)^2*(D/s)^2/2)/(g-1)",
            right: "g*D^2/(2*s^2)",
        },
        how: "the exponent of the moment generating function of the loss, at g - 1",
        ..AUX
    },
    Claim {
        id: "BS-cdp",
        place: "Bun and Steinke 2016, Section 4",
        says: "(mu, tau)-CDP gives D_g <= (mu - tau^2/2) + g tau^2/2.",
        domain: "all mu, tau and g",
        check: Check::Identity {
            of: &["g", "mu", "t"],
            left: "((g-1)*mu + (g-1)^2*t^2/2)/(g-1)",
            right: "mu - t^2/2 + g*t^2/2",
        },
        how: "the exponent of the moment generating function of the largest allowed privacy loss",
        ..AUX
    },
    Claim {
        id: "BS-conv",
        place: "Bun and Steinke 2016, Proposition 1.3",
        says: "rho-zCDP gives (rho + 2 sqrt(rho ln(1/delta)), delta)-DP.",
        domain: "Gaussian noise, all rho, delta = e^(-s^2), 0 <= s <= 8",
        scope: Scope::Class("Gaussian noise"),
        check: Check::All(&[
            // The profile is at most Phi(mu/2 - eps/mu), and with mu = sqrt(2 rho) that is Phi(-sqrt(2) s).
            Check::Identity {
                of: &["r", "s", "w"],
                left: "(w*r/2 - (r^2 + 2*r*s)/(w*r)) - (r*(w^2-2)/(2*w))",
                right: "0 - 2*s/w",
            },
            Check::OnBox { of: &[("s", "0", "8")], left: "Phi(0-sqrt(2)*s)", right: "exp(0-s^2)" },
        ]),
        how: "with rho = r^2 and mu = w r, w^2 = 2, the profile is at most Phi(-2s/w) <= e^(-s^2)",
        ..AUX
    },
    Claim {
        id: "BS-pure",
        place: "Bun and Steinke 2016, Proposition 1.4",
        says: "epsilon-DP gives epsilon^2/2-zCDP, and epsilon tanh(epsilon/2) is not above it.",
        domain: "all epsilon >= 0",
        check: Check::OnBox { of: &[("e", "0", "inf")], left: "tanh(e/2)", right: "e/2" },
        how: "branch and bound, divided by epsilon; the divergences are those of SU-2.2-renyi",
        ..AUX
    },
    Claim {
        id: "BS-pure-sharp",
        place: "after Bun and Steinke 2016, Proposition 1.4",
        says: "Randomised response has D_g <= g epsilon tanh(epsilon/2) for every g > 1.",
        domain: "all epsilon and g > 1; h = epsilon/2, t = 2g - 1, k = tanh h",
        check: Check::All(&[
            Check::Identity { of: &["h", "g", "k"], left: "((2*g-1)^2 - 1)*h^2*k/(2*h)", right: "(g-1)*(g*2*h*k)" },
            Check::Always { where_: &[("x", "1+u")], free: &["u"], left: "1", right: "(x + 1/x)/2" },
        ]),
        how: "(g-1) D_g = ln cosh(h t) - ln cosh h (SU-2.2-renyi), and ln cosh sqrt(u) at u = (h t)^2 is not above \
              its tangent at h^2, of slope k/(2h): it is concave (DR-RR)",
        ..AUX
    },
    Claim {
        id: "BS-pure-sharp-engine",
        place: "after Bun and Steinke 2016, Proposition 1.4",
        says: "Randomised response has D_g <= g epsilon tanh(epsilon/2) for every g > 1.",
        domain: "epsilon in {1/10, 1, 3}, g in {1001/1000, 3/2, 2, 5, 20}",
        check: Check::Computed(sharp_pure),
        how: "the computed divergences against the bound",
        ..AUX
    },
    Claim {
        id: "CKS-conv",
        place: "Canonne, Kamath, Steinke 2020, Corollary 13",
        says: "rho-zCDP gives delta = e^((g-1)(g rho - epsilon))/(g-1) (1 - 1/g)^g for every g > 1.",
        domain: "all rho, epsilon and g > 1",
        // Of y^(g-1) (1 - y), y = e^(epsilon - loss), whose logarithm is concave: where its slope is 0, and its value.
        check: Check::All(&[
            Check::Identity { of: &["g"], left: "(g-1)/((g-1)/g)", right: "1/(1 - (g-1)/g)" },
            Check::Identity { of: &["g"], left: "1 - (g-1)/g", right: "1/(g-1)*(1 - 1/g)" },
        ]),
        how: "(1 - e^(epsilon - loss))_+ is at most e^((g-1)(loss - epsilon)) times the greatest y^(g-1) (1-y), at y = \
              1 - 1/g, which is (1 - 1/g)^g/(g-1); and the mean of e^((g-1) loss) is at most e^((g-1) g rho)",
        ..AUX
    },
    Claim {
        id: "CKS-conv-gauss",
        place: "Canonne, Kamath, Steinke 2020, Corollary 13",
        says: "rho-zCDP gives delta = e^((g-1)(g rho - epsilon))/(g-1) (1 - 1/g)^g for every g > 1.",
        domain: "Gaussian noise, rho in {1/10, 1/2, 2}, epsilon in {1, 3}, g in {3/2, 2, 3, 5}",
        check: Check::Computed(conversion),
        how: "the exact Gaussian profile",
        ..AUX
    },
    Claim {
        id: "BS-group",
        place: "Bun and Steinke 2016, Proposition 1.9",
        says: "Groups of s of a rho-zCDP mechanism have s^2 rho.",
        domain: "Gaussian noise, all s, D, sigma and g",
        scope: Scope::Class("Gaussian noise"),
        check: Check::Identity { of: &["s", "D", "w", "g"], left: "g*(s*D)^2/(2*w^2)", right: "g*(s^2*(D^2/(2*w^2)))" },
        how: "the divergence at distance s D",
        ..AUX
    },
    Claim {
        id: "AV-corner",
        place: "Awan and Vadhan 2023, canonical noise for f_{epsilon,0}",
        says: "The law in the middle goes from the fixed point c = 1/(1+x) at -1/2 to 1 - c at 1/2.",
        domain: "all x; Tulap's b = 1/x",
        with: &[CORNER],
        check: Check::All(&[
            Check::Identity { of: &["x"], left: "(1/x + (0-1/2+1/2)*(1-1/x))/(1+1/x)", right: "c" },
            Check::Identity { of: &["x"], left: "(1/x + (1/2+1/2)*(1-1/x))/(1+1/x)", right: "1 - c" },
            Check::Identity {
                of: &["x", "y"],
                left: "(1/x + (y+1/2)*(1-1/x))/(1+1/x)",
                right: "c*(1/2-y) + (1-c)*(y+1/2)",
            },
        ]),
        how: "the printed law of Tulap against the printed law of canonical noise",
        ..AUX
    },
    Claim {
        id: "AV-recursion",
        place: "Awan and Vadhan 2023, canonical noise for f_{epsilon,0}",
        says: "Below the middle F(y) = f(1 - F(y+1)).",
        domain: "all x; six units",
        check: Check::Computed(tulap),
        how: "Tulap's law b^-r (b + (v+1/2)(1-b))/(1+b) at -r + v against the recursion, unit by unit",
        ..AUX
    },
    Claim {
        id: "AV-one",
        place: "Awan and Vadhan 2023, reference values",
        says: "For f_{1,0} F(1) = 0.81606..., for G_1 F(1) = Phi(1).",
        domain: "epsilon = 1",
        with: &[("b", "exp(0-1)")],
        check: Check::SameAtPoints {
            of: &[],
            at: &[&[]],
            left: "1 - b*(b + 1/2*(1-b))/(1+b)",
            right: "1 - exp(0-1)/2",
        },
        how: "Tulap's law at 1 against 1 - f(F(0)) with F(0) = 1/2",
        ..AUX
    },
    Claim {
        id: "GEO-series",
        place: "Geometric noise (KOV, Theorem 4.4)",
        says: "Geometric noise of ratio x shifted by one has P(j <= 0) = x/(1+x), and there the likelihood ratio is \
               x: its trade-off function is f_{epsilon,0}.",
        domain: "all x",
        check: Check::All(&[
            // sum over n >= 0 of x^-n is S with S = 1 + S/x.
            Check::Identity { of: &["x"], left: "1 + (x/(x-1))/x", right: "x/(x-1)" },
            Check::Identity { of: &["x"], left: "(x-1)/(x+1)*(x/(x-1))", right: "x/(1+x)" },
            Check::Identity { of: &["x"], left: "(x-1)/(x+1)*(x/(x-1))/x", right: "1/(1+x)" },
        ]),
        how: "geometric series",
        ..AUX
    },
    Claim {
        id: "GEO-engine",
        place: "Geometric noise (KOV, Theorem 4.4)",
        says: "Its composition is exactly that of Theorem 3.3 with delta = 0.",
        domain: "x in {3/2, 2}, k in {1, 3, 6}; at epsilon multiples of 1/2",
        check: Check::Computed(geometric),
        how: "the computed profile of geometric noise against the sum over outcomes of randomised responses",
        ..AUX
    },
    Claim {
        id: "GV-antipodal",
        place: "Geng and Viswanath, staircase noise",
        says: "For shift 1 and gamma <= 1/2 the masses of the losses epsilon, 0, -epsilon are x(1-p_0)/(1+x), p_0 = \
               a b (1-2 gamma), (1-p_0)/(1+x), with b = 1/x and a = (1-b)/(2 (gamma + b (1-gamma))).",
        domain: "all x and gamma",
        with: &[("b", "1/x"), ("a", "(1-b)/(2*(g + b*(1-g)))"), ("p0", "a*b*(1-2*g)")],
        check: Check::All(&[
            // Below 0 lies half of the mass, and between 0 and gamma the shifted density is b times the own one.
            Check::Identity { of: &["x", "g"], left: "1/2 + a*g", right: "x*(1-p0)/(1+x)" },
            Check::Identity { of: &["x", "g"], left: "1/2 - a*(g + b*(1-g)) + a*b*g", right: "(1-p0)/(1+x)" },
        ]),
        how: "integrals of the printed density over the pieces with each ratio",
        ..AUX
    },
    Claim {
        id: "GV-half",
        place: "Geng and Viswanath, staircase noise",
        says: "With gamma = 1/2 it is f_{epsilon,0}; Tulap noise is this staircase.",
        domain: "all x",
        with: &[("b", "1/x"), ("a", "(1-b)/(2*(1/2 + b*(1-1/2)))")],
        check: Check::All(&[
            Check::Identity { of: &["x"], left: "1/2 + a/2", right: "x/(1+x)" },
            Check::Identity { of: &["x"], left: "a", right: "(1-b)/(1+b)" },
        ]),
        how: "the mass of the loss epsilon; the density in the middle against the slope of Tulap's law",
        ..AUX
    },
    Claim {
        id: "LAP-renyi",
        place: "Laplace noise, Renyi divergence (Mironov 2017)",
        says: "D_g = ln(g/(2g-1) e^((g-1)c) + (g-1)/(2g-1) e^(-gc))/(g-1).",
        domain: "all c > 0 and g > 1",
        // Half of P lies at the loss c, e^-c/2 at -c; between, half of the integral of e^-t e^((g-1)(c-2t)) over
        // [0, c].
        check: Check::Identity {
            of: &["g", "A", "B"],
            left: "A/2 + (A - B)/(2*(2*g-1)) + B/2",
            right: "g/(2*g-1)*A + (g-1)/(2*g-1)*B",
        },
        how: "the moment as the sum of two atoms and an integral, A = e^((g-1)c), B = e^(-gc)",
        ..AUX
    },
    Claim {
        id: "LAP-renyi-engine",
        place: "Laplace noise, Renyi divergence (Mironov 2017)",
        says: "D_g = ln(g/(2g-1) e^((g-1)c) + (g-1)/(2g-1) e^(-gc))/(g-1).",
        domain: "c in {1/2, 1, 3}, g in {3/2, 2, 10}",
        check: Check::Computed(laplace_renyi),
        how: "the formula against the computed divergences",
        ..AUX
    },
    Claim {
        id: "GAUSS-renyi",
        place: "Gaussian noise, Renyi divergence",
        says: "D_g = g mu^2/2, and the Kullback-Leibler divergence is mu^2/2.",
        domain: "all mu and g > 1",
        check: Check::All(&[
            // p^g q^(1-g) is a normal density times e^(g (g-1) mu^2/2); the loss is mu^2/2 - mu z, of mean mu^2/2.
            Check::Identity {
                of: &["g", "m", "z"],
                left: "(g-1)*(z-m)^2/2 - g*z^2/2",
                right: "g*(g-1)*m^2/2 - (z - (1-g)*m)^2/2",
            },
            Check::Identity { of: &["m", "z"], left: "((z-m)^2 - z^2)/2", right: "m^2/2 - m*z" },
        ]),
        how: "completing the square",
        ..AUX
    },
    Claim {
        id: "GAUSS-renyi-engine",
        place: "Gaussian noise, Renyi divergence",
        says: "D_g = g mu^2/2, and the Kullback-Leibler divergence is mu^2/2.",
        domain: "mu in {1/2, 1, 3}, g in {3/2, 2, 10}",
        check: Check::Computed(gauss_renyi),
        how: "the formula against the computed divergences",
        ..AUX
    },
]];

fn heterogeneous() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let (xs, ds) = ([q(3, 2), q(2, 1), q(3, 1)], [q(0, 1), q(1, 10), q(1, 5)]);
    let start = Finite { p: vec![q(1, 1)], q: vec![q(1, 1)] };
    let product = xs.iter().zip(&ds).fold(start, |all, (x, d)| all.times(&Finite::worst(x, d)));
    for c in [q(1, 2), q(1, 1), q(3, 2), q(2, 1), q(9, 2), q(10, 1)] {
        let mut sum = Rational::new();
        for set in 0..8_u32 {
            let (mut inside, mut outside) = (Rational::from(1), Rational::from(1));
            for (i, x) in xs.iter().enumerate() {
                *(if set >> i & 1 == 1 { &mut inside } else { &mut outside }) *= x;
            }
            sum += (inside - outside * &c).max(Rational::new());
        }
        let scale = xs.iter().fold(Rational::from(1), |scale, x| scale * Rational::from(x + 1u32));
        let kept = ds.iter().fold(Rational::from(1), |kept, d| kept * Rational::from(1 - d));
        let printed = 1 - kept * (1 - sum / scale);
        let direct: Rational =
            product.p.iter().zip(&product.q).map(|(p, q)| (p - Rational::from(&c * q)).max(Rational::new())).sum();
        tally.equal(|| format!("e^epsilon_g = {c}"), &printed, &direct);
    }
    tally.verdict()
}

fn sharp_pure() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for e in ["1/10", "1", "3"] {
        for g in ["1001/1000", "3/2", "2", "5", "20"] {
            let exact = renyi(&format!("randomized-response(epsilon={e})"), g)?;
            let bound = formula_at("g*e*tanh(e/2)", &[("g", g), ("e", e)])?;
            tally.at_most(|| format!("epsilon = {e}, g = {g}"), &exact, &bound);
        }
    }
    tally.verdict()
}

fn conversion() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for rho in ["1/10", "1/2", "2"] {
        for e in ["1", "3"] {
            let exact = delta(&format!("gdp(mu=sqrt(2*({rho})))"), e)?;
            for g in ["3/2", "2", "3", "5"] {
                let text = "exp((g-1)*(g*rho-e))/(g-1)*exp(g*ln(1-1/g))";
                let bound = formula_at(text, &[("rho", rho), ("e", e), ("g", g)])?;
                tally.at_most(|| format!("rho = {rho}, epsilon = {e}, g = {g}"), &exact, &bound);
            }
        }
    }
    tally.verdict()
}

fn tulap() -> Result<Verdict, Error> {
    let one = Fraction::integer(1);
    let (x, v) = (Fraction::variable(0), Fraction::variable(1));
    let b = one.div(&x)?;
    let half = one.div(&Fraction::integer(2))?;
    let middle = b.add(&v.add(&half).mul(&one.sub(&b))).div(&one.add(&b))?;
    let mut all = Identities::default();
    // f(1 - F) = F/x where 1 - F is beyond the corner, as it is below the middle.
    let mut by_recursion = middle.clone();
    for r in 1..=6_u32 {
        by_recursion = by_recursion.div(&x)?;
        all.same(|| format!("unit {r}"), &["x", "v"], &by_recursion, &b.power(r).mul(&middle))?;
    }
    all.verdict()
}

fn geometric() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for x in [q(3, 2), q(2, 1)] {
        let one = Finite::worst(&x, &q(0, 1));
        // Without the two outcomes of no mass.
        let one = Finite { p: one.p[1..3].to_vec(), q: one.q[1..3].to_vec() };
        for k in [1_u32, 3, 6] {
            let start = Finite { p: vec![q(1, 1)], q: vec![q(1, 1)] };
            let product = (0..k).fold(start, |all, _| all.times(&one));
            for n in 0..3_u32 {
                let c = Rational::from(rug::ops::Pow::pow(&x, n));
                let both = product.p.iter().zip(&product.q);
                let direct: Rational = both.map(|(p, q)| (p - Rational::from(&c * q)).max(Rational::new())).sum();
                let engine = delta(&format!("geometric(epsilon=ln({x}))^{k}"), &format!("{n}*ln({x})"))?;
                tally.meet(|| format!("x = {x}, k = {k}, {n} epsilon"), &engine, &direct.into());
            }
        }
    }
    tally.verdict()
}

fn laplace_renyi() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for c in ["1/2", "1", "3"] {
        for g in ["3/2", "2", "10"] {
            let text = "ln(g/(2*g-1)*exp((g-1)*c) + (g-1)/(2*g-1)*exp(0-g*c))/(g-1)";
            let printed = formula_at(text, &[("c", c), ("g", g)])?;
            let engine = renyi(&format!("laplace(scale=1, sensitivity={c})"), g)?;
            tally.meet(|| format!("c = {c}, g = {g}"), &printed, &engine);
        }
    }
    tally.verdict()
}

fn gauss_renyi() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for mu in ["1/2", "1", "3"] {
        let mechanism = format!("gaussian(sigma=1, sensitivity={mu})");
        for g in ["3/2", "2", "10"] {
            let printed = formula_at("g*m^2/2", &[("m", mu), ("g", g)])?;
            tally.meet(|| format!("mu = {mu}, g = {g}"), &printed, &renyi(&mechanism, g)?);
        }
        let printed = formula_at("m^2/2", &[("m", mu)])?;
        tally.meet(|| format!("mu = {mu}"), &printed, &divergence(Quantity::Kl, &mechanism)?);
    }
    tally.verdict()
}
