//! The extension module of the Python package `dpcert`: what Python asks, the library answers.
//!
//! It has no formula of its own. Numbers come in as the exact numbers they are and go out as the exact ends of
//! enclosures; the classes that people see are written in Python, on top of these.
//!
//! | file | is |
//! |---|---|
//! | `number` | numbers of Python, as exact constants; rationals, as integers of Python |
//! | `composition` | a composition, by its expression |
//! | `answer` | an answer, and a calibration |
//! | `ask` | sessions, calibrations, lines of JSON: the long work, without the interpreter's lock |
//! | `program` | the program `dpcert`, which is inside too |
//! | `failure` | errors of the library, as the package's exceptions |

// The names that PyO3 makes of functions have no documentation of their own.
#![allow(missing_docs)]

mod answer;
mod ask;
mod composition;
mod failure;
mod number;
mod program;

use pyo3::prelude::*;

/// What the package in Python is made of.
#[pymodule]
mod _dpcert {
    #[pymodule_export]
    use super::answer::{Answer, Calibrated};
    #[pymodule_export]
    use super::ask::{Session, calibrate, forked, lines, own_time};
    #[pymodule_export]
    use super::composition::Composition;
    #[pymodule_export]
    use super::number::number;
    #[pymodule_export]
    use super::program::run;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Panics are told by the exceptions that they become.
        dpcert::internals::quiet_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
