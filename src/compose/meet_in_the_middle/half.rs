//! One half: the draws of some laws, as one list of the sums of their losses.

use std::cmp::Reverse;

use rug::Integer;

use super::list::{Atom, List};
use super::sequences;
use crate::error::Error;
use enclosure::Budget;
use enclosure::words::Word;

/// One atom, in numbers of any length.
pub(in crate::compose) type Keyed = Atom<Integer>;

/// So many draws from one law.
#[derive(Clone, Debug)]
pub(in crate::compose) struct Draws {
    /// Its atoms, in any order.
    pub atoms: Vec<Keyed>,
    /// Each key is at most so many units too small.
    pub key_error: Integer,
    /// Each mass is at most so many units too small.
    pub error: u32,
    /// The mass that one draw has beside the atoms, in units, at most, under either distribution.
    pub lacking: Integer,
    pub times: u64,
    pub way: Way,
}

/// How draws come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compose) enum Way {
    /// By repeated squaring of the list.
    Squares,
    /// By multisets, kind after kind: the atoms are those of all draws already.
    Multisets,
    /// By multisets, draw after draw: masses have [`sequences::GUARD`] bits more.
    Sequences,
}

/// What is known of a list, whatever its numbers are.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// Losses are in units of `2^-K`, and each is at most so many of these too small.
    pub key_error: Integer,
    /// The least and the largest key of all that was ever there, with or without a unit of mass.
    pub ends: (Integer, Integer),
    /// What the masses of the list miss together, at most, under either distribution, in units of `2^-F`.
    pub missing: Integer,
    /// Are there outcomes that were never in the list, and may be beyond its ends?
    pub open: bool,
}

/// A list by falling loss.
#[derive(Clone)]
pub(super) struct Half<W> {
    pub list: List<W>,
    pub frame: Frame,
}

impl Draws {
    /// The least and the largest key of one draw.
    fn ends(&self) -> (Integer, Integer) {
        let keys = || self.atoms.iter().map(|atom| &atom.key);
        (keys().min().cloned().unwrap_or_default(), keys().max().cloned().unwrap_or_default())
    }

    /// How often the atoms are drawn.
    fn runs(&self) -> u64 {
        if self.way == Way::Multisets { 1 } else { self.times }
    }

    /// Bits that no sum of keys of all draws exceeds, error included.
    pub fn key_bits(&self) -> u32 {
        let (least, largest) = self.ends();
        let farthest = least.abs().max(largest.abs()) + &self.key_error;
        (farthest * self.runs()).significant_bits()
    }
}

impl Frame {
    /// Of the pairs of this list and another one.
    pub fn beside(&self, other: &Self) -> Self {
        let sum = |a: &Integer, b: &Integer| Integer::from(a + b);
        Frame {
            key_error: sum(&self.key_error, &other.key_error),
            ends: (sum(&self.ends.0, &other.ends.0), sum(&self.ends.1, &other.ends.1)),
            missing: sum(&self.missing, &other.missing),
            open: self.open || other.open,
        }
    }

    /// The same with P and Q exchanged: a loss is what minus the loss was, and too small where that was too large.
    pub fn reversed(&self) -> Self {
        let key = |key: &Integer| -Integer::from(key + &self.key_error);
        let (least, largest) = &self.ends;
        Frame { ends: (key(largest), key(least)), ..self.clone() }
    }
}

impl<W: Word> Half<W> {
    /// Loss zero, for certain.
    fn nothing(fraction: u32) -> Option<Self> {
        let one = W::of(&(Integer::from(1) << fraction))?;
        let atom = Atom { key: W::zero(), p: one.clone(), q: one };
        Some(Half { list: List::new(vec![atom]), frame: Frame::default() })
    }

    /// All draws from all laws.
    ///
    /// # Errors
    /// Those of the budget; [`Error::Undecided`] for numbers that do not fit.
    pub fn new(draws: &[Draws], fraction: u32, budget: &Budget) -> Result<Self, Error> {
        let mut all = Vec::new();
        for draws in draws {
            all.push(Self::of(draws, fraction, budget)?);
        }
        all.sort_by_key(|half| Reverse(half.list.len()));
        let Some(first) = all.pop() else { return Self::nothing(fraction).ok_or_else(too_large) };
        all.into_iter().rev().try_fold(first, |all, one| all.compose(&one, fraction, budget))
    }

    /// All draws from one law.
    fn of(draws: &Draws, fraction: u32, budget: &Budget) -> Result<Self, Error> {
        let Draws { atoms, key_error, error, lacking, times, way } = draws;
        let ends = draws.ends();
        let open = *lacking > 0;
        if *way == Way::Sequences {
            let list = sequences::list(atoms, *times, fraction, budget)?;
            let missing = sequences::missing(atoms.len(), *times) + Integer::from(lacking * times);
            let (key_error, ends) = (Integer::from(key_error * times), (ends.0 * times, ends.1 * times));
            return Ok(Half { list, frame: Frame { key_error, ends, missing, open } });
        }
        let word = |atom: &Keyed| Some(Atom { key: W::of(&atom.key)?, p: W::of(&atom.p)?, q: W::of(&atom.q)? });
        let list = List::new(atoms.iter().map(word).collect::<Option<_>>().ok_or_else(too_large)?);
        let missing = Integer::from(atoms.len()) * *error + lacking;
        let one = Half { list, frame: Frame { key_error: key_error.clone(), ends, missing, open } };
        if *way == Way::Multisets { Ok(one) } else { one.squared(*times, fraction, budget) }
    }

    /// So many runs, by repeated squaring.
    fn squared(self, times: u64, fraction: u32, budget: &Budget) -> Result<Self, Error> {
        let (mut result, mut base, mut times) = (None::<Self>, self, times);
        loop {
            if times % 2 == 1 {
                result = Some(match result {
                    Some(result) => result.compose(&base, fraction, budget)?,
                    None => base.clone(),
                });
            }
            times /= 2;
            if times == 0 {
                return Ok(result.unwrap_or(base));
            }
            base = base.compose(&base, fraction, budget)?;
        }
    }

    /// The composition with one more list.
    ///
    /// What is missing adds up, as masses of one list sum to at most 1: `sum pq - p' q' <= sum (p - p') q + sum p' (q -
    /// q')`; and each product that is rounded misses one unit more.
    fn compose(&self, other: &Self, fraction: u32, budget: &Budget) -> Result<Self, Error> {
        let list = self.list.compose(&other.list, fraction, budget)?;
        let mut frame = self.frame.beside(&other.frame);
        frame.missing += Integer::from(self.list.len()) * other.list.len();
        Ok(Half { list, frame })
    }

    /// The same with P and Q exchanged.
    pub fn reversed(&self) -> Option<Self> {
        let error = W::of(&self.frame.key_error)?;
        Some(Half { list: self.list.reversed(&error), frame: self.frame.reversed() })
    }
}

/// That a number does not fit where it was to be put.
pub(super) fn too_large() -> Error {
    Error::undecided("a privacy loss exceeds the range of the arithmetic")
}
