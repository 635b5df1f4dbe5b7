//! What theorems promise of (epsilon, delta) mechanisms and of zCDP.

use serde::Deserialize;

use super::super::data::Names;
use super::super::fill::filled;
use super::{Value, budget, real};
use crate::error::Error;
use crate::pair::Part;
use crate::theorem::kov;
use crate::theorem::zcdp::Zcdp;
use enclosure::{Number, refine};

/// A theorem about equal (epsilon, delta) mechanisms.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theorem {
    name: TheoremName,
    epsilon: String,
    delta: String,
    times: String,
    at: String,
}

/// The theorems of Kairouz, Oh and Viswanath that are bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum TheoremName {
    /// Basic composition.
    #[serde(rename = "kov-3.1")]
    Basic,
    /// Advanced composition of Dwork, Rothblum and Vadhan.
    #[serde(rename = "kov-3.2")]
    Advanced,
    /// Simplified optimal composition.
    #[serde(rename = "kov-3.4")]
    Simplified,
}

/// zCDP, and how it becomes an epsilon.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    conversion: ConversionName,
    rho: String,
    delta: String,
}

/// The conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ConversionName {
    /// Bun and Steinke 2016.
    BunSteinke,
    /// Canonne, Kamath and Steinke 2020, at the best order.
    CanonneKamathSteinke,
}

impl Theorem {
    /// All texts in which names are filled in.
    pub fn texts(&self) -> Vec<&str> {
        [&self.epsilon, &self.delta, &self.times, &self.at].map(String::as_str).into()
    }

    pub fn ask(&self, given: &Names, digits: u32) -> Result<Value, Error> {
        let times = filled(&self.times, given);
        let part = Part {
            epsilon: real("epsilon", &self.epsilon, given)?,
            delta: real("delta", &self.delta, given)?,
            times: times.parse().map_err(|_| Error::input(format!("times must be an integer, not `{times}`")))?,
        };
        let at = real("at", &self.at, given)?;
        let theorem = match self.name {
            TheoremName::Basic => kov::Theorem::Basic,
            TheoremName::Advanced => kov::Theorem::Advanced,
            TheoremName::Simplified => kov::Theorem::Simplified,
        };
        let steps = kov::Steps::new([part])?;
        let least = |bits| Ok(kov::delta_at(theorem, &steps, &at, bits)?.unwrap_or_else(Number::one));
        let number = refine(digits, &budget(), least)?;
        Ok(Value::Number(number))
    }
}

impl Conversion {
    /// All texts in which names are filled in.
    pub fn texts(&self) -> Vec<&str> {
        [&self.rho, &self.delta].map(String::as_str).into()
    }

    pub fn ask(&self, given: &Names, digits: u32) -> Result<Value, Error> {
        let rho = real("rho", &self.rho, given)?;
        let rho = rho.as_rational().ok_or_else(|| Error::input(format!("rho must be rational, not {rho}")))?;
        let (zcdp, delta, budget) = (Zcdp::new(rho.clone())?, real("delta", &self.delta, given)?, budget());
        let number = match self.conversion {
            ConversionName::BunSteinke => {
                let epsilon = zcdp.bun_steinke(&delta)?;
                refine(digits, &budget, |bits| Ok(epsilon.number(bits)))
            }
            ConversionName::CanonneKamathSteinke => {
                refine(digits, &budget, |bits| zcdp.canonne_kamath_steinke(&delta, bits, &budget))
            }
        };
        number.map(Value::Number)
    }
}
