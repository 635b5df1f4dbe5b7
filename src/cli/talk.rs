//! What is said beside the answers, on standard error: how much of it, and in which colours.
//!
//! Colours are for terminals; `NO_COLOR` turns them off (<https://no-color.org>), and what is piped or written has
//! none.

use std::sync::atomic::{AtomicU8, Ordering};

use anstyle::{AnsiColor, Style};

use enclosure::Note;

/// How much is said.
static LEVEL: AtomicU8 = AtomicU8::new(NORMAL);

const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;

/// Say this much from now on.
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

/// Is nothing wanted but answers and errors?
pub fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == QUIET
}

/// Is it wanted how an answer was come by?
pub fn is_verbose() -> bool {
    LEVEL.load(Ordering::Relaxed) == VERBOSE
}

/// One line on standard error.
pub fn say(line: &str) {
    eprintln!("dpcert: {line}");
}

/// How an answer was come by, on standard error.
pub fn tell(notes: &[Note]) {
    for Note { label, value } in notes {
        eprintln!("dpcert: {label}: {value}");
    }
}

/// One line that says what was wrong.
pub fn complain(message: &str) {
    let red = AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{red}dpcert:{red:#} {message}");
}

/// An answer for people: the question stands out, where the number is from steps back.
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
