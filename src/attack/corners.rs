//! The fit of a polyline by its vertices.
//!
//! With finitely many privacy losses the trade-off function is piecewise linear. A Gaussian's trade-off function is
//! convex, so it is below if and only if it is below at the vertices. The smallest mu is the largest
//! `mu_k = z(alpha_k) + z(beta_k)`, with z the upper normal quantile, over the vertices strictly between (0, 1) and (1,
//! 0). It is finite because there is no mass at infinity. A Gaussian's function is strictly convex, so it touches a
//! segment only at an end: the two functions touch at the vertices where `mu_k` is largest, and nowhere else strictly
//! between 0 and 1. (`proofs/paper/attack.md`)
//!
//! Vertices are sums of widths and heights of segments from either end, all positive: exact where they are fractions,
//! else enclosed. Those whose `mu_k` is certainly below another one are left out, first with few bits.

use rug::Rational;

use super::envelope::{Corner, Tangents};
use super::fit::Touch;
use crate::error::Error;
use crate::pair::{Pair, Polyline};
use enclosure::{Budget, Enclosure, Number, bits_of_digits};

/// Bits of the first look at all vertices.
const ROUGH_BITS: u32 = 160;

/// The most bits that are tried.
const MOST_BITS: u32 = 1 << 14;

/// The most vertices.
const MOST: usize = 1 << 12;

/// The part of the time that polylines over exponentials get.
const SHARE: (u32, u32) = (1, 8);

/// A polyline with its numbers.
enum Line {
    Fractions(Vec<(Rational, Rational)>),
    Exponentials(Polyline),
}

impl Line {
    fn of(pair: &Pair, budget: &Budget) -> Result<Option<Self>, Error> {
        if let Some(f) = pair.trade_off()? {
            let vertices = f.vertices();
            let inner = vertices.get(1..vertices.len().saturating_sub(1)).unwrap_or_default();
            return Ok((!inner.is_empty() && inner.len() <= MOST).then(|| Line::Fractions(inner.to_vec())));
        }
        let share = budget.share(SHARE, None);
        Ok(Polyline::of_pairs([pair], &share).map(|[f]| Line::Exponentials(f)))
    }

    /// The vertices strictly between the ends.
    fn corners(&self, bits: u32) -> Vec<Corner> {
        match self {
            Line::Fractions(vertices) => {
                let rest = |x: &Rational| Number::Exact(Rational::from(1 - x));
                let corner = |(alpha, beta): &(Rational, Rational)| Corner {
                    alpha: alpha.clone().into(),
                    beta: beta.clone().into(),
                    rest: (rest(alpha), rest(beta)),
                };
                vertices.iter().map(corner).collect()
            }
            Line::Exponentials(f) => {
                let (widths, heights): (Vec<Enclosure>, Vec<Enclosure>) = f.steps(bits).into_iter().unzip();
                let (left, right) = (sums(widths.iter(), bits), sums(widths.iter().rev(), bits));
                let (fallen, rest) = (sums(heights.iter(), bits), sums(heights.iter().rev(), bits));
                let count = widths.len();
                let number = |list: &[Enclosure], k: usize| Number::Enclosed(list[k].clone());
                // After k + 1 segments from the left, and before the last count - k - 1.
                let corner = |k: usize| Corner {
                    alpha: number(&left, k),
                    beta: number(&rest, count - 2 - k),
                    rest: (number(&right, count - 2 - k), number(&fallen, k)),
                };
                (0..count.saturating_sub(1)).map(corner).collect()
            }
        }
    }
}

/// Sums of the first one, two, ... of them.
fn sums<'a>(terms: impl Iterator<Item = &'a Enclosure>, bits: u32) -> Vec<Enclosure> {
    let next = |sum: &mut Enclosure, term: &Enclosure| {
        *sum = &*sum + term;
        Some(sum.clone())
    };
    terms.scan(Enclosure::zero(bits), next).collect()
}

/// The fit to this number of digits, and where it touches; `None` if the trade-off function is not piecewise linear
/// with few vertices.
pub(super) fn fit(pair: &Pair, tangents: &Tangents, digits: u32) -> Result<Option<(Number, Touch)>, Error> {
    let Some(line) = Line::of(pair, tangents.budget)? else { return Ok(None) };
    let with = |bits: u32| Tangents { profile: tangents.profile, bits, budget: tangents.budget };
    let mut open: Option<Vec<usize>> = None;
    let mut bits = ROUGH_BITS;
    while bits <= MOST_BITS {
        tangents.budget.check()?;
        let corners = line.corners(bits);
        let tangents = with(bits);
        let mut found = Vec::new();
        for k in open.clone().unwrap_or_else(|| (0..corners.len()).collect()) {
            let Some(corner) = corners.get(k) else { return Err(Error::internal("a vertex that is none")) };
            found.push((k, tangents.mu_at(corner)?));
        }
        let known = found.iter().filter_map(|(_, mu)| mu.clone());
        let best = known.reduce(|a, b| a.max(&b));
        if let Some(best) = best {
            // One that is not told from an edge of the square is looked at again.
            let may = |mu: &Option<Enclosure>| mu.as_ref().is_none_or(|mu| mu.upper() >= best.lower());
            found.retain(|(_, mu)| may(mu));
            let told = found.iter().all(|(_, mu)| mu.is_some());
            let near = i64::from(bits_of_digits(digits) + 8);
            let alphas: Vec<Number> =
                found.iter().filter_map(|(k, _)| corners.get(*k)).map(|corner| corner.alpha.clone()).collect();
            let sharp = |alpha: &Number| alpha.enclosure(bits).relative_bits().is_none_or(|bits| bits >= near);
            if told && best.relative_bits().is_some_and(|bits| bits >= near) && alphas.iter().all(sharp) {
                let all = alphas.len() == 1 || (alphas.len() == 2 && pair.symmetric());
                return Ok(Some((Number::Enclosed(best), Touch::At { alphas, all })));
            }
            open = Some(found.into_iter().map(|(k, _)| k).collect());
        }
        bits =
            if bits == ROUGH_BITS { (bits_of_digits(digits) + 96).max(2 * ROUGH_BITS) } else { bits.saturating_mul(2) };
    }
    Ok(None)
}
