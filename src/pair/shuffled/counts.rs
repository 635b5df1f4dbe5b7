//! The masses of shuffled reports, count by count.
//!
//! A count of k = c+1 reports, a of them of the first kind, has with the masses b of `Bin(k, 1/2)` and w of the clones
//! the masses
//!
//! `p = w(c) b(a) (2/k) (A a + B (k-a))`, `q = w(c) b(a) (2/k) (B a + A (k-a))`, `A - B = own - other`,
//!
//! `A = own + h`, `B = other + h`, `h = (rest/2) w(c+1)/w(c)`, as `b_c(a-1) = 2 a b(a)/k`. Reflecting a in k exchanges
//! p and q, so that all `a > k/2`, with the loss `ln(1 + (own - other)(2a-k)/(B a + A (k-a))) > 0`, determine the
//! rest: p at a and q at k-a under P, the other way round under Q. Counts with `2a = k`, and of no report at all,
//! have no loss.
//!
//! **What is left out**: counts with c below the first or above the last number of clones that is looked at have at
//! most the mass `sum w` there (w at the first included, for with `rest > 0` a clone may stand for the own report), and
//! those beyond the last a of a c at most `2 w(c) (A + B)` times the binomial tail there, P and Q together. Both tails
//! are below geometric series. Paper proof: `proofs/paper/shuffling.md`.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rug::{Float, Rational};

use super::{Shares, Shuffled};
use crate::error::Error;
use enclosure::special::ln_binomial;
use enclosure::{Budget, Enclosure};

/// Largest number of counts that are summed.
const MOST: f64 = 2e6;
/// Largest number of counts in a cached list.
const SHORT: f64 = 2e5;

/// Bits that are lost in sums over them.
const GUARD: u32 = 48;

/// A visitor of the masses p and q and the loss of one count.
pub type Each<'a> = dyn FnMut(&Enclosure, &Enclosure, &Enclosure) + 'a;

/// More bits and more depth than are asked of a list: the next question wants a few more.
const SPARE: u32 = 64;

/// Counts in a list.
pub struct Counts {
    /// P-mass, Q-mass and loss of each `a > k/2`.
    pub list: Vec<[Enclosure; 3]>,
    /// The others.
    pub rest: Rest,
    /// To how many bits, and how deep.
    reach: (u32, u32),
}

/// The last list, cached for the next computation. It depends only on the pair, and pairs compare equal without it.
#[derive(Clone, Default)]
pub(super) struct Kept(Arc<Mutex<Option<Arc<Counts>>>>);

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Kept {}

/// Masses that are not summed term by term.
#[derive(Clone, Debug)]
pub struct Rest {
    /// The mass of the loss 0.
    pub zero: Enclosure,
    /// At least the masses of P and Q, together, that were left out.
    pub left: Enclosure,
}

/// One c: its weight and what its masses are made of.
struct Row<'a> {
    clones: u64,
    weight: &'a Enclosure,
    first: Enclosure,
    second: Enclosure,
    apart: &'a Enclosure,
}

impl Shuffled {
    /// Are the counts with a mass above `2^-bits` few enough to be summed?
    pub fn is_countable(&self, bits: u32) -> bool {
        self.number_of_counts(bits) < MOST
    }

    /// Are there few enough counts for a cached list?
    pub fn is_short(&self, bits: u32) -> bool {
        self.number_of_counts(bits) < SHORT
    }

    /// About how many counts have a mass above `2^-bits`.
    fn number_of_counts(&self, bits: u32) -> f64 {
        let shares = self.shares(64);
        let share = shares.clone.enclosure(64).upper().to_f64();
        let reports = self.reports() as f64;
        let deviations = (2.0 * f64::from(bits.saturating_add(GUARD)) * std::f64::consts::LN_2).sqrt();
        let likely = (reports * share).max(1.0);
        let clones = (2.0 * deviations * likely.sqrt()).min(reports);
        let counts = (deviations * likely.sqrt() / 2.0).min(likely + deviations);
        if reports < f64::from(u32::MAX) { clones * counts } else { f64::INFINITY }
    }

    /// A list of all counts but what is as good as nothing, made once for all that are as rough.
    ///
    /// # Errors
    /// Those of [`counts`](Self::counts).
    pub fn listed(&self, bits: u32, small: u32, budget: &Budget) -> Result<Arc<Counts>, Error> {
        let kept = || self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().as_ref().filter(|known| known.reach.0 >= bits && known.reach.1 >= small) {
            return Ok(Arc::clone(known));
        }
        let reach = (bits.saturating_add(SPARE), small.saturating_add(SPARE / 2));
        let mut list = Vec::new();
        let mut each = |p: &Enclosure, q: &Enclosure, loss: &Enclosure| list.push([p.clone(), q.clone(), loss.clone()]);
        let rest = self.counts(reach.0, reach.1, budget, &mut each)?;
        let counts = Arc::new(Counts { list, rest, reach });
        *kept() = Some(Arc::clone(&counts));
        Ok(counts)
    }

    /// All counts but what is as good as nothing: `each` is given p, q and the loss, for each `a > k/2`.
    pub fn counts(&self, bits: u32, small: u32, budget: &Budget, each: &mut Each) -> Result<Rest, Error> {
        let shares = self.shares(bits);
        let Shares { clone, own, other, rest, stays, apart } = &shares;
        let others = self.reports().saturating_sub(1);
        let odds = clone.enclosure(bits) / stays.enclosure(bits);
        let likely = (clone.enclosure(64).lower().to_f64() * self.reports() as f64).max(0.0) as u64;
        let likely = likely.min(others);
        // The logarithms have the bits of n in front of the point.
        let wide = bits.saturating_add(72);
        let count = |n: u64| Enclosure::integer(&n.into(), wide);
        let log = ln_binomial(others, likely, wide)?.enclosure(wide)
            + count(likely) * clone.enclosure(wide).ln()
            + count(others - likely) * stays.enclosure(wide).ln();
        let middle = log.exp().with_bits(bits);
        let least = Float::with_val(64, 1) >> small;
        let (own, other, apart) = (own.enclosure(bits), other.enclosure(bits), apart.enclosure(bits));
        let half_rest = rest.enclosure(bits).shift(-1);
        let mut all = Rest { zero: Enclosure::zero(bits), left: Enclosure::zero(64) };
        for up in [true, false] {
            let (mut c, mut weight) = (likely, middle.clone());
            loop {
                budget.check()?;
                if up || c < likely {
                    let shared = &half_rest * &odds * part(others - c, c + 1, bits);
                    let (first, second) = (&own + &shared, &other + &shared);
                    row(&Row { clones: c, weight: &weight, first, second, apart: &apart }, &least, &mut all, each)?;
                }
                let end = if up { c == others } else { c == 0 };
                let ratio = match (up, end) {
                    (true, false) => &odds * &part(others - c, c + 1, bits),
                    (false, false) => part(c, others - c + 1, bits) / &odds,
                    (_, true) => Enclosure::zero(bits),
                };
                if end {
                    // Nobody is seen: no clone, and the own report of neither kind.
                    if !up {
                        all.zero = &all.zero + &(&weight * &rest.enclosure(bits));
                    }
                    break;
                }
                let beyond = series(&ratio).map(|series| &weight * &series);
                if let Some(beyond) = beyond.filter(|beyond| *beyond.upper() < least) {
                    // P and Q have as much each.
                    all.left = all.left + beyond.shift(1).with_bits(64);
                    break;
                }
                weight = &weight * &ratio;
                c = if up { c + 1 } else { c - 1 };
            }
        }
        Ok(all)
    }
}

/// A ratio of integers.
fn part(numer: u64, denom: u64, bits: u32) -> Enclosure {
    Enclosure::rational(&Rational::from((numer, denom)), bits)
}

/// `1/(1 - ratio)` of a ratio that is certainly below 1.
fn series(ratio: &Enclosure) -> Option<Enclosure> {
    let left = Enclosure::one(ratio.bits()) - ratio;
    (*left.lower() > 0).then(|| left.recip())
}

/// The counts of one c.
fn row(row: &Row, least: &Float, all: &mut Rest, each: &mut Each) -> Result<(), Error> {
    let bits = row.weight.bits();
    let k = row.clones + 1;
    let (mut a, short) = (k / 2, |n: u64| u32::try_from(n).unwrap_or(u32::MAX));
    let wide = bits.saturating_add(72);
    let log = ln_binomial(k, a, wide)?.enclosure(wide) - Enclosure::ln_2(wide) * Enclosure::integer(&k.into(), wide);
    let mut mass = log.exp().with_bits(bits);
    let both = &row.first + &row.second;
    if 2 * a == k {
        all.zero = &all.zero + &(row.weight * &mass * &both);
    }
    let unit = row.weight.shift(1).div_u32(short(k));
    while a < k {
        a += 1;
        mass = mass.mul_u32(short(k + 1 - a)).div_u32(short(a));
        let (up, down) = (short(a), short(k - a));
        let scaled = &unit * &mass;
        let against = row.second.mul_u32(up) + row.first.mul_u32(down);
        let p = &scaled * &(row.first.mul_u32(up) + row.second.mul_u32(down));
        let q = &scaled * &against;
        let loss = (row.apart.mul_u32(short(2 * a - k)) / against).log1p();
        each(&p, &q, &loss);
        // What is beyond a has b(a) times ratio/(1 - ratio) at most.
        let ratio = part(k - a, a + 1, 64);
        let Some(series) = series(&ratio) else { continue };
        let beyond = mass.with_bits(64) * ratio * series;
        if beyond.upper() < least {
            all.left = &all.left + &(row.weight.with_bits(64) * both.with_bits(64).shift(1) * beyond);
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Clones;
    use super::*;

    fn shuffled(n: u64, epsilon: &str) -> Shuffled {
        Shuffled::new(n, epsilon.parse().expect("a constant"), Clones::Response { categories: 2 })
    }

    /// What is cut off shows in the width, however few bits are asked for.
    #[test]
    fn what_is_left_out_is_counted() {
        let pair = shuffled(1000, "2");
        for small in [4, 10, 20] {
            let mut mass = Enclosure::zero(128);
            let budget = Budget::default();
            let rest = pair.counts(128, small, &budget, &mut |p, q, _| mass = &(&mass + p) + q).expect("counts");
            // P has in all p at a and q at k-a, and the counts without a loss.
            let known = mass + rest.zero;
            assert!(*known.upper() < 1, "{small}: {known:?}");
            assert!(*(known + rest.left.with_bits(128)).upper() > 1, "{small}");
        }
    }

    /// What is as rough is served by one list, what is finer is not; and the list is what the sum sees.
    #[test]
    fn lists_are_made_once() {
        let (pair, budget) = (shuffled(100, "1"), Budget::default());
        let first = pair.listed(100, 40, &budget).expect("a list");
        assert!(Arc::ptr_eq(&first, &pair.clone().listed(90, 30, &budget).expect("a list")));
        let finer = pair.listed(200, 90, &budget).expect("a list");
        assert!(!Arc::ptr_eq(&first, &finer) && finer.list.len() > first.list.len());
        assert_eq!(pair, shuffled(100, "1"));
        let mut seen = 0;
        let mut each = |p: &Enclosure, _: &Enclosure, _: &Enclosure| {
            assert!(first.list.get(seen).is_some_and(|[known, ..]| known.overlaps(p)));
            seen += 1;
        };
        pair.counts(100, 40 + SPARE / 2, &budget, &mut each).expect("counts");
        assert_eq!(seen, first.list.len());
    }

    /// Too many counts are not looked at.
    #[test]
    fn there_is_a_limit() {
        assert!(shuffled(10_000, "40/9").is_countable(100));
        assert!(!shuffled(10_000_000, "1").is_countable(100));
    }
}
