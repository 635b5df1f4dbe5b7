//! What the quadrature asks of each independent part of a composition: the moment generating function of its loss.
//!
//! For a pair (P, Q) with privacy loss `L = ln(dP/dQ)`, a factor knows `M(s) = E_P[e^(sL); L < infinity]` on a strip of
//! the complex plane: enclosed at the nodes of a [`VerticalContour`], and bounded in modulus between them. Losses of
//! independent parts add, so the composition has the product of the factors.
//!
//! The reversed pair (Q, P) has `M(-1-s)`, see [`Reversed`]: a factor describes one direction only.
//!
//! Proofs: `proofs/paper/closed-form-factors.md` for Gaussian, Laplace and discrete Gaussian noise and lists of losses.

pub mod atoms;
pub mod discrete_gaussian;
mod draws_listed;
mod end_series;
mod fixed_values;
pub mod gaussian;
pub mod laplace;
pub(super) mod listed_decay;
mod mirrored;
mod poisson_discrete_gaussian;
pub mod poisson_gaussian;
pub mod poisson_laplace;
mod reversed;
mod sampled;
mod step_noise;
mod turning;
mod two_ends;

pub use atoms::Atoms;
pub use discrete_gaussian::{DiscreteGaussians, Draws};
pub use gaussian::GaussianFactor;
pub use laplace::LaplaceFactor;
pub use mirrored::{Half, Mirrored};
pub use poisson_discrete_gaussian::PoissonDiscreteGaussian;
pub use poisson_gaussian::PoissonGaussian;
pub use poisson_laplace::PoissonLaplace;
pub use reversed::Reversed;
pub use step_noise::StepNoise;

use std::cmp::Ordering;

use rug::Rational;

use self::listed_decay::ListedDecay;
use self::poisson_gaussian::split::Split;
use super::fixed::Point;
use super::nonuniform::{FiniteLaw, Transformed};
use super::vertical_contour::{Turns, VerticalContour};
use super::wide::WideMoments;
use crate::error::Error;
use crate::pair::LossBound;
use enclosure::{Budget, Complex, Enclosure, Number, Portable, Real};

/// Losses that are all in `offset + unit Z`.
#[derive(Clone, Debug)]
pub struct LatticeSpan {
    /// The distance between neighbouring losses, positive.
    pub unit: Real,
    /// One of the losses.
    pub offset: Real,
}

/// One independent part of a composition, run once.
pub trait Factor: Send + Sync {
    /// What it is, for people.
    fn name(&self) -> String;

    /// The real parts `(low, high)` between which `M` is finite; doubles inside the true strip.
    fn strip(&self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }

    /// The lattice of the losses, if they are on one.
    fn span(&self) -> Option<LatticeSpan> {
        None
    }

    /// Does the modulus of `M` fall to nothing along vertical lines?
    fn decays(&self) -> bool {
        false
    }

    /// The infimum and the supremum of the finite losses.
    fn range(&self) -> (LossBound, LossBound);

    /// The P-mass where Q has none.
    fn infinite_p(&self, _bits: u32) -> Number {
        Number::zero()
    }

    /// The Q-mass where P has none.
    fn infinite_q(&self, _bits: u32) -> Number {
        Number::zero()
    }

    /// About `ln M(c)`, for real `c`: for the search only, it proves nothing. NaN or infinite outside the strip.
    fn log_moment(&self, c: f64) -> f64;

    /// `M(c)` at a real point, to about `bits` relative bits.
    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error>;

    /// One draw in two, the usual ones and rare ones with large losses; `reversed` for the pair the other way round.
    /// `None` where that is not known. See [`Split`].
    fn apart(&self, _cut: f64, _reversed: bool) -> Option<Split> {
        None
    }

    /// The values at the nodes of a line, to about `bits` bits relative to `M(tilt)`.
    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error>;

    /// The values at the nodes of a line as parts of `M(tilt)`, in integers; `None` where there are none.
    fn fixed(&self, _line: &VerticalContour, _budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        Ok(None)
    }

    /// The same for few bits and many nodes: with errors of doubles, if that is cheaper.
    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        self.fixed(line, budget)
    }

    /// The values at the nodes of a line as parts of `M(tilt)`, in integers of 128 bits; `None` where there are none.
    fn wide(&self, _line: &VerticalContour, _budget: &Budget) -> Result<Option<Box<dyn WideMoments + '_>>, Error> {
        Ok(None)
    }

    /// Bounds of the modulus along a line.
    fn decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error>;

    /// Those that are close to the truth at single nodes far out, and dearer.
    fn close_decay(&self, line: &VerticalContour, budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        self.decay(line, budget)
    }
}

/// A factor's values along one line.
pub trait Moments {
    /// Discs that hold `M(s_k)` for the nodes `k = first, ..., first + count - 1`.
    ///
    /// Runs come with rising `first`, each at most some thousands long; between runs there may be gaps.
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error>;
}

/// A factor's values along one line as parts of the one on the axis.
pub trait FixedMoments {
    /// No point of the runs so far is farther from its value.
    fn error(&self) -> f64;

    /// The same of the nodes of these runs before `end`.
    fn error_before(&self, _end: u64) -> f64 {
        self.error()
    }

    /// No node beyond this one will be asked for.
    fn reach(&mut self, _last: u64) {}

    /// The points of the nodes `k = first, ..., first + count - 1`, in runs as for [`Moments`]; `None` where they
    /// cannot be had after all.
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Option<Vec<Point>>, Error>;
}

/// Bounds of a factor's modulus along one line.
pub trait Decay {
    /// A double `x <= 0` with `|M(s_k)| <= e^x M(tilt)` for **every** node `k` between `from` and `to`, both included;
    /// `to = u64::MAX` stands for all from `from` on. It is part of proofs: rounding must be accounted
    /// for, with IEEE's guarantee of `+ - * /` and `sqrt` alone (not of `exp`, `ln`, `sin`...) or by enclosures.
    fn log_bound(&self, from: u64, to: u64, budget: &Budget) -> Result<f64, Error>;

    /// The same for every node from `from` on, without looking at any of them: it may be far above the largest, and
    /// costs little.
    fn falling(&self, from: u64, budget: &Budget) -> Result<f64, Error> {
        self.log_bound(from, u64::MAX, budget)
    }

    /// About what [`falling`](Self::falling) says, where that is dear: for searches, it proves nothing.
    fn about(&self, from: u64, budget: &Budget) -> Result<f64, Error> {
        self.falling(from, budget)
    }

    /// Do bounds of single nodes cost nearly what nodes do?
    fn is_dear(&self) -> bool {
        false
    }

    /// About the bound of one node, far from all others: for choices, it proves nothing.
    fn alone(&self, node: u64, budget: &Budget) -> Result<f64, Error> {
        self.log_bound(node, node, budget)
    }

    /// Do the bounds of single nodes hold of a function `E cos(k X)` of the node k, X any random number, times a
    /// constant between 1 and `1 + 1e-10`?
    fn is_definite(&self) -> bool {
        false
    }

    /// A list of losses whose moments are cheap at many nodes in a row, if that is what it is.
    fn sweeps(&self) -> Option<&ListedDecay> {
        None
    }
}

/// No bound but that the modulus is nowhere larger than on the axis.
pub(super) struct NoDecay;

impl Decay for NoDecay {
    fn log_bound(&self, _from: u64, _to: u64, _budget: &Budget) -> Result<f64, Error> {
        Ok(0.0)
    }
}

/// Precision of the moment of what is listed in doubles.
const COARSE_BITS: u32 = 96;

/// Losses in a list from which on a transform is cheaper than sums at every node.
const MANY: usize = 12;

/// The values of a list of turning losses where few bits are asked for, see [`FixedValues`](fixed_values::FixedValues).
fn coarse_list<'a>(
    line: &VerticalContour,
    turns: Vec<Turns>,
    weights: &[Enclosure],
    (total, left_out): (&Enclosure, f64),
) -> Option<Box<dyn FixedMoments + 'a>> {
    if turns.len() < MANY {
        let values = fixed_values::FixedValues::new(turns.into_iter(), weights, (total, left_out))?;
        return Some(Box::new(values));
    }
    let law = FiniteLaw::new(turns.into_iter(), weights, (total, left_out))?;
    Some(Box::new(Transformed::new(law, line)))
}

/// `1 - rate`, if that, the rate and a parameter of the mechanism inside are certainly positive.
fn positive_rate(rate: &Real, inside: &Real, name: &str) -> Result<Real, Error> {
    let rest = Real::one().sub(rate);
    for (value, name) in [(rate, "the sampling rate"), (&rest, "1 minus the sampling rate"), (inside, name)] {
        match value.sign() {
            Some(Ordering::Greater) => {}
            Some(_) => return Err(Error::input(format!("{name} must be positive, not {value}"))),
            None => return Err(Error::undecided(format!("cannot decide the sign of {name}"))),
        }
    }
    Ok(rest)
}

/// `ln(q + p e^y)` in doubles, for `q = 1 - p`; relatively accurate near 0.
fn log_ratio(p: f64, q: f64, y: f64) -> f64 {
    if y > 30.0 {
        p.portable_ln() + y + (q / p * (-y).portable_exp()).portable_ln_1p()
    } else if p > 0.5 && y < -0.5 {
        (q + p * y.portable_exp()).portable_ln()
    } else {
        (p * y.portable_exp_m1()).portable_ln_1p()
    }
}
