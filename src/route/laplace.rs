//! The loss of Laplace noise of any scales, by convolution, one mechanism at a time.
//!
//! With `c = sensitivity/scale` the loss l of one mechanism has, under P, atoms at `c` and `-c` and a density between,
//! and all of it carries the factor `e^((l-c)/2)`. Without that factor one step is
//!
//! ```text
//! mu'(l) = ( mu(l-c) + mu(l+c) )/2 + (1/4) int_(l-c)^(l+c) dmu,        dP = e^((l-C)/2) dmu,  C the sum of all c,
//! ```
//!
//! which turns atoms at knots and polynomials between them into such, exactly, in rationals: the knots move by c to
//! both sides, and between them the density is made of the primitive of what was there. Integrals of a polynomial times
//! an exponential follow by parts and are sums of a rational times `e` to a rational; only these are enclosed. For
//! irrational parameters the profile is enclosed from both sides: it grows with each `c`, and falls with epsilon.
//!
//! Neither the arithmetic (malachite) nor the algorithm (no generating function, no binomials) is the engine's.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use malachite::base::num::arithmetic::traits::{Abs, Ceiling, Lcm, ShrRound, UnsignedAbs};
use malachite::base::num::basic::traits::{One, Two, Zero};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::base::rounding_modes::RoundingMode::Ceiling as Up;
use malachite::rational::Rational;
use malachite::{Integer, Natural};

use super::elementary::{Bounds, exp_bounds, exp_parts, scaled_down};
use crate::error::Error;
use enclosure::Cache;

/// The loss of a composition, for rational `c > 0`.
pub struct Loss {
    /// C, the largest loss.
    reach: Rational,
    /// Where atoms are, in order.
    knots: Vec<Rational>,
    /// Their masses.
    atoms: Vec<Rational>,
    /// Between each knot and the next the coefficients of powers of l less the first of both.
    pieces: Vec<Vec<Rational>>,
    /// `g/r - g'/r^2 + g''/r^3 - ...` of each piece, for r = 1/2 and r = -1/2.
    parts: [Vec<Whole>; 2],
    /// At each knot the factors of `e^(l/2)` and of `e^(-l/2)` in the integral from it to the right.
    corners: [Vec<Rational>; 2],
}

/// Which measure: P, Q, or `P - e^t Q`.
#[derive(Clone, Copy)]
enum Kernel<'a> {
    First,
    Second,
    Profile(&'a Rational),
}

/// A factor of `e` to a rational.
type Term = (Fraction, Rational);

/// A rational that is not reduced.
struct Fraction {
    numerator: Integer,
    denominator: Natural,
}

/// A polynomial in whole numbers over one of them.
struct Whole {
    numerators: Vec<Integer>,
    denominator: Natural,
}

impl Loss {
    /// The most mechanisms; the rationals grow, and this is for small cases.
    pub const MAX_TIMES: u64 = 64;
    /// The most knots.
    pub const MAX_KNOTS: u64 = 160;

    /// The composition of so many mechanisms of each `c = sensitivity/scale > 0`, at least one in all.
    pub fn new(shifts: &[(Rational, u32)]) -> Result<Self, Error> {
        let kinds: Vec<u32> = shifts.iter().map(|(_, times)| *times).collect();
        if shifts.iter().any(|(c, _)| *c <= 0u32) || !Self::fits(&kinds) {
            return Err(Error::undecided(format!(
                "laplace, second route: needs c > 0, 1 to {} compositions and at most {} knots (got {kinds:?})",
                Self::MAX_TIMES,
                Self::MAX_KNOTS
            )));
        }
        let (knots, atoms) = (vec![Rational::ZERO], vec![Rational::ONE]);
        let (parts, corners) = Default::default();
        let mut loss = Loss { reach: Rational::ZERO, knots, atoms, pieces: Vec::new(), parts, corners };
        for (c, times) in shifts {
            for _ in 0..*times {
                loss = loss.step(c);
            }
        }
        loss.integrate();
        Ok(loss)
    }

    /// Is it short enough, by the numbers of mechanisms of each scale?
    pub fn fits(times: &[u32]) -> bool {
        let all: u64 = times.iter().map(|times| u64::from(*times)).sum();
        let knots = times.iter().fold(1u64, |knots, times| knots.saturating_mul(u64::from(*times) + 1));
        (1..=Self::MAX_TIMES).contains(&all) && knots <= Self::MAX_KNOTS
    }

    fn step(&self, c: &Rational) -> Self {
        let half = Rational::ONE / Rational::TWO;
        let quarter = &half * &half;
        let mut atoms: BTreeMap<Rational, Rational> = BTreeMap::new();
        for (knot, mass) in self.knots.iter().zip(&self.atoms) {
            for place in [knot - c, knot + c] {
                *atoms.entry(place).or_insert(Rational::ZERO) += mass * &half;
            }
        }
        // The mass of mu up to l, atoms included: before the first knot, between knots, behind the last.
        let mut masses = vec![Vec::new()];
        let mut before = Rational::ZERO;
        for (i, (knot, mass)) in self.knots.iter().zip(&self.atoms).enumerate() {
            before += mass;
            let mut primitive = self.pieces.get(i).map_or_else(Vec::new, |piece| primitive(piece));
            add(&mut primitive, std::slice::from_ref(&before));
            if let Some(next) = self.knots.get(i + 1) {
                before = value(&primitive, &(next - knot));
            }
            masses.push(primitive);
        }
        let back = -c;
        // Mostly the moved knot is a knot, and the powers are of the same number.
        let at = |start: &Rational, middle: &Rational, by: &Rational| -> Vec<Rational> {
            let place = self.knots.partition_point(|knot| *knot < middle + by);
            let off = place.checked_sub(1).map_or(Rational::ZERO, |place| start + by - &self.knots[place]);
            if off == 0u32 { masses[place].clone() } else { shifted(&masses[place], &off) }
        };
        let (knots, atoms): (Vec<Rational>, Vec<Rational>) = atoms.into_iter().unzip();
        let mut pieces = Vec::with_capacity(knots.len());
        for ends in knots.windows(2) {
            let middle = (&ends[0] + &ends[1]) * &half;
            let (low, high) = (at(&ends[0], &middle, &back), at(&ends[0], &middle, c));
            let mut sum = scale(&derivative(&low), &half);
            add(&mut sum, &scale(&derivative(&high), &half));
            add(&mut sum, &scale(&high, &quarter));
            add(&mut sum, &scale(&low, &-&quarter));
            while sum.last().is_some_and(|last| *last == 0u32) {
                sum.pop();
            }
            pieces.push(sum);
        }
        let (parts, corners) = Default::default();
        Loss { reach: &self.reach + c, knots, atoms, pieces, parts, corners }
    }

    /// Prepare all integrals from a knot to the right.
    fn integrate(&mut self) {
        for (side, rate) in [Rational::ONE / Rational::TWO, -(Rational::ONE / Rational::TWO)].iter().enumerate() {
            let parts: Vec<Vec<Rational>> = self.pieces.iter().map(|piece| by_parts(piece, rate)).collect();
            self.corners[side] = (self.knots.iter().zip(&self.atoms).enumerate())
                .map(|(i, (knot, mass))| {
                    let left = i.checked_sub(1).map(|i| value(&parts[i], &(knot - &self.knots[i])));
                    let right = parts.get(i).and_then(|part| part.first());
                    mass + left.unwrap_or(Rational::ZERO) - right.unwrap_or(&Rational::ZERO)
                })
                .collect();
            self.parts[side] = parts.iter().map(|part| Whole::new(part)).collect();
        }
    }

    /// The mass of the losses above `t`, as a sum of rationals times exponentials.
    fn above(&self, kernel: Kernel, t: &Rational) -> Vec<Term> {
        // dP has the exponent (l - C)/2, e^t dQ has t - (l + C)/2.
        let sides: &[(usize, bool, Rational)] = &match kernel {
            Kernel::First => vec![(0, true, Rational::ZERO)],
            Kernel::Second => vec![(1, true, Rational::ZERO)],
            Kernel::Profile(t) => vec![(0, true, Rational::ZERO), (1, false, t.clone())],
        };
        let half = Rational::ONE / Rational::TWO;
        // The first knot above t; the piece before it is cut.
        let first = self.knots.partition_point(|knot| knot <= t);
        let mut terms = Vec::new();
        for (side, added, offset) in sides {
            let signed = |x: Fraction| if *added { x } else { x.negative() };
            let sign = if *side == 0 { half.clone() } else { -&half };
            let offset = offset - &self.reach * &half;
            for (knot, corner) in self.knots.iter().zip(&self.corners[*side]).skip(first) {
                terms.push((signed(Fraction::from(corner)), knot * &sign + &offset));
            }
            if let Some(i) = first.checked_sub(1)
                && let Some(part) = self.parts[*side].get(i)
            {
                terms.push((signed(part.value(&(t - &self.knots[i])).negative()), t * &sign + &offset));
            }
        }
        terms
    }

    /// `P(loss > t) - e^t Q(loss > t)`, within `2^-bits` of its value.
    pub fn profile(&self, t: &Rational, bits: u64) -> Bounds {
        enclose(&self.above(Kernel::Profile(t), t), bits)
    }

    /// `P(loss > t)`.
    pub fn first_tail(&self, t: &Rational, bits: u64) -> Bounds {
        enclose(&self.above(Kernel::First, t), bits)
    }

    /// `Q(loss > t)`.
    pub fn second_tail(&self, t: &Rational, bits: u64) -> Bounds {
        enclose(&self.above(Kernel::Second, t), bits)
    }

    /// The trade-off function at a rational `0 < alpha < 1`, within `2^-bits` of its value, or as near as 20 `bits`
    /// halvings of the threshold come.
    ///
    /// `1 - P(loss > t) + e^t (Q(loss > t) - alpha)` is a lower bound for every `t`; the chord between the points
    /// `(Q(loss > t), 1 - P(loss > t))` of the convex curve at two thresholds with alpha between is an upper bound.
    pub fn trade_off(&self, alpha: &Rational, bits: u64) -> Bounds {
        // What is left of 1 may be as small as e^-C.
        let small = u64::try_from(&(&self.reach * Rational::TWO).ceiling()).unwrap_or(u64::MAX).min(1 << 13);
        let working = bits + 16 + small;
        let (mut low, mut high) = (-&self.reach - Rational::ONE, &self.reach + Rational::ONE);
        let point = |t: &Rational| (self.second_tail(t, working), self.first_tail(t, working));
        let (mut at_low, mut at_high) = (point(&low), point(&high));
        let mut best = (Rational::ZERO, Rational::ONE - alpha);
        let (mut guesses, mut near) = (Guesses::default(), None);
        let tiny = Rational::ONE >> (working - 4);
        for _ in 0..20 * bits {
            let half = scaled_down(&((&low + &high) / Rational::TWO), working);
            let guess = match self.jump(&low, &high).filter(|_| guesses.steps >= HALVES) {
                // A jump is looked at from both sides: alpha is within it, or it is out of the way.
                Some(knot) if knot < high => Some(knot),
                Some(knot) if near != Some(&knot - &tiny) => {
                    near = Some(&knot - &tiny);
                    near.clone()
                }
                _ => guesses.next((&low, &at_low.0.0 - alpha), (&high, alpha - &at_high.0.0)),
            };
            let guess = guess.map(|guess| scaled_down(&guess, working));
            let middle = guess.filter(|guess| *guess > low && *guess < high).unwrap_or(half);
            if middle <= low || middle >= high {
                break;
            }
            let here = point(&middle);
            guesses.learn(&here.0.0 - alpha);
            // Support line at the middle.
            let exp = exp_bounds(&middle, working);
            let gap = &here.0.0 - alpha;
            let rise = &gap * if gap > 0u32 { &exp.0 } else { &exp.1 };
            let support = Rational::ONE - &here.1.1 + rise;
            if support > best.0 {
                best.0 = support;
            }
            if here.0.0 >= *alpha {
                (low, at_low) = (middle, here);
            } else if here.0.1 <= *alpha {
                (high, at_high) = (middle, here);
            } else {
                // Right on the curve, within `width`. Between alpha and this point no threshold exceeds `high`, whose
                // second tail is at most alpha, so the curve is nowhere steeper than e^high.
                let width = &here.0.1 - &here.0.0;
                let near = Rational::ONE - here.1.0 + width * exp_bounds(&high, working).1;
                if near < best.1 {
                    best.1 = near;
                }
                break;
            }
            // The chord, each coordinate moved to where it makes the chord higher.
            let ((b1, b2), (a1, a2)) = ((&at_low.0.1, &at_high.0.1), (&at_low.1.0, &at_high.1.0));
            let (y1, y2) = (Rational::ONE - a1, Rational::ONE - a2);
            let chord = if b1 > b2 { &y2 - (&y2 - &y1) * (alpha - b2).max(Rational::ZERO) / (b1 - b2) } else { y2 };
            if chord < best.1 {
                best.1 = chord;
            }
            if (&best.1 - &best.0) << bits <= best.0 {
                break;
            }
        }
        best
    }

    /// The first knot above a threshold and not above another one.
    fn jump(&self, low: &Rational, high: &Rational) -> Option<Rational> {
        self.knots.get(self.knots.partition_point(|knot| knot <= low)).filter(|knot| *knot <= high).cloned()
    }

    /// Is the least epsilon for this delta between `lower` and `upper`? `None` if the bounds cannot tell.
    pub fn confirms_epsilon(&self, delta: &Rational, lower: &Rational, upper: &Rational, bits: u64) -> Option<bool> {
        let (at_lower, at_upper) = (self.profile(lower, bits), self.profile(upper, bits));
        if at_lower.1 < *delta || at_upper.0 > *delta {
            return Some(false);
        }
        (at_lower.0 >= *delta && at_upper.1 <= *delta).then_some(true)
    }
}

/// The profile for parameters known by bounds: it grows with each `c` and falls with epsilon.
pub fn profile(shifts: &[(Bounds, u32)], epsilon: &Bounds, bits: u64) -> Result<Bounds, Error> {
    let (small, large) = ends(shifts);
    let low = kept(small.clone())?.profile(&epsilon.1, bits);
    if small == large && epsilon.0 == epsilon.1 {
        return Ok(low);
    }
    Ok((low.0, kept(large)?.profile(&epsilon.0, bits).1))
}

/// The trade-off function for parameters known by bounds: it falls as each `c` grows.
pub fn trade_off(shifts: &[(Bounds, u32)], alpha: &Rational, bits: u64) -> Result<Bounds, Error> {
    let (small, large) = ends(shifts);
    let high = kept(small.clone())?.trade_off(alpha, bits);
    if small == large {
        return Ok(high);
    }
    Ok((kept(large)?.trade_off(alpha, bits).0, high.1))
}

/// Where a threshold is tried next, which proves nothing: where the chord over the bracket is zero, the height at an
/// end that stays halved each time (the Illinois rule), once halves have made the bracket short enough for a tail to be
/// about a line on it. But for jumps at knots: after a guess that gains nothing the bracket is halved, and after
/// some of these always.
#[derive(Default)]
struct Guesses {
    /// Which end moved last, the lower one or not, and how often in a row after the first time.
    moved: Option<(bool, u64)>,
    /// The least height so far.
    least: Option<Rational>,
    /// Steps so far.
    steps: u32,
    /// Guesses that gained nothing, and was it the last one?
    idle: u32,
    halve: bool,
}

/// So many steps are halves,
const HALVES: u32 = 14;
/// and so many guesses may gain nothing.
const IDLE: u32 = 8;

impl Guesses {
    /// Between two ends with the height of the one and the depth of the other.
    fn next(&mut self, (low, up): (&Rational, Rational), (high, down): (&Rational, Rational)) -> Option<Rational> {
        if self.steps < HALVES || self.idle >= IDLE || std::mem::take(&mut self.halve) || up <= 0u32 || down <= 0u32 {
            return None;
        }
        let (up, down) = match self.moved {
            Some((true, times)) => (up, down >> times),
            Some((false, times)) => (up >> times, down),
            None => (up, down),
        };
        let part = &up / (&up + down);
        Some(low + (high - low) * part)
    }

    /// The height there.
    fn learn(&mut self, height: Rational) {
        self.steps += 1;
        if self.steps < HALVES {
            return;
        }
        let lower = height > 0u32;
        let times = match self.moved {
            Some((last, times)) if last == lower => times + 1,
            _ => 0,
        };
        self.moved = Some((lower, times));
        let size = height.abs();
        if self.least.as_ref().is_some_and(|least| &size * Rational::TWO > *least) {
            self.idle += 1;
            self.halve = true;
        } else {
            self.least = Some(size);
        }
    }
}

type Shifts = Vec<(Rational, u32)>;

/// So many losses are kept.
const KEPT: usize = 64;

/// Those that were asked for last: neighbouring questions are about the same one, or its two ends.
static LOSSES: LazyLock<Cache<Shifts, Loss>> = LazyLock::new(|| Cache::new(KEPT));

/// A loss, composed if it is not there.
pub fn kept(shifts: Shifts) -> Result<Arc<Loss>, Error> {
    LOSSES.get(shifts.clone(), || Loss::new(&shifts))
}

/// The least and the largest parameters.
fn ends(shifts: &[(Bounds, u32)]) -> (Shifts, Shifts) {
    let end = |((low, high), times): &(Bounds, u32)| ((low.clone(), *times), (high.clone(), *times));
    shifts.iter().map(end).unzip()
}

/// A sum of terms, with bounds of the exponentials precise enough for `bits` of relative accuracy of the sum.
///
/// Each is two integers in units of one power of two, rounded to both sides: fractions would be reduced at each step.
fn enclose(terms: &[Term], bits: u64) -> Bounds {
    let mut working = bits + 32;
    // What cancels to zero exactly is found out only by a precision without end; 12 doublings are plenty for the rest.
    for round in 0.. {
        let factors = terms.iter().filter(|(factor, _)| factor.numerator != 0u32);
        let parts: Vec<_> = factors.map(|(factor, exponent)| part(factor, exponent, working)).collect();
        // The unit is far below the largest of them.
        let top = parts.iter().map(|(_, high, power)| high.significant_bits() as i64 + power).max().unwrap_or(0);
        let unit = top - (working + 8) as i64;
        let (mut low, mut high) = (Integer::ZERO, Integer::ZERO);
        for (small, large, power) in &parts {
            let shift = power - unit;
            if shift >= 0 {
                low += small << shift.unsigned_abs();
                high += large << shift.unsigned_abs();
            } else {
                low += small >> shift.unsigned_abs();
                high += large.shr_round(shift.unsigned_abs(), Up).0;
            }
        }
        // Tails and profiles are never negative.
        low = low.max(Integer::ZERO);
        if (&high - &low) << bits <= low || round == 12 {
            let ends = [low, high].map(Rational::from);
            let [low, high] =
                if unit >= 0 { ends.map(|x| x << unit.unsigned_abs()) } else { ends.map(|x| x >> unit.unsigned_abs()) };
            return (low, high);
        }
        working *= 2;
    }
    (Rational::ZERO, Rational::ONE)
}

/// A term between two integers times a power of two.
fn part(factor: &Fraction, exponent: &Rational, working: u64) -> (Integer, Integer, i64) {
    let (low, high, power) = exp_parts(exponent, working);
    let (numerator, denominator) = (&factor.numerator, &factor.denominator);
    let size = numerator.significant_bits() as i64 - denominator.significant_bits() as i64;
    // So many bits of the quotient, or somewhat more.
    let shift = (working as i64 - size).max(0).unsigned_abs();
    let quotient = (numerator.unsigned_abs_ref() << shift) / denominator;
    let (low, high) = (Integer::from(&quotient * low), Integer::from((quotient + Natural::ONE) * high));
    let power = power - shift as i64;
    if *numerator > 0u32 { (low, high, power) } else { (-high, -low, power) }
}

impl Fraction {
    fn negative(self) -> Self {
        Fraction { numerator: -self.numerator, ..self }
    }
}

impl From<&Rational> for Fraction {
    fn from(x: &Rational) -> Self {
        let numerator = Integer::from_sign_and_abs_ref(*x >= 0u32, x.numerator_ref());
        Fraction { numerator, denominator: x.denominator_ref().clone() }
    }
}

impl Whole {
    fn new(p: &[Rational]) -> Self {
        let denominator = p.iter().fold(Natural::ONE, |all, entry| all.lcm(entry.denominator_ref()));
        let whole = |entry: &Rational| {
            let size = entry.numerator_ref() * (&denominator / entry.denominator_ref());
            Integer::from_sign_and_abs(*entry >= 0u32, size)
        };
        let numerators = p.iter().map(whole).collect();
        Whole { numerators, denominator }
    }

    /// The value, not reduced.
    fn value(&self, at: &Rational) -> Fraction {
        let (numerator, denominator) = (Fraction::from(at).numerator, Integer::from(at.denominator_ref()));
        let (mut sum, mut scale) = (Integer::ZERO, Integer::ONE);
        for (i, entry) in self.numerators.iter().rev().enumerate() {
            if i > 0 {
                scale *= &denominator;
            }
            sum = sum * &numerator + entry * &scale;
        }
        Fraction { numerator: sum, denominator: &self.denominator * scale.unsigned_abs() }
    }
}

/// `p(s + by)`: with `by = u/v` the coefficients of powers of `v s` are moved by u, all of them whole numbers.
fn shifted(p: &[Rational], by: &Rational) -> Vec<Rational> {
    let Some(degree) = p.len().checked_sub(1) else { return Vec::new() };
    let Whole { mut numerators, mut denominator } = Whole::new(p);
    let (up, down) = (Fraction::from(by).numerator, Integer::from(by.denominator_ref()));
    let mut power = Integer::ONE;
    for entry in numerators.iter_mut().rev() {
        *entry *= &power;
        power *= &down;
    }
    // Synthetic division, time and again.
    for first in 0..degree {
        for i in (first..degree).rev() {
            let more = &numerators[i + 1] * &up;
            numerators[i] += more;
        }
    }
    for _ in 0..degree {
        denominator *= down.unsigned_abs_ref();
    }
    let mut power = Natural::ONE;
    let fraction = |entry: Integer| {
        let whole = Rational::from_sign_and_naturals(entry >= 0u32, entry.unsigned_abs() * &power, denominator.clone());
        power *= down.unsigned_abs_ref();
        whole
    };
    numerators.into_iter().map(fraction).collect()
}

fn scale(p: &[Rational], by: &Rational) -> Vec<Rational> {
    p.iter().map(|entry| entry * by).collect()
}

fn add(p: &mut Vec<Rational>, other: &[Rational]) {
    if p.len() < other.len() {
        p.resize(other.len(), Rational::ZERO);
    }
    for (entry, more) in p.iter_mut().zip(other) {
        *entry += more;
    }
}

/// The antiderivative that vanishes at 0.
fn primitive(p: &[Rational]) -> Vec<Rational> {
    let mut result = vec![Rational::ZERO];
    result.extend(p.iter().enumerate().map(|(i, entry)| entry / Rational::from(i + 1)));
    result
}

fn value(p: &[Rational], at: &Rational) -> Rational {
    p.iter().rev().fold(Rational::ZERO, |sum, entry| sum * at + entry)
}

fn derivative(p: &[Rational]) -> Vec<Rational> {
    p.iter().enumerate().skip(1).map(|(i, entry)| entry * Rational::from(i)).collect()
}

/// `g/r - g'/r^2 + g''/r^3 - ...`.
fn by_parts(g: &[Rational], rate: &Rational) -> Vec<Rational> {
    let mut sum = Vec::new();
    let mut rest = g.to_vec();
    let mut factor = Rational::ONE / rate;
    while !rest.is_empty() {
        add(&mut sum, &scale(&rest, &factor));
        rest = derivative(&rest);
        factor = -factor / rate;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    use crate::compose::Laplace;
    use crate::curve::{Curve, Direction};
    use enclosure::{Budget, Number, Real, refine};

    fn rational(text: &str) -> Rational {
        Rational::from_str(text).unwrap()
    }

    fn real(text: &str) -> Real {
        Real::from(rug::Rational::from_str(text).unwrap())
    }

    fn overlap(bounds: &Bounds, number: &Number, about: &str) {
        let set = number.enclosure(400);
        let text = |x: &rug::Float| rational(&x.to_rational().unwrap().to_string());
        assert!(bounds.0 <= text(set.upper()) && text(set.lower()) <= bounds.1, "{about}: {bounds:?} {set:?}");
        assert!((&bounds.1 - &bounds.0) << 60 <= bounds.1, "{about}: too wide");
    }

    const CASES: [(&str, u32); 7] =
        [("1", 1), ("1", 2), ("1", 3), ("1", 10), ("1/10", 6), ("7/3", 4), ("1/1000000000000", 3)];

    #[test]
    fn one_step_is_the_pair_itself() {
        let loss = Loss::new(&[(rational("1"), 1)]).unwrap();
        assert_eq!(loss.atoms, vec![rational("1/2"), rational("1/2")]);
        assert_eq!(loss.pieces, vec![vec![rational("1/4")]]);
        assert!(Loss::new(&[(rational("1"), 0)]).is_err() && Loss::new(&[(rational("0"), 1)]).is_err());
    }

    #[test]
    fn profiles_overlap_the_engine() {
        let budget = Budget::default();
        for (c, k) in CASES {
            let loss = Loss::new(&[(rational(c), k)]).unwrap();
            let curve = Laplace::new(real(c), u64::from(k)).unwrap();
            let top = rational(c) * Rational::from(k);
            for part in ["-9/10", "-1/7", "0", "1/10", "1/3", "1/2", "9/10", "999/1000"] {
                let epsilon = (&top * rational(part)).to_string();
                let engine =
                    refine(40, &budget, |bits| curve.delta(&real(&epsilon), Direction::Forward, bits, &budget))
                        .unwrap();
                overlap(&loss.profile(&rational(&epsilon), 140), &engine, &format!("{c} {k} {epsilon}"));
            }
        }
    }

    /// Two scales by hand: with `c = 1, 2` the atoms are a quarter each, and between -1 and 1 all of the middle
    /// overlaps.
    #[test]
    fn two_scales_by_hand() {
        let loss = Loss::new(&[(rational("1"), 1), (rational("2"), 1)]).unwrap();
        assert_eq!(loss.knots, ["-3", "-1", "1", "3"].map(rational));
        assert_eq!(loss.atoms, vec![rational("1/4"); 4]);
        // Each density of 1/4 moved by half of the other's atoms, and the overlap of both, over 16.
        assert_eq!(loss.pieces[0], [rational("1/4"), rational("1/16")]);
        assert_eq!(loss.pieces[1], [rational("3/8")]);
        assert_eq!(loss.pieces[2], [rational("3/8"), rational("-1/16")]);
    }

    #[test]
    fn several_scales_overlap_the_contour() {
        let text = |x: &rug::Float| rational(&x.to_rational().unwrap().to_string());
        for (mechanism, shifts, epsilon) in [
            ("laplace(scale=1)^2 * laplace(scale=3)", [("1", 2), ("1/3", 1)], "1/2"),
            ("laplace(scale=2)^3 * laplace(scale=5)^2", [("1/2", 3), ("1/5", 2)], "-1/3"),
        ] {
            let loss = Loss::new(&shifts.map(|(c, times)| (rational(c), times))).unwrap();
            let quantity = crate::query::Quantity::Delta { epsilon: real(epsilon) };
            let query = crate::query::Query::new(quantity, mechanism.parse().unwrap()).with_digits(30);
            let answer = crate::answer::answer(&query, &Budget::default()).unwrap();
            let set = answer.outcome.number().unwrap().enclosure(200);
            let bounds = loss.profile(&rational(epsilon), 140);
            assert!(bounds.0 <= text(set.upper()) && text(set.lower()) <= bounds.1, "{mechanism}");
        }
    }

    #[test]
    fn trade_off_functions_and_inverses_overlap_the_engine() {
        let budget = Budget::default();
        for (c, k) in [("1", 1), ("1", 2), ("7/3", 3), ("1/10", 4)] {
            let loss = Loss::new(&[(rational(c), k)]).unwrap();
            let curve = Laplace::new(real(c), u64::from(k)).unwrap();
            for alpha in ["1/1000", "1/10", "1/4", "1/2", "9/10", "499/500"] {
                let engine =
                    refine(20, &budget, |bits| curve.beta(&real(alpha), Direction::Forward, bits, &budget)).unwrap();
                overlap(&loss.trade_off(&rational(alpha), 64), &engine, &format!("beta {c} {k} {alpha}"));
            }
            let delta = curve.delta(&real(c), Direction::Forward, 20, &budget).unwrap();
            let delta = delta.enclosure(20).upper().to_rational().unwrap().to_string();
            if delta == "0" {
                continue;
            }
            let root =
                refine(20, &budget, |bits| match curve.epsilon(&real(&delta), Direction::Forward, bits, &budget)? {
                    crate::curve::Value::Finite(value) => Ok(value),
                    crate::curve::Value::Infinite => panic!("infinite"),
                })
                .unwrap()
                .enclosure(200);
            let end = |x: &rug::Float| rational(&x.to_rational().unwrap().to_string());
            let confirmed = loss.confirms_epsilon(&rational(&delta), &end(root.lower()), &end(root.upper()), 200);
            assert_eq!(confirmed, Some(true), "{c} {k}");
        }
    }
}
