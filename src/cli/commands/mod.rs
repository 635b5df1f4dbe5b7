//! One file per command.

mod antipodal;
mod approximate;
mod ask;
mod audit;
mod calibrate;
mod canonical_noise;
mod census;
mod claim;
mod compare;
mod completions;
mod concentrated;
mod curve;
mod filter;
mod fit;
mod floats;
mod functional;
mod help;
mod mpc;
mod noise;
mod order;
mod paper;
mod region;
mod risk;
mod serve;
mod stream;
mod symbolic;
mod theorem;
mod vectors;
mod vertices;

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::args::{Account, CensusCommand, Command, Floats, Limits};
use super::failure::{Failure, Status};
use super::interrupt;
use super::points::Scale;
use super::progress::{aside, wait_for};
use super::talk;
use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::print::UndefinedLine;
use enclosure::{Budget, Real};

pub use self::curve::Overlay;

/// Run one command.
pub fn run(command: Option<Command>) -> Result<Status, Failure> {
    let Some(command) = command else { return help::begin() };
    // Interactive commands report progress themselves; instant ones need no progress line.
    let told = matches!(
        &command,
        Command::Answer { .. }
            | Command::Serve(_)
            | Command::Help { .. }
            | Command::Completions { .. }
            | Command::Man { .. }
    );
    let whole = told || writes_files(&command);
    if !whole {
        interrupt::listen()?;
    }
    if !told {
        wait_for(if whole { "computing" } else { "computing; Ctrl-C stops with the result proven so far" });
    }
    let status = done(command)?;
    Ok(if !whole && interrupt::left_out() { status.and(Status::Undecided) } else { status })
}

/// Is it there for files, which Ctrl-C leaves whole or not at all?
fn writes_files(command: &Command) -> bool {
    matches!(
        command,
        Command::Curve(_)
            | Command::Vectors(_)
            | Command::Census(CensusCommand::Pairs { .. } | CensusCommand::Compare { .. })
            | Command::Paper(_)
            | Command::Claim(_)
            | Command::Audit(_)
            | Command::Floats(_)
    )
}

/// Runs the command.
fn done(command: Command) -> Result<Status, Failure> {
    match command {
        Command::Asked(asked) => ask::run(asked),
        Command::Conjugate { of, slope } => ask::conjugate(&of, &slope),
        Command::Calibrate { inverse, engine, epsilon, delta, beta, alpha, mu, rho, renyi } => {
            let mut renyi = renyi.unwrap_or_default().into_iter();
            let renyi = renyi.next().zip(renyi.next());
            calibrate::run(&inverse, engine, &calibrate::Promise { epsilon, delta, beta, alpha, mu, rho, renyi })
        }
        Command::Compare(contest) => compare::run(&contest),
        Command::Theorem(statement) => theorem::run(&statement),
        Command::Renyi { question, account, order } => ask::renyi(&question, account, &order),
        Command::Divergence { kind, of } => ask::divergence(&of, kind),
        Command::Order { first, second, direction, channel, limits, json } => {
            let found = order::run([&first, &second], direction.map(Into::into), channel, limits, json);
            or_undefined(found, json, "order", &[&first, &second])
        }
        Command::Region { question, bounds, svg } => {
            let found = region::run(&question, bounds, svg.as_deref());
            or_undefined(found, question.json, "region", &[&question.mechanism])
        }
        Command::Symbolic { mechanism, k, limits, json } => symbolic::run(&mechanism, k, limits, json),
        Command::Antipodal { question } => {
            or_undefined(antipodal::run(&question), question.json, "antipodal", &[&question.mechanism])
        }
        Command::Filter(command) => filter::run(command),
        Command::Risk(typed) => risk::run(&typed),
        Command::Fit { question } => fit::run(&question),
        Command::CanonicalNoise(typed) => canonical_noise::run(&typed),
        Command::Mpc(typed) => or_undefined(mpc::run(&typed), typed.json, "accuracy", &[]),
        Command::Noise(typed) => or_undefined(noise::run(&typed), typed.json, "noise", &[&typed.mechanism]),
        Command::Approximate(approximate) => approximate::run(&approximate),
        Command::Functional(functional) => functional::run(&functional),
        Command::Concentrated(typed) => {
            or_undefined(concentrated::run(&typed), typed.question.json, "concentrated", &[&typed.question.mechanism])
        }
        Command::Loss(typed) => ask::loss(&typed),
        Command::Curve(plan) => curve::run(&plan),
        Command::Vertices(typed) => or_undefined(vertices::run(&typed), typed.json, "vertices", &[&typed.mechanism]),
        Command::Answer { limits, account } => stream::run(limits, account),
        Command::Vectors(command) => vectors::run(command),
        Command::Census(command) => census::run(command),
        Command::Paper(plan) => paper::run(&plan),
        Command::Claim(arguments) => claim::run(&arguments),
        Command::Audit(audit) => audit::run(&audit),
        Command::Floats(Floats { data, form, json }) => floats::run(data, form, json),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Help { topic } => help::run(&topic),
        Command::Completions { shell } => completions::shell(shell),
        Command::Man { command, out } => completions::man(&command, out.as_deref()),
    }
}

/// What went so: with --json a question whose hypothesis fails has a line of JSON that says it, as all others have.
fn or_undefined(
    found: Result<Status, Failure>,
    json: bool,
    quantity: &str,
    mechanisms: &[&str],
) -> Result<Status, Failure> {
    match found {
        Err(Failure::Error(Error::Undefined(reason))) if json => {
            let status = Status::from(&Outcome::Undefined(reason.clone()));
            say_json(&UndefinedLine::new(quantity, mechanisms, reason))?;
            Ok(status)
        }
        found => found,
    }
}

/// The mechanism that was typed.
fn mechanism(text: &str) -> Result<Composition, Failure> {
    Composition::parse(text).map_err(|error| match forgotten_at(text) {
        Some(advice) => Failure::input(advice),
        None => error.into(),
    })
}

/// The same for output without a field for the expansion of shorthands: the expansion is printed as a note.
fn told_mechanism(text: &str) -> Result<Composition, Failure> {
    let composition = mechanism(text)?;
    if !talk::is_quiet() {
        composition.notes().iter().for_each(|note| talk::say(note));
    }
    Ok(composition)
}

/// The name of a file where a mechanism should be.
fn forgotten_at(text: &str) -> Option<String> {
    let (file, part) = match text.rsplit_once(':') {
        Some((file, part)) if !Path::new(text).is_file() => (file, Some(part)),
        _ => (text, None),
    };
    let shown = crate::read::shown(text);
    let is_file = Path::new(file).is_file() && part.is_none_or(|part| !part.contains('/'));
    is_file.then(|| format!("'{shown}' is a file; write '@{shown}' to read it"))
}

/// The constant that was typed after an option.
fn constant(option: &str, text: &str) -> Result<Real, Failure> {
    text.parse::<Real>().map_err(|error| Failure::input(format!("--{option}: {error}")))
}

/// A budget whose clock starts now. Ctrl-C ends it where it is handled; the result proven so far is printed.
fn budget(limits: Limits) -> Budget {
    interrupt::ends(limits.budget())
}

/// The same as [`budget`], with notes if they are wanted.
fn noting_budget(limits: Limits, account: Account) -> Budget {
    let budget = budget(limits);
    if account.explain || talk::is_verbose() { budget.taking_notes() } else { budget }
}

/// The points that were typed after options of one name.
fn points_of_all(option: &str, texts: &[String], scale: Scale) -> Result<Vec<Real>, Failure> {
    super::points::points_of_all(option, texts, scale)
}

/// The points that were typed after an option.
fn points(option: &str, text: &str, scale: Scale) -> Result<Vec<Real>, Failure> {
    super::points::points(option, text, scale)
}

/// One line on standard output.
fn say(line: &str) -> Result<(), Failure> {
    aside(|| writeln!(std::io::stdout().lock(), "{line}")).map_err(Failure::output)
}

/// An answer for people, in colours where standard output is a terminal.
fn say_painted(text: &str) -> Result<(), Failure> {
    aside(|| writeln!(anstream::stdout().lock(), "{}", talk::painted(text))).map_err(Failure::output)
}

/// One JSON object on a line of standard output.
fn say_json(value: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(value).map_err(|error| Failure::input(error.to_string()))?;
    say(&line)
}
