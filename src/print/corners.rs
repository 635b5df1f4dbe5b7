//! The corners of a trade-off function that is a polyline, or those of its profile: the question, and its answer in
//! JSON.
//!
//! `{"quantity": "vertices", "mechanism": ...}` with a `kind`, `tradeoff` or `profile`, and a `direction`. The defaults
//! are `tradeoff` and `worst`.

use serde::{Deserialize, Serialize};

use super::{Numbers, Status};
use crate::alarm::declined;
use crate::answer::{Bound, Meaning};
use crate::curve::Direction;
use crate::error::Error;
use crate::mechanism::{Cause, Composition, Hull, Inverse, Mechanism};
use crate::order;
use crate::query::Quantity;
use crate::trade_off::TradeOff;
use enclosure::{Budget, Number, Real};

/// Digits of what is no fraction.
pub const CORNER_DIGITS: u32 = 12;
/// Bits of it.
pub const CORNER_BITS: u32 = 96;

/// Which face of privacy has the corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Face {
    /// beta against alpha.
    #[default]
    Tradeoff,
    /// delta against epsilon.
    Profile,
}

/// Which corners.
#[derive(Clone, Debug)]
pub struct Corners {
    /// Of this composition.
    pub mechanism: Composition,
    /// Of its trade-off function, or of its profile.
    pub kind: Face,
    /// Of which order of the pair.
    pub direction: Direction,
}

impl Corners {
    /// The corners, in order.
    ///
    /// # Errors
    /// Those of [`TradeOff::vertices`].
    pub fn answer(&self, budget: &Budget) -> Result<Vec<(Real, Real)>, Error> {
        let given = self.mechanism.clone();
        let of = |mechanism: Mechanism| Composition::from(mechanism);
        // The profile H(P||Q) is that of tests of Q against P.
        let asked = match (self.direction, self.kind) {
            (Direction::Worst, _) if !self.is_of_both()? => given,
            (Direction::Worst, _) => of(Hull::new(given).into()),
            (Direction::Forward, Face::Tradeoff) | (Direction::Backward, Face::Profile) => given,
            (Direction::Forward, Face::Profile) | (Direction::Backward, Face::Tradeoff) => {
                of(Inverse::new(given).into())
            }
        };
        let f = TradeOff::of(asked);
        match self.kind {
            Face::Tradeoff => f.vertices(budget),
            Face::Profile => f.breakpoints(budget),
        }
    }

    /// Are these the corners of the hull of both orders, which differ or are not known to be the same?
    ///
    /// # Errors
    /// Alarms.
    pub fn is_of_both(&self) -> Result<bool, Error> {
        let symmetric = declined(order::is_symmetric(&self.mechanism))?;
        Ok(self.direction == Direction::Worst && symmetric != Some(true))
    }

    /// What the curve with these corners says about the mechanism, and why if it is not exact.
    pub fn meaning(&self) -> (Meaning, Option<Cause>) {
        let at = Real::zero();
        let quantity = match self.kind {
            Face::Tradeoff => Quantity::Beta { alpha: at },
            Face::Profile => Quantity::Delta { epsilon: at },
        };
        Meaning::of(&quantity, &self.mechanism, self.direction)
    }

    /// The polyline as a mechanism, where it is in fractions.
    pub fn function(&self, corners: &[(Real, Real)]) -> Option<String> {
        let list = |of: fn(&(Real, Real)) -> &Real| -> Option<String> {
            let all = corners.iter().map(|vertex| Some(of(vertex).as_rational()?.to_string()));
            Some(all.collect::<Option<Vec<_>>>()?.join(", "))
        };
        if self.kind == Face::Profile {
            return None;
        }
        Some(format!("trade-off(alpha=[{}], beta=[{}])", list(|vertex| &vertex.0)?, list(|vertex| &vertex.1)?))
    }

    /// The answer as an object of JSON.
    pub fn line(&self, id: Option<String>, corners: &[(Real, Real)]) -> CornersLine {
        let pairs = corners.iter().map(|(a, b)| (Coordinate::new(a), Coordinate::new(b)));
        let (vertices, breakpoints) = match self.kind {
            Face::Tradeoff => (Some(pairs.map(|(alpha, beta)| Vertex { alpha, beta }).collect()), None),
            Face::Profile => (None, Some(pairs.map(|(epsilon, delta)| Breakpoint { epsilon, delta }).collect())),
        };
        let meaning = self.meaning();
        CornersLine {
            id,
            quantity: "vertices",
            mechanism: self.mechanism.to_string(),
            kind: self.kind,
            direction: self.direction,
            meaning: meaning.0,
            because: meaning.1.map(Cause::reason),
            bound: meaning.0.bound(),
            vertices,
            breakpoints,
            function: self.function(corners),
            notes: self.mechanism.notes().to_vec(),
        }
    }
}

/// The JSON object. The fields are a promise to scripts.
#[derive(Serialize)]
pub struct CornersLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    quantity: &'static str,
    mechanism: String,
    kind: Face,
    direction: Direction,
    /// What the curve says about the mechanism, and why if it is not exact.
    meaning: Meaning,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    /// Of a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    /// Each with an `exact` constant and its enclosure.
    #[serde(skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<Vertex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    breakpoints: Option<Vec<Breakpoint>>,
    /// The polyline as a mechanism, where it is in fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Vertex {
    alpha: Coordinate,
    beta: Coordinate,
}

#[derive(Serialize)]
struct Breakpoint {
    epsilon: Coordinate,
    delta: Coordinate,
}

/// A constant, with an enclosure of it.
#[derive(Serialize)]
struct Coordinate {
    exact: String,
    #[serde(flatten)]
    numbers: Numbers,
}

impl Coordinate {
    fn new(value: &Real) -> Self {
        let number = Number::Enclosed(value.enclosure(CORNER_BITS));
        Coordinate { exact: value.to_string(), numbers: Numbers::of(&number, CORNER_DIGITS) }
    }
}

/// A question as it stands in JSON.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a mechanism with a piecewise-linear trade-off function, as in {\"quantity\": \"vertices\", \
                                          \"mechanism\": \"randomized-response(epsilon=1)^2\"}"
)]
pub struct CornersQuestion {
    /// Echoed.
    pub id: Option<String>,
    #[serde(rename = "quantity")]
    _quantity: serde::de::IgnoredAny,
    mechanism: Composition,
    #[serde(default)]
    kind: Face,
    #[serde(default = "worst")]
    direction: Direction,
}

fn worst() -> Direction {
    Direction::Worst
}

impl CornersQuestion {
    /// The answer, with how it went.
    ///
    /// # Errors
    /// Those of [`Corners::answer`].
    pub fn answer(&self, budget: &Budget) -> Result<(impl Serialize + use<>, Status), Error> {
        let asked = Corners { mechanism: self.mechanism.clone(), kind: self.kind, direction: self.direction };
        let corners = asked.answer(budget)?;
        Ok((asked.line(self.id.clone(), &corners), Status::Fine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Outcome, answer};
    use crate::query::Query;

    /// Each corner is the type II error of the same direction, also of guarantees and of what is its own inverse.
    #[test]
    fn corners_are_errors_in_each_direction() {
        let budget = Budget::default();
        for mechanism in [
            "finite(p=[1/2,1/2], q=[1/5,4/5])^2",
            "f-dp(alpha=[0,1/2,1], beta=[1,1/4,0])^2",
            "inverse(trade-off(alpha=[0,1/2,1], beta=[9/10,1/10,0]))",
            "subsample(rate=1/2, f-dp(alpha=[0,1/4,1], beta=[1,1/4,0]))",
            "randomized-response(epsilon=ln(3))^2",
        ] {
            for direction in [Direction::Worst, Direction::Forward, Direction::Backward] {
                let mechanism: Composition = mechanism.parse().expect(mechanism);
                let asked = Corners { mechanism: mechanism.clone(), kind: Face::Tradeoff, direction };
                for (alpha, beta) in asked.answer(&budget).expect("corners") {
                    let query = Query::new(Quantity::Beta { alpha }, mechanism.clone()).with_direction(direction);
                    let Outcome::Exact(found) = answer(&query, &budget).expect("an answer").outcome else {
                        panic!("{query}: no exact answer");
                    };
                    assert_eq!(Number::from(&found).exact(), beta.as_rational(), "{query}");
                }
            }
        }
    }
}
