//! All judgements of an audit, summed up: for the terminal, for programs, and for a page of their own.

mod answers;
mod html;
mod summary;
mod text;

use serde::{Deserialize, Serialize};

pub use answers::answers;
pub use html::page;
pub use summary::{Row, Summary, summary};
pub use text::{finding, findings, gate_text, table};

use super::judgement::{Judgement, Party};

/// What happened to one API beside its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    /// Who.
    #[serde(flatten)]
    pub party: Party,
    /// Where the package is documented.
    #[serde(default)]
    pub documentation: String,
    /// Number of queries for it.
    pub questions: usize,
    /// How often its process had to be started again.
    pub restarts: u32,
    /// Lines on its standard output that were no claims.
    pub talk: u64,
    /// Why the rest was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<String>,
}

/// Everything there is to report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of `dpcert` that judged.
    pub dpcert: String,
    /// Each API that was asked.
    pub courses: Vec<Course>,
    /// Judgements of all claims, in query order.
    pub judgements: Vec<Judgement>,
}

impl Report {
    /// An empty report of this version.
    pub fn new() -> Self {
        Report { dpcert: env!("CARGO_PKG_VERSION").to_string(), ..Report::default() }
    }

    /// The counts.
    pub fn summary(&self) -> Summary {
        summary(self)
    }
}
