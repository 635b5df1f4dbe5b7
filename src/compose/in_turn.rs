//! Engines in turn: what one cannot decide, the next one may.
//!
//! The order is that of [`choose`](super::choose): from exact engines to rounded ones. Every engine certifies what it
//! says, so any of them may give the answer; the first that gives one is the same whatever was asked before.

use std::sync::OnceLock;

use super::Method;
use super::choose::{ENGINES, engine, nobody_composes};
use crate::curve::Curve;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::Product;
use enclosure::{Budget, Reason};

/// All engines for one composition, each built when it is first needed.
pub struct Engines {
    mechanism: Composition,
    product: OnceLock<Result<Product, Error>>,
    method: Method,
    built: [OnceLock<Box<dyn Curve>>; ENGINES],
}

impl Engines {
    /// Nothing is built yet.
    pub fn new(mechanism: Composition, method: Method) -> Self {
        Engines { mechanism, product: OnceLock::new(), method, built: Default::default() }
    }

    /// The composition.
    pub fn mechanism(&self) -> &Composition {
        &self.mechanism
    }

    /// The kind of engine that is asked for.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What the composition means, in order.
    fn product(&self) -> Result<&Product, Error> {
        self.product.get_or_init(|| Ok(Product::new(self.mechanism.pairs()?))).as_ref().map_err(Clone::clone)
    }

    /// The engine of this rank, if it takes the composition on. Threads that come first together may each build it: one
    /// of them is kept, and nobody waits.
    fn curve(&self, product: &Product, rank: usize, budget: &Budget) -> Option<Result<&dyn Curve, Error>> {
        let slot = self.built.get(rank)?;
        if let Some(curve) = slot.get() {
            return Some(Ok(curve.as_ref()));
        }
        let curve = engine(product, self.method, rank, budget)?;
        Some(curve.map(|curve| slot.get_or_init(|| curve).as_ref()))
    }

    /// The first answer to a question, by the engines in turn.
    ///
    /// # Errors
    /// What is wrong with the question, from the first engine that says so; that nothing was decided, with the
    /// reason of each engine that was asked.
    pub fn ask<T>(
        &self,
        budget: &Budget,
        mut question: impl FnMut(&dyn Curve) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let product = self.product()?;
        let mut reasons: Vec<Reason> = Vec::new();
        for rank in 0..ENGINES {
            let answer = match self.curve(product, rank, budget) {
                None => continue,
                Some(Ok(curve)) => question(curve),
                Some(Err(error)) => Err(error),
            };
            match answer {
                Err(Error::Undecided(reason)) if reasons.contains(&reason) => {}
                Err(Error::Undecided(reason)) => reasons.push(reason),
                other => return other,
            }
            if budget.check().is_err() {
                break;
            }
        }
        if reasons.is_empty() {
            return Err(nobody_composes(product));
        }
        Err(Error::Undecided(Reason::joined(reasons, "; then ")))
    }
}
