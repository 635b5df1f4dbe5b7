//! How it went, in one number: the exit codes of the program.

use super::fitted;
use crate::answer::{Answer, Outcome};
use crate::error::Error;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0: done.
    Fine = 0,
    /// 1: an unsound result, a mismatch or a bug in dpcert was found.
    Mismatch = 1,
    /// 2: bad usage or bad input.
    BadInput = 2,
    /// 3: undecided within the budget.
    Undecided = 3,
}

impl Status {
    /// The exit code of both together: a finding takes precedence, then the higher code.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Status::Mismatch || other == Status::Mismatch { Status::Mismatch } else { self.max(other) }
    }
}

impl From<&Outcome> for Status {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Exact(_) | Outcome::Enclosure(_) | Outcome::Infinite => Status::Fine,
            Outcome::Undefined(_) => Status::BadInput,
            Outcome::Short { .. } | Outcome::Undecided(_) => Status::Undecided,
        }
    }
}

impl From<&Answer> for Status {
    /// The exit code of an answer: of its outcome and of the fit beside it.
    fn from(answer: &Answer) -> Self {
        let beside = answer.fit.as_deref().map_or(Status::Fine, fitted::status);
        Status::from(&answer.outcome).and(beside)
    }
}

impl From<&Error> for Status {
    fn from(error: &Error) -> Self {
        match error {
            Error::Undecided(_) => Status::Undecided,
            Error::Internal { .. } | Error::Contradiction { .. } => Status::Mismatch,
            _ => Status::BadInput,
        }
    }
}
