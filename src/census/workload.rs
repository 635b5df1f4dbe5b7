//! Which pairs of paths, at which epsilons, to how many digits.

use std::fmt::Write;

use rug::Rational;

use super::results::COLUMNS;
use crate::compose::{self, Method};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::Paths;
use crate::query::{Quantity, Query};
use crate::theorem::zcdp::Zcdp;
use enclosure::decimal::{Side, decimal};
use enclosure::{Budget, Real, refine};

/// A delta as zCDP has it, which stands for the epsilon that Bun and Steinke's conversion gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// As it was written.
    pub text: String,
    /// The value.
    pub value: Real,
}

impl Level {
    /// A delta in (0, 1).
    pub fn new(text: &str) -> Result<Self, Error> {
        let value: Real = text.parse()?;
        // The conversion checks the domain.
        Zcdp::new(Rational::from(1))?.bun_steinke(&value)?;
        Ok(Level { text: text.trim().to_string(), value })
    }

    /// 5e-1, 1e-1, 5e-2, ... 1e-21: the 42 of the exact accounting of 2026.
    pub fn published() -> Result<Vec<Self>, Error> {
        (1..=21).flat_map(|k| [format!("5e-{k}"), format!("1e-{k}")]).map(|text| Level::new(&text)).collect()
    }
}

/// Pairs of paths and the levels at whose epsilons delta is computed for each.
///
/// The epsilon of pair (p, q) at level d is `rho + 2 sqrt(rho ln(1/d))`, exactly, with `rho` the zCDP of the pair.
#[derive(Clone, Debug)]
pub struct Workload {
    paths: Paths,
    pairs: Vec<(u32, u32)>,
    levels: Vec<Level>,
    digits: u32,
}

impl Workload {
    /// All pairs of the paths, or those of `only`, in order and each once.
    pub fn new(paths: Paths, only: &[(u32, u32)], levels: Vec<Level>, digits: u32) -> Result<Self, Error> {
        if levels.is_empty() {
            return Err(Error::input("give at least one delta"));
        }
        for (index, level) in levels.iter().enumerate() {
            if levels[..index].iter().any(|other| other.value == level.value) {
                return Err(Error::input(format!("duplicate delta {}", level.text)));
            }
        }
        let mut pairs: Vec<(u32, u32)> = only.iter().map(|&(p, q)| (p.min(q), p.max(q))).collect();
        if pairs.is_empty() {
            pairs = paths.pairs();
        }
        for &(p, q) in &pairs {
            paths.path(p).and(paths.path(q))?;
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(Workload { paths, pairs, levels, digits })
    }

    /// The pairs, in the order of the results.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The levels, in the order of the results.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// How many digits are proven.
    pub fn digits(&self) -> u32 {
        self.digits
    }

    /// The first line of the results.
    pub fn header() -> String {
        COLUMNS.join(",") + "\n"
    }

    /// The lines of one pair. All its epsilons are asked of one curve, which shares the work between them.
    pub fn lines(&self, pair: (u32, u32), budget: &Budget) -> Result<String, Error> {
        let composition = self.paths.composition(pair)?;
        let curve = compose::curve(&composition, Method::Auto, budget)?;
        let zcdp = Zcdp::new(self.paths.rho(pair)?)?;
        let mut lines = String::new();
        for level in &self.levels {
            let epsilon = zcdp.bun_steinke(&level.value)?;
            let delta = refine(self.digits, budget, |bits| {
                let forward = curve.delta(&epsilon, Direction::Forward, bits, budget)?;
                // Discrete Gaussians are symmetric; nothing here relies on it.
                if curve.symmetric() {
                    return Ok(forward);
                }
                Ok(forward.max(&curve.delta(&epsilon, Direction::Backward, bits, budget)?))
            })
            .map_err(|error| {
                let quantity = Quantity::Delta { epsilon: epsilon.clone() };
                error.about(Query::new(quantity, composition.clone()).with_digits(self.digits))
            })?;
            let shown = refine(self.digits, budget, |bits| Ok(epsilon.number(bits)))?;
            let end = |side| decimal(&delta, self.digits + 1, side);
            writeln!(
                lines,
                "{},{},{},{},{},{}",
                pair.0,
                pair.1,
                level.text,
                decimal(&shown, self.digits + 1, Side::Lower),
                end(Side::Lower),
                end(Side::Upper)
            )
            .map_err(|error| Error::input(error.to_string()))?;
        }
        Ok(lines)
    }

    /// Hash of pairs, levels, digits and budgets, which identifies the journal of a workload.
    /// (The 64-bit hash of Fowler, Noll and Vo; it protects from confusion, not from malice.)
    pub fn fingerprint(&self) -> u64 {
        let mut text = format!("1 {} {:?}", self.digits, self.pairs);
        for level in &self.levels {
            text += &format!(" {}", level.text);
        }
        for number in self.paths.numbers() {
            for cell in self.paths.path(number).into_iter().flat_map(|path| path.cells()) {
                text += &format!("\n{number} {} {} {}", cell.level, cell.query, cell.rho);
            }
        }
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }
}
