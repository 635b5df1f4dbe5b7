//! Orders that are seen factor by factor, and hold over the whole interval.
//!
//! The tensor product is monotone: if each run of the one composition is at least as private as a run of the other,
//! each of these taken once, then the whole is (Dong, Roth, Su, Section 3; what is left over on the other side only
//! makes it less private). Of two single pairs it is known from
//!
//! * their polylines in fractions, exactly, both ways;
//! * the parameter: `G_mu` and the trade-off function of Laplace noise fall as mu and the shift grow, that of geometric
//!   noise as its rate and the shift grow, that of discrete Gaussian noise as the shift grows;
//! * profiles that are straight: of losses -l, 0 and l;
//! * (epsilon, delta)-DP: whatever has no losses beyond epsilon on either side, but for masses at infinity of at most
//!   delta, is (epsilon, delta)-DP, and that is what the worst such pair says (Kairouz, Oh, Viswanath, Theorem 2.3);
//! * monotone operators: `p f + (1-p) Id`, `C_p`, `1 - (1-f)^(o k)`, inverse, maximum, hull and mixture grow with f;
//!   the first two fall as p grows from Id to f, the third as k grows; `C_p(f)` is the hull of the first for
//!   `f = f^-1`;
//! * Poisson samples, at least as private as samples of a fixed share of the same, which is the hull of both
//!   directions;
//! * groups: Gaussian and Laplace noise moved by k s is a group of k of it moved by s, so that groups of what is
//!   ordered beside that noise are;
//! * shuffled reports: with the same kinds the trade-off function grows with the number of reports, and falls as their
//!   epsilon grows; with two kinds alone it grows with the share of clones too;
//! * a sample, which is a mixture of what is inside and of nothing whose index is forgotten, at least as private as one
//!   whose index is told;
//! * mixtures: the profile of one is the mean of those of its parts, so that it is at least as private as what each
//!   part is, and at most as what each part is; a part that is no more private than all the others stands above in its
//!   place, however often it is run, and one that is no less private below;
//! * symmetry: what is symmetric is below f exactly if it is below `f^-1`, and if it is below `min(f, f^-1)**`, for it
//!   is convex; and above f exactly if it is above `f^-1`.
//!
//! A relation that is not proven here may still hold.

use std::cmp::Ordering;

use rug::Rational;

use crate::error::Error;
use crate::pair::{Clones, Derived, Discrete, Ends, Factors, Law, LossBound, Operator, Pair, Shuffled, symmetric};
use enclosure::{Enclosure, Real};

/// Bits of masses that are compared.
const BITS: u32 = 128;

/// Is the one certainly at least as private as the other?
pub fn at_least(a: &Factors, b: &Factors) -> Result<bool, Error> {
    if within(a, b)? {
        return Ok(true);
    }
    let (worst, best) = (by_parts(a, &|part, other| within(other, part))?, by_parts(b, &within)?);
    let any = worst.is_some() || best.is_some();
    Ok(any && within(worst.as_ref().unwrap_or(a), best.as_ref().unwrap_or(b))?)
}

/// The same, of mixtures as they stand.
fn within(a: &Factors, b: &Factors) -> Result<bool, Error> {
    // The profile of a mixture is the mean of those of its parts.
    if let Some(parts) = mixed(a)
        && all_of(parts, |part| within(part, b))?
    {
        return Ok(true);
    }
    if let Some(parts) = mixed(b)
        && all_of(parts, |part| within(a, part))?
    {
        return Ok(true);
    }
    if several_around(a, b)? || matched(a, b)? || matched(&gaussians_together(a)?, &gaussians_together(b)?)? {
        return Ok(true);
    }
    let (one, two) = (shares_apart(a)?, shares_apart(b)?);
    let any = one.len() > a.len() || two.len() > b.len();
    Ok(any && matched(&one, &two)?)
}

/// The same of what is more than one run beside one run: of single runs it is seen there.
fn several_around(a: &Factors, b: &Factors) -> Result<bool, Error> {
    let single = |factors: &Factors| matches!(factors.as_slice(), [(_, 1)]);
    Ok(!(single(a) && single(b)) && around(a, b)?)
}

/// One operator around all of either: it improves, or what is symmetric is beside what is inside of it.
fn around(a: &Factors, b: &Factors) -> Result<bool, Error> {
    if let [(Pair::Derived(derived), 1)] = a.as_slice() {
        let known = match (derived.operator(), derived.parts()) {
            (Operator::Subsample(_) | Operator::Larger, [inside]) => within(inside, b)?,
            (Operator::Hull | Operator::Inverse, [inside]) => symmetric(b) && within(inside, b)?,
            _ => false,
        };
        if known {
            return Ok(true);
        }
    }
    let [(Pair::Derived(derived), 1)] = b.as_slice() else { return Ok(false) };
    match (derived.operator(), derived.parts()) {
        (Operator::Hull, [inside]) => within(a, inside),
        (Operator::Inverse, [inside]) => Ok(symmetric(a) && within(a, inside)?),
        _ => Ok(false),
    }
}

/// How two compositions are to stand to each other.
type Stands<'a> = &'a dyn Fn(&Factors, &Factors) -> Result<bool, Error>;

/// One part in the place of each mixture, run as often: one that stands so to all the others. `None` where no mixture
/// has one.
fn by_parts(factors: &Factors, stands: Stands) -> Result<Option<Factors>, Error> {
    let mut all = Factors::new();
    let mut any = false;
    for (pair, times) in factors {
        match extreme(pair, stands)? {
            Some(part) => {
                any = true;
                // All runs together are few enough to be counted, those of each part among them.
                all.extend(part.iter().map(|(inside, count)| (inside.clone(), count * times)));
            }
            None => all.push((pair.clone(), *times)),
        }
    }
    Ok(any.then_some(all))
}

/// The part of a mixture that stands so to all the others.
fn extreme<'a>(pair: &'a Pair, stands: Stands) -> Result<Option<&'a Factors>, Error> {
    let Pair::Derived(derived) = pair else { return Ok(None) };
    // What mixes what is mixed takes as many steps as there are ways to go through it.
    if !matches!(derived.operator(), Operator::Mixture(_)) || derived.parts().iter().any(mixes) {
        return Ok(None);
    }
    for part in derived.parts() {
        if all_of(derived.parts(), |other| stands(part, other))? {
            return Ok(Some(part));
        }
    }
    Ok(None)
}

/// Is there a mixture in it?
fn mixes(factors: &Factors) -> bool {
    factors.iter().any(|(pair, _)| match pair {
        Pair::Derived(derived) => {
            matches!(derived.operator(), Operator::Mixture(_)) || derived.parts().iter().any(mixes)
        }
        Pair::Sample { inner, .. } => mixes(&inner.clone().into_factors()),
        Pair::Several(factors) => mixes(factors),
        _ => false,
    })
}

/// A k-th of the distance of noise that is a group of k of that: `1 - f` of noise with a log-concave density, moved by
/// s and by t, is the one after the other for s + t.
fn part_of(pair: &Pair, size: u64) -> Option<Factors> {
    let share = Rational::from((1, size.max(1)));
    Some(vec![match pair {
        Pair::Gaussian { mu } => (Pair::gaussian(mu.mul_rational(&share)), 1),
        Pair::Laplace { shift } => (Pair::laplace(shift.mul_rational(&share)), 1),
        _ => return None,
    }])
}

/// Whether a group is at least as private as noise, because its inside is at least as private as a part of the noise.
fn group_below(a: &Derived, b: &Pair) -> Result<bool, Error> {
    match (a.operator(), a.parts()) {
        (Operator::Group(size), [inside]) => match part_of(b, *size) {
            Some(part) => within(inside, &part),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

/// The same the other way round.
fn group_above(a: &Pair, b: &Derived) -> Result<bool, Error> {
    match (b.operator(), b.parts()) {
        (Operator::Group(size), [inside]) => match part_of(a, *size) {
            Some(part) => within(&part, inside),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

/// Is a Poisson sample, whichever way round, at least as private as a sample of a fixed share that is no smaller, of
/// what is no more private: `C_p(g) = min(g_p, g_p^-1)**` is below `g_p` and its inverse.
fn drawn_apart(a: &Pair, b: &Derived) -> Result<bool, Error> {
    match (a.as_sample(), b.operator(), b.parts()) {
        (Some((rate, inside)), Operator::Subsample(share), [other]) => {
            Ok(at_most(rate, share) && within(&inside.into_factors(), other)?)
        }
        _ => Ok(false),
    }
}

/// Whether a sample is at least as private as a mixture with visible index. The sample is a mixture of its inside and
/// of nothing, with the index hidden. In the other mixture at least as much weight is on parts that are no more private
/// than the inside.
fn hidden(a: &Pair, b: &Derived) -> Result<bool, Error> {
    let (Some((rate, inside)), Operator::Mixture(weights)) = (a.as_sample(), b.operator()) else { return Ok(false) };
    let (inside, mut total) = (inside.into_factors(), Real::zero());
    for (weight, part) in weights.iter().zip(b.parts()) {
        if within(&inside, part)? {
            total = total.add(weight);
        }
    }
    Ok(at_most(rate, &total))
}

/// Laplace noise moved by at most `k l`, and geometric noise of decay l moved by k: that is a group of k of randomised
/// response of l, and this one of Laplace noise whose losses are within l.
fn beside_geometric(shift: &Real, b: &Discrete) -> bool {
    b.as_geometric().is_some_and(|(rate, reach)| at_most(shift, &rate.mul_rational(&Rational::from(reach))))
}

/// Shuffled reports of the same kind, no fewer and no less private each; without reports of neither kind also with more
/// clones.
fn shuffled(a: &Shuffled, b: &Shuffled) -> bool {
    if a.reports() < b.reports() || !at_most(a.epsilon(), b.epsilon()) {
        return false;
    }
    match (a.clones(), b.clones()) {
        (Clones::Response { categories: a }, Clones::Response { categories: b }) => a == b,
        // 2/(x+1) >= 1/x for x >= 1, and 1/x falls in x.
        (Clones::Standard, Clones::Standard) | (Clones::Response { categories: 2 }, Clones::Standard) => true,
        (Clones::Standard, Clones::Response { categories: 2 }) => {
            let share = |pair: &Shuffled| pair.shares(BITS).clone.enclosure(BITS);
            share(a).lower() >= share(b).upper()
        }
        _ => false,
    }
}

/// The parts of what is one mixture and nothing else.
fn mixed(factors: &Factors) -> Option<&[Factors]> {
    match factors.as_slice() {
        [(Pair::Derived(derived), 1)] if matches!(derived.operator(), Operator::Mixture(_)) => Some(derived.parts()),
        _ => None,
    }
}

/// Hulls of Poisson samples as samples of a fixed share, with their failures as separate runs.
fn shares_apart(factors: &Factors) -> Result<Factors, Error> {
    let mut all = Factors::new();
    for (pair, times) in factors {
        let parts = of_fixed_size(pair)?.unwrap_or_else(|| pair.clone()).into_factors();
        all.extend(parts.into_iter().map(|(part, count)| (part, count.saturating_mul(*times))));
    }
    Ok(all)
}

/// Each run of the one beside another run of the other.
fn matched(a: &Factors, b: &Factors) -> Result<bool, Error> {
    let mut free: Vec<u64> = b.iter().map(|(_, times)| *times).collect();
    for (pair, times) in a {
        let mut left = *times;
        for ((other, _), free) in b.iter().zip(&mut free) {
            if left == 0 {
                break;
            }
            if *free > 0 && single(pair, other)? {
                let taken = left.min(*free);
                left -= taken;
                *free -= taken;
            }
        }
        if left > 0 && !matches!(pair, Pair::Equal) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All Gaussian noise as one run of it: `mu^2` adds up.
fn gaussians_together(factors: &Factors) -> Result<Factors, Error> {
    let mut square = Real::zero();
    let mut all = Factors::new();
    for (pair, times) in factors {
        match pair {
            Pair::Gaussian { mu } => square = square.add(&mu.square().mul_rational(&Rational::from(*times))),
            other => all.push((other.clone(), *times)),
        }
    }
    if !square.is_zero() {
        all.push((Pair::gaussian(square.sqrt()?), 1));
    }
    Ok(all)
}

fn at_most(a: &Real, b: &Real) -> bool {
    a.compare(b).is_some_and(Ordering::is_le)
}

/// One run beside one run.
fn single(a: &Pair, b: &Pair) -> Result<bool, Error> {
    if as_written(a, b)? {
        return Ok(true);
    }
    let (fixed_a, fixed_b) = (of_fixed_size(a)?, of_fixed_size(b)?);
    if fixed_a.is_none() && fixed_b.is_none() {
        return Ok(false);
    }
    as_written(fixed_a.as_ref().unwrap_or(a), fixed_b.as_ref().unwrap_or(b))
}

/// The same, of the operators as they stand.
fn as_written(a: &Pair, b: &Pair) -> Result<bool, Error> {
    let known = match (a, b) {
        (Pair::Equal, _) => true,
        (Pair::Gaussian { mu: a }, Pair::Gaussian { mu: b }) => at_most(a, b),
        (Pair::Laplace { shift: a }, Pair::Laplace { shift: b }) => at_most(a, b),
        (
            Pair::DiscreteGaussian { sigma2: a, sensitivity: c },
            Pair::DiscreteGaussian { sigma2: b, sensitivity: d },
        ) => a == b && c <= d,
        (Pair::Shuffled(a), Pair::Shuffled(b)) => shuffled(a, b),
        (Pair::Laplace { shift }, Pair::Discrete(b)) if beside_geometric(shift, b) => true,
        (Pair::Derived(a), Pair::Derived(b)) if derived(a, b)? => true,
        (Pair::Derived(a), b) if group_below(a, b)? => true,
        (a, Pair::Derived(b)) if group_above(a, b)? || drawn_apart(a, b)? || hidden(a, b)? => true,
        (Pair::Discrete(a), Pair::Discrete(b)) if geometric(a, b) || shares(a, b) || three_losses(a, b)? => true,
        _ => match (a.as_sample(), b.as_sample()) {
            (Some((a, inside)), Some((b, other))) => {
                at_most(a, b) && within(&inside.into_factors(), &other.into_factors())?
            }
            _ => false,
        },
    };
    if known || promised(a, b)? {
        return Ok(true);
    }
    if let (Some(a), Some(b)) = (a.trade_off()?, b.trade_off()?) {
        return Ok(a.falls_below(&b).is_none());
    }
    // A sample is what is inside of it and something done to that; an operator may only improve.
    let whole = vec![(b.clone(), 1)];
    if let Pair::Sample { inner, .. } = a
        && within(&inner.clone().into_factors(), &whole)?
    {
        return Ok(true);
    }
    let one = vec![(a.clone(), 1)];
    if around(&one, &whole)? {
        return Ok(true);
    }
    if let Some(parts) = mixed(&one)
        && all_of(parts, |part| within(part, &whole))?
    {
        return Ok(true);
    }
    mixed(&whole).map_or(Ok(false), |parts| all_of(parts, |part| within(&one, part)))
}

/// Does it hold of all of them?
fn all_of(parts: &[Factors], holds: impl Fn(&Factors) -> Result<bool, Error>) -> Result<bool, Error> {
    for part in parts {
        if !holds(part)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The hull of a Poisson sample of a symmetric pair, as what it is: the sample of a fixed share (Dong, Roth, Su,
/// Section 4: `C_p(f) = min(f_p, f_p^-1)**` with `f_p = p f + (1-p) Id`, which is the sample's).
fn of_fixed_size(pair: &Pair) -> Result<Option<Pair>, Error> {
    let Pair::Derived(derived) = pair else { return Ok(None) };
    let (Operator::Hull, [part]) = (derived.operator(), derived.parts()) else { return Ok(None) };
    let [(sample, 1)] = part.as_slice() else { return Ok(None) };
    match sample.as_sample() {
        Some((rate, inside)) if inside.symmetric() => inside.subsampled(rate).map(Some),
        _ => Ok(None),
    }
}

/// Geometric noise of no smaller decay, moved no farther; moved by 1 it is randomised response.
fn geometric(a: &Discrete, b: &Discrete) -> bool {
    let noise = |pair: &Discrete| match (pair.as_response(), pair.as_geometric()) {
        (_, Some((rate, reach))) => Some((rate.clone(), reach)),
        (Some((epsilon, delta)), _) if delta.is_zero() => Some((epsilon.clone(), 1)),
        _ => None,
    };
    match (noise(a), noise(b)) {
        (Some((a, few)), Some((b, many))) => at_most(&a, &b) && few <= many,
        _ => false,
    }
}

/// Samples of a fixed share of randomised response: `C_p(f)` decreases with p and increases with f. For staircase
/// noise, and mechanisms whose failures are split off, only equal ones are compared.
fn shares(a: &Discrete, b: &Discrete) -> bool {
    let (Some((a, first)), Some((b, second))) = (a.as_share(), b.as_share()) else { return false };
    let each = |holds: fn(&Real, &Real) -> bool| a.iter().zip(&b).all(|(a, b)| holds(a, b));
    let same = |a: &Real, b: &Real| a.compare(b) == Some(Ordering::Equal);
    match (first, second) {
        (None, None) => each(same) || a[2].is_zero() && b[2].is_zero() && each(at_most),
        (Some(first), Some(second)) => each(same) && same(first, second),
        _ => false,
    }
}

/// Losses -l, 0 and l on either side: the profiles are straight in x from 1 to `e^l`, and 0 from there on.
fn three_losses(a: &Discrete, b: &Discrete) -> Result<bool, Error> {
    let end = |pair: &Discrete| -> Result<Option<(Real, Enclosure)>, Error> {
        let Law::SymmetricLattice { unit, largest: 1, .. } = pair.law() else { return Ok(None) };
        let masses = pair.masses(BITS)?.p;
        let (Some(low), Some(high)) = (masses.first(), masses.last()) else { return Ok(None) };
        Ok(Some((unit.clone(), (high - low).enclosure(BITS))))
    };
    let (Some((a, first)), Some((b, second))) = (end(a)?, end(b)?) else { return Ok(false) };
    Ok(at_most(&a, &b) && first.upper() <= second.lower())
}

/// Is it (epsilon, delta)-DP, of what is the worst such pair?
fn promised(a: &Pair, b: &Pair) -> Result<bool, Error> {
    let Some((epsilon, delta)) = b.as_response() else { return Ok(false) };
    let Ends { losses, infinite_p, infinite_q } = a.ends()?;
    let within = |end: LossBound| end.known().is_some_and(|loss| at_most(&loss, &epsilon));
    let losses = losses.is_none_or(|(least, largest)| within(least.reversed()) && within(largest));
    Ok(losses && at_most(&infinite_p, &delta) && at_most(&infinite_q, &delta))
}

/// The same operator on what is ordered.
fn derived(a: &Derived, b: &Derived) -> Result<bool, Error> {
    let alike = match (a.operator(), b.operator()) {
        (Operator::Inverse, Operator::Inverse)
        | (Operator::Larger, Operator::Larger)
        | (Operator::Hull, Operator::Hull) => true,
        (Operator::Group(a), Operator::Group(b)) => a <= b,
        (Operator::Subsample(a), Operator::Subsample(b)) => at_most(a, b),
        (Operator::Mixture(a), Operator::Mixture(b)) => a == b,
        _ => false,
    };
    if !alike || a.parts().len() != b.parts().len() {
        return Ok(false);
    }
    for (a, b) in a.parts().iter().zip(b.parts()) {
        // The inverse turns both round, which keeps the order.
        if !within(a, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}
