//! Integer masses under P and Q at each likelihood ratio: powers and products of them.

use std::collections::{BTreeMap, HashMap};

use rug::{Assign, Integer, Rational};

use super::ratios::Ratios;
use super::{Factor, Limits};
use crate::error::Error;
use enclosure::{Budget, Hint, Limit, Reason, work};

/// The masses of P and of Q at one likelihood ratio, in units of `1/p_total` and `1/q_total`.
pub(super) type Mass = (Integer, Integer);

/// The part of a pair where both P and Q have mass, by key of the ratio.
pub(super) struct Masses {
    pub(super) p_total: Integer,
    pub(super) q_total: Integer,
    /// Sorted by key, each key once, all masses positive.
    pub(super) atoms: Vec<(i128, Mass)>,
}

impl Masses {
    /// The empty composition: one outcome.
    pub(super) fn unit() -> Self {
        let one = || Integer::from(1);
        Masses { p_total: one(), q_total: one(), atoms: vec![(0, (one(), one()))] }
    }

    /// One draw of a factor.
    pub(super) fn of(factor: &Factor, ratios: &Ratios) -> Self {
        let common = |masses: &[Rational]| masses.iter().fold(Integer::from(1), |lcm, mass| lcm.lcm(mass.denom()));
        let (p_total, q_total) = (common(factor.pair.p()), common(factor.pair.q()));
        let units = |mass: &Rational, total: &Integer| Integer::from(total / mass.denom()) * mass.numer();
        let mut atoms: BTreeMap<i128, Mass> = BTreeMap::new();
        for (p, q) in factor.pair.outcomes().filter(|(p, q)| !p.is_zero() && !q.is_zero()) {
            let atom = atoms.entry(ratios.key(&Rational::from(p / q))).or_default();
            atom.0 += units(p, &p_total);
            atom.1 += units(q, &q_total);
        }
        Masses { p_total, q_total, atoms: atoms.into_iter().collect() }
    }

    /// The n-fold composition with itself.
    ///
    /// With `z^key` for a key, the masses are the coefficients of a polynomial `F = sum a_i z^{s_i}` (after a shift,
    /// `0 = s_0 < s_1 < ...`), and those of `G = F^n` follow from `F G' = n F' G`: `c_0 = a_0^n` and
    /// `a_0 v c_v = sum_{i >= 1} (n s_i - (v - s_i)) a_i c_{v - s_i}`.
    /// Each `c_v` is an integer, so the division is exact; it costs one small multiplication for each pair of an atom
    /// and an outcome, where squaring would cost one large one for each pair of atoms. Every key that a draw can reach
    /// from a reached one is tried; those that take more than n draws come out as 0 and are dropped.
    pub(super) fn power(&self, n: u64, cap: &Cap, budget: &Budget) -> Result<Self, Error> {
        let exponent = u32::try_from(n).map_err(|_| cap.error())?;
        let raise = |a: &Integer| Integer::from(rug::ops::Pow::pow(a, exponent));
        let (p_total, q_total) = (raise(&self.p_total), raise(&self.q_total));
        let Some(((low, (a, b)), others)) = self.atoms.split_first() else {
            let atoms = if n == 0 { Self::unit().atoms } else { vec![] };
            return Ok(Masses { p_total, q_total, atoms });
        };
        let n = i128::from(n);
        let mut atoms: Vec<(i128, Mass)> = Vec::new();
        let mut pending: BTreeMap<i128, Mass> = BTreeMap::new();
        let mut next = Some((0, (raise(a), raise(b))));
        let mut term = Integer::new();
        while let Some((v, mass)) = next {
            if atoms.len().is_multiple_of(64) {
                budget.check()?;
            }
            work::spend_products(4 * others.len(), mass.0.significant_bits() / 8);
            for (key, (p, q)) in others {
                let step = key - low;
                let weight = Integer::from(n * step - v);
                let sum = pending.entry(v + step).or_default();
                for (sum, a, c) in [(&mut sum.0, p, &mass.0), (&mut sum.1, q, &mass.1)] {
                    term.assign(a * &weight);
                    *sum += &term * c;
                }
            }
            atoms.push((v + n * low, mass));
            cap.check(atoms.len())?;
            // The front runs up to one draw ahead, some of it to keys that come out as 0.
            cap.check(pending.len() / 2)?;
            next = loop {
                let Some((v, (p, q))) = pending.pop_first() else { break None };
                if !p.is_zero() {
                    let by = Integer::from(v);
                    break Some((v, (p.div_exact(&Integer::from(a * &by)), q.div_exact(&Integer::from(b * &by)))));
                }
            };
        }
        Ok(Masses { p_total, q_total, atoms })
    }

    /// The composition of two.
    pub(super) fn product(&self, other: &Self, cap: &Cap, budget: &Budget) -> Result<Self, Error> {
        let mut atoms: HashMap<i128, Mass> = HashMap::new();
        for (key, (p, q)) in &self.atoms {
            budget.check()?;
            work::spend_products(4 * other.atoms.len(), p.significant_bits());
            for (other_key, (r, s)) in &other.atoms {
                let sum = atoms.entry(key + other_key).or_default();
                sum.0 += p * r;
                sum.1 += q * s;
            }
            cap.check(atoms.len())?;
        }
        let mut atoms: Vec<(i128, Mass)> = atoms.into_iter().collect();
        atoms.sort_unstable_by_key(|(key, _)| *key);
        let total = |a: &Integer, b: &Integer| Integer::from(a * b);
        Ok(Masses {
            p_total: total(&self.p_total, &other.p_total),
            q_total: total(&self.q_total, &other.q_total),
            atoms,
        })
    }
}

/// How many atoms this composition may have.
pub(super) struct Cap {
    atoms: usize,
    bytes_each: u64,
    limits: Limits,
}

impl Cap {
    /// The cap from the limits and from how long the masses get; fails if the composition certainly exceeds it.
    pub(super) fn new(factors: &[(Masses, u64)], limits: Limits) -> Result<Self, Error> {
        // n <= 2^length(n - 1), and powers keep that.
        let bits_of = |total: &Integer| u64::from(Integer::from(total - 1u32).significant_bits());
        let length = |masses: &Masses| bits_of(&masses.p_total).saturating_add(bits_of(&masses.q_total));
        let bits = factors.iter().fold(0u64, |sum, (masses, n)| sum.saturating_add(length(masses).saturating_mul(*n)));
        // Two integers, their headers and spare room, and the key.
        let bytes_each = (bits / 8).saturating_add(128);
        let atoms = usize::try_from(limits.max_bytes / bytes_each).unwrap_or(usize::MAX).min(limits.max_atoms);
        let cap = Cap { atoms, bytes_each, limits };
        // Sums of sets on a line: |A + B| >= |A| + |B| - 1.
        let least = factors.iter().fold(1u64, |sum, (masses, n)| {
            let more = u64::try_from(masses.atoms.len().saturating_sub(1)).unwrap_or(u64::MAX);
            sum.saturating_add(more.saturating_mul(*n))
        });
        cap.check(usize::try_from(least).unwrap_or(usize::MAX))?;
        Ok(cap)
    }

    fn check(&self, atoms: usize) -> Result<(), Error> {
        if atoms > self.atoms { Err(self.error()) } else { Ok(()) }
    }

    fn error(&self) -> Error {
        let reason = Reason::from(format!(
            "the exact composition has more than {} different likelihood ratios with masses of {} bytes each, which \
             exceeds the limits of {} ratios and {} MB",
            self.atoms,
            self.bytes_each,
            self.limits.max_atoms,
            self.limits.max_bytes as f64 / 1e6
        ));
        let relax = "; try fewer compositions or simpler fractions";
        Error::Undecided(reason.hint(Hint::More(Limit::Memory)).then(relax))
    }
}
