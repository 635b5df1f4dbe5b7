//! Somebody's numbers beside the curve: those that are unsound are marked.
//!
//! They are in a table with the columns `epsilon,delta` or `alpha,beta`, or in what an audit has written. A delta of a
//! table is unsound if it is below the truth, a type II error if it is above; that is decided by the ends of the
//! enclosure, so nothing that might be sound is called unsound. What an audit has written is judged already: see
//! `audited`.
//!
//! Tails of the privacy loss have none: `run` refuses them.

mod audited;

use rug::Rational;

use super::super::super::args::CurveKind;
use super::super::super::failure::{Failure, Status};
use super::{Curve, sample};
use crate::error::Error;
use crate::picture::{Series, Style};
use crate::read::{read_text, shown};
use crate::table::{Table, together};
use enclosure::Real;

use self::audited::Peer;

/// The largest file of claims, in bytes.
const LARGEST: u64 = 1 << 28;

/// Maximum number of unsound claims that are printed.
const TOLD: usize = 10;

/// One number, and where it is claimed.
pub struct Claim {
    at: Real,
    value: Rational,
}

/// The claims in a file.
pub enum Claims {
    /// Of a table.
    Typed(Vec<Claim>),
    /// Of an audit: those of each peer, judged.
    Audited(Vec<Peer>),
}

impl Default for Claims {
    fn default() -> Self {
        Claims::Typed(Vec::new())
    }
}

impl Claims {
    /// Are there none?
    pub fn is_empty(&self) -> bool {
        match self {
            Claims::Typed(claims) => claims.is_empty(),
            Claims::Audited(peers) => peers.is_empty(),
        }
    }

    /// How high they are.
    pub fn heights(&self) -> impl Iterator<Item = f64> {
        let (typed, audited) = match self {
            Claims::Typed(claims) => (claims.as_slice(), [].as_slice()),
            Claims::Audited(peers) => ([].as_slice(), peers.as_slice()),
        };
        typed.iter().map(|claim| claim.value.to_f64()).chain(audited.iter().flat_map(Peer::heights))
    }

    /// The claims as marks, those that are proven to be unsound apart.
    pub fn judged(&self, curve: &Curve<'_>) -> Result<(Vec<Series>, Status), Failure> {
        match self {
            Claims::Typed(claims) => judged(claims, curve),
            Claims::Audited(peers) => Ok(audited::marks(peers)),
        }
    }
}

/// The claims in a file that are about this curve.
pub fn read(path: &str, curve: &Curve<'_>) -> Result<Claims, Failure> {
    let text = read_text(path, LARGEST)?;
    if text.trim_start().starts_with('{') {
        return audited::read(path, &text, curve).map(Claims::Audited);
    }
    table(path, &text, curve.plan.kind).map(Claims::Typed)
}

/// Those of a table.
fn table(path: &str, text: &str, kind: CurveKind) -> Result<Vec<Claim>, Failure> {
    let columns = match kind {
        CurveKind::Profile => ["epsilon", "delta"],
        CurveKind::Tradeoff | CurveKind::Loss => ["alpha", "beta"],
    };
    let located = |(line, message): (usize, String)| Error::input(format!("{}:{line}: {message}", shown(path)));
    let (rows, mut faults) = Table::parse(text).and_then(|table| table.rows(&columns)).map_err(located)?;
    let mut claims = Vec::new();
    for row in rows {
        let [at, value] = row.fields.as_slice() else { continue };
        match (at.parse::<Real>(), value.parse::<Real>()) {
            (Ok(at), Ok(value)) => match value.as_rational() {
                Some(value) => claims.push(Claim { at, value: value.clone() }),
                None => faults.push((row.line, format!("{} must be rational", columns[1]))),
            },
            (Err(error), _) | (_, Err(error)) => faults.push((row.line, error.to_string())),
        }
    }
    match together(faults) {
        Some(fault) => Err(located(fault).into()),
        None => Ok(claims),
    }
}

/// Say on standard error that a claim is unsound, for it may lie outside of the picture.
fn tell(before: usize, kind: CurveKind, (at, value): (&Real, &Rational), truth: &sample::Spot) {
    if before >= TOLD {
        return;
    }
    let value = rug::Float::with_val(53, value).to_f64();
    match kind {
        CurveKind::Profile => {
            eprintln!(
                "dpcert: unsound: delta {value:e} at epsilon = {at}; the exact delta is at least {:e}",
                truth.lower
            );
        }
        CurveKind::Tradeoff | CurveKind::Loss => {
            eprintln!("dpcert: unsound: beta {value} at alpha = {at}; the exact beta is at most {}", truth.upper);
        }
    }
}

/// The claims of a table as marks.
fn judged(claims: &[Claim], curve: &Curve<'_>) -> Result<(Vec<Series>, Status), Failure> {
    let (mut sound, mut unsound) = (Vec::new(), Vec::new());
    for Claim { at, value } in claims {
        let truth = curve.spot(at)?;
        let end = |y: f64| Rational::from_f64(y).unwrap_or_default();
        let wrong = match curve.plan.kind {
            CurveKind::Profile => *value < end(truth.lower),
            CurveKind::Tradeoff | CurveKind::Loss => *value > end(truth.upper),
        };
        let mark = (sample::place(at), value.to_f64());
        if wrong {
            tell(unsound.len(), curve.plan.kind, (at, value), &truth);
            unsound.push(mark);
        } else {
            sound.push(mark);
        }
    }
    if unsound.len() > TOLD {
        eprintln!("dpcert: unsound claims not shown: {}", unsound.len() - TOLD);
    }
    let status = if unsound.is_empty() { Status::Fine } else { Status::Mismatch };
    let series =
        |label: String, points: Vec<(f64, f64)>, style| (!points.is_empty()).then_some(Series { label, points, style });
    let told = |what: &str, points: &[(f64, f64)]| format!("{what} ({})", points.len());
    let (sound_label, unsound_label) = (told("claims", &sound), told("unsound claims", &unsound));
    let all = [series(sound_label, sound, Style::Marks), series(unsound_label, unsound, Style::Unsound)];
    Ok((all.into_iter().flatten().collect(), status))
}
