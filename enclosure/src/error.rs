//! What can keep a computation from having a number.

use thiserror::Error;

use crate::Reason;

/// Why there is no number. Each message is one line for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The question itself is malformed: what was wrong, where, and what would be right.
    #[error("{0}")]
    Input(String),
    /// The quantity is not defined at this point, for the reason given.
    #[error("undefined: {0}")]
    Undefined(String),
    /// A budget ran out before the answer was proven; the reason says which, what was tried, and what would help.
    #[error("undecided: {0}")]
    Undecided(Reason),
    /// A mistake of ours was met on the way: what it was. There is no number that could be trusted.
    #[error("internal error: {0}; this is a mistake of ours: please report it, with the question")]
    Internal(String),
}

impl Error {
    /// A malformed question.
    pub fn input(message: impl Into<String>) -> Self {
        Error::Input(message.into())
    }

    /// Something that could not be decided.
    pub fn undecided(reason: impl Into<Reason>) -> Self {
        Error::Undecided(reason.into())
    }
}
