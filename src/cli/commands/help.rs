//! `help`, and `dpcert` without arguments: first examples, the commands by purpose, and the help of each topic.

use std::io::Write;

use clap::{Command, CommandFactory};

use super::super::advice;
use super::super::args::Cli;
use super::super::card::Card;
use super::super::failure::{Failure, Status};
use super::say;
use crate::mechanism::{Entry, Mechanism, abbreviations, elsewhere};

const NUMBERS: &str = "Numbers are exact: no input is rounded.

  0.1  1e-11  3/2            decimals and fractions, as rational numbers
  ln(3/2)  sqrt(2)  exp(1)   real constants
  2.56 + 2*sqrt(2.56*ln(1e11))
                             constant expressions with + - * / ^ and parentheses
  f64:0x1.999999999999ap-4   a double, in hexadecimal
  f64:0.1                    the double nearest to a decimal

In JSON, a number is a string in any of these forms, an integer, or a number with a decimal point or an exponent. The
last kind is parsed as a double, and means the shortest decimal that rounds to this double: 0.1 is 1/10 there too.
It is refused, and must be written as a string, if it
  - has more than 15 significant digits,
  - is 0.0, or smaller than the normal doubles,
  - is 1e15 or larger.

If epsilon is ln(p/q), e^epsilon is rational, and compositions of (epsilon, delta) mechanisms are exact fractions.";

const POINTS: &str = "An option that takes a point also takes a list or a range. Answers are printed in order, as one
table, or as JSON lines with --json. If a command has two such options, each value of the first is combined with each
value of the second.

  --epsilon 0.5,1,ln(3)      a list
  --epsilon 0..5             a range of epsilons or orders, in steps of 1: 6 points
  --delta 1e-6..1e-10        a range of probabilities, in powers of ten: 5 points
  --epsilon 0..5:11          11 evenly spaced points, including both ends
  --delta 1e-6..1e-10:9      9 probabilities, evenly spaced in the logarithm; inner points are rounded to decimals of
                             three digits
  --alpha 0..1:11            a range of probabilities with an end at 0 needs a number of points

This holds for delta, epsilon, beta, conjugate, loss, renyi, calibrate, compare, approximate, risk, canonical-noise,
noise, functional, filter status, census levels, audit --ask, and the parameters of a theorem.

Every point is exact, as it is printed. If a hypothesis fails at a point, the answer there is `undefined`, the other
points are still answered, and the exit code is 2. The exit code is 3 if a point is undecided or is proven to fewer
digits than required. An invalid point, such as a delta of 2, is refused before any point is answered.";

const BEGIN: &str = "dpcert computes certified differential-privacy guarantees.

Examples:
  dpcert epsilon 'dp-sgd(examples=60000, batch=256, noise-multiplier=1.1, epochs=60)' --delta 1e-5
  dpcert delta 'gaussian(sigma=2)^10 * laplace(scale=3)' --epsilon 0.5,1,2
  dpcert calibrate 'gaussian(sigma=?)^10' --epsilon 1 --delta 1e-5
  dpcert compare 'gaussian(sigma=4)^10' --delta 1e-5
  dpcert curve 'gaussian(sigma=1)' 'laplace(scale=1)' --kind tradeoff --out curves.svg

`dpcert help` lists all commands, `dpcert help COMMAND` explains one, `dpcert help mechanisms` lists the mechanisms.";

/// The commands by purpose.
const GROUPS: &[(&str, &[&str])] = &[
    ("Guarantees of a mechanism", &["delta", "epsilon", "beta", "renyi", "divergence", "concentrated", "fit"]),
    ("Noise and parameters", &["calibrate", "noise", "canonical-noise"]),
    ("Comparisons and attacks", &["compare", "order", "risk", "mpc"]),
    ("Curves and privacy loss", &["curve", "vertices", "conjugate", "loss", "functional"]),
    ("Composition regions", &["region", "symbolic", "antipodal"]),
    ("Theorems and papers", &["theorem", "approximate", "claim", "paper"]),
    ("Budgets and releases", &["filter", "census"]),
    ("Audits and test vectors", &["audit", "vectors", "floats"]),
    ("Interfaces", &["answer", "serve"]),
    ("Help", &["help", "completions", "man"]),
];

const TOPICS: &str = "`dpcert help COMMAND` explains a command.
`dpcert --help` lists the global options and the exit codes.
`dpcert help mechanisms` lists the mechanisms and their parameters.
`dpcert help numbers` and `dpcert help points` explain how to write numbers, lists and ranges.";

/// `dpcert` without arguments.
pub fn begin() -> Result<Status, Failure> {
    say(BEGIN)?;
    Ok(Status::Fine)
}

/// `dpcert help` without a topic: the commands by purpose.
fn overview() -> String {
    let cli = Cli::command();
    let about = |command: &Command| command.get_about().map(ToString::to_string).unwrap_or_default();
    let widest = GROUPS.iter().flat_map(|(_, names)| names.iter()).map(|name| name.len()).max().unwrap_or(0);
    let mut text = format!("{}\n\nUsage: dpcert [OPTIONS] [COMMAND]\n", about(&cli));
    for (heading, names) in GROUPS {
        text += &format!("\n{heading}:\n");
        for command in names.iter().filter_map(|name| cli.find_subcommand(name)) {
            text += &format!("  {:widest$}  {}\n", command.get_name(), about(command));
        }
    }
    format!("{text}\n{TOPICS}")
}

/// The command with this path, and the path.
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
        [] => format!("unexpected argument `{word}`; `{name}` has no subcommands"),
        _ => format!("unknown subcommand `{word}`; `{name}` has {}", known.join(", ")),
    }
}

/// `dpcert help`.
pub fn run(topic: &[String]) -> Result<Status, Failure> {
    match topic.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => say(&overview())?,
        ["numbers"] => say(NUMBERS)?,
        ["points"] => say(POINTS)?,
        ["mechanisms"] => mechanisms()?,
        [name] if let Some(entry) = entry(name) => mechanism(entry)?,
        words => match (found(topic), elsewhere(&words.join("-")), Card::find(&words.join(" "))?) {
            (Ok((mut command, _)), ..) => {
                let page = command.render_long_help().ansi().to_string();
                writeln!(anstream::stdout().lock(), "{}", page.trim_end()).map_err(Failure::output)?;
            }
            (Err(unknown), None, None) => return Err(unknown),
            (Err(_), sentence, card) => {
                let sentence = sentence.map(|sentence| format!("{}: {sentence}", words.join(" ")));
                let parts: Vec<String> = sentence.into_iter().chain(card.map(|card| card.text())).collect();
                say(&parts.join("\n\n"))?;
            }
        },
    }
    Ok(Status::Fine)
}

/// The mechanism or shorthand with this name.
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
    say("Write `*` to compose, `^` to repeat, as in M^1000 or M^(60*235), and parentheses to group.")?;
    say("@file.toml reads a composition from a file. @file.csv reads budgets, with the columns level,query,rho; \
        @file.csv:County reads those of one level. Quote a path with a space, as in @\"my files/steps.toml\".")?;
    say("Numbers are exact: see `dpcert help numbers`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_list_every_command_once() {
        let cli = Cli::command();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut known: Vec<&str> =
            cli.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }
}
