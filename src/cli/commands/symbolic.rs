//! `symbolic`: the composition region as rational functions of x = e^epsilon.

use super::super::args::Limits;
use super::super::failure::{Failure, Status};
use super::{budget, mechanism, say, say_json};
use crate::print;

/// `dpcert symbolic`.
pub fn run(text: &str, k: u32, limits: Limits, json: bool) -> Result<Status, Failure> {
    let formulas = print::formulas(&mechanism(text)?, k, &budget(limits))?;
    if json {
        say_json(&formulas)?;
    } else {
        say(formulas.to_string().trim_end())?;
    }
    Ok(Status::Fine)
}
