//! Exact inputs: the parameters of a mechanism and the points at which a quantity is evaluated.

#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::number::{Rational, quote};

/// An exact real input.
///
/// In a file it is a string (`"3/2"`) or an object with one key (`{"ln": "3/2"}`, `{"sqrt": "2"}`,
/// `{"expr": "2*ln(3/2)"}`). For an epsilon `ln(p/q)`, e^epsilon is rational.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exact {
    /// A rational.
    Rational(Rational),
    /// The natural logarithm of a positive rational.
    Ln(Rational),
    /// The square root of a nonnegative rational.
    Sqrt(Rational),
    /// Any other constant expression in `+ - * / ^ sqrt ln exp`. The loader does not evaluate it.
    Expr(String),
}

impl Exact {
    /// The value, if it is written as a rational.
    pub fn as_rational(&self) -> Option<&BigRational> {
        match self {
            Self::Rational(value) => Some(&value.0),
            _ => None,
        }
    }
}

impl From<BigRational> for Exact {
    fn from(value: BigRational) -> Self {
        Self::Rational(value.into())
    }
}

impl From<BigInt> for Exact {
    fn from(value: BigInt) -> Self {
        BigRational::from(value).into()
    }
}

impl From<i64> for Exact {
    fn from(value: i64) -> Self {
        Self::Rational(value.into())
    }
}

/// Writes the number in the expression language: `3/2`, `ln(3/2)`, `sqrt(2)`.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rational(value) => write!(f, "{value}"),
            Self::Ln(value) => write!(f, "ln({value})"),
            Self::Sqrt(value) => write!(f, "sqrt({value})"),
            Self::Expr(text) => f.write_str(text),
        }
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (key, value) = match self {
            Self::Rational(value) => return value.serialize(serializer),
            Self::Ln(value) => ("ln", value.to_string()),
            Self::Sqrt(value) => ("sqrt", value.to_string()),
            Self::Expr(text) => ("expr", text.clone()),
        };
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(key, &value)?;
        map.end()
    }
}

pub(crate) struct ExactVisitor;

impl<'de> Visitor<'de> for ExactVisitor {
    type Value = Exact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"an exact number: "p/q", {"ln": "p/q"}, {"sqrt": "p/q"} or {"expr": "..."}"#)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Exact, E> {
        Rational::from_canonical(text).map(Exact::Rational).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Exact, A::Error> {
        let Some(key) = map.next_key::<String>()? else {
            return Err(A::Error::custom("an exact number object needs one key: ln, sqrt or expr"));
        };
        let exact = match key.as_str() {
            "ln" => Exact::Ln(map.next_value()?),
            "sqrt" => Exact::Sqrt(map.next_value()?),
            "expr" => Exact::Expr(map.next_value()?),
            _ => return Err(A::Error::unknown_field(&key, &["ln", "sqrt", "expr"])),
        };
        match map.next_key::<String>()? {
            None => Ok(exact),
            Some(second) => Err(A::Error::custom(format!(
                "an exact number object has exactly one key; {} is a second key",
                quote(&second)
            ))),
        }
    }
}

// By hand, because an untagged enum would answer every mistake with "did not match any variant".
impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExactVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Exact {
    fn schema_name() -> Cow<'static, str> {
        "Exact".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let rational = generator.subschema_for::<Rational>();
        let one_key = |key: &str, value: &Schema, description: &str| {
            json_schema!({
                "type": "object",
                "properties": { key: value },
                "required": [key],
                "additionalProperties": false,
                "description": description,
            })
        };
        let text = json_schema!({ "type": "string", "minLength": 1 });
        json_schema!({
            "description": "An exact real input.",
            "oneOf": [
                &rational,
                one_key("ln", &rational, "The natural logarithm of a positive rational."),
                one_key("sqrt", &rational, "The square root of a nonnegative rational."),
                one_key("expr", &text, "Any other constant expression in + - * / ^ sqrt ln exp."),
            ],
        })
    }
}
