use super::*;
use crate::compose::{Method, curve};
use crate::curve::Value;
use crate::theorem::factors::tests::printed;
use enclosure::{Number, Real};

fn of(text: &str) -> Result<NearGaussian, Error> {
    bounds(&text.parse().expect("a composition"), 120, &Budget::default())
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

/// Closed forms of the paper, and values by another program.
#[test]
fn parameters_are_those_of_the_closed_forms() {
    for (text, mu, gamma) in [
        (
            "randomized-response(epsilon=0.1)^100",
            "1.000416718753100306060923165559",
            "0.05620995632648754351107843752814",
        ),
        ("gaussian(sigma=10)^100", "1.00000000000000000000000000000", "0.08936307080992091985854791742530"),
        ("laplace(scale=10)^100", "0.9843908286930511129", "0.05687427409947474707"),
    ] {
        let found = of(text).expect("the theorem");
        assert!(found.mu().overlaps(&printed(mu)), "{text}: {:?}", found.mu());
        assert!(found.gamma().overlaps(&printed(gamma)), "{text}: {:?}", found.gamma());
    }
    // Different factors: f_{eps,0} has mu^2 = 4 n sinh^2(eps/2), and gamma = 0.56 cosh(eps)/(sqrt n cosh(eps/2)).
    let found = of("randomized-response(epsilon=1/2)^40").expect("the theorem");
    let half = Enclosure::rational(&Rational::from((1, 4)), 200);
    let (up, down) = (half.exp(), (-&half).exp());
    let root = Enclosure::integer(&40.into(), 200).sqrt();
    assert!(found.mu().overlaps(&(&root * &(&up - &down))));
    let (cosh, half_cosh) = ((up.square() + down.square()).shift(-1), (up + down).shift(-1));
    let constant = Enclosure::rational(&Rational::from((14, 25)), 200);
    assert!(found.gamma().overlaps(&(constant * cosh / (root * half_cosh))));
}

/// The exact curve lies between the bounds, with room.
#[test]
fn exact_curves_lie_between() {
    let budget = Budget::default();
    for text in [
        "randomized-response(epsilon=1/10)^100",
        "randomized-response(epsilon=1/5)^30",
        "laplace(scale=5)^20",
        "gaussian(sigma=4)^9",
        "laplace(scale=8)^12 * randomized-response(epsilon=1/10)^40",
        "approx-dp(epsilon=1/10, delta=1/1000)^60",
        "discrete-gaussian(sigma2=9)^8",
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let bounds = bounds(&composition, 60, &budget).expect("the theorem");
        let exact = curve(&composition, Method::Auto, &budget).expect("a curve");
        for alpha in ["1/100", "1/10", "1/3", "1/2", "3/4", "99/100"] {
            let alpha = real(alpha);
            let truth = exact.beta(&alpha, Direction::Forward, 60, &budget).expect("beta").enclosure(60);
            let [lower, upper] = bounds.beta(&alpha, 60, &budget).expect("bounds");
            assert!(lower.upper() <= truth.lower() && truth.upper() <= upper.lower(), "{text} at {alpha}");
        }
        for epsilon in ["0", "1/2", "1", "3"] {
            let epsilon = real(epsilon);
            let truth = exact.delta(&epsilon, Direction::Forward, 60, &budget).expect("delta").enclosure(60);
            let [lower, upper] = bounds.delta(&epsilon, 60, &budget).expect("bounds");
            assert!(lower.lower() <= truth.upper() && truth.lower() <= upper.upper(), "{text} at {epsilon}");
            assert!(lower.upper() <= truth.lower() && truth.upper() <= upper.lower(), "{text} at {epsilon}");
        }
        let delta = real("3/10");
        let Ok(Value::Finite(truth)) = exact.epsilon(&delta, Direction::Forward, 60, &budget) else { panic!("{text}") };
        let [lower, upper] = bounds.epsilon(&delta, 40, &budget).expect("bounds");
        assert!(lower.compare(&Value::Finite(truth.clone())) != Some(Ordering::Greater), "{text}");
        assert!(upper.compare(&Value::Finite(truth)) != Some(Ordering::Less), "{text}");
    }
}

/// What the upper bound never comes down to.
#[test]
fn small_deltas_have_no_bound() {
    let bounds = of("randomized-response(epsilon=1/10)^100").expect("the theorem");
    let [lower, upper] = bounds.epsilon(&real("1e-5"), 40, &Budget::default()).expect("bounds");
    assert!(matches!(upper, Value::Infinite));
    assert!(matches!(lower, Value::Finite(number) if number.compare(&Number::one()) == Some(Ordering::Less)));
    let failing = of("approx-dp(epsilon=1/10, delta=1/1000)^100").expect("the theorem");
    let both = failing.epsilon(&real("1e-5"), 40, &Budget::default()).expect("bounds");
    assert!(both.iter().all(|bound| matches!(bound, Value::Infinite)));
    let ends = ["0", "1"].map(|alpha| failing.beta(&real(alpha), 60, &Budget::default()).expect("bounds"));
    assert!(ends[1].iter().all(|bound| bound.sign() == Some(Ordering::Equal)));
}

/// Each hypothesis that fails is told with its value.
#[test]
fn hypotheses_are_checked() {
    for (text, told) in [
        ("gaussian(sigma=1)", "gamma < 1/2, but gamma >= 0.89363"),
        ("randomized-response(epsilon=1)", "gamma < 1/2, but gamma >= 0.766"),
        ("poisson(rate=1/10, gaussian(sigma=1))^1000", "symmetric trade-off functions"),
        ("finite(p=[1/2,1/2], q=[1/3,2/3])^100", "symmetric trade-off functions"),
        ("finite(p=[1/2,1/2,0], q=[0,1/2,1/2])^100", "kappa_3 < infinity"),
        ("gdp(mu=0)", "V = 0"),
        ("approx-dp(epsilon=0, delta=1/10)^5", "V = 0"),
    ] {
        match of(text) {
            Err(Error::Undefined(reason)) => assert!(reason.contains(told), "{text}: {reason}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    let bounds = of("gaussian(sigma=10)^100").expect("the theorem");
    let budget = Budget::default();
    assert!(matches!(bounds.delta(&real("-1"), 60, &budget), Err(Error::Undefined(_))));
    assert!(matches!(bounds.beta(&real("2"), 60, &budget), Err(Error::Input(_))));
    assert!(matches!(bounds.epsilon(&real("-1"), 60, &budget), Err(Error::Input(_))));
}
