//! Section 3: the bounds with a closed form, Theorems 3.2, 3.4 and 3.5, and Dwork and Rothblum's Theorem 1.1.
//!
//! Each promises a slack d at a target epsilon. The exact delta of the composition there is the sum of Theorem 3.3 and
//! of Murtagh and Vadhan, proven above from the product of the worst pairs; with `p = x/(1+x)` and the target
//! `a epsilon` it is `sum over l of C(k,l) p^(k-l) (1-p)^l (1 - e^(epsilon (a - (k-2l))))_+`, and a box of
//! `(epsilon, d)` is proven by branch and bound. A delta of the mechanisms changes both sides in the same way:
//! `1 - (1-delta)^k (1 - d)`.

use super::super::check::{Check, on_box};
use super::super::record::{Claim, Paper};
use super::super::verdict::Verdict;
use crate::error::Error;

/// The largest composition.
const MOST: u32 = 10;

const KOV: Claim = Claim::of(Paper::Kov);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "KOV-3.2",
        place: "Theorem 3.2 (Dwork, Rothblum, Vadhan 2010)",
        says: "k (epsilon, 0)-DP mechanisms compose to (k epsilon (x-1) + epsilon sqrt(2k ln(1/d)), d)-DP.",
        domain: "all epsilon >= 0 and 0 < d <= 1; k = 1 to 10",
        check: Check::Computed(|| slack("inf", "k*(exp(e)-1) + s")),
        how: "branch and bound over epsilon and s, d = e^(-s^2/(2k)), against the exact delta",
        ..KOV
    },
    Claim {
        id: "DR-1.1-exact",
        place: "Theorem 1.1 of Dwork and Rothblum, quoted beside Theorem 3.2",
        says: "k (epsilon, 0)-DP mechanisms compose to (k epsilon (x-1)/2 + epsilon sqrt(2k ln(1/d)), d)-DP.",
        domain: "all epsilon >= 0 and 0 < d <= 1; k = 1 to 10",
        check: Check::Computed(|| slack("inf", "k*(exp(e)-1)/2 + s")),
        how: "branch and bound over epsilon and s, d = e^(-s^2/(2k)), against the exact delta",
        ..KOV
    },
    Claim {
        id: "KOV-3.4-third",
        place: "Theorem 3.4, third branch",
        says: "k (epsilon, 0)-DP mechanisms compose to (k epsilon (x-1)/(x+1) + epsilon sqrt(2k ln(1/d)), d)-DP.",
        domain: "0 <= epsilon <= 40, 0 < d <= 1; k = 1 to 10",
        check: Check::Computed(|| slack("40", "k*tanh(e/2) + s")),
        how: "branch and bound over epsilon and s, d = e^(-s^2/(2k)), against the exact delta",
        ..KOV
    },
    Claim {
        id: "KOV-3.4-second",
        place: "Theorem 3.4, second branch",
        says: "k (epsilon, 0)-DP mechanisms compose to (k epsilon (x-1)/(x+1) + epsilon sqrt(2k ln(e + sqrt(k) \
               epsilon/d)), d)-DP.",
        domain: "all epsilon >= 0 and d > 0; k = 1 to 10",
        check: Check::Computed(second_branch),
        how: "branch and bound over epsilon and u = sqrt(2 ln(e + sqrt(k) epsilon/d)): with 1 - e^-y <= y the exact \
              delta is at most epsilon times a sum that is at most d/epsilon",
        ..KOV
    },
    Claim {
        id: "KOV-8",
        place: "Section 3.2, equation (8)",
        says: "In (8), k epsilon^2 may stand for k epsilon (x-1)/(x+1) where epsilon <= 0.9.",
        domain: "0 <= epsilon <= 9/10",
        check: Check::OnBox { of: &[("e", "0", "9/10")], left: "e*tanh(e/2)", right: "e^2" },
        how: "branch and bound; both sides touch at 0, where the second derivative decides",
        ..KOV
    },
    Claim {
        id: "KOV-8-everywhere",
        place: "Section 3.2, equation (8)",
        says: "(8) holds for every epsilon, with k epsilon^2/2 as well: the condition epsilon <= 0.9 is not needed \
               (E-5).",
        domain: "all epsilon >= 0",
        check: Check::OnBox { of: &[("e", "0", "inf")], left: "tanh(e/2)", right: "e/2" },
        how: "branch and bound; both sides touch at 0, where the third derivative decides",
        ..KOV
    },
    Claim {
        id: "KOV-3.5-third",
        place: "Theorem 3.5, third branch",
        says: "Two mechanisms that are (epsilon_1, 0)-DP and (epsilon_2, 0)-DP compose to (M + sqrt(2 S_2 ln(1/d)), \
               d)-DP, M = sum of epsilon_l (x_l-1)/(x_l+1), S_2 = sum of epsilon_l^2.",
        domain: "epsilon_2 <= epsilon_1 <= 8, 0 < d <= 1",
        check: Check::Computed(two_different),
        how: "branch and bound over epsilon_1, epsilon_2/epsilon_1 and s, d = e^(-s^2/2), against the profile of the \
              product of both pairs",
        ..KOV
    },
    Claim {
        id: "KOV-3.4-order",
        place: "Section 3.2",
        says: "The third branch of Theorem 3.4 is never above Theorem 1.1 of Dwork and Rothblum, and that never above \
               Theorem 3.2: (x-1)/(x+1) <= (x-1)/2 <= x-1.",
        domain: "all x >= 1",
        check: Check::All(&[
            Check::Always { where_: &[("x", "1+u")], free: &["u"], left: "(x-1)/(x+1)", right: "(x-1)/2" },
            Check::Always { where_: &[("x", "1+u")], free: &["u"], left: "(x-1)/2", right: "x-1" },
        ]),
        how: "signs of coefficients, with x = 1 + u",
        ..KOV
    },
    Claim {
        id: "KOV-3.4-total",
        place: "Theorems 3.2 and 3.4",
        says: "The total delta 1 - (1-delta)^2 (1-d) of Theorem 3.4 is at most the 2 delta + d of Theorem 3.2.",
        domain: "0 < delta <= 1, 0 < d <= 1",
        check: Check::Always {
            where_: &[("delta", "1/(1+u)"), ("d", "1/(1+v)")],
            free: &["u", "v"],
            left: "1 - (1-delta)^2*(1-d)",
            right: "2*delta + d",
        },
        how: "signs of coefficients",
        ..KOV
    },
    Claim {
        id: "KOV-3.4-better",
        place: "Section 3.2",
        says: "The second branch of Theorem 3.4 is below the third where e d + sqrt(k) epsilon < 1.",
        domain: "all epsilon and d; s stands for sqrt(k) epsilon, E for e",
        check: Check::Identity { of: &["E", "s", "d"], left: "d*(1/d - (E + s/d))", right: "1 - (E*d + s)" },
        how: "the difference of the arguments of both logarithms, times d",
        ..KOV
    },
];

/// C(k, l).
fn choose(k: u32, l: u32) -> String {
    rug::Integer::from(k).binomial(l).to_string()
}

/// The weight of loss `(k-2l) epsilon`: `C(k,l) p^(k-l) (1-p)^l`, with `p = x/(1+x)` in a form that has a limit.
fn weight(k: u32, l: u32) -> String {
    format!("{}*p^{}*(1-p)^{l}", choose(k, l), k - l)
}

/// The exact delta of k mechanisms at the target `a epsilon`, as a formula in `e`, `p` and `a`.
fn exact_delta(k: u32) -> String {
    let terms: Vec<String> = (0..=k)
        .map(|l| format!("{}*pos(-expm1(e*(a - ({}))))", weight(k, l), i64::from(k) - 2 * i64::from(l)))
        .collect();
    terms.join(" + ")
}

/// `delta(a epsilon) <= d` for k up to a largest one; `a` is a formula in `e`, `s` and `k`.
fn slack(upper: &str, a: &str) -> Result<Verdict, Error> {
    let one = |k: u32| {
        let (count, delta) = (k.to_string(), exact_delta(k));
        let with = [("k", count.as_str()), ("p", "1/(1+exp(0-e))"), ("a", a)];
        let verdict = on_box(&[("e", "0", upper), ("s", "0", "inf")], &with, &delta, "exp(0-s^2/(2*k))")?;
        Ok(verdict.about(&format!("k = {k}")))
    };
    Verdict::all((1..=MOST).map(one))
}

fn second_branch() -> Result<Verdict, Error> {
    let one = |k: u32| {
        let loss = |l: u32| i64::from(k) - 2 * i64::from(l);
        let term = |l: u32| format!("{}*pos({} - k*tanh(e/2) - sqrt(k)*u)", weight(k, l), loss(l));
        let terms: Vec<String> = (0..=k).map(term).collect();
        let count = k.to_string();
        let with = [("k", count.as_str()), ("p", "1/(1+exp(0-e))")];
        // epsilon/d = (e^(u^2/2) - e)/sqrt(k), so u goes from sqrt(2) on; from 1.4 on is more.
        let left = format!("({})*(exp(u^2/2) - exp(1))", terms.join(" + "));
        let verdict = on_box(&[("e", "0", "inf"), ("u", "14/10", "inf")], &with, &left, "sqrt(k)")?;
        Ok(verdict.about(&format!("k = {k}")))
    };
    Verdict::all((1..=MOST).map(one))
}

fn two_different() -> Result<Verdict, Error> {
    let with = [("p", "1/(1+exp(0-e))"), ("q", "1/(1+exp(0-e*r))"), ("a", "tanh(e/2) + r*tanh(e*r/2) + s*sqrt(1+r^2)")];
    let delta = "p*q*pos(-expm1(e*(a-1-r))) + p*(1-q)*pos(-expm1(e*(a-1+r))) + (1-p)*q*pos(-expm1(e*(a+1-r)))";
    on_box(&[("e", "0", "8"), ("r", "0", "1"), ("s", "0", "inf")], &with, delta, "exp(0-s^2/2)")
}
