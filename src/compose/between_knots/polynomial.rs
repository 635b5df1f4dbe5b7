//! Polynomials of `u = v/c` by their coefficients in Chebyshev's polynomials, integers in units of `2^-G`.
//!
//! **What is certified.** A [`Series`] is taken at an integer number of units next to u, and tells what it is off. The
//! derivative of `T_i` is at most `i^2` on `[-1, 1]`, so that the place counts at most `sum |a_i| i^2` times its
//! distance.

use rug::float::Round::{Down, Nearest, Up};
use rug::{Float, Integer};

use super::domain::FEW;
use enclosure::Enclosure;
use enclosure::chebyshev::Series;

/// A polynomial, and how fast it changes at most.
pub(super) struct Polynomial {
    series: Series,
    fraction: u32,
    slope: Float,
}

impl Polynomial {
    /// Of these coefficients.
    pub fn new(coefficients: Vec<Integer>, fraction: u32) -> Self {
        let mut slope = Integer::new();
        for (i, coefficient) in coefficients.iter().enumerate() {
            slope += coefficient.clone().abs() * (i as u64 * i as u64);
        }
        let slope = Float::with_val_round(FEW, &slope, Up).0 >> fraction;
        Polynomial { series: Series::new(coefficients, fraction), fraction, slope }
    }

    /// `sum |a_i| rho^i`, rounded up.
    pub fn weighted(&self, rho: &Float) -> Float {
        Size::of(self.series.coefficients(), rho).weighted >> self.fraction
    }

    /// Its value at a place between -1 and 1.
    pub fn at(&self, u: &Enclosure) -> Enclosure {
        let middle = Float::with_val(self.fraction + 8, u.lower() << self.fraction);
        let Some((middle, _)) = middle.to_integer_round(Nearest) else {
            return Enclosure::whole(64);
        };
        let (sum, units) = self.series.at(&middle);
        let unit = |x: Float| x >> self.fraction;
        let far = Enclosure::new(Float::with_val(u.bits(), &middle), Float::with_val(u.bits(), &middle));
        let far = (u - &far.shift(-(self.fraction as i32))).abs();
        let moved = Float::with_val_round(FEW, &self.slope * far.upper(), Up).0;
        let rounded = unit(Float::with_val(FEW, units));
        let wrong = Float::with_val_round(FEW, &moved + &rounded, Up).0;
        let sum = unit(Float::with_val(sum.significant_bits().max(2), &sum));
        Enclosure::new(sum.clone(), sum).with_bits(u.bits()).widen(&wrong)
    }
}

/// `sum |a_i|` and `sum |a_i| rho^i` of a polynomial, in units, rounded up.
pub(super) struct Size {
    pub plain: Float,
    pub weighted: Float,
}

impl Size {
    /// Of these coefficients.
    pub fn of(cell: &[Integer], rho: &Float) -> Self {
        let mut plain = Integer::new();
        let mut weighted = Float::new(FEW);
        for coefficient in cell.iter().rev() {
            plain += &*coefficient.as_abs();
            rug::ops::MulAssignRound::mul_assign_round(&mut weighted, rho, Up);
            let here = Float::with_val_round(FEW, coefficient, if coefficient.is_negative() { Down } else { Up }).0;
            rug::ops::AddAssignRound::add_assign_round(&mut weighted, here.abs(), Up);
        }
        Size { plain: Float::with_val_round(FEW, &plain, Up).0, weighted }
    }

    /// Of none.
    pub fn none() -> Self {
        Size { plain: Float::new(FEW), weighted: Float::new(FEW) }
    }
}
