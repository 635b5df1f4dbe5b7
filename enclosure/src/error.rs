//! What can keep a computation from having a number.

use thiserror::Error;

use crate::{Contradiction, Reason};

/// Why there is no number. Each message is one line for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
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
    /// The alarm: two enclosures of one number do not meet, so that a mistake is proven, and it is ours. Whatever else
    /// might answer, nothing may.
    #[error("internal error: {found}; please report {}", reported(.query.as_deref()))]
    Contradiction {
        /// What does not meet.
        found: Box<Contradiction>,
        /// The question that brought it to light, as far as it is known.
        query: Option<Box<str>>,
    },
    /// Another mistake of ours, a panic: nothing that was computed may be trusted.
    #[error("internal error: {what}; please report {}", reported(.query.as_deref()))]
    Internal {
        /// What happened.
        what: Box<str>,
        /// The question that brought it to light, as far as it is known.
        query: Option<Box<str>>,
    },
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

    /// A mistake of ours.
    pub fn internal(what: impl AsRef<str>) -> Self {
        Error::Internal { what: what.as_ref().into(), query: None }
    }

    /// Does it prove a mistake of ours? All others are refusals: that something else may answer is no harm then.
    pub fn is_alarm(&self) -> bool {
        matches!(self, Error::Contradiction { .. } | Error::Internal { .. })
    }

    /// The same, with the question to report if it is an alarm; the question that is known already is kept.
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

/// What to report.
fn reported(query: Option<&str>) -> String {
    query.map_or_else(|| "it".to_string(), |query| format!("this query: {query}"))
}
