//! What a search for a root knows: points on either side of it. It steers; it proves nothing.

use rug::Float;

/// Two points with the root of a falling function between them, as far as one can tell; a search may trust it, no proof
/// does.
#[derive(Clone, Debug)]
pub struct Bracket {
    /// The function is positive here.
    low: Option<Float>,
    /// The function is negative here, or not above zero from here on.
    high: Option<Float>,
}

impl Bracket {
    /// Between zero and the largest root there may be, if there is such a bound.
    pub fn new(largest: Option<Float>) -> Self {
        Bracket { low: None, high: largest }
    }

    /// The function has this value there.
    pub fn learn(&mut self, x: &Float, value: &Float) {
        let lower = |known: &Option<Float>| known.as_ref().is_none_or(|known| x > known);
        let upper = |known: &Option<Float>| known.as_ref().is_none_or(|known| x < known);
        if value.is_sign_positive() && !value.is_nan() && lower(&self.low) {
            self.low = Some(x.clone());
        } else if value.is_sign_negative() && upper(&self.high) {
            self.high = Some(x.clone());
        }
    }

    /// The proposal if it lies between, else the middle, or twice as far where one side is still open.
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
