//! Delta, epsilon and beta of lines of bounds `D_(1+t) <= m + c t` once more, `m = c = rho` of zCDP: two outcomes that
//! keep the bounds of all orders, in malachite's intervals.
//!
//! The first route finds a good q and the power p that is allowed there, a hint that proves nothing. Here
//! `K(t) - t (m + c t) <= 0` is shown for all t at one p, and broken at one a little larger, for four q side by side,
//! by logarithms of malachite's alone; the power is a concave function of q, so that lines through the outer two pairs
//! are above the rest. (`proofs/paper/conversion.md` says why one tangent is enough for all t.) At epsilon 0 the bound
//! is the distance of randomised response of e, `e tanh(e/2) = rho`.

use malachite::Rational as Second;
use malachite::base::rounding_modes::RoundingMode::{Ceiling, Floor};
use rug::Float;

use super::super::{numbers, require};
use super::root;
use crate::error::Error;
use crate::route::dyadic::{self, Dyadic, Ends};
use crate::route::elementary::Bounds;
use crate::theorem::two_points::{Line, Region};
use enclosure::{Budget, Enclosure, Real};

/// Bits of logarithms and exponentials.
const BITS: u64 = 384;
/// Bits of the hints.
const HINT: u32 = 320;
/// Bits of the first hints, and how far these go.
const COARSE_HINT: u32 = 128;
const COARSE: u32 = 40;
/// A power is told from the largest one that is allowed by `2^-APART` of it.
const APART: u32 = 250;
/// The four places are `2^-110` apart, and the best one is known to this power of two: at a kink no less would do.
const CLOSE: u32 = 113;
/// The most steps of the search for that place.
const MOST_STEPS: usize = 400;
/// The most steps to the stationary point. What is left of the slope there counts against `2^-APART`: a step of
/// Newton's shorter than `2^-SHORT` is the last one, for it leaves about the square of that.
const STEPS: u32 = 100;
const SHORT: i64 = 200;

/// Digits of the ends of intervals.
const WIDE: u64 = 2 * BITS;

fn whole(n: i64) -> Ends {
    (Dyadic::whole(n), Dyadic::whole(n))
}

fn point(x: &Dyadic) -> Ends {
    (x.clone(), x.clone())
}

/// A fraction, whose denominator may be no power of two.
fn fraction(x: &Second) -> Ends {
    Dyadic::of(x, WIDE)
}

fn fractions(x: &Ends) -> Bounds {
    (x.0.rational(), x.1.rational())
}

fn negative(x: &Ends) -> Ends {
    (x.1.neg(), x.0.neg())
}

fn add(a: &Ends, b: &Ends) -> Ends {
    dyadic::add(a, b, WIDE)
}

fn sub(a: &Ends, b: &Ends) -> Ends {
    dyadic::sub(a, b, WIDE)
}

fn mul(a: &Ends, b: &Ends) -> Ends {
    dyadic::mul(a, b, WIDE)
}

/// Of a positive divisor.
fn div(a: &Ends, b: &Ends) -> Result<Ends, Error> {
    require(b.0.is_positive(), "a positive divisor")?;
    Ok(dyadic::div(a, b, WIDE))
}

fn exp(x: &Ends) -> Ends {
    (x.0.rounded(BITS, Floor).exp(BITS).0, x.1.rounded(BITS, Ceiling).exp(BITS).1)
}

fn ln(x: &Ends) -> Result<Ends, Error> {
    require(x.0.is_positive(), "a positive number")?;
    Ok((x.0.ln(BITS).0, x.1.ln(BITS).1))
}

/// `ln(1 - x)` of `0 < x < 1`.
fn ln_rest(x: &Ends) -> Result<Ends, Error> {
    if x.1 < Dyadic::power_of_two(-400) {
        return Ok(negative(&(x.0.clone(), add(x, &mul(x, x)).1)));
    }
    ln(&sub(&whole(1), x))
}

/// The start m and the slope c of a line of bounds.
pub struct Bound {
    pub start: Second,
    pub slope: Second,
}

/// The same, rounded outward.
struct Rounded {
    start: Ends,
    slope: Ends,
}

impl Bound {
    fn rounded(&self) -> Rounded {
        Rounded { start: fraction(&self.start), slope: fraction(&self.slope) }
    }
}

/// Do the errors of a test keep all bounds? `None` where that is not told.
pub fn errors_kept(bound: &Bound, alpha: &Second, beta: &Second) -> Result<Option<bool>, Error> {
    let power = ln(&sub(&whole(1), &fraction(beta)))?;
    kept(&bound.rounded(), &power, &ln(&fraction(alpha))?)
}

/// Do the outcomes of masses `e^power` and `e^place` keep all bounds? `None` where that is not told.
fn kept(bound: &Rounded, power: &Ends, place: &Ends) -> Result<Option<bool>, Error> {
    let (p, q) = (exp(power), exp(place));
    let (rest_p, rest_q) = (ln_rest(&p)?, ln_rest(&q)?);
    let (up, down) = (sub(power, place), sub(&rest_p, &rest_q));
    let one = whole(1);
    let first = one_way(bound, (&p, &sub(&one, &p)), (power, &rest_p), (&up, &down))?;
    let second = one_way(bound, (&sub(&one, &q), &q), (&rest_q, place), (&negative(&down), &negative(&up)))?;
    Ok(match (first, second) {
        (Some(true), Some(true)) => Some(true),
        (Some(false), _) | (_, Some(false)) => Some(false),
        _ => None,
    })
}

/// In one direction, of the masses, their logarithms, and their losses.
fn one_way(
    Rounded { start, slope: gain }: &Rounded,
    (mass, rest): (&Ends, &Ends),
    (log, log_rest): (&Ends, &Ends),
    (up, down): (&Ends, &Ends),
) -> Result<Option<bool>, Error> {
    let kl = add(&mul(mass, up), &mul(rest, down));
    if kl.0 > start.1 {
        return Ok(Some(false));
    }
    let first = kl.1 <= start.0;
    let (d, odds) = (sub(up, down), sub(log, log_rest));
    let ratio = div(&mul(&whole(8), gain), &mul(&d, &d))?;
    if ratio.0 >= Dyadic::whole(1) {
        return Ok(first.then_some(true));
    }
    let inside = sub(&whole(1), &ratio);
    let low = if inside.0.is_positive() { inside.0.sqrt(BITS).0 } else { Dyadic::whole(0) };
    let bend = ln(&add(&whole(1), &(low, inside.1.sqrt(BITS).1)))?;
    let turn = div(&sub(&sub(&add(&bend, &bend), &ln(&ratio)?), &odds), &d)?;
    if !turn.1.is_positive() {
        return Ok(first.then_some(true));
    }
    let two = add(gain, gain);
    let last = div(&sub(up, start), &two)?.1;
    // The slope at t, and `d (1-s)` and `1-s` of it.
    let slope = |t: &Dyadic| -> Result<[Ends; 3], Error> {
        let power = exp(&add(&odds, &mul(&point(t), &d)));
        let left = div(&whole(1), &add(&whole(1), &power))?;
        let part = mul(&d, &left);
        let falls = add(&mul(&two, &point(t)), start);
        Ok([sub(&sub(up, &part), &falls), part, left])
    };
    let near = Dyadic::power_of_two(-SHORT);
    let (mut from, mut to) = (turn.1.clone(), last.clone());
    let mut t = from.clone();
    if to > from && slope(&from)?[0].0.is_positive() {
        // Newton's steps double the bits once they are near, and where they lead out of what is left it is halved;
        // whatever they lead to is a t like any other.
        for _ in 0..STEPS {
            let [rise, part, left] = slope(&t)?;
            if rise.0.is_positive() {
                from = t.clone();
            } else {
                to = t.clone();
            }
            let bend = sub(&two, &mul(&mul(&part, &sub(&whole(1), &left)), &d));
            let step = if bend.0.is_positive() { Some(div(&rise, &bend)?.0) } else { None };
            let next =
                step.map(|step| (step < near && step.neg() < near, t.add(&step, WIDE, Floor).rounded(BITS, Floor)));
            t = match next {
                Some((true, next)) => {
                    t = next.max(turn.1);
                    break;
                }
                Some((_, next)) if next > from && next < to => next,
                _ => from.add(&to, WIDE, Floor).half().rounded(BITS, Floor),
            };
        }
    }
    let [at, ..] = slope(&t)?;
    let tail = exp(&negative(&add(&odds, &mul(&point(&t), &d))));
    let moment = add(&add(&mul(&point(&t), up), log), &ln(&add(&whole(1), &tail))?);
    let height = sub(&moment, &mul(&point(&t), &add(start, &mul(gain, &point(&t)))));
    if height.0.is_positive() {
        return Ok(Some(false));
    }
    let zero = || Dyadic::whole(0);
    let far = |slope: Dyadic, from: &Dyadic, to: &Dyadic| {
        if slope.is_positive() && to > from {
            slope.mul(&to.add(&from.neg(), WIDE, Ceiling), WIDE, Ceiling)
        } else {
            zero()
        }
    };
    let (right, left) = (far(at.1.clone(), &t, &last), far(at.0.neg(), &turn.0, &t));
    let top = height.1.add(&right.max(left), WIDE, Ceiling);
    Ok((first && !top.is_positive()).then_some(true))
}

/// The objective, maximised over q: `p - e^epsilon q`, or `(p - delta)/q`.
pub enum Goal<'a> {
    /// With this epsilon.
    Delta(&'a Real),
    /// With this delta.
    Epsilon(&'a Real),
}

/// The greatest value, enclosed; of epsilon its logarithm.
pub fn greatest(bound: &Bound, goal: &Goal) -> Result<Bounds, Error> {
    let line = Line { start: numbers::first(&bound.start)?.into(), slope: numbers::first(&bound.slope)?.into() };
    let hint = |proven| Hint { line: line.clone(), goal, proven };
    // Where a hint that nothing proves leads astray, one that is proven may lead on.
    around(bound, goal, &hint(false)).or_else(|_| around(bound, goal, &hint(true)))
}

/// The same, around the point of a hint.
fn around(bound: &Bound, goal: &Goal, hint: &Hint) -> Result<Bounds, Error> {
    let own = bound.rounded();
    let centre = hint.centre()?;
    let exact = |value: &rug::Rational| Ok::<_, Error>(point(&Dyadic::exactly(&numbers::second(value)?)));
    let base = exact(&centre)?;
    let constant =
        |value: &Real, name: &str| Ok::<_, Error>(fraction(&numbers::second(numbers::rational(value, name)?)?));
    let step = rug::Rational::from(1) >> 110u32;
    let mut points = Vec::new();
    for halves in [-3, -1, 1, 3] {
        let place = &centre + rug::Rational::from(&step * halves);
        let power = hint.about(&place, HINT)?.ln();
        let away = Float::with_val(HINT, 1) >> APART;
        let wide = power.widen(&away);
        let end = |end: &Float| exact(&end.to_rational().unwrap_or_default());
        let (low, high, place) = (end(wide.lower())?, end(wide.upper())?, exact(&place)?);
        require(kept(&own, &low, &place)? == Some(true), "errors that keep all bounds")?;
        require(kept(&own, &high, &place)? == Some(false), "errors that break one")?;
        // All in units of e^base.
        let power = exp(&(sub(&low, &base).0, sub(&high, &base).1));
        let place = sub(&place, &base);
        points.push(match goal {
            Goal::Delta(epsilon) => {
                let epsilon = constant(epsilon, "epsilon")?;
                (exp(&place), sub(&power, &exp(&add(&epsilon, &place))))
            }
            Goal::Epsilon(delta) => {
                let delta = constant(delta, "delta")?;
                let unit = exp(&negative(&place));
                let scaled = mul(&delta, &exp(&negative(&base)));
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
    let rise = point(&div(&sub(g1, g0), &sub(x1, x0))?.1);
    let fall = point(&div(&sub(g3, g2), &sub(x3, x2))?.0.neg());
    require(rise.0.is_positive() && fall.0.is_positive(), "a greatest value between")?;
    let width = point(&sub(x2, x1).1);
    let (left, right) = (point(&g1.1), point(&g2.1));
    let both = add(&add(&mul(&fall, &left), &mul(&rise, &right)), &mul(&mul(&rise, &fall), &width));
    let top = div(&both, &add(&rise, &fall))?.1;
    let top = (g1.0.clone().max(g2.0.clone()), top);
    Ok(fractions(&match goal {
        Goal::Delta(_) => mul(&top, &exp(&base)),
        // Units cancel: `(p - delta)/q` is the same in any.
        Goal::Epsilon(_) => ln(&top)?,
    }))
}

/// The first route, asked where to look.
struct Hint<'a> {
    line: Line,
    goal: &'a Goal<'a>,
    /// Are its powers proven?
    proven: bool,
}

impl Hint<'_> {
    fn power(&self, place: &rug::Rational, bits: u32) -> Result<Enclosure, Error> {
        self.line.detection(place, bits, &Budget::default())
    }

    /// About the power.
    fn about(&self, place: &rug::Rational, bits: u32) -> Result<Enclosure, Error> {
        match self.line.near(place, bits).filter(|_| !self.proven) {
            Some(near) => Ok(Enclosure::new(near.clone(), near)),
            None => self.power(place, bits),
        }
    }

    fn value(&self, place: &rug::Rational, bits: u32) -> Result<Float, Error> {
        let q = Enclosure::rational(place, bits).exp();
        let power = self.about(place, bits)?;
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
                let likely = self.line.likely(delta.enclosure(64).ln().upper().to_f64());
                likely.map(|epsilon| if epsilon.is_finite() { epsilon.max(0.0) } else { 0.0 })
            }
        };
        let (low, high) = self.line.range(&epsilons);
        let float = |x: f64| Float::with_val(HINT, x);
        let spare = |y: f64| 2.0 - y / 8.0;
        let (low, high) = (low.to_f64(), high.to_f64());
        let ends = (float(low - spare(low)), float((high + spare(high)).min(-1e-3)));
        let at = |bits: u32| move |x: &Float| self.value(&x.to_rational().unwrap_or_default(), bits);
        // Few bits find most of it: near the top what differs in height by `2^-2n` differs in place by `2^-n`.
        let about = highest(ends, &(float(1.0) >> COARSE), &at(COARSE_HINT))?;
        let around = float(1.0) >> (COARSE - 8);
        let ends = (Float::with_val(HINT, &about - &around), Float::with_val(HINT, &about + &around));
        let top = highest(ends, &(float(1.0) >> CLOSE), &at(HINT))?;
        Float::with_val(128, &top).to_rational().ok_or_else(|| Error::internal("a place out of range"))
    }
}

/// About where a concave function is the highest, to so much: by parabolas through the three best places while they
/// close in, and by golden sections else, as at a kink (Brent 1973, chapter 5).
fn highest(
    (mut low, mut high): (Float, Float),
    least: &Float,
    value: &dyn Fn(&Float) -> Result<Float, Error>,
) -> Result<Float, Error> {
    let golden = (3u32 - Float::with_val(HINT, 5).sqrt()) / 2u32;
    let part = Float::with_val(HINT, &high - &low) * &golden;
    let best = Float::with_val(HINT, &low + &part);
    let at = value(&best)?;
    let [mut first, mut second, mut third] = [(best.clone(), at.clone()), (best.clone(), at.clone()), (best, at)];
    let (mut step, mut before) = (Float::new(HINT), Float::new(HINT));
    for _ in 0..MOST_STEPS {
        let middle = Float::with_val(HINT, &low + &high) / 2u32;
        let off = Float::with_val(HINT, &first.0 - &middle).abs();
        let half = Float::with_val(HINT, &high - &low) / 2u32;
        if off + half <= Float::with_val(HINT, least * 2u32) {
            break;
        }
        // The top of the parabola, from the best place.
        let (a, b) = (Float::with_val(HINT, &first.0 - &second.0), Float::with_val(HINT, &first.0 - &third.0));
        let rise = Float::with_val(HINT, &first.1 - &third.1) * &a;
        let fall = Float::with_val(HINT, &first.1 - &second.1) * &b;
        let over = Float::with_val(HINT, &rise - &fall) * 2u32;
        let move_by = (Float::with_val(HINT, &fall * &b) - Float::with_val(HINT, &rise * &a)) / over;
        let next = Float::with_val(HINT, &first.0 + &move_by);
        let shrinks = Float::with_val(HINT, &move_by * 2u32).abs() < Float::with_val(HINT, before.abs_ref());
        before = step;
        step = if move_by.is_finite() && shrinks && next > low && next < high {
            move_by
        } else {
            before = if first.0 < middle {
                Float::with_val(HINT, &high - &first.0)
            } else {
                Float::with_val(HINT, &low - &first.0)
            };
            Float::with_val(HINT, &before * &golden)
        };
        // No two places are too close to be told apart; next to an end the other side is looked at.
        let next = Float::with_val(HINT, &first.0 + &step);
        let twice = Float::with_val(HINT, least * 2u32);
        if Float::with_val(HINT, &next - &low) < twice || Float::with_val(HINT, &high - &next) < twice {
            step = Float::with_val(HINT, &middle - &first.0).clamp(&Float::with_val(HINT, -least), least);
        }
        if Float::with_val(HINT, step.abs_ref()) < *least {
            step = if step.is_sign_negative() { Float::with_val(HINT, -least) } else { least.clone() };
        }
        let next = Float::with_val(HINT, &first.0 + &step);
        let reached = value(&next)?;
        if reached >= first.1 {
            *(if next >= first.0 { &mut low } else { &mut high }) = first.0.clone();
            (third, second, first) = (second, first, (next, reached));
        } else {
            *(if next < first.0 { &mut low } else { &mut high }) = next.clone();
            if reached >= second.1 || second.0 == first.0 {
                (third, second) = (second, (next, reached));
            } else if reached >= third.1 || third.0 == first.0 || third.0 == second.0 {
                third = (next, reached);
            }
        }
    }
    Ok(first.0)
}

/// The distance of rho-zCDP: `tanh(e/2)` with `e tanh(e/2) = rho`.
pub fn distance(rho: &Second) -> Result<Bounds, Error> {
    let half_tangent = |e: &Dyadic| -> Result<Ends, Error> {
        let x = exp(&negative(&point(e)));
        div(&sub(&whole(1), &x), &add(&whole(1), &x))
    };
    let own = fraction(rho);
    let short = |e: &Second| Dyadic::of(e, WIDE).0;
    let (low, high) = root(|e| {
        let e = short(e);
        let value = half_tangent(&e).unwrap_or_else(|_| whole(0));
        fractions(&sub(&mul(&point(&e), &value), &own))
    })?;
    Ok((half_tangent(&short(&low))?.0.rational(), half_tangent(&short(&high))?.1.rational()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The top of a parabola, and a kink between two of them, from the middle and from next to both ends; in few steps.
    #[test]
    fn the_highest_place_is_found() {
        let of = |x: f64| Float::with_val(HINT, x);
        let least = of(1.0) >> CLOSE;
        for (left, right) in [(1.0, 1.0), (0.25, 3.0), (0.0, 2.0)] {
            for top in [-0.999, -0.3, 0.125, 0.96] {
                let (calls, top) = (std::cell::Cell::new(0), of(top));
                let value = |x: &Float| {
                    calls.set(calls.get() + 1);
                    let off = Float::with_val(HINT, x - &top);
                    let kink = if left == right {
                        0.0
                    } else if off.is_sign_negative() {
                        left
                    } else {
                        -right
                    };
                    Ok(Float::with_val(HINT, &off * kink) - off.square())
                };
                let found = highest((of(-1.0), of(1.0)), &least, &value).expect("a place");
                let off = Float::with_val(HINT, &found - &top).abs();
                assert!(off <= Float::with_val(HINT, &least * 2u32), "{left} {right} {top}: {off}");
                assert!(calls.get() < if left == right { 20 } else { 250 }, "{left} {right} {top}: {}", calls.get());
            }
        }
    }
}
