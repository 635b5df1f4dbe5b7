//! `census tradeoff`: the trade-off function of a pair of paths.

use std::path::Path;

use rug::Rational;

use super::super::super::args::Limits;
use super::super::super::failure::{Failure, Status};
use super::super::super::progress;
use super::super::{budget, say};
use crate::census::tradeoff::vertices;
use crate::mechanism::Paths;
use crate::number::Number;
use crate::number::decimal::{Side, decimal};
use crate::write::write_file;

/// Which thresholds of which pair.
pub struct Thresholds {
    /// The two paths.
    pub pair: (u32, u32),
    /// How many.
    pub points: u32,
    /// How far on either side, if not as far as the published ones.
    pub reach: Option<Rational>,
    /// How many digits must be proven.
    pub digits: u32,
}

/// `dpcert census tradeoff`.
pub fn run(paths: &Paths, wanted: &Thresholds, limits: Limits, out: Option<&Path>) -> Result<Status, Failure> {
    let bar = progress::bar(u64::from(wanted.points), "thresholds");
    let &Thresholds { pair, points, digits, .. } = wanted;
    let budget = budget(limits);
    let computed = vertices(paths, pair, points, wanted.reach.clone(), digits, &budget, || bar.inc(1));
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
