//! The verdict on one claim.
//!
//! | claimed as | sound | loose | unsound | failed |
//! |---|---|---|---|---|
//! | upper bound `u` | `u >= truth` | and `u > factor truth` | `u < truth` | NaN, negative; above 1 for a probability; infinite where the truth is finite |
//! | lower bound `u` | `u <= truth` | and `factor u < truth` | `u > truth` | NaN |
//! | estimate `u` | within 1e-6 of the truth, relatively | above it by more | never | NaN, negative, above 1, infinite; below the truth by more |
//! | noise that suffices | the true delta with it is at most the one promised | and it is more than factor times the least that would do | the true delta is larger | NaN, negative or zero, infinite |
//!
//! The factor is 2 for delta, beta and Renyi divergences and 1.1 for epsilon and noise ([`loose_factor`]); the ratio is
//! reported in any case. Comparisons are of exact rationals. A claim inside the enclosure of the truth is undecided, and
//! the truth is asked for with more digits, up to several hundred.
//!
//! An estimate promises nothing, so it is never unsound; one that is too low by more than a millionth is of no use to
//! whoever relies on it, and has failed.

use dpcert_vectors::{Claim as Number, Side, Truth, Verdict as Rule, judge as rule, ratio, relative_error};
use rug::Float;

use super::double::brief;
use super::judgement::{DeltaAtClaim, Judgement, Party, ROUNDING, Reason, Seconds, Size, TruthText, Verdict};
use super::protocol::{Claim, Kind};
use super::question::{Asked, Question, Subject};
use super::truth::{Known, LEVELS, Oracle, keeps};
use crate::number::decimal::Side as End;

/// An estimate may be off by this, relatively.
pub const ESTIMATE: f64 = 1e-6;

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
    blank.seconds = Seconds { peer: Some(claim.seconds.unwrap_or(wall)), dpcert: oracle.seconds(question) };
    if let Some(error) = &claim.error {
        return vec![failed(blank, Reason::Raised, error.clone())];
    }
    let of_number = |(kind, text): &(Kind, String)| number(oracle, question, blank.clone(), *kind, text);
    claim.numbers.iter().map(of_number).collect()
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
            return undecided(judgement, error.to_string());
        }
        // A claim of noise can be decided without the least that would do.
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
            Kind::Estimate => estimate(&mut judgement, &number, &known.truth),
        };
        let ends = decided || !known.refinable;
        last = known;
        if ends {
            break;
        }
    }
    if judgement.verdict == Verdict::Unsupported {
        judgement.verdict = Verdict::Undecided;
        judgement.message = Some("the claim lies inside of what is known of the truth".to_string());
    }
    compare(&mut judgement, &number, &last.truth);
    if question.asked == Asked::Epsilon && kind != Kind::Lower {
        judgement.delta_at_claim = delta_at_claim(oracle, question, &number);
    }
    if judgement.verdict == Verdict::Unsound {
        judgement.size = Some(Size::of(judgement.severity()));
    }
    judgement
}

/// Numbers that cannot be meant, or that say nothing.
fn nonsense(asked: Asked, kind: Kind, number: &Number, truth: &Truth) -> Option<(Reason, String)> {
    match number {
        Number::Nan => Some((Reason::Nan, "not a number".to_string())),
        // A lower bound below zero is true, and says nothing.
        Number::MinusInfinite if kind != Kind::Lower => Some((Reason::Negative, "minus infinity".to_string())),
        Number::Infinite if kind != Kind::Lower && *truth != Truth::Infinite => {
            Some((Reason::Infinite, "the truth is finite".to_string()))
        }
        Number::Finite(value) if kind != Kind::Lower => {
            let zero = num_rational::BigRational::default();
            let one = num_rational::BigRational::from_integer(1.into());
            if *value < zero || (asked == Asked::Noise && *value == zero) {
                Some((Reason::Negative, "below the least possible value".to_string()))
            } else if asked.is_probability() && *value > one {
                Some((Reason::AboveOne, "a probability above 1".to_string()))
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
        // Below a truth of zero.
        (Side::Lower, None) => match number {
            Number::Finite(number) => *number < num_rational::BigRational::default(),
            Number::MinusInfinite => true,
            Number::Infinite | Number::Nan => false,
        },
        (Side::Upper, None) => false,
    }
}

/// The rule for estimates; whether it decides.
fn estimate(judgement: &mut Judgement, number: &Number, truth: &Truth) -> bool {
    let Some(error) = relative_error(number, truth) else { return false };
    if error.at_most <= ESTIMATE {
        judgement.verdict = Verdict::Sound;
        return true;
    }
    if error.at_least <= ESTIMATE {
        return false;
    }
    match rule(Side::Upper, number, truth) {
        Rule::Sound => judgement.verdict = Verdict::Loose,
        Rule::Unsound => {
            judgement.verdict = Verdict::Failed;
            judgement.reason = Some(Reason::BelowTruth);
        }
        Rule::Undecided | Rule::Failed => return false,
    }
    true
}

/// The rule for noise that is said to suffice.
fn noise(oracle: &Oracle, question: &Question, mut judgement: Judgement, number: &Number, least: &Known) -> Judgement {
    let Number::Finite(value) = number else { return undecided(judgement, "the claim is infinite".into()) };
    let promised = question.at.delta.map_or(0.0, |delta| delta.0);
    let mut kept = None;
    for digits in LEVELS {
        match oracle.delta_with(question, value, digits) {
            Ok(delta) => {
                kept = keeps(&delta, promised);
                if kept.is_some() {
                    judgement.delta_at_claim = told(&delta, promised);
                    break;
                }
            }
            Err(error) => return undecided(judgement, error.to_string()),
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
            } else {
                judgement.size = Some(Size::of(judgement.severity()));
            }
        }
        None => return undecided(judgement, "the true delta cannot be told from the one promised".into()),
    }
    judgement
}

/// Would noise that is larger by a rounding do? The bracket of the least that would is too wide to tell.
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
    let digits = (3.0 - error.at_most.log10()).ceil().clamp(3.0, 40.0);
    let ratio = crate::number::Number::Exact(ratio.to_rational()?);
    Some(crate::number::decimal::decimal(&ratio, digits as u32, if above { End::Upper } else { End::Lower }))
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
        Ok(value) => crate::number::decimal::decimal(&crate::number::Number::Exact(value), digits, side),
        Err(_) => String::new(),
    }
}

fn delta_at_claim(oracle: &Oracle, question: &Question, number: &Number) -> Option<DeltaAtClaim> {
    let Number::Finite(value) = number else { return None };
    let promised = question.at.delta?.0;
    told(&oracle.delta_at(question, value).ok()?, promised)
}

fn told(delta: &Truth, promised: f64) -> Option<DeltaAtClaim> {
    let Truth::Within { lower, upper } = delta else { return None };
    // Zero where zero was promised.
    let multiple = ratio_text(&Number::Finite(upper.clone()), &truth_of(promised)?).unwrap_or_else(|| "1".to_string());
    Some(DeltaAtClaim {
        promised: super::double::shortest(promised),
        true_lower: decimal(lower, 6, End::Lower),
        true_upper: decimal(upper, 6, End::Upper),
        multiple,
    })
}

fn truth_of(value: f64) -> Option<Truth> {
    let Number::Finite(value) = Number::from(value) else { return None };
    Some(Truth::Within { lower: value.clone(), upper: value })
}

#[cfg(test)]
mod tests;
