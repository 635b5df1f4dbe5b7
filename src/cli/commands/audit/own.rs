//! `audit --ask`: a custom query for accountants.

use super::super::super::args::Audit;
use super::super::super::failure::Failure;
use super::super::super::points::Scale;
use super::super::points_of_all;
use crate::audit::question::Question;
use crate::audit::questions::one;
use crate::mechanism::{Composition, Template};
use crate::query::Point;
use enclosure::Real;

/// More points than this are an audit, not a question.
const MOST: usize = 1000;

/// The questions about this expression: one for each point that was typed.
pub fn questions(audit: &Audit, expression: &str) -> Result<Vec<Question>, Failure> {
    // Parse errors name the position.
    if audit.epsilon.is_empty() || audit.delta.is_empty() {
        Composition::parse(expression)?;
    } else {
        Template::parse(expression)?;
    }
    let read = |name: &str, typed: &[String], scale| -> Result<Vec<Option<Real>>, Failure> {
        if typed.is_empty() {
            return Ok(vec![None]);
        }
        Ok(points_of_all(name, typed, scale)?.into_iter().map(Some).collect())
    };
    let epsilons = read("epsilon", &audit.epsilon, Scale::Linear)?;
    let deltas = read("delta", &audit.delta, Scale::Logarithmic)?;
    let alphas = read("alpha", &audit.alpha, Scale::Logarithmic)?;
    let orders = read("order", &audit.order, Scale::Linear)?;
    let all = [&epsilons, &deltas, &alphas, &orders];
    let count = all.iter().fold(1_usize, |count, some| count.saturating_mul(some.len()));
    if count > MOST {
        return Err(Failure::input(format!("{count} points exceed the maximum of {MOST}")));
    }
    let mut questions: Vec<Question> = Vec::new();
    for epsilon in &epsilons {
        for delta in &deltas {
            for alpha in &alphas {
                for order in &orders {
                    let (epsilon, delta, alpha, order) = (epsilon.clone(), delta.clone(), alpha.clone(), order.clone());
                    let point = Point { epsilon, delta, alpha, order, ..Point::default() };
                    let mut question = one(expression, &point, audit.direction.into())?;
                    question.id = format!("ask-{}", questions.len() + 1);
                    question.comment = "given on the command line".to_string();
                    // Points that are one as doubles are asked once.
                    if questions.iter().all(|before| before.key() != question.key()) {
                        questions.push(question);
                    }
                }
            }
        }
    }
    Ok(questions)
}
