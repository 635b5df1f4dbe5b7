//! Profile, inverse and trade-off function of a composition, from the masses of its tails.
//!
//! With knots `l_J`, one unit apart, `A_J = P(l_J <= L < infinity)` and `B_J = Q(L >= l_J)`:
//!
//! `delta(eps) = max_J (A_J - e^eps B_J)`, attained at the first knot at or above eps,
//! `e^(eps*) = max_J (A_J - D)/B_J`, attained at the J with `l_(J-1) <= eps* <= l_J`,
//! `beta(alpha) = max_J [B_(J+1) + e^(-l_J) (1 - alpha - A_(J+1))]`, attained at the J with
//! `A_(J+1) <= 1 - alpha <= A_J`.
//!
//! Doubles guess the tilt and the knot; that the knot is right is then proven from the enclosures. Where a point cannot
//! be told from a knot both neighbours are asked, and the larger value is the value. Too few bits proven: more bits.

use std::cmp::Ordering;

use rug::float::Round::Up;

use super::build::{Composed, Key, Tilting};
use crate::alarm;
use crate::error::Error;
use enclosure::{AdaptivePrecision, Budget, Enclosure, Number, Portable, Real};

/// Tries with more bits.
const TRIES: u32 = 6;

/// What is listed, to be told in an alarm.
const TAIL: &str = "tail of masses on a lattice";

/// `A_J` and `B_J`.
struct Masses {
    p: Enclosure,
    q: Enclosure,
}

impl Tilting {
    fn masses(&self, place: i64, budget: &Budget) -> Result<Masses, Error> {
        let discounted = self.discounted(place, budget)?;
        let scale = self.scale(place);
        let loss = self.loss(place).enclosure(self.bits() + 64);
        let p = &scale * &alarm::not_negative(&discounted.p, TAIL)?;
        let q = &(&scale * &(-loss).exp().with_bits(self.bits())) * &alarm::not_negative(&discounted.q, TAIL)?;
        Ok(Masses { p, q })
    }

    /// The least and the largest place that may be the first knot at or above a value, given as `value - shift`.
    fn first_at(&self, above_shift: &Enclosure) -> Option<(i64, i64)> {
        let position = above_shift / &self.unit.enclosure(above_shift.bits());
        let ceil = |x: &rug::Float| {
            x.to_integer_round(Up).and_then(|(n, _)| n.to_i64()).filter(|n| n.unsigned_abs() < 1 << 61)
        };
        Some((ceil(position.lower())?, ceil(position.upper())?))
    }
}

/// Try with more limbs until `bits` relative bits are proven. Masses are scaled by their tilt, so that what is small is
/// not small here, and fixed point loses as floating point does.
fn settle(
    composed: &Composed,
    bits: u32,
    budget: &Budget,
    mut value: impl FnMut(usize) -> Result<Option<Enclosure>, Error>,
) -> Result<Number, Error> {
    let guard = composed.guard();
    if bits.saturating_add(guard) > budget.max_bits().max(256) {
        return Err(budget.out_of_bits());
    }
    AdaptivePrecision::new(bits, guard, budget)
        .in_limbs()
        .attempts(TRIES)
        .run(|fraction| Ok(value((fraction as usize).div_ceil(64))?.map(Number::Enclosed)))
}

/// `sum (p - e^eps q)_+` over finite losses.
pub(super) fn profile(
    composed: &Composed,
    epsilon: &Real,
    backward: bool,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    let at = epsilon.to_f64();
    let sketches = composed.sketches();
    let c = if backward { sketches.backward().tilt_for_loss(at) } else { sketches.tilt_for_loss(at) };
    let tilt = sketches.rounded(c);
    settle(composed, bits, budget, |width| {
        let tilting = composed.tilting(&Key { backward, tilt: tilt.clone(), width, many: false }, budget)?;
        tilting.profile(epsilon, budget).map(Some)
    })
}

impl Tilting {
    /// The first knots that may be at or above a loss, two at most.
    fn knots(&self, loss: &Real) -> Result<(i64, i64), Error> {
        let above = loss.sub(&self.shift);
        let mut work = 192;
        while work <= 1 << 14 {
            if let Some((low, high)) = self.first_at(&above.enclosure(work))
                && high - low <= 1
            {
                return Ok((low, high));
            }
            work *= 2;
        }
        Err(Error::Undecided("epsilon is too large to be compared with the privacy losses".into()))
    }

    /// `A_J - e^eps B_J` at the first knot at or above epsilon.
    pub fn profile(&self, epsilon: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        let (low, high) = self.knots(epsilon)?;
        let mut best = Enclosure::zero(self.bits());
        for place in low..=high {
            let discounted = self.discounted(place, budget)?;
            let gap = self.loss(place).sub(epsilon).enclosure(self.bits() + 64);
            let share = (-gap).exp().with_bits(self.bits());
            let value = &self.scale(place) * &(&discounted.p - &(&share * &discounted.q));
            best = best.max(&value);
        }
        Ok(best)
    }

    /// `e^eps B_J`: minus the derivative of the profile.
    pub fn slope(&self, epsilon: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        let place = self.knots(epsilon)?.0;
        Ok(&self.masses(place, budget)?.q * &epsilon.enclosure(self.bits()).exp())
    }

    /// The P-mass of losses between two points, both included, and perhaps of one more knot on either side.
    pub fn window(&self, low: &Real, high: &Real, budget: &Budget) -> Result<Enclosure, Error> {
        let (first, last) = (self.knots(low)?.0, self.knots(high)?.1);
        let mass = &self.masses(first, budget)?.p - &self.masses(last.saturating_add(1), budget)?.p;
        Ok(mass.positive_part())
    }
}

/// `ln((A_J - level)/B_J)`, for an `A_J` certainly above the level.
fn root(masses: &Masses, level: &Enclosure) -> Result<Enclosure, Error> {
    let excess = &masses.p - level;
    let (near, far) = ((&(&excess - &masses.q) / &masses.q).log1p(), (&excess / &masses.q).ln());
    // Both enclose one number; near zero only the first keeps its digits, far out only the second.
    alarm::meet(&near, &far, "root of the line of a knot")
}

/// The least `eps >= 0` with `sum (p - e^eps q)_+` at most a level, `0 < level < 1`.
pub(super) fn inverse(
    composed: &Composed,
    level: &dyn Fn(u32) -> Enclosure,
    backward: bool,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    let reversed = composed.sketches().backward();
    let sketches = if backward { &reversed } else { composed.sketches() };
    let rough = level(192);
    let log_level = rough.ln().upper().to_f64();
    let c = sketches.tilt_for_delta(log_level);
    let tilt = sketches.rounded(c);
    let mut guess = sketches.cumulants(c).mean;
    settle(composed, bits, budget, |width| {
        let tilting = composed.tilting(&Key { backward, tilt: tilt.clone(), width, many: false }, budget)?;
        let level = level(tilting.bits() + 64);
        let found = tilting.inverse(&level, guess, budget)?;
        if let Some(found) = &found {
            guess = found.lower().to_f64();
        }
        Ok(found.map(|found| found.positive_part()))
    })
}

impl Tilting {
    /// The zero of `sum (p - e^eps q)_+ - level` on the whole line, or zero if it is certainly not above; `None` for
    /// too few bits.
    pub fn inverse(&self, level: &Enclosure, guess: f64, budget: &Budget) -> Result<Option<Enclosure>, Error> {
        Inverse { tilting: self, level, budget }.solve(guess)
    }
}

/// The search for the knot of one level.
struct Inverse<'a> {
    tilting: &'a Tilting,
    level: &'a Enclosure,
    budget: &'a Budget,
}

impl Inverse<'_> {
    /// The first knots that may be at or above a loss that is known so far.
    fn knots(&self, loss: &Enclosure) -> Option<(i64, i64)> {
        let wide = loss.with_bits(loss.bits().max(128));
        self.tilting.first_at(&(&wide - &self.tilting.shift.enclosure(wide.bits() + 64)))
    }

    /// The zero of `delta(eps) - level` on the whole line, or zero if it is certainly not above; `None` for too few
    /// bits.
    ///
    /// A root x of the line of knot J is a lower bound of the zero whatever J is. It is the zero if
    /// `l_(J-1) <= x <= l_J`: there the line is the profile. If x is so near to `l_J` that it cannot be told from it,
    /// then x or the root of the next line is the zero, if that root is certainly not beyond the next knot.
    fn solve(&self, guess: f64) -> Result<Option<Enclosure>, Error> {
        let (first, last) = self.tilting.ends();
        let start = self.knots(&Enclosure::double(guess, 64)).map_or(0, |(low, _)| low);
        // The knot of epsilon zero: what is below need not be told apart.
        let zero = self.knots(&Enclosure::zero(128)).map_or(first, |(low, _)| low);
        let (mut low, mut high) = (first.min(zero) - 1, last.saturating_add(1));
        let mut place = start.clamp(low + 1, high);
        for round in 0..200_u32 {
            self.budget.check()?;
            let masses = self.tilting.masses(place, self.budget)?;
            let knot = self.tilting.loss(place).enclosure(self.tilting.bits());
            let excess = &masses.p - self.level;
            let next = match excess.sign() {
                Some(Ordering::Greater) => {
                    let x = root(&masses, self.level)?;
                    let Some((from, to)) = self.knots(&x) else { return Ok(None) };
                    if from == place && to == place {
                        return Ok(Some(x));
                    }
                    if from >= place - 1 && to <= place + 1 && to - from <= 1 && from <= place && to >= place {
                        // Next to a knot: the line on its other side.
                        let other = if from < place { place - 1 } else { place + 1 };
                        let masses = self.tilting.masses(other, self.budget)?;
                        let y = root(&masses, self.level)?;
                        let (least, most) = (place.min(other), place.max(other));
                        return Ok(match self.knots(&y) {
                            Some((from, to)) if from >= least && to <= most => Some(x.max(&y)),
                            _ => None,
                        });
                    }
                    if *x.upper() <= 0 && place <= zero {
                        // The root lies below this knot, which is at most the first one at or above zero.
                        if to <= place {
                            return Ok(Some(Enclosure::zero(64)));
                        }
                    }
                    if to < place {
                        high = place - 1;
                        // Far off, a step on the logarithm is better.
                        let here = &masses.p - &(&knot.exp() * &masses.q);
                        self.log_step(place, &here, &masses, &knot).filter(|p| *p < place && *p > to).unwrap_or(to)
                    } else {
                        low = place;
                        to
                    }
                }
                Some(_) => {
                    high = place - 1;
                    let here = &masses.p - &(&knot.exp() * &masses.q);
                    match self.log_step(place, &here, &masses, &knot) {
                        Some(p) if p < place => p,
                        _ => place - 1 - (1_i64 << round.min(60)),
                    }
                }
                None => return Ok(None),
            };
            if high < zero {
                // delta(0) is certainly at most the level.
                return Ok(Some(Enclosure::zero(64)));
            }
            if low >= high {
                return Ok(None);
            }
            let bisect = round > 24 && round % 2 == 1;
            place = if next > low && next <= high && !bisect { next } else { low + 1 + (high - low) / 2 };
            place = place.clamp(low + 1, high.max(low + 1));
        }
        Ok(None)
    }

    /// Newton's step on the logarithm of the profile.
    fn log_step(&self, place: i64, here: &Enclosure, masses: &Masses, knot: &Enclosure) -> Option<i64> {
        let log = |x: &Enclosure| x.with_bits(64).ln().upper().to_f64();
        let (value, slope) = (log(here), log(&(&knot.exp() * &masses.q)));
        let step = (value - log(self.level)) * (value - slope).portable_exp() / self.tilting.unit.to_f64();
        (step.is_finite() && step.abs() < 1e17).then(|| place.saturating_add(step.round() as i64))
    }
}

/// The trade-off function; `point(bits)` gives alpha and the P-mass that finite losses must contribute to acceptance.
pub(super) fn tradeoff(
    composed: &Composed,
    point: &dyn Fn(u32) -> (Enclosure, Enclosure),
    backward: bool,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    let reversed = composed.sketches().backward();
    let (ahead, behind) = if backward { (&reversed, composed.sketches()) } else { (composed.sketches(), &reversed) };
    let (alpha, rest) = point(192);
    // Near alpha = 0 the rejected P-mass is small, near 1 the accepted one; the small one is what is searched for.
    let below = *alpha.upper() < 0.5;
    let log = |x: &Enclosure| x.ln().upper().to_f64();
    let c = ahead.tilt_for_tail(if below { log(&alpha) } else { log(&rest) }, !below);
    let loss = ahead.cumulants(c).mean;
    let forward_tilt = ahead.rounded(c);
    // Minus the loss under Q has this mean at the tilt -1-c.
    let backward_tilt = behind.rounded(-1.0 - c);
    settle(composed, bits, budget, |width| {
        let forward = composed.tilting(&Key { backward, tilt: forward_tilt.clone(), width, many: true }, budget)?;
        let lower = if below {
            let key = Key { backward: !backward, tilt: backward_tilt.clone(), width, many: true };
            Some(composed.tilting(&key, budget)?)
        } else {
            None
        };
        let (alpha, rest) = point(forward.bits() + 64);
        Ok(least_mass(&forward, lower.as_deref(), (&alpha, &rest), loss, budget)?.map(|found| found.0))
    })
}

/// The least Q-mass of a test that rejects the P-mass alpha and accepts the P-mass `rest` of finite losses, and the
/// knot on whose line that is; `None` for too few bits. With the tails of the reversed pair, P-masses are counted from
/// below.
pub(super) fn least_mass(
    forward: &Tilting,
    lower: Option<&Tilting>,
    (alpha, rest): (&Enclosure, &Enclosure),
    guess: f64,
    budget: &Budget,
) -> Result<Option<(Enclosure, i64)>, Error> {
    let shift = forward.shift.enclosure(64);
    let guess = forward.first_at(&(&Enclosure::double(guess, 64) - &shift)).map_or(0, |places| places.0);
    // J with A_(J+1) <= rest <= A_J; the same, by P(L <= l_(J-1)) <= alpha <= P(L <= l_J).
    let value = |place: i64| -> Result<Enclosure, Error> {
        let next = forward.masses(place + 1, budget)?;
        let left = match lower {
            Some(lower) => &lower.masses(-place, budget)?.q - alpha,
            None => rest - &next.p,
        };
        let likelihood = (-forward.loss(place).enclosure(forward.bits() + 64)).exp();
        Ok(&next.q + &(&likelihood * &left))
    };
    let places = match lower {
        Some(lower) => {
            let tail = |place: i64| Ok(lower.masses(place, budget)?.q);
            // The last place with P(-L >= ...) >= alpha, reversed.
            last_above(&tail, alpha, -guess, lower.ends(), budget)?.map(|(first, last)| (-last, -first))
        }
        None => {
            let tail = |place: i64| Ok(forward.masses(place, budget)?.p);
            last_above(&tail, rest, guess, forward.ends(), budget)?
        }
    };
    let Some((first, last)) = places else { return Ok(None) };
    let mut best = Enclosure::zero(forward.bits());
    for place in first..=last {
        best = best.max(&value(place)?);
    }
    Ok(Some((best, first)))
}

/// The first and the last place that may be the last one where a falling function is at least a target: at most two;
/// `None` if more cannot be told apart.
fn last_above(
    tail: &dyn Fn(i64) -> Result<Enclosure, Error>,
    target: &Enclosure,
    guess: i64,
    ends: (i64, i64),
    budget: &Budget,
) -> Result<Option<(i64, i64)>, Error> {
    let log = |x: &Enclosure| {
        let log = x.with_bits(64).ln();
        (log.upper().to_f64() + log.lower().to_f64()) / 2.0
    };
    let goal = log(target);
    // tail(low) >= target > tail(high), with logarithms.
    let (mut low, mut high) = ((ends.0 - 1, f64::INFINITY), (ends.1 + 1, f64::NEG_INFINITY));
    let mut place = guess.clamp(low.0 + 1, high.0 - 1);
    let mut jump = 1_i64;
    for round in 0..300_u32 {
        if high.0 - low.0 <= 1 {
            // The ends of the table are not those of the law: what lies beyond them may only be too small for this
            // width.
            let holds = (low.1.is_finite() || tail(low.0)?.lower() >= target.upper())
                && (high.1.is_finite() || tail(high.0)?.upper() < target.lower());
            return Ok(holds.then_some((low.0, low.0)));
        }
        budget.check()?;
        let value = tail(place)?;
        match value.compare(target) {
            Some(Ordering::Greater | Ordering::Equal) => low = (place, log(&value) - goal),
            Some(Ordering::Less) => high = (place, log(&value) - goal),
            None => {
                // This place may be the last one, or the first beyond it. Its neighbours must be certain.
                let sure = tail(place - 1)?.compare(target) == Some(Ordering::Greater)
                    && tail(place + 1)?.compare(target) == Some(Ordering::Less);
                return Ok(sure.then_some((place - 1, place)));
            }
        }
        let width = high.0 - low.0;
        if width <= 1 {
            continue;
        }
        place = if low.1.is_finite() && high.1.is_finite() && round % 3 != 2 {
            let share = low.1 / (low.1 - high.1);
            // A little to the side of the nearer end, so that the bracket closes from both sides.
            let at = low.0 + (share * width as f64).round() as i64;
            at.clamp(low.0 + 1, high.0 - 1)
        } else if low.1.is_finite() && !high.1.is_finite() && jump < width {
            let step = jump;
            jump = jump.saturating_mul(4);
            low.0 + step
        } else if high.1.is_finite() && !low.1.is_finite() && jump < width {
            let step = jump;
            jump = jump.saturating_mul(4);
            high.0 - step
        } else {
            low.0 + width / 2
        };
    }
    Ok(None)
}
