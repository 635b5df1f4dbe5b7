//! Operators on trade-off functions that are polygons in fractions: their outcomes, for the route of finite pairs.

use malachite::Rational as Second;
use rug::Rational;

use super::{finite, numbers};
use crate::error::Error;
use crate::mechanism::{Argument, Composition, Mechanism};
use crate::route::polygon::Polygon;
use enclosure::Real;

/// The most outcomes of a composition inside.
const MOST_OUTCOMES: usize = 1 << 12;

/// Is it an operator, or a curve by its points?
pub fn is_one(mechanism: &Mechanism) -> bool {
    matches!(
        mechanism,
        Mechanism::Subsample(_)
            | Mechanism::Group(_)
            | Mechanism::GroupOneWay(_)
            | Mechanism::Inverse(_)
            | Mechanism::Symmetrize(_)
            | Mechanism::Hull(_)
            | Mechanism::Mixture(_)
            | Mechanism::TradeOffPoints(_)
            | Mechanism::FDp(_)
            | Mechanism::ProfilePoints(_)
    )
}

/// The arguments of an operator, by name.
pub(super) struct Arguments(pub Vec<(&'static str, Argument)>);

impl Arguments {
    pub fn find(&self, name: &str) -> Result<&Argument, Error> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value).ok_or_else(|| Error::input(format!("an operator without {name}")))
    }

    pub fn constant(&self, name: &str) -> Result<&Real, Error> {
        match self.find(name)? {
            Argument::Constant(value) => Ok(value),
            _ => Err(Error::input(format!("{name} is not a number"))),
        }
    }

    pub fn rationals(&self, name: &str) -> Result<Vec<Second>, Error> {
        match self.find(name)? {
            Argument::List(values) => {
                values.iter().map(|value| numbers::second(numbers::rational(value, name)?)).collect()
            }
            _ => Err(Error::input(format!("{name} is not a list"))),
        }
    }

    pub fn inner(&self) -> Result<&Composition, Error> {
        match self.find("mechanism")? {
            Argument::Mechanism(inner) => Ok(inner),
            _ => Err(Error::input("no inner mechanism")),
        }
    }

    pub fn parts(&self) -> Result<&[Composition], Error> {
        match self.find("mechanisms")? {
            Argument::Mechanisms(parts) => Ok(parts),
            _ => Err(Error::input("no inner mechanism")),
        }
    }

    pub fn count(&self, name: &str) -> Result<u64, Error> {
        let value = numbers::rational(self.constant(name)?, name)?;
        value
            .numer()
            .to_u64()
            .filter(|_| value.is_integer())
            .ok_or_else(|| Error::input(format!("{name} is not a count")))
    }
}

/// The masses of P and Q of an operator on finite pairs.
pub fn outcomes(mechanism: &Mechanism) -> Result<(Vec<Rational>, Vec<Rational>), Error> {
    let both = polygon(mechanism, &composed)?.outcomes();
    let both: Vec<(Rational, Rational)> = both.iter().map(numbers::first_both).collect::<Result<_, _>>()?;
    Ok(both.into_iter().unzip())
}

/// The trade-off function of an operator, if it is a polygon in fractions, from those of what it acts on.
pub(super) fn polygon(
    mechanism: &Mechanism,
    of: &dyn Fn(&Composition) -> Result<Polygon, Error>,
) -> Result<Polygon, Error> {
    let given = Arguments(mechanism.arguments());
    let inside = || of(given.inner()?);
    Ok(match mechanism {
        Mechanism::Inverse(_) => inside()?.inverse(),
        Mechanism::Symmetrize(_) => inside()?.larger(),
        Mechanism::Hull(_) => inside()?.both_orders(),
        Mechanism::Group(_) => match given.count("k")? {
            0 => Polygon::of_outcomes(&[(Second::from(1), Second::from(1))]),
            1 => inside()?,
            k => inside()?.both_orders().group(k),
        },
        Mechanism::GroupOneWay(_) => match given.count("k")? {
            0 => Polygon::of_outcomes(&[(Second::from(1), Second::from(1))]),
            k => inside()?.group(k),
        },
        Mechanism::Subsample(_) => {
            let rate = numbers::second(numbers::rational(given.constant("rate")?, "rate")?)?;
            inside()?.sampled(&rate).both_orders()
        }
        Mechanism::Mixture(_) => {
            let mut all = Vec::new();
            for (weight, part) in given.rationals("weights")?.iter().zip(given.parts()?) {
                all.extend(of(part)?.outcomes().into_iter().map(|(p, q)| (weight * p, weight * q)));
            }
            Polygon::of_outcomes(&all)
        }
        // The worst that is f-DP has f itself.
        Mechanism::TradeOffPoints(_) | Mechanism::FDp(_) => {
            let (alpha, beta) = (given.rationals("alpha")?, given.rationals("beta")?);
            Polygon::hull(alpha.into_iter().zip(beta).collect())
        }
        Mechanism::ProfilePoints(_) => {
            let Argument::List(epsilons) = given.find("epsilon")? else { return Err(Error::input("not a list")) };
            let power = |epsilon: &Real| {
                let power = epsilon.exp_rational().ok_or_else(|| Error::input("an irrational e^epsilon"))?;
                numbers::second(&power)
            };
            let powers: Vec<Second> = epsilons.iter().map(power).collect::<Result<_, _>>()?;
            Polygon::of_profile(&powers.into_iter().zip(given.rationals("delta")?).collect::<Vec<_>>())
        }
        _ => return Err(Error::input("not an operator")),
    })
}

/// The trade-off function of a composition of finite pairs.
pub(super) fn composed(composition: &Composition) -> Result<Polygon, Error> {
    let mut whole = vec![(Second::from(1), Second::from(1))];
    for (mechanism, times) in composition.factors() {
        let (p, q) = finite::outcomes(mechanism)?;
        let one: Vec<(Second, Second)> = p
            .iter()
            .zip(&q)
            .map(|(p, q)| Ok((numbers::second(p)?, numbers::second(q)?)))
            .collect::<Result<_, Error>>()?;
        for _ in 0..*times {
            if whole.len() * one.len() > MOST_OUTCOMES {
                return Err(Error::input("too many outcomes inside an operator"));
            }
            let all: Vec<_> = whole.iter().flat_map(|(p, q)| one.iter().map(move |(r, s)| (p * r, q * s))).collect();
            // Outcomes of one likelihood ratio are one.
            whole = Polygon::of_outcomes(&all).outcomes();
        }
    }
    Ok(Polygon::of_outcomes(&whole))
}
