//! The queries of an audit.
//!
//! Those of the stored vectors ([`stored`]), with every number rounded to a double, and suites that the vectors have no
//! room for: calibration ([`noise`]), conversions ([`conversion`]), and lines of points for plots ([`sweep`]). Ids are
//! unique and no query is repeated; [`groups`] describes them by group. A custom query comes from [`one`].

mod conversion;
mod groups;
mod noise;
mod one;
mod stored;
mod sweep;

use std::collections::HashMap;

use dpcert_vectors::{Double, VectorSet};

use super::question::{At, Question};
use crate::error::Error;

pub use groups::{Group, groups};
pub use one::one;
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
    Ok(without_repetitions(questions))
}

/// Cases that differ in the twentieth digit are the same question of doubles: the first of them is asked. If a later
/// one belongs to a plot, the first belongs to it as well.
fn without_repetitions(questions: Vec<Question>) -> Vec<Question> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Question> = Vec::new();
    for question in questions {
        match places.get(&question.key()).and_then(|&place| kept.get_mut(place)) {
            Some(first) => {
                if first.sweep.is_none() {
                    first.sweep = question.sweep;
                }
            }
            None => {
                places.insert(question.key(), kept.len());
                kept.push(question);
            }
        }
    }
    kept
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use dpcert_vectors::load_dir;

    use super::*;
    use crate::audit::question::{Asked, Subject};

    fn everything() -> Vec<Question> {
        let set = load_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/data")).expect("the shipped vectors");
        all(&set).expect("questions")
    }

    #[test]
    fn questions_are_whole_and_asked_once() {
        let questions = everything();
        assert!(questions.len() > 1800, "{} questions", questions.len());
        let ids: HashSet<&str> = questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids.len(), questions.len(), "two questions share an id");
        let keys: HashSet<String> = questions.iter().map(Question::key).collect();
        assert_eq!(keys.len(), questions.len(), "a question is asked twice");
        for question in &questions {
            let subject = question.subject().unwrap_or_else(|error| panic!("{}: {error}", question.id));
            assert_eq!(subject == Subject::Open, question.asked == Asked::Noise, "{}", question.id);
            assert!(question.at.given().all(|(_, value)| value.is_finite()), "{}", question.id);
        }
        for asked in Asked::ALL {
            assert!(questions.iter().filter(|question| question.asked == asked).count() > 30, "{}", asked.name());
        }
    }

    /// A plot needs its points.
    #[test]
    fn sweeps_are_lines() {
        let questions = everything();
        let mut names: Vec<&str> =
            questions.iter().filter_map(|question| Some(question.sweep.as_ref()?.name.as_str())).collect();
        names.dedup();
        let names: HashSet<&str> = names.into_iter().collect();
        assert!(names.len() >= 15, "{names:?}");
        for name in names {
            let points: Vec<f64> = questions
                .iter()
                .filter_map(|question| question.sweep.as_ref())
                .filter(|sweep| sweep.name == name)
                .map(|sweep| sweep.x)
                .collect();
            assert!(points.len() >= 8, "{name}: {points:?}");
        }
    }

    /// Where nothing was rounded the stored answer is used, and only there.
    #[test]
    fn stored_answers_belong_to_doubles() {
        let questions = everything();
        let stored = questions.iter().filter(|question| question.stored.is_some()).count();
        let rounded = questions.iter().filter(|question| question.flags.iter().any(|flag| flag == "ROUNDED")).count();
        assert!(stored > 500 && rounded > 300, "{stored} {rounded}");
        let both =
            |question: &&Question| question.stored.is_some() && question.flags.iter().any(|flag| flag == "ROUNDED");
        assert_eq!(questions.iter().find(both).map(|question| &question.id), None);
    }
}
