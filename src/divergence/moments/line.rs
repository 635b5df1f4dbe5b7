//! Losses along a line: Poisson samples of Gaussian and of Laplace noise, as integrals.
//!
//! With `u = r (e^t - 1)` and the loss t of the noise, the sample's loss is `ln(1+u)`, and dP = (1+u) dQ. At rate 1 it
//! is the noise itself.
//!
//! **Gaussian noise.** Under Q, `x ~ N(0, 1)` and `t = mu x - mu^2/2`. What is cut off: every average is at most
//! `K e^|l|`, and `|l| <= |t|` because `1+u` lies between 1 and `e^t`. So
//!
//! | where | weight | at most | integral beyond |
//! |---|---|---|---|
//! | `x > B >= mu/2` | of P, `<= e^t` | `K phi(x) e^(2t)` | `K e^(mu^2) (1-Phi)(B - 2 mu)` |
//! | `x > B >= mu/2` | of Q | `K phi(x) e^t` | `K (1-Phi)(B - mu)` |
//! | `x < -A <= mu/2` | of P, `<= 1`, or of Q | `K phi(x) e^-t` | `K e^(mu^2) (1-Phi)(A - mu)` |
//!
//! and `1 - Phi(z) <= e^(-z^2/2)/2` for `z >= 0`.
//!
//! **Laplace noise.** Under Q, `t = s v` with atoms of mass 1/2 at `v = -1` and `e^-s/2` at `v = 1`, and the density
//! `(s/4) e^(-s(v+1)/2)` between: nothing is cut off.
//!
//! **Kinks.** `|l - c|^3` is integrated on both sides of a point near the x where `l = c`. Between the two the wrong
//! sign is taken, which is off by at most twice the width times the largest value there.

use std::cmp::Ordering;

use rug::Float;
use rug::float::Round::Up;

use super::Average;
use super::panels::{Bracket, Panels};
use crate::curve::Direction;
use crate::error::Error;
use enclosure::taylor::{Taylor, integrate};
use enclosure::{Budget, Enclosure, Portable, Real};

/// More pieces than this are not summed.
const MOST_PIECES: f64 = 1e5;

/// A law of losses along a line.
pub(super) trait Law {
    /// The loss `t` of the noise without sampling, and the density of Q.
    fn noise(&self, x: &Taylor) -> (Taylor, Taylor);

    /// The rate.
    fn rate(&self) -> &Real;

    /// Where the noise has this loss.
    fn place(&self, noise: &Enclosure) -> Enclosure;

    /// Between which points it is integrated.
    fn range(&self, size: &Enclosure, direction: Direction, bits: u32) -> Result<Range, Error>;

    /// The losses `t` that have mass under Q, with it.
    fn atoms(&self, bits: u32) -> Vec<(Enclosure, Enclosure)>;
}

/// The part of the line that is integrated.
pub(super) struct Range {
    low: Float,
    high: Float,
    /// Number of intervals for each unit of length.
    pieces: f64,
    /// The most that is left out.
    outside: Enclosure,
}

/// A Poisson sample of Gaussian noise.
pub(super) struct Normal {
    pub(super) rate: Real,
    pub(super) mu: Real,
}

/// A Poisson sample of Laplace noise.
pub(super) struct Laplace {
    pub(super) rate: Real,
    pub(super) shift: Real,
}

/// The precision of bounds.
const COARSE: u32 = 64;

impl Law for Normal {
    fn noise(&self, x: &Taylor) -> (Taylor, Taylor) {
        let bits = x.bits();
        let mu = self.mu.enclosure(bits);
        let density = x.pow(2).times(&-Enclosure::one(bits).shift(-1)).exp();
        let loss = x.times(&mu).plus(&-mu.square().shift(-1));
        (loss, density.times(&Enclosure::pi(bits).shift(1).sqrt().recip()))
    }

    fn rate(&self) -> &Real {
        &self.rate
    }

    fn place(&self, noise: &Enclosure) -> Enclosure {
        let mu = self.mu.enclosure(noise.bits());
        noise / &mu + mu.shift(-1)
    }

    fn range(&self, size: &Enclosure, direction: Direction, bits: u32) -> Result<Range, Error> {
        let mu = self.mu.enclosure(COARSE);
        let shift = mu.upper().to_f64();
        let goal = f64::from(bits) * std::f64::consts::LN_2 + size.upper().to_f64().portable_ln().max(0.0);
        let far = if direction == Direction::Backward { 1.0 } else { 2.0 };
        let reach = |means: f64, grown: f64| {
            Float::with_val(COARSE, (means * shift + (2.0 * (goal + grown)).sqrt() + 1.0).ceil())
        };
        let (right, left) = (reach(far, if far > 1.0 { shift * shift } else { 0.0 }), reach(1.0, shift * shift));
        if !(right.is_finite() && left.is_finite()) {
            return Err(Error::undecided("the noise is too small for the integral"));
        }
        let set = |x: &Float| Enclosure::new(x.clone(), x.clone());
        let tail = |distance: Enclosure| (-distance.positive_part().square().shift(-1)).exp();
        let grown = mu.square().exp();
        let beyond = match direction {
            Direction::Backward => tail(set(&right) - &mu),
            _ => tail(set(&right) - mu.shift(1)) * &grown,
        };
        let before = tail(set(&left) - &mu) * &grown;
        let outside = (beyond + before) * size;
        // The logarithm has its nearest branch point pi/mu away.
        Ok(Range { low: -left, high: right, pieces: (shift / 0.8).max(1.0), outside })
    }

    fn atoms(&self, _: u32) -> Vec<(Enclosure, Enclosure)> {
        Vec::new()
    }
}

impl Law for Laplace {
    fn noise(&self, v: &Taylor) -> (Taylor, Taylor) {
        let bits = v.bits();
        let s = self.shift.enclosure(bits);
        let one = Enclosure::one(bits);
        let density = v.plus(&one).times(&-s.shift(-1)).exp().times(&s.shift(-2));
        (v.times(&s), density)
    }

    fn rate(&self) -> &Real {
        &self.rate
    }

    fn place(&self, noise: &Enclosure) -> Enclosure {
        noise / &self.shift.enclosure(noise.bits())
    }

    fn range(&self, _: &Enclosure, _: Direction, _: u32) -> Result<Range, Error> {
        let end = |x: i32| Float::with_val(COARSE, x);
        let pieces = self.shift.to_f64().max(1.0);
        Ok(Range { low: end(-1), high: end(1), pieces, outside: Enclosure::zero(COARSE) })
    }

    fn atoms(&self, bits: u32) -> Vec<(Enclosure, Enclosure)> {
        let s = self.shift.enclosure(bits);
        let half = Enclosure::one(bits).shift(-1);
        vec![(-&s, half.clone()), (s.clone(), (-s).exp() * half)]
    }
}

/// The sample's loss in this direction and the density of its first distribution, from those of the noise.
fn sampled(rate: &Real, noise: &Taylor, density: Taylor, direction: Direction) -> (Taylor, Taylor) {
    let bits = noise.bits();
    if *rate == Real::one() {
        return match direction {
            Direction::Backward => (noise.times(&-Enclosure::one(bits)), density),
            _ => (noise.clone(), density.mul(&noise.exp())),
        };
    }
    let excess = noise.expm1().times(&rate.enclosure(bits));
    let ratio = noise.exp().times(&rate.enclosure(bits)).plus(&Real::one().sub(rate).enclosure(bits));
    // Near -1 the excess does not tell how large the ratio is.
    let loss = if *excess.value().lower() < -0.5 { ratio.ln() } else { excess.log1p() };
    match direction {
        Direction::Backward => (loss.times(&-Enclosure::one(bits)), density),
        _ => (loss, density.mul(&ratio)),
    }
}

/// The averages over a Poisson sample of Gaussian noise, each off by about `2^-bits`: powers of the loss on panels,
/// which take far fewer values than polynomials do, the others as of every law.
pub(super) fn normal(
    law: &Normal,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Enclosure>, Error> {
    normal_until(law, None, of, direction, bits, budget)
}

/// The same over what lies to the left of a place on the line, where one is given.
pub(super) fn normal_until(
    law: &Normal,
    end: Option<&Enclosure>,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Enclosure>, Error> {
    let power = |average: &Average| if let Average::Power(j) = average { usize::try_from(*j).ok() } else { None };
    let powers: Option<Vec<usize>> = of.iter().map(power).collect();
    if let Some(powers) = powers.filter(|powers| !powers.contains(&0))
        && let Some(highest) = powers.iter().max().and_then(|highest| u32::try_from(*highest).ok())
    {
        let size = of.iter().fold(Enclosure::one(COARSE), |size, average| size.max(&average.size()));
        let Range { low, high, outside, .. } = law.range(&size, direction, bits)?;
        let high = end.map_or(high, |end| middle(end, bits.saturating_add(32)));
        let end = end.map(|end| end.hull(&point(&high)));
        let panels = Panels { rate: &law.rate, mu: &law.mu, of: Bracket::Powers(highest, direction) };
        if let Some(found) = panels.integral((&low, &high), (bits, 0), budget)? {
            let one = |(j, average): (&usize, &Average)| {
                let wrong = end.as_ref().map(|end| blurred(law, average, end, direction));
                let wrong = wrong.unwrap_or_else(|| Enclosure::zero(COARSE));
                found.get(j - 1).map(|value| value.widen(outside.upper()).widen(wrong.upper()))
            };
            let all: Option<_> = powers.iter().zip(of).map(one).collect();
            return all.ok_or_else(|| Error::internal("a moment is missing"));
        }
    }
    until(law, end, of, direction, bits, budget)
}

/// The averages, each off by about `2^-bits`.
pub(super) fn averages(
    law: &dyn Law,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Enclosure>, Error> {
    until(law, None, of, direction, bits, budget)
}

fn point(x: &Float) -> Enclosure {
    Enclosure::new(x.clone(), x.clone())
}

/// A point within, but for its rounding.
fn middle(set: &Enclosure, bits: u32) -> Float {
    Float::with_val(bits, set.lower() + set.upper()) / 2u32
}

/// No less than the integral of what is averaged, or of twice that, over any part of a set.
fn blurred(law: &dyn Law, average: &Average, set: &Enclosure, direction: Direction) -> Enclosure {
    let (noise, density) = law.noise(&Taylor::constant(&set.with_bits(COARSE), 0));
    let (loss, density) = sampled(law.rate(), &noise, density, direction);
    let width = Float::with_val_round(COARSE, set.upper() - set.lower(), Up).0;
    (average.at(loss.value()).abs() * density.value() * Enclosure::new(Float::new(COARSE), width)).shift(1)
}

/// The same over what lies to the left of a place on the line that is no atom, where one is given; it may be known only
/// nearly.
pub(super) fn until(
    law: &dyn Law,
    end: Option<&Enclosure>,
    of: &[Average],
    direction: Direction,
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Enclosure>, Error> {
    let wide = bits.saturating_add(32);
    let at = |x: &Taylor| {
        let (noise, density) = law.noise(x);
        sampled(law.rate(), &noise, density, direction)
    };
    let mut values = vec![Enclosure::zero(wide); of.len()];
    for (noise, mass) in law.atoms(wide) {
        let place = law.place(&noise);
        if end.is_some_and(|end| place.lower() > end.upper()) {
            continue;
        }
        // What is not told from the end may be on either side of it.
        let left = end.is_none_or(|end| place.upper() < end.lower());
        let (loss, mass) = sampled(law.rate(), &Taylor::constant(&noise, 0), Taylor::constant(&mass, 0), direction);
        for (value, average) in values.iter_mut().zip(of) {
            let term = mass.value() * &average.at(loss.value());
            *value = &*value + &if left { term } else { term.hull(&Enclosure::zero(wide)) };
        }
    }
    let size = of.iter().fold(Enclosure::one(COARSE), |size, average| size.max(&average.size()));
    let Range { low, high, pieces, outside } = law.range(&size, direction, bits)?;
    let high = end.map_or(high, |end| middle(end, wide));
    if let Some(end) = end {
        let end = end.hull(&point(&high));
        for (value, average) in values.iter_mut().zip(of) {
            *value = value.widen(blurred(law, average, &end, direction).upper());
        }
    }
    let count = |low: &Float, high: &Float| Float::with_val(53, high - low).to_f64() * pieces;
    let affordable = count(&low, &high) < MOST_PIECES;
    if !affordable {
        return Err(Error::undecided(format!(
            "the moments of this mechanism are an integral over {:.0} intervals, more than the limit of \
             {MOST_PIECES:.0}",
            count(&low, &high)
        )));
    }
    let integral = |ends: (&Float, &Float), which: &[(&Average, bool)]| {
        integrate(ends, count(ends.0, ends.1).ceil().max(1.0) as u32, bits, budget, |x| {
            let (loss, density) = at(x);
            Ok(which.iter().map(|(average, above)| average.of(&loss, *above).mul(&density)).collect())
        })
    };
    let smooth: Vec<usize> = (0..of.len()).filter(|i| !matches!(of[*i], Average::Cube(_))).collect();
    if !smooth.is_empty() {
        let which: Vec<(&Average, bool)> = smooth.iter().map(|i| (&of[*i], true)).collect();
        for (i, integral) in smooth.iter().zip(integral((&low, &high), &which)?) {
            values[*i] = (&values[*i] + &integral).widen(outside.upper());
        }
    }
    // Forward the loss rises along the line, backward it falls.
    let rises = direction != Direction::Backward;
    for (value, average) in values.iter_mut().zip(of) {
        let Average::Cube(centre) = average else { continue };
        let kink = kink(law, centre, rises, wide)?;
        let kink = kink.unwrap_or_else(|| point(&low)).max(&point(&low)).min(&point(&high));
        let split = middle(&kink, wide);
        for (ends, above) in [((&low, &split), !rises), ((&split, &high), rises)] {
            for part in integral(ends, &[(average, above)])? {
                *value = &*value + &part;
            }
        }
        let wrong = blurred(law, average, &kink.hull(&point(&split)), direction);
        *value = value.widen(wrong.upper()).widen(outside.upper());
    }
    Ok(values)
}

/// Where the loss in this direction is c; `None` if it is beyond c on all of the line, so that forward all losses are
/// above.
fn kink(law: &dyn Law, centre: &Enclosure, rises: bool, bits: u32) -> Result<Option<Enclosure>, Error> {
    let loss = if rises { centre.with_bits(bits) } else { -centre.with_bits(bits) };
    // 1 + u = e^l, and u = r (e^t - 1).
    let excess = loss.expm1() / law.rate().enclosure(bits);
    match (&excess + &Enclosure::one(bits)).sign() {
        Some(Ordering::Greater) => Ok(Some(law.place(&excess.log1p()))),
        Some(_) => Ok(None),
        None => Err(Error::undecided("cannot locate a privacy loss at this precision")),
    }
}
