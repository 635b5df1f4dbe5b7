//! Epsilon of each level and of the whole of an allocation, by three accounts side by side.

use rug::Rational;

use crate::answer::{Answer, answer};
use crate::error::Error;
use crate::mechanism::Allocation;
use crate::query::{Quantity, Query};
use crate::theorem::zcdp::Zcdp;
use enclosure::{Budget, Number, Real, refine};

/// The name of the last row: all levels together.
pub const WHOLE: &str = "whole";

/// One level, or the whole.
#[derive(Clone, Debug)]
pub struct Row {
    /// The level, or [`WHOLE`].
    pub level: String,
    /// How many queries it has.
    pub queries: usize,
    /// Their zCDP.
    pub rho: Rational,
    /// Epsilon by Bun and Steinke's conversion: an upper bound.
    pub bun_steinke: Number,
    /// Epsilon by Canonne, Kamath and Steinke's at its best order: an upper bound.
    pub best_order: Number,
    /// The least epsilon.
    pub exact: Answer,
    /// How many digits of it are proven, of those that were asked for.
    pub digits: u32,
}

/// The rows of an allocation at a delta in (0, 1), one at a time as they are asked for: each level in the order of the
/// file, then the whole. `budget` is asked for a fresh clock for each number.
pub fn rows<'a>(
    allocation: &'a Allocation,
    delta: &'a Real,
    digits: u32,
    budget: impl Fn() -> Budget + 'a,
) -> impl Iterator<Item = Result<Row, Error>> + 'a {
    let levels = allocation.levels().into_iter().filter_map(|name| Some((name, allocation.level(name)?)));
    let whole = std::iter::once_with(|| (WHOLE, allocation.clone()));
    levels.chain(whole).map(move |(name, part)| row(name, &part, delta, digits, &budget))
}

fn row(name: &str, part: &Allocation, delta: &Real, digits: u32, budget: &impl Fn() -> Budget) -> Result<Row, Error> {
    let rho = part.rho();
    let zcdp = Zcdp::new(rho.clone())?;
    let simple = zcdp.bun_steinke(delta)?;
    let clock = budget();
    let query = Query::new(Quantity::Epsilon { delta: delta.clone() }, part.composition()?);
    let exact = answer(&query.with_digits(digits), &budget())?;
    let proven = exact.outcome.digits().map_or(digits, |proven| proven.min(digits));
    Ok(Row {
        level: name.to_string(),
        queries: part.cells().len(),
        rho,
        bun_steinke: refine(digits, &clock, |bits| Ok(simple.number(bits)))?,
        best_order: refine(digits, &clock, |bits| zcdp.canonne_kamath_steinke(delta, bits, &clock))?,
        exact,
        digits: proven,
    })
}
