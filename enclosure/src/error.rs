//! What can keep a query from having a number.

use thiserror::Error;

/// Why there is no number. Each message is one line for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The question itself is malformed: what was wrong, where, and what would be right.
    #[error("{0}")]
    Input(String),
    /// The quantity is not defined at this point, for the reason given.
    #[error("undefined: {0}")]
    Undefined(String),
    /// The budget ran out before the answer was proven; the reason says what was tried and what to relax.
    #[error("undecided: {0}")]
    Undecided(String),
}

impl Error {
    /// A malformed question.
    pub fn input(message: impl Into<String>) -> Self {
        Error::Input(message.into())
    }
}
