//! Bounds of the fit that follow from what a composition is made of, without its curve.
//!
//! **From above.** If `G_(mu_i) <= f_i` for independent pairs, then `G_mu` is below the trade-off function of all
//! together, `mu^2 = sum mu_i^2`: each pair is a post-processing of its Gaussian. Likewise, with `G_mu <= f` (or
//! `G_(mu_i) <= f_i` of its parts),
//!
//! * a Poisson sample `(p P + (1-p) Q, Q)` is a post-processing of (P, Q), so that `G_mu` is below it;
//! * `G_mu` is symmetric and convex, so it is below `f^-1`, `max(f, f^-1)` and `min(f, f^-1)**`, and below
//!   `C_p(f) = min(f_p, f_p^-1)**`, as `f_p = p f + (1-p) Id >= G_mu`;
//! * a group of k has `G_(k mu)` below it, as `1 - (1-f)^(o k)` rises with f and is that for `G_mu`;
//! * a mixture is `inf sum w_i f_i(alpha_i)` over `sum w_i alpha_i = alpha`, which by Jensen's inequality is at least
//!   `G_mu(alpha)` for the largest of the `mu_i`.
//!
//! Shuffled reports alone are fitted as anything is whose losses are bounded (`search`), to few digits.
//!
//! Losses `ln(dP/dQ)` from l to L without mass at infinity: `f(alpha) >= 1 - e^-l alpha` and `f(alpha) >= e^-L (1 -
//! alpha)`, lines through (0, 1) and (1, 0), below which `G_mu` is if it is where they meet.
//!
//! **From below.** To leave out a factor is a post-processing, so the fit is at least that of any factors: of Gaussian
//! noise and samples of it in one order (`sampled`), and of discrete Gaussian noise. The fit of a mixture is at least
//! that of each part that needs its mu in the limit of small errors, for a part has a share of the masses.

use std::cell::RefCell;
use std::cmp::Ordering;

use rug::{Float, Rational};

use super::envelope::Tangents;
use super::sampled::{self, Order};
use super::search::{Beyond, Search};
use super::vertices;
use crate::alarm::declined;
use crate::compose::{DiscreteGaussian, Shuffle};
use crate::curve::Curve;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::{LossBound, Operator, Pair, Shuffled};
use enclosure::special::tail_quantile;
use enclosure::{Budget, Enclosure, Number, Real, Work, refine};

/// Precision of bounds.
const BITS: u32 = 256;

/// Digits of the fits of discrete Gaussians, and of shuffled reports.
const DIGITS: u32 = 6;
const FEW_DIGITS: u32 = 3;

/// The part of the work that shuffled reports get, and the most.
const FOR_REPORTS: (u32, u32) = (3, 4);
const LONGEST: Work = Work::seconds(3);

/// The least mu is at least the first number, and at most the second one, if there is one.
pub fn bounds(mechanism: &Composition, budget: &Budget) -> Result<(Float, Option<Float>), Error> {
    let factors = mechanism.pairs()?;
    let upper = all(&factors, budget)?.map(|mu| mu.upper().clone());
    Ok((least(&factors, budget)?, upper))
}

/// The least mu is at least this, for `f(alpha) <= beta`: `z(alpha) + z(beta)`, z the upper normal quantile.
pub fn from_point(alpha: &Rational, beta: &Enclosure, budget: &Budget) -> Result<Option<Float>, Error> {
    let beta = beta.upper().clone();
    let sum = quantile(&Enclosure::rational(alpha, BITS), BITS, budget)?
        .zip(quantile(&Enclosure::new(beta.clone(), beta), BITS, budget)?)
        .map(|(a, b)| a + b);
    Ok(sum.map(|mu| mu.lower().clone()).filter(|mu| *mu > 0))
}

/// The least mu is at least this, where the total variation distance is at least delta: that of `G_mu`,
/// `1 - 2 Q(mu/2)` with the upper tail Q, is no less where `G_mu` is below the trade-off function.
pub fn from_distance(delta: &Enclosure, budget: &Budget) -> Result<Option<Float>, Error> {
    let tail = (&Enclosure::one(BITS) - delta).shift(-1).into_bounds().1;
    let half = quantile(&Enclosure::new(tail.clone(), tail), BITS, budget)?;
    Ok(half.map(|half| half.shift(1).lower().clone()).filter(|mu| *mu > 0))
}

/// What no least mu of these factors is below.
fn least(factors: &[(Pair, u64)], budget: &Budget) -> Result<Float, Error> {
    let mut most = Float::new(BITS);
    let mut take = |mu: &Enclosure| {
        if *mu.lower() > most {
            most.clone_from(mu.lower());
        }
    };
    for order in [Order::Forward, Order::Backward] {
        let squares = factors.iter().filter_map(|(pair, times)| {
            let (square, own) = sampled::square(pair)?;
            own.beside(order).map(|_| square.mul_rational(&Rational::from(*times)))
        });
        let sum = squares.fold(Real::zero(), |sum, square| sum.add(&square));
        take(&sum.enclosure(BITS).sqrt());
    }
    for (pair, times) in factors {
        if let Pair::DiscreteGaussian { .. } = pair
            && let Some(mu) = several(pair, *times, budget)?
        {
            take(&mu);
        }
        if let Pair::Derived(derived) = pair
            && matches!(derived.operator(), Operator::Mixture(_))
        {
            for (square, _) in derived.parts().iter().filter_map(|part| sampled::all(part)) {
                take(&square.enclosure(BITS).sqrt());
            }
        }
    }
    Ok(most)
}

/// A mu that is enough for these factors together: its upper end is, and of discrete Gaussian noise alone none below
/// its lower end is.
fn all(factors: &[(Pair, u64)], budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let mut square = Enclosure::zero(BITS);
    for (pair, times) in factors {
        let Some(mu) = several(pair, *times, budget)? else { return by_ends(factors, budget) };
        square = square + mu.square();
    }
    let sum = square.sqrt();
    Ok(lesser(Some(sum), by_ends(factors, budget)?))
}

/// The bound for several runs of a pair.
fn several(pair: &Pair, times: u64, budget: &Budget) -> Result<Option<Enclosure>, Error> {
    if let Pair::DiscreteGaussian { sigma2, sensitivity } = pair {
        let noise = DiscreteGaussian::new(sigma2.clone(), (*sensitivity).into(), times)?;
        return Ok(declined(vertices::fit(&noise, DIGITS, budget))?.map(|(mu, _)| mu.enclosure(BITS)));
    }
    let one = one(pair, budget)?.map(|mu| mu * Enclosure::rational(&Rational::from(times), BITS).sqrt());
    let many = by_ends(&[(pair.clone(), times)], budget)?;
    Ok(lesser(one, many))
}

/// Of one run.
fn one(pair: &Pair, budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let inside = match pair {
        Pair::Equal => Some(Enclosure::zero(BITS)),
        Pair::Gaussian { mu } => Some(mu.enclosure(BITS)),
        Pair::DiscreteGaussian { .. } => return several(pair, 1, budget),
        Pair::Discrete(_) | Pair::Laplace { .. } => None,
        Pair::Shuffled(shuffled) => reports(shuffled, &budget.share(FOR_REPORTS, Some(LONGEST)))?,
        Pair::Sample { inner, .. } => several(inner, 1, budget)?,
        Pair::Several(factors) => all(factors, budget)?,
        Pair::Derived(derived) => {
            let mut largest = Some(Enclosure::zero(BITS));
            for part in derived.parts() {
                largest = largest.zip(all(part, budget)?).map(|(a, b)| a.max(&b));
            }
            match derived.operator() {
                Operator::Group(size) => largest.map(|mu| mu * Enclosure::rational(&Rational::from(*size), BITS)),
                Operator::Inverse
                | Operator::Larger
                | Operator::Hull
                | Operator::Subsample(_)
                | Operator::Mixture(_) => largest,
            }
        }
    };
    Ok(lesser(inside, by_ends(&[(pair.clone(), 1)], budget)?))
}

/// The bound for shuffled reports, from the tangents of their trade-off function that are computed with this work.
fn reports(shuffled: &Shuffled, budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let shuffle = Shuffle::new(shuffled.clone());
    let profile =
        |epsilon: &Real, side| refine(2 * FEW_DIGITS + 4, budget, |bits| shuffle.delta(epsilon, side, bits, budget));
    let tangents = Tangents { profile: &profile, bits: BITS, budget };
    let known = RefCell::new(None);
    let told = |mu| {
        known.replace(Some(mu));
        Ok(())
    };
    let largest = shuffled.epsilon().clone();
    let ends = (largest.neg(), largest);
    let beyond = &Beyond::Nothing;
    let search = Search { tangents: &tangents, digits: FEW_DIGITS, beyond, ends, symmetric: true, told: &told };
    let found = declined(search.run())?.map(|(mu, _)| mu.enclosure(BITS));
    Ok(found.or(known.into_inner()))
}

/// The one with the smaller upper end.
fn lesser(one: Option<Enclosure>, other: Option<Enclosure>) -> Option<Enclosure> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.upper() < one.upper() { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Where the lines meet that bounded losses are above.
fn by_ends(factors: &[(Pair, u64)], budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let mut ends = Vec::new();
    for (pair, times) in factors {
        let Some(own) = declined(pair.ends())? else { return Ok(None) };
        let finite = [&own.infinite_p, &own.infinite_q].iter().all(|mass| mass.sign() == Some(Ordering::Equal));
        let Some(losses) = own.losses.filter(|_| finite) else { return Ok(None) };
        ends.push((losses, *times));
    }
    let least = LossBound::sum(ends.iter().map(|((least, _), times)| (least.clone(), *times)));
    let largest = LossBound::sum(ends.into_iter().map(|((_, largest), times)| (largest, times)));
    let (Some(least), Some(largest)) = (least.known(), largest.known()) else { return Ok(None) };
    let (least, largest) = (least.enclosure(BITS), largest.enclosure(BITS));
    if !(*least.upper() < 0 && *largest.lower() > 0) {
        return Ok(None);
    }
    // `1 - e^-L` and `e^-l - 1`, and the coordinates of the point.
    let (fall, rise) = (-(-&largest).expm1(), (-&least).expm1());
    let whole = &fall + &rise;
    let (alpha, beta) = (&fall / &whole, &(&(-&largest).exp() * &rise) / &whole);
    Ok(quantile(&alpha, BITS, budget)?.zip(quantile(&beta, BITS, budget)?).map(|(a, b)| a + b))
}

/// The upper quantile, which falls; `None` where it is not told from an end.
pub(super) fn quantile(p: &Enclosure, bits: u32, budget: &Budget) -> Result<Option<Enclosure>, Error> {
    let end = |end: &Float| -> Result<Option<Enclosure>, Error> {
        let Some(p) = end.to_rational().filter(|p| *p > 0 && *p < 1) else { return Ok(None) };
        Ok(declined(tail_quantile(&Number::Exact(p), bits, budget))?.map(|z| z.enclosure(bits)))
    };
    Ok(end(p.upper())?.zip(end(p.lower())?).map(|(low, high)| low.hull(&high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::{Fit, fit};

    fn of(mechanism: &str) -> (f64, f64) {
        let (lower, upper) = bounds(&mechanism.parse().expect("a mechanism"), &Budget::default()).expect("no alarm");
        (lower.to_f64(), upper.expect("an upper bound").to_f64())
    }

    /// Of what is fitted, the fit is between both.
    #[test]
    fn the_fit_is_within() {
        for mechanism in [
            "gdp(mu=3)",
            "laplace(scale=1)",
            "laplace(scale=2)^3 * gaussian(sigma=2)",
            "randomized-response(epsilon=1)^10",
            "finite(p=[1/2, 1/2], q=[1/5, 4/5])^3 * gdp(mu=1/2)",
            "discrete-gaussian(sigma2=2)^2",
            "poisson(rate=1/10, laplace(scale=1))",
            "group(k=3, laplace(scale=1) * gdp(mu=1/2))",
            "mixture(1/3: gdp(mu=1), 2/3: gdp(mu=2))^2 * poisson(rate=1/10, gdp(mu=1))",
            "symmetrize(poisson(rate=1/10, gaussian(sigma=1)))",
            "subsample(rate=1/2, laplace(scale=1/4))",
        ] {
            let composition: Composition = mechanism.parse().expect("a mechanism");
            let Ok(Fit::Least { mu, .. }) = fit(&composition, 5, 1, &Budget::default()) else { continue };
            let (lower, upper) = bounds(&composition, &Budget::default()).expect("no alarm");
            let (mu, upper) = (mu.enclosure(BITS), upper.expect("an upper bound"));
            assert!(*mu.upper() >= lower && *mu.lower() <= upper, "{mechanism}: {mu:?} {lower} {upper}");
        }
    }

    /// One response is the worst with its losses, so that the corner is its fit; two in a row are not far from it.
    #[test]
    fn corners_are_sharp() {
        let (lower, upper) = of("randomized-response(epsilon=ln(3))");
        // 2 z(1/4).
        assert!(lower == 0.0 && (1.348_979_500..1.348_979_501).contains(&upper), "{upper}");
        let (_, twice) = of("randomized-response(epsilon=ln(3))^2");
        assert!((1.907_744..1.907_746).contains(&twice), "{twice}");
    }

    /// Mixtures of Gaussians, groups and products: the numbers by hand.
    #[test]
    fn what_is_inside_bounds_the_whole() {
        assert_eq!(of("mixture(1/2: gdp(mu=1), 1/2: gdp(mu=2))"), (2.0, 2.0));
        assert_eq!(of("group(k=2, poisson(rate=1/10, gdp(mu=1)) * poisson(rate=1/5, gdp(mu=1)))").1, 8f64.sqrt());
        let (lower, upper) = of("poisson(rate=1/10, gdp(mu=3)) * inverse(poisson(rate=1/10, gdp(mu=4))) * gdp(mu=3)");
        assert!((lower, upper) == (5.0, 34f64.sqrt()), "{lower} {upper}");
        let (lower, upper) = of("poisson(rate=1/10, discrete-gaussian(sigma2=4))");
        assert!(lower == 0.0 && (0.505_325..0.505_327).contains(&upper), "{upper}");
        let (lower, upper) = of("mixture(1/2: gdp(mu=1), 1/2: laplace(scale=1))");
        assert!(lower == 1.0 && (1.232_035..1.232_036).contains(&upper), "{lower} {upper}");
        let (_, upper) = of("shuffle(n=100, epsilon0=1)^4");
        let Ok(Fit::Least { mu, .. }) =
            fit(&"shuffle(n=100, epsilon0=1)".parse().expect("one"), 4, 1, &Budget::default())
        else {
            panic!("a fit")
        };
        let (least, most) = (mu.enclosure(BITS).lower().to_f64(), mu.enclosure(BITS).upper().to_f64());
        assert!(upper >= 2.0 * least && upper < 2.01 * most, "{upper}");
        // Mass at infinity has no mu, and its losses are no bound.
        let composition = "approx-dp(epsilon=1, delta=1/10)".parse().expect("a mechanism");
        assert!(bounds(&composition, &Budget::default()).expect("no alarm").1.is_none());
    }
}
