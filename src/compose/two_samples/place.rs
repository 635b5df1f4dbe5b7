//! Where a function rises through 0, about, in doubles: for places that no proof rests on.

use crate::error::Error;

/// Steps of the search.
const STEPS: u32 = 80;
/// Every so many of them go to the middle.
const MIDDLE: u32 = 4;
/// It begins with this step, and doubles it.
const FIRST: f64 = 0.5;
/// No places are sought beyond.
const FARTHEST: f64 = 1e9;

/// From a place by growing steps, then by secants and middles, until a step is this small a part of the place, or of 1.
///
/// Heights may be infinite where the function is flat.
///
/// # Errors
/// Those of the function; [`Error::Undecided`] where nothing is found.
pub(super) fn risen(from: f64, near: f64, mut height: impl FnMut(f64) -> Result<f64, Error>) -> Result<f64, Error> {
    let (mut low, mut high): (Option<f64>, Option<f64>) = (None, None);
    let (mut x, mut reach) = (from, FIRST);
    let mut before: Option<(f64, f64)> = None;
    for step in 0..STEPS {
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
                if step % MIDDLE == MIDDLE - 1 { middle } else { secant.unwrap_or(middle) }
            }
            _ => {
                reach *= 2.0;
                let most = if here < 0.0 { x + reach } else { x - reach };
                secant.filter(|next| (next - x).abs() < reach).unwrap_or(most)
            }
        };
        if (next - x).abs() <= near * x.abs().max(1.0) {
            return Ok(next);
        }
        if !(next.abs() < FARTHEST) {
            break;
        }
        x = next;
    }
    Err(Error::undecided("the search for a threshold found none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions that are steep, flat or infinite on a side.
    #[test]
    fn roots_are_found() {
        let of = |from: f64, f: &dyn Fn(f64) -> f64| risen(from, 1e-6, |x| Ok(f(x)));
        assert!(of(0.0, &|x| x - 3.0).is_ok_and(|x| (x - 3.0).abs() < 1e-4));
        assert!(of(1.0, &|x| (x - 250.0).powi(3)).is_ok_and(|x| (x - 250.0).abs() < 1.0));
        assert!(of(1.0, &|x| if x < 5.0 { f64::NEG_INFINITY } else { x - 4.0 }).is_ok_and(|x| (x - 5.0).abs() < 1e-4));
        assert!(of(0.0, &|x| (x + 40.0).tanh()).is_ok_and(|x| (x + 40.0).abs() < 1e-3));
        assert!(matches!(of(0.0, &|_| -1.0), Err(Error::Undecided(_))));
    }
}
