//! Bracket of a root search: points on either side of the root. It guides the search and proves nothing.

use rug::Float;

/// Two points that probably have the root of a decreasing function between them. It guides a search; proofs do not rely
/// on it.
#[derive(Clone, Debug)]
pub struct Bracket {
    /// The function is positive here.
    low: Option<Float>,
    /// The function is negative here, or not above zero from here on.
    high: Option<Float>,
}

impl Bracket {
    /// A bracket from zero to the largest possible root, if that is known.
    pub fn new(largest: Option<Float>) -> Self {
        Bracket { low: None, high: largest }
    }

    /// Record the value of the function at a point.
    pub fn learn(&mut self, x: &Float, value: &Float) {
        let lower = |known: &Option<Float>| known.as_ref().is_none_or(|known| x > known);
        let upper = |known: &Option<Float>| known.as_ref().is_none_or(|known| x < known);
        if value.is_sign_positive() && !value.is_nan() && lower(&self.low) {
            self.low = Some(x.clone());
        } else if value.is_sign_negative() && upper(&self.high) {
            self.high = Some(x.clone());
        }
    }

    /// The proposal if it lies inside the bracket, otherwise the midpoint, or twice the lower end if the bracket is
    /// open.
    pub fn or_middle(&self, proposal: Float) -> Float {
        let bits = proposal.prec();
        let low = self.low.clone().unwrap_or_else(|| Float::new(bits));
        let inside = proposal > low && self.high.as_ref().is_none_or(|high| proposal < *high);
        // A search that is still open above takes steps of no more than twice what is known, and some.
        let reach = Float::with_val(bits, &low * 2u32) + 1u32;
        match &self.high {
            _ if inside && (self.high.is_some() || proposal < reach) => proposal,
            Some(high) => Float::with_val(bits, &low + high) / 2u32,
            None => reach,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(x: f64) -> Float {
        Float::with_val(64, x)
    }

    /// Roots of a falling function with kinks are found from proposals that are all nonsense.
    #[test]
    fn nonsense_is_replaced_by_halves() {
        let f = |x: &Float| float(if *x < 3 { 1.0 } else { -1.0 });
        for largest in [None, Some(float(1000.0))] {
            let mut bracket = Bracket::new(largest);
            let mut x = float(0.5);
            for _ in 0..100 {
                bracket.learn(&x, &f(&x));
                x = bracket.or_middle(float(f64::NAN));
            }
            assert!((x - 3u32).abs() < 1e-9);
        }
    }

    #[test]
    fn proposals_between_are_taken() {
        let mut bracket = Bracket::new(Some(float(8.0)));
        bracket.learn(&float(1.0), &float(2.0));
        assert_eq!(bracket.or_middle(float(7.0)), 7.0);
        assert_eq!(bracket.or_middle(float(9.0)), 4.5);
        bracket.learn(&float(6.0), &float(-2.0));
        assert_eq!(bracket.or_middle(float(7.0)), 3.5);
    }
}
