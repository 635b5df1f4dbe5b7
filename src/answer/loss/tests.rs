use super::*;
use crate::answer::{Meaning, answer as ask_for};

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

/// A question of a quantity at a point, as JSON has it.
fn question(quantity: &str, mechanism: &str, at: &str, direction: &str) -> Query {
    let place = if quantity.contains("quantile") { "u" } else { "loss" };
    let line = format!(
        r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{{"{place}":"{at}"}},"direction":"{direction}"}}"#
    );
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn outcome(query: &Query) -> Outcome {
    ask_for(query, &Budget::default()).unwrap_or_else(|error| panic!("{query}: {error}")).outcome
}

fn shown(query: &Query) -> String {
    match outcome(query) {
        Outcome::Exact(value) => value.to_string(),
        Outcome::Infinite => "infinite".to_string(),
        Outcome::Undefined(_) => "undefined".to_string(),
        other => panic!("{query}: {other:?}"),
    }
}

fn set(outcome: &Outcome) -> Enclosure {
    outcome.number().expect("a number").enclosure(256)
}

/// Two outcomes of masses 3/4 and 1/4, run twice: losses 2 ln 3, 0 and -2 ln 3 of P-masses 9/16, 6/16 and 1/16.
#[test]
fn tails_of_randomized_response_by_hand() {
    let rr = "randomized-response(epsilon=ln(3))^2";
    for (quantity, at, value) in [
        ("loss-above-p", "0", "9/16"),
        ("loss-above-p", "-1/100", "15/16"),
        ("loss-above-p", "-2*ln(3)", "15/16"),
        ("loss-above-p", "2*ln(3)", "0"),
        ("loss-above-p", "-3", "1"),
        ("loss-above-q", "0", "1/16"),
        ("loss-above-q", "-2*ln(3)", "7/16"),
        ("loss-up-to-p", "0", "7/16"),
        ("loss-up-to-p", "-2*ln(3)", "1/16"),
        ("loss-up-to-q", "0", "15/16"),
        ("loss-up-to-q", "-2*ln(3)", "9/16"),
        ("loss-up-to-q", "-5", "0"),
        ("loss-quantile-p", "1/2", "infinite or 2 ln 3"),
        ("loss-quantile-p", "7/16", "0"),
        ("loss-quantile-q", "9/16 + 1/1000", "0"),
    ] {
        let query = question(quantity, rr, at, "worst");
        if value.contains("ln") {
            assert!(set(&outcome(&query)).overlaps(&real("2*ln(3)").enclosure(256)), "{query}");
        } else {
            assert_eq!(shown(&query), value, "{query}");
        }
    }
}

/// Masses at infinity: P alone has 1/2, Q alone has 7/8, and the one finite loss is ln 4.
#[test]
fn outcomes_of_one_distribution_count_at_infinity() {
    let pair = "finite(p=[1/2,1/2,0], q=[0,1/8,7/8])";
    for (direction, quantity, at, value) in [
        ("forward", "loss-above-p", "100", "1/2"),
        ("forward", "loss-above-q", "100", "0"),
        ("forward", "loss-above-p", "-100", "1"),
        ("forward", "loss-above-q", "-100", "1/8"),
        ("forward", "loss-up-to-p", "ln(4)", "1/2"),
        ("forward", "loss-up-to-q", "-100", "7/8"),
        ("forward", "loss-up-to-q", "ln(4)", "1"),
        ("forward", "loss-quantile-p", "3/4", "infinite"),
        ("forward", "loss-quantile-q", "3/4", "undefined"),
        // The other order: P' = Q, and the loss is -ln 4.
        ("backward", "loss-above-p", "0", "7/8"),
        ("backward", "loss-above-q", "-2", "1/2"),
        ("backward", "loss-up-to-q", "-2", "1/2"),
        ("backward", "loss-up-to-p", "-1", "1/8"),
        ("backward", "loss-quantile-p", "1/4", "infinite"),
        ("backward", "loss-quantile-q", "1/4", "undefined"),
    ] {
        assert_eq!(shown(&question(quantity, pair, at, direction)), value, "{direction} {quantity} at {at}");
    }
    let quantile = set(&outcome(&question("loss-quantile-p", pair, "1/2", "forward")));
    assert!(quantile.overlaps(&real("ln(4)").enclosure(256)));
    let quantile = set(&outcome(&question("loss-quantile-q", pair, "15/16", "backward")));
    assert!(quantile.overlaps(&real("-ln(4)").enclosure(256)));
}

#[test]
fn sums_of_irrational_masses_are_at_most_one() {
    for mechanism in ["approx-dp(epsilon=1, delta=1/10)", "randomized-response(epsilon=1)^3"] {
        for (quantity, at) in [("loss-above-p", "-5"), ("loss-up-to-p", "5"), ("loss-above-q", "-5")] {
            let query = question(quantity, mechanism, at, "forward");
            let found = set(&outcome(&query));
            assert!(*found.upper() <= 1, "{query}: {found:?}");
        }
    }
}

/// What is exact lies in what slopes prove, at atoms and between them, in both orders and under both distributions.
#[test]
fn slopes_enclose_sums_of_outcomes() {
    let quantities = ["loss-above-p", "loss-above-q", "loss-up-to-p", "loss-up-to-q"];
    let mut narrow = 0;
    for (mechanism, points) in [
        ("finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^2", ["0", "ln(3/2)", "-1/3", "1"]),
        ("approx-dp(epsilon=ln(2), delta=1/10)^2", ["0", "ln(4)", "-ln(4)", "1/3"]),
        ("finite(p=[1/2,1/2,0], q=[0,1/8,7/8])", ["ln(4)", "0", "2", "-2"]),
        ("poisson(rate=1/4, randomized-response(epsilon=ln(3)))^3", ["0", "1/5", "-1/5", "3*ln(3/2)"]),
        ("geometric(epsilon=ln(2), sensitivity=2)^2", ["0", "ln(2)", "-ln(2)", "1/2"]),
    ] {
        for direction in ["forward", "backward"] {
            for quantity in quantities {
                for at in points {
                    let query = question(quantity, mechanism, at, direction);
                    let Outcome::Exact(exact) = outcome(&query) else { panic!("{query}") };
                    for everywhere in [false, true] {
                        let found = by_slopes(&query, everywhere);
                        let inside = found.enclosure(256);
                        assert!(inside.contains(exact.value()), "{query} {everywhere}: {inside:?} {exact}");
                        narrow += u32::from(inside.relative_bits() >= Some(30));
                    }
                }
            }
        }
    }
    assert!(narrow > 200, "{narrow}");
}

/// The value by slopes, on the lattice if there is one, or everywhere.
fn by_slopes(query: &Query, everywhere: bool) -> Number {
    let session = Session::new(query.mechanism.clone(), Method::Auto);
    let pairs = query.mechanism.pairs().expect("pairs");
    let budget = Budget::default();
    let mut context = Context::new(&session, query, pairs, &budget).expect("a pair");
    context.list = None;
    context.lattice = if everywhere { None } else { common_lattice(&context.product).ok().flatten() };
    if everywhere {
        context.range = None;
    }
    let value = match &query.quantity {
        Quantity::LossAbove { threshold, under } => Value::above(query.direction, threshold, *under),
        Quantity::LossUpTo { threshold, under } => Value::up_to(query.direction, threshold, *under),
        other => panic!("{other:?}"),
    };
    context.probability(&value, 10, None, &budget).expect("a number").value
}

/// The line between neighbours of a lattice, and quotients beside the threshold, enclose one number.
#[test]
fn lattices_agree_with_quotients() {
    for mechanism in [
        "discrete-gaussian(sigma2=2)^5",
        "discrete-gaussian(sigma2=3/2, sensitivity=2)",
        "randomized-response(epsilon=1)^300",
        "geometric(epsilon=1, sensitivity=2)^2 * randomized-response(epsilon=1/2)^2",
    ] {
        for quantity in ["loss-above-p", "loss-above-q", "loss-up-to-p", "loss-up-to-q"] {
            for at in ["1/3", "-6/5", "3"] {
                let query = question(quantity, mechanism, at, "forward");
                let [lattice, quotients] = [false, true].map(|everywhere| by_slopes(&query, everywhere).enclosure(256));
                assert!(lattice.overlaps(&quotients), "{query}: {lattice:?} {quotients:?}");
                assert!(lattice.relative_bits() >= Some(30), "{query}: {lattice:?}");
                let atom = mechanism.contains("response") && at == "3";
                assert!(atom || quotients.relative_bits() >= Some(30), "{query}: {quotients:?}");
            }
        }
    }
}

/// Closed forms against slopes of the profile, which another engine computes.
#[test]
fn closed_forms_agree_with_slopes() {
    for (mechanism, points) in [
        ("gdp(mu=1)", ["0", "2", "-3/2"]),
        ("gaussian(sigma=2)^10", ["1", "-1", "ln(3)"]),
        ("laplace(scale=1)", ["0", "-1", "1"]),
        ("laplace(scale=1/3)", ["5/2", "3", "-3"]),
    ] {
        for quantity in ["loss-above-p", "loss-above-q", "loss-up-to-p", "loss-up-to-q"] {
            for at in points {
                let query = question(quantity, mechanism, at, "forward");
                let closed = set(&outcome(&query));
                let context_value = by_profile(&query);
                let slopes = context_value.enclosure(256);
                assert!(slopes.overlaps(&closed), "{query}: {closed:?} {slopes:?}");
                let tiny = *slopes.upper() < 1e-12;
                assert!(tiny || slopes.is_point() || slopes.relative_bits() >= Some(20), "{query}: {slopes:?}");
            }
        }
    }
}

/// The value without closed forms and without the ends of the losses.
fn by_profile(query: &Query) -> Number {
    let session = Session::new(query.mechanism.clone(), Method::Auto);
    let budget = Budget::default();
    let mut context = Context::new(&session, query, query.mechanism.pairs().expect("pairs"), &budget).expect("a pair");
    context.range = None;
    let value = match &query.quantity {
        Quantity::LossAbove { threshold, under } => Value::above(query.direction, threshold, *under),
        Quantity::LossUpTo { threshold, under } => Value::up_to(query.direction, threshold, *under),
        other => panic!("{other:?}"),
    };
    let (mut best, mut reason) = (None, None);
    let exact = context.refined(&value, 9, None, &budget, &mut best, &mut reason).expect("a number");
    exact.map_or_else(|| Number::Enclosed(best.expect("an enclosure").0), |found| found.value)
}

/// Two runs of Laplace noise have an atom at 0, of mass `2 (1/2) (e^-1/2)`: above and up to 0 it is counted once.
#[test]
fn atoms_beside_densities_are_counted_once() {
    let mechanism = "laplace(scale=1)^2";
    let at = |quantity: &str, t: &str| set(&outcome(&question(quantity, mechanism, t, "forward")));
    let atom = real("exp(-1)/2").enclosure(256);
    let (above, beside) = (at("loss-above-p", "0"), at("loss-above-p", "-1e-30"));
    let jump = &beside - &above;
    assert!(jump.overlaps(&atom) && jump.relative_bits() > Some(40), "{jump:?}");
    let sum = &above + &at("loss-up-to-p", "0");
    assert!(sum.contains(&rug::Rational::from(1)) && above.relative_bits() > Some(40));
    // Both orders of a product of symmetric pairs have one law.
    let backward = set(&outcome(&question("loss-above-p", mechanism, "0", "backward")));
    assert!(backward.overlaps(&above));
}

/// The order (Q, P) is the pair that is written the other way round.
#[test]
fn backward_is_the_swapped_pair() {
    for quantity in ["loss-above-p", "loss-above-q", "loss-up-to-p", "loss-up-to-q"] {
        for at in ["0", "1/3", "-ln(3/2)", "ln(4/3)", "-5"] {
            let one = question(quantity, "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^3", at, "backward");
            let other = question(quantity, "finite(p=[1/3,1/3,1/3], q=[1/2,1/4,1/4])^3", at, "forward");
            assert_eq!(shown(&one), shown(&other), "{one}");
        }
    }
}

/// By the definition: `F(t - h) < u <= F(t + h)` around what is answered.
#[test]
fn quantiles_invert_the_distribution_function() {
    for mechanism in [
        "gdp(mu=1)",
        "laplace(scale=1)",
        "laplace(scale=1)^2",
        "randomized-response(epsilon=1)^30",
        "discrete-gaussian(sigma2=2)^3",
        "poisson(rate=1/10, gaussian(sigma=1))^20",
        "gdp(mu=1/2) * randomized-response(epsilon=1)",
    ] {
        for under in ["p", "q"] {
            for u in ["1/100", "1/2", "3/4", "99/100"] {
                let query = question(&format!("loss-quantile-{under}"), mechanism, u, "forward").with_digits(8);
                let quantile = set(&outcome(&query));
                assert!(quantile.relative_bits() >= Some(24) || quantile.is_point(), "{query}: {quantile:?}");
                let level = real(u).enclosure(256);
                let at = |end: &rug::Float, sign: i32| {
                    let beside = rug::Rational::from((sign, 10_000_000_000_u64));
                    let t = Real::from(end.to_rational().expect("a number") + beside).to_string();
                    // Without a time limit the digits do not depend on the machine.
                    set(&outcome(&question(&format!("loss-up-to-{under}"), mechanism, &t, "forward").with_digits(14)))
                };
                let (below, above) = (at(quantile.lower(), -1), at(quantile.upper(), 1));
                assert!(below.lower() < level.upper() && above.upper() >= level.lower(), "{query}: {quantile:?}");
                assert!(below.compare(&level) == Some(Ordering::Less), "{query}: {below:?}");
            }
        }
    }
}

#[test]
fn refuses_the_worst_direction_of_an_asymmetric_pair() {
    let query = question("loss-above-p", "poisson(rate=1/10, gaussian(sigma=1))", "1", "worst");
    let error = ask_for(&query, &Budget::default()).expect_err("no such direction");
    assert!(matches!(&error, Error::Input(_)) && error.to_string().contains("forward or backward"), "{error}");
    // Where both orders have one law, it is that of either.
    let mechanism = "laplace(scale=2)^3";
    let [worst, forward] =
        ["worst", "forward"].map(|side| set(&outcome(&question("loss-above-q", mechanism, "1/4", side))));
    assert!(worst.overlaps(&forward));
}

#[test]
fn refuses_probabilities_that_are_not_between_0_and_1() {
    for u in ["0", "1", "-1/2", "3/2"] {
        let line = format!(r#"{{"quantity":"loss-quantile-p","mechanism":"gdp(mu=1)","at":{{"u":"{u}"}}}}"#);
        let error = serde_json::from_str::<Query>(&line).expect_err("no probability").to_string();
        assert!(error.starts_with("u must be strictly between 0 and 1"), "{error}");
    }
}

#[test]
fn guarantees_have_no_loss_distribution_and_dominating_pairs_have_their_own() {
    for mechanism in ["zcdp(rho=1/8)", "pure-dp(epsilon=1)", "gdp(mu=1) * rdp(alpha=2, epsilon=1)"] {
        let Ok(composition) = mechanism.parse() else { continue };
        let quantity = Quantity::LossAbove { threshold: Real::zero(), under: Under::P };
        assert!(matches!(outcome(&Query::new(quantity, composition)), Outcome::Undefined(_)), "{mechanism}");
    }
    for (mechanism, meaning) in [
        ("gaussian(sigma=1)", Meaning::Exact),
        ("group(k=2, laplace(scale=1)^2)", Meaning::OfThePair),
        ("shuffle(n=5, epsilon0=1)", Meaning::OfThePair),
    ] {
        let query = question("loss-above-p", mechanism, "1/2", "forward").with_digits(2);
        let answer = ask_for(&query, &Budget::default()).expect("an answer");
        if matches!(answer.outcome, Outcome::Undefined(_) | Outcome::Undecided(_)) {
            panic!("{mechanism}: {:?}", answer.outcome);
        }
        assert_eq!((answer.meaning, answer.bound), (Some(meaning), None), "{mechanism}");
    }
}

#[test]
fn nothing_leaked_is_a_loss_of_zero() {
    let none = "gaussian(sigma=1, sensitivity=0)";
    for (quantity, at, value) in [
        ("loss-above-p", "0", "0"),
        ("loss-above-q", "-1/2", "1"),
        ("loss-up-to-p", "0", "1"),
        ("loss-up-to-q", "-1e-9", "0"),
        ("loss-quantile-p", "1/3", "0"),
    ] {
        assert_eq!(shown(&question(quantity, none, at, "forward")), value, "{quantity} at {at}");
    }
}
