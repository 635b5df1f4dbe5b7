//! An axis: from where to where, on which scale, and its ticks.

use enclosure::Portable;
use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// One axis of a chart.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Axis title.
    pub label: String,
    /// Its left or lower end.
    pub from: f64,
    /// Its right or upper end.
    pub to: f64,
    /// Are powers of ten equidistant? Then both ends are above 0.
    pub logarithmic: bool,
}

/// Approximate number of ticks.
const TICKS: f64 = 6.0;

impl Axis {
    /// Where a value is along it: itself, or its logarithm. Values outside the domain are placed at the lower end.
    pub fn place(&self, value: f64) -> f64 {
        if !self.logarithmic {
            value
        } else if value > 0.0 {
            value.portable_log10()
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Both ends, in places.
    pub fn ends(&self) -> (f64, f64) {
        (self.place(self.from), self.place(self.to))
    }

    /// The places of the ticks.
    pub fn ticks(&self) -> Vec<f64> {
        let (from, to) = self.ends();
        let step = if self.logarithmic { ((to - from) / TICKS).ceil().max(1.0) } else { step((to - from) / TICKS) };
        // A little beyond both ends, for what rounding does to them.
        let (first, last) = ((from / step - 1e-9).ceil() as i64, (to / step + 1e-9).floor() as i64);
        (first..=last).map(|tick| tick as f64 * step).collect()
    }

    /// What stands at a tick.
    pub fn name(&self, place: f64) -> String {
        if self.logarithmic {
            let exponent = place.round() as i64;
            return if (-2..=3).contains(&exponent) {
                format!("{}", 10f64.powi(exponent as i32))
            } else {
                format!("1e{exponent}")
            };
        }
        let (from, to) = self.ends();
        let step = step((to - from) / TICKS);
        let places = (-step.portable_log10().floor()).clamp(0.0, 15.0) as usize;
        // 2.5 has a place more than its power of ten.
        let places = if (step * 10f64.powi(places as i32)).fract() > 1e-6 { places + 1 } else { places };
        let text = format!("{place:.places$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        if text == "-0" { "0".into() } else { text.into() }
    }
}

/// The axis as plotters sees it: its places, linear in pixels.
#[derive(Clone)]
pub struct Places {
    ends: (f64, f64),
    ticks: Vec<f64>,
}

impl From<&Axis> for Places {
    fn from(axis: &Axis) -> Self {
        Places { ends: axis.ends(), ticks: axis.ticks() }
    }
}

impl Ranged for Places {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        let share = (value - self.ends.0) / (self.ends.1 - self.ends.0);
        (f64::from(low) + share * f64::from(high - low)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        // Light lines between the bold ones are not drawn.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.ends.0..self.ends.1
    }
}

/// 1, 2 or 5 times a power of ten, at least this.
fn step(rough: f64) -> f64 {
    let power = 10f64.portable_powf(rough.portable_log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= rough * 0.999).unwrap_or(10.0);
    times * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(from: f64, to: f64, logarithmic: bool) -> Vec<String> {
        let axis = Axis { label: String::new(), from, to, logarithmic };
        axis.ticks().into_iter().map(|tick| axis.name(tick)).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(names(0.0, 1.0, false), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(names(0.0, 30.0, false), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(names(-1.0, 1.0, false), ["-1", "-0.5", "0", "0.5", "1"]);
        assert_eq!(names(1e-12, 1.0, true), ["1e-12", "1e-10", "1e-8", "1e-6", "1e-4", "0.01", "1"]);
        assert_eq!(names(200.0, 20000.0, true), ["1000", "1e4"]);
    }
}
