//! The best Gaussian guarantee: where it touches, and how far the trade-off function is above it elsewhere.

use rug::Float;
use serde::Serialize;

#[cfg(feature = "cli")]
use super::outcome_text;
use super::{OutcomeLine, Status};
use crate::answer::Outcome;
use crate::attack::{Fit, Gap, Touch};
use enclosure::decimal::{Side, decimal};
use enclosure::{Enclosure, Number, bits_of_digits};

/// Digits of the ends of intervals of alphas, and of the gap.
const FEW: u32 = 6;

/// The gap as an outcome: it falls short where there is a reason.
fn gap_outcome(Gap { proven, short }: &Gap) -> Outcome {
    match (proven, short) {
        (Number::Enclosed(set), Some(reason)) => Outcome::Short { proven: set.clone().into(), reason: reason.clone() },
        _ => Outcome::of(proven.clone()),
    }
}

/// How the fit went beside its mu: is the gap there to all digits?
pub(super) fn status(fit: &Fit) -> Status {
    match fit {
        Fit::Infinite(_) => Status::Fine,
        Fit::Least { gap, .. } => Status::from(&gap_outcome(gap)),
    }
}

/// An interval of alphas, with the fraction where there is one in it and no other number.
#[derive(Serialize)]
struct Alphas {
    lower: String,
    upper: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fraction: Option<String>,
}

/// Its fields in JSON.
#[derive(Serialize)]
pub struct FitLine {
    /// `everywhere`, `limit`, `at` all of the alphas, `within` some of them, or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    touches: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alphas: Vec<Alphas>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<OutcomeLine>,
    /// Why no mu does.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl FitLine {
    /// The fields of a fit to this number of digits.
    pub fn of(fit: &Fit, digits: u32) -> Self {
        match fit {
            Fit::Infinite(why) => FitLine { touches: None, alphas: Vec::new(), gap: None, why: Some(why.clone()) },
            Fit::Least { touch, gap, .. } => FitLine {
                touches: Some(match touch {
                    Touch::Everywhere => "everywhere",
                    Touch::Limit => "limit",
                    Touch::At { all: true, .. } => "at",
                    Touch::At { all: false, .. } | Touch::Within(_) => "within",
                    Touch::Unknown => "unknown",
                }),
                alphas: alphas(touch, digits),
                gap: Some(OutcomeLine::of(&gap_outcome(gap), FEW.min(digits))),
                why: None,
            },
        }
    }
}

/// The intervals with all alphas that touch, rounded outward: to few digits where they are wide.
fn alphas(touch: &Touch, digits: u32) -> Vec<Alphas> {
    let shown = |set: &Number, digits: u32| {
        let end = |side| decimal(set, digits, side);
        Alphas { lower: end(Side::Lower), upper: end(Side::Upper), fraction: set.exact().map(ToString::to_string) }
    };
    let wide = |(low, high): &(Float, Float)| {
        let set = Enclosure::new(low.clone(), high.clone());
        let narrow = set.relative_bits().is_none_or(|bits| bits >= i64::from(bits_of_digits(digits)));
        shown(&Number::Enclosed(set), if narrow { digits } else { FEW })
    };
    match touch {
        Touch::Within(sets) => sets.iter().map(wide).collect(),
        Touch::At { alphas, .. } => alphas.iter().map(|alpha| shown(alpha, digits)).collect(),
        Touch::Everywhere | Touch::Limit | Touch::Unknown => Vec::new(),
    }
}

/// `= 1/4`, or `in [0.1, 0.2]`.
#[cfg(feature = "cli")]
fn at_or_in(alpha: &str) -> String {
    if alpha.starts_with('[') { format!("in {alpha}") } else { format!("= {alpha}") }
}

/// An alpha, or where it is.
#[cfg(feature = "cli")]
fn alpha_text(alpha: &Alphas) -> String {
    match &alpha.fraction {
        Some(fraction) => fraction.clone(),
        None => format!("[{}, {}]", alpha.lower, alpha.upper),
    }
}

/// The same in lines for people.
#[cfg(feature = "cli")]
pub fn fitted_text(fit: &Fit, digits: u32) -> Vec<String> {
    let (touch, gap) = match fit {
        Fit::Infinite(why) => return vec![format!("{why}: f(0) is below 1, and G_mu(0) is 1")],
        Fit::Least { touch, gap, .. } => (touch, gap),
    };
    let place = match touch {
        Touch::Everywhere => "the trade-off function is G_mu: they touch everywhere".to_string(),
        Touch::Limit => "they touch in the limit of a type I or type II error near 0".to_string(),
        Touch::At { all, .. } => {
            let shown: Vec<String> = alphas(touch, digits).iter().map(alpha_text).collect();
            match (shown.as_slice(), *all) {
                ([one], _) => format!("they touch at alpha {}", at_or_in(one)),
                (several, true) => format!("they touch at alpha {}", at_or_in(&several.join(" and "))),
                (several, false) => format!("they touch at one or more of these alphas: {}", several.join(", ")),
            }
        }
        Touch::Within(_) => {
            let sets: Vec<String> = alphas(touch, digits).iter().map(alpha_text).collect();
            format!("they touch at alpha in {}", sets.join(", "))
        }
        Touch::Unknown => "the point of contact is not known: mu is enclosed by bounds from both sides".to_string(),
    };
    // Six digits are shown where they are there, though fewer were asked for.
    let (outcome, asked) = (gap_outcome(gap), if gap.short.is_some() { FEW.min(digits) } else { FEW });
    let shown = outcome_text(&outcome, asked, asked, false);
    let shown = if gap.short.is_some() { shown } else { shown.replace("\n ", "") };
    let mut lines = vec![place];
    lines.extend(format!("largest gap between them {shown}").lines().map(|line| line.trim().to_string()));
    lines
}
