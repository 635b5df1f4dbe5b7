//! Outward-rounded fixed-point numbers over malachite integers, with the few functions that the routes need.

use malachite::Integer;
use malachite::base::num::arithmetic::traits::{DivRound, FloorSqrt, ShrRound};
use malachite::base::num::basic::traits::{One, Zero};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::base::rounding_modes::RoundingMode::{Ceiling, Floor};

use crate::error::Error;
use enclosure::Real;

/// All reals between `low / 2^F` and `high / 2^F`, with `F` held by [`Fixed`].
#[derive(Clone, Debug)]
pub struct Span {
    pub low: Integer,
    pub high: Integer,
}

/// The scale `2^F`, and the constants at this scale.
pub struct Fixed {
    pub bits: u64,
    pub one: Integer,
    pub ln_2: Span,
    pub pi: Span,
}

impl Span {
    pub fn is_negative(&self) -> bool {
        self.high < 0
    }

    pub fn is_positive(&self) -> bool {
        self.low > 0
    }

    pub fn neg(&self) -> Span {
        Span { low: -&self.high, high: -&self.low }
    }

    pub fn add(&self, other: &Span) -> Span {
        Span { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    pub fn sub(&self, other: &Span) -> Span {
        Span { low: &self.low - &other.high, high: &self.high - &other.low }
    }

    pub fn times(&self, n: u64) -> Span {
        let n = Integer::from(n);
        Span { low: &self.low * &n, high: &self.high * &n }
    }

    pub fn over(&self, n: u64) -> Span {
        let n = Integer::from(n);
        Span { low: (&self.low).div_round(&n, Floor).0, high: (&self.high).div_round(&n, Ceiling).0 }
    }

    /// Widened by `units` of `2^-F`.
    pub fn widen(&self, units: &Integer) -> Span {
        Span { low: &self.low - units, high: &self.high + units }
    }
}

impl Fixed {
    pub fn new(bits: u64) -> Self {
        let one = Integer::ONE << bits;
        // ln 2 = 2 atanh(1/3); pi/4 = 4 atan(1/5) - atan(1/239) (Machin).
        let ln_2 = inverse_series(3, &one, false).times(2);
        let pi = inverse_series(5, &one, true).times(4).sub(&inverse_series(239, &one, true)).times(4);
        Fixed { bits, one, ln_2, pi }
    }

    pub fn integer(&self, n: i64) -> Span {
        let value = Integer::from(n) << self.bits;
        Span { low: value.clone(), high: value }
    }

    pub fn fraction(&self, numer: &Integer, denom: &Integer) -> Span {
        let scaled = numer << self.bits;
        Span { low: (&scaled).div_round(denom, Floor).0, high: scaled.div_round(denom, Ceiling).0 }
    }

    pub fn rational(&self, value: &rug::Rational) -> Result<Span, Error> {
        Ok(self.fraction(&integer(value.numer())?, &integer(value.denom())?))
    }

    /// A constant: rationals and their logarithms by this module's own arithmetic, other expressions through the
    /// enclosures that the main floor gives.
    pub fn real(&self, value: &Real) -> Result<Span, Error> {
        if let Some(value) = value.as_rational() {
            return self.rational(value);
        }
        if let Some(value) = value.exp_rational() {
            return self.ln(&integer(value.numer())?, &integer(value.denom())?);
        }
        let bits = u32::try_from(self.bits).unwrap_or(u32::MAX).saturating_add(64);
        let set = value.enclosure(bits);
        let end = |x: &rug::Float| x.to_rational().ok_or_else(|| Error::Undecided("a constant is not bounded".into()));
        Ok(Span { low: self.rational(&end(set.lower())?)?.low, high: self.rational(&end(set.upper())?)?.high })
    }

    pub fn mul(&self, a: &Span, b: &Span) -> Span {
        if a.low >= 0 && b.low >= 0 {
            return Span { low: (&a.low * &b.low) >> self.bits, high: self.up(&a.high * &b.high) };
        }
        let products = [&a.low * &b.low, &a.low * &b.high, &a.high * &b.low, &a.high * &b.high];
        let (mut low, mut high) = (products[0].clone(), products[0].clone());
        for product in products {
            if product < low {
                low = product.clone();
            }
            if product > high {
                high = product;
            }
        }
        Span { low: low >> self.bits, high: self.up(high) }
    }

    fn up(&self, x: Integer) -> Integer {
        x.shr_round(self.bits, Ceiling).0
    }

    /// `a / b` for a positive `b`.
    pub fn div(&self, a: &Span, b: &Span) -> Result<Span, Error> {
        if !b.is_positive() {
            return Err(Error::Undecided("a divisor of the second route may be zero".into()));
        }
        let low_by = if a.low >= 0 { &b.high } else { &b.low };
        let high_by = if a.high >= 0 { &b.low } else { &b.high };
        Ok(Span {
            low: (&a.low << self.bits).div_round(low_by, Floor).0,
            high: (&a.high << self.bits).div_round(high_by, Ceiling).0,
        })
    }

    /// Square root of a positive number.
    pub fn sqrt(&self, x: &Span) -> Result<Span, Error> {
        if x.low < 0 {
            return Err(Error::Undecided("a square root of the second route may be of a negative number".into()));
        }
        Ok(Span { low: (&x.low << self.bits).floor_sqrt(), high: (&x.high << self.bits).floor_sqrt() + Integer::ONE })
    }

    /// `e^x = mantissa 2^exponent`, so that no value is too small.
    pub fn exp(&self, x: &Span) -> Result<(Span, i64), Error> {
        let k = (&x.low).div_round(&self.ln_2.high, Floor).0;
        let count = i64::try_from(&k).map_err(|_| Error::Undecided("an exponential of the second route".into()))?;
        let rest = x.sub(&Span { low: &k * &self.ln_2.low, high: &k * &self.ln_2.high }.ordered());
        // e^r = (e^{r / 2^16})^(2^16), with r between about 0 and 1.
        const HALVINGS: u64 = 16;
        if rest.low < -&self.one || rest.high > &self.one * Integer::from(2) {
            return Err(Error::Undecided("an exponential of the second route is too wide".into()));
        }
        let r = Span { low: &rest.low >> HALVINGS, high: (&rest.high).shr_round(HALVINGS, Ceiling).0 };
        let unit = self.integer(1);
        let (mut term, mut sum) = (unit.clone(), unit);
        let mut n = 1;
        // |r| <= 2^-15, so what is left after a term is less than that term.
        while term.high > 1 || term.low < -1 {
            term = self.mul(&term, &r).over(n);
            sum = sum.add(&term);
            n += 1;
        }
        sum = sum.widen(&Integer::from(2));
        for _ in 0..HALVINGS {
            sum = self.mul(&sum, &sum);
        }
        Ok((sum, count))
    }

    /// `ln(p/q)` for positive integers.
    fn ln(&self, p: &Integer, q: &Integer) -> Result<Span, Error> {
        let size = |x: &Integer| i64::try_from(x.significant_bits()).unwrap_or(i64::MAX);
        // p/q = 2^k z with z between 1/2 and 2.
        let k = size(p) - size(q);
        let (mut p, mut q) = (p.clone(), q.clone());
        if k >= 0 {
            q <<= k.unsigned_abs()
        } else {
            p <<= k.unsigned_abs()
        }
        // ln z = 2 atanh((z-1)/(z+1)), of at most 1/3.
        let w = self.fraction(&(&p - &q), &(&p + &q));
        let square = self.mul(&w, &w);
        let (mut power, mut sum) = (w.clone(), w);
        let mut n = 3;
        while power.high > 1 || power.low < -1 {
            power = self.mul(&power, &square);
            sum = sum.add(&power.over(n));
            n += 2;
        }
        let scale = Integer::from(k);
        let whole = Span { low: &scale * &self.ln_2.low, high: &scale * &self.ln_2.high }.ordered();
        Ok(whole.add(&sum.widen(&Integer::from(2)).times(2)))
    }
}

impl Span {
    /// The ends in order, after a product with an integer of unknown sign.
    fn ordered(self) -> Span {
        if self.low <= self.high { self } else { Span { low: self.high, high: self.low } }
    }
}

/// `atan(1/n)` (alternating) or `atanh(1/n)`, scaled by `one`, for `n >= 3`.
fn inverse_series(n: u64, one: &Integer, alternating: bool) -> Span {
    let square = Integer::from(n * n);
    let mut power = one / Integer::from(n);
    let (mut sum, mut k, mut terms) = (Integer::ZERO, 0u64, 0u64);
    while power != 0 {
        let term = &power / Integer::from(2 * k + 1);
        if alternating && k % 2 == 1 {
            sum -= term
        } else {
            sum += term
        }
        power /= &square;
        k += 1;
        terms += 1;
    }
    // Each term is below the truth by less than two units (its power by less than 1 + 1/9 + ...), and the rest of
    // the series, which begins with a power below one unit, by less than two.
    let slack = Integer::from(2 * terms + 2);
    Span { low: &sum - &slack, high: sum + slack }
}

/// An integer of the other library.
pub fn integer(value: &rug::Integer) -> Result<Integer, Error> {
    value.to_string().parse().map_err(|()| Error::Undecided("an integer could not be carried over".into()))
}

/// `value / 2^shift` as a rational of the other library.
pub fn rational(value: &Integer, shift: i64) -> Result<rug::Rational, Error> {
    let value: rug::Integer =
        value.to_string().parse().map_err(|_| Error::Undecided("an integer could not be carried over".into()))?;
    let shift =
        i32::try_from(shift).map_err(|_| Error::Undecided("a value of the second route is too small".into()))?;
    Ok(rug::Rational::from(value) >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Enclosure;

    fn overlaps(span: &Span, shift: i64, truth: &Enclosure) {
        let (low, high) = (rational(&span.low, shift).unwrap(), rational(&span.high, shift).unwrap());
        assert!(low <= *truth.upper() && high >= *truth.lower() && low <= high);
        let width = rug::Rational::from(&high - &low);
        assert!(width <= high >> 150);
    }

    #[test]
    fn functions_overlap_mpfr() {
        let fixed = Fixed::new(200);
        overlaps(&fixed.pi, 200, &Enclosure::pi(400));
        for (p, q) in [(1i64, 3i64), (7, 2), (1000, 1), (123, 1000)] {
            let value = rug::Rational::from((p, q));
            let set = Enclosure::rational(&value, 500);
            let span = fixed.rational(&value).unwrap();
            for (span, set) in [(span.clone(), set.clone()), (span.neg(), -&set)] {
                let (mantissa, exponent) = fixed.exp(&span).unwrap();
                overlaps(&mantissa, 200 - exponent, &set.exp());
            }
            overlaps(&fixed.sqrt(&span).unwrap(), 200, &set.sqrt());
            let ln = fixed.real(&Real::from(value).ln().unwrap()).unwrap();
            let (ln, truth) = if p < q { (ln.neg(), -&set.ln()) } else { (ln, set.ln()) };
            overlaps(&ln, 200, &truth);
        }
    }
}
