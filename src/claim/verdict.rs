//! What came out of a check.

use std::cmp::Ordering;

use crate::error::Error;
use enclosure::Number;
use enclosure::decimal::{Side, decimal};

/// Digits of a margin: enough to see how near it was.
const DIGITS: u32 = 6;

/// A verdict, with its evidence.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// For all parameters of the domain, or on the whole box that the check names.
    Proven {
        /// The least difference that was proven; `None` for identities.
        margin: Option<Number>,
        /// The proof, in a few words.
        by: String,
        /// The parts of the boxes, where there are some.
        parts: usize,
    },
    /// At the points that were tried.
    Holds {
        /// How many.
        points: usize,
        /// The least difference; `None` where only equalities were tried.
        margin: Option<Number>,
    },
    /// Not everywhere.
    Fails {
        /// Where.
        at: String,
        /// By how much, at least; `None` where that has no size.
        margin: Option<Number>,
    },
    /// The check did not come to an end.
    Undecided {
        /// Why not.
        why: String,
    },
}

impl Verdict {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proven { .. } => "proven",
            Verdict::Holds { .. } => "holds at the points tried",
            Verdict::Fails { .. } => "fails",
            Verdict::Undecided { .. } => "undecided",
        }
    }

    /// The margin, rounded to the safe side.
    pub fn margin(&self) -> Option<String> {
        match self {
            Verdict::Proven { margin, .. } | Verdict::Holds { margin, .. } | Verdict::Fails { margin, .. } => {
                margin.as_ref().map(|margin| decimal(margin, DIGITS, Side::Lower))
            }
            Verdict::Undecided { .. } => None,
        }
    }

    /// What the verdict rests on.
    pub fn evidence(&self) -> String {
        match self {
            Verdict::Proven { by, parts: 0, .. } => by.clone(),
            Verdict::Proven { by, parts: 1, .. } => format!("{by}, in 1 part"),
            Verdict::Proven { by, parts, .. } => format!("{by}, in {parts} parts"),
            Verdict::Holds { points: 1, .. } => "1 point".to_string(),
            Verdict::Holds { points, .. } => format!("{points} points"),
            Verdict::Fails { at, .. } => at.clone(),
            Verdict::Undecided { why } => why.clone(),
        }
    }

    /// A proof by the signs of rational functions, or by equality.
    pub fn exact(by: impl Into<String>) -> Verdict {
        Verdict::Proven { margin: None, by: by.into(), parts: 0 }
    }

    /// Of a statement about no other points than those tried: inequalities there prove it. Where numbers were only
    /// seen to meet nothing is proven.
    #[must_use]
    pub fn of_nothing_else(self, about: &str) -> Verdict {
        match self {
            Verdict::Holds { points, margin: Some(margin) } if margin.sign() == Some(Ordering::Greater) => {
                Verdict::Proven { margin: Some(margin), by: format!("{points} inequalities between {about}"), parts: 0 }
            }
            other => other,
        }
    }

    /// The same, of a case that it names if it is none.
    #[must_use]
    pub fn about(self, case: &str) -> Verdict {
        match self {
            Verdict::Fails { at, margin } => Verdict::Fails { at: format!("{case}, {at}"), margin },
            Verdict::Undecided { why } => Verdict::Undecided { why: format!("{case}: {why}") },
            good => good,
        }
    }

    /// All of some cases.
    pub fn all(cases: impl IntoIterator<Item = Result<Verdict, Error>>) -> Result<Verdict, Error> {
        let mut cases = cases.into_iter();
        let first = cases.next().ok_or_else(|| Error::internal("a check of no cases"))??;
        cases.try_fold(first, |verdict, next| Ok(verdict.and(next?)))
    }

    /// Both: the weaker of two verdicts, with the smaller margin.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        use Verdict::{Fails, Holds, Proven, Undecided};
        match (self, other) {
            (fails @ Fails { .. }, _) | (_, fails @ Fails { .. }) => fails,
            (open @ Undecided { .. }, _) | (_, open @ Undecided { .. }) => open,
            (Proven { margin: a, by, parts: m }, Proven { margin: b, by: more, parts: n }) => {
                let by = if by == more { by } else { format!("{by}; {more}") };
                Proven { margin: least(a, b), by, parts: m + n }
            }
            (Holds { points, margin: a }, Holds { points: more, margin: b }) => {
                Holds { points: points + more, margin: least(a, b) }
            }
            (Holds { points, margin: a }, Proven { margin: b, .. })
            | (Proven { margin: a, .. }, Holds { points, margin: b }) => Holds { points, margin: least(a, b) },
        }
    }
}

/// The smaller of two margins; of overlapping ones what is below both.
pub fn least(a: Option<Number>, b: Option<Number>) -> Option<Number> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(&b)),
        (one, other) => one.or(other),
    }
}
