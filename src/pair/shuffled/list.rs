//! Few shuffled reports as a list of constants.
//!
//! With `x = e^epsilon`, and without reports of neither kind, the count of k reports of both kinds, a of them of the
//! first, has under P the mass `w (x C(k-1, a-1) + C(k-1, a))` and under Q `w (C(k-1, a-1) + x C(k-1, a))`, where
//! `w = C(n-1, k-1) (x-1)^(n-k)/(x+1)^n` of the stronger clones and `C(n-1, k-1) (x-1)^(n-k) 2^(1-k)/(x^(n-1) (x+1))`
//! of the others. As `C(k-1, a-1)` is to `C(k-1, a)` as a is to `k-a`, the loss is `ln((x t + 1 - t)/(t + x (1-t)))`,
//! `t = a/k`, which rises with t: counts with one t are one outcome. (`proofs/paper/shuffling.md`)

use std::collections::BTreeMap;

use rug::{Integer, Rational};

use super::super::listed::{List, Listed};
use super::{Clones, FEW, Shuffled};
use enclosure::Real;

impl Shuffled {
    /// All outcomes, of few reports of two kinds.
    pub fn list(&self) -> Option<List> {
        let n = u32::try_from(self.reports).ok().filter(|_| self.reports <= FEW)?;
        let x = self.epsilon.exp().ok()?;
        let one = Real::one();
        let (above, less) = (x.add(&one), x.sub(&one));
        let (all, half) = match self.clones {
            Clones::Response { categories: 2 } => (power(&above, n)?, false),
            Clones::Response { .. } => return None,
            Clones::Standard => (power(&x, n - 1)?.mul(&above).ok()?, true),
        };
        let mut masses = BTreeMap::<Rational, [Real; 2]>::new();
        for k in 1..=n {
            let ways = Rational::from(Integer::from(n - 1).binomial(k - 1)) >> if half { k - 1 } else { 0 };
            let weight = power(&less, n - k)?.mul_rational(&ways).div(&all).ok()?;
            for a in 0..=k {
                let before = if a == 0 { Integer::new() } else { Integer::from(k - 1).binomial(a - 1) };
                let [before, here] = [before, Integer::from(k - 1).binomial(a)].map(Rational::from);
                let mass = |own: &Rational, other: &Rational| {
                    weight.mul(&x.mul_rational(own).add(&Real::from(other.clone()))).ok()
                };
                let both = [mass(&before, &here)?, mass(&here, &before)?];
                let known = masses.entry(Rational::from((a, k))).or_insert_with(|| [Real::zero(), Real::zero()]);
                *known = [known[0].add(&both[0]), known[1].add(&both[1])];
            }
        }
        let mut outcomes = Vec::new();
        for (t, [p, q]) in masses.into_iter().rev() {
            let rest = Rational::from(1 - &t);
            let loss = if rest.is_zero() {
                self.epsilon.clone()
            } else if t.is_zero() {
                self.epsilon.neg()
            } else if t == rest {
                Real::zero()
            } else {
                let mixed = |own: &Rational, other: &Rational| x.mul_rational(own).add(&Real::from(other.clone()));
                mixed(&t, &rest).div(&mixed(&rest, &t)).ok()?.ln().ok()?
            };
            outcomes.push(Listed { loss, p, q });
        }
        Some(List { outcomes, infinite_p: Real::zero(), infinite_q: Real::zero() })
    }
}

fn power(base: &Real, exponent: u32) -> Option<Real> {
    (0..exponent).try_fold(Real::one(), |power, _| power.mul(base).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::{Pair, Polyline};
    use enclosure::Budget;

    /// Where the masses are fractions, the list has them: the sum over outcomes of one ratio, largest loss first.
    #[test]
    fn lists_have_the_masses_of_fractions() {
        for clones in [Clones::Standard, Clones::Response { categories: 2 }] {
            for n in [1, 2, 3, 7] {
                let pair = Shuffled::new(n, "ln(3)".parse().expect("a constant"), clones);
                let list = pair.list().expect("a list");
                let mut known = BTreeMap::<Rational, [Rational; 2]>::new();
                for (p, q) in pair.fractions().expect("masses").expect("few").outcomes() {
                    if !p.is_zero() {
                        let sums = known.entry(Rational::from(p / q)).or_default();
                        sums[0] += p;
                        sums[1] += q;
                    }
                }
                let found: Vec<_> = list.outcomes.iter().map(|outcome| [&outcome.p, &outcome.q]).collect();
                let found: Vec<_> = found.iter().map(|masses| masses.map(Real::as_rational)).collect();
                let known: Vec<_> = known.values().rev().map(|[p, q]| [Some(p), Some(q)]).collect();
                assert_eq!(found, known, "{clones:?} {n}");
            }
        }
    }

    /// The pieces of the trade-off function are the outcomes.
    #[test]
    fn polylines_have_the_same_outcomes() {
        for clones in [Clones::Standard, Clones::Response { categories: 2 }] {
            for n in [1, 4, 7] {
                let pair = Shuffled::new(n, Real::one(), clones);
                let list = pair.list().expect("a list");
                let found = Polyline::of_pairs([&Pair::Shuffled(pair)], &Budget::default());
                let found = found.and_then(|[f]| f.list(64)).expect("a polyline");
                assert_eq!(found.outcomes.len(), list.outcomes.len(), "{clones:?} {n}");
                for (found, known) in found.outcomes.iter().zip(&list.outcomes) {
                    let [a, b] = [found, known].map(|outcome| [&outcome.loss, &outcome.p, &outcome.q]);
                    for (a, b) in a.into_iter().zip(b) {
                        assert!(a.enclosure(200).overlaps(&b.enclosure(200)), "{clones:?} {n}: {found:?} {known:?}");
                    }
                }
            }
        }
    }

    /// Where they are not, masses add up, and losses are the logarithms of their ratios.
    #[test]
    fn lists_of_constants_are_pairs() {
        for clones in [Clones::Standard, Clones::Response { categories: 2 }] {
            for n in [1, 4, FEW] {
                let pair = Shuffled::new(n, Real::one(), clones);
                let list = pair.list().expect("a list");
                let masses = list.masses(200);
                assert!(masses.is_pair(&list.losses(), 200), "{clones:?} {n}");
                for outcome in list.outcomes(200).finite {
                    let ratio = (&outcome.p.enclosure(200) / &outcome.q.enclosure(200)).ln();
                    assert!(ratio.overlaps(&outcome.loss), "{clones:?} {n}: {outcome:?}");
                    assert!(outcome.p.enclosure(200).relative_bits() > Some(180), "{outcome:?}");
                }
            }
        }
    }
}
