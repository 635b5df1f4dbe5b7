//! Listed losses against engines that list nothing, and against the grid where there are none.

use proptest::prelude::*;
use rug::Rational;

use super::halves::Masses;
use super::*;
use crate::compose::{Grid, Method, curve};
use crate::curve::{Direction, Value};
use crate::mechanism::Composition;
use enclosure::{Enclosure, Number, Real};

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

fn product(text: &str) -> Product {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Product::new(composition.pairs().expect("pairs"))
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

/// By the engine of this folder that takes it on.
fn listed(text: &str) -> Box<dyn Curve> {
    let (product, budget) = (product(text), Budget::default());
    match beside(&product, &budget) {
        Err(Refusal::OtherKind) => alone(&product, &budget),
        other => other,
    }
    .unwrap_or_else(|why| panic!("{text} is not listed: {why:?}"))
}

fn all(curve: &dyn Curve, (epsilon, delta, alpha): (&str, &str, &str), side: Direction) -> [Enclosure; 3] {
    let budget = Budget::default();
    let inverse = match curve.epsilon(&real(delta), side, 110, &budget) {
        Ok(Value::Finite(inverse)) => inverse,
        other => panic!("{side:?}: {other:?}"),
    };
    let profile = curve.delta(&real(epsilon), side, 110, &budget).expect("a number");
    let beta = curve.beta(&real(alpha), side, 110, &budget).expect("a number");
    [profile, inverse, beta].map(|number: Number| number.enclosure(160))
}

/// Compositions that other engines answer to many digits, and points of theirs.
#[test]
fn engines_that_list_nothing_agree() {
    for (text, method, epsilon, delta, alpha) in [
        ("gaussian(sigma=2) * geometric(epsilon=1/3, sensitivity=3)", Method::Quadrature, "0.7", "1e-3", "0.4"),
        ("gaussian(sigma=2) * randomized-response(epsilon=1/2)^3", Method::Quadrature, "-0.7", "1e-9", "0.01"),
        ("gaussian(sigma=1) * discrete-gaussian(sigma2=5)^2", Method::Quadrature, "1", "1e-2", "0.2"),
        ("finite(p=[1/10, 9/10, 0], q=[0, 4/5, 1/5]) * gaussian(sigma=1)", Method::Quadrature, "1/2", "0.25", "0.3"),
        (
            "poisson(rate=1/4, laplace(scale=1)) * finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2",
            Method::ClosedForm,
            "0.2",
            "0.05",
            "0.3",
        ),
        ("laplace(scale=2)^2 * randomized-response(epsilon=1/2)^3", Method::ClosedForm, "3/4", "1e-2", "0.2"),
        ("laplace(scale=2) * randomized-response(epsilon=1/2)^3", Method::ClosedForm, "3/4", "1e-2", "0.2"),
        ("laplace(scale=3) * geometric(epsilon=1/9, sensitivity=3)^20", Method::ClosedForm, "-1/3", "1e-9", "0.01"),
        (
            "laplace(scale=3) * finite(p=[1/2,1/3,1/6,0], q=[1/7,39/70,0,3/10])",
            Method::ClosedForm,
            "1/5",
            "0.31",
            "0.2",
        ),
        (
            "laplace(scale=1/40) * poisson(rate=1/3, randomized-response(epsilon=1))^9",
            Method::ClosedForm,
            "39",
            "1/2",
            "0.2",
        ),
        ("discrete-gaussian(sigma2=7/2)^2 * discrete-gaussian(sigma2=5)", Method::Quadrature, "1", "1e-3", "0.05"),
        (
            "discrete-gaussian(sigma2=3) * geometric(epsilon=1/2, sensitivity=2)^3",
            Method::Quadrature,
            "1",
            "1e-6",
            "0.05",
        ),
        ("poisson(rate=1/4, discrete-gaussian(sigma2=3))", Method::Auto, "1/5", "1e-5", "0.3"),
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, method, &Budget::default()).expect("an engine");
        let found = listed(text);
        let at = (epsilon, delta, alpha);
        for side in BOTH {
            for (found, truth) in all(found.as_ref(), at, side).iter().zip(&all(truth.as_ref(), at, side)) {
                assert!(found.overlaps(truth), "{text} {side:?}: {found:?} {truth:?}");
                assert!(found.relative_bits() >= Some(60), "{text} {side:?}: {found:?}");
            }
        }
    }
}

/// Where nobody else has many digits the grid has few.
#[test]
fn the_grid_agrees() {
    for (text, epsilon, alpha) in [
        ("poisson(rate=1/4, discrete-gaussian(sigma2=3))^2 * laplace(scale=3)", "0.5", "0.3"),
        ("poisson(rate=1/4, discrete-gaussian(sigma2=3))^2 * laplace(scale=3)^2", "0.5", "0.3"),
        ("poisson(rate=1/4, discrete-gaussian(sigma2=3)) * poisson(rate=1/2, laplace(scale=3))", "0.5", "0.3"),
        ("poisson(rate=1/4, discrete-gaussian(sigma2=3)) * discrete-gaussian(sigma2=15)^18", "1", "0.2"),
        ("poisson(rate=1/3, discrete-gaussian(sigma2=3))^3 * approx-dp(epsilon=1, delta=1/1000)^4", "2", "0.2"),
        ("poisson(rate=1/5, gaussian(sigma=1)) * poisson(rate=1/3, randomized-response(epsilon=1))^3", "0.3", "0.1"),
        ("poisson(rate=1/5, gaussian(sigma=1)) * discrete-gaussian(sigma2=3)", "1.3", "0.3"),
    ] {
        let Ok(grid) = Grid::of(&product(text)) else { panic!("{text} has a grid") };
        let (grid, found, budget) = (grid.content_with(Some(1 << 12)), listed(text), Budget::default());
        for side in BOTH {
            let [a, b] = [&grid as &dyn Curve, found.as_ref()]
                .map(|curve| curve.delta(&real(epsilon), side, 64, &budget).expect("a number").enclosure(96));
            assert!(a.overlaps(&b), "{text} {side:?}: {a:?} {b:?}");
            let [a, b] = [&grid as &dyn Curve, found.as_ref()]
                .map(|curve| curve.beta(&real(alpha), side, 64, &budget).expect("a number").enclosure(96));
            assert!(a.overlaps(&b) && b.relative_bits() >= Some(24), "{text} {side:?}: {a:?} {b:?}");
        }
    }
}

/// A sampled response beside lattice noise has no lattice: its losses one by one, beside the curve of the noise, are
/// the same sum.
#[test]
fn responses_beside_lattice_noise_are_sums_over_the_responses() {
    let budget = Budget::default();
    let (rate, x, times) = (real("1/7"), real("exp(sqrt(2))"), 5_u32);
    let kept = Real::one().sub(&rate);
    let share = |odds: &Real| kept.add(&rate.mul(odds).expect("a constant"));
    let ends = [share(&x), share(&real("exp(-sqrt(2))"))].map(|ratio| ratio.ln().expect("a constant"));
    for (noise, epsilon) in [
        ("discrete-gaussian(sigma2=9/2)^2", "0.7"),
        ("geometric(epsilon=1/3, sensitivity=2)^3 * discrete-gaussian(sigma2=3)", "1"),
    ] {
        let text = format!("poisson(rate=1/7, randomized-response(epsilon=sqrt(2)))^{times} * {noise}");
        let inner = curve(&noise.parse().expect("a composition"), Method::Lattice, &budget).expect("an engine");
        let auto = curve(&text.parse().expect("a composition"), Method::Auto, &budget).expect("an engine");
        assert_eq!(auto.method(), "enumeration of listed losses", "{text}");
        let mut sum = Enclosure::zero(160);
        for high in 0..=times {
            let losses = ends[0].mul_rational(&high.into()).add(&ends[1].mul_rational(&(times - high).into()));
            // The Q-mass of either loss is that of the response; `p = q e^l`.
            let one = Enclosure::one(160);
            let q_high = (&x.enclosure(160) + &one).recip();
            let q = q_high.pow(high.into()) * (&one - &q_high).pow((times - high).into());
            let ways = Enclosure::integer(&rug::Integer::from(times).binomial(high), 160);
            let p = &(&q * &ways) * &losses.enclosure(160).exp();
            let at = real(epsilon).sub(&losses);
            sum = &sum + &(&p * &inner.delta(&at, Direction::Forward, 128, &budget).expect("a number").enclosure(160));
        }
        let found = auto.delta(&real(epsilon), Direction::Forward, 110, &budget).expect("a number").enclosure(160);
        assert!(found.overlaps(&sum) && sum.relative_bits() > Some(80), "{text}: {found:?} {sum:?}");
        assert!(found.relative_bits() > Some(80), "{text}: {found:?}");
    }
}

/// A list lacks mass, and says at most how much; with it there is all of it.
#[test]
fn what_is_not_listed_is_counted() {
    let budget = Budget::default();
    let text = "poisson(rate=1/4, discrete-gaussian(sigma2=3)) * discrete-gaussian(sigma2=2)";
    let laws = laws::Laws::of(&product(text), &budget).unwrap_or_else(|why| panic!("{why:?}"));
    for depth in [4, 20, 64] {
        for list in laws.lists(96, depth, &budget).expect("lists") {
            let of = |mass: fn(&crate::compose::grid::Atom) -> &Enclosure, missing: &Enclosure| {
                let sum = list.atoms.iter().fold(Enclosure::zero(160), |sum, atom| &sum + mass(atom));
                assert!(*sum.lower() < 1, "{depth}");
                assert!(*(&sum + missing).upper() >= 1, "{depth}: {sum:?} {missing:?}");
            };
            let [under_p, under_q] = &list.missing;
            of(|atom| &atom.p, under_p);
            of(|atom| &atom.q, under_q);
        }
    }
}

/// With few bits of masses much is missing: counted, the truth is inside; not counted, it is not. And the largest loss
/// that is listed is none that bounds an epsilon.
#[test]
fn no_term_of_the_halves_can_be_left_out() {
    let budget = Budget::default();
    let text = "poisson(rate=1/2, discrete-gaussian(sigma2=1))";
    let halves = Halves::of(&product(text), &budget).unwrap_or_else(|why| panic!("{why:?}"));
    let composition: Composition = text.parse().expect("a composition");
    let truth = curve(&composition, Method::Auto, &budget).expect("an engine");
    let (mut outside, mut open) = (0, 0);
    for fraction in [6, 10, 16] {
        let few = halves.listed(false, fraction, &budget).expect("lists");
        let without_missing = halves.list(Masses::Both, fraction, Enclosure::zero(64), &budget).expect("lists");
        let without_missing = without_missing.without_missing();
        for at in ["-1", "0", "1/2", "1", "3"] {
            let truth = truth.delta(&real(at), Direction::Forward, 96, &budget).expect("a number").enclosure(128);
            let at = real(at).enclosure(96);
            let profile = few.profile(&at, &budget).expect("a number");
            assert!(profile.lower() <= truth.upper() && truth.lower() <= profile.upper(), "{profile:?} {truth:?}");
            let less = without_missing.profile(&at, &budget).expect("a number");
            outside += u32::from(less.upper() < truth.lower());
        }
        let level = Enclosure::rational(&Rational::from((1, 1_000_000)), 96);
        let found = few.inverse(&level, 40, &budget).expect("a set").enclosure(96);
        open += u32::from(!found.is_bounded());
        let Ok(Value::Finite(root)) = truth.epsilon(&real("1e-6"), Direction::Forward, 96, &budget) else {
            panic!("an epsilon")
        };
        let root = root.enclosure(96);
        assert!(found.lower() <= root.upper() && root.lower() <= found.upper(), "{found:?} {root:?}");
    }
    assert!(outside > 0 && open > 0, "{outside} {open}");
}

/// Beside Laplace noise, with few bits: every threshold is a loss of which nobody knows the side.
#[test]
fn no_term_beside_one_laplace_can_be_left_out() {
    let budget = Budget::default();
    let text = "laplace(scale=1) * poisson(rate=1/2, randomized-response(epsilon=sqrt(2)))^3";
    let few = OneLaplace::of(&product(text), &budget).unwrap_or_else(|why| panic!("{why:?}"));
    let composition: Composition = text.parse().expect("a composition");
    let truth = curve(&composition, Method::ClosedForm, &budget).expect("an engine");
    let loss = "ln(1/2 + exp(sqrt(2))/2)";
    for at in ["0", "1/3", "-1", &format!("{loss} - 1"), &format!("3*{loss} - 1"), &format!("3*{loss} - 2")] {
        for (side, backward) in [(Direction::Forward, false), (Direction::Backward, true)] {
            let truth = truth.delta(&real(at), side, 96, &budget).expect("a number").enclosure(128);
            for fraction in [3, 5, 8, 16, 40] {
                let found = few.sum(&real(at), backward, fraction, &budget).expect("a number");
                let holds = found.lower() <= truth.upper() && truth.lower() <= found.upper();
                assert!(holds, "{at} {side:?} {fraction}: {found:?} {truth:?}");
            }
        }
    }
}

/// What would be too long is not begun.
#[test]
fn long_lists_are_refused() {
    for text in [
        "poisson(rate=1/10, discrete-gaussian(sigma2=3))^40",
        "poisson(rate=1/10, discrete-gaussian(sigma2=30))^4 * gaussian(sigma=1)",
        "poisson(rate=1/10, gaussian(sigma=1))^2 * randomized-response(epsilon=1)",
        "gaussian(sigma=1) * poisson(rate=1/10, gaussian(sigma=1)) * randomized-response(epsilon=1)",
        "gaussian(sigma=1)",
        "shuffle(n=1000, epsilon0=1)",
    ] {
        let (product, budget) = (product(text), Budget::default());
        assert!(beside(&product, &budget).is_err() && alone(&product, &budget).is_err(), "{text}");
    }
}

fn composition() -> impl Strategy<Value = String> {
    let discrete = prop_oneof![
        (1..=9u32, 1..=5u32).prop_map(|(r, s)| format!("poisson(rate={r}/10, discrete-gaussian(sigma2={s}/2))")),
        (1..=9u32, 1..=2u32).prop_map(|(s, n)| format!("discrete-gaussian(sigma2={s}/2)^{n}")),
        (1..=9u32).prop_map(|a| format!("finite(p=[{a}/20, 1/4, {}/20], q=[1/2, 1/2, 0])", 15 - a)),
        (1..=9u32, 1..=3u32).prop_map(|(r, n)| format!("poisson(rate={r}/10, randomized-response(epsilon=1))^{n}")),
    ];
    let other = prop_oneof![
        (1..=9u32, 1..=9u32).prop_map(|(r, s)| format!("poisson(rate={r}/10, gaussian(sigma={s}/3))")),
        (1..=9u32).prop_map(|s| format!("gaussian(sigma={s}/3)")),
        (1..=9u32).prop_map(|s| format!("laplace(scale={s}/3) * discrete-gaussian(sigma2=2)")),
        (1..=9u32).prop_map(|s| format!("laplace(scale={s}/3)^2")),
        (1..=9u32).prop_map(|s| format!("laplace(scale={s}/3)")),
        (1..=9u32, 1..=5u32).prop_map(|(r, s)| format!("poisson(rate={r}/10, discrete-gaussian(sigma2={s}))")),
        (1..=9u32, 1..=5u32).prop_map(|(e, d)| format!("approx-dp(epsilon={e}/4, delta={d}/100)")),
    ];
    (discrete, other).prop_map(|(discrete, other)| format!("{discrete} * {other}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Against losses rounded to a grid; and what follows from each other.
    #[test]
    fn random_compositions_agree_with_the_grid(text in composition(), at in -8..=16i32, alpha in 1..=19u32) {
        let Ok(grid) = Grid::of(&product(&text)) else { panic!("{text} has a grid") };
        let (grid, found, budget) = (grid.content_with(Some(1 << 12)), listed(&text), Budget::default());
        let (at, alpha) = (Real::from(Rational::from((at, 4))), Real::from(Rational::from((alpha, 20))));
        for side in BOTH {
            let [a, b] = [&grid as &dyn Curve, found.as_ref()]
                .map(|curve| curve.delta(&at, side, 64, &budget).expect("a number").enclosure(96));
            prop_assert!(a.lower() <= b.upper() && b.lower() <= a.upper(), "{} {:?}: {:?} {:?}", text, side, a, b);
            let error = crate::compose::Edges::around(listed(&text), &product(&text)).expect("edges");
            let error = error.beta(&alpha, side, 64, &budget).expect("a number").enclosure(96);
            // 1 - alpha - x beta(alpha) <= H_x.
            let shown = &(&Enclosure::one(96) - &alpha.enclosure(96)) - &(&at.enclosure(96).exp() * &error);
            prop_assert!(shown.lower() <= b.upper(), "{} {:?}: {:?} {:?}", text, side, shown, b);
        }
    }
}

/// Laplace noise of one scale in polynomials, beside what has a formula, and beside lists that the grid rounds.
#[test]
fn cells_beside_listed_losses() {
    for (text, epsilon, delta, alpha) in [
        ("laplace(scale=2)^5 * randomized-response(epsilon=1/2)^3", "3/4", "1e-2", "0.2"),
        ("laplace(scale=20)^70 * geometric(epsilon=1/9, sensitivity=3)^20", "-1/3", "1e-9", "0.01"),
        ("laplace(scale=3)^4 * finite(p=[1/2,1/3,1/6,0], q=[1/7,39/70,0,3/10])", "1/5", "0.31", "0.2"),
        ("laplace(scale=1/3)^2 * poisson(rate=1/3, randomized-response(epsilon=1))^9", "5", "1/20", "0.2"),
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let truth = curve(&composition, Method::ClosedForm, &Budget::default()).expect("a curve");
        let found = beside_many(&product(text), &Budget::default()).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        for side in BOTH {
            let questions = (epsilon, delta, alpha);
            let both = all(truth.as_ref(), questions, side).into_iter().zip(all(found.as_ref(), questions, side));
            for (a, b) in both {
                assert!(a.overlaps(&b) && b.relative_bits() >= Some(70), "{text} {side:?}: {a:?} {b:?}");
            }
        }
    }
    for (text, at) in [
        ("laplace(scale=15)^80 * discrete-gaussian(sigma2=9) * staircase(epsilon=1/3, gamma=1/2)^9", "1/2"),
        ("laplace(scale=1)^6 * discrete-gaussian(sigma2=9)^2 * poisson(rate=1/9, discrete-gaussian(sigma2=2))", "-2"),
    ] {
        let found = beside_many(&product(text), &Budget::default()).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        let grid = Grid::of(&product(text)).expect("a grid").content_with(Some(1 << 12));
        for side in BOTH {
            let [a, b] = [&grid as &dyn Curve, found.as_ref()]
                .map(|curve| curve.delta(&real(at), side, 60, &Budget::default()).expect("a number").enclosure(200));
            assert!(a.overlaps(&b) && b.relative_bits() >= Some(56), "{text} {side:?}: {a:?} {b:?}");
        }
    }
}

/// What has nothing but a curve: by its values alone, put together by hand.
#[test]
fn curves_of_any_kind_stand_beside_lists() {
    let budget = Budget::default();
    let delta = |text: &str, epsilon: &str, side: Direction| {
        let composition: Composition = text.parse().expect("a composition");
        let curve = curve(&composition, Method::Auto, &budget).expect("a curve");
        (curve.delta(&real(epsilon), side, 60, &budget).expect("a number").enclosure(120), curve.method())
    };
    for alone in [
        "group(k=2, gaussian(sigma=1) * laplace(scale=1))",
        "symmetrize(poisson(rate=1/10, gaussian(sigma=1)))",
        "poisson(rate=1/10, gaussian(sigma=1) * laplace(scale=1))",
        "subsample(rate=1/3, gaussian(sigma=2))",
        "shuffle(n=50, epsilon0=1)",
    ] {
        for side in BOTH {
            let (together, method) = delta(&format!("{alone} * randomized-response(epsilon=ln(3))"), "1/2", side);
            assert_eq!(method, "listed losses beside a curve", "{alone}");
            let [kept, flipped] = ["1/2-ln(3)", "1/2+ln(3)"].map(|epsilon| delta(alone, epsilon, side).0);
            let by_hand = &(&kept.mul_u32(3) + &flipped).shift(-2);
            assert!(together.overlaps(by_hand), "{alone}, {side:?}: {together:?} and {by_hand:?}");
            assert!(together.relative_bits() >= Some(60), "{alone}, {side:?}: {together:?}");
        }
    }
}
