//! Smith, Thakurta: *Fully Adaptive Composition for Gaussian Differential Privacy*: the online simulator.
//!
//! `L_ii = sqrt((1 - s_i)/(1 - s_(i-1)))` and `L_ij = -m_i m_j/sqrt((1 - s_(j-1))(1 - s_j))` for `j < i`, with
//! `s_i = m_1^2 + ... + m_i^2`. All products of two entries of one column are rational functions of the m, so that
//! `L L^T` is one.

use rug::Rational;

use super::algebra::Fraction;
use super::ask::delta;
use super::check::Check;
use super::finite::q;
use super::record::{Claim, Fault, FaultKind, Paper};
use super::tally::{Identities, Tally};
use super::verdict::Verdict;
use crate::error::Error;
use enclosure::Number;

const ST: Claim = Claim::of(Paper::St);

/// How many rounds.
const ROUNDS: usize = 4;

/// Names of the m.
const NAMES: [&str; ROUNDS] = ["m1", "m2", "m3", "m4"];

/// By section.
pub const CLAIMS: &[&[Claim]] = &[&[
    Claim {
        id: "ST-1",
        place: "Theorem 1",
        says: "Mechanisms that are mu_i-GDP with sum mu_i^2 <= mu_0^2 are mu_0-GDP together, equality included.",
        domain: "(3/5, 4/5), (1/3, 2/3, 2/3) and (1/2, 1/2, 1/2, 1/2), all with mu_0 = 1; epsilon in {0, 1, 3}",
        check: Check::Computed(filter),
        how: "the computed profile of the composition against that of Gaussian noise with mu_0",
        ..ST
    },
    Claim {
        id: "ST-sim-printed",
        place: "Simulator, the footnote",
        says: "L L^T = I - m m^T with L_ii = (1 - s_i)/(1 - s_(i-1)).",
        domain: "sum m_i^2 <= 1; four rounds",
        check: Check::Computed(|| cholesky(false)),
        how: "entries of L L^T as rational functions of m",
        fault: Some(Fault {
            kind: FaultKind::Misprint,
            what: "E-6: the square root of L_ii is missing",
            corrected: "ST-sim",
        }),
        ..ST
    },
    Claim {
        id: "ST-sim",
        place: "Simulator, the footnote",
        says: "L L^T = I - m m^T with L_ii = sqrt((1 - s_i)/(1 - s_(i-1))).",
        domain: "sum m_i^2 <= 1; four rounds",
        check: Check::Computed(|| cholesky(true)),
        how: "entries of L L^T as rational functions of m",
        ..ST
    },
    Claim {
        id: "ST-sim-law",
        place: "Simulator",
        says: "W_i = m_i W_0 + U_i, with W_0 ~ N(b, 1) and U ~ N(0, I - m m^T), has the covariance I.",
        domain: "sum m_i^2 <= 1; four rounds",
        check: Check::Computed(law),
        how: "entries of m m^T + L L^T as rational functions of m",
        ..ST
    },
    Claim {
        id: "ST-sim-row",
        place: "Simulator, the footnote",
        says: "The row of L left of the diagonal is -m_i (L_(i-1)^-1 m_(i-1))^T: times L_(i-1)^T it is -m_i m_(i-1)^T.",
        domain: "sum m_i^2 <= 1; four rounds",
        check: Check::Computed(row),
        how: "products of entries of two rows, as rational functions of m",
        ..ST
    },
    Claim {
        id: "ST-sim-end-printed",
        place: "Simulator, the footnote",
        says: "The recursion is defined for all m with sum m_i^2 <= 1.",
        domain: "m = (3/5, 4/5, 0)",
        check: Check::Computed(end),
        how: "the denominators (1 - s_(j-1))(1 - s_j) at that point, and the limits of L_33^2 along two lines; the \
              margin is half of their difference, the error of any value there",
        fault: Some(Fault {
            kind: FaultKind::False,
            what: "E-7: it is 0/0 once s_i = 1; then all later m are 0, and L_jj = 1 with zeros elsewhere is correct",
            corrected: "ST-sim-end",
        }),
        ..ST
    },
    Claim {
        id: "ST-sim-end",
        place: "Simulator, the footnote",
        says: "After s_i = 1, where all later m are 0, rows of the identity continue L L^T = I - m m^T.",
        domain: "m = (c, s, 0), c = 2t/(1+t^2), s = (1-t^2)/(1+t^2), all t",
        check: Check::All(&[
            Check::Identity { of: &["t"], left: "(2*t/(1+t^2))^2 + ((1-t^2)/(1+t^2))^2", right: "1" },
            // L_11^2 = 1 - c^2, L_21 = -c s/L_11 with L_11^2 = s^2, and L_22 = 0.
            Check::Identity { of: &["c", "s"], left: "(0-c*s)^2/s^2 + 0", right: "1 - (1 - c^2)" },
        ]),
        how: "the last row before the end, with 1 - c^2 = s^2",
        ..ST
    },
]];

/// `s_i` of the first i variables.
fn sum_of_squares(i: usize) -> Fraction {
    (0..i).fold(Fraction::integer(0), |sum, j| sum.add(&Fraction::variable(j).power(2)))
}

/// The remainder after i rounds, `1 - s_i`.
fn left(i: usize) -> Fraction {
    Fraction::integer(1).sub(&sum_of_squares(i))
}

/// `L_ik L_jk` for `k <= min(i, j)`, counted from 0; with the root on the diagonal or without, as printed.
fn product(i: usize, j: usize, k: usize, root: bool) -> Result<Fraction, Error> {
    let m = Fraction::variable;
    let ratio = left(k + 1).div(&left(k))?;
    let none = Fraction::integer(0);
    Ok(match (i == k, j == k) {
        (true, true) if root => ratio,
        (true, true) => ratio.power(2),
        // The roots of (1-s_k)/(1-s_(k-1)) and of (1-s_(k-1))(1-s_k) leave 1/(1-s_(k-1)).
        (true, false) if root => none.sub(&m(j).mul(&m(k)).div(&left(k))?),
        (false, true) if root => none.sub(&m(i).mul(&m(k)).div(&left(k))?),
        // Not rational as printed; nothing but the diagonal is asked for there.
        (true, false) | (false, true) => return Err(Error::internal("no rational function")),
        (false, false) => m(i).mul(&m(j)).mul(&m(k).power(2)).div(&left(k).mul(&left(k + 1)))?,
    })
}

/// `(L L^T)_ij`.
fn square(i: usize, j: usize, root: bool) -> Result<Fraction, Error> {
    (0..=i.min(j)).try_fold(Fraction::integer(0), |sum, k| Ok(sum.add(&product(i, j, k, root)?)))
}

/// `(I - m m^T)_ij`.
fn target(i: usize, j: usize) -> Fraction {
    Fraction::integer(i64::from(i == j)).sub(&Fraction::variable(i).mul(&Fraction::variable(j)))
}

fn cholesky(root: bool) -> Result<Verdict, Error> {
    let mut all = Identities::default();
    let hypothesis = [left(ROUNDS)];
    for i in 0..ROUNDS {
        // As printed the diagonal is rational, and shows it.
        for j in (0..=i).filter(|j| root || *j == i) {
            let (found, claimed) = (square(i, j, root)?, target(i, j));
            all.same_within(|| format!("entry ({}, {})", i + 1, j + 1), &NAMES, &hypothesis, &found, &claimed)?;
        }
    }
    all.verdict()
}

fn law() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    for i in 0..ROUNDS {
        for j in 0..=i {
            let covariance = Fraction::variable(i).mul(&Fraction::variable(j)).add(&square(i, j, true)?);
            let unit = Fraction::integer(i64::from(i == j));
            all.same(|| format!("entry ({}, {})", i + 1, j + 1), &NAMES, &covariance, &unit)?;
        }
    }
    all.verdict()
}

fn row() -> Result<Verdict, Error> {
    let mut all = Identities::default();
    for i in 1..ROUNDS {
        for j in 0..i {
            let found = square(i, j, true)?;
            let claimed = Fraction::integer(0).sub(&Fraction::variable(i).mul(&Fraction::variable(j)));
            all.same(|| format!("entry ({}, {})", i + 1, j + 1), &NAMES, &found, &claimed)?;
        }
    }
    all.verdict()
}

/// What the recursion says of `L_33^2 = (1 - s_3)/(1 - s_2)` near the end: with `m_1 = 3/5`,
/// `m_2 = 4/5 (1-t^2)/(1+t^2)`, which is 4/5 at t = 0, it is one number for all t where `m_3 = 0`, and another one
/// where `m_3 = 4/5 2t/(1+t^2)`, with `s_3 = 1`.
fn near_the_end() -> Result<[Rational; 2], Error> {
    let (t, one) = (Fraction::variable(0), Fraction::integer(1));
    let part = |above: Fraction| above.mul(&Fraction::constant(&q(4, 5))).div(&one.add(&t.power(2)));
    let last = [Fraction::integer(0), part(Fraction::integer(2).mul(&t))?];
    let before = one.sub(&Fraction::constant(&q(9, 25))).sub(&part(one.sub(&t.power(2)))?.power(2));
    let number = |m: Fraction| -> Result<Rational, Error> {
        let square = before.sub(&m.power(2)).div(&before)?;
        let value = square.at(&[q(1, 2)]).filter(|value| square.sub(&Fraction::constant(value)).is_zero());
        value.ok_or_else(|| Error::internal("the entry is no constant on this line"))
    };
    let [still, full] = last;
    Ok([number(still)?, number(full)?])
}

fn end() -> Result<Verdict, Error> {
    let point = [q(3, 5), q(4, 5), q(0, 1), q(0, 1)];
    let defined = |k: &usize| left(*k).mul(&left(k + 1)).at(&point).is_some_and(|value| !value.is_zero());
    let Some(undefined) = (0..3).find(|k| !defined(k)) else {
        return Ok(Verdict::Holds { points: 3, margin: None });
    };
    // Whatever stands there is off by half of the difference from one of the two, however near to the end.
    let [still, full] = near_the_end()?;
    let margin = Number::Exact(Rational::from(&still - &full).abs() / 2u32);
    let at = format!(
        "m = (3/5, 4/5, 0), column {}: 0/0, and near it L_33^2 is {still} where m_3 = 0 and {full} where s_3 = 1",
        undefined + 1
    );
    Ok(Verdict::Fails { at, margin: Some(margin) })
}

fn filter() -> Result<Verdict, Error> {
    let mut tally = Tally::default();
    for parts in ["gdp(mu=3/5) * gdp(mu=4/5)", "gdp(mu=1/3) * gdp(mu=2/3)^2", "gdp(mu=1/2)^4"] {
        for epsilon in ["0", "1", "3"] {
            use crate::compose::Method;
            let contour = super::ask::delta_by(Method::Quadrature, parts, epsilon)?;
            tally.meet(|| format!("{parts}, epsilon = {epsilon}"), &contour, &delta("gdp(mu=1)", epsilon)?);
        }
    }
    tally.verdict()
}
