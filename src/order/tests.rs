use proptest::prelude::*;

use super::*;
use crate::compose::reference::printed;
use crate::curve::Direction;
use crate::number::Fraction;
use crate::pair::TradeOff;
use enclosure::{Enclosure, Real};

fn distribution(weights: &[u32]) -> Vec<Rational> {
    let total: u32 = weights.iter().sum();
    weights.iter().map(|&w| Rational::from((w, total))).collect()
}

/// Pairs with zero masses on either side, on both, and equal ratios, all likely.
fn pairs(outcomes: std::ops::Range<usize>) -> impl Strategy<Value = FinitePair> {
    prop::collection::vec((0u32..5, 0u32..5), outcomes).prop_filter_map("no mass", |weights| {
        let (p, q): (Vec<u32>, Vec<u32>) = weights.into_iter().unzip();
        let mass = |w: &[u32]| w.iter().any(|&w| w > 0);
        (mass(&p) && mass(&q)).then(|| FinitePair::new(distribution(&p), distribution(&q)).unwrap())
    })
}

/// Stochastic matrices with so many rows.
fn maps(rows: usize) -> impl Strategy<Value = Vec<Vec<Rational>>> {
    prop::collection::vec(prop::collection::vec(0u32..4, 1..5), 1..2).prop_flat_map(move |first| {
        let columns = first[0].len();
        let row = prop::collection::vec(0u32..4, columns).prop_map(|mut row| {
            if row.iter().all(|&w| w == 0) {
                row[0] = 1;
            }
            distribution(&row)
        });
        prop::collection::vec(row, rows)
    })
}

fn sent(masses: &[Rational], map: &[Vec<Rational>]) -> Vec<Rational> {
    (0..map[0].len()).map(|j| masses.iter().zip(map).map(|(m, row)| Rational::from(m * &row[j])).sum()).collect()
}

fn composition(pair: &FinitePair) -> Composition {
    let list = |masses: &[Rational]| masses.iter().cloned().map(Real::from).collect::<Vec<_>>();
    Composition::finite(list(pair.p()), list(pair.q())).expect("a pair")
}

fn with_map() -> impl Strategy<Value = (FinitePair, Vec<Vec<Rational>>)> {
    pairs(1..7).prop_flat_map(|pair| {
        let rows = pair.p().len();
        (Just(pair), maps(rows))
    })
}

proptest! {
    /// Whatever some map makes of a pair is at least as private, and the map that is found makes it, too.
    #[test]
    fn what_is_made_of_a_pair_is_made_again((from, map) in with_map()) {
        let to = FinitePair::new(sent(from.p(), &map), sent(from.q(), &map)).unwrap();
        let (first, second) = (composition(&to), composition(&from));
        let order = order(&first, &second, &Budget::default()).unwrap();
        prop_assert!(order.at_least.is_proven(), "{order:?}");
        let found = Channel::between(&from, &to).unwrap();
        let row = |row: &Vec<Fraction>| row.iter().map(|x| x.value().clone()).collect();
        let rows: Vec<Vec<Rational>> = found.matrix().iter().map(row).collect();
        prop_assert_eq!(sent(from.p(), &rows), to.p().to_vec());
        prop_assert_eq!(sent(from.q(), &rows), to.q().to_vec());
        prop_assert!(rows.iter().all(|row| row.iter().sum::<Rational>() == 1 && row.iter().all(|x| *x >= 0)));
    }

    /// Of any two pairs there is a map, or a type I error that shows that there is none: no map lowers it.
    #[test]
    fn a_map_or_a_witness(a in pairs(1..6), b in pairs(1..6)) {
        let (first, second) = (composition(&a), composition(&b));
        let found = order(&first, &second, &Budget::default()).unwrap();
        for (relation, from, to) in [(&found.at_least, &b, &a), (&found.at_most, &a, &b)] {
            match relation {
                Relation::Proven(_) => prop_assert!(Channel::between(from, to).unwrap().carries(from, to)),
                Relation::Fails(witness) => {
                    let alpha = witness.alpha().expect("polylines have a type I error").value().clone();
                    let value = |pair: &FinitePair| TradeOff::from_pair(pair).evaluate(&alpha).unwrap();
                    prop_assert!(value(to) < value(from));
                    prop_assert!(witness.smaller.contains(&value(to)) && witness.larger.contains(&value(from)));
                    // What no map can do is noticed.
                    prop_assert!(Channel::between(from, to).is_err());
                }
                Relation::Undecided(reason) => prop_assert!(false, "{reason}"),
            }
        }
        prop_assert!(found.is_decided());
    }
}

fn verdict(first: &str, second: &str) -> (&'static str, Order) {
    let (a, b) = (first.parse().expect(first), second.parse().expect(second));
    let order = order(&a, &b, &Budget::default()).unwrap_or_else(|error| panic!("{first}, {second}: {error}"));
    (order.verdict(), order)
}

/// Verdicts that are known by hand, from each of the ways, and the same the other way round.
#[test]
fn verdicts_by_hand() {
    for (first, second, wanted) in [
        ("gaussian(sigma=1)^4", "gdp(mu=2)", "equal"),
        ("gaussian(sigma=3/2)^4", "gaussian(sigma=1)^2", "more private"),
        ("laplace(scale=2)", "laplace(scale=1)", "more private"),
        ("laplace(scale=1)", "randomized-response(epsilon=1)", "more private"),
        ("subsample(rate=1/4, gdp(mu=1))", "gdp(mu=1)", "more private"),
        ("gdp(mu=1)", "group(k=2, gdp(mu=1)^2)", "more private"),
        ("poisson(rate=1/100, gaussian(sigma=2))^900", "poisson(rate=1/50, gaussian(sigma=1))^1000", "more private"),
        ("gdp(mu=1)", "gdp(mu=1) * laplace(scale=1)", "more private"),
        ("group(k=3, discrete-gaussian(sigma2=2))", "discrete-gaussian(sigma2=2, sensitivity=3)", "equal"),
        ("group(k=2, discrete-gaussian(sigma2=2))", "discrete-gaussian(sigma2=2, sensitivity=3)", "more private"),
        ("gdp(mu=1)", "laplace(scale=1)", "incomparable"),
        ("group(k=2, randomized-response(epsilon=1))", "group(k=3, randomized-response(epsilon=1))", "more private"),
        (
            "subsample(rate=1/10, randomized-response(epsilon=1))",
            "subsample(rate=1/5, randomized-response(epsilon=1))",
            "more private",
        ),
        ("gdp(mu=1/2)", "approx-dp(epsilon=0, delta=1/2)", "more private"),
        ("poisson(rate=1/9, gdp(mu=1))^9", "subsample(rate=1/9, gdp(mu=1))^9", "more private"),
        ("inverse(poisson(rate=1/9, laplace(scale=2)))", "subsample(rate=1/8, laplace(scale=1))", "more private"),
        ("poisson(rate=1/2, laplace(scale=1))", "inverse(poisson(rate=1/2, laplace(scale=1)))", "incomparable"),
        ("laplace(scale=1)", "laplace(scale=2)^3", "incomparable"),
        ("hull(poisson(rate=1/2, gdp(mu=1)))", "poisson(rate=1/2, gdp(mu=1))", "less private"),
        ("randomized-response(epsilon=ln(2))^2", "randomized-response(epsilon=ln(3))", "incomparable"),
        ("group(k=2, randomized-response(epsilon=1)^2)", "geometric(epsilon=1, sensitivity=2)^2", "less private"),
        ("mixture(1/2: gdp(mu=1), 1/2: gdp(mu=2))", "mixture(1/2: gdp(mu=2), 1/2: gdp(mu=2))", "more private"),
        ("laplace(scale=1)", "group(k=4, randomized-response(epsilon=1/4))", "more private"),
        ("laplace(scale=1)", "group(k=4, randomized-response(epsilon=1/5))", "less private"),
        ("laplace(scale=1)", "group(k=2, randomized-response(epsilon=1/2) * laplace(scale=9))", "more private"),
        ("gdp(mu=1)", "group(k=2, gdp(mu=1/2) * laplace(scale=9))", "more private"),
        ("shuffle(n=20, epsilon0=1)", "shuffle-clones(n=20, epsilon0=1)", "more private"),
        ("shuffle(n=21, epsilon0=1)", "shuffle(n=20, epsilon0=2)", "more private"),
        ("shuffle(n=20, epsilon0=1, categories=3)", "shuffle(n=20, epsilon0=3/2, categories=3)", "more private"),
        ("discrete-gaussian(sigma2=5)", "discrete-gaussian(sigma2=4)", "more private"),
        ("discrete-gaussian(sigma2=5)^3", "discrete-gaussian(sigma2=4)^4", "more private"),
    ] {
        let (found, order) = verdict(first, second);
        assert_eq!(found, wanted, "{first}, {second}: {order:?}");
        let other = match wanted {
            "more private" => "less private",
            "less private" => "more private",
            same => same,
        };
        assert_eq!(verdict(second, first).0, other, "{second}, {first}");
    }
}

/// Polylines over exponentials are compared vertex by vertex: equal ones are found out, whichever way they are written,
/// and the least difference is seen.
#[test]
fn polylines_over_exponentials() {
    for (first, second, wanted) in [
        (
            "group(k=2, group(k=3, randomized-response(epsilon=1)^2))",
            "group(k=6, randomized-response(epsilon=1)^2)",
            "equal",
        ),
        ("group(k=2, geometric(epsilon=1, sensitivity=3))", "geometric(epsilon=1, sensitivity=6)", "equal"),
        (
            "group(k=2, randomized-response(epsilon=1)^2)^3",
            "group(k=2, randomized-response(epsilon=1)^2)^4",
            "more private",
        ),
        (
            "mixture(1/2: randomized-response(epsilon=1)^2, 1/2: randomized-response(epsilon=1)^2)",
            "randomized-response(epsilon=1)^2",
            "equal",
        ),
        (
            "subsample(rate=1/3, randomized-response(epsilon=1))",
            "hull(poisson(rate=1/3, randomized-response(epsilon=1)))",
            "equal",
        ),
        (
            "symmetrize(poisson(rate=1/3, randomized-response(epsilon=1)))",
            "poisson(rate=1/3, randomized-response(epsilon=1))",
            "more private",
        ),
        ("randomized-response(epsilon=1)^20", "randomized-response(epsilon=1/2)^80", "incomparable"),
        ("randomized-response(epsilon=1)^2", "approx-dp(epsilon=1, delta=1/5)", "incomparable"),
        (
            "group(k=2, randomized-response(epsilon=1)^2)",
            "group(k=2, randomized-response(epsilon=1+1e-40)^2)",
            "more private",
        ),
    ] {
        let (found, order) = verdict(first, second);
        assert_eq!(found, wanted, "{first}, {second}: {order:?}");
        for relation in [&order.at_least, &order.at_most] {
            if let Relation::Fails(witness) = relation {
                assert!(witness.smaller.upper() < witness.larger.lower(), "{first}, {second}: {order:?}");
            }
        }
    }
}

/// Where both tend to one limit that neither reaches: proven where the one certainly falls off faster.
#[test]
fn tails_are_ordered() {
    for (first, second, wanted) in [
        ("gdp(mu=1) * laplace(scale=4)", "gdp(mu=2)", "more private"),
        (
            "gdp(mu=1) * randomized-response(epsilon=1/2)",
            "gdp(mu=3/2) * randomized-response(epsilon=1/4)",
            "more private",
        ),
        ("subsample(rate=1/10, gdp(mu=1))", "subsample(rate=1/5, gdp(mu=2))", "more private"),
        ("poisson(rate=1/2, gdp(mu=1))", "poisson(rate=1/4, gdp(mu=3))", "incomparable"),
        ("mixture(1/2: gdp(mu=1), 1/2: laplace(scale=1))^3", "gdp(mu=2)", "more private"),
        ("mixture(1/2: gdp(mu=1/2), 1/2: gdp(mu=1/3))^2", "gdp(mu=1)", "more private"),
        ("mixture(1/2: gdp(mu=1/3), 1/2: gdp(mu=1) * laplace(scale=2))", "gdp(mu=3/2)", "more private"),
        ("gdp(mu=1)", "mixture(1/2: gdp(mu=3), 1/2: gdp(mu=9/10))", "more private"),
        (
            "poisson(rate=256/60000, gaussian(sigma=11/10))^14062",
            "poisson(rate=1/100, gaussian(sigma=13/10))^6000",
            "incomparable",
        ),
        ("gdp(mu=3/2)", "mixture(1/2: gdp(mu=1), 1/2: gdp(mu=1/2))^3", "incomparable"),
    ] {
        let (found, order) = verdict(first, second);
        assert_eq!(found, wanted, "{first}, {second}: {order:?}");
    }
    // From there on the bounds are ordered, and a little before they are not: both integrands at one epsilon.
    let pairs = |text: &str| text.parse::<Composition>().expect(text).pairs().expect(text);
    let (a, b) = (pairs("gdp(mu=1) * laplace(scale=4)"), pairs("gdp(mu=2)"));
    let from = super::tails::ordered_from(&a, &b, Direction::Forward).expect("ends");
    assert_eq!(from, Some(Rational::from((3, 2))));
    // Of a mixture the largest of each counts, wherever it stands: (2 1 b + 0)/(b - a) + a b/2 with b = 2, a = 1.
    for parts in ["1/2: gdp(mu=1/2) * laplace(scale=1), 1/2: gdp(mu=1/4)", "1/2: gdp(mu=1/2), 1/2: laplace(scale=1)"] {
        let a = pairs(&format!("mixture({parts})^4"));
        let from = super::tails::ordered_from(&a, &b, Direction::Forward).expect("ends");
        assert_eq!(from, Some(Rational::from(9)));
    }
    // K a/(b - a) + a b/2 with K = ln 4: of a sample, and of a part of a mixture, in whichever place.
    let a = pairs("gdp(mu=1)");
    let truth = |bits| Enclosure::integer(&4.into(), bits).ln() + Enclosure::one(bits);
    for (b, both) in [
        ("poisson(rate=1/4, gdp(mu=2))", false),
        ("mixture(1/4: gdp(mu=2), 3/4: gdp(mu=1/2))", true),
        ("mixture(3/4: laplace(scale=1), 1/4: gdp(mu=2))", true),
        ("mixture(1/2: laplace(scale=1), 1/2: gdp(mu=sqrt(2)))^2", true),
    ] {
        let b = pairs(b);
        let from = super::tails::ordered_from(&a, &b, Direction::Forward).expect("ends").expect("one");
        assert!(from >= *truth(200).lower() && truth(48).contains(&from), "{from}");
        let backward = super::tails::ordered_from(&a, &b, Direction::Backward).expect("ends");
        assert_eq!(backward, both.then_some(from));
    }
    let b = pairs("poisson(rate=1/4, gdp(mu=2))");
    assert_eq!(super::tails::ordered_from(&b, &a, Direction::Forward).expect("ends"), None);
}

/// From there on the bound from above is at most that from below, and a little before it is not; and so are the values.
#[test]
fn tails_of_discrete_gaussian_noise() {
    let pairs = |text: &str| text.parse::<Composition>().expect(text).pairs().expect(text);
    let forward = Direction::Forward;
    let number = |numer: i64, denom: i64| Enclosure::rational(&Rational::from((numer, denom)), 128);
    for (s, d, t, e) in [(5, 1, 4, 1), (7, 2, 1, 1), (30, 3, 3, 1), (9, 1, 8, 3)] {
        let text = |s: i64, d: i64| format!("discrete-gaussian(sigma2={s}, sensitivity={d})");
        let (a, b) = (pairs(&text(s, d)), pairs(&text(t, e)));
        let from = super::tails::ordered_from(&a, &b, forward).expect("ends").expect("an end");
        assert_eq!(super::tails::ordered_from(&b, &a, forward).expect("ends"), None);
        let root = |s: i64| (Enclosure::pi(128) * number(2 * s, 1)).sqrt();
        let place = |epsilon: &Enclosure, s: i64, d: i64| epsilon * &number(s, d) - number(d, 2);
        let power = |x: Enclosure, s: i64| (-x.square() / number(2 * s, 1)).exp();
        let bounds = |epsilon: &Enclosure| {
            let above = power(place(epsilon, s, d), s) / (root(s) * -(-number(3, 2 * s)).expm1());
            let below = power(place(epsilon, t, e) + number(2, 1), t) * -(-number(e, t)).expm1();
            (above, below / (number(1, 1) + root(t)))
        };
        let at = Enclosure::rational(&from, 128);
        let (above, below) = bounds(&(&at + &number(1, 1_000_000)));
        assert!(above.upper() < below.lower(), "{s}, {d}, {t}, {e}: {from}");
        let starts = [Rational::from((d * d, 2 * s)), Rational::from((e * e, 2 * t))];
        if !starts.contains(&from) {
            let (above, below) = bounds(&(&at - &number(1, 1_000_000)));
            assert!(above.lower() > below.upper(), "{s}, {d}, {t}, {e}: {from}");
        }
        for more in 0..4 {
            let epsilon = enclosure::Real::from(Rational::from(&from + more));
            let delta = |text: String| {
                let quantity = crate::Quantity::Delta { epsilon: epsilon.clone() };
                let query = crate::Query::new(quantity, text.parse().expect("a mechanism"));
                let answer = crate::answer(&query, &Budget::default()).expect("an answer");
                answer.outcome.number().expect("a number").enclosure(128)
            };
            assert!(delta(text(s, d)).upper() < delta(text(t, e)).lower(), "{s}, {d}, {t}, {e}: {epsilon}");
        }
    }
}

/// Beside Gaussian noise, and several times: the loss of discrete noise is within one unit of that of the other.
#[test]
fn tails_of_discrete_beside_gaussian_noise() {
    for (first, second, wanted) in [
        ("discrete-gaussian(sigma2=4)", "gdp(mu=1)", "more private"),
        ("discrete-gaussian(sigma2=100)", "gaussian(sigma=9)", "more private"),
        ("discrete-gaussian(sigma2=9)", "discrete-gaussian(sigma2=16)^2", "more private"),
        ("discrete-gaussian(sigma2=25)^10 * gaussian(sigma=5)", "gdp(mu=1)", "more private"),
        ("gdp(mu=1/4)", "discrete-gaussian(sigma2=4)", "more private"),
        ("gdp(mu=1e-300)", "gdp(mu=1e300)", "more private"),
    ] {
        assert_eq!(verdict(first, second).0, wanted, "{first}, {second}");
    }
    let pairs = |text: &str| text.parse::<Composition>().expect(text).pairs().expect(text);
    let from = |first: &str, second: &str| {
        super::tails::ordered_from(&pairs(first), &pairs(second), Direction::Forward).expect("ends")
    };
    // (M b + K a + a b (b - a)/2)/(b - a) with a = 1/2, b = 1 and M = 1/4; with b = 1/2, a = 1/4 and K = 1/4.
    assert_eq!(from("discrete-gaussian(sigma2=4)", "gdp(mu=1)"), Some(Rational::from((3, 4))));
    assert_eq!(from("gdp(mu=1/4)", "discrete-gaussian(sigma2=4)"), Some(Rational::from((5, 16))));
    assert_eq!(from("gdp(mu=1)", "discrete-gaussian(sigma2=4)"), None);
    // The mass beyond y is at most that of N(0, s) beyond y - 1, and at least that beyond y + 1; without the unit
    // neither is so.
    for s in [1_i64, 4, 30] {
        let weight = |j: i64| (Enclosure::rational(&Rational::from((-j * j, 2 * s)), 128)).exp();
        let sum = |from: i64| (from..60).map(weight).fold(Enclosure::zero(128), |sum, one| &sum + &one);
        let all = sum(-60);
        let normal = |y: i64| {
            let at = &Enclosure::rational(&Rational::from(y), 128) / &Enclosure::integer(&s.into(), 128).sqrt();
            enclosure::special::normal_tail(&at, 128, &Budget::default()).expect("a tail")
        };
        for y in -6_i64..7 {
            let beyond = &sum(y + 1) / &all;
            assert!(beyond.upper() < normal(y - 1).lower() && normal(y + 1).upper() < beyond.lower(), "{s} {y}");
        }
        assert!((&sum(0) / &all).lower() > normal(0).upper() && (&sum(1) / &all).upper() < normal(0).lower(), "{s}");
    }
}

/// What is seen of two pairs without their curves, and what is not seen.
#[test]
fn seen_by_structure() {
    let pairs = |text: &str| text.parse::<Composition>().expect(text).pairs().expect(text);
    for (first, second, wanted) in [
        ("shuffle(n=21, epsilon0=1)", "shuffle(n=20, epsilon0=1)", [true, false]),
        ("shuffle(n=20, epsilon0=1)", "shuffle(n=20, epsilon0=2)", [true, false]),
        ("shuffle(n=20, epsilon0=1)", "shuffle(n=21, epsilon0=2)", [false, false]),
        ("shuffle(n=20, epsilon0=1, categories=3)", "shuffle(n=20, epsilon0=2, categories=3)", [true, false]),
        ("shuffle(n=20, epsilon0=1, categories=3)", "shuffle(n=20, epsilon0=2)", [false, false]),
        ("shuffle(n=20, epsilon0=1)", "shuffle-clones(n=20, epsilon0=1)", [true, false]),
        ("shuffle-clones(n=20, epsilon0=1/2)", "shuffle(n=20, epsilon0=2)", [true, false]),
        ("shuffle-clones(n=20, epsilon0=19/10)", "shuffle(n=20, epsilon0=2)", [false, false]),
        ("laplace(scale=1)", "geometric(epsilon=1/4, sensitivity=4)", [true, false]),
        ("laplace(scale=1)", "geometric(epsilon=1/5, sensitivity=4)", [false, false]),
        ("laplace(scale=1)", "group(k=2, laplace(scale=2) * gdp(mu=1))", [true, false]),
        ("laplace(scale=1)", "group(k=2, laplace(scale=3) * gdp(mu=1))", [false, false]),
        ("gdp(mu=1)", "group(k=2, subsample(rate=1/2, gdp(mu=1/2)))", [false, true]),
        ("gdp(mu=1)", "group(k=3, subsample(rate=1/2, gdp(mu=1/2)))", [false, false]),
    ] {
        let (a, b) = (pairs(first), pairs(second));
        let found = [factors::at_least(&a, &b).expect("pairs"), factors::at_least(&b, &a).expect("pairs")];
        assert_eq!(found, wanted, "{first}, {second}");
    }
}

/// Few runs beside one run: of both run many times.
#[test]
fn run_by_run() {
    let (_, order) = verdict("discrete-gaussian(sigma2=5)^2", "discrete-gaussian(sigma2=4)^3");
    let Relation::Proven(how) = order.at_least else { panic!("{order:?}") };
    assert_eq!(how, "runs beside runs of the other");
    assert!(matches!(order.at_most, Relation::Fails(_)), "{order:?}");
}

/// What both have is left out: the rest is ordered, and then the whole.
#[test]
fn common_runs_are_left_out() {
    let (_, order) =
        verdict("gdp(mu=1) * randomized-response(epsilon=ln(2))^2", "randomized-response(epsilon=ln(4)) * gdp(mu=1)");
    let Relation::Proven(how) = order.at_least else { panic!("{order:?}") };
    assert!(how.contains("both have"), "{how}");
    let left = |first: &str, second: &str| {
        let (a, b): (Composition, Composition) = (first.parse().expect(first), second.parse().expect(second));
        let rest = without_common(&a, &b).expect("compositions");
        rest.map(|(a, b)| (a.to_string(), b.to_string()))
    };
    let found = left("gdp(mu=1)^3 * laplace(scale=1)", "gdp(mu=1)^5 * laplace(scale=2)");
    assert_eq!(found, Some(("laplace(scale=1)".into(), "gdp(mu=1)^2 * laplace(scale=2)".into())));
    assert_eq!(left("gdp(mu=1)", "gdp(mu=2)"), None);
}

/// What is not proven is not said: curves of one limit that neither reaches.
#[test]
fn what_is_not_proven_is_said() {
    let other = "mixture(1/4: gdp(mu=1) * laplace(scale=1/8), 3/4: laplace(scale=1/8))";
    let (found, order) = verdict("gdp(mu=1)", other);
    assert_eq!(found, "not at most as private", "{order:?}");
    let Relation::Undecided(reason) = &order.at_least else { panic!("{order:?}") };
    assert!(reason.to_string().contains("tend to one limit"), "{reason}");
    let little = Budget::new(Budget::DEFAULT_MAX_BITS, Some(std::time::Duration::ZERO));
    let (a, b) = ("gdp(mu=1) * laplace(scale=1)", "laplace(scale=1)^3");
    let order = order_of(a, b, &little);
    assert!(order.is_err() || order.is_ok_and(|order| !order.is_decided()));
}

fn order_of(first: &str, second: &str, budget: &Budget) -> Result<Order, Error> {
    order(&first.parse().expect(first), &second.parse().expect(second), budget)
}

/// Groups of randomised response of `mu/k` are less private than Laplace noise moved by mu, to which they tend
/// (Dong, Roth, Su, Proposition 2.15); the distances are those at the vertices, between which the one is straight and
/// the other convex. In x the polylines fall, so that fractions on both sides of `e^(mu/k)` bound them.
#[test]
fn groups_tend_to_laplace_noise() {
    let (_, order) = verdict("laplace(scale=1/(4*ln(3/2)))", "group(k=4, randomized-response(epsilon=ln(3/2)))");
    assert!(matches!(order.at_most, Relation::Fails(_)) && order.at_least.is_proven(), "{order:?}");
    let budget = Budget::default();
    for (mu, size, distance) in [
        ("1", 1u64, "0.0730284"),
        ("1", 2, "0.02409"),
        ("1", 4, "0.0068766966536493210886"),
        ("1", 5, "0.0045166855819733732266"),
        ("1", 6, "0.0031909144394533970893"),
        ("1/2", 4, "0.0018335990199051079613"),
    ] {
        let mu: Real = mu.parse().expect("a number");
        let x = mu.mul_rational(&Rational::from((1, size))).exp().expect("a power").enclosure(160);
        let laplace = Composition::laplace(1, mu.clone()).expect("noise");
        let curve = crate::compose::curve(&laplace, Method::Auto, &budget).expect("a curve");
        let farthest = |x: Rational| {
            let group = TradeOff::approximate_dp(&x, &Rational::new()).unwrap().group(size, 1 << 12).unwrap();
            let gaps = group.vertices().iter().map(|(alpha, beta)| {
                let at = Real::from(alpha.clone());
                let above = curve.beta(&at, Direction::Forward, 200, &budget).expect("a value");
                &above.enclosure(200) - &Enclosure::rational(beta, 200)
            });
            gaps.reduce(|a, b| a.max(&b)).expect("vertices")
        };
        let least = farthest(x.lower().to_rational().expect("a fraction"));
        let most = farthest(x.upper().to_rational().expect("a fraction"));
        let truth = Enclosure::new(least.lower().clone(), most.upper().clone());
        assert!(truth.overlaps(&printed(distance)), "{mu} {size}: {truth:?}");
        assert!(truth.relative_bits() > Some(80), "{mu} {size}: {truth:?}");
    }
}

/// The hull of a Poisson sample of a symmetric pair is its sample of a fixed share, for the same rate and no other.
#[test]
fn hulls_of_poisson_samples_are_samples_of_a_fixed_share() {
    let of = |text: &str| text.parse::<Composition>().expect(text);
    let equal = |a: &str, b: &str| {
        let order = order(&of(a), &of(b), &Budget::default()).expect("an order");
        (order.at_least.is_proven(), order.at_most.is_proven())
    };
    for noise in [
        "gaussian(sigma=1)",
        "laplace(scale=1)",
        "gaussian(sigma=2)^5",
        "discrete-gaussian(sigma2=2)",
        "randomized-response(epsilon=1)",
        "geometric(epsilon=1, sensitivity=3)",
        "staircase(epsilon=1, gamma=1/3)",
    ] {
        let (fixed, hull) = (format!("subsample(rate=1/10, {noise})"), format!("hull(poisson(rate=1/10, {noise}))"));
        assert_eq!(equal(&fixed, &hull), (true, true), "{noise}");
        assert_eq!(equal(&hull, &fixed), (true, true), "{noise}");
        assert_eq!(equal(&fixed, &hull.replace("1/10", "1/9")), (true, false), "{noise}");
        let turned = hull.replace("hull(", "hull(inverse(") + ")";
        assert_eq!(equal(&fixed, &turned), (true, true), "{noise}");
    }
    // What fails is beside the sample; and less is promised by a larger epsilon.
    let fixed = "subsample(rate=1/3, approx-dp(epsilon=1, delta=1/10))";
    assert_eq!(equal(fixed, &fixed.replace("subsample(", "hull(poisson(").replace("10))", "10)))")), (true, true));
    let response = "subsample(rate=1/3, randomized-response(epsilon=1))";
    assert_eq!(equal(response, &response.replace("=1)", "=2)")), (true, false));
}

/// The maximum and the hull of both orders are the same for the other order.
#[test]
fn both_orders_of_an_inverse_are_its_own() {
    for inside in ["poisson(rate=1/3, gaussian(sigma=1))", "poisson(rate=1/3, laplace(scale=1))^2 * gdp(mu=1)"] {
        for operator in ["symmetrize", "hull"] {
            let (one, other) = (format!("{operator}({inside})"), format!("{operator}(inverse({inside}))"));
            assert_eq!(verdict(&one, &other).0, "equal", "{one}");
        }
    }
}

/// What holds for both orders is the same for a sample and for its inverse, and follows from either order.
#[test]
fn both_orders_together() {
    let of = |text: &str| text.parse::<Composition>().expect(text);
    let sample = "poisson(rate=1/10, gdp(mu=1))";
    let verdict = |a: &str, b: &str| {
        (
            order(&of(a), &of(b), &Budget::default()).expect("an order").verdict(),
            order_of_both(&of(a), &of(b), &Budget::default()).expect("an order").verdict(),
        )
    };
    assert_eq!(verdict(sample, &format!("inverse({sample})")), ("incomparable", "equal"));
    assert_eq!(verdict(sample, &format!("hull({sample})")), ("more private", "equal"));
    assert_eq!(verdict("gdp(mu=1)", "gdp(mu=2)"), ("more private", "more private"));
    // What is symmetric is below both orders, or neither.
    assert_eq!(verdict(&format!("inverse({sample})"), "gdp(mu=1)"), ("more private", "more private"));
    assert_eq!(verdict("gdp(mu=1)", &format!("inverse({sample})")), ("less private", "less private"));
}

/// A mixture is at least as private as what all parts are, and at most.
#[test]
fn mixtures_part_by_part() {
    let mixture = "mixture(1/2: gdp(mu=1), 1/2: gdp(mu=2))";
    assert_eq!(verdict(mixture, "gdp(mu=2)").0, "more private");
    assert_eq!(verdict(mixture, "gdp(mu=1)").0, "less private");
    let both = "mixture(1/3: laplace(scale=1), 2/3: laplace(scale=2) * gdp(mu=1))";
    assert_eq!(verdict(both, "laplace(scale=1) * gdp(mu=1)").0, "more private");
    // However often it is run, the worst part is no more private, and the best one no less.
    let mixture = "mixture(1/2: gdp(mu=1), 1/2: gdp(mu=1/2))";
    assert!(factors_prove(&format!("{mixture}^3"), "gdp(mu=sqrt(3))"));
    assert!(!factors_prove(&format!("{mixture}^3"), "gdp(mu=sqrt(3)-1e-9)"));
    assert!(factors_prove("gdp(mu=sqrt(3)/2)", &format!("{mixture}^3")));
    assert!(!factors_prove("gdp(mu=sqrt(3)/2+1e-9)", &format!("{mixture}^3")));
    assert!(factors_prove(&format!("{mixture}^2 * laplace(scale=2)"), "laplace(scale=1) * gdp(mu=3/2)"));
    // What is mixed of what is mixed is left to the profiles, which take a moment.
    let nested = (0..6).fold("laplace(scale=1)".to_string(), |inside, _| {
        format!("mixture(1/3: {inside}, 1/3: gdp(mu=1), 1/3: laplace(scale=2))")
    });
    assert_eq!(verdict(&format!("{nested}^2"), "gdp(mu=3)").0, "more private");
    // There has to be such a part.
    assert!(!factors_prove("mixture(1/2: gdp(mu=1), 1/2: laplace(scale=1))^2", "gdp(mu=1)^2"));
}

/// A sample is a mixture of what is inside and of nothing, whose index is not told.
#[test]
fn samples_beside_mixtures() {
    let sample = "poisson(rate=1/10, gdp(mu=1))^100";
    for (mixture, holds) in [
        ("mixture(1/10: gdp(mu=1), 9/10: gdp(mu=0))^100", true),
        ("mixture(3/40: gdp(mu=2), 1/40: gdp(mu=1), 9/10: gdp(mu=0))^100", true),
        ("mixture(1/11: gdp(mu=1), 10/11: gdp(mu=0))^100", false),
        ("mixture(1/10: gdp(mu=9/10), 9/10: gdp(mu=0))^100", false),
        ("mixture(1/10: gdp(mu=1), 9/10: gdp(mu=0))^99", false),
    ] {
        assert_eq!(factors_prove(sample, mixture), holds, "{mixture}");
    }
    assert!(factors_prove(
        "poisson(rate=1/4, randomized-response(epsilon=1))",
        "mixture(1/4: randomized-response(epsilon=1), 3/4: gdp(mu=0))"
    ));
}

/// An operator around many runs, beside many runs.
#[test]
fn operators_around_many_runs() {
    let (samples, shares) = ("poisson(rate=1/20, gdp(mu=1))^9", "subsample(rate=1/20, gdp(mu=1))^9");
    assert!(factors_prove(&format!("hull({samples})"), shares));
    assert!(factors_prove(&format!("inverse({samples})"), shares));
    assert!(factors_prove(shares, &format!("hull({shares} * gdp(mu=1))")));
    assert!(factors_prove(samples, &format!("hull({samples})")));
    // Not the other way round, nor where nothing is symmetric.
    assert!(!factors_prove(shares, &format!("hull({samples})")));
    assert!(!factors_prove(&format!("inverse({samples})"), samples));
    assert!(!factors_prove(samples, &format!("inverse({samples})")));
}

/// Is it proven factor by factor?
fn factors_prove(first: &str, second: &str) -> bool {
    let pairs = |text: &str| text.parse::<Composition>().expect(text).pairs().expect(text);
    super::factors::at_least(&pairs(first), &pairs(second)).expect("an order")
}

/// Witnesses of polylines in fractions are fractions.
#[test]
fn witnesses_in_fractions() {
    let of = |text: &str| text.parse::<Composition>().expect(text);
    let (a, b) = ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])", "finite(p=[9/20,1/10,9/20], q=[1/2,0,1/2])");
    let order = order(&of(a), &of(b), &Budget::default()).expect("an order");
    let told = |relation: &Relation| match relation {
        Relation::Fails(witness) => {
            let (smaller, larger) = witness.fractions().expect("fractions");
            format!("{} {smaller} {larger}", witness.alpha().expect("a type I error"))
        }
        other => panic!("{other:?}"),
    };
    assert_eq!([told(&order.at_least), told(&order.at_most)], ["1/2 1/3 4/9", "9/10 0 1/15"]);
}

/// A mass that one shows for certain, however small, is seen at a type I error of 0.
#[test]
fn what_fails_outright_is_seen_at_zero() {
    let least = "approx-dp(epsilon=1, delta=1e-300)";
    assert_eq!(verdict(least, "randomized-response(epsilon=1)").0, "less private");
    assert_eq!(verdict(least, "approx-dp(epsilon=1, delta=2e-300)").0, "more private");
    assert_eq!(verdict("gdp(mu=1) * approx-dp(epsilon=0, delta=1e-100)", "gdp(mu=1)").0, "less private");
}

/// The profile that a question has in this place, by the engines.
fn profile(mechanism: &str, epsilon: &Fraction, direction: Direction) -> Enclosure {
    let quantity = crate::Quantity::Delta { epsilon: Real::from(epsilon.value().clone()) };
    let query = crate::Query::new(quantity, mechanism.parse().expect(mechanism)).with_direction(direction);
    let answer = crate::answer(&query.with_digits(6), &Budget::default()).expect("an answer");
    answer.outcome.number().expect("a number").enclosure(128)
}

/// What is asked for at the epsilon of a witness is within what is told of it, and apart.
fn confirmed(first: &str, second: &str, witness: &Witness) {
    let Place::Epsilon(epsilon, direction) = witness.place() else { panic!("{first}, {second}: {witness:?}") };
    let [larger, smaller] = [first, second].map(|text| profile(text, epsilon, *direction));
    assert!(smaller.upper() < larger.lower(), "{first}, {second}");
    for (value, told) in [(&larger, &witness.larger), (&smaller, &witness.smaller)] {
        assert!(told.lower() <= value.upper() && value.lower() <= told.upper(), "{first}, {second}: {witness:?}");
    }
}

/// A profile that is the larger one where no type I error shows it in doubles, or anything like them.
#[test]
fn profiles_show_what_fails() {
    for (first, second) in [
        ("gdp(mu=1)", "laplace(scale=1/1000)"),
        ("gdp(mu=1)", "randomized-response(epsilon=1)^1000"),
        ("hull(poisson(rate=1/2, gdp(mu=1)))", "laplace(scale=1/1000)"),
    ] {
        let (verdict, order) = verdict(first, second);
        assert_eq!(verdict, "incomparable", "{order:?}");
        let Relation::Fails(witness) = &order.at_least else { panic!("{order:?}") };
        confirmed(first, second, witness);
    }
    // Of both orders it is in no direction.
    let both = |text: &str| text.parse::<Composition>().expect(text);
    let order =
        order_of_both(&both("poisson(rate=1/2, gdp(mu=1))"), &both("laplace(scale=1/1000)"), &Budget::default());
    let Relation::Fails(witness) = order.expect("an order").at_least else { panic!("a relation that fails") };
    assert!(matches!(witness.place(), Place::Epsilon(_, Direction::Worst)) && witness.alpha().is_none(), "{witness:?}");
}

/// Bounds of tails hold of both profiles where they are apart: without what losses are moved by, or with less, the
/// profiles of the engines would be outside.
#[test]
fn tails_that_are_apart() {
    for (first, second) in [
        ("poisson(rate=1/4, gaussian(sigma=1))^4", "gaussian(sigma=1)^2"),
        ("gdp(mu=3/2)", "gdp(mu=1) * laplace(scale=1/2)"),
        ("hull(poisson(rate=1/4, gaussian(sigma=1))^4)", "hull(poisson(rate=1/2, gaussian(sigma=2))^2)"),
        ("discrete-gaussian(sigma2=1)^3", "gdp(mu=1)"),
        ("mixture(1/3: gdp(mu=3), 2/3: gdp(mu=1))", "mixture(1/2: gdp(mu=2), 1/2: laplace(scale=1/4))"),
        ("gdp(mu=1)", "laplace(scale=1/9)"),
    ] {
        let pairs = |text: &str| text.parse::<Composition>().expect(text).pairs().expect("pairs");
        let (a, b) = (pairs(first), pairs(second));
        let budget = Budget::default();
        let witness = tails::parted(&a, &b, &budget).expect("profiles");
        confirmed(first, second, &witness.unwrap_or_else(|| panic!("{first}, {second}")));
        // Backward it may be the other one.
        if let Some(witness) = tails::parted(&b, &a, &budget).expect("profiles") {
            confirmed(second, first, &witness);
        }
    }
}

/// Far out a relation fails, or holds, of compositions of very many runs.
#[test]
fn many_runs_far_out() {
    let (a, b) =
        ("poisson(rate=8/1875, gaussian(sigma=13/10))^3515", "poisson(rate=16/1875, gaussian(sigma=13/10))^1758");
    let pairs = |text: &str| text.parse::<Composition>().expect(text).pairs().expect("pairs");
    let witness = tails::parted(&pairs(a), &pairs(b), &Budget::default()).expect("profiles").expect("a witness");
    assert!(matches!(witness.place(), Place::Epsilon(_, Direction::Forward)) && *witness.larger.lower() > 0);
    // Of hulls the tails are those of the direction that has the larger ones.
    let (a, b) = ("hull(poisson(rate=1/50, gaussian(sigma=3/2))^5)", "hull(poisson(rate=1/100, gaussian(sigma=1))^10)");
    let from = tails::ordered_from(&pairs(a), &pairs(b), Direction::Backward).expect("ends").expect("an end");
    for more in [0_u32, 1, 7] {
        let epsilon = Fraction::new(Rational::from(&from + more));
        let [less, most] = [a, b].map(|text| profile(text, &epsilon, Direction::Backward));
        assert!(less.upper() <= most.lower(), "{epsilon}");
    }
}

/// Shuffled reports that are fitted with no larger mu than Gaussian noise are at least as private.
#[test]
fn gaussian_noise_by_fits() {
    let shuffled: Composition = "shuffle(n=100, epsilon0=1)^4".parse().expect("a composition");
    let parts = shuffled.pairs().expect("a pair");
    let against = |mu: &str| {
        let noise = format!("gdp(mu={mu})").parse::<Composition>().expect("noise");
        by_fit((&shuffled, &parts), &noise.pairs().expect("a pair"), &Budget::default()).expect("no alarm")
    };
    // One run needs a mu between 0.12 and 0.14.
    assert!(matches!(against("3/10"), Some(Relation::Proven(_))));
    assert!(against("1/5").is_none());
}
