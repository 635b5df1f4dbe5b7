//! Laws of discrete losses, listed but for a bounded mass, as all sums of their losses in two sorted halves.

use std::sync::Arc;

use rug::float::Round::Up;
use rug::{Float, Integer};

use super::laws::{Laws, List};
use crate::compose::choose::Refusal;
use crate::compose::enumeration::{Kind, Part, Shape, drawn, planned};
use crate::compose::meet_in_the_middle::{Draws, MeetInTheMiddle, asked, fixed_or_refuse};
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::Product;
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Note, Number, Real};

/// Sums of losses in one half.
const MOST_LOSSES: u64 = 1 << 21;
/// How much too small a key may be, in units.
const KEY_ERROR: u32 = 2;
/// What is not listed of one draw has less than two to the minus so many units.
const DEPTH: u32 = 16;
/// Bits of losses and masses beyond those that are kept of them.
const GUARD: u32 = 64;
/// The precision at which it is found out how many sums there are.
const PILOT: u32 = 64;

/// Listed laws, by all sums of their losses.
pub struct Halves {
    laws: Laws,
    symmetric: bool,
    listed: Cache<(Masses, bool, u32), MeetInTheMiddle>,
}

/// Which masses of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Masses {
    /// Those under P and Q.
    Both,
    /// In the place of either, `sqrt(p q)`: independent losses multiply these as well.
    Roots,
}

/// One law in fixed point.
struct Listed {
    kinds: Vec<Kind>,
    times: u64,
    /// What one draw lacks, in units of a mass, under either distribution.
    missing: Integer,
}

impl Halves {
    /// The curve of this product, failures left aside: of discrete losses alone.
    ///
    /// # Errors
    /// [`Refusal::OtherKind`] for other products; what says so for more sums than are taken on.
    pub(super) fn of(product: &Product, budget: &Budget) -> Result<Self, Refusal> {
        let laws = Laws::of(product, budget)?;
        let halves = Halves { laws, symmetric: product.symmetric(), listed: Cache::new(6) };
        halves.planned(&halves.draws(Masses::Both, PILOT, PILOT, budget)?, PILOT, budget)?;
        Ok(halves)
    }

    fn backward(&self, direction: Direction) -> bool {
        !self.symmetric && direction == Direction::Backward
    }

    /// Bits that as many draws as there are may cost.
    fn spare(&self) -> u32 {
        2 * (64 - self.laws.runs().leading_zeros())
    }

    /// All laws, losses in units of `2^-key_fraction` and masses to be rounded to units of `2^-fraction`.
    ///
    /// Where `m` and `m'` are missing of p and q, at most `sqrt(m) + sqrt(m')` is of the roots: with `p' <= p` and
    /// `q' <= q` listed, `sqrt(p q) - sqrt(p' q') <= sqrt((p - p') q) + sqrt(p' (q - q'))`, and sums of such roots are
    /// at most the roots of the products of both sums (Cauchy and Schwarz).
    fn draws(&self, masses: Masses, fraction: u32, key_fraction: u32, budget: &Budget) -> Result<Vec<Listed>, Error> {
        let mut bits = key_fraction.saturating_add(GUARD);
        let mut depth = fraction.saturating_add(DEPTH).saturating_add(self.spare());
        // Losses have the same bits in both kinds of lists: an outcome that is in both has one key.
        let wide = bits.saturating_mul(2);
        if masses == Masses::Roots {
            (bits, depth) = (wide, depth.saturating_mul(2));
        }
        let mut all = Vec::new();
        for List { atoms, times, missing: [under_p, under_q] } in self.laws.lists(wide, depth, budget)? {
            let mut kinds = Vec::with_capacity(atoms.len());
            for atom in atoms {
                let key = fixed_or_refuse(&atom.loss, key_fraction)?;
                let (p, q) = (atom.p.with_bits(bits), atom.q.with_bits(bits));
                kinds.push(match masses {
                    Masses::Both => Kind { key, p, q },
                    Masses::Roots => {
                        let root = (&p * &q).positive_part().sqrt();
                        Kind { key, p: root.clone(), q: root }
                    }
                });
            }
            let most = match masses {
                Masses::Both => under_p.max(&under_q),
                Masses::Roots => &under_p.positive_part().sqrt() + &under_q.positive_part().sqrt(),
            };
            let most = most.into_bounds().1;
            let units = Float::with_val_round(64, &most << fraction, Up).0;
            let missing = units.to_integer_round(Up).map(|(units, _)| units);
            let missing = missing.ok_or_else(|| Error::undecided("the outcomes that are not listed have no bound"))?;
            all.push(Listed { kinds, times, missing });
        }
        Ok(all)
    }

    /// Which draws go to which half, if all of it is affordable.
    fn planned(&self, draws: &[Listed], fraction: u32, budget: &Budget) -> Result<[Part; 2], Error> {
        let shapes: Vec<Shape> = draws.iter().map(|draws| Shape::without_units(draws.kinds.len())).collect();
        let times: Vec<u64> = draws.iter().map(|draws| draws.times).collect();
        planned(&shapes, &times, MOST_LOSSES, fraction, budget)
    }

    /// Both halves, with so many bits after the point.
    pub(super) fn listed(&self, backward: bool, fraction: u32, budget: &Budget) -> Result<Arc<MeetInTheMiddle>, Error> {
        self.listed_masses(Masses::Both, backward, fraction, budget)
    }

    /// The same with these masses.
    pub(super) fn listed_masses(
        &self,
        masses: Masses,
        backward: bool,
        fraction: u32,
        budget: &Budget,
    ) -> Result<Arc<MeetInTheMiddle>, Error> {
        let listed = self.listed.get((masses, backward, fraction), || {
            let wide = fraction.saturating_add(32);
            // What one distribution alone has is no product of both.
            let beside = match masses {
                Masses::Both => self.laws.infinite(backward).both(wide, 0).0.enclosure(wide),
                Masses::Roots => Enclosure::zero(wide),
            };
            if backward {
                return self.listed_masses(masses, false, fraction, budget)?.reversed(beside);
            }
            self.list(masses, fraction, beside, budget)
        })?;
        listed.explain(budget);
        Ok(listed)
    }

    pub(super) fn list(
        &self,
        masses: Masses,
        fraction: u32,
        infinite: Enclosure,
        budget: &Budget,
    ) -> Result<MeetInTheMiddle, Error> {
        // So many more bits for the losses that all their errors together are one unit of a mass.
        let key_fraction = fraction.saturating_add(self.spare()).saturating_add(KEY_ERROR);
        let draws = self.draws(masses, fraction, key_fraction, budget)?;
        let half = |part: &Part| -> Result<Vec<Draws>, Error> {
            let chosen = draws.iter().zip(&part.times).filter(|(_, times)| **times > 0);
            let all = chosen.zip(&part.ways).map(|((draws, times), way)| {
                drawn(&draws.kinds, (*times, *way), &draws.missing, &KEY_ERROR.into(), fraction, budget)
            });
            all.collect()
        };
        let [first, second] = self.planned(&draws, fraction, budget)?;
        let halves = [half(&first)?, half(&second)?];
        MeetInTheMiddle::new(&halves, infinite, (fraction, key_fraction), budget)
    }
}

impl Curve for Halves {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// See [`Edges`](crate::compose::Edges) for what is not asked, here and below.
    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        asked::profile(&|fraction| self.listed(self.backward(direction), fraction, budget), epsilon, bits, budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        let listed = |fraction| self.listed(self.backward(direction), fraction, budget);
        let value = asked::inverse(&listed, delta, bits, budget)?;
        match value.enclosure(bits).is_bounded() {
            true => Ok(Value::Finite(value)),
            false => Err(Error::undecided("found no epsilon at which the privacy profile is below the target")),
        }
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        asked::type_ii(&|fraction| self.listed(self.backward(direction), fraction, budget), alpha, bits, budget)
    }

    fn method(&self) -> &'static str {
        "enumeration of listed losses"
    }

    fn statement(&self) -> &'static Statement {
        &statement::LISTED
    }

    fn explain(&self) -> Vec<Note> {
        vec![Note::new("listed loss distributions", self.laws.count())]
    }
}
