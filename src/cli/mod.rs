//! The command line: arguments in, answers on standard output, talk on standard error, an exit code.

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

use crate::supervise;

/// What starts this program, where it is not the file of the process.
static STARTED_BY: OnceLock<Vec<OsString>> = OnceLock::new();

/// Parse the process's arguments, run the command, and say how it went.
pub fn run() -> ExitCode {
    run_words(std::env::args_os().skip(1).collect()).into()
}

/// The same inside of another program, which says what was typed, and by which words it starts itself again. What it
/// prints is out when this returns.
pub fn run_inside(started_by: Vec<OsString>, typed: Vec<OsString>) -> Status {
    let _ = STARTED_BY.set(started_by);
    let status = run_words(typed);
    let _ = std::io::stdout().flush();
    status
}

/// This program once more, its arguments still missing.
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
            // Whoever has read enough is gone.
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
    // What fails by itself is told as other failures are; what panics on this thread, too.
    let outcome = supervise::caught(|| Ok(commands::run(command))).unwrap_or_else(|error| Err(error.into()));
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
