//! The rule of [Gauss and Legendre](crate::compose::gauss_legendre) with 32 nodes, in doubles next to it.

use std::sync::OnceLock;

use crate::compose::gauss_legendre::Rule;
use enclosure::work;

/// Nodes of the rule.
pub const NODES: u32 = 32;

/// Bits of the proof.
const BITS: u32 = 100;

/// The positive nodes with their weights, falling, each to nearest, or the double beside it; `None` if a proof fails.
pub fn rule() -> Option<&'static [(f64, f64)]> {
    static RULE: OnceLock<Option<Vec<(f64, f64)>>> = OnceLock::new();
    let doubles = |rule: Rule| {
        let positive = rule.points.iter().rev().take(NODES as usize / 2);
        positive.map(|(x, weight)| (x.to_f64(), weight.lower().to_f64())).collect()
    };
    RULE.get_or_init(|| work::uncounted(|| Rule::new(NODES, BITS)).ok().map(doubles)).as_deref()
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
}
