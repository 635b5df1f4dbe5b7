//! The engine against the others, and against digits from elsewhere.

mod aliases;

use std::sync::Arc;

use proptest::prelude::*;
use rug::Rational;

use super::Quadrature;
use super::assemble::factors;
use super::contour::{Contour, Effort};
use super::factor::{Factor, Reversed};
use super::plan::Search;
use crate::compose::{Method, bracket, curve};
use crate::curve::{Curve, Direction, Value};
use crate::mechanism::Composition;
use crate::pair::Product;
use enclosure::{Budget, Enclosure, Real};

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

fn engine(text: &str, method: Method) -> Box<dyn Curve> {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    curve(&composition, method, &Budget::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn real(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn delta(engine: &dyn Curve, epsilon: &str, direction: Direction) -> Enclosure {
    let value = engine.delta(&real(epsilon), direction, 160, &Budget::default());
    value.unwrap_or_else(|error| panic!("{epsilon}: {error}")).enclosure(200)
}

/// Digits that were cut off or rounded somewhere: the truth is within one unit of the last.
fn near(digits: &str) -> Enclosure {
    let value = real(digits).as_rational().cloned().unwrap_or_default();
    let mantissa = digits.split('e').next().unwrap_or(digits);
    let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len()) as i32;
    let exponent: i32 = digits.split_once('e').map_or(0, |(_, exponent)| exponent.parse().unwrap_or(0));
    let unit = Rational::from(rug::ops::Pow::pow(&Rational::from(10), exponent - places));
    let end = |x: Rational| Enclosure::rational(&x, 300);
    end(Rational::from(&value - &unit)).hull(&end(value + unit))
}

/// Geometric and staircase noise of many steps has no list, and is what it is with one; on both contours.
#[test]
fn noise_of_many_steps_has_a_closed_form() {
    let gaussian = || Arc::new(super::factor::GaussianFactor::new(real("1/9")).expect("noise")) as Arc<dyn Factor>;
    for text in [
        "geometric(epsilon=1/500, sensitivity=400)",
        "staircase(epsilon=1/500, gamma=1/3, sensitivity=300)",
        "staircase(epsilon=1/20, gamma=4/5, sensitivity=200)",
    ] {
        let composition: Composition = text.parse().expect(text);
        let product = Product::new(composition.pairs().expect("pairs"));
        let mut parts = factors(&product).expect("a list");
        let (listed, _) = parts.pop().expect("one factor");
        assert!(parts.is_empty(), "{text}");
        let listed = Quadrature::new(vec![(listed, 2), (gaussian(), 1)], true);
        let closed = format!("{text}^2 * gaussian(sigma=3)");
        for epsilon in ["0", "1/3", "2", "-1"] {
            let by_list = delta(&listed, epsilon, Direction::Forward);
            for method in [Method::Quadrature, Method::SecondContour] {
                let value = delta(&*engine(&closed, method), epsilon, Direction::Forward);
                assert!(value.overlaps(&by_list), "{closed} {epsilon}: {value:?} {by_list:?}");
                assert!(value.relative_bits().is_some_and(|known| known > 100), "{closed} {epsilon}: {value:?}");
            }
        }
    }
    // Far more steps than a list has.
    let [one, other] = [Method::Auto, Method::SecondContour].map(|method| {
        delta(&*engine("geometric(epsilon=1e-6, sensitivity=10^6) * gdp(mu=1)", method), "0", Direction::Backward)
    });
    assert!(one.overlaps(&other) && one.relative_bits().is_some_and(|known| known > 100), "{one:?} {other:?}");
}

/// What costs nothing never says that a profile is less than it is, and tells what is far below.
#[test]
fn chernoffs_bound_is_above_the_profile() {
    let budget = Budget::default();
    let mut told = 0;
    for text in [
        "poisson(rate=0.01, gaussian(sigma=1))^1000",
        "gdp(mu=1) * laplace(scale=2)^3",
        "poisson(rate=1/2, laplace(scale=1))^9 * gdp(mu=1/2) * approx-dp(epsilon=1/10, delta=1/100)",
    ] {
        let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let product = Product::new(composition.pairs().expect("pairs"));
        let product = Product { failures: Vec::new(), ..product };
        let Ok(found) = Quadrature::of(&product) else { panic!("{text} has a contour") };
        for direction in BOTH {
            for epsilon in ["-1", "0", "1/2", "1", "3"] {
                let truth = delta(&found, epsilon, direction);
                for power in 1..=8 {
                    let at_most = |level: &Enclosure| {
                        found.is_at_most(&real(epsilon), direction, level, &budget).expect("no alarm")
                    };
                    let part = Enclosure::rational(&Rational::from((99, 100)), 200);
                    assert!(!at_most(&(&truth * &part)) && !at_most(&truth.shift(-power)), "{text} {epsilon}");
                    told += u32::from(at_most(&truth.shift(power)));
                }
            }
        }
    }
    assert!(told > 40, "{told}");
}

/// Where the bound is least its moment is out of reach; a far smaller tilt does.
#[test]
fn chernoffs_bound_takes_a_tilt_that_is_cheap() {
    let composition: Composition = "poisson(rate=1e-6, gaussian(sigma=1))^100000".parse().expect("a composition");
    let Ok(found) = Quadrature::of(&Product::new(composition.pairs().expect("pairs"))) else { panic!("no contour") };
    let at_most = |epsilon: &str, level: &str| {
        let level = real(level).enclosure(64);
        found.is_at_most(&real(epsilon), Direction::Backward, &level, &Budget::default()).expect("no alarm")
    };
    assert!(at_most("1/10", "7e-31") && at_most("1/10", "1e-300"));
    assert!(!at_most("1/1000", "1e-30"));
}

/// Where a rare large loss bends the moment generating function, the saddle point is far beyond the epsilon, which is
/// where the profile comes down to the delta all the same; and also far out, where it is beyond that loss.
#[test]
fn epsilons_of_rare_losses_are_where_the_profile_comes_down() {
    let rare = engine("poisson(rate=1e-6, gaussian(sigma=1))^100000", Method::Quadrature);
    for target in ["1e-6", "1e-30"] {
        let found = rare.epsilon(&real(target), Direction::Forward, 40, &Budget::default()).expect("an epsilon");
        let Value::Finite(found) = found else { panic!("{target}: no end of the losses") };
        let (found, goal) = (found.enclosure(200), real(target).enclosure(200));
        let at = |end: &rug::Float| {
            let end = end.to_rational().expect("a number");
            delta(rare.as_ref(), &end.to_string(), Direction::Forward)
        };
        assert!(at(found.lower()).upper() >= goal.lower(), "{target}: {found:?}");
        assert!(at(found.upper()).lower() <= goal.upper(), "{target}: {found:?}");
        assert!(found.relative_bits() > Some(30), "{target}: {found:?}");
    }
}

/// Where one rare large loss among many draws reaches the epsilon, of whose profile the saddle knows nothing: all
/// digits that searches on lines of their own for each value found.
#[test]
fn epsilons_of_rare_losses_have_their_digits() {
    for (text, target, low, high) in [
        ("poisson(rate=1e-6, gaussian(sigma=3/5))^100000", "1e-8", "0.01490841272208197", "0.01490841272208198"),
        ("poisson(rate=1e-6, gaussian(sigma=3/5))^1000000", "1e-10", "0.1019898062015445", "0.1019898062015446"),
        ("poisson(rate=1e-5, gaussian(sigma=4/5))^100000", "1e-10", "0.04546132539641009", "0.0454613253964101"),
    ] {
        let found = engine(text, Method::Quadrature)
            .epsilon(&real(target), Direction::Forward, 89, &Budget::default())
            .expect("an epsilon");
        let Value::Finite(found) = found else { panic!("{target}: no end of the losses") };
        let (found, truth) = (found.enclosure(200), real(low).enclosure(200).hull(&real(high).enclosure(200)));
        assert!(found.relative_bits() >= Some(57), "{text}: {found:?}");
        assert!(truth.lower() <= found.lower() && found.upper() <= truth.upper(), "{text}: {found:?}");
    }
}

/// Values alone, in integers of 128 bits and not, have the digits that they were asked for, less what is allowed for,
/// and are those of other contours.
#[test]
fn values_that_the_saddle_overrates_have_their_digits() {
    for (text, epsilon) in [
        ("poisson(rate=1e-6, gaussian(sigma=4/5))^1000000", "1/100"),
        ("poisson(rate=1e-6, gaussian(sigma=3/5))^1000000", "1/10"),
        ("poisson(rate=1e-6, gaussian(sigma=3/5))^1000000", "1/2"),
    ] {
        let [first, second] = [Method::Quadrature, Method::SecondContour].map(|method| {
            let value = engine(text, method).delta(&real(epsilon), Direction::Forward, 89, &Budget::default());
            value.expect("a value").enclosure(200)
        });
        assert!(first.overlaps(&second), "{text}: {first:?} {second:?}");
        for value in [first, second] {
            assert!(value.relative_bits() >= Some(57), "{text}: {value:?}");
        }
    }
}

/// A line of more bits that is out of reach leaves what another one proved.
#[test]
fn lines_out_of_reach_leave_what_others_proved() {
    let found = engine("poisson(rate=1e-7, gaussian(sigma=3/5))^300000", Method::Quadrature);
    let ask = |bytes: u64| {
        let value = found.delta(&real("1/100"), Direction::Forward, 89, &Budget::default().with_max_bytes(bytes));
        value.map(|value| value.enclosure(200))
    };
    let Ok(few) = ask(24 << 20) else { panic!("the first line is within reach") };
    let all = ask(1 << 30).expect("all bits");
    assert!(few.overlaps(&all), "{few:?} {all:?}");
    let bits = [few, all].map(|value| value.relative_bits().unwrap_or(0));
    assert!((40..57).contains(&bits[0]) && bits[1] >= 57, "{bits:?}");
}

/// Two published values of other implementations, in both directions of one of them.
#[test]
fn subsampled_gaussians_have_their_golden_digits() {
    let sgd = engine("poisson(rate=0.01, gaussian(sigma=1))^1000", Method::Quadrature);
    for (direction, digits) in [
        (Direction::Forward, "2.612420578626923815571174268811966e-3"),
        (Direction::Backward, "7.945901735717182519953604361478485e-4"),
    ] {
        let value = delta(sgd.as_ref(), "1", direction);
        assert!(value.overlaps(&near(digits)) && value.relative_bits() > Some(110), "{value:?}");
    }
    let rare = engine("poisson(rate=0.001, gaussian(sigma=0.8))^10000", Method::Quadrature);
    let value = delta(rare.as_ref(), "1", Direction::Forward);
    assert!(value.overlaps(&near("5.319591377974665048148642988924303e-7")), "{value:?}");
}

/// Many nodes in integers of 128 bits and, for more digits, in discs: the same numbers on all sides of the poles.
#[test]
fn long_integers_and_discs_agree() {
    let budget = Budget::default();
    for (text, epsilon) in [
        ("poisson(rate=0.02, gaussian(sigma=0.6))^60", "2"),
        ("poisson(rate=0.05, gaussian(sigma=0.6))^30 * randomized-response(epsilon=0.3)^2", "2"),
        ("poisson(rate=0.2, gaussian(sigma=0.5))^12", "1/2"),
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let product = Product::new(composition.pairs().expect("pairs"));
        let factors = factors(&product).expect("factors");
        let at = real(epsilon);
        let plan = Search::new(&factors).plan(at.to_f64(), 77.0);
        let contour = Contour::new(&factors, None, (&plan, Effort::Full, false), &budget, |_| ()).expect("a line");
        assert!(contour.is_long(), "{text}");
        let engine = Quadrature::of(&product).expect("an engine");
        for direction in BOTH {
            let [few, many] =
                [89, 140].map(|bits| engine.delta(&at, direction, bits, &budget).expect("a number").enclosure(250));
            assert!(few.overlaps(&many), "{text} {direction:?}: {few:?} {many:?}");
            let proven = [&few, &many].map(|value| value.relative_bits().unwrap_or(0));
            assert!(proven[0] >= 57 && proven[1] > 100, "{text} {direction:?}: {proven:?}");
        }
    }
}

/// The heterogeneous composition of Su, Su and Wang's 2022-08 allocation, which was computed by convolution at 420
/// bits.
#[test]
fn census_composition_has_its_golden_digits() {
    let parts = [(20, 10), (274, 10), (85, 10), (131, 20), (238, 10), (118, 10), (3, 10)];
    let text: Vec<String> =
        parts.iter().map(|(a, n)| format!("discrete-gaussian(sigma2=500000/{})^{n}", 365 * a)).collect();
    let census = engine(&text.join(" * "), Method::Quadrature);
    for (epsilon, digits) in [
        ("20.838545", "2.89165695269062021324428529032646251432e-11"),
        ("21.97", "1.663389574401044135892647647916273222055e-12"),
        ("18", "1.771709658466493279005378931914680975822e-8"),
        ("10", "0.004567884368767843407245789127020428034211"),
    ] {
        assert!(delta(census.as_ref(), epsilon, Direction::Forward).overlaps(&near(digits)), "{epsilon}");
    }
    let epsilon = census.epsilon(&real("1e-10"), Direction::Forward, 120, &Budget::default()).expect("a number");
    let Value::Finite(epsilon) = epsilon else { panic!("infinite") };
    assert!(epsilon.enclosure(130).overlaps(&near("20.32468975078972628513583424534909329025")));
}

/// One composition by two methods: all quantities, both directions.
fn agree(text: &str, first: Method, second: Method, epsilons: &[&str]) {
    let budget = Budget::default();
    let engines = [engine(text, first), engine(text, second)];
    for direction in BOTH {
        for epsilon in epsilons {
            let [a, b] = engines.each_ref().map(|engine| delta(engine.as_ref(), epsilon, direction));
            assert!(a.overlaps(&b), "{text} delta({epsilon}) {direction:?}: {a:?} {b:?}");
        }
        for alpha in ["1/1000", "1/3", "1/2", "9/10"] {
            let [a, b] = engines.each_ref().map(|engine| {
                engine
                    .beta(&real(alpha), direction, 120, &budget)
                    .unwrap_or_else(|error| panic!("{error}"))
                    .enclosure(150)
            });
            assert!(a.overlaps(&b), "{text} beta({alpha}) {direction:?}: {a:?} {b:?}");
            assert!(a.relative_bits() > Some(40), "{text} beta({alpha}) {direction:?}: {a:?}");
        }
        for level in ["0", "1/3", "1/1000", "1e-9"] {
            let [a, b] = engines.each_ref().map(|engine| {
                match engine
                    .epsilon(&real(level), direction, 100, &budget)
                    .unwrap_or_else(|error| panic!("{text} epsilon({level}) {direction:?}: {error}"))
                {
                    Value::Finite(number) => Some(number.enclosure(130)),
                    Value::Infinite => None,
                }
            });
            match (a, b) {
                (Some(a), Some(b)) => assert!(a.overlaps(&b), "{text} epsilon({level}) {direction:?}: {a:?} {b:?}"),
                (a, b) => assert!(a.is_none() && b.is_none(), "{text} epsilon({level}) {direction:?}"),
            }
        }
    }
}

#[test]
fn quadrature_and_formulas_agree() {
    let epsilons = ["-3", "-1/10", "0", "1/7", "1", "5/2"];
    agree("gaussian(sigma=2)^3", Method::Quadrature, Method::ClosedForm, &epsilons);
    agree("approx-dp(epsilon=1/10, delta=1/1000)^30", Method::Quadrature, Method::ClosedForm, &epsilons);
    agree("randomized-response(epsilon=ln(3/2))^5", Method::Quadrature, Method::ClosedForm, &epsilons);
    // Single samples decay slowly.
    agree("poisson(rate=1/5, gaussian(sigma=2))", Method::Quadrature, Method::ClosedForm, &["-1/10", "1/7"]);
    agree("poisson(rate=99/100, gaussian(sigma=3))", Method::Quadrature, Method::ClosedForm, &["-1/10", "1"]);
}

/// Samples of a fixed size on two contours; within what a coarse grid knows of them by their profile alone; and one of
/// them beside so little noise that it is hardly there, against the closed form of its own, which that cannot exceed by
/// much and not fall short of.
#[test]
fn samples_of_a_fixed_size_are_what_others_say() {
    let budget = Budget::default();
    for (text, epsilons) in [
        ("subsample(rate=1/100, gaussian(sigma=1))^1000", ["-1/2", "0", "1", "2"]),
        ("subsample(rate=1/2, gaussian(sigma=2))^60", ["-1", "1/3", "2", "6"]),
        ("subsample(rate=1/10, gaussian(sigma=1))^3 * gaussian(sigma=2) * laplace(scale=3)", ["-1/3", "0", "1", "3"]),
        ("subsample(rate=1/5, laplace(scale=2))^1000", ["-1", "0", "1", "2"]),
        (
            "subsample(rate=1/20, gaussian(sigma=1) * gaussian(sigma=2))^200 * approx-dp(epsilon=1/9, delta=1/99)^2",
            ["0", "1/2", "1", "2"],
        ),
        (
            "subsample(rate=1/20, gaussian(sigma=1))^99 * poisson(rate=1/20, gaussian(sigma=1))^99",
            ["0", "1/2", "1", "2"],
        ),
    ] {
        agree(text, Method::Quadrature, Method::SecondContour, &epsilons);
        let composition: Composition = text.parse().expect("a composition");
        let grid = bracket(&composition).expect("no alarm").expect("a grid");
        let exact = engine(text, Method::Quadrature);
        for epsilon in epsilons {
            for direction in BOTH {
                let value = delta(exact.as_ref(), epsilon, direction);
                let wide = grid.delta(&real(epsilon), direction, 64, &budget).expect("a number").enclosure(200);
                assert!(wide.overlaps(&value), "{text} {epsilon}: {value:?} {wide:?}");
                assert!(value.relative_bits() > Some(100), "{text} {epsilon}: {value:?}");
            }
        }
    }
    for inside in ["gaussian(sigma=1)", "gaussian(sigma=3)", "laplace(scale=1)"] {
        for (rate, epsilon) in [("1/10", "1/20"), ("1/2", "1/3"), ("9/10", "1")] {
            let one = engine(&format!("subsample(rate={rate}, {inside})"), Method::ClosedForm);
            let beside = engine(&format!("subsample(rate={rate}, {inside}) * gaussian(sigma=50)"), Method::Quadrature);
            let [one, beside] = [one, beside].map(|curve| delta(curve.as_ref(), epsilon, Direction::Forward));
            let noise = engine("gaussian(sigma=50)", Method::ClosedForm);
            let more = delta(noise.as_ref(), "0", Direction::Forward);
            assert!(beside.lower() >= one.upper(), "{inside} {rate}: {one:?} {beside:?}");
            assert!(beside.upper() <= (&one + &more).lower(), "{inside} {rate}: {one:?} {beside:?} {more:?}");
        }
    }
}

/// The larger one of both orders, often: two contours; and one of them beside a little noise, against its own curve.
#[test]
fn symmetrized_samples_are_what_others_say() {
    for (text, epsilons) in [
        ("symmetrize(poisson(rate=1/10, gaussian(sigma=1)))^100", ["-1/20", "0", "1/2", "1"]),
        ("symmetrize(poisson(rate=1/1000, gaussian(sigma=1)))^10000", ["-1/50", "0", "1/50", "1/10"]),
        ("symmetrize(poisson(rate=1/5, laplace(scale=1)))^3000", ["-1", "0", "1", "2"]),
        ("symmetrize(poisson(rate=1/2, gaussian(sigma=1/3)))^3 * gaussian(sigma=2)", ["-1/3", "0", "1", "3"]),
    ] {
        agree(text, Method::Quadrature, Method::SecondContour, &epsilons);
    }
    for inside in ["gaussian(sigma=1)", "gaussian(sigma=3)", "laplace(scale=1)"] {
        for (rate, epsilon) in [("1/10", "1/50"), ("1/2", "1/9"), ("9/10", "1/8")] {
            let text = format!("symmetrize(poisson(rate={rate}, {inside}))");
            let one = engine(&text, Method::ClosedForm);
            let beside = engine(&format!("{text} * gaussian(sigma=50)"), Method::Quadrature);
            let [one, beside] = [one, beside].map(|curve| delta(curve.as_ref(), epsilon, Direction::Forward));
            let more = delta(engine("gaussian(sigma=50)", Method::ClosedForm).as_ref(), "0", Direction::Forward);
            assert!(beside.lower() >= one.upper(), "{inside} {rate}: {one:?} {beside:?}");
            assert!(beside.upper() <= (&one + &more).lower(), "{inside} {rate}: {one:?} {beside:?} {more:?}");
        }
    }
}

/// At the mass at infinity, epsilon is the largest loss; it is infinite only where losses are unbounded.
#[test]
fn without_slack_epsilon_is_the_largest_loss() {
    let budget = Budget::default();
    let epsilon = |text: &str, level: &str, direction| {
        let engine = engine(text, Method::Quadrature);
        engine.epsilon(&real(level), direction, 128, &budget).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    for (text, level, largest) in [
        ("laplace(scale=1)", "0", "1"),
        ("laplace(scale=1) * laplace(scale=2)", "0", "3/2"),
        ("laplace(scale=1/3)^2 * randomized-response(epsilon=1/7)^3", "0", "45/7"),
        ("approx-dp(epsilon=1, delta=1/10) * laplace(scale=1)", "1/10", "2"),
        ("geometric(epsilon=1/2)^3 * laplace(scale=4)", "0", "7/4"),
        ("poisson(rate=1/2, laplace(scale=1)) * laplace(scale=1)", "0", "1+ln(1/2+exp(1)/2)"),
    ] {
        let Value::Finite(known) = epsilon(text, level, Direction::Forward) else { panic!("{text}: infinite") };
        let known = known.enclosure(128);
        let largest = real(largest).enclosure(128);
        assert!(known.overlaps(&largest) && known.relative_bits() > Some(40), "{text}: {known:?} {largest:?}");
        // Beyond the largest loss nothing is left but infinity.
        let engine = engine(text, Method::Quadrature);
        let beyond =
            engine.delta(&real("10"), Direction::Forward, 64, &budget).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(beyond.exact().cloned(), real(level).as_rational().cloned(), "{text}");
    }
    for text in ["laplace(scale=1) * gaussian(sigma=9)", "laplace(scale=1) * discrete-gaussian(sigma2=9)"] {
        assert!(matches!(epsilon(text, "0", Direction::Forward), Value::Infinite), "{text}");
    }
    // Losses of a record that is added are bounded by -ln(1 - rate); those of one removed are not.
    let sampled = "poisson(rate=1/2, gaussian(sigma=1))^3 * laplace(scale=1)";
    assert!(matches!(epsilon(sampled, "0", Direction::Forward), Value::Infinite));
    let Value::Finite(known) = epsilon(sampled, "0", Direction::Backward) else { panic!("{sampled}: infinite") };
    assert!(known.enclosure(128).overlaps(&real("1+3*ln(2)").enclosure(128)), "{known:?}");
}

/// Every delta is at most 1, so nothing is lost at delta = 1; not even where the losses are certainly infinite.
#[test]
fn at_delta_one_epsilon_is_zero() {
    for text in [
        "geometric(epsilon=ln(3/2)) * approx-dp(epsilon=1, delta=1)",
        "approx-dp(epsilon=1, delta=1) * laplace(scale=1) * laplace(scale=2)",
        "approx-dp(epsilon=1, delta=1) * poisson(rate=1/2, gaussian(sigma=1))^2",
        "laplace(scale=1) * gaussian(sigma=1)",
    ] {
        for method in [Method::Auto, Method::Quadrature, Method::SecondContour, Method::Grid] {
            let epsilon = engine(text, method).epsilon(&real("1"), Direction::Forward, 64, &Budget::default());
            match epsilon.unwrap_or_else(|error| panic!("{text} {method:?}: {error}")) {
                Value::Finite(zero) => {
                    assert!(zero.exact().is_some_and(rug::Rational::is_zero), "{text} {method:?}: {zero:?}")
                }
                Value::Infinite => panic!("{text} {method:?}: infinite"),
            }
        }
    }
}

#[test]
fn quadrature_and_lattice_agree() {
    let epsilons = ["-2", "0", "1/2", "3/2", "4"];
    for text in [
        "discrete-gaussian(sigma2=3)^4 * discrete-gaussian(sigma2=5/2, sensitivity=2)^2",
        "discrete-gaussian(sigma2=4)^2 * randomized-response(epsilon=1/4)^5 * geometric(epsilon=1/2, sensitivity=3)",
        "staircase(epsilon=1/2, gamma=1/3, sensitivity=2)^3 * approx-dp(epsilon=1, delta=1/100)^2",
        "finite(p=[2/3,1/6,1/6], q=[1/3,1/3,1/3])^2",
        "finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4])^3",
    ] {
        agree(text, Method::Quadrature, Method::Lattice, &epsilons);
    }
}

#[test]
fn two_contours_agree() {
    let epsilons = ["-1", "0", "1/2", "2"];
    for text in [
        "poisson(rate=1/100, gaussian(sigma=1))^50 * gaussian(sigma=3)",
        "gaussian(sigma=1) * laplace(scale=2)^3",
        "gaussian(sigma=2) * randomized-response(epsilon=1)^3 * discrete-gaussian(sigma2=7/3)",
    ] {
        agree(text, Method::Quadrature, Method::SecondContour, &epsilons);
    }
}

/// Hundreds of runs of Laplace noise, or of samples of it: their modulus does not fall to nothing, but far enough. The
/// formula of Laplace noise alone, and two contours of samples and of mixtures.
#[test]
fn many_runs_of_laplace_noise_have_their_digits() {
    for (text, other, epsilons) in [
        ("laplace(scale=3)^300", Method::ClosedForm, ["10", "25"]),
        ("laplace(scale=10)^600", Method::ClosedForm, ["0", "5"]),
        ("poisson(rate=1/10, laplace(scale=1))^100", Method::SecondContour, ["1/2", "1"]),
        ("poisson(rate=1/8, laplace(scale=2))^150 * laplace(scale=30)^100", Method::SecondContour, ["1", "3"]),
    ] {
        let engines = [engine(text, Method::Quadrature), engine(text, other)];
        for epsilon in epsilons {
            let [a, b] = engines.each_ref().map(|engine| {
                let delta = engine.delta(&real(epsilon), Direction::Forward, 80, &Budget::default());
                delta.unwrap_or_else(|error| panic!("{text} delta({epsilon}): {error}")).enclosure(150)
            });
            assert!(a.overlaps(&b), "{text} delta({epsilon}): {a:?} {b:?}");
            assert!(a.relative_bits() >= Some(50), "{text} delta({epsilon}): {a:?}");
        }
    }
}

/// What lines take for granted of every factor: its finite losses have all but the masses at infinity, under P and
/// under Q.
#[test]
fn moments_at_both_poles_are_the_finite_masses() {
    for text in [
        "gaussian(sigma=2)",
        "laplace(scale=3/2)",
        "discrete-gaussian(sigma2=7/3, sensitivity=2)",
        "randomized-response(epsilon=sqrt(2))",
        "approx-dp(epsilon=1/3, delta=1/7)",
        "geometric(epsilon=1/2, sensitivity=3)",
        "staircase(epsilon=1, gamma=1/3, sensitivity=2)",
        "finite(p=[1/2,1/3,1/6,0], q=[1/4,1/2,0,1/4])",
        "poisson(rate=1/9, gaussian(sigma=3/4))",
        "poisson(rate=2/3, laplace(scale=2))",
    ] {
        let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let product = Product::new(composition.pairs().expect("pairs"));
        let factors = factors(&product).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
        for (factor, _) in factors {
            let reversed: Arc<dyn Factor> = Arc::new(Reversed(Arc::clone(&factor)));
            for factor in [factor, reversed] {
                for (c, infinite) in [(0, factor.infinite_p(128)), (-1, factor.infinite_q(128))] {
                    let moment = factor.moment(&Rational::from(c), 128, &Budget::default());
                    let moment = moment.unwrap_or_else(|error| panic!("{text} {c}: {error}"));
                    let finite = &Enclosure::one(128) - &infinite.enclosure(128);
                    let name = factor.name();
                    assert!(moment.overlaps(&finite), "{name} of {text}, M({c}): {moment:?} {finite:?}");
                    assert!(moment.relative_bits() > Some(100), "{name} of {text}, M({c}): {moment:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Random discrete Gaussians of random kinds, anywhere on the axis: the arrays and the contour must meet.
    #[test]
    fn random_lattices_agree(
        draws in prop::collection::vec((1i64..60, 1i64..12, 1u64..4, 1u32..4), 1..4), numer in -80i64..120,
    ) {
        let text: Vec<String> = draws
            .iter()
            .map(|(p, q, reach, times)| format!("discrete-gaussian(sigma2={p}/{q}, sensitivity={reach})^{times}"))
            .collect();
        let text = text.join(" * ");
        let epsilon = format!("{numer}/13");
        let [a, b] = [Method::Quadrature, Method::Lattice]
            .map(|method| delta(engine(&text, method).as_ref(), &epsilon, Direction::Forward));
        prop_assert!(a.overlaps(&b), "{text} at {epsilon}: {a:?} {b:?}");
    }

    /// `delta_f(eps) = 1 - e^eps + e^eps delta_b(-eps)` for any pair without mass at infinity.
    ///
    /// With less noise, or a few steps, the integrand decays so slowly that the engine refuses this many digits.
    #[test]
    fn directions_are_dual(rate in 1i64..99, sigma in 8i64..40, times in 20u32..300, numer in -20i64..40) {
        let sgd = engine(&format!("poisson(rate={rate}/100, gaussian(sigma={sigma}/10))^{times}"), Method::Quadrature);
        let (epsilon, minus) = (format!("{numer}/10"), format!("{}/10", -numer));
        let forward = delta(sgd.as_ref(), &epsilon, Direction::Forward);
        let backward = delta(sgd.as_ref(), &minus, Direction::Backward);
        let x = real(&epsilon).enclosure(300).exp();
        let dual = &(&Enclosure::one(300) - &x) + &(&x * &backward);
        prop_assert!(forward.overlaps(&dual), "{forward:?} {dual:?}");
    }
}

/// Both directions of a pair without mass at infinity are one function, also where the integrand decays slowly and few
/// digits are within reach: little noise, and few steps.
#[test]
fn directions_are_dual_to_few_digits() {
    let budget = Budget::default();
    for (text, epsilons) in [
        ("poisson(rate=1/3, gaussian(sigma=4/5))^3", ["-1/2", "1"]),
        ("poisson(rate=1/5, gaussian(sigma=1))^2", ["-1/3", "1"]),
        ("poisson(rate=1/10, gaussian(sigma=1/2))^5", ["-1/2", "-1/3"]),
        ("poisson(rate=1/100, gaussian(sigma=1/2))^20", ["-1/9", "1"]),
        ("poisson(rate=9/10, gaussian(sigma=1/2))^20", ["1", "9"]),
    ] {
        let sgd = engine(text, Method::Quadrature);
        for epsilon in epsilons {
            let ask = |at: &Real, direction| {
                let value = sgd.delta(at, direction, 16, &budget);
                value.unwrap_or_else(|error| panic!("{text} at {epsilon}: {error}")).enclosure(64)
            };
            let epsilon = real(epsilon);
            let forward = ask(&epsilon, Direction::Forward);
            let backward = ask(&epsilon.neg(), Direction::Backward);
            let x = epsilon.enclosure(128).exp();
            let dual = &(&Enclosure::one(128) - &x) + &(&x * &backward);
            assert!(forward.overlaps(&dual), "{text} at {epsilon}: {forward:?} {dual:?}");
            assert!(forward.relative_bits() > Some(8), "{text} at {epsilon}: {forward:?}");
        }
    }
}

/// The maximum that a type II error is may lie farther from the first guess than a parabola of few bits tells: it is
/// found all the same, and in both directions it is one function, its own inverse's inverse.
#[test]
fn a_maximum_is_found_far_from_the_guess() {
    let budget = Budget::default();
    let alpha = real("3/25");
    let sgd = engine("poisson(rate=0.00182, gaussian(sigma=0.56))^180", Method::Quadrature);
    for direction in BOTH {
        let beta = sgd.beta(&alpha, direction, 80, &budget).expect("a number").enclosure(128);
        assert!(beta.relative_bits() > Some(50), "{direction:?}: {beta:?}");
        // Read off the other direction's curve, the same point.
        let other = if direction == Direction::Forward { Direction::Backward } else { Direction::Forward };
        let ends = [beta.lower(), beta.upper()].map(|end| Real::from(end.to_rational().expect("finite")));
        let [above, below] = ends.map(|end| sgd.beta(&end, other, 80, &budget).expect("a number").enclosure(128));
        let alpha = alpha.enclosure(128);
        assert!(below.lower() <= alpha.upper() && alpha.lower() <= above.upper(), "{direction:?}: {below:?} {above:?}");
    }
}

/// A discrete Gaussian on a sample, beside Gaussian noise: outcome by outcome of the sample, the profile of the
/// Gaussian.
#[test]
fn sampled_discrete_gaussians_agree_with_their_sum() {
    let budget = Budget::default();
    let noise = engine("gaussian(sigma=2)", Method::ClosedForm);
    for (rate, sigma2, shift, text) in [
        ("3/10", 1, 1, "gaussian(sigma=2) * poisson(rate=3/10, discrete-gaussian(sigma2=1))"),
        ("1/50", 6, 3, "gaussian(sigma=2) * poisson(rate=1/50, discrete-gaussian(sigma2=6, sensitivity=3))"),
    ] {
        let quadrature = engine(text, Method::Quadrature);
        let bell = |m: i64| (-Enclosure::rational(&Rational::from((m * m, 2 * sigma2)), 300)).exp();
        // The rest of the masses is below e^-300.
        let places = -70..=70_i64;
        let theta = places.clone().fold(Enclosure::zero(300), |sum, m| &sum + &bell(m));
        for direction in BOTH {
            for epsilon in ["-1/5", "0", "1/2", "2"] {
                let mut sum = Enclosure::zero(300);
                for m in places.clone() {
                    let inner = Real::from(Rational::from((shift * (2 * m - shift), 2 * sigma2)));
                    let odds = real(rate).mul(&inner.exp().expect("a constant").sub(&Real::one())).expect("a constant");
                    let ratio = Real::one().add(&odds);
                    let loss = ratio.ln().expect("a constant");
                    let q = &bell(m) / &theta;
                    // Backward the roles change over, and the loss its sign.
                    let (mass, loss) = match direction {
                        Direction::Backward => (q, loss.neg()),
                        _ => (&q * &ratio.enclosure(300), loss),
                    };
                    let at = real(epsilon).sub(&loss);
                    let inside = noise.delta(&at, Direction::Forward, 200, &budget).expect("a number").enclosure(300);
                    sum = &sum + &(&mass * &inside);
                }
                let set = delta(quadrature.as_ref(), epsilon, direction);
                let rest = Enclosure::rational(&(Rational::from(1) >> 400_u32), 300);
                assert!(set.overlaps(&sum.hull(&(&sum + &rest))), "{text} {epsilon} {direction:?}: {set:?} {sum:?}");
                assert!(set.relative_bits() > Some(60), "{text} {epsilon} {direction:?}: {set:?}");
            }
        }
    }
}

/// A search whose time is up knows no moment, and leaves nothing behind for others; nor is there a line of it.
#[test]
fn a_search_ends_with_its_time() {
    let composition: Composition = "poisson(rate=1/100, gaussian(sigma=1))^9".parse().expect("a composition");
    let factors = factors(&Product::new(composition.pairs().expect("pairs"))).expect("factors");
    let (over, known) = (Budget::new(1 << 20, Some(std::time::Duration::ZERO)), super::plan::Known::default());
    let search = || Search::new(&factors).remembering(&known);
    let plan = search().within(&over).plan(1.0, 60.0);
    assert_eq!((plan.cost, search().within(&over).log_moment(1.0)), (f64::INFINITY, f64::INFINITY));
    assert!(known.lock().expect("a lock").is_empty());
    let plan = search().plan(1.0, 60.0);
    let unlimited = Budget::default();
    let (alone, within) = (Search::new(&factors).plan(1.0, 60.0), search().within(&unlimited).plan(1.0, 60.0));
    assert!(plan.cost.is_finite() && plan.cost == alone.cost && plan.cost == within.cost);
    let curve = Quadrature::new(factors, false);
    for direction in BOTH {
        let found = [curve.delta(&real("1/50"), direction, 60, &over), curve.beta(&real("1/10"), direction, 60, &over)];
        assert!(found.iter().all(|found| matches!(found, Err(crate::Error::Undecided(_)))), "{found:?}");
        assert!(curve.epsilon(&real("1/1000"), direction, 60, &over).is_err());
    }
}
