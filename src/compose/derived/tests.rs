use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rug::Rational;

use super::*;
use crate::compose::reference::{assert_agrees, real};
use crate::compose::{self, Edges, Method, WithFailure, choose};
use crate::mechanism::Composition;
use crate::pair::{FinitePair, Pair, TradeOff};
use enclosure::refine;

/// The curve of an operator as it stands, by its engine, though all is in fractions.
fn engine(operator: Operator, parts: Vec<Factors>) -> Edges {
    let Ok(Pair::Derived(derived)) = Derived::of(operator, parts) else { panic!("no derived pair") };
    let curve = curve(&derived).map_err(|_| "refused").expect("a curve");
    Edges::around(curve, &Product::new([(Pair::Derived(derived), 1)])).expect("edges")
}

fn distribution(weights: &[u32]) -> Vec<Rational> {
    let total: u32 = weights.iter().sum();
    weights.iter().map(|&w| Rational::from((w, total))).collect()
}

fn pair(weights: &[(u32, u32)]) -> FinitePair {
    let (p, q): (Vec<u32>, Vec<u32>) = weights.iter().copied().unzip();
    FinitePair::new(distribution(&p), distribution(&q)).expect("a pair")
}

/// What a curve says is what is true, and narrow; it is asked with a budget of its own, so that what does not end says
/// of what.
fn agrees(what: &str, truth: &Rational, value: impl Fn(u32, &Budget) -> Result<Number, Error>) {
    let budget = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_secs(60)));
    let found = if truth.is_zero() { value(80, &budget) } else { refine(10, &budget, |bits| value(bits, &budget)) };
    let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
    let set = found.enclosure(300);
    assert!(set.contains(truth), "{what}: {set:?} is not {truth}");
}

/// Of every operator both faces, through the curve inside and as an exact polyline: two routes.
fn both_routes(name: &str, engine: &dyn Curve, f: &TradeOff, levels: &[Rational], ratios: &[Rational]) {
    let directions = [(Direction::Forward, f.inverse()), (Direction::Backward, f.clone())];
    for (direction, against) in directions {
        let f = if direction == Direction::Forward { f.clone() } else { f.inverse() };
        for alpha in levels {
            let truth = f.evaluate(alpha).expect("a level");
            let at = Real::from(alpha.clone());
            agrees(&format!("{name} beta {alpha}"), &truth, |bits, budget| engine.beta(&at, direction, bits, budget));
        }
        for x in ratios {
            // Against: H_x(P,Q) = sup_S P(S) - x Q(S), with the powers of the other order.
            let truth = against.conjugate(&Rational::from(-x)) + 1u32;
            let at = Real::from(x.clone()).ln().expect("a logarithm");
            agrees(&format!("{name} delta {x}"), &truth, |bits, budget| engine.delta(&at, direction, bits, budget));
        }
    }
}

#[test]
fn engines_agree_with_exact_polylines() {
    let levels: Vec<Rational> = ["1/100", "1/7", "1/3", "1/2", "4/5"].map(|x| x.parse().unwrap()).to_vec();
    let ratios: Vec<Rational> = ["1/5", "9/10", "1", "11/10", "7/3"].map(|x| x.parse().unwrap()).to_vec();
    // The same pairs each time: where the top of what is sought is flat, exactly, no bits narrow it (a budget ends it),
    // and one in some hundred pairs of such fractions has one.
    let config = Config { cases: 6, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let weights = prop::collection::vec((1u32..6, 1u32..6), 2..4);
    runner
        .run(&(weights.clone(), weights), |(a, b)| {
            let (a, b) = (pair(&a), pair(&b));
            let (one, other) = (Pair::finite(a.clone()), Pair::finite(b.clone()));
            let f = TradeOff::from_pair(&a).tensor(&TradeOff::from_pair(&b), 100, &Budget::default()).unwrap();
            let both: Factors = one.clone().into_factors().into_iter().chain(other.clone().into_factors()).collect();
            let part = || vec![both.clone()];
            both_routes("inverse", &engine(Operator::Inverse, part()), &f.inverse(), &levels, &ratios);
            both_routes("group", &engine(Operator::Group(2), part()), &f.group(2, 100).unwrap(), &levels, &ratios);
            both_routes("larger", &engine(Operator::Larger, part()), &f.symmetrized_max(), &levels, &ratios);
            both_routes("hull", &engine(Operator::Hull, part()), &f.symmetrized_min(), &levels, &ratios);
            let symmetric = f.symmetrized_max();
            let inner = Pair::finite(symmetric.representing_pair().unwrap()).into_factors();
            let rate: Rational = "2/7".parse().unwrap();
            let sampled = symmetric.subsampled(&rate).unwrap();
            let subsample = Operator::Subsample(Real::from(rate));
            both_routes("subsample", &engine(subsample, vec![inner]), &sampled, &levels, &ratios);
            let weights = ["1/4", "3/4"].map(real);
            let parts = vec![one.into_factors(), other.into_factors()];
            let [v, w] = ["1/4", "3/4"].map(|x| x.parse::<Rational>().unwrap());
            let mixed = TradeOff::revealed_mixture(&[(v, TradeOff::from_pair(&a)), (w, TradeOff::from_pair(&b))]);
            both_routes("mixture", &engine(Operator::Mixture(weights.to_vec()), parts), &mixed, &levels, &ratios);
            Ok(())
        })
        .unwrap();
}

/// A curve whose values are enclosed, though they are known exactly.
struct Blurred(Box<dyn Curve>);

impl Curve for Blurred {
    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        Ok(Number::Enclosed(self.0.delta(epsilon, direction, bits, budget)?.enclosure(bits)))
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        self.0.epsilon(delta, direction, bits, budget)
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        Ok(Number::Enclosed(self.0.beta(alpha, direction, bits, budget)?.enclosure(bits)))
    }

    fn method(&self) -> &'static str {
        self.0.method()
    }

    fn statement(&self) -> &'static Statement {
        self.0.statement()
    }
}

/// The type II error of both orders is on the hull of the two polylines: exactly where the curve is exact, and enclosed
/// where it is not. Some of these points lie below common tangents of both.
#[test]
fn errors_of_both_orders_are_on_the_hull() {
    let budget = Budget::default();
    let pairs = [
        (vec![(5, 2), (5, 8)], vec![(1, 1)]),
        (vec![(5, 2), (5, 8)], vec![(5, 2), (5, 8)]),
        (vec![(1, 3), (4, 1), (5, 6)], vec![(2, 1), (1, 1)]),
        (vec![(0, 1), (3, 2), (2, 3), (1, 0)], vec![(3, 1), (1, 2)]),
    ];
    let mut between = 0;
    for (a, b) in pairs {
        let (a, b) = (pair(&a), pair(&b));
        let f = TradeOff::from_pair(&a).tensor(&TradeOff::from_pair(&b), 100, &budget).unwrap();
        let hull = f.symmetrized_min();
        let product = Product::new([(Pair::finite(a), 1), (Pair::finite(b), 1)]).simplified().expect("a product");
        let curve = || choose::curve_of(&product, Method::Auto, &budget).expect("a curve");
        let (exact, blurred) = (Hull::new(curve()), Hull::new(Box::new(Blurred(curve()))));
        for i in 1..40 {
            let alpha = Rational::from((i, 40));
            let truth = hull.evaluate(&alpha).expect("a level");
            let at = Real::from(alpha.clone());
            between += usize::from(truth < f.evaluate(&alpha).unwrap().min(f.inverse().evaluate(&alpha).unwrap()));
            let found = exact.beta(&at, Direction::Worst, 80, &budget).expect("a value");
            assert_eq!(found.exact(), Some(&truth), "{alpha}");
            agrees(&format!("{alpha}"), &truth, |bits, budget| blurred.beta(&at, Direction::Worst, bits, budget));
        }
    }
    assert!(between >= 10, "only {between} points lie below common tangents");
}

/// Groups of pairs that fail outright, on either side or both, by values and as exact polylines.
#[test]
fn groups_of_what_fails_agree_with_exact_polylines() {
    let budget = Budget::default();
    let levels: Vec<Rational> = ["0", "1/100", "1/3", "2/3", "99/100", "1"].map(|x| x.parse().unwrap()).to_vec();
    let ratios: Vec<Rational> = ["1/5", "1", "7/3", "20"].map(|x| x.parse().unwrap()).to_vec();
    let cases = [
        ([(0, 1), (3, 2), (2, 3), (1, 0)], 2),
        ([(0, 1), (3, 2), (2, 3), (1, 1)], 3),
        ([(1, 0), (3, 5), (4, 3), (9, 2)], 2),
        ([(1, 0), (20, 30), (30, 20), (0, 1)], 5),
    ];
    for (weights, size) in cases {
        let inner = pair(&weights);
        let f = TradeOff::from_pair(&inner).group(size, 1000).unwrap();
        let parts = vec![Pair::finite(inner).into_factors()];
        let Ok(Pair::Derived(derived)) = Derived::of(Operator::Group(size), parts) else { panic!("no derived pair") };
        assert!(fails_outright(&Product::new([(Pair::Derived(derived.clone()), 1)])));
        let curve = curve(&derived).map_err(|_| "refused").expect("a curve");
        both_routes(&format!("{weights:?}"), curve.as_ref(), &f, &levels, &ratios);
        // An epsilon is infinite below the mass at infinity, and belongs to its delta above.
        for direction in [Direction::Forward, Direction::Backward] {
            let other = if direction == Direction::Forward { f.inverse() } else { f.clone() };
            let infinite: Rational = 1 - other.evaluate(&Rational::new()).unwrap();
            if !infinite.is_zero() {
                let below = Real::from(infinite.clone() / 2u32);
                let found = curve.epsilon(&below, direction, 64, &budget).expect("an epsilon");
                assert!(matches!(found, Value::Infinite), "{weights:?}");
            }
            let target = Rational::from(&infinite + 1u32) / 2u32;
            let found = curve.epsilon(&Real::from(target.clone()), direction, 80, &budget).expect("an epsilon");
            let x = found.finite().expect("finite").enclosure(200).exp();
            let delta = |x: &rug::Float| other.conjugate(&-x.to_rational().expect("a number")) + 1u32;
            assert!(delta(x.upper()) <= target, "{weights:?}");
            assert!(*x.lower() <= 1 || delta(x.lower()) >= target, "{weights:?}");
            let all = curve.epsilon(&Real::one(), direction, 64, &budget).expect("an epsilon");
            assert!(all.finite().is_some_and(|zero| zero.sign() == Some(std::cmp::Ordering::Equal)));
        }
        // Beyond the largest loss, and at it, the profile is the mass at infinity.
        let vertices = f.inverse().vertices().to_vec();
        if let [(zero, top), (alpha, beta), ..] = vertices.as_slice()
            && top != beta
            && *zero == 0
        {
            let steepest = Rational::from(top - beta) / alpha;
            let ratios = [steepest.clone(), steepest * 2u32];
            both_routes(&format!("{weights:?}"), curve.as_ref(), &f, &[], &ratios);
        }
        assert!(matches!(curve.beta(&real("2"), Direction::Forward, 64, &budget), Err(Error::Undefined(_))));
        assert!(matches!(curve.epsilon(&real("-1"), Direction::Forward, 64, &budget), Err(Error::Undefined(_))));
    }
}

fn of(text: &str) -> Box<dyn Curve> {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    crate::compose::curve(&composition, crate::compose::Method::Auto, &Budget::default()).expect(text)
}

/// Forty digits of a curve.
fn beta(curve: &dyn Curve, alpha: &str) -> Number {
    let at = real(alpha);
    let budget = Budget::default();
    refine(40, &budget, |bits| curve.beta(&at, Direction::Forward, bits, &budget)).expect("a number")
}

/// The values for G_1.8 and a share of 0.35, and the corrected middle line for (3, 0.1) and a share of 0.2.
#[test]
fn published_curves() {
    let curve = of("subsample(rate=0.35, gdp(mu=1.8))");
    assert_agrees(&beta(curve.as_ref(), "1/10"), "0.6907254500714015871001250274006244919003");
    assert_agrees(&beta(curve.as_ref(), "2/5"), "0.3788420877427316419879384606170068890258");
    let curve = of("subsample(rate=0.2, approx-dp(epsilon=3, delta=0.1))");
    let middle = beta(curve.as_ref(), "1/2");
    let intercept = &middle + &Number::Exact(Rational::from((1, 2)));
    assert_agrees(&intercept, "0.8170733143439240411163853346378307924990");
}

/// Sampling of a fixed size is the hull of Poisson sampling, for any symmetric curve: the pieces against the profile.
#[test]
fn a_fixed_size_is_the_hull_of_poisson_sampling() {
    let budget = Budget::default();
    for inner in ["gdp(mu=2)", "laplace(scale=1)", "discrete-gaussian(sigma2=2)"] {
        let pieces = of(&format!("subsample(rate=1/4, {inner})"));
        let hull = of(&format!("hull(poisson(rate=1/4, {inner}))"));
        for text in ["1/50", "1/10", "3/10", "1/2", "9/10"] {
            let at = real(text);
            let found = [&pieces, &hull].map(|curve| {
                let beta = refine(12, &budget, |bits| curve.beta(&at, Direction::Forward, bits, &budget));
                beta.expect(inner).enclosure(200)
            });
            assert!(found[0].overlaps(&found[1]), "{inner} {text}: {found:?}");
        }
    }
}

/// Inverses of profiles, there and back.
#[test]
fn epsilons_belong_to_deltas() {
    let budget = Budget::default();
    for text in [
        "group(k=2, laplace(scale=2)^2)",
        "symmetrize(poisson(rate=1/2, gdp(mu=1)))",
        "hull(poisson(rate=1/2, gdp(mu=1)))",
        "mixture(1/2: gdp(mu=1), 1/2: laplace(scale=1))",
        "subsample(rate=1/3, gdp(mu=1))",
    ] {
        let curve = of(text);
        let delta = real("1/50");
        let epsilon = curve.epsilon(&delta, Direction::Forward, 80, &budget).expect(text);
        let epsilon = epsilon.finite().expect("finite").enclosure(200);
        assert!(epsilon.relative_bits() > Some(30), "{text}: {epsilon:?}");
        // Above one end, below the other, on either side of delta.
        let at = |end: &rug::Float| {
            let end = Real::from(end.to_rational().expect("a number"));
            curve.delta(&end, Direction::Forward, 80, &budget).expect(text).enclosure(200)
        };
        let (high, low) = (at(epsilon.lower()), at(epsilon.upper()));
        let target = Rational::from((1, 50));
        assert!(*high.upper() >= target && *low.lower() <= target, "{text}: {high:?} {low:?}");
        assert!(*epsilon.lower() > 0, "{text}");
    }
}

/// A group of noise on integers is the same noise moved farther: its curve against the curve inside, iterated.
#[test]
fn groups_of_lattice_noise_are_moved_farther() {
    let budget = Budget::default();
    let moved = |sensitivity: u64| Pair::discrete_gaussian(Rational::from((5, 2)), sensitivity);
    let far = |pair: &Pair| inside(&vec![(pair.clone(), 1)]);
    for (sensitivity, size) in [(1, 2), (1, 3), (2, 2)] {
        let group = moved(sensitivity).group(size).expect("a group");
        assert!(matches!(group, Pair::DiscreteGaussian { sensitivity: own, .. } if own == size * sensitivity));
        let (iterated, whole) = (Group::new(far(&moved(sensitivity)), size), far(&group));
        for alpha in ["1/1000", "1/50", "1/7", "1/2", "9/10"] {
            let alpha = real(alpha);
            for direction in [Direction::Forward, Direction::Backward] {
                let ask = |curve: &dyn Curve| curve.beta(&alpha, direction, 80, &budget).expect("a value");
                let (one, other) = (ask(&iterated).enclosure(80), ask(whole.as_ref()).enclosure(80));
                assert!(one.overlaps(&other), "{sensitivity} {size} {alpha}: {one:?} {other:?}");
                assert!(one.relative_bits() > Some(40) && other.relative_bits() > Some(40));
            }
        }
    }
    assert!(moved(1 << 40).group(1 << 40).is_err());
}

/// Beside other pairs and run more than once, what operators make of polylines is the list of its pieces: exact
/// polylines multiply to the same.
#[test]
fn polylines_are_listed_in_products() {
    let budget = Budget::default();
    let levels: Vec<Rational> = ["1/100", "1/3", "4/5"].map(|x| x.parse().unwrap()).to_vec();
    let ratios: Vec<Rational> = ["1/5", "1", "11/10", "7/3"].map(|x| x.parse().unwrap()).to_vec();
    // One outcome of Q alone, and one of P alone.
    let (a, b) = (pair(&[(3, 1), (0, 2), (2, 2)]), pair(&[(1, 2), (4, 0), (2, 3)]));
    let (f, g) = (TradeOff::from_pair(&a), TradeOff::from_pair(&b));
    let weights = || vec![real("1/3"), real("2/3")];
    let part = |pair: &FinitePair| Pair::finite(pair.clone()).into_factors();
    let mixed = TradeOff::revealed_mixture(&[("1/3".parse().unwrap(), f.clone()), ("2/3".parse().unwrap(), g.clone())]);
    for (name, operator, parts, made) in [
        ("inverse", Operator::Inverse, vec![part(&a)], f.inverse()),
        ("group", Operator::Group(3), vec![part(&a)], f.group(3, 100).unwrap()),
        ("larger", Operator::Larger, vec![part(&a)], f.symmetrized_max()),
        ("hull", Operator::Hull, vec![part(&b)], g.symmetrized_min()),
        ("mixture", Operator::Mixture(weights()), vec![part(&a), part(&b)], mixed),
    ] {
        let pair = Derived::of(operator, parts).expect("a derived pair");
        let product = Product::new([(pair, 2), (Pair::finite(b.clone()), 1)]).simplified().expect("a product");
        assert!(product.derived.is_empty(), "{name}");
        let curve = choose::curve_of(&product, Method::Auto, &budget).expect("a curve");
        let truth = made.tensor(&made, 1000, &budget).and_then(|square| square.tensor(&g, 10_000, &budget));
        both_routes(name, curve.as_ref(), &truth.expect("a polyline"), &levels, &ratios);
    }
}

/// A product with mixtures is the mixture of what may be drawn: by hand, with all probabilities.
#[test]
fn mixtures_are_drawn_in_products() {
    let (budget, bits) = (Budget::default(), 80);
    let parts =
        [("1/6", "gaussian(sigma=1)"), ("1/3", "laplace(scale=2)^2"), ("1/2", "poisson(rate=1/4, laplace(scale=1))")];
    let mixture = parts.map(|(weight, part)| format!("{weight}: {part}")).join(", ");
    let beside = "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3]) * approx-dp(epsilon=1, delta=1/50)";
    let drawn = in_turns(&format!("mixture({mixture})^2 * {beside}"));
    for direction in [Direction::Forward, Direction::Backward] {
        for epsilon in ["-1/2", "0", "1", "5/2"] {
            let epsilon = real(epsilon);
            let delta = |curve: &dyn Curve| curve.delta(&epsilon, direction, bits, &budget).expect("a number");
            let mut sum = Number::zero();
            for (first, one) in parts {
                for (second, other) in parts {
                    let weight = real(first).mul(&real(second)).expect("a constant");
                    let product = in_turns(&format!("{one} * {other} * {beside}"));
                    sum = &sum + &(&weight.number(bits) * &delta(product.as_ref()));
                }
            }
            let (sum, drawn) = (sum.enclosure(bits), delta(drawn.as_ref()).enclosure(bits));
            assert!(sum.overlaps(&drawn), "{epsilon} {direction:?}: {sum:?} {drawn:?}");
            assert!(sum.relative_bits() > Some(40) && drawn.relative_bits() > Some(40));
        }
    }
}

/// Too many draws are left to engines that take any profile.
#[test]
fn many_draws_are_left_alone() {
    let of = |text: &str| {
        let composition: Composition = text.parse().expect("a composition");
        Product::new(composition.pairs().expect("pairs")).simplified().expect("a product")
    };
    let mixture = "mixture(1/2: gaussian(sigma=1), 1/2: laplace(scale=1))";
    let parts =
        |product: Product| product.derived.iter().map(|(pair, times)| (pair.parts().len(), *times)).collect::<Vec<_>>();
    assert_eq!(parts(of(&format!("{mixture}^50"))), [(51, 1)]);
    assert_eq!(parts(of(&format!("{mixture}^5000000"))), [(2, 5_000_000)]);
    assert_eq!(parts(of(&format!("{mixture}^7 * ({mixture} * gaussian(sigma=2))"))), [(9, 1)]);
    assert_eq!(parts(of(mixture)), [(2, 1)]);
}

/// The curve of a composition by engines in turn, edges and failures included.
fn in_turns(text: &str) -> Box<dyn Curve> {
    let composition: Composition = text.parse().expect("a composition");
    in_turn(Product::new(composition.pairs().expect("pairs")))
}

/// What is around a curve says of no profile that it is less than it is, and tells what is far below.
#[test]
fn bounds_are_told_through_what_is_around() {
    let budget = Budget::default();
    let real = |text: &str| text.parse::<Real>().expect("a constant");
    let inner = || {
        let composition: Composition =
            "poisson(rate=1/100, gaussian(sigma=1))^20 * laplace(scale=3)".parse().expect("a composition");
        compose::curve(&composition, Method::Quadrature, &budget).expect("a curve")
    };
    let failing = || Box::new(WithFailure::new(inner(), &[(real("1e-9"), 3)]).expect("a curve"));
    let mixed = Revealed::new(vec![(real("1/4"), inner()), (real("3/4"), failing())], false);
    let around: [(&str, Box<dyn Curve>); 4] = [
        ("failing", failing()),
        ("reversed", Box::new(Reversed::new(inner()))),
        ("mixed", Box::new(mixed)),
        ("sampled", Box::new(Subsampled::new(real("1/5"), inner()).expect("a curve"))),
    ];
    for (name, curve) in around {
        let mut told = 0;
        for direction in [Direction::Forward, Direction::Backward] {
            for epsilon in ["1/10", "1/2", "2"] {
                let at = real(epsilon);
                let truth = curve.delta(&at, direction, 60, &budget).expect("a profile").enclosure(80);
                if truth.upper().is_zero() {
                    continue;
                }
                let at_most = |level: &Enclosure| curve.is_at_most(&at, direction, level, &budget).expect("no alarm");
                let less = &truth * &Enclosure::rational(&rug::Rational::from((99, 100)), 80);
                assert!(!at_most(&less) && !at_most(&truth.shift(-9)), "{name} {epsilon} {direction:?}");
                told += u32::from(at_most(&truth.shift(9)));
            }
        }
        assert!(told >= 1, "{name}: {told}");
    }
}

/// The powers of a group at all points of an enclosure, however wide: the polylines say what they are.
#[test]
fn powers_at_all_points() {
    let budget = Budget::default();
    let pair = pair(&[(5, 1), (2, 2), (1, 4)]);
    let group = TradeOff::from_pair(&pair).group(2, 100).unwrap();
    let curve = Group::new(inside(&Pair::finite(pair).into_factors()), 2);
    let float = |x: &Rational| rug::Float::with_val(100, x);
    for (low, high) in [("1/100", "1/3"), ("1/3", "1/2"), ("1/10", "9/10"), ("1/2", "1")] {
        let ends: [Rational; 2] = [low, high].map(|x| x.parse().unwrap());
        let set = Enclosure::new(float(&ends[0]), float(&ends[1]));
        let powers = curve.power(&set, Direction::Forward, 100, &budget).expect("powers");
        for part in [0, 3, 7, 10] {
            let [from, to] = [set.lower(), set.upper()].map(|end| end.to_rational().unwrap());
            let at = Rational::from(&from * (10 - part)) / 10u32 + Rational::from(&to * part) / 10u32;
            let truth = 1 - group.evaluate(&at).expect("a level");
            assert!(powers.contains(&truth), "{low} to {high} at {at}: {powers:?} {truth}");
        }
    }
}
