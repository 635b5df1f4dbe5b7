//! Certified root of a decreasing function from its values alone.
//!
//! **What is certified.** Every end of the bracket has a proven sign, and the function falls: so the root is between.
//! Where the next points are tried is only a guess, made for convex functions: the chord over the bracket meets zero to
//! the right of the root, the line through two points on its left meets zero on the left, and both come near it faster
//! than linearly.
//!
//! **Why it ends.** Each round halves the bracket, or its logarithm while it is wide. A sign that is undecided at one
//! precision is computed again at a higher one, up to the limit of the budget.

use std::cmp::Ordering;

use rug::{Float, Rational};

use crate::{Budget, Enclosure, Error, Number};

/// An enclosure, to about `bits` bits, of the root in `[0, high]` of a strictly decreasing function that is negative at
/// `high > 0`; `value(x, bits)` encloses it at the exact number `x > 0`.
///
/// With `crosses` the function is known to be positive at 0. Without, it may be negative everywhere, and the result is
/// then an interval that begins with 0.
pub fn bracketed(
    high: &Float,
    crosses: bool,
    bits: u32,
    budget: &Budget,
    value: impl Fn(&Rational, u32) -> Result<Number, Error>,
) -> Result<Enclosure, Error> {
    bracketed_with(high, crosses, bits, GUARD, budget, value)
}

/// Like [`bracketed`], for expensive functions: values are computed with a given number of bits beyond those of the
/// root, and with more only if a sign is undecided.
pub fn bracketed_with(
    high: &Float,
    crosses: bool,
    bits: u32,
    guard: u32,
    budget: &Budget,
    value: impl Fn(&Rational, u32) -> Result<Number, Error>,
) -> Result<Enclosure, Error> {
    let mut guard_bits = guard.max(1);
    loop {
        let search = Search { value: &value, crosses, bits: bits.max(16), guard_bits, budget };
        if let Some(root) = search.run(high)? {
            return Ok(root);
        }
        guard_bits = guard_bits.saturating_mul(2);
        if bits.saturating_add(guard_bits) > budget.max_bits().max(1 << 16) {
            return Err(Error::Undecided("cannot decide the sign of a function near its root".into()));
        }
    }
}

/// Bits of values beyond those of the root.
const GUARD: u32 = 64;

struct Search<'a, F> {
    value: &'a F,
    crosses: bool,
    bits: u32,
    guard_bits: u32,
    budget: &'a Budget,
}

/// A point and about the value there.
type Point = (Float, Float);

/// What is proven between two points.
struct Proven {
    /// The last two points of positive value, the one before first.
    before: Option<Point>,
    low: Point,
    high: Point,
}

impl Proven {
    fn width(&self) -> Float {
        Float::with_val(64, &self.high.0 - &self.low.0)
    }

    fn push(&mut self, x: Float, value: Float, order: Ordering) {
        if order == Ordering::Greater {
            self.before = Some(std::mem::replace(&mut self.low, (x, value)));
        } else {
            self.high = (x, value);
        }
    }

    /// The bits that both ends have in common, about; negative while they differ by more than a factor.
    fn common(&self) -> i64 {
        let exponent = |x: &Float| x.get_exp().map_or(0, i64::from);
        exponent(&self.low.0) - exponent(&self.width())
    }

    /// Where to look next.
    fn guesses(&self, bits: u32) -> Vec<Float> {
        let ((low, at_low), (high, at_high)) = (&self.low, &self.high);
        if Float::with_val(64, low << 2u32) < *high {
            return vec![Float::with_val(64, low * high).sqrt()];
        }
        let wide = bits.saturating_add(64);
        let step = |from: &Float, part: Float| Float::with_val(bits, from + part);
        let chord = Float::with_val(wide, high - low) * at_low / Float::with_val(wide, at_low - at_high);
        let mut guesses = Vec::new();
        if let Some((other, at_other)) = &self.before {
            let line = Float::with_val(wide, low - other) * at_low / Float::with_val(wide, at_other - at_low);
            guesses.push(step(low, line));
        }
        guesses.push(step(low, chord));
        guesses
    }

    fn set(&self) -> Enclosure {
        Enclosure::new(self.low.0.clone(), self.high.0.clone())
    }
}

/// What one evaluation says.
enum Probe {
    Sign(Ordering, Float),
    Unclear,
}

impl<F: Fn(&Rational, u32) -> Result<Number, Error>> Search<'_, F> {
    fn probe(&self, x: &Float, bits: u32) -> Result<Probe, Error> {
        self.budget.check()?;
        let full = self.bits.saturating_add(self.guard_bits);
        let at = x.to_rational().ok_or_else(|| Error::Undecided("a root is out of range".into()))?;
        for bits in [bits.min(full), full] {
            let value = (self.value)(&at, bits)?;
            if let Some(order) = value.sign() {
                let set = value.enclosure(bits);
                let middle = Float::with_val(bits.min(set.bits()).max(32), set.lower() + set.upper()) / 2u32;
                return Ok(Probe::Sign(order, middle));
            }
            if bits == full {
                break;
            }
        }
        Ok(Probe::Unclear)
    }

    /// The root; `None` if a sign could not be told at this precision.
    fn run(&self, high: &Float) -> Result<Option<Enclosure>, Error> {
        let mut bracket = match self.first(high)? {
            First::Between(bracket) => bracket,
            First::Root(root) => return Ok(Some(root)),
            First::Unclear => return Ok(None),
        };
        loop {
            let width = bracket.width();
            if width <= Float::with_val(64, &bracket.low.0 >> self.bits) {
                return Ok(Some(bracket.set()));
            }
            let common = u32::try_from(bracket.common().max(0)).unwrap_or(u32::MAX);
            let short = common.saturating_mul(2).saturating_add(32).min(self.bits.saturating_add(16));
            let work = common.saturating_mul(2).saturating_add(self.guard_bits);
            let mut guesses = bracket.guesses(short);
            let middle = Float::with_val(common.saturating_add(16), &bracket.low.0 + &bracket.high.0) / 2u32;
            guesses.push(middle);
            for guess in guesses {
                let x = self.inside(&bracket, guess);
                let halved = bracket.width() <= Float::with_val(64, &width / 2u32);
                if halved || !(x > bracket.low.0 && x < bracket.high.0) {
                    continue;
                }
                match self.probe(&x, work)? {
                    Probe::Sign(Ordering::Equal, _) => return Ok(Some(Enclosure::new(x.clone(), x))),
                    Probe::Sign(order, value) => bracket.push(x, value, order),
                    Probe::Unclear => return self.around(&x),
                }
            }
        }
    }

    /// A guess that says that an end is the root itself, or nearly so, moves away from it by half of the width that is
    /// wanted: what is on the other side of the root then is as near as it has to be.
    fn inside(&self, bracket: &Proven, guess: Float) -> Float {
        let ((low, _), (high, _)) = (&bracket.low, &bracket.high);
        let least = Float::with_val(64, low >> self.bits.saturating_add(1));
        let wide = self.bits.saturating_add(low.prec()).saturating_add(8);
        let first = Float::with_val(wide, low + &least);
        let last = Float::with_val(wide, high - &least);
        if guess < first {
            first
        } else if guess > last {
            last
        } else {
            guess
        }
    }

    /// A point that cannot be told from the root: two points next to it can.
    fn around(&self, x: &Float) -> Result<Option<Enclosure>, Error> {
        let wide = self.bits.saturating_add(x.prec()).saturating_add(8);
        let step = Float::with_val(64, x >> self.bits.saturating_add(2));
        let (below, above) = (Float::with_val(wide, x - &step), Float::with_val(wide, x + &step));
        let full = self.bits.saturating_add(self.guard_bits);
        Ok(match (self.probe(&below, full)?, self.probe(&above, full)?) {
            (Probe::Sign(Ordering::Greater, _), Probe::Sign(Ordering::Less, _)) => Some(Enclosure::new(below, above)),
            _ => None,
        })
    }

    /// Two points of different sign.
    fn first(&self, high: &Float) -> Result<First, Error> {
        let mut high = match self.probe(high, 64)? {
            Probe::Sign(Ordering::Less, value) => (high.clone(), value),
            Probe::Sign(Ordering::Equal, _) => return Ok(First::Root(Enclosure::new(high.clone(), high.clone()))),
            _ => return Ok(First::Unclear),
        };
        let mut step = 1_u32;
        loop {
            let x = Float::with_val(32, &high.0) >> step;
            // A root of so few bits is as good as none.
            let small = x.get_exp().is_none_or(|exponent| exponent < -(1 << 22));
            let probe = if small { Probe::Unclear } else { self.probe(&x, 64)? };
            match probe {
                Probe::Sign(Ordering::Greater, value) => {
                    return Ok(First::Between(Proven { before: None, low: (x, value), high }));
                }
                Probe::Sign(Ordering::Equal, _) => return Ok(First::Root(Enclosure::new(x.clone(), x))),
                Probe::Sign(Ordering::Less, value) => high = (x, value),
                Probe::Unclear if !self.crosses => {
                    return Ok(First::Root(Enclosure::new(Float::new(self.bits), high.0)));
                }
                Probe::Unclear if small => {
                    return Err(Error::Undecided(
                        "the solution of an equation is below 2^-4194304, if there is one, and none so small is sought"
                            .into(),
                    ));
                }
                Probe::Unclear => return Ok(self.around(&x)?.map_or(First::Unclear, First::Root)),
            }
            step = step.saturating_mul(2);
        }
    }
}

enum First {
    Between(Proven),
    Root(Enclosure),
    Unclear,
}

#[cfg(test)]
mod tests {
    use rug::Integer;

    use super::*;

    /// `c - x`, known to `2^-bits` only, so that the sign near the root is never certain.
    fn noisy(c: &Rational) -> impl Fn(&Rational, u32) -> Result<Number, Error> {
        let c = c.clone();
        move |x, bits| {
            let gap = Enclosure::rational(&Rational::from(&c - x), bits.max(64));
            Ok(Number::Enclosed(gap.widen(&(Float::with_val(64, 1) >> bits))))
        }
    }

    #[test]
    fn roots_that_are_never_certain() {
        let budget = Budget::default();
        for text in ["1/2", "1/3", "1", "3/4", "7/1000000007", "1023/1024"] {
            let c: Rational = text.parse().unwrap();
            for bits in [20, 64, 300] {
                let root = bracketed(&Float::with_val(32, 2), true, bits, &budget, noisy(&c)).unwrap();
                assert!(root.contains(&c), "{text} {bits}: {root:?}");
                assert!(root.relative_bits().unwrap() >= i64::from(bits) - 2, "{text} {bits}: {root:?}");
            }
        }
    }

    /// An end that is as good as the root from the beginning: the other one is not halved on its way there.
    #[test]
    fn the_other_end_comes_as_fast() {
        let asked = std::cell::Cell::new(0);
        let c: Rational = "7/1000000007".parse().unwrap();
        let curve = |x: &Rational, bits: u32| {
            asked.set(asked.get() + 1);
            let gap = Enclosure::rational(&Rational::from(&c - x), bits);
            Ok(Number::Enclosed(&gap.exp() - &Enclosure::one(bits)))
        };
        let root = bracketed(&Float::with_val(32, 1), true, 200, &Budget::default(), curve).unwrap();
        assert!(root.contains(&c) && root.relative_bits().unwrap() >= 198);
        assert!(asked.get() < 40, "{}", asked.get());
    }

    #[test]
    fn exact_roots_are_points() {
        let budget = Budget::default();
        let line = |x: &Rational, _: u32| Ok(Number::Exact(Rational::from((1, 8)) - x));
        let root = bracketed(&Float::with_val(32, 1), true, 100, &budget, line).unwrap();
        assert!(root.is_point() && root.contains(&Rational::from((1, 8))));
    }

    /// Kinks, great ranges and functions that are far from their chords.
    #[test]
    fn odd_functions() {
        let budget = Budget::default();
        let tiny = Rational::from((1, Integer::from(1) << 3000u32));
        // A kink at the root: 3 (c - x) to its left, (c - x)/1000 to its right.
        let kink = |c: Rational| {
            move |x: &Rational, _: u32| {
                let gap = Rational::from(&c - x);
                Ok(Number::Exact(if gap > 0 { gap * 3 } else { gap / 1000 }))
            }
        };
        // Not convex, either: the cube of the gap.
        let cube = |c: Rational| {
            move |x: &Rational, bits: u32| {
                let gap = Enclosure::rational(&Rational::from(&c - x), bits);
                Ok(Number::Enclosed(gap.square() * gap))
            }
        };
        for c in [Rational::from((1, 3)), Rational::from((5, 7)), tiny] {
            let high = Float::with_val(32, 1);
            let root = bracketed(&high, true, 80, &budget, kink(c.clone())).unwrap();
            assert!(root.contains(&c) && root.relative_bits().unwrap() >= 78);
            let root = bracketed(&high, true, 80, &budget, cube(c.clone())).unwrap();
            assert!(root.contains(&c) && root.relative_bits().unwrap() >= 78);
        }
    }

    #[test]
    fn perhaps_no_root() {
        let budget = Budget::default();
        for c in [Rational::new(), Rational::from((-1, 1_000_000))] {
            let root = bracketed(&Float::with_val(32, 1), false, 64, &budget, noisy(&c)).unwrap();
            assert!(root.lower().is_zero() && *root.upper() > 0 && *root.upper() < 1e-5);
        }
    }
}
