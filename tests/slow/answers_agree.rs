//! What has to hold between the answers to different questions, whatever the mechanism.
//!
//! Mechanisms and points are drawn at random, at the knots of a curve more often than chance would have it. Comparisons
//! are certified: a property is broken when the enclosures *prove* that it is, so the tests know no tolerance and no
//! false alarm. Questions that the budget does not suffice for are passed over.

use std::cmp::Ordering;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::ValueEnum;
use dpcert::{Answer, Budget, Composition, Direction, Method, Outcome, Quantity, Query, Real, Session, answer};
use dpcert_vectors::strategy;
use enclosure::decimal::{Side, decimal, double, rational_bounds};
use enclosure::{Enclosure, Number};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rug::Rational;

const CASES: u32 = 256;
const DIGITS: u32 = 12;
const MORE_DIGITS: u32 = 40;
const DIRECTIONS: [Direction; 3] = [Direction::Worst, Direction::Forward, Direction::Backward];

/// All that can be asked for by name.
fn methods() -> impl Iterator<Item = Method> {
    Method::value_variants().iter().copied().filter(|method| *method != Method::Auto)
}

/// What is known of an answer.
#[derive(Clone, Debug)]
enum Known {
    Between(Rational, Rational),
    Infinite,
}

impl Known {
    fn exactly(value: impl Into<Rational>) -> Self {
        let value = value.into();
        Known::Between(value.clone(), value)
    }

    /// Not proven to be above.
    fn may_be_at_most(&self, other: &Known) -> bool {
        match (self, other) {
            (_, Known::Infinite) => true,
            (Known::Infinite, _) => false,
            (Known::Between(lower, _), Known::Between(_, upper)) => lower <= upper,
        }
    }

    /// Not proven to differ.
    fn may_equal(&self, other: &Known) -> bool {
        self.may_be_at_most(other) && other.may_be_at_most(self)
    }

    fn map(&self, increasing: impl Fn(&Rational) -> (Rational, Rational)) -> Known {
        match self {
            Known::Between(lower, upper) => Known::Between(increasing(lower).0, increasing(upper).1),
            Known::Infinite => Known::Infinite,
        }
    }
}

/// `e^x` between two rationals.
fn exp(x: &Rational) -> (Rational, Rational) {
    rational_bounds(&Enclosure::rational(x, 300).exp()).expect("an exponential of moderate size")
}

fn number(outcome: &Outcome) -> Option<Number> {
    match outcome {
        Outcome::Exact(value) => Some(value.into()),
        Outcome::Enclosure(set) => Some(set.into()),
        _ => None,
    }
}

fn known(outcome: &Outcome) -> Option<Known> {
    match (outcome, number(outcome)) {
        (_, Some(Number::Exact(value))) => Some(Known::exactly(value)),
        (_, Some(Number::Enclosed(set))) => {
            let (lower, upper) = rational_bounds(&set).expect("a bounded enclosure");
            assert!(lower <= upper, "{set:?}");
            Some(Known::Between(lower, upper))
        }
        (Outcome::Infinite, _) => Some(Known::Infinite),
        _ => None,
    }
}

fn outcome(mechanism: &Composition, quantity: Quantity, direction: Direction, digits: u32) -> Outcome {
    let query = Query::new(quantity, mechanism.clone()).with_direction(direction).with_digits(digits);
    answer(&query, &Budget::new(1 << 14, Some(Duration::from_secs(2)))).expect("a well-formed query").outcome
}

/// What an engine of one kind knows; in half a second, or in whatever time it takes.
fn by(
    method: Method,
    mechanism: &Composition,
    quantity: &Quantity,
    direction: Direction,
    patience: Patience,
) -> Option<Known> {
    let query = Query::new(quantity.clone(), mechanism.clone()).with_direction(direction).with_method(method);
    // A grid proves few digits, and takes long to say so.
    let digits = if method == Method::Grid { 3 } else { DIGITS };
    let time = match patience {
        Patience::Little => Some(Duration::from_millis(500)),
        Patience::Endless => None,
    };
    known(&answer(&query.with_digits(digits), &Budget::new(1 << 14, time)).expect("a well-formed query").outcome)
}

/// A test that needs an answer must not depend on what else the machine does.
#[derive(Clone, Copy, PartialEq)]
enum Patience {
    Little,
    Endless,
}

fn ask(mechanism: &Composition, quantity: Quantity, direction: Direction) -> Option<Known> {
    known(&outcome(mechanism, quantity, direction, DIGITS))
}

fn delta(mechanism: &Composition, epsilon: &Real, direction: Direction) -> Option<Known> {
    ask(mechanism, Quantity::Delta { epsilon: epsilon.clone() }, direction)
}

fn epsilon(mechanism: &Composition, delta: impl Into<Real>, direction: Direction) -> Option<Known> {
    ask(mechanism, Quantity::Epsilon { delta: delta.into() }, direction)
}

fn beta(mechanism: &Composition, alpha: &Rational, direction: Direction) -> Option<Known> {
    ask(mechanism, Quantity::Beta { alpha: Real::from(alpha.clone()) }, direction)
}

/// Pass a case over in which one of the answers is not known.
macro_rules! known {
    ($answer:expr) => {
        match $answer {
            Some(known) => known,
            None => return Ok(()),
        }
    };
}

/// `n/d` with small n and d.
fn ratio(most: u32) -> impl Strategy<Value = Rational> {
    (1..=most, 1..=12u32).prop_map(|(n, d)| Rational::from((n, d)))
}

/// A fraction between 0 and 1, the ends included, tiny ones too.
fn fraction() -> impl Strategy<Value = Rational> {
    prop_oneof![
        4 => (0..=60u32, 60..=61u32).prop_map(|(n, d)| Rational::from((n, d))),
        1 => (1..=40u32).prop_map(|k| Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, k))))),
        1 => strategy::alpha().prop_map(|value| value.to_string().parse().expect("a fraction")),
    ]
}

/// An epsilon of a mechanism, as text: a fraction, or a logarithm of one.
fn loss() -> impl Strategy<Value = String> {
    prop_oneof![
        ratio(24).prop_map(|x| x.to_string()),
        (1..=12u32, 1..=12u32).prop_map(|(n, d)| format!("ln({}/{d})", n + d)),
        (1..=12u32).prop_map(|n| format!("sqrt({n})/10")),
    ]
}

/// One mechanism, and an epsilon whose multiples may be knots of its curve.
fn single() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        loss().prop_map(|e| (format!("randomized-response(epsilon={e})"), e)),
        (loss(), fraction()).prop_map(|(e, d)| (format!("approx-dp(epsilon={e}, delta={d})"), e)),
        (ratio(40), 0..=3u32).prop_map(|(s, d)| (format!("gaussian(sigma={s}, sensitivity={d})"), format!("1/({s})"))),
        (ratio(40), 0..=3u32).prop_map(|(s, d)| (format!("laplace(scale={s}, sensitivity={d})"), format!("1/({s})"))),
        (loss(), 0..=3u32).prop_map(|(e, d)| (format!("geometric(epsilon={e}, sensitivity={d})"), e)),
        (loss(), fraction(), 0..=2u32)
            .prop_map(|(e, g, d)| (format!("staircase(epsilon={e}, gamma={g}, sensitivity={d})"), e)),
        (ratio(60), 0..=2u32)
            .prop_map(|(s, d)| (format!("discrete-gaussian(sigma2={s}, sensitivity={d})"), format!("1/(2*({s}))"))),
        strategy::finite_pair().prop_map(|pair| {
            let list = |values: &[_]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            (format!("finite(p=[{}], q=[{}])", list(&pair.p), list(&pair.q)), "ln(3/2)".to_string())
        }),
    ]
}

/// Finitely many losses beside Laplace noise, or beside a sample of it.
fn beside_laplace() -> impl Strategy<Value = (String, String)> {
    let finite = prop_oneof![
        (loss(), 1..=4u32).prop_map(|(e, n)| (format!("randomized-response(epsilon={e})^{n}"), e)),
        (loss(), fraction(), 1..=2u32).prop_map(|(e, d, n)| (format!("approx-dp(epsilon={e}, delta={d})^{n}"), e)),
        (loss(), 2..=3u32).prop_map(|(e, d)| (format!("geometric(epsilon={e}, sensitivity={d})"), e)),
        strategy::finite_pair().prop_map(|pair| {
            let list = |values: &[_]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            (format!("finite(p=[{}], q=[{}])", list(&pair.p), list(&pair.q)), "ln(3/2)".to_string())
        }),
    ];
    let noise = prop_oneof![
        3 => (ratio(40), 1..=4u32).prop_map(|(s, n)| (format!("laplace(scale={s})^{n}"), format!("1/({s})"))),
        1 => (ratio(40), 1..=9u32)
            .prop_map(|(s, r)| (format!("poisson(rate={r}/10, laplace(scale={s}))"), format!("1/({s})"))),
    ];
    // A knot is a loss of the one and a loss of the other.
    (finite, noise)
        .prop_map(|((text, loss), (noise, knot))| (format!("{text} * {noise}"), format!("({loss}) + {knot}")))
}

/// Compositions: powers, some with different mechanisms of one kind, some with a certain leak.
fn mechanism() -> impl Strategy<Value = (String, String)> {
    let power = (single(), 1..=5u32).prop_map(|((text, knot), k)| (format!("{text}^{k}"), knot));
    let many =
        (loss(), fraction(), 1..=2000u32).prop_map(|(e, d, k)| (format!("approx-dp(epsilon={e}, delta={d})^{k}"), e));
    let mixed = (loss(), loss(), fraction(), 1..=4u32, 1..=4u32).prop_map(|(e, f, d, j, k)| {
        (format!("randomized-response(epsilon={e})^{j} * approx-dp(epsilon={f}, delta={d})^{k}"), e)
    });
    let leaking =
        (single(), fraction()).prop_map(|((text, e), d)| (format!("{text} * approx-dp(epsilon=0, delta={d})"), e));
    prop_oneof![4 => single(), 4 => power, 1 => many, 1 => mixed, 3 => leaking, 2 => beside_laplace()]
}

/// A mechanism and an epsilon: a multiple of its own, or any other, negative too.
fn mechanism_and_epsilon() -> impl Strategy<Value = (Composition, Real)> {
    (mechanism(), -6..=6i32, strategy::epsilon(), any::<bool>()).prop_map(|((text, knot), j, other, at_knot)| {
        let point = if at_knot { format!("{j}*({knot})") } else { other.to_string() };
        (text.parse().expect("a mechanism"), point.parse().expect("a constant"))
    })
}

fn composition() -> impl Strategy<Value = Composition> {
    mechanism().prop_map(|(text, _)| text.parse().expect("a mechanism"))
}

fn quantity() -> impl Strategy<Value = (Composition, Quantity)> {
    (mechanism_and_epsilon(), fraction(), ratio(12), 0..8u32).prop_map(
        |((mechanism, epsilon), fraction, order, which)| {
            let quantity = match which {
                0 => Quantity::Delta { epsilon },
                1 => Quantity::Epsilon { delta: Real::from(fraction) },
                2 => Quantity::Beta { alpha: Real::from(fraction) },
                3 => Quantity::Renyi { order: Real::from(order + 1u32) },
                4 => Quantity::Kl,
                5 => Quantity::Tv,
                6 => Quantity::Chi2,
                _ => Quantity::Max,
            };
            (mechanism, quantity)
        },
    )
}

fn direction() -> impl Strategy<Value = Direction> {
    (0..DIRECTIONS.len()).prop_map(|index| DIRECTIONS[index])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn more_digits_sharpen_the_same_number((mechanism, quantity) in quantity(), direction in direction()) {
        let few = outcome(&mechanism, quantity.clone(), direction, DIGITS);
        let many = outcome(&mechanism, quantity, direction, MORE_DIGITS);
        let (wide, sharp) = (known!(known(&few)), known!(known(&many)));
        prop_assert!(wide.may_equal(&sharp), "{few:?}\n{many:?}");
        if let (Known::Between(a, b), Known::Between(c, d)) = (&wide, &sharp) {
            // As many digits as asked for, and a number that was exact stays what it was.
            for (lower, upper, digits) in [(a, b, DIGITS), (c, d, MORE_DIGITS)] {
                let width = Rational::from(upper - lower) * rug::Integer::from(rug::Integer::u_pow_u(10, digits));
                prop_assert!(width <= Rational::from(lower.abs_ref()), "{mechanism}: {lower} {upper}");
            }
            prop_assert!(a != b || (a == c && b == d), "{few:?}\n{many:?}");
        }
    }

    /// Of type II errors the worse direction has the hull of both orders, which may be below either.
    #[test]
    fn worst_is_the_worse_direction((mechanism, quantity) in quantity()) {
        let asked = |direction| ask(&mechanism, quantity.clone(), direction);
        let [worst, forward, backward] = DIRECTIONS.map(asked);
        let (worst, forward, backward) = (known!(worst), known!(forward), known!(backward));
        if let Quantity::Beta { .. } = quantity {
            prop_assert!(worst.may_be_at_most(&forward) && worst.may_be_at_most(&backward));
            let hull: Composition = format!("hull({mechanism})").parse().expect("a hull");
            let both = known!(ask(&hull, quantity, Direction::Forward));
            prop_assert!(worst.may_equal(&both), "{mechanism}: {worst:?} {both:?}");
        } else {
            prop_assert!(forward.may_be_at_most(&worst) && backward.may_be_at_most(&worst));
            prop_assert!(worst.may_equal(&forward) || worst.may_equal(&backward));
        }
    }

    #[test]
    fn delta_falls_with_epsilon(
        (mechanism, epsilon) in mechanism_and_epsilon(),
        more in ratio(3),
        direction in direction(),
    ) {
        let here = known!(delta(&mechanism, &epsilon, direction));
        let there = known!(delta(&mechanism, &epsilon.add(&Real::from(more)), direction));
        prop_assert!(there.may_be_at_most(&here), "{there:?} after {here:?}");
        prop_assert!(Known::exactly(0).may_be_at_most(&there) && here.may_be_at_most(&Known::exactly(1)));
        // At least what is lost by looking at all outcomes: 1 - e^epsilon.
        if epsilon.sign() == Some(Ordering::Less) {
            let x = known!(epsilon.as_rational().map(|epsilon| Known::exactly(epsilon.clone()).map(exp)));
            let Known::Between(x, _) = x else { return Ok(()) };
            prop_assert!(Known::exactly(1 - x).may_be_at_most(&here));
        }
    }

    #[test]
    fn epsilon_inverts_delta((mechanism, at) in mechanism_and_epsilon(), direction in direction()) {
        prop_assume!(at.sign() != Some(Ordering::Less));
        let Known::Between(lower, upper) = known!(delta(&mechanism, &at, direction)) else { return Ok(()) };
        let bits = 300;
        let at = rational_bounds(&at.enclosure(bits)).map(|(lower, upper)| Known::Between(lower, upper));
        let at = known!(at);
        // The profile is at most `upper` here, so the least such epsilon is not beyond.
        if upper <= 1 {
            let found = known!(epsilon(&mechanism, upper, direction));
            prop_assert!(found.may_be_at_most(&at), "{found:?} is beyond {at:?}");
        }
        // It is above all that is less than `lower`, so that is reached no sooner.
        let less = lower * Rational::from((999_999_999, 1_000_000_000));
        if less > 0 {
            let found = known!(epsilon(&mechanism, less, direction));
            prop_assert!(at.may_be_at_most(&found), "{found:?} is before {at:?}");
        }
    }

    #[test]
    fn delta_inverts_epsilon(mechanism in composition(), level in fraction(), direction in direction()) {
        let found = known!(epsilon(&mechanism, level.clone(), direction));
        let Known::Between(lower, upper) = found else {
            // No epsilon reaches this level, however large.
            let far = known!(delta(&mechanism, &Real::from(1000u64), direction));
            prop_assert!(Known::exactly(level).may_be_at_most(&far), "{far:?}");
            return Ok(());
        };
        prop_assert!(lower >= 0);
        let after = known!(delta(&mechanism, &Real::from(upper), direction));
        prop_assert!(after.may_be_at_most(&Known::exactly(level.clone())), "{after:?} is above {level}");
        if lower > 0 {
            let before = known!(delta(&mechanism, &Real::from(lower), direction));
            prop_assert!(Known::exactly(level.clone()).may_be_at_most(&before), "{before:?} is below {level}");
        }
    }

    #[test]
    fn beta_falls_and_stays_below_guessing(
        mechanism in composition(),
        a in fraction(),
        b in fraction(),
        direction in direction(),
    ) {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let (left, right) = (known!(beta(&mechanism, &a, direction)), known!(beta(&mechanism, &b, direction)));
        prop_assert!(right.may_be_at_most(&left), "{right:?} after {left:?}");
        prop_assert!(left.may_be_at_most(&Known::exactly(Rational::from(1 - &a))), "{left:?} at {a}");
        prop_assert!(Known::exactly(0).may_be_at_most(&right));
        // Convex: the middle is below the chord.
        let middle = Rational::from(&a + &b) / 2u32;
        let between = known!(beta(&mechanism, &middle, direction));
        if let (Known::Between(_, left), Known::Between(_, right), Direction::Forward | Direction::Backward) =
            (&left, &right, direction)
        {
            let chord = Rational::from(left + right) / 2u32;
            prop_assert!(between.may_be_at_most(&Known::exactly(chord)), "{between:?} at {middle}");
        }
    }

    /// Each point of the profile is a line below the trade-off function.
    #[test]
    fn no_test_beats_the_profile((mechanism, epsilon) in mechanism_and_epsilon(), alpha in fraction()) {
        let x = known!(rational_bounds(&epsilon.exp_number(300).enclosure(300)));
        prop_assume!(x.0 > 0);
        for (errors, supporting, reversed) in [
            (Direction::Forward, Direction::Backward, Direction::Forward),
            (Direction::Backward, Direction::Forward, Direction::Backward),
            (Direction::Worst, Direction::Worst, Direction::Worst),
        ] {
            let beta = known!(beta(&mechanism, &alpha, errors));
            let Known::Between(_, above) = known!(delta(&mechanism, &epsilon, supporting)) else { continue };
            let line: Rational = 1 - above - Rational::from(&x.1 * &alpha);
            prop_assert!(Known::exactly(line.clone()).may_be_at_most(&beta), "{errors:?}: {beta:?} is below {line}");
            // The same with the roles of the errors exchanged.
            let Known::Between(_, above) = known!(delta(&mechanism, &epsilon, reversed)) else { continue };
            let line: Rational = 1 - above - &alpha;
            let line = if line > 0 { line / &x.1 } else { line / &x.0 };
            prop_assert!(Known::exactly(line.clone()).may_be_at_most(&beta), "{errors:?}: {beta:?} is below {line}");
        }
    }

    #[test]
    fn total_variation_is_delta_at_zero(mechanism in composition(), alpha in fraction()) {
        for direction in DIRECTIONS {
            let tv = known!(ask(&mechanism, Quantity::Tv, direction));
            let at_zero = known!(delta(&mechanism, &Real::from(0u64), direction));
            prop_assert!(tv.may_equal(&at_zero), "{tv:?} {at_zero:?}");
            let Known::Between(lower, _) = known!(beta(&mechanism, &alpha, direction)) else { continue };
            prop_assert!(Known::exactly(lower).may_be_at_most(&Known::exactly(Rational::from(1 - &alpha))));
        }
    }

    #[test]
    fn divergences_are_in_order(
        mechanism in composition(),
        order in ratio(6),
        more in ratio(6),
        direction in direction(),
    ) {
        let order = order + 1u32;
        let renyi = |order: Rational| ask(&mechanism, Quantity::Renyi { order: Real::from(order) }, direction);
        let kl = known!(ask(&mechanism, Quantity::Kl, direction));
        let max = known!(ask(&mechanism, Quantity::Max, direction));
        let (low, high) = (known!(renyi(order.clone())), known!(renyi(order + more)));
        prop_assert!(Known::exactly(0).may_be_at_most(&kl), "{kl:?}");
        let in_order = kl.may_be_at_most(&low) && low.may_be_at_most(&high) && high.may_be_at_most(&max);
        prop_assert!(in_order, "{kl:?} {low:?} {high:?} {max:?}");
        // Pinsker: 2 TV^2 <= KL.
        if let Known::Between(tv, _) = known!(ask(&mechanism, Quantity::Tv, direction)) {
            prop_assert!(Known::exactly(2 * tv.square()).may_be_at_most(&kl));
        }
    }

    #[test]
    fn chi_squared_is_renyi_of_order_two(mechanism in composition(), direction in direction()) {
        let chi2 = known!(ask(&mechanism, Quantity::Chi2, direction));
        let renyi = known!(ask(&mechanism, Quantity::Renyi { order: Real::from(2u64) }, direction));
        // Beyond that the exponential is not a number worth having.
        if matches!(&renyi, Known::Between(_, upper) if *upper > 1_000_000) {
            return Ok(());
        }
        let expected = renyi.map(|x| { let (lower, upper) = exp(x); (lower - 1u32, upper - 1u32) });
        prop_assert!(chi2.may_equal(&expected), "{chi2:?} {expected:?}");
    }

    #[test]
    fn max_divergence_is_epsilon_at_delta_zero(mechanism in composition(), direction in direction()) {
        let max = known!(ask(&mechanism, Quantity::Max, direction));
        let pure = known!(epsilon(&mechanism, 0u64, direction));
        prop_assert!(max.may_equal(&pure), "{max:?} {pure:?}");
        prop_assert_eq!(matches!(max, Known::Infinite), matches!(pure, Known::Infinite));
    }

    #[test]
    fn what_reveals_nothing_changes_nothing(
        (mechanism, quantity) in quantity(),
        null in 0..7usize,
        direction in direction(),
    ) {
        let null = [
            "gdp(mu=0)", "gaussian(sigma=3, sensitivity=0)",
            "approx-dp(epsilon=0, delta=0)", "laplace(scale=1, sensitivity=0)",
            "randomized-response(epsilon=0)", "geometric(epsilon=0)", "finite(p=[1/3,2/3], q=[1/3,2/3])",
        ][null];
        let both: Composition = format!("{null}^5 * {mechanism}").parse().expect("a mechanism");
        let alone = known!(ask(&mechanism, quantity.clone(), direction));
        let together = known!(ask(&both, quantity, direction));
        prop_assert!(alone.may_equal(&together), "{alone:?} {together:?}");
    }

    /// A leak of probability d leaves 1 - (1-d)(1-delta) of the profile and (1-d) f(alpha/(1-d)) of the trade-off
    /// function.
    #[test]
    fn a_certain_leak_is_split_off(
        (mechanism, epsilon) in mechanism_and_epsilon(),
        leak in fraction(),
        alpha in fraction(),
        direction in direction(),
    ) {
        let leaking = format!("{mechanism} * approx-dp(epsilon=0, delta={leak})");
        let leaking: Composition = leaking.parse().expect("a mechanism");
        let kept = Rational::from(1 - &leak);
        let Known::Between(lower, upper) = known!(delta(&mechanism, &epsilon, direction)) else { return Ok(()) };
        let total = |delta: Rational| 1 - &kept * (1 - delta);
        let found = known!(delta(&leaking, &epsilon, direction));
        let expected = Known::Between(total(lower), total(upper));
        prop_assert!(found.may_equal(&expected), "{found:?} {expected:?}");
        let Known::Between(lower, upper) = known!(beta(&mechanism, &alpha, direction)) else { return Ok(()) };
        let found = known!(beta(&leaking, &Rational::from(&alpha * &kept), direction));
        let expected = Known::Between(lower * &kept, upper * &kept);
        prop_assert!(found.may_equal(&expected), "{found:?} {expected:?}");
    }

    #[test]
    fn running_more_reveals_no_less(
        (mechanism, epsilon) in mechanism_and_epsilon(),
        alpha in fraction(),
        direction in direction(),
    ) {
        let twice = mechanism.repeat(2).expect("a composition");
        let once = known!(delta(&mechanism, &epsilon, direction));
        let again = known!(delta(&twice, &epsilon, direction));
        prop_assert!(once.may_be_at_most(&again), "{once:?} {again:?}");
        let (once, again) = (known!(beta(&mechanism, &alpha, direction)), known!(beta(&twice, &alpha, direction)));
        prop_assert!(again.may_be_at_most(&once), "{once:?} {again:?}");
        // Additive under composition.
        let once = known!(ask(&mechanism, Quantity::Kl, direction));
        let again = known!(ask(&twice, Quantity::Kl, direction));
        let doubled = once.map(|x| (Rational::from(x * 2u32), Rational::from(x * 2u32)));
        prop_assert!(again.may_equal(&doubled), "{once:?} {again:?}");
    }

    #[test]
    fn what_is_printed_encloses(
        (mechanism, quantity) in quantity(),
        direction in direction(),
        digits in 1..=30u32,
        shown in 1..=40u32,
    ) {
        let number = known!(number(&outcome(&mechanism, quantity, direction, digits)));
        // Constants end where exponents have seven digits.
        let far = |side| decimal(&number, 1, side).split_once('e').is_some_and(|(_, exponent)| exponent.len() > 7);
        if far(Side::Lower) || far(Side::Upper) {
            return Ok(());
        }
        let set = number.enclosure(4000);
        let (lower, upper) = known!(rational_bounds(&set));
        let read = |side| decimal(&number, shown, side).parse::<Real>().expect("a printed decimal is a constant");
        let (down, up) = (read(Side::Lower), read(Side::Upper));
        let (down, up) = (down.as_rational().expect("rational"), up.as_rational().expect("rational"));
        match number.exact() {
            Some(value) => prop_assert!(down <= value && value <= up, "{down} {value} {up}"),
            None => prop_assert!(*down <= lower && upper <= *up, "{down} {set:?} {up}"),
        }
        let (low, high) = (double(&number, Side::Lower), double(&number, Side::Upper));
        prop_assert!(low <= high);
        let below = |low: Rational| low <= upper && number.exact().is_none_or(|x| low <= *x);
        let above = |high: Rational| high >= lower && number.exact().is_none_or(|x| high >= *x);
        prop_assert!(Rational::from_f64(low).is_none_or(below));
        prop_assert!(Rational::from_f64(high).is_none_or(above));
    }

    #[test]
    fn canonical_text_is_the_same_question((mechanism, point) in mechanism_and_epsilon()) {
        let text = mechanism.to_string();
        let again: Composition = text.parse().expect("canonical text");
        prop_assert_eq!(&again, &mechanism);
        prop_assert_eq!(again.to_string(), text.clone());
        prop_assert_eq!(&Composition::parse_closed(&text).expect("no files"), &mechanism);
        prop_assert_eq!(&point.to_string().parse::<Real>().expect("canonical text"), &point);
    }
}

proptest! {
    // Each case asks six engines.
    #![proptest_config(ProptestConfig::with_cases(CASES / 4))]

    #[test]
    fn engines_agree((mechanism, quantity) in quantity(), direction in direction()) {
        prop_assume!(!matches!(
            quantity,
            Quantity::Renyi { .. } | Quantity::Kl | Quantity::Chi2 | Quantity::Max
        ));
        let chosen = known!(ask(&mechanism, quantity.clone(), direction));
        for method in methods() {
            if let Some(known) = by(method, &mechanism, &quantity, direction, Patience::Little) {
                prop_assert!(known.may_equal(&chosen), "{method:?} of {mechanism}: {known:?} {chosen:?}");
            }
        }
    }
}

/// Compositions that several kinds of engines can do: the kinds agree in every quantity, and none of them is left out.
#[test]
fn engines_that_can_do_a_composition_agree() {
    use Method::{ClosedForm, Enumeration, Lattice, Quadrature};
    let compositions: [(&str, &[Method]); 11] = [
        ("randomized-response(epsilon=ln(3/2))^7", &[ClosedForm, Lattice, Enumeration]),
        ("approx-dp(epsilon=1/10, delta=1/1000)^30", &[ClosedForm, Lattice]),
        ("approx-dp(epsilon=1, delta=1/10)^3 * randomized-response(epsilon=1/2)^2", &[ClosedForm, Lattice]),
        (
            "randomized-response(epsilon=sqrt(2))^5 * geometric(epsilon=sqrt(2)/3)^4",
            &[ClosedForm, Lattice, Enumeration],
        ),
        ("gaussian(sigma=2)^4 * gdp(mu=1/3)", &[ClosedForm]),
        ("laplace(scale=3)^4 * approx-dp(epsilon=0, delta=1/100)", &[ClosedForm]),
        ("laplace(scale=3)^4 * laplace(scale=5)^2", &[ClosedForm]),
        ("staircase(epsilon=1, gamma=1/3, sensitivity=2)^3", &[Lattice, Enumeration]),
        ("poisson(rate=1/3, randomized-response(epsilon=ln(3)))^4", &[Lattice, Enumeration]),
        ("poisson(rate=0.3, randomized-response(epsilon=0.9))^3 * geometric(epsilon=1/3)^2", &[Enumeration]),
        ("discrete-gaussian(sigma2=3)^5", &[Quadrature]),
    ];
    let quantities = |point: &str, level: (u32, u32)| {
        let (point, level) = (point.parse().expect("a constant"), Real::from(Rational::from(level)));
        [
            Quantity::Delta { epsilon: point },
            Quantity::Epsilon { delta: level.clone() },
            Quantity::Beta { alpha: level },
            Quantity::Tv,
        ]
    };
    for (text, able) in compositions {
        let mechanism: Composition = text.parse().expect("a mechanism");
        for (point, level) in [("0", (1, 2)), ("ln(3/2)", (1, 20)), ("1", (1, 4000)), ("-1/3", (9, 10))] {
            for quantity in quantities(point, level) {
                for direction in DIRECTIONS {
                    let chosen = by(Method::Auto, &mechanism, &quantity, direction, Patience::Endless).expect(text);
                    for method in methods() {
                        let patience = if able.contains(&method) { Patience::Endless } else { Patience::Little };
                        let known = by(method, &mechanism, &quantity, direction, patience);
                        assert!(known.is_some() || patience == Patience::Little, "{method:?} of {text}: {quantity:?}");
                        let agrees = known.as_ref().is_none_or(|known| known.may_equal(&chosen));
                        assert!(agrees, "{method:?} of {text}, {quantity:?}: {known:?} {chosen:?}");
                    }
                }
            }
        }
    }
}

/// What was asked before changes no answer, nor who asks at the same time: not even in the last bit.
#[test]
fn a_session_answers_as_if_it_were_asked_once() {
    for text in [
        "approx-dp(epsilon=1, delta=1/10)^3 * randomized-response(epsilon=1/2)^2",
        "randomized-response(epsilon=1)^6 * randomized-response(epsilon=sqrt(2))^5",
        "staircase(epsilon=sqrt(2), gamma=1/3, sensitivity=2)^30",
        "gaussian(sigma=2)^4",
        "discrete-gaussian(sigma2=3)^5",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^5",
        "laplace(scale=3)^4 * approx-dp(epsilon=0, delta=1/100)",
        "laplace(scale=3)^4 * laplace(scale=5)^2",
        "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^5 * laplace(scale=3)^2",
    ] {
        let mechanism: Composition = text.parse().expect("a mechanism");
        let session = Session::new(mechanism.clone(), Method::Auto);
        let queries: Vec<Query> = (0..=24u32)
            .flat_map(|i| {
                let point = Real::from(Rational::from((i, 8)));
                let level = Real::from(Rational::from((i, 24)));
                let quantities = [
                    Quantity::Delta { epsilon: point },
                    Quantity::Epsilon { delta: level.clone() },
                    Quantity::Beta { alpha: level },
                    Quantity::Kl,
                ];
                quantities.map(|quantity| Query::new(quantity, mechanism.clone()).with_digits(10 + i))
            })
            .collect();
        let to_the_last_bit = |answer: Answer| format!("{:?}", known(&answer.outcome));
        let ask = |query: &Query| to_the_last_bit(session.answer(query, &Budget::default()).expect(text));
        let once = |query: &Query| to_the_last_bit(answer(query, &Budget::default()).expect(text));
        let expected: Vec<String> = queries.iter().map(once).collect();
        std::thread::scope(|scope| {
            let forth = scope.spawn(|| queries.iter().map(ask).collect::<Vec<_>>());
            let back = scope.spawn(|| queries.iter().rev().map(ask).collect::<Vec<_>>());
            assert_eq!(forth.join().expect("answers"), expected, "{text}");
            let mut back = back.join().expect("answers");
            back.reverse();
            assert_eq!(back, expected, "{text}");
        });
    }
}

/// A session is asked about something else: it answers that, and not from what it knows.
#[test]
fn a_session_knows_what_it_is_about() {
    let query = |text: &str| Query::new(Quantity::Tv, text.parse().expect("a mechanism"));
    let (one, other) = (query("randomized-response(epsilon=ln(3))^4"), query("randomized-response(epsilon=ln(3))^5"));
    let session = Session::new(one.mechanism.clone(), Method::Auto);
    assert!(session.serves(&one) && !session.serves(&other));
    assert!(!session.serves(&one.clone().with_method(Method::Lattice)));
    for query in [&one, &other, &one.clone().with_method(Method::Lattice)] {
        let [asked, expected] = [session.answer(query, &Budget::default()), answer(query, &Budget::default())]
            .map(|answer| answer.expect("an answer"));
        assert_eq!(format!("{:?}", asked.outcome), format!("{:?}", expected.outcome));
        assert_eq!(asked.method, expected.method);
    }
}

/// A stream of questions is answered as the library answers them, and each reply is a question again: the same one.
#[test]
fn replies_of_the_stream_are_the_answers() {
    let mut runner = TestRunner::deterministic();
    let queries: Vec<Query> = (0..200)
        .map(|index| {
            let drawn = (quantity(), direction(), 1..=25u32).new_tree(&mut runner).expect("a question").current();
            let ((mechanism, quantity), direction, digits) = drawn;
            let mut query = Query::new(quantity, mechanism).with_direction(direction).with_digits(digits);
            query.id = Some(format!("question {index}"));
            query
        })
        .collect();
    let mut stream = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .args(["answer", "--max-bits", "16384", "--timeout", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("dpcert starts");
    let mut questions = stream.stdin.take().expect("its input");
    let lines: Vec<String> = queries.iter().map(ToString::to_string).collect();
    let writer = std::thread::spawn(move || questions.write_all((lines.join("\n") + "\n").as_bytes()));
    let output = stream.wait_with_output().expect("its output");
    writer.join().expect("a writer").expect("all was read");
    let replies = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(replies.lines().count(), queries.len());
    for (query, reply) in queries.iter().zip(replies.lines()) {
        let reply: serde_json::Value = serde_json::from_str(reply).expect("JSON");
        let text = |field: &str| reply.get(field).and_then(|value| value.as_str()).map(str::to_string);
        // What was asked stands in the reply.
        let fields = ["id", "quantity", "mechanism", "at", "direction"];
        let mut question: serde_json::Map<_, _> =
            fields.iter().map(|&field| (field.to_string(), reply.get(field).expect(field).clone())).collect();
        question.insert("digits".to_string(), query.digits.into());
        let question: Query = serde_json::from_value(question.into()).expect("a question");
        assert_eq!(&question, query);
        // And what was answered is what the library says.
        let found = answer(query, &Budget::new(16384, Some(Duration::from_secs(2)))).expect("well-formed").outcome;
        let kind = text("kind").expect("a kind");
        match (&found, kind.as_str()) {
            // The clock may have run out for one and not for the other.
            (Outcome::Undecided(_), _) | (_, "undecided") => {}
            (Outcome::Infinite, "infinite") | (Outcome::Undefined(_), "undefined") => {}
            (Outcome::Exact(value), "exact") => assert_eq!(text("exact"), Some(value.to_string())),
            (Outcome::Enclosure(_), "enclosure") => {}
            (found, kind) => panic!("{query:?}: {kind}, but {found:?}"),
        }
        if let (Some(number), "exact" | "enclosure") = (number(&found), kind.as_str()) {
            assert_eq!(text("lower"), Some(decimal(&number, query.digits + 1, Side::Lower)), "{query:?}");
            assert_eq!(text("upper"), Some(decimal(&number, query.digits + 1, Side::Upper)), "{query:?}");
        }
    }
}

/// The comparisons themselves: they call only what is proven.
#[test]
fn comparisons_are_certified() {
    let between = |a: u32, b: u32| Known::Between(Rational::from(a), Rational::from(b));
    assert!(between(1, 3).may_be_at_most(&between(2, 4)) && between(2, 4).may_be_at_most(&between(1, 3)));
    assert!(!between(4, 5).may_be_at_most(&between(1, 3)) && between(1, 3).may_be_at_most(&between(4, 5)));
    assert!(between(1, 3).may_equal(&between(3, 4)) && !between(1, 2).may_equal(&between(3, 4)));
    assert!(between(1, 2).may_be_at_most(&Known::Infinite) && !Known::Infinite.may_be_at_most(&between(1, 2)));
}
