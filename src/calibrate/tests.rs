use std::cmp::Ordering;
use std::time::Duration;

use super::*;
use crate::answer::answer;
use crate::curve::Direction;
use crate::mechanism::{Composition, Mechanism};
use crate::query::{Quantity, Query};
use enclosure::Real;

fn real(text: &str) -> Real {
    text.parse().expect(text)
}

fn profile(epsilon: &str, delta: &str) -> Target {
    Target::Profile { epsilon: real(epsilon), delta: real(delta) }
}

fn tradeoff(beta: &str, alpha: &str) -> Target {
    Target::Tradeoff { beta: real(beta), alpha: real(alpha) }
}

fn gdp(mu: &str) -> Target {
    Target::Gdp { mu: real(mu) }
}

fn renyi(order: &str, value: &str) -> Target {
    Target::Renyi { order: real(order), value: real(value) }
}

fn zcdp(rho: &str) -> Target {
    Target::Zcdp { rho: real(rho) }
}

/// Nine runs of Gaussian noise of sigma = 3 are 1-GDP exactly, with a Renyi divergence of a/2 at every order a.
#[test]
fn gaussian_noise_meets_gdp_and_renyi_targets_exactly() {
    for target in [gdp("1"), zcdp("1/2"), renyi("2", "1"), renyi("7/2", "7/4")] {
        let question = question("gaussian(sigma=?)^9", target);
        let answer = solved(&question);
        let safe = answer.safe.as_ref().expect("a safe value");
        assert_eq!(*safe.value.value(), 3, "{:?}", question.target);
        assert_eq!(
            safe.outcome.number().map(|number| number.exact().cloned()),
            Some(question.target.level().as_rational().cloned())
        );
        holds(&question, &answer);
    }
    let answer = solved(&question("gaussian(sigma=3)^?", gdp("2")));
    assert_eq!(answer.outcome.number().and_then(|number| number.exact().cloned()), Some(Rational::from(36)));
}

#[test]
fn values_meet_their_gdp_and_renyi_targets() {
    for (template, target) in [
        ("laplace(scale=?)^3", gdp("1")),
        ("laplace(scale=?)^3 * gdp(mu=1/2)", zcdp("1/2")),
        ("randomized-response(epsilon=?)^5", zcdp("1/10")),
        ("discrete-gaussian(sigma2=?)^7 * gdp(mu=1/2)", zcdp("1")),
        ("poisson(rate=1/10, gaussian(sigma=?))^11", zcdp("1/3")),
        ("laplace(scale=?)^3", renyi("8", "1/2")),
        ("randomized-response(epsilon=?)^5", gdp("1/2")),
        ("finite(p=[1/2,1/2], q=[1/5,4/5]) * gdp(mu=?)", renyi("3", "2")),
        ("poisson(rate=?, gaussian(sigma=2))^10", renyi("4", "1/10")),
    ] {
        let question = question(template, target);
        holds(&question, &solved(&question));
    }
}

/// A mass at infinity is no privacy of this kind with any value, and the sign of a target is checked.
#[test]
fn gdp_and_renyi_targets_out_of_reach_are_refused() {
    let undefined = |template: &str, target| match solved(&question(template, target)).outcome {
        Outcome::Undefined(reason) => reason,
        other => panic!("{template}: {other:?}"),
    };
    let reason = undefined("approx-dp(epsilon=?, delta=1/100)", gdp("1"));
    assert_eq!(reason, "no value of epsilon meets the target: even at 0, mu is infinite");
    let reason = undefined("approx-dp(epsilon=?, delta=1/100)", renyi("2", "1"));
    assert_eq!(reason, "no value of epsilon meets the target: even at 0, Renyi divergence of order 2 is infinite");
    assert!(undefined("discrete-gaussian(sigma2=?)", gdp("1")).contains("not proven"));
    assert!(undefined("discrete-gaussian(sigma2=?) * laplace(scale=1)", zcdp("1")).contains("not proven"));
    for target in [gdp("-1"), zcdp("-1"), renyi("1", "1"), renyi("2", "-1/10")] {
        assert!(calibrate(&question("gdp(mu=?)", target), &Budget::default()).is_err());
    }
}

fn question(template: &str, target: Target) -> Calibration {
    Calibration::new(template.parse().expect(template), target)
}

fn solved(question: &Calibration) -> Calibrated {
    calibrate(question, &Budget::new(1 << 20, Some(Duration::from_secs(120)))).expect("an answer")
}

fn set(outcome: &Outcome) -> Enclosure {
    outcome.number().expect("a number").enclosure(400)
}

/// The delta or beta of a composition, to many digits.
fn truth(target: &Target, composition: &Composition, direction: Direction) -> Number {
    let query = Query::new(target.quantity(), composition.clone()).with_digits(60).with_direction(direction);
    answer(&query, &Budget::default()).expect("an answer").outcome.number().expect("a number")
}

/// What the answer promises, asked anew: the safe value keeps the promise, the other one breaks it, they are
/// neighbours, and the number lies between them.
fn holds(question: &Calibration, answer: &Calibrated) {
    let (safe, fails) = (answer.safe.as_ref().expect("a safe value"), answer.fails.as_ref().expect("one that fails"));
    let level = question.target.level().number(400);
    let at = |trial: &Trial| {
        let composition = question.template.with(Real::from(trial.value.clone())).expect("a composition");
        truth(&question.target, &composition, question.direction).compare(&level).expect("not equal")
    };
    let beta = matches!(question.target, Target::Tradeoff { .. });
    let (good, bad) = if beta {
        (std::cmp::Ordering::Greater, std::cmp::Ordering::Less)
    } else {
        (std::cmp::Ordering::Less, std::cmp::Ordering::Greater)
    };
    assert!(at(safe) != bad, "{} breaks it", safe.value);
    assert_eq!(at(fails), bad, "{} keeps it, {good:?}", fails.value);
    if safe.is_double {
        let (s, f) = (safe.value.lower_f64(), fails.value.lower_f64());
        assert!(f == s.next_up() || f == s.next_down(), "{s} {f}");
        let all = set(&answer.outcome);
        let ends = Enclosure::rational(safe.value.value(), 400).hull(&Enclosure::rational(fails.value.value(), 400));
        assert!(all.lower() >= ends.lower() && all.upper() <= ends.upper());
    } else {
        let gap = Rational::from(safe.value.value() - fails.value.value());
        assert!(gap == 1 || gap == -1, "{gap}");
        assert_eq!(
            answer.outcome.number().and_then(|number| number.exact().cloned()).as_ref(),
            Some(safe.value.value())
        );
    }
}

/// Solutions that are known in closed form.
#[test]
fn solutions_by_hand() {
    for (template, target, solution) in [
        // tanh(epsilon/2) = 1/5.
        ("randomized-response(epsilon=?)", profile("0", "1/5"), "ln(3/2)"),
        // The losses are between -10 epsilon and 10 epsilon.
        ("randomized-response(epsilon=?)^10", profile("1", "0"), "1/10"),
        ("approx-dp(epsilon=1, delta=?)^2", profile("2", "19/100"), "1/10"),
        ("approx-dp(epsilon=?, delta=1/10)", profile("0", "1/4"), "ln(7/5)"),
        // 1 - e^((1/2 - 1/b)/2) = 1 - e^(-1/4), and the other way round.
        ("laplace(scale=1, sensitivity=?)", profile("1/2", "1/3"), "1/2 - 2*ln(2/3)"),
        ("laplace(scale=?)^10", profile("1", "0"), "10"),
        ("laplace(epsilon=?)^10", profile("1", "0"), "1/10"),
        // 1 - e^(-epsilon/2).
        ("laplace(epsilon=?, sensitivity=3)", profile("0", "1/10"), "2*ln(10/9)"),
        ("geometric(scale=?, sensitivity=3)", profile("2", "0"), "3/2"),
        ("geometric(epsilon=?, sensitivity=3)", profile("2", "0"), "2/3"),
        // H_1 of a sample is the rate times H_1, which is 1/2.
        ("poisson(rate=?, randomized-response(epsilon=ln(3)))", profile("0", "1/7"), "2/7"),
        // 1 - x alpha = 7/10.
        ("randomized-response(epsilon=?)", tradeoff("7/10", "1/10"), "ln(3)"),
        ("k-randomized-response(epsilon=?, categories=4)", profile("0", "1/5"), "ln(2)"),
    ] {
        for digits in [6, 40] {
            let question = question(template, target.clone()).with_digits(digits);
            let answer = solved(&question);
            let number = set(&answer.outcome);
            let solution = real(solution).enclosure(400);
            assert!(number.lower() <= solution.upper() && solution.lower() <= number.upper(), "{template}: {number:?}");
            assert!(answer.outcome.digits() >= Some(digits), "{template}: {:?}", answer.outcome);
            holds(&question, &answer);
        }
    }
}

#[test]
fn integers_by_hand() {
    for (template, target, safe) in [
        // (x-1)/(x+k-1) = 2/(k+2).
        ("k-randomized-response(epsilon=ln(3), categories=?)", profile("0", "1/10"), "18"),
        ("k-randomized-response(epsilon=ln(3), categories=?)", profile("0", "1/1000000"), "1999998"),
        // p - (1-p)/(k-1).
        ("k-randomized-response(p=1/2, categories=?)", profile("0", "9/20"), "11"),
        ("k-randomized-response(p=1/5, categories=?)", profile("0", "1/10"), "9"),
        ("geometric(epsilon=ln(2), sensitivity=?)", profile("5*ln(2)", "0"), "5"),
        ("geometric(epsilon=ln(2), sensitivity=?)", profile("11/2*ln(2)", "0"), "5"),
        ("staircase(epsilon=1, gamma=1/3, sensitivity=?)", profile("4", "0"), "4"),
        ("randomized-response(epsilon=1/10)^?", profile("1", "0"), "10"),
        ("(randomized-response(epsilon=1/100)^?)^5 * randomized-response(epsilon=1/2)", profile("1", "0"), "10"),
        // 1 - (1-delta)^n.
        ("approx-dp(epsilon=0, delta=1/10)^?", profile("1", "2/5"), "4"),
        ("gdp(mu=1)^?", tradeoff("0", "1/2"), ""),
    ] {
        let question = question(template, target);
        let answer = solved(&question);
        if safe.is_empty() {
            assert!(matches!(answer.outcome, Outcome::Undefined(_)), "{:?}", answer.outcome);
            continue;
        }
        let Outcome::Exact(value) = &answer.outcome else { panic!("{template}: {:?}", answer.outcome) };
        assert_eq!(value.to_string(), safe, "{template}");
        holds(&question, &answer);
    }
}

/// A composition of Gaussians depends on the sum of the `mu^2`: 10^18 times 10^-18.
#[test]
fn a_count_has_eighteen_digits() {
    let target = profile("1", "0");
    let delta = truth(&target, &"gdp(mu=1)".parse().expect("a mechanism"), Direction::Worst);
    for (side, wanted) in [(Side::Upper, "1000000000000000000"), (Side::Lower, "999999999999999999")] {
        let question = question("gdp(mu=1e-9)^?", profile("1", &decimal(&delta, 40, side)));
        let answer = solved(&question);
        assert_eq!(answer.safe.as_ref().map(|safe| safe.value.to_string()).as_deref(), Some(wanted));
        holds(&question, &answer);
    }
}

/// The delta of a number, as the promise, leads back to the number.
#[test]
fn there_and_back_again() {
    for (template, number, epsilon) in [
        ("gdp(mu=?)", "1", "1"),
        ("gdp(mu=?)^3 * laplace(scale=2)", "1/3", "1/2"),
        ("gaussian(sigma=?, sensitivity=3)^2", "7", "-1/10"),
        ("gaussian(sigma=2, sensitivity=?)", "5/3", "2"),
        ("laplace(scale=?)^3", "11/3", "1/10"),
        ("poisson(rate=1/10, gaussian(sigma=?))^20", "3/2", "1"),
        ("poisson(rate=?, gaussian(sigma=3/2))^20 * approx-dp(epsilon=1/10, delta=1/1000)", "1/30", "1/2"),
        ("poisson(rate=1/10, poisson(rate=?, randomized-response(epsilon=1)))^5", "2/7", "1/40"),
    ] {
        let composition: Composition = template.replace('?', number).parse().expect(template);
        for direction in [Direction::Worst, Direction::Forward, Direction::Backward] {
            let delta = truth(&profile(epsilon, "0"), &composition, direction);
            let beta = truth(&tradeoff("0", "1/10"), &composition, direction);
            let grows = question(template, profile("1", "1")).template.loss() == Trend::Grows;
            for (target, smaller) in [
                (profile(epsilon, &decimal(&delta, 45, Side::Lower)), grows),
                (profile(epsilon, &decimal(&delta, 45, Side::Upper)), !grows),
                (tradeoff(&decimal(&beta, 45, Side::Upper), "1/10"), grows),
                (tradeoff(&decimal(&beta, 45, Side::Lower), "1/10"), !grows),
            ] {
                let question = question(template, target).with_direction(direction).with_digits(20);
                let answer = solved(&question);
                holds(&question, &answer);
                let (found, number) = (set(&answer.outcome), real(number).enclosure(400));
                // A promise that is a little stricter, or a little less strict, than the truth.
                assert!(
                    if smaller { found.lower() <= number.upper() } else { found.upper() >= number.lower() },
                    "{template} {direction:?}: {found:?}"
                );
                assert!(answer.outcome.digits() >= Some(20), "{template}: {:?}", answer.outcome);
            }
        }
    }
}

/// One parameter tells the other: the scale of noise is the inverse of `mu`.
#[test]
fn parameters_of_one_pair_agree() {
    let target = || profile("1", "1e-5");
    let [sigma, mu, sigma2, same] =
        ["gaussian(sigma=?)^4", "gdp(mu=?)^4", "gaussian(sigma2=?)^4", "gaussian(mu=?, sensitivity=3)^4"]
            .map(|template| set(&solved(&question(template, target()).with_digits(30)).outcome));
    let product = &sigma * &mu;
    assert!(product.contains(&Rational::from(1)), "{product:?}");
    assert!(sigma.square().overlaps(&sigma2) && same.overlaps(&mu), "{sigma2:?} {same:?}");
    let sensitivity = set(&solved(&question("gaussian(sigma=3, sensitivity=?)^4", target()).with_digits(30)).outcome);
    assert!(sensitivity.div_u32(3).overlaps(&mu));
}

/// Of discrete Gaussian noise alone the least value from which on all are safe is found, however the promise is kept
/// and broken below it.
#[test]
fn discrete_gaussian_noise_is_safe_from_a_value_on() {
    for (template, target) in [
        ("discrete-gaussian(sigma2=?)", profile("1", "1e-3")),
        ("discrete-gaussian(sigma2=?)", profile("0", "1/50")),
        ("discrete-gaussian(sigma2=?)", profile("-1/10", "1/10")),
        ("discrete-gaussian(sigma2=?)", profile("ln(3)", "1e-9")),
        ("discrete-gaussian(sigma=?, sensitivity=2)^3", profile("2", "1e-5")),
        ("discrete-gaussian(sigma2=?, sensitivity=5)^200", profile("1/3", "1e-7")),
        ("discrete-gaussian(sigma2=?)", tradeoff("4/5", "1/10")),
        ("discrete-gaussian(sigma2=?)", tradeoff("1/10", "4/5")),
        ("discrete-gaussian(sigma2=?, sensitivity=3)^4", tradeoff("9/10", "1/50")),
        // Teeth.
        ("discrete-gaussian(sigma2=?)", profile("20", "3e-4")),
        ("discrete-gaussian(sigma2=?)", profile("20", "1e-8")),
        ("discrete-gaussian(sigma2=?)^2", profile("50", "1e-9")),
        // Just below the end of a tooth that fails, steps and misses take turns.
        ("discrete-gaussian(sigma2=?)", profile("5", "1e-20")),
        ("discrete-gaussian(sigma2=?, sensitivity=3)", profile("10", "1e-3")),
        // Lines of slope 1 and hardly more.
        ("discrete-gaussian(sigma2=?)", tradeoff("99/200", "1/2")),
    ] {
        let question = question(template, target);
        let answer = solved(&question);
        let Outcome::Enclosure(proven) = &answer.outcome else { panic!("{template}: {:?}", answer.outcome) };
        let [safe, fails] = [&answer.safe, &answer.fails].map(|trial| trial.clone().expect("a value").value);
        assert_eq!(safe.lower_f64(), fails.lower_f64().next_up(), "{template}");
        assert!(proven.lower_f64() == fails.lower_f64() && proven.upper_f64() == safe.upper_f64());
        assert!(!keeps(&question, fails.value().clone()), "{template}");
        for n in 0..60_u32 {
            assert!(keeps(&question, safe.value() * Rational::from((1000 + n * n * n, 1000))), "{template} {n}");
        }
        let many = solved(&question.clone().with_digits(30));
        let more = set(&many.outcome);
        assert!(more.overlaps(&set(&answer.outcome)) && many.outcome.digits() >= Some(30), "{template}");
        assert_eq!([many.safe, many.fails].map(|trial| trial.map(|it| it.value)), [Some(safe), Some(fails)]);
    }
}

/// Smaller values may be safe, and are no end of those that all are.
#[test]
fn a_tooth_below_is_passed_over() {
    let question = question("discrete-gaussian(sigma2=?)", profile("20", "1e-4"));
    let answer = solved(&question);
    let fails = answer.fails.expect("a value").value;
    for below in [(25, 1000), (3, 100), (5, 100)] {
        assert!(keeps(&question, Rational::from(below)) && *fails.value() > Rational::from(below));
    }
    assert!(!keeps(&question, Rational::from((24, 1000))) && !keeps(&question, Rational::from((6, 100))));
}

fn keeps(question: &Calibration, at: Rational) -> bool {
    let composition = question.template.with(Real::from(at)).expect("a composition");
    let order = truth(&question.target, &composition, Direction::Worst).compare(&question.target.level().number(400));
    let worse = match question.target {
        Target::Tradeoff { .. } => std::cmp::Ordering::Less,
        _ => std::cmp::Ordering::Greater,
    };
    order != Some(worse)
}

/// Beside other noise the delta of discrete Gaussian noise is bounded by its divergences alone: from the upper end on
/// the promise is kept, at the lower end it is not.
#[test]
fn a_loss_that_goes_both_ways_is_bracketed() {
    for (template, target) in [
        ("zcdp(rho=1/100) * discrete-gaussian(sigma2=?)", profile("1", "1e-4")),
        ("zcdp(rho=1/100) * discrete-gaussian(sigma2=?)^3", tradeoff("4/5", "1/20")),
        ("discrete-gaussian(sigma2=?)^2 * discrete-gaussian(sigma2=40)^2 * gdp(mu=1/10)", profile("1", "1e-4")),
        ("discrete-gaussian(sigma2=?) * laplace(scale=5)", tradeoff("7/10", "1/10")),
    ] {
        let question = question(template, target);
        let answer = solved(&question);
        let Outcome::Short { proven, .. } = &answer.outcome else { panic!("{template}: {:?}", answer.outcome) };
        let [safe, fails] = [&answer.safe, &answer.fails].map(|trial| trial.clone().expect("a value").value);
        assert!(safe > fails && proven.lower_f64() == fails.lower_f64() && proven.upper_f64() == safe.upper_f64());
        // Not far apart: within a factor of three.
        assert!(safe.upper_f64() < 3.0 * fails.lower_f64(), "{template}: {fails} {safe}");
        // Beside a guarantee what is answered may say more than what is calibrated.
        let guarantee = template.contains("zcdp");
        assert!(guarantee || !keeps(&question, fails.value().clone()));
        for n in (0..20_u32).step_by(if guarantee { 7 } else { 1 }) {
            assert!(keeps(&question, safe.value() * Rational::from((40 + n * n * n, 40))), "{template} {n}");
        }
    }
}

/// A type II error of `1 - alpha` says that nothing is told: no noise does that, and a rate of zero does.
#[test]
fn no_noise_tells_nothing() {
    for template in ["gaussian(sigma=?)", "laplace(scale=?)^3"] {
        let answer = solved(&question(template, tradeoff("1/2", "1/2")));
        assert!(matches!(&answer.outcome, Outcome::Undefined(why) if why.contains("reveals something")), "{answer:?}");
    }
    let answer = solved(&question("poisson(rate=?, randomized-response(epsilon=1))", tradeoff("1/2", "1/2")));
    assert!(answer.safe.is_some_and(|safe| *safe.value.value() == 0), "{:?}", answer.outcome);
}

/// Without time it is not told that nothing is known of the whole; and of a mixture its parts may have bounds.
#[test]
fn what_is_not_known_of_a_whole_is_asked_otherwise() {
    let none = Budget::new(1 << 20, Some(std::time::Duration::ZERO));
    let asked = question("poisson(rate=?, zcdp(rho=1/2))^20", profile("1", "1e-5"));
    let found = calibrate(&asked, &none).expect("an answer");
    assert!(matches!(found.outcome, Outcome::Undecided(_)), "{:?}", found.outcome);
    let text = "mixture(1/2: zcdp(rho=1/50), rest: poisson(rate=1/10, gaussian(sigma=?)))";
    let found = solved(&question(text, profile("3", "1e-6")));
    assert!(found.bound.is_some() && found.outcome.digits() >= Some(6), "{:?}", found.outcome);
}

/// Inside of samples it is so by a guarantee in the place of the noise.
#[test]
fn noise_inside_of_samples_is_bracketed() {
    for (template, target) in [
        ("poisson(rate=1/5, discrete-gaussian(sigma2=?))^3", profile("1", "1e-4")),
        ("poisson(rate=1/5, discrete-gaussian(sigma=?, sensitivity=2))^2 * laplace(scale=9)", profile("1", "1e-4")),
        ("poisson(rate=1/5, discrete-gaussian(sigma2=?))", tradeoff("4/5", "1/10")),
    ] {
        let question = question(template, target.clone());
        let minute = Budget::new(Budget::DEFAULT_MAX_BITS, Some(std::time::Duration::from_secs(60)));
        let answer = calibrate(&question, &minute).expect("an answer");
        let (safe, fails) = (answer.safe.expect("a value"), answer.fails.expect("a value"));
        let (low, high) = (fails.value.lower_f64(), safe.value.upper_f64());
        assert!(low < high && high < 3.0 * low, "{template}: {low} {high}");
        let level = target.level().number(400);
        let beta = matches!(target, Target::Tradeoff { .. });
        let (kept, broken) =
            if beta { (Ordering::Greater, Ordering::Less) } else { (Ordering::Less, Ordering::Greater) };
        let number = |outcome: &Outcome| outcome.number().expect("a number");
        assert_eq!(number(&fails.outcome).compare(&level), Some(broken), "{template}");
        for part in [0, 1, 3, 9, 40] {
            let at = safe.value.value() * Rational::from((20 + part, 20));
            let composition = question.template.with(Real::from(at)).expect("a composition");
            let query = crate::Query::new(target.quantity(), composition).with_digits(3);
            let found = crate::answer(&query, &minute).expect("an answer").outcome;
            assert_eq!(number(&found).compare(&level), Some(kept), "{template} {part}");
        }
    }
}

/// Where the promise is the truth at a double, to all digits, the doubles beside it are told.
#[test]
fn a_tie_is_left_out() {
    // For beta, 1 - e^(1/b) alpha at scale b.
    for target in [profile("1/2", "1 - exp(-1/4)"), tradeoff("1 - exp(1)/10", "1/10")] {
        let answer = solved(&question("laplace(scale=?)", target));
        let (safe, fails) = (answer.safe.expect("a value"), answer.fails.expect("a value"));
        assert_eq!([safe.value.lower_f64(), fails.value.lower_f64()], [1.0_f64.next_up(), 1.0_f64.next_down()]);
        assert!(set(&answer.outcome).contains(&Rational::from(1)));
    }
}

/// Each says why, and with which bound.
#[test]
fn promises_out_of_reach_are_undefined() {
    for (template, target, told) in [
        (
            "gaussian(sigma=?) * approx-dp(epsilon=1, delta=1/100)",
            profile("3", "1e-5"),
            "no value of sigma meets the target: even without the mechanism marked `?`, delta at epsilon = 3 is at \
             least 0.01, above 1/100000",
        ),
        (
            "gaussian(sigma=?)",
            profile("-1", "1/10"),
            "no value of sigma meets the target: at epsilon = -1 every delta is at least 0.632",
        ),
        (
            "gaussian(sigma=?)",
            profile("1", "0"),
            "no value of sigma meets the target: even at 8.9884656e307 the privacy loss is unbounded",
        ),
        (
            "gaussian(sigma=?) * approx-dp(epsilon=0, delta=1/100)",
            profile("1", "1/100"),
            "no value of sigma meets the target: even at 8.9884656e307 the privacy loss is unbounded and delta is \
             above 1/100",
        ),
        (
            "gaussian(sigma=?) * approx-dp(epsilon=0, delta=1/100)^2",
            profile("1", "199/10000"),
            "and delta is above 199/10000",
        ),
        ("gaussian(sigma=?)", profile("1", "1"), "every value of sigma meets the target: no delta is above 1"),
        (
            "discrete-gaussian(sigma2=?)",
            profile("1", "1"),
            "every value of sigma2 meets the target: no delta is above 1",
        ),
        (
            "staircase(epsilon=1, gamma=?)",
            profile("-1", "1/2"),
            "no value of gamma meets the target: at epsilon = -1 every",
        ),
        (
            "discrete-gaussian(sigma2=?)",
            tradeoff("0", "1/10"),
            "every value of sigma2 meets the target: no type II error",
        ),
        (
            "zcdp(rho=?) * laplace(scale=1)",
            profile("1", "1"),
            "every value of rho meets the target: no delta is above 1",
        ),
        (
            "poisson(rate=1/100, gaussian(sigma=?))",
            profile("1", "1/50"),
            "every value of sigma meets the target: even if",
        ),
        (
            "poisson(rate=?, gaussian(sigma=1))",
            profile("1", "1/2"),
            "every value of rate meets the target: even at 1, delta at epsilon = 1 is at most",
        ),
        (
            "poisson(rate=?, gdp(mu=1)) * gdp(mu=1)",
            profile("1", "1/10"),
            "no value of rate meets the target: even at 0, delta at epsilon = 1 is at least",
        ),
        (
            "gdp(mu=?)",
            tradeoff("19/20", "1/10"),
            "no value of mu meets the target: at alpha = 1/10 every type II error is at most 9/10",
        ),
        ("gdp(mu=?)", tradeoff("0", "1/10"), "every value of mu meets the target: no type II error is below 0"),
        ("gdp(mu=2)^?", profile("1", "1/10"), "not even one run meets the target: delta at epsilon = 1 is at least"),
        (
            "gdp(mu=0)^?",
            profile("1", "1/10"),
            "found no number of repeats that misses the target: even at 9223372036854775808, the largest integer \
             searched, delta at epsilon = 1 is at most 0, which is not above 1/10",
        ),
        (
            "(gaussian(sigma=1e15) * laplace(scale=1e15))^?",
            profile("1", "1/10"),
            "even at 4611686018427387904, the largest integer searched, delta at epsilon = 1 is at most",
        ),
        (
            "(gdp(mu=0)^?)^8",
            profile("1", "1/10"),
            "even at 1152921504606846976, the largest integer searched, delta at epsilon = 1 is at most 0",
        ),
        (
            "gdp(mu=1)^? * gdp(mu=2)",
            profile("1", "1/10"),
            "no number of repeats meets the target: even at 0, delta at epsilon = 1 is at least",
        ),
        (
            "staircase(epsilon=1, gamma=?)",
            profile("1/2", "1/10"),
            "increases with gamma up to 1/2 and decreases beyond",
        ),
        (
            "dp-sgd(examples=1000, batch=?, noise-multiplier=1, epochs=3)",
            profile("1", "1e-5"),
            "give `steps` instead of `epochs`",
        ),
        ("rdp(order=?, epsilon=1/10) * gaussian(sigma=4)", profile("1", "1e-5"), "increase with the order"),
        (
            "discrete-gaussian(sigma2=?)",
            tradeoff("19/20", "1/10"),
            "no value of sigma2 meets the target: at alpha = 1/10 every",
        ),
        ("discrete-gaussian(sigma2=?)", profile("1/2", "0"), "the privacy loss is not proven to be monotone"),
        ("poisson(rate=1/2, staircase(epsilon=1, gamma=?))", profile("1", "1/100"), "increases with gamma up to 1/2"),
        (
            "k-randomized-response(epsilon=1, categories=?)",
            profile("0", "1/2"),
            "every value of categories meets the target",
        ),
    ] {
        let answer = solved(&question(template, target));
        let Outcome::Undefined(reason) = &answer.outcome else { panic!("{template}: {:?}", answer.outcome) };
        assert!(reason.contains(told), "{template}: {reason}");
        assert!(answer.safe.is_none() && answer.fails.is_none());
    }
}

#[test]
fn without_time_nothing_is_decided() {
    let question = question("gdp(mu=?)", profile("1", "1/10"));
    let answer = calibrate(&question, &Budget::new(1 << 20, Some(Duration::ZERO))).expect("an answer");
    assert!(matches!(answer.outcome, Outcome::Undecided(reason) if reason.to_string().contains("time budget")));
}

/// The answer by the bound of the whole composition alone.
fn by_divergences(question: &Calibration) -> Calibrated {
    let way = Way { grows: question.template.loss() == Trend::Grows, order: &MONOTONE, level: false };
    one_way(question, &way, By::Divergences, &Budget::default(), &mut |_| {}).expect("an answer").0
}

/// From a guarantee the promise follows at the safe value, and not at its neighbour.
#[test]
fn guarantees_are_calibrated() {
    for (template, target) in [
        ("zcdp(rho=?)", profile("1", "1e-6")),
        ("zcdp(rho=?)^10 * gaussian(sigma=5)", profile("2", "1e-5")),
        ("zcdp(rho=1/100) * gaussian(sigma=?)^4", profile("1", "1e-5")),
        ("rdp(order=8, epsilon=?)^3", profile("2", "1e-5")),
        ("rdp(order=5/2, epsilon=?) * gaussian(sigma=4)", tradeoff("1/20", "1/2")),
    ] {
        let question = question(template, target.clone());
        let answer = by_divergences(&question);
        assert!(answer.bound.is_some(), "{template}");
        let (safe, fails) = (answer.safe.expect("a value"), answer.fails.expect("a value"));
        let level = target.level().number(400);
        let beside = |trial: &Trial| trial.outcome.number().expect("a number").compare(&level);
        let breaks = if matches!(target, Target::Tradeoff { .. }) { Ordering::Less } else { Ordering::Greater };
        assert_eq!(beside(&fails), Some(breaks), "{template}");
        assert_ne!(beside(&safe), Some(breaks), "{template}");
        let (safe, fails) = (safe.value.lower_f64(), fails.value.lower_f64());
        assert!(safe.next_up() == fails || fails.next_up() == safe, "{template}: {safe} {fails}");
    }
    // What is true of every mechanism is no promise, and what is a little more is one: at the boundary the search is
    // asked.
    for (target, decided) in [
        (profile("1", "1"), true),
        (profile("1", "99/100"), false),
        (profile("-1", "63/100"), true),
        (profile("-1", "64/100"), false),
        (tradeoff("91/100", "1/10"), true),
        (tradeoff("9/10", "1/10"), false),
        (tradeoff("0", "1/10"), true),
        (tradeoff("1/1000000", "1/10"), false),
    ] {
        assert_eq!(target.decided("value of mu").is_some(), decided, "{target:?}");
    }
    // Repeats: an integer, whose next one does not keep the promise.
    let repeats = solved(&question("zcdp(rho=1/1000)^?", profile("1", "1e-6")));
    let Outcome::Exact(most) = &repeats.outcome else { panic!("{:?}", repeats.outcome) };
    let rho = solved(&question("zcdp(rho=?)", profile("1", "1e-6"))).outcome;
    let most: f64 = most.to_string().parse().expect("an integer");
    assert!(rho.lower_f64() >= Some(most / 1000.0) && rho.upper_f64() < Some((most + 1.0) / 1000.0));
    // Beta from all orders is the best that follows; beside mechanisms it is that of the best order of a list.
    let beta = solved(&question("zcdp(rho=?)", tradeoff("1/20", "3/4"))).outcome;
    assert!(!matches!(beta, Outcome::Undefined(_)), "{beta:?}");
    let beta = solved(&question("zcdp(rho=?) * laplace(scale=8)", tradeoff("1/20", "3/4"))).outcome;
    assert!(beta.digits() >= Some(6), "{beta:?}");
}

/// What keeps a guarantee keeps the promise with any value that is safe for the guarantee: so the greatest value of it
/// is no smaller. Here the bound is by promises, for samples, groups and what stands beside.
#[test]
fn promises_are_calibrated() {
    for (template, kept, target) in [
        ("poisson(rate=?, zcdp(rho=1/2))^20", "poisson(rate=?, gdp(mu=1))^20", profile("1", "1e-5")),
        ("poisson(rate=1/20, zcdp(rho=1/8))^?", "poisson(rate=1/20, gdp(mu=1/2))^?", profile("1", "1e-5")),
        ("subsample(rate=?, zcdp(rho=1/2))", "subsample(rate=?, gdp(mu=1))", tradeoff("1/10", "4/5")),
        ("group(k=?, rdp(order=8, epsilon=1/4))", "group(k=?, gdp(mu=1/4))", profile("10", "1e-5")),
        ("zcdp(rho=1/10) * gdp(mu=?)", "gdp(mu=sqrt(1/5)) * gdp(mu=?)", profile("3", "1e-3")),
    ] {
        let answer = solved(&question(template, target.clone()));
        assert_eq!(answer.method, crate::answer::PROMISES.0, "{template}: {answer:?}");
        assert!(answer.bound.is_some() && !matches!(answer.outcome, Outcome::Short { .. }), "{template}");
        let (safe, fails) = (answer.safe.expect("a value"), answer.fails.expect("a value"));
        let level = target.level().number(400);
        let beside = |trial: &Trial| trial.outcome.number().expect("a number").compare(&level);
        let breaks = if matches!(target, Target::Tradeoff { .. }) { Ordering::Less } else { Ordering::Greater };
        assert_eq!(beside(&fails), Some(breaks), "{template}");
        assert_ne!(beside(&safe), Some(breaks), "{template}");
        let truth = solved(&question(kept, target)).safe.expect("a value").value;
        assert!(safe.value <= truth && fails.value > safe.value, "{template}: {safe:?} {truth}");
    }
    // Beside a bound of the whole that is the better one, that is told.
    let whole = solved(&question("zcdp(rho=?) * rdp(order=8, epsilon=1/4)", profile("2", "1e-5")));
    assert_ne!(whole.method, crate::answer::PROMISES.0);
}

/// Beside other mechanisms the promise follows from the standard conversion, and by no more than that what is answered
/// there is: the bound that is answered is not above it, and what is told of both bounds is no worse.
#[test]
fn guarantees_beside_other_noise_are_calibrated() {
    for (template, target) in [
        ("zcdp(rho=1/10) * laplace(scale=?)", profile("3", "1e-5")),
        ("zcdp(rho=?) * laplace(scale=4)", profile("3", "1e-5")),
        ("zcdp(rho=?)^2 * geometric(epsilon=1/2) * approx-dp(epsilon=0, delta=1e-6)", profile("2", "1e-5")),
        ("zcdp(rho=1/100) * laplace(scale=4)^?", profile("3", "1e-5")),
        ("zcdp(rho=?) * laplace(scale=4)", profile("-1/2", "2/5")),
        ("zcdp(rho=?) * laplace(scale=4)", tradeoff("1/2", "1/20")),
        ("zcdp(rho=1/10) * randomized-response(epsilon=?)", tradeoff("1/2", "1/20")),
        ("zcdp(rho=1/100) * laplace(scale=20)^?", tradeoff("1/2", "1/20")),
        ("cdp(mu=1/10, tau=?) * approx-dp(epsilon=1/10, delta=1/100)", tradeoff("7/10", "1/20")),
    ] {
        let question = question(template, target.clone());
        let answer = by_divergences(&question);
        let best = solved(&question).safe.expect("a value").value;
        let least = answer.safe.clone().expect("a value").value;
        let grows = question.template.loss() == Trend::Grows;
        assert!(if grows { best >= least } else { best <= least }, "{template}: {best} {least}");
        let beta = matches!(target, Target::Tradeoff { .. });
        let (bound, by, breaks) = if beta {
            (Bound::Lower, "two outcomes", Ordering::Less)
        } else {
            (Bound::Upper, "best order", Ordering::Greater)
        };
        assert_eq!(answer.bound, Some(bound), "{template}");
        assert!(answer.statement.is_some_and(|statement| statement.citation().contains(by)), "{template}");
        let (safe, fails) = (answer.safe.expect("a value"), answer.fails.expect("a value"));
        let level = target.level().number(400);
        let beside = |trial: &Trial| trial.outcome.number().expect("a number").compare(&level);
        assert_eq!(beside(&fails), Some(breaks), "{template}");
        assert_ne!(beside(&safe), Some(breaks), "{template}");
        let value = safe.value.lower_f64();
        let next = fails.value.lower_f64();
        assert!(!safe.is_double && (value - next).abs() == 1.0 || value.next_up() == next || next.next_up() == value);
        // What the same composition is answered, by whatever says more.
        let composition = question.template.with(Real::from(safe.value.value().clone())).expect("a composition");
        let asked = crate::Query::new(target.quantity(), composition).with_digits(6);
        let told = crate::answer(&asked, &Budget::default()).expect("an answer").outcome.number().expect("a number");
        let (told, level) = (told.enclosure(100), level.enclosure(100));
        let more = if beta { told.upper() >= level.lower() } else { told.lower() <= level.upper() };
        assert!(more, "{template}: {told:?}");
    }
}

/// What is cut short is told as far as it came.
#[test]
fn too_few_bits_leave_a_wider_bracket() {
    let question = question("gaussian(sigma=?)", profile("1", "1e-5")).with_digits(200);
    let answer = calibrate(&question, &Budget::new(300, None)).expect("an answer");
    let Outcome::Short { proven, .. } = &answer.outcome else { panic!("{:?}", answer.outcome) };
    assert!(proven.digits() > 15 && proven.digits() < 200, "{proven:?}");
    assert!(answer.safe.is_some() && answer.fails.is_some());
}

/// The page's table is the catalogue's.
#[test]
fn trends_are_proven_on_the_page() {
    let page = include_str!("../../proofs/paper/calibration.md");
    let rows = page.lines().filter(|line| line.starts_with("| `")).map(|line| line.replace('`', ""));
    let mut proven: Vec<[String; 3]> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            [cells[1], cells[2], cells[3]].map(str::to_string)
        })
        .collect();
    let mut claimed = Vec::new();
    for entry in Mechanism::catalogue().iter().chain(crate::mechanism::abbreviations()) {
        for parameter in entry.parameters {
            let trend = match parameter.loss {
                Trend::Grows => "grows",
                Trend::Falls => "falls",
                Trend::Unknown => continue,
            };
            claimed.push([entry.name, parameter.name, trend].map(str::to_string));
        }
    }
    proven.sort();
    claimed.sort();
    assert_eq!(proven, claimed);
}

/// Each trend of the catalogue, against answers: the delta and the beta of a smaller number and of a larger one.
#[test]
fn answers_go_as_the_catalogue_says() {
    for (template, numbers) in [
        ("geometric(epsilon=1/2, sensitivity=?)", ["1", "2", "3", "7"]),
        ("discrete-gaussian(sigma2=5/2, sensitivity=?)", ["1", "2", "3", "7"]),
        ("staircase(epsilon=1/2, gamma=1/3, sensitivity=?)", ["1", "2", "3", "7"]),
        ("staircase(epsilon=1/2, gamma=3/4, sensitivity=?)", ["1", "2", "3", "7"]),
        ("k-randomized-response(epsilon=1, categories=?)", ["2", "3", "4", "9"]),
        ("k-randomized-response(epsilon=?, categories=5)", ["0", "1/3", "1/2", "2"]),
        ("k-randomized-response(p=1/3, categories=?)", ["3", "4", "5", "9"]),
        ("geometric(scale=?, sensitivity=2)", ["1/3", "1/2", "2", "7"]),
        ("laplace(epsilon=?)", ["1/3", "1/2", "1", "3"]),
        ("geometric(epsilon=?, sensitivity=2)", ["0", "1/3", "1/2", "2"]),
        ("poisson(rate=?, geometric(epsilon=1, sensitivity=2))", ["0", "1/3", "1/2", "1"]),
        ("poisson(rate=1/3, laplace(scale=?))", ["1/3", "1/2", "1", "3"]),
        ("staircase(epsilon=?, gamma=0)", ["1/4", "1/3", "1", "3"]),
        ("staircase(epsilon=?, gamma=1/3, sensitivity=2)", ["1/4", "1/3", "1", "3"]),
        ("staircase(epsilon=?, gamma=2/3, sensitivity=3)", ["1/4", "1/3", "1", "3"]),
        ("staircase(epsilon=?, gamma=19/20, sensitivity=4)", ["1/8", "1/4", "1/3", "1"]),
        ("staircase(epsilon=?, gamma=1, sensitivity=2)", ["1/4", "1/3", "1", "3"]),
        ("noisy-cgd(epochs=?, batches=3, ratio=1, contraction=9/10)", ["1", "2", "3", "100"]),
        ("noisy-cgd(epochs=?, batches=1, ratio=1, contraction=0)", ["1", "2", "3", "100"]),
        ("noisy-cgd(epochs=5, batches=?, ratio=1, contraction=9/10)", ["1", "2", "3", "100"]),
        ("noisy-cgd(epochs=2, batches=?, ratio=1, contraction=1)", ["1", "2", "3", "100"]),
        ("noisy-cgd(epochs=5, batches=1, ratio=1, contraction=?)", ["0", "1/2", "9/10", "1"]),
        ("noisy-cgd(epochs=5, batches=2, ratio=1, contraction=?)", ["0", "1/2", "9/10", "1"]),
        ("noisy-cgd(epochs=5, batches=7, ratio=?, contraction=1/2)", ["0", "1/2", "9/10", "1"]),
        ("shuffle(n=?, epsilon0=1)", ["1", "2", "3", "40"]),
        ("shuffle(n=?, epsilon0=2, categories=4)", ["1", "2", "3", "40"]),
        ("shuffle(n=6, epsilon0=?)", ["0", "1/2", "1", "3"]),
        ("shuffle(n=6, epsilon0=?, categories=3)", ["0", "1/2", "1", "3"]),
        ("shuffle(n=6, epsilon0=1, categories=?)", ["2", "3", "4", "9"]),
        ("shuffle-clones(n=?, epsilon0=1)", ["1", "2", "3", "40"]),
        ("shuffle-clones(n=6, epsilon0=?)", ["0", "1/2", "1", "3"]),
        ("dp-sgd(examples=100, batch=?, noise-multiplier=1, steps=1)", ["1/2", "1", "3", "100"]),
        ("dp-sgd(examples=?, batch=5, noise-multiplier=1, steps=1)", ["5", "6", "9", "100"]),
        ("noisy-sgd(steps=?, rate=1, ratio=1, contraction=1/2, sampled=2)", ["2", "3", "4", "90"]),
        ("noisy-sgd(steps=?, rate=1, ratio=1, contraction=1, sampled=1)", ["1", "2", "3", "9"]),
    ] {
        let template: crate::mechanism::Template = template.parse().expect(template);
        let grows = template.loss() == Trend::Grows;
        let all: Vec<Composition> = numbers.map(|number| template.with(real(number)).expect(number)).into();
        for direction in [Direction::Forward, Direction::Backward] {
            for target in [
                profile("-1/3", "0"),
                profile("0", "0"),
                profile("1/3", "0"),
                profile("1", "0"),
                tradeoff("0", "1/7"),
                tradeoff("0", "2/3"),
            ] {
                let beta = matches!(target, Target::Tradeoff { .. });
                let values: Vec<Number> =
                    all.iter().map(|composition| truth(&target, composition, direction)).collect();
                for pair in values.windows(2) {
                    let wrong = if grows != beta { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less };
                    assert_ne!(pair[0].compare(&pair[1]), Some(wrong), "{template} {target:?} {direction:?}");
                }
            }
        }
    }
    assert!(matches!(profile("0", "0").quantity(), Quantity::Delta { .. }));
}

#[test]
fn answers_in_the_wrong_order_are_an_alarm() {
    let question = question("gdp(mu=?)", profile("1", "1/10"));
    let (found, times) = crate::alarm::injected("answer between those of a smaller and a larger parameter", || {
        calibrate(&question, &Budget::default())
    });
    assert!(times > 0 && found.expect_err("a contradiction").is_alarm());
}
