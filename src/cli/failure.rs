//! How a command ends: exit codes, and one-line error messages.

use std::fmt;
use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::advice;
use crate::error::Error;
pub use crate::print::Status;
use crate::print::{in_flags, shortened};
use enclosure::ParseError;

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
    }
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// Syntax error in an argument, with its position.
    Parse(ParseError),
    /// Bad input, or no answer.
    Error(Error),
    /// A file or stream, with the error of the operating system.
    Io(String, io::Error),
    /// Standard output was closed by its reader, which is not an error.
    ReaderGone,
}

impl Failure {
    /// Bad input, in one line.
    pub fn input(message: impl Into<String>) -> Self {
        Failure::Error(Error::input(message))
    }

    /// The exit code.
    pub fn status(&self) -> Status {
        match self {
            Failure::Error(error) => error.into(),
            Failure::ReaderGone => Status::Fine,
            _ => Status::BadInput,
        }
    }

    /// The offending text with a caret below the position, if the position is known.
    pub fn caret(&self) -> Option<String> {
        match self {
            Failure::Parse(error) => Some(error.caret()),
            _ => None,
        }
    }

    /// A failed write to standard output.
    pub fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Io("standard output".to_string(), error),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Parse(error) => error.fmt(f),
            Failure::Error(error) => f.write_str(&in_flags(error)),
            Failure::Io(what, error) => write!(f, "{what}: {error}"),
            Failure::ReaderGone => f.write_str("standard output is closed"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Self {
        Failure::Parse(error)
    }
}

/// How to give several points.
const COMMAS: &str = "give several points as a list or a range, as in --delta 1e-6,1e-10 or --epsilon 0..5";

/// Is a point typed twice?
fn several(typed: &[String]) -> bool {
    ["--epsilon", "--delta", "--alpha", "--order"].into_iter().any(|point| {
        let given = typed.iter().filter(|word| word.split('=').next() == Some(point));
        given.count() > 1
    })
}

/// A usage error in one line.
///
/// This is advice on what to type instead, or else the message and tip of clap without its usage block.
pub fn usage_line(error: &clap::Error, typed: &[String]) -> String {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => match word(ContextKind::InvalidArg) {
            Some(option) if option.starts_with('-') => return shortened(advice::option(typed, option)),
            Some(more) if more.parse::<enclosure::Real>().is_ok() => {
                return shortened(format!("unexpected argument `{more}`; {COMMAS}"));
            }
            Some(more) if typed.first().is_some_and(|command| command == "answer") => {
                return shortened(format!("`answer` reads queries from standard input, as in dpcert answer < {more}"));
            }
            _ => {}
        },
        ErrorKind::ArgumentConflict if several(typed) => {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            return shortened(format!("{first}; {COMMAS}"));
        }
        ErrorKind::InvalidSubcommand => {
            // clap reports an unknown subcommand of a command.
            let first = typed.iter().find(|word| !word.starts_with('-'));
            if let Some(command) = word(ContextKind::InvalidSubcommand)
                && first.is_some_and(|first| first == command)
            {
                return shortened(advice::command(command));
            }
        }
        _ => {}
    }
    let text = error.render().to_string();
    let parts: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .map(|line| line.trim().trim_start_matches("error: "))
        .filter(|line| !line.is_empty())
        .collect();
    shortened(parts.join(" ").replace(" tip: ", "; tip: "))
}
