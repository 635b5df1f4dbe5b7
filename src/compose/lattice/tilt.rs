//! Laws with an exponential weight, as arrays in fixed point.
//!
//! The law of a loss L, finite and under P, tilted by c: masses `p e^(c l)/M(c)`, `M(c) = E_P[e^(cL); L finite]`. Tilts
//! of independent parts multiply, as their masses do, so that a composition may be tilted part by part. What is small
//! under P, the tail at some epsilon, is of ordinary size under the right tilt: an absolute error there is a relative
//! one here.

use std::f64::consts::LN_2;

use rug::float::Round::Up;
use rug::integer::Order;
use rug::{Float, Integer, Rational};

use super::super::meet_in_the_middle::fixed_or_refuse;
use super::array::Array;
use super::pair::{LatticePair, Law, Listing};
use crate::compose::discrete_gaussian::{direct_theta, dual_theta};
use crate::error::Error;
use crate::pair::Masses;
use enclosure::{Budget, Enclosure, Need, Portable};

/// A tilted law, and `ln M(c)`.
pub(super) struct Tilted {
    pub array: Array,
    pub log_moment: Enclosure,
}

/// Masses at most; a single law with more is not listed.
const MOST_MASSES: f64 = 4e6;

/// A mass in fixed point: its words, and by how many units it may be too small.
fn fixed_words(mass: &Enclosure, width: usize, words: &mut Vec<u64>) -> Result<(), Error> {
    let bits = 64 * width as u32;
    let mut value = fixed_or_refuse(mass, bits)?;
    if value.significant_bits() > bits {
        // All the mass there is: one unit less.
        value = (Integer::from(1) << bits) - 1_u32;
    }
    let from = words.len();
    words.resize(from + width, 0);
    let digits = value.significant_digits::<u64>();
    if let Some(place) = words.get_mut(from..from + digits) {
        value.write_digits(place, Order::Lsf);
    }
    Ok(())
}

impl LatticePair {
    /// The law of the loss in units, tilted by `c` (per unit of loss): places are multiples of `stride`.
    pub(super) fn tilted(&self, tilt: &Rational, stride: u64, width: usize, budget: &Budget) -> Result<Tilted, Error> {
        match &self.law {
            Law::Finite { offset, places, masses } => {
                let bits = 64 * width as u32 + 64;
                // A mass and its weighted twin, with two ends each, and the words.
                let each = 4 * (u64::from(bits) / 8 + 48) + 8 * width as u64;
                budget.afford(&Need {
                    what: "different losses",
                    count: *places,
                    most: u64::MAX,
                    bytes: places.saturating_mul(each),
                    relax: "try fewer digits or a smaller sensitivity",
                })?;
                let masses = masses(bits)?;
                self.tilted_finite(tilt, stride, width, *offset, &masses, budget)
            }
            Law::Listed(listing) => {
                if *tilt != 0 {
                    return Err(Error::Undecided(
                        "masses in fixed-point numbers cannot take an exponential weight".into(),
                    ));
                }
                as_listed(listing, stride, width)
            }
            Law::DiscreteGaussian { sigma2, sensitivity } => {
                tilted_gaussian(sigma2, sensitivity, tilt, stride, width, budget)
            }
        }
    }

    fn tilted_finite(
        &self,
        tilt: &Rational,
        stride: u64,
        width: usize,
        offset: i64,
        masses: &Masses,
        budget: &Budget,
    ) -> Result<Tilted, Error> {
        let bits = 64 * width as u32 + 64;
        let plain = *tilt == 0;
        let mut weighted = Vec::with_capacity(masses.p.len());
        let mut total = Enclosure::zero(bits);
        // Relative to the loss with the largest factor, which goes to the moment: all others are below one.
        let top = if *tilt > 0 { masses.p.len() as i64 - 1 } else { 0 };
        let shift = self.shift.add(&self.unit.mul_rational(&Rational::from(offset.saturating_add(top))));
        let step = (&self.unit.enclosure(bits + 64) * &Enclosure::rational(tilt, bits + 64)).with_bits(bits + 64);
        for (i, mass) in masses.p.iter().enumerate() {
            if i % 0x400 == 0 {
                budget.check()?;
            }
            let mass = mass.enclosure(bits).positive_part();
            let value = if plain || (mass.is_point() && *mass.lower() == 0) {
                mass
            } else {
                &mass * &(&step * &Enclosure::integer(&Integer::from(i as i64 - top), bits + 64)).exp().with_bits(bits)
            };
            total = &total + &value;
            weighted.push(value);
        }
        let moment = if plain {
            total.ln()
        } else {
            let first = &shift.enclosure(bits + 64) * &Enclosure::rational(tilt, bits + 64);
            &total.ln() + &first
        };
        let scale = total.recip();
        let mut words = Vec::with_capacity(weighted.len() * width);
        for value in &weighted {
            fixed_words(&(value * &scale).positive_part(), width, &mut words)?;
        }
        let start = offset.checked_mul(i64::try_from(stride).unwrap_or(i64::MAX)).ok_or_else(too_far)?;
        // Rounded down from a lower end that is less than a unit away, and a unit for a mass of one.
        let array = Array::new(start, stride, width, words, 3 * weighted.len() as u128)?;
        Ok(Tilted { array, log_moment: moment })
    }
}

/// Masses in fixed point at another precision. The moment at tilt zero counts as one: what is stored is not normalised.
fn as_listed(listing: &Listing, stride: u64, width: usize) -> Result<Tilted, Error> {
    let count = listing.words.len() / listing.width;
    let mut words = vec![0_u64; count * width];
    // The most significant words are the last ones.
    let (from, to) = (listing.width.saturating_sub(width), width.saturating_sub(listing.width));
    for (out, mass) in words.chunks_exact_mut(width).zip(listing.words.chunks_exact(listing.width)) {
        out[to..].copy_from_slice(&mass[from..]);
    }
    // A count that has run over stays so.
    let error = match (listing.error, to) {
        (u128::MAX, _) => u128::MAX,
        (0, 1..) => 0,
        (error, 1) => error.saturating_mul(1 << 64),
        (_, 2..) => u128::MAX,
        (error, 0) if from == 0 => error,
        (error, 0) => error.checked_shr(64 * from as u32).unwrap_or(0).saturating_add(1 + count as u128),
    };
    let start = listing.offset.checked_mul(i64::try_from(stride).unwrap_or(i64::MAX)).ok_or_else(too_far)?;
    let array = Array::new(start, stride, width, words, error)?;
    Ok(Tilted { array, log_moment: Enclosure::zero(64 * width as u32 + 64) })
}

fn too_far() -> Error {
    Error::Undecided("the privacy losses are too many units away from zero".into())
}

/// `Theta(y) = sum_j e^(-(j-y)^2/(2 sigma2))` at `|y| <= 1/2`.
fn theta(sigma2: &Rational, y: &Rational, bits: u32) -> Enclosure {
    if Rational::from(sigma2 * 2_u32) >= 1 {
        let width = &Enclosure::pi(bits).mul_u32(2) * &Enclosure::rational(sigma2, bits);
        &width.sqrt() * &dual_theta(sigma2, &Enclosure::rational(y, bits), bits)
    } else {
        direct_theta(sigma2, &Enclosure::rational(y, bits), bits)
    }
}

/// Tilting `e^(-j^2/(2 sigma2))` by `e^(c (D j/sigma2 + D^2/(2 sigma2)))` moves its centre to `m = cD`:
///
/// `p(j) e^(c l_j) = e^(c(c+1) D^2/(2 sigma2)) e^(-(j-m)^2/(2 sigma2))/Theta(0)`, so
/// `M(c) = e^(c(c+1) D^2/(2 sigma2)) Theta(m)/Theta(0)`.
///
/// From the centre outwards each mass is the one before times a ratio, each ratio the one before times `e^(-1/sigma2)`.
/// The first mass below a unit ends the list: with ratio r there, all that follow are below `1/(1-r)` units in sum.
fn tilted_gaussian(
    sigma2: &Rational,
    sensitivity: &Integer,
    tilt: &Rational,
    stride: u64,
    width: usize,
    budget: &Budget,
) -> Result<Tilted, Error> {
    let fraction = 64 * width as u32;
    let reach = (sigma2.to_f64() * 1.4 * (f64::from(fraction) + 8.0)).sqrt() + 2.0;
    if !(reach < MOST_MASSES) {
        return Err(Error::undecided(format!(
            "a discrete Gaussian with sigma2 = {sigma2} has more than {MOST_MASSES:.0} masses above 2^-{fraction}; \
             try fewer digits"
        )));
    }
    // Widths grow with the square of the distance.
    let bits = fraction + 64 + 2 * (reach.portable_log2().ceil() as u32);
    // Two ends of so many bits each, and the words.
    let each = 2 * (u64::from(bits) / 8 + 48) + u64::from(fraction) / 8;
    budget.afford(&Need {
        what: "masses of a discrete Gaussian",
        count: 2 * reach as u64,
        most: u64::MAX,
        bytes: (2 * reach as u64).saturating_mul(each),
        relax: "try fewer digits",
    })?;
    let centre = Rational::from(tilt * sensitivity);
    let nearest = Rational::from(centre.round_ref()).into_numer_denom().0;
    let rest = Rational::from(&centre - &nearest);
    let per = Rational::from(sigma2 * 2_u32).recip();
    let exp = |exponent: Rational| Enclosure::rational(&exponent, bits + 64).exp().with_bits(bits);
    let norm = theta(sigma2, &rest, bits);
    let peak = &exp(-(Rational::from(rest.square_ref()) * &per)) / &norm;
    let constant = exp(-(Rational::from(&per * 2_u32)));
    let unit = Float::with_val(64, 1) >> fraction;
    let mut beyond = 0_u128;
    let mut side = |sign: i32| -> Result<Vec<Enclosure>, Error> {
        // (d + 1 - s f)^2 - (d - s f)^2 = 2d + 1 - 2 s f, f the rest.
        let mut ratio = exp((Rational::from(&rest * (2 * sign)) - 1_u32) * &per);
        let mut mass = peak.clone();
        let mut masses = Vec::new();
        for d in 0_u64.. {
            if d % 0x1000 == 0 {
                budget.check()?;
            }
            mass = &mass * &ratio;
            if *mass.upper() < unit && *ratio.upper() < 1 {
                let sum = (&Enclosure::one(64) / &(&Enclosure::one(64) - &ratio.with_bits(64))).into_bounds().1;
                let sum = sum.to_integer_round(Up).and_then(|(n, _)| n.to_u128()).unwrap_or(u128::MAX);
                beyond = beyond.saturating_add(sum);
                return Ok(masses);
            }
            masses.push(mass.clone());
            ratio = &ratio * &constant;
        }
        Ok(masses)
    };
    let (up, down) = (side(1)?, side(-1)?);
    let count = up.len() + down.len() + 1;
    let mut words = Vec::with_capacity(count * width);
    for mass in down.iter().rev().chain([&peak]).chain(&up) {
        fixed_words(mass, width, &mut words)?;
    }
    let first = nearest - down.len() as u64;
    let start = (first * stride).to_i64().ok_or_else(too_far)?;
    let array = Array::new(start, stride, width, words, beyond.saturating_add(3 * count as u128))?;
    // ln M = c(c+1) D^2/(2 sigma2) + ln(Theta(m)/Theta(0)).
    let square = Integer::from(sensitivity.square_ref());
    let exponent = Rational::from(tilt.square_ref()) + tilt;
    let exponent = exponent * square * &per;
    let log_moment = Enclosure::rational(&exponent, bits + 64);
    let log_moment =
        if rest.is_zero() { log_moment } else { &log_moment + &(&norm / &theta(sigma2, &Rational::new(), bits)).ln() };
    Ok(Tilted { array, log_moment })
}

/// About `ln M(c)` and its first two derivatives: for searches only.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cumulants {
    pub log: f64,
    pub mean: f64,
    pub variance: f64,
}

/// A pair in doubles.
#[derive(Clone, Debug)]
pub(super) enum Sketch {
    /// Losses with the logarithms of their masses.
    Finite(Vec<(f64, f64)>),
    /// `sigma2` and the sensitivity.
    Gaussian(f64, f64),
}

impl Sketch {
    pub fn of(pair: &LatticePair) -> Result<Sketch, Error> {
        Ok(match &pair.law {
            Law::Finite { offset, masses, .. } => {
                let (unit, shift) = (pair.unit.to_f64(), pair.shift.to_f64());
                let listed = masses(64)?.p.into_iter().zip(*offset..).filter_map(|(mass, place)| {
                    let (fraction, exponent) = mass.enclosure(64).upper().to_f64_exp();
                    let log = fraction.portable_ln() + f64::from(exponent) * LN_2;
                    log.is_finite().then_some((shift + place as f64 * unit, log))
                });
                Sketch::Finite(listed.collect())
            }
            Law::DiscreteGaussian { sigma2, sensitivity } => Sketch::Gaussian(sigma2.to_f64(), sensitivity.to_f64()),
            Law::Listed(listing) => {
                // Some thousand losses are enough to search with: neighbours are taken together.
                let (unit, width) = (pair.unit.to_f64(), listing.width);
                let count = listing.words.len() / width;
                let together = count.div_ceil(4096).max(1);
                let value = |words: &[u64]| {
                    words
                        .iter()
                        .rev()
                        .enumerate()
                        .map(|(i, x)| *x as f64 * (-64.0 * (i + 1) as f64).portable_exp2())
                        .sum::<f64>()
                };
                let bins = listing.words.chunks(together * width).enumerate().filter_map(|(bin, masses)| {
                    let (mut sum, mut first) = (0.0, 0.0);
                    for (i, words) in masses.chunks_exact(width).enumerate() {
                        let place = (listing.offset + (bin * together + i) as i64) as f64;
                        sum += value(words);
                        first += value(words) * place;
                    }
                    (sum > 0.0).then(|| (unit * first / sum, sum.portable_ln()))
                });
                Sketch::Finite(bins.collect())
            }
        })
    }

    /// Minus the loss, under Q.
    pub fn backward(&self) -> Sketch {
        match self {
            Sketch::Finite(list) => Sketch::Finite(list.iter().map(|(loss, log)| (-loss, log - loss)).collect()),
            // Its own mirror image.
            gaussian => gaussian.clone(),
        }
    }

    /// The largest and the least loss.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Sketch::Finite(list) => list
                .iter()
                .fold((f64::NEG_INFINITY, f64::INFINITY), |(high, low), (loss, _)| (high.max(*loss), low.min(*loss))),
            Sketch::Gaussian(..) => (f64::INFINITY, f64::NEG_INFINITY),
        }
    }

    pub fn cumulants(&self, c: f64) -> Cumulants {
        let listed = |list: &mut dyn Iterator<Item = (f64, f64)>| {
            let list: Vec<(f64, f64)> = list.map(|(loss, log)| (loss, log + c * loss)).collect();
            let top = list.iter().fold(f64::NEG_INFINITY, |top, (_, log)| top.max(*log));
            let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
            for (loss, log) in &list {
                let weight = (log - top).portable_exp();
                sum += weight;
                first += weight * loss;
                second += weight * loss * loss;
            }
            let mean = first / sum;
            Cumulants { log: top + sum.portable_ln(), mean, variance: (second / sum - mean * mean).max(0.0) }
        };
        match self {
            Sketch::Finite(list) => listed(&mut list.iter().copied()),
            Sketch::Gaussian(sigma2, d) if *sigma2 < 8.0 => {
                // Term by term around the moved centre.
                let centre = (c * d).round();
                let reach = 8.0 + 12.0 * sigma2.sqrt();
                let from = -reach.ceil() as i64;
                let total: f64 = (from..=-from).map(|j| (-(j as f64).powi(2) / (2.0 * sigma2)).portable_exp()).sum();
                let mut terms = (from..=-from).map(|i| {
                    let j = centre + i as f64;
                    (d * (2.0 * j + d) / (2.0 * sigma2), -j * j / (2.0 * sigma2) - total.portable_ln())
                });
                listed(&mut terms)
            }
            Sketch::Gaussian(sigma2, d) => {
                let rho = d * d / (2.0 * sigma2);
                Cumulants { log: c * (c + 1.0) * rho, mean: (2.0 * c + 1.0) * rho, variance: 2.0 * rho }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::{Number, Real};

    fn listing(width: usize, error: u128) -> Listing {
        let words = vec![1; 3 * width];
        Listing { offset: 0, width, words, error, infinite_p: Number::zero(), infinite_q: Number::zero() }
    }

    /// Units are `2^-64` of each other from width to width; what cannot be counted is said to be unknown, not less than
    /// it is.
    #[test]
    fn errors_at_another_width() {
        let error = |from: usize, to: usize, units: u128| as_listed(&listing(from, units), 1, to).unwrap().array.error;
        assert_eq!(error(1, 2, 5), 5 << 64);
        assert_eq!(error(1, 2, 1 << 70), u128::MAX);
        assert_eq!(error(1, 4, 1), u128::MAX);
        assert_eq!(error(1, 4, 0), 0);
        assert!(error(3, 1, 1) >= 1 && error(3, 1, 1) < 100);
        assert_eq!(error(3, 1, u128::MAX), u128::MAX);
        assert!(!super::super::array::in_units(u128::MAX, 9).is_bounded());
        assert!(super::super::array::in_units(u128::MAX - 1, 9).is_bounded());
    }

    /// Places are refused where they, or their mirror images, could not be counted.
    #[test]
    fn places_too_far_out() {
        let budget = Budget::default();
        let far = |offset: i64, stride: u64| {
            let one = || Number::Exact(Rational::from((1, 4)));
            let masses = crate::pair::Masses {
                p: (0..4).map(|_| one()).collect(),
                infinite_p: Number::zero(),
                infinite_q: Number::zero(),
            };
            let pair = LatticePair::new(Real::one(), offset, 4, move |_| Ok(masses.clone())).unwrap();
            pair.tilted(&Rational::new(), stride, 1, &budget).map(|tilted| tilted.array.start)
        };
        assert!(far(0, 1 << 61).is_err());
        assert!(far(i64::MIN, 1).is_err() && far(i64::MAX - 3, 1).is_err());
        assert_eq!(far(-2, 1 << 58).unwrap(), -(1 << 59));
    }
}
