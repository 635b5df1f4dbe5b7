//! Statements of the papers for which there is no check, each with the reason.

use serde::Serialize;

/// A statement without a check.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Unchecked {
    /// Its name, as those of claims.
    pub id: &'static str,
    /// Where in which paper.
    pub place: &'static str,
    /// The statement.
    pub says: &'static str,
    /// Always `not checkable`.
    pub verdict: &'static str,
    /// Why there is no check.
    pub because: &'static str,
}

impl Unchecked {
    /// The lines that `claim ID` prints.
    pub fn lines(&self) -> String {
        let Unchecked { id, place, says, verdict, because } = self;
        format!("{id} ({place})\n  statement  {says}\n  verdict    {verdict}\n  reason     {because}")
    }
}

const fn of(id: &'static str, place: &'static str, says: &'static str, because: &'static str) -> Unchecked {
    Unchecked { id, place, says, verdict: "not checkable", because }
}

/// All of them, in the order of the ledger.
pub const UNCHECKED: &[Unchecked] = &[
    of(
        "KOV-6.2",
        "Kairouz, Oh, Viswanath, Section 6.2, the converse",
        "Every adaptive composition of (epsilon, delta)-DP mechanisms is a post-processing of independent draws of the \
         worst pair.",
        "it concerns all adaptive mechanisms on any outcome space; its step for one round is KOV-2.5, and its \
         consequences for the composed region are KOV-3.3 and KOV-3.3-vertices",
    ),
    of(
        "KOV-5.1-all",
        "Kairouz, Oh, Viswanath, Theorem 5.1, in general",
        "Randomised responses maximise the accuracy of every function, on average and in the worst case, among all \
         protocols, including interactive ones.",
        "it concerns all protocols and functions of any number of bits; KOV-5.1, KOV-5-xor, KOV-5-and, KOV-5-or and \
         KOV-5-majority check cases",
    ),
    of(
        "KOV-C",
        "Kairouz, Oh, Viswanath, Appendix C, cut queries",
        "The mechanism of Blocki, Blum, Datta and Sheffet with r rows is (epsilon, delta)-DP with the noise w <= 4 \
         sqrt(4 r ln(e + 2 epsilon/delta)) ln(4 r/delta)/epsilon.",
        "the budget of one row is epsilon_0 = epsilon/sqrt(4 r ln(e + 2 epsilon/delta)) and delta_0 = delta/(2r), \
         with w = 4 ln(2/delta_0)/epsilon_0. That one row satisfies its budget is a statement about all graphs, which \
         no check covers. The composition of r rows is KOV-4.1",
    ),
    of(
        "DRS-3.5",
        "Dong, Roth, Su, Theorem 3.5",
        "Products of triangular arrays of symmetric trade-off functions converge to G_{2K/s}.",
        "a limit without a rate implies nothing for a finite array; with a rate it is DRS-3.4",
    ),
    of(
        "DRS-3.6-limit",
        "Dong, Roth, Su, Theorem 3.6, the convergence",
        "Products of f_{epsilon_i,delta_i} converge to G_mu (x) f_{0,1-e^-delta} uniformly.",
        "a limit without a rate implies nothing for a finite product; the limit itself is DRS-3.6",
    ),
    of(
        "DRS-3.7-all",
        "Dong, Roth, Su, Theorem 3.7, for every mu and n",
        "There is a c(mu) with G_mu(alpha + c/n) - c/n <= f_{epsilon,0}^(x) n (alpha) <= G_mu(alpha - c/n) + c/n.",
        "c is not given, and without it no n refutes the statement; DRS-3.7 tests the c proven here",
    ),
    of(
        "DRS-5-limit",
        "Dong, Roth, Su, Theorem 5.2; Bu, Dong, Long, Su 2020",
        "C_p(f)^(x) T converges to G_mu where p sqrt(T) tends to a limit.",
        "a limit without a rate implies nothing for a finite T; its constants are DRS-5-chi and DRS-5-chi-poisson",
    ),
    of(
        "DRS-2.15-limit",
        "Dong, Roth, Su, Proposition 2.15, the convergence",
        "1 - (1 - f_{mu/k,0})^(o k) converges to the trade-off function of Laplace noise.",
        "a limit without a rate; distances at k = 4 and k = 5 are DRS-2.15-four and DRS-2.15-five",
    ),
    of(
        "DR-F2.1-all",
        "Dwork, Rothblum, Fact 2.1, for every X",
        "A tau-subgaussian X has Var X <= tau^2.",
        "it concerns all distributions and follows from the second derivative of both sides in lambda at 0; DR-F2.1 \
         checks a class",
    ),
    of(
        "DR-4.1",
        "Dwork, Rothblum, Theorem 4.1",
        "Groups of s have ((s tau)^2/2 + O~((s tau)^(5/2)), s tau + O~((s tau)^(3/2)))-CDP.",
        "its constants and logarithms are not given; the recursion that proves it is DR-4.1-invariant",
    ),
    of(
        "DR-L4.3",
        "Dwork, Rothblum, Lemma 4.3, for all mechanisms",
        "The centred privacy loss from D to D'' is (2 tau + 34 tau^(3/2))-subgaussian.",
        "it concerns all triples of distributions; the numerical inequalities of its proof are DR-L4.3-middle and \
         DR-4.5, and DR-L4.3-gauss checks a class",
    ),
    of(
        "ST-2",
        "Smith, Thakurta, the reduction",
        "It suffices to simulate b mu_i + N(0, 1) of the worst neighbours.",
        "it concerns all adaptive mechanisms, through the existence of a randomised map for each (KOV-2.5 for finite \
         ones)",
    ),
    of(
        "SU-T3-lower",
        "Su, Table 3, the lower bounds",
        "The epsilons of shuffled reports have the numerical lower bounds 0.369 to 0.758.",
        "they come from a grid whose step the paper does not state; `dpcert paper` reproduces the other columns",
    ),
    of(
        "SU-Fig2",
        "Su, Figure 2",
        "Accountants of federated analytics, as curves over the number of compositions.",
        "the figure prints no numbers; `dpcert paper su/figure-2` compares the drawn curves with the exact ones",
    ),
    of(
        "AV-CND-G1",
        "Awan, Vadhan 2023, property (1) for G_mu",
        "T(Z, Z + D) >= G_mu for D < 1 and canonical noise Z of G_mu.",
        "it is an inequality between functions defined by a recursion over the whole line, and no check here covers a \
         whole piece; for f_{epsilon,0} it is AV-shift",
    ),
];
