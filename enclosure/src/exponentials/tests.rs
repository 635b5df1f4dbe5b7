use std::cmp::Ordering;

use proptest::prelude::*;
use rug::Rational;

use super::{Exponentials, Quotient};
use crate::{Enclosure, Real};

fn real(text: &str) -> Real {
    text.parse().expect(text)
}

fn field() -> Exponentials {
    Exponentials::of(&["exp(1/2)", "exp(1/3)", "exp(sqrt(2))"].map(real)).expect("exponentials")
}

/// Values of a few kinds, over denominators that share factors.
fn values() -> impl Strategy<Value = Real> {
    let term = (prop::sample::select(vec!["1", "exp(1/2)", "exp(-1/3)", "exp(sqrt(2))", "exp(1)"]), -4i64..5, 1i64..4);
    let sum = prop::collection::vec(term, 1..4).prop_map(|terms| {
        let parts: Vec<Real> =
            terms.into_iter().map(|(text, n, d)| real(text).mul_rational(&Rational::from((n, d)))).collect();
        Real::sum(&parts)
    });
    let below = prop::sample::select(vec!["1", "1 + exp(1/2)", "exp(1) - 1", "(1 + exp(1/2))^2*(2 + exp(sqrt(2)))"]);
    (sum, below).prop_map(|(sum, below)| sum.div(&real(below)).expect("a quotient"))
}

proptest! {
    /// Sums, products, differences and quotients have the values of what [`Real`] makes of them, and the laws of a
    /// field hold by form.
    #[test]
    fn values_are_those_of_constants(a in values(), b in values(), c in values()) {
        let field = field();
        let quotient = |value: &Real| field.quotient(value).expect("a quotient");
        let (x, y, z) = (quotient(&a), quotient(&b), quotient(&c));
        let same = |x: &Quotient, value: &Real| field.enclosure(x, 100).overlaps(&value.enclosure(100));
        prop_assert!(same(&x, &a) && same(&x.neg(), &a.neg()));
        let (sum, product) = (x.add(&y).expect("short"), x.mul(&y).expect("short"));
        prop_assert!(same(&sum, &a.add(&b)) && same(&product, &a.mul(&b).expect("short")));
        let zero = |value: Quotient| field.sign(&value) == Some(Ordering::Equal) && value.is_zero();
        let apart = sum.mul(&z).expect("short").sub(&product_of(&x, &z).add(&product_of(&y, &z)).expect("short"));
        prop_assert!(zero(apart.expect("short")));
        match field.sign(&x) {
            Some(Ordering::Equal) => prop_assert!(x.is_zero() && field.recip(&x).is_none()),
            sign => {
                prop_assert_eq!(sign, a.sign());
                let inverse = field.recip(&x).expect("not zero");
                prop_assert!(zero(inverse.mul(&x).expect("short").sub(&Quotient::one()).expect("short")));
                prop_assert!(same(&field.div(&y, &x).expect("short"), &b.div(&a).expect("short")));
            }
        }
        let aligned = Quotient::aligned(&[x.clone(), y.clone(), z.clone()]).expect("short");
        for (one, other) in aligned.iter().zip([x, y, z]) {
            prop_assert!(zero(one.sub(&other).expect("short")));
        }
    }
}

fn product_of(a: &Quotient, b: &Quotient) -> Quotient {
    a.mul(b).expect("short")
}

/// Signs of what is near to zero; and what is zero without looking it is not said to be anything.
#[test]
fn signs_are_proven() {
    let near = [real("exp(1)"), Real::from(Rational::from((1, 3)))];
    let field = Exponentials::of(&near).expect("exponentials");
    let sign = |text: &str| field.sign(&field.quotient(&real(text)).expect(text));
    assert_eq!(sign("exp(1) - 2.71828182845904523536028747135266249775724709369995"), Some(Ordering::Greater));
    assert_eq!(sign("exp(1) - 2.71828182845904523536028747135266249775724709369996"), Some(Ordering::Less));
    assert_eq!(sign("exp(2) - exp(1)^2"), Some(Ordering::Equal));
    assert_eq!(sign("exp(-3) - 1"), Some(Ordering::Less));
    // e^(ln(2)/3) is the third root of 2, which nobody here knows.
    let root = real("exp(ln(2)/3)");
    let field = Exponentials::of([&root]).expect("exponentials");
    let x = field.quotient(&root).expect("a power");
    let cube = product_of(&product_of(&x, &x), &x);
    assert_eq!(field.compare(&cube, &Quotient::from(Rational::from(2))), None);
    assert_eq!(field.compare(&cube, &Quotient::from(Rational::from(3))), Some(Ordering::Less));
    assert!(field.recip(&cube.sub(&Quotient::from(Rational::from(2))).expect("short")).is_none());
}

/// What divides a numerator is found only where it stands below, and what is no such function is refused.
#[test]
fn forms() {
    let field = field();
    let quotient = |text: &str| field.quotient(&real(text));
    let ratio = quotient("(exp(1) - 1)/(exp(1/2) - 1)");
    let sum = quotient("1 + exp(1/2)").expect("a sum");
    assert_eq!(ratio.expect("a quotient").sub(&sum).map(|rest| rest.is_zero()), Some(true));
    assert!(quotient("exp(1/5)").is_none() && quotient("ln(2)").is_none() && quotient("exp(sqrt(3))").is_none());
    assert!(Exponentials::of(&["exp(1)", "exp(sqrt(2))", "exp(sqrt(3))", "exp(sqrt(5))"].map(real)).is_none());
    assert!(Exponentials::of(&[real("sqrt(2)")]).is_none());
    // Thousands of bits cancel and come back.
    let high = field.exponential(&Real::from(2000u64)).expect("a power");
    let apart = high.add(&Quotient::one()).and_then(|sum| sum.sub(&high)).expect("short");
    assert_eq!(apart, Quotient::one());
    let shown = field.enclosure(&high.add(&Quotient::one()).expect("short"), 64);
    assert!(shown.relative_bits() >= Some(60) && shown.overlaps(&Enclosure::integer(&2000.into(), 64).exp()));
}
