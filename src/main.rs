//! The `dpcert` command; everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    dpcert::internals::run()
}
