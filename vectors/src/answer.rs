//! The answer of a vector: an exact number, an enclosure, infinity, or the order of two compositions.

use num_rational::BigRational;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::present;
use crate::number::{Decimal, Double, Dyadic, NumberError, Rational, tightest_f64};

/// Significant digits of the decimal bounds of an answer.
pub const DECIMAL_DIGITS: u32 = 40;

/// The proven answer: `lower <= truth <= upper` in three notations, or the order of two compositions.
///
/// | kind | `exact` | the six bounds | `order` |
/// |---|---|---|---|
/// | `exact` | yes | yes | no |
/// | `enclosure` | no | yes | no |
/// | `infinite` | no | no | no |
/// | `order` | no | no | yes |
///
/// `Answer::exact`, `Answer::enclosure`, `Answer::infinite` and `Answer::order` construct answers that pass the lint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Determines which of the other fields are present.
    pub kind: Kind,
    /// The true value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Rational"))]
    pub exact: Option<Rational>,
    /// Exact lower bound on the true value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Dyadic"))]
    pub lower: Option<Dyadic>,
    /// Exact upper bound on the true value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Dyadic"))]
    pub upper: Option<Dyadic>,
    /// `lower`, rounded down to 40 significant digits.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Decimal"))]
    pub lower_decimal: Option<Decimal>,
    /// `upper`, rounded up to 40 significant digits.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Decimal"))]
    pub upper_decimal: Option<Decimal>,
    /// The largest double not above `lower`. It may be tighter than `lower_decimal`; both are lower bounds.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Double"))]
    pub f64_lower: Option<Double>,
    /// The smallest double not below `upper`. It may be tighter than `upper_decimal`; both are upper bounds.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Double"))]
    pub f64_upper: Option<Double>,
    /// The order of the two compositions.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Order"))]
    pub order: Option<Order>,
}

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The true value itself.
    Exact,
    /// A lower and an upper bound on the true value.
    Enclosure,
    /// The true value is infinite.
    Infinite,
    /// The order of two compositions instead of a number.
    Order,
}

/// The order of two compositions. *At least as private* means that its trade-off function is nowhere below that of the
/// other or, in the direction `worst`, that its profile is nowhere above that of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// At least as private, and more private at some point.
    MorePrivate,
    /// At most as private, and less private at some point.
    LessPrivate,
    /// Both curves are equal.
    Equal,
    /// More private at some point and less private at another.
    Incomparable,
}

impl Order {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::MorePrivate, Self::LessPrivate, Self::Equal, Self::Incomparable];

    /// The order for which the first composition is, or is not, at least and at most as private as the second.
    pub fn of(at_least: bool, at_most: bool) -> Self {
        match (at_least, at_most) {
            (true, false) => Self::MorePrivate,
            (false, true) => Self::LessPrivate,
            (true, true) => Self::Equal,
            (false, false) => Self::Incomparable,
        }
    }

    /// Whether the first is at least as private as the second.
    pub fn at_least(self) -> bool {
        matches!(self, Self::MorePrivate | Self::Equal)
    }

    /// Whether the first is at most as private as the second.
    pub fn at_most(self) -> bool {
        matches!(self, Self::LessPrivate | Self::Equal)
    }

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::MorePrivate => "more-private",
            Self::LessPrivate => "less-private",
            Self::Equal => "equal",
            Self::Incomparable => "incomparable",
        }
    }
}

/// The true value as determined by an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// The value lies in `[lower, upper]`; for an exact answer both ends are equal.
    Within {
        /// The lower end.
        lower: BigRational,
        /// The upper end, at least the lower end.
        upper: BigRational,
    },
    /// The value is infinite.
    Infinite,
}

impl Answer {
    /// The exact answer `value`, with an enclosure of at most `bits` bits.
    ///
    /// # Errors
    /// If the value exceeds the limits of [`Dyadic`] or [`Decimal`].
    pub fn exact(value: BigRational, bits: u32) -> Result<Self, NumberError> {
        let (lower, upper) = Dyadic::enclose(&value, bits)?;
        Ok(Self { kind: Kind::Exact, exact: Some(value.into()), ..Self::enclosure(lower, upper)? })
    }

    /// The answer `lower <= truth <= upper`.
    ///
    /// # Errors
    /// If an end exceeds the limits of [`Decimal`].
    pub fn enclosure(lower: Dyadic, upper: Dyadic) -> Result<Self, NumberError> {
        let (low, high) = (lower.to_rational(), upper.to_rational());
        Ok(Self {
            kind: Kind::Enclosure,
            exact: None,
            lower: Some(lower),
            upper: Some(upper),
            lower_decimal: Some(Decimal::below(&low, DECIMAL_DIGITS)?),
            upper_decimal: Some(Decimal::above(&high, DECIMAL_DIGITS)?),
            f64_lower: Some(Double(tightest_f64(&low).0)),
            f64_upper: Some(Double(tightest_f64(&high).1)),
            order: None,
        })
    }

    /// The answer for an infinite value.
    pub fn infinite() -> Self {
        Self {
            kind: Kind::Infinite,
            exact: None,
            lower: None,
            upper: None,
            lower_decimal: None,
            upper_decimal: None,
            f64_lower: None,
            f64_upper: None,
            order: None,
        }
    }

    /// The answer that the first of two compositions has this order relative to the second.
    pub fn order(order: Order) -> Self {
        Self { kind: Kind::Order, order: Some(order), ..Self::infinite() }
    }

    /// The true value that the answer states. `None` for an order, and if the required fields are missing or
    /// inconsistent, which the lint reports.
    pub fn truth(&self) -> Option<Truth> {
        match self.kind {
            Kind::Infinite => Some(Truth::Infinite),
            Kind::Order => None,
            Kind::Exact => {
                let value = self.exact.as_ref()?.0.clone();
                Some(Truth::Within { lower: value.clone(), upper: value })
            }
            Kind::Enclosure => {
                let (lower, upper) = (self.lower.as_ref()?, self.upper.as_ref()?);
                (lower <= upper).then(|| Truth::Within { lower: lower.to_rational(), upper: upper.to_rational() })
            }
        }
    }
}
