//! R of many runs: its atoms at the knots, and its density between them as polynomials in the place.
//!
//! After k runs the atom at the knot j is `C(k,j) a_h^(k-j) a_l^j`. With `A_j(v) = r f_k(t)`, f_k the density in the
//! loss and r the rate, one more run is a [step](super::runs) with nothing above and below all knots, and the atoms
//! meet the density of one run: the distance of a place in the cell j of k + 1 runs to the knot i of k runs is
//! `(i - j) w + l(v)`, so that of all atoms only that at the knot j is near enough, and it adds its mass times
//!
//! `g(v) = r f_1(l(v)) = (e^(-c/2)/4) (w(v) e^-v)^(3/2)`.
//!
//! **What is certified.** What the steps tell; g is at most `(e^(-c/2)/4) (most |w|)^(3/2) e^(3 alpha/2)` in the
//! ellipse, its interpolant errs as interpolants do, and masses are at most 1; each coefficient is rounded by less than
//! a unit.

use rug::float::Round::Up;
use rug::{Float, Integer};

use super::domain::FEW;
use super::operator::fixed;
use super::polynomial::Polynomial;
use super::runs::Runs;
use crate::error::Error;
use enclosure::{Budget, Enclosure};

/// The atoms and the polynomials, from the largest loss down, and how far r times the density may be from them.
pub(super) struct Law {
    pub times: u32,
    pub atoms: Vec<Enclosure>,
    pub cells: Vec<Polynomial>,
    pub error: Float,
}

impl Law {
    /// So many of these runs.
    ///
    /// # Errors
    /// Those of the budget.
    pub fn of(runs: Runs, times: u32, budget: &Budget) -> Result<Self, Error> {
        let domain = &runs.domain;
        let scale = (-&domain.shift.shift(-1)).exp().shift(-2);
        let power = |x: &Enclosure| x * &x.sqrt();
        let [_, most] = domain.ratios();
        let size = &scale.with_bits(FEW) * &power(&(&most * &domain.alpha.exp()));
        let one = runs.interpolant(&size, |exp| &scale * &power(&(&domain.ratio(exp) / exp)))?;
        let added = &one.error + &runs.units();
        let [high, low] = domain.atoms();
        let (mut cells, mut error) = (Vec::new(), Float::new(FEW));
        let mut atoms = vec![Enclosure::one(high.bits())];
        for _ in 0..times {
            cells.push(vec![Integer::new(); runs.count()]);
            let stepped = runs.step(&mut cells, budget)?;
            for (cell, atom) in cells.iter_mut().zip(&atoms) {
                for (sum, coefficient) in cell.iter_mut().zip(&one.coefficients) {
                    *sum += fixed(&(atom * coefficient), runs.fraction)?;
                }
            }
            let stepped = Float::with_val_round(FEW, &stepped + added.upper(), Up).0;
            error = Float::with_val_round(FEW, &error + &stepped, Up).0;
            let mut next: Vec<Enclosure> = atoms.iter().map(|atom| atom * &high).collect();
            next.push(Enclosure::zero(high.bits()));
            for (sum, atom) in next.iter_mut().skip(1).zip(&atoms) {
                *sum = &*sum + &(atom * &low);
            }
            atoms = next;
        }
        let cells = cells.into_iter().map(|cell| Polynomial::new(cell, runs.fraction)).collect();
        Ok(Law { times, atoms, cells, error })
    }
}
