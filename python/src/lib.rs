//! The extension module of the Python package `dpcert`.
//!
//! It contains no formulas: it converts Python numbers to exact constants, calls the library, and converts the exact
//! bounds back. The public classes are written in Python on top of it.
//!
//! | file | contents |
//! |---|---|
//! | `number` | Python numbers as exact constants; rationals as Python integers |
//! | `composition` | compositions, given by their expressions |
//! | `answer` | answers and calibrations |
//! | `ask` | sessions, calibrations, lines of JSON: long computations without the interpreter lock |
//! | `program` | the command-line program |
//! | `failure` | library errors as exceptions of the package |

// The names that PyO3 generates for functions have no documentation.
#![allow(missing_docs)]

mod answer;
mod ask;
mod composition;
mod failure;
mod number;
mod program;

use pyo3::prelude::*;

/// The contents of the extension module.
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
        // A panic becomes an exception, so it is not printed.
        dpcert::internals::quiet_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
