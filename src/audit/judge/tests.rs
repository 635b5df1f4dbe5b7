use enclosure::Portable;
use std::time::Duration;

use dpcert_vectors::Double;

use super::*;
use crate::audit::question::{At, Step};

fn party() -> Party {
    Party { peer: "somebody".into(), version: "1".into(), api: "pld".into() }
}

fn ask(asked: Asked, step: Step, at: At) -> Question {
    Question::new("q", asked, vec![step], at)
}

fn one(question: &Question, kind: Kind, number: &str) -> Judgement {
    let claim = Claim { id: "q".into(), numbers: vec![(kind, number.to_string())], ..Claim::default() };
    let oracle = Oracle::new(Duration::from_secs(30));
    let mut judgements = judge(&oracle, &party(), question, &claim, 0.5);
    assert_eq!(judgements.len(), 1);
    judgements.remove(0)
}

fn at_epsilon(epsilon: f64) -> At {
    At { epsilon: Some(Double(epsilon)), ..At::default() }
}

fn at_delta(delta: f64) -> At {
    At { delta: Some(Double(delta)), ..At::default() }
}

/// delta(0) of one Gaussian is 0.38292492254802620727...
fn gaussian_delta() -> Question {
    ask(Asked::Delta, Step::new("gaussian", &[("sigma", 1.0)]), at_epsilon(0.0))
}

#[test]
fn bounds_are_judged_exactly() {
    let question = gaussian_delta();
    for (kind, number, verdict, size) in [
        (Kind::Upper, "0.3829249225480263", Verdict::Sound, None),
        (Kind::Upper, "0.38292492254802620728", Verdict::Sound, None),
        (Kind::Upper, "0.38292492254802620727", Verdict::Unsound, Some(Size::Rounding)),
        (Kind::Upper, "0.3829249225", Verdict::Unsound, Some(Size::Slight)),
        (Kind::Upper, "0.38", Verdict::Unsound, Some(Size::Gross)),
        (Kind::Upper, "0", Verdict::Unsound, Some(Size::Gross)),
        (Kind::Upper, "0.8", Verdict::Loose, None),
        (Kind::Lower, "0.3829249225480262", Verdict::Sound, None),
        (Kind::Lower, "0.1", Verdict::Loose, None),
        (Kind::Lower, "-0.1", Verdict::Loose, None),
        (Kind::Lower, "0.39", Verdict::Unsound, Some(Size::Gross)),
        (Kind::Lower, "inf", Verdict::Unsound, Some(Size::Gross)),
    ] {
        let judgement = one(&question, kind, number);
        assert_eq!((judgement.verdict, judgement.size), (verdict, size), "{kind:?} {number}");
    }
}

/// Zero is the best lower bound of zero, and what is below it is loose.
#[test]
fn lower_bounds_of_zero() {
    let question = ask(Asked::Epsilon, Step::new("laplace", &[("scale", 1.0)]), at_delta(1.0));
    assert_eq!(one(&question, Kind::Lower, "0").verdict, Verdict::Sound);
    assert_eq!(one(&question, Kind::Lower, "-1").verdict, Verdict::Loose);
}

#[test]
fn numbers_that_cannot_be_meant_have_failed() {
    let question = gaussian_delta();
    for (kind, number, reason) in [
        (Kind::Upper, "nan", Reason::Nan),
        (Kind::Lower, "nan", Reason::Nan),
        (Kind::Upper, "-1e-20", Reason::Negative),
        (Kind::Estimate, "-inf", Reason::Negative),
        (Kind::Upper, "1.0000000000000002", Reason::AboveOne),
        (Kind::Upper, "inf", Reason::Infinite),
        (Kind::Upper, "many", Reason::Unreadable),
        (Kind::Estimate, "0.3", Reason::BelowTruth),
    ] {
        let judgement = one(&question, kind, number);
        assert_eq!((judgement.verdict, judgement.reason), (Verdict::Failed, Some(reason)), "{kind:?} {number}");
    }
}

#[test]
fn estimates_are_judged_by_their_error() {
    let question = gaussian_delta();
    for (number, verdict) in [
        ("0.38292492254802623", Verdict::Sound),
        ("0.3829247", Verdict::Sound),
        ("0.3829252", Verdict::Sound),
        ("0.383", Verdict::Loose),
    ] {
        assert_eq!(one(&question, Kind::Estimate, number).verdict, verdict, "{number}");
    }
}

/// The error of a wrong epsilon is reported as a delta.
#[test]
fn an_epsilon_is_told_in_deltas() {
    let question = ask(Asked::Epsilon, Step::new("gaussian", &[("sigma", 1.0)]), at_delta(1e-5));
    let judgement = one(&question, Kind::Upper, "3");
    assert_eq!(judgement.verdict, Verdict::Unsound);
    let told = judgement.delta_at_claim.expect("a delta");
    assert_eq!(told.promised, "1e-5");
    // Phi(1/2 - 3) - e^3 Phi(-1/2 - 3) = 0.00153...
    assert!(told.true_lower.starts_with("0.00153") && told.multiple.starts_with("153."), "{told:?}");
    let sound = one(&question, Kind::Upper, "4.4");
    let multiple: f64 = sound.delta_at_claim.expect("a delta").multiple.parse().expect("a number");
    assert!(sound.verdict == Verdict::Sound && multiple < 1.0);
}

/// An exact truth decides what no enclosure could: a claim that is the truth.
#[test]
fn the_truth_itself_is_sound() {
    let question = ask(Asked::Delta, Step::new("approx-dp", &[("epsilon", 1.0), ("delta", 0.125)]), at_epsilon(1.0));
    let judgement = one(&question, Kind::Upper, "0x1p-3");
    assert_eq!(judgement.verdict, Verdict::Sound);
    assert_eq!(judgement.ratio.as_deref(), Some("1"));
    assert_eq!(judgement.truth.expect("a truth").kind, "exact");
}

/// Noise is judged by what it does: the classic formula is enough below epsilon 1, and not at 8.
#[test]
fn noise_is_judged_by_its_delta() {
    let calibration = |epsilon: f64| {
        let at = At { epsilon: Some(Double(epsilon)), delta: Some(Double(1e-5)), ..At::default() };
        ask(Asked::Noise, Step::new("gaussian", &[]).open("sigma"), at)
    };
    let classic = |epsilon: f64| format!("{}", (2.0 * (1.25e5_f64).portable_ln()).sqrt() / epsilon);
    let half = one(&calibration(0.5), Kind::Upper, &classic(0.5));
    assert_eq!(half.verdict, Verdict::Loose);
    let large = one(&calibration(20.0), Kind::Upper, &classic(20.0));
    assert_eq!((large.verdict, large.size), (Verdict::Unsound, Some(Size::Gross)));
    assert!(large.delta_at_claim.expect("a delta").multiple.parse::<f64>().expect("a number") > 1.0);
    assert_eq!(one(&calibration(1.0), Kind::Upper, "3.7306316349").verdict, Verdict::Sound);
    // Laplace noise of scale 4 gives epsilon 1/4, and the double below gives a little more.
    let at = At { epsilon: Some(Double(0.25)), delta: Some(Double(0.0)), ..At::default() };
    let laplace = ask(Asked::Noise, Step::new("laplace", &[]).open("scale"), at);
    assert_eq!(one(&laplace, Kind::Upper, "4").verdict, Verdict::Sound);
    let below = one(&laplace, Kind::Upper, "3.9999999999999996");
    assert_eq!((below.verdict, below.size), (Verdict::Unsound, Some(Size::Rounding)));
    let less = one(&laplace, Kind::Upper, "3.9999");
    assert_eq!((less.verdict, less.size), (Verdict::Unsound, Some(Size::Slight)));
    assert_eq!(one(&calibration(1.0), Kind::Upper, "0").reason, Some(Reason::Negative));
}

/// A number that is a little wrong, and means something very wrong.
#[test]
fn small_errors_with_large_consequences_are_gross() {
    // Laplace noise that is too small by 3e-6 has some delta where a tiny one was promised.
    let at = At { epsilon: Some(Double(3.0)), delta: Some(Double(1e-10)), ..At::default() };
    let laplace = ask(Asked::Noise, Step::new("laplace", &[]).open("scale"), at);
    let less = one(&laplace, Kind::Upper, "0.333332");
    assert!(less.relative_error() < 1e-5);
    assert_eq!((less.verdict, less.size), (Verdict::Unsound, Some(Size::Gross)));
    assert!(less.severity() > 1e3);
    // A type II error near 1 of which the power is all wrong.
    let beta =
        ask(Asked::Beta, Step::new("gaussian", &[("sigma", 1.0)]), At { alpha: Some(Double(1e-9)), ..At::default() });
    let none = one(&beta, Kind::Lower, "0.9999999999");
    assert!(none.relative_error() < 1e-6);
    assert_eq!((none.verdict, none.size), (Verdict::Unsound, Some(Size::Gross)));
    // The last digit of a double remains a rounding.
    let epsilon = ask(Asked::Epsilon, Step::new("laplace", &[("scale", 1e-3)]), at_delta(1e-12));
    let rounded = one(&epsilon, Kind::Upper, "999.9999999999");
    assert_eq!((rounded.verdict, rounded.size), (Verdict::Unsound, Some(Size::Rounding)));
}

/// Between what one mechanism needs and what all of them can be granted nothing is decided.
#[test]
fn conversions_may_stay_undecided() {
    let question = ask(Asked::Epsilon, Step::new("zcdp", &[("rho", 0.5)]), at_delta(1e-5));
    for (number, verdict) in
        [("5", Verdict::Sound), ("4.4", Verdict::Undecided), ("4.3", Verdict::Unsound), ("50", Verdict::Loose)]
    {
        assert_eq!(one(&question, Kind::Upper, number).verdict, verdict, "{number}");
    }
}

#[test]
fn ratios_keep_the_digits_that_matter() {
    let judgement = one(&gaussian_delta(), Kind::Upper, "0.38292492254802620727");
    assert_eq!(judgement.size, Some(Size::Rounding));
    let ratio = judgement.ratio.expect("a ratio");
    assert!(ratio == "0.9999999999999999999859", "{ratio}");
    assert_eq!(one(&gaussian_delta(), Kind::Upper, "0").ratio.as_deref(), Some("0"));
}

/// No double is nearer to a truth below the least of them.
#[test]
fn underflow_is_rounding() {
    // About 7.36e-14240.
    let question = ask(Asked::Delta, Step::new("gaussian", &[("sigma", 1024.0)]), at_epsilon(0.25));
    let none = one(&question, Kind::Upper, "0");
    assert_eq!((none.verdict, none.size), (Verdict::Unsound, Some(Size::Rounding)));
    assert!(none.severity() <= ROUNDING);
    assert_eq!(one(&question, Kind::Estimate, "0x0p+0").verdict, Verdict::Sound);
    // A decimal is no double, and could be nearer.
    assert_eq!(one(&question, Kind::Upper, "1e-14241").size, Some(Size::Negligible));
    let lower = one(&question, Kind::Lower, "0x1p-1074");
    assert_eq!((lower.verdict, lower.size), (Verdict::Unsound, Some(Size::Rounding)));
    assert_eq!(one(&question, Kind::Lower, "0x1p-1073").size, Some(Size::Negligible));
}

/// An error of at most 1e-16 is negligible, whatever the ratio; a larger one counts.
#[test]
fn what_is_negligible_is_told_apart() {
    // About 1e-200 and 1.25e-15.
    let tail = ask(Asked::Delta, Step::new("gaussian", &[("sigma", 1.0)]), at_epsilon(30.0));
    let none = one(&tail, Kind::Upper, "0");
    assert_eq!((none.verdict, none.size), (Verdict::Unsound, Some(Size::Negligible)));
    assert!(!none.is_unsound());
    let estimate = one(&tail, Kind::Estimate, "0");
    assert_eq!((estimate.verdict, estimate.reason), (Verdict::Failed, Some(Reason::Negligible)));
    let approx =
        |delta: f64| ask(Asked::Delta, Step::new("approx-dp", &[("epsilon", 1.0), ("delta", delta)]), at_epsilon(1.0));
    assert_eq!(one(&approx(1e-16), Kind::Upper, "0").size, Some(Size::Negligible));
    assert_eq!(one(&approx(1.1e-16), Kind::Upper, "0").size, Some(Size::Gross));
    assert_eq!(one(&approx(8.4e-14), Kind::Upper, "1e-15").size, Some(Size::Gross));
    // For an epsilon the delta decides whether an error is large.
    let promised = |delta: f64| ask(Asked::Epsilon, Step::new("gaussian", &[("sigma", 1.0)]), at_delta(delta));
    for (delta, size) in [(1e-200, Size::Negligible), (1e-10, Size::Gross)] {
        let truth: f64 = one(&promised(delta), Kind::Upper, "1000")
            .truth
            .and_then(|truth| truth.lower)
            .expect("a truth")
            .parse()
            .expect("a number");
        let less = one(&promised(delta), Kind::Upper, &format!("{}", truth * 0.9));
        assert_eq!((less.verdict, less.size), (Verdict::Unsound, Some(size)), "{delta}");
    }
    assert!(one(&promised(1e-10), Kind::Upper, "5").is_unsound());
}

/// Enough digits to distinguish the true delta from the target.
#[test]
fn the_delta_that_noise_keeps_is_told() {
    let at = At { epsilon: Some(Double(1.0)), delta: Some(Double(1e-5)), ..At::default() };
    let calibration = ask(Asked::Noise, Step::new("gaussian", &[]).open("sigma"), at);
    for (claim, verdict) in [("3.73063163481", Verdict::Unsound), ("3.73063163482", Verdict::Sound)] {
        let judgement = one(&calibration, Kind::Upper, claim);
        assert_eq!(judgement.verdict, verdict, "{claim}");
        let told = judgement.delta_at_claim.expect("a delta");
        let promised: rug::Float = rug::Float::with_val(200, 1e-5);
        let end = |text: &str| rug::Float::with_val(200, rug::Float::parse(text).expect("a number"));
        match verdict {
            Verdict::Unsound => assert!(end(&told.true_lower) > promised, "{told:?}"),
            _ => assert!(end(&told.true_upper) < promised, "{told:?}"),
        }
    }
}

/// Of a type II error the dangerous side is the upper one.
#[test]
fn estimates_of_beta_err_downwards() {
    // beta(1/4) with mu = 1 is 0.3724...
    let at = At { alpha: Some(Double(0.25)), ..At::default() };
    let question = ask(Asked::Beta, Step::new("gaussian", &[("sigma", 1.0)]), at);
    let above = one(&question, Kind::Estimate, "0.38");
    assert_eq!((above.verdict, above.reason), (Verdict::Failed, Some(Reason::AboveTruth)));
    let below = one(&question, Kind::Estimate, "0.36");
    assert_eq!((below.verdict, below.reason), (Verdict::Loose, None));
}

/// An estimate between sound bounds is not a failure.
#[test]
fn estimates_may_come_with_bounds() {
    let oracle = Oracle::new(Duration::from_secs(30));
    let verdicts = |numbers: [&str; 3]| {
        let numbers = [Kind::Lower, Kind::Estimate, Kind::Upper].into_iter().zip(numbers.map(str::to_string));
        let claim = Claim { id: "q".into(), numbers: numbers.collect(), ..Claim::default() };
        judge(&oracle, &party(), &gaussian_delta(), &claim, 0.5)[1].clone()
    };
    let within = verdicts(["0.38", "0.3828", "0.39"]);
    assert_eq!((within.verdict, within.reason), (Verdict::Loose, None));
    assert!(within.message.is_some());
    for numbers in [["0.38", "0.3828", "0.3829"], ["0.3829", "0.3828", "0.39"]] {
        assert_eq!(verdicts(numbers).reason, Some(Reason::BelowTruth), "{numbers:?}");
    }
}

/// Infinity is a true bound of an epsilon, and 0 one of 0.
#[test]
fn idle_bounds_are_not_false() {
    let epsilon = ask(Asked::Epsilon, Step::new("laplace", &[("scale", 1.0)]), at_delta(1e-5));
    assert_eq!(one(&epsilon, Kind::Upper, "inf").verdict, Verdict::Loose);
    assert_eq!(one(&epsilon, Kind::Estimate, "inf").reason, Some(Reason::Infinite));
    let nothing = ask(Asked::Epsilon, Step::new("laplace", &[("scale", 1.0)]), at_delta(1.0));
    assert_eq!(one(&nothing, Kind::Lower, "0").verdict, Verdict::Sound);
    assert_eq!(one(&nothing, Kind::Lower, "-1").verdict, Verdict::Loose);
}

/// An epsilon far above the true value has a delta with millions of digits, which is not computed.
#[test]
fn deltas_that_are_nothing_are_not_told() {
    let question = ask(Asked::Epsilon, Step::new("gaussian", &[("sigma", 1024.0)]), at_delta(1e-300));
    let started = std::time::Instant::now();
    let judgement = one(&question, Kind::Upper, "11");
    assert_eq!((judgement.verdict, judgement.delta_at_claim), (Verdict::Loose, None));
    // Not only because it is far from the truth.
    let nearer = one(&question, Kind::Upper, "1");
    assert_eq!((nearer.verdict, nearer.delta_at_claim), (Verdict::Loose, None));
    assert!(nearer.ratio.expect("a ratio").parse::<f64>().expect("a number") < FAR);
    let delta = ask(Asked::Delta, Step::new("gaussian", &[("sigma", 1024.0)]), at_epsilon(11.0));
    assert_eq!(one(&delta, Kind::Upper, "1e-300").verdict, Verdict::Loose);
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
}

/// Multiples may lie beyond the doubles.
#[test]
fn multiples_have_their_exponents() {
    let question = ask(Asked::Epsilon, Step::new("gaussian", &[("sigma", 1.0)]), at_delta(1e-320));
    let judgement = one(&question, Kind::Upper, "1.25");
    let multiple = &judgement.delta_at_claim.as_ref().expect("a delta").multiple;
    assert!(multiple.ends_with("e318"), "{multiple}");
    assert_eq!((judgement.size, judgement.severity()), (Some(Size::Gross), f64::MAX));
}

/// Noise of which more may be less is judged by its delta alone.
#[test]
fn discrete_noise_is_judged_by_its_delta() {
    let at = At { epsilon: Some(Double(8.0)), delta: Some(Double(1e-10)), ..At::default() };
    let question = ask(Asked::Noise, Step::new("discrete-gaussian", &[]).open("sigma2"), at);
    let kept = one(&question, Kind::Upper, "0.5625");
    assert_eq!((kept.verdict, kept.truth, kept.ratio), (Verdict::Sound, None, None));
    let less = one(&question, Kind::Upper, "0.5624996");
    assert_eq!((less.verdict, less.ratio.is_none()), (Verdict::Unsound, true));
    assert!((less.severity() - 0.0075).abs() < 1e-4, "{}", less.severity());
    let worse = one(&question, Kind::Upper, "0.6");
    assert_eq!((worse.verdict, worse.size), (Verdict::Unsound, Some(Size::Gross)));
    assert!((worse.severity() - 2.2).abs() < 0.1, "{}", worse.severity());
    assert_eq!(one(&question, Kind::Estimate, "0.6").verdict, Verdict::Undecided);
}

#[test]
fn what_is_not_answered_is_not_judged() {
    let oracle = Oracle::new(Duration::from_secs(30));
    let question = gaussian_delta();
    let unsupported = Claim { unsupported: true, says: Some("no".into()), ..Claim::default() };
    let judgements = judge(&oracle, &party(), &question, &unsupported, 0.0);
    assert!(matches!(judgements.as_slice(), [one] if one.verdict == Verdict::Unsupported));
    let raised = Claim { error: Some("ValueError: no".into()), ..Claim::default() };
    let judgements = judge(&oracle, &party(), &question, &raised, 0.0);
    assert!(matches!(judgements.as_slice(), [one] if one.reason == Some(Reason::Raised)));
    // There is nothing to compare with a truth, so none was computed.
    assert_eq!((judgements[0].seconds.peer, judgements[0].seconds.dpcert), (Some(0.0), None));
    let both = Claim {
        numbers: vec![(Kind::Upper, "1".into()), (Kind::Lower, "0".into())],
        seconds: Some(0.25),
        ..Claim::default()
    };
    let judgements = judge(&oracle, &party(), &question, &both, 9.0);
    assert_eq!(judgements.len(), 2);
    assert!(judgements.iter().all(|judgement| judgement.seconds.peer == Some(0.25)));
}
