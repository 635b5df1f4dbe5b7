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

/// Compositions that another engine answers to many digits, and points of theirs.
const KNOWN: [(&str, &str, &str, &str); 7] = [
    ("randomized-response(epsilon=ln(3/2))^20", "1", "1e-3", "0.2"),
    ("geometric(epsilon=1/3, sensitivity=3)^4", "1.3", "1e-2", "0.1"),
    ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^12", "0.4", "1e-2", "0.3"),
    ("gaussian(sigma=2)^3", "0.7", "1e-4", "0.4"),
    ("laplace(scale=3)^8", "1", "1e-3", "0.2"),
    ("discrete-gaussian(sigma2=7/2)^5", "1", "1e-3", "0.05"),
    ("poisson(rate=1/3, gaussian(sigma=1))^2", "1/2", "1e-3", "0.3"),
];

/// Both ends against the truth by an engine that needs neither; and they come nearer with the step.
#[test]
fn brackets_hold_the_truth_and_close() {
    let budget = Budget::default();
    for (text, epsilon, delta, alpha) in KNOWN {
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, Method::Auto, &budget).expect("an engine");
        let (epsilon, delta, alpha) = (real(epsilon), real(delta), real(alpha));
        for side in [Direction::Forward, Direction::Backward] {
            let mut widths = Vec::new();
            let majorized = Majorized::of(&product(text), 3).unwrap_or_else(|_| panic!("{text} has a contour"));
            let truth = [
                truth.delta(&epsilon, side, 128, &budget).expect("a number").enclosure(128),
                match truth.epsilon(&delta, side, 128, &budget).expect("a number") {
                    Value::Finite(inverse) => inverse.enclosure(128),
                    Value::Infinite => panic!("{text}: not infinite"),
                },
                truth.beta(&alpha, side, 128, &budget).expect("a number").enclosure(128),
            ];
            let Ok(Value::Finite(start)) = majorized
                .in_steps(majorized.level(majorized.deviation, FIRST).fineness)
                .expect("a contour")
                .epsilon(&delta, side, BITS, &budget)
            else {
                panic!("{text}: not infinite")
            };
            let start = start.enclosure(BITS).upper().to_f64();
            let peak = majorized.peak(&alpha, side, &budget).expect("a peak");
            for halvings in [4, 7] {
                let level = majorized.level(majorized.deviation, halvings);
                let bracket = [
                    level
                        .bracket(&epsilon, Near { side, centre: epsilon.to_f64(), scale: majorized.deviation }, &budget)
                        .expect("a number"),
                    level.epsilon(&delta, start, side, &budget).expect("a number"),
                    level.beta(&alpha, peak, side, &budget).expect("a number"),
                ];
                for (bracket, truth) in bracket.iter().zip(&truth) {
                    let inside = bracket.lower() <= truth.lower() && truth.upper() <= bracket.upper();
                    assert!(inside, "{text} {side:?} {halvings}: {truth:?} is not in {bracket:?}");
                }
                widths.push(bracket.map(|set| Float::with_val(53, set.upper() - set.lower()).to_f64()));
            }
            for (coarse, fine) in widths[0].iter().zip(&widths[1]) {
                assert!(*fine < coarse / 2.0, "{text} {side:?}: {widths:?}");
            }
        }
    }
}

/// What shares no lattice and does not decay: against a grid, which knows nothing of contours.
#[test]
fn samples_of_discrete_mechanisms_agree_with_grids() {
    agree_with_grids(&[
        ("poisson(rate=3/200, discrete-gaussian(sigma2=57/10))^100", "9/50", "1e-4"),
        ("poisson(rate=1/10, discrete-gaussian(sigma2=3, sensitivity=2))^7", "1/2", "1e-3"),
        ("poisson(rate=7/50, randomized-response(epsilon=11/10))^50", "1", "1e-4"),
    ]);
}

/// A few runs, of which the grid knows the profile of one alone.
#[test]
fn samples_of_a_fixed_size_agree_with_grids() {
    agree_with_grids(&[
        ("subsample(rate=1/10, gaussian(sigma=1))^3", "1/2", "1e-3"),
        ("subsample(rate=1/2, laplace(scale=1))^2", "3/5", "1e-2"),
        ("subsample(rate=1/4, gaussian(sigma=1)) * poisson(rate=1/20, laplace(scale=2))^5", "1/3", "1e-3"),
    ]);
}

/// The same of the larger one of both orders, which lies between compositions of polygons, too.
#[test]
fn symmetrized_samples_lie_between_polygons() {
    let budget = Budget::default();
    for (text, epsilon, delta, alpha) in [
        ("symmetrize(poisson(rate=1/10, gaussian(sigma=1)))^3", "1/20", "1e-3", "1/20"),
        ("symmetrize(poisson(rate=1/3, laplace(scale=1/2)))^4", "3/10", "1e-2", "1/7"),
        ("symmetrize(poisson(rate=1/4, gaussian(sigma=1)))^2 * laplace(scale=3)", "1/6", "1e-2", "1/9"),
    ] {
        let all = product(text);
        let majorized = Majorized::of(&all, 5).unwrap_or_else(|_| panic!("{text} has a contour"));
        let polygons = crate::compose::Polygons::of(&all, 4).unwrap_or_else(|_| panic!("{text} has polygons"));
        let [first, second] = [&majorized as &dyn Curve, &polygons].map(|curve| {
            let side = Direction::Forward;
            let profile = curve.delta(&real(epsilon), side, 64, &budget).expect("a number").enclosure(64);
            let Ok(Value::Finite(inverse)) = curve.epsilon(&real(delta), side, 64, &budget) else { panic!("a number") };
            let beta = match curve.beta(&real(alpha), side, 64, &budget) {
                Ok(beta) => beta.enclosure(64),
                // Where no line is in reach of doubles nothing is said.
                Err(Error::Undecided(_)) => Enclosure::zero(64).hull(&Enclosure::one(64)),
                Err(error) => panic!("{text}: {error}"),
            };
            [profile, inverse.enclosure(64), beta]
        });
        for (first, second) in first.iter().zip(&second) {
            assert!(first.overlaps(second), "{text}: {first:?} {second:?}");
        }
        assert!(first.iter().take(2).all(|set| set.relative_bits() > Some(9)), "{text}: {first:?}");
    }
}

fn agree_with_grids(cases: &[(&str, &str, &str)]) {
    let budget = Budget::default();
    for &(text, epsilon, delta) in cases {
        let all = product(text);
        let majorized = Majorized::of(&all, 4).unwrap_or_else(|_| panic!("{text} has a contour"));
        let Ok(grid) = crate::compose::Grid::of(&all) else { panic!("{text} has a grid") };
        let grid = grid.content_with(Some(1 << 14));
        for side in [Direction::Forward, Direction::Backward] {
            let both = [&majorized as &dyn Curve, &grid].map(|curve| {
                let profile = curve.delta(&real(epsilon), side, 64, &budget).expect("a number").enclosure(64);
                let Ok(Value::Finite(inverse)) = curve.epsilon(&real(delta), side, 64, &budget) else {
                    panic!("a number")
                };
                (profile, inverse.enclosure(64))
            });
            assert!(both[0].0.overlaps(&both[1].0) && both[0].1.overlaps(&both[1].1), "{text} {side:?}: {both:?}");
            assert!(both[0].0.relative_bits() > Some(13), "{text} {side:?}: {:?}", both[0].0);
        }
    }
}
