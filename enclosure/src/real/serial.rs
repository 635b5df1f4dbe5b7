//! Constants in data files. They are written as strings; strings, integers, other numbers, and the one-key objects of
//! vector files are read.
//!
//! **Numbers with a point or an exponent** reach this crate as doubles. A double is read as the shortest decimal that
//! rounds to it, `0.1` as 1/10. Decimals of up to 15 digits are therefore read as written, because different ones are
//! different doubles. Numbers with more digits are refused, because the written number cannot be recovered. So are
//! numbers outside the range in which this holds: 0.0 may have been `1e-400`, subnormal doubles have fewer digits, and
//! integers that are too long for the JSON parser become doubles as well.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Real;

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RealVisitor)
    }
}

struct RealVisitor;

impl<'de> Visitor<'de> for RealVisitor {
    type Value = Real;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a constant as a string, such as \"1/10\" or \"ln(3/2)\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Real, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Real, E> {
        Ok(Real::from(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Real, E> {
        Ok(Real::from(rug::Rational::from(value)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Real, E> {
        decimal_of(value).map_err(E::custom)?.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Real, A::Error> {
        let one = || de::Error::custom("expected one function, as in {\"ln\": \"3/2\"}");
        let (name, argument): (String, String) = map.next_entry()?.ok_or_else(one)?;
        if map.next_key::<String>()?.is_some() {
            return Err(one());
        }
        let text = match name.as_str() {
            "ln" | "sqrt" => format!("{name}({argument})"),
            "expr" => argument,
            _ => return Err(one()),
        };
        text.parse().map_err(de::Error::custom)
    }
}

/// The most digits of a decimal that every normal double keeps.
const KEPT: usize = 15;

/// From here on a double may have been an integer of more digits.
const LONG: f64 = 1e15;

/// The shortest decimal that rounds to a double from a data file.
///
/// # Errors
/// A message if the double is not finite, if its shortest decimal has more digits than doubles preserve, or if it is
/// too small or too large to recover the decimal that was written.
pub fn decimal_of(value: f64) -> Result<String, String> {
    if !value.is_finite() {
        return Err(format!("{value} is not a number"));
    }
    if value == 0.0 {
        return Err(
            "0.0 may be a number that is too small for a double: write 0, or put the number in quotation marks".into(),
        );
    }
    if !(value.abs() >= f64::MIN_POSITIVE && value.abs() < LONG) {
        return Err(format!(
            "the number {value:e} is too small or too large to be read exactly: put it in quotation marks"
        ));
    }
    let text = format!("{value:e}");
    let digits = text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    if digits > KEPT {
        return Err(format!("the number {value} has more than {KEPT} digits: put it in quotation marks"));
    }
    Ok(text)
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Real {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Real".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "an exact real constant: 0.1 (which is 1/10), 3/2, 1e-11, ln(3/2), sqrt(2), exp(1), \
                f64:0x1.999999999999ap-4, and expressions of them with + - * / ^ and parentheses",
            "examples": ["1/10", "ln(3/2)", "64/25 + 2*sqrt(2)"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_decimals_they_show() {
        let read = |text: &str| serde_json::from_str::<Real>(text).map_err(|error| error.to_string());
        for text in ["0.1", "1e-11", "2.5", "-0.5", "1.1", "123456789.012345", "9e14", "0.000123456789012345"] {
            assert_eq!(read(text), Ok(text.parse::<Real>().expect("a constant")), "{text}");
        }
        let beyond = ["0.0", "-0.0", "1e-400", "4e-324", "1e-310", "1e22", "10000000000000000000001"];
        for text in ["0.30000000000000004", "0.1234567890123456"].into_iter().chain(beyond) {
            assert!(read(text).expect_err(text).contains("in quotation marks"), "{text}");
        }
        assert!(read("1e999").is_err());
    }
}
