//! How far a trade-off function is above a Gaussian's, on their profiles.
//!
//! Let `H(x)` be the largest `1 - f(alpha) - x alpha`, and `H_mu` the same for the Gaussian. The gap is the supremum of
//! `D = H_mu - H` over all `x > 0`. At any alpha `f = 1 - x alpha - H(x)` for some x (or nearly), while
//! `G_mu >= 1 - x alpha - H_mu(x)`, so `f - G_mu <= D(x)`. Conversely `H_mu(x) = 1 - G_mu - x alpha` at some alpha, and
//! `H(x) >= 1 - f - x alpha` there.
//!
//! Both profiles are convex in x. Between two nodes H is above the line L through the two nodes on the left and above
//! the line R through the two on the right. `H_mu - L` is convex, and so largest at an end, up to any point m, and so
//! is `H_mu - R` from m on. So the larger of D at both nodes and of both differences at m bounds D. To the left of all
//! nodes `H >= 1 - x`, and `H_mu(x) - (1 - x)` does not decrease; to the right `D <= H_mu`, which does not increase. At
//! `x = 0` both are 1, which serves as a node. The interval with the largest bound is divided until the largest D at a
//! node is as large. Paper proof: `proofs/paper/attack.md`.

use rug::{Float, Rational};

use super::{Known, reason};
use crate::compose::Engines;
use crate::compose::gaussian::Gaussian;
use crate::curve::{Curve, Direction};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Portable, Real, refine};

/// The most nodes.
const MOST_NODES: usize = 4000;

/// Where a difference is known to no less than this part of what is open, more nodes add next to nothing.
const NEARLY: (u32, u32) = (8, 9);
const TOO_WIDE: &str = "the gap is proven to no more digits than mu and the profiles";

/// Nodes to begin with, less one, over two standard deviations of the loss on either side of both means.
const FIRST: u32 = 8;

/// A node: x, the profile, and bounds of the profile of the Gaussian.
#[derive(Clone)]
struct Node {
    /// `x = e^e`; none at `x = 0`.
    e: Option<Rational>,
    x: Enclosure,
    own: Enclosure,
    gaussian: Enclosure,
}

impl Node {
    fn difference(&self) -> Enclosure {
        &self.gaussian - &self.own
    }
}

/// The gap between its bounds, as far as it comes.
pub(super) fn divided(
    engines: &Engines,
    mu: &Enclosure,
    (digits, bits): (u32, u32),
    budget: &Budget,
) -> Known<Enclosure> {
    let profiles = Profiles { engines, ends: [gaussian(mu.lower())?, gaussian(mu.upper())?], digits, bits, budget };
    let deviation = mu.upper().to_f64();
    let reach = deviation * (deviation / 2.0 + 2.0);
    let (Some(reach), Some(step)) = (Rational::from_f64(reach), Rational::from_f64(deviation)) else {
        return Err(Error::undecided("the search left the range of doubles"));
    };
    let one = Enclosure::one(bits);
    let mut nodes = vec![Node { e: None, x: Enclosure::zero(bits), own: one.clone(), gaussian: one }];
    for k in 0..=FIRST {
        nodes.push(profiles.node(&reach * (Rational::from((2 * k, FIRST)) - 1))?);
    }
    let mut bounds = Vec::new();
    for i in 0..nodes.len() {
        bounds.push(profiles.bound(&nodes, i)?);
    }
    let mut lower = Float::new(bits);
    for node in &nodes {
        raise(&mut lower, node);
    }
    loop {
        let worst = bounds.iter().enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((worst, upper)) = worst.map(|(at, bound)| (at, bound.clone())) else {
            return Err(Error::internal("a curve without nodes"));
        };
        let set = Enclosure::new(lower.clone(), if upper > lower { upper.clone() } else { lower.clone() });
        if set.relative_bits().is_some_and(|proven| proven >= i64::from(digits) * 10 / 3 + 2) {
            return Ok((set, None));
        }
        if nodes.len() >= MOST_NODES {
            return Ok((
                set,
                Some(format!("the search for the gap stops after {MOST_NODES} values of epsilon").into()),
            ));
        }
        let ends = (nodes[worst].e.as_ref(), nodes.get(worst + 1).and_then(|node| node.e.as_ref()));
        let e = match ends {
            (None, Some(first)) => Rational::from(first - &step),
            (Some(last), None) => Rational::from(last + &step),
            (Some(a), Some(b)) => Rational::from(a + b) / 2u32,
            (None, None) => return Err(Error::internal("a curve without nodes")),
        };
        let (new, around) = match reason(profiles.node(e))? {
            Ok(new) => {
                let width = |set: &Enclosure| Float::with_val(64, set.upper() - set.lower());
                if width(&new.difference()) * NEARLY.1 >= width(&set) * NEARLY.0 {
                    return Ok((set, Some(TOO_WIDE.into())));
                }
                nodes.insert(worst + 1, new);
                // What bounds the whole bounds both of its parts.
                bounds.insert(worst + 1, upper);
                (&nodes[worst + 1], worst.saturating_sub(1)..nodes.len().min(worst + 3))
            }
            Err(reason) => return Ok((set, Some(reason))),
        };
        raise(&mut lower, new);
        for i in around {
            match reason(profiles.bound(&nodes, i))? {
                // A slope between two nodes that are close together says less than what was known.
                Ok(bound) if bound < bounds[i] => bounds[i] = bound,
                Ok(_) => {}
                Err(reason) => return Ok((set, Some(reason))),
            }
        }
    }
}

/// The difference at a node is at least this.
fn raise(lower: &mut Float, node: &Node) {
    let here = node.difference();
    if here.lower() > lower {
        lower.clone_from(here.lower());
    }
}

/// The Gaussian of one end of mu; none at 0.
fn gaussian(mu: &Float) -> Result<Option<Gaussian>, Error> {
    match mu.to_rational().filter(|mu| *mu > 0) {
        Some(mu) => Gaussian::new(Real::from(mu).square()).map(Some),
        None => Ok(None),
    }
}

/// How both profiles are computed.
struct Profiles<'a> {
    engines: &'a Engines,
    /// Those of the ends of mu.
    ends: [Option<Gaussian>; 2],
    digits: u32,
    bits: u32,
    budget: &'a Budget,
}

impl Profiles<'_> {
    fn node(&self, e: Rational) -> Result<Node, Error> {
        self.budget.check()?;
        let (at, side) = absolute(&e);
        let known = self.engines.ask(self.budget, |curve, budget| {
            refine(self.digits + 8, budget, |bits| curve.delta(&at, side, bits, budget))
        })?;
        let x = Enclosure::rational(&e, self.bits).exp();
        let own = self.turned(&e, &x, known.enclosure(self.bits));
        let [low, high] = &self.ends;
        let gaussian = self.gaussian(low.as_ref(), &e, &x)?.hull(&self.gaussian(high.as_ref(), &e, &x)?);
        Ok(Node { e: Some(e), x, own, gaussian })
    }

    /// The profile of a Gaussian; of none it is `1 - x`, or 0.
    fn gaussian(&self, of: Option<&Gaussian>, e: &Rational, x: &Enclosure) -> Result<Enclosure, Error> {
        let known = match of {
            Some(of) => of.delta(&absolute(e).0, Direction::Forward, self.bits, self.budget)?.enclosure(self.bits),
            None => Enclosure::zero(self.bits),
        };
        Ok(self.turned(e, x, known))
    }

    /// The value at x from that at `e^|e|`, which is of the other direction where e is negative: `H_x(Q,P) = 1 - x + x
    /// H_(1/x)(P,Q)`.
    fn turned(&self, e: &Rational, x: &Enclosure, known: Enclosure) -> Enclosure {
        if *e >= 0 { known } else { Enclosure::one(self.bits) - x + x * &known }
    }

    /// An upper bound of D between the node i and the next one.
    fn bound(&self, nodes: &[Node], i: usize) -> Result<Float, Error> {
        let (a, Some(b)) = (&nodes[i], nodes.get(i + 1)) else { return Ok(nodes[i].gaussian.upper().clone()) };
        let (Some(low), Some(high)) = (&a.e, &b.e) else {
            return Ok((&b.gaussian - &(&Enclosure::one(self.bits) - &b.x)).upper().clone());
        };
        let slope = |one: &Node, other: &Node| &(&other.own - &one.own) / &(&other.x - &one.x);
        let left = slope(&nodes[i - 1], a);
        let right = nodes.get(i + 2).map_or_else(|| Enclosure::zero(self.bits), |after| slope(b, after));
        // About where both lines meet; any point between will do.
        let width = &b.x - &a.x;
        let middle = |set: &Enclosure| Float::with_val(64, set.lower() + set.upper()) / 2u32;
        let meet = middle(&(&(&b.own - &a.own) - &(&right * &width))) / middle(&(&left - &right));
        let meet = (meet / middle(&a.x)).to_f64().portable_ln_1p();
        let e = Rational::from_f64(meet).map(|meet| low + meet).filter(|e| e > low && e < high);
        let e = e.unwrap_or_else(|| Rational::from(low + high) / 2u32);
        let x = Enclosure::rational(&e, self.bits).exp();
        let [_, most] = &self.ends;
        let gaussian = self.gaussian(most.as_ref(), &e, &x)?;
        let by_left = &gaussian - &(&a.own + &(&left * &(&x - &a.x)));
        let by_right = &gaussian - &(&b.own - &(&right * &(&b.x - &x)));
        let most = a.difference().max(&b.difference()).max(&by_left).max(&by_right);
        Ok(most.into_bounds().1)
    }
}

/// The epsilon and the direction in which the profile at `e^e` is asked for: backward is `H_x(Q,P)`.
fn absolute(e: &Rational) -> (Real, Direction) {
    let side = if *e >= 0 { Direction::Backward } else { Direction::Forward };
    (Real::from(e.clone().abs()), side)
}
