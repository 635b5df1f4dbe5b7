//! Catalogue of mechanisms and quantities, read from `catalogue.json`. `dpcert` generates that file with the vectors
//! and their schema; the lint and the Python package read it.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::format::Quantity;
pub use crate::format::Trend;

/// The whole catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// The mechanisms, in the order of `dpcert`.
    pub mechanisms: Vec<Mechanism>,
    /// The quantities, in the order of [`Quantity::ALL`].
    pub quantities: Vec<Quantities>,
}

/// A mechanism as used in vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// Its name.
    pub name: String,
    /// Parameters, in the order of the canonical expression.
    pub parameters: Vec<Parameter>,
    /// Whether it acts on another mechanism.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acts_on_another: bool,
}

/// A parameter as used in vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The set of its values.
    pub domain: Domain,
    /// Default value; `None` if the parameter is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Monotonicity of the privacy loss in this parameter.
    pub loss: Trend,
}

/// The domain of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// Any real number.
    Real,
    /// At least 0.
    NonNegative,
    /// Above 0.
    Positive,
    /// Above 1.
    AboveOne,
    /// From 0 to 1.
    Probability,
    /// An integer with a lower bound.
    Integer {
        /// The smallest one.
        least: u64,
    },
    /// A list of nonnegative rationals with sum exactly 1.
    Distribution,
    /// A list of constants.
    Constants,
    /// A mechanism, run once.
    Mechanism,
    /// Compositions, each with its weight.
    Mechanisms,
}

/// A quantity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantities {
    /// Its name.
    pub name: Quantity,
    /// The coordinate at which it is evaluated; `None` for a number rather than a curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// For several coordinates: the sets of coordinates that are given together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Vec<String>>,
    /// Monotonicity in its coordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<Trend>,
    /// Whether it is at most 1.
    pub probability: bool,
    /// Whether it can be negative.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// Monotonicity in the privacy loss.
    pub loss: Trend,
}

impl Catalogue {
    /// The catalogue of this version.
    pub fn stored() -> &'static Self {
        // A test holds the file against the catalogue of the program, so it can be read.
        static STORED: LazyLock<Catalogue> =
            LazyLock::new(|| serde_json::from_str(include_str!("../catalogue.json")).unwrap_or_default());
        &STORED
    }

    /// A catalogue of these mechanisms and all quantities.
    pub fn new(mechanisms: Vec<Mechanism>) -> Self {
        Self { mechanisms, quantities: Quantity::ALL.into_iter().map(Quantities::of).collect() }
    }

    /// Finds a mechanism by name.
    pub fn mechanism(&self, name: &str) -> Option<&Mechanism> {
        self.mechanisms.iter().find(|mechanism| mechanism.name == name)
    }
}

impl Quantities {
    fn of(quantity: Quantity) -> Self {
        Self {
            name: quantity,
            coordinate: quantity.coordinate().map(str::to_owned),
            points: quantity.points().iter().map(|names| names.iter().map(|name| (*name).into()).collect()).collect(),
            along: quantity.along(),
            probability: quantity.is_probability(),
            signed: quantity.is_signed(),
            loss: quantity.with_loss(),
        }
    }
}
