//! Delta and epsilon of rho-zCDP once more: two outcomes that keep the bounds of all orders, in malachite's intervals.
//!
//! The first route finds a good q and the power p that is allowed there, a hint that proves nothing. Here
//! `K(t) - rho t (1+t) <= 0` is shown for all t at one p, and broken at one a little larger, for four q side by side,
//! by logarithms of malachite's alone; the power is a concave function of q, so that lines through the outer two pairs
//! are above the rest. (`proofs/paper/conversion.md` says why one tangent is enough for all t.) At epsilon 0 the bound
//! is the distance of randomised response of e, `e tanh(e/2) = rho`.

use malachite::Rational as Second;
use rug::Float;

use super::super::{numbers, require};
use super::root;
use crate::error::Error;
use crate::route::elementary::{Bounds, exp_bounds, ln_bounds, scaled_down, scaled_up, sqrt_bounds};
use crate::theorem::two_points::{Line, Region};
use enclosure::{Budget, Enclosure, Real};

/// Bits of logarithms and exponentials.
const BITS: u64 = 384;
/// Bits of the hints.
const HINT: u32 = 320;
/// A power is told from the largest one that is allowed by `2^-APART` of it.
const APART: u32 = 250;
/// The four places are `2^-110` apart, and the best one is known to this power of two: at a kink no less would do.
const CLOSE: u32 = 113;
/// Halvings of the interval with the stationary point, and steps from there: what is left of the slope counts against
/// `2^-APART`.
const HALVINGS: u32 = 64;
const NEWTON: u32 = 4;

fn whole(n: u32) -> Second {
    Second::from(n)
}

/// Fewer digits, outward.
fn short((low, high): Bounds) -> Bounds {
    (scaled_down(&low, 2 * BITS), scaled_up(&high, 2 * BITS))
}

fn point(x: &Second) -> Bounds {
    (x.clone(), x.clone())
}

fn add(a: &Bounds, b: &Bounds) -> Bounds {
    (&a.0 + &b.0, &a.1 + &b.1)
}

fn sub(a: &Bounds, b: &Bounds) -> Bounds {
    (&a.0 - &b.1, &a.1 - &b.0)
}

fn mul(a: &Bounds, b: &Bounds) -> Bounds {
    let all = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
    let low = all.iter().min().cloned().unwrap_or_else(|| whole(0));
    let high = all.into_iter().max().unwrap_or_else(|| whole(0));
    (low, high)
}

/// Of a positive divisor.
fn div(a: &Bounds, b: &Bounds) -> Result<Bounds, Error> {
    require(b.0 > 0u32, "a positive divisor")?;
    Ok(short(mul(a, &(whole(1) / &b.1, whole(1) / &b.0))))
}

fn exp(x: &Bounds) -> Bounds {
    (exp_bounds(&scaled_down(&x.0, BITS), BITS).0, exp_bounds(&scaled_up(&x.1, BITS), BITS).1)
}

fn ln(x: &Bounds) -> Result<Bounds, Error> {
    require(x.0 > 0u32, "a positive number")?;
    Ok((ln_bounds(&x.0, BITS).0, ln_bounds(&x.1, BITS).1))
}

/// `ln(1 - x)` of `0 < x < 1`.
fn ln_rest(x: &Bounds) -> Result<Bounds, Error> {
    if x.1 < Second::from(1) >> 400u64 {
        return Ok((-(&x.1 + &x.1 * &x.1), -x.0.clone()));
    }
    ln(&sub(&point(&whole(1)), x))
}

/// Do the outcomes of masses `e^power` and `e^place` keep all bounds? `None` where that is not told.
fn kept(rho: &Second, power: &Second, place: &Second) -> Result<Option<bool>, Error> {
    let (log_p, log_q) = (point(power), point(place));
    let (p, q) = (exp(&log_p), exp(&log_q));
    let (rest_p, rest_q) = (ln_rest(&p)?, ln_rest(&q)?);
    let (up, down) = (sub(&log_p, &log_q), sub(&rest_p, &rest_q));
    let one = point(&whole(1));
    let negative = |x: &Bounds| (-x.1.clone(), -x.0.clone());
    let first = one_way(rho, (&p, &sub(&one, &p)), (&log_p, &rest_p), (&up, &down))?;
    let second = one_way(rho, (&sub(&one, &q), &q), (&rest_q, &log_q), (&negative(&down), &negative(&up)))?;
    Ok(match (first, second) {
        (Some(true), Some(true)) => Some(true),
        (Some(false), _) | (_, Some(false)) => Some(false),
        _ => None,
    })
}

/// In one direction, of the masses, their logarithms, and their losses.
fn one_way(
    rho: &Second,
    (mass, rest): (&Bounds, &Bounds),
    (log, log_rest): (&Bounds, &Bounds),
    (up, down): (&Bounds, &Bounds),
) -> Result<Option<bool>, Error> {
    let kl = add(&mul(mass, up), &mul(rest, down));
    if kl.0 > *rho {
        return Ok(Some(false));
    }
    let first = kl.1 <= *rho;
    let (d, odds) = (sub(up, down), sub(log, log_rest));
    let ratio = div(&point(&(whole(8) * rho)), &mul(&d, &d))?;
    if ratio.0 >= 1u32 {
        return Ok(first.then_some(true));
    }
    let inside = whole(1) - &ratio.1;
    let inside = if inside > 0u32 { inside } else { whole(0) };
    let low = if inside == 0u32 { whole(0) } else { sqrt_bounds(&inside, BITS).0 };
    let roots = (low, sqrt_bounds(&(whole(1) - &ratio.0), BITS).1);
    let bend = ln(&add(&point(&whole(1)), &roots))?;
    let turn = div(&sub(&sub(&add(&bend, &bend), &ln(&ratio)?), &odds), &d)?;
    if turn.1 <= 0u32 {
        return Ok(first.then_some(true));
    }
    let two = whole(2) * rho;
    let last = (&up.1 - rho) / &two;
    // The slope at t, and `d (1-s)` and `1-s` of it.
    let slope = |t: &Second| -> Result<(Bounds, Bounds, Bounds), Error> {
        let power = exp(&add(&odds, &mul(&point(t), &d)));
        let left = div(&point(&whole(1)), &add(&point(&whole(1)), &power))?;
        let part = mul(&d, &left);
        let falls = &two * t + rho;
        Ok((sub(&sub(up, &part), &point(&falls)), part, left))
    };
    let (mut from, mut to) = (turn.1.clone(), last.clone());
    let mut t = from.clone();
    if to > from && slope(&from)?.0.0 > 0u32 {
        for _ in 0..HALVINGS {
            let middle = scaled_down(&((&from + &to) / whole(2)), BITS);
            if slope(&middle)?.0.0 > 0u32 {
                from = middle;
            } else {
                to = middle;
            }
        }
        // Newton's steps from there double the bits; whatever they lead to is a t like any other.
        t = from;
        for _ in 0..NEWTON {
            let ((low, _), (part, _), (left, _)) = slope(&t)?;
            let bend = part * (whole(1) - left) * &d.0 - &two;
            let next = scaled_down(&(&t - low / bend), BITS);
            if next > turn.1 && next < to {
                t = next;
            }
        }
    }
    let at = slope(&t)?.0;
    let tail = exp(&sub(&point(&whole(0)), &add(&odds, &mul(&point(&t), &d))));
    let moment = add(&add(&mul(&point(&t), up), log), &ln(&add(&point(&whole(1)), &tail))?);
    let height = sub(&moment, &point(&(rho * &t * (&t + whole(1)))));
    if height.0 > 0u32 {
        return Ok(Some(false));
    }
    let zero = || whole(0);
    let right = if at.1 > 0u32 && last > t { &at.1 * (&last - &t) } else { zero() };
    let left = if at.0 < 0u32 { -at.0.clone() * (&t - &turn.0) } else { zero() };
    let top = &height.1 + if right > left { right } else { left };
    Ok((first && top <= 0u32).then_some(true))
}

/// What is the greatest over q: `p - e^epsilon q`, or `(p - delta)/q`.
pub enum Goal<'a> {
    /// With this epsilon.
    Delta(&'a Real),
    /// With this delta.
    Epsilon(&'a Real),
}

/// The greatest value, enclosed; of epsilon its logarithm.
pub fn greatest(rho: &rug::Rational, goal: &Goal) -> Result<Bounds, Error> {
    let own = numbers::second(rho)?;
    let hint = Hint { line: Line { start: rho.clone().into(), slope: rho.clone().into() }, goal };
    let centre = hint.centre()?;
    let base = numbers::second(&centre)?;
    let step = rug::Rational::from(1) >> 110u32;
    let mut points = Vec::new();
    for halves in [-3, -1, 1, 3] {
        let place = &centre + rug::Rational::from(&step * halves);
        let power = hint.power(&place, HINT)?.ln();
        let away = Float::with_val(HINT, 1) >> APART;
        let wide = power.widen(&away);
        let exact = |end: &Float| numbers::second(&end.to_rational().unwrap_or_default());
        let (low, high, place) = (exact(wide.lower())?, exact(wide.upper())?, numbers::second(&place)?);
        require(kept(&own, &low, &place)? == Some(true), "errors that keep all bounds")?;
        require(kept(&own, &high, &place)? == Some(false), "errors that break one")?;
        // All in units of e^base.
        let power = exp(&(&low - &base, &high - &base));
        let place = point(&(&place - &base));
        points.push(match goal {
            Goal::Delta(epsilon) => {
                let epsilon = point(&numbers::second(numbers::rational(epsilon, "epsilon")?)?);
                (exp(&place), sub(&power, &exp(&add(&epsilon, &place))))
            }
            Goal::Epsilon(delta) => {
                let delta = point(&numbers::second(numbers::rational(delta, "delta")?)?);
                let unit = exp(&sub(&point(&whole(0)), &place));
                let scaled = mul(&delta, &exp(&point(&-base.clone())));
                (unit.clone(), mul(&unit, &sub(&power, &scaled)))
            }
        });
    }
    if matches!(goal, Goal::Epsilon(_)) {
        points.reverse();
    }
    let [(x0, g0), (x1, g1), (x2, g2), (x3, g3)] = points.as_slice() else {
        return Err(Error::internal("four points"));
    };
    let rise = div(&sub(g1, g0), &sub(x1, x0))?.1;
    let fall = -div(&sub(g3, g2), &sub(x3, x2))?.0;
    require(rise > 0u32 && fall > 0u32, "a greatest value between")?;
    let width = &x2.1 - &x1.0;
    let top = (&fall * &g1.1 + &rise * &g2.1 + &rise * &fall * width) / (&rise + &fall);
    let low = if g1.0 > g2.0 { g1.0.clone() } else { g2.0.clone() };
    let top = (low, top);
    match goal {
        Goal::Delta(_) => Ok(mul(&top, &exp(&point(&base)))),
        // Units cancel: `(p - delta)/q` is the same in any.
        Goal::Epsilon(_) => ln(&top),
    }
}

/// The first route, asked where to look.
struct Hint<'a> {
    line: Line,
    goal: &'a Goal<'a>,
}

impl Hint<'_> {
    fn power(&self, place: &rug::Rational, bits: u32) -> Result<Enclosure, Error> {
        self.line.detection(place, bits, &Budget::default())
    }

    fn value(&self, place: &rug::Rational, bits: u32) -> Result<Float, Error> {
        let q = Enclosure::rational(place, bits).exp();
        let power = self.power(place, bits)?;
        let value = match self.goal {
            Goal::Delta(epsilon) => &power - &(&epsilon.enclosure(bits).exp() * &q),
            Goal::Epsilon(delta) => &(&power - &delta.enclosure(bits)) / &q,
        };
        Ok(Float::with_val(bits, value.lower() + value.upper()) / 2u32)
    }

    /// The logarithm of the best q, about.
    fn centre(&self) -> Result<rug::Rational, Error> {
        let epsilons = match self.goal {
            Goal::Delta(epsilon) => [epsilon.to_f64(); 2],
            Goal::Epsilon(delta) => {
                let epsilon = self.line.epsilon(delta, 64, &Budget::default())?;
                [epsilon.enclosure(64).upper().to_f64(); 2]
            }
        };
        let (low, high) = self.line.range(&epsilons);
        // Golden sections alone: there may be a kink at the top, where both directions count.
        let float = |x: f64| Float::with_val(HINT, x);
        let at = |x: &Float| self.value(&x.to_rational().unwrap_or_default(), HINT);
        let spare = |y: f64| 2.0 - y / 8.0;
        let (low, high) = (low.to_f64(), high.to_f64());
        let (mut a, mut d) = (float(low - spare(low)), float((high + spare(high)).min(-1e-3)));
        // `(3 - sqrt 5)/2`, to all bits: what it is off grows with every section.
        let golden = (3u32 - float(5.0).sqrt()) / 2u32;
        let part = |from: &Float, to: &Float| {
            let step = Float::with_val(HINT, to - from) * &golden;
            Float::with_val(HINT, from + step)
        };
        let (mut b, mut c) = (part(&a, &d), part(&d, &a));
        let (mut at_b, mut at_c) = (at(&b)?, at(&c)?);
        let least = float(1.0) >> CLOSE;
        while Float::with_val(HINT, &d - &a) > least {
            if at_b >= at_c {
                (d, c, at_c) = (c, b, at_b);
                b = part(&a, &d);
                at_b = at(&b)?;
            } else {
                (a, b, at_b) = (b, c, at_c);
                c = part(&d, &a);
                at_c = at(&c)?;
            }
        }
        let centre = Float::with_val(128, &a + &d) / 2u32;
        centre.to_rational().ok_or_else(|| Error::internal("a place out of range"))
    }
}

/// The distance of rho-zCDP: `tanh(e/2)` with `e tanh(e/2) = rho`.
pub fn distance(rho: &Second) -> Result<Bounds, Error> {
    let half_tangent = |e: &Second| -> Result<Bounds, Error> {
        let x = exp(&point(&-e.clone()));
        div(&sub(&point(&whole(1)), &x), &add(&point(&whole(1)), &x))
    };
    let (low, high) = root(|e| {
        let e = scaled_down(e, 2 * BITS);
        let value = half_tangent(&e).unwrap_or_else(|_| point(&whole(0)));
        sub(&mul(&point(&e), &value), &point(rho))
    })?;
    Ok((half_tangent(&low)?.0, half_tangent(&high)?.1))
}
