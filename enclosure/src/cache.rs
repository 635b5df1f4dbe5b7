//! What one question makes a computation find out, kept for the next.
//!
//! Only values that are the same whoever computes them belong here, under a key that says all they depend on: then
//! answers do not depend on what was asked before, nor on which thread came first.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;

/// A few values, by key; the oldest make room for new ones.
#[derive(Debug)]
pub struct Cache<K, V> {
    most: usize,
    values: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: PartialEq, V> Cache<K, V> {
    /// Room for so many.
    pub fn new(most: usize) -> Self {
        Cache { most, values: Mutex::new(Vec::new()) }
    }

    /// The value of this key, computed if it is not there.
    ///
    /// Nothing is locked meanwhile: two threads may compute the same value, but none waits for another, which in a pool of
    /// threads that take over each other's work could be itself.
    ///
    /// # Errors
    /// Those of `compute`; a failure is not kept.
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

    #[test]
    fn failures_are_not_kept() {
        let cache = Cache::new(2);
        assert!(cache.get(1, || Err::<i32, _>(Error::Undecided("no time".into()))).is_err());
        assert_eq!(cache.get(1, || Ok(7)).map(|value| *value), Ok(7));
    }
}
