//! What counts as a failure, and when two failures are the same.

use super::kind::{Family, Kind};
use crate::audit::judgement::{FLOOR, Judgement, Reason, Size, Verdict};
use crate::audit::question::{Asked, Question};

/// A kind of failure; one example of each is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Failure {
    /// Quantity and mechanism family.
    pub kind: Kind,
    /// How it failed.
    pub how: How,
}

/// How a claim failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// It is false, by so much.
    Unsound(Size),
    /// There is no number that can be meant.
    Failed(Reason),
}

impl Failure {
    /// The failure shown by a judgement, if it is worth reporting. An error or an infinite answer is a refusal: it is
    /// counted but not simplified.
    pub fn of(question: &Question, judgement: &Judgement) -> Option<Self> {
        let how = match (judgement.verdict, judgement.size, judgement.reason) {
            (Verdict::Unsound, Some(size), _) => How::Unsound(size),
            (Verdict::Failed, _, Some(Reason::Raised | Reason::Infinite | Reason::NotAsked)) => return None,
            (Verdict::Failed, _, Some(reason)) => How::Failed(reason),
            _ => return None,
        };
        Some(Failure { kind: Kind { asked: question.asked, family: Family::of(question)? }, how })
    }

    /// How many questions may be spent on making it simpler. One that costs a time limit each gets few.
    pub fn patience(&self) -> usize {
        match self.how {
            How::Failed(Reason::Hang) => 2,
            How::Failed(Reason::Crash | Reason::Memory) => 30,
            How::Unsound(_) | How::Failed(_) => 150,
        }
    }
}

/// Is the truth of a judgement about a delta that matters? A failure above the [`FLOOR`] is not shrunk to one below.
pub fn matters(judgement: &Judgement) -> bool {
    let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok());
    match judgement.quantity {
        Asked::Delta | Asked::Beta => {
            let truth = judgement.truth.as_ref().and_then(|truth| number(&truth.lower));
            truth.is_none_or(|truth| truth >= FLOOR)
        }
        Asked::Epsilon | Asked::Noise => judgement.at.delta.is_none_or(|delta| delta.0 >= FLOOR),
        Asked::Renyi => true,
    }
}
