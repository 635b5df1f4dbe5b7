//! Shuffled reports: the report of one user is hidden among clones of its two possible inputs.
//!
//! Of n reports in random order one belongs to the user whose input changes. Each of the others is a clone with some
//! probability: a report that this user might have sent with either of two inputs, with equal probability. The output
//! shows the number of reports of each kind. With `C ~ Bin(n-1, clone)` and `A ~ Bin(C, 1/2)`, and the own report
//! of the first kind with probability `own`, of the second with `other` and of neither with `rest`, P counts
//! `(A + 1, C - A)`, `(A, C - A + 1)` or `(A, C - A)`, and Q the same with `own` and `other` exchanged.
//!
//! | reduction | clone | own, other | rest |
//! |---|---|---|---|
//! | k answers; with `k = 2` the stronger clones | `2/(x+k-1)` | `x/(x+k-1)`, `1/(x+k-1)` | `(k-2)/(x+k-1)` |
//! | clones | `1/x` | `x/(x+1)`, `1/(x+1)` | 0 |
//!
//! with `x = e^epsilon`. A count of kinds (i, a), i in all and a of the first kind, has under P the mass
//! `A_c b_c(a-1) + B_c b_c(a)` with `c = i - 1`, the masses `b_c` of `Bin(c, 1/2)` and `w` of C, and
//! `A_c = own w(c) + rest w(c+1)/2`, `B_c = other w(c) + rest w(c+1)/2`: for `b_(c+1)(a)` is the mean of `b_c(a-1)` and
//! `b_c(a)`. Under Q, A and B are exchanged. (`proofs/paper/shuffling.md`)

mod counts;
mod list;

use rug::{Integer, Rational};

use self::counts::Kept;
use super::FinitePair;
use crate::error::Error;
use enclosure::{Number, Real};

/// Largest number of reports that are listed outcome by outcome.
const FEW: u64 = 12;

/// Shuffled reports of a local mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shuffled {
    reports: u64,
    epsilon: Real,
    clones: Clones,
    kept: Kept,
}

/// Definition of a clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clones {
    /// One report in `e^epsilon` (Feldman, McMillan and Talwar 2022).
    Standard,
    /// As for k-ary randomized response (Feldman, McMillan and Talwar 2023).
    Response {
        /// At least 2.
        categories: u64,
    },
}

/// The probabilities of one reduction.
#[derive(Clone, Debug)]
pub struct Shares {
    /// That another report is a clone.
    pub clone: Number,
    /// That the own report is of the first kind under P.
    pub own: Number,
    /// That it is of the second kind.
    pub other: Number,
    /// That it is of neither.
    pub rest: Number,
    /// `1 - clone`, accurate where it is small.
    pub stays: Number,
    /// `own - other`, likewise.
    pub apart: Number,
}

impl Shuffled {
    /// At least one report, of mechanisms that are epsilon-private with `epsilon > 0`.
    pub fn new(reports: u64, epsilon: Real, clones: Clones) -> Self {
        Shuffled { reports, epsilon, clones, kept: Kept::default() }
    }

    /// Number of reports.
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// The epsilon of each report.
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// Definition of a clone.
    pub fn clones(&self) -> Clones {
        self.clones
    }

    /// The probabilities, exact where `e^epsilon` is rational.
    pub fn shares(&self, bits: u32) -> Shares {
        let y = self.epsilon.neg().exp_number(bits);
        let one = Number::one();
        // 1 - y, which may be small.
        let gap = match &y {
            Number::Exact(_) => &one - &y,
            Number::Enclosed(_) => Number::Enclosed(-(-self.epsilon.enclosure(bits)).expm1()),
        };
        let times = |n: u64| &Number::Exact(n.into()) * &y;
        match self.clones {
            Clones::Standard => {
                let all = &one + &y;
                let (own, other, apart) = (&one / &all, &y / &all, &gap / &all);
                Shares { own, other, apart, clone: y, stays: gap, rest: Number::zero() }
            }
            Clones::Response { categories } => {
                let all = &one + &times(categories.saturating_sub(1));
                let alone = match categories {
                    0..=2 => gap.clone(),
                    more => &one + &times(more - 3),
                };
                Shares {
                    clone: &times(2) / &all,
                    own: &one / &all,
                    other: &y / &all,
                    rest: &times(categories.saturating_sub(2)) / &all,
                    stays: &alone / &all,
                    apart: &gap / &all,
                }
            }
        }
    }

    /// The whole pair in fractions, of few reports.
    ///
    /// # Errors
    /// None, if the masses add up.
    pub fn fractions(&self) -> Result<Option<FinitePair>, Error> {
        let Shares { clone, own, other, rest, .. } = self.shares(64);
        let exact = [clone, own, other, rest].map(|share| share.exact().cloned());
        let ([Some(clone), Some(own), Some(other), Some(rest)], true) = (exact, self.reports <= FEW) else {
            return Ok(None);
        };
        let others = u32::try_from(self.reports - 1).unwrap_or(u32::MAX);
        let power = |base: &Rational, n: u32| -> Rational { rug::ops::Pow::pow(base, n).into() };
        let stays = Rational::from(1 - &clone);
        let w = |c: u32| {
            if c > others {
                return Rational::new();
            }
            power(&clone, c) * power(&stays, others - c) * Integer::from(others).binomial(c)
        };
        let (mut p, mut q) = (vec![&rest * w(0)], vec![&rest * w(0)]);
        for c in 0..=others {
            let shared = (&rest * w(c + 1)) / 2u32;
            let (a, b) = (&own * w(c) + &shared, &other * w(c) + &shared);
            let half = |n: u32| Rational::from((Integer::from(c).binomial(n), Integer::from(1) << c));
            for count in 0..=c + 1 {
                let before = if count == 0 { Rational::new() } else { half(count - 1) };
                let here = half(count);
                p.push(Rational::from(&a * &before) + Rational::from(&b * &here));
                q.push(Rational::from(&b * &before) + Rational::from(&a * &here));
            }
        }
        FinitePair::new(p, q).map(Some)
    }
}
