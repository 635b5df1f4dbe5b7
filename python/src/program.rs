//! The command-line program: `python -m dpcert` runs it.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Run the program with these arguments and return its exit code. It uses the command `started_by` to restart itself.
#[pyfunction]
pub fn run(py: Python<'_>, started_by: Vec<OsString>, words: Vec<OsString>) -> u8 {
    py.detach(|| dpcert::internals::run_inside(started_by, words)) as u8
}
