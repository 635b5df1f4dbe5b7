use rug::{Float, Rational};

use super::*;
use crate::special::normal_cdf;
use crate::{Budget, Error};

fn at(numer: i64, denom: i64) -> Enclosure {
    Enclosure::rational(&Rational::from((numer, denom)), 200)
}

fn float(x: f64) -> Float {
    Float::with_val(64, x)
}

fn one(low: f64, high: f64, bits: u32, f: impl Fn(&Taylor) -> Taylor) -> Enclosure {
    let ends = (&float(low), &float(high));
    let all = integrate(ends, 3, bits, &Budget::default(), |x| Ok::<_, Error>(vec![f(x)])).expect("an integral");
    assert_eq!(all.len(), 1);
    all[0].clone()
}

/// Known expansions, at a point and over a set around it.
#[test]
fn coefficients_are_those_of_the_function() {
    let x = Taylor::variable(&at(1, 3), 12);
    let mut factorial = Enclosure::one(200);
    let exp = x.exp();
    let log = x.log1p();
    let recip = x.recip();
    let value = at(1, 3).exp();
    for k in 0..=12_u32 {
        if k > 0 {
            factorial = factorial.mul_u32(k);
        }
        assert!(exp.coefficients()[k as usize].overlaps(&(&value / &factorial)), "exp {k}");
        let power = at(3, 4).pow(u64::from(k));
        let sign = |k: u32| if k % 2 == 1 { at(1, 1) } else { at(-1, 1) };
        if k > 0 {
            assert!(log.coefficients()[k as usize].overlaps(&(sign(k) * power).div_u32(k)), "log1p {k}");
        }
        assert!(recip.coefficients()[k as usize].overlaps(&(sign(k + 1) * at(3, 1).pow(u64::from(k) + 1))), "1/x {k}");
    }
    assert!(x.pow(3).coefficients()[2].overlaps(&at(1, 1)));
    assert!(x.pow(3).coefficients()[4].contains(&Rational::new()));
    // ln(1 + (e^x - 1)) = x.
    let back = x.expm1().log1p();
    assert!(back.value().overlaps(&at(1, 3)) && back.coefficients()[1].overlaps(&at(1, 1)));
    assert!((2..12).all(|k| back.coefficients()[k].contains(&Rational::new())));
    let log = x.exp().ln();
    assert!(log.value().overlaps(&at(1, 3)) && log.coefficients()[2].contains(&Rational::new()));
    // The coefficients over a set hold those at its points.
    let set = Enclosure::new(float(0.25), float(0.5));
    let over = Taylor::variable(&set, 12).exp().mul(&Taylor::variable(&set, 12).recip());
    let inside = exp.mul(&recip);
    for (wide, thin) in over.coefficients().iter().zip(inside.coefficients()) {
        assert!(wide.lower() <= thin.upper() && thin.lower() <= wide.upper());
    }
}

/// What is known by its derivative is what is known by a formula.
#[test]
fn functions_along_others() {
    let x = Taylor::variable(&at(1, 3), 12);
    let inner = x.mul(&x).plus(&at(1, 5));
    let exp = inner.along(inner.value().exp(), &inner.exp());
    let log = inner.along(inner.value().ln(), &inner.recip());
    for (known, formula) in [(exp, inner.exp()), (log, inner.ln())] {
        assert_eq!(known.coefficients().len(), 13);
        for (a, b) in known.coefficients().iter().zip(formula.coefficients()) {
            assert!(a.overlaps(b), "{a:?} {b:?}");
        }
    }
}

/// Integrals with closed forms.
#[test]
fn integrals_are_enclosed() {
    let narrow = |set: &Enclosure, bits: i64| assert!(set.relative_bits().is_some_and(|b| b > bits), "{set:?}");
    let third = one(0.0, 1.0, 100, |x| x.pow(2));
    assert!(third.contains(&Rational::from((1, 3))));
    narrow(&third, 95);
    let exp = one(-3.0, 2.0, 100, Taylor::exp);
    assert!(exp.overlaps(&(at(2, 1).exp() - at(-3, 1).exp())));
    narrow(&exp, 90);
    // ln(1+x) over [0, 1] is 2 ln 2 - 1, and 1/x over [1, 64] is 6 ln 2, with many pieces.
    assert!(one(0.0, 1.0, 120, Taylor::log1p).overlaps(&(Enclosure::ln_2(200).shift(1) - at(1, 1))));
    let log = one(1.0, 64.0, 80, Taylor::recip);
    assert!(log.overlaps(&Enclosure::ln_2(200).mul_u32(6)));
    narrow(&log, 70);
    // The normal distribution.
    let density = |x: &Taylor| x.pow(2).times(&at(-1, 2)).exp();
    let mass = one(-1.0, 8.0, 120, density) / Enclosure::pi(200).shift(1).sqrt();
    let cdf = |x: i64| normal_cdf(&at(x, 1), 150, &Budget::default()).expect("a number");
    assert!(mass.overlaps(&(cdf(8) - cdf(-1))));
    narrow(&mass, 110);
    assert!(one(1.0, 1.0, 64, Taylor::exp).contains(&Rational::new()));
}

/// What has a pole has no integral here, and what is rough has a wide one.
#[test]
fn poles_are_refused() {
    let ends = (&float(-1.0), &float(1.0));
    let pole = integrate(ends, 3, 64, &Budget::default(), |x| Ok::<_, Error>(vec![x.recip()]));
    assert!(matches!(pole, Err(Error::Undecided(_))));
}
