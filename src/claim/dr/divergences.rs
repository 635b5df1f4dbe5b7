//! Sections 2 and 3: divergences of pure mechanisms.

use rug::Rational;

use super::super::ask::{delta, epsilon};
use super::super::check::{Check, formula_at};
use super::super::finite::{Finite, pairs, q};
use super::super::record::{Claim, Fault, FaultKind, Paper};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::curve::{Value, finite_kl};
use crate::error::Error;
use crate::pair::FinitePair;
use enclosure::{Enclosure, Number};

const DR: Claim = Claim::of(Paper::Dr);

/// Bits of divergences.
const BITS: u32 = 200;

/// `x`, from 1 on.
const X: &[(&str, &str)] = &[("x", "1+u")];

/// At one outcome with `p = y q`, where `1 <= y <= x`: `(p-q)/(p+q)` is at most `(x-1)/(x+1)`. With `y <= 1` it is that
/// of q against p.
const POINTWISE: Check = Check::Always {
    where_: &[("y", "1+w"), ("x", "1+w+v")],
    free: &["w", "v"],
    left: "(y-1)/(y+1)",
    right: "(x-1)/(x+1)",
};

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DR-L3.7",
        place: "Lemma 3.7",
        says: "If D_inf is at most epsilon in both directions, D(P||Q) + D(Q||P) <= epsilon (e^epsilon - 1).",
        domain: "all pairs and all epsilon >= 0",
        check: Check::All(&[
            POINTWISE,
            Check::Always { where_: X, free: &["u"], left: "2*(x-1)/(x+1)", right: "x - 1" },
        ]),
        how: "(p-q) ln(p/q) <= epsilon |p-q| at each outcome, |p-q| <= (p+q) (x-1)/(x+1), and masses sum to 2",
        ..DR
    },
    Claim {
        id: "DR-L3.7-masses",
        place: "Lemma 3.7",
        says: "If D_inf is at most epsilon in both directions, D(P||Q) + D(Q||P) <= epsilon (e^epsilon - 1).",
        domain: "pairs of three outcomes with positive masses in sevenths",
        check: Check::Computed(|| chain(Chain::Sum)),
        how: "certified divergences, with epsilon the largest log-ratio",
        ..DR
    },
    Claim {
        id: "DR-L3.7-sharp",
        place: "Lemma 3.7",
        says: "The sharp sum 2 epsilon tanh(epsilon/2) is at most epsilon (e^epsilon - 1).",
        domain: "all epsilon >= 0",
        check: Check::Always { where_: X, free: &["u"], left: "2*(x-1)/(x+1)", right: "x - 1" },
        how: "signs of coefficients, divided by epsilon",
        ..DR
    },
    Claim {
        id: "DR-L3.8",
        place: "Lemma 3.8",
        says: "If D_inf is at most epsilon in both directions, D(P||Q) <= epsilon (e^epsilon - 1)/2.",
        domain: "all pairs and all epsilon >= 0",
        check: Check::All(&[
            // The weights of 1/x and x in 1, and the chord of y ln y there, over epsilon.
            Check::Identity { of: &["x"], left: "x*1/(1+x) + 1/x*(x/(1+x))", right: "1" },
            Check::Identity { of: &["x"], left: "x*1/(1+x) - 1/x*(x/(1+x))", right: "(x-1)/(x+1)" },
            Check::Always { where_: X, free: &["u"], left: "(x-1)/(x+1)", right: "(x-1)/2" },
        ]),
        how: "y ln y, y = p/q, is below its chord from 1/x to x, and the mean of y under Q is 1",
        ..DR
    },
    Claim {
        id: "DR-L3.8-masses",
        place: "Lemma 3.8",
        says: "If D_inf is at most epsilon in both directions, D(P||Q) <= epsilon (e^epsilon - 1)/2.",
        domain: "pairs of three outcomes with positive masses in sevenths",
        check: Check::Computed(|| chain(Chain::Half)),
        how: "certified divergences, with epsilon the largest log-ratio",
        ..DR
    },
    Claim {
        id: "DR-L3.8-binary",
        place: "Lemma 3.8",
        says: "D(P||Q) <= epsilon (e^epsilon - 1)/2 for pairs with two log-ratios a = epsilon and -b, b <= epsilon.",
        domain: "1/10 <= epsilon <= 4, 1/50 <= b/epsilon <= 1",
        with: &[
            ("b", "e*r"),
            // q (e^a - 1) = (1-q)(1 - e^-b)
            ("m", "expm1(e)"),
            ("n", "0 - expm1(0-b)"),
        ],
        check: Check::OnBox {
            of: &[("e", "1/10", "4"), ("r", "1/50", "1")],
            left: "(exp(e)*e*n - exp(0-b)*b*m)/(m+n)",
            right: "e*m/2",
        },
        how: "branch and bound over epsilon and b/epsilon",
        ..DR
    },
    Claim {
        id: "DR-L3.8-sharp",
        place: "Lemma 3.8",
        says: "The sharp bound is D(P||Q) <= epsilon TV(P,Q) <= epsilon tanh(epsilon/2).",
        domain: "all pairs and all epsilon > 0",
        check: Check::All(&[
            // The slopes of the chords of y ln y from 1 to x and from 1/x to 1, over epsilon; TV is the mean of
            // (y-1)_+, and of (1-y)_+.
            Check::Identity { of: &["x"], left: "(x - 0)/(x-1)", right: "x/(x-1)" },
            Check::Identity { of: &["x"], left: "(0 - 0-1/x)/(1 - 1/x)", right: "0 - 1/(x-1)" },
            Check::Identity { of: &["x"], left: "x/(x-1) - 1/(x-1)", right: "1" },
            POINTWISE,
        ]),
        how: "y ln y, y = p/q, is below its chords on both sides of 1; and |p-q| <= (p+q) (x-1)/(x+1) at each outcome",
        ..DR
    },
    Claim {
        id: "DR-L3.8-sharp-masses",
        place: "Lemma 3.8",
        says: "The sharp bound is D(P||Q) <= epsilon TV(P,Q) <= epsilon tanh(epsilon/2).",
        domain: "pairs of three outcomes with positive masses in sevenths",
        check: Check::Computed(|| chain(Chain::Sharp)),
        how: "certified divergences; TV by all sets, exactly, against (x-1)/(x+1)",
        ..DR
    },
    Claim {
        id: "DR-L3.8-tight-printed",
        place: "Behind Lemma 3.8",
        says: "The bound epsilon (e^epsilon - 1)/2 is tight: randomised response attains it.",
        domain: "all epsilon",
        check: Check::Identity { of: &["x"], left: "(x-1)/(x+1)", right: "(x-1)/2" },
        how: "the exact divergence of randomised response, divided by epsilon",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-15: only to leading order in epsilon; the sharp bound is epsilon tanh(epsilon/2)",
            corrected: "DR-L3.8-attained",
        }),
        ..DR
    },
    Claim {
        id: "DR-L3.8-attained",
        place: "Lemma 3.8",
        says: "Randomised response attains epsilon tanh(epsilon/2).",
        domain: "all epsilon",
        check: Check::Identity { of: &["x", "e"], left: "x/(1+x)*e + 1/(1+x)*(0-e)", right: "e*(x-1)/(x+1)" },
        how: "the sum of p ln(p/q) over both outcomes",
        ..DR
    },
    Claim {
        id: "DR-L3.8-one-sided",
        place: "Lemmas 3.7 to 3.9, with Definition 2.2 as printed",
        says: "D_inf(P||Q) <= epsilon alone gives D(P||Q) <= epsilon (e^epsilon - 1)/2.",
        domain: "all pairs",
        check: Check::Computed(one_sided),
        how: "P = (1-d, d), Q = ((1-d)/x, 1 - (1-d)/x) with x = 11/10 and d = 10^-6",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-14: D_inf has to be bounded in both directions",
            corrected: "DR-L3.8",
        }),
        ..DR
    },
    Claim {
        id: "DR-L3.9",
        place: "Lemma 3.9, the construction",
        says: "With n = (p-q)/(X-1) and m = X n for p >= q, the remainders of both masses are equal: p - m = q - n.",
        domain: "all p, q and X",
        check: Check::All(&[
            Check::Identity { of: &["p", "q", "X"], left: "p - X*(p-q)/(X-1)", right: "q - (p-q)/(X-1)" },
            Check::Identity { of: &["p", "q", "X"], left: "p - (q-p)/(X-1)", right: "q - X*(q-p)/(X-1)" },
        ]),
        how: "both cases of the construction",
        ..DR
    },
    Claim {
        id: "DR-L3.9-positive",
        place: "Lemma 3.9, the construction",
        says: "The remainder is nonnegative where p/q <= X.",
        domain: "q > 0, p = q (1 + u), X = 1 + u + v",
        check: Check::Always {
            where_: &[("X", "1+u+v"), ("p", "q*(1+u)")],
            free: &["u", "v", "q"],
            left: "0",
            right: "p - X*(p-q)/(X-1)",
        },
        how: "signs of coefficients",
        ..DR
    },
    Claim {
        id: "DR-L3.10",
        place: "Lemma 3.10",
        says: "For antipodal pairs D(P||Q) = D(Q||P).",
        domain: "all epsilon and masses: p of loss epsilon, x p under ... as the masses sum to 1, p_+ = x p_-",
        with: &[("plus", "x*m")],
        check: Check::Identity { of: &["x", "m", "e"], left: "plus*e - m*e", right: "(x*m)*e - (plus/x)*e" },
        how: "both sums of p ln(p/q), with the masses x m and m of the losses epsilon and -epsilon",
        ..DR
    },
    Claim {
        id: "DR-1-delta-printed",
        place: "Introduction, on (epsilon, delta)-DP",
        says: "Except with probability delta, the magnitude of the privacy loss is at most epsilon.",
        domain: "(epsilon, delta)-DP mechanisms",
        check: Check::Computed(|| loss_tail(false)),
        how: "Gaussian noise with mu = 1 at epsilon = 1: its exact delta against P[loss > 1]",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-18: P[loss > epsilon] can exceed delta; delta is at most P[loss > epsilon]",
            corrected: "DR-1-delta",
        }),
        ..DR
    },
    Claim {
        id: "DR-1-delta-inverted-printed",
        place: "Introduction, on (epsilon, delta)-DP",
        says: "With probability at most delta the privacy loss does not exceed epsilon.",
        domain: "(epsilon, delta)-DP mechanisms",
        check: Check::Computed(loss_below),
        how: "Gaussian noise with mu = 1 at epsilon = 1: its exact delta against P[loss <= 1]",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-18: the statement is about privacy losses up to epsilon instead of those above",
            corrected: "DR-1-delta",
        }),
        ..DR
    },
    Claim {
        id: "DR-1-delta",
        place: "Introduction, on (epsilon, delta)-DP",
        says: "The smallest delta at epsilon is at most P[loss > epsilon].",
        domain: "all pairs and all epsilon",
        check: Check::Always { where_: &[("y", "1/(1+u)")], free: &["u"], left: "1 - y", right: "1" },
        how: "delta is the mean of (1 - y)_+, y = e^(epsilon - loss), which is at most 1, and 0 up to epsilon",
        ..DR
    },
    Claim {
        id: "DR-1-delta-gauss",
        place: "Introduction, on (epsilon, delta)-DP",
        says: "The smallest delta at epsilon is at most P[loss > epsilon].",
        domain: "Gaussian noise, mu = 1, epsilon = 1",
        check: Check::Computed(|| loss_tail(true)),
        how: "the exact delta against the normal tail",
        ..DR
    },
    Claim {
        id: "DR-2.2-printed",
        place: "Definition of the delta-approximate divergence",
        says: "ln(P(S)/Q(S)) <= epsilon for all S with P(S) >= delta exactly where the pair is (epsilon, delta)-DP.",
        domain: "all pairs",
        check: Check::Computed(|| approximate(false)),
        how: "P = (1/10, 9/10), Q = (1/20, 19/20), epsilon = 0 and delta = 1/20, by all sets",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-20: the numerator is P(S) - delta (seen in a copy, perhaps the copy's)",
            corrected: "DR-2.2",
        }),
        ..DR
    },
    Claim {
        id: "DR-2.2",
        place: "Definition of the delta-approximate divergence",
        says: "ln((P(S) - delta)/Q(S)) <= epsilon for all S with P(S) >= delta exactly where the pair is (epsilon, \
               delta)-DP.",
        domain: "pairs of three outcomes with positive masses in sevenths, x in {1, 3/2}, delta in {0, 1/20, 1/5}",
        check: Check::Computed(|| approximate(true)),
        how: "all sets, exactly",
        ..DR
    },
    Claim {
        id: "DR-1.1",
        place: "Theorem 1.1",
        says: "k epsilon-DP mechanisms compose to (sqrt(2k ln(1/delta)) epsilon + k epsilon (e^epsilon - 1)/2, \
               delta)-DP.",
        domain: "epsilon in {1/100, 1/10, 1/2}, k in {10, 100}, delta in {1/10, 1e-6}",
        check: Check::Computed(advanced),
        how: "the exact smallest epsilon of the composition",
        ..DR
    },
];

/// Pairs with positive masses only.
fn positive() -> Vec<Finite> {
    let all = pairs(3, 7).into_iter();
    all.filter(|pair| pair.p.iter().chain(&pair.q).all(|mass| !mass.is_zero()) && pair.p != pair.q).collect()
}

/// Which inequality of the chain.
#[derive(Clone, Copy)]
enum Chain {
    Sum,
    Half,
    Sharp,
}

fn kl(pair: &Finite) -> Result<Number, Error> {
    match finite_kl(&FinitePair::new(pair.p.clone(), pair.q.clone())?, BITS) {
        Value::Finite(number) => Ok(number),
        Value::Infinite => Err(Error::internal("an infinite divergence of positive masses")),
    }
}

/// `ln x`.
fn ln(x: &Rational) -> Number {
    Number::Enclosed(Enclosure::rational(x, BITS).ln())
}

fn chain(which: Chain) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for pair in positive() {
        let ratios = pair.p.iter().zip(&pair.q).flat_map(|(p, q)| [Rational::from(p / q), Rational::from(q / p)]);
        let x = ratios.max().unwrap_or_default();
        let (epsilon, excess) = (ln(&x), Rational::from(&x - 1u32));
        let forward = kl(&pair)?;
        let at = || pair.shown();
        match which {
            Chain::Sum => {
                let sum = &forward + &kl(&pair.swapped())?;
                tally.at_most(at, &sum, &(&epsilon * &Number::Exact(excess)));
            }
            Chain::Half => tally.at_most(at, &forward, &(&epsilon * &Number::Exact(excess / 2u32))),
            Chain::Sharp => {
                let variation = pair.hockey_stick(&q(1, 1));
                let tanh = excess / Rational::from(&x + 1u32);
                tally.not_negative(at, &Number::Exact(Rational::from(&tanh - &variation)));
                // Antipodal pairs attain it; enclosures of equal numbers are not told apart.
                let antipodal = pair.p.iter().zip(&pair.q).all(|(p, q)| {
                    let ratio = Rational::from(p / q);
                    ratio == 1 || ratio == x || Rational::from(ratio.recip_ref()) == x
                });
                let bound = &epsilon * &Number::Exact(variation);
                if antipodal { tally.meet(at, &forward, &bound) } else { tally.at_most(at, &forward, &bound) }
            }
        }
    }
    tally.verdict()
}

fn one_sided() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let (x, d) = (q(11, 10), q(1, 1_000_000));
    let most = Rational::from(1 - &d);
    let other = Rational::from(&most / &x);
    let pair = Finite { p: vec![most, d], q: vec![other.clone(), 1 - other] };
    let bound = &ln(&x) * &Number::Exact(Rational::from(&x - 1u32) / 2u32);
    tally.at_most(|| pair.shown(), &kl(&pair)?, &bound);
    tally.verdict()
}

fn loss_tail(right: bool) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    // The loss is normal with mean 1/2 and variance 1.
    let tail = formula_at("Phi(0 - (1 - 1/2))", &[])?;
    let exact = delta("gaussian(sigma=1)", "1")?;
    let (less, more) = if right { (&exact, &tail) } else { (&tail, &exact) };
    tally.at_most(|| "mu = 1, epsilon = 1".to_string(), less, more);
    tally.verdict()
}

fn loss_below() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let below = formula_at("Phi(1 - 1/2)", &[])?;
    tally.at_most(|| "mu = 1, epsilon = 1".to_string(), &below, &delta("gaussian(sigma=1)", "1")?);
    tally.verdict()
}

fn approximate(right: bool) -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let one = vec![Finite::new(&[(1, 10), (9, 10)], &[(1, 20), (19, 20)])];
    let cases = if right { positive() } else { one };
    for pair in cases {
        for x in [q(1, 1), q(3, 2)] {
            for delta in [q(0, 1), q(1, 20), q(1, 5)] {
                let private = pair.hockey_stick(&x) <= delta;
                // e to the divergence, of sets with a mass under Q, which all have here.
                let ratio = pair.sets().into_iter().filter(|(p, q)| *p >= delta && !q.is_zero()).map(|(p, q)| {
                    let numerator = if right { p - &delta } else { p };
                    numerator / q
                });
                let ratio = ratio.max().unwrap_or_default();
                let at = || format!("epsilon = {}, delta = {delta}, {}", shown_log(&x), pair.shown());
                // The divergence is above epsilon exactly if its exponential is above x; the margin comes from the
                // logarithms.
                match (private, ratio > x) {
                    (true, true) => tally.at_most(at, &ln(&ratio), &ln(&x)),
                    (false, false) => tally.at_most(at, &Number::Exact(pair.hockey_stick(&x)), &delta.clone().into()),
                    _ => tally.is(at, true),
                }
            }
        }
    }
    tally.verdict()
}

fn shown_log(x: &Rational) -> String {
    if *x == 1 { "0".to_string() } else { format!("ln({x})") }
}

fn advanced() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for e in ["1/100", "1/10", "1/2"] {
        for k in ["10", "100"] {
            for d in ["1/10", "1e-6"] {
                let bound = formula_at("sqrt(2*k*ln(1/d))*e + k*e*expm1(e)/2", &[("e", e), ("k", k), ("d", d)])?;
                let exact = epsilon(&format!("randomized-response(epsilon={e})^{k}"), d)?;
                tally.at_most(|| format!("epsilon = {e}, k = {k}, delta = {d}"), &exact, &bound);
            }
        }
    }
    tally.verdict()
}
