//! Mechanisms that the papers name: staircase, discrete Gaussian and canonical noise, and the conversion of zCDP at its
//! best.

use rug::Rational;

use super::ask::{delta, renyi};
use super::check::{Check, formula_at};
use super::finite::q;
use super::record::{Claim, Paper, Scope};
use super::tally::Tally;
use super::verdict::Verdict;
use crate::error::Error;
use enclosure::{Enclosure, Number};

const AUX: Claim = Claim::of(Paper::Auxiliary);

/// The sums of `b^k`, `k b^k` and `k^2 b^k` over `k >= 0`.
const S0: (&str, &str) = ("S0", "1/(1-b)");
const S1: (&str, &str) = ("S1", "b/(1-b)^2");
const S2: (&str, &str) = ("S2", "b*(1+b)/(1-b)^3");

/// `E |X|` of staircase noise of sensitivity 1 with this gamma.
const MEAN: &str = "(1-b)/(2*(g+b*(1-g)))*(2*g*S1+g^2*S0+b*((2*S1+S0)-(2*g*S1+g^2*S0)))";

/// `E X^2`.
const VARIANCE: &str = "2*(1-b)/(2*(g+b*(1-g)))/3*((3*g*S2+3*g^2*S1+g^3*S0)\
                        +b*(3*S2+3*S1+S0-(3*g*S2+3*g^2*S1+g^3*S0)))";

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "GV-L1",
        place: "Geng and Viswanath, staircase noise of the least E |X|",
        says: "E |X| is smallest at gamma = 1/(1 + e^(epsilon/2)): the excess over the minimum is a positive factor \
               times (gamma (1+y) - y)^2, y = e^(-epsilon/2).",
        domain: "all epsilon > 0 and 0 <= gamma <= 1; b = y^2 = 1/(1+t)^2",
        with: &[("b", "y^2"), S0, S1, S2],
        check: Check::All(&[
            Check::Identity {
                of: &["g", "y"],
                left: MEAN,
                right: "y/(1-y^2) + (1-y)*(g*(1+y)-y)^2/(2*(1+y)*(g*(1-y^2)+y^2))",
            },
            Check::Always {
                where_: &[("y", "1/(1+t)"), ("g", "1/(1+v)")],
                free: &["t", "v"],
                left: "0",
                right: "(1-y)/(2*(1+y)*(g*(1-y^2)+y^2))",
            },
        ]),
        how: "the mean as sums over the steps, as a rational function; signs of coefficients of the factor",
        ..AUX
    },
    Claim {
        id: "GV-L1-value",
        place: "Geng and Viswanath, staircase noise of the least E |X|",
        says: "The smallest E |X| is e^(epsilon/2)/(e^epsilon - 1).",
        domain: "all epsilon; y = e^(-epsilon/2)",
        with: &[("b", "y^2"), ("g", "y/(1+y)"), S0, S1, S2],
        check: Check::Identity { of: &["y"], left: MEAN, right: "1/y/(1/y^2 - 1)" },
        how: "the mean as sums over the steps, at gamma = y/(1+y)",
        ..AUX
    },
    Claim {
        id: "GV-variance",
        place: "Geng and Viswanath, staircase noise of the least variance",
        says: "The variance is smallest at gamma = -b/(1-b) + (b - 2b^2 + 2b^4 - b^5)^(1/3)/(2^(1/3) (1-b)^2), b = \
               e^-epsilon: its derivative has the sign of (gamma (1-b)^2 + b (1-b))^3 - (b - 2b^2 + 2b^4 - b^5)/2, \
               which increases in gamma and is 0 there.",
        domain: "all epsilon > 0 and 0 <= gamma <= 1",
        with: &[S0, S1, S2],
        check: Check::All(&[
            Check::Identity { of: &["g", "b"], left: VARIANCE, right: VARIANCE_QUOTIENT },
            Check::Identity { of: &["g", "b", "h"], left: NUMERATOR_MOVED, right: NUMERATOR_EXPANDED },
            Check::Identity { of: &["g", "b"], left: DERIVATIVE, right: CUBIC },
        ]),
        how: "the variance as sums over the steps; the quotient rule; the cubic, as rational functions of gamma and b",
        ..AUX
    },
    Claim {
        id: "GV-variance-one",
        place: "Geng and Viswanath, staircase noise of the least variance",
        says: "At epsilon = 1 the variance is smallest within 10^-15 of gamma = 0.416737434928882..., and it is \
               1.9181035... there, below the 2 of Laplace noise.",
        domain: "epsilon = 1",
        scope: Scope::Numbers,
        with: &[("b", "exp(0-1)"), ("g", "0.41673743492888243343"), S0, S1, S2],
        check: Check::Figures(&[
            Check::AtPoints { of: &[], at: &[&[]], left: VARIANCE, right: "1.918103531235526" },
            Check::AtPoints { of: &[], at: &[&[]], left: "1.918103531235525", right: VARIANCE },
            // The cubic of the derivative is below 0 a little before this gamma, and above 0 a little behind it.
            Check::AtPoints { of: &[], at: &[&[]], left: CUBIC_BEFORE, right: "0" },
            Check::AtPoints { of: &[], at: &[&[]], left: "0", right: CUBIC_BEHIND },
        ]),
        how: "the variance at that gamma, and the sign of its derivative on both sides of it",
        ..AUX
    },
    Claim {
        id: "MECH-DG-loss",
        place: "Canonne, Kamath and Steinke 2020, discrete Gaussian noise",
        says: "For shift 1 the privacy loss at j is (1 - 2j)/(2 sigma^2); it exceeds epsilon for j below 1/2 - \
               epsilon sigma^2.",
        domain: "all j and sigma; s = sigma^2",
        check: Check::All(&[
            Check::Identity { of: &["j", "s"], left: "(j-1)^2/(2*s) - j^2/(2*s)", right: "(1-2*j)/(2*s)" },
            Check::Identity { of: &["e", "s"], left: "(1 - 2*(1/2 - e*s))/(2*s)", right: "e" },
        ]),
        how: "exponents of the two laws",
        ..AUX
    },
    Claim {
        id: "MECH-DG-renyi",
        place: "Canonne, Kamath and Steinke 2020, discrete Gaussian noise",
        says: "For shift D it is D^2/(2 sigma^2)-zCDP: D_g <= g D^2/(2 sigma^2) for every g > 1.",
        domain: "all g, D and sigma; s = sigma^2",
        check: Check::Identity {
            of: &["g", "j", "D", "s"],
            left: "0 - g*j^2/(2*s) - (1-g)*(j-D)^2/(2*s)",
            right: "g*(g-1)*D^2/(2*s) - (j - (1-g)*D)^2/(2*s)",
        },
        how: "completing the square; the sum over a moved lattice is at most that over the integers (Poisson \
              summation)",
        ..AUX
    },
    Claim {
        id: "MECH-DG-renyi-engine",
        place: "Canonne, Kamath and Steinke 2020, discrete Gaussian noise",
        says: "For shift D it is D^2/(2 sigma^2)-zCDP: D_g <= g D^2/(2 sigma^2) for every g > 1.",
        domain: "sigma^2 in {1/4, 1}, D in {1, 2}, g in {8/5, 12/5, 51/10}",
        check: Check::Computed(discrete_renyi),
        how: "the computed divergences against the bound",
        ..AUX
    },
    Claim {
        id: "MECH-DG-profile",
        place: "Canonne, Kamath and Steinke 2020, discrete Gaussian noise",
        says: "For shift 1 its profile is P[X > epsilon sigma^2 - 1/2] - e^epsilon P[X > epsilon sigma^2 + 1/2].",
        domain: "sigma^2 in {1/4, 1, 4}, epsilon in {1/4, 1, 2}",
        check: Check::Computed(discrete_profile),
        how: "sums of 81 masses with a bound on the tail, against the computed profile",
        ..AUX
    },
    Claim {
        id: "MECH-DG-above",
        place: "Su, Section 4.4, on discrete Gaussian noise",
        says: "Discrete Gaussian noise is not as private as continuous noise of the same sigma: at sigma = 1 and \
               epsilon = 1 its delta is above 0.1413, that of Gaussian noise below 0.127.",
        domain: "sigma = 1, epsilon = 1",
        scope: Scope::Numbers,
        check: Check::Computed(discrete_above),
        how: "both computed deltas",
        ..AUX
    },
    Claim {
        id: "AV-shift",
        place: "Awan and Vadhan 2023, property (1) of canonical noise, for D < 1",
        says: "T(Z, Z + D) >= f for 0 <= D <= 1.",
        domain: "f_{epsilon,0}, all x; D = p/q with q <= 12, at all multiples of 1/(2q) within three units",
        check: Check::Computed(moved_less),
        how: "Tulap's density x^-|n| on the unit around n, moved by D: ratios of densities are x, 1 or 1/x, which is \
              epsilon-DP, and that is f_{epsilon,0} (DRS-2.5)",
        ..AUX
    },
    Claim {
        id: "AV-quantile",
        place: "Awan and Vadhan 2023, the quantile of canonical noise",
        says: "In the middle the quantile of u is (u - 1/2)/(1 - 2c).",
        domain: "all fixed points c and all u",
        with: &[("y", "(u - 1/2)/(1 - 2*c)")],
        check: Check::Identity { of: &["u", "c"], left: "c*(1/2 - y) + (1-c)*(y + 1/2)", right: "u" },
        how: "the law in the middle at that place",
        ..AUX
    },
    Claim {
        id: "BS-comp",
        place: "Bun and Steinke 2016, Lemma 1.7",
        says: "The rho of zCDP is additive over compositions.",
        domain: "all rho_1, rho_2 and g",
        check: Check::Identity { of: &["g", "r", "s"], left: "g*r + g*s", right: "g*(r+s)" },
        how: "Renyi divergences of one order add, and after any first answer the second is at most g rho_2",
        ..AUX
    },
    Claim {
        id: "BS-conv2",
        place: "Bun and Steinke 2016, Lemma 3.6",
        says: "rho-zCDP gives delta = e^(-(epsilon-rho)^2/(4 rho)) min(1, sqrt(pi rho), 1/w, 2/(w + sqrt(w^2 + 4/(pi \
               rho)))), w = 1 + (epsilon-rho)/(2 rho), for epsilon >= rho.",
        domain: "Gaussian noise, rho = v^2 with 1/10 <= v <= 2, epsilon = rho + 2 v s with 0 <= s <= 3",
        scope: Scope::Class("Gaussian noise"),
        with: &[("w", "1 + s/v"), ("pr", "v^2/(2*rtp()^2)")],
        check: Check::OnBox {
            of: &[("v", "1/10", "2"), ("s", "0", "3")],
            left: "gauss(sqrt(2)*v, v^2 + 2*v*s)*exp(s^2)",
            right: "min(min(1, sqrt(pr)), min(1/w, 2/(w + sqrt(w^2 + 4/pr))))",
        },
        how: "branch and bound on the exact Gaussian profile with mu = v sqrt(2)",
        ..AUX
    },
];

const VARIANCE_QUOTIENT: &str = "(b^3*g^3-3*b^3*g^2+3*b^3*g-b^3-3*b^2*g^3+6*b^2*g^2-4*b^2+3*b*g^3-3*b*g^2-3*b*g-b-g^3)\
                                 /(3*(b-1)^2*(b*g-b-g))";
/// The numerator at `g + h`, and its expansion at g: what stands beside h is the derivative.
const NUMERATOR_MOVED: &str = "b^3*(g+h)^3-3*b^3*(g+h)^2+3*b^3*(g+h)-b^3-3*b^2*(g+h)^3+6*b^2*(g+h)^2-4*b^2\
                               +3*b*(g+h)^3-3*b*(g+h)^2-3*b*(g+h)-b-(g+h)^3";
const NUMERATOR_EXPANDED: &str = "(b^3*g^3-3*b^3*g^2+3*b^3*g-b^3-3*b^2*g^3+6*b^2*g^2-4*b^2+3*b*g^3-3*b*g^2-3*b*g-b-g^3)\
                                  +h*(3*b^3*g^2-6*b^3*g+3*b^3-9*b^2*g^2+12*b^2*g+9*b*g^2-6*b*g-3*b-3*g^2)\
                                  +h^2*(3*b^3*g-3*b^3-9*b^2*g+6*b^2+9*b*g-3*b-3*g)+h^3*(b-1)^3";
/// `N' D - N D'` with `D = 3 (b-1)^2 (bg - b - g)`, divided by 6: the derivative times `D^2/6`.
const DERIVATIVE: &str = "((3*b^3*g^2-6*b^3*g+3*b^3-9*b^2*g^2+12*b^2*g+9*b*g^2-6*b*g-3*b-3*g^2)*(b*g-b-g)\
                          -(b^3*g^3-3*b^3*g^2+3*b^3*g-b^3-3*b^2*g^3+6*b^2*g^2-4*b^2+3*b*g^3-3*b*g^2-3*b*g-b-g^3)*(b-1))\
                          *(b-1)^2/2";
const CUBIC: &str = "(g*(1-b)^2+b*(1-b))^3-(b-2*b^2+2*b^4-b^5)/2";
const CUBIC_BEFORE: &str = "((g-1/10^15)*(1-b)^2+b*(1-b))^3-(b-2*b^2+2*b^4-b^5)/2";
const CUBIC_BEHIND: &str = "((g+1/10^15)*(1-b)^2+b*(1-b))^3-(b-2*b^2+2*b^4-b^5)/2";

fn discrete_renyi() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for sigma2 in ["1/4", "1"] {
        for shift in ["1", "2"] {
            // If (g-1) D is an integer both sides are equal, which enclosures cannot decide.
            for g in ["8/5", "12/5", "51/10"] {
                let mechanism = format!("discrete-gaussian(sigma2={sigma2}, sensitivity={shift})");
                let bound = formula_at("g*D^2/(2*s)", &[("g", g), ("D", shift), ("s", sigma2)])?;
                tally.at_most(|| format!("sigma^2 = {sigma2}, D = {shift}, g = {g}"), &renyi(&mechanism, g)?, &bound);
            }
        }
    }
    tally.verdict()
}

/// Bits of sums of masses.
const BITS: u32 = 200;

/// The masses beyond this place are bounded.
const LAST: i32 = 40;

/// `P[X > level]` of discrete Gaussian noise around 0, for a level between -40 and 40: beyond 40 the weights fall by
/// `e^(-81/(2 sigma^2))` and more from one place to the next.
fn tail(sigma2: &Rational, level: &Rational) -> Enclosure {
    let weight = |j: i32| (-Enclosure::rational(&(Rational::from(j * j) / Rational::from(sigma2 * 2u32)), BITS)).exp();
    let one = Enclosure::one(BITS);
    let ratio = (-Enclosure::rational(&(Rational::from(2 * LAST + 1) / Rational::from(sigma2 * 2u32)), BITS)).exp();
    let beyond = weight(LAST + 1) / (one - ratio);
    let beyond = Enclosure::zero(BITS).hull(&beyond);
    let sum = |from: &dyn Fn(i32) -> bool| {
        (-LAST..=LAST).filter(|j| from(*j)).fold(Enclosure::zero(BITS), |sum, j| sum + weight(j))
    };
    let all = sum(&|_| true) + &beyond + &beyond;
    (sum(&|j| *level < j) + beyond) / all
}

fn discrete_profile() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for sigma2 in [q(1, 4), q(1, 1), q(4, 1)] {
        for epsilon in [q(1, 4), q(1, 1), q(2, 1)] {
            let level = Rational::from(&epsilon * &sigma2);
            let x = Enclosure::rational(&epsilon, BITS).exp();
            let low = tail(&sigma2, &(level.clone() - q(1, 2)));
            let direct = low - x * tail(&sigma2, &(level + q(1, 2)));
            let engine = delta(&format!("discrete-gaussian(sigma2={sigma2})"), &epsilon.to_string())?;
            tally.meet(|| format!("sigma^2 = {sigma2}, epsilon = {epsilon}"), &engine, &Number::Enclosed(direct));
        }
    }
    tally.verdict()
}

fn discrete_above() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let (discrete, continuous) = (delta("discrete-gaussian(sigma2=1)", "1")?, delta("gaussian(sigma=1)", "1")?);
    tally.at_most(|| "discrete noise".into(), &q(1413, 10000).into(), &discrete);
    tally.at_most(|| "continuous noise".into(), &continuous, &q(127, 1000).into());
    Ok(tally.verdict()?.of_nothing_else("the numbers"))
}

/// The unit around n goes from `n - 1/2` on, without its end.
fn unit(y: &Rational) -> Rational {
    (y.clone() + q(1, 2)).floor()
}

fn moved_less() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for parts in 1..=12_i64 {
        for shift in 0..=parts {
            let moved = q(shift, parts);
            for place in -6 * parts..=6 * parts {
                // Inside of the pieces of both, which end at multiples of 1/(2q).
                let y = q(2 * place + 1, 4 * parts);
                let steps = unit(&y).abs() - unit(&(y.clone() - &moved)).abs();
                let near = (-1..=1).any(|step| steps == step);
                tally.is(|| format!("D = {moved}, at {y}: {steps} steps"), near);
            }
        }
    }
    tally.verdict()
}
