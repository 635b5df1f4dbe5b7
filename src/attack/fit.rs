//! The least mu with `G_mu` below the trade-off function of a composition: its best guarantee of Gaussian differential
//! privacy. (`proofs/paper/attack.md`)
//!
//! It is the supremum of `mu(alpha) = z(alpha) + z(f(alpha))`, z the upper normal quantile. Nodes and corners of
//! `envelope` bound it from both sides; intervals between nodes are halved where the corner is above what is proven
//! from below, which gains two bits of mu each time. What happens near alpha = 0 and 1 is proven by class:
//!
//! | composition | there |
//! |---|---|
//! | Gaussians | every alpha touches: `mu^2` is the sum of squares, exactly |
//! | and samples of Gaussians, mixtures (`sampled`) | the supremum is the limit, that without sampling, exactly |
//! | finitely many losses | a polyline, by its vertices (`corners`), if it is not too long |
//! | bounded losses | the polygon ends in (0, 1) and (1, 0), which ask for nothing |
//! | bounded losses and Gaussians of `mu_0` | `mu(alpha) <= mu_0 + z(alpha) - z(e^K alpha)`, K the largest loss |
//! | one discrete Gaussian, any number of times | the vertices from some k on are below a bound of theirs |
//! | discrete Gaussians beside others | as Gaussians, each of the mu that it is fitted with |
//!
//! Of one `inverse` or one `hull` of a composition the fit is that of the composition: `G_mu` is symmetric and convex,
//! so it is below f exactly if it is below `f^-1`, and if it is below `min(f, f^-1)**`.
//!
//! The last row is a bound and not a limit, so that the fit may have few digits. Of other unbounded losses it is not
//! known. With mass at infinity `f(0) < 1 = G_mu(0)`: no mu does.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::envelope::Tangents;
use super::gap::{self, Gap};
use super::sampled::{self, Order};
use super::search::{Beyond, Search, Told};
use super::{corners, vertices};
use crate::compose::{DiscreteGaussian, Engines, Method};
use crate::error::Error;
use crate::mechanism::{Composition, Mechanism};
use crate::pair::{LossBound, Pair};
use enclosure::special::{normal_cdf, tail_quantile};
use enclosure::{Budget, Enclosure, Number, Real, Reason, bits_of_digits, refine};

/// Where the Gaussian touches.
#[derive(Clone, Debug)]
pub enum Touch {
    /// Everywhere: the trade-off function is a Gaussian's.
    Everywhere,
    /// In the limit of an alpha next to 0 or 1.
    Limit,
    /// At these alphas and nowhere else strictly between 0 and 1, where all of them touch: at all of them, or at one at
    /// least.
    At {
        /// The alphas.
        alphas: Vec<Number>,
        /// Is it proven that it touches at all of them?
        all: bool,
    },
    /// At alphas inside these intervals, and nowhere else strictly between 0 and 1, where all of them touch.
    Within(Vec<(Float, Float)>),
    /// It is not known where: mu is by bounds from both sides.
    Unknown,
}

/// The fit.
#[derive(Clone, Debug)]
pub enum Fit {
    /// No mu does, for the reason given.
    Infinite(String),
    /// The least mu.
    Least {
        /// It.
        mu: Number,
        /// Where it touches.
        touch: Touch,
        /// How far the trade-off function is above it.
        gap: Gap,
    },
}

/// For a fit with at most this number of digits, expensive profiles use only values that engines compute at once.
const FEW: u32 = 2;

/// Digits of the fits of discrete Gaussians beside others.
const OTHERS_DIGITS: u32 = 8;

/// The composition by class.
struct Class {
    /// The squares of Gaussians.
    gaussian: Real,
    /// Those inside samples.
    sampled: Real,
    /// The order of these samples; `None` if both orders are among them.
    order: Option<Order>,
    /// Discrete Gaussians: square of the scale, sensitivity, times.
    integers: Vec<(Rational, u64, u64)>,
    /// The least and the largest of the other losses, `ln(dP/dQ)`; `None` without others.
    bounded: Option<(Real, Real)>,
}

/// The fit to this number of significant digits.
///
/// # Errors
/// Those of [`fit_telling`].
#[cfg(any(test, feature = "cli"))]
pub fn fit(mechanism: &Composition, digits: u32, gap_digits: u32, budget: &Budget) -> Result<Fit, Error> {
    fit_telling(mechanism, digits, gap_digits, budget, &|_| Ok(()))
}

/// The fit to this number of significant digits. Bounds on mu with fewer digits are reported before the search stops.
///
/// # Errors
/// [`Error::Undecided`] for unsupported privacy losses, and beyond the budget; those of the reporting function.
pub fn fit_telling(
    mechanism: &Composition,
    digits: u32,
    gap_digits: u32,
    budget: &Budget,
    told: Told<'_>,
) -> Result<Fit, Error> {
    if let [(pair, 1)] = mechanism.pairs()?.as_slice()
        && let Some(mu) = sampled::group(pair)
    {
        let bits = bits_of_digits(digits) * 3 + 128;
        let (mu, engines) = (mu.number(bits), Engines::new(mechanism.clone(), Method::Auto));
        let gap = gap::largest(&engines, &mu, gap_digits, bits, budget)?;
        return Ok(Fit::Least { mu, touch: Touch::Limit, gap });
    }
    let class = match classify(mechanism) {
        Ok(Ok(class)) => class,
        Ok(Err(reason)) => return Ok(Fit::Infinite(reason)),
        Err(Error::Undecided(reason)) => return turned(mechanism, (digits, gap_digits), budget, told, reason),
        Err(error) => return Err(error),
    };
    let engines = Engines::new(mechanism.clone(), Method::Auto);
    // A gap is wanted, too.
    let (whole, budget) = (budget, &budget.share(FOR_MU, None));
    let squares = class.gaussian.add(&class.sampled);
    let bits = bits_of_digits(digits) * 3 + 128;
    let alone = class.bounded.is_none() && class.integers.is_empty();
    let (mu, touch) = match (alone, class.sampled.is_zero()) {
        (true, false) if class.order.is_none() => return Err(not_known(UNKNOWN_ORDERS)),
        (true, true) => {
            let mu = squares.number(bits).sqrt(bits);
            return Ok(Fit::Least { mu, touch: Touch::Everywhere, gap: Gap::none() });
        }
        (true, false) => (squares.number(bits).sqrt(bits), Touch::Limit),
        (false, false) => {
            return Err(not_known(UNKNOWN_BESIDE));
        }
        (false, true) if let Some((sigma2, sensitivity, times)) = class.only_integers() => {
            vertices::fit(&DiscreteGaussian::new(sigma2.clone(), (*sensitivity).into(), *times)?, digits, budget)?
        }
        (false, true) => {
            let beyond = class.beyond(bits, budget)?;
            let known = 2 * digits + if digits > FEW { 4 } else { 2 };
            let profile = |epsilon: &Real, side| {
                engines
                    .ask(budget, |curve, budget| refine(known, budget, |bits| curve.delta(epsilon, side, bits, budget)))
            };
            let tangents = Tangents { profile: &profile, bits, budget };
            let polyline = match &beyond {
                Beyond::Nothing => corners::fit(&Pair::several(mechanism.pairs()?), &tangents, digits)?,
                Beyond::Gaussian { .. } => None,
            };
            if let Some(found) = polyline {
                found
            } else {
                let symmetric = engines.ask(budget, |curve, _| Ok(curve.symmetric()))?;
                let ends = class.bounded.unwrap_or_default();
                Search { tangents: &tangents, digits, beyond: &beyond, ends, symmetric, told }.run()?
            }
        }
    };
    let gap = gap::largest(&engines, &mu, gap_digits, bits, whole)?;
    Ok(Fit::Least { mu, touch, gap })
}

/// The fit whose mu is within bounds that are known otherwise: the gap beside it, and nothing of where they touch.
pub fn beside(
    mechanism: &Composition,
    mu: Number,
    digits: u32,
    gap_digits: u32,
    budget: &Budget,
) -> Result<Fit, Error> {
    let engines = Engines::new(mechanism.clone(), Method::Auto);
    let gap = gap::largest(&engines, &mu, gap_digits, bits_of_digits(digits) * 3 + 128, budget)?;
    Ok(Fit::Least { mu, touch: Touch::Unknown, gap })
}

/// The same without a search: the gap is at most what follows from mu, for the reason given.
pub fn unsought(mu: Number, reason: Reason) -> Result<Fit, Error> {
    let gap = gap::unsought(&mu, reason)?;
    Ok(Fit::Least { mu, touch: Touch::Unknown, gap })
}

/// The part of the time that mu may take.
const FOR_MU: (u32, u32) = (3, 4);

/// Why there is no fit where there may be one.
fn not_known(which: &str) -> Error {
    Error::undecided(format!(
        "the Gaussian fit supports bounded privacy losses, Gaussian noise, discrete Gaussian noise and compositions \
         of these (at low precision for some with discrete noise); {which}"
    ))
}

const UNKNOWN_ORDERS: &str = "it does not support samples of Gaussian noise in both directions in one composition";
const UNKNOWN_BESIDE: &str = "it supports samples of Gaussian noise only alone or composed with Gaussian noise";
const UNKNOWN_OTHERS: &str = "this composition has other unbounded privacy losses, such as those of samples of such \
                              noise or of operators on it";

/// The fit of `inverse(X)` and `hull(X)` is that of X: `G_mu <= f` implies `G_mu <= f^-1` and `G_mu <= min(f, f^-1)**`,
/// and conversely. If X touches at alpha, the inverse touches at `G_mu(alpha)`, and the hull at both and nowhere else.
/// The reason: the tangent of `G_mu` at a point where it touches the hull is below f and `f^-1`, and meets one of them,
/// because all are continuous on [0, 1]. `G_mu` is above its tangent elsewhere, so it touches that function there.
fn turned(
    mechanism: &Composition,
    (digits, gap_digits): (u32, u32),
    budget: &Budget,
    told: Told<'_>,
    reason: Reason,
) -> Result<Fit, Error> {
    let (inner, both) = match mechanism.single() {
        Some((Mechanism::Inverse(inverse), 1)) => (inverse.inner(), false),
        Some((Mechanism::Hull(hull), 1)) => (hull.inner(), true),
        _ => return Err(Error::Undecided(reason)),
    };
    let (mu, touch) = match fit_telling(inner, digits, gap_digits, budget, told)? {
        Fit::Least { mu, touch, .. } => (mu, touch),
        infinite @ Fit::Infinite(_) => return Ok(infinite),
    };
    let bits = bits_of_digits(digits) * 3 + 128;
    let mirrored = |sets: &[(Float, Float)]| -> Result<Vec<(Float, Float)>, Error> {
        let at = |alpha: &Float| gaussian_at(alpha, &mu.enclosure(bits), bits, budget);
        sets.iter().map(|(low, high)| Ok((at(high)?.lower().clone(), at(low)?.upper().clone()))).collect()
    };
    let touch = match touch {
        Touch::Everywhere | Touch::Limit | Touch::Unknown => touch,
        Touch::At { alphas, .. } => {
            let sets: Vec<_> = alphas.iter().map(|alpha| alpha.enclosure(bits).into_bounds()).collect();
            Touch::Within(joined(if both { sets.clone() } else { Vec::new() }, mirrored(&sets)?))
        }
        Touch::Within(sets) => Touch::Within(joined(if both { sets.clone() } else { Vec::new() }, mirrored(&sets)?)),
    };
    let engines = Engines::new(mechanism.clone(), Method::Auto);
    let gap = gap::largest(&engines, &mu, gap_digits, bits, budget)?;
    Ok(Fit::Least { mu, touch, gap })
}

/// `G_mu(alpha)`, at the ends too.
fn gaussian_at(alpha: &Float, mu: &Enclosure, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    match alpha.to_rational() {
        Some(alpha) if alpha > 0 && alpha < 1 => {
            let z = tail_quantile(&Number::Exact(alpha), bits, budget)?.enclosure(bits);
            normal_cdf(&(&z - mu), bits, budget)
        }
        Some(alpha) if alpha <= 0 => Ok(Enclosure::one(bits)),
        _ => Ok(Enclosure::zero(bits)),
    }
}

/// Intervals of both lists, in order, those that share a point as one.
fn joined(mut sets: Vec<(Float, Float)>, more: Vec<(Float, Float)>) -> Vec<(Float, Float)> {
    sets.extend(more);
    sets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut all: Vec<(Float, Float)> = Vec::new();
    for (low, high) in sets {
        match all.last_mut() {
            Some((_, end)) if low <= *end => {
                if high > *end {
                    *end = high;
                }
            }
            _ => all.push((low, high)),
        }
    }
    all
}

/// By class, or why there is no mu.
fn classify(mechanism: &Composition) -> Result<Result<Class, String>, Error> {
    let mut class = Class {
        gaussian: Real::zero(),
        sampled: Real::zero(),
        order: Some(Order::Either),
        integers: Vec::new(),
        bounded: None,
    };
    for (pair, times) in mechanism.pairs()? {
        let times_rational = Rational::from(times);
        if times == 0 || matches!(pair, Pair::Equal) {
            continue;
        }
        if let Some(square) = sampled::gaussian(&pair) {
            class.gaussian = class.gaussian.add(&square.mul_rational(&times_rational));
            continue;
        }
        if let Pair::DiscreteGaussian { sigma2, sensitivity } = &pair {
            match class.integers.iter_mut().find(|(a, b, _)| a == sigma2 && b == sensitivity) {
                Some((_, _, count)) => *count = count.saturating_add(times),
                None => class.integers.push((sigma2.clone(), *sensitivity, times)),
            }
            continue;
        }
        if let Some((square, order)) = sampled::square(&pair) {
            class.sampled = class.sampled.add(&square.mul_rational(&times_rational));
            class.order = class.order.and_then(|known| known.beside(order));
            continue;
        }
        let ends = pair.ends()?;
        for mass in [&ends.infinite_p, &ends.infinite_q] {
            match mass.sign() {
                Some(Ordering::Greater) => {
                    return Ok(Err("an outcome of positive probability identifies one of the two data sets".into()));
                }
                Some(_) => {}
                None => {
                    return Err(Error::undecided(
                        "cannot decide whether the privacy loss is infinite with positive \
                                                     probability",
                    ));
                }
            }
        }
        match ends.losses {
            Some((LossBound::At(least), LossBound::At(largest))) => {
                let (low, high) = class.bounded.take().unwrap_or_default();
                let low = low.add(&least.mul_rational(&times_rational));
                class.bounded = Some((low, high.add(&largest.mul_rational(&times_rational))));
            }
            _ => return Err(not_known(UNKNOWN_OTHERS)),
        }
    }
    // Losses that are all zero reveal nothing.
    if class.bounded.as_ref().is_some_and(|(least, largest)| least.is_zero() && largest.is_zero()) {
        class.bounded = None;
    }
    Ok(Ok(class))
}

impl Class {
    /// The one discrete Gaussian that it consists of.
    fn only_integers(&self) -> Option<&(Rational, u64, u64)> {
        let alone = self.bounded.is_none() && self.gaussian.is_zero() && self.sampled.is_zero();
        self.integers.first().filter(|_| alone && self.integers.len() == 1)
    }

    /// The part beyond all tangents, if no Gaussian noise is on a sample.
    fn beyond(&self, bits: u32, budget: &Budget) -> Result<Beyond, Error> {
        let (least, largest) = self.bounded.clone().unwrap_or_default();
        if self.gaussian.is_zero() && self.integers.is_empty() {
            return Ok(Beyond::Nothing);
        }
        let mut square = self.gaussian.enclosure(bits);
        for (sigma2, sensitivity, times) in &self.integers {
            let noise = DiscreteGaussian::new(sigma2.clone(), (*sensitivity).into(), *times)?;
            square = square + vertices::fit(&noise, OTHERS_DIGITS, budget)?.0.enclosure(bits).square();
        }
        Ok(Beyond::Gaussian { mu: square.sqrt(), least, largest })
    }
}

#[cfg(test)]
mod tests;
