//! `symbolic`: the composition region as rational functions of x = e^epsilon.

use super::super::args::Limits;
use super::super::failure::{Failure, Status};
use super::{budget, mechanism, say, say_json};
use crate::compose::region::homogeneous;
use crate::curve::SymbolicComposition;
use crate::supervise;

/// `dpcert symbolic`.
pub fn run(text: &str, k: u32, limits: Limits, json: bool) -> Result<Status, Failure> {
    let composition = mechanism(text)?;
    let Some((_, delta, 1)) = homogeneous(&composition) else {
        return Err(Failure::input(format!(
            "symbolic needs one (epsilon, delta) mechanism, such as approx-dp(epsilon=1, delta=1/100), and --k for its \
             power; got {composition}"
        )));
    };
    let Some(delta) = delta.as_rational() else {
        return Err(Failure::input(format!("symbolic needs a rational delta, got {delta}")));
    };
    let (limits, delta) = (budget(limits), delta.clone());
    let own = limits.clone();
    let formulas = supervise::within(&limits, move || {
        own.check()?;
        SymbolicComposition::new(k, &delta)
    })?;
    if json {
        say_json(&formulas)?;
    } else {
        say(formulas.to_string().trim_end())?;
    }
    Ok(Status::Fine)
}
