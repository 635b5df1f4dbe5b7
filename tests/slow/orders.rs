//! Orders of compositions of which no engine has a profile to any digits.

use std::time::Duration;

use dpcert::{Budget, Composition, Relation, order};

fn found(first: &str, second: &str) -> dpcert::Order {
    let of = |text: &str| text.parse::<Composition>().expect(text);
    let budget = Budget::new(Budget::DEFAULT_MAX_BITS, Some(Duration::from_secs(900)));
    order(&of(first), &of(second), &budget).expect("an order")
}

/// Samples of a fixed share, few times: in the middle by grids, far out by bounds on either side.
#[test]
fn fixed_shares_run_few_times() {
    let order = found("subsample(rate=1/10, gaussian(sigma=1))^10", "subsample(rate=1/20, gaussian(sigma=1/2))^10");
    assert_eq!(order.verdict(), "more private", "{order:?}");
}

/// Discrete noise beside continuous noise of the same scale: their profiles agree to five or seven digits, and cross.
#[test]
fn discrete_noise_beside_continuous_noise() {
    let (discrete, continuous) =
        ("poisson(rate=1/10, discrete-gaussian(sigma2=4))^20", "poisson(rate=1/10, gaussian(sigma=2))^20");
    let order = found(discrete, continuous);
    assert_eq!(order.verdict(), "incomparable", "{order:?}");
    for relation in [&order.at_least, &order.at_most] {
        let Relation::Fails(witness) = relation else { panic!("{order:?}") };
        assert!(witness.smaller().upper_f64() < witness.larger().lower_f64(), "{witness:?}");
    }
}
