//! Reasons for undecided results, with hints on what would help.
//!
//! Hints are separate from the text, because each front end words them in its own way: the library by a function, the
//! command line by a flag.

use std::fmt;

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Time.
    Time,
    /// Working precision.
    Precision,
    /// Memory of one computation.
    Memory,
    /// Work, which is counted.
    Work,
}

/// A hint on what would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// A larger limit; the text is supplied by the front end.
    More(Limit),
    /// Another method, by name.
    Method(&'static str),
}

/// Reason for an undecided result: text with hints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Words, and the hint after them.
    hints: Vec<(String, Hint)>,
    /// The words after the last hint.
    rest: String,
}

impl Reason {
    /// Append a hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hints.push((std::mem::take(&mut self.rest), hint));
        self
    }

    /// Append text.
    #[must_use]
    pub fn then(mut self, words: impl AsRef<str>) -> Self {
        self.rest += words.as_ref();
        self
    }

    /// Prepend text that names the subject.
    #[must_use]
    pub fn about(mut self, words: impl AsRef<str>) -> Self {
        self.hints.first_mut().map_or(&mut self.rest, |(first, _)| first).insert_str(0, words.as_ref());
        self
    }

    /// All of these reasons, with a separator.
    pub fn joined(reasons: impl IntoIterator<Item = Reason>, between: &str) -> Self {
        let mut all = reasons.into_iter();
        let first = all.next().unwrap_or_else(|| Reason::from(""));
        all.fold(first, |mut sum, next| {
            sum.rest += between;
            for (words, hint) in next.hints {
                sum = sum.then(words).hint(hint);
            }
            sum.then(next.rest)
        })
    }

    /// The limits that were reached.
    pub fn limits(&self) -> impl Iterator<Item = Limit> + '_ {
        self.hints.iter().filter_map(|(_, hint)| match hint {
            Hint::More(limit) => Some(*limit),
            Hint::Method(_) => None,
        })
    }

    /// The text, with each hint rendered by `words`, which also receives the text before the hint.
    pub fn worded(&self, words: impl Fn(&str, Hint) -> String) -> String {
        let mut text = String::new();
        for (before, hint) in &self.hints {
            text += before;
            text += &words(&text, *hint);
        }
        text + &self.rest
    }
}

impl From<String> for Reason {
    fn from(words: String) -> Self {
        Reason { hints: Vec::new(), rest: words }
    }
}

impl From<&str> for Reason {
    fn from(words: &str) -> Self {
        Reason::from(words.to_string())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(|_, hint| match hint {
            Hint::More(_) => String::new(),
            Hint::Method(name) => format!("the method {name}"),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_stay_at_their_places() {
        let slow = Reason::from("10 s are left (").hint(Hint::More(Limit::Time)).then("or ").hint(Hint::Method("grid"));
        let slow = slow.then(" would do)");
        assert_eq!(slow.to_string(), "10 s are left (or the method grid would do)");
        let short = Reason::from("2 MB are too few").hint(Hint::More(Limit::Memory));
        let both = Reason::joined([slow, short, "no".into()], "; then ").about("at 1: ").then(".");
        let shown =
            both.worded(|before, hint| format!("<{hint:?}{}>", if before.ends_with('(') { " first" } else { "" }));
        assert_eq!(
            shown,
            "at 1: 10 s are left (<More(Time) first>or <Method(\"grid\")> would do); \
             then 2 MB are too few<More(Memory)>; then no."
        );
        assert_eq!(both.limits().collect::<Vec<_>>(), [Limit::Time, Limit::Memory]);
        assert_eq!(Reason::from("no").about("at 1: ").to_string(), "at 1: no");
    }
}
