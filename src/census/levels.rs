//! Epsilon of each level and of the whole of an allocation, by three accounts side by side.

use rug::Rational;

use crate::answer::{Answer, Session};
use crate::compose::Method;
use crate::error::Error;
use crate::mechanism::{Allocation, Composition};
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

/// A level, or the whole, open for questions at any delta.
pub struct Level {
    name: String,
    part: Allocation,
    composition: Composition,
    session: Session,
}

/// Each level in the order of the file, then the whole. Nothing is computed before a row is asked for.
pub fn levels(allocation: &Allocation) -> Result<Vec<Level>, Error> {
    let levels = allocation.levels().into_iter().filter_map(|name| Some((name, allocation.level(name)?)));
    let all = levels.chain([(WHOLE, allocation.clone())]).map(|(name, part)| {
        let composition = part.composition()?;
        let session = Session::new(composition.clone(), Method::Auto);
        Ok(Level { name: name.to_string(), part, composition, session })
    });
    all.collect()
}

/// The row of a level at a delta in (0, 1). `budget` is asked for a fresh clock for each number.
pub fn row(level: &Level, delta: &Real, digits: u32, budget: impl Fn() -> Budget) -> Result<Row, Error> {
    let Level { name, part, composition, session } = level;
    let rho = part.rho();
    let zcdp = Zcdp::new(rho.clone())?;
    let simple = zcdp.bun_steinke(delta)?;
    let clock = budget();
    let query = Query::new(Quantity::Epsilon { delta: delta.clone() }, composition.clone());
    let exact = session.answer(&query.with_digits(digits), &budget())?;
    let proven = exact.outcome.digits().map_or(digits, |proven| proven.min(digits));
    Ok(Row {
        level: name.clone(),
        queries: part.cells().len(),
        rho,
        bun_steinke: refine(digits, &clock, |bits| Ok(simple.number(bits)))?,
        best_order: refine(digits, &clock, |bits| zcdp.canonne_kamath_steinke(delta, bits, &clock))?,
        exact,
        digits: proven,
    })
}
