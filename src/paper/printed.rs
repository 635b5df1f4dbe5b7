//! A decimal as a paper prints it, and what it claims.

use rug::ops::Pow;
use rug::{Integer, Rational};

use super::data::Rounding;

/// A printed decimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Its value.
    pub value: Rational,
    /// One unit of its last place.
    pub unit: Rational,
}

impl Printed {
    /// What a text such as `2.63`, `-0.07`, `3e-6` or `13.9%` says. (A percent sign is a unit, as `[%]` above a column
    /// is: it does not divide.)
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{}` is not a decimal such as 2.63 or 3e-6", crate::table::quoted(text));
        let number = text.strip_suffix('%').unwrap_or(text);
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (sign, digits) = mantissa.strip_prefix('-').map_or((1, mantissa), |digits| (-1, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{whole}{fraction}");
        if whole.is_empty() || all.len() > 1000 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let exponent: i32 = exponent.parse().map_err(|_| wrong())?;
        if exponent.unsigned_abs() > 10_000 {
            return Err(wrong());
        }
        let unit = ten_to(exponent - fraction.len() as i32);
        let digits = Integer::parse(&all).map_err(|_| wrong())?;
        Ok(Printed { value: Rational::from(Integer::from(digits)) * sign * &unit, unit })
    }

    /// The least and the greatest number of which this is a rounding. Both count: a tie may go either way, and what is
    /// cut off or rounded up may have had nothing to lose.
    pub fn range(&self, rounding: Rounding) -> (Rational, Rational) {
        let half = Rational::from(&self.unit / 2u32);
        // Cutting off is rounding down for what is not negative, and nothing else is printed that way.
        match rounding {
            Rounding::Nearest => (Rational::from(&self.value - &half), Rational::from(&self.value + &half)),
            Rounding::Up => (Rational::from(&self.value - &self.unit), self.value.clone()),
            Rounding::Down => (self.value.clone(), Rational::from(&self.value + &self.unit)),
        }
    }

    /// How many significant digits it has, at least 1.
    pub fn digits(&self) -> u32 {
        let units = Rational::from(&self.value / &self.unit).abs();
        u32::try_from(units.numer().to_string().len()).unwrap_or(u32::MAX)
    }
}

fn ten_to(exponent: i32) -> Rational {
    let power = Rational::from(Integer::from(10).pow(exponent.unsigned_abs()));
    if exponent < 0 { power.recip() } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(numer: i64, denom: i64) -> Rational {
        Rational::from((numer, denom))
    }

    #[test]
    fn decimals_are_read() {
        for (text, value, unit, digits) in [
            ("2.63", q(263, 100), q(1, 100), 3),
            ("3e-6", q(3, 1_000_000), q(1, 1_000_000), 1),
            ("-0.070", q(-7, 100), q(1, 1000), 2),
            ("13.9%", q(139, 10), q(1, 10), 3),
            ("1.5e2", q(150, 1), q(10, 1), 2),
            ("0", q(0, 1), q(1, 1), 1),
        ] {
            let printed = Printed::parse(text).unwrap();
            assert_eq!(
                (printed.value.clone(), printed.unit.clone(), printed.digits()),
                (value, unit, digits),
                "{text}"
            );
        }
        for text in ["", ".5", "1/3", "e5", "1e", "about 3", "1e99999", "--1", "1.2.3"] {
            assert!(Printed::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_hold_what_is_rounded_to_the_print() {
        let range = |rounding| Printed::parse("2.6").unwrap().range(rounding);
        assert_eq!(range(Rounding::Nearest), (q(255, 100), q(265, 100)));
        assert_eq!(range(Rounding::Up), (q(25, 10), q(26, 10)));
        assert_eq!(range(Rounding::Down), (q(26, 10), q(27, 10)));
    }
}
