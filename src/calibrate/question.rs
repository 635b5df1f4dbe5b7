//! The question: a composition with a `?`, and what is promised of it.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::compose::Method;
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Template, check};
use crate::query::{Quantity, Query};
use crate::theorem::functional::Functional;
use enclosure::decimal::{Side, decimal};
use enclosure::{Enclosure, Number, Real};

/// The privacy target of a calibration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// `(epsilon, delta)`-privacy: the profile at epsilon is at most delta, `P(S) <= e^epsilon Q(S) + delta` for all
    /// sets S (Dong, Roth, Su, Definition 1.1).
    Profile {
        /// Any real number.
        epsilon: Real,
        /// In `[0, 1]`.
        delta: Real,
    },
    /// One point of f-differential privacy: the type II error at type I error alpha is at least beta (Dong, Roth, Su,
    /// Definition 2.3).
    Tradeoff {
        /// In `[0, 1]`.
        alpha: Real,
        /// In `[0, 1]`.
        beta: Real,
    },
    /// mu-GDP: the trade-off function is at least `G_mu` (Dong, Roth, Su, Definition 2.6).
    Gdp {
        /// At least 0.
        mu: Real,
    },
    /// rho-zCDP: `D_a <= rho a` for every order `a > 1` (Bun and Steinke 2016, Definition 1.1).
    Zcdp {
        /// At least 0.
        rho: Real,
    },
    /// Renyi differential privacy of one order: the Renyi divergence of this order is at most a value (Mironov 2017,
    /// Definition 4).
    Renyi {
        /// Greater than 1.
        order: Real,
        /// At least 0.
        value: Real,
    },
}

impl Target {
    /// The quantity to compute for each composition.
    pub(crate) fn quantity(&self) -> Quantity {
        match self {
            Target::Profile { epsilon, .. } => Quantity::Delta { epsilon: epsilon.clone() },
            Target::Tradeoff { alpha, .. } => Quantity::Beta { alpha: alpha.clone() },
            Target::Gdp { .. } => Quantity::GaussianFit,
            Target::Zcdp { .. } => Quantity::Functional(Functional::Zcdp),
            Target::Renyi { order, .. } => Quantity::Renyi { order: order.clone() },
        }
    }

    /// The number that the quantity is compared with.
    pub(crate) fn level(&self) -> &Real {
        match self {
            Target::Profile { delta, .. } => delta,
            Target::Tradeoff { beta, .. } => beta,
            Target::Gdp { mu } => mu,
            Target::Zcdp { rho } => rho,
            Target::Renyi { value, .. } => value,
        }
    }

    /// Whether the target is a single (epsilon, delta) or a single pair of errors. Bounds that follow from guarantees
    /// are computed for these targets only, by their own conversions.
    pub(super) fn is_a_point(&self) -> bool {
        matches!(self, Target::Profile { .. } | Target::Tradeoff { .. })
    }

    /// Why every value meets this target, or none does, whatever the mechanism: no delta is above 1 or below
    /// `1 - e^epsilon`, and no type II error is below 0 or above `1 - alpha`.
    pub(crate) fn decided(&self, value: &str) -> Option<String> {
        let every = |why: &str| Some(format!("every {value} meets the target: {why}"));
        let none = |why: String| Some(format!("no {value} meets the target: {why}"));
        match self {
            Target::Profile { delta, .. } if *delta == Real::one() => every("no delta is above 1"),
            Target::Profile { epsilon, delta } if epsilon.sign() == Some(Ordering::Less) => {
                let least = -epsilon.enclosure(BITS).expm1();
                let below = *delta.enclosure(BITS).upper() < *least.lower();
                below.then(|| none(format!("at epsilon = {epsilon} every delta is at least {}", shown(&least))))?
            }
            Target::Tradeoff { beta, .. } if beta.is_zero() => every("no type II error is below 0"),
            Target::Tradeoff { alpha, beta } => {
                let most = Real::one().sub(alpha);
                let above = most.enclosure(BITS).upper() < beta.enclosure(BITS).lower();
                above.then(|| none(format!("at alpha = {alpha} every type II error is at most {most}")))?
            }
            Target::Profile { .. } | Target::Gdp { .. } | Target::Zcdp { .. } | Target::Renyi { .. } => None,
        }
    }

    fn checked(self) -> Result<Self, Error> {
        match &self {
            Target::Profile { delta, .. } => check::unit("delta", delta)?,
            Target::Tradeoff { alpha, beta } => {
                check::unit("alpha", alpha)?;
                check::unit("beta", beta)?;
            }
            Target::Gdp { mu } => check::nonnegative("mu", mu)?,
            Target::Zcdp { rho } => check::nonnegative("rho", rho)?,
            Target::Renyi { order, value } => {
                check::above_one("the order", order)?;
                check::nonnegative("the Renyi divergence", value)?;
            }
        }
        Ok(self)
    }
}

/// Bits of bounds that all mechanisms have.
const BITS: u32 = 128;

/// A lower bound, in a few digits.
fn shown(bound: &Enclosure) -> String {
    decimal(&Number::Enclosed(bound.clone()), 3, Side::Lower)
}

/// A calibration: which value of the parameter marked `?` just meets a target?
///
/// It can also be read from one line of JSON.
///
/// ```
/// use dpcert::{Calibration, Target};
///
/// let question = Calibration::new(
///     "gaussian(sigma=?)^10".parse()?,
///     Target::Profile { epsilon: "1".parse()?, delta: "1e-5".parse()? },
/// );
/// let line = r#"{"quantity": "calibrate", "mechanism": "gaussian(sigma=?)^10",
///                "at": {"epsilon": "1", "delta": "1e-5"}}"#;
/// assert_eq!(serde_json::from_str::<Calibration>(line)?, question);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "CalibrationJson")]
#[non_exhaustive]
pub struct Calibration {
    /// The composition, with a parameter marked `?`.
    pub template: Template,
    /// The target.
    pub target: Target,
    /// The direction.
    pub direction: Direction,
    /// The number of significant digits to prove.
    pub digits: u32,
    /// The number of digits that is sufficient if more are expensive.
    pub enough: u32,
    /// The method.
    pub method: Method,
    /// An identifier that is repeated in the answer.
    pub id: Option<String>,
}

impl Calibration {
    /// A calibration in the worst direction, to the digits that two neighbouring doubles prove.
    pub fn new(template: Template, target: Target) -> Self {
        Calibration {
            template,
            target,
            direction: Direction::Worst,
            digits: Query::DEFAULT_DIGITS,
            enough: Query::LEAST_DIGITS,
            method: Method::Auto,
            id: None,
        }
    }

    /// The same calibration, with exactly this number of digits requested.
    #[must_use]
    pub fn with_digits(self, digits: u32) -> Self {
        Calibration { digits, enough: digits, ..self }
    }

    /// The same calibration, in this direction.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        Calibration { direction, ..self }
    }

    /// The same calibration, computed by this method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Calibration { method, ..self }
    }

    /// The same calibration, if its target and digits are in range.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        if self.digits == 0 || self.digits > Query::MAX_DIGITS {
            let (most, digits) = (Query::MAX_DIGITS, self.digits);
            return Err(Error::input(format!("digits must be between 1 and {most}, not {digits}")));
        }
        let target = self.target.clone().checked()?;
        Ok(Calibration { target, ..self })
    }
}

/// The name of the quantity in JSON.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", expecting = "the quantity calibrate")]
enum Name {
    Calibrate,
}

/// The target, as written in JSON.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a target, as in {\"epsilon\": \"1\", \"delta\": \"1e-5\"}")]
pub struct At {
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beta: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mu: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Real>,
    #[serde(skip_serializing_if = "Option::is_none")]
    renyi: Option<Real>,
}

impl Target {
    /// Where the quantity is taken, and what is promised there.
    pub(crate) fn at(&self) -> At {
        match self.clone() {
            Target::Profile { epsilon, delta } => At { epsilon: Some(epsilon), delta: Some(delta), ..At::default() },
            Target::Tradeoff { alpha, beta } => At { beta: Some(beta), alpha: Some(alpha), ..At::default() },
            Target::Gdp { mu } => At { mu: Some(mu), ..At::default() },
            Target::Zcdp { rho } => At { rho: Some(rho), ..At::default() },
            Target::Renyi { order, value } => At { order: Some(order), renyi: Some(value), ..At::default() },
        }
    }
}

/// One line of JSON, as `dpcert answer` reads it.
impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[derive(Serialize)]
        struct Line<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            id: &'a Option<String>,
            quantity: &'static str,
            mechanism: String,
            at: At,
            direction: Direction,
            #[serde(skip_serializing_if = "Option::is_none")]
            digits: Option<u32>,
            method: Method,
        }
        let Calibration { template, target, direction, digits, enough, method, id } = self;
        let line = Line {
            id,
            quantity: "calibrate",
            mechanism: template.to_string(),
            at: target.at(),
            direction: *direction,
            digits: (digits == enough).then_some(*digits),
            method: *method,
        };
        f.write_str(&serde_json::to_string(&line).map_err(|_| fmt::Error)?)
    }
}

/// A question as it stands in JSON, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a query, as in {\"quantity\": \"calibrate\", ...}")]
struct CalibrationJson {
    id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: Name,
    mechanism: Template,
    at: At,
    #[serde(default = "worst")]
    direction: Direction,
    digits: Option<u32>,
    #[serde(default)]
    method: Method,
}

fn worst() -> Direction {
    Direction::Worst
}

impl TryFrom<CalibrationJson> for Calibration {
    type Error = Error;
    fn try_from(json: CalibrationJson) -> Result<Self, Error> {
        let At { epsilon, delta, beta, alpha, mu, rho, order, renyi } = json.at;
        let count = [&epsilon, &delta, &beta, &alpha, &mu, &rho, &order, &renyi].into_iter().flatten().count();
        let target = match (epsilon.zip(delta), alpha.zip(beta), mu, rho, order.zip(renyi)) {
            (Some((epsilon, delta)), None, None, None, None) if count == 2 => Target::Profile { epsilon, delta },
            (None, Some((alpha, beta)), None, None, None) if count == 2 => Target::Tradeoff { alpha, beta },
            (None, None, Some(mu), None, None) if count == 1 => Target::Gdp { mu },
            (None, None, None, Some(rho), None) if count == 1 => Target::Zcdp { rho },
            (None, None, None, None, Some((order, value))) if count == 2 => Target::Renyi { order, value },
            _ => {
                return Err(Error::input(
                    "the quantity calibrate requires `at` to be {\"epsilon\": ..., \"delta\": ...}, {\"beta\": ..., \
                     \"alpha\": ...}, {\"mu\": ...}, {\"rho\": ...} or {\"order\": ..., \"renyi\": ...}",
                ));
            }
        };
        let CalibrationJson { id, direction, method, .. } = json;
        let question = Calibration { direction, method, id, ..Calibration::new(json.mechanism, target) };
        json.digits.map_or(question.clone(), |digits| question.with_digits(digits)).checked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Calibration, String> {
        serde_json::from_str(line).map_err(|error| error.to_string())
    }

    #[test]
    fn questions_are_read_from_json() {
        let line = r#"{"id":"a","quantity":"calibrate","mechanism":"laplace(scale=?)^3","direction":"forward",
            "at":{"beta":"9/10","alpha":"1/20"},"digits":30,"method":"quadrature"}"#;
        let question = read(line).expect("a question");
        assert_eq!((question.digits, question.enough, question.id.as_deref()), (30, 30, Some("a")));
        assert_eq!((question.direction, question.method), (Direction::Forward, Method::Quadrature));
        let (alpha, beta) = ("1/20".parse().expect("alpha"), "9/10".parse().expect("beta"));
        assert_eq!(question.target, Target::Tradeoff { alpha, beta });
        // What is shown is read again.
        assert_eq!(read(&question.to_string()), Ok(question));
    }

    #[test]
    fn targets_are_read_from_json() {
        let line = |at: &str| format!(r#"{{"quantity":"calibrate","mechanism":"gdp(mu=?)","at":{at}}}"#);
        for at in
            [r#"{"mu":"1"}"#, r#"{"rho":"1/2"}"#, r#"{"order":"2","renyi":"1/2"}"#, r#"{"epsilon":"1","delta":"0"}"#]
        {
            let question = read(&line(at)).expect(at);
            assert_eq!(read(&question.to_string()), Ok(question));
        }
        for at in [r#"{"mu":"1","delta":"0"}"#, r#"{"order":"2"}"#, "{}", r#"{"epsilon":"1","delta":"0","mu":"1"}"#] {
            assert!(read(&line(at)).is_err(), "{at}");
        }
    }

    /// Lists of steps are read as the texts that they stand for.
    #[test]
    fn lists_of_steps_have_a_question_mark() {
        for (steps, text) in [
            (r#"[{"mechanism":"gdp","parameters":{"mu":"?"}}]"#, "gdp(mu=?)"),
            (
                r#"[{"mechanism":"poisson","parameters":{"rate":0.01},"of":[{"mechanism":"gaussian",
                    "parameters":{"sigma":"?"}}],"times":1000},
                   {"mechanism":"approx-dp","parameters":{"epsilon":{"ln":"3/2"},"delta":"1e-6"}}]"#,
                "poisson(rate=1/100, mechanism=gaussian(sigma=?))^1000 * approx-dp(epsilon=ln(3/2), delta=1/1000000)",
            ),
            (r#"[{"mechanism":"laplace","parameters":{"scale":"2"},"times":"?"}]"#, "laplace(scale=2)^?"),
            (r#"[{"mechanism":"gdp","parameters":{"mu":"2"},"times":1,"sought":true}]"#, "gdp(mu=2)^?"),
            (
                r#"[{"mechanism":"mixture","parameters":{"weights":["1/3","2/3"]},"of":[
                    {"mechanism":"gdp","parameters":{"mu":1}},{"mechanism":"laplace","parameters":{"scale":"?"}}]}]"#,
                "mixture(1/3: gdp(mu=1), 2/3: laplace(scale=?))",
            ),
            (
                r#"[{"mechanism":"mixture","parameters":{"weights":["1/3","?","rest"]},"of":[
                    {"mechanism":"gdp","parameters":{"mu":1}},{"mechanism":"gdp","parameters":{"mu":"2"}},
                    {"mechanism":"laplace","parameters":{"scale":"1"},"times":2}],"times":10}]"#,
                "mixture(1/3: gdp(mu=1), ?: gdp(mu=2), rest: laplace(scale=1)^2)^10",
            ),
            (
                r#"[{"mechanism":"mixture","parameters":{"weights":["rest",0.25],
                    "mechanisms":["gdp(mu=1)","laplace(scale=?)^2"]}}]"#,
                "mixture(rest: gdp(mu=1), 1/4: laplace(scale=?)^2)",
            ),
            (
                r#"[{"mechanism":"poisson","parameters":{"rate":"1/9","mechanism":"laplace(scale=?)"}}]"#,
                "poisson(rate=1/9, mechanism=laplace(scale=?))",
            ),
        ] {
            let line = format!(r#"{{"quantity":"calibrate","mechanism":{steps},"at":{{"epsilon":"1","delta":"0"}}}}"#);
            let question = read(&line).expect(steps);
            assert_eq!(question.template.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_question_is_refused() {
        let line = |mechanism: &str, at: &str| {
            read(&format!(r#"{{"quantity":"calibrate","mechanism":{mechanism},"at":{at}}}"#)).expect_err(mechanism)
        };
        let good = r#"{"epsilon":"1","delta":"1e-5"}"#;
        for (mechanism, at, told) in [
            (r#""gdp(mu=1)""#, good, "no parameter is marked `?`"),
            (r#""@file * gdp(mu=?)""#, good, "files are not allowed here"),
            (r#"[{"mechanism":"gdp","parameters":{"mu":"1"}}]"#, good, "no parameter is marked `?`"),
            (r#"[{"mechanism":"gdp","parameters":{"mu":"?"},"times":"?"}]"#, good, "a second `?`"),
            (r#"[{"mechanism":"gdp","parameters":{"mu":"?"},"sought":true}]"#, good, "a second `?`"),
            (r#"[{"mechanism":"gdp","parameters":{"tau":"?"}}]"#, good, "no parameter `tau`"),
            (r#"[{"mechanism":"gdp","parameters":{"mu":"1) * gdp(mu=?"}}]"#, good, "step 1: mu: "),
            (r#"[{"mechanism":"gdp) * gdp","parameters":{"mu":"?"}}]"#, good, "step 1: "),
            (r#"[{"mechanism":"gdp","parameters":{"mu":"1"},"times":"?^2"}]"#, good, "step 1: times: "),
            (r#"[{"mechanism":"gdp","parameters":{"mu":"?"},"of":[]}]"#, good, "remove `of`"),
            (
                r#"[{"mechanism":"mixture","parameters":{"weights":["?",0],"mechanisms":["gdp(mu=1)","gdp(mu=2)"]}}]"#,
                good,
                "another part with the weight `rest`",
            ),
            (
                r#"[{"mechanism":"mixture","parameters":{"weights":["?","rest"],"mechanisms":["gdp(mu=1)"]}}]"#,
                good,
                "mixture needs one weight for each of its mechanisms",
            ),
            (
                r#"[{"mechanism":"mixture","parameters":{"weights":["?",["rest"]],"mechanisms":["gdp(mu=1)"]}}]"#,
                good,
                "step 1: weights: unknown name 'rest'",
            ),
            ("7", good, "a mechanism with a `?`"),
            (r#""gdp(mu=?)""#, r#"{"epsilon":"1"}"#, "requires `at` to be"),
            (r#""gdp(mu=?)""#, r#"{"epsilon":"1","delta":"0","alpha":"0"}"#, "requires `at` to be"),
            (r#""gdp(mu=?)""#, r#"{"epsilon":"1","alpha":"0"}"#, "requires `at` to be"),
            (r#""gdp(mu=?)""#, r#"{"epsilon":"1","delta":"2"}"#, "delta must be between 0 and 1"),
            (r#""gdp(mu=?)""#, r#"{"beta":"-1","alpha":"0"}"#, "beta must be between 0 and 1"),
            (r#""gdp(mu=?)""#, r#"{"beta":"1","alpha":"2"}"#, "alpha must be between 0 and 1"),
            (r#""gdp(mu=?)""#, r#"{"gamma":"1"}"#, "unknown field `gamma`"),
        ] {
            let error = line(mechanism, at);
            assert!(error.contains(told), "{mechanism} {at}: {error}");
        }
        assert!(read(r#"{"quantity":"calibrate","mechanism":"gdp(mu=?)"}"#).is_err());
        assert!(
            read(r#"{"quantity":"calibrate","mechanism":"gdp(mu=?)","at":{"epsilon":"1","delta":"0"},"digits":0}"#)
                .is_err()
        );
    }
}
