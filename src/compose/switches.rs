//! Switches that turn engines off, for measurements of what each one contributes.
//!
//! `DPCERT_WITHOUT=swept,grid` runs the program without these engines. Every answer still encloses the truth.

use std::sync::OnceLock;

use super::choose::Refusal;
#[cfg(feature = "cli")]
use crate::error::Error;

/// The environment variable with the names of engines that are off, separated by commas.
const VARIABLE: &str = "DPCERT_WITHOUT";

/// All engines that can be turned off.
#[cfg(any(feature = "cli", test))]
const NAMES: [&str; 20] = [
    "almost-periodic",
    "beside",
    "beside-many",
    "between-knots",
    "chernoff",
    "closed",
    "contour",
    "enumeration",
    "grid",
    "integral",
    "large-losses",
    "large-steps",
    "lattice",
    "listed",
    "majorized",
    "optimal",
    "polygons",
    "sums",
    "swept",
    "two-samples",
];

/// The names that are off.
fn off() -> &'static [String] {
    static OFF: OnceLock<Vec<String>> = OnceLock::new();
    OFF.get_or_init(|| {
        let typed = std::env::var(VARIABLE).unwrap_or_default();
        typed.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    })
}

/// Check the names in the environment.
///
/// # Errors
/// A name that no engine has.
#[cfg(feature = "cli")]
pub(crate) fn check() -> Result<(), Error> {
    match off().iter().find(|name| !NAMES.contains(&name.as_str())) {
        Some(name) => {
            Err(Error::input(format!("{VARIABLE} contains the unknown engine `{name}` (known: {})", NAMES.join(", "))))
        }
        None => Ok(()),
    }
}

/// Refuse all products if the engine of this name is off.
pub(super) fn on(name: &str) -> Result<(), Refusal> {
    if off().iter().any(|off| off == name) { Err(Refusal::OtherKind) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::choose::switches;
    use super::*;

    #[test]
    fn every_engine_has_a_switch() {
        let mut names = switches();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, NAMES);
    }
}
