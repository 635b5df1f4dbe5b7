//! Claims that an audit has judged: its journal (`--out`), or its JSON lines (`--json`), as they are.
//!
//! Of all that was asked, those claims belong to a curve that are about the same composition, once its numbers are
//! doubles, as they were when accountants were asked; and about the same direction. A delta at an epsilon and an
//! epsilon at a delta are points of a profile, a type II error is one of a trade-off function. Which are unsound is
//! what the audit says, which knows what each number was claimed to be: a false claim counts that is off by more than
//! a rounding, and by more than what is negligible.

use std::collections::HashMap;
use std::path::Path;

use super::super::super::super::args::CurveKind;
use super::super::super::super::failure::{Failure, Status};
use super::super::Curve;
use crate::audit::journal::{Record, records};
use crate::audit::judgement::{Judgement, Party};
use crate::audit::question::Asked;
use crate::audit::questions::one;
use crate::mechanism::Composition;
use crate::picture::{Series, Style};
use crate::query::Point;
use enclosure::Real;

/// Maximum number of other compositions named if none matches the curve.
const NAMED: usize = 3;

/// What one API of a package claims.
pub struct Peer {
    name: String,
    points: Vec<(f64, f64)>,
    unsound: Vec<(f64, f64)>,
}

impl Peer {
    /// How high its claims are.
    pub fn heights(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|(_, y)| *y).filter(|y| y.is_finite())
    }
}

/// The claims about this curve, peer by peer.
pub fn read(path: &str, text: &str, curve: &Curve<'_>) -> Result<Vec<Peer>, Failure> {
    let direction = curve.drawing.direction.into();
    let own = in_doubles(&curve.composition)?;
    let mut same: HashMap<String, bool> = HashMap::new();
    let mut others: Vec<String> = Vec::new();
    let mut peers: Vec<(Party, Peer)> = Vec::new();
    for record in records(Path::new(path), text)? {
        let Record::Judgement(judgement) = record else { continue };
        let Some(place) = place(&judgement, curve.plan.kind) else { continue };
        let is_own = *same.entry(judgement.expression.clone()).or_insert_with(|| {
            Composition::parse_closed(&judgement.expression).is_ok_and(|composition| composition == own)
        });
        if !is_own || judgement.direction != direction {
            if others.len() <= NAMED && !others.contains(&judgement.mechanism) {
                others.push(judgement.mechanism.clone());
            }
            continue;
        }
        let at = peers.iter().position(|(party, _)| *party == judgement.party).unwrap_or_else(|| {
            let Party { peer, version, api } = &judgement.party;
            let name = format!("{peer} {version} {api}");
            peers.push((judgement.party.clone(), Peer { name, points: Vec::new(), unsound: Vec::new() }));
            peers.len() - 1
        });
        if let Some((_, peer)) = peers.get_mut(at) {
            peer.points.push(place);
            if judgement.is_unsound() {
                peer.unsound.push(place);
            }
        }
    }
    if !peers.is_empty() {
        return Ok(peers.into_iter().map(|(_, peer)| peer).collect());
    }
    let more = if others.len() > NAMED { ", and others" } else { "" };
    others.truncate(NAMED);
    let about = match others.as_slice() {
        [] => "no claim that can be drawn on this curve".to_string(),
        known => format!("claims about {}{more}", known.join(", ")),
    };
    Err(Failure::input(format!(
        "{} contains no claim about {} in this direction; it contains {about}",
        crate::read::shown(path),
        curve.composition
    )))
}

/// The composition that accountants were asked about.
fn in_doubles(composition: &Composition) -> Result<Composition, Failure> {
    let anywhere = Point { epsilon: Some(Real::one()), ..Point::default() };
    let question = one(&composition.to_string(), &anywhere, dpcert_vectors::Direction::Worst)?;
    Ok(Composition::parse_closed(&question.expression())?)
}

/// Where a claim is in the picture; none if it has no place there.
fn place(judgement: &Judgement, kind: CurveKind) -> Option<(f64, f64)> {
    let claim = judgement.claim_decimal.as_ref()?.parse::<f64>().ok().filter(|claim| claim.is_finite())?;
    match (kind, judgement.quantity) {
        (CurveKind::Profile, Asked::Delta) => Some((judgement.at.epsilon?.0, claim)),
        (CurveKind::Profile, Asked::Epsilon) => Some((claim, judgement.at.delta?.0)),
        (CurveKind::Tradeoff, Asked::Beta) => Some((judgement.at.alpha?.0, claim)),
        _ => None,
    }
}

/// Rings for all claims, one colour for each peer; what is unsound is a red disc in the place of its ring.
pub fn marks(peers: &[Peer]) -> (Vec<Series>, Status) {
    let unsound: Vec<(f64, f64)> = peers.iter().flat_map(|peer| peer.unsound.iter().copied()).collect();
    let status = if unsound.is_empty() { Status::Fine } else { Status::Mismatch };
    let mut all = Vec::new();
    for Peer { name, points, unsound } in peers {
        if !unsound.is_empty() {
            eprintln!("dpcert: unsound: {} of {} claims of {name}", unsound.len(), points.len());
        }
        let told = match unsound.len() {
            0 => format!("{name} ({})", points.len()),
            some => format!("{name} ({}, {some} unsound)", points.len()),
        };
        all.push(Series { label: told, points: points.clone(), style: Style::Marks });
    }
    if !unsound.is_empty() {
        let label = format!("unsound claims ({})", unsound.len());
        all.push(Series { label, points: unsound, style: Style::Unsound });
    }
    (all, status)
}
