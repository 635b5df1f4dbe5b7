use proptest::prelude::*;
use rug::ops::Pow;

use super::*;
use crate::compose::Method;
use crate::pair::FinitePair;
use crate::pair::TradeOff;
use enclosure::special::normal_cdf;
use enclosure::{bits_of_digits, refine};

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

fn of(mechanism: &str) -> Canonical<'static> {
    let engines = Engines::new(mechanism.parse().expect("a mechanism"), Method::Auto);
    Canonical::new(Box::leak(Box::new(engines)))
}

fn cdf(noise: &Canonical, y: &Real) -> Number {
    let budget = Budget::default();
    refine(20, &budget, |bits| noise.cdf(y, bits, &budget)).expect("a number")
}

fn quantile(noise: &Canonical, p: &Real) -> Number {
    let budget = Budget::default();
    refine(20, &budget, |bits| noise.quantile(p, bits, &budget)).expect("a number")
}

fn exact(number: &Number) -> Rational {
    number.exact().expect("rational").clone()
}

/// The Tulap law in closed form: for `y <= 0`, r the nearest integer and `b = 1/x`,
/// `F(y) = b^-r (b + (y - r + 1/2)(1 - b))/(1 + b)`.
fn tulap(x: &Rational, y: &Rational) -> Rational {
    if *y > 0 {
        return 1 - tulap(x, &Rational::from(-y));
    }
    let r = y.clone().round();
    let b = Rational::from(x.recip_ref());
    let power = Rational::from(Pow::pow(&b, Rational::from(-&r).numer().to_u32().expect("few steps")));
    let offset = Rational::from(y - &r) + Rational::from((1, 2));
    let inside = &b + offset * Rational::from(1 - &b);
    power * inside / (1 + b)
}

/// What is symmetric as a whole has one, whether that is seen of the pairs or of the curve: `1 - F(1) = f(F(0))`.
#[test]
fn wholes_are_symmetric() {
    let (m, few) = ("poisson(rate=1/4, gaussian(sigma=1))", "poisson(rate=1/3, geometric(epsilon=1/3, sensitivity=2))");
    let budget = Budget::default();
    for whole in [format!("mixture(1/2: {m}, 1/2: inverse({m}))"), format!("{few}^2 * inverse({few})^2")] {
        let noise = of(&whole);
        let truth =
            noise.engines.ask(&budget, |curve, budget| curve.beta(&real("1/2"), Direction::Backward, 80, budget));
        let truth = &Number::one() - &truth.expect("a value");
        let found = cdf(&noise, &real("1")).enclosure(80);
        assert!(found.overlaps(&truth.enclosure(80)), "{whole}: {found:?} {truth:?}");
    }
    for other in [m.to_string(), format!("{few}^2 * inverse({few})")] {
        assert!(matches!(of(&other).cdf(&real("1"), 64, &budget), Err(Error::Undefined(_))), "{other}");
    }
}

/// Far to the right it is next to 1, however far that is; as far to the left it is not followed.
#[test]
fn far_to_the_right_it_is_one() {
    let noise = of("gdp(mu=1)");
    for y in ["50", "300000", "1e9", "1e300", "1e9 + ln(2)"] {
        let set = cdf(&noise, &real(y)).enclosure(100);
        assert!(*set.upper() == 1 && 1 - set.lower().clone() < 1e-20, "{y}: {set:?}");
    }
    let (budget, far) = (Budget::default(), real("-1e9"));
    assert!(matches!(noise.cdf(&far, 100, &budget), Err(Error::Undecided(_))));
    // Where it is not next to 1 nothing is made up: 1 - F(30) = e^-30/2 of the Tulap law.
    let noise = of("randomized-response(epsilon=1)");
    let tail = Number::one() - cdf(&noise, &real("30"));
    let (tail, power) = (tail.enclosure(100), (-Enclosure::integer(&30.into(), 100)).exp());
    assert!((&tail / &power).contains(&Rational::from((1, 2))), "{tail:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// For pure differential privacy it is the Tulap law, exactly; quantiles invert it, exactly; and it is symmetric.
    #[test]
    fn tulap_is_a_special_case(x in 6u32..40, numer in -400i32..400, denom in 1u32..60) {
        let (x, y) = (Rational::from((x, 5)), Rational::from((numer, denom)));
        let noise = of(&format!("randomized-response(epsilon=ln({x}))"));
        let value = exact(&cdf(&noise, &Real::from(y.clone())));
        prop_assert_eq!(&value, &tulap(&x, &y));
        prop_assert_eq!(exact(&quantile(&noise, &Real::from(value.clone()))), y.clone());
        prop_assert_eq!(exact(&cdf(&noise, &Real::from(-y))), 1 - value);
    }
}

/// At integers plus 1/2 Gaussian canonical noise is a composition of `G_mu` with itself, which has a closed form:
/// `F(k + 1/2) = Phi(mu (k + 1/2))`.
#[test]
fn gaussian_noise_at_half_integers() {
    let (budget, bits) = (Budget::default(), 150);
    for mu in ["1/2", "1", "3"] {
        let noise = of(&format!("gdp(mu={mu})"));
        for y in ["-7/2", "-1/2", "1/2", "3/2", "5/2"] {
            let z = real(mu).mul(&real(y)).expect("a product").enclosure(bits);
            let phi = normal_cdf(&z, bits, &budget).expect("a number");
            let value = cdf(&noise, &real(y)).enclosure(bits);
            assert!(value.overlaps(&phi), "{mu} at {y}: {value:?} {phi:?}");
            assert!(value.relative_bits() >= Some(i64::from(bits_of_digits(18))));
        }
    }
    // At 9/4 it is Phi(2 + z) with Phi(z) = F(1/4) on the middle piece, by another program.
    let noise = of("gdp(mu=1)");
    let near = "0.98752942920351663291496169025827965864517315294218";
    let printed = real(near).enclosure(200).widen(&Float::with_val(64, 1e-30));
    assert!(cdf(&noise, &real("9/4")).enclosure(100).overlaps(&printed));
}

/// `T(Z, Z+1)(a) = F(F^-1(1-a) - 1) = f(a)`: the noise is exactly as private as it may be.
#[test]
fn at_distance_one_it_is_the_given_function() {
    let budget = Budget::default();
    for mechanism in
        ["gdp(mu=1)", "laplace(scale=1)", "randomized-response(epsilon=1)^3", "approx-dp(epsilon=1, delta=1/10)"]
    {
        let noise = of(mechanism);
        let engines = Engines::new(mechanism.parse().expect("a mechanism"), Method::Auto);
        for alpha in ["1/100", "1/5", "2/5", "3/4"] {
            let f = engines.ask(&budget, |curve, budget| {
                refine(20, budget, |bits| curve.beta(&real(alpha), Direction::Forward, bits, budget))
            });
            let f = f.expect("a type II error").enclosure(150);
            let y = quantile(&noise, &Real::one().sub(&real(alpha))).enclosure(150);
            let at = |end: &Float| {
                let y = Real::from(end.to_rational().expect("finite")).sub(&Real::one());
                cdf(&noise, &y).enclosure(150)
            };
            let value = at(y.lower()).hull(&at(y.upper()));
            assert!(value.overlaps(&f), "{mechanism} at {alpha}: {value:?} {f:?}");
        }
    }
}

/// At smaller distances it is at least as private. With delta the support is bounded and the density a step function,
/// so noise and shifted noise are a finite pair, whose trade-off function is known exactly.
#[test]
fn at_smaller_distances_it_is_more_private() {
    let (x, delta) = (Rational::from(3), Rational::from((1, 10)));
    let noise = of("approx-dp(epsilon=ln(3), delta=1/10)");
    let f = TradeOff::approximate_dp(&x, &delta).expect("a trade-off function");
    for (numer, denom) in [(1u32, 4u32), (1, 2), (3, 4), (1, 1)] {
        let shift = Rational::from((numer, denom));
        // Every breakpoint of F is a half-integer here or where it reaches 0 and 1, which the grid of 1/4 and both
        // ends hold.
        let ends = [quantile_end(&noise, false), quantile_end(&noise, true)];
        let mut cuts: Vec<Rational> = (-40..=40).map(|k| Rational::from((k, 4))).collect();
        cuts.extend(ends.iter().cloned());
        cuts.extend(ends.iter().map(|end| Rational::from(end + &shift)));
        cuts.sort();
        cuts.dedup();
        let at = |y: &Rational| exact(&cdf(&noise, &Real::from(y.clone())));
        let masses = |by: &Rational| -> Vec<Rational> {
            let moved: Vec<Rational> = cuts.iter().map(|y| at(&Rational::from(y - by))).collect();
            moved.windows(2).map(|pair| Rational::from(&pair[1] - &pair[0])).collect()
        };
        let pair = FinitePair::new(masses(&Rational::new()), masses(&shift)).expect("two distributions");
        let t = TradeOff::from_pair(&pair);
        assert_eq!(t.falls_below(&f), None, "{shift}");
        assert_eq!(shift == 1, t == f, "{shift}");
    }
}

/// Where the distribution function reaches 0 or 1: the piece in which it does is linear.
fn quantile_end(noise: &Canonical, upper: bool) -> Rational {
    let budget = Budget::default();
    let at = |p: Rational| exact(&noise.quantile(&Real::from(p), 64, &budget).expect("a quantile"));
    // Two quantiles of the last piece, and the line through them.
    let (a, b) = (Rational::from((1, 1_000_000)), Rational::from((1, 500_000)));
    let (first, second) = (at(a), at(b));
    let low = Rational::from(&first * 2u32) - second;
    if upper { -low } else { low }
}

#[test]
fn what_has_no_canonical_noise_says_so() {
    let budget = Budget::default();
    let ask = |mechanism: &str| of(mechanism).cdf(&Real::one(), 64, &budget);
    assert!(matches!(ask("finite(p=[1/2, 1/2], q=[1/3, 2/3])"), Err(Error::Undefined(_))));
    assert!(matches!(ask("gaussian(sigma=1, sensitivity=0)"), Err(Error::Undefined(_))));
    let noise = of("gdp(mu=1)");
    for p in ["0", "1"] {
        assert!(matches!(noise.quantile(&real(p), 64, &budget), Err(Error::Undefined(_))));
    }
    assert!(noise.quantile(&real("2"), 64, &budget).is_err());
    assert!(exact(&quantile(&noise, &real("1/2"))).is_zero());
}
