//! One pair of distributions on a lattice of losses: what a composition is made of.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::{Integer, Rational};

use crate::error::Error;
use crate::pair::{self, Discrete, MassFunction, Masses};
use enclosure::{Number, Real, common_unit};

/// A pair of distributions with losses `shift + (offset + i) unit`, i an integer; Q-masses are `q = p e^(-loss)`.
#[derive(Clone)]
pub struct LatticePair {
    pub(super) unit: Real,
    /// What the losses have beside whole multiples of the unit.
    pub(super) shift: Real,
    pub(super) law: Law,
}

/// The law of the loss under P.
#[derive(Clone)]
pub(super) enum Law {
    /// Finitely many masses, `places` of them, from the least loss up: `offset, offset + 1, ...`.
    Finite { offset: i64, places: u64, masses: MassFunction },
    /// `offset + i = j` with mass proportional to `e^(-j^2/(2 sigma2))`; the unit is `D/sigma2`, the shift `D^2/(2
    /// sigma2)`.
    DiscreteGaussian { sigma2: Rational, sensitivity: Integer },
    /// Masses in fixed point, as they are.
    Listed(Arc<Listing>),
}

/// Masses in fixed point, rounded down.
#[derive(Clone, Debug)]
pub(in crate::compose) struct Listing {
    /// The place of the first.
    pub offset: i64,
    /// Words of each: units are `2^(-64 width)`.
    pub width: usize,
    /// All of them, each with its least significant word first.
    pub words: Vec<u64>,
    /// What all of them may lack, in sum, in units.
    pub error: u128,
    /// P-mass where Q has none.
    pub infinite_p: Number,
    /// Q-mass where P has none.
    pub infinite_q: Number,
}

impl LatticePair {
    /// From a unit, the least loss in units, how many masses there are, and these as a function of the precision: each
    /// call must enclose the same numbers, and give so many of them.
    pub fn new(
        unit: Real,
        offset: i64,
        places: u64,
        masses: impl Fn(u32) -> Result<Masses, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        Self::shifted(unit, Real::zero(), offset, places, masses)
    }

    /// The same with losses that are not whole multiples of the unit, but all are by the same amount beyond one.
    pub fn shifted(
        unit: Real,
        shift: Real,
        offset: i64,
        places: u64,
        masses: impl Fn(u32) -> Result<Masses, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        if unit.sign() != Some(Ordering::Greater) {
            return Err(Error::input(format!("the unit of a lattice must be positive, not {unit}")));
        }
        Ok(LatticePair { unit, shift, law: Law::Finite { offset, places, masses: Arc::new(masses) } })
    }

    /// From masses in fixed point: of these no more is known than is stored.
    pub(in crate::compose) fn listed(unit: Real, listing: Listing) -> Self {
        LatticePair { unit, shift: Real::zero(), law: Law::Listed(Arc::new(listing)) }
    }

    /// `N_Z(0, sigma2)` against `N_Z(D, sigma2)`, integer sensitivity `D >= 1`: losses `D (2j + D)/(2 sigma2)`.
    ///
    /// With X from P, `ln(P(X)/Q(X)) = ((X-D)^2 - X^2)/(2 sigma2) = D (D - 2X)/(2 sigma2)`, and `j = -X` has the law of
    /// X.
    pub fn discrete_gaussian(sigma2: Rational, sensitivity: Integer) -> Result<Self, Error> {
        if sigma2 <= 0 {
            return Err(Error::input(format!("sigma2 of a discrete Gaussian must be positive, not {sigma2}")));
        }
        if sensitivity < 1 {
            return Err(Error::input(format!("the sensitivity on a lattice must be at least 1, not {sensitivity}")));
        }
        let unit = Rational::from(&sensitivity) / &sigma2;
        let shift = Rational::from(&unit * &sensitivity) / 2_u32;
        let law = Law::DiscreteGaussian { sigma2, sensitivity };
        Ok(LatticePair { unit: Real::from(unit), shift: Real::from(shift), law })
    }

    /// A pair with finitely many losses that differ by whole multiples of one unit; `None` if they do not, or are so
    /// far apart in units that no array could hold them.
    ///
    /// # Errors
    /// Those of the pair.
    pub fn of(pair: &Discrete) -> Result<Option<Self>, Error> {
        match pair.law() {
            pair::Law::Response { epsilon, delta } => {
                Self::response(epsilon.clone(), delta.clone(), &Real::one()).map(Some)
            }
            pair::Law::SymmetricLattice { unit, largest, masses, .. } => {
                pair.check_length()?;
                let Ok(largest) = i64::try_from(*largest) else { return Ok(None) };
                let masses = Arc::clone(masses);
                let none = Number::zero;
                let all = move |bits| Ok(Masses { p: masses(bits), infinite_p: none(), infinite_q: none() });
                let places = largest.unsigned_abs().saturating_mul(2).saturating_add(1);
                Self::new(unit.clone(), -largest, places, all).map(Some)
            }
            pair::Law::Rational(_) => Self::rational(pair),
            pair::Law::Sample { .. } | pair::Law::Listed(_) => Ok(None),
        }
    }

    /// The worst (epsilon, delta)-DP pair: losses `+-epsilon`, two steps of their lattice apart, and delta on either
    /// side at infinity. With epsilon 0 there is one loss, on a lattice of any unit.
    ///
    /// # Errors
    /// Those of the pair; [`Error::Input`] for a unit that is not positive.
    pub fn response(epsilon: Real, delta: Real, unit: &Real) -> Result<Self, Error> {
        let pair = Discrete::response(epsilon.clone(), delta)?;
        let masses = move |bits| pair.masses(bits);
        if epsilon.is_zero() {
            return Self::new(unit.clone(), 0, 1, masses);
        }
        Self::shifted(epsilon.mul_rational(&2.into()), epsilon, -1, 2, masses)
    }

    fn rational(pair: &Discrete) -> Result<Option<Self>, Error> {
        let losses = pair.losses()?;
        let Some(base) = losses.first().cloned() else {
            return Ok(None);
        };
        let differences: Vec<Real> = losses.iter().map(|loss| loss.sub(&base)).collect();
        let (unit, steps) = match common_unit(differences.iter().filter(|x| !x.is_zero())) {
            Some(found) => found,
            // One loss only: any lattice will do.
            None if differences.iter().all(Real::is_zero) => (Real::one(), Vec::new()),
            None => return Ok(None),
        };
        let mut steps = steps.into_iter();
        let places: Option<Vec<i64>> = differences
            .iter()
            .map(|x| if x.is_zero() { Some(0) } else { steps.next().and_then(|n| n.to_i64()) })
            .collect();
        let Some(places) = places else { return Ok(None) };
        let least = places.iter().copied().min().unwrap_or(0);
        let most = places.iter().copied().max().unwrap_or(0);
        if most.saturating_sub(least) > super::MOST_POINTS as i64 {
            return Ok(None);
        }
        let Masses { p, infinite_p, infinite_q } = pair.masses(64)?;
        let mut masses = vec![Number::zero(); (most - least) as usize + 1];
        for (place, mass) in places.iter().zip(&p) {
            if let Some(slot) = usize::try_from(place - least).ok().and_then(|i| masses.get_mut(i)) {
                *slot = &*slot + mass;
            }
        }
        let masses = Masses { p: masses, infinite_p, infinite_q };
        let places = masses.p.len() as u64;
        Self::shifted(unit, base, least, places, move |_| Ok(masses.clone())).map(Some)
    }

    /// The unit of the losses.
    pub fn unit(&self) -> &Real {
        &self.unit
    }

    /// The variance of the loss under P, about: to plan with.
    pub(in crate::compose) fn variance(&self) -> Result<f64, Error> {
        Ok(super::tilt::Sketch::of(self)?.cumulants(0.0).variance)
    }

    /// Masses at plus infinity under P and at minus infinity under Q.
    pub(crate) fn infinite(&self, bits: u32) -> Result<(Number, Number), Error> {
        match &self.law {
            Law::Finite { masses, .. } => masses(bits).map(|masses| (masses.infinite_p, masses.infinite_q)),
            Law::DiscreteGaussian { .. } => Ok((Number::zero(), Number::zero())),
            Law::Listed(listing) => Ok((listing.infinite_p.clone(), listing.infinite_q.clone())),
        }
    }
}
