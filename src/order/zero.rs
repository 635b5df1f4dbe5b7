//! The test that is never wrong about the first distribution.
//!
//! `f(0) = 1 - Q(P = 0)`: without an error of the first kind only those outcomes can be told that P never has. Of a
//! product `1 - f(0)` is one less the product of what is left of each factor. Profiles do not show a mass that is far
//! below what they are known to; this number is exact.

use std::cmp::Ordering;

use rug::Rational;

use super::Witness;
use crate::error::Error;
use crate::pair::Factors;
use enclosure::Real;

/// Precision of the reported type II errors, first and largest, in bits.
const FIRST_BITS: u32 = 128;
const MOST_BITS: u32 = 1 << 20;

/// `f(0)` of a product.
fn never_wrong(factors: &Factors) -> Result<Real, Error> {
    let mut left = Real::one();
    for (pair, times) in factors {
        let one = Real::one().sub(&pair.ends()?.infinite_q);
        left = left.mul(&one.pow(&Real::from(*times))?)?;
    }
    Ok(left)
}

/// The witness at 0, if the first has a smaller type II error there, and that is seen.
///
/// # Errors
/// Those of the pairs and of numbers that are too long.
pub(super) fn witness(first: &Factors, second: &Factors) -> Result<Option<Witness>, Error> {
    let (smaller, larger) = (never_wrong(first)?, never_wrong(second)?);
    if smaller.compare(&larger) != Some(Ordering::Less) {
        return Ok(None);
    }
    let mut bits = FIRST_BITS;
    while bits <= MOST_BITS {
        let (smaller, larger) = (smaller.enclosure(bits), larger.enclosure(bits));
        if smaller.upper() < larger.lower() {
            return Ok(Some(Witness::new(Rational::new(), smaller, larger)));
        }
        bits *= 2;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::answer;
    use crate::mechanism::Composition;
    use crate::query::Query;
    use enclosure::{Budget, Enclosure};

    /// It is the trade-off function at 0, in the order in which the distributions come.
    #[test]
    fn it_is_the_trade_off_function_at_zero() {
        for mechanism in [
            "approx-dp(epsilon=1, delta=1/4)^3",
            "finite(p=[1/2,1/2,0], q=[1/4,1/2,1/4])^2",
            "poisson(rate=1/3, approx-dp(epsilon=1, delta=1/4))",
            "inverse(poisson(rate=1/3, approx-dp(epsilon=1, delta=1/4)))",
            "gdp(mu=1)",
        ] {
            let composition: Composition = mechanism.parse().expect(mechanism);
            let found = never_wrong(&composition.pairs().expect("pairs")).expect("a number").enclosure(200);
            let line = format!(
                r#"{{"quantity":"beta","mechanism":"{mechanism}","at":{{"alpha":"0"}},"direction":"forward","digits":9}}"#
            );
            let query: Query = serde_json::from_str(&line).expect("a query");
            let outcome = answer(&query, &Budget::default()).expect("an answer").outcome;
            let ends =
                [outcome.lower_f64(), outcome.upper_f64()].map(|end| rug::Float::with_val(53, end.expect("an end")));
            let [lower, upper] = ends;
            assert!(found.overlaps(&Enclosure::new(lower, upper)), "{mechanism}: {found:?} {outcome:?}");
        }
    }
}
