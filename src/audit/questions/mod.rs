//! Which questions an audit asks.
//!
//! Those of the stored vectors ([`stored`]), with every number rounded to a double, and suites that the vectors have no
//! room for: calibration ([`noise`]), conversions ([`conversion`]), and lines of points for plots ([`sweep`]). All
//! questions have ids of their own, and no question is asked twice.

mod conversion;
mod noise;
mod stored;
mod sweep;

use std::collections::HashSet;

use dpcert_vectors::{Double, VectorSet};

use super::question::{At, Question};
use crate::error::Error;

pub use stored::Rounded;

/// All questions, those of the vectors first.
pub fn all(set: &VectorSet) -> Result<Vec<Question>, Error> {
    let mut questions = Vec::new();
    for (file, case) in set.cases() {
        if let Rounded::Question(question) = stored::question(file, case)? {
            questions.push(*question);
        }
    }
    questions.extend(noise::questions());
    questions.extend(conversion::questions());
    questions.extend(sweep::questions());
    // Cases that differ in the twentieth digit are the same question of doubles.
    let mut asked = HashSet::new();
    questions.retain(|question| asked.insert(question.key()));
    Ok(questions)
}

/// At an epsilon.
fn at_epsilon(epsilon: f64) -> At {
    At { epsilon: Some(Double(epsilon)), ..At::default() }
}

/// At a delta.
fn at_delta(delta: f64) -> At {
    At { delta: Some(Double(delta)), ..At::default() }
}

/// At an alpha.
fn at_alpha(alpha: f64) -> At {
    At { alpha: Some(Double(alpha)), ..At::default() }
}

/// At both.
fn at_both(epsilon: f64, delta: f64) -> At {
    At { epsilon: Some(Double(epsilon)), delta: Some(Double(delta)), ..At::default() }
}

/// `<family>-<quantity>-0001` and so on, in the order given.
fn numbered(name: &str, questions: impl IntoIterator<Item = Question>) -> Vec<Question> {
    let questions = questions.into_iter().enumerate();
    questions.map(|(index, question)| Question { id: format!("{name}-{:04}", index + 1), ..question }).collect()
}
