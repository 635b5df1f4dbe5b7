//! Notes on how a result was computed, for checking it.
//!
//! A computation writes notes to its [`Budget`](super::Budget): the contour, the nodes, each error term and its bound.
//! If notes are not collected, they are neither stored nor formatted.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rug::Float;

use super::decimal::{Side, decimal};
use super::{Enclosure, Number, Real};

/// A constant longer than this is shown by its first digits.
const LONG_CONSTANT: usize = 48;

/// One note on how a result was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Note {
    /// Label of the value.
    pub label: String,
    /// The value.
    pub value: String,
}

impl Note {
    /// A note.
    pub fn new(label: impl Into<String>, value: impl fmt::Display) -> Self {
        Note { label: label.into(), value: value.to_string() }
    }
}

/// The notes of one computation. Copies write on the same pages, each under its own heading.
#[derive(Clone, Debug, Default)]
pub(super) struct Notebook {
    heading: String,
    pages: Arc<Mutex<Vec<Note>>>,
}

impl Notebook {
    /// What is said again replaces what was said before: it is the last round that gives the answer.
    pub fn write(&self, label: &str, value: impl fmt::Display) {
        let note = Note::new(format!("{}{label}", self.heading), value);
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        match pages.iter_mut().find(|old| old.label == note.label) {
            Some(old) => *old = note,
            None => pages.push(note),
        }
    }

    /// The same pages, under a heading.
    pub fn under(&self, heading: impl fmt::Display) -> Self {
        Notebook { heading: format!("{}{heading}: ", self.heading), pages: Arc::clone(&self.pages) }
    }

    /// All that was written, in the order in which it was first said.
    pub fn read(&self) -> Vec<Note> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Displays a constant: in full if it is short, otherwise by its first digits.
pub struct Brief<'a>(pub &'a Real);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        if text.len() <= LONG_CONSTANT {
            return f.write_str(&text);
        }
        write!(f, "about {}", decimal(&self.0.number(64), 6, Side::Lower))
    }
}

/// Displays an upper bound with three digits, rounded up.
pub struct AtMost<'a>(pub &'a Float);

impl fmt::Display for AtMost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = Enclosure::new(self.0.clone(), self.0.clone());
        write!(f, "at most {}", decimal(&Number::Enclosed(set), 3, Side::Upper))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Budget;
    use super::*;

    #[test]
    fn notes_are_kept_in_order_and_the_last_word_counts() {
        let budget = Budget::default().taking_notes();
        budget.note("nodes", 12);
        budget.under("P").note("nodes", 5);
        budget.under("P").under("left").note("nodes", 6);
        budget.clone().note("nodes", 24);
        let notes = [("nodes", "24"), ("P: nodes", "5"), ("P: left: nodes", "6")];
        assert_eq!(budget.notes(), notes.map(|(label, value)| Note::new(label, value)));
    }

    #[test]
    fn nothing_is_formatted_when_nobody_listens() {
        struct Loud;
        impl fmt::Display for Loud {
            fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
                panic!("formatted")
            }
        }
        let budget = Budget::default();
        budget.note("loud", Loud);
        budget.under("heading").note("loud", Loud);
        assert!(budget.notes().is_empty());
    }

    #[test]
    fn bounds_are_rounded_up() {
        let third = Float::with_val(64, 1) / 3u32;
        assert_eq!(AtMost(&third).to_string(), "at most 0.334");
    }
}
