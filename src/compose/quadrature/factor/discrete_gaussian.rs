//! Discrete Gaussians, any number of them with different variances, as one factor.
//!
//! One draw: `P = N_Z(0, sigma^2)`, `Q = N_Z(D, sigma^2)`. With the sign of the draw turned,
//! `L = D X/sigma^2 + D^2/(2 sigma^2)`, so `M(s) = e^(s D^2/(2 sigma^2)) E(z)`, `z = s D/sigma^2`, `E(z) = E e^(zX)`.
//! By Poisson summation
//!
//! `E(x + iv) = e^((x+iv)^2 sigma^2/2) T(x + iv)/T(0)`, `T(z) = sum_m e^(-2 pi^2 sigma^2 m^2 + 2 pi i m sigma^2 z)`,
//!
//! and `E` has the period `2 pi i`: `v` is reduced to `[-pi, pi]`, exactly, so that however far out a node is, the
//! theta sum T there is as short as on the real axis. Here `x sigma^2 = c D`, so all but T of the whole product is one
//! exponential.

use rug::{Float, Integer, Rational};

use super::draws_listed::listed;
use super::turning::Turning;
use super::{Decay, Factor, FixedMoments, LatticeSpan, LossBound, Moments, VerticalContour};
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Portable, Real, common_divisor, doubles, work};

/// A little above `ln 2`; the constant of the library would be below.
#[allow(clippy::approx_constant)]
const LN_2_UP: f64 = 0.693_147_180_6;

/// Precision of bounds.
const BOUND_BITS: u32 = 64;

/// So little may the bound at node 0 be above one where the bounds are taken for those of a definite function: below
/// `1e-10`, with room for what doubles round.
const DEFINITE: f64 = 0.99e-10;

/// `times` draws of one kind.
#[derive(Clone, Debug)]
pub struct Draws {
    /// The variance parameter, at least [`DiscreteGaussians::LEAST_VARIANCE`] in this factor.
    pub sigma2: Rational,
    /// The shift D.
    pub sensitivity: Integer,
    /// How many.
    pub times: u64,
}

/// Independent discrete Gaussians against shifted ones.
#[derive(Clone, Debug)]
pub struct DiscreteGaussians {
    draws: Vec<Draws>,
    span: Option<LatticeSpan>,
}

impl Draws {
    /// `D/sigma^2`, the step of the loss.
    fn step(&self) -> Rational {
        Rational::from(&self.sensitivity) / &self.sigma2
    }

    /// `D^2/(2 sigma^2)`, the loss at 0, once.
    fn offset(&self) -> Rational {
        Rational::from(&self.step() * &self.sensitivity) / 2u32
    }

    fn times_rational(&self) -> Rational {
        Rational::from(self.times)
    }
}

impl DiscreteGaussians {
    /// Below this variance, `2 pi^2 sigma^2` is too small for the bounds here to be of use.
    pub const LEAST_VARIANCE: (u32, u32) = (1, 50);

    /// The factor; `None` without draws, or with a variance below the least.
    pub fn new(draws: Vec<Draws>) -> Option<Self> {
        let least = Rational::from(Self::LEAST_VARIANCE);
        if draws.is_empty() || draws.iter().any(|draw| draw.sigma2 < least || draw.sensitivity < 1 || draw.times == 0) {
            return None;
        }
        let unit = common_divisor(&draws.iter().map(Draws::step).collect::<Vec<_>>());
        let offset = draws.iter().fold(Rational::new(), |sum, draw| sum + draw.offset() * draw.times_rational());
        let span = Some(LatticeSpan { unit: Real::from(unit), offset: Real::from(offset) });
        Some(DiscreteGaussians { draws, span })
    }
}

/// `e^(-pi^2 x)` for a rational `x >= 0`.
fn exp_pi2(x: &Rational, bits: u32) -> Enclosure {
    let wide = bits.saturating_add(64);
    (-(&Enclosure::pi(wide).square() * &Enclosure::rational(x, wide))).exp().with_bits(bits)
}

/// The theta sum's coefficients `e^(-2 pi^2 sigma^2 m^2)`, `m = 1, 2, ...`, and a bound of all that follow, both at
/// `|Im z| <= pi`: the terms of `+-m` are at most `2 e^(-2 pi^2 sigma^2 (m^2 - m))`, which fall by
/// `e^(-4 pi^2 sigma^2 m)`.
fn coefficients(sigma2: &Rational, bits: u32) -> (Vec<Enclosure>, Enclosure) {
    let two = Rational::from(sigma2 * 2u32);
    let mut all = Vec::new();
    for m in 1u32.. {
        let worst = exp_pi2(&(Rational::from(&two * m) * (m - 1)), BOUND_BITS);
        let negligible = m > 1 && worst.upper().get_exp().is_none_or(|e| e < -(bits.min(1 << 29) as i32) - 2);
        if negligible {
            let ratio = exp_pi2(&(Rational::from(&two * 2u32) * m), BOUND_BITS);
            let rest = &worst.shift(1) / &(&Enclosure::one(BOUND_BITS) - &ratio);
            return (all, rest);
        }
        all.push(exp_pi2(&(Rational::from(&two * m) * m), bits));
    }
    (all, Enclosure::whole(BOUND_BITS))
}

/// `T` at a real point `x` with `x sigma^2 = y`.
fn theta_real(sigma2: &Rational, y: &Rational, bits: u32) -> Enclosure {
    let (coefficients, rest) = coefficients(sigma2, bits);
    let mut sum = Enclosure::one(bits);
    for (m, coefficient) in (1u32..).zip(&coefficients) {
        let turns = Rational::from(y * m);
        let turns = &turns - Rational::from(turns.round_ref());
        let angle = &Enclosure::pi(bits).shift(1) * &Enclosure::rational(&turns, bits);
        sum = &sum + &(&coefficient.shift(1) * &Complex::cis(&angle, bits).re());
    }
    sum.widen(rest.upper())
}

impl Factor for DiscreteGaussians {
    fn name(&self) -> String {
        let all: u64 = self.draws.iter().map(|draw| draw.times).fold(0, u64::saturating_add);
        format!("{all} discrete Gaussians of {} kinds", self.draws.len())
    }

    fn range(&self) -> (LossBound, LossBound) {
        (LossBound::Unbounded, LossBound::Unbounded)
    }

    fn span(&self) -> Option<LatticeSpan> {
        self.span.clone()
    }

    fn log_moment(&self, c: f64) -> f64 {
        let pi = std::f64::consts::PI;
        self.draws
            .iter()
            .map(|draw| {
                let (s2, d) = (draw.sigma2.to_f64(), draw.sensitivity.to_f64());
                let theta = |y: f64| {
                    1.0 + 2.0
                        * (1..8)
                            .map(|m| {
                                let m = f64::from(m);
                                (-2.0 * pi * pi * s2 * m * m).portable_exp() * (2.0 * pi * m * y).portable_cos()
                            })
                            .sum::<f64>()
                };
                let turn = if s2 > 3.0 { 0.0 } else { (theta((c * d).fract()) / theta(0.0)).portable_ln() };
                draw.times as f64 * (c * (c + 1.0) * d * d / (2.0 * s2) + turn)
            })
            .sum()
    }

    fn moment(&self, c: &Rational, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let mut exponent = Rational::new();
        let mut product = Enclosure::one(bits);
        for draw in &self.draws {
            budget.check()?;
            // (c D)^2/(2 sigma^2) + c D^2/(2 sigma^2) = c (c+1) D^2/(2 sigma^2)
            exponent += Rational::from(c + 1u32) * c * draw.offset() * draw.times_rational();
            let theta = theta_real(&draw.sigma2, &Rational::from(c * &draw.sensitivity), bits)
                / theta_real(&draw.sigma2, &Rational::new(), bits);
            product = &product * &theta.pow(draw.times);
        }
        let exponential = Enclosure::rational(&exponent, bits.saturating_add(64)).exp().with_bits(bits);
        Ok(&exponential * &product)
    }

    fn on(&self, line: &VerticalContour, bits: u32, budget: &Budget) -> Result<Box<dyn Moments + '_>, Error> {
        let mut kinds = Vec::new();
        let mut exponent = Rational::new();
        for draw in &self.draws {
            budget.check()?;
            let c = line.tilt();
            exponent += Rational::from(c + 1u32) * c * draw.offset() * draw.times_rational();
            let (all, rest) = coefficients(&draw.sigma2, bits);
            let zero = theta_real(&draw.sigma2, &Rational::new(), bits);
            let y = Rational::from(c * &draw.sensitivity);
            // The two terms of m: coefficient e^(+-2 pi i m y) e^(-+2 pi m sigma^2 v), over T(0).
            let terms = (1u32..)
                .zip(all)
                .map(|(m, coefficient)| {
                    let turns = Rational::from(&y * m);
                    let turns = &turns - Rational::from(turns.round_ref());
                    let angle = &Enclosure::pi(bits).shift(1) * &Enclosure::rational(&turns, bits);
                    &Complex::real(&(&coefficient / &zero), bits) * &Complex::cis(&angle, bits)
                })
                .collect();
            kinds.push(Kind {
                step: line.turns(&Real::from(draw.step())).angle(1, 64).lower().to_f64(),
                turns: line.turns(&Real::from(draw.step())),
                two_pi_sigma2: &Enclosure::pi(bits).shift(1) * &Enclosure::rational(&draw.sigma2, bits),
                half_weight: Enclosure::rational(&((&draw.sigma2 * draw.times_rational()) / 2u32), bits),
                shift: Enclosure::rational(&(y * draw.times_rational()), bits),
                constant: Complex::real(&zero.recip(), bits).widen((&rest / &zero.with_bits(BOUND_BITS)).upper()),
                bare: Complex::real(&zero.recip(), bits),
                per_zero: zero.recip().with_bits(BOUND_BITS),
                terms,
                quiet: Quiet::new(&draw.sigma2, draw.times, &zero, bits),
                times: draw.times,
            });
        }
        let offset = self.draws.iter().fold(Rational::new(), |sum, draw| sum + draw.offset() * draw.times_rational());
        Ok(Box::new(Values {
            offset: line.turns(&Real::from(offset)),
            exponential: Enclosure::rational(&exponent, bits.saturating_add(64)).exp().with_bits(bits),
            kinds,
            bits,
        }))
    }

    fn coarse(&self, line: &VerticalContour, budget: &Budget) -> Result<Option<Box<dyn FixedMoments + '_>>, Error> {
        Ok(listed(&self.draws, line, budget)?.map(|values| Box::new(values) as Box<dyn FixedMoments>))
    }

    fn decay(&self, line: &VerticalContour, _budget: &Budget) -> Result<Box<dyn Decay + '_>, Error> {
        let mut all = Vec::new();
        for draw in &self.draws {
            let Some(turning) = Turning::new(&line.turns(&Real::from(draw.step()))) else { continue };
            all.push(Resonance::new(draw, turning));
        }
        Ok(Box::new(Resonances(all)))
    }
}

/// What one kind of draws contributes along a line.
struct Kind {
    /// Of the angle `v`.
    turns: super::super::vertical_contour::Turns,
    /// About its change from node to node.
    step: f64,
    two_pi_sigma2: Enclosure,
    /// `times sigma^2/2`.
    half_weight: Enclosure,
    /// `times c D`.
    shift: Enclosure,
    constant: Complex,
    /// The constant without the error of the terms left out, `1/T(0)`, and a bound of it.
    bare: Complex,
    per_zero: Enclosure,
    terms: Vec<Complex>,
    quiet: Option<Quiet>,
    times: u64,
}

/// Near the real axis all terms of T but the constant are below the precision.
///
/// For `|v| <= reach = pi - b/(2 pi sigma^2)` the terms of `+-m` are at most
/// `2 e^(-2 pi sigma^2 m (pi m - |v|)) <= 2 e^(-m b)`, all together `2 e^-b/(1 - e^-b)`.
struct Quiet {
    reach: Float,
    constant: Complex,
    /// The constant to the power of the kind's times.
    power: Complex,
}

impl Quiet {
    fn new(sigma2: &Rational, times: u64, zero: &Enclosure, bits: u32) -> Option<Self> {
        let b = Enclosure::integer(&Integer::from(bits), BOUND_BITS);
        let slope = &Enclosure::pi(BOUND_BITS).shift(1) * &Enclosure::rational(sigma2, BOUND_BITS);
        let reach = &Enclosure::pi(BOUND_BITS) - &(&b / &slope);
        let small = (-&b).exp();
        let rest = &small.shift(1) / &(&Enclosure::one(BOUND_BITS) - &small);
        let constant = Complex::real(&zero.recip(), bits).widen((&rest / &zero.with_bits(BOUND_BITS)).upper());
        let power = constant.pow(times);
        (*reach.lower() > 0).then(|| Quiet { reach: reach.lower().clone(), constant, power })
    }
}

struct Values {
    offset: super::super::vertical_contour::Turns,
    exponential: Enclosure,
    kinds: Vec<Kind>,
    bits: u32,
}

impl Values {
    fn at(&self, k: u64) -> Complex {
        let bits = self.bits;
        let mut fall = Enclosure::zero(bits);
        let mut phase = self.offset.angle(k, bits);
        let mut thetas = Complex::one(bits);
        for kind in &self.kinds {
            let v = kind.turns.angle(k, bits);
            // e^((x+iv)^2 sigma^2/2) = e^(x^2 sigma^2/2) e^(-v^2 sigma^2/2) e^(i x sigma^2 v), x sigma^2 = c D.
            fall = &fall + &(&kind.half_weight * &v.square());
            phase = &phase + &(&kind.shift * &v);
            let quiet = kind.quiet.as_ref().filter(|quiet| *v.abs().upper() <= quiet.reach);
            let mut theta = quiet.map_or(&kind.constant, |quiet| &quiet.constant).clone();
            if quiet.is_none() {
                let rise = (&kind.two_pi_sigma2 * &v).exp();
                let (up, down) = (Complex::real(&rise, bits), Complex::real(&rise.recip(), bits));
                let (mut ups, mut downs) = (up.clone(), down.clone());
                for term in &kind.terms {
                    theta = &(&theta + &(term * &downs)) + &(&term.conjugate() * &ups);
                    ups = &ups * &up;
                    downs = &downs * &down;
                }
            }
            thetas = &thetas * &theta.pow(kind.times);
        }
        let modulus = &self.exponential * &(-fall).exp();
        &(&Complex::real(&modulus, bits) * &Complex::cis(&phase, bits)) * &thetas
    }
}

/// Nodes that are reached from one another by multiplication.
const CHUNK: u64 = 48;

impl Values {
    /// About how many nodes there are before some kind's `v` leaves `[-pi, pi]`, at most a chunk. (A guess: the chunk
    /// itself is sure.)
    fn clear(&self, first: u64) -> u64 {
        let nodes = self.kinds.iter().map(|kind| {
            let (v, d) = (kind.turns.angle(first, 64).lower().to_f64(), kind.step);
            let room = if d > 0.0 { std::f64::consts::PI - v } else { std::f64::consts::PI + v };
            (room / d.abs() + 0.999).max(1.0) as u64
        });
        nodes.fold(CHUNK, u64::min)
    }

    /// The values at the nodes `first, ..., first + count - 1`, by geometric progressions.
    ///
    /// With `v = v_0 + j d` for each kind, the exponent of the product is quadratic in j: its exponential is a
    /// progression whose ratio is one; and each term of T is a progression. `None` if some `v` leaves `[-pi, pi]` on
    /// the way, where the bound of the terms left out ends to hold.
    fn chunk(&self, first: u64, count: usize) -> Option<Vec<Complex>> {
        let bits = self.bits;
        let last = Enclosure::integer(&Integer::from(count.saturating_sub(1)), bits);
        let pi = Enclosure::pi(BOUND_BITS);
        let zero = || Enclosure::zero(bits);
        let (mut fall, mut fall_step, mut fall_second) = (zero(), zero(), zero());
        let (mut phase, mut phase_step) = (self.offset.angle(first, bits), self.offset.angle(1, bits));
        let mut constant = Complex::one(bits);
        let mut moving = Vec::new();
        for kind in &self.kinds {
            let (v, d) = (kind.turns.angle(first, bits), kind.turns.angle(1, bits));
            let end = &v + &(&d * &last);
            let farthest = v.abs().max(&end.abs());
            if farthest.upper() > pi.lower() {
                return None;
            }
            fall = &fall + &(&kind.half_weight * &v.square());
            fall_step = &fall_step + &(&kind.half_weight * &(&(&v.shift(1) * &d) + &d.square()));
            fall_second = &fall_second + &(&kind.half_weight * &d.square().shift(1));
            phase = &phase + &(&kind.shift * &v);
            phase_step = &phase_step + &(&kind.shift * &d);
            match kind.quiet.as_ref().filter(|quiet| *farthest.upper() <= quiet.reach) {
                Some(quiet) => constant = &constant * &quiet.power,
                None => moving.push(Theta::new(kind, &v, &d, &farthest, bits)),
            }
        }
        let scale = &Complex::real(&(&self.exponential * &(-fall).exp()), bits) * &constant;
        let mut value = &scale * &Complex::cis(&phase, bits);
        let mut ratio = &Complex::real(&(-fall_step).exp(), bits) * &Complex::cis(&phase_step, bits);
        let second = Complex::real(&(-fall_second).exp(), bits);
        let mut values = Vec::with_capacity(count);
        for j in 0..count {
            if j > 0 {
                value = &value * &ratio;
                ratio = &ratio * &second;
                moving.iter_mut().for_each(Theta::step);
            }
            values.push(moving.iter().fold(value.clone(), |product, theta| &product * &theta.power()));
        }
        Some(values)
    }
}

/// The theta sum of one kind, moving along nodes.
struct Theta<'a> {
    kind: &'a Kind,
    constant: Complex,
    /// The terms, and what they are multiplied by from node to node.
    terms: Vec<(Complex, Complex)>,
}

impl<'a> Theta<'a> {
    /// Terms that are below the precision everywhere on the way go into the error: with `|v| <= w` those of `+-m` are
    /// at most `2 e^(-2 pi sigma^2 m (pi m - w))`, and from the first left out on each is at most that times `e^-x` of
    /// the one before, `x = 2 pi sigma^2 (pi (2m + 1) - w) >= 2 pi^2 sigma^2 m`.
    fn new(kind: &'a Kind, v: &Enclosure, d: &Enclosure, farthest: &Enclosure, bits: u32) -> Self {
        let pi = Enclosure::pi(BOUND_BITS);
        let slope = kind.two_pi_sigma2.with_bits(BOUND_BITS);
        let w = farthest.with_bits(BOUND_BITS);
        let depth = |m: u32| &slope.mul_u32(m) * &(&pi.mul_u32(m) - &w);
        let enough = f64::from(bits) * std::f64::consts::LN_2;
        let all = kind.terms.len() as u32;
        let kept = (0..all).find(|m| depth(m + 1).lower().to_f64() > enough).unwrap_or(all);
        let constant = if kept == all {
            kind.constant.clone()
        } else {
            let ratio = (-(&slope * &pi.mul_u32(kept + 1))).exp();
            let rest = (-depth(kept + 1)).exp().shift(1) / (&Enclosure::one(BOUND_BITS) - &ratio);
            kind.bare.clone().widen((&rest * &kind.per_zero).upper())
        };
        let (rise, rise_step) = ((&kind.two_pi_sigma2 * v).exp(), (&kind.two_pi_sigma2 * d).exp());
        let power = |x: &Enclosure, m: u64| Complex::real(&x.pow(m), bits);
        let (fall, fall_step) = (rise.recip(), rise_step.recip());
        let mut terms = Vec::with_capacity(2 * kind.terms.len());
        for (m, term) in (1u64..).zip(kind.terms.iter().take(kept as usize)) {
            terms.push((term * &power(&fall, m), power(&fall_step, m)));
            terms.push((&term.conjugate() * &power(&rise, m), power(&rise_step, m)));
        }
        Theta { kind, constant, terms }
    }

    fn step(&mut self) {
        for (term, ratio) in &mut self.terms {
            *term = &*term * ratio;
        }
    }

    fn power(&self) -> Complex {
        self.terms.iter().fold(self.constant.clone(), |sum, (term, _)| &sum + term).pow(self.kind.times)
    }
}

impl Moments for Values {
    fn run(&mut self, first: u64, count: usize, budget: &Budget) -> Result<Vec<Complex>, Error> {
        let mut values = Vec::with_capacity(count);
        let end = first + count as u64;
        let mut from = first;
        while from < end {
            budget.check()?;
            let length = self.clear(from).min(end - from);
            match self.chunk(from, length as usize) {
                Some(chunk) if length > 2 => values.extend(chunk),
                _ => values.extend((from..from + length).map(|k| self.at(k))),
            }
            from += length;
        }
        Ok(values)
    }
}

/// The modulus of one kind of draws along a line, in doubles that bound it from above.
///
/// By the triangle inequality in the theta sum `|E(x+iv)| T(0) <= e^(x^2 sigma^2/2) H(v)`,
/// `H(v) = sum_m e^(-sigma^2 (v + 2 pi m)^2/2)`, and `E(x) T(0) = e^(x^2 sigma^2/2) T(x) >= e^(x^2 sigma^2/2) (1 -
/// r)`. For `|v| <= pi`
///
/// `ln H(v) <= -sigma^2 v^2/2 + ln(1 + e^(-t)) + r`, `t = 2 pi sigma^2 (pi - |v|)`,
///
/// with the term `m = -1` in the logarithm and all others in `r`; `ln(1 + e^(-t)) <= min(e^(-t), ln 2)` and
/// `e^(-t) <= 1/(1 + t + t^2/2 + t^3/6)`. `H` is even and falls on `[0, pi]` (Jacobi's triple product), so on a range
/// of nodes the least distance from a whole turn counts.
struct Resonance {
    turning: Turning,
    /// `2 pi^2 sigma^2`, rounded down: `sigma^2 v^2/2 = 2 pi^2 sigma^2 d^2` at `d` turns from a whole one.
    weight: f64,
    /// `4 pi^2 sigma^2`, rounded down: `t` per turn.
    slope: f64,
    /// `r` and `-ln(1 - r)`, rounded up; the bound is of no use if it is not finite.
    rest: f64,
    times: f64,
}

impl Resonance {
    fn new(draw: &Draws, turning: Turning) -> Self {
        let pi2 = Enclosure::pi(BOUND_BITS).square();
        let sigma2 = Enclosure::rational(&draw.sigma2, BOUND_BITS);
        let weight = &(&pi2 * &sigma2).shift(1);
        // All terms but m = 0 and m = -1, at their largest over 0 <= v <= pi: m = 1 at v = 0, and for m >= 2 both
        // signs as in `coefficients`.
        let first = (-weight).exp();
        let second = (-weight.shift(1)).exp();
        let rest = &first + &(&second.shift(1) / &(&Enclosure::one(BOUND_BITS) - &second.square()));
        // T(x) >= 1 - 2 sum_m e^(-2 pi^2 sigma^2 m^2) >= 1 - 2 e^-w/(1 - e^(-3w)).
        let theta = &first.shift(1) / &(&Enclosure::one(BOUND_BITS) - &(-weight.mul_u32(3)).exp());
        let below = -(-theta).log1p();
        Resonance {
            turning,
            weight: weight.lower().to_f64_round(rug::float::Round::Down),
            slope: weight.shift(1).lower().to_f64_round(rug::float::Round::Down),
            rest: (&rest + &below).upper().to_f64_round(rug::float::Round::Up),
            times: draw.times as f64,
        }
    }

    fn log_bound(&self, from: u64, to: u64) -> f64 {
        let d = self.turning.distance(from, to);
        let t = self.slope * (0.5 - d).max(0.0);
        let beside = (1.0 / (1.0 + t + t * t / 2.0 + t * t * t / 6.0)).min(LN_2_UP);
        // A few operations with nonnegative doubles each: 1e-12 covers their roundings many times over.
        let log = beside * (1.0 + 1e-12) + self.rest * (1.0 + 1e-12) - self.weight * d * d * (1.0 - 1e-12);
        if log.is_nan() { 0.0 } else { log.min(0.0) * self.times }
    }
}

struct Resonances(Vec<Resonance>);

impl Decay for Resonances {
    fn log_bound(&self, from: u64, to: u64, _budget: &Budget) -> Result<f64, Error> {
        work::spend(15 * self.0.len() as u64);
        let sum: f64 = self.0.iter().map(|one| one.log_bound(from, to)).sum();
        // The sum of fewer than a million nonpositive doubles.
        Ok(sum * (1.0 - 1e-9))
    }

    /// The bound is of `H(v)`, a sum of terms `e^(-c x^2)` over all whole turns. Its Fourier coefficients are values of
    /// a normal density, so none is negative; neither is one of a product. At v = 0 the bound is `e^r`.
    fn is_definite(&self) -> bool {
        self.0.iter().map(|one| (one.rest + doubles::exp(-one.slope / 2.0)) * one.times).sum::<f64>() < DEFINITE
    }
}
