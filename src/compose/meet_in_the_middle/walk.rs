//! One walk along two lists sums over all pairs of their atoms.

use std::sync::Arc;

use rug::Integer;

use super::half::{Draws, Frame, Half, too_large};
use crate::error::Error;
use enclosure::words::{Limbs, Word};
use enclosure::{Budget, work};

/// Two lists, whose pairs of atoms are the outcomes.
pub(super) trait Walk: Send + Sync {
    /// The masses under P and Q, in squares of units, of the outcomes whose keys add up to more than this.
    fn above(&self, key: &Integer, budget: &Budget) -> Result<[Integer; 2], Error>;
    /// How many atoms there are in both lists.
    fn lens(&self) -> [usize; 2];
    /// What is known of both lists.
    fn frames(&self) -> [Frame; 2];
    /// The same with P and Q exchanged.
    fn reversed(&self) -> Result<Arc<dyn Walk>, Error>;
}

/// Bits of a number beyond those of masses, so that sums of products of them fit: see [`Word::add_product`].
const SPARE: u32 = 34;

/// Two halves, in the narrowest numbers that hold them.
///
/// Both sums of masses are at most 1, that is `2^F` units, in [sequences](super::sequences) `2^GUARD` times as many;
/// and no sum of keys has more bits than both halves together, one of which is for the sum and one for its sign.
///
/// # Errors
/// Those of the budget; [`Error::Undecided`] for numbers beyond the arithmetic.
pub(super) fn pairs(halves: &[Vec<Draws>; 2], fraction: u32, budget: &Budget) -> Result<Arc<dyn Walk>, Error> {
    let draws = || halves.iter().flatten();
    let sum = draws().map(|draws| Integer::from(1) << draws.key_bits()).sum::<Integer>();
    let masses = fraction.saturating_add(super::sequences::GUARD).saturating_add(2);
    let bits = sum.significant_bits().saturating_add(2).max(masses).max(fraction.saturating_add(SPARE));
    if bits <= Limbs::<3>::BITS {
        made::<Limbs<3>>(halves, fraction, budget)
    } else if bits <= Limbs::<5>::BITS {
        made::<Limbs<5>>(halves, fraction, budget)
    } else if bits <= Limbs::<8>::BITS {
        made::<Limbs<8>>(halves, fraction, budget)
    } else {
        made::<Integer>(halves, fraction, budget)
    }
}

fn made<W: Word + 'static>(
    [first, second]: &[Vec<Draws>; 2],
    fraction: u32,
    budget: &Budget,
) -> Result<Arc<dyn Walk>, Error> {
    let half = |draws: &[Draws]| Half::<W>::new(draws, fraction, budget);
    Ok(Arc::new(Pairs::new(half(first)?, half(second)?)))
}

/// The lists, and the sums along the second.
struct Pairs<W> {
    first: Half<W>,
    second: Half<W>,
    /// `p[i]`, `q[i]`: the mass of the first i atoms of `second`.
    p_sums: Vec<W>,
    q_sums: Vec<W>,
}

impl<W: Word> Pairs<W> {
    fn new(first: Half<W>, second: Half<W>) -> Self {
        let sums = |masses: &[W]| {
            let mut total = W::zero();
            let mut sums = vec![total.clone()];
            for mass in masses {
                total = total.plus(mass);
                sums.push(total.clone());
            }
            sums
        };
        let (p_sums, q_sums) = (sums(&second.list.p), sums(&second.list.q));
        Pairs { first, second, p_sums, q_sums }
    }
}

impl<W: Word + 'static> Walk for Pairs<W> {
    fn above(&self, key: &Integer, budget: &Budget) -> Result<[Integer; 2], Error> {
        let (mut p, mut q) = (W::Sum::default(), W::Sum::default());
        // All sums of keys fit with a bit to spare: what does not is beyond them, on one side or on the other.
        let fits = if key.significant_bits() < W::BITS { W::of(key) } else { None };
        if fits.is_none() && *key > 0 {
            return Ok([W::total(&p), W::total(&q)]);
        }
        let (first, second) = (&self.first.list, &self.second.list.keys);
        let mut count = if fits.is_none() { second.len() } else { 0 };
        work::spend_products(2 * first.keys.len(), W::BITS.min(1024));
        // From the bottom of `first` up, whose keys rise then, so that ever more of `second` are above.
        for (i, mine) in first.keys.iter().enumerate().rev() {
            if i % 0x4000 == 0 {
                budget.check()?;
            }
            if let Some(key) = &fits {
                let least = key.minus(mine);
                while second.get(count).is_some_and(|other| *other > least) {
                    count += 1;
                }
            }
            W::add_product(&mut p, &first.p[i], &self.p_sums[count]);
            W::add_product(&mut q, &first.q[i], &self.q_sums[count]);
        }
        Ok([W::total(&p), W::total(&q)])
    }

    fn lens(&self) -> [usize; 2] {
        [self.first.list.len(), self.second.list.len()]
    }

    fn frames(&self) -> [Frame; 2] {
        [self.first.frame.clone(), self.second.frame.clone()]
    }

    fn reversed(&self) -> Result<Arc<dyn Walk>, Error> {
        let half = |half: &Half<W>| half.reversed().ok_or_else(too_large);
        Ok(Arc::new(Pairs::new(half(&self.first)?, half(&self.second)?)))
    }
}
