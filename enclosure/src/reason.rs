//! Why something was given up, in words and in values.
//!
//! What would help is told apart from the words, because whoever asks knows how it is had: a program by another call, a
//! person by a flag of a command line.

use std::fmt;

/// A budget that can run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The time.
    Time,
    /// The bits of the working precision.
    Precision,
    /// The memory of one computation.
    Memory,
    /// How long somebody waits who has not said what is enough.
    Patience,
}

/// What would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// More of this budget. Without words of its own.
    More(Limit),
    /// The method of this name.
    Method(&'static str),
}

/// Words, with the hints at their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Words, and the hint after them.
    hints: Vec<(String, Hint)>,
    /// The words after the last hint.
    rest: String,
}

impl Reason {
    /// Put a hint after the words so far.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hints.push((std::mem::take(&mut self.rest), hint));
        self
    }

    /// Put words after the words so far.
    #[must_use]
    pub fn then(mut self, words: impl AsRef<str>) -> Self {
        self.rest += words.as_ref();
        self
    }

    /// Put words before all others: what the reason is about.
    #[must_use]
    pub fn about(mut self, words: impl AsRef<str>) -> Self {
        self.hints.first_mut().map_or(&mut self.rest, |(first, _)| first).insert_str(0, words.as_ref());
        self
    }

    /// All of these, with words between them.
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

    /// The budgets that ran out.
    pub fn limits(&self) -> impl Iterator<Item = Limit> + '_ {
        self.hints.iter().filter_map(|(_, hint)| match hint {
            Hint::More(limit) => Some(*limit),
            Hint::Method(_) => None,
        })
    }

    /// The text, with words of the caller for each hint; `words` is told the text before it as well.
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
