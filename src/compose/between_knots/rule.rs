//! The rule of Gauss and Legendre with any number of nodes, to any precision, its nodes and weights enclosed.
//!
//! A node is a root of `P_n`: between two numbers at which the polynomial has different signs. As many such places as
//! `P_n` has roots, apart from each other, hold one each. The weights are `2 (1 - x^2)/(n P_(n-1)(x))^2`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rug::Float;

use crate::error::Error;
use enclosure::Enclosure;

/// Rules that were made.
#[derive(Default)]
pub(super) struct Rules(BTreeMap<u32, Vec<(Enclosure, Enclosure)>>);

impl Rules {
    /// The rule of so many nodes, always to the same precision.
    ///
    /// # Errors
    /// As of [`rule`].
    pub fn of(&mut self, nodes: u32, bits: u32) -> Result<&[(Enclosure, Enclosure)], Error> {
        if let Entry::Vacant(place) = self.0.entry(nodes) {
            place.insert(rule(nodes, bits)?);
        }
        Ok(self.0.get(&nodes).map_or(&[], Vec::as_slice))
    }
}

/// All nodes with their weights, in pairs of opposite signs, or 0 for the last; their number is even or odd.
///
/// # Errors
/// What says so if the proof fails, for want of bits.
fn rule(nodes: u32, bits: u32) -> Result<Vec<(Enclosure, Enclosure)>, Error> {
    // Enclosures of the recurrence grow by at most 1 + sqrt(2) at each step.
    let bits = bits.saturating_add(nodes.saturating_mul(2));
    let wide = bits.saturating_add(nodes.saturating_mul(2)).saturating_add(32);
    let found: Vec<Float> = (0..nodes / 2).map(|place| searched(nodes, place, wide)).collect();
    proven(nodes, &found, bits, wide).ok_or_else(|| Error::undecided("the nodes of a rule are not proven"))
}

fn thin(x: &Float) -> Enclosure {
    Enclosure::new(x.clone(), x.clone())
}

/// About the node of this place, from the largest on, by Newton's method.
fn searched(nodes: u32, place: u32, bits: u32) -> Float {
    let angle = std::f64::consts::PI * (f64::from(place) + 0.75) / (f64::from(nodes) + 0.5);
    let mut x = Float::with_val(64, angle.cos());
    let mut known = 8u32;
    // Every step doubles the digits, of which there are a few; one more to be sure.
    while known / 2 < bits {
        known = known.saturating_mul(2);
        x.set_prec(bits.min(known.saturating_add(64)));
        let (mut before, mut last) = (Float::with_val(x.prec(), 1u32), x.clone());
        for k in 1..nodes {
            let next = (Float::with_val(x.prec(), &x * &last) * (2 * k + 1) - before * k) / (k + 1);
            (before, last) = (last, next);
        }
        // (1 - x^2) P_n' = n (P_(n-1) - x P_n).
        let slope = (before - Float::with_val(x.prec(), &x * &last)) * nodes;
        let square = Float::with_val(x.prec(), x.square_ref());
        x -= last * (1u32 - square) / slope;
    }
    x.set_prec(bits);
    x
}

/// `P_n` and `P_(n-1)`, by `(k + 1) P_(k+1) = (2k + 1) x P_k - k P_(k-1)`.
fn legendre(nodes: u32, x: &Enclosure) -> (Enclosure, Enclosure) {
    let (mut before, mut last) = (Enclosure::one(x.bits()), x.clone());
    for k in 1..nodes {
        let next = (&(x * &last).mul_u32(2 * k + 1) - &before.mul_u32(k)).div_u32(k + 1);
        (before, last) = (last, next);
    }
    (last, before)
}

/// The rule, if these are its positive nodes, falling.
fn proven(nodes: u32, found: &[Float], bits: u32, wide: u32) -> Option<Vec<(Enclosure, Enclosure)>> {
    let reach = Float::with_val(wide, 1u32) >> (bits + 4);
    let mut rule = Vec::with_capacity(nodes as usize);
    let mut above = Float::with_val(wide, 1u32);
    let weight = |x: &Enclosure| {
        let slope = legendre(nodes, x).1.mul_u32(nodes);
        (&(&Enclosure::one(wide) - &x.square()).shift(1) / &slope.square()).with_bits(wide)
    };
    for node in found {
        let (low, high) = (Float::with_val(wide, node - &reach), Float::with_val(wide, node + &reach));
        let sign = |x: &Float| legendre(nodes, &thin(x)).0.sign();
        let signs = (sign(&low)?, sign(&high)?);
        if signs.0 != signs.1.reverse() || signs.0.is_eq() || !(low > 0 && high < above) {
            return None;
        }
        let x = Enclosure::new(low.clone(), high);
        let weight = weight(&x);
        rule.push((-&x, weight.clone()));
        rule.push((x, weight));
        above = low;
    }
    if nodes % 2 == 1 {
        let zero = Enclosure::zero(wide);
        rule.push((zero.clone(), weight(&zero)));
    }
    (rule.len() as u32 == nodes).then_some(rule)
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    /// Moments up to the last that the rule has exactly; the next is not in its enclosure.
    #[test]
    fn moments_are_exact_as_far_as_they_go() {
        for nodes in [2u32, 3, 7, 16, 33] {
            let rule = rule(nodes, 150).expect("a rule");
            for power in [0, 2, 2 * nodes - 2, 2 * nodes] {
                let sum = rule.iter().fold(Enclosure::zero(180), |sum, (x, w)| &sum + &(w * &x.pow(power.into())));
                let moment = Rational::from((2, power + 1));
                assert_eq!(sum.contains(&moment), power < 2 * nodes, "{nodes} {power} {sum:?}");
            }
        }
    }

    /// Places that hold no root, or the same one twice, are no rule.
    #[test]
    fn other_places_are_no_rule() {
        let nodes = 16;
        let mut found: Vec<Float> = (0..nodes / 2).map(|place| searched(nodes, place, 200)).collect();
        assert!(proven(nodes, &found, 150, 200).is_some());
        found[3] += Float::with_val(200, Float::i_exp(1, -90));
        assert!(proven(nodes, &found, 150, 200).is_none());
        found[3] = found[2].clone();
        assert!(proven(nodes, &found, 150, 200).is_none());
        found.remove(3);
        assert!(proven(nodes, &found, 150, 200).is_none());
    }
}
