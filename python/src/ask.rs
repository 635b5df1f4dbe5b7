//! Long computations. They run without the interpreter lock and stop on Ctrl-C.
//!
//! The waiting thread regularly checks for signals and calls an optional Python function, which may also stop the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dpcert::{Budget, Calibration, Direction, Error, Method, Query, Target, Template};
use enclosure::Work;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::Value;

use crate::answer::{Answer, Calibrated};
use crate::composition::Composition;
use crate::failure::{input, raised};
use crate::number::real;

/// Largest timeout in seconds, three years: beyond it clocks overflow.
const MOST_SECONDS: f64 = 1e8;

/// Largest number of units of work.
const MOST_UNITS: f64 = 1e18;

/// Whether this process was forked during a computation, so that it cannot compute.
static FORKED_AT_WORK: AtomicBool = AtomicBool::new(false);

/// The limits of an answer: seconds, bits, megabytes, units of work.
#[derive(FromPyObject)]
pub struct Limits(Option<f64>, Option<u32>, Option<u32>, Option<f64>);

/// The work of an answer if it is not limited, as on the command line.
const WORK: Work = Work::seconds(60);

impl Limits {
    /// A budget whose clock starts now.
    fn budget(&self, py: Python<'_>) -> PyResult<Budget> {
        let &Limits(timeout, bits, megabytes, work) = self;
        let timeout = match timeout {
            None => None,
            Some(seconds) if (0.0..=MOST_SECONDS).contains(&seconds) => Some(Duration::from_secs_f64(seconds)),
            Some(other) => {
                let most = MOST_SECONDS;
                return Err(input(
                    py,
                    format!("timeout must be a number of seconds from 0 to {most}, or None, not {other}"),
                ));
            }
        };
        let budget = Budget::new(bits.unwrap_or(Budget::DEFAULT_MAX_BITS), timeout);
        let budget = match work {
            Some(units) if (1.0..=MOST_UNITS).contains(&units) => budget.with_work(Work::units(units as u64)),
            Some(other) => {
                return Err(input(py, format!("work must be a number of units from 1 to {MOST_UNITS:e}, not {other}")));
            }
            None => budget.patient(WORK),
        };
        Ok(match megabytes {
            Some(megabytes) => budget.with_max_bytes(u64::from(megabytes) * 1_000_000),
            None => budget,
        })
    }
}

/// Do the work without the interpreter lock, until it is done, a signal arrives, or `tick` raises.
fn detached<T: Send>(
    py: Python<'_>,
    budget: Budget,
    tick: Option<Py<PyAny>>,
    work: impl FnOnce(&Budget) -> Result<T, Error> + Send,
) -> PyResult<T> {
    if FORKED_AT_WORK.load(Ordering::Acquire) {
        return Err(input(py, FORKED_TEXT));
    }
    let raising: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let seen = Arc::clone(&raising);
    let budget = budget.while_wanted(move || {
        let looked = Python::attach(|py| {
            py.check_signals()?;
            tick.as_ref().map_or(Ok(()), |tick| tick.call0(py).map(|_| ()))
        });
        looked.map_err(|error| *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(error)).is_ok()
    });
    let done = py.detach(|| work(&budget));
    match raising.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => done.map_err(|error| raised(py, &error)),
    }
}

const FORKED_TEXT: &str = "this process was forked while an answer was being computed, so it cannot compute: use the \
                           start method `spawn` or `forkserver`, or fork when no computation runs";

/// Longest name of a direction or a method that is shown in an error, in characters.
const LONGEST_WORD: usize = 60;

/// A value with a few possible names, such as a direction.
fn word<T: serde::de::DeserializeOwned>(py: Python<'_>, what: &str, text: &str) -> PyResult<T> {
    // An error shows only the beginning of a long string.
    let text: String = text.chars().take(LONGEST_WORD).collect();
    serde_json::from_value(Value::String(text)).map_err(|error| input(py, format!("{what}: {error}")))
}

/// A composition that answers queries and caches intermediate results.
#[pyclass(frozen, module = "dpcert._dpcert")]
pub struct Session {
    inner: dpcert::Session,
    composition: dpcert::Composition,
    method: Method,
}

#[pymethods]
impl Session {
    #[new]
    fn new(py: Python<'_>, composition: &Composition, method: &str) -> PyResult<Self> {
        let (composition, method) = (composition.inner.clone(), word(py, "method", method)?);
        Ok(Session { inner: dpcert::Session::new(composition.clone(), method), composition, method })
    }

    /// Compute a quantity at a point.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (quantity, at, digits, direction, limits, id = None, notes = false, tick = None))]
    fn ask(
        &self,
        py: Python<'_>,
        quantity: &str,
        at: Vec<(Bound<'_, PyString>, Bound<'_, PyAny>)>,
        digits: Option<u32>,
        direction: &str,
        limits: Limits,
        id: Option<String>,
        notes: bool,
        tick: Option<Py<PyAny>>,
    ) -> PyResult<Answer> {
        let mut point = Vec::with_capacity(at.len());
        for (name, value) in at {
            point.push((name.to_str()?.to_string(), real(&value)?));
        }
        let quantity = dpcert::internals::quantity(quantity, &point).map_err(|error| raised(py, &error))?;
        let direction: Direction = word(py, "direction", direction)?;
        let mut query =
            Query::new(quantity, self.composition.clone()).with_direction(direction).with_method(self.method);
        if let Some(digits) = digits {
            query = query.with_digits(digits);
        }
        query.id = id;
        let budget = limits.budget(py)?;
        let budget = if notes { budget.taking_notes() } else { budget };
        let answer = detached(py, budget, tick, |budget| self.inner.answer(&query, budget))?;
        Ok(Answer { query, answer })
    }
}

/// Time of the library for an answer in seconds, the smallest of `times` runs. With `open` it excludes parsing and the
/// set-up of the session. The benchmark subtracts it from the time measured in Python.
#[pyfunction]
#[pyo3(signature = (text, quantity, at, times, open))]
pub fn own_time(
    py: Python<'_>,
    text: &str,
    quantity: &str,
    at: Vec<(String, String)>,
    times: u32,
    open: bool,
) -> PyResult<f64> {
    let mut point = Vec::with_capacity(at.len());
    for (name, value) in at {
        let value = enclosure::Real::parse(&value).map_err(|error| crate::failure::unreadable(py, &error))?;
        point.push((name, value));
    }
    let quantity = dpcert::internals::quantity(quantity, &point).map_err(|error| raised(py, &error))?;
    let composition =
        dpcert::Composition::parse_closed(text).map_err(|error| crate::failure::unreadable(py, &error))?;
    let limits = Limits(Some(60.0), None, None, None);
    let session = dpcert::Session::new(composition.clone(), Method::Auto);
    let mut least = f64::INFINITY;
    for _ in 0..times {
        let started = Instant::now();
        let budget = limits.budget(py)?;
        let answered = if open {
            session.answer(&Query::new(quantity.clone(), composition.clone()), &budget)
        } else {
            let composition =
                dpcert::Composition::parse_closed(text).map_err(|error| crate::failure::unreadable(py, &error))?;
            let session = dpcert::Session::new(composition.clone(), Method::Auto);
            session.answer(&Query::new(quantity.clone(), composition), &budget)
        };
        least = least.min(started.elapsed().as_secs_f64());
        answered.map_err(|error| raised(py, &error))?;
    }
    Ok(least)
}

/// Find the parameter marked `?`. `told` is called with progress messages.
#[allow(clippy::too_many_arguments)]
#[pyfunction]
#[pyo3(signature = (template, kind, at, level, digits, direction, method, limits, told = None))]
pub fn calibrate(
    py: Python<'_>,
    template: &str,
    kind: &str,
    at: &Bound<'_, PyAny>,
    level: &Bound<'_, PyAny>,
    digits: Option<u32>,
    direction: &str,
    method: &str,
    limits: Limits,
    told: Option<Py<PyAny>>,
) -> PyResult<Calibrated> {
    let template = dpcert::internals::parse_template(template);
    let template: Template = template.map_err(|error| crate::failure::unreadable(py, &error))?;
    let (at, level) = (real(at)?, real(level)?);
    let target = match kind {
        "profile" => Target::Profile { epsilon: at, delta: level },
        "tradeoff" => Target::Tradeoff { alpha: at, beta: level },
        "zcdp" => Target::Zcdp { rho: level },
        "renyi" => Target::Renyi { order: at, value: level },
        _ => Target::Gdp { mu: level },
    };
    let question = Calibration::new(template, target)
        .with_direction(word(py, "direction", direction)?)
        .with_method(word(py, "method", method)?);
    let question = match digits {
        Some(digits) => question.with_digits(digits),
        None => question,
    };
    let raising: Mutex<Option<PyErr>> = Mutex::new(None);
    let answer = detached(py, limits.budget(py)?, None, |budget| {
        dpcert::internals::calibrate_telling(&question, budget, &mut |text| {
            let Some(told) = &told else { return };
            if let Err(error) = Python::attach(|py| told.call1(py, (text,))) {
                raising.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        })
    })?;
    match raising.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(Calibrated { question, answer }),
    }
}

/// The lines that `dpcert answer` prints for these lines, byte for byte, each with its exit code. `first` is the number
/// of the first line.
#[pyfunction]
#[pyo3(signature = (texts, limits, first = 1, notes = false))]
pub fn lines(
    py: Python<'_>,
    texts: Vec<String>,
    limits: Limits,
    first: u64,
    notes: bool,
) -> PyResult<Vec<(String, u8)>> {
    let mut session = None;
    let mut replies = Vec::with_capacity(texts.len());
    for (number, text) in (first..).zip(texts) {
        py.check_signals()?;
        let budget = limits.budget(py)?;
        let budget = if notes { budget.taking_notes() } else { budget };
        let own = &mut session;
        let (reply, status) =
            detached(py, budget, None, move |budget| Ok(dpcert::internals::reply(number, text.trim(), own, budget)))?;
        replies.push((reply, status as u8));
    }
    Ok(replies)
}

/// Reset the library in a forked child process.
#[pyfunction]
pub fn forked() {
    if dpcert::internals::forked().is_err() {
        FORKED_AT_WORK.store(true, Ordering::Release);
    }
}
