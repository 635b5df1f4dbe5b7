//! `help`: what a single line of `--help` has no room for.

use clap::CommandFactory;

use super::super::args::{Cli, HelpTopic};
use super::super::failure::{Failure, Status};
use super::say;
use crate::mechanism::Mechanism;

const NUMBERS: &str = "Numbers are exact: nothing is rounded when it is read.

  0.1  1e-11  3/2            decimals and fractions are the rationals they show
  ln(3/2)  sqrt(2)  exp(1)   are the real numbers they name
  2.56 + 2*sqrt(2.56*ln(1e11))
                             so are constant expressions with + - * / ^ and parentheses
  f64:0x1.999999999999ap-4   a double has to be asked for, in hexadecimal ...
  f64:0.1                    ... or as the double nearest to a decimal

An epsilon ln(p/q) makes e^epsilon rational: compositions of (epsilon, delta) mechanisms are then exact fractions.";

/// `dpcert help`.
pub fn run(topic: Option<HelpTopic>) -> Result<Status, Failure> {
    match topic {
        None => say(Cli::command().render_long_help().to_string().trim_end())?,
        Some(HelpTopic::Numbers) => say(NUMBERS)?,
        Some(HelpTopic::Mechanisms) => {
            for entry in Mechanism::catalogue() {
                say(&format!("{}\n  {}\n  {}", entry.usage(), entry.summary, entry.pair))?;
                for parameter in entry.parameters {
                    say(&format!("    {:12} {}", parameter.name, parameter.meaning))?;
                }
                say(&format!("  example: {}\n", entry.example))?;
            }
            say("`*` composes, `^` repeats, parentheses group; @file.toml reads a composition from a file.")?;
            say(
                "@file.csv reads budgets, with the columns level,query,rho; @file.csv:County reads those of one level.",
            )?;
            say("Numbers are exact: see `dpcert help numbers`.")?;
        }
    }
    Ok(Status::Fine)
}
