//! `min(f, f^-1)**` of polylines: the lower hull of both graphs.

use std::cmp::Ordering;

use super::{BITS, Polyline};
use enclosure::{Budget, Enclosure, Quotient};

/// A vertex of one of the two graphs.
struct Vertex {
    alpha: Quotient,
    beta: Quotient,
    about: (Enclosure, Enclosure),
    /// Which graph it is on, and its number there.
    on: (bool, usize),
}

impl Polyline {
    fn vertices(&self, first: bool) -> Option<Vec<Vertex>> {
        let mut all = Vec::new();
        let (mut alpha, mut beta) = (Quotient::zero(), Quotient::one().sub(&self.missing)?);
        let mut add = |alpha: &Quotient, beta: &Quotient| {
            let about = (self.field.enclosure(alpha, BITS), self.field.enclosure(beta, BITS));
            all.push(Vertex { alpha: alpha.clone(), beta: beta.clone(), about, on: (first, all.len()) });
        };
        add(&alpha, &beta);
        for (width, slope) in self.parts() {
            alpha = alpha.add(width)?;
            beta = beta.sub(&width.mul(slope)?)?;
            add(&alpha, &beta);
        }
        Some(all)
    }

    fn order(&self, a: (&Quotient, &Enclosure), b: (&Quotient, &Enclosure)) -> Option<Ordering> {
        match a.1.compare(b.1) {
            Some(order) if order != Ordering::Equal => Some(order),
            _ => self.field.compare(a.0, b.0),
        }
    }

    /// Is b strictly below the chord from a to c?
    fn below(&self, a: &Vertex, b: &Vertex, c: &Vertex) -> Option<bool> {
        let across = |x: &Vertex, y: &Vertex| &y.about.0 - &x.about.0;
        let up = |x: &Vertex, y: &Vertex| &y.about.1 - &x.about.1;
        let turn = &(&up(a, b) * &across(a, c)) - &(&up(a, c) * &across(a, b));
        if let Some(sign) = turn.sign()
            && sign != Ordering::Equal
        {
            return Some(sign == Ordering::Less);
        }
        let across = |x: &Vertex, y: &Vertex| y.alpha.sub(&x.alpha);
        let up = |x: &Vertex, y: &Vertex| y.beta.sub(&x.beta);
        let turn = up(a, b)?.mul(&across(a, c)?)?.sub(&up(a, c)?.mul(&across(a, b)?)?)?;
        Some(self.field.sign(&turn)? == Ordering::Less)
    }

    /// The greatest convex function below `f` and `f^-1`, by Andrew's chain.
    pub(super) fn symmetrized_min(&self, budget: &Budget) -> Option<Self> {
        let inverse = self.inverse()?;
        let mut one = self.vertices(true)?.into_iter().peekable();
        let mut two = inverse.vertices(false)?.into_iter().peekable();
        let mut points = Vec::new();
        loop {
            let order = match (one.peek(), two.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => self.order((&a.alpha, &a.about.0), (&b.alpha, &b.about.0))?,
            };
            let a = if order.is_le() { one.next() } else { None };
            let b = if order.is_ge() { two.next() } else { None };
            match (a, b) {
                (Some(a), Some(b)) => {
                    let lower = self.order((&a.beta, &a.about.1), (&b.beta, &b.about.1))?.is_le();
                    points.push(if lower { a } else { b });
                }
                (a, b) => points.extend(a.or(b)),
            }
        }
        let mut hull: Vec<Vertex> = Vec::new();
        for point in points {
            budget.check().ok()?;
            while let [.., a, b] = hull.as_slice() {
                if self.below(a, b, &point)? {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        }
        let missing = Quotient::one().sub(&hull.first()?.beta)?;
        let mut parts = Vec::new();
        for ends in hull.windows(2) {
            let [a, b] = ends else { continue };
            let own = if a.on.0 { self } else { &inverse };
            let width = b.alpha.sub(&a.alpha)?;
            // A segment of one of both, or a bridge.
            let slope = match own.segments.get(a.on.1) {
                Some(segment) if a.on.0 == b.on.0 && a.on.1 + 1 == b.on.1 => segment.slope.clone(),
                _ => self.field.div(&a.beta.sub(&b.beta)?, &width)?,
            };
            parts.push((width, slope));
        }
        Self::new(&self.field, missing, parts)
    }
}
