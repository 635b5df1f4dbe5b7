//! The k-fold Laplace loss by convolution, one step at a time.
//!
//! With `y = c s` the loss of one mechanism has, under P, atoms at `s = 1, -1` and a density between, and all of it
//! carries the factor `e^(c(s-1)/2)`. Without that factor one step is
//!
//! ```text
//! mu_(k+1)(s) = ( mu_k(s-1) + mu_k(s+1) )/2 + (c/4) int_(s-1)^(s+1) dmu_k,        dP_k = e^(c(s-k)/2) dmu_k,
//! ```
//!
//! which turns atoms at `-k, -k+2, ..., k` and polynomials between them into such, exactly, in rationals. Integrals of
//! a polynomial times an exponential follow by parts and are sums of a rational times `e` to a rational; only these are
//! enclosed. For irrational parameters the profile is enclosed from both sides: it grows with `c`, and falls with
//! epsilon.
//!
//! Neither the arithmetic (malachite) nor the algorithm (no generating function, no binomials) is the engine's.

use malachite::base::num::basic::traits::{One, Two, Zero};
use malachite::rational::Rational;

use super::elementary::{Bounds, below_one, exp_bounds, scaled_down, scaled_up};
use crate::error::Error;

/// The loss of a composition, for a rational `c > 0`.
pub struct Loss {
    shift: Rational,
    times: i64,
    /// Masses at `-k + 2i`.
    atoms: Vec<Rational>,
    /// Coefficients of powers of `s` between `-k + 2i` and `-k + 2i + 2`.
    pieces: Vec<Vec<Rational>>,
}

/// Which measure: P, Q, or `P - e^t Q`.
#[derive(Clone, Copy)]
enum Kernel<'a> {
    First,
    Second,
    Profile(&'a Rational),
}

/// A rational factor of `e` to a rational.
type Term = (Rational, Rational);

impl Loss {
    /// The most compositions; the rationals grow, and this is for small cases.
    pub const MAX_TIMES: u32 = 64;

    /// The composition of `times >= 1` mechanisms with `shift = sensitivity/scale > 0`.
    pub fn new(shift: &Rational, times: u32) -> Result<Self, Error> {
        if *shift <= 0u32 || !(1..=Self::MAX_TIMES).contains(&times) {
            return Err(Error::undecided(format!(
                "laplace, second route: needs c > 0 and 1 to {} compositions (got {times})",
                Self::MAX_TIMES
            )));
        }
        let half = Rational::ONE / Rational::TWO;
        let mut loss = Loss { shift: shift.clone(), times: 0, atoms: vec![Rational::ONE], pieces: Vec::new() };
        for _ in 0..times {
            loss = loss.step(&half);
        }
        Ok(loss)
    }

    fn step(&self, half: &Rational) -> Self {
        let k = self.times;
        let quarter = &self.shift * half * half;
        let none = Vec::new();
        let zero = Rational::ZERO;
        let piece = |i: i64| usize::try_from(i).ok().and_then(|i| self.pieces.get(i)).unwrap_or(&none);
        let atom = |i: i64| usize::try_from(i).ok().and_then(|i| self.atoms.get(i)).unwrap_or(&zero);
        let atoms = (0..=k + 1).map(|i| (atom(i - 1) + atom(i)) * half).collect();
        let pieces = (0..=k)
            .map(|i| {
                // s is between n and n + 2; the window (s-1, s+1) holds the old knot n + 1.
                let knot = Rational::from(2 * i - k);
                let (before, after) = (piece(i - 1), piece(i));
                let back = Rational::from(-1);
                let mut sum = scale(&shifted(before, &back), half);
                add(&mut sum, &scale(&shifted(after, &Rational::ONE), half));
                let (low, high) = (primitive(before), primitive(after));
                let constant = atom(i) + value(&low, &knot) - value(&high, &knot);
                let mut window = vec![constant];
                add(&mut window, &scale(&shifted(&low, &back), &back));
                add(&mut window, &shifted(&high, &Rational::ONE));
                add(&mut sum, &scale(&window, &quarter));
                sum
            })
            .collect();
        Loss { shift: self.shift.clone(), times: k + 1, atoms, pieces }
    }

    /// The mass of the losses above `t` (at `t` too, if `closed`), as a sum of rationals times exponentials.
    fn above(&self, kernel: Kernel, t: &Rational, closed: bool) -> Vec<Term> {
        let mut terms = Vec::new();
        let k = Rational::from(self.times);
        let half_shift = &self.shift / Rational::TWO;
        let start = t / &self.shift;
        // dP has the exponent (c/2)(s - k), e^t dQ has t - (c/2)(s + k).
        let (first, second) = match kernel {
            Kernel::First => (true, None),
            Kernel::Second => (false, Some((Rational::ONE, Rational::ZERO))),
            Kernel::Profile(t) => (true, Some((Rational::from(-1), t.clone()))),
        };
        let mut emit = |weight: Rational, s: &Rational, sign: i64, factor: &Rational, offset: &Rational| {
            let exponent = &half_shift * (Rational::from(sign) * s - &k) + offset;
            terms.push((weight * factor, exponent));
        };
        for (i, mass) in self.atoms.iter().enumerate() {
            let s = Rational::from(2 * i as i64 - self.times);
            if s > start || closed && s == start {
                if first {
                    emit(mass.clone(), &s, 1, &Rational::ONE, &Rational::ZERO);
                }
                if let Some((factor, offset)) = &second {
                    emit(mass.clone(), &s, -1, factor, offset);
                }
            }
        }
        for (i, piece) in self.pieces.iter().enumerate() {
            let left = Rational::from(2 * i as i64 - self.times);
            let right = &left + Rational::TWO;
            if right <= start {
                continue;
            }
            let left = if left < start { start.clone() } else { left };
            let mut integrate = |sign: i64, factor: &Rational, offset: &Rational| {
                // int g e^(r s) ds = e^(r s) (g/r - g'/r^2 + g''/r^3 - ...), r = sign c/2.
                let rate = &half_shift * Rational::from(sign);
                let parts = by_parts(piece, &rate);
                emit(value(&parts, &right), &right, sign, factor, offset);
                emit(-value(&parts, &left), &left, sign, factor, offset);
            };
            if first {
                integrate(1, &Rational::ONE, &Rational::ZERO);
            }
            if let Some((factor, offset)) = &second {
                integrate(-1, factor, offset);
            }
        }
        terms
    }

    /// `P(loss > t) - e^t Q(loss > t)`, within `2^-bits` of its value.
    pub fn profile(&self, t: &Rational, bits: u64) -> Bounds {
        enclose(&self.above(Kernel::Profile(t), t, false), bits)
    }

    /// `P(loss > t)`.
    pub fn first_tail(&self, t: &Rational, bits: u64) -> Bounds {
        enclose(&self.above(Kernel::First, t, false), bits)
    }

    /// `Q(loss > t)`.
    pub fn second_tail(&self, t: &Rational, bits: u64) -> Bounds {
        enclose(&self.above(Kernel::Second, t, false), bits)
    }

    /// The trade-off function at a rational `0 < alpha < 1`, within `2^-bits` of its value, or as near as 20 `bits`
    /// halvings of the threshold come.
    ///
    /// `1 - P(loss > t) + e^t (Q(loss > t) - alpha)` is a lower bound for every `t`; the chord between the points
    /// `(Q(loss > t), 1 - P(loss > t))` of the convex curve at two thresholds with alpha between is an upper bound.
    pub fn trade_off(&self, alpha: &Rational, bits: u64) -> Bounds {
        let working = bits + 16;
        let reach = &self.shift * Rational::from(self.times);
        let (mut low, mut high) = (-&reach - Rational::ONE, reach + Rational::ONE);
        let point = |t: &Rational| (self.second_tail(t, working), self.first_tail(t, working));
        let (mut at_low, mut at_high) = (point(&low), point(&high));
        let mut best = (Rational::ZERO, Rational::ONE - alpha);
        for _ in 0..20 * bits {
            let middle = scaled_down(&((&low + &high) / Rational::TWO), working);
            if middle <= low || middle >= high {
                break;
            }
            let here = point(&middle);
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

    /// Is the least epsilon for this delta between `lower` and `upper`? `None` if the bounds cannot tell.
    pub fn confirms_epsilon(&self, delta: &Rational, lower: &Rational, upper: &Rational, bits: u64) -> Option<bool> {
        let (at_lower, at_upper) = (self.profile(lower, bits), self.profile(upper, bits));
        if at_lower.1 < *delta || at_upper.0 > *delta {
            return Some(false);
        }
        (at_lower.0 >= *delta && at_upper.1 <= *delta).then_some(true)
    }
}

/// The profile for parameters known by bounds: it grows with `c` and falls with epsilon.
pub fn profile(shift: &Bounds, times: u32, epsilon: &Bounds, bits: u64) -> Result<Bounds, Error> {
    let low = Loss::new(&shift.0, times)?.profile(&epsilon.1, bits);
    let high = Loss::new(&shift.1, times)?.profile(&epsilon.0, bits);
    Ok((low.0, high.1))
}

/// A sum of terms, with bounds of the exponentials precise enough for `bits` of relative accuracy of the sum.
fn enclose(terms: &[Term], bits: u64) -> Bounds {
    let mut working = bits + 32;
    // What cancels to zero exactly is found out only by a precision without end; 12 doublings are plenty for the rest.
    for round in 0.. {
        let (mut low, mut high) = (Rational::ZERO, Rational::ZERO);
        for (factor, exponent) in terms {
            let (small, large) = exp_bounds(exponent, working);
            let (a, b) = if *factor >= 0u32 { (small, large) } else { (large, small) };
            low += factor * a;
            high += factor * b;
        }
        // Tails and profiles are never negative.
        low = low.max(Rational::ZERO);
        if (&high - &low) << bits <= low || round == 12 {
            let digits = working + 2 * bits + below_one(&high);
            return (scaled_down(&low, digits), scaled_up(&high, digits));
        }
        working *= 2;
    }
    (Rational::ZERO, Rational::ONE)
}

/// `p(s + by)`.
fn shifted(p: &[Rational], by: &Rational) -> Vec<Rational> {
    let mut result: Vec<Rational> = Vec::new();
    for coefficient in p.iter().rev() {
        // result = result (s + by) + coefficient
        let mut next = vec![Rational::ZERO; result.len() + 1];
        for (i, entry) in result.iter().enumerate() {
            next[i + 1] += entry;
            next[i] += entry * by;
        }
        next[0] += coefficient;
        result = next;
    }
    result
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

/// `g/r - g'/r^2 + g''/r^3 - ...`.
fn by_parts(g: &[Rational], rate: &Rational) -> Vec<Rational> {
    let mut sum = Vec::new();
    let mut derivative = g.to_vec();
    let mut factor = Rational::ONE / rate;
    while !derivative.is_empty() {
        add(&mut sum, &scale(&derivative, &factor));
        derivative = derivative.iter().enumerate().skip(1).map(|(i, entry)| entry * Rational::from(i)).collect();
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
        let loss = Loss::new(&rational("1"), 1).unwrap();
        assert_eq!(loss.atoms, vec![rational("1/2"), rational("1/2")]);
        assert_eq!(loss.pieces, vec![vec![rational("1/4")]]);
        assert!(Loss::new(&rational("1"), 0).is_err() && Loss::new(&rational("0"), 1).is_err());
    }

    #[test]
    fn profiles_overlap_the_engine() {
        let budget = Budget::default();
        for (c, k) in CASES {
            let loss = Loss::new(&rational(c), k).unwrap();
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

    #[test]
    fn trade_off_functions_and_inverses_overlap_the_engine() {
        let budget = Budget::default();
        for (c, k) in [("1", 1), ("1", 2), ("7/3", 3), ("1/10", 4)] {
            let loss = Loss::new(&rational(c), k).unwrap();
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
