//! What another program is asked: a question of doubles, for floating point can be asked no other.
//!
//! A [`Question`] names every number as the double that is sent. The truth it is judged by is the truth at exactly
//! these doubles ([`Question::subject`]), never at the decimals somebody may have had in mind.

use std::collections::BTreeMap;
use std::fmt;

use dpcert_vectors::{Direction, Double, Truth};
use rug::Rational;
use serde::{Deserialize, Serialize};

use super::double::shortest;
use crate::error::Error;
use crate::mechanism::{Composition, Entry, Mechanism};
use enclosure::Real;

/// The quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asked {
    /// The least delta at an epsilon.
    Delta,
    /// The least epsilon >= 0 at a delta.
    Epsilon,
    /// The trade-off function at an alpha.
    Beta,
    /// The Renyi divergence of an order.
    Renyi,
    /// Calibration: a value of the one parameter left open with which (epsilon, delta) is kept.
    Noise,
}

impl Asked {
    /// All of them.
    pub const ALL: [Asked; 5] = [Asked::Delta, Asked::Epsilon, Asked::Beta, Asked::Renyi, Asked::Noise];

    /// The name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Asked::Delta => "delta",
            Asked::Epsilon => "epsilon",
            Asked::Beta => "beta",
            Asked::Renyi => "renyi",
            Asked::Noise => "noise",
        }
    }

    /// Is it a probability, hence never above 1?
    pub fn is_probability(self) -> bool {
        matches!(self, Asked::Delta | Asked::Beta)
    }
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// One double.
    Number(Double),
    /// The probabilities of a finite distribution.
    List(Vec<Double>),
    /// What a calibration looks for; `null` on the wire, `?` in text.
    Open,
}

/// A mechanism that is run `times` times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name in the language of mechanisms, or `zcdp` or `rdp`.
    pub mechanism: String,
    /// Its parameters by name, those at their default left out.
    pub parameters: BTreeMap<String, Value>,
    /// The mechanism inside, for one that acts on another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<Step>,
    /// How often it is run.
    pub times: u64,
}

/// The point a quantity is asked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// For delta and noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<Double>,
    /// For epsilon and noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Double>,
    /// For beta.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Double>,
    /// For renyi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Double>,
}

/// A question that is one point of a plot: many questions alike but for one number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Which plot.
    pub name: String,
    /// The number that changes along it.
    pub parameter: String,
    /// That number here.
    pub x: f64,
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Unique among the questions of an audit.
    pub id: String,
    /// The quantity.
    pub asked: Asked,
    /// Of which composition.
    pub steps: Vec<Step>,
    /// Where.
    pub at: At,
    /// Of which order of the pair.
    pub direction: Direction,
    /// The regimes it stands for.
    pub flags: Vec<String>,
    /// Why it is asked.
    pub comment: String,
    /// The plot it belongs to.
    pub sweep: Option<Sweep>,
    /// The stored answer, where rounding to doubles changed nothing.
    pub stored: Option<Truth>,
    /// The mechanisms of the steps before their numbers became doubles, where rounding changed some.
    pub unrounded: Vec<Mechanism>,
}

/// What a question is about, exactly.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A composition that was run.
    Composition(Composition),
    /// Anything that has `rho`-zCDP.
    Zcdp {
        /// The bound on every Renyi divergence of order a, divided by a.
        rho: Real,
    },
    /// Anything whose Renyi divergences of this order are bounded.
    Rdp {
        /// The order.
        order: Real,
        /// The bound.
        epsilon: Real,
    },
    /// A composition with a parameter left open.
    Open,
}

impl Value {
    /// One double.
    pub fn number(value: f64) -> Self {
        Value::Number(Double(value))
    }
}

impl Step {
    /// A mechanism run once, with parameters that are doubles.
    pub fn new(mechanism: &str, parameters: &[(&str, f64)]) -> Self {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_string(), Value::number(*value))).collect();
        Step { mechanism: mechanism.to_string(), parameters, of: Vec::new(), times: 1 }
    }

    /// The same with one parameter left open.
    #[must_use]
    pub fn open(mut self, parameter: &str) -> Self {
        self.parameters.insert(parameter.to_string(), Value::Open);
        self
    }

    /// The same on a Poisson sample.
    #[must_use]
    pub fn sampled(self, rate: f64) -> Self {
        Step { of: vec![self], ..Step::new("poisson", &[("rate", rate)]) }
    }

    /// The same, run so often.
    #[must_use]
    pub fn times(self, times: u64) -> Self {
        Step { times, ..self }
    }

    /// One parameter, if it is a double.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.parameters.get(name) {
            Some(Value::Number(Double(value))) => Some(*value),
            _ => None,
        }
    }

    /// The parameter that is left open, here or inside.
    pub fn unknown(&self) -> Option<&str> {
        let here = self.parameters.iter().find(|(_, value)| **value == Value::Open).map(|(name, _)| name.as_str());
        here.or_else(|| self.of.iter().find_map(Step::unknown))
    }

    /// Write it with `number` for the doubles.
    fn write(&self, f: &mut impl fmt::Write, number: &dyn Fn(f64) -> String) -> fmt::Result {
        write!(f, "{}(", self.mechanism)?;
        let mut comma = "";
        for (name, value) in self.ordered() {
            write!(f, "{comma}{name}=")?;
            match value {
                Value::Number(Double(value)) => write!(f, "{}", number(*value))?,
                Value::List(values) => {
                    let values: Vec<String> = values.iter().map(|value| number(value.0)).collect();
                    write!(f, "[{}]", values.join(", "))?;
                }
                Value::Open => write!(f, "?")?,
            }
            comma = ", ";
        }
        for inner in &self.of {
            write!(f, "{comma}")?;
            inner.write(f, number)?;
            comma = ", ";
        }
        write!(f, ")")?;
        if self.times == 1 { Ok(()) } else { write!(f, "^{}", self.times) }
    }

    /// The parameters in the order of the catalogue.
    fn ordered(&self) -> Vec<(&String, &Value)> {
        let mut parameters: Vec<_> = self.parameters.iter().collect();
        if let Some(entry) = Entry::find(&self.mechanism) {
            parameters.sort_by_key(|(name, _)| entry.parameters.iter().position(|parameter| parameter.name == **name));
        } else {
            // `rdp(order, epsilon)`.
            parameters.reverse();
        }
        parameters
    }
}

/// A composition of steps, with `number` for the doubles.
fn composition(steps: &[Step], number: &dyn Fn(f64) -> String) -> String {
    let mut text = String::new();
    for (index, step) in steps.iter().enumerate() {
        if index > 0 {
            text += " * ";
        }
        // Writing to a string cannot fail.
        let _ = step.write(&mut text, number);
    }
    text
}

impl At {
    /// The coordinates that are given, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, f64)> {
        [("epsilon", self.epsilon), ("delta", self.delta), ("alpha", self.alpha), ("order", self.order)]
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name, value.0)))
    }

    /// One coordinate, exactly.
    pub fn real(&self, name: &str) -> Result<Real, Error> {
        let found = self.given().find(|(given, _)| *given == name);
        let (_, value) = found.ok_or_else(|| Error::input(format!("the query has no {name}")))?;
        real(value)
    }
}

/// A double, exactly.
pub fn real(value: f64) -> Result<Real, Error> {
    let exact = Rational::from_f64(value).map(Real::from);
    exact.ok_or_else(|| Error::input(format!("{value} is not a finite number")))
}

impl Question {
    /// A question without a story, about the worst direction.
    pub fn new(id: impl Into<String>, asked: Asked, steps: Vec<Step>, at: At) -> Self {
        Question {
            id: id.into(),
            asked,
            steps,
            at,
            direction: Direction::Worst,
            flags: Vec::new(),
            comment: String::new(),
            sweep: None,
            stored: None,
            unrounded: Vec::new(),
        }
    }

    /// The composition for people, with the shortest decimals that mean these doubles.
    pub fn mechanism(&self) -> String {
        composition(&self.steps, &shortest)
    }

    /// The composition in the language of `dpcert`, with every double exact.
    pub fn expression(&self) -> String {
        exact(&self.steps)
    }

    /// The subject of the query; parameters outside their domain are refused.
    pub fn subject(&self) -> Result<Subject, Error> {
        if let [step] = self.steps.as_slice() {
            let number = |name: &str| {
                let found = step.number(name);
                found.map_or_else(|| Err(Error::input(format!("{} needs {name}", step.mechanism))), real)
            };
            match step.mechanism.as_str() {
                "zcdp" | "rdp" if step.times != 1 => {
                    return Err(Error::input(format!(
                        "{} is a guarantee and cannot be composed in an audit",
                        step.mechanism
                    )));
                }
                "zcdp" => return Ok(Subject::Zcdp { rho: number("rho")? }),
                "rdp" => return Ok(Subject::Rdp { order: number("order")?, epsilon: number("epsilon")? }),
                _ => {}
            }
        }
        if self.steps.iter().any(|step| step.unknown().is_some()) {
            return Ok(Subject::Open);
        }
        parsed(&exact(&self.steps)).map(Subject::Composition)
    }

    /// The mechanisms before and after rounding, step by step; empty if nothing was rounded.
    pub fn rounding(&self) -> Vec<(Mechanism, Mechanism, u64)> {
        let pair = |(step, before): (&Step, &Mechanism)| {
            let once = Step { times: 1, ..step.clone() };
            let composition = parsed(&exact(&[once])).ok()?;
            let (after, _) = composition.single()?;
            Some((before.clone(), after.clone(), step.times))
        };
        self.steps.iter().zip(&self.unrounded).map(pair).collect::<Option<_>>().unwrap_or_default()
    }

    /// The composition of a calibration with this value for its open parameter.
    pub fn filled(&self, value: &Rational) -> Result<Composition, Error> {
        // Nothing else in an expression is written with this mark.
        parsed(&exact(&self.steps).replace('?', &value.to_string()))
    }

    /// What makes two questions the same, whatever they are called.
    pub fn key(&self) -> String {
        let at: Vec<String> =
            self.at.given().map(|(name, value)| format!("{name}={}", dpcert_vectors::hex_of_f64(value))).collect();
        format!("{} {} {} {:?}", self.asked.name(), exact(&self.steps), at.join(","), self.direction)
    }
}

fn exact(steps: &[Step]) -> String {
    composition(steps, &|value| format!("f64:{}", dpcert_vectors::hex_of_f64(value)))
}

fn parsed(expression: &str) -> Result<Composition, Error> {
    Composition::parse_closed(expression).map_err(|error| Error::input(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_for_people_and_expressions_are_exact() {
        let steps = vec![Step::new("gaussian", &[("sigma", 0.7)]).sampled(0.01).times(1000)];
        let question = Question::new("q", Asked::Delta, steps, At { epsilon: Some(Double(1.0)), ..At::default() });
        assert_eq!(question.mechanism(), "poisson(rate=0.01, gaussian(sigma=0.7))^1000");
        assert_eq!(
            question.expression(),
            "poisson(rate=f64:0x1.47ae147ae147bp-7, gaussian(sigma=f64:0x1.6666666666666p-1))^1000"
        );
        assert!(matches!(question.subject(), Ok(Subject::Composition(_))));
    }

    #[test]
    fn what_is_left_open_is_filled() {
        let steps = vec![Step::new("gaussian", &[]).open("sigma").sampled(0.25)];
        let question = Question::new("q", Asked::Noise, steps, At::default());
        assert_eq!(question.mechanism(), "poisson(rate=0.25, gaussian(sigma=?))");
        assert_eq!(question.subject(), Ok(Subject::Open));
        let filled = question.filled(&Rational::from((5, 3))).expect("a composition");
        assert_eq!(filled.to_string(), "poisson(rate=1/4, gaussian(sigma=5/3))");
        assert!(question.filled(&Rational::from(-1)).is_err());
    }

    #[test]
    fn bounds_are_subjects_too() {
        let steps = vec![Step::new("rdp", &[("order", 2.0), ("epsilon", 0.5)])];
        let question = Question::new("q", Asked::Epsilon, steps, At::default());
        assert_eq!(question.mechanism(), "rdp(order=2, epsilon=0.5)");
        assert!(matches!(question.subject(), Ok(Subject::Rdp { .. })));
    }

    #[test]
    fn steps_travel_as_json() {
        let steps = vec![
            Step::new("randomized-response", &[("epsilon", 0.1)]).times(30),
            Step::new("gaussian", &[]).open("sigma"),
        ];
        let json = serde_json::to_string(&steps).expect("JSON");
        assert_eq!(
            json,
            r#"[{"mechanism":"randomized-response","parameters":{"epsilon":"0x1.999999999999ap-4"},"times":30},{"mechanism":"gaussian","parameters":{"sigma":null},"times":1}]"#
        );
        assert_eq!(serde_json::from_str::<Vec<Step>>(&json).expect("steps"), steps);
    }
}
