//! Section 2: variances, sums and tails of subgaussian variables, and Lemma 4.3 as a whole.

use super::super::check::Check;
use super::super::record::{Claim, Paper, Scope};

const DR: Claim = Claim::of(Paper::Dr);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DR-F2.1",
        place: "Fact 2.1",
        says: "A tau-subgaussian X has Var X <= tau^2.",
        domain: "X of two values at distance 1, P = p and 1-p with 1/1000 <= p <= 49/100, with the smallest tau: \
                 tau^2 = (1-2p)/(2 ln((1-p)/p)) (Kearns and Saul)",
        scope: Scope::Class("X of two values"),
        check: Check::OnBox { of: &[("p", "1/1000", "49/100")], left: "p*(1-p)", right: "(1-2*p)/(2*ln((1-p)/p))" },
        how: "branch and bound",
        ..DR
    },
    Claim {
        id: "DR-L2.2",
        place: "Lemma 2.2",
        says: "If each X_i is tau_i-subgaussian given those before, their sum is sqrt(sum tau_i^2)-subgaussian.",
        domain: "all lambda and tau_i; one more variable beside a sum of standard s",
        check: Check::Identity { of: &["l", "s", "t"], left: "l^2*s^2/2 + l^2*t^2/2", right: "l^2*(s^2 + t^2)/2" },
        how: "the mean of e^(lambda S) E[e^(lambda X) | S] with the inner mean at its bound, which is a constant: \
              exponents add, and by induction over the number of variables",
        ..DR
    },
    Claim {
        id: "DR-C3.1",
        place: "Corollary of the definition of (mu, tau)-CDP",
        says: "The privacy loss L of a (mu, tau)-CDP mechanism has P[L >= mu + t tau] <= e^(-t^2/2).",
        domain: "all tau and t > 0",
        check: Check::Identity { of: &["t", "s"], left: "(t/s)^2*s^2/2 - (t/s)*t*s", right: "0 - t^2/2" },
        how: "Markov's inequality for e^(lambda (L - mu)) at lambda = t/tau, tau = s: the resulting exponent",
        ..DR
    },
    Claim {
        id: "DR-L4.3-gauss",
        place: "Lemma 4.3",
        says: "The centred privacy loss from D to D'' is (2 tau + 34 tau^(3/2))-subgaussian if tau_1, tau_2 <= tau.",
        domain: "normal distributions of variance 1 in a row, all tau; tau = s^2",
        scope: Scope::Class("Gaussian noise"),
        check: Check::Always {
            where_: &[("a", "s^2/(1+u)"), ("b", "s^2/(1+v)")],
            free: &["s", "u", "v"],
            left: "a + b",
            right: "2*s^2 + 34*s^3",
        },
        how: "the loss at distance tau_1 + tau_2 is normal with that standard; signs of coefficients",
        ..DR
    },
];
