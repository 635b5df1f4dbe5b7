//! Section 2: subgaussian random variables, and Section 3 where losses are.

use super::super::check::Check;
use super::super::record::{Claim, Fault, FaultKind, Paper, Scope};
use super::super::tally::Tally;
use super::super::verdict::Verdict;
use crate::error::Error;
use enclosure::Number;

const DR: Claim = Claim::of(Paper::Dr);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DR-L2.1",
        place: "Lemma 2.1",
        says: "A tau-subgaussian X has P[X >= t tau] <= e^(-t^2/2).",
        domain: "all tau = s and t > 0",
        check: Check::Identity { of: &["t", "s"], left: "(t/s)^2*s^2/2 - (t/s)*t*s", right: "0 - t^2/2" },
        how: "Markov's inequality for e^(lambda X) at lambda = t/tau: the resulting exponent",
        ..DR
    },
    Claim {
        id: "DR-L2.1-gauss",
        place: "Lemma 2.1",
        says: "A tau-subgaussian X has P[X >= t tau] <= e^(-t^2/2).",
        domain: "normal X, 0 <= t <= 40",
        scope: Scope::Class("normal X"),
        check: Check::OnBox { of: &[("t", "0", "40")], left: "Phi(0-t)", right: "exp(0-t^2/2)" },
        how: "branch and bound on the normal tail",
        ..DR
    },
    Claim {
        id: "DR-F2.2",
        place: "Fact 2.2",
        says: "E Y^k <= ceil(k/2)! 2^(ceil(k/2)+1) tau^k for tau-subgaussian Y.",
        domain: "normal Y, k = 2, 4, ..., 60",
        check: Check::Computed(moments),
        how: "exact moments (k-1)!!",
        ..DR
    },
    Claim {
        id: "DR-L2.3",
        place: "Lemma 2.3, first inequality",
        says: "E[X e^Y] <= E X + sqrt(E X^2)(tau + 3 tau^2) for tau-subgaussian Y, tau <= 1/3.",
        domain: "Y = tau or -tau with probability 1/2, X its function with values (1, s), (-1, s), (s, 1) or (s, \
                 -1), -1 <= s <= 1, 1/100 <= tau <= 1/3",
        scope: Scope::Class("X a function of a two-valued Y"),
        check: Check::All(&[
            Check::OnBox { of: TWO_VALUES, left: "(expm1(tau) + s*expm1(0-tau))/2", right: ROOT },
            Check::OnBox { of: TWO_VALUES, left: "(s*expm1(0-tau) - expm1(tau))/2", right: ROOT },
            Check::OnBox { of: TWO_VALUES, left: "(s*expm1(tau) + expm1(0-tau))/2", right: ROOT },
            Check::OnBox { of: TWO_VALUES, left: "(s*expm1(tau) - expm1(0-tau))/2", right: ROOT },
        ]),
        how: "branch and bound on E[X(e^Y - 1)]",
        ..DR
    },
    Claim {
        id: "DR-L2.3-second-printed",
        place: "Lemma 2.3, second inequality",
        says: "E[X e^Y] <= E X + (sqrt(Var X) + E X)(tau + 3 tau^2) for every X.",
        domain: "X = c constant, Y = tau or -tau with probability 1/2, tau = 1/3",
        check: Check::AtPoints {
            of: &["c", "tau"],
            at: &[&["1", "1/3"], &["0", "1/3"], &["-1", "1/3"]],
            left: "c*cosh(tau)",
            right: "c + c*(tau + 3*tau^2)",
        },
        how: "both sides at three constants",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-16: it fails where E X < 0",
            corrected: "DR-L2.3-second",
        }),
        ..DR
    },
    Claim {
        id: "DR-L2.3-second",
        place: "Lemma 2.3, second inequality",
        says: "E[X e^Y] <= E X + (sqrt(Var X) + E X)(tau + 3 tau^2) where E X >= 0.",
        domain: "X >= 0 constant, Y = tau or -tau with probability 1/2, 0 <= tau <= 1/3",
        scope: Scope::Class("constant X and a two-valued Y"),
        check: Check::OnBox { of: &[("tau", "0", "1/3")], left: "cosh(tau) - 1", right: "tau + 3*tau^2" },
        how: "branch and bound, divided by X; both sides touch at 0",
        ..DR
    },
    Claim {
        id: "DR-3.2",
        place: "Theorem 3.2",
        says: "The privacy loss of Gaussian noise with tau = D/sigma has mean tau^2/2, and its centred version is \
               exactly tau-subgaussian.",
        domain: "all sigma, D and lambda",
        check: Check::All(&[
            Check::Identity { of: &["y", "D", "s"], left: "((y-D)^2 - y^2)/(2*s^2)", right: "D^2/(2*s^2) - D*y/s^2" },
            Check::Identity { of: &["D", "s", "l"], left: "(l*D/s^2)^2*s^2/2", right: "l^2*(D/s)^2/2" },
        ]),
        how: "the log-ratio of the densities, and the exponent of the moment generating function of a normal variable",
        ..DR
    },
    Claim {
        id: "DR-C3.3-printed",
        place: "Corollary 3.3",
        says: "For groups of s the second parameter is s D.",
        domain: "all sigma",
        check: Check::Identity { of: &["s", "D", "sigma"], left: "(s*D)^2/(2*sigma^2)", right: "(s*D)^2/2" },
        how: "the mean of the loss at distance s D, against half of the square of the second parameter",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-19: it is s D/sigma (seen in a copy, perhaps the copy's)",
            corrected: "DR-C3.3",
        }),
        ..DR
    },
    Claim {
        id: "DR-C3.3",
        place: "Corollary 3.3",
        says: "For groups of s the parameters are (s D/sigma)^2/2 and s D/sigma.",
        domain: "all sigma",
        check: Check::Identity { of: &["s", "D", "sigma"], left: "(s*D)^2/(2*sigma^2)", right: "(s*D/sigma)^2/2" },
        how: "the mean of the loss at distance s D, against half of the square of the second parameter",
        ..DR
    },
    Claim {
        id: "DR-L3.6",
        place: "Lemma 3.6 (Hoeffding)",
        says: "A zero-mean X between a and b has E e^(lambda X) <= e^(lambda^2 (b-a)^2/8).",
        domain: "X of two values, 1/20 <= P[X = b] <= 19/20, 1 <= h = lambda (b-a) <= 12",
        scope: Scope::Class("X of two values"),
        check: Check::OnBox {
            of: &[("p", "1/20", "19/20"), ("h", "1", "12")],
            left: "log1p(p*expm1(h)) - p*h",
            right: "h^2/8",
        },
        how: "branch and bound on logarithms",
        ..DR
    },
    Claim {
        id: "DR-3.5",
        place: "Theorem 3.5",
        says: "The centred privacy loss of an epsilon-DP mechanism is epsilon-subgaussian: it lies in an interval of \
               length 2 epsilon.",
        domain: "all epsilon and lambda",
        check: Check::Computed(by_hoeffding),
        how: "the exponent of Hoeffding's lemma at that length; the lemma itself is assumed",
        ..DR
    },
    Claim {
        id: "DR-RR-mean",
        place: "Section 3, randomised response",
        says: "E e^-L = 1, so at lambda = -1 the centred privacy loss of randomised response has the exponent epsilon \
               tanh(epsilon/2), half of the square of its subgaussian parameter.",
        domain: "all epsilon",
        check: Check::Identity { of: &["x"], left: "x/(1+x)/x + x/(1+x)", right: "1" },
        how: "the moment generating function at -1",
        ..DR
    },
    Claim {
        id: "DR-RR",
        place: "Section 3, randomised response",
        says: "The centred privacy loss of randomised response is sqrt(2 epsilon tanh(epsilon/2))-subgaussian.",
        domain: "all epsilon and lambda; h = epsilon/2, lambda = (t-1)/2, s = e^h, v = e^(h lambda), k = tanh h",
        check: Check::All(&[
            Check::Identity {
                of: &["s", "v"],
                left: "(s^2*v^2 + 1/v^2)/(1 + s^2)",
                right: "(s*v^2 + 1/(s*v^2))/(s + 1/s)",
            },
            Check::Identity {
                of: &["h", "t", "k"],
                left: "2*h*k*(t-1)/2 + 2*h*k*((t-1)/2)^2",
                right: "(h^2*t^2 - h^2)*k/(2*h)",
            },
            Check::Always { where_: &[("x", "1+u")], free: &["u"], left: "1", right: "(x + 1/x)/2" },
        ]),
        how: "the exponent is ln cosh(h t) - ln cosh h less the mean, and the bound is that ln cosh sqrt(u) at u = (h \
              t)^2 is not above its tangent at h^2, of slope k/(2h): it is concave, for tanh(y)/y falls where \
              sinh(2y) >= 2y, which is cosh >= 1 integrated",
        ..DR
    },
    Claim {
        id: "DR-RR-points",
        place: "Section 3, randomised response",
        says: "The centred privacy loss of randomised response is sqrt(2 epsilon tanh(epsilon/2))-subgaussian.",
        domain: "epsilon in {1/10, 1, 3}, lambda in {-10, -3, -3/2, -1/2, 1/2, 2, 10}",
        check: Check::AtPoints {
            of: &["e", "l"],
            at: &[
                &["1/10", "-10"],
                &["1/10", "-3/2"],
                &["1/10", "-1/2"],
                &["1/10", "2"],
                &["1", "-10"],
                &["1", "-3"],
                &["1", "-3/2"],
                &["1", "-1/2"],
                &["1", "1/2"],
                &["1", "10"],
                &["3", "-3"],
                &["3", "-3/2"],
                &["3", "-1/2"],
                &["3", "2"],
            ],
            left: "ln((exp(e + l*e) + exp(0-l*e))/(1+exp(e))) - l*e*tanh(e/2)",
            right: "l^2*e*tanh(e/2)",
        },
        how: "logarithms of the moment generating function",
        ..DR
    },
];

fn by_hoeffding() -> Result<Verdict, Error> {
    let exponents = Check::Identity { of: &["l", "e"], left: "l^2*(2*e)^2/8", right: "l^2*e^2/2" };
    Ok(match exponents.run(&[])? {
        Verdict::Proven { margin, by, parts } => {
            let by = format!("{by}; it rests on Hoeffding's lemma, which DR-L3.6 has for a class alone");
            Verdict::Proven { margin, by, parts }
        }
        other => other,
    })
}

/// The ratio of the values of X, and tau.
const TWO_VALUES: &[(&str, &str, &str)] = &[("s", "0-1", "1"), ("tau", "1/100", "1/3")];

/// `sqrt(E X^2)(tau + 3 tau^2)`.
const ROOT: &str = "sqrt((1+s^2)/2)*(tau + 3*tau^2)";

fn moments() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    let mut moment = rug::Integer::from(1);
    for k in (2..=60_u32).step_by(2) {
        moment *= k - 1;
        let bound = rug::Integer::from(rug::Integer::factorial(k / 2)) << (k / 2 + 1);
        tally.at_most(|| format!("k = {k}"), &Number::from(moment.clone()), &Number::from(bound));
    }
    tally.verdict()
}
