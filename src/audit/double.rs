//! Doubles: their decimals, and those nearest to exact constants.

use rug::float::Round;
use rug::{Float, Rational};

use enclosure::Real;

/// The shortest decimal that reads back as this double.
pub fn shortest(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-3..1e16).contains(&magnitude) { format!("{value}") } else { format!("{value:e}") }
}

/// The double nearest to a constant, and whether it is that constant.
pub fn nearest(value: &Real) -> (f64, bool) {
    match value.as_rational() {
        Some(exact) => {
            // Wide enough to hold a rational's leading bits; rounding twice may miss the nearest by half a unit below
            // the normal doubles, which is no harm: what is sent is what is judged.
            let double = Float::with_val_round(53, exact, Round::Nearest).0.to_f64();
            (double, Rational::from_f64(double).is_some_and(|rounded| rounded == *exact))
        }
        None => (value.enclosure(128).lower().to_f64(), false),
    }
}

/// The value to `digits` significant digits, without an exponent where it stays readable.
pub fn brief(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let rounded: f64 = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    shortest(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclosure::Portable;

    #[test]
    fn decimals_are_short_and_read_back() {
        for (value, text) in [
            (0.1, "0.1"),
            (1e-11, "1e-11"),
            (0.001, "0.001"),
            (1e-5, "1e-5"),
            (1.0, "1"),
            (1e22, "1e22"),
            (0.0, "0"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(shortest(value), text);
            assert_eq!(shortest(value).parse(), Ok(value));
        }
    }

    #[test]
    fn constants_round_to_the_nearest_double() {
        let nearest = |text: &str| nearest(&text.parse().expect("a constant"));
        assert_eq!(nearest("1/4"), (0.25, true));
        assert_eq!(nearest("1/10"), (0.1, false));
        assert_eq!(nearest("f64:0.1"), (0.1, true));
        assert_eq!(nearest("ln(3/2)"), (1.5f64.portable_ln(), false));
        assert_eq!(nearest("1e-400"), (0.0, false));
        assert_eq!(nearest("1e400"), (f64::INFINITY, false));
    }
}
