//! The integrand in doubles: where it lives, and how to cut it into panels. It proves nothing.

use enclosure::Portable;
use enclosure::work::{self, Kept};
use std::f64::consts::{LN_2, PI};
use std::sync::PoisonError;

use super::super::poisson_laplace::GAUSS;
use super::{Half, Mirrored, Noise, SEARCHED, log_ratio};
use crate::error::Error;

/// How the half line is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The outer end of the panels, where it is not that of the noise.
    pub outer: f64,
    pub panels: u32,
    /// Nodes of each panel.
    pub nodes: u32,
    /// Bits of their places.
    pub bits: u32,
    /// The sum of the semi-axes of the ellipses, in half-lengths of panels.
    pub rho: f64,
    /// Panels on which the integrand is below this, as a part of `M(c)`, are left out.
    pub small: f64,
}

/// More panels than this are refused, and more nodes of one.
const MOST_PANELS: f64 = 1e4;
const MOST_NODES: f64 = 96.0;
/// A logarithm so far below the largest is nothing to a double.
const FALL: f64 = 45.0;
/// Panels of one moment.
const MOST_STEPS: u32 = 1 << 14;
/// Beyond this, as a logarithm, a power of the ratio is all that there is.
const HUGE: f64 = 300.0;

/// How exact a sum is for so many bits.
pub(super) fn nats(bits: u32) -> f64 {
    f64::from(bits) * LN_2 + 4.0
}

impl Mirrored {
    /// The share of the shifted noise in w.
    fn share(&self, y: f64) -> f64 {
        1.0 / (1.0 + self.q / self.p * (-y).portable_exp())
    }

    /// How steeply the logarithm of the density falls.
    pub(super) fn steep(&self, y: f64) -> f64 {
        match self.noise {
            Noise::Gaussian(_) => y.abs() / self.size.powi(2) + 0.5,
            Noise::Laplace(_) => 0.5,
        }
    }

    /// The logarithm of what the density is divided by.
    fn log_scale(&self) -> f64 {
        match self.noise {
            Noise::Gaussian(_) => (self.size * (2.0 * PI).sqrt()).portable_ln(),
            Noise::Laplace(_) => 2.0 * LN_2,
        }
    }

    fn log_density(&self, y: f64, log_scale: f64) -> f64 {
        match self.noise {
            Noise::Gaussian(_) => -0.5 * (y / self.size + 0.5 * self.size).powi(2) - log_scale,
            Noise::Laplace(_) => -0.5 * (y + self.size) - log_scale,
        }
    }

    /// About `ln M(c)`, remembered.
    pub(super) fn searched_moment(&self, c: f64) -> f64 {
        let known = || self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((value, units)) = known().get(&c.to_bits()) {
            work::recall(Kept::ForOne, *units);
            return *value;
        }
        let (value, units) = work::learn(Kept::ForOne, || self.integrated_moment(c));
        let mut known = known();
        if known.len() >= SEARCHED {
            known.clear();
        }
        known.insert(c.to_bits(), (value, units));
        value
    }

    /// About `ln M(c)`: of `M(c) - 1 = int [w^(1+c) - w + w^(-c) - 1] dQ`, where the bracket is, with `e = w^c - 1`,
    /// `(w - 1) e + e^2/(1 + e)`.
    fn integrated_moment(&self, c: f64) -> f64 {
        let c = if c < -0.5 { -1.0 - c } else { c };
        if !c.is_finite() {
            return f64::NAN;
        }
        let log_scale = self.log_scale();
        // Where w is below 1, the other power is the larger one.
        let larger = if self.half == Half::Right { 1.0 + c } else { -c };
        let height = |y: f64| larger * log_ratio(self.p, self.q, y) + self.log_density(y, log_scale);
        let ((start, end), narrow) = match (&self.noise, self.half) {
            // Beyond where a power of e^y would have its largest value.
            (Noise::Gaussian(_), Half::Right) => {
                ((0.0, self.size * ((c + 0.5) * self.size).max(0.0) + 9.5 * self.size), self.size)
            }
            (Noise::Gaussian(_), Half::Left) => ((self.leftmost(c, -45.0), self.edge), self.size),
            (Noise::Laplace(_), Half::Right) => ((0.0, self.size), 1.0),
            (Noise::Laplace(_), Half::Left) => ((-self.size, self.edge), 1.0),
        };
        // Panels on which the integrand changes by a moderate factor, for a rule of eight nodes, and the height at
        // their ends.
        let (mut y, mut top) = (start, height(start));
        let mut places = vec![(y, top)];
        for _ in 0..MOST_STEPS {
            let slope = (1.0 + c) * self.share(y + narrow.min(1.0)) + self.steep(y + narrow.min(1.0));
            y = (y + (7.0 / slope).min(2.0 * narrow).min(2.0)).min(end);
            let here = height(y);
            places.push((y, here));
            top = top.max(here);
            if y >= end {
                break;
            }
        }
        // Nothing is known of what lies beyond so many panels.
        if y < end {
            return f64::INFINITY;
        }
        let atom = match self.noise {
            Noise::Gaussian(_) => None,
            Noise::Laplace(_) if self.half == Half::Left => Some((-self.size, -LN_2)),
            Noise::Laplace(_) => Some((self.size, -self.size - LN_2)),
        };
        let large =
            top > HUGE || atom.is_some_and(|(y, mass)| height(y) - self.log_density(y, log_scale) + mass > HUGE);
        let scale = if large { top } else { 0.0 };
        let term = |y: f64, log_mass: f64| {
            let log = log_ratio(self.p, self.q, y);
            if large {
                return (larger * log + log_mass - scale).portable_exp();
            }
            if if self.half == Half::Right { c * log } else { -c * log } > HUGE {
                return (larger * log + log_mass).portable_exp();
            }
            let excess = (c * log).portable_exp_m1();
            let power = if excess > -0.5 { 1.0 + excess } else { (c * log).portable_exp() };
            // w - 1, which is what p makes of e^y - 1.
            (self.p * y.portable_exp_m1() * excess + excess * excess / power) * log_mass.portable_exp()
        };
        let mut sum = atom.map_or(0.0, |(y, log_mass)| term(y, log_mass));
        for pair in places.windows(2) {
            let ((from, low), (to, high)) = (pair[0], pair[1]);
            if low.max(high) < top - FALL {
                continue;
            }
            let half = 0.5 * (to - from);
            for (x, weight) in GAUSS {
                for place in [from + half * (1.0 - x), from + half * (1.0 + x)] {
                    sum += half * weight * term(place, self.log_density(place, log_scale));
                }
            }
        }
        if large { scale + sum.portable_ln() } else { sum.portable_ln_1p() }
    }

    /// Left of it there is at most `e^floor` of the integral of `M(c)`, and G rises.
    fn leftmost(&self, c: f64, floor: f64) -> f64 {
        let most = ((1.0 + c).min(-c) * self.q.portable_ln()).max(0.0);
        let reach = (2.0 * (most - floor).max(1.0)).sqrt().max(self.size);
        -(0.5 * self.size + reach * (1.0 + 1e-9)) * self.size
    }

    /// Where the integrand of `M(c)` has fallen to `e^floor`, beyond the largest value of any power of `e^y`.
    fn end(&self, c: f64, floor: f64) -> f64 {
        match (&self.noise, self.half) {
            (Noise::Gaussian(_), Half::Right) => {}
            (Noise::Gaussian(_), Half::Left) => return self.leftmost(c, floor),
            (Noise::Laplace(_), _) => return self.laplace_end(),
        }
        let power = (1.0 + c).max(-c);
        let height = |y: f64| power * log_ratio(self.p, self.q, y) - 0.5 * (y / self.size + 0.5 * self.size).powi(2);
        // The condition of the tail's bound, with room for what is rounded.
        let least = (self.size * self.size * (power - 0.5)).max(0.0) * (1.0 + 1e-9);
        let mut far = self.size;
        while height(least + far) > floor && far < 1e9 {
            far *= 2.0;
        }
        let mut near = 0.0;
        while far - near > 0.03 * self.size {
            let middle = 0.5 * (near + far);
            if height(least + middle) > floor { near = middle } else { far = middle }
        }
        least + far
    }

    /// `ln` of the bound of both powers in the middle of a piece of an ellipse of the height v, on the axis and for
    /// ordinates up to `most`.
    fn log_bound(&self, (low, high): (f64, f64), v: f64, c: f64, (most, log_scale): (f64, f64)) -> [f64; 2] {
        let log = log_ratio(self.p, self.q, high);
        let least = (self.q + self.p * low.portable_exp() * v.portable_cos()).portable_ln();
        let powers = [1.0 + c, -c].map(|power| power * if power >= 0.0 { log } else { least });
        let density = match self.noise {
            Noise::Gaussian(_) => {
                let lean = 0.5 * self.size * self.size;
                let near = (low + lean).max(0.0).max(-(high + lean));
                0.5 * (v * v - near.powi(2)) / self.size.powi(2) - log_scale
            }
            Noise::Laplace(_) => -0.5 * (low + self.size) - log_scale,
        };
        let turned = v * (self.share(high) / v.portable_cos()).min(1.0);
        let on = powers[0].max(powers[1]) + density;
        [on, on + most * turned]
    }

    /// The cheapest panels for an error of about `e^-nats M(c)` and ordinates up to `most`.
    pub(super) fn layout(&self, c: f64, nats: f64, most: f64) -> Result<Layout, Error> {
        const PARTS: u32 = 3;
        let refused = || Error::undecided("the integral for a sample of fixed size needs too many nodes".to_string());
        let log_moment = self.searched_moment(c);
        if log_moment.is_nan() || log_moment.abs() >= 7e8 {
            return Err(Error::Undecided("a moment exceeds the exponent range of the arithmetic".into()));
        }
        let outer = self.end(c, log_moment - nats);
        let (start, end) = if self.half == Half::Right { (0.0, outer) } else { (outer, self.edge) };
        let length = (end - start).max(f64::MIN_POSITIVE);
        let small = log_moment - nats - 8.0;
        let (log_length, log_scale) = ((2.0 * length).portable_ln(), self.log_scale());
        let mut best: Option<(f64, Layout)> = None;
        // Shorter ones are for large powers alone.
        let shapes = |lengths: std::ops::Range<i32>| {
            [1.7f64, 2.2, 3.0, 4.5].into_iter().flat_map(move |rho| lengths.clone().map(move |i| (rho, i)))
        };
        for lengths in [0..14, 14..40] {
            for (rho, i) in shapes(lengths) {
                let (a, b) = (0.5 * (rho + 1.0 / rho), 0.5 * (rho - 1.0 / rho));
                let panels = (0.5 * length * b / (0.98 * 0.7f64.powi(i))).ceil().max(1.0);
                let half = 0.5 * length / panels;
                let v = half * b;
                if !(v < 0.99 && panels < MOST_PANELS) || best.as_ref().is_some_and(|best| panels * 4.0 > best.0) {
                    continue;
                }
                let (mut sum, mut active) = (0.0, 0.0);
                for panel in 0..panels as u32 {
                    let centre = start + half * f64::from(2 * panel + 1);
                    let place = |part: u32| centre + half * a * (2.0 * f64::from(part) / f64::from(PARTS) - 1.0);
                    let parts =
                        (0..PARTS).map(|part| self.log_bound((place(part), place(part + 1)), v, c, (most, log_scale)));
                    let [on, around] =
                        parts.fold([f64::NEG_INFINITY; 2], |[x, y], [on, around]| [x.max(on), y.max(around)]);
                    if on + log_length < small {
                        continue;
                    }
                    active += 1.0;
                    sum += (around - log_moment).min(700.0).portable_exp();
                }
                let need = nats + (8.0 * half * sum).max(1e-300).portable_ln() + 1.0;
                let nodes = (0.25 * need / rho.portable_ln()).ceil().max(2.0) * 2.0;
                if !(nodes <= MOST_NODES) {
                    continue;
                }
                // Nodes are so many progressions, and cost the square of their number once.
                let cost = nodes * active + 0.02 * nodes * nodes;
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    let (panels, nodes, bits) = (panels as u32, nodes as u32, (need / LN_2) as u32 + 16);
                    best = Some((cost, Layout { outer, panels, nodes, bits, rho, small: small - log_length }));
                }
            }
            if best.is_some() {
                break;
            }
        }
        best.map(|(_, layout)| layout).ok_or_else(refused)
    }
}
