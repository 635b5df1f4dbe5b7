//! Integers times powers of two, rounded to a side: numbers of any size, however small, at the price of their digits.
//!
//! A fraction with the denominator `2^300000` costs as much in every step as its denominator is long. Here the power is
//! a number beside the integer, and each result is rounded down or up to so many bits, as it is asked for.

use std::cmp::Ordering;

use malachite::Integer;
use malachite::base::num::arithmetic::traits::{DivRound, ShrRound, Sign};
use malachite::base::num::logic::traits::SignificantBits;
use malachite::base::rounding_modes::RoundingMode::{self, Ceiling, Floor};
use malachite::rational::Rational;

use super::elementary::{ceiling_at, exp_parts, floor_at, ln_of_parts, sqrt_bounds};

/// `mantissa 2^exponent`.
#[derive(Clone, Debug)]
pub struct Dyadic {
    mantissa: Integer,
    exponent: i64,
}

/// Two ends of an interval that holds the true value, low end first.
pub type Ends = (Dyadic, Dyadic);

impl Dyadic {
    /// Of an integer.
    pub fn whole(n: i64) -> Self {
        Dyadic { mantissa: Integer::from(n), exponent: 0 }
    }

    /// `2^exponent`.
    pub fn power_of_two(exponent: i64) -> Self {
        Dyadic { mantissa: Integer::from(1), exponent }
    }

    /// Both multiples of `2^-w` next to a rational.
    pub fn of(x: &Rational, w: u64) -> Ends {
        let at = |mantissa| Dyadic { mantissa, exponent: -(w as i64) };
        (at(floor_at(x, w)), at(ceiling_at(x, w)))
    }

    /// As a fraction.
    pub fn rational(&self) -> Rational {
        let value = Rational::from(&self.mantissa);
        if self.exponent >= 0 { value << self.exponent.unsigned_abs() } else { value >> self.exponent.unsigned_abs() }
    }

    pub fn sign(&self) -> Ordering {
        self.mantissa.sign()
    }

    pub fn is_positive(&self) -> bool {
        self.mantissa > 0
    }

    pub fn neg(&self) -> Self {
        Dyadic { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    /// Half of it.
    pub fn half(&self) -> Self {
        Dyadic { mantissa: self.mantissa.clone(), exponent: self.exponent - 1 }
    }

    /// The exponent of the first bit behind which there is nothing: the size is below two to this.
    fn top(&self) -> i64 {
        self.exponent + self.mantissa.significant_bits() as i64
    }

    /// The mantissa at another exponent, rounded to a side.
    fn at(&self, exponent: i64, side: RoundingMode) -> Integer {
        if self.exponent >= exponent {
            &self.mantissa << (self.exponent - exponent).unsigned_abs()
        } else {
            (&self.mantissa).shr_round((exponent - self.exponent).unsigned_abs(), side).0
        }
    }

    /// Rounded to a multiple of `2^-w`.
    pub fn rounded(&self, w: u64, side: RoundingMode) -> Self {
        let exponent = self.exponent.max(-(w as i64));
        Dyadic { mantissa: self.at(exponent, side), exponent }
    }

    /// In multiples of `2^-w`, rounded to a side.
    pub fn units(&self, w: u64, side: RoundingMode) -> Integer {
        self.at(-(w as i64), side)
    }

    /// Rounded to so many bits.
    fn trimmed(self, bits: u64, side: RoundingMode) -> Self {
        let exponent = self.exponent.max(self.top() - bits as i64);
        if exponent == self.exponent { self } else { Dyadic { mantissa: self.at(exponent, side), exponent } }
    }

    /// The sum; what is lost is below `2^-bits` of the larger of both.
    pub fn add(&self, other: &Self, bits: u64, side: RoundingMode) -> Self {
        if self.mantissa == 0 {
            return other.clone();
        }
        if other.mantissa == 0 {
            return self.clone();
        }
        let exponent = self.exponent.min(other.exponent).max(self.top().max(other.top()) - bits as i64 - 2);
        Dyadic { mantissa: self.at(exponent, side) + other.at(exponent, side), exponent }
    }

    /// The product.
    pub fn mul(&self, other: &Self, bits: u64, side: RoundingMode) -> Self {
        let (mantissa, exponent) = (&self.mantissa * &other.mantissa, self.exponent + other.exponent);
        Dyadic { mantissa, exponent }.trimmed(bits, side)
    }

    /// The quotient by a number that is not 0.
    pub fn div(&self, other: &Self, bits: u64, side: RoundingMode) -> Self {
        let size = |x: &Self| x.mantissa.significant_bits() as i64;
        let shift = (bits as i64 + 2 + size(other) - size(self)).max(0).unsigned_abs();
        let mantissa = (&self.mantissa << shift).div_round(&other.mantissa, side).0;
        Dyadic { mantissa, exponent: self.exponent - other.exponent - shift as i64 }
    }

    /// `e^x`, from both sides, for an x that is no longer than its digits after the point.
    pub fn exp(&self, bits: u64) -> Ends {
        Self::exp_of(&self.rational(), bits)
    }

    /// `e^x` of a fraction, from both sides.
    pub fn exp_of(x: &Rational, bits: u64) -> Ends {
        let (low, high, exponent) = exp_parts(x, bits);
        let at = |mantissa| Dyadic { mantissa: Integer::from(mantissa), exponent };
        (at(low), at(high))
    }

    /// The logarithm of a positive number, from both sides.
    pub fn ln(&self, bits: u64) -> Ends {
        // `2^n m`, m between 1/2 and 1.
        let size = self.mantissa.significant_bits();
        let (low, high) = ln_of_parts(Rational::from(&self.mantissa) >> size, self.top(), bits);
        // Fractions whose denominators are powers of two.
        (Dyadic::exactly(&low), Dyadic::exactly(&high))
    }

    /// The root of a number that is not negative, from both sides.
    pub fn sqrt(&self, bits: u64) -> Ends {
        let (low, high) = sqrt_bounds(&self.rational(), bits);
        (Dyadic::exactly(&low), Dyadic::exactly(&high))
    }

    /// A fraction whose denominator is a power of two.
    pub fn exactly(x: &Rational) -> Self {
        let w = x.denominator_ref().significant_bits() - 1;
        Dyadic { mantissa: floor_at(x, w), exponent: -(w as i64) }
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.sign();
        if sign != other.sign() || sign.is_eq() {
            return sign.cmp(&other.sign());
        }
        match self.top().cmp(&other.top()) {
            Ordering::Equal => {
                let exponent = self.exponent.min(other.exponent);
                self.at(exponent, Floor).cmp(&other.at(exponent, Floor))
            }
            larger if sign.is_gt() => larger,
            larger => larger.reverse(),
        }
    }
}

/// The sum of two intervals.
pub fn add(a: &Ends, b: &Ends, bits: u64) -> Ends {
    (a.0.add(&b.0, bits, Floor), a.1.add(&b.1, bits, Ceiling))
}

/// Their difference.
pub fn sub(a: &Ends, b: &Ends, bits: u64) -> Ends {
    (a.0.add(&b.1.neg(), bits, Floor), a.1.add(&b.0.neg(), bits, Ceiling))
}

/// Their product.
pub fn mul(a: &Ends, b: &Ends, bits: u64) -> Ends {
    // By signs, where they tell which corners are the ends.
    let corners =
        |low: [&Dyadic; 2], high: [&Dyadic; 2]| (low[0].mul(low[1], bits, Floor), high[0].mul(high[1], bits, Ceiling));
    let sign = |x: &Ends| match (x.0.sign().is_ge(), x.1.sign().is_le()) {
        (true, _) => Ordering::Greater,
        (_, true) => Ordering::Less,
        _ => Ordering::Equal,
    };
    match (sign(a), sign(b)) {
        (Ordering::Greater, Ordering::Greater) => corners([&a.0, &b.0], [&a.1, &b.1]),
        (Ordering::Less, Ordering::Less) => corners([&a.1, &b.1], [&a.0, &b.0]),
        (Ordering::Greater, Ordering::Less) => corners([&a.1, &b.0], [&a.0, &b.1]),
        (Ordering::Less, Ordering::Greater) => corners([&a.0, &b.1], [&a.1, &b.0]),
        _ => {
            let all = [(&a.0, &b.0), (&a.0, &b.1), (&a.1, &b.0), (&a.1, &b.1)];
            let ends = all.map(|(x, y)| corners([x, y], [x, y]));
            ends.into_iter().reduce(|x, y| (x.0.min(y.0), x.1.max(y.1))).unwrap_or((Dyadic::whole(0), Dyadic::whole(0)))
        }
    }
}

/// Their quotient, by what is positive.
pub fn div(a: &Ends, b: &Ends, bits: u64) -> Ends {
    let low_by = if a.0.sign().is_ge() { &b.1 } else { &b.0 };
    let high_by = if a.1.sign().is_ge() { &b.0 } else { &b.1 };
    (a.0.div(low_by, bits, Floor), a.1.div(high_by, bits, Ceiling))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    use super::super::elementary::{exp_bounds, ln_bounds};

    fn rational(text: &str) -> Rational {
        Rational::from_str(text).unwrap()
    }

    fn both(ends: &Ends) -> (Rational, Rational) {
        (ends.0.rational(), ends.1.rational())
    }

    /// Sums, products and quotients lie between their ends, which are close; numbers of all signs and sizes.
    #[test]
    fn arithmetic_encloses_that_of_fractions() {
        let texts = ["1/3", "-22/7", "1000001/3", "-1/1267650600228229401496703205377", "0", "5", "-5", "1/1024"];
        let values = texts.map(rational);
        for x in &values {
            for y in &values {
                let (a, b) = (Dyadic::of(x, 300), Dyadic::of(y, 300));
                let holds = |ends: &Ends, value: Rational| {
                    let (low, high) = both(ends);
                    assert!(low <= value && value <= high && (high - low) << 140u64 <= 1u32, "{x} {y}");
                };
                holds(&add(&a, &b, 200), x + y);
                holds(&sub(&a, &b, 200), x - y);
                holds(&mul(&a, &b, 200), x * y);
                if *y > 0u32 {
                    let (low, high) = both(&div(&a, &b, 200));
                    assert!(low <= x / y && x / y <= high, "{x} {y}");
                }
                assert_eq!(a.0.cmp(&b.0), a.0.rational().cmp(&b.0.rational()), "{x} {y}");
            }
        }
    }

    /// Intervals around 0 have the products of all corners.
    #[test]
    fn products_of_intervals_hold_all_corners() {
        let ends = [(-2, 3), (-5, -1), (1, 4), (0, 2), (-3, 0), (-1, 1)];
        for (a, b) in ends {
            for (c, d) in ends {
                let set = |x, y| (Dyadic::whole(x), Dyadic::whole(y));
                let (low, high) = both(&mul(&set(a, b), &set(c, d), 100));
                let corners = [a * c, a * d, b * c, b * d];
                let (least, most) = (corners.iter().min().copied(), corners.iter().max().copied());
                assert_eq!((Some(low), Some(high)), (least.map(Rational::from), most.map(Rational::from)));
            }
        }
    }

    /// The same bounds as of fractions, where these are not too long; and what is far out comes back.
    #[test]
    fn functions_are_those_of_fractions() {
        for text in ["-1000/3", "22/7", "-1/1024", "0", "1"] {
            let x = Dyadic::of(&rational(text), 200).0;
            assert_eq!(both(&x.exp(150)), exp_bounds(&x.rational(), 150), "{text}");
            if x.is_positive() {
                assert_eq!(both(&x.ln(150)), ln_bounds(&x.rational(), 150), "{text}");
            }
        }
        let far = Dyadic::whole(-100_000_000);
        let (low, high) = far.exp(200);
        assert!(low.ln(150).0 <= far && far <= high.ln(150).1 && high.ln(150).0 < low.ln(150).1);
        let (low, high) = Dyadic::whole(2).sqrt(200);
        assert!(
            low < high
                && low.mul(&low, 500, Floor) < Dyadic::whole(2)
                && high.mul(&high, 500, Floor) > Dyadic::whole(2)
        );
        assert!(Dyadic::power_of_two(-400) < Dyadic::whole(1).half());
        assert_eq!(Dyadic::exactly(&rational("-3/8")).rounded(1, Floor), Dyadic::whole(-1).half());
        assert_eq!(Dyadic::exactly(&rational("-3/8")).rounded(1, Ceiling), Dyadic::whole(0));
    }
}
