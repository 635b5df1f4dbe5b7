//! Strategies for proptest: exact parameters in regimes where accountants have failed, and cases of a vector set.
//!
//! Values shrink to ordinary, simple rationals: towards the first regime, small numerators and denominator 1.
//!
//! ```
//! use dpcert_vectors::strategy;
//! use proptest::prelude::*;
//!
//! proptest!(|(epsilon in strategy::epsilon(), k in strategy::times())| {
//!     prop_assert!(k >= 1);
//! #   let _ = epsilon;
//! });
//! ```

use std::sync::Arc;

use num_rational::BigRational;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::exact::Exact;
use crate::format::{Case, Factor, Parameter, Quantity};
use crate::load::VectorSet;
pub use crate::regime::FinitePair;
use crate::regime::{self, Draw};

fn draw() -> impl Strategy<Value = Draw> {
    (any::<u8>(), any::<u8>(), any::<u8>(), any::<u16>()).prop_map(|(regime, n, d, power)| Draw {
        regime: regime % 12,
        n,
        d,
        power,
    })
}

/// An epsilon `>= 0`: ordinary, `ln(p/q)`, tiny, huge.
pub fn epsilon() -> impl Strategy<Value = Exact> {
    draw().prop_map(regime::epsilon)
}

/// A delta in `[0, 1]`, both ends included: ordinary, tiny (to below the smallest double), near 1.
pub fn delta() -> impl Strategy<Value = BigRational> {
    draw().prop_map(regime::probability)
}

/// A type I error in `[0, 1]`: the same regimes as [`delta`].
pub fn alpha() -> impl Strategy<Value = BigRational> {
    delta()
}

/// A Renyi order `> 1`: ordinary, near 1, huge.
pub fn order() -> impl Strategy<Value = BigRational> {
    draw().prop_map(regime::order)
}

/// A noise scale `> 0`: ordinary, `sqrt(p/q)`, tiny, huge.
pub fn sigma() -> impl Strategy<Value = Exact> {
    draw().prop_map(regime::sigma)
}

/// A number of compositions from 1 to 10^6, all orders of magnitude equally likely.
pub fn times() -> impl Strategy<Value = u64> {
    draw().prop_map(regime::times)
}

/// Two distributions on one to eight outcomes, each summing to exactly 1.
pub fn finite_pair() -> impl Strategy<Value = FinitePair> {
    vec((0..=20u8, 0..=20u8), 1..=8).prop_map(|weights| regime::finite_pair(&weights))
}

/// A mechanism with parameters in their domains, run up to 10^6 times.
pub fn factor() -> impl Strategy<Value = Factor> {
    let named = |mechanism: &'static str, parameters: Vec<(&'static str, Exact)>| Factor {
        mechanism: mechanism.to_owned(),
        parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), Parameter::Number(value))).collect(),
        of: Vec::new(),
        times: 1,
        sought: false,
    };
    let simple = prop_oneof![
        epsilon().prop_map(move |epsilon| named("randomized-response", vec![("epsilon", epsilon)])),
        (epsilon(), delta())
            .prop_map(move |(epsilon, delta)| named("approx-dp", vec![("epsilon", epsilon), ("delta", delta.into())])),
        sigma().prop_map(move |sigma| named("gaussian", vec![("sigma", sigma)])),
        sigma().prop_map(move |scale| named("laplace", vec![("scale", scale)])),
        sigma().prop_map(move |sigma2| named("discrete-gaussian", vec![("sigma2", sigma2)])),
        finite_pair().prop_map(|pair| pair.to_factor()),
    ];
    (simple, times()).prop_map(|(factor, times)| Factor { times, ..factor })
}

/// A case of the set and its quantity; `None` if the set has no cases. Shrinks to the first case.
pub fn case_of(set: &VectorSet) -> Option<impl Strategy<Value = (Quantity, Case)> + use<>> {
    let cases: Arc<[(Quantity, Case)]> = set.cases().map(|(file, case)| (file.quantity, case.clone())).collect();
    (!cases.is_empty()).then(|| (0..cases.len()).prop_map(move |index| cases[index].clone()))
}
