//! Questions as lines of the protocol.

use dpcert_vectors::Direction;
use serde::Serialize;

use crate::audit::question::{Asked, At, Question, Step};

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    quantity: Asked,
    mechanism: String,
    parameters: &'a [Step],
    at: &'a At,
    direction: Direction,
}

/// The line that asks this question, without its end.
pub fn line(question: &Question) -> String {
    let line = Line {
        id: &question.id,
        quantity: question.asked,
        mechanism: question.mechanism(),
        parameters: &question.steps,
        at: &question.at,
        direction: question.direction,
    };
    // Strings and numbers always serialise.
    serde_json::to_string(&line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use dpcert_vectors::Double;

    use super::*;

    #[test]
    fn a_query_is_one_line() {
        let steps = vec![Step::new("gaussian", &[("sigma", 1.0)]).times(10)];
        let at = At { epsilon: Some(Double(1.0)), ..At::default() };
        assert_eq!(
            line(&Question::new("gaussian-delta-0001", Asked::Delta, steps, at)),
            r#"{"id":"gaussian-delta-0001","quantity":"delta","mechanism":"gaussian(sigma=1)^10","parameters":[{"mechanism":"gaussian","parameters":{"sigma":"0x1p+0"},"times":10}],"at":{"epsilon":"0x1p+0"},"direction":"worst"}"#
        );
    }
}
