//! What one question makes an engine find out, kept for the next.
//!
//! Only values that are the same whoever computes them are kept, under a key that says all they depend on: so answers do
//! not depend on what was asked before, nor on which thread came first.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;

/// A few values, by key; the oldest make room for new ones.
#[derive(Debug)]
pub(super) struct Kept<K, V> {
    most: usize,
    values: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: PartialEq, V> Kept<K, V> {
    /// Room for so many.
    pub(super) fn new(most: usize) -> Self {
        Kept { most, values: Mutex::new(Vec::new()) }
    }

    /// The value of this key, computed if it is not there.
    ///
    /// Nothing is locked meanwhile: two threads may compute the same value, but none waits for another, which in a pool of
    /// threads that take over each other's work could be itself.
    pub(super) fn get(&self, key: K, compute: impl FnOnce() -> Result<V, Error>) -> Result<Arc<V>, Error> {
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

/// A copy begins with nothing kept: it may be of another engine soon.
impl<K: PartialEq, V> Clone for Kept<K, V> {
    fn clone(&self) -> Self {
        Kept::new(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_once_while_there_is_room() {
        let kept = Kept::new(2);
        let mut computed = Vec::new();
        for key in [1, 2, 1, 2, 3, 2, 1] {
            let value = kept.get(key, || {
                computed.push(key);
                Ok(10 * key)
            });
            assert_eq!(value.map(|value| *value), Ok(10 * key));
        }
        assert_eq!(computed, [1, 2, 3, 1]);
    }

    #[test]
    fn failures_are_not_kept() {
        let kept = Kept::new(2);
        assert!(kept.get(1, || Err::<i32, _>(Error::Undecided("no time".into()))).is_err());
        assert_eq!(kept.get(1, || Ok(7)).map(|value| *value), Ok(7));
    }
}
