//! Polygons on both sides of what is known exactly, and their compositions.

use rug::Rational;

use super::points::{Point, Tangent};
use super::*;
use crate::compose::derived;
use crate::compose::reference::real;
use crate::curve::Direction;
use crate::mechanism::Composition;
use crate::pair::{Derived, Factors, Operator};

fn factors(text: &str) -> Factors {
    text.parse::<Composition>().expect(text).pairs().expect(text)
}

/// The same pair under an operator that nobody looks through.
fn under(operator: Operator, text: &str) -> Pair {
    Derived::of(operator, vec![factors(text)]).expect(text)
}

/// Of pairs in fractions the trade-off function is there as a whole: one polygon is nowhere below it, the other nowhere
/// above it, whether it begins at 1 or ends early, is straight or has corners.
#[test]
fn polygons_are_on_both_sides() {
    let budget = Budget::default();
    for text in [
        "finite(p=[1/2,1/4,1/4,0], q=[1/3,1/3,0,1/3])",
        "finite(p=[1/4,3/4], q=[1/2,1/2])",
        "finite(p=[1/10,2/10,3/10,4/10], q=[4/10,3/10,2/10,1/10])",
        "approx-dp(epsilon=ln(3), delta=1/10)",
        "approx-dp(epsilon=0, delta=1/2)",
        "finite(p=[1/1000000,999999/1000000], q=[1/2,1/2])",
    ] {
        let exact = Pair::several(factors(text)).trade_off().expect(text).expect(text);
        for (operator, truth) in [
            (Operator::Inverse, exact.inverse()),
            (Operator::Larger, exact.symmetrized_max()),
            (Operator::Hull, exact.symmetrized_min()),
            (Operator::Group(2), exact.group(2, 1 << 10).expect(text)),
        ] {
            let pair = under(operator.clone(), text);
            let enclosed = |sampled: &Sampled, points| {
                let [above, below] = sampled.polygons(points, &Aim::everywhere(), &budget).expect(text);
                assert_eq!(above.falls_below(&truth), None, "{text}: above, {points}");
                assert_eq!(truth.falls_below(&below), None, "{text}: below, {points}");
            };
            let whole = Sampled::of(&pair).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert!(whole.is_whole(), "{text}");
            enclosed(&whole, 1);
            match (Sampled::by_curve(&pair), operator) {
                (Ok(sampled), _) => [32, 128].into_iter().for_each(|points| enclosed(&sampled, points)),
                // Of groups of what fails outright the ends are not known.
                (Err(Refusal::Unable(_)), Operator::Group(_)) => {}
                (Err(refusal), _) => panic!("{text}: {refusal:?}"),
            }
        }
    }
}

/// Curves have polygons on both sides at all alphas, those between the points too.
#[test]
fn polygons_enclose_curves() {
    // None of these is one of the points, where both meet.
    let budget = Budget::default();
    let sample = factors("poisson(rate=1/5, gaussian(sigma=1))");
    let curve = derived::by_any(sample.clone());
    let sampled = Sampled::of(&under(Operator::Inverse, "poisson(rate=1/5, gaussian(sigma=1))")).expect("a curve");
    let [above, below] = sampled.polygons(100, &Aim::everywhere(), &budget).expect("polygons");
    for n in 1..200 {
        let alpha = Rational::from((n * n, 39_999));
        let truth = curve.beta(&Real::from(alpha.clone()), Direction::Backward, 128, &budget).expect("a value");
        let truth = truth.enclosure(128);
        let [high, low] = [&above, &below].map(|f| f.evaluate(&alpha).expect("an alpha"));
        assert!(*truth.upper() <= high && *truth.lower() >= low, "{alpha}");
    }
}

/// A function that is 0 from just beyond a point on, where the line next to that point is not steep enough: the polygon
/// is 0 there as well.
#[test]
fn zeros_next_to_a_point() {
    for beyond in [-3_i32, 0, 1, 2, 3, 100_000] {
        let end = (Rational::from(beyond) >> 43u32) + Rational::from((1, 2));
        let f = |x: &Rational| {
            let high = Rational::from(&end - x) * (Rational::from((3, 2)) - x) / (Rational::from(&end * 3u32) / 2u32);
            high.max(Rational::new())
        };
        let point = |alpha: Rational| Point { low: f(&alpha), high: f(&alpha), alpha };
        let tangent = |alpha: Rational| {
            let beside = (alpha < 1).then(|| point((Rational::from(1) >> 42u32) + &alpha));
            Tangent { at: point(alpha), beside }
        };
        let points: Vec<Tangent> = (1..=8).map(|n| tangent(Rational::from((n, 8)))).collect();
        let below = shape::below(&points).expect("a polygon");
        let near = (-20..20).map(|n| (Rational::from(n) >> 44u32) + Rational::from((1, 2)));
        for alpha in near.chain((0..=64).map(|n| Rational::from((n, 64)))) {
            assert!(below.evaluate(&alpha).expect("an alpha") <= f(&alpha), "{beyond}: {alpha}");
        }
    }
}

/// Of two vertices in the middle nothing more is known on the left than that f is not below the first one there, and
/// nothing on the right of the last one; above it is no more than a chord.
#[test]
fn vertices_in_the_middle() {
    let of = |points: &[(i64, i64)]| {
        points.iter().map(|(a, b)| (Rational::from((*a, 8)), Rational::from((*b, 8)))).collect::<Vec<_>>()
    };
    let middle = of(&[(1, 5), (4, 1)]);
    assert_eq!(round::lowered(&middle).expect("a polygon").vertices(), of(&[(0, 5), (4, 0), (8, 0)]));
    assert_eq!(round::raised(&middle).expect("a polygon").vertices(), of(&[(0, 8), (1, 5), (4, 1), (8, 0)]));
    let third = [(Rational::from((1, 3)), Rational::from((1, 3)))];
    let [low, high] = [round::lowered(&third), round::raised(&third)].map(|f| f.expect("a polygon"));
    assert!(low.vertices()[0].1 < third[0].1 && high.vertices()[1].0 > third[0].0 && high.vertices()[1].1 > third[0].1);
}

/// What is far below all that is rounded takes no more room than that.
#[test]
fn tiny_probabilities_are_short() {
    let tiny = rug::Float::with_val(64, rug::Float::i_exp(1, -100_000_000));
    assert_eq!(round::fraction(&tiny, false).ok(), Some(Rational::new()));
    let upper = round::fraction(&tiny, true).expect("a fraction");
    assert!(upper > tiny && upper.denom().significant_bits() <= 200);
    let half = rug::Float::with_val(64, 0.5);
    assert_eq!(
        [false, true].map(|upper| round::fraction(&half, upper).ok()),
        [(); 2].map(|()| Some(Rational::from((1, 2))))
    );
}

/// Of discrete Gaussian noise, and of what operators make of it, nothing is left out but tails: at all type I errors,
/// vertices among them, the polygons are on both sides, and next to the truth.
#[test]
fn all_vertices_of_discrete_noise() {
    let budget = Budget::default();
    for (text, pair) in [
        ("discrete-gaussian(sigma2=1/3)", factors("discrete-gaussian(sigma2=1/3)").remove(0).0),
        (
            "discrete-gaussian(sigma2=5, sensitivity=2)",
            factors("discrete-gaussian(sigma2=5, sensitivity=2)").remove(0).0,
        ),
        ("discrete-gaussian(sigma2=5, sensitivity=3)", under(Operator::Group(3), "discrete-gaussian(sigma2=5)")),
        (
            "poisson(rate=1/7, discrete-gaussian(sigma2=2))",
            factors("poisson(rate=1/7, discrete-gaussian(sigma2=2))").remove(0).0,
        ),
        (
            "subsample(rate=1/7, discrete-gaussian(sigma2=2))",
            factors("subsample(rate=1/7, discrete-gaussian(sigma2=2))").remove(0).0,
        ),
        (
            "group-one-way(k=2, poisson(rate=1/7, discrete-gaussian(sigma2=2)))",
            under(Operator::Group(2), "poisson(rate=1/7, discrete-gaussian(sigma2=2))"),
        ),
    ] {
        let sampled = Sampled::of(&pair).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
        assert!(sampled.is_whole(), "{text}");
        let [above, below] = sampled.polygons(1, &Aim::everywhere(), &budget).expect(text);
        let exact = derived::by_any(factors(text));
        let corners = above.vertices().iter().chain(below.vertices()).map(|(alpha, _)| alpha.clone());
        for alpha in corners.chain((1..50).map(|n| Rational::from((n * n, 2499)))) {
            let truth =
                exact.beta(&Real::from(alpha.clone()), Direction::Forward, 96, &budget).expect(text).enclosure(96);
            let [high, low] = [&above, &below].map(|f| f.evaluate(&alpha).expect(text));
            assert!(*truth.lower() <= high && *truth.upper() >= low && low <= high, "{text}: {alpha}");
            let gap = Rational::from(&high - &low);
            // Where the polygon begins it is steep.
            assert!(alpha < (Rational::from(1) >> 90u32) || gap < (Rational::from(1) >> 80u32), "{text}: {alpha}");
        }
    }
}

/// Noise under operators that change nothing, or move it farther, is such noise: its compositions are known to any
/// digits, and are enclosed, in both directions, with a few digits; so are those beside other noise.
#[test]
fn compositions_lie_between_those_of_polygons() {
    let budget = Budget::default();
    for (operator, inside, beside, truth) in [
        (Operator::Group(2), "gaussian(sigma=4)", "", "gaussian(sigma=2)^5"),
        (Operator::Larger, "gaussian(sigma=2)", "laplace(scale=2)", "gaussian(sigma=2)^5 * laplace(scale=2)"),
        (
            Operator::Inverse,
            "poisson(rate=1/5, gaussian(sigma=1))",
            "",
            "inverse(poisson(rate=1/5, gaussian(sigma=1)))^5",
        ),
        (Operator::Group(3), "laplace(scale=6)", "gaussian(sigma=3)", "laplace(scale=2)^5 * gaussian(sigma=3)"),
        (Operator::Group(2), "discrete-gaussian(sigma2=9)", "", "discrete-gaussian(sigma2=9, sensitivity=2)^5"),
        (
            Operator::Inverse,
            "poisson(rate=1/5, discrete-gaussian(sigma2=2))",
            "",
            "inverse(poisson(rate=1/5, discrete-gaussian(sigma2=2)))^5",
        ),
    ] {
        let mut pairs = vec![(under(operator, inside), 5)];
        if !beside.is_empty() {
            pairs.extend(factors(beside));
        }
        let polygons = Polygons::of(&Product::new(pairs), 2).unwrap_or_else(|refusal| panic!("{truth}: {refusal:?}"));
        // What is known of the inverse is known of the pair, the other way round.
        let turned = truth.starts_with("inverse");
        let exact = derived::by_any(factors(truth.trim_start_matches("inverse(").replace(")))^5", "))^5").as_str()));
        for direction in [Direction::Forward, Direction::Backward] {
            let there = match (turned, direction) {
                (true, Direction::Forward) => Direction::Backward,
                (true, _) => Direction::Forward,
                (false, direction) => direction,
            };
            let (at, delta, alpha) = (real("1/2"), real("1/100"), real("1/20"));
            let pairs = [
                (
                    polygons.delta(&at, direction, 64, &budget).expect(truth),
                    exact.delta(&at, there, 64, &budget).expect(truth),
                ),
                (
                    polygons.beta(&alpha, direction, 64, &budget).expect(truth),
                    exact.beta(&alpha, there, 64, &budget).expect(truth),
                ),
                (
                    finite(polygons.epsilon(&delta, direction, 64, &budget).expect(truth)),
                    finite(exact.epsilon(&delta, there, 64, &budget).expect(truth)),
                ),
            ];
            for (found, known) in pairs {
                let (found, known) = (found.enclosure(64), known.enclosure(64));
                assert!(
                    found.lower() <= known.lower() && known.upper() <= found.upper(),
                    "{truth}: {found:?} {known:?}"
                );
                assert!(found.relative_bits() >= Some(7), "{truth}: {found:?}");
            }
        }
    }
}

fn finite(value: Value) -> Number {
    value.finite().cloned().expect("a finite epsilon")
}

/// Where there is a contour, or one run by itself, polygons are not asked.
#[test]
fn what_others_answer_is_left_to_them() {
    for text in ["poisson(rate=1/5, gaussian(sigma=1))^5", "group(k=2, poisson(rate=1/5, gaussian(sigma=1)))"] {
        assert!(matches!(Polygons::of(&Product::new(factors(text)), 3), Err(Refusal::OtherKind)), "{text}");
    }
}
