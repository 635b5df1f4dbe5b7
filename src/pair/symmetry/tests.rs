use proptest::prelude::*;
use rug::Rational;

use super::*;
use crate::mechanism::Composition;

fn pair(mechanism: &str) -> Pair {
    let composition: Composition = mechanism.parse().expect(mechanism);
    Pair::several(composition.pairs().expect(mechanism))
}

const M: &str = "poisson(rate=1/4, gaussian(sigma=1))";
const N: &str = "poisson(rate=ln(5/4), geometric(epsilon=1/3, sensitivity=3) * laplace(scale=2))";
const L: &str = "poisson(rate=1/3, geometric(epsilon=1/3, sensitivity=2))";

#[test]
fn wholes_are_symmetric() {
    for m in [M, N, L, &format!("{M}^2 * {N}"), "finite(p=[1/2, 1/2], q=[1/3, 2/3])"] {
        for whole in [
            format!("{m} * inverse({m})"),
            format!("({m})^3 * laplace(scale=1) * inverse({m})^3"),
            format!("inverse(({m})^3) * ({m})^2 * ({m})"),
            format!("group(k=2, {m} * inverse({m}) * gaussian(sigma=1))"),
            format!("group(k=2, {m})"),
            format!("group-one-way(k=2, {m}) * inverse(group-one-way(k=2, {m}))"),
            format!("inverse({M} * group-one-way(k=2, {m})) * {M} * group-one-way(k=2, {m})"),
            format!("mixture(1/2: {m}, 1/2: inverse({m}))"),
            format!("mixture(1/4: {m}, 1/2: inverse({m}), 1/4: {m})"),
            format!("mixture(1/4: {m}, 1/2: gaussian(sigma=1), 1/4: inverse({m}))^2 * gaussian(sigma=1)"),
            format!("mixture(1/3: {m}, 2/3: {M}^2) * mixture(2/3: inverse({M})^2, 1/3: inverse({m}))"),
        ] {
            let pair = pair(&whole);
            assert!(pair.symmetric(), "{whole}");
            assert!(Product::new([(pair, 1)]).symmetric(), "{whole}");
        }
    }
}

/// None of these is symmetric; nor is what differs from a symmetric one in a count, a weight or a constant.
#[test]
fn what_is_not_is_not() {
    for m in [M, N, L, "finite(p=[1/2, 1/2], q=[1/3, 2/3])"] {
        for whole in [
            m.to_string(),
            format!("{m}^2 * inverse({m})"),
            format!("{m} * inverse({m})^2"),
            format!("group(k=2, {m}) * inverse({m})"),
            format!("group-one-way(k=2, {m}) * inverse(group-one-way(k=3, {m}))"),
            format!("group-one-way(k=2, {m})"),
            format!("mixture(1/3: {m}, 2/3: inverse({m}))"),
            format!("mixture(1/2: {m}, 1/2: inverse({m})^2)"),
            format!("mixture(1/2: {m}, 1/2: {m}^3) * inverse(mixture(1/2: {m}, 1/2: {m}^2))"),
            format!("{m} * inverse(poisson(rate=1/5, gaussian(sigma=1)))"),
            format!("{m} * inverse(poisson(rate=1/4, gaussian(sigma=2)))"),
            format!("{m} * inverse(poisson(rate=1/3, geometric(epsilon=1/3, sensitivity=4)))"),
            format!("{m} * inverse(poisson(rate=1/3, geometric(epsilon=1/4, sensitivity=2)))"),
        ] {
            let pair = pair(&whole);
            assert!(!pair.symmetric(), "{whole}");
            assert!(!Product::new([(pair, 1)]).symmetric(), "{whole}");
        }
    }
}

proptest! {
    /// In fractions the polyline tells.
    #[test]
    fn polylines_agree(
        choice in prop::collection::vec((0usize..3, any::<bool>(), 1u64..3), 1..4),
        weights in prop::collection::vec(1u32..3, 3),
    ) {
        let known = [((1, 2), (1, 3)), ((1, 4), (3, 4)), ((0, 1), (1, 5))];
        let total: u32 = weights[..choice.len()].iter().sum();
        let mut factors = Factors::new();
        let (mut parts, mut shares) = (Vec::new(), Vec::new());
        for ((at, turned, times), weight) in choice.iter().zip(&weights) {
            let (p, q) = known[*at];
            let masses = |p: (i32, i32)| vec![Rational::from(p), 1 - Rational::from(p)];
            let finite = FinitePair::new(masses(p), masses(q)).expect("two distributions");
            let part = vec![(Pair::finite(if *turned { finite.swapped() } else { finite }), *times)];
            factors.extend(part.clone());
            parts.push(part);
            shares.push(Real::from(Rational::from((*weight, total))));
        }
        let f = Pair::several(factors.clone()).trade_off().expect("no alarm").expect("short");
        prop_assert!(!symmetric(&factors) || f.is_symmetric());
        let mixed: Vec<_> = shares.iter().cloned().zip(parts.iter().cloned().map(Pair::several)).collect();
        let derived = Derived::of(Operator::Mixture(shares), parts).expect("not deep");
        let Pair::Derived(derived) = derived else { panic!("a mixture") };
        let f = Pair::mixture(mixed).expect("short").trade_off().expect("no alarm").expect("short");
        prop_assert!(!derived.symmetric() || f.is_symmetric());
    }
}
