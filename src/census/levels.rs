//! Epsilon of each level and of the whole of an allocation, by three accounts side by side.

use rug::{Integer, Rational};

use crate::answer::{Answer, Session};
use crate::compose::Method;
use crate::error::Error;
use crate::mechanism::{Allocation, Composition, Mechanism, steps_by_level};
use crate::query::{Quantity, Query};
use crate::table::quoted;
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
    /// The level, or [`WHOLE`].
    pub name: String,
    queries: usize,
    rho: Rational,
    composition: Composition,
    session: Session,
}

impl Level {
    fn new(name: &str, queries: usize, rho: Rational, composition: Composition) -> Self {
        let session = Session::new(composition.clone(), Method::Auto);
        Level { name: name.to_string(), queries, rho, composition, session }
    }
}

/// Each level of a file in its order, then the whole. Nothing is computed before a row is asked for. The file is an
/// allocation in CSV, or a composition of discrete Gaussians in TOML whose steps name their levels.
///
/// # Errors
/// [`Error::Input`] for a file that is neither.
pub fn levels(file: &str) -> Result<Vec<Level>, Error> {
    if file.ends_with(".toml") { of_composition(file) } else { of_allocation(&Allocation::load(file)?) }
}

fn of_allocation(allocation: &Allocation) -> Result<Vec<Level>, Error> {
    let levels = allocation.levels().into_iter().filter_map(|name| Some((name, allocation.level(name)?)));
    let all = levels.chain([(WHOLE, allocation.clone())]);
    all.map(|(name, part)| Ok(Level::new(name, part.cells().len(), part.rho(), part.composition()?))).collect()
}

fn of_composition(file: &str) -> Result<Vec<Level>, Error> {
    let mut levels = Vec::new();
    let (mut queries, mut rho, mut whole) = (0, Rational::new(), Composition::new([])?);
    for (name, part) in steps_by_level(file)? {
        if name == WHOLE {
            return Err(Error::input(format!("`{WHOLE}` is reserved for the row of all levels; rename this level")));
        }
        let (own, count) = zcdp(&name, &part)?;
        queries += count;
        rho += &own;
        whole = whole.and(&part)?;
        levels.push(Level::new(&name, count, own, part));
    }
    levels.push(Level::new(WHOLE, queries, rho, whole));
    Ok(levels)
}

/// The zCDP of discrete Gaussians and how many there are: `D^2/(2 sigma^2)` each (Canonne, Kamath and Steinke 2020).
fn zcdp(level: &str, composition: &Composition) -> Result<(Rational, usize), Error> {
    let (mut rho, mut count) = (Rational::new(), 0_usize);
    for (mechanism, times) in composition.factors() {
        let Mechanism::DiscreteGaussian(noise) = mechanism else {
            let level = quoted(level);
            return Err(Error::input(format!(
                "level `{level}`: `census levels` takes only discrete-gaussian steps, not {mechanism}"
            )));
        };
        let sensitivity = Integer::from(noise.sensitivity());
        rho += Rational::from(sensitivity.square()) * *times / (Rational::from(2) * noise.sigma2());
        count = count.saturating_add(usize::try_from(*times).unwrap_or(usize::MAX));
    }
    Ok((rho, count))
}

/// The row of a level at a delta in (0, 1). `budget` is asked for a fresh clock for each number.
pub fn row(level: &Level, delta: &Real, digits: u32, budget: impl Fn() -> Budget) -> Result<Row, Error> {
    let Level { name, queries, rho, composition, session } = level;
    let zcdp = Zcdp::new(rho.clone())?;
    let simple = zcdp.bun_steinke(delta)?;
    let clock = budget();
    let query = Query::new(Quantity::Epsilon { delta: delta.clone() }, composition.clone());
    let exact = session.answer(&query.with_digits(digits), &budget())?;
    let proven = exact.outcome.digits().map_or(digits, |proven| proven.min(digits));
    Ok(Row {
        level: name.clone(),
        queries: *queries,
        rho: rho.clone(),
        bun_steinke: refine(digits, &clock, |bits| Ok(simple.number(bits)))?,
        best_order: refine(digits, &clock, |bits| zcdp.canonne_kamath_steinke(delta, bits, &clock))?,
        exact,
        digits: proven,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_composition_are_its_steps() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/census/ssw24-2022-08-25.toml");
        let levels = levels(file).unwrap();
        let names: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
        assert_eq!(names.len(), 9);
        assert_eq!((names[0], names[7], names[8]), ("US", "Block", WHOLE));
        // The plan of 2022-08-25 spends 3.65, of which the US level has a fiftieth.
        assert_eq!(levels[8].rho, Rational::from((73, 20)));
        assert_eq!(levels[0].rho, Rational::from((73, 1000)));
        assert_eq!((levels[0].queries, levels[8].queries), (10, 80));
        let whole: Composition = format!("@\"{file}\"").parse().unwrap();
        assert_eq!(levels[8].composition.to_string(), whole.to_string());
        let parts = levels.iter().take(8).map(|level| level.composition.to_string()).collect::<Vec<_>>();
        // Two levels have one variance: their steps are one factor of the whole.
        let parts: Composition = parts.join(" * ").parse().unwrap();
        assert_eq!(parts.to_string(), whole.to_string());
    }
}
