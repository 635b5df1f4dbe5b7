//! Finite pairs a second time: brute force over outcome tuples, in malachite's rationals.
//!
//! Where the engines merge outcomes of equal likelihood ratio and search among them, this route lists every tuple of
//! outcomes and adds up the definition. It is slow, short, and shares no arithmetic with what it checks. Numbers come
//! and go as text ("p/q").

use std::str::FromStr;

use malachite::rational::Rational;

use crate::error::Error;

/// The most outcome tuples that are listed.
const MOST_TUPLES: usize = 1 << 20;

/// The joint masses (p, q) of all tuples of outcomes.
pub struct Tuples {
    masses: Vec<(Rational, Rational)>,
}

impl Tuples {
    /// All tuples of a composition, given as lists of fractions and how often each pair is drawn.
    pub fn new(factors: &[(Vec<String>, Vec<String>, u32)]) -> Result<Self, Error> {
        let mut masses = vec![(Rational::from(1), Rational::from(1))];
        for (p, q, times) in factors {
            let outcomes: Vec<(Rational, Rational)> =
                p.iter().zip(q).map(|(p, q)| Ok((number(p)?, number(q)?))).collect::<Result<_, Error>>()?;
            for _ in 0..*times {
                if masses.len().saturating_mul(outcomes.len()) > MOST_TUPLES {
                    return Err(Error::undecided(format!("more than {MOST_TUPLES} tuples of outcomes")));
                }
                masses = masses.iter().flat_map(|(p, q)| outcomes.iter().map(move |(r, s)| (p * r, q * s))).collect();
            }
        }
        Ok(Tuples { masses })
    }

    /// The same composition by how often each outcome occurs: tuples that are permutations of each other stand
    /// together, as `T!/(n_1! ... n_m!)` times one of them. Outcomes without mass under either are left out.
    pub fn counted(factors: &[(Vec<String>, Vec<String>, u32)]) -> Result<Self, Error> {
        let mut masses = vec![(Rational::from(1), Rational::from(1))];
        for (p, q, times) in factors {
            // Of the outcomes so far: the masses, and the draws that are left for the others.
            let mut parts = vec![(Rational::from(1), Rational::from(1), *times)];
            let mut outcomes: Vec<(Rational, Rational)> =
                p.iter().zip(q).map(|(p, q)| Ok((number(p)?, number(q)?))).collect::<Result<_, Error>>()?;
            outcomes.retain(|(p, q)| *p != 0u32 || *q != 0u32);
            for (index, (p, q)) in outcomes.iter().enumerate() {
                let last = index + 1 == outcomes.len();
                let mut longer = Vec::new();
                for (a, b, left) in &parts {
                    // a C(left, n) p^n, one n after the other.
                    let (mut r, mut s) = (a.clone(), b.clone());
                    for n in 0..=*left {
                        if !last || n == *left {
                            longer.push((r.clone(), s.clone(), left - n));
                        }
                        let next = Rational::from(left - n) / Rational::from(n + 1);
                        r *= p * &next;
                        s *= q * next;
                    }
                    if longer.len() > MOST_TUPLES {
                        return Err(Error::undecided(format!("more than {MOST_TUPLES} counts of outcomes")));
                    }
                }
                parts = longer;
            }
            if masses.len().saturating_mul(parts.len()) > MOST_TUPLES {
                return Err(Error::undecided(format!("more than {MOST_TUPLES} counts of outcomes")));
            }
            masses = masses.iter().flat_map(|(a, b)| parts.iter().map(move |(r, s, _)| (a * r, b * s))).collect();
        }
        Ok(Tuples { masses })
    }

    /// The pair with P and Q exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Tuples { masses: self.masses.iter().map(|(p, q)| (q.clone(), p.clone())).collect() }
    }

    /// `H_x(P||Q)`: the sum over all tuples of `max(p - x q, 0)`.
    pub fn delta(&self, x: &Rational) -> Rational {
        let zero = Rational::from(0);
        self.masses.iter().map(|(p, q)| p - x * q).filter(|excess| *excess > zero).fold(zero.clone(), |a, b| a + b)
    }

    /// `T(P,Q)(alpha)` by filling the rejection set greedily with the tuples that Q likes most.
    pub fn beta(&self, alpha: &Rational) -> Rational {
        let zero = Rational::from(0);
        let mut order: Vec<_> = self.masses.iter().filter(|(_, q)| *q != zero).collect();
        // q/p descending without dividing: tuples with p = 0 come first.
        order.sort_by(|(p, q), (r, s)| (s * p).cmp(&(q * r)));
        let mut left = alpha.clone();
        let mut beta = Rational::from(1);
        for (p, q) in order {
            if *p <= left {
                left -= p;
                beta -= q;
            } else {
                beta -= q * &left / p;
                break;
            }
        }
        beta
    }
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
