//! Divergences of compositions.
//!
//! For a product of pairs the Renyi, Kullback-Leibler and max divergences add, and `1 + chi^2` multiplies. Total
//! variation does neither: it is the privacy profile of the composition at `epsilon = 0`.

use rug::Rational;

use crate::curve::Value;
use enclosure::{Enclosure, Number};

/// `sum_i n_i D_i`: the Renyi (of one order), Kullback-Leibler or max divergence of a composition.
pub fn sum(parts: &[(Value, u64)], bits: u32) -> Value {
    let mut total = Number::zero();
    for (value, times) in parts {
        match value {
            _ if *times == 0 => {}
            Value::Infinite => return Value::Infinite,
            Value::Finite(value) => {
                let part = value * &Number::Exact(Rational::from(*times));
                total = &total + &part;
            }
        }
    }
    if let Number::Enclosed(set) = &total {
        total = Number::Enclosed(set.with_bits(set.bits().min(bits.max(2))));
    }
    Value::Finite(total)
}

/// `prod_i (1 + chi_i)^(n_i) - 1`, exact if all parts are and the result has at most some million bits.
pub fn chi_squared(parts: &[(Value, u64)], bits: u32) -> Value {
    let mut exact = Some(Rational::from(1));
    let mut size = 0u64;
    let mut logarithm = Enclosure::zero(bits);
    for (value, times) in parts {
        if *times == 0 {
            continue;
        }
        let Value::Finite(value) = value else { return Value::Infinite };
        if value.exact().is_some_and(Rational::is_zero) {
            continue;
        }
        if let Some(chi) = value.exact() {
            let factor = Rational::from(chi + 1);
            let bits = u64::from(factor.numer().significant_bits()) + u64::from(factor.denom().significant_bits());
            size = size.saturating_add(bits.saturating_mul(*times));
            exact = exact.filter(|_| size < 1 << 22).and_then(|product| {
                let power = Number::Exact(factor).pow(*times);
                power.exact().map(|power| product * power)
            });
        } else {
            exact = None;
        }
        let times = Enclosure::integer(&(*times).into(), bits);
        logarithm = &logarithm + &(&value.enclosure(bits).log1p() * &times);
    }
    Value::Finite(match exact {
        Some(product) => Number::Exact(product - 1),
        None => Number::Enclosed(logarithm.expm1()),
    })
}
