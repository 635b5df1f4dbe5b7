//! Published numbers, inverses of each other, and the exact composition below every bound.

use proptest::prelude::*;

use super::*;
use crate::compose::reference::assert_agrees;
use crate::compose::{Method, curve};
use crate::curve::Direction;
use crate::mechanism::Composition;
use enclosure::Budget;

fn real(text: &str) -> Real {
    text.parse().unwrap()
}

fn part(epsilon: &str, delta: &str, times: u64) -> Part {
    Part { epsilon: real(epsilon), delta: real(delta), times }
}

fn steps(parts: &[(&str, &str, u64)]) -> Steps {
    Steps::new(parts.iter().map(|(epsilon, delta, times)| part(epsilon, delta, *times))).unwrap()
}

fn finite(value: Value) -> Number {
    match value {
        Value::Finite(value) => value,
        Value::Infinite => panic!("infinite"),
    }
}

const REFERENCES: [(&str, u64, &str, [&str; 5]); 3] = [
    (
        "1/10",
        30,
        "1/1000",
        [
            "2.351354881551476413800050522327616922802",
            "2.193598504438004976582488782592246920465",
            "2.095750683572682008066196560473079420746",
            "2.185717252198173455960086138481729877057",
            "2.245875558699042091471037464848226461818",
        ],
    ),
    (
        "1/100",
        1000,
        "1/1000000",
        [
            "1.762759807110790500460748976525213739514",
            "1.712508971689950212749921692010913570477",
            "1.641491123207706517084176447088423786873",
            "1.712257719606609882876823128918464609522",
            "1.691491539870206559246447725666572578790",
        ],
    ),
    (
        "1/10",
        100,
        "3/10",
        [
            "2.603464834411996842446044175212018592070",
            "2.077610244033758718387505042760785250948",
            "2.397121736183652441687941197185396122842",
            "2.051339403234320316312829562392395106253",
            "2.551755653655520594328965910309551909825",
        ],
    ),
];

#[test]
fn promises_agree_with_the_references() {
    for (epsilon, times, slack, [advanced, refined, second, third, high]) in REFERENCES {
        let (steps, slack) = (steps(&[(epsilon, "0", times)]), real(slack));
        let at = |theorem| finite(promise(theorem, &steps, &slack, 300).unwrap().epsilon);
        assert_agrees(&at(Theorem::Advanced), advanced);
        assert_agrees(&at(Theorem::Refined), refined);
        let branches = Theorem::Simplified.branches(&steps, &slack.number(300), 300);
        assert_agrees(&branches[1], second);
        assert_agrees(&branches[2], third);
        assert_agrees(&at(Theorem::Simplified), if second < third { second } else { third });
        assert_agrees(&at(Theorem::HighPrivacy), high);
        // The order in which they always are.
        let order = [&branches[2], &at(Theorem::Refined), &at(Theorem::Advanced)];
        assert!(order.windows(2).all(|two| two[0].compare(two[1]) == Some(Ordering::Less)), "{order:?}");
    }
    let different = steps(&[("1/10", "0", 1), ("1/5", "0", 1), ("3/10", "0", 1)]);
    let branches = Theorem::Heterogeneous.branches(&different, &real("1/100").number(300), 300);
    assert_agrees(&branches[1], "1.086368593546622954964901834238077194310");
    assert_agrees(&branches[2], "1.205133432018796580421962144120471109530");
    let whole = promise(Theorem::Heterogeneous, &different, &real("1/100"), 300).unwrap();
    assert_eq!(whole.delta.exact(), Some(&Rational::from((1, 100))));
    assert_eq!(finite(whole.epsilon).exact(), Some(&Rational::from((3, 5))));
}

#[test]
fn figure_of_thirty_fold_composition() {
    let whole = promise(Theorem::Basic, &steps(&[("1/10", "1/1000", 30)]), &Real::zero(), 100).unwrap();
    assert_eq!(whole.delta.exact(), Some(&Rational::from((3, 100))));
    assert_eq!(finite(whole.epsilon).exact(), Some(&Rational::from(3)));
}

/// The three ways to ask are one relation: what is promised for a slack is promised at that delta, and needs it.
#[test]
fn the_three_ways_agree() {
    for bits in [80, 300] {
        for theorem in Theorem::ALL {
            let (steps, slack) = (steps(&[("1/10", "1/1000000", 30)]), real("1/1000"));
            let promised = promise(theorem, &steps, &slack, bits).unwrap();
            let delta = promised.delta.exact().expect("exact").clone();
            let epsilon = finite(promised.epsilon).enclosure(bits);
            let again = finite(epsilon_at(theorem, &steps, &delta.clone().into(), bits).unwrap());
            assert!(again.enclosure(bits).overlaps(&epsilon), "{theorem:?} {again:?} {epsilon:?}");
            // At the two ends of the enclosure of epsilon the inverse must hold delta between.
            let at = |end: &rug::Float| {
                let target = Real::from(end.to_rational().unwrap());
                delta_at(theorem, &steps, &target, bits).unwrap().map(|delta| delta.enclosure(bits))
            };
            let above = at(epsilon.upper()).expect("a promise");
            let Some(below) = at(epsilon.lower()) else { continue };
            assert!(below.hull(&above).contains(&delta), "{theorem:?} {below:?} {above:?} {delta}");
        }
    }
}

#[test]
fn what_is_promised_begins_at_the_drift() {
    let a = steps(&[("1/10", "1/1000000", 30)]);
    let at = |theorem, target: &str| delta_at(theorem, &a, &real(target), 64).unwrap();
    assert_eq!(at(Theorem::Basic, "3").unwrap().exact(), Some(&Rational::from((3, 100_000))));
    assert!(at(Theorem::Basic, "29/10").is_none());
    assert!(at(Theorem::Advanced, "1/10").is_none());
    assert!(at(Theorem::Simplified, "1/100").is_none());
    let b = steps(&[("ln(3/2)", "0", 3)]);
    let whole = delta_at(Theorem::Simplified, &b, &real("ln(27/8)"), 64).unwrap();
    assert_eq!(whole.unwrap().exact(), Some(&Rational::new()));
}

#[test]
fn hypotheses_are_checked() {
    let (one, tenth) = (real("1"), real("1/10"));
    let undefined = |found: Result<Promise, Error>, part: &str| match found {
        Err(Error::Undefined(message)) => assert!(message.contains(part), "{message}"),
        other => panic!("{other:?}"),
    };
    undefined(promise(Theorem::Advanced, &steps(&[("0", "0", 3)]), &tenth, 64), "epsilon > 0, not epsilon = 0");
    undefined(promise(Theorem::Advanced, &steps(&[("1", "0", 3)]), &real("0"), 64), "d > 0, not d = 0");
    undefined(promise(Theorem::Simplified, &steps(&[("1", "0", 3)]), &real("11/10"), 64), "d = 11/10 is outside");
    undefined(promise(Theorem::Simplified, &steps(&[("1", "0", 3), ("2", "0", 1)]), &tenth, 64), "equal steps");
    for (epsilon, delta) in [("-1", "0"), ("1", "2"), ("1", "-1/9")] {
        assert!(matches!(Steps::new([part(epsilon, delta, 3)]), Err(Error::Undefined(_))));
    }
    let infinite = promise(Theorem::Refined, &steps(&[("1", "0", 3)]), &real("0"), 64).unwrap();
    assert!(matches!(infinite.epsilon, Value::Infinite));
    let linear = promise(Theorem::Simplified, &steps(&[("1", "0", 3)]), &real("0"), 64).unwrap();
    assert_eq!(finite(linear.epsilon).exact(), Some(&Rational::from(3)));
    // Steps that fail more often than delta allows.
    let failing = steps(&[("1", "1/2", 3)]);
    for theorem in Theorem::ALL {
        assert!(matches!(epsilon_at(theorem, &failing, &tenth, 64).unwrap(), Value::Infinite), "{theorem:?}");
        let nothing = epsilon_at(theorem, &steps(&[]), &tenth, 64).unwrap();
        assert_eq!(finite(nothing).exact(), Some(&Rational::new()), "{theorem:?}");
        assert!(delta_at(theorem, &failing, &one, 64).unwrap().is_none_or(|delta| *delta.enclosure(64).lower() > 0.8));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No bound is below the optimal composition, which is what they bound.
    #[test]
    fn no_bound_is_below_the_truth(
        parts in prop::collection::vec((1u32..300, 0u32..3, 1u64..12), 1..4),
        level in 1u32..12,
    ) {
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|(hundredths, millionths, times)| Part {
                epsilon: Real::from(Rational::from((hundredths, 100))),
                delta: Real::from(Rational::from((millionths, 1_000_000))),
                times,
            })
            .collect();
        let budget = Budget::default();
        let all = parts.iter().fold(Composition::default(), |all, part| {
            let one = Composition::approx_dp(part.epsilon.clone(), part.delta.clone()).unwrap();
            all.and(&one.repeat(part.times).unwrap()).unwrap()
        });
        let exact = curve(&all, Method::Auto, &budget).unwrap();
        let steps = Steps::new(parts).unwrap();
        let delta = Real::from(Rational::from((1, 3u32.pow(level))));
        let truth = exact.epsilon(&delta, Direction::Forward, 128, &budget).unwrap();
        let mut asked = 0;
        for theorem in Theorem::ALL {
            match epsilon_at(theorem, &steps, &delta, 128) {
                Ok(bound) => {
                    asked += 1;
                    prop_assert!(bound.compare(&truth) != Some(Ordering::Less), "{theorem:?} {bound:?} {truth:?}");
                    let Value::Finite(bound) = bound else { continue };
                    let at = Real::from(bound.enclosure(128).upper().to_rational().unwrap());
                    let promised = delta_at(theorem, &steps, &at, 128).unwrap();
                    let there = exact.delta(&at, Direction::Forward, 128, &budget).unwrap();
                    let below = promised.as_ref().map(|delta| delta.compare(&there));
                    prop_assert!(below != Some(Some(Ordering::Less)), "{theorem:?} {promised:?} {there:?}");
                }
                Err(Error::Undefined(_)) => {}
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }
        prop_assert!(asked >= 2);
    }
}
