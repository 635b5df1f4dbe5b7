//! Answers and calibrations: numbers with exact bounds, and the text and JSON of the command line.

use dpcert::internals::{Shown, answer_line, answer_text, calibrated_line, calibrated_text, with_flags};
use dpcert::{Calibration, Outcome, Query};
use enclosure::decimal::{Side, decimal};
use enclosure::{Note, Number};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use rug::Float;
use rug::float::Round;
use serde::Serialize;

use crate::failure::{undecided, undefined};
use crate::number::ratio;

/// Largest binary exponent of a bound that is converted to a fraction.
const FARTHEST: i32 = 1 << 24;

/// A bound of an enclosure: numerator and denominator, or plus or minus infinity.
#[derive(IntoPyObject)]
pub enum End<'py> {
    /// A rational.
    Ratio((Bound<'py, PyAny>, Bound<'py, PyAny>)),
    /// Infinity, or minus infinity.
    Infinite(f64),
}

/// One bound of an outcome.
fn end<'py>(py: Python<'py>, outcome: &Outcome, side: Side) -> PyResult<End<'py>> {
    match number(outcome) {
        None => no_number(py, outcome).map(End::Infinite),
        Some(Number::Exact(value)) => ratio(py, &value).map(End::Ratio),
        Some(Number::Enclosed(set)) => {
            let end = if side == Side::Lower { set.lower() } else { set.upper() };
            if end.get_exp().is_some_and(|exponent| exponent.abs() > FARTHEST) {
                return Err(PyOverflowError::new_err(format!(
                    "{} is too large or too small for a Fraction: use decimals() of the answer",
                    decimal(&Number::Enclosed(set), 6, side)
                )));
            }
            match end.to_rational() {
                Some(end) => ratio(py, &end).map(End::Ratio),
                None => Ok(End::Infinite(end.to_f64())),
            }
        }
    }
}

fn number(outcome: &Outcome) -> Option<Number> {
    match outcome {
        Outcome::Exact(value) => Some(value.into()),
        Outcome::Enclosure(set) | Outcome::Short { proven: set, .. } => Some(set.into()),
        _ => None,
    }
}

/// Infinity, or an error with the reason why there is no number.
fn no_number(py: Python<'_>, outcome: &Outcome) -> PyResult<f64> {
    match outcome {
        Outcome::Infinite => Ok(f64::INFINITY),
        Outcome::Undefined(reason) => Err(undefined(py, format!("undefined: {reason}"))),
        Outcome::Undecided(reason) => Err(undecided(py, format!("undecided: {}", with_flags(reason)))),
        _ => Err(undecided(py, "undecided")),
    }
}

/// The nearest double, if it is the same for both bounds.
fn nearest(py: Python<'_>, outcome: &Outcome) -> PyResult<f64> {
    let Some(number) = number(outcome) else { return no_number(py, outcome) };
    let (lower, upper) = match &number {
        Number::Exact(value) => {
            // If n/d is not the midpoint m/2^k of two doubles, they are 1/(d 2^k) apart: these bits decide the side.
            let bits = value.denom().significant_bits().saturating_add(128);
            let end = |round| Float::with_val_round(bits, value, round).0;
            (end(Round::Down), end(Round::Up))
        }
        Number::Enclosed(set) => (set.lower().clone(), set.upper().clone()),
    };
    let (below, above) = (lower.to_f64(), upper.to_f64());
    if below.to_bits() == above.to_bits() || (below == 0.0 && above == 0.0) {
        return Ok(below);
    }
    let [lower, upper] = [Side::Lower, Side::Upper].map(|side| decimal(&number, 20, side));
    Err(PyValueError::new_err(format!(
        "the nearest double is not proven: the truth is in [{lower}, {upper}]; use f64_lower or f64_upper, or request \
         more digits"
    )))
}

fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Exact(_) => "exact",
        Outcome::Enclosure(_) | Outcome::Short { .. } => "enclosure",
        Outcome::Infinite => "infinite",
        Outcome::Undefined(_) => "undefined",
        _ => "undecided",
    }
}

fn reason(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Short { reason, .. } | Outcome::Undecided(reason) => Some(with_flags(reason)),
        Outcome::Undefined(reason) => Some(reason.clone()),
        _ => None,
    }
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The methods of a class, with those that answers and calibrations share.
macro_rules! with_numbers {
    ($class:ident { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
        /// Lower bound.
        fn lower<'py>(&self, py: Python<'py>) -> PyResult<End<'py>> {
            end(py, &self.answer.outcome, Side::Lower)
        }

        /// Upper bound.
        fn upper<'py>(&self, py: Python<'py>) -> PyResult<End<'py>> {
            end(py, &self.answer.outcome, Side::Upper)
        }

        /// Largest double that is proven to be at most the truth.
        fn f64_lower(&self, py: Python<'_>) -> PyResult<f64> {
            self.answer.outcome.lower_f64().map_or_else(|| no_number(py, &self.answer.outcome), Ok)
        }

        /// Smallest double that is proven to be at least the truth.
        fn f64_upper(&self, py: Python<'_>) -> PyResult<f64> {
            self.answer.outcome.upper_f64().map_or_else(|| no_number(py, &self.answer.outcome), Ok)
        }

        /// Nearest double, if it is proven.
        fn nearest(&self, py: Python<'_>) -> PyResult<f64> {
            nearest(py, &self.answer.outcome)
        }

        /// Both bounds as decimals, rounded outward.
        fn decimals(&self, py: Python<'_>, digits: u32) -> PyResult<(String, String)> {
            match number(&self.answer.outcome) {
                Some(number) => {
                    let end = |side| decimal(&number, digits, side);
                    Ok((end(Side::Lower), end(Side::Upper)))
                }
                None => no_number(py, &self.answer.outcome).map(|value| (value.to_string(), value.to_string())),
            }
        }

        /// exact, enclosure, infinite, undefined or undecided.
        #[getter]
        fn kind(&self) -> &'static str {
            kind(&self.answer.outcome)
        }

        /// Why there is no number, or why fewer digits are proven than requested.
        #[getter]
        fn reason(&self) -> Option<String> {
            reason(&self.answer.outcome)
        }

        /// Name of the method.
        #[getter]
        fn method(&self) -> &str {
            &self.answer.method
        }

        /// The theorem that the number relies on: citation, meaning, page of the proof.
        #[getter]
        fn statement(&self) -> Option<(&'static str, &'static str, &'static str)> {
            self.answer.statement.map(|statement| (statement.citation(), statement.meaning(), statement.page()))
        }

        $($own)*
        }
    };
}

/// An answer.
#[pyclass(frozen, module = "dpcert._dpcert")]
pub struct Answer {
    pub query: Query,
    pub answer: dpcert::Answer,
}

with_numbers! { Answer {
    /// Number of proven significant digits.
    #[getter]
    fn digits(&self) -> Option<u32> {
        self.answer.outcome.digits().map(|digits| digits.min(self.query.digits))
    }

    /// `exact`, `upper_bound`, `lower_bound` or `of_the_pair`: how the number relates to the mechanism.
    #[getter]
    fn meaning(&self) -> Option<&'static str> {
        self.answer.meaning.map(dpcert::Meaning::name)
    }

    /// Why the meaning is not `exact`, with the source of the bound.
    #[getter]
    fn because(&self) -> Option<&'static str> {
        self.answer.reason()
    }

    /// `upper` or `lower`, if the number is such a bound for the mechanism.
    #[getter]
    fn bound(&self) -> Option<&'static str> {
        self.answer.bound.map(|bound| match bound {
            dpcert::Bound::Lower => "lower",
            _ => "upper",
        })
    }

    /// `same_order`, if at least two steps are not symmetric.
    #[getter]
    fn model(&self) -> Option<&'static str> {
        self.query.mechanism.order_model()
    }

    /// The query as a line of JSON.
    fn question(&self) -> String {
        self.query.to_string()
    }

    /// The line of JSON that `dpcert answer` prints.
    fn json(&self) -> PyResult<String> {
        json(&answer_line(&self.query, &self.answer))
    }

    /// The text that the command line prints.
    #[pyo3(signature = (full = false))]
    fn text(&self, full: bool) -> String {
        answer_text(&self.query, &self.answer, Shown { fraction: full, source: false })
    }

    /// How the answer was computed: labels and values.
    fn notes(&self) -> Vec<(String, String)> {
        self.answer.notes.iter().map(|Note { label, value }| (label.clone(), value.clone())).collect()
    }
}}

/// A calibration.
#[pyclass(frozen, module = "dpcert._dpcert")]
pub struct Calibrated {
    pub question: Calibration,
    pub answer: dpcert::Calibrated,
}

/// A trial: its value, whether that is a double, and the outcome there.
type Told<'py> = ((Bound<'py, PyAny>, Bound<'py, PyAny>), bool, End<'py>, End<'py>);

fn trial<'py>(py: Python<'py>, trial: Option<&dpcert::Trial>) -> PyResult<Option<Told<'py>>> {
    let Some(trial) = trial else { return Ok(None) };
    let Number::Exact(value) = Number::from(&trial.value) else { return Ok(None) };
    let ends = [Side::Lower, Side::Upper].map(|side| end(py, &trial.outcome, side));
    let [lower, upper] = ends;
    Ok(Some((ratio(py, &value)?, trial.is_double, lower?, upper?)))
}

with_numbers! { Calibrated {
    /// Number of proven significant digits.
    #[getter]
    fn digits(&self) -> Option<u32> {
        self.answer.outcome.digits().map(|digits| digits.min(self.question.digits))
    }

    /// `exact`, `upper_bound` or `lower_bound`: how the outcomes at both values relate to the mechanism.
    #[getter]
    fn meaning(&self) -> Option<&'static str> {
        self.answer.meaning.map(dpcert::Meaning::name)
    }

    /// Name of the parameter marked `?`.
    #[getter]
    fn parameter(&self) -> &'static str {
        self.answer.parameter
    }

    /// Value that is proven to meet the target.
    fn safe<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        trial(py, self.answer.safe.as_ref())
    }

    /// Value that is proven to miss the target.
    fn fails<'py>(&self, py: Python<'py>) -> PyResult<Option<Told<'py>>> {
        trial(py, self.answer.fails.as_ref())
    }

    /// The query as a line of JSON.
    fn question(&self) -> String {
        self.question.to_string()
    }

    /// The line of JSON that `dpcert answer` prints.
    fn json(&self) -> PyResult<String> {
        json(&calibrated_line(&self.question, &self.answer))
    }

    /// The text that the command line prints.
    fn text(&self) -> String {
        calibrated_text(&self.question, &self.answer, false)
    }
}}
