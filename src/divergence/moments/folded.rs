//! Losses of a curve folded at the diagonal: a sample of fixed size, `C_r(f) = min{f_r, f_r^-1}**` with
//! `f_r = r f + (1-r) Id` (Dong, Roth, Su, Theorem 4.2), and the larger one of both orders of a Poisson sample, which
//! is the same curve. f is that of Gaussian or Laplace noise, its own mirror image.
//!
//! With t the loss of the noise and `w = 1 - r + r e^t`, the slope of `f_r` is `-w`, and -1 where t = 0. So the curve
//! is `f_r` up to there, then a straight piece of slope -1, then the mirror image of the first part. A place of the
//! noise with `t > 0`, of mass du under the distribution for which t is the loss of the other one, is two outcomes: one
//! of mass du with the loss `-ln w`, and one of mass `w du` with the loss `ln w`; what is left has the loss 0. Hence
//!
//! ```text
//! E g(L) = g(0) + int_{t>0} [g(-ln w) + w g(ln w) - (1+w) g(0)] du,
//! D_F    = int_{t>0} [w F(1/w) + F(w)] du        (F(1) = 0)
//! ```
//!
//! and both orders agree. **What is cut off** of Gaussian noise beyond B: with `1 <= w <= e^t` and
//! `|g(l)| <= K e^|l|` the bracket is at most `4 K e^(2t)`; that of order a, `w^(1-a) + w^a - w - 1`, lies between 0
//! and `2 e^(a t)`, and `(w-1) ln w` below `e^(2t)`. The integral of `phi(x) e^(a t)` from B on is
//! `e^(a(a-1) mu^2/2) (1-Phi)(B - a mu)`. Where t = 0 is not met exactly, a piece as short as the precision is left out
//! or taken twice, on which the bracket is below `4 K + 1`. Paper proof: `proofs/paper/moments.md`.

use std::f64::consts::LN_2;

use rug::Float;
use rug::float::Round::Up;

use super::Average;
use super::line::{Laplace, Law, Normal};
use super::panels::{Bracket, Panels};
use crate::error::Error;
use crate::pair::{Derived, Pair};
use enclosure::taylor::{Taylor, integrate};
use enclosure::{Budget, Enclosure, Portable, Real};

/// A folded curve.
pub struct Folded {
    noise: Noise,
    rate: Real,
}

enum Noise {
    Gaussian(Real),
    Laplace(Real),
}

/// The integrand of a divergence.
#[derive(Clone, Debug)]
pub enum Generator {
    /// `t^a - 1`, of an order `a > 1`.
    Power(Real),
    /// `t ln t`.
    Entropy,
}

/// How precise an integral has to be: off by about `2^(scale - bits)`.
#[derive(Clone, Copy)]
struct Goal {
    bits: u32,
    scale: i32,
}

/// The precision of bounds.
const COARSE: u32 = 64;
/// More pieces than this are not summed.
const MOST_PIECES: f64 = 1e5;

impl Folded {
    /// Of what an operator makes, where it is this.
    pub fn of(derived: &Derived) -> Option<Self> {
        let (rate, noise) = derived.folded()?;
        let noise = match noise {
            Pair::Gaussian { mu } => Noise::Gaussian(mu),
            Pair::Laplace { shift } => Noise::Laplace(shift),
            _ => return None,
        };
        Some(Folded { noise, rate })
    }

    /// The rate, and the noise.
    pub fn inside(&self) -> (&Real, Pair) {
        let noise = match &self.noise {
            Noise::Gaussian(mu) => Pair::Gaussian { mu: mu.clone() },
            Noise::Laplace(shift) => Pair::Laplace { shift: shift.clone() },
        };
        (&self.rate, noise)
    }

    /// The divergence of a generator, off by about `2^-bits` of itself where it is large: of a power it is
    /// `e^((a-1) D) - 1`.
    ///
    /// # Errors
    /// [`Error::Undecided`] for integrals out of reach.
    pub fn divergence(&self, generator: &Generator, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let growth = match generator {
            Generator::Power(order) => order.enclosure(COARSE),
            Generator::Entropy => Enclosure::integer(&2.into(), COARSE),
        };
        let goal = Goal { bits, scale: self.magnitude(growth.upper().to_f64()) };
        let size = Enclosure::integer(&2.into(), COARSE);
        if let Noise::Gaussian(mu) = &self.noise
            && let Some(value) = self.by_panels(mu, generator, (&growth, &size), goal, budget)?
        {
            return Ok(value);
        }
        self.by_polynomials(generator, (&growth, &size), goal, budget)
    }

    /// The same of any noise, by Taylor polynomials.
    fn by_polynomials(
        &self,
        generator: &Generator,
        (growth, size): (&Enclosure, &Enclosure),
        goal: Goal,
        budget: &Budget,
    ) -> Result<Enclosure, Error> {
        let bracket = |ratio: &Taylor, loss: &Taylor| {
            let bits = loss.bits();
            let one = Enclosure::one(bits);
            match generator {
                Generator::Entropy => vec![ratio.plus(&-one).mul(loss)],
                Generator::Power(order) => {
                    let a = order.enclosure(bits);
                    // w^a - w and w^(1-a) - 1, each without the cancellation at w = 1.
                    let above = loss.times(&(&a - &one)).expm1();
                    let below = loss.times(&(&one - &a)).expm1();
                    vec![ratio.mul(&above).add(&below)]
                }
            }
        };
        let value = self.integral(growth, size, None, goal, budget, &bracket)?;
        value.into_iter().next().ok_or_else(|| Error::internal("no integral"))
    }

    /// The same of Gaussian noise, by the rule of Gauss and Legendre; `None` where that takes too many nodes.
    fn by_panels(
        &self,
        mu: &Real,
        generator: &Generator,
        (growth, size): (&Enclosure, &Enclosure),
        Goal { bits, scale }: Goal,
        budget: &Budget,
    ) -> Result<Option<Enclosure>, Error> {
        let wide = bits.saturating_add(32);
        let (start, end, outside, _) = self.range(growth, size, wide)?;
        let low = Float::with_val(wide, start.lower() + start.upper()) / 2u32;
        let panels = Panels { rate: &self.rate, mu, of: Bracket::Divergence(generator) };
        let found = panels.integral((&low, &end), (bits, scale), budget)?.and_then(|all| all.into_iter().next());
        let Some(value) = found else { return Ok(None) };
        // Where t = 0 is known only nearly: a piece so short, on which the bracket is at most `2 e^(a |t|)`.
        let width = Float::with_val_round(COARSE, start.upper() - start.lower(), Up).0;
        let width = Enclosure::new(Float::new(COARSE), width);
        let slack = &(&width * size) * &(&(&width * growth) * &mu.enclosure(COARSE)).exp();
        Ok(Some(value.widen(outside.upper()).widen(slack.upper())))
    }

    /// About the Renyi divergence of an order, by Simpson's rule in doubles: a guess.
    pub fn sketch(&self, order: f64) -> f64 {
        let rate = self.rate.to_f64();
        // ln of w^a + w^(1-a) - w - 1.
        let bracket = |noise: f64| {
            let log = if noise > 30.0 {
                noise + (rate + (1.0 - rate) * (-noise).portable_exp()).portable_ln()
            } else {
                (rate * noise.portable_exp_m1()).portable_ln_1p()
            };
            let above = (order - 1.0) * log;
            if above > 40.0 {
                order * log
            } else {
                (log.portable_exp() * above.portable_exp_m1() + (-above).portable_exp_m1()).portable_ln()
            }
        };
        let (low, high, mut terms) = match &self.noise {
            Noise::Gaussian(mu) => (mu.to_f64() / 2.0, order * mu.to_f64() + 10.0, Vec::new()),
            Noise::Laplace(shift) => (0.0, 1.0, vec![bracket(shift.to_f64()) - shift.to_f64() - LN_2]),
        };
        let steps = 2 * (((high - low) * 30.0).clamp(300.0, 1e4) as u32);
        let step = (high - low) / f64::from(steps);
        for i in 0..=steps {
            let x = low + step * f64::from(i);
            let (noise, density) = match &self.noise {
                Noise::Gaussian(mu) => {
                    let mu = mu.to_f64();
                    (mu * x - mu * mu / 2.0, -(x * x + (2.0 * std::f64::consts::PI).portable_ln()) / 2.0)
                }
                Noise::Laplace(shift) => {
                    let s = shift.to_f64();
                    (s * x, (s / 4.0).portable_ln() - s * (x + 1.0) / 2.0)
                }
            };
            let weight: f64 = match i {
                0 => 1.0,
                i if i == steps => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            terms.push(bracket(noise) + density + (weight * step / 3.0).portable_ln());
        }
        let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|term| (term - top).portable_exp()).sum();
        let log = top + sum.portable_ln();
        let power = if log > 40.0 { log } else { log.portable_exp().portable_ln_1p() };
        power / (order - 1.0)
    }

    /// The averages over the loss, each off by about `2^-bits`.
    ///
    /// # Errors
    /// As above; cubes about a negative number are not supported.
    pub fn averages(&self, of: &[Average], bits: u32, budget: &Budget) -> Result<Vec<Enclosure>, Error> {
        let two = Enclosure::integer(&2.into(), COARSE);
        let goal = Goal { bits, scale: 0 };
        let mut all = Vec::new();
        for average in of {
            let kink = match average {
                Average::Cube(centre) if *centre.lower() < 0 => {
                    return Err(Error::undecided("dpcert has no formula for a moment about a negative mean"));
                }
                Average::Cube(centre) => Some(centre),
                _ => None,
            };
            let bracket = |above: bool| {
                move |ratio: &Taylor, loss: &Taylor| {
                    let bits = loss.bits();
                    let rest = average.at(&Enclosure::zero(bits));
                    let low = average.of(&loss.times(&-Enclosure::one(bits)), false);
                    let high = average.of(loss, above).mul(ratio);
                    let both = ratio.plus(&Enclosure::one(bits)).times(&-rest);
                    vec![low.add(&high).add(&both)]
                }
            };
            let size = average.size().mul_u32(4);
            let rest = average.at(&Enclosure::zero(bits.saturating_add(32)));
            let value = match kink {
                None => self.integral(&two, &size, None, goal, budget, &bracket(true))?,
                Some(centre) => {
                    let below = self.integral(&two, &size, Some((centre, false)), goal, budget, &bracket(false))?;
                    let above = self.integral(&two, &size, Some((centre, true)), goal, budget, &bracket(true))?;
                    below.iter().zip(&above).map(|(below, above)| below + above).collect()
                }
            };
            all.extend(value.iter().map(|value| &rest + value));
        }
        Ok(all)
    }

    /// About the binary logarithm of the integral of `w^a`, if that is large: a guess, which decides how precise the
    /// integral has to be and nothing else.
    fn magnitude(&self, order: f64) -> i32 {
        let rate = order * self.rate.to_f64().max(f64::MIN_POSITIVE).portable_ln();
        let log = match &self.noise {
            Noise::Gaussian(mu) => order * (order - 1.0) * mu.to_f64().powi(2) / 2.0,
            Noise::Laplace(shift) => (order - 1.0) * shift.to_f64(),
        };
        ((log + rate) / std::f64::consts::LN_2).clamp(0.0, 1e8) as i32
    }

    /// Integrals over the noise with `t > 0`, of what is at most `size e^(growth t)`: all of it, or what lies below or
    /// above the place where the loss is some number.
    fn integral(
        &self,
        growth: &Enclosure,
        size: &Enclosure,
        split: Option<(&Enclosure, bool)>,
        Goal { bits, scale }: Goal,
        budget: &Budget,
        bracket: &dyn Fn(&Taylor, &Taylor) -> Vec<Taylor>,
    ) -> Result<Vec<Enclosure>, Error> {
        let wide = bits.saturating_add(32);
        let gaussian;
        let laplace;
        let law: &dyn Law = match &self.noise {
            Noise::Gaussian(mu) => {
                gaussian = Normal { rate: self.rate.clone(), mu: mu.clone() };
                &gaussian
            }
            Noise::Laplace(shift) => {
                laplace = Laplace { rate: self.rate.clone(), shift: shift.clone() };
                &laplace
            }
        };
        let at = |noise: &Taylor| {
            let excess = noise.expm1().times(&self.rate.enclosure(noise.bits()));
            let loss = excess.log1p();
            (excess.plus(&Enclosure::one(noise.bits())), loss)
        };
        let (start, end, outside, pieces) = self.range(growth, size, wide)?;
        // What lies between the places of this loss, which may be known only nearly.
        let mut slack = Enclosure::zero(COARSE);
        let middle = |set: &Enclosure| Float::with_val(wide, set.lower() + set.upper()) / 2u32;
        let (mut low, mut high) = (middle(&start), end);
        let mut blurred = |set: &Enclosure| {
            let width = Float::with_val_round(COARSE, set.upper() - set.lower(), Up).0;
            let width = Enclosure::new(Float::new(COARSE), width);
            let (noise, density) = law.noise(&Taylor::constant(&set.with_bits(COARSE), 0));
            let steep = (&noise.value().abs() * growth).exp();
            slack = &slack + &(&(&(&width * size) * &steep) * density.value()).shift(2);
        };
        blurred(&start);
        let mut above = true;
        if let Some((centre, part)) = split {
            above = part;
            let kink = law.place(&(&centre.with_bits(wide).expm1() / &self.rate.enclosure(wide)).log1p());
            let point = |x: &Float| Enclosure::new(x.clone(), x.clone());
            let kink = kink.max(&point(&low)).min(&point(&high));
            blurred(&kink);
            if part { low = middle(&kink) } else { high = middle(&kink) }
        }
        let count = Float::with_val(53, &high - &low).to_f64() * pieces;
        if !(count < MOST_PIECES) {
            return Err(Error::undecided(format!(
                "this divergence is an integral over {count:.0} intervals, more than the limit of {MOST_PIECES:.0}"
            )));
        }
        let mut values = integrate((&low, &high), count.ceil().max(1.0) as u32, bits, budget, |x| {
            let (noise, density) = law.noise(x);
            let (ratio, loss) = at(&noise);
            let density = density.times(&Enclosure::one(x.bits()).shift(-scale));
            Ok(bracket(&ratio, &loss).iter().map(|value| value.mul(&density)).collect())
        })?;
        values.iter_mut().for_each(|value| *value = value.shift(scale));
        // Atoms are at the far end.
        for (noise, mass) in law.atoms(wide).iter().filter(|(noise, _)| above && *noise.lower() > 0) {
            let (ratio, loss) = at(&Taylor::constant(noise, 0));
            for (value, part) in values.iter_mut().zip(bracket(&ratio, &loss)) {
                *value = &*value + &(part.value() * mass);
            }
        }
        Ok(values.iter().map(|value| value.widen(outside.upper()).widen(slack.upper())).collect())
    }

    /// Where t = 0, the other end, what is left out beyond it, and how many pieces a unit of length has.
    fn range(
        &self,
        growth: &Enclosure,
        size: &Enclosure,
        wide: u32,
    ) -> Result<(Enclosure, Float, Enclosure, f64), Error> {
        match &self.noise {
            Noise::Laplace(shift) => {
                let end = Float::with_val(COARSE, 1);
                Ok((Enclosure::zero(wide), end, Enclosure::zero(COARSE), shift.to_f64().max(1.0)))
            }
            Noise::Gaussian(mu) => {
                let (set, one) = (mu.enclosure(COARSE), Enclosure::one(COARSE));
                // e^(a (a-1) mu^2/2), the part of the bound that does not fall.
                let grown = (&(growth * &(growth - &one)) * &set.square()).shift(-1);
                let goal = f64::from(wide) * std::f64::consts::LN_2 + size.upper().to_f64().portable_ln().max(0.0);
                let far = growth.upper().to_f64() * set.upper().to_f64();
                let reach = far + (2.0 * (goal + grown.upper().to_f64().max(0.0))).sqrt() + 1.0;
                if !reach.is_finite() {
                    return Err(Error::undecided("the noise is too small for the integral"));
                }
                let end = Float::with_val(COARSE, reach.ceil());
                let away = (&Enclosure::new(end.clone(), end.clone()) - &(growth * &set)).positive_part();
                let outside = &(&grown.exp() * size) * &(-away.square().shift(-1)).exp();
                Ok((mu.enclosure(wide).shift(-1), end, outside, (set.upper().to_f64() / 0.8).max(1.0)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::{Engines, Method};
    use crate::curve::Direction;
    use crate::divergence::moments::averages;
    use crate::divergence::{Kind, composed};
    use crate::mechanism::Composition;
    use rug::Rational;

    const CURVES: [&str; 3] = [
        "subsample(rate=1/3, laplace(scale=1/2))",
        "subsample(rate=1/4, gdp(mu=1)^4)",
        "hull(poisson(rate=1/5, gaussian(sigma=1/2)))",
    ];

    fn folded(text: &str) -> Folded {
        let pairs = text.parse::<Composition>().expect(text).pairs().expect("pairs");
        match &pairs[..] {
            [(Pair::Derived(derived), 1)] => Folded::of(derived).expect(text),
            other => panic!("{text}: {} pairs", other.len()),
        }
    }

    /// The profile of the same curve, which comes about otherwise: a divergence is
    /// `int F''(x) H dx + int x^-3 F''(1/x) H dx` over x >= 1 (Sason, Verdu 2016), here between sums of steps.
    #[test]
    fn divergences_agree_with_the_profile() {
        let steps = 2000_u32;
        for text in CURVES {
            let engines = Engines::new(text.parse().expect(text), Method::Auto);
            let budget = Budget::default();
            let last = Rational::from(if text.contains("laplace") { 2 } else { 20 });
            let at = |i: u32| &last * Rational::from((i, steps));
            let heights: Vec<Enclosure> = (0..=steps)
                .map(|i| {
                    let epsilon = Real::from(at(i));
                    let ask = |curve: &dyn crate::curve::Curve, budget: &Budget| {
                        curve.delta(&epsilon, Direction::Forward, 64, budget)
                    };
                    engines.ask(&budget, ask).expect("a height").enclosure(64)
                })
                .collect();
            let one = Enclosure::one(64);
            let exp =
                |factor: i32, epsilon: &Rational| Enclosure::rational(&Rational::from(epsilon * factor), 64).exp();
            // Primitives in epsilon of both weights: of t ln t, and of t^2 - 1.
            let entropy = |e: &Rational| &(&Enclosure::rational(e, 64) - &exp(-1, e)) + &one;
            let square = |e: &Rational| (&exp(1, e) - &exp(-2, e).shift(-1)).shift(1);
            let sums = |primitive: &dyn Fn(&Rational) -> Enclosure| {
                let weight = |i: u32| &primitive(&at(i + 1)) - &primitive(&at(i));
                let sum = |offset: usize| {
                    (0..steps).fold(Enclosure::zero(64), |sum, i| sum + &heights[i as usize + offset] * &weight(i))
                };
                (sum(1), sum(0))
            };
            let of = |kind: Kind| {
                let sum = composed(kind, &text.parse().expect(text)).expect("a divergence");
                match sum.value(Direction::Forward, 60, &budget).expect(text) {
                    crate::curve::Value::Finite(value) => value.enclosure(100),
                    crate::curve::Value::Infinite => panic!("{text}: infinite"),
                }
            };
            for (kind, primitive) in
                [(Kind::KullbackLeibler, &entropy as &dyn Fn(&Rational) -> Enclosure), (Kind::ChiSquared, &square)]
            {
                let (value, (below, above)) = (of(kind), sums(primitive));
                // Of Gaussian noise moved by 2, `E_P e^(5 L) = e^60`, so that deltas are at most `e^(60 - 5 eps)`; what
                // lies beyond 20, with a weight of at most `4 e^eps`, is at most `e^-20`.
                let more = &above + &Enclosure::integer(&(-20).into(), 64).exp();
                assert!(below.lower() < value.upper() && value.lower() < more.upper(), "{text}: {value:?}");
                assert!(value.relative_bits() >= Some(50), "{text}: {value:?}");
                let narrow = (&more - &below).mul_u32(10);
                assert!(narrow.upper() < value.lower(), "{text}: {below:?} {above:?}");
            }
        }
    }

    /// The rule of Gauss and Legendre and Taylor polynomials enclose the same numbers, at rates that are small and at
    /// 1, of little noise and much, at orders near 1 and far from it.
    #[test]
    fn panels_agree_with_taylor_polynomials() {
        let (budget, bits) = (Budget::default(), 70);
        let two = Enclosure::integer(&2.into(), COARSE);
        let real = |text: &str| text.parse::<Real>().expect(text);
        for (rate, mu) in [("1/100", "1"), ("1/3", "3"), ("1", "1/2"), ("1/1000", "sqrt(2)"), ("1/5", "1/20")] {
            let folded = Folded { rate: real(rate), noise: Noise::Gaussian(real(mu)) };
            let powers = ["1001/1000", "5/2", "7", "20"].map(|order| Generator::Power(real(order)));
            for generator in powers.into_iter().chain([Generator::Entropy]) {
                let growth = match &generator {
                    Generator::Power(order) => order.enclosure(COARSE),
                    Generator::Entropy => two.clone(),
                };
                let goal = Goal { bits, scale: folded.magnitude(growth.upper().to_f64()) };
                let panels = folded.by_panels(&real(mu), &generator, (&growth, &two), goal, &budget).expect("a rule");
                let panels = panels.unwrap_or_else(|| panic!("no panels of {rate} {mu} {generator:?}"));
                let other = folded.by_polynomials(&generator, (&growth, &two), goal, &budget).expect("an integral");
                assert!(panels.overlaps(&other), "{rate} {mu} {generator:?}: {panels:?} {other:?}");
                let width = Float::with_val(64, panels.upper() - panels.lower());
                let most = Float::with_val(64, Float::i_exp(1, goal.scale - bits as i32 + 2));
                assert!(width < most, "{rate} {mu} {generator:?}: {panels:?}");
            }
        }
    }

    /// Sketches are near enough for a search.
    #[test]
    fn sketches_are_near() {
        let budget = Budget::default();
        for text in CURVES {
            let folded = folded(text);
            for order in [(5, 4), (2, 1), (9, 1), (40, 1)].map(Rational::from) {
                let power = folded.divergence(&Generator::Power(Real::from(order.clone())), 60, &budget).expect(text);
                let above = order.to_f64() - 1.0;
                let divergence = power.log1p().lower().to_f64() / above;
                let off = folded.sketch(order.to_f64()) / divergence - 1.0;
                assert!(off.abs() < 1e-5, "{text} {order}: {off}");
            }
        }
    }

    /// The mean is the divergence; and with all records in the sample everything is as the noise has it.
    #[test]
    fn averages_are_those_of_the_definition() {
        let budget = Budget::default();
        for text in CURVES {
            let folded = folded(text);
            let mean = folded.averages(&[Average::Power(1)], 100, &budget).expect(text).remove(0);
            let entropy = folded.divergence(&Generator::Entropy, 100, &budget).expect(text);
            assert!(mean.overlaps(&entropy) && mean.relative_bits() > Some(70), "{text}: {mean:?} {entropy:?}");
            // A mean of sqrt(q/p) under P.
            let affinity = folded.averages(&[Average::Affinity], 100, &budget).expect(text).remove(0);
            assert!(*affinity.upper() < 1 && *affinity.lower() > 0, "{text}: {affinity:?}");
        }
        for noise in [Pair::Gaussian { mu: Real::one() }, Pair::Laplace { shift: Real::one() }] {
            let law = match &noise {
                Pair::Laplace { shift } => Noise::Laplace(shift.clone()),
                Pair::Gaussian { mu } => Noise::Gaussian(mu.clone()),
                _ => panic!("noise"),
            };
            let centre = Enclosure::rational(&Rational::from((1, 3)), 200);
            let of = [Average::Power(2), Average::Cube(centre), Average::Triangle, Average::Midpoint];
            let folded = Folded { rate: Real::one(), noise: law }.averages(&of, 80, &budget).expect("averages");
            let whole = averages(&noise, &of, Direction::Forward, 80, &budget).expect("averages").values;
            for (folded, whole) in folded.iter().zip(&whole) {
                assert!(folded.overlaps(whole) && folded.relative_bits() > Some(60), "{folded:?} {whole:?}");
            }
        }
        // A large value is known to so many bits of itself: `e^(mu^2) - 1`.
        let far = Folded { rate: Real::one(), noise: Noise::Gaussian(Real::from(4)) };
        let value = far.divergence(&Generator::Power(Real::from(2)), 60, &budget).expect("a divergence");
        let whole = Enclosure::integer(&16.into(), 200).expm1();
        assert!(value.overlaps(&whole) && value.relative_bits() > Some(40), "{value:?}");
    }
}
