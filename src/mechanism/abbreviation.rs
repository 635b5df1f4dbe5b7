//! Shorthands for compositions, which the parser expands.

use super::catalogue::Arguments;
use super::{Argument, Cause, Entry, Mechanism, Misfit, biconjugate, dp_sgd, noisy_gd, noisy_sgd};

/// Expansion of a shorthand.
pub(super) struct Meaning {
    /// Mechanisms, each with its number of runs.
    pub factors: Vec<(Mechanism, u64)>,
    /// How the parameters were used: rates, steps and rounding.
    pub note: String,
    /// Why the composition is only a bound for the described mechanism, if it is.
    pub only: Option<Cause>,
}

/// A shorthand and its expansion.
type Word = (Entry, fn(&Arguments) -> Result<Meaning, Misfit>);

static WORDS: [Word; 4] = [
    (dp_sgd::ENTRY, dp_sgd::training),
    (noisy_gd::ENTRY, noisy_gd::training),
    (noisy_sgd::ENTRY, noisy_sgd::training),
    (biconjugate::ENTRY, biconjugate::polyline),
];

/// The entries of the shorthands.
pub fn abbreviations() -> impl Iterator<Item = &'static Entry> {
    WORDS.iter().map(|(entry, _)| entry)
}

/// Expansion of a shorthand with these arguments; `None` for a mechanism.
pub(super) fn meaning(entry: &'static Entry, given: &[(String, Argument)]) -> Option<Result<Meaning, Misfit>> {
    let (_, means) = WORDS.iter().find(|(known, _)| known.name == entry.name)?;
    Some(entry.arguments(given.to_vec()).and_then(|given| means(&given)))
}
