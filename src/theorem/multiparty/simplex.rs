//! Linear programs in fractions: the simplex method, exact.
//!
//! Nothing outside rests on what it finds: its solutions are bounds on either side whatever they are, see
//! [`worst`](super::worst).

use std::cmp::Ordering;

use rug::{Float, Integer, Rational};

use crate::error::Error;
use enclosure::Budget;

/// An optimum of `max c z` over `A z <= b`, `z >= 0`, and of its dual.
#[derive(Debug, PartialEq, Eq)]
pub struct Optimum {
    /// z.
    pub primal: Vec<Rational>,
    /// One number for each row of A.
    pub dual: Vec<Rational>,
    /// Which column of `[A | 1]` is the unit of each row.
    pub basis: Vec<usize>,
}

/// The two solutions that belong to a basis, for other numbers in the same places: all but exact, and so neither is
/// certainly allowed. `None` where it is no basis there.
pub fn at_basis(
    a: &[Vec<Float>],
    b: &[Rational],
    c: &[Rational],
    basis: &[usize],
    bits: u32,
) -> Option<(Vec<Float>, Vec<Float>)> {
    let (variables, n) = (c.len(), a.len());
    let entry = |row: usize, column: usize| match column.checked_sub(variables) {
        None => Float::with_val(bits, &a[row][column]),
        Some(unit) => Float::with_val(bits, u32::from(unit == row)),
    };
    let gain = |column: &usize| c.get(*column).map_or_else(|| Float::new(bits), |gain| Float::with_val(bits, gain));
    let right = b.iter().map(|limit| Float::with_val(bits, limit)).collect();
    let values = eliminated((0..n).map(|i| basis.iter().map(|j| entry(i, *j)).collect()).collect(), right)?;
    let gains = basis.iter().map(gain).collect();
    let dual = eliminated(basis.iter().map(|j| (0..n).map(|i| entry(i, *j)).collect()).collect(), gains)?;
    let mut primal = vec![Float::new(bits); variables];
    for (value, column) in values.into_iter().zip(basis) {
        if let Some(place) = primal.get_mut(*column) {
            *place = value;
        }
    }
    Some((primal, dual))
}

/// The solution of a square system, by elimination with the largest entry of each column.
fn eliminated(mut rows: Vec<Vec<Float>>, mut right: Vec<Float>) -> Option<Vec<Float>> {
    let n = rows.len();
    for column in 0..n {
        let best = (column..n).max_by(|i, j| rows[*i][column].cmp_abs(&rows[*j][column]).unwrap_or(Ordering::Equal))?;
        rows.swap(column, best);
        right.swap(column, best);
        if rows[column][column].is_zero() {
            return None;
        }
        for below in column + 1..n {
            if rows[below][column].is_zero() {
                continue;
            }
            let (above, rest) = rows.split_at_mut(below);
            let (pivot, row) = (&above[column], &mut rest[0]);
            let factor = Float::with_val(row[column].prec(), &row[column] / &pivot[column]);
            for (value, pivot) in row.iter_mut().zip(pivot).skip(column) {
                *value -= &factor * pivot;
            }
            let moved = Float::with_val(factor.prec(), &factor * &right[column]);
            right[below] -= moved;
        }
    }
    for column in (0..n).rev() {
        for known in column + 1..n {
            let moved = Float::with_val(right[column].prec(), &rows[column][known] * &right[known]);
            right[column] -= moved;
        }
        right[column] /= &rows[column][column];
    }
    Some(right)
}

/// The tableau: rows of `[A | 1 | b]` and last that of `[-c | 0 | 0]`, in the basis at hand, all as integers over one
/// denominator (Edmonds): every entry is a minor of the first tableau, so that each division below leaves no rest.
struct Tableau {
    rows: Vec<Vec<Integer>>,
    /// Positive.
    denominator: Integer,
    /// Which column is the unit of each row.
    basis: Vec<usize>,
}

/// Solve it, for `b >= 0`, so that `z = 0` is a beginning.
///
/// The column of the largest gain enters; after a step that gained nothing the first that gains, and the first row of
/// those that tie leaves, until one gains (Bland): so no basis comes again, and there are finitely many.
///
/// # Errors
/// Beyond the budget; [`Error::Undecided`] where there is no largest value.
pub fn solve(a: &[Vec<Rational>], b: &[Rational], c: &[Rational], budget: &Budget) -> Result<Optimum, Error> {
    let (variables, constraints) = (c.len(), a.len());
    // Rows in integers: a row times its denominator has a slack times that.
    let scale = |row: &mut dyn Iterator<Item = &Rational>| row.fold(Integer::from(1), |lcm, x| lcm.lcm(x.denom()));
    let scaled = |x: &Rational, scale: &Integer| Rational::from(x * scale).into_numer_denom().0;
    let mut rows: Vec<Vec<Integer>> = Vec::with_capacity(constraints + 1);
    let mut scales = Vec::with_capacity(constraints + 1);
    for (i, (row, limit)) in a.iter().zip(b).enumerate() {
        let scale = scale(&mut row.iter().chain([limit]));
        let unit = (0..constraints).map(|column| Integer::from(u32::from(i == column)));
        rows.push(row.iter().map(|x| scaled(x, &scale)).chain(unit).chain([scaled(limit, &scale)]).collect());
        scales.push(scale);
    }
    let scale = scale(&mut c.iter());
    let losses = c.iter().map(|gain| -scaled(gain, &scale));
    rows.push(losses.chain((0..=constraints).map(|_| Integer::new())).collect());
    let basis = (variables..variables + constraints).collect();
    let mut tableau = Tableau { rows, denominator: Integer::from(1), basis };
    let mut careful = false;
    while let Some(column) = tableau.entering(careful) {
        let Some((row, step)) = tableau.leaving(column) else {
            return Err(Error::undecided("a linear program has no largest value"));
        };
        careful = step.is_zero();
        tableau.pivot(row, column, budget)?;
    }
    let last = variables + constraints;
    let Tableau { rows, denominator, basis } = tableau;
    let mut primal = vec![Rational::new(); variables];
    for (row, column) in rows.iter().zip(&basis) {
        if let Some(value) = primal.get_mut(*column) {
            *value = Rational::from((row[last].clone(), denominator.clone()));
        }
    }
    let whole = Integer::from(&denominator * &scale);
    let price = |(price, scale): (&Integer, &Integer)| Rational::from((Integer::from(price * scale), whole.clone()));
    let dual = rows[constraints][variables..last].iter().zip(&scales).map(price).collect();
    Ok(Optimum { primal, dual, basis })
}

impl Tableau {
    /// A column that gains, if there is one: the first, or that which gains most.
    fn entering(&self, first: bool) -> Option<usize> {
        let (_, losses) = self.rows.last()?.split_last()?;
        let mut gaining = losses.iter().enumerate().filter(|(_, loss)| loss.cmp0().is_lt());
        let found = if first { gaining.next() } else { gaining.min_by(|a, b| a.1.cmp(b.1)) };
        found.map(|(column, _)| column)
    }

    /// The row that bounds this column first, and how far it goes; of several that whose unit is first.
    fn leaving(&self, column: usize) -> Option<(usize, Rational)> {
        let bounds = self.rows.iter().zip(&self.basis).enumerate().filter_map(|(i, (row, unit))| {
            let (limit, _) = row.split_last()?;
            let entry = &row[column];
            entry.cmp0().is_gt().then(|| (Rational::from((limit.clone(), entry.clone())), *unit, i))
        });
        bounds.min().map(|(step, _, row)| (row, step))
    }

    /// Make this column the unit of this row.
    fn pivot(&mut self, row: usize, column: usize, budget: &Budget) -> Result<(), Error> {
        let chosen = std::mem::take(&mut self.rows[row]);
        let entry = &chosen[column];
        for other in self.rows.iter_mut().filter(|other| !other.is_empty()) {
            budget.check()?;
            let factor = other[column].clone();
            for (value, chosen) in other.iter_mut().zip(&chosen) {
                *value *= entry;
                *value -= Integer::from(&factor * chosen);
                value.div_exact_mut(&self.denominator);
            }
        }
        self.denominator.clone_from(entry);
        self.rows[row] = chosen;
        self.basis[row] = column;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn q(value: i64) -> Rational {
        Rational::from(value)
    }

    fn rows(of: &[&[i64]]) -> Vec<Vec<Rational>> {
        of.iter().map(|row| row.iter().map(|x| q(*x)).collect()).collect()
    }

    /// `max 3x + 5y` over `x <= 4, 2y <= 12, 3x + 2y <= 18`: 36 at (2, 6), with shadow prices 0, 3/2 and 1.
    #[test]
    fn a_program_by_hand() {
        let a = rows(&[&[1, 0], &[0, 2], &[3, 2]]);
        let optimum = solve(&a, &[q(4), q(12), q(18)], &[q(3), q(5)], &Budget::default()).expect("an optimum");
        assert_eq!(optimum.primal, [q(2), q(6)]);
        assert_eq!(optimum.dual, [q(0), Rational::from((3, 2)), q(1)]);
    }

    /// A program on which the rule of the largest gain alone goes round for ever (Beale): its optimum is 1/20.
    #[test]
    fn a_program_that_goes_round() {
        let r = |n: i64, d: i64| Rational::from((n, d));
        let a = vec![
            vec![r(1, 4), q(-60), r(-1, 25), q(9)],
            vec![r(1, 2), q(-90), r(-1, 50), q(3)],
            vec![q(0), q(0), q(1), q(0)],
        ];
        let c = [r(3, 4), q(-150), r(1, 50), q(-6)];
        let optimum = solve(&a, &[q(0), q(0), q(1)], &c, &Budget::default()).expect("an optimum");
        let value: Rational = optimum.primal.iter().zip(&c).map(|(z, c)| Rational::from(z * c)).sum();
        assert_eq!(value, r(1, 20));
    }

    /// At its own numbers a basis has its own solutions.
    #[test]
    fn a_basis_has_its_solutions() {
        let a = rows(&[&[1, 0], &[0, 2], &[3, 2]]);
        let (b, c) = ([q(4), q(12), q(18)], [q(3), q(5)]);
        let optimum = solve(&a, &b, &c, &Budget::default()).expect("an optimum");
        let floats: Vec<Vec<Float>> =
            a.iter().map(|row| row.iter().map(|x| Float::with_val(64, x)).collect()).collect();
        let (primal, dual) = at_basis(&floats, &b, &c, &optimum.basis, 64).expect("a basis");
        assert_eq!(primal, optimum.primal);
        assert_eq!(dual, optimum.dual);
        assert!(at_basis(&floats, &b, &c, &[2, 2, 3], 64).is_none());
    }

    #[test]
    fn what_has_no_end_is_told() {
        assert!(solve(&rows(&[&[-1]]), &[q(1)], &[q(1)], &Budget::default()).is_err());
    }

    proptest! {
        /// Both solutions are allowed, and have one value: each proves the other.
        #[test]
        fn solutions_prove_each_other(
            a in prop::collection::vec(prop::collection::vec(0i64..6, 4), 1..6),
            b in prop::collection::vec(0i64..9, 6),
            c in prop::collection::vec(-3i64..6, 4),
        ) {
            // Every variable is bounded.
            let mut a: Vec<Vec<Rational>> = a.iter().map(|row| row.iter().map(|x| q(*x)).collect()).collect();
            a.push(vec![q(1); 4]);
            let b: Vec<Rational> = b.iter().take(a.len() - 1).map(|x| q(*x)).chain([q(7)]).collect();
            let c: Vec<Rational> = c.iter().map(|x| q(*x)).collect();
            let Optimum { primal, dual, .. } = solve(&a, &b, &c, &Budget::default()).expect("an optimum");
            let dot = |x: &[Rational], y: &[Rational]| -> Rational {
                x.iter().zip(y).map(|(x, y)| Rational::from(x * y)).sum()
            };
            prop_assert!(primal.iter().chain(&dual).all(|x| *x >= 0));
            prop_assert!(a.iter().zip(&b).all(|(row, limit)| dot(row, &primal) <= *limit));
            for (j, gain) in c.iter().enumerate() {
                let column: Vec<Rational> = a.iter().map(|row| row[j].clone()).collect();
                prop_assert!(dot(&column, &dual) >= *gain);
            }
            prop_assert_eq!(dot(&c, &primal), dot(&b, &dual));
        }
    }
}
