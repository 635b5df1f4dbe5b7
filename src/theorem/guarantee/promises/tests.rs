//! Promises against the best bounds there are, and polylines against curves of what keeps the guarantee.

use std::cmp::Ordering;

use super::*;
use crate::compose::{Method, curve};
use enclosure::Number;

fn read(text: &str) -> Composition {
    Composition::parse_closed(text).expect(text)
}

const DETAIL: Detail = Detail { count: 24, depth: 60 };

const GUARANTEES: [&str; 7] = [
    "zcdp(rho=1/10)",
    "zcdp(rho=1e-6)",
    "zcdp(rho=8)",
    "cdp(mu=3/4, tau=1)",
    "rdp(order=8, epsilon=1/4)",
    "rdp(order=11/10, epsilon=1)",
    "rdp(order=64, epsilon=1/1000)",
];

fn polyline(text: &str) -> TradeOff {
    Guarantee::of(&read(text)).expect(text).expect(text).polyline(DETAIL, &Budget::default()).expect(text)
}

/// No promise is below the best bound of delta, and each is below, or at, that of the standard conversion.
#[test]
fn promises_follow_from_the_guarantee() {
    let budget = Budget::default();
    for text in GUARANTEES {
        let guarantee = Guarantee::of(&read(text)).expect(text).expect(text);
        let (start, slope) = (guarantee.line.0.to_f64(), guarantee.line.1.to_f64());
        let bounds = match &guarantee.one_order {
            Some((order, r)) => {
                let t = order.sub(&Real::one()).to_f64().next_down();
                Bounds { start: r.to_f64(), slope: 0.0, only: Some(t) }
            }
            None => Bounds { start, slope, only: None },
        };
        let mut some = 0;
        for epsilon in bounds.epsilons(Detail { count: 6, depth: 30 }) {
            let bound = |order: &Real| guarantee.finite(order, Direction::Worst, BITS, &budget).ok();
            let Some((x, delta)) = bounds.sketch(epsilon).and_then(|sketch| sketch.promise(bound)) else { continue };
            let at = Real::from(x).ln().expect("a logarithm");
            let best = guarantee.delta(&at, Direction::Worst, 64, &budget).expect(text).enclosure(64);
            assert!(*best.lower() <= delta, "{text} at {epsilon}: {best:?} {delta}");
            let standard = guarantee.converted_delta(&at, 64, &budget).expect(text).expect(text);
            let all = guarantee.one_order.is_none();
            assert!(all || *standard.lower() > delta, "{text} at {epsilon}: {standard:?} {delta}");
            some += 1;
        }
        assert!(some >= 4, "{text}: {some}");
    }
}

/// What keeps the guarantee is at least as private as the polyline, which is symmetric.
#[test]
fn polylines_are_below_what_keeps_the_guarantee() {
    let budget = Budget::default();
    for (text, kept) in [
        ("zcdp(rho=1/10)", "gdp(mu=sqrt(1/5))"),
        ("zcdp(rho=8)", "gdp(mu=4)"),
        ("zcdp(rho=1/2)", "randomized-response(epsilon=1)"),
        ("cdp(mu=1/8, tau=1/2)", "gdp(mu=1/2)"),
        ("rdp(order=8, epsilon=1/4)", "finite(p=[28/10000, 9972/10000], q=[1/1000, 999/1000])"),
        ("rdp(order=3, epsilon=3/4)", "gdp(mu=sqrt(1/2))"),
    ] {
        let f = polyline(text);
        assert!(f.is_symmetric(), "{text}");
        let curve = curve(&read(kept), Method::Auto, &budget).expect(kept);
        for power in [(1, 1), (11, 10), (2, 1), (5, 1), (20, 1)].map(Rational::from) {
            let bound = f.delta(&power, Direction::Worst).expect("a delta");
            let at = Real::from(power).ln().expect("a logarithm");
            for side in [Direction::Forward, Direction::Backward] {
                let exact = curve.delta(&at, side, 64, &budget).expect(kept);
                let order = Number::from(&crate::number::Fraction::new(bound.clone())).compare(&exact);
                assert_ne!(order, Some(Ordering::Less), "{text} {kept}: {bound} {exact:?}");
            }
        }
    }
}

/// With `e^epsilon = 3`, twice: slopes 9, 1 and 1/9, with corners at 1/12 and 1/4.
#[test]
fn groups_by_hand() {
    let one = |a: i32, b: u32| Rational::from((a, b));
    let f = TradeOff::approximate_dp(&one(3, 1), &Rational::new()).expect("a curve");
    let corners = [(one(0, 1), one(1, 1)), (one(1, 12), one(1, 4)), (one(1, 4), one(1, 12)), (one(1, 1), one(0, 1))];
    let exact = TradeOff::new(corners.to_vec()).expect("a curve");
    let short = grouped(&f, 2, &Budget::default()).expect("a group").expect("a few segments");
    assert_eq!(short, shortened(&exact).expect("a curve"));
    assert_eq!(exact.falls_below(&short), None);
    for size in [0, 1, 3, 7] {
        let exact = f.group(size, 1000).expect("a group");
        let short = grouped(&f, size, &Budget::default()).expect("a group").expect("a few segments");
        assert_eq!(exact.falls_below(&short), None, "{size}");
    }
}

/// What becomes short falls, by less than the last bit of the least number for each coordinate.
#[test]
fn short_polylines_are_below() {
    let f = polyline("zcdp(rho=1/10)");
    let third = f
        .tensor(
            &TradeOff::approximate_dp(&Rational::from((7, 3)), &Rational::from((1, 7))).expect("a curve"),
            1000,
            &Budget::default(),
        )
        .expect("a product");
    let short = shortened(&third).expect("a curve");
    assert_eq!(third.falls_below(&short), None);
    assert!(short.size() < third.size() && short.vertices().len() > third.vertices().len() / 2);
}

/// Guarantees of one kind alone have the best bound; whatever is beside them or done to them may have a better one.
#[test]
fn promises_are_asked_where_they_may_help() {
    for text in [
        "gdp(mu=1)^3 * laplace(scale=1)",
        "pure-dp(epsilon=1) * gdp(mu=1)",
        "zcdp(rho=1/10)",
        "zcdp(rho=1/10)^5 * cdp(mu=1, tau=1)",
        "rdp(order=8, epsilon=1/4)^3 * rdp(order=8, epsilon=1/2)",
        "zcdp(rho=1) * gdp(mu=0)",
        "hull(inverse(zcdp(rho=1/10)))",
        "mixture(1/2: zcdp(rho=1/10), 1/2: gdp(mu=1))",
        "group(k=1, zcdp(rho=1/10))",
        "group(k=0, zcdp(rho=1/10) * gdp(mu=1))",
    ] {
        assert!(!helps(&read(text)), "{text}");
    }
    for text in [
        "zcdp(rho=1/10) * gdp(mu=1)",
        "zcdp(rho=1/10) * rdp(order=8, epsilon=1/4)",
        "rdp(order=7, epsilon=1) * rdp(order=8, epsilon=1/4)",
        "group(k=2, zcdp(rho=1/10))",
        "inverse(zcdp(rho=1/10))^2",
        "mixture(1/2: zcdp(rho=1/10) * laplace(scale=1), 1/2: gdp(mu=1))",
        "poisson(rate=1/2, rdp(order=8, epsilon=1/4))",
    ] {
        assert!(helps(&read(text)), "{text}");
    }
}

/// Everything has a pair then, and guarantees of one kind are one.
#[test]
fn promises_have_pairs() {
    for (text, kinds) in [
        ("zcdp(rho=1/10)^3 * cdp(mu=1, tau=1) * laplace(scale=1)^2", 2),
        ("rdp(order=7, epsilon=1)^2 * rdp(order=8, epsilon=1/4) * zcdp(rho=1)", 3),
        ("poisson(rate=1/2, mixture(1: zcdp(rho=1) * zcdp(rho=1/2)))^10", 1),
        ("subsample(rate=1/3, inverse(group(k=2, hull(zcdp(rho=1/10)))))", 1),
        ("mixture(1/2: symmetrize(rdp(order=8, epsilon=1)), 1/2: zcdp(rho=1/10))", 1),
    ] {
        let found = by_promises(&read(text), DETAIL, &Budget::default()).expect(text);
        assert_eq!(found.factors().len(), kinds, "{text}");
        assert!(found.pairs().is_ok() && !found.has_guarantee(), "{text}");
    }
}

/// What fails outright beside a guarantee fails in a group of one, too.
#[test]
fn failures_are_not_lost() {
    for (text, kept) in [
        ("group(k=1, zcdp(rho=1/10) * approx-dp(epsilon=0, delta=1/10))", (9, 10)),
        ("group(k=1, group(k=1, rdp(order=8, epsilon=1/4) * approx-dp(epsilon=0, delta=1/3)))", (2, 3)),
    ] {
        let found = by_promises(&read(text), DETAIL, &Budget::default()).expect(text);
        let f = Pair::several(found.pairs().expect(text)).trade_off().expect(text).expect(text);
        assert!(f.evaluate(&Rational::new()).expect("a value") <= Rational::from(kept), "{text}");
    }
}

/// Where bounds are next to nothing doubles have no digits left: promises are found all the same, of short numbers, and
/// a smaller bound never promises less.
#[test]
fn next_to_nothing_is_promised_in_short_numbers() {
    let mut last = None;
    for guarantee in ["zcdp(rho=1e-6)", "zcdp(rho=1e-15)", "zcdp(rho=1e-30)", "zcdp(rho=1e-300)"] {
        let f = polyline(guarantee);
        let bits = |x: &Rational| x.numer().significant_bits().max(x.denom().significant_bits());
        let longest = f.vertices().iter().flat_map(|(a, b)| [bits(a), bits(b)]).max().expect("vertices");
        assert!(longest < 1 << 13, "{guarantee}: {longest}");
        let advantage = |f: &TradeOff| f.vertices().iter().map(|(a, b)| Rational::from(1 - a) - b).max();
        let most = advantage(&f).expect("vertices");
        assert!(last.is_none_or(|last| most <= last), "{guarantee}: {most}");
        last = Some(most);
    }
}
