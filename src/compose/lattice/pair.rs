//! One pair of distributions on a lattice of losses: what a composition is made of.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::{Integer, Rational};

use super::super::leak::check_probability;
use super::super::masses::{FinitePair, MassFunction, Masses};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real, common_unit, signs};

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
    /// `offset + i = j` with mass proportional to `e^(-j^2/(2 sigma2))`; the unit is `D/sigma2`, the shift `D^2/(2 sigma2)`.
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
    /// From a unit, the least loss in units, how many masses there are, and these as a function of the precision: each call
    /// must enclose the same numbers, and give so many of them.
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
            return Err(Error::input(format!("the unit of a lattice must be positive, but it is {unit}")));
        }
        Ok(LatticePair { unit, shift, law: Law::Finite { offset, places, masses: Arc::new(masses) } })
    }

    /// From masses in fixed point: of these no more is known than is stored.
    pub(in crate::compose) fn listed(unit: Real, listing: Listing) -> Self {
        LatticePair { unit, shift: Real::zero(), law: Law::Listed(Arc::new(listing)) }
    }

    /// `N_Z(0, sigma2)` against `N_Z(D, sigma2)`, integer sensitivity `D >= 1`: losses `D (2j + D)/(2 sigma2)`.
    ///
    /// With X from P, `ln(P(X)/Q(X)) = ((X-D)^2 - X^2)/(2 sigma2) = D (D - 2X)/(2 sigma2)`, and `j = -X` has the law of X.
    pub fn discrete_gaussian(sigma2: Rational, sensitivity: Integer) -> Result<Self, Error> {
        if sigma2 <= 0 {
            return Err(Error::input(format!("the discrete Gaussian needs sigma2 > 0, not {sigma2}")));
        }
        if sensitivity < 1 {
            return Err(Error::input(format!("a sensitivity on a lattice of losses is at least 1, not {sensitivity}")));
        }
        let unit = Rational::from(&sensitivity) / &sigma2;
        let shift = Rational::from(&unit * &sensitivity) / 2_u32;
        let law = Law::DiscreteGaussian { sigma2, sensitivity };
        Ok(LatticePair { unit: Real::from(unit), shift: Real::from(shift), law })
    }

    /// A finite pair of rational distributions whose finite losses differ by whole multiples of one unit; `None` if they do
    /// not, or are so far apart in units that no array could hold them.
    pub fn finite(p: &[Rational], q: &[Rational]) -> Result<Option<Self>, Error> {
        let pair = FinitePair::new(p, q)?;
        let Some(base) = pair.losses.first().cloned() else {
            return Ok(None);
        };
        let differences: Vec<Real> = pair.losses.iter().map(|loss| loss.sub(&base)).collect();
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
        let mut masses = vec![Rational::new(); (most - least) as usize + 1];
        for (place, mass) in places.iter().zip(&pair.p) {
            if let Some(slot) = usize::try_from(place - least).ok().and_then(|i| masses.get_mut(i)) {
                *slot += mass;
            }
        }
        let masses = Masses {
            p: masses.into_iter().map(Number::Exact).collect(),
            infinite_p: Number::Exact(pair.infinite_p),
            infinite_q: Number::Exact(pair.infinite_q),
        };
        let places = masses.p.len() as u64;
        Self::shifted(unit, base, least, places, move |_| Ok(masses.clone())).map(Some)
    }

    /// The worst (epsilon, delta)-DP pair: losses +-eps, and delta on either side at infinity.
    pub fn randomized_response(epsilon: Real, delta: Real) -> Result<Self, Error> {
        Self::two_points(epsilon, 1, delta)
    }

    /// The worst (steps * unit, delta)-DP pair.
    pub fn two_points(unit: Real, steps: u32, delta: Real) -> Result<Self, Error> {
        check_probability(&delta, "delta", &Budget::default())?;
        // With no steps between them the two points are one. Otherwise they are two steps of the lattice apart.
        let stride = if steps == 0 { unit.clone() } else { unit.mul_rational(&Rational::from(u64::from(steps) * 2)) };
        let shift = if steps == 0 { Real::zero() } else { unit.mul_rational(&Rational::from(steps)) };
        let exponent = unit;
        let (first, places) = if steps == 0 { (0, 1) } else { (-1, 2) };
        Self::shifted(stride, shift, first, places, move |bits| {
            let delta = delta.number(bits);
            let kept = &Number::one() - &delta;
            let y = (&Number::one() / &exponent.exp_number(bits)).pow(u64::from(steps));
            let high = &kept / &(&Number::one() + &y);
            let low = &high * &y;
            let p = if steps == 0 { vec![&low + &high] } else { vec![low, high] };
            Ok(Masses { p, infinite_p: delta.clone(), infinite_q: delta })
        })
    }

    /// Geometric noise `p(j) = (x-1)/(x+1) x^-|j|` against itself shifted by the sensitivity D: losses `eps (D - 2j)`, `0 <= j
    /// <= D`; both tails of the noise collapse into the extreme losses.
    pub fn geometric(epsilon: Real, sensitivity: u32) -> Result<Self, Error> {
        let exponent = epsilon.clone();
        let places = 2 * u64::from(sensitivity) + 1;
        Self::new(epsilon, -i64::from(sensitivity), places, move |bits| {
            let y = base(&exponent, places, bits);
            let sum = &Number::one() + &y;
            let spread = &one_minus_exp_neg(&exponent, bits) / &sum;
            let mut p = vec![Number::zero(); 2 * sensitivity as usize + 1];
            for j in 0..=sensitivity {
                let mass = match j {
                    _ if sensitivity == 0 => Number::one(),
                    0 => &Number::one() / &sum,
                    j if j == sensitivity => &y.pow(u64::from(j)) / &sum,
                    j => &spread * &y.pow(u64::from(j)),
                };
                if let Some(slot) = p.get_mut(2 * (sensitivity - j) as usize) {
                    *slot = mass;
                }
            }
            Ok(Masses { p, infinite_p: Number::zero(), infinite_q: Number::zero() })
        })
    }

    /// Staircase noise of parameters epsilon and gamma (Geng, Viswanath), made for sensitivity 1, against itself shifted by D.
    ///
    /// The density is `a b^s(|y|)`, `b = e^-eps`, `s(y) = floor(y) + [y - floor(y) >= gamma]`, so the loss is `eps (s(|y-D|) -
    /// s(|y|))`: D below 0, -D above D, and constant on three cells of each unit between.
    pub fn staircase(epsilon: Real, gamma: Real, sensitivity: u32) -> Result<Self, Error> {
        let budget = Budget::default();
        check_probability(&gamma, "gamma", &budget)?;
        let half = Real::from(Rational::from((1, 2)));
        let narrow = signs::compare(&gamma, &half, &budget)?
            .ok_or_else(|| Error::undecided(format!("the order of gamma = {gamma} and 1/2 is not decided")))?
            == Ordering::Less;
        let exponent = epsilon.clone();
        let places = 2 * u64::from(sensitivity) + 1;
        Self::new(epsilon, -i64::from(sensitivity), places, move |bits| {
            let one = Number::one();
            let b = base(&exponent, places, bits);
            let gamma = gamma.number(bits);
            let rest = &one - &gamma;
            let two = Number::from(Integer::from(2));
            let a = &one_minus_exp_neg(&exponent, bits) / &(&two * &(&gamma + &(&b * &rest)));
            let mut p = vec![Number::zero(); 2 * sensitivity as usize + 1];
            let mut add = |step: i64, mass: Number| {
                let slot = usize::try_from(step + i64::from(sensitivity)).ok();
                if let Some(slot) = slot.and_then(|slot| p.get_mut(slot)) {
                    *slot = &*slot + &mass;
                }
            };
            let d = i64::from(sensitivity);
            let share = Number::from(Rational::from((1, 2)));
            add(d, share.clone());
            add(-d, &share * &b.pow(u64::from(sensitivity)));
            let side = if narrow { gamma.clone() } else { rest };
            let centre = &one - &(&two * &side);
            for n in 0..sensitivity {
                let level = &a * &b.pow(u64::from(n));
                let next = &level * &b;
                let n = i64::from(n);
                add(d - 2 * n, &side * &level);
                add(d - 2 * n - 1, &centre * if narrow { &next } else { &level });
                add(d - 2 * n - 2, &side * &next);
            }
            Ok(Masses { p, infinite_p: Number::zero(), infinite_q: Number::zero() })
        })
    }

    /// The unit of the losses.
    pub fn unit(&self) -> &Real {
        &self.unit
    }

    /// How many masses are listed; none of a law that has no end.
    pub(in crate::compose) fn places(&self) -> u64 {
        if let Law::Finite { places, .. } = &self.law { *places } else { 0 }
    }

    /// The variance of the loss under P, about: to plan with.
    pub(in crate::compose) fn variance(&self) -> Result<f64, Error> {
        Ok(super::tilt::Sketch::of(self)?.cumulants(0.0).variance)
    }

    /// The same pair on the finer lattice of a unit that `steps` times makes its own. The losses are what they were: a
    /// composition finds the lattice of all its pairs itself, and none is stored more finely than it need be.
    pub fn refined(&self, _unit: &Real, _steps: u32) -> Result<Self, Error> {
        Ok(self.clone())
    }

    /// The finite losses in units, with their masses under P; those of mass exactly zero are left out.
    ///
    /// # Errors
    /// [`Error::Undecided`] if the losses are not whole multiples of the unit, or not finitely many.
    pub fn losses(&self, bits: u32) -> Result<Vec<(i64, Number)>, Error> {
        let Law::Finite { offset, masses, .. } = &self.law else {
            return Err(Error::Undecided("these losses are not finitely many, or not known one by one".into()));
        };
        if !self.shift.is_zero() {
            return Err(Error::Undecided("these losses are not whole multiples of their unit".into()));
        }
        let listed = (*offset..).zip(masses(bits)?.p);
        Ok(listed.filter(|(_, mass)| mass.sign() != Some(Ordering::Equal)).collect())
    }

    /// The largest (or the least) loss of the lattice, whether it has mass or not; `None` if there is no such loss.
    pub(super) fn end(&self, largest: bool) -> Result<Option<Real>, Error> {
        let Law::Finite { offset, places, .. } = &self.law else { return Ok(None) };
        let last = if largest { Integer::from(*places) - 1u32 } else { Integer::new() };
        let place = Rational::from(last + *offset);
        Ok(Some(self.shift.add(&self.unit.mul_rational(&place))))
    }

    /// The largest loss with positive mass, or minus the least; zero if there is no finite loss; `None` if there are losses
    /// beyond any.
    pub(super) fn extreme_loss(&self, backward: bool) -> Result<Option<Real>, Error> {
        let Law::Finite { offset, masses, .. } = &self.law else { return Ok(None) };
        let masses = masses(128)?.p;
        let positive = |(i, mass): (usize, &Number)| match mass.exact() {
            Some(mass) if *mass == 0 => None,
            _ => Some((i, mass.sign() == Some(Ordering::Greater))),
        };
        let mut all = masses.iter().enumerate();
        let end = if backward { all.find_map(positive) } else { all.rev().find_map(positive) };
        match end {
            Some((i, true)) => {
                let loss = self.shift.add(&self.unit.mul_rational(&Rational::from(offset.saturating_add(i as i64))));
                Ok(Some(if backward { loss.neg() } else { loss }))
            }
            Some((_, false)) => {
                Err(Error::Undecided("whether the largest loss has positive mass is not decided".into()))
            }
            // No finite loss at all.
            None => Ok(Some(Real::zero())),
        }
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

/// Bits of all numerators of an exact list of masses together.
pub(super) const EXACT_BITS: u64 = 1 << 26;

/// `e^-x`, of which so many powers will be listed: exact only if these are not too long together.
fn base(x: &Real, places: u64, bits: u32) -> Number {
    match x.exp_number(bits) {
        Number::Exact(value) if !fits_exactly(&value, places) => {
            Number::Enclosed(Enclosure::rational(&value, bits).recip())
        }
        value => &Number::one() / &value,
    }
}

/// Have the powers of a fraction up to this one no more than [`EXACT_BITS`] together?
pub(super) fn fits_exactly(step: &Rational, places: u64) -> bool {
    let bits = u64::from(step.numer().significant_bits());
    places.saturating_mul(places).saturating_mul(bits) <= EXACT_BITS
}

/// `1 - e^-x`, relatively narrow for small x too; exact if `e^x` is rational.
fn one_minus_exp_neg(x: &Real, bits: u32) -> Number {
    match x.exp_rational() {
        Some(x) => Number::Exact(1 - x.recip()),
        None => Number::Enclosed(-(-x.enclosure(bits)).expm1()),
    }
}
