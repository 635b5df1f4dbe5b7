use super::*;
use crate::divergence::{Kind, composed};
use crate::mechanism::Composition;
use crate::theorem::functional::Functional;
use enclosure::Real;

const BITS: u32 = 60;

fn composition(text: &str) -> Composition {
    text.parse().expect(text)
}

fn of(functional: Functional, text: &str, direction: Direction) -> Value {
    functional.of(&composition(text), direction, BITS, &Budget::default()).expect(text)
}

fn number(functional: Functional, text: &str, direction: Direction) -> Enclosure {
    let Value::Finite(number) = of(functional, text, direction) else { panic!("{text}") };
    number.enclosure(128)
}

/// A Renyi divergence, by its own closed forms and integrals.
fn renyi(text: &str, order: &str, direction: Direction) -> Enclosure {
    let order: Real = order.parse().expect("an order");
    let divergence = composed(Kind::Renyi(order), &composition(text)).expect(text);
    let Ok(Value::Finite(value)) = divergence.value(direction, 128, &Budget::default()) else { panic!("{text}") };
    value.enclosure(128)
}

fn mean(text: &str, direction: Direction) -> Enclosure {
    let divergence = composed(Kind::KullbackLeibler, &composition(text)).expect(text);
    let Ok(Value::Finite(value)) = divergence.value(direction, 128, &Budget::default()) else { panic!("{text}") };
    value.enclosure(128)
}

const BOUNDED: [&str; 9] = [
    "randomized-response(epsilon=1)^3",
    "laplace(scale=1)",
    "laplace(scale=1/40)",
    "laplace(scale=5)^20 * gaussian(sigma=2)",
    "k-randomized-response(epsilon=ln(3), categories=5)^10",
    "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])",
    "finite(p=[1/1000000,999999/1000000], q=[1/1000000000000,999999999999/1000000000000])",
    "poisson(rate=1/100, randomized-response(epsilon=3)) * finite(p=[1/2,1/2], q=[1/5,4/5])",
    "geometric(epsilon=1, sensitivity=3)",
];

/// The definitions hold at every exponent, by Renyi divergences that another part of the program computes.
#[test]
fn no_exponent_exceeds_the_supremum() {
    for text in BOUNDED {
        for (direction, other) in [(Direction::Forward, Direction::Backward), (Direction::Backward, Direction::Forward)]
        {
            let standard = number(Functional::Subgaussian, text, direction);
            let rho = number(Functional::Zcdp, text, direction);
            let square = standard.square();
            let mean = mean(text, direction);
            assert!(square.relative_bits().is_some_and(|bits| bits > 50), "{text}: {square:?}");
            assert!(rho.relative_bits().is_some_and(|bits| bits > 50), "{text}: {rho:?}");
            // K(-1) = 0.
            assert!(mean.shift(1).lower() <= square.upper(), "{text} at -1");
            assert!(mean.lower() <= rho.upper(), "{text} next to order 1");
            for order in ["65/64", "9/8", "3/2", "2", "3", "8", "50"] {
                let a = order.parse::<Real>().expect("an order").enclosure(128);
                let t = &a - &Enclosure::one(128);
                // K(t) = t D_(1+t) for t > 0, and K(-1-t) is t times the divergence of the other direction.
                let right = (&t * &renyi(text, order, direction) - &t * &mean).shift(1) / t.square();
                assert!(right.lower() <= square.upper(), "{text} at order {order}: {right:?}, {square:?}");
                let left = (&t * &renyi(text, order, other) + &a * &mean).shift(1) / a.square();
                assert!(left.lower() <= square.upper(), "{text} at order -{order}: {left:?}, {square:?}");
                let ratio = renyi(text, order, direction) / a;
                assert!(ratio.lower() <= rho.upper(), "{text} at order {order}: {ratio:?}, {rho:?}");
            }
        }
    }
}

/// The search finds what the closed forms of randomised response are.
#[test]
fn searches_find_the_closed_forms() {
    let budget = Budget::default();
    for text in
        ["randomized-response(epsilon=1)^3", "randomized-response(epsilon=1/1000)", "randomized-response(epsilon=30)"]
    {
        let pairs = composition(text).pairs().expect(text);
        let losses = Losses::of(&pairs, Direction::Forward, BITS, &budget).expect(text).expect("finite losses");
        let (square, rho) = (losses.standard(BITS, &budget).expect(text), losses.zcdp(BITS, &budget).expect(text));
        let mean = mean(text, Direction::Forward);
        assert!(square.overlaps(&mean.shift(1)), "{text}: {square:?}");
        assert!(rho.overlaps(&mean), "{text}: {rho:?}");
        assert!(square.relative_bits().is_some_and(|bits| bits > 50), "{text}: {square:?}");
        assert!(rho.relative_bits().is_some_and(|bits| bits > 50), "{text}: {rho:?}");
    }
}

/// A product is the same step by step and as the list of its outcomes.
#[test]
fn products_are_the_lists_of_their_outcomes() {
    for direction in [Direction::Forward, Direction::Backward] {
        for functional in [Functional::Subgaussian, Functional::Zcdp] {
            let steps =
                number(functional, "finite(p=[1/2,1/2], q=[1/5,4/5]) * finite(p=[1/3,2/3], q=[1/2,1/2])", direction);
            let list = "finite(p=[1/6,1/3,1/6,1/3], q=[1/10,1/10,2/5,2/5])";
            let list = number(functional, list, direction);
            assert!(steps.overlaps(&list), "{functional:?} {direction:?}: {steps:?}, {list:?}");
        }
    }
}

/// Closed forms are exact, and the rho of a Poisson sample of Gaussian noise is that of the noise.
#[test]
fn gaussian_noise_is_exact() {
    for (functional, text, value) in [
        (Functional::Subgaussian, "gaussian(sigma=2)^4", "1"),
        (Functional::Subgaussian, "discrete-gaussian(sigma2=3)^12 * gaussian(sigma=1)^5", "3"),
        (Functional::Zcdp, "gaussian(sigma=2)^4", "1/2"),
        (Functional::Zcdp, "gaussian(sigma=10)^10", "1/20"),
        (Functional::Zcdp, "discrete-gaussian(sigma2=3, sensitivity=2)^9", "6"),
        (Functional::Zcdp, "poisson(rate=1/100, gaussian(sigma=1))^100 * discrete-gaussian(sigma2=1)", "101/2"),
    ] {
        let Value::Finite(found) = of(functional, text, Direction::Worst) else { panic!("{text}") };
        let value: Real = value.parse().expect("a number");
        assert_eq!(found.exact(), value.as_rational(), "{text}");
    }
    // The divergences of large orders come near that of the sample.
    let ratio = renyi("poisson(rate=1/100, gaussian(sigma=1))", "10000", Direction::Forward).div_u32(10_000);
    assert!(*ratio.lower() > 0.499 && *ratio.upper() < 0.5, "{ratio:?}");
}

/// A loss of plus infinity leaves no standard and no rho, and one that is constant has the standard 0.
#[test]
fn infinite_and_constant_losses() {
    for functional in [Functional::Subgaussian, Functional::Zcdp] {
        assert!(matches!(of(functional, "approx-dp(epsilon=1, delta=1/10)", Direction::Worst), Value::Infinite));
        let one_sided = "finite(p=[0,1], q=[1/2,1/2])";
        assert!(matches!(of(functional, one_sided, Direction::Backward), Value::Infinite));
    }
    for (text, direction, rho) in [
        ("finite(p=[0,1], q=[1/2,1/2])", Direction::Forward, "ln(2)"),
        ("finite(p=[0,1], q=[3/4,1/4])", Direction::Forward, "ln(4)"),
        ("inverse(finite(p=[3/4,1/4], q=[0,1]))", Direction::Forward, "ln(4)"),
        ("poisson(rate=1/10, finite(p=[1,0], q=[0,1]))", Direction::Backward, "ln(10/9)"),
        ("finite(p=[0,1], q=[3/4,1/4])^3", Direction::Forward, "3*ln(4)"),
    ] {
        let Value::Finite(standard) = of(Functional::Subgaussian, text, direction) else { panic!("{text}") };
        assert_eq!(standard.exact(), Some(&0.into()), "{text}");
        let found = number(Functional::Zcdp, text, direction);
        let rho = rho.parse::<Real>().expect("a number").enclosure(128);
        assert!(found.overlaps(&rho) && found.relative_bits().is_some_and(|bits| bits > 50), "{text}: {found:?}");
    }
    // Beside others a constant adds to the mean alone.
    let [alone, beside] = ["laplace(scale=1)", "laplace(scale=1) * finite(p=[0,1], q=[3/4,1/4])"]
        .map(|text| number(Functional::Subgaussian, text, Direction::Forward));
    assert!(alone.overlaps(&beside), "{alone:?} {beside:?}");
    let rho = number(Functional::Zcdp, "gdp(mu=20) * finite(p=[0,1], q=[3/4,1/4])", Direction::Forward);
    let truth = "200 + ln(4)".parse::<Real>().expect("a number").enclosure(128);
    assert!(rho.overlaps(&truth) && rho.relative_bits().is_some_and(|bits| bits > 50), "{rho:?}");
}
