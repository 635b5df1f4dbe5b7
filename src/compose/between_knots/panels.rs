//! Panels on which the rule of Gauss and Legendre integrates the kernel, each with an ellipse in which it is analytic.
//!
//! A panel of half-length s has an ellipse around it of half-axes `a s` and `b s`, `b^2 = a^2 - 1`, whose parameter is
//! `a + b`. It lies in the [domain's](super::domain), so that a polynomial is bounded there, and does not reach the
//! root of B, which is real and to the right of the panel: of y in it, `Re e^y` is at most e to its rightmost place.
//!
//! In `((m + a s x)/alpha)^2 + (b s)^2 (1 - x^2)/beta^2`, `-1 <= x <= 1`, which says how far out a place of the ellipse
//! around m is, the largest value is at an end, or where the derivative is 0 if it is concave.

use super::domain::{Domain, End, FEW, about};
use super::operator::Plan;
use crate::error::Error;
use enclosure::{Enclosure, Portable};

/// Panels of one node, at most.
const MOST: usize = 1 << 8;
/// Nodes of a panel are a multiple of this, so that there are few rules.
const STEP: u32 = 12;
/// Nodes of a panel, at most.
const MOST_NODES: u32 = 72;
/// Half-lengths that are tried, each 4/5 of the one before.
const MOST_SHORTER: u32 = 64;
/// Of the way to the root of B, the ellipse takes so much.
const SHARE: f64 = 0.85;

/// A panel: its middle and its half-length, the half-axes over that, and how many nodes it has.
pub(super) struct Panel {
    pub middle: Enclosure,
    pub half: Enclosure,
    axes: [Enclosure; 2],
    pub nodes: u32,
}

/// What is found in doubles: the left end, the longer half-axis and the number of nodes.
struct Found {
    left: f64,
    axis: f64,
    nodes: u32,
}

impl Panel {
    /// Panels between two places; the root of B is so far beyond the right one.
    ///
    /// # Errors
    /// What says so if there are too many.
    pub fn cover(domain: &Domain, [left, right]: &[Enclosure; 2], gap: f64, plan: &Plan) -> Result<Vec<Self>, Error> {
        let (end, mut at) = (about(left), about(right));
        let mut panels = Vec::new();
        let mut from = right.clone();
        let bits = right.bits();
        // What is next to nothing is no panel of its own.
        while at - end >= 1e-9 || panels.is_empty() {
            let found = Found::new(domain, [end, at], gap + about(right) - at, plan);
            let last = found.left - end < 1e-9;
            let to = if last { left.clone() } else { Enclosure::double(found.left, bits) };
            let axis = Enclosure::double(found.axis, FEW);
            let other = (&axis.square() - &Enclosure::one(FEW)).sqrt();
            panels.push(Panel {
                middle: (&to + &from).shift(-1),
                half: (&from - &to).shift(-1),
                axes: [axis, other],
                nodes: found.nodes,
            });
            if last {
                break;
            }
            if panels.len() >= MOST {
                return Err(Error::undecided("there are too many panels for a sample of Laplace noise"));
            }
            (from, at) = (to, found.left);
        }
        Ok(panels)
    }

    /// The parameter of its ellipse.
    fn parameter(&self) -> Enclosure {
        &self.axes[0] + &self.axes[1]
    }

    /// `4 sum_(k >= 2n) 2 rho^-k`, over the panel, times the most that the kernel is in its ellipse; none if the
    /// ellipse is not in the domain's, or reaches the root of B. For `e^v` and what of the kernel depends on it.
    pub fn error(&self, domain: &Domain, end: End, exp: &Enclosure, front: &Enclosure) -> Option<Enclosure> {
        let (middle, half) = (self.middle.with_bits(FEW), self.half.with_bits(FEW));
        let reach = &self.axes[0] * &half;
        let inside = is_inside(&middle, &reach, &(&self.axes[1] * &half), domain);
        let most = (&middle + &reach).exp();
        let least = domain.bracket(end, &exp.with_bits(FEW), &most);
        if !inside || !(*least.lower() > 0) {
            return None;
        }
        let largest = &(&front.with_bits(FEW) * &domain.slope()) / &(&least * &least.sqrt());
        let falling = self.parameter().recip();
        let rest = &falling.pow(2 * u64::from(self.nodes)) / &(&Enclosure::one(FEW) - &falling);
        Some(&(&largest * &rest).shift(3) * &half)
    }
}

/// Is this ellipse around a place inside that of the domain?
pub(super) fn is_inside(middle: &Enclosure, reach: &Enclosure, height: &Enclosure, domain: &Domain) -> bool {
    let one = Enclosure::one(FEW);
    let out = |x: &Enclosure| (&(middle + x) / &domain.alpha).square();
    let (across, along) = ((height / &domain.beta).square(), (reach / &domain.alpha).square());
    let ends = [out(reach), out(&-reach)];
    let mut all = ends.iter().all(|end| end.upper() <= one.lower());
    // across - (across - along) x^2 + 2 m reach x/alpha^2 + m^2/alpha^2
    let bend = &across - &along;
    let slope = &(middle * reach) / &domain.alpha.square();
    let linear = slope.abs().lower() >= bend.upper();
    if !linear {
        let top = &(&across + &(middle / &domain.alpha).square()) + &(&slope.square() / &bend);
        all = all && *bend.lower() > 0 && top.upper() <= one.lower();
    }
    all
}

impl Found {
    /// The panel that costs least for its length, from the right end of a range on.
    fn new(domain: &Domain, [left, at]: [f64; 2], gap: f64, plan: &Plan) -> Self {
        let whole = (at - left) / 2.0;
        let mut best: Option<(f64, Found)> = None;
        let mut half = whole;
        for _ in 0..MOST_SHORTER {
            let axis = axis(domain, at - half, half, gap);
            if axis > 1.0 + 1e-6 {
                let bits = 2.0 * (axis + (axis * axis - 1.0).sqrt()).portable_log2();
                // The kernel is as large as the root is near.
                let near = 1.5 * (-(gap * (1.0 - SHARE)).portable_ln()).max(0.0) * std::f64::consts::LOG2_E;
                let nodes = (plan.wanted + near) / bits;
                let cost = (nodes + 4.0) / half;
                if nodes < f64::from(MOST_NODES) && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let nodes = (nodes as u32 / STEP + 1) * STEP;
                    best = Some((cost, Found { left: at - 2.0 * half, axis, nodes }));
                }
            }
            half *= 0.8;
        }
        // Without any the proof will fail.
        best.map_or(Found { left, axis: 2.0, nodes: STEP }, |(_, found)| found)
    }
}

/// The longest half-axis, over the half-length, of an ellipse around a panel that is as far inside as it has to be.
fn axis(domain: &Domain, middle: f64, half: f64, gap: f64) -> f64 {
    let half_axes = [about(&domain.alpha), about(&domain.beta)];
    longest(|axis| {
        let (reach, height) = (axis * half, (axis * axis - 1.0).sqrt() * half);
        reach - half < SHARE * gap && may_fit(half_axes, middle, reach, height)
    })
}

/// The longest half-axis that fits, up to 64.
pub(super) fn longest(fits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (1.0, 64.0);
    for _ in 0..30 {
        let between = 0.5 * (low + high);
        if fits(between) { low = between } else { high = between }
    }
    low
}

/// As [`is_inside`], in doubles, to plan with.
pub(super) fn may_fit([alpha, beta]: [f64; 2], middle: f64, reach: f64, height: f64) -> bool {
    let (across, along) = ((height / beta).powi(2), (reach / alpha).powi(2));
    let ends = (middle.abs() + reach) / alpha;
    let slope = middle.abs() * reach / (alpha * alpha);
    let bend = across - along;
    let top = if slope >= bend { ends * ends } else { across + (middle / alpha).powi(2) + slope * slope / bend };
    ends < 1.0 - 1e-9 && top < 1.0 - 1e-9
}
