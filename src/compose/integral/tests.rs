//! Integrals against closed forms, against the quadrature, and against the grid.

use proptest::prelude::*;
use rug::Rational;

use super::kernel::Knots;
use super::*;
use crate::compose::by_sum::BySum;
use crate::compose::{Grid, curve};
use crate::curve::Value;
use crate::mechanism::Composition;

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

fn product(text: &str) -> Product {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Product::new(composition.pairs().expect("pairs"))
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn integral(text: &str) -> BySum<Integral> {
    BySum(Integral::of(&product(text), &Budget::default()).unwrap_or_else(|why| panic!("{text}: {why:?}")))
}

fn delta(curve: &dyn Curve, at: &Real, side: Direction, bits: u32) -> Enclosure {
    curve.delta(at, side, bits, &Budget::default()).expect("a number").enclosure(200)
}

/// Two Laplace mechanisms have a closed form, and Gaussian noise beside one a contour that is short.
#[test]
fn engines_that_integrate_nothing_agree() {
    for (text, method, levels) in [
        ("laplace(scale=1) * laplace(scale=1/3)", Method::ClosedForm, ["1/100", "1/5"]),
        ("laplace(scale=2)^2", Method::ClosedForm, ["1/1000", "1/5"]),
        ("gaussian(sigma=1) * laplace(scale=1)", Method::Quadrature, ["1e-6", "1/5"]),
        ("gaussian(sigma=1/3) * laplace(scale=4)", Method::Quadrature, ["1/50", "1/3"]),
        ("poisson(rate=1/3, laplace(scale=1)) * gaussian(sigma=1)", Method::Quadrature, ["1/1000", "1/5"]),
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let (truth, found) = (curve(&composition, method, &Budget::default()).expect("an engine"), integral(text));
        for side in BOTH {
            for at in ["-1", "0", "1/2", "2"] {
                let [a, b] = [truth.as_ref(), &found as &dyn Curve].map(|curve| delta(curve, &real(at), side, 80));
                assert!(a.overlaps(&b), "{text} {side:?} {at}: {a:?} {b:?}");
                assert!(b.relative_bits() >= Some(70) || *b.upper() <= 0, "{text} {side:?} {at}: {b:?}");
            }
            for level in levels {
                let level = real(level);
                let [a, b] = [truth.as_ref(), &found as &dyn Curve].map(|curve| {
                    let beta = curve.beta(&level, side, 60, &Budget::default()).expect("a number").enclosure(200);
                    let Ok(Value::Finite(epsilon)) = curve.epsilon(&level, side, 60, &Budget::default()) else {
                        panic!("{text} {side:?} {level}")
                    };
                    (beta, epsilon.enclosure(200))
                });
                assert!(a.0.overlaps(&b.0) && b.0.relative_bits() >= Some(24), "{text} {side:?} {level}: {a:?} {b:?}");
                assert!(
                    a.1.lower() <= b.1.upper() && b.1.lower() <= a.1.upper(),
                    "{text} {side:?} {level}: {a:?} {b:?}"
                );
            }
        }
    }
}

/// The profile between knots of 200 bits, as a Taylor polynomial of u.
fn between(kernel: &Kernel, at: &Real, degree: usize, backward: bool) -> enclosure::taylor::Taylor {
    let (budget, at) = (Budget::default(), at.enclosure(200));
    let knots = kernel.knots(backward, 200, &budget).expect("knots");
    match kernel.rate(200) {
        None => kernel.inner(&enclosure::taylor::Taylor::variable(&at, degree), &budget).expect("a value"),
        Some(rate) => {
            let inside = kernel.inside(&at, &knots, backward, 200);
            let u = enclosure::taylor::Taylor::variable(&inside, degree);
            let (epsilon, value, slope) = kernel.by_inner_loss(&u, &rate, backward, &budget).expect("a value");
            // Back at E, with the derivative that is told.
            assert!(epsilon.value().overlaps(&at), "{epsilon:?} {at:?}");
            assert!(epsilon.coefficients()[1].overlaps(slope.value()), "{epsilon:?} {slope:?}");
            value
        }
    }
}

/// The profile in the form of a Taylor polynomial's value is that of the curve, on the right side of each knot; and
/// beyond the knots of few bits no more is missing than is said, but not nothing.
#[test]
fn kernels_are_profiles_between_their_knots() {
    let budget = Budget::default();
    for text in [
        "gaussian(sigma=1)",
        "laplace(scale=1)",
        "poisson(rate=1/3, gaussian(sigma=1))",
        "poisson(rate=1/3, laplace(scale=1))",
        "poisson(rate=9/10, gaussian(sigma=1/4))",
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, Method::Auto, &budget).expect("an engine");
        let kernel = as_kernel(&product(text)).expect("a kernel");
        let mut beyond = 0;
        for (side, backward) in [(Direction::Forward, false), (Direction::Backward, true)] {
            for bits in [4, 8, 60] {
                let Knots { low, high } = kernel.knots(backward, bits, &budget).expect("knots");
                for i in -320..=320 {
                    let at = Real::from(Rational::from((i, 128)));
                    let (point, value) = (at.enclosure(160), delta(truth.as_ref(), &at, side, 100));
                    let below = low.as_ref().filter(|knot| point.upper() < knot.at.lower());
                    let above = high.as_ref().filter(|knot| point.lower() > knot.at.upper());
                    let near = low.iter().chain(&high).any(|knot| knot.at.overlaps(&point));
                    let zero = Enclosure::zero(160);
                    let (base, extra) = match (below, above) {
                        (Some(knot), _) => (-point.expm1(), knot.extra.hull(&zero)),
                        (_, Some(knot)) => (zero.clone(), knot.extra.hull(&zero)),
                        _ if near => continue,
                        _ => (between(&kernel, &at, 1, backward).value().clone(), zero.clone()),
                    };
                    let found = &base + &extra;
                    let holds = found.lower() <= value.upper() && value.lower() <= found.upper();
                    assert!(holds, "{text} {side:?} {i} {bits}: {found:?} {value:?}");
                    beyond += u32::from(bits < 60 && base.upper() < value.lower());
                }
            }
        }
        // Where something is left out at these places.
        assert_eq!(beyond > 0, text == "poisson(rate=1/3, gaussian(sigma=1))", "{text}");
    }
}

/// Coefficients of the Taylor polynomial: differences of values.
#[test]
fn kernels_have_the_slopes_of_profiles() {
    let budget = Budget::default();
    for text in ["gaussian(sigma=1)", "laplace(scale=1/2)"] {
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, Method::Auto, &budget).expect("an engine");
        let kernel = as_kernel(&product(text)).expect("a kernel");
        let (a, b) = (real("1/10"), real("1/10 + 1/1000"));
        let set = a.enclosure(160).hull(&b.enclosure(160));
        let over = enclosure::taylor::Taylor::variable(&set, 2);
        let slope = kernel.inner(&over, &budget).expect("a value").coefficients()[1].clone();
        let [low, high] = [&a, &b].map(|at| delta(truth.as_ref(), at, Direction::Forward, 100));
        let rise = &(&high - &low) / &Enclosure::rational(&Rational::from((1, 1000)), 160);
        assert!(slope.lower() <= rise.upper() && rise.lower() <= slope.upper(), "{text}: {slope:?} {rise:?}");
    }
}

/// The density and the atoms are all of the mass under either distribution.
#[test]
fn spreads_have_all_mass() {
    for text in ["laplace(scale=2)", "poisson(rate=1/3, laplace(scale=1/2))"] {
        let spread = as_spread(&product(text)).expect("a spread");
        // A kernel that is 1 everywhere: noise that hides nothing.
        let kernel = Kernel::gaussian(real("1000000"));
        for backward in [false, true] {
            let zero = Enclosure::zero(160);
            let smooth = spread.integral(&kernel, &zero, backward, 60, &Budget::default()).expect("a number");
            let atoms = spread.atoms().expect("atoms");
            let sum = atoms
                .iter()
                .fold(smooth, |sum, Atom { p, q, .. }| &sum + &(if backward { q } else { p }).enclosure(160));
            assert!(
                sum.contains(&Rational::from(1)) || *sum.upper() < 1 && *sum.lower() > 0.999_999,
                "{text}: {sum:?}"
            );
        }
    }
}

#[test]
fn others_are_refused() {
    for text in [
        "laplace(scale=1)",
        "laplace(scale=1)^3",
        "gaussian(sigma=1) * poisson(rate=1/3, gaussian(sigma=1))",
        "gaussian(sigma=1) * laplace(scale=1) * randomized-response(epsilon=1)",
        "poisson(rate=1/3, laplace(scale=1))^2 * gaussian(sigma=1)",
        "discrete-gaussian(sigma2=1) * laplace(scale=1)",
    ] {
        assert!(matches!(Integral::of(&product(text), &Budget::default()), Err(Refusal::OtherKind)), "{text}");
    }
}

fn composition() -> impl Strategy<Value = String> {
    let laplace = prop_oneof![
        (1..=20u32).prop_map(|s| format!("laplace(scale={s}/4)")),
        (1..=9u32, 1..=9u32).prop_map(|(r, s)| format!("poisson(rate={r}/10, laplace(scale={s}/3))")),
    ];
    let other = prop_oneof![
        (1..=20u32).prop_map(|s| format!("gaussian(sigma={s}/5)")),
        (1..=9u32, 2..=9u32).prop_map(|(r, s)| format!("poisson(rate={r}/10, gaussian(sigma={s}/5))")),
        (1..=9u32, 1..=9u32).prop_map(|(r, s)| format!("poisson(rate={r}/11, laplace(scale={s}/4))")),
    ];
    (laplace, other).prop_map(|(laplace, other)| format!("{laplace} * {other}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Against losses rounded to a grid.
    #[test]
    fn random_compositions_agree_with_the_grid(text in composition(), at in -16..=24i32) {
        let Ok(grid) = Grid::of(&product(&text)) else { panic!("{text} has a grid") };
        let (grid, found) = (grid.content_with(Some(1 << 12)), integral(&text));
        let at = Real::from(Rational::from((at, 8)));
        for side in BOTH {
            let [a, b] = [&grid as &dyn Curve, &found].map(|curve| delta(curve, &at, side, 64));
            prop_assert!(a.lower() <= b.upper() && b.lower() <= a.upper(), "{} {:?}: {:?} {:?}", text, side, a, b);
            prop_assert!(b.relative_bits() >= Some(50) || *b.upper() <= 1e-40, "{} {:?}: {:?}", text, side, b);
        }
    }
}
