use malachite::base::num::arithmetic::traits::DivRound;
use rug::{Integer as First, Rational as FirstRational};

use super::*;
use crate::compose::reference::edged_kov;
use crate::compose::{Heterogeneous, Kov};
use crate::curve::{Curve, Direction, Value};
use enclosure::{Budget, Number, Real, refine};

impl Bounds {
    /// Do both hold a common number?
    fn overlaps(&self, other: &Self) -> bool {
        self.lower <= other.upper && other.lower <= self.upper
    }

    /// `e^t` for a rational t, to about `bits` bits, from the power series.
    ///
    /// With `u = |t|/2^s <= 1/2` the terms after the n-th are together at most twice the next one. Sums are kept as
    /// multiples of `2^-w`, rounded down and up; then squared s times, still rounded outward.
    fn exp(t: &Rational, bits: u64) -> Self {
        let magnitude = if *t < 0 { -t.clone() } else { t.clone() };
        let mut halvings = 0_u64;
        let mut u = magnitude;
        while u > Rational::from_signeds(1_i64, 2) {
            u /= Rational::from(2);
            halvings += 1;
        }
        // Squaring doubles the relative error, and e^t may be large.
        let size = 2 * (1_u64 << halvings.min(40));
        let work = bits + 2 * halvings + size.min(1 << 20) + 32;
        let one = Natural::power_of_2_of(work);
        let (mut low, mut high) = (one.clone(), one.clone());
        let (mut term_low, mut term_high) = (one.clone(), one);
        let (numerator, denominator) = (u.numerator_ref().clone(), u.denominator_ref().clone());
        for n in 1_u64.. {
            let below = Natural::from(n) * &denominator;
            term_low = (term_low * &numerator).div_round(&below, RoundingMode::Floor).0;
            term_high = (term_high * &numerator).div_round(&below, RoundingMode::Ceiling).0;
            low += &term_low;
            high += &term_high;
            if term_high <= 1 {
                high += Natural::from(2_u32) * term_high;
                break;
            }
        }
        for _ in 0..halvings {
            low = (&low * &low) >> work;
            high = ((&high * &high) >> work) + Natural::ONE;
        }
        let scale = Natural::power_of_2_of(work);
        let (low, high) = (Rational::from_naturals(low, scale.clone()), Rational::from_naturals(high, scale));
        if *t < 0 {
            Bounds { lower: Rational::ONE / high, upper: Rational::ONE / low }
        } else {
            Bounds { lower: low, upper: high }
        }
    }
}

/// A rational of the first route, in the arithmetic of this one.
fn across(value: &FirstRational) -> Rational {
    let natural = |n: &First| {
        let mut digits = vec![0_u64; n.significant_digits::<u64>()];
        n.write_digits(&mut digits, rug::integer::Order::Lsf);
        Natural::from_owned_limbs_asc(digits)
    };
    let size = Rational::from_naturals(natural(value.numer()), natural(value.denom()));
    if *value < 0 { -size } else { size }
}

fn bounds(number: &Number) -> Bounds {
    match number {
        Number::Exact(value) => Bounds::exact(across(value)),
        Number::Enclosed(set) => Bounds {
            lower: across(&set.lower().to_rational().unwrap()),
            upper: across(&set.upper().to_rational().unwrap()),
        },
    }
}

fn r(numer: i64, denom: u64) -> FirstRational {
    FirstRational::from((numer, denom))
}

/// Overlap, with at least so many digits on either side.
fn agree(first: &Bounds, second: &Bounds, digits: u64) {
    assert!(first.overlaps(second), "{first:?} {second:?}");
    for one in [first, second] {
        let width = &one.upper - &one.lower;
        assert!(width * Rational::from(10_u32).pow(digits) <= one.lower, "not {digits} digits");
    }
}

#[test]
fn exponential() {
    let e = Bounds::exp(&Rational::from(1), 100);
    let known = Rational::from_naturals(
        "2718281828459045235360287471352662497757".parse().unwrap(),
        "1000000000000000000000000000000000000000".parse().unwrap(),
    );
    let ulp = Rational::from_naturals(Natural::ONE, "1000000000000000000000000000000000000000".parse().unwrap());
    assert!(e.lower < &known + ulp && e.upper > known);
    assert!((&e.upper - &e.lower) * Rational::from(Natural::power_of_2_of(100)) < 4);
    let small = Bounds::exp(&-Rational::from(7), 100);
    let big = Bounds::exp(&Rational::from(7), 100);
    assert!(&small.lower * &big.lower <= 1 && &small.upper * &big.upper >= 1);
}

#[test]
fn exact_fractions_are_the_same_fractions() {
    let budget = Budget::default();
    for (x, d, k) in
        [(r(3, 2), r(1, 10), 4_u64), (r(5, 4), r(0, 1), 37), (r(101, 100), r(1, 1000), 60), (r(7, 1), r(1, 3), 5)]
    {
        let kov = edged_kov(&Kov::new(Real::from(x.clone()).ln().unwrap(), Real::from(d.clone()), k).unwrap());
        let part = Part { x: Bounds::exact(across(&x)), delta: across(&d), times: k, steps: 1 };
        let second = Convolution::new(&[part], None);
        for at in [r(1, 1), r(9, 4), r(1, 3), r(2, 1), r(50, 1)] {
            let first = kov.delta(&Real::from(at.clone()).ln().unwrap(), Direction::Worst, 64, &budget).unwrap();
            let first = first.exact().expect("exact");
            let second = second.delta(&Bounds::exact(across(&at)));
            assert!(second.is_exact() && second.lower == across(first), "{x} {d} {k} {at}");
        }
        for alpha in [r(1, 100), r(1, 2), r(9, 10), r(1, 7)] {
            let first = kov.beta(&Real::from(alpha.clone()), Direction::Worst, 64, &budget).unwrap();
            let second = second.beta(&across(&alpha));
            assert_eq!(second, Bounds::exact(across(first.exact().expect("exact"))), "{x} {d} {k} {alpha}");
        }
    }
}

#[test]
fn forty_five_digits_up_to_a_million() {
    let budget = Budget::default();
    for (eps, d, k, at, level, fraction) in [
        (r(1, 10), r(1, 1000), 30, vec![r(1, 1), r(0, 1), r(-3, 2), r(29, 10)], r(1, 20), 300),
        (r(1, 10), r(0, 1), 1000, vec![r(15, 1), r(5, 1)], r(1, 1_000_000), 320),
        (r(1, 1000), r(1, 1_000_000_000), 1_000_000, vec![r(2, 1), r(1, 7)], r(1, 100), 330),
    ] {
        let kov = Kov::new(Real::from(eps.clone()), Real::from(d.clone()), k).unwrap();
        let part = Part { x: Bounds::exp(&across(&eps), fraction + 20), delta: across(&d), times: k, steps: 1 };
        let started = std::time::Instant::now();
        let second = Convolution::new(&[part], Some(fraction));
        eprintln!("convolution of {k}: {:?}", started.elapsed());
        for at in at {
            let first = refine(48, &budget, |bits| kov.delta(&Real::from(at.clone()), Direction::Worst, bits, &budget));
            let other = second.delta(&Bounds::exp(&across(&at), fraction + 20));
            agree(&bounds(&first.unwrap()), &other, 45);
        }
        for alpha in [r(1, 20), r(9, 10)] {
            let first =
                refine(48, &budget, |bits| kov.beta(&Real::from(alpha.clone()), Direction::Worst, bits, &budget));
            agree(&bounds(&first.unwrap()), &second.beta(&across(&alpha)), 45);
        }
        let epsilon = refine(40, &budget, |bits| {
            match kov.epsilon(&Real::from(level.clone()), Direction::Worst, bits, &budget)? {
                Value::Finite(number) => Ok(number),
                Value::Infinite => panic!("infinite"),
            }
        });
        let ends = bounds(&epsilon.unwrap());
        let (low, high) = (Bounds::exp(&ends.lower, fraction + 20), Bounds::exp(&ends.upper, fraction + 20));
        assert_eq!(second.confirms_epsilon(&low, &high, &across(&level)), Some(true));
        // One part in 10^30 further up, the interval misses.
        let up = &ends.upper * (Rational::ONE + Rational::ONE / Rational::from(10_u32).pow(30_u64));
        let up = Bounds::exp(&up, fraction + 20);
        assert_eq!(second.confirms_epsilon(&up, &up, &across(&level)), Some(false));
        eprintln!("... and questions: {:?}", started.elapsed());
    }
}

#[test]
fn different_mechanisms() {
    let budget = Budget::default();
    let list = [(r(1, 10), r(1, 100), 3_u64, 1_usize), (r(1, 5), r(0, 1), 2, 2), (r(1, 2), r(1, 50), 4, 5)];
    let first: Vec<_> = list
        .iter()
        .map(|(e, d, n, _)| crate::pair::Part {
            epsilon: Real::from(e.clone()),
            delta: Real::from(d.clone()),
            times: *n,
        })
        .collect();
    let curve = Heterogeneous::new(&first, &budget).unwrap();
    let parts: Vec<_> = list
        .iter()
        .map(|(e, d, n, steps)| Part { x: Bounds::exp(&across(e), 320), delta: across(d), times: *n, steps: *steps })
        .collect();
    let lattice = Convolution::new(&parts, Some(300));
    let subsets = Convolution::subsets(&parts, Some(300));
    for at in [r(0, 1), r(1, 2), r(17, 10), r(-1, 3)] {
        let value = refine(45, &budget, |bits| curve.delta(&Real::from(at.clone()), Direction::Worst, bits, &budget));
        let value = bounds(&value.unwrap());
        for second in [&lattice, &subsets] {
            agree(&value, &second.delta(&Bounds::exp(&across(&at), 320)), 40);
        }
    }
    for alpha in [r(1, 20), r(1, 2), r(4, 5)] {
        let value = refine(45, &budget, |bits| curve.beta(&Real::from(alpha.clone()), Direction::Worst, bits, &budget));
        let value = bounds(&value.unwrap());
        for second in [&lattice, &subsets] {
            agree(&value, &second.beta(&across(&alpha)), 40);
        }
    }
}
