//! Spelling and rounding of numbers: tables of cases, and the same thing computed in two ways on random numbers.

use std::str::FromStr;

use dpcert_vectors::number::{MAX_DIGITS, compare};
use dpcert_vectors::{Decimal, Double, Dyadic, NumberError, Rational, hex_of_f64, tightest_f64};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};
use proptest::prelude::*;

fn rational(p: impl Into<BigInt>, q: impl Into<BigInt>) -> BigRational {
    BigRational::new(p.into(), q.into())
}

fn power(base: u32, exponent: i64) -> BigRational {
    let power: BigInt = Pow::pow(BigInt::from(base), exponent.unsigned_abs());
    if exponent < 0 { rational(1, power) } else { power.into() }
}

fn printed<T: FromStr<Err = NumberError> + ToString>(text: &str) -> String {
    text.parse::<T>().map_or_else(|error| format!("error: {error}"), |number| number.to_string())
}

#[test]
fn rationals_are_what_they_say() {
    for (text, expected) in [
        ("0", "0"),
        ("-0", "0"),
        ("7", "7"),
        ("6/4", "3/2"),
        ("-6/4", "-3/2"),
        ("0.1", "1/10"),
        ("1e-11", "1/100000000000"),
        ("2.50", "5/2"),
        ("1.5e2", "150"),
        ("0.00", "0"),
        ("0/5", "0"),
        ("1/0", r#"error: "1/0" is not a rational such as 7, -3/2 or 0.1"#),
        ("1/-2", r#"error: "1/-2" is not a rational such as 7, -3/2 or 0.1"#),
        ("1/2/3", r#"error: "1/2/3" is not a rational such as 7, -3/2 or 0.1"#),
        ("1_0/3", r#"error: "1_0/3" is not a rational such as 7, -3/2 or 0.1"#),
        ("", r#"error: "" is not a decimal such as 0.1 or 1.2345e-4000"#),
        (" 1", r#"error: " 1" is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("+1", r#"error: "+1" is not a decimal such as 0.1 or 1.2345e-4000"#),
        (".5", r#"error: ".5" is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("1e", r#"error: "1e" is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("1\n2", r#"error: "1\n2" is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("1e1000000000", r#"error: "1e1000000000" has an exponent beyond ±1000000"#),
        ("1e-99999999999999999999", r#"error: "1e-99999999999999999999" has an exponent beyond ±1000000"#),
    ] {
        assert_eq!(printed::<Rational>(text), expected, "{text:?}");
    }
}

#[test]
fn dyadics_have_one_spelling() {
    for (text, expected) in [
        ("0x0p+0", "0x0p+0"),
        ("-0x0p+0", "0x0p+0"),
        ("0x1p0", "0x1p+0"),
        ("0x3p0", "0x1.8p+1"),
        ("0x1.80P-3", "0x1.8p-3"),
        ("-0X.1p0", "-0x1p-4"),
        ("0xffp-13288", "0x1.fep-13281"),
        ("0x1p-1000000", "0x1p-1000000"),
        ("0x1p1000000", "0x1p+1000000"),
        ("0x0.8p-1000000", r#"error: "0x0.8p-1000000" has an exponent beyond ±1000000"#),
        ("0x2p1000000", r#"error: "0x2p1000000" has an exponent beyond ±1000000"#),
        ("0x1p1000000000", r#"error: "0x1p1000000000" has an exponent beyond ±1000000"#),
        ("0x1", r#"error: "0x1" is not a hex float such as 0x1.8p-3"#),
        ("0xp1", r#"error: "0xp1" is not a hex float such as 0x1.8p-3"#),
        ("0x1.gp1", r#"error: "0x1.gp1" is not a hex float such as 0x1.8p-3"#),
        ("0x1.1.1p1", r#"error: "0x1.1.1p1" is not a hex float such as 0x1.8p-3"#),
        ("0x+1p1", r#"error: "0x+1p1" is not a hex float such as 0x1.8p-3"#),
        ("0x1p", r#"error: "0x1p" is not a hex float such as 0x1.8p-3"#),
        ("0x1p--3", r#"error: "0x1p--3" is not a hex float such as 0x1.8p-3"#),
        ("inf", r#"error: "inf" is not a hex float such as 0x1.8p-3"#),
    ] {
        assert_eq!(printed::<Dyadic>(text), expected, "{text:?}");
    }
}

#[test]
fn decimals_keep_their_digits() {
    for (text, expected) in [
        ("0", "0"),
        ("0.000", "0"),
        ("0e99", "0"),
        ("0.5", "5e-1"),
        ("0.50", "5.0e-1"),
        ("-12", "-1.2e1"),
        ("1.2345e-4000", "1.2345e-4000"),
        ("1E+3", "1e3"),
        ("1e1000000", "1e1000000"),
        ("10e1000000", r#"error: "10e1000000" has an exponent beyond ±1000000"#),
        ("0.1e-1000000", r#"error: "0.1e-1000000" has an exponent beyond ±1000000"#),
        ("1.", r#"error: "1." is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("0x1p+0", r#"error: "0x1p+0" is not a decimal such as 0.1 or 1.2345e-4000"#),
    ] {
        assert_eq!(printed::<Decimal>(text), expected, "{text:?}");
    }
}

#[test]
fn doubles_are_exact_or_refused() {
    for (text, expected) in [
        ("0x0p+0", "0x0p+0"),
        ("-0x0p+0", "-0x0p+0"),
        ("inf", "inf"),
        ("-inf", "-inf"),
        ("0x1p-1074", "0x1p-1074"),
        ("0x0.0000000000001p-1022", "0x1p-1074"),
        ("0x1.fffffffffffffp+1023", "0x1.fffffffffffffp+1023"),
        ("0x1p+1024", r#"error: "0x1p+1024" is not a double (too many bits or out of range)"#),
        ("0x1p-1075", r#"error: "0x1p-1075" is not a double (too many bits or out of range)"#),
        ("0x1.00000000000008p+0", r#"error: "0x1.00000000000008p+0" is not a double (too many bits or out of range)"#),
        ("nan", r#"error: "nan" is not a hex float such as 0x1.8p-3"#),
    ] {
        assert_eq!(printed::<Double>(text), expected, "{text:?}");
    }
}

#[test]
fn too_many_digits_are_refused_before_they_cost_anything() {
    let long = "1".repeat(MAX_DIGITS + 1);
    for result in [
        printed::<Rational>(&format!("{long}/3")),
        printed::<Decimal>(&long),
        printed::<Dyadic>(&format!("0x{long}p0")),
    ] {
        assert!(result.ends_with("... has more than 20000 digits"), "{result}");
    }
    assert!(Dyadic::new(BigInt::one() << 80_001 | BigInt::one(), -80_001).is_err());
    assert!(Dyadic::new(BigInt::one() << 79_996 | BigInt::one(), -79_996).is_ok());
    assert!(Dyadic::new(BigInt::one(), i64::MAX).is_err());
    assert!(Dyadic::new(BigInt::one() << 3, i64::MIN).is_err());
}

#[test]
fn files_accept_one_spelling() {
    let error = |result: Result<String, NumberError>| result.map_or_else(|e| e.to_string(), |ok| format!("ok {ok}"));
    let rational = |text| error(Rational::from_canonical(text).map(|n| n.to_string()));
    let dyadic = |text| error(Dyadic::from_canonical(text).map(|n| n.to_string()));
    assert_eq!(rational("3/2"), "ok 3/2");
    assert_eq!(rational("6/4"), r#""6/4" must be written "3/2""#);
    assert_eq!(rational("0.1"), r#""0.1" must be written "1/10""#);
    assert_eq!(rational("3/1"), r#""3/1" must be written "3""#);
    assert_eq!(rational("007"), r#""007" must be written "7""#);
    assert_eq!(dyadic("0x1.80p-3"), r#""0x1.80p-3" must be written "0x1.8p-3""#);
    assert_eq!(dyadic("0x1.8p1"), r#""0x1.8p1" must be written "0x1.8p+1""#);
}

/// Doubles of every kind: their bits are as likely to be subnormal, huge or a power of two as anything else.
fn finite_bits() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        (0..=0x7fe_u64).prop_map(|exponent| f64::from_bits(exponent << 52)),
        any::<u64>().prop_map(|bits| f64::from_bits(bits >> 12)),
        (1..=4u64).prop_map(|n| f64::from_bits((0x7ff << 52) - n)),
        (0..=4u64).prop_map(f64::from_bits),
    ]
    .prop_filter("finite", |value| value.is_finite())
}

/// The value by its definition, sign and fraction and exponent, independently of the crate.
fn value_of(double: f64) -> BigRational {
    let bits = double.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let magnitude = if biased == 0 {
        rational(fraction, 1) * power(2, -1074)
    } else {
        (BigRational::one() + rational(fraction, 1u64 << 52)) * power(2, biased - 1023)
    };
    if bits >> 63 == 1 { -magnitude } else { magnitude }
}

fn any_rational() -> impl Strategy<Value = BigRational> {
    (any::<i128>(), 1..=u128::MAX, -1200i64..=1200).prop_map(|(p, q, e)| rational(p, q) * power(2, e))
}

proptest! {
    #[test]
    fn hex_floats_give_the_same_bits_back(value in finite_bits()) {
        let text = hex_of_f64(value);
        let back: Double = text.parse().unwrap();
        prop_assert_eq!(back.0.to_bits(), value.to_bits(), "{}", text);
        prop_assert_eq!(Double::from_canonical(&text), Ok(Double(value)));
        prop_assert_eq!(Dyadic::from_f64(value).unwrap().to_rational(), value_of(value));
    }

    #[test]
    fn a_double_is_its_own_tightest(value in finite_bits()) {
        let (lower, upper) = tightest_f64(&value_of(value));
        prop_assert_eq!(lower, value);
        prop_assert_eq!(upper, value);
    }

    /// Brute force: the ends are on their sides, and the next double towards the value is not.
    #[test]
    fn no_double_is_tighter(value in any_rational()) {
        let (lower, upper) = tightest_f64(&value);
        prop_assert!(lower == f64::NEG_INFINITY || value_of(lower) <= value);
        prop_assert!(upper == f64::INFINITY || value_of(upper) >= value);
        let above_lower = lower.next_up();
        prop_assert!(above_lower == f64::INFINITY || value_of(above_lower) > value);
        let below_upper = upper.next_down();
        prop_assert!(below_upper == f64::NEG_INFINITY || value_of(below_upper) < value);
        prop_assert!(lower.to_bits() != (-0.0f64).to_bits() && upper.to_bits() != (-0.0f64).to_bits());
    }

    /// Between two neighbouring doubles, at any distance from them.
    #[test]
    fn neighbours_enclose_what_is_between(low in finite_bits(), part in 1..=u64::MAX, bits in 64..=300i64) {
        let high = low.next_up();
        prop_assume!(high.is_finite());
        let (a, b) = (value_of(low), value_of(high));
        let between = &a + (&b - &a) * rational(part, 1) * power(2, -bits);
        let expected = (low + 0.0, high + 0.0);
        prop_assert_eq!(tightest_f64(&between), expected);
    }

    #[test]
    fn dyadics_print_and_parse(mantissa in any::<i128>(), exponent in -900_000i64..=900_000) {
        let dyadic = Dyadic::new(mantissa.into(), exponent).unwrap();
        prop_assert_eq!(Dyadic::from_canonical(&dyadic.to_string()), Ok(dyadic));
    }

    #[test]
    fn dyadics_are_ordered_as_rationals(a in any::<i16>(), e in -20i64..=20, b in any::<i16>(), f in -20i64..=20) {
        let (x, y) = (Dyadic::new(a.into(), e).unwrap(), Dyadic::new(b.into(), f).unwrap());
        let (p, q) = (rational(a, 1) * power(2, e), rational(b, 1) * power(2, f));
        prop_assert_eq!(&x.to_rational(), &p);
        prop_assert_eq!(x.cmp(&y), p.cmp(&q));
        prop_assert_eq!(compare(&p, &q), p.cmp(&q));
        prop_assert_eq!(Dyadic::from_rational(&p), Some(x));
    }

    #[test]
    fn dyadic_enclosures_are_the_tightest(value in any_rational(), bits in 1..=200u32) {
        let (lower, upper) = Dyadic::enclose(&value, bits).unwrap();
        let (low, high) = (lower.to_rational(), upper.to_rational());
        prop_assert!(low <= value && value <= high);
        prop_assert!(lower.mantissa().bits() <= u64::from(bits) && upper.mantissa().bits() <= u64::from(bits));
        if low != high {
            // A number of `bits` bits in between would have the same or a higher lowest bit than the gap is wide.
            let gap = Dyadic::from_rational(&(&high - &low)).unwrap();
            prop_assert_eq!(gap.mantissa(), &BigInt::one());
            let largest = low.abs().max(high.abs());
            prop_assert!(&largest * power(2, -i64::from(bits)) <= gap.to_rational());
            let smallest = low.abs().min(high.abs());
            prop_assert!(&smallest * power(2, 1 - i64::from(bits)) >= gap.to_rational());
        } else {
            prop_assert_eq!(low, value);
        }
    }

    /// The decimal is on its side, has the digits asked for, and the next one of as many digits is on the other side.
    #[test]
    fn decimals_are_outward_and_tight(value in any_rational(), digits in 1..=60u32) {
        prop_assume!(!value.is_zero());
        let lower = Decimal::below(&value, digits).unwrap();
        let upper = Decimal::above(&value, digits).unwrap();
        prop_assert_eq!(lower.significant(), digits as usize);
        prop_assert_eq!(upper.significant(), digits as usize);
        let (low, high) = (lower.to_rational(), upper.to_rational());
        prop_assert!(low <= value && value <= high);
        if low == high {
            prop_assert_eq!(&low, &value);
        } else {
            // The coarser unit belongs to the end that is larger in magnitude, the finer one fills the gap.
            prop_assert_eq!(&high - &low, lower.unit().min(upper.unit()));
        }
        prop_assert_eq!(Decimal::from_canonical(&lower.to_string()), Ok(lower));
    }

    #[test]
    fn decimals_mean_what_they_say(digits in any::<i64>(), exponent in -400i64..=400) {
        let expected = rational(digits, 1) * power(10, exponent);
        let value = format!("{digits}e{exponent}").parse::<Decimal>().unwrap().to_rational();
        // Part by part, for `==` of rationals does not see that one is not in lowest terms.
        prop_assert_eq!((value.numer(), value.denom()), (expected.numer(), expected.denom()));
        prop_assert_eq!(format!("{digits}e{exponent}").parse::<Rational>().unwrap().0, expected);
    }
}

#[test]
fn powers_of_ten_round_to_themselves_and_their_neighbours_do_not() {
    for exponent in [-4000, -308, -40, -1, 0, 1, 39, 40, 41, 308] {
        let ten = power(10, exponent);
        let text = format!("{}", Decimal::below(&ten, 5).unwrap());
        assert_eq!(text, if exponent == 0 { "1.0000".to_owned() } else { format!("1.0000e{exponent}") });
        assert_eq!(Decimal::above(&ten, 5).unwrap().to_string(), text);
        let less = &ten * rational(999_999_999, 1_000_000_000);
        assert_eq!(Decimal::above(&less, 5).unwrap().to_string(), text);
        assert!(Decimal::below(&less, 5).unwrap().to_string().starts_with("9.9999"));
    }
}
