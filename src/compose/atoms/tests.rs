use proptest::prelude::*;

use super::*;
use crate::pair::TradeOff;
use enclosure::refine;

fn q(numer: i64, denom: i64) -> Rational {
    Rational::from((numer, denom))
}

fn distribution(weights: &[u32]) -> Vec<Rational> {
    let total: u32 = weights.iter().sum();
    weights.iter().map(|&w| Rational::from((w, total))).collect()
}

fn factors() -> impl Strategy<Value = Vec<Factor>> {
    let factor =
        (prop::collection::vec((0u32..5, 0u32..5), 1..4), 0u64..4).prop_filter_map("no mass", |(weights, n)| {
            let (p, q): (Vec<u32>, Vec<u32>) = weights.into_iter().unzip();
            let mass = |w: &[u32]| w.iter().any(|&w| w > 0);
            (mass(&p) && mass(&q)).then(|| Factor::new(distribution(&p), distribution(&q), n).unwrap())
        });
    prop::collection::vec(factor, 0..4)
}

fn atoms(factors: &[Factor]) -> Atoms {
    Atoms::new(factors, Limits::default(), &Budget::default()).unwrap()
}

/// The same by the calculus of trade-off functions, which shares no code with the engine.
fn trade_off(factors: &[Factor]) -> TradeOff {
    let budget = Budget::default();
    factors.iter().fold(TradeOff::identity(), |product, factor| {
        let power = TradeOff::from_pair(&factor.pair).power(factor.times, 1 << 20, &budget).unwrap();
        product.tensor(&power, 1 << 20, &budget).unwrap()
    })
}

fn finite(value: Result<Value, Error>) -> Number {
    match value.unwrap() {
        Value::Finite(number) => number,
        Value::Infinite => panic!("infinite"),
    }
}

const DIRECTIONS: [Direction; 3] = [Direction::Forward, Direction::Backward, Direction::Worst];

proptest! {
    #[test]
    fn agrees_with_the_calculus_of_trade_off_functions(
        factors in factors(),
        x in (1i64..40, 1i64..12),
        unit in 0i64..=24,
    ) {
        let (atoms, f) = (atoms(&factors), trade_off(&factors));
        let (x, unit) = (q(x.0, x.1), q(unit, 24));
        for direction in DIRECTIONS {
            prop_assert_eq!(atoms.delta_at(&x, direction), f.delta(&x, direction));
        }
        prop_assert_eq!(atoms.beta_at(&unit, Direction::Forward), f.evaluate(&unit));
        prop_assert_eq!(atoms.beta_at(&unit, Direction::Backward), f.inverse().evaluate(&unit));
        prop_assert_eq!(atoms.symmetric(), f.is_symmetric());
        prop_assert_eq!(
            atoms.delta_at(&q(1, 1), Direction::Forward).unwrap(),
            f.delta(&q(1, 1), Direction::Forward).unwrap()
        );
        for direction in DIRECTIONS {
            match atoms.exp_epsilon(&unit, direction).unwrap() {
                // The least x >= 1 with profile at most delta.
                Some(x) => {
                    let at = f.delta(&x, direction).unwrap();
                    prop_assert!(at == unit || (x == 1 && at < unit));
                    if x > 1 {
                        let below = &x * q(99_999_999, 100_000_000) ;
                        prop_assert!(f.delta(&below, direction).unwrap() > unit);
                    }
                }
                None => prop_assert!(f.delta(&q(1_000_000_000_000, 1), direction).unwrap() > unit),
            }
        }
    }

    #[test]
    fn enclosures_hold_the_exact_answer(
        factors in factors(),
        numer in -30i64..30,
        bits in 8u32..200,
    ) {
        // The enclosed path at a rational x (one that is a knot, often) must hold the exact value.
        let atoms = atoms(&factors);
        let x = q(numer + 31, 12);
        let unit = q(numer + 30, 60);
        for view in atoms.views(Direction::Worst) {
            let direction = if view.swapped { Direction::Backward } else { Direction::Forward };
            // Above the precision asked, or too coarse to be near: both are enclosures of x.
            for enclosed in [Enclosure::rational(&x, bits), Enclosure::rational(&x, 5)] {
                if let Some(value) = view.delta(&enclosed, bits) {
                    let exact = atoms.delta_at(&x, direction).unwrap();
                    prop_assert!(value.enclosure(bits).contains(&exact));
                }
            }
            if let (Some(value), true) = (view.beta(&Enclosure::rational(&unit, bits), bits), unit > 0) {
                let exact = atoms.beta_at(&Rational::from(1 - &unit), direction).unwrap();
                prop_assert!(value.enclosure(bits).contains(&exact));
            }
            if unit > view.first_share(0)
                && let Some(value) = view.exp_epsilon(&Enclosure::rational(&unit, bits), bits) {
                    let exact = atoms.exp_epsilon(&unit, direction).unwrap().unwrap();
                    prop_assert!(value.enclosure(bits).contains(&exact));
                }
        }
    }

    #[test]
    fn inverse_of_the_profile(factors in factors(), epsilon in 1i64..20) {
        let (atoms, budget) = (atoms(&factors), Budget::default());
        let epsilon = q(epsilon, 7);
        // An irrational epsilon >= 0 and back, where the profile is not flat.
        for direction in [Direction::Forward, Direction::Backward] {
            let delta = atoms.delta(&Real::from(epsilon.clone()), direction, 200, &budget).unwrap();
            if let Number::Enclosed(delta) = delta {
                let end = |end: &rug::Float| end.to_rational().unwrap();
                let high = atoms.epsilon(&Real::from(end(delta.lower())), direction, 150, &budget);
                let low = atoms.epsilon(&Real::from(end(delta.upper())), direction, 150, &budget);
                if let (Ok(Value::Finite(low)), Ok(Value::Finite(high))) = (low, high) {
                    prop_assert!(*low.enclosure(150).lower() <= epsilon && *high.enclosure(150).upper() >= epsilon);
                }
            }
        }
    }
}

fn randomized_response(x: &Rational, delta: &Rational, times: u64) -> Factor {
    Factor { pair: FinitePair::approximate_dp(x, delta).unwrap(), times }
}

/// Kairouz, Oh, Viswanath, Theorem 3.3, term by term.
fn optimal_delta(x: &Rational, delta: &Rational, k: u32, i: u32) -> Rational {
    let power = |n: u32| Rational::from(rug::ops::Pow::pow(x, n));
    let sum: Rational =
        (0..i).map(|l| (power(k - l) - power(k - 2 * i + l)) * Rational::from(Integer::from(k).binomial(l))).sum();
    let each = sum / Rational::from(rug::ops::Pow::pow(&Rational::from(x + 1u32), k));
    let kept = Rational::from(rug::ops::Pow::pow(&Rational::from(1 - delta), k));
    1 - kept * (1 - each)
}

#[test]
fn optimal_composition() {
    let atoms4 = atoms(&[randomized_response(&q(3, 2), &q(1, 10), 4)]);
    assert!(atoms4.symmetric());
    assert_eq!(atoms4.delta_at(&q(1, 1), Direction::Worst), Ok(q(84079, 156250)));
    for (x, delta, k) in [(q(3, 2), q(0, 1), 4), (q(11, 10), q(1, 1000), 64), (q(5, 1), q(1, 10), 33)] {
        let atoms = atoms(&[randomized_response(&x, &delta, u64::from(k))]);
        assert_eq!(atoms.len(), k as usize + 1);
        for i in 0..=k / 2 {
            let at = Rational::from(rug::ops::Pow::pow(&x, k - 2 * i));
            assert_eq!(atoms.delta_at(&at, Direction::Forward), Ok(optimal_delta(&x, &delta, k, i)));
        }
    }
}

#[test]
fn edges() {
    let nothing = atoms(&[]);
    assert_eq!(nothing.delta_at(&q(1, 2), Direction::Worst), Ok(q(1, 2)));
    assert_eq!(nothing.exp_epsilon(&q(0, 1), Direction::Worst), Ok(Some(q(1, 1))));
    assert_eq!(nothing.beta_at(&q(1, 3), Direction::Worst), Ok(q(2, 3)));
    let disjoint = atoms(&[Factor::new(vec![q(1, 1), q(0, 1)], vec![q(0, 1), q(1, 1)], 3).unwrap()]);
    assert!(disjoint.len() == 0);
    assert_eq!(disjoint.delta_at(&q(9, 1), Direction::Worst), Ok(q(1, 1)));
    assert_eq!(disjoint.exp_epsilon(&q(1, 2), Direction::Worst), Ok(None));
    assert_eq!(disjoint.exp_epsilon(&q(1, 1), Direction::Worst), Ok(Some(q(1, 1))));
    assert_eq!(disjoint.beta_at(&q(0, 1), Direction::Worst), Ok(q(0, 1)));
    let budget = Budget::default();
    // Above the largest loss the profile is exactly zero, also at an irrational point.
    let coin = atoms(&[randomized_response(&q(3, 2), &q(0, 1), 10)]);
    let zero = coin.delta(&Real::from(5), Direction::Worst, 64, &budget).unwrap();
    assert_eq!(zero.exact(), Some(&Rational::new()));
    let none = finite(coin.epsilon(&Real::from(q(99, 100)), Direction::Worst, 64, &budget));
    assert_eq!(none.exact(), Some(&Rational::new()));
    assert!(coin.delta_at(&q(0, 1), Direction::Worst).is_err());
    assert!(coin.exp_epsilon(&q(-1, 2), Direction::Worst).is_err());
    assert!(coin.beta_at(&q(3, 2), Direction::Worst).is_err());
}

#[test]
fn equal_ratios_of_different_factors_are_one_atom() {
    // 2 * 1/2 = 4 * 1/4, and 9/4 = (3/2)^2.
    let a = randomized_response(&q(2, 1), &q(0, 1), 2);
    let b = randomized_response(&q(4, 1), &q(0, 1), 3);
    assert_eq!(atoms(&[a, b]).len(), 9);
    let c = randomized_response(&q(3, 2), &q(0, 1), 2);
    let d = randomized_response(&q(9, 4), &q(0, 1), 2);
    assert_eq!(atoms(&[c, d]).len(), 7);
}

#[test]
fn limits_are_kept() {
    let pair = FinitePair::new(vec![q(1, 2), q(1, 3), q(1, 6)], vec![q(1, 7), q(2, 7), q(4, 7)]).unwrap();
    let limited = |times, max_atoms, max_bytes| {
        Atoms::new(&[Factor { pair: pair.clone(), times }], Limits { max_atoms, max_bytes }, &Budget::default())
    };
    assert_eq!(limited(30, 496, 1 << 30).unwrap().len(), 496);
    assert!(matches!(limited(30, 495, 1 << 30), Err(Error::Undecided(_))));
    assert!(matches!(limited(30, 496, 1 << 14), Err(Error::Undecided(_))));
    assert!(matches!(limited(u64::MAX, 1 << 40, u64::MAX), Err(Error::Undecided(_))));
}

/// `[v - 1ulp, v + 1ulp]` of a decimal with 40 digits.
fn near(text: &str, ulp: &str) -> Enclosure {
    let (value, ulp) = (decimal(text), decimal(ulp));
    Enclosure::rational(&Rational::from(&value - &ulp), 400).hull(&Enclosure::rational(&(value + ulp), 400))
}

fn decimal(text: &str) -> Rational {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = mantissa.replace('.', "");
    let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    let shift = exponent.parse::<i32>().unwrap() - places;
    Rational::from(digits.parse::<Integer>().unwrap()) * Rational::from(rug::ops::Pow::pow(&q(10, 1), shift))
}

#[test]
fn irrational_points_to_forty_digits() {
    // P = (1/2, 1/4, 1/4), Q = (1/3, 1/3, 1/3), 20 times; reference by direct summation in mpmath at 80 digits.
    let atoms = atoms(&[Factor::new(vec![q(1, 2), q(1, 4), q(1, 4)], vec![q(1, 3); 3], 20).unwrap()]);
    let budget = Budget::default();
    for (direction, epsilon, reference, ulp) in REFERENCE_DELTA {
        let value =
            refine(40, &budget, |bits| atoms.delta(&Real::from(decimal(epsilon)), direction, bits, &budget)).unwrap();
        assert!(value.enclosure(300).overlaps(&near(reference, ulp)), "{direction:?} {epsilon}: {value:?}");
    }
    for (direction, delta, reference, ulp) in REFERENCE_EPSILON {
        let value = refine(40, &budget, |bits| {
            Ok(finite(atoms.epsilon(&Real::from(decimal(delta)), direction, bits, &budget)))
        })
        .unwrap();
        assert!(value.enclosure(300).overlaps(&near(reference, ulp)), "{direction:?} {delta}: {value:?}");
    }
    // alpha = ln(9/8)
    let alpha = Real::from(q(9, 8)).ln().unwrap();
    for (direction, reference, ulp) in REFERENCE_BETA {
        let value = refine(40, &budget, |bits| atoms.beta(&alpha, direction, bits, &budget)).unwrap();
        assert!(value.enclosure(300).overlaps(&near(reference, ulp)), "{direction:?}: {value:?}");
    }
    // An irrational delta gives the irrational epsilon of its neighbours.
    let delta = Real::from(q(1_000_001, 1_000_000)).ln().unwrap();
    let value = finite(atoms.epsilon(&delta, Direction::Forward, 128, &budget)).enclosure(128);
    let bound = |delta: Rational| {
        let x = atoms.exp_epsilon(&delta, Direction::Forward).unwrap().unwrap();
        ln_number(&Number::Exact(x), 128).enclosure(128)
    };
    let (low, high) = (bound(q(1, 1_000_000)), bound(q(999_999, 1_000_000_000_000)));
    assert!(low.lower() <= value.lower() && value.upper() <= high.upper());
}

include!("reference.rs");
