//! What the number of an answer says about the mechanism: exactly its own, a bound, or one of the pair alone.

use super::{Answer, Bound, Outcome};
use crate::curve::Direction;
use crate::mechanism::{Cause, Composition, Standing};
use crate::query::{Quantity, Query};
use crate::theorem::functional::Functional;

/// What the number of an answer means for the mechanism that the expression describes.
///
/// A number in the worst direction covers both directions: it belongs to the larger of the two profiles, or to the
/// largest trade-off function below both.
///
/// ```
/// use dpcert::{Budget, Functional, Meaning, Quantity, Query, answer};
///
/// let ask = |quantity, mechanism: &str| {
///     answer(&Query::new(quantity, mechanism.parse()?), &Budget::default()).map(|answer| answer.meaning)
/// };
/// assert_eq!(ask(Quantity::Tv, "gaussian(sigma=1)")?, Some(Meaning::Exact));
/// // The last iterate has at most this distance, and its tests have at least this type II error.
/// let last = "noisy-cgd(epochs=2, batches=1, ratio=1, contraction=0)";
/// assert_eq!(ask(Quantity::Tv, last)?, Some(Meaning::UpperBound));
/// assert_eq!(ask(Quantity::Beta { alpha: "1/20".parse()? }, last)?, Some(Meaning::LowerBound));
/// // A variance is not monotone: that of the dominating pair is not a bound for the mechanism.
/// assert_eq!(ask(Quantity::Functional(Functional::Variance), last)?, Some(Meaning::OfThePair));
/// # Ok::<(), dpcert::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Meaning {
    /// The exact number of the mechanism: two neighbouring data sets have the output distributions that it was computed
    /// from. `gdp`, `approx-dp`, `trade-off` and `profile` name the worst mechanism of a class, which has this number.
    Exact,
    /// The number of a dominating pair: an upper bound for the mechanism.
    UpperBound,
    /// The number of a dominating pair, for a quantity that is smaller for such a pair: a lower bound for the
    /// mechanism.
    LowerBound,
    /// The number of the dominating pair, not a bound for the mechanism: the quantity is not monotone.
    OfThePair,
}

impl Meaning {
    /// All variants.
    pub const ALL: [Meaning; 4] = [Meaning::Exact, Meaning::UpperBound, Meaning::LowerBound, Meaning::OfThePair];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Meaning::Exact => "exact",
            Meaning::UpperBound => "upper_bound",
            Meaning::LowerBound => "lower_bound",
            Meaning::OfThePair => "of_the_pair",
        }
    }

    /// The direction of the bound, if the number is a bound.
    pub fn bound(self) -> Option<Bound> {
        match self {
            Meaning::UpperBound => Some(Bound::Upper),
            Meaning::LowerBound => Some(Bound::Lower),
            Meaning::Exact | Meaning::OfThePair => None,
        }
    }

    /// What a number of this quantity of a composition means in a direction, and why if it is not exact.
    pub(crate) fn of(quantity: &Quantity, composition: &Composition, direction: Direction) -> (Self, Option<Cause>) {
        match composition.standing() {
            Standing::Realised => (Meaning::Exact, None),
            Standing::WorstOrder(_) if direction == Direction::Worst && is_of_the_curve(quantity) => {
                (Meaning::Exact, None)
            }
            Standing::WorstOrder(cause) | Standing::Dominates(cause) => (of_a_larger_pair(quantity), Some(cause)),
        }
    }
}

/// Is the quantity in the worst direction one of the curve of both orders? That curve is the same for a pair and for
/// its hull. Other divergences of the hull may exceed those of both orders.
fn is_of_the_curve(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Delta { .. }
        | Quantity::Epsilon { .. }
        | Quantity::Beta { .. }
        | Quantity::Tv
        | Quantity::Max
        | Quantity::Advantage
        | Quantity::TruePositiveRate { .. }
        | Quantity::BayesRisk { .. }
        | Quantity::Conjugate { .. }
        | Quantity::Functional(Functional::Antipodal)
        | Quantity::GaussianFit => true,
        Quantity::Renyi { .. }
        | Quantity::Kl
        | Quantity::Chi2
        | Quantity::Functional(_)
        | Quantity::CanonicalCdf { .. }
        | Quantity::CanonicalQuantile { .. }
        | Quantity::LossAbove { .. }
        | Quantity::LossUpTo { .. }
        | Quantity::LossQuantile { .. } => false,
    }
}

/// What the number of a dominating pair says of the mechanism. A trade-off function that lies nowhere below another has
/// no smaller type II error, no larger profile, divergence, advantage or conjugate, and no larger mu (Dong, Roth, Su,
/// Lemma 2.9 and Propositions 2.12 and B.4).
fn of_a_larger_pair(quantity: &Quantity) -> Meaning {
    match quantity {
        Quantity::Beta { .. } | Quantity::BayesRisk { .. } => Meaning::LowerBound,
        Quantity::Delta { .. }
        | Quantity::Epsilon { .. }
        | Quantity::Tv
        | Quantity::Max
        | Quantity::Kl
        | Quantity::Chi2
        | Quantity::Renyi { .. }
        | Quantity::Advantage
        | Quantity::TruePositiveRate { .. }
        | Quantity::Conjugate { .. }
        | Quantity::GaussianFit => Meaning::UpperBound,
        Quantity::Functional(functional) if functional.is_divergence() => Meaning::UpperBound,
        Quantity::Functional(_) | Quantity::CanonicalCdf { .. } | Quantity::CanonicalQuantile { .. } => {
            Meaning::OfThePair
        }
        // The loss of a dominating pair may be larger or smaller with any probability: only averages of convex
        // functions of the likelihood ratio are ordered.
        Quantity::LossAbove { .. } | Quantity::LossUpTo { .. } | Quantity::LossQuantile { .. } => Meaning::OfThePair,
    }
}

impl Answer {
    /// The same answer, with its meaning for the mechanism of a query. Without a number there is no meaning.
    pub(super) fn about(self, query: &Query) -> Self {
        if matches!(self.outcome, Outcome::Undefined(_) | Outcome::Undecided(_)) {
            return Answer { meaning: None, cause: None, bound: None, ..self };
        }
        let (meaning, cause) = Meaning::of(&query.quantity, &query.mechanism, query.direction);
        Answer { meaning: Some(meaning), cause, bound: meaning.bound(), ..self }
    }

    /// Why the number is not the mechanism's own, with the source of the bound, if it is not.
    pub fn reason(&self) -> Option<&'static str> {
        self.cause.map(Cause::reason)
    }
}
