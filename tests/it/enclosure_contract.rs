//! The contract of `Enclosure`: points inside go to points inside. Random rational points, random sets around them,
//! every operation; exact rational results are compared exactly, transcendental ones at four times the precision.

use std::cmp::Ordering;

use enclosure::{Enclosure, Number};
use proptest::prelude::*;
use rug::{Integer, Rational};

const BITS: u32 = 40;

/// Rationals of every size: `+-numer / denom * 2^shift`.
fn rational() -> impl Strategy<Value = Rational> {
    (any::<i64>(), 1u64..u64::MAX, -200i32..200, 0u8..4).prop_map(|(numer, denom, shift, kind)| match kind {
        0 => Rational::from(numer % 16),
        1 => Rational::from((numer, denom)),
        _ => Rational::from((numer, denom)) << shift,
    })
}

/// A point, and an enclosure that holds it: tight, or with slack on either side.
fn point_in_set() -> impl Strategy<Value = (Rational, Enclosure)> {
    (rational(), rational(), rational(), 0u8..3).prop_map(|(point, below, above, kind)| {
        let set = match kind {
            0 => Enclosure::rational(&point, BITS),
            1 => Enclosure::rational(&(point.clone() - below.abs()), BITS).hull(&Enclosure::rational(&point, BITS)),
            _ => Enclosure::rational(&(point.clone() - below.abs()), BITS)
                .hull(&Enclosure::rational(&(point.clone() + above.abs()), BITS)),
        };
        (point, set)
    })
}

/// Enclosures of one truth overlap; the sharp one is four times as precise.
fn agree(name: &str, wide: &Enclosure, sharp: &Enclosure) -> Result<(), TestCaseError> {
    prop_assert!(wide.overlaps(sharp), "{name}: {wide:?} misses {sharp:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn field_operations_hold_their_points((x, sx) in point_in_set(), (y, sy) in point_in_set()) {
        prop_assert!(sx.contains(&x) && sy.contains(&y));
        prop_assert!((&sx + &sy).contains(&(x.clone() + &y)));
        prop_assert!((&sx - &sy).contains(&(x.clone() - &y)));
        prop_assert!((&sx * &sy).contains(&(x.clone() * &y)));
        prop_assert!((-&sx).contains(&-x.clone()));
        prop_assert!(sx.square().contains(&(x.clone() * &x)));
        prop_assert!(sx.square().lower() >= &0);
        prop_assert!(sx.abs().contains(&x.clone().abs()));
        prop_assert!(sx.positive_part().contains(&x.clone().max(Rational::new())));
        prop_assert!(sx.max(&sy).contains(&x.clone().max(y.clone())));
        prop_assert!(sx.min(&sy).contains(&x.clone().min(y.clone())));
        prop_assert!(sx.hull(&sy).contains(&x) && sx.hull(&sy).contains(&y));
        if y.cmp0() != Ordering::Equal {
            prop_assert!((&sx / &sy).contains(&(x.clone() / &y)));
            prop_assert!(sy.recip().contains(&(Rational::from(1) / &y)));
        }
    }

    #[test]
    fn powers_hold_their_points((x, sx) in point_in_set(), n in 0u32..12) {
        let exact = (0..n).fold(Rational::from(1), |product, _| product * &x);
        prop_assert!(sx.pow(u64::from(n)).contains(&exact));
        prop_assert!(sx.mul_u32(n).contains(&(x.clone() * Integer::from(n))));
        prop_assert!(sx.shift(n as i32).contains(&(x.clone() << n)));
        if n > 0 {
            prop_assert!(sx.div_u32(n).contains(&(x.clone() / Integer::from(n))));
        }
    }

    #[test]
    fn transcendental_functions_hold_their_points((x, sx) in point_in_set()) {
        let sharp = Enclosure::rational(&x, 4 * BITS);
        if x < 1_000_000 && x > -1_000_000 {
            agree("exp", &sx.exp(), &sharp.exp())?;
            agree("expm1", &sx.expm1(), &sharp.expm1())?;
        }
        agree("tanh", &sx.tanh(), &sharp.tanh())?;
        if x > 0 {
            agree("ln", &sx.ln(), &sharp.ln())?;
        }
        if x > -1 {
            agree("log1p", &sx.log1p(), &sharp.log1p())?;
        }
        if x >= 0 {
            let root = sx.sqrt();
            agree("sqrt", &root, &sharp.sqrt())?;
            // The exact square root lies inside: compare squares, exactly.
            let [lower, upper] = [root.lower(), root.upper()].map(|end| end.to_rational().expect("finite"));
            prop_assert!(lower.clone() * &lower <= x && x <= upper.clone() * &upper);
        }
    }

    #[test]
    fn certain_comparisons_are_right((x, sx) in point_in_set(), (y, sy) in point_in_set()) {
        if let Some(order) = sx.compare(&sy) {
            prop_assert_eq!(order, x.cmp(&y));
        }
        if let Some(sign) = sx.sign() {
            prop_assert_eq!(sign, x.cmp0());
        }
        let (nx, ny) = (Number::Exact(x.clone()), Number::Exact(y.clone()));
        prop_assert_eq!(nx.compare(&ny), Some(x.cmp(&y)));
        for (a, b) in [(&nx, &Number::Enclosed(sy.clone())), (&Number::Enclosed(sx.clone()), &ny)] {
            if let Some(order) = a.compare(b) {
                prop_assert_eq!(order, x.cmp(&y));
            }
        }
    }

    #[test]
    fn enclosures_of_one_number_meet_around_it(x in rational(), below in rational(), above in rational()) {
        let left = Enclosure::rational(&(x.clone() - below.abs()), BITS).hull(&Enclosure::rational(&x, BITS));
        let right = Enclosure::rational(&x, BITS).hull(&Enclosure::rational(&(x.clone() + above.abs()), BITS));
        prop_assert!(left.meet(&right, "x").is_ok_and(|both| both.contains(&x)));
        prop_assert!(left.within(&right, "x").is_ok_and(|both| both.contains(&x)));
        prop_assert!(Enclosure::bracket(&left, &right, "x").is_ok_and(|both| both.contains(&x)));
    }

    /// What does not meet is never an enclosure of anything, whichever is asked first.
    #[test]
    fn enclosures_of_different_numbers_do_not_meet((x, sx) in point_in_set(), (y, sy) in point_in_set()) {
        prop_assert_eq!(sx.meet(&sy, "x").is_ok(), sx.overlaps(&sy));
        prop_assert_eq!(sx.within(&sy, "x").is_ok(), sx.overlaps(&sy));
        let crossed = sx.lower() > sy.upper();
        prop_assert_eq!(Enclosure::bracket(&sx, &sy, "x").is_ok(), !crossed);
        if crossed {
            prop_assert!(x > y);
        }
    }
}

#[test]
fn failed_hypotheses_give_no_knowledge() {
    let negative = Enclosure::rational(&Rational::from(-2), BITS);
    let straddling = negative.hull(&Enclosure::one(BITS));
    for unbounded in [negative.ln(), negative.sqrt(), negative.log1p(), straddling.recip(), negative.div_u32(0)] {
        assert!(!unbounded.is_bounded(), "{unbounded:?}");
        assert!(unbounded.contains(&Rational::from(12345)), "{unbounded:?}");
    }
    assert!(straddling.ln().lower().is_infinite());
    // An infinite end is not a point: zero times anything finite stays zero.
    let product = &Enclosure::zero(BITS) * &Enclosure::whole(BITS);
    assert!(product.is_point() && product.contains(&Rational::new()));
}

#[test]
fn overflow_rounds_outward() {
    let huge = Enclosure::integer(&(Integer::from(1) << 40), BITS).exp();
    assert!(huge.upper().is_infinite() && huge.lower().is_finite());
    let tiny = (-Enclosure::integer(&(Integer::from(1) << 40), BITS)).exp();
    assert!(tiny.lower().is_zero() && tiny.upper() > &0);
}
