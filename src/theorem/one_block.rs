//! What one block of a grid over the number of clones proves of n shuffled reports.
//!
//! Let `q = 2/(e^epsilon0 + 1)`, let `C ~ Bin(n-1, q)` be the number of clones, and let `D_c(epsilon)` be the profile
//! of the counts of the stronger clones' pair given `C = c`. The profile of the pair is
//! `delta(epsilon) = sum_c P[C = c] D_c(epsilon)`. Programs that sum in blocks evaluate each block at its worst end for
//! an upper bound and at its best end for a lower one. D_c decreases in c: one more clone is one more fair coin, so the
//! counts for c+1 can be simulated from those for c. Hence a block that starts at 0 and ends below the mean proves
//!
//! `delta(epsilon) >= P[C <= m-1] D_(m-1)(epsilon)`, `m = ceil((n-1) q)`,
//!
//! and a grid with steps that wide has no other significant term: beyond the mean its blocks count with an end where
//! D_c is negligible. Su 2024 prints the epsilons of such bounds as numerical lower bounds (Table 3). This is a lower
//! bound on the *pair's* delta, and an artefact of the grid: the whole sum is no harder to compute, and gives equality.
//! It bounds nothing for a local mechanism that does not attain the pair.
//!
//! **The epsilon of a delta.** By the tests that reject from t on, `1 <= t <= c+1`, of which one is the best (the ratio
//! rises with the count), `D_c = max_t (A_t - x B_t)`, `x = e^epsilon`, with `S(t) = P[Bin(c, 1/2) >= t]` and
//!
//! `A_t = own S(t-1) + other S(t)`, `B_t = other S(t-1) + own S(t)`.
//!
//! So `P[C <= c] D_c(epsilon) <= delta` exactly from `x = max_t (A_t - delta/P[C <= c])/B_t` on: no search, and no
//! error but that of rounding, in sums of positive terms. Paper proof: `proofs/paper/shuffling.md`.

use std::cmp::Ordering;

use rug::Rational;

use super::shuffling::Reports;
use crate::error::Error;
use crate::pair::{Clones, Shuffled};
use enclosure::{Budget, Enclosure, Need, Number, Real};

/// Numbers of clones that are summed at most.
const MOST: u64 = 1_000_000;

/// The block, and the number of clones at which it counts.
struct Block {
    /// `m - 1`.
    clones: u64,
    /// `P[C <= m-1]`.
    mass: Enclosure,
}

/// The least `epsilon >= 0` at which the bound is no more than `0 < delta < 1`: what Su 2024 prints as numerical lower
/// bounds (Table 3), by the formula above.
///
/// # Errors
/// [`Error::Undefined`] for another delta, where nothing leaks, or for one report; [`Error::Undecided`] where there are
/// too many clones, or the mean is not told from an integer.
pub fn epsilon(reports: &Reports, delta: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    let inside = delta.sign() == Some(Ordering::Greater) && delta.compare(&Real::one()) == Some(Ordering::Less);
    if !inside {
        return Err(Error::Undefined(format!("this bound requires 0 < delta < 1, not delta = {delta}")));
    }
    if reports.n < 2 || reports.epsilon0.sign() != Some(Ordering::Greater) {
        return Err(Error::Undefined(format!(
            "this bound requires n >= 2 and epsilon0 > 0, not n = {} and epsilon0 = {}",
            reports.n, reports.epsilon0
        )));
    }
    let wide = bits.saturating_add(96);
    let pair = Shuffled::new(reports.n, reports.epsilon0.clone(), Clones::Response { categories: 2 });
    let shares = pair.shares(wide);
    let block = block(reports.n - 1, &shares.clone, &shares.stays, wide, budget)?;
    let (own, other) = (shares.own.enclosure(wide), shares.other.enclosure(wide));
    let level = delta.enclosure(wide) / block.mass;
    let c = block.clones;
    // From the last test down: b_c(c) = 2^-c and S(c+1) = 0.
    let mut term = Enclosure::one(wide).shift(-i32::try_from(c).unwrap_or(i32::MAX));
    let mut tail = Enclosure::zero(wide);
    let mut largest = Enclosure::one(wide);
    for t in (1..=c + 1).rev() {
        budget.check()?;
        let before = &tail + &term;
        let first = &own * &before + &other * &tail;
        let second = &other * &before + &own * &tail;
        largest = largest.max(&((first - &level) / second));
        // b_c(t-2) = b_c(t-1) (t-1)/(c-t+2)
        term = &term * &Enclosure::rational(&Rational::from((t - 1, c + 2 - t)), wide);
        tail = before;
    }
    Ok(largest.ln())
}

/// Up to below the mean.
fn block(others: u64, clone: &Number, stays: &Number, bits: u32, budget: &Budget) -> Result<Block, Error> {
    let all = Enclosure::integer(&others.into(), bits);
    let mean = clone * &Number::Exact(others.into());
    let up = |set: &rug::Float| set.clone().ceil().to_integer().and_then(|integer| integer.to_u64());
    let (low, high) = match &mean {
        Number::Exact(mean) => {
            let up = mean.clone().ceil().into_numer_denom().0.to_u64();
            (up, up)
        }
        Number::Enclosed(mean) => (up(mean.lower()), up(mean.upper())),
    };
    let (Some(m), true) = (low, low == high) else {
        return Err(Error::undecided("cannot decide whether the mean number of clones is an integer"));
    };
    budget.afford(&Need { what: "numbers of clones", count: m, most: MOST, bytes: 0, relax: "try fewer reports" })?;
    let odds = clone.enclosure(bits) / stays.enclosure(bits);
    let mut weight = (stays.enclosure(bits).ln() * all).exp();
    let mut mass = Enclosure::zero(bits);
    for c in 0..m {
        budget.check()?;
        mass = mass + &weight;
        weight = &weight * &odds * Enclosure::rational(&Rational::from((others - c, c + 1)), bits);
    }
    Ok(Block { clones: m.saturating_sub(1), mass })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::FinitePair;
    use crate::theorem::factors::tests::printed;

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn of(n: u64, epsilon0: &str, delta: &str) -> Result<Enclosure, Error> {
        epsilon(&Reports { n, epsilon0: real(epsilon0) }, &real(delta), 80, &Budget::default())
    }

    /// Table 3 of Su 2024, with more digits by another program: outcome by outcome, and by bisection.
    #[test]
    fn printed_values() {
        for (delta, epsilon) in [
            ("5e-5", "0.3692044870321951999939"),
            ("3e-6", "0.4697629430919396060066"),
            ("1e-7", "0.5751050895722284847726"),
            ("4e-9", "0.6638214447410664911146"),
            ("9e-11", "0.7584300832199520852339"),
        ] {
            let found = of(10_000, "40/9", delta).expect("a bound");
            assert!(found.overlaps(&printed(epsilon)) && found.relative_bits() > Some(70), "{delta}: {found:?}");
        }
    }

    /// Four reports with `e^epsilon0 = 3`: q = 1/2, m = 2, one clone: `P[C <= 1] = 1/2`, the counts of one clone and
    /// the own report have the masses 3/8, 1/2, 1/8 against 1/8, 1/2, 3/8. At x = 2 their profile is 1/8.
    #[test]
    fn by_hand() {
        let known =
            FinitePair::new(["3/8", "1/2", "1/8"].map(q).into(), ["1/8", "1/2", "3/8"].map(q).into()).expect("a pair");
        let advantage = known.outcomes().map(|(p, q)| Rational::max(p - 2 * q.clone(), Rational::new()));
        assert_eq!(advantage.fold(Rational::new(), |sum, part| sum + part), q("1/8"));
        let found = of(4, "ln(3)", "1/16").expect("a bound");
        assert!(found.overlaps(&real("ln(2)").enclosure(200)) && found.relative_bits() > Some(70), "{found:?}");
        // Above the whole mass of the block nothing is left to prove.
        assert!(of(4, "ln(3)", "9/10").expect("a bound").contains(&Rational::new()));
    }

    fn q(text: &str) -> Rational {
        text.parse().expect("a fraction")
    }

    /// It is below the exact epsilon of the pair.
    #[test]
    fn below_the_whole_sum() {
        for (n, epsilon0, delta) in [(1000, "2", "1e-5"), (50, "1", "1e-3"), (200, "ln(5)", "1e-8")] {
            let least = of(n, epsilon0, delta).expect("a bound");
            let pair = Shuffled::new(n, real(epsilon0), Clones::Response { categories: 2 });
            let curve = crate::compose::Shuffle::new(pair);
            let budget = Budget::default();
            let direction = crate::curve::Direction::Worst;
            let exact = crate::curve::Curve::epsilon(&curve, &real(delta), direction, 60, &budget).expect("a value");
            let crate::curve::Value::Finite(exact) = exact else { panic!("infinite") };
            assert!(least.upper() < exact.enclosure(64).lower(), "{n}, {epsilon0}, {delta}: {least:?}");
        }
    }

    #[test]
    fn hypotheses_are_checked() {
        for (n, epsilon0, delta) in [(10, "1", "0"), (10, "1", "1"), (1, "1", "1/2"), (10, "0", "1/2")] {
            assert!(matches!(of(n, epsilon0, delta), Err(Error::Undefined(_))), "{n}, {epsilon0}, {delta}");
        }
        assert!(matches!(of(100_000_000, "1", "1e-5"), Err(Error::Undecided(_))));
    }
}
