//! Pairs with finitely many losses: exact log-ratios, masses at any precision, mass at infinity on either side.
//!
//! A law says how losses and masses come about; [`losses`](Discrete::losses), [`masses`](Discrete::masses) and
//! [`outcomes`](Discrete::outcomes) are the same questions to all of them. **What is certified.** Losses are exact
//! constants. Each mass is enclosed with full relative accuracy, and exact where it is rational: it is a sum or a
//! product of nonnegative numbers, or `1 - e^-x` from `expm1`.
//!
//! **The sample.** Where the pair inside has masses `p`, `q > 0` the sample has `q + r (p - q)` and `q`, and the loss
//! `ln(1 + r (e^l - 1))`. The P-mass where Q has none is revealed with probability r: loss `+infinity`, mass `r p`. The
//! Q-mass where P has none is not, for the record may be absent from the sample: loss `ln(1-r)`, masses `(1-r) q` and
//! `q`.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use rug::Rational;

use super::{FinitePair, List, Shuffled};
use crate::error::Error;
use enclosure::{Enclosure, Number, Real};

/// The masses of a pair at one precision.
#[derive(Clone, Debug)]
pub struct Masses {
    /// P-masses of the finite losses, in the order in which the losses are listed; on a lattice, from the least loss
    /// up.
    pub p: Vec<Number>,
    /// P-mass where Q has none (loss plus infinity).
    pub infinite_p: Number,
    /// Q-mass where P has none (loss minus infinity).
    pub infinite_q: Number,
}

impl Masses {
    /// Can these be the masses of two distributions, where the finite losses are these? Q has `p e^(-loss)`. Masses
    /// that are not exact are taken for what encloses them: only a certain no is one.
    pub(crate) fn is_pair(&self, losses: &[Real], bits: u32) -> bool {
        let likelihood = |loss: &Real| (-loss.enclosure(bits.saturating_add(64))).exp().with_bits(bits);
        let q: Vec<Number> =
            self.p.iter().zip(losses).map(|(p, loss)| p * &Number::Enclosed(likelihood(loss))).collect();
        [(&self.p, &self.infinite_p), (&q, &self.infinite_q)].into_iter().all(|(masses, infinite)| {
            let total = masses.iter().fold(infinite.clone(), |sum, mass| &sum + mass);
            let one = match &total {
                Number::Exact(total) => *total == 1,
                Number::Enclosed(total) => total.contains(&Rational::from(1)),
            };
            one && masses.iter().chain([infinite]).all(|mass| mass.sign() != Some(Ordering::Less))
        })
    }
}

/// Masses by precision: each call encloses the same numbers, and gives as many of them.
pub type MassFunction = Arc<dyn Fn(u32) -> Result<Masses, Error> + Send + Sync>;

/// Masses as exact constants.
pub type Constants = Arc<dyn Fn() -> Result<Vec<Real>, Error> + Send + Sync>;

/// One loss and its masses.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `ln(p/q)`.
    pub loss: Enclosure,
    /// The mass under the first distribution.
    pub p: Number,
    /// The mass under the second.
    pub q: Number,
}

/// All losses with both masses.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The finite losses, in no order; equal ones may appear twice.
    pub finite: Vec<Outcome>,
    /// The mass under the first distribution where the second has none.
    pub infinite_p: Number,
    /// The mass under the second distribution where the first has none.
    pub infinite_q: Number,
}

/// What losses on a lattice are those of.
#[derive(Clone, Debug)]
pub enum Noise {
    /// Of what is known by its list alone.
    Listed,
    /// Two-sided geometric noise, whose rate is the unit.
    Geometric,
    /// Staircase noise, whose steps fall by the unit.
    Staircase {
        /// Where in a step the density falls.
        gamma: Real,
        /// Is gamma below 1/2?
        narrow: bool,
    },
    /// Of a sample of a fixed share of the records, under a worst (epsilon, delta) mechanism, where nothing fails, or
    /// under staircase noise moved by 1.
    Share {
        /// Strictly between 0 and 1.
        rate: Real,
        /// Greater than 0.
        epsilon: Real,
        /// Below 1.
        delta: Real,
        /// Of staircase noise.
        gamma: Option<Real>,
    },
}

/// How losses and masses come about.
#[derive(Clone)]
pub enum Law {
    /// The worst (epsilon, delta)-DP pair: delta at infinity on either side, losses `-epsilon`, `epsilon` otherwise,
    /// with masses `(1-delta)/(1+x)` and `(1-delta) x/(1+x)` under P, `x = e^epsilon`. With epsilon 0 there is one
    /// finite loss.
    Response {
        /// At least 0.
        epsilon: Real,
        /// A probability.
        delta: Real,
    },
    /// Losses `-largest unit, ..., largest unit`, no mass at infinity; the mass of a loss under P is that of minus the
    /// loss under Q.
    SymmetricLattice {
        /// Greater than 0.
        unit: Real,
        /// The largest loss in units.
        largest: u64,
        /// What it is, moved by `largest`, if it has formulas without its list.
        noise: Noise,
        /// P-masses from the least loss up, `2 largest + 1` of them; none is there where it is exactly zero.
        masses: Arc<dyn Fn(u32) -> Vec<Number> + Send + Sync>,
        /// The same as constants, where they are known.
        constants: Option<Constants>,
    },
    /// Rational masses.
    Rational(FinitePair),
    /// A Poisson sample of another pair.
    Sample {
        /// Strictly between 0 and 1.
        rate: Real,
        /// The pair inside.
        inner: Box<Discrete>,
    },
    /// A list of constants.
    Listed(Arc<List>),
}

/// A pair with finitely many losses.
#[derive(Clone)]
pub struct Discrete {
    kind: &'static str,
    law: Law,
}

/// Losses that are enumerated at most; a lattice may have more.
const LONGEST: u64 = 1 << 20;

/// The largest loss, in units, of a lattice whose sample is enumerated: its losses have no lattice any more.
const LONGEST_SAMPLED: u64 = 4096;

impl Discrete {
    /// The worst (epsilon, delta)-DP pair (Kairouz, Oh and Viswanath, equation 25).
    ///
    /// # Errors
    /// [`Error::Input`] outside of `epsilon >= 0`, `0 <= delta <= 1`.
    pub fn response(epsilon: Real, delta: Real) -> Result<Self, Error> {
        for value in [&epsilon, &delta, &Real::one().sub(&delta)] {
            let which = || format!("epsilon = {epsilon}, delta = {delta}");
            match value.sign() {
                Some(Ordering::Less) => {
                    return Err(Error::input(format!(
                        "epsilon must be at least 0 and delta between 0 and 1, not {}",
                        which()
                    )));
                }
                Some(_) => {}
                None => return Err(Error::undecided(format!("cannot decide whether {} is in range", which()))),
            }
        }
        Ok(Discrete { kind: "(epsilon, delta) mechanism", law: Law::Response { epsilon, delta } })
    }

    /// Losses on a symmetric lattice; `kind` names such mechanisms in messages.
    ///
    /// `masses` gives the P-masses of the losses `-largest unit, ..., largest unit`, the same at each precision. It is
    /// up to the caller that they add up to one and that `p(-l) = p(l) e^-l`.
    ///
    /// # Errors
    /// [`Error::Input`] for a unit that is not positive.
    pub fn symmetric_lattice(
        kind: &'static str,
        unit: Real,
        largest: u64,
        masses: impl Fn(u32) -> Vec<Number> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        if unit.sign() != Some(Ordering::Greater) {
            return Err(Error::input(format!("the unit of a lattice must be positive, not {unit}")));
        }
        Ok(Discrete {
            kind,
            law: Law::SymmetricLattice {
                unit,
                largest,
                noise: Noise::Listed,
                masses: Arc::new(masses),
                constants: None,
            },
        })
    }

    /// The same, with its masses as constants, too: as many, and in the same order.
    pub fn with_constants(mut self, exactly: impl Fn() -> Result<Vec<Real>, Error> + Send + Sync + 'static) -> Self {
        if let Law::SymmetricLattice { constants, .. } = &mut self.law {
            *constants = Some(Arc::new(exactly));
        }
        self
    }

    /// The P-masses of a lattice, from the least loss up, as constants, where they are known.
    ///
    /// # Errors
    /// Those of constants that grow too large.
    pub(crate) fn constants(&self) -> Result<Option<Vec<Real>>, Error> {
        match &self.law {
            Law::SymmetricLattice { constants: Some(constants), .. } => constants().map(Some),
            _ => Ok(None),
        }
    }

    /// The same as noise of this kind: run once it has formulas, with no list.
    pub fn known_as(mut self, known: Noise) -> Self {
        if let Law::SymmetricLattice { noise, .. } = &mut self.law {
            *noise = known;
        }
        self
    }

    /// Rational masses.
    pub fn rational(pair: FinitePair) -> Self {
        Discrete { kind: "finite pair", law: Law::Rational(pair) }
    }

    /// A list of outcomes; `kind` names such mechanisms in messages.
    pub(super) fn listed(kind: &'static str, list: List) -> Self {
        Discrete { kind, law: Law::Listed(Arc::new(list)) }
    }

    /// The list of few shuffled reports.
    pub fn of_reports(reports: &Shuffled) -> Option<Self> {
        Some(Discrete::listed("shuffled mechanism", reports.list()?))
    }

    /// The sample with this rate, which is strictly between 0 and 1.
    pub(super) fn sampled(self, rate: Real) -> Self {
        Discrete { kind: "subsampled mechanism", law: Law::Sample { rate, inner: Box::new(self) } }
    }

    /// Name of such mechanisms in messages; with an `s` it is the plural.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// How losses and masses come about.
    pub fn law(&self) -> &Law {
        &self.law
    }

    /// Is the law of the loss under P certainly that of minus the loss under Q?
    pub fn symmetric(&self) -> bool {
        matches!(self.law, Law::Response { .. } | Law::SymmetricLattice { .. })
    }

    /// `(epsilon, delta)` of the worst (epsilon, delta)-DP pair, if it is one.
    pub fn as_response(&self) -> Option<(&Real, &Real)> {
        match &self.law {
            Law::Response { epsilon, delta } => Some((epsilon, delta)),
            _ => None,
        }
    }

    /// `(rate, sensitivity)` of two-sided geometric noise, if it was made of that.
    pub fn as_geometric(&self) -> Option<(&Real, u64)> {
        match &self.law {
            Law::SymmetricLattice { unit, largest, noise: Noise::Geometric, .. } => Some((unit, *largest)),
            _ => None,
        }
    }

    /// Epsilon and gamma of staircase noise, whether gamma is below 1/2, and how far it is moved.
    pub fn as_staircase(&self) -> Option<(&Real, &Real, bool, u64)> {
        match &self.law {
            Law::SymmetricLattice { unit, largest, noise: Noise::Staircase { gamma, narrow }, .. } => {
                Some((unit, gamma, *narrow, *largest))
            }
            _ => None,
        }
    }

    /// The share of the records, the (epsilon, delta) of what is run on them, and gamma where that is staircase noise,
    /// if it is a sample of this kind.
    pub fn as_share(&self) -> Option<([&Real; 3], Option<&Real>)> {
        match &self.law {
            Law::SymmetricLattice { noise: Noise::Share { rate, epsilon, delta, gamma }, .. } => {
                Some(([rate, epsilon, delta], gamma.as_ref()))
            }
            _ => None,
        }
    }

    /// How many masses of a lattice are listed.
    pub(crate) fn places(&self) -> u64 {
        if let Law::SymmetricLattice { largest, .. } = &self.law {
            largest.saturating_mul(2).saturating_add(1)
        } else {
            0
        }
    }

    /// Check that the losses of a lattice can be listed.
    pub(crate) fn check_length(&self) -> Result<(), Error> {
        match &self.law {
            Law::SymmetricLattice { largest, .. } if *largest > LONGEST => {
                Err(Error::undecided(format!("a sensitivity of {largest} gives more than {LONGEST} privacy losses")))
            }
            _ => Ok(()),
        }
    }

    /// Are there few enough losses to be enumerated without a lattice?
    pub(super) fn is_short(&self) -> bool {
        match &self.law {
            Law::SymmetricLattice { largest, .. } => *largest <= LONGEST_SAMPLED,
            Law::Response { .. } | Law::Rational(_) | Law::Listed(_) => true,
            Law::Sample { inner, .. } => inner.is_short(),
        }
    }

    /// The finite losses, exactly. Those on a lattice leave out what has no mass.
    ///
    /// # Errors
    /// [`Error::Undecided`] for too many of them; those of constants that grow too large.
    pub fn losses(&self) -> Result<Vec<Real>, Error> {
        Ok(match &self.law {
            Law::Response { epsilon, .. } if epsilon.is_zero() => vec![Real::zero()],
            Law::Response { epsilon, .. } => vec![epsilon.neg(), epsilon.clone()],
            Law::SymmetricLattice { unit, .. } => {
                let loss = |(step, _): (i64, Number)| unit.mul_rational(&Rational::from(step));
                self.steps(64)?.into_iter().map(loss).collect()
            }
            Law::Rational(pair) => {
                let both = pair.outcomes().filter(|(p, q)| !p.is_zero() && !q.is_zero());
                both.map(|(p, q)| Real::from(Rational::from(p / q)).ln()).collect::<Result<_, _>>()?
            }
            Law::Sample { rate, inner } => {
                // ln(1 + r (e^l - 1)) from e^l.
                let one = Real::one();
                let sampled = |ratio: &Real| one.add(&rate.mul(&ratio.sub(&one))?).ln();
                let inside = if inner.only_fails() { Vec::new() } else { inner.losses()? };
                let mut losses = inside.iter().map(|loss| sampled(&loss.exp()?)).collect::<Result<Vec<_>, Error>>()?;
                if !is_zero(&inner.infinite_q(64)) {
                    losses.push(sampled(&Real::zero())?);
                }
                losses
            }
            Law::Listed(list) => list.losses(),
        })
    }

    /// Their P-masses, in the order of [`losses`](Self::losses), and the masses at infinity.
    ///
    /// # Errors
    /// [`Error::Undecided`] for too many losses.
    pub fn masses(&self, bits: u32) -> Result<Masses, Error> {
        let finite = |p| Masses { p, infinite_p: Number::zero(), infinite_q: Number::zero() };
        Ok(match &self.law {
            Law::Response { epsilon, delta } => {
                let delta = delta.number(bits);
                let kept = &Number::one() - &delta;
                let p = if epsilon.is_zero() {
                    vec![kept]
                } else {
                    let down = &Number::one() / &epsilon.exp_number(bits);
                    let likely = &kept / &(&Number::one() + &down);
                    vec![&likely * &down, likely]
                };
                Masses { p, infinite_p: delta.clone(), infinite_q: delta }
            }
            Law::SymmetricLattice { .. } => finite(self.steps(bits)?.into_iter().map(|(_, mass)| mass).collect()),
            Law::Rational(pair) => {
                let only = |own: bool| -> Rational {
                    let mass = |(p, q)| if own { (p, q) } else { (q, p) };
                    pair.outcomes()
                        .map(mass)
                        .filter(|(_, other): &(_, &Rational)| other.is_zero())
                        .map(|(p, _)| p)
                        .sum()
                };
                let both = pair.outcomes().filter(|(p, q)| !p.is_zero() && !q.is_zero());
                Masses {
                    p: both.map(|(p, _)| Number::Exact(p.clone())).collect(),
                    infinite_p: Number::Exact(only(true)),
                    infinite_q: Number::Exact(only(false)),
                }
            }
            Law::Sample { .. } => {
                let Outcomes { finite, infinite_p, infinite_q } = self.outcomes(bits)?;
                Masses { p: finite.into_iter().map(|outcome| outcome.p).collect(), infinite_p, infinite_q }
            }
            Law::Listed(list) => list.masses(bits),
        })
    }

    /// The losses to about `bits` bits with both masses, equally many and in the same order at each precision; masses
    /// are exact where they are rational, and losses relatively accurate however near to zero they are.
    ///
    /// # Errors
    /// [`Error::Undecided`] for too many losses.
    pub fn outcomes(&self, bits: u32) -> Result<Outcomes, Error> {
        match &self.law {
            Law::Response { .. } | Law::SymmetricLattice { .. } => {
                let Masses { p, infinite_p, infinite_q } = self.masses(bits)?;
                let losses = self.losses()?;
                if losses.len() != p.len() {
                    return Err(Error::Undecided("cannot decide whether a mass is zero".into()));
                }
                // Losses come by size, and the mirror image of a loss has its Q-mass.
                let both = losses.iter().zip(p.iter().zip(p.iter().rev()));
                let outcome = |(loss, (p, q)): (&Real, (&Number, &Number))| Outcome {
                    loss: loss.enclosure(bits),
                    p: p.clone(),
                    q: q.clone(),
                };
                let finite = if self.only_fails() { Vec::new() } else { both.map(outcome).collect() };
                Ok(Outcomes { finite, infinite_p, infinite_q })
            }
            Law::Rational(pair) => {
                let Masses { infinite_p, infinite_q, .. } = self.masses(bits)?;
                let both = pair.outcomes().filter(|(p, q)| !p.is_zero() && !q.is_zero());
                let outcome = |(p, q): (&Rational, &Rational)| Outcome {
                    loss: Enclosure::rational(&(Rational::from(p / q) - 1_u32), bits).log1p(),
                    p: Number::Exact(p.clone()),
                    q: Number::Exact(q.clone()),
                };
                Ok(Outcomes { finite: both.map(outcome).collect(), infinite_p, infinite_q })
            }
            Law::Sample { rate, inner } => {
                let Outcomes { finite, infinite_p, infinite_q } = inner.outcomes(bits)?;
                let (rate, set) = (rate.number(bits), rate.enclosure(bits));
                let mix = |p: &Number, q: &Number| q + &(&rate * &(p - q));
                let sampled =
                    |Outcome { loss, p, q }| Outcome { loss: (&set * &loss.expm1()).log1p(), p: mix(&p, &q), q };
                let mut finite: Vec<Outcome> = finite.into_iter().map(sampled).collect();
                if !is_zero(&infinite_q) {
                    finite.push(Outcome { loss: (-&set).log1p(), p: mix(&Number::zero(), &infinite_q), q: infinite_q });
                }
                Ok(Outcomes { finite, infinite_p: &rate * &infinite_p, infinite_q: Number::zero() })
            }
            Law::Listed(list) => Ok(list.outcomes(bits)),
        }
    }

    /// The whole pair in fractions, if that is what its masses are.
    ///
    /// # Errors
    /// [`Error::Undecided`] for too many losses.
    pub fn fractions(&self) -> Result<Option<FinitePair>, Error> {
        match &self.law {
            Law::Rational(pair) => return Ok(Some(pair.clone())),
            Law::Sample { rate, .. } if rate.as_rational().is_none() => return Ok(None),
            _ => {}
        }
        let Outcomes { finite, infinite_p, infinite_q } = self.outcomes(64)?;
        let ends = [(infinite_p, Number::zero()), (Number::zero(), infinite_q)];
        let ends = ends.into_iter().filter(|(p, q)| !is_zero(p) || !is_zero(q));
        let all = finite.into_iter().map(|Outcome { p, q, .. }| (p, q)).chain(ends);
        let exact = all.map(|(p, q)| Some((p.exact()?.clone(), q.exact()?.clone())));
        let Some((p, q)) = exact.collect::<Option<(Vec<_>, Vec<_>)>>() else { return Ok(None) };
        FinitePair::new(p, q).map(Some)
    }

    /// Losses on a lattice that have mass, in units, with their P-masses.
    ///
    /// # Errors
    /// [`Error::Undecided`] for too many losses.
    pub(crate) fn steps(&self, bits: u32) -> Result<Vec<(i64, Number)>, Error> {
        let Law::SymmetricLattice { largest, masses, .. } = &self.law else { return Ok(Vec::new()) };
        self.check_length()?;
        let first = i64::try_from(*largest).map_or(i64::MIN, |largest| -largest);
        Ok((first..).zip(masses(bits)).filter(|(_, mass)| !is_zero(mass)).collect())
    }

    /// Are P and Q certainly disjoint?
    fn only_fails(&self) -> bool {
        match &self.law {
            Law::Response { epsilon, delta } => !epsilon.is_zero() && is_zero(&(&Number::one() - &delta.number(64))),
            _ => false,
        }
    }

    fn infinite_q(&self, bits: u32) -> Number {
        match &self.law {
            Law::Response { delta, .. } => delta.number(bits),
            Law::Rational(pair) => {
                Number::Exact(pair.outcomes().filter(|(p, _)| p.is_zero()).map(|(_, q)| q).sum::<Rational>())
            }
            Law::Listed(list) => list.infinite_q.number(bits),
            Law::SymmetricLattice { .. } | Law::Sample { .. } => Number::zero(),
        }
    }
}

impl fmt::Debug for Discrete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discrete").field("kind", &self.kind).finish_non_exhaustive()
    }
}

fn is_zero(mass: &Number) -> bool {
    mass.sign() == Some(Ordering::Equal)
}
