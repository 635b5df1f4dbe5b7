//! Gaussian mechanisms and their compositions, in closed form.
//!
//! The pair is `N(0, 1)` against `N(mu, 1)`. With `m = mu^2`, `s = eps/mu - mu/2`, `t = eps/mu + mu/2`, the density
//! `phi`, the upper tail `Q` and Mills' ratio `R = Q/phi`,
//!
//! `delta(eps) = Q(s) - e^eps Q(t) = phi(s) [R(s) - R(t)]`, because `phi(s) = e^eps phi(t)`.
//!
//! The squares `s^2 = (eps - m/2)^2 / m` and `t^2 = (eps + m/2)^2 / m` are rational for rational `eps` and `m`, even
//! where `mu` is not, and the series depend on the squares only. Three forms share the work:
//!
//! | where | form |
//! |---|---|
//! | t moderate | `(1 - e^eps)/2 + phi(s) [t f(t^2) - s f(s^2)]`, with Kummer's series f of positive terms |
//! | t far | `Q(s) - phi(s) A(1/t^2)/t`, with the asymptotic series A, for `Q(s)` too where s is far |
//! | s far below 0 | `Q(s) - e^eps Q(t)` is within `e^{-s^2/2}` of 1 (of `1 - e^eps` where `t < 0`) |
//!
//! How many bits a form loses is estimated beforehand and added; the estimate is not trusted, for every form
//! reports the enclosure it got. Paper proof: `proofs/paper/gaussian.md`.

use std::cmp::Ordering;

use rug::float::Round::Up;
use rug::{Float, Rational};

use crate::alarm;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::statement::{self, Statement};
use enclosure::root::newton;
use enclosure::special::{
    Tail, asymptotic, enclosure_thin, exp_thin, kummer, ln_thin, prefers_asymptotic, rational_thin, tail_quantile,
};
use enclosure::{Brief, Budget, Enclosure, Note, Number, Portable, Real};

/// Up to this many bits in numerators and denominators, squares are formed exactly.
const EXACT_BITS: u32 = 256;

/// `N(0, 1)` against `N(mu, 1)`: one Gaussian mechanism, or any composition of them.
#[derive(Clone, Debug)]
pub struct Gaussian {
    mu_squared: Real,
}

impl Gaussian {
    /// From `mu^2 = sum (sensitivity_i / sigma_i)^2`, which composition adds up (Dong, Roth, Su, Corollary 3.3).
    ///
    /// # Errors
    /// [`Error::Input`] if it is not positive, [`Error::Undecided`] if its sign cannot be decided.
    pub fn new(mu_squared: Real) -> Result<Self, Error> {
        match mu_squared.sign() {
            Some(Ordering::Greater) => Ok(Gaussian { mu_squared }),
            Some(_) => Err(Error::input("mu^2 of a Gaussian mechanism must be positive")),
            None => Err(Error::Undecided("cannot decide the sign of mu^2 of a Gaussian mechanism".into())),
        }
    }

    /// `mu`, exactly rational where it is.
    pub fn mu(&self, bits: u32) -> Number {
        self.mu_squared.number(bits).sqrt(bits)
    }

    /// `delta(eps)` for `mu > 0`.
    fn profile(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let bits = bits.max(16);
        let mut point = Point::new(self, epsilon, bits.saturating_add(64));
        let plan = Plan::new(&point, bits)?;
        if plan.bits.saturating_add(8) > point.bits {
            point = Point::new(self, epsilon, plan.bits.saturating_add(8));
        }
        budget.note("working precision", format_args!("{} bits", plan.bits));
        budget.note(
            "form",
            match plan.form {
                Form::Kummer => "Kummer's series",
                Form::Tail { far_s: false } => "one tail, and an asymptotic series for the farther one",
                Form::Tail { far_s: true } => "asymptotic series for both tails",
                Form::Saturated => "epsilon is so far below 0 that delta is close to 1",
            },
        );
        match plan.form {
            Form::Kummer => point.kummer(plan.bits, budget),
            Form::Tail { far_s } => point.tail(plan.bits, far_s, budget),
            Form::Saturated => point.saturated(plan.bits),
        }
    }

    /// `1 - delta(eps)` for `mu > 0` and `eps >= 0`, with relative accuracy also where delta is near 1:
    /// `phi(s) [R(-s) + R(t)]` for `s < 0`, both terms positive.
    fn complement(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let bits = bits.max(16);
        let coarse = Point::new(self, epsilon, bits.saturating_add(64));
        let Estimate { ys, s_negative, .. } = Estimate::new(&coarse);
        if !s_negative || ys.is_nan() || ys <= 0.5 {
            return Ok(Enclosure::one(bits + 8) - self.profile(epsilon, bits.saturating_add(8), budget)?);
        }
        let extra = room(ys)?;
        let point = Point::new(self, epsilon, bits.saturating_mul(2).saturating_add(extra.saturating_mul(2) + 200));
        let mu = self.mu_squared.enclosure(point.bits).sqrt();
        let (s, t) = (-(point.a.enclosure(point.bits) / &mu), point.b.enclosure(point.bits) / &mu);
        let near = Tail { x: &s, y: &point.ys };
        let far = Tail { x: &t, y: &point.yt };
        Ok(near.density(bits + 4) * (near.mills(bits + 4, budget)? + far.mills(bits + 4, budget)?))
    }

    /// `-delta'(eps) = e^eps Q(t) = phi(s) R(t)` for `mu > 0`; far below `t = 0`, which only a search visits, just
    /// `1/2 <= Q(t) <= 1`.
    fn slope(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let coarse = Point::new(self, epsilon, 64);
        let size = Estimate::new(&coarse).yt;
        if size > 64.0 && coarse.b.sign() == Some(Ordering::Less) {
            let exp = epsilon.enclosure(bits).exp();
            return Ok(exp.shift(-1).hull(&exp));
        }
        let extra = room(size)?;
        let point = Point::new(self, epsilon, bits.saturating_mul(2).saturating_add(extra.saturating_mul(2) + 200));
        let mu = self.mu_squared.enclosure(point.bits).sqrt();
        let (s, t) = (point.a.enclosure(point.bits) / &mu, point.b.enclosure(point.bits) / &mu);
        let density = Tail { x: &s, y: &point.ys }.density(bits + 4);
        Ok(density * Tail { x: &t, y: &point.yt }.mills(bits + 4, budget)?)
    }

    /// The root of `delta(eps) = target > 0` below `delta(0)`.
    fn invert(&self, target: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let target = |bits| target.number(bits);
        let near_one = matches!(target(64).compare(&Number::Exact(Rational::from((3, 4)))), Some(Ordering::Greater));
        // delta - D, through the complements where D is near 1.
        let value = |x: &Float, bits: u32| -> Result<Enclosure, Error> {
            let epsilon = real(x)?;
            Ok(if near_one {
                (Number::one() - target(bits + 8)).enclosure(bits + 8) - self.complement(&epsilon, bits + 4, budget)?
            } else {
                self.profile(&epsilon, bits + 4, budget)? - target(bits + 8).enclosure(bits + 8)
            })
        };
        // -delta' = e^eps Q(t) is not monotone, but its factors are: over [l, u] it lies between e^l Q(t_u) and
        // e^u Q(t_l), which are the slopes at the ends times e^{-(u-l)} and e^{u-l}.
        let slope = |set: &Enclosure, bits: u32| -> Result<Enclosure, Error> {
            if !set.is_bounded() {
                return Ok(Enclosure::whole(bits));
            }
            let low = self.slope(&real(set.lower())?, bits, budget)?;
            if set.is_point() {
                return Ok(low);
            }
            let high = self.slope(&real(set.upper())?, bits, budget)?;
            let length = Float::with_val_round(bits, set.upper() - set.lower(), Up).0;
            let factor = Enclosure::new(length.clone(), length).exp();
            Ok((low * &factor).hull(&(high / &factor)))
        };
        let start = self.search(&target(64), near_one, &value, &slope, budget)?;
        newton(&start, bits.saturating_add(8), budget, value, slope)
    }

    /// A number near the root, by Newton's method for the logarithm of delta (or of its complement), which is
    /// concave, kept within a bracket by bisection. It proves nothing.
    fn search(
        &self,
        target: &Number,
        near_one: bool,
        value: &impl Fn(&Float, u32) -> Result<Enclosure, Error>,
        slope: &impl Fn(&Enclosure, u32) -> Result<Enclosure, Error>,
        budget: &Budget,
    ) -> Result<Float, Error> {
        const BITS: u32 = 64;
        let m = self.mu_squared.enclosure(BITS);
        // delta(eps) <= Q(s) <= e^{-s^2/2} for s >= 0.
        let far = (-target.enclosure(BITS).ln().shift(1)).positive_part().sqrt();
        let mut high = Float::with_val(BITS, (m.shift(-1) + m.sqrt() * far).upper());
        let mut low = Float::new(BITS);
        let mut x = if near_one { Float::with_val(BITS, &high / 2u32) } else { high.clone() };
        let goal = if near_one { &Number::one() - target } else { target.clone() }.enclosure(BITS);
        for _ in 0..200 {
            budget.check()?;
            let error = value(&x, BITS)?;
            if error.lower().is_sign_negative() {
                high = x.clone();
            } else {
                low = x.clone();
            }
            let rate = slope(&Enclosure::new(x.clone(), x.clone()), BITS)?;
            // With c the quantity whose logarithm is taken and g its goal: ln(c/g) / (slope/c).
            let step = if near_one {
                let c = &goal - &error;
                -((&c / &goal).ln() * &c / rate)
            } else {
                let c = &goal + &error;
                (&c / &goal).ln() * &c / rate
            };
            let mut next = Float::with_val(BITS, &x + step.lower());
            if !(next > low && next < high) {
                next = Float::with_val(BITS, &low + &high) >> 1u32;
            }
            let moved = Float::with_val(BITS, &next - &x).abs();
            x = next;
            if moved <= Float::with_val(BITS, &x >> 40u32) {
                break;
            }
        }
        Ok(x)
    }
}

/// An exact dyadic number as a constant.
fn real(x: &Float) -> Result<Real, Error> {
    if x.get_exp().is_some_and(|exponent| exponent.unsigned_abs() > 1 << 24) {
        return Err(Error::Undecided("epsilon is outside 2^(+-16777216)".into()));
    }
    x.to_rational().map(Real::from).ok_or_else(|| Error::Undecided("epsilon is not finite".into()))
}

/// Bits of `e^{y/2}` and some more, for choices of precision; refuses what is far out of range.
fn room(y: f64) -> Result<u32, Error> {
    // Far arguments take the asymptotic series and need only their exponent.
    if y.is_finite() {
        Ok((y * 0.7214).min(4096.0) as u32 + y.max(1.0).portable_log2() as u32 + 16)
    } else {
        Err(out_of_range())
    }
}

fn out_of_range() -> Error {
    Error::Undecided("delta is below 2^-1073741823, outside the exponent range of the arithmetic".into())
}

/// Everything that the forms share at one epsilon.
struct Point {
    bits: u32,
    m: Number,
    epsilon: Number,
    /// `e^eps`, where it is rational.
    exp_epsilon: Option<Rational>,
    /// `eps - m/2 = mu s`.
    a: Number,
    /// `eps + m/2 = mu t`.
    b: Number,
    /// `s^2`.
    ys: Number,
    /// `t^2`.
    yt: Number,
}

impl Point {
    fn new(gaussian: &Gaussian, epsilon: &Real, bits: u32) -> Self {
        let exp_epsilon = epsilon.exp_rational();
        let short = |x: &Rational| x.numer().significant_bits().max(x.denom().significant_bits()) <= EXACT_BITS;
        let number = |x: &Real| match x.as_rational() {
            Some(value) if short(value) => Number::Exact(value.clone()),
            _ => Number::Enclosed(x.enclosure(bits)),
        };
        let m = number(&gaussian.mu_squared);
        let epsilon = match &exp_epsilon {
            Some(value) if *value == 1 => Number::zero(),
            Some(value) => Number::Enclosed(ln_thin(&rational_thin(value, bits.saturating_add(8)), bits)),
            None => number(epsilon),
        };
        let half = match &m {
            Number::Exact(m) => Number::Exact(Rational::from(m >> 1u32)),
            Number::Enclosed(m) => Number::Enclosed(m.shift(-1)),
        };
        let (a, b) = (&epsilon - &half, &epsilon + &half);
        let square = |x: &Number| match x {
            Number::Exact(x) => Number::Exact(Rational::from(x.square_ref())),
            Number::Enclosed(x) => Number::Enclosed(x.square()),
        };
        // One conversion of m, for both quotients.
        let divisor = match (&a, &m) {
            (Number::Enclosed(_), Number::Exact(m)) => Number::Enclosed(rational_thin(m, bits)),
            _ => m.clone(),
        };
        let (ys, yt) = (&square(&a) / &divisor, &square(&b) / &divisor);
        Point { bits, m, epsilon, exp_epsilon, a, b, ys, yt }
    }

    /// `phi(s) / mu = e^{-s^2/2} / sqrt(2 pi m)`.
    fn density(&self, bits: u32) -> Enclosure {
        let scale = (Enclosure::pi(bits).shift(1) * enclosure_thin(&self.m, bits)).sqrt();
        self.decay(bits) / scale
    }

    /// `e^{-s^2/2}`.
    fn decay(&self, bits: u32) -> Enclosure {
        exp_thin(&-enclosure_thin(&self.ys, self.bits.max(bits)).shift(-1), bits)
    }

    /// `1 - e^eps`.
    fn one_minus_exp(&self, bits: u32) -> Enclosure {
        match &self.exp_epsilon {
            Some(value) => Enclosure::rational(&Rational::from(1 - value), bits),
            None => {
                let epsilon = enclosure_thin(&self.epsilon, self.bits.max(bits));
                // Bits that cancel for an epsilon near zero.
                let near = epsilon.upper().get_exp().map_or(0, |exponent| exponent.min(0).unsigned_abs());
                let wide = bits.saturating_add(near.min(1 << 20)).saturating_add(2);
                Enclosure::one(wide) - exp_thin(&epsilon, wide)
            }
        }
    }

    /// `(1 - e^eps)/2 + phi(s)/mu [b f(t^2) - a f(s^2)]`.
    fn kummer(&self, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let near = enclosure_thin(&self.a, bits) * kummer(&self.ys, bits, budget)?;
        let far = enclosure_thin(&self.b, bits) * kummer(&self.yt, bits, budget)?;
        Ok(self.one_minus_exp(bits).shift(-1) + self.density(bits) * (far - near))
    }

    /// `Q(s) - phi(s) R(t)` with `R(t) = mu A(1/t^2)/b`, `b > 0`.
    fn tail(&self, bits: u32, far_s: bool, budget: &Budget) -> Result<Enclosure, Error> {
        let term = |shift: &Number, y: &Number| -> Result<Enclosure, Error> {
            let w = &Number::one() / y;
            Ok(asymptotic(&w, bits, budget)? / shift.enclosure(bits))
        };
        let far = term(&self.b, &self.yt)?;
        let density = self.density(bits);
        let m = enclosure_thin(&self.m, bits);
        if far_s {
            return Ok(density * m * (term(&self.a, &self.ys)? - far));
        }
        let central = enclosure_thin(&self.a, bits) * kummer(&self.ys, bits, budget)?;
        Ok(Enclosure::one(bits).shift(-1) - density * (central + m * far))
    }

    /// For `s < 0`: `1 - e^{-s^2/2} <= delta <= 1` if `t >= 0`, and `1 - e^eps <= delta <= 1 - e^eps + e^{-s^2/2}`
    /// if `t <= 0`; their union if the sign of t is not known.
    fn saturated(&self, bits: u32) -> Result<Enclosure, Error> {
        let tiny = self.decay(bits);
        let one = Enclosure::one(bits);
        let above = (&one - &tiny).hull(&one);
        let base = self.one_minus_exp(bits);
        let below = base.hull(&(&base + &tiny));
        Ok(match self.b.sign() {
            Some(Ordering::Less) => below,
            Some(_) => above,
            None => above.hull(&below),
        })
    }
}

/// Doubles near the quantities that the choice of a form and of its precision depends on.
struct Estimate {
    ys: f64,
    yt: f64,
    s_negative: bool,
    t_positive: bool,
    epsilon: f64,
    log2_mu: f64,
    log2_epsilon: f64,
}

impl Estimate {
    fn new(point: &Point) -> Self {
        let middle = |x: &Number| match x {
            Number::Exact(x) => Float::with_val(53, x),
            Number::Enclosed(x) => Float::with_val(53, x.lower()),
        };
        let epsilon = middle(&point.epsilon);
        Estimate {
            ys: middle(&point.ys).to_f64().max(0.0),
            yt: middle(&point.yt).to_f64().max(0.0),
            s_negative: middle(&point.a).is_sign_negative(),
            t_positive: middle(&point.b) > 0,
            epsilon: epsilon.to_f64(),
            log2_mu: log2(&middle(&point.m)) / 2.0,
            log2_epsilon: log2(&epsilon),
        }
    }

    /// About `log2 delta`, rather below than above.
    fn log2_delta(&self) -> f64 {
        if self.s_negative {
            // delta(eps) falls in s, and at s = 0 it is about min(1, mu) times a constant; far below also 1 - e^eps.
            let floor = if self.epsilon < 0.0 { self.log2_epsilon } else { f64::NEG_INFINITY };
            self.log2_mu.max(floor).min(0.0) - 3.0
        } else {
            // phi(s) min(mu |R'(s)|, R(s)), with R about 1/(1+s) and |R'| about 1/(1+s^2).
            -0.7214 * self.ys - 2.4
                + (self.log2_mu - (1.0 + self.ys).portable_log2()).min(-(1.0 + self.ys.sqrt()).portable_log2())
        }
    }
}

/// About `log2 |x|`, for any exponent.
fn log2(x: &Float) -> f64 {
    x.get_exp().map_or(f64::NEG_INFINITY, |exponent| {
        f64::from(exponent) + (Float::with_val(53, x.abs_ref()) >> exponent).to_f64().portable_log2()
    })
}

/// Which form, and with how many bits.
enum Form {
    Kummer,
    Tail { far_s: bool },
    Saturated,
}

struct Plan {
    form: Form,
    bits: u32,
}

impl Plan {
    fn new(point: &Point, bits: u32) -> Result<Self, Error> {
        let estimate = Estimate::new(point);
        let Estimate { ys, yt, s_negative, .. } = estimate;
        let asked = f64::from(bits);
        let log2_delta = estimate.log2_delta();
        if log2_delta.is_nan() || log2_delta <= -1.07e9 {
            return Err(out_of_range());
        }
        // e^{-y/2} needs the bits of y before its point, too.
        let whole = |y: f64| (1.0 + y).portable_log2();
        let plan = |form, bits: f64| {
            // Not beyond what memory could hold; NaN does not pass either.
            if bits < 3e9 { Ok(Plan { form, bits: bits as u32 }) } else { Err(out_of_range()) }
        };
        if s_negative && ys * 0.7213 > asked - log2_delta + 12.0 {
            return plan(Form::Saturated, asked - log2_delta + 12.0);
        }
        // Of R(s) - R(t), relative to R(s).
        let lost = if s_negative {
            -log2_delta
        } else {
            ((1.0 + ys).portable_log2() - estimate.log2_mu - (1.0 + ys.sqrt()).portable_log2()).max(0.0)
        };
        let relative = asked + lost + 8.0;
        if estimate.t_positive && prefers_asymptotic(yt, relative) {
            if !s_negative && prefers_asymptotic(ys, relative) {
                return plan(Form::Tail { far_s: true }, relative + whole(ys));
            }
            return plan(Form::Tail { far_s: false }, asked - log2_delta + 8.0 + whole(ys));
        }
        plan(
            Form::Kummer,
            asked - log2_delta + 8.0 + (estimate.epsilon * std::f64::consts::LOG2_E).max(0.0) + whole(ys.max(yt)),
        )
    }
}

impl Curve for Gaussian {
    fn symmetric(&self) -> bool {
        true
    }

    fn delta(&self, epsilon: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let value = self.profile(epsilon, bits, budget)?;
        alarm::probability(&value, "profile of a Gaussian").map(Number::Enclosed)
    }

    /// For `0 < delta < 1`: exactly 0 where `delta >= delta(0) = 2 Phi(mu/2) - 1` for certain. Where `delta` cannot be
    /// told from `delta(0)` at this precision, an interval that begins with 0.
    fn epsilon(&self, delta: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let zero = Real::from(0u64);
        let mut order = None;
        for bits in [64, bits.max(64)] {
            order = delta.number(bits).compare(&Number::Enclosed(self.profile(&zero, bits, budget)?));
            if order.is_none() && delta.number(64).compare(&Number::one()) == Some(Ordering::Less) {
                // A delta just below 1 is compared through the complements.
                let complement = Number::Enclosed(self.complement(&zero, bits, budget)?);
                order = complement.compare(&(&Number::one() - &delta.number(bits)));
            }
            if order.is_some() {
                break;
            }
        }
        match order {
            Some(Ordering::Less) => {
                let root = self.invert(delta, bits, budget)?;
                Ok(Value::Finite(Number::Enclosed(root.positive_part())))
            }
            Some(_) => Ok(Value::Finite(Number::zero())),
            None => {
                // The root, if there is one, is below the first epsilon that is proven to be enough.
                let mut high = Float::with_val(64, 1) >> bits;
                loop {
                    budget.check()?;
                    let value = Number::Enclosed(self.profile(&real(&high)?, bits, budget)?);
                    if value.compare(&delta.number(bits)) == Some(Ordering::Less) {
                        return Ok(Value::Finite(Number::Enclosed(Enclosure::new(Float::new(bits), high))));
                    }
                    if high.get_exp().is_none_or(|exponent| exponent > 64) {
                        return Err(Error::Undecided("cannot decide whether delta reaches delta(0)".into()));
                    }
                    high <<= 1u32;
                }
            }
        }
    }

    /// `G_mu(alpha) = Q(mu - z)` with `Q(z) = alpha`, for `0 < alpha < 1`.
    fn beta(&self, alpha: &Real, _: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let at = |bits| alpha.number(bits);
        if at(bits).compare(&Number::one()) != Some(Ordering::Less) {
            // Not told from 1 by these bits.
            return Ok(Number::Enclosed(Enclosure::zero(2).hull(&Enclosure::one(2))));
        }
        // The relative accuracy of Q(x) is that of x^2/2, absolutely: two more bits for each bit of |x| <= mu + |z|.
        let rough = tail_quantile(&at(64), 64, budget)?.enclosure(64).abs() + self.mu_squared.enclosure(64).sqrt();
        let extra = 2 * rough.upper().get_exp().unwrap_or(0).max(0).unsigned_abs();
        // In Kummer's form x meets numbers near e^{x^2/2}; there that is at most about 2^bits.
        let wide = bits.saturating_mul(2).saturating_add(extra).saturating_add(64);
        let wide = if rough.upper().to_f64() < 3.0 { bits.saturating_add(extra).saturating_add(32) } else { wide };
        let z = tail_quantile(&at(wide), wide, budget)?;
        let x = (&self.mu(wide) - &z).enclosure(wide);
        let y = Number::Enclosed(x.square());
        Ok(Number::Enclosed(Tail { x: &x, y: &y }.tail(bits, budget)?))
    }

    fn method(&self) -> &'static str {
        "closed form"
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("mu^2", Brief(&self.mu_squared))]
    }

    fn statement(&self) -> &'static Statement {
        &statement::GAUSSIAN
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rug::Integer;

    use super::*;
    use enclosure::refine;

    /// A decimal with an optional exponent, and one unit of its last place.
    fn decimal(text: &str) -> (Rational, Rational) {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let places = exponent.parse::<i32>().unwrap() - i32::try_from(part.len()).unwrap();
        let unit: Rational = rug::ops::Pow::pow(Rational::from(10), places);
        let value: Integer = format!("{whole}{part}").parse().unwrap();
        (&unit * Rational::from(value), unit)
    }

    fn rational(text: &str) -> Rational {
        match text.split_once('/') {
            Some((a, b)) => decimal(a).0 / decimal(b).0,
            None => decimal(text).0,
        }
    }

    fn gaussian(mu_squared: &str) -> Gaussian {
        Gaussian::new(Real::from(rational(mu_squared))).unwrap()
    }

    fn at(text: &str) -> Real {
        Real::from(rational(text))
    }

    fn delta(mu_squared: &str, epsilon: &Real, digits: u32) -> Enclosure {
        let budget = Budget::default();
        let gaussian = gaussian(mu_squared);
        refine(digits, &budget, |bits| gaussian.delta(epsilon, Direction::Forward, bits, &budget))
            .unwrap()
            .enclosure(4 * digits + 50)
    }

    fn beta(mu_squared: &str, alpha: &str, digits: u32) -> Enclosure {
        let budget = Budget::default();
        let gaussian = gaussian(mu_squared);
        refine(digits, &budget, |bits| gaussian.beta(&at(alpha), Direction::Forward, bits, &budget))
            .unwrap()
            .enclosure(4 * digits + 50)
    }

    fn epsilon(mu_squared: &str, delta: &str, digits: u32) -> Enclosure {
        let budget = Budget::default();
        let gaussian = gaussian(mu_squared);
        let value =
            refine(digits, &budget, |bits| match gaussian.epsilon(&at(delta), Direction::Forward, bits, &budget)? {
                Value::Finite(value) => Ok(value),
                Value::Infinite => panic!("infinite"),
            });
        value.unwrap().enclosure(4 * digits + 50)
    }

    #[track_caller]
    fn holds(set: &Enclosure, digits: &str) {
        let (value, unit) = decimal(digits);
        let near = *set.lower() <= Rational::from(&value + &unit) && *set.upper() >= Rational::from(&value - &unit);
        assert!(near, "{set:?} does not meet {digits}");
    }

    #[test]
    fn printed_profiles() {
        let zero = Real::from(0u64);
        holds(&delta("1", &zero, 40), "0.3829249225480262072754092212166754797672");
        holds(&delta("1", &at("1"), 40), "0.1269367375066439458008296247577668804151");
        holds(&delta("1/4", &at("1"), 40), "0.006829594983114575384235012879926872750027");
        holds(&delta("9", &at("2"), 40), "0.6858741657160493664222358515165753142955");
        holds(&delta("1", &at("5"), 40), "0.0000005793721691919494104206817790218920232467");
        holds(&delta("1/2", &Real::from(Rational::from(3)).ln().unwrap(), 16), "0.0303095292293572");
    }

    #[test]
    fn printed_trade_offs() {
        holds(&beta("1", "0.05", 40), "0.7404889771585559293516965237010599664807");
        holds(&beta("1", "0.5", 40), "0.1586552539314570514147674543679620775221");
        holds(&beta("1/4", "0.01", 40), "0.9661010608771572225882786651410493874227");
        // The fixed points Phi(-mu/2) are reached from Phi(-mu/2) itself.
        let fixed = "0.06680720126885806600449404097988607952290";
        let value = beta("9", fixed, 30);
        holds(&value.with_bits(90), "0.06680720126885806600449404098");
    }

    #[test]
    fn edges_are_exact() {
        let budget = Budget::default();
        let one = gaussian("1");
        let f = Direction::Forward;
        let zero = |value| matches!(value, Ok(Value::Finite(Number::Exact(x))) if x == 0);
        assert!(zero(one.epsilon(&at("0.382924922548026207275409221216676"), f, 200, &budget)));
        assert!(Gaussian::new(at("0").clone()).is_err() && Gaussian::new(Real::from(Rational::from(-1))).is_err());
        // Far out of range: said, not looped over.
        assert!(matches!(one.delta(&at("1e30"), f, 64, &budget), Err(Error::Undecided(_))));
    }

    /// Against H computed directly from MPFR's erfc, with hundreds of bits to spare.
    fn direct(mu_squared: &Rational, epsilon: &Rational, bits: u32) -> Enclosure {
        let mu = Enclosure::rational(mu_squared, bits).sqrt();
        let e = Enclosure::rational(epsilon, bits);
        let root = Enclosure::integer(&2.into(), bits).sqrt();
        let q = |x: &Enclosure| {
            let x = x / &root;
            let (mut low, mut high) = x.into_bounds();
            high.erfc_round(rug::float::Round::Down);
            low.erfc_round(rug::float::Round::Up);
            Enclosure::new(high, low).shift(-1)
        };
        let s = &e / &mu - mu.shift(-1);
        let t = &e / &mu + mu.shift(-1);
        q(&s) - e.exp() * q(&t)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn profile_overlaps_mpfr(a in 1u64..4000, b in 1u64..400, n in -4000i64..4000, d in 1i64..300,
            bits in 16u32..260) {
            let (m, e) = (Rational::from((a, b)), Rational::from((n, d)));
            let budget = Budget::default();
            let value = Gaussian::new(Real::from(m.clone())).unwrap();
            let value = value.delta(&Real::from(e.clone()), Direction::Forward, bits, &budget);
            // Bits that the direct form loses.
            let y = (&e + Rational::from(&m >> 1u32)).square() / &m;
            let y = y.to_f64() + e.to_f64().abs();
            prop_assume!(y < 2500.0);
            let value = value.unwrap().enclosure(bits);
            let truth = direct(&m, &e, bits + 100 + (y * 1.5) as u32);
            prop_assert!(value.overlaps(&truth), "{value:?} {truth:?}");
            prop_assert!(value.lower() <= truth.lower() && truth.upper() <= value.upper());
            prop_assert!(value.relative_bits().unwrap() >= i64::from(bits) - 2, "{:?} of {bits}",
                value.relative_bits());
        }

        #[test]
        fn extreme_noise(digits in -34i32..7, n in -30i64..60, bits in 30u32..200) {
            // mu^2 = 10^digits, epsilon n/4 standard deviations of the loss away.
            let m: Rational = rug::ops::Pow::pow(Rational::from(10), digits);
            let mu = Rational::from_f64(m.to_f64().sqrt()).unwrap();
            let e = Rational::from((n, 4)) * mu + Rational::from(&m >> 1u32);
            let budget = Budget::default();
            let value = Gaussian::new(Real::from(m.clone())).unwrap();
            let value = value.delta(&Real::from(e.clone()), Direction::Forward, bits, &budget).unwrap().enclosure(bits);
            let y = ((&e + Rational::from(&m >> 1u32)).square() / &m).to_f64();
            prop_assume!(y < 2500.0);
            let truth = direct(&m, &e, bits + 300 + (y * 1.5) as u32);
            prop_assert!(value.lower() <= truth.lower() && truth.upper() <= value.upper());
            prop_assert!(value.relative_bits().unwrap() >= i64::from(bits) - 2, "{:?} of {bits}",
                value.relative_bits());
        }

        #[test]
        fn inverse_of_the_profile(a in 1u64..4000, b in 1u64..400, p in 1u32..3000, q in 1u32..500,
            digits in 5u32..60) {
            let m = Rational::from((a, b));
            let budget = Budget::default();
            let gaussian = Gaussian::new(Real::from(m)).unwrap();
            let target = Rational::from(1) / (Rational::from(1) + Rational::from((p, q)) * (Rational::from(1) << p));
            for target in [target.clone(), 1 - target] {
                let target = Real::from(target);
                let value = refine(digits, &budget, |bits| {
                    match gaussian.epsilon(&target, Direction::Forward, bits, &budget)? {
                        Value::Finite(value) => Ok(value),
                        Value::Infinite => unreachable!(),
                    }
                }).unwrap();
                if let Number::Enclosed(set) = value {
                    let bits = 400 + p;
                    let below = gaussian.profile(&real(set.lower()).unwrap(), bits, &budget).unwrap();
                    let above = gaussian.profile(&real(set.upper()).unwrap(), bits, &budget).unwrap();
                    let target = target.as_rational().unwrap();
                    prop_assert!(*below.lower() >= *target && *above.upper() <= *target);
                } else {
                    let top = gaussian.profile(&Real::from(0u64), 400 + p, &budget).unwrap();
                    prop_assert!(*top.upper() <= *target.as_rational().unwrap());
                }
            }
        }

        #[test]
        fn trade_off_is_symmetric(a in 1u64..4000, b in 1u64..400, p in 2u32..3000, digits in 5u32..40) {
            // G(G(alpha)) = alpha, and G falls: the images of the ends of G(alpha) hold alpha between them.
            let m = Rational::from((a, b));
            let budget = Budget::default();
            let gaussian = Gaussian::new(Real::from(m)).unwrap();
            let g = |alpha: &Rational, digits| {
                refine(digits, &budget,
                    |bits| gaussian.beta(&Real::from(alpha.clone()), Direction::Forward, bits, &budget))
                    .unwrap().enclosure(1)
            };
            let alpha = Rational::from(1) / (Rational::from(1) << p);
            for alpha in [alpha.clone(), 1 - alpha] {
                let image = g(&alpha, digits);
                if *image.upper() < 1 && *image.lower() > 0 {
                    let low = g(&image.lower().to_rational().unwrap(), digits + 20);
                    let high = g(&image.upper().to_rational().unwrap(), digits + 20);
                    prop_assert!(*low.upper() >= alpha && *high.lower() <= alpha);
                }
            }
        }
    }

    #[test]
    fn monotone_in_epsilon_and_mu() {
        let mut last: Option<Enclosure> = None;
        for n in -60..200 {
            let e = Real::from(Rational::from((n, 7)));
            let value = delta("2", &e, 30);
            if let Some(last) = &last {
                assert_eq!(value.compare(last), Some(Ordering::Less));
            }
            last = Some(value);
        }
        let mut last: Option<Enclosure> = None;
        for n in 1..100 {
            let value = delta(&format!("{n}/9"), &at("3/2"), 30);
            if let Some(last) = &last {
                assert_eq!(value.compare(last), Some(Ordering::Greater));
            }
            last = Some(value);
        }
    }

    #[test]
    fn slopes_bound_the_profile_between_the_ends() {
        // Where e^eps Q(t) has its greatest value, its ends bound nothing: R(t) = 1/mu near eps = 42.5 for mu = 10.
        let budget = Budget::default();
        let gaussian = gaussian("100");
        let peak = (30..60).map(|n| gaussian.slope(&Real::from(Rational::from(n)), 100, &budget).unwrap());
        let peak: Vec<_> = peak.collect();
        let best =
            (1..29).find(|&n| *peak[n].lower() > *peak[n - 1].upper() && *peak[n].lower() > *peak[n + 1].upper());
        assert!(best.is_some());
        // A root at the peak is still proven.
        let at_peak = Real::from(Rational::from(30 + u64::try_from(best.unwrap()).unwrap()));
        let target = gaussian.profile(&at_peak, 400, &budget).unwrap().lower().to_rational().unwrap();
        let set = gaussian.invert(&Real::from(target.clone()), 300, &budget).unwrap();
        let profile = |x: &Float| gaussian.profile(&real(x).unwrap(), 600, &budget).unwrap();
        assert!(*profile(set.lower()).lower() >= target && *profile(set.upper()).upper() <= target);
        assert!(set.relative_bits().unwrap() > 290);
    }

    #[test]
    fn far_tails_keep_their_digits() {
        for target in ["1e-300", "1e-4000", "1e-100000"] {
            for m in ["1e-34", "1/2", "1e6"] {
                let set = epsilon(m, target, 40);
                assert!(set.relative_bits().unwrap() > 130);
                let beta = beta(m, target, 40);
                assert!(beta.relative_bits().unwrap() > 130);
            }
        }
        // Close to 1: the complement of the same digits.
        let near = Real::from(1 - rational("1e-300"));
        let budget = Budget::default();
        for m in ["1", "1e-6", "1e4"] {
            let g = gaussian(m);
            let value = refine(40, &budget, |bits| g.beta(&near, Direction::Forward, bits, &budget)).unwrap();
            assert!(*value.enclosure(64).upper() < 1e-299f64);
        }
        let g = gaussian("1e6");
        let value = refine(40, &budget, |bits| match g.epsilon(&near, Direction::Forward, bits, &budget)? {
            Value::Finite(value) => Ok(value),
            Value::Infinite => unreachable!(),
        });
        assert!(value.unwrap().enclosure(64).relative_bits().unwrap() > 50);
    }
}
