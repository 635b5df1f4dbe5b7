use super::*;
use crate::compose::{Method, curve};
use crate::mechanism::Composition;

fn product(text: &str) -> Product {
    let composition: Composition = text.parse().expect("a composition");
    Product::new(composition.pairs().expect("pairs"))
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn sliced(text: &str, digits: u32) -> Slices {
    Slices::of(&product(text), digits, &Budget::default()).unwrap_or_else(|why| panic!("{text} is not cut: {why:?}"))
}

/// Compositions that other engines answer to many digits, and points of theirs.
const KNOWN: [(&str, &str, &str, &str); 8] = [
    ("laplace(scale=2) * randomized-response(epsilon=1/2)^3", "3/4", "1e-2", "0.2"),
    ("finite(p=[1/10, 9/10], q=[0, 1]) * laplace(scale=1)", "1/2", "0.15", "0.3"),
    ("poisson(rate=1/4, laplace(scale=1)) * finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2", "0.2", "0.05", "0.3"),
    ("gaussian(sigma=1) * laplace(scale=1)", "2", "1e-4", "0.05"),
    ("gaussian(sigma=2) * geometric(epsilon=1/3, sensitivity=3)", "0.7", "1e-3", "0.4"),
    ("laplace(scale=3)^2 * gaussian(sigma=3)", "1/2", "1e-2", "0.2"),
    ("discrete-gaussian(sigma2=7/2)^2 * discrete-gaussian(sigma2=5)", "1", "1e-3", "0.05"),
    ("poisson(rate=1/3, gaussian(sigma=1)) * gaussian(sigma=2)", "1/2", "1e-3", "0.3"),
];

/// Both ends against the truth by an engine that cuts nothing; and narrow enough for the digits.
#[test]
fn brackets_hold_the_truth() {
    let budget = Budget::default();
    for (text, epsilon, delta, alpha) in KNOWN {
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, Method::Auto, &budget).expect("an engine");
        let slices = sliced(text, 4);
        let (epsilon, delta, alpha) = (real(epsilon), real(delta), real(alpha));
        for side in [Direction::Forward, Direction::Backward] {
            let all = |curve: &dyn Curve| {
                let inverse = match curve.epsilon(&delta, side, 128, &budget) {
                    Ok(Value::Finite(inverse)) => inverse,
                    other => panic!("{text} {side:?}: {other:?}"),
                };
                let profile = curve.delta(&epsilon, side, 128, &budget).expect("a number");
                let beta = curve.beta(&alpha, side, 128, &budget).expect("a number");
                [profile, inverse, beta].map(|number| number.enclosure(128))
            };
            for (bracket, truth) in all(&slices).iter().zip(&all(truth.as_ref())) {
                let inside = bracket.lower() <= truth.upper() && truth.lower() <= bracket.upper();
                assert!(inside, "{text} {side:?}: {truth:?} is not in {bracket:?}");
                assert!(bracket.relative_bits() >= Some(12), "{text} {side:?}: {bracket:?}");
            }
        }
    }
}

/// What grids say that know nothing of slices, where no other engine does: two laws without atoms, and samples whose
/// losses share no lattice.
#[test]
fn grids_agree() {
    let budget = Budget::default();
    for (text, epsilon) in [
        ("poisson(rate=1/10, laplace(scale=1)) * poisson(rate=1/3, laplace(scale=2))", "0.2"),
        ("poisson(rate=1/4, discrete-gaussian(sigma2=3))^2 * laplace(scale=3)", "0.5"),
        ("poisson(rate=1/4, discrete-gaussian(sigma2=3)) * discrete-gaussian(sigma2=15)^18", "1"),
    ] {
        let Ok(grid) = crate::compose::Grid::of(&product(text)) else { panic!("{text} has a grid") };
        let (grid, slices) = (grid.content_with(Some(1 << 14)), sliced(text, 5));
        for side in [Direction::Forward, Direction::Backward] {
            let [a, b] = [&grid as &dyn Curve, &slices]
                .map(|curve| curve.delta(&real(epsilon), side, 64, &budget).expect("a number").enclosure(64));
            assert!(a.overlaps(&b), "{text} {side:?}: {a:?} {b:?}");
            assert!(b.relative_bits() >= Some(16), "{text} {side:?}: {b:?}");
        }
    }
}

/// Far out, where a profile is as small as 10^-150, an enclosure keeps its digits: the law is listed as far as that
/// takes. The truth: one sample alone, of which all is a formula, for what is beside it is nearly nothing.
#[test]
fn far_out_more_of_the_law_is_listed() {
    let budget = Budget::default();
    let slices = sliced("poisson(rate=1/4000, discrete-gaussian(sigma2=63)) * laplace(scale=1000000)", 6);
    let alone: Composition = "poisson(rate=1/4000, discrete-gaussian(sigma2=63))".parse().expect("a composition");
    let alone = curve(&alone, Method::Auto, &budget).expect("an engine");
    let at = |curve: &dyn Curve, epsilon: &str| {
        curve.delta(&real(epsilon), Direction::Forward, 128, &budget).expect("a number").enclosure(128)
    };
    let found = at(&slices, "0.0482");
    assert!(found.relative_bits() >= Some(20) && *found.upper() < 1e-100, "{found:?}");
    // The noise beside moves every loss by less than 10^-6.
    let (below, above) = (at(alone.as_ref(), "0.0482011"), at(alone.as_ref(), "0.0481989"));
    assert!(found.lower() <= above.upper() && below.lower() <= found.upper(), "{below:?} {found:?} {above:?}");
}

/// Each term of the bracket is needed: without the mass that is not listed, or that at infinity, the truth is outside.
#[test]
fn no_term_can_be_left_out() {
    let budget = Budget::default();
    for (text, epsilon, depth) in [
        ("discrete-gaussian(sigma2=7/2) * gaussian(sigma=2)", "1", 4),
        ("finite(p=[1/10, 9/10], q=[0, 1]) * laplace(scale=1)", "1/2", 96),
    ] {
        let (slices, epsilon) = (sliced(text, 8), real(epsilon));
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, Method::Auto, &budget).expect("an engine");
        let truth = truth.delta(&epsilon, Direction::Forward, 128, &budget).expect("a number").enclosure(128);
        let law = slices.parts.law(false, depth, &budget).expect("a law");
        let cells = Cells::new(&law, slices.beside.as_deref(), &epsilon, false);
        let finite = cells.bracket(1e-9, &budget).expect("a number");
        let listed = &finite + law.infinite();
        assert!(listed.lower() <= truth.upper(), "{text}: {listed:?} {truth:?}");
        assert!((&listed + law.missing()).upper() >= truth.lower(), "{text}: {listed:?} {truth:?}");
        assert!(finite.upper() < truth.lower(), "{text}: {finite:?} {truth:?}");
    }
}

/// A budget of precision below its own is kept.
#[test]
fn few_bits_are_refused() {
    let of = |bits| Slices::of(&product("gaussian(sigma=1) * laplace(scale=1)"), 6, &Budget::new(bits, None));
    assert!(of(BITS - 1).is_err() && of(BITS).is_ok());
}

/// What would be too many slices is not begun.
#[test]
fn many_parts_without_atoms_are_refused() {
    let of = |text: &str| Slices::of(&product(text), 6, &Budget::default());
    for text in [
        "poisson(rate=1/10, laplace(scale=1))^4",
        "poisson(rate=1/10, gaussian(sigma=1))^40 * randomized-response(epsilon=1)",
        "poisson(rate=1/4, discrete-gaussian(sigma2=30))^9 * laplace(scale=3)",
        "poisson(rate=1/4, discrete-gaussian(sigma2=30))^100000000000000 * laplace(scale=3)",
        "finite(p=[1/2,1/4,1/8,1/8], q=[1/3,1/6,1/5,3/10])^400 * laplace(scale=3)",
    ] {
        assert!(of(text).is_err(), "{text}");
    }
    assert!(of("poisson(rate=1/10, laplace(scale=1))^3").is_ok_and(|slices| slices.parts.count() == 2));
}
