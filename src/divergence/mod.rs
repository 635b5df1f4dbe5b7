//! Divergences of one pair of distributions: Renyi, Kullback-Leibler, total variation, chi-squared, max.
//!
//! One file per family of pairs, with closed forms; `compose` adds them up, and [`composed`] is what is asked from
//! outside. **What is certified:** each method encloses the same real number at every precision and is narrow relative
//! to that number, however small or large the parameters are: differences of nearly equal numbers are either rewritten
//! as products of positive factors, or evaluated at a precision that outgrows the cancellation (`adaptive_precision`).
//! Values that are provably rational come out exact, and divergences between equal distributions come out as exactly 0.
//! Proofs are in `proofs/paper/divergences.md`.
//!
//! `Direction::Forward` is `D(P||Q)`, with P the first distribution of the pair.

mod between;
mod compose;
mod composed;
mod derived;
mod discrete_gaussian;
mod finite;
mod gaussian;
mod geometric;
mod laplace;
mod lattice;
pub mod moments;
mod randomized_response;
mod shuffled;
mod subsampled;

#[cfg(feature = "cli")]
pub use composed::of_pair;
pub use composed::{Kind, composed, of_pairs};
pub use gaussian::Gaussian;
pub use laplace::Laplace;
pub use lattice::Lattice;
pub use randomized_response::RandomizedResponse;
pub use subsampled::Sampled;

use std::cmp::Ordering;

use crate::curve::{Direction, Value};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number, Real};

/// The divergences of a pair.
pub trait Divergence {
    /// Do the two directions agree?
    fn symmetric(&self) -> bool;

    /// Is every divergence a closed form? Otherwise some are integrals.
    fn closed(&self) -> bool {
        true
    }

    /// Renyi divergence `1/(g-1) ln E_P (dP/dQ)^(g-1)` of the real order `g > 1`; undefined for other orders.
    fn renyi(&self, order: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error>;

    /// About the Renyi divergence, in doubles, where that is cheap: it is for searches, and proves nothing.
    #[cfg(feature = "cli")]
    fn renyi_sketch(&self, _order: f64, _direction: Direction) -> Option<f64> {
        None
    }

    /// Kullback-Leibler divergence `E_P ln(dP/dQ)`.
    fn kullback_leibler(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error>;

    /// Chi-squared divergence `E_P (dP/dQ) - 1`.
    fn chi_squared(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error>;

    /// Max divergence `ln sup dP/dQ`.
    fn max(&self, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error>;
}

/// A Renyi order and the order minus 1, the latter certainly positive.
fn order_above_one(order: &Real, bits: u32) -> Result<(Number, Number), Error> {
    let one = Number::one();
    // An order like 1 + 1e-100 needs its precision where it differs from 1.
    let mut working = bits;
    for _ in 0..6 {
        let value = order.number(working);
        match value.compare(&one) {
            Some(Ordering::Greater) => {
                let above = &value - &one;
                let accurate = match &above {
                    Number::Exact(_) => true,
                    Number::Enclosed(set) => set.relative_bits().is_some_and(|proven| proven >= i64::from(bits)),
                };
                if accurate {
                    return Ok((value, above));
                }
            }
            Some(_) => {
                return Err(Error::Undefined(format!("the Renyi divergence requires an order above 1, not {order}")));
            }
            None => {}
        }
        working = working.saturating_mul(2);
    }
    Err(Error::undecided(format!(
        "cannot decide by how much the Renyi order {order} exceeds 1; write it as a rational \
                                  number"
    )))
}

/// A parameter that has to be a nonnegative number.
fn not_negative(value: &Real, name: &str) -> Result<(), Error> {
    match value.sign() {
        Some(Ordering::Less) => Err(Error::input(format!("{name} must be at least 0, not {value}"))),
        Some(_) => Ok(()),
        None => Err(Error::undecided(format!("cannot decide the sign of {name} = {value}"))),
    }
}

/// A parameter that has to be a probability.
fn probability(value: &Real, name: &str) -> Result<(), Error> {
    not_negative(value, name)?;
    match value.compare(&Real::one()) {
        Some(Ordering::Greater) => Err(Error::input(format!("{name} must be at most 1, not {value}"))),
        Some(_) => Ok(()),
        None => Err(Error::undecided(format!("cannot decide whether {name} = {value} exceeds 1"))),
    }
}

/// Is it certainly above 4? From there on the exponential is factored out of sums.
fn is_large(x: &Enclosure) -> bool {
    *x.lower() > 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Composition;
    use crate::pair::{Discrete, FinitePair, Pair};
    use enclosure::refine;
    use rug::float::Round;
    use rug::{Float, Integer, Rational};

    /// A decimal reference, right to one unit of its last digit.
    fn decimal(text: &str) -> Enclosure {
        let digits = text.split('.').nth(1).map_or(0, str::len) as u32;
        let scale = Integer::from(Integer::u_pow_u(10, digits));
        let value: Integer = text.replace('.', "").parse().unwrap();
        let end =
            |d: i32, round| Float::with_val_round(400, Rational::from((value.clone() + d, scale.clone())), round).0;
        Enclosure::new(end(-1, Round::Down), end(1, Round::Up))
    }

    fn real(text: &str) -> Real {
        match text.strip_prefix("ln ") {
            Some(inner) => Real::from(inner.parse::<Rational>().unwrap()).ln().unwrap(),
            None => Real::from(text.parse::<Rational>().unwrap()),
        }
    }

    fn on_lattice(text: &str) -> Lattice {
        let composition: Composition = text.parse().unwrap();
        let Ok(Pair::Discrete(pair)) = composition.single().unwrap().0.pair() else { panic!("{text}") };
        Lattice::of(&pair).unwrap()
    }

    fn geometric(epsilon: Real, sensitivity: u32) -> Lattice {
        on_lattice(&format!("geometric(epsilon={epsilon}, sensitivity={sensitivity})"))
    }

    fn staircase(epsilon: Real, gamma: Real) -> Lattice {
        on_lattice(&format!("staircase(epsilon={epsilon}, gamma={gamma})"))
    }

    /// All four, to `digits` digits: Renyi, Kullback-Leibler, chi-squared, max.
    fn all(pair: &dyn Divergence, order: &str, direction: Direction, digits: u32) -> Vec<Option<Number>> {
        let budget = Budget::default();
        let get = |ask: &dyn Fn(u32) -> Result<Value, Error>| {
            let mut infinite = false;
            let number = refine(digits, &budget, |bits| match ask(bits)? {
                Value::Finite(number) => Ok(number),
                Value::Infinite => {
                    infinite = true;
                    Ok(Number::zero())
                }
            })
            .unwrap();
            (!infinite).then_some(number)
        };
        let order = real(order);
        vec![
            get(&|bits| pair.renyi(&order, direction, bits, &budget)),
            get(&|bits| pair.kullback_leibler(direction, bits, &budget)),
            get(&|bits| pair.chi_squared(direction, bits, &budget)),
            get(&|bits| pair.max(direction, bits, &budget)),
        ]
    }

    fn overlaps(value: &Option<Number>, reference: &str) {
        let value = value.as_ref().unwrap().enclosure(400);
        assert!(value.overlaps(&decimal(reference)), "{value:?} against {reference}");
    }

    fn agree(a: &[Option<Number>], b: &[Option<Number>], about: &str) {
        for (a, b) in a.iter().zip(b) {
            match (a, b) {
                (Some(Number::Exact(a)), Some(Number::Exact(b))) => assert_eq!(a, b, "{about}"),
                (Some(a), Some(b)) => assert!(a.enclosure(400).overlaps(&b.enclosure(400)), "{about} {a:?} {b:?}"),
                (None, None) => {}
                _ => panic!("{about}: one is infinite"),
            }
        }
    }

    fn response(epsilon: &str, delta: &str) -> RandomizedResponse {
        RandomizedResponse::new(real(epsilon), real(delta)).unwrap()
    }

    #[test]
    fn references() {
        let forward = Direction::Forward;
        let rr = response("1", "0");
        overlaps(&all(&rr, "2", forward, 42)[0], "0.7353256640555192247099304248868343560266");
        overlaps(&all(&rr, "10", forward, 42)[0], "0.9651931464538415097547342381590428368744");
        overlaps(&all(&rr, "2", forward, 42)[1], "0.4621171572600097585023184836436725487303");
        overlaps(&all(&response("1/10", "0"), "2", forward, 42)[1], "0.004995837495787997219838636520828431964280");
        let laplace = Laplace::new(real("1")).unwrap();
        overlaps(&all(&laplace, "2", forward, 42)[0], "0.6191236299985928833997885365435069867983");
        overlaps(&all(&laplace, "2", forward, 42)[1], "0.3678794411714423215955237701614608674458");
    }

    #[test]
    fn rational_values_are_exact() {
        let exact = |value: &Option<Number>, text: &str| {
            let expected: Rational = text.parse().unwrap();
            assert_eq!(value.as_ref().and_then(Number::exact), Some(&expected), "{value:?}");
        };
        let values = all(&response("ln 3/2", "0"), "2", Direction::Forward, 20);
        exact(&values[2], "1/6");
        let values = all(&Laplace::new(real("ln 9/4")).unwrap(), "2", Direction::Forward, 20);
        exact(&values[2], "275/486");
        let values = all(&Gaussian(real("2/3")), "5/2", Direction::Forward, 20);
        exact(&values[0], "5/9");
        exact(&values[1], "2/9");
        assert!(values[3].is_none());
        let infinite = all(&response("ln 3/2", "1/10"), "2", Direction::Forward, 20);
        assert!(infinite.iter().all(Option::is_none));
        let pairs: [Box<dyn Divergence>; 3] =
            [Box::new(response("0", "0")), Box::new(Laplace::new(real("0")).unwrap()), Box::new(Gaussian(real("0")))];
        for pair in pairs {
            for value in all(pair.as_ref(), "3", Direction::Backward, 20) {
                exact(&value, "0");
            }
        }
    }

    #[test]
    fn lattice_agrees_with_randomized_response() {
        let tiny = format!("1/1{}", "0".repeat(300));
        for epsilon in ["1", "ln 3/2", "1/7", "1000000", tiny.as_str()] {
            for order in ["2", "11/10", "50", "1000001/1000000"] {
                let expected = all(&response(epsilon, "0"), order, Direction::Forward, 25);
                for direction in [Direction::Forward, Direction::Backward] {
                    let staircase = staircase(real(epsilon), real("1/2"));
                    agree(&all(&staircase, order, direction, 25), &expected, epsilon);
                }
            }
        }
    }

    #[test]
    fn directions_agree_for_symmetric_lattices() {
        for (epsilon, sensitivity) in [("1/3", 4), ("ln 2", 3), ("5", 2)] {
            let pair = geometric(real(epsilon), sensitivity);
            let forward = all(&pair, "7/3", Direction::Forward, 25);
            agree(&forward, &all(&pair, "7/3", Direction::Backward, 25), epsilon);
        }
    }

    #[test]
    fn tiny_and_huge_parameters_keep_their_digits() {
        let tiny = format!("1/1{}", "0".repeat(300));
        for (c, order) in
            [(tiny.as_str(), "2"), (tiny.as_str(), "1000001/1000000"), ("1000000", "3/2"), ("1000000", "1000")]
        {
            let leading = |value: &Option<Number>| value.as_ref().unwrap().enclosure(200);
            let values = all(&Laplace::new(real(c)).unwrap(), order, Direction::Forward, 25);
            let (renyi, kl) = (leading(&values[0]), leading(&values[1]));
            assert!(renyi.compare(&kl) == Some(Ordering::Greater), "{c} {order}");
            assert!(renyi.compare(&leading(&values[3])) == Some(Ordering::Less), "{c} {order}");
        }
    }

    /// Their sums rest on masses that total one.
    #[test]
    fn lattice_pairs_with_mass_at_infinity_are_refused() {
        let pair = Discrete::response(real("1"), real("1/2")).unwrap();
        assert!(Lattice::of(&pair).is_err());
        let half = || Rational::from((1, 2));
        let one_sided = FinitePair::new(vec![half(), half()], vec![Rational::from(1), Rational::new()]).unwrap();
        assert!(Lattice::of(&Discrete::rational(one_sided)).is_err());
    }

    /// What the documentation of a constructor asks for is checked.
    #[test]
    fn parameters_outside_of_their_domain_are_refused() {
        let near_one = Real::from(1 + Rational::from((1, Integer::from(1) << 200)));
        for delta in [real("3/2"), real("-1/2"), near_one] {
            assert!(RandomizedResponse::new(real("1"), delta).is_err());
        }
        let half = || Number::Exact(Rational::from((1, 2)));
        for masses in
            [vec![(0, half())], vec![(1, half()), (-1, half())], vec![(0, half() + half() + half()), (0, -half())]]
        {
            let pair = Lattice::new(real("ln 2"), move |_| masses.clone());
            assert!(matches!(pair, Err(Error::Input(_))));
        }
        let inside = Pair::laplace(real("1"));
        for rate in ["0", "1", "3/2", "-1/2"] {
            let made = Sampled::new(real(rate), &inside, Box::new(Laplace::new(real("1")).unwrap()));
            assert!(matches!(made, Err(Error::Input(_))), "{rate}");
        }
    }

    #[test]
    fn orders_up_to_one_are_undefined() {
        let budget = Budget::default();
        for order in ["1", "1/2", "-3"] {
            let value = Laplace::new(real("1")).unwrap().renyi(&real(order), Direction::Forward, 64, &budget);
            assert!(matches!(value, Err(Error::Undefined(_))));
        }
    }

    #[test]
    fn compositions_add_up() {
        let part = |p: i32, q: i32| Value::Finite(Number::Exact(Rational::from((p, q))));
        let Value::Finite(sum) = compose::sum(&[(part(1, 3), 2), (part(1, 2), 1)], 64) else { panic!() };
        assert_eq!(sum.exact(), Some(&Rational::from((7, 6))));
        let Value::Finite(chi) = compose::chi_squared(&[(part(1, 3), 2), (part(1, 2), 1)], 64) else { panic!() };
        assert_eq!(chi.exact(), Some(&Rational::from((5, 3))));
        assert!(matches!(compose::sum(&[(Value::Infinite, 1)], 64), Value::Infinite));
        assert!(matches!(compose::sum(&[(Value::Infinite, 0)], 64), Value::Finite(_)));
        // A large power is enclosed, not exact: (1 + 1e-9)^(10^9) - 1 is near e - 1.
        let Value::Finite(chi) = compose::chi_squared(&[(part(1, 1_000_000_000), 1_000_000_000)], 128) else {
            panic!()
        };
        let near = Enclosure::one(64).expm1();
        assert!((&chi.enclosure(128) - &near).abs().upper() < &1e-8);
    }
}
