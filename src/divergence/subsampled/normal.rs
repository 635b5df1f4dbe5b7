//! Expectations under Gaussian noise: the trapezoid rule, with all its errors.
//!
//! In units of sigma, `x` standard normal under Q, the likelihood ratio is `e^(mu x - mu^2/2)`. For noise on the
//! integers `x` runs through `Z/sigma`, with weights `e^(-x^2/2)` that are divided by their sum. Every integrand g of
//! [`Integrand`] is convex in `w = 1-p + p e^(mu x - mu^2/2)` and not negative.
//!
//! **What is certified.** With `k` the expectation, `h` the step, `0 < a <= 3/(2 mu)`:
//!
//! * the rule is off by at most `2 M/(e^(2 pi a/h) - 1)`, M a bound on `int |f|` along both lines `Im x = +-a` and all
//!   between (Trefethen and Weideman 2014, Theorem 5.1). There `|w(x+ia)| <= w(x)` and `|w(x+ia)| >= w(x) cos(mu a/2)`,
//!   and the density grows by `e^(a^2/2)`: so `M <= e^(a^2/2) (A k + B)` with constants of the integrand, and the bound
//!   is solved for `k >= 0`;
//! * what is cut off on the left has `w <= 1` and `g <= C`, on the right `w >= 1` and `g <= c (dP/dQ)^m`: both Gaussian
//!   tails.
//!
//! On the integers there is no error of the rule, if all are summed. If they are many, the sum and the integral
//! are replaced by the integral, each off by the same bound with `h = 1/sigma`.
//!
//! **Why it ends.** The number of nodes is estimated first. Paper proof: `proofs/paper/poisson-subsampling.md`.

use std::cmp::Ordering;

use rug::float::Round::Down;
use rug::{Float, Integer, Rational};

use super::Integrand;
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real};

/// More nodes than this are not summed.
const MOST_NODES: f64 = 4e6;

/// The precision of bounds.
const COARSE: u32 = 64;

/// Larger logarithms of moments are out of range.
const LARGEST: f64 = 3e8;

/// The likelihood ratio of shifted Gaussian noise.
pub(super) struct Normal {
    /// The shift in units of sigma.
    mu: Real,
    /// The integers, as `(sigma^2, shift)`.
    integers: Option<(Rational, Integer)>,
}

/// The constants of an integrand.
struct Bounds {
    /// `g <= left` where `w <= 1`.
    left: Enclosure,
    /// `g <= scale (dP/dQ)^power` where `w >= 1`.
    scale: Enclosure,
    power: Enclosure,
    /// `int |f| <= e^(a^2/2) (slope k + constant)` along the lines.
    slope: Enclosure,
    constant: Enclosure,
}

/// The nodes of a sum: `step k`, `first <= k <= last`.
struct Nodes {
    step: Enclosure,
    first: i64,
    last: i64,
    /// Are the nodes the integers?
    whole: bool,
}

fn out_of_reach(what: &str) -> Error {
    Error::undecided(format!(
        "cannot compute {what} of a subsampled Gaussian: the noise is too small or the order too large"
    ))
}

impl Normal {
    /// `N(mu, 1)` against `N(0, 1)`.
    pub(super) fn continuous(mu: Real) -> Self {
        Normal { mu, integers: None }
    }

    /// Discrete Gaussians `shift` apart.
    pub(super) fn integers(sigma2: Rational, shift: u64) -> Result<Self, Error> {
        let mu = Real::from(shift).div(&Real::from(sigma2.clone()).sqrt()?)?;
        Ok(Normal { mu, integers: Some((sigma2, Integer::from(shift))) })
    }

    fn bounds(rate: &Real, integrand: &Integrand, turn: &Enclosure) -> Bounds {
        let one = Enclosure::one(COARSE);
        let number = |n: u32| one.mul_u32(n);
        let rest = Real::one().sub(rate).enclosure(COARSE);
        match integrand {
            Integrand::Power(z) => {
                let z = z.enclosure(COARSE);
                let size = z.abs();
                if z.sign() == Some(Ordering::Less) {
                    // cos(mu a/2) >= 1 - (mu a)^2/8
                    let grown = (&z * &(-turn.square().shift(-3)).log1p()).exp();
                    Bounds {
                        left: (&z * &rest.ln()).exp() + &size,
                        scale: size.clone(),
                        power: one.clone(),
                        constant: &grown + &(&one + &size.shift(1)),
                        slope: grown,
                    }
                } else {
                    Bounds {
                        left: size.clone(),
                        scale: one.clone(),
                        power: z,
                        slope: one.clone(),
                        constant: number(2) + size.shift(1),
                    }
                }
            }
            // |ln w(x+ia)| <= |ln w(x)| + (ln 2)/2 + pi/2, and w |ln w| <= w ln w + 2/e.
            Integrand::Forward => Bounds {
                left: one.clone(),
                scale: one.clone(),
                power: number(2),
                slope: number(1),
                constant: number(5),
            },
            // The same, and |ln w| <= -ln w + 2 w.
            Integrand::Backward => Bounds {
                left: -rest.ln(),
                scale: one.clone(),
                power: one.clone(),
                slope: number(1),
                constant: number(6),
            },
        }
    }

    /// The expectation of an integrand, to about `bits` bits after the binary point, or of its value if that is larger.
    pub(super) fn expectation(
        &self,
        rate: &Real,
        integrand: &Integrand,
        bits: u32,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let mu = self.mu.enclosure(COARSE);
        let goal = f64::from(bits) * std::f64::consts::LN_2;
        let size = upper(&mu);
        let steep = match integrand {
            Integrand::Power(z) => (-z.to_f64()).max(0.0),
            _ => 0.0,
        };
        // How far up the lines go: a^2/2 and -z ln cos(mu a/2) are paid for by 2 pi a/h.
        let height = (goal / (0.5 + steep * size * size / 8.0)).sqrt().min(1.4 / size);
        let height = Float::with_val(30, height);
        let a = Enclosure::new(height.clone(), height.clone());
        let turn = &a * &mu;
        let narrow = *turn.upper() <= 1.5 && height > 0;
        if !narrow {
            return Err(out_of_reach("a divergence"));
        }
        let bounds = Self::bounds(rate, integrand, &turn);
        let paid = goal + (height.to_f64().powi(2) / 2.0) + upper(&bounds.slope.ln()).max(0.0);
        let step = Float::with_val_round(30, std::f64::consts::TAU * height.to_f64() / paid, Down).0;

        let spacing = self.integers.as_ref();
        let spacing =
            spacing.map(|(sigma2, _)| Enclosure::rational(sigma2, bits.saturating_add(COARSE)).sqrt().recip());
        let whole = spacing.as_ref().is_some_and(|spacing| *spacing.lower() >= step);
        let step = match &spacing {
            Some(spacing) if whole => spacing.clone(),
            _ => Enclosure::new(step.clone(), step),
        };
        let nodes = self.nodes(rate, &bounds, step, whole, goal)?;
        let (sum, weights) = self.sum(rate, integrand, &nodes, bits, budget)?;
        let tails = self.tails(&bounds, &nodes)?;
        let sum = sum.clone().hull(&(sum + tails));
        if whole {
            let edge = tail(&nodes.step, &(&nodes.step * &count(nodes.last.saturating_add(1))))?
                + tail(&nodes.step, &(&nodes.step * &count(1i64.saturating_sub(nodes.first))))?;
            return Ok(sum / weights.clone().hull(&(weights + edge)));
        }
        let density = (Enclosure::pi(bits).shift(1)).sqrt();
        let value = sum * nodes.step.with_bits(bits) / density;
        // |k - value| <= off (slope k + constant)
        let grown = a.square().shift(-1).exp();
        let off = |step: &Enclosure| (&grown / &(Enclosure::pi(COARSE).shift(1) * &a / step).expm1()).shift(1);
        let share = off(&nodes.step);
        let most = &one_minus(&(&share * &bounds.slope));
        if most.sign() != Some(Ordering::Greater) {
            return Ok(Enclosure::whole(bits));
        }
        let top = (&value.with_bits(COARSE) + &(&share * &bounds.constant)) / most;
        let size = &(&bounds.slope * &top) + &bounds.constant;
        let value = value.widen((&share * &size).upper());
        let Some(spacing) = spacing else { return Ok(value) };
        let share = off(&spacing.with_bits(COARSE));
        Ok(value.widen((&share * &size).upper()) / Enclosure::one(bits).widen(share.upper()))
    }

    /// As many nodes on either side as leave tails below `e^-goal`, relative to the moment where that is large.
    fn nodes(&self, rate: &Real, bounds: &Bounds, step: Enclosure, whole: bool, goal: f64) -> Result<Nodes, Error> {
        let (mu, power, h) = (upper(&self.mu.enclosure(COARSE)), upper(&bounds.power), upper(&step));
        let moment = power * (power - 1.0).max(0.0) * mu * mu / 2.0;
        let unlikely = power * -lower(&rate.enclosure(COARSE).ln());
        let left = upper(&bounds.left.ln()).max(0.0);
        if !(moment < LARGEST && left < LARGEST && mu > 0.0 && h > 0.0) {
            return Err(out_of_reach("a moment"));
        }
        let right = upper(&bounds.scale.ln()).max(0.0) + moment.min(unlikely.max(0.0));
        let first = (2.0 * (goal + left)).sqrt() + 2.0;
        let last = power * mu + (2.0 * (goal + right)).sqrt() + 2.0;
        let (first, last) = ((first / h).ceil(), (last / h).ceil());
        let affordable = first + last < MOST_NODES;
        if !affordable {
            return Err(Error::undecided(format!(
                "an integral over a subsampled Gaussian takes {:.0} nodes, more than the limit of {MOST_NODES:.0}",
                first + last
            )));
        }
        Ok(Nodes { step, first: -(first as i64), last: last as i64, whole })
    }

    /// `sum e^(-x^2/2) g(w(x))` and `sum e^(-x^2/2)` over the nodes.
    fn sum(
        &self,
        rate: &Real,
        integrand: &Integrand,
        nodes: &Nodes,
        bits: u32,
        budget: &Budget,
    ) -> Result<(Enclosure, Enclosure), Error> {
        // The exponents have whole bits, too.
        let reach = [nodes.first, nodes.last].map(|k| upper(&(&nodes.step * &count(k))).powi(2));
        let order = match integrand {
            Integrand::Power(z) => z.to_f64().abs().max(1.0),
            _ => 1.0,
        };
        let whole = (reach[0].max(reach[1]) * order).max(2.0).portable_log2().ceil() as u32;
        let wide = bits.saturating_add(whole).saturating_add(16);
        let (p, mu) = (rate.enclosure(wide), self.mu.enclosure(wide));
        let half = mu.square().shift(-1);
        let z = match integrand {
            Integrand::Power(z) => z.enclosure(wide),
            _ => Enclosure::one(wide),
        };
        let step = nodes.step.with_bits(nodes.step.bits().max(wide));
        let (mut sum, mut weights) = (Enclosure::zero(wide), Enclosure::zero(wide));
        for k in nodes.first..=nodes.last {
            budget.check()?;
            let (square, loss) = match &self.integers {
                // Exact exponents where the nodes are the integers.
                Some((sigma2, shift)) if nodes.whole => {
                    let twice = Rational::from(sigma2 * 2u32);
                    let node = Integer::from(k);
                    let square = Rational::from(Integer::from(node.square_ref())) / &twice;
                    let loss = Rational::from(Integer::from(&node * 2u32) * shift - Integer::from(shift.square_ref()));
                    (Enclosure::rational(&square, wide), Enclosure::rational(&(loss / twice), wide))
                }
                _ => {
                    let x = &step * &count(k).with_bits(wide);
                    (x.square().shift(-1), &(&mu * &x) - &half)
                }
            };
            let weight = (-square).exp();
            let excess = &p * &loss.expm1();
            let log = excess.log1p();
            let value = match integrand {
                Integrand::Power(_) => (&z * &log).expm1() - &z * &excess,
                Integrand::Forward => &(&log + &(&excess * &log)) - &excess,
                Integrand::Backward => &excess - &log,
            };
            sum = sum + &weight * &value.positive_part();
            weights = weights + weight;
        }
        Ok((sum, weights))
    }

    /// What the nodes left out add to the sum, at most.
    fn tails(&self, bounds: &Bounds, nodes: &Nodes) -> Result<Enclosure, Error> {
        let mu = self.mu.enclosure(COARSE);
        let left = &nodes.step * &count(1i64.saturating_sub(nodes.first));
        let far = &nodes.step * &count(nodes.last.saturating_add(1));
        // e^(-x^2/2) (dP/dQ)^m = e^(m (m-1) mu^2/2) e^(-(x - m mu)^2/2)
        let right = &far - &(&bounds.power * &mu);
        let grown = &(&bounds.power * &(&bounds.power - &Enclosure::one(COARSE))) * &mu.square().shift(-1);
        let right = tail(&nodes.step, &right)? * grown.exp();
        Ok(&bounds.left * &tail(&nodes.step, &left)? + &bounds.scale * &right)
    }
}

/// `sum_(j >= 0) e^(-(x + j h)^2/2) <= (1 + 1/(h x)) e^(-x^2/2)` for `x >= 1`: the first term, and the integral of the
/// decreasing rest, by Mills' bound.
fn tail(step: &Enclosure, x: &Enclosure) -> Result<Enclosure, Error> {
    let (step, x) = (step.with_bits(COARSE), x.with_bits(COARSE));
    if *x.lower() < 1 {
        return Err(out_of_reach("a tail"));
    }
    Ok((&Enclosure::one(COARSE) + &(&step * &x).recip()) * (-x.square().shift(-1)).exp())
}

fn count(k: i64) -> Enclosure {
    Enclosure::integer(&Integer::from(k), COARSE)
}

fn one_minus(x: &Enclosure) -> Enclosure {
    &Enclosure::one(COARSE) - x
}

fn upper(x: &Enclosure) -> f64 {
    x.upper().to_f64()
}

fn lower(x: &Enclosure) -> f64 {
    x.lower().to_f64()
}
