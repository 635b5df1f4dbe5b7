//! Errors of the library, as the package's exceptions: `dpcert.errors` has their classes.

use dpcert::Error;
use dpcert::internals::in_flags;
use enclosure::ParseError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exception of this name with this text.
fn exception(py: Python<'_>, class: &'static str, text: String) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("dpcert.errors").map(Bound::unbind));
    let class = module.and_then(|module| Ok(module.bind(py).getattr(class)?.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, text),
        Err(error) => error,
    }
}

/// An error of the library, in the words of the command line.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Input(_) => "InputError",
        Error::Undefined(_) => "UndefinedError",
        Error::Undecided(_) => "UndecidedError",
        _ => "InternalError",
    };
    exception(py, class, in_flags(error))
}

/// Bad input.
pub fn input(py: Python<'_>, text: impl Into<String>) -> PyErr {
    exception(py, "InputError", text.into())
}

/// No number, because a hypothesis fails.
pub fn undefined(py: Python<'_>, text: impl Into<String>) -> PyErr {
    exception(py, "UndefinedError", text.into())
}

/// No number within the budget.
pub fn undecided(py: Python<'_>, text: impl Into<String>) -> PyErr {
    exception(py, "UndecidedError", text.into())
}

/// A text that cannot be read, with the place of the fault.
pub fn unreadable(py: Python<'_>, error: &ParseError) -> PyErr {
    let raised = exception(py, "ParseError", error.to_string());
    let value = raised.value(py);
    let told = value.setattr("column", error.column()).and_then(|()| value.setattr("caret", error.caret()));
    told.err().unwrap_or(raised)
}

/// A type that is none of those that are taken.
pub fn wrong_type(text: impl Into<String>) -> PyErr {
    PyTypeError::new_err(text.into())
}
