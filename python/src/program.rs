//! The program `dpcert`, which is inside too: `python -m dpcert` is it.

use std::ffi::OsString;

use pyo3::prelude::*;

/// What the program does with these words, and its exit code. It starts itself again, where it has to, by `started_by`.
#[pyfunction]
pub fn run(py: Python<'_>, started_by: Vec<OsString>, words: Vec<OsString>) -> u8 {
    py.detach(|| dpcert::internals::run_inside(started_by, words)) as u8
}
