//! The verdict on one claim.
//!
//! | claimed as | sound | loose | unsound | failed |
//! |---|---|---|---|---|
//! | upper bound `u` | `u >= truth` | and `u > factor truth` | `u < truth` | NaN, negative; above 1 for a probability |
//! | lower bound `u` | `u <= truth` | and `factor u < truth` | `u > truth` | NaN |
//! | estimate `u` | within 1e-6 of the truth, relatively | on the safe side by more | never | NaN, negative, above 1, infinite; on the other side by more |
//! | noise that suffices | the true delta with it is at most the target | and it is more than factor times the smallest sufficient value | the true delta is larger | NaN, negative or zero, infinite |
//!
//! The factor is 2 for delta, beta and Renyi divergences and 1.1 for epsilon and noise ([`loose_factor`]); the ratio is
//! reported in any case. Comparisons are of exact rationals. A claim inside the enclosure of the truth is undecided,
//! and the truth is asked for with more digits, up to several hundred.
//!
//! An estimate promises nothing, so it is never unsound; one that is off by more than a millionth on the dangerous side
//! (too low, but for a type II error too high) is of no use to whoever relies on it, and has failed. One that comes
//! with a lower and an upper bound, lies between them, and has the truth between them, is what it was said to be.
//!
//! A double can be no nearer to a truth than the doubles are to each other: 0 for 1e-400 is an error of
//! [`Size::Rounding`], and an estimate of 0 is sound. What is off by less than [`FLOOR`] as a probability is false, but
//! nobody's, whatever the ratio: 0 for 1e-200 is [`Size::Negligible`], and so is an epsilon with which 1e-26 is kept
//! where 1e-100 was promised. A delta of 1e-10 that is 84 times too small is not.

use dpcert_vectors::{Claim as Number, Side, Truth, Verdict as Rule, judge as rule, ratio, relative_error};
use enclosure::Portable;
use rug::Float;

use super::double::brief;
use super::judgement::{DeltaAtClaim, FLOOR, Judgement, Party, ROUNDING, Reason, Size, TruthText, Verdict};
use super::protocol::{Claim, Kind};
use super::question::{Asked, Question, Subject};
use super::truth::{Known, LEVELS, Oracle, keeps};
use enclosure::decimal::Side as End;

/// An estimate may be off by this, relatively.
pub const ESTIMATE: f64 = 1e-6;

/// Ratio to the true epsilon above which the delta at the claim is not computed.
const FAR: f64 = 100.0;

/// The digits of a truth that is printed.
const PRINTED_DIGITS: u32 = 18;

/// So far above the truth, and a bound is loose.
pub fn loose_factor(asked: Asked) -> f64 {
    match asked {
        Asked::Delta | Asked::Beta | Asked::Renyi => 2.0,
        Asked::Epsilon | Asked::Noise => 1.1,
    }
}

/// Judge all numbers of a claim, or say why there is none.
pub fn judge(oracle: &Oracle, party: &Party, question: &Question, claim: &Claim, wall: f64) -> Vec<Judgement> {
    let mut blank = Judgement::of(party, question, Verdict::Unsupported);
    blank.call.clone_from(&claim.call);
    blank.says.clone_from(&claim.says);
    if claim.unsupported {
        blank.message.clone_from(&claim.says);
        blank.says = None;
        return vec![blank];
    }
    blank.seconds.peer = Some(claim.seconds.unwrap_or(wall));
    if let Some(error) = &claim.error {
        // There is nothing to compare with a truth, so none is computed.
        return vec![failed(blank, Reason::Raised, error.clone())];
    }
    blank.seconds.dpcert = oracle.seconds(question);
    let of_number = |(kind, text): &(Kind, String)| number(oracle, question, blank.clone(), *kind, text);
    let mut judgements: Vec<Judgement> = claim.numbers.iter().map(of_number).collect();
    within_bounds(claim, &mut judgements);
    judgements
}

/// An estimate with relative error above 1e-6 within sound bounds of the same answer is loose, not failed.
fn within_bounds(claim: &Claim, judgements: &mut [Judgement]) {
    let number =
        |kind| claim.numbers.iter().find(|(of, _)| *of == kind).and_then(|(_, text)| text.parse::<Number>().ok());
    let (Some(Number::Finite(lower)), Some(Number::Finite(upper)), Some(Number::Finite(estimate))) =
        (number(Kind::Lower), number(Kind::Upper), number(Kind::Estimate))
    else {
        return;
    };
    let holds = |judgement: &Judgement| matches!(judgement.verdict, Verdict::Sound | Verdict::Loose);
    let both = judgements.iter().filter(|judgement| judgement.kind != Some(Kind::Estimate)).all(holds);
    if !both || estimate < lower || estimate > upper {
        return;
    }
    for judgement in judgements.iter_mut().filter(|judgement| judgement.kind == Some(Kind::Estimate)) {
        if matches!(judgement.reason, Some(Reason::BelowTruth | Reason::AboveTruth | Reason::Negligible)) {
            (judgement.verdict, judgement.reason) = (Verdict::Loose, None);
            judgement.message =
                Some("relative error above 1e-6, but within the bounds claimed with the estimate".to_string());
        }
    }
}

/// What did not come.
pub fn fault(party: &Party, question: &Question, reason: Reason, message: String, wall: f64) -> Judgement {
    let mut judgement = failed(Judgement::of(party, question, Verdict::Failed), reason, message);
    judgement.seconds.peer = Some(wall);
    judgement
}

fn failed(mut judgement: Judgement, reason: Reason, message: impl Into<String>) -> Judgement {
    judgement.verdict = Verdict::Failed;
    judgement.reason = Some(reason);
    let message = message.into();
    judgement.message = (!message.is_empty()).then_some(message);
    judgement
}

/// Judge one number.
fn number(oracle: &Oracle, question: &Question, mut judgement: Judgement, kind: Kind, text: &str) -> Judgement {
    judgement.kind = Some(kind);
    judgement.claim = Some(text.to_string());
    let Ok(number) = text.parse::<Number>() else {
        return failed(judgement, Reason::Unreadable, format!("the claim `{text}` is not a number"));
    };
    show_claim(&mut judgement, &number);
    let known = match oracle.ask(question, LEVELS[0]) {
        Ok(known) => known,
        Err(error) if question.asked != Asked::Noise || !matches!(number, Number::Finite(_)) => {
            return undecided(judgement, oracle.says(&error));
        }
        // A claim of sufficient noise can be decided without the smallest sufficient value.
        Err(error) if kind != Kind::Upper => return undecided(judgement, oracle.says(&error)),
        Err(_) => Known { truth: Truth::Infinite, refinable: false },
    };
    judgement.truth =
        (question.asked != Asked::Noise || known.truth != Truth::Infinite).then(|| truth_text(&known, question));
    if let Some((reason, message)) = nonsense(question.asked, kind, &number, &known.truth) {
        return failed(judgement, reason, message);
    }
    if question.asked == Asked::Noise && kind == Kind::Upper {
        return noise(oracle, question, judgement, &number, &known);
    }
    let mut last = known;
    for digits in LEVELS {
        let Ok(known) = oracle.ask(question, digits) else { break };
        let decided = match kind {
            Kind::Upper => bound(&mut judgement, Side::Upper, &number, &known.truth),
            Kind::Lower => bound(&mut judgement, Side::Lower, &number, &known.truth),
            Kind::Estimate => estimate(&mut judgement, question.asked, &number, &known.truth),
        };
        let ends = decided || !known.refinable;
        last = known;
        if ends {
            break;
        }
    }
    if judgement.verdict == Verdict::Unsupported {
        judgement.verdict = Verdict::Undecided;
        judgement.message = Some("the claim lies within the enclosure of the true value".to_string());
    }
    compare(&mut judgement, &number, &last.truth);
    // Far above the truth a delta says no more than the ratio does, and may take long.
    let far = ratio(&number, &last.truth).is_some_and(|ratio| ratio.at_least > FAR);
    let mut kept = None;
    if question.asked == Asked::Epsilon && kind != Kind::Lower && !far {
        kept = delta_at_claim(oracle, question, &number);
        let telling = kept.as_ref().filter(|(delta, _)| !is_all_but_nothing(delta));
        judgement.delta_at_claim = telling.and_then(|(delta, promised)| told(delta, *promised));
    }
    if judgement.verdict == Verdict::Unsound {
        let negligible = match &kept {
            Some((delta, promised)) => exceeds_by_little(delta, *promised),
            None => question.asked.is_probability() && is_off_by_little(&number, &last.truth),
        };
        judgement.size = Some(match Size::of(judgement.severity()) {
            Size::Rounding => Size::Rounding,
            _ if is_next_to(&number, &last.truth) => Size::Rounding,
            _ if negligible => Size::Negligible,
            size => size,
        });
    }
    judgement
}

/// Is a probability off by [`FLOOR`] at most, whatever the truth is between its ends?
fn is_off_by_little(number: &Number, truth: &Truth) -> bool {
    let (Number::Finite(value), Truth::Within { lower, upper }, Number::Finite(floor)) =
        (number, truth, Number::from(FLOOR))
    else {
        return false;
    };
    upper - value <= floor && value - lower <= floor
}

/// Is a delta above the one promised by [`FLOOR`] at most?
fn exceeds_by_little(delta: &Truth, promised: f64) -> bool {
    let (Truth::Within { upper, .. }, Number::Finite(promised), Number::Finite(floor)) =
        (delta, Number::from(promised), Number::from(FLOOR))
    else {
        return false;
    };
    upper - promised <= floor
}

/// Is the number a double, and no other double between it and the truth?
fn is_next_to(number: &Number, truth: &Truth) -> bool {
    let (Number::Finite(value), Truth::Within { lower, upper }) = (number, truth) else { return false };
    let (double, above) = dpcert_vectors::tightest_f64(value);
    let end = |double: f64| match Number::from(double) {
        Number::Finite(value) => Some(value),
        _ => None,
    };
    let (Some(least), Some(most)) = (end(double.next_down()), end(double.next_up())) else { return false };
    double == above && least <= *lower && *upper <= most
}

/// Numbers that cannot be meant, or that say nothing.
fn nonsense(asked: Asked, kind: Kind, number: &Number, truth: &Truth) -> Option<(Reason, String)> {
    match number {
        Number::Nan => Some((Reason::Nan, "not a number".to_string())),
        // A lower bound below zero is true, and says nothing.
        Number::MinusInfinite if kind != Kind::Lower => Some((Reason::Negative, "minus infinity".to_string())),
        // An infinite bound is true but trivial; an infinite probability is an error.
        Number::Infinite
            if *truth != Truth::Infinite
                && (kind == Kind::Estimate
                    || (kind == Kind::Upper && (asked.is_probability() || asked == Asked::Noise))) =>
        {
            Some((Reason::Infinite, "infinite, but the true value is finite".to_string()))
        }
        Number::Finite(value) if kind != Kind::Lower => {
            let zero = num_rational::BigRational::default();
            let one = num_rational::BigRational::from_integer(1.into());
            if *value < zero || (asked == Asked::Noise && *value == zero) {
                Some((Reason::Negative, "below the smallest possible value".to_string()))
            } else if asked.is_probability() && *value > one {
                Some((Reason::AboveOne, "probability above 1".to_string()))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// The rule for bounds; whether it decides.
fn bound(judgement: &mut Judgement, side: Side, number: &Number, truth: &Truth) -> bool {
    match rule(side, number, truth) {
        Rule::Sound if is_loose(judgement.quantity, side, number, truth) => judgement.verdict = Verdict::Loose,
        Rule::Sound => judgement.verdict = Verdict::Sound,
        Rule::Unsound => {
            judgement.verdict = Verdict::Unsound;
        }
        Rule::Undecided | Rule::Failed => return false,
    }
    true
}

fn is_loose(asked: Asked, side: Side, number: &Number, truth: &Truth) -> bool {
    let factor = loose_factor(asked);
    match (side, ratio(number, truth)) {
        (Side::Upper, Some(ratio)) => ratio.at_least > factor,
        (Side::Lower, Some(ratio)) => ratio.at_most < 1.0 / factor,
        // A negative lower bound; but 0 for 0 cannot be better.
        (Side::Lower, None) => match number {
            Number::Finite(value) => *value < num_rational::BigRational::default(),
            Number::MinusInfinite => *truth != Truth::Infinite,
            Number::Infinite | Number::Nan => false,
        },
        (Side::Upper, None) => false,
    }
}

/// The rule for estimates; whether it decides.
fn estimate(judgement: &mut Judgement, asked: Asked, number: &Number, truth: &Truth) -> bool {
    let Some(error) = relative_error(number, truth) else { return false };
    if error.at_most <= ESTIMATE || is_next_to(number, truth) {
        judgement.verdict = Verdict::Sound;
        return true;
    }
    if error.at_least <= ESTIMATE {
        return false;
    }
    // More delta, epsilon, divergence or noise than there is errs on the safe side; of a type II error, less.
    let (safe, reason) = match asked {
        Asked::Beta => (Side::Lower, Reason::AboveTruth),
        Asked::Delta | Asked::Epsilon | Asked::Renyi | Asked::Noise => (Side::Upper, Reason::BelowTruth),
    };
    match rule(safe, number, truth) {
        Rule::Sound => judgement.verdict = Verdict::Loose,
        Rule::Unsound => {
            let negligible = asked.is_probability() && is_off_by_little(number, truth);
            judgement.verdict = Verdict::Failed;
            judgement.reason = Some(if negligible { Reason::Negligible } else { reason });
        }
        Rule::Undecided | Rule::Failed => return false,
    }
    true
}

/// The rule for noise that is said to suffice.
fn noise(oracle: &Oracle, question: &Question, mut judgement: Judgement, number: &Number, least: &Known) -> Judgement {
    let Number::Finite(value) = number else { return undecided(judgement, "the claim is infinite".into()) };
    let promised = question.at.delta.map_or(0.0, |delta| delta.0);
    let (mut kept, mut negligible) = (None, false);
    for digits in LEVELS {
        match oracle.delta_with(question, value, digits) {
            Ok(delta) => {
                kept = keeps(&delta, promised);
                negligible = exceeds_by_little(&delta, promised);
                if kept.is_some() {
                    judgement.delta_at_claim = told(&delta, promised);
                    break;
                }
            }
            Err(error) => return undecided(judgement, oracle.says(&error)),
        }
    }
    if least.truth != Truth::Infinite {
        compare(&mut judgement, number, &least.truth);
    }
    match kept {
        Some(true) => {
            let loose = least.truth != Truth::Infinite && is_loose(Asked::Noise, Side::Upper, number, &least.truth);
            judgement.verdict = if loose { Verdict::Loose } else { Verdict::Sound };
        }
        Some(false) => {
            judgement.verdict = Verdict::Unsound;
            if is_rounding(oracle, question, value, promised) {
                judgement.size = Some(Size::Rounding);
                judgement.error = Some(brief(ROUNDING, 3));
                judgement.ratio = Some(super::double::shortest(1.0 - ROUNDING));
            } else if negligible {
                judgement.size = Some(Size::Negligible);
            } else {
                judgement.size = Some(Size::of(judgement.severity()));
            }
        }
        None => return undecided(judgement, "the true delta could not be separated from the target delta".into()),
    }
    judgement
}

/// Whether noise larger by a rounding error suffices. The bracket of the smallest sufficient value is too wide to
/// decide this.
fn is_rounding(oracle: &Oracle, question: &Question, value: &num_rational::BigRational, promised: f64) -> bool {
    let Number::Finite(more) = Number::from(1.0 + ROUNDING) else { return false };
    LEVELS
        .iter()
        .find_map(|&digits| keeps(&oracle.delta_with(question, &(value * &more), digits).ok()?, promised))
        .unwrap_or(false)
}

fn undecided(mut judgement: Judgement, message: String) -> Judgement {
    judgement.verdict = Verdict::Undecided;
    judgement.message = Some(message);
    judgement
}

/// Ratio and relative error.
fn compare(judgement: &mut Judgement, number: &Number, truth: &Truth) {
    if let Some(error) = relative_error(number, truth) {
        judgement.error = Some(brief(error.at_most, 3));
    }
    judgement.ratio = ratio_text(number, truth);
}

/// Number over truth, rounded away from 1.
fn ratio_text(number: &Number, truth: &Truth) -> Option<String> {
    let ratio = ratio(number, truth)?;
    if ratio.at_least > 0.5 && ratio.at_most < 2.0 {
        near_one(number, truth)
    } else if ratio.at_least >= 1.0 {
        Some(brief(ratio.at_most, 6))
    } else {
        Some(brief(ratio.at_least, 6))
    }
}

/// A ratio near 1, with three digits of its distance from 1.
fn near_one(number: &Number, truth: &Truth) -> Option<String> {
    let error = relative_error(number, truth)?;
    if error.at_most == 0.0 {
        return Some("1".to_string());
    }
    let above = rule(Side::Upper, number, truth) == Rule::Sound;
    let distance = Float::with_val(200, brief(error.at_most, 3).parse::<f64>().unwrap_or(error.at_most));
    let one = Float::with_val(200, 1);
    let ratio = if above { one + &distance } else { one - &distance };
    let digits = (3.0 - error.at_most.portable_log10()).ceil().clamp(3.0, 40.0);
    let ratio = enclosure::Number::Exact(ratio.to_rational()?);
    Some(enclosure::decimal::decimal(&ratio, digits as u32, if above { End::Upper } else { End::Lower }))
}

/// The claim as people and programs read it.
fn show_claim(judgement: &mut Judgement, number: &Number) {
    let (hex, decimal) = match number {
        Number::Nan => ("nan".to_string(), "nan".to_string()),
        Number::Infinite => ("inf".to_string(), "inf".to_string()),
        Number::MinusInfinite => ("-inf".to_string(), "-inf".to_string()),
        Number::Finite(value) => {
            let (below, above) = dpcert_vectors::tightest_f64(value);
            if below != above {
                // More digits than a double has: as it came.
                judgement.claim_decimal.clone_from(&judgement.claim);
                return;
            }
            (dpcert_vectors::hex_of_f64(below), super::double::shortest(below))
        }
    };
    (judgement.claim, judgement.claim_decimal) = (Some(hex), Some(decimal));
}

/// The truth in decimals.
fn truth_text(known: &Known, question: &Question) -> TruthText {
    let Truth::Within { lower, upper } = &known.truth else {
        return TruthText { kind: "infinite".to_string(), lower: None, upper: None };
    };
    let kind = match question.subject() {
        _ if lower == upper => "exact",
        Ok(Subject::Composition(_)) => "enclosure",
        _ => "between",
    };
    let end = |value, side| Some(decimal(value, PRINTED_DIGITS, side));
    TruthText { kind: kind.to_string(), lower: end(lower, End::Lower), upper: end(upper, End::Upper) }
}

fn decimal(value: &num_rational::BigRational, digits: u32, side: End) -> String {
    match crate::vector::convert::rational(value) {
        Ok(value) => enclosure::decimal::decimal(&enclosure::Number::Exact(value), digits, side),
        Err(_) => String::new(),
    }
}

/// The true delta at a claimed epsilon, beside the one promised.
fn delta_at_claim(oracle: &Oracle, question: &Question, number: &Number) -> Option<(Truth, f64)> {
    let Number::Finite(value) = number else { return None };
    let promised = question.at.delta?.0;
    Some((oracle.delta_at(question, value).ok()?, promised))
}

/// So small that nothing but an upper bound of it is known.
fn is_all_but_nothing(delta: &Truth) -> bool {
    matches!(delta, Truth::Within { lower, upper } if lower != upper && *lower == <_>::default())
}

fn told(delta: &Truth, promised: f64) -> Option<DeltaAtClaim> {
    let Truth::Within { lower, upper } = delta else { return None };
    // Zero where zero was promised.
    let promised_exactly = truth_of(promised)?;
    let multiple = match ratio(&Number::Finite(upper.clone()), &promised_exactly) {
        // Beyond the doubles.
        Some(ratio) if promised > 0.0 && (ratio.at_most == f64::INFINITY || ratio.at_least == 0.0) => {
            let Truth::Within { lower: promised, .. } = &promised_exactly else { return None };
            decimal(&(upper / promised), 4, End::Upper)
        }
        _ => ratio_text(&Number::Finite(upper.clone()), &promised_exactly).unwrap_or_else(|| "1".to_string()),
    };
    // Enough digits to distinguish it from the target.
    let distance = relative_error(&Number::Finite(lower.clone()), &promised_exactly).map_or(1.0, |error| error.at_most);
    let digits = if distance > 0.0 { (3.0 - distance.portable_log10()).ceil().clamp(6.0, 40.0) as u32 } else { 6 };
    Some(DeltaAtClaim {
        promised: super::double::shortest(promised),
        true_lower: decimal(lower, digits, End::Lower),
        true_upper: decimal(upper, digits, End::Upper),
        multiple,
    })
}

fn truth_of(value: f64) -> Option<Truth> {
    let Number::Finite(value) = Number::from(value) else { return None };
    Some(Truth::Within { lower: value.clone(), upper: value })
}

#[cfg(test)]
mod tests;
