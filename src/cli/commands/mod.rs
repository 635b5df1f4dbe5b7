//! One file per command.

mod antipodal;
mod approximate;
mod ask;
mod attack;
mod audit;
mod calibrate;
mod census;
mod claim;
mod compare;
mod curve;
mod filter;
mod floats;
mod functional;
mod help;
mod mpc;
mod order;
mod paper;
mod region;
mod stream;
mod symbolic;
mod theorem;
mod vectors;

use std::io::Write;

use serde::Serialize;

use super::args::{Account, Command, Limits};
use super::failure::{Failure, Status};
use crate::mechanism::Composition;
use enclosure::{Budget, Real};

/// Run one command.
pub fn run(command: Command) -> Result<Status, Failure> {
    match command {
        Command::Delta { question, engine, account, epsilon } => ask::delta(&question, engine, account, &epsilon),
        Command::Epsilon { question, engine, account, delta } => ask::epsilon(&question, engine, account, &delta),
        Command::Beta { question, engine, account, alpha } => ask::beta(&question, engine, account, &alpha),
        Command::Calibrate { inverse, engine, epsilon, delta, beta, alpha } => {
            calibrate::run(&inverse, engine, &calibrate::Promise { epsilon, delta, beta, alpha })
        }
        Command::Compare(contest) => compare::run(&contest),
        Command::Theorem(statement) => theorem::run(&statement),
        Command::Renyi { question, account, order } => ask::renyi(&question, account, &order),
        Command::Divergence { kind, question, engine, account } => ask::divergence(&question, engine, account, kind),
        Command::Order { first, second, channel, limits, json } => order::run([&first, &second], channel, limits, json),
        Command::Region { question, bounds, svg } => region::run(&question, bounds, svg.as_deref()),
        Command::Symbolic { mechanism, k, json } => symbolic::run(&mechanism, k, json),
        Command::Antipodal { question } => antipodal::run(&question),
        Command::Filter(command) => filter::run(command),
        Command::Risk { question, engine, account, fpr, prior } => {
            attack::risk(&question, engine, account, &fpr, &prior)
        }
        Command::Fit { question } => attack::fitted(&question),
        Command::CanonicalNoise { question, engine, at, quantile } => {
            attack::canonical(&question, engine, at.as_deref(), quantile.as_deref())
        }
        Command::Mpc(typed) => mpc::run(&typed),
        Command::Approximate(approximate) => approximate::run(&approximate),
        Command::Functional(functional) => functional::run(&functional),
        Command::Curve { question, engine, kind, to, points, svg, csv } => {
            curve::run(&question, &curve::Plan { engine, kind, to, points, svg, csv })
        }
        Command::Answer { limits, account } => stream::run(limits, account),
        Command::Vectors(command) => vectors::run(command),
        Command::Census(command) => census::run(command),
        Command::Paper { what, out, format, data, again, quick, threads } => {
            paper::run(&paper::Plan { what, out, format, data, again, quick, threads })
        }
        Command::Claim(arguments) => claim::run(&arguments),
        Command::Audit(audit) => audit::run(&audit),
        Command::Floats { data, form, json } => floats::run(data, form, json),
        Command::Help { topic } => help::run(topic),
    }
}

/// The mechanism that was typed.
fn mechanism(text: &str) -> Result<Composition, Failure> {
    Ok(Composition::parse(text)?)
}

/// The constant that was typed after an option.
fn constant(option: &str, text: &str) -> Result<Real, Failure> {
    text.parse::<Real>().map_err(|error| Failure::input(format!("--{option}: {error}")))
}

/// A budget whose clock starts now.
fn budget(limits: Limits) -> Budget {
    Budget::new(limits.max_bits, Some(limits.timeout)).with_max_bytes(u64::from(limits.max_memory) * 1_000_000)
}

/// The same, with notes if they are wanted.
fn noting_budget(limits: Limits, account: Account) -> Budget {
    let budget = budget(limits);
    if account.explain { budget.taking_notes() } else { budget }
}

/// One line on standard output.
fn say(line: &str) -> Result<(), Failure> {
    writeln!(std::io::stdout().lock(), "{line}").map_err(Failure::output)
}

/// One JSON object on a line of standard output.
fn say_json(value: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(value).map_err(|error| Failure::input(error.to_string()))?;
    say(&line)
}
