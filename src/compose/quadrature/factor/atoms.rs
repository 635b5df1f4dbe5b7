//! Finitely many losses: randomised response, geometric and staircase noise, finite pairs.
//!
//! `M(s) = sum_j m_j e^(s l_j)`, entire. The modulus never decays for good, but turns away from the real axis lower it:
//! with `w_j = m_j e^(c l_j)/M(c)`, which sum to one,
//!
//! `|M(c+iu)|^2/M(c)^2 = 1 - sum_(i<j) 2 w_i w_j (1 - cos(u (l_i - l_j)))`,
//!
//! all terms of the sum nonnegative, so that any of them may be kept and the others dropped.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use rug::Rational;
use rug::float::Round::Down;

use super::super::wide::{DISC_BITS, Listed, WideMoments};
use super::fixed_values::FixedValues;
use super::listed_decay::ListedDecay;
use super::turning::Turning;
use super::{Decay, Factor, FixedMoments, LatticeSpan, LossBound, Moments, VerticalContour, coarse_list};
use crate::error::Error;
use crate::pair::{MassFunction, Masses};
use enclosure::{Budget, Complex, Enclosure, Number, Portable, Real, common_unit, work};

/// Precision of bounds.
const BOUND_BITS: u32 = 64;
/// Precision of what becomes integers.
pub(super) const FIXED_BITS: u32 = 96;
/// Pairs of losses that the bound of the modulus looks at.
const PAIRS: usize = 6;
/// Every so many losses somebody looks at the time.
const LOOKS: usize = 64;

/// A pair of distributions with finitely many finite losses.
#[derive(Clone)]
pub struct Atoms {
    name: String,
    losses: Vec<Real>,
    span: Option<LatticeSpan>,
    masses: MassFunction,
    /// `(l, ln m)` in doubles, for the search.
    sketch: Vec<(f64, f64)>,
    /// The least and the largest loss, once they were asked for: constants take time to compare.
    ends: OnceLock<(LossBound, LossBound)>,
}

impl Atoms {
    /// From the finite losses and their masses as a function of the precision; each call must enclose the same numbers.
    ///
    /// # Errors
    /// [`Error::Input`] for masses that, as far as 64 bits tell, are not those of two distributions.
    pub fn new(
        name: impl Into<String>,
        losses: Vec<Real>,
        masses: impl Fn(u32) -> Result<Masses, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let listed = masses(64)?;
        let known = &listed.p;
        if known.len() != losses.len() || losses.is_empty() {
            return Err(Error::Undecided("the quadrature requires a pair with finite privacy losses".into()));
        }
        if !listed.is_pair(&losses, 64) {
            return Err(Error::input(
                "the masses of finite and infinite privacy losses are not those of two \
                                     distributions",
            ));
        }
        let log = |mass: &Number| mass.enclosure(64).ln();
        let sketch = losses
            .iter()
            .zip(known)
            .map(|(loss, mass)| (loss.to_f64(), f64::midpoint(log(mass).lower().to_f64(), log(mass).upper().to_f64())))
            .collect();
        let span = span(&losses);
        Ok(Atoms { name: name.into(), losses, span, masses: Arc::new(masses), sketch, ends: OnceLock::new() })
    }

    /// The masses as enclosures.
    fn enclosed(&self, bits: u32) -> Result<Vec<Enclosure>, Error> {
        Ok((self.masses)(bits)?.p.iter().map(|mass| mass.enclosure(bits)).collect())
    }

    /// `m_j e^(c l_j)`.
    fn tilted(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Vec<Enclosure>, Error> {
        let wide = bits.saturating_add(64);
        let c = Enclosure::rational(c, wide);
        let weigh = |(i, (mass, loss)): (usize, (Enclosure, &Real))| {
            if i % LOOKS == 0 {
                budget.check()?;
            }
            Ok(&mass * &(&c * &loss.enclosure(wide)).exp().with_bits(bits))
        };
        self.enclosed(bits)?.into_iter().zip(&self.losses).enumerate().map(weigh).collect()
    }
}

/// The coarsest lattice of these losses, if all differences are rational multiples of one of them.
fn span(losses: &[Real]) -> Option<LatticeSpan> {
    let first = losses.first()?;
    let differences: Vec<Real> = losses.iter().map(|loss| loss.sub(first)).filter(|gap| !gap.is_zero()).collect();
    let unit = if differences.is_empty() { Real::one() } else { common_unit(&differences)?.0 };
    Some(LatticeSpan { unit, offset: first.clone() })
}

impl Factor for Atoms {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn span(&self) -> Option<LatticeSpan> {
        self.span.clone()
    }

    fn range(&self) -> (LossBound, LossBound) {
        let extreme = |wanted: Ordering| {
            let mut all = self.losses.iter();
            let first = all.next()?.clone();
            all.try_fold(first, |best, loss| Some(if loss.compare(&best)? == wanted { loss.clone() } else { best }))
        };
        self.ends.get_or_init(|| (extreme(Ordering::Less).into(), extreme(Ordering::Greater).into())).clone()
    }

    fn infinite_p(&self, bits: u32) -> Number {
        (self.masses)(bits).map_or(Number::Enclosed(Enclosure::whole(bits)), |masses| masses.infinite_p)
    }

    fn infinite_q(&self, bits: u32) -> Number {
        (self.masses)(bits).map_or(Number::Enclosed(Enclosure::whole(bits)), |masses| masses.infinite_q)
    }

    fn log_moment(&self, c: f64) -> f64 {
        let top = self.sketch.iter().map(|(loss, log)| c * loss + log).fold(f64::NEG_INFINITY, f64::max);
        top + self.sketch.iter().map(|(loss, log)| (c * loss + log - top).portable_exp()).sum::<f64>().portable_ln()
    }

    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        Ok(self.tilted(c, bits, budget)?.iter().fold(Enclosure::zero(bits), |sum, mass| &sum + mass))
    }

    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        Ok(Box::new(Values::new(line, &self.losses, &self.tilted(line.tilt(), bits, budget)?, bits)))
    }

    fn fixed(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let weights = self.tilted(line.tilt(), FIXED_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(FIXED_BITS), |sum, weight| &sum + weight);
        let turns = self.losses.iter().map(|loss| line.turns(loss));
        Ok(FixedValues::new(turns, &weights, (&total, 0.0)).map(|values| Box::new(values) as Box<dyn FixedMoments>))
    }

    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        let weights = self.tilted(line.tilt(), FIXED_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(FIXED_BITS), |sum, weight| &sum + weight);
        let turns = self.losses.iter().map(|loss| line.turns(loss)).collect();
        Ok(coarse_list(line, turns, &weights, (&total, 0.0)))
    }

    fn wide(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn WideMoments + '_>>, Error> {
        let weights = self.tilted(line.tilt(), DISC_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(DISC_BITS), |sum, weight| &sum + weight);
        let turns = self.losses.iter().map(|loss| line.turns(loss));
        Ok(Listed::new(turns, &weights, (&total, 0.0)).map(|values| Box::new(values) as Box<dyn WideMoments>))
    }

    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let weights = self.tilted(line.tilt(), BOUND_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(BOUND_BITS), |sum, weight| &sum + weight);
        Ok(Box::new(pairs(line, &weights, &total, |index| Ok(self.losses[index].clone()))?))
    }

    fn close_decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let weights = self.tilted(line.tilt(), BOUND_BITS, budget)?;
        let total = weights.iter().fold(Enclosure::zero(BOUND_BITS), |sum, weight| &sum + weight);
        match ListedDecay::new(line, &weights, &total, |index| Ok(self.losses[index].clone()))? {
            Some(listed) => Ok(Box::new(listed)),
            None => self.decay(line, budget),
        }
    }
}

/// The bound from the heaviest losses, which bring `weights` to a sum of at most `total` at the tilt of the line.
pub(super) fn pairs(
    line: &VerticalContour,
    weights: &[Enclosure],
    total: &Enclosure,
    loss: impl Fn(usize) -> Result<Real, Error>,
) -> Result<Pairs, Error> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|a, b| weights[*b].lower().total_cmp(weights[*a].lower()));
    order.truncate(4);
    let mut pairs = Vec::new();
    for (place, &i) in order.iter().enumerate() {
        for &j in &order[..place] {
            let weight = (&(&weights[i] / total) * &(&weights[j] / total)).shift(1);
            let turning = Turning::new(&line.turns(&loss(i)?.sub(&loss(j)?)));
            if let Some(turning) = turning {
                pairs.push((turning, weight.lower().to_f64_round(Down).max(0.0)));
            }
        }
    }
    pairs.truncate(PAIRS);
    Ok(Pairs(pairs))
}

/// The values along a line, loss by loss.
pub(super) struct Values {
    weights: Vec<Complex>,
    turns: Vec<super::super::vertical_contour::Turns>,
    steps: Vec<Complex>,
    bits: u32,
}

impl Values {
    /// Of these losses, which weigh so much at the tilt of the line.
    pub(super) fn new(line: &VerticalContour, losses: &[Real], weights: &[Enclosure], bits: u32) -> Self {
        let weights = weights.iter().map(|weight| Complex::real(weight, bits)).collect();
        let turns = losses.iter().map(|loss| line.turns(loss)).collect::<Vec<_>>();
        let steps = turns.iter().map(|turns| Complex::cis(&turns.angle(1, bits), bits)).collect();
        Values { weights, turns, steps, bits }
    }
}

impl Moments for Values {
    /// Rotations by multiplication within a run: each node adds two roundings, and 256 nodes are 9 bits.
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut sums = vec![Complex::zero(self.bits); count];
        for ((weight, turns), step) in self.weights.iter().zip(&self.turns).zip(&self.steps) {
            let mut rotation = Complex::zero(self.bits);
            for (offset, sum) in sums.iter_mut().enumerate() {
                if offset % 256 == 0 {
                    budget.check()?;
                    rotation = weight * &Complex::cis(&turns.angle(first + offset as u64, self.bits), self.bits);
                } else {
                    rotation = &rotation * step;
                }
                *sum = &*sum + &rotation;
            }
        }
        Ok(sums)
    }
}

/// Pairs of losses: how their difference turns, and `2 w_i w_j` rounded down.
pub(super) struct Pairs(Vec<(Turning, f64)>);

impl Decay for Pairs {
    /// `ln |M| <= -1/2 sum 2 w_i w_j (1 - cos phi)`, for `ln(1-x) <= -x`; and `1 - cos phi >= phi^2/2 - phi^4/24` as
    /// well as `>= 2 phi^2/pi^2` for `|phi| <= pi`. The doubles are nonnegative and the slack covers their roundings.
    fn log_bound(&self, from: u64, to: u64, _budget: &Budget) -> Result<f64, Error> {
        let mut sum = 0.0;
        work::spend(12 * self.0.len() as u64);
        for (turning, weight) in &self.0 {
            let d = turning.distance(from, to);
            // phi = 2 pi d; pi^2 >= 9.8696, pi^4 <= 97.4092.
            let d2 = d * d;
            let near = 2.0 * 9.8696 * d2 * (1.0 - 1e-12) - (2.0 / 3.0) * 97.4092 * d2 * d2 * (1.0 + 1e-12);
            let far = 8.0 * d2 * (1.0 - 1e-12);
            sum += weight * near.max(far).max(0.0);
        }
        Ok(-0.5 * sum * (1.0 - 1e-12))
    }
}
