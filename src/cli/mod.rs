//! The command line: answers on standard output, messages on standard error, and an exit code.

mod advice;
mod args;
mod card;
mod commands;
mod failure;
mod interrupt;
mod points;
mod progress;
mod talk;

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use clap::error::ErrorKind;

use args::Cli;
use failure::{Failure, Status};

use crate::compose::switches;
use crate::supervise;

/// The command that starts this program, if it is not the executable of the process.
static STARTED_BY: OnceLock<Vec<OsString>> = OnceLock::new();

/// Parse the arguments of the process, run the command, and return the exit code.
pub fn run() -> ExitCode {
    run_words(std::env::args_os().skip(1).collect()).into()
}

/// Run the command line `typed` inside another program, which starts itself again by `started_by`.
///
/// All output is flushed when this returns.
pub fn run_inside(started_by: Vec<OsString>, typed: Vec<OsString>) -> Status {
    let _ = STARTED_BY.set(started_by);
    let status = run_words(typed);
    let _ = std::io::stdout().flush();
    status
}

/// A command that starts this program again, without arguments.
fn itself() -> Option<Command> {
    match STARTED_BY.get().map(Vec::as_slice) {
        Some([program, words @ ..]) => {
            let mut command = Command::new(program);
            command.args(words);
            Some(command)
        }
        _ => std::env::current_exe().ok().map(Command::new),
    }
}

fn run_words(typed: Vec<OsString>) -> Status {
    let words: Vec<_> = std::iter::once(OsString::from("dpcert")).chain(typed.iter().cloned()).collect();
    let cli = match Cli::typed(&words) {
        Ok(cli) => cli,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            // A closed standard output is not an error.
            let _ = error.print();
            return Status::Fine;
        }
        Err(error) => {
            let typed: Vec<String> = typed.iter().map(|word| word.to_string_lossy().into()).collect();
            talk::complain(&failure::usage_line(&error, &typed));
            return Status::BadInput;
        }
    };
    supervise::quiet_panics();
    talk::set(cli.talk.quiet, cli.talk.verbose);
    let command = cli.command;
    // A panic on this thread is reported like any other failure.
    let outcome = switches::check()
        .map_err(Failure::from)
        .and_then(|()| supervise::caught(|| Ok(commands::run(command))).unwrap_or_else(|error| Err(error.into())));
    progress::stop_waiting();
    match outcome {
        Ok(status) => status,
        Err(Failure::ReaderGone) => Status::Fine,
        Err(failure) => {
            talk::complain(&failure.to_string());
            if let Some(caret) = failure.caret() {
                eprintln!("{caret}");
            }
            failure.status()
        }
    }
}
