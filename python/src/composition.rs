//! Compositions, given by their expressions.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::failure::{input, raised, unreadable, wrong_type};

/// A composition: mechanisms, each with the number of its runs.
#[pyclass(frozen, eq, module = "dpcert._dpcert")]
#[derive(PartialEq)]
pub struct Composition {
    pub inner: dpcert::Composition,
}

#[pymethods]
impl Composition {
    /// Parse an expression. It may name files if `files` is true.
    #[new]
    #[pyo3(signature = (text, files = false))]
    fn new(py: Python<'_>, text: &str, files: bool) -> PyResult<Self> {
        let parsed = if files { dpcert::internals::parse_open(text) } else { dpcert::Composition::parse_closed(text) };
        parsed.map(|inner| Composition { inner }).map_err(|error| unreadable(py, &error))
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner.hash(&mut hasher);
        hasher.finish()
    }

    fn __mul__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        self.inner.and(&other.inner).map(|inner| Composition { inner }).map_err(|error| raised(py, &error))
    }

    fn __pow__(&self, py: Python<'_>, times: &Bound<'_, PyAny>, _modulo: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let Ok(times) = times.call_method0("__index__").and_then(|times| Ok(times.cast_into::<PyInt>()?)) else {
            return Err(wrong_type("the number of repeats must be an integer"));
        };
        let Ok(times) = times.extract::<u64>() else {
            return Err(input(py, format!("the number of repeats must be from 0 to 2^63, not {times}")));
        };
        self.inner.repeat(times).map(|inner| Composition { inner }).map_err(|error| raised(py, &error))
    }

    /// Whether the composition is only a bound, because a shorthand in its source is. The expression does not show
    /// this.
    #[getter]
    fn only_bounds(&self) -> bool {
        dpcert::internals::only_bounds(&self.inner)
    }

    /// Each mechanism as an expression, the number of its runs, and its dominating pair in words, inner mechanisms
    /// last.
    fn pairs(&self) -> Vec<(String, u64, Vec<&'static str>)> {
        self.inner.pairs_in_words()
    }
}
