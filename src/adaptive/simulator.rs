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

use super::Notion;
use super::notion::Role;
use crate::error::Error;
use crate::number::Fraction;
use enclosure::Real;

/// An entry of L: plus or minus the square root of a rational.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// Below zero?
    negative: bool,
    /// Its square.
    square: Rational,
}

impl Entry {
    /// The exact constant.
    fn value(&self) -> Result<Real, Error> {
        let root = Real::from(self.square.clone()).sqrt()?;
        Ok(if self.negative { root.neg() } else { root })
    }

    fn to_f64(&self) -> f64 {
        let root = self.square.to_f64().sqrt();
        if self.negative { -root } else { root }
    }
}

/// A row of the factor L of a [`Simulator`], from the first column to the diagonal, with the share it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatorRow {
    /// `m_i^2`.
    share: Rational,
    /// `L_i1, ..., L_ii`.
    entries: Vec<Entry>,
}

impl SimulatorRow {
    /// `m_i^2 = mu_i^2/mu^2`, the share of the budget.
    pub fn share(&self) -> Fraction {
        Fraction::new(self.share.clone())
    }

    /// `L_i1, ..., L_ii`, as exact constants: roots of fractions, all but the last of them with a minus, or 0.
    ///
    /// # Errors
    /// Only if dpcert has a bug.
    pub fn entries(&self) -> Result<Vec<Real>, Error> {
        self.entries.iter().map(Entry::value).collect()
    }

    /// The answer `W_i = m_i W_0 + sum_j L_ij V_j` from `W_0` and the normal draws `V_1, ..., V_i` of all rows up to
    /// this one, in doubles: it is a random draw, not a bound. Draws of later rows are ignored. Missing draws count as
    /// 0, so pass all of them.
    pub fn answer(&self, first: f64, normals: &[f64]) -> f64 {
        let noise: f64 = self.entries.iter().zip(normals).map(|(entry, normal)| entry.to_f64() * normal).sum();
        self.share.to_f64().sqrt() * first + noise
    }
}

/// The online simulator of fully adaptive composition: any interaction within a budget of Gaussian differential privacy
/// is a post-processing of one draw `W_0 ~ N(b, 1)`, with b = 0 for one data set and b = mu for the other (Smith,
/// Thakurta 2022, proof of the filter theorem).
///
/// With `m_i = mu_i/mu` and `s_i = m_1^2 + ... + m_i^2 <= 1` the answers are `W_i = m_i W_0 + sum_{j <= i} L_ij V_j`, V
/// standard normal. They are independent with distribution `N(b m_i, 1)`, because `L L^T = I - m m^T`. Row i does not
/// depend on later rows:
///
/// ```text
/// L_ii = sqrt((1 - s_i)/(1 - s_{i-1})),   L_ij = -m_i m_j / sqrt((1 - s_{j-1})(1 - s_j)),  j < i.
/// ```
///
/// The paper's footnote prints `L_ii` without the square root; the identity then fails for all `0 < m_1 < 1`. Once the
/// budget is spent its recursion is 0/0; this simulator continues with rows of the identity.
///
/// ```
/// use dpcert::Simulator;
///
/// let mut simulator = Simulator::new(&"1".parse()?)?;
/// let first = simulator.next(&"1/2".parse()?)?.entries()?;
/// let second = simulator.next(&"1/3".parse()?)?.entries()?;
/// // L_21^2 + L_22^2 is 1 - m_2^2, and L_11 L_21 is -m_1 m_2.
/// assert_eq!(second[0].square().add(&second[1].square()), "8/9".parse()?);
/// assert_eq!(first[0].mul(&second[0])?, "-1/6".parse()?);
/// assert!(simulator.next(&"1".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulator {
    /// `mu^2`.
    budget: Rational,
    /// `m_i^2`, and `s_i`.
    shares: Vec<(Rational, Rational)>,
}

impl Simulator {
    /// A simulator for the budget mu, without rows.
    ///
    /// # Errors
    /// [`Error::Input`] for mu = 0, and those of [`Notion::cost`].
    pub fn new(budget: &Real) -> Result<Self, Error> {
        let budget = Notion::Gdp.exact_cost(budget, Role::Limit)?;
        if budget == 0 {
            return Err(Error::input("the budget must be above 0"));
        }
        Ok(Simulator { budget, shares: Vec::new() })
    }

    /// The row of the next mechanism, which is `mu_i`-GDP given all answers before it.
    ///
    /// # Errors
    /// [`Error::Undefined`] if mu exceeds the remaining budget, and those of [`Notion::cost`]; the rows are then
    /// unchanged.
    pub fn next(&mut self, mu: &Real) -> Result<SimulatorRow, Error> {
        let share = Notion::Gdp.exact_cost(mu, Role::Spent)? / &self.budget;
        self.row(&share)
    }

    /// The row of a share.
    fn row(&mut self, share: &Rational) -> Result<SimulatorRow, Error> {
        let before = self.shares.last().map(|(_, sum)| sum.clone()).unwrap_or_default();
        let sum = Rational::from(&before + share);
        if sum > 1 {
            return Err(Error::Undefined(format!(
                "the simulator requires sum mu_i^2 <= mu^2, but a fraction {share} of the budget is requested after \
                 {before} of it is spent"
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
        Ok(SimulatorRow { share: share.clone(), entries })
    }
}

/// `(L L^T - (I - m m^T))_ij` of these rows, `j <= i`, exactly: zero for all of them says that L is right.
#[cfg(feature = "cli")]
pub fn residual(rows: &[SimulatorRow], i: usize, j: usize) -> Result<Real, Error> {
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
#[cfg(feature = "cli")]
pub fn as_printed(rows: &[SimulatorRow]) -> Result<Vec<SimulatorRow>, Error> {
    let mut printed: Vec<SimulatorRow> = Vec::with_capacity(rows.len());
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
        printed.push(SimulatorRow { share: row.share.clone(), entries });
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn simulator() -> Simulator {
        Simulator::new(&Real::one()).expect("a budget")
    }

    fn rows(shares: &[Rational]) -> Vec<SimulatorRow> {
        let mut simulator = simulator();
        shares.iter().map(|share| simulator.row(share).expect("within the budget")).collect()
    }

    fn all_zero(rows: &[SimulatorRow]) -> bool {
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
        let mut simulator = simulator();
        let real = |text: &str| text.parse::<Real>().expect("a constant");
        assert!(simulator.next(&real("1")).is_ok());
        assert!(matches!(simulator.next(&real("1/1000")), Err(Error::Undefined(_))));
        assert!(matches!(simulator.next(&real("-1")), Err(Error::Input(_))));
        assert!(simulator.next(&real("0")).is_ok());
        assert!(matches!(Simulator::new(&Real::zero()), Err(Error::Input(_))));
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
