//! Where two sides touch at an edge of a box: how often their difference vanishes there, exactly.
//!
//! No subdivision proves `g >= 0` near points where g is 0. If g and its derivatives of order below m in one direction
//! vanish identically on the edge, then by Taylor's theorem `g = t^m g^(m)(xi)/m!` at distance t from it, and the sign
//! of the m-th derivative on the box decides. That lower ones vanish is proven in exact arithmetic: as rational
//! functions of the other variables.

use rug::Rational;

use super::boxes::Range;
use super::taylor::Taylor;
use crate::claim::algebra::{Exact, Fraction};
use crate::claim::formula::Formula;

/// No edge is looked at beyond this order.
const MOST: usize = 4;

/// An edge where the difference vanishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The variable that is constant on it.
    pub variable: usize,
    /// Is it its lower end?
    pub lower: bool,
    /// The order of the first derivative that does not vanish.
    pub order: usize,
}

/// All edges where a formula vanishes identically, with the order.
pub fn touching(formula: &Formula, ranges: &[Range]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (variable, range) in ranges.iter().enumerate() {
        let ends = [(true, Some(&range.lower)), (false, range.upper.as_ref())];
        for (lower, end) in ends {
            let Some(order) = end.and_then(|end| order(formula, ranges.len(), variable, end)) else { continue };
            if order > 0 {
                edges.push(Edge { variable, lower, order });
            }
        }
    }
    edges
}

/// The order of the first derivative of a formula that does not vanish where one variable is at an end; `None` if that
/// is not known.
fn order(formula: &Formula, count: usize, variable: usize, end: &Rational) -> Option<usize> {
    let taylor = Taylor { base: &Exact, order: MOST };
    let at = |i: usize| if i == variable { Fraction::constant(end) } else { Fraction::variable(i) };
    let variables: Vec<_> = (0..count).map(|i| taylor.variable(&at(i), i == variable)).collect();
    let series = formula.evaluate(&taylor, &variables).ok()?;
    series.iter().position(|coefficient| !coefficient.is_zero())
}
