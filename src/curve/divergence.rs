//! Divergences of a finite pair of rational distributions.
//!
//! Rational ones are exact. For the logarithmic ones the danger is cancellation: for nearly equal distributions the
//! terms `p ln(p/q)` almost cancel, and a divergence of `1e-40` would need its digits from far behind the point. So
//! each sum is rewritten over terms that are not negative (a convex function minus its tangent), in which nothing
//! cancels between outcomes; what cancels inside a term is bounded by how near its ratio is to 1, which is known
//! exactly, or seen in the result and answered with more precision.

use std::cmp::Ordering;

use rug::{Integer, Rational};

use super::Value;
use crate::error::Error;
use crate::pair::FinitePair;
use enclosure::{Budget, Enclosure, Number, Real};

/// Does P have mass where Q has none? Then all of these but total variation are infinite.
fn escapes(pair: &FinitePair) -> bool {
    pair.outcomes().any(|(p, q)| q.is_zero() && !p.is_zero())
}

/// Total variation `(1/2) sum |p - q| = sup_S (P(S) - Q(S))`, exactly.
#[cfg(feature = "cli")]
pub fn total_variation(pair: &FinitePair) -> Rational {
    pair.outcomes().filter(|(p, q)| p > q).map(|(p, q)| Rational::from(p - q)).sum()
}

/// `chi^2(P||Q) = sum (p - q)^2/q`, exactly; infinite if P has mass where Q has none.
pub fn chi_squared(pair: &FinitePair) -> Value {
    if escapes(pair) {
        return Value::Infinite;
    }
    let term = |(p, q): (&Rational, &Rational)| Rational::from(p - q).square() / q;
    Value::Finite(Number::Exact(pair.outcomes().filter(|(_, q)| !q.is_zero()).map(term).sum()))
}

/// `D_inf(P||Q) = max ln(p/q)` over the outcomes with `p > 0`: exactly 0 for equal distributions, infinite if P has
/// mass where Q has none, an enclosure of relative width about `2^-bits` otherwise.
pub fn max_divergence(pair: &FinitePair, bits: u32) -> Value {
    if escapes(pair) {
        return Value::Infinite;
    }
    let ratios = pair.outcomes().filter(|(_, q)| !q.is_zero()).map(|(p, q)| Rational::from(p / q));
    Value::Finite(ratios.max().map_or_else(Number::zero, |ratio| ln_rational(&ratio, bits)))
}

/// `KL(P||Q) = sum p ln(p/q)`: exactly 0 for equal distributions, infinite if P has mass where Q has none, an enclosure
/// of relative width about `2^-bits` otherwise, however small it is.
///
/// With `d = p/q - 1` it is `sum q [(1+d) ln(1+d) - d]`, for `sum q d = 0`. No term is negative, and one is
/// at least `d^2/(2(1+d))` for `d > 0`, `d^2/2` for `d < 0`: the difference in brackets loses at most
/// `log2(1/|d|) + 3` bits if `|d| < 1`, and fewer than 2 otherwise; so many bits are added.
pub fn finite_kl(pair: &FinitePair, bits: u32) -> Value {
    if escapes(pair) {
        return Value::Infinite;
    }
    let mut sum = Number::zero();
    for (p, q) in pair.outcomes() {
        if p == q || q.is_zero() {
            continue;
        }
        let term = if p.is_zero() {
            // 0 ln 0 = 0, and d = -1.
            Number::Exact(q.clone())
        } else {
            let d = Rational::from(p / q) - 1u32;
            let lost = lost_bits(&d).saturating_add(8);
            let working = bits.saturating_add(32).saturating_add(lost);
            let part = &(&Number::Exact(Rational::from(&d + 1u32)) * &ln_1p(&d, working)) - &Number::Exact(d);
            &Number::Exact(q.clone()) * &part
        };
        sum = &sum + &term;
    }
    Value::Finite(sum)
}

/// The Renyi divergence `D_g(P||Q) = ln(sum p^g q^(1-g))/(g-1)` of order `g > 1`: exactly 0 for equal distributions,
/// infinite if P has mass where Q has none, an enclosure of relative width about `2^-bits` otherwise. For small integer
/// g the sum is an exact rational.
///
/// *Errors:* [`Error::Undefined`] for `g <= 1` (order 1 is [`finite_kl`]), [`Error::Undecided`] if g cannot be told
/// from 1 or the precision runs out.
///
/// With `r = p/q` the sum is `1 + sum q [r^g - 1 - g(r-1)]`, where by Bernoulli's inequality no term is negative. The
/// precision is raised until each term has its bits, which ends because none but `r = 1` is zero.
pub fn renyi(pair: &FinitePair, order: &Real, bits: u32, budget: &Budget) -> Result<Value, Error> {
    let more_than_one = above_one(order, bits, budget)?;
    if escapes(pair) {
        return Ok(Value::Infinite);
    }
    if pair.p() == pair.q() {
        return Ok(Value::Finite(Number::zero()));
    }
    let working = bits.saturating_add(32);
    let excess = match order.as_rational().and_then(|g| exact_excess(pair, g)) {
        Some(excess) => Number::Exact(excess),
        None => {
            let mut sum = Number::zero();
            for (p, q) in pair.outcomes() {
                if p != q && !q.is_zero() {
                    let term = renyi_term(&Rational::from(p / q), order, working, budget)?;
                    sum = &sum + &(&Number::Exact(q.clone()) * &term);
                }
            }
            sum
        }
    };
    let ln = match &excess {
        Number::Exact(excess) => ln_1p(excess, working),
        Number::Enclosed(excess) => Number::Enclosed(excess.log1p()),
    };
    Ok(Value::Finite(&ln / &more_than_one))
}

/// `g - 1 > 0` with `bits` relative bits, or why not.
fn above_one(order: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
    let mut working = bits.saturating_add(32);
    loop {
        let difference = &order.number(working) - &Number::one();
        match (difference.sign(), &difference) {
            (Some(Ordering::Less | Ordering::Equal), _) => {
                return Err(Error::Undefined(format!(
                    "the order of the Renyi divergence must be above 1, not {order}"
                )));
            }
            (Some(Ordering::Greater), Number::Exact(_)) => return Ok(difference),
            (Some(Ordering::Greater), Number::Enclosed(set))
                if set.relative_bits().is_some_and(|proven| proven >= i64::from(bits)) =>
            {
                return Ok(difference);
            }
            _ if working >= budget.max_bits() => return Err(budget.out_of_bits()),
            _ => working = working.saturating_mul(2).min(budget.max_bits()),
        }
        budget.check()?;
    }
}

/// `sum p^g q^(1-g) - 1` exactly, if g is an integer and the powers stay short.
fn exact_excess(pair: &FinitePair, order: &Rational) -> Option<Rational> {
    const MOST_BITS: u64 = 1 << 16;
    let g = i32::try_from(order.is_integer().then(|| order.numer())?.to_u32()?).ok()?;
    let length = |m: &Rational| u64::from(m.numer().significant_bits()) + u64::from(m.denom().significant_bits());
    let longest = pair.outcomes().map(|(p, q)| length(p) + length(q)).max()?;
    if longest.saturating_mul(g.unsigned_abs().into()) > MOST_BITS {
        return None;
    }
    let power = |m: &Rational, n: i32| Rational::from(rug::ops::Pow::pow(m, n));
    let terms = pair.outcomes().filter(|(p, _)| !p.is_zero()).map(|(p, q)| power(p, g) / power(q, g - 1));
    Some(terms.sum::<Rational>() - 1u32)
}

/// `r^g - 1 - g(r-1) > 0` for a ratio `r >= 0` other than 1, with `bits` relative bits.
fn renyi_term(ratio: &Rational, order: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
    let d = Rational::from(ratio - 1u32);
    let mut working = bits.saturating_add(lost_bits(&d)).saturating_add(16);
    loop {
        budget.check()?;
        let g = order.number(working);
        let power = if ratio.is_zero() {
            Number::Exact(Rational::from(-1))
        } else {
            Number::Enclosed((&g * &ln_1p(&d, working)).enclosure(working).expm1())
        };
        let term = &power - &(&g * &Number::Exact(d.clone()));
        match &term {
            Number::Exact(_) => return Ok(term),
            Number::Enclosed(set) if set.relative_bits().is_some_and(|proven| proven >= i64::from(bits)) => {
                return Ok(term);
            }
            Number::Enclosed(set) if !set.is_bounded() => {
                return Err(Error::undecided(format!("the moment of order {order} is too large to compute")));
            }
            Number::Enclosed(_) if working >= budget.max_bits() => return Err(budget.out_of_bits()),
            Number::Enclosed(_) => working = working.saturating_mul(2).min(budget.max_bits()),
        }
    }
}

/// `ln r` of a positive rational, exact at 1 only, with full relative accuracy near 1.
pub(crate) fn ln_rational(ratio: &Rational, bits: u32) -> Number {
    ln_1p(&Rational::from(ratio - 1u32), bits)
}

/// `ln(1 + d)` for `d > -1`, exact at 0 only, with full relative accuracy near 0.
fn ln_1p(d: &Rational, bits: u32) -> Number {
    if d.is_zero() {
        Number::zero()
    } else if *d.as_abs() < Rational::from((1, 2)) {
        Number::Enclosed(Enclosure::rational(d, bits).log1p())
    } else {
        Number::Enclosed(Enclosure::rational(&Rational::from(d + 1u32), bits).ln())
    }
}

/// An upper bound for `log2(1/|d|)`, at least 0.
fn lost_bits(d: &Rational) -> u32 {
    let size = |n: &Integer| n.significant_bits();
    (size(d.denom()) + 1).saturating_sub(size(d.numer()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::Integer;

    use super::*;
    use enclosure::refine;

    fn q(numer: i64, denom: i64) -> Rational {
        Rational::from((numer, denom))
    }

    fn example() -> FinitePair {
        FinitePair::new(vec![q(1, 2), q(1, 4), q(1, 4)], vec![q(1, 3); 3]).unwrap()
    }

    fn number(value: Value) -> Number {
        match value {
            Value::Finite(number) => number,
            Value::Infinite => panic!("infinite"),
        }
    }

    /// `v` and one unit of its last digit on both sides.
    fn near(digits: &str, places: u32) -> Enclosure {
        let scale = rug::ops::Pow::pow(Integer::from(10), places);
        let value: Integer = digits.parse().unwrap();
        let end = |by: i32| Enclosure::rational(&Rational::from((Integer::from(&value + by), scale.clone())), 400);
        end(-1).hull(&end(1))
    }

    fn bernoulli(p: Rational, r: Rational) -> FinitePair {
        let rest = |m: &Rational| Rational::from(1 - m);
        FinitePair::new(vec![p.clone(), rest(&p)], vec![r.clone(), rest(&r)]).unwrap()
    }

    #[test]
    fn reference_values() {
        let pair = example();
        let kl = number(finite_kl(&pair, 160)).enclosure(160);
        assert!(kl.overlaps(&near("5889151782819172726939705473526085253424", 41)));
        assert!(kl.relative_bits().unwrap() > 160);
        assert_eq!(total_variation(&pair), q(1, 6));
        assert_eq!(number(chi_squared(&pair)).exact(), Some(&q(1, 8)));
        let max = number(max_divergence(&pair, 160)).enclosure(160);
        assert!(max.overlaps(&Enclosure::rational(&q(3, 2), 200).ln()));
        let budget = Budget::default();
        let half_integer = number(renyi(&pair, &Real::from(q(5, 2)), 160, &budget).unwrap()).enclosure(160);
        assert!(half_integer.overlaps(&near("1451891714772728441375255790748258600169", 40)));
        let backward = number(finite_kl(&pair.swapped(), 160)).enclosure(160);
        assert!(backward.overlaps(&near("5663301226513249096680829884110190881168", 41)));
        // D_2 = ln(1 + chi^2)
        let two = number(renyi(&pair, &Real::from(2), 160, &budget).unwrap()).enclosure(160);
        assert!(two.overlaps(&Enclosure::rational(&q(9, 8), 200).ln()));
        assert!(two.relative_bits().unwrap() > 160);
    }

    #[test]
    fn infinite_and_zero() {
        let budget = Budget::default();
        let escaping = bernoulli(q(1, 2), q(1, 1));
        assert!(matches!(finite_kl(&escaping, 64), Value::Infinite));
        assert!(matches!(chi_squared(&escaping), Value::Infinite));
        assert!(matches!(max_divergence(&escaping, 64), Value::Infinite));
        assert!(matches!(renyi(&escaping, &Real::from(3), 64, &budget), Ok(Value::Infinite)));
        assert_eq!(total_variation(&escaping), q(1, 2));
        // The other way round all are finite: ln 2, 1, ln 2, ln 2.
        let contained = escaping.swapped();
        let ln_2 = Enclosure::ln_2(100);
        assert!(number(finite_kl(&contained, 64)).enclosure(64).overlaps(&ln_2));
        assert_eq!(number(chi_squared(&contained)).exact(), Some(&q(1, 1)));
        assert!(number(max_divergence(&contained, 64)).enclosure(64).overlaps(&ln_2));
        for order in [Real::from(3), Real::from(q(7, 3))] {
            assert!(number(renyi(&contained, &order, 64, &budget).unwrap()).enclosure(64).overlaps(&ln_2));
        }
        let equal = FinitePair::new(vec![q(1, 3), q(2, 3), q(0, 1)], vec![q(1, 3), q(2, 3), q(0, 1)]).unwrap();
        for value in [finite_kl(&equal, 64), chi_squared(&equal), max_divergence(&equal, 64)] {
            assert_eq!(number(value).exact(), Some(&q(0, 1)));
        }
        assert_eq!(number(renyi(&equal, &Real::from(q(3, 2)), 64, &budget).unwrap()).exact(), Some(&q(0, 1)));
        assert!(matches!(renyi(&equal, &Real::from(1), 64, &budget), Err(Error::Undefined(_))));
    }

    #[test]
    fn tiny_divergences_have_all_their_digits() {
        // Bernoulli(1/2 + h) against Bernoulli(1/2): KL = 2 h^2 (1 + O(h^2)), chi^2 = 4 h^2.
        let budget = Budget::default();
        let h = Rational::from((1, rug::ops::Pow::pow(Integer::from(10), 100u32)));
        let pair = bernoulli(&h + q(1, 2), q(1, 2));
        let square = Rational::from(h.square_ref());
        let kl = number(finite_kl(&pair, 300)).enclosure(300);
        assert!(kl.relative_bits().unwrap() >= 300);
        assert!(kl.upper().to_rational().unwrap() > Rational::from(&square * 2u32));
        assert!(kl.overlaps(&near(&format!("2{}", "0".repeat(80)), 280)));
        // D_g = g/2 chi^2 (1 + O(h^2)) also for g near 1.
        for g in [q(3, 2), q(1_000_000_000_001, 1_000_000_000_000), q(40_000, 1)] {
            let value = number(renyi(&pair, &Real::from(g.clone()), 300, &budget).unwrap()).enclosure(400);
            assert!(value.relative_bits().unwrap() >= 298);
            let leading = Rational::from(&square * 2u32) * g;
            let wiggle = |sign: i32| Enclosure::rational(&((&leading * (&h * Rational::from(sign))) + &leading), 500);
            assert!(value.overlaps(&wiggle(-1).hull(&wiggle(1))));
        }
    }

    proptest! {
        #[test]
        fn against_plain_sums(
            weights in prop::collection::vec((1u32..9, 1u32..9), 1..6),
            order in (1u64..40, 1u64..7),
        ) {
            let (p, r): (Vec<u32>, Vec<u32>) = weights.into_iter().unzip();
            let distribution = |w: &[u32]| {
                let total: u32 = w.iter().sum();
                w.iter().map(|&w| Rational::from((w, total))).collect::<Vec<_>>()
            };
            let pair = FinitePair::new(distribution(&p), distribution(&r)).unwrap();
            let budget = Budget::default();
            let ln = |r: Rational| Enclosure::rational(&r, 300).ln();
            let plain = pair.outcomes().fold(Enclosure::zero(300), |sum, (p, q)| {
                sum + Enclosure::rational(p, 300) * ln(Rational::from(p / q))
            });
            let value = number(finite_kl(&pair, 100));
            prop_assert!(value.enclosure(100).overlaps(&plain));
            if let Number::Enclosed(set) = &value {
                prop_assert!(set.relative_bits().unwrap() >= 100);
            }
            // Renyi at g = 1 + a/b, exact sums and enclosed ones.
            let g = Rational::from((order.0 + order.1, order.1));
            let sum = pair.outcomes().fold(Enclosure::zero(300), |sum, (p, q)| {
                let power = (ln(Rational::from(p / q)) * Enclosure::rational(&g, 300)).exp();
                sum + power * Enclosure::rational(q, 300)
            });
            let plain = sum.ln() / Enclosure::rational(&Rational::from(&g - 1u32), 300);
            let value = refine(30, &budget, |bits| Ok(number(renyi(&pair, &Real::from(g.clone()), bits, &budget)?)))
                .unwrap();
            prop_assert!(value.enclosure(100).overlaps(&plain));
        }
    }
}
