//! The corners of a polyline, and those of its profile, as constants.

use rug::Rational;

use enclosure::{Quotient, Real};

use super::Polyline;
use crate::pair::{Corners, List, Listed, TradeOff};

/// The most terms of a coordinate that is written down.
const MOST_TERMS: usize = 256;

impl Polyline {
    /// Its corners; `None` where they are too long to be written down.
    pub fn corners(&self) -> Option<Corners> {
        let real = |value: &Quotient| self.field.real(value, MOST_TERMS);
        let (mut alpha, mut beta) = (Quotient::zero(), Quotient::one().sub(&self.missing)?);
        let mut vertices = vec![(Real::zero(), real(&beta)?)];
        let mut tangents = Vec::new();
        for (at, (width, slope)) in self.parts().enumerate() {
            if !slope.is_zero() {
                // The line through this piece, at alpha = 0, is 1 - delta.
                let delta = Quotient::one().sub(&beta)?.sub(&slope.mul(&alpha)?)?;
                tangents.push((real(slope)?.ln().ok()?, real(&delta)?));
            }
            alpha = alpha.add(width)?;
            beta = beta.sub(&width.mul(slope)?)?;
            // Widths and heights total 1, in whatever form.
            let last = at + 1 == self.segments.len();
            vertices.push(if last { (Real::one(), Real::zero()) } else { (real(&alpha)?, real(&beta)?) });
        }
        tangents.reverse();
        Some(Corners { vertices, tangents })
    }

    /// The pair of its segments, if there are at most `most`.
    pub fn list(&self, most: usize) -> Option<List> {
        if self.segments.len() > most {
            return None;
        }
        let real = |value: &Quotient| self.field.real(value, MOST_TERMS);
        let mut list = List { outcomes: Vec::new(), infinite_p: Real::zero(), infinite_q: real(&self.missing)? };
        for (width, slope) in self.parts() {
            let p = real(width)?;
            if slope.is_zero() {
                list.infinite_p = p;
            } else {
                let loss = real(slope)?.ln().ok()?.neg();
                list.outcomes.push(Listed { loss, p, q: real(&width.mul(slope)?)? });
            }
        }
        // Slopes fall along the polyline: the least loss comes first there.
        list.outcomes.reverse();
        Some(list)
    }
}

impl TradeOff {
    /// The pair of its pieces.
    pub fn list(&self) -> Option<List> {
        let missing = 1 - self.vertices().first()?.1.clone();
        let (mut outcomes, mut infinite_p) = (Vec::new(), Real::zero());
        for pair in self.vertices().windows(2) {
            let [(alpha, beta), (next, lower)] = pair else { continue };
            let (p, q) = (Rational::from(next - alpha), Rational::from(beta - lower));
            if q.is_zero() {
                infinite_p = Real::from(p);
            } else {
                let loss = Real::from(Rational::from(&p / &q)).ln().ok()?;
                outcomes.push(Listed { loss, p: Real::from(p), q: Real::from(q) });
            }
        }
        // Slopes fall along the polyline: the smallest loss comes first there.
        outcomes.reverse();
        Some(List { outcomes, infinite_p, infinite_q: Real::from(missing) })
    }

    /// Its corners.
    pub fn corners(&self) -> Option<Corners> {
        let vertices =
            self.vertices().iter().map(|(alpha, beta)| (Real::from(alpha.clone()), Real::from(beta.clone())));
        let mut tangents = Vec::new();
        for pair in self.vertices().windows(2).rev() {
            let [(alpha, beta), (next, lower)] = pair else { continue };
            let slope = Rational::from(beta - lower) / Rational::from(next - alpha);
            if !slope.is_zero() {
                let height = Rational::from(alpha * &slope) + beta;
                tangents.push((Real::from(slope).ln().ok()?, Real::from(1 - height)));
            }
        }
        Some(Corners { vertices: vertices.collect(), tangents })
    }
}
