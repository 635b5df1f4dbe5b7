//! `completions` and `man`: shell completions and manual pages.

use std::io::Write;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::super::args::Cli;
use super::super::failure::{Failure, Status};
use super::help;
use crate::write::write_file;

/// `dpcert completions`.
pub fn shell(shell: Shell) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "dpcert", &mut script);
    put(&script)
}

/// `dpcert man`.
pub fn man(command: &[String], out: Option<&Path>) -> Result<Status, Failure> {
    let Some(folder) = out else {
        return put(&page(help::found(command)?.0)?);
    };
    let mut cli = Cli::command();
    cli.build();
    let mut open = vec![("dpcert".to_string(), cli)];
    while let Some((name, command)) = open.pop() {
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            open.push((format!("{name}-{}", inner.get_name()), inner.clone()));
        }
        write_file(&folder.join(format!("{name}.1")), &page(command)?)?;
    }
    Ok(Status::Fine)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.disable_help_flag(true)).section("1").source("dpcert").manual("dpcert");
    man.render(&mut page).map_err(|error| Failure::Io("manual page".to_string(), error))?;
    Ok(page)
}

fn put(bytes: &[u8]) -> Result<Status, Failure> {
    std::io::stdout().lock().write_all(bytes).map_err(Failure::output)?;
    Ok(Status::Fine)
}
