//! `help`, and `dpcert` alone: how to begin, the page of a command, and what a single line of `--help` has no room for.

use std::io::Write;

use clap::{Command, CommandFactory};

use super::super::advice;
use super::super::args::Cli;
use super::super::card::Card;
use super::super::failure::{Failure, Status};
use super::say;
use crate::mechanism::{Entry, Mechanism, abbreviations};

const NUMBERS: &str = "Numbers are exact: nothing is rounded when it is read.

  0.1  1e-11  3/2            decimals and fractions are the rationals they show
  ln(3/2)  sqrt(2)  exp(1)   are the real numbers they name
  2.56 + 2*sqrt(2.56*ln(1e11))
                             so are constant expressions with + - * / ^ and parentheses
  f64:0x1.999999999999ap-4   a double has to be asked for, in hexadecimal ...
  f64:0.1                    ... or as the double nearest to a decimal

In JSON a number is a string with any of these, an integer, or a number with a point or an exponent. The last is a
double before anybody can read its digits: it stands for the shortest decimal that is that double, so 0.1 is 1/10
there too. What needs more than 15 digits belongs into a string, and so do 0.0 (which may be a number that is too
small for a double), what is below the normal doubles, and what is 1e15 or more: without, they are refused.

An epsilon ln(p/q) makes e^epsilon rational: compositions of (epsilon, delta) mechanisms are then exact fractions.";

const POINTS: &str =
    "Wherever a point stands, many may: they are answered in order, as one table, or as JSON lines with --json. That is
so of delta, epsilon, beta, conjugate, loss, renyi, calibrate, compare, approximate, risk, canonical-noise, functional,
filter status, census levels, audit --ask, and of the numbers of a theorem. Two options of one question ask at every
pair.

  --epsilon 0.5,1,ln(3)      lists
  --epsilon 0..5             a range of epsilons or orders goes in steps of 1: these are six points
  --delta 1e-6..1e-10        a range of probabilities goes in powers of ten: these are five
  --epsilon 0..5:11          a range with a number has so many points, evenly spaced, both ends among them;
  --delta 1e-6..1e-10:9      between probabilities above 0 their logarithms are, and each is the decimal of three
                             digits that is nearest to its place
  --alpha 0..1:11            a range of probabilities with 0 in it needs a number

Every point is exact, as it is printed. One at which a hypothesis fails is told to be undefined in its place, in the
table or on its line, the others are answered, and the exit code is 2, or 3 where another one is undecided or has
fewer digits than were asked for. One that makes no sense, as a delta of 2, is
refused before any is answered.";

const BEGIN: &str = "dpcert: what is the privacy of this mechanism, exactly?

Try:
  dpcert epsilon 'dp-sgd(examples=60000, batch=256, noise-multiplier=1.1, epochs=60)' --delta 1e-5
  dpcert delta 'gaussian(sigma=2)^10 * laplace(scale=3)' --epsilon 0.5,1,2
  dpcert calibrate 'gaussian(sigma=?)^10' --epsilon 1 --delta 1e-5
  dpcert compare 'gaussian(sigma=4)^10' --delta 1e-5
  dpcert curve 'gaussian(sigma=1)' 'laplace(scale=1)' --kind tradeoff --out curves.svg

`dpcert --help` lists all commands, `dpcert help COMMAND` explains one, `dpcert help mechanisms` lists the mechanisms.";

/// `dpcert` alone.
pub fn begin() -> Result<Status, Failure> {
    say(BEGIN)?;
    Ok(Status::Fine)
}

/// The command of this path, and the path.
pub fn found(path: &[String]) -> Result<(Command, String), Failure> {
    let mut command = Cli::command();
    command.build();
    let mut name = "dpcert".to_string();
    for word in path {
        let Some(inner) = command.find_subcommand(word) else {
            let advice = if name == "dpcert" { advice::command(word) } else { no_such(&command, &name, word) };
            return Err(Failure::input(advice));
        };
        name = format!("{name} {word}");
        command = inner.clone();
    }
    Ok((command, name))
}

fn no_such(command: &Command, name: &str, word: &str) -> String {
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    match known.as_slice() {
        [] => format!("`{name}` has no commands of its own, and no `{word}`"),
        _ => format!("`{name}` has no `{word}`: there are {}", known.join(", ")),
    }
}

/// `dpcert help`.
pub fn run(topic: &[String]) -> Result<Status, Failure> {
    match topic.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["numbers"] => say(NUMBERS)?,
        ["points"] => say(POINTS)?,
        ["mechanisms"] => mechanisms()?,
        [name] if let Some(entry) = entry(name) => mechanism(entry)?,
        words => match (found(topic), Card::find(&words.join(" "))?) {
            (Ok((mut command, _)), _) => {
                let page = command.render_long_help().ansi().to_string();
                writeln!(anstream::stdout().lock(), "{}", page.trim_end()).map_err(Failure::output)?;
            }
            (Err(_), Some(card)) => say(&card.text())?,
            (Err(unknown), None) => return Err(unknown),
        },
    }
    Ok(Status::Fine)
}

/// The mechanism or the abbreviation of this name.
fn entry(name: &str) -> Option<&'static Entry> {
    let name = name.to_lowercase().replace('_', "-");
    let mut all = Mechanism::catalogue().iter().chain(abbreviations());
    all.find(|entry| entry.name == name || entry.aliases.contains(&name.as_str()))
}

fn mechanism(entry: &Entry) -> Result<(), Failure> {
    say(&format!("{}\n  {}\n  {}\n  {}", entry.usage(), entry.summary, entry.pair, entry.answers))?;
    for parameter in entry.parameters {
        say(&format!("    {:12} {}", parameter.name, parameter.meaning))?;
    }
    say(&format!("  example: {}", entry.example))
}

fn mechanisms() -> Result<(), Failure> {
    for entry in Mechanism::catalogue().iter().chain(abbreviations()) {
        mechanism(entry)?;
        say("")?;
    }
    say("`*` composes, `^` repeats, as in M^1000 or M^(60*235), parentheses group; @file.toml reads a composition \
        from a file.")?;
    say("@file.csv reads budgets, with the columns level,query,rho; @file.csv:County reads those of one level; \
        @\"my files/steps.toml\" has a blank in its path.")?;
    say("Numbers are exact: see `dpcert help numbers`.")
}
