//! Constants in data files: strings, always.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Real;
use crate::error::Error;

impl FromStr for Real {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        Ok(Real::parse(text)?)
    }
}

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Real {
    fn schema_name() -> Cow<'static, str> {
        "Real".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "an exact real constant: 0.1 (which is 1/10), 3/2, 1e-11, ln(3/2), sqrt(2), exp(1), \
                f64:0x1.999999999999ap-4, and expressions of them with + - * / ^ and parentheses",
            "examples": ["1/10", "ln(3/2)", "64/25 + 2*sqrt(2)"],
        })
    }
}
