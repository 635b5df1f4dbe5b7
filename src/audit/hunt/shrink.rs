//! From a question that fails to the simplest one near it that fails the same way.

use std::collections::HashSet;

use super::failure::{Failure, matters};
use super::simpler::simpler;
use crate::audit::judgement::Judgement;
use crate::audit::question::Question;

/// A failure on its way down.
#[derive(Clone, Debug)]
pub struct Shrink {
    failure: Failure,
    /// The simplest question so far that fails, and how.
    pub question: Question,
    /// The judgement of its claim.
    pub judgement: Judgement,
    candidates: Vec<Question>,
    tried: HashSet<String>,
    left: usize,
    steps: usize,
}

impl Shrink {
    /// Begin with a question that fails.
    pub fn new(failure: Failure, question: Question, judgement: Judgement) -> Self {
        let mut shrink = Shrink {
            failure,
            candidates: Vec::new(),
            tried: HashSet::new(),
            left: failure.patience(),
            steps: 0,
            question,
            judgement,
        };
        shrink.restart();
        shrink
    }

    /// The next simpler question to be tried.
    pub fn next(&mut self) -> Option<Question> {
        while self.left > 0 {
            let candidate = self.candidates.pop()?;
            if !self.tried.insert(candidate.key()) {
                continue;
            }
            self.left -= 1;
            self.steps += 1;
            let id = self.question.id.split("-simpler").next().unwrap_or_default();
            return Some(Question { id: format!("{id}-simpler-{}", self.steps), ..candidate });
        }
        None
    }

    /// What came of it: does it fail the same way?
    pub fn told(&mut self, question: &Question, judgements: &[Judgement]) {
        let serious = matters(&self.judgement);
        let same = judgements.iter().find(|judgement| {
            Failure::of(question, judgement).is_some_and(|failure| failure.how == self.failure.how)
                && (matters(judgement) || !serious)
        });
        if let Some(judgement) = same {
            self.question = question.clone();
            self.judgement = judgement.clone();
            self.restart();
        }
    }

    /// All that is simpler than the simplest so far; the biggest steps are at the end, to be tried first.
    fn restart(&mut self) {
        self.candidates = simpler(&self.question);
        self.candidates.reverse();
    }
}
