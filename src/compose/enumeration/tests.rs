//! The engine against the definition in fractions, outcome by outcome; against engines that share nothing with it; and
//! what it says of its own errors, with each of them left out.

use std::cmp::Ordering;

use proptest::prelude::*;
use rug::{Float, Rational};

use super::*;
use crate::compose::meet_in_the_middle::{Draws, Way};
use crate::compose::reference::{inverse, profile, tradeoff};
use crate::compose::{Method, curve};
use crate::mechanism::Composition;
use crate::pair::FinitePair;
use enclosure::refine;

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

fn real(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn engine(text: &str, method: Method) -> Box<dyn Curve> {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    curve(&composition, method, &Budget::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn product(text: &str) -> Product {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Product::new(composition.pairs().expect("pairs"))
}

fn delta(curve: &dyn Curve, epsilon: &str, direction: Direction, digits: u32) -> Number {
    let budget = Budget::default();
    refine(digits, &budget, |bits| curve.delta(&real(epsilon), direction, bits, &budget))
        .unwrap_or_else(|error| panic!("{epsilon}: {error}"))
}

fn epsilon(curve: &dyn Curve, delta: &str, direction: Direction, digits: u32) -> Number {
    let budget = Budget::default();
    let finite = |bits| match curve.epsilon(&real(delta), direction, bits, &budget)? {
        Value::Finite(number) => Ok(number),
        Value::Infinite => Err(Error::Undefined("infinite".into())),
    };
    refine(digits, &budget, finite).unwrap_or_else(|error| panic!("{delta}: {error}"))
}

fn beta(curve: &dyn Curve, alpha: &str, direction: Direction, digits: u32) -> Number {
    let budget = Budget::default();
    refine(digits, &budget, |bits| curve.beta(&real(alpha), direction, bits, &budget))
        .unwrap_or_else(|error| panic!("{alpha}: {error}"))
}

fn overlap(a: &Number, b: &Number, what: &str) {
    assert!(a.enclosure(200).overlaps(&b.enclosure(200)), "{what}: {a:?} {b:?}");
}

/// All outcomes of so many draws of each pair, as masses under both distributions.
fn outcomes(pairs: &[(FinitePair, u64)]) -> Vec<(Rational, Rational)> {
    let mut all = vec![(Rational::from(1), Rational::from(1))];
    for pair in pairs.iter().flat_map(|(pair, times)| (0..*times).map(move |_| pair)) {
        let draw = |(p, q): &(Rational, Rational)| -> Vec<(Rational, Rational)> {
            pair.outcomes().map(|(a, b)| (Rational::from(p * a), Rational::from(q * b))).collect()
        };
        all = all.iter().flat_map(draw).filter(|(p, q)| *p != 0 || *q != 0).collect();
    }
    all
}

fn swapped(atoms: &[(Rational, Rational)]) -> Vec<(Rational, Rational)> {
    atoms.iter().map(|(p, q)| (q.clone(), p.clone())).collect()
}

/// What the engine of these pairs is before the edges, so that its own bounds are what is tested.
fn of_pairs(pairs: &[(FinitePair, u64)]) -> Enumeration {
    let product = Product::new(pairs.iter().map(|(pair, times)| (Pair::finite(pair.clone()), *times)));
    Enumeration::of(&product, &Budget::default()).unwrap_or_else(|_| panic!("{pairs:?}"))
}

/// Each mechanism wholly in one half or in the other, whatever the plan says.
fn divided(engine: &Enumeration, first: impl Fn(usize) -> bool) -> Enumeration {
    let product: Vec<_> = engine.draws.iter().map(|draw| (draw.pair.clone(), draw.times)).collect();
    let part = |mine: &dyn Fn(usize) -> bool| {
        let times: Vec<u64> = product.iter().enumerate().map(|(i, (_, n))| if mine(i) { *n } else { 0 }).collect();
        let ways = times.iter().filter(|times| **times > 0).map(|_| Way::Multisets).collect();
        Part { times, ways, losses: 1 << 10 }
    };
    let draws = product.iter().map(|(pair, times)| Draw::new(pair.clone(), *times).expect("losses")).collect();
    Enumeration {
        draws,
        places: engine.places.clone(),
        units: engine.units.clone(),
        halves: [part(&first), part(&|i| !first(i))],
        infinite: engine.infinite.clone(),
        symmetric: engine.symmetric,
        listed: Cache::new(4),
    }
}

/// Two to four masses that sum to one, some of them zero, on either side.
fn finite_pair() -> impl Strategy<Value = FinitePair> {
    let masses =
        |n: usize| prop::collection::vec(0_u32..7, n).prop_filter("no mass", |list| list.iter().any(|m| *m > 0));
    (2_usize..5).prop_flat_map(move |n| (masses(n), masses(n))).prop_map(|(p, q)| {
        let fractions = |list: Vec<u32>| {
            let sum: u32 = list.iter().sum();
            list.into_iter().map(|mass| Rational::from((mass, sum))).collect()
        };
        FinitePair::new(fractions(p), fractions(q)).expect("a pair")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// All `m^k` outcomes in fractions, at points that are losses as often as not; as planned and divided otherwise.
    #[test]
    fn encloses_the_definition(
        pairs in prop::collection::vec((finite_pair(), 1_u64..3), 1..4), at in (1_u32..30, 1_u32..30),
        level in 1_u32..24, fraction in 20_u32..200, mask in 0_usize..8,
    ) {
        let all = outcomes(&pairs);
        let (budget, x) = (Budget::default(), Rational::from(at));
        let planned = of_pairs(&pairs);
        let other = divided(&planned, |i| mask >> i & 1 == 1);
        for engine in [planned, other] {
            for backward in [false, true] {
                let all = if backward { swapped(&all) } else { all.clone() };
                let halves = engine.listed(backward, fraction, &budget).expect("halves");
                let threshold = Enclosure::rational(&x, fraction + 64).ln();
                let value = halves.profile(&threshold, &budget).expect("a number");
                prop_assert!(value.contains(&profile(&all, &x)), "{:?} {}", value, profile(&all, &x));
                // Of masses in units of 2^-F, times the multiplicity of outcomes that were formed.
                let width = Float::with_val(64, value.upper() - value.lower());
                let units = Float::with_val(64, all.len() as u32 * 64 + 1024) * &x;
                prop_assert!(width < units >> fraction, "{:?}", value);
                let infinite: Rational = all.iter().filter(|(_, q)| *q == 0).map(|(p, _)| p).sum();
                let level = Rational::from((level, 24));
                if level > infinite {
                    let set = Enclosure::rational(&level, fraction + 64);
                    let found = halves.inverse(&set, 60, &budget).expect("a number");
                    let truth = Enclosure::rational(&inverse(&all, &level).expect("finite"), 300).ln();
                    prop_assert!(found.enclosure(64).overlaps(&truth), "{:?} {:?}", found, truth);
                    let found = halves.least_mass(&set, &budget).expect("a number");
                    prop_assert!(found.contains(&tradeoff(&all, &Rational::from(1 - &level))), "{:?}", found);
                }
            }
        }
    }

    /// The whole curve, to as many digits as are asked for, between its edges.
    #[test]
    fn has_the_digits_of_the_definition(
        pairs in prop::collection::vec((finite_pair(), 1_u64..4), 1..3), at in (1_u32..30, 1_u32..30),
        level in 0_u32..=24,
    ) {
        prop_assume!(pairs.iter().any(|(pair, _)| pair.p() != pair.q()));
        let all = outcomes(&pairs);
        let product = Product::new(pairs.iter().map(|(pair, times)| (Pair::finite(pair.clone()), *times)));
        let inner = Enumeration::of(&product, &Budget::default()).unwrap_or_else(|_| panic!("{pairs:?}"));
        let curve = crate::compose::Edges::around(Box::new(inner), &product).expect("edges");
        let (x, budget) = (Rational::from(at), Budget::default());
        let threshold = Real::from(x.clone()).ln().expect("a constant");
        let level = Rational::from((level, 24));
        for direction in BOTH {
            let all = if direction == Direction::Forward { all.clone() } else { swapped(&all) };
            let found = refine(40, &budget, |bits| curve.delta(&threshold, direction, bits, &budget));
            prop_assert!(found.expect("a number").enclosure(300).contains(&profile(&all, &x)));
            let at = Real::from(level.clone());
            let found = refine(40, &budget, |bits| curve.beta(&at, direction, bits, &budget));
            prop_assert!(found.expect("a number").enclosure(300).contains(&tradeoff(&all, &level)));
            let found = curve.epsilon(&at, direction, 140, &budget).expect("a value");
            match (inverse(&all, &level), found) {
                (None, Value::Infinite) => {}
                (Some(x), Value::Finite(found)) => {
                    let truth = Enclosure::rational(&x, 400).ln();
                    prop_assert!(found.enclosure(400).overlaps(&truth), "{:?} {:?}", found, truth);
                    prop_assert!(x == 1 || found.enclosure(400).relative_bits() > Some(130), "{:?} {}", found, x);
                }
                (x, found) => prop_assert!(false, "{:?} {:?}", x, found),
            }
        }
    }
}

/// Optimal composition by binomial tails, lattices by convolution, samples by their formula.
#[test]
fn other_engines_agree() {
    for (text, other) in [
        ("randomized-response(epsilon=0.3)^40", Method::ClosedForm),
        ("approx-dp(epsilon=0.3, delta=0.01)^7 * approx-dp(epsilon=sqrt(2)/3, delta=0)^4", Method::ClosedForm),
        ("geometric(epsilon=0.2, sensitivity=3)^5", Method::Lattice),
        ("staircase(epsilon=1/3, gamma=1/4, sensitivity=2)^3 * randomized-response(epsilon=2/3)^2", Method::Lattice),
        ("k-randomized-response(epsilon=1, categories=5)^12", Method::Lattice),
        ("poisson(rate=0.3, randomized-response(epsilon=0.9))", Method::ClosedForm),
        ("poisson(rate=1/10, approx-dp(epsilon=ln(3), delta=1/5))^9", Method::Lattice),
        ("poisson(rate=0.3, geometric(epsilon=0.4, sensitivity=5))", Method::ClosedForm),
    ] {
        let (one, two) = (engine(text, Method::Enumeration), engine(text, other));
        assert_eq!(one.method(), "enumeration", "{text}");
        assert_ne!(two.method(), "enumeration", "{text}");
        for direction in BOTH {
            for at in ["-0.21", "0", "0.3", "0.95"] {
                let (a, b) = (delta(one.as_ref(), at, direction, 30), delta(two.as_ref(), at, direction, 30));
                overlap(&a, &b, &format!("{text} {at}"));
            }
            // Levels above the mass at infinity.
            for at in ["0.05", "0.12"] {
                let level = delta(one.as_ref(), at, direction, 15).enclosure(64).upper().to_f64();
                let level = Rational::from_f64(level).expect("finite").to_string();
                if level == "0" {
                    continue;
                }
                let (a, b) =
                    (epsilon(one.as_ref(), &level, direction, 25), epsilon(two.as_ref(), &level, direction, 25));
                overlap(&a, &b, &format!("{text} {level}"));
            }
            for alpha in ["0.001", "0.3", "0.77"] {
                let (a, b) = (beta(one.as_ref(), alpha, direction, 25), beta(two.as_ref(), alpha, direction, 25));
                overlap(&a, &b, &format!("{text} {alpha}"));
            }
        }
    }
}

/// Losses that are equal, and no theorem that the constants know of says so; thresholds at losses; and losses that are
/// nearly equal, at both sides of the threshold.
#[test]
fn ties_do_no_harm() {
    // ln 2 + ln 3 = ln 6, in three mechanisms.
    let tied =
        "randomized-response(epsilon=ln(2)) * randomized-response(epsilon=ln(3)) * randomized-response(epsilon=ln(6))";
    let (one, two) = (engine(tied, Method::Enumeration), engine(tied, Method::ClosedForm));
    for at in ["0", "ln(2)", "ln(6)", "ln(9)", "ln(36)"] {
        overlap(&delta(one.as_ref(), at, Direction::Forward, 30), &delta(two.as_ref(), at, Direction::Forward, 30), at);
    }
    // One, and nobody sees it.
    let one = "(exp(1)+1)*(exp(1)-1)/(exp(2)-1)";
    assert_eq!(real(one).compare(&Real::one()), None);
    let opaque = format!(
        "poisson(rate=1/3, randomized-response(epsilon=1)) * poisson(rate=1/3, randomized-response(epsilon={one}))"
    );
    let plain = "poisson(rate=1/3, randomized-response(epsilon=1))^2";
    for direction in BOTH {
        // The second is where a loss is, and the third where two are.
        for at in ["0.1", "ln(2/3 + exp(1)/3) + ln(2/3 + exp(-1)/3)", "0"] {
            let (a, b) = (engine(&opaque, Method::Auto), engine(plain, Method::Auto));
            overlap(&delta(a.as_ref(), at, direction, 40), &delta(b.as_ref(), at, direction, 40), at);
        }
    }
    // Losses 1e-30 apart: the threshold is between them.
    let near = "randomized-response(epsilon=1) * randomized-response(epsilon=1 + 1e-30)";
    let (one, two) = (engine(near, Method::Enumeration), engine(near, Method::ClosedForm));
    for at in ["0", "1e-30", "5e-31", "2 + 5e-31"] {
        overlap(&delta(one.as_ref(), at, Direction::Forward, 20), &delta(two.as_ref(), at, Direction::Forward, 20), at);
    }
}

/// Any division into halves is right, and so is any way to list runs.
#[test]
fn plans_do_not_matter() {
    let text = "poisson(rate=0.2, randomized-response(epsilon=1))^6 * finite(p=[1/2,1/3,1/6], q=[1/4,1/4,1/2])^3";
    let budget = Budget::default();
    let planned = Enumeration::of(&product(text), &budget).unwrap_or_else(|_| panic!("{text}"));
    let mut others: Vec<Enumeration> = (0..4).map(|mask| divided(&planned, |i| mask >> i & 1 == 1)).collect();
    for way in [Way::Squares, Way::Sequences] {
        let mut other = divided(&planned, |i| i == 0);
        other.halves.iter_mut().for_each(|half| half.ways.fill(way));
        others.push(other);
    }
    // And the runs of one mechanism in both.
    let mut both = divided(&planned, |_| true);
    both.halves[0].times = vec![4, 1];
    both.halves[1] = Part { times: vec![2, 2], ways: vec![Way::Multisets; 2], losses: 1 << 10 };
    if planned.draws[0].times == 3 {
        both.halves[0].times = vec![1, 4];
        both.halves[1].times = vec![2, 2];
    }
    others.push(both);
    for direction in BOTH {
        let truth = delta(&planned, "0.4", direction, 30);
        for other in &others {
            overlap(&truth, &delta(other, "0.4", direction, 30), text);
        }
    }
}

/// Hundreds of losses in no rational ratio with each other, run twice.
#[test]
fn many_units() {
    let text = "poisson(rate=1/7, geometric(epsilon=1/10, sensitivity=150))";
    let twice = format!("{text}^2");
    let (one, two) = (engine(&twice, Method::Enumeration), engine(&twice, Method::Grid));
    for direction in BOTH {
        overlap(&delta(one.as_ref(), "0.7", direction, 20), &delta(two.as_ref(), "0.7", direction, 3), text);
    }
}

/// Runs are divided evenly, all of them are run, and more than a half holds is refused before anything is formed.
#[test]
fn plans_are_even() {
    let budget = Budget::default();
    let counts = |text: &str| {
        let engine = Enumeration::of(&product(text), &budget).unwrap_or_else(|_| panic!("{text}"));
        for (i, draw) in engine.draws.iter().enumerate() {
            assert_eq!(engine.halves.iter().map(|half| half.times[i]).sum::<u64>(), draw.times, "{text}");
        }
        engine.halves.map(|half| half.losses)
    };
    let sample =
        |epsilon: &str, times: u32| format!("poisson(rate=0.1, randomized-response(epsilon={epsilon}))^{times}");
    assert_eq!(counts(&sample("1", 500)), [1, 501]);
    assert_eq!(counts(&sample("1", 4001)), [2001, 2002]);
    let three = [sample("1", 20), sample("2", 20), sample("3", 20)].join(" * ");
    let [first, second] = counts(&three);
    assert!(first.max(second) <= 441 && first * second >= 9261, "{first} {second}");
    let many =
        Enumeration::of(&product(&(2..50).map(|i| sample(&i.to_string(), 2)).collect::<Vec<_>>().join(" * ")), &budget);
    assert!(matches!(many, Err(Refusal::Unable(Error::Undecided(_)))));
    let noise = Enumeration::of(&product("gaussian(sigma=1) * randomized-response(epsilon=1)"), &budget);
    assert!(matches!(noise, Err(Refusal::OtherKind)));
}

/// Digits of direct summation over all outcomes, in decimals of 80 digits.
#[test]
fn printed_references() {
    for (text, at, direction, digits) in PRINTED {
        let found = delta(engine(text, Method::Auto).as_ref(), at, *direction, 45);
        crate::compose::reference::assert_agrees(&found, digits);
    }
}

const PRINTED: &[(&str, &str, Direction, &str)] = &[
    (TWO_SAMPLES, "0.5", Direction::Forward, "0.0349891742972322051910645300561070636209087"),
    (PAIR_BESIDE, "0.6", Direction::Forward, "0.0296782496280124096196763381868234352435676"),
    (PAIR_BESIDE, "0.6", Direction::Backward, "0.0653453236455459561378552968572038078616082"),
    (SEVENTY, "3", Direction::Forward, "0.00890151584168065949882102850452096898047139"),
    (SEVENTY, "3", Direction::Backward, "0.00274890573701299271188866552292292291070341"),
];
const TWO_SAMPLES: &str = "poisson(rate=0.3, randomized-response(epsilon=0.9))^2";
const PAIR_BESIDE: &str = "finite(p=[3/10,7/10], q=[8/14,6/14]) * randomized-response(epsilon=0.19)";
const SEVENTY: &str = "poisson(rate=0.14, randomized-response(epsilon=1.1))^50 \
                       * poisson(rate=0.03, randomized-response(epsilon=2))^20";

/// Each error term is needed: without it an enclosure misses the truth.
#[test]
fn each_error_term_is_needed() {
    let pair = |p: [u32; 3], q: [u32; 3]| {
        let sum = |list: [u32; 3]| list.iter().sum::<u32>();
        let masses = |list: [u32; 3]| list.map(|mass| Rational::from((mass, sum(list)))).to_vec();
        FinitePair::new(masses(p), masses(q)).expect("a pair")
    };
    let pairs = [(pair([3, 4, 6], [5, 1, 3]), 3), (pair([2, 7, 1], [3, 3, 5]), 2)];
    let (all, budget) = (outcomes(&pairs), Budget::default());
    let engine = of_pairs(&pairs);
    let mut missed = [0; 2];
    for (fraction, key_fraction) in [(4, 40), (6, 40), (9, 40), (40, 4), (40, 6), (40, 9)] {
        let keys = Keys::new(&engine.units, key_fraction).expect("keys");
        let half = |which: usize| {
            let times = engine.draws[which].times;
            let runs = [(&engine.draws[which], engine.places[which].as_slice(), times, Way::Multisets)];
            list::half(&runs, &keys, fraction, &budget).expect("a half")
        };
        let list = |halves: &[Vec<Draws>; 2], key_fraction: u32| {
            MeetInTheMiddle::new(halves, Enclosure::zero(64), (fraction, key_fraction), &budget).expect("lists")
        };
        let [first, second] = [half(0), half(1)];
        // All keys taken for exact, and fine.
        let exact = |half: &[Draws]| -> Vec<Draws> {
            let mut half = half.to_vec();
            for draws in &mut half {
                draws.key_error = Integer::new();
                draws.atoms.iter_mut().for_each(|atom| atom.key <<= 1000_u32);
            }
            half
        };
        let without_slack = list(&[exact(&first), exact(&second)], key_fraction + 1000);
        let halves = [first, second];
        let (without_missing, halves) = (list(&halves, key_fraction).without_missing(), list(&halves, key_fraction));
        for i in 1..40 {
            let x = Rational::from((i, 7));
            let (truth, threshold) = (profile(&all, &x), Enclosure::rational(&x, 200).ln());
            let value = halves.profile(&threshold, &budget).expect("a number");
            assert!(value.contains(&truth), "{fraction} {key_fraction} {x} {value:?}");
            for (i, claimed) in [&without_missing, &without_slack].into_iter().enumerate() {
                let value = claimed.profile(&threshold, &budget);
                missed[i] += u32::from(!value.is_ok_and(|value| value.contains(&truth)));
            }
        }
    }
    assert!(missed.iter().all(|missed| *missed > 0), "{missed:?}");
}

/// Nothing at all: `1 - e^eps`.
#[test]
fn empty_products_tell_nothing() {
    let nothing = Enumeration::of(&Product::new([]), &Budget::default()).unwrap_or_else(|_| panic!("nothing"));
    let found = nothing.delta(&real("-1"), Direction::Forward, 60, &Budget::default()).expect("a number");
    assert!(found.enclosure(80).overlaps(&-real("-1").enclosure(80).expm1()));
    assert_ne!(found.sign(), Some(Ordering::Less));
}
