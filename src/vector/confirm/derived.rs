//! Operators on trade-off functions that are no polygons, run once: through the routes of what is inside.
//!
//! | | profile at `x = e^epsilon >= 1` | trade-off function |
//! |---|---|---|
//! | `inverse` | of the other direction | of the other direction |
//! | `poisson` | as there | the inverse of `p f + (1-p) Id`, and that |
//! | `subsample`, `hull(poisson)` | the larger one of both of `poisson` | three pieces, from `f = f^-1` |
//! | `symmetrize(poisson)` | - | the larger one of both |
//! | `group`, `group-one-way` | of Gaussian and Laplace noise, moved farther | iterated; of `poisson`, the first of its `hull` |
//! | `mixture` | the weighted sum | - |
//!
//! Above its fixed point `f_p` is the larger one, for there it is less steep than the diagonal. A trade-off function
//! whose inverse is closed is confirmed by that, at both ends of the claim.

use dpcert_vectors::Direction;
use rug::Rational;

use super::operators::{Arguments, is_one};
use super::poisson::{Inside, Sample};
use super::{Claim, numbers, require};
use crate::error::Error;
use crate::mechanism::{Argument, Composition, Mechanism};
use crate::query::{Quantity, Query};
use enclosure::Real;

/// Bits of `e^epsilon`.
const BITS: u64 = 400;
/// Bits behind the point of the levels of a group.
const LEVEL_BITS: u32 = 200;

type Bounds = (Rational, Rational);

/// An operator run once, whose inside has a route.
pub fn takes(composition: &Composition) -> bool {
    matches!(composition.factors(), [(mechanism, 1)] if is_one(mechanism)) && Node::of(composition).is_ok()
}

/// An operator, or what it acts on, by the routes.
enum Node {
    /// A mechanism that is its own mirror image.
    Inside(Inside),
    /// The same on a Poisson sample.
    Sample(Sample),
    Inverse(Box<Node>),
    /// `min(f, f^-1)**` of a sample, which is what a sample of fixed size is.
    Hull(Sample),
    /// `max(f, f^-1)` of a sample.
    Larger(Sample),
    Group(u64, Box<Node>),
    Mixture(Vec<(Rational, Node)>),
}

fn refused() -> Error {
    Error::input("no second route for the inner mechanism of this operator")
}

impl Node {
    fn of(composition: &Composition) -> Result<Self, Error> {
        if let Some(square) = gaussian(composition)? {
            return Ok(Node::Inside(Inside::Gaussian(square)));
        }
        let [(mechanism, 1)] = composition.factors() else { return Err(refused()) };
        let given = Arguments(mechanism.arguments());
        let inside = || Ok::<_, Error>(Box::new(Node::of(given.inner()?)?));
        let sample = || match Node::of(given.inner()?)? {
            Node::Sample(sample) => Ok(sample),
            _ => Err(refused()),
        };
        Ok(match mechanism {
            Mechanism::Poisson(poisson) => Node::Sample(Sample::of(poisson).ok_or_else(refused)?),
            Mechanism::Inverse(_) => Node::Inverse(inside()?),
            Mechanism::Hull(_) => Node::Hull(sample()?),
            Mechanism::Symmetrize(_) => Node::Larger(sample()?),
            Mechanism::Subsample(_) => {
                let rate = numbers::rational(given.constant("rate")?, "rate")?.clone();
                match Node::of(given.inner()?)? {
                    Node::Inside(inside) if rate > 0 && rate < 1 => Node::Hull(Sample { rate, inside }),
                    _ => return Err(refused()),
                }
            }
            Mechanism::Group(_) => match (given.count("k")?, *inside()?) {
                // Links go either way; one link by itself is what is inside.
                (k, Node::Sample(sample)) if k > 1 => Node::Group(k, Box::new(Node::Hull(sample))),
                (k, Node::Group(j, inside)) if inside.symmetric() => Node::Group(k.saturating_mul(j), inside),
                (k, inside) if k < 2 || inside.symmetric() => Node::Group(k, Box::new(inside)),
                _ => return Err(refused()),
            },
            Mechanism::GroupOneWay(_) => match (given.count("k")?, *inside()?) {
                (k, Node::Group(j, inside)) => Node::Group(k.saturating_mul(j), inside),
                (k, inside) => Node::Group(k, Box::new(inside)),
            },
            Mechanism::Mixture(_) => {
                let Argument::List(weights) = given.find("weights")? else { return Err(refused()) };
                let part = |(weight, part): (&Real, &Composition)| {
                    Ok((numbers::rational(weight, "weight")?.clone(), Node::of(part)?))
                };
                Node::Mixture(weights.iter().zip(given.parts()?).map(part).collect::<Result<_, Error>>()?)
            }
            other => Node::Inside(Inside::of(other).ok_or_else(refused)?),
        })
    }

    /// Is it known to be symmetric?
    fn symmetric(&self) -> bool {
        match self {
            Node::Inside(_) | Node::Hull(_) | Node::Larger(_) => true,
            Node::Group(_, inside) => inside.symmetric(),
            _ => false,
        }
    }

    /// `H_x(P,Q)` or, backward, `H_x(Q,P)`, for `x >= 0`.
    fn delta(&self, forward: bool, x: &Rational) -> Result<Bounds, Error> {
        match self {
            Node::Inside(inside) => inside.delta(x),
            Node::Inverse(inside) => inside.delta(!forward, x),
            Node::Sample(sample) if forward => sample.forward(x),
            Node::Sample(sample) => sample.backward(x),
            // Below 1 by symmetry: H_x = 1 - x + x H_(1/x).
            Node::Hull(_) if *x > 0 && *x < 1 => {
                let (low, high) = self.delta(forward, &x.clone().recip())?;
                let rest = Rational::from(1 - x);
                Ok((low * x + &rest, high * x + rest))
            }
            Node::Hull(sample) => sample.forward(x),
            Node::Larger(_) => Err(refused()),
            // The ends of a chain of such noise are so much farther apart.
            Node::Group(k, inside) => match inside.as_ref() {
                Node::Inside(Inside::Gaussian(square)) => {
                    Inside::Gaussian(square.mul_rational(&Rational::from(*k).square())).delta(x)
                }
                Node::Inside(Inside::Laplace(shift)) => {
                    Inside::Laplace(shift.mul_rational(&Rational::from(*k))).delta(x)
                }
                _ => Err(refused()),
            },
            Node::Mixture(parts) => {
                let mut sum = (Rational::new(), Rational::new());
                for (weight, part) in parts {
                    let (low, high) = part.delta(forward, x)?;
                    sum = (sum.0 + low * weight, sum.1 + high * weight);
                }
                Ok(sum)
            }
        }
    }

    /// The trade-off function where it is closed.
    fn beta(&self, forward: bool, alpha: &Rational) -> Result<Bounds, Error> {
        match self {
            Node::Inside(inside) => inside.beta(alpha),
            Node::Inverse(inside) => inside.beta(!forward, alpha),
            Node::Sample(sample) if !forward => sample.mixed(alpha),
            Node::Group(k, inside) => {
                let mut level = (alpha.clone(), alpha.clone());
                for _ in 0..*k {
                    let least = inside.beta(forward, &level.1)?.0;
                    let most = inside.beta(forward, &level.0)?.1;
                    level = (rounded(&(1 - most), false), rounded(&(1 - least), true));
                }
                Ok((1 - level.1, 1 - level.0))
            }
            _ => Err(refused()),
        }
    }

    /// Is the claim that of the trade-off function?
    fn confirm_beta(&self, forward: bool, alpha: &Rational, claim: &Claim) -> Result<(), Error> {
        match self {
            Node::Sample(sample) if forward => sample.confirm_beta(Direction::Forward, alpha, claim),
            Node::Inverse(inside) => inside.confirm_beta(!forward, alpha, claim),
            Node::Hull(sample) => {
                // The fixed point of f, and its value on the sample.
                let (low, high) = sample.inside.delta(&Rational::from(1))?;
                let first = (Rational::from(1 - &high) / 2u32, Rational::from(1 - &low) / 2u32);
                let sum = (1 - high * &sample.rate, 1 - low * &sample.rate);
                let second = (Rational::from(&sum.0 - &first.1), Rational::from(&sum.1 - &first.0));
                if *alpha >= first.1 && *alpha <= second.0 {
                    return claim.agrees_with(&(sum.0 - alpha, sum.1 - alpha));
                }
                let below = *alpha <= first.0;
                require(below || *alpha >= second.1, "an alpha that is at an end of a piece")?;
                sample.confirm_beta(if below { Direction::Backward } else { Direction::Forward }, alpha, claim)
            }
            Node::Larger(sample) => {
                let (low, high) = sample.mixed(alpha)?;
                let above = high <= *alpha;
                require(above || low >= *alpha, "an alpha that is at the fixed point")?;
                sample.confirm_beta(if above { Direction::Backward } else { Direction::Forward }, alpha, claim)
            }
            _ => claim.agrees_with(&self.beta(forward, alpha)?),
        }
    }
}

/// The square of mu of a composition of Gaussians that leaks.
fn gaussian(composition: &Composition) -> Result<Option<Real>, Error> {
    let mut square = Real::zero();
    for (mechanism, times) in composition.factors() {
        let mu = match mechanism {
            Mechanism::Gaussian(m) => m.sensitivity().div(m.sigma())?,
            Mechanism::Gdp(m) => m.mu().clone(),
            _ => return Ok(None),
        };
        square = square.add(&mu.square().mul_rational(&Rational::from(*times)));
    }
    Ok((!square.is_zero()).then_some(square))
}

/// To a multiple of `2^-200` in `[0, 1]`.
fn rounded(value: &Rational, up: bool) -> Rational {
    let units = Rational::from(value << LEVEL_BITS);
    let whole = if up { units.ceil() } else { units.floor() };
    Ord::clamp(whole >> LEVEL_BITS, Rational::new(), Rational::from(1))
}

pub fn confirm(query: &Query, claim: &Claim) -> Result<(), Error> {
    let node = Node::of(&query.mechanism)?;
    let ways: &[bool] = match query.direction {
        Direction::Forward => &[true],
        Direction::Backward => &[false],
        Direction::Worst => &[true, false],
    };
    let worst = |(low, high): &Bounds| -> Result<Bounds, Error> {
        let mut worst = (Rational::new(), Rational::new());
        for forward in ways {
            let above = node.delta(*forward, low)?;
            let below = if low == high { above.0 } else { node.delta(*forward, high)?.0 };
            worst = (worst.0.max(below), worst.1.max(above.1));
        }
        Ok(worst)
    };
    let power = |epsilon: &Real| numbers::first_both(&numbers::exp_bounds(epsilon, BITS)?);
    match &query.quantity {
        Quantity::Delta { epsilon } => claim.agrees_with(&worst(&power(epsilon)?)?),
        Quantity::Epsilon { delta } => {
            let target = numbers::rational(delta, "delta")?;
            let (lower, upper) = claim.within()?;
            let at = |end: &Rational| worst(&power(&end.clone().into())?);
            let left = lower.is_zero() || at(lower)?.1 >= *target;
            require(left && at(upper)?.0 <= *target, "the delta at both ends")
        }
        Quantity::Beta { alpha } => {
            let alpha = numbers::rational(alpha, "alpha")?;
            require(node.symmetric() || ways.len() == 1, "a trade-off function of one direction")?;
            node.confirm_beta(ways[0], alpha, claim)
        }
        _ => Err(Error::input("not a curve")),
    }
}
