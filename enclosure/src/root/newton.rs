//! The root of a decreasing function, proven by one step of interval Newton.

use rug::Float;
use rug::float::Round::{Down, Up};

use crate::{Budget, Enclosure, Error};

/// An enclosure, to about `bits` bits, of the root of a decreasing function near `start`.
///
/// `value(x, bits)` encloses the function at the exact number x; `slope(set, bits)` encloses *minus* its derivative
/// at every point of the set. **Claim.** The function has exactly one root in the sets visited, and the result
/// contains it: if `N = x + value(x) / slope(I)` lies within `I`, where I is an interval around x, then by the mean
/// value theorem the function is `>= 0` at the lower end of N and `<= 0` at its upper end (Moore 1966), and being
/// strictly decreasing it has no other root anywhere.
///
/// Why it ends: Newton's steps double the proven bits, and so does the precision of their evaluations, so all of them
/// together cost about as much as the last; a search that does not converge stops after 60 steps.
///
/// # Errors
/// [`Error::Undecided`] if no step could be proven; errors of the two functions.
pub fn newton(
    start: &Float,
    bits: u32,
    budget: &Budget,
    value: impl Fn(&Float, u32) -> Result<Enclosure, Error>,
    slope: impl Fn(&Enclosure, u32) -> Result<Enclosure, Error>,
) -> Result<Enclosure, Error> {
    let mut ladder = vec![bits.max(40)];
    while let Some(&last) = ladder.last() {
        if last <= 96 {
            break;
        }
        ladder.push(last / 2 + 16);
    }
    let mut x = start.clone();
    let mut repeats = 0;
    for _ in 0..60 {
        budget.check()?;
        let Some(&level) = ladder.last() else { break };
        // x is good to about half of this level: its other digits would only make the evaluation dearer.
        let point = Float::with_val((level / 2).saturating_add(24), &x);
        let error = value(&point, level)?;
        let here = slope(&Enclosure::new(point.clone(), point.clone()), 64)?;
        let step = error.with_bits(64) / here;
        if !step.is_bounded() {
            return Err(Error::Undecided("cannot enclose the solution of an equation at this precision".into()));
        }
        let far = step.abs().into_bounds().1 << 1u32;
        let wide = level.saturating_add(16);
        let around = Enclosure::new(
            Float::with_val_round(wide, &point - &far, Down).0,
            Float::with_val_round(wide, &point + &far, Up).0,
        );
        let slopes = slope(&around, level / 2 + 48)?;
        let next =
            Enclosure::new(point.clone(), point).with_bits(wide) + error.with_bits(wide) / slopes.with_bits(wide);
        if !next.is_bounded() {
            return Err(Error::Undecided("cannot enclose the solution of an equation at this precision".into()));
        }
        let inside = around.lower() <= next.lower() && next.upper() <= around.upper();
        if inside {
            repeats += 1;
            let good = next.relative_bits().is_some_and(|proven| proven + 4 >= i64::from(level));
            if ladder.len() == 1 && (good || repeats > 2) {
                return Ok(next.with_bits(bits));
            }
            if ladder.len() > 1 && (good || repeats > 2) {
                ladder.pop();
                repeats = 0;
            }
        }
        x = Float::with_val(wide, next.lower() + next.upper()) >> 1u32;
    }
    Err(Error::Undecided("the search for the solution of an equation did not converge".into()))
}
