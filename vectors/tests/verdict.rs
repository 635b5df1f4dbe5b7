//! The verdict rules, case by case and against their definition.

use dpcert_vectors::{Claim, Order, Side, Truth, Verdict, judge, judge_order, ratio, relative_error};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use proptest::prelude::*;

fn rational(p: i64, q: i64) -> BigRational {
    BigRational::new(p.into(), q.into())
}

fn within(lower: &str, upper: &str) -> Truth {
    let end = |text: &str| text.parse::<dpcert_vectors::Rational>().unwrap().0;
    Truth::Within { lower: end(lower), upper: end(upper) }
}

#[test]
fn bounds_are_judged_by_the_rule() {
    use Verdict::{Failed, Sound, Undecided, Unsound};
    let wide = within("1/4", "1/2");
    let point = within("1/3", "1/3");
    let zero = within("0", "0");
    // the claim, the truth, the verdict on it as an upper bound, and as a lower bound
    let cases = [
        ("1", &wide, Sound, Unsound),
        ("0.5", &wide, Sound, Undecided),
        ("0x1p-1", &wide, Sound, Undecided),
        ("0.49999999999999999999999999", &wide, Undecided, Undecided),
        ("1/3", &wide, Undecided, Undecided),
        ("0.25", &wide, Undecided, Sound),
        ("0.24999999999999999999999999", &wide, Unsound, Sound),
        ("0.50000000000000000000000001", &wide, Sound, Unsound),
        ("-1", &wide, Unsound, Sound),
        ("1/3", &point, Sound, Sound),
        ("0x1.5555555555555p-2", &point, Unsound, Sound),
        ("0x1.5555555555556p-2", &point, Sound, Unsound),
        ("0", &zero, Sound, Sound),
        ("0x1p-1074", &zero, Sound, Unsound),
        ("1e-4000", &within("1e-4000", "1.1e-4000"), Undecided, Sound),
        ("9.9e-4001", &within("1e-4000", "1.1e-4000"), Unsound, Sound),
        ("inf", &wide, Sound, Unsound),
        ("-inf", &wide, Unsound, Sound),
        ("nan", &wide, Failed, Failed),
        ("inf", &Truth::Infinite, Sound, Sound),
        ("1e308", &Truth::Infinite, Unsound, Sound),
        ("-inf", &Truth::Infinite, Unsound, Sound),
        ("NaN", &Truth::Infinite, Failed, Failed),
    ];
    for (claim, truth, upper, lower) in cases {
        let parsed: Claim = claim.parse().unwrap();
        assert_eq!(judge(Side::Upper, &parsed, truth), upper, "{claim} >= {truth:?}");
        assert_eq!(judge(Side::Lower, &parsed, truth), lower, "{claim} <= {truth:?}");
    }
}

#[test]
fn ratios_and_errors_at_the_edges() {
    let wide = within("1/4", "1/2");
    let infinity = f64::INFINITY;
    // the claim, the truth, the ratio, the relative error
    let cases = [
        ("1", &wide, Some((2.0, 4.0)), Some((1.0, 3.0))),
        ("0.375", &wide, Some((0.75, 1.5)), Some((0.0, 0.5))),
        ("0.125", &wide, Some((0.25, 0.5)), Some((0.5, 0.75))),
        ("0", &wide, Some((0.0, 0.0)), Some((1.0, 1.0))),
        ("-1", &wide, None, Some((3.0, 5.0))),
        ("1", &within("0", "1/2"), Some((2.0, infinity)), Some((1.0, infinity))),
        ("1/4", &within("0", "1/2"), Some((0.5, infinity)), Some((0.0, infinity))),
        ("0", &within("0", "1/2"), None, Some((0.0, 1.0))),
        ("0", &within("0", "0"), None, Some((0.0, 0.0))),
        ("1", &within("0", "0"), Some((infinity, infinity)), Some((infinity, infinity))),
        (
            "1",
            &within("3", "3"),
            Some((0.3333333333333333, 0.33333333333333337)),
            Some((0.6666666666666666, 0.6666666666666667)),
        ),
        ("1e-4000", &within("2e-4000", "4e-4000"), Some((0.25, 0.5)), Some((0.5, 0.75))),
        ("inf", &wide, Some((infinity, infinity)), Some((infinity, infinity))),
        ("-inf", &wide, None, Some((infinity, infinity))),
        ("nan", &wide, None, None),
        ("nan", &Truth::Infinite, None, None),
        ("inf", &Truth::Infinite, None, Some((0.0, 0.0))),
        ("1", &Truth::Infinite, None, Some((infinity, infinity))),
    ];
    for (claim, truth, expected_ratio, expected_error) in cases {
        let parsed: Claim = claim.parse().unwrap();
        let ends = |range: dpcert_vectors::Range| (range.at_least, range.at_most);
        assert_eq!(ratio(&parsed, truth).map(ends), expected_ratio, "{claim} / {truth:?}");
        assert_eq!(relative_error(&parsed, truth).map(ends), expected_error, "error of {claim} for {truth:?}");
    }
}

#[test]
fn claims_are_read_exactly_or_refused() {
    for (text, expected) in [
        ("0.1", Claim::Finite(rational(1, 10))),
        ("0x1.999999999999ap-4", Claim::from(0.1)),
        ("-0x1p+1", Claim::from(-2.0)),
        ("1e3", Claim::from(1000.0)),
        ("3/4", Claim::from(0.75)),
        ("Infinity", Claim::from(f64::INFINITY)),
        ("-INF", Claim::from(f64::NEG_INFINITY)),
        ("NaN", Claim::from(f64::NAN)),
        ("-0x0p+0", Claim::from(-0.0)),
        (".5", Claim::from(0.5)),
        ("-.5e1", Claim::from(-5.0)),
        ("5.", Claim::from(5.0)),
        ("5.e-1", Claim::from(0.5)),
        ("+0.5", Claim::from(0.5)),
        ("+inf", Claim::from(f64::INFINITY)),
        ("+0x1p-1", Claim::from(0.5)),
        ("0x1.8", Claim::from(1.5)),
    ] {
        assert_eq!(text.parse(), Ok(expected), "{text}");
    }
    for (text, expected) in [
        ("", r#""" is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("1e-1000000000", r#""1e-1000000000" has an exponent beyond ±1000000"#),
        ("0x1p+2000000", r#""0x1p+2000000" has an exponent beyond ±1000000"#),
        (".", r#""." is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("-.e1", r#""-.e1" is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("+-1", r#""+-1" is not a decimal such as 0.1 or 1.2345e-4000"#),
        ("about 3", r#""about 3" is not a decimal such as 0.1 or 1.2345e-4000"#),
    ] {
        assert_eq!(text.parse::<Claim>().unwrap_err().to_string(), expected);
    }
}

fn number(range: std::ops::RangeInclusive<i64>) -> impl Strategy<Value = BigRational> {
    (range, 1..=12i64).prop_map(|(p, q)| rational(p, q))
}

/// An enclosure, and points inside: its ends, and one between them.
fn enclosure() -> impl Strategy<Value = (Truth, [BigRational; 3])> {
    (number(0..=12), number(0..=12), 0..=8i64).prop_map(|(a, b, part)| {
        let (lower, upper) = if a <= b { (a, b) } else { (b, a) };
        let middle = &lower + (&upper - &lower) * rational(part, 8);
        (Truth::Within { lower: lower.clone(), upper: upper.clone() }, [lower, middle, upper])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The definition itself: sound is true at every point, unsound is false at every point, undecided is both.
    #[test]
    fn verdicts_hold_at_every_point(u in number(-12..=24), (truth, points) in enclosure()) {
        for side in [Side::Upper, Side::Lower] {
            let holds = |t: &BigRational| if side == Side::Upper { u >= *t } else { u <= *t };
            let verdict = judge(side, &Claim::Finite(u.clone()), &truth);
            match verdict {
                Verdict::Sound => prop_assert!(points.iter().all(holds)),
                Verdict::Unsound => prop_assert!(!points.iter().any(holds)),
                Verdict::Undecided => prop_assert!(points.iter().any(holds) && !points.iter().all(holds)),
                Verdict::Failed => prop_assert!(false, "a number is a claim"),
            }
        }
    }

    /// The relative error and the ratio at any point inside are in their ranges.
    #[test]
    fn errors_and_ratios_enclose_those_at_every_point(u in number(-12..=24), (truth, points) in enclosure()) {
        let claim = Claim::Finite(u.clone());
        let error = relative_error(&claim, &truth).unwrap();
        let contains = |range: dpcert_vectors::Range, value: &BigRational| {
            let end = |x: f64| BigRational::from_float(x);
            end(range.at_least).is_some_and(|low| low <= *value) && end(range.at_most).is_none_or(|high| high >= *value)
        };
        for t in points.iter().filter(|t| t.is_positive()) {
            prop_assert!(contains(error, &((&u - t).abs() / t)), "{:?} at {}", error, t);
            if let Some(ratio) = ratio(&claim, &truth) {
                prop_assert!(contains(ratio, &(&u / t)), "{:?} at {}", ratio, t);
            } else {
                prop_assert!(u.is_negative() || (u.is_zero() && points[0].is_zero()));
            }
        }
    }

    /// For a point truth both are the tightest doubles around the exact value.
    #[test]
    fn errors_are_tight_for_exact_truths(u in number(0..=24), t in number(1..=24)) {
        let truth = Truth::Within { lower: t.clone(), upper: t.clone() };
        let error = relative_error(&Claim::Finite(u.clone()), &truth).unwrap();
        prop_assert_eq!((error.at_least, error.at_most), dpcert_vectors::tightest_f64(&((&u - &t).abs() / &t)));
        let share = ratio(&Claim::Finite(u.clone()), &truth).unwrap();
        prop_assert_eq!((share.at_least, share.at_most), dpcert_vectors::tightest_f64(&(u / t)));
    }

    /// The shortcut for programs that only have doubles: `u >= f64_upper` is `u >= upper`.
    #[test]
    fn doubles_are_judged_by_the_tightest_doubles(upper in number(0..=24), steps in -2..=2i64) {
        let tight = dpcert_vectors::tightest_f64(&upper).1;
        let u = f64::from_bits(tight.to_bits().saturating_add_signed(steps));
        prop_assume!(u.is_finite());
        let truth = Truth::Within { lower: BigRational::zero(), upper };
        prop_assert_eq!(judge(Side::Upper, &Claim::from(u), &truth) == Verdict::Sound, u >= tight);
    }
}

#[test]
fn a_huge_exponent_does_not_slow_the_verdict_down() {
    let tiny: Claim = "1e-1000000".parse().unwrap();
    let truth = Truth::Within { lower: BigRational::zero(), upper: BigRational::one() };
    assert_eq!(judge(Side::Upper, &tiny, &truth), Verdict::Undecided);
    let error = relative_error(&tiny, &Truth::Within { lower: BigInt::one().into(), upper: BigInt::one().into() });
    assert_eq!(error.map(|range| (range.at_least, range.at_most)), Some((1f64.next_down(), 1.0)));
}

/// What is claimed of two compositions is judged by what each relation is.
#[test]
fn claims_about_an_order() {
    for order in Order::ALL {
        assert_eq!(Order::of(order.at_least(), order.at_most()), order);
        assert_eq!(judge_order(None, None, order), Verdict::Failed);
        for claim in [true, false] {
            let right = |holds: bool| if claim == holds { Verdict::Sound } else { Verdict::Unsound };
            assert_eq!(judge_order(Some(claim), None, order), right(order.at_least()));
            assert_eq!(judge_order(None, Some(claim), order), right(order.at_most()));
        }
        let both = (Some(order.at_least()), Some(order.at_most()));
        assert_eq!(judge_order(both.0, both.1, order), Verdict::Sound);
        assert_eq!(judge_order(both.0, both.1.map(|claim| !claim), order), Verdict::Unsound);
    }
}
