//! Messages on standard error, their verbosity, and colours.
//!
//! Colours are used on terminals only; `NO_COLOR` turns them off (<https://no-color.org>).

use std::sync::atomic::{AtomicU8, Ordering};

use anstyle::{AnsiColor, Style};

use enclosure::Note;

/// Current verbosity.
static LEVEL: AtomicU8 = AtomicU8::new(NORMAL);

const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;

/// Set the verbosity.
pub fn set(quiet: bool, verbose: bool) {
    LEVEL.store(
        if quiet {
            QUIET
        } else if verbose {
            VERBOSE
        } else {
            NORMAL
        },
        Ordering::Relaxed,
    );
}

/// Are only answers and errors printed?
pub fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == QUIET
}

/// Is the computation of each answer described?
pub fn is_verbose() -> bool {
    LEVEL.load(Ordering::Relaxed) == VERBOSE
}

/// Print one line on standard error.
pub fn say(line: &str) {
    eprintln!("dpcert: {line}");
}

/// Print notes about the computation of an answer on standard error.
pub fn tell(notes: &[Note]) {
    for Note { label, value } in notes {
        eprintln!("dpcert: {label}: {value}");
    }
}

/// Print an error in one line on standard error.
pub fn complain(message: &str) {
    let red = AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{red}dpcert:{red:#} {message}");
}

/// An answer with terminal styles: the query is bold, and the method is dimmed.
pub fn painted(text: &str) -> String {
    let (bold, dim, warning) = (Style::new().bold(), Style::new().dimmed(), AnsiColor::Yellow.on_default());
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let style = match line.trim_start() {
            _ if index == 0 => bold,
            rest if rest.starts_with("by ") || line.starts_with("    ") => dim,
            rest if rest.starts_with("undefined: ")
                || rest.starts_with("undecided: ")
                || rest.contains(" proven: ") =>
            {
                warning
            }
            _ => {
                lines.push(line.to_string());
                continue;
            }
        };
        lines.push(format!("{style}{line}{style:#}"));
    }
    lines.join("\n")
}
