//! Overlays of a curve: the bounding Gaussian, the limiting Gaussian, and accounting methods that give bounds.
//!
//! Tails of the privacy loss have no overlays; `run` refuses them.

use clap::ValueEnum;

use super::super::super::args::CurveKind;
use super::super::super::failure::Failure;
use super::sample::{Ask, Frame, Spot, place, sample};
use super::{Curve, budget};
use crate::answer::Session;
use crate::attack::{Fit, fit};
use crate::compare::{Bound, bound, worst_steps};
use crate::compose::Method;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::picture::{Series, Style};
use crate::theorem::clt::{Clt, Form};
use crate::theorem::kov::Theorem;
use enclosure::decimal::{Side, decimal, double};
use enclosure::{Number, Portable, Real};

/// A curve beside the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Overlay {
    /// G_mu for the smallest mu for which the mechanism is mu-GDP
    Gdp,
    /// Central limit theorem: an approximation, not a bound
    Clt,
    /// Basic composition, the sum of all epsilons: KOV, Theorem 3.1
    #[value(alias = "kov-3.1")]
    Basic,
    /// Advanced composition: KOV, Theorem 3.2
    #[value(alias = "kov-3.2")]
    Advanced,
    /// Optimal composition of the (epsilon, delta) guarantees of the steps: KOV, Theorem 3.3
    #[value(alias = "kov-3.3")]
    Optimal,
    /// Simplified optimal composition: KOV, Theorem 3.4
    #[value(alias = "kov-3.4", alias = "simplified")]
    Kov,
    /// Composition of unequal steps: KOV, Theorem 3.5
    #[value(alias = "kov-3.5")]
    Heterogeneous,
    /// Bound from zCDP, at the best order
    Zcdp,
    /// Bound from Renyi divergences, at the best order
    Rdp,
}

/// Digits of the mu of a fit: as many as a legend shows.
const MU_DIGITS: u32 = 5;

/// Bits of a limit, of which a picture shows few.
const LIMIT_BITS: u32 = 96;

/// Lines that a profile's bound is drawn by, and the largest epsilon of those of a trade-off function.
const LINES: u32 = 48;
const STEEPEST: f64 = 8.0;

/// Places where such lines are compared.
const PLACES: u32 = 400;

impl Overlay {
    /// Label and points of the overlay.
    pub(super) fn series(self, curve: &Curve<'_>, frame: &Frame<'_>) -> Result<Series, Failure> {
        let (label, points) = match self {
            Overlay::Gdp => gaussian(curve, frame)?,
            Overlay::Clt => limit(curve, frame)?,
            Overlay::Basic => ("basic composition".into(), account(Bound::Theorem(Theorem::Basic), curve, frame)?),
            Overlay::Advanced => ("KOV, Theorem 3.2".into(), account(Bound::Theorem(Theorem::Advanced), curve, frame)?),
            Overlay::Optimal => ("KOV, Theorem 3.3".into(), optimal(curve, frame)?),
            Overlay::Kov => ("KOV, Theorem 3.4".into(), account(Bound::Theorem(Theorem::Simplified), curve, frame)?),
            Overlay::Heterogeneous => {
                ("KOV, Theorem 3.5".into(), account(Bound::Theorem(Theorem::Heterogeneous), curve, frame)?)
            }
            Overlay::Zcdp => ("zCDP, best order".into(), account(Bound::Zcdp, curve, frame)?),
            Overlay::Rdp => ("RDP, best order".into(), account(Bound::Rdp, curve, frame)?),
        };
        Ok(Series { label, points, style: Style::Dashed })
    }
}

type Points = Vec<(f64, f64)>;

/// The curve of the least mu, rounded up.
fn gaussian(curve: &Curve<'_>, frame: &Frame<'_>) -> Result<(String, Points), Failure> {
    let fitted = fit(&curve.composition, MU_DIGITS, 2, &budget(curve.drawing.limits))?;
    let Fit::Least { mu, .. } = fitted else {
        return Err(Failure::input(
            "--overlay gdp: no mu bounds this mechanism, because it has a delta at epsilon = infinity",
        ));
    };
    let shown = decimal(&mu, MU_DIGITS, Side::Upper);
    let mu: Real = shown.parse().map_err(|error| Failure::input(format!("--overlay gdp: {error}")))?;
    let points = of_composition(Composition::gdp(mu)?, curve, frame)?;
    Ok((format!("G_\u{3bc}, \u{3bc} = {shown}"), points))
}

/// Between the ends of the axis, what is asked.
fn sampled(ask: &Ask<'_>, knots: Vec<Real>, frame: &Frame<'_>) -> Result<Points, Failure> {
    let end = |at: f64| rug::Rational::from_f64(at).map_or_else(Real::zero, Real::from);
    let (start, last) = (ask(&end(frame.x.from))?, ask(&end(frame.x.to))?);
    let (spots, _) = sample(start, last, knots, ask, frame)?;
    Ok(spots.iter().map(|spot| (spot.place, spot.middle())).collect())
}

/// The curve of another composition, its corners met.
fn of_composition(composition: Composition, curve: &Curve<'_>, frame: &Frame<'_>) -> Result<Points, Failure> {
    let session = Session::new(composition.clone(), Method::Auto);
    let other = Curve { composition, session, drawing: curve.drawing, plan: curve.plan };
    let end = |at: f64| rug::Rational::from_f64(at).unwrap_or_default();
    let knots = other.knots(&(end(frame.x.from), end(frame.x.to)));
    sampled(&|x: &Real| other.spot(x), knots, frame)
}

/// The tight bound from the guarantees of the steps: the curve of the worst mechanisms that satisfy them.
fn optimal(curve: &Curve<'_>, frame: &Frame<'_>) -> Result<Points, Failure> {
    of_composition(worst_steps(&curve.composition, &budget(curve.drawing.limits))?, curve, frame)
}

/// The Gaussian that long compositions tend to; nothing is promised of it.
fn limit(curve: &Curve<'_>, frame: &Frame<'_>) -> Result<(String, Points), Failure> {
    let clt = Clt::of(&curve.composition, Form::Auto, LIMIT_BITS, &budget(curve.drawing.limits))?;
    let shown = decimal(&Number::Enclosed(clt.mu().clone()), MU_DIGITS, Side::Upper);
    let ask = |x: &Real| {
        let budget = budget(curve.drawing.limits);
        let set = match frame.kind {
            CurveKind::Profile => clt.delta(x, LIMIT_BITS, &budget)?,
            CurveKind::Tradeoff | CurveKind::Loss => clt.beta(x, LIMIT_BITS, &budget)?,
        };
        let number = Number::Enclosed(set);
        Ok(Spot { place: place(x), lower: double(&number, Side::Lower), upper: double(&number, Side::Upper) })
    };
    Ok((format!("central limit, \u{3bc} = {shown}, no bound"), sampled(&ask, Vec::new(), frame)?))
}

/// An account's deltas, or the trade-off function that they promise: `beta >= 1 - delta - e^epsilon alpha`, and the
/// mirror image of that.
fn account(which: Bound, curve: &Curve<'_>, frame: &Frame<'_>) -> Result<Points, Failure> {
    let (from, to) = match frame.kind {
        CurveKind::Profile => (frame.x.from, frame.x.to),
        CurveKind::Tradeoff | CurveKind::Loss => (0.0, STEEPEST),
    };
    let at = |i: u32| from + f64::from(i) / f64::from(LINES) * (to - from);
    let (mut deltas, mut silent) = (Vec::new(), None);
    for i in 0..=LINES {
        let epsilon = rug::Rational::from_f64(at(i)).map_or_else(Real::zero, Real::from);
        match bound(which, &curve.composition, &epsilon, || budget(curve.drawing.limits)) {
            Ok(delta) => deltas.push((at(i), double(&delta, Side::Upper).min(1.0))),
            // Where it says nothing, nothing is drawn of it.
            Err(error @ Error::Undefined(_)) => silent = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    if let (true, Some(error)) = (deltas.is_empty(), silent) {
        return Err(error.into());
    }
    if frame.kind == CurveKind::Profile {
        return Ok(deltas);
    }
    let beta = |alpha: f64| {
        let lines = deltas.iter().flat_map(|(epsilon, delta)| {
            [1.0 - delta - epsilon.portable_exp() * alpha, (1.0 - delta - alpha) / epsilon.portable_exp()]
        });
        lines.fold(0.0, f64::max)
    };
    // Most places where most lines are steep.
    let places = (0..=PLACES).map(|i| (f64::from(i) / f64::from(PLACES)).powi(3));
    Ok(places.map(|alpha| (alpha, beta(alpha))).collect())
}
