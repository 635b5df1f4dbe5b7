//! Published values beside certified ones.
//!
//! A printed decimal claims the digits it shows: it *holds* if the truth, or some point of its enclosure, lies within
//! one unit of its last place, which allows for rounding and for cutting off alike. Everything else *differs*, and by
//! how much says what it may come from; a cause is a guess, the difference is proven.

use std::collections::BTreeMap;
use std::fmt;

use rug::ops::Pow;
use rug::{Integer, Rational};

use super::results::{Key, Record, key, rational, read};
use crate::error::Error;
use crate::table::Fault;
use enclosure::Enclosure;

/// The columns of a table of published values.
const COLUMNS: [&str; 5] = ["p1", "p2", "delta_zcdp", "epsilon", "delta"];

/// The absolute error that the sieve-accelerated quadrature of 2026 promises of each tail: `10^-35`.
const PROMISED: i32 = -35;

/// Precision of bounds that need no digits.
const BOUND_BITS: u32 = 64;

/// One published value.
#[derive(Clone, Debug)]
pub struct Published {
    /// Which value.
    pub key: Key,
    /// Its epsilon, as printed.
    pub epsilon: String,
    /// Its delta, as printed.
    pub delta: String,
    value: Rational,
}

/// Verdict on one published value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The truth may be what was printed.
    Holds,
    /// It is not.
    Differs(Difference),
    /// The epsilon is another one, so the deltas cannot be compared.
    OtherEpsilon,
    /// There is no certified value for it.
    Unknown,
}

/// How far a printed value is from the truth, at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Does it promise less loss of privacy than there is?
    pub too_small: bool,
    /// The distance to the nearest end of the enclosure, of which the truth is at least as far away.
    pub distance: Rational,
    /// The distance divided by the certified value.
    pub relative: Rational,
    /// The likely cause.
    pub cause: Cause,
}

/// What a difference may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A few units of the last place that is printed.
    LastPlaces,
    /// Less than the absolute error that the method promises.
    Promised,
    /// No more than that error on both tails, of which the second counts e^epsilon times.
    Amplified,
    /// Of the size of the rounding error of doubles.
    Double,
    /// Larger than all of these.
    Unexplained,
}

impl Cause {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Cause::LastPlaces => "last places",
            Cause::Promised => "tolerance",
            Cause::Amplified => "amplified tolerance",
            Cause::Double => "double precision",
            Cause::Unexplained => "unexplained",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::LastPlaces => "at most a few units in the last printed place",
            Cause::Promised => "within the absolute error 1e-35 stated for the method",
            Cause::Amplified => "within an absolute error of 1e-35 in both tails; the second has factor e^epsilon",
            Cause::Double => "of the size of double-precision rounding errors",
            Cause::Unexplained => "larger than rounding and than the error stated for the method",
        })
    }
}

/// The published values in a file with the columns p1, p2, delta_zcdp, epsilon and delta.
pub fn read_published(path: &str) -> Result<Vec<Published>, Error> {
    let mut published = Vec::new();
    let mut lines: BTreeMap<Key, usize> = BTreeMap::new();
    read(path, &COLUMNS, |line, fields| {
        let [p1, p2, delta_zcdp, epsilon, delta] = fields else { return Ok(()) };
        let key = key(line, p1, p2, delta_zcdp)?;
        rational(line, "epsilon", epsilon)?;
        let value = rational(line, "delta", delta)?;
        last_place(delta).ok_or_else(|| not_a_decimal(line, "delta"))?;
        last_place(epsilon).ok_or_else(|| not_a_decimal(line, "epsilon"))?;
        if let Some(before) = lines.insert(key.clone(), line) {
            return Err((line, format!("duplicate value, first given in line {before}")));
        }
        published.push(Published { key, epsilon: epsilon.clone(), delta: delta.clone(), value });
        Ok(())
    })?;
    Ok(published)
}

fn not_a_decimal(line: usize, column: &str) -> Fault {
    (line, format!("{column} must be a plain decimal, as in 1.25e-7"))
}

/// Judge one published value.
pub fn judge(published: &Published, certified: &BTreeMap<Key, Record>) -> Verdict {
    let Some(record) = certified.get(&published.key) else { return Verdict::Unknown };
    if !same_epsilon(&published.epsilon, &record.epsilon) {
        return Verdict::OtherEpsilon;
    }
    let value = &published.value;
    let (too_small, distance) = if *value < record.lower {
        (true, Rational::from(&record.lower - value))
    } else {
        (false, Rational::from(value - &record.upper))
    };
    let Some(unit) = last_place(&published.delta) else { return Verdict::Unknown };
    if distance < unit {
        return Verdict::Holds;
    }
    let relative = if record.lower.is_zero() { Rational::from(1) } else { Rational::from(&distance / &record.lower) };
    let cause = if distance <= unit * Rational::from(8) {
        Cause::LastPlaces
    } else if distance <= ten_to(PROMISED) {
        Cause::Promised
    } else if distance <= amplified(&record.epsilon) {
        Cause::Amplified
    } else if relative <= Rational::from((1, 1_u64 << 48)) {
        Cause::Double
    } else {
        Cause::Unexplained
    };
    Verdict::Differs(Difference { too_small, distance, relative, cause })
}

/// An upper bound on `10^-35 (1 + e^epsilon)`; zero if there is none.
fn amplified(epsilon: &str) -> Rational {
    let Some((epsilon, unit)) = rational(0, "epsilon", epsilon).ok().zip(last_place(epsilon)) else {
        return Rational::new();
    };
    // In print it was cut off.
    let rise = (Enclosure::rational(&(epsilon + unit), BOUND_BITS).exp() + Enclosure::one(BOUND_BITS)).into_bounds().1;
    rise.to_rational().map_or(Rational::new(), |rise| rise * ten_to(PROMISED))
}

/// Two decimals, each cut off or rounded somewhere, that may be of one number.
fn same_epsilon(a: &str, b: &str) -> bool {
    let read = |text: &str| rational(0, "epsilon", text).ok().zip(last_place(text));
    match (read(a), read(b)) {
        (Some((a, unit_a)), Some((b, unit_b))) => (a - b).abs() < unit_a + unit_b,
        _ => false,
    }
}

/// The value of one unit of the last place of a plain decimal such as `-1.25e-7`.
fn last_place(text: &str) -> Option<Rational> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let fraction = mantissa.split_once('.').map_or("", |(_, fraction)| fraction);
    let digits = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let places = i32::try_from(fraction.len()).ok().filter(|_| plain)?;
    Some(ten_to(exponent.parse::<i32>().ok().filter(|exponent| exponent.unsigned_abs() < 10_000)?.checked_sub(places)?))
}

fn ten_to(exponent: i32) -> Rational {
    let power = Rational::from(Integer::from(10).pow(exponent.unsigned_abs()));
    if exponent < 0 { power.recip() } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(delta: &str, lower: &str, upper: &str) -> Verdict {
        let value = |text| rational(1, "delta", text).expect("a decimal");
        let key = (1, 1, value("1e-5"));
        let published =
            Published { key: key.clone(), epsilon: "20.07".into(), delta: delta.into(), value: value(delta) };
        let record = Record { line: 2, epsilon: "20.079".into(), lower: value(lower), upper: value(upper) };
        judge(&published, &BTreeMap::from([(key, record)]))
    }

    #[test]
    fn last_places() {
        for (text, place) in [("1.25e-7", "1e-9"), ("0.00120", "1e-5"), ("-12", "1"), ("3e4", "1e4"), ("1.", "1")] {
            assert_eq!(last_place(text), rational(1, "", place).ok(), "{text}");
        }
        for text in ["", "1/3", "e5", "1e", "1.2.3e99999999999", "ln(2)", "1e20000"] {
            assert_eq!(last_place(text), None, "{text}");
        }
    }

    #[test]
    fn printed_digits_hold_or_differ() {
        // Rounded up, rounded down, cut off, and with more digits than the enclosure has.
        for printed in ["1.3e-7", "1.2e-7", "1.25e-7", "1.249e-7", "1.2500001e-7"] {
            assert_eq!(judged(printed, "1.2499e-7", "1.2501e-7"), Verdict::Holds, "{printed}");
        }
        let cause = |printed, lower, upper| match judged(printed, lower, upper) {
            Verdict::Differs(difference) => (difference.too_small, difference.cause),
            other => panic!("{printed}: {other:?}"),
        };
        assert_eq!(cause("1.247e-7", "1.2499e-7", "1.2501e-7"), (true, Cause::LastPlaces));
        assert_eq!(cause("1.253e-7", "1.2499e-7", "1.2501e-7"), (false, Cause::LastPlaces));
        let exact = "1.2345678901234567890123e-20";
        assert_eq!(cause("1.2345678901234568890123e-20", exact, exact), (false, Cause::Promised));
        // e^20.079 is about 5.2e8.
        assert_eq!(cause("1.234568300000e-20", exact, exact), (false, Cause::Amplified));
        assert_eq!(cause("1.800000000000e-20", exact, exact), (false, Cause::Unexplained));
        let large = "0.12345678901234567890123";
        assert_eq!(cause("0.12345678901234557890123", large, large), (true, Cause::Double));
        assert_eq!(cause("0.12345678900234557890123", large, large), (true, Cause::Unexplained));
        assert_eq!(cause("-1.0e-20", "1e-40", "2e-40"), (true, Cause::Unexplained));
    }

    #[test]
    fn epsilons_must_agree() {
        assert!(same_epsilon("20.07900372860285137", "20.07900372860285"));
        assert!(same_epsilon("20.079003728602852", "20.07900372860285"));
        assert!(!same_epsilon("20.0790037285", "20.07900372860285"));
        assert!(!same_epsilon("20.07900372860285137", "20.0790037286025"));
    }
}
