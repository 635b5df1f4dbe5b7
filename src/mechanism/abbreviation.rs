//! Words that stand for compositions, which nobody but the reader knows.

use super::catalogue::Arguments;
use super::{Argument, Cause, Entry, Mechanism, Misfit, biconjugate, dp_sgd, noisy_gd, noisy_sgd};

/// What such a word stands for.
pub(super) struct Meaning {
    /// Mechanisms, each run so often.
    pub factors: Vec<(Mechanism, u64)>,
    /// What was made of the numbers that were given.
    pub note: String,
    /// Why the composition only bounds what the word describes, if it does.
    pub only: Option<Cause>,
}

/// A word, and what its arguments make of it.
type Word = (Entry, fn(&Arguments) -> Result<Meaning, Misfit>);

static WORDS: [Word; 4] = [
    (dp_sgd::ENTRY, dp_sgd::training),
    (noisy_gd::ENTRY, noisy_gd::training),
    (noisy_sgd::ENTRY, noisy_sgd::training),
    (biconjugate::ENTRY, biconjugate::polyline),
];

/// Their entries.
pub fn abbreviations() -> impl Iterator<Item = &'static Entry> {
    WORDS.iter().map(|(entry, _)| entry)
}

/// What a word means with these arguments; `None` for a mechanism.
pub(super) fn meaning(entry: &'static Entry, given: &[(String, Argument)]) -> Option<Result<Meaning, Misfit>> {
    let (_, means) = WORDS.iter().find(|(known, _)| known.name == entry.name)?;
    Some(entry.arguments(given.to_vec()).and_then(|given| means(&given)))
}
