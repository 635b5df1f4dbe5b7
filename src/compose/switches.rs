//! Switches that turn engines off, for measurements of what each one contributes.
//!
//! `DPCERT_WITHOUT=swept,grid` runs the program without these engines. Every answer still encloses the truth.

use std::sync::OnceLock;

#[cfg(feature = "cli")]
use super::engine::Engine;
#[cfg(feature = "cli")]
use crate::error::Error;

/// The environment variable with the names of engines that are off, separated by commas.
const VARIABLE: &str = "DPCERT_WITHOUT";

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
    let known = Engine::ALL.map(Engine::name);
    match off().iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let mut known = known.to_vec();
            known.dedup();
            Err(Error::input(format!("{VARIABLE} contains the unknown engine `{name}` (known: {})", known.join(", "))))
        }
        None => Ok(()),
    }
}

/// Is the engine of this name turned off?
pub(super) fn is_off(name: &str) -> bool {
    off().iter().any(|off| off == name)
}
