//! The trade-off function of one pair of paths at evenly spaced thresholds of the likelihood ratio.
//!
//! **The lattice.** The losses of a pair are `eta j - rho`, j an integer: each query contributes
//! `rho_i (X_i - 1/2)` with an integer X_i, eta is the greatest common divisor of the rho_i, and rho, the zCDP of the
//! pair, is half their sum. With `L = rho/eta` and J the sum of all `(rho_i/eta) X_i`, let `P0(J >= j)` be the tail
//! where no X_i is shifted; where all are shifted by 1 it is `P0(J >= j - 2L)`.
//!
//! **The test at threshold zeta** rejects if `J >= j`, `j = ceil((1 + zeta) L)`. Its errors are
//! `alpha = P0(J >= j)` and `beta = P0(J < j - 2L) = P0(J >= 2L - j + 1)`, for J is symmetric. By Neyman and Pearson
//! each such pair is a vertex of the trade-off function.
//!
//! **Tails.** By that symmetry `P0(J >= j)`, `j > 0`, is the probability that a loss is below `-(eta (j-1) - rho)`
//! where all are shifted, and an engine may know it. From all others they come through the profile: between two
//! neighbouring losses `l < m` the profile is linear in `x = e^epsilon`, `delta = A - x B` with `A = P1(loss >= m)`,
//! `B = P0(loss >= m)`, and it is continuous; so `B = (delta(l) - delta(m))/(e^m - e^l)`, from two certified values of
//! it. (`proofs/paper/census.md`)

use std::collections::BTreeMap;

use rayon::prelude::*;
use rug::float::Round::Up;
use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use crate::compose::{self, Method};
use crate::curve::{Curve, Direction};
use crate::error::Error;
use crate::mechanism::Paths;
use enclosure::{Budget, Enclosure, Number, Real, common_divisor, refine};

/// One vertex of the trade-off function.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The threshold.
    pub zeta: Rational,
    /// The error of rejecting where nothing is shifted.
    pub alpha: Number,
    /// The error of not rejecting where everything is.
    pub beta: Number,
}

/// Which thresholds of which pair, and how many digits.
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// The two paths.
    pub pair: (u32, u32),
    /// How many, evenly spaced; at least 2.
    pub points: u32,
    /// They go from `-reach` to `reach`; as far as the published ones if nothing is given.
    pub reach: Option<Rational>,
    /// How many digits must be proven.
    pub digits: u32,
}

/// The vertices at these thresholds, in order.
///
/// `progress` is called for each tail that has been computed, with the number of all of them.
pub fn vertices(
    paths: &Paths,
    thresholds: &Thresholds,
    budget: &Budget,
    progress: impl Fn(usize) + Sync,
) -> Result<Vec<Vertex>, Error> {
    let &Thresholds { pair, points, digits, .. } = thresholds;
    let lattice = Lattice::new(paths, pair)?;
    let reach = thresholds.reach.clone().unwrap_or_else(|| published_reach(&lattice.length));
    let composition = paths.composition(pair)?;
    let curve = compose::curve(&composition, Method::Auto, budget)?;
    let steps = points.max(2) - 1;
    let double = Rational::from(&lattice.length * 2u32).floor().into_numer_denom().0;
    let places: Vec<(Rational, Integer, Integer)> = (0..=steps)
        .map(|step| {
            let share = Rational::from((2 * i64::from(step) - i64::from(steps), steps));
            let zeta = Rational::from(&reach * &share);
            let from = (&lattice.length * Rational::from(&zeta + 1)).ceil().into_numer_denom().0;
            let reflected = Integer::from(&double - &from) + 1;
            (zeta, from, reflected)
        })
        .collect();
    let mut needed: Vec<Integer> =
        places.iter().flat_map(|(_, from, reflected)| [upper_half(from), upper_half(reflected)]).collect();
    needed.sort_unstable();
    needed.dedup();
    let tails = Tails { curve: curve.as_ref(), lattice: &lattice, digits, budget };
    let total = needed.len();
    let known: BTreeMap<Integer, Number> = needed
        .into_par_iter()
        .with_max_len(16)
        .map(|j| {
            let tail = tails.at(&j).map_err(|error| error.about(format_args!("tail of {composition} from {j}")))?;
            progress(total);
            Ok((j, tail))
        })
        .collect::<Result<_, Error>>()?;
    let tail = |j: &Integer| {
        let known = known.get(&upper_half(j)).cloned().unwrap_or_else(Number::zero);
        // Below the middle it is what the reflected tail leaves, which is at least 1/2 where that is at most as much:
        // no digit is lost.
        if *j > 0 { known } else { Number::one() - known }
    };
    let vertex = |(zeta, from, reflected): (Rational, Integer, Integer)| Vertex {
        zeta,
        alpha: tail(&from),
        beta: tail(&reflected),
    };
    Ok(places.into_iter().map(vertex).collect())
}

/// The `j > 0` from whose tail that of this one comes: `P0(J >= j) = 1 - P0(J >= 1 - j)`.
fn upper_half(j: &Integer) -> Integer {
    if *j > 0 { j.clone() } else { Integer::from(1 - j) }
}

/// The losses of a pair.
struct Lattice {
    rho: Rational,
    eta: Rational,
    /// `rho/eta`, of which the double is an integer.
    length: Rational,
}

impl Lattice {
    fn new(paths: &Paths, pair: (u32, u32)) -> Result<Self, Error> {
        let cells = paths.path(pair.0)?.cells().iter().chain(paths.path(pair.1)?.cells());
        let eta = cells.fold(Rational::new(), |divisor, cell| common_divisor([&divisor, &cell.rho]));
        let rho = paths.rho(pair)?;
        Ok(Lattice { length: Rational::from(&rho / &eta), rho, eta })
    }

    /// The loss of `J = j`.
    fn loss(&self, j: &Integer) -> Real {
        Real::from(Rational::from(&self.eta * j) - &self.rho)
    }
}

/// What the tails of J are computed from.
struct Tails<'a> {
    curve: &'a dyn Curve,
    lattice: &'a Lattice,
    digits: u32,
    budget: &'a Budget,
}

impl Tails<'_> {
    /// `P0(J >= j)` for `j > 0`.
    fn at(&self, j: &Integer) -> Result<Number, Error> {
        let (low, high) = (self.lattice.loss(&Integer::from(j - 1)), self.lattice.loss(j));
        let negated = low.neg();
        // What the difference of two neighbouring values loses.
        let guard = 16 + Integer::from(self.lattice.length.ceil_ref()).significant_bits();
        refine(self.digits, self.budget, |bits| {
            if let Some(tail) = self.curve.below(&negated, Direction::Forward, bits, self.budget)? {
                return Ok(tail);
            }
            let work = bits.saturating_add(guard);
            let fall = self.curve.delta(&low, Direction::Forward, work, self.budget)?
                - self.curve.delta(&high, Direction::Forward, work, self.budget)?;
            Ok(fall / (high.exp_number(work) - low.exp_number(work)))
        })
    }
}

/// The reach of the published curves: `floor(U/L)`, where U is `L sqrt(2 V ln(8/Delta))` rounded up to a multiple of
/// 10,000, `V = 2/rho`, `Delta = 1e-25`, at the rho of the census. It only selects the range, so double precision
/// suffices.
fn published_reach(length: &Rational) -> Rational {
    let rho = Rational::from((24811, 5000));
    let log = Enclosure::rational(&Rational::from(Integer::from(8) * Integer::from(10).pow(25)), 128).ln();
    let root = (Enclosure::rational(&(4 / rho), 128) * log).sqrt();
    let unit = Integer::from(10_000);
    let wanted = Float::with_val_round(128, root.upper() * length, Up).0;
    let Some(wanted) = wanted.to_integer_round(Up).map(|(integer, _)| integer) else { return Rational::from(7) };
    let rounded = (wanted + &unit - 1u32) / &unit * &unit;
    (Rational::from(rounded) / length).floor()
}

#[cfg(test)]
mod tests;
