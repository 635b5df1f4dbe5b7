//! The rule of Gauss and Legendre with 32 nodes, its nodes and weights proven.
//!
//! A node is a root of `P_32`: between two numbers `2^-99` apart at which the polynomial has different signs. Sixteen
//! such places that rise from 0 to 1, and their mirror images, hold all 32 roots. The weights are
//! `2 (1 - x^2)/(32 P_31(x))^2`.

use std::sync::OnceLock;

use enclosure::Enclosure;
use rug::Float;

/// Nodes of the rule.
pub const NODES: u32 = 32;

/// Precision of the search and of the proof.
const BITS: u32 = 256;

/// The positive nodes with their weights, each to nearest, or the double beside it; `None` if a proof fails.
pub fn rule() -> Option<&'static [(f64, f64)]> {
    static RULE: OnceLock<Option<Vec<(f64, f64)>>> = OnceLock::new();
    RULE.get_or_init(|| proven(&(0..NODES / 2).map(searched).collect::<Vec<_>>())).as_deref()
}

/// About the node of this place, from the largest on, by Newton's method.
fn searched(place: u32) -> Float {
    let angle = std::f64::consts::PI * (f64::from(place) + 0.75) / (f64::from(NODES) + 0.5);
    let mut x = Float::with_val(BITS, angle.cos());
    for _ in 0..10 {
        let point = Enclosure::new(x.clone(), x.clone());
        let (last, before) = legendre(&point);
        // (1 - x^2) P_n' = n (P_(n-1) - x P_n).
        let slope = &(&before - &(&point * &last)) * &Enclosure::integer(&NODES.into(), BITS);
        let step = &(&last * &(&Enclosure::one(BITS) - &point.square())) / &slope;
        x -= step.lower();
    }
    x
}

/// `P_32` and `P_31`, by `(n + 1) P_(n+1) = (2n + 1) x P_n - n P_(n-1)`.
fn legendre(x: &Enclosure) -> (Enclosure, Enclosure) {
    let (mut before, mut last) = (Enclosure::one(BITS), x.clone());
    for n in 1..NODES {
        let factor = |n: u32| Enclosure::integer(&n.into(), BITS);
        let next = &(&(&factor(2 * n + 1) * &(x * &last)) - &(&factor(n) * &before)) / &factor(n + 1);
        (before, last) = (last, next);
    }
    (last, before)
}

/// The rule, if these are its nodes, falling.
fn proven(nodes: &[Float]) -> Option<Vec<(f64, f64)>> {
    let reach = Float::with_val(BITS, Float::i_exp(1, -100));
    let mut rule = Vec::with_capacity(nodes.len());
    let mut above = Float::with_val(BITS, 1);
    for node in nodes {
        let (low, high) = (Float::with_val(BITS, node - &reach), Float::with_val(BITS, node + &reach));
        let sign = |x: &Float| legendre(&Enclosure::new(x.clone(), x.clone())).0.sign();
        let signs = (sign(&low)?, sign(&high)?);
        if signs.0 != signs.1.reverse() || signs.0.is_eq() || !(low > 0 && high < above) {
            return None;
        }
        let x = Enclosure::new(low.clone(), high);
        let slope = &legendre(&x).1 * &Enclosure::integer(&NODES.into(), BITS);
        let weight = &(&Enclosure::one(BITS) - &x.square()).shift(1) / &slope.square();
        rule.push((node.to_f64(), weight.lower().to_f64()));
        above = low;
    }
    (rule.len() as u32 == NODES / 2).then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known to fifteen digits from tables (Abramowitz and Stegun, table 25.4), and moments of x^2 and x^62, of which
    /// the first is 2/3 and the last 2/63.
    #[test]
    fn the_rule_is_that_of_gauss() {
        let rule = rule().expect("proven");
        assert_eq!(format!("{:.15} {:.15}", rule[0].0, rule[0].1), "0.997263861849482 0.007018610009470");
        assert_eq!(format!("{:.15} {:.15}", rule[15].0, rule[15].1), "0.048307665687738 0.096540088514728");
        for (power, moment) in [(2, 2.0 / 3.0), (62, 2.0 / 63.0)] {
            let sum: f64 = rule.iter().map(|(x, w)| 2.0 * w * x.powi(power)).sum();
            assert_eq!(format!("{sum:.12}"), format!("{moment:.12}"));
        }
    }

    /// Places that hold no root, or the same one twice, are no rule.
    #[test]
    fn other_places_are_no_rule() {
        let mut nodes: Vec<Float> = (0..NODES / 2).map(searched).collect();
        assert!(proven(&nodes).is_some());
        nodes[3] += Float::with_val(BITS, Float::i_exp(1, -90));
        assert!(proven(&nodes).is_none());
        nodes[3] = nodes[2].clone();
        assert!(proven(&nodes).is_none());
        nodes.remove(3);
        assert!(proven(&nodes).is_none());
    }
}
