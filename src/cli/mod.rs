//! The command line: arguments in, answers on standard output, talk on standard error, an exit code.

mod advice;
mod args;
mod commands;
mod failure;
mod interrupt;
mod points;
mod progress;
mod talk;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::Cli;
use failure::{Failure, Status};

use crate::supervise;

/// Parse the process's arguments, run the command, and say how it went.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            // Whoever has read enough is gone.
            let _ = error.print();
            return Status::Fine.into();
        }
        Err(error) => {
            let typed: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into()).collect();
            talk::complain(&failure::usage_line(&error, &typed));
            return Status::BadInput.into();
        }
    };
    supervise::quiet_panics();
    talk::set(cli.quiet, cli.verbose);
    let command = cli.command;
    // What fails by itself is told as other failures are; what panics on this thread, too.
    let outcome = supervise::caught(|| Ok(commands::run(command))).unwrap_or_else(|error| Err(error.into()));
    progress::stop_waiting();
    match outcome {
        Ok(status) => status.into(),
        Err(Failure::ReaderGone) => Status::Fine.into(),
        Err(failure) => {
            talk::complain(&failure.to_string());
            if let Some(caret) = failure.caret() {
                eprintln!("{caret}");
            }
            failure.status().into()
        }
    }
}
