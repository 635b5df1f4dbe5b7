//! The online simulator of Smith and Thakurta 2022: any adaptive interaction within a GDP budget, from one Gaussian
//! draw.
//!
//! With `m_i = mu_i/mu` and `W_0 ~ N(b, 1)` it answers `W_i = m_i W_0 + sum_{j <= i} L_ij V_j`, V standard normal,
//! where L is the Cholesky factor of `I - m m^T`, one row at a time: with `s_i = m_1^2 + ... + m_i^2`,
//!
//! ```text
//! L_ii = sqrt((1 - s_i)/(1 - s_{i-1})),   L_ij = -m_i m_j / sqrt((1 - s_{j-1})(1 - s_j)),  j < i.
//! ```
//!
//! The paper's footnote prints `L_ii` without the square root, and does not say what follows `s_i = 1`, where the
//! formula is 0/0: then every later m is zero, and those rows are rows of the identity. (`proofs/paper/adaptive.md`)

use rug::Rational;

use crate::error::Error;
use enclosure::Real;

/// An entry of L: plus or minus the square root of a rational.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Below zero?
    pub negative: bool,
    /// Its square.
    pub square: Rational,
}

impl Entry {
    /// The exact constant.
    pub fn value(&self) -> Result<Real, Error> {
        let root = Real::from(self.square.clone()).sqrt()?;
        Ok(if self.negative { root.neg() } else { root })
    }

    fn to_f64(&self) -> f64 {
        let root = self.square.to_f64().sqrt();
        if self.negative { -root } else { root }
    }
}

/// A row of L, from the first column to the diagonal, with the share it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `m_i^2`.
    pub share: Rational,
    /// `L_i1, ..., L_ii`.
    pub entries: Vec<Entry>,
}

impl Row {
    /// The answer `W_i` from `W_0` and the normal draws of all rows up to this one. In doubles: it is a draw, no bound.
    pub fn answer(&self, first: f64, normals: &[f64]) -> f64 {
        let noise: f64 = self.entries.iter().zip(normals).map(|(entry, normal)| entry.to_f64() * normal).sum();
        self.share.to_f64().sqrt() * first + noise
    }
}

/// The rows so far.
#[derive(Clone, Debug, Default)]
pub struct Simulator {
    /// `m_i^2`, and `s_i`.
    shares: Vec<(Rational, Rational)>,
}

impl Simulator {
    /// No row yet.
    pub fn new() -> Self {
        Simulator::default()
    }

    /// The row of the next mechanism, whose share of the budget is `m_i^2 = mu_i^2/mu^2`.
    ///
    /// # Errors
    /// [`Error::Undefined`] for a share that is negative or beyond what is left of 1; the rows stay as they were.
    pub fn next(&mut self, share: &Rational) -> Result<Row, Error> {
        let before = self.shares.last().map(|(_, sum)| sum.clone()).unwrap_or_default();
        let sum = Rational::from(&before + share);
        if *share < 0 || sum > 1 {
            return Err(Error::Undefined(format!(
                "the simulator needs sum mu_i^2 <= mu^2 with mu_i^2 >= 0, and {before} of 1 is spent when {share} is \
                 asked"
            )));
        }
        let mut entries = Vec::with_capacity(self.shares.len() + 1);
        let mut earlier = Rational::new();
        for (other, sum) in &self.shares {
            // Zero shares have zero entries, and after s = 1 all shares are zero.
            let square = if *other == 0 || *share == 0 {
                Rational::new()
            } else {
                let left = Rational::from(1 - &earlier) * Rational::from(1 - sum);
                Rational::from(share * other) / left
            };
            entries.push(Entry { negative: square != 0, square });
            earlier.clone_from(sum);
        }
        let square =
            if before == 1 { Rational::from(1) } else { Rational::from(1 - &sum) / Rational::from(1 - &before) };
        entries.push(Entry { negative: false, square });
        self.shares.push((share.clone(), sum));
        Ok(Row { share: share.clone(), entries })
    }
}

/// `(L L^T - (I - m m^T))_ij` of these rows, `j <= i`, exactly: zero for all of them says that L is right.
pub fn residual(rows: &[Row], i: usize, j: usize) -> Result<Real, Error> {
    let (Some(row), Some(other)) = (rows.get(i), rows.get(j)) else {
        return Err(Error::internal("a row that is not there"));
    };
    let root = |square: Rational| Real::from(square).sqrt();
    let mut sum = root(Rational::from(&row.share * &other.share))?;
    if i == j {
        sum = sum.sub(&Real::one());
    }
    for (a, b) in row.entries.iter().zip(&other.entries) {
        let product = root(Rational::from(&a.square * &b.square))?;
        sum = if a.negative == b.negative { sum.add(&product) } else { sum.sub(&product) };
    }
    Ok(sum)
}

/// The rows as the footnote prints them: `L_ii = (1 - s_i)/(1 - s_{i-1})`, without the square root, and
/// `L_ij = -m_i (L^-1 m)_j` with the rows before. `w = L^-1 m` has `w_j = m_j (1 + w_1^2 + ... + w_{j-1}^2)/L_jj`.
///
/// # Errors
/// [`Error::Undefined`] where the budget is spent before the last row: the recursion divides by zero.
pub fn as_printed(rows: &[Row]) -> Result<Vec<Row>, Error> {
    let mut printed: Vec<Row> = Vec::with_capacity(rows.len());
    let (mut weights, mut sum): (Vec<Rational>, _) = (Vec::new(), Rational::from(1));
    for row in rows {
        let mut entries: Vec<Entry> = Vec::with_capacity(row.entries.len());
        for weight in &weights {
            let square = Rational::from(&row.share * weight);
            entries.push(Entry { negative: square != 0, square });
        }
        let Some(diagonal) = row.entries.last() else { return Err(Error::internal("a row without entries")) };
        let square = Rational::from(diagonal.square.square_ref());
        entries.push(Entry { negative: false, square: square.clone() });
        if square == 0 && printed.len() + 1 < rows.len() {
            return Err(Error::Undefined("the recursion divides by zero once the budget is spent".into()));
        }
        if square != 0 {
            let weight = Rational::from(sum.square_ref()) * &row.share / square;
            sum += &weight;
            weights.push(weight);
        }
        printed.push(Row { share: row.share.clone(), entries });
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(shares: &[Rational]) -> Vec<Row> {
        let mut simulator = Simulator::new();
        shares.iter().map(|share| simulator.next(share).expect("within the budget")).collect()
    }

    fn all_zero(rows: &[Row]) -> bool {
        (0..rows.len()).all(|i| (0..=i).all(|j| residual(rows, i, j).expect("decided").is_zero()))
    }

    fn q(numer: i64, denom: i64) -> Rational {
        Rational::from((numer, denom))
    }

    /// The footnote's recursion misses on the diagonal, by exactly this much; the corrected one does not.
    #[test]
    fn the_printed_recursion_is_no_factor() {
        let rows = rows(&[q(1, 4), q(1, 9), q(4, 25)]);
        assert!(all_zero(&rows));
        let printed = as_printed(&rows).expect("no zero");
        let missing = |i| residual(&printed, i, i).expect("decided");
        assert_eq!(
            [missing(0), missing(1), missing(2)],
            [q(-3, 16), q(-83, 729), q(-463_976, 2_975_625)].map(Real::from)
        );
        assert!(!all_zero(&printed));
    }

    /// A budget that is spent to the last: the diagonal is zero, and rows of the identity follow.
    #[test]
    fn nothing_follows_a_spent_budget() {
        let shares = [q(1, 2), q(0, 1), q(1, 2), q(0, 1), q(0, 1)];
        let rows = rows(&shares);
        assert!(all_zero(&rows));
        assert_eq!(rows[2].entries[2].square, 0);
        assert!(matches!(as_printed(&rows), Err(Error::Undefined(_))));
        assert_eq!(rows[4].entries.iter().map(|entry| entry.square.clone()).collect::<Vec<_>>(), [0, 0, 0, 0, 1]);
        let mut simulator = Simulator::new();
        assert!(simulator.next(&q(1, 1)).is_ok());
        assert!(matches!(simulator.next(&q(1, 1_000_000)), Err(Error::Undefined(_))));
        assert!(matches!(simulator.next(&q(-1, 1)), Err(Error::Undefined(_))));
        assert!(simulator.next(&q(0, 1)).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// The identity holds exactly, whatever the shares.
        #[test]
        fn the_factor_is_one(parts in prop::collection::vec((0u32..30, 1u32..40), 1..7), slack in 0u32..20) {
            let raw: Vec<Rational> = parts.into_iter().map(Rational::from).collect();
            let total: Rational = raw.iter().sum::<Rational>() + slack;
            prop_assume!(total != 0);
            let shares: Vec<Rational> = raw.iter().map(|part| Rational::from(part / &total)).collect();
            prop_assert!(all_zero(&rows(&shares)));
        }
    }
}
