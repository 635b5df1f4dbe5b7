//! Constants in data files: strings going out; coming in also integers, and the one-key objects of the vector files.

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

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Real, E> {
        Err(E::custom("a number with a point is not exact in JSON: put it in quotes, \"0.1\" is 1/10"))
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
