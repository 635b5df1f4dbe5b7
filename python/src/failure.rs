//! Conversion of library errors to the exceptions in `dpcert.errors`.

use dpcert::Error;
use dpcert::internals::in_flags;
use enclosure::ParseError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An exception of this class with this message.
fn exception(py: Python<'_>, class: &'static str, text: String) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("dpcert.errors").map(Bound::unbind));
    let class = module.and_then(|module| Ok(module.bind(py).getattr(class)?.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, text),
        Err(error) => error,
    }
}

/// The exception for a library error, with the message of the command line.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Input(_) => "InputError",
        Error::Undefined(_) => "UndefinedError",
        Error::Undecided(_) => "UndecidedError",
        _ => "InternalError",
    };
    exception(py, class, in_flags(error))
}

/// Invalid input.
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

/// A string that cannot be parsed, with the position of the error.
pub fn unreadable(py: Python<'_>, error: &ParseError) -> PyErr {
    let raised = exception(py, "ParseError", error.to_string());
    let value = raised.value(py);
    let told = value.setattr("column", error.column()).and_then(|()| value.setattr("caret", error.caret()));
    told.err().unwrap_or(raised)
}

/// A value of an unsupported type.
pub fn wrong_type(text: impl Into<String>) -> PyErr {
    PyTypeError::new_err(text.into())
}
