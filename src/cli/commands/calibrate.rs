//! `calibrate`: the number in the place of a `?`, and the two values that prove it.

use super::super::args::{Engine, Inverse};
use super::super::failure::{Failure, Status};
use super::super::interrupt::Interrupt;
use super::super::progress::spinner;
use super::{budget, constant, forgotten_at, say_json, say_painted};
use crate::calibrate::{Calibration, Target, calibrate_telling};
use crate::mechanism::Template;
use crate::print::{calibrated_line, calibrated_text};

/// What is promised, as typed.
pub struct Promise {
    pub epsilon: Option<String>,
    pub delta: Option<String>,
    pub beta: Option<String>,
    pub alpha: Option<String>,
}

impl Promise {
    fn target(&self) -> Result<Target, Failure> {
        match self {
            Promise { epsilon: Some(epsilon), delta: Some(delta), beta: None, alpha: None } => {
                Ok(Target::Profile { epsilon: constant("epsilon", epsilon)?, delta: constant("delta", delta)? })
            }
            Promise { epsilon: None, delta: None, beta: Some(beta), alpha: Some(alpha) } => {
                Ok(Target::Tradeoff { alpha: constant("alpha", alpha)?, beta: constant("beta", beta)? })
            }
            _ => Err(Failure::input("promise either --epsilon and --delta or --beta and --alpha")),
        }
    }
}

/// `dpcert calibrate`.
pub fn run(inverse: &Inverse, engine: Engine, promise: &Promise) -> Result<Status, Failure> {
    let template = Template::parse(&inverse.mechanism).map_err(|error| match forgotten_at(&inverse.mechanism) {
        Some(advice) => Failure::input(advice),
        None => error.into(),
    })?;
    let question = Calibration::new(template, promise.target()?)
        .with_direction(inverse.direction.into())
        .with_method(engine.method);
    let question = match inverse.digits {
        Some(digits) => question.with_digits(digits),
        None => question,
    };
    let budget = Interrupt::listen()?.ends(budget(inverse.limits));
    let line = spinner();
    line.set_prefix(question.template.place().name());
    let answer = calibrate_telling(&question, &budget, &mut |what| {
        line.set_message(what.to_string());
        line.tick();
    });
    line.finish_and_clear();
    let answer = answer?;
    if inverse.json {
        say_json(&calibrated_line(&question, &answer))?;
    } else {
        let notes: String = question.template.notes().iter().map(|note| format!("\n  {note}")).collect();
        say_painted(&(calibrated_text(&question, &answer) + &notes))?;
    }
    Ok((&answer.outcome).into())
}
