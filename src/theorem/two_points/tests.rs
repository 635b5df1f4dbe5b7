//! Two outcomes against single formulas, and the standard conversions above them.

use proptest::prelude::*;

use super::*;
use crate::theorem::renyi::OneOrder;

fn real(text: &str) -> Real {
    text.parse().unwrap()
}

/// `ask` of the bound r at an order.
fn with<T>(order: &str, r: &str, ask: impl FnOnce(&Bound) -> T) -> T {
    let r = real(r);
    ask(&Bound { order: real(order), divergence: &|bits| Ok(r.enclosure(bits)) })
}

/// The two outcomes that are found keep the bounds, and one of them is attained.
#[test]
fn the_bound_is_attained() {
    let budget = Budget::default();
    for (order, r, alpha) in [("2", "1", "1/10"), ("3/2", "1/100", "1/3"), ("8", "1/4", "1/1000"), ("5", "6", "9/10")] {
        let alpha = real(alpha);
        let beta = with(order, r, |bound| bound.beta(&|bits| alpha.enclosure(bits), 200, &budget)).unwrap();
        let one = Enclosure::one(200);
        let a = real(order).enclosure(200);
        let t = &a - &one;
        let most = (&t * &real(r).enclosure(200)).exp();
        let moment = |p: &Enclosure, q: &Enclosure| (&(&p.ln() * &a) - &(&q.ln() * &t)).exp();
        let both = |p: &Enclosure, q: &Enclosure| moment(p, q) + moment(&(&one - p), &(&one - q));
        let (alpha, kept) = (alpha.enclosure(200), &one - &beta);
        let (forward, backward) = (both(&alpha, &kept), both(&kept, &alpha));
        assert!(forward.max(&backward).overlaps(&most), "{order} {r}: {forward:?} {backward:?} {most:?}");
        assert!(beta.relative_bits() > Some(150), "{beta:?}");
    }
}

/// At order 2, where the chi-squared divergence of two outcomes is `(p-q)^2/(q(1-q))`.
#[test]
fn order_two_is_a_quadratic_equation() {
    let budget = Budget::default();
    let (alpha, r) = (real("1/5"), real("1/3"));
    let beta = with("2", "1/3", |bound| bound.beta(&|bits| alpha.enclosure(bits), 120, &budget)).unwrap();
    // (p - alpha)^2 <= c p (1-p) and (p - alpha)^2 <= c alpha (1-alpha), of p = 1 - beta, c = e^(1/3) - 1.
    let c = r.enclosure(200).expm1();
    let p = Enclosure::one(200) - &beta;
    let square = (&p - &alpha.enclosure(200)).square();
    let one = Enclosure::one(200);
    let first = &c * &(&p * &(&one - &p));
    let second = &c * &(&alpha.enclosure(200) * &(&one - &alpha.enclosure(200)));
    assert!(first.min(&second).overlaps(&square), "{square:?} {first:?} {second:?}");
}

/// No epsilon is needed where no distance is above delta. At order 2 that of r is found by `e^r - 1 = 4 d^2/(1-d^2)`,
/// which is 4/3 at 1/2.
#[test]
fn a_delta_above_every_distance_is_enough() {
    let (budget, half) = (Budget::default(), real("1/2"));
    let within = |order, r: &str, delta: &Real| with(order, r, |bound| bound.is_within(delta)).unwrap();
    assert!(within("2", "ln(7/3) - 1e-9", &half) && !within("2", "ln(7/3) + 1e-9", &half));
    let least = with("2", "ln(7/3) + 1e-2", |bound| bound.delta(&Real::zero(), 80, &budget)).unwrap();
    assert!(*least.lower() > 0.5 && *least.upper() < 0.51, "{least:?}");
    // Pinsker's inequality is enough where this is, next to order 1.
    for (order, r, delta) in [("101/100", "1/4", "99/100"), ("1+1e-12", "1/50", "1/10"), ("1+1e-30", "2e-8", "1/10000")]
    {
        assert!(within(order, r, &real(delta)), "{order}");
        let none = with(order, r, |bound| bound.epsilon(&real(delta), 80, &budget)).unwrap();
        assert_eq!(none.exact().map(|zero| zero.is_zero()), Some(true), "{order}");
    }
    assert!(!within("1+1e-12", "1/50", &real("99/1000")));
    let kl = kl_apart(&half, 200);
    assert!(kl.overlaps(&real("ln(3)/2").enclosure(200)), "{kl:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Epsilon at delta and delta at epsilon are inverse, no conversion promises less, and no pair of two outcomes that
    /// keeps the bound has more.
    #[test]
    fn conversions_lose_and_two_outcomes_do_not(t in 1u32..80, r in 1u32..40, level in 2i32..12) {
        prop_assert_eq!(inverse(&format!("1 + {t}/8"), &format!("{r}/16"), &real(&format!("1/10^{level}"))), Ok(()));
    }
}

/// Orders next to 1, where the standard conversion is far off, and large ones.
#[test]
fn orders_near_one_and_far_from_it() {
    for order in ["1 + 1/64", "9/8", "5/4", "3/2", "7/4", "100"] {
        for (bound, delta) in [("1/16", "1e-2"), ("1", "1e-5"), ("5/2", "1e-10")] {
            assert_eq!(inverse(order, bound, &real(delta)), Ok(()), "{order} {bound} {delta}");
        }
    }
}

/// Is the epsilon at delta the inverse of the delta at epsilon, and not above what conversions promise?
fn inverse(order: &str, bound: &str, delta: &Real) -> Result<(), String> {
    let budget = Budget::default();
    let error = |error: crate::error::Error| format!("{order} {bound}: {error}");
    let best = with(order, bound, |bound| bound.epsilon(delta, 80, &budget)).map_err(error)?.enclosure(80);
    let one = OneOrder::new(real(order), real(bound)).map_err(error)?;
    for other in [one.standard_epsilon(delta, 80), one.asoodeh(delta, 80), one.mironov(delta, 80)] {
        let other = other.map_err(error)?.enclosure(80);
        if best.lower() > other.upper() {
            return Err(format!("{best:?} is above {other:?}"));
        }
    }
    if *best.upper() == 0 {
        let least = with(order, bound, |bound| bound.delta(&Real::zero(), 80, &budget)).map_err(error)?;
        return if least.upper() <= delta.enclosure(80).lower() { Ok(()) } else { Err(format!("{least:?} at 0")) };
    }
    if best.relative_bits() <= Some(40) {
        return Err(format!("{best:?} is wide"));
    }
    let at = Real::from(best.upper().to_rational().ok_or("no number")?);
    let back = with(order, bound, |bound| bound.delta(&at, 80, &budget)).map_err(error)?;
    let ratio = &back / &delta.enclosure(80);
    if !(*ratio.lower() <= 1 && *ratio.upper() > 0.999_999) {
        return Err(format!("{back:?} is not {delta}"));
    }
    // Some two outcomes, well inside of (0, 1).
    let alpha = real("1/7");
    let beta = with(order, bound, |bound| bound.beta(&|bits| alpha.enclosure(bits), 80, &budget)).map_err(error)?;
    let lost = &(&Enclosure::one(80) - &beta) - &(&at.enclosure(80).exp() * &alpha.enclosure(80));
    if *lost.lower() <= *back.upper() { Ok(()) } else { Err(format!("{lost:?} is above {back:?}")) }
}
