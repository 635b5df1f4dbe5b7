//! Privacy amplification by shuffling in closed form, for n reports that are each epsilon0-private, `a = e^epsilon0`.
//!
//! * [`Theorem::Clones`] (Feldman, McMillan and Talwar 2022, Theorem 3.1): for `epsilon0 <= ln(n/(16 ln(2/delta)))`
//!   `epsilon = ln(1 + (a-1)/(a+1) (8 sqrt(a ln(4/delta)/n) + 8 a/n))`;
//! * [`Theorem::Stronger`] (the same 2023, Theorem 1.1): for `epsilon0 <= ln(n/(8 ln(2/delta)) - 1)`
//!   `epsilon = ln(1 + (a-1) (4 sqrt(2 ln(4/delta)/((a+1) n)) + 4/n))`.
//!
//! Solved for delta they are `4 e^(-s)` with the s that stands for `ln(4/delta)`; the hypothesis is then one of this
//! delta. Both theorems are taken from the literature. An erratum of its authors restricts the second one to a class of
//! local mechanisms (`proofs/axioms.md`). Su 2024 prints numbers of the second one as Renyi differential privacy (Table
//! 2, first row), and the trivial bound epsilon0 where its hypothesis fails (Table 3).

use std::cmp::Ordering;

use crate::error::Error;
use enclosure::{Enclosure, Real};

/// Which theorem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theorem {
    /// Of 2022.
    Clones,
    /// Of 2023.
    Stronger,
}

/// Shuffled reports.
#[derive(Clone, Debug)]
pub struct Reports {
    /// How many.
    pub n: u64,
    /// The epsilon of each.
    pub epsilon0: Real,
}

impl Reports {
    fn size(&self, bits: u32) -> (Enclosure, Enclosure, Enclosure) {
        let a = self.epsilon0.enclosure(bits).exp();
        (Enclosure::integer(&self.n.into(), bits), a, Enclosure::one(bits))
    }

    /// The epsilon of a theorem at a delta in (0, 1): as Theorem 3.1 of Feldman, McMillan and Talwar 2022 and Theorem
    /// 1.1 of 2023 print it, constants and hypotheses alike.
    ///
    /// # Errors
    /// [`Error::Undefined`] for another delta, or where the hypothesis fails.
    pub fn epsilon(&self, theorem: Theorem, delta: &Real, bits: u32) -> Result<Enclosure, Error> {
        let inside = delta.sign() == Some(Ordering::Greater) && delta.compare(&Real::one()) == Some(Ordering::Less);
        if !inside {
            return Err(Error::Undefined(format!(
                "amplification by shuffling requires 0 < delta < 1, not delta = \
                                                 {delta}"
            )));
        }
        let wide = bits.saturating_add(32);
        self.check(theorem, &delta.enclosure(wide), wide)?;
        let (n, a, one) = self.size(wide);
        let log = Enclosure::ln_2(wide).shift(1) - delta.enclosure(wide).ln();
        let excess = self.epsilon0.enclosure(wide).expm1();
        let inner = match theorem {
            Theorem::Clones => {
                let spread = (&a * &log / &n).sqrt() + &a / &n;
                excess / (&a + &one) * spread.shift(3)
            }
            Theorem::Stronger => {
                let spread = (log.shift(1) / (&(&a + &one) * &n)).sqrt() + n.recip();
                excess * spread.shift(2)
            }
        };
        Ok(inner.log1p())
    }

    /// The delta of a theorem at an `epsilon >= 0`, at most 1: Theorem 3.1 of Feldman, McMillan and Talwar 2022 or
    /// Theorem 1.1 of 2023, solved for the delta, which the prints have as a parameter. Where it would be 1 or more
    /// it is 1, which every delta below 1 that keeps the hypothesis is below, too. The hypothesis asks the less of
    /// epsilon0 the larger delta is, so that none keeps it where 1 does not.
    ///
    /// # Errors
    /// [`Error::Undefined`] for a negative epsilon, where nothing leaks, or where the hypothesis fails at this delta,
    /// which is 1 at most.
    pub fn delta(&self, theorem: Theorem, epsilon: &Real, bits: u32) -> Result<Enclosure, Error> {
        if epsilon.sign() == Some(Ordering::Less) || self.epsilon0.is_zero() {
            return Err(Error::Undefined(format!(
                "amplification by shuffling requires epsilon >= 0 and epsilon0 > 0, not epsilon = {epsilon} and \
                 epsilon0 = {}",
                self.epsilon0
            )));
        }
        let wide = bits.saturating_add(32);
        let (n, a, one) = self.size(wide);
        let ratio = epsilon.enclosure(wide).expm1() / self.epsilon0.enclosure(wide).expm1();
        let log = match theorem {
            Theorem::Clones => {
                let left = ratio * (&a + &one) - (&a / &n).shift(3);
                left.positive_part().square() * &n / a.shift(6)
            }
            Theorem::Stronger => {
                let left = ratio - n.recip().shift(2);
                left.positive_part().square() * (&(&a + &one) * &n) / one.shift(5)
            }
        };
        let delta = (-log).exp().shift(2);
        if delta.compare(&one).is_none_or(Ordering::is_ge) {
            self.check(theorem, &one, wide)?;
            return Ok(delta.min(&one));
        }
        self.check(theorem, &delta, wide)?;
        Ok(delta)
    }

    /// The hypothesis; with either theorem some epsilon0 keeps it from `n = 16 ln(2/delta)` on.
    fn check(&self, theorem: Theorem, delta: &Enclosure, bits: u32) -> Result<(), Error> {
        let (n, _, one) = self.size(bits);
        let log = Enclosure::ln_2(bits) - delta.ln();
        let (largest, formula) = match theorem {
            Theorem::Clones => (&n / &log.shift(4), "ln(n/(16 ln(2/delta)))"),
            Theorem::Stronger => (&n / &log.shift(3) - one, "ln(n/(8 ln(2/delta)) - 1)"),
        };
        // No `e^epsilon0` is below 1.
        if *largest.upper() < 1 {
            return Err(Error::Undefined(format!(
                "amplification by shuffling requires epsilon0 <= {formula}, which no epsilon0 satisfies: n = {} is \
                 below 16 ln(2/delta) = {:.6}",
                self.n,
                log.shift(4).lower().to_f64()
            )));
        }
        let least = self.epsilon0.enclosure(bits).exp();
        match least.compare(&largest) {
            Some(Ordering::Greater) => Err(Error::Undefined(format!(
                "amplification by shuffling requires epsilon0 <= {formula}, but epsilon0 = {} is above {:.6}",
                self.epsilon0,
                largest.ln().upper().to_f64()
            ))),
            Some(_) => Ok(()),
            None => Err(Error::undecided(format!("cannot decide whether epsilon0 <= {formula}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::theorem::factors::tests::printed;

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn paper() -> Reports {
        Reports { n: 10_000, epsilon0: real("40/9") }
    }

    /// Too few reports for any epsilon0, and just enough for the least: here `16 ln(2/delta) = 16 ln 4 = 22.18...`.
    #[test]
    fn too_few_reports_are_told() {
        for theorem in [Theorem::Clones, Theorem::Stronger] {
            let asked = |n, epsilon0: &str| {
                Reports { n, epsilon0: real(epsilon0) }
                    .epsilon(theorem, &real("1/2"), 60)
                    .map_err(|error| error.to_string())
            };
            for epsilon0 in ["0", "12"] {
                let told = asked(22, epsilon0).expect_err("no bound");
                assert!(told.contains("which no epsilon0 satisfies: n = 22 is below 16 ln(2/delta) = 22.18"), "{told}");
            }
            assert!(asked(23, "0").is_ok());
            let told = asked(23, "12").expect_err("no bound");
            assert!(told.contains("epsilon0 = 12 is above 0.0"), "{told}");
        }
    }

    /// Table 2 of Su 2024, its first row, with more digits by another program; and Table 3's upper bounds.
    #[test]
    fn printed_values() {
        for (epsilon, delta) in [
            ("0.5", "0.9494197"),
            ("0.6", "0.3763924"),
            ("0.7", "0.1037688"),
            ("0.8", "0.01805402"),
            ("0.9", "0.001757531"),
            ("1", "0.00008248685"),
        ] {
            let found = paper().delta(Theorem::Stronger, &real(epsilon), 60).expect("a bound");
            assert!(found.overlaps(&printed(delta)), "{epsilon}: {found:?}");
        }
        for (delta, epsilon) in [("5e-5", "1.014115"), ("3e-6", "1.085091")] {
            let found = paper().epsilon(Theorem::Stronger, &real(delta), 60).expect("a bound");
            assert!(found.overlaps(&printed(epsilon)), "{delta}: {found:?}");
        }
    }

    /// Both directions of a theorem undo each other.
    #[test]
    fn epsilons_of_deltas() {
        let reports = Reports { n: 1_000_000, epsilon0: real("2") };
        for theorem in [Theorem::Clones, Theorem::Stronger] {
            let epsilon = reports.epsilon(theorem, &real("1e-6"), 100).expect("a bound");
            let back = Real::from(epsilon.lower().to_rational().expect("finite"));
            let delta = reports.delta(theorem, &back, 100).expect("a bound");
            let off = delta / Enclosure::rational(&Rational::from((1, 1_000_000)), 100) - Enclosure::one(100);
            assert!(off.abs().upper().to_f64() < 1e-20, "{off:?}");
        }
        let both = [Theorem::Stronger, Theorem::Clones].map(|theorem| reports.epsilon(theorem, &real("1e-6"), 60));
        let [Ok(stronger), Ok(clones)] = both else { panic!("a bound") };
        assert!(stronger.upper() < clones.lower());
    }

    /// Table 3 has deltas where the theorem says nothing; the threshold is told.
    #[test]
    fn hypotheses_are_checked() {
        for (delta, told) in [("1e-7", "4.295311"), ("4e-9", "4.117508"), ("9e-11", "3.940947")] {
            let Err(Error::Undefined(reason)) = paper().epsilon(Theorem::Stronger, &real(delta), 60) else {
                panic!("{delta}")
            };
            assert!(reason.contains(told), "{reason}");
        }
        assert!(matches!(paper().epsilon(Theorem::Clones, &real("1e-3"), 60), Err(Error::Undefined(_))));
        for delta in ["0", "1", "-1"] {
            assert!(matches!(paper().epsilon(Theorem::Stronger, &real(delta), 60), Err(Error::Undefined(_))));
        }
        assert!(matches!(paper().delta(Theorem::Stronger, &real("-1"), 60), Err(Error::Undefined(_))));
        assert!(matches!(paper().delta(Theorem::Stronger, &real("3/2"), 60), Err(Error::Undefined(_))));
        let one = paper().delta(Theorem::Stronger, &real("0"), 60).expect("a bound");
        assert!(one.contains(&Rational::from(1)));
    }

    /// Where a theorem would promise no more than 1 it promises that only if some delta keeps its hypothesis: for the
    /// second one `e^7 < 10000/(8 ln 2) - 1 = 1802.3...`, for the first one `e^7 > 10000/(16 ln 2) = 901.6...`.
    #[test]
    fn no_delta_keeps_a_hypothesis_that_one_does_not() {
        let asked = |theorem, n, epsilon0: &str| {
            let found = Reports { n, epsilon0: real(epsilon0) }.delta(theorem, &real("1"), 60);
            found.map_err(|error| error.to_string())
        };
        for (theorem, n, epsilon0, limit) in [
            (Theorem::Clones, 100, "5", "2.199"),
            (Theorem::Stronger, 100, "5", "2.835"),
            (Theorem::Clones, 10_000, "7", "6.804"),
        ] {
            let told = asked(theorem, n, epsilon0).expect_err("no bound");
            assert!(told.contains(&format!("epsilon0 = {epsilon0} is above {limit}")), "{told}");
        }
        let told = asked(Theorem::Clones, 11, "1").expect_err("no bound");
        assert!(told.contains("which no epsilon0 satisfies: n = 11 is below 16 ln(2/delta) = 11.09"), "{told}");
        let one = asked(Theorem::Stronger, 10_000, "7").expect("a bound");
        assert!(one.contains(&Rational::from(1)));
    }
}
