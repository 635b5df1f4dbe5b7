//! `filter simulator`: the rows of L, and what is missing of their identity.

use serde::Serialize;

use super::super::super::failure::Failure;
use super::super::{constant, say, say_json};
use crate::adaptive::simulator::{Simulator, SimulatorRow, as_printed, residual};
use crate::error::Error;
use crate::print::Status;
use enclosure::{Brief, Real};

/// Maximum number of printed rows.
const MOST_ROWS: usize = 200;

/// The JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
struct Line {
    /// `mu_i^2/mu^2`.
    shares: Vec<String>,
    rows: Vec<Vec<Real>>,
    /// Is `L L^T` exactly `I - m m^T`?
    identity: bool,
    /// What the diagonal of `L L^T` misses with the recursion as printed; none where it divides by zero.
    printed: Option<Vec<Real>>,
}

/// `dpcert filter simulator`.
pub fn run(budget: &str, mus: &[String], json: bool) -> Result<Status, Failure> {
    if mus.len() > MOST_ROWS {
        return Err(Failure::input(format!("{} rows exceed the maximum of {MOST_ROWS}", mus.len())));
    }
    let mut simulator = Simulator::new(&constant("budget", budget)?)?;
    let next = |text: &String| Ok(simulator.next(&constant("mu", text)?)?);
    let rows = mus.iter().map(next).collect::<Result<Vec<SimulatorRow>, Failure>>()?;
    let values: Vec<Vec<Real>> = rows.iter().map(SimulatorRow::entries).collect::<Result<_, Error>>()?;
    let mut identity = true;
    for i in 0..rows.len() {
        for j in 0..=i {
            identity &= residual(&rows, i, j)?.is_zero();
        }
    }
    let printed = match as_printed(&rows) {
        Err(Error::Undefined(_)) => None,
        printed => Some(printed?),
    };
    let missing =
        |rows: &Vec<SimulatorRow>| (0..rows.len()).map(|i| residual(rows, i, i)).collect::<Result<Vec<_>, _>>();
    let printed = printed.as_ref().map(missing).transpose()?;
    let status = if identity { Status::Fine } else { Status::Mismatch };
    if json {
        let shares = rows.iter().map(|row| row.share().to_string()).collect();
        say_json(&Line { shares, rows: values, identity, printed })?;
        return Ok(status);
    }
    let list = |values: &[Real]| values.iter().map(|value| Brief(value).to_string()).collect::<Vec<_>>().join(", ");
    for (i, (row, values)) in rows.iter().zip(&values).enumerate() {
        say(&format!("row {}  m^2 = {}  L = {}", i + 1, row.share(), list(values)))?;
    }
    let equal = if identity { "=" } else { "is not" };
    say(&format!("L L^T {equal} I - m m^T, exactly"))?;
    say(&match printed {
        Some(missing) => {
            format!("with the recursion as printed in the footnote, the diagonal lacks {}", list(&missing))
        }
        None => "the recursion as printed in the footnote divides by zero".to_string(),
    })?;
    Ok(status)
}
