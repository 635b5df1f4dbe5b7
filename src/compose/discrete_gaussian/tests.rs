//! Reference digits, exact cases, and properties that tie the quantities together.

use rug::ops::Pow;

use super::*;
use crate::number::refine;

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
    assert!(set.relative_bits().unwrap() > 120, "{set:?}");
}

fn law(sigma2: &str, sensitivity: u32, times: u64) -> DiscreteGaussian {
    DiscreteGaussian::new(rational(sigma2), Integer::from(sensitivity), times).unwrap()
}

fn real(text: &str) -> Real {
    Real::from(rational(text))
}

fn delta(law: &DiscreteGaussian, epsilon: &Real, digits: u32) -> Number {
    let budget = Budget::default();
    refine(digits, &budget, |bits| law.delta(epsilon, Direction::Forward, bits, &budget)).unwrap()
}

fn epsilon(law: &DiscreteGaussian, delta: &Real, digits: u32) -> Number {
    let budget = Budget::default();
    refine(digits, &budget, |bits| match law.epsilon(delta, Direction::Forward, bits, &budget)? {
        Value::Finite(number) => Ok(number),
        Value::Infinite => Err(Error::Undefined("infinite".into())),
    })
    .unwrap()
}

fn beta(law: &DiscreteGaussian, alpha: &Real, digits: u32) -> Number {
    let budget = Budget::default();
    refine(digits, &budget, |bits| law.beta(alpha, Direction::Forward, bits, &budget)).unwrap()
}

#[test]
fn single_draws_agree_with_reference_digits() {
    agrees(&delta(&law("1", 1, 1), &real("1"), 40), "0.1413513394056219080995416737071878228261");
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
fn time_of_the_goal() {
    let goal = law("100", 1, 72);
    for digits in [15, 30, 100, 1000] {
        let start = std::time::Instant::now();
        let value = delta(&goal, &real("1"), digits);
        let first = start.elapsed();
        let start = std::time::Instant::now();
        let inverse = epsilon(&goal, &real("1e-10"), digits);
        eprintln!("{digits} digits: delta {first:?}, epsilon {:?}: {:?} {:?}", start.elapsed(),
            value.enclosure(60), inverse.enclosure(60));
    }
}
