//! Two enclosures of one number that do not meet: proof of a bug.

use std::fmt;

use rug::Float;
use rug::float::Round::{Down, Up};

use super::Enclosure;

/// Two enclosures of one number without a common point. At least one of them is wrong, and it is unknown which, so no
/// answer is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Name of the number.
    pub what: String,
    /// The first enclosure, with enough digits to show the gap.
    pub one: String,
    /// The second enclosure.
    pub other: String,
}

impl Contradiction {
    /// Of two enclosures that do not overlap.
    pub(super) fn new(what: &str, one: &Enclosure, other: &Enclosure) -> Self {
        let digits = if one.upper() < other.lower() {
            digits_of_gap(one.upper(), other.lower())
        } else {
            digits_of_gap(other.upper(), one.lower())
        };
        let shown = |set: &Enclosure| {
            let end = |x: &Float, round| x.to_string_radix_round(10, Some(digits), round);
            format!("[{}, {}]", end(set.lower(), Down), end(set.upper(), Up))
        };
        Contradiction { what: what.to_string(), one: shown(one), other: shown(other) }
    }
}

/// Decimal digits that tell two numbers from each other, each rounded to the other's side.
fn digits_of_gap(low: &Float, high: &Float) -> usize {
    let gap = Float::with_val_round(53, high - low, Up).0;
    let size = low.get_exp().max(high.get_exp());
    // A gap of 2^-n of the numbers, or more: n log10(2) digits, and three to spare.
    let bits = size.zip(gap.get_exp()).map_or(0, |(size, gap)| i64::from(size) - i64::from(gap) + 2);
    usize::try_from(bits.max(0) * 31 / 100 + 3).unwrap_or(usize::MAX).max(17)
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contradiction { what, one, other } = self;
        write!(f, "two enclosures of the same {what} do not meet: {one} and {other}")
    }
}

impl std::error::Error for Contradiction {}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;

    /// The gap is seen however small it is: what is printed does not meet either.
    #[test]
    fn gaps_are_seen() {
        for bits in [4_u32, 60, 500, 3000] {
            let third = Enclosure::rational(&Rational::from((1, 3)), bits);
            let ulp = third.upper().clone() - third.lower();
            let beside = &third + &Enclosure::new(ulp.clone(), ulp).mul_u32(3);
            for (one, other) in [(&third, &beside), (&beside, &third)] {
                let found = one.meet(other, "third").expect_err("disjoint");
                let ends = |text: &str| -> [Float; 2] {
                    let inner = text.trim_matches(['[', ']']).split(", ");
                    let ends: Vec<_> =
                        inner.map(|end| Float::with_val(2 * bits + 64, Float::parse(end).expect("a number"))).collect();
                    ends.try_into().expect("two ends")
                };
                let ([low, high], [from, to]) = (ends(&found.one), ends(&found.other));
                assert!(high < from || to < low, "{bits}: {found}");
            }
        }
    }

    #[test]
    fn it_says_what_is_wrong() {
        let at = |x: f64| Enclosure::double(x, 53);
        let found = at(0.5).meet(&at(0.75).hull(&at(1.0)), "P(loss >= 1)").expect_err("disjoint");
        assert_eq!(
            found.to_string(),
            "two enclosures of the same P(loss >= 1) do not meet: [5.0000000000000000e-1, 5.0000000000000000e-1] and \
             [7.5000000000000000e-1, 1.0000000000000000]"
        );
    }
}
