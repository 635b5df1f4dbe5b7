//! A quantity of privacy: a number, or plus infinity.

use std::cmp::Ordering;

use enclosure::Number;

/// A value that may be plus infinity.
#[derive(Clone, Debug)]
pub enum Value {
    /// A finite number.
    Finite(Number),
    /// Plus infinity, exactly.
    Infinite,
}

impl Value {
    /// The larger of two values.
    pub fn max(&self, other: &Self) -> Self {
        match (self, other) {
            (Value::Finite(a), Value::Finite(b)) => Value::Finite(a.max(b)),
            _ => Value::Infinite,
        }
    }

    /// The smaller of two values.
    pub fn min(&self, other: &Self) -> Self {
        match (self, other) {
            (Value::Finite(a), Value::Finite(b)) => Value::Finite(a.min(b)),
            (Value::Infinite, finite) | (finite, Value::Infinite) => finite.clone(),
        }
    }

    /// The finite number, if it is one.
    #[cfg(test)]
    pub fn finite(&self) -> Option<&Number> {
        match self {
            Value::Finite(number) => Some(number),
            Value::Infinite => None,
        }
    }

    /// The order, if it is certain.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Value::Finite(a), Value::Finite(b)) => a.compare(b),
            (Value::Finite(_), Value::Infinite) => Some(Ordering::Less),
            (Value::Infinite, Value::Finite(_)) => Some(Ordering::Greater),
            (Value::Infinite, Value::Infinite) => Some(Ordering::Equal),
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Value::Finite(number)
    }
}
