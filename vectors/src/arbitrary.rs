//! Exact parameters for quickcheck, as in `strategy`. Each type dereferences to its exact value.
//!
//! ```
//! use dpcert_vectors::arbitrary::{Epsilon, Times};
//!
//! fn composing_never_helps(epsilon: Epsilon, k: Times) -> bool {
//!     // call your accountant with `*epsilon` and `*k`
//! #   let _ = epsilon;
//!     *k >= 1
//! }
//! quickcheck::quickcheck(composing_never_helps as fn(Epsilon, Times) -> bool);
//! ```

use std::fmt;
use std::ops::Deref;

use num_rational::BigRational;
use quickcheck::{Arbitrary, Gen};

use crate::exact::Exact;
use crate::format::{Case, Quantity};
use crate::load::VectorSet;
pub use crate::regime::FinitePair;
use crate::regime::{self, Draw};

impl Arbitrary for Draw {
    fn arbitrary(g: &mut Gen) -> Self {
        Self { regime: u8::arbitrary(g) % 12, n: u8::arbitrary(g), d: u8::arbitrary(g), power: u16::arbitrary(g) }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let smaller = (self.regime, self.n, self.d, self.power).shrink();
        Box::new(smaller.map(|(regime, n, d, power)| Self { regime, n, d, power }))
    }
}

macro_rules! parameter {
    ($(#[$doc:meta])* $name:ident, $value:ty, $make:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name {
            value: $value,
            /// The draw it was made from, for shrinking.
            draw: Draw,
        }

        impl From<Draw> for $name {
            fn from(draw: Draw) -> Self {
                Self { value: $make(draw), draw }
            }
        }

        impl Deref for $name {
            type Target = $value;

            fn deref(&self) -> &$value {
                &self.value
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.value)
            }
        }

        impl Arbitrary for $name {
            fn arbitrary(g: &mut Gen) -> Self {
                Draw::arbitrary(g).into()
            }

            fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
                Box::new(self.draw.shrink().map(Self::from))
            }
        }
    };
}

parameter!(
    /// An epsilon `>= 0`: ordinary, `ln(p/q)`, tiny, huge.
    Epsilon, Exact, regime::epsilon
);
parameter!(
    /// A delta in `[0, 1]`, both ends included: ordinary, tiny (to below the smallest double), near 1.
    Delta, BigRational, regime::probability
);
parameter!(
    /// A type I error in `[0, 1]`: the same regimes as [`Delta`].
    Alpha, BigRational, regime::probability
);
parameter!(
    /// A Renyi order `> 1`: ordinary, near 1, huge.
    Order, BigRational, regime::order
);
parameter!(
    /// A noise scale `> 0`: ordinary, `sqrt(p/q)`, tiny, huge.
    Sigma, Exact, regime::sigma
);
parameter!(
    /// A number of compositions from 1 to 10^6, all orders of magnitude equally likely.
    Times, u64, regime::times
);

impl Arbitrary for FinitePair {
    fn arbitrary(g: &mut Gen) -> Self {
        let outcomes = usize::arbitrary(g) % 8 + 1;
        let weights: Vec<(u8, u8)> = (0..outcomes).map(|_| (u8::arbitrary(g) % 21, u8::arbitrary(g) % 21)).collect();
        regime::finite_pair(&weights)
    }

    /// Fewer outcomes: each but the first in turn is merged into the one before, so that sums stay 1.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let pair = self.clone();
        Box::new((1..self.p.len().min(self.q.len())).map(move |index| {
            let merge = |list: &[BigRational]| {
                let mut merged = list.to_vec();
                let taken = merged.remove(index);
                merged[index - 1] += taken;
                merged
            };
            FinitePair { p: merge(&pair.p), q: merge(&pair.q) }
        }))
    }
}

/// A case of the set and its quantity; `None` if the set has no cases.
pub fn choose_case<'a>(g: &mut Gen, set: &'a VectorSet) -> Option<(Quantity, &'a Case)> {
    let cases: Vec<_> = set.cases().collect();
    g.choose(&cases).map(|(file, case)| (file.quantity, *case))
}
