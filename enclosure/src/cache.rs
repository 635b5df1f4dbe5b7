//! Cache of intermediate results.
//!
//! A cached value must depend on its key alone. Then it depends neither on earlier queries nor on the order of threads.
//! A query that finds values of an earlier one has more work left, so it may prove more digits.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;
use crate::work::{self, Kept};

/// A small cache by key that evicts the oldest values.
#[derive(Debug)]
pub struct Cache<K, V> {
    most: usize,
    kept: Kept,
    values: Mutex<Vec<Known<K, V>>>,
}

/// A key, its value, and the work that the value took.
type Known<K, V> = (K, Arc<V>, u64);

impl<K: PartialEq, V> Cache<K, V> {
    /// An empty cache of at most `most` values, each of which serves many points.
    pub fn new(most: usize) -> Self {
        Cache { most, kept: Kept::ForAll, values: Mutex::new(Vec::new()) }
    }

    /// An empty cache of at most `most` values, each of which serves few points.
    pub fn by_point(most: usize) -> Self {
        Cache { kept: Kept::ForOne, ..Cache::new(most) }
    }

    /// The value of this key; it is computed if it is not cached.
    ///
    /// No lock is held while computing. Two threads may compute the same value, but no thread waits for another, which
    /// could deadlock in a work-stealing thread pool.
    ///
    /// # Errors
    /// Those of `compute`; errors are not cached.
    pub fn get(&self, key: K, compute: impl FnOnce() -> Result<V, Error>) -> Result<Arc<V>, Error> {
        let find = |values: &[Known<K, V>]| {
            values.iter().find(|(k, ..)| *k == key).map(|(_, value, units)| (Arc::clone(value), *units))
        };
        let known = find(&self.values.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some((value, units)) = known {
            work::recall(self.kept, units);
            return Ok(value);
        }
        let (value, units) = work::learn(self.kept, compute);
        let value = Arc::new(value?);
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((first, _)) = find(&values) {
            return Ok(first);
        }
        if values.len() >= self.most.max(1) {
            values.remove(0);
        }
        values.push((key, Arc::clone(&value), units));
        Ok(value)
    }

    /// Evict the oldest values until the total weight is at most `most`.
    pub fn shed(&self, most: u64, weigh: impl Fn(&V) -> u64) {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room = most;
        let kept = values.iter().rev().take_while(|(_, value, _)| {
            let fits = room.checked_sub(weigh(value));
            room = fits.unwrap_or(0);
            fits.is_some()
        });
        let forgotten = values.len() - kept.count();
        values.drain(..forgotten);
    }
}

/// A copy begins empty: it may be of something else soon.
impl<K: PartialEq, V> Clone for Cache<K, V> {
    fn clone(&self) -> Self {
        Cache { kept: self.kept, ..Cache::new(self.most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Work;

    #[test]
    fn computed_once_while_there_is_room() {
        let cache = Cache::new(2);
        let mut computed = Vec::new();
        for key in [1, 2, 1, 2, 3, 2, 1] {
            let value = cache.get(key, || {
                computed.push(key);
                Ok(10 * key)
            });
            assert_eq!(value.map(|value| *value), Ok(10 * key));
        }
        assert_eq!(computed, [1, 2, 3, 1]);
    }

    /// One after the other, only the first use of a value counts. In parallel every use does, so that it does not
    /// matter which is the first.
    #[test]
    fn work_is_counted_whoever_computes() {
        let value = || {
            work::spend(800);
            Ok(1)
        };
        let used = |cache: &Cache<i32, i32>| work::counted(|| cache.get(1, value)).1;
        for (new, each) in [(Cache::new as fn(usize) -> Cache<i32, i32>, 400), (Cache::by_point, 800)] {
            let cache = new(2);
            assert_eq!([used(&cache), used(&cache)], [800, 0]);
            for cache in [cache, new(2)] {
                let all = crate::Budget::default().map(0..2, |_, budget| {
                    let before = budget.spent();
                    Ok((used(&cache), budget.spent() - before))
                });
                assert_eq!(all, Ok(vec![(each, Work::units(each)); 2]));
            }
        }
    }

    /// The newest stay, as many as weigh no more than there is room for.
    #[test]
    fn the_oldest_are_forgotten_first() {
        let cache = Cache::new(10);
        for key in [5_u64, 4, 3, 2] {
            assert!(cache.get(key, || Ok(key)).is_ok());
        }
        let kept = |most: u64| {
            cache.shed(most, |value| *value);
            [5_u64, 4, 3, 2].map(|key| cache.values.lock().is_ok_and(|values| values.iter().any(|(k, ..)| *k == key)))
        };
        assert_eq!(kept(14), [true; 4]);
        assert_eq!(kept(13), [false, true, true, true]);
        assert_eq!(kept(8), [false, false, true, true]);
        assert_eq!(kept(0), [false; 4]);
    }

    #[test]
    fn failures_are_not_kept() {
        let cache = Cache::new(2);
        assert!(cache.get(1, || Err::<i32, _>(Error::Undecided("no time".into()))).is_err());
        assert_eq!(cache.get(1, || Ok(7)).map(|value| *value), Ok(7));
    }
}
