//! Reference digits, exact cases, and properties that tie the quantities together.

use proptest::prelude::*;
use rug::ops::Pow;

use super::divergence::{chi_squared, kullback_leibler, max_divergence, renyi};
use super::*;
use crate::compose::Edges;
use crate::compose::reference::edged;
use crate::pair::Pair;
use crate::route::discrete_gaussian as second;
use enclosure::refine;

fn rational(text: &str) -> Rational {
    if let Some((head, exponent)) = text.split_once('e') {
        let exponent: i32 = exponent.parse().unwrap();
        return rational(head) * Rational::from(10).pow(exponent);
    }
    if let Some((whole, fraction)) = text.split_once('.') {
        let scale = Integer::from(10).pow(u32::try_from(fraction.len()).unwrap());
        return Rational::from((format!("{whole}{fraction}").parse::<Integer>().unwrap(), scale));
    }
    text.parse().unwrap()
}

/// Digits rounded to nearest, as the interval that they stand for, one unit of the last place to each side.
fn digits(text: &str) -> (Rational, Rational) {
    let value = rational(text);
    let (head, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let places = head.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let ulp = Rational::from(10).pow(exponent.parse::<i32>().unwrap() - i32::try_from(places).unwrap());
    (Rational::from(&value - &ulp), value + ulp)
}

fn agrees(number: &Number, text: &str) {
    let (low, high) = digits(text);
    let set = number.enclosure(200);
    assert!(*set.lower() <= high && *set.upper() >= low, "{:.50} {:.50} against {text}", set.lower(), set.upper());
    assert!(set.relative_bits().unwrap() > 64, "{set:?}");
}

fn law(sigma2: &str, sensitivity: u32, times: u64) -> DiscreteGaussian {
    DiscreteGaussian::new(rational(sigma2), Integer::from(sensitivity), times).unwrap()
}

fn real(text: &str) -> Real {
    Real::from(rational(text))
}

/// Between its edges.
fn between(law: &DiscreteGaussian) -> Edges {
    let pair = Pair::discrete_gaussian(law.sigma2.clone(), law.sensitivity.to_u64().unwrap());
    edged(law.clone(), [(pair, law.times)])
}

fn delta(law: &DiscreteGaussian, epsilon: &Real, digits: u32) -> Number {
    let (budget, law) = (Budget::default(), between(law));
    refine(digits, &budget, |bits| law.delta(epsilon, Direction::Forward, bits, &budget)).unwrap()
}

fn epsilon(law: &DiscreteGaussian, delta: &Real, digits: u32) -> Number {
    let (budget, law) = (Budget::default(), between(law));
    refine(digits, &budget, |bits| match law.epsilon(delta, Direction::Forward, bits, &budget)? {
        Value::Finite(number) => Ok(number),
        Value::Infinite => Err(Error::Undefined("infinite".into())),
    })
    .unwrap()
}

fn beta(law: &DiscreteGaussian, alpha: &Real, digits: u32) -> Number {
    let (budget, law) = (Budget::default(), between(law));
    refine(digits, &budget, |bits| law.beta(alpha, Direction::Forward, bits, &budget)).unwrap()
}

#[test]
fn single_draws_agree_with_reference_digits() {
    agrees(&delta(&law("1", 1, 1), &real("1"), 40), "0.1413513394056219080995416771156878228261");
    agrees(&delta(&law("4", 1, 1), &real("1/2"), 40), "0.05400722369415442091782138286957360231832");
    agrees(&delta(&law("1/4", 1, 1), &real("1"), 40), "0.6032048691666064045878184350798915826182");
}

#[test]
fn the_census_level_agrees_with_reference_digits() {
    let level = law("120000/1729", 1, 9);
    agrees(&delta(&level, &real("2.32"), 40), "9.89350919050714012808422107386522672981e-12");
    agrees(&delta(&level, &real("2.63"), 40), "2.433373609213140901454984571027047695943e-14");
    agrees(&delta(&level, &real("1"), 40), "0.0004810708221979092006358344258560671799269");
    agrees(&delta(&level, &real("0"), 40), "0.1428977445453562222703349387860588196715");
    agrees(&epsilon(&level, &real("1e-11"), 40), "2.319407760016626187199255419021654836783");
}

#[test]
fn equal_distributions_have_exact_curves() {
    for law in [law("5/2", 0, 7), law("5/2", 3, 0)] {
        let budget = Budget::default();
        assert_eq!(delta(&law, &real("1/3"), 20).exact(), Some(&Rational::new()));
        assert_eq!(delta(&law, &real("0"), 20).exact(), Some(&Rational::new()));
        assert_eq!(delta(&law, &Real::from(rational("1/4")).ln().unwrap(), 20).exact(), Some(&rational("3/4")));
        assert_eq!(beta(&law, &real("1/5"), 20).exact(), Some(&rational("4/5")));
        assert_eq!(epsilon(&law, &real("0"), 20).exact(), Some(&Rational::new()));
        assert!(matches!(max_divergence(&law), Value::Finite(Number::Exact(zero)) if zero.is_zero()));
        assert_eq!(chi_squared(&law, 64).exact(), Some(&Rational::new()));
        assert_eq!(renyi(&law, &real("3/2"), 64, &budget).unwrap().exact(), Some(&Rational::new()));
    }
}

#[test]
fn the_ends_of_the_curves_are_exact() {
    let law = law("3", 2, 5);
    let (budget, curve) = (Budget::default(), between(&law));
    assert_eq!(beta(&law, &real("0"), 20).exact(), Some(&Rational::from(1)));
    assert_eq!(beta(&law, &real("1"), 20).exact(), Some(&Rational::new()));
    assert!(matches!(curve.epsilon(&real("0"), Direction::Forward, 64, &budget), Ok(Value::Infinite)));
    assert_eq!(epsilon(&law, &real("1"), 20).exact(), Some(&Rational::new()));
    assert!(curve.epsilon(&real("-1"), Direction::Forward, 64, &budget).is_err());
    assert!(curve.beta(&real("-1"), Direction::Forward, 64, &budget).is_err());
    // Just above and just below the total variation.
    let tv = delta(&law, &real("0"), 40).enclosure(200);
    let shifted = |by: &str| Real::from(tv.lower().to_rational().unwrap() * rational(by));
    assert_eq!(epsilon(&law, &shifted("1.000000001"), 20).exact(), Some(&Rational::new()));
    assert_eq!(epsilon(&law, &shifted("0.999999999"), 20).sign(), Some(Ordering::Greater));
}

#[test]
fn divergences_agree_with_reference_digits() {
    let budget = Budget::default();
    let at = |law: &DiscreteGaussian, order: &str| {
        refine(40, &budget, |bits| renyi(law, &real(order), bits, &budget)).unwrap()
    };
    let three = law("7/3", 3, 4);
    assert_eq!(at(&three, "2").exact(), Some(&rational("108/7")));
    assert_eq!(at(&three, "5/3").exact(), Some(&rational("90/7")));
    assert_eq!(at(&three, "1").exact(), Some(&kullback_leibler(&three)));
    agrees(&at(&law("1/10", 1, 1), "3/2"), "6.359613347340625453623716480798878134286");
    agrees(&at(&law("1/2", 1, 3), "13/10"), "3.898645917797735358682920408056639242798");
    agrees(&at(&law("4", 1, 1), "1.01"), "0.1262499999999999999999999999999999797838");
    agrees(&at(&law("1/1000", 1, 1), "3/2"), "501.3862943611198906188344642429163531362");
    agrees(&chi_squared(&law("1", 1, 1), 200), "1.718281828459045235360287471352662497757");
}

/// Every kind of law: sparse, small, moderate, long.
fn any_law() -> impl Strategy<Value = DiscreteGaussian> {
    let narrow = (1u32..1000, 1u32..400).prop_map(Rational::from);
    let middling = (1u32..400, 1u32..8).prop_map(Rational::from);
    // Too long for arrays, so the second route sums smoothly.
    let wide = (1u32..1000, 8i32..33).prop_map(|(m, e)| Rational::from((m, 7)) * Rational::from(10).pow(e));
    (prop_oneof![narrow, middling, wide], 1u32..6, prop_oneof![Just(1u64), 1u64..7])
        .prop_map(|(sigma2, sensitivity, times)| DiscreteGaussian::new(sigma2, sensitivity.into(), times).unwrap())
        .prop_filter("direct sums in reasonable time", |law| law.spread() < 40.0 || law.spread() > 4000.0)
}

fn twin(law: &DiscreteGaussian) -> second::Pair {
    second::Pair {
        sigma2: law.sigma2.to_string().parse().unwrap(),
        sensitivity: law.sensitivity.to_string().parse().unwrap(),
        times: law.times,
    }
}

fn other(x: &Rational) -> malachite::Rational {
    x.to_string().parse().unwrap()
}

fn ends(number: &Number) -> (malachite::Rational, malachite::Rational) {
    let set = number.enclosure(400);
    (other(&set.lower().to_rational().unwrap()), other(&set.upper().to_rational().unwrap()))
}

fn on_both_routes(law: &DiscreteGaussian, epsilon_at: &Real) {
    let value = delta(law, epsilon_at, 35);
    let (low, high) = ends(&value);
    let at = match epsilon_at.exp_rational() {
        Some(x) => second::At::Exp(other(&x)),
        None => second::At::Epsilon(other(epsilon_at.as_rational().unwrap())),
    };
    // An error means: too long or too far out for direct sums.
    if let Ok(agreed) = second::confirms_delta(&twin(law), &at, &low, &high) {
        assert!(agreed, "{law:?} at {epsilon_at}: {:?}", value.enclosure(200));
    }
    // And back: the epsilon of this delta.
    let target = value.enclosure(200).lower().to_rational().unwrap();
    if target > 0 && target < 1 {
        let inverse = epsilon(law, &Real::from(target.clone()), 25);
        let (low, high) = ends(&inverse);
        if let Ok(agreed) = second::confirms_epsilon(&second::Laws::default(), &twin(law), &other(&target), &low, &high)
        {
            assert!(agreed, "{law:?} at delta {target}: {:?}", inverse.enclosure(100));
        }
        let inverse = inverse.enclosure(100);
        let asked = epsilon_at.enclosure(300);
        if law.spread() > 3.0 && asked.sign() == Some(Ordering::Greater) {
            let near = inverse.widen(&Float::with_val(64, inverse.upper() * 1e-9f64));
            assert!(near.overlaps(&asked), "{law:?} at {epsilon_at}: {inverse:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn profiles_agree_with_the_second_route(law in any_law(), position in -30i64..40, ln in 1u32..50) {
        // From 3 deviations below to 6 above the centre.
        let spread = Rational::from_f64((law.spread() / 10.0).max(0.1)).unwrap();
        let centre = law.knot(&Integer::new());
        let point = law.knot(&Float::with_val(64, spread.to_f64() * position as f64).to_integer().unwrap());
        on_both_routes(&law, &Real::from(Rational::from(&point)));
        on_both_routes(&law, &Real::from(point * 999u32 / 1000u32));
        // Further out, deltas of a wide law have exponents that take minutes to print.
        if centre.to_f64() < 4.0 && law.spread() < 40.0 {
            on_both_routes(&law, &Real::from(Rational::from((ln, 16))).ln().unwrap());
        }
    }

    #[test]
    fn trade_offs_agree_with_the_second_route(law in any_law(), exponent in 0i32..60, mantissa in 1u32..1000) {
        let small = Rational::from((mantissa, 1001)) / Rational::from(10).pow((exponent - 30).max(0));
        for alpha in [small.clone(), Rational::from(1 - &small)] {
            let value = beta(&law, &Real::from(alpha.clone()), 35);
            let (low, high) = ends(&value);
            if let Ok(agreed) = second::confirms_beta(&twin(&law), &other(&alpha), &low, &high) {
                prop_assert!(agreed, "{law:?} at {alpha}: {:?}", value.enclosure(200))
            }
        }
    }
}

#[test]
fn huge_and_tiny_variances_agree_with_the_second_route() {
    for (sigma2, sensitivity, times) in [("1e34", 1, 1), ("1e34", 1, 7), ("1e12", 1000, 3), ("1e34", 10, 1)] {
        let law = law(sigma2, sensitivity, times);
        for deviations in [-2i64, 0, 1, 5, 12] {
            let k = Float::with_val(64, law.spread() * deviations as f64).to_integer().unwrap();
            on_both_routes(&law, &Real::from(law.knot(&k)));
            on_both_routes(&law, &Real::from(law.knot(&k) + Rational::from((1, 3)) / &law.sigma2));
        }
    }
    for (sigma2, times) in [("1e-2", 1), ("1e-2", 40), ("1/7", 30)] {
        let law = law(sigma2, 1, times);
        for k in [-2i64, -1, 0, 1] {
            on_both_routes(&law, &Real::from(law.knot(&Integer::from(k))));
            on_both_routes(&law, &Real::from(law.knot(&Integer::from(k)) + rational("1/3")));
        }
    }
}

#[test]
fn very_small_deltas_keep_their_digits() {
    let law = law("4", 1, 2);
    let tiny = epsilon(&law, &real("1e-4000"), 30);
    let (low, high) = ends(&tiny);
    assert_eq!(
        second::confirms_epsilon(&second::Laws::default(), &twin(&law), &other(&rational("1e-4000")), &low, &high),
        Ok(true)
    );
    let back = delta(&law, &Real::from(tiny.enclosure(200).upper().to_rational().unwrap()), 30).enclosure(200);
    assert!(back.relative_bits().unwrap() > 90 && *back.upper() < rational("1.0000001e-4000"));
}

#[test]
fn many_draws_stay_within_the_bounds_of_the_normal_law() {
    // A million draws of large variance: the profile is the Gaussian's to all digits that are compared.
    let value = delta(&law("1e12", 1000, 1_000_000), &real("1"), 20);
    agrees(&value, "0.126936737506644");
}

/// Few bits make every error term large: a coarse contour must still hold the truth.
#[test]
fn coarse_contours_hold_the_truth() {
    let budget = Budget::default();
    for (sigma2, times) in [("1/50", 1), ("1/9", 40), ("1/5", 3), ("1", 1), ("3", 17), ("1e6", 2), ("1e20", 1)] {
        let law = law(sigma2, 1, times);
        for deviations in [0.0, 0.7, 2.0, 6.0] {
            let k = Float::with_val(64, law.spread() * deviations).to_integer().unwrap() + 1u32;
            let truth = law.law().tail(&k, 200, &budget).unwrap();
            assert!(truth.relative_bits().unwrap() >= 200);
            for bits in 1..24 {
                let plan = law.law().shape().plan(k.to_f64(), f64::from(bits), -f64::from(bits) / 3.0);
                let coarse = law.law().on_contour(&k, bits, &plan, &budget).unwrap();
                assert!(coarse.overlaps(&truth), "{law:?} at {k}, {bits} bits: {coarse:?} against {truth:?}");
                // Too few nodes of a fine contour.
                let mut plan = law.law().shape().plan(k.to_f64(), 60.0, 3.0);
                plan.nodes = (plan.nodes * f64::from(bits) / 24.0).floor();
                let coarse = law.law().on_contour(&k, 60, &plan, &budget).unwrap();
                assert!(coarse.overlaps(&truth), "{law:?} at {k}, {} nodes: {coarse:?} against {truth:?}", plan.nodes);
            }
        }
    }
}

#[test]
fn a_million_draws_stay_cheap() {
    let budget = Budget::new(4096, Some(std::time::Duration::from_secs(60)));
    for sigma2 in ["1e4", "1e7", "1e10"] {
        let law = law(sigma2, 1, 1_000_000);
        let value = law.delta(&Real::from(law.knot(&Integer::from(1000))), Direction::Forward, 128, &budget).unwrap();
        assert!(value.enclosure(128).relative_bits().unwrap() >= 120);
        assert!(matches!(law.epsilon(&real("1e-9"), Direction::Forward, 128, &budget), Ok(Value::Finite(_))));
    }
}

/// Two contours that enclose different numbers: the first set is too wide to end with, the second does not meet it.
#[test]
fn contours_that_do_not_meet_are_an_alarm() {
    let wide =
        |low: u32| Enclosure::integer(&Integer::from(low), 64).hull(&Enclosure::integer(&Integer::from(low + 1), 64));
    let tail = |places: [u32; 2]| {
        let mut places = places.into_iter();
        super::tail::by_contours(32, |_| places.next().map(wide).ok_or_else(|| Error::Undecided("no more".into())))
    };
    assert!(tail([5, 9]).is_err_and(|error| error.is_alarm()));
    assert_eq!(tail([5, 5]).map_err(|error| error.is_alarm()).err(), Some(false));
}

/// Likelihood ratios of sums rise with their size as `sigma2` grows, and with them the tails and their quotients.
#[test]
fn larger_noise_is_less_peaked() {
    let budget = Budget::default();
    let tail = |draws: &DiscreteGaussian, k: u32| draws.survival(&Integer::from(k), 200, &budget).unwrap();
    for times in [1, 2, 7] {
        for (a, b) in [("1/10", "1/8"), ("1/3", "2"), ("4", "5"), ("40", "41")] {
            let (small, large) = (law(a, 1, times), law(b, 1, times));
            let ratios: Vec<Enclosure> = (1..20).map(|k| &tail(&large, k) / &tail(&small, k)).collect();
            assert!(*ratios[0].lower() > 1, "{a} {b} {times}");
            for pair in ratios.windows(2) {
                assert!(pair[0].upper() < pair[1].lower(), "{a} {b} {times}");
            }
        }
    }
}

/// No delta between two parameters exceeds the bound, which has to be more than what is larger at the ends.
#[test]
fn the_largest_delta_bounds_all_between() {
    let budget = Budget::default();
    // Of all of them, as far as they are kept.
    let mut tails = Tails::default();
    let mut inner = 0;
    for (sensitivity, times) in [(1, 1), (2, 1), (1, 3), (3, 10)] {
        for (a, b) in [("1/50", "1/10"), ("1/10", "1/4"), ("1/2", "3/4"), ("2", "5/2"), ("30", "33")] {
            for epsilon in ["-20", "-1/2", "0", "1/3", "2", "20"] {
                let epsilon = real(epsilon);
                let at = |sigma2: Rational| DiscreteGaussian::new(sigma2, sensitivity.into(), times).unwrap();
                let (small, large) = (at(rational(a)), at(rational(b)));
                let bound = small.largest_delta(&large, &epsilon, 200, &mut tails, &budget).unwrap();
                let value = |draws: &DiscreteGaussian| {
                    draws.delta(&epsilon, Direction::Forward, 200, &budget).unwrap().enclosure(200)
                };
                let ends = value(&small).max(&value(&large));
                for n in 0..=16_u32 {
                    let between = rational(a) + (rational(b) - rational(a)) * Rational::from((n, 16));
                    let delta = value(&at(between));
                    assert!(delta.lower() <= bound.upper(), "{sensitivity} {times} {a} {b} {epsilon} {n}");
                    inner += u32::from(delta.lower() > ends.upper());
                }
            }
        }
    }
    // Between are larger ones than at the ends, or the test would tell nothing.
    assert!(inner > 10, "{inner}");
}
