//! A picture: its axes, its curves, and where they are taken.

use serde::Deserialize;
use toml::Spanned;

use super::super::source::Source;
use super::{Fault, constant, one_line};
use crate::picture::{Place, has_glyph};
use enclosure::Real;

/// The most lines of an envelope, and the most steps of a curve.
const MOST_POINTS: u32 = 5000;

/// A picture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Figure {
    /// To the right.
    pub x: Scale,
    /// Upward.
    pub y: Scale,
    /// Is perfect privacy drawn?
    #[serde(default)]
    pub diagonal: bool,
    /// Where the legend is.
    #[serde(default)]
    pub legend: Place,
    /// What the thin curves are, in the legend.
    #[serde(default)]
    pub thin: Option<String>,
    /// The curves.
    #[serde(default, rename = "curve")]
    pub curves: Vec<Spanned<Curve>>,
    /// Printed points.
    #[serde(default, rename = "marks")]
    pub marks: Vec<Spanned<Marks>>,
}

/// An axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scale {
    /// What is along it, with its unit.
    pub label: String,
    /// Where it begins.
    pub from: Spanned<String>,
    /// Where it ends.
    pub to: Spanned<String>,
    /// Are powers of ten equidistant?
    #[serde(default)]
    pub logarithmic: bool,
}

/// A curve.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curve {
    /// Its name.
    pub label: String,
    /// Where its numbers come from; `{x}` stands for the place on the axis.
    #[serde(rename = "value")]
    pub source: Source,
    /// Where it begins, unless with the axis.
    #[serde(default)]
    pub from: Option<Spanned<String>>,
    /// Where it ends, unless with the axis.
    #[serde(default)]
    pub to: Option<Spanned<String>>,
    /// Where it is taken.
    #[serde(default)]
    pub sample: Sampling,
    /// Is it dashed?
    #[serde(default)]
    pub dashed: bool,
    /// Is it thin and grey?
    #[serde(default)]
    pub thin: bool,
}

/// Where a curve is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// As close as it bends.
    #[default]
    Smooth,
    /// At the knots of the piecewise-linear trade-off function, and nowhere else.
    Knots,
    /// The upper envelope of the supporting lines `1 - delta - e^epsilon alpha`, and those of the other direction, of
    /// these many epsilons: for what is known as a profile. The last epsilon is the end of the range.
    Envelope(u32),
    /// The upper envelope of those lines at these epsilons, from small to large: the function itself, where they are
    /// all those at which its profile bends.
    Lines(Vec<Spanned<String>>),
    /// At each integer, or each step of this many.
    Steps(u32),
    /// At these places, from left to right.
    At(Vec<Spanned<String>>),
}

/// Printed points, or what else is a point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Marks {
    /// Their name.
    pub label: String,
    /// Where they are.
    pub at: Vec<[Spanned<String>; 2]>,
}

impl Figure {
    /// What the type cannot say.
    pub(super) fn check(&self) -> Result<(), Fault> {
        for (scale, what) in [(&self.x, "x"), (&self.y, "y")] {
            named(&scale.label)?;
            let (at, ends) = (scale.from.span().start, (constant(&scale.from)?, constant(&scale.to)?));
            if ends.0 >= ends.1 || !ends.0.to_f64().is_finite() || !ends.1.to_f64().is_finite() {
                return Err((
                    at,
                    format!("the {what} axis must be increasing and finite, not from {} to {}", ends.0, ends.1),
                ));
            }
            if scale.logarithmic && (ends.0 <= 0 || ends.0.to_f64() == 0.0) {
                return Err((at, format!("the logarithmic {what} axis must start above 0, not at {}", ends.0)));
            }
        }
        self.thin.as_deref().map_or(Ok(()), named)?;
        for curve in &self.curves {
            let (at, curve) = (curve.span().start, curve.get_ref());
            let wrong = |what: String| (at, format!("curve `{}`: {what}", curve.label));
            curve.source.check().map_err(wrong)?;
            if let Some(name) = curve.source.names().into_iter().find(|name| name != "x") {
                return Err(wrong(format!("{{{name}}} has no value, only {{x}} has")));
            }
            if !curve.source.columns().is_empty() {
                return Err(wrong("the formula of a curve cannot use columns".into()));
            }
            named(&curve.label).map_err(|(_, what)| (at, what))?;
            let from = constant(curve.from.as_ref().unwrap_or(&self.x.from))?;
            let to = constant(curve.to.as_ref().unwrap_or(&self.x.to))?;
            if from >= to {
                return Err(wrong(format!("must be increasing, not from {from} to {to}")));
            }
            match &curve.sample {
                Sampling::Smooth | Sampling::Knots => {}
                Sampling::Envelope(lines) if (1..=MOST_POINTS).contains(lines) => {}
                Sampling::Envelope(_) => return Err(wrong(format!("an envelope must have 1 to {MOST_POINTS} lines"))),
                Sampling::Steps(step) if *step > 0 && (to - from) / *step <= MOST_POINTS => {}
                Sampling::Steps(_) => return Err(wrong(format!("steps must be 1 to {MOST_POINTS}"))),
                Sampling::At(places) => {
                    let places = places.iter().map(constant).collect::<Result<Vec<_>, _>>()?;
                    if places.is_empty() || !places.is_sorted_by(|a, b| a < b) {
                        return Err(wrong("places must be increasing".into()));
                    }
                }
                Sampling::Lines(epsilons) => {
                    for text in epsilons {
                        let real = text.get_ref().parse::<Real>();
                        real.map_err(|error| (text.span().start, error.to_string()))?;
                    }
                }
            }
        }
        for marks in &self.marks {
            named(&marks.get_ref().label)?;
            for place in marks.get_ref().at.iter().flatten() {
                constant(place)?;
            }
        }
        Ok(())
    }
}

/// What is written into a picture is one line, of letters that its fonts have.
pub(super) fn named(label: &str) -> Result<(), Fault> {
    one_line("label", label)?;
    match label.chars().find(|&c| !has_glyph(c)) {
        Some(c) => Err((0, format!("the picture font has no glyph for {c:?} in `{}`", crate::table::quoted(label)))),
        None => Ok(()),
    }
}
