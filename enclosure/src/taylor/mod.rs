//! Taylor polynomials with certified coefficients, and certified integrals.
//!
//! A [`Taylor`] holds enclosures of `f^(k)(x)/k!`, `k = 0, ..., n`, for one function at every point x of a set: at a
//! point they are its Taylor polynomial, over an interval the last one bounds the remainder. They come from those of
//! the variable itself by the recurrences of automatic differentiation (Moore 1966, chapter 11; Griewank and Walther
//! 2008, chapter 13), each of which is an identity between coefficients, so that enclosures go to enclosures.

mod integral;

pub use integral::integrate;

use std::cmp::Ordering;

use crate::Enclosure;

/// Taylor coefficients of a function at every point of a set, from the value on.
#[derive(Clone, Debug)]
pub struct Taylor {
    coefficients: Vec<Enclosure>,
}

impl Taylor {
    /// The variable, at the points of a set.
    pub fn variable(at: &Enclosure, degree: usize) -> Self {
        let mut all = Self::constant(at, degree);
        if let Some(slope) = all.coefficients.get_mut(1) {
            *slope = Enclosure::one(at.bits());
        }
        all
    }

    /// A constant, given by an enclosure.
    pub fn constant(value: &Enclosure, degree: usize) -> Self {
        let mut coefficients = vec![Enclosure::zero(value.bits()); degree + 1];
        coefficients[0] = value.clone();
        Taylor { coefficients }
    }

    /// The coefficients, from the value on; there is at least one.
    pub fn coefficients(&self) -> &[Enclosure] {
        &self.coefficients
    }

    /// The value.
    pub fn value(&self) -> &Enclosure {
        &self.coefficients[0]
    }

    /// The precision.
    pub fn bits(&self) -> u32 {
        self.value().bits()
    }

    fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// `sum a_j b_(k-j)` over `from <= j <= to`.
    fn cauchy(a: &[Enclosure], b: &[Enclosure], k: usize, from: usize, to: usize) -> Enclosure {
        let mut sum = Enclosure::zero(a[0].bits());
        for j in from..=to {
            sum = sum + &a[j] * &b[k - j];
        }
        sum
    }

    /// `f + c`.
    #[must_use]
    pub fn plus(&self, constant: &Enclosure) -> Self {
        let mut all = self.clone();
        all.coefficients[0] = self.value() + constant;
        all
    }

    /// `c f`.
    #[must_use]
    pub fn times(&self, constant: &Enclosure) -> Self {
        Taylor { coefficients: self.coefficients.iter().map(|c| c * constant).collect() }
    }

    /// `f + g`.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let both = self.coefficients.iter().zip(&other.coefficients);
        Taylor { coefficients: both.map(|(a, b)| a + b).collect() }
    }

    /// `f g`.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let degree = self.degree().min(other.degree());
        let term = |k| Self::cauchy(&self.coefficients, &other.coefficients, k, 0, k);
        Taylor { coefficients: (0..=degree).map(term).collect() }
    }

    /// `f^n`.
    #[must_use]
    pub fn pow(&self, exponent: u32) -> Self {
        let mut power = Self::constant(&Enclosure::one(self.bits()), self.degree());
        for _ in 0..exponent {
            power = power.mul(self);
        }
        // The value is one power, and narrower as such.
        power.coefficients[0] = self.value().pow(u64::from(exponent));
        power
    }

    /// `e^f`: from `(e^f)' = f' e^f`.
    #[must_use]
    pub fn exp(&self) -> Self {
        let slopes = self.derivative();
        let mut all = vec![self.value().exp()];
        // Of polynomials most slopes are 0, and add nothing.
        let last = slopes.iter().rposition(|slope| slope.sign() != Some(Ordering::Equal)).map_or(0, |last| last + 1);
        for k in 1..=self.degree() {
            // k e_k = sum j f_j e_(k-j)
            let sum = (1..=k.min(last)).fold(Enclosure::zero(self.bits()), |sum, j| sum + &slopes[j - 1] * &all[k - j]);
            all.push(sum.div_u32(index(k)));
        }
        Taylor { coefficients: all }
    }

    /// `e^f - 1`, with full relative accuracy near 0.
    #[must_use]
    pub fn expm1(&self) -> Self {
        let mut all = self.exp();
        all.coefficients[0] = self.value().expm1();
        all
    }

    /// `ln(1 + f)`, with full relative accuracy near 0; unbounded where `1 + f` may not be positive.
    #[must_use]
    pub fn log1p(&self) -> Self {
        self.logarithm(self.value().log1p(), &(self.value() + &Enclosure::one(self.bits())))
    }

    /// `ln f`; unbounded where f may not be positive.
    #[must_use]
    pub fn ln(&self) -> Self {
        self.logarithm(self.value().ln(), self.value())
    }

    /// The logarithm of what has these higher coefficients and this value, from that of the value.
    fn logarithm(&self, value: Enclosure, base: &Enclosure) -> Self {
        let slopes = self.derivative();
        // f l' = f', and l' has the coefficients (j+1) l_(j+1).
        let mut rates: Vec<Enclosure> = Vec::with_capacity(self.degree());
        for (k, slope) in slopes.into_iter().enumerate() {
            let sum = (0..k).fold(slope, |sum, j| sum - &rates[j] * &self.coefficients[k - j]);
            rates.push(&sum / base);
        }
        let higher = rates.into_iter().enumerate().map(|(k, rate)| rate.div_u32(index(k + 1)));
        Taylor { coefficients: std::iter::once(value).chain(higher).collect() }
    }

    /// A function g of f from its value and its derivative: `(g(f))' = g'(f) f'`, so `k g_k = sum j f_j g'_(k-j)`.
    #[must_use]
    pub fn along(&self, value: Enclosure, derivative: &Self) -> Self {
        let slopes = self.derivative();
        let mut all = vec![value];
        for k in 1..=self.degree().min(derivative.degree() + 1) {
            let sum = (1..=k)
                .fold(Enclosure::zero(self.bits()), |sum, j| sum + &slopes[j - 1] * &derivative.coefficients[k - j]);
            all.push(sum.div_u32(index(k)));
        }
        Taylor { coefficients: all }
    }

    /// `1/f`; unbounded where f may be 0.
    #[must_use]
    pub fn recip(&self) -> Self {
        let mut all = vec![self.value().recip()];
        for k in 1..=self.degree() {
            let sum = Self::cauchy(&self.coefficients, &all, k, 1, k);
            all.push(-(&sum / self.value()));
        }
        Taylor { coefficients: all }
    }

    /// The coefficients of the derivative: `k f_k`.
    fn derivative(&self) -> Vec<Enclosure> {
        let all = self.coefficients.iter().enumerate().skip(1);
        all.map(|(k, coefficient)| coefficient.mul_u32(index(k))).collect()
    }
}

/// Degrees are small.
fn index(k: usize) -> u32 {
    u32::try_from(k).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
