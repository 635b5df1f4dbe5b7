//! Finite pairs a second time: brute force over outcome tuples, in malachite's rationals.
//!
//! Where the engines merge outcomes of equal likelihood ratio and search among them, this route lists every tuple of
//! outcomes and adds up the definition. It is slow, short, and shares no arithmetic with what it checks. Numbers come
//! and go as text ("p/q").

use std::str::FromStr;

use malachite::Natural;
use malachite::base::num::arithmetic::traits::{DivExact, Lcm, Pow};
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::rational::Rational;

use super::polygon::Polygon;
use crate::error::Error;

/// The most outcome tuples that are listed.
const MOST_TUPLES: usize = 1 << 20;

/// The joint masses (p, q) of all tuples of outcomes, in integers: of all p one is the denominator, and one of all q.
pub struct Tuples {
    masses: Vec<(Natural, Natural)>,
    wholes: (Natural, Natural),
}

impl Tuples {
    /// All tuples of a composition, given as lists of fractions and how often each pair is drawn.
    pub fn new(factors: &[(Vec<String>, Vec<String>, u32)]) -> Result<Self, Error> {
        let mut all = Tuples::empty();
        for (p, q, times) in factors {
            let outcomes = all.take(p, q, *times)?;
            for _ in 0..*times {
                if all.masses.len().saturating_mul(outcomes.len()) > MOST_TUPLES {
                    return Err(Error::undecided(format!("more than {MOST_TUPLES} tuples of outcomes")));
                }
                let each = all.masses.iter();
                all.masses = each.flat_map(|(p, q)| outcomes.iter().map(move |(r, s)| (p * r, q * s))).collect();
            }
        }
        Ok(all)
    }

    /// The same composition by how often each outcome occurs: tuples that are permutations of each other stand
    /// together, as `T!/(n_1! ... n_m!)` times one of them. Outcomes without mass under either are left out.
    pub fn counted(factors: &[(Vec<String>, Vec<String>, u32)]) -> Result<Self, Error> {
        let mut all = Tuples::empty();
        for (p, q, times) in factors {
            let mut outcomes = all.take(p, q, *times)?;
            outcomes.retain(|(p, q)| *p != 0u32 || *q != 0u32);
            // Of the outcomes so far: the masses, and the draws that are left for the others.
            let mut parts = vec![(Natural::ONE, Natural::ONE, *times)];
            for (index, (p, q)) in outcomes.iter().enumerate() {
                let last = index + 1 == outcomes.len();
                let mut longer = Vec::new();
                for (a, b, left) in &parts {
                    // C(left, n), a p^n and b q^n, one n after the other.
                    let (mut count, mut r, mut s) = (Natural::ONE, a.clone(), b.clone());
                    for n in 0..=*left {
                        if !last || n == *left {
                            longer.push((&r * &count, &s * &count, left - n));
                        }
                        count = (count * Natural::from(left - n)).div_exact(Natural::from(n + 1));
                        r *= p;
                        s *= q;
                    }
                    if longer.len() > MOST_TUPLES {
                        return Err(Error::undecided(format!("more than {MOST_TUPLES} counts of outcomes")));
                    }
                }
                parts = longer;
            }
            if all.masses.len().saturating_mul(parts.len()) > MOST_TUPLES {
                return Err(Error::undecided(format!("more than {MOST_TUPLES} counts of outcomes")));
            }
            let each = all.masses.iter();
            all.masses = each.flat_map(|(a, b)| parts.iter().map(move |(r, s, _)| (a * r, b * s))).collect();
        }
        Ok(all)
    }

    /// Nothing is drawn: one tuple, which has all mass.
    fn empty() -> Self {
        Tuples { masses: vec![(Natural::ONE, Natural::ONE)], wholes: (Natural::ONE, Natural::ONE) }
    }

    /// The outcomes of a factor as parts of a whole, which become parts of these tuples' wholes.
    fn take(&mut self, p: &[String], q: &[String], times: u32) -> Result<Vec<(Natural, Natural)>, Error> {
        let ((p, whole), (q, other)) = (parts(p)?, parts(q)?);
        self.wholes.0 *= whole.pow(u64::from(times));
        self.wholes.1 *= other.pow(u64::from(times));
        Ok(p.into_iter().zip(q).collect())
    }

    /// About as much memory as they take.
    pub fn bytes(&self) -> u64 {
        let bits = self.wholes.0.significant_bits() + self.wholes.1.significant_bits();
        self.masses.len() as u64 * (bits / 8 + 64)
    }

    /// The pair with P and Q exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Tuples {
            masses: self.masses.iter().map(|(p, q)| (q.clone(), p.clone())).collect(),
            wholes: (self.wholes.1.clone(), self.wholes.0.clone()),
        }
    }

    /// Are the tuples the same with P and Q exchanged?
    pub fn is_symmetric(&self) -> bool {
        let sorted = |mut masses: Vec<(Natural, Natural)>| {
            masses.sort();
            masses
        };
        self.wholes.0 == self.wholes.1 && sorted(self.masses.clone()) == sorted(self.swapped().masses)
    }

    /// `min(f, f^-1)**` at alpha, for `f = T(P,Q)`: on the lower hull of the vertices of both orders.
    pub fn beta_of_both(&self, alpha: &Rational) -> Rational {
        if self.is_symmetric() {
            return self.beta(alpha);
        }
        let outcomes: Vec<_> = self.masses.iter().map(|(p, q)| self.fractions(p.clone(), q.clone())).collect();
        Polygon::of_outcomes(&outcomes).both_orders().at(alpha)
    }

    /// Masses under P and Q of what is chosen, as fractions.
    fn fractions(&self, p: Natural, q: Natural) -> (Rational, Rational) {
        (Rational::from_naturals(p, self.wholes.0.clone()), Rational::from_naturals(q, self.wholes.1.clone()))
    }

    /// `H_x(P||Q)` of `x >= 0`: the sum over all tuples of `max(p - x q, 0)`.
    pub fn delta(&self, x: &Rational) -> Rational {
        let (a, b) = (x.denominator_ref() * &self.wholes.1, x.numerator_ref() * &self.wholes.0);
        let (mut p, mut q) = (Natural::ZERO, Natural::ZERO);
        for (r, s) in self.masses.iter().filter(|(r, s)| r * &a > s * &b) {
            p += r;
            q += s;
        }
        let (p, q) = self.fractions(p, q);
        p - x * q
    }

    /// The masses under P and Q of the tuples with `p > x q`.
    pub fn above(&self, x: &Rational) -> (Rational, Rational) {
        let (a, b) = (x.denominator_ref() * &self.wholes.1, x.numerator_ref() * &self.wholes.0);
        let (mut p, mut q) = (Natural::ZERO, Natural::ZERO);
        for (r, s) in self.masses.iter().filter(|(r, s)| r * &a > s * &b) {
            p += r;
            q += s;
        }
        self.fractions(p, q)
    }

    /// `T(P,Q)(alpha)` by filling the rejection set greedily with the tuples that Q likes most.
    pub fn beta(&self, alpha: &Rational) -> Rational {
        let mut order: Vec<_> = self.masses.iter().filter(|(_, q)| *q != 0u32).collect();
        // q/p descending without dividing: tuples with p = 0 come first.
        order.sort_by(|(p, q), (r, s)| (s * p).cmp(&(q * r)));
        // As much of P as alpha leaves.
        let room = alpha.numerator_ref() * &self.wholes.0 / alpha.denominator_ref();
        let (mut p, mut q) = (Natural::ZERO, Natural::ZERO);
        let mut cut = None;
        for (r, s) in order {
            if &p + r > room {
                cut = Some((r, s));
                break;
            }
            p += r;
            q += s;
        }
        let (p, q) = self.fractions(p, q);
        let rest = Rational::from(1) - q;
        match cut {
            Some((r, s)) => {
                let (r, s) = self.fractions(r.clone(), s.clone());
                rest - s * (alpha - p) / r
            }
            None => rest,
        }
    }
}

/// Fractions, none of which is negative, as parts of one whole.
fn parts(fractions: &[String]) -> Result<(Vec<Natural>, Natural), Error> {
    let fractions: Vec<Rational> = fractions.iter().map(|text| number(text)).collect::<Result<_, Error>>()?;
    if let Some(negative) = fractions.iter().find(|fraction| **fraction < 0u32) {
        return Err(Error::input(format!("{negative} is no mass")));
    }
    let whole = fractions.iter().fold(Natural::ONE, |whole, fraction| whole.lcm(fraction.denominator_ref()));
    let part = |fraction: &Rational| fraction.numerator_ref() * (&whole).div_exact(fraction.denominator_ref());
    Ok((fractions.iter().map(part).collect(), whole))
}

/// A fraction "p/q", or an integer.
pub fn number(text: &str) -> Result<Rational, Error> {
    Rational::from_str(text).map_err(|()| Error::input(format!("`{text}` is no fraction p/q")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::atoms::{Atoms, Factor, Limits};
    use crate::curve::Direction;
    use enclosure::Budget;

    fn texts(masses: &[(u32, u32)]) -> Vec<String> {
        masses.iter().map(|(a, b)| format!("{a}/{b}")).collect()
    }

    fn rug(value: &Rational) -> rug::Rational {
        value.to_string().parse().unwrap()
    }

    /// Counting permutations gives what listing them does, at every point.
    #[test]
    fn counts_and_lists_agree() {
        let factors = [
            (texts(&[(1, 2), (1, 3), (1, 6)]), texts(&[(1, 6), (1, 3), (1, 2)]), 4),
            (texts(&[(3, 4), (1, 4), (0, 1), (0, 1)]), texts(&[(1, 4), (0, 1), (3, 4), (0, 1)]), 3),
        ];
        let (listed, counted) = (Tuples::new(&factors).expect("few"), Tuples::counted(&factors).expect("fewer"));
        assert_eq!((listed.masses.len(), counted.masses.len()), (81 * 64, 15 * 10));
        for (p, q) in [(0, 1), (1, 3), (1, 1), (3, 2), (27, 1)] {
            let at = Rational::from_signeds(p, q);
            assert_eq!(listed.delta(&at), counted.delta(&at), "{p}/{q}");
            assert_eq!(listed.swapped().delta(&at), counted.swapped().delta(&at), "{p}/{q}");
            assert_eq!(listed.beta(&at), counted.beta(&at), "{p}/{q}");
        }
    }

    #[test]
    fn confirms_the_engine() {
        let factors = [
            (texts(&[(1, 2), (1, 4), (1, 4), (0, 1)]), texts(&[(1, 3), (1, 3), (1, 6), (1, 6)]), 3),
            (texts(&[(3, 5), (2, 5)]), texts(&[(2, 5), (3, 5)]), 4),
        ];
        let list = |texts: &[String]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>();
        let drawn: Vec<Factor> =
            factors.iter().map(|(p, q, n)| Factor::new(list(p), list(q), u64::from(*n)).unwrap()).collect();
        let budget = Budget::default();
        let atoms = Atoms::new(&drawn, Limits::default(), &budget).unwrap();
        let tuples = Tuples::new(&factors).unwrap();
        for (tuples, direction) in [(tuples.swapped(), Direction::Backward), (tuples, Direction::Forward)] {
            for x in ["1/3", "1", "3/2", "27/8", "40"] {
                let x = number(x).unwrap();
                assert_eq!(Ok(rug(&tuples.delta(&x))), atoms.delta_at(&rug(&x), direction));
            }
            for alpha in ["0", "1/100", "1/3", "7/8", "1"] {
                let alpha = number(alpha).unwrap();
                assert_eq!(Ok(rug(&tuples.beta(&alpha))), atoms.beta_at(&rug(&alpha), direction));
            }
        }
    }
}
