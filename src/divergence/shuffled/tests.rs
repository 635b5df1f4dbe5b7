//! Sums over counts against the listed pair, and against sums of another program.

use rug::ops::Pow;
use rug::{Float, Rational};

use super::*;
use crate::pair::{Clones, FinitePair};

fn shuffled(n: u64, epsilon: &str, clones: Clones) -> Shuffled {
    Shuffled::new(n, epsilon.parse().expect("a constant"), clones)
}

fn all(pair: &dyn Divergence, bits: u32) -> Vec<Enclosure> {
    let (budget, way) = (Budget::default(), Direction::Forward);
    let order = |text: &str| text.parse::<Real>().expect("an order");
    let found = [
        pair.renyi(&order("5/2"), way, bits, &budget),
        pair.renyi(&order("64"), way, bits, &budget),
        pair.kullback_leibler(way, bits, &budget),
        pair.chi_squared(way, bits, &budget),
    ];
    let set = |value: Result<Value, Error>| match value.expect("a value") {
        Value::Finite(number) => number.enclosure(bits + 64),
        Value::Infinite => panic!("infinite"),
    };
    found.map(set).into()
}

/// Few reports are listed outcome by outcome: every reduction, with and without reports of neither kind.
#[test]
fn agrees_with_the_listed_pair() {
    for clones in [Clones::Standard, Clones::Response { categories: 2 }, Clones::Response { categories: 5 }] {
        for n in [1, 2, 3, 8] {
            let pair = shuffled(n, "ln(3)", clones);
            let listed: FinitePair = pair.fractions().expect("masses").expect("a list");
            let known = all(&listed, 100);
            let found = all(&Counted::new(pair.clone()).expect("ends"), 100);
            for (known, found) in known.iter().zip(&found) {
                assert!(known.overlaps(found), "{clones:?}, {n}: {known:?} {found:?}");
                assert!(found.relative_bits() > Some(95), "{clones:?}, {n}: {found:?}");
            }
            let of = [1, 2, 3].map(Average::Power).into_iter().chain([
                Average::Cube(Enclosure::rational(&Rational::from((1, 3)), 200)),
                Average::Affinity,
                Average::Midpoint,
                Average::Triangle,
            ]);
            let of: Vec<Average> = of.collect();
            let found = averages(&pair, None, &of, 100, &Budget::default()).expect("averages");
            for (average, found) in of.iter().zip(&found) {
                let mut known = Enclosure::zero(200);
                for (p, q) in listed.outcomes().filter(|(p, _)| !p.is_zero()) {
                    let loss = Enclosure::rational(&Rational::from(p / q), 200).ln();
                    known = known + Enclosure::rational(p, 200) * average.at(&loss);
                }
                let width = Float::with_val(64, found.upper() - found.lower());
                assert!(known.overlaps(found) && width < 2f64.powi(-95), "{average:?}: {known:?} {found:?}");
            }
        }
    }
}

/// An interval of one unit of the last place around a decimal.
fn printed(text: &str) -> Enclosure {
    let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let value: Rational = text.parse::<Real>().expect("a decimal").as_rational().expect("a decimal").clone();
    let unit = Float::with_val(64, 10).pow(-i32::try_from(places).expect("few"));
    Enclosure::rational(&value, 200).widen(&unit)
}

/// mpmath with 80 digits, all counts.
#[test]
fn many_reports() {
    let pair = Counted::new(shuffled(1000, "2", Clones::Response { categories: 2 })).expect("ends");
    for (found, known) in all(&pair, 100).iter().zip(MANY) {
        assert!(found.overlaps(&printed(known)) && found.relative_bits() > Some(95), "{found:?} {known}");
    }
}

const MANY: [&str; 4] = [
    "0.01219527605156202132906594799949878203231",
    "0.3404154084970649800404711111070133444728",
    "0.004877798375796048331961562571537959375963",
    "0.009803673786694657994169089192817969852967",
];

/// What doubles say is near, and a list that is kept for one order serves another one as well as the counts do.
#[test]
fn sketches_and_lists_are_near() {
    let pair = shuffled(200, "1", Clones::Response { categories: 2 });
    assert!(pair.is_short(128));
    let budget = Budget::default();
    let kept = Counted::new(pair.clone()).expect("ends");
    for order in ["3/2", "5", "40"] {
        let order: Real = order.parse().expect("an order");
        let Ok(Value::Finite(first)) = kept.renyi(&order, Direction::Worst, 60, &budget) else { panic!("{order}") };
        let anew = Counted::new(shuffled(200, "1", Clones::Response { categories: 2 })).expect("ends");
        let Ok(Value::Finite(second)) = anew.renyi(&order, Direction::Worst, 200, &budget) else { panic!("{order}") };
        assert!(first.enclosure(256).overlaps(&second.enclosure(256)), "{order}");
        #[cfg(feature = "cli")]
        {
            let sketch = kept.renyi_sketch(order.to_f64(), Direction::Worst).expect("a sketch");
            let ratio = sketch / second.enclosure(64).lower().to_f64();
            assert!((ratio - 1.0).abs() < 1e-2, "{order}: {ratio}");
        }
    }
}

/// Samples, in both directions, against those of the list.
#[test]
fn samples_agree_with_the_listed_pair() {
    let rate: Real = "1/3".parse().expect("a rate");
    let budget = Budget::default();
    for (n, epsilon, clones) in [
        (1, "1", Clones::Standard),
        (2, "ln(3)", Clones::Response { categories: 2 }),
        (7, "1", Clones::Response { categories: 2 }),
        (5, "1/2", Clones::Standard),
    ] {
        let pair = Pair::Sample { rate: rate.clone(), inner: Box::new(Pair::Shuffled(shuffled(n, epsilon, clones))) };
        let listed = pair.clone().with_listed_reports().expect("masses");
        assert!(matches!(listed, Pair::Discrete(_)), "{listed:?}");
        let of: Vec<Average> = [1, 2, 3]
            .map(Average::Power)
            .into_iter()
            .chain([Average::Cube(Enclosure::rational(&Rational::from((-1, 30)), 200)), Average::Midpoint])
            .collect();
        for direction in [Direction::Forward, Direction::Backward] {
            let known = crate::divergence::moments::averages(&listed, &of, direction, 90, &budget).expect("averages");
            let found = crate::divergence::moments::averages(&pair, &of, direction, 90, &budget).expect("averages");
            for ((known, found), of) in known.values.iter().zip(&found.values).zip(&of) {
                let width = Float::with_val(64, found.upper() - found.lower());
                assert!(known.overlaps(found) && width < 1e-24, "{of:?} {n} {direction:?}: {known:?} {found:?}");
            }
            let value = |pair: &Pair, order: Option<&str>| {
                let inside = crate::divergence::Sampled::new(
                    rate.clone(),
                    &Pair::Shuffled(shuffled(n, epsilon, clones)),
                    Box::new(Counted::new(shuffled(n, epsilon, clones)).expect("ends")),
                );
                let found: Box<dyn Divergence> = match pair {
                    Pair::Discrete(list) => Box::new(crate::divergence::subsampled::Listed(list.clone())),
                    _ => Box::new(inside.expect("a sample")),
                };
                let value = match order {
                    Some(order) => found.renyi(&order.parse().expect("an order"), direction, 80, &budget),
                    None => found.kullback_leibler(direction, 80, &budget),
                };
                match value.expect("a value") {
                    Value::Finite(number) => number.enclosure(150),
                    Value::Infinite => panic!("infinite"),
                }
            };
            for order in [None, Some("3/2"), Some("2"), Some("21/2")] {
                let (known, found) = (value(&listed, order), value(&pair, order));
                assert!(known.overlaps(&found), "{order:?} {n} {direction:?}: {known:?} {found:?}");
                assert!(found.relative_bits() > Some(70), "{order:?} {n} {direction:?}: {found:?}");
            }
        }
    }
}
