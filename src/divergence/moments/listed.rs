//! Finitely many losses: a sum.

use super::{Average, Averages};
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{Discrete, Outcome, Outcomes};
use enclosure::{Enclosure, Number};

/// The averages over the listed losses; every mass is relatively accurate, so the sums are.
pub(super) fn averages(pair: &Discrete, of: &[Average], direction: Direction, bits: u32) -> Result<Averages, Error> {
    let wide = bits.saturating_add(32);
    let Outcomes { finite, infinite_p, infinite_q } = pair.outcomes(wide)?;
    let backward = direction == Direction::Backward;
    let mut values = vec![Enclosure::zero(wide); of.len()];
    for Outcome { loss, p, q } in &finite {
        let (loss, mass) = if backward { (-loss, q) } else { (loss.clone(), p) };
        let mass = mass.enclosure(wide);
        for (sum, average) in values.iter_mut().zip(of) {
            *sum = &*sum + &(&mass * &average.at(&loss));
        }
    }
    let beyond = |mass: &Number| mass.enclosure(wide);
    let (first, second) = if backward { (&infinite_q, &infinite_p) } else { (&infinite_p, &infinite_q) };
    let none = [first, second].iter().all(|mass| mass.exact().is_some_and(rug::Rational::is_zero));
    let infinite = if none { None } else { Some((beyond(first), beyond(second))) };
    Ok(Averages { values, infinite })
}
