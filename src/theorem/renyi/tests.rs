//! The best of all orders: against orders one by one, closed forms, and the truth.

use super::*;
use crate::compose::reference::assert_agrees;
use crate::theorem::zcdp::Zcdp;
use enclosure::Portable;

fn real(text: &str) -> Real {
    text.parse().unwrap()
}

/// `rho a`: the divergences of a Gaussian.
fn line(rho: &str) -> impl Fn(&Real, u32) -> Result<Enclosure, Error> {
    let rho = real(rho);
    move |order, bits| Ok(&order.enclosure(bits) * &rho.enclosure(bits))
}

/// Another algorithm finds the best order from a derivative.
#[test]
fn the_best_order_of_a_line() {
    let budget = Budget::default();
    for (rho, delta) in [("0.0949", "1e-11"), ("4.9622", "1e-10"), ("1/1000", "1/10"), ("500", "1e-300"), ("7", "1/2")]
    {
        let delta = real(delta);
        let best = best_epsilon(&line(rho), &delta, 160, &budget).unwrap();
        let closed = Zcdp::new(real(rho)).unwrap().canonne_kamath_steinke(&delta, 160, &budget).unwrap();
        let (best, closed) = (best.enclosure(160), closed.enclosure(160));
        assert!(best.overlaps(&closed), "{rho} {best:?} {closed:?}");
        assert!(best.is_point() || best.relative_bits() > Some(120), "{rho} {best:?}");
    }
}

/// Delta at the epsilon of a delta is that delta.
#[test]
fn delta_and_epsilon_are_inverse() {
    let budget = Budget::default();
    for (rho, delta) in [("0.0949", "1e-11"), ("4.9622", "1e-10"), ("1/4", "1/100")] {
        let epsilon = best_epsilon(&line(rho), &real(delta), 160, &budget).unwrap().enclosure(160);
        let at = |end: &Float| {
            let at = Real::from(end.to_rational().unwrap());
            best_delta(&line(rho), &at, 160, &budget).unwrap().enclosure(160)
        };
        let both = at(epsilon.lower()).hull(&at(epsilon.upper()));
        assert!(both.contains(real(delta).as_rational().unwrap()), "{both:?}");
        assert!(both.relative_bits() > Some(100), "{both:?}");
    }
}

/// Wherever a search begins it finds the same, and from the best order of doubles as many digits.
#[test]
fn searches_begin_anywhere() {
    let budget = Budget::default();
    for (rho, delta) in [("0.0949", "1e-11"), ("4.9622", "1e-10"), ("1/4", "1/100")] {
        let (slope, log) = (real(rho).to_f64(), -real(delta).to_f64().portable_ln());
        let epsilon = best_epsilon(&line(rho), &real(delta), 80, &budget).unwrap().enclosure(80);
        let at = real("2/3").mul(&Real::from(epsilon.lower().to_rational().unwrap())).unwrap();
        let least = best_delta(&line(rho), &at, 80, &budget).unwrap().enclosure(80);
        let about = |t: f64| slope * (1.0 + t) + log / t + t.portable_ln() - (1.0 + 1.0 / t) * t.portable_ln_1p();
        let best = least_in_doubles(&|t| Some(about(t))).unwrap();
        for t in [best, best * 1.0001, best * 2.0, best / 50.0] {
            for start in [Start::At(t), Start::Near(t)] {
                let one = best_epsilon_from(&line(rho), &real(delta), start, 80, &budget).unwrap().value.enclosure(80);
                let other = best_delta_from(&line(rho), &at, start, 80, &budget).unwrap().value.enclosure(80);
                assert!(one.overlaps(&epsilon) && other.overlaps(&least), "{rho} {start:?}: {one:?} {other:?}");
                assert!(one.relative_bits() >= Some(60), "{rho} {start:?}: {one:?}");
            }
        }
    }
    // Nothing is the least of what rises, or is unknown.
    assert!(least_in_doubles(&|t| Some(t)).is_none() && least_in_doubles(&|_| None).is_none());
    let found = least_in_doubles(&|t| Some((t - 7.0).powi(2))).unwrap();
    assert!((6.99999..7.00001).contains(&found), "{found}");
}

/// What any one order says is no less.
#[test]
fn no_order_is_better() {
    let budget = Budget::default();
    let response = |order: &Real, bits: u32| {
        // Randomised response at epsilon 1: ln(cosh((2a-1)/2)/cosh(1/2))/(a-1).
        let twice = order.mul_rational(&Rational::from(2)).sub(&Real::one()).enclosure(bits).shift(-1);
        let cosh = |x: Enclosure| (&x.exp() + &(-&x).exp()).shift(-1);
        let ratio = cosh(twice) / cosh(Enclosure::one(bits).shift(-1));
        Ok(ratio.ln() / order.sub(&Real::one()).enclosure(bits))
    };
    assert_agrees(&Number::Enclosed(response(&real("2"), 200).unwrap()), "0.7353256640555192247099304248868343560266");
    let (delta, epsilon) = (real("1/50"), real("3/5"));
    let best = best_epsilon(&response, &delta, 100, &budget).unwrap().enclosure(100);
    let least = best_delta(&response, &epsilon, 100, &budget).unwrap().enclosure(100);
    assert!(best.relative_bits() > Some(70) && least.relative_bits() > Some(70), "{best:?} {least:?}");
    let mut reached = false;
    for step in -40..160 {
        let order = real(&format!("1 + 2^({step}/8)"));
        let bound = Real::from(response(&order, 100).unwrap().upper().to_rational().unwrap());
        let one = OneOrder::new(order, bound).unwrap().standard_epsilon(&delta, 100).unwrap().enclosure(100);
        assert!(best.lower() <= one.upper(), "{step}: {one:?} {best:?}");
        reached |= (&one - &best).upper().to_f64() < 1e-3;
    }
    assert!(reached);
    // The exact delta of randomised response is (x - e^epsilon)/(1 + x), and epsilon the inverse.
    let x = Enclosure::one(100).exp();
    let exact = &(&x - &epsilon.enclosure(100).exp()) / &(&Enclosure::one(100) + &x);
    assert!(exact.upper() <= least.lower(), "{exact:?} {least:?}");
}

#[test]
fn hypotheses_are_checked() {
    let budget = Budget::default();
    for delta in ["0", "1", "-1", "3/2"] {
        assert!(matches!(best_epsilon(&line("1"), &real(delta), 64, &budget), Err(Error::Undefined(_))));
        let one = OneOrder::new(real("2"), real("1")).unwrap();
        assert!(matches!(one.mironov(&real(delta), 64), Err(Error::Undefined(_))));
        assert!(matches!(one.asoodeh(&real(delta), 64), Err(Error::Undefined(_))));
    }
    for (order, bound) in [("1", "1"), ("1/2", "1"), ("2", "-1")] {
        assert!(matches!(OneOrder::new(real(order), real(bound)), Err(Error::Undefined(_))));
    }
    // Nothing below the largest loss: the best order is infinite.
    let bounded = |_: &Real, bits: u32| Ok(Enclosure::one(bits));
    assert!(matches!(best_delta(&bounded, &real("2"), 64, &budget), Err(Error::Undecided(_))));
}
