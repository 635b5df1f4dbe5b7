//! `census tradeoff`: the trade-off function of a pair of paths.

use std::path::Path;

use super::super::super::args::Limits;
use super::super::super::failure::{Failure, Status};
use super::super::super::progress;
use super::super::{budget, say};
use crate::census::tradeoff::{Thresholds, vertices};
use crate::mechanism::Paths;
use crate::write::write_file;
use enclosure::Number;
use enclosure::decimal::{Side, decimal};

/// `dpcert census tradeoff`.
pub fn run(paths: &Paths, wanted: &Thresholds, limits: Limits, out: Option<&Path>) -> Result<Status, Failure> {
    let bar = progress::bar(u64::from(wanted.points), "tails");
    let &Thresholds { points, digits, .. } = wanted;
    let computed = vertices(paths, wanted, &budget(limits), |total| {
        bar.set_length(total as u64);
        bar.inc(1);
    });
    bar.finish_and_clear();
    let mut table = "zeta,alpha_lower,alpha_upper,beta_lower,beta_upper\n".to_string();
    for vertex in computed? {
        let end = |number: &Number, side| decimal(number, digits + 1, side);
        table += &format!(
            "{},{},{},{},{}\n",
            vertex.zeta,
            end(&vertex.alpha, Side::Lower),
            end(&vertex.alpha, Side::Upper),
            end(&vertex.beta, Side::Lower),
            end(&vertex.beta, Side::Upper)
        );
    }
    match out {
        Some(out) => {
            write_file(out, table.as_bytes())?;
            say(&format!("{points} points of {digits} digits written to {}", out.display()))?;
        }
        None => say(table.trim_end())?,
    }
    Ok(Status::Fine)
}
