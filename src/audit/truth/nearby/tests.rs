//! Bounds from nearby compositions against the intended compositions.

use super::*;
use enclosure::Enclosure;

fn mechanism(text: &str) -> Mechanism {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    composition.single().unwrap_or_else(|| panic!("{text}: not one")).0.clone()
}

fn real(text: &str) -> Real {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Changes of 1e-9 and less, so that the bounds can be seen to hold, and not to be far from tight.
const STEPS: [(&str, &str, u64); 6] = [
    ("discrete-gaussian(sigma2=3)", "discrete-gaussian(sigma2=3*(1+1e-12))", 4),
    ("discrete-gaussian(sigma2=2, sensitivity=3)", "discrete-gaussian(sigma2=2*(1-1e-12), sensitivity=3)", 2),
    ("geometric(epsilon=1/2, sensitivity=2)", "geometric(epsilon=1/2-1e-12, sensitivity=2)", 3),
    ("randomized-response(epsilon=1/4)", "randomized-response(epsilon=1/4+1e-9)", 5),
    ("approx-dp(epsilon=1/3, delta=1/100)", "approx-dp(epsilon=1/3-1e-9, delta=1/100+1e-10)", 2),
    (
        "poisson(rate=1/5, randomized-response(epsilon=ln(3)))",
        "poisson(rate=1/5+1e-10, randomized-response(epsilon=ln(3)-1e-10))",
        3,
    ),
];

/// Every kind, sampled and not, for every quantity and in both directions: what is proven from nearby holds of what is
/// meant.
#[test]
fn compositions_nearby_enclose_those_that_are_meant() {
    let (open, budget) = (Sessions::default(), Budget::default());
    for (near, meant, times) in STEPS {
        // Two factors, since one alone is asked directly.
        let other = if near.starts_with("poisson") {
            "randomized-response(epsilon=ln(2))"
        } else {
            "randomized-response(epsilon=1/7)"
        };
        let steps = [(near, meant, times), (other, other, 1)]
            .map(|(near, meant, times)| (mechanism(near), mechanism(meant), times));
        let nearby = Nearby::new(&steps).unwrap_or_else(|| panic!("{near}: not near"));
        let exact =
            Composition::new(steps.iter().map(|(_, meant, times)| (meant.clone(), *times))).expect("a composition");
        let quantities = [
            Quantity::Delta { epsilon: real("-1/3") },
            Quantity::Delta { epsilon: real("1/2") },
            Quantity::Delta { epsilon: real("1") },
            Quantity::Epsilon { delta: real("1/5") },
            Quantity::Epsilon { delta: real("1/1000") },
            Quantity::Beta { alpha: real("1/100") },
            Quantity::Beta { alpha: real("3/4") },
        ];
        for quantity in quantities {
            for direction in [Direction::Forward, Direction::Backward, Direction::Worst] {
                let about = format!("{meant} {quantity:?} {direction:?}");
                let few = if near.starts_with("poisson") { 5 } else { 30 };
                let Ok(truth) = ask(&open, exact.clone(), quantity.clone(), direction, few, &budget) else { continue };
                let bounds = nearby
                    .ask(&quantity, direction, 15, &open, &budget)
                    .unwrap_or_else(|error| panic!("{about}: {error}"));
                let (lower, upper, least, most) = match (bounds, truth) {
                    (Some(Truth::Within { lower, upper }), Truth::Within { lower: least, upper: most }) => {
                        (lower, upper, least, most)
                    }
                    (Some(Truth::Infinite), Truth::Infinite) => continue,
                    (bounds, truth) => panic!("{about}: {bounds:?} {truth:?}"),
                };
                assert!(lower <= most && least <= upper, "{about}: {lower} {upper} {least} {most}");
                // The true value may be proven to fewer digits.
                let known = dpcert_vectors::tightest_f64(&(&most - &least)).1 < 1e-20;
                if few > 5 && known {
                    assert!(lower <= least && most <= upper, "{about}: {lower} {upper} {least} {most}");
                }
                let width = dpcert_vectors::tightest_f64(&(upper - lower)).1;
                assert!(width < 1e-4, "{about}: {width}");
            }
        }
    }
}

/// The densities themselves, one outcome at a time: the factor holds wherever it is said to, and it is not all too
/// large.
#[test]
fn densities_are_as_close_as_is_said() {
    let bits = 256;
    let log_ratio = |a: &Real, b: &Real, x: i64| -> Enclosure {
        // Discrete Gaussian, by its series.
        let z = |s: &Real| -> Enclosure {
            (-400i64..=400).fold(Enclosure::zero(bits), |sum, j| &sum + &weight(s, j, bits))
        };
        (&(&weight(a, x, bits) / &z(a)) / &(&weight(b, x, bits) / &z(b))).ln()
    };
    let (a, b) = ("3", "3+3e-9");
    let of = |sigma2: &str| mechanism(&format!("discrete-gaussian(sigma2={sigma2}, sensitivity=2)"));
    let eta = closeness(&of(a), &of(b)).expect("they are close").eta;
    let least = (-160i64..=160).map(|x| log_ratio(&real(a), &real(b), x).abs());
    let largest = least.reduce(|most, next| most.max(&next)).expect("some");
    // The set has |x| up to sqrt(2 R sigma2) = 155.
    assert!(largest.upper().to_rational().expect("finite") <= eta, "{largest:?} {eta}");
    assert!(largest.lower().to_f64() * 10.0 > eta.to_f64(), "{largest:?} {eta}");
}

/// `e^(-j^2/(2 sigma2))`.
fn weight(sigma2: &Real, j: i64, bits: u32) -> Enclosure {
    let j = Enclosure::rational(&Rational::from(j), bits);
    (-(&j.square() / &sigma2.enclosure(bits).shift(1))).exp()
}

/// Mechanisms not known to be close are kept unchanged.
#[test]
fn other_mechanisms_are_left_alone() {
    let close = |a: &str, b: &str| closeness(&mechanism(a), &mechanism(b));
    assert_eq!(close("laplace(scale=1)", "laplace(scale=1+1e-9)"), None);
    assert_eq!(close("laplace(scale=1)", "laplace(scale=1)"), Some(Closeness::equal()));
    assert_eq!(close("geometric(epsilon=1)", "geometric(epsilon=1, sensitivity=2)"), None);
    assert_eq!(close("discrete-gaussian(sigma2=1)", "discrete-gaussian(sigma2=1, sensitivity=2)"), None);
    assert_eq!(close("approx-dp(epsilon=1, delta=0)", "approx-dp(epsilon=1, delta=1e-300)"), None);
    assert_eq!(close("randomized-response(epsilon=1)", "randomized-response(epsilon=9)"), None);
    assert_eq!(close("randomized-response(epsilon=1)", "gaussian(sigma=1)"), None);
    let (rr, gaussian) = (mechanism("randomized-response(epsilon=1)"), mechanism("gaussian(sigma=1)"));
    let moved = mechanism("randomized-response(epsilon=1+1e-15)");
    assert_eq!(Nearby::new(&[(rr.clone(), moved.clone(), 7)]), None);
    assert_eq!(Nearby::new(&[(rr.clone(), rr.clone(), 7), (gaussian.clone(), gaussian.clone(), 1)]), None);
    let mixed = Nearby::new(&[(rr, moved, 7), (gaussian.clone(), gaussian, 1)]).expect("near");
    assert!(mixed.eta > 0u32 && mixed.tail == 0u32);
    assert_eq!(mixed.composition.to_string(), "randomized-response(epsilon=1)^7 * gaussian(sigma=1)");
}

/// Samples of noise without a lattice are as easy after rounding as before, and asked directly.
#[test]
fn noise_without_a_lattice_is_asked_directly() {
    for inner in ["gaussian(sigma=1)", "gdp(mu=1)", "laplace(scale=2)"] {
        let [near, meant] =
            ["1/5", "f64:0x1.999999999999ap-3"].map(|rate| mechanism(&format!("poisson(rate={rate}, {inner})")));
        assert!(closeness(&near, &meant).is_some(), "{inner}");
        assert_eq!(Nearby::new(&[(near.clone(), meant.clone(), 9)]), None);
        let [a, b] = ["1/7", "1/7+1e-12"].map(|x| mechanism(&format!("randomized-response(epsilon={x})")));
        let both = Nearby::new(&[(near, meant.clone(), 9), (a.clone(), b, 2)]).expect("discrete losses beside it");
        assert_eq!(both.composition, Composition::new([(meant, 9), (a, 2)]).expect("a composition"));
    }
}
