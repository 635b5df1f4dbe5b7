//! Cache of intermediate results.
//!
//! A cached value must depend on its key alone. Then answers depend neither on earlier queries nor on the order of
//! threads.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;

/// A small cache by key that evicts the oldest values.
#[derive(Debug)]
pub struct Cache<K, V> {
    most: usize,
    values: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: PartialEq, V> Cache<K, V> {
    /// An empty cache of at most `most` values.
    pub fn new(most: usize) -> Self {
        Cache { most, values: Mutex::new(Vec::new()) }
    }

    /// The value of this key; it is computed if it is not cached.
    ///
    /// No lock is held while computing. Two threads may compute the same value, but no thread waits for another, which
    /// could deadlock in a work-stealing thread pool.
    ///
    /// # Errors
    /// Those of `compute`; errors are not cached.
    pub fn get(&self, key: K, compute: impl FnOnce() -> Result<V, Error>) -> Result<Arc<V>, Error> {
        let find = |values: &[(K, Arc<V>)]| values.iter().find(|(k, _)| *k == key).map(|(_, value)| Arc::clone(value));
        if let Some(value) = find(&self.values.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(value);
        }
        let value = Arc::new(compute()?);
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = find(&values) {
            return Ok(first);
        }
        if values.len() >= self.most.max(1) {
            values.remove(0);
        }
        values.push((key, Arc::clone(&value)));
        Ok(value)
    }

    /// Evict the oldest values until the total weight is at most `most`.
    pub fn shed(&self, most: u64, weigh: impl Fn(&V) -> u64) {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room = most;
        let kept = values.iter().rev().take_while(|(_, value)| {
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
        Cache::new(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// The newest stay, as many as weigh no more than there is room for.
    #[test]
    fn the_oldest_are_forgotten_first() {
        let cache = Cache::new(10);
        for key in [5_u64, 4, 3, 2] {
            assert!(cache.get(key, || Ok(key)).is_ok());
        }
        let kept = |most: u64| {
            cache.shed(most, |value| *value);
            [5_u64, 4, 3, 2].map(|key| cache.values.lock().is_ok_and(|values| values.iter().any(|(k, _)| *k == key)))
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
