//! Stored values against grids of few points.
//!
//! Where no route in other arithmetic takes a composition, a value is confirmed by a second contour, which shares the
//! code of the first. A grid shares less: it knows the masses of the losses and nothing of the moment generating
//! function. It proves few digits, so it confirms no golden value; but what it proves must meet each.

use dpcert_vectors::{Case, Truth, VectorFile};

use super::{convert, verify};
use crate::alarm::{self, declined};
use crate::compose::{Hull, bracket};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::mechanism::Composition;
use crate::query::Quantity;
use enclosure::{Budget, Cache, Enclosure};

/// Bits asked of a grid: more than few points prove.
const BITS: u32 = 64;
/// Relative bits that make a digit.
const DIGIT: i64 = 4;
/// Compositions whose grids are kept: neighbouring cases are about the same.
const OPEN: usize = 4;

/// What a grid proves of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proven {
    /// Its interval meets the value, and is narrow enough for a digit at least.
    Digits,
    /// Its interval meets the value.
    Little,
    /// It has no interval.
    Nothing,
}

/// Grids by composition; `None` if it has none.
pub struct Brackets(Cache<Composition, Option<Box<dyn Curve>>>);

impl Default for Brackets {
    fn default() -> Self {
        Brackets(Cache::new(OPEN))
    }
}

/// Is the value confirmed by contours alone? That of a calibration is no value of a curve.
pub fn by_contours_alone(case: &Case) -> bool {
    !case.mechanism.contains('?') && case.routes.iter().all(|route| route.contains("shifted contour"))
}

impl Brackets {
    /// What a grid proves of a stored value.
    ///
    /// # Errors
    /// The alarm if its interval does not meet the value; those of the case.
    pub fn check(&self, file: &VectorFile, case: &Case) -> Result<Proven, Error> {
        let question = verify::question(file, case)?;
        let Some(query) = question.query() else { return Ok(Proven::Nothing) };
        let Some(Truth::Within { lower, upper }) = case.answer.truth() else { return Ok(Proven::Nothing) };
        let curve = self.0.get(query.mechanism.clone(), || bracket(&query.mechanism))?;
        let Some(curve) = curve.as_ref() else { return Ok(Proven::Nothing) };
        let ask = |direction| interval(curve.as_ref(), &query.quantity, direction);
        let set = if query.direction != Direction::Worst || curve.symmetric() {
            ask(query.direction)?
        } else if matches!(query.quantity, Quantity::Beta { .. }) {
            interval(&Hull::new(curve.as_ref()), &query.quantity, Direction::Worst)?
        } else {
            ask(Direction::Forward)?.zip(ask(Direction::Backward)?).map(|(a, b)| a.max(&b))
        };
        let Some(set) = set else { return Ok(Proven::Nothing) };
        let stored = [&lower, &upper].map(|end| convert::rational(end).map(|end| Enclosure::rational(&end, 4 * BITS)));
        let [lower, upper] = stored;
        alarm::meet(&lower?.hull(&upper?), &set, "stored value, by contours and by a grid,")?;
        Ok(match set.relative_bits() {
            Some(bits) if bits >= DIGIT => Proven::Digits,
            _ if set.is_bounded() => Proven::Little,
            _ => Proven::Nothing,
        })
    }
}

/// What the grid says in one direction.
fn interval(curve: &dyn Curve, quantity: &Quantity, direction: Direction) -> Result<Option<Enclosure>, Error> {
    let budget = Budget::default();
    let number = match quantity {
        Quantity::Delta { epsilon } => curve.delta(epsilon, direction, BITS, &budget),
        Quantity::Beta { alpha } => curve.beta(alpha, direction, BITS, &budget),
        Quantity::Epsilon { delta } => match declined(curve.epsilon(delta, direction, BITS, &budget))? {
            Some(Value::Finite(number)) => Ok(number),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(declined(number)?.map(|number| number.enclosure(BITS)))
}
