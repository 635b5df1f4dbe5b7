//! Where a Gaussian can touch a trade-off function of which the polygon of tangents is known.
//!
//! It touches along the sides next to a corner that is not below what is proven from below, `mu_0`, and beyond the
//! outermost corners unless what is there is below. Of such a side a part is left out: where f and `G_mu` touch f is at
//! least the line of the side, and `G_mu` is at most `G_(mu_0)`, so `h = line - G_(mu_0)` is not positive there; and h
//! is concave, so that it is positive between two points where it is. One is the corner at the other end of the side,
//! if that is below what is proven, or the end of the line in (0, 1) or (1, 0), where h is zero; the other one, as near
//! to the open corner as it can be told, is found by halving.

use rug::{Float, Rational};

use super::envelope::{Corner, Node, Tangents};
use super::search::{Piece, Polygon};
use crate::error::Error;
use enclosure::{Number, bits_of_digits};

/// The intervals of alphas outside of which they do not touch, in order. `beyond` says whether they may touch beyond
/// the flattest and beyond the steepest tangent, `lower` is what is proven of mu from below.
pub(super) fn within(
    tangents: &Tangents,
    Polygon { nodes, pieces }: &Polygon,
    beyond: [bool; 2],
    lower: &Float,
    digits: u32,
) -> Result<Vec<(Float, Float)>, Error> {
    let bits = tangents.bits;
    let open = |piece: &Piece| piece.mu.upper() >= lower;
    let from = |piece: &Piece| piece.corner.alpha.enclosure(bits).lower().clone();
    let to = |piece: &Piece| piece.corner.alpha.enclosure(bits).upper().clone();
    let (zero, one) = (Float::new(bits), Float::with_val(bits, 1));
    let mut found: Vec<(Float, Float)> = Vec::new();
    let mut add = |left: Float, right: Float| match found.last_mut() {
        // Pieces come from the right: the last one found is joined if they share a point.
        Some((low, _)) if right >= *low => *low = left,
        _ => found.push((left, right)),
    };
    if let Some(first) = pieces.first().filter(|_| beyond[0]) {
        add(from(first), one.clone());
    }
    for (i, piece) in pieces.iter().enumerate().filter(|(_, piece)| open(piece)) {
        // The flatter side is to the right, the steeper one to the left.
        let (Some(flat), Some(steep)) = (nodes.get(i), nodes.get(i + 1)) else {
            return Err(Error::internal("a corner that is not between tangents"));
        };
        // To the next corner, if that is closed, or to the end of a line through (0, 1) or (1, 0), which has no mu.
        let side = |node: &Node, here: Float, next: Option<&Piece>, end: Float| match next {
            Some(next) if open(next) => Ok(end),
            None if node.mu.is_some() => Ok(end),
            _ => Side { tangents, node, lower, digits }.closed(here, end),
        };
        let (before, after) = (i.checked_sub(1).and_then(|i| pieces.get(i)), pieces.get(i + 1));
        let left = side(steep, from(piece), after, after.map_or(zero.clone(), from))?;
        let right = side(flat, to(piece), before, before.map_or(one.clone(), to))?;
        add(left, right);
    }
    if let Some(last) = pieces.last().filter(|_| beyond[1]) {
        add(zero, to(last));
    }
    found.reverse();
    Ok(found)
}

/// A side of the polygon.
struct Side<'a> {
    tangents: &'a Tangents<'a>,
    node: &'a Node,
    lower: &'a Float,
    digits: u32,
}

impl Side<'_> {
    /// A point near an open corner from which on the line is above `G_(mu_0)`, up to a closed end.
    fn closed(&self, open: Float, closed: Float) -> Result<Float, Error> {
        let bits = self.tangents.bits;
        let (mut open, mut closed) = (open, closed);
        for _ in 0..2 * bits_of_digits(self.digits) {
            let middle = Float::with_val(bits, &open + &closed) / 2u32;
            if self.is_above(&middle)? {
                closed = middle
            } else {
                open = middle
            }
            // As near as the digits that are shown of it.
            let width = Float::with_val(64, &open - &closed).abs();
            if width <= Float::with_val(64, &closed >> bits_of_digits(self.digits)) {
                break;
            }
        }
        Ok(closed)
    }

    /// Is the line certainly above `G_(mu_0)` here?
    fn is_above(&self, alpha: &Float) -> Result<bool, Error> {
        let Some(alpha) = alpha.to_rational() else { return Ok(false) };
        let (Node { slope, forward, .. }, one) = (self.node, Number::one());
        let rest = &Number::Exact(Rational::from(1 - &alpha));
        let alpha = Number::Exact(alpha);
        let fallen = forward + &(slope * &alpha);
        let corner = Corner { beta: &one - &fallen, rest: (rest.clone(), fallen), alpha };
        Ok(self.tangents.mu_at(&corner)?.is_some_and(|mu| mu.upper() < self.lower))
    }
}

#[cfg(test)]
mod tests {
    use crate::attack::{Fit, Touch, fit};
    use enclosure::Budget;
    use enclosure::Portable;

    fn sets(mechanism: &str, digits: u32) -> Vec<(f64, f64)> {
        let composition = mechanism.parse().expect("a mechanism");
        match fit(&composition, digits, 2, &Budget::default()) {
            Ok(Fit::Least { touch: Touch::Within(sets), .. }) => {
                sets.iter().map(|(low, high)| (low.to_f64(), high.to_f64())).collect()
            }
            other => panic!("{mechanism}: {other:?}"),
        }
    }

    /// At a kink the alpha is told as well as mu is: of `max(f, f^-1)` it is the fixed point.
    #[test]
    fn kinks_are_told_to_many_digits() {
        let [(low, high)] = sets("symmetrize(poisson(rate=1/10, gaussian(sigma=1)))", 6)[..] else { panic!("one") };
        // 1 - Phi(t) = 9/10 Phi(t) + 1/10 Phi(t - 1).
        let fixed = 0.482_602_162_527_572;
        assert!(low <= fixed && fixed <= high && high - low < 1e-6, "{low} {high}");
    }

    /// Of Laplace noise it is the fixed point `e^(-1/2)/2`, where it is smooth: about half of the digits of mu.
    #[test]
    fn smooth_places_are_told_to_half_the_digits() {
        let fixed = 0.5 * (-0.5f64).portable_exp();
        for (digits, width) in [(4, 1e-2), (8, 1e-4)] {
            let [(low, high)] = sets("laplace(scale=1)", digits)[..] else { panic!("one") };
            assert!(low <= fixed && fixed <= high && high - low < width, "{digits}: {low} {high}");
        }
    }
}
