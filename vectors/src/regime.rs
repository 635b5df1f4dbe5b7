//! What the random parameters of both property-testing libraries have in common: regimes, and small integers to draw.
//!
//! Every number comes from a few small integers, so that making the integers smaller makes the number simpler. The
//! simplest regime comes first.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};

use crate::exact::Exact;
use crate::format::{Factor, Parameter};

/// The largest number of repetitions that is drawn.
pub(crate) const MAX_TIMES: u64 = 1_000_000;

/// The integers that a number is made of. Every draw is valid: they are taken modulo the size of their range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draw {
    pub(crate) regime: u8,
    pub(crate) n: u8,
    pub(crate) d: u8,
    pub(crate) power: u16,
}

impl Draw {
    fn n(self) -> BigRational {
        integer(self.n)
    }

    /// `n + 1`, where zero will not do
    fn n_positive(self) -> BigRational {
        self.n() + BigRational::one()
    }

    fn d(self) -> BigRational {
        integer(self.d) + BigRational::one()
    }

    /// Positive and below 1; from 1/10 down past the smallest double.
    fn tiny(self) -> BigRational {
        let digit = integer(self.n % 9) + BigRational::one();
        digit / power_of_ten(self.power % 400 + 1)
    }

    /// From 10 to a few billions.
    fn huge(self) -> BigRational {
        self.n_positive() * power_of_ten(self.power % 7 + 1)
    }
}

/// `>= 0`: ordinary, `ln(p/q)` with `p >= q`, tiny, huge
pub(crate) fn epsilon(draw: Draw) -> Exact {
    match draw.regime % 4 {
        0 => (draw.n() / draw.d()).into(),
        1 => Exact::Ln((BigRational::one() + draw.n() / draw.d()).into()),
        2 => draw.tiny().into(),
        _ => draw.huge().into(),
    }
}

/// In `[0, 1]`: ordinary with both ends, tiny, near 1
pub(crate) fn probability(draw: Draw) -> BigRational {
    match draw.regime % 3 {
        0 => {
            let sum = integer(draw.n) + integer(draw.d);
            if sum.is_zero() { sum } else { draw.n() / sum }
        }
        1 => draw.tiny(),
        _ => BigRational::one() - draw.tiny(),
    }
}

/// `> 1`: ordinary, near 1, huge
pub(crate) fn order(draw: Draw) -> BigRational {
    BigRational::one()
        + match draw.regime % 3 {
            0 => draw.n_positive() / draw.d(),
            1 => draw.tiny(),
            _ => draw.huge(),
        }
}

/// `> 0`: ordinary, square roots, tiny, huge
pub(crate) fn sigma(draw: Draw) -> Exact {
    match draw.regime % 4 {
        0 => (draw.n_positive() / draw.d()).into(),
        1 => Exact::Sqrt((draw.n_positive() / draw.d()).into()),
        2 => draw.tiny().into(),
        _ => draw.huge().into(),
    }
}

/// From 1 to [`MAX_TIMES`], each order of magnitude as likely as another.
pub(crate) fn times(draw: Draw) -> u64 {
    let scale = 10u64.pow(u32::from(draw.regime % 6));
    (1 + u64::from(draw.n) % 100 * scale).min(MAX_TIMES)
}

/// Two distributions on the same outcomes, each with sum exactly 1. Probabilities may be 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinitePair {
    /// The first distribution.
    pub p: Vec<BigRational>,
    /// The second distribution, of the same length.
    pub q: Vec<BigRational>,
}

impl FinitePair {
    /// The pair as a mechanism that runs once.
    pub fn to_factor(&self) -> Factor {
        let list =
            |probabilities: &[BigRational]| Parameter::List(probabilities.iter().cloned().map(Exact::from).collect());
        Factor {
            mechanism: "finite".to_owned(),
            parameters: [("p".to_owned(), list(&self.p)), ("q".to_owned(), list(&self.q))].into(),
            of: Vec::new(),
            times: 1,
            sought: false,
        }
    }
}

/// The pair whose probabilities are in proportion to the weights.
pub(crate) fn finite_pair(weights: &[(u8, u8)]) -> FinitePair {
    FinitePair { p: normalise(weights.iter().map(|(p, _)| *p)), q: normalise(weights.iter().map(|(_, q)| *q)) }
}

fn normalise(weights: impl Iterator<Item = u8>) -> Vec<BigRational> {
    let mut weights: Vec<BigRational> = weights.map(integer).collect();
    let sum = weights.iter().fold(BigRational::zero(), |sum, weight| sum + weight);
    if sum.is_zero() {
        // No weight at all: all of it on the first outcome, which must exist.
        match weights.first_mut() {
            Some(first) => *first = BigRational::one(),
            None => weights.push(BigRational::one()),
        }
        return weights;
    }
    weights.into_iter().map(|weight| weight / &sum).collect()
}

fn integer(value: impl Into<BigInt>) -> BigRational {
    BigRational::from(value.into())
}

fn power_of_ten(exponent: u16) -> BigRational {
    let power: BigInt = Pow::pow(BigInt::from(10), exponent);
    power.into()
}
