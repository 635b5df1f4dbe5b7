//! Numbers of a vector file: strings with one canonical spelling each, read without rounding.
//!
//! | type | stands for | written |
//! |---|---|---|
//! | [`Rational`] | an exact rational | `-3/2`, `7` |
//! | [`Dyadic`] | an exact `m * 2^e` of any size | `0x1.8p-3`, `0x1p-13288` |
//! | [`Decimal`] | an exact `m * 10^e` | `1.2345e-4000` |
//! | [`Double`] | a binary64 | `0x1.999999999999ap-4`, `inf` |
//!
//! `FromStr` is lenient (`0.1`, `0x3p4`), because people type; reading a *file* accepts only the spelling that
//! `Display` prints, so that a number has one spelling and a file has one sequence of bytes.
//!
//! Nothing here expands an exponent before it has been checked against [`MAX_EXPONENT`], and a number of more than
//! [`MAX_DIGITS`] digits is refused: the work and the memory that a hostile file can cause are bounded.

mod decimal;
mod double;
mod dyadic;
mod rational;

pub use decimal::Decimal;
pub use double::{Double, hex_of_f64, tightest_f64};
pub use dyadic::Dyadic;
pub use rational::{Rational, compare};

pub(crate) use double::tightest_quotient;
pub(crate) use rational::difference;

use num_bigint::{BigInt, BigUint};
use thiserror::Error;

/// Maximum magnitude of the binary or decimal exponent of the leading digit.
pub const MAX_EXPONENT: i64 = 1_000_000;

/// Maximum number of decimal or hexadecimal digits.
///
/// Converting decimals costs the square of their length; at this length it is still a few milliseconds.
pub const MAX_DIGITS: usize = 20_000;

/// Error while parsing a number.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NumberError {
    /// The text does not follow the grammar.
    #[error("{text} is not {expected}")]
    Malformed {
        /// The text, quoted and shortened.
        text: String,
        /// The expected form.
        expected: &'static str,
    },
    /// The number is valid, but not in its canonical spelling.
    #[error("{text} must be written {canonical}")]
    Spelling {
        /// The text, quoted and shortened.
        text: String,
        /// The canonical spelling, quoted and shortened.
        canonical: String,
    },
    /// The exponent exceeds [`MAX_EXPONENT`].
    #[error("{text} has an exponent beyond ±{MAX_EXPONENT}")]
    Exponent {
        /// The text, quoted and shortened.
        text: String,
    },
    /// There are more than [`MAX_DIGITS`] digits.
    #[error("{text} has more than {MAX_DIGITS} digits")]
    Digits {
        /// The text, quoted and shortened.
        text: String,
    },
}

impl NumberError {
    fn malformed(text: &str, expected: &'static str) -> Self {
        Self::Malformed { text: quote(text), expected }
    }

    fn exponent(text: &str) -> Self {
        Self::Exponent { text: quote(text) }
    }

    fn digits(text: &str) -> Self {
        Self::Digits { text: quote(text) }
    }
}

/// The text in quotes, on one line, and short enough for an error message.
pub(crate) fn quote(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", &text[..end]),
    }
}

/// Splits off a leading minus sign.
fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

/// The number with these ASCII digits of the given radix; `None` unless there is a digit and nothing but digits.
///
/// The check is ours because num-bigint also takes signs and underscores.
fn parse_digits(digits: &[u8], radix: u32) -> Option<BigUint> {
    let all_digits = digits.iter().all(|&byte| char::from(byte).is_digit(radix));
    if digits.is_empty() || !all_digits {
        return None;
    }
    BigUint::parse_bytes(digits, radix)
}

/// A magnitude and its sign.
fn signed(negative: bool, magnitude: BigUint) -> BigInt {
    let number = BigInt::from(magnitude);
    if negative { -number } else { number }
}

/// What may follow the `e` or `p` of a number: an optional sign and decimal digits.
enum Exponent {
    Value(i64),
    TooLarge,
    Malformed,
}

fn parse_exponent(text: &str) -> Exponent {
    let (negative, digits) = match text.strip_prefix('+') {
        Some(rest) => (false, rest),
        None => split_sign(text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Exponent::Malformed;
    }
    match digits.parse::<i64>() {
        Ok(value) if value <= MAX_EXPONENT => Exponent::Value(if negative { -value } else { value }),
        _ => Exponent::TooLarge,
    }
}

/// Gives a number type its place in a JSON file: a string, in the spelling of its `Display` and no other.
macro_rules! canonical_string {
    ($type:ident, $pattern:expr, $description:expr) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl serde::de::Visitor<'_> for Text {
                    type Value = $type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a string: ", $description))
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        $type::from_canonical(text).map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }

        impl $type {
            /// Parses the canonical spelling, which is the output of `Display`.
            pub fn from_canonical(text: &str) -> Result<Self, $crate::number::NumberError> {
                let number: Self = text.parse()?;
                let canonical = number.to_string();
                if canonical == text {
                    Ok(number)
                } else {
                    Err($crate::number::NumberError::Spelling {
                        text: $crate::number::quote(text),
                        canonical: $crate::number::quote(&canonical),
                    })
                }
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "pattern": $pattern,
                    "description": $description,
                })
            }
        }
    };
}
use canonical_string;
