//! Panels of a piece on which the one profile and the other law are both analytic.
//!
//! The integrand in the place v of the law B is `phi_A(v_A) A_B(v) e^v/w_B(v)`, both functions polynomials.
//!
//! **What is certified.** Let v be in an ellipse around a panel with the middle m, which is in the domain of B, and s
//! its longer half-axis, so that `|v - m| <= s`. There `A_B` is at most N of its coefficients, and `e^v/w_B` as told by
//! the [domain](super::domain). With `g = r_B e^m/w_B(m) <= 1`
//!
//! `w_B(v)/w_B(m) = 1 + z`, `|z| = g |e^(v-m) - 1| <= eta = g (e^s - 1)`,
//!
//! and as `e^(l_A) w_B` is constant, with `e^(l_A) = q_A + r_A e^(v_A)` and `kappa = q_A/(r_A e^(v_A(m)))`
//!
//! `e^(v_A(v)) = e^(v_A(m)) (1 - kappa z)/(1 + z)`, `|v_A(v) - v_A(m)| <= -ln(1 - kappa eta) - ln(1 - eta)`
//!
//! where `eta < 1` and `kappa eta < 1`. If the disc of this radius around `v_A(m)` is in the domain of A, the
//! polynomial of phi is at most N of its coefficients. Below all knots of A it is `e^(-s/2) - e^(s/2)`, at most
//! `e^(-s_m/2) (1 + eta)^(1/2) + e^(s_m/2) (1 - eta)^(-1/2)`, with `s_m` at the middle. So the rule of n nodes errs by
//! at most `8 M rho^(-2n)/(1 - 1/rho)` times half the length, M the product of the three.
//!
//! Of a piece next to nothing, which may be none at all, so that its places are in no cell, the integral is between 0
//! and its length times the most that phi_A, the density and `e^v/w_B` are; `phi_A(t - x) <= e^(-(t - n_B h_B)/2)`.

use rug::Float;

use super::domain::{Domain, FEW, about};
use super::panels::{is_inside, longest, may_fit};
use super::polynomial::Polynomial;
use crate::error::Error;
use enclosure::{Enclosure, Portable};

/// Nodes of a panel are a multiple of this, so that there are few rules.
const STEP: u32 = 6;
/// Nodes of a panel, at most.
const MOST_NODES: f64 = 66.0;
/// Panels of a piece, at most.
const MOST: usize = 1 << 8;
/// Half-lengths that are tried, each 4/5 of the one before.
const MOST_SHORTER: u32 = 48;
/// A piece is next to nothing if it is shorter than the unit by so many bits more than are wanted.
const SLIVER: u32 = 32;
/// What eta and kappa eta are at most.
const SHARE: f64 = 0.9;

/// Which cells meet, A's none below all its knots; and `e^(l_A)` (or `e^s`) times `w_B(v)`, which is constant.
pub(super) struct Place {
    pub profile: Option<usize>,
    pub law: usize,
    pub scale: Enclosure,
    /// The most that phi of A is.
    pub most: Enclosure,
}

/// A panel and its rule.
pub(super) struct Panel {
    pub middle: Enclosure,
    pub half: Enclosure,
    pub nodes: u32,
    pub error: Enclosure,
}

/// What all panels need.
pub(super) struct Panels {
    /// Of the profile and of the law, to one precision.
    pub domains: [Domain; 2],
    profile: Vec<Enclosure>,
    law: Vec<Enclosure>,
    slope: Enclosure,
    bits: u32,
    doubles: Doubles,
}

/// In doubles, to plan with.
struct Doubles {
    half_axes: [[f64; 2]; 2],
    /// Rate and rest of each.
    rates: [[f64; 2]; 2],
}

impl Panels {
    /// For these polynomials, to so many bits after the point.
    pub fn new(domains: [Domain; 2], profile: &[Polynomial], law: &[Polynomial], bits: u32) -> Self {
        let sizes = |cells: &[Polynomial], domain: &Domain| {
            let size = |cell: &Polynomial| cell.weighted(domain.rho.upper());
            cells.iter().map(size).map(|size| Enclosure::new(size.clone(), size)).collect()
        };
        let doubles = Doubles {
            half_axes: domains.each_ref().map(|domain| [about(&domain.alpha), about(&domain.beta)]),
            rates: domains.each_ref().map(|domain| [about(&domain.rate), about(&domain.rest)]),
        };
        let (profile, law) = (sizes(profile, &domains[0]), sizes(law, &domains[1]));
        let slope = domains[1].slope();
        Panels { domains, profile, law, slope, bits, doubles }
    }

    /// The integral over a piece that is next to nothing, given how far r times the density is from its polynomial;
    /// none if it is longer.
    pub fn sliver(&self, place: &Place, [left, right]: &[Enclosure; 2], off: &Float) -> Option<Enclosure> {
        let width = (right - left).positive_part().with_bits(FEW);
        if *width.upper() > Float::with_val(FEW, Float::i_exp(1, -(self.bits.saturating_add(SLIVER) as i32))) {
            return None;
        }
        let density = self.law[place.law].widen(off);
        let most = &(&width * &place.most) * &(&density * &self.slope);
        Some(Enclosure::new(Float::new(FEW), most.upper().clone()))
    }

    /// Panels between two places of the law.
    ///
    /// # Errors
    /// What says so for too many, or where one is not proven.
    pub fn cover(&self, place: &Place, [left, right]: [Enclosure; 2]) -> Result<Vec<Panel>, Error> {
        let (end, mut at) = (about(&left), about(&right));
        let bits = right.bits();
        let mut panels = Vec::new();
        let mut from = right;
        loop {
            let found = self.found(place, [end, at]);
            let last = found.left - end < 1e-9;
            let to = if last { left.clone() } else { Enclosure::double(found.left, bits) };
            let (middle, half) = ((&to + &from).shift(-1), (&from - &to).shift(-1).positive_part());
            let error = self.error(place, &middle, &half, &found);
            let error = error.ok_or_else(|| Error::undecided("a panel of samples of Laplace noise is too wide"))?;
            panels.push(Panel { middle, half, nodes: found.nodes, error });
            if last {
                return Ok(panels);
            }
            if panels.len() >= MOST {
                return Err(Error::undecided("there are too many panels for samples of Laplace noise"));
            }
            (from, at) = (to, found.left);
        }
    }

    /// What the rule errs by; none if the ellipse is not inside.
    fn error(&self, place: &Place, middle: &Enclosure, half: &Enclosure, found: &Found) -> Option<Enclosure> {
        let [a, b] = &self.domains;
        let one = Enclosure::one(FEW);
        let axis = Enclosure::double(found.axis, FEW);
        let other = (&axis.square() - &one).sqrt();
        let (m, half) = (middle.with_bits(FEW), half.with_bits(FEW));
        let reach = &axis * &half;
        if !is_inside(&m, &reach, &(&other * &half), b) {
            return None;
        }
        let exp = middle.exp();
        let ratio = b.ratio(&exp);
        let g = (&(&b.rate * &exp) / &ratio).with_bits(FEW);
        let eta = &g * &reach.expm1();
        let there = &place.scale / &ratio;
        let size = match place.profile {
            Some(cell) => {
                let inner = &there - &a.rest;
                let kappa = (&a.rest / &inner).with_bits(FEW);
                let at = (&inner / &a.rate).ln().with_bits(FEW);
                let steep = &kappa * &eta;
                if !(*inner.lower() > 0 && *eta.upper() < 1 && *steep.upper() < 1) {
                    return None;
                }
                let radius = -&(&(-&steep).log1p() + &(-&eta).log1p());
                if !is_inside(&at, &radius, &radius, a) {
                    return None;
                }
                self.profile[cell].clone()
            }
            None => {
                if !(*eta.upper() < 1) {
                    return None;
                }
                let root = there.sqrt().with_bits(FEW);
                &(&(&one + &eta).sqrt() / &root) + &(&root / &(&one - &eta).sqrt())
            }
        };
        let falling = (&axis + &other).recip();
        let rest = &falling.pow(2 * u64::from(found.nodes)) / &(&one - &falling);
        let size = &(&size * &self.law[place.law]) * &self.slope;
        Some(&(&size * &rest).shift(3) * &half)
    }

    /// The panel that costs least for its length, from the right end of a range on.
    fn found(&self, place: &Place, [left, at]: [f64; 2]) -> Found {
        let scale = about(&place.scale);
        let size = match place.profile {
            Some(cell) => about(&self.profile[cell]),
            None => 2.0 * scale.recip().max(scale).sqrt(),
        };
        let size = (size * about(&self.law[place.law]) * about(&self.slope)).max(1e-300).portable_log2();
        let mut best: Option<(f64, Found)> = None;
        let mut half = (at - left) / 2.0;
        for _ in 0..MOST_SHORTER {
            let axis = self.doubles.axis(place.profile.is_some(), scale, at - half, half);
            if axis > 1.0 + 1e-6 {
                let bits = 2.0 * (axis + (axis * axis - 1.0).sqrt()).portable_log2();
                let nodes = (f64::from(self.bits) + 12.0 + size + half.max(1e-300).portable_log2()).max(0.0) / bits;
                let cost = (nodes + 4.0) / half.max(1e-300);
                if nodes < MOST_NODES && best.as_ref().is_none_or(|(least, _)| cost < *least) {
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

/// What is found in doubles: the left end, the longer half-axis over the half-length and the number of nodes.
struct Found {
    left: f64,
    axis: f64,
    nodes: u32,
}

impl Doubles {
    /// The longest half-axis, over the half-length, of an ellipse around a panel that is as far inside as it has to be.
    fn axis(&self, between: bool, scale: f64, middle: f64, half: f64) -> f64 {
        let [[rate_a, rest_a], [rate_b, rest_b]] = self.rates;
        let exp = middle.portable_exp();
        let ratio = rest_b + rate_b * exp;
        // Next to 1 differences of doubles are worth little, but a plan that is no good is found out.
        let inner = (scale / ratio - rest_a).max(1e-300);
        let (kappa, at) = (rest_a / inner, (inner / rate_a).portable_ln());
        longest(|axis| {
            let (reach, height) = (axis * half, (axis * axis - 1.0).sqrt() * half);
            let eta = rate_b * exp / ratio * reach.portable_exp_m1();
            let radius = -(-kappa * eta).portable_ln_1p() - (-eta).portable_ln_1p();
            may_fit(self.half_axes[1], middle, reach, height)
                && eta < SHARE
                && (!between || kappa * eta < SHARE && may_fit(self.half_axes[0], at, radius, radius))
        })
    }
}
