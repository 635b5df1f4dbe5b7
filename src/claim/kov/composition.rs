//! Section 3: optimal composition, Theorem 3.3, and what Murtagh and Vadhan make of it.

use rug::Integer;

use super::super::algebra::Fraction;
use super::super::check::Check;
use super::super::record::{Claim, Fault, FaultKind, Paper};
use super::super::symbolic::{Composition, D, NAMES, X, x_power};
use super::super::tally::Identities;
use super::super::verdict::Verdict;
use crate::error::Error;

/// The largest composition whose product is formed outcome by outcome.
const MOST: u32 = 8;

const KOV: Claim = Claim::of(Paper::Kov);

/// Claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "KOV-3.3",
        place: "Theorem 3.3",
        says: "k (epsilon, delta)-DP mechanisms compose to ((k-2i) epsilon, 1 - (1-delta)^k (1-delta_i))-DP with \
               delta_i = sum over l < i of C(k,l) (x^(k-l) - x^(k-2i+l))/(1+x)^k, and no smaller second parameter \
               holds for the worst pair.",
        domain: "all x >= 1 and delta; k = 0 to 8, i = 0 to k/2",
        check: Check::Computed(optimal_composition),
        how: "the printed formula against the sum of p - x^(k-2i) q over the product formed outcome by outcome",
        ..KOV
    },
    Claim {
        id: "KOV-3.3-vertices",
        place: "Theorem 3.3",
        says: "The composed region is exactly the intersection of these regions: each line P_FA + e^eps' P_MD = \
               1 - delta' passes through two neighbouring vertices of T(P^k, Q^k).",
        domain: "all x and delta; k = 1 to 8",
        check: Check::Computed(lines_through_vertices),
        how: "vertices of the product formed outcome by outcome, put into the lines of the printed formula",
        ..KOV
    },
    Claim {
        id: "KOV-3.3-count-printed",
        place: "Theorem 3.3, the text behind it",
        says: "The composed region is the intersection of k regions.",
        domain: "k >= 1",
        check: Check::Computed(count_as_printed),
        how: "the number of lines below the diagonal of the product formed outcome by outcome",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-4: the formula in the same sentence gives floor(k/2) + 1 regions",
            corrected: "KOV-3.3-count",
        }),
        ..KOV
    },
    Claim {
        id: "KOV-3.3-count",
        place: "Theorem 3.3",
        says: "The composed region is the intersection of floor(k/2) + 1 regions, and of no fewer.",
        domain: "x > 1, 0 < delta < 1; k = 1 to 8",
        check: Check::Computed(count_corrected),
        how: "the number of lines below the diagonal of the product formed outcome by outcome",
        ..KOV
    },
    Claim {
        id: "KOV-3.1",
        place: "Theorem 3.1",
        says: "k (epsilon, delta)-DP mechanisms compose to (k epsilon, k delta)-DP.",
        domain: "x >= 1, 0 < delta <= 1; k = 1 to 8",
        check: Check::Computed(basic_composition),
        how: "the profile at x^k of the product formed outcome by outcome is at most k delta",
        ..KOV
    },
    Claim {
        id: "MV-hom",
        place: "Theorem 3.3; Murtagh and Vadhan, Theorem 1.4",
        says: "At any epsilon_g the smallest delta_g of a k-fold composition is 1 - (1-delta)^k [1 - (1+x)^-k sum over \
               l of C(k,l) (x^(k-l) - e^epsilon_g x^l)_+].",
        domain: "all x, delta and e^epsilon_g; k = 1 to 8, each interval between two multiples of epsilon",
        check: Check::Computed(any_target),
        how: "the printed sum against the product formed outcome by outcome, with e^epsilon_g as a third variable",
        ..KOV
    },
    Claim {
        id: "KOV-3.3-symmetric",
        place: "Theorem 3.3",
        says: "The composed trade-off function is its own inverse.",
        domain: "all x and delta; k = 1 to 8",
        check: Check::Computed(symmetric),
        how: "the vertices of the product formed outcome by outcome, read from both ends",
        ..KOV
    },
];

/// C(k, l).
fn choose(k: u32, l: u32) -> Fraction {
    Fraction::constant(&Integer::from(k).binomial(l).into())
}

/// `1 - (1-d)^k (1 - inner)`.
fn total(k: u32, inner: &Fraction) -> Fraction {
    let one = Fraction::integer(1);
    let kept = one.sub(&Fraction::variable(D)).power(k);
    one.sub(&kept.mul(&one.sub(inner)))
}

/// `delta_i` as printed.
fn delta_i(k: u32, i: u32) -> Result<Fraction, Error> {
    let x = Fraction::variable(X);
    let mut sum = Fraction::integer(0);
    for l in 0..i {
        sum = sum.add(&choose(k, l).mul(&x.power(k - l).sub(&x.power(k - 2 * i + l))));
    }
    sum.div(&Fraction::integer(1).add(&x).power(k))
}

fn optimal_composition() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    for k in 0..=MOST {
        let composition = Composition::new(k);
        for i in 0..=k / 2 {
            let n = i64::from(k - 2 * i);
            let exact = composition.profile(n, &x_power(n)?)?;
            all.same(|| format!("k = {k}, i = {i}"), &NAMES, &total(k, &delta_i(k, i)?), &exact)?;
        }
    }
    all.verdict()
}

fn lines_through_vertices() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    let one = Fraction::integer(1);
    for k in 1..=MOST {
        let vertices = Composition::new(k).vertices()?;
        for i in 0..=k / 2 {
            let slope = x_power(i64::from(k - 2 * i))?;
            let level = one.sub(&total(k, &delta_i(k, i)?));
            // Outcomes are rejected from the one that only Q has on: then those of loss -k, -k+2, ... epsilons.
            for j in [i, i + 1] {
                let (alpha, beta) = &vertices[j as usize];
                let value = slope.mul(alpha).add(beta);
                all.same(|| format!("k = {k}, i = {i}, vertex {j}"), &NAMES, &value, &level)?;
            }
        }
    }
    all.verdict()
}

/// How many lines of slope -x^n with n >= 0 bound the region of the product.
fn lines(k: u32) -> Result<u32, Error> {
    let losses = Composition::new(k).losses()?;
    let on_this_side = losses
        .iter()
        .filter(|(loss, p, _)| matches!(loss, super::super::symbolic::Loss::Times(n) if *n <= 0) && !p.is_zero());
    u32::try_from(on_this_side.count()).map_err(|_| Error::internal("too many lines"))
}

fn count_as_printed() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    for k in 1..=MOST {
        let found = lines(k)?;
        all.as_many(|| format!("k = {k}: {found} regions"), found, k);
    }
    all.verdict()
}

fn count_corrected() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    for k in 1..=MOST {
        let found = lines(k)?;
        all.as_many(|| format!("k = {k}: {found} regions"), found, k / 2 + 1);
    }
    all.verdict()
}

fn basic_composition() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    // d = 1/(1+v), for all 0 < d <= 1.
    let one = Fraction::integer(1);
    let d = one.div(&one.add(&Fraction::variable(0)))?;
    for k in 1..=MOST {
        let exact = Composition::new(k).profile(i64::from(k), &x_power(i64::from(k))?)?;
        let kept = one.sub(&Fraction::variable(D)).power(k);
        all.same(|| format!("k = {k}"), &NAMES, &exact, &one.sub(&kept))?;
        let gap = Fraction::integer(i64::from(k)).mul(&d).sub(&one.sub(&one.sub(&d).power(k)));
        all.not_negative(|| format!("k = {k}"), &gap);
    }
    all.verdict()
}

fn any_target() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    let target = Fraction::variable(2);
    let x = Fraction::variable(X);
    for k in 1..=MOST {
        let composition = Composition::new(k);
        // Between x^n and x^(n+2) the same terms are positive: those with k - 2l > n.
        for n in (-i64::from(k) - 2..=i64::from(k)).step_by(2) {
            let mut sum = Fraction::integer(0);
            for l in (0..=k).filter(|l| i64::from(k) - 2 * i64::from(*l) > n) {
                sum = sum.add(&choose(k, l).mul(&x.power(k - l).sub(&target.mul(&x.power(l)))));
            }
            let printed = total(k, &sum.div(&Fraction::integer(1).add(&x).power(k))?);
            let exact = composition.profile(n, &target)?;
            all.same(|| format!("k = {k}, from x^{n} on"), &["x", "d", "e^epsilon_g"], &printed, &exact)?;
        }
    }
    all.verdict()
}

fn symmetric() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    for k in 1..=MOST {
        let vertices = Composition::new(k).vertices()?;
        // Without the last, (1, 0), for it has delta > 0 before it.
        let polyline = &vertices[..vertices.len() - 1];
        for ((alpha, beta), (other_alpha, other_beta)) in polyline.iter().zip(polyline.iter().rev()) {
            all.same(|| format!("k = {k}"), &NAMES, alpha, other_beta)?;
            all.same(|| format!("k = {k}"), &NAMES, beta, other_alpha)?;
        }
    }
    all.verdict()
}
