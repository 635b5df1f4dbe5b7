//! Which pairs have polylines over quotients of exponentials, and which.

use std::sync::Arc;

use rug::Rational;

use super::{MOST, Polyline};
use crate::pair::{Discrete, Law, Listed, Operator, Pair, Shuffled, TradeOff};
use enclosure::{Budget, Exponentials, Quotient, Real};

/// The most segments where they are functions of several exponentials: numbers are long then.
const MOST_OF_SEVERAL: usize = 48;

/// An outcome: its mass under P, and `q/p`.
type Outcome = (Real, Real);

/// The mass that P does not have, and the outcomes that it has.
fn outcomes(pair: &Discrete) -> Option<(Real, Vec<Outcome>)> {
    match pair.law() {
        Law::Response { epsilon, delta } => {
            let one = Real::one();
            let kept = one.sub(delta);
            let mut all = vec![(delta.clone(), Real::zero())];
            if epsilon.is_zero() {
                all.push((kept, one));
            } else {
                for loss in [epsilon.clone(), epsilon.neg()] {
                    let ratio = loss.neg().exp().ok()?;
                    all.push((kept.div(&one.add(&ratio)).ok()?, ratio));
                }
            }
            Some((delta.clone(), all))
        }
        Law::SymmetricLattice { unit, largest, .. } => {
            if pair.places() > 2 * MOST as u64 {
                return None;
            }
            let masses = pair.constants().ok()??;
            let first = -i64::try_from(*largest).ok()?;
            let mut all = Vec::new();
            for (step, mass) in (first..).zip(masses) {
                if !mass.is_zero() {
                    all.push((mass, unit.mul_rational(&(-step).into()).exp().ok()?));
                }
            }
            (!all.is_empty()).then_some((Real::zero(), all))
        }
        Law::Rational(_) | Law::Sample { .. } | Law::Listed(_) => None,
    }
}

/// The outcomes of few shuffled reports, none of which one distribution has alone.
fn counts(reports: &Shuffled) -> Option<Vec<Outcome>> {
    let outcomes = reports.list()?.outcomes;
    outcomes.into_iter().map(|Listed { p, q, .. }| Some((p.clone(), q.div(&p).ok()?))).collect()
}

/// The constants that a pair's polyline is made of, with about how many segments it has at most.
fn constants(pair: &Pair, all: &mut Vec<Real>) -> Option<usize> {
    let count = match pair {
        Pair::Equal => 1,
        Pair::Discrete(discrete) => match discrete.law() {
            Law::Rational(pair) => pair.p().len(),
            Law::Sample { rate, inner } => {
                all.push(rate.clone());
                constants(&Pair::Discrete(Discrete::clone(inner)), all)?.saturating_add(1)
            }
            _ => {
                let (missing, outcomes) = outcomes(discrete)?;
                let count = outcomes.len();
                all.push(missing);
                all.extend(outcomes.into_iter().flat_map(|(mass, ratio)| [mass, ratio]));
                count
            }
        },
        Pair::Sample { rate, inner } => {
            all.push(rate.clone());
            constants(inner, all)?.saturating_add(1)
        }
        Pair::Several(factors) => several(factors, all)?,
        Pair::Derived(derived) => {
            let mut sum = 0_usize;
            for part in derived.parts() {
                sum = sum.saturating_add(several(part, all)?);
            }
            match derived.operator() {
                Operator::Inverse => sum,
                Operator::Larger | Operator::Hull => sum.saturating_mul(2),
                Operator::Group(size) => sum.saturating_mul(usize::try_from(*size).ok()?),
                Operator::Subsample(rate) => {
                    all.push(rate.clone());
                    sum.saturating_mul(2)
                }
                Operator::Mixture(weights) => {
                    all.extend(weights.iter().cloned());
                    sum
                }
            }
        }
        Pair::Shuffled(reports) => {
            let outcomes = counts(reports)?;
            let count = outcomes.len();
            all.extend(outcomes.into_iter().flat_map(|(mass, ratio)| [mass, ratio]));
            count
        }
        Pair::Gaussian { .. } | Pair::Laplace { .. } | Pair::DiscreteGaussian { .. } => return None,
    };
    (count <= MOST).then_some(count)
}

/// Runs on one lattice have the sum of their segments.
fn several(factors: &[(Pair, u64)], all: &mut Vec<Real>) -> Option<usize> {
    let mut sum = 1_usize;
    for (pair, times) in factors {
        let one = constants(pair, all)?.saturating_sub(1).max(1);
        sum = sum.saturating_add(one.saturating_mul(usize::try_from(*times).ok()?));
    }
    (sum <= MOST).then_some(sum)
}

impl Polyline {
    /// Those of some pairs, over the same exponentials; `None` where one of them is none, or too long.
    pub fn of_pairs<const N: usize>(pairs: [&Pair; N], budget: &Budget) -> Option<[Self; N]> {
        let (mut all, mut segments) = (Vec::new(), 0);
        for pair in pairs {
            segments += constants(pair, &mut all)?;
        }
        let field = Arc::new(Exponentials::of(&all)?);
        if field.dimension() > 1 && segments > MOST_OF_SEVERAL {
            return None;
        }
        let mut found = Vec::new();
        for pair in pairs {
            found.push(Self::of(pair, &field, budget)?);
        }
        found.try_into().ok()
    }

    fn of(pair: &Pair, field: &Arc<Exponentials>, budget: &Budget) -> Option<Self> {
        match pair {
            Pair::Equal => Self::identity(field),
            Pair::Discrete(discrete) => match discrete.law() {
                Law::Rational(pair) => {
                    let f = TradeOff::from_pair(pair);
                    let missing = f.vertices().first().map(|(_, beta)| Rational::from(1 - beta))?;
                    let parts = f.segments().into_iter().map(|(p, q)| {
                        let slope = Quotient::from(q / &p);
                        (Quotient::from(p), slope)
                    });
                    Self::new(field, Quotient::from(missing), parts.collect())
                }
                Law::Sample { rate, inner } => {
                    let inner = Self::of(&Pair::Discrete(Discrete::clone(inner)), field, budget)?;
                    inner.sampled(&field.quotient(rate)?)
                }
                _ => {
                    let (missing, outcomes) = outcomes(discrete)?;
                    let parts = outcomes.iter().map(|(p, ratio)| Some((field.quotient(p)?, field.quotient(ratio)?)));
                    Self::new(field, field.quotient(&missing)?, parts.collect::<Option<_>>()?)
                }
            },
            Pair::Sample { rate, inner } => Self::of(inner, field, budget)?.sampled(&field.quotient(rate)?),
            Pair::Several(factors) => Self::product(factors, field, budget),
            Pair::Derived(derived) => {
                let mut parts = Vec::new();
                for part in derived.parts() {
                    parts.push(Self::product(part, field, budget)?);
                }
                let one = parts.first()?;
                match derived.operator() {
                    Operator::Inverse => one.inverse(),
                    Operator::Group(size) => one.group(*size, budget),
                    Operator::Larger => one.max(&one.inverse()?, budget),
                    Operator::Hull => one.symmetrized_min(budget),
                    Operator::Subsample(rate) => {
                        one.mixed_with_identity(&field.quotient(rate)?)?.symmetrized_min(budget)
                    }
                    Operator::Mixture(weights) => {
                        let weights = weights.iter().map(|weight| field.quotient(weight));
                        let weights = weights.collect::<Option<Vec<_>>>()?;
                        let parts: Vec<_> = weights.into_iter().zip(parts).collect();
                        Self::revealed_mixture(field, &parts)
                    }
                }
            }
            Pair::Shuffled(reports) => {
                let parts = counts(reports)?;
                let parts = parts.iter().map(|(p, ratio)| Some((field.quotient(p)?, field.quotient(ratio)?)));
                Self::new(field, field.quotient(&Real::zero())?, parts.collect::<Option<_>>()?)
            }
            Pair::Gaussian { .. } | Pair::Laplace { .. } | Pair::DiscreteGaussian { .. } => None,
        }
    }

    fn product(factors: &[(Pair, u64)], field: &Arc<Exponentials>, budget: &Budget) -> Option<Self> {
        let mut all = Self::identity(field)?;
        for (pair, times) in factors {
            all = all.tensor(&Self::of(pair, field, budget)?.power(*times, budget)?, budget)?;
        }
        Some(all)
    }

    /// That of the Poisson sample: `T((1-r) Q + r P, Q)`, whose inverse is `r f^-1 + (1-r) Id`.
    fn sampled(&self, rate: &Quotient) -> Option<Self> {
        self.inverse()?.mixed_with_identity(rate)?.inverse()
    }
}
