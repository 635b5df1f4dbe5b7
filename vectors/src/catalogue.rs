//! What mechanisms and quantities there are. Both come from one table, `catalogue.json`: `dpcert` writes it from its
//! own catalogue, with the vectors and their schema, and the lint here and the Python package read it.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::format::Quantity;
pub use crate::format::Trend;

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// The mechanisms, in the order of the program.
    pub mechanisms: Vec<Mechanism>,
    /// The quantities, in the order of [`Quantity::ALL`].
    pub quantities: Vec<Quantities>,
}

/// A mechanism, as vectors have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// Its name.
    pub name: String,
    /// In the order of the canonical expression.
    pub parameters: Vec<Parameter>,
    /// Whether it acts on another mechanism.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acts_on_another: bool,
}

/// A parameter, as vectors have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The set of its values.
    pub domain: Domain,
    /// Its value where it is left out; without one it never is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// How the privacy loss goes with it.
    pub loss: Trend,
}

/// The set that the values of a parameter are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// Any number that exists.
    Real,
    /// At least 0.
    NonNegative,
    /// Above 0.
    Positive,
    /// Above 1.
    AboveOne,
    /// From 0 to 1.
    Probability,
    /// An integer, at least this.
    Integer {
        /// The first one.
        least: u64,
    },
    /// A list of rationals, none negative, that sum to exactly 1.
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
    /// Where it is asked for; a number rather than a curve has nothing here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Where it is asked for, if there is more than one coordinate: the sets of those that belong together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Vec<String>>,
    /// How it goes with its coordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<Trend>,
    /// Whether it is never above 1.
    pub probability: bool,
    /// Whether it may be below 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// How it goes with the privacy loss.
    pub loss: Trend,
}

impl Catalogue {
    /// That of this version.
    pub fn stored() -> &'static Self {
        // A test holds the file against the catalogue of the program, so it can be read.
        static STORED: LazyLock<Catalogue> =
            LazyLock::new(|| serde_json::from_str(include_str!("../catalogue.json")).unwrap_or_default());
        &STORED
    }

    /// With these mechanisms, and all quantities.
    pub fn new(mechanisms: Vec<Mechanism>) -> Self {
        Self { mechanisms, quantities: Quantity::ALL.into_iter().map(Quantities::of).collect() }
    }

    /// The mechanism of this name.
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
