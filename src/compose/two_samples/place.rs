//! Where a function rises through 0, about, in doubles: for places that no proof rests on.

use crate::error::Error;

/// Steps of the search.
const STEPS: u32 = 80;
/// So many of them that do not halve the range are followed by one that does.
const SLOW: u32 = 2;
/// It begins with this step, and doubles it.
const FIRST: f64 = 0.5;
/// No places are sought beyond.
const FARTHEST: f64 = 1e9;

/// From a place by growing steps, then by secants and middles, until the root is between two places that are so near,
/// as a part of them or of 1. No step is smaller: one from where the function is nearly 0, and flat, would be.
///
/// Heights may be infinite where the function is flat.
///
/// # Errors
/// Those of the function; [`Error::Undecided`] where nothing is found.
pub(super) fn risen(from: f64, near: f64, mut height: impl FnMut(f64) -> Result<f64, Error>) -> Result<f64, Error> {
    let (mut low, mut high): (Option<f64>, Option<f64>) = (None, None);
    let (mut x, mut reach) = (from, FIRST);
    let mut before: Option<(f64, f64)> = None;
    let (mut width, mut slow) = (f64::INFINITY, 0);
    for _ in 0..STEPS {
        let here = height(x)?;
        if here < 0.0 {
            low = Some(x);
        } else {
            high = Some(x);
        }
        let secant = before.map(|(last, at_last)| x - here * (x - last) / (here - at_last));
        before = here.is_finite().then_some((x, here));
        let inside = |x: &f64| low.is_none_or(|low| *x > low) && high.is_none_or(|high| *x < high);
        let secant = secant.filter(|next| next.is_finite() && inside(next));
        let next = match (low, high) {
            (Some(low), Some(high)) => {
                let middle = f64::midpoint(low, high);
                slow = if high - low > width / 2.0 { slow + 1 } else { 0 };
                width = high - low;
                if slow < SLOW {
                    secant.unwrap_or(middle)
                } else {
                    slow = 0;
                    middle
                }
            }
            _ => {
                reach *= 2.0;
                let most = if here < 0.0 { x + reach } else { x - reach };
                secant.filter(|next| (next - x).abs() < reach).unwrap_or(most)
            }
        };
        let least = near * x.abs().max(1.0);
        if let (Some(low), Some(high)) = (low, high)
            && high - low <= 2.0 * least
        {
            return Ok(f64::midpoint(low, high));
        }
        let next = if (next - x).abs() < least { x + least.copysign(-here) } else { next };
        if !(next.abs() < FARTHEST) {
            break;
        }
        x = next;
    }
    Err(Error::undecided("the search found no threshold"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Portable;

    /// Functions that are steep, flat or infinite on a side.
    #[test]
    fn roots_are_found() {
        let of = |from: f64, f: &dyn Fn(f64) -> f64| risen(from, 1e-6, |x| Ok(f(x)));
        assert!(of(0.0, &|x| x - 3.0).is_ok_and(|x| (x - 3.0).abs() < 1e-4));
        assert!(of(1.0, &|x| (x - 250.0).powi(3)).is_ok_and(|x| (x - 250.0).abs() < 1.0));
        assert!(of(1.0, &|x| if x < 5.0 { f64::NEG_INFINITY } else { x - 4.0 }).is_ok_and(|x| (x - 5.0).abs() < 1e-4));
        assert!(of(0.0, &|x| (x + 40.0).portable_tanh()).is_ok_and(|x| (x + 40.0).abs() < 1e-3));
        // Nearly 0 for long, and flat there.
        let plateau = |x: f64| if x < 3.0 { x - 4.0 } else { 1e-10 * (x - 7.0) + (x - 9.0).max(0.0) };
        assert!(of(1.0, &plateau).is_ok_and(|x| (x - 7.0).abs() < 1e-4));
        assert!(matches!(of(0.0, &|_| -1.0), Err(Error::Undecided(_))));
    }
}
