//! The rule of Gauss and Legendre with any number of nodes, at any precision, its nodes and weights proven.
//!
//! The nodes are the roots of `P_n`: places that rise strictly, around each of which the polynomial changes its sign
//! between two numbers, hold all n of them. The weights are `2 (1 - x^2)/(n P_(n-1)(x))^2`.

use std::sync::{Arc, LazyLock};

use rug::Float;

use crate::error::Error;
use enclosure::{Cache, Enclosure, Portable, work};

/// Bits that the recurrence of the polynomials costs for each degree, in intervals: `log2(1 + sqrt 2) < 1.28`.
const LOST: u32 = 2;

/// Number of rules that are cached.
const KEPT: usize = 64;
/// Units of work of a node of a rule that is used.
const NODE: u64 = 100;

/// By their numbers of nodes and bits.
static RULES: LazyLock<Cache<(u32, u32), Rule>> = LazyLock::new(|| Cache::new(KEPT));

/// The rule on `[-1, 1]`.
pub struct Rule {
    /// Points next to the nodes, rising, and enclosures of the weights.
    pub points: Vec<(Float, Enclosure)>,
    /// No point is farther from its node.
    pub reach: Float,
}

impl Rule {
    /// The rule with this even number of nodes, at this precision in bits.
    ///
    /// # Errors
    /// [`Error::Undecided`] where the nodes are not told apart.
    pub fn new(count: u32, bits: u32) -> Result<Self, Error> {
        let reach = Float::with_val(64, Float::i_exp(1, -(bits.min(1 << 24) as i32)));
        let places: Vec<Float> = (0..count / 2).map(|place| searched(place, count, bits)).collect();
        proven(&places, count, bits, &reach)
            .map(|points| Rule { points, reach })
            .ok_or_else(|| Error::undecided("cannot separate the nodes of a Gauss-Legendre rule"))
    }

    /// The same, cached for these arguments.
    ///
    /// # Errors
    /// As of [`Rule::new`].
    pub fn kept(count: u32, bits: u32) -> Result<Arc<Self>, Error> {
        work::spend(u64::from(count) * NODE);
        work::uncounted(|| RULES.get((count, bits), || Self::new(count, bits)))
    }

    /// How wrong the rule is at most, as part of the bound M of a function that is analytic with `|f| <= M` in the
    /// ellipse with foci -1 and 1 and the sum rho of its semi-axes; `None` unless `rho > 1`.
    ///
    /// Such a function has Chebyshev coefficients `|a_k| <= 2 M rho^-k` (Bernstein). Those below 2n are integrated
    /// exactly, odd ones are 0 in both, and of the others integral and sum are at most 2: `8 M rho^(-2n)/(1 - rho^-2)`
    /// in all. A point that is off by at most t changes the sum by `2 t M/g`, with g the distance of the ellipse from
    /// `[-1, 1]`: its larger semi-axis less 1 (Cauchy).
    pub fn error(&self, rho: &Enclosure) -> Option<Enclosure> {
        let one = Enclosure::one(rho.bits());
        let inverse = rho.recip();
        let gap = &(rho + &inverse).shift(-1) - &one;
        if !(*rho.lower() > 1) || *gap.lower() <= 0 {
            return None;
        }
        let square = inverse.square();
        let all = &square.pow(self.points.len() as u64) / &(&one - &square);
        let rest = &Enclosure::new(self.reach.clone(), self.reach.clone()).with_bits(rho.bits()) / &gap;
        Some(&all.shift(3) + &rest.shift(1)).filter(Enclosure::is_bounded)
    }
}

/// About the node of this place, from the largest on, by Newton's method.
fn searched(place: u32, count: u32, bits: u32) -> Float {
    let n = f64::from(count);
    let mut x = (std::f64::consts::PI * (f64::from(place) + 0.75) / (n + 0.5)).portable_cos();
    for _ in 0..6 {
        let (mut before, mut last) = (1.0, x);
        for k in 1..count {
            let k = f64::from(k);
            (before, last) = (last, ((2.0 * k + 1.0) * x * last - k * before) / (k + 1.0));
        }
        x -= last * (1.0 - x * x) / (n * (before - x * last));
    }
    // From about 40 bits on a step doubles them; it is taken with as many as it has.
    let mut widths = vec![bits + 32];
    while let Some(&last) = widths.last().filter(|last| **last > 40) {
        widths.push(last / 2 + 8);
        if last / 2 + 8 >= last {
            break;
        }
    }
    let mut x = Float::with_val(bits + 32, x);
    for wide in widths.into_iter().rev().skip(1) {
        let at = Float::with_val(wide, &x);
        let (mut before, mut last) = (Float::with_val(wide, 1), at.clone());
        for k in 1..count {
            let next = Float::with_val(wide, &at * &last) * (2 * k + 1) - before * k;
            (before, last) = (last, next / (k + 1));
        }
        let slope = (before - Float::with_val(wide, &at * &last)) * count;
        let rest = 1u32 - Float::with_val(wide, at.square_ref());
        x = Float::with_val(bits + 32, at) - last * rest / slope;
    }
    x
}

/// `P_n` and `P_(n-1)`, by `(k + 1) P_(k+1) = (2k + 1) x P_k - k P_(k-1)`.
fn legendre(x: &Enclosure, count: u32) -> (Enclosure, Enclosure) {
    let (mut before, mut last) = (Enclosure::one(x.bits()), x.clone());
    for k in 1..count {
        let next = (&(x * &last).mul_u32(2 * k + 1) - &before.mul_u32(k)).div_u32(k + 1);
        (before, last) = (last, next);
    }
    (last, before)
}

/// The rule, if these are its positive nodes, falling, each off by at most `reach`; rising, and with the negative ones.
///
/// `P_(n-1)` moves by at most `n^2/2` times as much as its argument within `[-1, 1]` (Markov), so that its value at one
/// end of an interval tells it at the node.
fn proven(places: &[Float], count: u32, bits: u32, reach: &Float) -> Option<Vec<(Float, Enclosure)>> {
    let wide = bits.saturating_add(64).saturating_add(LOST * count);
    let mut rule = Vec::with_capacity(2 * places.len());
    let mut above = Float::with_val(wide, 1);
    for place in places {
        let (low, high) = (Float::with_val(wide, place - reach), Float::with_val(wide, place + reach));
        let at = |x: &Float| legendre(&Enclosure::new(x.clone(), x.clone()), count);
        let ((first, before), (second, _)) = (at(&low), at(&high));
        let signs = (first.sign()?, second.sign()?);
        if signs.0 != signs.1.reverse() || signs.0.is_eq() || !(low > 0 && high < above) {
            return None;
        }
        let moved = Float::with_val(64, reach * count) * count;
        let slope = before.widen(&moved).mul_u32(count);
        let rest = &Enclosure::one(wide) - &Enclosure::new(low.clone(), high).square();
        let weight = (&rest.shift(1) / &slope.square()).with_bits(bits + 32);
        if !weight.is_bounded() || *weight.lower() <= 0 {
            return None;
        }
        rule.push((Float::with_val(wide, place), weight));
        above = low;
    }
    if rule.len() as u32 * 2 != count {
        return None;
    }
    let mirrored: Vec<_> = rule.iter().map(|(x, weight)| (Float::with_val(x.prec(), -x), weight.clone())).collect();
    Some(mirrored.into_iter().chain(rule.into_iter().rev()).collect())
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    /// Moments up to the degree `2n - 1`, which the rule integrates exactly; the next one it does not.
    #[test]
    fn moments_are_those_of_the_interval() {
        for (count, bits) in [(2, 60), (6, 100), (20, 90), (48, 200)] {
            let rule = Rule::new(count, bits).expect("a rule");
            assert_eq!(rule.points.len(), count as usize);
            assert!(rule.points.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for power in [0, 2, count, 2 * count - 2, 2 * count] {
                let sum = rule.points.iter().fold(Enclosure::zero(bits), |sum, (x, weight)| {
                    let node = Enclosure::new(x.clone(), x.clone()).widen(&rule.reach);
                    &sum + &(&node.pow(power.into()) * weight)
                });
                let moment = Rational::from((2, power + 1));
                let even = power % 2 == 0;
                assert!(!even || sum.contains(&moment) == (power < 2 * count), "{count} {power}: {sum:?}");
            }
        }
    }

    /// Places that hold no root, or the same one twice, are no rule.
    #[test]
    fn other_places_are_no_rule() {
        let reach = Float::with_val(64, Float::i_exp(1, -80));
        let mut places: Vec<Float> = (0..8).map(|place| searched(place, 16, 80)).collect();
        assert!(proven(&places, 16, 80, &reach).is_some());
        places[3] += Float::with_val(80, Float::i_exp(1, -70));
        assert!(proven(&places, 16, 80, &reach).is_none());
        places[3] = places[2].clone();
        assert!(proven(&places, 16, 80, &reach).is_none());
        places.remove(3);
        assert!(proven(&places, 16, 80, &reach).is_none());
    }
}
