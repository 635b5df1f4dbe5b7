//! Approximate maximum of a unimodal function in doubles, without proof.

/// Steps uphill at most: each is half as long again as the one before.
const STEPS: u32 = 60;
/// Golden sections at most: each leaves 0.62 of the interval.
const SECTIONS: u32 = 100;
/// That part, `(sqrt 5 - 1)/2`.
const GOLDEN: f64 = 0.618_033_988_75;

/// Approximate place of the maximum of a unimodal function. The search climbs from `from` in growing steps, beginning
/// with `step`, then narrows the bracket by golden sections to `width`.
///
/// The search terminates for every function. If values are NaN or equal as doubles, the place is meaningless.
///
/// ```
/// let height = |x: f64| Ok::<f64, std::convert::Infallible>(-(x - 3.0).abs());
/// let place = enclosure::peak::climbed(0.0, 0.25, 1e-6, height)?;
/// assert!((place - 3.0).abs() < 1e-6);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
///
/// # Errors
/// Those of the function.
pub fn climbed<E>(from: f64, step: f64, width: f64, mut height: impl FnMut(f64) -> Result<f64, E>) -> Result<f64, E> {
    let (mut x, mut step) = (from, step);
    let mut here = height(x)?;
    if height(x + step)? < here {
        step = -step;
    }
    for _ in 0..STEPS {
        let next = height(x + step)?;
        if next.partial_cmp(&here) != Some(std::cmp::Ordering::Greater) {
            break;
        }
        (x, here, step) = (x + step, next, 1.5 * step);
    }
    let (mut low, mut high) = (x - step.abs(), x + step.abs());
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut of_a, mut of_b) = (height(a)?, height(b)?);
    for _ in 0..SECTIONS {
        if (high - low).partial_cmp(&width) != Some(std::cmp::Ordering::Greater) {
            break;
        }
        if of_a < of_b {
            (low, a, of_a) = (a, b, of_b);
            b = low + GOLDEN * (high - low);
            of_b = height(b)?;
        } else {
            (high, b, of_b) = (b, a, of_a);
            a = high - GOLDEN * (high - low);
            of_a = height(a)?;
        }
    }
    Ok(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Peaks on either side, far and near, of functions with a kink: as near as was asked for.
        #[test]
        fn peaks_are_found(at in -1e3f64..1e3, from in -1e3f64..1e3, left in 0.1f64..9.0, right in 0.1f64..9.0) {
            let height = |x: f64| Ok::<f64, ()>(if x < at { left * (x - at) } else { right * (at - x) });
            let place = climbed(from, 0.25, 1e-6, height).expect("no error");
            prop_assert!((place - at).abs() <= 1e-6, "{place}");
        }
    }

    /// What has no peak ends, after so many heights.
    #[test]
    fn what_has_no_peak_ends() {
        for odd in [|_| f64::NAN, |x: f64| x, |_| 0.0, |x: f64| 1.0 / x, |_| f64::INFINITY] {
            let mut asked = 0;
            let counted = |x| {
                asked += 1;
                Ok::<f64, ()>(odd(x))
            };
            climbed(0.0, 1.0, 0.0, counted).expect("no error");
            assert!(asked <= 5 + STEPS + SECTIONS, "{asked}");
        }
        assert_eq!(climbed(0.0, 1.0, 0.1, |x| if x > 0.5 { Err("far") } else { Ok(0.0) }), Err("far"));
    }
}
