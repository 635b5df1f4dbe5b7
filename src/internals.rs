//! Not part of the library's interface: the program, and parts of it that tests and examples use.
//!
//! The program is in this crate, so that it prints what the library returns. Tests that pass a journal or a page of the
//! census to one of its parsers cannot do so through [`crate::answer`]. Anything here may change at any time.

use serde_json::Value;

use crate::error::Error;
use crate::mechanism::{Composition, Template};
use crate::query::{Order, Point, Quantity, QuantityName};
use enclosure::{ParseError, Real};

#[cfg(feature = "cli")]
pub use self::program::*;
pub use crate::calibrate::calibrate_telling;
pub use crate::print::{
    Shown, Status, answer_line, answer_text, calibrated_line, calibrated_text, in_flags, reply, with_flags,
};
pub use crate::supervise::{forked, quiet_panics};

/// The quantity of this name at a point with named coordinates, as in a line of JSON.
pub fn quantity(name: &str, at: &[(String, Real)]) -> Result<Quantity, Error> {
    let unread = |error: serde_json::Error| Error::input(error.to_string());
    let name: QuantityName = serde_json::from_value(name.into()).map_err(unread)?;
    let at: serde_json::Map<String, Value> =
        at.iter().map(|(name, value)| (name.clone(), value.to_string().into())).collect();
    let at: Point<Order> = serde_json::from_value(at.into()).map_err(unread)?;
    let (name, at) = at.of(name)?;
    Quantity::at(name, at)
}

/// Parse a composition as typed on the command line. It may name files.
pub fn parse_open(source: &str) -> Result<Composition, ParseError> {
    Composition::parse(source)
}

/// Whether the composition is only a bound for what its text describes, because a shorthand in the text is. The
/// expression alone does not show this.
pub fn only_bounds(composition: &Composition) -> bool {
    composition.only().is_some()
}

/// Parse a composition with a parameter marked `?`, as typed on the command line.
pub fn parse_template(source: &str) -> Result<Template, ParseError> {
    Template::parse(source)
}

/// Items that exist only with the program.
#[cfg(feature = "cli")]
mod program {
    pub use crate::audit::journal::Record;
    pub use crate::audit::question::Asked;
    pub use crate::audit::report::{Report, page};
    pub use crate::census::compare::{Cause, Verdict, judge, read_published};
    pub use crate::census::{Level, Workload, read_results};
    pub use crate::cli::{run, run_inside};
    pub use crate::mechanism::{Allocation, Cell, Domain, Entry, Mechanism, Paths, Presence, abbreviations};
    pub use crate::vector::catalogue::catalogue;

    /// The online simulator of adaptive composition, as the paper prints it.
    pub mod simulator {
        pub use crate::adaptive::simulator::as_printed;
    }

    /// What stands in ledgers.
    pub mod ledger {
        pub use crate::adaptive::ledger::{State, parse, written};
    }

    /// What audited programs say.
    pub mod protocol {
        pub use crate::audit::protocol::{Reply, read};
    }

    /// The formulas in doubles.
    pub mod registry {
        pub use crate::float::registry::{Family, Form, IMPLEMENTATIONS, Implementation, Quantity};
    }

    /// Numbers of the files of vectors.
    pub mod convert {
        pub use crate::vector::convert::rational;
    }

    /// Doubles, asked and judged.
    pub mod floats {
        pub use crate::vector::floats::{ask, is_careful, judge};
    }

    /// Vectors made again.
    #[cfg(feature = "generate")]
    pub mod generate {
        pub use crate::vector::generate::{generate, schema};
    }

    /// The questions of the vectors.
    pub mod suite {
        pub use crate::vector::suite::all;
    }

    /// Stored vectors.
    pub mod verify {
        pub use crate::approximate::Approximation;
        pub use crate::print::{AccuracyQuestion, OrderQuestion, TheoremQuestion};
        pub use crate::vector::question::Question;
        pub use crate::vector::verify::question;
    }

    /// Tables and figures of papers.
    pub mod papers {
        pub use crate::paper::{Evaluated, Folder, Item, Library, Report, evaluate, files, summary};
    }
}
