//! Sections 3 and 4: composition and group privacy of concentrated privacy.

use super::super::check::Check;
use super::super::record::{Claim, Fault, FaultKind, Paper, Scope};

const DR: Claim = Claim::of(Paper::Dr);

/// The doubled second parameter, `2 tau + 34 tau^(3/2)`, with `tau = s^2`.
const DOUBLED: (&str, &str) = ("double", "2*s^2 + 34*s^3");

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "DR-3.4",
        place: "Theorem 3.4",
        says: "(mu_i, tau_i)-CDP composes to (sum mu_i, sqrt(sum tau_i^2))-CDP.",
        domain: "all lambda; two mechanisms, the second one conditional on the output of the first",
        check: Check::Identity {
            of: &["l", "a", "b", "m", "n"],
            left: "(l*m + l^2*a^2/2) + (l*n + l^2*b^2/2)",
            right: "l*(m+n) + l^2*(a^2+b^2)/2",
        },
        how: "exponents of the moment generating functions, that of the second at its bound, which is the same for \
              every first output",
        ..DR
    },
    Claim {
        id: "DR-4-gauss",
        place: "Introduction, item 1",
        says: "Gaussian noise is (s^2 mu, s tau)-CDP for groups of s.",
        domain: "all tau and s",
        check: Check::Identity { of: &["s", "D", "sigma"], left: "(s*D/sigma)^2/2", right: "s^2*((D/sigma)^2/2)" },
        how: "the mean of the loss at distance s D",
        ..DR
    },
    Claim {
        id: "DR-L4.2-printed",
        place: "Lemma 4.2, the cubic term, and the recursion",
        says: "With mu = tau^2/2 the lemma's bound, with 2 tau^3, is 2 mu + tau^2 + 3.5 tau^3 + 1.5 tau^4.",
        domain: "0 <= tau <= 1/3",
        check: Check::IdentityWithin {
            of: &["t"],
            within: &["t", "1/3 - t"],
            left: "t^2/2 + t^2/2 + t^2 + 2*t^3 + (t + 3*t^2)*t^2/2",
            right: "t^2 + t^2 + 3.5*t^3 + 1.5*t^4",
        },
        how: "the lemma put into the recursion of the theorem",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-17: the coefficient is 3, as Lemma 2.3 gives it (seen in a copy, perhaps the copy's)",
            corrected: "DR-L4.2",
        }),
        ..DR
    },
    Claim {
        id: "DR-L4.2",
        place: "Lemma 4.2, the cubic term, and the recursion",
        says: "With mu = tau^2/2 the lemma's bound, with 3 tau^3, is 2 mu + tau^2 + 3.5 tau^3 + 1.5 tau^4.",
        domain: "all tau",
        check: Check::Identity {
            of: &["t"],
            left: "t^2/2 + t^2/2 + t^2 + 3*t^3 + (t + 3*t^2)*t^2/2",
            right: "t^2 + t^2 + 3.5*t^3 + 1.5*t^4",
        },
        how: "the lemma put into the recursion of the theorem",
        ..DR
    },
    Claim {
        id: "DR-L4.2-gauss",
        place: "Lemma 4.2",
        says: "D(D||D'') <= mu_1 + mu_2 + tau_1 tau_2 + 3 tau_1^2 tau_2 + (tau_1 + 3 tau_1^2) mu_2.",
        domain: "normal distributions of variance 1 in a row, all tau_1, tau_2 >= 0",
        scope: Scope::Class("Gaussian noise"),
        check: Check::Always {
            where_: &[],
            free: &["a", "b"],
            left: "(a+b)^2/2",
            right: "a^2/2 + b^2/2 + a*b + 3*a^2*b + (a + 3*a^2)*b^2/2",
        },
        how: "signs of coefficients, against the exact divergence at distance tau_1 + tau_2",
        ..DR
    },
    Claim {
        id: "DR-4.1-invariant",
        place: "Theorem 4.1, its recursion",
        says: "mu_m <= tau_m^2/2 is preserved: 2 mu + tau^2 + 3.5 tau^3 + 1.5 tau^4 <= (2 tau + 34 tau^(3/2))^2/2 for \
               mu <= tau^2/2.",
        domain: "0 < tau <= 1/4",
        with: &[DOUBLED],
        check: Check::Always {
            where_: &[("s", "1/(2+v)")],
            free: &["v"],
            left: "2*s^4 + 3.5*s^6 + 1.5*s^8",
            right: "double^2/2",
        },
        how: "signs of coefficients, with sqrt(tau) = 1/(2+v)",
        ..DR
    },
    Claim {
        id: "DR-L4.3-middle",
        place: "Lemma 4.3, inside its proof",
        says: "2 (tau_1^2 + tau_2^2) + 2 mu_1^2 + 2 mu_2^2 + 50 tau_1 tau_2^2 <= 4 tau^2 + 26 tau^(5/2).",
        domain: "tau_1, tau_2 <= tau <= 1/4, mu_i <= tau^2/2",
        check: Check::OnBox { of: &[("s", "0", "1/2")], left: "s^3 + 50*s", right: "26" },
        how: "branch and bound over sqrt(tau), with all as large as allowed: less 4 tau^2, divided by tau^(5/2)",
        ..DR
    },
    Claim {
        id: "DR-4.5-printed",
        place: "Claim 4.5",
        says: "33 + 32 <= 55.",
        domain: "numbers",
        check: Check::AtPoints { of: &[], at: &[&[]], left: "33 + 32", right: "55" },
        how: "a sum",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-17: the two parts sum to 65; the total of 55 fits a smaller part (seen in a copy)",
            corrected: "DR-4.5",
        }),
        ..DR
    },
    Claim {
        id: "DR-4.5",
        place: "Claim 4.5, and the constant of Lemma 4.3",
        says: "A total of 55 fits the constant 34: (4 tau^2 + 26 tau^(5/2))/2 + 55 tau^(5/2) <= (2 tau + 34 \
               tau^(3/2))^2/2.",
        domain: "all tau > 0",
        with: &[DOUBLED],
        check: Check::Always { where_: &[], free: &["s"], left: "2*s^4 + 13*s^5 + 55*s^5", right: "double^2/2" },
        how: "signs of coefficients, in sqrt(tau)",
        ..DR
    },
];
