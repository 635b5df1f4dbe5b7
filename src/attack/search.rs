//! The search for the least mu on the polygon of tangents below a trade-off function: branch and bound over slopes.
//!
//! The largest mu of a tangent is a lower bound, and the largest mu of a vertex is an upper bound, at any time. The
//! interval with the largest vertex is divided until both are close, or no more tangents can be computed. Then the
//! bounds are reported before the reason.
//!
//! A trade-off function that is its own inverse has a polygon that is its own mirror image, and half of it is enough.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::envelope::{Corner, Node, Tangents, upper_tail};
use super::fit::Touch;
use super::touching;
use crate::error::Error;
use enclosure::special::tail_quantile;
use enclosure::{Enclosure, Number, Real, Reason, bits_of_digits};

/// Nodes to begin with between the ends.
const FIRST: u32 = 8;

/// The most nodes.
const MOST_NODES: usize = 2000;

/// The most steps outward, each of one standard deviation.
const MOST_STEPS: usize = 400;

/// What lies beyond the outermost tangents.
pub(super) enum Beyond {
    /// Nothing: losses are bounded.
    Nothing,
    /// The trade-off function is above that of a Gaussian, of at most this mu, beside losses from the least to the
    /// largest.
    Gaussian { mu: Enclosure, least: Real, largest: Real },
}

/// The function that receives the bounds if the search stops early.
pub(super) type Told<'a> = &'a dyn Fn(Enclosure) -> Result<(), Error>;

/// The search.
pub(super) struct Search<'a> {
    pub tangents: &'a Tangents<'a>,
    pub digits: u32,
    pub beyond: &'a Beyond,
    /// The least and the largest of the losses that are bounded.
    pub ends: (Real, Real),
    /// Is the trade-off function its own inverse? Then half of the polygon says all: the other one is its mirror image.
    pub symmetric: bool,
    pub told: Told<'a>,
}

/// A part of the polygon between two nodes, and the mu of its corner; the first and the last are cut by the tails.
pub(super) struct Piece {
    pub corner: Corner,
    pub mu: Enclosure,
}

/// The polygon: its tangents from the flattest on, and the corners between them.
pub(super) struct Polygon {
    pub nodes: Vec<Node>,
    pub pieces: Vec<Piece>,
}

impl Polygon {
    /// All of it, from the part from the tangent of slope -1 on.
    fn unfolded(self, tangents: &Tangents) -> Self {
        let Polygon { nodes, pieces } = self;
        let flat = nodes.iter().skip(1).rev().map(|node| tangents.mirrored(node));
        let before =
            pieces.iter().rev().map(|Piece { corner, mu }| Piece { corner: corner.mirrored(), mu: mu.clone() });
        let (flat, before): (Vec<_>, Vec<_>) = (flat.collect(), before.collect());
        Polygon { nodes: flat.into_iter().chain(nodes).collect(), pieces: before.into_iter().chain(pieces).collect() }
    }
}

/// What no mu is above beyond the flattest and beyond the steepest tangent, where that is not below the fit.
type Outside = [Option<Float>; 2];

impl Search<'_> {
    pub fn run(&self) -> Result<(Number, Touch), Error> {
        let t = self.tangents;
        let (nodes, deviation) = self.first()?;
        let mut pieces: Vec<Piece> = Vec::new();
        for pair in nodes.windows(2) {
            if let [flat, steep] = pair {
                pieces.push(self.piece(flat, steep)?);
            }
        }
        let mut polygon = Polygon { nodes, pieces };
        let outside = self.tails(&mut polygon, deviation)?;
        let tails = outside.iter().flatten().cloned().reduce(|a, b| if b > a { b } else { a });
        let (set, given_up) = self.narrowed(&mut polygon, tails.as_ref())?;
        let upper = tails.filter(|tails| tails > set.upper()).unwrap_or_else(|| set.upper().clone());
        let lower = set.lower().clone();
        let set = Enclosure::new(lower.clone(), upper);
        if let Some(reason) = given_up {
            (self.told)(set)?;
            return Err(Error::Undecided(reason));
        }
        if self.symmetric {
            polygon = polygon.unfolded(t);
        }
        let beyond = outside.each_ref().map(Option::is_some);
        let touch = touching::within(t, &polygon, beyond, &lower, self.digits)?;
        Ok((Number::Enclosed(set), Touch::Within(touch)))
    }

    /// Tangents to begin with, from the middle on to either side as far as they are to be had, and a standard
    /// deviation of the losses without bound.
    fn first(&self) -> Result<(Vec<Node>, f64), Error> {
        let t = self.tangents;
        // Losses ln(dQ/dP), which are slopes.
        let (low, high) = (self.ends.1.neg(), self.ends.0.neg());
        let deviation = match self.beyond {
            Beyond::Nothing => 0.0,
            Beyond::Gaussian { mu, .. } => mu.upper().to_f64(),
        };
        let pure = matches!(self.beyond, Beyond::Nothing);
        let reach = deviation * deviation / 2.0 + 2.0 * deviation;
        let (from, to) = (low.to_f64() - reach, high.to_f64() + reach);
        let places: Vec<f64> = (1..FIRST).map(|i| from + (to - from) * f64::from(i) / f64::from(FIRST)).collect();
        let mut reason = None;
        let mut some = |places: &mut dyn Iterator<Item = f64>| -> Result<Vec<Node>, Error> {
            let mut nodes = Vec::new();
            for place in places {
                match t.node(&rational(place)?, None) {
                    Ok(node) => nodes.push(node),
                    // Without a bound of the tails nothing follows from fewer.
                    Err(Error::Undecided(why)) if pure => {
                        reason = Some(why);
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(nodes)
        };
        let mut nodes = Vec::new();
        if self.symmetric {
            let above = to / f64::from(2 * FIRST);
            nodes.extend(some(&mut std::iter::once(0.0).chain(places.into_iter().filter(|place| *place > above)))?);
        } else {
            let (flat, steep): (Vec<f64>, Vec<f64>) = places.into_iter().partition(|place| *place < 0.0);
            let steep = some(&mut steep.into_iter())?;
            nodes = some(&mut flat.into_iter().rev())?;
            nodes.reverse();
            nodes.extend(steep);
        }
        if let (true, Some(reason)) = (nodes.is_empty(), reason) {
            return Err(Error::Undecided(reason));
        }
        if pure {
            if !self.symmetric {
                nodes.insert(0, t.end(&low, false));
            }
            nodes.push(t.end(&high, true));
        }
        Ok((nodes, deviation))
    }

    /// The fit between the outermost tangents, by more of them, until it has its digits or what is known of the tails
    /// is no better than it; or as far as there are tangents, and why there are no more.
    fn narrowed(
        &self,
        Polygon { nodes, pieces }: &mut Polygon,
        tails: Option<&Float>,
    ) -> Result<(Enclosure, Option<Reason>), Error> {
        let t = self.tangents;
        loop {
            let lower = Self::lower(nodes)?;
            let upper = pieces
                .iter()
                .map(|piece| piece.mu.upper())
                .fold(lower.clone(), |a, b| if *b > a { b.clone() } else { a });
            let set = Enclosure::new(lower.clone(), upper);
            let enough = set.relative_bits().is_some_and(|proven| proven >= i64::from(bits_of_digits(self.digits)));
            if enough || tails.is_some_and(|tails| set.upper() <= tails) {
                return Ok((set, None));
            }
            if nodes.len() > MOST_NODES {
                let why = format!("{MOST_NODES} tangents of the trade-off function do not prove the requested digits");
                return Ok((set, Some(why.into())));
            }
            let worst = pieces.iter().enumerate().reduce(|a, b| if b.1.mu.upper() > a.1.mu.upper() { b } else { a });
            let Some((worst, _)) = worst else { return Err(Error::internal("a polygon without corners")) };
            let (Some(flat), Some(steep)) = (nodes.get(worst), nodes.get(worst + 1)) else {
                return Err(Error::internal("a corner that is not between tangents"));
            };
            let (low, high) = (middle(&flat.at), middle(&steep.at));
            let half = (low + high) / 2u32;
            let place = match self.tangent_at(&pieces[worst]) {
                Some(best) if Self::is_new(nodes, &best, self.digits) => best,
                _ => half,
            };
            let Some(i) = nodes.windows(2).position(|pair| match pair {
                [flat, steep] => middle(&flat.at) < place && place < middle(&steep.at),
                _ => false,
            }) else {
                return Err(Error::internal("a slope between no two nodes"));
            };
            let divided = t.node(&place, Some(&lower)).and_then(|node| {
                let (before, after) = (self.piece(&nodes[i], &node)?, self.piece(&node, &nodes[i + 1])?);
                Ok((node, before, after))
            });
            let (node, before, after) = match divided {
                Ok(divided) => divided,
                Err(Error::Undecided(reason)) => return Ok((set, Some(reason))),
                Err(error) => return Err(error),
            };
            nodes.insert(i + 1, node);
            pieces.splice(i..=i, [before, after]);
        }
    }

    /// The slope, as an e, of the Gaussian through a corner: if the trade-off function has that corner, no other
    /// tangent proves as much from below.
    fn tangent_at(&self, piece: &Piece) -> Option<Rational> {
        let z = self.tangents.quantile(&piece.corner.alpha).ok().flatten()?;
        let mu = &piece.mu;
        (mu * &z - mu.square().shift(-1)).lower().to_rational()
    }

    /// Is it between the nodes, and not next to one of them?
    fn is_new(nodes: &[Node], place: &Rational, digits: u32) -> bool {
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { return false };
        let (first, last) = (middle(&first.at), middle(&last.at));
        let least = Rational::from(&last - &first) >> (bits_of_digits(digits) / 2 + 8);
        let apart = |node: &Node| (place - middle(&node.at)).abs() > least;
        *place > first && *place < last && nodes.iter().all(apart)
    }

    /// The greatest mu that is proven from below.
    fn lower(nodes: &[Node]) -> Result<Float, Error> {
        let all = nodes.iter().filter_map(|node| node.mu.as_ref()).map(Enclosure::lower);
        let largest = all.reduce(|a, b| if b > a { b } else { a });
        largest.cloned().ok_or_else(|| Error::internal("no node has a mu"))
    }

    fn piece(&self, flat: &Node, steep: &Node) -> Result<Piece, Error> {
        let corner = self.tangents.corner(flat, steep);
        match self.tangents.mu_at(&corner)? {
            Some(mu) => Ok(Piece { corner, mu }),
            None => Err(Error::undecided(
                "cannot separate a vertex of the tangent polygon from the boundary of the unit \
                                      square",
            )),
        }
    }

    /// Nodes outward until both tails are below what is proven, or as far as it goes.
    fn tails(&self, Polygon { nodes, pieces }: &mut Polygon, deviation: f64) -> Result<Outside, Error> {
        let Beyond::Gaussian { mu, least, largest } = self.beyond else { return Ok([None, None]) };
        let t = self.tangents;
        let step = rational(deviation.max(0.01))?;
        let mut outside = [None, None];
        for (steep, outside) in [false, true].into_iter().zip(&mut outside) {
            if self.symmetric && !steep {
                continue;
            }
            let k = if steep { least.neg() } else { largest.clone() };
            for steps in 0.. {
                let lower = Self::lower(nodes)?;
                let node = if steep { nodes.last() } else { nodes.first() };
                let Some(node) = node else { return Err(Error::internal("a polygon without tangents")) };
                // Beside nothing that is bounded it is the same everywhere.
                let same = k.is_zero();
                let bound = match same {
                    true => Some(mu.upper().clone()),
                    false => self.tail_of_gaussian(node, steep, &lower, (mu, &k))?,
                };
                match bound {
                    Some(bound) if bound < lower => break,
                    Some(bound) if same || steps > MOST_STEPS => {
                        *outside = Some(bound);
                        break;
                    }
                    None if steps > MOST_STEPS => {
                        return Err(Error::undecided(
                            "the known bounds on the trade-off function near 0 and 1 do not determine the fit",
                        ));
                    }
                    _ => {}
                }
                let at = middle(&node.at);
                let new = t.node(&if steep { at + &step } else { at - &step }, Some(&lower))?;
                if steep {
                    pieces.push(self.piece(node, &new)?);
                    nodes.push(new);
                } else {
                    pieces.insert(0, self.piece(&new, node)?);
                    nodes.insert(0, new);
                }
            }
        }
        if self.symmetric {
            outside[0] = outside[1].clone();
        }
        Ok(outside)
    }

    /// What mu is at most beyond the last corner, where a Gaussian of `mu_0` is beside losses of at most K: beyond a
    /// cut alpha `a` the trade-off function is above `G_{mu_0}(e^K alpha)`, so mu is at most
    /// `mu_0 + z(a) - z(e^K a)`, which falls with a; up to the cut the last tangent is the polygon, whose value there
    /// is a corner. The cut is where a Gaussian's tangent of this slope would touch.
    fn tail_of_gaussian(
        &self,
        node: &Node,
        steep: bool,
        lower: &Float,
        (mu_0, k): (&Enclosure, &Real),
    ) -> Result<Option<Float>, Error> {
        let t = self.tangents;
        let mu = lower.to_f64();
        let e = node.at.to_f64();
        // The likelihood ratio e^e of a Gaussian stands at this z.
        let z = if steep { e / mu + mu / 2.0 } else { mu / 2.0 - e / mu };
        if !(z > 0.0 && z < 36.0) {
            return Ok(None);
        }
        let cut = Number::Exact(rational(upper_tail(z))?);
        let one = Number::one();
        // Along the last tangent, up to the cut.
        let beside = if steep {
            &(&one - &node.forward) - &(&node.slope * &cut)
        } else {
            &(&one - &node.backward) - &(&cut / &node.slope)
        };
        let rest = (&one - &cut, &one - &beside);
        let Some(there) = t.mu_at(&Corner { alpha: cut.clone(), beta: beside, rest })? else { return Ok(None) };
        // Beyond the cut.
        let wide = &cut * &k.exp_number(t.bits);
        if wide.compare(&Number::Exact(Rational::from((1, 2)))) != Some(Ordering::Less) {
            return Ok(None);
        }
        let near = tail_quantile(&cut, t.bits, t.budget)?.enclosure(t.bits);
        let Some(far) = t.quantile(&wide)? else { return Ok(None) };
        let beyond = mu_0 + &near - far;
        Ok(Some(there.max(&beyond).upper().clone()))
    }
}

/// A double as the rational it is.
fn rational(value: f64) -> Result<Rational, Error> {
    Rational::from_f64(value).ok_or_else(|| Error::undecided("the search left the range of doubles"))
}

/// A node's place, or a rational near it at an end.
fn middle(at: &Real) -> Rational {
    match at.as_rational() {
        Some(at) => at.clone(),
        None => Rational::from_f64(at.to_f64()).unwrap_or_default(),
    }
}
