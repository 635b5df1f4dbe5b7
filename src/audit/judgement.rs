//! The judgement of one claim, as stored and reported.

use dpcert_vectors::Direction;
use serde::{Deserialize, Serialize};

use super::protocol::Kind;
use super::question::{Asked, At, Question, Step, Sweep};

/// The verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The claim is true; an estimate is near the truth.
    Sound,
    /// The claim is true, and far from the truth.
    Loose,
    /// The claim is false.
    Unsound,
    /// The enclosure of the true value does not decide.
    Undecided,
    /// There is no number, or none that can be meant; or an estimate well below the truth.
    Failed,
    /// The package does not offer this.
    Unsupported,
}

impl Verdict {
    /// In the order of reports.
    pub const ALL: [Verdict; 6] =
        [Verdict::Sound, Verdict::Loose, Verdict::Unsound, Verdict::Undecided, Verdict::Failed, Verdict::Unsupported];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Sound => "sound",
            Verdict::Loose => "loose",
            Verdict::Unsound => "unsound",
            Verdict::Undecided => "undecided",
            Verdict::Failed => "failed",
            Verdict::Unsupported => "unsupported",
        }
    }
}

/// Why a claim failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The process ended without an answer.
    Crash,
    /// No answer in time.
    Hang,
    /// Memory ran out.
    Memory,
    /// It was not asked, for another question about the same mechanism took too much time or memory.
    NotAsked,
    /// The package raised an error.
    Raised,
    /// Not a number.
    Nan,
    /// Below zero, where nothing can be.
    Negative,
    /// A probability above 1.
    AboveOne,
    /// An infinite probability, noise or estimate, where the truth is finite.
    Infinite,
    /// An estimate below the truth by more than an estimate may be.
    BelowTruth,
    /// An estimate of a type II error above the truth by more than an estimate may be.
    AboveTruth,
    /// An estimate of a probability that is off to such a side by [`FLOOR`] at most.
    Negligible,
    /// No claim could be read.
    Unreadable,
    /// An answer with an unknown id.
    WrongId,
    /// A second answer.
    Twice,
    /// An answer before its turn.
    OutOfOrder,
    /// A line that is too long to be read.
    TooLong,
}

impl Reason {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Crash => "crash",
            Reason::Hang => "hang",
            Reason::Memory => "memory",
            Reason::NotAsked => "not-asked",
            Reason::Raised => "raised",
            Reason::Nan => "nan",
            Reason::Negative => "negative",
            Reason::AboveOne => "above-one",
            Reason::Infinite => "infinite",
            Reason::BelowTruth => "below-truth",
            Reason::AboveTruth => "above-truth",
            Reason::Negligible => "negligible",
            Reason::Unreadable => "unreadable",
            Reason::WrongId => "wrong-id",
            Reason::Twice => "twice",
            Reason::OutOfOrder => "out-of-order",
            Reason::TooLong => "too-long",
        }
    }
}

/// The last digits of a double.
pub const ROUNDING: f64 = 1e-12;

/// A thousandth.
const SLIGHT: f64 = 1e-3;

/// Largest negligible error of a probability: no mechanism runs often enough for it to matter.
pub const FLOOR: f64 = 1e-16;

/// How far an unsound claim is on the wrong side: see [`Judgement::severity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// By at most 1e-12, or by less than doubles differ there: a double was rounded the wrong way.
    Rounding,
    /// The probability itself, or the delta that is kept instead of the one promised, is off by [`FLOOR`] at most: 0
    /// for a delta of 1e-200.
    Negligible,
    /// By at most a thousandth.
    Slight,
    /// By more.
    Gross,
}

impl Size {
    /// All of them.
    pub const ALL: [Size; 4] = [Size::Rounding, Size::Negligible, Size::Slight, Size::Gross];

    /// Whether the error is larger than rounding and not negligible.
    pub fn counts(self) -> bool {
        matches!(self, Size::Slight | Size::Gross)
    }

    /// The class of a relative error.
    pub fn of(relative: f64) -> Self {
        match relative {
            e if e <= ROUNDING => Size::Rounding,
            e if e <= SLIGHT => Size::Slight,
            _ => Size::Gross,
        }
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Size::Rounding => "rounding",
            Size::Negligible => "negligible",
            Size::Slight => "slight",
            Size::Gross => "gross",
        }
    }
}

/// The enclosure of the true value, in decimals rounded outward.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruthText {
    /// `exact`, `enclosure`, `infinite`; `between` where no more will ever be known.
    pub kind: String,
    /// Not above the truth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<String>,
    /// Not below the truth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<String>,
}

/// The true delta at what was claimed, beside the one that was to be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaAtClaim {
    /// The delta of the question.
    pub promised: String,
    /// The true delta is not below it.
    pub true_lower: String,
    /// The true delta is not above it.
    pub true_upper: String,
    /// True over promised: above 1 for an unsound claim.
    pub multiple: String,
}

/// How long both sides took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Time of the package call if the adapter reports it, else the time until the answer.
    #[serde(default)]
    pub peer: Option<f64>,
    /// `dpcert` for the same question, to 15 digits.
    #[serde(default)]
    pub dpcert: Option<f64>,
}

/// Who was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Party {
    /// The package.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// Which way of calling it.
    pub api: String,
}

/// One claim, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Who claimed it.
    #[serde(flatten)]
    pub party: Party,
    /// The question's id.
    pub id: String,
    /// The quantity.
    pub quantity: Asked,
    /// Of what, for people.
    pub mechanism: String,
    /// The same in the language of `dpcert`, every double exact.
    pub expression: String,
    /// The same for programs.
    pub parameters: Vec<Step>,
    /// Where.
    pub at: At,
    /// Of which order of the pair.
    pub direction: Direction,
    /// The documented meaning of the number.
    #[serde(default)]
    pub kind: Option<Kind>,
    /// The number as a hex float, or as it came if it is none.
    #[serde(default)]
    pub claim: Option<String>,
    /// The number for people.
    #[serde(default)]
    pub claim_decimal: Option<String>,
    /// The true value.
    #[serde(default)]
    pub truth: Option<TruthText>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// How unsound it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Claim over truth.
    #[serde(default)]
    pub ratio: Option<String>,
    /// The relative error, at most.
    #[serde(default)]
    pub error: Option<String>,
    /// For claims of an epsilon or of noise.
    #[serde(default)]
    pub delta_at_claim: Option<DeltaAtClaim>,
    /// The lines that reproduce it.
    #[serde(default)]
    pub call: Option<String>,
    /// What the package documents the number to be.
    #[serde(default)]
    pub says: Option<String>,
    /// What else there is to say.
    #[serde(default)]
    pub message: Option<String>,
    /// How long it took.
    pub seconds: Seconds,
    /// The regimes of the question.
    pub flags: Vec<String>,
    /// Why it was asked.
    pub comment: String,
    /// The plot it belongs to.
    #[serde(default)]
    pub sweep: Option<Sweep>,
}

impl Judgement {
    /// A judgement about a question without a number in it yet.
    pub fn of(party: &Party, question: &Question, verdict: Verdict) -> Self {
        Judgement {
            party: party.clone(),
            id: question.id.clone(),
            quantity: question.asked,
            mechanism: question.mechanism(),
            expression: question.expression(),
            parameters: question.steps.clone(),
            at: question.at.clone(),
            direction: question.direction,
            kind: None,
            claim: None,
            claim_decimal: None,
            truth: None,
            verdict,
            reason: None,
            size: None,
            ratio: None,
            error: None,
            delta_at_claim: None,
            call: None,
            says: None,
            message: None,
            seconds: Seconds::default(),
            flags: question.flags.clone(),
            comment: question.comment.clone(),
            sweep: question.sweep.clone(),
        }
    }

    /// Is it a false claim that is off by more than a rounding, or than what is negligible?
    pub fn is_unsound(&self) -> bool {
        self.verdict == Verdict::Unsound && self.size.is_none_or(Size::counts)
    }

    /// The relative error as a number; infinite where there is none.
    pub fn relative_error(&self) -> f64 {
        self.error.as_ref().and_then(|error| error.parse().ok()).unwrap_or(f64::INFINITY)
    }

    /// Severity of a wrong claim, infinite if unknown: the largest of
    ///
    /// * the relative error of the number,
    /// * of an epsilon or of noise: how much larger the true delta there is than the one promised, in parts of it (a
    ///   small error of an epsilon may be a large one of its delta; where no delta was promised, no multiple of it says
    ///   anything),
    /// * of a type II error: the error relative to the power `1 - beta` (a small error of a beta near 1 may be all of
    ///   the power);
    ///
    /// but an error in the last digits of a double, of at most [`ROUNDING`], is just that.
    pub fn severity(&self) -> f64 {
        let error = self.error.as_ref().and_then(|error| error.parse::<f64>().ok());
        if let Some(error) = error.filter(|error| *error <= ROUNDING) {
            return error;
        }
        if self.size == Some(Size::Rounding) {
            return ROUNDING;
        }
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        // Multiples beyond the doubles are written with their exponents; of 0 there is none.
        let multiple = |delta: &DeltaAtClaim| {
            let multiple = delta.multiple.parse::<f64>().ok().filter(|_| delta.multiple != "inf");
            multiple.map(|multiple| multiple.min(f64::MAX) - 1.0)
        };
        let excess = self.delta_at_claim.as_ref().and_then(multiple);
        let power = || {
            let truth = number(self.truth.as_ref()?.lower.as_ref()?)?;
            let claim = number(self.claim_decimal.as_ref()?)?;
            Some(((claim - truth) / (1.0 - truth)).abs())
        };
        let power = if self.quantity == Asked::Beta { power() } else { None };
        let known = [error, excess, power].into_iter().flatten();
        known
            .fold(None, |most: Option<f64>, next| Some(most.map_or(next, |most| most.max(next))))
            .unwrap_or(f64::INFINITY)
    }
}
