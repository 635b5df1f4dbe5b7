//! `e^(i k a)` along the nodes, in integers.
//!
//! With `k = first + 1024 b + 32 h + l` a rotation is the product of three: that of the block, that of h, that of l.
//! Each is the centre of a disc, cut off. The code checks that the radius is at most `2^-121`, two units of `2^-122`.
//! With less than one unit for each part, each rotation is off by less than `2 + sqrt 2` units, at most
//! [`EACH`] `= 2^-120`.

use rug::Float;

use super::super::vertical_contour::Turns;
use super::{CUT, DISC_BITS, of_disc};
use enclosure::Complex;
use enclosure::wide::{Point, Split};

/// Nodes whose rotations are kept, and how many of these make a block.
pub(super) const LOW: usize = 32;
const HIGH: usize = 32;
/// Nodes beyond are left to discs.
const MOST_NODES: u64 = 1 << 56;

/// What each of the three is off by.
pub(super) const EACH: f64 = CUT;

/// The rotations of an angle from node to node.
pub struct Rotations {
    turns: Turns,
    low: Vec<Split>,
    high: Vec<Split>,
}

/// `e^(i k a)`, off by at most [`EACH`].
fn rotation(turns: &Turns, k: u64) -> Option<Point> {
    let disc = Complex::cis(&turns.angle(k, DISC_BITS), DISC_BITS);
    (disc.radius() <= Float::with_val(64, EACH / 2.0)).then(|| of_disc(&disc)).flatten().map(|(point, _)| point)
}

impl Rotations {
    /// What a product of the three is off by: three times [`EACH`], two cuts, and products of errors.
    pub const ERROR: f64 = 6.0 * CUT;

    /// `None` if the angle is not known.
    pub fn new(turns: &Turns) -> Option<Self> {
        let all = |step: usize| -> Option<Vec<Split>> {
            (0..LOW).map(|k| Some(rotation(turns, (k * step) as u64)?.split())).collect()
        };
        Some(Rotations { turns: turns.clone(), low: all(1)?, high: all(LOW)? })
    }

    /// For stretches of at most 32 nodes from `first` on: the place of the first node, the rotation of the block
    /// times that of the stretch, and the rotations from there. `None` if an angle is not known.
    pub fn stretches(&self, first: u64, count: usize, with: &mut dyn FnMut(usize, Point, &[Split])) -> Option<()> {
        let mut place = 0;
        while place < count {
            let node = first.checked_add(place as u64)?;
            if node + (LOW * HIGH) as u64 > MOST_NODES {
                return None;
            }
            let start = rotation(&self.turns, node)?.split();
            for high in &self.high {
                if place == count {
                    break;
                }
                let length = LOW.min(count - place);
                with(place, start.times(high), self.low.get(..length)?);
                place += length;
            }
        }
        Some(())
    }
}
