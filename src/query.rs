//! Queries: a mechanism, a quantity and a point.
//!
//! The same type is used by the command line, by `dpcert answer`, in test vectors, and in queries to other programs.
//! Its JSON form:
//!
//! ```json
//! {"quantity": "delta", "mechanism": "gaussian(sigma=1)^10", "at": {"epsilon": "1"},
//!  "direction": "worst", "digits": 30}
//! ```
//!
//! `mechanism` may also be the list form of [`Composition`]; `direction`, `digits` and `method` have defaults; an `id`
//! is echoed.

mod point;

use std::fmt;

pub use dpcert_vectors::Quantity as QuantityName;
use serde::{Deserialize, Serialize};

pub use self::point::{Order, Point};
use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Composition, check};
use crate::theorem::functional::{Functional, HIGHEST};
use enclosure::Real;

/// A quantity, with the point at which it is computed.
///
/// P and Q are the output distributions for two neighbouring data sets, and f is the trade-off function `T(P,Q)`.
/// Logarithms are natural: epsilons, divergences and privacy losses are in nats. For distributions with densities, sums
/// over outcomes are integrals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// The privacy profile: the hockey-stick divergence at `e^epsilon`, `H(P||Q) = sup over sets S of (P(S) - e^epsilon
    /// Q(S)) = sum (p - e^epsilon q)_+`, for any real epsilon.
    ///
    /// It is the smallest delta for which the pair is (epsilon, delta)-private in that direction: `1 + g*(-e^epsilon)`
    /// with `g = f^-1 = T(Q,P)` (Dong, Roth, Su, Proposition 2.12, stated there for symmetric f and `epsilon >= 0`).
    Delta {
        /// Any real number.
        epsilon: Real,
    },
    /// The smallest `epsilon >= 0` at which the profile is at most `delta`; infinite if there is none.
    ///
    /// Su 2024, equation (2.4), defines it as the unique root of `profile = delta`, and as infinite without a root. But
    /// if delta is at least the total variation distance, no epsilon is a root and the smallest one is 0. At
    /// `delta = 0` with bounded privacy losses, every epsilon from the largest privacy loss on is a root.
    Epsilon {
        /// A number in `[0, 1]`.
        delta: Real,
    },
    /// The trade-off function `f(alpha)`: the smallest type II error `1 - E_Q[test]` of all tests of P against Q whose
    /// type I error `E_P[test]` is at most `alpha` (Dong, Roth, Su, Definition 2.1).
    Beta {
        /// The type I error, in `[0, 1]`.
        alpha: Real,
    },
    /// The Renyi divergence of order a, `ln(sum p^a q^(1-a))/(a-1)`; infinite if P has mass where Q has none. It is
    /// additive under composition (Mironov 2017, Proposition 1).
    ///
    /// Su 2024, Section 3, writes it as `ln(int |f'|^(1-a))/(a-1)`.
    Renyi {
        /// The order, above 1.
        order: Real,
    },
    /// The Kullback-Leibler divergence `sum p ln(p/q) = -int ln|f'|`, the mean privacy loss; called kl by Dong, Roth
    /// and Su, Section 3.2. It is additive under composition.
    Kl,
    /// The total variation distance `(1/2) sum |p-q|`, the profile at epsilon = 0.
    ///
    /// It is `(1/2) int |1 + f'| + (1 - f(0))/2`. Su 2024, Section 3, prints the integral only, which is too small if
    /// f(0) < 1.
    Tv,
    /// The chi-squared divergence `sum (p-q)^2/q`; `1 + chi^2` is multiplicative under composition. It is an
    /// F-divergence (Dong, Roth, Su, Proposition B.4, with `F(u) = (u-1)^2`).
    Chi2,
    /// The max divergence `max ln(p/q)`, the largest privacy loss: `-ln|f'(1-)|` (Su 2024, Section 3). Dwork and
    /// Rothblum, Definition 2.2, define it in one direction, although their Lemmas 3.7 to 3.9 need the larger of both.
    Max,
    /// The membership advantage: the largest difference between the true and the false positive rate of a test, `max
    /// over alpha of (1 - alpha - f(alpha))`. It equals the total variation distance. For every (epsilon,
    /// delta)-private pair it is at most `1 - 2 (1-delta)/(1 + e^epsilon)` (Kairouz, Oh, Viswanath, Appendix A).
    Advantage,
    /// The largest true positive rate of a test, `1 - f(alpha)`, at the false positive rate alpha (Dong, Roth, Su,
    /// Definition 2.1).
    TruePositiveRate {
        /// The false positive rate, in `[0, 1]`.
        rate: Real,
    },
    /// The Bayes risk: the smallest error probability of a guess of the data set, `min over alpha of ((1-p) alpha + p
    /// f(alpha))`, where p is the prior of the second data set. It equals `(1-p) (1 - delta(ln(p/(1-p))))`, because the
    /// profile is the conjugate of f (Dong, Roth, Su, Proposition 2.12).
    BayesRisk {
        /// The prior probability of the second data set, in `[0, 1]`.
        prior: Real,
    },
    /// The convex conjugate `f*(y) = sup over 0 <= alpha <= 1 of (y alpha - f(alpha))` of the trade-off function f.
    ///
    /// For `y < 0` it is `delta(ln(-y)) - 1`, with the profile in the opposite direction. For `y >= 0` it is y (Dong,
    /// Roth, Su, Proposition 2.12, for every pair).
    Conjugate {
        /// The slope y, any real number.
        slope: Real,
    },
    /// A functional of the trade-off function.
    Functional(Functional),
    /// The smallest mu with `G_mu <= f`: the best guarantee of mu-GDP (Dong, Roth, Su, Definition 2.6). `G_mu(alpha) =
    /// Phi(Phi^-1(1-alpha) - mu)` is the trade-off function of `N(0, 1)` and `N(mu, 1)`. Infinite if f(0) < 1.
    GaussianFit,
    /// The distribution function of the canonical noise of a symmetric trade-off function (Awan, Vadhan 2023):
    /// `c (1/2 - y) + (1-c) (y + 1/2)` for `|y| <= 1/2`, with the fixed point `f(c) = c`, and `F(y) = 1 - f(F(y-1))`
    /// beyond.
    ///
    /// Its trade-off function at distance 1 is f: `f(alpha) = F(F^-1(1-alpha) - 1)`, which Su 2024, Section 3.2, prints
    /// as `F(F^-1(alpha) - 1)`.
    CanonicalCdf {
        /// The point, in units of the sensitivity.
        x: Real,
    },
    /// The quantile of the canonical noise: the y with `F(y) = p` (Awan, Vadhan 2023).
    CanonicalQuantile {
        /// The probability.
        p: Real,
    },
    /// The probability that the privacy loss `L = ln(dP/dQ)` exceeds t: the tail of Dwork and Rothblum 2016, Section 1.
    /// Outcomes of Q-probability zero count, because their privacy loss is plus infinity.
    ///
    /// In the forward direction L is the privacy loss of (P, Q). In the backward direction it is that of (Q, P), with
    /// the two distributions exchanged.
    LossAbove {
        /// The privacy loss t, any real number.
        threshold: Real,
        /// The distribution under which the probability is computed.
        under: Under,
    },
    /// The distribution function `P[L <= t]` of the privacy loss: `F_X` under P and `F_Y` under Q in Su 2024,
    /// Proposition 3.2. Outcomes of P-probability zero count, because their privacy loss is minus infinity.
    LossUpTo {
        /// The privacy loss t, any real number.
        threshold: Real,
        /// The distribution under which the probability is computed.
        under: Under,
    },
    /// The smallest t with `P[L <= t] >= u`; infinite if no t satisfies this, and undefined if every t does.
    LossQuantile {
        /// The probability u, strictly between 0 and 1.
        probability: Real,
        /// The distribution under which the probability is computed.
        under: Under,
    },
}

/// The distribution under which the probability of a privacy loss is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Under {
    /// The first distribution, which is the numerator of the likelihood ratio.
    P,
    /// The second distribution, which is the denominator.
    Q,
}

impl Under {
    /// The letter of the distribution.
    pub fn name(self) -> &'static str {
        match self {
            Under::P => "P",
            Under::Q => "Q",
        }
    }
}

/// A query: a quantity of a composition, and how it is to be computed.
///
/// It can be read from one line of JSON, and it is displayed as one.
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
    /// The quantity to compute.
    pub quantity: Quantity,
    /// The composition of mechanisms.
    pub mechanism: Composition,
    /// The direction.
    pub direction: Direction,
    /// The number of significant digits to prove.
    pub digits: u32,
    /// The number of digits that is sufficient if more are expensive. Equal to `digits` if a number of digits was
    /// requested.
    pub enough: u32,
    /// The method, for quantities that support several methods.
    pub method: Method,
    /// An identifier that is repeated in the answer, to match answers with queries.
    pub id: Option<String>,
}

impl Query {
    /// Default number of digits to prove, if they are cheap.
    pub const DEFAULT_DIGITS: u32 = 15;
    /// Default number of digits that is sufficient.
    pub const LEAST_DIGITS: u32 = 6;
    /// Largest number of digits that can be requested.
    pub const MAX_DIGITS: u32 = 1_000_000;

    /// A query with defaults: the worst direction, and [`Query::LEAST_DIGITS`] to [`Query::DEFAULT_DIGITS`] digits. The
    /// distribution of the privacy loss depends on the direction; its default is the forward direction.
    pub fn new(quantity: Quantity, mechanism: Composition) -> Self {
        Query {
            direction: quantity.name().default_direction(),
            quantity,
            mechanism,
            digits: Self::DEFAULT_DIGITS,
            enough: Self::LEAST_DIGITS,
            method: Method::Auto,
            id: None,
        }
    }

    /// The same query, with exactly this number of digits requested.
    #[must_use]
    pub fn with_digits(self, digits: u32) -> Self {
        Query { digits, enough: digits, ..self }
    }

    /// The same query, in this direction.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        Query { direction, ..self }
    }

    /// The same query, computed by this method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Query { method, ..self }
    }

    /// Refuses a number of digits outside `1..=10^6`.
    pub(crate) fn check_digits(digits: u32) -> Result<(), Error> {
        if (1..=Self::MAX_DIGITS).contains(&digits) {
            return Ok(());
        }
        Err(Error::input(format!("digits must be between 1 and {}, not {digits}", Self::MAX_DIGITS)))
    }

    /// The same question, refused if its point lies outside the quantity's domain, its digits outside `1..=10^6`, or if
    /// it names a method for a quantity that has only one.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        self.check()?;
        Ok(self)
    }

    /// Is the point within the range of its quantity, and is the method one that it has?
    ///
    /// # Errors
    /// [`Error::Input`] says what is out of range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        Self::check_digits(self.digits)?;
        if self.method != Method::Auto && !self.quantity.has_methods() {
            let name = self.quantity.name();
            return Err(Error::input(format!("the quantity {name} supports only the default method; omit the method")));
        }
        match &self.quantity {
            Quantity::Epsilon { delta } => check::unit("delta", delta)?,
            Quantity::Beta { alpha } => check::unit("alpha", alpha)?,
            Quantity::Renyi { order } => check::above_one("a Renyi order other than 1 and inf", order)?,
            Quantity::TruePositiveRate { rate } => check::unit("the false positive rate", rate)?,
            Quantity::BayesRisk { prior } => check::unit("the prior", prior)?,
            Quantity::CanonicalQuantile { p } => check::unit("p", p)?,
            Quantity::Functional(Functional::Cumulant(order)) => _ = whole(&Real::from(u64::from(*order)))?,
            Quantity::Delta { .. } | Quantity::Kl | Quantity::Tv | Quantity::Chi2 | Quantity::Max => {}
            Quantity::Advantage | Quantity::Conjugate { .. } | Quantity::Functional(_) => {}
            Quantity::GaussianFit | Quantity::CanonicalCdf { .. } => {}
            Quantity::LossAbove { .. } | Quantity::LossUpTo { .. } => {}
            Quantity::LossQuantile { probability, .. } => check::inside_unit("u", probability)?,
        }
        Ok(())
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

/// The order of a cumulant.
fn whole(order: &Real) -> Result<u32, Error> {
    let whole = order.as_rational().filter(|order| order.is_integer()).and_then(|order| order.numer().to_u32());
    whole.filter(|order| (1..=HIGHEST).contains(order)).ok_or_else(|| {
        Error::input(format!(
            "the order of a cumulant must be an integer from 1 to {HIGHEST}, not \
                                             {order}"
        ))
    })
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
            Quantity::Advantage => QuantityName::Advantage,
            Quantity::TruePositiveRate { .. } => QuantityName::TruePositiveRate,
            Quantity::BayesRisk { .. } => QuantityName::BayesRisk,
            Quantity::Conjugate { .. } => QuantityName::Conjugate,
            Quantity::Functional(functional) => match functional {
                Functional::Kappa2 => QuantityName::Kappa2,
                Functional::Kappa3 => QuantityName::Kappa3,
                Functional::Kappa3Bar => QuantityName::Kappa3bar,
                Functional::Variance => QuantityName::Variance,
                Functional::Cumulant(_) => QuantityName::Cumulant,
                Functional::PositiveChiSquared => QuantityName::Chi2Plus,
                Functional::Hellinger => QuantityName::Hellinger,
                Functional::JensenShannon => QuantityName::JensenShannon,
                Functional::LeCam => QuantityName::LeCam,
                Functional::Antipodal => QuantityName::AntipodalKl,
                Functional::Subgaussian => QuantityName::Subgaussian,
                Functional::Zcdp => QuantityName::Zcdp,
            },
            Quantity::GaussianFit => QuantityName::GdpFit,
            Quantity::CanonicalCdf { .. } => QuantityName::CanonicalCdf,
            Quantity::CanonicalQuantile { .. } => QuantityName::CanonicalQuantile,
            Quantity::LossAbove { under: Under::P, .. } => QuantityName::LossAboveP,
            Quantity::LossAbove { under: Under::Q, .. } => QuantityName::LossAboveQ,
            Quantity::LossUpTo { under: Under::P, .. } => QuantityName::LossUpToP,
            Quantity::LossUpTo { under: Under::Q, .. } => QuantityName::LossUpToQ,
            Quantity::LossQuantile { under: Under::P, .. } => QuantityName::LossQuantileP,
            Quantity::LossQuantile { under: Under::Q, .. } => QuantityName::LossQuantileQ,
        }
    }

    /// Whether it is a value of the composed curve, or of its profile.
    pub(crate) fn of_curve(&self) -> bool {
        matches!(self, Quantity::Delta { .. } | Quantity::Epsilon { .. } | Quantity::Beta { .. } | Quantity::Tv)
    }

    /// Whether every method supports the quantity. This holds for quantities that follow from values of the curve.
    fn has_methods(&self) -> bool {
        let canonical = matches!(self, Quantity::CanonicalCdf { .. } | Quantity::CanonicalQuantile { .. });
        let risk = matches!(self, Quantity::Advantage | Quantity::TruePositiveRate { .. } | Quantity::BayesRisk { .. });
        self.of_curve() || canonical || risk || matches!(self, Quantity::Conjugate { .. }) || self.name().is_of_loss()
    }

    /// Does it lie between 0 and 1?
    pub(crate) fn is_probability(&self) -> bool {
        self.name().is_probability()
    }

    /// The point.
    pub(crate) fn point(&self) -> Point {
        let mut point = Point::default();
        match self {
            Quantity::Delta { epsilon } => point.epsilon = Some(epsilon.clone()),
            Quantity::Epsilon { delta } => point.delta = Some(delta.clone()),
            Quantity::Beta { alpha } => point.alpha = Some(alpha.clone()),
            Quantity::Renyi { order } => point.order = Some(order.clone()),
            Quantity::TruePositiveRate { rate } => point.fpr = Some(rate.clone()),
            Quantity::BayesRisk { prior } => point.prior = Some(prior.clone()),
            Quantity::Conjugate { slope } => point.slope = Some(slope.clone()),
            Quantity::Functional(Functional::Cumulant(order)) => point.order = Some(Real::from(u64::from(*order))),
            Quantity::CanonicalCdf { x } => point.x = Some(x.clone()),
            Quantity::CanonicalQuantile { p } => point.p = Some(p.clone()),
            Quantity::LossAbove { threshold, .. } | Quantity::LossUpTo { threshold, .. } => {
                point.loss = Some(threshold.clone());
            }
            Quantity::LossQuantile { probability, .. } => point.u = Some(probability.clone()),
            Quantity::Kl | Quantity::Tv | Quantity::Chi2 | Quantity::Max => {}
            Quantity::Advantage | Quantity::Functional(_) | Quantity::GaussianFit => {}
        }
        point
    }

    /// Name and point put together; a point that does not fit the name is refused.
    pub(crate) fn at(name: QuantityName, point: Point) -> Result<Self, Error> {
        if name == QuantityName::Calibrate {
            return Err(Error::input("the quantity calibrate requires a parameter marked `?` in the mechanism"));
        }
        if name == QuantityName::Order {
            return Err(Error::input("the quantity order compares two mechanisms; give the second one as `other`"));
        }
        if matches!(name, QuantityName::Theorem | QuantityName::Accuracy) {
            return Err(Error::input(format!("the quantity {name} does not apply to a single mechanism")));
        }
        if name.is_limit() {
            return Err(Error::input(format!(
                "the quantity {name} exists only in test vectors; query delta, epsilon or beta with a `theorem`"
            )));
        }
        let given: Vec<_> = point.coordinates().into_iter().filter_map(|(at, value)| Some((at, value?))).collect();
        let value = match (name.coordinate(), &given[..]) {
            (Some(wanted), [(at, value)]) if *at == wanted => value.clone(),
            (None, []) => Real::zero(),
            (Some(wanted), _) => {
                return Err(Error::input(format!("the quantity {name} requires `at` to be {{\"{wanted}\": ...}}")));
            }
            (None, _) => {
                return Err(Error::input(format!("the quantity {name} takes no point; omit `at`")));
            }
        };
        Ok(match name {
            QuantityName::Delta => Quantity::Delta { epsilon: value },
            QuantityName::Epsilon => Quantity::Epsilon { delta: value },
            QuantityName::Beta => Quantity::Beta { alpha: value },
            QuantityName::Renyi => Quantity::Renyi { order: value },
            // There is no number to be found, no theorem and no other mechanism: refused above.
            QuantityName::Calibrate
            | QuantityName::Order
            | QuantityName::Theorem
            | QuantityName::Accuracy
            | QuantityName::LimitDelta
            | QuantityName::LimitEpsilon
            | QuantityName::LimitBeta
            | QuantityName::Kl => Quantity::Kl,
            QuantityName::Tv => Quantity::Tv,
            QuantityName::Chi2 => Quantity::Chi2,
            QuantityName::Max => Quantity::Max,
            QuantityName::Advantage => Quantity::Advantage,
            QuantityName::TruePositiveRate => Quantity::TruePositiveRate { rate: value },
            QuantityName::BayesRisk => Quantity::BayesRisk { prior: value },
            QuantityName::Conjugate => Quantity::Conjugate { slope: value },
            QuantityName::Kappa2 => Quantity::Functional(Functional::Kappa2),
            QuantityName::Kappa3 => Quantity::Functional(Functional::Kappa3),
            QuantityName::Kappa3bar => Quantity::Functional(Functional::Kappa3Bar),
            QuantityName::Variance => Quantity::Functional(Functional::Variance),
            QuantityName::Cumulant => Quantity::Functional(Functional::Cumulant(whole(&value)?)),
            QuantityName::Chi2Plus => Quantity::Functional(Functional::PositiveChiSquared),
            QuantityName::Hellinger => Quantity::Functional(Functional::Hellinger),
            QuantityName::JensenShannon => Quantity::Functional(Functional::JensenShannon),
            QuantityName::LeCam => Quantity::Functional(Functional::LeCam),
            QuantityName::AntipodalKl => Quantity::Functional(Functional::Antipodal),
            QuantityName::Subgaussian => Quantity::Functional(Functional::Subgaussian),
            QuantityName::Zcdp => Quantity::Functional(Functional::Zcdp),
            QuantityName::GdpFit => Quantity::GaussianFit,
            QuantityName::CanonicalCdf => Quantity::CanonicalCdf { x: value },
            QuantityName::CanonicalQuantile => Quantity::CanonicalQuantile { p: value },
            QuantityName::LossAboveP => Quantity::LossAbove { threshold: value, under: Under::P },
            QuantityName::LossAboveQ => Quantity::LossAbove { threshold: value, under: Under::Q },
            QuantityName::LossUpToP => Quantity::LossUpTo { threshold: value, under: Under::P },
            QuantityName::LossUpToQ => Quantity::LossUpTo { threshold: value, under: Under::Q },
            QuantityName::LossQuantileP => Quantity::LossQuantile { probability: value, under: Under::P },
            QuantityName::LossQuantileQ => Quantity::LossQuantile { probability: value, under: Under::Q },
        })
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
    at: Point<Order>,
    #[serde(default, deserialize_with = "named")]
    direction: Option<Direction>,
    digits: Option<u32>,
    #[serde(default)]
    method: Method,
}

/// A direction that is there is a name, and not null.
fn named<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Direction>, D::Error> {
    Direction::deserialize(value).map(Some)
}

impl TryFrom<QueryJson> for Query {
    type Error = Error;
    fn try_from(json: QueryJson) -> Result<Self, Error> {
        let (quantity, at) = json.at.of(json.quantity)?;
        let query = Query::new(Quantity::at(quantity, at)?, json.mechanism);
        let direction = json.direction.unwrap_or(query.direction);
        let query = Query { direction, method: json.method, id: json.id, ..query };
        match json.digits {
            Some(digits) => query.with_digits(digits),
            None => query,
        }
        .checked()
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
            r#"{"quantity":"true-positive-rate","mechanism":"gdp(mu=1)","at":{"fpr":"1/20"},"direction":"worst","method":"quadrature"}"#,
            r#"{"quantity":"bayes-risk","mechanism":"gdp(mu=1)","at":{"prior":"1/3"},"direction":"worst","method":"auto"}"#,
            r#"{"quantity":"conjugate","mechanism":"gdp(mu=1)","at":{"slope":"-3/2"},"direction":"forward","method":"auto"}"#,
            r#"{"quantity":"cumulant","mechanism":"gdp(mu=1)","at":{"order":"4"},"direction":"backward","method":"auto"}"#,
            r#"{"quantity":"canonical-cdf","mechanism":"gdp(mu=1)","at":{"x":"-1"},"direction":"worst","method":"auto"}"#,
            r#"{"quantity":"loss-above-q","mechanism":"gdp(mu=1)","at":{"loss":"-1"},"direction":"forward","method":"auto"}"#,
            r#"{"quantity":"loss-quantile-p","mechanism":"gdp(mu=1)","at":{"u":"1/3"},"direction":"backward","method":"grid"}"#,
        ] {
            let query: Query = serde_json::from_str(line).expect("a query");
            assert_eq!(query.to_string(), line);
        }
    }

    /// Each name has its quantity, at its coordinate and nowhere else; and the quantity has that name and that point.
    #[test]
    fn names_and_quantities_belong_together() {
        let places = ["epsilon", "delta", "alpha", "order", "fpr", "prior", "slope", "x", "p", "loss", "u"];
        for name in QuantityName::ALL {
            assert_eq!(serde_json::to_value(name).expect("a name"), name.name());
            let wanted = name.coordinate();
            assert!(wanted.is_none_or(|wanted| places.contains(&wanted)), "{name}");
            for place in [None].into_iter().chain(places.map(Some)) {
                // Most coordinates may be any number; a quantile is taken at a probability.
                let number = if place == Some("u") { "1/4" } else { "4" };
                let at: serde_json::Map<_, _> = place.iter().map(|place| (place.to_string(), number.into())).collect();
                let point: Point = serde_json::from_value(at.into()).expect("a point");
                match Quantity::at(name, point.clone()) {
                    Ok(quantity) => {
                        assert_eq!(place, wanted, "{name}");
                        assert_eq!((quantity.name(), quantity.point()), (name, point), "{name}");
                    }
                    // What a calibration finds, or a theorem says, or two of them are, is no quantity of a composition.
                    Err(error) => {
                        let none = matches!(name, QuantityName::Calibrate | QuantityName::Order) || name.is_limit();
                        let none = none || matches!(name, QuantityName::Theorem | QuantityName::Accuracy);
                        assert!(place != wanted || none, "{error}");
                        assert!(error.to_string().contains(name.name()), "{error}");
                    }
                }
            }
        }
    }

    /// The limits of Renyi divergences are the divergences that they are; orders are read as other numbers are.
    #[test]
    fn limits_of_orders_have_names() {
        for (order, name, known) in [
            (r#""1""#, QuantityName::Kl, None),
            ("1", QuantityName::Kl, None),
            (r#""inf""#, QuantityName::Max, None),
            ("1.5", QuantityName::Renyi, Some("3/2")),
            ("2", QuantityName::Renyi, Some("2")),
            (r#"{"ln": "4"}"#, QuantityName::Renyi, Some("ln(4)")),
        ] {
            let line = format!(r#"{{"quantity":"renyi","mechanism":"gdp(mu=1)","at":{{"order":{order}}}}}"#);
            let query: Query = serde_json::from_str(&line).expect("a query");
            let known: Option<Real> = known.map(|known| known.parse().expect("a number"));
            assert_eq!((query.quantity.name(), query.quantity.point().order), (name, known), "{line}");
        }
        for (line, told) in [
            (
                r#"{"quantity":"cumulant","mechanism":"gdp(mu=1)","at":{"order":"inf"}}"#,
                "only a Renyi divergence can have the order",
            ),
            (
                r#"{"quantity":"kl","mechanism":"gdp(mu=1)","at":{"order":"inf"}}"#,
                "only a Renyi divergence can have the order",
            ),
            (
                r#"{"quantity":"renyi","mechanism":"gdp(mu=1)","at":{"epsilon":"1","order":"inf"}}"#,
                "the quantity max takes no point",
            ),
            (r#"{"quantity":"renyi","mechanism":"gdp(mu=1)","at":{"order":"nan"}}"#, "NaN and infinity are not"),
            (
                r#"{"quantity":"renyi","mechanism":"gdp(mu=1)","at":{"order":"1/2"}}"#,
                "a Renyi order other than 1 and inf must be greater than 1",
            ),
            (r#"{"quantity":"kl","mechanism":"gdp(mu=1)","at":{"epsilon":"inf"}}"#, "NaN and infinity are not"),
        ] {
            let error = serde_json::from_str::<Query>(line).expect_err("no query").to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn cumulants_have_whole_orders() {
        for order in ["0", "6", "3/2", "-1", "sqrt(2)"] {
            let line = format!(r#"{{"quantity":"cumulant","mechanism":"gdp(mu=1)","at":{{"order":"{order}"}}}}"#);
            let error = serde_json::from_str::<Query>(&line).expect_err("no cumulant").to_string();
            assert!(error.starts_with("the order of a cumulant must be an integer from 1 to 5, not "), "{error}");
        }
        let asked = Query::new(Quantity::Functional(Functional::Cumulant(6)), "gdp(mu=1)".parse().expect("one"));
        assert!(matches!(asked.checked(), Err(Error::Input(_))));
    }
}
