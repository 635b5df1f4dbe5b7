//! Amplification by shuffling: the epsilon of each theorem as it is printed, in malachite. A delta is confirmed by the
//! epsilons a little before and behind it, which fall as delta grows.

use malachite::Rational as Second;
use malachite::base::num::basic::traits::One;
use rug::Rational;

use super::super::{Claim, numbers, require};
use super::{BESIDE, Bounds};
use crate::error::Error;
use crate::mechanism::Mechanism;
use crate::query::{Quantity, Query};
use crate::route::elementary::{ln_bounds, sqrt_bounds};
use crate::route::moments::{add, div, mul, point, sub};

/// The name of the route.
pub const NAME: &str = "malachite, the epsilon as printed";

/// Which theorem.
#[derive(Clone, Copy)]
pub enum Form {
    /// Feldman, McMillan and Talwar 2022, Theorem 3.1.
    Clones,
    /// The same 2023, Theorem 1.1.
    Stronger,
}

/// The reports that a shuffle mixes, as the documentation of the mechanism has them.
struct Reports {
    n: Second,
    /// `e^epsilon0`.
    a: Bounds,
    form: Form,
    bits: u64,
}

/// Is the claim what the theorem says?
pub fn confirm(form: Form, query: &Query, claim: &Claim, bits: u64) -> Result<(), Error> {
    let Some((Mechanism::Shuffle(mechanism), 1)) = query.mechanism.single() else {
        return Err(Error::input("the theorem is about one shuffle"));
    };
    let (n, epsilon0) = mechanism.reports();
    let reports = Reports { n: Second::from(n), a: numbers::exp_bounds(epsilon0, bits)?, form, bits };
    match &query.quantity {
        Quantity::Epsilon { delta } => {
            let delta = numbers::second(numbers::rational(delta, "delta")?)?;
            claim.agrees_with(&numbers::first_both(&reports.epsilon(&delta)?)?)
        }
        Quantity::Delta { epsilon } => {
            let target = numbers::bounds(epsilon, bits)?;
            let Claim::Within(lower, upper) = claim else { return require(false, "a delta that is exact") };
            let little = Rational::from((1, rug::Integer::from(1) << BESIDE));
            let at = |delta: &Rational| reports.epsilon(&numbers::second(delta)?);
            let before = at(&(Rational::from(1 - &little) * lower))?;
            let behind = at(&((1 + little) * upper))?;
            require(before.0 > target.1 && behind.1 < target.0, "the epsilons on both sides")
        }
        _ => Err(Error::input("amplification by shuffling has delta and epsilon")),
    }
}

impl Reports {
    /// Feldman, McMillan and Talwar 2022, Theorem 3.1: for `epsilon0 <= ln(n/(16 ln(2/delta)))`,
    /// `ln(1 + (a-1)/(a+1) (8 sqrt(a ln(4/delta))/sqrt(n) + 8 a/n))`; 2023, Theorem 1.1: for
    /// `epsilon0 <= ln(n/(8 ln(2/delta)) - 1)`, `ln(1 + (a-1) (4 sqrt(2 ln(4/delta))/sqrt((a+1) n) + 4/n))`.
    fn epsilon(&self, delta: &Second) -> Result<Bounds, Error> {
        let whole = |value: u32| point(Second::from(value));
        let n = point(self.n.clone());
        let (below, above) = (sub(&self.a, &whole(1)), add(&self.a, &whole(1)));
        let [double, fourfold] = [2u32, 4].map(|times| ln_bounds(&(Second::from(times) / delta), self.bits));
        let (largest, excess) = match self.form {
            Form::Clones => {
                let spread = div(&self.root(&mul(&self.a, &fourfold)), &self.root(&n));
                let all = add(&spread, &div(&self.a, &n));
                (div(&n, &mul(&whole(16), &double)), mul(&div(&below, &above), &mul(&whole(8), &all)))
            }
            Form::Stronger => {
                let spread = div(&self.root(&mul(&whole(2), &fourfold)), &self.root(&mul(&above, &n)));
                let all = add(&spread, &div(&whole(1), &n));
                let largest = sub(&div(&n, &mul(&whole(8), &double)), &whole(1));
                (largest, mul(&below, &mul(&whole(4), &all)))
            }
        };
        require(self.a.1 <= largest.0, "the hypothesis on epsilon0")?;
        let ln = |end: &Second| ln_bounds(&(Second::ONE + end), self.bits);
        Ok((ln(&excess.0).0, ln(&excess.1).1))
    }

    fn root(&self, square: &Bounds) -> Bounds {
        (sqrt_bounds(&square.0, self.bits).0, sqrt_bounds(&square.1, self.bits).1)
    }
}
