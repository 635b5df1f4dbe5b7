//! All (epsilon_i, delta_i) whose regions intersect in the exact region of a composition.
//!
//! For (epsilon, delta) mechanisms the composed region is the intersection of the regions `R(eps, delta_opt(eps))` over
//! the distinct values `eps >= 0` of the privacy loss. For equal mechanisms these are the `floor(k/2) + 1` values of
//! Kairouz, Oh and Viswanath, Theorem 3.3; for others, Murtagh and Vadhan's formula at the sums `sum_i +-eps_i`.
//!
//! A composition of other mechanisms has such a list if its trade-off function f is a polyline. The region of a pair in
//! both orders lies above `h = min(f, f^-1)**`, which is symmetric. So `h = max_i f_{eps_i,delta_i}` over the corners
//! `(eps_i, delta_i)` of its profile with `eps_i >= 0` (Dong, Roth and Su, Proposition 2.11).

use std::cmp::Ordering;
use std::collections::HashSet;

use rug::Rational;

use super::{Edges, Heterogeneous, Kov};
use crate::alarm;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::mechanism::{Composition, Hull};
use crate::pair::{Corners, Pair as Distributions, Part, Product};
use enclosure::{Budget, Need, Number, Real, bits_of_digits, refine};

/// More different sums of losses than this are not listed.
const MOST_SUMS: u64 = 100_000;

/// One of the pairs.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The epsilon, a value that the loss takes.
    pub epsilon: Real,
    /// The least delta at it.
    pub delta: Number,
}

/// The equal mechanisms of a composition: `(epsilon, delta, times)`; `None` if they differ or are of another family.
pub fn homogeneous(composition: &Composition) -> Option<(Real, Real, u64)> {
    let (mechanism, times) = composition.single()?;
    let (epsilon, delta) = mechanism.pair().ok()?.as_response()?;
    Some((epsilon, delta, times))
}

/// The pairs of the region, by decreasing epsilon, each delta to `digits` digits; handed to `each` as they come.
///
/// # Errors
/// [`Error::Undefined`] where the trade-off function is no polyline, or none whose corners are known.
pub fn pairs(
    composition: &Composition,
    digits: u32,
    budget: &Budget,
    each: &mut dyn FnMut(Pair) -> Result<(), Error>,
) -> Result<(), Error> {
    let each = &mut |pair: Pair| {
        let delta = match pair.delta {
            Number::Enclosed(set) => Number::Enclosed(alarm::probability(&set, "delta of a region")?),
            exact => exact,
        };
        each(Pair { delta, ..pair })
    };
    if let Some((epsilon, delta, times)) = homogeneous(composition) {
        return equal(&epsilon, &Kov::new(epsilon.clone(), delta, times)?, digits, budget, each);
    }
    let Some(mechanisms) = responses(composition, budget)? else {
        return corners(composition, digits, budget, each);
    };
    if let [Part { epsilon, delta, times }] = mechanisms.as_slice() {
        return equal(epsilon, &Kov::new(epsilon.clone(), delta.clone(), *times)?, digits, budget, each);
    }
    let epsilons = sums(&mechanisms, budget)?;
    let product = Product::new(composition.pairs()?);
    let curve = Edges::around(Box::new(Heterogeneous::new(&mechanisms, budget)?), &product)?;
    for epsilon in epsilons {
        let delta = refine(digits, budget, |bits| curve.delta(&epsilon, Direction::Forward, bits, budget))?;
        each(Pair { epsilon, delta })?;
    }
    Ok(())
}

/// The (epsilon, delta) mechanisms with the trade-off functions of the factors; `None` if a factor has another.
fn responses(composition: &Composition, budget: &Budget) -> Result<Option<Vec<Part>>, Error> {
    let mut parts = Vec::new();
    for (mechanism, times) in composition.factors() {
        let pair = mechanism.pair()?;
        let Some((epsilon, delta)) =
            pair.as_response().map_or_else(|| only_corner(&pair, budget), |known| Ok(Some(known)))?
        else {
            return Ok(None);
        };
        parts.push(Part { epsilon, delta, times: *times });
    }
    Ok(Some(parts))
}

/// The (epsilon, delta) of a symmetric pair whose trade-off function is `f_{epsilon,delta}`.
fn only_corner(pair: &Distributions, budget: &Budget) -> Result<Option<(Real, Real)>, Error> {
    if !pair.symmetric() {
        return Ok(None);
    }
    let Some(corners) = Corners::of(pair, budget)? else { return Ok(None) };
    Ok(match promised(corners.tangents)?.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    })
}

/// The corners of a profile with `epsilon >= 0`.
fn promised(tangents: Vec<(Real, Real)>) -> Result<Vec<(Real, Real)>, Error> {
    let mut kept = Vec::new();
    for (epsilon, delta) in tangents {
        match epsilon.sign() {
            Some(Ordering::Less) => {}
            Some(_) => kept.push((epsilon, delta)),
            None => return Err(Error::undecided(format!("cannot decide the sign of the privacy loss {epsilon}"))),
        }
    }
    Ok(kept)
}

/// Any composition whose trade-off function is a polyline.
fn corners(
    composition: &Composition,
    digits: u32,
    budget: &Budget,
    each: &mut dyn FnMut(Pair) -> Result<(), Error>,
) -> Result<(), Error> {
    let hull = Composition::new([(Hull::new(composition.clone()).into(), 1)])?;
    let Some(found) = Corners::of(&Distributions::several(hull.pairs()?), budget)? else {
        return Err(Error::Undefined(format!(
            "the region of {composition} is not listed: its trade-off function is not piecewise linear, or has too \
             many vertices; `dpcert curve` draws it"
        )));
    };
    let mut kept = promised(found.tangents)?;
    if kept.is_empty() {
        // Nothing falls: the supports are disjoint.
        kept.push((Real::zero(), Real::one()));
    }
    for (epsilon, delta) in kept.into_iter().rev() {
        budget.check()?;
        let delta = refine(digits, budget, |bits| Ok(delta.number(bits)))?;
        each(Pair { epsilon, delta })?;
    }
    Ok(())
}

/// Equal mechanisms: the engine's own stream, asked again with more bits should one pair need them.
fn equal(
    epsilon: &Real,
    kov: &Kov,
    digits: u32,
    budget: &Budget,
    each: &mut dyn FnMut(Pair) -> Result<(), Error>,
) -> Result<(), Error> {
    let goal = i64::from(bits_of_digits(digits));
    let mut bits = bits_of_digits(digits) + 32;
    let mut done = 0;
    if bits > budget.max_bits() {
        return Err(budget.out_of_bits());
    }
    'again: loop {
        // Those that are done are gone through again: an error among them ends the stream too.
        for (index, pair) in kov.region(bits, budget).enumerate() {
            budget.check()?;
            let pair = pair?;
            if index < done {
                continue;
            }
            let proven = match &pair.delta {
                Number::Exact(_) => i64::MAX,
                Number::Enclosed(set) => set.relative_bits().unwrap_or(i64::MIN),
            };
            if proven < goal {
                bits = bits.saturating_mul(2);
                if bits > budget.max_bits() {
                    return Err(budget.out_of_bits());
                }
                continue 'again;
            }
            done = index + 1;
            each(Pair { epsilon: epsilon.mul_rational(&Rational::from(pair.steps)), delta: pair.delta })?;
        }
        return Ok(());
    }
}

/// The distinct nonnegative values of `sum_i +-eps_i`, decreasing.
fn sums(mechanisms: &[Part], budget: &Budget) -> Result<Vec<Real>, Error> {
    let mut sums: HashSet<Real> = HashSet::from([Real::zero()]);
    for Part { epsilon, times, .. } in mechanisms {
        budget.afford(&Need {
            what: "values of the composed loss",
            count: times.saturating_mul(sums.len() as u64),
            most: MOST_SUMS,
            bytes: 0,
            relax: "try fewer different epsilons or fewer compositions",
        })?;
        let mut next = HashSet::new();
        for sum in &sums {
            budget.check()?;
            for j in 0..=*times {
                let steps = Rational::from(*times) - Rational::from(j) * 2u32;
                next.insert(sum.add(&epsilon.mul_rational(&steps)));
            }
        }
        sums = next;
    }
    let undecided = || Error::undecided("cannot decide which of two sums of privacy losses is larger".to_string());
    let mut kept = Vec::new();
    for sum in sums {
        if sum.sign().ok_or_else(undecided)? != Ordering::Less {
            kept.push(sum);
        }
    }
    // Sorted by a search, then proven: neighbours are in decreasing order for certain.
    kept.sort_by(|a, b| b.to_f64().total_cmp(&a.to_f64()));
    let proven = kept.windows(2).all(|pair| pair[0].compare(&pair[1]) == Some(Ordering::Greater));
    if proven { Ok(kept) } else { Err(undecided()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trade_off::TradeOff;

    /// Bits at which numbers are compared: more than the deltas are known to.
    const WIDE: u32 = 128;

    fn region(text: &str) -> Result<Vec<(Real, Number)>, Error> {
        let mut found = Vec::new();
        let composition: Composition = text.parse().expect(text);
        pairs(&composition, 15, &Budget::default(), &mut |pair| {
            found.push((pair.epsilon, pair.delta));
            Ok(())
        })?;
        Ok(found)
    }

    /// Are these two exact numbers equal, or two enclosures with a number in common?
    fn agree(one: &Number, other: &Number) -> bool {
        matches!(one.compare(other), None | Some(Ordering::Equal))
    }

    /// The trade-off function decides, however the pair is written.
    #[test]
    fn equal_trade_off_functions_have_equal_regions() {
        for times in [1, 2, 5, 2000] {
            let expected = region(&format!("randomized-response(epsilon=ln(3))^{times}")).expect("a region");
            for one in [
                "finite(p=[3/4,1/4], q=[1/4,3/4])",
                "k-randomized-response(epsilon=ln(3), categories=2)",
                "staircase(epsilon=ln(3), gamma=1/2)",
                "geometric(epsilon=ln(3))",
                "profile(epsilon=[ln(3)], delta=[0])",
                "trade-off(alpha=[0,1/4,1], beta=[1,1/4,0])",
            ] {
                let found = region(&format!("{one}^{times}")).expect(one);
                assert_eq!(found.len(), expected.len(), "{one}^{times}");
                for ((epsilon, delta), (other, least)) in found.iter().zip(&expected) {
                    assert!(agree(&epsilon.number(WIDE), &other.number(WIDE)), "{one}^{times}: {epsilon} {other}");
                    assert!(agree(delta, least), "{one}^{times} at {epsilon}: {delta:?} {least:?}");
                }
            }
        }
    }

    /// The intersection of the listed regions is the region: its border is `min(f, f^-1)**`.
    #[test]
    fn regions_intersect_in_the_hull_of_both_orders() {
        for text in [
            "approx-dp(epsilon=1, delta=1/10)^3",
            "approx-dp(epsilon=1, delta=1/10) * randomized-response(epsilon=1/2)",
            "k-randomized-response(epsilon=1, categories=3)^2",
            "staircase(epsilon=1, gamma=1/3)",
            "staircase(epsilon=1, gamma=1/3, sensitivity=2)^2",
            "profile(epsilon=[0,ln(2)], delta=[1/3,1/20])^2",
            "finite(p=[1/2,1/2], q=[1/5,4/5])^2",
            "finite(p=[1/2,1/2,0], q=[1/5,2/5,2/5])",
            "finite(p=[1], q=[1])",
            "finite(p=[1,0], q=[0,1])",
            "poisson(rate=1/3, geometric(epsilon=1))^2",
            "subsample(rate=1/10, randomized-response(epsilon=1))",
            "group(k=2, randomized-response(epsilon=1))",
            "geometric(epsilon=1, sensitivity=3)",
            "shuffle(n=4, epsilon0=1)",
        ] {
            let pairs = region(text).expect(text);
            let falls = |two: &[(Real, Number)]| two[0].0.compare(&two[1].0) == Some(Ordering::Greater);
            assert!(!pairs.is_empty() && pairs.windows(2).all(falls), "{text}: {pairs:?}");
            assert!(pairs.iter().all(|(epsilon, _)| epsilon.sign() != Some(Ordering::Less)), "{text}: {pairs:?}");
            let hull = TradeOff::of(text.parse().expect(text)).hull();
            for step in 0..=20_u32 {
                let alpha = Rational::from((step, 20));
                let border = pairs.iter().fold(Number::zero(), |border, (epsilon, delta)| {
                    let (x, least) = (epsilon.exp_number(WIDE), Number::one() - delta);
                    let at = Number::from(alpha.clone());
                    border.max(&(&least - &(&x * &at))).max(&((least - at) / x))
                });
                let beta = hull.at(&Real::from(alpha.clone()), &Budget::default()).expect(text).outcome;
                let beta = beta.number().expect(text);
                assert!(agree(&beta, &border), "{text} at {alpha}: {beta:?} {border:?}");
            }
        }
    }

    #[test]
    fn curved_borders_are_refused() {
        for text in ["gaussian(sigma=1)", "laplace(scale=1)", "randomized-response(epsilon=1) * gdp(mu=1)"] {
            let refused = region(text);
            assert!(matches!(&refused, Err(Error::Undefined(why)) if why.contains("not piecewise linear")), "{text}");
        }
    }
}
