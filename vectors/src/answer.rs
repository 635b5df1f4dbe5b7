//! The answer of a vector: an exact number, an enclosure, infinity, or which of two compositions is the more private.

use num_rational::BigRational;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::present;
use crate::number::{Decimal, Double, Dyadic, NumberError, Rational, tightest_f64};

/// How many significant digits the outward decimals of an answer have.
pub const DECIMAL_DIGITS: u32 = 40;

/// What is known of the true value: `lower <= truth <= upper`, in three notations; or an order.
///
/// | kind | `exact` | the six bounds | `order` |
/// |---|---|---|---|
/// | `exact` | yes | yes | no |
/// | `enclosure` | no | yes | no |
/// | `infinite` | no | no | no |
/// | `order` | no | no | yes |
///
/// `Answer::exact`, `Answer::enclosure`, `Answer::infinite` and `Answer::order` make answers that pass the lint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Which of the other fields there are.
    pub kind: Kind,
    /// The true value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Rational"))]
    pub exact: Option<Rational>,
    /// An exact number that is not above the truth.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Dyadic"))]
    pub lower: Option<Dyadic>,
    /// An exact number that is not below the truth.
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
    /// The largest double that is not above `lower`. It may be tighter than `lower_decimal`: both are below the truth.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Double"))]
    pub f64_lower: Option<Double>,
    /// The smallest double that is not below `upper`. It may be tighter than `upper_decimal`: both are above the truth.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Double"))]
    pub f64_upper: Option<Double>,
    /// Which of two compositions is the more private.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Order"))]
    pub order: Option<Order>,
}

/// How much is known of the true value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The true value itself.
    Exact,
    /// Two numbers with the true value between them.
    Enclosure,
    /// The true value is infinite.
    Infinite,
    /// It is no number, but which of two compositions is the more private.
    Order,
}

/// What a composition is beside another one. *At least as private* means that its trade-off function is nowhere below
/// that of the other, or, with the direction `worst`, that its profile is nowhere above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// At least as private, and somewhere more.
    MorePrivate,
    /// At most as private, and somewhere less.
    LessPrivate,
    /// Both curves are the same.
    Equal,
    /// Somewhere more private, and somewhere less.
    Incomparable,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::MorePrivate, Self::LessPrivate, Self::Equal, Self::Incomparable];

    /// By both relations: is it at least as private as the other, and at most?
    pub fn of(at_least: bool, at_most: bool) -> Self {
        match (at_least, at_most) {
            (true, false) => Self::MorePrivate,
            (false, true) => Self::LessPrivate,
            (true, true) => Self::Equal,
            (false, false) => Self::Incomparable,
        }
    }

    /// Is the first at least as private as the second?
    pub fn at_least(self) -> bool {
        matches!(self, Self::MorePrivate | Self::Equal)
    }

    /// Is the first at most as private as the second?
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

/// The true value, as far as an answer tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// It lies in `[lower, upper]`; an exact answer has both ends equal.
    Within {
        /// The lower end.
        lower: BigRational,
        /// The upper end, not below the lower one.
        upper: BigRational,
    },
    /// It is infinite.
    Infinite,
}

impl Answer {
    /// The answer `value`, with an enclosure of at most `bits` bits beside it.
    ///
    /// # Errors
    /// When the value is beyond the limits of [`Dyadic`] or [`Decimal`].
    pub fn exact(value: BigRational, bits: u32) -> Result<Self, NumberError> {
        let (lower, upper) = Dyadic::enclose(&value, bits)?;
        Ok(Self { kind: Kind::Exact, exact: Some(value.into()), ..Self::enclosure(lower, upper)? })
    }

    /// The answer `lower <= truth <= upper`.
    ///
    /// # Errors
    /// When an end is beyond the limits of [`Decimal`].
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

    /// The answer that the truth is infinite.
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

    /// The answer that the first of two compositions is this beside the second.
    pub fn order(order: Order) -> Self {
        Self { kind: Kind::Order, order: Some(order), ..Self::infinite() }
    }

    /// What the answer says of the true value; `None` of an order, which is no number, and when the fields it needs are
    /// missing or contradict each other, which the lint reports.
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
