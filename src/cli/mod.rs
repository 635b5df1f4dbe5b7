//! The command line: arguments in, answers on standard output, talk on standard error, an exit code.

mod args;
mod commands;
mod failure;
mod interrupt;
mod progress;

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
            print!("{error}");
            return Status::Fine.into();
        }
        Err(error) => {
            eprintln!("dpcert: {}", failure::usage_line(&error));
            return Status::BadInput.into();
        }
    };
    supervise::quiet_panics();
    let command = cli.command;
    // What fails by itself is told as other failures are; what panics on this thread, too.
    match supervise::caught(|| Ok(commands::run(command))).unwrap_or_else(|error| Err(error.into())) {
        Ok(status) => status.into(),
        Err(Failure::ReaderGone) => Status::Fine.into(),
        Err(failure) => {
            eprintln!("dpcert: {failure}");
            if let Some(caret) = failure.caret() {
                eprintln!("{caret}");
            }
            failure.status().into()
        }
    }
}
