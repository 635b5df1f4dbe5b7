//! The noun: a mechanism, a quantity and a point.
//!
//! The same type is typed on the command line, read by `dpcert answer`, stored in a vector and asked of another
//! program. Its JSON form:
//!
//! ```json
//! {"quantity": "delta", "mechanism": "gaussian(sigma=1)^10", "at": {"epsilon": "1"},
//!  "direction": "worst", "digits": 30}
//! ```
//!
//! `mechanism` may also be the list form of [`Composition`]; `direction`, `digits` and `method` have defaults; an `id`
//! is echoed.

use std::fmt;

pub use dpcert_vectors::Quantity as QuantityName;
use serde::{Deserialize, Serialize};

use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Composition, check};
use enclosure::Real;

/// What is asked, with its point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// The privacy profile: the hockey-stick divergence at `e^epsilon`, for any real epsilon.
    Delta {
        /// Where the profile is taken.
        epsilon: Real,
    },
    /// The least `epsilon >= 0` whose profile is at most `delta`.
    Epsilon {
        /// The level, in `[0, 1]`.
        delta: Real,
    },
    /// The trade-off function: the least type II error of a test at type I error `alpha`.
    Beta {
        /// The type I error, in `[0, 1]`.
        alpha: Real,
    },
    /// The Renyi divergence.
    Renyi {
        /// Its order, above 1.
        order: Real,
    },
    /// The Kullback-Leibler divergence.
    Kl,
    /// The total variation distance.
    Tv,
    /// The chi-squared divergence.
    Chi2,
    /// The max divergence.
    Max,
}

/// The question.
///
/// It is read from one line of JSON too, and shown as one.
///
/// ```
/// use dpcert::{Direction, Method, Quantity, Query};
///
/// let query = Query::new(Quantity::Tv, "geometric(epsilon=1/2)^3".parse()?)
///     .with_digits(30)
///     .with_direction(Direction::Forward)
///     .with_method(Method::Lattice);
/// let line = query.to_string();
/// assert!(line.starts_with(r#"{"quantity":"tv","mechanism":"geometric(epsilon=1/2)^3""#));
/// assert_eq!(serde_json::from_str::<Query>(&line)?, query);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "QueryJson")]
#[non_exhaustive]
pub struct Query {
    /// What is asked.
    pub quantity: Quantity,
    /// Of which mechanism.
    pub mechanism: Composition,
    /// Of which of its two divergences.
    pub direction: Direction,
    /// How many significant digits are to be proven.
    pub digits: u32,
    /// How many of them do where more do not come cheaply: all, unless nobody asked for a number of digits.
    pub enough: u32,
    /// By which kind of engine, for the quantities of a composed curve.
    pub method: Method,
    /// Echoed in the answer, so that a stream of answers can be matched with its questions.
    pub id: Option<String>,
}

impl Query {
    /// Digits proven when nobody asks for a number of them, if they come cheaply.
    pub const DEFAULT_DIGITS: u32 = 15;
    /// Digits that do when nobody asks for a number of them.
    pub const LEAST_DIGITS: u32 = 6;
    /// The most digits that can be asked for.
    pub const MAX_DIGITS: u32 = 1_000_000;

    /// A question about the worst direction, to the digits that come cheaply: from [`Query::LEAST_DIGITS`] to
    /// [`Query::DEFAULT_DIGITS`].
    pub fn new(quantity: Quantity, mechanism: Composition) -> Self {
        Query {
            quantity,
            mechanism,
            direction: Direction::Worst,
            digits: Self::DEFAULT_DIGITS,
            enough: Self::LEAST_DIGITS,
            method: Method::Auto,
            id: None,
        }
    }

    /// The same question, to this number of digits and no fewer.
    #[must_use]
    pub fn with_digits(self, digits: u32) -> Self {
        Query { digits, enough: digits, ..self }
    }

    /// The same question, of one direction.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        Query { direction, ..self }
    }

    /// The same question, to an engine of one kind.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Query { method, ..self }
    }

    /// The same question, refused if its point lies outside the quantity's domain, its digits outside `1..=10^6`, or if
    /// it names a method for a quantity that has only one.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        if self.digits == 0 || self.digits > Self::MAX_DIGITS {
            return Err(Error::input(format!(
                "digits must be between 1 and {}, got {}",
                Self::MAX_DIGITS,
                self.digits
            )));
        }
        if self.method != Method::Auto && !self.quantity.of_curve() {
            return Err(Error::input(
                "the quantities renyi, kl, chi2 and max have one method each: leave `method` out",
            ));
        }
        match &self.quantity {
            Quantity::Epsilon { delta } => check::unit("delta", delta)?,
            Quantity::Beta { alpha } => check::unit("alpha", alpha)?,
            Quantity::Renyi { order } => check::above_one("the order of a Renyi divergence", order)?,
            Quantity::Delta { .. } | Quantity::Kl | Quantity::Tv | Quantity::Chi2 | Quantity::Max => {}
        }
        Ok(self)
    }
}

/// One line of JSON, as `dpcert answer` reads it.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[derive(Serialize)]
        struct Line<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            id: &'a Option<String>,
            quantity: QuantityName,
            mechanism: String,
            at: Point,
            direction: Direction,
            #[serde(skip_serializing_if = "Option::is_none")]
            digits: Option<u32>,
            method: Method,
        }
        let Query { quantity, mechanism, direction, digits, enough, method, id } = self;
        let line = Line {
            id,
            quantity: quantity.name(),
            mechanism: mechanism.to_string(),
            at: quantity.point(),
            direction: *direction,
            digits: (digits == enough).then_some(*digits),
            method: *method,
        };
        f.write_str(&serde_json::to_string(&line).map_err(|_| fmt::Error)?)
    }
}

/// The point at which a quantity is taken, as it stands in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a point, as in {\"epsilon\": \"1\"}")]
pub struct Point {
    /// For `delta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<Real>,
    /// For `epsilon`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Real>,
    /// For `beta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Real>,
    /// For `renyi`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Real>,
}

impl Quantity {
    /// The quantity's name without its point.
    pub(crate) fn name(&self) -> QuantityName {
        match self {
            Quantity::Delta { .. } => QuantityName::Delta,
            Quantity::Epsilon { .. } => QuantityName::Epsilon,
            Quantity::Beta { .. } => QuantityName::Beta,
            Quantity::Renyi { .. } => QuantityName::Renyi,
            Quantity::Kl => QuantityName::Kl,
            Quantity::Tv => QuantityName::Tv,
            Quantity::Chi2 => QuantityName::Chi2,
            Quantity::Max => QuantityName::Max,
        }
    }

    /// Is it asked of the composed curve? The others add up over the parts.
    pub(crate) fn of_curve(&self) -> bool {
        match self {
            Quantity::Delta { .. } | Quantity::Epsilon { .. } | Quantity::Beta { .. } | Quantity::Tv => true,
            Quantity::Renyi { .. } | Quantity::Kl | Quantity::Chi2 | Quantity::Max => false,
        }
    }

    /// Does it lie between 0 and 1?
    pub(crate) fn is_probability(&self) -> bool {
        matches!(self, Quantity::Delta { .. } | Quantity::Beta { .. } | Quantity::Tv)
    }

    /// The point.
    pub(crate) fn point(&self) -> Point {
        let mut point = Point::default();
        match self {
            Quantity::Delta { epsilon } => point.epsilon = Some(epsilon.clone()),
            Quantity::Epsilon { delta } => point.delta = Some(delta.clone()),
            Quantity::Beta { alpha } => point.alpha = Some(alpha.clone()),
            Quantity::Renyi { order } => point.order = Some(order.clone()),
            Quantity::Kl | Quantity::Tv | Quantity::Chi2 | Quantity::Max => {}
        }
        point
    }

    /// Name and point put together; a point that does not fit the name is refused.
    pub(crate) fn at(name: QuantityName, point: Point) -> Result<Self, Error> {
        let Point { epsilon, delta, alpha, order } = point;
        match (name, epsilon, delta, alpha, order) {
            (QuantityName::Delta, Some(epsilon), None, None, None) => Ok(Quantity::Delta { epsilon }),
            (QuantityName::Epsilon, None, Some(delta), None, None) => Ok(Quantity::Epsilon { delta }),
            (QuantityName::Beta, None, None, Some(alpha), None) => Ok(Quantity::Beta { alpha }),
            (QuantityName::Renyi, None, None, None, Some(order)) => Ok(Quantity::Renyi { order }),
            (QuantityName::Kl, None, None, None, None) => Ok(Quantity::Kl),
            (QuantityName::Tv, None, None, None, None) => Ok(Quantity::Tv),
            (QuantityName::Chi2, None, None, None, None) => Ok(Quantity::Chi2),
            (QuantityName::Max, None, None, None, None) => Ok(Quantity::Max),
            (QuantityName::Delta, ..) => Err(Error::input("the quantity delta is taken at {\"epsilon\": ...} alone")),
            (QuantityName::Epsilon, ..) => Err(Error::input("the quantity epsilon is taken at {\"delta\": ...} alone")),
            (QuantityName::Beta, ..) => Err(Error::input("the quantity beta is taken at {\"alpha\": ...} alone")),
            (QuantityName::Renyi, ..) => Err(Error::input("the quantity renyi is taken at {\"order\": ...} alone")),
            _ => Err(Error::input("the quantities kl, tv, chi2 and max are taken at no point: leave `at` out")),
        }
    }
}

/// A query as it stands in JSON, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a query, as in {\"quantity\": \"kl\", \"mechanism\": \"gdp(mu=1)\"}")]
pub struct QueryJson {
    id: Option<String>,
    quantity: QuantityName,
    mechanism: Composition,
    #[serde(default)]
    at: Point,
    #[serde(default = "default_direction")]
    direction: Direction,
    digits: Option<u32>,
    #[serde(default)]
    method: Method,
}

fn default_direction() -> Direction {
    Direction::Worst
}

impl TryFrom<QueryJson> for Query {
    type Error = Error;
    fn try_from(json: QueryJson) -> Result<Self, Error> {
        let query = Query::new(Quantity::at(json.quantity, json.at)?, json.mechanism);
        let query = Query { direction: json.direction, method: json.method, id: json.id, ..query };
        json.digits.map_or(query.clone(), |digits| query.with_digits(digits)).checked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown is read again.
    #[test]
    fn queries_are_shown_as_they_are_read() {
        for line in [
            r#"{"id":"q","quantity":"delta","mechanism":"gaussian(sigma=1)^10 * approx-dp(epsilon=ln(3/2), delta=1/10)","at":{"epsilon":"sqrt(2)"},"direction":"backward","digits":30,"method":"quadrature"}"#,
            r#"{"quantity":"kl","mechanism":"finite(p=[1/2, 1/2], q=[1/3, 2/3])","at":{},"direction":"worst","digits":15,"method":"auto"}"#,
            r#"{"quantity":"kl","mechanism":"gdp(mu=1)","at":{},"direction":"worst","method":"auto"}"#,
        ] {
            let query: Query = serde_json::from_str(line).expect("a query");
            assert_eq!(query.to_string(), line);
        }
    }
}
