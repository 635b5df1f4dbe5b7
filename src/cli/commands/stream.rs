//! `answer`: queries as JSON lines in, answers as JSON lines out, in order and as they come.
//!
//! A line that cannot be answered gets an object with an `error` in its place, so that answers and queries stay
//! matched; the exit code is then 1 for a bug in dpcert, else 2, or 3 if undecided.

use std::io::{BufRead, IsTerminal, Read, Write};

use super::super::args::{Account, Limits};
use super::super::failure::{Failure, Status};
use super::super::progress::{aside, now, stop_waiting, wait_for};
use super::noting_budget;
use crate::answer::Session;
use crate::print::{refusal, reply};

/// A longer line is refused before it fills the memory.
const LONGEST_LINE: u64 = 16 << 20;

/// `dpcert answer`.
pub fn run(limits: Limits, account: Account) -> Result<Status, Failure> {
    let mut input = std::io::stdin().lock();
    let mut worst = Status::Fine;
    let mut number = 0;
    let mut session: Option<Session> = None;
    // Interactive use shows the time of each line; batches show overall progress.
    let (typed, seen) = (input_is_typed(), std::io::stdout().is_terminal());
    if !typed && !seen {
        wait_for("no line answered yet");
    }
    loop {
        let mut line = Vec::new();
        let read = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::Io("standard input".to_string(), error))?;
        if read == 0 {
            return Ok(worst);
        }
        number += 1;
        if typed || seen {
            wait_for(&format!("line {number}"));
        }
        let (reply, status) = if read as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
            skip_rest_of_line(&mut input)?;
            refusal(number, None, format!("line exceeds {LONGEST_LINE} bytes"))
        } else {
            match std::str::from_utf8(&line).map(str::trim) {
                Ok("") => {
                    stop_waiting_for(typed || seen);
                    continue;
                }
                Ok(text) => reply(number, text, &mut session, &noting_budget(limits, account)),
                Err(_) => refusal(number, None, "line is not valid UTF-8".to_string()),
            }
        };
        worst = worst.and(status);
        stop_waiting_for(typed || seen);
        let mut output = std::io::stdout().lock();
        aside(|| writeln!(output, "{reply}").and_then(|()| output.flush())).map_err(Failure::output)?;
        now(&format!("{number} line{} answered", if number == 1 { "" } else { "s" }));
    }
}

fn input_is_typed() -> bool {
    std::io::stdin().is_terminal()
}

/// A line is done, where each has its own time.
fn stop_waiting_for(each: bool) {
    if each {
        stop_waiting();
    }
}

fn skip_rest_of_line(input: &mut impl BufRead) -> Result<(), Failure> {
    loop {
        let buffer = input.fill_buf().map_err(|error| Failure::Io("standard input".to_string(), error))?;
        let Some(end) = buffer.iter().position(|&byte| byte == b'\n') else {
            let all = buffer.len();
            input.consume(all);
            if all == 0 {
                return Ok(());
            }
            continue;
        };
        input.consume(end + 1);
        return Ok(());
    }
}
