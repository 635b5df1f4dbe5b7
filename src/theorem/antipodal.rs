//! Dwork and Rothblum, *Concentrated Differential Privacy*, Lemma 3.9: every pair of distributions whose likelihood
//! ratios lie in `[1/X, X]` can be replaced by one whose ratios are `X`, `1/X` or 1 only, with no smaller divergence.
//!
//! Certified results: the replacement (M, N) exactly, for rational masses, and the chain of inequalities that it
//! proves,
//!
//! `KL(P||Q) <= KL(M||N) = eps TV(P,Q) <= eps tanh(eps/2) <= eps (e^eps - 1)/2`, `eps = ln X`,
//!
//! each member as a number with as many digits as asked for, each sign decided exactly: an inequality is reported
//! strict or an equality by comparing fractions, never by comparing enclosures. The paper has the two ends (Lemma 3.8);
//! the middle comes out of the proof of Lemma 3.9. As printed the lemma bounds `D_inf(P||Q)`; the hypothesis has to
//! hold in both directions, so here X is at least the largest ratio of both. The proof is in
//! `proofs/paper/antipodal.md`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rug::Rational;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::alarm::declined;
use crate::curve::{Direction, Value, finite_kl, total_variation};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::pair::{FinitePair, Pair};
use enclosure::{Budget, Enclosure, Number, refine};

/// A pair of distributions with equal support, and its antipodal replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Antipodal {
    /// `X = e^eps`, at least every ratio `p/q` and `q/p`.
    #[serde(serialize_with = "text")]
    x: Rational,
    /// Is X the largest ratio itself?
    tight: bool,
    #[serde(serialize_with = "pair_texts")]
    pair: FinitePair,
    #[serde(serialize_with = "pair_texts")]
    replacement: FinitePair,
    /// `TV(P,Q) = TV(M,N)`.
    #[serde(serialize_with = "text")]
    total_variation: Rational,
    /// `tanh(eps/2) = (X-1)/(X+1)`, the largest total variation at this X.
    #[serde(serialize_with = "text")]
    largest_total_variation: Rational,
    /// Is `KL(P||Q) < KL(M||N)`, and with it `KL(Q||P) < KL(N||M)`? If not they are equal.
    replacement_is_strict: bool,
    /// Is `eps TV(P,Q) < eps tanh(eps/2)`?
    total_variation_is_strict: bool,
    /// Is `eps tanh(eps/2) < eps (e^eps - 1)/2`?
    printed_bound_is_strict: bool,
}

/// The members of the chain, each exact or an enclosure with the digits asked for.
#[derive(Clone, Debug)]
pub struct Chain {
    /// `eps = ln X`, of (P, Q) and of (M, N).
    pub epsilon: Number,
    /// `TV(P,Q) = TV(M,N)`.
    pub total_variation: Number,
    /// `KL(P||Q)`.
    pub forward: Number,
    /// `KL(Q||P)`.
    pub backward: Number,
    /// `KL(M||N) = KL(N||M) = eps TV(P,Q)`.
    pub antipodal: Number,
    /// `eps tanh(eps/2)`.
    pub sharp: Number,
    /// `eps (e^eps - 1)/2`, as printed in Lemma 3.8.
    pub printed: Number,
}

impl Antipodal {
    /// The replacement of a pair, with X its largest ratio.
    ///
    /// *Errors:* [`Error::Undefined`] if an outcome has mass under one distribution only; it says which.
    pub fn new(pair: FinitePair) -> Result<Self, Error> {
        let largest = largest_ratio(&pair)?;
        Ok(Self::build(pair, largest, true))
    }

    /// The replacement of a pair at a given `X = e^eps`, at least its largest ratio, else [`Error::Undefined`].
    #[cfg(test)]
    fn with_bound(pair: FinitePair, x: &Rational) -> Result<Self, Error> {
        let largest = largest_ratio(&pair)?;
        if *x < largest {
            return Err(Error::Undefined(format!(
                "e^epsilon = {x} is below the largest likelihood ratio, {largest}, so the pair is not epsilon-close"
            )));
        }
        let tight = *x == largest;
        Ok(Self::build(pair, x.clone(), tight))
    }

    fn build(pair: FinitePair, x: Rational, tight: bool) -> Self {
        let excess = Rational::from(&x - 1u32);
        let replacement = if pair.p() == pair.q() { pair.clone() } else { replace(&pair, &x, &excess) };
        let total_variation = total_variation(&pair);
        let largest_total_variation = &excess / Rational::from(&x + 1u32);
        let recip = Rational::from(x.recip_ref());
        let antipodal = pair.outcomes().all(|(p, q)| {
            p == q || (!q.is_zero() && matches!(Rational::from(p / q), ratio if ratio == x || ratio == recip))
        });
        Antipodal {
            tight,
            replacement_is_strict: !antipodal,
            // With eps = 0 all of the chain is 0.
            total_variation_is_strict: !excess.is_zero() && total_variation < largest_total_variation,
            printed_bound_is_strict: !excess.is_zero(),
            x,
            pair,
            replacement,
            total_variation,
            largest_total_variation,
        }
    }

    /// `X = e^eps`.
    pub fn x(&self) -> &Rational {
        &self.x
    }

    /// (M, N): for each outcome of (P, Q) in order, its part with ratio X or 1/X, then its part with ratio 1, each if
    /// it is not empty. For `P = Q` it is (P, Q).
    pub fn replacement(&self) -> &FinitePair {
        &self.replacement
    }

    /// Which of `KL(P||Q) <= KL(M||N)`, `eps TV <= eps tanh(eps/2)`, `eps tanh(eps/2) <= eps (e^eps - 1)/2` are strict;
    /// the others are equalities. The first answer is the same for (Q, P).
    pub fn strict(&self) -> [bool; 3] {
        [self.replacement_is_strict, self.total_variation_is_strict, self.printed_bound_is_strict]
    }

    /// `eps = ln X`; exactly 0 for `X = 1`.
    pub fn epsilon(&self, bits: u32) -> Number {
        let d = Rational::from(&self.x - 1u32);
        if d.is_zero() {
            Number::zero()
        } else if d < 1 {
            Number::Enclosed(Enclosure::rational(&d, bits).log1p())
        } else {
            Number::Enclosed(Enclosure::rational(&self.x, bits).ln())
        }
    }

    /// `KL(P||Q)` forward, `KL(Q||P)` backward, the larger of both for `Worst`.
    pub fn kl(&self, direction: Direction, bits: u32) -> Number {
        let kl = |pair: &FinitePair| match finite_kl(pair, bits) {
            Value::Finite(number) => number,
            // The supports are equal: this cannot be.
            Value::Infinite => Number::Enclosed(Enclosure::whole(bits)),
        };
        match direction {
            Direction::Forward => kl(&self.pair),
            Direction::Backward => kl(&self.pair.swapped()),
            Direction::Worst => kl(&self.pair).max(&kl(&self.pair.swapped())),
        }
    }

    /// `KL(M||N) = eps TV(P,Q)`.
    pub fn antipodal_kl(&self, bits: u32) -> Number {
        &self.epsilon(bits) * &Number::Exact(self.total_variation.clone())
    }

    /// `eps tanh(eps/2)`, the largest divergence of all pairs at this X.
    pub fn sharp_bound(&self, bits: u32) -> Number {
        &self.epsilon(bits) * &Number::Exact(self.largest_total_variation.clone())
    }

    /// `eps (e^eps - 1)/2`.
    pub fn printed_bound(&self, bits: u32) -> Number {
        let half = Rational::from(&self.x - 1u32) / 2u32;
        &self.epsilon(bits) * &Number::Exact(half)
    }

    /// The whole chain with `digits` proven digits.
    pub fn chain(&self, digits: u32, budget: &Budget) -> Result<Chain, Error> {
        let certified = |value: &dyn Fn(u32) -> Number| refine(digits, budget, |bits| Ok(value(bits)));
        Ok(Chain {
            epsilon: certified(&|bits| self.epsilon(bits))?,
            total_variation: Number::Exact(self.total_variation.clone()),
            forward: certified(&|bits| self.kl(Direction::Forward, bits))?,
            backward: certified(&|bits| self.kl(Direction::Backward, bits))?,
            antipodal: certified(&|bits| self.antipodal_kl(bits))?,
            sharp: certified(&|bits| self.sharp_bound(bits))?,
            printed: certified(&|bits| self.printed_bound(bits))?,
        })
    }
}

/// Largest number of outcomes for which the replacement is listed.
const MOST_OUTCOMES: usize = 256;

/// The pair of a composition in fractions; `None` where its masses are not fractions, or more than 256 outcomes have
/// different ratios. Of a product outcomes with one ratio are merged, which keeps all divergences; those of a single
/// mechanism are kept as they are.
///
/// # Errors
/// Those of the pairs.
pub fn in_fractions(composition: &Composition) -> Result<Option<FinitePair>, Error> {
    if let Some((Mechanism::Finite(pair), 1)) = composition.single() {
        return FinitePair::new(pair.p().to_vec(), pair.q().to_vec()).map(Some);
    }
    let mut factors = Vec::new();
    for (pair, times) in composition.pairs()? {
        let Pair::Discrete(discrete) = pair else {
            if matches!(pair, Pair::Equal) {
                continue;
            }
            return Ok(None);
        };
        let Some(fractions) = declined(discrete.fractions())?.flatten() else { return Ok(None) };
        factors.push((fractions, times));
    }
    let mut product: Option<FinitePair> = None;
    for (factor, times) in &factors {
        for _ in 0..*times {
            let next = match &product {
                None => factor.clone(),
                Some(before) => match merged(before, factor)? {
                    Some(next) => next,
                    None => return Ok(None),
                },
            };
            if next.p().len() > MOST_OUTCOMES {
                return Ok(None);
            }
            product = Some(next);
        }
    }
    let alone = || FinitePair::new(vec![Rational::from(1)], vec![Rational::from(1)]);
    product.map_or_else(|| alone().map(Some), |pair| Ok(Some(pair)))
}

/// The product of two pairs, outcomes of one ratio merged; `None` for too many. What neither has is left out.
fn merged(one: &FinitePair, other: &FinitePair) -> Result<Option<FinitePair>, Error> {
    // By q/p, with outcomes that only Q has at the end.
    let mut by_ratio: BTreeMap<(bool, Rational), (Rational, Rational)> = BTreeMap::new();
    for (p, q) in one.outcomes() {
        for (r, s) in other.outcomes() {
            let (p, q) = (Rational::from(p * r), Rational::from(q * s));
            if p.is_zero() && q.is_zero() {
                continue;
            }
            let key = if p.is_zero() { (true, Rational::new()) } else { (false, Rational::from(&q / &p)) };
            let sum = by_ratio.entry(key).or_default();
            sum.0 += p;
            sum.1 += q;
        }
        if by_ratio.len() > MOST_OUTCOMES {
            return Ok(None);
        }
    }
    let (p, q) = by_ratio.into_values().unzip();
    FinitePair::new(p, q).map(Some)
}

/// The largest of all `p/q` and `q/p`, at least 1.
fn largest_ratio(pair: &FinitePair) -> Result<Rational, Error> {
    let mut largest = Rational::from(1);
    for (i, (p, q)) in pair.outcomes().enumerate() {
        match (p.is_zero(), q.is_zero()) {
            (true, true) => {}
            (false, false) => {
                let ratio = Rational::from(p / q);
                let ratio = if ratio < 1 { ratio.recip() } else { ratio };
                largest = largest.max(ratio);
            }
            (only_q, _) => {
                let (has, lacks) = if only_q { ("q", "p") } else { ("p", "q") };
                return Err(Error::Undefined(format!(
                    "the supports differ: outcome {i} has mass under {has} but none under {lacks}, so the likelihood \
                     ratio is unbounded"
                )));
            }
        }
    }
    Ok(largest)
}

/// The construction, for `X > 1`: an outcome (p, q) becomes (m, n) with `m - n = p - q` and ratio X or 1/X, and
/// (c, c) for the rest.
fn replace(pair: &FinitePair, x: &Rational, excess: &Rational) -> FinitePair {
    let (mut m_masses, mut n_masses) = (Vec::new(), Vec::new());
    for (p, q) in pair.outcomes() {
        let small = Rational::from(p - q).abs() / excess;
        let large = Rational::from(&small * x);
        let (m, n) = if p.cmp(q) == Ordering::Less { (small, large) } else { (large, small) };
        let rest = Rational::from(p - &m);
        if !m.is_zero() {
            m_masses.push(m);
            n_masses.push(n);
        }
        if !rest.is_zero() {
            m_masses.push(rest.clone());
            n_masses.push(rest);
        }
    }
    // The parts of each outcome add up to it, and the rest is at least 0 because its ratio is at most X: never an
    // error.
    FinitePair::new(m_masses, n_masses).unwrap_or_else(|_| pair.clone())
}

fn text<S: Serializer>(value: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Two lists of fractions.
fn pair_texts<S: Serializer>(pair: &FinitePair, serializer: S) -> Result<S::Ok, S::Error> {
    let texts = |masses: &[Rational]| masses.iter().map(Rational::to_string).collect::<Vec<_>>();
    let mut both = serializer.serialize_seq(Some(2))?;
    both.serialize_element(&texts(pair.p()))?;
    both.serialize_element(&texts(pair.q()))?;
    both.end()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::theorem::functional::Functional;

    fn q(numer: i64, denom: i64) -> Rational {
        Rational::from((numer, denom))
    }

    fn list(masses: &[(i64, i64)]) -> Vec<Rational> {
        masses.iter().map(|&m| Rational::from(m)).collect()
    }

    fn example() -> FinitePair {
        FinitePair::new(list(&[(1, 2), (1, 4), (1, 4)]), list(&[(1, 3), (1, 3), (1, 3)])).unwrap()
    }

    #[test]
    fn printed_example() {
        let antipodal = Antipodal::new(example()).unwrap();
        assert_eq!(*antipodal.x(), q(3, 2));
        assert_eq!(antipodal.replacement().p(), list(&[(1, 2), (1, 6), (1, 12), (1, 6), (1, 12)]));
        assert_eq!(antipodal.replacement().q(), list(&[(1, 3), (1, 4), (1, 12), (1, 4), (1, 12)]));
        assert_eq!(antipodal.strict(), [true, true, true]);
        let chain = antipodal.chain(40, &Budget::default()).unwrap();
        // log(3/2)/6
        let sixth = Enclosure::rational(&q(3, 2), 300).ln() / Enclosure::rational(&q(6, 1), 300);
        assert!(chain.antipodal.enclosure(300).overlaps(&sixth));
        let json = serde_json::to_value(&antipodal).unwrap();
        assert_eq!(json["x"], "3/2");
        assert_eq!(json["replacement"][1][1], "1/4");
        assert_eq!(json["total_variation"], "1/6");
    }

    /// Merging outcomes of one ratio, and the product itself, against all pairs of outcomes side by side.
    #[test]
    fn products_have_the_divergences_of_all_outcomes() {
        let pair = example();
        let text = "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2";
        let merged = in_fractions(&text.parse().unwrap()).unwrap().unwrap();
        let (mut p, mut r) = (Vec::new(), Vec::new());
        for (first, second) in pair.outcomes() {
            for (third, fourth) in pair.outcomes() {
                p.push(Rational::from(first * third));
                r.push(Rational::from(second * fourth));
            }
        }
        let whole = FinitePair::new(p, r).unwrap();
        assert!(merged.p().len() < whole.p().len());
        let (merged, whole) = (Antipodal::new(merged).unwrap(), Antipodal::new(whole).unwrap());
        assert_eq!((merged.x(), &merged.total_variation), (whole.x(), &whole.total_variation));
        assert_eq!(merged.strict(), whole.strict());
        for direction in [Direction::Forward, Direction::Backward] {
            let (one, other) = (merged.kl(direction, 200), whole.kl(direction, 200));
            assert!(one.enclosure(200).overlaps(&other.enclosure(200)));
        }
        // The functional, whose epsilon and distance are computed by the engines.
        let found =
            Functional::Antipodal.of(&text.parse().unwrap(), Direction::Worst, 200, &Budget::default()).unwrap();
        let Value::Finite(found) = found else { panic!("infinite") };
        assert!(found.enclosure(200).overlaps(&whole.antipodal_kl(200).enclosure(200)));
    }

    #[test]
    fn what_is_no_list_of_fractions_has_no_pair() {
        for text in ["randomized-response(epsilon=1)", "laplace(scale=1)", "randomized-response(epsilon=ln(3))^1000"] {
            assert!(in_fractions(&text.parse().unwrap()).unwrap().is_none(), "{text}");
        }
    }

    #[test]
    fn which_are_equalities() {
        // Randomised response: all but the printed bound.
        let coin = |x: i64| FinitePair::new(list(&[(x, x + 1), (1, x + 1)]), list(&[(1, x + 1), (x, x + 1)])).unwrap();
        let antipodal = Antipodal::new(coin(3)).unwrap();
        assert_eq!(antipodal.strict(), [false, false, true]);
        assert_eq!(antipodal.replacement(), &antipodal.pair);
        let loose = Antipodal::with_bound(coin(3), &q(4, 1)).unwrap();
        assert_eq!((loose.strict(), loose.tight), ([true, true, true], false));
        // Antipodal with a neutral outcome: less total variation.
        let neutral = FinitePair::new(list(&[(1, 2), (1, 4), (1, 4)]), list(&[(1, 4), (1, 2), (1, 4)])).unwrap();
        assert_eq!(Antipodal::new(neutral).unwrap().strict(), [false, true, true]);
        // P = Q.
        let equal = FinitePair::new(list(&[(1, 3), (2, 3)]), list(&[(1, 3), (2, 3)])).unwrap();
        let same = Antipodal::new(equal.clone()).unwrap();
        assert_eq!(same.strict(), [false, false, false]);
        assert_eq!(same.replacement(), &equal);
        let chain = same.chain(20, &Budget::default()).unwrap();
        for zero in [chain.epsilon, chain.forward, chain.backward, chain.antipodal, chain.sharp, chain.printed] {
            assert_eq!(zero.exact(), Some(&Rational::new()));
        }
        let above = Antipodal::with_bound(equal, &q(2, 1)).unwrap();
        assert_eq!(above.strict(), [false, true, true]);
    }

    #[test]
    fn unequal_supports_are_named() {
        let pair = FinitePair::new(list(&[(1, 2), (1, 2)]), list(&[(1, 1), (0, 1)])).unwrap();
        let Err(Error::Undefined(message)) = Antipodal::new(pair) else { panic!("defined") };
        assert!(message.contains("outcome 1 has mass under p"), "{message}");
        assert!(Antipodal::with_bound(example(), &q(7, 5)).is_err());
        let empty = FinitePair::new(list(&[(1, 2), (0, 1), (1, 2)]), list(&[(1, 3), (0, 1), (2, 3)])).unwrap();
        assert!(Antipodal::new(empty).is_ok());
    }

    proptest! {
        #[test]
        fn structure_and_chain(
            weights in prop::collection::vec((1u32..6, 1u32..6), 1..7),
            looser in 0i64..3,
        ) {
            let (p, r): (Vec<u32>, Vec<u32>) = weights.into_iter().unzip();
            let distribution = |w: &[u32]| {
                let total: u32 = w.iter().sum();
                w.iter().map(|&w| Rational::from((w, total))).collect::<Vec<_>>()
            };
            let pair = FinitePair::new(distribution(&p), distribution(&r)).unwrap();
            let tight = Antipodal::new(pair.clone()).unwrap();
            let x = Rational::from(tight.x() + looser);
            let antipodal = Antipodal::with_bound(pair.clone(), &x).unwrap();
            let replacement = antipodal.replacement();
            let recip = Rational::from(x.recip_ref());
            for (m, n) in replacement.outcomes() {
                let ratio = Rational::from(m / n);
                prop_assert!(ratio == x || ratio == 1 || ratio == recip);
            }
            prop_assert_eq!(total_variation(replacement), total_variation(&pair));
            if pair.p() != pair.q() {
                for outcomes in [replacement.clone(), replacement.swapped()] {
                    prop_assert!(outcomes.outcomes().any(|(m, n)| Rational::from(m / n) == x));
                }
            }
            // The divergence of the replacement is eps TV, both ways.
            let bits = 200;
            let direct = |pair: &FinitePair| match finite_kl(pair, bits) {
                Value::Finite(number) => number.enclosure(bits),
                Value::Infinite => Enclosure::whole(bits),
            };
            let value = antipodal.antipodal_kl(bits).enclosure(bits);
            prop_assert!(value.overlaps(&direct(replacement)));
            prop_assert!(value.overlaps(&direct(&replacement.swapped())));
            // Strict means separated at enough digits, equal means overlapping.
            let [first, second, third] = antipodal.strict();
            let (sharp, printed) = (antipodal.sharp_bound(bits).enclosure(bits),
                antipodal.printed_bound(bits).enclosure(bits));
            for direction in [Direction::Forward, Direction::Backward] {
                let kl = antipodal.kl(direction, bits).enclosure(bits);
                prop_assert_eq!(kl.compare(&value) == Some(Ordering::Less), first);
                prop_assert!(first || kl.overlaps(&value));
            }
            prop_assert_eq!(value.compare(&sharp) == Some(Ordering::Less), second);
            prop_assert!(second || value.overlaps(&sharp));
            prop_assert_eq!(sharp.compare(&printed) == Some(Ordering::Less), third);
            prop_assert!(third || sharp.overlaps(&printed));
        }
    }
}
