//! All (epsilon_i, delta_i) whose regions intersect in the exact region of a composition.
//!
//! For (epsilon, delta) mechanisms the composed region is the intersection of the regions `R(eps, delta_opt(eps))` over
//! the distinct values `eps >= 0` that the privacy loss takes: Kairouz, Oh and Viswanath, Theorem 3.3, for equal
//! mechanisms (with `floor(k/2) + 1` values), Murtagh and Vadhan's formula at the sums `sum_i +-eps_i` for others.

use std::cmp::Ordering;
use std::collections::HashSet;

use rug::Rational;

use super::{Edges, Heterogeneous, Kov};
use crate::alarm;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{Part, Product};
use enclosure::{Budget, Number, Real, Work, bits_of_digits, refine};

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
/// [`Error::Undefined`] for mechanisms that are not (epsilon, delta) mechanisms: their region has curved borders.
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
    let mut mechanisms = Vec::new();
    for (mechanism, times) in composition.factors() {
        let (epsilon, delta) = mechanism.pair()?.as_response().ok_or_else(|| {
            Error::Undefined(format!(
                "{mechanism} is not an (epsilon, delta) mechanism, so its region is no intersection of finitely many; \
                 `dpcert curve` draws it"
            ))
        })?;
        mechanisms.push(Part { epsilon, delta, times: *times });
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
        budget.afford(&Work {
            what: "values of the composed loss",
            count: times.saturating_mul(sums.len() as u64),
            most: MOST_SUMS,
            bytes: 0,
            relax: "fewer different epsilons would do, or fewer compositions",
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
    let undecided = || Error::undecided("the order of two sums of losses could not be decided".to_string());
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
