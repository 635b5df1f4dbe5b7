//! How steeply a profile comes down to its limit where the losses end.
//!
//! The slope of a profile in `x = e^eps` is minus the Q-mass of the losses above eps. Just below the largest finite
//! loss M that is at least the Q-mass q of M itself, so that the profile is at least its limit and `q (e^M - x)` from
//! any x on. Backward the roles of P and Q are exchanged: the P-mass of the least loss.
//!
//! * Laplace noise moved by c has the losses -c and c with the masses `1/2` and `e^-c/2`.
//! * With finitely many privacy losses the largest one is used, if the enclosures determine it.
//! * A Poisson sample forward keeps Q, and its largest loss is where that inside is. Backward the least loss inside,
//!   with the P-mass m and the Q-mass `m e^L`, `L` the largest loss backward, gets `(1-r) m e^L + r m`. Masses at
//!   infinity are left to others.
//! * The largest loss of a product is met where each factor's is.

use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{LossBound, Pair};
use enclosure::Enclosure;

/// The mass of the largest loss under the second distribution, in a direction; `None` where it is not known here.
///
/// # Errors
/// Those of the masses.
pub fn steep(pair: &Pair, direction: Direction, bits: u32) -> Result<Option<Enclosure>, Error> {
    let one = Enclosure::integer(&1.into(), bits);
    Ok(match pair {
        Pair::Equal => Some(one),
        Pair::Laplace { shift } => Some(&(-&shift.enclosure(bits)).exp() / &Enclosure::integer(&2.into(), bits)),
        Pair::Discrete(discrete) => {
            let outcomes = discrete.outcomes(bits)?.finite;
            let loss = |loss: &Enclosure| if direction == Direction::Backward { -loss } else { loss.clone() };
            let largest = outcomes.iter().max_by(|a, b| loss(&a.loss).lower().total_cmp(loss(&b.loss).lower()));
            let certain = largest.filter(|largest| {
                let others = outcomes.iter().filter(|other| !std::ptr::eq(*other, *largest));
                let mut others = others.map(|other| loss(&other.loss));
                others.all(|other| other.upper() < loss(&largest.loss).lower())
            });
            let mass = |outcome: &crate::pair::Outcome| {
                let mass = if direction == Direction::Backward { &outcome.p } else { &outcome.q };
                mass.enclosure(bits)
            };
            certain.map(mass)
        }
        Pair::Sample { rate, inner } => {
            let ends = inner.ends()?;
            if !ends.infinite_p.is_zero() || !ends.infinite_q.is_zero() {
                return Ok(None);
            }
            let Some(mass) = steep(inner, direction, bits)? else { return Ok(None) };
            match (direction, ends.losses) {
                (Direction::Backward, Some((LossBound::At(least), _))) => {
                    let rate = rate.enclosure(bits);
                    let at_q = &mass * &(-&least.enclosure(bits)).exp();
                    Some(&(&(&one - &rate) * &at_q) + &(&rate * &mass))
                }
                (Direction::Backward, _) => None,
                _ => Some(mass),
            }
        }
        Pair::Several(factors) => {
            let mut all = one;
            for (factor, times) in factors {
                let Some(mass) = steep(factor, direction, bits)? else { return Ok(None) };
                all = &all * &mass.pow(*times);
            }
            Some(all)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Composition;

    /// Known by hand: Laplace noise, and a response on a sample.
    #[test]
    fn masses_of_the_largest_loss() {
        let of = |text: &str, direction| {
            let composition: Composition = text.parse().expect(text);
            let pair = Pair::several(composition.pairs().expect("pairs"));
            steep(&pair, direction, 128).expect("masses")
        };
        let is = |text: &str, direction, value: &str| {
            let mass = of(text, direction).expect(text);
            let value = value.parse::<enclosure::Real>().expect("a constant").enclosure(128);
            assert!(mass.overlaps(&value) && mass.relative_bits().is_some_and(|bits| bits > 100), "{text}: {mass:?}");
        };
        is("laplace(scale=1/2)", Direction::Forward, "exp(-2)/2");
        is("laplace(scale=1)^2 * laplace(scale=3)", Direction::Backward, "exp(-7/3)/8");
        is("randomized-response(epsilon=ln(3))", Direction::Forward, "1/4");
        is("poisson(rate=1/3, randomized-response(epsilon=ln(3)))", Direction::Forward, "1/4");
        // P' = (2/3)(1/4, 3/4) + (1/3)(3/4, 1/4) = (5/12, 7/12).
        is("poisson(rate=1/3, randomized-response(epsilon=ln(3)))^2", Direction::Backward, "49/144");
        is("poisson(rate=1/3, laplace(scale=1))", Direction::Backward, "1/3+exp(-1)/6");
        assert!(of("gaussian(sigma=1)", Direction::Forward).is_none());
    }
}
