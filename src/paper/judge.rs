//! Is a printed value right to its last digit?

use std::cmp::Ordering;

use rug::Rational;
use serde::{Deserialize, Serialize};

use super::data::{Rounding, Side};
use super::printed::Printed;
use enclosure::decimal::{Side as End, decimal, rational_bounds};
use enclosure::{Enclosure, Number};

/// Verdict on one printed value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every number that the truth may be is printed like this.
    Right,
    /// The printed value is right, but the true value is on the unsafe side of it.
    RightUnsafe,
    /// None is.
    Wrong(Difference),
}

/// By how much a print is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The printed value less the truth, to a few digits.
    pub by: String,
    /// The same in units of the last place that is printed.
    pub units: String,
    /// The same as a share of the truth.
    pub relative: Option<String>,
    /// Is the print above the truth?
    pub above: bool,
    /// Is it on the safe side? Nothing where no promise is made.
    pub safe: Option<bool>,
    /// Is the print the truth cut off, or rounded up, instead of rounded to the nearest?
    pub cut: Option<Cut>,
}

/// Another way of rounding that gives the print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Cut off.
    Down,
    /// Rounded up.
    Up,
}

/// Digits of a difference.
const FEW: u32 = 3;

/// Judge a printed value by a number that may be exact or enclosed. Returns no verdict if the rounding of the true
/// value is ambiguous.
pub fn judge(printed: &Printed, rounding: Rounding, side: Side, truth: &Number) -> Option<Verdict> {
    let (lower, upper) = ends(truth)?;
    let inside = |rounding| {
        let (low, high) = printed.range(rounding);
        if low <= lower && upper <= high {
            Some(true)
        } else if upper < low || high < lower {
            Some(false)
        } else {
            None
        }
    };
    if inside(rounding)? {
        let short = match side {
            Side::Above => printed.value < lower,
            Side::Below => printed.value > upper,
            Side::Neither => false,
        };
        return Some(if short { Verdict::RightUnsafe } else { Verdict::Right });
    }
    // The print is outside of the enclosure then.
    let above = printed.value > upper;
    let near = if above { &upper } else { &lower };
    let by = Rational::from(&printed.value - near);
    let few = |value: Rational| decimal(&Number::Exact(value), FEW, End::Lower);
    let relative = (near.cmp0() != Ordering::Equal).then(|| few(Rational::from(&by / near).abs()));
    let safe = match side {
        Side::Above => Some(above),
        Side::Below => Some(!above),
        Side::Neither => None,
    };
    let cut = [(Rounding::Down, Cut::Down), (Rounding::Up, Cut::Up)]
        .into_iter()
        .find_map(|(other, cut)| (inside(other) == Some(true)).then_some(cut));
    Some(Verdict::Wrong(Difference {
        units: few(Rational::from(&by / &printed.unit).abs()),
        by: few(by),
        relative,
        above,
        safe,
        cut,
    }))
}

/// Both ends as rationals, if they are finite.
fn ends(number: &Number) -> Option<(Rational, Rational)> {
    match number {
        Number::Exact(value) => Some((value.clone(), value.clone())),
        Number::Enclosed(set) => bounds(set),
    }
}

fn bounds(set: &Enclosure) -> Option<(Rational, Rational)> {
    rational_bounds(set)
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;

    fn judged(text: &str, rounding: Rounding, lower: f64, upper: f64) -> Option<Verdict> {
        let truth = Number::Enclosed(Enclosure::new(Float::with_val(60, lower), Float::with_val(60, upper)));
        judge(&Printed::parse(text).unwrap(), rounding, Side::Above, &truth)
    }

    #[test]
    fn printed_values_are_right_wrong_or_untold() {
        use Rounding::{Down, Nearest, Up};
        assert_eq!(judged("2.32", Nearest, 2.319, 2.3195), Some(Verdict::Right));
        assert_eq!(judged("2.32", Nearest, 2.31, 2.3195), None);
        assert_eq!(judged("2.31", Down, 2.319, 2.3195), Some(Verdict::RightUnsafe));
        assert_eq!(judged("2.3", Nearest, 2.319, 2.3195), Some(Verdict::RightUnsafe));
        assert_eq!(judged("2.3", Nearest, 2.299, 2.3195), Some(Verdict::Right));
        assert_eq!(judged("2.32", Up, 2.311, 2.312), Some(Verdict::Right));
        let wrong = |text, rounding, lower, upper| match judged(text, rounding, lower, upper) {
            Some(Verdict::Wrong(difference)) => difference,
            other => panic!("{text}: {other:?}"),
        };
        let cut = wrong("2.31", Nearest, 2.3195, 2.3196);
        assert_eq!((cut.above, cut.safe, cut.cut), (false, Some(false), Some(Cut::Down)));
        let high = wrong("4e-9", Nearest, 3.042e-9, 3.043e-9);
        assert_eq!((high.above, high.safe, high.cut), (true, Some(true), Some(Cut::Up)));
        assert_eq!((high.by.as_str(), high.units.as_str()), ("9.57e-10", "0.957"));
        let far = wrong("2.5", Nearest, 2.0, 2.0);
        assert_eq!((far.by.as_str(), far.units.as_str(), far.relative.as_deref()), ("0.5", "5", Some("0.25")));
        assert_eq!(far.cut, None);
    }

    /// A tie may be rounded either way.
    #[test]
    fn ties_are_right() {
        let truth = Number::Exact(Rational::from((25, 1000)));
        for (text, side, wanted) in [
            ("0.02", Side::Above, Verdict::RightUnsafe),
            ("0.02", Side::Below, Verdict::Right),
            ("0.02", Side::Neither, Verdict::Right),
            ("0.03", Side::Above, Verdict::Right),
            ("0.03", Side::Below, Verdict::RightUnsafe),
        ] {
            let verdict = judge(&Printed::parse(text).unwrap(), Rounding::Nearest, side, &truth);
            assert_eq!(verdict, Some(wanted), "{text}");
        }
    }
}
