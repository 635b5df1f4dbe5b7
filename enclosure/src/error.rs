//! Errors of a computation.

use thiserror::Error;

use crate::{Contradiction, Reason};

/// Reason why a computation returned no number. Each message is one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The query is malformed; the message says what is wrong, where, and what to write instead.
    #[error("{0}")]
    Input(String),
    /// The quantity is not defined at this point.
    #[error("undefined: {0}")]
    Undefined(String),
    /// A budget ran out before the answer was proven; the reason names the budget and what would help.
    #[error("undecided: {0}")]
    Undecided(Reason),
    /// Two enclosures of one number do not meet, which proves a bug in this program. No other method may answer
    /// instead.
    #[error("internal error: {found}; this is a bug; please report {}", reported(.query.as_deref()))]
    Contradiction {
        /// The two enclosures.
        found: Box<Contradiction>,
        /// The query that revealed the bug, if known.
        query: Option<Box<str>>,
    },
    /// Another bug in this program, such as a panic; no computed number can be trusted.
    #[error("internal error: {what}; this is a bug; please report {}", reported(.query.as_deref()))]
    Internal {
        /// Description of the failure.
        what: Box<str>,
        /// The query that revealed the bug, if known.
        query: Option<Box<str>>,
    },
}

impl Error {
    /// An error for a malformed query.
    pub fn input(message: impl Into<String>) -> Self {
        Error::Input(message.into())
    }

    /// An error for a result that could not be decided.
    pub fn undecided(reason: impl Into<Reason>) -> Self {
        Error::Undecided(reason.into())
    }

    /// An error for a bug in this program.
    pub fn internal(what: impl AsRef<str>) -> Self {
        Error::Internal { what: what.as_ref().into(), query: None }
    }

    /// Does the error prove a bug in this program? After all other errors another method may still answer.
    pub fn is_alarm(&self) -> bool {
        matches!(self, Error::Contradiction { .. } | Error::Internal { .. })
    }

    /// The same error, with the query to report if it proves a bug; an earlier query is kept.
    #[must_use]
    pub fn about(mut self, question: impl std::fmt::Display) -> Self {
        if let Error::Contradiction { query, .. } | Error::Internal { query, .. } = &mut self {
            query.get_or_insert_with(|| question.to_string().into());
        }
        self
    }
}

impl From<Contradiction> for Error {
    fn from(found: Contradiction) -> Self {
        Error::Contradiction { found: Box::new(found), query: None }
    }
}

/// The object of "please report".
fn reported(query: Option<&str>) -> String {
    query.map_or_else(|| "it".to_string(), |query| format!("this query: {query}"))
}
