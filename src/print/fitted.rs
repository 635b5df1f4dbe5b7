//! The best Gaussian guarantee: where it touches, and how far the trade-off function is above it elsewhere.

use rug::Float;
use serde::Serialize;

use super::OutcomeLine;
#[cfg(feature = "cli")]
use super::outcome_text;
use crate::answer::Outcome;
use crate::attack::{Fit, Touch};
use enclosure::decimal::{Side, decimal};
use enclosure::{Enclosure, Number};

/// Digits of the ends of intervals of alphas, and of the gap.
const FEW: u32 = 6;

/// An interval of alphas.
#[derive(Serialize)]
struct Alphas {
    lower: String,
    upper: String,
}

/// Its fields in JSON.
#[derive(Serialize)]
pub struct FitLine {
    /// `everywhere`, `limit` or `within`.
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
    /// Of a fit.
    pub fn of(fit: &Fit) -> Self {
        match fit {
            Fit::Infinite(why) => FitLine { touches: None, alphas: Vec::new(), gap: None, why: Some(why.clone()) },
            Fit::Least { touch, gap, .. } => FitLine {
                touches: Some(match touch {
                    Touch::Everywhere => "everywhere",
                    Touch::Limit => "limit",
                    Touch::Within(_) => "within",
                }),
                alphas: alphas(touch),
                gap: gap.clone().map(|gap| OutcomeLine::of(&Outcome::of(gap), FEW)),
                why: None,
            },
        }
    }
}

/// The intervals with all alphas that touch, rounded outward.
fn alphas(touch: &Touch) -> Vec<Alphas> {
    let sets: &[(Float, Float)] = match touch {
        Touch::Within(sets) => sets,
        Touch::Everywhere | Touch::Limit => &[],
    };
    let shown = |(low, high): &(Float, Float)| {
        let set = Number::Enclosed(Enclosure::new(low.clone(), high.clone()));
        let end = |side| decimal(&set, FEW, side);
        Alphas { lower: end(Side::Lower), upper: end(Side::Upper) }
    };
    sets.iter().map(shown).collect()
}

/// The same in lines for people.
#[cfg(feature = "cli")]
pub fn fitted_text(fit: &Fit) -> Vec<String> {
    let (touch, gap) = match fit {
        Fit::Infinite(why) => return vec![format!("{why}: f(0) is below 1, and G_mu(0) is 1")],
        Fit::Least { touch, gap, .. } => (touch, gap),
    };
    let place = match touch {
        Touch::Everywhere => "it is this Gaussian's: they touch everywhere".to_string(),
        Touch::Limit => "they touch in the limit of a type I or type II error next to 0".to_string(),
        Touch::Within(_) => {
            let sets: Vec<String> = alphas(touch).iter().map(|set| format!("[{}, {}]", set.lower, set.upper)).collect();
            format!("they touch at alphas in {}", sets.join(", "))
        }
    };
    let gap = match gap {
        Some(gap) => {
            let shown = outcome_text(&Outcome::of(gap.clone()), FEW, FEW, false).replace("\n ", "");
            format!("largest gap between them {shown}")
        }
        None => "the largest gap between them was not decided within the budget".to_string(),
    };
    vec![place, gap]
}
