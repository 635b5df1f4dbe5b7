//! Calibration of compositions that contain a guarantee, by either of two bounds.
//!
//! One is of the Renyi divergences of the whole composition, and goes as the guarantee does. The other puts finitely
//! many promises in the place of each guarantee (`answer/promises.rs`), and knows more where something else decides;
//! where there is no bound of the whole, as of samples of guarantees, it is the only one. What one of them proves to be
//! safe is safe: the answer is the one whose safe value is worth more.

use std::cmp::Ordering;

use super::oracle::By;
use super::question::Calibration;
use super::{Calibrated, Way, one_way};
use crate::answer::Outcome;
use crate::compose::Method;
use crate::error::Error;
use crate::theorem::guarantee::helps;
use enclosure::{Budget, Real};

/// May promises in the place of the guarantees say more than bounds of the whole?
pub(super) fn has_two_bounds(question: &Calibration) -> Result<bool, Error> {
    if question.method != Method::Auto || !question.target.is_a_point() {
        return Ok(false);
    }
    let Some(inside) = question.template.place().inside() else { return Ok(false) };
    Ok(helps(&question.template.with(Real::from(inside))?))
}

/// The better one of both answers.
pub(super) fn calibrated(
    question: &Calibration,
    way: &Way,
    budget: &Budget,
    told: &mut dyn FnMut(&str),
) -> Result<Calibrated, Error> {
    let whole = one_way(question, way, By::Divergences, &budget.share((1, 2), None), told)?;
    if whole.1 == Some(true) {
        return Ok(whole.0);
    }
    let promises = one_way(question, way, By::Promises, budget, told)?;
    // Of what has no bound as a whole nothing is said but by promises, however far they come.
    let nothing = matches!(whole.0.outcome, Outcome::Undefined(_)) && whole.1.is_none();
    Ok(if nothing || is_better(&promises, &whole, way.grows) { promises.0 } else { whole.0 })
}

/// Is the first answer worth more: that every value is safe, a value that is safe and farther out, that none is?
fn is_better(one: &(Calibrated, Option<bool>), other: &(Calibrated, Option<bool>), grows: bool) -> bool {
    let rank = |(answer, all): &(Calibrated, Option<bool>)| match (all, &answer.safe, &answer.fails) {
        (Some(true), ..) => 4,
        (_, Some(_), _) => 3,
        (Some(false), ..) => 2,
        (None, None, Some(_)) => 1,
        (None, None, None) => 0,
    };
    let farther = || match (&one.0.safe, &other.0.safe) {
        (Some(one), Some(other)) => {
            let order = one.value.value().cmp(other.value.value());
            if grows { order == Ordering::Greater } else { order == Ordering::Less }
        }
        _ => false,
    };
    match rank(one).cmp(&rank(other)) {
        Ordering::Equal => farther(),
        order => order == Ordering::Greater,
    }
}
