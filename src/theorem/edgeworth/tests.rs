use rug::Rational;

use super::*;
use crate::compose::{Method, curve};
use crate::theorem::factors::tests::printed;

fn of(text: &str, order: u32) -> Result<Edgeworth, Error> {
    Edgeworth::of(&text.parse().expect("a composition"), order, 60, &Budget::default())
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

/// The setting of Figure 2 of Su 2024, by another program: epsilon at delta = 1e-5.
#[test]
fn epsilons_of_a_sampled_gaussian() {
    let one = of("poisson(rate=0.0005, gaussian(sigma=1))", 3).expect("an expansion");
    for (steps, orders) in [
        (200_u32, ["0.035045", "0.038012", "0.013955"]),
        (1000, ["0.073741", "0.073407", "0.073774"]),
        (20_000, ["0.326387", "0.322856", "0.322295"]),
    ] {
        for (order, epsilon) in (1..).zip(orders) {
            let sum = |side: &[Enclosure]| side.iter().map(|cumulant| cumulant.mul_u32(steps)).collect();
            let all = Edgeworth { order, forward: sum(&one.forward), backward: sum(&one.backward), ..one.clone() };
            let found = all.epsilon(&real("1e-5"), Direction::Worst, 40, &Budget::default()).expect("epsilon");
            let Value::Finite(number) = found else { panic!("{steps} {order}") };
            assert!(number.enclosure(60).overlaps(&printed(epsilon)), "{steps} {order}: {number:?}");
        }
    }
}

/// No epsilon takes a delta below what fails outright; above it there is one.
#[test]
fn epsilons_beside_what_fails_outright() {
    let failing = of("approx-dp(epsilon=1/10, delta=1/1000)^100", 3).expect("an expansion");
    for order in 0..=3 {
        let all = failing.up_to(order);
        let at = |delta| all.epsilon(&real(delta), Direction::Worst, 40, &Budget::default()).expect("epsilon");
        // 1 - 0.999^100 = 0.0952...
        assert!(matches!(at("1/100"), Value::Infinite) && matches!(at("0.0952"), Value::Infinite), "{order}");
        assert!(matches!(at("0.0953"), Value::Finite(_)), "{order}");
    }
}

/// A normal loss is its own expansion, of every order.
#[test]
fn gaussian_noise_has_nothing_left_out() {
    let budget = Budget::default();
    let composition: Composition =
        "gaussian(sigma=2)^9 * approx-dp(epsilon=0, delta=1/50)".parse().expect("a composition");
    let exact = curve(&composition, Method::Auto, &budget).expect("a curve");
    for order in 0..=3 {
        let all = Edgeworth::of(&composition, order, 80, &budget).expect("an expansion");
        for epsilon in ["0", "1/2", "4"] {
            let truth = exact.delta(&real(epsilon), Direction::Forward, 80, &budget).expect("delta").enclosure(80);
            let found = all.delta(&real(epsilon), Direction::Worst, 80, &budget).expect("delta");
            assert!(found.overlaps(&truth) && found.relative_bits() > Some(50), "{order} {epsilon}: {found:?}");
        }
        for alpha in ["1/100", "1/2", "9/10", "99/100"] {
            let truth = exact.beta(&real(alpha), Direction::Forward, 80, &budget).expect("beta").enclosure(80);
            let found = all.beta(&real(alpha), Direction::Worst, 60, &budget).expect("beta");
            assert!(found.overlaps(&truth), "{order} {alpha}: {found:?} {truth:?}");
        }
        let Ok(Value::Finite(truth)) = exact.epsilon(&real("1/10"), Direction::Forward, 80, &budget) else { panic!() };
        let Ok(Value::Finite(found)) = all.epsilon(&real("1/10"), Direction::Worst, 60, &budget) else { panic!() };
        assert!(found.enclosure(80).overlaps(&truth.enclosure(80)), "{order}");
    }
}

/// Hermite polynomials as printed.
#[test]
fn hermite_polynomials() {
    let at = |degree| hermite(degree, &Enclosure::integer(&2.into(), 64));
    for (degree, value) in [(0, 1), (1, 2), (2, 3), (3, 2), (4, -5), (5, -18), (6, -11), (8, 0)] {
        // He_8 = z^8 - 28 z^6 + 210 z^4 - 420 z^2 + 105.
        let expected = if degree == 8 { 256 - 28 * 64 + 210 * 16 - 420 * 4 + 105 } else { value };
        assert!(at(degree).contains(&Rational::from(expected)), "{degree}: {:?}", at(degree));
    }
}

#[test]
fn what_has_no_moments_is_refused() {
    assert!(matches!(of("gaussian(sigma=1)", 4), Err(Error::Input(_))));
    assert!(matches!(of("gdp(mu=0)", 1), Err(Error::Undefined(_))));
    assert!(matches!(of("finite(p=[1/2,1/2,0], q=[1/4,1/4,1/2])", 1), Err(Error::Undefined(_))));
    let all = of("gaussian(sigma=1)", 1).expect("an expansion");
    for alpha in ["0", "1", "-1"] {
        assert!(matches!(all.beta(&real(alpha), Direction::Worst, 60, &Budget::default()), Err(Error::Undefined(_))));
    }
}
