//! Atoms by falling loss, in numbers of one width.

use crate::error::Error;
use enclosure::words::Word;
use enclosure::{Budget, Work, work};

/// Less than the work of a sum and its place in the order. Sums that exceed the work left are not begun.
const LEAST_COST: Work = Work::units(40);

/// One atom: its loss in units of `2^-K`, its masses in units of `2^-F`.
#[derive(Clone, Debug)]
pub(in crate::compose) struct Atom<W> {
    pub key: W,
    pub p: W,
    pub q: W,
}

/// All of a list.
#[derive(Clone, Debug)]
pub(super) struct List<W> {
    pub keys: Vec<W>,
    pub p: Vec<W>,
    pub q: Vec<W>,
}

impl<W: Word> List<W> {
    /// Atoms in any order.
    pub fn new(mut atoms: Vec<Atom<W>>) -> Self {
        atoms.sort_unstable_by(|a, b| b.key.cmp(&a.key));
        Self::sorted(atoms)
    }

    /// Atoms by falling key. Those of one key are one: on which side of a threshold they are is seen from the key
    /// alone, and the bound of its error holds of each of them. What has come to no unit of mass at all is left out: it
    /// has been counted with what is missing.
    fn sorted(atoms: impl IntoIterator<Item = Atom<W>>) -> Self {
        let mut list: List<W> = List { keys: Vec::new(), p: Vec::new(), q: Vec::new() };
        for Atom { key, p, q } in atoms {
            if p.is_zero() && q.is_zero() {
                continue;
            }
            match (list.keys.last(), list.p.last_mut(), list.q.last_mut()) {
                (Some(last), Some(sum_p), Some(sum_q)) if *last == key => {
                    *sum_p = sum_p.plus(&p);
                    *sum_q = sum_q.plus(&q);
                }
                _ => {
                    list.keys.push(key);
                    list.p.push(p);
                    list.q.push(q);
                }
            }
        }
        list
    }

    /// How many atoms there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The same with P and Q exchanged: a loss is what minus the loss was, and too small where that was too large.
    pub fn reversed(&self, key_error: &W) -> Self {
        let turned = |list: &[W]| list.iter().rev().cloned().collect();
        let keys = self.keys.iter().rev().map(|key| key.plus(key_error).negative()).collect();
        List { keys, p: turned(&self.q), q: turned(&self.p) }
    }

    /// Every pair of atoms, merged into one order; each product of masses rounded down.
    pub fn compose(&self, other: &Self, fraction: u32, budget: &Budget) -> Result<Self, Error> {
        let size = self.len().saturating_mul(other.len());
        let needed = LEAST_COST.saturating_mul(size as u64);
        if budget.remaining().is_some_and(|left| needed > left) {
            return Err(Error::undecided(format!("there is not enough work left for {size} sums of privacy losses")));
        }
        let mut order: Vec<(W, u32, u32)> = Vec::with_capacity(size);
        for (j, key) in other.keys.iter().enumerate() {
            budget.check()?;
            work::spend(LEAST_COST.saturating_mul(self.len() as u64).count());
            for (i, mine) in self.keys.iter().enumerate() {
                order.push((mine.plus(key), i as u32, j as u32));
            }
        }
        // Runs that are sorted already: the stable sort merges them.
        order.sort_by(|a, b| b.0.cmp(&a.0));
        budget.check()?;
        Ok(Self::sorted(order.into_iter().map(|(key, i, j)| {
            let (i, j) = (i as usize, j as usize);
            Atom { key, p: self.p[i].product(&other.p[j], fraction), q: self.q[i].product(&other.q[j], fraction) }
        })))
    }
}
